// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Every computing operation of the machine on every type, against the plainest evaluation in doubles.

#include "ark/samples.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "numbers.hpp"
#include "script.hpp"
#include "support/catch.hpp"

namespace {

using numbers::all_types;
using numbers::is_real;
using numbers::rounded;
using numbers::same;
using numbers::wrapped;
using run::dims;
using run::script;
using run::shaped;
using tessera::errc;
using tessera::vm::ark::machine;
using list = std::vector<double>;

std::size_t count(const dims& shape) {
  std::size_t out = 1;
  for (const std::int64_t d : shape) out *= static_cast<std::size_t>(d);
  return out;
}
/// Indices of the element number i of a shape.
dims indices(const dims& shape, std::size_t i) {
  dims out(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; i /= static_cast<std::size_t>(shape[d]))
    out[d] = static_cast<std::int64_t>(i % static_cast<std::size_t>(shape[d]));
  return out;
}
/// The element of `shape` that is broadcast to one of a larger shape.
std::size_t broadcast(const dims& shape, const dims& at) {
  std::size_t out = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t i = at[d + at.size() - shape.size()];
    out =
        out * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(shape[d] == 1 ? 0 : i);
  }
  return out;
}

/// A model of one operation, its inputs and what it gives.
struct input {
  std::string type;
  dims shape;
  list values;
  shaped how = {};
};
list evaluate(const std::string& op, const std::vector<input>& in, const std::string& type,
              const dims& shape, const std::string& args = "{}", const shaped& how = {},
              bool fast = false) {
  script s;
  std::vector<int> reads;
  for (const input& i : in) reads.push_back(s.tensor(i.type, i.shape, s.buffer(), i.how));
  const int out = s.op(op, reads, {s.tensor(type, shape, s.buffer(), how)}, args);
  const run::world w({s.text()});
  machine vm(w.get(), {.fast = fast});
  if (!vm.made()) FAIL(op << ' ' << type << ": " << vm.made().text);
  for (std::size_t i = 0; i < in.size(); ++i)
    w.write(vm, reads[i], numbers::bytes(in[i].type, in[i].values));
  const auto done = vm.run();
  INFO(op << ' ' << type);
  CHECK(done.code == errc::ok);
  return numbers::values(type, w.read<std::byte>(vm, out));
}

void check_same(const list& got, const list& want) {
  REQUIRE(got.size() == want.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!same(got[i], want[i]) && wrong++ == 0)
      FAIL_CHECK("element " << i << " is " << got[i] << " rather than " << want[i]);
  CHECK(wrong == 0);
}
/// Up to one unit in the last place of the type.
void check_close(const std::string& type, const list& got, const list& want) {
  const double unit = type == "FP32" ? 0x1p-23 : type == "FP16" ? 0x1p-10 : 0x1p-7;
  const double least = type == "FP16" ? 0x1p-24 : type == "BF16" ? 0x1p-133 : 0x1p-149;
  REQUIRE(got.size() == want.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double slack = std::max(std::fabs(want[i]) * unit, least);
    const bool close = same(got[i], want[i]) || std::fabs(got[i] - want[i]) <= slack;
    if (!close && wrong++ == 0)
      FAIL_CHECK("element " << i << " is " << got[i] << " rather than " << want[i]);
  }
  CHECK(wrong == 0);
}

double binary(const std::string& op, const std::string& type, double a, double b) {
  if (is_real(type)) {
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    const float r = op == "Add" ? x + y : op == "Sub" ? x - y : op == "Mul" ? x * y : x / y;
    return rounded(type, static_cast<double>(r));
  }
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (op == "Div") return wrapped(type, x / y);
  if (op == "Mul")
    return wrapped(type, static_cast<std::int64_t>(static_cast<std::uint64_t>(x) *
                                                   static_cast<std::uint64_t>(y)));
  return wrapped(type, op == "Add" ? x + y : x - y);
}

/// x / 2 (1 + tanh(…)), without taking away what is nearly 1.
double gelu(double x) { return x / (1 + std::exp(-2 * 0.7978845608 * (x + 0.044715 * x * x * x))); }

