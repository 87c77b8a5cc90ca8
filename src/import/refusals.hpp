// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a conversion refuses, in a report.
//
//   refusals refused(found, max_diagnostics);
//   refused.add({errc::ark_to_nac_type, node.offset}, "$.Nodes[3].Op", "add: t5 is UINT32");
//   if (refused.any()) return refused.first();
//
// Lifetime:   borrows the report.
// Errors:     first(): the first one that was added, kept or not.
// Limits:     max_diagnostics are kept, all are counted.
// Allocation: the report's.

#ifndef TESSERA_IMPORT_REFUSALS_HPP
#define TESSERA_IMPORT_REFUSALS_HPP

#include <cstdint>
#include <string_view>

#include "tessera/core/findings.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

class refusals {
 public:
  refusals(report* found, std::uint64_t max_diagnostics) noexcept
      : found_(found, max_diagnostics) {}

  void add(const error& at, std::string_view path, std::string_view message) {
    const auto out = found_.add(at.code, severity::error, {0, at.offset, 0, at.index}, {}, path);
    (void)(out << message);
  }
  [[nodiscard]] bool any() const noexcept { return found_.failed(); }
  [[nodiscard]] const error& first() const noexcept { return found_.first_error(); }

 private:
  detail::findings found_;
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IMPORT_REFUSALS_HPP
