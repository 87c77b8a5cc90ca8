// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera graph`: an ALIR program, ARK models, a NAC container, a NEM program or a stream of v1.2 as SVG or as a Graphviz DOT graph.

#include <memory>
#include <utility>

#include "alir.hpp"
#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "tessera/inspect/ark/dot.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  file_list files;
  picture_output output;
  nac_graph_options nac;
  nem_graph_options nem;
  genome_graph_options genome;
};

[[nodiscard]] exit_code draw_files(const options& o) {
  if (o.files.is_wrong("graph")) return wrong_usage;
  std::vector<ark::model> graphs;
  for (const std::string& path : o.files.paths) {
    const reporting to{path};
    const loaded in = load_source(to, streams_of(o.genome.registry));
    if (!in) return in.code;
    const auto add = [&](const source& file) {
      read_outcome read = read_ark(file, to);
      if (read.graph) graphs.push_back(std::move(*read.graph));
      return read.code;
    };
    const auto single = [&](const auto& draw) {
      return [&o, draw](const source& file) {
        if (o.files.paths.size() > 1)
          return usage_error("graph", "several files must be the ranks of an ARK model; this is " +
                                          std::string(info(file.what).article) +
                                          std::string(info(file.what).description));
        return draw(file);
      };
    };
    const auto stream = single([&](const source& file) {
      return graph_stream(file, to, o.output, o.genome, o.nem.expand, !o.nac.no_parameters);
    });
    const exit_code code = with_source(
        *in.file, to, "graph",
        {.alir =
             single([&](const source& file) { return graph_alir(file, to, o.output, o.nac.fold); }),
         .ark_model = add,
         .nac = single([&](const source& file) { return graph_nac(file, to, o.output, o.nac); }),
         .nem = single([&](const source& file) { return graph_nem(file, to, o.output, o.nem); }),
         .genome_stream = stream,
         .genome_signatures = stream});
    if (code != success || in.file->what != format::ark_model) return code;
  }
  std::vector<const ark::model*> ranks;
  for (const ark::model& g : graphs) ranks.push_back(&g);
  return o.output.write(inspect::draw(ranks, {.fold = o.nac.fold}));
}

}  // namespace

exit_code picture_output::write(const inspect::picture& p) const {
  const text drawn = svg || path.ends_with(".svg") ? inspect::svg(p) : inspect::dot(p);
  return write_report(path, drawn);
}

void add_graph(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("graph");
  verb.bind("FILE", o->files.paths);
  verb.bind("--output", o->output.path);
  verb.bind("--svg", o->output.svg);
  verb.bind("--fold", o->nac.fold);
  verb.bind("--input", o->nac.run.inputs);
  verb.bind("--random", o->nac.run.seed);
  verb.bind("--max-steps", o->nac.run.max_steps);
  verb.bind("--shape", o->nac.run.nac.shapes);
  verb.bind("--text", o->nac.run.nac.texts);
  verb.bind("--weights", o->nac.run.nac.weights);
  verb.bind("--schedule", o->nac.schedule);
  verb.bind("--no-parameters", o->nac.no_parameters);
  verb.bind("--expand", o->nem.expand);
  verb.bind("--stream", o->genome.stream);
  add_genome_options(verb, o->genome.registry);
  add_nem_options(verb, o->nem.nem);
  verb.callback([o, &run] { run = [o] { return draw_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
