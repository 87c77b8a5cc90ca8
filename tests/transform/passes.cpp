// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Each pass of the optimizer: what becomes of small programs, that they compute the same, and what it
// must leave alone.

#include <array>
#include <cmath>

#include "optimized.hpp"
#include "tessera/vm/nac.hpp"

using namespace transform_tests;
namespace vn = tessera::vm::nac;

namespace {

constexpr std::uint32_t all = transform::all_passes;

/// Outputs for inputs of 2x3 floats, as bytes.
[[nodiscard]] std::vector<std::vector<float>> run(const nac::program& p) {
  vn::machine machine(p);
  const std::array<std::int64_t, 2> shape{2, 3};
  const std::array<float, 6> x{-2, 0.5F, 3, -0.25F, 7, 1};
  for (std::size_t i = 0; i < p.inputs().size(); ++i)
    REQUIRE(machine.set_input(i, vm::array_view(shape, std::span<const float>(x))));
  const vn::outcome done = machine.run();
  INFO(error{done.code}.name() << " at v" << done.instruction << ' ' << done.text);
  REQUIRE(done);
  std::vector<std::vector<float>> out;
  for (std::size_t i = 0; i < machine.outputs(); ++i) {
    REQUIRE(machine.output(i).type == nac::data_type::float32);
    const auto y = machine.output(i).elements<float>();
    out.emplace_back(y.begin(), y.end());
  }
  return out;
}

/// The listing of what becomes of a program, which computes the same, and stays as it is then.
[[nodiscard]] std::string becomes(std::string_view code, std::uint32_t passes) {
  const container before(code);
  const container after = optimize(before.program(), passes);
  CHECK(run(before.program()) == run(after.program()));
  const container again = optimize(after.program(), passes);
  CHECK(as_text(again.data()) == as_text(after.data()));
  return lines_of(after.program());
}
[[nodiscard]] std::string becomes(std::string_view code, optimizer_pass pass) {
  return becomes(code, only({pass, optimizer_pass::dead_code}));
}
/// Whether a pass leaves a program, without what nothing uses, as it is.
[[nodiscard]] bool stays(std::string_view code, optimizer_pass pass) {
  const container before(code);
  const container plain = optimize(before.program(), only({optimizer_pass::dead_code}));
  return becomes(code, pass) == lines_of(plain.program());
}

// Weights of one to six elements.
constexpr std::string_view weights = R"(
tensors:
  "w" = f32 [3] hex { 0000803f 00000040 00004040 }
  "u" = f32 [3] hex { 0000003f 0000003f 0000803f }
  "h" = f16 [3] hex { 003c 0040 0042 }
  "n" = i64 [1] hex { 0300000000000000 }
  "m" = f32 [3, 3] hex {
    0000803f 00000040 00004040 0000803f 00000000 00004040 0000a03f 00000040 00004040
  }
)";
[[nodiscard]] std::string with_weights(std::string_view code) {
  std::string tensors(weights), out;
  // Only those that the code asks for.
  for (std::size_t at = 0, end; at < tensors.size(); at = end) {
    end = tensors.find("\n  \"", at + 1);
    end = end == tensors.npos ? tensors.size() : end;
    const std::string row = tensors.substr(at, end - at);
    const std::size_t quote = row.find('"');
    if (quote != row.npos && code.find("parameter \"" + row.substr(quote + 1, 1)) == code.npos)
      continue;
    out += row;
  }
  return out + "\ncode:\n" + std::string(code);
}

}  // namespace

TEST_CASE("transform/passes: each has a name and a sentence", "[transform]") {
  for (const transform::optimizer_pass_row& row : transform::optimizer_passes) {
    CHECK_FALSE(row.name.empty());
    CHECK(row.name.find_first_of(", ") == row.name.npos);
    CHECK(row.summary.size() > 20);
  }
}

