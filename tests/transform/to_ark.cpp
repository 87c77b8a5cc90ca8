// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Containers as ARK's models: each operation and composition, on both machines, and back.

#include "converted.hpp"

using namespace convert_tests;
using nac::data_type;
using transform::input_form;

namespace {

/// A program of one expression over inputs a, b, c …, of these shapes.
struct expression {
  std::string text;  ///< lines before it end with ';'
  std::vector<std::vector<std::int64_t>> shapes;
  data_type type = data_type::float32;
};
[[nodiscard]] std::string program_of(const expression& e) {
  std::string out = "nac 1.8\ncode:\n";
  for (std::size_t i = 0; i < e.shapes.size(); ++i)
    out += std::string("  ") + static_cast<char>('a' + i) + " = input\n";
  std::string_view left = e.text;
  for (std::size_t end = left.find(';'); end != left.npos; end = left.find(';')) {
    out += "  " + std::string(left.substr(0, end)) + '\n';
    left.remove_prefix(std::min(left.size(), end + 2));
  }
  return out + "  result = " + std::string(left) + "\n  output(result)\n";
}
[[nodiscard]] std::vector<input_form> forms_of(const expression& e) {
  std::vector<input_form> out;
  for (std::size_t i = 0; i < e.shapes.size(); ++i)
    out.push_back({std::string(1, static_cast<char>('a' + i)), e.type, e.shapes[i]});
  return out;
}
void check(const expression& e, double slack = 1) {
  INFO(e.text << " of " << nac::name(e.type));
  const transform_tests::container made(program_of(e));
  for (std::uint64_t seed = 1; seed < 3; ++seed)
    round_trip(made.program(), forms_of(e), seed, slack);
}
[[nodiscard]] std::string refused(const expression& e, errc code = errc::nac_to_ark_operation) {
  INFO(e.text);
  const transform_tests::container made(program_of(e));
  return refusal(made.program(), forms_of(e), code);
}
constexpr data_type floats[] = {data_type::float32, data_type::float16, data_type::bfloat16};

}  // namespace

TEST_CASE("transform/to_ark: functions of one element", "[transform]") {
  for (const data_type t : floats)
    for (const std::string_view f : {"aten.relu.default(a)",
                                     "nac.neg(a)",
                                     "aten.exp.default(a)",
                                     "aten.sigmoid.default(a)",
                                     "aten.silu.default(a)",
                                     "aten.tanh.default(a)",
                                     "aten.gelu.default(a)",
                                     "aten.gelu.default(a, \"tanh\")",
                                     "aten.abs.default(a)",
                                     "aten.square.default(a)",
                                     "aten.relu6.default(a)",
                                     "aten.hardtanh.default(a)",
                                     "aten.hardtanh.default(a, -0.5, 1.5)",
                                     "aten.hardswish.default(a)",
                                     "aten.hardsigmoid.default(a)",
                                     "aten.leaky_relu.default(a)",
                                     "aten.leaky_relu.default(a, 0.25)",
                                     "aten.elu.default(a)",
                                     "aten.elu.default(a, 0.5)",
                                     "aten.clamp.default(a, -0.25)",
                                     "aten.clamp.default(a, null, 0.75)",
                                     "aten.clamp.default(a, -1, 1)",
                                     "aten.clamp.default(a, -inf, 0.5)",
                                     "aten.clamp.default(a, -0.5, inf)",
                                     "aten.clamp_max.default(a, 0.5)",
                                     "aten.pow.Tensor_Scalar(a, 2)",
                                     "aten.pow.Tensor_Scalar(a, 3)",
                                     "aten.pow.Tensor_Scalar(a, 4.0)",
                                     "aten.pow.Tensor_Scalar(a, 1)"})
      check({std::string(f), {{3, 5}}, t});
  for (const data_type t : floats)
    for (const std::string_view f :
         {"aten.sqrt.default(p)", "aten.rsqrt.default(p)", "aten.reciprocal.default(p)",
          "aten.pow.Tensor_Scalar(p, 0.5)", "aten.pow.Tensor_Scalar(p, -0.5)",
          "aten.pow.Tensor_Scalar(p, -1)", "aten.pow.Tensor_Scalar(p, -2)"})
      check({"p = nac.add(a, 3); " + std::string(f), {{3, 5}}, t});
}

TEST_CASE("transform/to_ark: large and small elements of gelu and tanh", "[transform]") {
  for (const std::string_view by : {"0.001", "1", "20", "300"})
    for (const std::string_view f : {"aten.gelu.default(x)", "aten.silu.default(x)"})
      check({"x = nac.mul(a, " + std::string(by) + "); " + std::string(f), {{64}}});
  check({"x = nac.mul(a, 20); aten.tanh.default(x)", {{64}}});
}

