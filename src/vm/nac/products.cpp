// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value matmul(call&) { fail(errc::nac_operation_unsupported, "matmul"); }        // "tt"
value linear(call&) { fail(errc::nac_operation_unsupported, "linear"); }        // "tt?T"
value addmm(call&) { fail(errc::nac_operation_unsupported, "addmm"); }          // "ttt?nn"
value baddbmm(call&) { fail(errc::nac_operation_unsupported, "baddbmm"); }      // "ttt?nn"
value outer(call&) { fail(errc::nac_operation_unsupported, "outer"); }          // "tt"
value einsum(call&) { fail(errc::nac_operation_unsupported, "einsum"); }        // "st*"
value attention(call&) { fail(errc::nac_operation_unsupported, "attention"); }  // "ttt?TnbNb"
value lstm_cell(call&) { fail(errc::nac_operation_unsupported, "lstm_cell"); }  // "ttttt?TT"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
