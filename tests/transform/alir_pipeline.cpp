// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Programs cut into pipelines: where the cuts are, that no others need fewer register bits, and that the
// same comes out, sample by sample and cycle by cycle.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "alir/build.hpp"
#include "alir/samples.hpp"
#include "support/catch.hpp"
#include "tessera/transform/pipeline_alir.hpp"
#include "tessera/vm/alir_pipeline.hpp"
#include "vm/alir/random_program.hpp"

namespace {

using build::bits;
using build::sketch;
using tessera::alir::opcode;
using tessera::alir::pipeline_form;
using tessera::transform::alir_pipeline_options;
using tessera::transform::alir_pipelined;
namespace transform = tessera::transform;

tessera::alir::staged verified_pipeline(const tessera::alir::pipeline& p) {
  auto s = tessera::alir::verify(tessera::alir::pipeline(p));
  if (!s) FAIL("not verified: " << std::string(s.error().name()));
  return std::move(*s);
}
/// Cut, verified, written and read again, and compared with the program.
alir_pipelined cut(const tessera::alir::program& p, const alir_pipeline_options& how) {
  alir_pipelined made = transform::to_pipeline(p, how);
  INFO(made.refusal);
  REQUIRE(made.refusal.empty());
  const auto written = tessera::alir::write_pipeline(made.pipeline);
  REQUIRE(written);
  const auto read = tessera::alir::read_pipeline(*written);
  REQUIRE(read);
  CHECK(*read == made.pipeline);
  CHECK(transform::compare(p, verified_pipeline(made.pipeline), 60).agrees);
  return made;
}
std::int32_t add(sketch& p, std::int32_t a, std::int32_t b, double latency,
                 const tessera::alir::interval& q = bits(8)) {
  return p.op({.id0 = a, .id1 = b, .code = opcode::add, .qint = q, .latency = latency});
}
/// x + 3 four times, with latencies 1, 1, 1 and 1.5.
sketch chain() {
  sketch p;
  p.model.spec_version = 4;
  auto x = p.input(bits(5));
  const auto c = p.constant(3, {3, 3, 1});
  for (const double latency : {1.0, 2.0, 3.0, 4.5}) x = add(p, x, c, latency);
  p.output(x);
  return p;
}
std::vector<std::size_t> sizes(const alir_pipelined& made) {
  std::vector<std::size_t> out;
  for (const tessera::alir::model& m : made.pipeline.blocks) out.push_back(m.ops.size());
  return out;
}

}  // namespace

TEST_CASE("transform/alir_pipeline: as few stages as the cutoff allows", "[transform]") {
  const auto p = chain().verified();
  CHECK(transform::latency_of(p) == 4.5);
  struct {
    double cutoff;
    std::vector<std::size_t> sizes;  // with an input and a constant in each
    double latency;
  } const rows[] = {{4.5, {6}, 4.5},
                    {4.4, {5, 3}, 3.0},
                    {2.5, {4, 4}, 2.5},
                    {2.4, {4, 3, 3}, 2.0},
                    {1.5, {3, 3, 3, 3}, 1.5}};
  for (const auto& row : rows) {
    INFO(row.cutoff);
    const alir_pipelined made = cut(p, {.latency_cutoff = row.cutoff});
    CHECK(sizes(made) == row.sizes);
    CHECK(made.latency == row.latency);
    CHECK(made.is_minimal);
    CHECK(made.register_bits == 5 + 8 * row.sizes.size());
    CHECK(made.pipeline.form == pipeline_form::fsm);
    CHECK(latency(made.pipeline) == row.sizes.size() + 1);
  }
  const alir_pipelined none = transform::to_pipeline(p, {.latency_cutoff = 1.25});
  CHECK(none.refusal == "operation 5 has a latency of 1.5, more than the cutoff, 1.25");
}

