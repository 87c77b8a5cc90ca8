// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// From dialect to dialect: what stays, what is split, spelled anew or refused.

#include "samples.hpp"
// Keeps the line above where it is.
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace ark = tessera::ark;
using ark::dialect;
using tessera::errc;
using tessera::error;

constexpr dialect all_dialects[] = {dialect::d1a, dialect::d1b, dialect::d1c, dialect::d2,
                                    dialect::d2x, dialect::d3,  dialect::d3x};

/// What a listing says of operations, without nodes and edges.
std::vector<std::string> operations(const ark::model& g) {
  const tessera::text listing = ark::print(g);
  std::istringstream lines{std::string(listing.view())};
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t end = line.find("  # node "); end != std::string::npos)
      all.push_back(line.substr(0, end));
  return all;
}
/// The same without arguments.
std::vector<std::string> bare_operations(const ark::model& g) {
  std::vector<std::string> all = operations(g);
  for (std::string& line : all) line = line.substr(0, line.find(" {"));
  return all;
}
ark::model converted(const ark::model& g, dialect to) {
  auto out = ark::convert(g, to);
  if (!out) FAIL("convert: " << std::string(out.error().name()) << " at " << out.error().offset);
  CHECK(out->form == to);
  CHECK(ark::check(*out) == error{});
  return std::move(*out);
}
/// Edges as text: 0->1.
std::string edges(const ark::model& g) {
  std::string all;
  for (const ark::node& n : g.nodes)
    for (const std::int64_t to : ark::integers(g, n.consumers))
      (((all += all.empty() ? "" : " ") += std::to_string(n.id)) += ">") += std::to_string(to);
  std::string mirrored;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const ark::node& n : g.nodes)
    for (const std::int64_t from : ark::integers(g, n.producers)) pairs.emplace_back(from, n.id);
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [from, to] : pairs)
    (((mirrored += mirrored.empty() ? "" : " ") += std::to_string(from)) += ">") +=
        std::to_string(to);
  return all == mirrored ? all : all + " but " + mirrored;
}

std::string tensor(int id, int buffer) { return samples::tensor(id, buffer); }
/// Tensors come in pairs over one buffer: 10 is written, 11 is the result.
std::string op(int from, int to, const char* type = "Relu") {
  return samples::op(type, "[" + tensor(from, from / 10 * 10) + "]", "[" + tensor(to, to) + "]",
                     "[" + tensor(to + 1, to) + "]");
}

}  // namespace

TEST_CASE("ark/convert: a node of several operations becomes a chain", "[ark]") {
  // Node 7 makes %11 and %21, node 3 reads %11 twice and %21, and has an operation that uses
  // neither; node 5 follows both without sharing anything.
  const std::string text = samples::file({
      samples::node_of(7, "[]", "[5,3]", "[" + op(0, 10) + "," + op(1, 20) + "]"),
      samples::node_of(3, "[7]", "[5]",
                       "[" + op(11, 30) + "," + op(2, 40) + "," +
                           samples::op("Add", "[" + tensor(11, 10) + "," + tensor(31, 30) + "]",
                                       "[" + tensor(21, 20) + "]", "[" + tensor(50, 20) + "]") +
                           "]"),
      samples::node_of(5, "[3,7]", "[]", "[" + op(60, 70) + "]"),
  });
  const ark::model g = samples::model(text);
  REQUIRE(g.form == dialect::d2);
  const ark::model d3 = converted(g, dialect::d3);
  CHECK(operations(d3) == operations(g));
  REQUIRE(d3.nodes.size() == 6);
  for (std::size_t i = 0; i < d3.nodes.size(); ++i) CHECK(d3.nodes[i].id == static_cast<int>(i));
  CHECK(edges(d3) == "0>1 0>2 0>4 1>4 1>5 2>3 2>4 3>4 4>5");
  // Back again nothing is merged.
  const ark::model d2 = converted(d3, dialect::d2);
  CHECK(d2.nodes.size() == 6);
  CHECK(operations(d2) == operations(g));
  CHECK(edges(d2) == edges(d3));
}

