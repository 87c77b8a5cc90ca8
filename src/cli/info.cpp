// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info`: a summary of a file.

#include <algorithm>
#include <memory>
#include <tessera/core/json_write.hpp>
#include <tessera/core/shortest.hpp>

#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "pt2.hpp"
#include "tessera/inspect/alir/statistics.hpp"
#include "tessera/vm/alir.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

[[nodiscard]] exit_code info_alir(const source& file, const reporting& to) {
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  const alir::model& m = p->model();
  const inspect::alir_statistics facts(*p);
  const std::uint64_t vm_memory = vm::alir::machine(*p, {.max_memory = 0}).memory();
  const bool estimated = file.what == format::alir_json;  // bytecode has no latency and cost
  text out;
  if (to.as_json) {
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to.path)).key("format").string("alir");
    w.key("form").string(file.what == format::alir_json ? "json" : "bytecode");
    w.key("spec_version").integer(m.spec_version).key("bytes").integer(file.data().size());
    w.key("inputs").integer(m.n_inputs).key("outputs").integer(m.n_outputs);
    w.key("operations").integer(p->size()).key("opcodes").begin_object();
    for (const auto& c : facts.opcodes) w.key(c.name).integer(c.value);
    w.end().key("tables").integer(m.tables.size());
    w.key("table_entries").integer(m.table_data.size());
    w.key("widest_bits").integer(facts.widest);
    for (const auto& [key, value] : {std::pair("latency", facts.latency), {"cost", facts.cost}}) {
      w.key(key);
      if (estimated)
        w.number(value);
      else
        w.null();
    }
    w.key("vm_bytes").integer(vm_memory).end();
    out << '\n';
    return print_result(out);
  }
  out << file.name << ": " << info(file.what).description << ", version " << m.spec_version << ", "
      << file.data().size() << " bytes\n";
  out << "  inputs      " << m.n_inputs << "\n  outputs     " << m.n_outputs;
  out << "\n  operations  " << p->size();
  std::string_view between = ": ";
  for (const auto& c : facts.opcodes) {
    out << between << c.value << ' ' << c.name;
    between = ", ";
  }
  out << "\n  tables      " << m.tables.size();
  if (!m.tables.empty()) out << " with " << m.table_data.size() << " entries";
  out << "\n  widest      " << facts.widest << " bits\n";
  if (estimated) {
    out << "  latency     ";
    append_double(out, facts.latency, double_style::python);
    out << "\n  cost        ";
    append_double(out, facts.cost, double_style::python);
    out << '\n';
  }
  out << "  VM memory   " << vm_memory << " bytes\n";
  return print_result(out);
}

}  // namespace

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
