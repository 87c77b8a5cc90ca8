// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome synthesize`: new networks from the rules that others are built by.

#include "genome/synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <tessera/core/json_write.hpp>

#include "genome.hpp"
#include "genome/columns.hpp"
#include "genome/compare.hpp"
#include "genome/rules.hpp"
#include "genome_output.hpp"
#include "io/random.hpp"
#include "nac.hpp"
#include "nac_values.hpp"
#include "nem.hpp"
#include "tessera/transform/lower.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct synthesize_options {
  genome_inputs in;
  std::string output, signatures, registry, shape;
  nem_options device;
  std::uint64_t seed = 1;
  std::uint32_t count = 1;
  genomics::synthesis_options how;
};

/// All that a graph of a corpus is: two that have the same are the same network.
using graph_key = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;
[[nodiscard]] graph_key key_of(const genomics::corpus::graph& g) {
  graph_key out{{g.kinds.begin(), g.kinds.end()}, {g.firsts.begin(), g.firsts.end()}};
  out.second.insert(out.second.end(), g.all_inputs.begin(), g.all_inputs.end());
  return out;
}

class synthesis {
 public:
  explicit synthesis(const synthesize_options& o)
      : options_(o), to_{o.in.paths.empty() ? o.in.registry : o.in.paths[0], o.in.json} {}

  [[nodiscard]] exit_code run() {
    exit_code code = learn();
    if (code == success) code = take_shape();
    if (code == success && !options_.device.device.empty()) {
      device_ = verify_device(options_.device, to_);
      if (!device_.program) code = device_.failure;
    }
    if (code != success) return code;
    const genomics::synthesizer draw(*library_, how_);
    if (!draw.has_rules())
      return to_.fail(
          diagnose(shown_name(to_.path), "genome_synthesis_rules",
                   "the registry has no transition from an input; `tessera genome rules` "
                   "finds those of networks, --min-probability 0 all of them"),
          bad_input, format::genome_registry);
    if (code = draw_all(draw); code != success) return code;
    find_nearest();
    if (code = write_streams(); code != success) return code;
    if (options_.output == "-") return success;
    const text out = options_.in.json ? as_json() : as_text();
    return print_result(out);
  }

 private:
  struct made {
    std::string name, path;
    genomics::synthesized network;
    std::uint32_t graph = 0;  // in all_
    std::string nearest;
    double distance = 1;
  };

  // ---- the grammar

  [[nodiscard]] exit_code learn() {
    if (options_.in.paths.empty()) return learn_from_registry();
    stream_set set;
    const input_outcome in = read_streams(options_.in, "genome synthesize", {.flat = true}, set);
    if (!in.complete) return in.code;
    set.registry.transitions.clear();
    set.registry.compositions.clear();
    set.registry.structures.clear();
    result<genome::library> flat = genome::verify(std::move(set.registry));
    if (!flat) return fail_made(flat.error(), to_);
    genomics::rule_miner miner(*flat, {.min_probability = -1,
                                       .min_transitions = 0,
                                       .min_compositions = 0,
                                       .min_structures = 0,
                                       .max_exceptions = 0});  // all edges have rules of their own
    for (std::size_t k = 0; k < set.streams.size(); ++k) {
      const result<genome::program> p = genome::verify(std::move(set.streams[k]), *flat);
      if (!p) return fail_made(p.error(), to_);
      miner.add(*p);
      if (const error e = add_graph(all_, set.names[k], *p); e.code != errc::ok)
        return fail_made(e, to_);
      known_.insert(key_of(all_[all_.size() - 1]));
    }
    genome::registry found = flat->registry();
    if (!miner.finish(found)) show_note("the rules are incomplete: their number reached a limit");
    return take_library(std::move(found));
  }
  [[nodiscard]] exit_code learn_from_registry() {
    const loaded in = load_source(to_);
    if (!in) return in.code;
    return with_source(*in.file, to_, "genome synthesize",
                       {.genome_registry = [this](const source& file) {
                         library_outcome read = verify_registry(file, to_);
                         library_ = std::move(read.library);
                         return read.code;
                       }});
  }
  [[nodiscard]] exit_code take_library(genome::registry r) {
    result<genome::library> proven = genome::verify(std::move(r));
    if (!proven) return fail_made(proven.error(), to_);
    library_ = std::make_unique<genome::library>(std::move(*proven));
    return success;
  }
  [[nodiscard]] exit_code take_shape() {
    how_ = options_.how;
    if (how_.min_operations > how_.max_operations)
      return usage_error("genome synthesize", "--min-operations is " +
                                                  std::to_string(how_.min_operations) +
                                                  ", more than --max-operations, " +
                                                  std::to_string(how_.max_operations));
    if (options_.shape.empty()) return success;
    const std::optional<tensor_form> form = parse_form(options_.shape);
    if (!form || form->type != nac::data_type::float32)
      return usage_error("genome synthesize", "--shape is '" + shown_name(options_.shape) +
                                                  "'; expected sizes, such as 1x3x32x32");
    how_.input.assign(form->dims.begin(), form->dims.end());
    return success;
  }

