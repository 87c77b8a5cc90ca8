// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/execution_plan/machine.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "io/npy.hpp"
#include "vm/nac/build.hpp"
#include "vm/tokenizer/expression.hpp"

using namespace vm_nac_tests;
using namespace std::string_view_literals;
using nac::plan_op;
using tessera::errc;
using vm::plan_value;
using kind = plan_value::kind;
namespace fs = std::filesystem;

namespace {

/// A container with a plan, which runs as often as wanted.
struct plan_case {
  builder container;
  nac::plan_writer plan{container.parts};
  vm::plan_options how;
  std::string out, err;

  std::unique_ptr<built> made;
  std::unique_ptr<vm::plan_machine> machine;
  vm::plan_outcome done;

  /// With a model of one input, x, that results in x + x and x - 2.
  plan_case() {
    const operand x = container.input();
    const operand twice = container.op("nac.add", {x, x});
    const operand less = container.op("nac.sub", {x, container.whole(2)});
    container.output({twice, less});
  }

  // Constants in slots.
  void set(std::int64_t slot, std::int64_t v) { source(slot, plan.int64(v)); }
  void set(std::int64_t slot, int v) { set(slot, std::int64_t{v}); }
  void set(std::int64_t slot, double v) { source(slot, plan.float64(v)); }
  void set(std::int64_t slot, bool v) { source(slot, plan.boolean(v)); }
  void set(std::int64_t slot, const char* v) { source(slot, plan.string(v)); }
  void set_list(std::int64_t slot, const std::vector<std::int32_t>& v) {
    source(slot, plan.int32_list({v.data(), v.size()}));
  }
  void set_list(std::int64_t slot, const std::vector<float>& v) {
    source(slot, plan.float32_list({v.data(), v.size()}));
  }
  /// A tensor of float32 in a slot.
  void set_tensor(std::int64_t slot, const std::vector<float>& v) {
    set_list(slot, v);
    plan.emit(plan_op::tensor_create, {slot, 0, 0, slot});
  }
  void source(std::int64_t slot, std::uint16_t id) { plan.emit(plan_op::src_constant, {slot, id}); }
  void print(std::int64_t slot) { plan.emit(plan_op::io_write, {slot, 0, 0, 0}); }

  void build() {
    const tessera::error e = plan.finish();
    REQUIRE(e.code == errc::ok);
    made = std::make_unique<built>(container.build());
  }
  vm::plan_outcome& run() {
    if (made == nullptr) build();
    how.out = [this](std::string_view s) { return out += s, true; };
    how.err = [this](std::string_view s) { return err += s, true; };
    machine = std::make_unique<vm::plan_machine>(*made->program, how);
    done = machine->run();
    return done;
  }
  /// The error that the plan so far ends with, at its last instruction.
  void fails(errc code) {
    const std::uint64_t size = plan.size();
    run();
    CAPTURE(done.text, tessera::error{done.code, 0}.message());
    CHECK(done.code == code);
    std::uint64_t last = 0;
    nac::plan_reader in(made->program->model().execution_plan());
    for (nac::plan_instruction i; in.next(i);) last = i.offset;
    CHECK(done.offset == last);
    CHECK(last < size);
  }
  [[nodiscard]] const plan_value& slot(std::uint8_t i) const { return machine->slot(i); }
  [[nodiscard]] std::vector<double> numbers(std::uint8_t i) const {
    REQUIRE((slot(i).is_tensor() || slot(i).is_list()));
    const vm::tensor& t = slot(i).elements();
    std::vector<double> all(t.size());
    vm::cast(t.type, t.data, nac::data_type::float64,
             static_cast<std::byte*>(static_cast<void*>(all.data())), t.size());
    return all;
  }
  [[nodiscard]] std::string shape(std::uint8_t i) const { return slot(i).elements().dims.text(); }
};

[[nodiscard]] std::vector<std::byte> from_hex(std::string_view s) {
  std::vector<std::byte> out;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == ' ') continue;
    out.push_back(static_cast<std::byte>(digit(s[i]) * 16 + digit(s[i + 1])));
    ++i;
  }
  return out;
}

[[nodiscard]] std::string contents(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& p, std::string_view s) { std::ofstream(p, std::ios::binary) << s; }

/// A run that writes "new" to a path; `mode` 0 anew, 1 at the end, 2 also, without a line end.
[[nodiscard]] vm::plan_outcome written(const std::string& folder, std::string_view path,
                                       std::int64_t mode,
                                       vm::file_access files = vm::file_access::folder) {
  plan_case c;
  c.set(0, "new");
  c.source(1, c.plan.string(path));
  c.plan.emit(plan_op::io_write, {0, 2, 1, mode});
  c.how.folder = folder;
  c.how.files = files;
  return c.run();
}

/// An empty folder, gone at the end.
struct folder {
  fs::path path;
  folder() {
    static int count = 0;
    path = fs::temp_directory_path() /
           ("tessera-plan-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    fs::remove_all(path);
    fs::create_directories(path);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { fs::remove_all(path); }
};

}  // namespace

// ---- programs as other runtimes run them

TEST_CASE("vm/execution_plan: the program with a loop, a break and a branch",
          "[vm_execution_plan]") {
  plan_case c;
  (void)c.plan.int64(3), (void)c.plan.int64(0), (void)c.plan.int64(1), (void)c.plan.int64(10);
  (void)c.plan.string("acc={}");
  c.build();
  const std::vector<std::byte> code = from_hex(
      "04000000 04010100 04020200 04030300 a000 6100010102 6802040103 a9040300 a1efff"
      "2a0504000101 6800060100 a8060500 f000000000 f005000000 ff");
  c.container.parts.plan = nac::parts::borrow({code.data(), code.size()});
  c.made = std::make_unique<built>(c.container.build());
  CHECK(c.run());
  CHECK(c.out == "acc=3\n");
  CHECK(c.done.instructions == 4 + 1 + 3 * 4 + 1 + 1 + 1 + 1 + 1);
  CHECK(c.done.offset == code.size() - 1);
  // One step fewer than it takes.
  c.how.max_steps = c.done.steps - 1;
  c.run();
  CHECK(c.done.code == errc::budget_steps);
  CHECK(c.done.offset == code.size() - 1);
}

TEST_CASE("vm/execution_plan: the program that runs a model", "[vm_execution_plan]") {
  const std::string mini = contents(fs::path(TESSERA_TESTS_DATA_DIR) / "nac/mini_v18.nac");
  const auto file = nac::read(tessera::as_bytes(std::string_view(mini)));
  REQUIRE(file);
  plan_case c;
  c.container.parts = nac::parts_of(*file);
  c.container.parts.plan_constants.clear();
  nac::plan_writer w(c.container.parts);
  const std::int32_t dims[] = {1, 3};
  (void)w.int32_list({dims, 2}), (void)w.int64(0), (void)w.int64(1);
  (void)w.string("r={:.3f} {:.3f}");
  const std::vector<std::byte> code = from_hex(
      "04000000 3001000200 800001010102 04030100 3b040203 3a020504 04030200 3b070203 3a020807"
      "2a06030002 0508 f006000000 ff");
  c.container.parts.plan = nac::parts::borrow({code.data(), code.size()});
  c.made = std::make_unique<built>(c.container.build());
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.out == "r=8.000 16.000\n");
}

TEST_CASE("vm/execution_plan: the outputs of a model are assigned one by one",
          "[vm_execution_plan]") {
  const std::string two = contents(fs::path(TESSERA_TESTS_DATA_DIR) / "nac/two_outputs.nac");
  const auto file = nac::read(tessera::as_bytes(std::string_view(two)));
  REQUIRE(file);
  plan_case c;
  c.container.parts = nac::parts_of(*file);
  c.made = std::make_unique<built>(c.container.build());
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.err == "[DEBUG] y1_0: -1.0\n");  // 1 - 2
  CHECK(c.numbers(2) == std::vector<double>{2, 2, 2});
  CHECK(c.numbers(3) == std::vector<double>{-1, -1, -1});
}

// ---- sources

