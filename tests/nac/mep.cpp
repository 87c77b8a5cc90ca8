// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The orchestrator's plan: every encoding both ways, every code with its offset, text and back.

#include "nac/support.hpp"
#include "support/allocations.hpp"

using namespace tessera;
using namespace nac_tests;
using nac::plan_op;

namespace {

using buffer = std::vector<std::byte>;

[[nodiscard]] buffer copy_of(bytes b) { return {b.begin(), b.end()}; }

// ORCH is last in mini_v16, so that another one can take its place.
constexpr std::size_t orch_at = 346, code_at = orch_at + 12;

[[nodiscard]] buffer container(const buffer& code, const buffer& constants, unsigned count) {
  buffer out = hex_file("mini_v16");
  out.resize(orch_at + 4);
  const auto word = [&out](std::size_t v) {
    for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(v >> 8 * i & 0xff));
  };
  word(code.size());
  word(count);
  out.insert(out.end(), code.begin(), code.end());
  out.insert(out.end(), constants.begin(), constants.end());
  return out;
}

// 0 "a", 1 seven, 2 two as a float, 3 three hundred, 4 null, 5 [1], 6 true
constexpr std::string_view some_constants =
    "0000 04 0100 61  0100 02 0800 0700000000000000  0200 03 0800 0000000000000040"
    "0300 02 0800 2c01000000000000  0400 00 0000  0500 05 0100 01000000  0600 01 0100 01";

[[nodiscard]] error verify(const buffer& code, std::string_view constants = some_constants,
                           unsigned count = 7) {
  const buffer source = container(code, from_hex(constants), count);
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  return nac::verify_execution_plan(*file);
}

[[nodiscard]] std::string printed(const buffer& code) {
  text out;
  nac::print_execution_plan(out, code, nac::constants());
  return std::string(out.view());
}

[[nodiscard]] buffer parsed(std::string_view source) {
  nac::parts p;
  nac::detail::lexer in(source);
  CAPTURE(std::string(source));
  const bool ok = nac::detail::parse_plan(in, p);
  CHECK(in.error().message() == error{}.message());
  REQUIRE(ok);
  return copy_of(p.data_of(p.plan));
}

constexpr std::string_view loop_program =
    "04000000 04010100 04020200 04030300 a000 6100010102 6802040103 a9040300 a1efff"
    "2a0504000101 6800060100 a8060500 f000000000 f005000000 ff";
constexpr std::string_view loop_constants =
    "0000 02 0800 0300000000000000  0100 02 0800 0000000000000000  0200 02 0800 0100000000000000"
    "0300 02 0800 0a00000000000000  0400 04 0600 6163633d7b7d";

struct encoding {
  plan_op op;
  std::vector<std::int64_t> operands;
  std::string_view hex;
  std::string_view line;
};

