// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the verbs of the tool share: exit codes, input files with their format, diagnostics, output.
//
// A verb returns an exit code. Results go to standard output, everything else to standard error;
// what is wrong with a file is one diagnostic, as text or, with --json, as an object.

#ifndef TESSERA_CLI_TOOL_HPP
#define TESSERA_CLI_TOOL_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/report.hpp>
#include <vector>

#include "io/compress.hpp"
#include "options.hpp"
#include "tessera/alir.hpp"
#include "tessera/ark.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

enum exit_code : int { success = 0, bad_input = 1, wrong_usage = 2, io_error = 3 };

/// What a file is, by its content. One row here, one in `format_table`, and an action in the verbs
/// that are for it.
enum class format : std::uint8_t {
  unknown,
  alir_json,
  alir_bytecode,
  ark_model,
  ark_plan,
  nac,
  nac_assembly,
  safetensors,
  nem,
  genome_registry,
  genome_stream,      ///< base64
  genome_binary,      ///< a stream's bytes, which nothing tells from others
  genome_signatures,  ///< streams by name
};

struct source;
/// What a verb does with files, by what they are; what has no action is refused by name.
struct file_actions {
  using action = std::function<exit_code(const source&)>;
  action alir = {}, ark_model = {}, ark_plan = {}, nac = {}, nac_assembly = {}, safetensors = {},
         nem = {}, genome_registry = {}, genome_stream = {}, genome_signatures = {};
};

struct format_row {
  format what;
  std::string_view name;         ///< in --json: the family, "alir"
  std::string_view article;      ///< with its space, where there is one
  std::string_view description;  ///< in words
  std::string_view kind;         ///< in words, of all those that a verb treats alike
  file_actions::action file_actions::*act;
  bool is_text;
};
[[nodiscard]] const format_row& info(format f) noexcept;
/// JSON is told by the first key of the root that only one format has; broken JSON by the names that
/// it holds.
[[nodiscard]] format detect(bytes content);
/// The same, but that a file named .nem is NEM, whatever it holds: NEM's rules say what is wrong.
[[nodiscard]] format detect(bytes content, const std::string& path);

/// A file that was loaded and, where it was compressed, decompressed.
struct source {
  std::string name;  ///< as it is shown (see shown_name)
  io::content content;
  format what = format::unknown;

  [[nodiscard]] bytes data() const noexcept { return content.view(); }
  [[nodiscard]] std::string_view characters() const noexcept { return as_text(content.view()); }
  [[nodiscard]] source_file shown() const noexcept {
    return {name, characters(), !info(what).is_text};
  }
};

/// A path or a name as messages show it: "-" is <stdin>, an empty path is quoted, and what may not
/// reach a terminal is an escape (see append_shown).
[[nodiscard]] std::string shown_name(std::string_view path);
/// Any text in a line, without these exceptions.
[[nodiscard]] std::string shown_text(std::string_view s);
/// A path as --json shows it: as it was given, but for bytes that aren't UTF-8.
[[nodiscard]] std::string json_name(std::string_view path);

/// What is wrong with a file and where.
struct diagnostic {
  std::string path_of_file;  ///< when it isn't the file that the verb is about
  std::string included;      ///< the file that the place is in, when the verb's file includes it
  std::string severity = "error";
  std::string rule;
  std::string message;
  std::optional<std::uint64_t> offset, line, column;
  std::optional<std::string> path;
  std::optional<std::uint64_t> length;  ///< of what is wrong, in bytes
  struct related_note {
    std::string included, message;
    std::optional<std::uint64_t> offset, line, column;
  };
  std::optional<related_note> note;
  struct replacement {
    std::uint64_t offset = 0, length = 0;
    std::string text;
  };
  std::optional<replacement> fix;
  std::string shown;  ///< the whole of it for people, lines with their ends
};
void write_json(json::writer& w, const diagnostic& d);
[[nodiscard]] diagnostic diagnose(error e, const source& from);
[[nodiscard]] diagnostic diagnose(const io::failure& why);
/// The findings of a report, as people and as tools see them. `sources` as for tessera::describe.
[[nodiscard]] std::vector<diagnostic> diagnose(const report& found,
                                               std::span<const source_file> sources);
[[nodiscard]] inline exit_code code_of(const io::failure& why) noexcept {
  return why.kind == io::fault::system ? io_error : bad_input;
}

/// Prints to standard error, with the word "error" in red (warnings and notes in other colours) on a
/// terminal unless NO_COLOR is set.
void show(const diagnostic& d);
void show_error(std::string_view message);
void show_note(std::string_view message);
/// For what the command line says wrongly beyond its grammar.
[[nodiscard]] exit_code usage_error(std::string_view verb, std::string_view message);

/// How a verb tells of a file that it fails on: as text on standard error or, with --json, as the
/// object that `check` prints on standard output.
struct reporting {
  std::string path;  ///< as it stands on the command line
  bool as_json = false;

