// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Lowering: networks of PyTorch on all devices, each mapped operation on a device whose memory makes
// many tiles, and what is refused. Random programs are those of lower_laws.cpp.

#include "import/recorded.hpp"
#include "lowered.hpp"

using namespace import_tests;
using nem::element;
using transform_tests::container;
using transform_tests::device;
using transform_tests::lowers;
using transform_tests::program_text;
using transform_tests::shapes;

namespace {

/// The shapes of a network's recorded inputs.
shapes recorded_shapes(const expectations& all, const std::string& name) {
  shapes out;
  for (std::size_t i = 0;; ++i) {
    const auto in = all.find(name + ".in" + std::to_string(i));
    if (!in) return out;
    out.push_back(shape_of(*in));
  }
}

/// An operation on an image x, with weights of its own as "W(shape)".
container one_operation(std::string call) {
  program_text text(1);
  (void)text.add("input");
  for (std::size_t at; (at = call.find("W(")) != std::string::npos;) {
    const std::size_t end = call.find(')', at);
    std::vector<std::int64_t> shape;
    for (std::size_t k = at + 2; k < end; k = call.find_first_of(",)", k) + 1)
      shape.push_back(std::stoll(call.substr(k)));
    call.replace(at, end + 1 - at, text.weight(shape));
  }
  for (std::size_t at; (at = call.find("; ")) != std::string::npos; call = call.substr(at + 2))
    (void)text.add(call.substr(0, at));
  return container(std::string_view(text.with_output(text.add(call))));
}

const char* const operations[] = {
    "aten.relu.default(t0)",
    "aten.log.default(t1)",  // of its absolute value: see below
    "aten.elu.default(t0, 1.5)",
    "aten.celu.default(t0, 0.5)",
    "aten.selu.default(t0)",
    "aten.softplus.default(t0)",
    "aten.mish.default(t0)",
    "aten.log_sigmoid.default(t0)",
    "aten.leaky_relu.default(t0, 0.1)",
    "aten.gelu.default(t0)",
    "aten.gelu.default(t0, \"tanh\")",
    "aten.hardtanh.default(t0, -0.5, 0.25)",
    "aten.hardtanh.default(t0, 0.5, 0.25)",  // all are 0.25
    "aten.relu6.default(t0)",
    "aten.hardsigmoid.default(t0)",
    "aten.clamp.default(t0, -0.5, 0.5)",
    "aten.clamp.default(t0, null, 0.5)",
    "aten.clamp_max.default(t0, 0.5)",
    "aten.rsub.Scalar(t0, 1.5, 2)",
    "nac.add(t0, t0, alpha)",
    "nac.sub(t0, W(4,1,1))",
    "nac.div(t0, 3)",
    "nac.add(t0, 0.0); nac.div(t1, -0.0)",
    "aten.pow.Tensor_Scalar(t0, 2)",
    "aten.pow.Tensor_Scalar(t0, 3)",
    "aten.square.default(t0)",
    "aten.rsqrt.default(t1)",
    "aten.reciprocal.default(t1)",
    "aten.maximum.default(t0, W(2,4,9,7))",
    "aten.addcmul.default(t0, t0, W(7), 0.5)",
    "aten.softmax.int(t0, 1)",
    "aten.log_softmax.int(t0, 3)",
    "aten.layer_norm.default(t0, [9, 7], W(9,7), W(9,7))",
    "aten.layer_norm.default(t0, [7])",
    "aten.rms_norm.default(t0, [7], W(7), 0.001)",
    "aten.group_norm.default(t0, 2, W(4), W(4))",
    "aten.conv2d.default(t0, W(6,4,3,3), W(6), [1, 1], [1, 1])",
    "aten.conv2d.default(t0, W(6,4,3,2), null, [2, 1], [1, 0], [2, 1])",
    "aten.conv2d.default(t0, W(8,2,3,3), W(8), [1, 1], [2, 2], [1, 1], 2)",
    "aten.conv2d.default(t0, W(40,4,1,1), W(40))",
    "aten.max_pool2d.default(t0, [3, 3], [2, 2], [1, 1])",
    "aten.max_pool2d.default(t0, [2, 2])",
    "aten.avg_pool2d.default(t0, [2, 3], [1, 2])",
    "aten.adaptive_avg_pool2d.default(t0, [3, 1])",
    "aten.mean.dim(t0, [2, 3])",
    "aten.mean.dim(t0, [1], true)",
    "aten.mean.dim(t0, [-1])",
    "nac.matmul(t0, W(7,5))",
    "aten.linear.default(t0, W(33,7), W(33))",
    "aten.linear.default(t0, W(33,7))",
    "nac.ones([]); aten.linear.default(t0, W(33,7), t1)",
    "aten.cat.default(t0, t0, W(2,4,1,7), 2)",
    "aten.stack.default(t0, t0, 1)",
    "aten.slice.Tensor(t0, 2, 1, 8, 2)",
    "aten.select.int(t0, 1, 2)",
    "getitem(t0, 1)",
    "nac.transpose(t0, 1, 3)",
    "nac.view(t0, [8, 63])",
    "aten.flatten.using_ints(t0, 1)",
    "aten.unsqueeze.default(t0, 0)",
    "aten.permute.default(t0, [3, 1, 0, 2])",
};

}  // namespace

