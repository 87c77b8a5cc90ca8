// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "machine.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

// ---- memory

memory_block::memory_block(std::uint64_t bytes) : size_(static_cast<std::size_t>(bytes)) {
  // From calloc, which gets large blocks from the system without touching them.
  constexpr std::size_t alignment = 64;
  owned_.reset(std::calloc(size_ + alignment, 1));
  if (owned_ == nullptr) return;
  void* aligned = owned_.get();
  std::size_t room = size_ + alignment;
  data_ = static_cast<std::byte*>(std::align(alignment, size_, aligned, room));
}
void memory_block::release::operator()(void* p) const noexcept { std::free(p); }

// ---- ranks of one process

/// Messages are counted, and bytes copied.
class machine::post final : public transport {
 public:
  explicit post(machine& m) : counts_(m.world_->channels().size()), arrived_(m.plans_.size()) {
    for (const rank_memory& r : m.ranks_) storages_.push_back(r.storages);
  }

  void start() noexcept {
    std::fill(counts_.begin(), counts_.end(), 0);
    std::fill(arrived_.begin(), arrived_.end(), 0);
  }
  [[nodiscard]] std::uint64_t left(std::size_t channel) const { return counts_[channel]; }

  void put(std::uint32_t to, std::uint32_t storage, std::uint64_t offset, const std::byte* from,
           std::size_t bytes) override {
    std::memcpy(storages_[to][storage] + offset, from, bytes);
  }
  void signal(std::uint32_t channel) override { ++counts_[channel]; }
  [[nodiscard]] bool take(std::span<const std::uint32_t> channels) override {
    for (const std::uint32_t c : channels)
      if (counts_[c] == 0) return false;
    for (const std::uint32_t c : channels) --counts_[c];
    return true;
  }
  [[nodiscard]] bool sync(std::uint32_t rank, std::uint64_t count) override {
    arrived_[rank] = count;
    return std::all_of(arrived_.begin(), arrived_.end(),
                       [count](std::uint64_t c) { return c >= count; });
  }

 private:
  std::vector<std::vector<std::byte*>> storages_;
  std::vector<std::uint64_t> counts_, arrived_;
};

namespace {

[[nodiscard]] std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

}  // namespace

machine::machine(const model::world& w, const machine_options& how) : world_(&w) {
  plans_.resize(w.size());
  std::uint64_t scratch = 0;
  bool multiplies = false;
  for (std::size_t r = 0; r < w.size(); ++r) {
    made_ = make_plan(w, r, plans_[r]);
    if (!made_) return;
    steps_ = plus(steps_, plans_[r].cost);
    scratch = std::max(scratch, plans_[r].scratch);
    multiplies = multiplies || plans_[r].multiplies;
    const model::program& p = w.rank(r);
    for (std::uint32_t b = 0; b < p.graph().buffers.size(); ++b)
      if (p.storage(b) == b && is_local(p.graph(), p.graph().buffers[b]))
        memory_ = plus(memory_, plus(p.bytes(b), 64));
  }
  memory_ = plus(memory_, scratch);
  if (multiplies) memory_ = plus(memory_, kernels::matmul_workspace::bytes);
  if (memory_ > how.max_memory ||
      memory_ > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    made_.code = errc::budget_memory;
    return;
  }
  bool enough = true;
  ranks_.resize(w.size());
  scratch_ = memory_block(scratch);
  enough = scratch_.data() != nullptr;
  if (multiplies) room_ = std::make_unique<kernels::matmul_workspace>();
  for (std::size_t r = 0; r < w.size(); ++r) {
    const model::program& p = w.rank(r);
    rank_memory& m = ranks_[r];
    m.blocks.resize(p.graph().buffers.size());
    m.storages.resize(p.graph().buffers.size());
    for (std::uint32_t b = 0; b < m.blocks.size(); ++b) {
      if (p.storage(b) != b || !is_local(p.graph(), p.graph().buffers[b])) continue;
      m.blocks[b] = memory_block(p.bytes(b));
      m.storages[b] = m.blocks[b].data();
      enough = enough && m.storages[b] != nullptr;
    }
    plans_[r].place_at(m.storages, scratch_.data());
    runners_.emplace_back(plans_[r], static_cast<std::uint32_t>(r), how.fast, room_.get());
  }
  if (!enough) made_.code = errc::budget_memory;
  post_ = std::make_unique<post>(*this);
}
machine::machine(machine&&) noexcept = default;
machine& machine::operator=(machine&&) noexcept = default;
machine::~machine() = default;

