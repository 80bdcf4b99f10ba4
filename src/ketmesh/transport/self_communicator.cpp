// The communicator of one rank: every result is what the rank brought.
#include <algorithm>

#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/collective.hpp"

namespace ketmesh {
namespace {

class SelfCommunicator final : public CollectiveCommunicator {
 public:
  int rank() const noexcept override { return 0; }
  int world() const noexcept override { return 1; }
  void barrier() override {}
  void broadcast(std::span<std::byte>, int root) override {
    if (root != 0) throw TransportError("broadcast from rank " + std::to_string(root) + ": the only rank is 0");
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    if (all.size() != mine.size())
      throw TransportError("all_gather of " + std::to_string(mine.size()) + " bytes into " + std::to_string(all.size()) +
                           ": one rank needs as many");
    std::copy(mine.begin(), mine.end(), all.begin());
  }
  void sum(std::span<double>) override {}
  void min(std::span<std::int64_t>) override {}
  void max(std::span<std::int64_t>) override {}
  std::string name() const override { return "self"; }
};

}  // namespace

std::shared_ptr<CollectiveCommunicator> self_communicator() { return std::make_shared<SelfCommunicator>(); }

}  // namespace ketmesh
