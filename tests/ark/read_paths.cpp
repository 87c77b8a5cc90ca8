// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whole files by every path through their nodes (ark::read_path): equal graphs, places and errors.

#include "ark.hpp"
// Keeps the line above where it is.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/core/json.hpp>
#include <vector>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"
#include "../support/guard_page.hpp"
#include "bench/ark_generate.hpp"
#include "fuzz/ark_paths.hpp"

namespace {

namespace ark = tessera::ark;
using ark::read_path;
using bench::key_order;
using bench::spread;
using tessera::errc;
using tessera::error;
using tessera::limits;

/// Reads by both paths; fails the test unless they agree.
tessera::result<ark::model> read(std::string_view source, const limits& limit = {}) {
  if (!fuzz::paths_agree(source, limit)) {
    const auto with = [&](read_path path) {
      const error e = ark::read(source, {.limit = limit, .path = path}).error();
      return std::string(e.name()) + " at " + std::to_string(e.offset);
    };
    FAIL("plain: " << with(read_path::plain) << ", best: " << with(read_path::best) << " in "
                   << source.substr(0, 3000));
  }
  return ark::read(source, {.limit = limit});
}

/// How many nodes the fast path leaves.
std::size_t left(const std::string& file) {
  ark::model g;
  ark::detail::graph_reader plain(g, {});
  tessera::json::reader in(file);
  ark::detail::fast_nodes fast(plain);
  std::size_t count = 0;
  std::string_view key;
  for (in.object(); in.key(key);) {
    if (key != "Nodes") {
      in.skip();
      continue;
    }
    for (in.array(); in.element();) {
      if (fast.read(in)) continue;
      in.skip();
      ++count;
    }
  }
  CHECK(in.finish() == error{});
  return count;
}

std::string replaced(std::string all, std::string_view from, std::string_view to,
                     std::size_t after = 0) {
  const std::size_t at = all.find(from, after);
  if (at == std::string::npos) FAIL("no " << from << " in " << all);
  return all.replace(at, from.size(), to);
}

/// A node with three tensors, the n-th of a file.
std::string node(unsigned n) {
  const auto tensor = [](unsigned id, unsigned buffer) {
    return R"({"Id":)" + std::to_string(id) +
           R"(,"DataType":"FP32","Shape":[4,8],"Strides":[4,8],"Offsets":[0,0],"PaddedShape":[4,8],"Buffer":{"Id":)" +
           std::to_string(buffer) + R"(,"Rank":-1,"SendTags":[[1,)" + std::to_string(buffer % 2) +
           R"(]],"RecvTags":[]}})";
  };
  return R"({"Id":)" + std::to_string(n) +
         R"(,"ProducerNodeIds":[7,12],"ConsumerNodeIds":[],"Op":{"Type":"ScalarMul","Name":"scalar_mul_)" +
         std::to_string(n) + R"(","IsVirtual":false,"ReadTensors":[)" + tensor(3 * n, 2 * n) + "," +
         tensor(1, 1) + R"(],"WriteTensors":[)" + tensor(3 * n + 4, 2 * n + 1) +
         R"(],"ResultTensors":[)" + tensor(3 * n + 5, 2 * n + 1) +
         R"(],"Args":{"Factor":{"FLOAT":0.10000000149011612},"Axis":{"INT":)" +
         std::to_string(n % 3) + R"(},"Permutation":{"DIMS":[1,0]}}}})";
}
std::string file(const std::vector<std::string>& nodes) {
  std::string all = R"({"Rank":0,"WorldSize":1,"Nodes":[)";
  for (const std::string& n : nodes) all += (&n == nodes.data() ? "" : ",") + n;
  return all + "]}";
}
std::vector<std::string> usual(unsigned count) {
  std::vector<std::string> nodes;
  for (unsigned n = 0; n < count; ++n) nodes.push_back(node(n));
  return nodes;
}

}  // namespace

