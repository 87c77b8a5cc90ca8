// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome rules`: which operations follow which, and how often.

#include "genome/rules.hpp"

#include <algorithm>
#include <memory>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "genome.hpp"
#include "genome_output.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  genome_inputs in;
  std::string output;
  genomics::rule_options rules;
};

void put_right(text& out, std::string_view s, std::size_t columns) {
  for (std::size_t i = s.size(); i < columns; ++i) out << ' ';
  out << s;
}

void write_table(text& out, const genome::registry& r) {
  const auto line = [&out](std::string_view probability, std::uint64_t count,
                           std::string_view rule) {
    put_right(out, std::to_string(count), 8);
    put_right(out, probability, 13);
    out << "  " << shown_name(rule) << '\n';
  };
  if (r.transitions.empty() && r.compositions.empty() && r.structures.empty()) {
    out << "no rules\n";
    return;
  }
  out << "   count  probability  rule\n";
  for (const genome::transition_rule& t : r.transitions)
    line(r.name_of(t.probability), t.count, r.name_of(t.text));
  for (const pool<genome::counted_rule>* rules : {&r.compositions, &r.structures})
    for (const genome::counted_rule& c : *rules) line("", c.count, r.name_of(c.text));
}

void write_json(text& out, const genome::registry& r) {
  json::writer w(out);
  w.begin_object().key("transition_rules").begin_array();
  for (const genome::transition_rule& t : r.transitions) {
    w.begin_object().key("rule").string(r.name_of(t.text)).key("probability");
    w.string(r.name_of(t.probability)).key("count").integer(t.count).end();
  }
  w.end();
  const auto counted = [&](std::string_view key, const pool<genome::counted_rule>& rules) {
    w.key(key).begin_array();
    for (const genome::counted_rule& c : rules)
      w.begin_object().key("rule").string(r.name_of(c.text)).key("count").integer(c.count).end();
    w.end();
  };
  counted("composition_rules", r.compositions);
  counted("structural_rules", r.structures);
  w.end();
  out << '\n';
}

[[nodiscard]] exit_code rule_files(const options& o) {
  const reporting to{o.in.paths[0], o.in.json};
  stream_set set;
  const input_outcome in = read_streams(o.in, "genome rules", {.expand = {.copies = false}}, set);
  if (!in.complete) return in.code;
  set.registry.transitions.clear();
  set.registry.compositions.clear();
  set.registry.structures.clear();
  const result<genome::library> library = genome::verify(std::move(set.registry));
  if (!library) return fail_made(library.error(), to);
  genomics::rule_miner miner(*library, o.rules);
  for (genome::stream& s : set.streams) {
    const result<genome::program> p = genome::verify(std::move(s), *library);
    if (!p) return fail_made(p.error(), to);
    miner.add(*p);
  }
  genome::registry found = library->registry();
  if (!miner.finish(found)) show_note("the rules are incomplete: their number reached a limit");

  if (!o.output.empty()) {
    const result<text> registry = genome::write_registry(found);
    if (!registry) return fail_made(registry.error(), to);
    if (const exit_code code = write_result(o.output, as_bytes(*registry)); code != success)
      return code;
    if (o.output == "-") return in.code;
  }
  text out;
  if (o.in.json)
    write_json(out, found);
  else
    write_table(out, found);
  return finish(in, print_result(out));
}

}  // namespace

void add_genome_rules(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = genome.verb("rules");
  o->in.add_options(verb, true);
  verb.bind("--output", o->output);
  verb.bind("--min-probability", o->rules.min_probability);
  verb.bind("--min-transitions", o->rules.min_transitions);
  verb.bind("--min-compositions", o->rules.min_compositions);
  verb.bind("--min-structures", o->rules.min_structures);
  verb.callback([o, &run] { run = [o] { return rule_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