/// What shapes and places operations are tried with.
struct variant {
  dims a, b, out;
  shaped how_a, how_b, how_out;
};
const std::vector<variant> variants = {
    {{70}, {70}, {70}, {}, {}, {}},
    {{3, 37}, {3, 37}, {3, 37}, {}, {}, {}},
    {{3, 37}, {1, 37}, {3, 37}, {}, {}, {}},
    {{3, 1}, {3, 37}, {3, 37}, {}, {}, {}},
    {{3, 1}, {1, 37}, {3, 37}, {}, {}, {}},
    {{1}, {2, 3, 4, 5}, {2, 3, 4, 5}, {}, {}, {}},
    {{2, 1, 4, 1}, {3, 1, 5}, {2, 3, 4, 5}, {}, {}, {}},
    // Parts of larger tensors, with and without padding.
    {{3, 7}, {3, 7}, {3, 7}, {{5, 9}, {1, 2}, {}}, {{3, 8}, {}, {3, 8}}, {{4, 16}, {1, 8}, {}}},
    {{2, 3, 2, 3},
     {2, 3, 2, 3},
     {2, 3, 2, 3},
     {{2, 4, 2, 5}, {0, 1, 0, 2}, {}},
     {},
     {{3, 3, 4, 3}, {1, 0, 2, 0}, {}}},
    {{5, 1}, {5, 1}, {5, 1}, {{5, 4}, {0, 3}, {}}, {}, {{6, 2}, {1, 1}, {}}},
};

}  // namespace

TEST_CASE("vm/ark: arithmetic on every type, broadcast, strided and with offsets", "[vm_ark]") {
  for (const std::string op : {"Add", "Sub", "Mul", "Div"})
    for (const std::string& type : all_types)
      for (const variant& v : variants) {
        INFO(op << ' ' << type << " variant " << (&v - variants.data()));
        const list a = numbers::some(type, count(v.a), 1);
        list b = numbers::some(type, count(v.b), 2);
        if (op == "Div" && !is_real(type))
          for (double& x : b) x = x == 0 ? 3 : x;
        if (type == "INT32" || type == "INT8") b[0] = -1;  // the least number by -1 wraps around
        list want;
        for (std::size_t i = 0; i < count(v.out); ++i) {
          const dims at = indices(v.out, i);
          want.push_back(binary(op, type, a[broadcast(v.a, at)], b[broadcast(v.b, at)]));
        }
        check_same(evaluate(op, {{type, v.a, a, v.how_a}, {type, v.b, b, v.how_b}}, type, v.out,
                            "{}", v.how_out),
                   want);
      }
}

TEST_CASE("vm/ark: operations on one tensor, of every type", "[vm_ark]") {
  const auto of_reals = [](double (*f)(double)) {
    return [f](const std::string& type, double x) {
      return rounded(type, static_cast<double>(static_cast<float>(f(x))));
    };
  };
  struct row {
    std::string op, args;
    std::function<double(const std::string&, double)> f;
    bool exact;
  };
  const float factor = 2.7f;
  const auto scalar = [factor](const std::string& type) {
    return rounded(type, static_cast<double>(factor));
  };
  const row rows[] = {
      {"Copy", "{}", [](const std::string&, double x) { return x; }, true},
      {"Store", "{}", [](const std::string&, double x) { return x; }, true},
      {"ScalarAdd", R"({"Factor":{"FLOAT":2.7}})",
       [&](const std::string& t, double x) { return binary("Add", t, x, scalar(t)); }, true},
      {"ScalarMul", R"({"Factor":{"FLOAT":2.7}})",
       [&](const std::string& t, double x) { return binary("Mul", t, x, scalar(t)); }, true},
      {"ScalarMul", R"({"Value":{"FLOAT":2.7}})",
       [&](const std::string& t, double x) { return binary("Mul", t, x, scalar(t)); }, true},
      {"Relu", "{}", [](const std::string&, double x) { return x > 0 ? x : 0.0; }, true},
      {"Sqrt", "{}", of_reals([](double x) { return std::sqrt(x); }), true},
      {"Rsqrt", "{}", of_reals([](double x) {
         const double root = std::sqrt(x);  // the sanitizer takes division by zero for a mistake
         return root == 0 ? std::copysign(HUGE_VAL, root) : 1 / root;
       }),
       false},
      {"Exp", "{}", of_reals([](double x) { return std::exp(x); }), false},
      {"Sigmoid", "{}", of_reals([](double x) { return 1 / (1 + std::exp(-x)); }), false},
      {"Gelu", "{}", of_reals([](double x) { return gelu(x); }), false},
  };
  for (const row& r : rows)
    for (const std::string& type : all_types)
      for (const variant& v : variants) {
        INFO(r.op << ' ' << type << " variant " << (&v - variants.data()));
        list a = numbers::some(type, count(v.a), 3);
        if (r.op == "Gelu")  // of -infinity it has no value
          for (double& x : a) x = std::isinf(x) ? 1 : x;
        list want;
        for (std::size_t i = 0; i < count(v.out); ++i)
          want.push_back(r.f(type, a[broadcast(v.a, indices(v.out, i))]));
        const list got = evaluate(r.op, {{type, v.a, a, v.how_a}}, type, v.out, r.args, v.how_out);
        if (r.exact || !is_real(type))
          check_same(got, want);
        else
          check_close(type, got, want);
      }
}

