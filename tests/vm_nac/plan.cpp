// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/nac/plan.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

#include "io/npy.hpp"
#include "vm_nac/build.hpp"

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
  void source(std::int64_t slot, std::uint16_t id) {
    plan.emit(plan_op::src_constant, {slot, id});
  }
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
    nac::plan_reader in(made->program->file().plan());
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
void put(const fs::path& p, std::string_view s) {
  std::ofstream(p, std::ios::binary) << s;
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

TEST_CASE("vm_nac/plan: the program with a loop, a break and a branch", "[vm_nac]") {
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
  CHECK(c.done.steps == 4 + 1 + 3 * 4 + 1 + 1 + 1 + 1 + 1);
  CHECK(c.done.offset == code.size() - 1);
  // One step fewer than it takes.
  c.how.max_steps = c.done.steps - 1;
  c.run();
  CHECK(c.done.code == errc::budget_steps);
  CHECK(c.done.offset == code.size() - 1);
}

TEST_CASE("vm_nac/plan: the program that runs a model", "[vm_nac]") {
  const std::string mini = contents(fs::path(TESSERA_TESTS_DATA_DIR) / "nac/mini_v18.nac");
  const auto file = nac::read(tessera::as_bytes(std::string_view(mini)));
  REQUIRE(file);
  plan_case c;
  c.container.parts = nac::parts_of(*file);
  c.container.parts.plan_constants.clear();
  nac::plan_writer w(c.container.parts);
  (void)w.int32_list(std::vector<std::int32_t>{1, 3}), (void)w.int64(0), (void)w.int64(1);
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

TEST_CASE("vm_nac/plan: the outputs of a model are assigned one by one", "[vm_nac]") {
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

TEST_CASE("vm_nac/plan: prompts take arguments first and then ask", "[vm_nac]") {
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

TEST_CASE("vm_nac/plan: answers that are no numbers", "[vm_nac]") {
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

TEST_CASE("vm_nac/plan: constants of all types, the mode, arrays, slots", "[vm_nac]") {
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

TEST_CASE("vm_nac/plan: tensors are created", "[vm_nac]") {
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

TEST_CASE("vm_nac/plan: tensors that can't be created", "[vm_nac]") {
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
  fails(errc::nac_run_rank, 2, [](plan_case& c) {
    c.set_list(0, std::vector<std::int32_t>(17, 1));
  });
  fails(errc::budget_memory, 3, [](plan_case& c) {
    c.set_list(0, std::vector<std::int32_t>(9, 0x7fffffff));
  });
}

TEST_CASE("vm_nac/plan: tensors are padded, reshaped, joined and looked into", "[vm_nac]") {
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
  c.plan.emit(plan_op::tensor_combine, {0, 9, 3, 7, 8, 7, 4});   // [1, 2, 5, 1, 2]
  c.plan.emit(plan_op::tensor_combine, {0, 10, 2, 0, 0, 6});     // [[1, 2], [1, 2]]
  c.plan.emit(plan_op::tensor_info, {0, 11, 5});                 // (1, 2, 1)
  c.plan.emit(plan_op::tensor_info, {1, 12, 3, 4});              // 4
  c.set(13, 1);
  c.plan.emit(plan_op::tensor_extract, {14, 3, 1});          // [0, 2]: 1.0
  c.plan.emit(plan_op::tensor_info, {2, 15, 14});
  c.plan.emit(plan_op::tensor_extract, {16, 5, 13});             // rank 3: [2.0]
  c.plan.emit(plan_op::tensor_manipulate, {2, 17, 5, 6});        // [1, 1, 2, 1]
  c.plan.emit(plan_op::tensor_extract, {18, 17, 4});             // rank 4: [[1], [2]]
  c.plan.emit(plan_op::tensor_extract, {19, 9, 4});              // rank 1: 2.0
  c.plan.emit(plan_op::tensor_extract, {20, 11, 13});            // of a tuple: 2
  c.plan.emit(plan_op::tensor_combine, {0, 21, 2, 8, 7, 6});     // [5, 1, 2] of int64
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

TEST_CASE("vm_nac/plan: tensors that don't fit", "[vm_nac]") {
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

TEST_CASE("vm_nac/plan: arithmetic of scalars is Python's", "[vm_nac]") {
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

TEST_CASE("vm_nac/plan: arithmetic of tensors broadcasts", "[vm_nac]") {
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
  CHECK(c.done.code == errc::nac_plan_slot);  // the last one alone
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

TEST_CASE("vm_nac/plan: comparisons of scalars, texts and null", "[vm_nac]") {
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
