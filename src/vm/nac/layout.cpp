// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value view(call&) { fail(errc::nac_operation_unsupported, "view"); }            // "tv"
value transpose(call&) { fail(errc::nac_operation_unsupported, "transpose"); }  // "t?ii"
value expand(call&) { fail(errc::nac_operation_unsupported, "expand"); }        // "tv"
value repeat(call&) { fail(errc::nac_operation_unsupported, "repeat"); }        // "tv"
value tile(call&) { fail(errc::nac_operation_unsupported, "tile"); }            // "tv"
value permute(call&) { fail(errc::nac_operation_unsupported, "permute"); }      // "tv"
value flip(call&) { fail(errc::nac_operation_unsupported, "flip"); }            // "tl"
value roll(call&) { fail(errc::nac_operation_unsupported, "roll"); }            // "tl?l"
value squeeze(call&) { fail(errc::nac_operation_unsupported, "squeeze"); }      // "t?l"
value unsqueeze(call&) { fail(errc::nac_operation_unsupported, "unsqueeze"); }  // "ti"
value cat(call&) { fail(errc::nac_operation_unsupported, "cat"); }              // "t*?i"
value stack(call&) { fail(errc::nac_operation_unsupported, "stack"); }          // "t*?i"
value split(call&) { fail(errc::nac_operation_unsupported, "split"); }          // "ti?i"
value split_with_sizes(call&) {
  fail(errc::nac_operation_unsupported, "split_with_sizes");
}  // "tl?i"
value chunk(call&) { fail(errc::nac_operation_unsupported, "chunk"); }    // "ti?i"
value unbind(call&) { fail(errc::nac_operation_unsupported, "unbind"); }  // "t?i"
value triu(call&) { fail(errc::nac_operation_unsupported, "triu"); }      // "t?i"
value tril(call&) { fail(errc::nac_operation_unsupported, "tril"); }      // "t?i"
value pad(call&) { fail(errc::nac_operation_unsupported, "pad"); }        // "tl?sN"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
