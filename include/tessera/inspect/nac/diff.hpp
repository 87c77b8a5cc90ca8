// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What differs between two containers, whatever the ids they give to operations, signatures,
// constants and parameters, and wherever sections and payloads are.
//
//   const auto d = tessera::inspect::diff(before, after);
//   if (d.same()) return;
//   for (const auto& p : d.properties) std::cout << p.what << ": " << p.before << " -> " << p.after;
//
// Instructions are paired by what they compute: a hash of the operation's name, the signature, the
// values of constants, the names of parameters and inputs, and the hashes of what they take. What
// that doesn't find is paired with a neighbour of a pair that is the same but for what flows
// into it, then with what has the same operation. The rest was added or removed. Of a pair is
// compared the operation, its signature, and each argument; arguments by the pairs that they are.
//
//   properties    header: version, inputs, outputs, d_model, internal weights, training; the schedule
//                 by pairs; the plan and its constants; the tokenizer
//   parameters    by name: type, shape, quantization, scales, bytes; and how far their values are
//                 apart, where there are as many of them
//   resources     by name: bytes; arrays: type, shape, bytes
//
// Not compared: prefixes of system instructions, slack, the order of sections, reserved bytes.
//
// Lifetime:   texts own themselves; indices are those of the files.
// Errors:     none: any containers that `read` accepts.
// Limits:     none.
// Allocation: linear in instructions, constants, names and tensors; not in payloads.

#ifndef TESSERA_INSPECT_NAC_DIFF_HPP
#define TESSERA_INSPECT_NAC_DIFF_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "lookup.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// One property in which the two differ; empty where a file lacks it.
struct property_difference {
  std::string what;           ///< "d_model", "argument 2", "bytes"
  std::string before, after;  ///< its values
};

/// An instruction of one file without a partner, or a pair that isn't equal.
struct instruction_difference {
  std::uint32_t before = lookup::none, after = lookup::none;  ///< their indices
  bool training = false;                                      ///< of TRNG rather than OPS
  std::vector<property_difference> parts;                     ///< of a pair
};

/// A parameter, a resource or an array of only one file, or one that differs.
struct item_difference {
  /// What it is: of DATA, RSRC or ARRS.
  enum class kind : std::uint8_t { parameter, resource, array };
  kind what = kind::parameter;                  ///< which of these
  std::string name;                             ///< by which it is paired
  bool in_before = false, in_after = false;     ///< whether each file has it
  std::vector<property_difference> parts = {};  ///< of one in both
  std::string note = {};                        ///< how far values are apart, where that is known
};

/// What differs between two containers.
struct file_difference {
  std::vector<property_difference> properties;       ///< of the whole file
  std::vector<instruction_difference> instructions;  ///< by the order of the later file
  std::vector<item_difference> items;                ///< parameters, resources, arrays
  std::uint64_t added = 0, removed = 0, changed = 0, unchanged = 0;  ///< instructions

  /// Whether nothing that is compared differs.
  [[nodiscard]] bool same() const noexcept {
    return properties.empty() && instructions.empty() && items.empty();
  }
};

/// What of two containers is compared.
struct file_diff_options {
  bool weights = true;  ///< else bytes and scales of tensors are passed over
  /// Called with payloads that were compared and aren't needed again, a part at a time.
  void (*done)(void* context, bytes part) = nullptr;
  void* context = nullptr;  ///< the first argument of `done`
};
/// Compares two containers.
[[nodiscard]] file_difference diff(const lookup& before, const lookup& after,
                                   const file_diff_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NAC_DIFF_HPP
