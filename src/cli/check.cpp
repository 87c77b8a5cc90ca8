// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera check`: whether files are valid. The ranks of one ARK model are also checked against each
// other.

#include <algorithm>
#include <memory>

#include "alir.hpp"
#include "ark.hpp"
#include "genome.hpp"
#include "nac.hpp"
#include "nem.hpp"
#include "pt2.hpp"
#include "sarif.hpp"
#include "tessera/inspect/alir/lint.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  file_list files;
  std::string model, weights, registry, program, form = "text";
  nem_options nem;
  bool lenient = false, fp8 = false, no_hazards = false, all = false, ranks = false, strict = false;
  bool runnable = false, checksums = false;

  /// For a model of that size.
  [[nodiscard]] ark::verify_options verify(std::uint64_t bytes) const {
    ark::verify_options v;
    v.strict = !lenient;
    v.fp8 = fp8;
    v.hazards = !no_hazards;
    if (all) v.max_diagnostics = max_findings(bytes);
    return v;
  }
};

/// An ARK model that was checked by itself; its findings are shown with those of the other ranks.
struct checked_model {
  std::string path;
  source file;
  std::optional<ark::program> program;  ///< none if it has errors
  std::vector<diagnostic> found;
  tessera::report report;
  std::int32_t rank = 0, world_size = 1;
  std::string dialect;
};

class checker {
 public:
  explicit checker(const options& o) : options_(o) {}

  [[nodiscard]] exit_code run() {
    if (options_.files.is_wrong("check")) return wrong_usage;
    if (!options_.model.empty()) {
      if (const exit_code code = load_model(); code != success) return code;
    }
    if (options_.files.paths.size() > 1 ||
        std::any_of(options_.files.paths.begin(), options_.files.paths.end(), is_folder))
      expect_several_files();
    for (const std::string& path : options_.files.paths)
      raise(is_folder(path) ? check_folder(path) : check_file(path));
    raise(finish_set());
    return finish_options("check", code_);
  }

 private:
  void raise(exit_code code) noexcept { code_ = std::max(code_, code); }
  [[nodiscard]] reporting to(const std::string& path) const { return {path, options_.files.json}; }

  /// Files of a folder that Tessera doesn't read are skipped.
  [[nodiscard]] exit_code check_folder(const std::string& folder) {
    const folder_listing found = files_in(folder, true);
    for (const io::failure& f : found.failures) raise(to(f.path).fail(f));
    counts_ = {};
    is_in_folder_ = true;
    progress shown(found.files.size());
    for (const std::string& path : found.files) {
      shown.clear();
      raise(check_file(path));
      shown.advance(1);
    }
    raise(finish_set());
    is_in_folder_ = false;
    if (options_.files.json) return success;
    std::string line = shown_name(folder) + ": " + plural(counts_.valid, "valid file");
    line += ", " + std::to_string(counts_.invalid) + " invalid";
    if (counts_.skipped != 0)
      line += ", " + std::to_string(counts_.skipped) + " skipped (of other formats)";
    return print_result(line + '\n');
  }

  /// Bytecode without a header begins with a small number, as raw data often do.
  [[nodiscard]] static bool is_weak_guess(const source& file, const std::string& path) {
    return file.what == format::alir_bytecode && !file.characters().starts_with("ALIR") &&
           !io::without_codec(path).ends_with(".bc");
  }

  [[nodiscard]] exit_code count(exit_code code) {
    ++(code == success ? counts_.valid : counts_.invalid);
    return code;
  }

  [[nodiscard]] exit_code check_file(const std::string& path) {
    diagnostic why;
    loaded in = try_load_source(path, why, streams_of(options_.registry));
    if (is_in_folder_ && (in ? is_weak_guess(*in.file, path) : why.rule == "unknown_format")) {
      ++counts_.skipped;
      return success;
    }
    if (in && in.file->what == format::ark_model) {
      const exit_code code = check_options("check", *in.file);
      return code == success ? check_model(path, std::move(*in.file)) : code;
    }
    return count(check_loaded(path, in, why));
  }

