// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "vm/nac/nearly.hpp"

using namespace vm_nac_tests;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A[m,k] B[k,n] at offsets of both.
void multiply(std::size_t m, std::size_t n, std::size_t k, const double* a, const double* b,
              double* c) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      c[i * n + j] = 0;
      for (std::size_t p = 0; p < k; ++p) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
}
[[nodiscard]] reals product(std::size_t m, std::size_t n, std::size_t k, const reals& a,
                            const reals& b) {
  reals c(m * n);
  multiply(m, n, k, a.data(), b.data(), c.data());
  return c;
}
[[nodiscard]] reals of(const vm::value& v) { return numbers(v.as_tensor()); }

/// Every combination of the equation's letters, one product each; no ellipsis.
[[nodiscard]] reals by_definition(const std::string& terms, const std::string& result,
                                  const arguments& operands) {
  std::map<char, std::size_t> size, at;
  std::vector<std::string> letters(1);
  for (const char ch : terms) {
    if (ch == ',')
      letters.emplace_back();
    else
      letters.back() += ch;
  }
  std::size_t all = 1, results = 1;
  for (std::size_t k = 0; k < letters.size(); ++k)
    for (std::size_t i = 0; i < letters[k].size(); ++i) {
      std::size_t& s = size.emplace(letters[k][i], 1).first->second;
      s = std::max(s, static_cast<std::size_t>(operands[k].as_tensor().dim(i)));
    }
  for (const auto& [ch, n] : size) all *= n;
  for (const char ch : result) results *= size[ch];
  std::vector<reals> values;
  for (const vm::value& v : operands) values.push_back(of(v));
  reals out(results, 0.0);
  for (std::size_t index = 0; index < all; ++index) {
    std::size_t rest = index;
    for (const auto& [ch, n] : size) {
      at[ch] = rest % n;
      rest /= n;
    }
    double term = 1;
    for (std::size_t k = 0; k < letters.size(); ++k) {
      std::size_t offset = 0;
      for (std::size_t i = 0; i < letters[k].size(); ++i) {
        const auto n = static_cast<std::size_t>(operands[k].as_tensor().dim(i));
        offset = offset * n + (n == 1 ? 0 : at[letters[k][i]]);
      }
      term *= values[k][offset];
    }
    std::size_t to = 0;
    for (const char ch : result) to = to * size[ch] + at[ch];
    out[to] += term;
  }
  return out;
}

struct attended {
  std::size_t rows, columns, depth, width;
  bool is_causal = false;
  double scale = 0;  // 0: 1 / sqrt(depth)
};
/// One head; `added` is what each score gets, or empty.
[[nodiscard]] reals attend(const attended& a, const double* q, const double* k, const double* v,
                           const reals& added) {
  reals out(a.rows * a.width, 0.0);
  const double scale = a.scale != 0 ? a.scale : 1 / std::sqrt(static_cast<double>(a.depth));
  for (std::size_t i = 0; i < a.rows; ++i) {
    reals weight(a.columns);
    double sum = 0;
    for (std::size_t j = 0; j < a.columns; ++j) {
      double score = 0;
      for (std::size_t d = 0; d < a.depth; ++d) score += q[i * a.depth + d] * k[j * a.depth + d];
      score = score * scale + (added.empty() ? 0.0 : added[i * a.columns + j]);
      weight[j] = a.is_causal && j > i ? 0.0 : std::exp(score);
      sum += weight[j];
    }
    for (std::size_t j = 0; sum > 0 && j < a.columns; ++j)
      for (std::size_t w = 0; w < a.width; ++w)
        out[i * a.width + w] += weight[j] / sum * v[j * a.width + w];
  }
  return out;
}

}  // namespace

TEST_CASE("vm/nac/products: matrices of every type, integers wrap", "[vm_nac]") {
  bench b;
  random_tensors some(1);
  for (const data_type type : with_products) {
    INFO(tessera::nac::name(type));
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
             {1, 1, 1}, {2, 3, 4}, {1, 7, 5}, {9, 1, 3}, {17, 70, 33}, {5, 130, 70}}) {
      const vm::value x = some.make(b, type, {m, k}), y = some.make(b, type, {k, n});
      check_nearly(b.run("aten.mm.default", {x, y}), {m, n},
                   product(static_cast<std::size_t>(m), static_cast<std::size_t>(n),
                           static_cast<std::size_t>(k), of(x), of(y)));
    }
  }
  const vm::value large = b.make(data_type::int64, {1, 2}, {9e18, 9e18});
  const vm::value two = b.make(data_type::int64, {2, 1}, {2, 2});
  CHECK(numbers(b.run("aten.mm.default", {large, two}).as_tensor())[0] ==
        36e18 - 2 * 18446744073709551616.0);
}