TEST_CASE("transform/to_ark: functions that take many operations", "[transform]") {
  for (const data_type t : floats)
    for (const std::string_view f : {"aten.selu.default(a)",
                                     "aten.celu.default(a, 0.5)",
                                     "aten.softplus.default(a)",
                                     "aten.softplus.default(a, 2)",
                                     "aten.mish.default(a)",
                                     "aten.log_sigmoid.default(a)",
                                     "aten.erf.default(a)",
                                     "aten.erfc.default(a)",
                                     "aten.sin.default(a)",
                                     "aten.cos.default(a)",
                                     "aten.sign.default(a)",
                                     "aten.softshrink.default(a, 0.25)",
                                     "aten.hardshrink.default(a, 0.25)",
                                     "aten.threshold.default(a, 0.25, -1.0)",
                                     "aten.log_softmax.int(a, 0)",
                                     "aten.log_softmax.int(a, -1)",
                                     "aten.glu.default(a, 0)",
                                     "aten.amin.default(a, [1])",
                                     "p = nac.add(a, 3); aten.log.default(p)",
                                     "p = nac.add(a, 3); aten.log2.default(p)",
                                     "p = nac.add(a, 3); aten.log10.default(p)"})
      check({std::string(f), {{6, 4}}, t});
  check({"w = nac.full([4], 0.125); aten.prelu.default(a, w)", {{2, 4, 3}}});
  check({"w = nac.full([1], 0.125); aten.prelu.default(a, w)", {{6}}});
  // From very small to very large numbers.
  for (const std::string_view by : {"1e-30", "0.001", "1", "20", "30"})
    for (const std::string_view f :
         {"aten.softplus.default(x)", "aten.mish.default(x)", "aten.log_sigmoid.default(x)",
          "aten.erf.default(x)", "aten.sign.default(x)",
          "e = aten.exp.default(x); aten.log.default(e)"})
      check({"x = nac.mul(a, " + std::string(by) + "); " + std::string(f), {{64}}});
  for (const std::string_view by : {"0.01", "10", "1000", "8000"})
    for (const std::string_view f : {"aten.sin.default(x)", "aten.cos.default(x)"})
      check({"x = nac.mul(a, " + std::string(by) + "); " + std::string(f), {{64}}}, 2);
}

TEST_CASE("transform/to_ark: comparisons and truth values", "[transform]") {
  const char* const all[] = {"nac.gt(a, b)",        "aten.ge.Tensor(a, b)", "aten.lt.Tensor(a, b)",
                             "nac.le(a, b)",        "aten.eq.Tensor(a, b)", "aten.ne.Tensor(a, b)",
                             "nac.gt(a, 0)",        "aten.lt.Scalar(a, 1)", "aten.eq.Scalar(a, 0)",
                             "aten.eq.Tensor(a, a)"};
  for (const data_type t : {data_type::float32, data_type::float16, data_type::int32,
                            data_type::int64, data_type::int8, data_type::uint8})
    for (const char* const f : all)
      check({"m = " + std::string(f) + "; aten.to.dtype(m, \"float32\")", {{3, 4}, {4}}, t});
  // Numbers that differ in their last bit, or are denormal, and integers whose difference takes 33 bits.
  for (const std::string_view by : {"1e-44", "1.0000001", "3e38"})
    for (const std::string_view f : {"nac.gt(a, x)", "aten.eq.Tensor(a, x)", "nac.le(x, a)"})
      check({"x = nac.mul(a, " + std::string(by) + "); m = " + std::string(f) +
                 "; aten.to.dtype(m, \"float32\")",
             {{64}}});
  for (const std::string_view f :
       {"nac.gt(x, -2147483648)", "nac.gt(2147483647, x)", "aten.lt.Tensor(x, y)",
        "aten.ge.Tensor(x, y)", "aten.ne.Tensor(x, y)"})
    check({"x = nac.mul(a, 1000000000); y = nac.mul(b, -1000000000); m = " + std::string(f) +
               "; aten.to.dtype(m, \"float32\")",
           {{16}, {16}},
           data_type::int32});
  for (const char* const f :
       {"aten.logical_and.default(x, y)", "aten.logical_or.default(x, y)",
        "aten.logical_xor.default(x, y)", "aten.__and__.Tensor(x, y)", "aten.__or__.Tensor(x, y)",
        "aten.__xor__.Tensor(x, y)", "aten.bitwise_not.default(x)", "aten.logical_not.default(y)",
        "aten.logical_not.default(a)", "aten.logical_and.default(a, y)"})
    check({"x = nac.gt(a, 0); y = nac.gt(b, 0); " + std::string(f), {{3, 4}, {4}}});
  check({"m = aten.to.dtype(a, \"bool\"); nac.mul(m, b)", {{3, 4}, {4}}});
  check({"m = nac.gt(a, 0); nac.where(m, a, b)", {{3}, {3}}});
  for (const data_type t : floats)
    for (const char* const f : {"aten.maximum.default(a, b)", "aten.minimum.default(b, a)"})
      check({f, {{3, 4}, {4}}, t});
}

TEST_CASE("transform/to_ark: transposed convolutions, and images that grow", "[transform]") {
  const auto filters = [](const std::string& shape, int n) {
    return "r = aten.arange.default(" + std::to_string(n) +
           ", \"float32\"); q = nac.mul(r, 0.37); s = aten.sin.default(q); w = nac.view(s, " +
           shape + "); ";
  };
  check({filters("[3, 2, 3, 2]", 36) + "aten.conv_transpose2d.input(a, w)", {{2, 3, 4, 5}}}, 2);
  check(
      {filters("[3, 2, 3, 3]", 54) + "aten.conv_transpose2d.input(a, w, b, [2, 2], [1, 1], [1, 1])",
       {{2, 3, 4, 5}, {2}}},
      2);
  check({filters("[4, 1, 2, 3]", 24) +
             "aten.conv_transpose2d.input(a, w, null, [2, 3], [0, 1], [0, 0], 2, [2, 1])",
         {{4, 3, 5}}},
        2);
  check({filters("[3, 2, 3, 2]", 36) +
             "h = aten.to.dtype(w, \"float16\"); aten.conv_transpose2d.input(a, h, null, [2, 2])",
         {{2, 3, 4, 5}},
         data_type::float16},
        2);
  check({filters("[2, 2, 2, 2]", 16) + "aten.conv_transpose2d.input(a, w, b, [2, 2])",
         {{1, 2, 1, 1}, {2}}});
  check({"aten.upsample_nearest2d.vec(a, null, [2.0, 2.0])", {{2, 3, 4, 5}}});
  check({"aten.upsample_nearest2d.default(a, [6, 12])", {{1, 2, 3, 4}}});
  for (const std::string_view f : {"aten.upsample_bilinear2d.vec(a, null, false, [2.0, 1.5])",
                                   "aten.upsample_bilinear2d.vec(a, [5, 3], true)",
                                   "aten.upsample_bilinear2d.vec(a, null, false, [0.5, 2.0])",
                                   "aten.upsample_bilinear2d.default(a, [7, 9], false)",
                                   "aten.upsample_bicubic2d.vec(a, [8, 5], false)",
                                   "aten.adaptive_avg_pool2d.default(a, [3, 2])"})
    for (const data_type t : floats) check({std::string(f), {{2, 3, 4, 5}}, t}, 4);
  check({"aten.expand_as.default(a, b)", {{1, 4}, {3, 4}}});
  check({"aten._upsample_bilinear2d_aa.default(a, [2, 3], false)", {{2, 3, 4, 5}}}, 4);
  check({"aten.upsample_linear1d.vec(a, [9], false)", {{2, 3, 4}}}, 4);
  check({"aten.adaptive_avg_pool1d.default(a, [3])", {{2, 3, 7}}}, 4);
}

