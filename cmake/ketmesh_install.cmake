# What `cmake --install` lays down: headers, library, command line, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
# An installed program finds the library from where it lies itself, so the whole prefix may be moved.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN")

function(ketmesh_install)
  if(NOT TARGET ketmesh)
    return()
  endif()
  install(TARGETS ketmesh EXPORT ketmeshTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ketmesh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ketmesh)
  install(EXPORT ketmeshTargets NAMESPACE ketmesh:: DESTINATION ${package})
  configure_package_config_file(cmake/ketmeshConfig.cmake.in ketmeshConfig.cmake INSTALL_DESTINATION ${package})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(ketmeshConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ketmeshConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ketmeshConfigVersion.cmake DESTINATION ${package})
  file(RELATIVE_PATH KETMESH_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/ketmesh.pc.in ketmesh.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ketmesh.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
