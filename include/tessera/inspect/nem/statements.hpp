// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where the tasks of a NEM program are in its text.
//
//   const tessera::inspect::task_statements tasks(program.model(), source);
//   if (const auto* s = tasks.find(event.node)) show(s->line, tasks.loops(*s));
//
// Lifetime:   borrows nothing.
// Errors:     none.
// Limits:     none.
// Allocation: for each task statement and for each loop.

#ifndef TESSERA_INSPECT_NEM_STATEMENTS_HPP
#define TESSERA_INSPECT_NEM_STATEMENTS_HPP

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "../../nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// A transfer, store or compute statement.
struct task_statement {
  std::uint32_t node = 0;              ///< in model::nodes
  std::uint32_t line = 0;              ///< of its first byte, from 1
  std::uint32_t loop = nem::no_index;  ///< the innermost around it: for loops()
};

/// All task statements of a model, and the loops around them.
class task_statements {
 public:
  /// `source` is the text that the model was read from.
  task_statements(const nem::model& d, std::string_view source);

  /// All of them, in the order of the text.
  [[nodiscard]] std::span<const task_statement> all() const noexcept { return statements_; }
  /// The statement of a node, or null.
  [[nodiscard]] const task_statement* find(std::uint32_t node) const noexcept;
  /// The nodes of the loops around a statement, the outermost first.
  [[nodiscard]] std::vector<std::uint32_t> loops(const task_statement& s) const;

 private:
  std::vector<task_statement> statements_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;  ///< their nodes, the next outer one
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_STATEMENTS_HPP
