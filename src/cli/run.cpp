// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run`: inputs from files or at random, through the VM, outputs to files.

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include <thread>

#include "ark.hpp"
#include "genome.hpp"
#include "io/arrays.hpp"
#include "nac.hpp"
#include "run.hpp"
#include "tool.hpp"
#include "vm/alir/vm.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

io::array_format format_of(const std::string& option, const std::string& path) {
  if (option == "csv" || (option.empty() && path == "-")) return io::array_format::csv;
  if (option == "npy") return io::array_format::npy;
  return option == "raw" ? io::array_format::raw : io::array_format_of_name(path);
}

namespace {

/// `[NAME=]FILE`. A NAME holds neither '/' nor '.', so that paths with a '=' stay paths.
struct binding {
  std::optional<std::string> name;
  std::string path;

  explicit binding(const std::string& argument) : path(argument) {
    const std::size_t equals = argument.find('=');
    if (equals == argument.npos || equals == 0 || argument.find_first_of("/.") < equals) return;
    name = argument.substr(0, equals);
    path = argument.substr(equals + 1);
  }
  /// The name as an index below `count`.
  [[nodiscard]] std::optional<std::uint64_t> index(std::uint64_t count) const {
    std::uint64_t v = 0;
    for (const char c : *name) {
      if (c < '0' || c > '9' || v > count) return std::nullopt;
      v = v * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (v >= count) return std::nullopt;
    return v;
  }
};

/// The values that an input takes, by the intervals of the operations that read it.
[[nodiscard]] std::vector<io::interval> input_intervals(const alir::program& p) {
  const alir::model& m = p.model();
  std::vector<io::interval> out(m.inp_shifts.size(), io::interval{-1, 1});
  std::vector<bool> seen(out.size());
  for (const alir::operation& o : m.ops) {
    if (o.code != alir::opcode::input) continue;
    const auto n = static_cast<std::size_t>(o.id0);
    const int exponent = -std::max(m.inp_shifts[n], -INT32_MAX);
    const double low = std::ldexp(o.qint.min, exponent);
    const double high = std::ldexp(o.qint.max, exponent);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    out[n] = seen[n] ? io::interval{std::min(out[n].low, low), std::max(out[n].high, high)}
                     : io::interval{low, high};
    seen[n] = true;
  }
  return out;
}

class runner {
 public:
  runner(const run_options& o, const source& file, const alir::program& p)
      : options_(o),
        to_{o.files[0], o.json},
        file_(file),
        program_(p),
        machine_(p, {.threads = threads(o)}) {}

  [[nodiscard]] exit_code run() {
    exit_code code = check_outputs();
    if (code == success) code = gather_inputs();
    if (code == success) code = execute();
    if (code == success) code = write_outputs();
    return code == success && options_.json ? print_summary() : code;
  }

 private:
  [[nodiscard]] static unsigned threads(const run_options& o) noexcept {
    const unsigned threads = o.threads.value_or(1);
    return threads == 0 ? std::max(std::thread::hardware_concurrency(), 1u) : threads;
  }
  [[nodiscard]] exit_code usage(std::string_view message) const {
    return usage_error("run", message);
  }

