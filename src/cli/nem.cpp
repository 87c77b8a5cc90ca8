// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tessera/core/bytes.hpp>
#include <tessera/core/shortest.hpp>
#include <utility>

#include "ark.hpp"
#include "tessera/inspect/nem/dot.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

namespace fs = std::filesystem;

[[nodiscard]] nem::profile profile_of(const std::string& name) noexcept {
  return name == "strict"     ? nem::profile::strict
         : name == "upstream" ? nem::profile::upstream
                              : nem::profile::standard;
}

/// What the program itself says of its device: a name, a "file", or nothing.
[[nodiscard]] std::string directive_of(const nem::model& d) {
  std::string inline_device;
  for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next) {
    const nem::node& n = d.nodes[i];
    if (n.kind == nem::node_kind::device_name) return std::string(d.name(n.value));
    if (n.kind == nem::node_kind::device_file) return '"' + std::string(d.name(n.value)) + '"';
    if (n.kind == nem::node_kind::device) inline_device = d.name(n.value);
  }
  return inline_device;
}

/// Releases the pages of a text that were read: only findings show lines of it.
void forget_read(void* text, std::uint64_t bytes) {
  const source& from = *static_cast<const source*>(text);
  from.content.forget(from.data().first(static_cast<std::size_t>(bytes)));
}

}  // namespace

void add_nem_options(const command& verb, nem_options& options) {
  verb.bind("--profile", options.profile);
  verb.bind("--device", options.device);
  verb.bind("--max-instances", options.max_instances);
  verb.bind("--include", options.include_folders);
  verb.bind("--allow-includes-anywhere", options.includes_anywhere);
}

nem_files::nem_files(const source& main, const std::string& path, const nem_options& options)
    : main_(main), path_(path == "-" ? "" : path), options_(options) {}

bool nem_files::open(void* files, std::string_view from, std::string_view path,
                     nem::resolver::file& to) {
  nem_files& self = *static_cast<nem_files*>(files);
  // As the user names the files, and not by ids: that is how findings show them.
  const auto includer = self.opened_.find(from);
  std::vector<fs::path> folders = {
      fs::path(includer == self.opened_.end() ? self.path_ : includer->second.path).parent_path()};
  folders.insert(folders.end(), self.options_.include_folders.begin(),
                 self.options_.include_folders.end());
  const auto* const found = self.find(folders, path);
  if (found == nullptr) {
    to.why = self.why_;
    return false;
  }
  to.id = found->first;
  to.text = as_text(found->second.content.view());
  return true;
}

nem::resolver::file nem_files::load_device(const std::string& path, diagnostic& why,
                                           exit_code& code) {
  loaded in = try_load_source(path, why, format::nem, io::side_input);
  code = in.code;
  if (!in) return {};
  if (in.file->what != format::nem) {
    why = diagnose(shown_name(path), "format",
                   std::string("expected a device in NEM text, not ") +
                       std::string(info(in.file->what).description));
    code = bad_input;
    return {};
  }
  const auto at = opened_
                      .insert_or_assign(include_id(path),
                                        opened{path, shown_name(path), std::move(in.file->content)})
                      .first;
  return {at->first, as_text(at->second.content.view())};
}

const nem_files::opened_file* nem_files::find(const std::vector<fs::path>& folders,
                                              std::string_view path) {
  const opened_file* found = nullptr;
  const auto accept = [&](const std::string& id, const fs::path& candidate) {
    return (found = open(id, candidate)) != nullptr;
  };
  find_include(folders, path, options_.includes_anywhere, why_, accept);
  return found;
}

const nem_files::opened_file* nem_files::open(const std::string& id, const fs::path& candidate) {
  if (const auto known = opened_.find(id); known != opened_.end()) return &*known;
  std::error_code unknown;
  if (!fs::exists(id, unknown)) return nullptr;
  // Before it is opened: that could wait for ever at a pipe.
  if (!fs::is_regular_file(id, unknown)) {
    why_ = "it isn't a regular file";
    return nullptr;
  }
  io::expected<io::content> content = io::load(id, {}, io::side_input);
  if (!content) {
    io::failure unnamed = content.error();
    unnamed.path.clear();
    why_ = unnamed.message();
    return nullptr;
  }
  // Findings show lines of it, so it mustn't be just any file.
  if (detect(content->view(), id) != format::nem) {
    why_ = "it isn't NEM text";
    return nullptr;
  }
  return &*opened_
               .emplace(id, opened{candidate.string(), shown_name(candidate.string()),
                                   std::move(*content)})
               .first;
}

source_file nem_files::of(const report& found, std::uint32_t file) const {
  if (file == 0) return {main_.name, main_.characters()};
  const std::string_view id = found.text_of(found.files[file - 1]);
  const auto known = opened_.find(id);
  if (known == opened_.end()) return {id, {}};
  return {known->second.shown, as_text(known->second.content.view())};
}