TEST_CASE("transform/identities", "[transform]") {
  const auto pass = optimizer_pass::identities;
  const std::string plain = "input\naten.exp.default v0\noutput v1\n";
  for (const std::string_view middle :
       {"b = nac.clone(a)", "b = aten.contiguous.default(a)", "b = aten.detach.default(a)",
        "b = aten.dropout.default(a, 0.5, false)", "b = nac.pass(a)",
        "b = aten.expand.default(a, [-1, -1])", "b = aten.permute.default(a, [0, 1])",
        "b = aten.slice.Tensor(a, 0, 0, 9223372036854775807)", "b = aten.transpose.int(a, 1, 1)",
        "b = aten.to.device(a, \"cpu\")"}) {
    INFO(middle);
    const std::string code =
        "code:\n x = input\n a = aten.exp.default(x)\n " + std::string(middle) + "\n output(b)\n";
    CHECK(becomes(code, pass) == plain);
  }
  // Of a known type.
  CHECK(becomes(with_weights(R"(
  x = input
  w = parameter "w"
  m = parameter "m"
  y = aten.linear.default(x, m, w)
  z = aten.to.dtype(y, "float32")
  output(z)
)"),
                pass) ==
        "input\nparameter w\nparameter m\naten.linear.default v0 v2 v1\noutput v3\n");
}

TEST_CASE("transform/identities: types that are known", "[transform]") {
  const auto pass = optimizer_pass::identities;
  const auto gone = [&](const std::string& code) {
    return becomes(with_weights(code), pass).find("aten.to.dtype") == std::string::npos;
  };
  const std::string head = " x = input\n w = parameter \"w\"\n n = parameter \"n\"\n";
  const std::string tail = "\n z = aten.to.dtype(y, \"float32\")\n output(z)\n";
  CHECK(gone(head + " a = nac.add(w, 1)\n y = aten.softmax.int(a, -1)" + tail));
  CHECK(gone(head + " y = aten.softmax.int(x, -1, \"float32\")" + tail));
  CHECK(gone(head + " a = nac.mul(w, w)\n y = aten.mean.dim(a, [0], true)" + tail));
  CHECK(gone(head + " a = nac.div(n, 2)\n y = aten.exp.default(a)" + tail));
  CHECK_FALSE(gone(head + " y = aten.softmax.int(x, -1)" + tail));
  CHECK_FALSE(gone(head + " y = nac.add(n, n)" + tail));
  CHECK_FALSE(gone(head + " y = nac.gt(w, 1)" + tail));
  CHECK_FALSE(gone(head + " y = nac.add(x, w)" + tail));
}

TEST_CASE("transform/identities: what isn't one", "[transform]") {
  const auto pass = optimizer_pass::identities;
  // Training, unknown types, other sizes, the first of several results, a state's next value.
  CHECK(stays("code:\n x = input\n y = aten.to.dtype(x, \"float32\")\n output(y)\n", pass));
  CHECK(stays("code:\n x = input\n y = aten.dropout.default(x, 0.0, true)\n output(y)\n", pass));
  CHECK(stays("code:\n x = input\n y = aten.expand.default(x, [2, -1])\n output(y)\n", pass));
  CHECK(stays("code:\n x = input\n y = aten.slice.Tensor(x, 0, 1)\n output(y)\n", pass));
  CHECK(
      stays("code:\n x = input\n y = aten.topk.default(x, 1)\n z = nac.pass(y)\n"
            " a = getitem(z, 0)\n output(a)\n",
            pass));
}

TEST_CASE("transform/inverses", "[transform]") {
  const auto pass = optimizer_pass::inverses;
  const std::string plain = "input\naten.exp.default v0\noutput v1\n";
  for (const std::string_view two :
       {"b = aten.transpose.int(a, 0, 1)\n c = aten.transpose.int(b, 1, 0)",
        "b = aten.t.default(a)\n c = aten.t.default(b)", "b = nac.neg(a)\n c = nac.neg(b)",
        "b = aten.permute.default(a, [1, 0])\n c = aten.permute.default(b, [-1, 0])",
        "b = aten.unsqueeze.default(a, 1)\n c = aten.squeeze.dim(b, 1)"}) {
    INFO(two);
    const std::string code =
        "code:\n x = input\n a = aten.exp.default(x)\n " + std::string(two) + "\n output(c)\n";
    CHECK(becomes(code, pass) == plain);
  }
  CHECK(
      stays("code:\n x = input\n a = aten.unsqueeze.default(x, 0)\n"
            " b = aten.squeeze.dim(a, 1)\n output(b)\n",
            pass));
  CHECK(
      stays("code:\n x = input\n a = aten.transpose.int(x, 0, 1)\n"
            " b = aten.transpose.int(a, 0, -2)\n output(b)\n",
            pass));
}

