// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Plans: reading, writing, what is wrong with them, and how they compare with their model. The
// small plans of tests/data/ark/plans, and each single edit that cases.tsv lists with what is then
// to be said; and the samples, where they are.

#include "ark.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tessera/core/describe.hpp>
#include <tessera/core/json.hpp>
#include <utility>
#include <vector>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"
#include "ark/verbs.hpp"
#include "samples.hpp"

using namespace tessera;

namespace {

[[nodiscard]] std::string string_of(const text& t) { return std::string(t.view()); }
[[nodiscard]] std::string small(const std::string& name) {
  return samples::load(samples::folder() / "plans" / name);
}

/// One line of cases.tsv.
struct edit {
  std::string stage;  ///< read, lint or model
  std::string path;   ///< of the value that is replaced
  std::string value;  ///< by this JSON; "-": the member's key is
  std::string severity, code, where;
  std::uint64_t offset = 0;
};
[[nodiscard]] std::vector<edit> edits() {
  std::vector<edit> out;
  const std::string all = small("cases.tsv");
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    std::vector<std::string> fields(1);
    for (const char c : all.substr(at, end - at))
      if (c == '\t')
        fields.emplace_back();
      else
        fields.back() += c;
    at = end == std::string::npos ? all.size() : end + 1;
    if (fields[0].substr(0, 1) == "#") continue;
    REQUIRE(fields.size() == 7);
    out.push_back(
        {fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], std::stoull(fields[6])});
  }
  return out;
}
[[nodiscard]] std::string edited(std::string source, const edit& e) {
  const std::uint64_t at = json::find(source, e.path);
  if (at == json::no_offset) FAIL("no " << e.path);
  const auto offset = static_cast<std::size_t>(at);
  if (e.value == "-") {  // the last character of the key
    source.replace(source.rfind("\":", offset) - 1, 1, "_");
    return source;
  }
  json::reader in(std::string_view(source).substr(offset),
                  {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX, .max_depth = 64});
  return source.replace(offset, in.skip().size(), e.value);
}

[[nodiscard]] ark::plan plan_of(std::string_view source) {
  auto p = ark::read_plan(source);
  if (!p) FAIL(string_of(describe(p.error(), source)));
  return std::move(*p);
}
[[nodiscard]] ark::program program_of(std::string_view source) {
  auto g = ark_test::read(source);
  if (!g) FAIL(string_of(describe(g.error(), source)));
  auto p = ark_test::verify(std::move(*g));
  if (!p) FAIL(std::string(p.error().name()));
  return std::move(*p);
}
[[nodiscard]] std::string written(const ark::plan& p, bool pretty = true) {
  auto out = ark::write_plan(p, {.pretty = pretty});
  if (!out) FAIL(std::string(out.error().name()));
  return std::string(out->view());
}
[[nodiscard]] bool verify(const ark::plan& p, tessera::report& found,
                          const ark::plan_options& options = {}) {
  const error e = ark::verify_plan(p, options, &found);
  CHECK((e.code == errc::ok) == (found.errors == 0));
  for (const tessera::diagnostic& d : found.diagnostics)
    if (d.severity == tessera::severity::error) {
      CHECK(e == error{d.code, d.where.offset});
      break;
    }
  return e.code == errc::ok;
}
[[nodiscard]] std::string all_of(const tessera::report& r) {
  constexpr const char* names[] = {"error", "warning", "note"};
  std::string out;
  for (const tessera::diagnostic& d : r.diagnostics)
    out += std::string(names[static_cast<std::size_t>(d.severity)]) + ' ' +
           std::string(error{d.code}.name()) + ' ' + std::string(r.text_of(d.path)) + ' ' +
           std::to_string(d.where.offset) + ": " + std::string(r.text_of(d.text)) + '\n';
  return out;
}
/// The names of the small plans that have nothing wrong with them.
constexpr const char* good[] = {"base.plan.json", "empty.plan.json", "odd.plan.json"};

}  // namespace

