// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info` and `graph` for NEM files.

#include <algorithm>
#include <string>
#include <tessera/core/json_write.hpp>
#include <utility>
#include <vector>

#include "nem.hpp"
#include "tessera/inspect/nem/device.hpp"
#include "tessera/inspect/nem/dot.hpp"
#include "tessera/inspect/nem/statistics.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using inspect::nem_memory;
using inspect::nem_statistics;

/// The program of a file; without one, the errors have been reported.
[[nodiscard]] std::optional<nem::program> valid_nem(const source& file, const reporting& to,
                                                    const nem_options& options, exit_code& code) {
  nem_outcome found = verify_nem(file, to, options);
  code = found.program ? success : fail_nem(found, file, to);
  if (!found.note.empty() && !to.as_json) show_note(found.note);
  return std::move(found.program);
}

/// The top-level declarations of the file, without included ones.
[[nodiscard]] std::vector<std::string_view> declared(const nem::model& d, nem::node_kind what) {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next)
    if (d.nodes[i].kind == what) names.push_back(nem::name_of(d, i));
  return names;
}

[[nodiscard]] std::optional<std::int64_t> capacity_of(const nem_memory& m, const nem::device* d) {
  if (d == nullptr || !d->has_topology || m.level == nem::level::ddr) return std::nullopt;
  return m.level == nem::level::l1 ? d->topology.l1_size : d->topology.l2_size;
}

/// The devices that the file declares, and the target of its program.
[[nodiscard]] std::vector<inspect::device_summary> shown_devices(const nem::program& p) {
  std::vector<inspect::device_summary> out;
  const std::vector<std::string_view> names = declared(p.model(), nem::node_kind::device);
  for (const nem::device& d : p.catalog().devices)
    if (&d == p.target() ||
        std::find(names.begin(), names.end(), p.catalog().text_of(d.name)) != names.end())
      out.emplace_back(p.catalog(), d);
  return out;
}

void append_device(text& out, const inspect::device_summary& d) {
  out << "\ndevice " << d.name;
  std::string_view between = " extends ";
  for (const std::string_view a : d.ancestors) out << std::exchange(between, ", ") << a;
  out << "\n  version     " << d.spec_version << '\n';
  if (d.has_topology) {
    const nem::topology& t = d.topology;
    out << "  topology    of " << d.topology_from << "\n  engines     " << t.engines
        << "\n  L2          " << t.l2_size << " bytes\n  L1          " << t.l1_size
        << " bytes for each engine\n";
    for (const bool per_engine : {true, false}) {
      out << (per_engine ? "  an engine   " : "  shared      ");
      between = "";
      for (std::size_t u = 0; u < nem::unit_count; ++u)
        if (nem::is_per_engine(static_cast<nem::unit>(u)) == per_engine)
          out << std::exchange(between, ", ") << t.units[u] << ' ' << nem::unit_names[u];
      out << '\n';
    }
  } else {
    out << "  topology    none: no program can run on it, only other devices can extend it\n";
  }
  for (const inspect::device_summary::number& n : d.numbers)
    out << "  " << name(n.unit) << '.' << shown_text(n.key) << " = " << n.value << " (" << n.from
        << ")\n";
  std::vector<std::vector<std::string>> rows = {{"variant", "list", "from"}};
  for (const inspect::device_summary::variant& v : d.variants)
    rows.push_back({v.reference, v.is_mandatory ? "mandatory" : "extended", std::string(v.from)});
  append_table(out, rows, 0);
  for (std::size_t i = 0; i < d.variants.size(); ++i) {
    const std::string_view family = d.variants[i].family;
    if (i != 0 && d.variants[i - 1].family == family) continue;
    const std::string opcodes = inspect::opcodes_of(family);
    if (!opcodes.empty()) out << "  " << family << " is for " << opcodes << '\n';
  }
}