TEST_CASE("transform/algebra: neutral constants", "[transform]") {
  const auto pass = optimizer_pass::algebra;
  const std::string plain = "input\naten.exp.default v0\noutput v1\n";
  for (const std::string_view one :
       {"nac.add(a, 0)", "nac.add(0.0, a)", "nac.sub(a, 0.0)", "nac.mul(a, 1)", "nac.mul(1.0, a)",
        "nac.div(a, 1)", "aten.pow.Tensor_Scalar(a, 1)"}) {
    INFO(one);
    const std::string code =
        "code:\n x = input\n a = aten.exp.default(x)\n b = " + std::string(one) + "\n output(b)\n";
    CHECK(becomes(code, pass) == plain);
  }
  // 0 - a, a number of a higher kind than the input may have, another factor.
  for (const std::string_view one :
       {"nac.sub(0, x)", "nac.add(x, 0.0)", "nac.add(x, 1)", "nac.mul(x, 0)", "nac.div(1, x)"}) {
    INFO(one);
    CHECK(stays("code:\n x = input\n a = " + std::string(one) + "\n output(a)\n", pass));
  }
}

TEST_CASE("transform/algebra: chains", "[transform]") {
  const auto pass = optimizer_pass::algebra;
  CHECK(becomes("code:\n x = input\n a = nac.view(x, [3, 2])\n b = nac.view(a, [6])\n output(b)\n",
                pass) == "input\nnac.view v0 [6]\noutput v1\n");
  CHECK(becomes("code:\n x = input\n a = aten.flatten.using_ints(x)\n b = nac.view(a, [3, 2])\n"
                " output(b)\n",
                pass) == "input\nnac.view v0 [3 2]\noutput v1\n");
  CHECK(becomes("code:\n x = input\n u = aten.unsqueeze.default(x, 0)\n"
                " a = aten.permute.default(u, [1, 2, 0])\n b = aten.permute.default(a, [2, 0, 1])\n"
                " c = aten.permute.default(b, [2, 1, 0])\n output(c)\n",
                pass) ==
        "input\naten.unsqueeze.default v0 0\naten.permute.default v1 [2 1 0]\noutput v2\n");
  CHECK(becomes("code:\n x = input\n u = aten.unsqueeze.default(x, 0)\n"
                " a = aten.permute.default(u, [1, 2, 0])\n b = aten.transpose.int(a, -1, 0)\n"
                " output(b)\n",
                pass) ==
        "input\naten.unsqueeze.default v0 0\naten.permute.default v1 [0 2 1]\noutput v2\n");
  const std::string_view casts = R"(
  x = input
  w = parameter "w"
  m = parameter "m"
  y = aten.linear.default(x, m, w)
  a = aten.to.dtype(y, "TYPE")
  b = aten.to.dtype(a, "float32")
  output(b)
)";
  const auto cast = [&](std::string type) {
    std::string code(casts);
    code.replace(code.find("TYPE"), 4, type);
    return with_weights(code);
  };
  CHECK(becomes(cast("float64"),
                only({pass, optimizer_pass::identities, optimizer_pass::dead_code})) ==
        "input\nparameter w\nparameter m\naten.linear.default v0 v2 v1\noutput v3\n");
  CHECK(stays(cast("float16"), pass));
}

