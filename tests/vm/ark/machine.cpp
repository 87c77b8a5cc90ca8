// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine as a whole: memory, overlaps, traps, budgets, what runs leave, what models get
// and give, and several ranks.

#include "ark/samples.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "script.hpp"
#include "support/catch.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "vm/meter.hpp"

namespace {

using floats = std::vector<float>;
using whole = std::vector<std::int32_t>;
using run::script;
using tessera::errc;
using tessera::inspect::end_point;
using tessera::vm::ark::machine;

floats counting(std::size_t count) {
  floats out(count);
  std::iota(out.begin(), out.end(), 1.0f);
  return out;
}

}  // namespace

TEST_CASE("vm/ark: operations in place", "[vm_ark]") {
  script s;
  const int x = s.tensor("FP32", {2, 3});
  const int y = s.op("ScalarMul", {x}, {x}, R"({"Factor":{"FLOAT":2.0}})");
  const int z = s.op("Add", {y, y}, {y});
  const run::world w({s.text()});
  machine vm(w.get());
  w.write(vm, x, counting(6));
  REQUIRE(vm.run());
  CHECK(w.read<float>(vm, z) == floats{4, 8, 12, 16, 20, 24});
}

TEST_CASE("vm/ark: what is written where it is read counts as written after all reads",
          "[vm_ark]") {
  const std::string up = R"({"Factor":{"FLOAT":10.0}})";
  {  // forward and back by one element
    for (const std::int64_t from : {0, 1}) {
      script s;
      const int all = s.tensor("FP32", {6});
      const int in = s.tensor("FP32", {5}, 0, {{6}, {from}, {}});
      s.op("ScalarAdd", {in}, {s.tensor("FP32", {5}, 0, {{6}, {1 - from}, {}})}, up);
      s.op("Noop", {all}, {});
      const run::world w({s.text()});
      machine vm(w.get());
      w.write(vm, all, counting(6));
      REQUIRE(vm.run());
      CHECK(w.read<float>(vm, all) ==
            (from == 0 ? floats{1, 11, 12, 13, 14, 15} : floats{12, 13, 14, 15, 16, 6}));
    }
  }
  {  // a row of what is written, broadcast
    script s;
    const int all = s.tensor("FP32", {3, 2});
    const int row = s.tensor("FP32", {1, 2}, 0, {{3, 2}, {1, 0}, {}});
    s.op("Add", {all, row}, {all});
    const run::world w({s.text()});
    machine vm(w.get());
    w.write(vm, all, counting(6));
    REQUIRE(vm.run());
    CHECK(w.read<float>(vm, all) == floats{4, 6, 6, 8, 8, 10});
  }
  {  // turned over itself
    script s;
    const int x = s.tensor("FP32", {3, 3});
    s.op("Transpose", {x}, {x}, R"({"Permutation":{"DIMS":[1,0]}})");
    const run::world w({s.text()});
    machine vm(w.get());
    w.write(vm, x, counting(9));
    REQUIRE(vm.run());
    CHECK(w.read<float>(vm, x) == floats{1, 4, 7, 2, 5, 8, 3, 6, 9});
  }
  {  // a square
    for (const bool fast : {false, true}) {
      script s;
      const int x = s.tensor("FP32", {2, 2});
      s.op("Matmul", {x, x}, {x},
           R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})");
      const run::world w({s.text()});
      machine vm(w.get(), {.fast = fast});
      w.write(vm, x, counting(4));
      REQUIRE(vm.run());
      CHECK(w.read<float>(vm, x) == floats{7, 10, 15, 22});
    }
  }
  {  // the same bytes as another type
    script s;
    const int x = s.tensor("FP32", {4});
    const int y = s.op("Cast", {x}, {s.tensor("INT32", {4}, 0)});
    const int z = s.op("Cast", {y}, {s.tensor("INT8", {4}, 0)});
    const run::world w({s.text()});
    machine vm(w.get());
    w.write(vm, x, floats{1, -2, 3, 400});
    REQUIRE(vm.run());
    CHECK(w.read<std::int8_t>(vm, z) == std::vector<std::int8_t>{1, -2, 3, -112});
  }
}

