// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// When tiles of plans run, and where.

#include "tessera/inspect/ark/plan_timeline.hpp"

#include <algorithm>
#include <string>
#include <tessera/core/json.hpp>
#include <vector>

#include "support/catch.hpp"
#include "tessera/inspect/page_of.hpp"

namespace {

using namespace tessera;
using namespace tessera::inspect;

/// Relu of 8 rows of 8 numbers: 64 operations, 256 bytes read and 256 written.
constexpr std::uint64_t relu = 64 + 256 + 256;

std::string tensor(int id, int buffer) {
  return R"({"Id":)" + std::to_string(id) +
         R"(,"DataType":"FP32","Shape":[8,8],"Strides":[8,8],"Offsets":[0,0],"PaddedShape":[8,8],)"
         R"("Buffer":{"Id":)" +
         std::to_string(buffer) + R"(,"Rank":-1,"SendTags":[],"RecvTags":[]}})";
}
/// Task `id` of one Relu, which reads what the task before it has made.
std::string task(int id, int tiles, int warps = 1, int memory = 0) {
  const std::string needs =
      R"("NumWarps":)" + std::to_string(warps) + R"(,"SramBytes":)" + std::to_string(memory);
  return R"({"Id":)" + std::to_string(id) + "," + needs +
         R"(,"Ops":[{"Type":"Relu","Name":"r","IsVirtual":false,"ReadTensors":[)" +
         tensor(3 * id, id) + R"(],"WriteTensors":[)" + tensor(3 * id + 1, id + 1) +
         R"(],"ResultTensors":[)" + tensor(3 * id + 2, id + 1) + R"(],"Args":{},"Config":{)" +
         needs + R"(,"NumTasks":)" + std::to_string(tiles) + "}}]}";
}
std::string range(int begin, int end) {
  return "[" + std::to_string(begin) + "," + std::to_string(end) + "]";
}
std::string tiles(int id, int begin, int end, int granularity = 1) {
  return R"({"TaskId":)" + std::to_string(id) + R"(,"TaskRange":)" + range(begin, end) +
         R"(,"Granularity":)" + std::to_string(granularity) + "}";
}
struct bounds {
  int begin, end;
};
std::string resources(bounds processors, bounds warps, const std::string& groups, int memory = 0) {
  return R"({"ProcessorRange":)" + range(processors.begin, processors.end) + R"(,"WarpRange":)" +
         range(warps.begin, warps.end) + R"(,"SramRange":)" + range(0, memory) +
         R"(,"TaskGroups":[)" + groups + "]}";
}
std::string group(bounds processors, const std::string& all) {
  return R"({"ProcessorRange":)" + range(processors.begin, processors.end) +
         R"(,"ResourceGroups":[)" + all + "]}";
}
/// A group with one resource group, whose warps are those of all its tiles at once.
std::string simple(bounds processors, const std::string& groups) {
  return group(processors, resources(processors, {0, 1}, groups));
}
ark::plan plan(const std::string& tasks, const std::string& groups) {
  const std::string all =
      R"({"Rank":0,"WorldSize":1,"Architecture":"ANY","NumProcessors":4,"NumWarpsPerProcessor":4,)"
      R"("TaskInfos":[)" +
      tasks + R"(],"ProcessorGroups":[)" + groups + "]}";
  INFO(all);
  result<ark::plan> p = ark::read_plan(all);
  REQUIRE(p);
  return std::move(*p);
}

/// "p1w0 0+2 [0,144)": two tiles from the first on, on these warps of this processor.
std::string shown(const plan_run& r) {
  return 'p' + std::to_string(r.processor) + 'w' + std::to_string(r.warp) + ' ' +
         std::to_string(r.first_tile) + '+' + std::to_string(r.tiles) + " [" +
         std::to_string(r.start) + ',' + std::to_string(r.end) + ')';
}
std::vector<std::string> shown(const plan_timeline& t) {
  std::vector<std::string> out;
  for (const plan_run& r : t.runs()) out.push_back(shown(r));
  return out;
}
using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("ark/plan_timeline: tiles go to processors in turn, and to slots", "[inspect][ark]") {
  // 16 tiles of 36, two at once, two to each processor in turn.
  const ark::plan p =
      plan(task(0, 16), group({0, 2}, resources({0, 2}, {0, 2}, tiles(0, 0, 16, 2))));
  CHECK(relu / 16 == 36);
  const plan_timeline t(p);
  CHECK(shown(t) ==
        lines{"p0w0 0+4 [0,144)", "p0w1 1+4 [0,144)", "p1w0 2+4 [0,144)", "p1w1 3+4 [0,144)"});
  CHECK(t.end() == 144);
  CHECK(t.complete());
  // Three to each: in slot 0 of processor 0 are 0, 2, 7; the last round has less.
  const plan_timeline odd(
      plan(task(0, 16), group({0, 2}, resources({0, 2}, {0, 2}, tiles(0, 0, 10, 3)))));
  CHECK(shown(odd) ==
        lines{"p0w0 0+3 [0,108)", "p0w1 1+3 [0,108)", "p1w0 3+2 [0,72)", "p1w1 4+2 [0,72)"});
}

TEST_CASE("ark/plan_timeline: warps and memory bound what runs at once", "[inspect][ark]") {
  const auto of = [](const std::string& one, int memory) {
    return shown(
        plan_timeline(plan(one, group({0, 1}, resources({0, 1}, {1, 4}, tiles(0, 0, 4), memory)))));
  };
  CHECK(of(task(0, 4), 0).size() == 3);
  // Two warps a tile: half as long, and one at once of three warps.
  CHECK(of(task(0, 4, 2), 0) == lines{"p0w1 0+4 [0,288)"});
  CHECK(of(task(0, 4, 1, 10), 29) == lines{"p0w1 0+2 [0,288)", "p0w2 1+2 [0,288)"});
  CHECK(of(task(0, 4, 1, 10), 30).size() == 3);
}

TEST_CASE("ark/plan_timeline: a task group begins after the last processor", "[inspect][ark]") {
  const plan_timeline t(
      plan(task(0, 4) + "," + task(1, 4), simple({0, 3}, tiles(0, 0, 4) + "," + tiles(1, 0, 4))));
  // Tiles 0 to 3 are on 0, 1, 2, 0; so the next task begins on 1, where it waits for nobody else.
  CHECK(shown(t) == lines{"p0w0 0+2 [0,288)", "p1w0 1+1 [0,144)", "p2w0 2+1 [0,144)",
                          "p1w0 0+2 [144,432)", "p2w0 1+1 [144,288)", "p0w0 2+1 [288,432)"});
  for (const plan_run& r : t.runs()) CHECK(r.waited == 0);
}

TEST_CASE("ark/plan_timeline: groups wait where they share processors", "[inspect][ark]") {
  const std::string tasks = task(0, 4) + "," + task(1, 4) + "," + task(2, 4);
  // The second group is on another processor; the third waits for both.
  const plan_timeline t(plan(tasks, simple({0, 1}, tiles(0, 0, 4)) + "," +
                                        simple({1, 2}, tiles(1, 0, 1)) + "," +
                                        simple({0, 2}, tiles(2, 0, 2))));
  CHECK(shown(t) ==
        lines{"p0w0 0+4 [0,576)", "p1w0 0+1 [0,144)", "p0w0 0+1 [576,720)", "p1w0 1+1 [576,720)"});
  CHECK(t.runs()[2].waited == 0);
  CHECK(t.runs()[3].waited == 432);
  CHECK(t.runs()[3].waited_task == 0);
  CHECK(t.runs()[3].waited_processor == 0);
  // Processor 2 isn't of the first group, but waits with 1, which waits with 0.
  const plan_timeline chain(plan(tasks, simple({0, 2}, tiles(0, 0, 1)) + "," +
                                            simple({1, 3}, tiles(1, 0, 2)) + "," +
                                            simple({0, 1}, tiles(2, 0, 1))));
  CHECK(shown(chain) == lines{"p0w0 0+1 [0,144)", "p0w0 0+1 [144,288)", "p1w0 0+1 [144,288)",
                              "p2w0 1+1 [144,288)"});
}

TEST_CASE("ark/plan_timeline: resource groups begin together", "[inspect][ark]") {
  const plan_timeline t(plan(task(0, 4) + "," + task(1, 4) + "," + task(2, 4),
                             group({0, 1}, resources({0, 1}, {0, 1}, tiles(0, 0, 1)) + "," +
                                               resources({0, 1}, {2, 3}, tiles(1, 0, 3))) +
                                 "," + simple({0, 1}, tiles(2, 0, 1))));
  CHECK(shown(t) == lines{"p0w0 0+1 [0,144)", "p0w2 0+3 [0,432)", "p0w0 0+1 [432,576)"});
  CHECK(t.runs()[2].waited == 288);
  CHECK(t.runs()[2].waited_task == 1);
  // On the same warps one after the other.
  const plan_timeline shared(plan(task(0, 4) + "," + task(1, 4, 2),
                                  group({0, 1}, resources({0, 1}, {1, 2}, tiles(0, 0, 1)) + "," +
                                                    resources({0, 1}, {0, 4}, tiles(1, 0, 2)))));
  CHECK(shown(shared) == lines{"p0w1 0+1 [0,144)", "p0w2 1+1 [0,72)", "p0w0 0+1 [144,216)"});
  CHECK(shared.runs()[2].waited == 144);
}

TEST_CASE("ark/plan_timeline: work is bounded", "[inspect][ark]") {
  const ark::plan p = plan(task(0, 16), simple({0, 2}, tiles(0, 0, 16)));
  CHECK(plan_timeline(p, 32).complete());
  const plan_timeline cut(p, 31);
  CHECK_FALSE(cut.complete());
  std::uint64_t run = 0;
  for (const plan_run& r : cut.runs()) run += r.tiles;
  CHECK(run == 15);
}

TEST_CASE("ark/plan_timeline: a trace has the rows, the tiles and the memory", "[inspect][ark]") {
  const ark::plan p = plan(task(0, 4, 1, 10) + "," + task(1, 4),
                           group({0, 2}, resources({0, 2}, {0, 1}, tiles(0, 0, 2), 10)) + "," +
                               simple({0, 1}, tiles(1, 0, 4)));
  const ark::plan* const ranks[] = {&p, &p};
  text out;
  append_trace(out, ranks);
  json::reader in(out.view());
  text copy;
  json::writer w(copy);
  json::copy(in, w);
  REQUIRE(in.finish().code == errc::ok);
  const auto has = [&out](std::string_view line) {
    return out.view().find(line) != std::string_view::npos;
  };
  CHECK(has(R"("pid":2,"tid":2,"ts":0.0,"name":"thread_name","args":{"name":"processor 1"})"));
  CHECK(has(R"("pid":1,"tid":1,"ts":144.0,"name":"task 1 Relu","cat":"task","dur":576.0,)"
            R"("args":{"task":1,"node":"r0_op1","line":3,"first tile":0,"tiles":4,"warps":1,)"
            R"("memory":0,"waited for":"none","waited":0})"));
  CHECK(has(R"("node":"r1_op1","first tile")"));  // lines are the first rank's
  CHECK(has(R"("ts":0.0,"name":"memory of tiles","args":{"bytes":20})"));
  CHECK(has(R"("ts":144.0,"name":"memory of tiles","args":{"bytes":0})"));
  // The input and the output are live throughout.
  CHECK(has(R"("ts":0.0,"name":"live bytes of buffers","args":{"bytes":768})"));
  CHECK(has(R"("complete":"yes")"));
  // A page finds tasks by their lines.
  const inspect::page made = page_of(std::span<const ark::plan* const>(ranks));
  REQUIRE(made.graphs.size() == 1);
  const auto node =
      std::find_if(made.graphs[0].drawn.nodes.begin(), made.graphs[0].drawn.nodes.end(),
                   [](const picture::node& n) { return n.id == "r0_op1"; });
  REQUIRE(node != made.graphs[0].drawn.nodes.end());
  CHECK(made.graphs[0]
            .nodes[static_cast<std::size_t>(node - made.graphs[0].drawn.nodes.begin())]
            .line == 2);
}