TEST_CASE("transform/folding", "[transform]") {
  const auto pass = optimizer_pass::folding;
  CHECK(becomes(with_weights(R"(
  x = input
  w = parameter "w"
  u = parameter "u"
  a = nac.mul(w, u)
  b = nac.add(a, 1)
  y = nac.add(x, b)
  output(y)
)"),
                pass) == "input\nparameter folded.4\nnac.add v0 v1\noutput v2\n");
  // A list of results is no parameter; each of its items is.
  CHECK(becomes(with_weights(R"(
  x = input
  w = parameter "w"
  p = aten.split_with_sizes.default(w, [1, 1, 1], 0)
  a = getitem(p, 0)
  b = getitem(p, 1)
  y = nac.add(x, b)
  z = nac.sub(y, a)
  output(z)
)"),
                pass) ==
        "input\nparameter folded.3\nparameter folded.4\nnac.add v0 v2\nnac.sub v3 v1\noutput v4\n");
  // A constant of no weights stays, and so do random numbers and 16-bit floats, which a container may
  // have loaded as float32.
  CHECK(stays("code:\n x = input\n a = nac.ones([2, 3])\n y = nac.add(x, a)\n output(y)\n", pass));
  CHECK(stays(with_weights(" x = input\n w = parameter \"w\"\n a = aten.rand_like.default(w)\n"
                           " y = nac.add(x, a)\n output(y)\n"),
              pass));
  CHECK(stays(with_weights(" x = input\n h = parameter \"h\"\n a = nac.neg(h)\n"
                           " y = nac.add(x, a)\n output(y)\n"),
              pass));
}

TEST_CASE("transform/folding: not what makes the container much larger", "[transform]") {
  const std::string code = with_weights(
      " x = input\n w = parameter \"w\"\n a = nac.neg(w)\n b = aten.repeat.default(a, [N, 1])\n"
      " c = aten.sum.dim_IntList(b, [0])\n y = nac.add(x, c)\n output(y)\n");
  const auto times = [&](std::string n) {
    std::string out = code;
    out.replace(out.find("[N"), 2, "[" + n);
    return out;
  };
  // The sum is small, whatever it is computed from.
  CHECK(becomes(times("2000"), optimizer_pass::folding) ==
        "input\nparameter folded.4\nnac.add v0 v1\noutput v2\n");
  std::string large = times("2000");
  large.replace(large.find("aten.sum.dim_IntList(b, [0])"), 28, "aten.slice.Tensor(b, 0, 0, 2)");
  std::string kept = large;
  kept.replace(kept.find("output(y)"), 9, "z = aten.slice.Tensor(b, x, 0, 2)\n output(y)");
  CHECK(becomes(large, optimizer_pass::folding).find("repeat") == std::string::npos);
  const container before(with_weights(
      " x = input\n w = parameter \"w\"\n a = nac.neg(w)\n b = aten.repeat.default(a, [2000, 1])\n"
      " c = aten.mm.default(x, b)\n output(c)\n"));
  const container after = optimize(before.program(), all);
  CHECK(lines_of(after.program()).find("repeat") != std::string::npos);
  CHECK(lines_of(after.program()).find("neg") == std::string::npos);
}

TEST_CASE("transform/folding: again once it is computed from something else", "[transform]") {
  const container before(
      with_weights(" x = input\n m = parameter \"m\"\n a = nac.view(m, [-1, -5])\n"
                   " b = aten.flatten.using_ints(a)\n c = nac.view(b, [3, 3])\n"
                   " y = aten.mm.default(x, c)\n output(y)\n"));
  const container after = optimize(before.program());
  CHECK(lines_of(after.program()).find("view") == std::string::npos);
  CHECK(as_text(optimize(after.program()).data()) == as_text(after.data()));
}

TEST_CASE("transform/common", "[transform]") {
  const auto pass = optimizer_pass::common;
  CHECK(becomes("code:\n x = input\n a = aten.exp.default(x)\n b = aten.exp.default(x)\n"
                " y = nac.add(a, b)\n output(y)\n",
                pass) == "input\naten.exp.default v0\nnac.add v1 v1\noutput v2\n");
  // Other constants, random numbers.
  CHECK(
      stays("code:\n x = input\n a = nac.add(x, 1)\n b = nac.add(x, 1.0)\n y = nac.add(a, b)\n"
            " output(y)\n",
            pass));
  CHECK(
      stays("code:\n x = input\n a = aten.rand_like.default(x)\n b = aten.rand_like.default(x)\n"
            " y = nac.add(a, b)\n output(y)\n",
            pass));
}