TEST_CASE("vm/ark: padding stays as it is", "[vm_ark]") {
  script s;
  const int a = s.tensor("FP32", {2, 2}, s.buffer(), {{}, {}, {4, 4}});
  const int b = s.tensor("FP32", {2, 2}, s.buffer(), {{}, {}, {4, 4}});
  const int c = s.tensor("FP32", {2, 2}, s.buffer(), {{}, {}, {4, 4}});
  s.op("Matmul", {a, b}, {c},
       R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})");
  const std::string text = s.text();
  const run::world w({text});
  machine vm(w.get());
  std::vector<std::byte> seven(64, std::byte{7});
  REQUIRE(vm.memory(0, 2).size() == 64);
  std::copy(seven.begin(), seven.end(), vm.memory(0, 2).begin());
  w.write(vm, a, counting(4));
  w.write(vm, b, counting(4));
  REQUIRE(vm.run());
  CHECK(w.read<float>(vm, c) == floats{7, 10, 15, 22});
  std::size_t kept = 0;
  for (const std::byte v : vm.memory(0, 2)) kept += v == std::byte{7} ? 1u : 0u;
  CHECK(kept == 48);
}

TEST_CASE("vm/ark: buffers keep what they hold, until they are reset", "[vm_ark]") {
  script s;
  const int x = s.tensor("FP32", {2});
  const int y = s.op("ScalarAdd", {x}, {x}, R"({"Factor":{"FLOAT":1.0}})");
  const run::world w({s.text()});
  machine vm(w.get());
  CHECK(w.read<float>(vm, y) == floats{0, 0});
  REQUIRE(vm.run());
  REQUIRE(vm.run());
  CHECK(w.read<float>(vm, y) == floats{2, 2});
  vm.reset();
  CHECK(w.read<float>(vm, y) == floats{0, 0});
  machine moved = std::move(vm);
  REQUIRE(moved.run());
  CHECK(w.read<float>(moved, y) == floats{1, 1});
}

TEST_CASE("vm/ark: tensors that aren't there, and sizes that don't fit", "[vm_ark]") {
  script s;
  const int x = s.tensor("FP32", {2});
  s.op("Relu", {x}, {x});
  const run::world w({s.text()});
  machine vm(w.get());
  std::vector<std::byte> bytes(8);
  CHECK(vm.write(0, 0, bytes));
  CHECK_FALSE(vm.write(1, 0, bytes));
  CHECK_FALSE(vm.write(0, 2, bytes));
  CHECK_FALSE(vm.read(0, 0, std::span(bytes).first(7)));
  CHECK(vm.memory(0, 0).size() == 8);
  CHECK(vm.memory(0, 1).empty());
  CHECK(vm.memory(1, 0).empty());
}

TEST_CASE("vm/ark: traps name the operation, and write nothing", "[vm_ark]") {
  {
    script s;
    const int a = s.tensor("INT32", {3}), b = s.tensor("INT32", {3}), c = s.tensor("INT32", {3});
    const int one = s.op("Copy", {a}, {c});
    s.op("Div", {one, b}, {one});
    s.op("Noop", {one}, {});
    const run::world w({s.text()});
    machine vm(w.get());
    w.write(vm, a, whole{6, 7, 8});
    w.write(vm, b, whole{2, 0, 4});
    const auto done = vm.run();
    CHECK(done.code == errc::ark_division);
    CHECK((done.rank == 0 && done.node == 1 && done.op == 1));
    CHECK(done.steps == 64 + 8 * 3);
    CHECK(w.read<std::int32_t>(vm, one) == whole{6, 7, 8});
    w.write(vm, b, whole{2, 7, -4});
    REQUIRE(vm.run());
    CHECK(w.read<std::int32_t>(vm, one) == whole{3, 1, -2});
  }
  for (const std::int32_t row : {4, -5, 2147483647, -2147483647 - 1}) {
    script s;
    const int i = s.tensor("INT32", {2}), table = s.tensor("FP32", {4, 2}),
              y = s.tensor("FP32", {2, 2});
    s.op("Embedding", {i, table}, {y});
    const run::world w({s.text()});
    machine vm(w.get());
    w.write(vm, i, whole{1, row});
    w.write(vm, table, counting(8));
    const auto done = vm.run();
    CHECK(done.code == errc::ark_index);
    CHECK(w.read<float>(vm, y) == floats(4, 0.0f));
  }
}

