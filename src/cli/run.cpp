// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run`: runs a program on inputs from files or random ones, and writes its outputs.

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include <thread>

#include "ark.hpp"
#include "genome.hpp"
#include "io/arrays.hpp"
#include "nac.hpp"
#include "run.hpp"
#include "tessera/vm/alir.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

io::array_format format_of(const std::string& option, const std::string& path) {
  if (option == "csv" || (option.empty() && path == "-")) return io::array_format::csv;
  if (option == "npy") return io::array_format::npy;
  return option == "raw" ? io::array_format::raw : io::array_format_of_name(path);
}

exit_code output_paths::add(const std::string& path) {
  if (path != "-" && path != "/dev/null" && !paths_.insert(path).second)
    return usage_error("run", "two outputs for the file '" + shown_name(path) + "'");
  if (path != "-") return success;
  if (++to_stdout_ > 1)
    return usage_error("run", options_.json ? "--json goes to standard output; give outputs a file"
                                            : "only one output can go to standard output");
  if (isatty(STDOUT_FILENO) == 1 &&
      format_of(options_.output_format, path) != io::array_format::csv)
    return usage_error("run",
                       "binary numbers can't be written to a terminal; give a file or use a pipe");
  return success;
}

namespace {

/// `[NAME=]FILE`. A NAME has no '/' or '.', so that a path may contain '='.
struct binding {
  std::optional<std::string> name;
  std::string path;

  explicit binding(const std::string& argument) : path(argument) {
    const std::size_t equals = argument.find('=');
    if (equals == argument.npos || equals == 0 || argument.find_first_of("/.") < equals) return;
    name = argument.substr(0, equals);
    path = argument.substr(equals + 1);
  }
  /// The name as an index less than `count`.
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

/// The range of each input, by the intervals of the operations that read it.
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

