// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Weights of one network in another one: copies of networks in another order, students of other depths,
// shapes that are made to fit.

#include "tessera/transform/transplant.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "import/recorded.hpp"
#include "io/npy.hpp"
#include "optimized.hpp"
#include "transform/align.hpp"
#include "transform/blocks.hpp"
#include "transform/graph.hpp"

using namespace import_tests;
using transform::graft;
using transform::graft_kind;
using transform::transplanted;
using transform_tests::container;

namespace {

[[nodiscard]] container written(const nac::parts& parts) {
  auto bytes = nac::write(parts);
  INFO((bytes ? "" : bytes.error().name()));
  REQUIRE(bytes);
  return container(std::move(*bytes));
}

/// Moves an instruction to where its operands and its users let it be.
void move(transform::graph& g, std::uint32_t n, std::mt19937& random) {
  using graph = transform::graph;
  if (g.is_last(n) || (g[n].what == graph::role::system && !g.is_parameter(n))) return;
  if (g[n].what != graph::role::system && g[n].what != graph::role::operation) return;
  std::vector<std::uint32_t> places;
  for (std::uint32_t at = g[n].previous; at != graph::none; at = g[at].previous) {
    const bool is_operand = std::any_of(g[n].operands.begin(), g[n].operands.end(),
                                        [at](const graph::operand& o) { return o.node == at; });
    const bool is_marker =
        g[at].what != graph::role::system && g[at].what != graph::role::operation;
    if (is_operand || is_marker) break;
    places.push_back(at);
  }
  if (places.empty()) return;
  g.move_before(n, places[random() % places.size()]);
}

/// The same network with other names, in another order, with zeros for weights.
[[nodiscard]] container blank_copy(const nac::program& p, std::uint32_t seed) {
  std::mt19937 random(seed);
  transform::graph g(p);
  bool ordered = false;
  for (std::uint32_t n = g.first(); n != transform::graph::none; n = g[n].next)
    ordered |= g[n].is_in_place ||
               (g[n].what == transform::graph::role::operation && nac::is_random(g[n].op));
  for (std::uint32_t n = 0; n < g.size(); ++n)
    if (!ordered || g.is_parameter(n)) move(g, n, random);
  result<nac::parts> made = std::move(g).encode();
  REQUIRE(made);
  for (std::uint32_t k = 0; k < made->parameters.size(); ++k)
    made->parameters[k].text =
        made->add_string("p" + std::to_string(random() % 1000) + "." + std::to_string(k));
  for (nac::tensor_part& t : made->tensors) {
    const std::string zeros(static_cast<std::size_t>(t.data.size), '\0');
    t.data = made->keep(zeros);
  }
  std::shuffle(made->tensors.begin(), made->tensors.end(), random);
  return written(*made);
}

[[nodiscard]] container file(const std::string& name) {
  auto loaded = io::load(TESSERA_TESTS_DATA_DIR "/genome/transplant/" + name + ".nac");
  REQUIRE(loaded);
  return container(loaded->view());
}
[[nodiscard]] transplanted transplanted_into(const nac::program& donor,
                                             const nac::program& recipient,
                                             const transform::transplant_options& options = {}) {
  auto made = transform::transplant(donor, recipient, options);
  REQUIRE(made);
  return std::move(*made);
}
[[nodiscard]] std::string_view name_of(const nac::program& p, std::uint32_t parameter) {
  return p.parameters()[parameter].name;
}

/// The outputs for the recorded samples.
[[nodiscard]] std::vector<double> run(const nac::program& p) {
  const auto loaded = io::load(TESSERA_TESTS_DATA_DIR "/genome/transplant/samples.npy");
  REQUIRE(loaded);
  const auto samples = io::read_npy_array(loaded->view());
  REQUIRE(samples);
  const std::vector<std::byte> elements = in_native_order(samples->data, sizeof(float));
  vn::machine machine(p);
  const std::vector<std::int64_t> shape{16, 12, 12};
  REQUIRE(machine.set_input(0, vm::array_view{nac::data_type::float32, shape, elements}));
  REQUIRE(machine.run());
  const auto y = machine.output(0).elements<float>();
  return {y.begin(), y.end()};
}
[[nodiscard]] double mean_square(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

/// A network x + weight, with the weight's elements.
[[nodiscard]] container sum_of(const std::string& tensor) {
  return container("tensors:\n  \"w\" = " + tensor +
                   "\ncode:\n x = input\n w = parameter \"w\"\n y = nac.add(x, w)\n output(y)\n");
}
/// What becomes of the weight of one in another one; empty: it is kept.
[[nodiscard]] std::vector<double> fitted(const std::string& from, const std::string& to,
                                         const transform::transplant_options& options,
                                         graft_kind wanted = graft_kind::fitted) {
  const container donor = sum_of(from), recipient = sum_of(to);
  const transplanted made = transplanted_into(donor.program(), recipient.program(), options);
  REQUIRE(made.grafts.size() == 1);
  CHECK(made.grafts[0].what == wanted);
  if (wanted != graft_kind::fitted && wanted != graft_kind::moved) return {};
  const container after = written(made.parts);
  const nac::tensor t = after.program().parameters()[0].value;
  const std::vector<std::byte> elements = elements_of(t);
  std::vector<double> out;
  for (std::size_t i = 0; i < elements.size() / nac::size_of(t.type); ++i)
    out.push_back(value_at(t.type, elements.data(), i));
  return out;
}

using values = std::vector<double>;

}  // namespace

TEST_CASE("transform/transplant: a copy gets all weights back", "[transform][transplant]") {
  const expectations all;
  for (const std::string& name : networks()) {
    INFO(name);
    const imported original(data("networks/" + name + ".pt2"));
    REQUIRE(original);
    const container copy = blank_copy(original.program(), 7);
    const auto made = transform::transplant(original.program(), copy.program());
    REQUIRE(made);
    for (const graft& g : made->grafts) {
      INFO(name_of(copy.program(), g.recipient));
      CHECK(g.what == graft_kind::moved);
    }
    CHECK(made->unused.empty());
    CHECK(made->blocks.size() == made->donor_blocks);
    CHECK(made->blocks.size() == made->recipient_blocks);
    check_runs(written(made->parts).program(), name, all);
  }
}

TEST_CASE("transform/transplant: two depths have all blocks of the shallow one in common",
          "[transform][transplant]") {
  for (const std::string family : {"images", "sequences"}) {
    const container teacher = file(family + "_teacher");
    for (const std::string depth : {"1", "2", "4"}) {
      INFO(family << ' ' << depth);
      const container student = file(family + '_' + depth);
      const transplanted made = transplanted_into(teacher.program(), student.program());
      CHECK(made.blocks.size() == std::min(made.donor_blocks, made.recipient_blocks));
      const std::string last = family == "images" ? "blocks.3." : "layers.3.";
      for (const graft& g : made.grafts) {
        const std::string_view name = name_of(student.program(), g.recipient);
        INFO(name);
        const bool is_more = name.starts_with(last);
        REQUIRE((g.what == graft_kind::moved) == !is_more);
        // Of equal blocks the first ones.
        if (!is_more) CHECK(name_of(teacher.program(), g.donor) == name);
      }
    }
  }
}

TEST_CASE("transform/transplant: a student begins nearer to its teacher",
          "[transform][transplant]") {
  for (const std::string family : {"images", "sequences"}) {
    const container teacher = file(family + "_teacher");
    const std::vector<double> wanted = run(teacher.program());
    for (const std::string depth : {"1", "2", "4"}) {
      INFO(family << ' ' << depth);
      const container student = file(family + '_' + depth);
      const container after =
          written(transplanted_into(teacher.program(), student.program()).parts);
      CHECK(mean_square(run(after.program()), wanted) <
            0.9 * mean_square(run(student.program()), wanted));
    }
  }
}

TEST_CASE("transform/transplant: wider networks, padded with zeros, compute the same",
          "[transform][transplant]") {
  const auto code = [](const std::string& tensors) {
    return container(
        "tensors:\n" + tensors +
        "code:\n x = input\n w = parameter \"w\"\n y = aten.linear.default(x, w, null)\n"
        " z = aten.relu.default(y)\n u = parameter \"u\"\n"
        " t = aten.linear.default(z, u, null)\n output(t)\n");
  };
  const container donor = code(
      "  \"w\" = f32 [1, 2] hex { 0000803f 00000040 }\n  \"u\" = f32 [1, 1] hex { 00004040 }\n");
  const container recipient = code(
      "  \"w\" = f32 [2, 2] hex { 0000803f 0000803f 0000803f 0000803f }\n"
      "  \"u\" = f32 [1, 2] hex { 0000803f 0000803f }\n");
  const container after =
      written(transplanted_into(donor.program(), recipient.program(), {.pad = true}).parts);
  vn::machine machine(after.program());
  const std::vector<std::int64_t> shape{1, 2};
  const std::vector<float> x{3, 5};
  REQUIRE(machine.set_input(0, vm::array_view(shape, std::span<const float>(x))));
  REQUIRE(machine.run());
  CHECK(machine.output(0).elements<float>()[0] == 39.0F);
}

TEST_CASE("transform/transplant: other shapes and types", "[transform][transplant]") {
  const std::string three = "f32 [3] hex { 0000803f 00000040 00004040 }";  // 1 2 3
  const std::string one = "f32 [1] hex { 0000a040 }",
                    four = "f32 [4] hex { " + std::string(32, '0') + " }";
  const std::string square = "f32 [2, 2] hex { 0000803f 00000040 00004040 00008040 }";  // 1 2 3 4
  const std::string wide = "f32 [3, 1] hex { " + std::string(24, '0') + " }";
  CHECK(fitted(three, three, {}, graft_kind::moved) == values{1, 2, 3});
  CHECK(fitted(three, one, {}, graft_kind::other_shape).empty());
  CHECK(fitted(three, one, {.pad = true}, graft_kind::other_shape).empty());
  CHECK(fitted(three, one, {.slice = true}) == values{1});
  CHECK(fitted(three, four, {.slice = true}, graft_kind::other_shape).empty());
  CHECK(fitted(three, four, {.pad = true}) == values{1, 2, 3, 0});
  CHECK(fitted(square, wide, {.slice = true, .pad = true}) == values{1, 3, 0});
  CHECK(fitted(square, three, {.slice = true, .pad = true, .interpolate = true, .convert = true},
               graft_kind::other_shape)
            .empty());
  // Halves of the distance between centres: of 3 elements as 4, at -0.125, 0.625, 1.375, 2.125.
  CHECK(fitted(three, four, {.interpolate = true}) == values{1, 1.625, 2.375, 3});
  CHECK(fitted(square, wide, {.interpolate = true}) == values{1.5, 2.5, 3.5});
  CHECK(fitted(three, "f16 [3] hex { 000000000000 }", {}, graft_kind::other_type).empty());
  CHECK(fitted(three, "f16 [3] hex { 000000000000 }", {.convert = true}) == values{1, 2, 3});
  CHECK(fitted(three, "f16 [2] hex { 00000000 }", {.convert = true}, graft_kind::other_shape)
            .empty());
  CHECK(fitted(three, "bf16 [2] hex { 00000000 }", {.slice = true, .convert = true}) ==
        values{1, 2});
  CHECK(fitted(three, "f64 [2] hex { " + std::string(32, '0') + " }",
               {.interpolate = true, .convert = true}) == values{1.25, 2.75});
  const std::string integers = "i64 [2] hex { 05000000000000000700000000000000 }";
  CHECK(fitted(integers, "i64 [3] hex { " + std::string(48, '0') + " }", {.pad = true}) ==
        values{5, 7, 0});
  CHECK(fitted(integers, "i64 [3] hex { " + std::string(48, '0') + " }", {.interpolate = true},
               graft_kind::other_shape)
            .empty());
  CHECK(fitted(integers, three, {.interpolate = true, .convert = true}, graft_kind::other_type)
            .empty());
}

TEST_CASE("transform/transplant: pairs that are given, and nothing else",
          "[transform][transplant]") {
  const container teacher = file("images_teacher"), student = file("images_2");
  const auto find = [](const nac::program& p, std::string_view name) {
    std::uint32_t k = 0;
    while (p.parameters()[k].name != name) ++k;
    return k;
  };
  const std::uint32_t from = find(teacher.program(), "blocks.2.a.weight");
  const std::uint32_t to = find(student.program(), "blocks.1.a.weight");
  const transplanted made =
      transplanted_into(teacher.program(), student.program(), {.pairs = {{from, to}}});
  std::size_t moved = 0;
  for (const graft& g : made.grafts) {
    if (g.what == graft_kind::no_counterpart) continue;
    ++moved;
    CHECK(g.recipient == to);
    CHECK(g.donor == from);
  }
  CHECK(moved == 1);
  CHECK(made.blocks.empty());
  const container after = written(made.parts);
  CHECK(as_text(after.program().parameters()[to].value.data) ==
        as_text(teacher.program().parameters()[from].value.data));
}

TEST_CASE("transform/blocks: a cut is what everything passes", "[transform][transplant]") {
  const container teacher = file("images_teacher");
  const transform::network_blocks n(teacher.program());
  std::set<std::uint64_t> genes;
  std::vector<std::size_t> sizes;
  for (const auto& b : n.blocks()) {
    genes.insert(b.gene);
    sizes.push_back(b.instructions.size());
  }
  // x; x[:, None]; the stem; ReLU; three times a sum of six instructions and its ReLU; mean; head; out
  CHECK(std::count(sizes.begin(), sizes.end(), std::size_t{6}) == 3);
  CHECK(genes.size() == sizes.size() - 5);
  std::size_t total = 0;
  for (const std::size_t s : sizes) total += s;
  CHECK(total + teacher.program().parameters().size() == teacher.program().size());
}

TEST_CASE("transform/align: many pairs, few runs without", "[transform][transplant]") {
  const auto aligned = [](std::string_view a, std::string_view b) {
    std::string out;
    const auto pairs =
        transform::align(static_cast<std::uint32_t>(a.size()), static_cast<std::uint32_t>(b.size()),
                         [&](std::uint32_t i, std::uint32_t j) {
                           return a[i] == b[j] ? 1 + (a[i] < 'a' ? 4 : 0) : 0;
                         });
    REQUIRE(pairs);
    for (const auto& [i, j] : *pairs) out += std::to_string(i) + ':' + std::to_string(j) + ' ';
    return out;
  };
  CHECK(aligned("", "").empty());
  CHECK(aligned("A", "").empty());
  CHECK(aligned("A", "B").empty());
  CHECK(aligned("ABC", "ABC") == "0:0 1:1 2:2 ");
  // What repeats is paired from the front.
  CHECK(aligned("SABABE", "SABABABE") == "0:0 1:1 2:2 3:3 4:4 5:7 ");
  CHECK(aligned("SABABABE", "SABE") == "0:0 1:1 2:2 7:3 ");
  // A pair of little weight isn't worth a run more.
  CHECK(aligned("AxxB", "AzzxzzB") == "0:0 3:6 ");
  CHECK(aligned("AXXB", "AZZXZZB") == "0:0 1:3 3:6 ");
  CHECK_FALSE(transform::align(8191, 8192, [](std::uint32_t, std::uint32_t) { return 0; }));
  CHECK(transform::align(8191, 8191, [](std::uint32_t, std::uint32_t) { return 0; }));
}
