# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(tessera_targets tessera)
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
endif()

# Nothing here depends on the architecture, hence share/ and not lib/.
set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/tessera")
install(TARGETS ${tessera_targets} EXPORT tessera-targets
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT tessera-targets NAMESPACE tessera:: DESTINATION "${package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/config.cmake.in" "${PROJECT_BINARY_DIR}/tessera-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tessera-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/tessera-config.cmake"
              "${PROJECT_BINARY_DIR}/tessera-config-version.cmake" DESTINATION "${package_dir}")

# The prefix is taken from the place of the .pc file, so that an installed tree can be moved.
set(pc_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")
file(RELATIVE_PATH up "${CMAKE_INSTALL_PREFIX}/${pc_dir}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" up "${up}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
  set(tessera_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  set(tessera_pc_prefix "\${pcfiledir}/${up}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(tessera_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(tessera_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/tessera.pc.in" "${PROJECT_BINARY_DIR}/tessera.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tessera.pc" DESTINATION "${pc_dir}")
