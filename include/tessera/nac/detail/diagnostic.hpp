// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/diagnostic.hpp.

#ifndef TESSERA_NAC_DETAIL_DIAGNOSTIC_HPP
#define TESSERA_NAC_DETAIL_DIAGNOSTIC_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../diagnostic.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE void report::add(const diagnostic& d) {
  ++(d.severity == severity::error ? errors : warnings);
  if (diagnostics.size() < max_diagnostics) diagnostics.push_back(d);
}

}  // namespace nac
namespace nac::detail {

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

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_DIAGNOSTIC_HPP
