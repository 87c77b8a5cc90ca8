// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A NEM device with all that it inherits ("Device Inheritance"), and where each part comes from.
//
//   for (const nem::device& d : program.catalog().devices) {
//     const inspect::device_summary s(program.catalog(), d);
//     for (const auto& v : s.variants) std::cout << v.reference << " from " << v.from << '\n';
//   }
//
//   topology       that of the nearest device that declares one
//   numbers        of unit_characteristics, merged key by key
//   variants       the effective set: opcode.mandatory, and opcode.extended without what is mandatory
//
// Lifetime:   names live as long as the catalog.
// Errors:     none.
// Limits:     none.
// Allocation: linear in what is inherited.

#ifndef TESSERA_INSPECT_NEM_DEVICE_HPP
#define TESSERA_INSPECT_NEM_DEVICE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// A device and what it inherits.
struct device_summary {
  /// Follows a device of the catalog up to the root.
  device_summary(const nem::catalog& of, const nem::device& d);

  /// An entry of unit_characteristics.
  struct number {
    nem::unit unit;         ///< the type of the units
    std::string_view key;   ///< "int8_macs"
    std::int64_t value;     ///< of the device that is nearest
    std::string_view from;  ///< the device that sets it
  };
  /// A variant of a type family that the device supports.
  struct variant {
    std::string reference;    ///< "gemm.float<f16>.no_bias"
    std::string_view family;  ///< "gemm.float"
    bool is_mandatory;        ///< whether opcode.mandatory has it; else opcode.extended
    std::string_view from;    ///< the device that lists it first, from the root on
  };

  std::string_view name, spec_version;      ///< as declared
  std::vector<std::string_view> ancestors;  ///< the parent first
  bool has_topology = false;                ///< without one it can only be extended
  nem::topology topology;                   ///< engines, units and sizes of memories
  std::string_view topology_from;           ///< the device that declares it
  std::vector<number> numbers;              ///< in the order of the declarations, the root's first
  std::vector<variant> variants;            ///< in the order of the catalog: by family
};

/// The opcodes whose types a family governs, with commas: "gemm, matmul". Empty for an unknown one.
[[nodiscard]] std::string opcodes_of(std::string_view family);

/// What differs between two devices.
struct device_difference {
  /// A field of the topology, a number, a variant, or the spec_version.
  struct line {
    std::string what, before, after;  ///< "l1_size_bytes", "524288", ""; empty: it has none
  };
  std::vector<line> lines;  ///< empty: the devices don't differ
};
/// Compares two devices, whatever they are called and inherit from.
[[nodiscard]] device_difference diff(const device_summary& before, const device_summary& after);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_DEVICE_HPP
