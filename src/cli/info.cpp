// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info`: a summary of a file.

#include <memory>

#include "alir.hpp"
#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "pt2.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

void add_info(const command& app, action& run) {
  const auto files = std::make_shared<file_list>();
  const auto nac = std::make_shared<nac_info_options>();
  const auto nem = std::make_shared<nem_options>();
  const auto registry = std::make_shared<std::string>();
  const auto program = std::make_shared<std::string>();
  const command verb = app.verb("info");
  files->add_options(verb);
  verb.bind("--all", std::function<void()>([nac, nem] { nac->all = nem->all = true; }));
  verb.bind("--quantization-error", nac->error_of);
  add_nac_options(verb, nac->run.nac);
  verb.bind("--max-steps", nac->run.max_steps);
  add_nem_options(verb, *nem);
  add_genome_options(verb, *registry);
  add_pt2_options(verb, *program);
  verb.callback([files, nac, nem, registry, program, &run] {
    run = [files, nac, nem, registry, program] {
      return files->each("info", [&](const reporting& to) {
        return with_file(
            to, "info",
            {.alir = [&to](const source& file) { return info_alir(file, to); },
             .alir_pipeline = [&to](const source& file) { return info_alir_pipeline(file, to); },
             .ark_model = [&to](const source& file) { return info_model(file, to); },
             .ark_plan = [&to](const source& file) { return info_plan(file, to); },
             .nac = [&](const source& file) { return info_nac(file, to, *nac); },
             .nem = [&](const source& file) { return info_nem(file, to, *nem); },
             .genome_registry = [&](const source& file) { return info_registry(file, to); },
             .genome_stream = [&](const source& file) { return info_streams(file, to, *registry); },
             .genome_signatures =
                 [&](const source& file) { return info_streams(file, to, *registry); },
             .pt2 = [&](const source& file) { return info_pt2(file, to, *program); }},
            streams_of(*registry));
      });
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
