// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera check` for NAC containers and safetensors files.

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tessera/core/bytes.hpp>

#include "ark.hpp"
#include "nac.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/tokenizer/tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// The findings of a report; `strict` turns warnings into errors.
[[nodiscard]] std::vector<diagnostic> diagnose_nac(const report& report, const source& from,
                                                   bool strict) {
  std::vector<diagnostic> found = diagnose(report, from);
  for (diagnostic& d : found) {
    if (d.rule == error{errc::nac_weights_elsewhere}.name()) {
      constexpr std::string_view advice = "; give --weights FILE";
      if (const std::size_t at = d.shown.find(d.message); at != d.shown.npos)
        d.shown.insert(at + d.message.size(), advice);
      d.message += advice;
    }
    const std::string word = ": " + d.severity + ": ";
    if (!strict || d.severity == "error") continue;
    d.severity = "error";
    if (const std::size_t at = d.shown.find(word); at != d.shown.npos)
      d.shown.replace(at, word.size(), ": error: ");
  }
  return found;
}

}  // namespace

std::string default_weights(const std::string& path) {
  if (path == "-") return {};
  std::string_view base = io::without_codec(path);
  if (base.ends_with(".nac")) base.remove_suffix(4);
  const std::string sibling = std::string(base) + ".safetensors";
  std::error_code unknown;
  return std::filesystem::exists(sibling, unknown) ? sibling : std::string();
}

std::vector<diagnostic> diagnose_findings(const report& report, const source& from) {
  return diagnose_nac(report, from, false);
}

exit_code fail_findings(const report& report, const source& from, const reporting& to) {
  return to.fail(diagnose_nac(report, from, false), from.what);
}

exit_code check_nac(const source& file, const reporting& to, const nac_check_options& options) {
  const nac_outcome in = read_nac(file, to);
  if (!in.file) return in.code;

  nac::verify_options how;
  how.strict_prefixes = options.strict;
  weights_outcome weights;
  std::string about_weights;
  if (!in.file->has_internal_weights() && !in.file->parameters().empty()) {
    const std::string path = options.weights.empty() ? default_weights(to.path) : options.weights;
    if (path.empty()) {
      how.weights_elsewhere = !options.strict;
      about_weights = ", external weights not checked";
    } else {
      weights = load_weights({path, to.as_json});
      if (!weights.weights) return weights.code;
      how.weights = &*weights.weights;
      about_weights = ", weights in " + weights.file->name;
    }
  }

  tessera::report report;
  if (options.all) how.max_diagnostics = max_findings(file.data().size());
  const result<nac::program> program = nac::verify(*in.file, how, &report);
  std::vector<diagnostic> found = diagnose_nac(report, file, options.strict);
  const std::uint64_t all = report.errors + report.warnings;
  std::uint64_t omitted = all - std::min<std::uint64_t>(all, found.size());
  operation_names unsupported;
  if (program) {
    // One line, instead of a warning for each instruction.
    vm::nac::unsupported_operations unknown = vm::nac::unsupported(*program);
    unsupported = std::move(unknown.names);
    if (std::string missing = vm::nac::missing_library(in.file->manifest()); !missing.empty())
      unsupported.insert(std::move(missing));
    const std::uint64_t shown = std::erase_if(found, [](const diagnostic& d) {
      return d.rule == error{errc::nac_operation_unsupported}.name();
    });
    report.warnings -= unknown.instructions;
    omitted -= unknown.instructions - shown;
    if (options.runnable && !unsupported.empty())
      found.push_back(diagnose(file, error{errc::nac_operation_unsupported}.name(), unsupported));
  }
  const bool ok = program && (!options.strict || report.warnings == 0) &&
                  (!options.runnable || unsupported.empty());
  if (to.as_json) {
    const text out = file_report(to.path, file.what, found, omitted, unsupported);
    return print_result(out, ok ? success : bad_input);
  }
  show_findings(found, {options.all});
  note_omitted(omitted);
  if (!ok) return bad_input;
  std::string details = ", version ";
  details.append(name(in.file->header())).append(about_weights);
  if (report.warnings != 0) details += ", " + plural(report.warnings, "warning");
  return print_ok(file, to, details, unsupported);
}

exit_code check_safetensors(const source& file, const reporting& to) {
  const bytes data = file.data();
  const result<nac::safetensors> weights = nac::read_safetensors(data);
  if (!weights) return to.fail(weights.error(), file);
  return print_ok(file, to, ", " + plural(weights->size(), "tensor"));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