TEST_CASE("vm/nac/products: batches broadcast, vectors lose their dimension", "[vm_nac]") {
  bench b;
  random_tensors some(2);
  const auto mm = [&](const vm::value& x, const vm::value& y) {
    return b.run("aten.matmul.default", {x, y});
  };
  for (const data_type type : {data_type::float32, data_type::float16, data_type::int32}) {
    const vm::value x = some.make(b, type, {2, 1, 3, 4}), y = some.make(b, type, {5, 4, 2});
    reals expected(2 * 5 * 6);
    const reals xs = of(x), ys = of(y);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 5; ++j)
        multiply(3, 2, 4, &xs[i * 12], &ys[j * 8], &expected[(i * 5 + j) * 6]);
    check_nearly(mm(x, y), {2, 5, 3, 2}, expected);
    // One matrix for all: rows of the batch are rows of one product.
    const vm::value w = some.make(b, type, {4, 3});
    check_nearly(mm(x, w), {2, 1, 3, 3}, product(6, 3, 4, xs, of(w)));
    const vm::value v = some.make(b, type, {4});
    check_nearly(mm(x, v), {2, 1, 3}, product(6, 1, 4, xs, of(v)));
    check_nearly(mm(v, v), {}, product(1, 1, 4, of(v), of(v)));
    reals rows(5 * 2);
    for (std::size_t j = 0; j < 5; ++j) multiply(1, 2, 4, of(v).data(), &ys[j * 8], &rows[j * 2]);
    check_nearly(mm(v, y), {5, 2}, rows);
  }
  CHECK(text(mm(b.f32({2, 0}, {}), b.f32({0, 2}, {}))) == "f32 [2, 2] 0 0 0 0");
  CHECK(text(mm(b.f32({0, 3}, {}), b.counted({3, 2}))) == "f32 [0, 2]");
  CHECK(text(mm(b.f32({0, 1, 3}, {}), b.counted({3, 2}))) == "f32 [0, 1, 2]");
  CHECK(text(mm(b.f32({1}, {not_a_number}), b.f32({1}, {0}))) == "f32 [] nan");
}

TEST_CASE("vm/nac/products: what PyTorch refuses is refused", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3}), y = b.counted({3, 2}), v = b.counted({3});
  const vm::value scalar = b.f32({}, {1});
  const auto fault = [&](const char* name, const arguments& a) { return b.fault(name, a); };
  CHECK(fault("aten.matmul.default", {x, x}) == errc::nac_run_shape);
  CHECK(fault("aten.matmul.default", {scalar, v}) == errc::nac_run_shape);
  CHECK(fault("aten.matmul.default", {v, scalar}) == errc::nac_run_shape);
  CHECK(fault("aten.matmul.default", {x, b.counted({3, 2}, data_type::float64)}) ==
        errc::nac_run_type);
  CHECK(fault("aten.matmul.default", {b.truths({1, 1}, {1}), b.truths({1, 1}, {1})}) ==
        errc::nac_run_type);
  CHECK(fault("aten.matmul.default", {b.counted({2, 1, 1}), b.counted({3, 1, 1})}) ==
        errc::nac_run_shape);
  CHECK(fault("aten.linear.default", {x, y}) == errc::nac_run_shape);
  CHECK(fault("aten.linear.default", {x, x, b.counted({3})}) == errc::nac_run_shape);
  CHECK(fault("aten.linear.default", {x, v, b.counted({1})}) == errc::nac_run_shape);
  CHECK(fault("aten.linear.default", {scalar, x}) == errc::nac_run_shape);
  CHECK(fault("aten.linear.default", {x, b.counted({1, 2, 3})}) == errc::nac_run_shape);
  CHECK(fault("aten.linear.default", {x, x, b.counted({2}, data_type::int64)}) ==
        errc::nac_run_type);
  CHECK(fault("aten.addmm.default", {b.counted({3}), x, y}) == errc::nac_run_shape);
  CHECK(fault("aten.addmm.default", {b.counted({1, 2, 2}), x, y}) == errc::nac_run_shape);
  CHECK(fault("aten.addmm.default", {v, x, v}) == errc::nac_run_shape);
  CHECK(fault("aten.baddbmm.default", {scalar, x, y}) == errc::nac_run_shape);
  CHECK(fault("aten.baddbmm.default", {scalar, b.counted({2, 1, 1}), b.counted({1, 1, 1})}) ==
        errc::nac_run_shape);
  CHECK(fault("aten.outer.default", {x, v}) == errc::nac_run_shape);
  // Empty factors of large results: refused before memory is taken.
  CHECK(fault("aten.mm.default", {b.f32({1 << 20, 0}, {}), b.f32({0, 1 << 20}, {})}) ==
        errc::budget_memory);
  CHECK(fault("aten.mm.default", {b.f32({std::int64_t{1} << 40, 0}, {}),
                                  b.f32({0, std::int64_t{1} << 40}, {})}) == errc::budget_memory);
}

