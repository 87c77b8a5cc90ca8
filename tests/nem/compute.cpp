// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>

#include "nem/tasks.hpp"
#include "nem/verbs.hpp"
#include "support/catch.hpp"

using namespace nem_test;

TEST_CASE("nem/compute: opcodes that nobody knows", "[nem]") {
  const outcome o = refuses("OPC-001", "^rleu.async in {f16 4 C} out {f16 4 C}", "rleu");
  CHECK(note_of(o, "OPC-001") == "did you mean relu?");
  CHECK(note_of(refuses("OPC-001", "^frobnicate.sync in {f16 4 C} out {i8 9 C} axis=1",
                        "unknown opcode frobnicate"),
                "OPC-001")
            .empty());
}

TEST_CASE("nem/compute: numbers of operands", "[nem]") {
  refuses("OPC-002", "^add.async in {f16 4 C} out {f16 4 C}", "add takes 2 inputs, not 1");
  CHECK(note_of(refuses("OPC-002", "^gemm.async in {f16 2 4 MK} out {f16 2 2 MN} accum_type=f32",
                        "gemm takes at least 2 inputs, not 1"),
                "OPC-002") == "missing: B");
  refuses("OPC-003", "relu.async in {f16 4 C}, ^{f16 4 C} out {f16 4 C}",
          "relu takes 1 input, not 2");
  refuses("OPC-003",
          "matmul.async in {f16 2 4 MK}, {f16 4 2 KN}, ^{f16 2 N} out {f16 2 2 MN} accum_type=f32",
          "matmul takes 2 inputs, not 3");
  refuses("OPC-003",
          "rmsnorm.async in {f16 4 C}, {f16 4 C}, ^{f16 4 C} out {f16 4 C} axis=0 epsilon=0",
          "at most 2 inputs");
  refuses("OPC-004", "relu.async in {f16 4 C} out {f16 4 C}, ^{f16 4 C}", "1 output, not 2");
  accepts("layernorm.async in {f16 4 C}, {f16 4 C}, {f16 4 C} out {f16 4 C} axis=0 epsilon=0");
}

TEST_CASE("nem/compute: attributes that are missing or too many", "[nem]") {
  refuses("OPC-005", "^softmax.async in {f16 4 C} out {f16 4 C}", "axis is required");
  refuses("OPC-005", "^layernorm.async in {f16 4 C} out {f16 4 C} axis=0", "epsilon is required");
  refuses("OPC-005", "^rmsnorm.async in {f16 4 C} out {f16 4 C}",
          "axis is required, epsilon is required");
  refuses("OPC-005", "^gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out {f16 2 2 MN}",
          "accum_type is required");
  refuses("OPC-005", "^compute.async in {f16 4 C} out {f16 4 C} axis=0", "op is required");
  CHECK(note_of(refuses("OPC-006", "softmax.async in {f16 4 C} out {f16 4 C} axis=0 ^axes=[0]",
                        "softmax has no attribute axes"),
                "OPC-006") == "softmax takes axis");
  CHECK(note_of(refuses("OPC-006",
                        "clamp.sync in {f16 4 C} out {f16 4 C} min_val=0 max_val=6 "
                        "^bound=[a, b]",
                        "clamp has no attribute bound"),
                "OPC-006") == "clamp takes min_val, max_val");
  refuses("OPC-006", "relu.async in {f16 4 C} out {f16 4 C} ^axis=0", "relu has no attribute axis");
  refuses("OPC-006",
          "depthwise_conv2d.async in {f16 1 4 4 2 NHWC}, {f16 3 3 1 2 HWIO} out {f16 1 2 2 2 NHWC} "
          "pads=[0, 0, 0, 0] strides=[1, 1] dilations=[1, 1] ^groups=2 accum_type=f32",
          "groups");
}