TEST_CASE("transform/to_ark: arithmetic", "[transform]") {
  for (const data_type t : {data_type::float32, data_type::float16, data_type::int32,
                            data_type::int8, data_type::uint8})
    for (const std::string_view f :
         {"nac.add(a, b)", "nac.sub(a, b)", "nac.mul(a, b)", "nac.add(a, b, 2)", "nac.sub(a, b, 3)",
          "nac.add(a, 1)", "nac.add(2, a)", "nac.sub(a, 1)", "nac.sub(3, a)",
          "aten.rsub.Scalar(a, 2)", "nac.mul(a, 3)", "nac.add(b, a)", "aten.relu.default(a)"})
      check({std::string(f), {{2, 3, 4}, {3, 1}}, t});
  for (const data_type t : floats)
    for (const std::string_view f :
         {"nac.mul(a, 0.1)", "nac.add(a, 0.3)", "nac.div(a, 3)", "d = nac.add(b, 4); nac.div(a, d)",
          "d = nac.add(b, 4); nac.div(2, d)", "nac.add(a, a)"})
      check({std::string(f), {{2, 3, 4}, {3, 1}}, t}, t == data_type::float16 ? 2 : 1);
  // Types that differ, and integers that become floats.
  check({"h = aten.to.dtype(b, \"float16\"); nac.add(a, h)", {{2, 3}, {3}}});
  check({"nac.add(a, 0.5)", {{2, 3}}, data_type::int32});
  check({"nac.div(a, 4)", {{2, 3}}, data_type::int32});
  // More than four dimensions, of which neighbours are alike.
  check(
      {"x = nac.view(a, [2, 1, 3, 2, 1, 4]); y = nac.view(b, [3, 1, 1, 4]); z = nac.add(x, y); "
       "nac.view(z, [12, 4])",
       {{12, 4}, {3, 4}}});
}

TEST_CASE("transform/to_ark: what only moves elements", "[transform]") {
  for (const std::string_view f :
       {"nac.view(a, [4, 6])",
        "nac.view(a, [-1])",
        "nac.transpose(a, 0, 2)",
        "r = aten.arange.default(3); aten.index.Tensor(a, null, r)",
        "r = aten.arange.start(1, 3); s = aten.unsqueeze.default(r, 1); t = "
        "aten.arange.default(4); "
        "aten.index.Tensor(a, null, s, t)",
        "r = aten.arange.start(1, 3); aten.index_select.default(a, 1, r)",
        "aten.repeat_interleave.self_int(a, 2, 1)",
        "aten.permute.default(a, [1, 2, 0])",
        "aten.permute.default(a, [0, 1, 2])",
        "aten.slice.Tensor(a, 1, 1, 3)",
        "aten.slice.Tensor(a, 2, 0, 9223372036854775807, 2)",
        "aten.slice.Tensor(a, 2, 1, 9223372036854775807, 2)",
        "aten.slice.Tensor(a, 1, 0, 3, 2)",
        "aten.select.int(a, 0, 1)",
        "aten.select.int(a, 2, -1)",
        "aten.unsqueeze.default(a, 1)",
        "aten.flatten.using_ints(a, 1, 2)",
        "x = aten.unsqueeze.default(a, 0); aten.squeeze.dim(x, 0)",
        "x = aten.unsqueeze.default(a, 1); y = aten.expand.default(x, [2, 5, 3, 4]); nac.view(y, "
        "[10, 12])",
        "x = aten.select.int(a, 0, 0); aten.expand.default(x, [2, 3, 4])",
        "aten.repeat.default(a, [1, 2, 1])",
        "aten.repeat.default(a, [3, 1, 2, 2])",
        "aten.roll.default(a, [1, -1], [0, 2])",
        "aten.roll.default(a, [5])",
        "aten.tile.default(a, [2, 3])",
        "aten.pad.default(a, [1, 2])",
        "aten.constant_pad_nd.default(a, [0, 1, 2, 0, 1, 1], 3)",
        "x = aten.split.Tensor(a, 2, 1); y = getitem(x, 1); getitem(x, 0)",
        "x = aten.chunk.default(a, 2, 2); y = getitem(x, 0); z = getitem(x, 1); nac.sub(y, z)",
        "x = aten.unbind.int(a, 1); y = getitem(x, 0); z = getitem(x, 2); nac.mul(y, z)",
        "aten.cat.default(a, a, 1)",
        "x = nac.add(a, 1); aten.cat.default(a, x, a, -1)",
        "x = nac.add(a, 1); aten.stack.default(a, x, 1)",
        "aten.clone.default(a)",
        "x = aten.permute.default(a, [2, 0, 1]); y = aten.slice.Tensor(x, 0, 1, 3); "
        "aten.permute.default(y, [2, 1, 0])"})
    for (const data_type t : {data_type::float32, data_type::bfloat16, data_type::int8})
      check({std::string(f), {{2, 3, 4}}, t});
  // Six dimensions in an order that no neighbours keep, and windows of five.
  check(
      {"x = nac.view(a, [2, 3, 2, 2, 3, 2]); y = aten.permute.default(x, [5, 3, 1, 4, 2, 0]); "
       "nac.view(y, [12, 12])",
       {{12, 12}}});
  check(
      {"x = nac.view(a, [2, 5, 3, 2, 4]); y = aten.permute.default(x, [2, 0, 3, 1, 4]); z = "
       "aten.unbind.int(y, 0); u = getitem(z, 0); v = getitem(z, 2); nac.sub(u, v)",
       {{2, 5, 24}}});
  check({"aten.pixel_shuffle.default(a, 2)", {{1, 8, 3, 3}}});
}

