// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>

#include "build.hpp"
#include "vm/genome/parameters.hpp"

using namespace vm_genome_tests;
using tessera::nac::operation;

namespace {

/// One operation over inputs [1, 2], [3, 5] … as many as D needs.
struct single {
  graph g;
  std::string operator()(const std::string& name, const std::string& order, std::int16_t c,
                         const inputs& d) {
    std::vector<reals> given;
    const reals all[] = {{1, 2}, {3, 5}, {10, 20}, {7, 11}};
    for (std::size_t i = 0; i < 4; ++i) {
      g.input();
      given.push_back(all[i]);
    }
    g.output({g.op(name, order, c, d)});
    return g.run(given);
  }
};

}  // namespace

TEST_CASE("vm/genome/arguments: letters have names", "[vm_genome]") {
  for (std::size_t i = 1; i < tessera::nac::operation_count; ++i) {
    const auto o = static_cast<operation>(i);
    INFO(tessera::nac::name(o));
    std::size_t names = 1, letters = 0;
    for (const char c : tessera::nac::operations[i].parameters) names += c == ' ' ? 1u : 0u;
    for (const char c : tessera::nac::pattern(o)) letters += c != '?' && c != '*' ? 1u : 0u;
    CHECK(names == letters);
  }
  CHECK(vm::letter_of(operation::softmax, "dtype") == 2);
  CHECK(vm::letter_of(operation::attention, "scale") == 6);
  CHECK(vm::letter_of(operation::linear, "device") == vm::no_letter);
  CHECK(vm::letter_at("tt?Tl*", 3) == 'l');
  CHECK(vm::letter_at("tt?Tl*", 4) == 0);
}

TEST_CASE("vm/genome/arguments: tensors in the order of the variation", "[vm_genome]") {
  const std::string sub = "aten.sub.Tensor:node_args(2):kwargs()";
  CHECK(single()(sub, "in0,in1", 0, {0, 1}) == "f32 [2] -2 -3");
  CHECK(single()(sub, "in1,in0", 0, {0, 1}) == "f32 [2] 2 3");
  CHECK(single()("aten.add.Tensor:node_args(1):kwargs()", "in0,in0", 0, {1}) == "f32 [2] 6 10");
  const std::string addmm = "aten.addmm.default:node_args(3):kwargs()";
  graph g;  // 3 columns of [1, 2], then one of them: 1 · [5] + 100
  for (int i = 0; i < 3; ++i) g.input();
  const auto c = g.constant("list", "[1, -1]");
  for (std::int32_t i = 0; i < 3; ++i)
    g.op("aten.view.default:node_args(1):kwargs()", "in0", c, {i});
  g.output({g.op(addmm, "in2,in0,in1", 0, {3, 4, 5})});
  CHECK(g.run({{2}, {5}, {100}}) == "f32 [1, 1] 110");
  CHECK(g.run({{3}, {100}, {5}}) == "f32 [1, 1] 305");
}

TEST_CASE("vm/genome/arguments: lists of tensors", "[vm_genome]") {
  const std::string cat = "aten.cat.default:node_args(3):kwargs()";
  CHECK(single()(cat, "", 0, {0, 1, 2}) == "f32 [6] 1 2 3 5 10 20");
  single s;
  CHECK(s(cat, "", s.g.constant("int", "-1"), {1, 0}) == "f32 [4] 3 5 1 2");
  // Of index, the list is what the variation leaves, wherever it is in D.
  graph g;
  const auto start = g.constant("int", "2");
  g.input();
  g.op("aten.arange.default:node_args(0):kwargs()", "", start, {});
  g.op("aten.index.Tensor:node_args(2):kwargs()", "in0", 0, {0, 1});
  g.op("aten.index.Tensor:node_args(2):kwargs()", "in1", 0, {1, 2});
  g.output({2, 3});
  CHECK(g.run({{7, 8, 9}}) == "f32 [2] 7 8; f32 [2] 7 8");
  // einsum has its equation in front of them.
  single e;
  CHECK(e("aten.einsum.default:node_args(2):kwargs()", "", e.g.constant("str", R"("i,j->ji")"),
          {0, 1}) == "f32 [2, 2] 3 6 5 10");
}

