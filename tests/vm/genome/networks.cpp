// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks that torch.export wrote down, against what PyTorch gives for them; data/genome/networks
// has them, and the program that made them.

#include <cmath>
#include <fstream>
#include <iterator>

#include "build.hpp"
#include "genome/contiguous.hpp"
#include "genome/convert.hpp"
#include "genome/patterns.hpp"
#include "vm/nac/load.hpp"

using namespace vm_genome_tests;
namespace genomics = tessera::genomics;

namespace {

const char* const names[] = {"perceptron",   "residual", "residual_core", "encoder",
                             "encoder_core", "decoder",  "elementwise",   "reductions",
                             "indices",      "picture"};

[[nodiscard]] std::string file(const std::string& name) {
  std::ifstream in(TESSERA_TESTS_DATA_DIR "/genome/networks/" + name, std::ios::binary);
  INFO(name);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
[[nodiscard]] T take(tessera::result<T> r) {
  if (!r) FAIL(r.error().name() << " at " << r.error().offset);
  return *std::move(r);
}

[[nodiscard]] genome::library library() {
  return take(genome::verify(take(genome::read_registry(file("registry.json")))));
}
[[nodiscard]] genome::program program(const std::string& name, const genome::library& l) {
  return take(genome::verify(take(genome::read_base64(file(name + ".b64"))), l));
}

/// Parameters, inputs and outputs of one network.
class recorded {
 public:
  explicit recorded(const std::string& name)
      : content_(file(name + ".safetensors")),
        tensors_(take(tessera::nac::read_safetensors(tessera::bytes(
            reinterpret_cast<const std::byte*>(content_.data()), content_.size())))) {}

  [[nodiscard]] nac::tensor load(nac::memory& arena, const std::string& name) const {
    const std::size_t at = tensors_.find(name);
    INFO(name);
    REQUIRE(at != tensors_.size());
    return nac::load(arena, tensors_[at].as);
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return tensors_.find(name) != tensors_.size();
  }

 private:
  std::string content_;
  tessera::nac::safetensors tensors_;
};

/// What a program gives, in a memory that outlives it.
[[nodiscard]] std::vector<nac::value> run(const genome::program& p, const recorded& from,
                                          nac::memory& arena) {
  vm::interpreter m(p, {.arena = &arena});
  for (std::size_t i = 0; i < m.inputs(); ++i)
    m.set_input(i, from.load(arena, "input." + std::to_string(i)));
  for (const std::uint32_t id : m.parameters())
    m.set_parameter(id, from.load(arena, std::string(p.library().parameter(id))));
  const vm::outcome done = m.run();
  INFO(tessera::error({done.code, 0}).name() << " at node " << done.node << ": " << done.text);
  REQUIRE(done);
  return {m.outputs().begin(), m.outputs().end()};
}

/// Type and shape are the same, values within `units` of float32's precision of the largest.
void check_like(const nac::tensor& got, const nac::tensor& expected, double units) {
  CHECK(tessera::nac::name(got.type) == tessera::nac::name(expected.type));
  REQUIRE(got.dims.text() == expected.dims.text());
  const reals a = vm_nac_tests::numbers(got), b = vm_nac_tests::numbers(expected);
  double largest = 1, off = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(b[i])) largest = std::max(largest, std::abs(b[i]));
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] != b[i]) off = std::max(off, std::abs(a[i] - b[i]));
  }
  CHECK(off <= units * 0x1p-23 * largest);
}

[[nodiscard]] std::string all_bits(const std::vector<nac::value>& values) {
  std::string out;
  for (const nac::value& v : values) {
    const nac::tensor& t = v.as_tensor();
    out += std::string(tessera::nac::name(t.type)) + t.dims.text();
    std::vector<std::byte> elements(t.bytes());
    nac::store(t, elements.data());
    out.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  }
  return out;
}

}  // namespace

TEST_CASE("vm/genome/networks: what torch.export writes gives what PyTorch does", "[vm_genome]") {
  const genome::library l = library();
  for (const std::string name : names) {
    INFO(name);
    const genome::program p = program(name, l);
    const recorded from(name);
    nac::memory arena(1 << 20);
    const std::vector<nac::value> got = run(p, from, arena);
    CHECK_FALSE(from.has("output." + std::to_string(got.size())));
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO("output " << i);
      REQUIRE(got[i].is_tensor());
      check_like(got[i].as_tensor(), from.load(arena, "output." + std::to_string(i)), 16);
    }
  }
}

TEST_CASE("vm/genome/networks: the same bits in patterns that were mined", "[vm_genome]") {
  const genome::library l = library();
  genomics::corpus all;
  std::vector<std::string> expected;
  for (const std::string name : names) {
    const genome::program p = program(name, l);
    nac::memory arena(1 << 20);
    expected.push_back(all_bits(run(p, recorded(name), arena)));
    REQUIRE(genomics::add_graph(all, name, p, {.parameter_names = true}).code == errc::ok);
  }
  genomics::signatures made = take(genomics::signatures_of(all));
  const genomics::findings found =
      genomics::mine_contiguous(all, {.min_length = 2, .min_score = 4, .threads = 1});
  CHECK(found.genes.size() > 10);
  (void)genomics::add_patterns(made, all, found);
  const genome::library patterns = take(genome::verify(std::move(made.registry)));
  std::size_t calls = 0;
  for (std::size_t g = 0; g < all.size(); ++g) {
    INFO(names[g]);
    const recorded from(names[g]);
    const genome::program flat = take(genome::verify(std::move(made.streams[g]), patterns));
    const genome::program small = take(genome::verify(take(genome::compress(flat)), patterns));
    for (const genome::node& n : small.stream().nodes)
      calls += n.what() == genome::command::pattern ? 1u : 0u;
    CHECK(take(genome::expand(small)) == flat.stream());
    for (const genome::program* const p : {&flat, &small}) {
      nac::memory arena(1 << 20);
      CHECK(all_bits(run(*p, from, arena)) == expected[g]);
    }
  }
  CHECK(calls > 40);
}