  /// The whole matrix first, from a file or at random; then single columns over it.
  [[nodiscard]] exit_code gather_inputs() {
    const std::uint64_t columns = machine_.inputs();
    std::vector<char> given(machine_.inputs(), 0);
    std::vector<std::pair<std::uint64_t, io::matrix>> single;
    std::optional<std::uint64_t> rows = options_.samples;
    std::string rows_from = "--samples";
    bool whole = false, used_stdin = options_.files[0] == "-";
    for (const std::string& argument : options_.inputs) {
      const binding b(argument);
      if (b.path == "-" && std::exchange(used_stdin, true))
        return usage("standard input can be read only once");
      std::optional<std::uint64_t> index;
      if (b.name && !(index = b.index(columns))) return usage(no_such("input", *b.name, columns));
      if (!b.name && std::exchange(whole, true))
        return usage("two files for all inputs; name inputs as INDEX=FILE");
      if (index && std::exchange(given[static_cast<std::size_t>(*index)], char{1}) != 0)
        return usage("two files for input " + *b.name);
      io::expected<io::matrix> m =
          io::read_matrix(b.path, format_of(options_.input_format, b.path), b.name ? 1 : columns);
      if (!m) return to_.fail(m.error());
      // --samples takes the first rows of a longer file; two files must agree.
      if (rows && (m->rows < *rows || (m->rows != *rows && rows_from != "--samples")))
        return to_.fail(io::failure{io::fault::content,
                                    "expected " + std::to_string(*rows) + " rows as of " +
                                        rows_from + ", found " + std::to_string(m->rows),
                                    0, b.path});
      if (!rows) {
        rows = m->rows;
        rows_from = shown_name(b.path);
      }
      m->rows = *rows;
      m->values.resize(static_cast<std::size_t>(m->rows * m->columns));
      if (index)
        single.emplace_back(*index, std::move(*m));
      else
        inputs_ = std::move(*m);
    }
    if (!whole) {
      if (const exit_code code = make_inputs(rows, given); code != success) return code;
    }
    for (const auto& [column, m] : single)
      for (std::size_t row = 0; row < m.rows; ++row)
        inputs_.values[row * columns + column] = m.values[row];
    if (inputs_.rows == 0) show_note("0 samples");
    if (whole && options_.seed) show_note("--random has nothing to do: a file gives all inputs");
    return success;
  }

  /// Random values for all inputs; or zeros, when files give every column.
  [[nodiscard]] exit_code make_inputs(std::optional<std::uint64_t> rows,
                                      const std::vector<char>& given) {
    const std::uint64_t columns = machine_.inputs();
    if (!options_.seed)
      for (std::size_t j = 0; j < given.size(); ++j)
        if (given[j] == 0)
          return usage("no values for input " + std::to_string(j) + ": give --input FILE with " +
                       std::to_string(columns) + " columns, --input " + std::to_string(j) +
                       "=FILE, or --random SEED");
    inputs_.rows = rows.value_or(options_.seed ? 16 : 1);
    inputs_.columns = columns;
    if (const exit_code code = check_size("inputs", columns); code != success) return code;
    if (const exit_code code = check_size("outputs", machine_.outputs()); code != success)
      return code;
    if (options_.seed)
      inputs_ = io::random_matrix(inputs_.rows, input_intervals(program_), *options_.seed);
    else
      inputs_.values.resize(static_cast<std::size_t>(inputs_.rows * columns));
    return success;
  }

  /// As many samples and values as one run takes.
  [[nodiscard]] exit_code check_size(std::string_view what, std::uint64_t columns) const {
    std::uint64_t values = 0;
    if (checked_mul(inputs_.rows, columns, values) && values <= limits{}.max_items &&
        inputs_.rows <= limits{}.max_items)
      return success;
    return usage("the " + std::string(what) + " would be more than " +
                 std::to_string(limits{}.max_items) + " values: run fewer samples at a time");
  }

  [[nodiscard]] static std::string no_such(std::string_view what, const std::string& name,
                                           std::uint64_t count) {
    std::string out = "no " + std::string(what) + " is named '" + name + "': ";
    if (count == 0) return out + "the program has none";
    out += "ALIR " + std::string(what) + "s are numbered from 0";
    return count == 1 ? out : out + " to " + std::to_string(count - 1);
  }

  [[nodiscard]] exit_code check_outputs() {
    if (options_.outputs.empty() && !options_.json) targets_.emplace_back("-");
    for (const std::string& argument : options_.outputs) targets_.emplace_back(argument);
    unsigned to_stdout = options_.json ? 1 : 0;
    std::set<std::string> paths;
    for (const binding& b : targets_) {
      if (b.path != "-" && b.path != "/dev/null" && !paths.insert(b.path).second)
        return usage("two results for the file '" + shown_name(b.path) + "'");
      if (b.path == "-" && (options_.output_format == "npy" || options_.output_format == "raw") &&
          isatty(STDOUT_FILENO) == 1)
        return usage("binary numbers on a terminal: give a file, or a pipe");
      if (b.name && !b.index(machine_.outputs()))
        return usage(no_such("output", *b.name, machine_.outputs()));
      if (b.path == "-" && ++to_stdout > 1)
        return usage(options_.json ? "--json goes to standard output: give outputs a file"
                                   : "only one result can go to standard output");
    }
    return success;
  }

