// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Proves that a model can run: the rules S, G, T, B, O and C.
//
//   tessera::report found;
//   auto program = ark::verify(std::move(*model), {.source = source}, &found);
//   const tessera::source_file file{"model.json", source};
//   std::cerr << describe(found, {&file, 1});
//   if (!program) …                       // program.error() is the first error
//
//   model.json:1:812: error: producer 99 does not exist
//     [G03] at $.Nodes[3].ProducerNodeIds[0], offset 811
//     …
//
// Rule ids are a letter for the subject (S structure, G graph, T tensors, B buffers, O operations,
// C communication, M models of many ranks) and a number. A verified program guarantees
// (specification, "Node" to "Buffer"):
//
//   graph       edges name nodes, are listed by both of their nodes and form no cycle; a tensor is
//               the result of one operation, which precedes all that use it; the array's order can
//               run
//   tensors     1 <= Shape <= PaddedShape, Offsets + PaddedShape <= Strides, fewer than 2^63 bytes;
//               one description for each Id, of tensors and of buffers
//   operations  of a known Type: their tensors, DataTypes, shapes, arguments (see argument_of); the
//               result is the view that was written
//   messages    remote buffers, tags, packets and peers match as far as one file shows
//
// Not checked: operations of unknown Type (unless strict), the rows that a lookup asks for, division
// of integers by zero. Reads and writes may overlap (warning O14), except in reductions.
//
// Lifetime:   a program owns its model.
// Errors:     that of the first diagnostic that is an error; ark_pool_index for a model with indices
//             out of range, which reading never makes.
// Limits:     verify_options.
// Allocation: linear in the model: about 80 bytes for each operation with its tensors and edges.

#ifndef TESSERA_ARK_VERIFY_HPP
#define TESSERA_ARK_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

class program;

/// How strict to be, what to look for, and how much is reported.
struct verify_options {
  bool strict = false;   ///< unknown Types are errors, unknown members warnings
  bool fp8 = false;      ///< FP8 data types are warnings rather than errors
  bool of_plan = false;  ///< the model is a plan's (plan_model): T08 and G10 are warnings
  bool hazards = true;   ///< look for accesses that no dependency orders (rule G14)
  std::uint64_t hazard_steps = std::uint64_t{1} << 24;  ///< limit for G14; see report::is_bounded
  std::uint64_t max_diagnostics = 1000;                 ///< how many a report keeps
  std::string_view source = {};  ///< the text that was read, for exact offsets; without it they are
                                 ///< those of nodes
};

/// Verifies one file. `found` receives all diagnostics.
[[nodiscard]] result<program> verify(model m, const verify_options& options = {},
                                     report* found = nullptr);

/// A verified model. Only verify() makes one.
class program {
 public:
  /// The model that was verified. Borrows from the program.
  [[nodiscard]] const ark::model& model() const& noexcept { return model_; }
  const ark::model& model() const&& = delete;
  /// Moves the model out.
  [[nodiscard]] ark::model release() && noexcept { return std::move(model_); }

  /// Entries of model().buffers with the same Id share their memory: the first of them.
  [[nodiscard]] std::uint32_t storage(std::uint32_t buffer) const noexcept {
    return storages_[buffer];
  }
  /// Bytes of the memory of a storage: what its largest tensor needs (specification, "Buffer"); 0
  /// for other entries.
  [[nodiscard]] std::uint64_t bytes(std::uint32_t storage) const noexcept {
    return bytes_[storage];
  }

 private:
  friend result<program> verify(ark::model m, const verify_options& options, report* found);
  program() = default;

  ark::model model_;
  pool<std::uint32_t> storages_;  // of each buffer
  pool<std::uint64_t> bytes_;     // of each buffer; 0 where another is the storage
};

/// The id of the rule that a code of reading or verifying is for, such as "G06"; empty for others.
class rule {
 public:
  /// Of any code.
  explicit rule(errc code) noexcept;
  /// The rule's id. Borrows.
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
#include "detail/verify.hpp"
#endif

#endif  // TESSERA_ARK_VERIFY_HPP
