// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for ARK models and plans: one rank, or all ranks together. With --model, the outputs
// are compared with those of a model on the same inputs.

#include <algorithm>
#include <cmath>
#include <set>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "ark_engine.hpp"
#include "ark_ranks.hpp"
#include "nac_values.hpp"
#include "runnable.hpp"
#include "tessera/inspect/ark/describe.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// Stores dense elements; false if the machine's memory has no place for them.
[[nodiscard]] bool put(engine& machine, const ark_target& t, std::span<const std::byte> values) {
  if (!machine.holds(t.rank)) return true;
  if (t.tensor != ark::none) return machine.write(t.rank, t.tensor, values);
  const std::span<std::byte> to = machine.memory(t.rank, t.buffer);
  if (to.size() != values.size()) return false;
  std::copy(values.begin(), values.end(), to.begin());
  return true;
}
[[nodiscard]] port_values get_values(engine& machine, const ark_ranks& ranks, const ark_target& t) {
  element_shape what = ranks.elements_of(t);
  std::vector<std::byte> out(static_cast<std::size_t>(what.bytes()));
  if (t.tensor != ark::none) {
    if (!machine.read(t.rank, t.tensor, out)) out.clear();
  } else {
    const std::span<std::byte> from = machine.memory(t.rank, t.buffer);
    out.assign(from.begin(), from.end());
  }
  return {std::move(what), std::move(out)};
}

