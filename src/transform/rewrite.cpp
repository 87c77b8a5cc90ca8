// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Passes by what operations mean: identities, pairs that undo each other, arithmetic, chains.

#include <algorithm>
#include <cmath>
#include <utility>

#include "transform/passes.hpp"
#include "vm/nac/in_place.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using nac::operation;
using sizes = std::vector<std::int64_t>;

/// A walk over the operations that may be rewritten.
class rewriting {
 public:
  rewriting(graph& g, pass_context& c) : g_(g), c_(c), shared_(g), facts_(facts_of(g)) {}

  template <class Rule>
  void run(const Rule& rule) {
    for (std::uint32_t n = g_.first(), next; n != graph::none; n = next) {
      next = g_[n].next;
      g_.resolve(n);
      if (g_[n].what != graph::role::operation || !is_pure(g_, n) || shared_.is_fixed(g_, n))
        continue;
      if (const std::optional<nac::binding> b = g_.bind(n)) rule(*this, n, *b);
    }
    g_.resolve();
  }

  /// Makes users of `n` take `by`: one tensor, whose value nothing changes. Its place may be of
  /// importance, and what is copied to a state is its value for the next run.
  void replace(std::uint32_t n, std::uint32_t by) {
    if (by == graph::none || !facts_[by].is_tensor || shared_.changes(by) || g_.is_last(n)) return;
    if (g_.is_input(by, nac::input::state)) return;
    c_.changed(g_, n, std::string(g_.name(n)) + ": its operand " + shown(g_, by));
    g_.forward(n, by);
  }
  /// Gives `n` another first operand, which comes earlier.
  void skip_to(std::uint32_t n, std::uint32_t from) {
    if (from == graph::none || !facts_[from].is_tensor || shared_.changes(from)) return;
    c_.changed(g_, n, std::string(g_.name(n)) + ": of " + shown(g_, from) + " directly");
    g_[n].operands[0].node = from;
  }

  [[nodiscard]] graph& of() noexcept { return g_; }
  [[nodiscard]] const fact& known(std::uint32_t n) const noexcept { return facts_[n]; }
  /// The node that gives an operand.
  [[nodiscard]] std::uint32_t node(std::uint32_t n, const nac::binding& b,
                                   std::size_t letter) const noexcept {
    const graph::operand* const o = g_.argument(n, b, letter);
    return o == nullptr ? graph::none : o->node;
  }
  [[nodiscard]] std::optional<std::int64_t> whole(std::uint32_t n, const nac::binding& b,
                                                  std::size_t letter) const {
    const std::optional<double> v = g_.number(g_.argument(n, b, letter));
    constexpr double most = 9007199254740992;  // integers below are exact
    if (!v || !(*v >= -most && *v <= most) || std::trunc(*v) != *v) return std::nullopt;
    return static_cast<std::int64_t>(*v);
  }
  /// Whether a node is an operation that can be seen through, with its operands in `b`.
  [[nodiscard]] bool is_plain(std::uint32_t n, nac::binding& b) const {
    if (n == graph::none || g_[n].what != graph::role::operation || !is_pure(g_, n) ||
        shared_.is_fixed(g_, n))
      return false;
    const std::optional<nac::binding> bound = g_.bind(n);
    if (bound) b = *bound;
    return bound.has_value();
  }

 private:
  graph& g_;
  pass_context& c_;
  const sharing shared_;
  const std::vector<fact> facts_;
};

// ---- identities

[[nodiscard]] bool is_counted_up(const sizes& s) noexcept {
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s[i] != static_cast<std::int64_t>(i)) return false;
  return !s.empty();
}

/// Whether a slice takes everything.
[[nodiscard]] bool takes_all(const rewriting& r, const graph& g, std::uint32_t n,
                             const nac::binding& b) {
  const graph::operand *const start = g.argument(n, b, 2), *const end = g.argument(n, b, 3),
                              *const step = g.argument(n, b, 4);
  const bool from_begin = start == nullptr || g.is_null(start) || r.whole(n, b, 2) == 0;
  constexpr double beyond_any_axis = 4611686018427387904;
  const bool to_end =
      end == nullptr || g.is_null(end) || g.number(end).value_or(0) > beyond_any_axis;
  return from_begin && to_end && (step == nullptr || r.whole(n, b, 4) == 1);
}

