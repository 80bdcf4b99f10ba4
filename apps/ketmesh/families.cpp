#include "families.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "ketmesh/base/error.hpp"
#include "python_random.hpp"

namespace ketmesh::app {
namespace {

constexpr double kPi = std::numbers::pi;
using Gates = std::vector<FamilyGate>;

class Builder {
 public:
  void one(Gate gate, int q, std::vector<double> angles = {}) { gates.push_back({gate, {static_cast<Qubit>(q)}, std::move(angles)}); }
  void two(Gate gate, int a, int b, std::vector<double> angles = {}) {
    gates.push_back({gate, {static_cast<Qubit>(a), static_cast<Qubit>(b)}, std::move(angles)});
  }
  void bond(int a, int b, double angle) {  // exp(-i angle ZZ / 2)
    two(Gate::cx, a, b);
    one(Gate::rz, b, {angle});
    two(Gate::cx, a, b);
  }
  Gates gates;
};

Gates qft(int n) {
  Builder b;
  for (int i = n - 1; i >= 0; --i) {
    b.one(Gate::h, i);
    for (int j = i - 1; j >= 0; --j) b.two(Gate::cp, j, i, {kPi / std::ldexp(1.0, i - j)});
  }
  return b.gates;
}

Gates ghz(int n) {
  Builder b;
  b.one(Gate::h, 0);
  for (int i = 0; i < n - 1; ++i) b.two(Gate::cx, i, i + 1);
  return b.gates;
}

Gates hea(int n) {
  Builder b;
  PythonRandom r(1);
  for (int layer = 0; layer < 10; ++layer) {
    for (int q = 0; q < n; ++q) b.one(Gate::ry, q, {r.uniform(-3, 3)});
    for (int q = 0; q < n - 1; ++q) b.two(Gate::cx, q, q + 1);
  }
  return b.gates;
}

Gates ising(int n) {
  Builder b;
  for (int step = 0; step < 10; ++step) {
    for (int a = 0; a < n - 1; ++a) b.bond(a, a + 1, 0.1);
    for (int q = 0; q < n; ++q) b.one(Gate::rx, q, {0.2});
  }
  return b.gates;
}

// Brickwork Trotter steps of XX + YY + ZZ.
Gates heisenberg(int n) {
  Builder b;
  for (int q = 0; q < n; q += 2) b.one(Gate::h, q);
  for (int step = 0; step < 10; ++step)
    for (int start = 0; start < 2; ++start)
      for (int a = start; a < n - 1; a += 2)
        for (const Gate g : {Gate::rxx, Gate::ryy, Gate::rzz}) b.two(g, a, a + 1, {0.1});
  return b.gates;
}

// MaxCut on a random 3-regular graph.
Gates qaoa(int n) {
  if (n < 4 || n % 2 != 0)
    throw OptionError("qaoa needs an even number of qubits, at least 4 (a 3-regular graph), not " + std::to_string(n));
  PythonRandom r(1);
  std::set<std::pair<int, int>> edges;
  for (;;) {
    std::vector<int> ends;
    for (int i = 0; i < n; ++i) ends.insert(ends.end(), 3, i);
    r.shuffle(ends);
    edges.clear();
    bool loop = false;
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      edges.emplace(std::min(ends[i], ends[i + 1]), std::max(ends[i], ends[i + 1]));
      loop = loop || ends[i] == ends[i + 1];
    }
    if (!loop && edges.size() == static_cast<std::size_t>(3 * n / 2)) break;
  }
  Builder b;
  for (int q = 0; q < n; ++q) b.one(Gate::h, q);
  for (int k = 0; k < 4; ++k) {
    for (const auto& [a, c] : edges) b.bond(a, c, 0.3 + 0.1 * k);
    for (int q = 0; q < n; ++q) b.one(Gate::rx, q, {0.5 - 0.1 * k});
  }
  return b.gates;
}

// Grid random circuit: h, then layers of cz patterns and random sqrt(X), sqrt(Y), T.
Gates rqc(int n) {
  PythonRandom r(1);
  const int width = static_cast<int>(std::sqrt(n));
  const int rows = (n + width - 1) / width;
  Builder b;
  for (int q = 0; q < n; ++q) b.one(Gate::h, q);
  std::vector<int> last(static_cast<std::size_t>(n), -1);
  for (int depth = 0; depth < 20; ++depth) {
    const int pattern = depth % 8;
    std::vector<bool> used(static_cast<std::size_t>(n), false);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < width; ++x) {
        const bool across = pattern < 4;
        const int y2 = across ? y : y + 1, x2 = across ? x + 1 : x;
        const bool on = across ? (x + 2 * y) % 4 == pattern : (y + 2 * x) % 4 == pattern - 4;
        const int p = y * width + x, q = y2 * width + x2;
        if (on && p < n && x2 < width && y2 < rows && q < n) {
          b.two(Gate::cz, p, q);
          used[static_cast<std::size_t>(p)] = used[static_cast<std::size_t>(q)] = true;
        }
      }
    constexpr std::array<Gate, 3> kGates = {Gate::sx, Gate::sy, Gate::t};
    for (int q = 0; q < n; ++q) {
      const auto at = static_cast<std::size_t>(q);
      if (used[at]) continue;
      std::vector<int> others;
      for (int g = 0; g < 3; ++g)
        if (g != last[at]) others.push_back(g);
      last[at] = r.choice(others);
      b.one(kGates[static_cast<std::size_t>(last[at])], q);
    }
  }
  return b.gates;
}