TEST_CASE("ark/plan: small plans are read, and written byte for byte", "[ark][plan]") {
  for (const char* const name : good) {
    INFO(name);
    const std::string source = small(name);
    const ark::plan p = plan_of(source);
    CHECK(written(p) == source);
    const std::string compact = written(p, false);
    CHECK(compact.find('\n') == std::string::npos);
    CHECK(written(plan_of(compact)) == source);
    CHECK(written(plan_of(compact), false) == compact);
  }
}

TEST_CASE("ark/plan: what a plan holds", "[ark][plan]") {
  const std::string source = small("base.plan.json");
  const ark::plan p = plan_of(source);
  CHECK(p.parts.rank == 0);
  CHECK(p.parts.world_size == 1);
  CHECK(ark::text_of(p.parts, p.architecture) == "CUDA_80");
  CHECK(p.num_processors == 4);
  REQUIRE(p.tasks.size() == 3);
  CHECK(p.tasks[1].ops.count == 2);
  const ark::op& relu = operations(p, p.tasks[1])[1];
  CHECK(relu.type == ark::op_type::relu);
  const ark::plan_config& c = configs(p, p.tasks[0])[0];
  CHECK(c.num_warps == 4);
  CHECK(c.sram_bytes == 1024);
  CHECK(c.num_tasks == 4);
  REQUIRE(c.tile_shape_mnk.count == 3);
  CHECK(integers(p.parts, c.tile_shape_mnk)[2] == 4);
  CHECK(ark::text_of(p.parts, configs(p, p.tasks[2])[0].impl_type) == "WarpWise");
  CHECK(ark::text_of(p.parts, c.text) ==
        R"({"NumWarps":4,"SramBytes":1024,"TileShapeMNK":[2,8,4],"NumTasks":4})");
  REQUIRE(p.processor_groups.size() == 3);
  const ark::resource_group& r = resource_groups(p, p.processor_groups[1])[1];
  CHECK(r.processors.begin == 2);
  CHECK(task_groups(p, r)[0].tasks.count() == 4);
  CHECK(source[static_cast<std::size_t>(task_groups(p, r)[0].offset)] == '{');

  CHECK(plan_of(small("empty.plan.json")).null_tasks);
  CHECK(plan_of(small("odd.plan.json")).place == ark::architecture_place::after_num_warps);
}

TEST_CASE("ark/plan: what a config may say besides", "[ark][plan]") {
  const std::string source = small("base.plan.json");
  const std::string before = R"("SramBytes": 256)";  // of the last operation
  std::string more = source;
  const std::size_t at = more.rfind(before);
  REQUIRE(at != std::string::npos);
  more.insert(at, R"("Granularity": 2, "TilePadMNK": [1, 2, 3], "ChannelType": "Sm", )"
                  R"("PacketType": "LL8", "Signal": true, "Wait": false, )");
  const ark::plan p = plan_of(more);
  const ark::plan_config& c = p.configs[p.configs.size() - 1];
  CHECK(c.granularity == 2);
  REQUIRE(c.tile_pad_mnk.count == 3);
  CHECK(p.parts.integers[c.tile_pad_mnk.first + 2] == 3);
  CHECK(text_of(p.parts, c.channel_type) == "Sm");
  CHECK(text_of(p.parts, c.packet_type) == "LL8");
  CHECK((c.signal == ark::flag::yes && c.wait == ark::flag::no));
  const ark::plan plain = plan_of(source);
  const ark::plan_config& none = plain.configs[plain.configs.size() - 1];
  CHECK((none.granularity == -1 && none.tile_pad_mnk.count == 0));
  CHECK((none.signal == ark::flag::absent && none.wait == ark::flag::absent));
  CHECK(p.memory() > plain.memory());
  CHECK(plain.memory() > source.size() / 4);
}