TEST_CASE("vm/genome/arguments: groups and keywords", "[vm_genome]") {
  {
    single s;
    const auto c =
        s.g.group({{"alpha", s.g.constant("int", "2")}, {"arg1", s.g.constant("int", "5")}});
    CHECK(s("aten.add.Tensor:node_args(1):kwargs('alpha',)", "in0", c, {0}) == "f32 [2] 11 12");
  }
  {  // one keyword has the only constant
    single s;
    CHECK(s("aten.sub.Tensor:node_args(2):kwargs('alpha',)", "in0,in1",
            s.g.constant("float", "0.5"), {0, 1}) == "f32 [2] -0.5 -0.5");
  }
  {  // positions around tensors
    single s;
    const auto c =
        s.g.group({{"arg1", s.g.constant("list", "[2]")}, {"arg4", s.g.constant("float", "3.75")}});
    // [1, 2] has a variance of 0.25: (x - 1.5) / sqrt(4), times [3, 5], plus [10, 20]
    CHECK(s("aten.layer_norm.default:node_args(3):kwargs()", "in0,in1,in2", c, {0, 1, 2}) ==
          "f32 [2] 9.25 21.25");
  }
  {  // dim and dtype by their names; device and pin_memory without effect
    single s;
    const auto c = s.g.group({{"arg0", s.g.constant("int", "3")},
                              {"device", s.g.constant("torch.device", R"("cpu")")},
                              {"dtype", s.g.constant("torch.dtype", R"("torch.int32")")},
                              {"layout", s.g.constant("torch.layout", R"("torch.strided")")},
                              {"pin_memory", s.g.constant("bool", "false")}});
    CHECK(s("aten.arange.default:node_args(0):kwargs('device', 'dtype', 'layout', 'pin_memory')",
            "", c, {}) == "i32 [3] 0 1 2");
  }
  {
    single s;
    const auto c = s.g.group(
        {{"dim", s.g.constant("list", "[0]")}, {"keepdim", s.g.constant("bool", "true")}});
    CHECK(s("aten.sum.dim_IntList:node_args(1):kwargs('dim', 'keepdim')", "in0", c, {1}) ==
          "f32 [1] 8");
  }
  {  // a keyword after ones that are missing
    single s;
    CHECK(s("aten.sum.default:node_args(1):kwargs('dtype',)", "in0",
            s.g.constant("torch.dtype", R"("torch.float64")"), {1}) == "f64 [] 8");
  }
}

TEST_CASE("vm/genome/arguments: tensors with keywords", "[vm_genome]") {
  // Attention of one query over two keys, with a mask by name that hides the second one.
  graph g;
  for (int i = 0; i < 4; ++i) g.input();
  const auto c = g.constant("list", "[1, -1, 1]");
  for (std::int32_t i = 0; i < 3; ++i)
    g.op("aten.view.default:node_args(1):kwargs()", "in0", c, {i});
  g.op("aten.gt.Scalar:node_args(1):kwargs()", "in0", g.constant("int", "0"), {3});
  // Names as text: arg0, arg1, arg2, attn_mask. The query is of one row.
  g.op("aten.scaled_dot_product_attention.default:node_args(4):kwargs('attn_mask',)",
       "in0,in1,in2,in3", 0, {4, 5, 6, 7});
  g.output({8});
  CHECK(g.run({{1}, {1, 1}, {3, 5}, {1, -1}}) == "f32 [1, 1, 1] 3");
}