TEST_CASE("transform/to_ark: types of elements", "[transform]") {
  for (const std::string_view to : {"float32", "float16", "bfloat16", "int32", "int8"})
    for (const data_type from : {data_type::float32, data_type::float16, data_type::int32}) {
      check({"aten.to.dtype(a, \"" + std::string(to) + "\")", {{30}}, from});
      check({"x = nac.mul(a, 3); aten._to_copy.default(x, \"" + std::string(to) + "\")",
             {{30}},
             from});
    }
}

TEST_CASE("transform/to_ark: reductions", "[transform]") {
  for (const data_type t : floats)
    for (const std::string_view f :
         {"aten.sum.dim_IntList(a, [1])", "aten.sum.dim_IntList(a, [0, 2], true)",
          "aten.sum.default(a)", "aten.mean.dim(a, [-1], true)", "aten.mean.dim(a, [1, 2])",
          "aten.mean.default(a)", "aten.amax.default(a, [1])", "aten.amax.default(a, [0, 1], true)",
          "aten.linalg_vector_norm.default(a)",
          "aten.linalg_vector_norm.default(a, 2, [1, 2], true)",
          "aten.norm.ScalarOpt_dim(a, 1, [1])", "aten.linalg_vector_norm.default(a, inf, [0])",
          "aten.max.default(a)", "aten.min.default(a)", "x = aten.max.dim(a, 1); getitem(x, 0)",
          "x = aten.min.dim(a, -1, true); getitem(x, 0)"})
      check({std::string(f), {{2, 3, 4}}, t});
  check({"aten.amax.default(a, [1])", {{2, 3, 4}}, data_type::int32});
}

TEST_CASE("transform/to_ark: products", "[transform]") {
  const std::vector<expression> all = {
      {"nac.matmul(a, b)", {{3, 4}, {4, 5}}},
      {"nac.matmul(a, b)", {{2, 3, 4}, {4, 5}}},
      {"nac.matmul(a, b)", {{3, 4}, {2, 4, 5}}},
      {"nac.matmul(a, b)", {{2, 1, 3, 4}, {5, 4, 2}}},
      {"nac.matmul(a, b)", {{4}, {4, 5}}},
      {"nac.matmul(a, b)", {{2, 3, 4}, {4}}},
      {"nac.matmul(a, b)", {{4}, {4}}},
      {"aten.mm.default(a, b)", {{3, 4}, {4, 5}}},
      {"aten.bmm.default(a, b)", {{2, 3, 4}, {2, 4, 5}}},
      {"t = aten.t.default(b); aten.mm.default(a, t)", {{3, 4}, {5, 4}}},
      {"aten.linear.default(a, b)", {{2, 3, 4}, {5, 4}}},
      {"aten.linear.default(a, b, c)", {{2, 3, 4}, {5, 4}, {5}}},
      {"aten.addmm.default(a, b, c)", {{5}, {3, 4}, {4, 5}}},
      {"aten.addmm.default(a, b, c, 0.5, 2)", {{3, 5}, {3, 4}, {4, 5}}},
      {"aten.baddbmm.default(a, b, c)", {{2, 3, 5}, {2, 3, 4}, {2, 4, 5}}},
      {"aten.mv.default(a, b)", {{3, 4}, {4}}},
  };
  for (expression e : all)
    for (const data_type t : floats) {
      e.type = t;
      check(e, 4);
    }
  check({"nac.matmul(a, b)", {{2, 3, 4}, {4, 5}}, data_type::int32});
}

TEST_CASE("transform/to_ark: norms and softmax", "[transform]") {
  const std::vector<expression> all = {
      {"aten.softmax.int(a, -1)", {{2, 3, 5}}},
      {"aten._softmax.default(a, 1, false)", {{2, 3, 5}}},
      {"aten.layer_norm.default(a, [5])", {{2, 3, 5}}},
      {"aten.layer_norm.default(a, [5], b, c)", {{2, 3, 5}, {5}, {5}}},
      {"aten.layer_norm.default(a, [3, 5], b, null, 0.1)", {{2, 3, 5}, {3, 5}}},
      {"x = aten.native_layer_norm.default(a, [5], b, c, 0.00001); getitem(x, 0)",
       {{2, 3, 5}, {5}, {5}}},
      {"aten.rms_norm.default(a, [5], b)", {{2, 3, 5}, {5}}},
      {"aten.rms_norm.default(a, [5], null, 0.01)", {{2, 3, 5}}},
      {"aten.group_norm.default(a, 2, b, c)", {{2, 4, 3, 3}, {4}, {4}}},
      {"aten.group_norm.default(a, 4)", {{1, 4, 5}}},
      {"v = nac.add(c, 3); aten.batch_norm.default(a, b, c, c, v, false, 0.1, 0.00001, true)",
       {{2, 3, 4, 4}, {3}, {3}}},
      {"v = nac.add(c, 3); x = aten._native_batch_norm_legit_no_training.default(a, b, null, c, v, "
       "0.1, 0.001); getitem(x, 0)",
       {{2, 3, 4}, {3}, {3}}},
  };
  for (expression e : all)
    for (const data_type t : floats) {
      if (t != data_type::float32 && e.text.find("batch_norm") != std::string::npos) continue;
      e.type = t;
      check(e, 4);
    }
}

