// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations that are compositions of others: one row each of a table of expressions.
//
//   X(pairwise_distance, "norm(add(sub(a, b), d|1e-6), c|2.0, -1, e)")
//
//   a … j          the operation's arguments, in the order of its pattern's letters: null where missing
//   d|1e-6         the argument, or what follows where it is missing
//   1 -1 0.5 null  constants; a number without a point is an integer
//   'float64'      a string
//   x = …; y = …;  names for what is used more than once, before the expression: w, x, y, z
//   norm(…)        an operation, by its enumerator
//   type(a)        the name of a tensor's type
//   shape(a)       its dimensions
//   choose(c, a, b)  a where c is true, b otherwise; both are computed
//   list(a, b)     several results
//   reduced(a, r)  a loss as PyTorch's `reduction` says: 0 none, 1 mean (also if missing), 2 sum
//
// Expressions are parsed by the compiler, which refuses what isn't one.

#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

// clang-format off
#define TESSERA_NAC_COMPOSITIONS(X)                                                                \
  X(type_as, "to_copy(a, type(b))")                                                                \
  X(expand_as, "expand(a, shape(b))")                                                              \
  X(reshape_as, "view(a, shape(b))")                                                               \
  X(new_full, "full(b, c, d|type(a))")                                                             \
  X(dist, "norm(sub(a, b), c|2.0)")                                                                \
  X(float_power, "pow(to_copy(a, 'float64'), to_copy(b, 'float64'))")                              \
  X(ldexp, "mul(a, pow(2.0, b))")                                                                  \
  X(logspace, "to_copy(pow(d|10.0, linspace(a, b, c, 'float64')), e|'float32')")                   \
  X(isclose, "x = mul(a, 1); y = mul(b, 1); z = abs(sub(x, y));"                                   \
             "w = logical_and(isfinite(z), le(z, add(abs(mul(y, c|1e-5)), d|1e-8)));"              \
             "x = logical_and(logical_and(isnan(x), isnan(y)), ne(e|0, 0));"                       \
             "logical_or(logical_or(eq(a, b), w), x)")                                             \
  X(allclose, "item(all(isclose(a, b, c, d, e)))")                                                 \
  X(transpose_matrices, "transpose(a, -2, -1)")                                                    \
  X(adjoint, "conj(transpose(a, -2, -1))")                                                         \
  X(flip_columns, "flip(a, 1)")                                                                    \
  X(flip_rows, "flip(slice(a, 0), 0)")                                                             \
  X(linalg_diagonal, "diagonal(a, b|0, c|-2, d|-1)")                                               \
  X(where_true, "unbind(nonzero(a), 1)")                                                           \
  X(polar, "complex(mul(a, cos(b)), mul(a, sin(b)))")                                              \
  X(vecdot, "sum(mul(conj(a), b), c|-1)")                                                          \
  X(logdet, "log(det(a))")                                                                         \
  X(frobenius_norm, "norm(a, 2.0, b, c)")                                                          \
  X(pairwise_distance, "norm(add(sub(a, b), d|1e-6), c|2.0, -1, e)")                               \
  X(mse_loss, "reduced(square(sub(a, b)), c)")                                                     \
  X(l1_loss, "reduced(abs(sub(a, b)), c)")                                                         \
  X(smooth_l1_loss,                                                                                \
    "x = abs(sub(a, b)); y = d|1.0;"                                                               \
    "reduced(where(lt(x, y), div(mul(square(x), 0.5), y), sub(x, mul(y, 0.5))), c)")               \
  X(huber_loss, "x = abs(sub(a, b)); y = d|1.0;"                                                   \
                "reduced(where(le(x, y), mul(square(x), 0.5), mul(sub(x, mul(y, 0.5)), y)), c)")   \
  X(soft_margin_loss, "reduced(log1p(exp(mul(neg(b), a))), c)")                                    \
  X(binary_cross_entropy, "x = mul(sub(b, 1), clamp(log1p(neg(a)), -100.0));"                      \
                          "reduced(mul(sub(x, mul(b, clamp(log(a), -100.0))), c|1.0), d)")         \
  X(binary_cross_entropy_with_logits,                                                              \
    "x = add(mul(sub(d|1, 1), b), 1);"                                                             \
    "reduced(mul(sub(mul(sub(1, b), a), mul(x, log_sigmoid(a))), c|1.0), e)")                      \
  X(poisson_nll_loss,                                                                              \
    "x = choose(c, sub(exp(a), mul(b, a)), sub(a, mul(b, log(add(a, e)))));"                       \
    "y = add(sub(mul(b, log(b)), b), mul(log(mul(b, 6.283185307179586)), 0.5));"                   \
    "reduced(add(x, choose(d, where(gt(b, 1), y, 0), 0)), f)")                                     \
  X(kl_div, "reduced(choose(d|0, mul(exp(b), sub(b, a)), sub(xlogy(b, b), mul(b, a))), c)")        \
  X(hinge_embedding_loss, "x = where(ne(b, 1), clamp(sub(c|1.0, a), 0), 0);"                       \
                          "reduced(add(x, where(ne(b, -1), a, 0)), d)")                            \
  X(margin_ranking_loss, "reduced(clamp(add(mul(neg(c), sub(a, b)), d|0.0), 0), e)")               \
  X(cosine_embedding_loss,                                                                         \
    "x = add(sum(mul(a, a), -1), 1e-12); y = add(sum(mul(b, b), -1), 1e-12);"                      \
    "z = div(sum(mul(a, b), -1), sqrt(mul(x, y)));"                                                \
    "x = where(eq(c, -1), clamp(sub(z, d|0.0), 0), 0);"                                            \
    "reduced(add(where(eq(c, 1), sub(1, z), 0), x), e)")                                           \
  X(triplet_margin_loss,                                                                           \
    "x = pairwise_distance(a, b, e|2.0, f|1e-6); y = pairwise_distance(a, c, e|2.0, f|1e-6);"      \
    "z = choose(g|0, minimum(y, pairwise_distance(b, c, e|2.0, f|1e-6)), y);"                      \
    "reduced(clamp(sub(add(x, d|1.0), z), 0), h)")                                                 \
  X(reshape_alias, "view(a, b)")                                                                   \
  X(pad_circular, "pad(a, b, 'circular')")                                                         \
  X(log_sigmoid_forward, "list(log_sigmoid(a), exp(neg(abs(a))))")                                 \
  X(add_relu, "relu(add(a, b, c))")                                                                \
  X(addmm_activation, "x = addmm(a, b, c, d, e); choose(f|0, gelu(x), relu(x))")                   \
  X(int_mm, "matmul(to_copy(a, 'int32'), to_copy(b, 'int32'))")                                    \
  X(weight_int8pack_mm, "mul(linear(a, to_copy(b, type(a))), c)")                                  \
  X(attention_flash_quantized,                                                                     \
    "x = to_copy(unsqueeze(unsqueeze(d|1.0, -1), -1), type(a));"                                   \
    "y = to_copy(unsqueeze(unsqueeze(e|1.0, -1), -1), type(b));"                                   \
    "z = to_copy(unsqueeze(unsqueeze(f|1.0, -1), -1), type(c));"                                   \
    "attention_flash(mul(a, x), mul(b, y), mul(c, z), g, h, i, j)")                                \
  X(isreal, "ones_like(a, 'bool')")                                                                \
  X(trapezoid,                                                                                     \
    "x = c|-1; mul(sum(add(slice(a, x, 1), slice(a, x, 0, -1)), x), div(b|1, 2.0))")               \
  X(cumulative_trapezoid,                                                                          \
    "x = c|-1; mul(cumsum(add(slice(a, x, 1), slice(a, x, 0, -1)), x), div(b|1, 2.0))")            \
  X(vander, "x = pow(unsqueeze(a, -1), arange(b|sym_size(a, 0))); choose(c|0, x, flip(x, 1))")     \
  X(linalg_vander, "pow(unsqueeze(a, -1), arange(b|sym_size(a, -1)))")                             \
  X(kaiser_window, "kaiser_window_by_mode(a, 1, null, b)")                                         \
  X(kaiser_window_by_mode,                                                                         \
    "x = c|12.0; y = div(mul(x, 2.0), maximum(sub(a, choose(b, 0, 1)), 1));"                       \
    "z = sub(mul(arange(a, null, null, 'float64'), y), x);"                                        \
    "w = div(i0(sqrt(clamp(sub(mul(x, x), square(z)), 0.0))), i0(scalar_tensor(x, 'float64')));"   \
    "to_copy(choose(eq(a, 1), ones(a, 'float64'), w), d|'float32')")                               \
  X(polygamma_of, "polygamma(b, a)")                                                               \
  X(sym_float, "item(scalar_tensor(a, 'float64'))")                                                \
  X(sym_int, "item(scalar_tensor(a, 'int64'))")                                                    \
  X(sym_not, "item(logical_not(scalar_tensor(a, 'bool')))")                                        \
  X(sym_ite, "choose(a, b, c)")                                                                    \
  X(sym_sqrt, "item(sqrt(scalar_tensor(a, 'float64')))")                                           \
  X(quantize_per_tensor,                                                                           \
    "x = round(mul(to_copy(a, 'float32'), div(1.0, item(b))));"                                    \
    "to_copy(clamp(add(x, item(c)), item(d), item(e)), f)")                                        \
  X(dequantize_per_tensor, "mul(sub(to_copy(a, g|'float32'), item(c)), item(b))")                  \
  X(quantize_per_channel,                                                                          \
    "x = round(mul(movedim(to_copy(a, 'float32'), d, -1), reciprocal(b)));"                        \
    "movedim(to_copy(clamp(add(x, c|0), e, f), g), -1, d)")                                        \
  X(dequantize_per_channel,                                                                        \
    "x = mul(sub(movedim(to_copy(a, 'float32'), d, -1), c|0), b);"                                 \
    "to_copy(movedim(x, -1, d), h|'float32')")                                                     \
  X(quantize_per_token, "to_copy(clamp(round(add(mul(a, reciprocal(b)), c)), d, e), f)")           \
  X(dequantize_per_token, "to_copy(mul(sub(a, c), b), g)")                                         \
  X(choose_qparams,                                                                                \
    "x = minimum(min_all(a), 0); y = div(sub(maximum(max_all(a), 0), x), sub(c, b));"              \
    "z = maximum(y, view(scalar_tensor(d, 'float32'), 1));"                                        \
    "w = clamp(sub(b, to_copy(round(div(x, z)), 'int32')), b, c);"                                 \
    "list(to_copy(z, 'float64'), to_copy(w, 'int64'))")                                            \
  X(fake_quantize, "pass(fake_quantize_with_mask(a, b, c, d, e))")                                 \
  X(fake_quantize_with_mask,                                                                       \
    "x = scalar_tensor(b, 'float32'); y = item(c);"                                                \
    "z = add(round(mul(to_copy(a, 'float32'), reciprocal(x))), y);"                                \
    "list(to_copy(mul(sub(clamp(z, d, e), y), x), type(a)), logical_and(ge(z, d), le(z, e)))")     \
  X(fake_quantize_by_tensors,                                                                      \
    "x = scalar_tensor(b, 'float32'); y = item(c);"                                                \
    "z = add(round(mul(to_copy(a, 'float32'), reciprocal(x))), y);"                                \
    "x = to_copy(mul(sub(clamp(z, e, f), y), x), type(a)); z = logical_and(ge(z, e), le(z, f));"   \
    "list(choose(d, x, a), choose(d, z, ones_like(z)))")                                           \
  X(fake_quantize_channels,                                                                        \
    "x = add(round(mul(movedim(a, d, -1), reciprocal(b))), c);"                                    \
    "movedim(mul(sub(clamp(x, e, f), c), b), -1, d)")                                              \
  X(fake_quantize_channels_with_mask,                                                              \
    "x = add(round(mul(movedim(a, d, -1), reciprocal(b))), c);"                                    \
    "y = movedim(logical_and(ge(x, e), le(x, f)), -1, d);"                                         \
    "list(movedim(mul(sub(clamp(x, e, f), c), b), -1, d), y)")                                     \
  X(range_inclusive,                                                                               \
    "x = c|1; y = add(sym_int(div(sub(b, a), x)), 1);"                                             \
    "to_copy(add(mul(arange(y, null, null, 'float64'), x), a), d|'float32')")                      \
  X(is_nonzero, "item(ne(a, 0))")                                                                  \
  X(cholesky_solve,                                                                                \
    "x = choose(c|0, transpose(b, -2, -1), b);"                                                    \
    "solve_triangular(transpose(x, -2, -1), solve_triangular(x, a, 0), 1)")                        \
  X(cholesky_inverse,                                                                              \
    "x = inverse(choose(b|0, transpose(a, -2, -1), a)); matmul(transpose(x, -2, -1), x)")