std::vector<diagnostic> diagnose_nem(const report& found, const source& from,
                                     const nem_files* files) {
  std::vector<source_file> sources = {{from.name, from.characters()}};
  for (std::uint32_t i = 1; i <= found.files.size() && files != nullptr; ++i)
    sources.push_back(files->of(found, i));
  return diagnose(found, sources);
}

nem_outcome verify_nem(const source& from, const reporting& to, const nem_options& options) {
  return_large_blocks();
  nem_outcome out;
  const nem::profile profile = profile_of(options.profile);
  nem::read_options reading;
  reading.profile = profile;
  reading.progress = {forget_read, const_cast<source*>(&from)};
  result<nem::model> d = nem::read(from.characters(), reading, &out.report);
  if (!d) {
    out.found = diagnose_nem(out.report, from, nullptr);
    if (out.found.empty()) out.found.push_back(diagnose(d.error(), from));
    return out;
  }
  forget_read(reading.progress.self, from.data().size());
  nem_files files(from, to.path, options);
  nem::verify_options v;
  v.profile = profile;
  const named_device device = device_of(options.device);
  v.device = device.name;
  if (!device.file.empty()) {
    diagnostic why;
    v.device_file = files.load_device(device.file, why, out.failure);
    if (out.failure != success) {
      out.found.push_back(std::move(why));
      return out;
    }
    out.failure = bad_input;
  }
  const std::string directive = options.device.empty() ? std::string() : directive_of(*d);
  v.resolver = files.resolver();
  const std::string id = to.path == "-" ? std::string() : include_id(to.path);
  v.id = id;
  if (options.max_instances) v.allow(*options.max_instances);
  if (!options.hazards) v.hazard_steps = 0;
  if (options.all) v.max_diagnostics = max_findings(from.characters().size());
  result<nem::program> p = nem::verify(std::move(*d), v, &out.report);
  out.found = diagnose_nem(out.report, from, &files);
  if (p)
    out.program = std::move(*p);
  else if (out.report.errors == 0)
    out.found.push_back(diagnose(p.error(), from));
  const nem::device* const target = out.program ? out.program->target() : nullptr;
  if (target != nullptr && !directive.empty()) {
    const std::string_view name = out.program->catalog().text_of(target->name);
    if (name != directive)
      out.note = "the program is for " + shown_text(directive) + "; --device makes it " +
                 std::string(name);
  }
  return out;
}

exit_code fail_nem(const nem_outcome& found, const source& from, const reporting& to) {
  const exit_code code = to.fail(found.found, from.what);
  return code == bad_input ? found.failure : code;
}

bool is_configuration(const nem::model& d) {
  for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next) {
    const nem::node_kind k = d.nodes[i].kind;
    if (k != nem::node_kind::device && k != nem::node_kind::type_family &&
        k != nem::node_kind::include)
      return false;
  }
  return !d.nodes.empty();
}

void write_checked(json::writer& w, const nem::program& p) {
  const bool is_partial = !p.has_all_hazards();
  w.key("checked").begin_object().key("coverage");
  w.string(is_partial ? "partial" : p.proven_iterations() != 0 ? "proven" : "complete");
  w.key("tasks").integer(p.tasks()).key("iterations").integer(p.iterations());
  w.key("proven_tasks").integer(p.proven_tasks());
  w.key("proven_iterations").integer(p.proven_iterations()).end();
}

exit_code report_nem(const nem_outcome& found, const source& from, const reporting& to,
                     const nem_options& options) {
  const bool ok = found.program.has_value();
  const std::uint64_t total = found.report.errors + found.report.warnings + found.report.notes;
  const std::uint64_t omitted =
      total - std::min<std::uint64_t>(total, found.report.diagnostics.size());
  if (to.as_json) {
    const auto checked = [&](json::writer& w) {
      if (ok && !is_configuration(found.program->model())) write_checked(w, *found.program);
    };
    const text report = file_report(to.path, from.what, found.found, omitted, {}, checked);
    const exit_code wrote = print_result(report);
    return wrote != success ? wrote : ok ? success : found.failure;
  }
  show_findings(found.found, {options.all});
  if (omitted != 0) show_note(std::to_string(omitted) + " more findings were counted and not kept");
  return ok ? success : found.failure;
}

nem_document read_nem(const source& from, const reporting& to) {
  report found;
  result<nem::model> d = nem::read(from.characters(), {}, &found);
  if (d) return {std::move(*d), success};
  const std::vector<diagnostic> all = diagnose_nem(found, from, nullptr);
  if (all.empty()) return {std::nullopt, to.fail(d.error(), from)};
  return {std::nullopt, to.fail(all, from.what)};
}

