// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// einsum: operands are multiplied from left to right, each pair as one product of matrices.

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "multiply.hpp"
#include "operations.hpp"
#include "reduce.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// Subscripts are numbers: 'A' … 'Z', 'a' … 'z', and then the dimensions of an ellipsis, which are
/// aligned at the last one.
constexpr std::uint8_t first_of_ellipsis = 52, subscripts = 52 + max_rank;

[[nodiscard]] std::string name_of(std::uint8_t subscript) {
  if (subscript >= first_of_ellipsis) return "a dimension of \"...\"";
  const auto letter = static_cast<char>(subscript < 26 ? 'A' + subscript : 'a' + subscript - 26);
  return std::string("\"") + letter + '"';
}

/// A tensor whose dimensions have subscripts; its elements may be in any order.
struct labelled {
  tensor from;
  std::size_t rank = 0;
  std::uint8_t label[max_rank];
  std::int64_t dim[max_rank];
  std::int64_t step[max_rank];

  void add(std::uint8_t l, std::int64_t d, std::int64_t s) noexcept {
    label[rank] = l;
    dim[rank] = d;
    step[rank++] = s;
  }
  [[nodiscard]] std::size_t find(std::uint8_t l) const noexcept {
    return static_cast<std::size_t>(std::find(label, label + rank, l) - label);
  }
  [[nodiscard]] bool has(std::uint8_t l) const noexcept { return find(l) != rank; }
};

/// Some of a tensor's subscripts, in an order.
struct order {
  std::size_t count = 0;
  std::uint8_t label[max_rank];
  void add(std::uint8_t l) noexcept { label[count++] = l; }
};

/// The elements in the order of these subscripts, which are all that it has.
[[nodiscard]] tensor in_order(call& c, const labelled& x, const order& wanted) {
  shape dims;
  std::int64_t step[max_rank] = {};
  for (std::size_t i = 0; i < wanted.count; ++i) {
    const std::size_t at = x.find(wanted.label[i]);
    dims.push_back(x.dim[at]);
    step[i] = x.step[at];
  }
  bool dense = true;
  std::int64_t expected = 1;
  for (std::size_t i = dims.rank(); i-- > 0; expected *= dims[i]) dense &= step[i] == expected;
  if (dense) return x.from.with_shape(dims);
  tensor out = make_tensor(c.arena, x.from.type, dims);
  const std::size_t n = out.size();
  if (n == 0) return out;
  tensors::with_word(model::size_of(out.type), [&]<class T>(of<T>) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    std::byte* to = out.data;
    const std::size_t last = dims.rank() - 1;
    const auto columns = count_of(dims[last]);
    std::int64_t index[max_rank] = {};
    const std::byte* from = x.from.data;
    for (std::size_t row = 0; row < n / columns; ++row) {
      for (std::size_t j = 0; j < columns; ++j, to += size)
        std::memcpy(to, from + static_cast<std::int64_t>(j) * step[last] * size, sizeof(T));
      for (std::size_t i = last; i-- > 0;) {
        from += step[i] * size;
        if (++index[i] < dims[i]) break;
        from -= step[i] * dims[i] * size;
        index[i] = 0;
      }
    }
  });
  return out;
}

/// A dense tensor with these subscripts.
[[nodiscard]] labelled with_labels(tensor t, const order& labels) {
  labelled x;
  std::int64_t step = 1;
  for (std::size_t i = 0; i < labels.count; ++i) x.add(labels.label[i], t.dim(i), 0);
  for (std::size_t i = labels.count; i-- > 0; step *= x.dim[i]) x.step[i] = step;
  x.from = std::move(t);
  return x;
}

/// Adds up over the subscripts that aren't kept. Sums of integers and booleans are int64.
void sum_out(call& c, labelled& x, const bool (&kept)[subscripts]) {
  order all, rest;
  for (std::size_t i = 0; i < x.rank; ++i)
    if (kept[x.label[i]]) all.add(x.label[i]);
  rest = all;
  for (std::size_t i = 0; i < x.rank; ++i)
    if (!kept[x.label[i]]) all.add(x.label[i]);
  if (rest.count == all.count) return;
  const tensor from = in_order(c, x, all);
  const data_type type = is_floating(from.type) ? from.type : data_type::int64;
  tensor out = make_tensor(c.arena, type, leading(from.dims, all.count - rest.count));
  const std::size_t rows = out.size(), columns = rows == 0 ? 0 : from.size() / rows;
  const auto groups_of = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const reduction r{from, {groups_of(rows), groups_of(columns), 1}, out.dims};
  visit_sums(type, [&]<class A>(of<A>) { fold_to<A>(out, r, tensors::reduction::sum, unchanged); });
  x = with_labels(std::move(out), rest);
}

