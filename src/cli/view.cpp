// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera view`: a page for a browser that shows a file.

#include "tessera/inspect/page_of.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "ark.hpp"
#include "genome.hpp"
#include "genome/page.hpp"
#include "nac.hpp"
#include "nac_values.hpp"
#include "nem.hpp"
#include "pt2.hpp"
#include "run.hpp"
#include "tessera/inspect/nem/timeline_trace.hpp"
#include "tessera/transform/import.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct view_verb_options {
  file_list files;
  std::string output = "-", program;
  bool no_weights = false;
  run_options run;
  nem_options nem;
  genome_inputs networks;
  comparison_options genes;
};

/// The events of a trace, the first of them if they are many. One event is in a line.
void add_trace(inspect::page& to, std::string_view trace) {
  std::size_t events = 0, kept = 0;
  for (std::size_t first = 0; first < trace.size();) {
    const std::size_t end = std::min(trace.find('\n', first), trace.size() - 1) + 1;
    const std::string_view line = trace.substr(first, end - first);
    first = end;
    const bool is_event = line.starts_with("{\"ph\":\"X\"") || line.starts_with("{\"ph\":\"C\"");
    events += is_event ? 1 : 0;
    if (is_event && ++kept > inspect::page::max_events) continue;
    to.trace << line;
  }
  if (events > inspect::page::max_events)
    to.trace_note = "The first " + std::to_string(inspect::page::max_events) + " of " +
                    std::to_string(events) + " events.";
}

class viewing {
 public:
  explicit viewing(const view_verb_options& o) : o_(o) {}

  [[nodiscard]] exit_code run() {
    if (o_.files.is_wrong("view")) return wrong_usage;
    const std::vector<std::string>& paths = o_.files.paths;
    if (std::any_of(paths.begin(), paths.end(), is_folder)) return corpus(nullptr);
    for (const std::string& path : paths) {
      const reporting to{path};
      const loaded& in = loads_.emplace_back(load_source(to, streams_of(o_.networks.registry)));
      if (!in) return in.code;
      if (loads_.size() == 1 && is_corpus(*in.file)) return corpus(&*in.file);
      if (const exit_code code = add(*in.file, to); code != success) return code;
    }
    if (!ranks_.empty() && !plans_.empty()) return mixed(loads_.back().file->what);
    if (!ranks_.empty() || !plans_.empty()) show_ranks();
    const std::size_t ranks = ranks_.size() + plans_.size();
    if (paths.size() == 2 && !is_difference_ && ranks != 2) return mixed(loads_.back().file->what);
    page_.title = o_.files.paths.size() == 1 ? name_
                  : is_difference_           ? name_ + " and " + loads_.back().file->name
                                             : name_ + " and other ranks";
    return write();
  }

 private:
  template <class T>
  [[nodiscard]] static std::vector<const T*> all(const std::list<T>& of) {
    std::vector<const T*> out;
    for (const T& one : of) out.push_back(&one);
    return out;
  }
  /// Two of the same rank are a model and what became of it.
  void show_ranks() {
    if (ranks_.size() == 2)
      is_difference_ = ranks_.front().rank == ranks_.back().rank;
    else if (plans_.size() == 2)
      is_difference_ = plans_.front().parts.rank == plans_.back().parts.rank;
    if (!ranks_.empty())
      page_ = is_difference_ ? inspect::page_of_difference(ranks_.front(), ranks_.back())
                             : inspect::page_of(std::span<const ark::model* const>(all(ranks_)));
    else
      page_ = is_difference_ ? inspect::page_of_difference(plans_.front(), plans_.back())
                             : inspect::page_of(std::span<const ark::plan* const>(all(plans_)));
    const text made = std::exchange(page_.trace, {});
    add_trace(page_, made);
  }

  [[nodiscard]] exit_code write() {
    std::vector<inspect::page::row> files{{is_difference_ ? "before" : "file", name_}};
    if (is_difference_) files.push_back({"after", loads_.back().file->name});
    files.push_back({"format", format_});
    page_.facts.insert(page_.facts.begin(), files.begin(), files.end());
    const text drawn = inspect::html(page_);
    const exit_code code = write_report(o_.output, drawn);
    return code != success ? code : verdict_;
  }

