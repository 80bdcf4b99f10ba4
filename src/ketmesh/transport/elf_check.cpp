#include "ketmesh/transport/elf_check.hpp"

#include <elf.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace ketmesh::transport {

std::string elf_fault(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return path + ": " + std::strerror(errno);
  const auto size = static_cast<std::uint64_t>(file.tellg());
  const auto foreign = [&path] { return path + " is not a shared library of this machine"; };
  const auto short_file = [&path] { return path + " is cut short"; };
  const auto read = [&file, size](std::uint64_t at, void* to, std::size_t bytes) {
    if (at > size || bytes > size - at) return false;
    file.seekg(static_cast<std::streamoff>(at));
    file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    return static_cast<bool>(file);
  };
  Elf64_Ehdr head{};
  if (!read(0, &head, sizeof head)) return foreign();
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_type != ET_DYN ||
      head.e_phentsize != sizeof(Elf64_Phdr))
    return foreign();
  for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read(head.e_phoff + i * sizeof part, &part, sizeof part)) return short_file();
    if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset)) return short_file();
  }
  return {};
}

}  // namespace ketmesh::transport