  [[nodiscard]] exit_code execute() {
    using clock = std::chrono::steady_clock;
    std::uint64_t all = 0;
    if (options_.max_steps && (!checked_mul(inputs_.rows, std::uint64_t{machine_.size()}, all) ||
                               all > *options_.max_steps))
      return report({.code = errc::budget_steps}, 0);
    outputs_ = {inputs_.rows, machine_.outputs(), {}};
    if (const exit_code code = check_size("outputs", machine_.outputs()); code != success)
      return code;
    outputs_.values.resize(static_cast<std::size_t>(outputs_.rows * outputs_.columns));
    const clock::time_point start = clock::now();
    progress shown(inputs_.rows);
    // Enough samples at a time that the clock and threads cost nothing, few enough that progress
    // moves.
    const std::uint64_t chunk =
        128 * threads(options_) * std::max<std::uint64_t>(1, 1000000 / (machine_.size() + 1));
    for (std::uint64_t first = 0; first < inputs_.rows; first += chunk) {
      const std::uint64_t n = std::min(chunk, inputs_.rows - first);
      const vm::alir::outcome done =
          machine_.run(std::span(inputs_.values).subspan(first * machine_.inputs()),
                       std::span(outputs_.values).subspan(first * machine_.outputs()), n);
      steps_ += done.steps;
      if (!done) {
        shown.clear();
        return report(done, first);
      }
      shown.advance(n);
    }
    seconds_ = std::chrono::duration<double>(clock::now() - start).count();
    return success;
  }

  [[nodiscard]] exit_code report(const vm::alir::outcome& done, std::uint64_t first) const {
    const error e{done.code};
    text where;
    if (done.operation >= 0)
      where << " at operation " << done.operation << ", sample " << first + done.sample;
    diagnostic d;
    d.rule = e.name();
    d.message = std::string(e.message()).append(where.view());
    d.shown = file_.name + ": error: " + std::string(e.message()) + "\n  [" + d.rule + ']' +
              std::string(where.view()) + '\n';
    const exit_code code = to_.fail(d, bad_input, file_.what);
    note_limit(done.code, to_);
    return code;
  }

  [[nodiscard]] exit_code write_outputs() const {
    for (const binding& b : targets_) {
      io::matrix column;
      if (b.name) {
        const std::uint64_t j = *b.index(machine_.outputs());
        column = {outputs_.rows, 1, {}};
        for (std::uint64_t row = 0; row < outputs_.rows; ++row)
          column.values.push_back(outputs_.values[row * outputs_.columns + j]);
      }
      const text encoded =
          io::encode_matrix(b.name ? column : outputs_, format_of(options_.output_format, b.path));
      if (const exit_code code = write_result(b.path, as_bytes(encoded)); code != success)
        return code;
    }
    return success;
  }

  [[nodiscard]] exit_code print_summary() const {
    text out;
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path)).key("format").string("alir");
    w.key("ok").boolean(true).key("samples").integer(inputs_.rows);
    w.key("inputs").integer(machine_.inputs()).key("outputs").integer(machine_.outputs());
    w.key("operations").integer(machine_.size()).key("steps").integer(steps_);
    w.key("vm_bytes").integer(machine_.memory()).key("seconds").number(seconds_).end();
    out << '\n';
    return print_result(out);
  }

  const run_options& options_;
  reporting to_;
  const source& file_;
  const alir::program& program_;
  vm::alir::machine machine_;
  io::matrix inputs_, outputs_;
  std::vector<binding> targets_;
  std::uint64_t steps_ = 0;
  double seconds_ = 0;
};

[[nodiscard]] exit_code run_alir(const run_options& o, const source& file, const reporting& to) {
  if (o.files.size() > 1)
    return usage_error("run",
                       "one ALIR program at a time; several files are the ranks of an ARK "
                       "model");
  if (o.fast || o.steps || o.max_memory || o.mpi || o.nac.any() || o.nem.any())
    return usage_error(
        "run", "--fast, --steps, --max-memory and the options of NAC and NEM aren't for ALIR");
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  return p ? runner(o, file, *p).run() : to.fail(found, p.error(), file);
}

