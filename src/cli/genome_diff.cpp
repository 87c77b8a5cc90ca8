// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera diff` for streams of NAC v1.2.

#include <algorithm>
#include <map>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "genome.hpp"
#include "genome/difference.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

using genomics::graph_difference;
using genomics::node_difference;

/// The streams of a file, all in one corpus.
struct stream_file {
  std::map<std::string, std::size_t> graphs = {};  ///< by name; empty for the stream of a file
  exit_code code = success;
};
[[nodiscard]] stream_file read_all(const source& file, const reporting& to,
                                   const std::string& registry, genomics::corpus& all) {
  stream_file out;
  libraries registries(registry);
  const genome::library* const library = registries.of(to, out.code);
  if (library == nullptr) return out;
  out.code = each_stream(file, to, [&](const stored_stream& s) {
    const program_outcome in = verify_stream(s, *library, to);
    if (!in.program) return in.code;
    const error e = add_graph(all, s.name, *in.program, {.parameter_names = true});
    if (e.code != errc::ok)
      return to.fail(s.diagnose_stream(e, in.program->stream()), bad_input, file.what);
    out.graphs.emplace(s.name, all.size() - 1);
    return success;
  });
  return out;
}

/// What differs between two streams; one of them may be missing.
struct stream_difference {
  std::string name;
  std::size_t before = 0, after = 0;
  bool in_before = true, in_after = true;
  graph_difference found = {};

  [[nodiscard]] bool same() const noexcept { return in_before && in_after && found.same(); }
};

[[nodiscard]] std::vector<stream_difference> compare_all(const genomics::corpus& all,
                                                         const stream_file& a,
                                                         const stream_file& b) {
  std::vector<stream_difference> out;
  for (const auto& [name, graph] : a.graphs) {
    const auto at = b.graphs.find(name);
    stream_difference d{name, graph, 0, true, at != b.graphs.end()};
    if (d.in_after) {
      d.after = at->second;
      d.found = difference(all, d.before, d.after);
    }
    out.push_back(std::move(d));
  }
  for (const auto& [name, graph] : b.graphs)
    if (a.graphs.count(name) == 0) out.push_back({name, 0, graph, false, true});
  return out;
}

/// "operation, inputs".
[[nodiscard]] std::string parts_of(const node_difference& n) {
  std::string out;
  const auto put = [&out](bool is, std::string_view what) {
    if (is) out.append(out.empty() ? "" : ", ").append(what);
  };
  put(n.operation, "operation");
  put(n.variation, "order of arguments");
  put(n.constants, "constants");
  put(n.inputs, "inputs");
  return out;
}

void put_difference(text& out, const genomics::corpus& all, const stream_difference& d) {
  if (!d.name.empty() && !d.same()) out << shown_name(d.name) << ":\n";
  if (!d.in_before || !d.in_after) {
    out << (d.in_before ? "- the stream\n" : "+ the stream\n");
    return;
  }
  for (const node_difference& n : d.found.nodes) {
    const bool added = n.before == node_difference::none,
               removed = n.after == node_difference::none;
    out << (added ? "+ %" : removed ? "- %" : "~ %") << (added ? n.after : n.before);
    if (!added && !removed && n.before != n.after) out << " -> %" << n.after;
    out << " = "
        << shown_text(added ? node_text(all, d.after, n.after) : node_text(all, d.before, n.before))
        << '\n';
    if (added || removed) continue;
    out << "    " << parts_of(n) << ": " << shown_text(node_text(all, d.after, n.after)) << '\n';
  }
}

[[nodiscard]] graph_difference total_of(const std::vector<stream_difference>& all) {
  graph_difference out;
  for (const stream_difference& d : all) {
    out.changed += d.found.changed;
    out.added += d.found.added;
    out.removed += d.found.removed;
    out.unchanged += d.found.unchanged;
  }
  return out;
}

[[nodiscard]] text difference_text(const genomics::corpus& all,
                                   const std::vector<stream_difference>& found, bool same) {
  text out;
  const graph_difference total = total_of(found);
  if (same) {
    out << "identical: " << plural(total.unchanged, "node") << '\n';
    return out;
  }
  for (const stream_difference& d : found) put_difference(out, all, d);
  out << total.changed << " changed, " << total.added << " added, " << total.removed << " removed, "
      << total.unchanged << " unchanged\n";
  return out;
}

[[nodiscard]] text difference_json(const genomics::corpus& all,
                                   const std::vector<stream_difference>& found, bool same,
                                   const reporting& before, const reporting& after) {
  text out;
  json::writer w(out);
  const graph_difference total = total_of(found);
  w.begin_object().key("before").string(json_name(before.path));
  w.key("after").string(json_name(after.path)).key("format").string("genome");
  w.key("same").boolean(same).key("changed").integer(total.changed);
  w.key("added").integer(total.added).key("removed").integer(total.removed);
  w.key("unchanged").integer(total.unchanged).key("streams").begin_array();
  const auto node = [&](std::string_view key, std::size_t graph, std::uint32_t n) {
    w.key(key);
    if (n == node_difference::none)
      w.null();
    else
      w.begin_object().key("node").integer(n).key("text").string(node_text(all, graph, n)).end();
  };
  for (const stream_difference& d : found) {
    if (d.same()) continue;
    w.begin_object().key("name").string(json_name(d.name));
    w.key("in_before").boolean(d.in_before).key("in_after").boolean(d.in_after);
    w.key("nodes").begin_array();
    for (const node_difference& n : d.found.nodes) {
      w.begin_object();
      node("before", d.before, n.before);
      node("after", d.after, n.after);
      w.end();
    }
    w.end().end();
  }
  w.end().end();
  out << '\n';
  return out;
}

}  // namespace

exit_code diff_streams(const source& a, const source& b, const reporting& before,
                       const reporting& after, const std::string& registry, bool quiet) {
  genomics::corpus all;
  const stream_file first = read_all(a, before, registry, all);
  if (first.code != success) return first.code;
  const stream_file second = read_all(b, after, registry, all);
  if (second.code != success) return second.code;
  const std::vector<stream_difference> found = compare_all(all, first, second);
  const bool same =
      std::all_of(found.begin(), found.end(), [](const stream_difference& d) { return d.same(); });
  const exit_code verdict = same ? success : bad_input;
  if (quiet) return verdict;
  const text out = before.as_json ? difference_json(all, found, same, before, after)
                                  : difference_text(all, found, same);
  return print_result(out, verdict);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
