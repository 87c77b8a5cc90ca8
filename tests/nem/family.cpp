// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <set>
#include <string>
#include <string_view>

#include <tessera/nem/families.hpp>

#include "nem/tasks.hpp"
#include "support/catch.hpp"

using namespace nem_test;

namespace {

/// A target that has the MUST variants, and `extended` ones.
std::string target(const std::string& extended = {}) {
  return "include \"nem_baseline_1.0.nem\"\n"
         "device tile extends nem_baseline_1_0 {\n"
         "  topology { num_engines = 1 l2_size_bytes = 2097152\n"
         "    per_engine { NMU = 1 CSTL = 1 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 4096 } }\n" +
         (extended.empty() ? std::string() : "  opcode.extended { " + extended + " }\n") +
         "}\nprogram p:\n";
}

/// A gemm or matmul of these types; "-" for no C. Integers carry descriptors.
std::string gemm(const std::string& a, const std::string& b, const std::string& c,
                 const std::string& y, const std::string& accum, const std::string& op = "gemm") {
  const auto q = [](const std::string& e) {
    return nem::is_integer(nem::find_element(e)) ? " q}" : "}";
  };
  return op + ".async in {" + a + " 2 4 MK" + q(a) + ", {" + b + " 4 2 KN" + q(b) +
         (c == "-" ? std::string() : ", {" + c + " 2 N}") + " out {" + y + " 2 2 MN" + q(y) +
         " accum_type=" + accum;
}
std::string conv(const std::string& x, const std::string& w, const std::string& b,
                 const std::string& y, const std::string& accum, const std::string& op = "conv2d") {
  const auto q = [](const std::string& e) {
    return nem::is_integer(nem::find_element(e)) ? " q}" : "}";
  };
  return op + ".async in {" + x + " 1 4 4 1 NHWC" + q(x) + ", {" + w + " 3 3 1 2 HWIO" + q(w) +
         (b == "-" ? std::string() : ", {" + b + " 2 C}") + " out {" + y + " 1 2 2 2 NHWC" + q(y) +
         " pads=[0, 0, 0, 0] strides=[1, 1] dilations=[1, 1] accum_type=" + accum;
}
/// Options under which "families.nem" is this text.
nem::verify_options with_families(const std::string& text) {
  nem::verify_options options;
  options.resolver.context = const_cast<std::string*>(&text);
  options.resolver.open = [](void* context, std::string_view, std::string_view path,
                             nem::resolver::file& to) {
    to = {path, *static_cast<const std::string*>(context)};
    return path == "families.nem";
  };
  return options;
}
const std::string include_families = "include \"families.nem\"\nprogram p:\n";

/// Opcodes of one input and one output, with what they need.
std::string unary(const std::string& op, const std::string& x, const std::string& y,
                  const std::string& rest = {}) {
  return op + ".sync in {" + x + " 4 C} out {" + y + " 4 C} " + rest;
}

}  // namespace