TEST_CASE("vm/ark: a cache takes a token with each run", "[vm_ark]") {
  script s;
  const int token = s.tensor("FP32", {2, 1}), position = s.tensor("INT32", {1});
  const int cache = s.tensor("FP32", {3, 2, 1}), out = s.tensor("FP32", {2, 1});
  s.op("KvCacheSlot", {token, position}, {cache, position, out}, "{}", out);
  const run::world w({s.text()});
  machine vm(w.get());
  for (int i = 0; i < 3; ++i) {
    const auto v = static_cast<float>(i);
    w.write(vm, token, floats{v, v + 10});
    REQUIRE(vm.run());
    CHECK(w.read<float>(vm, out) == floats{v, v + 10});
    CHECK(w.read<std::int32_t>(vm, position) == whole{i + 1});
  }
  CHECK(w.read<float>(vm, cache) == floats{0, 10, 1, 11, 2, 12});
  CHECK(vm.run().code == errc::ark_index);
  CHECK(w.read<std::int32_t>(vm, position) == whole{3});
  w.write(vm, position, whole{-1});
  CHECK(vm.run().code == errc::ark_index);
}

TEST_CASE("vm/ark: steps and memory have limits, at n and n - 1", "[vm_ark]") {
  script s;
  const int x = s.tensor("FP32", {4, 8}), w8 = s.tensor("FP32", {8, 2}),
            y = s.tensor("FP32", {4, 2});
  const int product = s.op("Matmul", {x, w8}, {y},
                           R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})");
  s.op("ReduceSum", {product}, {s.tensor("FP32", {4})},
       R"({"Axis":{"INT":1},"KeepDim":{"BOOL":false}})");
  const run::world w({s.text()});
  machine vm(w.get());
  const std::uint64_t multiply = 64 + tessera::vm::product_steps(4, 2, 8, 2);
  const std::uint64_t all = multiply + 64 + 8 * (4 * 2);
  CHECK(vm.steps() == all);
  const auto over = vm.run({.max_steps = all - 1});
  CHECK(over.code == errc::budget_steps);
  CHECK((over.rank == 0 && over.node == 1 && over.op == 1));
  CHECK(over.text == "296 steps, with 295 of 295 left");
  CHECK(over.steps == 0);
  CHECK(vm.run({.max_steps = multiply - 1}).op == 0);
  CHECK(vm.run({.max_steps = all}).steps == all);
  const std::uint64_t memory = vm.memory();
  CHECK(machine(w.get(), {.max_memory = memory}).made());
  const machine small(w.get(), {.max_memory = memory - 1});
  CHECK(small.made().code == errc::budget_memory);
  CHECK(small.memory() == memory);
  machine refused(w.get(), {.max_memory = 100});
  CHECK(refused.run().code == errc::budget_memory);
  CHECK(refused.memory(0, 0).empty());
  std::vector<std::byte> bytes(128);
  CHECK_FALSE(refused.write(0, 0, bytes));
  refused.reset();
}

TEST_CASE("vm/ark: memory that nothing touches costs nothing", "[vm_ark]") {
  script s;  // 2 TiB, of which one page is used
  const int x = s.tensor("FP32", {1}, s.buffer(), {{std::int64_t{1} << 30}, {}, {}});
  const int y = s.op("ScalarAdd", {x}, {x}, R"({"Factor":{"FLOAT":1.0}})");
  const run::world w({s.text()});
  CHECK(machine(w.get(), {.max_memory = std::uint64_t{1} << 31}).made().code ==
        errc::budget_memory);
  machine vm(w.get(), {.max_memory = std::uint64_t{1} << 33});
  if (!vm.made()) return;  // the host has less
  REQUIRE(vm.run());
  CHECK(w.read<float>(vm, y) == floats{1});
}

