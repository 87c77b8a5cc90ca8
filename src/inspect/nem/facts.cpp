// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/facts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "tessera/nem/execution.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

[[nodiscard]] std::vector<std::int64_t> list_of(view<std::int64_t> of) {
  return {of.begin(), of.end()};
}

template <class T>
[[nodiscard]] const T* find(const by_node<T>& in, std::uint32_t node) noexcept {
  const auto at = std::lower_bound(in.begin(), in.end(), node,
                                   [](const auto& x, std::uint32_t n) { return x.first < n; });
  return at == in.end() || at->first != node ? nullptr : &at->second;
}

}  // namespace

const nem::buffer* nem_facts::buffer(std::uint32_t node) const noexcept {
  return find(buffers_, node);
}
const nem_region_fact* nem_facts::region(std::uint32_t node) const noexcept {
  return find(regions_, node);
}
const nem_task_fact* nem_facts::task(std::uint32_t node) const noexcept {
  return find(tasks_, node);
}
const nem_loop_fact* nem_facts::loop(std::uint32_t node) const noexcept {
  return find(loops_, node);
}
const std::int64_t* nem_facts::number(std::uint32_t node) const noexcept {
  return find(numbers_, node);
}

/// Notes what is met first of each node.
class nem_facts::collector : public nem::visitor {
 public:
  collector(const nem::context& c, const nem::program* verified, nem_facts& to)
      : c_(c), d_(c.d), to_(to) {
    if (verified != nullptr) costs_.emplace(*verified, vm::nem::timing_profile{});
  }

  void loop(const nem::values&, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t in_flight) {
    loop_facts_.try_emplace(node, nem_loop_fact{first, last, in_flight});
    loops_.emplace_back(node, first);
  }
  void end_loop(std::uint32_t) { loops_.pop_back(); }

  void task(const nem::values& v, const nem::task& t) {
    add_regions(v);
    const auto [at, is_new] = tasks_.try_emplace(t.node);
    if (!is_new) return;
    nem_task_fact& f = at->second;
    f.opcode = t.opcode;
    f.mode = t.mode;
    for (const nem::operand& o : v.inputs(t))
      if (is_sound(v, o)) f.inputs.push_back(fact_of(v, v.regions[o.region]));
    for (const nem::operand& o : v.outputs(t))
      if (is_sound(v, o)) f.outputs.push_back(fact_of(v, v.regions[o.region]));
    if (costs_ && f.inputs.size() == t.inputs && f.outputs.size() == t.outputs) place(v, t, f);
  }
  void end(const nem::values& v) {
    add_regions(v);
    std::map<std::uint32_t, nem::buffer> buffers;
    for (const nem::buffer& b : v.buffers)
      if (b.is_known) buffers.try_emplace(b.node, b);
    for (std::uint32_t i = 0; i < d_.nodes.size(); i = d_.nodes[i].next) add_number(i);
    to_.buffers_.assign(buffers.begin(), buffers.end());
    move_to(to_.regions_, regions_);
    move_to(to_.tasks_, tasks_);
    move_to(to_.loops_, loop_facts_);
  }

