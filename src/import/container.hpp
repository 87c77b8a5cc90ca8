// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Instructions as a container's parts, one after another: the constants, signatures and operations
// that they name get their ids as they come.
//
//   container_builder to(nac::header::v1_8);
//   const std::uint32_t x = to.add(nac::op_input, 0);
//   to.call("nac.add", {{'T', x, 0}, {'i', container_builder::none, to.integer(1)}});
//   auto parts = to.finish();
//
//   constant 1       null, as the format's compiler has it
//   signature 0      that of instructions without arguments
//   operation        its name; finish() gives those that the version predefines their ids
//   too many         of anything: what exceeds() says, to be asked before finish()
//
// Lifetime:   owns all but payloads that were given to `parts`.
// Errors:     of finish(): nac::convert's.
// Limits:     those of the format.
// Allocation: linear in what is added.

#ifndef TESSERA_IMPORT_CONTAINER_HPP
#define TESSERA_IMPORT_CONTAINER_HPP

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/nac/parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

class container_builder {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no instruction
  struct operand {
    char letter = 'T';
    std::uint32_t result = none;  ///< the instruction, or
    std::uint16_t constant = 0;   ///< a constant's id
  };
  using operands = std::vector<operand>;

  /// What `rest` has besides instructions, constants and names of operations is kept.
  explicit container_builder(nac::header form, nac::parts rest = {});

  nac::parts parts;

  // ---- constants, by their ids

  [[nodiscard]] std::uint16_t null() const noexcept { return 1; }
  [[nodiscard]] std::uint16_t integer(std::int64_t v) {
    return number(nac::constant_type::int64, std::bit_cast<std::uint64_t>(v));
  }
  [[nodiscard]] std::uint16_t real(double v) {
    return number(nac::constant_type::float64, std::bit_cast<std::uint64_t>(v));
  }
  [[nodiscard]] std::uint16_t boolean(bool v) {
    return number(nac::constant_type::boolean, v ? 1u : 0u);
  }
  [[nodiscard]] std::uint16_t string(std::string_view s);
  /// Of int32, or the bits of float32.
  [[nodiscard]] std::uint16_t list(nac::constant_type type,
                                   const std::vector<std::uint32_t>& words);
  /// Of a type that has bits.
  [[nodiscard]] std::uint16_t number(nac::constant_type type, std::uint64_t bits);

  // ---- instructions

  [[nodiscard]] std::uint32_t next() const noexcept {
    return static_cast<std::uint32_t>(parts.instructions.size());
  }
  /// One of the system's: its words as they are.
  std::uint32_t add(std::uint8_t a, std::uint8_t b, const std::vector<std::uint16_t>& c = {},
                    const std::vector<std::uint16_t>& d = {});
  std::uint32_t call(const std::string& name, const operands& of);
  /// A result, relative to the next instruction.
  [[nodiscard]] std::uint16_t back_to(std::uint32_t instruction);

  /// What there is more of than a container can number.
  struct excess {
    std::string_view what;  ///< empty: nothing
    std::uint64_t most = 0;
  };
  [[nodiscard]] excess exceeds() const noexcept;

  /// Of the version that was asked for.
  [[nodiscard]] result<nac::parts> finish();

 private:
  /// The constant of a type and a text that differs for each value; `make` adds its elements.
  template <class Make>
  [[nodiscard]] std::uint16_t constant(nac::constant_type type, const std::string& key,
                                       const Make& make);
  [[nodiscard]] std::uint8_t signature(const std::string& letters);
  [[nodiscard]] std::uint8_t operation(const std::string& name);

  nac::header form_;
  std::map<std::pair<nac::constant_type, std::string>, std::uint16_t> constants_;
  std::map<std::string, std::uint32_t> signatures_, operations_;
  bool is_too_far_ = false;
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IMPORT_CONTAINER_HPP