TEST_CASE("ark/plan: members in any order", "[ark][plan]") {
  const std::string compact = written(plan_of(small("base.plan.json")), false);
  // The root's members from the last to the first, and those of the groups.
  const std::size_t tasks = compact.find("\"TaskInfos\""), groups = compact.find(",\"Proc");
  REQUIRE(groups != std::string::npos);
  const std::string turned = "{" + compact.substr(groups + 1, compact.size() - groups - 2) + "," +
                             compact.substr(tasks, groups - tasks) + "," +
                             compact.substr(1, tasks - 2) + "}";
  CHECK(written(plan_of(turned), false) == compact);
}

TEST_CASE("ark/plan: each edit is found, where it is", "[ark][plan]") {
  const std::string base = small("base.plan.json");
  const ark::program program = program_of(small("base.json"));
  tessera::report nothing;
  CHECK(verify(plan_of(base), nothing, {.source = base}));
  CHECK(verify(plan_of(base), nothing, {.model = &program, .source = base}));
  CHECK(all_of(nothing) == "");

  for (const edit& e : edits()) {
    INFO(e.stage << ' ' << e.path << " = " << e.value);
    const std::string source = edited(base, e);
    const auto p = ark::read_plan(source);
    if (e.stage == "read") {
      CHECK(std::string(p.error().name()) == e.code);
      CHECK(p.error().offset == e.offset);
      CHECK(string_of(json::path(source, p.error().offset)) == e.where);
      continue;
    }
    REQUIRE(p);
    tessera::report found;
    const ark::program* const model = e.stage == "lint" ? nullptr : &program;
    const bool ok = verify(*p, found, {.model = model, .source = source});
    const std::string expected =
        e.severity + ' ' + e.code + ' ' + e.where + ' ' + std::to_string(e.offset) + ": ";
    const std::string all = all_of(found);
    INFO(all);
    CHECK(('\n' + all).find('\n' + expected) != std::string::npos);
    if (e.stage == "lint" || e.severity == "error")
      CHECK((e.severity == "error") == (found.errors != 0));
    // Without the source: the same, at the task's or group's offset.
    tessera::report blind;
    CHECK(ok == verify(*p, blind, {.model = model}));
    CHECK(blind.diagnostics.size() == found.diagnostics.size());
  }
}

TEST_CASE("ark/plan: no proper prefix is a plan", "[ark][plan]") {
  const std::string source = small("odd.plan.json");
  for (std::size_t size = 0; size + 1 < source.size(); ++size) {
    const auto p = ark::read_plan(std::string_view(source).substr(0, size));
    if (p || p.error().offset > size) FAIL("prefix of " << size);
  }
}

TEST_CASE("ark/plan: limits, at n and n + 1", "[ark][plan]") {
  const std::string source = written(plan_of(small("base.plan.json")), false);
  CHECK(ark::read_plan(source, {.limit = {.max_bytes = source.size()}}));
  CHECK(ark::read_plan(source, {.limit = {.max_bytes = source.size() - 1}}).error().code ==
        errc::input_too_large);
  CHECK(ark::read_plan(source, {.limit = {.max_items = 3}}));
  CHECK(ark::read_plan(source, {.limit = {.max_items = 2}}).error().code == errc::too_many_items);
  CHECK(ark::read_plan(source, {.limit = {.max_depth = 10}}));
  CHECK(ark::read_plan(source, {.limit = {.max_depth = 6}}).error().code == errc::json_depth);
}

TEST_CASE("ark/plan: memory stays within 16 times the text", "[ark][plan]") {
  std::string members = "\"NumWarps\":0";  // as many as possible in as little text
  for (unsigned i = 0; i < 16385; ++i) {
    members += ",\"";
    for (unsigned rest = i; rest != 0 || members.back() == '"'; rest /= 26)
      members += static_cast<char>('a' + rest % 26);
    members += "\":0";
  }
  const edit places[] = {
      {"", "$.TaskInfos[0].Ops[0].Config", "{" + members + "}", "", "", "", 0},
      {"", "$.TaskInfos[0].SramBytes", "0," + members.substr(13), "", "", "", 0}};
  for (const edit& e : places) {
    INFO(e.path);
    const std::string source = edited(small("base.plan.json"), e);
    const tessera_tests::allocations used;
    const auto p = ark::read_plan(source);
    CHECK(p);
    CHECK(used.peak() <= 16 * source.size() + (1u << 16));
    CHECK(used.peak() > 4 * source.size());  // or this isn't the worst any more
  }
}

