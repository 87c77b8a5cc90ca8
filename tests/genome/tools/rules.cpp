// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace tessera;
using genomics::rule_miner;
using genomics::rule_options;

constexpr const char* x = "aten.x.default:node_args(4):kwargs()";
constexpr const char* y = "aten.y.default:node_args(4):kwargs('dim',)";
constexpr const char* z = "aten.z.default:node_args(4):kwargs()";

/// Operations x, y and z (16, 17, 18), two constants, a group, and pattern 300: x of what is before.
genome::library library_of() {
  genome::registry r;
  r.add_operation(16, x);
  r.add_operation(17, y);
  r.add_operation(18, z);
  r.add_variation(10, "in0");
  r.add_constant(19, "int", "1");
  r.add_constant(20, "int", "2");
  r.add_group(12, "arg1=19;dim=20");
  r.add_parameter(10, "weight");
  genome::stream gene;
  gene.add({.a = 16, .b = 1}, {-1});
  gene.add({.a = 17, .b = 1}, {-1});
  r.add_pattern(300, gene);
  result<genome::library> l = genome::verify(std::move(r));
  REQUIRE(l);
  return std::move(*l);
}

genome::program program_of(genome::stream s, const genome::library& l) {
  result<genome::program> p = genome::verify(std::move(s), l);
  INFO(p.error().name());
  REQUIRE(p);
  return std::move(*p);
}

constexpr genome::node input{.a = 2, .b = 1}, output{.a = 4, .b = 1},
    parameter{.a = 5, .b = 1, .c = 10};
constexpr genome::node call_300{.a = 6, .b = 300 & 255, .c = 300 >> 8 << 8};

std::string base64_of(const genome::stream_view& s) {
  const result<text> t = genome::write_base64(s);
  REQUIRE(t);
  return std::string(t->view());
}

struct rule {
  std::string text;
  std::uint64_t count = 0;
  std::string probability, stream;
  std::vector<std::string> exceptions;
};
std::vector<rule> transitions(const genome::registry& r) {
  std::vector<rule> out;
  for (const genome::transition_rule& t : r.transitions) {
    rule to{std::string(r.name_of(t.text)),
            t.count,
            std::string(r.name_of(t.probability)),
            base64_of(r.nodes_of(t)),
            {}};
    for (std::uint32_t i = 0; i < t.exceptions; ++i)
      to.exceptions.emplace_back(r.name_of(r.exceptions[t.first_exception + i]));
    out.push_back(std::move(to));
  }
  return out;
}
std::vector<std::pair<std::uint64_t, std::string>> counted(const genome::registry& r,
                                                           const pool<genome::counted_rule>& of) {
  std::vector<std::pair<std::uint64_t, std::string>> out;
  for (const genome::counted_rule& c : of) out.push_back({c.count, std::string(r.name_of(c.text))});
  return out;
}

/// All rules of some programs.
struct mined {
  genome::registry to;
  bool complete = false;

  mined(const genome::library& l, const std::vector<genome::program>& of,
        const rule_options& how = {}) {
    rule_miner miner(l, how);
    for (const genome::program& p : of) miner.add(p);
    to = l.registry();
    complete = miner.finish(to);
  }
};

constexpr rule_options everything{
    .min_probability = 0, .min_transitions = 0, .min_compositions = 0, .min_structures = 0};

std::string quoted(const std::string& s) { return '\'' + s + '\''; }

}  // namespace