TEST_CASE("ark/read_paths: generated models in every layout", "[ark]") {
  const ark::model g = bench::ark_transformer({.layers = 2, .heads = 2, .ranks = 2});
  for (const spread s : {spread::compact, spread::spaced, spread::ark, spread::deep})
    for (const key_order order : {key_order::natural, key_order::sorted, key_order::reversed})
      for (const ark::dialect form :
           {ark::dialect::d2, ark::dialect::d2x, ark::dialect::d3, ark::dialect::d3x}) {
        if (form != ark::dialect::d3 && (s == spread::spaced || order == key_order::reversed))
          continue;
        const std::string text = bench::ark_text(g, {s, order, form});
        CAPTURE(s, order, form);
        const auto got = read(text);
        REQUIRE(got.error() == error{});
        if (order == key_order::natural) CHECK(got->form == form);
        CHECK(got->nodes.size() == g.nodes.size());
        CHECK(got->uses.size() == g.uses.size());
        CHECK(got->memory() < text.size());
        CHECK(left(text) <= 1);  // the last may be too near the end
        if (order != key_order::natural || s == spread::spaced) continue;
        const auto marked = read("\xEF\xBB\xBF" + text);
        REQUIRE(marked.error() == error{});
        CHECK(marked->nodes[5].offset == got->nodes[5].offset + 3);
      }
}

TEST_CASE("ark/read_paths: memory stays below the text", "[ark]") {
  const std::string text =
      bench::ark_text(bench::ark_transformer({.layers = 8, .heads = 8, .ranks = 2}));
  const tessera_tests::allocations used;
  const auto g = ark::read(text);
  REQUIRE(g.error() == error{});
  CHECK(used.peak() < text.size());
}

TEST_CASE("ark/read_paths: samples", "[ark]") {
  std::error_code absent;
  std::size_t count = 0;
  const std::filesystem::path folder = TESSERA_SAMPLES_DIR "/ark";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, absent)) {
    if (entry.path().extension() != ".json" || entry.file_size() > 8'000) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    CAPTURE(entry.path().string());
    (void)read(text);
    ++count;
  }
  if (count == 0) WARN("no samples in " << folder.string());
}

