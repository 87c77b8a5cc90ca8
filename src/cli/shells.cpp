// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera completion` and `tessera man`, from the tables of commands.hpp.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <tessera/core/bytes.hpp>

#include "help.hpp"
#include "tessera/version.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

[[nodiscard]] std::string_view first_line(std::string_view s) { return s.substr(0, s.find('\n')); }

/// Whether a value or a positional argument is a file.
[[nodiscard]] bool is_file(const option_row& o) {
  return o.is_positional()
             ? o.choices.empty()
             : o.value.ends_with("FILE") || o.value == "FOLDER" || o.value == "DIRECTORY";
}
[[nodiscard]] std::string families_of(std::string_view separator) {
  std::string out;
  for (const family_row& f : family_table) out.append(out.empty() ? "" : separator).append(f.word);
  return out;
}

// ---- bash

void append_bash_verb(text& out, const verb_row& v) {
  out << "    '" << v.name << "')\n      words='--help";
  for (const verb_row* below : verbs_below(v.name)) out << ' ' << below->word();
  std::string values, files;
  for (const option_row* o : options_of(v.name)) {
    if (o->is_positional()) {
      if (!o->choices.empty()) out << ' ' << o->choices;
      continue;
    }
    out << ' ' << o->name();
    if (!o->short_name().empty()) out << ' ' << o->short_name();
    if (o->value.empty()) continue;
    std::string words(o->name());
    if (!o->short_name().empty()) words.append("|").append(o->short_name());
    if (!o->choices.empty())
      values.append("        ").append(words).append(") values='").append(o->choices) += "';;\n";
    else if (!is_file(*o))
      files.append(files.empty() ? "" : "|").append(words);
  }
  out << "'\n      case $prev in\n        --help|-h) values='" << families_of(" ") << "';;\n"
      << values;
  if (!files.empty()) out << "        " << files << ") return;;\n";
  out << "      esac;;\n";
}

void append_bash(text& out) {
  out << "# bash completion of tessera, made by `tessera completion bash`.\n"
         "_tessera() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= words= "
         "values= i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      -*) ;;\n"
         "      *) verb=${verb:+$verb }${COMP_WORDS[i]}\n"
         "         [ \"$verb\" = genome ] || break;;\n"
         "    esac\n"
         "  done\n"
         "  case $verb in\n";
  for (const verb_row& v : verb_table()) append_bash_verb(out, v);
  out << "  esac\n"
         "  if [ -n \"$values\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
         "  elif [[ $cur == -* || -z $verb || $verb == genome ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -o bashdefault -F _tessera tessera\n";
}

// ---- zsh

/// In single quotes, where zsh gives [ ] and : a meaning.
[[nodiscard]] std::string zsh_quoted(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out.append("\\").append(1, c);
    else
      out += c;
  }
  return out;
}

void append_zsh_value(text& out, const option_row& o) {
  if (o.value.empty() && !o.is_positional()) return;
  out << ':' << zsh_quoted(o.is_positional() ? o.name() : o.value) << ':';
  if (!o.choices.empty())
    out << '(' << o.choices << ')';
  else if (is_file(o))
    out << "_files";
}

void append_zsh_verb(text& out, const verb_row& v) {
  out << "    '" << v.name << "')\n      _arguments -s \\\n"
      << "        '--help[Show help]::format:(" << families_of(" ") << ")'";
  for (const option_row* o : options_of(v.name)) {
    out << " \\\n        '";
    if (o->is_positional()) {
      out << '*';
    } else {
      out << "*" << o->name() << '[' << zsh_quoted(first_line(o->help)) << ']';
    }
    append_zsh_value(out, *o);
    out << '\'';
    if (o->short_name().empty()) continue;
    out << " \\\n        '*" << o->short_name() << '[' << zsh_quoted(first_line(o->help)) << ']';
    append_zsh_value(out, *o);
    out << '\'';
  }
  out << ";;\n";
}

void append_zsh(text& out) {
  out << "#compdef tessera\n# zsh completion of tessera, made by `tessera completion zsh`.\n"
         "_tessera() {\n  local verb=$words[2]\n"
         "  local -a verbs\n"
         "  if [[ $verb == genome ]] && (( CURRENT > 3 )); then\n"
         "    verb=\"genome $words[3]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n"
         "  if (( CURRENT == 2 )) || [[ $verb == genome ]]; then\n"
         "    case $verb in\n      genome) verbs=(";
  for (const verb_row* v : verbs_below("genome"))
    out << "\n        '" << v->word() << ':' << zsh_quoted(v->about) << '\'';
  out << ");;\n      *) verbs=(";
  for (const verb_row* v : verbs_below(""))
    out << "\n        '" << v->name << ':' << zsh_quoted(v->about) << '\'';
  out << ");;\n    esac\n    _describe verb verbs\n    return\n  fi\n"
         "  shift words\n  (( CURRENT-- ))\n  case $verb in\n";
  for (const verb_row& v : verb_table())
    if (!v.name.empty() && v.name != "genome") append_zsh_verb(out, v);
  out << "  esac\n}\n_tessera \"$@\"\n";
}

