// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nem/verified.hpp"

using nem_test::check;
using nem_test::example;
using nem_test::verified;
namespace nem = tessera::nem;

namespace {

/// A device of some engines, 1,024 bytes of L2 and 256 of each L1.
std::string device(int engines, std::string_view program) {
  return "include \"npm_baseline_1.0.nem\" device small extends npm_baseline_1_0 { topology { "
         "num_engines = " +
         std::to_string(engines) +
         " l2_size_bytes = 1024 device_units { sDMA = 1 } per_engine { NMU = 1 CSTL = 1 DMA = 1 "
         "VPU = 1 SEQ = 1 l1_size_bytes = 256 } } } program p: " +
         std::string(program);
}

}  // namespace

TEST_CASE("nem/regions: buffers", "[nem]") {
  const example examples[] = {
      {"BUF-001", "^buffer B : DDR (align=16)",
       "buffer B has no size=", "buffer B : DDR (size=16)"},
      {"BUF-002", "buffer B : DDR (size=^4 - 5)", "-1 bytes", "buffer B : DDR (size=5 - 4)"},
      {"BUF-003", "buffer B : DDR (size=8, align=^24)", "found 24",
       "buffer B : DDR (size=8, align=32)"},
      {"BUF-003", "buffer B : DDR (size=8, align=^0)", "found 0",
       "buffer B : DDR (size=8, align=1)"},
      {"BUF-004", "buffer B : L1[^-1] (size=8)", "L1[-1]", "buffer B : L1[1] (size=8)"},
      {"BUF-005", "loop i in [1..2]: buffer B : L2 (size=^i) endloop", "loop variable",
       "loop i in [1..2]: buffer B : L2 (size=2) endloop"},
      {"BUF-005", "loop i in [1..2]: let n = 2 * i; buffer B : L2 (size=^n + 1) endloop",
       "loop variable", "let n = 2; loop i in [1..2]: buffer B : L2 (size=n + 1) endloop"},
      {"BUF-007", "loop i in [1..2]: ^buffer B : L2 (size=2) endloop", "one allocation",
       "buffer B : L2 (size=2)"},
  };
  for (const example& e : examples) check(e);

  const auto check_device = [](int engines, const example& e) {
    check({e.rule, device(engines, e.bad), e.text, device(engines, e.good)});
  };
  check_device(2,
               {"BUF-004", "buffer B : L1[^2] (size=8)", "2 engines", "buffer B : L1[1] (size=8)"});
  check_device(2, {"BUF-006", "^buffer B : L1 (size=8)", "L1[0]", "buffer B : L1[0] (size=8)"});
  CHECK_FALSE(verified(device(1, "buffer B : L1 (size=8)")).has("BUF-006"));
  check_device(
      2, {"CAP-001",
          "buffer A : L1[1] (size=200); buffer C : L1[0] (size=200); ^buffer B : L1[1] (size=57)",
          "L1[1] has 256 bytes; with B its buffers need 257",
          "buffer A : L1[1] (size=200); buffer C : L1[0] (size=200); buffer B : L1[1] (size=56)"});
  check_device(
      1,
      {"CAP-002", "buffer A : L2 (size=1000); buffer D : DDR (size=1000); ^buffer B : L2 (size=25)",
       "with B its buffers need 1025",
       "buffer A : L2 (size=1000); buffer D : DDR (size=1000); buffer B : L2 (size=24)"});
  check_device(
      1, {"CAP-002",
          "^buffer A : L2 (size=9223372036854775807); buffer B : L2 (size=9223372036854775807)",
          "9223372036854775807", "buffer A : DDR (size=9223372036854775807)"});
  std::string largest = device(1, "");
  largest.replace(largest.find("l2_size_bytes = ") + 16, 4, "9223372036854775807");
  check({"CAP-002", largest + "buffer A : L2 (size=9223372036854775807); ^buffer B : L2 (size=1)",
         "with B its buffers need more than 2^63 - 1",
         largest + "buffer A : L2 (size=9223372036854775806); buffer B : L2 (size=1)"});
  // one allocation, whatever the number of iterations
  CHECK(verified(device(1, "loop i in [0..9]: buffer A : L2 (size=1000) endloop")).is_valid);
}