const encoding encodings[] = {
    {plan_op::src_user_prompt, {0, 1, 0}, "0200010000", "src_user_prompt $0, int, #0"},
    {plan_op::src_constant, {1, 0}, "04010000", "src_constant $1, #0"},
    {plan_op::src_exec_mode, {2}, "0502", "src_exec_mode $2"},
    {plan_op::res_load_model, {2, 0}, "10020000", "res_load_model 2, #0"},
    {plan_op::res_load_datafile, {0, 2, 0}, "1100020000", "res_load_datafile $0, npy, #0"},
    {plan_op::res_load_extern, {3, 0, 1}, "1203000100", "res_load_extern $3, tokenizer, #1"},
    {plan_op::res_load_extern, {3, 1, 5}, "1203010500", "res_load_extern $3, constant, #5"},
    {plan_op::res_load_dynamic, {0, 1, 3}, "13000103", "res_load_dynamic $0, $1, image"},
    {plan_op::res_load_array, {0, 0}, "14000000", "res_load_array $0, #0"},
    {plan_op::res_unload, {0, 2}, "1f0002", "res_unload model, 2"},
    {plan_op::res_unload, {1, 3}, "1f0103", "res_unload slot, $3"},
    {plan_op::preproc_encode, {3, 0, 1}, "20030001", "preproc_encode $3, $0, $1"},
    {plan_op::preproc_decode, {3, 1, 0}, "21030100", "preproc_decode $3, $1, $0"},
    {plan_op::preproc_get_id, {3, 0, 4}, "2203000004", "preproc_get_id $3, #0, $4"},
    {plan_op::string_format, {0, 0, 2, 1, 2}, "2a000000020102", "string_format $0, #0, [$1, $2]"},
    {plan_op::tensor_create, {0, 5, 0, 1}, "3000050001", "tensor_create $0, i64, value, $1"},
    {plan_op::tensor_create, {0, 5, 1, 1}, "3000050101", "tensor_create $0, i64, range, $1"},
    {plan_op::tensor_create, {0, 0, 2, 1}, "3000000201", "tensor_create $0, f32, ones, $1"},
    {plan_op::tensor_create, {0, 0, 3, 1}, "3000000301", "tensor_create $0, f32, zeros, $1"},
    {plan_op::tensor_manipulate,
     {1, 0, 1, 2, 3},
     "380100010203",
     "tensor_manipulate pad_left, $0, $1, $2, $3"},
    {plan_op::tensor_manipulate,
     {2, 0, 1, 2},
     "3802000102",
     "tensor_manipulate unsqueeze, $0, $1, $2"},
    {plan_op::tensor_manipulate,
     {3, 0, 1, 2},
     "3803000102",
     "tensor_manipulate squeeze, $0, $1, $2"},
    {plan_op::tensor_combine,
     {0, 0, 2, 1, 2, 3},
     "39000002010203",
     "tensor_combine concat, $0, [$1, $2], $3"},
    {plan_op::tensor_info, {0, 0, 1}, "3a000001", "tensor_info shape, $0, $1"},
    {plan_op::tensor_info, {1, 0, 1, 2}, "3a01000102", "tensor_info dimension, $0, $1, $2"},
    {plan_op::tensor_info, {2, 0, 1}, "3a020001", "tensor_info scalar, $0, $1"},
    {plan_op::tensor_extract, {0, 1, 2}, "3b000102", "tensor_extract $0, $1, $2"},
    {plan_op::sys_copy, {0, 1}, "590001", "sys_copy $0, $1"},
    {plan_op::sys_debug_print, {0, 0}, "5f000000", "sys_debug_print $0, #0"},
    {plan_op::math_unary, {0, 0, 1}, "60000001", "math_unary softmax, $0, $1"},
    {plan_op::math_unary, {1, 0, 1}, "60010001", "math_unary sqrt, $0, $1"},
    {plan_op::math_unary, {2, 0, 1}, "60020001", "math_unary abs, $0, $1"},
    {plan_op::math_unary, {3, 0, 1}, "60030001", "math_unary neg, $0, $1"},
    {plan_op::math_unary, {4, 0, 1}, "60040001", "math_unary exp, $0, $1"},
    {plan_op::math_unary, {5, 0, 1}, "60050001", "math_unary reciprocal, $0, $1"},
    {plan_op::math_binary, {0, 0, 1, 2}, "6100000102", "math_binary add, $0, $1, $2"},
    {plan_op::math_binary, {1, 0, 1, 2}, "6101000102", "math_binary sub, $0, $1, $2"},
    {plan_op::math_binary, {2, 0, 1, 2}, "6102000102", "math_binary mul, $0, $1, $2"},
    {plan_op::math_binary, {3, 0, 1, 2}, "6103000102", "math_binary div, $0, $1, $2"},
    {plan_op::math_binary, {4, 0, 1, 2}, "6104000102", "math_binary pow, $0, $1, $2"},
    {plan_op::math_binary, {5, 0, 1, 2}, "6105000102", "math_binary max, $0, $1, $2"},
    {plan_op::math_binary, {6, 0, 1, 2}, "6106000102", "math_binary min, $0, $1, $2"},
    {plan_op::math_aggregate, {0, 0, 1}, "62000001", "math_aggregate argmax, $0, $1"},
    {plan_op::logic_compare, {0, 0, 1, 2}, "6800000102", "logic_compare eq, $0, $1, $2"},
    {plan_op::logic_compare, {1, 0, 1, 2}, "6801000102", "logic_compare ne, $0, $1, $2"},
    {plan_op::logic_compare, {2, 0, 1, 2}, "6802000102", "logic_compare gt, $0, $1, $2"},
    {plan_op::logic_compare, {3, 0, 1, 2}, "6803000102", "logic_compare lt, $0, $1, $2"},
    {plan_op::analysis_top_k, {1, 2, 3, 4}, "7001020304", "analysis_top_k $1, $2, $3, $4"},
    {plan_op::analysis_sample, {1, 2, 3, 4}, "7101020304", "analysis_sample $1, $2, $3, $4"},
    {plan_op::model_run_static, {0, 1, 1, 1, 0}, "800001010100", "model_run_static 0, [$1], [$0]"},
    {plan_op::model_run_static,
     {7, 0, 2, 8, 9},
     "80070002 0809",
     "model_run_static 7, [], [$8, $9]"},
    {plan_op::model_train_step,
     {0, 0, 1, 0, 1, 1, 2, 3, 0, 0, 0},
     "8200000100010102030000000000",
     "model_train_step 0, cross_entropy, [$0], [$1], $2, $3, none, none, none"},
    {plan_op::model_zero_grad, {0}, "8300", "model_zero_grad 0"},
    {plan_op::model_save_weights, {0, 0, 0}, "85000000", "model_save_weights 0, $0, 0"},
    {plan_op::serialize_object, {0, 1, 2}, "e0000102", "serialize_object $0, $1, png"},
    {plan_op::io_write, {0, 0, 0, 0}, "f000000000", "io_write $0, stdout, $0, line"},
    {plan_op::io_write, {0, 2, 1, 1}, "f000020101", "io_write $0, file, $1, append"},
    {plan_op::exec_return, {2, 0, 1}, "fe020001", "exec_return [$0, $1]"},
    {plan_op::exec_halt, {}, "ff", "exec_halt"},
};

}  // namespace

TEST_CASE("nac/mep: every encoding, written, read, printed and parsed", "[nac]") {
  for (const encoding& e : encodings) {
    CAPTURE(std::string(e.line));
    const buffer code = from_hex(e.hex);

    nac::parts p;
    nac::plan_writer w(p);
    w.emit(e.op, view<std::int64_t>(e.operands.data(), e.operands.size()));
    CHECK(w.size() == code.size());
    CHECK(w.finish() == error{});
    CHECK(copy_of(p.data_of(p.plan)) == code);

    nac::plan_reader in(code);
    nac::plan_instruction i;
    REQUIRE(in.next(i));
    CHECK(i.op() == e.op);
    CHECK(i.offset == 0);
    CHECK(i.size == code.size());
    std::vector<std::int64_t> operands;
    std::uint64_t at = 1;
    for (const nac::plan_operand& o : i.operands()) {
      CHECK(o.offset == at);
      at += nac::operand_size(o.kind);
      operands.push_back(o.value);
    }
    CHECK(at == i.size);
    CHECK(operands == e.operands);
    if (!operands.empty()) CHECK(i.operands().begin()->value == operands[0]);
    CHECK_FALSE(in.next(i));
    CHECK(in.error() == error{});

    const std::string out = printed(code);
    CHECK(out == "    " + std::string(e.line) + "\n");
    CHECK(parsed(out) == code);
    CHECK(verify(code) == error{});
  }
}