TEST_CASE("transform/to_ark: attention", "[transform]") {
  const std::string name = "aten.scaled_dot_product_attention.default(a, b, c";
  const std::vector<std::vector<std::int64_t>> heads = {{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6}};
  for (const std::string_view rest : {")", ", null, 0.0, true)", ", null, 0.0, false, 0.3)"})
    check({name + std::string(rest), heads});
  check({name + ", d)", {{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6}, {3, 5}}});
  check({"ones = nac.ones([3, 5], \"bool\"); mask = aten.tril.default(ones); " + name + ", mask)",
         heads});
  check({"x = aten._scaled_dot_product_flash_attention_for_cpu.default(a, b, c); getitem(x, 0)",
         heads});
  check(
      {"x = aten._scaled_dot_product_flash_attention_for_cpu.default(a, b, c, 0.0, true); "
       "getitem(x, 0)",
       heads});
  check({name + ")", {{3, 4}, {5, 4}, {5, 6}}});
}

TEST_CASE("transform/to_ark: convolutions and pooling", "[transform]") {
  const std::vector<expression> all = {
      {"aten.conv2d.default(a, b)", {{2, 3, 6, 7}, {4, 3, 3, 2}}},
      {"aten.conv2d.default(a, b, c, [1, 1], [1, 1])", {{1, 3, 5, 5}, {4, 3, 3, 3}, {4}}},
      {"aten.conv2d.default(a, b, c, [2, 2], [1, 1])", {{2, 3, 7, 8}, {4, 3, 3, 3}, {4}}},
      {"aten.conv2d.default(a, b, null, [3, 2], [2, 0], [1, 2])", {{2, 2, 7, 9}, {3, 2, 2, 3}}},
      {"aten.conv2d.default(a, b, c, [1, 1], [0, 0], [1, 1])", {{2, 3, 4, 4}, {5, 3, 1, 1}, {5}}},
      {"aten.conv2d.default(a, b, c, [2, 2], [0, 0])", {{2, 3, 4, 5}, {5, 3, 1, 1}, {5}}},
      {"aten.conv2d.default(a, b, c, [1, 1], [1, 1], [1, 1], 4)",
       {{2, 4, 5, 5}, {4, 1, 3, 3}, {4}}},
      {"aten.conv2d.default(a, b, null, [2, 1], [1, 1], [1, 1], 2)", {{2, 4, 5, 5}, {6, 2, 3, 3}}},
      {"aten.conv2d.default(a, b)", {{3, 6, 7}, {4, 3, 3, 2}}},
      {"aten.conv1d.default(a, b, c, [2], [1])", {{2, 3, 9}, {4, 3, 3}, {4}}},
      {"aten.convolution.default(a, b, c, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)",
       {{1, 2, 4, 4}, {3, 2, 3, 3}, {3}}},
      {"aten.max_pool2d.default(a, [2, 2])", {{2, 3, 6, 7}}},
      {"x = aten.max_pool2d_with_indices.default(a, [2, 2]); getitem(x, 0)", {{2, 3, 6, 7}}},
      {"aten.max_pool2d.default(a, [3, 3], [2, 2], [1, 1])", {{2, 3, 7, 7}}},
      {"aten.max_pool2d.default(a, [2, 2], [1, 1], [0, 0], [2, 2])", {{3, 5, 6}}},
      {"aten.avg_pool2d.default(a, [2, 2])", {{2, 3, 6, 7}}},
      {"aten.avg_pool2d.default(a, [3, 3], [2, 2], [1, 1])", {{2, 3, 7, 7}}},
      {"aten.adaptive_avg_pool2d.default(a, [1, 1])", {{2, 3, 5, 4}}},
      {"aten.adaptive_avg_pool2d.default(a, [2, 3])", {{2, 3, 4, 6}}},
      {"aten.conv2d.padding(a, b, c, [2, 1], \"valid\")", {{2, 3, 6, 7}, {4, 3, 3, 2}, {4}}},
      {"aten.conv2d.padding(a, b, null, [1, 1], \"same\", [1, 2])", {{1, 2, 5, 6}, {3, 2, 3, 2}}},
      {"aten.conv1d.padding(a, b, null, [1], \"same\")", {{2, 3, 9}, {4, 3, 5}}},
      {"aten.max_pool1d.default(a, [3], [2], [1])", {{2, 3, 9}}},
      {"aten.avg_pool1d.default(a, [2])", {{2, 3, 8}}},
      {"aten.adaptive_avg_pool1d.default(a, [1])", {{2, 3, 8}}},
      {"aten.adaptive_avg_pool1d.default(a, [4])", {{3, 8}}},
  };
  for (const expression& e : all) check(e, 2);
  for (const data_type t : {data_type::float16, data_type::bfloat16})
    for (expression e : {all[1], all[11]}) {
      e.type = t;
      check(e, 4);
    }
}

