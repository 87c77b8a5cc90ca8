// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the NEM machine takes beside what its tasks come down to: gemm and conv2d against the product
// of matrices only, moving tiles against memcpy, and tasks that hardly do anything. The counter is
// in operations, bytes or tasks per second.
//
//   gemm_…, conv2d_…    one task with zero points, bias and rounding, against the kernel on matrices
//                       that are there already (`kernel`); its sums of bytes stay 32 bits
//   tiles_…             a loop that loads tiles from DDR to two slots of L1, against memcpy
//   tasks_64…           100,000 transfers of 64 bytes: in the order of the text, in a random one, and
//                       on a timeline

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ratios.hpp"
#include "tessera/nem.hpp"
#include "tessera/vm/nem.hpp"
#include "tessera/vm/nem_timing.hpp"
#include "vm/nem/operations.hpp"

namespace {

using namespace tessera;
using vm::nem::element;
using vm::nem::opcode;
using sizes = std::vector<std::int64_t>;

/// A tensor with its memory.
struct held {
  vm::nem::element element;
  sizes shape, strides;
  std::vector<std::byte> memory;
  vm::nem::descriptor quant = {};
  float scale = 1;
  std::int64_t zero = 0;

  held(vm::nem::element e, sizes of, std::size_t bytes)
      : element(e), shape(std::move(of)), strides(shape.size()) {
    std::int64_t n = 1;
    for (std::size_t i = shape.size(); i-- != 0; n *= shape[i]) strides[i] = n;
    memory.resize(static_cast<std::size_t>(n) * bytes);
  }
  void fill(std::mt19937& random) {
    if (element == vm::nem::element::f32) {
      std::uniform_real_distribution<float> values(-1, 1);
      float* const x = as<float>();
      for (std::size_t i = 0; i < memory.size() / sizeof(float); ++i) x[i] = values(random);
    } else {
      std::uniform_int_distribution<int> values(-100, 100);
      for (std::byte& b : memory) b = std::byte{static_cast<unsigned char>(values(random))};
    }
  }
  template <class T>
  [[nodiscard]] T* as() noexcept {
    return static_cast<T*>(static_cast<void*>(memory.data()));
  }
  [[nodiscard]] vm::nem::tensor tensor() noexcept {
    quant.scales = {&scale, 1};
    quant.zero_points = {&zero, 1};
    return {memory.data(), static_cast<std::int64_t>(memory.size()),
            element,       shape,
            strides,       element == vm::nem::element::f32 ? nullptr : &quant,
            false};
  }
};

/// One task with a bias, and the matrices that its product comes down to: `left` is made already.
struct product {
  vm::nem::opcode opcode;
  held a, b, c, y, left;
  std::size_t m, n, k;
  sizes pads = {1, 1, 1, 1}, ones = {1, 1};
  std::vector<float> floats = {};
  std::vector<std::int32_t> sums = {};
  vm::nem::workspace scratch = {};
  tensors::matmul_workspace float_scratch = {};
  tensors::matmul_int8_workspace byte_scratch = {};

