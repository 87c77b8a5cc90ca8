// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The inputs of `tessera genome`: files of several formats and folders of them, read one at a time.

#include <algorithm>
#include <filesystem>
#include <utility>

#include "ark.hpp"
#include "genome.hpp"
#include "genome/convert.hpp"
#include "genome/join.hpp"
#include "nac.hpp"
#include "pt2.hpp"
#include "tessera/transform/import.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

namespace fs = std::filesystem;

/// A file to read. Registries and weights in folders are skipped.
struct input_file {
  std::string path;
  bool of_folder = false;
};

/// Files, and the files in folders, sorted by name.
[[nodiscard]] exit_code list_files(const genome_inputs& in, std::vector<input_file>& out) {
  for (const std::string& path : in.paths) {
    if (!is_folder(path)) {
      out.push_back({path});
      continue;
    }
    const std::size_t first = out.size();
    const folder_listing found = files_in(path, false);
    if (!found.failures.empty()) return reporting{path, in.json}.fail(found.failures[0]);
    for (const std::string& file : found.files) out.push_back({file, true});
    if (first == out.size()) {
      return reporting{path, in.json}.fail(
          diagnose(shown_name(path), "folder",
                   "no files in the folder; expected NAC containers, PT2 archives, ARK models or "
                   "files of NAC v1.2"),
          bad_input, format::unknown);
    }
  }
  return success;
}

/// A file's name without folder and endings.
[[nodiscard]] std::string model_name(const std::string& path) {
  if (path == "-") return "stdin";
  const std::string name = fs::path(io::without_codec(path)).filename().string();
  const std::size_t dot = name.rfind('.');
  return shown_name(dot == name.npos || dot == 0 ? name : name.substr(0, dot));
}

/// Reads the files, one at a time.
class graph_reader {
 public:
  graph_reader(const genome_inputs& in, std::string_view verb, libraries& registries,
               const std::function<error(const input_graph&)>& act)
      : in_(in), verb_(verb), registries_(registries), act_(act) {}

  [[nodiscard]] input_outcome run() {
    if (std::count(in_.paths.begin(), in_.paths.end(), "-") > 1)
      return {usage_error(verb_, "standard input can be read only once"), false};
    std::vector<input_file> files;
    if (const exit_code code = list_files(in_, files); code != success) return {code, false};
    std::map<std::string, int> names;
    for (const input_file& file : files) ++names[model_name(file.path)];

    input_outcome out;
    progress shown(files.size());
    for (const input_file& file : files) {
      const std::string name = model_name(file.path);
      name_ = names[name] > 1 ? shown_name(file.path) : name;
      shown_ = &shown;
      const exit_code code = read(file);
      shown.advance(1);
      out.code = std::max(out.code, code);
      if (code == success) continue;
      // A wrong command line is wrong for all files.
      if (!in_.keep_going || code == wrong_usage) return {out.code, false};
    }
    shown.clear();
    if (graphs_ != 0 || out.code != success) {
      out.complete = graphs_ != 0;
      return out;
    }
    const diagnostic d = diagnose(shown_name(in_.paths[0]), "empty",
                                  "the inputs have no network; expected at least one");
    return {about(in_.paths[0]).fail(d, bad_input, format::unknown), false};
  }

 private:
  /// With --keep-going, errors are text, because standard output is for the result.
  [[nodiscard]] reporting about(const std::string& path) const {
    if (shown_ != nullptr) shown_->clear();
    return {path, in_.json && !in_.keep_going};
  }

  [[nodiscard]] std::string unique(const std::string& wanted, const std::string& longer) {
    if (names_.insert(wanted).second) return wanted;
    std::string name = longer;
    for (int i = 2; !names_.insert(name).second; ++i) name = longer + '#' + std::to_string(i);
    return name;
  }

  [[nodiscard]] exit_code read(const input_file& from) {
    const reporting to = about(from.path);
    if (in_.first != nullptr && !from.of_folder && from.path == in_.paths[0])
      return read(*in_.first, from, to);
    diagnostic why;
    const loaded in = try_load_source(from.path, why, format::genome_binary,
                                      from.of_folder ? io::side_input : io::main_input);
    if (!in) return to.fail(why, in.code, format::unknown);
    return read(*in.file, from, to);
  }

