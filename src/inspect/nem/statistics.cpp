// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/statistics.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

void add_to(std::uint64_t& sum, std::uint64_t more) noexcept {
  sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}
[[nodiscard]] std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
[[nodiscard]] std::uint64_t times(std::uint64_t a, std::int64_t b) noexcept {
  return times(a, static_cast<std::uint64_t>(b));
}

/// Whether the iterations of each loop differ in nothing but offsets, so that one decides what all of
/// them count. Names count as varying from where one of that name does.
[[nodiscard]] bool has_equal_iterations(const nem::model& d) {
  constexpr std::size_t max_depth = 32;  // each level doubles the times of buffers
  std::vector<bool> varies(d.names.size());
  const auto is_varying = [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i)
      if (d.nodes[i].kind == nem::node_kind::name && varies[d.nodes[i].value]) return true;
    return false;
  };
  std::vector<std::uint32_t> ends;  // of the loops around
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    const nem::node& n = d.nodes[i];
    if (n.kind == nem::node_kind::loop) {
      const std::uint32_t last = d.nodes[i + 1].next;  // its second bound
      if (ends.size() == max_depth || is_varying(i + 1, d.nodes[last].next)) return false;
      ends.push_back(n.next);
      varies[n.value] = true;
    } else if (ends.empty()) {
      continue;
    } else if (n.kind == nem::node_kind::region) {
      if (is_varying(d.nodes[i + 1].next, n.next)) return false;  // all but its offset
    } else if (n.kind == nem::node_kind::let && d.nodes[i + 1].kind != nem::node_kind::region) {
      varies[n.value] = varies[n.value] || is_varying(i + 1, n.next);
    }
  }
  return true;
}

/// Counts the tasks of a program. Where iterations are equal, those after the first are only
/// multiplied.
class counter : public nem::visitor {
 public:
  counter(const nem::program& p, nem_statistics& to, bool multiplies)
      : p_(p), to_(to), multiplies_(multiplies) {}

  void loop(const nem::values&, std::uint32_t, std::int64_t first, std::int64_t last,
            std::int64_t) {
    if (!multiplies_) return;
    std::uint64_t count = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    add_to(count, 1);
    frames_.push_back({to_, count, now_, touched_.size(), 0});
  }
  void iteration(std::uint32_t node, std::int64_t) {
    if (multiplies_ && ++frames_.back().visited == 2) ++ignored_;
    ++visited_;
    evaluated_ += p_.model().nodes[node].next - node;
    if (ignored_ == 0) add_to(to_.iterations, 1);
  }
  void end_loop(std::uint32_t) {
    if (!multiplies_) return;
    const frame f = std::move(frames_.back());
    frames_.pop_back();
    if (f.visited > 1) --ignored_;
    if (ignored_ == 0 && f.count > 1) repeat(f);
    if (frames_.empty()) touched_.clear();
  }
  void wait(std::uint32_t, view<std::uint32_t>) {
    if (ignored_ == 0) add_to(to_.waits, 1);
  }

  void task(const nem::values& v, const nem::task& t) {
    ++visited_;
    if (ignored_ != 0) return;
    add_to(to_.tasks, 1);
    add_to(to_.opcodes[static_cast<std::size_t>(t.opcode)], 1);
    for (const auto& operands : {v.inputs(t), v.outputs(t)})
      for (const nem::operand& o : operands)
        if (const nem::buffer* const b = buffer_of(v, o)) touch(*b);
    switch (row(t.opcode).category) {
      case nem::opcode_category::data_movement: move(v, t); break;
      case nem::opcode_category::linear_algebra:
      case nem::opcode_category::convolution: multiply(v, t); break;
      default: break;
    }
    ++now_;
  }
  [[nodiscard]] bool stopped() {
    if (visited_ < nem_statistics::max_steps && evaluated_ < nem_statistics::max_nodes)
      return false;
    to_.is_partial = true;
    return true;
  }

  void end(const nem::values& v) {
    for (const nem::buffer& b : v.buffers)
      if (b.is_known) lives_.try_emplace(b.node, life{b, 1, 0});  // if no task has used it
    std::map<std::pair<int, std::int64_t>, std::vector<const life*>> by_memory;
    for (const auto& [node, l] : lives_)
      by_memory[{static_cast<int>(l.what.level), l.what.engine}].push_back(&l);
    for (const auto& [where, lives] : by_memory) {
      nem_memory m{static_cast<nem::level>(where.first), where.second, 0, 0, 0};
      std::map<std::uint64_t, std::int64_t> changes;  // of the live bytes, by time
      for (const life* l : lives) {
        ++m.buffers;
        add_to(m.declared, static_cast<std::uint64_t>(l->what.size));
        if (l->first > l->last) continue;
        changes[l->first] += l->what.size;
        changes[l->last + 1] -= l->what.size;
      }
      std::int64_t live = 0;
      for (const auto& [when, change] : changes) {
        live += change;
        m.peak = std::max(m.peak, static_cast<std::uint64_t>(live));
      }
      to_.memories.push_back(m);
    }
  }

 private:
  struct life {
    nem::buffer what;
    std::uint64_t first, last;
  };
  /// A loop that runs.
  struct frame {
    nem_statistics before;  ///< it
    std::uint64_t count;    ///< iterations
    std::uint64_t began;
    std::size_t touched;  ///< of touched_, what was before it
    std::uint64_t visited;
  };

