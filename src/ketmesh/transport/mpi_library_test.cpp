#include "ketmesh/transport/mpi_library.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "ketmesh/transport/elf_check.hpp"

namespace ketmesh::transport {
namespace {

Launch launch_of(const std::map<std::string, std::string>& environment) {
  return read_launch([&environment](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launch, WhoStartedThisProcess) {
  EXPECT_FALSE(launch_of({}).family);
  EXPECT_EQ(launch_of({}).size, 1);
  const Launch openmpi = launch_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}});
  EXPECT_EQ(openmpi.family, MpiFamily::openmpi);
  EXPECT_EQ(openmpi.rank, 3);
  EXPECT_EQ(openmpi.size, 4);
  const Launch mpich = launch_of({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
  EXPECT_EQ(mpich.family, MpiFamily::mpich);
  EXPECT_EQ(mpich.rank, 1);
  EXPECT_EQ(mpich.size, 2);
  const Launch pmix = launch_of({{"PMIX_RANK", "1"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}});
  EXPECT_EQ(pmix.family, MpiFamily::openmpi);
  EXPECT_EQ(pmix.size, 8);
  EXPECT_FALSE(pmix.without_mpi);
  const Launch bare = launch_of({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}});
  EXPECT_FALSE(bare.family);
  EXPECT_TRUE(bare.without_mpi);
  EXPECT_FALSE(launch_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).without_mpi);
  EXPECT_EQ(launch_of({{"PMI_SIZE", "many"}, {"PMI_RANK", "1"}}).size, 1);
}

class ElfCheck : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("ketmesh_elf_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(ElfCheck, AnythingButAWholeLibraryIsNamed) {
  EXPECT_NE(elf_fault(folder_ / "none.so").find("No such file"), std::string::npos);
  EXPECT_NE(elf_fault(write("empty.so", "")).find("not a shared library"), std::string::npos);
  EXPECT_NE(elf_fault(write("text.so", std::string(4096, 'x'))).find("not a shared library"), std::string::npos);
  EXPECT_NE(elf_fault(folder_), "");
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string program((std::istreambuf_iterator<char>(self)), {});
  ASSERT_GT(program.size(), 100000U);
  EXPECT_EQ(elf_fault(write("whole.so", program)), "") << "a position-independent program has the form of a library";
  EXPECT_NE(elf_fault(write("short.so", program.substr(0, 8192))).find("cut short"), std::string::npos);
  EXPECT_NE(elf_fault(write("head.so", program.substr(0, 70))).find("cut short"), std::string::npos);
}

TEST_F(ElfCheck, APluginThatIsNoneIsUnavailableWithTheReason) {
  // In a process of its own: what was opened once stays open.
  const std::string text = write("plugin.so", "no library");
  EXPECT_EXIT(
      {
        setenv("KETMESH_MPI_LIBRARY", text.c_str(), 1);
        const MpiLibrary library = mpi_library();
        const bool told = library.table == nullptr && !library.reason.empty();
        setenv("KETMESH_MPI_LIBRARY", "plugin.so", 1);
        const MpiLibrary relative = mpi_library();
        std::_Exit(told && relative.reason.find("absolute") != std::string::npos ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ketmesh::transport
