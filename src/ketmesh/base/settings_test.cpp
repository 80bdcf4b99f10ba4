// The KETMESH_* variables.
#include "ketmesh/base/settings.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

Settings read(const std::map<std::string, std::string>& environment) {
  return read_settings([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Settings, DefaultsAndEmptyVariables) {
  EXPECT_EQ(read({}), Settings{});
  EXPECT_EQ(read({{"KETMESH_TIMEOUT", ""}, {"KETMESH_CUDA_LIBRARY", ""}, {"KETMESH_MPI_DEVICE_POINTERS", ""}}), Settings{});
}

TEST(Settings, Values) {
  const Settings s = read({{"KETMESH_TIMEOUT", "2.5"},
                           {"KETMESH_THREADS", "3"},
                           {"KETMESH_SIMD", "avx2"},
                           {"KETMESH_CUDA_LIBRARY", "/a/b.so"},
                           {"KETMESH_MPI_LIBRARY", "/c.so"},
                           {"KETMESH_MPI_DEVICE_POINTERS", "0"}});
  EXPECT_EQ(s.timeout_seconds, 2.5);
  EXPECT_EQ(s.threads, 3);
  EXPECT_EQ(s.simd, "avx2");
  EXPECT_EQ(s.cuda_library, "/a/b.so");
  EXPECT_EQ(s.mpi_library, "/c.so");
  EXPECT_EQ(s.mpi_device_pointers, false);
}

TEST(Settings, WhatCannotBeUnderstoodIsNamed) {
  const std::vector<std::pair<std::string, std::string>> bad = {{"KETMESH_TIMEOUT", "soon"},  {"KETMESH_TIMEOUT", "0"},
                                                                {"KETMESH_TIMEOUT", "inf"},   {"KETMESH_TIMEOUT", "3s"},
                                                                {"KETMESH_THREADS", "0"},     {"KETMESH_THREADS", "4097"},
                                                                {"KETMESH_THREADS", "2.0"},   {"KETMESH_CUDA_LIBRARY", "b.so"},
                                                                {"KETMESH_MPI_LIBRARY", "x"}, {"KETMESH_MPI_DEVICE_POINTERS", "yes"}};
  for (const auto& [name, value] : bad) {
    try {
      read({{name, value}});
      FAIL() << name << "=" << value;
    } catch (const OptionError& e) {
      EXPECT_EQ(std::string(e.what()).rfind(name + "=" + value + ": must be ", 0), 0u) << e.what();
    }
  }
}

}  // namespace
}  // namespace ketmesh
