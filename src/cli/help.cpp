// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera help`, and `--help` of every verb.

#include "help.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tessera/core/suggest.hpp>
#include <utility>
#include <vector>

#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

constexpr std::size_t help_column = 34, max_columns = 100;

/// A line for each verb below one; "" is the tool.
void append_verbs(text& out, std::string_view parent, unsigned families) {
  out << "\nVerbs:\n";
  for (const verb_row* v : verbs_below(parent))
    if (families == everywhere || (v->families & families) != 0)
      out << "  " << v->word() << std::string(15 - v->word().size(), ' ') << v->about << '\n';
}

/// "  -o, --output FILE    The file to write".
void append_option(text& out, const option_row& o) {
  std::string left = "  ";
  if (!o.short_name().empty()) left.append(o.short_name()).append(", ");
  left += o.name();
  if (!o.value.empty()) left.append(" ").append(o.value);
  if (o.is_list()) left += "...";
  out << left;
  std::size_t column = left.size();
  const auto append_line = [&](std::string_view line) {
    if (column + 1 > help_column) out << '\n', column = 0;
    out << std::string(help_column - column, ' ') << line << '\n';
    column = 0;
  };
  for (std::string_view rest = o.help; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    append_line(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  if (o.choices.empty()) return;
  std::string line = "One of:";
  for (std::string_view rest = o.choices; !rest.empty();) {
    const std::string_view choice = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(choice.size() + 1, rest.size()));
    if (line.size() + choice.size() > max_columns - help_column - 2) {
      append_line(line);
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(choice).append(rest.empty() ? "" : ",");
  }
  append_line(line);
}

/// The names of the options for one format, in lines.
void append_names(text& out, std::string_view word, const std::vector<const option_row*>& rows) {
  std::string line = "  " + std::string(word) + std::string(10 - word.size(), ' ');
  for (const option_row* o : rows) {
    std::string name(o->name());
    if (!o->value.empty()) name.append(" ").append(o->value);
    if (line.size() + name.size() + 2 > max_columns) {
      line.pop_back();
      out << line << '\n';
      line.assign(12, ' ');
    }
    line += name + (o == rows.back() ? "" : ", ");
  }
  out << line << '\n';
}

void append_options(text& out, const verb_row& verb, unsigned families) {
  const std::vector<const option_row*> all = options_of(verb.name);
  bool any = false;
  for (const option_row* o : all)
    if (o->is_positional())
      out << (std::exchange(any, true) ? "" : "\nFiles:\n"), append_option(out, *o);
  out << "\nOptions:\n";
  for (const option_row* o : all) {
    if (o->is_positional()) continue;
    const bool shown =
        families == everywhere ? o->families == everywhere : (o->families & families) != 0;
    if (shown) append_option(out, *o);
  }
  out << "  -h, --help [FORMAT]             Show this help; with a format, all options for it\n";
  if (verb.name.empty())
    out << "  -V, --version                   Show the version and the features\n";
  if (families != everywhere) return;
  any = false;
  for (const family_row& f : family_table) {
    std::vector<const option_row*> some;
    for (const option_row* o : all)
      if (o->families != everywhere && (o->families & f.which) != 0) some.push_back(o);
    if (some.empty()) continue;
    if (!std::exchange(any, true))
      out << "\nOptions by format; `tessera " << verb.name << " --help FORMAT` describes them:\n";
    append_names(out, f.word, some);
  }
}

void append_examples(text& out, const verb_row& verb, unsigned families) {
  out << "\nExamples:\n";
  unsigned seen = 0;
  for (const help_row& e : example_table()) {
    if (e.verb != verb.name || (e.families & families) == 0) continue;
    // Without a format, the first two of each.
    const bool specific = e.families != everywhere;
    if (families == everywhere && specific && !verb.name.empty()) {
      const unsigned twice = e.families << 16;
      if ((seen & twice) != 0) continue;
      seen |= (seen & e.families) != 0 ? twice : e.families;
    }
    out << "  " << e.text << '\n';
  }
}

}  // namespace

text help_of(const verb_row& verb, unsigned families) {
  text out;
  out << verb.about;
  if (families != everywhere) out << " (" << names_of(families) << ')';
  out << (verb.about.back() == '.' ? "" : ".") << "\nUsage: tessera";
  const bool has_verbs = verb.name.empty() || verb.name == "genome";
  if (!verb.name.empty()) out << ' ' << verb.name;
  if (verb.name != "help") out << (has_verbs ? " VERB [OPTION]..." : " [OPTION]...");
  for (const option_row* o : options_of(verb.name))
    if (o->is_positional()) out << ' ' << o->name() << (o->is_list() ? "..." : "");
  if (verb.name == "help") out << " [VERB] [FORMAT]";
  out << '\n';
  if (has_verbs) append_verbs(out, verb.name, families);
  append_options(out, verb, families);
  for (const help_row& n : note_table()) {
    if (n.verb != verb.name) continue;
    const bool general = n.families == everywhere;
    if (families == everywhere ? general : (n.families & families) != 0)
      out << '\n' << n.text << '\n';
  }
  append_examples(out, verb, families);
  out << '\n' << verb.exit_codes;
  return out;
}

namespace {

/// What a command line asks help for.
struct request {
  std::string verb, format;
  bool is_help = false;
};

/// The format that follows --help, unless that is a file.
[[nodiscard]] bool may_be_format(std::string_view word) {
  return !word.empty() && word[0] != '-' && word.find_first_of("./*") == word.npos;
}

[[nodiscard]] request parse_request(const std::vector<std::string_view>& words) {
  request out;
  std::size_t next = 0;
  const bool is_verb = !words.empty() && words[0] == "help";
  if (is_verb) out.is_help = true, ++next;
  const auto take_verb = [&] {
    const std::string longer =
        out.verb.empty() ? std::string(words[next]) : out.verb + ' ' + std::string(words[next]);
    const bool found = longer != "help" && find_verb(longer) != nullptr;
    if (found) out.verb = longer;
    return found;
  };
  while (next < words.size() && take_verb()) ++next;
  if (is_verb) {
    if (next < words.size() && words[next] != "help" && may_be_format(words[next]))
      out.format = words[next];
    else if (next < words.size())
      out.verb = "help";
    return out;
  }
  for (; next < words.size() && words[next] != "--"; ++next) {
    if (words[next] != "-h" && words[next] != "--help" && !words[next].starts_with("--help="))
      continue;
    out.is_help = true;
    if (const std::size_t equals = words[next].find('='); equals != words[next].npos) {
      out.format = words[next].substr(equals + 1);
      return out;
    }
    for (++next; next < words.size() && take_verb();) ++next;
    if (next < words.size() && may_be_format(words[next])) out.format = words[next];
    return out;
  }
  return out;
}

}  // namespace

std::optional<exit_code> show_help(int argc, char** argv) {
  const request asked = parse_request({argv + 1, argv + std::max(argc, 1)});
  if (!asked.is_help) return std::nullopt;
  const verb_row& verb = *find_verb(asked.verb);
  unsigned families = everywhere;
  if (!asked.format.empty()) {
    suggestion near(asked.format);
    std::string known;
    families = 0;
    for (const family_row& f : family_table) {
      if (f.word == asked.format) families = f.which;
      near.offer(f.word);
      if ((verb.families & f.which) != 0) known.append(known.empty() ? "" : ", ").append(f.word);
    }
    if (asked.verb.empty())
      for (const verb_row& v : verb_table()) near.offer(v.name);
    if ((families & verb.families) == 0) {
      std::string message = families != 0 ? "no options for " : "unknown format ";
      message += "'" + shown_name(asked.format) + "'";
      message += near.word().empty() || families != 0
                     ? "; expected " + known
                     : "; did you mean " + std::string(near.word()) + "?";
      return usage_error(asked.verb.empty() ? "help" : asked.verb, message);
    }
  }
  const text out = help_of(verb, families);
  return print_result(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