TEST_CASE("ark/plan: a listing for people", "[ark][plan]") {
  CHECK(string_of(ark::print(plan_of(small("base.plan.json")))) ==
        "plan of rank 0 of 1, CUDA_80, 4 processors of 4 warps, 3 tasks\n"
        "task 0, 4 warps, 1024 bytes: Matmul \"matmul\" 0:FP32[4,8] 1:FP32[8,16] -> 4:FP32[4,16], "
        "4 tiles of 2x8x4\n"
        "task 1, 1 warp, 0 bytes: Add \"add\" 4:FP32[4,16] 2:FP32[16] -> 6:FP32[4,16], 8 tiles of "
        "1x8; Relu \"relu\" 6:FP32[4,16] -> 8:FP32[4,16], 8 tiles of 1x8\n"
        "task 2, 1 warp, 256 bytes: ReduceSum \"reduce_sum\" 8:FP32[4,16] -> 10:FP32[4,1], 4 "
        "tiles, WarpWise\n"
        "group on processors 0..4\n"
        "  warps 0..4, memory 0..1024: task 0 tiles 0..4\n"
        "group on processors 0..4\n"
        "  processors 0..2, warps 0..1, memory 0..0: task 1 tiles 0..3, task 1 tiles 3..4\n"
        "  processors 2..4, warps 0..1, memory 0..0: task 1 tiles 4..8\n"
        "group on processors 0..2\n"
        "  warps 0..4, memory 0..1024: task 2 tiles 0..4\n");
}

TEST_CASE("ark/plan: names that are no words are in quotes", "[ark][plan]") {
  std::string source = small("base.plan.json");
  source.replace(source.find("CUDA_80"), 7, "CUDA 80");
  CHECK(string_of(ark::print(plan_of(source))).find("plan of rank 0 of 1, \"CUDA 80\", 4") == 0);
}

TEST_CASE("ark/plan: its operations as a model, tasks by Id", "[ark][plan]") {
  ark::plan p = plan_of(small("base.plan.json"));
  const ark::plan_task first = p.tasks[0];
  p.tasks[0] = p.tasks[2];
  p.tasks[2] = first;
  const ark::model g = ark::plan_model(p);
  CHECK(g.form == ark::dialect::d3);
  REQUIRE(g.nodes.size() == 4);
  for (std::size_t n = 0; n < 4; ++n) {
    CHECK(g.nodes[n].id == static_cast<std::int64_t>(n));
    REQUIRE(operations(g, g.nodes[n]).size() == 1);
    const auto producers = integers(g, g.nodes[n].producers);
    const auto consumers = integers(g, g.nodes[n].consumers);
    REQUIRE(producers.size() == (n == 0 ? 0 : 1));
    REQUIRE(consumers.size() == (n == 3 ? 0 : 1));
    if (n != 0) CHECK(producers[0] == static_cast<std::int64_t>(n) - 1);
    if (n != 3) CHECK(consumers[0] == static_cast<std::int64_t>(n) + 1);
  }
  CHECK(operations(g, g.nodes[0])[0].type == ark::op_type::matmul);
  CHECK(operations(g, g.nodes[3])[0].type == ark::op_type::reduce_sum);
  CHECK(ark_test::verify(ark::plan_model(p)));
}

TEST_CASE("ark/plan: a model with other Ids is the same model", "[ark][plan]") {
  const std::string source = small("base.plan.json");
  auto g = ark_test::read(small("base.json"));
  REQUIRE(g);
  for (ark::tensor& t : g->tensors) t.id = 1000 - t.id;
  for (ark::buffer& b : g->buffers) b.id = 1000 - b.id;
  auto program = ark_test::verify(std::move(*g));
  REQUIRE(program);
  tessera::report found;
  CHECK(verify(plan_of(source), found, {.model = &*program, .source = source}));
  CHECK(all_of(found) == "");
}