 private:
  [[nodiscard]] static bool is_sound(const nem::values& v, const nem::operand& o) noexcept {
    return o.region != nem::no_index && v.regions[o.region].is_sound &&
           v.regions[o.region].buffer != nem::no_index;
  }
  /// The regions that were added since the last call. They are a stack: what scopes have taken back,
  /// others may have replaced.
  void add_regions(const nem::values& v) {
    std::size_t first = std::min(seen_.size(), v.regions.size());
    while (first != 0 && seen_[first - 1] != v.regions[first - 1].node) --first;
    seen_.resize(first);
    for (std::size_t i = first; i < v.regions.size(); ++i) {
      const nem::region& r = v.regions[i];
      seen_.push_back(r.node);
      if (!r.is_sound || r.buffer == nem::no_index) continue;
      const std::uint32_t node = r.declaration != nem::no_node ? r.declaration : r.node;
      const auto at = regions_.lower_bound(node);
      if (at == regions_.end() || at->first != node) regions_.emplace_hint(at, node, fact_of(v, r));
    }
  }
  [[nodiscard]] nem_region_fact fact_of(const nem::values& v, const nem::region& r) const {
    const nem::buffer& b = v.buffers[r.buffer];
    nem_region_fact f;
    f.buffer = d_.name(b.name);
    f.level = b.level;
    f.engine = b.engine;
    f.offset = r.offset;
    f.extent = r.extent;
    f.element = r.element;
    f.has_shape = r.has_shape;
    if (r.has_shape) f.shape = list_of(v.shape(r));
    if (r.has_strides) f.strides = list_of(v.strides(r));
    if (r.layout != nem::no_name) f.layout = d_.name(r.layout);
    f.has_quant = r.quant != nem::no_index;
    if (f.has_quant) f.quant = v.quants[r.quant].form;
    const std::uint32_t node = r.declaration != nem::no_node ? r.declaration : r.node;
    for (const auto& [loop, value] : loops_)
      if (node > loop && node < d_.nodes[loop].next)
        f.iteration.emplace_back(nem::name_of(d_, loop), value);
    return f;
  }
  /// How long it takes on a unit that is free: placed after all others that it can't delay.
  void place(const nem::values& v, const nem::task& t, nem_task_fact& f) {
    std::vector<vm::nem::tensor> tensors;
    std::vector<vm::nem::touched_buffer> buffers;
    for (const auto* const side : {&f.inputs, &f.outputs})
      for (const nem_region_fact& r : *side) {
        vm::nem::tensor x;
        x.extent = r.extent;
        x.element = r.element;
        x.shape = {r.shape.data(), r.shape.size()};
        const bool is_left = tensors.empty();
        const std::string_view swapped = is_left ? "KM" : "NK";
        x.is_transposed = tensors.size() < 2 && std::string_view(r.layout).ends_with(swapped) &&
                          (t.opcode == nem::opcode::gemm || t.opcode == nem::opcode::matmul);
        tensors.push_back(x);
      }
    for (std::uint32_t i = 0; i < t.inputs + t.outputs; ++i) {
      const std::uint32_t index = v.regions[v.operands[t.first_operand + i].region].buffer;
      const nem::buffer& b = v.buffers[index];
      buffers.push_back({index, b.level, b.level == nem::level::l1 ? b.engine : -1,
                         static_cast<std::uint64_t>(b.size)});
    }
    vm::nem::instance x;
    x.task = t;
    x.what.opcode = t.opcode;
    x.what.inputs = {tensors.data(), t.inputs};
    x.what.outputs = {tensors.data() + t.inputs, t.outputs};
    x.buffers = buffers;
    const vm::nem::placement p = costs_->place(x, {t.index, 0, 0, vm::nem::cause::none, 0});
    f.is_placed = true;
    f.work = vm::nem::work_of(x.what);
    f.unit = p.unit;
    f.engine = p.engine;
    f.index = p.index;
    f.cycles = p.end - p.start;
  }
  void add_number(std::uint32_t at) {
    const nem::node& n = d_.nodes[at];
    if ((n.kind != nem::node_kind::constant && n.kind != nem::node_kind::let) ||
        c_.names == nullptr)
      return;
    const auto& b = (*c_.names)[n.value];
    using kind = std::remove_cvref_t<decltype(b.kind)>;
    if (b.is_known && b.node == at && (b.kind == kind::constant || b.kind == kind::integer))
      to_.numbers_.emplace_back(at, b.integer);
  }

  template <class T>
  static void move_to(by_node<T>& to, std::map<std::uint32_t, T>& from) {
    to.reserve(from.size());
    for (auto& [node, fact] : from) to.emplace_back(node, std::move(fact));
  }

  const nem::context& c_;
  const nem::model& d_;
  nem_facts& to_;
  std::vector<std::uint32_t> seen_;  ///< the nodes of values::regions at the last call
  std::map<std::uint32_t, nem_region_fact> regions_;
  std::map<std::uint32_t, nem_task_fact> tasks_;
  std::map<std::uint32_t, nem_loop_fact> loop_facts_;
  std::optional<vm::nem::timeline> costs_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> loops_;
};

nem_facts::nem_facts(const nem::model& d, const nem::verify_options& options,
                     const nem::program* verified)
    : catalog_(nem::load_catalog(d, options, target_)) {
  nem::findings silent(nullptr, options.profile, 0);
  nem::context c{d, options, silent, catalog_, target()};
  collector all(c, verified, *this);
  // No iteration but the first of each loop.
  (void)nem::walker<collector>(c, all, 0).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