TEST_CASE("nem/family: each built-in instance is accepted", "[nem]") {
  // Each instance as a task that matches it and nothing else.
  const struct {
    std::string reference, task;
  } instances[] = {
      {"conv2d.float<f16>.no_bias", conv("f16", "f16", "-", "f16", "f32")},
      {"conv2d.float<bf16>.no_bias", conv("bf16", "bf16", "-", "bf16", "f32")},
      {"conv2d.float<f32>.no_bias", conv("f32", "f32", "-", "f32", "f32")},
      {"conv2d.float<f16>.with_bias", conv("f16", "f16", "f16", "f16", "f32")},
      {"conv2d.float<bf16>.with_bias", conv("bf16", "bf16", "bf16", "bf16", "f32")},
      {"conv2d.float<f32>.with_bias", conv("f32", "f32", "f32", "f32", "f32")},
      {"conv2d.int8<i8>.no_bias", conv("i8", "i8", "-", "i8", "i32")},
      {"conv2d.int8<i8>.with_bias", conv("i8", "i8", "i32", "i8", "i32")},
      {"conv2d.int8<i16>.with_bias", conv("i8", "i8", "i32", "i16", "i32")},
      {"conv2d.int4.no_bias", conv("i8", "i4", "-", "i8", "i32")},
      {"conv2d.int4.with_bias", conv("i8", "i4", "i32", "i8", "i32")},
      {"gemm.float<f16>.no_bias", gemm("f16", "f16", "-", "f16", "f32")},
      {"gemm.float<bf16>.no_bias", gemm("bf16", "bf16", "-", "bf16", "f32")},
      {"gemm.float<f32>.no_bias", gemm("f32", "f32", "-", "f32", "f32")},
      {"gemm.float<f16>.with_bias", gemm("f16", "f16", "f16", "f16", "f32")},
      {"gemm.int8<i8>.no_bias", gemm("i8", "i8", "-", "i8", "i32")},
      {"gemm.int8<i8>.with_bias", gemm("i8", "i8", "i32", "i8", "i32")},
      {"gemm.int8<i16>.with_bias", gemm("i8", "i8", "i32", "i16", "i32")},
      {"gemm.int4.no_bias", gemm("i8", "i4", "-", "i8", "i32")},
      {"gemm.int4.with_bias", gemm("i8", "i4", "i32", "i8", "i32")},
      {"eltwise<i8>.default", unary("relu", "i8", "i8")},
      {"eltwise<i16>.default", unary("neg", "i16", "i16")},
      {"eltwise<i32>.default", unary("abs", "i32", "i32")},
      {"eltwise<f16>.default", unary("gelu", "f16", "f16")},
      {"eltwise<bf16>.default", unary("silu", "bf16", "bf16")},
      {"eltwise<f32>.default", unary("clamp", "f32", "f32", "min_val=0 max_val=1")},
      {"view<i8>.default", unary("reshape", "i8", "i8", "target_shape=[4]")},
      {"view<i16>.default", unary("transpose", "i16", "i16", "perm=[0]")},
      {"view<i32>.default", unary("concat", "i32", "i32", "axis=0")},
      {"view<f16>.default", unary("split", "f16", "f16", "axis=0 split_sizes=[4]")},
      {"view<bf16>.default", unary("pad", "bf16", "bf16", "pads=[0, 0] mode=edge")},
      {"view<f32>.default", unary("slice", "f32", "f32", "starts=[0] ends=[4] axes=[0] steps=[1]")},
      {"norm<f16>.default", unary("layernorm", "f16", "f16", "axis=0 epsilon=0")},
      {"norm<bf16>.default", unary("rmsnorm", "bf16", "bf16", "axis=0 epsilon=0")},
      {"norm<f32>.default", unary("rmsnorm", "f32", "f32", "axis=0 epsilon=0")},
      {"softmax<f16>.default", unary("softmax", "f16", "f16", "axis=0")},
      {"softmax<bf16>.default", unary("log_softmax", "bf16", "bf16", "axis=0")},
      {"softmax<f32>.default", unary("softmax", "f32", "f32", "axis=0")},
      {"cast.default", unary("cast", "u16", "i4")},
      {"quantize<f16, i8>.default", "quantize.sync in {f16 4 C} out {i8 4 C q}"},
      {"quantize<f32, i8>.default", "quantize.sync in {f32 4 C} out {i8 4 C q}"},
      {"dequantize<i8, f16>.default", "dequantize.sync in {i8 4 C q} out {f16 4 C}"},
      {"dequantize<i8, f32>.default", "dequantize.sync in {i8 4 C q} out {f32 4 C}"},
  };
  nem::catalog c;
  nem::add_builtin(c);
  std::set<std::string> must, all;
  for (const nem::instance& x : c.instances) {
    tessera::text reference;
    c.append_reference(reference, x);
    all.insert(std::string(reference.view()));
    if (x.is_must) must.insert(std::string(reference.view()));
  }
  CHECK(all.size() == 43);
  CHECK(must.size() == 17);
  CHECK(sizeof instances / sizeof *instances == 43);
  for (const auto& x : instances) {
    CAPTURE(x.reference);
    CHECK(all.erase(x.reference) == 1);
    accepts(x.task);
    if (must.count(x.reference) != 0) {
      accepts(x.task, target());
    } else {
      const marked m(expand_tasks("^" + x.task, target()));
      const outcome o = verified(m.source);
      CAPTURE(o.lines, m.offset);
      CHECK(errors_of(o) == "FAM-002");
      CHECK(o.lines.find("FAM-002 " + std::to_string(m.offset) + " device tile doesn't support " +
                         x.reference) != std::string::npos);
      accepts(x.task, target(x.reference));
    }
  }
  CHECK(all.empty());
}