TEST_CASE("transform/alir_pipeline: as many stages as are asked for", "[transform]") {
  const auto p = chain().verified();
  CHECK(cut(p, {.stages = 1}).latency == 4.5);
  CHECK(cut(p, {.stages = 2}).latency == 2.5);
  CHECK(cut(p, {.stages = 3}).latency == 2.0);
  CHECK(cut(p, {.stages = 4}).latency == 1.5);
  const alir_pipelined six = cut(p, {.stages = 6});
  CHECK(six.latency == 1.5);
  CHECK(six.pipeline.blocks.size() == 6);
  // The value waits where it has the fewest bits.
  CHECK(six.register_bits == 3 * 5 + 4 * 8);
  CHECK(cut(p, {.latency_cutoff = 3, .stages = 2}).latency == 3);
  CHECK(transform::to_pipeline(p, {.latency_cutoff = 2, .stages = 2}).refusal ==
        "a latency cutoff of 2.0 needs 3 stages, and not 2");
  CHECK(transform::to_pipeline(p, {.stages = 4097}).refusal == "4097 stages; there may be 4096");
  CHECK(transform::to_pipeline(p, {.stages = 4096, .max_registers = 4095}).refusal.empty());
  CHECK(transform::to_pipeline(p, {.stages = 4096, .max_registers = 4094}).refusal ==
        "more than 4094 values in registers");
  CHECK(transform::to_pipeline(p, {}).refusal ==
        "neither a latency cutoff nor a number of stages is given");
}

TEST_CASE("transform/alir_pipeline: programs without operations", "[transform]") {
  sketch p;
  p.model.spec_version = 4;
  CHECK(cut(p.verified(), {.stages = 2}).register_bits == 0);
  p.output(-1);
  CHECK(cut(p.verified(), {.latency_cutoff = 1}).pipeline.blocks.size() == 1);
  CHECK(cut(p.verified(), {.stages = 3}).pipeline.blocks.size() == 3);
}

TEST_CASE("transform/alir_pipeline: registers at the ends", "[transform]") {
  sketch p = chain();
  for (const bool input : {false, true})
    for (const bool output : {false, true}) {
      const alir_pipelined made =
          cut(p.verified(), {.stages = 2, .input_register = input, .output_register = output});
      CHECK(made.register_bits == (input ? 5u : 0u) + 8u + (output ? 8u : 0u));
      CHECK(made.pipeline.input_register == input);
      CHECK(made.pipeline.output_register == output);
    }
  p.model.spec_version = 2;
  CHECK(cut(p.verified(), {.stages = 2}).pipeline.form == pipeline_form::nested);
  CHECK(transform::to_pipeline(p.verified(), {.stages = 2, .output_register = false})
            .refusal.substr(0, 22) == "pipelines of version 2");
}

TEST_CASE("transform/alir_pipeline: retiming moves what is wider than its operands",
          "[transform]") {
  // Nine bits of two 4-bit inputs are needed in the second stage only: they are made there.
  sketch p;
  p.model.spec_version = 4;
  const auto x = p.input(bits(4)), y = p.input(bits(4));
  const auto sum = add(p, x, y, 1, bits(5));
  const auto wide =
      p.op({.id0 = sum, .id1 = sum, .code = opcode::multiply, .qint = bits(10), .latency = 1});
  const auto late = add(p, sum, sum, 2, bits(6));
  p.output(add(p, wide, late, 3, bits(11)));
  const auto program = p.verified();
  // Without: 8 at the input, x + y and its square, 6 and 10 bits, 11 at the output.
  CHECK(cut(program, {.latency_cutoff = 1, .retiming = false}).register_bits ==
        8 + (5 + 10) + (6 + 10) + 11);
  CHECK(cut(program, {.latency_cutoff = 1}).register_bits == 8 + 5 + (5 + 6) + 11);
  CHECK_FALSE(cut(program, {.latency_cutoff = 1, .retiming = false}).is_minimal);
  CHECK_FALSE(cut(program, {.latency_cutoff = 1, .max_work = 10}).is_minimal);
}

