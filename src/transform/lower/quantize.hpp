// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Steps of floats become steps of 8-bit integers, where that can be; others keep the device's float
// type, with quantize and dequantize between them.
//
//   plan p = mapper(net, device).run();       // a target for quantized networks
//   set_types(p, device.type());
//   quantize(p, device, calibration(program, options, device.name()), by_tensor);
//   fuse(p);
//
//   products        8-bit integers, if operands and result have a range; the bias is i32. Weights
//                   have a scale for each output channel, unless they take more than half of L1
//   one operation   8-bit integers where what it reads has them, for the operations of a table
//   moves, pools    what they read; all that is moved into a tensor has its scale and zero point
//   everything else floats: norms, softmax, compositions of several operations, and what depends on
//                   small differences (exp, log, roots, quotients, powers, and sums of operands of
//                   which one is much smaller than the result)
//
// A result's scale is (greatest - least) / 255 and its zero point rint(-128 - least / scale), where 0
// is always in the range. Constants are symmetric: the scale is the largest magnitude / 127. Scales are
// rounded to binary32. The weights of a channel get a larger scale where its bias, in units of the
// products, would be more than 2^30.
//
// Lifetime:   the plan is changed.
// Errors:     throws a refusal: variants that the device lacks, ranges that no scale fits.
// Limits:     none.
// Allocation: a step for each conversion.

#ifndef TESSERA_TRANSFORM_LOWER_QUANTIZE_HPP
#define TESSERA_TRANSFORM_LOWER_QUANTIZE_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "transform/lower/calibrate.hpp"
#include "transform/lower/steps.hpp"
#include "transform/lower/target.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// `by_tensor` are the instructions whose weights get one scale whatever their size; those that get one
/// because of it are added.
void quantize(plan& p, const target& device, const calibration& ranges,
              std::vector<std::uint32_t>& by_tensor);

/// The steps of a network, in the numbers that the device computes them with; `ranges` are found the first
/// time that they are needed.
[[nodiscard]] plan planned(const nac::program& p, const target& device,
                           const lower_options& options, std::optional<calibration>& ranges,
                           std::vector<std::uint32_t>& by_tensor);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_QUANTIZE_HPP
