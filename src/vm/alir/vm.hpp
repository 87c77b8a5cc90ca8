// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of ALIR: runs a verified program over batches of samples, bit for bit as the
// specification says.
//
//   tessera::vm::alir::machine vm(program);
//   auto done = vm.run(inputs, outputs, samples);   // row-major [samples][n]
//   if (!done) report(done.code, done.operation, done.sample);
//
// Every value is an int64 that wraps. Samples run in blocks: an operation is decoded once and then
// applied to all lanes of a block; values whose last reader has run give their row to later ones.
//
// Lifetime:   a machine keeps nothing of the program. One machine serves one thread at a time.
// Errors:     alir_lookup_range, a value outside its table: the outcome names the operation and the
//             first sample; outputs of earlier samples are written. budget_steps and budget_memory
//             are found before anything runs.
// Limits:     budget.
// Allocation: when a machine is made, without its rows if they would go over the budget; run()
//             allocates nothing.

#ifndef TESSERA_VM_ALIR_VM_HPP
#define TESSERA_VM_ALIR_VM_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

/// How a run ended. True means that all samples ran.
struct outcome {
  errc code = errc::ok;
  std::int64_t operation = -1;  ///< index of the operation that trapped
  std::uint64_t sample = 0;     ///< the first sample for which it did
  std::uint64_t steps = 0;      ///< operations times samples whose outputs are written
  [[nodiscard]] explicit operator bool() const noexcept { return code == errc::ok; }
};

/// A shift by a constant: to the left, then to the right; at least one of the two is 0.
struct shift {
  std::uint8_t left = 0, right = 0;
};

/// One decoded operation.
struct instruction {
  enum class kind : std::uint8_t {
    input,
    negate,
    add,
    subtract,
    quantize,
    relu,
    add_constant,
    constant,
    mux,
    multiply,
    lookup,
    invert,
    any,
    all,
    conjunction,
    disjunction,
    exclusive,
    sum,
    end  ///< behind the last operation, so that the loop needs no count
  };

  kind what = kind::end;
  shift a_shift, b_shift, result_shift;
  std::uint32_t to = 0;               ///< row of the result
  std::uint32_t a = 0, b = 0, c = 0;  ///< rows; an input and its scale; a table; a range of terms
  std::uint64_t mask = 0, sign = 0;   ///< bits of the type to wrap to, and its sign bit
  std::uint64_t constant = 0;         ///< a constant, or what a lookup subtracts
};

/// Observes nothing, at no cost.
struct no_observer {
  void operator()(std::size_t, std::uint64_t, std::span<const std::int64_t>) const noexcept {}
};

class machine {
 public:
  /// Samples in a block.
  static constexpr std::size_t lanes = 64;

