// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Element-wise kernels and conversions against memcpy, by size of the arrays. What is copied is half
// of the bytes that the kernel reads and writes, so that the ratio is that of the bandwidths. The
// counter is in bytes read and written per second.
//
// Functions and rows of rows.hpp against loops over one element after the other that call the
// standard library's functions; their counter is in elements per second.
//
//   TESSERA_LEVEL=baseline bench_elementwise      baseline, avx2 or avx512: at most these instructions

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <tessera/core/float16.hpp>

#include "level.hpp"
#include "ratios.hpp"
#include "tensor/convert.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/rows.hpp"

namespace {

using namespace tessera;
using namespace tessera::tensors;

struct setting {
  explicit setting(std::size_t count)
      : n(count),
        a(n),
        b(n),
        to(n),
        halves(n),
        to_halves(n),
        source(6 * n / 64),
        target(6 * n / 64) {
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<float>(i % 1000) / 100 - 5;
      b[i] = static_cast<float>(i % 77) + 1;
      halves[i] = half_from_float(a[i]);
    }
  }

  std::size_t n;
  level chosen = bench::chosen_level();
  std::vector<float> a, b, to;
  std::vector<std::uint16_t> halves, to_halves;
  // glibc's memcpy is several times slower where its target isn't aligned, on some processors.
  struct alignas(64) line {
    char bytes[64];
  };
  std::vector<line> source, target;
};

template <class Run>
void add_case(const std::string& name, std::shared_ptr<setting> s, std::size_t bytes, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), [s, bytes, run](benchmark::State& state) {
    for (auto _ : state) {
      run(*s);
      benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  });
}

/// One kernel and what it does to one element, to the bit or almost.
void add_kernel(const std::string& name, std::shared_ptr<setting> s, std::size_t element_bytes,
                void (*run)(setting&), bool (*right)(const setting&, std::size_t), bool quick) {
  run(*s);
  bool same = true;
  for (std::size_t i = 0; i < s->n; ++i) same = same && right(*s, i);
  bench::require(same, name + ": results differ");
  if (quick) return;
  const std::size_t bytes = element_bytes * s->n;
  add_case(name + "/tessera", s, bytes, run);
  add_case(name + "/memcpy", s, bytes,
           [bytes](setting& on) { std::memcpy(on.target.data(), on.source.data(), bytes / 2); });
}

bool near(float a, float b) { return std::fabs(a - b) <= 0x1p-23f * std::fabs(b); }

