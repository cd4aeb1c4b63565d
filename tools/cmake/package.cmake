# cmake --build build/release --target package: a tar.gz and, where dpkg-dev is installed, a .deb in build/release/packages.

# Who wrote what the executable holds: besides us those whose libraries are linked statically or are headers. Debian's
# files about them are copied as they are.
set(copyright "${CMAKE_BINARY_DIR}/copyright")
file(WRITE "${copyright}" "tfx ${PROJECT_VERSION}: learn the Transformer in the terminal.\n"
     "Copyright: the maintainers of tfx.\n\nThe executable holds parts of the software that follows.\n")
foreach(package libarmadillo-dev libopenblas-dev libcli11-dev libfmt-dev nlohmann-json3-dev gcc-12-base)
  if(EXISTS "/usr/share/doc/${package}/copyright")
    file(READ "/usr/share/doc/${package}/copyright" text)
    string(REGEX REPLACE "-dev$|-base$" "" name "${package}")
    file(APPEND "${copyright}" "\n======== ${name} ========\n\n${text}")
  endif()
endforeach()
file(APPEND "${copyright}" "\n======== data/sentences/en-zh.tsv, data/models/en-zh.safetensors ========\n\n"
     "Sentences of LibreOffice's help, and a model that was trained on such: (c) The Document Foundation and contributors,\n"
     "under the Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/. The sentences' source form is in the sources of tfx.\n")
install(FILES "${copyright}" DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_VENDOR "tfx")
set(CPACK_PACKAGE_CONTACT "tfx maintainers <maintainers@tfx.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "learn the Transformer in the terminal")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Each lesson runs one stage of the Transformer and shows every matrix, in English
or Chinese. Any number can be traced back to the words and weights, the input
can be your own, and each run of a tutorial is compared with NumPy's.")
set(CPACK_OUTPUT_FILE_PREFIX "${CMAKE_BINARY_DIR}/packages")
set(CPACK_PACKAGE_FILE_NAME "tfx-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)

set(CPACK_GENERATOR TGZ)
find_program(TFX_SHLIBDEPS dpkg-shlibdeps) # of dpkg-dev: it names the packages of the shared libraries
if(TFX_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/tools/cmake/debian.cmake")
include(CPack)
