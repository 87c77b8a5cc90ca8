// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What passes may rely on.

#include <algorithm>
#include <utility>

#include "transform/passes.hpp"
#include "vm/nac/call.hpp"
#include "vm/nac/in_place.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

std::string shown(const graph& g, std::uint32_t n) { return "v" + std::to_string(g[n].origin); }

// ---- writes in place

sharing::sharing(const graph& g) : family_(g.size()), changes_(g.size()) {
  const std::vector<bool> inside = in_convergence(g);
  std::vector<std::uint8_t> shares;  // by name: not asked yet, no, yes
  for (std::uint32_t n = 0; n < g.size(); ++n) family_[n] = n;
  for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next) {
    const graph::node& of = g[n];
    if (inside[n]) any_ = changes_[n] = true;
    if (of.what != graph::role::operation || of.operands.empty()) continue;
    any_ = any_ || of.is_in_place;
    const std::uint32_t from = of.operands[0].node;
    if (of.name >= shares.size()) shares.resize(of.name + std::size_t{1});
    if (shares[of.name] == 0) shares[of.name] = vm::nac::may_share_elements(g.name(n)) ? 2 : 1;
    if (shares[of.name] == 2 && from != graph::none) family_[n] = family_[from];
    if (of.is_in_place) changes_[family_[n]] = true;
  }
}

bool sharing::is_fixed(const graph& g, std::uint32_t n) const noexcept {
  if (!any_) return false;
  if (changes(n)) return true;
  return std::any_of(g[n].operands.begin(), g[n].operands.end(), [&](const graph::operand& o) {
    return o.node != graph::none && changes(o.node);
  });
}

std::vector<bool> in_convergence(const graph& g) {
  std::vector<bool> out(g.size());
  for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next) {
    if (g[n].block == graph::none) continue;
    const std::uint32_t opener = g[g[n].block].opener;
    out[n] = out[opener] || g[opener].a == nac::op_convergence;
  }
  return out;
}

// ---- effects

bool is_random(const graph& g, std::uint32_t n) {
  using enum nac::operation;
  switch (g[n].op) {
    case dropout:
    case feature_dropout:
    case alpha_dropout:
    case feature_alpha_dropout: {
      const std::optional<nac::binding> b = g.bind(n);
      return !b || g.number(g.argument(n, *b, 2)).value_or(1) != 0;
    }
    case native_dropout:
    case rand:
    case rand_like:
    case randn:
    case randn_like:
    case randint:
    case randint_like:
    case randperm:
    case uniform:
    case normal:
    case normal_like:
    case bernoulli:
    case bernoulli_by:
    case multinomial:
    case rrelu:
    case rrelu_with_noise:
    case exponential:
    case cauchy:
    case log_normal:
    case geometric:
    case random_integers:
    case poisson: return true;
    default: return false;
  }
}

bool is_pure(const graph& g, std::uint32_t n) {
  const graph::node& of = g[n];
  if (of.what != graph::role::operation || of.is_in_place) return false;
  if (of.op == nac::operation::unknown || is_random(g, n)) return false;
  // The value of a state for the next run.
  return of.op != nac::operation::copy || of.operands.empty() ||
         of.operands[0].node == graph::none || !g.is_input(of.operands[0].node, nac::input::state);
}

// ---- types

fact fact_of(nac::data_type t) noexcept {
  using kind = fact::kind;
  return {true,
          nac::is_floating(t)            ? kind::floating
          : t == nac::data_type::boolean ? kind::boolean
                                         : kind::integer,
          t};
}

std::optional<nac::data_type> type_named(const graph& g, std::uint32_t n, const nac::binding& b,
                                         std::size_t letter) {
  for (std::size_t k = 0; k < b.count[letter]; ++k) {
    const std::string_view name = g.string(&g[n].operands[b.first[letter] + k]);
    if (const auto t = vm::nac::type_named(name)) return t;
  }
  return std::nullopt;
}