TEST_CASE("vm/genome/arguments: a constant without a key", "[vm_genome]") {
  {
    single s;  // after the tensor
    CHECK(s("aten.rsub.Scalar:node_args(1):kwargs()", "in0", s.g.constant("int", "1"), {1}) ==
          "f32 [2] -2 -4");
  }
  for (const bool in_front : {false, true}) {  // 1 - x has a key, x - 1 needs none
    single s;
    const auto one = s.g.constant("int", "1");
    CHECK(s("aten.sub.Tensor:node_args(1):kwargs()", "in0",
            in_front ? s.g.group({{"arg0", one}}) : one,
            {1}) == (in_front ? "f32 [2] -2 -4" : "f32 [2] 2 4"));
  }
  {
    single s;  // before it, only by its name
    CHECK(s("aten.pow.Scalar:node_args(1):kwargs()", "in0", s.g.constant("int", "2"), {1}) ==
          "f32 [2] 8 32");
  }
  {
    single s;
    CHECK(s("aten.pow.Tensor_Scalar:node_args(1):kwargs()", "in0", s.g.constant("int", "2"), {1}) ==
          "f32 [2] 9 25");
  }
  {  // condition, number, tensor; condition, tensor, number
    graph g;
    const auto zero = g.constant("int", "0"), number = g.constant("int", "-4");
    g.input();
    g.op("aten.gt.Scalar:node_args(1):kwargs()", "in0", zero, {0});
    g.op("aten.where.ScalarSelf:node_args(2):kwargs()", "in1,in0", number, {0, 1});
    g.op("aten.where.ScalarOther:node_args(2):kwargs()", "in1,in0", number, {0, 1});
    g.output({2, 3});
    CHECK(g.run({{-1, 1}}) == "f32 [2] -1 -4; f32 [2] -4 1");
  }
  {  // where letters of tensors would take a tensor for it
    single s;
    // An eps of 1e-5: 10 - 3 and 20 + 5, but for it.
    CHECK(s("aten.layer_norm.default:node_args(3):kwargs()", "in0,in1,in2",
            s.g.constant("immutable_list", "[2]"), {0, 1, 2}) == "f32 [2] 7.00006 24.9999");
  }
  {  // a number that tensors could also be
    graph g;
    for (int i = 0; i < 3; ++i) g.input();
    const auto shape = g.constant("list", "[1, 2, 1]"), groups = g.constant("int", "2");
    g.op("aten.view.default:node_args(1):kwargs()", "in0", shape, {0});
    g.output(
        {g.op("aten.group_norm.default:node_args(3):kwargs()", "in2,in0,in1", groups, {1, 2, 3})});
    // Each of its groups is one element, so its own mean.
    CHECK(g.run({{1, 2}, {3, 5}, {10, 20}}) == "f32 [1, 2, 1] 10 20");
  }
  {
    graph g;
    g.input();
    const auto two = g.constant("int", "2");
    g.op("aten.arange.default:node_args(0):kwargs()", "", two, {});
    g.op("aten.index_select.default:node_args(2):kwargs()", "in0,in1", g.constant("int", "0"),
         {0, 1});
    g.output({2});
    CHECK(g.run({{4, 5, 6}}) == "f32 [2] 4 5");
  }
}

TEST_CASE("vm/genome/arguments: constants of every type", "[vm_genome]") {
  const std::string full = "aten.full.default:node_args(0):kwargs()";
  const auto filled = [&](const char* type, const char* json, const char* list = "list",
                          const char* dims = "[2]") {
    single s;
    const auto c =
        s.g.group({{"arg0", s.g.constant(list, dims)}, {"arg1", s.g.constant(type, json)}});
    return s(full, "", c, {});
  };
  CHECK(filled("int", "9223372036854775807").substr(0, 7) == "i64 [2]");
  CHECK(filled("float", "1.5", "tuple") == "f32 [2] 1.5 1.5");
  CHECK(filled("float", R"("-inf")", "immutable_list") == "f32 [2] -inf -inf");
  CHECK(filled("float", R"("nan")") == "f32 [2] nan nan");
  CHECK(filled("bool", "true", "list", "[1, 2]") == "bool [1, 2] 1 1");
  CHECK(filled("int", "4", "list", "[]") == "i64 [] 4");

  single null;
  const auto c = null.g.group(
      {{"arg1", null.g.constant("NoneType", "null")}, {"arg2", null.g.constant("float", "4")}});
  CHECK(null("aten.clamp.default:node_args(1):kwargs()", "in0", c, {1}) == "f32 [2] 3 4");
  single string;
  CHECK(string("aten.gelu.default:node_args(1):kwargs('approximate',)", "in0",
               string.g.constant("str", R"("none")"), {2}) == "f32 [2] 10 20");
  single type;
  CHECK(type("aten._to_copy.default:node_args(1):kwargs('dtype',)", "in0",
             type.g.constant("torch.dtype", R"("torch.bool")"), {2}) == "bool [2] 1 1");
  single order;
  CHECK(order("aten.clone.default:node_args(1):kwargs('memory_format',)", "in0",
              order.g.constant("torch.memory_format", R"("torch.contiguous_format")"),
              {2}) == "f32 [2] 10 20");
  single slice;
  CHECK(slice("<built-in function getitem>:node_args(1):kwargs()", "in0",
              slice.g.constant("slice", "[1, null, null]"), {2}) == "f32 [1] 20");
}