// ---- tensors from outside

std::span<std::byte> machine::memory(std::size_t rank, std::uint32_t buffer) noexcept {
  if (!made_ || rank >= ranks_.size() || buffer >= ranks_[rank].blocks.size()) return {};
  const memory_block& b = ranks_[rank].blocks[world_->rank(rank).storage(buffer)];
  return {b.data(), b.size()};
}

bool machine::find(std::size_t rank, std::uint32_t tensor, std::size_t bytes, patch& out) const {
  if (!made_ || rank >= ranks_.size() || tensor >= world_->rank(rank).graph().tensors.size())
    return false;
  out = patch_of(world_->rank(rank), tensor);
  if (ranks_[rank].storages[out.start.storage] == nullptr) return false;
  out.start.data = ranks_[rank].storages[out.start.storage] + out.start.offset;
  return out.count() * out.element == bytes;
}

bool machine::write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense) {
  patch to;
  if (!find(rank, tensor, dense.size(), to)) return false;
  if constexpr (std::endian::native == std::endian::big) {
    std::vector<std::byte> turned(dense.begin(), dense.end());
    for (std::size_t i = 0; i < turned.size(); i += to.element)
      std::reverse(turned.data() + i, turned.data() + i + to.element);
    scatter(turned.data(), to);
  } else {
    scatter(dense.data(), to);
  }
  return true;
}

bool machine::read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const {
  patch from;
  if (!find(rank, tensor, dense.size(), from)) return false;
  gather(from, dense.data());
  if constexpr (std::endian::native == std::endian::big)
    for (std::size_t i = 0; i < dense.size(); i += from.element)
      std::reverse(dense.data() + i, dense.data() + i + from.element);
  return true;
}

void machine::reset() noexcept {
  for (const rank_memory& r : ranks_)
    for (const memory_block& b : r.blocks)
      if (b.size() != 0) std::memset(b.data(), 0, b.size());
}

// ---- running

namespace {

[[nodiscard]] std::string describe(const model::channel& c) {
  return "from rank " + std::to_string(c.source) + " to rank " + std::to_string(c.destination) +
         " with tag " + std::to_string(c.tag);
}

}  // namespace

outcome machine::run_watched(std::uint64_t max_steps, const observer& watch) {
  if (!made_) return made_;
  if (steps_ > max_steps) {
    outcome refused;
    refused.code = errc::budget_steps;
    return refused;
  }
  post_->start();
  for (runner& r : runners_) r.start();
  outcome done;
  std::size_t finished = 0;
  std::vector<bool> ended(runners_.size());
  for (bool moves = true; moves && done && finished < runners_.size();) {
    moves = false;
    for (std::size_t r = 0; done && r < runners_.size(); ++r) {
      if (ended[r]) continue;
      const std::size_t before = runners_[r].progress();
      const state s = runners_[r].advance(*post_, watch);
      moves = moves || s == state::finished || runners_[r].progress() != before;
      if (s == state::finished) ended[r] = true, ++finished;
      if (s == state::trapped) done = runners_[r].done();
    }
  }
  done.steps = 0;
  for (const runner& r : runners_) done.steps += r.done().steps;
  if (!done) return done;
  if (finished < runners_.size()) {
    done.code = errc::ark_m08_deadlock;
    for (std::size_t r = 0; r < runners_.size(); ++r) {
      if (ended[r]) continue;
      const step& s = runners_[r].waiting_step();
      if (done.text.empty()) {
        done.rank = static_cast<std::uint32_t>(r);
        done.node = s.node;
        done.op = s.op;
      }
      const model::graph& g = world_->rank(r).graph();
      done.text += "rank " + std::to_string(r) + " waits at node " +
                   std::to_string(g.nodes[s.node].id) + " (" +
                   std::string(type_name(g, g.ops[s.op])) + ") for ";
      if (s.kind == step_kind::sync) done.text += "all ranks";
      const char* separator = "a message ";
      for (const std::uint32_t c : runners_[r].waiting_channels()) {
        if (post_->left(c) != 0) continue;
        done.text += separator + describe(world_->channels()[c]);
        separator = ", and one ";
      }
      done.text += '\n';
    }
    return done;
  }
  for (std::size_t c = 0; c < world_->channels().size(); ++c)
    if (post_->left(c) != 0)
      done.text += std::to_string(post_->left(c)) + " messages " + describe(world_->channels()[c]) +
                   " were never received\n";
  return done;
}

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
