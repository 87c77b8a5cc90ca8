// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verbs that run NEM programs share: options, and buffers and regions in files.
//
//   nem_inputs inputs("run", o, to);
//   if (const exit_code code = inputs.bind(machine); code != success) return code;
//   if (const exit_code code = inputs.set(machine); code != success) return code;
//
//   .npy   for a region: its type (bf16 as u2, i4 as i1) and shape; for a buffer: any shape of the
//          type that the program reads or writes there, bytes where it has several, and any type where
//          it has none
//   .csv   numbers, row by row; for a buffer: of the type that the program reads or writes, or else
//          bytes
//   raw    the elements of a region, two i4 in a byte; the bytes of a buffer
//
// A region without a type or a shape is treated as a buffer: as bytes.
//
// Lifetime:   nem_inputs borrows its options; places are those of the machine.
// Errors:     an exit_code; the error has been reported.
// Limits:     those of files and of the machine's memory.
// Allocation: the elements of one place at a time; nem_bytes on first use.

#ifndef TESSERA_CLI_NEM_VALUES_HPP
#define TESSERA_CLI_NEM_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nem.hpp"
#include "nem_bytes.hpp"
#include "run.hpp"
#include "runnable.hpp"
#include "tessera/vm/nem.hpp"
#include "tessera/vm/nem_timing.hpp"
#include "values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// The tool's element type; none if it has none.
[[nodiscard]] std::optional<element_type> element_of(nem::element e) noexcept;
/// Whether a place is a region with a type and a shape.
[[nodiscard]] bool has_elements(const vm::nem::place& p) noexcept;
/// The type and shape of a place's elements; of a buffer, elements of type `as`, or bytes.
[[nodiscard]] element_shape elements_of(const vm::nem::place& p,
                                        nem::element as = nem::element::none);
/// The element types of a place's bytes among the ranges of its buffer.
[[nodiscard]] element_types types_of(const vm::nem::place& p, const byte_ranges& ranges);
/// "i4, f16 and i8".
[[nodiscard]] std::string text_of(const element_types& types);
/// The elements of a place, dense; an i4 has one byte.
[[nodiscard]] std::vector<std::byte> get_elements(const vm::nem::machine& machine,
                                                  const vm::nem::place& p,
                                                  nem::element as = nem::element::none);

/// "unknown buffer or region 'x'; did you mean 'y'? …"; `of_loops`: including regions of loops.
[[nodiscard]] std::string no_such_place(const vm::nem::machine& machine, std::string_view name,
                                        bool of_loops);

/// Whether the buffers need more than `max_memory` bytes.
[[nodiscard]] bool is_limited_memory(const vm::nem::machine& machine, std::uint64_t max_memory);

/// The message for an argument of `option` without a NAME.
[[nodiscard]] std::string needs_name(const std::string& argument, const std::string& option);

/// model.weights in the folder of model.nem: the bytes of its buffer `weights`.
[[nodiscard]] std::string weights_path(const std::string& program);

/// The value of --schedule for NEM; none if it is invalid.
struct nem_schedule {
  vm::nem::schedule order = vm::nem::schedule::in_order;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::optional<nem_schedule> parse_schedule(std::string_view word);

/// Sets the initial contents of a machine's buffers by the options of `run` and `trace`.
class nem_inputs {
 public:
  nem_inputs(std::string_view verb, const run_options& o, const reporting& to)
      : verb_(verb), options_(o), to_(to) {}
  /// Assigns --input to places.
  [[nodiscard]] exit_code bind(vm::nem::machine& machine);
  /// Reads files and fills buffers; reports errors.
  [[nodiscard]] exit_code set(vm::nem::machine& machine);
  /// The bytes that the program reads and writes, computed on first use.
  [[nodiscard]] const nem_bytes& bytes(const vm::nem::machine& machine);

 private:
  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error(verb_, message);
  }
  [[nodiscard]] exit_code read(vm::nem::machine& machine, const vm::nem::place& p,
                               const std::string& path);
  [[nodiscard]] exit_code read_weights(vm::nem::machine& machine);
  void fill(vm::nem::machine& machine, const vm::nem::place& p);

  std::string verb_;
  const run_options& options_;
  const reporting& to_;
  std::vector<std::string> places_;
  std::vector<bound_word> files_;
  std::optional<nem_bytes> bytes_;
  std::uint64_t random_ = 0;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NEM_VALUES_HPP
