// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera check --devices FOLDER`: which devices can run a NEM program.

#include <cstring>
#include <map>
#include <set>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// What came of one device.
struct tried_device {
  std::string name, file;
  std::vector<diagnostic> found;
  std::uint64_t errors = 0, warnings = 0;
  bool runs = false;
};

/// Whether the device itself has no topology: it is there to be extended.
[[nodiscard]] bool is_abstract(const tessera::report& found) {
  for (const tessera::diagnostic& d : found.diagnostics)
    if (d.code == errc::nem_dev_003_topology) return true;
  return false;
}

/// The devices that the files of a folder define, and what the program's verification for each says.
class device_trials {
 public:
  device_trials(const source& program, const reporting& to, const nem_options& options)
      : program_(program), to_(to), options_(options) {}

  [[nodiscard]] exit_code run() {
    const folder_listing all = files_in(options_.devices, true);
    for (const io::failure& f : all.failures) code_ = std::max(code_, to_.fail(f));
    for (const std::string& path : all.files) try_file(path);
    return code_;
  }
  [[nodiscard]] const std::vector<tried_device>& tried() const noexcept { return tried_; }

 private:
  void try_file(const std::string& path) {
    diagnostic why;
    const loaded in = try_load_source(path, why, format::unknown, io::side_input);
    if (!in || in.file->what != format::nem) return;
    report found;
    const result<nem::model> d = nem::read(in.file->characters(), {}, &found);
    if (!d) {
      show_note(in.file->name + ": not read, because it has errors; `tessera check` shows them");
      return;
    }
    for (std::uint32_t i = 0; i < d->nodes.size(); i = d->nodes[i].next)
      if (d->nodes[i].kind == nem::node_kind::device)
        try_device(path, std::string(nem::name_of(*d, i)));
  }

  void try_device(const std::string& path, const std::string& name) {
    nem_options how = options_;
    how.device = path + ':' + name;
    how.devices.clear();
    nem_outcome outcome = verify_nem(program_, to_, how);
    if (is_abstract(outcome.report)) return;
    tried_.push_back({name, path, std::move(outcome.found), outcome.report.errors,
                      outcome.report.warnings, outcome.program.has_value()});
  }

  const source& program_;
  const reporting& to_;
  const nem_options& options_;
  std::vector<tried_device> tried_;
  exit_code code_ = success;
};

/// Errors that come with every device: they are the program's own.
[[nodiscard]] std::set<std::string> common_errors(const std::vector<tried_device>& all) {
  std::map<std::string, std::size_t> devices;
  for (const tried_device& d : all) {
    std::set<std::string> own;
    for (const diagnostic& f : d.found)
      if (f.severity == "error") own.insert(f.shown);
    for (const std::string& shown : own) ++devices[shown];
  }
  std::set<std::string> out;
  for (const auto& [shown, count] : devices)
    if (count == all.size() && count > 1) out.insert(shown);
  return out;
}

/// "CAP-001, FAM-002 (2 times)", and the first of the errors in full.
struct reasons {
  std::string rules, first;
};
[[nodiscard]] reasons reasons_of(const tried_device& d, const std::set<std::string>& common) {
  std::map<std::string, std::uint64_t> counts;
  reasons out;
  for (const diagnostic& f : d.found) {
    if (f.severity != "error" || common.contains(f.shown)) continue;
    ++counts[f.rule];
    if (out.first.empty()) out.first = f.shown;
  }
  for (const auto& [rule, count] : counts) {
    out.rules.append(out.rules.empty() ? "" : ", ").append(rule);
    if (count != 1) out.rules += " (" + std::to_string(count) + " times)";
  }
  if (out.rules.empty() && !d.runs) out.rules = "what is wrong with all";
  return out;
}

[[nodiscard]] text table_of(const source& program, const std::vector<tried_device>& all,
                            std::uint64_t running) {
  text out;
  out << program.name << ": " << running << " of " << plural(all.size(), "device")
      << " can run it\n";
  if (all.empty()) return out;
  const std::set<std::string> common = common_errors(all);
  std::vector<std::vector<std::string>> rows = {{"device", "file", "runs", "why not"}};
  std::vector<reasons> why;
  for (const tried_device& d : all) {
    why.push_back(reasons_of(d, common));
    rows.push_back({d.name, shown_name(d.file), d.runs ? "yes" : "no", why.back().rules});
  }
  append_table(out, rows, 0);
  if (!common.empty()) out << "\nwith every device:\n";
  for (const std::string& shown : common) out << shown;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!why[i].first.empty()) out << '\n' << all[i].name << ", first:\n" << why[i].first;
  return out;
}

[[nodiscard]] text json_of(const reporting& to, const std::vector<tried_device>& all) {
  text out;
  json::writer w(out);
  w.begin_object().key("file").string(json_name(to.path)).key("format").string("nem");
  w.key("devices").begin_array();
  for (const tried_device& d : all) {
    w.begin_object().key("device").string(d.name).key("file").string(json_name(d.file));
    w.key("ok").boolean(d.runs).key("errors").integer(d.errors);
    w.key("warnings").integer(d.warnings).key("diagnostics").begin_array();
    for (const diagnostic& f : d.found) write_json(w, f);
    w.end().end();
  }
  w.end().end();
  out << '\n';
  return out;
}

}  // namespace

exit_code check_nem_devices(const source& file, const reporting& to, const nem_options& options) {
  if (!options.device.empty())
    return usage_error("check", "--device and --devices exclude each other");
  if (!is_folder(options.devices))
    return to.fail(io::failure{.what = "expected a folder of devices", .path = options.devices});
  device_trials trials(file, to, options);
  const exit_code code = trials.run();
  std::uint64_t running = 0;
  for (const tried_device& d : trials.tried()) running += d.runs ? 1 : 0;
  const text out =
      to.as_json ? json_of(to, trials.tried()) : table_of(file, trials.tried(), running);
  return std::max(code, print_result(out, running == 0 ? bad_input : success));
}

nem_outcome verify_device(const nem_options& options, const reporting& to) {
  constexpr std::string_view text = "program lowered:\n";
  source program{"<program>", {}, format::nem};
  nem_outcome out;
  if (!program.content.reserve(text.size())) {
    out.failure = to.fail(error{errc::budget_memory}, program);
    return out;
  }
  std::memcpy(program.content.end(), text.data(), text.size());
  program.content.advance(text.size());
  out = verify_nem(program, {program.name, to.as_json}, options);
  if (out.program) return out;
  // The program is ours: what is wrong is the device.
  const named_device device = device_of(options.device);
  const std::string name = shown_name(device.file.empty() ? device.name : device.file);
  for (diagnostic& d : out.found)
    if (d.severity == "error" && d.included.empty() && d.line)
      d = diagnose(name, d.rule, d.message + (d.rule.empty() ? "" : " [" + d.rule + ']'));
  out.failure = fail_nem(out, program, to);
  return out;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