TEST_CASE("vm/genome/arguments: Python's operators", "[vm_genome]") {
  const auto of = [](const std::string& name, const char* number) {
    single s;
    return s("<built-in function " + name + ">:node_args(1):kwargs()", "in0",
             s.g.constant("int", number), {1});
  };
  CHECK(of("getitem", "1") == "f32 [] 5");
  CHECK(of("mul", "3") == "f32 [2] 9 15");
  CHECK(of("add", "3") == "f32 [2] 6 8");
  CHECK(of("sub", "3") == "f32 [2] 0 2");
  CHECK(of("truediv", "2") == "f32 [2] 1.5 2.5");
  CHECK(of("floordiv", "2") == "f32 [2] 1 2");
  CHECK(of("mod", "2") == "f32 [2] 1 1");
  CHECK(of("pow", "2") == "f32 [2] 9 25");
  CHECK(of("lt", "4") == "bool [2] 1 0");
  CHECK(of("nothing", "4") == "genome_run_operation at 4 (20)");
}

TEST_CASE("vm/genome/arguments: what is refused", "[vm_genome]") {
  const auto refused = [](const std::string& name, const std::string& order, const char* type,
                          const char* json, const inputs& d) {
    single s;
    return s(name, order, s.g.constant(type, json), d);
  };
  const std::string arguments = "genome_run_arguments at 4 (20)",
                    constant = "genome_run_constant at 4 (20)";
  CHECK(single()("aten.made_up.default:node_args(1):kwargs()", "in0", 0, {0}) ==
        "genome_run_operation at 4 (20)");
  CHECK(single()("aten.linear.default:node_args(1):kwargs()", "in0", 0, {0}) == arguments);
  CHECK(single()("aten.relu.default:node_args(2):kwargs()", "in0,in1", 0, {0, 1}) == arguments);
  CHECK(refused("aten.relu.default:node_args(1):kwargs('inplace',)", "in0", "bool", "true", {0}) ==
        arguments);
  CHECK(refused("aten.relu.default:node_args(1):kwargs('inplace',)", "in0", "bool", "false", {0}) ==
        "f32 [2] 1 2");
  CHECK(refused("aten.ones_like.default:node_args(1):kwargs('layout',)", "in0", "torch.layout",
                R"("torch.sparse_coo")", {0}) == arguments);
  CHECK(refused("aten.softmax.int:node_args(1):kwargs()", "in0", "str", R"("x")", {0}) ==
        arguments);
  CHECK(refused("aten.view.default:node_args(1):kwargs()", "in0", "list", "[null, 2]", {0}) ==
        constant);
  CHECK(refused("aten.view.default:node_args(1):kwargs()", "in0", "list", "[[2]]", {0}) ==
        constant);
  CHECK(refused("aten.add.Tensor:node_args(1):kwargs()", "in0", "int", "9223372036854775808",
                {0}) == constant);
  CHECK(refused("aten.add.Tensor:node_args(1):kwargs()", "in0", "slice", "[0, 1, 1]", {0}) ==
        constant);
  // What only the values show.
  CHECK(single()("aten.matmul.default:node_args(2):kwargs()", "in0,in1", 0, {0, 1}) == "f32 [] 13");
  graph g;
  g.input(), g.input();
  g.output({g.op("aten.add.Tensor:node_args(2):kwargs()", "in0,in1", 0, {0, 1})});
  CHECK(g.run({{1, 2}, {1, 2, 3}}) == "nac_run_shape at 2 (10)");
}

TEST_CASE("vm/genome/arguments: limits", "[vm_genome]") {
  // 32 constants of a group, which are more dimensions than tensors have; and one more.
  for (const int count : {32, 33}) {
    single s;
    const auto one = s.g.constant("int", "1");
    std::vector<std::pair<std::string, std::int16_t>> parts;
    for (int k = 1; k <= count; ++k) parts.push_back({"arg" + std::to_string(k), one});
    std::sort(parts.begin(), parts.end());
    const std::string given =
        s("aten.view.default:node_args(1):kwargs()", "in0", s.g.group(parts), {0});
    CHECK(given == (count == 32 ? "nac_run_rank at 4 (20)" : "genome_run_arguments at 4 (20)"));
  }
  // 255 arguments, and one more.
  for (const int count : {254, 255}) {
    graph g;
    const auto axis = g.constant("int", "0");
    g.input();
    const inputs all(static_cast<std::size_t>(count), 0);
    g.op("aten.cat.default:node_args(255):kwargs()", "", axis, all);
    g.output({g.op("aten.sum.default:node_args(1):kwargs()", "in0", 0, {1})});
    CHECK(g.run({{2}}) == (count == 254 ? "f32 [] 508" : "genome_run_arguments at 1 (5)"));
  }
}
