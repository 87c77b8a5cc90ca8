// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What holds for every text: the laws of the format. write.cpp has the law of bytes, convert.cpp
// that of twins; linear.cpp counts instructions.

#include "samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../support/allocations.hpp"
#include "../support/guard_page.hpp"
#include "worst.hpp"

namespace {

namespace ark = tessera::ark;
using tessera::errc;
using tessera::error;

struct file {
  std::string name, content;
};
/// Small files of our own, one for each dialect and everything that a model can hold.
const std::vector<file>& own() {
  static const std::vector<file> all = [] {
    std::vector<file> list;
    for (const auto& entry : std::filesystem::directory_iterator(samples::folder() / "ok"))
      if (entry.path().extension() == ".json")
        list.push_back({entry.path().filename().string(), samples::load(entry.path())});
    std::sort(list.begin(), list.end(),
              [](const file& a, const file& b) { return a.name < b.name; });
    return list;
  }();
  return all;
}

/// Runs every verb that a text gets to.
void survive(std::string_view content) {
  const auto g = ark::read(content);
  if (!g) {
    if (g.error().offset > content.size())
      FAIL("offset " << g.error().offset << " of " << content.size());
    return;
  }
  if (ark::print(*g).empty()) FAIL("nothing printed");
  if (ark::check(*g).code != errc::ok) FAIL("what was read is no graph");
  for (const ark::dialect to : {g->form, ark::dialect::d3, ark::dialect::d1b}) {
    const auto text = ark::write(*g, {.to = to});
    if (to == g->form && !text) FAIL(std::string(text.error().name()));
    if (text && !ark::read(*text)) FAIL("what was written can't be read");
  }
  const ark::model c = ark::canonicalise(*g);
  if (samples::json(ark::canonicalise(c)) != samples::json(c)) FAIL("not canonical");
}

void check_prefixes(const file& f, std::size_t stride) {
  tessera_tests::guard_page memory(f.content.size());
  // A newline at the end may go.
  const std::size_t end = f.content.find_last_not_of('\n');
  for (std::size_t n = 0; n <= end; n += stride) {
    const auto g = ark::read(memory.place(std::string_view(f.content).substr(0, n)));
    if (g || g.error().offset > n) FAIL(f.name << " cut to " << n);
  }
}
void check_flips(const file& f, std::size_t stride, unsigned seed) {
  std::mt19937 draw(seed);
  std::string content = f.content;
  for (std::size_t at = draw() % stride; at < content.size(); at += stride) {
    const char old = content[at];
    content[at] = static_cast<char>(old ^ static_cast<char>(1 + draw() % 255));
    INFO(f.name << " byte " << at << " is " << static_cast<int>(content[at]));
    survive(content);
    content[at] = static_cast<char>('0' + draw() % 10);  // more often a number still
    survive(content);
    content[at] = old;
  }
}

}  // namespace

TEST_CASE("ark/laws: our own files are as the format's serializer would write them", "[ark]") {
  CHECK(own().size() >= 7);
  for (const file& f : own())
    if (samples::json(samples::model(f.content), f.content.ends_with('\n')) != f.content)
      FAIL_CHECK(f.name);
}

TEST_CASE("ark/laws: prefix", "[ark]") {
  for (const file& f : own()) check_prefixes(f, 1 + f.content.size() / 131);
  SUCCEED();
}
TEST_CASE("ark/laws: every prefix", "[.long]") {
  for (const file& f : own()) check_prefixes(f, 1);
  for (const samples::upstream_file& f : samples::upstream())
    check_prefixes({f.name, f.content}, 1 + f.content.size() / 4099);
  SUCCEED();
}

TEST_CASE("ark/laws: flip", "[ark]") {
  unsigned seed = 0;
  for (const file& f : own()) check_flips(f, 1 + f.content.size() / 41, ++seed);
  SUCCEED();
}
TEST_CASE("ark/laws: every byte flipped", "[.long]") {
  unsigned seed = 0;
  for (const file& f : own()) check_flips(f, 1, ++seed);
  for (const samples::upstream_file& f : samples::upstream())
    check_flips({f.name, f.content}, 1 + f.content.size() / 97, ++seed);
  SUCCEED();
}

TEST_CASE("ark/laws: total, on bytes that are no file", "[ark]") {
  std::mt19937 draw(3);
  constexpr const char* parts[] = {
      "{",        "}",          "[",           "]",          ",",         ":", "\"Op\":",
      "\"Ops\":", "\"Nodes\":", "\"Rank\":",   "\"Id\":",    "\"Args\":", "0", "-1",
      "\"x\"",    "null",       "\"Buffer\":", "\"Shape\":", "true"};
  for (int round = 0; round < 2000; ++round) {
    std::string content;
    for (auto i = draw() % 40; i > 0; --i) content += parts[draw() % std::size(parts)];
    survive(content);
    std::string nodes = samples::file({samples::relu(0)});
    nodes.insert(draw() % nodes.size(), content.substr(0, 30));
    survive(nodes);
  }
  SUCCEED();
}

TEST_CASE("ark/laws: memory is a multiple of the input", "[ark]") {
  constexpr double stated = 24, constant = 64 << 10;
  for (const worst::generator& g : worst::generators) {
    // Pools double: what comes just after a power of two costs the most.
    for (const std::size_t n : {100u, 6554u}) {
      const std::string content = g.make(n);
      error e;
      double peak = 0;
      {
        const tessera_tests::allocations used;
        e = ark::read(content).error();
        peak = static_cast<double>(used.peak());
      }
      INFO(std::string(g.name) << ' ' << n << ", " << content.size() << " bytes, "
                               << std::string(e.name()) << " at " << e.offset << ", "
                               << (peak - constant) / static_cast<double>(content.size()));
      CHECK(e == error{});
      CHECK(peak <= stated * static_cast<double>(content.size()) + constant);
    }
  }
}

TEST_CASE("ark/laws: nothing is kept of what was refused", "[ark]") {
  const std::string content = samples::file({samples::relu(0), samples::relu(1)});
  const tessera_tests::allocations used;
  REQUIRE_FALSE(ark::read(std::string_view(content).substr(0, content.size() - 1)));
  CHECK(used.live() == 0);
}

TEST_CASE("ark/laws: the worst inputs through every verb", "[ark]") {
  for (const worst::generator& g : worst::generators) {
    INFO(std::string(g.name));
    survive(g.make(50));
    const ark::model read = samples::model(g.make(50));
    CHECK(samples::json(samples::model(samples::json(read))) == samples::json(read));
  }
}
