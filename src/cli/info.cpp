// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info`: what is in a file, in a few lines.

#include <algorithm>
#include <memory>
#include <tessera/core/json_write.hpp>
#include <tessera/core/shortest.hpp>

#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "tool.hpp"
#include "vm/alir/vm.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct count {
  std::string_view name;
  std::uint64_t value;
};

/// The facts of a valid program, in the order in which they are shown.
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
  const command verb = app.add_subcommand("info", "Say what is in files");
  files->add_options(verb, "Files to look at", "One JSON object a line and file");
  verb.add_flag("--all", nac->all, "NAC: every parameter and resource, not just the first 20");
  verb.add_option("--quantization-error", nac->error_of,
                  "NAC: what storing weights by a method would lose; reads all of them")
      ->type_name("METHOD")
      ->one_of({"fp16", "int8_tensor", "int8_channel", "block_fp8"});
  add_nac_options(verb, nac->run.nac);
  add_max_steps(verb, nac->run.max_steps);
  add_nem_options(verb, *nem);
  add_genome_options(verb, *registry);
  verb.footer(std::string("Of an ARK model: its size, arithmetic and bytes moved by Type, memory, "
                          "what it takes and\n"
                          "gives, and what it sends to other ranks. Arithmetic counts additions, "
                          "products and so on\n"
                          "one by one; a Matmul has 2 M N K. Bytes moved are those of all tensors "
                          "read and written,\n"
                          "as if nothing stayed in a cache. Inputs are tensors that are read "
                          "before anything writes\n"
                          "to them; outputs are written and never read.\n"
                          "Of a NAC container: header, sections, counts, parameters, schedule, "
                          "plan, tokenizer and\n"
                          "resources; slack is what lies behind a section's last record. lifted#0 "
                          "is an input without\n"
                          "a name: a constant that the compiler lifted and didn't store. With the "
                          "inputs' shapes the\n"
                          "program runs on zeros, and the most memory that its values take is "
                          "told, with the schedule\n"
                          "and without.\n"
                          "Of a NEM program: its device, tasks by opcode, multiplications with "
                          "additions (MACs), bytes\n"
                          "moved between memory levels, each level's buffers and the most that is "
                          "live at once, and\n"
                          "the most tokens that can be. Loops count with all their iterations.\n"
                          "Of streams and registries of NAC v1.2: how many there are of "
                          "everything.\n\n"
                          "Examples:\n"
                          "  tessera info model.json.gz\n"
                          "  tessera info --json models/*.json | jq .operations\n"
                          "  tessera info model.nac --quantization-error int8_channel\n"
                          "  tessera info model.nac --shape 1x3x224x224\n\n") +
              exit_codes_help + "With several files: the highest of theirs.\n");
  verb.callback([files, nac, nem, registry, &run] {
    run = [files, nac, nem, registry] {
      return files->each("info", [&nac, &nem, &registry](const reporting& to) {
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
                 [&](const source& file) { return info_streams(file, to, *registry); }},
            streams_of(*registry));
      });
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