TEST_CASE("nac/mep: a training step with names and weights in constants", "[nac]") {
  const buffer code = from_hex("8200000100010102030001000200");
  CHECK(printed(code) ==
        "    model_train_step 0, cross_entropy, [$0], [$1], $2, $3, none, #1, #2\n");
  CHECK(parsed(printed(code)) == code);
  CHECK(verify(code) == error{errc::nac_mep_constant_string, code_at + 10});
  CHECK(verify(code, "0100 04 0100 77 0200 04 0100 62", 2) == error{});
}

TEST_CASE("nac/mep: each opcode is in the table once, and has the size that it says", "[nac]") {
  // Opcode, bytes with a list of n and a list of m slots: least, per slot of each list.
  struct row {
    unsigned opcode, least;
    bool one, two;
  };
  const row rows[] = {
      {0x01, 3, false, false}, {0x02, 5, false, false}, {0x03, 4, false, false},
      {0x04, 4, false, false}, {0x05, 2, false, false}, {0x10, 4, false, false},
      {0x11, 5, false, false}, {0x12, 5, false, false}, {0x13, 4, false, false},
      {0x14, 4, false, false}, {0x18, 4, false, false}, {0x1f, 3, false, false},
      {0x20, 4, false, false}, {0x21, 4, false, false}, {0x22, 5, false, false},
      {0x2a, 5, true, false},  {0x30, 5, false, false}, {0x31, 6, false, false},
      {0x39, 5, true, false},  {0x3a, 4, false, false}, {0x3b, 4, false, false},
      {0x50, 5, true, true},   {0x51, 6, true, true},   {0x59, 3, false, false},
      {0x5f, 4, false, false}, {0x60, 4, false, false}, {0x61, 5, false, false},
      {0x62, 4, false, false}, {0x68, 5, false, false}, {0x70, 5, false, false},
      {0x71, 5, false, false}, {0x80, 4, true, true},   {0x81, 4, true, false},
      {0x82, 12, true, true},  {0x83, 2, false, false}, {0x85, 4, false, false},
      {0xa0, 2, false, false}, {0xa1, 3, false, false}, {0xa8, 4, false, false},
      {0xa9, 4, false, false}, {0xaf, 1, false, false}, {0xe0, 4, false, false},
      {0xe1, 4, false, false}, {0xf0, 5, false, false}, {0xfe, 2, true, false},
      {0xff, 1, false, false},
  };
  // 0x38 has no operation 0; its sizes stand with the encodings.
  CHECK(std::size(nac::plan_ops) == std::size(rows) + 1);
  for (const row& r : rows) {
    CAPTURE(r.opcode);
    buffer code(64);
    code[0] = static_cast<std::byte>(r.opcode);
    nac::plan_reader in(code);
    nac::plan_instruction i;
    REQUIRE(in.next(i));
    CHECK(i.size == r.least);
    // Every prefix of it is cut short.
    for (std::size_t n = 1; n < r.least; ++n) {
      nac::plan_reader cut{bytes(code.data(), n)};
      CHECK_FALSE(cut.next(i));
      CHECK(cut.error().code == errc::nac_mep_truncated);
      CHECK(cut.error().offset <= n);
    }
    // A list of three makes it longer by three.
    std::uint64_t count_at = 0;
    for (const nac::plan_operand& o : i.operands())
      if (nac::is_list_operand(o.kind) && count_at == 0) count_at = o.offset;
    CHECK((count_at != 0) == r.one);
    if (count_at == 0) continue;
    code[count_at] = std::byte{3};
    nac::plan_reader longer(code);
    REQUIRE(longer.next(i));
    CHECK(i.size == r.least + 3);
    if (r.two) {
      code[count_at + 4] = std::byte{5};
      nac::plan_reader longest(code);
      REQUIRE(longest.next(i));
      CHECK(i.size == r.least + 8);
    }
  }
  unsigned known = 0;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const nac::plan_op_row* const found = nac::plan_row(static_cast<std::uint8_t>(opcode));
    if (found == nullptr) continue;
    ++known;
    CHECK(static_cast<unsigned>(found->op) == opcode);
    CHECK(nac::name(found->op) == found->name);
  }
  CHECK(known == std::size(nac::plan_ops));
}

