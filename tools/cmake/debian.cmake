# What Debian has otherwise than other systems; CPack runs this before it packs what lies in
# CPACK_TEMPORARY_INSTALL_DIRECTORY: man pages are compressed, and its zsh looks for completions elsewhere.
if(CPACK_GENERATOR STREQUAL "DEB")
  file(GLOB_RECURSE pages "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.1")
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE completion "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/_tfx")
  cmake_path(GET completion PARENT_PATH folder)
  cmake_path(GET folder PARENT_PATH zsh)
  file(RENAME "${folder}" "${zsh}/vendor-completions")
endif()
