// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value slice(call&) { fail(errc::nac_operation_unsupported, "slice"); }                  // "t?iIIi"
value select(call&) { fail(errc::nac_operation_unsupported, "select"); }                // "tii"
value slice_scatter(call&) { fail(errc::nac_operation_unsupported, "slice_scatter"); }  // "tt?iIIi"
value index(call&) { fail(errc::nac_operation_unsupported, "index"); }                  // "tT*"
value index_select(call&) { fail(errc::nac_operation_unsupported, "index_select"); }    // "tit"
value gather(call&) { fail(errc::nac_operation_unsupported, "gather"); }                // "tit?b"
value scatter(call&) { fail(errc::nac_operation_unsupported, "scatter"); }              // "titx"
value scatter_add(call&) { fail(errc::nac_operation_unsupported, "scatter_add"); }      // "titt"
value embedding(call&) { fail(errc::nac_operation_unsupported, "embedding"); }          // "tt?ibb"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