TEST_CASE("nac/mep: a loop, built with labels", "[nac]") {
  nac::parts p;
  nac::plan_writer w(p);
  const auto again = w.new_label(), out = w.new_label(), skip = w.new_label();
  const auto three = w.int64(3), zero = w.int64(0), one = w.int64(1), ten = w.int64(10);
  w.emit(plan_op::src_constant, {0, three});
  w.emit(plan_op::src_constant, {1, zero});
  w.emit(plan_op::src_constant, {2, one});
  w.emit(plan_op::src_constant, {3, ten});
  w.emit(plan_op::flow_loop_start, {0});
  w.place(again);
  w.emit(plan_op::math_binary, {0, 1, 1, 2});
  w.emit(plan_op::logic_compare, {2, 4, 1, 3});
  w.emit(plan_op::flow_break_loop_if, {4, out});
  w.emit(plan_op::flow_loop_end, {again});
  w.place(out);
  w.emit(plan_op::string_format, {5, w.string("acc={}"), 1, 1});
  w.emit(plan_op::logic_compare, {0, 6, 1, 0});
  w.emit(plan_op::flow_branch_if, {6, skip});
  w.emit(plan_op::io_write, {0, 0, 0, 0});
  w.place(skip);
  w.emit(plan_op::io_write, {5, 0, 0, 0});
  w.emit(plan_op::exec_halt);
  REQUIRE(w.finish() == error{});
  const buffer code = from_hex(loop_program);
  CHECK(copy_of(p.data_of(p.plan)) == code);
  REQUIRE(p.plan_constants.size() == 5);
  CHECK(p.plan_constants[3].id == 3);
  CHECK(p.plan_constants[3].int64() == 10);
  CHECK(p.string(p.plan_constants[4].values) == "acc={}");

  CHECK(verify(code, loop_constants, 5) == error{});
  const buffer source = container(code, from_hex(loop_constants), 5);
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  text lines;
  nac::print_execution_plan(lines, file->execution_plan(), file->plan_constants());
  CHECK(std::string(lines.view()) ==
        "    src_constant $0, #0 ; 3\n"
        "    src_constant $1, #1 ; 0\n"
        "    src_constant $2, #2 ; 1\n"
        "    src_constant $3, #3 ; 10\n"
        "    flow_loop_start $0\n"
        "  L1:\n"
        "    math_binary add, $1, $1, $2\n"
        "    logic_compare gt, $4, $1, $3\n"
        "    flow_break_loop_if $4, L2\n"
        "    flow_loop_end L1\n"
        "  L2:\n"
        "    string_format $5, #4, [$1] ; \"acc={}\"\n"
        "    logic_compare eq, $6, $1, $0\n"
        "    flow_branch_if $6, L3\n"
        "    io_write $0, stdout, $0, line\n"
        "  L3:\n"
        "    io_write $5, stdout, $0, line\n"
        "    exec_halt\n");
  CHECK(parsed(lines) == code);
}

TEST_CASE("nac/mep: plans that run models", "[nac]") {
  const buffer code = from_hex(
      "04000000 3001000200 800001010102 04030100 3b040203 3a020504 04030200 3b070203 3a020807"
      "2a06030002 0508 f006000000 ff");
  const std::string_view constants =
      "0000 05 0200 0100000003000000  0100 02 0800 0000000000000000 0200 02 0800 0100000000000000"
      "0300 04 0f00 723d7b3a2e33667d207b3a2e33667d";
  CHECK(verify(code, constants, 4) == error{});
  const buffer source = container(code, from_hex(constants), 4);
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  text lines;
  nac::print_execution_plan(lines, file->execution_plan(), file->plan_constants());
  CHECK(std::string(lines.view()) ==
        "    src_constant $0, #0 ; [1, 3]\n"
        "    tensor_create $1, f32, ones, $0\n"
        "    model_run_static 0, [$1], [$2]\n"
        "    src_constant $3, #1 ; 0\n"
        "    tensor_extract $4, $2, $3\n"
        "    tensor_info scalar, $5, $4\n"
        "    src_constant $3, #2 ; 1\n"
        "    tensor_extract $7, $2, $3\n"
        "    tensor_info scalar, $8, $7\n"
        "    string_format $6, #3, [$5, $8] ; \"r={:.3f} {:.3f}\"\n"
        "    io_write $6, stdout, $0, line\n"
        "    exec_halt\n");
  CHECK(parsed(lines) == code);

  const auto two = hex_file("two_outputs");
  const auto outputs = nac::read(bytes(two));
  REQUIRE(outputs);
  CHECK(nac::verify_execution_plan(*outputs) == error{});
  lines.clear();
  nac::print_execution_plan(lines, outputs->execution_plan(), outputs->plan_constants());
  CHECK(std::string(lines.view()).find("model_run_static 0, [$1], [$2, $3]\n") !=
        std::string::npos);
  CHECK(parsed(lines) == copy_of(outputs->execution_plan()));

  for (const char* name : {"mini_v16", "mini_v17", "mini_v18"}) {
    const auto none = hex_file(name);
    const auto empty = nac::read(bytes(none));
    REQUIRE(empty);
    CHECK(nac::verify_execution_plan(*empty) == error{});
  }
}

