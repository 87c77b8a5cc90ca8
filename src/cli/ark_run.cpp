// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for ARK models: one rank, or all ranks together.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "ark.hpp"
#include "run.hpp"
#include "tessera/inspect/ark/describe.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "tessera/vm/ark.hpp"
#include "values.hpp"
#ifdef TESSERA_HAS_MPI
#include "vm/ark/mpi.hpp"
#endif

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// A tensor or a buffer of a rank.
struct target {
  std::size_t rank = 0;  ///< in the order of Rank
  std::uint32_t tensor = ark::none;
  std::uint32_t buffer = ark::none;
};

/// `[NAME=]FILE`.
struct binding {
  std::optional<target> to;
  std::string path;
};

struct model_file {
  source file;
  ark::program program;
  std::string path;
};

[[nodiscard]] element_type element_of(ark::data_type t) noexcept {
  switch (t) {
    case ark::data_type::fp32: return element_type::f32;
    case ark::data_type::fp16: return element_type::f16;
    case ark::data_type::bf16: return element_type::bf16;
    case ark::data_type::int32: return element_type::i32;
    case ark::data_type::uint32: return element_type::u32;
    case ark::data_type::int8: return element_type::i8;
    case ark::data_type::uint8:
    case ark::data_type::byte:
    case ark::data_type::fp8_e4m3:
    case ark::data_type::fp8_e5m2: break;
  }
  return element_type::u8;
}
[[nodiscard]] element_shape elements_of(const ark::model& g, std::uint32_t tensor) {
  const ark::layout& l = layout_of(g, tensor);
  const ark::data_type type = g.tensors[tensor].type;
  element_shape out{element_of(type), ark::info(type).name};
  for (std::uint32_t d = 0; d < l.rank; ++d)
    out.shape.push_back(static_cast<std::uint64_t>(l.shape[d]));
  return out;
}

[[nodiscard]] bool is_number(std::string_view s) noexcept {
  return !s.empty() && s.size() < 20 &&
         std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}
[[nodiscard]] std::int64_t number_of(std::string_view s) noexcept {
  std::uint64_t v = 0;
  for (const char c : s) v = v * 10 + static_cast<std::uint64_t>(c - '0');
  return v > static_cast<std::uint64_t>(INT64_MAX) ? -1 : static_cast<std::int64_t>(v);
}

/// The machine: all ranks in this process, or one rank per process.
class engine {
 public:
  using watcher = void (*)(void* self);
  virtual ~engine() = default;
  [[nodiscard]] virtual const vm::ark::outcome& made() const = 0;
  [[nodiscard]] virtual std::uint64_t memory() const = 0;
  /// Whether this process has the memory of a rank.
  [[nodiscard]] virtual bool holds(std::size_t rank) const = 0;
  /// Whether this process reports results and errors.
  [[nodiscard]] virtual bool reports() const = 0;
  [[nodiscard]] virtual std::span<std::byte> memory(std::size_t rank, std::uint32_t buffer) = 0;
  [[nodiscard]] virtual bool write(std::size_t rank, std::uint32_t tensor,
                                   std::span<const std::byte> dense) = 0;
  [[nodiscard]] virtual bool read(std::size_t rank, std::uint32_t tensor,
                                  std::span<std::byte> dense) const = 0;
  /// Calls watch(self) after each operation, if the machine supports it.
  [[nodiscard]] virtual vm::ark::outcome run(watcher watch, void* self) = 0;
};

class one_process final : public engine {
 public:
  one_process(const ark::world& world, const vm::ark::machine_options& how, const budget& limit)
      : machine_(world, how), limit_(limit) {}
  const vm::ark::outcome& made() const override { return machine_.made(); }
  std::uint64_t memory() const override { return machine_.memory(); }
  bool holds(std::size_t) const override { return true; }
  bool reports() const override { return true; }
  std::span<std::byte> memory(std::size_t rank, std::uint32_t buffer) override {
    return machine_.memory(rank, buffer);
  }
  bool write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense) override {
    return machine_.write(rank, tensor, dense);
  }
  bool read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const override {
    return machine_.read(rank, tensor, dense);
  }
  vm::ark::outcome run(watcher watch, void* self) override {
    return machine_.run(limit_, [watch, self](const vm::ark::event&) { watch(self); });
  }

 private:
  vm::ark::machine machine_;
  budget limit_;
};