TEST_CASE("genome_tools/rules: a transition as registries hold it", "[genome_tools]") {
  const genome::library l = library_of();
  genome::stream s;
  s.add(input, {});
  for (std::int32_t i = 0; i < 12; ++i) {
    s.add({.a = 16, .b = 10, .c = 19}, {0});
    const auto at = static_cast<std::int32_t>(s.size()) - 1;
    if (i < 11)
      s.add({.a = 17, .b = 10, .c = 20}, {at});
    else
      s.add({.a = 18, .b = 10}, {at});
  }
  const mined m(l, {program_of(std::move(s), l)});
  CHECK(m.complete);
  const std::vector<rule> found = transitions(m.to);
  REQUIRE(found.size() == 2);
  CHECK(found[0].text == "After '<DATA_INPUT>' -> " + quoted(x) + " with connection 'in0=SOURCE'");
  CHECK(found[0].count == 12);
  CHECK(found[0].probability == "1.00");
  CHECK(found[0].exceptions.empty());
  CHECK(found[1].text ==
        "After " + quoted(x) + " -> " + quoted(y) + " with connection 'in0=SOURCE'");
  CHECK(found[1].count == 11);
  CHECK(found[1].probability == "0.92");  // 11 of 12
  CHECK(found[1].stream == "EAoAEwARCgAUAQAA");
  REQUIRE(found[1].exceptions.size() == 1);
  CHECK(found[1].exceptions[0] == "-> " + quoted(z) + " with conn 'in0=SOURCE' (1 times)");
  CHECK(m.to.transitions[1].nodes == 2);
}

TEST_CASE("genome_tools/rules: thresholds", "[genome_tools]") {
  const genome::library l = library_of();
  // `same` edges x -> y, `others` edges x -> z, which also are calls of y and z.
  const auto rules = [&](int same, int others) {
    genome::stream s;
    s.add({.a = 16, .b = 1}, {});
    for (int i = 0; i < same + others; ++i)
      s.add({.a = static_cast<std::uint8_t>(i < same ? 17 : 18), .b = 10}, {0});
    std::vector<genome::program> of;
    of.push_back(program_of(std::move(s), l));
    return mined(l, of);
  };
  // Inputs that are only sources have no other inputs, so each distance is the same connection.
  CHECK(rules(5, 0).to.transitions.empty());
  REQUIRE(transitions(rules(6, 0).to).size() == 1);
  CHECK(transitions(rules(6, 0).to)[0].probability == "1.00");
  CHECK(transitions(rules(6, 0).to)[0].exceptions.empty());
  CHECK(rules(8, 2).to.transitions.empty());  // exactly 0.8
  CHECK(transitions(rules(17, 4).to)[0].probability == "0.81");
  // 167 of 200 as a double is below 0.835, and is printed as Python does.
  CHECK(transitions(rules(167, 33).to)[0].probability == "0.83");
  CHECK(transitions(rules(7, 1).to)[0].probability == "0.88");
  CHECK(rules(20, 0).to.compositions.empty());
  CHECK(counted(rules(21, 0).to, rules(21, 0).to.compositions) ==
        std::vector<std::pair<std::uint64_t, std::string>>{
            {21, "Composition: Op=" + quoted(y) + ", Var=10, Const='None'"}});
}

TEST_CASE("genome_tools/rules: structures need more than ten, of two parents", "[genome_tools]") {
  const genome::library l = library_of();
  for (const int times : {10, 11}) {
    genome::stream s;
    for (int i = 0; i < times; ++i) {
      const std::int32_t at = 3 * i;
      s.add({.a = 17, .b = 1}, {});
      s.add({.a = 16, .b = 1}, {});
      s.add({.a = 18, .b = 1}, {at, at + 1, at + 1});
    }
    const mined m(l, {program_of(std::move(s), l)});
    if (times == 10) {
      CHECK(m.to.structures.empty());
      continue;
    }
    CHECK(counted(m.to, m.to.structures) ==
          std::vector<std::pair<std::uint64_t, std::string>>{
              {11, "Node " + quoted(z) + " is formed by inputs from [" + quoted(x) +
                       " (at rel -1), " + quoted(y) + " (at rel -2)]"}});
    // y has 11 edges of one kind; x two kinds of 11 each.
    REQUIRE(m.to.transitions.size() == 1);
    CHECK(transitions(m.to)[0].text == "After " + quoted(y) + " -> " + quoted(z) +
                                           " with connection 'in0=SOURCE,in1=rel_-1,in2=rel_-1'");
  }
}

