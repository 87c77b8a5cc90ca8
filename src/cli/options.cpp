// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "options.hpp"

#include <CLI/CLI.hpp>
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
        return at == end && code == std::errc{} ? "" : "expected a number from 0 to 2^64 - 1";
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
command command::footer(const std::string& text) const { return command(app_->footer(text)); }
command command::callback(std::function<void()> act) const {
  return command(app_->callback(std::move(act)));
}
command command::require_subcommand() const { return command(app_->require_subcommand(1)); }

option command::add_option(const std::string& names, std::string& to,
                           const std::string& help) const {
  return option(app_->add_option(names, to, help));
}
option command::add_option(const std::string& names, std::vector<std::string>& to,
                           const std::string& help) const {
  return option(app_->add_option(names, to, help));
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

command_line::command_line(const std::string& name, const std::string& about,
                           const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(about)) {
  app_->name(name);
  app_->set_version_flag("-V,--version", version);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(34);
  app_->footer(footer);
}
command_line::~command_line() = default;

auto command_line::parse(int argc, char** argv) -> outcome {
  try {
    app_->parse(argc, argv);
    return {};
  } catch (const CLI::Success& asked) {
    app_->exit(asked);
    return {outcome::asked, {}, {}};
  } catch (const CLI::ParseError& wrong) {
    outcome out{outcome::wrong, {}, wrong.what()};
    for (const CLI::App* sub = app_.get(); !sub->get_subcommands().empty();
         out.verb += ' ' + sub->get_name())
      sub = sub->get_subcommands().front();
    return out;
  }
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
