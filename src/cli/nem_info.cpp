// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera info` and `graph` for NEM files.

#include <string>
#include <tessera/core/json_write.hpp>
#include <utility>
#include <vector>

#include "nem.hpp"
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
  code = found.program ? success : to.fail(found.found, file.what);
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
  w.end().key("tokens_live").integer(p.max_live_tokens()).end();
  out << '\n';
  return out;
}

}  // namespace

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
  out << "  target      "
      << (p->target() != nullptr ? p->catalog().text_of(p->target()->name)
                                 : std::string_view("none; checked without a device"))
      << '\n';
  out << "  tasks       " << (s.is_partial ? "more than " : "") << s.tasks;
  std::string_view between = ": ";
  for (std::size_t i = 0; i < nem::opcode_count; ++i)
    if (s.opcodes[i] != 0)
      out << std::exchange(between, ", ") << s.opcodes[i] << ' ' << nem::opcode_table[i].name;
  if (p->is_partial())
    out << "\n  checked     " << p->tasks() << (p->tasks() == 1 ? " task" : " tasks") << " and "
        << p->iterations() << (p->iterations() == 1 ? " iteration" : " iterations")
        << ", not the rest";
  else if (!p->has_all_hazards())
    out << "\n  checked     all rules; the search for hazards is incomplete";
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