TEST_CASE("genome_tools/rules: patterns, copies, constants and control flow", "[genome_tools]") {
  const genome::library l = library_of();
  genome::stream s;
  s.add({.a = 7, .b = 18, .c = 5}, {1, -13});  // 0: five times z of group 12
  s.add(parameter, {});                        // 1
  s.add(call_300, {0});                        // 2
  s.add({.a = 17, .b = 1, .c = 20}, {1, 2});   // 3
  s.add({.a = 8, .b = 1}, {2, 1, 3, 2});       // 4: IF 3, taking 2 too
  s.add({.a = 16, .b = 10}, {2});              // 5
  s.add({.a = 16, .b = 10}, {-1});             // 6
  s.add({.a = 16, .b = 10}, {2});              // 7
  s.add(output, {4});                          // 8
  const mined m(l, {program_of(std::move(s), l)}, everything);
  CHECK(m.complete);
  const std::string pattern = "'<PATTERN ID=300>'", control = "'<CONTROL_FLOW_PREFIX>'";
  std::map<std::string, rule> found;
  for (rule& r : transitions(m.to)) found[r.text] = r;
  REQUIRE(found.size() == 8);
  const auto stream_of = [&](const std::string& text) { return found.at("After " + text).stream; };
  const auto two = [](genome::node a, genome::node b) {
    genome::stream t;
    t.add(a, {});
    t.add(b, {0});
    return base64_of(t);
  };
  CHECK(stream_of(quoted(z) + " -> " + pattern + " with connection 'in0=SOURCE'") ==
        two({.a = 18, .b = 1, .c = -13}, call_300));
  CHECK(stream_of("'<CONST_REF>' -> " + quoted(y) + " with connection 'in0=SOURCE,in1=rel_-1'") ==
        two(parameter, {.a = 17, .b = 1, .c = 20}));
  CHECK(stream_of(pattern + " -> " + quoted(y) + " with connection 'in0=rel_-2,in1=SOURCE'") ==
        two(call_300, {.a = 17, .b = 1, .c = 20}));
  CHECK(stream_of(quoted(y) + " -> " + control + " with connection 'in0=SOURCE,in1=rel_-2'") ==
        two({.a = 17, .b = 1, .c = 20}, {.a = 8, .b = 1}));
  CHECK(stream_of(pattern + " -> " + control + " with connection 'in0=rel_-1,in1=SOURCE'") ==
        two(call_300, {.a = 8, .b = 1}));
  CHECK(found.at("After " + pattern + " -> " + quoted(x) + " with connection 'in0=SOURCE'").count ==
        2);
  CHECK(found.at("After " + quoted(x) + " -> " + quoted(x) + " with connection 'in0=SOURCE'")
            .probability == "1.00");
  CHECK(found.count("After " + control + " -> '<OUTPUT>' with connection 'in0=SOURCE'") == 1);

  CHECK(counted(m.to, m.to.compositions) ==
        std::vector<std::pair<std::uint64_t, std::string>>{
            {5, "Composition: Op=" + quoted(z) + ", Var=1, Const='g[12]'"},
            {3, "Composition: Op=" + quoted(x) + ", Var=10, Const='None'"},
            {1, "Composition: Op=" + quoted(y) + ", Var=1, Const='c[20]'"}});
  CHECK(counted(m.to, m.to.structures) ==
        std::vector<std::pair<std::uint64_t, std::string>>{
            {1, "Node " + control + " is formed by inputs from ['<PATTERN ID=300>' (at rel -2), " +
                    quoted(y) + " (at rel -1)]"},
            {1, "Node " + quoted(y) +
                    " is formed by inputs from ['<CONST_REF>' (at rel -2), '<PATTERN ID=300>' "
                    "(at rel -1)]"}});
}

