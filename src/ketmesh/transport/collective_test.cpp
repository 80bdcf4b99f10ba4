#include "ketmesh/transport/collective.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/agreement.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh {
namespace {

using Ranks = std::shared_ptr<CollectiveCommunicator>;

TEST(Collectives, OneRankGetsBackWhatItBrought) {
  const auto self = self_communicator();
  EXPECT_EQ(self->rank(), 0);
  EXPECT_EQ(self->world(), 1);
  EXPECT_EQ(self->name(), "self");
  EXPECT_EQ(self->local_rank(), 0);
  self->barrier();
  std::vector<double> values = {1.5, -2};
  self->sum(values);
  EXPECT_EQ(values, (std::vector<double>{1.5, -2}));
  std::vector<std::byte> mine(3, std::byte{7}), all(3);
  self->all_gather(mine, all);
  EXPECT_EQ(all, mine);
  all.resize(6);
  EXPECT_THROW(self->all_gather(mine, all), TransportError);
  self->broadcast(mine, 0);
  EXPECT_THROW(self->broadcast(mine, 1), TransportError);
}

TEST(Collectives, AnyNumberOfRanks) {
  for (int world = 1; world <= 9; ++world)
    run_ranks(world, [world](const Ranks& ranks) {
      const int me = ranks->rank();
      EXPECT_EQ(ranks->world(), world);
      EXPECT_EQ(ranks->local_rank(), me);
      EXPECT_EQ(ranks->hosts(), std::vector<int>(static_cast<std::size_t>(world), 0));
      for (const std::size_t length : {0U, 1U, 5U, 1000U}) {
        std::vector<int> mine(length), all(length * static_cast<std::size_t>(world));
        std::iota(mine.begin(), mine.end(), 10'000 * me);
        ranks->all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
        for (std::size_t i = 0; i < all.size(); ++i)
          ASSERT_EQ(all[i], 10'000 * static_cast<int>(i / length) + static_cast<int>(i % length));
        for (int root = 0; root < world; ++root) {
          std::vector<int> data(length, me == root ? 77 + root : -1);
          ranks->broadcast(std::as_writable_bytes(std::span(data)), root);
          ASSERT_EQ(data, std::vector<int>(length, 77 + root));
        }
      }
      std::vector<std::int64_t> low{me, -me, 5}, high = low;
      ranks->min(low);
      ranks->max(high);
      EXPECT_EQ(low, (std::vector<std::int64_t>{0, 1 - world, 5}));
      EXPECT_EQ(high, (std::vector<std::int64_t>{world - 1, 0, 5}));
      ranks->barrier();
    });
}

TEST(Collectives, EachToEach) {
  for (int world = 1; world <= 6; ++world)
    run_ranks(world, [world](const Ranks& ranks) {
      const int me = ranks->rank();
      // Rank a has 3 a + b numbers for rank b, which may be none.
      const auto length = [](int from, int to) { return static_cast<std::size_t>(3 * from + to); };
      std::vector<std::vector<int>> to, from;
      std::vector<std::span<const std::byte>> out;
      std::vector<std::span<std::byte>> in;
      for (int r = 0; r < world; ++r) {
        to.emplace_back(length(me, r), 100 * me + r);
        from.emplace_back(length(r, me), -1);
      }
      for (std::size_t r = 0; r < to.size(); ++r) {
        out.push_back(std::as_bytes(std::span(to[r])));
        in.push_back(std::as_writable_bytes(std::span(from[r])));
      }
      ranks->all_to_all(out, in);
      for (int r = 0; r < world; ++r)
        EXPECT_EQ(from[static_cast<std::size_t>(r)], std::vector<int>(length(r, me), r == me ? -1 : 100 * r + me));
      EXPECT_THROW(ranks->all_to_all({}, {}), TransportError);
      EXPECT_THROW(ranks->swap(me, {}, {}), TransportError);
      EXPECT_THROW(ranks->swap(world, {}, {}), TransportError);
      if (world % 2 != 0) return;
      int mine = me, theirs = -1;
      ranks->swap(me ^ 1, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&theirs, 1)));
      EXPECT_EQ(theirs, me ^ 1);
    });
}

/// In rank order on every rank, small and by segments: bit for bit what one loop gives.
TEST(Collectives, SumsAreTheSameBitsEverywhere) {
  for (const int world : {2, 3, 5, 8})
    for (const std::size_t length : {3U, 1024U, 1025U, 5000U}) {
      const auto value = [](int rank, std::size_t i) {
        return 1.0 / (3.0 + static_cast<double>(i) + 1000.0 * rank) * (rank % 2 == 0 ? 1 : -1e8);
      };
      run_ranks(world, [&](const Ranks& ranks) {
        std::vector<double> values(length);
        for (std::size_t i = 0; i < length; ++i) values[i] = value(ranks->rank(), i);
        ranks->sum(values);
        for (std::size_t i = 0; i < length; ++i) {
          double want = value(0, i);
          for (int r = 1; r < world; ++r) want += value(r, i);
          ASSERT_EQ(values[i], want) << i;
        }
      });
    }
}

TEST(Collectives, MessagesOfTheExchange) {
  run_ranks(3, [](const Ranks& ranks) {
    const int me = ranks->rank(), next = (me + 1) % 3, before = (me + 2) % 3;
    std::vector<int> out(1000, me), in(1000);
    const auto receiving = ranks->receive(before, std::as_writable_bytes(std::span(in)));
    const auto sending = ranks->send(next, std::as_bytes(std::span(out)));
    ranks->barrier();  // another channel: neither is in the other's way
    ranks->wait(receiving, before);
    ranks->wait(sending, next);
    EXPECT_EQ(in, std::vector<int>(1000, before));
    const auto never = ranks->receive(next, std::as_writable_bytes(std::span(in)));
    ranks->cancel(never);
    EXPECT_THROW(ranks->send(3, {}), TransportError);
    EXPECT_THROW(ranks->receive(-2, {}), TransportError);
  });
}

std::string message_of(const std::exception_ptr& outcome) {
  try {
    if (outcome) std::rethrow_exception(outcome);
  } catch (const TransportError& error) {
    return error.what();
  }
  return "";
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Failure, APostedErrorReachesAllWithinASecond) {
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = outcomes_of_ranks(4, [](const Ranks& ranks) {
    ranks->set_step("step seven");
    if (ranks->rank() == 2) {
      ranks->post_error({.message = "no memory for the shard"});
      EXPECT_TRUE(ranks->broken());
      ranks->barrier();
    }
    ranks->barrier();
  });
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(message_of(outcomes[r]), "rank 2 failed: no memory for the shard") << r;
  EXPECT_LT(since(start), 5);
}

TEST(Failure, WhoeverIsGoneIsNamedAfterTheTimeout) {
  const auto outcomes = outcomes_of_ranks(
      3,
      [](const Ranks& ranks) {
        ranks->set_step("exchange 4");
        if (ranks->rank() == 1) return;
        std::byte in{};
        ranks->wait(ranks->receive(1, std::span(&in, 1)), 1);
      },
      0.2);
  EXPECT_FALSE(outcomes[1]);
  for (const std::size_t r : {0U, 2U})
    EXPECT_EQ(message_of(outcomes[r]),
              "rank " + std::to_string(r) + " waited 0.2 s for rank 1 in exchange 4: that rank is gone or does something else");
}

TEST(Failure, AMessageOfAnotherLengthIsAnError) {
  const auto outcomes = outcomes_of_ranks(2, [](const Ranks& ranks) {
    std::vector<std::byte> data(ranks->rank() == 0 ? 8 : 16);
    const auto request = ranks->rank() == 0 ? ranks->send(1, data) : ranks->receive(0, data);
    ranks->wait(request, 1 - ranks->rank());
  });
  for (const auto& outcome : outcomes)
    EXPECT_NE(message_of(outcome).find("a message of 8 bytes from rank 0 came to rank 1, which expected 16"), std::string::npos);
}

TEST(Failure, OptionsAreChecked) {
  EXPECT_THROW(threads_world(0), OptionError);
  EXPECT_THROW(CollectiveCommunicator(threads_world(1)[0], 0), OptionError);
  EXPECT_THROW(CollectiveCommunicator(nullptr), OptionError);
  EXPECT_THROW(CollectiveCommunicator().set_timeout(-1), OptionError);
}

// ---- collective calls

void call_together(const Ranks& ranks, std::string_view call, std::uint64_t arguments, const std::function<void()>& body) {
  transport::collectively(*ranks, call, arguments, body);
}

TEST(Agreement, RanksThatDifferAreNamedOnEveryRank) {
  for (const bool other_call : {false, true}) {
    const auto outcomes = outcomes_of_ranks(3, [&](const Ranks& ranks) {
      const bool odd = ranks->rank() == 1;
      EXPECT_THROW(call_together(ranks, odd && other_call ? "estimate" : "run", odd ? 2 : 1, [] {}), TransportError);
      call_together(ranks, "run", 1, [] {});  // and goes on
      call_together(ranks, odd && other_call ? "estimate" : "run", odd ? 2 : 1, [] {});
    });
    for (const auto& outcome : outcomes)
      EXPECT_EQ(message_of(outcome), other_call ? "rank 1 calls estimate, rank 0 calls run"
                                                : "rank 1 differs from rank 0 in run: another circuit, other parameters or other options");
  }
}

TEST(Agreement, AnErrorOfAllRanksIsThrownAsItIs) {
  run_ranks(3, [](const Ranks& ranks) {
    for (int round = 0; round < 3; ++round) {
      EXPECT_THROW(call_together(ranks, "run", 1, [] { throw ParseError("a.qasm", 3, 4, "what is this"); }), ParseError);
      call_together(ranks, "run", 1, [] {});  // nothing is broken
    }
  });
}

TEST(Agreement, AnErrorOfOneRankIsThrownByAll) {
  for (int bad = 0; bad < 4; ++bad) {
    const auto outcomes = outcomes_of_ranks(4, [bad](const Ranks& ranks) {
      call_together(ranks, "run", 1, [&] {
        ranks->set_step("allocation");
        if (ranks->rank() == bad) throw DoesNotFit("a shard of 8 bytes", 8, 4, "use more ranks");
        // The others are in the middle of an exchange.
        std::byte in{};
        ranks->wait(ranks->receive((ranks->rank() + 1) % 4, std::span(&in, 1)), (ranks->rank() + 1) % 4);
      });
    });
    for (const auto& outcome : outcomes) {
      try {
        if (outcome) std::rethrow_exception(outcome);
        ADD_FAILURE() << "a rank did not fail";
      } catch (const DoesNotFit& error) {
        EXPECT_EQ(error.what(), "rank " + std::to_string(bad) + " failed in run: a shard of 8 bytes");
        EXPECT_EQ(error.needed_bytes(), 8U);
        EXPECT_EQ(error.available_bytes(), 4U);
        EXPECT_EQ(error.hint(), "use more ranks");
      }
    }
  }
}

TEST(Agreement, ARankThatLeavesEndsTheOthers) {
  const auto outcomes = outcomes_of_ranks(
      3,
      [](const Ranks& ranks) {
        call_together(ranks, "run", 1, [&] {
          if (ranks->rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        if (ranks->rank() != 1) call_together(ranks, "run", 2, [] {});
      },
      0.3);
  EXPECT_FALSE(outcomes[1]);
  for (const std::size_t r : {0U, 2U})
    EXPECT_NE(message_of(outcomes[r]).find("in run, agreement"), std::string::npos) << message_of(outcomes[r]);
}

}  // namespace
}  // namespace ketmesh
