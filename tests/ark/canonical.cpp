// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One text for all graphs that differ only in Ids and orders.

#include "samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <random>
#include <string>

namespace {

namespace ark = tessera::ark;

std::string canonical(const ark::model& g) { return samples::json(ark::canonicalise(g)); }

/// Gives everything other Ids, and shuffles what has no order.
ark::model scrambled(ark::model g, unsigned seed) {
  std::mt19937 draw(seed);
  const auto shuffle = [&draw](auto* first, std::size_t count) {
    for (std::size_t i = count; i > 1; --i) std::swap(first[i - 1], first[draw() % i]);
  };
  // x -> x * odd + something keeps Ids apart.
  const std::int64_t factor = 2 * static_cast<std::int64_t>(draw() % 1000) + 1;
  const std::int64_t offset = static_cast<std::int64_t>(draw() % 100000);
  const auto other = [&](std::int64_t id) { return id * factor + offset; };
  for (ark::node& n : g.nodes) {
    n.id = other(n.id);
    for (const ark::range r : {n.producers, n.consumers}) {
      for (std::uint32_t i = 0; i < r.count; ++i)
        g.integers[r.first + i] = other(g.integers[r.first + i]);
      shuffle(g.integers.data() + r.first, r.count);
    }
  }
  for (ark::tensor& t : g.tensors) t.id = other(t.id);
  for (ark::buffer& b : g.buffers) {
    b.id = other(b.id);
    shuffle(g.tags.data() + b.send_tags.first, b.send_tags.count);
    shuffle(g.tags.data() + b.recv_tags.first, b.recv_tags.count);
  }
  for (const ark::op& o : g.ops) shuffle(g.arguments.data() + o.arguments.first, o.arguments.count);
  return g;
}

}  // namespace

TEST_CASE("ark/canonical: Ids, edges, tags, arguments", "[ark]") {
  const auto tagged = [](int id, const char* tags) {
    return samples::with(samples::tensor(5 + id, id), R"("SendTags":[])",
                         R"("SendTags":)" + std::string(tags));
  };
  const std::string text = samples::file(
      {samples::node(
           9, "[40,3]", "[3,40,3]",
           samples::op("Frobnicate", "[" + tagged(8, "[[1,5],[0,9],[1,-5]]") + "]",
                       "[" + tagged(2, "[]") + "]", "[" + tagged(8, "[[1,5],[0,9],[1,-5]]") + "]",
                       R"({"b":{"INT":1},"a":{"OFFSET":{"BufferId":2,"Value":7}}})")),
       samples::node(3, "[9]", "[]",
                     samples::op("Frobnicate", "[]", "[]", "[]",
                                 R"({"a":{"OFFSET":{"BufferId":77,"Value":7}},"t":{"TENSOR":)" +
                                     tagged(6, "[]") + "}}"))},
      R"(,"x":[2,1])");
  const auto after = [](int id, int buffer, const char* tags) {
    return samples::with(samples::tensor(id, buffer), R"("SendTags":[])",
                         R"("SendTags":)" + std::string(tags));
  };
  constexpr const char* sorted = "[[0,9],[1,-5],[1,5]]";
  CHECK(
      canonical(samples::model(text)) ==
      samples::file(
          {samples::node(0, "[1,2]", "[1,1,2]",
                         samples::op("Frobnicate", "[" + after(0, 0, sorted) + "]",
                                     "[" + after(1, 1, "[]") + "]", "[" + after(0, 0, sorted) + "]",
                                     R"({"a":{"OFFSET":{"BufferId":1,"Value":7}},"b":{"INT":1}})")),
           samples::node(1, "[0]", "[]",
                         samples::op("Frobnicate", "[]", "[]", "[]",
                                     R"({"a":{"OFFSET":{"BufferId":2,"Value":7}},"t":{"TENSOR":)" +
                                         after(2, 3, "[]") + "}}"))},
          R"(,"x":[2,1])"));
}

TEST_CASE("ark/canonical: the same text whatever the Ids were", "[ark]") {
  unsigned seed = 0;
  const auto check = [&seed](const ark::model& g, const std::string& name) {
    const ark::model once = ark::canonicalise(g);
    const std::string text = samples::json(once);
    if (canonical(once) != text) FAIL_CHECK(name << " isn't canonical");
    if (samples::json(samples::model(text)) != text) FAIL_CHECK(name << " reads differently");
    for (int round = 0; round < 3; ++round)
      if (canonical(scrambled(g, ++seed)) != text) FAIL_CHECK(name << ", scrambled by " << seed);
  };
  check(
      samples::model(samples::file({samples::relu(0, 0, "[]", "[1]"), samples::relu(1, 2, "[0]")})),
      "two");
  for (const samples::upstream_file& f : samples::upstream())
    if (f.pretty) check(samples::model(f.content), f.name);
}

TEST_CASE("ark/canonical: nothing that is used is lost, nothing else kept", "[ark]") {
  ark::model g = samples::model(samples::file({samples::relu(0)}));
  const std::string text = samples::json(g);
  g.tensors.push_back({});
  g.buffers.push_back({});
  g.layouts.push_back({});
  g.characters << "nothing";
  const ark::model c = ark::canonicalise(g);
  CHECK(samples::json(c) == text);
  CHECK(c.tensors.size() == 3);
  CHECK(c.buffers.size() == 2);
  CHECK(c.characters.size() == 1);
  // A tensor Id with two descriptions is one Id still.
  const std::string two = samples::file({samples::node(
      0, "[]", "[]",
      samples::op("Add", "[" + samples::tensor(7, 3) + "," + samples::tensor(7, 3, "[4]") + "]",
                  "[]", "[]"))});
  CHECK(
      canonical(samples::model(two)) ==
      samples::file({samples::node(
          0, "[]", "[]",
          samples::op("Add", "[" + samples::tensor(0, 0) + "," + samples::tensor(0, 0, "[4]") + "]",
                      "[]", "[]"))}));
  // What has no text stays as it is.
  g.uses[0] = 99;
  CHECK(ark::canonicalise(g).uses[0] == 99);
}
