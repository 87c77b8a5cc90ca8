// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The knowledge transplantation of section 1.2 of NAC's specification: the weights of one network for
// the compatible blocks of another one.
//
//   auto made = tessera::transform::transplant(donor, recipient);    // of nac::verify, with weights
//   if (!made) return fail(made.error());
//   for (const transform::graft& g : made->grafts) show(g.donor, g.recipient, g.what);
//   auto container = nac::write(made->parts);
//
//   block     between two results that everything on the way from an input to the outputs passes:
//             a residual block, an attention with its sum. Its gene is its operations and how they are
//             connected; names, constants, and the order of instructions and records are no part of it
//   matching  both networks are sequences of blocks. Their genes are aligned, so that as many weights
//             as possible have a counterpart, in order, with few interruptions; of equal blocks the
//             first ones. What remains between blocks that were matched is aligned by operations
//   grafts    a weight goes where the matching operation takes one of the same type and shape. Floats
//             of other types are converted where `convert` says so; other shapes need `slice`, `pad`
//             or `interpolate`. The recipient keeps the rest
//
// A copy of a network, with other names and another order, gets all weights of the original.
//
// Link tessera::transform.
//
// Lifetime:   the parts borrow both programs' bytes, until the container is written.
// Errors:     too_many_items.
// Limits:     2^26 pairs of blocks, and of instructions between blocks that were matched.
// Allocation: linear in instructions and parameters, one byte for each pair that is aligned, and the
//             weights that are changed.

#ifndef TESSERA_TRANSFORM_TRANSPLANT_HPP
#define TESSERA_TRANSFORM_TRANSPLANT_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "../core/result.hpp"
#include "../nac/parts.hpp"
#include "../nac/verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// How weights are fitted where the donor's aren't like the recipient's. All are left as they are by
/// default.
struct transplant_options {
  bool slice = false;        ///< takes the first part along dimensions where the donor has more
  bool pad = false;          ///< adds zeros at the end of dimensions where the donor has less
  bool interpolate = false;  ///< scales all dimensions that differ, linearly; floats only
  bool convert = false;      ///< rounds floats of other types
  /// Parameters of the donor and of the recipient; empty: they are matched.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs = {};
};

/// What became of a parameter of the recipient.
enum class graft_kind : std::uint8_t {
  moved,           ///< it has the donor's elements
  fitted,          ///< it has them after slicing, padding, interpolation or conversion
  other_shape,     ///< kept: its counterpart has another shape
  other_type,      ///< kept: its counterpart has another type, or another quantization
  no_counterpart,  ///< kept
};

/// A parameter of the recipient. Parameters are indices in program::parameters().
struct graft {
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no parameter, no block
  graft_kind what = graft_kind::no_counterpart;             ///< what became of it
  std::uint32_t recipient = 0;                              ///< the parameter
  std::uint32_t donor = none;                               ///< its counterpart in the donor
  std::uint32_t block = none;  ///< in transplanted::blocks, where both are in matched blocks
};

/// A block that both networks have: its gene, and where it is in the sequences of their blocks.
struct block_pair {
  std::uint64_t gene = 0;                  ///< a hash of the operations and how they are connected
  std::uint32_t donor = 0, recipient = 0;  ///< from 0
  std::uint32_t instructions = 0;          ///< how many it has
};

/// A network with weights of another one.
struct transplanted {
  nac::parts parts;           ///< of the recipient
  std::vector<graft> grafts;  ///< one for each parameter of the recipient that instructions use
  std::vector<block_pair> blocks;  ///< those that were matched, in order; none with given pairs
  std::uint32_t donor_blocks = 0, recipient_blocks = 0;  ///< how many each has; 0 with given pairs
  std::vector<std::uint32_t> unused;  ///< parameters of the donor that went nowhere
};

/// Gives the recipient weights of the donor. Both programs have their weights; those of the recipient
/// that are outside of its file come into its container. The given `pairs` are in range.
[[nodiscard]] result<transplanted> transplant(const nac::program& donor,
                                              const nac::program& recipient,
                                              const transplant_options& options = {});

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_TRANSPLANT_HPP