TEST_CASE("vm/execution_plan: prompts take arguments first and then ask", "[vm_execution_plan]") {
  plan_case c;
  const auto q = c.plan.string("n? ");
  c.plan.emit(plan_op::src_user_prompt, {0, 0, q});
  c.plan.emit(plan_op::src_user_prompt, {1, 1, q});
  c.plan.emit(plan_op::src_user_prompt, {2, 2, q});
  c.how.answers = {"word", " +12 "};
  std::string asked;
  c.how.ask = [&](std::string_view s) {
    asked += s;
    return std::optional<std::string>("-1.5e1");
  };
  CHECK(c.run());
  CHECK(c.slot(0).as_text() == "word");
  CHECK(c.slot(1).as_whole() == 12);
  CHECK(c.slot(2).as_real() == -15);
  CHECK(c.out == "n? word\nn?  +12 \n");
  CHECK(asked == "n? ");
  c.how.ask = [](std::string_view) { return std::optional<std::string>(); };
  c.run();
  CHECK(c.done.code == errc::nac_plan_prompt);
  CHECK(c.done.offset == 10);
}

TEST_CASE("vm/execution_plan: answers that are no numbers", "[vm_execution_plan]") {
  for (const std::string_view answer : {"", "x", "1x", "1.5", "+-1", "9223372036854775808"}) {
    plan_case c;
    c.plan.emit(plan_op::src_user_prompt, {0, 1, c.plan.string("?")});
    c.how.answers = {std::string(answer)};
    c.fails(errc::nac_plan_answer);
  }
  plan_case c;
  c.plan.emit(plan_op::src_user_prompt, {0, 2, c.plan.string("?")});
  c.how.answers = {"one"};
  c.fails(errc::nac_plan_answer);
}

TEST_CASE("vm/execution_plan: constants of all types, the mode, arrays, slots",
          "[vm_execution_plan]") {
  plan_case c;
  c.source(0, c.plan.null());
  c.set(1, true);
  c.set(2, -7);
  c.set(3, 0.5);
  c.set(4, "text");
  c.set_list(5, std::vector<std::int32_t>{1, -2});
  c.set_list(6, std::vector<float>{0.5f, 2});
  c.plan.emit(plan_op::src_exec_mode, {7});
  c.plan.emit(plan_op::res_load_array, {8, c.plan.string("table")});
  c.plan.emit(plan_op::res_load_extern, {9, 1, c.plan.int64(5)});
  c.plan.emit(plan_op::sys_copy, {10, 5});
  c.plan.emit(plan_op::res_unload, {1, 5});
  c.plan.emit(plan_op::model_zero_grad, {0});
  auto& p = c.container.parts;
  const std::uint32_t dims[] = {2};
  const std::byte data[] = {std::byte{1}, std::byte{0}, std::byte{255}, std::byte{255}};
  const nac::range name = p.add_string("table");
  p.arrays.push_back({name, nac::data_type::int16, p.add_numbers({dims, 1}), p.keep({data, 4})});
  c.how.mode = "infer";
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.slot(0).is_null());
  CHECK(c.slot(1).as_boolean());
  CHECK(c.slot(2).as_whole() == -7);
  CHECK(c.slot(3).as_real() == 0.5);
  CHECK(c.slot(4).as_text() == "text");
  CHECK(c.slot(5).is_null());
  CHECK(c.numbers(6) == std::vector<double>{0.5, 2});
  CHECK(c.slot(7).as_text() == "infer");
  CHECK(c.numbers(8) == std::vector<double>{1, -1});
  CHECK(c.slot(9).as_whole() == 5);
  CHECK(c.numbers(10) == std::vector<double>{1, -2});
  plan_case none;
  none.plan.emit(plan_op::res_load_array, {8, none.plan.string("table")});
  none.fails(errc::nac_plan_array);
}

// ---- tensors

TEST_CASE("vm/execution_plan: tensors are created", "[vm_execution_plan]") {
  plan_case c;
  c.set(0, 2.75);
  c.plan.emit(plan_op::tensor_create, {1, 5, 0, 0});  // i64 of a number
  c.set_list(2, std::vector<std::int32_t>{3, 0, 300});
  c.plan.emit(plan_op::tensor_create, {3, 8, 0, 2});  // u8 of a list
  c.plan.emit(plan_op::tensor_create, {4, 0, 1, 0});  // arange(2.75)
  c.set_list(5, std::vector<std::int32_t>{2, 1});
  c.plan.emit(plan_op::tensor_create, {6, 2, 2, 5});  // ones of f16
  c.plan.emit(plan_op::tensor_create, {7, 9, 3, 5});  // zeros of bool
  c.plan.emit(plan_op::tensor_create, {8, 1, 0, 6});  // f64 of what has a shape
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.shape(1) == "[1, 1]");
  CHECK(c.numbers(1) == std::vector<double>{2});
  CHECK(c.slot(1).elements().type == nac::data_type::int64);
  CHECK(c.shape(3) == "[1, 3]");
  CHECK(c.numbers(3) == std::vector<double>{3, 0, 44});
  CHECK(c.shape(4) == "[1, 3]");
  CHECK(c.numbers(4) == std::vector<double>{0, 1, 2});
  CHECK(c.shape(6) == "[2, 1]");
  CHECK(c.slot(6).elements().type == nac::data_type::float16);
  CHECK(c.numbers(6) == std::vector<double>{1, 1});
  CHECK(c.numbers(7) == std::vector<double>{0, 0});
  CHECK(c.slot(8).elements().type == nac::data_type::float64);
  CHECK(c.shape(8) == "[2, 1]");
}

TEST_CASE("vm/execution_plan: tensors that can't be created", "[vm_execution_plan]") {
  const auto fails = [](errc code, std::int64_t how, const std::function<void(plan_case&)>& from) {
    plan_case c;
    from(c);
    c.plan.emit(plan_op::tensor_create, {1, 0, how, 0});
    c.fails(code);
  };
  fails(errc::nac_plan_slot, 0, [](plan_case& c) { c.set(0, "text"); });
  fails(errc::nac_plan_slot, 0, [](plan_case&) {});
  fails(errc::budget_memory, 1, [](plan_case& c) { c.set(0, INT64_MAX); });
  fails(errc::nac_plan_slot, 1, [](plan_case& c) { c.set(0, std::nan("")); });
  fails(errc::nac_plan_slot, 2, [](plan_case& c) { c.set(0, 1.5); });
  fails(errc::nac_run_shape, 2, [](plan_case& c) { c.set(0, -1); });
  fails(errc::nac_run_rank, 2,
        [](plan_case& c) { c.set_list(0, std::vector<std::int32_t>(17, 1)); });
  fails(errc::budget_memory, 3,
        [](plan_case& c) { c.set_list(0, std::vector<std::int32_t>(9, 0x7fffffff)); });
}

TEST_CASE("vm/execution_plan: tensors are padded, reshaped, joined and looked into",
          "[vm_execution_plan]") {
  plan_case c;
  c.set_tensor(0, {1, 2});
  c.set(1, 2);
  c.set(2, 9);
  c.plan.emit(plan_op::tensor_manipulate, {1, 3, 0, 1, 2});  // [[9, 9, 1, 2]]
  c.set(4, -1);
  c.plan.emit(plan_op::tensor_manipulate, {2, 5, 0, 4});  // [1, 2, 1]
  c.set(6, 0);
  c.plan.emit(plan_op::tensor_manipulate, {3, 7, 0, 6});  // [2]
  c.set_list(8, std::vector<std::int32_t>{5});
  c.plan.emit(plan_op::tensor_combine, {0, 9, 3, 7, 8, 7, 4});  // [1, 2, 5, 1, 2]
  c.plan.emit(plan_op::tensor_combine, {0, 10, 2, 0, 0, 6});    // [[1, 2], [1, 2]]
  c.plan.emit(plan_op::tensor_info, {0, 11, 5});                // (1, 2, 1)
  c.plan.emit(plan_op::tensor_info, {1, 12, 3, 4});             // 4
  c.set(13, 1);
  c.plan.emit(plan_op::tensor_extract, {14, 3, 1});  // [0, 2]: 1.0
  c.plan.emit(plan_op::tensor_info, {2, 15, 14});
  c.plan.emit(plan_op::tensor_extract, {16, 5, 13});          // rank 3: [2.0]
  c.plan.emit(plan_op::tensor_manipulate, {2, 17, 5, 6});     // [1, 1, 2, 1]
  c.plan.emit(plan_op::tensor_extract, {18, 17, 4});          // rank 4: [[1], [2]]
  c.plan.emit(plan_op::tensor_extract, {19, 9, 4});           // rank 1: 2.0
  c.plan.emit(plan_op::tensor_extract, {20, 11, 13});         // of a tuple: 2
  c.plan.emit(plan_op::tensor_combine, {0, 21, 2, 8, 7, 6});  // [5, 1, 2] of int64
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.shape(3) == "[1, 4]");
  CHECK(c.numbers(3) == std::vector<double>{9, 9, 1, 2});
  CHECK(c.shape(5) == "[1, 2, 1]");
  CHECK(c.shape(7) == "[2]");
  CHECK(c.numbers(9) == std::vector<double>{1, 2, 5, 1, 2});
  CHECK(c.slot(9).elements().type == nac::data_type::float32);
  CHECK(c.shape(10) == "[2, 2]");
  CHECK(c.numbers(10) == std::vector<double>{1, 2, 1, 2});
  CHECK(c.slot(11).what() == kind::tuple);
  CHECK(c.numbers(11) == std::vector<double>{1, 2, 1});
  CHECK(c.slot(12).as_whole() == 4);
  CHECK(c.slot(15).as_real() == 1);
  CHECK(c.shape(16) == "[1]");
  CHECK(c.numbers(16) == std::vector<double>{2});
  CHECK(c.shape(18) == "[2, 1]");
  CHECK(c.numbers(18) == std::vector<double>{1, 2});
  CHECK(c.shape(19) == "[]");
  CHECK(c.numbers(19) == std::vector<double>{2});
  CHECK(c.slot(20).as_whole() == 2);
  CHECK(c.slot(21).elements().type == nac::data_type::int64);
  CHECK(c.numbers(21) == std::vector<double>{5, 1, 2});
}

