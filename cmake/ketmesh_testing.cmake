# Tests in ctest. One entry a GoogleTest suite ("plan.Staging"), not one a test: a process for each of thousands of small
# tests would cost more than the tests, and one for a whole program would hide the count and run on one core only.
# A suite whose name begins with Slow is labelled `slow`, every other one `quick`.
# The distribution's Python has the packages of tools/packages.txt; another one that comes first on the path may not.
find_program(KETMESH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(KETMESH_PYTHON python3)
set(KETMESH_DISCOVER ${CMAKE_CURRENT_LIST_DIR}/ketmesh_discover.cmake)

function(ketmesh_discover target prefix)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${file}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DPREFIX=${prefix} -DOUT=${file}
      "-DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}" -P ${KETMESH_DISCOVER})
  # Before the program is built ctest shows one entry that fails, so that a forgotten build is not taken for a pass.
  set(entry ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${entry} "if(EXISTS \"${file}\")\n  include(\"${file}\")\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${entry})
endfunction()

# ketmesh_gtest(NAME sources...): a GoogleTest program of tests/ that spans rooms. It links libketmesh.so and may include
# private headers; its suites are listed as NAME.Suite.
function(ketmesh_gtest name)
  if(NOT TARGET ketmesh)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ketmesh_flags ketmesh OpenMP::OpenMP_CXX Threads::Threads GTest::gtest_main rapidcheck)
  target_compile_definitions(${name} PRIVATE KETMESH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  ketmesh_discover(${name} ${name})
endfunction()

# ketmesh_command_test(NAME command...): any other program as a test; LABELS may be changed afterwards.
function(ketmesh_command_test name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()
