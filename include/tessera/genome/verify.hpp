// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The proof that a registry and streams over it hold together.
//
//   tessera::report found;
//   tessera::result<genome::library> library = genome::verify(std::move(*registry), {}, &found);
//   tessera::result<genome::program> program = genome::verify(std::move(*stream), *library, {}, &found);
//
//   registry   ids, names and their reverse maps, constants, groups   detail/check_registry.hpp
//   patterns   none contains itself, sizes of their expansions, their nodes
//   stream     ids, references, blocks of IF and WHILE                detail/check_stream.hpp
//
// Sizes are counted, nothing is expanded: a registry of a few hundred bytes whose patterns expand to
// more nodes than there is memory is an error before any is spent.
//
// Lifetime:   a library owns its registry; a program owns its stream and borrows its library.
// Errors:     the first one, in the order of the table; patterns in their order, and those inside
//             of one before it. The offset is that of the row of a registry, or of the node or the
//             entry of D in a stream, in bytes. genome_pattern_unknown, _recursion and _size, at
//             the pattern; too_many_items at 0, genome_node_truncated for a stream built in
//             code; else those of the checks.
//             A registry that was built in code has indices of rows; in_node() names the node of a
//             stream.
// Limits:     max_items nodes for a pattern's expansion, in which a COPY is one; and 2^32 - 1.
// Allocation: library's and the checkers', and 8 bytes for each node of the longest pattern.

#ifndef TESSERA_GENOME_VERIFY_HPP
#define TESSERA_GENOME_VERIFY_HPP

#include "../core/report.hpp"
#include "../core/result.hpp"
#include "program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {
class library_maker;

}  // namespace detail

/// Checks a registry and all of its patterns. `found` receives every finding.
[[nodiscard]] result<library> verify(registry r, const verify_options& options = {},
                                     report* found = nullptr);

/// Checks a stream against a library, which has to outlive the program. `found` receives every
/// finding, up to an IF or WHILE whose blocks can't be known.
[[nodiscard]] result<program> verify(stream s, const library& l, const verify_options& options = {},
                                     report* found = nullptr);
result<program> verify(stream s, library&& l, const verify_options& options = {},
                       report* found = nullptr) = delete;

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/verify.hpp"
#endif

#endif  // TESSERA_GENOME_VERIFY_HPP
