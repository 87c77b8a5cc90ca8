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
#include "tessera/vm/alir.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct count {
  std::string_view name;
  std::uint64_t value;
};

/// What is shown of a valid program, in this order.
struct alir_facts {
  explicit alir_facts(const alir::program& p)
      : vm_memory(vm::alir::machine(p, {.max_memory = 0}).memory()) {
    for (const alir::opcode_row& row : alir::opcode_table) {
      const auto n = std::count_if(p.model().ops.begin(), p.model().ops.end(),
                                   [&row](const alir::operation& o) { return o.code == row.code; });
      if (n != 0) opcodes.push_back({row.name, static_cast<std::uint64_t>(n)});
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      widest = std::max(widest, p.type(i).width());
      latency = std::max(latency, p.op(i).latency);
      cost += p.op(i).cost;
    }
  }
  std::vector<count> opcodes;
  int widest = 0;
  double latency = 0, cost = 0;
  std::uint64_t vm_memory;
};

[[nodiscard]] exit_code info_alir(const source& file, const reporting& to) {
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  const alir::model& m = p->model();
  const alir_facts facts(*p);
  const bool estimated = file.what == format::alir_json;  // bytecode has no latency and cost
  text out;
  if (to.as_json) {
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to.path)).key("format").string("alir");
    w.key("form").string(file.what == format::alir_json ? "json" : "bytecode");
    w.key("spec_version").integer(m.spec_version).key("bytes").integer(file.data().size());
    w.key("inputs").integer(m.n_inputs).key("outputs").integer(m.n_outputs);
    w.key("operations").integer(p->size()).key("opcodes").begin_object();
    for (const count& c : facts.opcodes) w.key(c.name).integer(c.value);
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
    w.key("vm_bytes").integer(facts.vm_memory).end();
    out << '\n';
    return print_result(out);
  }
  out << file.name << ": " << info(file.what).description << ", version " << m.spec_version << ", "
      << file.data().size() << " bytes\n";
  out << "  inputs      " << m.n_inputs << "\n  outputs     " << m.n_outputs;
  out << "\n  operations  " << p->size();
  std::string_view between = ": ";
  for (const count& c : facts.opcodes) {
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
  out << "  VM memory   " << facts.vm_memory << " bytes\n";
  return print_result(out);
}

}  // namespace

void add_info(const command& app, action& run) {
  const auto files = std::make_shared<file_list>();
  const auto nac = std::make_shared<nac_info_options>();
  const auto nem = std::make_shared<nem_options>();
  const auto registry = std::make_shared<std::string>();
  const auto program = std::make_shared<std::string>();
  const command verb = app.add_subcommand("info", "Summarise what files contain");
  files->add_options(verb, "Files to summarise", "Print a JSON object per file");
  verb.add_flag("--all", nac->all, "NAC: list every parameter and resource, not only the first 20");
  verb.add_option("--quantization-error", nac->error_of,
                  "NAC: the quantization method whose error is measured; reads all weights")
      ->type_name("METHOD")
      ->one_of({"fp16", "int8_tensor", "int8_channel", "block_fp8"});
  add_nac_options(verb, nac->run.nac);
  add_max_steps(verb, nac->run.max_steps);
  add_nem_options(verb, *nem);
  add_genome_options(verb, *registry);
  add_pt2_options(verb, *program);
  verb.footer({R"(
ARK: size, arithmetic and bytes moved per Type, memory, inputs, outputs, and transfers to other
ranks. Arithmetic counts each addition, product and so on: a Matmul has 2 M N K. Bytes moved are
those of all tensors read and written, as if there were no cache. Inputs are tensors that are read
before anything writes to them; outputs are written and never read.
NAC: header, sections, counts, parameters, memory schedule, execution plan, tokenizer and resources.
Slack is the space after a section's last record. lifted#0 is an input without a name: a constant
that the compiler lifted and didn't store. If the shapes of the inputs are given, the program is run
on zeros to measure its peak memory, with and without the memory schedule.
NEM: device, tasks by opcode, multiply-accumulates (MACs), bytes moved between memory levels, each
level's buffers and peak of live bytes, and the maximum number of live tokens. Loops count with all
their iterations.
PT2: inputs, outputs, operators, symbols, weights and constants of a program.
NAC v1.2: the number of nodes, operations, patterns and so on.

Examples:
  tessera info model.json.gz
  tessera info --json models/*.json | jq .operations
  tessera info model.nac --quantization-error int8_channel
  tessera info model.nac --shape 1x3x224x224

)",
               exit_codes_help, exit_codes_of_several});
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