// clang-format on

using model::operation;

/// What is done with a stack of values.
struct token {
  enum class kind : std::uint8_t {
    argument,  ///< the call's number `at`
    get,       ///< the value of name `at`
    set,       ///< gives it one
    either,    ///< of two values the first, the second where that is null
    null,
    whole,
    real,
    string,
    run,  ///< takes `at` values
    type,
    shape,
    choose,
    list,  ///< of `at` values
    reduced
  };
  kind what = kind::null;
  std::uint8_t at = 0;
  model::operation operation = model::operation::unknown;
  double number = 0;
  std::string_view text = {};
};
struct expression {
  static constexpr std::size_t max_tokens = 64;
  std::array<token, max_tokens> tokens = {};
  std::size_t count = 0;
};

constexpr std::string_view operation_names[] = {"",
#define TESSERA_X(name, ...) #name,
                                                TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};
[[nodiscard]] constexpr operation operation_called(std::string_view name) {
  for (std::size_t i = 1; i < model::operation_count; ++i)
    if (operation_names[i] == name) return static_cast<operation>(i);
  throw "no operation has that name";
}

/// Expressions as tokens, operands first. What isn't one throws, so that it doesn't compile.
class parser {
 public:
  constexpr explicit parser(std::string_view text) : rest_(text) {}
  [[nodiscard]] constexpr expression parse() {
    while (names_a_value()) {
      const auto to = static_cast<std::uint8_t>(rest_[0] - 'w');
      rest_.remove_prefix(3);
      parse_value();
      if (!eat(';')) throw "expected ;";
      add({token::kind::set, to});
    }
    parse_value();
    if (!rest_.empty()) throw "expected the end";
    return out_;
  }