TEST_CASE("vm/execution_plan: tensors that don't fit", "[vm_execution_plan]") {
  const auto fails = [](errc code, plan_op op, std::initializer_list<std::int64_t> operands) {
    plan_case c;
    c.set_tensor(0, {1, 2});
    c.set_tensor(1, {1, 2, 3});
    c.set(2, -1);
    c.set(3, 2);
    c.set(4, INT64_MAX);
    c.set(5, "text");
    c.set(6, 0);
    c.plan.emit(op, operands);
    c.fails(code);
  };
  fails(errc::nac_run_argument, plan_op::tensor_manipulate, {1, 9, 0, 2, 3});
  fails(errc::nac_run_argument, plan_op::tensor_manipulate, {1, 9, 0, 4, 3});
  fails(errc::nac_run_axis, plan_op::tensor_manipulate, {1, 9, 3, 3, 3});
  fails(errc::nac_plan_slot, plan_op::tensor_manipulate, {1, 9, 5, 3, 3});
  fails(errc::nac_run_axis, plan_op::tensor_manipulate, {2, 9, 0, 4});
  fails(errc::nac_run_shape, plan_op::tensor_manipulate, {3, 9, 0, 2});
  fails(errc::nac_run_axis, plan_op::tensor_manipulate, {3, 9, 0, 3});
  fails(errc::nac_run_argument, plan_op::tensor_combine, {0, 9, 0, 2});
  fails(errc::nac_run_axis, plan_op::tensor_combine, {0, 9, 1, 3, 2});
  fails(errc::nac_run_shape, plan_op::tensor_combine, {0, 9, 2, 0, 1, 6});
  fails(errc::nac_run_shape, plan_op::tensor_combine, {0, 9, 2, 0, 3, 2});
  fails(errc::nac_run_index, plan_op::tensor_info, {1, 9, 0, 3});
  fails(errc::nac_plan_slot, plan_op::tensor_info, {2, 9, 0});
  fails(errc::nac_plan_slot, plan_op::tensor_info, {0, 9, 5});
  fails(errc::nac_run_index, plan_op::tensor_extract, {9, 0, 3});
  fails(errc::nac_plan_slot, plan_op::tensor_extract, {9, 3, 3});
  fails(errc::nac_plan_slot, plan_op::tensor_extract, {9, 0, 5});
}

// ---- arithmetic

TEST_CASE("vm/execution_plan: arithmetic of scalars is Python's", "[vm_execution_plan]") {
  plan_case c;
  c.set(0, 7);
  c.set(1, -2);
  c.set(2, 0.5);
  c.set(3, true);
  c.set(4, INT64_MAX);
  std::int64_t to = 10;
  const auto binary = [&](std::int64_t op, std::int64_t a, std::int64_t b) {
    c.plan.emit(plan_op::math_binary, {op, to++, a, b});
  };
  const auto unary = [&](std::int64_t op, std::int64_t a) {
    c.plan.emit(plan_op::math_unary, {op, to++, a});
  };
  binary(0, 0, 1), binary(1, 0, 1), binary(2, 0, 1), binary(3, 0, 1), binary(4, 1, 0);
  binary(5, 0, 1), binary(6, 0, 1), binary(0, 0, 2), binary(0, 3, 3), binary(0, 4, 3);
  binary(4, 1, 1), binary(6, 0, 2), binary(4, 0, 2);
  unary(0, 0), unary(1, 2), unary(2, 1), unary(3, 0), unary(4, 3), unary(5, 1), unary(3, 2);
  CHECK(c.run());
  INFO(c.done.text);
  const auto whole = [&](std::uint8_t i) {
    CHECK(c.slot(i).what() == kind::whole);
    return c.slot(i).as_whole();
  };
  const auto real = [&](std::uint8_t i) {
    CHECK(c.slot(i).what() == kind::real);
    return c.slot(i).as_real();
  };
  CHECK(whole(10) == 5);
  CHECK(whole(11) == 9);
  CHECK(whole(12) == -14);
  CHECK(real(13) == -3.5);
  CHECK(whole(14) == -128);
  CHECK(whole(15) == 7);
  CHECK(whole(16) == -2);
  CHECK(real(17) == 7.5);
  CHECK(whole(18) == 2);
  CHECK(whole(19) == INT64_MIN);
  CHECK(real(20) == 0.25);
  CHECK(real(21) == 0.5);
  CHECK(real(22) == Approx(2.6457513110645907));
  CHECK(real(23) == 1);
  CHECK(real(24) == Approx(0.7071067811865476));
  CHECK(whole(25) == 2);
  CHECK(whole(26) == -7);
  CHECK(real(27) == Approx(2.718281828459045));
  CHECK(real(28) == -0.5);
  CHECK(real(29) == -0.5);
}

TEST_CASE("vm/execution_plan: arithmetic of tensors broadcasts", "[vm_execution_plan]") {
  plan_case c;
  c.set_tensor(0, {1, 4});
  c.set(1, 2);
  c.set_list(2, std::vector<std::int32_t>{3, 5});
  for (std::int64_t op = 0; op < 7; ++op) c.plan.emit(plan_op::math_binary, {op, 10 + op, 0, 1});
  c.plan.emit(plan_op::math_binary, {1, 20, 1, 0});
  c.plan.emit(plan_op::math_binary, {0, 21, 0, 2});
  for (std::int64_t op = 0; op < 6; ++op) c.plan.emit(plan_op::math_unary, {op, 30 + op, 0});
  c.plan.emit(plan_op::math_aggregate, {0, 40, 0});
  for (std::int64_t op = 0; op < 4; ++op) c.plan.emit(plan_op::logic_compare, {op, 50 + op, 0, 1});
  c.plan.emit(plan_op::math_unary, {0, 60, 2});
  c.plan.emit(plan_op::tensor_extract, {61, 0, 70});
  CHECK_FALSE(c.run());
  CHECK(c.done.code == errc::nac_plan_slot);  // only the last one
  INFO(c.done.text);
  using row = std::vector<double>;
  CHECK(c.numbers(10) == row{3, 6});
  CHECK(c.numbers(11) == row{-1, 2});
  CHECK(c.numbers(12) == row{2, 8});
  CHECK(c.numbers(13) == row{0.5, 2});
  CHECK(c.numbers(14) == row{1, 16});
  CHECK(c.numbers(15) == row{2, 4});
  CHECK(c.numbers(16) == row{1, 2});
  CHECK(c.numbers(20) == row{1, -2});
  CHECK(c.slot(20).elements().type == nac::data_type::float32);
  CHECK(c.numbers(21) == row{4, 9});
  CHECK(c.numbers(30)[0] == Approx(1 / (1 + std::exp(3.0))));
  CHECK(c.numbers(30)[1] == Approx(1 / (1 + std::exp(-3.0))));
  CHECK(c.shape(30) == "[1, 2]");
  CHECK(c.numbers(31) == row{1, 2});
  CHECK(c.numbers(32) == row{1, 4});
  CHECK(c.numbers(33) == row{-1, -4});
  CHECK(c.numbers(34)[0] == Approx(std::exp(1.0)));
  CHECK(c.numbers(35) == row{1, 0.25});
  CHECK(c.numbers(40) == row{1});
  CHECK(c.numbers(50) == row{0, 0});
  CHECK(c.numbers(51) == row{1, 1});
  CHECK(c.numbers(52) == row{0, 1});
  CHECK(c.numbers(53) == row{1, 0});
  CHECK(c.numbers(60)[1] == Approx(1 / (1 + std::exp(-2.0))));
}