TEST_CASE("vm/ark: ScalarAssign rounds its value to the type", "[vm_ark]") {
  for (const std::string& type : all_types)
    for (const double value : {-3.7, 0.1, 1e9, 300.0}) {
      script s;
      const int whole = s.tensor(type, {4, 6});
      const int part = s.tensor(type, {2, 3}, 0, {{4, 6}, {1, 2}, {}});
      s.op("ScalarAssign", {}, {part}, R"({"Value":{"FLOAT":)" + std::to_string(value) + "}}");
      s.op("Noop", {whole}, {});
      const run::world w({s.text()});
      machine vm(w.get());
      REQUIRE(vm.run());
      list want(24, 0.0);
      const double stored = rounded(type, static_cast<double>(static_cast<float>(value)));
      for (const std::size_t i : {8u, 9u, 10u, 14u, 15u, 16u}) want[i] = stored;
      check_same(numbers::values(type, w.read<std::byte>(vm, whole)), want);
    }
}

TEST_CASE("vm/ark: casts between all types", "[vm_ark]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::string& from : all_types)
    for (const std::string& to : all_types) {
      INFO(from << " to " << to);
      list a = numbers::some(from, 40, 5);
      if (is_real(from))
        for (const double v :
             {0.5,          1.5,           2.5,          -0.5,      -1.5,   -2.5,    126.5,
              127.5,        128.0,         254.5,        255.5,     -128.5, -129.0,  2147483520.0,
              2147483648.0, -2147483648.0, 4294967296.0, 1e30,      -1e30,  65504.0, 65520.0,
              0.0,          -0.0,          infinity,     -infinity, nan})
          a.push_back(rounded(from, v));
      list want;
      for (const double x : a) {
        if (is_real(from) && !is_real(to))
          want.push_back(rounded(to, from == "FP32" ? x : std::nearbyint(x)));
        else if (!is_real(from) && !is_real(to))
          want.push_back(wrapped(to, static_cast<std::int64_t>(x)));
        else
          want.push_back(rounded(to, x));
      }
      const auto n = static_cast<std::int64_t>(a.size());
      check_same(evaluate("Cast", {{from, {n}, a}}, to, {n}), want);
      // One by one, with gaps.
      check_same(evaluate("Cast", {{from, {n, 1}, a, {{n, 3}, {0, 1}, {}}}}, to, {n, 1}, "{}",
                          {{n + 1, 2}, {1, 0}, {}}),
                 want);
    }
}