[[nodiscard]] bool is_identity(rewriting& r, std::uint32_t n, const nac::binding& b) {
  const graph& g = r.of();
  const std::uint32_t x = r.node(n, b, 0);
  switch (g[n].op) {
    case operation::pass:
    case operation::clone:
    case operation::dropout:  // those without training; others are random
    case operation::feature_dropout:
    case operation::alpha_dropout:
    case operation::feature_alpha_dropout: return true;
    case operation::to_copy: {
      if (x == graph::none || b.first[0] != 0) return false;
      const std::optional<nac::data_type> to = type_named(g, n, b, 1);
      if (to) return r.known(x).type == to;
      return std::all_of(g[n].operands.begin() + 1, g[n].operands.end(),
                         [](const graph::operand& o) { return o.node == graph::none; });
    }
    case operation::type_as: {
      const std::uint32_t other = r.node(n, b, 1);
      return x != graph::none && other != graph::none && r.known(x).type &&
             r.known(x).type == r.known(other).type && b.count[2] == 0;
    }
    case operation::expand: {
      const std::optional<sizes> to = g.integers(n, b, 1);
      return to && !to->empty() &&
             std::all_of(to->begin(), to->end(), [](std::int64_t s) { return s == -1; });
    }
    case operation::permute: {
      const std::optional<sizes> to = g.integers(n, b, 1);
      return to && is_counted_up(*to);
    }
    case operation::transpose: {
      const auto first = r.whole(n, b, 1), second = r.whole(n, b, 2);
      return first && second && *first == *second;
    }
    case operation::slice: return takes_all(r, g, n, b);
    default: return false;
  }
}

}  // namespace

void remove_identities(graph& g, pass_context& c) {
  rewriting(g, c).run([](rewriting& r, std::uint32_t n, const nac::binding& b) {
    if (is_identity(r, n, b)) r.replace(n, r.node(n, b, 0));
  });
}

// ---- inverses