/// The largest difference of elements; not a number where only one is.
[[nodiscard]] double difference(const port_values& a, const port_values& b) {
  if (a.view.size() != b.view.size() || a.what.type != b.what.type) return NAN;
  double largest = 0;
  for (std::size_t i = 0; i < a.what.count(); ++i) {
    const double x = element(a.view, a.what.type, i), y = element(b.view, b.what.type, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double d = std::fabs(x - y);
    if (!(d <= largest)) largest = d;
  }
  return largest;
}

class ark_runnable final : public runnable {
 public:
  ark_runnable(const run_options& o, ark_ranks& ranks, engine& machine)
      : options_(o), to_{o.files[0], o.json}, ranks_(ranks), machine_(machine) {}

  [[nodiscard]] exit_code bind_inputs() override {
    const exit_code code = bind_words("run", options_.inputs, names(true), true, inputs_);
    return code == success ? check_stdin("run", options_, inputs_) : code;
  }
  [[nodiscard]] port_names outputs() override { return names(false); }

  /// Fills inputs without a file with random values, then reads the files in the order given.
  [[nodiscard]] exit_code set() override {
    if (!machine_.made()) {
      if (!machine_.reports()) return bad_input;
      const bool memory = machine_.made().code == errc::budget_memory;
      return report_failure(machine_.made(), memory
                                                 ? "it needs " + std::to_string(machine_.memory()) +
                                                       " bytes; --max-memory raises the limit"
                                                 : "");
    }
    storages given;
    for (const bound_word& b : inputs_) given.emplace(at(b.of).rank, ranks_.storage_of(at(b.of)));
    if (const exit_code code = set_weights(given); code != success) return code;
    std::uint64_t state = options_.seed.value_or(0);
    std::string missing;
    std::size_t missing_count = 0;
    for (const ark_target& t : ranks_.ends(true)) {
      if (given.count({t.rank, ranks_.storage_of(t)}) != 0) continue;
      if (!options_.seed) {
        if (++missing_count <= 8)
          missing.append(missing.empty() ? "" : ", ")
              .append(ranks_.name_of(t))
              .append(" ")
              .append(inspect::text_of_tensor(ranks_.graph(t.rank), t.tensor));
        continue;
      }
      if (!keep(t, ranks_.random_elements(t, state)))
        return usage("cannot set tensor " + ranks_.name_of(t) +
                     ": its buffer isn't in the memory of its rank");
    }
    if (missing_count != 0)
      return usage("no values for " + std::string(missing_count == 1 ? "input " : "inputs ") +
                   missing + (missing_count > 8 ? ", …" : "") +
                   "; give --input NAME=FILE for each, or --random SEED");
    for (const bound_word& b : inputs_) {
      io::expected<std::vector<std::byte>> values = read_elements(
          b.word, format_of(options_.input_format, b.word), ranks_.elements_of(at(b.of)));
      if (!values) return to_.fail(values.error());
      const std::size_t size = values->size();
      if (!keep(at(b.of), std::move(*values)))
        return usage("cannot set " + ranks_.name_of(at(b.of)) + " to the " + std::to_string(size) +
                     " bytes of " + b.word);
    }
    return success;
  }

  [[nodiscard]] exit_code run_once(bool last) override {
    struct watched {
      progress bar;
      std::uint64_t& operations;
    };
    std::uint64_t all = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) all += ranks_.graph(r).ops.size();
    watched see{progress(all), operations_};
    const vm::ark::outcome done = machine_.run(
        [](void* self) {
          auto* const w = static_cast<watched*>(self);
          ++w->operations;
          w->bar.advance(1);
        },
        &see);
    see.bar.clear();
    steps_ += done.steps;
    if (!done) return machine_.reports() ? report_failure(done, "") : bad_input;
    if (!done.text.empty() && last && !options_.json && machine_.reports()) show_note(done.text);
    return success;
  }

  [[nodiscard]] exit_code finish(exit_code code) override {
    return code == success && !options_.model.empty() ? compare() : code;
  }

  [[nodiscard]] std::vector<port> results() override {
    std::vector<port> out;
    for (const ark_target& t : ranks_.ends(false)) out.push_back(port_of(t));
    return out;
  }
  [[nodiscard]] bool holds(port p) const override { return machine_.holds(at(p).rank); }
  [[nodiscard]] std::optional<port_values> get(port p, io::array_format) override {
    return get_values(machine_, ranks_, at(p));
  }
  void show(text& out, port p) override {
    const ark_target& t = at(p);
    const port_values v = get_values(machine_, ranks_, t);
    out << ranks_.name_of(t) << ' ' << inspect::text_of_tensor(ranks_.graph(t.rank), t.tensor);
    if (const std::string_view name = ranks_.maker(t); !name.empty())
      out << ' ' << shown_name(name);
    element_summary(v.view, v.what.type).show(out, v.view, v.what);
  }
  void write(json::writer& w, port p) override {
    const ark_target& t = at(p);
    const ark::model& g = ranks_.graph(t.rank);
    w.key("rank").integer(g.rank).key("tensor");
    if (t.tensor == ark::none)
      w.null();
    else
      w.integer(g.tensors[t.tensor].id);
    w.key("buffer").integer(
        g.buffers[t.tensor == ark::none ? t.buffer : g.tensors[t.tensor].buffer].id);
    w.key("name").string(ranks_.maker(t));
    write_values(w, get_values(machine_, ranks_, t));
  }
  void write_figures(json::writer& w, double seconds) const override {
    w.key("ranks").integer(ranks_.size());
    w.key("operations").integer(operations_).key("steps").integer(steps_);
    w.key("vm_bytes").integer(machine_.memory()).key("seconds").number(seconds);
    if (!options_.model.empty()) w.key("equals_model").boolean(true);
  }
  [[nodiscard]] std::string_view no_results() const override { return "the model has no outputs"; }

 private:
  using storages = std::set<std::pair<std::size_t, std::uint32_t>>;

  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error("run", message);
  }
  /// Sets tensors that are named as those of a safetensors file are, but for those that are given.
  [[nodiscard]] exit_code set_weights(storages& given) {
    if (options_.nac.weights.empty()) return success;
    const weights_outcome in = load_weights({options_.nac.weights, options_.json});
    if (!in.weights) return in.code;
    storages named;
    for (std::size_t i = 0; i < in.weights->size(); ++i) {
      const nac::external_tensor t = (*in.weights)[i];
      std::string wrong;
      const std::optional<ark_target> to = ranks_.resolve(t.name, wrong);
      if (!to || given.count({to->rank, ranks_.storage_of(*to)}) != 0) continue;
      const element_shape what = ranks_.elements_of(*to);
      if (!t.representable || element_of(t.as.type) != what.type ||
          t.as.data.size() != what.bytes())
        return usage("tensor '" + shown_name(t.name) + "' of " + shown_name(options_.nac.weights) +
                     " doesn't fit " + ranks_.name_of(*to) + "; expected " +
                     inspect::text_of_tensor(ranks_.graph(to->rank), to->tensor));
      if (!keep(*to, {t.as.data.begin(), t.as.data.end()}))
        return usage("cannot set tensor " + ranks_.name_of(*to) +
                     ": its buffer isn't in the memory of its rank");
      named.emplace(to->rank, ranks_.storage_of(*to));
    }
    given.merge(named);
    return success;
  }
  [[nodiscard]] const ark_target& at(port p) const { return targets_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] port port_of(const ark_target& t) {
    const auto known = std::find(targets_.begin(), targets_.end(), t);
    if (known != targets_.end()) return static_cast<port>(known - targets_.begin());
    targets_.push_back(t);
    return targets_.size() - 1;
  }
  [[nodiscard]] port_names names(bool inputs) {
    std::vector<port> all;
    for (const ark_target& t : ranks_.ends(inputs)) all.push_back(port_of(t));
    const std::string wrong = "too many files: the model has " +
                              plural(all.size(), inputs ? "input" : "output") +
                              "; give files of other tensors as NAME=FILE";
    return {[this](const std::string& name, std::string& why) -> std::optional<port> {
              const std::optional<ark_target> t = ranks_.resolve(name, why);
              if (!t) return std::nullopt;
              return port_of(*t);
            },
            in_order(std::move(all), wrong)};
  }
  /// Sets a target, and keeps the values for the model that it is compared with.
  [[nodiscard]] bool keep(const ark_target& t, std::vector<std::byte> values) {
    if (!put(machine_, t, values)) return false;
    if (!options_.model.empty()) kept_.emplace_back(ranks_.name_of(t), std::move(values));
    return true;
  }

  /// Runs the model of --model on the same inputs, and compares the outputs.
  [[nodiscard]] exit_code compare() {
    const reporting about{options_.model, options_.json};
    if (ranks_.size() != 1) return usage("--model compares one rank, not several");
    loaded in = load_source(about, format::unknown, io::side_input);
    if (!in) return in.code;
    ark_ranks model;
    if (const exit_code code = model.load({options_.model}, std::move(*in.file), options_.json);
        code != success)
      return code;
    const std::optional<ark::world> world = model.world(options_.json);
    if (!world) return bad_input;
    const budget limit = budget_of(options_);
    one_process machine(*world, {.fast = options_.fast, .max_memory = limit.max_memory}, limit);
    std::string wrong;
    for (const auto& [name, values] : kept_) {
      const std::optional<ark_target> t = model.resolve(name, wrong);
      if (!t || !put(machine, *t, values)) return differs(name + ": the model has no such input");
    }
    for (std::uint64_t i = 0; i < options_.steps.value_or(1); ++i)
      if (const vm::ark::outcome done = machine.run([](void*) {}, nullptr); !done)
        return report_failure(done, "in the model of --model");
    for (const ark_target& t : ranks_.ends(false)) {
      const std::string name = ranks_.name_of(t);
      const std::optional<ark_target> same = model.resolve(name, wrong);
      if (!same) return differs(name + ": the model has no such output");
      const double d =
          difference(get_values(machine_, ranks_, t), get_values(machine, model, *same));
      if (d == 0) continue;
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.6g", d);
      return differs(name + ": the largest difference is " + digits);
    }
    if (!options_.json) show_note("all outputs equal those of " + shown_name(options_.model));
    return success;
  }
  [[nodiscard]] exit_code differs(const std::string& how) const {
    return to_.fail(diagnose(ranks_[0].content.name, "model",
                             "differs from " + shown_name(options_.model) + " at " + how),
                    bad_input, ranks_[0].content.what);
  }

  /// Reports why a run ended or couldn't start: a fault, a deadlock, a limit.
  [[nodiscard]] exit_code report_failure(const vm::ark::outcome& done,
                                         const std::string& more) const {
    const exit_code code = report_error(done, more);
    note_limit(done.code, to_);
    return code;
  }
  [[nodiscard]] exit_code report_error(const vm::ark::outcome& done,
                                       const std::string& more) const {
    const std::size_t r = std::min<std::size_t>(done.rank, ranks_.size() - 1);
    const ark::model& g = ranks_.graph(r);
    const error e{done.code};
    std::string where;
    if (done.op != ark::none && done.op < g.ops.size()) {
      where = "at " + inspect::text_of_op(g, g.ops[done.op]);
      if (done.node != ark::none && done.node < g.nodes.size())
        where += " in node " + std::to_string(g.nodes[done.node].id);
      if (ranks_.size() > 1) where += " of rank " + std::to_string(g.rank);
    }
    const ark::rule rule(done.code);
    diagnostic d = diagnose(ranks_[r].content.name, rule.id().empty() ? e.name() : rule.id(),
                            std::string(e.message()));
    add_place(d, where);
    for (const std::string& text : {done.text, more}) {
      if (text.empty()) continue;
      d.message += "; " + text;
      std::string lines = "  " + text;
      for (std::size_t at = 0; (at = lines.find('\n', at)) != lines.npos; at += 3)
        if (at + 1 < lines.size()) lines.insert(at + 1, "  ");
      if (lines.back() != '\n') lines += '\n';
      d.shown += lines;
    }
    return reporting{ranks_[r].path, options_.json}.fail(d, bad_input, ranks_[r].content.what);
  }

  const run_options& options_;
  reporting to_;
  ark_ranks& ranks_;
  engine& machine_;
  std::vector<ark_target> targets_;
  std::vector<bound_word> inputs_;
  std::vector<std::pair<std::string, std::vector<std::byte>>> kept_;
  std::uint64_t steps_ = 0, operations_ = 0;
};

}  // namespace

exit_code run_ark(const run_options& o, source first) {
  ark_ranks ranks;
  const format what = first.what;
  if (const exit_code code = ranks.load(o.files, std::move(first), o.json); code != success)
    return code;
  const std::optional<ark::world> world = ranks.world(o.json);
  if (!world) return bad_input;
  const budget limit = budget_of(o);
  const vm::ark::machine_options how{.fast = o.fast, .max_memory = limit.max_memory};
  const reporting to{o.files[0], o.json};
#ifdef TESSERA_HAS_MPI
  if (o.mpi) {
    const vm::ark::mpi_session session(nullptr, nullptr);
    if (session.size() != world->size())
      return session.rank() != 0
                 ? wrong_usage
                 : usage_error("run", "--mpi requires one process per rank: mpirun -n " +
                                          std::to_string(world->size()));
    mpi_process machine(*world, how, limit, session.rank());
    ark_runnable model(o, ranks, machine);
    return run_program(model, o, to, what);
  }
#endif
  one_process machine(*world, how, limit);
  ark_runnable model(o, ranks, machine);
  return run_program(model, o, to, what);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