#ifdef TESSERA_HAS_MPI
class mpi_process final : public engine {
 public:
  mpi_process(const ark::world& world, const vm::ark::machine_options& how, const budget& limit,
              std::size_t rank)
      : machine_(world, how), limit_(limit), rank_(rank) {}
  const vm::ark::outcome& made() const override { return machine_.made(); }
  std::uint64_t memory() const override { return machine_.memory(); }
  bool holds(std::size_t rank) const override { return rank == rank_; }
  bool reports() const override { return rank_ == 0; }
  std::span<std::byte> memory(std::size_t, std::uint32_t buffer) override {
    return machine_.memory(buffer);
  }
  bool write(std::size_t, std::uint32_t tensor, std::span<const std::byte> dense) override {
    return machine_.write(tensor, dense);
  }
  bool read(std::size_t, std::uint32_t tensor, std::span<std::byte> dense) const override {
    return machine_.read(tensor, dense);
  }
  vm::ark::outcome run(watcher, void*) override { return machine_.run(limit_); }

 private:
  vm::ark::mpi_machine machine_;
  budget limit_;
  std::size_t rank_;
};
#endif

class ark_runner {
 public:
  explicit ark_runner(const run_options& o) : options_(o), to_{o.files[0], o.json} {}

  [[nodiscard]] exit_code run(source first) {
    if (const exit_code code = load(std::move(first)); code != success) return code;
    std::vector<const ark::program*> programs;
    std::vector<std::string_view> sources;
    for (const model_file& m : models_) {
      programs.push_back(&m.program);
      sources.push_back(m.file.characters());
    }
    tessera::report found;
    const result<ark::world> world = ark::verify_ranks(
        {programs.data(), programs.size()}, {.sources = {sources.data(), sources.size()}}, &found);
    if (!world) return fail_ranks(found);
    // The machine needs the programs in the order of Rank; files are in any order.
    std::sort(models_.begin(), models_.end(), [](const model_file& a, const model_file& b) {
      return a.program.model().rank < b.program.model().rank;
    });
    programs.clear();
    for (const model_file& m : models_) programs.push_back(&m.program);
    const result<ark::world> sorted = ark::verify_ranks({programs.data(), programs.size()});
    if (!sorted) return fail_ranks(found);
    return run(*sorted);
  }