TEST_CASE("ark/plan: an unknown name is reported with those that are known", "[ark][plan]") {
  const auto reported = [](const std::string& member) {  // instead of a config's ImplType
    std::string source = small("base.plan.json");
    const std::size_t at = source.find("\"ImplType\"");
    REQUIRE(at != std::string::npos);
    const std::size_t end = source.find('"', source.find('"', source.find(':', at)) + 1) + 1;
    source.replace(at, end - at, '"' + member + "\": \"Other\"");
    tessera::report found;
    CHECK(verify(plan_of(source), found, {.source = source}));
    return all_of(found);
  };
  CHECK(
      reported("ImplType").find("unknown ImplType \"Other\"; expected WarpWise or ElementWise\n") !=
      std::string::npos);
  CHECK(reported("ChannelType")
            .find("unknown ChannelType \"Other\"; expected Proxy, SecondaryProxy or Sm\n") !=
        std::string::npos);
}

TEST_CASE("ark/plan: operations in another order, missing, or more than the model has",
          "[ark][plan]") {
  const std::string source = small("base.plan.json");
  const ark::program program = program_of(small("base.json"));
  tessera::report found;

  ark::plan swapped = plan_of(source);  // the sum before what it sums
  swapped.tasks[1].id = 2;
  swapped.tasks[2].id = 1;
  CHECK_FALSE(verify(swapped, found, {.model = &program}));
  CHECK(all_of(found).find("error ark_plan_model $.TaskInfos[1].Ops[1] ") == std::string::npos);
  CHECK(all_of(found).find("error ark_plan_model $.TaskInfos[2].Ops[0] ") != std::string::npos);

  // What shares no bytes may be in any order; what differs in its elements is taken to share some.
  const auto order = [&](auto change) {
    ark::plan p = swapped;
    ark::tensor& t = p.parts.tensors[p.parts.uses[p.parts.ops[3].first_use]];
    const ark::layout copy = p.parts.layouts[t.layout];
    p.parts.layouts.push_back(copy);
    t.layout = static_cast<std::uint32_t>(p.parts.layouts.size() - 1);
    change(t, p.parts.layouts[t.layout]);
    tessera::report all;
    CHECK_FALSE(verify(p, all, {.model = &program}));
    return all_of(all).find("Relu \"relu\" uses the same memory and precedes") != std::string::npos;
  };
  CHECK(order([](ark::tensor&, ark::layout&) {}));
  CHECK(order([](ark::tensor& t, ark::layout&) { t.type = ark::data_type::fp16; }));
  CHECK(order([](ark::tensor&, ark::layout& l) { l.offsets[0] = 3; }));
  CHECK_FALSE(order([](ark::tensor&, ark::layout& l) { l.offsets[0] = 4; }));

  found = {};
  ark::plan fewer = plan_of(source);
  fewer.tasks.pop_back();
  fewer.processor_groups.pop_back();
  CHECK_FALSE(verify(fewer, found, {.model = &program}));
  CHECK(all_of(found).find("error ark_plan_model $.TaskInfos 0: ") == 0);
  CHECK(all_of(found).find("the plan lacks ReduceSum \"reduce_sum\" of the model") !=
        std::string::npos);

  found = {};
  ark::model less = program_of(small("base.json")).release();
  less.nodes.pop_back();
  less.nodes.back().consumers.count = 0;
  auto smaller = ark_test::verify(std::move(less));
  REQUIRE(smaller);
  CHECK(verify(plan_of(source), found, {.model = &*smaller, .source = source}));
  CHECK(found.warnings == 1);
  CHECK(all_of(found).find("warning ark_plan_model $.TaskInfos[2].Ops[0] ") == 0);
}

