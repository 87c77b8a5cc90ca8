// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What each verb does with NEM files.

#ifndef TESSERA_CLI_NEM_HPP
#define TESSERA_CLI_NEM_HPP

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nem_includes.hpp"
#include "tessera/nem.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

struct nem_options {
  std::string profile = "default", device;
  std::vector<std::string> include_folders;
  bool includes_anywhere = false;  ///< whether included files may lie outside those folders
  bool all = false;
  bool hazards = true;                         ///< whether verification looks for them
  std::optional<std::uint64_t> max_instances;  ///< that verification expands loops to
  std::string svg;      ///< where `check` draws the tasks with its findings, if anywhere
  std::string devices;  ///< the folder of the devices that `check` compares, if any
};
/// --profile, --device, --max-instances, --include and --allow-includes-anywhere.
void add_nem_options(const command& verb, nem_options& options);

/// The files that a NEM file includes: looked for beside the file that names them, then in the
/// folders of --include. Of what isn't NEM nothing is shown. Unless they may lie anywhere, they lie
/// below the folder of the file that names them, or one of --include, links followed.
class nem_files {
 public:
  explicit nem_files(const source& main, const std::string& path, const nem_options& options);
  nem_files(const nem_files&) = delete;
  nem_files& operator=(const nem_files&) = delete;

  /// A device of the user's, wherever it is; without a text, `why` says why.
  [[nodiscard]] nem::resolver::file load_device(const std::string& path, diagnostic& why,
                                                exit_code& code);
  [[nodiscard]] nem::resolver resolver() noexcept { return {open, this}; }
  /// The file of a place in a report: the main one, or one that was opened.
  [[nodiscard]] tessera::source_file of(const tessera::report& found, std::uint32_t file) const;

 private:
  struct opened {
    std::string path, shown;
    io::content content;
  };
  using opened_file = std::pair<const std::string, opened>;
  static bool open(void* files, std::string_view from, std::string_view path,
                   nem::resolver::file& to);
  /// The first file that `path` leads to from these folders, with its id; null and `why_` where that
  /// is none that may be included.
  [[nodiscard]] const opened_file* find(const std::vector<std::filesystem::path>& folders,
                                        std::string_view path);
  /// Null and `why_` where it isn't a file of NEM.
  [[nodiscard]] const opened_file* open(const std::string& id,
                                        const std::filesystem::path& candidate);

  const source& main_;
  std::string path_;
  const nem_options& options_;
  std::string why_;
  std::map<std::string, opened, std::less<>> opened_;  ///< by canonical path
};

/// Each finding, as people and as tools see it.
[[nodiscard]] std::vector<diagnostic> diagnose_nem(const tessera::report& found, const source& from,
                                                   const nem_files* files);
/// What reading and verifying a NEM file gave.
struct nem_outcome {
  std::optional<nem::program> program = {};
  std::vector<diagnostic> found = {};
  tessera::report report = {};
  std::string note = {};          ///< that the option --device overrides the program's directive
  exit_code failure = bad_input;  ///< what it means that there is no program
};
[[nodiscard]] nem_outcome verify_nem(const source& from, const reporting& to,
                                     const nem_options& options);
/// Shows all findings; returns the exit status that they mean.
[[nodiscard]] exit_code report_nem(const nem_outcome& found, const source& from,
                                   const reporting& to, const nem_options& options);
/// The model of a file that reads; else what is wrong has been reported.
struct nem_document {
  std::optional<nem::model> document = {};
  exit_code code = success;
};
[[nodiscard]] nem_document read_nem(const source& from, const reporting& to);

/// Whether a file has nothing but devices and type families.
[[nodiscard]] bool is_configuration(const nem::model& d);
/// How much of a program was verified, as "checked": {"coverage", "tasks", …}. Coverage is complete
/// where each instance was looked at, proven where loops needn't be expanded, else partial.
void write_checked(json::writer& w, const nem::program& p);

/// Reports why there is no program.
[[nodiscard]] exit_code fail_nem(const nem_outcome& found, const source& from, const reporting& to);
/// A program without statements for the device of the options; without one, the error has been reported,
/// and `failure` is the exit code.
[[nodiscard]] nem_outcome verify_device(const nem_options& options, const reporting& to);
/// Which devices of a folder a program runs on, and what prevents the others.
[[nodiscard]] exit_code check_nem_devices(const source& file, const reporting& to,
                                          const nem_options& options);
[[nodiscard]] exit_code check_nem(const source& file, const reporting& to,
                                  const nem_options& options);
/// What print shows of NEM.
struct nem_print_options {
  nem_options nem;
  bool tree = false;      ///< the syntax tree
  bool comments = false;  ///< what the program resolves to
};
/// Canonical text, or the syntax tree as text or JSON.
[[nodiscard]] exit_code print_nem(const source& file, const reporting& to,
                                  const nem_print_options& options);
[[nodiscard]] exit_code info_nem(const source& file, const reporting& to,
                                 const nem_options& options);
/// Appends a table of the buffers with their addresses.
void append_address_map(text& to, const nem::program& p);
[[nodiscard]] exit_code diff_nem(const source& a, const source& b, const reporting& before,
                                 const reporting& after, bool quiet);
struct nem_graph_options {
  nem_options nem;
  bool expand = false;
};
[[nodiscard]] exit_code graph_nem(const source& file, const reporting& to,
                                  const picture_output& output, const nem_graph_options& options);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NEM_HPP
