// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Schedules that were worked out by hand, or by recurrences of their own. Nothing is executed here:
// tasks of real texts are placed as they become ready.

#include "nem/verbs.hpp"
#include "tessera/vm/nem_timing.hpp"
#include "vm/nem/graph.hpp"

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <queue>
#include <string>
#include <tessera/core/json.hpp>
#include <tuple>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "tessera/core/json_read.hpp"
#include "tessera/inspect/nem/timeline_trace.hpp"
#include "tessera/vm/nem.hpp"

namespace {

using namespace tessera;
using vm::nem::cause;
using vm::nem::placement;
using vm::nem::task_graph;
using vm::nem::timing_profile;
using vm::nem::timing_report;

/// What schedules a program without executing it: all tasks are issued first.
class scheduler : public nem::visitor {
 public:
  scheduler(const nem::program& p, vm::nem::timeline& when)
      : p_(p), when_(when), graph_(tokens_of(p)) {}

  void loop(const nem::values&, std::uint32_t, std::int64_t, std::int64_t, std::int64_t n) {
    graph_.loop(n);
    iteration_.push_back(0);
  }
  void iteration(std::uint32_t, std::int64_t value) {
    graph_.iteration(ready_);
    iteration_.back() = value;
  }
  void end_loop(std::uint32_t) {
    graph_.end_loop(ready_);
    iteration_.pop_back();
  }
  void wait(std::uint32_t, view<std::uint32_t> tasks) { graph_.wait(tasks, ready_); }
  void task(const nem::values& v, const nem::task& t) {
    held& h = tasks_.emplace_back();
    h.iteration = iteration_;
    h.of.task = t;
    h.of.what.opcode = t.opcode;
    for (const nem::operand& o : v.inputs(t)) add(v, o, h);
    const std::size_t inputs = h.operands.size();
    for (const nem::operand& o : v.outputs(t)) add(v, o, h);
    for (std::size_t i = 0; i < h.operands.size(); ++i) h.operands[i].shape = h.shapes[i];
    h.of.what.inputs = std::span(h.operands).first(inputs);
    h.of.what.outputs = std::span(h.operands).subspan(inputs);
    h.of.buffers = h.buffers;
    h.of.iteration = h.iteration;
    graph_.issue(v.tasks_before(t), t.mode == nem::mode::sync, ready_);
  }
  void end(const nem::values& v) {
    std::vector<vm::nem::touched_buffer> all;
    for (std::uint32_t i = 0; i < v.buffers.size(); ++i) all.push_back(buffer(v, i));
    when_.declare(all);
    placed.resize(tasks_.size());
    for (;;) {
      const auto first = [this] {
        return waiting_.empty() ? UINT64_MAX : std::get<0>(waiting_.top());
      };
      while (graph_.grant(first(), ready_)) {}
      if (waiting_.empty()) break;
      const task_graph::ready_task next = std::get<3>(waiting_.top());
      waiting_.pop();
      placed[next.task] = when_.place(tasks_[next.task].of, next);
      graph_.complete(next.task, placed[next.task].end, ready_);
    }
    CHECK(graph_.completed() == tasks_.size());
  }

  std::vector<placement> placed;  ///< by index of task

 private:
  struct held {
    vm::nem::instance of;
    std::vector<vm::nem::tensor> operands;
    std::vector<std::vector<std::int64_t>> shapes;
    std::vector<vm::nem::touched_buffer> buffers;
    std::vector<std::int64_t> iteration;
  };
  struct by_time {
    template <class T>
    bool operator()(const T& a, const T& b) const {
      return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) >
             std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
    }
  };
  using entry = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, task_graph::ready_task>;
  struct on_ready {
    scheduler* self;
    void operator()(const task_graph::ready_task& t) const {
      self->waiting_.emplace(t.time, self->tasks_[t.task].of.task.node, t.task, t);
    }
  };

  static std::uint64_t tokens_of(const nem::program& p) {
    if (p.target() == nullptr) return 0;
    return static_cast<std::uint64_t>(
        p.catalog().characteristic(*p.target(), nem::unit::seq, "max_active_tokens", 0));
  }
  static vm::nem::touched_buffer buffer(const nem::values& v, std::uint32_t i) {
    const nem::buffer& b = v.buffers[i];
    return {i, b.level, b.engine, static_cast<std::uint64_t>(b.size)};
  }
  void add(const nem::values& v, const nem::operand& o, held& h) const {
    const nem::region& r = v.regions[o.region];
    vm::nem::tensor t;
    t.element = r.element;
    t.extent = r.extent;
    t.is_transposed =
        r.layout != nem::no_name && p_.model().name(r.layout) == std::string_view("KM");
    h.operands.push_back(t);
    h.shapes.emplace_back(v.shape(r).begin(), v.shape(r).end());
    h.buffers.push_back(buffer(v, r.buffer));
  }

  const nem::program& p_;
  vm::nem::timeline& when_;
  task_graph graph_;
  std::deque<held> tasks_;
  std::vector<std::int64_t> iteration_;
  std::priority_queue<entry, std::vector<entry>, by_time> waiting_;
  on_ready ready_{this};
};

struct schedule {
  std::vector<placement> tasks;
  timing_report report;
  std::string trace, table, json;

  /// A task as "NMU[0]@1 3..7 deps".
  [[nodiscard]] std::string operator[](std::size_t i) const {
    const placement& p = tasks.at(i);
    return std::string(name(p.unit)) + "[" + std::to_string(p.index) + "]" +
           (p.engine < 0 ? "" : "@" + std::to_string(p.engine)) + " " + std::to_string(p.start) +
           ".." + std::to_string(p.end) + " " +
           std::string(vm::nem::cause_names[static_cast<std::size_t>(p.why)]);
  }
  [[nodiscard]] std::uint64_t stalls(cause c) const {
    return report.stalls[static_cast<std::size_t>(c)];
  }
  [[nodiscard]] vm::nem::unit_report unit(nem::unit u, std::int64_t engine,
                                          std::uint32_t index = 0) const {
    for (const vm::nem::unit_report& r : report.units)
      if (r.unit == u && r.engine == engine && r.index == index) return r;
    FAIL("no such unit");
    return {};
  }
  [[nodiscard]] std::uint64_t idle(nem::unit u, std::int64_t engine, cause c) const {
    return unit(u, engine).idle[static_cast<std::size_t>(c)];
  }
};

bool open_device(void*, std::string_view, std::string_view path, nem::resolver::file& to) {
  static std::deque<std::string> texts;
  const std::string folder = TESSERA_TESTS_DATA_DIR "/nem/programs/devices/";
  const std::string base(path.substr(path.rfind('/') + 1));
  std::ifstream in(folder + base, std::ios::binary);
  if (!in) return false;
  to.text =
      texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  to.id = texts.emplace_back(base);
  return true;
}

