// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR programs to measure with: layers of neurons, as quantized networks give them.
//
//   tessera::alir::model m = bench::generate({.mix = bench::mix::dense, .operations = 10000});
//   std::vector<double> in = bench::samples(m, 256);    // [256][n_inputs]
//
// dense    adder trees over shifted values, each ended by a ReLU to 8 bits
// narrow   the same with ReLUs to 4 bits and smaller shifts, so that all values fit 16 bits
// mixed    dense with lookups, muxes, products, bit operations and constants between the layers
// short    latencies such as 12.25, as adders with round delays give them
// long     latencies such as 1.149999976158142, sums of float32 printed as double
//
// The same recipe gives the same program everywhere.

#ifndef TESSERA_BENCH_GENERATE_HPP
#define TESSERA_BENCH_GENERATE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/alir.hpp>
#include <utility>
#include <vector>

namespace bench {

enum class mix { dense, narrow, mixed };
enum class decimals { shortened, full };

struct recipe {
  bench::mix mix = mix::dense;
  std::size_t operations = 1000;  ///< a few more come out: the last neuron is finished
  bench::decimals decimals = decimals::shortened;
  std::uint64_t seed = 1;
};

[[nodiscard]] inline std::string name(const recipe& r) {
  constexpr const char* names[] = {"dense", "narrow", "mixed"};
  return std::string(names[static_cast<int>(r.mix)]) + '_' + std::to_string(r.operations) +
         (r.decimals == decimals::full ? "_long" : "");
}

/// SplitMix64.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// low <= result <= high.
  int between(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

class builder {
 public:
  explicit builder(const recipe& r)
      : recipe_(r),
        draw_(r.seed),
        width_(r.operations < 5000 ? 32 : 512),
        most_shift_(r.mix == mix::narrow ? 1 : 2),
        activation_(r.mix == mix::narrow ? interval{0.0, 0.9375, 0.0625}
                                         : interval{0.0, 15.9375, 0.0625}) {}

  tessera::alir::model build() {
    const bool tables = recipe_.mix == mix::mixed;
    if (tables) add_tables();
    m_.n_inputs = width_;
    for (std::int32_t i = 0; i < width_; ++i) {
      m_.inp_shifts.push_back(0);
      layer_.push_back(add({.id0 = i, .code = opcode::input, .qint = activation_}, 0));
    }
    while (m_.ops.size() < recipe_.operations) {
      std::vector<std::int32_t> next;
      while (count(next) < width_ && m_.ops.size() < recipe_.operations) {
        std::int32_t x = neuron();
        if (recipe_.mix == mix::mixed) x = decorated(x);
        next.push_back(x);
      }
      while (count(next) < width_) next.push_back(layer_[next.size()]);
      layer_ = std::move(next);
    }
    m_.n_outputs = width_;
    for (const std::int32_t x : layer_) {
      m_.out_idxs.push_back(x);
      m_.out_shifts.push_back(0);
      m_.out_negs.push_back(0);
    }
    return std::move(m_);
  }

 private:
  using opcode = tessera::alir::opcode;
  using operation = tessera::alir::operation;
  using interval = tessera::alir::interval;

  static constexpr int table_size = 256;

  [[nodiscard]] static std::int32_t count(const std::vector<std::int32_t>& list) {
    return static_cast<std::int32_t>(list.size());
  }
  [[nodiscard]] const operation& at(std::int32_t id) const {
    return m_.ops[static_cast<std::size_t>(id)];
  }
  std::int32_t any() { return layer_[draw_.bits() % layer_.size()]; }

  /// Appends an operation whose operands are ready after `delay`.
  std::int32_t add(operation o, double delay) {
    double ready = 0;
    if (o.code != opcode::input && o.id0 >= 0) ready = at(o.id0).latency;
    if (o.id1 >= 0) ready = std::max(ready, at(o.id1).latency);
    if (recipe_.decimals == decimals::full)
      o.latency = static_cast<double>(static_cast<float>(ready) + static_cast<float>(delay * 1.15));
    else
      o.latency = ready + delay;
    o.cost = std::floor(delay * 8);
    m_.ops.push_back(o);
    return static_cast<std::int32_t>(m_.ops.size()) - 1;
  }

  /// a ± b·2^shift with an interval that holds every value.
  std::int32_t add_shifted(std::int32_t a, std::int32_t b, int shift, bool minus) {
    const interval x = at(a).qint;
    const double scale = std::ldexp(minus ? -1.0 : 1.0, shift);
    const double one = at(b).qint.min * scale, two = at(b).qint.max * scale;
    const double step = std::min(x.step, at(b).qint.step * std::fabs(scale));
    return add({.id0 = a,
                .id1 = b,
                .code = minus ? opcode::subtract : opcode::add,
                .data = shift,
                .qint = {x.min + std::min(one, two), x.max + std::max(one, two), step}},
               1.25);
  }

  /// A balanced tree of 4 to 16 values, then a ReLU.
  std::int32_t neuron() {
    std::vector<std::int32_t> terms;
    for (int n = draw_.between(4, 16); n > 0; --n) terms.push_back(any());
    while (terms.size() > 1) {
      std::vector<std::int32_t> sums;
      for (std::size_t i = 0; i + 1 < terms.size(); i += 2) {
        const int shift = draw_.between(-most_shift_, most_shift_);
        sums.push_back(add_shifted(terms[i], terms[i + 1], shift, draw_.between(0, 2) == 0));
      }
      if (terms.size() % 2 != 0) sums.push_back(terms.back());
      terms = std::move(sums);
    }
    return add({.id0 = terms[0], .code = opcode::relu, .qint = activation_}, 0.25);
  }

  /// One operation that isn't an adder on a value of 8 bits, brought back to 8 bits.
  std::int32_t decorated(std::int32_t x) {
    switch (draw_.between(0, 5)) {
      case 0:
      case 1:
        return add(
            {.id0 = x, .code = opcode::lookup, .data = draw_.between(0, 7), .qint = activation_},
            2);
      case 2:
        return add(
            {.id0 = x, .id1 = any(), .code = opcode::mux, .data = any(), .qint = activation_}, 0.5);
      case 3: {
        const std::int32_t product = add({.id0 = x,
                                          .id1 = any(),
                                          .code = opcode::multiply,
                                          .qint = {0, 255 * 255 / 256.0, 1 / 256.0}},
                                         4);
        return add({.id0 = product, .code = opcode::quantize, .qint = activation_}, 0);
      }
      case 4:
        return add({.id0 = x,
                    .id1 = any(),
                    .code = opcode::bit_binary,
                    .data = std::int64_t{draw_.between(0, 2)} << 24,
                    .qint = activation_},
                   0.5);
      default: {
        const std::int32_t sum = add({.id0 = x,
                                      .code = opcode::add_constant,
                                      .shift = 4,
                                      .data = draw_.between(-100, 100),
                                      .qint = {-16, 31.9375, 0.0625}},
                                     1);
        return add({.id0 = sum, .code = opcode::quantize, .qint = activation_}, 0);
      }
    }
  }

  void add_tables() {
    for (int t = 0; t < 8; ++t) {
      tessera::alir::lookup_table table;
      table.first = m_.table_data.size();
      table.count = table_size;
      for (int i = 0; i < table_size; ++i) m_.table_data.push_back(draw_.between(0, 255));
      m_.tables.push_back(std::move(table));
    }
  }

  recipe recipe_;
  generator draw_;
  std::int32_t width_;  // of a layer
  int most_shift_;
  interval activation_;  // without sign
  tessera::alir::model m_;
  std::vector<std::int32_t> layer_;
};

/// A program that verifies, with lookups that never leave their tables.
[[nodiscard]] inline tessera::alir::model generate(const recipe& r) { return builder(r).build(); }

/// Inputs [count][n_inputs], half of them beyond the type that reads them.
[[nodiscard]] inline std::vector<double> samples(const tessera::alir::model& m, std::size_t count) {
  generator draw(99);
  std::vector<double> in(count * static_cast<std::size_t>(m.n_inputs));
  for (double& v : in) v = std::ldexp(static_cast<double>(draw.bits() >> 11), -48) - 16;
  return in;
}

}  // namespace bench

#endif  // TESSERA_BENCH_GENERATE_HPP
