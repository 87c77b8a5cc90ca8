// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How a NEM program is verified.
//
//   nem::verify_options options;
//   options.profile = nem::profile::strict;       // extensions are errors
//   options.resolver = files.resolver();          // of included files, nem/resolver.hpp
//   options.device = "npu_c2";                    // in place of the program's directive, or
//   options.device_file = {"npu.nem", device_text};   // the device that a text defines
//
// Lifetime:   borrows what its views and the resolver point to.
// Errors:     none.
// Limits:     these.
// Allocation: none.

#ifndef TESSERA_NEM_VERIFY_OPTIONS_HPP
#define TESSERA_NEM_VERIFY_OPTIONS_HPP

#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "resolver.hpp"
#include "rule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// How a model is verified, and within which limits.
struct verify_options {
  nem::profile profile = nem::profile::standard;  ///< decides how severe findings are
  nem::resolver resolver = {};   ///< without one, only the built-in baseline can be included
  std::string_view id = {};      ///< file::id of the model itself, where it is a file
  std::string_view device = {};  ///< a target by name, in place of the model's directive
  /// Likewise a text that defines one ("Device Configuration"): its only device, the one of the
  /// file's name, or the one that `device` names. The id is that of a file; what the text includes
  /// is looked for from there.
  resolver::file device_file = {};
  std::uint32_t max_include_depth = 32;      ///< files inside one another
  std::uint64_t max_instances = 2'000'000;   ///< tasks and iterations that loops are expanded to
  bool proves = true;                        ///< whether larger loops are proven, where they can be
  std::uint64_t hazard_steps = 128'000'000;  ///< steps of the search for hazards
  std::uint64_t max_diagnostics = 1000;      ///< that a report keeps

  /// Expands loops to so many tasks and iterations, and searches hazards in as many.
  constexpr void allow(std::uint64_t instances) noexcept {
    constexpr std::uint64_t steps = 64;  // of each
    max_instances = instances;
    const bool is_large = instances > ~std::uint64_t{0} / steps;
    if (is_large || instances * steps > hazard_steps)
      hazard_steps = is_large ? ~std::uint64_t{0} : instances * steps;
  }
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_VERIFY_OPTIONS_HPP