  /// The whole matrix from a file or random, then files for single columns.
  [[nodiscard]] exit_code gather_inputs() {
    const std::uint64_t columns = machine_.inputs();
    std::vector<char> given(machine_.inputs(), 0);
    std::vector<std::pair<std::uint64_t, io::matrix>> single;
    std::optional<std::uint64_t> rows = options_.samples;
    std::string rows_from = "--samples";
    bool has_all = false, used_stdin = options_.files[0] == "-";
    for (const std::string& argument : options_.inputs) {
      const binding b(argument);
      if (b.path == "-" && std::exchange(used_stdin, true))
        return usage("standard input can be read only once");
      std::optional<std::uint64_t> index;
      if (b.name && !(index = b.index(columns))) return usage(no_such("input", *b.name, columns));
      if (!b.name && std::exchange(has_all, true))
        return usage("two files for all inputs; for one input give INDEX=FILE");
      if (index && std::exchange(given[static_cast<std::size_t>(*index)], char{1}) != 0)
        return usage("two files for input " + *b.name);
      io::expected<io::matrix> m =
          io::read_matrix(b.path, format_of(options_.input_format, b.path), b.name ? 1 : columns);
      if (!m) return to_.fail(m.error());
      // --samples takes the first rows of a longer file; files must have the same number of rows.
      if (rows && (m->rows < *rows || (m->rows != *rows && rows_from != "--samples")))
        return to_.fail(io::failure{io::fault::content,
                                    "expected " + std::to_string(*rows) + " rows, as given by " +
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
    if (!has_all) {
      if (const exit_code code = make_inputs(rows, given); code != success) return code;
    }
    for (const auto& [column, m] : single)
      for (std::size_t row = 0; row < m.rows; ++row)
        inputs_.values[row * columns + column] = m.values[row];
    if (inputs_.rows == 0) show_note("the inputs have 0 samples");
    if (has_all && options_.seed) show_note("--random has no effect: a file has all inputs");
    return success;
  }

  /// Random values for all inputs, or zeros if files give every column.
  [[nodiscard]] exit_code make_inputs(std::optional<std::uint64_t> rows,
                                      const std::vector<char>& given) {
    const std::uint64_t columns = machine_.inputs();
    if (!options_.seed)
      for (std::size_t j = 0; j < given.size(); ++j)
        if (given[j] == 0)
          return usage("no values for input " + std::to_string(j) + "; give --input FILE with " +
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

  /// Refuses more samples or values than one run supports.
  [[nodiscard]] exit_code check_size(std::string_view what, std::uint64_t columns) const {
    std::uint64_t values = 0;
    if (checked_mul(inputs_.rows, columns, values) && values <= limits{}.max_items &&
        inputs_.rows <= limits{}.max_items)
      return success;
    return usage(std::to_string(inputs_.rows) + " samples have too many " + std::string(what) +
                 "; the maximum is " + std::to_string(limits{}.max_items) + " values per run");
  }

  [[nodiscard]] static std::string no_such(std::string_view what, const std::string& name,
                                           std::uint64_t count) {
    std::string out = "unknown " + std::string(what) + " '" + name + "': ";
    if (count == 0) return out + "the program has none";
    out += "ALIR " + std::string(what) + "s are numbered from 0";
    return count == 1 ? out : out + " to " + std::to_string(count - 1);
  }

  [[nodiscard]] exit_code check_outputs() {
    if (options_.outputs.empty() && !options_.json) targets_.emplace_back("-");
    for (const std::string& argument : options_.outputs) targets_.emplace_back(argument);
    output_paths paths(options_);
    for (const binding& b : targets_) {
      if (b.name && !b.index(machine_.outputs()))
        return usage(no_such("output", *b.name, machine_.outputs()));
      if (const exit_code code = paths.add(b.path); code != success) return code;
    }
    return success;
  }

  [[nodiscard]] exit_code execute() {
    using clock = std::chrono::steady_clock;
    std::uint64_t all = 0;
    if (options_.max_steps && (!checked_mul(inputs_.rows, std::uint64_t{machine_.size()}, all) ||
                               all > *options_.max_steps)) {
      vm::alir::outcome refused;
      refused.code = errc::budget_steps;
      return report(refused, 0);
    }
    outputs_ = {inputs_.rows, machine_.outputs(), {}};
    if (const exit_code code = check_size("outputs", machine_.outputs()); code != success)
      return code;
    outputs_.values.resize(static_cast<std::size_t>(outputs_.rows * outputs_.columns));
    const clock::time_point start = clock::now();
    progress shown(inputs_.rows);
    // Large enough that reading the clock and starting threads cost little, small enough that the
    // progress is updated.
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
      where << "at operation " << done.operation << ", sample " << first + done.sample;
    diagnostic d = diagnose(file_.name, e.name(), std::string(e.message()));
    add_place(d, where);
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
      if (const exit_code code = write_result(b.path, as_bytes(encoded), to_); code != success)
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
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  return p ? runner(o, file, *p).run() : to.fail(found, p.error(), file);
}

/// Refuses what doesn't apply to the format of a file.
[[nodiscard]] exit_code check_command_line(const run_options& o, const source& file) {
  if (o.files.size() > 1 && file.what != format::ark_model)
    return usage_error("run", "several files must be the ranks of an ARK model; '" + file.name +
                                  "' is " + std::string(info(file.what).article) +
                                  std::string(info(file.what).description));
  const option_use uses[] = {
      {o.samples.has_value(), "--samples", in_alir},
      {o.threads.has_value(), "--threads", in_alir},
      {o.fast, "--fast", in_ark},
      {o.mpi, "--mpi", in_ark},
      {o.steps.has_value(), "--steps", in_ark | in_nac | in_nem | in_genome},
      {o.max_memory.has_value(), "--max-memory", in_ark | in_nac | in_nem | in_genome},
      {!o.nac.shapes.empty(), "--shape", in_nac | in_genome},
      {!o.nac.weights.empty(), "--weights", in_nac | in_genome},
      {!o.nac.schedule.empty(), "--schedule", in_nac | in_nem},
      {!o.nac.texts.empty(), "--text", in_nac},
      {!o.nac.answers.empty(), "--answer", in_nac},
      {!o.nac.folder.empty(), "--folder", in_nac},
      {!o.nac.mode.empty(), "--mode", in_nac},
      {o.nac.no_plan, "--no-plan", in_nac},
      {o.nac.any_path, "--any-path", in_nac},
      {o.nac.raw, "--raw", in_nac},
      {o.seed_of_operations != 0, "--seed", in_nac},
      {o.nem.reading.profile != "default", "--profile", in_nem},
      {!o.nem.reading.device.empty(), "--device", in_nem},
      {!o.nem.reading.include_folders.empty(), "--include", in_nem},
      {o.nem.keep_going, "--keep-going", in_nem},
      {o.nem.races, "--races", in_nem},
      {o.nem.allow_races, "--allow-races", in_nem},
      {!o.genome.registry.empty(), "--registry", in_genome},
      {!o.genome.stream.empty(), "--stream", in_genome},
  };
  return check_options("run", uses, file);
}

[[nodiscard]] exit_code run_files(const run_options& o) {
  if (std::count(o.files.begin(), o.files.end(), "-") > 1)
    return usage_error("run", "standard input can be read only once");
  const reporting to{o.files[0], o.json};
  loaded in = load_source(to, streams_of(o.genome.registry));
  if (!in) return in.code;
  const auto genome = [&](const source& file) { return run_genome(o, file); };
  return with_source(*in.file, to, "run",
                     {.check = [&o](const source& file) { return check_command_line(o, file); },
                      .alir = [&](const source& file) { return run_alir(o, file, to); },
                      .ark_model = [&](const source&) { return run_ark(o, std::move(*in.file)); },
                      .nac = [&](const source& file) { return run_nac(o, file); },
                      .nem = [&](const source& file) { return run_nem(o, file); },
                      .genome_stream = genome,
                      .genome_signatures = genome});
}

}  // namespace

void add_nac_options(const command& verb, nac_run_options& o, bool of_nem) {
  verb.add_option("--shape", o.shapes,
                  "NAC: the shape and type of an input: 1x3x224x224, or 1x16:i64")
      ->type_name("[NAME=]SHAPE")
      ->one_value();
  verb.add_option("--text", o.texts, "NAC: text for an input, encoded by the container's tokenizer")
      ->type_name("[NAME=]TEXT")
      ->one_value();
  verb.add_option("--weights", o.weights,
                  "NAC: the safetensors file with external weights (model.safetensors in the\n"
                  "folder of model.nac)")
      ->type_name("FILE");
  std::string schedule =
      "NAC: when results are freed: file (by its memory schedule, or after their\n"
      "last use), planned (after their last use, whatever the schedule says) or\nnone (at the end)";
  if (of_nem)
    schedule +=
        "\n"
        "NEM: the order of tasks that are ready: in-order (of the text),\n"
        "reverse, random or random:SEED";
  const option option = verb.add_option("--schedule", o.schedule, schedule);
  if (of_nem)
    option->type_name("ORDER");
  else
    option->one_of({"file", "planned", "none"});
}

void add_max_steps(const command& verb, std::optional<std::uint64_t>& max_steps) {
  verb.add_option("--max-steps", max_steps,
                  "The maximum number of steps (4294967296): an element read or written is one\n"
                  "or a few, an instruction 64; ALIR: operations times samples (unlimited)")
      ->type_name("COUNT")
      ->whole_number();
}

void note_limit(errc code, const reporting& to) {
  if (code == errc::budget_steps && !to.as_json) show_note("--max-steps raises the limit");
}

constexpr std::string_view run_help = R"(
The name of a file gives its format: .npy, .csv, or else raw little-endian numbers; with .gz or .zst
at the end it is compressed. Standard input and output are CSV. Random numbers are the same on every
machine.

ALIR: NAME is the number of an input or output. A file for one input replaces its column of the file
for all inputs. Raw files have doubles. Random samples are uniform in the interval of each input.

ARK: NAME is a tensor's Id (12, t12 or %12), a buffer's Id (b3 or @3), or the name of the operation
that makes a tensor; with several ranks it follows the rank (r0:t12). Files without a NAME are for
the inputs or outputs in the order of `tessera info`. A .npy file has the tensor's type (BF16 as
uint16) and Shape, where dimensions of 1 may be omitted; a .csv file has a line per row; a file for
a buffer has all its bytes. Random elements are in [-1, 1) or small integers. Buffers are zero at
first.

NAC: NAME is the name or else the index of an input, as `tessera info` shows them; state:0 is a
state. A .npy file gives the shape and type; other files need --shape. An input with only --shape is
zeros, or random with --random. --text is encoded as int64 [1, n]. If the container has an execution
plan, that runs, unless inputs or outputs are given. It writes files only in --folder, and none that
is hidden, executable or a link.

NEM: NAME is a buffer, or a region that `let` names; an output may also be a region of a loop, as
the last iteration used it. Bytes without an input are zero; reading them causes a warning. -i
NAME=zero makes the zeros explicit, and -i NAME=random fills a buffer or region with random values
(seed 0, or --random); files of these names are ./zero and ./random. --random fills everything that
is read before it is written, with elements of the type that it is read as: floats in [-1, 1),
integers of a byte, valid indices. A .npy file has the elements of a region (BF16 as uint16, I4 as
int8) or the bytes of a buffer, as any type; a .csv file has numbers, for a buffer only if all of it
has one type; a raw file has bytes, with two I4 in each. The summary shows the buffers written in
DDR, or else in L2 or L1. Verification refuses races; if it can't check all tasks, the run searches
for them.

NAC v1.2: NAME is the index of an input or the name of a parameter. Parameters come from tensors of
the same name in --weights, or from --input; files without a NAME are for the inputs.

Examples:
  tessera run model.json.gz --input x.csv
  tessera run model.json --input x.npy --output y.npy
  tessera run model.json -i 0=a.csv -i 1=b.csv -o 3=third.csv
  tessera run model.bc --random 1 --samples 1000 --json -o y.f64
  generate | tessera run model.json --input - | plot
  tessera run ark.json --random 1 -i t0=x.npy -o matmul=y.npy
  tessera run rank0.json rank1.json --random 1 -o r1:t12=-
  tessera run resnet.nac --shape 1x3x224x224 --random 1 --json
  tessera run bert.nac --text input_ids='a text' -i attention_mask=ones.npy -o 0=y.npy
  tessera run classifier.nac --answer cat.png
  tessera run gemm.nem -i inputs=x.npy -i weights=w.bin -i biases=zero -o y=y.npy
  tessera run gemm.nem --random 1 --schedule random:7 --json
  tessera run racy.nem --allow-races --schedule reverse -o outputs=-
  tessera run head.b64 --registry registry.json --weights model.safetensors -i x.npy

)";

void add_nem_run_options(const command& verb, run_options& o) {
  verb.add_flag("--keep-going", o.nem.keep_going,
                "NEM: continue after a division by zero or an index out of range, with 0");
  verb.add_flag(
      "--races", o.nem.races,
      "NEM: search the run for unordered tasks even if verification did so\nalready; a note "
      "reports an incomplete search");
  verb.add_flag("--allow-races", o.nem.allow_races,
                "NEM: run a program despite races; each is a warning");
}

void add_run(const command& app, action& run) {
  const auto o = std::make_shared<run_options>();
  const command verb =
      app.add_subcommand("run", "Run a program on inputs from files, or on random ones");
  const std::vector<std::string> formats = {"csv", "npy", "raw"};
  verb.add_option("FILE", o->files,
                  "The program, or all ranks of an ARK model; - is standard input")
      ->required();
  verb.add_option("-i,--input", o->inputs,
                  "The values of all inputs or of one: ALIR: a row per sample; else the\nelements "
                  "of a tensor")
      ->type_name("[NAME=]FILE")
      ->one_value();
  verb.add_option("-o,--output", o->outputs,
                  "The file for all outputs or for one (ALIR: standard output; else none, and\na "
                  "summary is shown)")
      ->type_name("[NAME=]FILE")
      ->one_value();
  verb.add_option(
          "--random", o->seed,
          "The seed of random values for inputs without a file, and of NAC execution\nplans")
      ->type_name("SEED")
      ->whole_number();
  verb.add_option("--seed", o->seed_of_operations,
                  "NAC: the seed of the program's random operations (0)")
      ->type_name("SEED")
      ->whole_number();
  verb.add_option("--samples", o->samples,
                  "ALIR: the number of samples: the first of a file (all), or random (16)")
      ->type_name("COUNT")
      ->whole_number();
  verb.add_option("--input-format", o->input_format, "The format of input files (by name)")
      ->one_of(formats);
  verb.add_option("--output-format", o->output_format, "The format of output files (by name)")
      ->one_of(formats);
  verb.add_option("--threads", o->threads,
                  "ALIR: the number of threads (1); 0 is one per processor")
      ->type_name("COUNT")
      ->between(0u, 1024u);
  verb.add_flag("--fast", o->fast, "ARK: sum products in FP32 and in any order, not in FP64");
  verb.add_option("--steps", o->steps,
                  "ARK, NAC, NEM: the number of runs (1); buffers and states keep their values")
      ->type_name("COUNT")
      ->whole_number();
  verb.add_option("--max-memory", o->max_memory,
                  "ARK, NAC, NEM: the maximum memory of values, in bytes (4 GiB)")
      ->type_name("BYTES")
      ->whole_number();
#ifdef TESSERA_HAS_MPI
  verb.add_flag("--mpi", o->mpi, "ARK: run each rank in a process of its own, started by mpirun");
#endif
  add_nac_options(verb, o->nac, true);
  verb.add_option("--answer", o->nac.answers,
                  "NAC: the answer to a prompt of the execution plan; further ones are read\nfrom "
                  "standard input")
      ->type_name("TEXT")
      ->one_value();
  verb.add_option("--folder", o->nac.folder,
                  "NAC: the folder where the execution plan reads and writes files (none: it\n"
                  "reads from the container's folder and writes nothing)")
      ->type_name("DIRECTORY");
  verb.add_flag("--any-path", o->nac.any_path,
                "NAC: permit the execution plan to read files anywhere");
  verb.add_flag("--raw", o->nac.raw,
                "NAC: don't escape control characters that the execution plan prints");
  verb.add_option("--mode", o->nac.mode, "NAC: the mode of the execution plan (infer)")
      ->type_name("WORD");
  add_max_steps(verb, o->max_steps);
  verb.add_flag("--no-plan", o->nac.no_plan,
                "NAC: run the program even if the container has an execution plan");
  add_nem_options(verb, o->nem.reading);
  add_genome_options(verb, o->genome.registry);
  verb.add_option("--stream", o->genome.stream,
                  "NAC v1.2: the name of the stream in a signatures file")
      ->type_name("NAME");
  add_nem_run_options(verb, *o);
  verb.add_flag("--json", o->json, "Print a summary as one JSON object, and outputs only to files");
  verb.footer({run_help, exit_codes_help});
  verb.callback([o, &run] { run = [o] { return run_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
