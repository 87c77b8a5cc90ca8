// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tessera/nem/detail/rules/shape.hpp>

#include "nem/tasks.hpp"
#include "support/catch.hpp"

using namespace nem_test;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::lowest();
constexpr std::int64_t most = -(least + 1);

}  // namespace

TEST_CASE("nem/shape: positions of windows and slices", "[nem]") {
  using nem::detail::slice_count, nem::detail::window_count;
  CHECK(window_count(5, 1, 1, 3, 1, 1) == 5);
  CHECK(window_count(5, 0, 0, 3, 2, 1) == 1);
  CHECK(window_count(5, 0, 0, 3, 3, 1) == 0);
  CHECK(window_count(7, 0, 1, 2, 1, 3) == 3);
  CHECK(window_count(1, most, 0, 1, 1, 1) == 0);
  CHECK(window_count(most, 0, 0, most, most, 1) == 0);
  CHECK(window_count(most, 0, 0, 1, most, 1) == most);
  CHECK(slice_count(10, 8, 2, -2) == 3);
  CHECK(slice_count(10, 0, 10, 3) == 4);
  CHECK(slice_count(10, -3, most, 1) == 3);
  CHECK(slice_count(10, most, least, -1) == 10);
  CHECK(slice_count(10, least, most, most) == 1);
  CHECK(slice_count(10, 9, least, least) == 1);
  CHECK(slice_count(10, 5, 5, 1) == 0);
  CHECK(slice_count(10, 2, 5, -1) == 0);
  CHECK(slice_count(10, -1, -11, -1) == 10);
}

TEST_CASE("nem/shape: gemm and matmul", "[nem]") {
  accepts(
      "gemm.async in {f16 2 4 MK}, {f16 4 3 KN} out {f16 2 3 MN} accum_type=f32\n"
      "gemm.async in {f16 4 2 KM}, {f16 3 4 NK} out {f16 2 3 MN} accum_type=f32\n"
      "gemm.async in {f16 7 4 2 BKM}, {f16 3 4 NK} out {f16 7 2 3 BMN} accum_type=f32\n"
      "gemm.async in {f16 2 4 MK}, {f16 4 3 KN}, {f16 3 N} out {f16 2 3 MN} accum_type=f32\n"
      "gemm.async in {f16 2 4 MK}, {f16 4 3 KN}, {f16 2 1 MN} out {f16 2 3 MN} accum_type=f32\n"
      "matmul.sync in {f16 5 2 4 BMK}, {f16 5 4 3 BKN} out {f16 5 2 3 BMN} accum_type=f32\n"
      "matmul.sync in {f16 2 4 RowMajor}, {f16 4 3 RowMajor} out {f16 2 3 RowMajor} "
      "accum_type=f32");
  refuses("SHP-001", "gemm.async in ^{f16 4 K}, {f16 4 2 KN} out {f16 2 N} accum_type=f32",
          "A of gemm must have at least 2 dimensions, not 1");
  refuses("SHP-001", "matmul.async in {f16 2 4 MK}, ^{f16 4 K} out {f16 2 N} accum_type=f32",
          "B of matmul");
  refuses("SHP-003", "gemm.async in {f16 2 4 MK}, ^{f16 3 2 KN} out {f16 2 2 MN} accum_type=f32",
          "A is [2, 4] with K = 4, B is [3, 2] with K = 3");
  refuses("SHP-003", "gemm.async in {f16 2 4 MK}, ^{f16 4 3 NK} out {f16 2 4 MN} accum_type=f32",
          "K = 3");
  refuses("SHP-003",
          "matmul.async in {f16 5 2 4 BMK}, ^{f16 6 4 3 BKN} out {f16 5 2 3 BMN} accum_type=f32",
          "batch dimensions");
  refuses("SHP-003",
          "matmul.async in {f16 2 4 MK}, ^{f16 1 4 3 BKN} out {f16 2 3 MN} accum_type=f32",
          "batch dimensions");
  refuses("SHP-004", "gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out ^{f16 2 3 MN} accum_type=f32",
          "the output of gemm has shape [2, 3]; expected [2, 2]");
  refuses("SHP-004",
          "matmul.async in {f16 5 2 4 BMK}, {f16 4 3 KN} out ^{f16 2 3 MN} accum_type=f32",
          "[5, 2, 3]");
  refuses("SHP-005",
          "gemm.async in {f16 2 4 MK}, {f16 4 3 KN}, ^{f16 2 M} out {f16 2 3 MN} accum_type=f32",
          "C is [2], which can't be broadcast to [2, 3]");
  refuses("SHP-005",
          "gemm.async in {f16 2 4 MK}, {f16 4 3 KN}, ^{f16 1 2 3 BMN} out {f16 2 3 MN} "
          "accum_type=f32",
          "[1, 2, 3]");
}

