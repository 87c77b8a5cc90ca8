# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(tessera_targets tessera tessera_compiled tessera_vm tessera_inspect tessera_transform)
foreach(format IN LISTS TESSERA_FORMATS)
  list(APPEND tessera_targets tessera_${format})
endforeach()

# Single headers go below tessera/, because a bare single/ in a system's include path is anybody's.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tessera" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/single"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tessera" OPTIONAL FILES_MATCHING PATTERN "*.hpp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET tessera_cli)
  install(TARGETS tessera_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  # The manual page and the completions of shells, which the tool prints. A host that can't run it goes
  # without.
  function(install_printed path)
    string(JOIN "\" \"" arguments ${ARGN})
    install(CODE "
      set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${path}\")
      message(STATUS \"Installing: \${file}\")
      get_filename_component(folder \"\${file}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND \"$<TARGET_FILE:tessera_cli>\" \"${arguments}\" OUTPUT_FILE \"\${file}\"
                      COMMAND_ERROR_IS_FATAL ANY)")
  endfunction()
  if(NOT CMAKE_CROSSCOMPILING)
    install_printed("${CMAKE_INSTALL_MANDIR}/man1/tessera.1" man)
    install_printed("${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions/tessera" completion bash)
    install_printed("${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions/_tessera" completion zsh)
    install_printed("${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d/tessera.fish" completion fish)
  endif()
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tessera")
install(TARGETS ${tessera_targets} EXPORT tessera-targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT tessera-targets NAMESPACE tessera:: DESTINATION "${package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/config.cmake.in" "${PROJECT_BINARY_DIR}/tessera-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tessera-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tessera-config.cmake"
              "${PROJECT_BINARY_DIR}/tessera-config-version.cmake" DESTINATION "${package_dir}")

# tessera.pc is for headers only, tessera-compiled.pc, the others for the libraries. The prefix is
# taken from the place of the .pc file, so that an installed tree can be moved.
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH up "${CMAKE_INSTALL_PREFIX}/${pc_dir}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" up "${up}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(tessera_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  set(tessera_pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(kind IN ITEMS INCLUDE LIB)
  string(TOLOWER ${kind} name)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    set(tessera_pc_${name}dir "${CMAKE_INSTALL_${kind}DIR}")
  else()
    set(tessera_pc_${name}dir "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
  endif()
endforeach()
foreach(name IN ITEMS tessera tessera-compiled tessera-vm tessera-inspect tessera-transform)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${pc_dir}")
endforeach()

# A source archive, `cmake --build build --target package_source`: what users build, without the fuzz
# corpora, which are most of the tree.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_SOURCE_GENERATOR TGZ)
  set(CPACK_SOURCE_PACKAGE_FILE_NAME "tessera-${PROJECT_VERSION}")
  set(CPACK_SOURCE_IGNORE_FILES "/\\\\.git/;/build/;^${PROJECT_BINARY_DIR}/;/fuzz/corpus/")
  set(CPACK_VERBATIM_VARIABLES ON)
  include(CPack)
endif()