TEST_CASE("transform/lower: each operation, in one tile and in many", "[transform]") {
  for (const char* const call : operations) {
    INFO(call);
    std::string code = call;
    if (code.find("t1") != std::string::npos && code.find("; ") == std::string::npos)
      code = "aten.abs.default(t0); " + code;
    if (const std::size_t at = code.find("alpha"); at != std::string::npos)
      code.replace(at, 5, "0.5");
    const container net = one_operation(code);
    for (const std::int64_t l1 : {4 << 20, 6144, 3072}) {
      INFO(l1 << " bytes of L1");
      CHECK(lowers(net.program(), device("large", l1, 0), {{2, 4, 9, 7}}) == "");
    }
    CHECK(lowers(net.program(), device("small"), {{2, 4, 9, 7}}, element::f16) == "");
  }
}

TEST_CASE("transform/lower: networks of PyTorch on each device", "[transform]") {
  const expectations all;
  const char* const networks[] = {"attention",
                                  "attention_weights",
                                  "conv_bn",
                                  "decoder_layer",
                                  "depthwise",
                                  "dilated_and_grouped",
                                  "dropout_eval",
                                  "encoder_layer",
                                  "gated",
                                  "gru",
                                  "lstm",
                                  "mapped",
                                  "mlp",
                                  "mlp_inplace",
                                  "patch_embedding",
                                  "resnet",
                                  "resnet_batches",
                                  "resnet_core",
                                  "rms_norm",
                                  "rotary",
                                  "scanned",
                                  "squeeze_excite",
                                  "strided_weights",
                                  "trees",
                                  "weight_norm",
                                  "without_gradients"};
  for (const std::string name : networks) {
    INFO(name);
    const imported made(data("networks/" + name + ".pt2"));
    REQUIRE(made);
    const container better = transform_tests::optimize(made.program());
    const shapes of = recorded_shapes(all, name);
    CHECK(lowers(better.program(), device("large"), of) == "");
    CHECK(lowers(better.program(), device("large", 1 << 14, 1 << 10), of) == "");
    CHECK(lowers(better.program(), device("npm_lite"), of, element::f16) == "");
    CHECK(lowers(better.program(), device("small"), of, element::f16) == "");
    for (const char* const on : {"large", "npm_lite", "small"})
      CHECK(lowers(better.program(), device(on), of, element::i8) == "");
  }
}

TEST_CASE("transform/lower: names of inputs are those of buffers, but for the program's own",
          "[transform]") {
  struct row {
    const char *name, *buffer;
  };
  for (const row& r : {row{"pixels", "pixels"},
                       {"x", "x"},
                       {"l", "l"},
                       {"x0", "input_0"},
                       {"s1_2", "input_0"},
                       {"l1", "input_0"},
                       {"i", "input_0"},
                       {"o", "input_0"},
                       {"weights", "input_0"},
                       {"spill", "input_0"},
                       {"output_0", "output_0"},
                       {"loop", "input_0"},
                       {"a.b", "input_0"},
                       {"shape", "input_0"},
                       {"large", "large"}}) {
    INFO(r.name);
    const std::string code = std::string("input_names:\n  0 = \"") + r.name +
                             "\"\ncode:\n  x = input\n  y = nac.matmul(x, x)\n  output(y)\n";
    const container net{std::string_view(code)};
    std::string text;
    CHECK(lowers(net.program(), device("large"), {{40, 40}}, element::f32, &text) == "");
    CHECK(text.find(std::string("buffer ") + r.buffer + " : DDR (size=6400, align=64) @readonly") !=
          text.npos);
  }
}