TEST_CASE("transform/alir_pipeline: values outside of their interval", "[transform]") {
  sketch p;
  p.model.spec_version = 4;
  const auto x = p.input(bits(4));
  const auto sum = add(p, x, x, 1, bits(4));  // wraps around in a register of 4 bits
  const auto top =
      p.op({.id0 = x, .id1 = sum, .code = opcode::mux, .data = sum, .qint = bits(6), .latency = 2});
  p.output(top);
  p.output(sum);
  const auto program = p.verified();
  const alir_pipelined narrow =
      transform::to_pipeline(program, {.latency_cutoff = 1, .trust_intervals = true});
  CHECK(narrow.unproven == 1);
  CHECK(narrow.register_bits == 4 + (4 + 4) + (6 + 4));
  CHECK_FALSE(transform::compare(program, verified_pipeline(narrow.pipeline)).agrees);
  const alir_pipelined wide = cut(program, {.latency_cutoff = 1});
  CHECK(wide.unproven == 1);
  CHECK(wide.register_bits == 4 + (4 + 5) + (6 + 4));
  // What is claimed is proven: x - x + x is x, though bounds of each step are wider.
  sketch q;
  q.model.spec_version = 4;
  const auto y = q.input(bits(4));
  const auto zero = q.op({.id0 = y, .id1 = y, .code = opcode::subtract, .qint = bits(4)});
  q.output(add(q, add(q, zero, y, 0, bits(4)), y, 1, bits(5)));
  const alir_pipelined kept = cut(q.verified(), {.stages = 2, .retiming = false});
  CHECK(kept.unproven == 0);
}

TEST_CASE("transform/alir_pipeline: registers hold what doubles hold", "[transform]") {
  for (const int width : {53, 54}) {
    sketch p;
    const auto x = p.input(bits(width, 3));
    p.output(p.op({.id0 = x, .code = opcode::quantize, .qint = bits(width, 3), .latency = 1}));
    p.output(p.op({.id0 = 1, .code = opcode::quantize, .qint = bits(width, 3), .latency = 2}));
    const auto program = p.verified();
    CHECK(transform::to_pipeline(program, {.latency_cutoff = 2}).refusal.empty());
    // Signed numbers of 54 bits have a magnitude of 53.
    const alir_pipelined two = transform::to_pipeline(program, {.latency_cutoff = 1});
    CHECK(two.refusal.empty());
    CHECK(transform::compare(program, verified_pipeline(two.pipeline)).agrees);
  }
  sketch p;
  const auto x = p.input(bits(55));
  p.output(p.op({.id0 = x, .code = opcode::quantize, .qint = bits(55), .latency = 1}));
  p.output(p.op({.id0 = 1, .code = opcode::quantize, .qint = bits(55), .latency = 2}));
  CHECK(transform::to_pipeline(p.verified(), {.latency_cutoff = 1}).refusal.substr(0, 34) ==
        "operation 1 has more than 53 bits,");
}

TEST_CASE("transform/alir_pipeline: latencies that can't be added up", "[transform]") {
  sketch p = chain();
  p.model.ops[2].id1 = 0;
  p.model.ops[0].latency = -std::numeric_limits<double>::max();
  p.model.ops[2].latency = std::numeric_limits<double>::max();
  CHECK(transform::to_pipeline(p.verified(), {.stages = 2}).refusal == "latencies are too large");
  // One that is less than its operands' takes no time.
  p.model.ops[0].latency = 5;
  p.model.ops[2].latency = 1;
  CHECK(cut(p.verified(), {.latency_cutoff = 3.5}).pipeline.blocks.size() == 1);
}

namespace {

/// Bits of registers between stages, of operations in given stages; none where that can't be.
class exhaustive {
 public:
  exhaustive(const tessera::alir::program& p, double cutoff, std::uint32_t stages)
      : p_(p), cutoff_(cutoff), stages_(stages), stage_(p.size()), ready_(p.size()) {
    place(0);
  }
  std::uint64_t best = UINT64_MAX;

