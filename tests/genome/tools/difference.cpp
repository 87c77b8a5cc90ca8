// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/difference.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace tessera::genomics;

struct node {
  std::string operation;
  std::vector<std::uint32_t> inputs = {};
  std::string constant = {};
};

void add(corpus& to, const std::vector<node>& nodes) {
  to.begin("net");
  for (const node& n : nodes) {
    std::vector<argument> constants;
    if (!n.constant.empty()) constants.push_back({"arg1", "int", n.constant});
    to.add(to.names().kind(n.operation, "", constants), n.inputs);
  }
}

const std::vector<node> network{{"<DATA_INPUT>"}, {"conv", {0}},    {"relu", {1}},
                                {"conv", {2}},    {"relu", {3}},    {"add", {2, 4}},
                                {"pool", {5}},    {"<OUTPUT>", {6}}};

/// "-3", "+3", "2~3:ci" for a pair whose constants and inputs differ.
std::string differences(const std::vector<node>& before, const std::vector<node>& after) {
  corpus both;
  add(both, before);
  add(both, after);
  const graph_difference d = difference(both, 0, 1);
  std::string out;
  std::uint64_t changed = 0, added = 0, removed = 0;
  for (const node_difference& n : d.nodes) {
    out += out.empty() ? "" : " ";
    if (n.before == node_difference::none) {
      out += "+" + std::to_string(n.after), ++added;
    } else if (n.after == node_difference::none) {
      out += "-" + std::to_string(n.before), ++removed;
    } else {
      out += std::to_string(n.before) + "~" + std::to_string(n.after) + ":";
      out += std::string(n.operation ? "o" : "") + (n.variation ? "v" : "") +
             (n.constants ? "c" : "") + (n.inputs ? "i" : "");
      ++changed;
    }
  }
  CHECK(d.changed == changed);
  CHECK(d.added == added);
  CHECK(d.removed == removed);
  CHECK(d.unchanged + changed + removed == before.size());
  CHECK(d.unchanged + changed + added == after.size());
  CHECK(d.same() == out.empty());
  return out;
}

}  // namespace

TEST_CASE("genome_tools/difference: what was added, removed and changed", "[genome_tools]") {
  CHECK(differences(network, network).empty());
  CHECK(differences({}, {}).empty());
  CHECK(differences({}, {{"<DATA_INPUT>"}}) == "+0");
  CHECK(differences({{"<DATA_INPUT>"}}, {}) == "-0");

  std::vector<node> other = network;
  other[1].constant = "7";
  CHECK(differences(network, other) == "1~1:c");
  CHECK(differences(other, network) == "1~1:c");

  other = network;
  other[5].inputs = {1, 4};
  CHECK(differences(network, other) == "5~5:i");

  other = network;
  other[6].operation = "mean";
  CHECK(differences(network, other) == "-6 +6 7~7:i");
}

TEST_CASE("genome_tools/difference: what follows an added node is not changed", "[genome_tools]") {
  std::vector<node> longer{network.begin(), network.begin() + 5};
  longer.push_back({"norm", {4}});
  longer.push_back({"add", {2, 5}});
  longer.push_back({"pool", {6}});
  longer.push_back({"<OUTPUT>", {7}});
  CHECK(differences(network, longer) == "+5 5~6:i");
  CHECK(differences(longer, network) == "-5 6~5:i");
}

TEST_CASE("genome_tools/difference: the text of a node", "[genome_tools]") {
  corpus c;
  c.begin("net");
  const argument list{"arg1", "list", "[1,2]"}, nameless{"", "parameter", "weight"};
  c.add(c.names().kind("<CONST_REF>", "", {&nameless, 1}), {});
  c.add(c.names().kind("aten.view.default:node_args(1):kwargs()", "in0", {&list, 1}), {0});
  CHECK(node_text(c, 0, 0) == "<CONST_REF>(weight)");
  CHECK(node_text(c, 0, 1) == "view(%0, arg1=[1,2])");
}
