// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for streams of NAC v1.2.

#include <algorithm>
#include <chrono>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "genome.hpp"
#include "nac_values.hpp"
#include "vm/genome/interpreter.hpp"
#include "vm/nac/load.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vg = vm::genome;
namespace vn = vm::nac;

namespace {

class stream_runner {
 public:
  stream_runner(const run_options& o, const stored_stream& s, const genome::program& p)
      : options_(o), to_{o.files[0], o.json}, stream_(s), machine_(p, options_of(o)) {}

  [[nodiscard]] exit_code run() {
    if (!machine_.made()) return fail(machine_.made());
    exit_code code = bind();
    if (code == success) code = bind_outputs();
    if (code != success) return code;
    try {
      code = set_inputs();
      if (code == success) code = set_parameters();
    } catch (const vn::fault& f) {
      return fail_inputs(f, stream_.file->name, to_, stream_.file->what);
    }
    if (code == success) code = execute();
    if (code == success) code = write_results();
    if (code == success && (options_.json || targets_.empty())) code = summarise();
    return code;
  }

 private:
  struct given {
    std::string path;
    std::optional<tensor_form> form = {};
  };
  /// An output and its file.
  struct target {
    std::size_t output = 0;
    std::string path;
  };

  [[nodiscard]] static vg::interpreter_options options_of(const run_options& o) {
    return {.max_memory = budget_of(o).max_memory};
  }
  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error("run", message);
  }
  [[nodiscard]] std::string_view parameter(std::uint32_t id) const {
    return machine_.program().library().parameter(id);
  }