TEST_CASE("genome_tools/rules: rules replace others; limits are reported", "[genome_tools]") {
  const genome::library l = library_of();
  genome::stream s;
  s.add({.a = 16, .b = 1}, {});
  for (std::int32_t i = 0; i < 4; ++i) s.add({.a = 17, .b = 1}, {i, 0});
  std::vector<genome::program> of;
  of.push_back(program_of(std::move(s), l));
  mined m(l, of, everything);
  REQUIRE(m.complete);
  const auto all = transitions(m.to);
  REQUIRE(all.size() > 3);

  rule_miner miner(l, everything);
  miner.add(of[0]);
  REQUIRE(miner.finish(m.to));  // once more, over what is there
  CHECK(transitions(m.to).size() == all.size());
  CHECK(transitions(m.to)[0].text == all[0].text);
  CHECK(transitions(m.to).back().exceptions == all.back().exceptions);

  rule_options few = everything;
  few.max_exceptions = 1;
  const mined cut(l, of, few);
  CHECK_FALSE(cut.complete);
  for (const rule& r : transitions(cut.to)) CHECK(r.exceptions.size() <= 1);

  rule_options one = everything;
  one.max_kinds = 1;  // the empty list is the first: one node is counted
  const mined first(l, of, one);
  CHECK_FALSE(first.complete);
  CHECK(first.to.transitions.size() == 2);
  CHECK(first.to.compositions.size() == 2);

  for (std::uint64_t room = 0; room < 3000; room += 50) {
    rule_options tight = everything;
    tight.max_text = room;
    const mined t(l, of, tight);
    CHECK(t.to.characters.size() <= l.registry().characters.size() + room);
    CHECK(t.complete == (t.to.characters.size() == mined(l, of, everything).to.characters.size()));
  }
}

