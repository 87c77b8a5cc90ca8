// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Two ALIR programs, or a program and a pipeline, on the same samples.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tessera/transform/pipeline_alir.hpp"
#include "tessera/vm/alir_pipeline.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

/// Samples for two programs with the same inputs: codes of the types that read an input, corners of
/// these first, and numbers that no type holds.
class alir_sampler {
 public:
  alir_sampler(const alir::program& p, std::uint64_t seed) : state_(seed) {
    types_.resize(static_cast<std::size_t>(p.model().n_inputs));
    for (std::size_t i = 0; i < p.size(); ++i)
      if (p.op(i).code == alir::opcode::input) {
        const auto input = static_cast<std::size_t>(p.op(i).id0);
        types_[input].push_back({p.type(i), p.model().inp_shifts[input]});
      }
  }
  void draw(std::span<double> sample) {
    for (std::size_t j = 0; j < sample.size(); ++j)
      sample[j] = types_[j].empty() ? 0.0 : number(types_[j][bits() % types_[j].size()]);
  }

 private:
  struct reader {
    alir::fixed_type type;
    std::int32_t shift;
  };
  std::uint64_t bits() noexcept {  // SplitMix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  [[nodiscard]] double number(const reader& r) {
    constexpr double far[] = {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              1e300,
                              -1e300,
                              0x1p63,
                              -0x1p63,
                              5e-324};
    const std::uint64_t way = bits() % 32;
    if (way == 0) return far[bits() % 8];
    const int width = std::max(r.type.width(), 1);
    const double half = std::ldexp(1.0, width - (r.type.k ? 1 : 0)), low = r.type.k ? -half : 0;
    const double corners[] = {0, 1, -1, low, half - 1, half, low - 1, half / 2};
    const double random = std::ldexp(static_cast<double>(bits() >> 11), width - 53) + low;
    const double code = way < 12 ? corners[bits() % 8] : random;
    const std::int64_t exponent = -std::int64_t{r.type.f} - r.shift;
    return std::ldexp(code, static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
  }

  std::vector<std::vector<reader>> types_;
  std::uint64_t state_;
};

template <class Machine>
[[nodiscard]] alir_disagreement compare_machines(const alir::program& p, Machine&& second,
                                                 std::uint64_t samples, std::uint64_t seed) {
  vm::alir::machine first(p);
  if (first.inputs() != second.inputs() || first.outputs() != second.outputs()) return {false, 0};
  alir_sampler sampler(p, seed);
  std::vector<double> in(first.inputs()), one(first.outputs()), two(first.outputs());
  for (std::uint64_t s = 0; s < samples; ++s) {
    sampler.draw(in);
    const vm::alir::outcome x = first.run(in, one, 1), y = second.run(in, two, 1);
    bool same = x.code == y.code && (x || x.code == errc::alir_lookup_range);
    for (std::size_t j = 0; same && x && j < one.size(); ++j)
      same = std::bit_cast<std::uint64_t>(one[j]) == std::bit_cast<std::uint64_t>(two[j]);
    if (!same) return {false, s};
  }
  return {};
}

}  // namespace

alir_disagreement compare(const alir::program& a, const alir::program& b, std::uint64_t samples,
                          std::uint64_t seed) {
  return compare_machines(a, vm::alir::machine(b), samples, seed);
}
alir_disagreement compare(const alir::program& a, const alir::staged& b, std::uint64_t samples,
                          std::uint64_t seed) {
  return compare_machines(a, vm::alir::pipeline_machine(b), samples, seed);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
