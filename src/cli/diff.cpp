// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera diff`: the differences between two files, whatever their ids and layout.

#include "tessera/inspect/ark/diff.hpp"

#include <memory>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>

#include "alir.hpp"
#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "tessera/inspect/ark/describe.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string before, after, registry;
  bool json = false, quiet = false, no_views = false, no_weights = false;
};

/// The node id of each operation.
[[nodiscard]] std::vector<std::int64_t> node_ids(const ark::model& g) {
  std::vector<std::int64_t> out(g.ops.size());
  for (const ark::node& n : g.nodes)
    for (std::uint32_t i = 0; i < n.ops.count; ++i) out[n.ops.first + i] = n.id;
  return out;
}

class report {
 public:
  report(const options& o, const ark::model& before, const ark::model& after)
      : options_(o),
        before_(before),
        after_(after),
        nodes_before_(node_ids(before)),
        nodes_after_(node_ids(after)),
        found_(inspect::diff(before, after, {.views = !o.no_views})) {}

  [[nodiscard]] exit_code print() const {
    const exit_code verdict = found_.same() ? success : bad_input;
    if (options_.quiet) return verdict;
    const text out = options_.json ? as_json() : as_text();
    return print_result(out, verdict);
  }

 private:
  [[nodiscard]] static std::string makes(const ark::model& g, std::uint32_t op) {
    const ark::op& o = g.ops[op];
    std::string out;
    for (const std::uint32_t t : results(g, o).empty() ? writes(g, o) : results(g, o))
      out.append(out.empty() ? "" : ", ").append(inspect::text_of_tensor(g, t));
    const std::string arguments = inspect::text_of_arguments(g, o);
    if (!arguments.empty()) out.append(out.empty() ? "" : ", ").append(arguments);
    return out;
  }

  [[nodiscard]] text as_text() const {
    text out;
    if (found_.same()) {
      out << "identical: " << plural(found_.unchanged, "operation") << '\n';
      return out;
    }
    for (const inspect::difference& d : found_.model)
      out << "~ " << d.what << ": " << shown_text(d.before) << " -> " << shown_text(d.after)
          << '\n';
    for (const inspect::op_difference& d : found_.ops) {
      const bool added = d.before == ark::none;
      const std::uint32_t op = added ? d.after : d.before;
      const ark::model& g = added ? after_ : before_;
      out << (added                  ? '+'
              : d.after == ark::none ? '-'
                                     : '~')
          << ' ' << inspect::text_of_op(g, g.ops[op]) << ", node "
          << (added ? nodes_after_ : nodes_before_)[op];
      if (!added && d.after != ark::none) {
        if (nodes_before_[op] != nodes_after_[d.after]) out << " -> " << nodes_after_[d.after];
        out << '\n';
      } else {
        out << ": " << makes(g, op) << '\n';
      }
      for (const inspect::difference& p : d.parts)
        out << "    " << shown_text(p.what) << ": "
            << (p.before.empty() ? "nothing" : shown_text(p.before)) << " -> "
            << (p.after.empty() ? "nothing" : shown_text(p.after)) << '\n';
    }
    out << found_.changed << " changed, " << found_.added << " added, " << found_.removed
        << " removed, " << found_.unchanged << " unchanged\n";
    return out;
  }

  static void write_op(json::writer& w, const ark::model& g, std::uint32_t op,
                       const std::vector<std::int64_t>& nodes) {
    if (op == ark::none) {
      w.null();
      return;
    }
    const ark::op& o = g.ops[op];
    w.begin_object().key("node").integer(nodes[op]).key("type").string(type_name(g, o));
    w.key("name").string(name(g, o)).key("makes").string(makes(g, op)).end();
  }