 private:
  [[nodiscard]] constexpr bool names_a_value() {
    skip_blanks();
    return rest_.size() > 3 && rest_.substr(1, 2) == " =";
  }
  constexpr void skip_blanks() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  [[nodiscard]] constexpr bool eat(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  constexpr void add(const token& t) {
    if (out_.count == expression::max_tokens) throw "too long";
    out_.tokens[out_.count++] = t;
  }
  [[nodiscard]] static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  constexpr void parse_value() {
    parse_operand();
    if (!eat('|')) return;
    parse_operand();
    add({token::kind::either});
  }
  constexpr void parse_operand() {
    skip_blanks();
    if (rest_.empty()) throw "expected a value";
    if (eat('\'')) {
      const std::size_t end = rest_.find('\'');
      add({token::kind::string, 0, operation::unknown, 0, rest_.substr(0, end)});
      rest_.remove_prefix(end + 1);
    } else if (rest_[0] == '-' || is_digit(rest_[0])) {
      parse_number();
    } else {
      parse_word();
    }
  }
  /// Digits of which the double is exact, and a power of ten that is.
  constexpr void parse_number() {
    const bool negative = eat('-');
    double v = 0, scale = 1;
    bool is_real = false;
    for (; !rest_.empty() && (is_digit(rest_[0]) || rest_[0] == '.'); rest_.remove_prefix(1)) {
      if (rest_[0] == '.') {
        is_real = true;
        continue;
      }
      v = v * 10 + (rest_[0] - '0');
      if (is_real) scale *= 10;
    }
    if (rest_.substr(0, 2) == "e-") {
      is_real = true;
      rest_.remove_prefix(2);
      int power = 0;
      for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1))
        power = power * 10 + (rest_[0] - '0');
      for (; power > 0; --power) scale *= 10;
    }
    v /= scale;
    add({is_real ? token::kind::real : token::kind::whole, 0, operation::unknown,
         negative ? -v : v});
  }
  constexpr void parse_word() {
    std::size_t size = 0;
    while (size < rest_.size() && (is_digit(rest_[size]) || rest_[size] == '_' ||
                                   (rest_[size] >= 'a' && rest_[size] <= 'z')))
      ++size;
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    if (eat('(')) return parse_call(word);
    if (word == "null") return add({token::kind::null});
    if (size != 1 || (word[0] > 'j' && word[0] < 'w') || word[0] > 'z') throw "expected a value";
    const bool is_argument = word[0] <= 'j';
    add({is_argument ? token::kind::argument : token::kind::get,
         static_cast<std::uint8_t>(word[0] - (is_argument ? 'a' : 'w'))});
  }
  constexpr void parse_call(std::string_view word) {
    std::uint8_t count = 0;
    do {
      parse_value();
      ++count;
    } while (eat(','));
    if (!eat(')')) throw "expected )";
    constexpr struct {
      std::string_view name;
      token::kind what;
      std::uint8_t operands;
    } others[] = {{"type", token::kind::type, 1},
                  {"shape", token::kind::shape, 1},
                  {"choose", token::kind::choose, 3},
                  {"reduced", token::kind::reduced, 2}};
    for (const auto& o : others)
      if (o.name == word) {
        if (count != o.operands) throw "another number of operands";
        return add({o.what});
      }
    if (word == "list") return add({token::kind::list, count});
    add({token::kind::run, count, operation_called(word)});
  }

  std::string_view rest_;
  expression out_;
};

