// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// The options that verbs have bound, for given_options().
struct bound_option {
  const option_row* row;
  const CLI::Option* parsed;
};
std::vector<bound_option> bound;
std::vector<const option_row*> given;

[[nodiscard]] std::vector<std::string> words_of(std::string_view s) {
  std::vector<std::string> out;
  while (!s.empty()) {
    const std::string_view word = s.substr(0, s.find(' '));
    out.emplace_back(word);
    s.remove_prefix(std::min(word.size() + 1, s.size()));
  }
  return out;
}

/// An integer from 0 to 2^64 - 1.
[[nodiscard]] std::string check_whole_number(std::string& word) {
  std::uint64_t v = 0;
  const char* const end = word.data() + word.size();
  const auto [at, code] = std::from_chars(word.data(), end, v);
  return at == end && code == std::errc{} ? "" : "expected an integer from 0 to 2^64 - 1";
}

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T>;
template <class T>
constexpr bool is_number<std::optional<T>> = std::is_arithmetic_v<T>;

void set_checks(CLI::Option& o, const option_row& row, bool number, bool whole) {
  if (row.is_required()) o.required();
  if (!row.value.empty()) o.type_name(std::string(row.value));
  if (!row.choices.empty()) o.check(CLI::IsMember(words_of(row.choices)));
  if (!number) return;
  if (whole) o.check(CLI::Validator(check_whole_number, ""));
  if (row.low < row.high && whole)
    o.check(CLI::Range(static_cast<std::uint64_t>(row.low), static_cast<std::uint64_t>(row.high)));
  else if (row.low < row.high)
    o.check(CLI::Range(row.low, row.high));
}

/// CLI11 takes a positional argument "[a,b]" for a list of several. This after it keeps it one text.
constexpr char end_mark = '\x1f';
void drop_mark(std::string& s) {
  if (s.ends_with(end_mark)) s.pop_back();
}

}  // namespace

option option::once() const { return option(option_->expected(1)); }
option option::excludes(const option& other) const {
  return option(option_->excludes(other.option_));
}

command command::verb(const std::string& word) const {
  std::string name = name_.empty() ? word : name_ + ' ' + word;
  const verb_row* const row = find_verb(name);
  if (row == nullptr) throw std::logic_error("no such verb: " + name);
  CLI::App* const made = app_->add_subcommand(word, std::string(row->about));
  made->set_help_flag("");
  return {made, std::move(name)};
}
command command::alias(const std::string& name) const { return {app_->alias(name), name_}; }
command command::callback(std::function<void()> act) const {
  return {app_->callback(std::move(act)), name_};
}
command command::require_subcommand() const { return {app_->require_subcommand(1), name_}; }

const option_row& command::row(std::string_view name) const {
  const option_row* const found = find_option(name_, name);
  if (found == nullptr)
    throw std::logic_error("no such option: " + name_ + ' ' + std::string(name));
  return *found;
}

template <class T>
option command::add(std::string_view name, T& to) const {
  const option_row& of = row(name);
  std::string names(of.is_positional() ? of.name() : of.names);
  if (names.ends_with('!')) names.pop_back();
  CLI::Option* const o = app_->add_option(names, to);
  set_checks(*o, of, is_number<T>,
             !std::is_same_v<T, double> && !std::is_same_v<T, std::optional<double>>);
  if (std::is_same_v<T, std::vector<std::string>> && !of.is_positional())
    o->allow_extra_args(false);
  o->transform(CLI::Validator([](std::string& s) { return drop_mark(s), std::string(); }, ""));
  bound.push_back({&of, o});
  return option(o);
}

option command::bind(std::string_view name, std::string& to) const { return add(name, to); }
option command::bind(std::string_view name, std::vector<std::string>& to) const {
  return add(name, to);
}
option command::bind(std::string_view name, std::optional<std::string>& to) const {
  return add(name, to);
}
option command::bind(std::string_view name, std::uint32_t& to) const { return add(name, to); }
option command::bind(std::string_view name, std::optional<std::uint32_t>& to) const {
  return add(name, to);
}
option command::bind(std::string_view name, std::uint64_t& to) const { return add(name, to); }
option command::bind(std::string_view name, std::optional<std::uint64_t>& to) const {
  return add(name, to);
}
option command::bind(std::string_view name, double& to) const { return add(name, to); }
option command::bind(std::string_view name, std::optional<double>& to) const {
  return add(name, to);
}
option command::bind(std::string_view name, bool& to) const {
  const option_row& of = row(name);
  CLI::Option* const o = app_->add_flag(std::string(of.names), to);
  bound.push_back({&of, o});
  return option(o);
}
option command::bind(std::string_view name, std::function<void()> act) const {
  const option_row& of = row(name);
  CLI::Option* const o = app_->add_flag_callback(std::string(of.names), std::move(act));
  bound.push_back({&of, o});
  return option(o);
}

namespace {

/// The word that this command doesn't know, or the verb that is missing, and the words that it knows.
void explain_unknown(const CLI::App& at, std::string_view verb, command_line::outcome& out) {
  const std::vector<std::string> rest = at.remaining();
  if (rest.empty() && (at.get_require_subcommand_min() == 0 || !at.get_subcommands().empty()))
    return;
  if (!rest.empty()) out.unknown = rest[0];
  drop_mark(out.unknown);
  const bool is_option = out.unknown.size() > 1 && out.unknown[0] == '-';
  if (!is_option) {
    for (const verb_row* v : verbs_below(verb)) out.known.emplace_back(v->word());
    return;
  }
  out.unknown.resize(std::min(out.unknown.find('='), out.unknown.size()));
  out.known.emplace_back("--help");
  for (const option_row* o : options_of(verb))
    if (!o->is_positional()) out.known.emplace_back(o->name());
}

}  // namespace

command_line::command_line(const std::string& version)
    : app_(std::make_unique<CLI::App>(std::string(about_tool))) {
  app_->name("tessera");
  app_->set_help_flag("");
  app_->set_version_flag("-V,--version", version);
  app_->require_subcommand(1);
}
command_line::~command_line() { bound.clear(); }

auto command_line::parse(int argc, char** argv) -> outcome {
  outcome out;
  try {
    std::vector<std::string> reversed(argv + 1, argv + argc);
    for (std::string& s : reversed)
      if (s.size() > 1 && s.front() == '[' && s.back() == ']') s += end_mark;
    std::reverse(reversed.begin(), reversed.end());
    app_->parse(std::move(reversed));
    for (const bound_option& b : bound)
      if (b.parsed->count() != 0 && !b.row->is_positional()) given.push_back(b.row);
  } catch (const CLI::Success& version) {
    app_->exit(version);
    out.status = outcome::printed;
  } catch (const CLI::ParseError& e) {
    out.status = outcome::wrong;
    out.message = e.what();
    const CLI::App* at = app_.get();
    for (; !at->get_subcommands().empty(); out.verb += ' ' + at->get_name())
      at = at->get_subcommands().front();
    explain_unknown(*at, std::string_view(out.verb).substr(out.verb.empty() ? 0 : 1), out);
  }
  return out;
}

const std::vector<const option_row*>& given_options() noexcept { return given; }

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
