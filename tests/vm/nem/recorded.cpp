// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Every opcode through the whole chain, from text to bytes: rows that tests/data/nem/operations.py
// recorded, whose top comment has their form. A row becomes a program that moves its operands to L1,
// computes there, and stores what it made.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nem/verbs.hpp"
#include "support/catch.hpp"
#include "tessera/nem.hpp"
#include "tessera/vm/nem.hpp"

namespace {

namespace nem = tessera::nem;
namespace vm = tessera::vm::nem;
using bytes = std::vector<std::byte>;

struct operand {
  std::string element, type;  ///< the type as NEM has it
  bytes data;
};
struct named {
  std::string name;
  bytes data;
  bool is_float32 = false;
};
struct row {
  std::size_t line = 0;
  std::string task;
  std::string source, found;
  std::vector<named> bound, expected;
  std::int64_t tolerance = 0;
};

// ---- reading

[[nodiscard]] std::string up_to(std::string_view& text, std::string_view ends) {
  const std::size_t n = std::min(text.find_first_of(ends), text.size());
  std::string out(text.substr(0, n));
  text.remove_prefix(n);
  return out;
}
[[nodiscard]] bool skip(std::string_view& text, std::string_view what) {
  while (!text.empty() && text[0] == ' ' && what[0] != ' ') text.remove_prefix(1);
  if (text.substr(0, what.size()) != what) return false;
  text.remove_prefix(what.size());
  return true;
}
[[nodiscard]] bytes unhex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  bytes out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '.') {
      out.push_back(std::byte{0xa5});
    } else if (text[i] == '_') {
      out.push_back(std::byte{0});
    } else {
      out.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text.at(i + 1))));
      ++i;
    }
  return out;
}
/// A descriptor as NEM has it.
[[nodiscard]] std::string descriptor(std::string_view text) {
  const char form = text[1];
  text.remove_prefix(3);
  if (form == 't') {
    std::string scale = up_to(text, ","), zero = std::string(text.substr(1));
    return ", quant=per_tensor(scale=" + scale + ", zero_point=" + zero + ")";
  }
  std::string out = form == 'c' ? ", quant=per_channel(axis=" : ", quant=per_group(axis=";
  out += up_to(text, ";");
  text.remove_prefix(1);
  if (form == 'g') {
    out += ", group_size=" + up_to(text, ";");
    text.remove_prefix(1);
  }
  out += ", scales=[" + up_to(text, ";");
  return out + "], zero_points=[" + std::string(text.substr(1)) + "])";
}
/// Bytes that a file names, as "@1".
using names = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] operand next_operand(std::string_view& text, const names& known) {
  operand o;
  while (skip(text, " ")) {}
  o.element = up_to(text, "[");
  o.type = "elem=" + o.element + ", shape=" + up_to(text, "]") + "]";
  text.remove_prefix(1);
  if (skip(text, "/")) {
    o.type += ", strides=[" + up_to(text, "*:") + "]";
  } else {
    const std::string layout = up_to(text, "*:");
    o.type += ", layout=" + (layout.empty() ? "x" : layout);
  }
  const std::string quant = up_to(text, ")");
  if (quant[0] == '*') {
    o.type += descriptor(quant);
    text.remove_prefix(1);
  } else {
    text = std::string_view(text.data() - quant.size(), text.size() + quant.size());
  }
  text.remove_prefix(1);  // ':'
  const std::string data = up_to(text, " ");
  o.data = unhex(data[0] == '@' ? known.at(data) : data);
  return o;
}

