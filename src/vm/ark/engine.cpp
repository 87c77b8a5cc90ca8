// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "engine.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <tessera/core/describe.hpp>

#include "vm/meter.hpp"

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
class engine::post final : public transport {
 public:
  explicit post(engine& m) : counts_(m.world_->channels().size()), arrived_(m.compiled_.size()) {
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
  void flush(std::uint32_t) override {}
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

engine::engine(const model::world& w, const machine_options& how, std::size_t first,
               std::size_t last)
    : world_(&w), how_(how), first_(first) {
  compiled_.resize(last - first);
  for (std::size_t r = first; r < last; ++r) {
    compiled_program& p = compiled_[r - first];
    made_ = compile(w, r, p);
    if (!made_) return;
    steps_ = plus(steps_, p.cost);
    scratch_size_ = std::max(scratch_size_, p.scratch);
    multiplies_ = multiplies_ || p.multiplies;
    memory_ = plus(memory_, arena_size(w.rank(r)));
  }
  memory_ = plus(memory_, scratch_size_);
  if (multiplies_) memory_ = plus(memory_, tensors::matmul_workspace::bytes);
  if (memory_ > how.max_memory ||
      memory_ > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    made_.code = errc::budget_memory;
}
engine::engine(const model::world& w, const machine_options& how) : engine(w, how, 0, w.size()) {
  if (made_) allocate();
}

std::vector<std::uint64_t> engine::arena_offsets(const model::program& p) {
  // One after the other, each on a cache line of its own; then the end of the last one.
  std::vector<std::uint64_t> out;
  std::uint64_t end = 0;
  for (std::uint32_t b = 0; b < p.model().buffers.size(); ++b) {
    out.push_back(end);
    if (p.storage(b) == b && is_local(p.model(), p.model().buffers[b]))
      end = plus(end, plus(p.bytes(b), 64)) & ~std::uint64_t{63};
  }
  out.push_back(end);
  return out;
}
std::uint64_t engine::arena_size(const model::program& p) { return arena_offsets(p).back(); }

void engine::allocate(std::byte* arena) {
  scratch_ = memory_block(scratch_size_);
  bool enough = scratch_.data() != nullptr;
  if (multiplies_) room_ = std::make_unique<tensors::matmul_workspace>();
  ranks_.resize(compiled_.size());
  for (std::size_t i = 0; i < compiled_.size(); ++i) {
    const model::program& p = world_->rank(first_ + i);
    const std::vector<std::uint64_t> offsets = arena_offsets(p);
    rank_memory& m = ranks_[i];
    m.blocks.resize(p.model().buffers.size());
    m.storages.resize(p.model().buffers.size());
    for (std::uint32_t b = 0; b < m.blocks.size(); ++b) {
      if (p.storage(b) != b || !is_local(p.model(), p.model().buffers[b])) continue;
      if (arena == nullptr) m.blocks[b] = memory_block(p.bytes(b));
      m.storages[b] = arena == nullptr ? m.blocks[b].data() : arena + offsets[b];
      enough = enough && m.storages[b] != nullptr;
    }
    compiled_[i].place_at(m.storages, scratch_.data());
    runners_.emplace_back(compiled_[i], static_cast<std::uint32_t>(first_ + i), how_.fast,
                          room_.get());
  }
  if (!enough) made_.code = errc::budget_memory;
  post_ = std::make_unique<post>(*this);
}
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;
engine::~engine() = default;

// ---- tensors from outside

std::byte* engine::storage(std::size_t rank, std::uint32_t index) const noexcept {
  if (!made_ || rank < first_ || rank - first_ >= ranks_.size()) return nullptr;
  return ranks_[rank - first_].storages[index];
}

std::span<std::byte> engine::memory(std::size_t rank, std::uint32_t buffer) noexcept {
  if (rank >= world_->size() || buffer >= world_->rank(rank).model().buffers.size()) return {};
  const model::program& p = world_->rank(rank);
  std::byte* const data = storage(rank, p.storage(buffer));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(p.bytes(p.storage(buffer)))};
}

bool engine::find(std::size_t rank, std::uint32_t tensor, std::size_t bytes, patch& out) const {
  if (rank >= world_->size() || tensor >= world_->rank(rank).model().tensors.size()) return false;
  out = patch_of(world_->rank(rank), tensor);
  std::byte* const data = storage(rank, out.start.storage);
  if (data == nullptr) return false;
  out.start.data = data + out.start.offset;
  return out.count() * out.element == bytes;
}

bool engine::write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense) {
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

bool engine::read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const {
  patch from;
  if (!find(rank, tensor, dense.size(), from)) return false;
  gather(from, dense.data());
  if constexpr (std::endian::native == std::endian::big)
    for (std::size_t i = 0; i < dense.size(); i += from.element)
      std::reverse(dense.data() + i, dense.data() + i + from.element);
  return true;
}

void engine::reset() noexcept {
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    for (std::uint32_t b = 0; b < ranks_[i].storages.size(); ++b)
      if (std::byte* const data = ranks_[i].storages[b])
        std::memset(data, 0, static_cast<std::size_t>(world_->rank(first_ + i).bytes(b)));
}

// ---- running

namespace {

[[nodiscard]] std::string describe(const model::channel& c) {
  return "from rank " + std::to_string(c.source) + " to rank " + std::to_string(c.destination) +
         " with tag " + std::to_string(c.tag);
}

}  // namespace

std::string engine::describe_left(const model::channel& c, std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " message " : " messages ") + describe(c) +
         (count == 1 ? " was" : " were") + " never received\n";
}

outcome engine::check(std::uint64_t steps, std::uint64_t max_steps) const {
  outcome out;
  meter whole(max_steps), left(max_steps);
  if (whole.charge(steps)) return out;
  out.code = errc::budget_steps;
  out.text = whole.refusal();
  for (std::size_t r = 0; r < compiled_.size(); ++r)
    for (std::size_t i = 0; i < compiled_[r].steps.size(); ++i) {
      if (left.charge(compiled_[r].costs[i])) continue;
      out.rank = static_cast<std::uint32_t>(first_ + r);
      out.node = compiled_[r].steps[i].node;
      out.op = compiled_[r].steps[i].op;
      return out;
    }
  return out;
}

outcome engine::run(const budget& limit, const observer_ref<event>& see) {
  if (!made_) return made_;
  if (outcome refused = check(steps_, limit.max_steps); !refused) return refused;
  outcome done;
  if (exceeds(limit)) {
    done.code = errc::budget_memory;
    return done;
  }
  post_->start();
  for (runner& r : runners_) r.start();
  std::size_t finished = 0;
  std::vector<bool> ended(runners_.size());
  for (bool moves = true; moves && done && finished < runners_.size();) {
    moves = false;
    for (std::size_t r = 0; done && r < runners_.size(); ++r) {
      if (ended[r]) continue;
      const std::size_t before = runners_[r].progress();
      const state s = runners_[r].advance(*post_, see);
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
      const model::model& g = world_->rank(r).model();
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
    if (post_->left(c) != 0) done.text += describe_left(world_->channels()[c], post_->left(c));
  return done;
}

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