  exit_code fail(const diagnostic& d, exit_code code, format what) const;
  /// All that was found: as text the errors among it.
  exit_code fail(std::span<const diagnostic> found, format what) const;
  /// What a report holds; `first` where nobody reported anything.
  exit_code fail(const report& found, error first, const source& from) const;
  exit_code fail(error e, const source& from) const {
    return fail(diagnose(e, from), bad_input, from.what);
  }
  exit_code fail(const io::failure& why) const {
    return fail(diagnose(why), code_of(why), format::unknown);
  }
};
/// {"file","format","ok","diagnostics"}, a line; not ok when there is an error among them. "omitted"
/// follows when that many findings were counted and not kept.
[[nodiscard]] text file_report(std::string_view file, format what,
                               std::span<const diagnostic> found, std::uint64_t omitted = 0);

/// How many findings `check --all` keeps of files of that many bytes. There can be as many as the
/// square of what a file holds, and what is shown grows with the file only.
[[nodiscard]] constexpr std::size_t max_findings(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t least = 1000, most = std::uint64_t{1} << 24;
  return static_cast<std::size_t>(std::clamp(bytes / 64, least, most));
}

/// Loads a file of a known format.
struct loaded {
  std::optional<source> file;
  exit_code code = success;
  [[nodiscard]] explicit operator bool() const noexcept { return code == success; }
};
[[nodiscard]] loaded load_source(const reporting& to, format otherwise = format::unknown,
                                 const io::input_rule& rule = io::main_input);
/// Without telling: `why` is what is wrong. A content that is nothing else is of format `otherwise`.
[[nodiscard]] loaded try_load_source(const std::string& path, diagnostic& why,
                                     format otherwise = format::unknown,
                                     const io::input_rule& rule = io::main_input);

/// Does what is to be done with a file that was loaded.
[[nodiscard]] exit_code with_source(const source& file, const reporting& to, std::string_view verb,
                                    const file_actions& act);
/// Loads a file and does what is to be done with it.
[[nodiscard]] exit_code with_file(const reporting& to, std::string_view verb,
                                  const file_actions& act, format otherwise = format::unknown);
/// What a verb that is for other files says of one.
[[nodiscard]] exit_code not_for(const source& file, const reporting& to, std::string_view verb,
                                std::string_view wanted);

/// How far long work is, on a terminal and once it takes over a second.
class progress {
 public:
  explicit progress(std::uint64_t total);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }
  void advance(std::uint64_t done);
  /// Takes the line away, for other lines.
  void clear();

 private:
  using clock = std::chrono::steady_clock;
  std::uint64_t total_, done_ = 0;
  bool terminal_, shown_ = false;
  clock::time_point next_;
};

/// What verbs on several files share: FILE… and --json, and the highest of the exit codes.
struct file_list {
  std::vector<std::string> paths;
  bool json = false;

  void add_options(const command& verb, const std::string& files, const std::string& json_help);
  /// Whether standard input is read twice; then that is said.
  [[nodiscard]] bool is_wrong(std::string_view verb) const;
  [[nodiscard]] exit_code each(std::string_view verb,
                               const std::function<exit_code(const reporting&)>& act) const;
};

/// Writes results: to standard output, or to a file, compressed if its name says so. For what is a
/// file of some format: byte by byte, but for a terminal, which gets it as a report.
[[nodiscard]] exit_code write_result(const std::string& path, bytes data);
/// Writes what people read, as lines or as JSON. What no terminal is to get (see append_shown) is
/// escaped in it, apart from line ends and tabs; names go through shown_name for these.
[[nodiscard]] exit_code write_report(const std::string& path, std::string_view report);
[[nodiscard]] inline exit_code print_result(std::string_view report) {
  return write_report("-", report);
}

/// The model or program of an ALIR file, or its diagnostic.
[[nodiscard]] result<alir::model> read_alir(const source& from);
[[nodiscard]] result<alir::program> verify_alir(const source& from, report* found = nullptr,
                                                const alir::verify_options& options = {});
/// Each adds a subcommand; what `run` is set to is called when it was chosen.
using action = std::function<exit_code()>;
void add_info(const command& app, action& run);
void add_check(const command& app, action& run);
void add_print(const command& app, action& run);
void add_run(const command& app, action& run);
void add_trace(const command& app, action& run);
void add_convert(const command& app, action& run);
void add_assemble(const command& app, action& run);
void add_canonicalise(const command& app, action& run);
void add_diff(const command& app, action& run);
void add_graph(const command& app, action& run);
void add_fmt(const command& app, action& run);
void add_genome(const command& app, action& run);

inline constexpr const char* exit_codes_help =
    "Exit status:\n"
    "  0  everything is fine\n"
    "  1  the input is wrong: not readable as its format, not valid, or it trapped\n"
    "  2  the command line is wrong\n"
    "  3  a file can't be read or written\n";

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_TOOL_HPP