/// A program for one task. Regions begin somewhere in their buffers, on any byte.
[[nodiscard]] row of_task(const std::string& task, std::string_view text, std::size_t line,
                          const names& known) {
  row r;
  r.line = line;
  r.task = task;
  std::vector<operand> in, out;
  do in.push_back(next_operand(text, known));
  while (skip(text, "&"));
  if (!skip(text, "->")) throw std::string("no output");
  do out.push_back(next_operand(text, known));
  while (skip(text, "&"));
  if (skip(text, "#")) {
    while (skip(text, " ")) {}
    r.found = text;
  }
  std::string buffers, loads, inputs, outputs, deps, stores;
  for (std::size_t i = 0; i < in.size() + out.size(); ++i) {
    const bool is_input = i < in.size();
    const operand& o = is_input ? in[i] : out[i - in.size()];
    const std::string n = std::to_string(i), comma = i == 0 || i == in.size() ? "" : ", ";
    const std::size_t offset = (line + i) % 4, size = o.data.size() + offset + 3;
    const std::string whole = ", 0, " + std::to_string(size) + ")";
    buffers += "buffer far" + n + " : L2 (size=" + std::to_string(size) + ")\nbuffer near" + n +
               " : L1 (size=" + std::to_string(size) + ")\n";
    buffers += "let x" + n + " = region(near" + n + ", " + std::to_string(offset) + ", " +
               std::to_string(o.data.size()) + ") " + o.type + "\n";
    loads += "t" + n + " = transfer.async(dst=region(near" + n + whole + ", src=region(far" + n +
             whole + ")\n";
    deps += (i == 0 ? "t" : ", t") + n;
    (is_input ? inputs : outputs) += comma + "x" + n;
    const auto at = static_cast<std::ptrdiff_t>(offset);
    named before{"far" + n, bytes(size, std::byte{0xa5}), false}, after = before;
    std::copy(o.data.begin(), o.data.end(), (is_input ? before : after).data.begin() + at);
    r.bound.push_back(before);
    if (is_input) continue;
    stores += "store.async(dst=region(far" + n + whole + ", src=region(near" + n + whole +
              ", deps=[done])\n";
    after.is_float32 = o.element == "f32";
    if (after.is_float32) {  // words of their own
      after.data.erase(after.data.begin(), after.data.begin() + at);
      after.name += "+" + std::to_string(offset);
    }
    r.expected.push_back(after);
  }
  const std::size_t name = task.find(' ');
  const std::string attributes = name == std::string::npos ? "" : task.substr(name);
  r.source = buffers + loads + "done = " + task.substr(0, name) + ".async\n  in " + inputs +
             "\n  out " + outputs + "\n  deps=[" + deps + "]\n " + attributes + "\n" + stores;
  return r;
}
/// A row that has its program.
[[nodiscard]] row of_program(std::string_view text, std::size_t line) {
  row r;
  r.line = line;
  r.source = up_to(text, "|");
  const auto list = [&](std::vector<named>& to) {
    text.remove_prefix(1);
    while (skip(text, " ")) {}
    while (!text.empty() && text[0] != '|' && text[0] != '#') {
      named n;
      n.name = up_to(text, "=");
      text.remove_prefix(1);
      n.data = unhex(up_to(text, " "));
      to.push_back(n);
      while (skip(text, " ")) {}
    }
  };
  list(r.bound);
  list(r.expected);
  if (skip(text, "#")) r.found = text.substr(1);
  return r;
}
[[nodiscard]] std::vector<row> rows_of(const std::string& group) {
  std::ifstream file(TESSERA_TESTS_DATA_DIR "/nem/operations_" + group + ".txt", std::ios::binary);
  REQUIRE(file);
  std::vector<row> rows;
  std::string task, line;
  std::int64_t tolerance = 0;
  names known;
  for (std::size_t n = 1; std::getline(file, line); ++n) {
    if (line[0] == '#') continue;
    if (line[0] == '=') {
      const std::size_t space = line.find(' ');
      known[line.substr(1, space - 1)] = line.substr(space + 1);
    } else if (line[0] == '!') {
      tolerance = std::atoi(line.c_str() + 1);
    } else if (line[0] != ' ') {
      task = line;
      tolerance = 0;
    } else {
      const std::string_view text = std::string_view(line).substr(2);
      rows.push_back(task == "program" ? of_program(text, n) : of_task(task, text, n, known));
      rows.back().tolerance = tolerance;
    }
  }
  return rows;
}

// ---- comparing

[[nodiscard]] std::string hex(std::span<const std::byte> data) {
  std::string out;
  for (const std::byte b : data) {
    out += "0123456789abcdef"[static_cast<unsigned>(b) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned>(b) & 15];
  }
  return out;
}
/// A float as an integer that counts them, from the least up; zeros are one, NaNs far from all.
[[nodiscard]] std::int64_t rank(std::span<const std::byte> word) {
  std::uint32_t v = 0;
  for (std::size_t i = 4; i-- != 0;) v = v << 8 | static_cast<std::uint32_t>(word[i]);
  const std::int64_t size = v & 0x7fffffff;
  if (size > 0x7f800000) return std::int64_t{1} << 40;
  return (v >> 31) != 0 ? -size : size;
}
/// Whether bytes are as expected; floats of 32 bits may be off by a little.
[[nodiscard]] bool agree(std::span<const std::byte> got, const named& want,
                         std::int64_t tolerance) {
  if (std::ranges::equal(got, want.data)) return true;
  if (tolerance == 0 || !want.is_float32) return false;
  const std::span<const std::byte> wanted = want.data;
  std::size_t i = 0;
  for (; i + 4 <= got.size(); i += 4) {
    const std::int64_t apart = rank(got.subspan(i, 4)) - rank(wanted.subspan(i, 4));
    if (apart < -tolerance || apart > tolerance) return false;
  }
  return std::ranges::equal(got.subspan(i), wanted.subspan(i));
}
/// The rules that a report has, but for those of verification.
[[nodiscard]] std::string runtime_rules(const tessera::report& found) {
  std::set<std::string> rules;
  for (const tessera::diagnostic& d : found.diagnostics)
    if (const std::string id(nem::rule(d.code).id()); id.substr(0, 3) == "RT-") rules.insert(id);
  std::string out;
  for (const std::string& r : rules) out += (out.empty() ? "" : " ") + r;
  return out;
}

