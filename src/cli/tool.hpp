// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the verbs of the tool share: exit codes, input files with their format, diagnostics, output.
//
// A verb returns an exit code. Results go to standard output, everything else to standard error.
// Errors of a file are diagnostics: text or, with --json, objects.

#ifndef TESSERA_CLI_TOOL_HPP
#define TESSERA_CLI_TOOL_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/report.hpp>
#include <thread>
#include <vector>

#include "io/compress.hpp"
#include "options.hpp"
#include "tessera/alir.hpp"
#include "tessera/ark.hpp"
#include "tessera/core/json_write.hpp"
#include "tessera/inspect/picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

enum exit_code : int { success = 0, bad_input = 1, wrong_usage = 2, io_error = 3 };

/// The format of a file, by its content. A new format is a row here, one in `format_table`, and an
/// action in each verb that supports it.
enum class format : std::uint8_t {
  unknown,
  alir_json,
  alir_bytecode,
  alir_pipeline,
  ark_model,
  ark_plan,
  nac,
  nac_assembly,
  safetensors,
  nem,
  genome_registry,
  genome_stream,      ///< base64
  genome_binary,      ///< raw stream; it has no magic number
  genome_signatures,  ///< JSON object of base64 streams by name
  pt2,
};

struct source;
/// The actions of a verb, by format. A file of a format without an action is refused.
struct file_actions {
  using action = std::function<exit_code(const source&)>;
  action check = {};  ///< called before the action of a supported format; failure ends the verb
  action alir = {}, alir_pipeline = {}, ark_model = {}, ark_plan = {}, nac = {}, nac_assembly = {},
         safetensors = {}, nem = {}, genome_registry = {}, genome_stream = {},
         genome_signatures = {}, pt2 = {};
};

struct format_row {
  format what;
  std::string_view name;         ///< the family, for --json: "alir"
  std::string_view article;      ///< "a ", "an " or empty
  std::string_view description;  ///< "ALIR bytecode"
  std::string_view kind;         ///< plural, for all formats with the same action: "ALIR programs"
  file_actions::action file_actions::*act;
  bool is_text;
};
[[nodiscard]] const format_row& info(format f) noexcept;
/// JSON formats are recognised by the first key that only one of them has; malformed JSON by the names
/// in it.
[[nodiscard]] format detect(bytes content);
/// Likewise, except that a file named .nem is always NEM, so that NEM's rules report its errors.
[[nodiscard]] format detect(bytes content, const std::string& path);

/// A loaded and, if necessary, decompressed file.
struct source {
  std::string name;  ///< for messages (see shown_name)
  io::content content;
  format what = format::unknown;

  [[nodiscard]] bytes data() const noexcept { return content.view(); }
  [[nodiscard]] std::string_view characters() const noexcept { return as_text(content.view()); }
  [[nodiscard]] source_file shown() const noexcept {
    return {name, characters(), !info(what).is_text};
  }
};

/// A path or a name for messages: "-" is <stdin>, an empty path is quoted, and characters that are
/// unsafe on a terminal are escaped (see append_shown).
[[nodiscard]] std::string shown_name(std::string_view path);
/// Escapes unsafe characters of any text in a line.
[[nodiscard]] std::string shown_text(std::string_view s);
/// A path for --json: as given, with bytes that aren't UTF-8 replaced.
[[nodiscard]] std::string json_name(std::string_view path);

/// One finding in a file, with its place.
struct diagnostic {
  std::string path_of_file;  ///< if it isn't the verb's file
  std::string included;      ///< the included file that the place is in, if any
  std::string severity = "error";
  std::string rule;
  std::string message;
  std::optional<std::uint64_t> offset, line, column;
  std::optional<std::string> path;
  std::optional<std::uint64_t> length;  ///< of the place, in bytes
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
  std::string shown;  ///< the text for people: complete lines
};
void write_json(json::writer& w, const diagnostic& d);
/// "FILE: error: MESSAGE".
[[nodiscard]] diagnostic diagnose(std::string_view file, std::string_view rule,
                                  std::string message);
