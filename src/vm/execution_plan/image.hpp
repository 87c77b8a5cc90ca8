// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pictures into models and out of them.
//
//   tensor x = picture_for_model(arena, file.view());   // [1, 3, 224, 224] of float32
//   std::string png = png_of(arena, y);                 // of [1, 3, H, W], [H, W, 3], [H, W] …
//
//   in    RGB; the shorter side becomes 256 by a triangle filter that widens where it shrinks, the
//         other one in proportion, cut to an integer; the 224 × 224 in the middle; / 255; less
//         (0.485, 0.456, 0.406), over (0.229, 0.224, 0.225)
//   out   floats: (x + 1) / 2 where any is below 0; times 255, clipped, cut to integers, NaN as 0.
//         Integers from 0 to 255 as they are. One channel or three
//
// Resizing uses 22 fraction bits, and 8 bits between both directions, as Pillow does.
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_plan_image, nac_plan_unavailable, nac_run_shape, nac_run_argument,
//             budget_memory.
// Limits:     as many pixels as the memory holds, at 7 bytes each; 2^28.
// Allocation: that; of what is written, 2 to 5 bytes for a sample.

#ifndef TESSERA_VM_EXECUTION_PLAN_IMAGE_HPP
#define TESSERA_VM_EXECUTION_PLAN_IMAGE_HPP

#include <string>

#include "vm/nac/tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

[[nodiscard]] tensor picture_for_model(memory& arena, bytes file);
[[nodiscard]] std::string png_of(memory& arena, const tensor& picture);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_EXECUTION_PLAN_IMAGE_HPP