  [[nodiscard]] exit_code read(const source& file, const input_file& from, const reporting& to) {
    // Registries and weights belong to the models of a folder.
    if (from.of_folder &&
        (file.what == format::genome_registry || file.what == format::safetensors))
      return success;
    return with_source(file, to, verb_,
                       {.ark_model = [&](const source&) { return read_model(file, to); },
                        .nac = [&](const source&) { return read_container(file, to); },
                        .genome_stream = [&](const source&) { return read_stored(file, to); },
                        .genome_signatures = [&](const source&) { return read_stored(file, to); },
                        .pt2 = [&](const source&) { return read_archive(file, to); }});
  }

  [[nodiscard]] exit_code use(input_graph g, const std::string& longer, const reporting& to) {
    g.name = unique(g.name, longer);
    const error e = act_(g);
    if (e.code != errc::ok) return to.fail(g.diagnose(e), bad_input, g.file->what);
    ++graphs_;
    return success;
  }

  [[nodiscard]] exit_code read_container(const source& file, const reporting& to) {
    const nac_outcome in = read_nac(file, to);
    if (!in.file) return in.code;
    tessera::report report;
    const result<nac::program> program =
        nac::verify(*in.file, {.weights_elsewhere = true}, &report);
    if (!program) return fail_findings(report, file, to);
    return use({name_, &file, nullptr, &*program}, shown_name(to.path), to);
  }

  /// The container that `import` makes of an archive, without its weights.
  [[nodiscard]] exit_code read_archive(const source& file, const reporting& to) {
    pt2_outcome in = read_pt2(file, to, in_.program);
    if (!in.model) return in.code;
    tessera::report report;
    const result<pt2::program> exported = pt2::verify(std::move(*in.model), {}, &report);
    if (!exported) return fail_findings(report, file, to);
    const result<transform::imported> made = transform::import(*exported, {}, &report);
    if (!made && report.errors != 0) return fail_findings(report, file, to);
    if (!made) return to.fail(made.error(), file);
    const result<nac::external_weights> apart = nac::externalise(made->parts);
    if (!apart) return to.fail({apart.error().code, 0}, file);
    const result<pool<std::byte>> bytes = nac::write(apart->model);
    if (!bytes) return to.fail({bytes.error().code, 0}, file);
    result<nac::model> container = nac::read({bytes->data(), bytes->size()});
    if (!container) return to.fail({container.error().code, 0}, file);
    const result<nac::program> program = nac::verify(*container, {.weights_elsewhere = true});
    if (!program) return to.fail({program.error().code, 0}, file);
    return use({name_, &file, nullptr, &*program}, shown_name(to.path), to);
  }

  [[nodiscard]] exit_code read_model(const source& file, const reporting& to) {
    ark::verify_options how;
    how.strict = false;
    how.fp8 = true;
    how.hazards = false;
    const verify_outcome in = verify_ark(file, to, how);
    if (!in.program) return in.code;
    return use({name_, &file, nullptr, &in.program->model()}, shown_name(to.path), to);
  }

  [[nodiscard]] exit_code read_stored(const source& file, const reporting& to) {
    exit_code code = success;
    if (file.what == format::genome_binary && is_text(file.characters())) {
      // Text isn't a stream, so the errors of its nodes would mean nothing.
      diagnostic why;
      return to.fail(why, try_load_source(to.path, why).code, format::unknown);
    }
    const genome::library* const library = registries_.of(to, code);
    if (library == nullptr) return code;
    return each_stream(file, to, [&](const stored_stream& s) {
      const program_outcome in = verify_stream(s, *library, to);
      if (!in.program) return in.code;
      return use({s.name.empty() ? name_ : shown_name(s.name), &file, &s, &*in.program},
                 shown_name(to.path) + (s.name.empty() ? "" : ':' + shown_name(s.name)), to);
    });
  }

  [[nodiscard]] static bool is_text(std::string_view s) {
    while (!s.empty()) {
      const unsigned length = utf8_length(s.data(), s.data() + s.size());
      const bool control =
          static_cast<unsigned char>(s[0]) < ' ' && s[0] != '\n' && s[0] != '\r' && s[0] != '\t';
      if (length == 0 || control) return false;
      s.remove_prefix(length);
    }
    return true;
  }

  const genome_inputs& in_;
  std::string verb_;
  libraries& registries_;
  const std::function<error(const input_graph&)>& act_;
  std::string name_;  // of the current file
  progress* shown_ = nullptr;
  std::set<std::string> names_;
  std::uint64_t graphs_ = 0;
};