 private:
  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error("run", message);
  }
  [[nodiscard]] const ark::model& graph(std::size_t rank) const {
    return models_[rank].program.model();
  }

  [[nodiscard]] exit_code load(source first) {
    for (std::size_t i = 0; i < options_.files.size(); ++i) {
      const reporting about{options_.files[i], options_.json};
      std::optional<source> file;
      if (i == 0) {
        file = std::move(first);
      } else {
        loaded in = load_source(about);
        if (!in) return in.code;
        file = std::move(in.file);
      }
      if (file->what != ::tessera::cli::format::ark_model)
        return wrong_format(*file, about, "run with several files", "the ranks of an ARK model");
      verify_outcome v = verify_ark(*file, about, {.hazards = false});
      if (!v.program) return v.code;
      models_.push_back({std::move(*file), std::move(*v.program), options_.files[i]});
    }
    return success;
  }

  [[nodiscard]] exit_code fail_ranks(const tessera::report& found) const {
    std::vector<source_file> files;
    for (const model_file& m : models_) files.push_back(m.file.shown());
    const std::vector<std::vector<diagnostic>> all = diagnose_ranks(found, files);
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (has_errors(all[i]))
        (void)reporting{models_[i].path, options_.json}.fail(all[i],
                                                             ::tessera::cli::format::ark_model);
    }
    return bad_input;
  }

  [[nodiscard]] exit_code run(const ark::world& world) {
    vm::ark::machine_options how;
    how.fast = options_.fast;
    const budget limit = budget_of(options_);
    how.max_memory = limit.max_memory;
    for (std::size_t r = 0; r < models_.size(); ++r) flows_.emplace_back(graph(r));
    if (const exit_code code = bind(); code != success) return code;
#ifdef TESSERA_HAS_MPI
    if (options_.mpi) {
      const vm::ark::mpi_session session(nullptr, nullptr);
      if (session.size() != world.size())
        return session.rank() != 0 ? wrong_usage
                                   : usage("--mpi requires one process per rank: mpirun -n " +
                                           std::to_string(world.size()));
      mpi_process machine(world, how, limit, session.rank());
      return run(machine);
    }
#endif
    one_process machine(world, how, limit);
    return run(machine);
  }

  [[nodiscard]] exit_code run(engine& machine) {
    if (!machine.made()) {
      if (!machine.reports()) return bad_input;
      if (machine.made().code == errc::budget_memory)
        return report_failure(machine.made(), "it needs " + std::to_string(machine.memory()) +
                                                  " bytes; --max-memory raises the limit");
      return report_failure(machine.made(), "");
    }
    exit_code code = fill(machine);
    if (code == success) code = execute(machine);
    if (code == success) code = write_outputs(machine);
    if (code == success && (options_.json || options_.outputs.empty())) code = summarise(machine);
    return code;
  }

  // ---- names

  [[nodiscard]] static std::string tensor_name(std::size_t ranks, std::size_t rank,
                                               const std::string& id) {
    return ranks == 1 ? id : 'r' + std::to_string(rank) + ':' + id;
  }

  /// The target of a NAME; without one, `wrong` is the reason.
  [[nodiscard]] std::optional<target> resolve(std::string_view name, std::string& wrong) const {
    const std::string whole(name);
    std::size_t first = 0, last = models_.size();
    if (const std::size_t colon = name.find(':');
        colon != name.npos && colon > 1 && name[0] == 'r' && is_number(name.substr(1, colon - 1))) {
      const std::int64_t r = number_of(name.substr(1, colon - 1));
      bool known = false;
      for (std::size_t i = 0; i < models_.size(); ++i)
        if (graph(i).rank == r) {
          first = i;
          last = i + 1;
          known = true;
        }
      if (!known) {
        wrong = "rank " + std::to_string(r) + " has no file";
        return std::nullopt;
      }
      name.remove_prefix(colon + 1);
    }
    std::vector<target> found;
    for (std::size_t r = first; r < last; ++r) find(r, name, found);
    if (found.size() == 1) return found[0];
    if (found.empty())
      wrong =
          "unknown tensor, buffer or operation '" + shown_name(whole) +
          "'; expected a tensor's Id (12 or t12), a buffer's (b3), or the name of the operation "
          "that makes a tensor" +
          (models_.size() > 1 ? ", after its rank (r0:t12)" : "");
    else if (last - first > 1)
      wrong = "'" + shown_name(whole) + "' matches " + std::to_string(found.size()) +
              " tensors; expected its rank first, as in r0:" + shown_name(name);
    else
      wrong = "'" + shown_name(whole) + "' is the name of " + std::to_string(found.size()) +
              " operations; expected the tensor's Id";
    return std::nullopt;
  }

  void find(std::size_t r, std::string_view name, std::vector<target>& found) const {
    const ark::model& g = graph(r);
    const std::size_t before = found.size();
    // 12, t12 and %12 (of `tessera print`) are a tensor; b3 and @3 are a buffer.
    const char kind = name.empty() ? '\0' : name[0];
    const bool is_buffer = kind == 'b' || kind == '@';
    const std::string_view id = is_buffer || kind == 't' || kind == '%' ? name.substr(1) : name;
    if (is_number(id)) {
      const std::int64_t number = number_of(id);
      if (is_buffer) {
        for (const inspect::storage& s : flows_[r].storages())
          if (s.id == number && s.is_local) found.push_back({r, ark::none, s.buffer});
      } else {
        for (std::uint32_t t = 0; t < g.tensors.size() && found.size() == before; ++t)
          if (g.tensors[t].id == number && is_local(g, buffer_of(g, t)))
            found.push_back({r, t, ark::none});
      }
      if (found.size() != before) return;
    }
    for (const ark::op& o : g.ops) {
      if (tessera::ark::name(g, o) != name) continue;
      const view<std::uint32_t> made = results(g, o).empty() ? writes(g, o) : results(g, o);
      if (!made.empty() && is_local(g, buffer_of(g, made[0])))
        found.push_back({r, made[0], ark::none});
    }
  }

  [[nodiscard]] exit_code bind_all(const std::vector<std::string>& arguments,
                                   const std::vector<target>& defaults, const char* what,
                                   std::vector<binding>& out) const {
    std::size_t next = 0;
    for (const std::string& argument : arguments) {
      const std::size_t equals = argument.find('=');
      std::string wrong;
      if (equals != argument.npos && equals != 0) {
        const std::string name = argument.substr(0, equals);
        if (const std::optional<target> t = resolve(name, wrong)) {
          out.push_back({t, argument.substr(equals + 1)});
          continue;
        }
        // A path may contain '=', too: it has a '/' or '.', which Ids don't have.
        if (name.find_first_of("/.") == name.npos) return usage(wrong);
      }
      if (next == defaults.size())
        return usage("too many files: the model has " + plural(defaults.size(), what) +
                     "; give files of other tensors as NAME=FILE");
      out.push_back({defaults[next++], argument});
    }
    return success;
  }

  [[nodiscard]] std::vector<target> ends(bool inputs) const {
    std::vector<target> out;
    for (std::size_t r = 0; r < models_.size(); ++r)
      for (const std::uint32_t t : inputs ? flows_[r].inputs() : flows_[r].outputs())
        out.push_back({r, t, ark::none});
    return out;
  }

  [[nodiscard]] exit_code bind() {
    exit_code code = bind_all(options_.inputs, ends(true), "input", inputs_);
    if (code == success) code = bind_all(options_.outputs, ends(false), "output", outputs_);
    if (code != success) return code;
    std::size_t from_stdin =
        static_cast<std::size_t>(std::count(options_.files.begin(), options_.files.end(), "-"));
    for (const binding& b : inputs_)
      if (b.path == "-") ++from_stdin;
    if (from_stdin > 1) return usage("standard input can be read only once");
    output_paths paths(options_);
    for (const binding& b : outputs_)
      if (code = paths.add(b.path); code != success) return code;
    return success;
  }

  // ---- values

  [[nodiscard]] element_shape shape_of(const target& t) const {
    if (t.tensor != ark::none) return elements_of(graph(t.rank), t.tensor);
    const ark::program& p = models_[t.rank].program;
    element_shape out{element_type::u8, ark::info(ark::data_type::byte).name};
    out.shape.push_back(p.bytes(p.storage(t.buffer)));
    out.any_type = true;
    return out;
  }

  [[nodiscard]] std::uint32_t storage_of(const target& t) const {
    return t.tensor != ark::none ? flows_[t.rank].storage_of_tensor(t.tensor)
                                 : flows_[t.rank].storage_of_buffer(t.buffer);
  }

  /// Random elements; indices are valid ones.
  [[nodiscard]] std::vector<std::byte> random_elements(const target& t,
                                                       std::uint64_t& state) const {
    const ark::model& g = graph(t.rank);
    const element_shape what = shape_of(t);
    double low = -1, high = 1;
    const bool whole = what.type > element_type::bf16;
    if (whole) {
      const bool is_signed = what.type == element_type::i32 || what.type == element_type::i8;
      low = is_signed ? -8 : 0;
      high = is_signed ? 7 : 15;
    }
    for (const ark::op& o : g.ops) {
      if (o.type == ark::op_type::embedding && o.reads == 2 && reads(g, o)[0] == t.tensor) {
        low = 0;
        high = static_cast<double>(layout_of(g, reads(g, o)[1]).shape[0] - 1);
      }
      if (o.type == ark::op_type::kv_cache_slot && o.reads == 2 && reads(g, o)[1] == t.tensor)
        low = high = 0;
    }
    std::vector<std::byte> out(static_cast<std::size_t>(what.bytes()));
    for (std::size_t i = 0; i < what.count(); ++i)
      (void)store_element(out, what.type, i, random_number(state, low, high, whole));
    return out;
  }

  [[nodiscard]] std::string shown(const target& t) const {
    const ark::model& g = graph(t.rank);
    if (t.tensor == ark::none)
      return tensor_name(models_.size(), static_cast<std::size_t>(g.rank),
                         'b' + std::to_string(g.buffers[t.buffer].id));
    return tensor_name(models_.size(), static_cast<std::size_t>(g.rank),
                       't' + std::to_string(g.tensors[t.tensor].id));
  }

  [[nodiscard]] static bool put(engine& machine, const target& t,
                                const std::vector<std::byte>& values) {
    if (!machine.holds(t.rank)) return true;
    if (t.tensor != ark::none) return machine.write(t.rank, t.tensor, values);
    const std::span<std::byte> to = machine.memory(t.rank, t.buffer);
    if (to.size() != values.size()) return false;
    std::copy(values.begin(), values.end(), to.begin());
    return true;
  }

  /// Fills inputs without a file with random values, then reads the files in the order given.
  [[nodiscard]] exit_code fill(engine& machine) {
    std::set<std::pair<std::size_t, std::uint32_t>> given;
    for (const binding& b : inputs_) given.emplace(b.to->rank, storage_of(*b.to));
    std::uint64_t state = options_.seed.value_or(0);
    std::string missing;
    std::size_t missing_count = 0;
    for (const target& t : ends(true)) {
      if (given.count({t.rank, storage_of(t)}) != 0) continue;
      if (!options_.seed) {
        if (++missing_count <= 8)
          missing.append(missing.empty() ? "" : ", ")
              .append(shown(t))
              .append(" ")
              .append(inspect::text_of_tensor(graph(t.rank), t.tensor));
        continue;
      }
      if (!put(machine, t, random_elements(t, state)))
        return usage("cannot set tensor " + shown(t) +
                     ": its buffer isn't in the memory of its rank");
    }
    if (missing_count != 0)
      return usage("no values for " + std::string(missing_count == 1 ? "input " : "inputs ") +
                   missing + (missing_count > 8 ? ", …" : "") +
                   "; give --input NAME=FILE for each, or --random SEED");
    for (const binding& b : inputs_) {
      const io::expected<std::vector<std::byte>> values =
          read_elements(b.path, format_of(options_.input_format, b.path), shape_of(*b.to));
      if (!values) return to_.fail(values.error());
      if (!put(machine, *b.to, *values))
        return usage("cannot set " + shown(*b.to) + " to the " + std::to_string(values->size()) +
                     " bytes of " + b.path);
    }
    return success;
  }

  [[nodiscard]] exit_code execute(engine& machine) {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    struct progress {
      clock::time_point start, last;
      bool terminal, shown = false;
      std::uint64_t operations = 0, total = 0;
      void operator()() {
        ++operations;
        if (!terminal) return;
        const clock::time_point now = clock::now();
        if (now - start < std::chrono::seconds(1) || now - last < std::chrono::milliseconds(100))
          return;
        std::fprintf(stderr, "\r%llu of %llu operations",
                     static_cast<unsigned long long>(operations),
                     static_cast<unsigned long long>(total));
        last = now;
        shown = true;
      }
    };
    progress done_so_far{start, start, isatty(STDERR_FILENO) == 1};
    const std::uint64_t runs = options_.steps.value_or(1);
    for (const model_file& m : models_) done_so_far.total += m.program.model().ops.size() * runs;
    for (std::uint64_t i = 0; i < runs; ++i) {
      const vm::ark::outcome done =
          machine.run([](void* self) { (*static_cast<progress*>(self))(); }, &done_so_far);
      if (std::exchange(done_so_far.shown, false)) std::fputs("\r\033[K", stderr);
      steps_ += done.steps;
      if (!done) return machine.reports() ? report_failure(done, "") : bad_input;
      if (!done.text.empty() && i + 1 == runs && !options_.json && machine.reports())
        show_note(done.text);
    }
    seconds_ = std::chrono::duration<double>(clock::now() - start).count();
    operations_ = done_so_far.operations;
    return success;
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
    const std::size_t r = std::min<std::size_t>(done.rank, models_.size() - 1);
    const ark::model& g = graph(r);
    const error e{done.code};
    std::string where;
    if (done.op != ark::none && done.op < g.ops.size()) {
      where = "at " + inspect::text_of_op(g, g.ops[done.op]);
      if (done.node != ark::none && done.node < g.nodes.size())
        where += " in node " + std::to_string(g.nodes[done.node].id);
      if (models_.size() > 1) where += " of rank " + std::to_string(g.rank);
    }
    const ark::rule rule(done.code);
    diagnostic d = diagnose(models_[r].file.name, rule.id().empty() ? e.name() : rule.id(),
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
    return reporting{models_[r].path, options_.json}.fail(d, bad_input, models_[r].file.what);
  }

  [[nodiscard]] std::vector<std::byte> get(engine& machine, const target& t) const {
    std::vector<std::byte> out(static_cast<std::size_t>(shape_of(t).bytes()));
    if (t.tensor != ark::none) {
      if (!machine.read(t.rank, t.tensor, out)) out.clear();
    } else {
      const std::span<std::byte> from = machine.memory(t.rank, t.buffer);
      out.assign(from.begin(), from.end());
    }
    return out;
  }

  [[nodiscard]] exit_code write_outputs(engine& machine) const {
    for (const binding& b : outputs_) {
      if (!machine.holds(b.to->rank)) continue;
      const std::vector<std::byte> values = get(machine, *b.to);
      const text encoded =
          encode_elements(values, format_of(options_.output_format, b.path), shape_of(*b.to));
      if (const exit_code code = write_result(b.path, as_bytes(encoded), to_); code != success)
        return code;
    }
    return success;
  }

  // ---- results

  [[nodiscard]] exit_code summarise(engine& machine) const {
    std::vector<target> shown_targets;
    if (outputs_.empty()) shown_targets = ends(false);
    for (const binding& b : outputs_) shown_targets.push_back(*b.to);
    const bool any = !shown_targets.empty();
    shown_targets.erase(
        std::remove_if(shown_targets.begin(), shown_targets.end(),
                       [&machine](const target& t) { return !machine.holds(t.rank); }),
        shown_targets.end());
    text out;
    if (options_.json) {
      json::writer w(out);
      w.begin_object().key("file").string(json_name(to_.path)).key("format").string("ark");
      w.key("ok").boolean(true).key("ranks").integer(models_.size());
      w.key("operations").integer(operations_).key("steps").integer(steps_);
      w.key("vm_bytes").integer(machine.memory()).key("seconds").number(seconds_);
      w.key("outputs").begin_array();
      for (const target& t : shown_targets) {
        const ark::model& g = graph(t.rank);
        const element_shape what = shape_of(t);
        const std::vector<std::byte> values = get(machine, t);
        const element_summary n(values, what.type);
        w.begin_object().key("rank").integer(g.rank).key("tensor");
        if (t.tensor == ark::none)
          w.null();
        else
          w.integer(g.tensors[t.tensor].id);
        w.key("buffer").integer(
            g.buffers[t.tensor == ark::none ? t.buffer : g.tensors[t.tensor].buffer].id);
        w.key("name").string(maker(t)).key("data_type").string(what.name);
        w.key("shape").begin_array();
        for (const std::uint64_t d : what.shape) w.integer(d);
        w.end();
        n.write(w);
        w.end();
      }
      w.end().end();
      out << '\n';
      return print_result(out);
    }
    for (const target& t : shown_targets) {
      const element_shape what = shape_of(t);
      const std::vector<std::byte> values = get(machine, t);
      const element_summary n(values, what.type);
      out << shown(t) << ' ' << inspect::text_of_tensor(graph(t.rank), t.tensor);
      if (const std::string_view name = maker(t); !name.empty()) out << ' ' << shown_name(name);
      n.show(out, values, what);
    }
    if (!any && machine.reports()) show_note("the model has no outputs");
    return out.empty() ? success : print_result(out);
  }

  /// The name of the operation that makes a tensor.
  [[nodiscard]] std::string_view maker(const target& t) const {
    const ark::model& g = graph(t.rank);
    for (const ark::op& o : g.ops)
      for (const std::uint32_t made : results(g, o))
        if (made == t.tensor) return tessera::ark::name(g, o);
    return {};
  }

  const run_options& options_;
  reporting to_;
  std::vector<model_file> models_;
  std::vector<inspect::flow> flows_;
  std::vector<binding> inputs_, outputs_;
  std::uint64_t steps_ = 0, operations_ = 0;
  double seconds_ = 0;
};

}  // namespace

exit_code run_ark(const run_options& o, source first) {
  return ark_runner(o).run(std::move(first));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