TEST_CASE("vm/ark: reductions over every axis of every type", "[vm_ark]") {
  const dims shape = {3, 4, 2, 5};
  for (const std::string op : {"ReduceSum", "ReduceMax", "ReduceMean"})
    for (const std::string& type : all_types)
      for (std::size_t rank = 1; rank <= 4; ++rank)
        for (std::size_t axis = 0; axis < rank; ++axis)
          for (const bool keep : {false, true}) {
            INFO(op << ' ' << type << " rank " << rank << " axis " << axis << " keep " << keep);
            const dims in(shape.end() - static_cast<std::ptrdiff_t>(rank), shape.end());
            dims out = in;
            out[axis] = 1;
            const dims kept = out;
            if (!keep && rank > 1) out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
            const list a =
                numbers::some(type, count(in), 7, keep);  // NaNs and infinities in one half
            list want;
            for (std::size_t i = 0; i < count(kept); ++i) {
              dims at = indices(kept, i);
              double sum = 0, most = type == "FP32"   ? -3.4028234663852886e38
                                     : type == "FP16" ? -65504
                                     : type == "BF16" ? -3.3895313892515355e38
                                                      : numbers::lowest(type);
              for (at[axis] = 0; at[axis] < in[axis]; ++at[axis]) {
                const double x = a[broadcast(in, at)];
                sum += x;
                most = x > most ? x : most;
              }
              const auto depth = static_cast<double>(in[axis]);
              if (op == "ReduceMax")
                want.push_back(most);
              else if (is_real(type))
                want.push_back(rounded(type, op == "ReduceSum" ? sum : sum / depth));
              else
                want.push_back(wrapped(
                    type,
                    static_cast<std::int64_t>(op == "ReduceSum" ? sum : std::trunc(sum / depth))));
            }
            // Negative axes count from the end.
            const std::string number = std::to_string(
                keep ? static_cast<int>(axis) : static_cast<int>(axis) - static_cast<int>(rank));
            check_same(evaluate(op, {{type, in, a}}, type, out,
                                R"({"Axis":{"INT":)" + number + R"(},"KeepDim":{"BOOL":)" +
                                    (keep ? "true" : "false") + "}}"),
                       want);
          }
}

TEST_CASE("vm/ark: a maximum drops NaNs and ends at the least finite number", "[vm_ark]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string args = R"({"Axis":{"INT":1},"KeepDim":{"BOOL":false}})";
  const list a = {nan, 1, 2, 2, nan, 1, 1, 2, nan, nan, nan, nan, -infinity, nan, -infinity};
  check_same(evaluate("ReduceMax", {{"FP16", {5, 3}, a}}, "FP16", {5}, args),
             {2, 2, 2, -65504, -65504});
  const list b = {-infinity, nan};
  check_same(evaluate("ReduceMax", {{"BF16", {1, 2}, b}}, "BF16", {1}, args), {-0x1.fep127});
  check_same(evaluate("ReduceMax", {{"FP32", {1, 2}, b}}, "FP32", {1}, args),
             {std::numeric_limits<float>::lowest()});
}

TEST_CASE("vm/ark: long rows of sums, in FP64 and rounded once", "[vm_ark]") {
  // 2048 is where FP16 stops counting by ones, 2^24 where FP32 does.
  const std::string along = R"({"Axis":{"INT":1},"KeepDim":{"BOOL":false}})";
  const std::string across = R"({"Axis":{"INT":0},"KeepDim":{"BOOL":false}})";
  check_same(evaluate("ReduceSum", {{"FP16", {2, 3001}, list(6002, 1.0)}}, "FP16", {2}, along),
             {3000, 3000});
  check_same(evaluate("ReduceSum", {{"FP16", {3001, 4}, list(12004, 1.0)}}, "FP16", {4}, across),
             list(4, 3000.0));
  check_same(evaluate("ReduceSum", {{"FP16", {3, 700}, list(2100, 1.0)}}, "FP16", {700}, across),
             list(700, 3.0));
  list a(5, 1.0);
  a[0] = 16777216;
  check_same(evaluate("ReduceSum", {{"FP32", {1, 5}, a}}, "FP32", {1}, along), {16777220});
}

