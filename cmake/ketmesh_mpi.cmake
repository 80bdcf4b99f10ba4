# libketmesh_mpi_openmpi.so and libketmesh_mpi_mpich.so: one source, compiled against each MPI whose header is found. Nothing links them, and they
# link no MPI: the library opens the one that the process or its launcher has, then the plugin. Debian keeps both MPIs side by side under
# paths of their own; which of them `mpicc` means does not matter.
option(KETMESH_BUILD_MPI "Build the MPI plugins whose headers are found" ON)
set(KETMESH_OPENMPI_INCLUDE "" CACHE PATH "Folder of Open MPI's mpi.h; empty: looked for")
set(KETMESH_MPICH_INCLUDE "" CACHE PATH "Folder of MPICH's mpi.h; empty: looked for")
set(KETMESH_MPI_FAMILIES "")

# A header names the MPI that it belongs to.
function(ketmesh_mpi_plugin family marker hint)
  set(folder "${hint}")
  if(NOT folder)
    set(folder "folder-NOTFOUND")
    foreach(candidate /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/${family}/include /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/${family}
            /usr/lib64/${family}/include /usr/include/${family} /usr/lib/${family}/include /usr/local/include /usr/include)
      if(EXISTS ${candidate}/mpi.h)
        file(STRINGS ${candidate}/mpi.h lines REGEX "${marker}" LIMIT_COUNT 1)
        if(lines)
          set(folder ${candidate})
          break()
        endif()
      endif()
    endforeach()
  endif()
  if(NOT folder OR NOT EXISTS ${folder}/mpi.h)
    message(STATUS "the MPI plugin for ${family} is not built: its mpi.h is not there")
    return()
  endif()
  set(dir ${PROJECT_SOURCE_DIR}/src/ketmesh/transport/mpi)
  add_library(ketmesh_mpi_${family} MODULE ${dir}/plugin.cpp ${dir}/family_${family}.cpp)
  target_include_directories(ketmesh_mpi_${family} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(ketmesh_mpi_${family} SYSTEM PRIVATE ${folder})
  target_compile_definitions(ketmesh_mpi_${family} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX KETMESH_MPI_FAMILY="${family}"
    KETMESH_BUILD_ID="${PROJECT_VERSION}")
  target_link_libraries(ketmesh_mpi_${family} PRIVATE ketmesh_flags)
  # MPI's names for predefined handles are casts of the old kind.
  target_compile_options(ketmesh_mpi_${family} PRIVATE -Wno-old-style-cast)
  set_target_properties(ketmesh_mpi_${family} PROPERTIES CXX_VISIBILITY_PRESET hidden PREFIX lib LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  install(TARGETS ketmesh_mpi_${family} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(KETMESH_MPI_FAMILIES ${KETMESH_MPI_FAMILIES} ${family} PARENT_SCOPE)
  set(KETMESH_MPI_HEADER_${family} ${folder} PARENT_SCOPE)
endfunction()

# A process under a sanitizer has no use for them: MPI libraries are not instrumented.
if(KETMESH_BUILD_MPI AND NOT KETMESH_SANITIZE)
  ketmesh_mpi_plugin(openmpi "define[ \t]+OPEN_MPI" "${KETMESH_OPENMPI_INCLUDE}")
  ketmesh_mpi_plugin(mpich "define[ \t]+MPICH_NAME" "${KETMESH_MPICH_INCLUDE}")
endif()
