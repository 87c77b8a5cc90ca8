// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verification finds in a model: a list of diagnostics, each with its rule.
//
//   ark::report found;
//   auto program = ark::verify(std::move(*graph), {}, &found, source);
//   for (const ark::diagnostic& d : found.diagnostics)
//     std::cout << ark::rule(d.code).id() << ' ' << found.text_of(d.path) << ": "
//               << found.text_of(d.text) << '\n';
//   // G03 $.Nodes[3].ConsumerNodeIds[0]: expected the Id of a node in this file: 99
//
// Rule ids are a letter for the subject (S structure, G graph, T tensors, B buffers, O operations,
// C communication, M models of many ranks) and a number.
//
// Lifetime:   a report owns its texts.
// Errors:     none.
// Limits:     a report keeps the first `max_diagnostics`, and counts all.
// Allocation: 40 bytes and two texts for each diagnostic that is kept.

#ifndef TESSERA_ARK_DIAGNOSTIC_HPP
#define TESSERA_ARK_DIAGNOSTIC_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

enum class severity : std::uint8_t { error, warning, note };

/// One finding.
struct diagnostic {
  errc code = errc::ok;
  ark::severity severity = ark::severity::error;
  std::uint32_t file = 0;    ///< which of several files of ranks, by its place among them
  std::uint64_t offset = 0;  ///< byte offset of the value at `path`; its node's without the source
  string path;               ///< "$.Nodes[3].Op.ReadTensors[1].Shape", in report::characters
  string text;               ///< one sentence, in report::characters
};

/// What was found, in the order of the file for each group of rules.
struct report {
  pool<diagnostic> diagnostics;
  text characters;
  std::uint64_t errors = 0, warnings = 0, notes = 0;  ///< also those that were not kept
  bool hazards_bounded = false;  ///< rule G14 stopped at verify_options::hazard_steps

  [[nodiscard]] std::string_view text_of(string s) const noexcept {
    return {characters.data() + s.first, s.size};
  }
};

/// The id of the rule behind a code of reading or verifying, such as "G06"; empty for others.
class rule {
 public:
  explicit rule(errc code) noexcept;
  [[nodiscard]] std::string_view id() const noexcept { return {id_, size_}; }

 private:
  void set(std::string_view id) noexcept {
    for (const char c : id) id_[size_++] = c;
  }
  char id_[3] = {};
  std::size_t size_ = 0;
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/diagnostic.hpp"
#endif

#endif  // TESSERA_ARK_DIAGNOSTIC_HPP
