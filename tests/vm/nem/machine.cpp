// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine of NEM: places, binding, what runs find and how they end.

#include "tessera/vm/nem.hpp"
#include "tessera/vm/nem_timing.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "runs.hpp"
#include "support/catch.hpp"

using namespace tessera;
using test::running;
using vm::nem::machine_options;
using octets = std::vector<std::uint8_t>;
using i8s = std::vector<std::int8_t>;

namespace {

constexpr std::string_view copy_of_16 = R"(
buffer x : DDR (size=16)
buffer y : L2 (size=16)
t = transfer.sync(dst=region(y, 0, 16), src=region(x, 0, 16))
)";

octets counted(std::size_t n) {
  octets b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint8_t>(i + 1);
  return b;
}

}  // namespace

TEST_CASE("vm/nem/machine: buffers and regions have places", "[vm_nem]") {
  running r(R"(
buffer x : DDR (size=64) @readonly
buffer near : L1[2] (size=128)
let a = region(x, 16, 24) elem=f32, shape=[2, 3], layout=MK
let same = a
let b = region(near, 8, 32) elem=i16, shape=[2, 4], strides=[8, 2] @materialized
let raw = region(x, 0, 7)
let size = 3
)");
  CHECK(r.machine.buffers().size() == 2);
  CHECK(r.machine.regions().size() == 4);
  const vm::nem::place &x = r.at("x"), &near = r.at("near"), &a = r.at("a"), &b = r.at("b");
  CHECK(x.is_buffer);
  CHECK(x.size == 64);
  CHECK(x.level == nem::level::ddr);
  CHECK(x.engine == -1);
  CHECK(x.flags == nem::flag_readonly);
  CHECK(near.buffer == 1);
  CHECK(near.engine == 2);
  CHECK(!a.is_buffer);
  CHECK(a.offset == 16);
  CHECK(a.size == 24);
  CHECK(a.element == nem::element::f32);
  CHECK(std::vector(a.shape.begin(), a.shape.end()) == std::vector<std::int64_t>{2, 3});
  CHECK(std::vector(a.strides.begin(), a.strides.end()) == std::vector<std::int64_t>{3, 1});
  CHECK(r.at("same").offset == 16);
  CHECK(r.at("same").name == "same");
  CHECK(std::vector(b.strides.begin(), b.strides.end()) == std::vector<std::int64_t>{8, 2});
  CHECK(b.flags == nem::flag_materialized);
  CHECK(r.at("raw").shape.empty());
  CHECK(r.at("raw").element == nem::element::none);
  CHECK(r.machine.find("size") == nullptr);
  CHECK(r.machine.find("nothing") == nullptr);
  // A region's bytes are its buffer's.
  r.bind("x", counted(64));
  CHECK(r.get<std::uint8_t>("a") == [] {
    octets all = counted(64);
    return octets(all.begin() + 16, all.begin() + 40);
  }());
  CHECK(!r.can_bind("a", counted(25)));
  CHECK(r.can_bind("a", octets{9}));
  CHECK(r.get<std::uint8_t>("x")[16] == 9);
}

TEST_CASE("vm/nem/machine: transfers copy, and a second run goes on from the first", "[vm_nem]") {
  running r(R"(
buffer x : DDR (size=8)
buffer y : L2 (size=12)
let a = region(x, 0, 8) elem=i8, shape=[8], layout=N
let b = region(y, 2, 8) elem=i8, shape=[8], layout=N
s = add.sync in a, b out b
)");
  r.bind("x", i8s{1, 2, 3, 4, 5, 6, 7, 127});
  r.machine.mark_bound(r.at("y"));
  CHECK(r.run().code == errc::ok);
  CHECK(r.get<std::int8_t>("y") == i8s{0, 0, 1, 2, 3, 4, 5, 6, 7, 127, 0, 0});
  const vm::nem::outcome again = r.run();
  CHECK(again.code == errc::ok);
  CHECK(again.tasks == 1);
  CHECK(r.get<std::int8_t>("y") == i8s{0, 0, 2, 4, 6, 8, 10, 12, 14, -2, 0, 0});
  CHECK(r.messages.empty());
}

