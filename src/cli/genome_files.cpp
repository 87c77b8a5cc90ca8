// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera check`, `print` and `info` for registries and streams of NAC v1.2.

#include <algorithm>
#include <array>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "genome.hpp"
#include "tessera/inspect/genome/statistics.hpp"
#include "vm/genome/arguments.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// Calls `act` for each verified stream of a file.
[[nodiscard]] exit_code each_program(
    const source& file, const reporting& to, const std::string& registry,
    const std::function<void(const std::string& name, const genome::program&)>& act) {
  libraries known(registry);
  exit_code code = success;
  const genome::library* const library = known.of(to, code);
  if (library == nullptr) return code;
  return each_stream(file, to, [&](const stored_stream& s) {
    const program_outcome in = verify_stream(s, *library, to);
    if (in.program) act(s.name, *in.program);
    return in.code;
  });
}

constexpr std::array<std::string_view, genome::command_count> command_words = {
    "",       "padding",       "inputs", "legacy inputs", "outputs", "parameters", "patterns",
    "copies", "control flows", "",       "operations"};

constexpr std::array<std::string_view, genome::command_count> single_words = {
    "",     "padding",      "input", "legacy input", "output", "parameter", "pattern",
    "copy", "control flow", "",      "operation"};

void show(text& out, const inspect::stream_statistics& of) {
  out << "  nodes       " << of.nodes;
  std::string_view between = ": ";
  for (std::size_t i = 0; i < of.commands.size(); ++i) {
    if (of.commands[i] == 0) continue;
    out << between << of.commands[i] << ' '
        << (of.commands[i] == 1 ? single_words : command_words)[i];
    between = ", ";
  }
  out << "\n  expanded    " << of.expanded << " nodes\n";
  constexpr std::size_t shown = 12;
  for (std::size_t i = 0; i < std::min(of.operations.size(), shown); ++i)
    out << (i == 0 ? "  operations  " : "              ") << of.operations[i].value << ' '
        << shown_text(of.operations[i].name) << '\n';
  if (of.operations.size() > shown)
    out << "              and " << of.operations.size() - shown << " others\n";
}
void write(json::writer& w, const inspect::stream_statistics& of) {
  w.key("nodes").integer(of.nodes).key("expanded").integer(of.expanded);
  w.key("stream_bytes").integer(of.bytes).key("commands").begin_object();
  for (std::size_t i = 0; i < of.commands.size(); ++i)
    if (of.commands[i] != 0) w.key(command_words[i]).integer(of.commands[i]);
  w.end().key("operations").begin_object();
  for (const auto& [name, count] : of.operations) w.key(name).integer(count);
  w.end();
}

struct registry_count {
  std::string_view key, words;
  std::uint64_t value;
};
[[nodiscard]] std::array<registry_count, 9> counts_of(const inspect::registry_statistics& r) {
  return {{{"operations", "operations", r.operations},
           {"variations", "variations", r.variations},
           {"constants", "constants", r.constants},
           {"groups", "groups", r.groups},
           {"parameters", "parameters", r.parameters},
           {"patterns", "patterns", r.patterns},
           {"transition_rules", "transitions", r.transitions},
           {"composition_rules", "compositions", r.compositions},
           {"structural_rules", "structures", r.structures}}};
}

void write_nodes(json::writer& w, const genome::program& p) {
  const genome::stream_view s = p.stream();
  w.key("nodes").begin_array();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const genome::node& n = s.nodes[i];
    const bool is_operation = n.what() == genome::command::operation;
    w.begin_object().key("a").integer(n.a).key("name");
    w.string(is_operation ? p.library().operation(n.a) : genome::command_names[n.a]);
    w.key("b").integer(n.b).key("c").integer(n.c).key("d").begin_array();
    for (const std::int32_t d : s.inputs_of(i)) w.integer(d);
    w.end().end();
  }
  w.end();
}

}  // namespace

exit_code check_registry(const source& file, const reporting& to) {
  const library_outcome in = verify_registry(file, to);
  if (in.code != success) return in.code;
  const inspect::registry_statistics r(*in.library);
  return print_ok(file, to,
                  ", " + plural(r.operations, "operation") + ", " + plural(r.patterns, "pattern"));
}