TEST_CASE("nem/shape: convolutions", "[nem]") {
  const std::string end2 = " pads=[1, 0, 1, 0] strides=[1, 2] dilations=[2, 1] accum_type=f32";
  // 9 + 2 - 2 * 2 - 1 = 6; 8 - 2 - 1 = 5, of which each second counts.
  accepts(
      "conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 4 6 HWIO}, {f16 6 C} "
      "out {f16 2 7 3 6 NHWC}" +
      end2);
  accepts("conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 2 6 HWIO} out {f16 2 7 3 6 NHWC} groups=2" +
          end2);
  accepts(
      "depthwise_conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 1 8 HWIO} "
      "out {f16 2 7 3 8 NHWC}" +
      end2);
  accepts(
      "conv1d.async in {f16 1 9 4 NWC}, {f16 3 2 6 WIO}, {f16 6 C} out {f16 1 5 6 NWC} "
      "pads=[1, 1] strides=[2] dilations=[1] groups=2 accum_type=f32");
  accepts(
      "conv3d.async in {f16 1 4 5 6 2 NDHWC}, {f16 2 2 2 2 3 DHWIO} out {f16 1 4 4 5 3 NDHWC} "
      "pads=[1, 0, 0, 0, 0, 0] strides=[1, 1, 1] dilations=[1, 1, 1] accum_type=f32");
  refuses("SHP-001",
          "conv2d.async in ^{f16 9 8 4 NHWC}, {f16 3 3 4 6 HWIO} out {f16 2 7 3 6 NHWC}" + end2,
          "X of conv2d must have 4 dimensions, not 3");
  refuses("SHP-001",
          "conv3d.async in {f16 1 4 5 6 2 NDHWC}, ^{f16 2 2 2 3 DHWIO} out {f16 1 4 4 5 3 NDHWC} "
          "pads=[1, 0, 0, 0, 0, 0] strides=[1, 1, 1] dilations=[1, 1, 1] accum_type=f32",
          "W of conv3d must have 5 dimensions");
  refuses("SHP-001",
          "conv1d.async in ^{f16 9 4 WC}, {f16 3 2 6 WIO} out {f16 1 5 6 NWC} "
          "pads=[1, 1] strides=[2] dilations=[1] groups=2 accum_type=f32",
          "X of conv1d");
  refuses("SHP-003",
          "conv2d.async in {f16 2 9 8 4 NHWC}, ^{f16 3 3 3 6 HWIO} out {f16 2 7 3 6 NHWC}" + end2,
          "takes 3 of each group, X is [2, 9, 8, 4] and has 4");
  refuses("SHP-003",
          "depthwise_conv2d.async in {f16 2 9 8 4 NHWC}, ^{f16 3 3 4 8 HWIO} "
          "out {f16 2 7 3 8 NHWC}" +
              end2,
          "input channels");
  refuses("SHP-004",
          "conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 4 6 HWIO} out ^{f16 2 6 3 6 NHWC}" + end2,
          "[2, 7, 3, 6]");
  refuses("SHP-004",
          "conv1d.async in {f16 1 2 1 NWC}, {f16 3 1 1 WIO} out ^{f16 1 1 1 NWC} "
          "pads=[0, 0] strides=[1] dilations=[1] accum_type=f32",
          "no elements");
  refuses("SHP-005",
          "conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 4 6 HWIO}, ^{f16 4 C} "
          "out {f16 2 7 3 6 NHWC}" +
              end2,
          "B must be [6]");
  refuses("SHP-005",
          "conv1d.async in {f16 1 9 4 NWC}, {f16 3 2 6 WIO}, ^{f16 1 6 XC} out {f16 1 5 6 NWC} "
          "pads=[1, 1] strides=[2] dilations=[1] groups=2 accum_type=f32",
          "not [1, 6]");
  refuses("SHP-006",
          "conv2d.async in ^{f16 2 9 8 4 NCHW}, {f16 3 3 4 6 HWIO} out {f16 2 7 3 6 NHWC}" + end2,
          "X of conv2d must have layout NHWC, not NCHW");
  refuses("SHP-006",
          "conv2d.async in {f16 2 9 8 4 NHWC}, ^{f16 3 3 4 6 OIHW} out {f16 2 7 3 6 NHWC}" + end2,
          "W of conv2d must have layout HWIO, not OIHW");
  refuses("SHP-006",
          "depthwise_conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 1 8 HWIO} "
          "out ^{f16 2 7 3 8 NCHW}" +
              end2,
          "Y of depthwise_conv2d");
  refuses("SHP-009",
          "conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 4 6 HWIO} out {f16 2 7 3 6 NHWC} "
          "groups=^4" +
              end2,
          "groups is 4; expected a divisor of the channels of input and output, 4 and 6");
  refuses("SHP-009",
          "depthwise_conv2d.async in {f16 2 9 8 4 NHWC}, ^{f16 3 3 1 6 HWIO} "
          "out {f16 2 7 3 6 NHWC}" +
              end2,
          "a multiple of the 4 of X");
  // A wrong value of groups isn't a wrong number of channels as well.
  refuses("OPC-008",
          "conv2d.async in {f16 2 9 8 4 NHWC}, {f16 3 3 2 6 HWIO} out {f16 2 7 3 6 NHWC} "
          "groups=^\"2\"" +
              end2,
          "groups");
}

