// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What holds for every text: its prefixes, bytes that change, fixes that are applied, memory.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/nem/print.hpp>
#include <tessera/nem/read.hpp>
#include <tessera/nem/reformat.hpp>
#include <tessera/nem/verify.hpp>
#include <tessera/nem/write.hpp>
#include <utility>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in.is_open());
  return {std::istreambuf_iterator<char>(in), {}};
}
/// The texts of tests/data/nem that aren't longer than `most`.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> texts(std::size_t most) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& entry : fs::recursive_directory_iterator(TESSERA_TESTS_DATA_DIR "/nem")) {
    if (entry.path().extension() != ".nem" || entry.file_size() > most) continue;
    all.emplace_back(entry.path().filename().string(), content_of(entry.path()));
  }
  REQUIRE_FALSE(all.empty());
  return all;
}

[[nodiscard]] bool lies_in(const tessera::place& p, std::size_t size) {
  return p.file != 0 || (p.offset <= size && p.length <= size - p.offset);
}
/// Empty when all places of a report are in a text of that size.
[[nodiscard]] std::string broken_place(const tessera::report& found, std::size_t size) {
  for (const tessera::diagnostic& d : found.diagnostics) {
    const std::string code(nem::rule(d.code).id());
    if (!lies_in(d.where, size)) return code + " is outside";
    if (d.has_note && !lies_in(d.related, size)) return "a note of " + code + " is outside";
    if (d.has_fix && !lies_in(d.fix, size)) return "a fix of " + code + " is outside";
    if (d.text.size == 0) return code + " says nothing";
  }
  return "";
}

struct count : nem::visitor {
  std::uint64_t tasks = 0;
  bool are_sound = true;
  void task(const nem::values& v, const nem::task& t) {
    ++tasks;
    for (const auto& all : {v.inputs(t), v.outputs(t)})
      for (const nem::operand& o : all)
        are_sound = are_sound && o.region < v.regions.size() &&
                    v.regions[o.region].buffer < v.buffers.size();
  }
};

/// Empty when all holds that must hold of what is made of a text.
[[nodiscard]] std::string broken_law(std::string_view source) {
  tessera::report found;
  result<nem::model> d = nem::read(source, {}, &found);
  if (std::string law = broken_place(found, source.size()); !law.empty()) return law;
  if (!d) {
    if (d.error().offset > source.size()) return "an error's offset is inside";
    return found.errors == 0 ? "what isn't a document has errors" : "";
  }
  nem::verify_options options;
  options.max_instances = 200;
  options.hazard_steps = 5000;
  tessera::report verified;
  const auto program = nem::verify(*std::move(d), options, &verified);
  if (std::string law = broken_place(verified, source.size()); !law.empty()) return law;
  if (static_cast<bool>(program) != (verified.errors == 0)) return "a program has no errors";
  if (!program) return "";
  const text printed = nem::print(*program);
  const auto again = nem::read(printed.view());
  if (!again || nem::print(*again) != nem::print(program->model()))
    return "comments change no meaning";
  count c;
  nem::for_each_task(*program, c, 200);
  // Beyond the budget each loop still runs a few times.
  return c.are_sound && c.tasks <= 10 * 200 + source.size() ? "" : "a visit is sound and ends";
}

/// Whether `prefix`, of a text that is read as `whole`, has its statements; the last one may be cut.
[[nodiscard]] bool is_beginning(const nem::model& prefix, const nem::model& whole) {
  const auto& nodes = prefix.nodes;
  for (std::uint32_t i = 0; i < nodes.size(); i = nodes[i].next) {
    if (i >= whole.nodes.size()) return false;
    if (nodes[i].next == nodes.size()) return nodes[i].offset == whole.nodes[i].offset;
    if (nodes[i].kind != whole.nodes[i].kind || nodes[i].offset != whole.nodes[i].offset ||
        nodes[i].length != whole.nodes[i].length || nodes[i].next != whole.nodes[i].next)
      return false;
  }
  return true;
}

void check_prefixes(std::size_t most) {
  std::size_t documents = 0, errors = 0;
  for (const auto& [name, source] : texts(most)) {
    const auto whole = nem::read(source);
    if (!whole) continue;
    for (std::size_t size = 0; size < source.size(); ++size) {
      const auto part = nem::read(std::string_view(source).substr(0, size));
      ++(part ? documents : errors);
      const bool holds = part ? is_beginning(*part, *whole)
                              : part.error().code != errc::ok && part.error().offset <= size;
      if (!holds) {
        INFO(name << " of " << size);
        CHECK(holds);
      }
    }
  }
  CHECK(documents > 1000);  // both happen
  CHECK(errors > documents);
}