  /// Whether a file is a network of a corpus, by itself or with the others.
  [[nodiscard]] bool is_corpus(const source& first) const {
    const bool is_stream = first.what == format::genome_stream ||
                           first.what == format::genome_signatures ||
                           first.what == format::genome_binary;
    return is_stream || (first.what == format::nac && o_.files.paths.size() > 2);
  }
  [[nodiscard]] exit_code corpus(const source* first) {
    genome_inputs in = o_.networks;
    in.paths = o_.files.paths;
    in.program = o_.program;
    in.first = first;
    const comparison found = compare(in, o_.genes, "view", true);
    if (!found.in.complete) return found.in.code;
    page_ = genomics::page_of(found.all, found.found, found.of,
                              genomics::neighbour_joining(found.distances, shown_progress()));
    name_ = shown_name(in.paths[0]);
    page_.title = in.paths.size() == 1 ? name_ : name_ + " and others";
    format_ = "networks";
    return finish(found.in, write());
  }

  [[nodiscard]] exit_code add(const source& in, const reporting& to) {
    const auto single = [&](exit_code (viewing::*act)(const source&, const reporting&)) {
      return [this, &to, act](const source& file) {
        const std::size_t most = file.what == format::nac || file.what == format::nem ? 2 : 1;
        return o_.files.paths.size() > most ? mixed(file.what) : (this->*act)(file, to);
      };
    };
    const auto genome = [](const source& other) { return mixed(other.what); };
    if (name_.empty()) {
      name_ = in.name;
      format_ = info(in.what).description;
    }
    return with_source(in, to, "view",
                       {.alir = single(&viewing::alir),
                        .ark_model = [&](const source& file) { return ark(file, to); },
                        .ark_plan =
                            [&](const source& file) {
                              plan_outcome read = verify_plan(file, to);
                              if (read.plan) plans_.push_back(std::move(*read.plan));
                              return read.code;
                            },
                        .nac = single(&viewing::nac),
                        .nem = single(&viewing::nem),
                        .genome_stream = genome,
                        .genome_signatures = genome,
                        .pt2 = single(&viewing::pt2)});
  }

  [[nodiscard]] static exit_code mixed(format f) {
    return usage_error(
        "view",
        "several files must be the ranks of an ARK model, two files of one format to compare, or "
        "networks of a corpus; this is " +
            std::string(info(f).article) + std::string(info(f).description));
  }

  exit_code ark(const source& file, const reporting& to) {
    read_outcome read = read_ark(file, to);
    if (read.graph) ranks_.push_back(std::move(*read.graph));
    return read.code;
  }

  exit_code alir(const source& file, const reporting& to) {
    const result<alir::model> m = read_alir(file);
    if (!m) return to.fail(m.error(), file);
    page_ = inspect::page_of(*m);
    return success;
  }

  exit_code nac(const source& file, const reporting& to) {
    const nac_outcome in = read_nac_for_lookup(file, to);
    if (!in.file) return in.code;
    if (o_.files.paths.size() == 2) return difference(*in.file);
    std::vector<std::string> shapes;
    text trace;
    if (o_.run.nac.any() || !o_.run.inputs.empty() || o_.run.seed) {
      if (const exit_code code = measure_shapes(o_.run, file, to, shapes); code != success)
        return code;
      if (const exit_code code = record_nac(o_.run, file, trace); code != success) return code;
    }
    return show(*in.file, shapes, trace);
  }
  /// Of the first container nothing but what differs in the second one is shown.
  exit_code difference(const nac::model& m) {
    is_difference_ = before_.has_value();
    if (is_difference_)
      page_ = inspect::page_of_difference(inspect::lookup(*before_), inspect::lookup(m),
                                          {.weights = !o_.no_weights});
    else
      before_ = m;
    return success;
  }
  exit_code show(const nac::model& m, std::span<const std::string> shapes, const text& trace) {
    const inspect::lookup at(m);
    page_ = inspect::page_of(at, {.shapes = shapes, .weights = !o_.no_weights});
    add_trace(page_, trace);
    return success;
  }

