// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The proof that a NAC container is valid, and the only maker of nac::program.
//
//   tessera::report found;
//   auto program = nac::verify(*file, {}, &found);
//   const tessera::source_file source{"model.nac", as_text(mapped), true};
//   std::cerr << describe(found, {&source, 1});
//   // model.nac: error: v12 = aten.linear.default: 4 arguments; expected 2 or 3
//   //   [nac_argument_count] at instruction 12 (aten.linear.default), signature, offset 780 (0x30c)
//   if (!program) …                                    // program.error() is the first error
//
// Proven of a program, checked in this order:
//
//   tables      ids are unique in each (warning: the last record counts)
//   OPS         there is one; references lead to earlier instructions, constants exist (see
//               resolve); operations have names, and the arguments of the supported ones fit
//               (nac/operations.hpp; others get a warning, and machines refuse them); INPUT and
//               OUTPUT belong in OPS; branches end inside the one around them
//   DATA        sizes, types and scales of tensors agree with their metadata; input names belong to
//               inputs, of which there are as many as the header counts; each parameter that is
//               used has a name and a tensor; external ones are found by their names
//   MMAP        commands change no result (warnings; the program leaves the others out)
//   RSRC, ARRS  each name once; arrays have the size of their shape
//   ORCH, PROC  the execution plan and the tokenizer's manifest (nac/execution_plan.hpp,
//               nac/tokenizer.hpp)
//   TRNG        only the structure: its operations have no defined meaning
//   header      reserved bytes are 0, sections end where their records do (warnings)
//
// Not checked: shapes, data types and values, which depend on results; results of branches that
// don't run (warning); the slots of plans. No element of a tensor is read.
//
// Each finding has its code, a message with values and the place, {offset}, whose path names the
// element: "instruction 12 (aten.linear.default), argument 2", "parameter 7 \"fc1.weight\"",
// "tensor 3, data size", "tick 4 (instruction 9), command 2", "constant 5 (id 9)". All numbers
// count from 0; those of records are indices in their list. An instruction whose arguments can't be
// resolved is reported once, and all others are checked.
//
// A program has its instructions as records of one size, with their arguments resolved:
//
//   for (const nac::step& s : program->code().steps) {
//     const nac::operation o = program->operation_of(s);       // unknown: a system operation
//     const nac::binding b = program->binding_of(s);           // which arguments are which
//     for (const nac::argument a : program->code().arguments_of(s))
//       if (a.is_constant()) use(program->constant(a.id())); else use(results[a.index()]);
//   }
//
// Lifetime:   the program borrows the container's bytes and the external weights, and holds a copy
//             of the model, which may be a temporary.
// Errors:     the first finding that is an error: nac_no_instructions to nac_training_version,
//             nac_mep_*, nac_tisa_*, too_many_items, input_too_large. Offsets count in the
//             container, those of external tensors too: they are where the parameter is named.
// Limits:     verify_options::limit, of which max_items holds for each list of instructions.
// Allocation: the program: 20 bytes for an instruction, 4 for an argument, 24 for an input, 25 for
//             a constant, 136 for a parameter, 6 for a command of the schedule, 4 for each id up to
//             the largest, at most twice that of each; while it is made 18 bytes for an
//             instruction, 16 more for an INPUT, and 64 for the name of a resource or array.

#ifndef TESSERA_NAC_VERIFY_HPP
#define TESSERA_NAC_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "detail/ids.hpp"
#include "model.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

class safetensors;

/// How a container is verified, and within which limits.
struct verify_options {
  const safetensors* weights = nullptr;  ///< of containers with external weights
  /// External weights may be missing: then program::has_weights() is false.
  bool weights_elsewhere = false;
  /// Prefixes that no convention knows are errors rather than warnings.
  bool strict_prefixes = false;
  limits limit = {};                     ///< max_items: instructions of a list
  std::uint64_t max_diagnostics = 1000;  ///< that a report keeps; it counts all
};