  // ---- networks

  [[nodiscard]] exit_code draw_all(const genomics::synthesizer& draw) {
    const bool is_folder = options_.count > 1 || cli::is_folder(options_.output);
    if (is_folder) {
      std::error_code failed;
      std::filesystem::create_directories(options_.output, failed);
      if (failed)
        return to_.fail(io::failure{io::fault::system, "cannot create the folder", failed.value(),
                                    options_.output});
    }
    std::uint64_t state = options_.seed;
    const std::size_t digits = std::to_string(options_.count).size();
    progress shown(options_.count);
    for (std::uint32_t k = 1; k <= options_.count; ++k) {
      std::string number = std::to_string(k);
      number.insert(0, digits - number.size(), '0');
      made m;
      m.name = "network_" + number;
      m.path = is_folder ? options_.output + "/" + m.name + ".nac" : options_.output;
      std::optional<genomics::synthesized> network = draw(
          io::next_bits(state), [&](const genomics::synthesized& s) { return is_new(m.name, s); });
      if (!network)
        return to_.fail(
            diagnose(shown_name(to_.path), "genome_synthesis_none",
                     "no network within the bounds in " + std::to_string(how_.attempts) +
                         " attempts for number " + number),
            bad_input, format::genome_registry);
      m.network = std::move(*network);
      m.graph = static_cast<std::uint32_t>(all_.size() - 1);
      const result<pool<std::byte>> container = nac::write(m.network.parts);
      if (!container) return fail_made(container.error(), to_);
      const exit_code code = write_result(m.path, {container->data(), container->size()}, to_);
      if (code != success) return code;
      m.network.parts = {};
      made_.push_back(std::move(m));
      shown.advance(1);
    }
    return success;
  }
  /// Keeps its graph, unless there is one like it.
  [[nodiscard]] bool is_new(const std::string& name, const genomics::synthesized& s) {
    const result<pool<std::byte>> written = nac::write(s.parts);
    if (!written) return false;
    const result<nac::model> model = nac::read(bytes(written->data(), written->size()));
    if (!model) return false;
    const result<nac::program> p = nac::verify(*model);
    if (!p || !runs_on_device(*p, s) || add_graph(all_, name, *p).code != errc::ok) return false;
    if (!known_.insert(key_of(all_[all_.size() - 1])).second) {
      all_.drop_last();
      return false;
    }
    return add_graph(own_, name, *p).code == errc::ok;
  }
  [[nodiscard]] bool runs_on_device(const nac::program& p, const genomics::synthesized& s) const {
    if (!device_.program) return true;
    transform::lower_options lowering;
    lowering.shapes = {s.input};
    lowering.types = {s.input_type};
    lowering.effort = 0;
    const nem::program& d = *device_.program;
    return static_cast<bool>(transform::lower(p, d.catalog(), *d.target(), lowering));
  }
  void find_nearest() {
    const auto known = static_cast<std::uint32_t>(all_.size() - made_.size());
    if (known == 0) return;
    for (made& m : made_) {
      std::vector<std::uint32_t> rows(known + 1);
      for (std::uint32_t k = 0; k < known; ++k) rows[k] = k;
      rows[known] = m.graph;
      const genomics::distance_matrix d = genomics::distances(all_, {}, rows);
      for (std::uint32_t k = 0; k < known; ++k)
        if (k == 0 || d(known, k) < m.distance) {
          m.distance = d(known, k);
          m.nearest = all_.name(k);
        }
    }
  }
  [[nodiscard]] exit_code write_streams() {
    if (options_.signatures.empty()) return success;
    result<genomics::signatures> all = genomics::signatures_of(own_);
    if (!all) return fail_made(all.error(), to_);
    stream_set set;
    set.registry = std::move(all->registry);
    set.streams = std::move(all->streams);
    for (const made& m : made_) set.names.push_back(m.name);
    const result<text> streams = write_signatures(set);
    if (!streams) return fail_made(streams.error(), to_);
    const result<text> registry = genome::write_registry(set.registry);
    if (!registry) return fail_made(registry.error(), to_);
    return write_results(
        {{options_.registry, as_bytes(*registry)}, {options_.signatures, as_bytes(*streams)}});
  }

  // ---- results