TEST_CASE("nac/mep_verify: each code, where it is", "[nac]") {
  struct row {
    std::string_view hex;
    errc code;
    std::uint64_t offset;
  };
  const row rows[] = {
      {"ff 00", errc::nac_mep_opcode, 1},
      {"0501 07 ff", errc::nac_mep_opcode, 2},
      {"0501 010000", errc::nac_mep_reserved, 2},
      {"03000000", errc::nac_mep_reserved, 0},
      {"18000000", errc::nac_mep_reserved, 0},
      {"310000000000", errc::nac_mep_reserved, 0},
      {"5000000000", errc::nac_mep_reserved, 0},
      {"510000000000", errc::nac_mep_reserved, 0},
      {"81000000", errc::nac_mep_reserved, 0},
      {"ff af", errc::nac_mep_reserved, 1},
      {"e1000000", errc::nac_mep_reserved, 0},
      {"0501 0400", errc::nac_mep_truncated, 4},
      {"0501 040000", errc::nac_mep_truncated, 4},
      {"fe03 0001", errc::nac_mep_truncated, 4},
      {"a000 a1", errc::nac_mep_truncated, 3},
      {"380000010203", errc::nac_mep_operation, 1},
      {"3804000102", errc::nac_mep_operation, 1},
      {"3901000000", errc::nac_mep_operation, 1},
      {"3a030001", errc::nac_mep_operation, 1},
      {"60060001", errc::nac_mep_operation, 1},
      {"6107000102", errc::nac_mep_operation, 1},
      {"62010001", errc::nac_mep_operation, 1},
      {"6804000102", errc::nac_mep_operation, 1},
      {"0200030000", errc::nac_mep_prompt_type, 2},
      {"1100030000", errc::nac_mep_file_type, 2},
      {"13000104", errc::nac_mep_file_type, 3},
      {"1203020000", errc::nac_mep_extern_kind, 2},
      {"1f0200", errc::nac_mep_unload_kind, 1},
      {"30000a0001", errc::nac_mep_data_type, 2},
      {"3000000401", errc::nac_mep_create_kind, 3},
      {"820002 00 00 0000 00 0000 0000", errc::nac_mep_loss, 2},
      {"e0000103", errc::nac_mep_format, 3},
      {"f000030000", errc::nac_mep_destination, 2},
      {"f000000003", errc::nac_mep_write_mode, 4},
      {"04000700", errc::nac_mep_constant, 2},
      {"0400ffff", errc::nac_mep_constant, 2},
      {"82000000 00 0000 00 0700 0000", errc::nac_mep_constant, 8},
      {"02000001 00", errc::nac_mep_constant_string, 3},
      {"10000100", errc::nac_mep_constant_string, 2},
      {"1100020400", errc::nac_mep_constant_string, 3},
      {"14000500", errc::nac_mep_constant_string, 2},
      {"2200060000", errc::nac_mep_constant_string, 2},
      {"2a00020000", errc::nac_mep_constant_string, 2},
      {"5f000300", errc::nac_mep_constant_string, 2},
      {"82000000 00 0000 00 0000 0100", errc::nac_mep_constant_string, 10},
      {"1203000000", errc::nac_mep_constant_model, 3},
      {"1203000300", errc::nac_mep_constant_model, 3},
      {"1203000400", errc::nac_mep_constant_model, 3},
      {"a800faff", errc::nac_mep_jump, 2},
      {"a8000100", errc::nac_mep_jump, 2},
      {"a8000100 0501", errc::nac_mep_jump, 2},
      {"a8000300 0501", errc::nac_mep_jump, 2},
      {"a800ff7f", errc::nac_mep_jump, 2},
      {"a8000200 a000 0501 a1fbff", errc::nac_mep_jump_into_loop, 2},
      {"a8000400 a000 0501 a1fbff", errc::nac_mep_jump_into_loop, 2},
      {"a000 a000 0501 a1fbff a1f8ff", errc::nac_mep_jump_into_loop, 10},
      {"a000 a9000300 a1f9ff a000 0501 a1fbff", errc::ok, 0},
      {"a000 a9000500 a1f9ff a000 0501 a1fbff", errc::nac_mep_jump_into_loop, 4},
      {"0501 a1fbff", errc::nac_mep_loop_end, 2},
      {"a000 a1fdff a1faff", errc::nac_mep_loop_end, 5},
      {"0501 a000", errc::nac_mep_loop_open, 2},
      {"a000 0501 a000 a1fdff", errc::nac_mep_loop_open, 0},
      {"a000 a1fbff", errc::nac_mep_loop_back, 3},
      {"a000 a10000", errc::nac_mep_loop_back, 3},
      {"0501 a000 a1f9ff", errc::nac_mep_loop_back, 5},
      {"0501 a9000000", errc::nac_mep_break, 2},
      {"a000 a1fdff a9000000", errc::nac_mep_break, 5},
      {"a000 a9000000 a1f9ff", errc::nac_mep_break_target, 4},
      {"a000 a900fcff a1f9ff", errc::nac_mep_break_target, 4},
      {"0501 a000 a900f8ff a1f9ff", errc::nac_mep_break_target, 6},
  };
  for (const row& r : rows) {
    CAPTURE(std::string(r.hex));
    const error e = verify(from_hex(r.hex));
    CHECK(e.name() == error{r.code}.name());
    CHECK(e.offset == (r.code == errc::ok ? 0 : code_at + r.offset));
  }
}

TEST_CASE("nac/mep_verify: a report has every finding", "[nac]") {
  const auto findings = [](std::string_view hex) {
    const buffer source = container(from_hex(hex), from_hex(some_constants), 7);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    tessera::report found;
    const error first = nac::verify_execution_plan(*file, &found);
    std::string out;
    for (const tessera::diagnostic& d : found.diagnostics)
      out += std::string(found.rule_of(d)) + ' ' + std::to_string(d.where.offset - code_at) + '\n';
    if (!found.diagnostics.empty()) CHECK(first.code == found.diagnostics[0].code);
    CHECK(found.errors == found.diagnostics.size());
    return out;
  };
  CHECK(findings("0501") == "");
  // Two loops that never end, the innermost first, and a jump into an operand.
  CHECK(findings("a000 a000 a8000100 0501") ==
        "nac_mep_loop_open 2\nnac_mep_loop_open 0\nnac_mep_jump 6\n");
  // An end too many, and a jump into an operand.
  CHECK(findings("a1fdff a8000100 0501") == "nac_mep_loop_end 0\nnac_mep_jump 5\n");
  // A break outside of all loops doesn't keep from looking at loops.
  CHECK(findings("a9000000 a8000200 a000 0501 a1fbff") ==
        "nac_mep_break 0\nnac_mep_jump_into_loop 6\n");
}