TEST_CASE("vm/ark: transpositions", "[vm_ark]") {
  for (const std::string type : {"FP32", "BF16", "INT8"})
    for (std::size_t rank = 1; rank <= 4; ++rank) {
      dims order(rank);
      for (std::size_t d = 0; d < rank; ++d) order[d] = static_cast<std::int64_t>(d);
      const dims all = {2, 3, 4, 5},
                 in(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank));
      const list a = numbers::some(type, count(in), 9);
      do {
        dims out;
        std::string text;
        for (const std::int64_t d : order) {
          out.push_back(in[static_cast<std::size_t>(d)]);
          text += (text.empty() ? "" : ",") + std::to_string(d);
        }
        INFO(type << ' ' << text);
        list want;
        for (std::size_t i = 0; i < count(out); ++i) {
          const dims at = indices(out, i);
          dims from(rank);
          for (std::size_t d = 0; d < rank; ++d) from[static_cast<std::size_t>(order[d])] = at[d];
          want.push_back(a[broadcast(in, from)]);
        }
        check_same(evaluate("Transpose", {{type, in, a}}, type, out,
                            R"({"Permutation":{"DIMS":[)" + text + "]}}"),
                   want);
      } while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST_CASE("vm/ark: large transpositions", "[vm_ark]") {
  for (const std::string type : {"FP32", "FP16", "UINT8"}) {
    const std::int64_t rows = 70, columns = 45;
    const list a = numbers::some(type, 3150, 9);
    list want;
    for (std::size_t i = 0; i < 45; ++i)
      for (std::size_t j = 0; j < 70; ++j) want.push_back(a[j * 45 + i]);
    check_same(
        evaluate("Transpose", {{type, {rows, columns}, a, {{70, 47}, {0, 1}, {}}}}, type,
                 {columns, rows}, R"({"Permutation":{"DIMS":[1,0]}})", {{45, 72}, {0, 2}, {}}),
        want);
  }
}

namespace {

/// One product by its definition; indices of a in [.., m, k] and b in [.., k, n] once turned.
struct product_case {
  dims a, b, out;
  bool turn_a = false, turn_b = false;
  shaped how_a = {}, how_b = {}, how_out = {};
};
list multiply(const std::string& type, const product_case& c, const list& a, const list& b,
              const std::function<double(double, std::size_t)>& finish) {
  dims sa = c.a, sb = c.b, so = c.out;
  if (sa.size() == 1) sa.insert(sa.begin(), 1);
  if (sb.size() == 1) sb.push_back(1);
  while (so.size() < 4) so.insert(so.begin(), 1);
  while (sa.size() < 4) sa.insert(sa.begin(), 1);
  while (sb.size() < 4) sb.insert(sb.begin(), 1);
  const std::int64_t depth = c.turn_a ? sa[2] : sa[3];
  list out;
  for (std::size_t i = 0; i < count(so); ++i) {
    const dims at = indices(so, i);
    double sum = 0;
    std::uint64_t whole = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      const double x =
          a[broadcast(sa, c.turn_a ? dims{at[0], at[1], k, at[2]} : dims{at[0], at[1], at[2], k})];
      const double y =
          b[broadcast(sb, c.turn_b ? dims{at[0], at[1], at[3], k} : dims{at[0], at[1], k, at[3]})];
      if (is_real(type))
        sum += x * y;
      else
        whole += static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) *
                 static_cast<std::uint64_t>(static_cast<std::int64_t>(y));
    }
    out.push_back(is_real(type) ? rounded(type, finish(sum, i))
                                : wrapped(type, static_cast<std::int64_t>(whole)));
  }
  return out;
}
std::string turns(const product_case& c, const std::string& more = "") {
  return std::string(R"({"TransposeInput":{"BOOL":)") + (c.turn_a ? "true" : "false") +
         R"(},"TransposeOther":{"BOOL":)" + (c.turn_b ? "true" : "false") + "}" + more + "}";
}
const std::vector<product_case> products = {
    {{3, 4}, {4, 5}, {3, 5}},
    {{3, 4}, {5, 4}, {3, 5}, false, true},
    {{4, 3}, {4, 5}, {3, 5}, true, false},
    {{4, 3}, {5, 4}, {3, 5}, true, true},
    {{17, 40}, {40, 33}, {17, 33}},
    {{40, 17}, {33, 40}, {17, 33}, true, true},
    {{2, 3, 4}, {4, 5}, {2, 3, 5}},
    {{2, 3, 4}, {1, 4, 5}, {2, 3, 5}},
    {{1, 3, 3, 4}, {2, 1, 4, 5}, {2, 3, 3, 5}},
    {{2, 1, 4, 3}, {3, 5, 4}, {2, 3, 3, 5}, true, true},
    {{4}, {4, 5}, {1, 5}},
    {{3, 4}, {4}, {3, 1}},
    {{4}, {4}, {1, 1}},
    {{1, 600}, {600, 7}, {1, 7}},
    {{3, 4},
     {4, 5},
     {3, 5},
     false,
     false,
     {{5, 7}, {1, 2}, {}},
     {{4, 9}, {0, 3}, {}},
     {{4, 8}, {1, 1}, {}}},
    {{4, 3},
     {5, 4},
     {3, 5},
     true,
     true,
     {{5, 7}, {1, 2}, {}},
     {{6, 9}, {1, 3}, {}},
     {{4, 8}, {1, 1}, {}}},
};

}  // namespace