  /// Splits [NAME=]WORD; `name` is empty if there is none. WORD may be a path with '='.
  static void split(const std::string& argument, std::string& name, std::string& word) {
    const std::size_t equals = argument.find('=');
    name = equals == argument.npos ? "" : argument.substr(0, equals);
    if (name.find('/') != name.npos) name.clear();
    word = name.empty() ? argument : argument.substr(equals + 1);
  }
  /// The input of a NAME, its index.
  [[nodiscard]] std::optional<std::size_t> input_named(const std::string& name) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (std::to_string(i) == name) return i;
    return std::nullopt;
  }
  [[nodiscard]] exit_code no_input(const std::string& name) const {
    return usage("unknown input or parameter '" + shown_name(name) + "'; the stream has " +
                 plural(inputs_.size(), "input") + ", numbered from 0, and " +
                 plural(machine_.parameters().size(), "parameter"));
  }

  /// The source of an input.
  [[nodiscard]] exit_code bind() {
    inputs_.resize(machine_.inputs());
    std::string name, word;
    const auto place = [&](const auto& is_free) -> std::optional<std::size_t> {
      if (!name.empty()) return input_named(name);
      const auto at = std::find_if(inputs_.begin(), inputs_.end(), is_free);
      if (at == inputs_.end()) return std::nullopt;
      return static_cast<std::size_t>(at - inputs_.begin());
    };
    for (const std::string& argument : options_.nac.shapes) {
      split(argument, name, word);
      const auto at = place([](const given& g) { return !g.form; });
      if (!at) return name.empty() ? too_many() : no_input(name);
      inputs_[*at].form = parse_form(word);
      if (!inputs_[*at].form)
        return usage("'" + shown_name(word) +
                     "' isn't a shape; expected 1x3x224x224, 1x16:i64 or, for rank 0, :f32");
    }
    for (const std::string& argument : options_.inputs) {
      split(argument, name, word);
      if (const auto ids = machine_.parameters(); !name.empty() && !input_named(name)) {
        const auto id = std::find_if(ids.begin(), ids.end(),
                                     [&](std::uint32_t i) { return parameter(i) == name; });
        if (id == ids.end()) return no_input(name);
        parameters_[*id] = word;
        continue;
      }
      const auto at = place([](const given& g) { return g.path.empty(); });
      if (!at) return too_many();
      if (!inputs_[*at].path.empty()) return usage("two values for input " + std::to_string(*at));
      inputs_[*at].path = word;
    }
    std::size_t from_stdin =
        static_cast<std::size_t>(std::count(options_.files.begin(), options_.files.end(), "-"));
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const given& g = inputs_[i];
      if (g.path == "-") ++from_stdin;
      if (g.path.empty() && !g.form)
        return usage("no value for input " + std::to_string(i) +
                     "; give --input FILE, or --shape 1x3 for zeros (random numbers with --random "
                     "SEED)");
      if (!g.form && format_of(options_.input_format, g.path) != io::array_format::npy)
        return usage("no shape for input " + std::to_string(i) + "; give --shape " +
                     std::to_string(i) + "=1x3, or an .npy file");
    }
    for (const auto& [id, path] : parameters_) from_stdin += static_cast<std::size_t>(path == "-");
    return from_stdin > 1 ? usage("standard input can be read only once") : success;
  }
  [[nodiscard]] exit_code too_many() const {
    return usage("too many values; the stream has " + plural(inputs_.size(), "input"));
  }

  [[nodiscard]] exit_code bind_outputs() {
    output_paths paths(options_);
    std::string name, word;
    std::size_t next = 0;
    for (const std::string& argument : options_.outputs) {
      split(argument, name, word);
      if (name.size() > 5 || name.find_first_not_of("0123456789") != name.npos)
        return usage("unknown output '" + shown_name(name) + "'; expected an index");
      target t{name.empty() ? next : std::stoul(name), word};
      next = t.output + 1;
      if (const exit_code code = paths.add(word); code != success) return code;
      targets_.push_back(std::move(t));
    }
    return success;
  }

  [[nodiscard]] exit_code set_inputs() {
    std::uint64_t random = options_.seed.value_or(0);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const given& g = inputs_[i];
      if (!g.form) {
        io::expected<vn::value> v = read_npy(g.path, machine_.arena());
        if (!v) return to_.fail(v.error());
        machine_.set_input(i, std::move(*v));
        continue;
      }
      const element_shape what = elements_of(*g.form);
      const vn::tensor t = vn::make_tensor(machine_.arena(), g.form->type, g.form->dims);
      std::vector<std::byte> values(t.bytes());
      if (!g.path.empty()) {
        io::expected<std::vector<std::byte>> read =
            read_elements(g.path, format_of(options_.input_format, g.path), what);
        if (!read) return to_.fail(read.error());
        values = std::move(*read);
      } else if (options_.seed) {
        const bool whole = !is_floating(g.form->type);
        const double max = !whole || g.form->type == nac::data_type::boolean
                               ? 1
                               : 15;  // small, as it may be an index
        for (std::size_t k = 0; k < t.size(); ++k)
          (void)store_element(values, what.type, k,
                              random_number(random, whole ? 0 : -1, max, whole));
      }
      machine_.set_input(i, vn::load(machine_.arena(), g.form->type, g.form->dims,
                                     {values.data(), values.size()}));
    }
    return success;
  }

  [[nodiscard]] exit_code set_parameters() {
    for (const auto& [id, path] : parameters_) {
      io::expected<vn::value> v = read_npy(path, machine_.arena());
      if (!v) return to_.fail(v.error());
      (void)machine_.set_parameter(id, std::move(*v));
    }
    if (!options_.nac.weights.empty()) {
      const weights_outcome in = load_weights({options_.nac.weights, options_.json});
      if (!in.weights) return in.code;
      for (const std::uint32_t id : machine_.parameters()) {
        const std::size_t i = in.weights->find(parameter(id));
        if (i == in.weights->size() || parameters_.count(id) != 0) continue;
        const nac::external_tensor t = (*in.weights)[i];
        if (!t.representable) return to_.fail({errc::nac_weights_form, t.offset}, *in.file);
        (void)machine_.set_parameter(id, vn::load(machine_.arena(), t.as));
        parameters_.emplace(id, options_.nac.weights);
      }
    }
    for (const std::uint32_t id : machine_.parameters())
      if (parameters_.count(id) == 0)
        return usage("no value for parameter '" + shown_name(parameter(id)) +
                     "'; give --weights FILE.safetensors or --input NAME=FILE.npy");
    return success;
  }

  [[nodiscard]] exit_code execute() {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    for (std::uint64_t i = 0; i < options_.steps.value_or(1); ++i) {
      const vg::outcome done = machine_.run(budget_of(options_));
      steps_ += done.steps;
      if (!done) return fail(done);
    }
    seconds_ = std::chrono::duration<double>(clock::now() - start).count();
    return success;
  }

  [[nodiscard]] exit_code fail(const vg::outcome& done) const {
    diagnostic d = stream_.diagnose_stream({done.code, done.offset}, machine_.program().stream());
    if (!done.text.empty()) {
      const std::string found = ": " + shown_name(done.text);
      if (const std::size_t at = d.shown.find(d.message); at != d.shown.npos)
        d.shown.insert(at + d.message.size(), found);
      d.message += found;
    }
    if (done.pattern != vg::outcome::none)
      d.shown += "  at node " + std::to_string(done.pattern_node) + " of pattern " +
                 std::to_string(done.pattern) + '\n';
    const exit_code code = to_.fail(d, bad_input, stream_.file->what);
    note_limit(done.code, to_);
    return code;
  }

  [[nodiscard]] exit_code write_results() const {
    const std::vector<vn::tensor> all = tensors_of(machine_.outputs());
    for (const target& t : targets_)
      if (t.output >= all.size())
        return usage("unknown output " + std::to_string(t.output) + "; the stream has " +
                     plural(all.size(), "output"));
    for (const target& t : targets_) {
      const exit_code code = write_tensor(all[t.output], t.path, options_.output_format, to_);
      if (code != success) return code;
    }
    return success;
  }

  [[nodiscard]] exit_code summarise() const {
    const std::vector<vn::tensor> all = tensors_of(machine_.outputs());
    text out;
    if (!options_.json) {
      show_outputs(out, all);
      if (all.empty()) show_note("the stream has no outputs");
      return out.empty() ? success : print_result(out);
    }
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path)).key("format").string("genome");
    w.key("ok").boolean(true).key("steps").integer(steps_).key("seconds").number(seconds_);
    write_outputs(w, all);
    w.end();
    out << '\n';
    return print_result(out);
  }

  const run_options& options_;
  reporting to_;
  const stored_stream& stream_;
  vg::interpreter machine_;
  std::vector<given> inputs_;
  std::map<std::uint32_t, std::string> parameters_;  // paths by id
  std::vector<target> targets_;
  std::uint64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace

exit_code run_genome(const run_options& o, const source& file) {
  const reporting to{o.files[0], o.json};
  libraries registries(o.genome.registry);
  exit_code code = success;
  const genome::library* const library = registries.of(to, code);
  if (library == nullptr) return code;
  const bool several = file.what == format::genome_signatures;
  if (!several && !o.genome.stream.empty())
    return usage_error("run", "--stream applies only to signatures; this is " +
                                  std::string(info(file.what).article) +
                                  std::string(info(file.what).description));
  std::vector<stored_stream> streams;
  std::string names;
  code = each_stream(file, to, [&](const stored_stream& s) {
    if (!several || s.name == o.genome.stream || o.genome.stream.empty()) streams.push_back(s);
    names.append(names.empty() ? "" : ", ").append(shown_name(s.name));
    return success;
  });
  if (code != success) return code;
  if (streams.size() != 1)
    return usage_error(
        "run", (o.genome.stream.empty()
                    ? "no stream selected; give --stream with one of "
                    : "unknown stream '" + shown_name(o.genome.stream) + "'; expected one of ") +
                   names);
  const program_outcome in = verify_stream(streams[0], *library, to);
  return in.program ? stream_runner(o, streams[0], *in.program).run() : in.code;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