TEST_CASE("vm/nac/products: linear layers", "[vm_nac]") {
  bench b;
  random_tensors some(3);
  for (const data_type type : with_products) {
    INFO(tessera::nac::name(type));
    const vm::value x = some.make(b, type, {2, 3, 5}), w = some.make(b, type, {4, 5});
    const vm::value bias = some.make(b, type, {4});
    const reals xs = of(x), ws = of(w), bs = of(bias);
    reals plain(24), with_bias(24);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 5; ++k) sum += xs[i * 5 + k] * ws[j * 5 + k];
        plain[i * 4 + j] = sum;
        with_bias[i * 4 + j] = sum + bs[j];
      }
    check_nearly(b.run("aten.linear.default", {x, w}), {2, 3, 4}, plain);
    check_nearly(b.run("aten.linear.default", {x, w, bias}), {2, 3, 4}, with_bias);
    check_nearly(b.run("aten.linear.default", {x, w, b.none()}), {2, 3, 4}, plain);
    const vm::value row = b.make(type, {5}, reals(ws.begin(), ws.begin() + 5));
    reals first;
    for (std::size_t i = 0; i < 6; ++i) first.push_back(plain[i * 4]);
    check_nearly(b.run("aten.linear.default", {x, row}), {2, 3}, first);
  }
  // A bias that broadcasts otherwise.
  const vm::value one = b.f32({1, 2}, {1, 2}), w = b.f32({3, 2}, {1, 0, 0, 1, 1, 1});
  CHECK(text(b.run("aten.linear.default", {one, w, b.f32({}, {10})})) == "f32 [1, 3] 11 12 13");
  CHECK(text(b.run("aten.linear.default", {one, w, b.f32({1, 3}, {10, 20, 30})})) ==
        "f32 [1, 3] 11 22 33");
  CHECK(text(b.run("aten.linear.default",
                   {b.f32({2, 1, 1, 2}, {1, 2, 3, 4}), w, b.f32({2, 1, 1, 1}, {10, 20})})) ==
        "f32 [2, 1, 1, 3] 11 12 13 23 24 27");
  CHECK(text(b.run("aten.linear.default", {b.f32({0, 2}, {}), w})) == "f32 [0, 3]");
  vm::shape deep = {2};
  while (deep.rank() < vm::max_rank) deep.insert(0, 1);
  CHECK(b.run("aten.linear.default", {b.f32(deep, {1, 2}), w}).as_tensor().dims[15] == 3);
  CHECK(text(b.run("aten.linear.default", {b.f32({2, 0}, {}), b.f32({2, 0}, {}),
                                           b.f32({2}, {5, 6})})) == "f32 [2, 2] 5 6 5 6");
  // 16-bit weights of more than the part that is widened at a time.
  const vm::value wide = some.make(b, data_type::bfloat16, {70, 4000});
  const vm::value x = some.make(b, data_type::bfloat16, {1, 4000});
  reals expected(70, 0.0);
  const reals xs = of(x), ws = of(wide);
  for (std::size_t j = 0; j < 70; ++j)
    for (std::size_t k = 0; k < 4000; ++k) expected[j] += xs[k] * ws[j * 4000 + k];
  check_nearly(b.run("aten.linear.default", {x, wide}), {1, 70}, expected);
  const vm::value turned = some.make(b, data_type::bfloat16, {4000, 70});
  check_nearly(b.run("aten.mm.default", {x, turned}), {1, 70},
               product(1, 70, 4000, xs, of(turned)));
}