TEST_CASE("ark/plan: each part of a tensor is compared with the model's", "[ark][plan]") {
  const ark::program program = program_of(small("base.json"));
  const auto differs = [&](auto change) {
    ark::plan p = plan_of(small("base.plan.json"));
    change(p);
    tessera::report found;
    (void)verify(p, found, {.model = &program});
    return all_of(found).find("the tensor differs from that of Add \"add\" in the model") !=
           std::string::npos;
  };
  const auto sum = [](ark::plan& p) -> ark::tensor& {  // what the Add writes
    const ark::op& o = p.parts.ops[1];
    return p.parts.tensors[p.parts.uses[o.first_use + o.reads]];
  };
  const auto layout = [&](ark::plan& p) -> ark::layout& {
    ark::tensor& t = sum(p);
    const ark::layout copy = p.parts.layouts[t.layout];
    p.parts.layouts.push_back(copy);
    t.layout = static_cast<std::uint32_t>(p.parts.layouts.size() - 1);
    return p.parts.layouts[t.layout];
  };
  const auto tags = [](ark::plan& p) {
    p.parts.tags.push_back({0, 5});
    return ark::range{static_cast<std::uint32_t>(p.parts.tags.size() - 1), 1};
  };
  CHECK_FALSE(differs([](ark::plan&) {}));
  CHECK_FALSE(differs([&](ark::plan& p) { (void)layout(p); }));
  CHECK_FALSE(differs([&](ark::plan& p) {  // Pads say no more than the others
    layout(p).pads = static_cast<std::uint32_t>(p.parts.integers.size());
    for (int d = 0; d < 2; ++d) p.parts.integers.push_back(1);
  }));
  CHECK(differs([&](ark::plan& p) { sum(p).type = ark::data_type::fp16; }));
  CHECK(differs([&](ark::plan& p) { layout(p).shape[1] = 15; }));
  CHECK(differs([&](ark::plan& p) { layout(p).strides[0] = 5; }));
  CHECK(differs([&](ark::plan& p) { layout(p).offsets[0] = 1; }));
  CHECK(differs([&](ark::plan& p) { layout(p).padded_shape[0] = 5; }));
  CHECK(differs([&](ark::plan& p) { p.parts.buffers[sum(p).buffer].rank = 1; }));
  CHECK(differs([&](ark::plan& p) { p.parts.buffers[sum(p).buffer].send_tags = tags(p); }));
  CHECK(differs([&](ark::plan& p) { p.parts.buffers[sum(p).buffer].recv_tags = tags(p); }));
}

TEST_CASE("ark/plan: tensors in arguments, and operations of other types", "[ark][plan]") {
  const std::string tensor =
      R"("Args": {"T": {"TENSOR": {"Id":4,"DataType":"FP32","Shape":[4,16],"Strides":[4,16],)"
      R"("Offsets":[0,0],"PaddedShape":[4,16],"Buffer":{"Id":3,"Rank":-1,"SendTags":[],)"
      R"("RecvTags":[]}}}})";
  const auto with = [&](std::string source) {  // of the Add, which becomes another operation
    source.replace(source.find("\"Args\": {}"), 10, tensor);
    return source.replace(source.find("\"Add\""), 5, "\"Sum of 2\"");
  };
  const std::string source = with(small("base.plan.json"));
  const ark::program program = program_of(with(small("base.json")));
  tessera::report found;
  CHECK(verify(plan_of(source), found, {.model = &program}));
  CHECK(all_of(found).find("ark_plan_model") == std::string::npos);
  std::string other = source;
  other.replace(other.find("[4,16]", other.find("TENSOR")), 6, "[4,15]");
  (void)verify(plan_of(other), found, {.model = &program});
  CHECK(all_of(found).find("\"Sum of 2\" \"add\"") != std::string::npos);
}