TEST_CASE("nac/mep_verify: a model's number is 0 to 255, in any form of number", "[nac]") {
  const buffer code = from_hex("1203000000");
  struct row {
    std::string_view constant;
    bool fits;
  };
  for (const row& r :
       {row{"0000 02 0800 0000000000000000", true}, row{"0000 02 0800 ff00000000000000", true},
        row{"0000 02 0800 0001000000000000", false}, row{"0000 02 0800 ffffffffffffffff", false},
        row{"0000 03 0800 0000000000000000", true},   // 0.0
        row{"0000 03 0800 0000000000e06f40", true},   // 255.0
        row{"0000 03 0800 0000000000007040", false},  // 256.0
        row{"0000 03 0800 0000000000f06f40", false},  // 255.5
        row{"0000 03 0800 000000000000f0bf", false},  // -1.0
        row{"0000 01 0100 01", true}, row{"0000 00 0000", false}}) {
    CAPTURE(std::string(r.constant));
    CHECK(verify(code, r.constant, 1) ==
          (r.fits ? error{} : error{errc::nac_mep_constant_model, code_at + 3}));
  }
}

TEST_CASE("nac/mep_verify: what is accepted", "[nac]") {
  for (const std::string_view hex : {
           "1203000100",
           "1203000200",
           "1203000600",  // a model's number in any form of number
           "a000 0501 a1fbff",
           "a000 a1fdff",                // a body, and none
           "a000 0501 a1fdff",           // back to itself
           "a000 a9000500 a1f9ff 0501",  // a break further on, to the end
           "a000 a8000300 a1f9ff",       // a branch out of a loop
           "a800fcff",
           "a8000000",                          // onto itself, to the end
           "a000 a000 a9000600 a1f9ff a1f4ff",  // out of both loops
           "820000000000000000000000",
           "82ffff 00 00 00 00 00 0000 0000",
       }) {
    CAPTURE(std::string(hex));
    CHECK(verify(from_hex(hex)) == error{});
  }
  // Of constants with the same id the last counts.
  CHECK(verify(from_hex("10000000"), "0000 00 0000 0000 04 0100 61", 2) == error{});
  CHECK(verify(from_hex("10000000"), "0000 04 0100 61 0000 00 0000", 2) ==
        error{errc::nac_mep_constant_string, code_at + 2});
}

TEST_CASE("nac/mep_verify: loops as deep as the code is long", "[nac]") {
  constexpr std::size_t depth = 20000;
  buffer code;
  const auto add = [&code](std::string_view hex) {
    const buffer b = from_hex(hex);
    code.insert(code.end(), b.begin(), b.end());
  };
  for (std::size_t i = 0; i < depth; ++i) add("a000");
  for (std::size_t i = 0; i < depth; ++i) add("a1fdff");  // each to itself
  CHECK(verify(code) == error{});
  code.resize(2 * depth + 3);
  for (std::size_t i = 1; i < depth; ++i) add("a1faff");  // each to the loop before it
  CHECK(verify(code) == error{errc::nac_mep_jump_into_loop, code_at + 2 * depth + 4});
  code.clear();
  for (std::size_t i = 0; i < depth; ++i) add("a000 a900 0300 a1f9ff");
  CHECK(verify(code) == error{});
}

TEST_CASE("nac/mep: what the writer refuses", "[nac]") {
  struct row {
    plan_op op;
    std::vector<std::int64_t> operands;
    errc code;
  };
  const row rows[] = {
      {static_cast<plan_op>(0x00), {}, errc::nac_mep_opcode},
      {plan_op::src_cmd_arg, {0, 0}, errc::nac_mep_reserved},
      {plan_op::src_constant, {0}, errc::nac_mep_operand_count},
      {plan_op::src_constant, {0, 0, 0}, errc::nac_mep_operand_count},
      {plan_op::exec_return, {2, 0}, errc::nac_mep_operand_count},
      {plan_op::src_constant, {256, 0}, errc::nac_mep_operand_range},
      {plan_op::src_constant, {-1, 0}, errc::nac_mep_operand_range},
      {plan_op::src_constant, {0, 65536}, errc::nac_mep_operand_range},
      {plan_op::exec_return, {256}, errc::nac_mep_operand_range},
      {plan_op::io_write, {0, 3, 0, 0}, errc::nac_mep_destination},
      {plan_op::tensor_manipulate, {0, 0, 0, 0}, errc::nac_mep_operation},
      {plan_op::flow_loop_end, {0}, errc::nac_mep_label_unknown},
      {plan_op::flow_loop_end, {1}, errc::nac_mep_label_unknown},
  };
  for (const row& r : rows) {
    nac::parts p;
    nac::plan_writer w(p);
    (void)w.new_label();  // which nobody places
    w.emit(plan_op::exec_halt);
    w.emit(r.op, view<std::int64_t>(r.operands.data(), r.operands.size()));
    w.emit(plan_op::exec_halt);
    const error e = w.finish();
    CHECK(e.name() == error{r.code}.name());
    CHECK(e.offset == 1);
    CHECK(p.plan.size == 0);
  }
}

