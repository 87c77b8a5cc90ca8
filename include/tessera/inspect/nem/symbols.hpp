// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The names of a NEM file: what declares them, and where they are used. What editors ask.
//
//   const nem::model d = tessera::inspect::read_partly(source);
//   const tessera::inspect::nem_symbols all(d, source);
//   if (const auto* use = all.at(offset); use != nullptr && use->symbol != nem::no_index)
//     go_to(all.symbols()[use->symbol].name);            // where it is declared
//
//   program, device, type_family, variant, type_parameter      of a file
//   constant, let, region, buffer, loop_variable, token        in scopes, as verification has them
//   opcode, decorator, attribute, element, unit, level …       aren't names: the language has them
//
// A name means what is declared last before it in the innermost loop, as in nem/verify.hpp: tokens and
// whatever a loop's body declares are gone after it. Devices, families and variants may be declared
// anywhere, in other files too; then `symbol` is no_index.
//
// While a text is typed it seldom reads. read_partly() leaves out statements that don't, with their
// places blank, so that all others keep their offsets.
//
// Lifetime:   values; they don't borrow.
// Errors:     none. A text that doesn't read in parts either has no nodes.
// Limits:     those of nem::read; read_partly reads at most 8 times.
// Allocation: 24 bytes for each symbol and 20 for each use; read_partly copies a text that doesn't read.

#ifndef TESSERA_INSPECT_NEM_SYMBOLS_HPP
#define TESSERA_INSPECT_NEM_SYMBOLS_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "../../nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// What a name is declared as.
enum class nem_symbol_kind : std::uint8_t {
  program,         ///< the name of the program
  constant,        ///< by const
  let,             ///< by let, for a value that isn't a region
  region,          ///< by let, for a region
  buffer,          ///< by buffer
  loop_variable,   ///< by loop
  token,           ///< by a task
  device,          ///< by device
  type_family,     ///< by type_family
  type_parameter,  ///< in a type family
  variant          ///< in a type family
};
/// "buffer", "loop variable", "type family".
[[nodiscard]] std::string_view name(nem_symbol_kind k) noexcept;

/// A range of a source.
struct source_range {
  std::uint32_t offset = 0, length = 0;  ///< bytes
  /// The offset of what follows it.
  [[nodiscard]] std::uint32_t end() const noexcept { return offset + length; }
};

/// A declaration.
struct nem_symbol {
  nem_symbol_kind kind = nem_symbol_kind::program;  ///< what it declares
  std::uint32_t node = 0;                           ///< of the declaration; the task of a token
  std::uint32_t loop = nem::no_node;                ///< the innermost loop around it, if any
  std::uint32_t parent = nem::no_node;              ///< the type family of a variant or parameter
  source_range name;                                ///< where it is declared
};
/// A name where it is declared or used.
struct nem_name {
  source_range where;                    ///< that of a family with its dot: gemm.float
  std::uint32_t symbol = nem::no_index;  ///< in symbols(); no_index: of another file, or unknown
  std::uint32_t node = 0;                ///< what names it
  nem_symbol_kind kind = nem_symbol_kind::program;  ///< what is named
  bool is_declaration = false;                      ///< whether it is declared here; else used
};

/// The names of one file.
class nem_symbols {
 public:
  /// Without names.
  nem_symbols() = default;
  /// `source` is what the model was read from.
  nem_symbols(const nem::model& d, std::string_view source);

  /// All declarations, those of devices and type families first.
  [[nodiscard]] const std::vector<nem_symbol>& symbols() const noexcept { return symbols_; }
  /// In the order of the file.
  [[nodiscard]] const std::vector<nem_name>& names() const noexcept { return names_; }
  /// The name at an offset, or that ends there; null where there is none.
  [[nodiscard]] const nem_name* at(std::uint32_t offset) const noexcept;
  /// The symbols that an expression at an offset may name, the innermost first, one of each name.
  [[nodiscard]] std::vector<std::uint32_t> visible(const nem::model& d, std::uint32_t offset) const;

 private:
  class builder;

  std::vector<nem_symbol> symbols_;
  std::vector<nem_name> names_;
};

/// Reads what of a source can be read: statements with syntax errors are left out, and loops that have
/// no end, end where the source does. Empty where that fails.
[[nodiscard]] nem::model read_partly(std::string_view source,
                                     const nem::read_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_SYMBOLS_HPP