TEST_CASE("nem/compute: kinds of values", "[nem]") {
  refuses("OPC-008", "softmax.async in {f16 4 C} out {f16 4 C} axis=^\"0\"",
          "axis takes an integer, not the string \"0\"");
  refuses("EXP-001", "softmax.async in {f16 4 C} out {f16 4 C} axis=^0.0", "axis must be integer");
  refuses("EXP-001", "softmax.async in {f16 4 C} out {f16 4 C} axis=^1 - 1.0",
          "axis must be integer");
  refuses("OPC-008", "softmax.async in {f16 4 C} out {f16 4 C} axis=^[0]", "a list");
  refuses("EXP-001", "let h = 0.5\nsoftmax.async in {f16 4 C} out {f16 4 C} axis=^h",
          "axis must be integer");
  refuses("OPC-008", "leaky_relu.async in {f16 4 C} out {f16 4 C} alpha=^\"a\"", "a number");
  refuses("OPC-008", "reduce_sum.async in {f16 4 C} out {f16 1 C} axes=[0] keepdims=^1",
          "keepdims takes true or false, not 1");
  refuses("OPC-008", "reduce_sum.async in {f16 4 C} out {f16 1 C} axes=[0] keepdims=^maybe",
          "keepdims takes true or false, not maybe");
  refuses("OPC-008", "gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out {f16 2 2 MN} accum_type=^tf32",
          "accum_type takes one of the ten element types, not tf32");
  refuses("OPC-008", "reduce_sum.async in {f16 4 C} out {f16 1 C} axes=^0 keepdims=true",
          "axes takes a list of integers, not 0");
  refuses("EXP-001", "reduce_sum.async in {f16 4 C} out {f16 1 C} axes=[^0.5] keepdims=true",
          "axes must be integer");
  refuses("OPC-008", "reduce_sum.async in {f16 4 C} out {f16 1 C} axes=[^[0]] keepdims=true",
          "a list");
  refuses("OPC-008", "let n = 1\nreduce_sum.async in {f16 4 C} out {f16 1 C} axes=^n keepdims=true",
          "n");
  refuses("OPC-008",
          "gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out {f16 2 2 MN} accum_type=^\"f32\"",
          "one of the ten element types");
  refuses("OPC-008", "gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out {f16 2 2 MN} accum_type=^f64",
          "not f64");
  refuses("OPC-008", "pad.async in {f16 4 C} out {f16 4 C} pads=[0, 0] mode=^\"edge\"", "a name");
  refuses("OPC-008", "compute.async in {f16 4 C} out {f16 4 C} op=^my_op", "a string");
  accepts(
      "let n = 0\nconst K = 1\nlet axes = [n, K]\n"
      "leaky_relu.async in {f16 4 C} out {f16 4 C} alpha=1\n"
      "softmax.async in {f16 4 C} out {f16 4 C} axis=K - 1\n"
      "reduce_max.async in {f16 4 2 XY} out {f16 1 C} axes=axes keepdims=false\n"
      "compute.async in {f16 4 C} out {i8 9 C} op=\"mine\" level=unknown");
}

TEST_CASE("nem/compute: ranges of values", "[nem]") {
  refuses("OPC-009", "softmax.async in {f16 4 C} out {f16 4 C} axis=^1", "from -1 to 0");
  refuses("OPC-009", "softmax.async in {f16 4 C} out {f16 4 C} axis=^-2", "not -2");
  refuses("OPC-009", "clamp.async in {f16 4 C} out {f16 4 C} min_val=^2 max_val=1.5", "max_val");
  refuses("OPC-009", "rmsnorm.async in {f16 4 C} out {f16 4 C} axis=0 epsilon=^-0.5", "epsilon");
  refuses("OPC-009", "pad.async in {f16 4 C} out {f16 4 C} pads=[0, 0] mode=^refect", "refect");
  refuses("OPC-009", "pad.async in {f16 4 C} out {f16 4 C} pads=[1, ^-1] mode=edge", "-1");
  refuses("OPC-009", "pad.async in {f16 4 C} out {f16 4 C} pads=^[0] mode=edge", "takes 2");
  refuses("OPC-009", "transpose.async in {f16 2 4 XY} out {f16 4 2 XY} perm=[1, ^1]", "repeated");
  refuses("OPC-009", "transpose.async in {f16 2 4 XY} out {f16 4 2 XY} perm=[1, ^2]",
          "2 is out of range");
  refuses("OPC-009", "transpose.async in {f16 2 4 XY} out {f16 4 2 XY} perm=^[0]", "takes 2");
  refuses("OPC-009", "reshape.async in {f16 4 C} out {f16 4 C} target_shape=[^0]", "has 0;");
  refuses("OPC-009", "reshape.async in {f16 4 C} out {f16 2 2 XY} target_shape=[-1, ^-1]", "-1");
  refuses("OPC-009",
          "slice.async in {f16 4 C} out {f16 4 C} starts=[0] ends=[4] axes=[0] steps=[^0]", "0");
  refuses("OPC-009",
          "slice.async in {f16 4 C} out {f16 4 C} starts=[0] ends=^[4, 4] axes=[0] steps=[1]",
          "ends has 2");
  refuses("OPC-009",
          "slice.async in {f16 4 C} out {f16 4 C} starts=[0] ends=[4] axes=[^1] steps=[1]", "1");
  refuses("OPC-009",
          "slice.async in {f16 4 4 XY} out {f16 4 4 XY} starts=[0, 0] ends=[4, 4] axes=[1, ^-1] "
          "steps=[1, 1]",
          "duplicate axis -1");
  refuses("OPC-009", "split.async in {f16 4 C} out {f16 4 C} axis=0 split_sizes=[^0]",
          "at least 1");
  refuses("OPC-009",
          "conv1d.async in {f16 1 4 1 NWC}, {f16 3 1 1 WIO} out {f16 1 2 1 NWC} pads=^[0, 0, 0, 0] "
          "strides=[1] dilations=[1] accum_type=f32",
          "pads of conv1d has 4 numbers; expected 2");
  refuses("OPC-009",
          "conv1d.async in {f16 1 4 1 NWC}, {f16 3 1 1 WIO} out {f16 1 2 1 NWC} pads=[0, 0] "
          "strides=[^0] dilations=[1] accum_type=f32",
          "strides");
  refuses("OPC-009",
          "conv1d.async in {f16 1 4 1 NWC}, {f16 3 1 1 WIO} out {f16 1 2 1 NWC} pads=[0, 0] "
          "strides=[1] dilations=[1] groups=^0 accum_type=f32",
          "groups");
  refuses("OPC-009",
          "maxpool.async in {i8 1 4 4 1 NHWC} out {i8 1 2 2 1 NHWC} kernel_shape=[2, ^-2] "
          "pads=[0, 0, 0, 0] strides=[2, 2]",
          "kernel_shape");
  accepts(
      "softmax.async in {f16 2 4 XY} out {f16 2 4 XY} axis=-2\n"
      "clamp.async in {f16 4 C} out {f16 4 C} min_val=1 max_val=1.0\n"
      "pad.async in {f16 4 C} out {f16 9 C} pads=[2, 3] mode=wrap constant_value=-1.5");
}