TEST_CASE("ark/convert: members of a split node stay with its first operation", "[ark]") {
  std::string text = samples::file(
      {samples::node_of(0, "[]", "[]", "[" + op(0, 10) + "," + op(11, 20) + "]")}, R"(,"r":1)");
  text.insert(text.rfind("}]"), R"(,"n":[1])");
  const ark::model d3 = converted(samples::model(text), dialect::d3);
  const std::string out = samples::json(d3);
  CHECK(out.find(R"(,"n":[1]},{"Id":1)") != std::string::npos);
  CHECK(out.find(R"("n")", out.find(R"({"Id":1,"Prod)")) == std::string::npos);
  CHECK(out.find(R"(],"r":1})") != std::string::npos);
}

TEST_CASE("ark/convert: chains need nodes that can be distinguished", "[ark]") {
  const auto refused = [](const char* first, const char* second, int id = 1) {
    const std::string text = samples::file(
        {samples::node_of(0, "[]", first, "[" + op(0, 10) + "]"),
         samples::node_of(id, second, "[]", "[" + op(11, 20) + "," + op(21, 30) + "]")});
    const ark::model g = samples::model(text);
    const error e = ark::convert(g, dialect::d3).error();
    CHECK(ark::write(g).error() == e);
    return std::pair(e.code, e.code == errc::ok ? 2 : e.offset == g.nodes[1].offset ? 1 : 0);
  };
  CHECK(refused("[1]", "[0]") == std::pair(errc::ok, 2));
  CHECK(refused("[]", "[0]") == std::pair(errc::ok, 2));
  CHECK(refused("[9]", "[0]") == std::pair(errc::ark_g03_edge_target, 0));
  CHECK(refused("[]", "[9]") == std::pair(errc::ark_g03_edge_target, 1));
  CHECK(refused("[]", "[1]") == std::pair(errc::ark_g05_self_edge, 1));
  CHECK(refused("[0]", "[]", 0) == std::pair(errc::ark_g01_node_id, 1));
}

TEST_CASE("ark/convert: the five arguments of Matmul that repeat its shapes", "[ark]") {
  const auto t = [](int id, const char* dims, const char* padded, const char* zeros) {
    return R"({"Id":)" + std::to_string(id) + R"(,"DataType":"FP32","Shape":)" + dims +
           R"(,"Strides":)" + padded + R"(,"Offsets":)" + zeros + R"(,"PaddedShape":)" + padded +
           R"(,"Buffer":)" + samples::buffer(id) + "}";
  };
  const auto d1b = [&](const std::string& a, const std::string& b, const std::string& c,
                       const char* flags) {
    const std::string text = samples::file({samples::node(
        0, "[]", "[]",
        samples::op("Matmul", "[" + a + "," + b + "]", "[" + c + "]", "[]", flags))});
    const ark::model g = samples::model(text);
    const std::string out = samples::json(converted(g, dialect::d1b));
    CHECK(samples::json(converted(samples::model(out), dialect::d3)) == text);
    const std::size_t args = out.find(R"("Args":)");
    return out.substr(args + 7, out.find("}}", args) + 2 - args - 7);
  };
  constexpr const char* plain =
      R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})";
  constexpr const char* both = R"({"TransposeInput":{"BOOL":true},"TransposeOther":{"BOOL":true}})";
  CHECK(
      d1b(t(0, "[4,8]", "[4,16]", "[0,0]"), t(1, "[8,6]", "[16,6]", "[0,0]"),
          t(2, "[4,6]", "[4,6]", "[0,0]"), plain) ==
      R"({"InputDimNC":{"DIMS":[1,1]},"OtherDimNC":{"DIMS":[1,1]},"PaddedShapeMNK":{"DIMS":[4,6,16]},"ShapeMNK":{"DIMS":[4,6,8]},"StridesACDB":{"DIMS":[16,6,6,6]},"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})");
  CHECK(
      d1b(t(0, "[3,8,4]", "[3,8,4]", "[0,0,0]"), t(1, "[2,1,6,8]", "[2,1,6,8]", "[0,0,0,0]"),
          t(2, "[2,3,4,6]", "[2,3,4,6]", "[0,0,0,0]"), both) ==
      R"({"InputDimNC":{"DIMS":[1,3]},"OtherDimNC":{"DIMS":[2,1]},"PaddedShapeMNK":{"DIMS":[4,6,8]},"ShapeMNK":{"DIMS":[4,6,8]},"StridesACDB":{"DIMS":[4,6,6,8]},"TransposeInput":{"BOOL":true},"TransposeOther":{"BOOL":true}})");
  CHECK(d1b(t(0, "[8]", "[8]", "[0]"), t(1, "[8]", "[8]", "[0]"), t(2, "[1,1]", "[1,1]", "[0,0]"),
            plain)
            .find(R"("ShapeMNK":{"DIMS":[1,1,8]})") != std::string::npos);
  const ark::model bare = samples::model(samples::with_args("{}", "Matmul"));
  CHECK(ark::convert(bare, dialect::d1b).error() ==
        error{errc::ark_o03_arity, bare.nodes[0].offset});
  CHECK(ark::convert(bare, dialect::d2).error() == error{});
  // One without dimensions has no rows.
  for (const int scalar : {0, 1, 2}) {
    const auto one = [&](int id) {
      return id == scalar ? t(id, "[]", "[]", "[]") : t(id, "[8,8]", "[8,8]", "[0,0]");
    };
    const ark::model g = samples::model(
        samples::file({samples::node(0, "[]", "[]",
                                     samples::op("Matmul", "[" + one(0) + "," + one(1) + "]",
                                                 "[" + one(2) + "]", "[]", plain))}));
    CHECK(ark::convert(g, dialect::d1b).error() == error{errc::ark_o12_matmul, g.nodes[0].offset});
    CHECK(ark::convert(g, dialect::d2).error() == error{});
  }
}

