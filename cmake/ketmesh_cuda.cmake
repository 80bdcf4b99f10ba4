# libketmesh_cuda.so: the CUDA kernels, built where nvcc is found. Nothing links it: the library opens it on first need.
option(KETMESH_BUILD_CUDA "Build the CUDA plugin when nvcc is found" ON)
set(KETMESH_CUDA_ARCHITECTURES "90" CACHE STRING "Compute capabilities of the CUDA plugin")

include(CheckLanguage)
if(KETMESH_BUILD_CUDA AND NOT KETMESH_SANITIZE)
  check_language(CUDA)
endif()
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ketmesh/kernels/cuda/*.cu)
  # CMake 3.25 does not know CUDA's C++20: the flag is given below, and the target must not ask for the standard of the others.
  unset(CMAKE_CXX_STANDARD)
  add_library(ketmesh_cuda MODULE ${sources})
  set(CMAKE_CXX_STANDARD 20)
  target_include_directories(ketmesh_cuda PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(ketmesh_cuda PRIVATE -std=c++20 --extended-lambda --expt-relaxed-constexpr -Xcompiler=-fvisibility=hidden)
  target_compile_definitions(ketmesh_cuda PRIVATE KETMESH_BUILD_ID="${PROJECT_VERSION}")
  set_target_properties(ketmesh_cuda PROPERTIES CUDA_ARCHITECTURES "${KETMESH_CUDA_ARCHITECTURES}" CUDA_RUNTIME_LIBRARY Static PREFIX lib
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  install(TARGETS ketmesh_cuda LIBRARY DESTINATION lib)
else()
  message(STATUS "the CUDA plugin is not built: no nvcc, or switched off")
endif()
