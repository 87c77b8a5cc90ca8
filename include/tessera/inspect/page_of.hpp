// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a page shows of a model, a container or a program.
//
//   tessera::inspect::page p = tessera::inspect::page_of(program, source, &found);
//   p.title = "tiles.nem";
//   std::cout << tessera::inspect::html(p);
//
//   NAC     the instructions, with parameters as weights of those that read them; folded by module, as
//           parameters are named ("layers.3.attention.weight" is of layers.3), else where they repeat
//   NEM     the tasks of the first iteration of each loop, the text with its findings
//   ARK     the operations of all ranks, the listing of the first; of plans the timeline of their tiles
//   ALIR    the operations as they are listed
//   of two containers, models or programs the later one, with what differs
//
// Lifetime:   pages own what they show; literals of pictures apart.
// Errors:     none.
// Limits:     texts are cut at page::max_characters, at the end of a line, with a word about it.
//             Networks of up to 24 nodes aren't folded.
// Allocation: the page; weights are read in parts.

#ifndef TESSERA_INSPECT_PAGE_OF_HPP
#define TESSERA_INSPECT_PAGE_OF_HPP

#include <span>
#include <string>
#include <string_view>

#include "../alir.hpp"
#include "../ark.hpp"
#include "../nem.hpp"
#include "nac/lookup.hpp"
#include "page.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// What the page of a container shows besides its instructions.
struct nac_view_options {
  std::span<const std::string> shapes = {};  ///< by instruction: "f32 [1, 64]"; or none
  bool weights = true;                       ///< whether their values are read
};
/// The page of a container.
[[nodiscard]] page page_of(const lookup& program, const nac_view_options& options = {});
/// The page of `after`, in which what differs from `before` is marked, in the graph and in the text; what
/// was removed is among the facts.
[[nodiscard]] page page_of_difference(const lookup& before, const lookup& after,
                                      const nac_view_options& options = {});
[[nodiscard]] page page_of_difference(const ark::model& before, const ark::model& after);
/// Of plans the operations are compared.
[[nodiscard]] page page_of_difference(const ark::plan& before, const ark::plan& after);
/// `source` is the later program's text in canonical layout (nem::reformat).
[[nodiscard]] page page_of_difference(const nem::model& before, const nem::program& after,
                                      std::string_view source, const report* found);
/// The page of a NEM program. `found`, the findings of its verification, may be null; `program` too, for a
/// text that isn't a program.
[[nodiscard]] page page_of(const nem::program* program, std::string_view source,
                           const report* found);
/// The page of a model, all of its ranks or one.
[[nodiscard]] page page_of(std::span<const ark::model* const> ranks);
/// The page of the plans of all ranks, or of one. They passed verify_plan().
[[nodiscard]] page page_of(std::span<const ark::plan* const> ranks);
/// The page of an ALIR program, verified or not.
[[nodiscard]] page page_of(const alir::model& m);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_PAGE_OF_HPP