/// Adds the line "  [RULE] PLACE", and the place to the message.
void add_place(diagnostic& d, std::string_view place);
[[nodiscard]] diagnostic diagnose(error e, const source& from);
[[nodiscard]] diagnostic diagnose(const io::failure& why);
/// The findings of a report; `sources` as for tessera::describe.
[[nodiscard]] std::vector<diagnostic> diagnose(const report& found,
                                               std::span<const source_file> sources);
/// The findings of a report about one file.
[[nodiscard]] std::vector<diagnostic> diagnose(const report& found, const source& from);
[[nodiscard]] inline exit_code code_of(const io::failure& why) noexcept {
  return why.kind == io::fault::system ? io_error : bad_input;
}

/// Prints to standard error. On a terminal the severity is coloured, unless NO_COLOR is set.
void show(const diagnostic& d);
void show_error(std::string_view message);
void show_note(std::string_view message);
/// Reports a command line that parses but isn't valid.
[[nodiscard]] exit_code usage_error(std::string_view verb, std::string_view message);

/// Refuses an option that doesn't apply to the format of a file.
[[nodiscard]] exit_code check_option(std::string_view verb, std::string_view option,
                                     unsigned applies_to, const source& file);
/// Likewise every option that the command line has. with_source() calls it for verbs of one file.
[[nodiscard]] exit_code check_options(std::string_view verb, const source& file);
/// From now on the verb has several files: an option must apply to one of them, and
/// finish_options() refuses those that don't.
void expect_several_files();
[[nodiscard]] exit_code finish_options(std::string_view verb, exit_code code);

/// Names of operations, sorted, each once.
using operation_names = std::set<std::string, std::less<>>;
/// "2 operations cannot be run here: a, b"; the first eight names, and how many more.
[[nodiscard]] std::string cannot_run(const operation_names& unsupported);

/// Reports why a verb fails on a file: as text on standard error or, with --json, as the object that
/// `check` prints on standard output.
struct reporting {
  std::string path;  ///< as given on the command line
  bool as_json = false;

  exit_code fail(const diagnostic& d, exit_code code, format what) const;
  /// Findings: as text only the errors, with --json all.
  exit_code fail(std::span<const diagnostic> found, format what) const;
  /// The findings of a report; `first` if it is empty.
  exit_code fail(const report& found, error first, const source& from) const;
  exit_code fail(error e, const source& from) const {
    return fail(diagnose(e, from), bad_input, from.what);
  }
  exit_code fail(const io::failure& why) const {
    return fail(diagnose(why), code_of(why), format::unknown);
  }
};
/// A line {"file", "format", "ok", "diagnostics"}; "ok" is false if one of them is an error. If
/// findings were counted and not kept, "omitted" is their number; "unsupported" has the operations
/// of a valid file that can't be run here, if there are any. A format may add members of its own.
[[nodiscard]] text file_report(std::string_view file, format what,
                               std::span<const diagnostic> found, std::uint64_t omitted = 0,
                               const operation_names& unsupported = {},
                               const std::function<void(json::writer&)>& more = {});

/// From now on file_report() hands what it would write to `collect` and returns an empty text.
using report_collector =
    std::function<void(std::string_view file, std::span<const diagnostic> found,
                       std::uint64_t omitted, const operation_names& unsupported)>;
void collect_reports(report_collector collect);

/// The maximum number of findings that `check --all` keeps for a file of that size. A file can have
/// quadratically many; the output must not be longer than linear in the file.
[[nodiscard]] constexpr std::size_t max_findings(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t min = 1000, max = std::uint64_t{1} << 24;
  return static_cast<std::size_t>(std::clamp(bytes / 64, min, max));
}

