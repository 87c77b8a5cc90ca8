// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR from JSON: versions 2 (normative), 3 and 4 into one model.
//
//   tessera::result<alir::model> m = alir::read_json(source);
//   if (!m) std::cerr << describe(m.error(), source, "model.json");
//
//   {"model":[shape,inp_shifts,out_idxs,out_shifts,out_negs,ops,carry_size,adder_size,
//             lookup_tables],
//    "meta":"ALIRModel","spec_version":2}
//
//   shape          [n_inputs, n_outputs]
//   out_negs       booleans; integers are read too, and non-zero is true
//   ops            [id0,id1,opcode,data,[min,max,step],latency,cost]           version 2
//                  [[id,...],opcode,[data,...],[min,max,step],latency,cost]    versions 3 and 4
//   data           version 2: [-2^63, 2^64), modulo 2^64, whichever way it is spelled
//   lookup_tables  null, absent, or [{"spec":{"hash":s,"out_qint":{"min":d,"max":d,"step":d},
//                  "inp_width":n},"table":[n,...]},...]; "spec" may be absent
//
// "meta" may also be "DAISModel", the format's former name, which its own tools load as the same.
// Members come in any order, and unknown ones are checked as JSON and dropped. Version 1 (DAIS) is
// a bare array with other opcodes; it and unknown versions are refused by name, even when the model
// in such a file would not read either. Integers where the specification has fractions are
// remembered (see `spelling`); fractions in place of integers are refused, 2.0 included.
//
// Lifetime:   the model owns itself; the source may go.
// Errors:     json_*, alir_version_* to alir_table_interval, too_many_items; offsets are bytes.
// Limits:     max_bytes (and below 2^36), max_items for each list, max_depth.
// Allocation: at most 24 × input + 64 KiB.

#ifndef TESSERA_ALIR_READ_JSON_HPP
#define TESSERA_ALIR_READ_JSON_HPP

#include <string_view>

#include "../core/json_rows.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// Reads a model from JSON text (specification, "CombLogic Payload"; facts of versions 3 and 4).
/// `rows` chooses among paths that differ in nothing but time.
[[nodiscard]] result<model> read_json(std::string_view source, const limits& limit = {},
                                      json::row_path rows = json::row_path::best);

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read_json.hpp"
#endif

#endif  // TESSERA_ALIR_READ_JSON_HPP