TEST_CASE("nac/mep: jumps reach 32 KiB and no byte more", "[nac]") {
  const auto back = [](std::size_t between) {
    nac::parts p;
    nac::plan_writer w(p);
    const auto first = w.new_label();
    w.place(first);
    for (std::size_t i = 0; i < between; ++i) w.emit(plan_op::exec_halt);
    w.emit(plan_op::flow_loop_end, {first});
    return w.finish();
  };
  CHECK(back(32765) == error{});
  CHECK(back(32766) == error{errc::nac_mep_jump_range, 32766});
  const auto forward = [](std::size_t between) {
    nac::parts p;
    nac::plan_writer w(p);
    const auto last = w.new_label();
    w.emit(plan_op::flow_branch_if, {0, last});
    for (std::size_t i = 0; i < between; ++i) w.emit(plan_op::exec_halt);
    w.place(last);
    return w.finish();
  };
  CHECK(forward(32767) == error{});
  CHECK(forward(32768) == error{errc::nac_mep_jump_range, 0});

  std::string source = "flow_branch_if $0, far\n";
  for (int i = 0; i < 32767; ++i) source += "exec_halt\n";
  CHECK(parsed(source + "far:\n").size() == 32771);
  nac::parts p;
  source += "exec_halt\nfar:\n";
  nac::detail::lexer in(source);
  CHECK_FALSE(nac::detail::parse_plan(in, p));
  CHECK(in.error() == error{errc::nac_mep_jump_range, 19});
}

TEST_CASE("nac/mep: constants of every type, and no more than ids can address", "[nac]") {
  nac::parts p;
  nac::plan_writer w(p);
  CHECK(w.null() == 0);
  CHECK(w.boolean(true) == 1);
  CHECK(w.float64(-0.5) == 2);
  const std::int32_t integers[] = {-1, 2};
  const float floats[] = {0.5f};
  CHECK(w.int32_list({integers, 2}) == 3);
  CHECK(w.float32_list({floats, 1}) == 4);
  CHECK(w.finish() == error{});
  CHECK(p.plan_constants[1].bits == 1);
  CHECK(p.plan_constants[2].float64() == -0.5);
  CHECK(p.numbers_of(p.plan_constants[3].values)[0] == 0xffffffff);
  CHECK(p.numbers_of(p.plan_constants[4].values)[0] == 0x3f000000);

  p.plan_constants.push_back({65534, nac::constant_type::null, 0, {}});
  nac::plan_writer more(p);
  CHECK(more.int64(1) == 65535);
  CHECK(more.error() == error{});
  CHECK(more.int64(1) == 0);
  CHECK(more.finish() == error{errc::nac_mep_constants, 0});
}

TEST_CASE("nac/mep_text: comments show values, long ones cut", "[nac]") {
  // 50 letters é, a list of seven, nan, -inf, 0.1, true
  std::string long_text;
  for (int i = 0; i < 50; ++i) long_text += "c3a9";
  const std::string constants =
      "0000 04 6400" + long_text +
      "0100 05 0700 ffffffff 01000000 02000000 03000000 04000000 05000000 06000000"
      "0200 03 0800 000000000000f87f  0300 03 0800 000000000000f0ff"
      "0400 03 0800 9a9999999999b93f  0500 01 0100 01  0600 06 0100 0000003f 0700 00 0000";
  const buffer source = container(from_hex("ff"), from_hex(constants), 8);
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const buffer code =
      from_hex("04000000 04000100 04000200 04000300 04000400 04000500 04000600 04000700 04000800");
  text out;
  nac::print_execution_plan(out, code, file->plan_constants());
  std::string cut;
  for (int i = 0; i < 20; ++i) cut += "\xc3\xa9";
  CHECK(std::string(out.view()) == "    src_constant $0, #0 ; \"" + cut +
                                       "\"...\n"
                                       "    src_constant $0, #1 ; [-1, 1, 2, 3, 4, 5, ...]\n"
                                       "    src_constant $0, #2 ; nan\n"
                                       "    src_constant $0, #3 ; -inf\n"
                                       "    src_constant $0, #4 ; 0.1\n"
                                       "    src_constant $0, #5 ; true\n"
                                       "    src_constant $0, #6 ; [0.5]\n"
                                       "    src_constant $0, #7 ; null\n"
                                       "    src_constant $0, #8\n");
  CHECK(parsed(out) == code);
}

TEST_CASE("nac/mep_text: what a person may write", "[nac]") {
  CHECK(parsed("\n; nothing but this\nagain: sys_copy $1, $0x10 ; a label before it\n\n"
               "flow_loop_end again\nflow_branch_if $1, -4\nbytes 0x00\nbytes 0xff01\nend\nrest") ==
        from_hex("590110 a1faff a801fcff 00 ff01"));
  CHECK(parsed("math_unary 77, $1, $2") == from_hex("604d0102"));
  CHECK(parsed("exec_return [\n  $1,\n  $2 ]\nend") == from_hex("fe020102"));
  CHECK(parsed("").empty());
  CHECK(parsed("end").empty());
}

