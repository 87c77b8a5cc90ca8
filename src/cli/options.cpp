// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace cli {

option option::type_name(const std::string& name) const { return option(option_->type_name(name)); }
option option::required() const { return option(option_->required()); }
option option::one_value() const { return option(option_->allow_extra_args(false)); }
option option::once() const { return option(option_->expected(1)); }
option option::one_of(const std::vector<std::string>& values) const {
  return option(option_->check(CLI::IsMember(values)));
}
option option::between(std::uint32_t low, std::uint32_t high) const {
  return option(option_->check(CLI::Range(low, high)));
}
option option::between(double low, double high) const {
  return option(option_->check(CLI::Range(low, high)));
}
option option::whole_number() const {
  return option(option_->check(CLI::Validator(
      [](std::string& word) {
        std::uint64_t v = 0;
        const char* const end = word.data() + word.size();
        const auto [at, code] = std::from_chars(word.data(), end, v);
        return at == end && code == std::errc{} ? "" : "expected an integer from 0 to 2^64 - 1";
      },
      "")));
}
option option::excludes(const option& other) const {
  return option(option_->excludes(other.option_));
}

command command::add_subcommand(const std::string& name, const std::string& help) const {
  return command(app_->add_subcommand(name, help));
}
command command::alias(const std::string& name) const { return command(app_->alias(name)); }
command command::footer(std::initializer_list<std::string_view> parts) const {
  std::string text;
  for (const std::string_view part : parts) text += part;
  if (text.starts_with('\n')) text.erase(0, 1);
  return command(app_->footer(text));
}
command command::callback(std::function<void()> act) const {
  return command(app_->callback(std::move(act)));
}
command command::require_subcommand() const { return command(app_->require_subcommand(1)); }

namespace {

/// Of words: FILE has no type in help texts, and --output takes a file.
[[nodiscard]] option named(CLI::Option* o) {
  if (o->get_positional()) o->type_name(o->nonpositional() ? "FILE" : "");
  return option(o);
}

}  // namespace

option command::add_option(const std::string& names, std::string& to,
                           const std::string& help) const {
  return named(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, std::vector<std::string>& to,
                           const std::string& help) const {
  return named(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, std::optional<std::string>& to,
                           const std::string& help) const {
  return option(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, std::uint32_t& to,
                           const std::string& help) const {
  return option(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, std::optional<std::uint32_t>& to,
                           const std::string& help) const {
  return option(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, std::uint64_t& to,
                           const std::string& help) const {
  return option(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, std::optional<std::uint64_t>& to,
                           const std::string& help) const {
  return option(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, double& to, const std::string& help) const {
  return option(app_->add_option(names, to, help));
}
option command::add_flag(const std::string& names, bool& to, const std::string& help) const {
  return option(app_->add_flag(names, to, help));
}
option command::add_flag(const std::string& names, std::function<void()> act,
                         const std::string& help) const {
  return option(app_->add_flag_callback(names, std::move(act), help));
}

namespace {

/// The word that this command doesn't know, or the verb that is missing, and the words that it knows.
void explain_unknown(const CLI::App& at, command_line::outcome& out) {
  const std::vector<std::string> rest = at.remaining();
  if (rest.empty() && (at.get_require_subcommand_min() == 0 || !at.get_subcommands().empty()))
    return;
  if (!rest.empty()) out.unknown = rest[0];
  const bool is_option = out.unknown.size() > 1 && out.unknown[0] == '-';
  if (is_option) {
    out.unknown.resize(std::min(out.unknown.find('='), out.unknown.size()));
    for (const CLI::Option* o : at.get_options())
      for (const std::string& name : o->get_lnames()) out.known.push_back("--" + name);
  } else {
    for (const CLI::App* verb : at.get_subcommands([](const CLI::App*) { return true; }))
      out.known.push_back(verb->get_name());
  }
}

}  // namespace

command_line::command_line(const std::string& name, const std::string& about,
                           const std::string& version)
    : app_(std::make_unique<CLI::App>(about)) {
  app_->name(name);
  app_->set_version_flag("-V,--version", version);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(34);
}
command_line::~command_line() = default;

auto command_line::parse(int argc, char** argv) -> outcome {
  try {
    app_->parse(argc, argv);
    return {};
  } catch (const CLI::Success& help_or_version) {
    app_->exit(help_or_version);
    outcome out;
    out.status = outcome::printed;
    return out;
  } catch (const CLI::ParseError& e) {
    outcome out;
    out.status = outcome::wrong;
    out.message = e.what();
    const CLI::App* at = app_.get();
    for (; !at->get_subcommands().empty(); out.verb += ' ' + at->get_name())
      at = at->get_subcommands().front();
    explain_unknown(*at, out);
    return out;
  }
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