// Quantum volume: layers of general two-qubit blocks (KAK form) on random pairs.
Gates qv(int n) {
  PythonRandom r(1);
  Builder b;
  const auto u3 = [&](int q) {
    std::vector<double> angles;
    angles.reserve(3);
    for (int i = 0; i < 3; ++i) angles.push_back(r.uniform(0, 2 * kPi));
    b.one(Gate::u3, q, angles);
  };
  for (int layer = 0; layer < n; ++layer) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    r.shuffle(order);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
      u3(order[i]);
      u3(order[i + 1]);
      for (const Gate g : {Gate::rxx, Gate::ryy, Gate::rzz}) b.two(g, order[i], order[i + 1], {r.uniform(0, kPi)});
      u3(order[i]);
      u3(order[i + 1]);
    }
  }
  return b.gates;
}

struct Family {
  std::string_view name;
  Gates (*make)(int);
};
constexpr std::array<Family, 8> kFamilies = {
    {{"qft", qft}, {"rqc", rqc}, {"qv", qv}, {"qaoa", qaoa}, {"ising", ising}, {"hea", hea}, {"heisenberg", heisenberg}, {"ghz", ghz}}};

/// A number as Python's repr() spells it.
std::string repr(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  std::string text(buffer.data(), result.ptr);
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < -4 || exponent >= 16) return text;
  const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  text.assign(buffer.data(), fixed.ptr);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

using Matrix4 = std::array<cdouble, 16>;

cdouble times(cdouble a, cdouble b) { return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()}; }

Matrix4 product(const Matrix4& a, const Matrix4& b) {
  Matrix4 c;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      cdouble sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += times(a[4 * i + k], b[4 * k + j]);
      c[4 * i + j] = sum;
    }
  return c;
}

/// 4 x 4 matrix of a gate of a quantum-volume block on the pair whose first qubit is the low bit.
Matrix4 block(const FamilyGate& g, Qubit first) {
  Matrix4 m{};
  if (g.gate == Gate::u3) {
    const double c = std::cos(g.angles[0] / 2), s = std::sin(g.angles[0] / 2), p = g.angles[1], l = g.angles[2];
    const std::array<cdouble, 4> u = {c, cdouble(-std::cos(l) * s, -std::sin(l) * s), cdouble(std::cos(p) * s, std::sin(p) * s),
                                      cdouble(std::cos(p + l) * c, std::sin(p + l) * c)};
    const bool low = g.qubits[0] == first;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        const std::size_t mine = low ? 2 * (i & 1) + (j & 1) : 2 * (i >> 1) + (j >> 1);
        const bool other = low ? (i >> 1) == (j >> 1) : (i & 1) == (j & 1);
        if (other) m[4 * i + j] = u[mine];
      }
    return m;
  }
  const double c = std::cos(g.angles[0] / 2), s = -std::sin(g.angles[0] / 2);
  for (std::size_t i = 0; i < 4; ++i) {
    const double outer = i == 0 || i == 3 ? 1.0 : -1.0;  // of |00> and |11> against |01> and |10>
    if (g.gate == Gate::rzz) {
      m[4 * i + i] = {c, outer * s};
    } else {
      m[4 * i + i] = c;
      m[4 * i + 3 - i] = {0.0, (g.gate == Gate::ryy ? -outer : 1.0) * s};
    }
  }
  return m;
}

void write_qv(std::string& out, const Gates& gates) {
  constexpr std::size_t kBlock = 7;
  for (std::size_t i = 0; i < gates.size(); i += kBlock) {
    const Qubit a = gates[i].qubits[0], b = gates[i + 1].qubits[0];
    Matrix4 m{};
    for (std::size_t k = 0; k < 4; ++k) m[5 * k] = 1;
    for (std::size_t k = i; k < i + kBlock; ++k) m = product(block(gates[k], a), m);
    out += "u4 " + std::to_string(a) + " " + std::to_string(b);
    for (const cdouble v : m) out += " " + repr(v.real()) + " " + repr(v.imag());
    out += "\n";
  }
}

}  // namespace

std::vector<std::string_view> family_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kFamilies));
  for (const auto& f : kFamilies) names.push_back(f.name);
  return names;
}

std::vector<FamilyGate> family(std::string_view name, int num_qubits) {
  if (num_qubits < 1 || num_qubits > 10000) throw OptionError("n = " + std::to_string(num_qubits) + ": must be an integer from 1 to 10000");
  std::string names;
  for (const auto& f : kFamilies) {
    if (f.name == name) return f.make(num_qubits);
    names += (names.empty() ? "" : ", ") + std::string(f.name);
  }
  throw OptionError("unknown family \"" + std::string(name) + "\": must be one of " + names);
}

Circuit family_circuit(std::string_view name, int num_qubits) {
  Circuit circuit(static_cast<std::size_t>(num_qubits));
  for (const FamilyGate& g : family(name, num_qubits)) {
    const std::vector<Parameter> parameters(g.angles.begin(), g.angles.end());
    circuit.append(g.gate, g.qubits, parameters);
  }
  return circuit;
}

std::string family_flat(std::string_view name, int num_qubits) {
  const Gates gates = family(name, num_qubits);
  std::string out = std::to_string(num_qubits) + "\n";
  if (!gates.empty() && gates[0].gate == Gate::u3) {
    write_qv(out, gates);
    return out;
  }
  for (const FamilyGate& g : gates) {
    out += to_string(g.gate);
    for (const Qubit q : g.qubits) out += " " + std::to_string(q);
    for (const double v : g.angles) out += " " + repr(v);
    out += "\n";
  }
  return out;
}

}  // namespace ketmesh::app