TEST_CASE("vm/nac/products: addmm and baddbmm", "[vm_nac]") {
  bench b;
  random_tensors some(4);
  for (const data_type type : with_products) {
    INFO(tessera::nac::name(type));
    const vm::value x = some.make(b, type, {2, 3, 4}), y = some.make(b, type, {2, 4, 5});
    const vm::value more = some.make(b, type, {5});
    const reals xs = of(x), ys = of(y), ms = of(more);
    reals sum(30), mixed(30);
    for (std::size_t i = 0; i < 2; ++i) multiply(3, 5, 4, &xs[i * 12], &ys[i * 20], &sum[i * 15]);
    mixed = sum;
    for (std::size_t i = 0; i < 30; ++i) {
      sum[i] += ms[i % 5];
      mixed[i] = 3 * mixed[i] + 2 * ms[i % 5];
    }
    check_nearly(b.run("aten.baddbmm.default", {more, x, y}), {2, 3, 5}, sum);
    check_nearly(b.run("aten.baddbmm.default", {more, x, y, b.f(2), b.i(3)}), {2, 3, 5}, mixed);
    const vm::value x0 = b.make(type, {3, 4}, reals(xs.begin(), xs.begin() + 12));
    const vm::value y0 = b.make(type, {4, 5}, reals(ys.begin(), ys.begin() + 20));
    check_nearly(b.run("aten.addmm.default", {more, x0, y0, b.i(2), b.i(3)}), {3, 5},
                 reals(mixed.begin(), mixed.begin() + 15));
  }
  const vm::value nan = b.f32({}, {not_a_number}), one = b.f32({1, 1}, {2}),
                  three = b.f32({1, 1}, {3});
  const auto run = [&](const arguments& a) { return text(b.run("aten.addmm.default", a)); };
  CHECK(run({nan, one, three, b.i(0)}) == "f32 [1, 1] 6");
  CHECK(run({one, b.f32({1, 1}, {not_a_number}), one, b.i(3), b.i(0)}) == "f32 [1, 1] 6");
  CHECK(run({one, b.f32({1, 0}, {}), b.f32({0, 1}, {}), b.i(3)}) == "f32 [1, 1] 6");
  // A factor of integers is one: 0.5 is none.
  CHECK(run({b.i64({1}, {7}), b.i64({1, 1}, {2}), b.i64({1, 1}, {3}), b.f(0.5)}) == "i64 [1, 1] 6");
}

TEST_CASE("vm/nac/products: outer", "[vm_nac]") {
  bench b;
  CHECK(text(b.run("aten.outer.default", {b.f32({2}, {2, 3}), b.i64({3}, {1, 2, 3})})) ==
        "f32 [2, 3] 2 4 6 3 6 9");
  CHECK(text(b.run("aten.outer.default", {b.truths({2}, {1, 0}), b.truths({2}, {1, 1})})) ==
        "bool [2, 2] 1 1 0 0");
  CHECK(text(b.run("aten.outer.default", {b.make(data_type::int8, {1}, {100}),
                                          b.make(data_type::int8, {1}, {3})})) == "i8 [1, 1] 44");
  CHECK(text(b.run("aten.outer.default", {b.f32({0}, {}), b.f32({2}, {1, 2})})) == "f32 [0, 2]");
  CHECK(b.fault("aten.outer.default", {b.f32({0, 1}, {}), b.f32({2}, {1, 2})}) ==
        errc::nac_run_shape);
}

TEST_CASE("vm/nac/products: einsum is what its equation defines", "[vm_nac]") {
  bench b;
  random_tensors some(5);
  const std::map<char, std::int64_t> sizes = {{'i', 2}, {'j', 3}, {'k', 4}, {'l', 5}, {'B', 2}};
  for (const auto& [terms, result] : std::vector<std::pair<std::string, std::string>>{
           {"ij,jk", "ik"},  {"ij,jk", "ki"},     {"ij", "ji"},       {"ij", ""},
           {"ij", "j"},      {"ii", "i"},         {"ii", ""},         {"iij,jk", "ik"},
           {"i,j,k", "kij"}, {"Bij,Bjk", "Bik"},  {"Bij,Bkj", "kBi"}, {"ij,ij", ""},
           {"ij,ij", "ij"},  {"ijk,l", "lj"},     {"ij,jk,kl", "il"}, {"ij,jk,ki", ""},
           {"jjj", "j"},     {"ijkl,lkji", "il"}, {",ij", "ij"},      {"i,i,i", "i"}}) {
    for (const data_type type : {data_type::float32, data_type::float64, data_type::float16}) {
      arguments operands;
      vm::shape dims;
      for (const char ch : terms + ",") {
        if (ch == ',') {
          operands.push_back(some.make(b, type, dims));
          dims = {};
        } else {
          dims.push_back(sizes.at(ch));
        }
      }
      vm::shape expected;
      for (const char ch : result) expected.push_back(sizes.at(ch));
      arguments all = {b.s(terms + " -> " + result)};
      all.insert(all.end(), operands.begin(), operands.end());
      INFO(terms << " -> " << result);
      check_nearly(b.run("aten.einsum.default", all), expected,
                   by_definition(terms, result, operands), 8);
    }
  }
}