TEST_CASE("transform/lower: outputs are those that the container counts, or the last result",
          "[transform]") {
  const container last(
      std::string_view("outputs 1\ncode:\n  x = input\n  y = aten.relu.default(x)\n"));
  CHECK(lowers(last.program(), device("large"), {{3, 4}}) == "");
  const container early(
      std::string_view("code:\n  x = input\n  y = aten.relu.default(x)\n  output(y)\n"
                       "  z = aten.sin.default(x)\n  w = input\n"));
  CHECK(lowers(early.program(), device("large"), {{3, 4}, {5}}) == "");
}

TEST_CASE("transform/lower: tasks of a tile have no more tokens than SEQ", "[transform]") {
  // Each has eight tasks or more, which could all follow the first one.
  const container net(
      std::string_view("code:\n  x = input\n  a = aten.gelu.default(x, \"tanh\")\n"
                       "  b = aten.mish.default(a)\n  c = aten.log_sigmoid.default(b)\n"
                       "  d = aten.gelu.default(c, \"tanh\")\n  output(d)\n"));
  CHECK(lowers(net.program(), device("small"), {{64, 65}}, element::f16) == "");
}

TEST_CASE("transform/lower: numbers have no dimension, whatever axis is given", "[transform]") {
  for (const char* const call :
       {"aten.amax.default(t0, [-1])", "aten.amin.default(t0, [0])", "aten.mean.dim(t0, [0])",
        "aten.sum.dim_IntList(t0, [-1])", "aten.cumsum.default(t0, 0)"}) {
    INFO(call);
    CHECK(lowers(one_operation(call).program(), device("large"), {{}}) == "");
  }
}

TEST_CASE("transform/lower: the same program each time", "[transform]") {
  const container net = one_operation("aten.conv2d.default(t0, W(6,4,3,3), W(6))");
  std::string first, second;
  CHECK(lowers(net.program(), device("large"), {{2, 4, 9, 7}}, element::f32, &first) == "");
  CHECK(lowers(net.program(), device("large"), {{2, 4, 9, 7}}, element::f32, &second) == "");
  CHECK(first == second);
  CHECK(first.find("program network:") != std::string::npos);
  CHECK(first.find("buffer weights : DDR (size=920, align=64) @readonly") != std::string::npos);
}

TEST_CASE("transform/lower: a report counts what the steps do", "[transform]") {
  const container net = one_operation("aten.conv2d.default(t0, W(6,4,3,3), W(6), [1, 1], [1, 1])");
  const device on("large");
  transform::lower_options how;
  how.shapes = {{2, 4, 9, 7}};
  auto made = transform::lower(net.program(), on.catalog(), *on, how);
  REQUIRE(made);
  const auto program = nem::verify(std::move(made->model));
  REQUIRE(program);
  const auto report = transform::report_of(*program);
  REQUIRE(report);
  CHECK(report->steps.size() == made->steps);
  CHECK(report->all.macs == 2 * 9 * 7 * 6 * 4 * 3 * 3);
  // The image, the weights and the result, each at least once.
  CHECK(report->all.bytes >= (2 * 4 * 9 * 7 + 6 * 4 * 9 + 6 + 2 * 6 * 9 * 7) * 4);
  std::uint64_t cycles = 0, tiles = 0;
  for (const transform::step_report& s : report->steps) {
    CHECK((s.name.starts_with("v") || s.name == "output 0"));
    CHECK_FALSE(s.tile.empty());
    CHECK(s.tiles > 0);
    CHECK(s.roofline > 0);
    cycles += s.cycles;
    tiles += s.tiles;
  }
  CHECK(report->all.cycles == cycles);
  CHECK(report->all.roofline <= cycles);
  CHECK(report->all.tiles == tiles);
  CHECK(report->units[static_cast<std::size_t>(nem::unit::nmu)] == 4);
}