TEST_CASE("transform/common: only of instructions that have run", "[transform]") {
  const std::string_view code = R"(
code:
  x = input
  s = aten.sum.default(x)
  p = nac.gt(s, 0)
  c = control_flow(p, 2, 2)
  a = aten.exp.default(x)
  b = nac.neg(a)
  d = aten.exp.default(x)
  e = nac.add(d, 1)
  f = aten.exp.default(x)
  y = nac.add(c, f)
  output(y)
)";
  CHECK(stays(code, optimizer_pass::common));
  std::string before(code);
  before.replace(before.find("  p ="), 5, "  g = aten.exp.default(x)\n  p =");
  before.replace(before.find("nac.add(c, f)"), 13, "nac.add(c, g)");
  CHECK(becomes(before, optimizer_pass::common) ==
        "input\naten.sum.default v0\naten.exp.default v0\nnac.gt v1 0\nif v3 1 1\nnac.neg v2\n"
        "nac.add v2 1\nnac.add v4 v2\noutput v7\n");
}

TEST_CASE("transform/dead_code", "[transform]") {
  const auto pass = optimizer_pass::dead_code;
  CHECK(becomes(with_weights(" x = input\n z = input\n w = parameter \"w\"\n a = nac.mul(x, w)\n"
                             " r = aten.rand_like.default(x)\n y = aten.exp.default(x)\n"
                             " output(y)\n"),
                pass) ==
        "input\ninput\naten.rand_like.default v0\naten.exp.default v0\noutput v3\n");
  // A branch whose value nothing uses goes with all that is in it.
  CHECK(becomes("code:\n x = input\n s = aten.sum.default(x)\n p = nac.gt(s, 0)\n"
                " c = control_flow(p, 2, 1)\n a = aten.exp.default(x)\n b = nac.neg(a)\n"
                " d = nac.neg(x)\n output(x)\n",
                pass) == "input\noutput v0\n");
  // In a branch that is needed, what its value doesn't need.
  CHECK(becomes("code:\n x = input\n s = aten.sum.default(x)\n p = nac.gt(s, 0)\n"
                " c = control_flow(p, 2, 1)\n a = aten.exp.default(x)\n b = nac.neg(x)\n"
                " d = nac.neg(x)\n output(c)\n",
                pass) ==
        "input\naten.sum.default v0\nnac.gt v1 0\nif v2 1 1\nnac.neg v0\nnac.neg v0\noutput v3\n");
}

TEST_CASE("transform/placement", "[transform]") {
  const auto pass = optimizer_pass::placement;
  CHECK(becomes(with_weights(" w = parameter \"w\"\n u = parameter \"u\"\n x = input\n"
                             " a = aten.exp.default(x)\n b = nac.mul(u, w)\n y = nac.add(a, b)\n"
                             " z = nac.add(y, w)\n output(z)\n"),
                pass) ==
        "input\naten.exp.default v0\nparameter u\nparameter w\nnac.mul v2 v3\n"
        "nac.add v1 v4\nnac.add v5 v3\noutput v6\n");
  // Into the branch that uses it; before the branches where both do.
  CHECK(becomes(with_weights(" w = parameter \"w\"\n u = parameter \"u\"\n x = input\n"
                             " s = aten.sum.default(x)\n p = nac.gt(s, 0)\n"
                             " c = control_flow(p, 2, 1)\n a = nac.add(x, w)\n b = nac.add(a, u)\n"
                             " d = nac.mul(x, w)\n output(c)\n"),
                pass) ==
        "input\naten.sum.default v0\nnac.gt v1 0\nparameter w\nif v2 3 1\n"
        "nac.add v0 v3\nparameter u\nnac.add v5 v6\nnac.mul v0 v3\noutput v4\n");
}

TEST_CASE("transform/in_place", "[transform]") {
  const auto pass = optimizer_pass::in_place;
  CHECK(becomes("code:\n x = input\n a = aten.exp.default(x)\n b = aten.relu_.default(a)\n"
                " y = nac.neg(b)\n output(y)\n",
                pass) ==
        "input\naten.exp.default v0\naten.relu.default v1\nnac.neg v2\noutput v3\n");
  // The old value, or a view of it, is used later: it has the new one.
  CHECK(
      stays("code:\n x = input\n a = nac.neg(x)\n b = aten.relu_.default(a)\n"
            " y = nac.add(a, b)\n output(y)\n",
            pass));
  CHECK(
      stays("code:\n x = input\n a = nac.neg(x)\n v = nac.view(a, [6])\n"
            " b = aten.relu_.default(a)\n y = aten.sum.default(v)\n z = nac.add(y, b)\n"
            " output(z)\n",
            pass));
}