/// An instruction: where it is, what it is, and which of the program's arguments are its own (see
/// `argument`).
struct step {
  std::uint32_t offset = 0;     ///< bytes from the first instruction of the list
  std::uint8_t a = 0, b = 0;    ///< as in the file
  std::uint16_t arguments = 0;  ///< how many
  std::uint32_t first = 0;      ///< index of the first one
  std::uint16_t operation = 0;  ///< filled by `verify`
  std::uint16_t reserved = 0;   ///< always 0
};
static_assert(sizeof(step) == 16);

inline constexpr std::uint32_t max_index = 0x7fff'ffff;  ///< of an instruction, read

/// How much is decoded.
struct decode_options {
  limits limit = {};  ///< max_items: instructions
};

/// The instructions of `list`, which is f.instructions() or f.training(), without their arguments.
/// Errors: too_many_items, input_too_large. Allocates 16 bytes for each instruction.
[[nodiscard]] result<pool<step>> decode(const model& f, const instructions& list,
                                        const decode_options& options = {});

/// The index of an instruction, or an id.
struct argument {
  /// The bit that distinguishes ids and lengths from indices.
  static constexpr std::uint32_t constant_bit = std::uint32_t{1} << 31;
  std::uint32_t bits = 0;  ///< an index, or constant_bit and an id or length

  /// Whether it is an id (or a branch's length) rather than an instruction.
  [[nodiscard]] constexpr bool is_constant() const noexcept { return (bits & constant_bit) != 0; }
  /// The index of the instruction that makes the result; of others, the id or the length.
  [[nodiscard]] constexpr std::uint32_t index() const noexcept { return bits & ~constant_bit; }
  /// The id of a constant or parameter.
  [[nodiscard]] constexpr std::uint16_t id() const noexcept {
    return static_cast<std::uint16_t>(bits);
  }
  friend constexpr bool operator==(argument, argument) noexcept = default;  ///< equal in all bits
};

/// A list of instructions with their arguments.
struct code {
  pool<step> steps;          ///< in the order of the file
  pool<argument> arguments;  ///< of all steps, one after another

  /// The arguments of one of the steps, in their order. Borrows.
  [[nodiscard]] view<argument> arguments_of(const step& s) const noexcept {
    return {arguments.data() + s.first, s.arguments};
  }
};

/// How arguments are resolved: one after another, four at a time, or with what this processor has;
/// `automatic` is the last where there are enough of them. It changes nothing but time.
enum class resolve_path : std::uint8_t { automatic, plain, portable, best };

/// How arguments are resolved, and how many instructions may have some.
struct resolve_options {
  limits limit = {};                            ///< max_items: instructions
  resolve_path path = resolve_path::automatic;  ///< which loop resolves them
};

/// The instructions of `list`, which is f.instructions() or f.training(), with their arguments:
///
///   instruction            arguments
///   A ≥ 10                 one for each letter of its signature: a constant of CNST, or a result
///   INPUT 0                none
///   INPUT 1-5              its id; of a constant (3) it must be in CNST
///   OUTPUT 0-2             the results
///   OUTPUT 3               a parameter's id, the gradient's and the rate's results
///   OUTPUT 4               one result; none where D is 0
///   CONTROL_FLOW           the predicate's result, and the lengths of both branches, marked as ids
///   CONVERGENCE            the input's result, the index of the instruction after its branches,
///                          and of the first one of each branch
///   others                 none
///
/// Results come from earlier instructions; as many constants are given as are taken, and all are in
/// CNST; the true and the false branch of a CONTROL_FLOW, which follow it, end inside the program;
/// so do the branches of a CONVERGENCE, which ascend and hold one instruction or more. A
/// CONVERGENCE without branches, whose end is 0, ends at the next instruction.
///
/// Errors: nac_reference … nac_convergence_branch: the first broken instruction's, with the offset
/// of the word that is wrong; too_many_items, input_too_large. Allocates 28 bytes for an
/// instruction, and where there are more than three arguments for each, 4 to 8 for each of them;
/// some hundred KB more.
[[nodiscard]] result<code> resolve(const model& f, const instructions& list,
                                   const resolve_options& options = {});

/// A parameter: a weight with its name.
struct parameter {
  std::uint16_t id = 0;                      ///< by which INPUT 1 asks for it
  bool has_name = false, has_value = false;  ///< in DATA; in DATA or in the external weights
  std::string_view name;                     ///< empty where it has none
  tensor value;              ///< internal or external; of the latter, offsets count in its own file
  std::uint64_t offset = 0;  ///< of its record with the name
};

