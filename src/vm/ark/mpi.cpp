// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "mpi.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <list>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

mpi_session::mpi_session(int* count, char*** arguments) {
  MPI_Init(count, arguments);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_ = static_cast<std::size_t>(rank);
  size_ = static_cast<std::size_t>(size);
}
mpi_session::~mpi_session() { MPI_Finalize(); }

/// This process's memory, the others' from afar, and messages.
class mpi_machine::window final : public transport {
 public:
  window(const model::world& w, std::size_t rank)
      : world_(w),
        rank_(rank),
        counts_(w.channels().size()),
        arrived_(w.size()),
        sent_(w.size()),
        received_(w.size()) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    for (std::size_t r = 0; r < w.size(); ++r) offsets_.push_back(arena_offsets(w.rank(r)));
    const std::uint64_t size = arena_size(w.rank(rank));
    MPI_Win_allocate(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, comm_, &memory_, &window_);
    std::memset(memory_, 0, static_cast<std::size_t>(size));
    MPI_Win_lock_all(0, window_);
    MPI_Barrier(comm_);
  }
  ~window() override {
    MPI_Barrier(comm_);
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Comm_free(&comm_);
  }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

  void put(std::uint32_t to, std::uint32_t storage, std::uint64_t offset, const std::byte* from,
           std::size_t bytes) override {
    // Counts of MPI are ints.
    constexpr std::size_t max_part = std::size_t{1} << 30;
    for (std::size_t done = 0; done < bytes; done += max_part) {
      const int part = static_cast<int>(std::min(max_part, bytes - done));
      MPI_Put(from + done, part, MPI_BYTE, static_cast<int>(to),
              static_cast<MPI_Aint>(offsets_[to][storage] + offset + done), part, MPI_BYTE,
              window_);
    }
  }
  void flush(std::uint32_t to) override { MPI_Win_flush(static_cast<int>(to), window_); }
  void signal(std::uint32_t channel) override {
    send(world_.channels()[channel].destination, {message::arrival, channel});
  }
  [[nodiscard]] bool take(std::span<const std::uint32_t> channels) override {
    receive();
    for (const std::uint32_t c : channels)
      if (counts_[c] == 0) return false;
    for (const std::uint32_t c : channels) --counts_[c];
    return true;
  }
  [[nodiscard]] bool sync(std::uint32_t rank, std::uint64_t count) override {
    if (arrived_[rank] != count) {
      arrived_[rank] = count;
      tell_all({message::meeting, 0});
    }
    receive();
    return std::all_of(arrived_.begin(), arrived_.end(),
                       [count](std::uint64_t c) { return c >= count; });
  }

  void start() { MPI_Barrier(comm_), MPI_Win_sync(window_); }
  /// This rank trapped: the others need not wait for it.
  void give_up() { tell_all({message::stop, 0}); }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  /// Receives and drops all that was sent. Returns a description of what was never received.
  [[nodiscard]] std::string finish() {
    std::vector<std::uint64_t> expected(sent_.size());
    MPI_Alltoall(sent_.data(), 1, MPI_UINT64_T, expected.data(), 1, MPI_UINT64_T, comm_);
    while (received_ != expected || !pending_.empty()) receive();
    MPI_Win_sync(window_);
    std::string left;
    for (std::size_t c = 0; c < counts_.size(); ++c)
      if (counts_[c] != 0) left += describe_left(world_.channels()[c], counts_[c]);
    for (std::vector<std::uint64_t>* const all : {&counts_, &arrived_, &sent_, &received_})
      std::fill(all->begin(), all->end(), 0);
    stopped_ = false;
    return left;
  }

 private:
  struct message {
    enum kinds : std::uint32_t { arrival, meeting, stop };
    std::uint32_t kind;
    std::uint32_t channel;
  };
  static constexpr int message_size = sizeof(message);
  struct sending {
    message what;
    MPI_Request request;
  };

  void send(std::size_t to, message what) {
    pending_.push_back({what, MPI_REQUEST_NULL});
    MPI_Isend(&pending_.back().what, message_size, MPI_BYTE, static_cast<int>(to), 0, comm_,
              &pending_.back().request);
    ++sent_[to];
  }
  void tell_all(message what) {
    for (std::size_t r = 0; r < world_.size(); ++r)
      if (r != rank_) send(r, what);
  }
  void receive() {
    for (;;) {
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_, &there, &status);
      if (there == 0) break;
      message got{};
      MPI_Recv(&got, message_size, MPI_BYTE, status.MPI_SOURCE, 0, comm_, MPI_STATUS_IGNORE);
      const auto from = static_cast<std::size_t>(status.MPI_SOURCE);
      ++received_[from];
      if (got.kind == message::arrival) ++counts_[got.channel];
      if (got.kind == message::meeting) ++arrived_[from];
      if (got.kind == message::stop) stopped_ = true;
      MPI_Win_sync(window_);
    }
    pending_.remove_if([](sending& s) {
      int done = 0;
      MPI_Test(&s.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  }

  const model::world& world_;
  std::size_t rank_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* memory_ = nullptr;
  std::vector<std::vector<std::uint64_t>> offsets_;  // of each rank's storages
  std::vector<std::uint64_t> counts_;                // messages that are there, by channel
  std::vector<std::uint64_t> arrived_;               // DeviceSyncs that each rank has come to
  std::vector<std::uint64_t> sent_, received_;       // messages to and from each rank
  std::list<sending> pending_;
  bool stopped_ = false;
};

namespace {

/// This process's rank of a world; its size, if there are more or fewer processes.
[[nodiscard]] std::size_t own_rank(const model::world& w) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return static_cast<std::size_t>(size) == w.size() ? static_cast<std::size_t>(rank) : w.size();
}

/// All ranks' outcomes as one: the first that isn't well, all steps, and all texts.
[[nodiscard]] outcome combine(const outcome& mine, MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  const auto count = static_cast<std::size_t>(size);
  const std::array<std::uint64_t, 6> own = {static_cast<std::uint64_t>(mine.code),
                                            mine.rank,
                                            mine.node,
                                            mine.op,
                                            mine.steps,
                                            mine.text.size()};
  std::vector<std::uint64_t> all(own.size() * count);
  MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_UINT64_T, all.data(),
                static_cast<int>(own.size()), MPI_UINT64_T, comm);
  outcome out;
  std::vector<int> sizes, starts;
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint64_t* const one = &all[r * own.size()];
    starts.push_back(std::accumulate(sizes.begin(), sizes.end(), 0));
    sizes.push_back(static_cast<int>(one[5]));
    if (__builtin_add_overflow(out.steps, one[4], &out.steps))
      out.steps = std::numeric_limits<std::uint64_t>::max();
    if (!out || one[0] == 0) continue;
    out.code = static_cast<errc>(one[0]);
    out.rank = static_cast<std::uint32_t>(one[1]);
    out.node = static_cast<std::uint32_t>(one[2]);
    out.op = static_cast<std::uint32_t>(one[3]);
  }
  out.text.resize(static_cast<std::size_t>(starts.back() + sizes.back()));
  MPI_Allgatherv(mine.text.data(), static_cast<int>(mine.text.size()), MPI_CHAR, out.text.data(),
                 sizes.data(), starts.data(), MPI_CHAR, comm);
  return out;
}

}  // namespace