TEST_CASE("ark/convert: older spellings", "[ark]") {
  const auto args = [](const char* type, const char* before, dialect to = dialect::d2) {
    const std::string out =
        samples::json(converted(samples::model(samples::with_args(before, type)), to));
    const std::size_t at = out.find(R"("Args":)") + 7;
    return out.substr(at, out.find("}]", at) - at);
  };
  CHECK(args("Matmul",
             R"({"IsInputColumnMajor":{"BOOL":true},"IsOtherColumnMajor":{"BOOL":false}})") ==
        R"({"TransposeInput":{"BOOL":true},"TransposeOther":{"BOOL":false}})");
  CHECK(args("ScalarAdd", R"({"Value":{"FLOAT":1.50}})") == R"({"Factor":{"FLOAT":1.50}})");
  CHECK(args("ScalarAssign", R"({"Factor":{"FLOAT":1}})") == R"({"Value":{"FLOAT":1}})");
  CHECK(args("ScalarAssign", R"({"Value":{"FLOAT":1}})") == R"({"Value":{"FLOAT":1}})");
  // Of two spellings neither is dropped, and another operation may use the name as it likes.
  CHECK(args("ScalarMul", R"({"Factor":{"FLOAT":1},"Value":{"FLOAT":2}})") ==
        R"({"Factor":{"FLOAT":1},"Value":{"FLOAT":2}})");
  CHECK(args("Relu", R"({"Value":{"FLOAT":2}})") == R"({"Value":{"FLOAT":2}})");
  CHECK(args("Relu", R"({"ShapeMNK":{"DIMS":[1]}})") == R"({"ShapeMNK":{"DIMS":[1]}})");
}