TEST_CASE("nem/shape: pools", "[nem]") {
  for (const std::string op : {"maxpool", "avgpool"}) {
    const std::string end = " kernel_shape=[3, 2] pads=[1, 0, 0, 1] strides=[2, 2]";
    accepts(op + ".async in {i8 1 8 7 3 NHWC} out {i8 1 4 4 3 NHWC}" + end);
    refuses("SHP-001", op + ".async in ^{i8 8 7 3 NHWC} out {i8 1 4 4 3 NHWC}" + end,
            "X of " + op + " must have 4 dimensions");
    refuses("SHP-004", op + ".async in {i8 1 8 7 3 NHWC} out ^{i8 1 4 3 3 NHWC}" + end,
            "[1, 4, 4, 3]");
    refuses("SHP-006", op + ".async in ^{i8 1 8 7 3 NCHW} out {i8 1 4 4 3 NHWC}" + end, "NHWC");
    refuses("SHP-010",
            op + ".async in {i8 1 8 7 3 NHWC} out {i8 1 4 4 3 NHWC} kernel_shape=[3, 2] "
                 "pads=[1, 0, 0, ^2] strides=[2, 2]",
            "the padding is 2; expected less than the kernel size, 2");
  }
}

TEST_CASE("nem/shape: identical shapes", "[nem]") {
  for (const char* const name :
       {"relu", "sigmoid", "tanh", "exp", "log", "sqrt", "abs", "neg", "gelu", "silu"}) {
    const std::string op = name;
    accepts(op + ".async in {f16 2 3 XY} out {f16 2 3 XY}");
    refuses("SHP-002", op + ".async in {f16 2 3 XY} out ^{f16 3 2 XY}",
            "shapes must be identical: Y is [3, 2], X is [2, 3]");
  }
  for (const char* const name : {"add", "sub", "mul", "div", "min", "max", "pow"}) {
    const std::string op = name;
    accepts(op + ".async in {f16 2 3 XY}, {f16 2 3 XY} out {f16 2 3 XY}");
    refuses("SHP-002", op + ".async in {f16 2 3 XY}, {f16 2 3 XY} out ^{f16 6 C}", "Y is [6]");
    refuses("SHP-002", op + ".async in {f16 2 3 XY}, ^{f16 3 C} out {f16 2 3 XY}", "B is [3]");
    refuses("SHP-002", op + ".async in ^{f16 3 C}, {f16 2 3 XY} out {f16 2 3 XY}", "A is [3]");
  }
  accepts("leaky_relu.sync in {f16 4 C} out {f16 4 C} alpha=0.1");
  refuses("SHP-002", "leaky_relu.sync in {f16 4 C} out ^{f16 3 C} alpha=0.1", "Y is [3]");
  accepts("clamp.sync in {f16 4 C} out {f16 4 C} min_val=0 max_val=6");
  refuses("SHP-002", "clamp.sync in {f16 4 C} out ^{f16 3 C} min_val=0 max_val=6", "Y is [3]");
  accepts("softmax.sync in {f16 4 2 XY} out {f16 4 2 XY} axis=1");
  refuses("SHP-002", "softmax.sync in {f16 4 2 XY} out ^{f16 4 1 XY} axis=1", "Y is [4, 1]");
  accepts("log_softmax.sync in {f16 4 2 XY} out {f16 4 2 XY} axis=1");
  refuses("SHP-002", "log_softmax.sync in {f16 4 2 XY} out ^{f16 4 1 XY} axis=1", "Y is [4, 1]");
  accepts("cast.sync in {f16 4 C} out {i8 4 C}");
  refuses("SHP-002", "cast.sync in {f16 4 C} out ^{i8 5 C}", "Y is [5]");
  accepts("quantize.sync in {f16 4 C} out {i8 4 C q}");
  refuses("SHP-002", "quantize.sync in {f16 4 C} out ^{i8 5 C q}", "Y is [5]");
  accepts("dequantize.sync in {i8 4 C q} out {f16 4 C}");
  refuses("SHP-002", "dequantize.sync in {i8 4 C q} out ^{f16 5 C}", "Y is [5]");
}