  [[nodiscard]] text as_json() const {
    text out;
    json::writer w(out);
    w.begin_object().key("before").string(json_name(options_.before));
    w.key("after").string(json_name(options_.after)).key("format").string("ark");
    w.key("same").boolean(found_.same()).key("changed").integer(found_.changed);
    w.key("added").integer(found_.added).key("removed").integer(found_.removed);
    w.key("unchanged").integer(found_.unchanged).key("model");
    write_differences(w, found_.model);
    w.key("operations").begin_array();
    for (const inspect::op_difference& d : found_.ops) {
      w.begin_object().key("kind").string(d.before == ark::none  ? "added"
                                          : d.after == ark::none ? "removed"
                                                                 : "changed");
      w.key("before");
      write_op(w, before_, d.before, nodes_before_);
      w.key("after");
      write_op(w, after_, d.after, nodes_after_);
      w.key("parts");
      write_differences(w, d.parts);
      w.end();
    }
    w.end().end();
    out << '\n';
    return out;
  }

  const options& options_;
  const ark::model& before_;
  const ark::model& after_;
  std::vector<std::int64_t> nodes_before_, nodes_after_;
  inspect::graph_difference found_;
};

[[nodiscard]] exit_code diff_models(const options& o, const source& a, const source& b,
                                    const reporting& before, const reporting& after) {
  const read_outcome first = read_ark(a, before);
  if (!first.graph) return first.code;
  const read_outcome second = read_ark(b, after);
  if (!second.graph) return second.code;
  return report(o, *first.graph, *second.graph).print();
}

[[nodiscard]] exit_code diff_files(const options& o) {
  if (o.before == "-" && o.after == "-")
    return usage_error("diff", "standard input can be read only once");
  const reporting before{o.before, o.json}, after{o.after, o.json};
  const loaded a = load_source(before, streams_of(o.registry));
  if (!a) return a.code;
  const auto streams = [&](const source& first) {
    const loaded b = load_source(after, streams_of(o.registry));
    if (!b) return b.code;
    const format f = b.file->what;
    if (f != format::genome_stream && f != format::genome_binary && f != format::genome_signatures)
      return wrong_format(*b.file, after, "diff with a stream", "NAC v1.2 streams");
    return diff_streams(first, *b.file, before, after, o.registry, o.quiet);
  };
  const auto with_second = [&](std::string_view one, std::string_view kind, const auto& act) {
    const loaded b = load_source(after);
    if (!b) return b.code;
    if (b.file->what != a.file->what)
      return wrong_format(*b.file, after, "diff with " + std::string(one), kind);
    return act(*b.file);
  };
  return with_source(
      *a.file, before, "diff",
      {.alir =
           [&](const source& first) {
             const loaded b = load_source(after);
             if (!b) return b.code;
             const bool is_alir =
                 b.file->what == format::alir_json || b.file->what == format::alir_bytecode;
             if (!is_alir)
               return wrong_format(*b.file, after, "diff with an ALIR program", "ALIR programs");
             return diff_alir(first, *b.file, before, after, o.quiet);
           },
       .ark_model =
           [&](const source& first) {
             return with_second("an ARK model", "ARK models", [&](const source& second) {
               return diff_models(o, first, second, before, after);
             });
           },
       .nac =
           [&](const source& first) {
             return with_second("a NAC container", "NAC containers", [&](const source& second) {
               return diff_nac(first, second, before, after, {o.json, o.quiet, o.no_weights});
             });
           },
       .nem =
           [&](const source& first) {
             return with_second("NEM text", "NEM files", [&](const source& second) {
               return diff_nem(first, second, before, after, o.quiet);
             });
           },
       .genome_stream = streams,
       .genome_signatures = streams});
}

}  // namespace

void add_diff(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("diff");
  verb.bind("BEFORE", o->before);
  verb.bind("AFTER", o->after);
  verb.bind("--json", o->json);
  verb.bind("--no-views", o->no_views);
  verb.bind("--no-weights", o->no_weights);
  add_genome_options(verb, o->registry);
  verb.bind("--quiet", o->quiet);
  verb.callback([o, &run] { run = [o] { return diff_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