TEST_CASE("ark/read_paths: unusual nodes among the usual", "[ark]") {
  const struct {
    std::string_view from, to;
  } changes[] = {
      // read
      {R"("scalar_mul_3")", R"("Sch\u00f6n\n")"},
      {R"("scalar_mul_3")", "\"Sch\xC3\xB6n\""},
      {R"("scalar_mul_3")", R"("")"},
      {R"("scalar_mul_3")", "\"\x7f exactly fifteen and more \x7f\""},
      {R"("ScalarMul")", R"("Frobnicate")"},
      {R"("ScalarMul")", R"("Matmul")"},
      {R"("ScalarMul")", R"("")"},
      {R"("Args":{)", R"("Extra":[1,{"a":null}],"Args":{)"},
      {R"("Buffer":{)", R"("Extra":1,"Buffer":{)"},
      {R"("Rank":-1)", R"("Rank":-1,"DeviceId":3)"},
      {R"("Rank":-1)", R"("IsExternal":true,"Rank":-1)"},
      {R"("Rank":-1)", R"("Rank":-0)"},
      {R"("Rank":-1)", R"("Rank":1)"},
      {R"([4,8])", R"([ 4 , 8 ])"},
      {R"([4,8],"Strides":[4,8])", R"([],"Strides":[ ])"},
      {R"([0,0])", R"([-1,-99])"},
      {R"([0,0])", R"([9223372036854775807,-9223372036854775808])"},
      {R"([7,12])", R"([9999999,12345678,123456789012345,1234567890123456,0])"},
      {R"([7,12])", "[\n7 ,\t12\r]"},
      {R"([7,12])", "[ ]"},
      {R"(0.10000000149011612)", "1"},
      {R"(0.10000000149011612)", "-1.5e-7"},
      {R"(0.10000000149011612)", "1e-400"},
      {R"(0.10000000149011612)", "1e400"},
      {R"(0.10000000149011612)", "3e38"},
      {R"(0.10000000149011612)", "3.5e38"},
      {R"(0.10000000149011612)", "null"},
      {R"({"FLOAT":0.10000000149011612})", R"({})"},
      {R"({"FLOAT":0.10000000149011612})", R"({"FLOAT":1,"INT":1})"},
      {R"({"FLOAT":0.10000000149011612})", R"({"FLOAT":1 } )"},
      {R"("Factor":{"FLOAT")", R"("Faktor":{"FLOAT")"},
      {R"("Factor":{"FLOAT")", R"("":{"FLOAT")"},
      {R"({"INT":)", R"({"BOOL":)"},
      {R"({"INT":)", R"({"INT":214748364)"},
      {R"({"INT":)", R"({"UINT32":429496729)"},
      {R"({"INT":)", R"({"UINT64":999999999999999)"},
      {R"({"INT":)", R"({"INT64":-)"},
      {R"({"INT":)", R"({"TENSOR":)"},
      {R"({"INT":)", R"({"OFFSET":)"},
      {R"({"INT":)", R"({"":)"},
      {R"({"DIMS":[1,0]})", R"({"DIMS":[]})"},
      {R"({"DIMS":[1,0]})", R"({"DIMS":[1,0,2,3,4]})"},
      {R"({"DIMS":[1,0]})", R"({"OFFSET":{"BufferId":1,"Value":2}})"},
      {R"({"DIMS":[1,0]})", R"({"BOOL":true})"},
      {R"("SendTags":[[1,)", R"("SendTags":[[-1,-2147483648],[3,)"},
      {R"("RecvTags":[])", R"("RecvTags":[[2,7],[2,8]])"},
      // of another Id than before, or another description of an Id
      {R"({"Id":9,)", R"({"Id":900000000,)"},
      {R"({"Id":9,)", R"({"Id":1,)"},
      {R"({"Id":9,"DataType":"FP32")", R"({"Id":9,"DataType":"FP16")"},
      // refused
      {R"("Id":3,)", R"("Id":3,"Id":3,)"},
      {R"("Id":3,)", ""},
      {R"("Id":3,)", R"("Id":03,)"},
      {R"("Id":3,)", R"("Id":-3,)"},
      {R"("Id":3,)", R"("Id":3.0,)"},
      {R"("Id":9,)", R"("Id":9e0,)"},
      {R"("Id":9,)", R"("Id":99999999999999999999,)"},
      {R"("ConsumerNodeIds":[])", R"("ConsumerNodeIds":[1,])"},
      {R"("Op":{)", R"("Ops":{)"},
      {R"("DataType":"FP32")", R"("DataType":"FP31")"},
      {R"("DataType":"FP32")", R"("DataType":"")"},
      {R"([4,8],"S)", R"([4,8,1],"S)"},
      {R"([4,8],"S)", R"([4,8,1,1,1],"S)"},
      {R"(,"Offsets":[0,0])", ""},
      {R"("Offsets":[0,0])", R"("Shape":[0,0])"},
      {R"("PaddedShape")", R"("Pads")"},
      {R"("PaddedShape")", R"("Pads":[1,1],"PaddedShape")"},
      {R"("RecvTags":[])", R"("RecvTags":[[2]])"},
      {R"("RecvTags":[])", R"("RecvTags":[[2,3,4]])"},
      {R"("RecvTags":[])", R"("RecvTags":[2])"},
      {R"("RecvTags":[])", R"("RecvTags":[[2,2147483648]])"},
      {R"("IsVirtual":false)", R"("IsVirtual":0)"},
      {R"("IsVirtual":false)", R"("IsVirtual":falsehood)"},
      {R"(,"Name":"scalar_mul_3")", ""},
      {R"("Name":)", R"("Name" 0:)"},
      {R"("WriteTensors":[)", R"("WriteTensors":[null,)"},
      {R"("WriteTensors")", R"("ReadTensors")"},
  };
  for (const auto& change : changes) {
    CAPTURE(change.from, change.to);
    std::vector<std::string> nodes = usual(8);
    nodes[3] = replaced(nodes[3], change.from, change.to);
    (void)read(file(nodes));
    // What a node before its unusual part has added is undone.
    nodes[3] = replaced(nodes[3], R"("Permutation")", R"("Perm\u0075tation")");
    (void)read(file(nodes));
    // Every node is.
    nodes = usual(8);
    for (std::string& n : nodes)
      if (n.find(change.from) != std::string::npos) n = replaced(n, change.from, change.to);
    (void)read(file(nodes));
  }
  CHECK(left(file(usual(8))) == 0);
}

