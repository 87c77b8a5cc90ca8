// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

value mean(call&) { fail(errc::nac_operation_unsupported, "mean"); }                // "t?Lbd"
value sum(call&) { fail(errc::nac_operation_unsupported, "sum"); }                  // "t?Lbd"
value var(call&) { fail(errc::nac_operation_unsupported, "var"); }                  // "t?Lnb"
value std_dev(call&) { fail(errc::nac_operation_unsupported, "std_dev"); }          // "t?Lnb"
value var_mean(call&) { fail(errc::nac_operation_unsupported, "var_mean"); }        // "t?Lnb"
value all(call&) { fail(errc::nac_operation_unsupported, "all"); }                  // "t?Lb"
value any(call&) { fail(errc::nac_operation_unsupported, "any"); }                  // "t?Lb"
value max_all(call&) { fail(errc::nac_operation_unsupported, "max_all"); }          // "t"
value min_all(call&) { fail(errc::nac_operation_unsupported, "min_all"); }          // "t"
value max_dim(call&) { fail(errc::nac_operation_unsupported, "max_dim"); }          // "ti?b"
value min_dim(call&) { fail(errc::nac_operation_unsupported, "min_dim"); }          // "ti?b"
value amax(call&) { fail(errc::nac_operation_unsupported, "amax"); }                // "t?lb"
value amin(call&) { fail(errc::nac_operation_unsupported, "amin"); }                // "t?lb"
value argmax(call&) { fail(errc::nac_operation_unsupported, "argmax"); }            // "t?Ib"
value argmin(call&) { fail(errc::nac_operation_unsupported, "argmin"); }            // "t?Ib"
value topk(call&) { fail(errc::nac_operation_unsupported, "topk"); }                // "ti?ibb"
value sort(call&) { fail(errc::nac_operation_unsupported, "sort"); }                // "t?ib"
value argsort(call&) { fail(errc::nac_operation_unsupported, "argsort"); }          // "t?ib"
value cumsum(call&) { fail(errc::nac_operation_unsupported, "cumsum"); }            // "ti?d"
value softmax(call&) { fail(errc::nac_operation_unsupported, "softmax"); }          // "ti?d"
value log_softmax(call&) { fail(errc::nac_operation_unsupported, "log_softmax"); }  // "ti?d"

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