  void ours() {
    const vm::nem::tensor in[] = {a.tensor(), b.tensor(), c.tensor()}, out[] = {y.tensor()};
    vm::nem::call task;
    task.opcode = opcode;
    task.inputs = in;
    task.outputs = out;
    task.attributes.pads = {pads.data(), pads.size()};
    task.attributes.strides = task.attributes.dilations = {ones.data(), ones.size()};
    bench::require(static_cast<bool>(execute(task, scratch)), "a task fails");
  }
  void kernel() {
    if (a.element == element::f32)
      tensors::matmul(m, n, k, {left.as<float>(), k}, {b.as<float>(), n}, {floats.data(), n},
                      float_scratch);
    else
      tensors::matmul_int8(m, n, k, {left.as<std::int8_t>(), k}, {b.as<std::int8_t>(), n},
                           {sums.data(), n}, byte_scratch);
  }
  /// Whether Y is what the sums of the kernel make, with zero points of B alone 0.
  [[nodiscard]] bool agrees() {
    ours();
    kernel();
    if (a.element == element::f32) {
      for (std::size_t i = 0; i < m * n; ++i) {
        const float expected = floats[i] + c.as<float>()[i % n];
        if (std::fabs(y.as<float>()[i] - expected) > 0x1p-20f * static_cast<float>(k)) return false;
      }
      return true;
    }
    std::vector<std::int64_t> columns(n);
    for (std::size_t i = 0; i < n * k; ++i) columns[i % n] += b.as<std::int8_t>()[i];
    const double factor = double{a.scale} * double{b.scale} / double{y.scale};
    for (std::size_t i = 0; i < m * n; ++i) {
      const std::int64_t sum =
          sums[i] - a.zero * columns[i % n] + std::int64_t{c.as<std::int32_t>()[i % n]};
      const double q =
          std::nearbyint(static_cast<double>(sum) * factor) + static_cast<double>(y.zero);
      if (y.as<std::int8_t>()[i] != std::min(std::max(q, -128.0), 127.0)) return false;
    }
    return true;
  }
};

std::shared_ptr<product> make(vm::nem::opcode op, element e, const sizes& a, const sizes& b,
                              const sizes& y) {
  const std::size_t bytes = e == element::f32 ? 4 : 1;
  const auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
  const std::size_t n = size(b.back()), m = size(y[0]) * (y.size() == 4 ? size(y[1] * y[2]) : 1);
  std::size_t k = 1;
  for (std::size_t i = 0; i + 1 < b.size(); ++i) k *= size(b[i]);
  const sizes left = {static_cast<std::int64_t>(m), static_cast<std::int64_t>(k)};
  const auto p = std::make_shared<product>(
      product{.opcode = op,
              .a = held(e, a, bytes),
              .b = held(e, b, bytes),
              .c = held(e == element::f32 ? element::f32 : element::i32, {b.back()}, 4),
              .y = held(e, y, bytes),
              .left = held(e, left, bytes),
              .m = m,
              .n = n,
              .k = k});
  std::mt19937 random(1);
  for (held* h : {&p->a, &p->b}) h->fill(random);
  if (e == element::f32)
    p->c.fill(random);
  else
    for (std::size_t i = 0; i < n; ++i) p->c.as<std::int32_t>()[i] = static_cast<int>(i) * 100;
  p->a.scale = 0.5f;
  p->a.zero = 3;
  p->b.scale = 0.125f;
  p->y.scale = std::sqrt(static_cast<float>(k)) * 4.0f;
  p->y.zero = -5;
  p->floats.resize(e == element::f32 ? m * n : 0);
  p->sums.resize(e == element::f32 ? 0 : m * n);
  p->left.memory = p->a.memory;
  if (a.size() == 2) return p;
  // The windows of 3 x 3 with a border of one; bytes of it are zero points.
  const std::size_t height = size(a[1]), width = size(a[2]), channel = size(a[3]) * bytes;
  p->left.memory.assign(m * k * bytes, std::byte{static_cast<unsigned char>(bytes == 1 ? 3 : 0)});
  std::byte* to = p->left.memory.data();
  for (std::size_t h = 0; h < height; ++h)
    for (std::size_t w = 0; w < width; ++w)
      for (std::size_t tap = 0; tap < 9; ++tap, to += channel) {
        const std::size_t r = h + tap / 3, s = w + tap % 3;  // 1 ahead
        if (r != 0 && r <= height && s != 0 && s <= width)
          std::memcpy(to, p->a.memory.data() + ((r - 1) * width + s - 1) * channel, channel);
      }
  return p;
}

void add_product(const std::string& name, const std::shared_ptr<product>& p, bool quick) {
  bench::require(p->agrees(), name + ": results differ");
  if (quick) return;
  const double ops = 2 * static_cast<double>(p->m) * static_cast<double>(p->n * p->k);
  bench::add_contender(name + "/tessera", p, "ops", ops, [](product& on) { on.ours(); });
  bench::add_contender(name + "/kernel", p, "ops", ops, [](product& on) { on.kernel(); });
}

/// A loop that moves tiles of DDR to two slots of L1.
struct moves {
  std::unique_ptr<nem::program> program;
  std::unique_ptr<vm::nem::machine> machine;
  std::vector<std::byte> from;
  std::span<std::byte> x, y;  ///< memory of the machine: copies of it are as fast as its own
  std::size_t tile, count;
  bool is_timed;