TEST_CASE("transform: writes in place that are observed stop every pass", "[transform]") {
  for (const std::string_view code :
       {// The clone has the value from before the write.
        "code:\n x = input\n a = nac.neg(x)\n c = nac.clone(a)\n b = aten.relu_.default(a)\n"
        " y = nac.sub(c, a)\n output(y)\n",
        // Equal operations on it before and after.
        "code:\n x = input\n a = nac.neg(x)\n c = aten.exp.default(a)\n"
        " b = aten.relu_.default(a)\n d = aten.exp.default(a)\n y = nac.sub(c, d)\n output(y)\n",
        // A view's write changes what it is a view of.
        "code:\n x = input\n a = nac.neg(x)\n v = aten.select.int(a, 0, 0)\n"
        " b = aten.zero_.default(v)\n y = nac.add(a, 0.0)\n output(y)\n",
        // Nothing uses the result of the write, but the target.
        "code:\n x = input\n a = nac.neg(x)\n b = aten.add_.Tensor(a, 1)\n output(a)\n"}) {
    INFO(code);
    const container before(code);
    const container after = optimize(before.program());
    CHECK(run(before.program()) == run(after.program()));
  }
}

TEST_CASE("transform/batch_norm", "[transform]") {
  const std::string head = R"(
tensors:
  "c.weight" = f32 [2, 1, 1, 1] hex { 0000803f 00000040 }
  "c.bias" = f32 [2] hex { 0000803f 000080bf }
  "b.weight" = f32 [2] hex { 00000040 0000003f }
  "b.bias" = f32 [2] hex { 0000803f 00000000 }
  "mean" = f32 [2] hex { 0000003f 0000803e }
  "var" = f32 [2] hex { 00004040 0000803e }
code:
  x = input
  i = nac.view(x, [1, 1, 2, 3])
  w = parameter "c.weight"
  cb = parameter "c.bias"
  g = parameter "b.weight"
  h = parameter "b.bias"
  m = parameter "mean"
  v = parameter "var"
)";
  const std::uint32_t passes = only({optimizer_pass::batch_norm, optimizer_pass::dead_code});
  const auto agree = [](const container& a, const container& b) {
    const auto x = run(a.program()), y = run(b.program());
    REQUIRE(x.size() == y.size());
    for (std::size_t i = 0; i < x[0].size(); ++i) CHECK(std::fabs(x[0][i] - y[0][i]) < 1e-5);
  };
  const std::string layer = "\naten.conv2d.default v1 v2 v3\noutput v4\n";
  for (const std::string_view tail :
       {"  c = aten.conv2d.default(i, w, cb)\n"
        "  y = aten.batch_norm.default(c, g, h, m, v, false, 0.1, 1.0, true)\n  output(y)\n",
        "  c = aten.conv2d.default(i, w)\n"
        "  y = aten.batch_norm.default(c, null, null, m, v, false, 0.1, 1.0, true)\n  output(y)\n",
        "  c = aten.conv2d.default(i, w, null)\n"
        "  n = aten._native_batch_norm_legit_no_training.default(c, g, h, m, v, 0.1, 1.0)\n"
        "  y = getitem(n, 0)\n  output(y)\n"}) {
    INFO(tail);
    const container before(head + std::string(tail));
    const container after = optimize(before.program(), passes);
    const std::string lines = lines_of(after.program());
    INFO(lines);
    CHECK(lines.ends_with(layer));
    agree(before, after);
  }
  // In training, of a result that is used elsewhere, of statistics that are used.
  for (const std::string_view tail :
       {"  c = aten.conv2d.default(i, w, cb)\n"
        "  y = aten.batch_norm.default(c, g, h, m, v, true, 0.1, 1.0, true)\n  output(y)\n",
        "  c = aten.conv2d.default(i, w, cb)\n"
        "  n = aten.batch_norm.default(c, g, h, m, v, false, 0.1, 1.0, true)\n"
        "  y = nac.add(n, c)\n  output(y)\n"}) {
    INFO(tail);
    const container before(head + std::string(tail));
    const container after = optimize(before.program(), passes);
    CHECK(lines_of(after.program()).find("batch_norm") != std::string::npos);
    agree(before, after);
  }
}