TEST_CASE("nem/compute: opcodes of the future, and of nobody", "[nem]") {
  const outcome o =
      verified(expand_tasks("reduce_sum.async in {f16 4 C} out {f16 1 C} axes=[0] keepdims=true\n"
                            "compute.sync in {f16 4 C} out {f16 1 C} op=\"x\""));
  CAPTURE(o.lines);
  CHECK(o.is_valid);
  CHECK(o.has("OPC-010"));
  CHECK(o.has("OPC-011"));
  CHECK(o.has("FAM-006"));
  const outcome plain = verified(expand_tasks("relu.async in {f16 4 C} out {f16 4 C}"));
  CHECK_FALSE(plain.has("OPC-010"));
  CHECK_FALSE(plain.has("OPC-011"));
  CHECK_FALSE(plain.has("FAM-006"));
}

TEST_CASE("nem/compute: operands have types", "[nem]") {
  refuses("TYP-003", "relu.async in ^region(M, 0, 8) out {i8 8 C}",
          "needs elem, shape, layout (or strides)");
  refuses("TYP-003", "relu.async in {i8 8 C} out ^{i8 8}", "needs layout (or strides)");
  refuses("TYP-003", "let A = region(M, 512, 8)\ncompute.async in ^A out {i8 8 C} op=\"x\"",
          "elem");
  accepts("relu.async in {i8 8 C} out region(M, 512, 8) elem=i8, shape=[8], strides=[1]");
}

TEST_CASE("nem/compute: what depends on a loop variable is checked in each iteration", "[nem]") {
  accepts(
      "loop i in [0..3]:\n  softmax.async in {f16 2 2 2 2 NHWC} out {f16 2 2 2 2 NHWC} axis=i\n"
      "endloop");
  refuses("OPC-009",
          "loop i in [0..3]:\n  softmax.async in {f16 2 2 2 NHW} out {f16 2 2 2 NHW} axis=^i\n"
          "endloop",
          "not 3");
  refuses("SHP-002",
          "loop i in [1..2]:\n  relu.async in {f16 2 C} out ^region(M, 512, 2 * i) elem=f16, "
          "shape=[i], layout=C\nendloop",
          "Y is [1], X is [2]");
  refuses("SHP-002",
          "loop i in [1..2]:\n  relu.async in {f16 1 C} out ^region(M, 512, 2 * i) elem=f16, "
          "shape=[i], layout=C\nendloop",
          "Y is [2], X is [1]");
}

TEST_CASE("nem/compute: visitors see the attributes", "[nem]") {
  auto d = nem_test::read(expand_tasks(
      "let s = [2, 1]\nloop i in [0..1]:\n"
      "  conv2d.sync in {f16 1 6 6 2 NHWC}, {f16 3 3 2 4 HWIO} out region(M, 4096, 256) elem=f16, "
      "shape=[1, 2, 4, 4], layout=NHWC pads=[0, 0, 0, 0] strides=s dilations=[1, 1] "
      "accum_type=f32\n"
      "  softmax.sync in {f16 2 2 XY} out {f16 2 2 XY} axis=i - 1\nendloop\n"
      "clamp.sync in {f16 4 C} out {f16 4 C} min_val=-1 max_val=0.5"));
  REQUIRE(d);
  tessera::report found;
  auto p = nem_test::verify(std::move(*d), {}, &found);
  REQUIRE(p);
  struct : nem::visitor {
    void task(const nem::values& v, const nem::task& t) {
      const nem::attributes& a = v.attributes;
      if (t.opcode == nem::opcode::conv2d) {
        good += a.strides.size() == 2 && a.strides[0] == 2 && a.pads.size() == 4 &&
                a.accum_type == nem::element::f32 && a.groups == 1 &&
                !a.has(nem::attribute::groups);
      } else if (t.opcode == nem::opcode::softmax) {
        good += a.axis == static_cast<std::int64_t>(softmaxes++) - 1;
      } else {
        good += a.min_val == -1 && a.max_val == 0.5;
      }
    }
    int good = 0, softmaxes = 0;
  } to;
  nem::for_each_task(*p, to);
  CHECK(to.good == 5);
}