TEST_CASE("vm/ark: products of every type, in both modes", "[vm_ark]") {
  for (const std::string& type : all_types)
    for (const product_case& c : products) {
      INFO(type << " product " << (&c - products.data()));
      const list a = numbers::some(type, count(c.a), 11, is_real(type));
      const list b = numbers::some(type, count(c.b), 12, is_real(type));
      const list want = multiply(type, c, a, b, [](double sum, std::size_t) { return sum; });
      for (const std::string op : {"Matmul", "Mma"}) {
        if (op == "Mma" && type != "FP16") continue;
        check_same(evaluate(op, {{type, c.a, a, c.how_a}, {type, c.b, b, c.how_b}}, type, c.out,
                            turns(c), c.how_out),
                   want);
      }
      const list fast = evaluate("Matmul", {{type, c.a, a, c.how_a}, {type, c.b, b, c.how_b}}, type,
                                 c.out, turns(c), c.how_out, true);
      if (!is_real(type)) {
        check_same(fast, want);
        continue;
      }
      // The bound of the facts' 4.4, for numbers up to 4.
      const auto depth = static_cast<double>(c.turn_a ? c.a[c.a.size() - 2] : c.a.back());
      const double fraction = type == "FP32" ? 23 : type == "FP16" ? 10 : 7;
      double most = 0;
      for (std::size_t i = 0; i < want.size(); ++i)
        most = std::max(most, std::fabs(fast[i] - want[i]));
      CHECK(most <= 16 * depth * std::exp2(-fraction));
    }
}

TEST_CASE("vm/ark: sums of products in the middle between two numbers of 16 bits", "[vm_ark]") {
  // 1 + 2^-11 is in the middle for FP16; a little more, which FP32 drops, decides.
  const list a = {1, 0x1p-11, 0x1p-18};
  const product_case c{{1, 3}, {3, 1}, {1, 1}};
  check_same(evaluate("Matmul", {{"FP16", {1, 3}, a}, {"FP16", {3, 1}, {1, 1, 0x1p-14}}}, "FP16",
                      {1, 1}, turns(c)),
             {1 + 0x1p-10});
  check_same(evaluate("Matmul", {{"FP16", {1, 3}, a}, {"FP16", {3, 1}, {1, 1, 0}}}, "FP16", {1, 1},
                      turns(c)),
             {1});
  check_same(
      evaluate("Matmul", {{"BF16", {1, 3}, {1, 0x1p-8, 0x1p-30}}, {"BF16", {3, 1}, {1, 1, 1}}},
               "BF16", {1, 1}, turns(c)),
      {1 + 0x1p-7});
}

TEST_CASE("vm/ark: products with what is fused to them", "[vm_ark]") {
  for (const std::string type : {"FP32", "FP16", "BF16"})
    for (const product_case& c : products) {
      if (type == "BF16" && c.how_a.strides.empty()) continue;  // those that lie in a larger tensor
      INFO(type << " product " << (&c - products.data()));
      const list a = numbers::some(type, count(c.a), 13, true),
                 b = numbers::some(type, count(c.b), 14, true);
      const list residual = numbers::some(type, count(c.out), 15, true);
      const std::vector<input> in = {{type, c.a, a, c.how_a}, {type, c.b, b, c.how_b}};
      const auto to_float = [](double x) { return static_cast<double>(static_cast<float>(x)); };
      check_close(type, evaluate("MatmulGelu", in, type, c.out, turns(c), c.how_out),
                  multiply(type, c, a, b, [&](double sum, std::size_t) {
                    const double x = to_float(sum);
                    return gelu(x);
                  }));
      check_same(
          evaluate("MatmulScale", in, type, c.out, turns(c, R"(,"Scale":{"FLOAT":0.125})"),
                   c.how_out),
          multiply(type, c, a, b, [&](double sum, std::size_t) { return to_float(sum) * 0.125; }));
      std::vector<input> with = in;
      with.push_back({type, c.out, residual});
      check_same(evaluate("MatmulAdd", with, type, c.out, turns(c), c.how_out),
                 multiply(type, c, a, b, [&](double sum, std::size_t i) {
                   return to_float(to_float(sum) + residual[i]);
                 }));
    }
}

