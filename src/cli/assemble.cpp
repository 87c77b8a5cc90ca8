// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera assemble`: a NAC container from assembly text.

#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

namespace fs = std::filesystem;

struct options {
  std::string text, output, payloads;
  bool any_path = false;
};

/// Resolves the payload files that a text names: only in its folder, unless --allow-any-path.
class payload_files {
 public:
  explicit payload_files(const options& o) : options_(o) {
    const fs::path folder = o.text == "-" ? fs::path() : fs::path(o.text).parent_path();
    folder_ = folder.empty() ? fs::path(".") : folder;
  }

  [[nodiscard]] nac::resolver resolver() {
    return {this, [](void* self, const nac::payload_reference& which, bytes& out) {
              return static_cast<payload_files*>(self)->find(which, out);
            }};
  }
  /// Why the last one couldn't be resolved.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  [[nodiscard]] exit_code code() const noexcept { return code_; }

 private:
  [[nodiscard]] bool find(const nac::payload_reference& which, bytes& out) {
    const source* const file = open(std::string(which.name));
    if (file == nullptr) return false;
    const bytes all = file->data();
    if (which.offset > all.size() || which.size > all.size() - which.offset) {
      why_ = file->name + " has " + std::to_string(all.size()) + " bytes; the text refers to " +
             std::to_string(which.size) + " bytes at offset " + std::to_string(which.offset);
      code_ = bad_input;
      return false;
    }
    out = all.subspan(static_cast<std::size_t>(which.offset), static_cast<std::size_t>(which.size));
    return true;
  }

  [[nodiscard]] const source* open(const std::string& name) {
    std::string path = options_.payloads;
    if (path.empty()) {
      const fs::path wanted(name);
      path = wanted.is_absolute() ? name : (folder_ / wanted).string();
      if (!options_.any_path && (name.empty() || !is_inside(wanted, path))) {
        why_ =
            "'" + shown_name(name) +
            "' isn't in the text's folder; --allow-any-path permits any file, and --payloads FILE "
            "replaces it";
        code_ = bad_input;
        return nullptr;
      }
    }
    if (const auto known = files_.find(path); known != files_.end()) return &known->second;
    io::expected<io::content> content = io::load(path, {}, io::side_input);
    if (!content) {
      why_ = shown_name(content.error().message());
      code_ = code_of(content.error());
      return nullptr;
    }
    return &files_.emplace(path, source{shown_name(path), std::move(*content), format::unknown})
                .first->second;
  }

  /// Whether a name, with links followed, is inside the text's folder.
  [[nodiscard]] bool is_inside(const fs::path& name, const std::string& path) const {
    if (name.is_absolute()) return false;
    std::error_code unknown;
    const fs::path folder = fs::weakly_canonical(folder_, unknown);
    if (unknown) return false;
    const fs::path target = fs::weakly_canonical(path, unknown);
    if (unknown) return false;
    const auto [in_folder, in_target] =
        std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
    return in_folder == folder.end() && in_target != target.end();
  }

  const options& options_;
  fs::path folder_;
  std::map<std::string, source> files_;
  std::string why_;
  exit_code code_ = bad_input;
};

/// Replaces the message of a diagnostic.
void set_message(diagnostic& d, std::string message) {
  if (const std::size_t at = d.shown.find(d.message); at != d.shown.npos)
    d.shown.replace(at, d.message.size(), message);
  d.message = std::move(message);
}

/// Where the text has what a container can't represent.
[[nodiscard]] std::uint64_t place_of(const error& e, const nac::text_map& map) {
  using nac::assembly::text_section;
  switch (e.code) {
    case errc::nac_write_training: return map.of(text_section::training);
    case errc::nac_write_arrays: return map.of(text_section::arrays);
    case errc::nac_write_weights: return map.of(text_section::tensors);
    default: break;
  }
  const bool training = e.index == error_index::training_instruction;
  return map.of(training ? text_section::training : text_section::code, e.offset);
}

[[nodiscard]] exit_code assemble_file(const options& o) {
  const reporting to{o.text};
  if (o.output == "-" && isatty(STDOUT_FILENO) == 1)
    return usage_error("assemble",
                       "a container can't be written to a terminal; give a file or use a pipe");
  io::expected<io::content> content = io::load(o.text);
  if (!content) return to.fail(content.error());
  // Read as assembly, whatever its content.
  const source text{shown_name(o.text), std::move(*content), format::nac_assembly};
  payload_files files(o);
  nac::text_map map;
  const result<nac::parts> parts =
      nac::assemble(text.characters(), {.resolver = files.resolver()}, &map);
  if (!parts) {
    if (parts.error().code != errc::nac_text_payload_unresolved || files.why().empty())
      return to.fail(parts.error(), text);
    diagnostic d = diagnose(parts.error(), text);
    set_message(d, d.message + ": " + files.why());
    return to.fail(d, files.code(), text.what);
  }
  const result<pool<std::byte>> made = nac::write(*parts);
  if (!made) return to.fail({made.error().code, place_of(made.error(), map)}, text);
  const bytes container(made->data(), made->size());
  const exit_code code = verify_assembled(container, text, to, map);
  return code == success ? write_result(o.output, container) : code;
}

}  // namespace

exit_code verify_assembled(bytes made, const source& text, const reporting& to,
                           const nac::text_map& map) {
  const result<nac::model> file = nac::read(made);
  if (!file) return to.fail({file.error().code, 0}, text);
  tessera::report found;
  constexpr std::uint64_t max_kept = std::uint64_t{1} << 20;  // so that warnings don't hide errors
  const bool invalid =
      !nac::verify(*file, {.weights_elsewhere = true, .max_diagnostics = max_kept}, &found);
  constexpr std::uint64_t max_shown = 100;  // each costs a search for its line
  std::uint64_t shown = 0;
  for (const tessera::diagnostic& d : found.diagnostics) {
    if (shown == max_shown || (invalid && d.severity != severity::error)) continue;
    ++shown;
    diagnostic at = diagnose(error{d.code, map.offset_of(*file, d.where.offset)}, text);
    set_message(at, std::string(found.text_of(d.text)));
    if (!invalid) {
      at.severity = "warning";
      at.shown.replace(at.shown.find(": error: "), 9, ": warning: ");
    }
    show(at);
  }
  const std::uint64_t all = found.errors + (invalid ? 0 : found.warnings);
  note_omitted(all - shown);
  return invalid ? bad_input : success;
}

void add_assemble(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("assemble");
  verb.bind("TEXT", o->text);
  verb.bind("--output", o->output);
  verb.bind("--payloads", o->payloads);
  verb.bind("--allow-any-path", o->any_path);
  verb.callback([o, &run] { run = [o] { return assemble_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