void add_size(const std::string& size, std::size_t n, bool quick) {
  const auto s = std::make_shared<setting>(n);
  const auto add = [&](const char* name, std::size_t bytes, void (*run)(setting&),
                       bool (*right)(const setting&, std::size_t)) {
    add_kernel(name + std::string("/") + size, s, bytes, run, right, quick);
  };
  add(
      "add", 12,
      [](setting& x) { apply(binary::add, x.a.data(), x.b.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to[i] == x.a[i] + x.b[i]; });
  add(
      "div", 12,
      [](setting& x) { apply(binary::div, x.a.data(), x.b.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to[i] == x.a[i] / x.b[i]; });
  add(
      "mul_number", 8,
      [](setting& x) { apply(binary::mul, x.a.data(), 3.0f, x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to[i] == x.a[i] * 3.0f; });
  add(
      "relu", 8, [](setting& x) { apply(unary::relu, x.a.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to[i] == apply(unary::relu, x.a[i]); });
  add(
      "rsqrt", 8, [](setting& x) { apply(unary::rsqrt, x.b.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to[i] == apply(unary::rsqrt, x.b[i]); });
  add(
      "exp", 8, [](setting& x) { apply(unary::exp, x.a.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return near(x.to[i], apply(unary::exp, x.a[i])); });
  add(
      "gelu", 8, [](setting& x) { apply(unary::gelu, x.a.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return near(x.to[i], apply(unary::gelu, x.a[i])); });
  add(
      "floats_from_halves", 6,
      [](setting& x) { floats_from_halves(x.halves.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to[i] == float_from_half(x.halves[i]); });
  add(
      "halves_from_floats", 6,
      [](setting& x) { halves_from_floats(x.a.data(), x.to_halves.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to_halves[i] == half_from_float(x.a[i]); });
  add(
      "floats_from_bfloat16s", 6,
      [](setting& x) { floats_from_bfloat16s(x.halves.data(), x.to.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) { return x.to[i] == float_from_bfloat16(x.halves[i]); });
  add(
      "bfloat16s_from_floats", 6,
      [](setting& x) { bfloat16s_from_floats(x.a.data(), x.to_halves.data(), x.n, x.chosen); },
      [](const setting& x, std::size_t i) {
        return x.to_halves[i] == bfloat16_from_float(x.a[i]);
      });
}

/// A kernel of rows.hpp and the plain loop, which writes to b.
void add_plain(const std::string& name, std::shared_ptr<setting> s, void (*run)(setting&),
               void (*plain)(setting&), bool quick) {
  run(*s);
  plain(*s);
  bool same = true;
  for (std::size_t i = 0; i < s->n; ++i)
    same = same && std::fabs(s->to[i] - s->b[i]) <= 0x1p-20f * (std::fabs(s->b[i]) + 1);
  bench::require(same, name + ": results differ");
  if (quick) return;
  for (const bool ours : {true, false})
    benchmark::RegisterBenchmark(
        (name + (ours ? "/tessera" : "/libm")).c_str(),
        [s, f = ours ? run : plain](benchmark::State& state) {
          for (auto _ : state) {
            f(*s);
            benchmark::ClobberMemory();
          }
          state.SetItemsProcessed(static_cast<std::int64_t>(s->n) * state.iterations());
        });
}

template <function F, class Plain>
void add_function(const std::string& name, std::shared_ptr<setting> s, Plain, bool quick) {
  add_plain(
      name, s, [](setting& x) { apply(F, x.a.data(), x.to.data(), x.n, x.chosen); },
      [](setting& x) {
        for (std::size_t i = 0; i < x.n; ++i) x.b[i] = Plain{}(x.a[i]);
      },
      quick);
}

constexpr std::size_t row = 512;

void softmax_by_libm(setting& s) {
  for (std::size_t first = 0; first < s.n; first += row) {
    const float* const x = s.a.data() + first;
    float* const y = s.b.data() + first;
    const float most = *std::max_element(x, x + row);
    float sum = 0;
    for (std::size_t i = 0; i < row; ++i) sum += y[i] = std::exp(x[i] - most);
    for (std::size_t i = 0; i < row; ++i) y[i] /= sum;
  }
}
void layer_norm_by_libm(setting& s) {
  for (std::size_t first = 0; first < s.n; first += row) {
    const float* const x = s.a.data() + first;
    float* const y = s.b.data() + first;
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < row; ++i) mean += double{x[i]} / row;
    for (std::size_t i = 0; i < row; ++i) squares += (double{x[i]} - mean) * (double{x[i]} - mean);
    const auto factor = static_cast<float>(1 / std::sqrt(squares / row + 1e-5));
    for (std::size_t i = 0; i < row; ++i) y[i] = (x[i] - static_cast<float>(mean)) * factor;
  }
}

void add_rows(bool quick) {
  const auto s = std::make_shared<setting>(1 << 14);
  const auto signless = std::make_shared<setting>(1 << 14);
  for (float& v : signless->a) v += 5.01f;
  add_function<function::exp>(
      "function/exp", s, [](float x) { return std::exp(x); }, quick);
  add_function<function::log>(
      "function/log", signless, [](float x) { return std::log(x); }, quick);
  add_function<function::sigmoid>(
      "function/sigmoid", s, [](float x) { return 1 / (1 + std::exp(-x)); }, quick);
  add_function<function::silu>(
      "function/silu", s, [](float x) { return x / (1 + std::exp(-x)); }, quick);
  add_function<function::tanh>(
      "function/tanh", s, [](float x) { return std::tanh(x); }, quick);
  add_function<function::gelu>(
      "function/gelu", s,
      [](float x) { return x / 2 * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x))); },
      quick);
  add_function<function::gelu_erf>(
      "function/gelu_erf", s, [](float x) { return x / 2 * (1 + std::erf(x * 0.70710678f)); },
      quick);
  add_function<function::erf>(
      "function/erf", s, [](float x) { return std::erf(x); }, quick);
  add_plain(
      "rows/softmax", s,
      [](setting& x) { softmax(x.a.data(), x.to.data(), x.n / row, row, x.chosen); },
      softmax_by_libm, quick);
  add_plain(
      "rows/layer_norm", s,
      [](setting& x) {
        layer_norm(x.a.data(), nullptr, nullptr, x.to.data(), x.n / row, row, 1e-5, nullptr,
                   nullptr, x.chosen);
      },
      layer_norm_by_libm, quick);
}

}  // namespace

void bench::add_cases(bool quick) {
  add_rows(quick);
  add_size("64KB", 1 << 14, quick);
  if (quick) return;
  add_size("16MB", 1 << 22, false);
  add_size("128MB", 1 << 25, false);
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