TEST_CASE("transform/to_ark: lookups, masks, sizes and constants", "[transform]") {
  for (const data_type t : {data_type::int32, data_type::int64})
    check(
        {"w = nac.full([3, 4], 0.5); x = aten.arange.default(12, \"float32\"); y = nac.view(x, [3, "
         "4]); aten.embedding.default(y, a)",
         {{2, 5}},
         t});
  const std::string mask =
      "r = aten.arange.default(4); c = nac.view(r, [4, 1]); m = nac.le(r, c); ";
  check({mask + "n = aten.logical_not.default(m); aten.masked_fill.Scalar(a, n, -1000.0)",
         {{2, 4, 4}}});
  check({mask + "nac.where(m, a, b)", {{2, 4, 4}, {4}}});
  check({mask + "s = aten.masked_fill.Scalar(a, m, -inf); aten.softmax.int(s, -1)", {{1, 4, 4}}});
  check({"n = aten.sym_size.int(a, 1); x = nac.view(a, n, 2); nac.mul(x, n)", {{2, 3}}});
  check({"z = nac.zeros_like(a); o = nac.full_like(a, 3); x = nac.add(a, z); nac.add(x, o)",
         {{2, 3}}});
  check({"aten.dropout.default(a, 0.5, false)", {{2, 3}}});
  check({"aten.detach_.default(a)", {{2, 3}}});
  check({"x = nac.full([2, 2], 7.5); nac.add(x, 1)", {{2, 3}}});  // computed, and not used
}

TEST_CASE("transform/to_ark: truth values that are inputs", "[transform]") {
  const auto check_masked = [](const std::string& text,
                               std::vector<std::vector<std::int64_t>> shapes) {
    INFO(text);
    shapes.insert(shapes.begin(), {3, 4});
    const expression e{text, shapes};
    const transform_tests::container made(program_of(e));
    std::vector<input_form> forms = forms_of(e);
    forms[0].type = data_type::boolean;
    for (std::uint64_t seed = 1; seed < 4; ++seed) round_trip(made.program(), forms, seed);
  };
  check_masked("nac.where(a, b, c)", {{2, 3, 4}, {4}});
  check_masked("nac.where(a, b, 2.5)", {{3, 4}});
  check_masked("aten.masked_fill.Scalar(b, a, -7)", {{2, 3, 4}});
  check_masked("n = aten.logical_not.default(a); aten.masked_fill.Scalar(b, n, 1)", {{3, 4}});
  check_masked("m = aten.to.dtype(a, \"float32\"); nac.mul(m, b)", {{3, 4}});
  check_masked("nac.mul(b, a)", {{3, 4}});
  check_masked("m = aten.slice.Tensor(a, 0, 1, 3); nac.where(m, b, 0)", {{2, 4}});
  check_masked("nac.view(a, [12])", {});
  check_masked("r = aten.arange.default(4, \"float32\"); nac.where(a, r, b)", {{3, 4}});
  check_masked(
      "m = nac.where(a, -inf, 0.0); r = aten.arange.default(4); z = nac.le(r, 0); k = "
      "aten.masked_fill.Scalar(m, z, 0); s = nac.add(b, k); aten.softmax.int(s, -1)",
      {{2, 3, 4}});
  CHECK(refused({"nac.add(a, 1)", {{3}}, data_type::boolean}, errc::nac_to_ark_type) ==
        "v1 = nac.add: arithmetic of int64; ARK's integers have 32 bits");
}

TEST_CASE("transform/to_ark: attention by a mask that is an input", "[transform]") {
  const transform_tests::container made(program_of(
      {"aten.scaled_dot_product_attention.default(b, c, c, a)", {{3, 4}, {2, 3, 6}, {2, 4, 6}}}));
  std::vector<input_form> forms = {{"a", data_type::boolean, {3, 4}},
                                   {"b", data_type::float32, {2, 3, 6}},
                                   {"c", data_type::float32, {2, 4, 6}}};
  random_numbers from(1);
  std::vector<array> in;
  for (const input_form& f : forms) in.push_back(random_array(f.type, f.shape, from));
  for (std::size_t row = 0; row < 3; ++row)  // each has a key
    in[0].data[row * 4 + row] = std::byte{1};
  in[0].data[1] = in[0].data[7] = std::byte{0};
  round_trip(made.program(), forms, in, 1);
}

TEST_CASE("transform/to_ark: the names of inputs, weights and outputs", "[transform]") {
  const transform_tests::container made(R"(nac 1.8
tensors:
  "w" = f32 [2, 2] hex { 0000803f 00000040 000040c0 0000003f }
  "unused" = f32 [1] hex { 0000803f }
code:
  tokens = input
  w = parameter "w"
  y = aten.linear.default(tokens, w)
  c = nac.full([2], 0.25)
  d = nac.full([2, 2], 4)
  e = nac.mul(w, d)
  z = aten.linear.default(y, e, c)
  output(y, z, tokens)
)");
  const network n = to_ark(made.program(), {{"tokens", data_type::float32, {3, 2}}});
  REQUIRE(n.weights.size() == 3);
  CHECK(n.weights[0].name == "w");
  CHECK(n.weights[0].shape == std::vector<std::int64_t>{2, 2});
  CHECK(n.weights[0].data.size() == 16);
  CHECK(n.weights[1].name == "constant_6");
  const ark::model& g = n.model.program().model();
  std::vector<std::string> names;
  for (const ark::op& o : g.ops) names.emplace_back(ark::name(g, o));
  CHECK(names == std::vector<std::string>{"tokens", "w", "constant_6", "constant_6_1", "linear",
                                          "linear_1", "linear_2", "output_0", "output_1",
                                          "output_2"});
  CHECK(n.model.ends().outputs().size() == 3);
  // Nodes of a tensor come before what reads it.
  for (const ark::node& node : g.nodes)
    for (const std::int64_t p : integers(g, node.producers)) CHECK(p < node.id);
  round_trip(made.program(), {{"tokens", data_type::float32, {3, 2}}}, 3);
}