  moves(std::size_t of, std::size_t n, vm::nem::schedule order, bool with_times)
      : from(of * n), tile(of), count(n), is_timed(with_times) {
    const std::string size = std::to_string(tile), tiles = std::to_string(count);
    const std::string source =
        "program moves:\nbuffer x : DDR (size=" + size + "*" + tiles +
        ")\nbuffer y : L1[0] (size=2*" + size + ")\nloop i in [0.." + std::to_string(count - 1) +
        "]:\n  t = transfer.async(dst=region(y, (i mod 2)*" + size + ", " + size +
        "), src=region(x, i*" + size + ", " + size + "))\n  wait(t)\nendloop\n";
    auto read = nem::read(source);
    bench::require(static_cast<bool>(read), "the moves can't be read");
    nem::verify_options options;
    options.hazard_steps = std::uint64_t{1} << 40;  // all of it, so that no run has to
    auto verified = nem::verify(std::move(*read), options);
    bench::require(static_cast<bool>(verified), "the moves can't be verified");
    program = std::make_unique<nem::program>(std::move(*verified));
    machine = std::make_unique<vm::nem::machine>(
        *program,
        vm::nem::machine_options{.schedule = order, .races = vm::nem::race_search::never});
    for (std::size_t i = 0; i < from.size(); ++i)
      from[i] = std::byte{static_cast<unsigned char>(i * 31 >> 3)};
    bench::require(machine->bind(*machine->find("x"), from), "x can't be bound");
    x = machine->bytes(*machine->find("x"));
    y = machine->bytes(*machine->find("y"));
  }
  void ours() {
    std::unique_ptr<vm::nem::timeline> when;
    if (is_timed) when = std::make_unique<vm::nem::timeline>(*program);
    bench::require(machine->run(nullptr, when.get()).tasks == count, "moves are missing");
  }
  void copy() {
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(y.data() + i % 2 * tile, x.data() + i * tile, tile);
      benchmark::ClobberMemory();
    }
  }
};

void add_moves(const std::string& name, std::size_t tile, std::size_t count, bool quick,
               vm::nem::schedule order = vm::nem::schedule::in_order, bool is_timed = false) {
  const auto s = std::make_shared<moves>(tile, count, order, is_timed);
  s->copy();
  const std::vector<std::byte> expected(s->y.begin(), s->y.end());
  std::fill(s->y.begin(), s->y.end(), std::byte{0});
  s->ours();
  bench::require(std::equal(expected.begin(), expected.end(), s->y.begin()),
                 name + ": results differ");
  if (quick) return;
  const bool are_tasks = tile == 64;
  const double amount = static_cast<double>(are_tasks ? count : count * tile);
  const char* const counter = are_tasks ? "tasks" : "bytes";
  bench::add_contender(name + "/tessera", s, counter, amount, [](moves& on) { on.ours(); });
  bench::add_contender(name + "/memcpy", s, counter, amount, [](moves& on) { on.copy(); });
}

}  // namespace

void bench::add_cases(bool quick) {
  const auto gemm = [&](const char* name, element e, std::int64_t m, std::int64_t n,
                        std::int64_t k) {
    add_product(name, make(opcode::gemm, e, {m, k}, {k, n}, {m, n}), quick);
  };
  const auto conv = [&](const char* name, element e, std::int64_t size, std::int64_t in,
                        std::int64_t out) {
    add_product(name,
                make(opcode::conv2d, e, {1, size, size, in}, {3, 3, in, out}, {1, size, size, out}),
                quick);
  };
  if (quick) {
    gemm("gemm_i8", element::i8, 33, 20, 65);
    gemm("gemm_f32", element::f32, 33, 20, 65);
    conv("conv2d_i8", element::i8, 7, 5, 9);
    conv("conv2d_f32", element::f32, 7, 5, 9);
    add_moves("tiles_16k", 16 << 10, 5, true);
    add_moves("tasks_64", 64, 100, true);
    add_moves("tasks_64_random", 64, 100, true, vm::nem::schedule::random);
    add_moves("tasks_64_timeline", 64, 100, true, vm::nem::schedule::in_order, true);
    return;
  }
  gemm("gemm_i8_64", element::i8, 64, 64, 64);
  gemm("gemm_i8_256", element::i8, 256, 256, 256);
  gemm("gemm_i8_1024", element::i8, 1024, 1024, 1024);
  gemm("gemm_f32_64", element::f32, 64, 64, 64);
  gemm("gemm_f32_256", element::f32, 256, 256, 256);
  gemm("gemm_f32_1024", element::f32, 1024, 1024, 1024);
  conv("conv2d_i8_56x64", element::i8, 56, 64, 64);
  conv("conv2d_i8_14x256", element::i8, 14, 256, 256);
  conv("conv2d_f32_56x64", element::f32, 56, 64, 64);
  conv("conv2d_f32_14x256", element::f32, 14, 256, 256);
  add_moves("tiles_16k", 16 << 10, 64, false);
  add_moves("tiles_64k", 64 << 10, 64, false);
  add_moves("tiles_1m", 1 << 20, 16, false);
  add_moves("tasks_64", 64, 100'000, false);
  add_moves("tasks_64_random", 64, 100'000, false, vm::nem::schedule::random);
  add_moves("tasks_64_timeline", 64, 100'000, false, vm::nem::schedule::in_order, true);
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
