// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera graph`: a picture of ARK models, in Graphviz's DOT.

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "ark.hpp"
#include "ark/dot.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  file_list files;
  std::string output = "-";
  bool fold = false;
};

[[nodiscard]] exit_code draw_files(const options& o) {
  if (o.files.is_wrong("graph")) return wrong_usage;
  std::vector<ark::graph> graphs;
  for (const std::string& path : o.files.paths) {
    const reporting to{path};
    const loaded in = load_source(to);
    if (!in) return in.code;
    if (in.file->what != format::ark_model) return not_for(*in.file, to, "graph", "ARK models");
    read_outcome read = read_ark(*in.file, to);
    if (!read.graph) return read.code;
    graphs.push_back(std::move(*read.graph));
  }
  std::vector<const ark::graph*> ranks;
  for (const ark::graph& g : graphs) ranks.push_back(&g);
  const text dot = analysis::draw(ranks, {.fold = o.fold});
  return write_result(o.output, as_bytes(dot));
}

}  // namespace

void add_graph(CLI::App& app, action& run) {
  const auto o = std::make_shared<options>();
  CLI::App* const verb = app.add_subcommand("graph", "Draw ARK models, in Graphviz's DOT");
  verb->add_option("FILE", o->files.paths, "The model, or one for each rank; - is standard input")
      ->required();
  verb->add_option("-o,--output", o->output, "The file to write; - is standard output")
      ->type_name("FILE");
  verb->add_flag("--fold", o->fold, "Softmax, LayerNorm, RMSNorm and SiLU as one box each");
  verb->footer(
      std::string(
          "A box is an operation, an ellipse an input or output of the model. Solid arrows are "
          "the\n"
          "edges of the file; dotted ones an order that only shared memory makes, so that the "
          "order\n"
          "of the file counts; dashed ones lead from a send to its receive on another rank.\n\n"
          "Examples:\n"
          "  tessera graph model.json | dot -Tsvg > model.svg\n"
          "  tessera graph --fold model.json -o model.dot\n"
          "  tessera graph rank0.json rank1.json | dot -Tpng > ranks.png\n\n") +
      exit_codes_help);
  verb->callback([o, &run] { run = [o] { return draw_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
