// Batches of encoded samples: micro_encode [qubits] [MiB of states]. Seconds (best of five) of each method from double precision, bytes read + written
// a second, and their share of the speed of a parallel memcpy (read + written) in the same run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "best_of.hpp"
#include "ketmesh/encode.hpp"

using namespace ketmesh;

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 10;
  const std::size_t megabytes = argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 512;
  const std::size_t size = std::size_t{1} << n, rows = (megabytes << 20) / (size * sizeof(cfloat));
  std::vector<cfloat> out(rows * size);
  std::vector<double> data(rows * size);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = 0.25 + static_cast<double>(i % 1000);
  const auto bytes = static_cast<std::int64_t>(out.size() * sizeof(cfloat));
  constexpr std::int64_t kPiece = 1 << 16;
  const double copy = best_of(5, [&] {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < bytes; i += kPiece)
      std::memcpy(reinterpret_cast<char*>(out.data()) + i, reinterpret_cast<const char*>(data.data()) + i,
                  static_cast<std::size_t>(std::min(kPiece, bytes - i)));
  });
  const double copy_speed = 2 * static_cast<double>(bytes) / copy;
  std::printf("copy: %.1f GB/s read + written\n", 1e-9 * copy_speed);
  for (const Encoding encoding :
       {Encoding::amplitude, Encoding::angle, Encoding::basis, Encoding::phase, Encoding::iqp, Encoding::iqp_z, Encoding::zz_feature_map}) {
    const auto length = static_cast<std::size_t>(vector_len(n, encoding));
    if (encoding == Encoding::basis)
      for (std::size_t r = 0; r < rows; ++r) data[r] = static_cast<double>(r % size);
    const SampleView samples = SampleView::contiguous(data.data(), DataType::float64, rows, length);
    const double seconds = best_of(5, [&] { encode_batch(encoding, n, samples, std::span(out)); });
    const double speed = static_cast<double>(bytes + static_cast<std::int64_t>(rows * length * sizeof(double))) / seconds;
    std::printf("%-15s n %d, %zu samples: %.4f s, %.2f M samples/s, %.1f GB/s, %.0f %% of copy\n", std::string(to_string(encoding)).c_str(),
                n, rows, seconds, 1e-6 * static_cast<double>(rows) / seconds, 1e-9 * speed, 100 * speed / copy_speed);
  }
  return 0;
}