TEST_CASE("vm/ark: what no machine runs is refused by name", "[vm_ark]") {
  script s;
  const int x = s.tensor("FP32", {2});
  s.op("Relu", {x}, {s.tensor("FP32", {2})});
  s.op("Frobnicate", {x}, {});
  const run::world w({s.text()});
  machine vm(w.get());
  CHECK(vm.made().code == errc::ark_unsupported);
  CHECK((vm.made().rank == 0 && vm.made().node == 1 && vm.made().op == 1));
  CHECK(vm.made().text == "Frobnicate");
  CHECK(vm.run().code == errc::ark_unsupported);
  // What is fused to a product of integers.
  const std::string turns = R"("TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false})";
  for (const bool scaled : {false, true}) {
    script t;
    t.op(scaled ? "MatmulScale" : "MatmulGelu",
         {t.tensor("INT32", {2, 2}), t.tensor("INT32", {2, 2})}, {t.tensor("INT32", {2, 2})},
         scaled ? R"({"Scale":{"FLOAT":2.0},)" + turns + "}" : "{" + turns + "}");
    const run::world whole({t.text()});
    CHECK(machine(whole.get()).made().code == errc::ark_unsupported);
  }
}

TEST_CASE("vm/ark: an observer sees operations in order, after each", "[vm_ark]") {
  script s;
  const int x = s.tensor("FP32", {1});
  const int y = s.op("ScalarAdd", {x}, {x}, R"({"Factor":{"FLOAT":1.0}})");
  s.op("Noop", {y}, {});
  s.op("ScalarMul", {y}, {y}, R"({"Factor":{"FLOAT":3.0}})");
  const run::world w({s.text()});
  machine vm(w.get());
  std::vector<std::uint32_t> ops;
  floats values;
  REQUIRE(vm.run({.max_steps = 1000}, [&](const tessera::vm::ark::event& at) {
    CHECK((at.rank == 0 && at.node == at.op));
    ops.push_back(at.op);
    values.push_back(w.read<float>(vm, x)[0]);
  }));
  CHECK(ops == std::vector<std::uint32_t>{0, 2});
  CHECK(values == floats{1, 3});

  struct both {
    std::string seen;
    void begin(const tessera::vm::ark::event& at) { seen += "(" + std::to_string(at.op); }
    void end(const tessera::vm::ark::event&) { seen += ")"; }
  } see;
  REQUIRE(vm.run({}, see));
  CHECK(see.seen == "(0)(2)");
  CHECK(vm.run({.max_memory = vm.memory() - 1}, see).code == errc::budget_memory);
  CHECK(see.seen == "(0)(2)");
}

TEST_CASE("vm/ark: inputs and outputs of a model", "[vm_ark]") {
  script s;
  const int x = s.tensor("FP32", {4, 2}), weight = s.tensor("FP32", {2, 2}),
            h = s.tensor("FP32", {4, 2});
  const int left = s.tensor("FP32", {4, 1}, 2, {{4, 2}, {0, 0}, {}});
  const int right = s.tensor("FP32", {4, 1}, 2, {{4, 2}, {0, 1}, {}});
  const std::string turn = R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})";
  const int product = s.op("Matmul", {x, weight}, {h}, turn);
  const int half = s.op("Relu", {left}, {s.tensor("FP32", {4, 1})});  // read again
  const int sum = s.op("Add", {half, right}, {s.tensor("FP32", {4, 1})});
  const int state = s.tensor("FP32", {1});
  const int counted = s.op("ScalarAdd", {state}, {state}, R"({"Factor":{"FLOAT":1.0}})");
  s.op("Noop", {sum}, {});
  (void)product;
  const run::world w({s.text()});
  const auto ids = [&w](const std::vector<end_point>& ends) {
    std::vector<int> out;
    for (const end_point& e : ends)
      out.push_back(static_cast<int>(w.get().rank(0).model().tensors[e.tensor].id));
    return out;
  };
  CHECK(ids(tessera::inspect::inputs(w.get())) == std::vector<int>{x, weight, state});
  CHECK(ids(tessera::inspect::outputs(w.get())) == std::vector<int>{sum, counted});
}
