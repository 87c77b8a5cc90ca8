// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera graph`: ARK models, a NAC container or a NEM program as SVG or as a Graphviz DOT graph.

#include <memory>
#include <utility>

#include "ark.hpp"
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
  bool fold = false;
  nac_graph_options nac;
  nem_graph_options nem;
};

[[nodiscard]] exit_code draw_files(const options& o) {
  if (o.files.is_wrong("graph")) return wrong_usage;
  std::vector<ark::model> graphs;
  for (const std::string& path : o.files.paths) {
    const reporting to{path};
    const loaded in = load_source(to);
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
    const exit_code code = with_source(
        *in.file, to, "graph",
        {.ark_model = add,
         .nac = single([&](const source& file) { return graph_nac(file, to, o.output, o.nac); }),
         .nem = single([&](const source& file) { return graph_nem(file, to, o.output, o.nem); })});
    if (code != success || in.file->what != format::ark_model) return code;
  }
  std::vector<const ark::model*> ranks;
  for (const ark::model& g : graphs) ranks.push_back(&g);
  return o.output.write(inspect::draw(ranks, {.fold = o.fold}));
}

}  // namespace

exit_code picture_output::write(const inspect::picture& p) const {
  const text drawn = svg || path.ends_with(".svg") ? inspect::svg(p) : inspect::dot(p);
  return write_report(path, drawn);
}

void add_graph(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb =
      app.add_subcommand("graph", "Draw a model, as SVG or as a Graphviz DOT graph");
  verb.add_option("FILE", o->files.paths,
                  "An ARK model or all its ranks, a NAC container or a NEM program;\n"
                  "- is standard input")
      ->required();
  verb.add_option("-o,--output", o->output.path, "The file to write (standard output)")
      ->type_name("FILE");
  verb.add_flag("--svg", o->output.svg,
                "Write SVG, not a Graphviz DOT graph; files named .svg are SVG anyway");
  verb.add_flag("--fold", o->fold,
                "ARK: draw Softmax, LayerNorm, RMSNorm and SiLU as one box each");
  verb.add_flag("--schedule", o->nac.schedule,
                "NAC: show the memory commands of instructions; forwarded values are dashed");
  verb.add_flag("--no-parameters", o->nac.no_parameters, "NAC: omit parameters");
  verb.add_flag("--expand", o->nem.expand,
                "NEM: draw every iteration of a loop, not only the first");
  add_nem_options(verb, o->nem.nem);
  verb.footer({R"(
ARK: a box is an operation, an ellipse an input or output of the model. Solid arrows are the edges
of the file; dotted ones show accesses to the same memory that are ordered only by their place in the
file; dashed ones connect a send to its receive on another rank.
NAC: a box is an instruction with its constants, an ellipse an input, a parameter or the output; red
ones refer to something that doesn't exist. Numbers at arrows are argument indices.
NEM: a box is a task, coloured by the unit that executes it, a frame is a loop. Solid arrows are
deps, dashed ones the order that a wait imposes.

Examples:
  tessera graph --fold model.json -o model.svg
  tessera graph rank0.json rank1.json | dot -Tpng > ranks.png
  tessera graph --schedule model.nac -o model.dot
  tessera graph tiles.nem -o tiles.svg

)",
               exit_codes_help});
  verb.callback([o, &run] { run = [o] { return draw_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