void write_device(json::writer& w, const inspect::device_summary& d) {
  w.begin_object().key("device").string(d.name).key("spec_version").string(d.spec_version);
  w.key("ancestors").begin_array();
  for (const std::string_view a : d.ancestors) w.string(a);
  w.end().key("topology");
  if (d.has_topology) {
    const nem::topology& t = d.topology;
    w.begin_object().key("from").string(d.topology_from).key("num_engines").integer(t.engines);
    w.key("l2_size_bytes").integer(t.l2_size).key("l1_size_bytes").integer(t.l1_size);
    w.key("units").begin_object();
    for (std::size_t u = 0; u < nem::unit_count; ++u) w.key(nem::unit_names[u]).integer(t.units[u]);
    w.end().end();
  } else {
    w.null();
  }
  w.key("unit_characteristics").begin_array();
  for (const inspect::device_summary::number& n : d.numbers)
    w.begin_object()
        .key("unit")
        .string(name(n.unit))
        .key("key")
        .string(n.key)
        .key("value")
        .integer(n.value)
        .key("from")
        .string(n.from)
        .end();
  w.end().key("variants").begin_array();
  for (const inspect::device_summary::variant& v : d.variants)
    w.begin_object()
        .key("variant")
        .string(v.reference)
        .key("family")
        .string(v.family)
        .key("list")
        .string(v.is_mandatory ? "mandatory" : "extended")
        .key("from")
        .string(v.from)
        .end();
  w.end().end();
}