  [[nodiscard]] exit_code check_loaded(const std::string& path, const loaded& in,
                                       const diagnostic& why) {
    if (!in) {
      raise(finish_set());
      return to(path).fail(why, in.code, format::unknown);
    }
    if (!options_.ranks) raise(finish_set());
    const reporting about = to(path);
    const auto streams = [&](const source& file) {
      return check_streams(file, about, options_.registry, options_.runnable);
    };
    return with_source(
        *in.file, about, "check",
        {.alir = [&](const source& file) { return check_alir(file, about); },
         .alir_pipeline =
             [&](const source& file) { return check_alir_pipeline(file, about, options_.all); },
         .ark_model = [](const source&) { return success; },  // check_model does it
         .ark_plan =
             [&](const source& file) {
               return check_plan(file, about, {options_.all},
                                 model_.has_value() ? &*model_ : nullptr);
             },
         .nac =
             [&](const source& file) {
               return check_nac(
                   file, about,
                   {options_.weights, options_.strict, options_.all, options_.runnable});
             },
         .safetensors = [&](const source& file) { return check_safetensors(file, about); },
         .nem = [&](const source& file) { return check_nem(file, about, options_.nem); },
         .genome_registry = [&](const source& file) { return check_registry(file, about); },
         .genome_stream = [&](const source& file) { return streams(file); },
         .genome_signatures = [&](const source& file) { return streams(file); },
         .pt2 =
             [&](const source& file) {
               return check_pt2(file, about, {options_.program, options_.checksums, options_.all});
             }});
  }

  [[nodiscard]] exit_code check_alir(const source& file, const reporting& about) const {
    report found;
    alir::verify_options how;
    if (options_.all) how.max_diagnostics = max_findings(file.data().size());
    const result<alir::program> p = verify_alir(file, &found, how);
    if (!p) return about.fail(found, p.error(), file);
    inspect::lint(*p, found, {.max_diagnostics = how.max_diagnostics, .seed = 0});
    return conclude_check(file, about, found, true, options_.all, {});
  }

  /// The model that ARK plans must match.
  [[nodiscard]] exit_code load_model() {
    const reporting about = to(options_.model);
    loaded in = load_source(about, format::unknown, io::side_input);
    if (!in) return in.code;
    if (in.file->what != format::ark_model)
      return wrong_format(*in.file, about, "--model", "ARK models");
    verify_outcome v = verify_ark(*in.file, about, {});
    model_ = std::move(v.program);
    return v.code;
  }

  [[nodiscard]] exit_code check_model(const std::string& path, source file) {
    checked_model m;
    m.path = path;
    m.file = std::move(file);
    result<ark::model> g = ark::read(m.file.characters());
    if (!g) {
      m.found.push_back(diagnose_ark(g.error(), m.file));
      if (!options_.ranks) raise(finish_set());
      return show_model(m);
    }
    m.rank = g->rank;
    m.world_size = g->world_size;
    m.dialect = ark::info(g->form).name;
    ark::verify_options how = options_.verify(m.file.characters().size());
    how.source = m.file.characters();
    result<ark::program> p = ark::verify(std::move(*g), how, &m.report);
    m.found = diagnose(m.report, m.file);
    if (p) m.program = std::move(*p);

    const bool joins = options_.ranks || (m.world_size > 1 && fits_set(m));
    if (!joins) raise(finish_set());
    if (!options_.ranks && m.world_size <= 1) return show_model(m);
    set_.push_back(std::move(m));
    if (!options_.ranks && set_.size() == static_cast<std::size_t>(set_[0].world_size))
      return finish_set();
    return success;
  }

  [[nodiscard]] bool fits_set(const checked_model& m) const {
    return std::all_of(set_.begin(), set_.end(), [&m](const checked_model& other) {
      return other.world_size == m.world_size && other.rank != m.rank;
    });
  }