TEST_CASE("nac/mep_text: each code, where it is", "[nac]") {
  struct row {
    std::string_view source;
    errc code;
    std::uint64_t offset;
  };
  std::string many = "exec_return [$0";
  for (int i = 0; i < 255; ++i) many += ",$0";
  many += "]";
  const row rows[] = {
      {"exec_stop", errc::nac_mep_mnemonic, 0},
      {"exec_halt\n  5", errc::nac_mep_mnemonic, 12},
      {"flow_loop_end far", errc::nac_mep_label_unknown, 14},
      {"a: a: exec_halt", errc::nac_mep_label_repeated, 3},
      {"src_constant $0", errc::nac_mep_operand_count, 15},
      {"src_constant $0 #0", errc::nac_mep_operand_count, 16},
      {"src_constant $0, #0, #0", errc::nac_text_line_end, 19},
      {"src_constant 0, #0", errc::nac_text_mark, 13},
      {"src_constant $256, #0", errc::nac_text_range, 14},
      {"src_constant $0, #65536", errc::nac_text_range, 18},
      {"src_constant $0, none", errc::nac_text_mark, 17},
      {"flow_loop_end -32769", errc::nac_text_range, 14},
      {"math_unary cube, $0, $1", errc::nac_mep_choice, 11},
      {"math_unary concat, $0, $1", errc::nac_mep_choice, 11},
      {"tensor_info 3, $0, $1", errc::nac_mep_operation, 12},
      {"exec_return $0", errc::nac_text_mark, 12},
      {"exec_return [$0 $1]", errc::nac_text_mark, 16},
      {many, errc::nac_mep_list, 12},
      {"bytes 00", errc::nac_hex, 6},
      {"bytes 0x0", errc::nac_hex, 6},
      {"bytes 0x0g", errc::nac_hex, 6},
      {"bytes \"a\"", errc::nac_hex, 6},
      {"exec_halt \"", errc::nac_text_string_end, 10},
  };
  for (const row& r : rows) {
    CAPTURE(std::string(r.source));
    nac::parts p;
    nac::detail::lexer in(r.source);
    CHECK_FALSE(nac::detail::parse_plan(in, p));
    CHECK(in.error().name() == error{r.code}.name());
    CHECK(in.error().offset == r.offset);
  }
}

TEST_CASE("nac/mep_text: broken plans read back byte for byte", "[nac]") {
  CHECK(printed(from_hex("a8000000 a800f8ff a8000600 00 0102030405")) ==
        "  L1:\n"
        "    flow_branch_if $0, L2\n"
        "  L2:\n"
        "    flow_branch_if $0, L1\n"
        "    flow_branch_if $0, L3\n"
        "    bytes 0x000102030405\n"
        "  L3:\n");
  CHECK(printed(from_hex("a800ffff a8000100 00ff 6077ffff")) ==
        "    flow_branch_if $0, -1\n"
        "    flow_branch_if $0, 1\n"
        "    bytes 0x00ff6077ffff\n");

  std::uint32_t state = 12345;
  const auto random = [&state](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (int round = 0; round < 3000; ++round) {
    buffer code(random(48));
    // Known opcodes and small numbers more often than by chance.
    for (std::byte& b : code) {
      const std::uint32_t what = random(4);
      b = static_cast<std::byte>(what == 0 ? random(256)
                                 : what == 1
                                     ? static_cast<std::uint32_t>(nac::plan_ops[random(47)].op)
                                     : random(4));
    }
    const std::string out = printed(code);
    const buffer back = parsed(out);
    if (back != code) {
      CAPTURE(out);
      REQUIRE(back == code);
    }
    const error e = verify(code);
    CHECK(e.offset <= code_at + code.size());
    nac::plan_reader in(code);
    std::uint64_t at = 0;
    for (nac::plan_instruction i; in.next(i);) {
      REQUIRE(i.offset == at);
      at += i.size;
    }
    REQUIRE(at == in.offset());
    REQUIRE((in.error().code == errc::ok) == (at == code.size()));
  }
}

TEST_CASE("nac/mep: memory within the stated multiples", "[nac]") {
  {
    const buffer source = container(from_hex("ff"), from_hex("ffff 00 0000"), 1);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    const tessera_tests::allocations used;
    CHECK(nac::verify_execution_plan(*file) == error{});
    CHECK(used.peak() <= 200 * 1024);
  }
  // Sizes between one power of two and the next, since pools double.
  for (std::size_t n = 2000; n <= 4000; n += 250) {
    CAPTURE(n);
    buffer starts(2 * n, std::byte{0});
    for (std::size_t i = 0; i < starts.size(); i += 2) starts[i] = std::byte{0xa0};
    const buffer source = container(starts, {}, 0);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    {
      const tessera_tests::allocations used;
      CHECK(nac::verify_execution_plan(*file).code == errc::nac_mep_loop_open);
      CHECK(used.peak() <= 32 * starts.size() + 1024);
    }
    buffer jumps;  // each to the one before it
    for (std::size_t i = 0; i < n; ++i)
      for (const unsigned b : {0xa1u, 0xfau, 0xffu}) jumps.push_back(static_cast<std::byte>(b));
    text out;
    out.reserve(64 * n);
    {
      const tessera_tests::allocations used;
      nac::print_execution_plan(out, jumps, nac::constants());
      CHECK(used.peak() <= 6 * jumps.size() + 1024);
    }
    std::string labels;
    for (std::size_t i = 0; i < n; ++i) labels += "a:";
    {
      const tessera_tests::allocations used;
      nac::parts p;
      nac::detail::lexer in(labels);
      CHECK_FALSE(nac::detail::parse_plan(in, p));
      CHECK(in.error() == error{errc::nac_mep_label_repeated, 2});
      CHECK(used.peak() <= 20 * labels.size() + 1024);
    }
    std::string halts;
    for (std::size_t i = 0; i < n; ++i) halts += "bytes 0xffffffffffffffffffff\n";
    {
      const tessera_tests::allocations used;
      nac::parts p;
      nac::detail::lexer in(halts);
      CHECK(nac::detail::parse_plan(in, p));
      CHECK(used.peak() <= 20 * halts.size() + 1024);
    }
  }
}
