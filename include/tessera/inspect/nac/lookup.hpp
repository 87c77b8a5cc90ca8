// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A container's instructions with what they refer to, in words; of files that `read` accepts, valid
// or not.
//
//   const tessera::inspect::lookup at(file);
//   for (const auto& i : at.instructions())
//     for (const auto& a : at.arguments(i)) std::cout << at.text_of(a);   // v3, 1.5, fc.weight
//
// Where an id appears several times in a section, the last one counts, as for readers.
//
// Lifetime:   borrows the file.
// Errors:     none: an unresolved reference is an argument of kind `missing`.
// Limits:     none; 48 characters of a constant in short texts.
// Allocation: 64 bytes for an instruction, 24 for a constant, 104 for a tensor, 16 for a name, and 4 for
//             each id up to the largest of each section.

#ifndef TESSERA_INSPECT_NAC_LOOKUP_HPP
#define TESSERA_INSPECT_NAC_LOOKUP_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// What an instruction takes.
struct nac_argument {
  /// What it refers to: the result of an instruction, a constant, a parameter or a state by id, no
  /// reference but a number, nothing (0 in an OUTPUT), or something that isn't there.
  enum class kind : std::uint8_t { result, constant, parameter, state, number, absent, missing };
  kind what = kind::missing;  ///< which of these
  char code = 0;              ///< the signature's letter; 0 where there is none
  std::int64_t value = 0;     ///< the index of an instruction, an id, or a number
};

/// A value's text: null, true, 2, 1.5, "text", [1, 2].
[[nodiscard]] std::string text_of(const nac::constant& c);
/// "f32 [2, 3]", of what is stored.
[[nodiscard]] std::string text_of_shape(nac::packed<std::uint32_t> shape);
/// Elements of a shape; 2^64 - 1 when they are more.
[[nodiscard]] std::uint64_t elements_of(nac::packed<std::uint32_t> shape) noexcept;
/// A text cut to `max_characters` characters, with an ellipsis.
[[nodiscard]] std::string shortened(std::string_view s, std::size_t max_characters = 48);

/// The instructions, constants, parameters and names of a container.
class lookup {
 public:
  static constexpr std::uint32_t none = 0xffffffff;  ///< no instruction

  /// Indexes the sections of a file, which has to outlive it.
  explicit lookup(const nac::model& f);

  /// The file.
  [[nodiscard]] const nac::model& model() const noexcept { return file_; }
  /// Those of OPS.
  [[nodiscard]] const std::vector<nac::instruction>& instructions() const noexcept {
    return instructions_;
  }
  /// Those of TRNG.
  [[nodiscard]] const std::vector<nac::instruction>& training() const noexcept { return training_; }

  /// A constant of CNST by its id; null where there is none.
  [[nodiscard]] const nac::constant* constant(std::uint32_t id) const noexcept;
  /// The weights of a parameter, by its id; null where the container has none.
  [[nodiscard]] const nac::tensor* tensor(std::uint32_t parameter) const noexcept;
  /// Whether DATA names a parameter of that id.
  [[nodiscard]] bool has_parameter(std::uint32_t id) const noexcept;
  /// The name of a parameter, in DATA's block 1; empty where there is none.
  [[nodiscard]] std::string_view parameter(std::uint32_t id) const noexcept;
  /// The name of an input, in DATA's block 2, by its instruction; empty where there is none.
  [[nodiscard]] std::string_view input(std::uint32_t instruction) const noexcept;
  /// Whether DATA names the input of that instruction.
  [[nodiscard]] bool has_input(std::uint32_t instruction) const noexcept;
  /// Which of the user inputs without a name this instruction of OPS is, from 0.
  [[nodiscard]] std::uint32_t lifted(std::uint32_t instruction) const noexcept;

  /// "nac.add", "input", "parameter", "output"; "operation 77" where nothing names it: the words
  /// of the assembly.
  [[nodiscard]] std::string operation(const nac::instruction& i) const;
  /// What an instruction of OPS or TRNG takes, in its order.
  [[nodiscard]] std::vector<nac_argument> arguments(const nac::instruction& i) const;
  /// "v3", "1.5", "fc.weight".
  [[nodiscard]] std::string text_of(const nac_argument& a) const;

 private:
  const nac::model& file_;
  std::vector<nac::instruction> instructions_, training_;
  std::vector<nac::constant> constants_;
  std::vector<nac::tensor> tensors_;
  std::vector<std::string_view> parameters_, inputs_;
  std::vector<std::uint32_t> constant_of_, tensor_of_, parameter_of_, input_of_;  // none, by id
  std::vector<std::uint32_t> lifted_;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NAC_LOOKUP_HPP