/// The product of two, summed over what they share and isn't kept.
[[nodiscard]] labelled contract(call& c, labelled a, labelled b, const bool (&kept)[subscripts]) {
  bool a_kept[subscripts], b_kept[subscripts];
  for (std::uint8_t l = 0; l < subscripts; ++l) {
    a_kept[l] = kept[l] || b.has(l);
    b_kept[l] = kept[l] || a.has(l);
  }
  sum_out(c, a, a_kept);
  sum_out(c, b, b_kept);
  order batch, left, right, summed;
  for (std::size_t i = 0; i < a.rank; ++i)
    (!b.has(a.label[i]) ? left : kept[a.label[i]] ? batch : summed).add(a.label[i]);
  for (std::size_t i = 0; i < b.rank; ++i)
    if (!a.has(b.label[i])) right.add(b.label[i]);
  const auto joined = [](std::initializer_list<const order*> parts) {
    order all;
    for (const order* p : parts) {
      if (all.count + p->count > max_rank) fail(errc::nac_run_rank);
      for (std::size_t i = 0; i < p->count; ++i) all.add(p->label[i]);
    }
    return all;
  };
  const order labels = joined({&batch, &left, &right});
  tensor x = in_order(c, a, joined({&batch, &left, &summed}));
  tensor y = in_order(c, b, joined({&batch, &right, &summed}));
  matrices by;
  by.transposed = true;
  const auto size_of = [](const labelled& t, const order& some) {
    std::int64_t n = 1;
    for (std::size_t i = 0; i < some.count; ++i) n *= t.dim[t.find(some.label[i])];
    return n;
  };
  shape result;
  for (std::size_t i = 0; i < labels.count; ++i) {
    const labelled& has = a.has(labels.label[i]) ? a : b;
    result.push_back(has.dim[has.find(labels.label[i])]);
  }
  bool is_boolean = false;
  if (summed.count == 0) {  // each with each, of any types
    const data_type type = promote(x, y);
    is_boolean = type == data_type::boolean;
    x = cast(c.arena, x, type);
    y = cast(c.arena, y, type);
    // A product of truths is that of 0 and 1.
    if (is_boolean) x.type = y.type = data_type::uint8;
  } else {
    expect_type(y, x.type);
  }
  if (result.elements() == 0)
    return with_labels(make_tensor(c.arena, is_boolean ? data_type::boolean : x.type, result),
                       labels);
  by.m = count_of(size_of(a, left));
  by.n = count_of(size_of(b, right));
  by.k = count_of(size_of(a, summed));
  by.a_batch.push_back(size_of(a, batch));
  by.b_batch = by.a_batch;
  tensor out = matrix_product(c, by, by.a_batch, result, x, y);
  if (is_boolean) out.type = data_type::boolean;
  return with_labels(std::move(out), labels);
}

/// The subscripts of one operand, or of the result.
struct term {
  std::size_t count = 0;
  std::uint8_t label[max_rank + 1];  ///< first_of_ellipsis: all dimensions of the ellipsis
  std::size_t letters = 0;
  bool has_ellipsis = false;
};