[[nodiscard]] exit_code run_files(const run_options& o) {
  if (std::count(o.files.begin(), o.files.end(), "-") > 1)
    return usage_error("run", "standard input can be read only once");
  const reporting to{o.files[0], o.json};
  loaded in = load_source(to, streams_of(o.genome.registry));
  if (!in) return in.code;
  const bool is_stream = info(in.file->what).act == &file_actions::genome_stream ||
                         in.file->what == format::genome_signatures;
  if (!is_stream && o.genome.any())
    return usage_error("run", "--registry and --stream are for NAC v1.2");
  switch (in.file->what) {
    case format::alir_json:
    case format::alir_bytecode: return run_alir(o, *in.file, to);
    case format::ark_model:
      if (o.samples || o.threads) return usage_error("run", "--samples and --threads are for ALIR");
      if (o.nac.any() || o.nem.any())
        return usage_error("run", "the options of NAC and NEM aren't for ARK");
      return run_ark(o, std::move(*in.file));
    case format::nac:
      if (o.files.size() > 1) return usage_error("run", "one NAC container at a time");
      if (o.samples || o.threads || o.fast || o.mpi)
        return usage_error("run", "--samples, --threads, --fast and --mpi are for other formats");
      if (o.nem.any()) return usage_error("run", "NEM's options aren't for NAC");
      if (const std::string& s = o.nac.schedule;
          !s.empty() && s != "file" && s != "planned" && s != "none")
        return usage_error("run", "--schedule of a NAC container is file, planned or none, not '" +
                                      shown_name(s) + "'");
      return run_nac(o, *in.file);
    case format::nem:
      if (o.files.size() > 1) return usage_error("run", "one NEM program at a time");
      if (o.samples || o.threads || o.fast || o.mpi)
        return usage_error("run", "--samples, --threads, --fast and --mpi are for other formats");
      if (o.nac.any_of_nac()) return usage_error("run", "NAC's options aren't for NEM");
      return run_nem(o, *in.file);
    case format::genome_stream:
    case format::genome_binary:
    case format::genome_signatures:
      if (o.files.size() > 1) return usage_error("run", "one stream at a time");
      if (o.samples || o.threads || o.fast || o.mpi || o.nem.any() || o.nac.any_but_inputs())
        return usage_error("run",
                           "of the options for other formats, --shape, --weights, --steps, "
                           "--max-steps and --max-memory are for NAC v1.2");
      return run_genome(o, *in.file);
    case format::genome_registry:
    case format::ark_plan:
    case format::nac_assembly:
    case format::safetensors: return not_for(*in.file, to, "run", "programs and models");
    case format::unknown: break;  // load_source lets none through
  }
  return bad_input;
}

}  // namespace

void add_nac_options(const command& verb, nac_run_options& o, bool of_nem) {
  verb.add_option("--shape", o.shapes, "NAC: shape and type of an input: 1x3x224x224, or 1x16:i64")
      ->type_name("[NAME=]SHAPE")
      ->one_value();
  verb.add_option("--text", o.texts, "NAC: text for an input, through the tokenizer")
      ->type_name("[NAME=]TEXT")
      ->one_value();
  verb.add_option("--weights", o.weights,
                  "NAC: the file of weights that stand outside, if it isn't beside")
      ->type_name("FILE");
  std::string schedule =
      "NAC: when results are freed: as the file says (else after their\n"
      "last use), as planned anew, or none before the end";
  if (of_nem)
    schedule +=
        ": file,\n"
        "planned, none\n"
        "NEM: which of the tasks that may start does: in-order (as the text\n"
        "has them), reverse, random or random:SEED";
  const option option = verb.add_option("--schedule", o.schedule, schedule);
  if (of_nem)
    option->type_name("ORDER");
  else
    option->one_of({"file", "planned", "none"});
}

void add_max_steps(const command& verb, std::optional<std::uint64_t>& max_steps) {
  verb.add_option("--max-steps", max_steps,
                  "Steps that a run may take (4294967296): an element that is read or written\n"
                  "is one or a few, an instruction 64; ALIR: operations times samples (all)")
      ->type_name("COUNT")
      ->whole_number();
}

