// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for streams of NAC v1.2.

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "genome.hpp"
#include "nac_values.hpp"
#include "runnable.hpp"
#include "vm/genome/interpreter.hpp"
#include "vm/nac/load.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vg = vm::genome;
namespace vn = vm::nac;

namespace {

/// Inputs by index, then parameters by their ids; outputs by index.
class stream_runnable final : public runnable {
 public:
  stream_runnable(const run_options& o, const stored_stream& s, const genome::program& p)
      : options_(o),
        to_{o.files[0], o.json},
        stream_(s),
        machine_(p, {.max_memory = budget_of(o).max_memory}) {}

  [[nodiscard]] exit_code bind_inputs() override {
    if (!machine_.made()) return fail(machine_.made());
    inputs_.resize(machine_.inputs());
    std::vector<bound_word> shapes, files;
    exit_code code = bind_words("run", options_.nac.shapes, names(false), true, shapes);
    if (code == success) code = bind_words("run", options_.inputs, names(true), true, files);
    if (code != success) return code;
    for (const bound_word& b : shapes) {
      std::optional<tensor_form>& form = inputs_[static_cast<std::size_t>(b.of)].form;
      form = parse_form(b.word);
      if (!form)
        return usage("'" + shown_name(b.word) +
                     "' isn't a shape; expected 1x3x224x224, 1x16:i64 or, for rank 0, :f32");
    }
    for (const bound_word& b : files) {
      if (b.of >= first_parameter) {
        parameters_[static_cast<std::uint32_t>(b.of - first_parameter)] = b.word;
        continue;
      }
      std::string& path = inputs_[static_cast<std::size_t>(b.of)].path;
      if (!path.empty()) return usage("two values for input " + std::to_string(b.of));
      path = b.word;
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const given& g = inputs_[i];
      if (g.path.empty() && !g.form)
        return usage("no value for input " + std::to_string(i) +
                     "; give --input FILE, or --shape 1x3 for zeros (random numbers with --random "
                     "SEED)");
      if (!g.form && format_of(options_.input_format, g.path) != io::array_format::npy)
        return usage("no shape for input " + std::to_string(i) + "; give --shape " +
                     std::to_string(i) + "=1x3, or an .npy file");
    }
    return check_stdin("run", options_, files);
  }

  [[nodiscard]] port_names outputs() override {
    return {[this](const std::string& name, std::string& wrong) -> std::optional<port> {
              if (name.size() < 6 && name.find_first_not_of("0123456789") == name.npos) {
                const port number = std::stoul(name);
                next_ = number + 1;
                return number;
              }
              wrong = "unknown output '" + shown_name(name) + "'; expected an index";
              return std::nullopt;
            },
            [this](const std::string&, std::string&) { return std::optional<port>(next_++); }};
  }

  [[nodiscard]] exit_code set() override {
    try {
      const exit_code code = set_inputs();
      return code == success ? set_parameters() : code;
    } catch (const vn::fault& f) {
      return fail_inputs(f, stream_.file->name, to_, stream_.file->what);
    }
  }

  [[nodiscard]] exit_code run_once(bool) override {
    const vg::outcome done = machine_.run(budget_of(options_));
    steps_ += done.steps;
    if (!done) return fail(done);
    all_ = tensors_of(machine_.outputs());
    return success;
  }

  [[nodiscard]] std::vector<port> results() override {
    std::vector<port> out(all_.size());
    std::iota(out.begin(), out.end(), port{0});
    return out;
  }
  [[nodiscard]] bool summarises_all() const override { return true; }
  [[nodiscard]] std::optional<port_values> get(port p, io::array_format) override {
    if (p < all_.size()) return values_of(all_[static_cast<std::size_t>(p)]);
    (void)usage("unknown output " + std::to_string(p) + "; the stream has " +
                plural(all_.size(), "output"));
    return std::nullopt;
  }
  void show(text& out, port p) override {
    out << "output " << p << ' ';
    show_values(out, values_of(all_[static_cast<std::size_t>(p)]));
  }
  void write(json::writer& w, port p) override {
    write_values(w, values_of(all_[static_cast<std::size_t>(p)]));
  }
  void write_figures(json::writer& w, double seconds) const override {
    w.key("steps").integer(steps_).key("seconds").number(seconds);
  }
  [[nodiscard]] std::string_view no_results() const override { return "the stream has no outputs"; }

 private:
  static constexpr port first_parameter = port{1} << 32;
  struct given {
    std::string path;
    std::optional<tensor_form> form = {};
  };

  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error("run", message);
  }
  [[nodiscard]] std::string_view parameter(std::uint32_t id) const {
    return machine_.program().library().parameter(id);
  }
  /// Of inputs, and of parameters if they are `files`.
  [[nodiscard]] port_names names(bool files) const {
    std::vector<port> all(inputs_.size());
    std::iota(all.begin(), all.end(), port{0});
    const auto find = [this, files](const std::string& name,
                                    std::string& wrong) -> std::optional<port> {
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (std::to_string(i) == name) return i;
      for (const std::uint32_t id : machine_.parameters())
        if (files && parameter(id) == name) return first_parameter + id;
      wrong = "unknown input or parameter '" + shown_name(name) + "'; the stream has " +
              plural(inputs_.size(), "input") + ", numbered from 0, and " +
              plural(machine_.parameters().size(), "parameter");
      return std::nullopt;
    };
    return {find, in_order(std::move(all),
                           "too many values; the stream has " + plural(inputs_.size(), "input"))};
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

  const run_options& options_;
  reporting to_;
  const stored_stream& stream_;
  vg::interpreter machine_;
  std::vector<given> inputs_;
  std::map<std::uint32_t, std::string> parameters_;  // paths by id
  std::vector<vn::tensor> all_;
  port next_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

exit_code run_genome(const run_options& o, const source& file) {
  const reporting to{o.files[0], o.json};
  libraries registries(o.genome.registry);
  exit_code code = success;
  const genome::library* const library = registries.of(to, code);
  if (library == nullptr) return code;
  const stream_choice chosen = choose_stream(file, to, "run", o.genome.stream);
  if (!chosen.stream) return chosen.code;
  const program_outcome in = verify_stream(*chosen.stream, *library, to);
  if (!in.program) return in.code;
  stream_runnable machine(o, *chosen.stream, *in.program);
  return run_program(machine, o, to, file.what);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