/// Gathers streams, converted to one registry.
class stream_gatherer {
 public:
  stream_gatherer(libraries& registries, const stream_options& how, stream_set& out)
      : how_(how), given_(registries.given()), out_(out) {
    if (given_.empty()) return;
    exit_code ignored = success;  // it has been read already
    base_ = registries.of({given_}, ignored);
    start(*base_);
  }

  [[nodiscard]] error add(const input_graph& g) {
    out_.names.push_back(g.name);
    const error e = gather(g);
    if (e.code != errc::ok) out_.names.pop_back();
    return e;
  }

 private:
  void start(const genome::library& base) {
    out_.registry = base.registry();
    base_ = &base;
    join_.emplace(out_.registry);
  }

  [[nodiscard]] error gather(const input_graph& g) {
    if (const auto* p = std::get_if<const genome::program*>(&g.graph)) {
      if (base_ == nullptr && !out_.converted) start((**p).library());
      const bool joined = &(**p).library() != base_;
      if (!how_.flat && !joined) return keep((**p).stream());
      result<genome::stream> flat = expansions_.expand(**p, how_.expand);
      if (!flat) return flat.error();
      if (!joined) return keep(std::move(*flat));
      return join(std::move(*flat), (**p).library());
    }
    genomics::corpus one;
    const genomics::conversion_options how{.parameter_names = true};
    const error e = std::holds_alternative<const nac::program*>(g.graph)
                        ? add_graph(one, g.name, *std::get<const nac::program*>(g.graph), how)
                        : add_graph(one, g.name, *std::get<const ark::model*>(g.graph), how);
    if (e.code != errc::ok) return e;
    result<genomics::signature> s = signature_of(one, 0);
    if (!s) return {s.error().code, 0};
    if (base_ == nullptr && !out_.converted) {  // this is the first registry
      out_.converted = true;
      out_.registry = std::move(s->registry);
      return keep(std::move(s->stream));
    }
    const result<genome::library> own = genome::verify(std::move(s->registry));
    if (!own) return {own.error().code, 0};
    return join(std::move(s->stream), *own);
  }

  [[nodiscard]] error keep(genome::stream s) {
    out_.streams.push_back(std::move(s));
    return {};
  }
  [[nodiscard]] error join(genome::stream s, const genome::library& from) {
    if (!join_) join_.emplace(out_.registry);
    out_.converted = true;
    if (const error e = join_->add(from, s); e.code != errc::ok) return {e.code, 0};
    return keep(std::move(s));
  }

  const stream_options& how_;
  std::string given_;
  stream_set& out_;
  const genome::library* base_ = nullptr;
  std::optional<genomics::registry_join> join_;
  genomics::expansion_budget expansions_;
};

}  // namespace

diagnostic input_graph::diagnose(error e) const {
  if (stream != nullptr)
    return stream->diagnose_stream(e, std::get<const genome::program*>(graph)->stream());
  return file->what == format::ark_model ? diagnose_ark(e, *file) : cli::diagnose(e, *file);
}

void genome_inputs::add_options(const command& verb, bool has_json) {
  verb.bind("FILE", paths);
  add_genome_options(verb, registry);
  add_pt2_options(verb, program);
  verb.bind("--keep-going", keep_going);
  if (has_json) verb.bind("--json", json);
}

input_outcome each_graph(const genome_inputs& in, std::string_view verb, libraries& registries,
                         const std::function<error(const input_graph&)>& act) {
  return graph_reader(in, verb, registries, act).run();
}

input_outcome read_corpus(const genome_inputs& in, std::string_view verb, genomics::corpus& out,
                          const genomics::conversion_options& how) {
  libraries registries(in.registry);
  return each_graph(in, verb, registries, [&](const input_graph& g) {
    return std::visit([&](const auto* graph) { return add_graph(out, g.name, *graph, how); },
                      g.graph);
  });
}

input_outcome read_streams(const genome_inputs& in, std::string_view verb,
                           const stream_options& how, stream_set& out) {
  libraries registries(in.registry);
  exit_code code = success;
  if (!in.registry.empty() && registries.of({in.registry, in.json}, code) == nullptr)
    return {code, false};
  stream_gatherer gathered(registries, how, out);
  return each_graph(in, verb, registries,
                    [&gathered](const input_graph& g) { return gathered.add(g); });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