TEST_CASE("vm/execution_plan: comparisons of scalars, texts and null", "[vm_execution_plan]") {
  plan_case c;
  c.set(0, std::int64_t{9007199254740993});  // 2^53 + 1, which no double is
  c.set(1, 9007199254740992.0);
  c.set(2, "a");
  c.set(3, "b");
  c.source(4, c.plan.null());
  c.set(5, true);
  c.set(6, 1.0);
  c.set(7, std::nan(""));
  c.set(8, 1e300);
  std::int64_t to = 10;
  const auto compare = [&](std::int64_t op, std::int64_t a, std::int64_t b) {
    c.plan.emit(plan_op::logic_compare, {op, to++, a, b});
  };
  compare(0, 0, 1), compare(2, 0, 1), compare(3, 1, 0), compare(3, 2, 3), compare(0, 2, 2);
  compare(0, 4, 9), compare(0, 4, 5), compare(1, 2, 5), compare(0, 5, 6), compare(0, 7, 7);
  compare(1, 7, 7), compare(3, 0, 8), compare(2, 6, 5), compare(3, 6, 0), compare(2, 6, 0);
  CHECK(c.run());
  std::string all;
  for (std::uint8_t i = 10; i < to; ++i) {
    CHECK(c.slot(i).what() == kind::boolean);
    all += c.slot(i).as_boolean() ? '1' : '0';
  }
  CHECK(all == "011111011011010");
  plan_case bad;
  bad.set(0, "a");
  bad.set(1, 1);
  bad.plan.emit(plan_op::logic_compare, {2, 2, 0, 1});
  bad.fails(errc::nac_plan_slot);
}

// ---- choices

TEST_CASE("vm/execution_plan: the largest, in their order", "[vm_execution_plan]") {
  plan_case c;
  c.set_tensor(0, {1, 5, std::nanf(""), 5, -2});
  c.set(1, 3);
  c.plan.emit(plan_op::analysis_top_k, {0, 1, 2, 3});
  c.set(4, 9);
  c.set_list(5, std::vector<std::int32_t>{4, 6});
  c.plan.emit(plan_op::analysis_top_k, {5, 4, 6, 7});
  c.set(8, -1);
  c.plan.emit(plan_op::analysis_top_k, {5, 8, 9, 10});
  c.fails(errc::nac_run_argument);
  CHECK(c.numbers(2) == std::vector<double>{2, 1, 3});
  CHECK(std::isnan(c.numbers(3)[0]));
  CHECK(c.numbers(3)[1] == 5);
  CHECK(c.numbers(6) == std::vector<double>{1, 0});
  CHECK(c.numbers(7) == std::vector<double>{6, 4});
}

namespace {
/// How often each of the logits is chosen in 4000 rounds.
[[nodiscard]] std::vector<int> choices(const std::vector<float>& logits, double temperature, int k,
                                       std::uint64_t seed, std::string* order = nullptr) {
  plan_case c;
  c.set_tensor(0, logits);
  c.set(1, temperature);
  c.set(2, k);
  c.set(3, 4000);
  const auto again = c.plan.new_label();
  c.plan.emit(plan_op::flow_loop_start, {3});
  c.plan.place(again);
  c.plan.emit(plan_op::analysis_sample, {0, 1, 2, 4});
  c.plan.emit(plan_op::io_write, {4, 0, 0, 2});
  c.plan.emit(plan_op::flow_loop_end, {again});
  c.how.seed = seed;
  REQUIRE(c.run());
  std::vector<int> count(logits.size());
  for (const char d : c.out) ++count.at(static_cast<std::size_t>(d - '0'));
  if (order != nullptr) *order = c.out;
  return count;
}
}  // namespace

TEST_CASE("vm/execution_plan: samples follow only their probabilities and the seed",
          "[vm_execution_plan]") {
  std::string first, again, other;
  // e^0 : e^1 : e^2, of 4000: 360, 979, 2661; the deviation is at most 30.
  const std::vector<int> all = choices({0, 1, 2}, 1, 0, 7, &first);
  CHECK(std::abs(all[0] - 360) < 100);
  CHECK(std::abs(all[1] - 979) < 150);
  CHECK(std::abs(all[2] - 2661) < 150);
  CHECK(choices({0, 1, 2}, 1, 3, 7, &again) == all);
  CHECK(first == again);
  CHECK(choices({0, 1, 2}, 1, 0, 8, &other) != all);
  CHECK(first != other);
  // The first of the generator's numbers: the sequence is part of the contract.
  CHECK(first.substr(0, 20) == "02121222121222222102");
  // Twice as hot: e^0 : e^0.5 : e^1, 745, 1229, 2026.
  const std::vector<int> hot = choices({0, 1, 2}, 2, 0, 7);
  CHECK(std::abs(hot[0] - 745) < 130);
  CHECK(std::abs(hot[2] - 2026) < 160);
  CHECK(choices({0, 1, 2}, 1, 1, 7) == std::vector<int>{0, 0, 4000});
  CHECK(choices({0, 1, 2}, 1, 2, 7)[0] == 0);
  CHECK(choices({0, 1, 2}, 1e-300, 0, 7) == std::vector<int>{0, 0, 4000});
  CHECK(choices({0, -INFINITY, 0}, 0, 0, 7)[1] == 0);
  CHECK(choices({0, INFINITY, 0}, 0, 0, 7) == std::vector<int>{0, 4000, 0});
  for (const std::vector<float>& none :
       {std::vector<float>{-INFINITY}, std::vector<float>{1, NAN}, std::vector<float>{}}) {
    plan_case c;
    c.set_tensor(0, none);
    c.set(1, 1);
    c.plan.emit(plan_op::analysis_sample, {0, 1, 1, 4});
    c.fails(errc::nac_run_argument);
  }
}

// ---- flow

namespace {
/// A loop of a count around "x", in one of as many rounds around "o".
[[nodiscard]] std::string looped(const std::function<void(plan_case&)>& count, int outer = 1) {
  plan_case c;
  count(c);
  c.set(1, outer);
  c.set(2, "x");
  c.set(3, "o");
  const auto around = c.plan.new_label(), again = c.plan.new_label();
  c.plan.emit(plan_op::flow_loop_start, {1});
  c.plan.place(around);
  c.plan.emit(plan_op::io_write, {3, 0, 0, 2});
  c.plan.emit(plan_op::flow_loop_start, {0});
  c.plan.place(again);
  c.plan.emit(plan_op::io_write, {2, 0, 0, 2});
  c.plan.emit(plan_op::flow_loop_end, {again});
  c.plan.emit(plan_op::flow_loop_end, {around});
  CHECK(c.run());
  return c.out;
}
}  // namespace

TEST_CASE("vm/execution_plan: loops of any count", "[vm_execution_plan]") {
  CHECK(looped([](plan_case& c) { c.set(0, 2); }, 3) == "oxxoxxoxx");
  CHECK(looped([](plan_case& c) { c.set(0, 0); }, 2) == "oo");
  CHECK(looped([](plan_case& c) { c.set(0, -5); }) == "o");
  CHECK(looped([](plan_case& c) { c.set(0, 2.5); }) == "oxxx");
  CHECK(looped([](plan_case& c) { c.set(0, -0.5); }) == "o");
  CHECK(looped([](plan_case& c) { c.set(0, true); }) == "ox");
  CHECK(looped([](plan_case& c) { c.set_tensor(0, {2}); }) == "oxx");
  CHECK(looped([](plan_case& c) { c.set(0, 2); }, 0).empty());
  plan_case c;
  c.set(0, "two");
  const auto again = c.plan.new_label();
  c.plan.emit(plan_op::flow_loop_start, {0});
  c.plan.place(again);
  c.plan.emit(plan_op::flow_loop_end, {again});
  c.run();
  CHECK(c.done.code == errc::nac_plan_slot);
  CHECK(c.done.offset == 4);
}