TEST_CASE("vm/nac/products: einsum's ellipses, implied results, types", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3}), y = b.counted({3, 2}), v = b.f32({3}, {1, 2, 3});
  const auto run = [&](const char* equation, arguments a) {
    a.insert(a.begin(), b.s(equation));
    return text(b.run("aten.einsum.default", a));
  };
  CHECK(run("ba", {x}) == "f32 [3, 2] 0 3 1 4 2 5");
  CHECK(run("jI", {x}) == "f32 [3, 2] 0 3 1 4 2 5");  // capitals first
  CHECK(run(" i j , j k ", {x, y}) == "f32 [2, 2] 10 13 28 40");
  CHECK(run("...", {x}) == "f32 [2, 3] 0 1 2 3 4 5");
  CHECK(run("...j->...", {x}) == "f32 [2] 3 12");
  CHECK(run("i...->i", {x}) == "f32 [2] 3 12");
  CHECK(run("...j,j", {x, v}) == "f32 [2] 8 26");
  CHECK(run("...,...->...", {x, v}) == "f32 [2, 3] 0 2 6 3 8 15");
  CHECK(run("...i,...->i...", {x, b.f32({2}, {10, 100})}) == "f32 [3, 2] 0 300 10 400 20 500");
  CHECK(run("->", {b.f32({}, {4})}) == "f32 [] 4");
  CHECK(run("ij,jk", {b.f32({2, 1}, {1, 2}), y}) == "f32 [2, 2] 6 9 12 18");  // 1 broadcasts
  CHECK(run("ij,jk->ik", {b.f32({2, 0}, {}), b.f32({0, 2}, {})}) == "f32 [2, 2] 0 0 0 0");
  CHECK(run("ij->j", {b.f32({0, 2}, {})}) == "f32 [2] 0 0");
  CHECK(run("ii", {b.make(data_type::int8, {2, 2}, {100, 0, 0, 100})}) == "i64 [] 200");
  CHECK(run("ii->i", {b.truths({2, 2}, {1, 0, 1, 0})}) == "bool [2] 1 0");
  CHECK(run("i,j->ij", {b.truths({2}, {1, 0}), b.i64({1}, {5})}) == "i64 [2, 1] 5 0");
  CHECK(run("i,i->i", {b.truths({2}, {1, 1}), b.truths({2}, {1, 0})}) == "bool [2] 1 0");

  const auto fault = [&](const char* equation, arguments a) {
    a.insert(a.begin(), b.s(equation));
    return b.fault("aten.einsum.default", a);
  };
  for (const char* const wrong :
       {"i1", "ij->->", "ij-ji", "ij>ji", "ij->ij,", "..j", "i.j", "i. ..", "...i...", "ij->k",
        "ij->ii", "ij->ij......", "i", "ijk", "ij,", "ij,j", "...ijk", "ij-", "i\xc3\xa9"})
    CHECK(fault(wrong, {x}) == errc::nac_run_argument);
  CHECK(fault("ij", {x, v}) == errc::nac_run_argument);
  CHECK(fault("ii", {x}) == errc::nac_run_argument);
  CHECK(fault("ij,jk", {x, x}) == errc::nac_run_shape);
  CHECK(fault("ij,jk", {x, b.counted({3, 2}, data_type::int64)}) == errc::nac_run_type);
  CHECK(fault("ij,ij->i", {b.truths({1, 2}, {1, 1}), b.truths({1, 2}, {1, 1})}) ==
        errc::nac_run_type);
  // More dimensions than tensors have, on the way or in the end.
  const vm::value deep = b.counted({1, 1, 1, 1, 1, 1, 1, 1, 1, 2});
  CHECK(fault("abcdefghij,klmnopqrst", {deep, deep}) == errc::nac_run_rank);
  CHECK(fault("abcdefghijklmnopqrstuvwxyz", {deep}) == errc::nac_run_rank);
  CHECK(fault("abcdefghijklmnop", {x}) == errc::nac_run_argument);
  CHECK(fault("abcdefghijklmnopq", {x}) == errc::nac_run_rank);
  const vm::value long_one = b.f32({1 << 16}, reals(1 << 16));
  CHECK(fault("a,b,c->abc", {long_one, long_one, long_one}) == errc::budget_memory);
}