TEST_CASE("nem/family: what no conformance class lists", "[nem]") {
  const auto unlisted = [](const std::string& task, const std::string& operand,
                           const std::string& text, const std::string& nearest) {
    // The operand is the only one with its type; braces make it findable.
    std::string marked_task = task;
    marked_task.insert(marked_task.find(operand), "^");
    const outcome o = refuses("FAM-001", marked_task, text);
    const std::string note = note_of(o, "FAM-001");
    CAPTURE(note);
    CHECK(note.find("the nearest variant is " + nearest + " (") == 0);
  };
  unlisted(gemm("bf16", "bf16", "bf16", "bf16", "f32"), "{bf16 2 N}",
           "no variant of gemm takes A: bf16, B: bf16, C: bf16, Y: bf16: C must be left out in "
           "gemm.float<bf16>.no_bias",
           "gemm.float<bf16>.no_bias");
  unlisted(gemm("f32", "f32", "f32", "f32", "f32"), "{f32 2 N}", "C must be left out",
           "gemm.float<f32>.no_bias");
  unlisted(gemm("i8", "i8", "-", "i16", "i32"), "{i16 2 2 MN q}", "Y must be i8, not i16",
           "gemm.int8<i8>.no_bias");
  unlisted(conv("i8", "i8", "-", "i16", "i32"), "{i16 1 2 2 2 NHWC q}", "Y must be i8, not i16",
           "conv2d.int8<i8>.no_bias");
}

TEST_CASE("nem/family: types that match no variant", "[nem]") {
  const outcome o = refuses(
      "FAM-001", "gemm.async in ^{i16 2 4 MK}, {i16 4 2 KN} out {i16 2 2 MN} accum_type=i32",
      "no variant of gemm takes A: i16, B: i16, Y: i16: A must be i8, not i16 in "
      "gemm.int8<i8>.no_bias");
  CHECK(note_of(o, "FAM-001") ==
        "the nearest variant is gemm.int8<i8>.no_bias (A: i8, B: i8, Y: i8); others are "
        "gemm.float<f16>.no_bias, gemm.float<bf16>.no_bias, gemm.float<f32>.no_bias, "
        "gemm.float<f16>.with_bias, gemm.int8<i8>.with_bias, gemm.int8<i16>.with_bias, "
        "gemm.int4.no_bias, gemm.int4.with_bias");
  refuses("FAM-001", "gemm.async in {f16 2 4 MK}, ^{bf16 4 2 KN} out {f16 2 2 MN} accum_type=f32",
          "B must be f16, not bf16");
  refuses("FAM-001", "gemm.async in {i8 2 4 MK q}, ^{f16 4 2 KN} out {i8 2 2 MN q} accum_type=i32",
          "B must be i8, not f16 in gemm.int8<i8>.no_bias");
  refuses("FAM-001",
          "matmul.async in {i8 2 4 MK q}, {i8 4 2 KN q} out ^{i32 2 2 MN} accum_type=i32",
          "Y must be i8");
  refuses("FAM-001", "relu.async in ^{u8 4 C} out {u8 4 C}", "X must be");
  refuses("FAM-001", "relu.async in ^{f64 4 C} out {f64 4 C}", "not f64");
  refuses("FAM-001", "softmax.async in ^{i8 4 C} out {i8 4 C} axis=0", "X must be");
  refuses("FAM-001", "softmax.async in {f16 4 C} out ^{f32 4 C} axis=0", "Y must be f16, not f32");
  refuses("FAM-001", "reshape.async in {f16 4 C} out ^{i8 4 C} target_shape=[4]", "Y must be f16");
  refuses("FAM-001", "concat.async in {f16 4 C}, ^{i8 4 C} out {f16 8 C} axis=0",
          "takes i8 beside f16");
  refuses("FAM-001", "layernorm.async in {f16 4 C}, ^{f32 4 C} out {f16 4 C} axis=0 epsilon=0",
          "scale must be f16, not f32 in norm<f16>.default");
  refuses("FAM-001", "gather.async in {f16 4 C}, ^{f16 4 C} out {f16 4 C} axis=0",
          "indices of an integer type, not f16");
  refuses("FAM-001", "cast.async in {f16 4 C} out ^{f64 4 C}", "Y must be any element type");
  refuses("FAM-001", "quantize.async in {f16 4 C} out ^{u8 4 C q}", "Y must be i8, not u8");
  refuses("FAM-001", "dequantize.async in ^{i16 4 C q} out {f16 4 C}", "X must be i8");
  // Convolutions without a family follow conv2d, on any device.
  refuses("FAM-001",
          "conv1d.async in {f16 1 4 1 NWC}, ^{f32 3 1 1 WIO} out {f16 1 2 1 NWC} pads=[0, 0] "
          "strides=[1] dilations=[1] accum_type=f32",
          "W must be f16");
  accepts(
      "conv1d.async in {f32 1 4 1 NWC}, {f32 3 1 1 WIO} out {f32 1 2 1 NWC} pads=[0, 0] "
      "strides=[1] dilations=[1] accum_type=f32",
      target());
}

