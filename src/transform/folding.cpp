// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Constant folding: the machine runs what depends on weights and constants alone.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tessera/nac/read.hpp"
#include "tessera/nac/write.hpp"
#include "transform/passes.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/nac/load.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

/// Instructions that are run for one result.
constexpr std::size_t max_cone = 512;
/// Bytes of a parameter's record and name, and of its instruction, about.
constexpr std::uint64_t record_bytes = 64;

struct folded {
  nac::data_type type = nac::data_type::float32;
  std::vector<std::uint32_t> shape;
  std::vector<std::byte> data;
};

class folder {
 public:
  folder(graph& g, pass_context& c)
      : g_(g), c_(c), shared_(g), place_(g.places()), uses_(g.uses()) {}

  void run() {
    find_constant();
    std::vector<bool> is_needed(g_.size());  // by something that isn't constant
    for (std::uint32_t n = last_; n != graph::none; n = g_[n].previous) {
      if (constant_[n] && is_needed[n] && g_[n].what == graph::role::operation && try_fold(n))
        continue;
      // A list of results can't be a parameter: what takes an item of it is folded, or nothing.
      if (g_.is(n, nac::operation::getitem)) continue;
      if (!constant_[n] || (is_needed[n] && g_[n].what == graph::role::operation))
        for (const graph::operand& o : g_[n].operands)
          if (o.node != graph::none) is_needed[o.node] = true;
    }
  }

 private:
  [[nodiscard]] bool is_constant_parameter(std::uint32_t n) const {
    const nac::tensor_part* const t = g_.tensor_of(n);
    return t != nullptr && t->quantization == nac::quantization::none &&
           t->type != nac::data_type::float16 && t->data.source == nullptr && !shared_.changes(n);
  }
  void find_constant() {
    constant_.assign(g_.size(), false);
    for (std::uint32_t n = g_.first(); n != graph::none; n = g_[n].next) {
      last_ = n;
      if (g_.is_parameter(n))
        constant_[n] = is_constant_parameter(n);
      else
        constant_[n] =
            is_pure(g_, n) && !shared_.is_fixed(g_, n) &&
            std::all_of(g_[n].operands.begin(), g_[n].operands.end(), [&](const graph::operand& o) {
              return o.node == graph::none || constant_[o.node];
            });
    }
  }

  /// What a result is computed from, itself last; empty: too much, or it only makes a constant.
  [[nodiscard]] std::vector<std::uint32_t> cone_of(std::uint32_t n) const {
    std::vector<std::uint32_t> out{n};
    std::unordered_map<std::uint32_t, bool> seen{{n, true}};
    for (std::size_t k = 0; k < out.size() && out.size() <= max_cone; ++k)
      for (const graph::operand& o : g_[out[k]].operands)
        if (o.node != graph::none && seen.emplace(o.node, true).second) out.push_back(o.node);
    if (out.size() > max_cone || out.size() == 1) return {};
    std::sort(out.begin(), out.end(),
              [&](std::uint32_t a, std::uint32_t b) { return place_[a] < place_[b]; });
    return out;
  }

  /// The same for the same computation.
  [[nodiscard]] std::uint64_t key_of(const std::vector<std::uint32_t>& cone) const noexcept {
    std::uint64_t key = 0xcbf29ce484222325;
    const auto add = [&key](std::uint64_t v) { key = (key ^ v) * 0x100000001b3; };
    for (const std::uint32_t n : cone) {
      add(n);
      add(g_[n].name);
      for (const graph::operand& o : g_[n].operands) add(o.node != graph::none ? o.node : ~o.value);
    }
    return key;
  }

  /// Bytes of the parameters that nothing else needs.
  [[nodiscard]] std::uint64_t freed_by(const std::vector<std::uint32_t>& cone) const {
    std::unordered_map<std::uint32_t, std::uint32_t> taken;
    std::uint64_t out = 0;
    for (auto n = cone.rbegin(); n != cone.rend(); ++n) {
      if (n != cone.rbegin() && taken[*n] != uses_[*n]) continue;
      for (const graph::operand& o : g_[*n].operands)
        if (o.node != graph::none) ++taken[o.node];
      if (g_.is_parameter(*n)) out += g_.tensor_of(*n)->data.size + record_bytes;
    }
    return out;
  }

