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

  void add(const diagnostic& d) {
    ++(d.severity == severity::error ? errors : warnings);
    if (diagnostics.size() < max_diagnostics) diagnostics.push_back(d);
  }
};

namespace detail {

/// Notes findings, and which error was the first.
class findings {
 public:
  explicit findings(report* to) noexcept : to_(to) {}
  void error(errc code, std::uint64_t offset, std::uint32_t index = diagnostic::no_index) {
    if (first_.code == errc::ok) first_ = {code, offset};
    if (to_ != nullptr) to_->add({code, severity::error, index, offset});
  }
  void error(const tessera::error& e, std::uint32_t index = diagnostic::no_index) {
    if (e.code != errc::ok) error(e.code, e.offset, index);
  }
  void warning(errc code, std::uint64_t offset, std::uint32_t index = diagnostic::no_index) {
    if (to_ != nullptr) to_->add({code, severity::warning, index, offset});
  }
  [[nodiscard]] const tessera::error& first() const noexcept { return first_; }
  [[nodiscard]] bool failed() const noexcept { return first_.code != errc::ok; }

 private:
  report* to_;
  tessera::error first_;
};

}  // namespace detail

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DIAGNOSTIC_HPP