TEST_CASE("nem/shape: normalization", "[nem]") {
  accepts(
      "layernorm.async in {f16 2 3 XY}, {f16 3 C}, {f16 3 C} out {f16 2 3 XY} axis=-1 "
      "epsilon=1.0e-5\n"
      "rmsnorm.async in {f16 2 3 XY}, {f16 2 C} out {f16 2 3 XY} axis=0 epsilon=0");
  refuses("SHP-002", "rmsnorm.async in {f16 2 3 XY} out ^{f16 3 3 XY} axis=0 epsilon=0", "[3, 3]");
  refuses("SHP-002", "layernorm.async in {f16 2 3 XY} out ^{f16 3 3 XY} axis=0 epsilon=0",
          "[3, 3]");
  refuses("SHP-005",
          "layernorm.async in {f16 2 3 XY}, {f16 3 C}, ^{f16 2 C} out {f16 2 3 XY} axis=-1 "
          "epsilon=0",
          "bias must be [3], the size of axis 1, not [2]");
  refuses("OPC-009", "rmsnorm.async in {f16 x} out {f16 x} axis=^0 epsilon=0",
          "an operand of rank 0 has no axis 0");
  refuses("SHP-005",
          "rmsnorm.async in {f16 2 3 XY}, ^{f16 1 2 XY} out {f16 2 3 XY} axis=0 epsilon=0",
          "scale must be [2]");
}