  exit_code pt2(const source& file, const reporting& to) {
    pt2_outcome in = read_pt2(file, to, o_.program);
    if (!in.model) return in.code;
    tessera::report found;
    const result<pt2::program> program = pt2::verify(std::move(*in.model), {}, &found);
    if (!program) return fail_findings(found, file, to);
    tessera::report refused;
    const result<transform::imported> made = transform::import(*program, {}, &refused);
    if (!made && refused.errors != 0) return fail_findings(refused, file, to);
    if (!made) return to.fail(made.error(), file);
    const result<pool<std::byte>> container = nac::write(made->parts);
    if (!container) return to.fail(container.error(), file);
    const result<nac::model> m = nac::read({container->data(), container->size()});
    if (!m) return to.fail(m.error(), file);
    return show(*m, {}, {});
  }

  exit_code nem(const source& file, const reporting& to) {
    if (o_.files.paths.size() == 1) return nem_page(file, to);
    nem_document in = read_nem(file, to);
    if (!in.document) return in.code;
    if (!before_program_) {
      before_program_ = std::move(in.document);
      return success;
    }
    // Lines are compared in canonical layout.
    const text formatted = nem::reformat(*in.document, file.characters());
    formatted_ = {file.name, {}, file.what};
    if (!formatted_.content.reserve(formatted.size()))
      return to.fail(diagnose(file.name, "budget_memory", "not enough memory for the text"),
                     io_error, file.what);
    std::memcpy(formatted_.content.end(), formatted.data(), formatted.size());
    formatted_.content.advance(formatted.size());
    is_difference_ = true;
    return nem_page(formatted_, to);
  }
  /// A program with errors has a page that shows them, but no graph and no timeline.
  exit_code nem_page(const source& file, const reporting& to) {
    const nem_outcome found = verify_nem(file, to, o_.nem);
    const nem::program* const p = found.program ? &*found.program : nullptr;
    if (p == nullptr && found.report.diagnostics.empty())
      return report_nem(found, file, to, o_.nem);
    page_ =
        p == nullptr || !is_difference_
            ? inspect::page_of(p, file.characters(), &found.report)
            : inspect::page_of_difference(*before_program_, *p, file.characters(), &found.report);
    if (p == nullptr) {
      verdict_ = found.failure;
      return success;
    }
    if (is_configuration(p->model())) return success;
    vm::nem::machine_options how;
    how.keep_going = true;
    vm::nem::machine machine(*p, how);
    for (const vm::nem::place& b : machine.buffers()) machine.mark_bound(b);
    inspect::timeline_recorder seen(*p, file.characters());
    vm::nem::timeline when(*p, {}, seen);
    tessera::report ignored;
    const vm::nem::outcome done = machine.run(&ignored, &when, budget_of(o_.run));
    if (done.code == errc::ok) {
      text trace;
      seen.append_trace(trace, when.report());
      add_trace(page_, trace);
    }
    return success;
  }

  const view_verb_options& o_;
  inspect::page page_;
  std::list<loaded> loads_;
  std::optional<nac::model> before_;
  std::optional<nem::model> before_program_;
  source formatted_;
  bool is_difference_ = false;
  std::list<ark::model> ranks_;
  std::list<ark::plan> plans_;
  std::string name_, format_;
  exit_code verdict_ = success;
};

}  // namespace

void add_view(const command& app, action& run) {
  const auto o = std::make_shared<view_verb_options>();
  const command verb = app.verb("view");
  verb.bind("FILE", o->files.paths);
  add_genome_options(verb, o->networks.registry);
  verb.bind("--keep-going", o->networks.keep_going);
  o->genes.add_options(verb);
  verb.bind("--output", o->output);
  verb.bind("--no-weights", o->no_weights);
  verb.bind("--input", o->run.inputs);
  verb.bind("--random", o->run.seed);
  verb.bind("--max-steps", o->run.max_steps);
  verb.bind("--shape", o->run.nac.shapes);
  verb.bind("--text", o->run.nac.texts);
  verb.bind("--weights", o->run.nac.weights);
  add_nem_options(verb, o->nem);
  add_pt2_options(verb, o->program);
  verb.callback([o, &run] {
    run = [o] {
      o->run.files = o->files.paths;
      return viewing(*o).run();
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