TEST_CASE("ark/read_paths: only what is unusual is left to the plain reader", "[ark]") {
  const struct {
    std::string_view from, to;
  } changes[] = {
      {R"("scalar_mul_3")", R"("Sch\u00f6n\n")"},
      {R"("ScalarMul")", R"("Scalar\u004dul")"},
      {R"("Name":)", R"("N\u0061me":)"},
      {R"("Op":{)", R"("Extra":"x","More":{"a":[1,2]},"Op":{)"},
      {R"("Args":{)", R"("Extra":[1,{"a":null}],"Args":{)"},
      {R"("Buffer":{)", R"("Extra":1,"Buffer":{)"},
      {R"("Rank":-1)", R"("Rank":-1,"DeviceId":3)"},
      {R"([0,0])", R"([9223372036854775807,-9223372036854775808])"},
      {R"([7,12])", R"([9223372036854775807])"},
      {R"({"Id":9,)", R"({"Id":1234567890123456,)"},
      {R"({"INT":)", R"({"UINT64":1844674407370955161)"},
      {R"({"INT":)", R"({"Other":)"},
      {R"("Factor":{"FLOAT")", R"("Faktor":{"FLOAT")"},
      {R"({"DIMS":[1,0]})", R"({"OFFSET":{"BufferId":1,"Value":2}})"},
      {R"({"DIMS":[1,0]})", R"({"OFFSET":8192})"},
  };
  for (const auto& change : changes) {
    CAPTURE(change.from, change.to);
    std::vector<std::string> nodes = usual(8);
    nodes[3] = replaced(nodes[3], change.from, change.to);
    CHECK(read(file(nodes)).error() == error{});
    CHECK(left(file(nodes)) == 0);
  }
  for (const std::string_view args : {"null", "[]", "[ ]"}) {
    std::vector<std::string> nodes = usual(8);
    const std::size_t at = nodes[3].find("{\"Factor");
    nodes[3] = nodes[3].substr(0, at) + std::string(args) + "}}";
    CHECK(read(file(nodes)).error() == error{});
    CHECK(left(file(nodes)) == 0);
  }
  // Members of one key are refused, and so the node is left.
  for (const std::string_view twice :
       {R"("Extra":1,"Extra":2,)", R"("Extra":1,"Other":2,"Extr\u0061":3,)",
        R"("Type":"Add","T\u0079pe":"Add",)"}) {
    std::vector<std::string> nodes = usual(8);
    nodes[3] = replaced(nodes[3], R"("Args":)", std::string(twice) + R"("Args":)");
    CHECK(read(file(nodes)).error().code == errc::json_duplicate_key);
  }
  // A byte order mark is none in the middle of a file.
  std::vector<std::string> marked = usual(8);
  marked[3] = replaced(marked[3], R"("Args":)",
                       "\"Extra\":\xef\xbb\xbf"
                       R"(1,"Args":)");
  CHECK(read(file(marked)).error().code == errc::json_expected_value);
}

TEST_CASE("ark/read_paths: what a node has changed is undone", "[ark]") {
  // Node 3 describes tensor 1, its layout and its buffer as before, then otherwise, and then has a
  // name that the fast path leaves.
  std::vector<std::string> nodes = usual(6);
  std::string& n = nodes[3];
  const std::size_t writes = n.find(R"("WriteTensors")");
  n = replaced(n, R"({"Id":13,"DataType":"FP32")", R"({"Id":1,"DataType":"FP16")", writes);
  n = replaced(n, R"({"Id":7,"Rank":-1)", R"({"Id":1,"Rank":5)", writes);
  n = replaced(n, R"("Factor")", R"("F\u0061ctor")", writes);
  const auto g = read(file(nodes));
  REQUIRE(g.error() == error{});
  std::size_t ones = 0, buffers = 0;
  for (const ark::tensor& t : g->tensors) ones += t.id == 1 ? 1 : 0;
  for (const ark::buffer& b : g->buffers) buffers += b.id == 1 ? 1 : 0;
  CHECK(ones == 3);  // node 4 has the first again
  CHECK(buffers == 3);
}

TEST_CASE("ark/read_paths: descriptions that come and go", "[ark]") {
  const char* const others[][2] = {
      {R"("SendTags":[[1,1]])", R"("SendTags":[[1,0]])"},
      {R"("SendTags":[[1,1]])", R"("SendTags":[])"},
      {R"("Rank":-1,"SendTags":[[1,1]])", R"("Rank":2,"SendTags":[])"},
      {R"("RecvTags":[])", R"("RecvTags":[],"IsExternal":false)"},
      {R"([0,0])", R"([0,1])"},
      {R"("FP32")", R"("FP16")"},
      {R"("Rank":-1)", R"("Rank":-1,"Extra":1)"},
  };
  for (const auto& other : others) {
    std::vector<std::string> nodes = usual(24);
    for (std::size_t n = 0; n < nodes.size(); n += 2)
      nodes[n] = replaced(nodes[n], other[0], other[1], nodes[n].find(R"({"Id":1,"DataType")"));
    CAPTURE(other[0], other[1]);
    CHECK(read(file(nodes)).error() == error{});
  }
}