TEST_CASE("vm/execution_plan: a break leaves the innermost loop", "[vm_execution_plan]") {
  plan_case c;
  c.set(0, 3);
  c.set(1, "i");
  c.set(2, true);
  const auto outer = c.plan.new_label(), inner = c.plan.new_label(), after = c.plan.new_label();
  c.plan.emit(plan_op::flow_loop_start, {0});
  c.plan.place(outer);
  c.plan.emit(plan_op::flow_loop_start, {0});
  c.plan.place(inner);
  c.plan.emit(plan_op::io_write, {1, 0, 0, 2});
  c.plan.emit(plan_op::flow_break_loop_if, {2, after});
  c.plan.emit(plan_op::flow_loop_end, {inner});
  c.plan.place(after);
  c.plan.emit(plan_op::flow_loop_end, {outer});
  CHECK(c.run());
  CHECK(c.out == "iii");
}

TEST_CASE("vm/execution_plan: a plan without end ends with its steps, or its loops",
          "[vm_execution_plan]") {
  plan_case c;
  c.set(0, true);
  const auto again = c.plan.new_label();
  c.plan.place(again);
  c.plan.emit(plan_op::flow_branch_if, {0, again});
  c.how.max_steps = 1000;
  c.fails(errc::budget_steps);
  CHECK(c.done.instructions == 1000 / (64 + 2 * 16));
  CHECK(c.done.steps == 1000 / 96 * 96);
  // Branches out of a loop leave its count.
  plan_case out;
  out.set(0, 2);
  const auto start = out.plan.new_label(), body = out.plan.new_label();
  out.plan.place(start);
  out.plan.emit(plan_op::flow_loop_start, {0});
  out.plan.place(body);
  out.plan.emit(plan_op::flow_branch_if, {0, start});
  out.plan.emit(plan_op::flow_loop_end, {body});
  out.run();
  CHECK(out.done.code == errc::budget_memory);
  CHECK(out.done.instructions == 2 * 65536 + 2);
}