/// The file; without one, the error has been reported and `code` is its exit code.
struct loaded {
  std::optional<source> file;
  exit_code code = success;
  [[nodiscard]] explicit operator bool() const noexcept { return code == success; }
};
/// Loads a file and detects its format; `otherwise` is the format of unrecognised content.
[[nodiscard]] loaded load_source(const reporting& to, format otherwise = format::unknown,
                                 const io::input_rule& rule = io::main_input);
/// Likewise, but sets `why` instead of reporting it.
[[nodiscard]] loaded try_load_source(const std::string& path, diagnostic& why,
                                     format otherwise = format::unknown,
                                     const io::input_rule& rule = io::main_input);

/// Writes differences as an array of {"what", "before", "after"}.
template <class Difference>
void write_differences(json::writer& w, const std::vector<Difference>& list) {
  w.begin_array();
  for (const Difference& d : list) {
    w.begin_object().key("what").string(d.what);
    w.key("before").string(d.before).key("after").string(d.after).end();
  }
  w.end();
}

/// Calls the action for the format of a file.
[[nodiscard]] exit_code with_source(const source& file, const reporting& to, std::string_view verb,
                                    const file_actions& act);
/// Loads a file and calls the action for its format.
[[nodiscard]] exit_code with_file(const reporting& to, std::string_view verb,
                                  const file_actions& act, format otherwise = format::unknown);
/// Reports that a verb doesn't support the format of a file.
[[nodiscard]] exit_code wrong_format(const source& file, const reporting& to, std::string_view verb,
                                     std::string_view wanted);

/// While it lives, a line on the terminal says that the verb is still working, from the first second
/// without output or other progress on.
class busy_line {
 public:
  explicit busy_line(std::string verb);
  busy_line(const busy_line&) = delete;
  busy_line& operator=(const busy_line&) = delete;
  ~busy_line();
  /// Clears the line, because something else is written.
  static void clear();
  /// Likewise, for good: from now on the terminal is for a dialogue.
  static void stop();

 private:
  std::thread thread_;
};

/// Shows the progress of work that takes more than a second, on a terminal.
class progress {
 public:
  explicit progress(std::uint64_t total);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }
  void advance(std::uint64_t done);
  /// Clears the line, so that others can be printed.
  void clear();

 private:
  using clock = std::chrono::steady_clock;
  std::uint64_t total_, done_ = 0;
  bool terminal_, shown_ = false;
  clock::time_point next_;
};

/// The regular files in a folder, sorted by path, and why some can't be listed. Hidden files are left
/// out, as are hidden folders; links to folders aren't followed.
struct folder_listing {
  std::vector<std::string> files;
  std::vector<io::failure> failures;
};
[[nodiscard]] folder_listing files_in(const std::string& folder, bool recursive);
/// Whether a path leads to a folder.
[[nodiscard]] bool is_folder(const std::string& path);

/// FILE and --json of verbs that take several files; their exit code is the highest of all files.
struct file_list {
  std::vector<std::string> paths;
  bool json = false;

  void add_options(const command& verb);
  /// Reports and returns whether standard input is named twice.
  [[nodiscard]] bool is_wrong(std::string_view verb) const;
  [[nodiscard]] exit_code each(std::string_view verb,
                               const std::function<exit_code(const reporting&)>& act) const;
};

/// From now on, blocks of 1 MiB and more go back to the system when they are freed. The allocator would
/// keep them for others of their size, which tables that grow don't need any more.
void return_large_blocks() noexcept;

/// Writes a file of some format to a path, compressed if its name ends in .gz or .zst, or to standard
/// output. The bytes are unchanged, except that unsafe characters are escaped on a terminal.
[[nodiscard]] exit_code write_result(const std::string& path, bytes data, const reporting& to = {});
/// The same for files that belong together: their names change once all of them are complete. Those
/// that are written at once, pipes and "-", come after the others. The first file appears last: where it is, all
/// are.
struct named_result {
  std::string path;
  bytes data;
};
[[nodiscard]] exit_code write_results(std::vector<named_result> files, const reporting& to = {});
/// Reports why a result wasn't written.
[[nodiscard]] exit_code fail_result(const io::failure& why, const std::string& path,
                                    const reporting& to);
