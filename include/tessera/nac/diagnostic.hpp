// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC: what verification finds in a container, as a list of codes and places.
//
//   nac::report found;
//   auto program = nac::verify(*file, {}, &found);
//   for (const nac::diagnostic& d : found.diagnostics)
//     std::cout << d.offset << ": " << name(d.severity) << ": " << d.message() << '\n';
//
// The words of a diagnostic are those of its code in core/error.hpp.
//
// Lifetime:   a report owns its list.
// Errors:     none.
// Limits:     a report keeps the first `max_diagnostics`, and counts all.
// Allocation: 24 bytes for each diagnostic that is kept.

#ifndef TESSERA_NAC_DIAGNOSTIC_HPP
#define TESSERA_NAC_DIAGNOSTIC_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

enum class severity : std::uint8_t { error, warning };
[[nodiscard]] constexpr std::string_view name(severity s) noexcept {
  return s == severity::error ? "error" : "warning";
}

/// One finding.
struct diagnostic {
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};

  errc code = errc::ok;
  nac::severity severity = nac::severity::error;
  std::uint32_t index = no_index;  ///< of the instruction, else of the record in its list, or none
  std::uint64_t offset = 0;        ///< byte offset into the container

  [[nodiscard]] std::string_view message() const noexcept { return error{code}.message(); }
  friend bool operator==(const diagnostic&, const diagnostic&) = default;
};

/// What was found, in the order of the checks: see `verify`.
struct report {
  pool<diagnostic> diagnostics;
  std::uint64_t errors = 0, warnings = 0;  ///< also those that were not kept
  std::size_t max_diagnostics = 1000;

  void add(const diagnostic& d);
};

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/diagnostic.hpp"
#endif

#endif  // TESSERA_NAC_DIAGNOSTIC_HPP
