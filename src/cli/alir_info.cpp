// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info` for ALIR programs.

#include <algorithm>
#include <tessera/core/shortest.hpp>

#include "alir.hpp"
#include "tessera/inspect/alir/statistics.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

void append_number(text& out, double v) { append_double(out, v, double_style::python); }

void write_facts(json::writer& w, const alir::program& p, const inspect::alir_statistics& facts,
                 bool estimated) {
  const alir::model& m = p.model();
  w.key("inputs").integer(m.n_inputs).key("outputs").integer(m.n_outputs);
  w.key("operations").integer(p.size()).key("opcodes").begin_object();
  for (const auto& c : facts.opcodes) w.key(c.name).integer(c.value);
  w.end().key("tables").integer(m.tables.size());
  w.key("table_entries").integer(m.table_data.size());
  w.key("widest_bits").integer(facts.widest).key("widths").begin_array();
  for (const auto& c : facts.widths)
    w.begin_object().key("bits").integer(c.bits).key("operations").integer(c.operations).end();
  w.end().key("depth").integer(facts.depth).key("critical_path").begin_array();
  for (const std::uint32_t i : facts.critical_path) w.integer(i);
  w.end();
  const auto figure = [&](std::string_view key, const auto& write) {
    w.key(key);
    if (estimated)
      write();
    else
      w.null();
  };
  figure("latency", [&] { w.number(facts.latency); });
  figure("cost", [&] { w.number(facts.cost); });
  figure("cost_by_opcode", [&] {
    w.begin_object();
    for (const auto& c : facts.opcodes) w.key(c.name).number(c.cost);
    w.end();
  });
  figure("adder_size", [&] { w.integer(m.adder_size); });
  figure("carry_size", [&] { w.integer(m.carry_size); });
}

/// A line for each width, with a bar as long as its share.
void append_widths(text& out, const inspect::alir_statistics& facts) {
  constexpr std::uint64_t longest = 40;
  std::uint64_t most = 1;
  for (const auto& c : facts.widths) most = std::max(most, c.operations);
  std::vector<std::vector<std::string>> rows;
  for (const auto& c : facts.widths) {
    const auto share = static_cast<double>(c.operations) / static_cast<double>(most);
    const auto bar = static_cast<std::size_t>(share * longest);
    rows.push_back({plural(static_cast<std::uint64_t>(c.bits), "bit"), std::to_string(c.operations),
                    std::string(std::max<std::size_t>(bar, 1), '#')});
  }
  if (!rows.empty()) out << "  widths      operations by the bits of their type\n";
  append_table(out, rows, 3);
}

/// The operations of the critical path; of a long one its ends.
void append_critical_path(text& out, const alir::program& p,
                          const inspect::alir_statistics& facts) {
  constexpr std::size_t shown = 12;
  const std::vector<std::uint32_t>& path = facts.critical_path;
  out << "  depth       " << plural(facts.depth, "operation") << '\n';
  if (path.empty()) return;
  out << "  critical    ";
  for (std::size_t k = 0; k < path.size(); ++k) {
    const bool is_hidden = path.size() > shown && k >= shown / 2 && k < path.size() - shown / 2;
    if (is_hidden && k != shown / 2) continue;
    out << (k == 0 ? "" : ", ");
    if (is_hidden)
      out << "... " << path.size() - shown << " more ...";
    else
      out << '%' << path[k] << ' ' << alir::info(p.op(path[k]).code).mnemonic;
  }
  out << '\n';
}

void append_costs(text& out, const alir::model& m, const inspect::alir_statistics& facts) {
  out << "  latency     ";
  append_number(out, facts.latency);
  out << "\n  cost        ";
  append_number(out, facts.cost);
  std::vector<inspect::alir_statistics::count> costly;
  for (const auto& c : facts.opcodes)
    if (c.cost != 0) costly.push_back(c);
  std::stable_sort(costly.begin(), costly.end(),
                   [](const auto& a, const auto& b) { return a.cost > b.cost; });
  std::string_view between = ": ";
  for (const auto& c : costly) {
    out << between;
    append_number(out, c.cost);
    out << ' ' << c.name;
    between = ", ";
  }
  out << "\n  cost model  adder_size " << m.adder_size << ", carry_size " << m.carry_size << '\n';
}

}  // namespace

exit_code info_alir(const source& file, const reporting& to) {
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
    write_facts(w, *p, facts, estimated);
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
  out << "\n  widest      " << plural(static_cast<std::uint64_t>(facts.widest), "bit") << '\n';
  append_widths(out, facts);
  append_critical_path(out, *p, facts);
  if (estimated) append_costs(out, m, facts);
  out << "  VM memory   " << vm_memory << " bytes\n";
  return print_result(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
