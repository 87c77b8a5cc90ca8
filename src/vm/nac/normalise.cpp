// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value batch_norm(call&) { fail(errc::nac_operation_unsupported, "batch_norm"); }  // "tTTttnn"
value batch_norm_by_mode(call&) {
  fail(errc::nac_operation_unsupported, "batch_norm_by_mode");
}  // "tTTTTbnnb"
value layer_norm(call&) { fail(errc::nac_operation_unsupported, "layer_norm"); }  // "tl?TTnb"
value native_layer_norm(call&) {
  fail(errc::nac_operation_unsupported, "native_layer_norm");
}  // "tlTTn"
value group_norm(call&) { fail(errc::nac_operation_unsupported, "group_norm"); }  // "ti?TTnb"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
