// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value conv1d(call&) { fail(errc::nac_operation_unsupported, "conv1d"); }            // "tt?Tllli"
value conv2d(call&) { fail(errc::nac_operation_unsupported, "conv2d"); }            // "tt?Tllli"
value conv3d(call&) { fail(errc::nac_operation_unsupported, "conv3d"); }            // "tt?Tllli"
value conv_padded(call&) { fail(errc::nac_operation_unsupported, "conv_padded"); }  // "tt?Tlsli"
value convolution(call&) { fail(errc::nac_operation_unsupported, "convolution"); }  // "ttTlllbli"
value conv_transpose(call&) {
  fail(errc::nac_operation_unsupported, "conv_transpose");
}  // "tt?Tlllil"
value conv2d_precomputed(call&) {
  fail(errc::nac_operation_unsupported, "conv2d_precomputed");
}  // "ttTl"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
