// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The proof that a program and its archive hold together.
//
//   tessera::report found;
//   auto program = pt2::verify(std::move(*model), {}, &found);
//   if (!program) return fail(describe(found, {&file, 1}));
//   const pt2::model& m = program->model();
//   for (const pt2::argument& a : arguments(m, n.inputs))
//     if (const std::uint32_t v = program->value_of(a); v != pt2::none)
//       use(m.values[v], program->definition_of(v));       // the node that computes it, or an input
//
//   names       a value is defined once in its graph, before its uses, and has metadata of the kind
//               that its uses ask for
//   operators   arguments by name, of the right types, none missing, and results, for those that
//               operators.hpp has; others are left to their executor
//   tensors     known types, strided, sizes and strides of one number, none negative; expressions
//               that parse
//   signature   inputs and outputs in the order of the graph; what they are bound to exists
//   payloads    as long as the view needs, in type and sizes as the graph's input has them; what is
//               used isn't pickled
//   calls       trees with as many leaves as there are user inputs and outputs
//   bodies      control flow gives each body as many arguments as it has inputs
//
// Elements of weights aren't looked at. Not checked either: whether what is recorded about results
// follows from the operators.
//
// Lifetime:   a program owns its model, which borrows the bytes that were read.
// Errors:     that of the first diagnostic that is an error, at the JSON value in the archive;
//             pt2_index for a model built in code with an index out of range.
// Limits:     max_diagnostics of a report.
// Allocation: 32 bytes for each value and 4 for each argument.

#ifndef TESSERA_PT2_VERIFY_HPP
#define TESSERA_PT2_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

class program;

/// How a model is verified.
struct verify_options {
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps
};

/// Checks one program. `found` receives all diagnostics.
[[nodiscard]] result<program> verify(model m, const verify_options& options = {},
                                     report* found = nullptr);

/// Where a value comes from.
struct definition {
  std::uint32_t graph = none;    ///< in model::graphs; none where nothing defines it
  std::uint32_t node = none;     ///< in model::nodes; none for an input of the graph
  std::uint32_t position = 0;    ///< among the graph's inputs, or the node's outputs
  std::uint32_t element = none;  ///< of an output that is a list
  std::uint32_t uses = 0;        ///< how many arguments and outputs name it
};

/// A verified model. Only verify() makes one.
class program {
 public:
  /// The model that was verified. Borrows from the program.
  [[nodiscard]] const pt2::model& model() const& noexcept { return model_; }
  const pt2::model& model() const&& = delete;
  /// Moves the model out.
  [[nodiscard]] pt2::model release() && noexcept { return std::move(model_); }

  /// The value that an argument names, in model::values; none for constants and lists.
  [[nodiscard]] std::uint32_t value_of(const argument& a) const noexcept {
    return values_[static_cast<std::size_t>(&a - model_.arguments.data())];
  }
  /// By the argument's index.
  [[nodiscard]] std::uint32_t value_of(std::uint32_t argument) const noexcept {
    return values_[argument];
  }
  /// Where a value comes from, by its index in model::values. Borrows from the program.
  [[nodiscard]] const definition& definition_of(std::uint32_t value) const noexcept {
    return definitions_[value];
  }
  /// The weight or constant of an input of the program, in model::stored; none for user inputs.
  [[nodiscard]] std::uint32_t stored_of(std::uint32_t input) const noexcept {
    return stored_[input];
  }

 private:
  friend result<program> verify(pt2::model m, const verify_options& options, report* found);
  program() = default;

  pt2::model model_;
  pool<std::uint32_t> values_;    // of each argument
  pool<definition> definitions_;  // of each value
  pool<std::uint32_t> stored_;    // of each input
};

/// Whether all indices of a model are in range, and its lists and graphs are trees; else pt2_index.
/// Those of a model that was read are.
[[nodiscard]] error check(const model& m);

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/verify.hpp"
#endif

#endif  // TESSERA_PT2_VERIFY_HPP