TEST_CASE("transform/batch_norm: of linear layers, matrices only", "[transform]") {
  const std::string head = R"(
tensors:
  "w" = f32 [2, 3] hex { 0000803f 00000040 0000803f 0000803f 00000040 0000803f }
  "m" = f32 [2] hex { 0000003f 0000803e }
  "v" = f32 [2] hex { 00004040 0000803e }
code:
  x = input
  w = parameter "w"
  m = parameter "m"
  v = parameter "v"
)";
  const std::string tail =
      "  y = aten.batch_norm.default(l, null, null, m, v, false, 0.1, 1.0, true)\n  output(y)\n";
  const container of_any(head + "  l = aten.linear.default(x, w)\n" + tail);
  const container of_matrix(head + "  i = nac.view(x, [2, 3])\n  l = aten.linear.default(i, w)\n" +
                            tail);
  CHECK(lines_of(optimize(of_any.program()).program()).find("batch_norm") != std::string::npos);
  CHECK(lines_of(optimize(of_matrix.program()).program()).find("batch_norm") == std::string::npos);
}

TEST_CASE("transform/schedule", "[transform]") {
  const container before(
      "code:\n x = input\n a = aten.exp.default(x)\n b = nac.neg(a)\n c = nac.add(b, x)\n"
      " output(c)\n");
  const container with = optimize(before.program()),
                  without = optimize(before.program(), all & ~only({optimizer_pass::schedule}));
  CHECK_FALSE(with.program().schedule().empty());
  CHECK(without.program().schedule().empty());
}

TEST_CASE("transform: what else is in a container stays", "[transform]") {
  const container before(R"(
nac 1.8
d_model 7
parameters:
  1 = "w"
tensors:
  1 = i8 [3] int8_tensor scale 0.5 hex { 020406 }
code:
  x = input
  w = parameter "w"
  l = lifted 5
  y = nac.mul(x, w)
  z = nac.clone(y)
  output(z)
arrays:
  "a" = f32 [1] hex { 0000803f }
resources:
  "vocab.b" = hex { 00000000 }
plan:
  exec_halt
end
)");
  const container after = optimize(before.program());
  const nac::model& m = after.program().model();
  CHECK(lines_of(after.program()) == "input\nlifted\nparameter w\nnac.mul v0 v2\noutput v3\n");
  CHECK(m.d_model() == 7);
  CHECK(m.header() == nac::header::v1_8);
  CHECK((*m.tensors().begin()).quantization == nac::quantization::int8_tensor);
  CHECK((*m.arrays().begin()).name == "a");
  CHECK((*m.resources().begin()).name == "vocab.b");
  CHECK(m.execution_plan().size() == before.program().model().execution_plan().size());
}

TEST_CASE("transform: external weights stay outside", "[transform]") {
  const char* const code = R"(
weights external
code:
  x = input
  w = parameter "w"
  a = nac.neg(w)
  b = nac.clone(x)
  y = nac.mul(b, a)
  output(y)
)";
  const auto parts = nac::assemble(code);
  REQUIRE(parts);
  const auto written = nac::write(*parts);
  REQUIRE(written);
  const auto model = nac::read(bytes(written->data(), written->size()));
  REQUIRE(model);
  const auto program = nac::verify(*model, {.weights_elsewhere = true});
  REQUIRE(program);
  const auto made = transform::optimize(*program);
  REQUIRE(made);
  CHECK(made->parts.instructions.size() == 5);
  CHECK(made->parts.tensors.empty());
  CHECK_FALSE(made->parts.internal_weights);
  REQUIRE(made->parts.parameters.size() == 1);
  CHECK(made->parts.string(made->parts.parameters[0].text) == "w");
}

TEST_CASE("transform: what is left as it is", "[transform]") {
  const container training(R"(
nac 1.8
code:
  x = input
  y = nac.clone(x)
  output(y)
training:
  g = saved 1
  end_training(g)
)");
  const auto made = transform::optimize(training.program());
  REQUIRE(made);
  CHECK(made->why_unchanged.find("training") != std::string::npos);
  CHECK(made->rewrites.empty());
  CHECK(made->parts.instructions.size() == 3);
}
