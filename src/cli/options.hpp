// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The command line: verbs and their options. CLI11 parses it; only options.cpp includes CLI11, because
// every file that does takes seconds to compile.
//
// Help texts: a verb and a flag say what they do ("Check files", "Show every note"); an option with a
// value names the value, with its default at the end ("Number of runs (1)").
//
//   command_line line("tessera", "Reads and writes programs.", "tessera 1.0");
//   const command verb = line.root().add_subcommand("check", "Check files");
//   verb.add_option("FILE", files, "Files to check")->required();
//   verb.add_option("--threads", threads, "Number of threads")->type_name("COUNT")->between(0, 1024);
//   verb.callback([&] { run = check; });
//   switch (line.parse(argc, argv).status) …
//
// Lifetime:   commands and options are handles, valid as long as their command_line; targets are
//             written while parse() runs.

#ifndef TESSERA_CLI_OPTIONS_HPP
#define TESSERA_CLI_OPTIONS_HPP

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  /// The name of its value in help texts.
  option type_name(const std::string& name) const;
  option required() const;
  /// Takes one value each time it is given; it may be given several times.
  option one_value() const;
  /// Takes one value, and may be given once.
  option once() const;
  option one_of(const std::vector<std::string>& values) const;
  option between(std::uint32_t low, std::uint32_t high) const;
  option between(double low, double high) const;
  /// Takes an integer from 0 to 2^64 - 1.
  option whole_number() const;
  option excludes(const option& other) const;

 private:
  CLI::Option* option_;
};

class command {
 public:
  explicit command(CLI::App* a) noexcept : app_(a) {}

  [[nodiscard]] command add_subcommand(const std::string& name, const std::string& help) const;
  command alias(const std::string& name) const;
  /// The end of its help: the concatenated parts, without a line end at the start.
  command footer(std::initializer_list<std::string_view> parts) const;
  /// `act` is called once the command has been parsed.
  command callback(std::function<void()> act) const;
  command require_subcommand() const;

  // `names` are "FILE" or "-o,--output,OUTPUT".
  option add_option(const std::string& names, std::string& to, const std::string& help) const;
  option add_option(const std::string& names, std::vector<std::string>& to,
                    const std::string& help) const;
  option add_option(const std::string& names, std::optional<std::string>& to,
                    const std::string& help) const;
  option add_option(const std::string& names, std::uint32_t& to, const std::string& help) const;
  option add_option(const std::string& names, std::optional<std::uint32_t>& to,
                    const std::string& help) const;
  option add_option(const std::string& names, std::uint64_t& to, const std::string& help) const;
  option add_option(const std::string& names, std::optional<std::uint64_t>& to,
                    const std::string& help) const;
  option add_option(const std::string& names, double& to, const std::string& help) const;
  option add_flag(const std::string& names, bool& to, const std::string& help) const;
  option add_flag(const std::string& names, std::function<void()> act,
                  const std::string& help) const;

 private:
  CLI::App* app_;
};

class command_line {
 public:
  command_line(const std::string& name, const std::string& about, const std::string& version);
  ~command_line();
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  [[nodiscard]] command root() const noexcept { return command(app_.get()); }

  struct outcome {
    enum { parsed, printed, wrong } status = parsed;  ///< `printed`: help or the version
    std::string verb;                                 ///< of a wrong line: " genome mine"
    std::string message;
    std::string unknown;             ///< the first word that is no verb or option here, if any
    std::vector<std::string> known;  ///< the verbs or options that were expected
  };
  [[nodiscard]] outcome parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_OPTIONS_HPP