// ---- fish

[[nodiscard]] std::string fish_quoted(std::string_view s) {
  std::string out = "'";
  for (const char c : s) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

void append_fish(text& out) {
  out << "# fish completion of tessera, made by `tessera completion fish`.\n";
  for (const verb_row& v : verb_table()) {
    std::string when;  // which verb the command line has so far
    for (std::string_view left = v.name; !left.empty();) {
      const std::string_view word = left.substr(0, left.find(' '));
      when.append(when.empty() ? "" : "; and ").append("__fish_seen_subcommand_from ").append(word);
      left.remove_prefix(std::min(word.size() + 1, left.size()));
    }
    std::string next = when.empty() ? "not __fish_seen_subcommand_from"
                                    : when + "; and not __fish_seen_subcommand_from";
    for (const verb_row* below : verbs_below(v.name)) next.append(" ").append(below->word());
    for (const verb_row* below : verbs_below(v.name))
      out << "complete -c tessera -f -n " << fish_quoted(next) << " -a " << below->word() << " -d "
          << fish_quoted(below->about) << '\n';
    if (when.empty()) continue;
    for (const option_row* o : options_of(v.name)) {
      out << "complete -c tessera -n " << fish_quoted(when);
      if (!o->is_positional()) out << " -l " << o->name().substr(2);
      if (!o->short_name().empty()) out << " -s " << o->short_name().substr(1);
      if (!o->choices.empty())
        out << (o->is_positional() ? " -f" : " -x") << " -a " << fish_quoted(o->choices);
      else if (!o->value.empty() && !o->is_positional())
        out << (is_file(*o) ? " -r" : " -x");
      out << " -d " << fish_quoted(first_line(o->help)) << '\n';
    }
  }
}

// ---- the manual page

/// Text in roff: no line begins with a request, and \ and - are themselves.
[[nodiscard]] std::string roff(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out.append("\\&").append(1, c);
    else
      out += c;
  }
  return out;
}

void append_man_option(text& out, const option_row& o) {
  out << ".TP\n";
  if (!o.short_name().empty()) out << "\\fB" << roff(o.short_name()) << "\\fR, ";
  out << "\\fB" << roff(o.name()) << "\\fR";
  if (!o.value.empty()) out << " \\fI" << roff(o.value) << "\\fR";
  out << '\n';
  if (o.families != everywhere) out << names_of(o.families) << ". ";
  out << roff(o.help) << '\n';
  if (!o.choices.empty()) out << "One of: " << roff(o.choices) << ".\n";
}

void append_man_verb(text& out, const verb_row& v) {
  out << ".SS tessera " << roff(v.name) << '\n' << roff(v.about) << ".\n";
  for (const option_row* o : options_of(v.name)) append_man_option(out, *o);
  for (const help_row& n : note_table()) {
    if (n.verb != v.name) continue;
    out << ".PP\n";
    if (n.families != everywhere) out << names_of(n.families) << ": ";
    const bool has_code = n.text.find("\n  ") != n.text.npos;
    out << (has_code ? ".nf\n" : "") << roff(n.text) << (has_code ? "\n.fi\n" : "\n");
  }
  out << ".PP\n.nf\n";
  for (const help_row& e : example_table())
    if (e.verb == v.name) out << "    " << roff(e.text) << '\n';
  out << ".fi\n";
}

}  // namespace

text completion_of(std::string_view shell) {
  text out;
  if (shell == "bash") append_bash(out);
  if (shell == "zsh") append_zsh(out);
  if (shell == "fish") append_fish(out);
  return out;
}

text manual_page() {
  text out;
  out << ".TH TESSERA 1 \"\" \"tessera " << TESSERA_VERSION_STRING << "\" \"User Commands\"\n"
      << ".SH NAME\ntessera \\- "
      << "neural\\-network programs: read, verify, print, run\n"
      << ".SH SYNOPSIS\n\\fBtessera\\fR \\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
      << ".SH DESCRIPTION\n"
      << roff(about_tool) << '\n';
  for (const help_row& n : note_table())
    if (n.verb.empty()) out << ".PP\n" << roff(n.text) << '\n';
  out << ".SH VERBS\n";
  for (const verb_row& v : verb_table())
    if (!v.name.empty()) append_man_verb(out, v);
  const std::string_view codes = find_verb("")->exit_codes;
  out << ".SH EXIT STATUS\n.nf\n" << roff(codes.substr(codes.find('\n') + 1)) << ".fi\n";
  return out;
}

void add_completion(const command& app, action& run) {
  const auto shell = std::make_shared<std::string>();
  const command verb = app.verb("completion");
  verb.bind("SHELL", *shell);
  verb.callback([shell, &run] {
    run = [shell] {
      const text script = completion_of(*shell);
      return write_result("-", as_bytes(script));
    };
  });
}

void add_man(const command& app, action& run) {
  const command verb = app.verb("man");
  verb.callback([&run] {
    run = [] {
      const text page = manual_page();
      return write_result("-", as_bytes(page));
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