/// Writes text or JSON for people. Unsafe characters are escaped (see append_shown), except line ends
/// and tabs; names that may contain these go through shown_name.
[[nodiscard]] exit_code write_report(const std::string& path, std::string_view report);
/// Likewise in pieces, for what is large; a compressed file is still made as a whole.
///
///   report_writer to(path);
///   while (more) if (!to.put(piece)) break;            // each ends between two lines or values
///   return to.finish();
class report_writer {
 public:
  explicit report_writer(std::string path);
  /// Writes what the text holds, and clears it. False once a write has failed.
  [[nodiscard]] bool put(text& piece);
  /// Puts the file in its place, and reports what failed.
  [[nodiscard]] exit_code finish();

 private:
  std::string path_;
  std::optional<io::expected<io::file_writer>> out_;  ///< none before the first piece
  text whole_;                                        ///< of a file that is to be compressed
  bool is_json_ = false;
};
/// What `graph` writes: DOT, or SVG where that is wanted or the file's name says so.
struct picture_output {
  std::string path = "-";
  bool svg = false;

  [[nodiscard]] exit_code write(const inspect::picture& p) const;
};
[[nodiscard]] inline exit_code print_result(std::string_view report) {
  return write_report("-", report);
}
/// Likewise; returns `verdict` once the report is written.
[[nodiscard]] inline exit_code print_result(std::string_view report, exit_code verdict) {
  const exit_code wrote = print_result(report);
  return wrote != success ? wrote : verdict;
}
/// What `check` prints for a valid file: "FILE: ok (ALIR JSON, DETAILS)", or its object. With
/// operations that can't be run here, "FILE: valid; 1 operation cannot be run here: NAME (…)".
[[nodiscard]] exit_code print_ok(const source& file, const reporting& to,
                                 std::string_view details = "",
                                 const operation_names& unsupported = {});
/// An error of `check --runnable`.
[[nodiscard]] diagnostic diagnose(const source& file, std::string_view rule,
                                  const operation_names& unsupported);

/// Rows with a cell for each column; columns in the set `numbers` are aligned to the right.
void append_table(text& out, const std::vector<std::vector<std::string>>& rows,
                  std::uint64_t numbers);
/// "1 task" or "2 tasks".
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);
[[nodiscard]] bool has_errors(std::span<const diagnostic> found) noexcept;
/// The findings that a report counted and didn't keep.
[[nodiscard]] std::uint64_t omitted_of(const report& found) noexcept;
/// Notes how many they are, if there are any.
void note_omitted(std::uint64_t count);

/// The model or program of an ALIR file.
[[nodiscard]] result<alir::model> read_alir(const source& from);
[[nodiscard]] result<alir::program> verify_alir(const source& from, report* found = nullptr,
                                                const alir::verify_options& options = {});
/// Each adds a verb; `run` is set to its action if the command line chooses it.
using action = std::function<exit_code()>;
/// `tessera help` and --help; none if the command line has neither.
[[nodiscard]] std::optional<exit_code> show_help(int argc, char** argv);
void add_info(const command& app, action& run);
void add_check(const command& app, action& run);
void add_print(const command& app, action& run);
void add_run(const command& app, action& run);
void add_trace(const command& app, action& run);
void add_convert(const command& app, action& run);
void add_import(const command& app, action& run);
void add_optimize(const command& app, action& run);
void add_lower(const command& app, action& run);
void add_assemble(const command& app, action& run);
void add_canonicalise(const command& app, action& run);
void add_diff(const command& app, action& run);
void add_graph(const command& app, action& run);
void add_view(const command& app, action& run);
void add_fmt(const command& app, action& run);
void add_genome(const command& app, action& run);
void add_lsp(const command& app, action& run);
void add_tokens(const command& app, action& run);
void add_completion(const command& app, action& run);
void add_man(const command& app, action& run);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_TOOL_HPP