 private:
  [[nodiscard]] std::vector<std::size_t> operands(std::size_t i) const {
    const auto& o = p_.op(i);
    if (o.code == opcode::input) return {};
    return {static_cast<std::size_t>(o.id0), static_cast<std::size_t>(o.id1)};
  }
  void place(std::size_t i) {
    if (i == p_.size()) {
      best = std::min(best, cost());
      return;
    }
    const bool is_input = p_.op(i).code == opcode::input;
    for (std::uint32_t s = 0; s < (is_input ? 1 : stages_); ++s) {
      double ready = 0, latest = 0;
      bool fits = true;
      for (const std::size_t o : operands(i)) {
        fits = fits && stage_[o] <= s;
        latest = std::max(latest, p_.op(o).latency);
        if (stage_[o] == s) ready = std::max(ready, ready_[o]);
      }
      stage_[i] = s;
      ready_[i] = ready + p_.op(i).latency - latest;
      if (fits && ready_[i] <= cutoff_) place(i + 1);
    }
  }
  [[nodiscard]] std::uint64_t cost() const {
    std::vector<std::uint32_t> last = stage_;
    for (std::size_t i = 0; i < p_.size(); ++i)
      for (const std::size_t o : operands(i)) last[o] = std::max(last[o], stage_[i]);
    for (const std::int32_t x : p_.model().out_idxs)
      last[static_cast<std::size_t>(x)] = stages_ - 1;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < p_.size(); ++i)
      all += static_cast<std::uint64_t>(p_.type(i).width()) * (last[i] - stage_[i]);
    return all;
  }

  const tessera::alir::program& p_;
  double cutoff_;
  std::uint32_t stages_;
  std::vector<std::uint32_t> stage_;
  std::vector<double> ready_;
};

/// Two or three inputs and some additions; what nothing reads is an output.
tessera::alir::program small_program(std::uint64_t seed) {
  random_program::generator draw(seed);
  sketch p;
  p.model.spec_version = 4;
  for (int k = draw.small(2, 3); k-- > 0;) p.input(bits(draw.small(1, 8)));
  std::vector<bool> is_read(12);
  for (int k = draw.small(4, 7); k-- > 0;) {
    const auto last = static_cast<int>(p.model.ops.size()) - 1;
    const int a = draw.small(0, last), b = draw.small(0, last);
    const double latest = std::max(p.model.ops[static_cast<std::size_t>(a)].latency,
                                   p.model.ops[static_cast<std::size_t>(b)].latency);
    add(p, a, b, latest + draw.small(0, 4) / 4.0, bits(draw.small(1, 16)));
    is_read[static_cast<std::size_t>(a)] = is_read[static_cast<std::size_t>(b)] = true;
  }
  for (std::size_t i = 0; i < p.model.ops.size(); ++i)
    if (!is_read[i] || draw.chance(10)) p.output(static_cast<std::int32_t>(i));
  return p.verified();
}

}  // namespace

TEST_CASE("transform/alir_pipeline: no stages need fewer register bits", "[transform]") {
  std::uint64_t retimed = 0, cuts = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const auto p = small_program(seed);
    for (const double cutoff : {1.0, 1.25, 2.0}) {
      const alir_pipelined made = transform::to_pipeline(p, {.latency_cutoff = cutoff,
                                                             .input_register = false,
                                                             .output_register = false,
                                                             .trust_intervals = true});
      REQUIRE(made.refusal.empty());
      const auto stages = static_cast<std::uint32_t>(made.pipeline.blocks.size());
      if (stages > 4) continue;
      CHECK(made.is_minimal);
      const exhaustive all(p, cutoff, stages);
      CHECK(made.register_bits == all.best);
      if (stages > 1) CHECK(exhaustive(p, cutoff, stages - 1).best == UINT64_MAX);
      const alir_pipelined plain = transform::to_pipeline(p, {.latency_cutoff = cutoff,
                                                              .retiming = false,
                                                              .input_register = false,
                                                              .output_register = false,
                                                              .trust_intervals = true});
      CHECK(plain.register_bits >= made.register_bits);
      CHECK(plain.pipeline.blocks.size() == stages);
      retimed += plain.register_bits > made.register_bits ? 1u : 0u;
      ++cuts;
    }
  }
  CHECK(cuts > 600);
  CHECK(retimed > 100);
}