[[nodiscard]] std::string problem_of(const row& r, const nem::program& p, vm::machine_options how) {
  const bool is_warning = r.found.empty() || r.found == "RT-ACC" || r.found == "RT-UNINIT";
  const bool goes_on = r.found == "RT-DIV0" || r.found == "RT-INDEX";
  for (int times = 0; times < (goes_on ? 2 : 1); ++times) {
    how.keep_going = times == 1;
    vm::machine machine(p, how);
    for (const named& b : r.bound) {
      const vm::place* const place = machine.find(b.name);
      if (place == nullptr || !machine.bind(*place, b.data)) return "can't bind " + b.name;
    }
    tessera::report found;
    const vm::outcome done = machine.run(&found);
    if (const std::string rules = runtime_rules(found); rules != r.found)
      return "reports '" + rules + "', not '" + r.found + "'";
    if (!is_warning && !how.keep_going) {
      if (done || nem::rule(done.code).id() != r.found)
        return "ends with '" + std::string(nem::rule(done.code).id()) + "'";
      continue;
    }
    if (is_warning && !done) return "ends with " + std::string(nem::rule(done.code).id());
    for (const named& e : r.expected) {
      const std::size_t plus = std::min(e.name.find('+'), e.name.size());
      const vm::place* const place = machine.find(e.name.substr(0, plus));
      if (place == nullptr) return "has no " + e.name;
      std::span<const std::byte> got = machine.bytes(*place);
      if (plus != e.name.size())
        got = got.subspan(static_cast<std::size_t>(std::atoi(e.name.c_str() + plus)));
      if (!agree(got, e, r.tolerance))
        return e.name + ":\n  got      " + hex(got) + "\n  expected " + hex(e.data);
    }
  }
  return {};
}

void replay(const std::string& group, std::size_t least) {
  std::size_t rows = 0;
  for (const row& r : rows_of(group)) {
    ++rows;
    INFO("operations_" << group << ".txt:" << r.line << "\n" << r.source);
    tessera::report found;
    auto document = nem_test::read(r.source, {}, &found);
    std::string problem;
    if (document) {
      const auto program = nem_test::verify(std::move(*document), {}, &found);
      if (program) {
        vm::machine_options how;
        problem = problem_of(r, *program, how);
        how.schedule = vm::schedule::reverse;
        if (problem.empty()) problem = problem_of(r, *program, how);
        how.schedule = vm::schedule::random;
        for (how.seed = 0; how.seed < (r.task.empty() ? 8 : 0) && problem.empty(); ++how.seed)
          problem = problem_of(r, *program, how);
        CHECK(problem == "");
        continue;
      }
    }
    for (const tessera::diagnostic& d : found.diagnostics)
      if (d.severity == tessera::severity::error)
        problem +=
            std::string(nem::rule(d.code).id()) + " " + std::string(found.text_of(d.text)) + "\n";
    CHECK(problem == "");
  }
  CHECK(rows >= least);
}

}  // namespace

TEST_CASE("vm/nem/recorded: element-wise operations", "[vm_nem]") { replay("elementwise", 400); }
TEST_CASE("vm/nem/recorded: products", "[vm_nem]") { replay("products", 250); }
TEST_CASE("vm/nem/recorded: convolutions", "[vm_nem]") { replay("convolutions", 200); }
TEST_CASE("vm/nem/recorded: pooling", "[vm_nem]") { replay("pooling", 200); }
TEST_CASE("vm/nem/recorded: reductions", "[vm_nem]") { replay("reductions", 300); }
TEST_CASE("vm/nem/recorded: layout", "[vm_nem]") { replay("layout", 300); }
TEST_CASE("vm/nem/recorded: normalization", "[vm_nem]") { replay("normalization", 100); }
TEST_CASE("vm/nem/recorded: conversions", "[vm_nem]") { replay("conversions", 150); }
TEST_CASE("vm/nem/recorded: programs", "[vm_nem]") { replay("programs", 20); }

TEST_CASE("vm/nem/recorded: every opcode has rows", "[vm_nem]") {
  std::string all;
  for (const char* group : {"elementwise", "products", "convolutions", "pooling", "reductions",
                            "layout", "normalization", "conversions", "programs"})
    for (const row& r : rows_of(group)) all += r.source;
  std::size_t opcodes = 0;
  for (const nem::opcode_row& o : nem::opcode_table) {
    INFO(o.name);
    const std::string call(o.name);
    CHECK((all.find(" " + call + ".async") != std::string::npos ||
           all.find(" " + call + ".sync") != std::string::npos));
    ++opcodes;
  }
  CHECK(opcodes == 49);
}