/// The name of a type among an argument's values; null without one.
[[nodiscard]] value type_name_in(call& c, std::size_t letter) {
  for (std::size_t k = 0; k < c.count(letter); ++k)
    if (const value& v = c.at(letter, k);
        v.what() == value::form::string && type_named(v.as_string()))
      return v;
  return {};
}

/// An argument as a value that another operation takes for such a letter.
[[nodiscard]] value argument_of(call& c, std::size_t letter) {
  std::string_view rest = model::pattern(c.operation);
  std::size_t at = 0;
  for (std::size_t k = 0; at < rest.size(); ++at)
    if (rest[at] != '?' && rest[at] != '*' && k++ == letter) break;
  if (rest[at] == 'd') return type_name_in(c, letter);
  if (!c.has(letter)) return {};
  if (rest[at] == 'v' || rest[at] == 'l' || rest[at] == 'L') {
    const std::span<const std::int64_t> list = c.int_list(letter);
    return value::int_list({list.begin(), list.end()});
  }
  const value& one = decayed(c.at(letter));
  if (one.is_list()) fail(errc::nac_run_kind, "an empty list; expected a tensor");
  return one;
}

[[nodiscard]] const tensor& as_tensor(const value& v) {
  const value& one = decayed(v);
  if (!one.is_tensor()) fail(errc::nac_run_kind, "another kind of value; expected a tensor");
  return one.as_tensor();
}

