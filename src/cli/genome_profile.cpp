// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome profile`: the operations that networks need.

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
  const command verb = genome.add_subcommand("profile", "Count the operations of networks");
  o->in.add_options(verb, "Print the counts, including those of each model, as one JSON object");
  verb.add_flag("--by-model", o->by_model, "Show the counts of each model as well");
  verb.footer({R"(
How often each operation is used, by how many models, and its highest count in any one model: the
demand on a chip, a compiler or a runtime. The nodes of patterns are counted one by one, so that
networks can be compared whether or not they are compressed.

Examples:
  tessera genome profile models/
  tessera genome profile compressed_signatures.json --by-model
  tessera genome profile *.nac --json | jq .

)",
               exit_codes_help});
  verb.callback([o, &run] { run = [o] { return profile_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