TEST_CASE("nem/family: with a target, what is nearest is what it has", "[nem]") {
  const std::string task =
      "gemm.async in {bf16 2 4 MK}, {bf16 4 2 KN}, {bf16 2 N} out {bf16 2 2 MN} accum_type=f32";
  std::string bad = task;
  bad.insert(bad.find("{bf16 2 4"), "^");
  const outcome plain = refuses("FAM-001", bad, "in gemm.float<f16>.with_bias", target());
  CHECK(note_of(plain, "FAM-001") ==
        "the nearest variant of device tile is gemm.float<f16>.with_bias (A: f16, B: f16, C: f16, "
        "Y: f16); others are gemm.float<f16>.no_bias, gemm.int8<i8>.no_bias, "
        "gemm.int8<i8>.with_bias");
  bad = task;
  bad.insert(bad.find("{bf16 2 N}"), "^");
  refuses("FAM-001", bad, "C must be left out in gemm.float<bf16>.no_bias",
          target("gemm.float<bf16>.no_bias"));
  const outcome lacking = refuses("FAM-002", "^" + gemm("bf16", "bf16", "-", "bf16", "f32"),
                                  "device tile doesn't support gemm.float<bf16>.no_bias", target());
  CHECK(note_of(lacking, "FAM-002")
            .find("the nearest variant of device tile is "
                  "gemm.float<f16>.no_bias (A: f16, B: f16, Y: f16)") == 0);
}

TEST_CASE("nem/family: what is nearest is alike in kind and width", "[nem]") {
  const auto nearest = [](const char* type) {
    const std::string operand = '{' + std::string(type) + " 4 C}";
    const outcome o = refuses("FAM-002", "^silu.async in " + operand + " out " + operand,
                              "device tile doesn't support", target());
    const std::string note = note_of(o, "FAM-002");
    const std::size_t first = note.find(" is ") + 4;
    return note.substr(first, note.find(' ', first) - first);
  };
  CHECK(nearest("f32") == "eltwise<f16>.default");
  CHECK(nearest("bf16") == "eltwise<f16>.default");
}