namespace {

/// Whether the result of one tensor is one tensor of its type.
[[nodiscard]] bool keeps_type(nac::operation o) noexcept {
  using enum nac::operation;
  switch (o) {
    case relu:
    case neg:
    case abs:
    case view:
    case permute:
    case transpose:
    case expand:
    case squeeze:
    case unsqueeze:
    case flatten:
    case unflatten:
    case select:
    case slice:
    case flip:
    case repeat:
    case roll:
    case dropout:
    case max_pool1d:
    case max_pool2d:
    case max_pool3d:
    case avg_pool1d:
    case avg_pool2d:
    case avg_pool3d:
    case adaptive_avg_pool1d:
    case adaptive_avg_pool2d:
    case adaptive_avg_pool3d:
    case expand_as:
    case reshape_as:
    case tril:
    case triu:
    case index_select:
    case gather:
    case pass:
    case clone: return true;
    default: return false;
  }
}

[[nodiscard]] bool compares(nac::operation o) noexcept {
  using enum nac::operation;
  return o == gt || o == lt || o == ge || o == le || o == eq || o == ne;
}

class prover {
 public:
  explicit prover(const graph& g) : g_(g), out_(g.size()) {}

  [[nodiscard]] std::vector<fact> run() {
    for (std::uint32_t n = g_.first(); n != graph::none; n = g_[n].next) {
      if (g_[n].what == graph::role::operation)
        out_[n] = of_operation(n);
      else if (g_.is_parameter(n))
        out_[n] = of_parameter(n);
      else
        out_[n].is_tensor = g_.is_input(n, nac::input::user) || g_.is_input(n, nac::input::state);
    }
    return std::move(out_);
  }

 private:
  using kind = fact::kind;

  [[nodiscard]] fact of_parameter(std::uint32_t n) const {
    const nac::tensor_part* const t = g_.tensor_of(n);
    fact f;
    if (t != nullptr)
      f = fact_of(t->quantization == nac::quantization::none ? t->type : nac::data_type::float32);
    if (t != nullptr && t->type == nac::data_type::float16) f.type = {};  // or it is loaded as f32
    f.is_tensor = true;
    return f;
  }

  [[nodiscard]] fact operand(std::uint32_t n, std::size_t k) const {
    if (g_[n].operands.size() <= k) return {};
    const graph::operand& o = g_[n].operands[k];
    if (o.node != graph::none) return out_[o.node];
    fact f;
    switch (g_.constant(o.value).type) {
      case nac::constant_type::boolean: f.what = kind::boolean; break;
      case nac::constant_type::int64: f.what = kind::integer; break;
      case nac::constant_type::float64: f.what = kind::floating; break;
      case nac::constant_type::null:
      case nac::constant_type::string:
      case nac::constant_type::int32_list:
      case nac::constant_type::float32_list: break;
    }
    return f;
  }
  [[nodiscard]] bool is_number(std::uint32_t n, std::size_t k) const {
    return g_[n].operands.size() > k && g_[n].operands[k].node == graph::none;
  }