namespace {

/// Whether `outer` undoes `inner`, which gives its first operand.
[[nodiscard]] bool undoes(const rewriting& r, const graph& g, std::uint32_t outer,
                          const nac::binding& b, std::uint32_t inner, const nac::binding& a) {
  const operation what = g[outer].op;
  if (what == operation::squeeze && g[inner].op == operation::unsqueeze) {
    const std::optional<sizes> axes = g.integers(outer, b, 1);
    return axes && axes->size() == 1 && r.whole(inner, a, 1) == (*axes)[0];
  }
  if (what != g[inner].op) return false;
  if (what == operation::neg) return true;
  if (what == operation::permute) {
    const std::optional<sizes> first = g.integers(inner, a, 1), then = g.integers(outer, b, 1);
    if (!first || !then || first->size() != then->size()) return false;
    sizes both;
    const auto rank = static_cast<std::int64_t>(first->size());
    for (const std::int64_t axis : *then) {
      if (axis < -rank || axis >= rank) return false;
      const std::int64_t from = (*first)[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
      both.push_back(from < 0 ? from + rank : from);
    }
    return is_counted_up(both);
  }
  if (what != operation::transpose || a.count[1] != b.count[1] || a.count[2] != b.count[2])
    return false;
  if (a.count[1] == 0) return true;  // t
  const auto a1 = r.whole(inner, a, 1), a2 = r.whole(inner, a, 2), b1 = r.whole(outer, b, 1),
             b2 = r.whole(outer, b, 2);
  return a1 && a2 && b1 && b2 && ((*a1 == *b1 && *a2 == *b2) || (*a1 == *b2 && *a2 == *b1));
}

}  // namespace

void remove_inverses(graph& g, pass_context& c) {
  rewriting(g, c).run([](rewriting& r, std::uint32_t n, const nac::binding& b) {
    const std::uint32_t inner = r.node(n, b, 0);
    nac::binding a;
    if (r.is_plain(inner, a) && undoes(r, r.of(), n, b, inner, a))
      r.replace(n, r.node(inner, a, 0));
  });
}

// ---- arithmetic and chains

namespace {

/// Whether arithmetic with a constant leaves the type of a tensor: floats take any number, integers
/// take integers.
[[nodiscard]] bool keeps_type(const rewriting& r, const graph& g, std::uint32_t x,
                              const graph::operand& constant) {
  if (!r.known(x).is_tensor) return false;
  const fact::kind what = r.known(x).what;
  return what == fact::kind::floating ||
         (what == fact::kind::integer && constant.value != graph::none &&
          g.constant(constant.value).type != nac::constant_type::float64);
}

/// The operand that arithmetic with a neutral constant gives.
[[nodiscard]] std::uint32_t neutral(const rewriting& r, const graph& g, std::uint32_t n,
                                    const nac::binding& b) {
  const graph::operand *const x = g.argument(n, b, 0), *const y = g.argument(n, b, 1);
  if (x == nullptr || y == nullptr) return graph::none;
  const auto right = [&](double v) {
    return x->node != graph::none && g.number(y) == v && keeps_type(r, g, x->node, *y);
  };
  const auto left = [&](double v) {
    return y->node != graph::none && g.number(x) == v && keeps_type(r, g, y->node, *x);
  };
  const bool has_factor = b.count[2] != 0;
  const auto is_float = [&] { return r.known(x->node).what == fact::kind::floating; };
  switch (g[n].op) {
    case operation::add: return right(0) ? x->node : !has_factor && left(0) ? y->node : graph::none;
    case operation::sub: return right(0) ? x->node : graph::none;
    case operation::mul: return right(1) ? x->node : left(1) ? y->node : graph::none;
    case operation::div:
    case operation::pow: return right(1) && is_float() ? x->node : graph::none;
    default: return graph::none;
  }
}

/// Whether every number of one type is one of another.
[[nodiscard]] bool loses_nothing(nac::data_type from, nac::data_type to) noexcept {
  using enum nac::data_type;
  if (from == to) return true;
  if (from == boolean) return true;
  switch (to) {
    case float64: return from != int64;
    case float32:
      return from == float16 || from == bfloat16 || from == int16 || from == int8 || from == uint8;
    case float16: return from == int8 || from == uint8;
    case bfloat16: return from == int8 || from == uint8;
    case int64: return from == int32 || from == int16 || from == int8 || from == uint8;
    case int32: return from == int16 || from == int8 || from == uint8;
    case int16: return from == int8 || from == uint8;
    case int8:
    case uint8:
    case boolean: return false;
  }
  return false;
}

[[nodiscard]] bool only_reshapes(operation o) noexcept {
  return o == operation::view || o == operation::flatten || o == operation::unflatten ||
         o == operation::squeeze || o == operation::unsqueeze || o == operation::reshape_as;
}

/// What a permutation or a transposition of `rank` axes does; none where that isn't known.
[[nodiscard]] std::optional<sizes> axes_of(const rewriting& r, const graph& g, std::uint32_t n,
                                           const nac::binding& b, std::size_t rank) {
  sizes out;
  const auto count = static_cast<std::int64_t>(rank);
  if (g[n].op == operation::permute) {
    const std::optional<sizes> to = g.integers(n, b, 1);
    if (!to || to->size() != rank) return std::nullopt;
    out = *to;
  } else {
    const auto first = r.whole(n, b, 1), second = r.whole(n, b, 2);
    if (!first || !second || std::min(*first, *second) < -count ||
        std::max(*first, *second) >= count)
      return std::nullopt;
    for (std::int64_t i = 0; i < count; ++i) out.push_back(i);
    std::swap(out[static_cast<std::size_t>(*first < 0 ? *first + count : *first)],
              out[static_cast<std::size_t>(*second < 0 ? *second + count : *second)]);
  }
  for (std::int64_t& axis : out) {
    if (axis < -count || axis >= count) return std::nullopt;
    if (axis < 0) axis += count;
  }
  return out;
}

[[nodiscard]] bool permutes(operation o) noexcept {
  return o == operation::permute || o == operation::transpose;
}

/// One permutation instead of two, where one of them says how many axes there are.
void compose(rewriting& r, std::uint32_t n, const nac::binding& b, std::uint32_t inner,
             const nac::binding& a) {
  graph& g = r.of();
  const bool by_inner = g[inner].op == operation::permute;
  if (!by_inner && g[n].op != operation::permute) return;
  const std::optional<sizes> known = by_inner ? g.integers(inner, a, 1) : g.integers(n, b, 1);
  if (!known) return;
  const std::optional<sizes> first = axes_of(r, g, inner, a, known->size()),
                             then = axes_of(r, g, n, b, known->size());
  const std::uint32_t x = r.node(inner, a, 0);
  if (!first || !then || x == graph::none || !r.known(x).is_tensor) return;
  sizes both;
  for (const std::int64_t axis : *then) both.push_back((*first)[static_cast<std::size_t>(axis)]);
  r.skip_to(n, x);
  if (g[n].operands[0].node != x) return;
  if (g[n].op == operation::transpose) g.rename(n, "aten.permute.default");
  g[n].operands.resize(1);
  g[n].operands.push_back({'S', graph::none, g.integer_list(both)});
}

void simplify_one(rewriting& r, std::uint32_t n, const nac::binding& b) {
  graph& g = r.of();
  if (const std::uint32_t x = neutral(r, g, n, b); x != graph::none) return r.replace(n, x);
  const std::uint32_t inner = r.node(n, b, 0);
  nac::binding a;
  if (!r.is_plain(inner, a)) return;
  const std::uint32_t x = r.node(inner, a, 0);
  if (x == graph::none) return;
  if (g[n].op == operation::view && only_reshapes(g[inner].op)) return r.skip_to(n, x);
  if (permutes(g[n].op) && permutes(g[inner].op)) return compose(r, n, b, inner, a);
  if (g[n].op == operation::to_copy && g[inner].op == operation::to_copy) {
    const std::optional<nac::data_type> from = r.known(x).type, by = r.known(inner).type;
    if (from && by && r.known(n).type && loses_nothing(*from, *by)) r.skip_to(n, x);
  }
}

}  // namespace

void simplify(graph& g, pass_context& c) { rewriting(g, c).run(simplify_one); }

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