  /// Plans a program. A machine that needs more than `max_memory` bytes is made without its rows,
  /// and can't run.
  explicit machine(const tessera::alir::program& p, std::uint64_t max_memory = budget{}.max_memory);

  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_.size(); }
  /// Operations for each sample.
  [[nodiscard]] std::size_t size() const noexcept { return code_.size() - 1; }
  /// Bytes of working memory.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return code_.size() * sizeof(instruction) + rows_ * lanes * sizeof(std::uint64_t) +
           terms_.size() * sizeof(term) + tables_.size() * sizeof(table) +
           table_data_.size() * sizeof(std::int32_t) + scales_.size() * sizeof(scale) +
           outputs_.size() * sizeof(output);
  }

  /// Runs `samples` rows of inputs() doubles to as many rows of outputs() doubles. The spans hold
  /// at least that many.
  outcome run(std::span<const double> in, std::span<double> out, std::uint64_t samples,
              const budget& limit = {});

  /// The same, calling `observe(operation, first_sample, values)` behind every operation with its
  /// values for the samples of a block. A block that traps runs again up to the sample that did.
  template <class Observer>
  outcome run_observed(std::span<const double> in, std::span<double> out, std::uint64_t samples,
                       const budget& limit, Observer&& observe) {
    outcome done;
    std::uint64_t steps = 0;
    if (!checked_mul(std::uint64_t{size()}, samples, steps) || steps > limit.max_steps)
      done.code = errc::budget_steps;
    else if (memory() > limit.max_memory || values_.size() < rows_ * lanes)
      done.code = errc::budget_memory;
    for (std::uint64_t first = 0; first < samples && done; first += lanes) {
      const std::uint64_t left = samples - first;
      std::size_t n = left < lanes ? static_cast<std::size_t>(left) : lanes;
      const double* const rows = in.data() + first * inputs();
      // Running again without the lanes from a trap on finds the first sample that has one.
      for (std::size_t trapped = n;; n = trapped) {
        const std::size_t at = execute(rows, n, first, trapped, observe);
        if (at == size()) break;
        done.code = errc::alir_lookup_range;
        done.operation = static_cast<std::int64_t>(at);
        done.sample = first + trapped;
      }
      write_outputs(out.data() + first * outputs(), n);
      done.steps += size() * n;
    }
    return done;
  }

 private:
  using kind = instruction::kind;
  /// 2^exponent, as a factor where a double can hold it.
  struct scale {
    int exponent = 0;
    double factor = 0;
    [[nodiscard]] double operator()(double v) const noexcept {
      return factor != 0 ? v * factor : std::ldexp(v, exponent);
    }
  };
  struct output {
    std::int64_t row = -1;  // negative: the output is 0.0
    bool negative = false;
    scale to_double;
  };
  struct term {
    std::uint32_t row;
    std::uint8_t left;
    bool negative;
  };
  struct table {
    std::size_t first, count;
  };

  [[nodiscard]] static scale make_scale(std::int64_t exponent) noexcept;

  [[nodiscard]] static std::uint64_t shifted(std::uint64_t v, shift by) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(v << by.left) >> by.right);
  }
  /// Keeps the bits of a type and extends its sign.
  [[nodiscard]] static std::uint64_t wrapped(std::uint64_t v, const instruction& i) noexcept {
    return ((v & i.mask) ^ i.sign) - i.sign;
  }
  /// floor(v), or the least int64 where v has no int64 (not a number, too large).
  [[nodiscard]] static std::uint64_t truncated(double v) noexcept {
    constexpr double end = 9223372036854775808.0;
    v = std::floor(v);
    return static_cast<std::uint64_t>(v >= -end && v < end ? static_cast<std::int64_t>(v)
                                                           : INT64_MIN);
  }

  /// Runs the program for n samples. Returns the index of the operation that trapped, and in
  /// `trapped` its first lane; or size().
  template <class Observer>
  std::size_t execute(const double* in, std::size_t n, std::uint64_t first, std::size_t& trapped,
                      Observer&& observe) {
    for (std::size_t index = 0;; ++index) {
      const instruction& i = code_[index];
      std::uint64_t* const to = values_.data() + std::size_t{i.to} * lanes;
      const std::uint64_t* const a = values_.data() + std::size_t{i.a} * lanes;
      const std::uint64_t* const b = values_.data() + std::size_t{i.b} * lanes;
      const auto each = [to, n](auto value) {
        for (std::size_t s = 0; s < n; ++s) to[s] = value(s);
      };
      switch (i.what) {
        case kind::input: {
          const scale& to_grid = scales_[i.b];
          each(
              [&](std::size_t s) { return wrapped(truncated(to_grid(in[s * inputs_ + i.a])), i); });
          break;
        }
        case kind::negate: each([&](std::size_t s) { return 0 - a[s]; }); break;
        case kind::add:
          each([&](std::size_t s) {
            return shifted((a[s] << i.a_shift.left) + (b[s] << i.b_shift.left), i.result_shift);
          });
          break;
        case kind::subtract:
          each([&](std::size_t s) {
            return shifted((a[s] << i.a_shift.left) - (b[s] << i.b_shift.left), i.result_shift);
          });
          break;
        case kind::quantize:
          each([&](std::size_t s) { return wrapped(shifted(a[s], i.result_shift), i); });
          break;
        case kind::relu:
          each([&](std::size_t s) {
            return wrapped(shifted(a[s] >> 63 != 0 ? 0 : a[s], i.result_shift), i);
          });
          break;
        case kind::add_constant:
          each([&](std::size_t s) {
            return shifted((a[s] << i.a_shift.left) + i.constant, i.result_shift);
          });
          break;
        case kind::constant: each([&](std::size_t) { return i.constant; }); break;
        case kind::mux: {
          const std::uint64_t* const c = values_.data() + std::size_t{i.c} * lanes;
          each([&](std::size_t s) {
            const bool msb = (c[s] & i.constant) != 0;
            return wrapped(msb ? shifted(a[s], i.a_shift) : shifted(b[s], i.b_shift), i);
          });
          break;
        }
        case kind::multiply: each([&](std::size_t s) { return a[s] * b[s]; }); break;
        case kind::lookup: {
          const table& t = tables_[i.b];
          const std::int32_t* const entries = table_data_.data() + t.first;
          std::uint64_t largest = 0;
          for (std::size_t s = 0; s < n; ++s) largest = std::max(largest, a[s] - i.constant);
          if (largest >= t.count) {
            for (trapped = 0; a[trapped] - i.constant < t.count;) ++trapped;
            return index;
          }
          each([&](std::size_t s) {
            return static_cast<std::uint64_t>(std::int64_t{entries[a[s] - i.constant]});
          });
          break;
        }
        case kind::invert: each([&](std::size_t s) { return ~a[s] & i.mask; }); break;
        case kind::any: each([&](std::size_t s) { return a[s] != 0 ? 1u : 0u; }); break;
        case kind::all:
          each([&](std::size_t s) { return (a[s] & i.mask) == i.mask ? 1u : 0u; });
          break;
        case kind::conjunction:
          each([&](std::size_t s) { return (a[s] << i.a_shift.left) & (b[s] << i.b_shift.left); });
          break;
        case kind::disjunction:
          each([&](std::size_t s) { return (a[s] << i.a_shift.left) | (b[s] << i.b_shift.left); });
          break;
        case kind::exclusive:
          each([&](std::size_t s) { return (a[s] << i.a_shift.left) ^ (b[s] << i.b_shift.left); });
          break;
        case kind::sum: {
          std::uint64_t total[lanes] = {};
          for (std::uint32_t k = i.a; k < i.b; ++k) {
            const term& x = terms_[k];
            const std::uint64_t* const v = values_.data() + std::size_t{x.row} * lanes;
            for (std::size_t s = 0; s < n; ++s)
              total[s] += x.negative ? 0 - (v[s] << x.left) : v[s] << x.left;
          }
          each([&](std::size_t s) { return shifted(total[s], i.result_shift); });
          break;
        }
        case kind::end: return index;
      }
      // As signed numbers, which is what they stand for.
      const void* const values = to;
      observe(index, first, std::span(static_cast<const std::int64_t*>(values), n));
    }
  }

  void write_outputs(double* out, std::size_t n) const noexcept;

  std::vector<instruction> code_;
  std::uint64_t rows_ = 0;
  std::vector<std::uint64_t> values_;  // [rows][lanes]
  std::vector<scale> scales_;          // of each input operation
  std::size_t inputs_ = 0;
  std::vector<output> outputs_;
  std::vector<term> terms_;
  std::vector<table> tables_;
  std::vector<std::int32_t> table_data_;
};

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ALIR_VM_HPP