  /// Checks the gathered models against each other, if they are all ranks of one model, and shows the
  /// findings of each.
  [[nodiscard]] exit_code finish_set() {
    std::vector<checked_model> set;
    set.swap(set_);
    if (set.empty()) return success;
    const bool complete = set.size() == static_cast<std::size_t>(set[0].world_size);
    const bool proven = std::all_of(set.begin(), set.end(),
                                    [](const checked_model& m) { return m.program.has_value(); });
    bool together = false;
    tessera::report report;
    if (proven && (complete || options_.ranks)) {
      std::vector<const ark::program*> programs;
      std::vector<std::string_view> sources;
      std::vector<source_file> files;
      std::uint64_t size = 0;
      for (const checked_model& m : set) {
        size += m.file.characters().size();
        programs.push_back(&*m.program);
        sources.push_back(m.file.characters());
        files.push_back(m.file.shown());
      }
      together = static_cast<bool>(
          ark::verify_ranks({programs.data(), programs.size()},
                            {.sources = {sources.data(), sources.size()},
                             .max_diagnostics = options_.verify(size).max_diagnostics},
                            &report));
      std::vector<std::vector<diagnostic>> more = diagnose_ranks(report, files);
      for (std::size_t i = 0; i < set.size(); ++i)
        std::move(more[i].begin(), more[i].end(), std::back_inserter(set[i].found));
    }
    exit_code code = success;
    for (checked_model& m : set) code = std::max(code, show_model(m));
    if (options_.files.json) return code;
    std::string names;
    for (const checked_model& m : set) names.append(names.empty() ? "" : ", ").append(m.file.name);
    if (together)
      return std::max(
          code, print_result(names + ": ok (" + plural(set.size(), "rank") + " of one model)\n"));
    if (!proven && complete)
      show_note(names + ": not checked against each other, because not all are valid");
    else if (proven && !complete && set.size() > 1 && !options_.ranks)
      show_note(
          names +
          ": not checked against each other, because ranks are missing; --ranks requires all");
    return code;
  }

  /// Shows the findings of a model.
  [[nodiscard]] exit_code show_model(checked_model& m) {
    operation_names unsupported;
    if (m.program)
      for (const ark::op& o : m.program->model().ops)
        if (o.type == ark::op_type::unknown) unsupported.emplace(type_name(m.program->model(), o));
    if (options_.runnable && !unsupported.empty())
      m.found.push_back(diagnose(m.file, error{errc::ark_unsupported}.name(), unsupported));
    const exit_code verdict = count(has_errors(m.found) ? bad_input : success);
    if (options_.files.json) {
      const text report =
          file_report(m.path, m.file.what, m.found, omitted_of(m.report), unsupported);
      return print_result(report, verdict);
    }
    show_findings(m.found, {options_.all}, &m.report);
    if (verdict != success) return verdict;
    std::string more = ' ' + m.dialect;
    if (m.world_size != 1)
      more += ", rank " + std::to_string(m.rank) + " of " + std::to_string(m.world_size);
    if (m.report.warnings != 0) more += ", " + plural(m.report.warnings, "warning");
    return print_ok(m.file, to(m.path), more, unsupported);
  }

  const options& options_;
  std::optional<ark::program> model_;
  std::vector<checked_model> set_;
  exit_code code_ = success;
  struct {
    std::uint64_t valid = 0, invalid = 0, skipped = 0;
  } counts_;  ///< of a folder
  bool is_in_folder_ = false;
};

[[nodiscard]] exit_code check_files(options& o) {
  if (o.form == "text") return checker(o).run();
  o.files.json = true;
  if (o.form == "json") return checker(o).run();
  sarif_log log;
  collect_reports(
      [&log](std::string_view file, std::span<const diagnostic> found, std::uint64_t omitted,
             const operation_names& unsupported) { log.add(file, found, omitted, unsupported); });
  const exit_code code = checker(o).run();
  if (code == wrong_usage) return code;
  const text out = log.write();
  return print_result(out, code);
}

}  // namespace

void add_check(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("check");
  o->files.add_options(verb);
  verb.bind("--all", [o] { o->all = o->nem.all = true; });
  verb.bind("--format", o->form);
  verb.bind("--runnable", o->runnable);
  verb.bind("--lenient", o->lenient);
  verb.bind("--fp8", o->fp8);
  verb.bind("--no-hazards", o->no_hazards);
  verb.bind("--ranks", o->ranks);
  verb.bind("--model", o->model);
  verb.bind("--weights", o->weights);
  verb.bind("--strict", o->strict);
  add_nem_options(verb, o->nem);
  verb.bind("--devices", o->nem.devices);
  verb.bind("--svg", o->nem.svg);
  add_genome_options(verb, o->registry);
  add_pt2_options(verb, o->program);
  verb.bind("--checksums", o->checksums);
  verb.callback([o, &run] { run = [o] { return check_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