  [[nodiscard]] bool try_fold(std::uint32_t n) {
    if (!g_.holds_weights()) return false;
    const std::vector<std::uint32_t> cone = cone_of(n);
    if (cone.empty()) return false;
    const std::uint64_t limit = freed_by(cone) + c_.options.max_growth;
    folding_attempt& last = c_.attempts[n];
    const std::uint64_t key = key_of(cone);
    if (last.key == key && last.bytes > limit) return false;
    std::optional<folded> made;
    if (c_.steps < c_.options.max_all_steps) made = compute(cone);
    last = {key, made ? made->data.size() + record_bytes : ~std::uint64_t{0}};
    if (last.bytes > limit) return false;
    const std::string name = "folded." + std::to_string(g_[n].origin);
    const std::uint32_t p =
        g_.add_parameter(name, made->type, made->shape, {made->data.data(), made->data.size()});
    c_.changed(g_, n,
               std::string(g_.name(n)) + ": parameter " + g_.parameters()[p].name + " of " +
                   std::to_string(made->data.size()) + " bytes, from " +
                   std::to_string(cone.size() - 1) + " instructions");
    for (const graph::operand& o : g_[n].operands)
      if (o.node != graph::none) --uses_[o.node];
    g_.become_parameter(n, p);
    return true;
  }

  /// The program of a result alone.
  [[nodiscard]] result<nac::parts> program_of(const std::vector<std::uint32_t>& cone,
                                              std::uint64_t& bytes) const {
    container_builder to(nac::header::v1_8);
    std::unordered_map<std::uint32_t, std::uint32_t> at;
    for (const std::uint32_t n : cone) {
      if (g_.is_parameter(n)) {
        const nac::tensor_part& from = *g_.tensor_of(n);
        nac::tensor_part t;
        t.id = static_cast<std::uint16_t>(to.parts.parameters.size() + 1);
        t.type = from.type;
        t.shape = to.parts.add_numbers(g_.rest().numbers_of(from.shape));
        t.data = nac::parts::borrow(g_.rest().data_of(from.data));
        bytes += t.data.size;
        to.parts.tensors.push_back(t);
        to.parts.add_name(to.parts.parameters, t.id, "p");
        at[n] = to.add(nac::op_input, static_cast<std::uint8_t>(nac::input::parameter), {t.id});
      } else {
        at[n] = g_.add_call(to, n, [&](std::uint32_t from) { return at.at(from); });
      }
    }
    to.parts.outputs = 1;
    to.add(nac::op_output, 0, {0}, {to.back_to(at.at(cone.back()))});
    return to.finish();
  }

  [[nodiscard]] std::optional<folded> compute(const std::vector<std::uint32_t>& cone) {
    std::uint64_t weights = 0;
    const result<nac::parts> parts = program_of(cone, weights);
    if (!parts || weights > c_.options.max_memory / 4) return std::nullopt;
    const result<pool<std::byte>> container = nac::write(*parts);
    if (!container) return std::nullopt;
    const result<nac::model> model = nac::read(bytes(container->data(), container->size()));
    if (!model) return std::nullopt;
    const result<nac::program> program = nac::verify(*model);
    if (!program) return std::nullopt;
    vm::nac::interpreter machine(*program, {.max_memory = c_.options.max_memory});
    budget limit;
    limit.max_steps = std::min(c_.options.max_steps, c_.options.max_all_steps - c_.steps);
    const vm::nac::outcome done = machine.run(limit);
    c_.steps += done.steps;
    if (!done || !machine.outputs()[0].is_tensor()) return std::nullopt;
    const vm::nac::tensor& y = machine.outputs()[0].as_tensor();
    if (y.is_number) return std::nullopt;
    folded out{y.type, {}, std::vector<std::byte>(y.bytes())};
    for (std::size_t i = 0; i < y.rank(); ++i) {
      if (y.dim(i) > std::int64_t{0xffffffff}) return std::nullopt;
      out.shape.push_back(static_cast<std::uint32_t>(y.dim(i)));
    }
    vm::nac::store(y, out.data.data());
    return out;
  }

  graph& g_;
  pass_context& c_;
  const sharing shared_;
  const std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> uses_;
  std::vector<bool> constant_;
  std::uint32_t last_ = graph::none;
};

}  // namespace

void fold_constants(graph& g, pass_context& c) { folder(g, c).run(); }

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
