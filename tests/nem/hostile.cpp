// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Texts that are written to take long or much, or to be misunderstood: each ends soon, with the error
// that says why. Times aren't measured here: what isn't bounded doesn't end.

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tessera/nem/print.hpp>
#include <tessera/nem/read.hpp>
#include <tessera/nem/reformat.hpp>
#include <tessera/nem/verify.hpp>
#include <tessera/nem/write.hpp>
#include <utility>

#include "nem/verbs.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/guard_page.hpp"

using namespace tessera;

namespace {

[[nodiscard]] std::string times(std::size_t n, std::string_view s) {
  std::string all;
  all.reserve(n * s.size());
  while (n-- > 0) all += s;
  return all;
}
[[nodiscard]] std::string number(std::size_t n) { return std::to_string(n); }

/// What was found, as "SYN-014@5 HAZ-005@7": each rule once, where it was found first.
struct outcome {
  std::string rules;
  std::string text;  ///< of the first
  tessera::report found;
  bool is_valid = false;
};
void list(outcome& o) {
  for (const tessera::diagnostic& d : o.found.diagnostics) {
    std::string rule(nem::rule(d.code).id());
    if (rule.empty()) rule = error{d.code, 0}.name();
    if (o.rules.find(rule) != o.rules.npos) continue;
    if (!o.rules.empty()) o.rules += ' ';
    o.rules += rule + "@" + std::to_string(d.where.offset);
  }
  if (!o.found.diagnostics.empty()) o.text = o.found.text_of(o.found.diagnostics[0].text);
}
[[nodiscard]] outcome check(std::string_view source, const nem::verify_options& options = {}) {
  outcome o;
  auto d = nem_test::read(source, {}, &o.found);
  if (d) o.is_valid = static_cast<bool>(nem_test::verify(*std::move(d), options, &o.found));
  list(o);
  return o;
}
[[nodiscard]] bool contains(std::string_view all, std::string_view s) {
  return all.find(s) != all.npos;
}

/// Files 1 to `last`, each of which includes the next; the last one includes `back`.
struct chain {
  std::size_t last;
  std::string back, text = {};
  static bool open(void* self, std::string_view, std::string_view path, nem::resolver::file& to) {
    chain& c = *static_cast<chain*>(self);
    const std::size_t i = std::stoul(std::string(path));
    if (i > c.last) return false;
    c.names.push_back(std::string(path));
    const std::string next = i < c.last ? number(i + 1) : c.back;
    c.texts.push_back(next.empty() ? "# the last\n" : "include \"" + next + "\"\n");
    to = {c.names.back(), c.texts.back()};
    return true;
  }
  std::deque<std::string> names = {}, texts = {};
  [[nodiscard]] nem::verify_options options() {
    nem::verify_options o;
    o.resolver = {open, this};
    return o;
  }
};

constexpr std::string_view two_regions =
    "buffer a : L2 (size=1048576)\nbuffer b : L2 (size=1048576)\n"
    "let x = region(a, 0, 16) elem=f16, shape=[8], layout=C\n"
    "let y = region(b, 0, 16) elem=f16, shape=[8], layout=C\n";

}  // namespace

TEST_CASE("nem/hostile: nothing after a text is read", "[nem]") {
  const std::string source =
      "device \"a\\n.nem\"  # one\nconst a = 12 * 1.5e-3 - 1.0e+2 mod 0.25\n"
      "type_family f<T>: { in: X <T, [2, N], NC> } \n"
      "t = transfer.async(dst=region(B, 0, 64) elem=i8, shape=[2, 3e1], src=X) @debug(\"s\")\n";
  tessera_tests::guard_page memory(source.size());
  for (std::size_t first = 0; first < source.size(); first += 17)
    for (std::size_t n = 0; n <= source.size() - first; ++n) {
      const std::string_view text = memory.place(std::string_view(source).substr(first, n));
      const std::string apart(text);  // in memory of its own
      const auto at_the_end = nem::read(text), other = nem::read(apart);
      CHECK(at_the_end.error() == other.error());
      if (at_the_end) CHECK(nem::reformat(*at_the_end, text) == nem::reformat(*other, apart));
    }
}