[[nodiscard]] value reduced(call& c, const value& loss, const value& reduction) {
  const double how = reduction.is_none() ? 1 : call::number_of(reduction).real;
  if (how == 0) return loss;
  if (how == 1) return result_of(c, operation::mean, {loss});
  if (how == 2) return result_of(c, operation::sum, {loss});
  fail(errc::nac_run_argument, "reduction ", how, "; expected 0, 1 or 2");
}

/// What a token makes of its operands, the last values of the stack.
[[nodiscard]] value result_of_token(call& c, const token& t, std::span<value> operands) {
  switch (t.what) {
    case token::kind::argument: return argument_of(c, t.at);
    case token::kind::either: return std::move(operands[operands[0].is_none() ? 1 : 0]);
    case token::kind::whole: return make_number(c.arena, static_cast<std::int64_t>(t.number));
    case token::kind::real: return make_number(c.arena, t.number);
    case token::kind::string: return value::string(t.text);
    case token::kind::run: return result_of(c, t.operation, operands);
    case token::kind::type: return value::string(model::name(type_of(as_tensor(operands[0]))));
    case token::kind::shape: {
      const shape& dims = as_tensor(operands[0]).dims;
      return value::int_list({dims.begin(), dims.end()});
    }
    case token::kind::choose:
      return std::move(operands[call::number_of(operands[0]).real != 0 ? 1 : 2]);
    case token::kind::list:
      return value(std::vector<value>(std::make_move_iterator(operands.begin()),
                                      std::make_move_iterator(operands.end())));
    case token::kind::reduced: return reduced(c, operands[0], operands[1]);
    case token::kind::get:
    case token::kind::set:
    case token::kind::null: break;
  }
  return {};
}
[[nodiscard]] constexpr std::size_t operands_of(const token& t) {
  switch (t.what) {
    case token::kind::run:
    case token::kind::list: return t.at;
    case token::kind::choose: return 3;
    case token::kind::either:
    case token::kind::reduced: return 2;
    case token::kind::type:
    case token::kind::shape: return 1;
    case token::kind::argument:
    case token::kind::get:
    case token::kind::set:
    case token::kind::null:
    case token::kind::whole:
    case token::kind::real:
    case token::kind::string: break;
  }
  return 0;
}

[[nodiscard]] value evaluate(call& c, const expression& e) {
  std::vector<value> stack;
  value named[4];
  for (std::size_t i = 0; i < e.count; ++i) {
    const token& t = e.tokens[i];
    if (t.what == token::kind::set) {
      named[t.at] = std::move(stack.back());
      stack.pop_back();
      continue;
    }
    const std::size_t first = stack.size() - operands_of(t);
    value v = t.what == token::kind::get ? named[t.at]
                                         : result_of_token(c, t, std::span(stack).subspan(first));
    stack.resize(first);
    stack.push_back(std::move(v));
  }
  return std::move(stack.back());
}

}  // namespace

namespace operations {

#define TESSERA_X(name, text)                                                                      \
  value name(call& c) {                                                                            \
    static constexpr expression parsed = parser(text).parse();                                     \
    return evaluate(c, parsed);                                                                    \
  }
TESSERA_NAC_COMPOSITIONS(TESSERA_X)
#undef TESSERA_X

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