  [[nodiscard]] static std::string shown_shape(const std::vector<std::int64_t>& s) {
    std::string out;
    for (const std::int64_t d : s) out.append(out.empty() ? "" : "x").append(std::to_string(d));
    return out;
  }
  [[nodiscard]] static std::string shown(double v) {
    return (v < 0 ? "-" : "") + genomics::fixed(std::fabs(v), 3);
  }
  [[nodiscard]] text as_text() const {
    constexpr std::size_t max_rows = 20;
    text out;
    std::vector<std::vector<std::string>> rows{{"network", "input", "operations", "repaired",
                                                "parameters", "MACs", "peak bytes",
                                                "log likelihood", "nearest", "distance"}};
    std::uint64_t operations = 0, repaired = 0, touched = 0;
    double likelihood = 0, distance = 0;
    for (const made& m : made_) {
      const genomics::synthesized& n = m.network;
      operations += n.operations;
      repaired += n.repaired;
      touched += n.repaired != 0 ? 1 : 0;
      likelihood += n.log_likelihood;
      distance += m.distance;
      if (rows.size() > max_rows) continue;
      rows.push_back({m.name, shown_shape(n.input), std::to_string(n.operations),
                      std::to_string(n.repaired), std::to_string(n.parameters),
                      std::to_string(n.macs), std::to_string(n.peak_memory),
                      shown(n.log_likelihood), m.nearest.empty() ? "" : shown_name(m.nearest),
                      m.nearest.empty() ? "" : shown(m.distance)});
    }
    append_table(out, rows, 0b1011111100);
    if (made_.size() > max_rows) out << "  " << made_.size() - max_rows << " more\n";
    const auto count = static_cast<double>(made_.size());
    out << plural(made_.size(), "network") << ", all of them run; " << touched
        << " needed repair, of " << repaired << " of their " << plural(operations, "operation")
        << "; mean log likelihood of an operation " << shown(likelihood / count);
    if (!made_.empty() && !made_[0].nearest.empty())
      out << ", mean distance to the nearest known network " << shown(distance / count);
    out << '\n';
    return out;
  }
  [[nodiscard]] text as_json() const {
    text out;
    json::writer w(out);
    w.begin_object().key("seed").integer(options_.seed).key("networks").begin_array();
    for (const made& m : made_) {
      const genomics::synthesized& n = m.network;
      w.begin_object().key("name").string(m.name).key("file").string(json_name(m.path));
      w.key("input").begin_array();
      for (const std::int64_t d : n.input) w.integer(d);
      w.end().key("operations").integer(n.operations).key("repaired").integer(n.repaired);
      w.key("parameters").integer(n.parameters).key("macs").integer(n.macs);
      w.key("peak_memory").integer(n.peak_memory).key("log_likelihood").number(n.log_likelihood);
      w.key("nearest");
      if (m.nearest.empty())
        w.null();
      else
        w.string(json_name(m.nearest)).key("distance").number(m.distance);
      w.end();
    }
    w.end().end();
    out << '\n';
    return out;
  }

  const synthesize_options& options_;
  reporting to_;
  genomics::synthesis_options how_;
  nem_outcome device_;
  std::unique_ptr<genome::library> library_;
  genomics::corpus all_, own_;
  std::set<graph_key> known_;
  std::vector<made> made_;
};

[[nodiscard]] exit_code synthesize(const synthesize_options& o) {
  if (o.in.paths.empty() && o.in.registry.empty())
    return usage_error("genome synthesize", "FILE or --registry is required");
  if (o.output.empty()) return usage_error("genome synthesize", "--output is required");
  if (o.signatures.empty() != o.registry.empty())
    return usage_error("genome synthesize", "--signatures and --output-registry need each other");
  if (o.output == "-" && (o.count > 1 || o.in.json))
    return usage_error("genome synthesize", "standard output takes one container and nothing else");
  return synthesis(o).run();
}

}  // namespace

void add_genome_synthesize(const command& genome, action& run) {
  const auto o = std::make_shared<synthesize_options>();
  const command verb = genome.verb("synthesize");
  o->in.add_options(verb, true);
  verb.bind("--output", o->output);
  verb.bind("--signatures", o->signatures);
  verb.bind("--output-registry", o->registry);
  verb.bind("--seed", o->seed);
  verb.bind("--count", o->count);
  verb.bind("--shape", o->shape);
  verb.bind("--device", o->device.device);
  verb.bind("--min-operations", o->how.min_operations);
  verb.bind("--max-operations", o->how.max_operations);
  verb.bind("--max-width", o->how.max_width);
  verb.bind("--max-parameters", o->how.max_parameters);
  verb.bind("--max-macs", o->how.max_macs);
  verb.bind("--max-memory", o->how.max_memory);
  verb.callback([o, &run] { run = [o] { return synthesize(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