TEST_CASE("nem/regions: bytes", "[nem]") {
  const example examples[] = {
      {"REG-001", "buffer B : L2 (size=8); let R = region(B, ^2 - 3, 4)", "found -1",
       "buffer B : L2 (size=8); let R = region(B, 3 - 2, 4)"},
      {"REG-002", "buffer B : L2 (size=8); let R = region(B, 0, ^-2)", "found -2",
       "buffer B : L2 (size=8); let R = region(B, 0, 2)"},
      {"REG-003", "buffer B : L2 (size=8); let R = ^region(B, 5, 4)", "4 bytes from 5 on",
       "buffer B : L2 (size=8); let R = region(B, 5, 3)"},
      {"REG-003",
       "buffer B : L2 (size=8); let R = ^region(B, 9223372036854775807, 9223372036854775807)",
       "of 8 bytes", "buffer B : L2 (size=8); let R = region(B, 7, 1)"},
      {"REG-003", "buffer B : L2 (size=12); loop i in [0..3]: let R = ^region(B, 4 * i, 4) endloop",
       "4 bytes from 12 on",
       "buffer B : L2 (size=16); loop i in [0..3]: let R = region(B, 4 * i, 4) endloop"},
      {"REG-003",
       "buffer B : L2 (size=9); loop i in [0..3]: loop j in [0..i]: transfer.sync(dst=^region(B, i "
       "+ 2 * j, 1), src=region(B, 8, 1)) @memmove endloop endloop",
       "1 byte from 9 on",
       "buffer B : L2 (size=10); loop i in [0..3]: loop j in [0..i]: transfer.sync(dst=region(B, i "
       "+ 2 * j, 1), src=region(B, 8, 1)) @memmove endloop endloop"},
  };
  for (const example& e : examples) check(e);
  // once for each place, with the first iteration that is wrong
  const auto o =
      verified("buffer B : L2 (size=8); loop i in [0..9]: let R = region(B, i * 4, 4) endloop");
  CHECK(o.report.errors == 1);
  CHECK(o.has("REG-003"));
}

TEST_CASE("nem/regions: layouts of capital letters name dimensions", "[nem]") {
  const auto is_counted = [](const std::string& layout) {
    return verified(
               "buffer B : DDR (size=4096); let R = region(B, 0, 24) elem=f32, shape=[2, 3], "
               "layout=" +
               layout)
        .has("REG-007");
  };
  CHECK(is_counted("A"));
  CHECK(is_counted("AZA"));
  CHECK(is_counted("Z"));
  CHECK_FALSE(is_counted("AZ"));
  CHECK_FALSE(is_counted("a"));
  CHECK_FALSE(is_counted("A1B"));
}