class equation {
 public:
  explicit equation(std::string_view text) : text_(text) {}
  [[noreturn]] void refuse(const std::string& why) const {
    fail(errc::nac_run_argument, "\"", text_.substr(0, 80), "\": ", why);
  }
  /// Reads up to what ends a term: a comma, the arrow or the end.
  [[nodiscard]] term next(bool is_output) {
    term t;
    for (; at_ < text_.size(); ++at_) {
      const char ch = text_[at_];
      if (ch == ' ') continue;
      if (!is_output && (ch == ',' || text_.substr(at_, 2) == "->")) break;
      std::uint8_t label = first_of_ellipsis;
      if (ch >= 'A' && ch <= 'Z') {
        label = static_cast<std::uint8_t>(ch - 'A');
      } else if (ch >= 'a' && ch <= 'z') {
        label = static_cast<std::uint8_t>(26 + ch - 'a');
      } else if (text_.substr(at_, 3) == "...") {
        if (t.has_ellipsis) refuse("two ellipses in one term; expected at most one");
        t.has_ellipsis = true;
        at_ += 2;
      } else {
        refuse("expected a letter, \"...\", \",\" or \"->\" at " + std::to_string(at_));
      }
      if (label != first_of_ellipsis && ++t.letters > max_rank) fail(errc::nac_run_rank);
      t.label[t.count++] = label;
    }
    return t;
  }
  [[nodiscard]] bool at_comma() const { return at_ < text_.size() && text_[at_] == ','; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  void skip(std::size_t n) { at_ += n; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// What the operands say of each subscript.
struct known_subscripts {
  std::size_t uses[subscripts] = {}, operands_with[subscripts] = {};
  std::int64_t size[subscripts];
  std::size_t ellipsis = 0;  ///< the largest number of dimensions that one is for

  known_subscripts() { std::fill_n(size, std::size_t{subscripts}, 1); }
};

/// The next operand: its axes by subscript, diagonals as one axis.
[[nodiscard]] labelled next_operand(equation& text, const tensor& given, std::size_t k,
                                    known_subscripts& known) {
  const term t = text.next(false);
  labelled x;
  x.from = given;
  const std::size_t rank = given.rank();
  if (t.letters > rank || (!t.has_ellipsis && t.letters != rank))
    text.refuse("operand " + std::to_string(k) + " has shape " + given.dims.text() + "; expected " +
                (t.has_ellipsis ? "at least " : "") + std::to_string(t.letters) +
                " dimensions, one per subscript");
  const std::size_t missing = rank - t.letters;  // of letters: the ellipsis
  if (t.has_ellipsis) known.ellipsis = std::max(known.ellipsis, missing);
  std::size_t axis = 0;
  std::int64_t dims[subscripts];
  std::int64_t steps[subscripts];
  bool seen[subscripts] = {};
  const auto take = [&](std::uint8_t l) {
    const std::int64_t d = given.dim(axis), s = given.dims.product(axis + 1, rank);
    ++axis;
    ++known.uses[l];
    if (!seen[l]) {
      seen[l] = true;
      dims[l] = d;
      steps[l] = s;
      return;
    }
    if (dims[l] != d)
      text.refuse("a subscript is repeated for sizes " + std::to_string(dims[l]) + " and " +
                  std::to_string(d) + " of shape " + given.dims.text() + "; expected equal sizes");
    steps[l] += s;
  };
  for (std::size_t i = 0; i < t.count; ++i) {
    if (t.label[i] != first_of_ellipsis) {
      take(t.label[i]);
      continue;
    }
    for (std::size_t e = 0; e < missing; ++e)
      take(static_cast<std::uint8_t>(subscripts - missing + e));
  }
  for (std::uint8_t l = 0; l < subscripts; ++l) {
    if (!seen[l]) continue;
    std::int64_t& size = known.size[l];
    if (dims[l] != 1 && size != 1 && dims[l] != size)
      fail(errc::nac_run_shape, name_of(l), " has sizes ", size, " and ", dims[l],
           "; expected equal sizes");
    if (dims[l] != 1) size = dims[l];
    ++known.operands_with[l];
    x.add(l, dims[l], steps[l]);
  }
  return x;
}

/// The result's subscripts, in order.
[[nodiscard]] order wanted_by(equation& text, const known_subscripts& known) {
  order wanted;
  bool is_wanted[subscripts] = {};
  const auto want = [&](std::uint8_t l) {
    if (wanted.count == max_rank) fail(errc::nac_run_rank);
    is_wanted[l] = true;
    wanted.add(l);
  };
  const auto want_ellipsis = [&] {
    for (std::size_t e = 0; e < known.ellipsis; ++e)
      want(static_cast<std::uint8_t>(subscripts - known.ellipsis + e));
  };
  if (text.at_end()) {
    want_ellipsis();
    for (std::uint8_t l = 0; l < first_of_ellipsis; ++l)
      if (known.uses[l] == 1) want(l);
    return wanted;
  }
  text.skip(2);
  const term t = text.next(true);
  for (std::size_t i = 0; i < t.count; ++i) {
    const std::uint8_t l = t.label[i];
    if (l == first_of_ellipsis) {
      want_ellipsis();
      continue;
    }
    if (known.uses[l] == 0) text.refuse("the result has a subscript that no operand has");
    if (is_wanted[l]) text.refuse("the result repeats a subscript");
    want(l);
  }
  return wanted;
}

}  // namespace

value einsum(call& c) {
  equation text(c.string_or(0, {}));
  const std::size_t operands = c.count(1);
  if (operands == 0) text.refuse("no operands; expected at least 1");
  known_subscripts known;
  std::vector<labelled> all(operands);
  for (std::size_t k = 0; k < operands; ++k) {
    if (k != 0) {
      if (!text.at_comma())
        text.refuse("the equation has fewer terms than the " + std::to_string(operands) +
                    " operands; expected one per operand");
      text.skip(1);
    }
    all[k] = next_operand(text, c.tensor_at(1, k), k, known);
  }
  if (text.at_comma())
    text.refuse("the equation has more terms than operands, " + std::to_string(operands) +
                "; expected one per operand");
  const order wanted = wanted_by(text, known);
  bool in_result[subscripts] = {};
  for (std::size_t i = 0; i < wanted.count; ++i) in_result[wanted.label[i]] = true;

  // From left to right. A dimension of 1 is none to those that have the subscript; it comes back at
  // the end.
  std::size_t(&left)[subscripts] = known.operands_with;
  bool kept[subscripts];
  labelled result;
  for (std::size_t k = 0; k < operands; ++k) {
    labelled x;
    x.from = all[k].from;
    for (std::size_t i = 0; i < all[k].rank; ++i) {
      const std::uint8_t l = all[k].label[i];
      --left[l];
      // Sums over one element are sums too where there is but one operand.
      if (all[k].dim[i] != 1 || (operands == 1 && !in_result[l]))
        x.add(l, all[k].dim[i], all[k].step[i]);
    }
    for (std::uint8_t l = 0; l < subscripts; ++l) kept[l] = in_result[l] || left[l] != 0;
    if (k == 0)
      result = std::move(x);
    else
      result = contract(c, std::move(result), std::move(x), kept);
  }
  if (operands == 1) sum_out(c, result, in_result);
  order present;
  shape dims;
  for (std::size_t i = 0; i < wanted.count; ++i) {
    if (result.has(wanted.label[i])) present.add(wanted.label[i]);
    dims.push_back(known.size[wanted.label[i]]);
  }
  return in_order(c, result, present).with_shape(dims);
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
