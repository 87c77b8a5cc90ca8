// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome profile`: what networks ask of a chip.

#include "genome/profile.hpp"

#include <memory>

#include "genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  genome_inputs in;
  bool by_model = false;
};

[[nodiscard]] exit_code profile_files(const options& o) {
  genomics::corpus all;
  const input_outcome in = read_corpus(o.in, "profile", all);
  if (!in.complete) return in.code;
  const genomics::operation_profile p = genomics::profile(all);
  const text out = o.in.json ? profile_json(all, p) : profile_table(all, p, o.by_model);
  return finish(in, print_result(out));
}

}  // namespace

void add_genome_profile(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.add_subcommand("profile", "Count the operations that networks call");
  o->in.add_options(verb, "The counts as one JSON object, those of each model among them");
  verb.add_flag("--by-model", o->by_model, "The counts of each model too");
  verb.footer(
      std::string(
          "How often each operation is called, by how many models, and how often by the one that "
          "calls\n"
          "it most: the demand that a chip, a compiler or a runtime would have to meet. Patterns "
          "count\n"
          "with all their nodes.\n\n"
          "Examples:\n"
          "  tessera genome profile models/\n"
          "  tessera genome profile compressed_signatures.json --by-model\n"
          "  tessera genome profile *.nac --json | jq .\n\n") +
      exit_codes_help);
  verb.callback([o, &run] { run = [o] { return profile_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