TEST_CASE("ark/plan: arguments are compared by their values", "[ark][plan]") {
  const auto with = [](std::string source, std::string_view value) {  // of the Add
    const std::size_t at = source.find("\"Args\": {}");
    return source.replace(at, 10, "\"Args\": {\"A\": {" + std::string(value) + "}}")
        .replace(source.find("\"Add\""), 5, "\"Sum of 2\"");
  };
  constexpr std::string_view values[][2] = {
      {R"("INT": 3)", R"("INT": 4)"},
      {R"("BOOL": true)", R"("BOOL": false)"},
      {R"("FLOAT": 0.5)", R"("FLOAT": 0.25)"},
      {R"("DIMS": [1,2])", R"("DIMS": [1,3])"},
      {R"("DIMS": [1,2])", R"("DIMS": [1])"},
      {R"("OFFSET": {"BufferId":3,"Value":8})", R"("OFFSET": {"BufferId":3,"Value":16})"},
  };
  for (const auto& [value, other] : values) {
    INFO(value);
    const ark::program program = program_of(with(small("base.json"), value));
    tessera::report found;
    CHECK(verify(plan_of(with(small("base.plan.json"), value)), found, {.model = &program}));
    CHECK(all_of(found).find("ark_plan_model") == std::string::npos);
    (void)verify(plan_of(with(small("base.plan.json"), other)), found, {.model = &program});
    CHECK(all_of(found).find("\"Sum of 2\" \"add\"") != std::string::npos);
  }
}

TEST_CASE("ark/plan: a model with Pads is compared by its shapes", "[ark][plan]") {
  const std::string source = small("base.plan.json");
  auto g = ark_test::read(small("base.json"));
  REQUIRE(g);
  auto old = ark::convert(*g, ark::dialect::d1a);
  REQUIRE(old);
  const ark::program program = program_of(samples::json(*old));
  CHECK(program.model().layouts[0].pads != ark::none);
  tessera::report found;
  CHECK(verify(plan_of(source), found, {.model = &program, .source = source}));
  CHECK(all_of(found).find("the tensor differs") == std::string::npos);
}

TEST_CASE("ark/plan: tags are those of the model, in their order", "[ark][plan]") {
  const auto with = [](const std::string& name, const std::string& tags) {
    std::string source = small(name);
    source.replace(source.find("\"WorldSize\": 1"), 14, "\"WorldSize\": 2");
    const std::string buffer = "\"Buffer\":{\"Id\":0,\"Rank\":-1,\"SendTags\":[";
    return source.insert(source.find(buffer) + buffer.size(), tags);
  };
  const ark::program program = program_of(with("base.json", "[1,5],[1,6]"));
  const auto differs = [&](const std::string& tags) {
    tessera::report found;
    (void)verify(plan_of(with("base.plan.json", tags)), found, {.model = &program});
    return all_of(found).find("differs from that of Matmul \"matmul\" in the model") !=
           std::string::npos;
  };
  CHECK_FALSE(differs("[1,5],[1,6]"));
  CHECK(differs("[1,5],[1,7]"));
  CHECK(differs("[0,5],[1,6]"));
}

TEST_CASE("ark/plan: the ranks of a model are those of its plan", "[ark][plan]") {
  const ark::program program = program_of(small("base.json"));
  ark::plan p = plan_of(small("base.plan.json"));
  p.parts.world_size = 3;
  p.parts.rank = 2;
  tessera::report found;
  CHECK_FALSE(verify(p, found, {.model = &program}));
  CHECK(all_of(found).find("error ark_plan_model $.Rank 0: Rank is 2; the model has 0\n") !=
        std::string::npos);
  CHECK(all_of(found).find("error ark_plan_model $.WorldSize 0: ") != std::string::npos);
  found = {};
  p.parts.rank = 5;
  CHECK_FALSE(verify(p, found));
  CHECK(all_of(found).find("error ark_s03_world $ 0: ") == 0);
}