TEST_CASE("genome_tools/rules: a count of texts says the same", "[genome_tools]") {
  const genome::library l = library_of();
  std::uint32_t state = 3;
  const auto random = [&state](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
  };
  std::vector<genome::program> programs;
  for (int k = 0; k < 6; ++k) {
    genome::stream s;
    s.add(input, {});
    std::set<std::int32_t> no_result;
    while (s.size() < 150) {
      const auto here = static_cast<std::int32_t>(s.size());
      std::vector<std::int32_t> d;
      const std::uint32_t count = random(4);
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto near = static_cast<std::int32_t>(1 + random(random(2) == 0 ? 2 : 6));
        const std::int32_t from = here - near;
        if (from >= 0 && no_result.count(from) == 0) d.push_back(from);
      }
      const view<std::int32_t> inputs(d.data(), d.size());
      switch (random(6)) {
        case 0: s.add(parameter, {}); break;
        case 1: s.add({.a = 7, .b = 2, .c = 3}, {1, 0}); break;
        case 2: s.add(call_300, inputs); break;
        case 3:
          s.add(output, inputs);
          no_result.insert(here);
          break;
        default:
          s.add({.a = static_cast<std::uint8_t>(16 + random(3)),
                 .b = 1,
                 .c = static_cast<std::int16_t>(random(2) == 0 ? 0 : 19 + random(2))},
                inputs);
      }
    }
    programs.push_back(program_of(std::move(s), l));
  }

  // The same from texts: by source, all that follows it.
  std::map<std::string, std::map<std::pair<std::string, std::string>, std::uint64_t>> after;
  std::map<std::string, std::uint64_t> compositions, structures;
  const auto name = [&](const genome::stream& s, std::int32_t i) -> std::string {
    const genome::node& n = s.nodes[static_cast<std::size_t>(i)];
    const int a = n.a == 7 ? n.b : n.a;
    if (a == 6) return "<PATTERN ID=300>";
    return a == 2    ? "<DATA_INPUT>"
           : a == 4  ? "<OUTPUT>"
           : a == 5  ? "<CONST_REF>"
           : a == 16 ? x
           : a == 17 ? y
                     : z;
  };
  for (const genome::program& p : programs) {
    const genome::stream& s = p.stream();
    const genome::stream_view v = s;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(s.size()); ++i) {
      const genome::node& n = s.nodes[static_cast<std::size_t>(i)];
      if (n.a >= 10)
        ++compositions["Composition: Op='" + name(s, i) + "', Var=1, Const='" +
                       (n.c == 0 ? "None" : "c[" + std::to_string(n.c) + "]") + "'"];
      if (n.a == 7) continue;
      const auto d = v.inputs_of(static_cast<std::size_t>(i));
      std::set<std::pair<std::string, std::int32_t>> parents;
      for (std::size_t k = 0; k < d.size(); ++k) {
        std::string how;
        for (std::size_t j = 0; j < d.size(); ++j)
          how += (j == 0 ? "in" : ",in") + std::to_string(j) + "=" +
                 (j == k ? "SOURCE" : "rel_" + std::to_string(d[j] - i));
        ++after[name(s, d[k])][{name(s, i), how}];
        parents.insert({name(s, d[k]), d[k] - i});
      }
      if (parents.size() < 2) continue;
      std::string text;
      for (const auto& [from, distance] : parents)
        text += (text.empty() ? "'" : ", '") + from + "' (at rel " + std::to_string(distance) + ")";
      ++structures["Node '" + name(s, i) + "' is formed by inputs from [" + text + "]"];
    }
  }
  const auto sorted = [](const std::map<std::string, std::uint64_t>& of, std::uint64_t above) {
    std::vector<std::pair<std::uint64_t, std::string>> out;
    for (const auto& [text, count] : of)
      if (count > above) out.push_back({count, text});
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    return out;
  };

  const rule_options loose{
      .min_probability = 0.01, .min_transitions = 9, .min_compositions = 30, .min_structures = 0};
  const mined m(l, programs, loose);
  CHECK(m.complete);
  CHECK(counted(m.to, m.to.compositions) == sorted(compositions, 30));
  CHECK(counted(m.to, m.to.structures) == sorted(structures, 0));
  REQUIRE_FALSE(m.to.compositions.empty());
  REQUIRE(m.to.structures.size() > 10);

  std::map<std::string, std::uint64_t> expected;
  std::map<std::string, std::pair<double, std::vector<std::pair<std::uint64_t, std::string>>>> more;
  for (const auto& [source, edges] : after) {
    std::uint64_t total = 0;
    for (const auto& [edge, count] : edges) total += count;
    if (total <= 9) continue;
    for (const auto& [edge, count] : edges) {
      const double share = static_cast<double>(count) / static_cast<double>(total);
      if (share <= 0.01) continue;
      const std::string text =
          "After '" + source + "' -> '" + edge.first + "' with connection '" + edge.second + "'";
      expected[text] = count;
      std::map<std::string, std::uint64_t> others;
      for (const auto& [other, times] : edges)
        if (other != edge)
          others["-> '" + other.first + "' with conn '" + other.second + "' (" +
                 std::to_string(times) + " times)"] = times;
      more[text] = {share, sorted(others, 0)};
    }
  }
  const std::vector<rule> found = transitions(m.to);
  const auto wanted = sorted(expected, 0);
  REQUIRE(found.size() == wanted.size());
  REQUIRE(found.size() > 20);
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].text == wanted[i].second);
    REQUIRE(found[i].count == wanted[i].first);
    const auto& [share, exceptions] = more.at(found[i].text);
    REQUIRE(std::abs(std::strtod(found[i].probability.c_str(), nullptr) - share) < 0.005 + 1e-9);
    REQUIRE(found[i].exceptions.size() == exceptions.size());
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < exceptions.size(); ++k)
      wrong += found[i].exceptions[k] != exceptions[k].second ? 1u : 0u;
    REQUIRE(wrong == 0);
  }
}