exit_code check_streams(const source& file, const reporting& to, const std::string& registry,
                        bool runnable) {
  std::uint64_t nodes = 0, streams = 0;
  vm::genome::unsupported_operations unsupported;
  const exit_code code =
      each_program(file, to, registry, [&](const std::string&, const genome::program& p) {
        nodes += p.stream().size();
        ++streams;
        unsupported.add(p);
      });
  if (code != success) return code;
  if (runnable && !unsupported.names().empty()) {
    const diagnostic d =
        diagnose(file, error{errc::genome_run_operation}.name(), unsupported.names());
    if (!to.as_json) return to.fail(d, bad_input, file.what);
    const text line = file_report(to.path, file.what, {&d, 1}, 0, unsupported.names());
    return print_result(line, bad_input);
  }
  std::string more = ", " + plural(nodes, "node");
  if (file.what == format::genome_signatures) more = ", " + plural(streams, "stream") + more;
  return print_ok(file, to, more, unsupported.names());
}

exit_code print_registry(const source& file, const reporting& to) {
  const library_outcome in = verify_registry(file, to);
  if (in.code != success) return in.code;
  if (!to.as_json) {
    const text out = genome::print(*in.library);
    return print_result(out);
  }
  const result<text> out = genome::write_registry(in.library->registry());
  return out ? print_result(*out) : to.fail(out.error(), file);
}

exit_code print_streams(const source& file, const reporting& to, const std::string& registry) {
  text out;
  json::writer w(out);
  if (to.as_json) w.begin_object().key("format").string("genome").key("streams").begin_array();
  bool first = true;
  const exit_code code =
      each_program(file, to, registry, [&](const std::string& name, const genome::program& p) {
        if (to.as_json) {
          w.begin_object().key("name");
          if (name.empty())
            w.null();
          else
            w.string(name);
          write_nodes(w, p);
          w.end();
          return;
        }
        if (file.what == format::genome_signatures)
          out << (first ? "; " : "\n; ") << shown_name(name) << '\n';
        first = false;
        const text listing = genome::print(p);
        out << listing.view();
      });
  if (code != success) return code;
  if (to.as_json) {
    w.end().end();
    out << '\n';
  }
  return print_result(out);
}

exit_code info_registry(const source& file, const reporting& to) {
  const library_outcome in = verify_registry(file, to);
  if (in.code != success) return in.code;
  const inspect::registry_statistics r(*in.library);
  text out;
  if (to.as_json) {
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to.path)).key("format").string("genome");
    w.key("form").string("registry").key("bytes").integer(file.data().size());
    for (const registry_count& c : counts_of(r)) w.key(c.key).integer(c.value);
    w.key("pattern_nodes").integer(r.longest_pattern).end();
    out << '\n';
    return print_result(out);
  }
  out << file.name << ": " << info(file.what).description << ", " << file.data().size()
      << " bytes\n";
  for (const registry_count& c : counts_of(r)) {
    out << "  " << c.words;
    for (std::size_t i = c.words.size(); i < 14; ++i) out << ' ';
    out << c.value;
    if (c.key == "patterns" && c.value != 0)
      out << ", the longest of " << plural(r.longest_pattern, "node");
    out << '\n';
  }
  return print_result(out);
}

exit_code info_streams(const source& file, const reporting& to, const std::string& registry) {
  text out;
  json::writer w(out);
  if (to.as_json) {
    w.begin_object().key("file").string(json_name(to.path)).key("format").string("genome");
    w.key("form").string(file.what == format::genome_signatures ? "signatures" : "stream");
    w.key("bytes").integer(file.data().size()).key("streams").begin_array();
  } else {
    out << file.name << ": " << info(file.what).description << ", " << file.data().size()
        << " bytes\n";
  }
  const exit_code code =
      each_program(file, to, registry, [&](const std::string& name, const genome::program& p) {
        const inspect::stream_statistics counted(p);
        if (!to.as_json) {
          if (file.what == format::genome_signatures) out << shown_name(name) << '\n';
          show(out, counted);
          return;
        }
        w.begin_object().key("name");
        if (name.empty())
          w.null();
        else
          w.string(name);
        write(w, counted);
        w.end();
      });
  if (code != success) return code;
  if (to.as_json) {
    w.end().end();
    out << '\n';
  }
  return print_result(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