TEST_CASE("transform/to_ark: names that JSON can't have, and names that operations have",
          "[transform]") {
  const transform_tests::container made(R"(nac 1.8
input_names:
  0 = "\xff\xc3\xa9"
tensors:
  "relu" = f32 [2] hex { 0000803f 00000040 }
code:
  x = input
  y = aten.relu.default(x)
  w = parameter "relu"
  z = nac.add(y, w)
  output(z)
)");
  const network n = to_ark(
      made.program(), {{std::string(made.program().inputs()[0].name), data_type::float32, {2}}});
  const ark::model& g = n.model.program().model();
  REQUIRE(g.ops.size() == 5);
  CHECK(ark::name(g, g.ops[0]) == "_\xc3\xa9");
  CHECK(ark::name(g, g.ops[1]) == "relu");
  CHECK(ark::name(g, g.ops[2]) == "relu_op");
}

TEST_CASE("transform/to_ark: a header that counts other outputs", "[transform]") {
  const transform_tests::container made(
      "nac 1.8\noutputs 2\ncode:\n  x = input\n  y = nac.add(x, 1)\n");
  CHECK(refusal(made.program(), {{"x", data_type::float32, {2}}}, errc::nac_run_outputs) ==
        "found 1; expected 2");
}

TEST_CASE("transform/to_ark: what nothing needs isn't there", "[transform]") {
  const transform_tests::container made(R"(nac 1.8
code:
  x = input
  y = input
  a = aten.relu.default(x)
  b = aten.exp.default(a)
  n = aten.sym_size.int(b, 0)
  u = aten.erf.default(y)
  z = nac.mul(a, n)
  output(z)
)");
  const network n = to_ark(made.program(), {{"x", data_type::float32, {3}}});
  const ark::model& g = n.model.program().model();
  REQUIRE(g.ops.size() == 4);  // Tensor, Relu, ScalarMul, Copy
  CHECK(g.ops[2].type == ark::op_type::scalar_mul);
  CHECK(n.model.ends().outputs().size() == 1);
}

TEST_CASE("transform/to_ark: parts that nothing reads are no outputs", "[transform]") {
  check(
      {"x = nac.add(a, 1); y = nac.add(a, 2); z = aten.cat.default(x, y); aten.select.int(z, 0, 2)",
       {{2, 3}}});
}