TEST_CASE("ark/plan: findings beyond those that are kept are counted", "[ark][plan]") {
  ark::plan p = plan_of(small("base.plan.json"));
  for (ark::buffer& b : p.parts.buffers) b.id = 0;
  for (ark::tensor& t : p.parts.tensors) t.id = 0;
  tessera::report all, few;
  const error first = ark::verify_plan(p, {}, &all);
  CHECK(all.errors > 2);
  CHECK(ark::verify_plan(p, {.max_diagnostics = 1}, &few) == first);
  CHECK(few.diagnostics.size() == 1);
  CHECK(few.errors == all.errors);
  CHECK(few.warnings == all.warnings);
  CHECK(few.notes == all.notes);
  CHECK(ark::verify_plan(p, {}) == first);
  CHECK(ark::verify_plan(plan_of(small("base.plan.json")), {}) == error{});
}

TEST_CASE("ark/plan: one that was filled by hand is checked before it is written", "[ark][plan]") {
  const std::string source = small("base.plan.json");
  const auto refused = [&](auto change, errc code) {
    ark::plan p = plan_of(source);
    change(p);
    CHECK(ark::write_plan(p).error().code == code);
    tessera::report found;
    CHECK_FALSE(verify(p, found));
    CHECK(found.errors == 1);
    CHECK(found.diagnostics[0].code == code);
  };
  refused([](ark::plan& p) { p.configs.pop_back(); }, errc::ark_plan_config);
  refused([](ark::plan& p) { p.configs[0].text = {}; }, errc::ark_plan_config);
  refused([](ark::plan& p) { p.tasks[0].ops.count = 9; }, errc::ark_too_large);
  refused([](ark::plan& p) { p.tasks[0].id = -1; }, errc::ark_plan_member);
  refused([](ark::plan& p) { p.task_groups[0].tasks.begin = -1; }, errc::ark_plan_range);
  refused([](ark::plan& p) { p.task_groups[0].task_id = -1; }, errc::ark_plan_member);
  refused([](ark::plan& p) { p.processor_groups[0].resource_groups.count = 9; },
          errc::ark_too_large);
  refused([](ark::plan& p) { p.null_tasks = true; }, errc::ark_plan_member);
  refused([](ark::plan& p) { p.parts.rank = 1; }, errc::ark_s03_world);
  refused([](ark::plan& p) { p.parts.form = static_cast<ark::dialect>(99); }, errc::ark_dialect);
  refused([](ark::plan& p) { p.num_processors = -1; }, errc::ark_plan_member);
  refused([](ark::plan& p) { p.num_warps_per_processor = -1; }, errc::ark_plan_member);
  refused([](ark::plan& p) { p.architecture = {0, 0xffffffff}; }, errc::ark_too_large);
  refused([](ark::plan& p) { p.resource_groups[0].sram.end = -1; }, errc::ark_plan_range);
  refused([](ark::plan& p) { p.resource_groups[0].task_groups.count = 9; }, errc::ark_too_large);
  refused([](ark::plan& p) { p.parts.uses[0] = 1000; }, errc::ark_too_large);
}

TEST_CASE("ark/plan: all samples survive, have no errors, and match their models", "[ark][plan]") {
  const std::filesystem::path folder = samples::shared() / "upstream";
  if (!std::filesystem::exists(folder)) {
    WARN("no sample files");
    return;
  }
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string name = entry.path().string();
    if (!std::string_view(name).ends_with(".plan.json")) continue;
    ++count;
    INFO(name);
    const std::string source = samples::load(name);
    const ark::plan p = plan_of(source);
    CHECK(written(p) == source);
    name.replace(name.size() - 10, 10, ".json");
    const std::string model_source = samples::load(name);
    auto model = ark_test::read(model_source);
    REQUIRE(model);
    auto program = ark_test::verify(std::move(*model));
    REQUIRE(program);
    tessera::report found;
    CHECK(verify(p, found, {.model = &*program, .source = source}));
    std::size_t said = 0;
    for (const tessera::diagnostic& d : found.diagnostics)
      said += d.code >= errc::ark_plan_member && d.code <= errc::ark_plan_model ? 1u : 0u;
    INFO(all_of(found));
    CHECK(said == 0);
    CHECK(ark_test::verify(ark::plan_model(p)));
    CHECK(!ark::print(p).empty());
  }
  CHECK(count > 40);
}