TEST_CASE("vm/nem/machine: an observer sees tasks as they are executed", "[vm_nem]") {
  constexpr std::string_view source = R"(
buffer x : DDR (size=32)
buffer y : L2 (size=32)
loop i in [0..1]:
  transfer.sync(dst=region(y, i * 16, 16), src=region(x, i * 16, 16))
endloop
)";
  for (const auto order : {vm::nem::schedule::in_order, vm::nem::schedule::reverse}) {
    running r(source, {.schedule = order});
    r.machine.mark_bound(r.at("x"));
    struct {
      std::string seen;
      void begin(const vm::nem::event& at) {
        seen += std::to_string(at.task) + "[" + std::to_string(at.iteration[0]);
      }
      void end(const vm::nem::event& at) {
        CHECK(at.what->opcode == nem::opcode::transfer);
        seen += "]";
      }
    } both;
    CHECK(r.machine.run(nullptr, nullptr, {}, both));
    CHECK(both.seen == "0[0]1[1]");
    CHECK(r.machine.run(nullptr, nullptr, {.max_memory = 63}, both).code == errc::nem_rt_mem);
    CHECK(both.seen == "0[0]1[1]");
  }
}

TEST_CASE("vm/nem/machine: an observer stops a run, before a task or after it", "[vm_nem]") {
  constexpr std::string_view source = R"(
buffer x : DDR (size=64)
buffer y : L2 (size=64)
loop i in [0..3]:
  t = transfer.sync(dst=region(y, i * 16, 16), src=region(x, i * 16, 16))
endloop
)";
  struct stopper {
    vm::nem::machine& machine;
    std::uint32_t before, after;
    void begin(const vm::nem::event& at) {
      CHECK(machine.program().model().name(at.token) == "t");
      CHECK(machine.program().model().nodes[at.node].kind == nem::node_kind::transfer);
      if (at.task == before) machine.stop();
    }
    void end(const vm::nem::event& at) {
      if (at.task == after) machine.stop();
    }
  };
  for (const auto order : {vm::nem::schedule::in_order, vm::nem::schedule::random}) {
    running r(source, {.schedule = order});
    for (std::byte& b : r.machine.bytes(r.at("x"))) b = std::byte{1};
    r.machine.mark_bound(r.at("x"));
    const auto written = [&] {
      const std::span<const std::byte> y = r.machine.bytes(r.at("y"));
      return std::count(y.begin(), y.end(), std::byte{1});
    };
    stopper early{r.machine, 1, 9};
    vm::nem::outcome done = r.machine.run(nullptr, nullptr, {}, early);
    CHECK((done && done.was_stopped && done.tasks == 1 && written() == 16));
    stopper late{r.machine, 9, 1};
    done = r.machine.run(nullptr, nullptr, {}, late);
    CHECK((done && done.was_stopped && done.tasks == 2 && written() == 32));
    stopper never{r.machine, 9, 9};
    done = r.machine.run(nullptr, nullptr, {}, never);
    CHECK((done && !done.was_stopped && done.tasks == 4 && written() == 64));
  }
}

TEST_CASE("vm/nem/machine: buffers that don't fit are RT-MEM", "[vm_nem]") {
  machine_options how;
  how.max_memory = 31;
  running r(copy_of_16, how);
  CHECK(!r.machine.has_memory());
  CHECK(r.machine.bytes(r.at("x")).empty());
  CHECK(!r.can_bind("x", octets{1}));
  const vm::nem::outcome done = r.run();
  CHECK(done.code == errc::nem_rt_mem);
  CHECK(done.tasks == 0);
  CHECK(r.messages == "RT-MEM at 'buffer': with y the buffers need 32 bytes; the limit is 31\n");
  how.max_memory = 32;
  running fits(copy_of_16, how);
  CHECK(fits.machine.has_memory());
  CHECK(fits.run().code == errc::ok);

  // Sizes whose sum exceeds 64 bits.
  running huge(R"(
buffer x : DDR (size=9223372036854775807)
buffer y : DDR (size=9223372036854775807)
buffer z : DDR (size=9223372036854775807)
)",
               {.max_memory = ~std::uint64_t{0}});
  CHECK(!huge.machine.has_memory());
  CHECK(huge.run().code == errc::nem_rt_mem);
  CHECK(huge.messages.starts_with(
      sizeof(std::size_t) == 8
          ? "RT-MEM at 'buffer': with y the buffers need 18446744073709551614"
          : "RT-MEM at 'buffer': with x the buffers need 9223372036854775807 bytes; the system"));
}