/// An INPUT of variant 0. Those without a name are constants that the compiler lifted and lost.
struct model_input {
  std::uint32_t instruction = 0;  ///< its index in OPS
  std::string_view name;          ///< empty where it has none
};

/// A command of the schedule that changes no result.
struct scheduled_command {
  std::uint16_t tick = 0, target = 0;  ///< instructions
  action what = action::free;          ///< what is done at that tick
};

namespace detail {
struct verifier;
}  // namespace detail

/// A container that was proven. Only verify() makes one.
class program {
 public:
  /// The container that was verified. Borrows from the program.
  [[nodiscard]] const nac::model& model() const& noexcept { return model_; }
  const nac::model& model() const&& = delete;
  /// OPS; the operation of a step is an enumerator of nac::operation.
  [[nodiscard]] const nac::code& code() const& noexcept { return code_; }
  const nac::code& code() const&& = delete;
  /// TRNG, of which only the structure is proven; its operations may be unknown.
  [[nodiscard]] const nac::code& training() const& noexcept { return training_; }
  const nac::code& training() const&& = delete;
  /// How many instructions OPS has.
  [[nodiscard]] std::size_t size() const noexcept { return code_.steps.size(); }

  /// The operation of a step; `unknown` for system operations.
  [[nodiscard]] static operation operation_of(const step& s) noexcept {
    return static_cast<operation>(s.operation);
  }
  /// Whether a regular step changes its first operand.
  [[nodiscard]] bool is_in_place(const step& s) const noexcept {
    return nac::is_in_place(model_.operation_name(s.a));
  }
  /// Which arguments of a regular step each letter of its operation's pattern has; none of others.
  [[nodiscard]] binding binding_of(const step& s) const noexcept;
  /// The form of an argument of a regular step: that of its constant, or `result`.
  [[nodiscard]] argument_form form(argument a) const noexcept {
    return a.is_constant() ? forms_[constant_of_[a.id()]] : argument_form::result;
  }

  /// Whether CNST has a constant with this id.
  [[nodiscard]] bool has_constant(std::uint16_t id) const noexcept;
  /// The constant with an id, which must exist.
  [[nodiscard]] const nac::constant& constant(std::uint16_t id) const noexcept {
    return constants_[constant_of_[id]];
  }
  /// Whether DATA names or holds a parameter with this id.
  [[nodiscard]] bool has_parameter(std::uint16_t id) const noexcept;
  /// The parameter with an id, which must exist.
  [[nodiscard]] const nac::parameter& parameter(std::uint16_t id) const noexcept {
    return parameters_[parameter_of_[id]];
  }
  /// All that DATA names or holds; those of internal weights that no INPUT asks for, too.
  [[nodiscard]] view<nac::parameter> parameters() const& noexcept { return parameters_; }
  view<nac::parameter> parameters() const&& = delete;
  /// Whether every parameter that is asked for has its value; see weights_elsewhere.
  [[nodiscard]] bool has_weights() const noexcept { return has_weights_; }

  /// The inputs that a caller must provide, in this order.
  [[nodiscard]] view<model_input> inputs() const& noexcept { return inputs_; }
  view<model_input> inputs() const&& = delete;
  /// The commands of MMAP, in its order, without the commands that verification warned of.
  [[nodiscard]] view<scheduled_command> schedule() const& noexcept { return schedule_; }
  view<scheduled_command> schedule() const&& = delete;
  /// The last instruction that takes the result of instruction `i`; `i` itself where none does.
  [[nodiscard]] std::uint32_t last_use(std::size_t i) const noexcept { return last_use_[i]; }
  /// The largest number of results that are needed at once, with parameters.
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

/// A program, if `f` has no errors. All findings are appended to `found`.
[[nodiscard]] result<program> verify(const model& f, const verify_options& options = {},
                                     report* found = nullptr);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/decode.hpp"
#include "detail/program.hpp"
#include "detail/resolve.hpp"
#include "detail/verify.hpp"
#endif

#endif  // TESSERA_NAC_VERIFY_HPP
