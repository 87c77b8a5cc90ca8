// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The proof that an ALIR model can run, and `program`, which only verify() can make.
//
//   tessera::report found;
//   tessera::result<alir::program> p = alir::verify(std::move(model), {}, &found);
//   if (!p) std::cerr << describe(found, sources);   // every fault; p.error() is the first
//
// Proven of a program (specification, "CombLogic Payload"):
//
//   shape        inp_shifts, out_idxs, out_shifts and out_negs have their lengths; outputs exist
//   causality    operands, the condition of a mux and the terms of a sum are earlier operations;
//                ids that an opcode doesn't use are -1; inputs exist
//   types        intervals are finite with min <= max, steps are powers of two, types have at most
//                64 bits signed or 63 unsigned
//   shifts       no value is shifted by more than 63 bits; at most one operand of a mux is shifted
//   tables       exist, hold at least one entry, and start at an index that int32 can hold
//
// Each fault is found once: of an operation whose operands or type are wrong, no faults are
// reported that depend on them. Operations that no output needs are fine. An interval is a promise
// that is not enforced, so one trap remains for running: alir_lookup_range, a lookup outside its
// table.
//
// Lifetime:   a program owns its model; what it returns borrows from it.
// Errors:     alir_shape to alir_unused_shift: lists and outputs, tables, then operations in order.
// Limits:     those of the format: ids are int32, types at most 64 bits; verify_options.
// Allocation: 6 bytes for each operation, and the report's.

#ifndef TESSERA_ALIR_VERIFY_HPP
#define TESSERA_ALIR_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// How far operands and result are shifted; to the left, or to the right when negative (dropping
/// bits, which rounds down). value = result(a·2^a op b·2^b).
struct alignment {
  std::int64_t a = 0, b = 0, result = 0;  ///< in bits
};

/// How much is reported.
struct verify_options {
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps; all are counted
};

class program;
/// Checks everything static about a model and takes it into a program. `found` receives all
/// findings.
[[nodiscard]] result<program> verify(alir::model m, const verify_options& options = {},
                                     report* found = nullptr);

/// A verified model.
class program {
 public:
  /// The model that was verified. Borrows from the program.
  [[nodiscard]] const alir::model& model() const& noexcept { return model_; }
  const alir::model& model() const&& = delete;
  /// Releases the model, to be changed: without its source map, which would no longer hold.
  [[nodiscard]] alir::model release() && noexcept;

  /// How many operations there are.
  [[nodiscard]] std::size_t size() const noexcept { return model_.ops.size(); }
  /// Operation i, which must exist.
  [[nodiscard]] const operation& op(std::size_t i) const noexcept { return model_.ops[i]; }
  /// The type of operation i's value.
  [[nodiscard]] fixed_type type(std::size_t i) const noexcept { return types_[i]; }
  /// The shifts of operation i; of a sum, only `result` (see term_shift).
  [[nodiscard]] alignment shifts(std::size_t i) const noexcept { return align(model_, types_, i); }
  /// The fraction bits to which the terms of the sum i are brought before adding.
  [[nodiscard]] std::int64_t sum_fraction(std::size_t i) const noexcept {
    return common_fraction(model_, types_, op(i));
  }
  /// How far a term of a sum with that `sum_fraction` is shifted to the left; never negative.
  [[nodiscard]] std::int64_t term_shift(std::int64_t sum_fraction, const term& t) const noexcept {
    return sum_fraction - fraction(types_, t);
  }
  /// What the lookup i subtracts from its operand to index its table.
  [[nodiscard]] std::int64_t base(std::size_t i) const noexcept;

 private:
  friend result<program> verify(alir::model m, const verify_options& options, report* found);
  using types = pool<fixed_type>;

  explicit program(alir::model&& m) noexcept : model_(std::move(m)) {}

  [[nodiscard]] static std::int64_t fraction(const types& t, const term& x) noexcept {
    return std::int64_t{t[static_cast<std::size_t>(x.id)].f} - x.shift;
  }
  [[nodiscard]] static std::int64_t common_fraction(const alir::model& m, const types& t,
                                                    const operation& sum) noexcept;
  [[nodiscard]] static alignment align(const alir::model& m, const types& t,
                                       std::size_t i) noexcept;

  alir::model model_;
  types types_;
};

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/verify.hpp"
#endif

#endif  // TESSERA_ALIR_VERIFY_HPP