TEST_CASE("vm/execution_plan: elements and text of endless loops are charged",
          "[vm_execution_plan]") {
  const auto rounds = [](const std::function<void(plan_case&)>& before,
                         const std::function<void(plan_case&)>& again) {
    plan_case c;
    c.set(0, std::int64_t{9'000'000'000});
    before(c);
    const auto start = c.plan.new_label();
    c.plan.emit(plan_op::flow_loop_start, {0});
    c.plan.place(start);
    again(c);
    c.plan.emit(plan_op::flow_loop_end, {start});
    c.how.max_steps = 1 << 22;
    c.run();
    CHECK(c.done.code == errc::budget_steps);
    CHECK(c.done.steps <= 1 << 22);
    CHECK(c.machine->arena().peak() < 1 << 22);
    return c.done.instructions;
  };
  const auto nothing = [](plan_case&) {};
  const auto tensor = [](plan_case& c) { c.set_tensor(1, std::vector<float>(10'000, 1)); };
  const auto text = [](plan_case& c) { c.set(1, std::string(10'000, 'x').c_str()); };
  CHECK(rounds(nothing, nothing) > 40'000);
  CHECK(rounds(tensor, [](plan_case& c) {
          c.plan.emit(plan_op::math_binary, {0, 1, 1, 1});
        }) < 400);
  CHECK(rounds(nothing, [](plan_case& c) {
          c.set_list(1, std::vector<std::int32_t>{100, 100});
          c.plan.emit(plan_op::tensor_create, {1, 0, 2, 1});
        }) < 2'000);
  // Numbers as text, strings joined to themselves, copied, compared, written.
  CHECK(rounds(tensor, [](plan_case& c) {
          c.plan.emit(plan_op::serialize_object, {2, 1, 0});
        }) < 100);
  CHECK(rounds(text, [](plan_case& c) {
          c.plan.emit(plan_op::string_format, {1, c.plan.string("{}{}"), 2, 1, 1});
        }) < 100);
  CHECK(rounds(nothing, text) < 10'000);
  CHECK(rounds(text, [](plan_case& c) {
          c.plan.emit(plan_op::logic_compare, {0, 2, 1, 1});
        }) < 10'000);
  CHECK(rounds([](plan_case& c) { c.set(1, ""); }, [](plan_case& c) { c.print(1); }) < 5'000);
}

TEST_CASE("vm/execution_plan: what is true", "[vm_execution_plan]") {
  const auto truth = [](const std::function<void(plan_case&)>& value) {
    plan_case c;
    value(c);
    const auto after = c.plan.new_label();
    c.plan.emit(plan_op::flow_branch_if, {0, after});
    c.set(1, 1);
    c.plan.place(after);
    c.run();
    if (!c.done) return std::string(c.done.code == errc::nac_plan_slot ? "slot" : "?");
    return std::string(c.slot(1).is_null() ? "true" : "false");
  };
  CHECK(truth([](plan_case&) {}) == "false");
  CHECK(truth([](plan_case& c) { c.set(0, false); }) == "false");
  CHECK(truth([](plan_case& c) { c.set(0, 0); }) == "false");
  CHECK(truth([](plan_case& c) { c.set(0, -0.0); }) == "false");
  CHECK(truth([](plan_case& c) { c.set(0, std::nan("")); }) == "true");
  CHECK(truth([](plan_case& c) { c.set(0, ""); }) == "false");
  CHECK(truth([](plan_case& c) { c.set(0, "0"); }) == "true");
  CHECK(truth([](plan_case& c) { c.set_list(0, std::vector<float>{}); }) == "false");
  CHECK(truth([](plan_case& c) { c.set_list(0, std::vector<float>{0}); }) == "true");
  CHECK(truth([](plan_case& c) { c.set_tensor(0, {0}); }) == "false");
  CHECK(truth([](plan_case& c) { c.set_tensor(0, {2}); }) == "true");
  CHECK(truth([](plan_case& c) { c.set_tensor(0, {1, 1}); }) == "slot");
}

TEST_CASE("vm/execution_plan: plans return values, halt and fall through", "[vm_execution_plan]") {
  plan_case c;
  c.set(0, 5);
  c.set(1, "a");
  c.plan.emit(plan_op::exec_return, {2, 1, 0});
  c.set(0, 6);
  CHECK(c.run());
  REQUIRE(c.done.returned.size() == 2);
  CHECK(c.done.returned[0].as_text() == "a");
  CHECK(c.done.returned[1].as_whole() == 5);
  CHECK(c.slot(0).as_whole() == 5);
  CHECK(c.done.instructions == 3);
  // The same again, from the beginning.
  CHECK(c.machine->run().returned.size() == 2);
  plan_case halt;
  halt.plan.emit(plan_op::exec_halt);
  halt.set(0, 6);
  CHECK(halt.run());
  CHECK(halt.slot(0).is_null());
  plan_case none;
  CHECK(none.run());
  CHECK(none.done.offset == 0);
}

// ---- models

TEST_CASE("vm/execution_plan: models take values of any numeric kind", "[vm_execution_plan]") {
  plan_case c;
  c.set_list(0, std::vector<std::int32_t>{1, 4});
  c.plan.emit(plan_op::model_run_static, {0, 1, 0, 1, 1});
  c.set(2, 5);
  c.plan.emit(plan_op::model_run_static, {0, 1, 2, 2, 3, 4});
  c.plan.emit(plan_op::tensor_info, {2, 5, 3});
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.numbers(1) == std::vector<double>{2, 8});
  CHECK(c.slot(5).as_whole() == 10);
  CHECK(c.done.instructions == 2 + 2 * (1 + 4) + 1 + 1 + 1 - 1);
  CHECK(c.machine->arena().live() < 10000);
}

TEST_CASE("vm/execution_plan: models that can't run", "[vm_execution_plan]") {
  const auto fails = [](errc code, std::initializer_list<std::int64_t> operands,
                        std::string_view text = {}) {
    plan_case c;
    c.set(0, 1);
    c.set(1, "text");
    c.plan.emit(plan_op::res_unload, {0, 3});
    c.plan.emit(plan_op::model_run_static, operands);
    c.fails(code);
    if (!text.empty()) CHECK(c.done.text == text);
  };
  fails(errc::nac_plan_model, {3, 1, 0, 0}, "model 3 isn't loaded");
  fails(errc::nac_plan_outputs, {0, 1, 0, 3, 5, 6, 7}, "slots for outputs: 3; expected at most 2");
  fails(errc::nac_plan_inputs, {0, 2, 0, 0, 0},
        "slots given: 2; expected at most 1, one per input");
  fails(errc::nac_run_input, {0, 0, 0});
  fails(errc::nac_plan_slot, {0, 1, 1, 0});
  plan_case c;
  c.plan.emit(plan_op::res_unload, {0, 0});
  c.plan.emit(plan_op::model_zero_grad, {0});
  c.fails(errc::nac_plan_model);
}

TEST_CASE("vm/execution_plan: inputs that are missing are those that were given, again",
          "[vm_execution_plan]") {
  plan_case c;
  c.container.parts.instructions.clear();
  c.container.parts.input_names.clear();
  c.container.parts.inputs = 0;
  const operand x = c.container.input(), y = c.container.input(), z = c.container.input();
  c.container.output({x, y, z});
  c.set(0, 1);
  c.set(1, 2);
  c.plan.emit(plan_op::model_run_static, {0, 2, 0, 1, 3, 2, 3, 4});
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.numbers(2) == std::vector<double>{1});
  CHECK(c.numbers(3) == std::vector<double>{2});
  CHECK(c.numbers(4) == std::vector<double>{1});
}

TEST_CASE("vm/execution_plan: a fault of a model has its place", "[vm_execution_plan]") {
  plan_case c;
  c.container.parts.instructions.clear();
  c.container.parts.input_names.clear();
  c.container.parts.inputs = 0;
  const operand x = c.container.input(), y = c.container.input();
  c.container.output({c.container.op("nac.add", {x, y})});
  c.set_tensor(0, {1, 2});
  c.set_tensor(1, {1, 2, 3});
  c.plan.emit(plan_op::model_run_static, {0, 2, 0, 1, 0});
  c.fails(errc::nac_run_shape);
  CHECK(c.done.text.substr(0, 24) == "model 0, instruction 2: ");
}

TEST_CASE("vm/execution_plan: a model's steps count as the plan's", "[vm_execution_plan]") {
  plan_case c;
  c.set(0, 1);
  c.plan.emit(plan_op::model_run_static, {0, 1, 0, 0});
  CHECK(c.run());
  CHECK(c.done.instructions == 1 + 1 + 4 + 1);
  c.how.max_steps = c.done.steps - 64 - 1;  // without the plan's end, and one
  c.run();
  CHECK(c.done.code == errc::budget_steps);
  CHECK(c.done.offset == 4);
  CHECK(c.done.instructions == 1 + 1 + 3);
  CHECK(c.done.text.find(" of " + std::to_string(c.how.max_steps) + " left") != std::string::npos);
}

TEST_CASE("vm/execution_plan: models by path, from a caller, and the one that is run",
          "[vm_execution_plan]") {
  const folder at;
  builder other;
  const operand x = other.input();
  other.output({other.op("nac.mul", {x, other.real(3)})});
  const built triple = other.build();
  put(at.path / "triple.nac", tessera::as_text({triple.bytes->data(), triple.bytes->size()}));
  put(at.path / "bad.nac", "NACx");
  const auto load = [&](plan_case& c, const char* path, int number) {
    c.plan.emit(plan_op::res_load_model, {number, c.plan.string(path)});
    c.set(0, 2);
    c.plan.emit(plan_op::model_run_static, {number, 1, 0, 1, 1});
    c.how.folder = at.path.string();
  };
  plan_case file;
  load(file, "triple.nac", 1);
  CHECK(file.run());
  INFO(file.done.text);
  CHECK(file.numbers(1) == std::vector<double>{6});
  plan_case given;
  load(given, "any", 0);
  given.how.files = vm::file_access::none;
  std::string asked;
  given.how.load = [&](std::string_view path) { return asked = path, triple.program.get(); };
  CHECK(given.run());
  CHECK(asked == "any");
  CHECK(given.numbers(1) == std::vector<double>{6});
  for (const char* const path : {"self.nac", "link.nac"}) {
    plan_case self;
    load(self, path, 2);
    self.build();
    put(at.path / "self.nac", "not read");
    fs::remove(at.path / "link.nac");
    fs::create_symlink("self.nac", at.path / "link.nac");
    self.how.path = (at.path / "self.nac").string();
    CHECK(self.run());
    CHECK(self.numbers(1) == std::vector<double>{4});
  }
  // Model 0 is the one that runs, whatever name it had; others are not, by that name.
  for (const char* const path : {"/elsewhere/self.nac", "", "-"}) {
    plan_case self;
    load(self, "bad.nac", 0);
    self.how.folder.clear();
    self.how.path = path;
    CHECK(self.run());
    CHECK(self.numbers(1) == std::vector<double>{4});
  }
  // Others stand beside it, whatever the current folder is.
  for (const bool named : {false, true}) {
    plan_case beside;
    load(beside, "triple.nac", 1);
    fs::create_directories(at.path / "empty");
    beside.how.folder = named ? (at.path / "empty").string() : "";
    beside.how.path = (at.path / "self.nac").string();
    CHECK(beside.run());
    INFO(beside.done.text);
    CHECK(beside.numbers(1) == std::vector<double>{6});
  }
  plan_case bad;
  bad.plan.emit(plan_op::res_load_model, {1, bad.plan.string("bad.nac")});
  bad.how.folder = at.path.string();
  bad.fails(errc::nac_version);
  plan_case missing;
  missing.plan.emit(plan_op::res_load_model, {1, missing.plan.string("missing.nac")});
  missing.how.folder = at.path.string();
  missing.fails(errc::nac_plan_file);
}

TEST_CASE("vm/execution_plan: external weights stand beside their model", "[vm_execution_plan]") {
  const folder at;
  builder other;
  const operand x = other.input();
  const operand p = other.parameter({2}, {10, 20});
  other.output({other.op("nac.add", {x, p})});
  const auto outside = nac::externalise(other.parts);
  REQUIRE(outside);
  const auto model = nac::write(outside->model);
  const auto weights = nac::write_safetensors(outside->weights);
  REQUIRE(model);
  REQUIRE(weights);
  put(at.path / "m.nac", tessera::as_text({model->data(), model->size()}));
  plan_case c;
  c.plan.emit(plan_op::res_load_model, {1, c.plan.string("m.nac")});
  c.set(0, 1);
  c.plan.emit(plan_op::model_run_static, {1, 1, 0, 1, 1});
  c.how.folder = at.path.string();
  c.run();
  CHECK(c.done.code == errc::nac_plan_file);
  CHECK(c.done.offset == 0);
  put(at.path / "m.safetensors", tessera::as_text({weights->data(), weights->size()}));
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.numbers(1) == std::vector<double>{11, 21});
}

TEST_CASE("vm/execution_plan: training is refused", "[vm_execution_plan]") {
  for (const std::string_view mode : {"infer_train", "train", "infer"}) {
    plan_case c;
    c.set(0, "x");
    c.print(0);
    c.plan.emit(plan_op::model_save_weights, {0, 0, 0});
    c.how.mode = mode;
    c.fails(errc::nac_plan_training);
    CHECK(c.done.text == "model_save_weights");
    CHECK(c.out == (mode == "infer" ? "x\n" : ""));
  }
  plan_case c;
  c.plan.emit(plan_op::model_train_step, {0, 0, 1, 0, 1, 1, 2, 3, 0, 0, 0});
  c.fails(errc::nac_plan_training);
  CHECK(c.done.instructions == 0);
}

// ---- tokenizers

TEST_CASE("vm/execution_plan: tokenizers encode, decode and know tokens", "[vm_execution_plan]") {
  plan_case c;
  auto& p = c.container.parts;
  const auto manifest = from_hex(
      "544953410103060000000100090100200407000000020243630243660100000000102200000003000203005c73"
      "2b01010d00283f3a203f295c5b434c535c5d0205005c707b507d0221030000000223233010000000030100055b"
      "434c535d00010102000000");
  p.manifest = p.keep({manifest.data(), manifest.size()});
  p.has_manifest = p.has_resources = true;
  std::string words;
  const std::string_view tokens[] = {"[UNK]", "[CLS]", "[SEP]", "he", "##llo", "world",
                                     "!",     "##l",   "##o",   "h",  "##e",   ","};
  const auto number = [&words](std::uint64_t v, int bytes) {
    for (; bytes-- != 0; v >>= 8) words += static_cast<char>(v & 255);
  };
  number(12, 4);
  std::size_t after = 0;
  for (const std::string_view t : tokens) {
    number(after, 4);
    after += t.size() + 10;
  }
  for (std::uint32_t i = 0; i < 12; ++i) {
    number(tokens[i].size(), 2);
    words += tokens[i];
    number(i, 4);
    number(0, 4);
  }
  const nac::range name = p.add_string("vocab.b");
  p.resources.push_back({name, p.keep(tessera::as_bytes(words))});
  c.plan.emit(plan_op::res_load_extern, {0, 0, c.plan.int64(0)});
  c.set(1, "Hello, world!");
  c.plan.emit(plan_op::preproc_encode, {0, 1, 2});
  c.plan.emit(plan_op::preproc_decode, {0, 2, 3});
  c.plan.emit(plan_op::preproc_get_id, {0, c.plan.string("world"), 4});
  c.plan.emit(plan_op::preproc_get_id, {0, c.plan.string("nowhere"), 5});
  c.plan.emit(plan_op::res_unload, {0, 0});  // the handle keeps its model
  c.plan.emit(plan_op::preproc_decode, {0, 4, 6});
  c.plan.emit(plan_op::sys_debug_print, {0, c.plan.string("t")});
  const bool ran{c.run()};
  INFO(c.done.text);
  if (c.done.code == errc::nac_tokenizer_unavailable) return;
  CHECK(ran);
  CHECK(c.slot(2).what() == kind::list);
  CHECK(c.numbers(2) == std::vector<double>{1, 3, 4, 11, 5, 6, 2});
  CHECK(c.slot(3).as_text() == "hello, world!");
  CHECK(c.slot(4).as_whole() == 5);
  CHECK(c.slot(5).is_null());
  CHECK(c.slot(6).as_text() == "world");
  CHECK(c.err == "[DEBUG] t: <tokenizer>\n");
  // The tokenizer's work is the plan's.
  c.how.max_steps = 64 + 3 * 16 + 8;
  c.run();
  CHECK(c.done.code == errc::budget_steps);
  CHECK(c.done.instructions == 1);
  CHECK(c.done.text.substr(0, 15) == "the tokenizer: ");
  const auto fails = [&](errc code, const std::function<void(plan_case&)>& more) {
    plan_case bad;
    more(bad);
    bad.fails(code);
  };
  fails(errc::nac_tokenizer_missing, [](plan_case& b) {
    b.plan.emit(plan_op::res_load_extern, {0, 0, b.plan.int64(0)});
  });
  fails(errc::nac_plan_model, [](plan_case& b) {
    b.plan.emit(plan_op::res_load_extern, {0, 0, b.plan.int64(7)});
  });
  fails(errc::nac_plan_slot, [](plan_case& b) { b.plan.emit(plan_op::preproc_encode, {0, 1, 2}); });
  fails(errc::nac_plan_slot, [](plan_case& b) { b.plan.emit(plan_op::preproc_decode, {0, 1, 2}); });
}

// ---- text and files

TEST_CASE("vm/execution_plan: values are written as Python prints them", "[vm_execution_plan]") {
  plan_case c;
  c.set_list(0, std::vector<std::int32_t>{1, 2});
  c.set(1, 0.1);
  c.set(2, "f");
  c.print(0);
  c.plan.emit(plan_op::io_write, {1, 1, 0, 0});
  c.plan.emit(plan_op::io_write, {2, 0, 0, 2});
  c.plan.emit(plan_op::serialize_object, {3, 0, 0});
  c.plan.emit(plan_op::serialize_object, {4, 2, 1});
  c.plan.emit(plan_op::io_write, {3, 0, 0, 1});
  c.plan.emit(plan_op::io_write, {4, 0, 0, 1});
  c.plan.emit(plan_op::string_format, {5, c.plan.string("{1:>4}|{0}"), 2, 0, 1});
  c.print(5);
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.out == "[1, 2]\nf[1, 2]\n\"f\"\n 0.1|[1, 2]\n");
  CHECK(c.err == "0.1\n");
  plan_case bad;
  bad.plan.emit(plan_op::string_format, {5, bad.plan.string("{} {}"), 1, 0});
  bad.fails(errc::nac_plan_format);
  plan_case closed;
  closed.set(0, "x");
  closed.print(0);
  closed.build();
  closed.how.out = [](std::string_view) { return false; };
  vm::plan_machine machine(*closed.made->program, closed.how);
  CHECK(machine.run().code == errc::nac_plan_file);
}

TEST_CASE("vm/execution_plan: files are replaced and appended to", "[vm_execution_plan]") {
  const folder at;
  plan_case c;
  c.set(0, "one");
  c.set(1, "log.txt");
  for (const std::int64_t mode : {0, 1, 2, 1}) c.plan.emit(plan_op::io_write, {0, 2, 1, mode});
  c.how.folder = at.path.string();
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(contents(at.path / "log.txt") == "one\none\noneone\n");
  CHECK(c.run());
  CHECK(contents(at.path / "log.txt") == "one\none\noneone\n");
  c.how.max_written = 15;
  CHECK(c.run());
  c.how.max_written = 14;
  c.run();
  CHECK(c.done.code == errc::budget_memory);
  plan_case path;
  path.set(0, 1);
  path.plan.emit(plan_op::io_write, {0, 2, 0, 0});
  path.fails(errc::nac_plan_slot);
}

TEST_CASE("vm/execution_plan: arrays of .npy files", "[vm_execution_plan]") {
  const folder at;
  const auto store = [&](const char* name, char letter, std::uint8_t size,
                         std::vector<std::byte> data, std::vector<std::uint64_t> shape) {
    const tessera::text npy =
        tessera::io::write_npy_array({{letter, size}, std::move(shape), std::move(data)});
    put(at.path / name, npy.view());
  };
  store("b.npy", 'b', 1, from_hex("0100"), {2});
  store("h.npy", 'i', 2, from_hex("0100feff"), {1, 2});
  store("u.npy", 'u', 4, from_hex("01000000"), {});
  put(at.path / "no.npy", "nothing");
  plan_case c;
  c.plan.emit(plan_op::res_load_datafile, {0, 2, c.plan.string("b.npy")});
  c.set(1, "h.npy");
  c.plan.emit(plan_op::res_load_dynamic, {2, 1, 2});
  c.how.folder = at.path.string();
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.slot(0).elements().type == nac::data_type::boolean);
  CHECK(c.numbers(0) == std::vector<double>{1, 0});
  CHECK(c.shape(2) == "[1, 2]");
  CHECK(c.numbers(2) == std::vector<double>{1, -2});
  const auto fails = [&](errc code, const char* path) {
    plan_case bad;
    bad.plan.emit(plan_op::res_load_datafile, {0, 2, bad.plan.string(path)});
    bad.how.folder = at.path.string();
    bad.fails(code);
  };
  fails(errc::nac_run_type, "u.npy");
  fails(errc::nac_plan_file, "no.npy");
  fails(errc::nac_plan_file, "absent.npy");
  fails(errc::nac_plan_file, "absent/absent.npy");
}

TEST_CASE("vm/execution_plan: paths stay in their folder", "[vm_execution_plan]") {
  const folder at;
  const fs::path inside = at.path / "in", outside = at.path / "out";
  fs::create_directories(inside / "sub");
  fs::create_directories(outside);
  put(outside / "secret", "secret");
  put(inside / "mine", "mine");
  fs::create_symlink(outside / "secret", inside / "link");
  fs::create_symlink(outside, inside / "door");
  fs::create_symlink(outside / "absent", inside / "nowhere");
  fs::create_symlink("mine", inside / "alias");
  fs::create_directories(at.path / "inner");  // begins like the folder
  put(at.path / "inner/x", "x");
  const auto write = [&](std::string_view path, vm::file_access files = vm::file_access::folder) {
    return written(inside.string(), path, 2, files).code;
  };
  CHECK(write("../out/secret") == errc::nac_plan_path);
  CHECK(write("../inner/x") == errc::nac_plan_path);
  CHECK(write((outside / "secret").string()) == errc::nac_plan_path);
  CHECK(write("link") == errc::nac_plan_write);
  CHECK(write("door/secret") == errc::nac_plan_write);
  CHECK(write("door/new") == errc::nac_plan_write);
  CHECK(write("sub/../../out/secret") == errc::nac_plan_path);
  CHECK(write("nowhere") == errc::nac_plan_write);
  for (const std::string_view p : {""sv, "."sv, ".."sv, "sub/"sv, "/"sv, "mine\0x"sv})
    CHECK(write(p) == errc::nac_plan_path);
  CHECK(write("sub") == errc::nac_plan_file);
  CHECK(write("mine/x") == errc::nac_plan_file);
  CHECK(write("mine", vm::file_access::none) == errc::nac_plan_path);
  CHECK(contents(outside / "secret") == "secret");
  CHECK_FALSE(fs::exists(outside / "new"));
  CHECK_FALSE(fs::exists(outside / "absent"));
  CHECK(write("alias") == errc::nac_plan_write);
  CHECK(write("mine") == errc::ok);
  CHECK(write((inside / "sub/../sub/deep").string()) == errc::ok);
  CHECK(contents(inside / "mine") == "minenew");
  CHECK(contents(inside / "sub/deep") == "new");
  // All files may be read, not written.
  CHECK(write("../out/secret", vm::file_access::anywhere) == errc::nac_plan_path);
  CHECK(contents(outside / "secret") == "secret");
  const auto read = [&](std::string_view path, vm::file_access files) {
    plan_case c;
    c.source(0, c.plan.string(path));
    c.plan.emit(plan_op::res_load_dynamic, {1, 0, 2});
    c.how.folder = inside.string();
    c.how.files = files;
    return c.run().code;
  };
  CHECK(read("../out/secret", vm::file_access::folder) == errc::nac_plan_path);
  CHECK(read("link", vm::file_access::folder) == errc::nac_plan_path);
  CHECK(read("alias", vm::file_access::folder) == errc::nac_plan_file);  // it is no .npy file
  CHECK(read("../out/secret", vm::file_access::anywhere) == errc::nac_plan_file);
}

TEST_CASE("vm/execution_plan: only what is new or plain in a folder that was named is written",
          "[vm_execution_plan]") {
  const folder at;
  const fs::path inside = at.path / "in";
  fs::create_directories(inside / ".hidden");
  fs::create_directories(inside / "sub");
  fs::create_directory_symlink("in", at.path / "link");
  const auto refuses = [&](std::string_view path, errc code, std::string_view why) {
    for (const std::int64_t mode : {0, 1, 2}) {  // anew, after a line, as it is
      const vm::plan_outcome done = written(inside.string(), path, mode);
      INFO(path << ": " << done.text);
      CHECK(done.code == code);
      CHECK(done.text.find(why) != std::string::npos);
    }
  };
  // Without a folder nothing is, not even beside the container.
  for (const auto files : {vm::file_access::folder, vm::file_access::anywhere})
    CHECK(written("", (inside / "new").string(), 0, files).code == errc::nac_plan_write);
  CHECK_FALSE(fs::exists(inside / "new"));

  refuses(".profile", errc::nac_plan_write, "hidden");
  refuses(".hidden/x", errc::nac_plan_write, "hidden");
  refuses("sub/.x", errc::nac_plan_write, "hidden");
  refuses("sub/../.x", errc::nac_plan_write, "hidden");
  CHECK(fs::is_empty(inside / ".hidden"));
  CHECK(fs::is_empty(inside / "sub"));
  CHECK(written(inside.string(), "./sub/./../a.b", 0).code == errc::ok);
  CHECK(contents(inside / "a.b") == "new\n");
  // The folder itself may be reached by a link, or hidden: somebody named it.
  CHECK(written((at.path / "link").string(), "c", 0).code == errc::ok);
  CHECK(written((at.path / "link").string(), (at.path / "link/d").string(), 0).code == errc::ok);
  CHECK(written((inside / ".hidden").string(), "e", 0).code == errc::ok);
  CHECK(contents(inside / "c") + contents(inside / "d") + contents(inside / ".hidden/e") ==
        "new\nnew\nnew\n");

  for (const fs::perms one :
       {fs::perms::owner_exec, fs::perms::group_exec, fs::perms::others_exec}) {
    put(inside / "tool", "old");
    fs::permissions(inside / "tool", fs::perms::owner_read | fs::perms::owner_write | one);
    refuses("tool", errc::nac_plan_write, "executable");
    CHECK(contents(inside / "tool") == "old");
    fs::remove(inside / "tool");
  }
  put(at.path / "outside", "old");
  fs::create_hard_link(at.path / "outside", inside / "also");
  refuses("also", errc::nac_plan_write, "other names");
  CHECK(contents(at.path / "outside") == "old");
  CHECK(fs::hard_link_count(at.path / "outside") == 2);
  fs::remove(at.path / "outside");  // the only name that is left
  CHECK(written(inside.string(), "also", 2).code == errc::ok);
  CHECK(contents(inside / "also") == "oldnew");

  REQUIRE(mkfifo((inside / "pipe").c_str(), 0600) == 0);
  refuses("pipe", errc::nac_plan_file, "isn't a regular file");
  refuses("sub", errc::nac_plan_file, "isn't a regular file");
  CHECK(fs::is_fifo(inside / "pipe"));
  fs::create_symlink("c", inside / "alias");
  refuses("alias", errc::nac_plan_write, "contains a symbolic link");
  CHECK(fs::is_symlink(inside / "alias"));
  CHECK(contents(inside / "c") == "new\n");
}

TEST_CASE("vm/execution_plan: argmax takes booleans as numbers", "[vm_execution_plan]") {
  plan_case c;
  c.set_tensor(0, {1, 4, 4});
  c.set(1, 4);
  c.plan.emit(plan_op::logic_compare, {0, 2, 0, 1});
  c.plan.emit(plan_op::math_aggregate, {0, 3, 2});
  c.plan.emit(plan_op::logic_compare, {3, 4, 0, 1});
  c.plan.emit(plan_op::math_aggregate, {0, 5, 4});
  CHECK(c.run());
  INFO(c.done.text);
  CHECK(c.slot(2).elements().type == nac::data_type::boolean);
  CHECK(c.numbers(3) == std::vector<double>{1});  // the first of those that are true
  CHECK(c.numbers(5) == std::vector<double>{0});
}

TEST_CASE("vm/execution_plan: real plans print what their own interpreter does",
          "[vm_execution_plan]") {
  const fs::path samples = fs::path(TESSERA_SAMPLES_DIR) / "nac" / "plans";
  if (!fs::exists(samples)) {
    WARN("left out: no folder " << samples.string() << " (TESSERA_SAMPLES_DIR)");
    return;
  }
  if (!vm::has_expressions()) {
    WARN("left out: the tokenizers of the samples need PCRE2");
    return;
  }
  const auto in_quotes = [](std::string s) {
    s = s.substr(s.find('"') + 1);
    s.resize(s.rfind('"'));
    for (std::size_t i; (i = s.find("\\ufffd")) != s.npos;) s.replace(i, 6, "\xef\xbf\xbd");
    return s;
  };
  std::ifstream rows(samples / "plans.tsv");
  int count = 0;
  for (std::string name, answer, wanted; std::getline(rows, name, '\t');) {
    REQUIRE(std::getline(rows, answer, '\t'));
    REQUIRE(std::getline(rows, wanted));
    INFO(name << ' ' << answer);
    const std::string path = (samples / (name + ".nac")).string(), all = contents(path);
    const auto file = tessera::nac::read(tessera::as_bytes(all));
    REQUIRE(file);
    const auto program = tessera::nac::verify(*file);
    REQUIRE(program);
    vm::plan_options how;
    std::string out;
    how.path = path;
    how.mode = "infer";
    how.answers = {in_quotes(answer)};
    how.out = [&out](std::string_view s) { return out += s, true; };
    vm::plan_machine machine(*program, how);
    const vm::plan_outcome done = machine.run();
    INFO(done.text);
    CHECK(done);
    // Some say that they are done after it.
    CHECK(('\n' + out).find('\n' + in_quotes(wanted) + '\n') != std::string::npos);
    ++count;
  }
  CHECK(count == 4);
}

TEST_CASE("vm/execution_plan: memory is limited", "[vm_execution_plan]") {
  // A text that doubles, round after round.
  plan_case c;
  c.set(0, 100);
  c.set(1, "0123456789");
  const auto again = c.plan.new_label();
  c.plan.emit(plan_op::flow_loop_start, {0});
  c.plan.place(again);
  c.plan.emit(plan_op::string_format, {1, c.plan.string("{0}{0}"), 1, 1});
  c.plan.emit(plan_op::flow_loop_end, {again});
  c.how.max_memory = 1 << 20;
  c.run();
  CHECK(c.done.code == errc::budget_memory);
  CHECK(c.done.offset == 10);
  CHECK(c.machine->arena().peak() <= 1 << 20);
  // The plan itself.
  c.how.max_memory = 640;
  c.run();
  CHECK(c.done.code == errc::budget_memory);
  CHECK(c.done.instructions == 0);
}