TEST_CASE("vm/nac/products: einsum of 16 dimensions, and of one more", "[vm_nac]") {
  bench b;
  const char* const name = "aten.einsum.default";
  const auto ones = [&](std::size_t rank) {  // of 2 in every dimension
    vm::shape dims;
    for (std::size_t i = 0; i < rank; ++i) dims.push_back(2);
    return b.f32(dims, reals(std::size_t{1} << rank, 1));
  };
  const vm::value eight = ones(8), nine = ones(9), all = ones(16);
  // In the result.
  CHECK(b.run(name, {b.s("abcdefgh,ijklmnop"), eight, eight}).as_tensor().rank() == 16);
  CHECK(b.run(name, {b.s("abcdefghijklmnop..."), all}).as_tensor().rank() == 16);
  CHECK(b.fault(name, {b.s("abcdefghi,jklmnopq"), nine, eight}) == errc::nac_run_rank);
  // The 17th is refused before the 18th, which no operand has, is looked at.
  const vm::value flat = b.counted({1, 1, 1, 1, 1, 1, 1, 1}),
                  flatter = b.counted({1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(b.fault(name, {b.s("...abcdefg,hijklmno->...abcdefghijklmnoZ"), flatter, flat}) ==
        errc::nac_run_rank);
  CHECK(b.fault(name, {b.s("...abcdefg,hijklmn->...abcdefghijklmnZ"), flatter,
                       b.counted({1, 1, 1, 1, 1, 1, 1})}) == errc::nac_run_argument);
  // On the way to it.
  CHECK(text(b.run(name, {b.s("abcdefgh,ijklmnop,abcdefghijklmnop->p"), eight, eight, all})) ==
        "f32 [2] 32768 32768");
  CHECK(b.fault(name, {b.s("abcdefghi,jklmnopq,abcdefghijklmnop->q"), nine, eight, all}) ==
        errc::nac_run_rank);
}

TEST_CASE("vm/nac/products: attention", "[vm_nac]") {
  bench b;
  random_tensors some(6);
  const char* const name = "aten.scaled_dot_product_attention.default";
  for (const data_type type : floats) {
    INFO(tessera::nac::name(type));
    attended a{3, 5, 4, 2};
    const vm::value q = some.make(b, type, {2, 2, 3, 4}), k = some.make(b, type, {2, 2, 5, 4});
    const vm::value v = some.make(b, type, {2, 2, 5, 2});
    const reals qs = of(q), ks = of(k), vs = of(v);
    const auto all = [&](const attended& how, const reals& added) {
      reals out;
      for (std::size_t h = 0; h < 4; ++h) {
        const reals one = attend(how, &qs[h * 12], &ks[h * 20], &vs[h * 10], added);
        out.insert(out.end(), one.begin(), one.end());
      }
      return out;
    };
    check_nearly(b.run(name, {q, k, v}), {2, 2, 3, 2}, all(a, {}));
    // Arguments by position: dropout and is_causal, or only a scale.
    const attended scaled{3, 5, 4, 2, false, 0.25}, causal{3, 5, 4, 2, true},
        both{3, 5, 4, 2, true, 2};
    check_nearly(b.run(name, {q, k, v, b.f(0.25)}), {2, 2, 3, 2}, all(scaled, {}));
    check_nearly(b.run(name, {q, k, v, b.none(), b.f(0), b.b(true)}), {2, 2, 3, 2},
                 all(causal, {}));
    check_nearly(b.run(name, {q, k, v, b.b(true)}), {2, 2, 3, 2}, all(causal, {}));
    check_nearly(b.run(name, {q, k, v, b.none(), b.f(0), b.b(true), b.f(2)}), {2, 2, 3, 2},
                 all(both, {}));
    // Masks: truths keep, floats are added; they broadcast.
    const reals kept = {1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1};
    reals added;
    for (const double t : kept) added.push_back(t != 0 ? 0 : -infinity);
    check_nearly(b.run(name, {q, k, v, b.truths({3, 5}, kept)}), {2, 2, 3, 2}, all(a, added));
    check_nearly(b.run(name, {q, k, v, b.make(type, {1, 1, 3, 5}, added)}), {2, 2, 3, 2},
                 all(a, added));
    const reals columns = {0.5, -1, 0, 2, -infinity};
    reals repeated;
    for (int i = 0; i < 3; ++i) repeated.insert(repeated.end(), columns.begin(), columns.end());
    check_nearly(b.run(name, {q, k, v, b.f32({5}, columns), b.f(0.25)}), {2, 2, 3, 2},
                 all(scaled, repeated));
  }
}

TEST_CASE("vm/nac/products: attention in many blocks, by groups, and at its edges", "[vm_nac]") {
  bench b;
  random_tensors some(7);
  const char* const name = "aten.scaled_dot_product_attention.default";
  {
    attended a{300, 700, 8, 3, true};
    const vm::value q = some.make(b, data_type::float32, {300, 8});
    const vm::value k = some.make(b, data_type::float32, {700, 8});
    const vm::value v = some.make(b, data_type::float32, {700, 3});
    const reals qs = of(q), ks = of(k), vs = of(v);
    check_nearly(b.run(name, {q, k, v, b.none(), b.f(0), b.b(true)}), {300, 3},
                 attend(a, qs.data(), ks.data(), vs.data(), {}));
    a.is_causal = false;
    check_nearly(b.run(name, {q, k, v}), {300, 3}, attend(a, qs.data(), ks.data(), vs.data(), {}));
  }
  const vm::value x = b.counted({1, 2, 2});
  // A row that sees nothing is zeros; a NaN among what it sees stays.
  CHECK(text(b.run(name, {x, x, x, b.truths({2, 2}, {0, 0, 0, 1})})) == "f32 [1, 2, 2] 0 0 2 3");
  CHECK(text(b.run(name, {x, x, x, b.f32({2, 2}, {-infinity, not_a_number, 0, -infinity})})) ==
        "f32 [1, 2, 2] nan nan 0 1");
  CHECK(text(b.run(name, {x, b.f32({1, 0, 2}, {}), b.f32({1, 0, 2}, {})})) ==
        "f32 [1, 2, 2] 0 0 0 0");
  CHECK(text(b.run(name, {b.f32({2, 0}, {}), b.f32({2, 0}, {}), b.f32({2, 1}, {1, 3})})) ==
        "f32 [2, 1] 2 2");
  CHECK(text(b.run(name, {b.f32({0, 2, 2}, {}), b.f32({0, 2, 2}, {}), b.f32({0, 2, 2}, {})})) ==
        "f32 [0, 2, 2]");
  // Heads of queries in groups.
  const vm::value q = b.counted({4, 1, 1}), k = b.counted({2, 1, 1}), v = b.f32({2, 1, 1}, {7, 8});
  CHECK(text(b.run(name, {q, k, v, b.none(), b.f(0), b.b(false), b.b(true)})) ==
        "f32 [4, 1, 1] 7 7 8 8");
  CHECK(b.fault(name, {q, k, v}) == errc::nac_run_shape);
  CHECK(b.fault(name, {x, x, x, b.none(), b.f(0.5), b.b(false)}) == errc::nac_run_argument);
  CHECK(b.fault(name, {x, x, x, b.truths({}, {1}), b.f(0), b.b(true)}) == errc::nac_run_argument);
  CHECK(b.fault(name, {x, x, x, b.i64({}, {1})}) == errc::nac_run_type);
  CHECK(b.fault(name, {x, x, x, b.f32({3, 2}, reals(6))}) == errc::nac_run_shape);
  CHECK(b.fault(name, {x, x, x, b.f32({5, 2, 2}, reals(20))}) == errc::nac_run_shape);
  CHECK(b.fault(name, {x, b.counted({1, 2, 3}), x}) == errc::nac_run_shape);
  CHECK(b.fault(name, {x, x, b.counted({1, 3, 2})}) == errc::nac_run_shape);
  CHECK(b.fault(name, {x, x, b.counted({2})}) == errc::nac_run_shape);
  const vm::value whole = b.counted({1, 2, 2}, data_type::int64);
  CHECK(b.fault(name, {whole, whole, whole}) == errc::nac_run_type);
}

TEST_CASE("vm/nac/products: attention takes memory for a block of rows", "[vm_nac]") {
  bench b;
  random_tensors some(8);
  const vm::value q = some.make(b, data_type::float32, {2, 2048, 4});
  b.arena.reset_peak();
  const std::uint64_t before = b.arena.live();
  CHECK(b.run("aten.scaled_dot_product_attention.default", {q, q, q}).as_tensor().size() != 0);
  CHECK(b.arena.peak() - before <= (1 << 20));  // the scores of one head are 16 MiB
}

TEST_CASE("vm/nac/products: LSTM cells", "[vm_nac]") {
  bench b;
  random_tensors some(9);
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  for (const data_type type : floats) {
    INFO(tessera::nac::name(type));
    const vm::value x = some.make(b, type, {2, 3}), h = some.make(b, type, {2, 4});
    const vm::value c = some.make(b, type, {2, 4}), wx = some.make(b, type, {16, 3});
    const vm::value wh = some.make(b, type, {16, 4}), bx = some.make(b, type, {16});
    const vm::value bh = some.make(b, type, {16});
    for (const bool biased : {true, false}) {
      reals hidden(8), cell(8);
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          double gate[4];
          for (std::size_t g = 0; g < 4; ++g) {
            const std::size_t row = g * 4 + j;
            gate[g] = biased ? of(bx)[row] + of(bh)[row] : 0;
            for (std::size_t k = 0; k < 3; ++k) gate[g] += of(x)[i * 3 + k] * of(wx)[row * 3 + k];
            for (std::size_t k = 0; k < 4; ++k) gate[g] += of(h)[i * 4 + k] * of(wh)[row * 4 + k];
          }
          const double now =
              sigmoid(gate[1]) * of(c)[i * 4 + j] + sigmoid(gate[0]) * std::tanh(gate[2]);
          cell[i * 4 + j] = now;
          hidden[i * 4 + j] = sigmoid(gate[3]) * std::tanh(now);
        }
      arguments a = {x, h, c, wx, wh};
      if (biased) {
        a.push_back(bx);
        a.push_back(bh);
      }
      const vm::value both = b.run("aten.lstm_cell.default", a);
      REQUIRE(both.is_list());
      REQUIRE(both.as_list().size() == 2);
      check_nearly(both.as_list()[0], {2, 4}, hidden);
      check_nearly(both.as_list()[1], {2, 4}, cell);
    }
    const char* const name = "aten.lstm_cell.default";
    CHECK(b.fault(name, {x, h, c, wh, wh}) == errc::nac_run_shape);
    CHECK(b.fault(name, {x, h, x, wx, wh}) == errc::nac_run_shape);
    CHECK(b.fault(name, {x, h, c, wx, wx}) == errc::nac_run_shape);
    CHECK(b.fault(name, {x, h, c, wx, wh, x}) == errc::nac_run_shape);
    CHECK(b.fault(name, {bx, h, c, wx, wh}) == errc::nac_run_shape);
  }
}

TEST_CASE("vm/nac/products: matrices are the products of what they are decomposed to", "[vm_nac]") {
  bench b;
  const auto near_all = [](const reals& got, const reals& want) {
    if (got.size() != want.size()) return false;
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!(std::fabs(got[i] - want[i]) < 1e-12)) return false;
    return true;
  };
  const auto transposed = [](const reals& x, std::size_t rows, std::size_t columns) {
    reals out(x.size());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) out[j * rows + i] = x[i * columns + j];
    return out;
  };
  const auto identity = [](std::size_t n) {
    reals out(n * n);
    for (std::size_t i = 0; i < n; ++i) out[i * n + i] = 1;
    return out;
  };
  const reals tall = {1, 2, -3, 4, 5, -6, 7, 0.5, 2, 1, 1, 1}, deficient = {1, 2, 2, 4, -1, -2};
  for (const bool full : {false, true})
    for (const bool wide : {false, true})
      for (const bool of_rank_one : {false, true}) {
        const reals& all = of_rank_one ? deficient : tall;
        const std::size_t most = of_rank_one ? 3 : 4, least = all.size() / most;
        const std::size_t m = wide ? least : most, n = wide ? most : least;
        const reals x = wide ? transposed(all, most, least) : all;
        const vm::value f =
            b.run("aten.linalg_svd.default",
                  {b.of<double>({static_cast<std::int64_t>(m), static_cast<std::int64_t>(n)}, x),
                   b.i(full ? 1 : 0)});
        const reals u = of(f.as_list()[0]), s = of(f.as_list()[1]), v = of(f.as_list()[2]);
        const std::size_t of_u = u.size() / m, of_v = v.size() / n;
        CHECK(of_u == (full ? m : least));
        CHECK(of_v == (full ? n : least));
        CHECK(near_all(product(of_u, of_u, m, transposed(u, m, of_u), u), identity(of_u)));
        CHECK(near_all(product(of_v, of_v, n, v, transposed(v, of_v, n)), identity(of_v)));
        reals sizes(of_u * of_v);
        for (std::size_t i = 0; i < s.size(); ++i) sizes[i * of_v + i] = s[i];
        CHECK(near_all(product(m, n, of_v, product(m, of_v, of_u, u, sizes), v), x));
      }
  const reals symmetric = {2, -1, 0.5, -1, 3, 1, 0.5, 1, -4};
  const vm::value f = b.run("aten.linalg_eigh.default", {b.of<double>({3, 3}, symmetric)});
  const reals values = of(f.as_list()[0]), vectors = of(f.as_list()[1]);
  CHECK(std::is_sorted(values.begin(), values.end()));
  reals scaled = vectors;
  for (std::size_t i = 0; i < 9; ++i) scaled[i] *= values[i % 3];
  CHECK(near_all(product(3, 3, 3, scaled, transposed(vectors, 3, 3)), symmetric));
}
