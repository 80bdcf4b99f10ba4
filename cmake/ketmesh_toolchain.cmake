# Compiler flags, sanitizers, ccache and the packages that the library stands on.
find_program(KETMESH_CCACHE ccache)
if(KETMESH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KETMESH_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${KETMESH_CCACHE})
endif()

add_library(ketmesh_flags INTERFACE)
target_compile_options(ketmesh_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
  -ffp-contract=off -fvisibility-inlines-hidden>)
if(KETMESH_SANITIZE)
  add_compile_options(-fsanitize=${KETMESH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KETMESH_SANITIZE})
endif()

# {fmt} stays inside: its names are not exported, so a program may use another version of it.
add_library(ketmesh_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
set_target_properties(ketmesh_fmt PROPERTIES CXX_VISIBILITY_PRESET hidden)
target_link_libraries(ketmesh_flags INTERFACE ketmesh_fmt)

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
if(KETMESH_BUILD_TESTS)
  find_package(GTest REQUIRED)
  enable_testing()
  # Debian's rapidcheckConfig.cmake names an include directory that does not exist (it lost the multiarch component),
  # so the target is made here from the files.
  find_library(KETMESH_RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
  find_path(KETMESH_RAPIDCHECK_INCLUDE rapidcheck.h REQUIRED)
  add_library(rapidcheck UNKNOWN IMPORTED)
  set_target_properties(rapidcheck PROPERTIES IMPORTED_LOCATION ${KETMESH_RAPIDCHECK_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${KETMESH_RAPIDCHECK_INCLUDE})
endif()
