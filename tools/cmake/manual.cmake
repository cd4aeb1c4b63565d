# The man page in both languages, written by the tfx that was just built from its own commands and options, and the
# completions of bash and zsh, which ask it: they cannot go stale. Nobody installs a sanitizer's build, and a foreign machine's cannot run.
set(manual_folder "${CMAKE_BINARY_DIR}/manual")
if(NOT TFX_SANITIZE AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  add_custom_command(TARGET tfx POST_BUILD VERBATIM
    BYPRODUCTS "${manual_folder}/tfx.1" "${manual_folder}/tfx.zh.1"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${manual_folder}"
    COMMAND tfx --lang en manual > "${manual_folder}/tfx.1"
    COMMAND tfx --lang zh manual > "${manual_folder}/tfx.zh.1")
  install(FILES "${manual_folder}/tfx.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES "${manual_folder}/tfx.zh.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/zh_CN/man1 RENAME tfx.1)
  install(FILES "${CMAKE_SOURCE_DIR}/tools/completion/tfx.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tfx)
  install(FILES "${CMAKE_SOURCE_DIR}/tools/completion/_tfx" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
