// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value max_pool2d(call&) { fail(errc::nac_operation_unsupported, "max_pool2d"); }  // "tl?lllb"
value avg_pool2d(call&) { fail(errc::nac_operation_unsupported, "avg_pool2d"); }  // "tl?llbbI"
value adaptive_avg_pool2d(call&) {
  fail(errc::nac_operation_unsupported, "adaptive_avg_pool2d");
}  // "tl"
value upsample_nearest(call&) {
  fail(errc::nac_operation_unsupported, "upsample_nearest");
}  // "t?VR"
value upsample_nearest_to(call&) {
  fail(errc::nac_operation_unsupported, "upsample_nearest_to");
}  // "tl?NN"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