TEST_CASE("vm/nem/machine: a division by zero ends the run", "[vm_nem]") {
  constexpr std::string_view source = R"(
buffer x : DDR (size=12)
buffer y : DDR (size=6)
buffer z : DDR (size=6)
loop i in [0..1]:
  t = div.sync
      in region(x, i * 6, 6) elem=i8, shape=[2, 3], layout=MN,
         region(z, 0, 6) elem=i8, shape=[2, 3], layout=MN
      out region(y, 0, 6) elem=i8, shape=[2, 3], layout=MN
endloop
)";
  const i8s dividends = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
  running r(source);
  r.bind("x", dividends);
  r.bind("z", i8s{1, 2, 3, 4, 0, 6});
  const vm::nem::outcome done = r.run();
  CHECK(done.code == errc::nem_rt_div0);
  CHECK(done.tasks == 0);
  CHECK(r.messages ==
        "RT-DIV0 at 't': div t divides by 0: element [1, 1] of its output has no value where i is "
        "0\n");

  machine_options how;
  how.keep_going = true;
  running on(source, how);
  on.bind("x", dividends);
  on.bind("z", i8s{1, 2, 3, 4, 0, 6});
  const vm::nem::outcome all = on.run();
  CHECK(all.code == errc::nem_rt_div0);
  CHECK(all.tasks == 2);
  CHECK(on.get<std::int8_t>("y") == i8s{70, 40, 30, 25, 0, 20});
  CHECK(on.messages == r.messages);  // once for the task
}

TEST_CASE("vm/nem/machine: an index outside of its axis ends the run", "[vm_nem]") {
  running r(R"(
buffer x : DDR (size=8)
buffer n : DDR (size=12)
buffer y : DDR (size=6)
gather.sync
    in region(x, 0, 8) elem=i8, shape=[4, 2], layout=MN,
       region(n, 0, 12) elem=i32, shape=[3], layout=N
    out region(y, 0, 6) elem=i8, shape=[3, 2], layout=MN
    axis=0
)");
  r.bind("x", i8s{1, 2, 3, 4, 5, 6, 7, 8});
  r.bind("n", std::vector<std::int32_t>{3, 0, 4});
  CHECK(r.run().code == errc::nem_rt_index);
  CHECK(r.messages ==
        "RT-INDEX at 'gather.sync': the gather task has index 4 for element [2, 0] of its output, "
        "and the axis has 4 elements\n");
}