void note_limit(errc code, const reporting& to) {
  if (code == errc::budget_steps && !to.as_json) show_note("--max-steps allows more");
}

void add_run(const command& app, action& run) {
  const auto o = std::make_shared<run_options>();
  const command verb = app.add_subcommand("run", "Run a program on samples");
  const std::vector<std::string> formats = {"csv", "npy", "raw"};
  verb.add_option("FILE", o->files,
                  "The program, or the ranks of an ARK model; - is standard input")
      ->required();
  verb.add_option("-i,--input", o->inputs,
                  "Samples, a row each, for all inputs or for one; else a tensor's elements")
      ->type_name("[NAME=]FILE")
      ->one_value();
  verb.add_option("-o,--output", o->outputs,
                  "Where all outputs or one go; - is standard output, and the default")
      ->type_name("[NAME=]FILE")
      ->one_value();
  verb.add_option("--random", o->seed,
                  "Random values, for inputs without a file; of NAC plans: for sampling")
      ->type_name("SEED")
      ->whole_number();
  verb.add_option("--samples", o->samples,
                  "ALIR: how many samples: the first of the files, or so many random ones (16)")
      ->type_name("COUNT")
      ->whole_number();
  verb.add_option("--input-format", o->input_format, "csv, npy or raw, whatever the names say")
      ->one_of(formats);
  verb.add_option("--output-format", o->output_format, "csv, npy or raw, whatever the names say")
      ->one_of(formats);
  verb.add_option("--threads", o->threads,
                  "ALIR: threads for large batches (1); 0: one for each processor")
      ->type_name("COUNT")
      ->between(0u, 1024u);
  verb.add_flag("--fast", o->fast,
                "ARK: sums of products in FP32 and in any order, rather than in FP64");
  verb.add_option("--steps", o->steps,
                  "ARK, NAC, NEM: run so many times (1); buffers and states stay")
      ->type_name("COUNT")
      ->whole_number();
  verb.add_option("--max-memory", o->max_memory,
                  "ARK, NAC, NEM: bytes that values may take (4 GiB)")
      ->type_name("BYTES")
      ->whole_number();
#ifdef TESSERA_HAS_MPI
  verb.add_flag("--mpi", o->mpi, "ARK: each rank in a process of its own, as mpirun starts them");
#endif
  add_nac_options(verb, o->nac, true);
  verb.add_option("--answer", o->nac.answers,
                  "NAC: an answer to the plan's prompts; others are lines of input")
      ->type_name("TEXT")
      ->one_value();
  verb.add_option("--folder", o->nac.folder,
                  "NAC: the folder of the plan's files. Without it none is written, and\n"
                  "those that it reads lie beside the container")
      ->type_name("DIRECTORY");
  verb.add_flag("--any-path", o->nac.any_path,
                "NAC: the files that the plan reads may lie anywhere");
  verb.add_flag("--raw", o->nac.raw,
                "NAC: what the plan prints, with control characters as they are");
  verb.add_option("--mode", o->nac.mode, "NAC: what the plan is told to do (infer)")
      ->type_name("WORD");
  add_max_steps(verb, o->max_steps);
  verb.add_flag("--no-plan", o->nac.no_plan, "NAC: run the program, although there is a plan");
  add_nem_options(verb, o->nem.reading);
  add_genome_options(verb, o->genome.registry);
  verb.add_option("--stream", o->genome.stream, "NAC v1.2: which stream of signatures")
      ->type_name("NAME");
  verb.add_flag("--keep-going", o->nem.keep_going,
                "NEM: behind a division by zero or an index out of range, with 0");
  verb.add_flag("--races", o->nem.races,
                "NEM: search the run for tasks that nothing orders, also\nwhere verification did; "
                "a note says if it isn't all of it");
  verb.add_flag("--allow-races", o->nem.allow_races,
                "NEM: run a program with races too; each is a warning");
  verb.add_flag("--json", o->json,
                "A summary as one JSON object, instead of outputs on standard output");
  verb.footer(
      std::string(
          "Files end in .npy, .csv, or anything else for raw little-endian numbers; standard "
          "input\n"
          "and output are CSV. A further .gz or .zst compresses. Random numbers are the same for "
          "a\n"
          "SEED everywhere.\n\n"
          "ALIR: a NAME is an input's or output's number. A file for one input goes over its "
          "column\n"
          "in the file for all. Raw files hold doubles. Random samples are uniform in the "
          "interval\n"
          "of each input.\n\n"
          "ARK: a NAME is a tensor's Id (12, t12 or %12), a buffer's (b3 or @3), or the name of "
          "the\n"
          "operation that makes a tensor; with several ranks behind its rank (r0:t12). Files "
          "without\n"
          "a NAME are for the inputs and outputs that `tessera info` lists, in that order. "
          "Without\n"
          "--output a summary of all outputs is shown. Files hold the elements of the tensor's\n"
          "Shape: .npy files in its type (BF16 as uint16) and shape, which may lack or add\n"
          "dimensions of 1; .csv files a line for each row; those of buffers all its bytes. "
          "Random\n"
          "elements lie in [-1, 1), or are small integers. Buffers are zero at first.\n\n"
          "NAC: a NAME is an input's, as `tessera info` lists it, or its index; state:0 is a "
          "state. "
          ".npy\n"
          "files have a shape and a type; others need --shape. An input with a shape alone is "
          "zeros, "
          "or\n"
          "random. A --text goes through the container's tokenizer, as int64 [1, n]. A container "
          "with "
          "a\n"
          "plan runs that, unless inputs or outputs are given. Plans read files below --folder or "
          "beside the\n"
          "container, and write them below --folder alone: none that is hidden, executable or a "
          "link.\n"
          "Without --output a summary of all outputs is shown.\n\n"
          "NEM: a NAME is that of a buffer, or of a region that `let` names; outputs may also be "
          "regions\n"
          "of loops, as they were last. Bytes are zero without an input, which is a warning once "
          "they are\n"
          "read; -i NAME=zero says that they are to be, -i NAME=random fills a buffer or a region "
          "from SEED\n"
          "(0), and files of these names are ./zero and ./random. --random fills all that is read "
          "before it\n"
          "is written, with elements of the type that it is read as: floats in [-1, 1), integers "
          "of a byte,\n"
          "indices that are in range. .npy files hold a region's elements (BF16 as uint16, I4 as "
          "int8), or\n"
          "a buffer's bytes as any type; .csv files numbers, of a buffer too, where all of it has "
          "one type;\n"
          "raw files bytes, with two I4 in each. Without --output a summary is shown of the "
          "buffers that are\n"
          "written in DDR (or else in L2 or L1). Verification refuses races; where it had no time "
          "to look\n"
          "at all tasks, the run searches for them.\n\n"
          "NAC v1.2: a NAME is an input's index or a parameter's name. Parameters come from the "
          "tensors of\n"
          "their names in --weights, or from --input; files without a NAME are for the inputs.\n"
          "\n"
          "Examples:\n"
          "  tessera run model.json.gz --input x.csv\n"
          "  tessera run model.json --input x.npy --output y.npy\n"
          "  tessera run model.json -i 0=a.csv -i 1=b.csv -o 3=third.csv\n"
          "  tessera run model.bc --random 1 --samples 1000 --json -o y.f64\n"
          "  generate | tessera run model.json --input - | plot\n"
          "  tessera run ark.json --random 1 -i t0=x.npy -o matmul=y.npy\n"
          "  tessera run rank0.json rank1.json --random 1 -o r1:t12=-\n"
          "  tessera run resnet.nac --shape 1x3x224x224 --random 1 --json\n"
          "  tessera run bert.nac --text input_ids='a text' -i attention_mask=ones.npy -o 0=y.npy\n"
          "  tessera run classifier.nac --answer cat.png\n"
          "  tessera run gemm.nem -i inputs=x.npy -i weights=w.bin -i biases=zero -o y=y.npy\n"
          "  tessera run gemm.nem --random 1 --schedule random:7 --json\n"
          "  tessera run racy.nem --allow-races --schedule reverse -o outputs=-\n"
          "  tessera run head.b64 --registry registry.json --weights model.safetensors -i "
          "x.npy\n\n") +
      exit_codes_help);
  verb.callback([o, &run] { run = [o] { return run_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
