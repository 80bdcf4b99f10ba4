// Whether a file may be given to the loader.
#pragma once

#include <string>

namespace ketmesh::transport {

/// Empty for a shared library of this machine that is as long as its own headers say; else what is wrong. The loader maps what the headers
/// promise, and a file that was cut short would end the process with SIGBUS.
std::string elf_fault(const std::string& path);

}  // namespace ketmesh::transport