TEST_CASE("vm/nem/machine: hosts execute compute, and report failures", "[vm_nem]") {
  constexpr std::string_view source = R"(
buffer x : DDR (size=16)
buffer y : DDR (size=4)
loop i in [0..3] @max_in_flight(4):
  loop k in [2..2]:
    t = compute.async
        in region(x, i * 4, 4) elem=i32, shape=[1], layout=N
        out region(y, i, 1) elem=i8, shape=[1], layout=N
        op="narrow"
  endloop
endloop
)";
  machine_options how;
  const auto host = [](const vm::nem::call& c, vm::nem::verdict& v) {
    if (c.op != "narrow") return false;
    c.outputs[0].data[0] = c.inputs[0].data[0];
    v.has_wrapped = std::to_integer<int>(c.inputs[0].data[0]) >= 7;
    return true;
  };
  how.host = host;
  running r(source, how);
  r.bind("x", std::vector<std::int32_t>{5, 6, 7, 8});
  CHECK(r.run().code == errc::ok);
  CHECK(r.get<std::int8_t>("y") == i8s{5, 6, 7, 8});
  CHECK(r.messages ==
        "RT-ACC at 't': compute t: a sum exceeds its 32-bit accumulator and wraps where i "
        "is 2 and k is 2\n");
  CHECK(r.warnings == 1);
  running none(source);
  none.bind("x", std::vector<std::int32_t>{5, 6, 7, 8});
  const vm::nem::outcome done = none.run();
  CHECK(done.code == errc::nem_rt_unsupported);
  CHECK(done.tasks == 0);
  CHECK(none.messages ==
        "RT-UNSUPPORTED at 't': compute t has op \"narrow\", which the machine does not "
        "support where i is 0 and k is 2\n");
  running on(source, {.keep_going = true});
  on.bind("x", std::vector<std::int32_t>{5, 6, 7, 8});
  on.bind("y", i8s{1, 2, 3, 4});
  CHECK(on.run().tasks == 4);
  CHECK(on.get<std::int8_t>("y") == i8s{0, 0, 0, 0});
}

TEST_CASE("vm/nem/machine: types without arithmetic are moved, not computed with", "[vm_nem]") {
  running moves(R"(
buffer x : DDR (size=16)
buffer y : DDR (size=16)
transfer.sync(dst=region(y, 0, 16) elem=f64, shape=[2], layout=N,
              src=region(x, 0, 16) elem=f64, shape=[2], layout=N)
)");
  moves.bind("x", counted(16));
  CHECK(moves.run().code == errc::ok);
  CHECK(moves.get<std::uint8_t>("y") == counted(16));

  running computes(R"(
buffer x : DDR (size=16)
buffer y : DDR (size=16)
t = maxpool.sync
    in region(x, 0, 16) elem=f64, shape=[1, 1, 2, 1], layout=NHWC
    out region(y, 0, 16) elem=f64, shape=[1, 1, 2, 1], layout=NHWC
    kernel_shape=[1, 1]
    pads=[0, 0, 0, 0]
    strides=[1, 1]
)");
  computes.bind("x", counted(16));
  CHECK(computes.run().code == errc::nem_rt_unsupported);
  CHECK(computes.messages ==
        "RT-UNSUPPORTED at 't': maxpool t has an operand of f64, which the machine does not "
        "support\n");
}

TEST_CASE("vm/nem/machine: bytes that nothing wrote are RT-UNINIT", "[vm_nem]") {
  running r(copy_of_16);
  r.bind("x", counted(5));
  CHECK(r.run().code == errc::ok);
  CHECK(r.messages ==
        "RT-UNINIT at 't': transfer t reads bytes [5, 16) of x, which were neither written nor "
        "bound\n");
  CHECK(r.warnings == 1);
  octets expected = counted(5);
  expected.resize(16);
  CHECK(r.get<std::uint8_t>("y") == expected);
  r.bind("x", counted(15));
  CHECK(r.run().code == errc::ok);
  CHECK(r.messages ==
        "RT-UNINIT at 't': transfer t reads byte 15 of x, which were neither written nor bound\n");
  r.machine.mark_bound(r.at("x"));
  CHECK(r.run().code == errc::ok);
  CHECK(r.messages.empty());

  // Tasks write; elements that are apart don't need what is between them.
  running strided(R"(
buffer x : DDR (size=8)
buffer y : L2 (size=8)
let even = region(y, 0, 7) elem=i8, shape=[4], strides=[2]
let source = region(x, 0, 4) elem=i8, shape=[4], layout=N
w = relu.sync in source out even
n = neg.sync in even out region(x, 4, 4) elem=i8, shape=[4], layout=N
t = transfer.sync(dst=region(x, 4, 3), src=region(y, 0, 3))
)");
  strided.bind("x", i8s{1, -2, 3, 4});
  CHECK(strided.run().code == errc::ok);
  CHECK(strided.messages ==
        "RT-UNINIT at 't': transfer t reads byte 1 of y, which were neither written nor bound\n");
  CHECK(strided.get<std::int8_t>("y") == i8s{1, 0, 0, 0, 3, 0, 4, 0});
  CHECK(strided.get<std::int8_t>("x") == i8s{1, -2, 3, 4, 1, 0, 0, -4});

  // Ranges that cross pages, reported at the first byte that is missing.
  running large(R"(
buffer x : DDR (size=20000)
buffer y : DDR (size=20000)
transfer.sync(dst=region(y, 0, 12000), src=region(x, 4000, 12000))
t = transfer.sync(dst=region(x, 0, 20000), src=region(y, 0, 20000))
)");
  large.bind("x", octets(16000, 1));
  CHECK(large.run().code == errc::ok);
  CHECK(large.messages ==
        "RT-UNINIT at 't': transfer t reads bytes [12000, 20000) of y, which were neither "
        "written nor bound\n");
}