namespace {

/// Draws the tasks of a program and what was found about them. One that has races is drawn too.
[[nodiscard]] exit_code draw_findings(const nem_outcome& found, const source& file,
                                      const reporting& to, const nem_options& options) {
  nem_outcome without_races;
  if (!found.program) {
    nem_options how = options;
    how.hazards = false;
    without_races = verify_nem(file, to, how);
  }
  const std::optional<nem::program>& p = found.program ? found.program : without_races.program;
  if (!p) {
    show_note(file.name +
              ": no picture, because the tasks of a program with these errors aren't known");
    return success;
  }
  inspect::task_draw_options drawing;
  drawing.findings = &found.report;
  return picture_output{options.svg, true}.write(inspect::draw(*p, drawing));
}

}  // namespace

exit_code check_nem(const source& file, const reporting& to, const nem_options& options) {
  if (!options.devices.empty()) return check_nem_devices(file, to, options);
  nem_outcome found = verify_nem(file, to, options);
  if (!found.note.empty()) {
    found.found.push_back(diagnose(file.name, "device", found.note));
    diagnostic& d = found.found.back();
    d.severity = "note";
    d.shown = file.name + ": note: " + found.note + '\n';
  }
  const exit_code code = report_nem(found, file, to, options);
  if (!options.svg.empty())
    if (const exit_code drawn = draw_findings(found, file, to, options); drawn != success)
      return drawn;
  if (code != success || to.as_json) return code;
  std::string more;
  const nem::program& p = *found.program;
  if (p.target() != nullptr) more += " for " + std::string(p.catalog().text_of(p.target()->name));
  if (p.proven_iterations() != 0)
    more += ", " + std::to_string(p.proven_iterations()) +
            (p.proven_iterations() == 1 ? " iteration" : " iterations") + " proven";
  if (!p.has_all_hazards()) more += ", checked in part";
  if (found.report.warnings != 0)
    more += ", " + std::to_string(found.report.warnings) +
            (found.report.warnings == 1 ? " warning" : " warnings");
  return print_result(file.name + ": ok (" + std::string(info(file.what).description) + more +
                      ")\n");
}

namespace {

/// The tree for people: one node per line, indented by depth, with its names and numbers.
[[nodiscard]] text list_tree(const nem::model& d) {
  text out;
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    const nem::node& n = d.nodes[i];
    for (std::size_t k = 0; k < ends.size(); ++k) out << "  ";
    out << name(n.kind);
    const auto named = nem::name_of(d, i);
    if (!named.empty()) append_shown(out << ' ', named);
    switch (n.kind) {
      case nem::node_kind::integer:
      case nem::node_kind::wide_integer: out << ' ' << d.integer(n); break;
      case nem::node_kind::real:
        out << ' ';
        append_double(out, d.reals[n.value], double_style::python);
        break;
      case nem::node_kind::elem:
      case nem::node_kind::element_type:
        out << ' ' << name(static_cast<nem::element>(n.detail));
        break;
      case nem::node_kind::buffer: out << ' ' << name(static_cast<nem::level>(n.detail)); break;
      case nem::node_kind::transfer:
      case nem::node_kind::store:
      case nem::node_kind::compute: out << ' ' << name(static_cast<nem::mode>(n.detail)); break;
      case nem::node_kind::quant:
        out << ' ' << name(static_cast<nem::quantization>(n.detail));
        break;
      case nem::node_kind::quant_field: out << ' ' << nem::quant_field_names[n.detail]; break;
      case nem::node_kind::conformance: out << (n.detail == 1 ? " MUST" : " MAY"); break;
      default: break;
    }
    out << "  [" << n.offset << ", " << n.length << "]\n";
    if (n.next > i + 1) ends.push_back(n.next);
  }
  return out;
}

}  // namespace

exit_code print_nem(const source& file, const reporting& to, const nem_print_options& options) {
  if (options.comments && (options.tree || to.as_json))
    return usage_error("print", "--comments is for canonical text, not for --ast or --json");
  if (options.comments) {
    const nem_outcome found = verify_nem(file, to, options.nem);
    if (!found.program) return report_nem(found, file, to, options.nem);
    const text out = nem::print(*found.program);
    return write_result("-", as_bytes(out));
  }
  nem_document in = read_nem(file, to);
  if (!in.document) return in.code;
  const text out = to.as_json     ? nem::write_json(*in.document)
                   : options.tree ? list_tree(*in.document)
                                  : nem::print(*in.document);
  if (options.tree || to.as_json) return out.empty() ? success : print_result(out);
  // The program's own text, which is read back.
  const exit_code code = out.empty() ? success : write_result("-", as_bytes(out));
  if (code != success) return code;
  // What doesn't verify is listed all the same: that is how one finds out why.
  const nem_outcome found = verify_nem(file, to, options.nem);
  return found.program ? success : fail_nem(found, file, to);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
