// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Proves that a graph can run: the rules S, G, T, B, O and C.
//
//   ark::report found;
//   auto program = ark::verify(std::move(*graph), {}, &found, source);
//   if (!program) …                       // `found` says why; program.error() is the first error
//
// Proven of a program (specification, "Node" to "Buffer"):
//
//   graph       edges name nodes, stand on both sides and go in no circle; a tensor is the result of
//               one operation, before any that uses it; operations in the array's order can run
//   tensors     1 <= Shape <= PaddedShape, Offsets + PaddedShape <= Strides, fewer than 2^63 bytes;
//               one description for each Id, of tensors and of buffers
//   operations  of a known Type: their tensors, DataTypes, shapes, arguments (see argument_of); the
//               result is the view that was written
//   messages    stand-ins, tags, packets and peers fit together as far as one file shows
//
// Left to who runs it: operations of unknown Type (unless strict), the rows that a lookup asks for,
// division of integers by zero. Reading and writing may overlap (warning O14), except in reductions.
//
// Lifetime:   a program owns its graph.
// Errors:     that of the first diagnostic that is an error; ark_pool_index for a graph whose
//             indices lead nowhere, which reading never makes.
// Limits:     verify_options.
// Allocation: linear in the graph: about 80 bytes for each operation with its tensors and edges.

#ifndef TESSERA_ARK_VERIFY_HPP
#define TESSERA_ARK_VERIFY_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include "../core/bytes.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "diagnostic.hpp"
#include "findings.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

class program;

/// Verifies one file. `found` gets all that was found; `source`, the text that was read, gives the
/// exact offsets of it (without, they are those of nodes).
[[nodiscard]] result<program> verify(model g, const verify_options& options = {},
                                     report* found = nullptr, std::string_view source = {});

/// A graph that was proven. Only verify() makes one.
class program {
 public:
  [[nodiscard]] const ark::model& model() const& noexcept { return model_; }
  const ark::model& model() const&& = delete;
  /// Gives the graph back.
  [[nodiscard]] ark::model release() && noexcept { return std::move(model_); }

  /// Entries of graph().buffers that have one Id share their memory: the first of them.
  [[nodiscard]] std::uint32_t storage(std::uint32_t buffer) const noexcept {
    return storages_[buffer];
  }
  /// Bytes of the memory of a storage: what its largest tensor needs (specification, "Buffer"); 0
  /// for other entries.
  [[nodiscard]] std::uint64_t bytes(std::uint32_t storage) const noexcept {
    return bytes_[storage];
  }

 private:
  friend result<program> verify(ark::model g, const verify_options& options, report* found,
                                std::string_view source);
  program() = default;

  ark::model model_;
  pool<std::uint32_t> storages_;  // of each buffer
  pool<std::uint64_t> bytes_;     // of each buffer; 0 where another is the storage
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/verify.hpp"
#endif

#endif  // TESSERA_ARK_VERIFY_HPP
