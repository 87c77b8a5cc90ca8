// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verbs that run NEM programs share: options, buffers and regions from files and to files.
//
//   nem_inputs inputs("run", o, to);
//   if (const exit_code code = inputs.set(machine); code != success) return code;
//
//   .npy   of a region: of its type (bf16 as u2, i4 as i1) and shape; of a buffer: as many bytes as
//          it has, of any type
//   .csv   numbers, row by row; of a buffer: of the type that the program reads or writes them as,
//          or else bytes
//   raw    the elements of a region, one after another, i4 two in a byte; the bytes of a buffer
//
// A region without a type or a shape is bytes, as a buffer is.
//
// Lifetime:   nem_inputs borrows its options; places are those of the machine.
// Errors:     an exit_code, when what is wrong has been told.
// Limits:     those of files and of the machine's memory.
// Allocation: the elements of one place at a time; nem_bytes, when it is asked for.

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
#include "values.hpp"
#include "vm/nem/machine.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// The tool's type of elements; none for those without one.
[[nodiscard]] std::optional<element_type> element_of(nem::element e) noexcept;
/// Whether a place has elements: the type and the shape of a region.
[[nodiscard]] bool has_elements(const vm::nem::place& p) noexcept;
/// What the elements of a place are: of a buffer, those of `as`, where it isn't none; or bytes.
[[nodiscard]] element_shape elements_of(const vm::nem::place& p,
                                        nem::element as = nem::element::none);
/// The elements of a place, dense, i4 a byte each.
[[nodiscard]] std::vector<std::byte> get_elements(const vm::nem::machine& machine,
                                                  const vm::nem::place& p,
                                                  nem::element as = nem::element::none);

/// "no buffer or region is named 'x'; did you mean 'y'? There are …"; `of_loops`: the regions of
/// loops too.
[[nodiscard]] std::string no_such_place(const vm::nem::machine& machine, std::string_view name,
                                        bool of_loops);

/// Whether the buffers need more than so many bytes.
[[nodiscard]] bool is_limited_memory(const vm::nem::machine& machine, std::uint64_t max_memory);

/// Splits NAME=WORD; none where there is no NAME.
struct nem_binding {
  std::string name, word;
};
[[nodiscard]] std::optional<nem_binding> parse_binding(const std::string& argument);
/// What is wrong with an argument of `option` that has no NAME.
[[nodiscard]] std::string needs_name(const std::string& argument, const std::string& option);

/// What an option --schedule says of NEM; none when it says something else.
struct nem_schedule {
  vm::nem::schedule order = vm::nem::schedule::in_order;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::optional<nem_schedule> parse_schedule(std::string_view word);

/// Gives a machine what its buffers hold at first, as the options of `run` and `trace` say.
class nem_inputs {
 public:
  nem_inputs(std::string_view verb, const run_options& o, const reporting& to)
      : verb_(verb), options_(o), to_(to) {}
  /// Reads the files and fills buffers; else tells what is wrong.
  [[nodiscard]] exit_code set(vm::nem::machine& machine);
  /// What the program reads and writes, computed when it is first asked for.
  [[nodiscard]] const nem_bytes& bytes(const vm::nem::machine& machine);

 private:
  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error(verb_, message);
  }
  [[nodiscard]] exit_code read(vm::nem::machine& machine, const vm::nem::place& p,
                               const std::string& path);
  void fill(vm::nem::machine& machine, const vm::nem::place& p);

  std::string verb_;
  const run_options& options_;
  const reporting& to_;
  std::optional<nem_bytes> bytes_;
  std::uint64_t random_ = 0;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NEM_VALUES_HPP
