// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules of a registry, as what to draw networks from.
//
//   grammar g(library);                                  // of genome::verify, whose registry has rules
//   for (const grammar::production& p : g.after(name)) weigh(p.count, p.name, p.inputs);
//
// A production is a transition with the names of its other inputs, which are those of a structure with
// the same distances; where none has them, any result or weight will do. Productions that differ in
// distances alone are one: distances count from parameters, which writers put in different places. The
// exceptions of transitions count as they do. Commands but inputs, parameters and outputs are left out,
// patterns among them.
//
// Lifetime:   owns everything.
// Errors:     none: a rule is left out whose text isn't one, names what the registry lacks, or whose count
//             is 0.
// Limits:     none.
// Allocation: linear in the rules.

#ifndef TESSERA_GENOME_GRAMMAR_HPP
#define TESSERA_GENOME_GRAMMAR_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

class grammar {
 public:
  /// Numbers of names; those of operations follow.
  static constexpr std::uint32_t data_input = 0, parameter = 1, output = 2, first_operation = 3;
  /// As inputs of productions: the node that it follows, and one that no structure names.
  static constexpr std::uint32_t source = ~std::uint32_t{0}, any = source - 1;

  struct production {
    std::uint32_t name = 0;
    std::vector<std::uint32_t> inputs;  ///< names, in the order of D
    double count = 0;
  };
  struct composition {
    std::uint8_t variation = 0;
    std::int16_t constants = 0;  ///< C
    std::uint64_t count = 0;
  };

  explicit grammar(const genome::library& of);

  [[nodiscard]] bool empty() const noexcept { return after_[data_input].empty(); }
  [[nodiscard]] const std::vector<production>& after(std::uint32_t name) const {
    return after_[name];
  }
  [[nodiscard]] const std::vector<composition>& compositions(std::uint32_t name) const {
    return compositions_[name];
  }
  /// A of an operation.
  [[nodiscard]] std::uint8_t operation(std::uint32_t name) const { return operations_[name]; }
  [[nodiscard]] std::string_view name(std::uint32_t name) const { return names_[name]; }

 private:
  struct reader;

  std::vector<std::string> names_;
  std::vector<std::uint8_t> operations_;
  std::vector<std::vector<production>> after_;
  std::vector<std::vector<composition>> compositions_;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_GRAMMAR_HPP