TEST_CASE("transform/to_ark: what is refused, and where", "[transform]") {
  CHECK(refused({"aten.atan.default(a)", {{3}}}) ==
        "v1 = aten.atan.default: there is no composition of ARK's operations");
  CHECK(refused({"aten.softplus.default(a, 1, 5)", {{3}}}, errc::nac_to_ark_argument) ==
        "v1 = aten.softplus.default: beta is 0, or threshold below 17");
  CHECK(refused({"aten.leaky_relu.default(a, inf)", {{3}}}, errc::nac_to_ark_argument) ==
        "v1 = aten.leaky_relu.default: one of its numbers isn't finite in 32 bits");
  CHECK(refused({"aten.maximum.default(a, b)", {{3}, {3}}, data_type::int32},
                errc::nac_to_ark_type) ==
        "v2 = aten.maximum.default: elements are i32; expected floats");
  CHECK(
      refused({"aten.__and__.Tensor(a, b)", {{3}, {3}}, data_type::int32}, errc::nac_to_ark_type) ==
      "v2 = aten.__and__.Tensor: bits of integers; expected bool");
  CHECK(refused({"aten.conv_transpose2d.input(a, b)", {{1, 2, 3, 3}, {2, 3, 2, 2}}},
                errc::nac_to_ark_argument) ==
        "v2 = aten.conv_transpose2d.input: filters of a transposed convolution are from inputs");
  CHECK(refused({"w = nac.ones([2, 3, 2, 2]); aten.conv_transpose2d.input(a, w, null, [1, 1], [2, "
                 "2])",
                 {{1, 2, 5, 5}}},
                errc::nac_to_ark_argument) ==
        "v2 = aten.conv_transpose2d.input: padding that is larger than the filters");
  CHECK(refused({"aten.relu_.default(a)", {{3}}}) ==
        "v1 = aten.relu_.default: it writes in place; `tessera optimize` makes results of such "
        "writes where it can");
  CHECK(refused({"aten.dropout.default(a, 0.5, true)", {{3}}}) ==
        "v1 = aten.dropout.default: it draws random numbers");
  CHECK(refused({"aten.rand_like.default(a)", {{3}}}) ==
        "v1 = aten.rand_like.default: there is no composition of ARK's operations");
  CHECK(refused({"nac.where(a, a, b)", {{3}, {3}}, data_type::uint8}, errc::nac_to_ark_type) ==
        "v2 = nac.where: the mask is u8; expected bool");
  CHECK(refused({"aten.pow.Tensor_Scalar(a, 2.5)", {{3}}}) ==
        "v1 = aten.pow.Tensor_Scalar: exponent 2.500000; expected -2, -1, -0.5, 0.5, 1, 2, 3 or 4");
  CHECK(refused({"nac.add(a, 1)", {{3}}, data_type::int64}, errc::nac_to_ark_type) ==
        "v1 = nac.add: arithmetic of int64; ARK's integers have 32 bits");
  CHECK(refused({"nac.add(a, 1)", {{3}}, data_type::float64}, errc::nac_to_ark_type) ==
        "v0 (INPUT): elements are f64, which ARK has no type for");
  CHECK(refused({"aten.sum.dim_IntList(a, [0])", {{3}}, data_type::int32}, errc::nac_to_ark_type) ==
        "v1 = aten.sum.dim_IntList: elements are i32; expected floats");
  CHECK(refused({"nac.add(a, 1)", {{1, 1, 1, 1, 3}}}, errc::nac_to_ark_shape) ==
        "v0 (INPUT): input \"a\" has shape [1, 1, 1, 1, 3]; expected at most 4 dimensions");
  CHECK(refused({"nac.view(a, [1, 1, 1, 1, 3])", {{3}}}, errc::nac_to_ark_shape) ==
        "v1 = nac.view: an output has shape [1, 1, 1, 1, 3]; expected at most 4 dimensions");
  CHECK(refused({"nac.add(a, 1)", {{0, 3}}}, errc::nac_to_ark_shape) ==
        "v0 (INPUT): shape [0, 3] has no elements; expected 1 or more");
  CHECK(refused({"aten.slice.Tensor(a, 0, 1, b)", {{3}, {}}, data_type::int32},
                errc::nac_to_ark_argument) ==
        "v2 = aten.slice.Tensor: argument 3 is computed from inputs; expected what is known "
        "before a run");
  CHECK(
      refused({"aten.index_select.default(a, 0, b)", {{3}, {3}}, data_type::int32},
              errc::nac_to_ark_argument) ==
      "v2 = aten.index_select.default: argument 2 is computed from inputs; expected what is known "
      "before a run");
  CHECK(refused(
            {"x = nac.view(a, [1, 1, 2, 2, 2]); aten.upsample_trilinear3d.vec(x, [2, 2, 2], false)",
             {{2, 2, 2}}},
            errc::nac_to_ark_shape) ==
        "v2 = aten.upsample_trilinear3d.vec: expected 1 or 2 dimensions of images");
  CHECK(refused({"aten.upsample_bilinear2d.vec(a, null, false, [1e-30, 2.0])", {{1, 1, 2, 2}}},
                errc::nac_run_argument) ==
        "v1 = aten.upsample_bilinear2d.vec: scale is 0.000000 for an axis of 1048576 elements; "
        "expected "
        "an output of 1 to 1073741824");
  CHECK(refused({"aten.clamp.default(a, inf)", {{3}}}, errc::nac_to_ark_argument) ==
        "v1 = aten.clamp.default: bound inf; expected a finite number");
  CHECK(
      refused({"aten.linalg_vector_norm.default(a, 3)", {{3}}}, errc::nac_to_ark_argument) ==
      "v1 = aten.linalg_vector_norm.default: a norm of order 3.000000; expected 1, 2 or infinity");
  CHECK(refused({"aten.conv1d.padding(a, b, null, [1], \"same\")", {{1, 2, 5}, {3, 2, 2}}},
                errc::nac_to_ark_argument) ==
        "v2 = aten.conv1d.padding: a border that isn't as wide at both ends");
  CHECK(refused({"aten.flip.default(a, [0])", {{3}}}) ==
        "v1 = aten.flip.default: there is no composition of ARK's operations");
  CHECK(refused({"aten.unfold.default(a, 0, 3, 1)", {{5}}}) ==
        "v1 = aten.unfold.default: elements that overlap, or lie in reverse");
  CHECK(refused({"x = aten.native_layer_norm.default(a, [3], null, null, 0.1); getitem(x, 1)",
                 {{2, 3}}}) == "v2 = getitem: it is an output, but has no form in ARK");
  CHECK(refused({"x = aten.native_layer_norm.default(a, [3], null, null, 0.1); getitem(x, b)",
                 {{2, 3}, {}}},
                errc::nac_to_ark_argument) ==
        "v3 = getitem: argument 1 is computed from inputs; expected what is known before "
        "a run");
}

TEST_CASE("transform/to_ark: inputs without a shape, and shapes without an input", "[transform]") {
  const transform_tests::container made(program_of({"nac.add(a, 1)", {{3}}}));
  CHECK(refusal(made.program(), {}, errc::nac_to_ark_input) ==
        "v0 (INPUT): input \"a\" has no shape, which ARK needs (--shape a=1x16)");
  CHECK(refusal(made.program(), {{"other", data_type::float32, {3}}}, errc::nac_to_ark_input) ==
        "the program has no input \"other\"");
}

TEST_CASE("transform/to_ark: branches and states are refused before anything else", "[transform]") {
  const transform_tests::container made(R"(nac 1.8
code:
  x = input
  s = state 1
  p = nac.gt(x, 0)
  r = control_flow(p, 1, 1)
  a = nac.add(x, 1)
  b = nac.sub(x, 1)
  output(r)
)");
  tessera::report found;
  CHECK(!transform::to_ark(made.program(), {}, &found));
  REQUIRE(found.diagnostics.size() == 2);
  CHECK(found.text_of(found.diagnostics[0].text) ==
        "v1 (INPUT): an ARK model keeps no state between runs");
  CHECK(found.text_of(found.diagnostics[1].text) ==
        "v3 (CONTROL_FLOW): an ARK model has no branches");
}

TEST_CASE("transform/to_ark: a limit of what is computed here", "[transform]") {
  const transform_tests::container made(
      program_of({"x = nac.full([1000], 1); y = nac.add(x, 1); nac.add(a, y)", {{1000}}}));
  const std::vector<input_form> forms = {{"a", data_type::float32, {1000}}};
  CHECK(transform::to_ark(made.program(), {.inputs = forms}));
  for (const budget& limit : {budget{.max_steps = 1000}, budget{.max_memory = 4096}}) {
    const auto small = transform::to_ark(made.program(), {.inputs = forms, .limit = limit});
    REQUIRE(!small);
    CHECK(small.error().code == errc::nac_to_ark_limit);
  }
}
