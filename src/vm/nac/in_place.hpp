// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What forms in place (aten.add_.Tensor) do to a program whose values never change: which results
// have another value from then on. The machine asks once, when it is made.
//
//   const changes all = find_changes(program, at);     // `at`: the instruction of a fault
//   const change& c = all.all[all.of[i]];              // where all.of[i] isn't `none`
//
//   target     operand 0, and all that is the same tensor: what detach, alias and dropout without
//              training gave of it, and results of earlier forms in place
//   views      of the target, and what it is a view of: select, slice, view, transpose, expand, split
//              and the like. The elements are written into the base, as the views lead to them, and
//              views that later instructions use are made again of it.
//   shapes     unsqueeze_, squeeze_, t_, transpose_, resize_ and detach_ change no element: later uses of the
//              target take their result instead
//   a state    in place of it, its value for later runs too
//   an input   or parameter: for the rest of the run
//
// Refused before anything runs, for NAC has no strides and no addresses:
//
//   a later use of what may be a view, or a copy: reshape, flatten, contiguous, to, type_as
//   a change of the shape in a branch, of what is used after it
//   a change of a parameter, state or constant that several INPUTs give
//   a change of an element of a list that is also used without getitem
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_run_in_place.
// Limits:     2^20 results that are made again, and 2^25 that are looked at; a file that needs more is
//             refused.
// Allocation: about 170 bytes for an instruction of a program with forms in place.

#ifndef TESSERA_VM_NAC_IN_PLACE_HPP
#define TESSERA_VM_NAC_IN_PLACE_HPP

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// A form in place.
struct change {
  std::uint32_t base = 0;                   ///< the instruction that made the elements
  bool writes = false;                      ///< the base is written, because something else uses it
  std::uint32_t first_step = 0, steps = 0;  ///< of changes::path: from the base to the target
  std::uint32_t first_again = 0, again = 0;  ///< of changes::again
};
/// A result that has another value after a change.
struct renewed {
  enum class by : std::uint8_t {
    result,  ///< the value of the change
    parent,  ///< what instruction `parent` has, which comes before it
    again,   ///< its operation, once more
  };
  std::uint32_t instruction = 0, parent = 0;
  by how = by::result;
  bool is_used = false;  ///< by later instructions, not only for what is made again of it
};

struct changes {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> of;  ///< by instruction; empty where the program has none
  std::vector<change> all;
  std::vector<std::uint32_t> path;  ///< instructions that give views
  std::vector<renewed> again;       ///< of each change, in the order of instructions
  /// By argument of the code: the instruction whose result it is; empty where the program has none.
  std::vector<std::uint32_t> source;
  std::vector<bool> kept;  ///< by instruction: FREE and FORWARD don't drop its result
};
[[nodiscard]] changes find_changes(const model::program& p, std::uint32_t& at);
/// Whether results of an operation may share elements with its first operand: by its name.
[[nodiscard]] bool may_share_elements(std::string_view name);
/// Whether a form in place changes no element.
[[nodiscard]] bool changes_shape_only(std::string_view name);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_IN_PLACE_HPP
