// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers from text: what print writes, and what people write by hand.
//
//   auto parts = nac::assemble(R"(
//     code:
//       x = input
//       y = nac.add(x, 1.5)
//       output(y)
//   )");
//   if (!parts) return fail(describe(parts.error(), source));
//   auto bytes = nac::write(*parts);                                // nac/write.hpp
//
//   text        header lines, then sections in any order, each once; comments from ; to line ends
//   header      nac 1.6|1.7|1.8               1.6 where it isn't given
//               quantization NAME             none fp16 int8_tensor int8_channel block_fp8; none
//               weights internal|external     internal where there are tensors or no parameters
//               inputs N  outputs N           as many as the code has; 1 without an OUTPUT
//               d_model N                     0
//               training_flag true|false      true in 1.7 and 1.8 where there is `training:`
//               self_counting none|WORD …     input, output, control_flow: those whose prefixes
//                                             count themselves; else as the version has it
//               order TAG …                   MMAP OPS …, as the sections follow one another in the
//                                             file; else as the version has them (parts.hpp)
//   operations: signatures: parameters: input_names:
//               ID = STRING                   an input's ID is the index of its instruction
//   constants: plan_constants:
//               ID = constant
//   tensors:    ID|STRING = TYPE SHAPE [quantization] payload
//               TYPE f32 f64 f16 bf16 i32 i64 i16 i8 u8 bool, SHAPE [2, 3], quantization one of
//               fp16 | int8_tensor scale FLOAT | int8_channel axis N scales [FLOAT, …]
//               | block_fp8 block N shape SHAPE scales [FLOAT, …]
//   code: training:
//               instructions
//   schedule:   INDEX|RESULT : [ACTION INDEX|RESULT, …]    save_result save_for_grad free
//               free_after_trng forward preload, or action N
//   arrays:     STRING = TYPE SHAPE payload
//   resources:  STRING = payload
//   plan:       instructions (execution_plan.hpp), up to the word `end`
//   tokenizer:  instructions (tokenizer.hpp), up to the word `end`
//
// Tables may be left out, and what the code needs is added to them: operations from id 32 on,
// signatures and parameters from 1, constants from 2, with null as 1. Only a table of parameters
// has to be complete where there is one. Without input_names, inputs get the names of their
// results.
//
// Lifetime:   borrows what the resolver gives; nothing of the text.
// Errors:     nac_text_*, nac_mep_*, nac_tisa_* and nac_hex, with the offset of the token that is
//             wrong; input_too_large. Names are looked up after the last token, so that their
//             errors come after all others.
// Limits:     max_bytes, and 4 GiB - 1.
// Allocation: at most 60 × the text, and 300 KB; besides those the map.

#ifndef TESSERA_NAC_ASSEMBLY_HPP
#define TESSERA_NAC_ASSEMBLY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/sort.hpp"
#include "detail/words.hpp"
#include "model.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- Where the parts of an assembled container are in its text, for errors that are found later.
//
//   nac::text_map map;
//   auto parts = nac::assemble(source, {}, &map);
//   … write it, read what was written, verify it: `found` is a diagnostic of that
//   map.offset_of(*file, found.offset);           // of the statement that it is about
//
// A statement is a row of a table, an instruction, or a line of the plan or of the tokenizer; what
// the assembler added by itself has none: then it is the section's word, else that of the code.
//
// Lifetime:   owns its lists.
// Errors:     none.
// Limits:     texts of 4 GiB.
// Allocation: 8 bytes for each statement, at most twice that.

/// The byte offsets in a text of the statements that made a container's parts.
class text_map {
 public:
  /// Marks a place that isn't set. No function returns it.
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// A map without places.
  text_map() noexcept;

  /// Sets the byte offset of a header line.
  void set(assembly::key k, std::uint64_t offset) noexcept {
    keys_[static_cast<std::size_t>(k)] = offset;
  }
  /// Sets the byte offset of a section's word.
  void set(assembly::text_section s, std::uint64_t offset) noexcept {
    sections_[static_cast<std::size_t>(s)] = offset;
  }
  /// A statement that makes record `first` of its list, or the bytes of a body from `first` on.
  /// Statements of a section come in order.
  void add(assembly::text_section s, std::uint64_t first, std::uint64_t offset);

  /// The offset of a header line; 0 if absent.
  [[nodiscard]] std::uint64_t of(assembly::key k) const noexcept {
    return known(keys_[static_cast<std::size_t>(k)]);
  }
  /// The offset of a section's word, else of that of the code, else 0.
  [[nodiscard]] std::uint64_t of(assembly::text_section s) const noexcept;
  /// The offset of the statement that made a record, or a byte of a body.
  [[nodiscard]] std::uint64_t of(assembly::text_section s, std::uint64_t part) const noexcept;

  /// Of the element that a byte of the container belongs to: `f` was assembled with this map.
  [[nodiscard]] std::uint64_t offset_of(const model& f, std::uint64_t offset) const;

 private:
  struct row {
    std::uint32_t first, offset;
  };
  [[nodiscard]] static constexpr std::uint64_t known(std::uint64_t offset) noexcept {
    return offset != none ? offset : 0;
  }

  /// The last record of a list that begins at a byte or before it.
  template <class List>
  [[nodiscard]] std::uint64_t in_list(assembly::text_section s, const List& list,
                                      std::uint64_t offset) const {
    std::uint64_t before = 0;
    for (const auto& r : list) {
      if (r.offset > offset) break;
      ++before;
    }
    return before == 0 ? of(s) : of(s, before - 1);
  }

  [[nodiscard]] std::uint64_t in_section(const model& f, section s, std::uint64_t offset) const;

  pool<row> rows_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t sections_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t keys_[sizeof assembly::key_words / sizeof *assembly::key_words];
};

/// A payload that a text refers to instead of containing.
struct payload_reference {
  std::string_view name;               ///< of the file, as the text has it
  std::uint64_t offset = 0, size = 0;  ///< the bytes in that file
};

/// Resolves the references of a text.
struct resolver {
  void* context = nullptr;  ///< passed to `resolve`
  /// False where there are no such bytes. What `out` is set to outlives the parts.
  bool (*resolve)(void* context, const payload_reference& which, bytes& out) = nullptr;
};

/// Where payloads come from, and how long a text may be.
struct assemble_options {
  /// Finds the bytes of `file` payloads; without one they are nac_text_payload_unresolved.
  nac::resolver resolver = {};
  limits limit = {};  ///< max_bytes of the text; others aren't used
};

/// The parts of a container; `map` receives the places of its statements.
[[nodiscard]] result<parts> assemble(std::string_view source, const assemble_options& options = {},
                                     text_map* map = nullptr);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/assembly.hpp"
#include "detail/text_map.hpp"
#endif

#endif  // TESSERA_NAC_ASSEMBLY_HPP
