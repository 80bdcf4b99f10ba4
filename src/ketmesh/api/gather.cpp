#include "ketmesh/api/gather.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"

namespace ketmesh::api {
namespace {

/// What lies on the host at once on its way.
constexpr Index kAtOnce = Index{1} << 20;

Device find(const ShardedState& state, std::string_view wanted) {
  std::string there;
  for (const Device& device : state.context().mesh().devices) {
    if (device.id() == wanted) return device;
    there += device.id() + ", ";
  }
  Device host = cpu_mesh_of_rank(state.context().collective()).devices.front();
  if (host.id() == wanted) return host;
  throw OptionError("gather: device \"" + std::string(wanted) + "\": this rank has " + there + host.id());
}

template <typename T>
void copy(const ShardedState& from, ShardedState& to) {
  const Index size = Index{1} << from.num_qubits();
  std::vector<T> values(std::min(size, kAtOnce));
  for (Index begin = 0; begin < size; begin += static_cast<Index>(values.size())) {
    from.to_host<T>(begin, begin + static_cast<Index>(values.size()), std::span<T>(values));
    to.from_host<T>(begin, std::span<const T>(values));
  }
}

}  // namespace

std::vector<cdouble> on_host(const ShardedState& state, Index begin, Index end,
                             const std::function<void(std::uint64_t, std::uint64_t, const char*)>& progress) {
  std::vector<cdouble> out(end - begin);
  for (Index at = begin; at < end;) {
    const Index next = std::min(end, (at / kAtOnce + 1) * kAtOnce);
    state.to_host<cdouble>(at, next, std::span(out).subspan(at - begin, next - at));
    at = next;
    if (progress) progress(at - begin, end - begin, "export");
  }
  return out;
}

ShardView gather(const ShardedState& state, std::string_view device) {
  const Device target = find(state, device);
  const int n = state.num_qubits();
  const std::uint64_t bytes = bytes_per_amplitude(state.precision()) << n;
  if (bytes > target.memory_bytes)
    throw DoesNotFit("gather: " + std::to_string(n) + " qubits need " + std::to_string(bytes) + " bytes on " + target.id() + ", " +
                         std::to_string(target.memory_bytes) + " are there",
                     bytes, target.memory_bytes, "read ranges (to_host), views of the shards, or write a file");
  auto context = std::make_shared<const DistributedExecutionContext>(DeviceMesh{{target}, 0});
  Placement whole;
  whole.num_qubits = n;
  whole.owners = {{0, 0}};
  StateOptions options;
  options.level = state.options().level;
  ShardedState gathered(std::move(context), whole, state.precision(), options);
  if (state.precision() == Precision::single)
    copy<cfloat>(state, gathered);
  else
    copy<cdouble>(state, gathered);
  ShardView view = gathered.local_shards().front();
  view.rank = state.context().rank();
  return view;
}

}  // namespace ketmesh::api
