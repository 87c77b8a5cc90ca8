// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verbs that run NAC programs share: verification with external weights, inputs from the command
// line, outputs as elements.

#ifndef TESSERA_CLI_NAC_VALUES_HPP
#define TESSERA_CLI_NAC_VALUES_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tessera/core/json_write.hpp>
#include <utility>
#include <vector>

#include "nac.hpp"
#include "run.hpp"
#include "runnable.hpp"
#include "values.hpp"
#include "vm/nac/interpreter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// A verified program; without one, the error has been reported. It borrows the source.
struct nac_model {
  weights_outcome weights = {};  ///< of containers with external weights
  std::optional<nac::program> program = {};
  exit_code code = success;
};
/// `weights` is the path of external weights; empty: default_weights.
[[nodiscard]] nac_model verify_nac(const source& file, const reporting& to,
                                   const std::string& weights);

/// A shape and a type: "1x3x224x224", "1x16:i64", ":f32" of rank 0.
struct tensor_form {
  vm::nac::shape dims;
  nac::data_type type = nac::data_type::float32;
};
[[nodiscard]] std::optional<tensor_form> parse_form(std::string_view words);
[[nodiscard]] element_type element_of(nac::data_type t) noexcept;
[[nodiscard]] element_shape elements_of(const vm::nac::tensor& t);
[[nodiscard]] element_shape elements_of(const tensor_form& form);
/// A .npy file of any shape and type that NAC has.
[[nodiscard]] io::expected<vm::nac::value> read_npy(const std::string& path,
                                                    vm::nac::memory& arena);

/// The elements of a tensor. On little-endian machines, a view of the tensor: a copy could need as
/// much memory as everything else.
[[nodiscard]] port_values values_of(const vm::nac::tensor& t);

/// The tensors among results, including those in lists.
[[nodiscard]] std::vector<vm::nac::tensor> tensors_of(std::span<const vm::nac::value> results);
/// Sets the inputs of a machine by the options of `run`, `trace` and `info`.
class nac_inputs {
 public:
  nac_inputs(std::string_view verb, const run_options& o, const reporting& to)
      : verb_(verb), options_(o), to_(to) {}
  /// Assigns the options to the inputs of a program.
  [[nodiscard]] exit_code bind(const nac::program& p);
  /// Only the shapes and types that --shape gives, by the names of the inputs.
  [[nodiscard]] exit_code bind_shapes(const nac::program& p,
                                      std::vector<std::pair<std::string, tensor_form>>& out);
  /// Whether the command line has any.
  [[nodiscard]] bool any() const noexcept {
    return !options_.inputs.empty() || !options_.nac.shapes.empty() || !options_.nac.texts.empty();
  }
  /// The shape and type that an input was given, after bind(); null without.
  [[nodiscard]] const tensor_form* form_of(std::size_t index) const noexcept {
    const std::optional<tensor_form>& form = inputs_[index].form;
    return form ? &*form : nullptr;
  }
  /// Reads or creates the tensors and sets them, also for a machine that has the same memory.
  [[nodiscard]] exit_code set(vm::nac::interpreter& machine,
                              vm::nac::interpreter* other = nullptr) const;

 private:
  enum class origin : std::uint8_t { none, file, text, form };
  struct given {
    origin from = origin::none;
    std::string word;  ///< a path or a text
    std::optional<tensor_form> form = {};
  };

  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error(verb_, message);
  }
  void name_inputs(const nac::program& p);
  /// The index of the input of that name; without one, `wrong` is the reason.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name, std::string& wrong) const;
  /// Assigns each `[NAME=]WORD`; those without a NAME to the next input without a value.
  [[nodiscard]] exit_code take(const std::vector<std::string>& arguments, origin from);
  [[nodiscard]] exit_code make(const given& g, std::size_t index, vm::nac::interpreter& machine,
                               std::uint64_t& random, vm::nac::value& out) const;

  std::string verb_;
  const run_options& options_;
  const reporting& to_;
  std::vector<given> inputs_;
  std::vector<std::string> names_;  ///< of inputs; "lifted#0" and so on for those without a name
  std::vector<std::pair<std::uint16_t, std::string>> states_;
};

[[nodiscard]] vm::nac::interpreter_options machine_options(const run_options& o);
/// The members "peak_bytes" to "preloads" of an object.
void write_memory(json::writer& w, const vm::nac::statistics& of);

/// Runs the execution plan of a container.
[[nodiscard]] exit_code run_plan(const run_options& o, const source& file, const nac::program& p);

/// Runs a program and appends the trace.
[[nodiscard]] exit_code record_nac(const run_options& o, const source& file, text& out);
/// Runs a program and writes the trace.
[[nodiscard]] exit_code trace_nac(const run_options& o, const source& file);

/// Runs a program to measure its memory.
[[nodiscard]] exit_code measure_nac(const run_options& o, const source& file, const reporting& to,
                                    vm::nac::statistics& out);

/// Runs a program for the type and shape of each instruction's result: "f32 [1, 64]", or empty.
[[nodiscard]] exit_code measure_shapes(const run_options& o, const source& file,
                                       const reporting& to, std::vector<std::string>& out);

/// The message of a code with its details, which may contain strings of the file.
[[nodiscard]] std::string message_of(errc code, const std::string& text);
/// Reports a fault of the values for inputs.
[[nodiscard]] exit_code fail_inputs(const vm::nac::fault& f, std::string_view file,
                                    const reporting& to, format what);
/// Reports why a run failed.
[[nodiscard]] exit_code fail_run(const vm::nac::outcome& done, const nac::program& p,
                                 const source& from, const reporting& to);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NAC_VALUES_HPP