TEST_CASE("nem/shape: layout operations", "[nem]") {
  accepts("transpose.async in {f16 2 3 4 XYZ} out {f16 4 2 3 ZXY} perm=[2, 0, 1]");
  refuses("SHP-004", "transpose.async in {f16 2 3 4 XYZ} out ^{f16 3 4 2 YZX} perm=[2, 0, 1]",
          "[4, 2, 3]");
  accepts("reshape.async in {f16 2 6 XY} out {f16 3 4 XY} target_shape=[3, -1]");
  refuses("SHP-004", "reshape.async in {f16 2 6 XY} out ^{f16 4 3 XY} target_shape=[3, 4]",
          "[3, 4]");
  refuses("SHP-007", "reshape.async in {f16 2 6 XY} out {f16 3 5 XY} target_shape=^[3, 5]",
          "X is [2, 6], target_shape is [3, 5]");
  refuses("SHP-007", "reshape.async in {f16 2 6 XY} out {f16 5 2 XY} target_shape=^[5, -1]", "[5");
  refuses("SHP-007",
          "reshape.async in {f16 2 C} out {f16 2 C} "
          "target_shape=^[4294967296, 4294967296, 4294967296]",
          "4294967296");
  accepts(
      "slice.async in {f16 10 4 XY} out {f16 3 4 XY} starts=[8] ends=[2] axes=[0] steps=[-2]\n"
      "slice.async in {f16 10 4 XY} out {f16 10 2 XY} starts=[-2] ends=[99] axes=[-1] "
      "steps=[1]\n"
      "slice.async in {f16 3 C} out {f16 3 C} starts=[] ends=[] axes=[] steps=[]");
  refuses("SHP-004",
          "slice.async in {f16 10 C} out ^{f16 4 C} starts=[8] ends=[2] axes=[0] steps=[-2]",
          "[3]");
  refuses("SHP-004",
          "slice.async in {f16 10 C} out ^{f16 1 C} starts=[4] ends=[4] axes=[0] steps=[1]",
          "no elements");
  accepts(
      "concat.async in {f16 2 3 XY}, {f16 2 1 XY}, {f16 2 4 XY} out {f16 2 8 XY} axis=-1\n"
      "concat.async in {f16 2 C} out {f16 2 C} axis=0");
  refuses("SHP-008", "concat.async in {f16 2 3 XY}, ^{f16 3 1 XY} out {f16 2 4 XY} axis=1",
          "along axis 1 only: this one is [3, 1], the first is [2, 3]");
  refuses("SHP-008", "concat.async in {f16 2 3 XY}, ^{f16 3 C} out {f16 2 4 XY} axis=1", "[3]");
  refuses("SHP-004", "concat.async in {f16 2 3 XY}, {f16 2 1 XY} out ^{f16 2 5 XY} axis=1",
          "[2, 4]");
  accepts("split.async in {f16 2 6 XY} out {f16 2 1 XY}, {f16 2 5 XY} axis=1 split_sizes=[1, 5]");
  refuses("SHP-008", "split.async in {f16 2 6 XY} out {f16 2 6 XY} axis=1 split_sizes=^[1, 5]",
          "2 numbers; expected 1, one for each output");
  refuses("SHP-008",
          "split.async in {f16 2 6 XY} out {f16 2 1 XY}, {f16 2 4 XY} axis=1 split_sizes=^[1, 4]",
          "add up to 6, the size of axis 1, not to 5");
  refuses("SHP-008",
          "split.async in {f16 2 6 XY} out {f16 2 1 XY}, {f16 2 4 XY} axis=1 "
          "split_sizes=^[9223372036854775807, 9223372036854775807]",
          "add up to 6");
  refuses("SHP-004",
          "split.async in {f16 2 6 XY} out {f16 2 1 XY}, ^{f16 2 4 XY} axis=1 split_sizes=[1, 5]",
          "[2, 5]");
  accepts("pad.async in {f16 2 3 XY} out {f16 3 7 XY} pads=[1, 1, 0, 3] mode=constant");
  refuses("SHP-004", "pad.async in {f16 2 3 XY} out ^{f16 3 6 XY} pads=[1, 1, 0, 3] mode=reflect",
          "[3, 7]");
  refuses("OPC-009",
          "pad.async in {f16 2 C} out {f16 2 C} pads=[^9223372036854775807, 1] mode=edge",
          "too large");
  accepts(
      "gather.async in {f16 5 2 XY}, {i32 3 4 AB} out {f16 3 4 2 ABY} axis=0\n"
      "gather.async in {f16 5 2 XY}, {u8 3 C} out {f16 5 3 XA} axis=-1");
  refuses("SHP-004", "gather.async in {f16 5 2 XY}, {i32 3 C} out ^{f16 5 3 XY} axis=0", "[3, 2]");
}

