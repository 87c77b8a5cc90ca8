// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/profile.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "tessera/core/json.hpp"

namespace {

using namespace tessera::genomics;

constexpr const char* linear = "aten.linear.default:node_args(3):kwargs()";
constexpr const char* add = "aten.add.Tensor:node_args(2):kwargs()";
constexpr const char* add_1 = "aten.add.Tensor:node_args(1):kwargs()";

/// Names, and how often each of them occurs in the graph.
void put(corpus& to, const char* name, std::vector<std::pair<const char*, int>> nodes) {
  to.begin(name);
  for (const auto& [operation, count] : nodes)
    for (int i = 0; i < count; ++i) to.add(to.names().kind(operation, "", {}), {});
}

corpus two_models() {
  corpus all;
  put(all, "one",
      {{"<DATA_INPUT>", 1}, {"<CONST_REF>", 4}, {linear, 3}, {add, 2}, {"<OUTPUT>", 1}});
  put(all, "two", {{"<DATA_INPUT>", 2}, {add, 1}, {add_1, 4}});
  return all;
}

std::string text_of(const tessera::text& t) { return std::string(t.view()); }

}  // namespace

TEST_CASE("genome_tools/profile: counts", "[genome_tools]") {
  const corpus all = two_models();
  const operation_profile p = profile(all);
  CHECK(p.calls == 10);
  REQUIRE(p.rows.size() == 3);
  const auto is = [&](const operation_profile::row& r, std::string_view name, std::uint64_t count,
                      std::uint32_t models, std::uint64_t most) {
    CHECK(all.names().operations()[r.operation] == name);
    CHECK(r.count == count);
    CHECK(r.models == models);
    CHECK(r.most == most);
  };
  is(p.rows[0], add_1, 4, 1, 4);
  is(p.rows[1], add, 3, 2, 2);  // before linear, by name
  is(p.rows[2], linear, 3, 1, 3);
  REQUIRE(p.commands.size() == 3);
  is(p.commands[0], "<CONST_REF>", 4, 1, 4);
  is(p.commands[1], "<DATA_INPUT>", 3, 2, 2);
  is(p.commands[2], "<OUTPUT>", 1, 1, 1);

  REQUIRE(p.by_model.size() == 2);
  REQUIRE(p.by_model[1].size() == 3);
  CHECK(all.names().operations()[p.by_model[1][0].first] == add_1);
  CHECK(p.by_model[1][0].second == 4);
  CHECK(all.names().operations()[p.by_model[1][2].first] == add);

  const operation_profile d = demand(all, p);
  REQUIRE(d.rows.size() == 2);
  CHECK(all.names().target(d.rows[0].operation) == "aten.add.Tensor");
  is(d.rows[0], add, 7, 2, 5);
  is(d.rows[1], linear, 3, 1, 3);
}

TEST_CASE("genome_tools/profile: tables", "[genome_tools]") {
  const corpus all = two_models();
  const operation_profile p = profile(all);
  CHECK(text_of(profile_table(all, p, false)) ==
        "2 graphs, 18 nodes, 10 calls\n"
        "\n"
        "  count   share     sum  models    most  operation\n"
        "      4   40.0%   40.0%       1       4  aten.add.Tensor:node_args(1):kwargs()\n"
        "      3   30.0%   70.0%       2       2  aten.add.Tensor:node_args(2):kwargs()\n"
        "      3   30.0%  100.0%       1       3  aten.linear.default:node_args(3):kwargs()\n"
        "\n"
        "  count  models    most  command\n"
        "      4       1       4  <CONST_REF>\n"
        "      3       2       2  <DATA_INPUT>\n"
        "      1       1       1  <OUTPUT>\n");
  CHECK(text_of(demand_table(all, p)) ==
        "2 graphs, 18 nodes, 10 calls\n"
        "\n"
        "  count   share     sum  models    most  target\n"
        "      7   70.0%   70.0%       2       5  aten.add.Tensor\n"
        "      3   30.0%  100.0%       1       3  aten.linear.default\n");
  CHECK(text_of(profile_table(all, p, true)) ==
        "one: 1 graph, 11 nodes, 5 calls\n"
        "\n"
        "  count   share     sum  operation\n"
        "      3   60.0%   60.0%  aten.linear.default:node_args(3):kwargs()\n"
        "      2   40.0%  100.0%  aten.add.Tensor:node_args(2):kwargs()\n"
        "\n"
        "  count  command\n"
        "      4  <CONST_REF>\n"
        "      1  <DATA_INPUT>\n"
        "      1  <OUTPUT>\n"
        "\n"
        "two: 1 graph, 7 nodes, 5 calls\n"
        "\n"
        "  count   share     sum  operation\n"
        "      4   80.0%   80.0%  aten.add.Tensor:node_args(1):kwargs()\n"
        "      1   20.0%  100.0%  aten.add.Tensor:node_args(2):kwargs()\n"
        "\n"
        "  count  command\n"
        "      2  <DATA_INPUT>\n");
}

TEST_CASE("genome_tools/profile: JSON", "[genome_tools]") {
  corpus all;
  put(all, "a\"b", {{"<OUTPUT>", 1}, {add, 2}, {linear, 1}});
  CHECK(text_of(profile_json(all, profile(all))) ==
        "{\n"
        "  \"graphs\": 1,\n"
        "  \"nodes\": 4,\n"
        "  \"calls\": 3,\n"
        "  \"operations\": [\n"
        "    {\"name\":\"aten.add.Tensor:node_args(2):kwargs()\",\"count\":2,\"share\":0.666667,"
        "\"models\":1,\"most\":2},\n"
        "    {\"name\":\"aten.linear.default:node_args(3):kwargs()\",\"count\":1,"
        "\"share\":0.333333,\"models\":1,\"most\":1}\n"
        "  ],\n"
        "  \"commands\": [\n"
        "    {\"name\":\"<OUTPUT>\",\"count\":1,\"models\":1,\"most\":1}\n"
        "  ],\n"
        "  \"demand\": [\n"
        "    {\"name\":\"aten.add.Tensor\",\"count\":2,\"share\":0.666667,\"models\":1,"
        "\"most\":2},\n"
        "    {\"name\":\"aten.linear.default\",\"count\":1,\"share\":0.333333,\"models\":1,"
        "\"most\":1}\n"
        "  ],\n"
        "  \"models\": [\n"
        "    {\n"
        "      \"name\": \"a\\\"b\",\n"
        "      \"nodes\": 4,\n"
        "      \"calls\": 3,\n"
        "      \"operations\": [\n"
        "        {\"name\":\"aten.add.Tensor:node_args(2):kwargs()\",\"count\":2},\n"
        "        {\"name\":\"aten.linear.default:node_args(3):kwargs()\",\"count\":1}\n"
        "      ],\n"
        "      \"commands\": [\n"
        "        {\"name\":\"<OUTPUT>\",\"count\":1}\n"
        "      ]\n"
        "    }\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("genome_tools/profile: no nodes, and only commands", "[genome_tools]") {
  corpus all;
  CHECK(text_of(profile_table(all, profile(all), false)) ==
        "0 graphs, 0 nodes, 0 calls\n\n  count   share     sum  models    most  operation\n");
  CHECK(profile_table(all, profile(all), true).empty());
  put(all, "x", {{"<OUTPUT>", 1}});
  const operation_profile p = profile(all);
  CHECK(p.rows.empty());
  CHECK(p.calls == 0);
  const tessera::text json = profile_json(all, p);
  CHECK(json.view().find("\"operations\": []") != json.view().npos);
}