TEST_CASE("ark/read_paths: layouts of one hash", "[ark]") {
  // Two layouts whose hashes are equal, as the interner computes them: each of them takes the place
  // of the other.
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
  const auto step = [](std::uint64_t hash, std::uint64_t v) {
    return std::rotl(hash ^ v, 23) * factor;
  };
  std::uint64_t shape = 2, strides = 0;
  for (; shape < 1'000'000; ++shape)
    if ((strides = 5 ^ step(1, 1) ^ step(1, shape)) < 1'000'000'000'000'000u) break;
  ark::layout a, b;
  a.rank = b.rank = 1;
  a.strides[0] = 5;
  b.shape[0] = static_cast<std::int64_t>(shape);
  b.strides[0] = static_cast<std::int64_t>(strides);
  ark::model g;
  ark::interner names(g);
  CHECK(names.layout(a) == 0);
  CHECK(names.layout(b) == 1);
  CHECK(names.layout(a) == 2);
  CHECK(names.layout(a) == 2);
  REQUIRE(names.replaced_layouts() == 2);

  const auto with = [](const std::string& n, const ark::layout& l) {
    std::string out = n;
    const auto put = [&out](std::string_view key, const std::string& list) {
      for (std::size_t at = 0; (at = out.find(key, at)) != std::string::npos; ++at) {
        const std::size_t open = out.find('[', at);
        out.replace(open, out.find(']', open) + 1 - open, list);
      }
    };
    put("\"Shape\"", "[" + std::to_string(l.shape[0]) + "]");
    put("\"Strides\"", "[" + std::to_string(l.strides[0]) + "]");
    put("\"Offsets\"", "[0]");
    put("\"PaddedShape\"", "[1]");
    return out;
  };
  std::vector<std::string> nodes;
  for (unsigned n = 0; n < 12; ++n) nodes.push_back(with(node(n), n / 2 % 2 == 0 ? a : b));
  const auto read_back = read(file(nodes));
  REQUIRE(read_back.error() == error{});
  CHECK(read_back->layouts.size() == 6);
}

TEST_CASE("ark/read_paths: limits", "[ark]") {
  const std::string text = file(usual(5));
  for (std::uint64_t items = 0; items < 8; ++items) (void)read(text, {.max_items = items});
  for (std::uint32_t depth = 0; depth < 14; ++depth) (void)read(text, {.max_depth = depth});
  CHECK(read(text, {.max_items = 5}).error() == error{});
  CHECK(read(text, {.max_items = 4}).error().code == errc::too_many_items);
  const std::string edges = replaced(file(usual(2)), "[7,12]", "[1,2,3,4,5]");
  CHECK(read(edges, {.max_items = 5}).error() == error{});
  CHECK(read(edges, {.max_items = 4}).error().code == errc::too_many_items);
  CHECK(read(text, {.max_bytes = text.size() - 1}).error().code == errc::input_too_large);
}

TEST_CASE("ark/read_paths: every prefix, and bytes replaced", "[ark]") {
  const std::string text = file(usual(3));
  tessera_tests::guard_page memory(text.size() + 64);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    if (cut % 7 == 0 || cut + 200 > text.size())
      (void)read(memory.place(std::string_view(text).substr(0, cut)));
  std::string changed = text;
  const std::string_view bytes("\"\\,:{[]} 0-.x\n\x80", 15);
  for (std::size_t i = 0; i < text.size(); i += 3) {
    changed[i] = bytes[i / 3 % bytes.size()];
    (void)read(memory.place(changed));
    changed[i] = text[i];
  }
}

TEST_CASE("ark/read_paths: every byte replaced by every other", "[.][ark]") {
  const ark::model g = bench::ark_transformer({.layers = 1, .heads = 1, .ranks = 2});
  for (const spread s : {spread::compact, spread::ark}) {
    const std::string whole = bench::ark_text(g, {.spread = s}), usual_file = file(usual(4));
    tessera_tests::guard_page memory(whole.size());
    for (std::size_t cut = 0; cut < whole.size(); cut += 5)
      (void)read(memory.place(std::string_view(whole).substr(0, cut)));
    std::string changed = usual_file;
    for (std::size_t i = 0; i < changed.size(); ++i) {
      for (const char c : std::string_view("\"\\,:{[]} 019-.eExtfn\n\x80\x1f", 23)) {
        changed[i] = c;
        (void)read(changed);
      }
      changed[i] = usual_file[i];
    }
  }
}