namespace {

/// The outputs of each cycle are those of the program, latency() - 1 cycles later.
void check_cycles(const tessera::alir::program& p, const tessera::alir::staged& s,
                  std::uint64_t seed) {
  constexpr std::size_t samples = 12;
  tessera::vm::alir::machine whole(p);
  tessera::vm::alir::pipeline_machine stages(s);
  const std::size_t n = whole.inputs(), m = whole.outputs();
  const std::vector<double> in = random_program::inputs(p.model(), seed, samples);
  std::vector<double> expected(samples * m), out(m);
  if (!whole.run(in, expected, samples)) return;
  const std::size_t later = s.latency() == 0 ? 0 : static_cast<std::size_t>(s.latency()) - 1;
  for (std::size_t k = 0; k < samples + later; ++k) {
    const auto sample = std::span<const double>(in).subspan((k < samples ? k : 0) * n, n);
    const bool has_output = stages.step(sample, out).has_output;
    CHECK(has_output == (k >= later));
    if (has_output)
      CHECK(std::equal(out.begin(), out.end(),
                       expected.begin() + static_cast<std::ptrdiff_t>((k - later) * m)));
  }
}
/// No block is slower than the cutoff.
void check_latency(const tessera::alir::staged& s, double cutoff) {
  for (std::size_t i = 0; i < s.size(); ++i) CHECK(transform::latency_of(s.block(i)) <= cutoff);
}

}  // namespace

TEST_CASE("transform/alir_pipeline: random programs give the same", "[transform]") {
  std::size_t stages = 0, unproven = 0, refused = 0, made_count = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    auto m = random_program::make(
        {.seed = seed,
         .density = seed % 2 == 0 ? random_program::mix::dense : random_program::mix::mixed,
         .max_ops = seed % 50 == 0 ? 500 : 80,
         .may_trap = seed % 5 == 0});
    if (seed % 3 == 0)
      if (const auto old = tessera::alir::write_json(m, 2))
        if (auto two = tessera::alir::read_json(*old)) m = std::move(*two);
    random_program::set_latencies(m, seed);
    const auto p = tessera::alir::verify(m);
    REQUIRE(p);
    const double cutoff = 0.375 + static_cast<double>(seed % 7) / 8;
    const alir_pipelined made = transform::to_pipeline(*p, {.latency_cutoff = cutoff});
    if (!made.refusal.empty()) {
      INFO(made.refusal);
      CHECK(made.refusal.find("as doubles") != std::string::npos);
      ++refused;
      continue;
    }
    CHECK(made.latency <= cutoff);
    const auto s = verified_pipeline(made.pipeline);
    check_latency(s, cutoff);
    CHECK(transform::compare(*p, s, 40, seed).agrees);
    check_cycles(*p, s, seed);
    const auto joined = transform::to_program(s);
    REQUIRE(joined);
    CHECK(transform::compare(*p, *joined, 40, seed).agrees);
    stages += s.size();
    unproven += made.unproven;
    ++made_count;
  }
  CHECK(made_count > 200);
  CHECK(stages > made_count + 80);
  CHECK(unproven > 50);
  CHECK(refused > 10);
}

TEST_CASE("transform/alir_pipeline: pipelines of files as programs", "[transform]") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(samples::folder() / "pipelines")) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().filename().string());
    const auto p = tessera::alir::read_pipeline(samples::load(entry.path()));
    REQUIRE(p);
    const auto s = verified_pipeline(*p);
    const auto joined = transform::to_program(s);
    REQUIRE(joined);
    CHECK(transform::compare(*joined, s).agrees);
    ++count;
  }
  CHECK(count == 7);
}

TEST_CASE("transform/alir_pipeline: scales between blocks", "[transform]") {
  // y = -x * 2^3 leaves the first block, and the second one halves it; the other input is always 0.
  sketch first;
  first.model.spec_version = 2;
  first.output(first.input(bits(4, 1)), 3, true);
  first.output(-1);
  sketch second;
  const auto x = second.input(bits(6, -1), -1), zero = second.input(bits(3));
  second.output(add(second, x, zero, 0));
  tessera::alir::pipeline p;
  p.form = pipeline_form::list;
  p.blocks.push_back(tessera::alir::model(first.model));
  p.blocks.push_back(tessera::alir::model(second.model));
  const auto s = verified_pipeline(p);
  const auto joined = transform::to_program(s);
  REQUIRE(joined);
  CHECK(joined->model().spec_version == 4);
  CHECK(transform::compare(*joined, s).agrees);
  // A shift that no program has.
  p.blocks[0].out_shifts[0] = 100;
  CHECK(transform::to_program(verified_pipeline(p)).error().code == tessera::errc::alir_shift);
}