TEST_CASE("ark/convert: IsExternal", "[ark]") {
  const std::string plain = samples::file({samples::relu(0)});
  const ark::model g = samples::model(plain);
  for (const dialect to : {dialect::d2x, dialect::d3x}) {
    const ark::model x = converted(g, to);
    for (const ark::buffer& b : x.buffers) CHECK(b.external == ark::external::no);
    CHECK(samples::model(samples::json(x)).form == to);
    CHECK(samples::json(converted(x, dialect::d3)) == plain);
  }
  const std::string yes = samples::with(plain, R"("Rank":-1,)", R"("Rank":-1,"IsExternal":true,)");
  const ark::model x = samples::model(yes);
  for (const dialect to : all_dialects) {
    const error e = ark::convert(x, to).error();
    if (ark::info(to).external)
      CHECK(e == error{});
    else
      CHECK(e == error{errc::ark_dialect, x.nodes[0].offset});
  }
  // One IsExternal among others that have none: the others get theirs.
  const std::string d2x = samples::json(converted(x, dialect::d2x));
  CHECK(d2x.find(R"("RecvTags":[],"IsExternal":true)") != std::string::npos);
  CHECK(d2x.find(R"("RecvTags":[],"IsExternal":false)") != std::string::npos);
}

TEST_CASE("ark/convert: Pads", "[ark]") {
  const ark::model g = samples::model(samples::file({samples::relu(0)}));
  const ark::model d1a = converted(g, dialect::d1a);
  CHECK(samples::json(d1a).find(R"("Pads":[1,1])") != std::string::npos);
  const std::string twos = samples::with(samples::json(d1a), "[1,1]", "[2,1]");
  CHECK(samples::json(samples::model(twos)) == twos);
  CHECK(samples::json(converted(samples::model(twos), dialect::d3)) == samples::json(g));
  ark::model padded = g;
  padded.layouts[0].strides[1] = padded.layouts[0].padded_shape[1] = 16;
  CHECK(ark::convert(padded, dialect::d1a).error() ==
        error{errc::ark_dialect, padded.nodes[0].offset});
  CHECK(ark::convert(padded, dialect::d1b).error() == error{});
  padded.form = dialect::d1a;
  CHECK(ark::write(padded, {.to = dialect::d1a}).error().code == errc::ark_dialect);
}

TEST_CASE("ark/convert: what is in the dialect stays as it is", "[ark]") {
  const std::string text =
      samples::file({samples::relu(5, 3, "[]", "[4]"), samples::relu(4, 9, "[5]")});
  CHECK(samples::json(converted(samples::model(text), dialect::d3)) == text);
  CHECK(ark::convert(samples::model(text), static_cast<dialect>(99)).error().code ==
        errc::ark_dialect);
}

TEST_CASE("ark/convert: every sample to every dialect, and back", "[ark]") {
  if (samples::upstream().empty()) WARN("no samples");
  std::size_t i = 0;
  for (const samples::upstream_file& f : samples::upstream()) {
    if (!f.pretty || f.name.ends_with(".full.json")) continue;
    INFO(f.name);
    const ark::model g = samples::model(f.content);
    const std::vector<std::string> bare = bare_operations(g);
    for (const dialect to : all_dialects) {
      auto c = ark::convert(g, to);
      if (!c) {
        if (c.error().code != errc::ark_dialect) FAIL_CHECK(std::string(c.error().name()));
        continue;
      }
      if (c->form != to ||
          (to != dialect::d1a && g.form != dialect::d1a && bare_operations(*c) != bare))
        FAIL_CHECK("to " << std::string(ark::info(to).name));
      const std::string text = samples::json(*c, ++i % 2 == 0);
      const ark::model again = samples::model(text);
      if (samples::json(again, i % 2 == 0) != text) FAIL_CHECK("text");
      auto back = ark::convert(std::move(*c), g.form);
      if (!back || operations(*back) != operations(g))
        FAIL_CHECK("back from " << std::string(ark::info(to).name));
    }
  }
}