TEST_CASE("nem/regions: elements", "[nem]") {
  const auto check_region = [](std::string_view rule, std::string_view bad, std::string_view text,
                               std::string_view good) {
    const std::string buffer = "buffer B : DDR (size=4096); let R = region(B, ";
    check({rule, buffer + std::string(bad), text, buffer + std::string(good)});
  };
  check_region("REG-004", "0, ^23) elem=f32, shape=[2, 3], layout=MK", "needs 24 bytes",
               "0, 24) elem=f32, shape=[2, 3], layout=MK");
  check_region("REG-004", "0, ^4) elem=i4, shape=[9], layout=C", "needs 5 bytes",
               "0, 5) elem=i4, shape=[9], layout=C");
  check_region("REG-004", "0, ^8) elem=i8, shape=[4294967296, 4294967296], layout=MK",
               "more than 2^63 - 1 bytes", "0, 8) elem=i8, shape=[2, 4], layout=MK");
  check_region("REG-004", "0, ^8) elem=f64, shape=[4611686018427387904], layout=C",
               "more than 2^63 - 1 bytes", "0, 8) elem=f64, shape=[1], layout=C");
  check_region("REG-005", "0, 23) elem=i8, shape=[3, 4], ^strides=[10, 1]", "reach 24 bytes",
               "0, 24) elem=i8, shape=[3, 4], strides=[10, 1]");
  check_region("REG-005", "0, 6) elem=i4, shape=[3, 2], ^strides=[6, 1]", "reach 7 bytes",
               "0, 7) elem=i4, shape=[3, 2], strides=[6, 1]");
  check_region("REG-005", "0, 8) elem=i8, shape=[3, 3], ^strides=[9223372036854775807, 1]",
               "more than 2^63 - 1 bytes",
               "0, 8) elem=i8, shape=[1, 3], strides=[9223372036854775807, 1]");
  check_region("REG-006", "0, 8) elem=i8, shape=[2, 4], ^strides=[4, 2, 1]", "expected 2 strides",
               "0, 8) elem=i8, shape=[2, 4], strides=[4, 1]");
  check_region("REG-007", "0, 8) elem=i8, shape=[2, 4], ^layout=NCHW", "has 4 letters",
               "0, 8) elem=i8, shape=[2, 4], layout=RowMajor");
  check_region("REG-008", "0, 8) elem=i8, shape=[2, ^3 - 3], layout=MK", "found 0",
               "0, 8) elem=i8, shape=[2, 3], layout=MK");
  check_region("REG-009", "0, 8) elem=i8, shape=[2, 2], strides=[^-2, 1]", "found -2",
               "0, 8) elem=i8, shape=[2, 2], strides=[0, 1]");
  check_region("REG-011", "^6, 8) elem=f32, shape=[2], layout=C", "4 bytes of f32",
               "12, 8) elem=f32, shape=[2], layout=C");
  check_region("TYP-002", "0, 8) ^elem=tf32, shape=[2], layout=C", "tf32",
               "0, 8) elem=f32, shape=[2], layout=C");
  CHECK(verified("buffer B : L2 (size=8); let R = region(B, 0, 1) elem=i8, shape=[], layout=C")
            .report.errors == 0);
  nem::verify_options strict;
  strict.profile = nem::profile::strict;
  CHECK_FALSE(
      verified("buffer B : L2 (size=8); let R = region(B, 0, 8) elem=f64, shape=[1], layout=C",
               strict)
          .is_valid);
}

TEST_CASE("nem/regions: elements that share a place are not written", "[nem]") {
  const auto is_refused = [](std::string_view shape, std::string_view strides) {
    const std::string source =
        "buffer B : DDR (size=1000000); buffer S : DDR (size=1000000); "
        "transfer.async(dst=region(B, 0, 100000) elem=i8, shape=[" +
        std::string(shape) + "], strides=[" + std::string(strides) + "], src=region(S, 0, 100000))";
    const auto o = verified(source);
    CAPTURE(source, o.lines);
    CHECK((o.is_valid || o.has("REG-010")));
    return o.has("REG-010");
  };
  CHECK_FALSE(is_refused("3, 4", "4, 1"));
  CHECK_FALSE(is_refused("4, 3", "1, 4"));
  CHECK(is_refused("3, 4", "3, 1"));  // 1*3 == 3*1
  CHECK(is_refused("4", "0"));
  CHECK_FALSE(is_refused("1", "0"));        // one element
  CHECK_FALSE(is_refused("3, 2", "3, 2"));  // 0 3 6 2 5 8: interleaved, all apart
  CHECK(is_refused("3, 4", "3, 2"));        // 2*3 == 3*2
  CHECK(is_refused("2, 2, 2", "5, 3, 2"));  // 5 == 3 + 2
  CHECK_FALSE(is_refused("2, 2, 2", "6, 3, 2"));
  CHECK_FALSE(is_refused("100, 90", "91, 1"));
  CHECK_FALSE(is_refused("90, 100", "101, 100"));  // 101*a == 100*b needs a = 100
  CHECK(is_refused("101, 102", "101, 100"));
  CHECK(is_refused("2, 2, 2, 2, 2, 2, 2, 2, 2", "1, 2, 4, 8, 16, 32, 64, 128, 255"));
  std::string ones = "1", zeros = "0";  // more dimensions than are computed with
  for (int i = 1; i < 32; ++i) ones += ", 1", zeros += ", 0";
  CHECK(is_refused(ones + ", 2", zeros + ", 0"));
  CHECK_FALSE(is_refused(ones + ", 2", zeros + ", 1"));
  CHECK_FALSE(is_refused("2, 2, 2, 2, 2, 2, 2, 2, 2", "1, 2, 4, 8, 16, 32, 64, 128, 256"));

  nem_test::check(
      {"REG-010",
       "buffer B : L2 (size=64); let R = region(B, 0, 4) elem=i8, shape=[2, 3], strides=[1, 1];"
       "transfer.async(^dst=R, src=region(B, 32, 4))",
       "the same bytes",  // and reading them is fine
       "buffer B : L2 (size=64); let R = region(B, 0, 4) elem=i8, shape=[2, 3], strides=[1, 1];"
       "transfer.async(dst=region(B, 32, 4), src=R)"});
}

