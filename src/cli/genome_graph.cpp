// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera graph` for streams of NAC v1.2.

#include "genome.hpp"
#include "tessera/inspect/genome/dot.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

exit_code graph_stream(const source& file, const reporting& to, const picture_output& output,
                       const genome_graph_options& o, bool expand, bool parameters) {
  libraries registries(o.registry);
  exit_code code = success;
  const genome::library* const library = registries.of(to, code);
  if (library == nullptr) return code;
  const stream_choice chosen = choose_stream(file, to, "graph", o.stream);
  if (!chosen.stream) return chosen.code;
  const program_outcome in = verify_stream(*chosen.stream, *library, to);
  if (!in.program) return in.code;
  if (!expand) return output.write(inspect::draw(in.program->stream(), *library, {parameters}));
  const result<genome::stream> flat = genome::expand(*in.program, {.copies = false});
  if (!flat)
    return to.fail(chosen.stream->diagnose_stream(flat.error(), in.program->stream()), bad_input,
                   file.what);
  return output.write(inspect::draw(*flat, *library, {parameters}));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
