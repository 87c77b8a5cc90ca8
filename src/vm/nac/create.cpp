// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value pass(call&) { fail(errc::nac_operation_unsupported, "pass"); }                    // "x?d*"
value clone(call&) { fail(errc::nac_operation_unsupported, "clone"); }                  // "x?d"
value arange(call&) { fail(errc::nac_operation_unsupported, "arange"); }                // "n?nnd*"
value linspace(call&) { fail(errc::nac_operation_unsupported, "linspace"); }            // "nnn?d*"
value zeros(call&) { fail(errc::nac_operation_unsupported, "zeros"); }                  // "v?d*"
value zeros_like(call&) { fail(errc::nac_operation_unsupported, "zeros_like"); }        // "t?d*"
value new_zeros(call&) { fail(errc::nac_operation_unsupported, "new_zeros"); }          // "tv?d*"
value ones(call&) { fail(errc::nac_operation_unsupported, "ones"); }                    // "v?d*"
value ones_like(call&) { fail(errc::nac_operation_unsupported, "ones_like"); }          // "t?d*"
value new_ones(call&) { fail(errc::nac_operation_unsupported, "new_ones"); }            // "tv?d*"
value full(call&) { fail(errc::nac_operation_unsupported, "full"); }                    // "vn?d*"
value full_like(call&) { fail(errc::nac_operation_unsupported, "full_like"); }          // "tn?d*"
value sym_size(call&) { fail(errc::nac_operation_unsupported, "sym_size"); }            // "ti"
value to_copy(call&) { fail(errc::nac_operation_unsupported, "to_copy"); }              // "x?d*"
value type_as(call&) { fail(errc::nac_operation_unsupported, "type_as"); }              // "tt"
value copy(call&) { fail(errc::nac_operation_unsupported, "copy"); }                    // "tx?b"
value fill(call&) { fail(errc::nac_operation_unsupported, "fill"); }                    // "tn"
value scalar_tensor(call&) { fail(errc::nac_operation_unsupported, "scalar_tensor"); }  // "n?d*"
value new_empty_strided(call&) {
  fail(errc::nac_operation_unsupported, "new_empty_strided");
}  // "tll?d*"
value getitem(call&) { fail(errc::nac_operation_unsupported, "getitem"); }  // "ti"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
