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
  const input_outcome in = read_corpus(o.in, "genome profile", all);
  if (!in.complete) return in.code;
  const genomics::operation_profile p = genomics::profile(all);
  const text out = o.in.json ? profile_json(all, p) : profile_table(all, p, o.by_model);
  return finish(in, print_result(out));
}

}  // namespace

void add_genome_profile(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.verb("profile");
  o->in.add_options(verb, true);
  verb.bind("--by-model", o->by_model);
  verb.callback([o, &run] { run = [o] { return profile_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
