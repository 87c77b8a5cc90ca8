// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of float matrices against OpenBLAS, by shape, both on one thread. The counter is in
// floating-point operations per second.
//
//   TESSERA_LEVEL=baseline bench_matmul         baseline, avx2 or avx512: at most these instructions
//   OPENBLAS_CORETYPE=Haswell bench_matmul

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>

#include "level.hpp"
#include "openblas.hpp"
#include "ratios.hpp"
#include "tensor/matmul.hpp"

namespace {

using namespace tessera;
using tensors::level;

struct shape {
  std::size_t m, n, k;
  bool b_transposed = false;

  [[nodiscard]] std::string name() const {
    return std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n) +
           (b_transposed ? "_bt" : "");
  }
};

struct setting {
  explicit setting(const shape& x) : of(x), a(x.m * x.k), b(x.k * x.n), c(x.m * x.n) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(-1, 1);
    for (float& v : a) v = values(random);
    for (float& v : b) v = values(random);
  }
  void ours(bool exact) {
    const std::size_t b_stride = of.b_transposed ? of.k : of.n;
    const auto multiply = exact ? tensors::matmul_reference : tensors::matmul;
    multiply(of.m, of.n, of.k, {a.data(), of.k}, {b.data(), b_stride, of.b_transposed},
             {c.data(), of.n}, scratch, chosen);
  }
  /// The same by its product of a matrix and a vector, for one row.
  void gemv() {
    const auto i = [](std::size_t n) { return static_cast<blasint>(n); };
    const std::size_t rows = of.b_transposed ? of.n : of.k, columns = of.b_transposed ? of.k : of.n;
    cblas_sgemv(CblasRowMajor, of.b_transposed ? CblasNoTrans : CblasTrans, i(rows), i(columns),
                1.0f, b.data(), i(columns), a.data(), 1, 0.0f, c.data(), 1);
  }
  void openblas() {
    const auto i = [](std::size_t n) { return static_cast<blasint>(n); };
    cblas_sgemm(CblasRowMajor, CblasNoTrans, of.b_transposed ? CblasTrans : CblasNoTrans, i(of.m),
                i(of.n), i(of.k), 1.0f, a.data(), i(of.k), b.data(),
                i(of.b_transposed ? of.k : of.n), 0.0f, c.data(), i(of.n));
  }

  shape of;
  level chosen = bench::chosen_level();
  tensors::matmul_workspace scratch;
  std::vector<float> a, b, c;
};

/// |result - exact| <= (k + 2) * 2^-24 * sum |a b|, and values are below 1.
void compare(const std::vector<float>& c, const std::vector<float>& exact, const shape& of) {
  const auto k = static_cast<float>(of.k);
  const float bound = (k + 2) * k * 0x1p-24f;
  bool same = true;
  for (std::size_t i = 0; i < c.size(); ++i) same = same && std::fabs(c[i] - exact[i]) <= bound;
  bench::require(same, of.name() + ": results differ");
}

void add_shape(const shape& of, bool quick) {
  const auto s = std::make_shared<setting>(of);
  s->ours(true);
  const std::vector<float> exact = s->c;
  s->ours(false);
  compare(s->c, exact, of);
  s->openblas();
  compare(s->c, exact, of);
  if (of.m == 1) {
    s->gemv();
    compare(s->c, exact, of);
  }
  if (quick) return;
  const auto contender = [&](const char* who, auto run) {
    bench::add_contender(of.name() + who, s, "flops", 2 * static_cast<double>(of.m * of.n * of.k),
                         run);
  };
  contender("/tessera", [](setting& on) { on.ours(false); });
  contender("/reference", [](setting& on) { on.ours(true); });
  contender("/openblas", [](setting& on) { on.openblas(); });
  if (of.m == 1) contender("/openblas_gemv", [](setting& on) { on.gemv(); });
}

}  // namespace

void bench::add_cases(bool quick) {
  if (quick) {
    for (const bool transposed : {false, true})
      for (const shape& of : {shape{1, 300, 65}, shape{65, 1, 300}, shape{67, 129, 300}})
        add_shape({of.m, of.n, of.k, transposed}, true);
    return;
  }
  std::printf("OpenBLAS runs its %s kernels\n", openblas_get_corename());
  for (const std::size_t n : {16u, 32u, 64u, 128u, 256u, 512u, 1024u, 2048u})
    add_shape({n, n, n}, false);
  for (const bool transposed : {false, true})
    for (const shape& of :
         {shape{197, 768, 768}, shape{32, 3072, 768}, shape{1, 4096, 4096}, shape{1, 512, 512},
          shape{1, 1024, 1024}, shape{4, 4096, 1024}, shape{8, 4096, 1024}, shape{1024, 1, 1024}})
      add_shape({of.m, of.n, of.k, transposed}, false);
  add_shape({512, 512, 512, true}, false);
}

int main(int count, char** arguments) {
  bench::start_again_with_openblas_set(arguments);
  return bench::main(count, arguments);
}
