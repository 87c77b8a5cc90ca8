// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC programs that were verified, with everything that running them looks up.
//
//   for (const nac::step& s : program.code().steps) {
//     const nac::operation o = program.operation_of(s);       // unknown: a system operation
//     const nac::binding b = program.binding_of(s);           // which arguments are which
//     for (const nac::argument a : program.code().arguments_of(s))
//       if (a.is_constant()) use(program.constant(a.id())); else use(results[a.index()]);
//   }
//
// Only `verify` (nac/verify.hpp) makes one; what it has proven stands there.
//
// Lifetime:   borrows the bytes that the file was read from, and external weights; holds a copy of
//             the file's view, so that one may go. What it hands out borrows from it.
// Errors:     none; ids and indices that the program doesn't hold are not to be asked for.
// Limits:     none.
// Allocation: 20 bytes for an instruction, 4 for an argument, 24 for an input, 25 for a constant,
//             136 for a parameter, 6 for a command of the schedule, 4 for each id up to the largest;
//             of each at most twice that.

#ifndef TESSERA_NAC_PROGRAM_HPP
#define TESSERA_NAC_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "detail/ids.hpp"
#include "operations.hpp"
#include "resolve.hpp"
#include "safetensors.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

struct verify_options {
  const safetensors* weights = nullptr;  ///< of files whose weights stand outside
  /// External weights may be missing: then program::has_weights() is false.
  bool weights_elsewhere = false;
  /// Prefixes that no convention knows are errors rather than warnings.
  bool strict_prefixes = false;
  limits limit = {};                     ///< max_items: instructions of a list
  std::uint64_t max_diagnostics = 1000;  ///< that a report keeps; it counts all
};

/// A parameter: a weight with its name.
struct parameter {
  std::uint16_t id = 0;
  bool has_name = false, has_value = false;
  std::string_view name;
  tensor value;              ///< internal or external; of the latter, offsets count in its own file
  std::uint64_t offset = 0;  ///< of its record with the name
};

/// An INPUT of variant 0. Those without a name are constants that the compiler lifted and lost.
struct model_input {
  std::uint32_t instruction = 0;
  std::string_view name;
};

/// A command of the schedule that changes no result.
struct scheduled_command {
  std::uint16_t tick = 0, target = 0;  ///< instructions
  action what = action::free;
};

namespace detail {
struct verifier;
}  // namespace detail

/// A container that was proven. Only verify() makes one.
class program {
 public:
  [[nodiscard]] const nac::model& model() const& noexcept { return model_; }
  const nac::model& model() const&& = delete;
  /// OPS; the operation of a step is an enumerator of nac::operation.
  [[nodiscard]] const nac::code& code() const& noexcept { return code_; }
  const nac::code& code() const&& = delete;
  /// TRNG, of which the structure alone was proven; its operations may be unknown.
  [[nodiscard]] const nac::code& training() const& noexcept { return training_; }
  const nac::code& training() const&& = delete;
  [[nodiscard]] std::size_t size() const noexcept { return code_.steps.size(); }

  [[nodiscard]] static operation operation_of(const step& s) noexcept {
    return static_cast<operation>(s.operation);
  }
  /// Which arguments of a regular step each letter of its operation's pattern has; none of others.
  [[nodiscard]] binding binding_of(const step& s) const noexcept;
  [[nodiscard]] argument_form form(argument a) const noexcept {
    return a.is_constant() ? forms_[constant_of_[a.id()]] : argument_form::result;
  }

  [[nodiscard]] bool has_constant(std::uint16_t id) const noexcept;
  [[nodiscard]] const nac::constant& constant(std::uint16_t id) const noexcept {
    return constants_[constant_of_[id]];
  }
  [[nodiscard]] bool has_parameter(std::uint16_t id) const noexcept;
  [[nodiscard]] const nac::parameter& parameter(std::uint16_t id) const noexcept {
    return parameters_[parameter_of_[id]];
  }
  /// All that DATA names or holds; those of internal weights that no INPUT asks for, too.
  [[nodiscard]] view<nac::parameter> parameters() const& noexcept { return parameters_; }
  view<nac::parameter> parameters() const&& = delete;
  /// Whether every parameter that is asked for has its value; see weights_elsewhere.
  [[nodiscard]] bool has_weights() const noexcept { return has_weights_; }

  /// What a caller has to give, in this order.
  [[nodiscard]] view<model_input> inputs() const& noexcept { return inputs_; }
  view<model_input> inputs() const&& = delete;
  /// What MMAP advises, in its order, without the commands that verification warned of.
  [[nodiscard]] view<scheduled_command> schedule() const& noexcept { return schedule_; }
  view<scheduled_command> schedule() const&& = delete;
  /// The last instruction that takes the result of instruction `i`; `i` itself where none does.
  [[nodiscard]] std::uint32_t last_use(std::size_t i) const noexcept { return last_use_[i]; }
  /// The most results that are needed at once, parameters among them.
  [[nodiscard]] std::uint32_t peak_results() const noexcept { return peak_results_; }

 private:
  friend struct detail::verifier;
  friend result<program> verify(const nac::model& f, const verify_options& options, report* found);
  explicit program(const nac::model& f) noexcept : model_(f) {}

  [[nodiscard]] view<argument_form> forms_of(const step& s, argument_form* out) const noexcept;

  nac::model model_;
  nac::code code_, training_;
  pool<nac::constant> constants_;
  pool<argument_form> forms_;  // of the constants
  detail::id_table constant_of_, parameter_of_;
  pool<nac::parameter> parameters_;
  pool<model_input> inputs_;
  pool<scheduled_command> schedule_;
  pool<std::uint32_t> last_use_;
  std::uint32_t peak_results_ = 0;
  bool has_weights_ = true;
};

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/program.hpp"
#endif

#endif  // TESSERA_NAC_PROGRAM_HPP
