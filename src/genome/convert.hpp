// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Graphs of all formats into a corpus, and out of one again as v1.2 streams with their registry.
//
//   corpus all;
//   error why = add_graph(all, "resnet18", program);     // of v1.2, a .nac file or an ARK model
//   result<signature> s = signature_of(all, 0);          // genome::verify takes both
//
//   v1.2              a node of the expansion each, by the meaning of its ids. The key of a single
//                     constant (C > 0) is that of genome::single_constant_key.
//
//   .nac              an instruction of OPS each, in its order, but parameters in front of what first
//                     takes them, so that a block that is repeated is the same run of nodes each time;
//                     of a container with control flow, all in its order
//   INPUT             user: <DATA_INPUT>; else <CONST_REF>, named as in DATA, "state.ID",
//                     "constant.ID" (lifted), and "parameter.ID" where DATA has no name
//   OUTPUT            <OUTPUT>, its inputs in their order
//   CONTROL_FLOW      IF: condition, then what its blocks take from outside, ascending. A branch
//                     without instructions becomes a block of one <OUTPUT> of nothing.
//   regular           NAME:node_args(N):kwargs(), NAME as the file has it, N tensors that differ;
//                     inputs ascending; the variation says which of them each tensor argument is,
//                     tensors of lists being arguments of their own; constants are "argK", K the
//                     position in the call. Values that the file's compiler took for one (1 and
//                     true) are one here, too.
//
//   ARK               an operation each, in the order of the file
//   tensors read      the operation that last made or wrote the tensor, by its Id; else the last one
//                     that wrote into the buffer; else a <DATA_INPUT> in front of the first reader:
//                     files don't say which memory holds weights, IsExternal or not
//   Tensor and Placeholder that read nothing only name memory, and are no nodes
//   operation         ark.TYPE:node_args(N):kwargs('ARGUMENT', …), Args by name, as constants
//   at the end        one <OUTPUT> of all operations whose results nothing takes
//   Not part of a node: shapes, data types, layouts and what repeats them (Matmul's ShapeMNK …),
//   which buffer, rank and tag. Older names of arguments are today's.
//
// Signatures: ids from 10 on in the order of their first use; commands 0 to 9 under their names.
// Constants are one where type and value are equal: 1, 1.0 and true are three. A single constant is
// C > 0 where its key is the one that readers would take it for, else a group of one. CONST_REFs
// without names share one parameter. References inside of the innermost block are relative, all
// others absolute. add_graph of a signature gives the same graph, but for nameless parameters that
// then have a name and keys that were empty.
//
// Lifetime:   nothing is kept of what is given.
// Errors:     of add_graph, and then nothing was added:
//               v1.2   those of genome::expand, within the corpus's expansion_budget
//               .nac   the instruction's offset: genome_counterpart where control flow has no
//                      counterpart (CONVERGENCE; in a branch an INPUT of the caller's, an OUTPUT of
//                      the model or in the middle; a branch's result taken past its end; an
//                      OUTPUT's result);
//                      genome_node_inputs for more than 252 inputs of an IF's blocks
//               ARK    none
//             of signature_of, the offset is the index of the node: genome_operations_full,
//             genome_ids_full, genome_node_inputs, genome_reference_range; and where a corpus was
//             filled by hand, genome_command, genome_control_form, genome_block_length,
//             genome_reference.
// Limits:     those of corpus.hpp; a signature's are the format's: 246 operations, 246 variations,
//             32758 constants, groups and parameters each, references to nodes up to 32767.
// Allocation: .nac: 12 bytes for an instruction beside the corpus; ARK: 48 for each tensor and buffer;
//             v1.2: the expansion; signatures: their own, and each name twice. Time is
//             n log n, whatever Ids and names are.

#ifndef TESSERA_GENOME_CONVERT_HPP
#define TESSERA_GENOME_CONVERT_HPP

#include <cstdint>
#include <string_view>

#include "corpus.hpp"
#include "tessera/ark.hpp"
#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct conversion_options {
  bool parameter_names = false;  ///< CONST_REFs keep the names of their parameters
};

/// Adds one graph. The error is of the source that was given; then nothing was added. An ARK graph is
/// one that was read or verified: its indices are in range.
[[nodiscard]] error add_graph(corpus& to, std::string_view name, const genome::program& from,
                              const conversion_options& how = {});
[[nodiscard]] error add_graph(corpus& to, std::string_view name, const nac::program& from,
                              const conversion_options& how = {});
[[nodiscard]] error add_graph(corpus& to, std::string_view name, const ark::model& from,
                              const conversion_options& how = {});

/// A stream and the registry that it means something in.
struct signature {
  genome::stream stream;
  genome::registry registry;
};
/// A graph of a corpus on its own. The error's offset is the node's index.
[[nodiscard]] result<signature> signature_of(const corpus& from, std::size_t graph);
/// All graphs of a corpus, in the order of the corpus, over one registry.
struct signatures {
  std::vector<genome::stream> streams;
  genome::registry registry;
};
/// The error's offset is the index of a node in graph `*failed`.
[[nodiscard]] result<signatures> signatures_of(const corpus& from, std::size_t* failed = nullptr);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CONVERT_HPP