TEST_CASE("vm/ark: embeddings", "[vm_ark]") {
  for (const std::string& type : all_types) {
    const list table = numbers::some(type, 7 * 5, 17);
    const list rows = {0, 6, -1, -7, 3, 3};
    const auto row_of = [](double r) { return static_cast<std::size_t>(r < 0 ? r + 7 : r); };
    list want;
    for (const double r : rows)
      for (std::size_t c = 0; c < 5; ++c) want.push_back(table[row_of(r) * 5 + c]);
    const input values{type, {7, 5}, table, {{8, 6}, {1, 1}, {}}};
    check_same(evaluate("Embedding", {{"INT32", {2, 3}, rows}, values}, type, {1, 2, 3, 5}), want);
    check_same(evaluate("Embedding", {{"INT32", {2, 3}, rows, {{3, 4}, {1, 1}, {}}}, values}, type,
                        {2, 3, 5}, "{}", {{2, 3, 9}, {0, 0, 3}, {}}),
               want);
    check_same(evaluate("Embedding", {{"INT32", {6}, rows}, values}, type, {6, 5}), want);
  }
}

TEST_CASE("vm/ark: rotations of pairs", "[vm_ark]") {
  for (const std::string& type : all_types) {
    const dims shape = {2, 3, 6}, turn = {1, 3, 6};
    const list x = numbers::some(type, 36, 19), f = numbers::some(type, 18, 20, true);
    list want(36);
    for (std::size_t i = 0; i < 36; i += 2) {
      const std::size_t j = broadcast(turn, indices(shape, i));
      if (is_real(type)) {
        const auto x0 = static_cast<float>(x[i]), x1 = static_cast<float>(x[i + 1]);
        const auto f0 = static_cast<float>(f[j]), f1 = static_cast<float>(f[j + 1]);
        const float a = x0 * f0, b = x1 * f1, c = x0 * f1, d = x1 * f0;
        want[i] = rounded(type, static_cast<double>(a - b));
        want[i + 1] = rounded(type, static_cast<double>(c + d));
      } else {
        const auto x0 = static_cast<std::int64_t>(x[i]), x1 = static_cast<std::int64_t>(x[i + 1]);
        const auto f0 = static_cast<std::int64_t>(f[j]), f1 = static_cast<std::int64_t>(f[j + 1]);
        want[i] = wrapped(type, x0 * f0 - x1 * f1);
        want[i + 1] = wrapped(type, x0 * f1 + x1 * f0);
      }
    }
    check_same(evaluate("Rope", {{type, shape, x}, {type, turn, f}}, type, shape), want);
    check_same(evaluate("Rope", {{type, shape, x, {{2, 4, 8}, {0, 1, 1}, {}}}, {type, turn, f}},
                        type, shape, "{}", {{3, 3, 8}, {1, 0, 2}, {}}),
               want);
  }
}

TEST_CASE("vm/ark: softmax and layer normalization", "[vm_ark]") {
  for (const std::string type : {"FP32", "FP16", "BF16"}) {
    const dims shape = {2, 3, 11};
    const list x = numbers::some(type, 66, 21, true), gamma = numbers::some(type, 11, 22, true),
               beta = numbers::some(type, 11, 23, true);
    list soft(66), normal(66);
    for (std::size_t r = 0; r < 66; r += 11) {
      double most = x[r], sum = 0, mean = 0, squares = 0;
      for (std::size_t i = r; i < r + 11; ++i) most = std::max(most, x[i]);
      for (std::size_t i = r; i < r + 11; ++i) sum += std::exp(x[i] - most);
      for (std::size_t i = r; i < r + 11; ++i) mean += x[i] / 11;
      for (std::size_t i = r; i < r + 11; ++i) squares += (x[i] - mean) * (x[i] - mean) / 11;
      for (std::size_t i = r; i < r + 11; ++i) {
        soft[i] = rounded(type, std::exp(x[i] - most) / sum);
        normal[i] =
            rounded(type, (x[i] - mean) / std::sqrt(squares + 1e-5) * gamma[i - r] + beta[i - r]);
      }
    }
    check_close(type, evaluate("Softmax", {{type, shape, x}}, type, shape), soft);
    check_close(type,
                evaluate("Softmax", {{type, shape, x, {{2, 4, 13}, {0, 1, 2}, {}}}}, type, shape,
                         "{}", {{2, 3, 12}, {}, {}}),
                soft);
    const std::vector<input> in = {{type, shape, x}, {type, {11}, gamma}, {type, {1, 11}, beta}};
    check_close(type, evaluate("LayerNorm", in, type, shape), normal);
  }
}
