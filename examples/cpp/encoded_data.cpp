// Classical data into amplitudes: a batch of states on the host, and one state over shards whose values come range by range.
#include <cmath>
#include <iostream>
#include <ketmesh/encode.hpp>
#include <ketmesh/ketmesh.hpp>

int main() {
  using namespace ketmesh;
  constexpr std::size_t kRows = 3;
  std::vector<double> data(kRows * 1024);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = 1.0 + std::sin(0.01 * static_cast<double>(i));
  std::vector<cfloat> states(kRows * 1024);
  SimulatorConfig config{.backend = Backend::distributed_cpu};
  config.distributed.shards = 4;

  encode_batch(Encoding::amplitude, 10, SampleView::contiguous(data.data(), DataType::float64, kRows, 1024), states);  // [rows][2^10]

  DistributedState state(10, config);
  state.encode(Encoding::amplitude, [&](Index begin, std::span<cdouble> values) {  // only the ranges of this process's shards
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = data[begin + i];
  });
  state.apply(Circuit(10).h(0).cx(0, 9));

  double norm = 0;
  for (const cfloat amplitude : std::span(states).first(1024)) norm += std::norm(amplitude);
  std::cout << "norms " << norm << ' ' << state.norm_squared() << '\n';
  return std::abs(norm - 1) < 1e-4 && std::abs(state.norm_squared() - 1) < 1e-4 ? 0 : 1;
}
