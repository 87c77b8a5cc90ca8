// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reads the archives that torch.export.save writes (.pt2), of PyTorch 2.5 and later.
//
//   auto model = tessera::pt2::read(mapped);
//   if (!model) return fail(describe(model.error(), mapped));
//   model->torch_version;  model->graphs[0].nodes.count;
//
//   ROOT/archive_format                             pt2
//   ROOT/archive_version                            0
//   ROOT/byteorder                                  little
//   ROOT/models/NAME.json                           the program: graph, signature, metadata
//   ROOT/data/weights/NAME_weights_config.json      parameters and buffers: which payload, and its view
//   ROOT/data/weights/weight_0                      a storage, little-endian
//   ROOT/data/constants/NAME_constants_config.json, tensor_0 …       likewise constants
//   ROOT/data/sample_inputs/NAME.pt                 a pickle, which is never opened
//
// Earlier versions keep tensors in zip archives of their own, which a pickle lists:
//
//   PyTorch 2.8      ROOT/data/weights/NAME.pt, ROOT/data/constants/NAME.pt, else the same
//   2.5 to 2.7       serialized_exported_program.json, serialized_state_dict.pt,
//                    serialized_constants.pt, and version: that of the schema
//     archive/data.pkl                              a dictionary: names and views of storages
//     archive/data/0                                a storage, little-endian
//
// Of pickles, the few opcodes and globals are interpreted that describe tensors; nothing is called,
// and all others are refused by name. 2.5 has schema 7, whose expressions are infix.
//
// The archive is a zip, read strictly: each member once, under one root, within the file and apart
// from all others, its local header equal to its entry in the directory. Members are stored, or
// deflated where the options say how to inflate. Other members are kept. In the JSON, unknown
// members of objects are ignored; unknown variants of unions are errors. Inner archives are read as
// strictly, and have stored members only.
//
// Lifetime:   the model borrows the bytes.
// Errors:     pt2_*, json_*, too_many_items, input_too_large. The offset is that of the field of
//             the archive or of the JSON value that is wrong; in a deflated member, of the member.
// Limits:     max_bytes of JSON, of a pickle and of inflated content, each in all; max_items for
//             each list; max_depth, at most 1024. An archive may be larger: weights take no memory.
// Allocation: at most 100 × the JSON of the program (3 × for real ones) and the pickles, and
//             inflated content; nothing for stored weights, which aren't touched.

#ifndef TESSERA_PT2_READ_HPP
#define TESSERA_PT2_READ_HPP

#include <cstddef>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// Decompresses raw deflate data. `run` writes exactly `size` bytes to `to`; it returns false where
/// `from` isn't the deflated form of that many bytes.
struct inflater {
  /// The function; null where there is none.
  bool (*run)(void* context, bytes from, std::byte* to, std::size_t size) = nullptr;
  void* context = nullptr;  ///< passed to `run`
};

/// Which program is read, and within which limits.
struct read_options {
  limits limit = {};              ///< max_bytes, max_items and max_depth, as above
  std::string_view program = {};  ///< its name; empty: "model", else the only one
  inflater inflate = {};          ///< without one, deflated members are refused
  bool checksums = false;         ///< check those of weights too, which reads all of them
};

/// The archive in `in` and its program.
[[nodiscard]] result<model> read(bytes in, const read_options& options = {});
[[nodiscard]] inline result<model> read(std::string_view in, const read_options& options = {}) {
  return read(as_bytes(in), options);
}
/// A temporary owner would be destroyed before the model is used.
template <class Owner>
  requires(temporary_bytes<Owner> || temporary_text<Owner>)
result<model> read(Owner&& in, const read_options& = {})
= delete;

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read.hpp"
#endif

#endif  // TESSERA_PT2_READ_HPP