TEST_CASE("nem/family: the type that sums are kept in", "[nem]") {
  refuses("FAM-003", "gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out {f16 2 2 MN} accum_type=^i32",
          "accum_type must equal f32 of gemm.float<f16>.no_bias, not i32");
  refuses("FAM-003",
          "matmul.async in {i8 2 4 MK q}, {i8 4 2 KN q} out {i8 2 2 MN q} accum_type=^f32",
          "accum_type must equal i32");
  refuses("FAM-003",
          "conv1d.async in {f16 1 4 1 NWC}, {f16 3 1 1 WIO} out {f16 1 2 1 NWC} pads=[0, 0] "
          "strides=[1] dilations=[1] accum_type=^f16",
          "accum_type must equal f32");
}

TEST_CASE("nem/family: descriptors that families ask for", "[nem]") {
  refuses("FAM-004", "gemm.async in ^{i8 2 4 MK}, {i8 4 2 KN q} out {i8 2 2 MN q} accum_type=i32",
          "gemm.int8<i8>.no_bias requires a quantization descriptor on A");
  refuses("FAM-004", "gemm.async in {i8 2 4 MK}, ^{i4 4 2 KN} out {i8 2 2 MN} accum_type=i32",
          "gemm.int4.no_bias requires a quantization descriptor on B");
  accepts("gemm.async in {i8 2 4 MK}, {i4 4 2 KN q} out {i8 2 2 MN} accum_type=i32");
  refuses("FAM-004",
          "gemm.async in {f16 2 4 MK}, {f16 4 2 KN}, ^{f16 2 N q} out {f16 2 2 MN} accum_type=f32",
          "takes no quantization descriptor on C");
  refuses("FAM-004", "quantize.async in {f16 4 C} out ^{i8 4 C}", "on Y");
  refuses("FAM-004", "dequantize.async in ^{i8 4 C} out {f16 4 C}", "on X");
  // In the profile of the format's own examples, it is a warning.
  nem::verify_options upstream;
  upstream.profile = nem::profile::upstream;
  accepts("gemm.async in {i8 2 4 MK}, {i8 4 2 KN q} out {i8 2 2 MN q} accum_type=i32", {},
          upstream);
}

TEST_CASE("nem/family: element types of one operation", "[nem]") {
  refuses("FAM-005", "relu.async in {f16 4 C} out ^{bf16 4 C}",
          "element types must match: Y is bf16, X is f16");
  refuses("FAM-005", "add.async in {f16 4 C}, ^{f32 4 C} out {f16 4 C}", "B is f32");
  refuses("FAM-005", "add.async in ^{f32 4 C}, {f16 4 C} out {f16 4 C}", "A is f32, B is f16");
  refuses("FAM-005", "add.async in {i8 4 C}, {i8 4 C} out ^{i32 4 C}", "Y is i32, A is i8");
  refuses("FAM-005",
          "maxpool.async in {i8 1 4 4 1 NHWC} out ^{i16 1 2 2 1 NHWC} kernel_shape=[2, 2] "
          "pads=[0, 0, 0, 0] strides=[2, 2]",
          "Y is i16");
  refuses("FAM-005", "reduce_max.async in {f16 4 C} out ^{f32 1 C} axes=[0] keepdims=true",
          "Y is f32");
  refuses("FAM-005", "argmax.async in {f16 4 C} out ^{f32 1 C} axis=0 keepdims=true",
          "argmax gives indices");
  refuses("FAM-005", "argmin.async in {f16 4 C} out ^{i4 1 C} axis=0 keepdims=true", "not i4");
  refuses("FAM-006",
          "^avgpool.async in {u8 1 4 4 1 NHWC} out {u8 1 2 2 1 NHWC} kernel_shape=[2, 2] "
          "pads=[0, 0, 0, 0] strides=[2, 2]",
          "no type family governs avgpool");
}