TEST_CASE("nem/shape: reductions", "[nem]") {
  for (const char* const name : {"reduce_sum", "reduce_max", "reduce_min"}) {
    const std::string op = name;
    accepts(op + ".async in {f16 2 3 4 XYZ} out {f16 1 3 1 XYZ} axes=[0, -1] keepdims=true");
    accepts(op + ".async in {f16 2 3 4 XYZ} out {f16 3 C} axes=[0, -1] keepdims=false");
    accepts(op + ".async in {f16 2 3 XY} out {f16 1 C} axes=[] keepdims=false");
    accepts(op + ".async in {f16 2 3 XY} out {f16 1 1 XY} axes=[] keepdims=true");
    accepts(op +
            ".async in {f16 2 3 XY} out region(M, 512, 2) elem=f16, shape=[], strides=[] "
            "axes=[1, 0] keepdims=false");
    refuses("SHP-004", op + ".async in {f16 2 3 XY} out ^{f16 3 C} axes=[0] keepdims=true",
            "[1, 3]");
    refuses("SHP-004", op + ".async in {f16 2 3 XY} out ^{f16 2 C} axes=[] keepdims=false",
            "has shape [2]; expected [1]");
    refuses("OPC-009", op + ".async in {f16 2 3 XY} out {f16 3 C} axes=[^2] keepdims=false",
            "from -2 to 1");
  }
  for (const char* const name : {"argmax", "argmin"}) {
    const std::string op = name;
    accepts(op + ".async in {f16 2 3 XY} out {i32 2 C} axis=1 keepdims=false");
    accepts(op + ".async in {f16 2 3 XY} out {u8 2 1 XY} axis=-1 keepdims=true");
    accepts(op + ".async in {f16 3 C} out {u8 1 C} axis=0 keepdims=false");
    refuses("SHP-004", op + ".async in {f16 2 3 XY} out ^{i32 3 C} axis=1 keepdims=false", "[2]");
  }
}

TEST_CASE("nem/shape: operands of compute tasks have up to 32 dimensions", "[nem]") {
  const auto ones = [](int rank) {
    std::string shape = "{f16";
    for (int i = 0; i < rank; ++i) shape += " 1";
    return shape + " L}";
  };
  const auto shape_of = [](int rank) {
    std::string shape = "1";
    for (int i = 1; i < rank; ++i) shape += ", 1";
    return shape;
  };
  accepts("relu.async in " + ones(32) + " out " + ones(32));
  refuses("SHP-001", "relu.async in ^" + ones(33) + " out " + ones(32), "at most 32 dimensions");
  refuses("SHP-001", "relu.async in {f16 1 C} out ^" + ones(33), "at most 32 dimensions");
  refuses("OPC-009",
          "reshape.async in {f16 1 C} out {f16 1 C} target_shape=^[" + shape_of(33) + "]",
          "target_shape has 33 dimensions; expected at most 32");
  // More dimensions than any output has.
  refuses("SHP-004",
          "gather.async in " + ones(32) + ", " + ones(32).replace(1, 3, "i32") + " out ^" +
              ones(32) + " axis=0",
          "the output of gather has shape");
}
