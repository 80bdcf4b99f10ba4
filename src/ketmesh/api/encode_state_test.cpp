// One encoded state over shards equals the definitions and goes on as any other state.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ketmesh/base/error.hpp"
#include "ketmesh/encode.hpp"

namespace ketmesh {
namespace {

DistributedState make(int n, int devices, int shards, Precision precision = Precision::double_) {
  SimulatorConfig config{.backend = Backend::distributed_cpu, .precision = precision};
  for (int d = 0; d < devices; ++d) config.distributed.devices.push_back(d);
  config.distributed.shards = shards;
  return DistributedState(n, config);
}

std::vector<double> sample_of(Encoding encoding, int n) {
  std::vector<double> out(static_cast<std::size_t>(vector_len(n, encoding)));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = encoding == Encoding::basis ? 37 : 0.1 + 0.03125 * static_cast<double>((i * 7) % 97);
  return out;
}

TEST(EncodeState, ShardsEqualTheDefinitions) {
  constexpr int kQubits = 7;
  for (const Encoding encoding :
       {Encoding::amplitude, Encoding::angle, Encoding::basis, Encoding::phase, Encoding::iqp, Encoding::iqp_z, Encoding::zz_feature_map}) {
    const auto sample = sample_of(encoding, kQubits);
    std::vector<cdouble> want(1 << kQubits);
    encode(encoding, kQubits, std::vector<cdouble>(sample.begin(), sample.end()), want);
    for (const auto& [devices, shards] : {std::pair{1, 1}, {2, 2}, {3, 4}, {4, 4}, {2, 8}, {8, 8}})
      for (const Precision precision : {Precision::single, Precision::double_}) {
        DistributedState state = make(kQubits, devices, shards, precision);
        state.apply(Circuit(kQubits).h(3).cx(3, 5));  // of which nothing is left
        state.encode(encoding, std::span<const double>(sample));
        const auto got = state.to_host(0, 1 << kQubits);
        const double tolerance = precision == Precision::single ? 1e-6 : 1e-12;
        for (std::size_t i = 0; i < want.size(); ++i)
          ASSERT_LE(std::abs(got[i] - want[i]), tolerance) << to_string(encoding) << ", " << shards << " shards, entry " << i;
        EXPECT_NEAR(state.norm_squared(), 1, 1e-5);
      }
  }
}

TEST(EncodeState, IsAnOrdinaryState) {
  DistributedState state = make(4, 2, 4);
  state.encode(Encoding::basis, std::span<const double>(std::vector<double>{5})).apply(Circuit(4).x(1).cx(0, 3));
  EXPECT_EQ(state.sample(10, 1), (std::map<std::string, std::uint64_t>{{"1111", 10}}));
  state.encode(Encoding::amplitude, std::span<const double>(std::vector<double>{3, 4})).apply(Circuit(4).x(0));
  EXPECT_NEAR(state.amplitudes(std::vector<Index>{0})[0].real(), 0.8, 1e-15);
}

TEST(EncodeState, SourcesAreReadRangeByRange) {
  for (const int shards : {1, 4}) {
    DistributedState state = make(18, 2, shards);
    std::uint64_t values_read = 0;
    state.encode(Encoding::amplitude, [&](Index begin, std::span<cdouble> values) {
      values_read += values.size();
      EXPECT_LE(values.size(), std::size_t{1} << 16);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = cdouble(1e-200, begin + i == 7 ? 1e-200 : 0);
    });
    EXPECT_EQ(values_read, std::uint64_t{2} << 18);
    const auto a = state.amplitudes(std::vector<Index>{7, 8});
    EXPECT_NEAR(a[0].imag() / a[1].real(), 1, 1e-12);
    EXPECT_NEAR(state.norm_squared(), 1, 1e-12);
  }
}

std::string refusal(DistributedState& state, Encoding encoding, const std::vector<double>& sample) {
  try {
    state.encode(encoding, std::span<const double>(sample));
  } catch (const OptionError& e) {
    return e.what();
  }
  return "nothing";
}

TEST(EncodeState, Refusals) {
  DistributedState state = make(3, 2, 2);
  std::vector<double> bad(8, 1.0);
  bad[6] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(state, Encoding::amplitude, bad).find("entry 6 is NaN: values must be finite"), std::string::npos);
  EXPECT_NE(refusal(state, Encoding::amplitude, std::vector<double>(8)).find("zero norm"), std::string::npos);
  EXPECT_NE(refusal(state, Encoding::amplitude, std::vector<double>(9, 1)).find("exceeds state vector size 8"), std::string::npos);
  EXPECT_NE(refusal(state, Encoding::amplitude, {}).find("cannot be empty"), std::string::npos);
  EXPECT_NE(refusal(state, Encoding::iqp, {1, 2, 3}).find("expects 6 values"), std::string::npos);
  EXPECT_NE(refusal(state, Encoding::basis, {8}).find("out of range"), std::string::npos);
  EXPECT_THROW(state.encode(Encoding::angle, [](Index, std::span<cdouble>) {}), OptionError);
  EXPECT_THROW(state.encode(Encoding::amplitude, [](Index, std::span<cdouble>) { throw CircuitError("gone"); }), CircuitError);
  EXPECT_NEAR(state.amplitudes(std::vector<Index>{0})[0].real(), 1, 1e-15);  // as it was
}

}  // namespace
}  // namespace ketmesh
