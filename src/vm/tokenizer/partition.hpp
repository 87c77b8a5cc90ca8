// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// partition_rules of a tokenizer: a text into fragments, by the matches of ordered expressions.
//
//   const partition rules(instruction, 1'000'000, use);
//   rules.run(text, fragments, use);
//
//   match        of the rules, the leftmost one, of several there that of the first rule; not the
//                longest. An empty one divides what is around it and makes no fragment.
//   gap          what is in front of a match: a fragment, without the rule's trim at its end
//   fragment     of a match, unless the rule removes it; a protected one of more than a character
//                loses a space in front
//   rest         after the last match: a fragment
//   protected    expressions that begin with < or [ have (?: ?) in front
//   no rules     the text is one fragment
//
// Lifetime:   owns its expressions and borrows the instruction; fragments are places in the text.
// Errors:     throws a trouble: those of expressions, budget_memory, budget_steps.
// Limits:     those of expressions.
// Allocation: the expressions; a fragment each.

#ifndef TESSERA_VM_TOKENIZER_PARTITION_HPP
#define TESSERA_VM_TOKENIZER_PARTITION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "expression.hpp"
#include "meter.hpp"
#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// A piece of the text. Encoders look a protected one up as a whole.
struct fragment {
  std::size_t first = 0, size = 0;
  bool is_protected = false;
};

class partition {
 public:
  partition(const tessera::nac::tokenizer_instruction& i, std::uint32_t match_limit, meter& use);
  void run(std::string_view text, std::vector<fragment>& out, meter& use) const;

 private:
  /// What becomes of a match.
  struct treatment {
    bool is_protected = false, removes = false;
    std::string_view trim;
    friend bool operator==(const treatment&, const treatment&) = default;
  };
  /// Consecutive rules that are treated alike.
  struct rule {
    expression matches;
    treatment how;
  };
  std::vector<rule> rules_;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_PARTITION_HPP