TEST_CASE("nem/hostile: nesting has a limit", "[nem]") {
  struct nest {
    std::string_view begin, open, inner, close;
  };
  for (const nest& n : {nest{"let x = ", "(", "1", ")"}, nest{"let x = ", "[", "1", "]"},
                        nest{"let x = ", "-", "1", ""}, nest{"let x = ", "(-", "1", ")"},
                        nest{"", "loop i in [0..0]:\n", "", "endloop\n"}}) {
    INFO(n.open);
    const std::size_t each = n.open == "(-" ? 2 : 1;
    for (const std::size_t depth : {256 / each, 256 / each + 1, 300 / each}) {
      const std::string source = std::string(n.begin) + times(depth, n.open) +
                                 std::string(n.inner) + times(depth, n.close);
      const outcome o = check(source);
      if (depth * each <= 256)
        CHECK_FALSE(contains(o.rules, "SYN-"));
      else
        CHECK(contains(o.rules, "SYN-014@" + number(n.begin.size() + 256 / each * n.open.size())));
    }
  }
  for (const std::string_view mark : {"-", "(", "[", "[(-", "@a(", "{", "]", ")"}) {
    const outcome o = check("let x = " + times(100'000, mark));
    CHECK_FALSE(o.is_valid);
    CHECK(o.found.errors <= 16);
  }
}

TEST_CASE("nem/hostile: long texts", "[nem]") {
  const auto everything = [](const std::string& source) {
    auto d = nem_test::read(source);
    REQUIRE(d);
    const text printed = nem::print(*d);
    CHECK(nem::reformat(*d, source).size() == printed.size());
    CHECK(nem::write_json(*d).size() > printed.size());
    tessera::report found;
    (void)nem_test::verify(*std::move(d), {}, &found);
    return std::pair(found.errors, found.diagnostics.size());
  };
  using pair = std::pair<std::uint64_t, std::size_t>;
  CHECK(everything(times(20'000, "wait(a)\n")) == pair(20'000, 1000));
  CHECK(everything("const x = 1" + times(20'000, " + 1") + "\n") == pair(0, 0));
  CHECK(everything("let x = [1" + times(20'000, ", 1") + "]\n") == pair(0, 0));
  CHECK(everything("const " + std::string(50'000, 'x') + " = 1\n") == pair(0, 0));
}
TEST_CASE("nem/hostile: a million statements, and a sum of a million", "[.long][nem]") {
  CHECK(check(times(1'000'000, "wait(a)\n")).found.errors == 1'000'000);
  CHECK(check("const x = 1" + times(1'000'000, "+1")).is_valid);
  CHECK_FALSE(check("const x = " + times(1'000'000, "-") + "1").is_valid);
  CHECK(check("let x = \"" + times(1'000'000, "\\q") + "\"").is_valid);
}

TEST_CASE("nem/hostile: after 16 errors the reader is silent", "[nem]") {
  for (const std::string_view line :
       {"let = 1\n", "const x = *\n", "let x = \xff\n", "let x = \"\n", "endloop\n",
        "let r = region(b, 0, 4) elem=i8 shape=[4]\n", "relu.sync IN a OUT b\n"}) {
    const outcome o = check(times(100, line));
    INFO(line);
    CHECK(o.found.errors == 16);
    CHECK(o.found.diagnostics.size() == 16);
  }
  nem::read_options strict;
  strict.profile = nem::profile::strict;
  tessera::report found;
  CHECK_FALSE(nem_test::read("const x = 1\n" + times(100, "+ 1\n"), strict, &found));
  CHECK(found.errors == 16);
  CHECK(found.warnings == 0);
  found = {};
  CHECK(nem_test::read("const x = 1\n" + times(100, "+ 1\n"), {}, &found));
  CHECK(found.warnings == 100);
  found = {};
  nem::read_options options;
  options.max_errors = 1000;
  CHECK_FALSE(nem_test::read(times(2'000, "let = 1\n"), options, &found));
  CHECK(found.errors == 1000);
}

TEST_CASE("nem/hostile: after 1000 diagnostics they are counted", "[nem]") {
  const outcome o = check(times(1'500, "wait(nothing)\n"));
  CHECK(o.found.diagnostics.size() == 1000);
  CHECK(o.found.errors == 1'500);
  // Warnings of reading leave room for those of verifying.
  tessera::report found;
  CHECK(nem_test::read("let x = [" + times(1'500, "[1,],") + "1]", {}, &found));
  CHECK(found.diagnostics.size() == 500);
  CHECK(found.warnings == 1'500);
}

TEST_CASE("nem/hostile: a long name doesn't fill a report", "[nem]") {
  const std::string name(100'000, 'n');
  std::string source = "buffer " + name + " : L2 (size=8)\n";
  for (int i = 0; i < 400; ++i)
    source += "let r" + number(static_cast<std::size_t>(i)) + " = region(b, 0, 4)\n";
  source += "let b = " + name + "\nconst " + name + " = 1\n";
  source += "device \"" + name + "\"\n";
  const outcome o = check(source);
  CHECK_FALSE(o.is_valid);
  CHECK(o.found.characters.size() < 100'000);
  // What a fix writes isn't cut.
  const std::string token(300, 't');
  const outcome race =
      check(std::string(two_regions) + token + " = transfer.async(dst=x, src=y)\n" +
            "transfer.async(dst=x, src=y)\n");
  REQUIRE(race.found.diagnostics.size() == 1);
  const tessera::diagnostic& d = race.found.diagnostics[0];
  REQUIRE(d.has_fix);
  CHECK(race.found.text_of(d.replacement) == ", deps=[" + token + "]");
  CHECK(d.text.size < 400);
}

TEST_CASE("nem/hostile: includes go round in circles, or down for ever", "[nem]") {
  chain self{1, "1"};
  CHECK(contains(check("include \"1\"", self.options()).rules, "INC-002"));
  chain round{5, "2"};
  CHECK(contains(check("include \"1\"", round.options()).rules, "INC-002"));
  chain to_main{3, "0"};
  auto options = to_main.options();
  options.id = "0";
  CHECK(contains(check("include \"1\"", options).rules, "INC-002"));

  for (const std::size_t length : {31u, 32u, 33u, 1000u}) {
    chain c{length, ""};
    const outcome o = check("include \"1\"", c.options());
    INFO(length << ": " << o.rules);
    CHECK(o.is_valid == (length <= 32));
    CHECK(contains(o.rules, "SYN-014") == (length > 32));
    CHECK(c.texts.size() <= 33);
  }
  chain deep{3000, ""};  // if the caller wants it, without recursion
  options = deep.options();
  options.max_include_depth = 3000;
  CHECK(check("include \"1\"", options).is_valid);

  chain wide{5000, ""};
  std::string source;
  for (std::size_t i = 0; i < 5000; ++i) source += "include \"" + number(i + 1) + "\"\n";
  options = wide.options();
  options.max_include_depth = 1;
  const outcome o = check(source, options);
  CHECK_FALSE(o.is_valid);
  CHECK(o.found.files.size() <= 4096);
}

TEST_CASE("nem/hostile: devices extend themselves", "[nem]") {
  CHECK(contains(check("device a extends a { }").rules, "DEV-014"));
  std::string source;
  for (std::size_t i = 0; i < 3000; ++i)
    source += "device d" + number(i) + " extends d" + number((i + 1) % 3000) + " { }\n";
  const outcome o = check(source);
  CHECK(contains(o.rules, "DEV-014"));
  CHECK_FALSE(o.is_valid);
}

TEST_CASE("nem/hostile: loops without end", "[nem]") {
  const std::string all = "[-9223372036854775807..9223372036854775807]";
  for (const std::string& range : {std::string("[0..999999999999999999]"), all}) {
    nem::verify_options expanding;
    expanding.max_instances = 100'000;
    expanding.proves = false;
    CHECK(check("loop i in " + range + ":\nendloop\n").rules.empty());
    const outcome empty = check("loop i in " + range + ":\nendloop\n", expanding);
    CHECK(empty.is_valid);
    CHECK(contains(empty.rules, "HAZ-005"));
    std::string nested;
    for (int depth = 0; depth < 5; ++depth)
      nested += "loop v" + number(static_cast<std::size_t>(depth)) + " in " + range +
                " @max_in_flight(9223372036854775807):\n";
    const outcome o = check(
        std::string(two_regions) + nested + "transfer.sync(dst=x, src=y)\n" + times(5, "endloop\n"),
        [] {
          nem::verify_options few;
          few.max_instances = 5'000;
          few.hazard_steps = 100'000;
          return few;
        }());
    CHECK(contains(o.rules, "HAZ-005"));
  }
  CHECK_FALSE(check("loop i in [0..9223372036854775808]:\nendloop\n").is_valid);
  CHECK_FALSE(check("loop i in [5..-5]:\nendloop\n").is_valid);
}

TEST_CASE("nem/hostile: 256 loops inside one another", "[nem]") {
  for (const std::string_view decorator : {"", " @max_in_flight(2)"}) {
    std::string source(two_regions);
    for (std::size_t i = 0; i < 256; ++i)
      source += "loop v" + number(i) + " in [0..1]" + std::string(decorator) + ":\n";
    source += "transfer.sync(dst=x, src=y)\n" + times(256, "endloop\n");
    nem::verify_options options;
    options.max_instances = 2'000;
    const outcome o = check(source, options);
    CHECK(contains(o.rules, "HAZ-005"));
    CHECK_FALSE(contains(o.rules, "SYN-"));
    // Who visits it without a limit can stop it.
    auto d = nem_test::read(source);
    REQUIRE(d);
    const auto p = nem_test::verify(*std::move(d), options);
    if (!p) continue;
    struct : nem::visitor {
      int tasks = 0;
      void task(const nem::values&, const nem::task&) { ++tasks; }
      [[nodiscard]] bool stopped() const noexcept { return tasks == 100; }
    } first;
    nem::for_each_task(*p, first);
    CHECK(first.tasks == 100);
  }
}

TEST_CASE("nem/hostile: numbers that don't fit", "[nem]") {
  const std::string most = "9223372036854775807";
  struct row {
    std::string source;
    std::string_view rule;
  };
  const std::string b = "buffer b : DDR (size=" + most + ")\n";
  const auto region = [&](const std::string& r) { return b + "let x = region(b, " + r + "\n"; };
  for (const row& r : {
           row{region("0, " + most + ") elem=f64, shape=[4294967296, 4294967296, 4294967296]"),
               "REG-004"},
           row{region("0, " + most + ") elem=f16, shape=[" + most + ", " + most + "]"), "REG-004"},
           row{region("0, 16) elem=f16, shape=[2, 2], strides=[" + most + ", " + most + "]"),
               "REG-005"},
           row{region("0, 16) elem=i4, shape=[" + most + "], strides=[" + most + "]"), "REG-005"},
           row{region(most + ", " + most + ")"), "REG-003"},
           row{region("1, " + most + ")"), "REG-003"},
           row{"const c = " + most + " + 1\n", "CON-008"},
           row{"const c = -" + most + " - 2\n", "CON-008"},
           row{"const c = (-" + most + " - 1) / -1\n", "CON-008"},
           row{"const c = -(-" + most + " - 1)\n", "CON-008"},
           row{"const c = " + most + " * " + most + "\n", "CON-008"},
           row{"let c = " + most + " + 1\n", "EXP-004"},
           row{"let c = 1 / 0\n", "EXP-003"},
           row{"const c = 1 mod 0\n", "CON-004"},
           row{"const c = 9223372036854775808\n", "LEX-"},
           row{"const c = " + std::string(5'000, '9') + "\n", "LEX-"},
       }) {
    INFO(r.source.substr(0, 300));
    const outcome o = check(r.source);
    INFO(o.rules);
    CHECK_FALSE(o.is_valid);
    CHECK(contains(o.rules, r.rule));
  }
  // Each fits; together they don't.
  const outcome full = check(
      "device d { spec_version = \"NEM-1.0\" topology { num_engines = 1 l2_size_bytes = " + most +
      " per_engine { NMU = 1 CSTL = 1 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = " + most +
      " } } opcode.mandatory { softmax<f32>.default } }\nbuffer p : L2 (size=" + most +
      ")\nbuffer q : L2 (size=" + most + ")\nbuffer r : L1 (size=" + most +
      ")\nbuffer s : L1 (size=" + most + ")\n");
  CHECK_FALSE(full.is_valid);
}

TEST_CASE("nem/hostile: windows of a billion", "[nem]") {
  const std::string head =
      "buffer a : DDR (size=9223372036854775807)\n"
      "let x = region(a, 0, 2000000000) elem=i8, shape=[1, 1000, 1000, 2], layout=NHWC\n"
      "let w = region(a, 0, 2000000000) elem=i8, shape=[1000000000, 1, 2, 1], layout=HWIO\n"
      "let y = region(a, 2000000000, 1000000) elem=i8, shape=[1, 1000, 1000, 1], layout=NHWC\n";
  const std::string billion = "1000000000", huge = "9223372036854775807";
  for (const std::string& n : {billion, huge})
    for (const std::string& attributes :
         {std::string("pads=[0, 0, 0, 0] strides=[1, 1]"),
          "pads=[" + n + ", " + n + ", " + n + ", " + n + "] strides=[" + n + ", " + n + "]",
          "dilations=[" + n + ", " + n + "]", "groups=" + n}) {
      const outcome conv = check(head + "conv2d.sync in x, w out y " + attributes + "\n");
      CHECK_FALSE(conv.is_valid);
      const outcome pool = check(head + "maxpool.sync in x out y kernel_shape=[" + n + ", " + n +
                                 "] " + attributes + "\n");
      CHECK_FALSE(pool.is_valid);
    }
}

TEST_CASE("nem/hostile: strides whose elements are hard to distinguish", "[nem]") {
  // Any sum and difference of these might be 0; none is, but there are 3^24 of them.
  std::string shape, strides;
  std::uint64_t random = 88172645463325252u;
  for (int i = 0; i < 24; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    shape += i == 0 ? "2" : ", 2";
    strides += (i == 0 ? "" : ", ") + std::to_string((std::uint64_t{1} << 40) + (random >> 24));
  }
  const outcome o = check(
      "buffer a : DDR (size=9223372036854775807)\nlet x = region(a, 0, 9223372036854775807) "
      "elem=i8, "
      "shape=[" +
      shape + "], strides=[" + strides + "]\n" + times(300, "relu.sync in x out x\n"));
  CHECK_FALSE(contains(o.rules, "REG-"));
}

TEST_CASE("nem/hostile: hazards that would take long are looked for up to a limit", "[nem]") {
  nem::verify_options options;
  options.hazard_steps = 200'000;
  std::string deps(two_regions), wide(two_regions), same(two_regions);
  for (std::size_t i = 0; i < 1'500; ++i) {
    const std::string k = number(i), at = number(16 * i);
    // Each waits for one that has a long way back to all others.
    deps += "t" + k + " = transfer.async(dst=region(a, " + at + ", 16), src=y" +
            (i == 0 ? "" : ", deps=[t" + number(i - 1) + "]") + ")\n" + "s" + k +
            " = transfer.async(dst=region(b, " + number(64 + 16 * i) +
            ", 16), src=region(a, 0, 16)" + (i == 0 ? "" : ", deps=[t" + k + "]") + ")\n";
    wide += "transfer.async(dst=region(a, " + at +
            ", 8), src=y)\n"
            "transfer.async(dst=region(a, 0, 524288), src=y)\n";
  }
  same +=
      "loop i in [0..50000] @max_in_flight(1000000):\nt = transfer.async(dst=x, src=y)\nendloop\n";
  CHECK(contains(check(wide, options).rules, "HAZ-005"));
  CHECK(contains(check(same, options).rules, "HAZ-005"));
  (void)check(deps, options);
  // One task with many of both operands.
  const std::string many = std::string(two_regions) + "compute.sync in x" + times(3'000, ", x") +
                           " out y" + times(3'000, ", y") + " op=\"o\"\n";
  CHECK(contains(check(many, options).rules, "HAZ-005"));
}

TEST_CASE("nem/hostile: what fuzzing found", "[nem]") {
  // A group of characteristics that ends in an error, and a later one with the same names.
  const outcome group = check(
      "device d { unit_characteristics { SEQ { k = \"x\" } } }\ndevice e { unit_characteristics { "
      "SEQ "
      "{ k = 4 } } }\n");
  CHECK_FALSE(contains(group.rules, "DEV-012"));
  // The last error that is reported is before a type attribute.
  for (std::uint32_t most = 1; most < 5; ++most) {
    nem::read_options options;
    options.max_errors = most;
    tessera::report found;
    CHECK_FALSE(nem_test::read(times(5, "let r = region(b, 0, 4) elem=i8 shape=[4] layout=C\n"),
                               options, &found));
    CHECK(found.errors == most);
  }
  // Bytes after a character that belong to none.
  CHECK(contains(check("let s = \"\xc3\xa9\x9a\"").rules, "LEX-001@11"));
  CHECK(check("let s = \"\xc3\xa9\xf0\x9f\x98\x80\"").is_valid);
}