constexpr nem::level levels[] = {nem::level::ddr, nem::level::l2, nem::level::l1};
[[nodiscard]] std::uint64_t moved(const nem_statistics& s, nem::level from, nem::level to) {
  return s.moved[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

[[nodiscard]] text as_json(const source& file, const reporting& to, const nem::program& p,
                           const nem_statistics& s) {
  text out;
  json::writer w(out);
  w.begin_object().key("file").string(json_name(to.path)).key("format").string("nem");
  w.key("bytes").integer(file.data().size()).key("device");
  if (p.target() != nullptr)
    w.string(p.catalog().text_of(p.target()->name));
  else
    w.null();
  for (const auto& [key, what] : {std::pair("devices", nem::node_kind::device),
                                  {"type_families", nem::node_kind::type_family}}) {
    w.key(key).begin_array();
    for (const std::string_view name : declared(p.model(), what)) w.string(name);
    w.end();
  }
  w.key("tasks").integer(s.tasks).key("opcodes").begin_object();
  for (std::size_t i = 0; i < nem::opcode_count; ++i)
    if (s.opcodes[i] != 0) w.key(nem::opcode_table[i].name).integer(s.opcodes[i]);
  w.end().key("waits").integer(s.waits).key("iterations").integer(s.iterations);
  w.key("partial").boolean(s.is_partial || !p.has_all_hazards()).key("macs").integer(s.macs);
  w.key("moved").begin_array();
  for (const nem::level from : levels)
    for (const nem::level there : levels)
      if (const std::uint64_t n = moved(s, from, there); n != 0)
        w.begin_object()
            .key("from")
            .string(name(from))
            .key("to")
            .string(name(there))
            .key("bytes")
            .integer(n)
            .end();
  w.end().key("memories").begin_array();
  for (const nem_memory& m : s.memories) {
    w.begin_object()
        .key("memory")
        .string(inspect::memory_name(m.level, m.engine))
        .key("buffers")
        .integer(m.buffers);
    w.key("declared").integer(m.declared).key("peak").integer(m.peak).key("capacity");
    if (const auto capacity = capacity_of(m, p.target()))
      w.integer(*capacity);
    else
      w.null();
    w.end();
  }
  w.end().key("buffers").begin_array();
  for (const inspect::buffer_address& b : inspect::address_map(p))
    w.begin_object()
        .key("buffer")
        .string(b.name)
        .key("memory")
        .string(inspect::memory_name(b.level, b.engine))
        .key("address")
        .integer(b.address)
        .key("bytes")
        .integer(b.size)
        .key("alignment")
        .integer(b.alignment)
        .end();
  w.end().key("tokens_live").integer(p.max_live_tokens());
  write_checked(w, p);
  if (const std::vector<inspect::device_summary> devices = shown_devices(p); !devices.empty()) {
    w.key("resolved").begin_array();
    for (const inspect::device_summary& d : devices) write_device(w, d);
    w.end();
  }
  w.end();
  out << '\n';
  return out;
}

/// What of a program with large loops was checked, and how.
void append_checked(text& out, const nem::program& p) {
  const auto counts = [&](std::uint64_t tasks, std::uint64_t iterations) {
    out << tasks << (tasks == 1 ? " task" : " tasks") << " and " << iterations
        << (iterations == 1 ? " iteration" : " iterations");
  };
  if (p.is_partial() || p.proven_iterations() != 0) {
    out << "\n  checked     ";
    counts(p.tasks(), p.iterations());
    if (p.is_partial()) out << ", not the rest";
  }
  if (p.proven_iterations() != 0) {
    out << "\n  proven      ";
    counts(p.proven_tasks(), p.proven_iterations());
    out << " more";
  }
  if (!p.is_partial() && !p.has_all_hazards())
    out << "\n  checked     all rules; the search for hazards is incomplete";
}

}  // namespace

void append_address_map(text& to, const nem::program& p) {
  std::vector<std::vector<std::string>> rows = {
      {"buffer", "memory", "address", "bytes", "alignment"}};
  for (const inspect::buffer_address& b : inspect::address_map(p))
    rows.push_back({std::string(b.name), inspect::memory_name(b.level, b.engine),
                    std::to_string(b.address), std::to_string(b.size),
                    std::to_string(b.alignment)});
  append_table(to, rows, 0b11100);
}

exit_code info_nem(const source& file, const reporting& to, const nem_options& options) {
  exit_code code = success;
  const std::optional<nem::program> p = valid_nem(file, to, options, code);
  if (!p) return code;
  const nem_statistics s = inspect::summarise(*p);
  if (to.as_json) {
    const text report = as_json(file, to, *p, s);
    return print_result(report);
  }
  text out;
  out << file.name << ": " << info(file.what).description << ", " << file.data().size()
      << " bytes\n";
  const auto list = [&out](std::string_view title, const std::vector<std::string_view>& names) {
    if (names.empty()) return;
    out << title;
    std::string_view between = "";
    for (const std::string_view name : names) out << std::exchange(between, ", ") << name;
    out << '\n';
  };
  list("  devices     ", declared(p->model(), nem::node_kind::device));
  list("  families    ", declared(p->model(), nem::node_kind::type_family));
  const auto append_devices = [&] {
    for (const inspect::device_summary& d : shown_devices(*p)) append_device(out, d);
  };
  if (is_configuration(p->model())) {
    append_devices();
    return print_result(out);
  }
  out << "  target      "
      << (p->target() != nullptr ? p->catalog().text_of(p->target()->name)
                                 : std::string_view("none; checked without a device"))
      << '\n';
  out << "  tasks       " << (s.is_partial ? "more than " : "") << s.tasks;
  std::string_view between = ": ";
  for (std::size_t i = 0; i < nem::opcode_count; ++i)
    if (s.opcodes[i] != 0)
      out << std::exchange(between, ", ") << s.opcodes[i] << ' ' << nem::opcode_table[i].name;
  append_checked(out, *p);
  const std::string_view at_least = s.is_partial ? "at least " : "";
  out << "\n  waits       " << at_least << s.waits << "\n  iterations  " << at_least
      << s.iterations;
  out << "\n  MACs        " << at_least << s.macs << '\n';
  for (const nem::level from : levels)
    for (const nem::level there : levels)
      if (const std::uint64_t n = moved(s, from, there); n != 0)
        out << "  moved       " << at_least << n << " bytes from " << name(from) << " to "
            << name(there) << '\n';
  for (const nem_memory& m : s.memories) {
    std::string title = "  " + inspect::memory_name(m.level, m.engine);
    title.resize(14, ' ');
    out << title << m.declared << " bytes in " << m.buffers
        << (m.buffers == 1 ? " buffer" : " buffers") << ", peak " << at_least << m.peak;
    if (const auto capacity = capacity_of(m, p->target())) out << ", capacity " << *capacity;
    out << '\n';
  }
  out << "  tokens      "
      << "peak " << p->max_live_tokens() << " live"
      << (p->is_partial() ? " in the checked part" : "");
  if (p->target() != nullptr)
    if (const std::int64_t max =
            p->catalog().characteristic(*p->target(), nem::unit::seq, "max_active_tokens", 0);
        max > 0)
      out << ", maximum " << max;
  out << '\n';
  if (options.all) append_address_map(out, *p);
  append_devices();
  return print_result(out);
}

exit_code graph_nem(const source& file, const reporting& to, const picture_output& output,
                    const nem_graph_options& options) {
  exit_code code = success;
  const std::optional<nem::program> p = valid_nem(file, to, options.nem, code);
  if (!p) return code;
  inspect::task_draw_options drawing;
  drawing.expand = options.expand;
  return output.write(inspect::draw(*p, drawing));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