  /// Of arithmetic on two: the higher kind; a number of no higher kind changes no type.
  [[nodiscard]] fact promoted(std::uint32_t n) const {
    const fact a = operand(n, 0), b = operand(n, 1);
    fact f;
    f.is_tensor = a.is_tensor || b.is_tensor;
    if (!f.is_tensor) return f;
    if (a.what == kind::floating && b.what == kind::floating)
      f.what = kind::floating;
    else if (a.what != kind::unknown && b.what != kind::unknown)
      f.what = std::max(a.what, b.what);
    else if (a.is_tensor && b.is_tensor && (a.what == kind::floating || b.what == kind::floating))
      f.what = kind::floating;
    if (is_number(n, 1) && a.what >= b.what && b.what != kind::unknown) f.type = a.type;
    if (is_number(n, 0) && b.what >= a.what && a.what != kind::unknown) f.type = b.type;
    if (a.type && b.type && a.type == b.type && a.is_tensor && b.is_tensor) f.type = a.type;
    return f;
  }
  /// Of functions that give floats: floats stay what they are.
  [[nodiscard]] fact floats(fact x) const {
    if (x.what == kind::floating || !x.is_tensor) return x;
    if (x.what != kind::unknown) return fact_of(nac::data_type::float32);
    x.what = kind::floating;
    return x;
  }
  /// All operands have one type, or the run fails: what is known of any.
  [[nodiscard]] fact same(std::uint32_t n, std::size_t count) const {
    fact f;
    for (std::size_t k = 0; k < count; ++k) {
      const fact x = operand(n, k);
      if (is_number(n, k)) continue;
      if (f.what == kind::unknown) f.what = x.what;
      if (!f.type) f.type = x.type;
    }
    f.is_tensor = true;
    return f;
  }

  [[nodiscard]] fact of_operation(std::uint32_t n) const {
    using enum nac::operation;
    const fact x = operand(n, 0);
    const nac::operation o = g_[n].op;
    if (g_[n].is_in_place || keeps_type(o)) return x.is_tensor ? x : fact{};
    if (compares(o))
      return x.is_tensor || operand(n, 1).is_tensor ? fact_of(nac::data_type::boolean) : fact{};
    switch (o) {
      case exp:
      case cos:
      case sin:
      case tanh:
      case log:
      case sqrt:
      case rsqrt:
      case reciprocal:
      case erf:
      case sigmoid: return floats(x);
      case gelu:
      case silu:
      case hardswish:
      case hardsigmoid:
      case mish:
      case softplus:
      case elu:
      case leaky_relu:
      case relu6:
      case hardtanh: return x.what == kind::floating ? x : fact{x.is_tensor};
      case add:
      case sub:
      case mul: return promoted(n);
      case div: return floats(promoted(n));
      case conv1d:
      case conv2d:
      case conv3d:
      case convolution:
      case conv_padded:
      case conv_transpose:
      case linear:
      case matmul: return same(n, 2);
      case addmm:
      case baddbmm: return same(n, 3);
      case embedding: return x;
      case layer_norm:
      case group_norm:
      case batch_norm_by_mode: return x.is_tensor ? floats(x) : fact{};
      case softmax:
      case log_softmax:
      case mean: return of_reduction(n, x, o == mean ? 3 : 2);
      case to_copy: return of_conversion(n, x);
      case getitem: return fact{true};
      default: return {};
    }
  }
  [[nodiscard]] fact of_conversion(std::uint32_t n, const fact& x) const {
    const std::optional<nac::binding> b = g_.bind(n);
    if (!b) return {};
    if (const auto t = type_named(g_, n, *b, 1)) return fact_of(*t);
    return x.is_tensor && has_no_results(n) ? x : fact{};
  }
  /// Floats of the type that is named, or of the operand's; those of 16 bits may become wider.
  [[nodiscard]] fact of_reduction(std::uint32_t n, const fact& x, std::size_t letter) const {
    const std::optional<nac::binding> b = g_.bind(n);
    if (!b || !x.is_tensor) return {};
    if (const auto t = type_named(g_, n, *b, letter)) return fact_of(*t);
    fact f{true, kind::floating, x.type};
    if (x.type != nac::data_type::float32 && x.type != nac::data_type::float64) f.type = {};
    return f;
  }
  [[nodiscard]] bool has_no_results(std::uint32_t n) const {
    return std::all_of(g_[n].operands.begin() + 1, g_[n].operands.end(),
                       [](const graph::operand& o) { return o.node == graph::none; });
  }

  const graph& g_;
  std::vector<fact> out_;
};

}  // namespace

std::vector<fact> facts_of(const graph& g) { return prover(g).run(); }

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
