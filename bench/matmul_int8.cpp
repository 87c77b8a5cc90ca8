// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of bytes with sums of 32 bits against oneDNN's gemm, by shape, both on one thread; `u8`
// and `s8` are the bytes of A. The counter is in operations per second, two for each product.
//
//   TESSERA_LEVEL=baseline bench_matmul_int8       baseline, avx2 or avx512: at most these instructions
//
// Without VNNI oneDNN adds up pairs of products in 16 bits, which saturates: so bytes of B are from
// -64 to 63 here, and results are the same.

#include <dnnl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>

#include "level.hpp"
#include "ratios.hpp"
#include "tensor/matmul_int8.hpp"

namespace {

using namespace tessera;

struct shape {
  std::size_t m, n, k;
  bool b_transposed = false;
  bool a_signed = false;

  [[nodiscard]] std::string name() const {
    return std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n) +
           (b_transposed ? "_bt" : "") + (a_signed ? "_s8" : "_u8");
  }
};

struct setting {
  explicit setting(const shape& x)
      : of(x), a(x.m * x.k), a_signed(x.m * x.k), b(x.k * x.n), c(x.m * x.n) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> bytes(-128, 127);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::uint8_t>(bytes(random));
      a_signed[i] = static_cast<std::int8_t>(bytes(random));
    }
    for (std::int8_t& v : b) v = static_cast<std::int8_t>(bytes(random) / 2);
  }
  void ours(tensors::int8_method method = tensors::int8_method::best) {
    const tensors::matrix_of<std::int8_t> right{b.data(), of.b_transposed ? of.k : of.n,
                                                of.b_transposed};
    const tensors::int32_product to{c.data(), of.n};
    if (of.a_signed)
      tensors::matmul_int8(of.m, of.n, of.k, {a_signed.data(), of.k}, right, to, scratch, chosen,
                           method);
    else
      tensors::matmul_int8(of.m, of.n, of.k, {a.data(), of.k}, right, to, scratch, chosen, method);
  }
  void onednn() {
    const auto i = [](std::size_t size) { return static_cast<dnnl_dim_t>(size); };
    const char turned = of.b_transposed ? 'T' : 'N';
    const dnnl_dim_t b_stride = i(of.b_transposed ? of.k : of.n);
    const std::int32_t none = 0;
    const dnnl_status_t status =
        of.a_signed
            ? dnnl_gemm_s8s8s32('N', turned, 'F', i(of.m), i(of.n), i(of.k), 1.0f, a_signed.data(),
                                i(of.k), 0, b.data(), b_stride, 0, 0.0f, c.data(), i(of.n), &none)
            : dnnl_gemm_u8s8s32('N', turned, 'F', i(of.m), i(of.n), i(of.k), 1.0f, a.data(),
                                i(of.k), 0, b.data(), b_stride, 0, 0.0f, c.data(), i(of.n), &none);
    bench::require(status == dnnl_success, "oneDNN failed");
  }

  shape of;
  tensors::level chosen = bench::chosen_level();
  tensors::matmul_int8_workspace scratch;
  std::vector<std::uint8_t> a;
  std::vector<std::int8_t> a_signed, b;
  std::vector<std::int32_t> c;
};

void add_shape(const shape& of, bool quick) {
  const auto s = std::make_shared<setting>(of);
  s->onednn();
  const std::vector<std::int32_t> expected = s->c;
  s->ours();
  bench::require(s->c == expected, of.name() + ": results differ");
  s->ours(tensors::int8_method::quads);
  bench::require(s->c == expected, of.name() + ": results of quads differ");
  if (quick) return;
  const auto contender = [&](const char* who, auto run) {
    bench::add_contender(of.name() + who, s, "ops", 2 * static_cast<double>(of.m * of.n * of.k),
                         run);
  };
  contender("/tessera", [](setting& on) { on.ours(); });
  contender("/onednn", [](setting& on) { on.onednn(); });
}

}  // namespace

void bench::add_cases(bool quick) {
  for (const bool is_signed : {false, true}) {
    if (quick) {
      for (const bool transposed : {false, true})
        for (const shape& of : {shape{1, 300, 65}, shape{67, 129, 300}})
          add_shape({of.m, of.n, of.k, transposed, is_signed}, true);
      continue;
    }
    for (const std::size_t n : {64u, 128u, 256u, 512u, 1024u})
      add_shape({n, n, n, false, is_signed}, false);
    add_shape({512, 512, 512, true, is_signed}, false);
    for (const bool transposed : {false, true})
      for (const shape& of : {shape{197, 768, 768}, shape{32, 3072, 768}, shape{1, 4096, 4096}})
        add_shape({of.m, of.n, of.k, transposed, is_signed}, false);
  }
}

int main(int count, char** arguments) {
  // Its OpenMP reads this when the program starts.
  if (std::getenv("TESSERA_BENCH_STARTED") == nullptr) {
    setenv("TESSERA_BENCH_STARTED", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    execvp(arguments[0], arguments);
    bench::require(false, "can't start again");
  }
  return bench::main(count, arguments);
}