TEST_CASE("vm/nem/machine: many separate ranges are as cheap as one", "[vm_nem]") {
  running r(R"(
buffer x : DDR (size=2)
buffer y : DDR (size=400000)
loop i in [0..19999]:
  transfer.sync(dst=region(y, (i * 7919 mod 20000) * 20, 2), src=region(x, 0, 2))
endloop
t = transfer.sync(dst=region(x, 0, 2), src=region(y, 399978, 2))
)",
            {.races = vm::nem::race_search::never}, test::without_hazards());
  r.machine.mark_bound(r.at("x"));
  CHECK(r.run().tasks == 20001);
  CHECK(r.messages ==
        "RT-UNINIT at 't': transfer t reads bytes [399978, 399980) of y, which were neither "
        "written nor bound\n");
}

TEST_CASE("vm/nem/machine: budgets end a run", "[vm_nem]") {
  constexpr std::string_view source = R"(
buffer x : DDR (size=16)
buffer y : L2 (size=16)
loop i in [0..9]:
  t = transfer.sync(dst=region(y, 0, 16), src=region(x, 0, 16))
endloop
)";
  running whole(source);
  whole.machine.mark_bound(whole.at("x"));
  const vm::nem::outcome done = whole.run();
  CHECK(done.code == errc::ok);
  CHECK(done.tasks == 10);
  // A task has two operands, and moves 16 bytes. The rest is the iterations'.
  const std::uint64_t task = 256 + 2 * 16 + 16 / 8, all = done.steps;
  REQUIRE(all % 10 == 0);
  const std::uint64_t each = all / 10;
  REQUIRE(each > 256 + task);
  for (const auto order :
       {vm::nem::schedule::in_order, vm::nem::schedule::reverse, vm::nem::schedule::random}) {
    running enough(source, {.schedule = order, .lookahead = 1});
    enough.limit.max_steps = all;
    enough.machine.mark_bound(enough.at("x"));
    CHECK(enough.run().steps == all);
    CHECK(enough.run().code == errc::ok);
    running one_less(source, {.schedule = order, .lookahead = 1});
    one_less.limit.max_steps = all - 1;
    one_less.machine.mark_bound(one_less.at("x"));
    const vm::nem::outcome ended = one_less.run();
    CHECK(ended.code == errc::budget_steps);
    CHECK(ended.steps == all - 2);
    CHECK(one_less.messages ==
          " at 't': the step budget is exhausted: this needs 2 steps, "
          "with 1 of " +
              std::to_string(all - 1) + " left where i is 9\n");
    running by_iteration(source, {.schedule = order});
    by_iteration.limit.max_steps = 3 * each;
    by_iteration.machine.mark_bound(by_iteration.at("x"));
    CHECK(by_iteration.run().code == errc::budget_steps);
    CHECK(by_iteration.messages.ends_with(" left where i is 3\n"));
  }
}

