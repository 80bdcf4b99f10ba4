// Numbers and names that every room uses.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ketmesh {

using Index = std::uint64_t;  ///< amplitude index or a mask over its bits, 64 bits everywhere
using Qubit = std::uint32_t;  ///< logical wire, 0-based
using Clbit = std::uint32_t;  ///< classical bit, 0-based
using cfloat = std::complex<float>;
using cdouble = std::complex<double>;

/// Precision of amplitudes: complex64 (8 bytes) or complex128 (16 bytes).
enum class Precision : std::uint8_t { single, double_ };

constexpr std::size_t bytes_per_amplitude(Precision p) { return p == Precision::single ? 8 : 16; }
constexpr std::string_view to_string(Precision p) { return p == Precision::single ? "single" : "double"; }

inline constexpr int kMaxQubits = 62;        ///< qubits of one state
inline constexpr int kMaxDenseTargets = 12;  ///< targets of a dense unitary; up to 6 run as one kernel
inline constexpr std::size_t kMaxDeclaredQubits = 1'000'000;

constexpr std::size_t operator""_KiB(unsigned long long n) { return n << 10; }
constexpr std::size_t operator""_MiB(unsigned long long n) { return n << 20; }
constexpr std::size_t operator""_GiB(unsigned long long n) { return n << 30; }

}  // namespace ketmesh