  /// Null for a region of an iteration that wasn't verified and is wrong.
  [[nodiscard]] static const nem::buffer* buffer_of(const nem::values& v, const nem::operand& o) {
    if (o.region == nem::no_index || !v.regions[o.region].is_sound) return nullptr;
    return &v.buffers[v.regions[o.region].buffer];
  }
  void touch(const nem::buffer& b) {
    const auto [at, is_new] = lives_.try_emplace(b.node, life{b, now_, now_});
    at->second.last = now_;
    if (!frames_.empty()) touched_.push_back(&at->second);
  }
  /// Counts the iterations of a loop after the first. For the times of buffers one more is enough.
  void repeat(const frame& f) {
    const auto more = [&f](std::uint64_t& sum, std::uint64_t before) {
      if (sum != UINT64_MAX) add_to(sum, times(sum - before, f.count - 1));
    };
    more(to_.tasks, f.before.tasks);
    more(to_.waits, f.before.waits);
    more(to_.iterations, f.before.iterations);
    for (std::size_t i = 0; i < to_.opcodes.size(); ++i) more(to_.opcodes[i], f.before.opcodes[i]);
    more(to_.macs, f.before.macs);
    for (std::size_t i = 0; i < to_.moved.size(); ++i)
      for (std::size_t k = 0; k < to_.moved[i].size(); ++k)
        more(to_.moved[i][k], f.before.moved[i][k]);
    const std::uint64_t length = now_ - f.began;
    for (std::size_t i = f.touched; i < touched_.size(); ++i)
      if (touched_[i]->last < now_) touched_[i]->last += length;
    now_ += length;
  }
  void move(const nem::values& v, const nem::task& t) {
    const nem::buffer* const from = buffer_of(v, v.inputs(t)[0]);
    const nem::buffer* const to = buffer_of(v, v.outputs(t)[0]);
    if (from == nullptr || to == nullptr) return;
    add_to(to_.moved[static_cast<std::size_t>(from->level)][static_cast<std::size_t>(to->level)],
           static_cast<std::uint64_t>(v.regions[v.inputs(t)[0].region].extent));
  }
  void multiply(const nem::values& v, const nem::task& t) {
    for (const auto& operands : {v.inputs(t), v.outputs(t)})
      for (const nem::operand& o : operands)
        if (buffer_of(v, o) == nullptr) return;
    std::uint64_t macs = 1;
    for (const std::int64_t d : v.shape(v.regions[v.outputs(t)[0].region])) macs = times(macs, d);
    const bool is_product = row(t.opcode).category == nem::opcode_category::linear_algebra;
    const nem::region& operand = v.regions[v.inputs(t)[is_product ? 0 : 1].region];
    const view<std::int64_t> shape = v.shape(operand);
    if (is_product) {
      // A of layout …KM is stored with its last two dimensions swapped.
      const std::string_view layout =
          operand.layout == nem::no_name ? std::string_view() : p_.model().name(operand.layout);
      const std::size_t inner = layout.ends_with("KM") ? shape.size() - 2 : shape.size() - 1;
      macs = times(macs, shape[inner]);
    } else {
      for (std::size_t d = 0; d + 1 < shape.size(); ++d) macs = times(macs, shape[d]);
    }
    add_to(to_.macs, macs);
  }

  const nem::program& p_;
  nem_statistics& to_;
  const bool multiplies_;
  std::vector<frame> frames_;
  std::uint32_t ignored_ = 0;            ///< loops around whose iteration isn't the first
  std::map<std::uint32_t, life> lives_;  ///< of buffers, by declaration
  std::vector<life*> touched_;           ///< in loops that run, each once or more
  std::uint64_t now_ = 0, visited_ = 0, evaluated_ = 0;
};

}  // namespace

nem_statistics summarise(const nem::program& p) {
  nem_statistics s;
  const bool multiplies = has_equal_iterations(p.model());
  counter c(p, s, multiplies);
  nem::for_each_task(p, c, multiplies ? 1 : ~std::uint64_t{0});
  return s;
}

namespace {

/// Places buffers one after another.
struct placer : nem::visitor {
  placer(const nem::program& p, std::vector<buffer_address>& to) : p_(p), to_(to) {}
  void end(const nem::values& v) {
    std::map<std::pair<nem::level, std::int64_t>, std::uint64_t> ends;
    for (const nem::buffer& b : v.buffers) {
      if (!b.is_known) continue;
      const std::int64_t engine = b.level == nem::level::l1 ? b.engine : 0;
      std::uint64_t& end = ends[{b.level, engine}];
      const auto align = static_cast<std::uint64_t>(b.align);
      if (const std::uint64_t over = end % align; over != 0) add_to(end, align - over);
      to_.push_back({p_.model().name(b.name), b.level, engine, end,
                     static_cast<std::uint64_t>(b.size), align});
      add_to(end, static_cast<std::uint64_t>(b.size));
    }
  }

 private:
  const nem::program& p_;
  std::vector<buffer_address>& to_;
};

}  // namespace

std::vector<buffer_address> address_map(const nem::program& p) {
  std::vector<buffer_address> out;
  placer all(p, out);
  nem::for_each_task(p, all, 1);
  return out;
}

std::string memory_name(nem::level level, std::int64_t engine) {
  std::string out(name(level));
  if (level == nem::level::l1) out += '[' + std::to_string(engine) + ']';
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