schedule simulate(const std::string& source, const timing_profile& costs = {}) {
  tessera::report found;
  auto d = nem_test::read(source, {}, &found);
  for (const tessera::diagnostic& f : found.diagnostics) FAIL(std::string(found.text_of(f.text)));
  REQUIRE(d);
  nem::verify_options options;
  options.resolver.open = open_device;
  const auto p = nem_test::verify(std::move(*d), options, &found);
  for (const tessera::diagnostic& f : found.diagnostics)
    if (f.severity == tessera::severity::error) FAIL(std::string(found.text_of(f.text)));
  REQUIRE(p);
  inspect::timeline_recorder seen(*p, source);
  vm::nem::timeline when(*p, costs, seen);
  scheduler s(*p, when);
  nem::for_each_task(*p, s);
  schedule out;
  out.tasks = s.placed;
  out.report = when.report();
  text trace, table, json;
  seen.append_trace(trace, out.report);
  inspect::append_report(table, out.report);
  inspect::append_json(json, out.report);
  out.trace = trace.view();
  out.table = table.view();
  out.json = json.view();
  // Whatever the program: a unit's time adds up, and spans of one unit don't overlap.
  for (const vm::nem::unit_report& u : out.report.units) {
    std::uint64_t sum = u.busy + u.idle_at_end;
    for (const std::uint64_t idle : u.idle) sum += idle;
    CHECK(sum == out.report.cycles);
  }
  std::vector<placement> all = out.tasks;
  std::sort(all.begin(), all.end(), [](const placement& a, const placement& b) {
    return std::tie(a.engine, a.unit, a.index, a.start) <
           std::tie(b.engine, b.unit, b.index, b.start);
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (std::tie(all[i - 1].engine, all[i - 1].unit, all[i - 1].index) ==
        std::tie(all[i].engine, all[i].unit, all[i].index))
      CHECK(all[i - 1].end <= all[i].start);
  return out;
}

const std::string memory =
    "buffer D : DDR (size=65536)\nbuffer S : L2 (size=65536)\n"
    "buffer A : L1[0] (size=16384)\nbuffer B : L1[1] (size=16384)\n";

/// A transfer of some bytes, as "S, 0" to "A, 64".
std::string move(const std::string& token, const std::string& from, const std::string& to,
                 int bytes, const std::string& deps = {}, const std::string& more = {}) {
  return token + " = transfer.async(dst=region(" + to + ", " + std::to_string(bytes) +
         "), src=region(" + from + ", " + std::to_string(bytes) + ")" +
         (deps.empty() ? "" : ", deps=[" + deps + "]") + ")" + (more.empty() ? "" : " " + more) +
         "\n";
}
/// relu of i8 from one buffer to another.
std::string relu(const std::string& token, const std::string& from, const std::string& to,
                 int elements, const std::string& more = {}) {
  const std::string n = std::to_string(elements);
  const std::string type = n + ") elem=i8, shape=[" + n + "], layout=C";
  return token + " = relu.async in region(" + from + ", " + type + " out region(" + to + ", " +
         type + more + "\n";
}
/// A device with topology.
std::string device(const std::string& engines, const std::string& units,
                   const std::string& more = {}, const std::string& tokens = "64") {
  return "include \"npm_baseline_1.0.nem\" device here extends npm_baseline_1_0 { topology { "
         "num_engines = " +
         engines + " l2_size_bytes = 65536 device_units { sDMA = 1 } per_engine { " + units +
         " SEQ = 1 l1_size_bytes = 32768 } } unit_characteristics { " + more +
         " SEQ { max_active_tokens = " + tokens + " } } }\nprogram p:\n";
}

}  // namespace

TEST_CASE("vm/nem/timing: what tasks cost", "[vm_nem]") {
  // 100 bytes are 4 bursts; 300 elements 2; 16 * 16 * 32 MACs 2.
  const std::string gemm =
      "g = gemm.async in region(A, 0, 1024) elem=f16, shape=[16, 32], layout=MK, region(A, 1024, "
      "1024) elem=f16, shape=[32, 16], layout=KN out region(A, 2048, 512) elem=f16, shape=[16, "
      "16], layout=MN accum_type=f32\n";
  const std::string source = memory + move("a", "D, 0", "S, 0", 100) +
                             relu("b", "A, 4096", "A, 5120", 300) + gemm +
                             "d = store.async(dst=region(S, 512, 64), src=region(A, 6144, 64))\n" +
                             move("e", "S, 1024", "B, 0", 33);
  schedule s = simulate(source);
  CHECK(s[0] == "sDMA[0] 0..8 none");
  CHECK(s[1] == "CSTL[0]@0 0..3 none");
  CHECK(s[2] == "NMU[0]@0 0..4 none");
  CHECK(s[3] == "CSTL[0]@0 3..9 unit");
  CHECK(s[4] == "DMA[0]@1 0..6 none");
  CHECK(s.report.cycles == 9);
  CHECK(s.report.tasks == 5);

  timing_profile slow;
  CHECK(slow.set("bandwidth", 1));
  CHECK(slow.set("transfer_latency", 0));
  CHECK(slow.set("macs", 1000));
  CHECK(slow.set("product_latency", 10));
  CHECK(slow.set("elements", 7));
  CHECK(slow.set("element_latency", 0));
  s = simulate(source, slow);
  CHECK(s[0] == "sDMA[0] 0..100 none");
  CHECK(s[1] == "CSTL[0]@0 0..43 none");
  CHECK(s[2] == "NMU[0]@0 0..19 none");
  CHECK(s[3] == "CSTL[0]@0 43..107 unit");
  CHECK(s[4] == "DMA[0]@1 0..33 none");

  for (const char* const never : {"bandwidth", "macs", "elements"}) CHECK_FALSE(slow.set(never, 0));
  CHECK_FALSE(slow.set("speed", 1));
  CHECK_FALSE(slow.set("", 1));
  CHECK(slow.bandwidth == 1);
  // All names that are listed are some.
  std::string names(timing_profile::names());
  std::size_t count = 0;
  for (std::size_t at = 0; at < names.size(); ++count) {
    const std::size_t end = std::min(names.find(", ", at), names.size());
    CHECK(slow.set(names.substr(at, end - at), 2));
    at = end + 2;
  }
  CHECK(count == 6);
}

TEST_CASE("vm/nem/timing: NMUs of a target, by the type of the weights", "[vm_nem]") {
  const auto product = [](const char* type, int bits) {
    const auto bytes = [&](int n) { return std::to_string(n * bits / 8); };
    const std::string sizes[] = {bytes(32 * 64), bytes(64 * 32)};
    const std::string quant = bits == 16 ? "" : ", quant=per_tensor(scale=0.5, zero_point=0)";
    const std::string accumulator = bits == 16 ? "f32" : "i32";
    const std::string out = bits == 16 ? "2048) elem=f16" : "4096) elem=i32";
    return "g = gemm.async in region(A, 0, " + sizes[0] + ") elem=" + type +
           ", shape=[32, 64], layout=MK" + quant + ", region(A, 4096, " + sizes[1] +
           ") elem=" + type + ", shape=[64, 32], layout=KN" + quant + " out region(A, 8192, " +
           out + ", shape=[32, 32], layout=MN" + quant + " accum_type=" + accumulator + "\n";
  };
  // 65536 MACs.
  const std::string nmu = "NMU { fp16_macs = 512 }";
  const std::string units = "NMU = 1 CSTL = 1 DMA = 1 VPU = 1";
  CHECK(simulate(memory + product("f16", 16))[0] == "NMU[0]@0 0..18 none");
  CHECK(simulate(device("2", units, nmu) + memory + product("f16", 16))[0] ==
        "NMU[0]@0 0..130 none");
  CHECK(simulate(device("2", units) + memory + product("f16", 16))[0] == "NMU[0]@0 0..18 none");
  timing_profile own;
  REQUIRE(own.set("macs", 65536));
  CHECK(simulate(device("2", units, nmu) + memory + product("f16", 16), own)[0] ==
        "NMU[0]@0 0..3 none");
  // A VPU multiplies as fast as it adds.
  std::string on_vpu = product("f16", 16);
  on_vpu.insert(on_vpu.size() - 1, " @resource(VPU[0])");
  CHECK(simulate(memory + on_vpu)[0] == "VPU[0]@0 0..258 none");
  CHECK(simulate(device("2", "NMU = 1 CSTL = 1 DMA = 1", nmu) + memory + on_vpu)[0] ==
        "NMU[0]@0 0..130 none");
}

TEST_CASE("vm/nem/timing: units are shared, engines have their own", "[vm_nem]") {
  const schedule s =
      simulate(memory + move("a", "S, 0", "A, 0", 96) + move("b", "S, 96", "A, 96", 32) +
               move("c", "S, 0", "B, 0", 96) + move("d", "S, 0", "B, 96", 64, "a"));
  CHECK(s[0] == "DMA[0]@0 0..7 none");
  CHECK(s[1] == "DMA[0]@0 7..12 unit");
  CHECK(s[2] == "DMA[0]@1 0..7 none");
  CHECK(s[3] == "DMA[0]@1 7..13 deps");
  CHECK(s.stalls(cause::unit) == 7);
  CHECK(s.stalls(cause::deps) == 7);
  CHECK(s.unit(nem::unit::dma, 0).busy == 12);
  CHECK(s.unit(nem::unit::dma, 0).tasks == 2);
  CHECK(s.unit(nem::unit::dma, 0).idle_at_end == 1);
  CHECK(s.unit(nem::unit::nmu, 1).idle_at_end == 13);
  CHECK(s.report.units.size() == 9);  // sDMA; NMU, CSTL, DMA and VPU of two engines
}

TEST_CASE("vm/nem/timing: tasks of no engine go where the unit is free first", "[vm_nem]") {
  const auto inside = [](const std::string& token, int at, int bytes) {
    return move(token, "S, " + std::to_string(at), "S, " + std::to_string(at + 32768), bytes);
  };
  const schedule s = simulate(memory + inside("a", 0, 320) + inside("b", 320, 32) +
                              inside("c", 640, 32) + inside("d", 960, 320) + inside("e", 1280, 32));
  CHECK(s[0] == "DMA[0]@0 0..14 none");
  CHECK(s[1] == "DMA[0]@1 0..5 none");
  CHECK(s[2] == "DMA[0]@1 5..10 unit");
  CHECK(s[3] == "DMA[0]@1 10..24 unit");
  CHECK(s[4] == "DMA[0]@0 14..19 unit");
  // Without an L1 there is one engine, and where only L1[3] is named there are four.
  const std::string l2 = "buffer S : L2 (size=65536)\n";
  CHECK(simulate(l2 + inside("a", 0, 32) + inside("b", 32, 32))[1] == "DMA[0]@0 5..10 unit");
  const schedule four =
      simulate(l2 + "buffer Z : L1[3] (size=8)\n" + inside("a", 0, 32) + inside("b", 32, 32) +
               inside("c", 64, 32) + inside("d", 96, 32) + inside("e", 128, 32));
  CHECK(four[3] == "DMA[0]@3 0..5 none");
  CHECK(four[4] == "DMA[0]@0 5..10 unit");
}

TEST_CASE("vm/nem/timing: what @resource binds to", "[vm_nem]") {
  const std::string units = "NMU = 1 CSTL = 2 DMA = 2 VPU = 1";
  const auto on = [](const std::string& unit) { return " @resource(" + unit + ")"; };
  const std::string tasks = relu("a", "A, 0", "A, 1024", 256, on("CSTL[1]")) +
                            relu("b", "A, 256", "A, 1280", 256, on("CSTL[3]")) +
                            relu("c", "A, 512", "A, 1536", 256, on("VPU[0]")) +
                            relu("d", "A, 768", "A, 1792", 256);
  schedule s = simulate(device("2", units) + memory + tasks);
  CHECK(s[0] == "CSTL[1]@0 0..2 none");
  CHECK(s[1] == "CSTL[1]@0 2..4 unit");  // 3 modulo 2
  CHECK(s[2] == "VPU[0]@0 0..2 none");
  CHECK(s[3] == "CSTL[0]@0 0..2 none");
  // Where the target has no VPU, it is the operation's own unit, any of them.
  s = simulate(device("2", "NMU = 1 CSTL = 2 DMA = 1") + memory + tasks);
  CHECK(s[0] == "CSTL[1]@0 0..2 none");
  CHECK(s[1] == "CSTL[1]@0 2..4 unit");
  CHECK(s[2] == "CSTL[0]@0 0..2 none");
  CHECK(s[3] == "CSTL[0]@0 2..4 unit");
  // A store may take a DMA, and a transfer that touches DDR too.
  s = simulate(device("2", units) + memory +
               "a = store.async(dst=region(S, 0, 32), src=region(A, 0, 32)) @resource(DMA[1])\n" +
               move("b", "D, 0", "A, 64", 32, "", "@resource(DMA[1])") +
               move("c", "D, 0", "B, 64", 32) + move("d", "S, 64", "S, 128", 32, "", on("DMA[5]")));
  CHECK(s[0] == "DMA[1]@0 0..5 none");
  CHECK(s[1] == "DMA[1]@0 5..10 unit");
  CHECK(s[2] == "sDMA[0] 0..5 none");
  CHECK(s[3] == "DMA[1]@1 0..5 none");  // the engine whose DMA[1] is free
  // What has no unit of its own takes another one.
  const std::string odd =
      "a = compute.async in region(A, 0, 64) elem=i8, shape=[64], layout=C out region(A, 64, 64) "
      "elem=i8, shape=[64], layout=C op=\"mine\"\n"
      "b = reduce_sum.async in region(A, 128, 128) elem=f16, shape=[64], layout=C out region(A, "
      "256, 2) elem=f16, shape=[1], layout=C axes=[0] keepdims=true\n";
  s = simulate(memory + odd);
  CHECK(s[0] == "VPU[0]@0 0..2 none");
  CHECK(s[1] == "VPU[0]@0 2..4 unit");
  s = simulate(device("2", "NMU = 1 CSTL = 1 DMA = 1") + memory + odd);
  CHECK(s[0] == "CSTL[0]@0 0..2 none");
  CHECK(s[1] == "CSTL[0]@0 2..4 unit");
  std::string no_sdma = device("2", units);
  no_sdma.replace(no_sdma.find("device_units"), std::string("device_units { sDMA = 1 }").size(),
                  "");
  s = simulate(no_sdma + memory + move("a", "D, 0", "B, 0", 32));
  CHECK(s[0] == "DMA[0]@1 0..5 none");
}

TEST_CASE("vm/nem/timing: windows of a pipeline", "[vm_nem]") {
  const auto pipeline = [](int window) {
    return "buffer D : DDR (size=65536)\nbuffer A : L1[0] (size=4096)\n"
           "buffer Y : L1[0] (size=4096)\n"
           "loop i in [0..5] @max_in_flight(" +
           std::to_string(window) +
           "):\n  let slot = i mod 2\n"
           "  let x = region(A, slot * 2048, 2048) elem=i8, shape=[2048], layout=C\n"
           "  let y = region(Y, slot * 2048, 2048) elem=i8, shape=[2048], layout=C\n"
           "  t = transfer.async(dst=x, src=region(D, i * 2048, 2048))\n"
           "  u = relu.async in x out y deps=[t]\nendloop\n";
  };
  // A load takes 64 + 4 cycles, a relu as many as `elements` says.
  for (const std::uint64_t work : {std::uint64_t{1}, std::uint64_t{30}, std::uint64_t{60}}) {
    timing_profile costs;
    costs.elements = 2048 / work + (2048 % work != 0);
    const std::uint64_t compute = (2048 + costs.elements - 1) / costs.elements + 1;
    const schedule one = simulate(pipeline(1), costs);
    CHECK(one.report.cycles == 6 * (68 + compute));
    CHECK(one.report.max_live_tokens == 2);
    CHECK(one.tasks[2].why == cause::window);
    CHECK(one.idle(nem::unit::sdma, -1, cause::window) == 5 * compute);
    CHECK(one.idle(nem::unit::cstl, 0, cause::deps) == 6 * 68);

    const schedule two = simulate(pipeline(2), costs);
    std::uint64_t loaded = 0, computed = 0, retired[8] = {};
    for (std::size_t i = 0; i < 6; ++i) {
      const std::uint64_t start = std::max(loaded, i < 2 ? 0 : retired[i - 2]);
      loaded = start + 68;
      computed = std::max(loaded, computed) + compute;
      retired[i] = computed;
      CHECK(two.tasks[2 * i].start == start);
      CHECK(two.tasks[2 * i + 1].end == computed);
    }
    CHECK(two.report.cycles == computed);
    CHECK(two.report.cycles < one.report.cycles);
    CHECK(two.report.max_live_tokens == 4);
  }
}

TEST_CASE("vm/nem/timing: tokens of the sequencer", "[vm_nem]") {
  const auto with = [](int tokens, const std::string& body) {
    return simulate(device("2", "NMU = 1 CSTL = 1 DMA = 4 VPU = 1", "", std::to_string(tokens)) +
                    memory + body);
  };
  // Each takes 5 cycles, on a DMA of its own.
  const std::string four = move("a", "S, 0", "A, 0", 32) + move("b", "S, 64", "A, 64", 32) +
                           move("c", "S, 128", "A, 128", 32) + move("d", "S, 192", "A, 192", 32);
  schedule s = with(4, four);
  for (std::size_t i = 0; i < 4; ++i) CHECK(s[i] == "DMA[" + std::to_string(i) + "]@0 0..5 none");
  CHECK(s.report.max_live_tokens == 4);
  CHECK(s.stalls(cause::tokens) == 0);
  s = with(3, four);
  CHECK(s[2] == "DMA[2]@0 0..5 none");
  CHECK(s[3] == "DMA[3]@0 5..10 tokens");
  CHECK(s.tasks[3].issued == 5);
  CHECK(s.tasks[3].held == 5);
  CHECK(s.report.max_live_tokens == 3);
  CHECK(s.stalls(cause::tokens) == 5);
  CHECK(s.unit(nem::unit::dma, 0, 3).idle[static_cast<std::size_t>(cause::tokens)] == 5);
  CHECK(s.table.find("stalls  5 tokens") != std::string::npos);
  CHECK(s.table.find("idle: tokens") != std::string::npos);
  CHECK(s.json.find("\"stalls\":{\"tokens\":5}") != std::string::npos);
  CHECK(s.trace.find("\"held for a token\"") != std::string::npos);
  CHECK(s.trace.find("\"waited for\":\"tokens\"") != std::string::npos);
  s = with(1, four);
  CHECK(s[3] == "DMA[3]@0 15..20 tokens");
  CHECK(s.stalls(cause::tokens) == 5 + 10 + 15);
  CHECK(s.report.max_live_tokens == 1);
  // A task holds its token while it waits for its deps.
  const std::string chain = move("a", "S, 0", "A, 0", 32) +
                            relu("b", "A, 0", "A, 64", 32, " deps=[a]") +
                            move("c", "S, 128", "A, 128", 32);
  CHECK(with(3, chain)[2] == "DMA[1]@0 0..5 none");
  CHECK(with(2, chain)[2] == "DMA[1]@0 5..10 tokens");
  CHECK(with(2, chain)[1] == "CSTL[0]@0 5..7 deps");

  // Whatever the limit, it is kept, and one that isn't reached changes nothing.
  std::string loops = "loop i in [0..7] @max_in_flight(4):\n";
  for (int k = 0; k < 4; ++k) {
    const std::string slot = "(i mod 4) * 1024 + " + std::to_string(k * 256);
    const std::string token = "t" + std::to_string(k);
    loops += move(token, "S, " + slot, "A, " + slot, 32 * (k + 1));
    loops += relu("r" + std::to_string(k), "A, " + slot, "A, " + slot + " + 4096", 32,
                  " deps=[" + token + "]");
  }
  loops += "endloop\n";
  const schedule free = with(1000, loops);
  REQUIRE(free.report.max_live_tokens > 8);
  for (int tokens = 1; tokens <= 40; ++tokens) {
    const schedule limited = with(tokens, loops);
    CHECK(limited.report.max_live_tokens <= static_cast<std::uint64_t>(tokens));
    const bool is_free = static_cast<std::uint64_t>(tokens) >= free.report.max_live_tokens;
    CHECK((limited.stalls(cause::tokens) == 0) == is_free);
    if (is_free) CHECK(limited.report.cycles == free.report.cycles);
  }
}

TEST_CASE("vm/nem/timing: what tasks waited for", "[vm_nem]") {
  const schedule s =
      simulate(memory + move("a", "S, 0", "A, 0", 32) +
               "transfer.sync(dst=region(B, 0, 96), src=region(S, "
               "0, 96))\n" +
               move("b", "S, 0", "A, 64", 32) + "wait(b)\n" + relu("c", "A, 64", "A, 128", 64) +
               "loop i in [0..1] @max_in_flight(1):\n" +
               "  t = transfer.async(dst=region(A, 1024 + i * 64, 64), src=region(S, 0, 64))\n" +
               "endloop\n" + relu("d", "B, 0", "B, 128", 64));
  CHECK(s[0] == "DMA[0]@0 0..5 none");
  CHECK(s[1] == "DMA[0]@1 0..7 none");
  CHECK(s[2] == "DMA[0]@0 7..12 sync");
  CHECK(s[3] == "CSTL[0]@0 12..14 wait");
  CHECK(s[4] == "DMA[0]@0 12..18 wait");
  CHECK(s[5] == "DMA[0]@0 18..24 window");
  CHECK(s[6] == "CSTL[0]@1 24..26 endloop");
  CHECK(s.idle(nem::unit::dma, 0, cause::sync) == 2);
  CHECK(s.idle(nem::unit::dma, 0, cause::wait) == 0);
  CHECK(s.idle(nem::unit::cstl, 0, cause::wait) == 12);
  CHECK(s.idle(nem::unit::cstl, 1, cause::loop_end) == 24);
  for (const std::uint64_t cycles : s.report.stalls)
    CHECK(cycles == 0);  // issued late, not stalled
  CHECK(s.report.max_live_tokens == 2);
}

TEST_CASE("vm/nem/timing: live tokens and bytes", "[vm_nem]") {
  // a: 0..7, b: 7..12, c: 7..9 on its CSTL; three are issued at once.
  const schedule s = simulate(memory + "buffer E : L1[0] (size=100)\nbuffer F : L1[0] (size=50)\n" +
                              move("a", "S, 0", "A, 0", 96) + move("b", "S, 0", "E, 0", 32) +
                              relu("c", "A, 0", "F, 0", 48, " deps=[a]"));
  CHECK(s[1] == "DMA[0]@0 7..12 unit");
  CHECK(s[2] == "CSTL[0]@0 7..9 deps");
  CHECK(s.report.max_live_tokens == 3);
  REQUIRE(s.report.memories.size() == 4);
  const auto memory_of = [&](std::size_t i) {
    const vm::nem::memory_report& m = s.report.memories[i];
    return std::string(name(m.level)) + " " + std::to_string(m.engine) + " " +
           std::to_string(m.peak) + "/" + std::to_string(m.declared) + "/" +
           std::to_string(m.capacity);
  };
  CHECK(memory_of(0) == "DDR -1 0/65536/0");
  CHECK(memory_of(1) == "L2 -1 65536/65536/0");
  CHECK(memory_of(2) == "L1 0 16534/16534/0");
  CHECK(memory_of(3) == "L1 1 0/16384/0");
  // One after the other, buffers aren't live together.
  const schedule apart = simulate(
      device("1", "NMU = 1 CSTL = 1 DMA = 1 VPU = 1") +
      "buffer S : L2 (size=256)\nbuffer E : L1[0] (size=100)\nbuffer F : L1[0] (size=50)\n" +
      move("a", "S, 0", "E, 0", 32) + move("b", "S, 0", "F, 0", 32, "a"));
  REQUIRE(apart.report.memories.size() == 2);
  CHECK(apart.report.memories[1].peak == 100);
  CHECK(apart.report.memories[1].declared == 150);
  CHECK(apart.report.memories[1].capacity == 32768);
  CHECK(apart.report.memories[0].capacity == 65536);
}

TEST_CASE("vm/nem/timing: times saturate", "[vm_nem]") {
  timing_profile costs;
  costs.transfer_latency = ~std::uint64_t{0};
  costs.bandwidth = 0;  // as set() doesn't let it be
  const schedule s = simulate(memory + move("a", "S, 0", "A, 0", 96) +
                                  move("b", "S, 0", "A, 96", 96) + relu("c", "B, 0", "B, 64", 8),
                              costs);
  constexpr std::uint64_t most = (std::uint64_t{1} << 63) - 1;
  CHECK(s.tasks[0].end == most);
  CHECK(s.tasks[1].start == most);
  CHECK(s.tasks[1].end == most);
  CHECK(s.report.cycles == most);
  // A device of any size costs nothing.
  const std::string huge = device("1000000000", "NMU = 1 CSTL = 1000000000 DMA = 1 VPU = 1");
  const schedule h = simulate(huge + "buffer S : L2 (size=4096)\n" + relu("a", "S, 0", "S, 64", 8) +
                              relu("b", "S, 8", "S, 128", 8, " @resource(CSTL[999999999])"));
  CHECK(h[0] == "CSTL[0]@0 0..2 none");
  CHECK(h[1] == "CSTL[999999999]@0 0..2 none");
  CHECK(h.report.units.size() == 2);
}

TEST_CASE("vm/nem/timing: two engines hand blocks over", "[vm_nem]") {
  std::ifstream in(TESSERA_TESTS_DATA_DIR "/nem/programs/two_engines.nem", std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const schedule s = simulate(source);
  // Loads of 1024 bytes take 36 cycles on one of two sDMAs, 8192 MACs at 512 a cycle take 18, 512
  // bytes 20, and a softmax of 256 elements 2. Slots alternate; a block starts when the one before
  // the last has retired.
  std::uint64_t load[2] = {36, 0}, nmu = 0, left[2] = {}, taken[2] = {}, cstl[2] = {},
                retired[9] = {};
  REQUIRE(s.tasks.size() == 1 + 8 * 6);
  std::uint64_t before = 36;  // the weights
  for (std::size_t b = 0; b < 8; ++b) {
    const std::size_t slot = b % 2;
    const std::uint64_t issued = b < 2 ? 36 : retired[b - 2];
    std::uint64_t& unit = load[1] <= load[0] && load[1] != load[0] ? load[1] : load[0];
    const std::uint64_t loaded = std::max(issued, unit) + 36;
    unit = loaded;
    nmu = std::max(loaded, nmu) + 18;
    left[slot] = std::max(nmu, left[slot]) + 20;
    taken[slot] = std::max(left[slot], taken[slot]) + 20;
    const std::uint64_t normalized = std::max(taken[slot], cstl[slot]) + 2;
    cstl[slot] = normalized;
    CAPTURE(b);
    CHECK(s.tasks[1 + 6 * b].end == loaded);
    CHECK(s.tasks[2 + 6 * b].end == nmu);
    CHECK(s.tasks[3 + 6 * b].end == left[slot]);
    CHECK(s.tasks[4 + 6 * b].end == taken[slot]);
    CHECK(s.tasks[5 + 6 * b].end == normalized);
    // The last store takes the CSTL of engine 1 that is free first.
    std::uint64_t& free = cstl[0] <= cstl[1] ? cstl[0] : cstl[1];
    free = std::max(free, normalized) + 20;
    CHECK(s.tasks[6 + 6 * b].end == free);
    retired[b] = std::max(before, free);
    before = retired[b];
  }
  CHECK(s.report.cycles == before);
  const schedule again = simulate(source);
  CHECK(again.trace == s.trace);
  CHECK(again.json == s.json);
}

TEST_CASE("vm/nem/timing: the trace and the reports", "[vm_nem]") {
  const schedule s =
      simulate(memory + "loop i in [3..4]:\n  loop j in [0..0]:\n" +
               "    t = transfer.async(dst=region(A, 64 * i, 64), src=region(S, 0, 64))\n" +
               "  endloop\nendloop\n" + relu("r", "S, 192", "S, 320", 64, "@seq_engine(1)"));
  CAPTURE(s.trace, s.table, s.json);
  for (const std::string* const document : {&s.trace, &s.json}) {
    json::reader r(*document);
    (void)r.skip();
    CHECK(r.finish().code == errc::ok);
  }
  // An event a line, of which these are the spans and the counters.
  const std::string events[] = {
      R"({"ph":"M","pid":2,"tid":0,"ts":0.0,"name":"process_name","args":{"name":"engine 0"}})",
      R"({"ph":"M","pid":2,"tid":4,"ts":0.0,"name":"thread_name","args":{"name":"DMA[0]"}})",
      R"({"ph":"X","pid":2,"tid":4,"ts":0.0,"name":"transfer t","cat":"data_movement",)"
      R"("dur":6.0,"args":{"task":0,)"
      R"("line":7,"iteration.i":3,"iteration.j":0,"bytes":64,"issued":0,"ready":0,)"
      R"("waited for":"none","waited":0}})",
      R"({"ph":"X","pid":2,"tid":4,"ts":6.0,"name":"transfer t","cat":"data_movement",)"
      R"("dur":6.0,"args":{"task":1,)"
      R"("line":7,"iteration.i":4,"iteration.j":0,"bytes":64,"issued":6,"ready":6,)"
      R"("waited for":"window","waited":0}})",
      R"({"ph":"X","pid":3,"tid":7,"ts":12.0,"name":"relu r","cat":"elementwise_unary",)"
      R"("dur":2.0,"args":{"task":2,)"
      R"("line":10,"elements":64,"issued":12,"ready":12,"waited for":"endloop",)"
      R"("waited":0}})",
      R"({"ph":"C","pid":1,"tid":0,"ts":14.0,"name":"live tokens","args":{"tokens":0}})",
      R"({"ph":"C","pid":1,"tid":0,"ts":0.0,"name":"live bytes of L2","args":{"bytes":65536}})",
      R"({"ph":"C","pid":2,"tid":0,"ts":12.0,"name":"live bytes of L1[0]","args":{"bytes":0}})"};
  for (const std::string& event : events) {
    CAPTURE(event);
    CHECK((s.trace.find("\n" + event + ",\n") != std::string::npos ||
           s.trace.find("\n" + event + "\n]") != std::string::npos));
  }
  CHECK(s.trace.find("\"otherData\":{\"time\":\"1 us is 1 cycle\"}") != std::string::npos);
  CHECK(s.table.find("  cycles  14\n  tasks   3\n  tokens  peak 1 live\n  stalls  none\n") == 0);
  CHECK(s.table.find("\n  engine 0 DMA[0]       2    12  85.7              0       2\n") !=
        std::string::npos);
  CHECK(s.table.find("\n  L2      65536     65536         -\n") != std::string::npos);
  CHECK(s.json.find(R"({"unit":"CSTL","engine":1,"index":0,"tasks":1,"busy":2,)"
                    R"("idle":{"endloop":12},"idle_at_end":0})") != std::string::npos);
  CHECK(s.json.find(R"({"memory":"L1[1]","peak":0,"declared":16384,"capacity":null})") !=
        std::string::npos);
}

TEST_CASE("vm/nem/timing: loops of one name have keys of their own in traces", "[vm_nem]") {
  const schedule s = simulate(
      "buffer S : L2 (size=64)\nloop i in [1..2]:\nloop i in [3..3]:\nloop i in [4..4]:\n"
      "t = transfer.async(dst=region(S, 0, 16), src=region(S, 16 * i - 48, 16))\n"
      "endloop\nendloop\nendloop\n");
  CHECK(s.trace.find(R"("iteration.i":2,"iteration.i'":3,"iteration.i''":4,)") !=
        std::string::npos);
}

namespace {

/// A program with a loop, whose transfer is the statement of all tasks that are recorded below.
struct recorded_program {
  std::string source =
      "buffer S : L2 (size=64)\nbuffer D : L2 (size=64)\nloop i in [0..1]:\n"
      "t = transfer.async(dst=region(D, 0, 64), src=region(S, 0, 64))\nendloop\n";
  nem::program p = *nem_test::verify(*nem_test::read(source));
  std::uint32_t node = [this] {
    std::uint32_t i = 0;
    while (p.model().nodes[i].kind != nem::node_kind::transfer) ++i;
    return i;
  }();

  /// Records a task of `bytes` bytes in iteration `i`.
  void record(inspect::timeline_recorder& to, std::uint32_t task, std::int64_t i,
              std::uint64_t bytes, const placement& at) const {
    vm::nem::tensor x;
    x.extent = static_cast<std::int64_t>(bytes);
    const vm::nem::touched_buffer buffer{0, nem::level::l2, -1, 64};
    vm::nem::instance t;
    t.task.index = task;
    t.task.node = node;
    t.task.token = p.model().nodes[node].value;
    t.task.opcode = t.what.opcode = nem::opcode::transfer;
    t.what.inputs = t.what.outputs = {&x, 1};
    t.buffers = {&buffer, 1};
    t.iteration = {&i, 1};
    to(t, at);
  }
};

}  // namespace

TEST_CASE("vm/nem/timing: records keep numbers of any size", "[vm_nem]") {
  const recorded_program of;
  inspect::timeline_recorder seen(of.p, of.source);
  std::uint64_t state = 1;
  const auto number = [&state](unsigned bits) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state ^ state >> 29) >> (64 - bits) >> (state >> 40) % bits;
  };
  std::string expected;
  for (int n = 0; n < 2000; ++n) {
    placement at;
    at.unit = static_cast<nem::unit>(number(2));
    at.engine = static_cast<std::int64_t>(number(63)) - 1;
    at.index = static_cast<std::uint32_t>(number(32));
    at.issued = number(64);
    at.ready = number(64);
    at.start = number(64);
    at.end = number(64);
    at.why = static_cast<cause>(number(3));
    at.held = number(64);
    const auto task = static_cast<std::uint32_t>(number(32));
    const auto i = static_cast<std::int64_t>(number(64));
    const std::uint64_t bytes = number(63);
    of.record(seen, task, i, bytes, at);
    expected += std::to_string(task) + ",transfer,t,4,i=" + std::to_string(i) + "," +
                std::string(name(at.unit)) + "[" + std::to_string(at.index) + "],";
    if (at.engine >= 0) expected += std::to_string(at.engine);
    for (const std::uint64_t time : {at.issued, at.ready, at.start, at.end})
      expected += "," + std::to_string(time);
    expected += "," + std::string(vm::nem::cause_names[static_cast<std::size_t>(at.why)]) + "," +
                std::to_string(bytes) + ",0,0\n";
  }
  text out;
  seen.append_csv(out);
  const std::string_view rows = out.view().substr(out.view().find('\n') + 1);
  CHECK(rows == expected);
}

TEST_CASE("vm/nem/timing: a trace of any length takes little memory", "[vm_nem]") {
  const recorded_program of;
  inspect::timeline_recorder seen(of.p, of.source);
  constexpr std::uint32_t tasks = 20000;
  timing_report report;
  report.units.resize(1);
  report.units[0].unit = nem::unit::dma;
  {
    const tessera_tests::allocations used;
    for (std::uint32_t n = 0; n < tasks; ++n) {
      placement at;
      at.unit = nem::unit::dma;
      at.index = 0;
      at.issued = at.ready = 1000000 + 6 * n;
      at.start = at.ready + 1;
      at.end = at.start + 6;
      at.why = cause::unit;
      of.record(seen, n, n, 64, at);
    }
    CHECK(used.peak() < 24 * tasks + 10000);
  }
  text whole;
  seen.append_trace(whole, report);
  CHECK(whole.size() > 200 * tasks);

  std::string all;
  std::size_t largest = 0, calls = 0;
  const auto take = [&](text& piece) {
    largest = std::max(largest, piece.size());
    ++calls;
    all += piece.view();
    piece.clear();
    return true;
  };
  text rest;
  seen.append_trace(rest, report, take);
  all += rest.view();
  CHECK(all == whole.view());
  CHECK(calls > tasks / 1000);
  CHECK(largest < 66000);
  whole.clear();
  all.clear();
  seen.append_csv(whole);
  text rows;
  seen.append_csv(rows, take);
  CHECK(all + std::string(rows.view()) == whole.view());
  {
    const auto forget = [](text& piece) { return piece.clear(), true; };
    text out;
    const tessera_tests::allocations used;
    seen.append_trace(out, report, forget);
    CHECK(used.peak() < 34 * tasks + 300000);  // the counter of tokens is sorted
  }
  // Who wants no more isn't asked again.
  calls = 0;
  const auto enough = [&](text& piece) { return piece.clear(), ++calls == 0; };
  rest.clear();
  seen.append_trace(rest, report, enough);
  CHECK(rest.empty());
  seen.append_csv(rest, enough);
  CHECK(rest.empty());
  CHECK(calls == 2);
}

TEST_CASE("vm/nem/timing: a timed run of many tasks takes little memory", "[vm_nem]") {
  constexpr std::uint32_t tasks = 12000;
  std::string source =
      "buffer A : L2 (size=64)\nbuffer B : L2 (size=64)\n"
      "let x = region(A, 0, 64) elem=i8, shape=[64], layout=C\n"
      "let y = region(B, 0, 64) elem=i8, shape=[64], layout=C\n";
  for (std::uint32_t n = 0; n < tasks; n += 2)
    source += "relu.sync in x out y\nstore.sync(dst=region(B, 0, 64), src=x)\n";
  const nem::program p = *nem_test::verify(*nem_test::read(source));
  vm::nem::machine machine(p);
  vm::nem::timeline when(p);
  const tessera_tests::allocations used;
  const vm::nem::outcome done = machine.run(nullptr, &when);
  REQUIRE(done);
  CHECK(done.tasks == tasks);
  CHECK(used.peak() < 520 * tasks);  // all of them are kept
}

TEST_CASE("vm/nem/timing: the machine in time gives the same bytes, and the same times",
          "[vm_nem]") {
  for (const char* const name :
       {"two_engines", "attention", "gemm_blocked", "convolution_ping_pong"}) {
    CAPTURE(name);
    std::ifstream in(TESSERA_TESTS_DATA_DIR "/nem/programs/" + std::string(name) + ".nem",
                     std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    auto d = nem_test::read(source);
    REQUIRE(d);
    nem::verify_options options;
    options.resolver.open = open_device;
    const auto p = nem_test::verify(std::move(*d), options);
    REQUIRE(p);
    std::vector<placement> placed;
    const auto note = [&](const vm::nem::instance& t, const placement& at) {
      if (t.task.index >= placed.size()) placed.resize(t.task.index + 1);
      placed[t.task.index] = at;
    };
    vm::nem::timeline when(*p, {}, note);
    vm::nem::machine plain(*p), timed(*p);
    for (vm::nem::machine* const m : {&plain, &timed})
      for (const vm::nem::place& b : m->buffers()) {
        // Halves of small numbers, so that floats of them are numbers too.
        std::vector<std::byte> bytes(b.size);
        for (std::size_t i = 0; i < bytes.size(); ++i)
          bytes[i] = static_cast<std::byte>(i % 2 == 0 ? i * 37 : 0x30 + i % 8);
        REQUIRE(m->bind(b, bytes));
      }
    CHECK(plain.run().code == errc::ok);
    CHECK(timed.run(nullptr, &when).code == errc::ok);
    for (std::size_t i = 0; i < plain.buffers().size(); ++i) {
      const auto a = plain.bytes(plain.buffers()[i]), b = timed.bytes(timed.buffers()[i]);
      CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
    const schedule s = simulate(source);
    const timing_report r = when.report();
    CHECK(r.cycles == s.report.cycles);
    CHECK(r.max_live_tokens == s.report.max_live_tokens);
    CHECK(r.stalls == s.report.stalls);
    CHECK(r.memories.size() == s.report.memories.size());
    REQUIRE(placed.size() == s.tasks.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
      CHECK(placed[i].unit == s.tasks[i].unit);
      CHECK(placed[i].engine == s.tasks[i].engine);
      CHECK(placed[i].index == s.tasks[i].index);
      CHECK(placed[i].start == s.tasks[i].start);
      CHECK(placed[i].end == s.tasks[i].end);
    }
  }
}

TEST_CASE("vm/nem/timing: the unit that is free first, as a search of all of them finds it",
          "[vm_nem]") {
  const auto d = nem_test::read(device("3", "NMU = 1 CSTL = 4 DMA = 2 VPU = 1"));
  REQUIRE(d);
  const auto p = nem_test::verify(nem::model(*d));
  REQUIRE(p);
  vm::nem::timeline when(*p);
  struct unit {
    std::uint64_t free = 0;
    std::int64_t engine = 0, index = 0;
  };
  std::vector<unit> units;
  for (std::int64_t e = 0; e < 3; ++e)
    for (std::int64_t i = 0; i < 4; ++i) units.push_back({0, e, i});
  std::uint32_t random = 1;
  const auto next = [&random](std::uint32_t below) {
    random = random * 1664525u + 1013904223u;
    return (random >> 16) % below;
  };
  std::uint64_t now = 0, last = 0, waited = 0;
  for (std::uint32_t k = 0; k < 3000; ++k) {
    // A third on no engine, a third bound to an index, which may be beyond the last.
    const std::int64_t size = 1 + static_cast<std::int64_t>(next(4096));
    const std::int64_t shape[] = {size};
    vm::nem::tensor operands[2];
    for (vm::nem::tensor& t : operands) t.shape = shape;
    vm::nem::instance task;
    task.task.opcode = task.what.opcode = nem::opcode::relu;
    task.what.inputs = std::span(operands).first(1);
    task.what.outputs = std::span(operands).last(1);
    task.task.engine = next(3) == 0 ? -1 : static_cast<std::int64_t>(next(3));
    const bool is_bound = next(3) == 0;
    if (is_bound) {
      task.task.unit = nem::unit::cstl;
      task.task.unit_index = next(9);
    }
    now += next(3);
    unit* best = nullptr;
    for (unit& u : units) {
      if (task.task.engine >= 0 && u.engine != task.task.engine) continue;
      if (is_bound && u.index != task.task.unit_index % 4) continue;
      if (best == nullptr || u.free < best->free) best = &u;
    }
    const std::uint64_t start = std::max(now, best->free);
    best->free = start + (static_cast<std::uint64_t>(size) + 255) / 256 + 1;
    last = std::max(last, best->free);
    waited += start - now;
    const placement at = when.place(task, {k, now, now, cause::none});
    CAPTURE(k);
    REQUIRE(at.unit == nem::unit::cstl);
    REQUIRE(at.engine == best->engine);
    REQUIRE(std::int64_t{at.index} == best->index);
    REQUIRE(at.start == start);
    REQUIRE(at.end == best->free);
  }
  CHECK(when.report().cycles == last);
  CHECK(when.report().stalls[static_cast<std::size_t>(cause::unit)] == waited);
  CHECK(waited != 0);
}

TEST_CASE("vm/nem/timing: a dry run takes the same time and computes nothing", "[vm_nem]") {
  const auto d = nem_test::read(
      "buffer x : DDR (size=4096)\nbuffer y : L1[0] (size=4096)\n"
      "loop i in [0..3] @max_in_flight(2):\n"
      "  t = transfer.async(dst=region(y, i * 1024, 1024), src=region(x, i * 1024, 1024))\n"
      "  r = div.async in region(y, i * 1024, 1024) elem=i32, shape=[256], layout=C,\n"
      "    region(y, i * 1024, 1024) elem=i32, shape=[256], layout=C\n"
      "    out region(y, i * 1024, 1024) elem=i32, shape=[256], layout=C deps=[t]\nendloop\n");
  REQUIRE(d);
  const auto p = nem_test::verify(nem::model(*d));
  REQUIRE(p);
  std::vector<std::byte> ones(4096, std::byte{1});
  const auto run = [&](bool is_dry, vm::nem::timeline& when, std::vector<std::byte>& y) {
    vm::nem::machine m(*p, {.is_dry = is_dry});
    CHECK(m.bind(*m.find("x"), ones));
    report found;
    const vm::nem::outcome done = m.run(&found, &when);
    CHECK(done);
    CHECK(done.tasks == 8);
    CHECK(found.diagnostics.empty());
    const auto bytes = m.bytes(*m.find("y"));
    y.assign(bytes.begin(), bytes.end());
  };
  vm::nem::timeline wet(*p), dry(*p);
  std::vector<std::byte> computed, untouched;
  run(false, wet, computed);
  run(true, dry, untouched);
  CHECK(dry.report().cycles == wet.report().cycles);
  CHECK(dry.report().tasks == wet.report().tasks);
  CHECK(computed != std::vector<std::byte>(4096));
  CHECK(untouched == std::vector<std::byte>(4096));
  // Nothing is divided by what nobody has loaded.
  vm::nem::machine m(*p, {.is_dry = true});
  CHECK(m.run());
  vm::nem::machine zeros(*p);
  CHECK(zeros.run().code == errc::nem_rt_div0);
}

TEST_CASE("vm/nem/timing: multiply-accumulates of an NMU, by the type of the weights", "[vm_nem]") {
  const auto d =
      nem_test::read(device("2", "NMU = 1 CSTL = 1", "NMU { fp16_macs = 512 int8_macs = 1024 }"));
  REQUIRE(d);
  const auto p = nem_test::verify(nem::model(*d));
  REQUIRE(p);
  using nem::element;
  const timing_profile costs;
  const auto rate = [&](element e) {
    return vm::nem::macs_per_cycle(costs, p->catalog(), p->target(), e);
  };
  CHECK(rate(element::f16) == 512);
  CHECK(rate(element::bf16) == 512);
  CHECK(rate(element::u8) == 1024);
  CHECK(rate(element::i4) == 4096);
  CHECK(rate(element::f32) == 4096);
  CHECK(vm::nem::macs_per_cycle(costs, p->catalog(), nullptr, element::f16) == 4096);
}
