// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rules about quantization descriptors that operands of one task carry together.
//
//   descriptor_rules rules;             // one for a verification
//   rules.check(c, t);                  // operands are typed
//
//   QNT-009    some carry one, some don't        element-wise, pools
//   QNT-010    an i32 bias needs its own         gemm, convolutions
//   QNT-011    the output has none               gemm, convolutions of integers
//   QNT-012    values are copied, not scaled     layout operations
//   QNT-013    ignored                           cast
//   QNT-014    functions of raw integers         sigmoid tanh exp log sqrt gelu silu
//
// Lifetime:   keeps nothing of the context between calls.
// Errors:     those above.
// Limits:     none.
// Allocation: 24 bytes for each region with a list of scales.

#ifndef TESSERA_NEM_DETAIL_RULES_DESCRIPTOR_HPP
#define TESSERA_NEM_DETAIL_RULES_DESCRIPTOR_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../visitor.hpp"
#include "../keyed_rows.hpp"
#include "attribute.hpp"
#include "attributes.hpp"
#include "context.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class descriptor_rules {
 public:
  [[gnu::cold]] void check(context& c, const task& t, const attributes& a) {
    switch (row(t.opcode).category) {
      case opcode_category::elementwise_unary:
      case opcode_category::elementwise_binary:
      case opcode_category::elementwise_other:
      case opcode_category::pooling: return raw_integers(c, t);
      case opcode_category::linear_algebra:
      case opcode_category::convolution: return accumulated(c, t);
      case opcode_category::layout: return copied(c, t, a);
      case opcode_category::type_conversion:
        if (t.opcode == opcode::cast) ignored(c, t);
        return;
      default: return;
    }
  }

 private:
  /// What is worked out once for a region whose descriptor has lists.
  struct memo {
    std::uint64_t key = 0;  ///< the region's node, plus 1
    bool varies = false;    ///< whether not all scales are equal
    std::uint64_t digest = 0;
  };

  [[nodiscard]] static const region& of(const context& c, const operand& o) noexcept {
    return c.v.regions[o.region];
  }
  [[nodiscard]] static bool is_quantized(const context& c, const operand& o) noexcept {
    return of(c, o).quant != no_index;
  }

  /// QNT-009 and QNT-014.
  [[gnu::cold]] static void raw_integers(context& c, const task& t) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    if (!is_integer(of(c, in[0]).element)) return;
    const operand *with = nullptr, *without = nullptr;
    for (const view<operand> all : {in, out})
      for (const operand& o : all) {
        const operand*& first = is_quantized(c, o) ? with : without;
        if (first == nullptr) first = &o;
      }
    if (with != nullptr && without != nullptr) {
      auto&& w = c.report(errc::nem_qnt_009_mixed, without->node);
      w << "this operand of " << name(t.opcode)
        << " has no quantization descriptor where another has one: raw integers are used";
      w.note(c.at(with->node)) << "this one has a descriptor";
    }
    if (with != nullptr) return;
    switch (t.opcode) {
      case opcode::sigmoid:
      case opcode::tanh:
      case opcode::exp:
      case opcode::log:
      case opcode::sqrt:
      case opcode::gelu:
      case opcode::silu:
        c.report(errc::nem_qnt_014_function, opcode_node(c, t))
            << name(t.opcode) << " of " << name(of(c, in[0]).element)
            << " without a quantization descriptor: results are rounded to integers";
        break;
      default: break;
    }
  }

  /// QNT-010 and QNT-011.
  [[gnu::cold]] void accumulated(context& c, const task& t) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    const region& weight = of(c, in[1]);
    if (!is_integer(weight.element) || !is_integer(of(c, in[0]).element)) return;
    if (!is_quantized(c, out[0]) && is_integer(of(c, out[0]).element))
      c.report(errc::nem_qnt_011_output, out[0].node)
          << "the output of " << name(t.opcode)
          << " has no quantization descriptor: scale 1 and zero point 0 are assumed";
    if (in.size() < 3 || is_quantized(c, in[2]) || of(c, in[2]).element != element::i32) return;
    if (weight.quant == no_index || !varies_along_reduction(c, t, weight)) return;
    auto&& w = c.report(errc::nem_qnt_010_bias, in[2].node);
    w << "an i32 bias needs a quantization descriptor of its own: the scale of "
      << registry_name(t.opcode, false, 1) << " varies along axis " << c.v.quants[weight.quant].axis
      << ", which is summed over";
    w.note(c.at(in[1].node)) << registry_name(t.opcode, false, 1) << " is here";
  }
  [[nodiscard, gnu::cold]] bool varies_along_reduction(const context& c, const task& t,
                                                       const region& weight) {
    const quant& q = c.v.quants[weight.quant];
    if (q.form == quantization::per_tensor || weight.rank < 2) return false;
    const auto rank = static_cast<std::int64_t>(weight.rank);
    if (row(t.opcode).category == opcode_category::convolution) {
      if (q.axis >= rank - 1) return false;
    } else {
      const bool is_turned = c.layout_ends_in(weight, "NK");
      if (q.axis != rank - (is_turned ? 1 : 2)) return false;
    }
    return look(c, weight).varies;
  }

  /// QNT-013.
  [[gnu::cold]] static void ignored(context& c, const task& t) {
    for (const view<operand> all : {c.v.inputs(t), c.v.outputs(t)})
      for (const operand& o : all)
        if (is_quantized(c, o))
          c.report(errc::nem_qnt_013_cast, o.node)
              << "cast converts stored values and ignores this quantization descriptor";
  }

  /// QNT-012.
  [[gnu::cold]] void copied(context& c, const task& t, const attributes& a) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    const std::size_t inputs = t.opcode == opcode::gather ? 1 : in.size();
    for (std::size_t i = 0; i < inputs; ++i)
      for (const operand& y : out) {
        if (are_alike(c, t, a, of(c, in[i]), of(c, y))) continue;
        // The many side is named: an input of concat, an output of split.
        const bool names_input = inputs > 1;
        auto&& w = c.report(errc::nem_qnt_012_copied, names_input ? in[i].node : y.node);
        w << name(t.opcode) << " copies values unchanged between regions of different descriptors";
        w.note(c.at(names_input ? y.node : in[i].node))
            << (names_input ? "the output is here" : "the input is here");
      }
  }
  [[nodiscard, gnu::cold]] bool are_alike(const context& c, const task& t, const attributes& a,
                                          const region& x, const region& y) {
    if (x.quant == y.quant) return true;
    if (x.quant == no_index || y.quant == no_index) return false;
    const quant &from = c.v.quants[x.quant], &to = c.v.quants[y.quant];
    if (from.form != to.form || from.group_size != to.group_size) return false;
    if (from.form != quantization::per_tensor) {
      // The axis that y's descriptor is about is, in x, where transpose took it from. What reshape
      // and gather do to axes isn't followed.
      std::int64_t axis = to.axis;
      if (t.opcode == opcode::transpose && a.has(attribute::perm) && axis >= 0 &&
          static_cast<std::uint64_t>(axis) < a.perm.size())
        axis = a.perm[static_cast<std::size_t>(axis)];
      const bool is_followed = t.opcode != opcode::reshape && t.opcode != opcode::gather;
      if (is_followed && axis != from.axis) return false;
      // Cutting, joining or padding along the axis takes or adds a part of the lists.
      if (from.scales != to.scales) return true;
    }
    return look(c, x).digest == look(c, y).digest;
  }

  /// What is remembered of a region with a descriptor.
  [[nodiscard, gnu::cold]] memo look(const context& c, const region& r) {
    const auto [m, is_new] = memos_.find(std::uint64_t{r.node} + 1);
    if (!is_new) return m;
    const quant& q = c.v.quants[r.quant];
    const view<double> scales = c.v.scales(q);
    for (const double s : scales) {
      m.varies = m.varies || s != scales[0];
      mix(m.digest, std::bit_cast<std::uint64_t>(s));
    }
    for (const std::int64_t z : c.v.zero_points(q)) mix(m.digest, static_cast<std::uint64_t>(z));
    return m;
  }
  static void mix(std::uint64_t& digest, std::uint64_t value) noexcept {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
  }
  keyed_rows<memo> memos_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_DESCRIPTOR_HPP