mpi_machine::mpi_machine(const model::world& w, const machine_options& how)
    : mpi_machine(w, how, own_rank(w)) {}
mpi_machine::mpi_machine(const model::world& w, const machine_options& how, std::size_t rank)
    : engine(w, how, rank, std::min(rank + 1, w.size())), rank_(rank) {
  if (rank == w.size()) made_.code = errc::ark_m01_ranks;
  made_ = combine(made_, MPI_COMM_WORLD);
  if (!made_) return;
  window_ = std::make_unique<window>(w, rank_);
  allocate(window_->memory());
  made_ = combine(made_, MPI_COMM_WORLD);
}
mpi_machine::~mpi_machine() = default;

outcome mpi_machine::run(const budget& limit) {
  if (!made_) return made_;
  outcome cost;
  cost.steps = steps();
  if (exceeds(limit)) cost.code = errc::budget_memory;
  outcome all = combine(cost, window_->comm());
  if (outcome refused = check(all.steps, limit.max_steps); !refused) return refused;
  if (!all) {
    all.steps = 0;
    return all;
  }
  window_->start();
  runner& r = runner_of(rank_);
  r.start();
  state s = state::waiting;
  while (s == state::waiting && !window_->stopped()) {
    s = r.advance(*window_, {});
    if (s == state::waiting) std::this_thread::yield();
  }
  if (s == state::trapped) window_->give_up();
  outcome mine = r.done();
  std::string left = window_->finish();
  if (mine && s == state::finished) mine.text = std::move(left);
  outcome done = combine(mine, window_->comm());
  if (!done) done.text.clear();
  return done;
}

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
