# Every dependency, from the system's packages. Nothing is downloaded.
find_package(Threads REQUIRED)
find_package(Armadillo REQUIRED)
find_package(OpenBLAS REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
# Its headers; its functions are compiled by src/core/fmt_library.cpp, which says why. Newer versions have others.
add_library(tfx_fmt INTERFACE)
add_library(tfx::fmt ALIAS tfx_fmt)
if(fmt_VERSION VERSION_LESS 10)
  target_include_directories(tfx_fmt SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  target_link_libraries(tfx_fmt INTERFACE fmt::fmt-header-only)
endif()
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED) # libzip brings it
# libzip's own config insists on its command-line tools, which the -dev package does not bring.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
add_library(libzip::zip ALIAS PkgConfig::libzip)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
add_library(tfx::utf8proc ALIAS PkgConfig::utf8proc)

# Armadillo without its wrapper library, linked straight to OpenBLAS: through the wrapper a machine can silently run
# reference BLAS, 12 times slower. The serial static library where it is installed: threads are our own, and a process
# starts without a second thread, without libgfortran and without relocating 30 MB (2 ms instead of 4.4 ms).
add_library(tfx_armadillo INTERFACE)
add_library(tfx::armadillo ALIAS tfx_armadillo)
target_include_directories(tfx_armadillo SYSTEM INTERFACE ${ARMADILLO_INCLUDE_DIRS})
target_compile_definitions(tfx_armadillo INTERFACE ARMA_DONT_USE_WRAPPER ARMA_USE_BLAS ARMA_DONT_USE_LAPACK
                           ARMA_DONT_USE_ARPACK ARMA_DONT_USE_SUPERLU ARMA_DONT_USE_HDF5 ARMA_DONT_USE_OPENMP
                           # What Armadillo frees fits a tensor, and the other way round: aligned blocks leave holes.
                           ARMA_ALIEN_MEM_ALLOC_FUNCTION=malloc ARMA_ALIEN_MEM_FREE_FUNCTION=free)
option(TFX_STATIC_OPENBLAS "link OpenBLAS statically where the static library is installed" ON)
find_library(TFX_OPENBLAS_STATIC NAMES libopenblas.a PATH_SUFFIXES openblas-serial)
if(TFX_STATIC_OPENBLAS AND TFX_OPENBLAS_STATIC)
  target_link_libraries(tfx_armadillo INTERFACE ${TFX_OPENBLAS_STATIC} Threads::Threads)
  # src/core/blas_memory.cpp stands between that library and its work buffers, and says why.
  target_compile_definitions(tfx_armadillo INTERFACE TFX_WRAP_BLAS_MEMORY)
  target_link_options(tfx_armadillo INTERFACE LINKER:--wrap=blas_memory_alloc,--wrap=blas_memory_free
                                              LINKER:--undefined=__wrap_blas_memory_alloc)
else()
  target_link_libraries(tfx_armadillo INTERFACE ${OpenBLAS_LIBRARIES} Threads::Threads)
endif()