TEST_CASE("vm/nem/machine: few lines can't run for long", "[vm_nem]") {
  // 10^15 elements in two bytes.
  running reduction(R"(
buffer x : L2 (size=16)
buffer y : L2 (size=16)
let a = region(x, 0, 16) elem=f16, shape=[1000000000, 1000000], strides=[0, 0]
let b = region(y, 0, 2) elem=f16, shape=[1, 1], layout=MN
reduce_sum.sync
  in a
  out b
  axes=[0, 1]
  keepdims=true
)");
  vm::nem::outcome done = reduction.run();
  CHECK(done.code == errc::budget_steps);
  CHECK(done.tasks == 0);
  CHECK(done.steps < 1000);

  constexpr std::string_view loops[] = {R"(
loop i in [0..9223372036854775806]:
endloop
)",
                                        R"(
loop i in [0..999999999]:
  loop j in [0..999999999]:
  endloop
endloop
)",
                                        R"(
buffer x : L2 (size=16)
loop i in [0..999999999]:
  let a = region(x, 0, 16)
  let b = region(x, 0, 8)
endloop
)"};
  for (const std::string_view source : loops)
    for (const auto order :
         {vm::nem::schedule::in_order, vm::nem::schedule::reverse, vm::nem::schedule::random}) {
      running endless(source, {.schedule = order});
      endless.limit.max_steps = 1 << 20;
      done = endless.run();
      CHECK(done.code == errc::budget_steps);
      CHECK(done.steps > (1 << 20) - 1000);
      running timed(source, {.schedule = order});
      timed.limit.max_steps = 1 << 20;
      vm::nem::timeline when(timed.machine.program());
      done = timed.run(&when);
      CHECK(done.code == errc::budget_steps);
    }
}

TEST_CASE("vm/nem/machine: regions of loops are watched", "[vm_nem]") {
  running r(R"(
buffer x : DDR (size=40)
buffer y : L2 (size=10)
loop i in [0..3]:
  let from = region(x, i * 10, 10) elem=i8, shape=[5, 2], layout=MN
  let named = from
  loop k in [0..1]:
    let part = region(y, k * 5, 5)
    transfer.sync(dst=part, src=region(x, i * 10 + k * 5, 5))
  endloop
endloop
)");
  CHECK(r.machine.find("from") == nullptr);
  CHECK(r.machine.watch("from"));
  CHECK(r.machine.watch("from"));
  CHECK(r.machine.watch("named"));
  CHECK(r.machine.watch("part"));
  CHECK(r.machine.watch("x"));
  CHECK(!r.machine.watch("i"));
  CHECK(!r.machine.watch("nothing"));
  CHECK(r.machine.find("from") == nullptr);
  r.bind("x", counted(40));
  CHECK(r.run().code == errc::ok);
  CHECK(r.at("from").offset == 30);
  CHECK(r.at("from").size == 10);
  CHECK(r.at("from").name == "from");
  CHECK(std::vector(r.at("from").shape.begin(), r.at("from").shape.end()) ==
        std::vector<std::int64_t>{5, 2});
  CHECK(r.at("named").offset == 30);
  CHECK(r.at("part").offset == 5);
  CHECK(r.get<std::uint8_t>("part") == octets{36, 37, 38, 39, 40});
}

TEST_CASE("vm/nem/machine: operations get descriptors, orders and dense strides", "[vm_nem]") {
  struct seen {
    double scale;
    std::int64_t zero_point, stride;
    std::size_t axis, pair;
    bool is_deterministic;
  };
  std::vector<seen> calls;
  machine_options how;
  const auto host = [&](const vm::nem::call& c, vm::nem::verdict&) {
    const vm::nem::tensor& x = c.inputs[0];
    calls.push_back({x.quant->scale(1), x.quant->zero_point(1), x.strides[0], x.quant->axis,
                     x.quant->pair(3), c.is_deterministic});
    return true;
  };
  how.host = host;
  constexpr std::string_view source = R"(
buffer x : DDR (size=24)
buffer y : DDR (size=24)
let a = region(x, 0, 24) elem=i8, shape=[2, 3, 4], layout=NMK,
    quant=per_group(axis=2, group_size=2, scales=[0.1, 0.7], zero_points=[3, -4])
let b = region(y, 0, 24) elem=i8, shape=[2, 3, 4], layout=NMK
loop i in [0..0] @deterministic:
  compute.sync in a out b op="first"
endloop
compute.sync in a out b op="second"
compute.sync in a out b op="third" @deterministic
)";
  for (const auto order : {vm::nem::schedule::in_order, vm::nem::schedule::random}) {
    calls.clear();
    how.schedule = order;
    running r(source, how, test::without_hazards());
    r.machine.mark_bound(r.at("x"));
    CHECK(r.run().code == errc::ok);
    REQUIRE(calls.size() == 3);
    for (const seen& s : calls) {
      CHECK(s.scale == double{0.7f});
      CHECK(s.zero_point == -4);
      CHECK(s.stride == 12);
      CHECK(s.axis == 2);
      CHECK(s.pair == 1);
    }
    CHECK(calls[0].is_deterministic);
    CHECK(!calls[1].is_deterministic);
    CHECK(calls[2].is_deterministic);
  }
}