TEST_CASE("nem/family: descriptors that go together", "[nem]") {
  refuses("QNT-009", "relu.async in {i8 4 C q} out ^{i8 4 C}", "raw integers");
  refuses("QNT-009", "add.async in {i8 4 C q}, ^{i8 4 C} out {i8 4 C q}", "raw integers");
  refuses("QNT-009",
          "maxpool.async in ^{i8 1 4 4 1 NHWC} out {i8 1 2 2 1 NHWC q} kernel_shape=[2, 2] "
          "pads=[0, 0, 0, 0] strides=[2, 2]",
          "raw integers");
  refuses("QNT-011", "gemm.async in {i8 2 4 MK q}, {i8 4 2 KN q} out ^{i8 2 2 MN} accum_type=i32",
          "scale 1");
  refuses("QNT-012", "reshape.async in {i8 4 C q} out ^{i8 2 2 XY} target_shape=[2, 2]",
          "different descriptors");
  refuses("QNT-012", "concat.async in {i8 4 C q}, ^{i8 4 C} out {i8 8 C q} axis=0", "concat");
  refuses("QNT-013", "cast.async in ^{i8 4 C q} out {f16 4 C}", "ignores");
  refuses("QNT-014", "^exp.async in {i8 4 C} out {i8 4 C}", "exp of i8");
  const outcome o = verified(
      expand_tasks("relu.async in {i8 4 C q} out {i8 4 C q}\nrelu.async in {i8 4 C} out {i8 4 C}\n"
                   "exp.async in {i8 4 C q} out {i8 4 C q}\nexp.async in {f16 4 C} out {f16 4 C}\n"
                   "reshape.async in {i8 4 C q} out {i8 2 2 XY q} target_shape=[2, 2]\n"
                   "gather.async in {i8 4 C q}, {i32 4 C} out {i8 4 C q} axis=0\n"
                   "cast.async in {i8 4 C} out {f16 4 C}\n"
                   "gemm.async in {i8 2 4 MK q}, {i8 4 2 KN q} out {i8 2 2 MN q} accum_type=i32\n"
                   "gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out {f16 2 2 MN} accum_type=f32"));
  CAPTURE(o.lines);
  CHECK(o.is_valid);
  CHECK(o.lines.find("QNT") == std::string::npos);
}

TEST_CASE("nem/family: a bias of i32 beside scales that vary along what is summed", "[nem]") {
  const auto with = [](const std::string& layout, const std::string& quant,
                       const std::string& bias = "{i32 4 N}") {
    return "gemm.async in {i8 2 4 MK q}, region(M, 4096, 16) elem=i8, shape=[4, 4], layout=" +
           layout + ", quant=" + quant + ", " + bias + " out {i8 2 4 MN q} accum_type=i32";
  };
  const std::string lists = ", scales=[0.5, 0.25, 0.5, 0.25], zero_points=[0, 0, 0, 0])";
  refuses("QNT-010", with("KN", "per_channel(axis=0" + lists, "^{i32 4 N}"),
          "the scale of B varies along axis 0");
  refuses("QNT-010", with("NK", "per_channel(axis=1" + lists, "^{i32 4 N}"), "axis 1");
  refuses("QNT-010",
          with("KN", "per_group(axis=0, group_size=2, scales=[0.5, 1], zero_points=[0, 0])",
               "^{i32 4 N}"),
          "axis 0");
  accepts(with("KN", "per_channel(axis=1" + lists));
  accepts(with("NK", "per_channel(axis=0" + lists));
  accepts(with("KN", "per_channel(axis=0, scales=[1, 1, 1, 1], zero_points=[0, 0, 0, 1])"));
  accepts(with("KN", "per_channel(axis=0" + lists, "{i32 4 N q}"));
  const auto of_conv = [](const std::string& axis, const std::string& bias) {
    return "conv1d.async in {i8 1 4 2 NWC q}, region(M, 4096, 12) elem=i8, shape=[3, 2, 2], "
           "layout=WIO, quant=per_channel(axis=" +
           axis + ", scales=[0.5, 1], zero_points=[0, 0]), " + bias +
           " out {i8 1 2 2 NWC q} pads=[0, 0] strides=[1] dilations=[1] accum_type=i32";
  };
  refuses("QNT-010", of_conv("1", "^{i32 2 C}"), "the scale of W varies along axis 1");
  accepts(of_conv("2", "{i32 2 C}"));
}