TEST_CASE("nem/regions: whether strides overlap, against all pairs", "[nem]") {
  std::uint32_t state = 7;
  const auto next = [&](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (int round = 0; round < 3000; ++round) {
    nem::values v;
    nem::region r;
    r.has_shape = r.has_strides = true;
    r.rank = r.strides = 1 + next(4);
    r.first_dimension = 0;
    for (std::uint32_t i = 0; i < r.rank; ++i) v.numbers.push_back(1 + next(5));
    r.first_stride = r.rank;
    for (std::uint32_t i = 0; i < r.rank; ++i) v.numbers.push_back(next(30));
    std::vector<std::int64_t> places = {0};
    for (std::uint32_t i = 0; i < r.rank; ++i) {
      std::vector<std::int64_t> more;
      for (const std::int64_t p : places)
        for (std::int64_t k = 0; k < v.numbers[i]; ++k)
          more.push_back(p + k * v.numbers[r.rank + i]);
      places = more;
    }
    bool is_shared = false;
    std::vector<bool> seen(1000);
    for (const std::int64_t p : places) {
      is_shared = is_shared || seen[static_cast<std::size_t>(p)];
      seen[static_cast<std::size_t>(p)] = true;
    }
    std::uint64_t work = 100000;
    CHECK(nem::detail::overlaps_itself(v, r, work) == is_shared);
  }
}

TEST_CASE("nem/regions: quantization descriptors", "[nem]") {
  const auto check_quant = [](std::string_view rule, std::string_view bad, std::string_view text,
                              std::string_view good) {
    const std::string region =
        "let axes = 1; let halves = [0.5, 0.25, 0.5]; let zeros = [0, 0, 0]; buffer B : DDR "
        "(size=64); let R = region(B, 0, 6) elem=u8, shape=[3, 2], layout=MK, quant=";
    check({rule, region + std::string(bad), text, region + std::string(good)});
  };
  check_quant("QNT-001", "per_channel(axis=0, scales=^[1, 0.5], zero_points=zeros)",
              "expected 3 scales, found 2",
              "per_channel(axis=0, scales=[1, 0.5, 2], zero_points=zeros)");
  check_quant("QNT-001", "per_channel(axis=0, scales=halves, zero_points=^[1])",
              "expected 3 zero points, found 1",
              "per_channel(axis=0, scales=halves, zero_points=[1, 2, 3])");
  check_quant("QNT-002", "per_group(axis=0, group_size=2, scales=^halves, zero_points=[0, 0])",
              "expected 2 scales, found 3",
              "per_group(axis=0, group_size=1, scales=halves, zero_points=zeros)");
  check_quant("QNT-003", "per_group(axis=0, group_size=^1 - 2, scales=halves, zero_points=zeros)",
              "group_size must be positive",
              "per_group(axis=0, group_size=1, scales=halves, zero_points=zeros)");
  check_quant("QNT-004", "per_channel(axis=^axes + 1, scales=halves, zero_points=zeros)", "0 to 1",
              "per_channel(axis=axes, scales=[1, 2], zero_points=[0, 0])");
  check_quant("QNT-004", "per_channel(axis=^-1, scales=halves, zero_points=zeros)", "axis -1",
              "per_channel(axis=0, scales=halves, zero_points=zeros)");
  check_quant("QNT-005", "per_tensor(scale=^-0.5, zero_point=0)", "found -0.5",
              "per_tensor(scale=0.5, zero_point=0)");
  check_quant("QNT-005", "per_channel(axis=1, scales=[1, ^0], zero_points=[0, 0])", "positive",
              "per_channel(axis=1, scales=[1, 3], zero_points=[0, 0])");
  check_quant("QNT-005", "per_tensor(scale=^1.0e308 * 10, zero_point=0)", "finite",
              "per_tensor(scale=1.0e308, zero_point=0)");
  check_quant("QNT-006", "per_tensor(scale=1, zero_point=^2.5)", "found 2.5",
              "per_tensor(scale=1, zero_point=2.0)");
  check_quant("QNT-006", "per_tensor(scale=1, zero_point=^1.0e30)", "found 1e+30",
              "per_tensor(scale=1, zero_point=30)");
  check_quant("QNT-007", "per_tensor(scale=1, zero_point=^256)", "u8 (0 to 255)",
              "per_tensor(scale=1, zero_point=255)");
  check_quant("QNT-007", "per_tensor(scale=1, zero_point=^-1)", "u8 (0 to 255)",
              "per_tensor(scale=1, zero_point=0)");
  // A scale that can't be makes the region unknown, whatever comes after it: no other error follows.
  const auto used = [](std::string_view scales) {
    return verified(
        "buffer B : DDR (size=64)\nlet R = region(B, 0, 6) elem=u8, shape=[3, 2], "
        "layout=MK, quant=per_channel(scales=" +
        std::string(scales) +
        ", axis=0, zero_points=[0, 0, 0])\nrelu.sync in R out region(B, 8, 3) elem=u8, "
        "shape=[3], layout=C\n");
  };
  CHECK(used("[1, 1, 1]").report.errors == 2);
  CHECK_FALSE(used("[1, 1, 1]").has("QNT-005"));
  CHECK(used("[1, 0, 1]").report.errors == 1);
  CHECK(used("[1, 0, 1]").has("QNT-005"));
  check({"QNT-008",
         "buffer B : L2 (size=8); let R = region(B, 0, 8) elem=f32, shape=[2], layout=C, "
         "^quant=per_tensor(scale=1, zero_point=0)",
         "f32",
         "buffer B : L2 (size=8); let R = region(B, 0, 8) elem=i32, shape=[2], layout=C, "
         "quant=per_tensor(scale=1, zero_point=0)"});
  // lists that have names are looked at once, not with each region
  check_quant("QNT-005", "per_channel(axis=0, scales=^zeros, zero_points=zeros)", "found 0.0",
              "per_channel(axis=0, scales=halves, zero_points=zeros)");
  check_quant("QNT-006", "per_channel(axis=0, scales=halves, zero_points=^halves)", "found 0.5",
              "per_channel(axis=0, scales=halves, zero_points=zeros)");
  const std::string named =
      "let w = [1.0, 2, 255]; let n = [3, 256]; buffer B : DDR (size=64); let R = region(B, 0, 6) "
      "elem=u8, shape=[3, 2], layout=MK, quant=per_channel(";
  CHECK(verified(named + "axis=0, scales=w, zero_points=w)").lines.empty());
  CHECK(verified(named + "axis=1, scales=n, zero_points=n)").has("QNT-007"));
  std::string many = "let w = [1";
  for (int k = 1; k < 50000; ++k) many += ", 1";
  many += "]\nbuffer B : DDR (size=50000)\n";
  for (int k = 0; k < 50000; ++k)
    many += "let R" + std::to_string(k) +
            " = region(B, 0, 50000) elem=i8, shape=[50000], layout=C, quant=per_channel(axis=0, "
            "scales=w, zero_points=w)\n";
  CHECK(verified(many).is_valid);
  const std::string i4 =
      "buffer B : L2 (size=8); let R = region(B, 0, 1) elem=i4, shape=[2], layout=C, "
      "quant=per_tensor(scale=1, zero_point=";
  CHECK_FALSE(verified(i4 + "-8)").has("QNT-007"));
  CHECK(verified(i4 + "-9)").has("QNT-007"));
  CHECK(verified(i4 + "8)").has("QNT-007"));
}