namespace {

struct refused {
  errc code;
  std::uint64_t instruction;
  std::string text;
};
refused refusal_of(const container& net, const device& on, const shapes& of,
                   element type = element::f32) {
  transform::lower_options how;
  how.shapes = of;
  how.type = type;
  report found;
  const auto made = transform::lower(net.program(), on.catalog(), *on, how, &found);
  REQUIRE_FALSE(made);
  REQUIRE(found.diagnostics.size() == 1);
  CHECK(found.diagnostics[0].where.index == error_index::instruction);
  return {made.error().code, made.error().offset,
          std::string(found.text_of(found.diagnostics[0].text))};
}
void check_refused(const refused& r, errc code, std::uint64_t instruction, std::string_view text) {
  CHECK(r.code == code);
  CHECK(r.instruction == instruction);
  CHECK(r.text == text);
}

}  // namespace

TEST_CASE("transform/lower: integers and truth values are inputs and outputs", "[transform]") {
  program_text text(5);
  const std::string ids = text.add("input"), seen = text.add("input"), table = text.weight({50, 6});
  const std::string x = text.add("aten.embedding.default(" + table + ", " + ids + ")");
  const std::string wide = text.add("aten.unsqueeze.default(" + seen + ", -1)");
  const std::string y = text.add("nac.where(" + wide + ", " + x + ", -1)");
  const std::string most = text.add("aten.argmax.default(" + y + ", -1)");
  const std::string some = text.add("aten.ne.Scalar(" + ids + ", 3)");
  const std::string both = text.add("aten.logical_and.default(" + some + ", " + seen + ")");
  const container net(
      std::string_view(text.with_output(y + ", " + most + ", " + both + ", " + ids)));
  const shapes of = {{3, 7}, {3, 7}};
  const std::vector<nac::data_type> types = {nac::data_type::int64, nac::data_type::boolean};
  std::string written;
  CHECK(lowers(net.program(), device("large"), of, element::f32, &written, types) == "");
  CHECK(written.find("buffer input_0 : DDR (size=84, align=64) @readonly") != std::string::npos);
  CHECK(written.find("buffer input_1 : DDR (size=21, align=64) @readonly") != std::string::npos);
  CHECK(written.find("buffer output_1 : DDR (size=84, align=64) @writeonly") != std::string::npos);
  CHECK(written.find("buffer output_2 : DDR (size=21, align=64) @writeonly") != std::string::npos);
  CHECK(lowers(net.program(), device("large", 4096, 0), of, element::f32, nullptr, types) == "");
  for (const char* const name : {"small", "npm_lite"})
    CHECK(lowers(net.program(), device(name), of, element::f16, nullptr, types) == "");
  // Ids that floats of 16 bits don't have.
  const container big(std::string_view(
      "code:\n  ids = input\n  t = nac.ones([3000, 4])\n  x = aten.embedding.default(t, ids)\n  "
      "y = nac.mul(ids, 2)\n  output(x, y)\n"));
  CHECK(lowers(big.program(), device("large"), {{5}}, element::f32, nullptr,
               {nac::data_type::int64}) == "");
  CHECK(lowers(big.program(), device("small"), {{5}}, element::f16, nullptr,
               {nac::data_type::int64}) ==
        "v3 nac.mul on small: indices up to 3000 aren't exact in f16");
}

TEST_CASE("transform/lower: writes in place, and branches that are known", "[transform]") {
  const container writes(
      std::string_view("code:\n  x = input\n  y = nac.zeros_like(x)\n  m = nac.gt(x, 0)\n"
                       "  z = aten.masked_fill_.Scalar(y, m, 2)\n  r = aten.relu_.default(z)\n"
                       "  a = nac.add(y, x)\n  output(a, y)\n"));
  CHECK(lowers(writes.program(), device("large"), {{3, 5}}) == "");
  const container branch(std::string_view(
      "code:\n  x = input\n  n = aten.sym_size.int(x, 0)\n  c = aten.gt.Scalar(n, 4)\n"
      "  y = control_flow(c, 1, 2)\n  a = aten.relu.default(x)\n  b = aten.tanh.default(x)\n"
      "  d = nac.add(b, 1)\n  z = nac.mul(y, 2)\n  output(z)\n"));
  CHECK(lowers(branch.program(), device("large"), {{3, 5}}) == "");
  CHECK(lowers(branch.program(), device("large"), {{5, 3}}) == "");
  // Both are computed; which one counts is chosen.
  const container unknown(std::string_view(
      "code:\n  x = input\n  n = aten.sum.default(x)\n  c = aten.gt.Scalar(n, 0)\n"
      "  y = control_flow(c, 1, 1)\n  a = aten.relu.default(x)\n  b = aten.log.default(x)\n"
      "  z = nac.add(y, x)\n  output(z)\n"));
  CHECK(lowers(unknown.program(), device("large"), {{3, 5}}) == "");
  CHECK(lowers(unknown.program(), device("small"), {{2, 5}}, element::f16) == "");
  const container never(std::string_view(
      "code:\n  x = input\n  n = aten.sum.default(x)\n  c = aten.gt.Scalar(n, 1000)\n"
      "  y = control_flow(c, 1, 1)\n  a = aten.relu.default(x)\n  b = aten.tanh.default(x)\n"
      "  output(y)\n"));
  CHECK(lowers(never.program(), device("large"), {{3, 5}}) ==
        "v3: no random inputs are found that take all branches");
}