TEST_CASE("vm/nem/machine: iterations that weren't verified are checked", "[vm_nem]") {
  nem::verify_options few;
  few.max_instances = 4;
  const std::string bounds = R"(
buffer x : DDR (size=100)
buffer y : DDR (size=10)
loop i in [0..99]:
  let r = region(x, (i / 50) * (99 - i) * 10, 10)
  t = transfer.sync(dst=region(y, 0, 10), src=r)
endloop
)";
  running r(bounds, {}, few);
  r.machine.mark_bound(r.at("x"));
  const vm::nem::outcome done = r.run();
  CHECK(done.code == errc::nem_reg_003_bounds);
  CHECK(done.tasks == 50);
  CHECK(r.messages ==
        "REG-003 at 'region': 10 bytes from 490 on extend past the end of buffer x of 100 bytes "
        "where i is 50 | x is "
        "declared here\n");

  const std::string shapes = R"(
buffer x : DDR (size=100)
buffer y : DDR (size=100)
loop i in [0..99]:
  t = relu.sync
      in region(x, 0, 100) elem=i8, shape=[100 - (i / 50) * (99 - i)], layout=N
      out region(y, 0, 100) elem=i8, shape=[100], layout=N
endloop
)";
  running wrong(shapes, {}, few);
  wrong.machine.mark_bound(wrong.at("x"));
  const vm::nem::outcome ended = wrong.run();
  CHECK(ended.code == errc::nem_shp_002_identical);
  CHECK(ended.tasks == 50);
}

TEST_CASE("vm/nem/machine: an output of another shape isn't written", "[vm_nem]") {
  nem::verify_options lenient;
  lenient.profile = nem::profile::upstream;
  running r(R"(
buffer x : DDR (size=100)
buffer y : DDR (size=100)
t = transpose.sync
    in region(x, 0, 4) elem=i8, shape=[2, 2], layout=MN
    out region(y, 0, 100) elem=i8, shape=[10, 10], layout=MN
    perm=[1, 0]
)",
            {.keep_going = true}, lenient);
  r.machine.mark_bound(r.at("x"));
  const vm::nem::outcome done = r.run();
  CHECK(done.code == errc::nem_rt_unsupported);
  CHECK(done.tasks == 0);
  CHECK(
      r.messages ==
      "RT-UNSUPPORTED at 'region': the output of transpose has shape [10, 10]; expected [2, 2]\n");
}

TEST_CASE("vm/nem/machine: a task reads all before it writes", "[vm_nem]") {
  // Verification finds the overlap, unless its steps are used up.
  running r(R"(
buffer x : DDR (size=12)
split.sync
    in region(x, 0, 8) elem=i8, shape=[8], layout=N
    out region(x, 8, 4) elem=i8, shape=[4], layout=N,
        region(x, 2, 4) elem=i8, shape=[4], layout=N
    axis=0
    split_sizes=[4, 4]
)",
            {.races = vm::nem::race_search::never}, test::without_hazards());
  r.bind("x", i8s{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(r.run().code == errc::ok);
  CHECK(r.get<std::int8_t>("x") == i8s{1, 2, 5, 6, 7, 8, 7, 8, 1, 2, 3, 4});
}
