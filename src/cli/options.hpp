// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The command line: binds the options of commands.hpp to variables and parses it. CLI11 does the
// parsing; only options.cpp includes CLI11, because every file that does takes seconds to compile.
//
//   command_line line("tessera 1.0");
//   const command verb = line.root().verb("check");
//   verb.bind("FILE", files);
//   verb.bind("--threads", threads);
//   verb.callback([&] { run = check; });
//   switch (line.parse(argc, argv).status) …
//
// What the table says of an option is checked: that it is given, one of its choices, in its range. A
// variable of a list takes one value each time its option is given; a positional one takes all.
//
// Lifetime:   commands and options are handles, valid as long as their command_line; targets are
//             written while parse() runs.
// Errors:     std::logic_error for an option that isn't in the table, when the tool starts.

#ifndef TESSERA_CLI_OPTIONS_HPP
#define TESSERA_CLI_OPTIONS_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "tessera/version.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tessera::inline TESSERA_ABI {
namespace cli {

class option {
 public:
  explicit option(CLI::Option* o) noexcept : option_(o) {}
  const option* operator->() const noexcept { return this; }

  /// May be given once.
  option once() const;
  option excludes(const option& other) const;

 private:
  CLI::Option* option_;
};

class command {
 public:
  command(CLI::App* a, std::string name) : app_(a), name_(std::move(name)) {}

  /// Adds a verb of verb_table by its last word.
  [[nodiscard]] command verb(const std::string& word) const;
  command alias(const std::string& name) const;
  /// `act` is called once the command has been parsed.
  command callback(std::function<void()> act) const;
  command require_subcommand() const;

  option bind(std::string_view name, std::string& to) const;
  option bind(std::string_view name, std::vector<std::string>& to) const;
  option bind(std::string_view name, std::optional<std::string>& to) const;
  option bind(std::string_view name, std::uint32_t& to) const;
  option bind(std::string_view name, std::optional<std::uint32_t>& to) const;
  option bind(std::string_view name, std::uint64_t& to) const;
  option bind(std::string_view name, std::optional<std::uint64_t>& to) const;
  option bind(std::string_view name, double& to) const;
  option bind(std::string_view name, std::optional<double>& to) const;
  option bind(std::string_view name, bool& to) const;
  option bind(std::string_view name, std::function<void()> act) const;

 private:
  template <class T>
  [[nodiscard]] option add(std::string_view name, T& to) const;
  [[nodiscard]] const option_row& row(std::string_view name) const;

  CLI::App* app_;
  std::string name_;
};

class command_line {
 public:
  explicit command_line(const std::string& version);
  ~command_line();
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  [[nodiscard]] command root() const noexcept { return {app_.get(), ""}; }

  struct outcome {
    enum { parsed, printed, wrong } status = parsed;  ///< `printed`: the version
    std::string verb;                                 ///< of a wrong line: " genome mine"
    std::string message;
    std::string unknown;             ///< the first word that is no verb or option here, if any
    std::vector<std::string> known;  ///< the verbs or options that were expected
  };
  [[nodiscard]] outcome parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// The options that the parsed command line has, without positional ones.
[[nodiscard]] const std::vector<const option_row*>& given_options() noexcept;

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_OPTIONS_HPP