TEST_CASE("transform/lower: what can't be lowered is one error", "[transform]") {
  const device large("large");
  const shapes image = {{2, 4, 9, 7}};
  const container gamma = one_operation("aten.lgamma.default(t0)");
  check_refused(refusal_of(gamma, large, image), errc::nac_lower_operation, 1,
                "v1 aten.lgamma.default on large: no operation of NEM computes it, and no "
                "composition of several");
  // Its name says that it writes, but there is nothing to write to.
  const container nothing(
      "code:\n x = input\n y = mine.write_.default()\n z = nac.add(x, y)\n output(z)\n");
  check_refused(refusal_of(nothing, large, image), errc::nac_operation_unsupported, 1,
                "v1 mine.write_.default: unsupported operation: the program can't run: "
                "mine.write_.default");
  check_refused(refusal_of(one_operation("aten.slice.Tensor(t0, 1, 0, 0)"), large, image),
                errc::nac_lower_shape, 1,
                "v1 aten.slice.Tensor on large: its result has no elements");
  check_refused(refusal_of(one_operation("aten.rrelu.default(t0, 0.1, 0.3, true)"), large, image),
                errc::nac_lower_operation, 1,
                "v1 aten.rrelu.default on large: its slopes are random in training");
  check_refused(refusal_of(one_operation("nac.gt(t0, 0); aten.index.Tensor(t0, t1)"), large, image),
                errc::nac_lower_operation, 2,
                "v2 aten.index.Tensor on large: how much a mask chooses depends on inputs");
  check_refused(
      refusal_of(one_operation("nac.mul(t0, 2); aten.select.int(t1, 1, 0); aten.relu_.default(t2); "
                               "aten.sum.default(t1)"),
                 large, image),
      errc::nac_lower_operation, 3,
      "v3 aten.relu_.default: a write in place that also changes a view can't be lowered; "
      "`tessera optimize` makes results of most");
  check_refused(refusal_of(gamma, large, {}), errc::nac_lower_shape, 0, "input 0 has no shape");
  const container product = one_operation("nac.matmul(t0, W(7,5))");
  check_refused(refusal_of(product, device("small"), image), errc::nac_lower_device, 2,
                "v2 nac.matmul on small: the device has no gemm.float<f32>.no_bias");
  check_refused(
      refusal_of(product, device("large", 64, 0), image), errc::nac_lower_memory, 2,
      "v2 nac.matmul, output 0 on large: the smallest tile takes 256 bytes of L1; it has 64");
  check_refused(
      refusal_of(one_operation("nac.add(t0, t0)"), device("large", 512, 0), {{2, 4, 300, 700}}),
      errc::nac_lower_memory, 1,
      "v1 nac.add, output 0 on large: it takes 31112 tiles that fit its L1 of 512 bytes; "
      "expected at most 16384");
  check_refused(refusal_of(product, large, image, element::i16), errc::nac_lower_device, 0,
                "lowering to i16 isn't supported; expected f32, f16, bf16 or i8");
  check_refused(
      refusal_of(one_operation("nac.matmul(t0, W(8,5))"), large, image), errc::nac_run_shape, 2,
      "v2 nac.matmul: the operation isn't defined for operands of these shapes: [2, 4, 9, "
      "7] and [8, 5] don't match");
  // Tiles that need no slots, as all is loaded once, have to fit, too.
  CHECK(lowers(one_operation("aten.stack.default(t0, t0, 1)").program(), device("large", 64, 0),
               {{2, 3, 40}}) == "");
  const device no_view = device::of(R"(include "npm_baseline_1.0.nem"
device d extends npm_baseline_1_0 {
  topology {
    num_engines = 1
    l2_size_bytes = 65536
    device_units { sDMA = 1 }
    per_engine { NMU = 1 CSTL = 1 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 32768 }
  }
  opcode.extended { eltwise<f32>.default norm<f32>.default }
}
)");
  check_refused(refusal_of(one_operation("nac.transpose(t0, 1, 3)"), no_view, image),
                errc::nac_lower_device, 2, "output 0 on d: the device has no view<f32>.default");
  for (const char* const call :
       {"aten.rms_norm.default(t0, [7], W(7), -0.001)", "aten.celu.default(t0, 1e-35)",
        "aten.leaky_relu.default(t0, inf)", "aten.layer_norm.default(t0, [7], null, null, inf)",
        "aten.batch_norm.default(t0, null, null, W(4), W(4), false, 0.1, 0, true)"}) {
    INFO(call);
    CHECK(refusal_of(one_operation(call), large, image).code == errc::nac_lower_operation);
  }
  const container state(
      std::string_view("code:\n  x = input\n  s = state 3\n  y = nac.add(x, s)\n  output(y)\n"));
  check_refused(refusal_of(state, large, image), errc::nac_lower_operation, 1,
                "states between runs can't be lowered");
}

