#include "ketmesh/circuit/qasm/wire_names.hpp"

#include <algorithm>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/qasm/names.hpp"

namespace ketmesh::qasm {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool digit(char c) { return c >= '0' && c <= '9'; }

std::string free_name(std::string name, std::set<std::string>& taken) {
  for (char& c : name) {
    if (!letter(c) && !digit(c)) c = '_';
  }
  if (!is_identifier(name)) name = "r_" + name;
  const std::string stem = name;
  for (int i = 1; !taken.insert(name).second; ++i) name = stem + "_" + std::to_string(i);
  return name;
}

}  // namespace

bool is_identifier(std::string_view name) {
  if (name.empty() || !letter(name[0]) || !std::all_of(name.begin(), name.end(), [](char c) { return letter(c) || digit(c); }))
    return false;
  Names names;
  return !is_reserved(names.intern(name), 3) && names.intern(name) >= kNumWords;
}

WireNames::WireNames(const std::vector<Register>& registers, std::size_t count, std::string_view default_name,
                     std::set<std::string>& taken) {
  std::vector<std::string> given;
  for (const Register& r : registers) given.push_back(free_name(r.name, taken));  // before unnamed ones take them
  std::size_t next = 0;
  for (std::size_t i = 0; i < registers.size(); ++i) {
    const Register& r = registers[i];
    if (r.offset < next) throw CircuitError("register '" + r.name + "' shares wires with another one and cannot be written");
    if (r.offset > next) stretches_.push_back({free_name(std::string(default_name), taken), next, r.offset - next, true});
    stretches_.push_back({given[i], r.offset, r.size, false});
    next = r.offset + r.size;
  }
  if (count > next) stretches_.push_back({free_name(std::string(default_name), taken), next, count - next, true});
}

const WireNames::Stretch& WireNames::stretch_of(std::uint32_t wire) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), std::size_t{wire},
                                      [](std::size_t w, const Stretch& s) { return w < s.offset + s.size; });
  if (after == stretches_.end()) throw Internal("a wire outside the circuit");
  return *after;
}

std::string WireNames::one(std::uint32_t wire) const {
  const Stretch& s = stretch_of(wire);
  return s.name + "[" + std::to_string(wire - s.offset) + "]";
}

const WireNames::Stretch* WireNames::whole(std::span<const std::uint32_t> wires) const {
  if (wires.empty()) return nullptr;
  const Stretch& s = stretch_of(wires[0]);
  if (s.size != wires.size()) return nullptr;
  for (std::size_t i = 0; i < wires.size(); ++i) {
    if (wires[i] != s.offset + i) return nullptr;
  }
  return &s;
}

std::vector<std::string> WireNames::parts(std::span<const std::uint32_t> wires) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < wires.size();) {
    const Stretch& s = stretch_of(wires[i]);
    std::size_t end = i + 1;
    bool ascending = true;
    for (; end < wires.size() && &stretch_of(wires[end]) == &s; ++end) ascending = ascending && wires[end] == wires[end - 1] + 1;
    const std::span<const std::uint32_t> part = wires.subspan(i, end - i);
    if (whole(part) != nullptr) {
      out.push_back(s.name);
    } else if (ascending) {
      out.push_back(s.name + "[" + std::to_string(part.front() - s.offset) + ":" + std::to_string(part.back() - s.offset) + "]");
    } else {
      std::string set = s.name + "[{";
      for (std::size_t k = 0; k < part.size(); ++k) set += (k > 0 ? ", " : "") + std::to_string(part[k] - s.offset);
      out.push_back(set + "}]");
    }
    i = end;
  }
  return out;
}

}  // namespace ketmesh::qasm