void check_flips(std::size_t most, std::string_view bytes) {
  std::size_t read = 0, all = 0;
  for (auto& [name, source] : texts(most)) {
    CHECK(broken_law(source) == "");
    for (std::size_t at = 0; at < source.size(); ++at) {
      const char before = source[at];
      for (const char c : bytes) {
        source[at] = c != '\0' ? c : static_cast<char>(before ^ 1);
        const std::string law = broken_law(source);
        ++all;
        if (nem::read(source)) ++read;
        if (!law.empty()) {
          INFO(name << " at " << at << ": " << source);
          CHECK(law == "");
        }
      }
      source[at] = before;
    }
  }
  CHECK(all > 5000);
  CHECK(read > all / 10);  // both happen
  CHECK(read < all);
}

}  // namespace

TEST_CASE("nem/laws: a prefix is an error inside of it, or the statements so far", "[nem]") {
  check_prefixes(330);
}
TEST_CASE("nem/laws: a prefix of any text is an error, or the statements so far", "[.long][nem]") {
  check_prefixes(100'000);
}

TEST_CASE("nem/laws: a changed byte is an error, or another program that can be visited", "[nem]") {
  check_flips(150, std::string_view("\0 [", 3));
}
TEST_CASE("nem/laws: a changed byte of any text is an error, or another program", "[.long][nem]") {
  check_flips(1'000, std::string_view("\0 [9\xff\n;a", 8));
}

TEST_CASE("nem/laws: a fix that is applied takes its finding away", "[nem]") {
  std::size_t fixes = 0;
  for (const auto& [name, source] : texts(100'000)) {
    tessera::report found;
    auto d = nem::read(source, {}, &found);
    const bool is_read = static_cast<bool>(d);
    if (d) (void)nem::verify(*std::move(d), {}, &found);
    for (const tessera::diagnostic& f : found.diagnostics) {
      if (!f.has_fix || f.where.file != 0) continue;
      ++fixes;
      std::string fixed = source;
      fixed.replace(f.fix.offset, f.fix.length, found.text_of(f.replacement));
      tessera::report after;
      auto again = nem::read(fixed, {}, &after);
      INFO(name << ": " << found.text_of(f.text) << "\n" << fixed);
      if (is_read) {  // what was read is read still
        CHECK(again);
        if (again) (void)nem::verify(*std::move(again), {}, &after);
      }
      for (const tessera::diagnostic& a : after.diagnostics)
        CHECK((a.code != f.code || a.where.offset != f.where.offset ||
               after.text_of(a.text) != found.text_of(f.text)));
    }
  }
  CHECK(fixes > 10);
}

TEST_CASE("nem/laws: reading takes at most 32 bytes for each of the source", "[nem]") {
  struct worst {
    std::string_view begin, each, end;
  };
  static constexpr worst all[] = {{"let x = 1", "+1", ""},
                                  {"let x = [1", ",1", "]"},
                                  {"let x = [", "[],", "[]]"},
                                  {"let x = 1", "-1.5", ""},
                                  {"", "let a=b ", ""},
                                  {"", "wait(a)", ""},
                                  {"a.sync in b out c", " d=e", ""},
                                  {"let x=[\"\"", ",\"a\"", "]"},
                                  {"buffer b:L1(size=1)", "@a", ""},
                                  {"", "# c\n", ""},
                                  {"", "a=", ""},
                                  {"", "const \xff\"", ""},
                                  {"let x = \"", "\\q", "\""},
                                  {"", "device d{}", ""},
                                  {"type_family f{variants:", "v:{}conformance:{}", "}"}};
  for (const worst& w : all) {
    std::string source(w.begin);
    while (source.size() < 60'000) source += w.each;
    source += w.end;
    const tessera_tests::allocations used;
    const auto d = nem::read(source);
    INFO(w.begin << w.each);
    CHECK(used.peak() <= 32 * source.size() + 100'000);
  }
  // Names that are all different.
  std::string source;
  for (int i = 0; source.size() < 60'000; ++i) source += "let a" + std::to_string(i) + "=b ";
  const tessera_tests::allocations used;
  CHECK(nem::read(source));
  CHECK(used.peak() <= 32 * source.size() + 100'000);
}

TEST_CASE("nem/laws: memory is linear in what is read, written, verified", "[nem]") {
  enum { reading, printing, formatting, writing, verifying, visiting, verbs };
  std::uint64_t peaks[2][verbs] = {};
  for (const std::size_t doubled : {0u, 1u}) {
    const std::size_t n = std::size_t{500} << doubled;
    std::string source = "# A line.\nbuffer a : DDR (size=1000000)\nbuffer b : L2 (size=1000000)\n";
    for (std::size_t i = 0; i < n; ++i) {
      const std::string k = std::to_string(i), at = std::to_string(64 * i);
      source += "let r" + k + " = region(b, " + at + ", 64) elem=f16, shape=[4, 8], layout=NC\n";
      source += "t" + k + " = transfer.async(dst=r" + k + ", src=region(a, " + at + ", 64))\n";
      source +=
          "done" + k + " = relu.async in r" + k + " out r" + k + " deps=[t" + k + "]  # in place\n";
    }
    source += "loop i in [0.." + std::to_string(n) +
              "] @max_in_flight(2):\n"
              "transfer.sync(dst=region(b, 900000 + i mod 2 * 64, 64), src=region(a, 64 * i, "
              "64))\nendloop\n";
    std::uint64_t* const peak = peaks[doubled];
    const auto measure = [&](int verb, auto&& call) {
      const tessera_tests::allocations used;
      call();
      peak[verb] = used.peak();
    };
    result<nem::model> d = error{};
    tessera::report errors;
    measure(reading, [&] { d = nem::read(source, {}, &errors); });
    INFO(errors.text_of(errors.diagnostics.empty() ? tessera::text_range{}
                                                   : errors.diagnostics[0].text));
    REQUIRE(d);
    // "Documents of real programs take 2.5 times the source."
    CHECK(d->nodes.size() * sizeof(nem::node) + d->characters.size() +
              d->names.size() * sizeof(nem::string) <=
          5 * source.size() / 2);
    text t;
    measure(printing, [&] { t = nem::print(*d); });
    CHECK(peak[printing] <= 3 * t.size() + 1000);
    measure(formatting, [&] { t = nem::reformat(*d, source); });
    CHECK(peak[formatting] <= 3 * t.size() + 32 * 2 * n + 1000);
    measure(writing, [&] { t = nem::write_json(*d); });
    CHECK(peak[writing] <= 3 * t.size() + 1000);
    t = {};
    tessera::report found;
    result<nem::program> p = error{};
    measure(verifying, [&] { p = nem::verify(*std::move(d), {}, &found); });
    REQUIRE(p);
    count c;
    measure(visiting, [&] { nem::for_each_task(*p, c); });
    CHECK(c.tasks == 3 * n + 1);
  }
  for (int verb = 0; verb < verbs; ++verb) {
    INFO(verb << ": " << peaks[0][verb] << ", " << peaks[1][verb]);
    CHECK(peaks[1][verb] < 5 * peaks[0][verb] / 2 + 50'000);
  }
}

TEST_CASE("nem/laws: verifying keeps little of what is over", "[nem]") {
  // Tiles in two places of L1, each used again when its store is complete.
  constexpr std::size_t tiles = 8000;
  std::string source = "buffer X : L2 (size=" + std::to_string(64 * tiles) +
                       ")\nbuffer Y : L2 (size=64)\nbuffer B : L1 (size=128)\n";
  for (std::size_t i = 0; i < tiles; ++i) {
    const std::string k = std::to_string(i), place = std::to_string(64 * (i % 2)) + ", 64)";
    if (i >= 2) source += "wait(s" + std::to_string(i - 2) + ")\n";
    source += "t" + k + " = transfer.async(dst=region(B, " + place + ", src=region(X, " +
              std::to_string(64 * i) + ", 64))\n" + "s" + k +
              " = store.async(dst=region(Y, 0, 64), src=region(B, " + place + ", deps=[t" + k +
              (i == 0 ? "" : ", s" + std::to_string(i - 1)) + "])\n";
  }
  auto d = nem::read(source);
  REQUIRE(d);
  const std::size_t names = d->names.size();
  const tessera_tests::allocations used;
  REQUIRE(nem::verify(*std::move(d)));
  // What a name means takes 25 bytes; tables have room for all tasks, once.
  CHECK(used.peak() < 25 * names + 52 * 2 * tiles);
}