TEST_CASE("transform/lower: units that a device lacks are missed by what needs them",
          "[transform]") {
  const auto without = [](const std::string& unit) {
    std::string units = "NMU = 1 CSTL = 1 DMA = 1 VPU = 1 SEQ = 1";
    if (const std::size_t at = units.find(unit + " = 1"); at != units.npos)
      units.erase(at, unit.size() + 4);
    return device::of(
        "include \"npm_baseline_1.0.nem\"\ndevice d extends npm_baseline_1_0 {\n  topology {\n"
        "    num_engines = 1\n    l2_size_bytes = 65536\n" +
        std::string(unit == "sDMA" ? "" : "    device_units { sDMA = 1 }\n") + "    per_engine { " +
        units + " l1_size_bytes = 32768 }\n  }\n}\n");
  };
  const container product = one_operation("nac.matmul(t0, W(7,5))");
  const container sum = one_operation("nac.add(t0, t0)");
  const shapes of = {{2, 4, 9, 7}};
  const std::string lacks = "output 0 on d: the device has no ";
  check_refused(refusal_of(product, without("NMU"), of, element::f16), errc::nac_lower_device, 2,
                "v2 nac.matmul, " + lacks + "NMU");
  check_refused(refusal_of(product, without("CSTL"), of, element::f16), errc::nac_lower_device, 2,
                "v2 nac.matmul, " + lacks + "CSTL");
  check_refused(refusal_of(sum, without("sDMA"), of, element::f16), errc::nac_lower_device, 1,
                "v1 nac.add, " + lacks + "sDMA");
  // What doesn't need it is lowered; the device has a warning of its own.
  const auto written = [&](const container& net, const device& on) {
    transform::lower_options how;
    how.shapes = of;
    how.type = element::f16;
    const auto made = transform::lower(net.program(), on.catalog(), *on, how);
    REQUIRE(made);
    nem::model copy = made->model;
    report found;
    const auto program = nem::verify(std::move(copy), {}, &found);
    REQUIRE(program);
    CHECK(found.warnings == 1);
    const transform::agreement a = transform::compare(net.program(), *program, *made, how);
    CHECK(a.failure == "");
    for (const double d : a.distances) CHECK(d <= 5e-3);
    const auto text = nem::write(made->model);
    REQUIRE(text);
    return std::string(text->view());
  };
  CHECK(written(sum, without("NMU")).find("NMU") == std::string::npos);
  // What would be in L2 is in DDR.
  const container two = one_operation("aten.mean.dim(t0, [1], true); nac.sub(t0, t1)");
  const std::string far = written(two, without("DMA"));
  CHECK(far.find("buffer spill : DDR") != far.npos);
  CHECK(far.find(" : L2 ") == far.npos);
}
