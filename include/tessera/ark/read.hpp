// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reads ARK models.
//
//   auto model = ark::read(source);
//   if (!model) return fail(describe(model.error(), source));
//   model->form;                         // dialect::d2, found from the content
//
//   {"Rank": 0, "WorldSize": 1, "Nodes": [
//     {"Id": 0, "ProducerNodeIds": [], "ConsumerNodeIds": [1], "Op": {
//        "Type": "Relu", "Name": "relu", "IsVirtual": false,
//        "ReadTensors": [{"Id": 0, "DataType": "FP32", "Shape": [4, 8], "Strides": [4, 8],
//                         "Offsets": [0, 0], "PaddedShape": [4, 8],
//                         "Buffer": {"Id": 0, "Rank": -1, "SendTags": [], "RecvTags": []}}],
//        "WriteTensors": […], "ResultTensors": […], "Args": {"Axis": {"INT": 1}}}}]}
//
// Every dialect is read (see format.hpp), members in any order. Reading refuses what a model
// can't represent; verify() decides about the rest.
//
//   kept       operations of unknown Type, unknown members of every object (as compact JSON), number
//              tokens of FLOAT arguments, arguments whose value isn't {TYPE: value} of a known TYPE
//   tolerated  null and [] in place of empty Args, an integer in place of an OFFSET object, a BOM
//   refused    more than four dimensions, lists of dimensions that differ in length, unknown
//              DataTypes, tags that aren't pairs, fractions and exponents in integers
//
// Lifetime:   the model owns itself.
// Errors:     json_*, and ark_s*, ark_t01, ark_t06, ark_b03 at the value that is wrong, or at the
//             object that lacks a member; too_many_items, input_too_large, ark_too_large.
// Limits:     max_bytes; max_items for every list; max_depth.
// Allocation: at most 24 × input + 64 KiB, for hostile text; about half of the input for real files.

#ifndef TESSERA_ARK_READ_HPP
#define TESSERA_ARK_READ_HPP

#include <cstdint>
#include <string_view>

#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Ways to read, which differ only in speed: `best` compares text with text that was read before (see
/// detail/read_fast.hpp), and falls back to `plain`.
enum class read_path : std::uint8_t { plain, best };

/// How to read, and how much.
struct read_options {
  limits limit = {};                 ///< of bytes, items and depth
  read_path path = read_path::best;  ///< `plain` is for tests
};

/// Reads a model of any dialect.
[[nodiscard]] result<model> read(std::string_view source, const read_options& options = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read.hpp"
#endif

#endif  // TESSERA_ARK_READ_HPP