TEST_CASE("nem/family: descriptors of layout operations follow the axes", "[nem]") {
  const auto turned = [](const std::string& from, const std::string& to) {
    return "transpose.async in region(M, 0, 4) elem=i8, shape=[2, 2], layout=XY, "
           "quant=per_channel(axis=0, scales=[0.5, 1], zero_points=[0, 0]) out " +
           from +
           "region(M, 64, 4) elem=i8, shape=[2, 2], layout=YX, quant=per_channel(axis=" + to +
           ", scales=[0.5, 1], zero_points=[0, 0]) perm=[1, 0]";
  };
  const outcome o = verified(expand_tasks(turned("", "1")));
  CAPTURE(o.lines);
  CHECK(o.is_valid);
  CHECK_FALSE(o.has("QNT-012"));
  refuses("QNT-012", turned("^", "0"), "transpose");
}

TEST_CASE("nem/family: families of a file", "[nem]") {
  const std::string families =
      "type_family gemm.float<T: {f16, f32}, S: {f32}> {\n  A: T  B: T  Y: S\n  accum = f32\n"
      "  quant = required\n  variants:\n    plain: { C: absent } conformance: { MAY<f16, f32> }\n"
      "    summed: { C: S } conformance: { MAY<f32, f32> }\n}\n";
  const nem::verify_options options = with_families(families);
  const std::string& head = include_families;
  accepts(
      "gemm.async in {f16 2 4 MK q}, {f16 4 2 KN q} out {f32 2 2 MN} accum_type=f32\n"
      "gemm.async in {f32 2 4 MK q}, {f32 4 2 KN q}, {f32 2 N} out {f32 2 2 MN} "
      "accum_type=f32",
      head, options);
  refuses("FAM-004", "gemm.async in {f16 2 4 MK q}, ^{f16 4 2 KN} out {f32 2 2 MN} accum_type=f32",
          "gemm.float<f16, f32>.plain requires a quantization descriptor on B", head, options);
  refuses("FAM-001",
          "matmul.async in {f16 2 4 MK q}, {f16 4 2 KN q} out ^{f16 2 2 MN} accum_type=f32",
          "Y must be f32, not f16 in gemm.float<f16, f32>.plain", head, options);
  // matmul has no C, so a variant that demands one isn't among those that it names.
  const outcome o = refuses(
      "FAM-001", "matmul.async in ^{f32 2 4 MK q}, {f16 4 2 KN q} out {f32 2 2 MN} accum_type=f32",
      "A must be f16", head, options);
  CHECK(note_of(o, "FAM-001").find("summed") == std::string::npos);
  CHECK(note_of(o, "FAM-001").find("with_bias") == std::string::npos);
}

TEST_CASE("nem/family: an operand that no variant leaves out", "[nem]") {
  const std::string families =
      "type_family gemm.float<T: {f16}> {\n  A: T  B: T  Y: T\n  accum = f32\n  variants:\n"
      "    summed: { C: T } conformance: { MUST<f16> }\n}\n";
  refuses("FAM-001", "^gemm.async in {f16 2 4 MK}, {f16 4 2 KN} out {f16 2 2 MN} accum_type=f32",
          "C of f16 must be given", include_families, with_families(families));
}

TEST_CASE("nem/family: what a report keeps is what is worked out", "[nem]") {
  std::string tasks;
  for (int i = 0; i < 8; ++i) tasks += "relu.async in {u8 4 C} out {u8 4 C}\n";
  nem::verify_options options;
  options.max_diagnostics = 3;
  const outcome o = verified(expand_tasks(tasks), options);
  CHECK(o.report.diagnostics.size() == 3);
  CHECK(o.report.errors == 8);
  // Long names don't make long reports.
  const std::string name(5000, 'v');
  const std::string families =
      "type_family eltwise<T: {f16}> { input: T output: T variants: " + name +
      ": {} conformance: { MAY<f16> } }\n";
  const outcome l = verified(expand_tasks(tasks, include_families), with_families(families));
  CAPTURE(l.lines);
  CHECK(l.report.errors == 8);
  CHECK(l.report.characters.size() < 8 * 600);
}
