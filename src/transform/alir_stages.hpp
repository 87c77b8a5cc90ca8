// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// In which stage of a pipeline each operation of an ALIR program is.
//
//   alir_timing t(program, is_needed);
//   std::vector<std::uint32_t> stage = t.earliest(cutoff);
//   retime(t, cutoff, stages, bits, stage, work);   // fewest register bits
//
// Latencies are ticks, integers, so that the sums along a path don't depend on where it starts.
//
// Lifetime:   a timing keeps nothing of the program.
// Errors:     none.
// Limits:     latencies are rounded to 2^-48 of the longest path.
// Allocation: some 40 bytes for each operation; 500 while it is retimed.

#ifndef TESSERA_TRANSFORM_ALIR_STAGES_HPP
#define TESSERA_TRANSFORM_ALIR_STAGES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tessera/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

class alir_timing {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  alir_timing(const alir::program& p, const std::vector<bool>& is_needed);

  [[nodiscard]] std::size_t size() const noexcept { return delay_.size(); }
  /// Whether latencies are numbers that can be added up.
  [[nodiscard]] bool is_finite() const noexcept { return is_finite_; }
  /// Whether an operation is in one stage: needed, and no constant.
  [[nodiscard]] bool is_placed(std::size_t i) const noexcept { return is_placed_[i]; }
  [[nodiscard]] bool is_input(std::size_t i) const noexcept { return is_input_[i]; }
  [[nodiscard]] bool is_output(std::size_t i) const noexcept { return is_output_[i]; }
  /// The operands of an operation that are placed.
  [[nodiscard]] std::span<const std::uint32_t> operands(std::size_t i) const noexcept {
    return {operands_.data() + first_operand_[i], first_operand_[i + 1] - first_operand_[i]};
  }

  [[nodiscard]] std::int64_t ticks(double latency) const noexcept;
  [[nodiscard]] double latency(std::int64_t ticks) const noexcept;
  /// Of the slowest operation, and which it is; of the slowest path.
  [[nodiscard]] std::int64_t slowest() const noexcept {
    return delay_.empty() ? 0 : delay_[slowest_];
  }
  [[nodiscard]] std::size_t slowest_operation() const noexcept { return slowest_; }
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

  /// The first stage that each operation can be in, where no operation is slower than the cutoff; none for
  /// those that aren't placed.
  [[nodiscard]] std::vector<std::uint32_t> earliest(std::int64_t cutoff) const;
  [[nodiscard]] static std::uint32_t count(const std::vector<std::uint32_t>& stage) noexcept;
  /// The smallest cutoff with at most so many stages.
  [[nodiscard]] std::int64_t cutoff_for(std::uint32_t stages) const;
  /// Of the slowest stage.
  [[nodiscard]] std::int64_t latency_of(const std::vector<std::uint32_t>& stage) const;

  /// Calls back with the ends of paths within a stage that are slower than the cutoff, as few operations
  /// of each as are too slow. Returns the latency of the slowest stage.
  template <class Slow>
  std::int64_t visit_slow(const std::vector<std::uint32_t>& stage, std::int64_t cutoff,
                          Slow slow) const {
    std::vector<std::int64_t> ready(size());
    std::vector<std::uint32_t> from(size(), none);
    std::int64_t latest = 0;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (!is_placed_[i]) continue;
      for (const std::uint32_t o : operands(i))
        if (stage[o] == stage[i] && ready[o] >= ready[i]) ready[i] = ready[o], from[i] = o;
      ready[i] += delay_[i];
      latest = ready[i] > latest ? ready[i] : latest;
      if (ready[i] <= cutoff) continue;
      std::uint32_t start = i;
      for (std::int64_t sum = delay_[i]; sum <= cutoff; sum += delay_[start]) start = from[start];
      slow(start, i);
      ready[i] = delay_[i], from[i] = none;
    }
    return latest;
  }

 private:
  std::vector<std::int64_t> delay_;
  std::vector<std::size_t> first_operand_;
  std::vector<std::uint32_t> operands_;
  std::vector<bool> is_placed_, is_input_, is_output_;
  std::size_t slowest_ = 0;
  std::int64_t total_ = 0;
  int exponent_ = 0;  ///< of a tick
  bool is_finite_ = true;
};

/// Moves operations to later stages, of those that meet the cutoff to one with the fewest register bits;
/// `bits` are those of each operation's value. False when the work was used up: then stages are better
/// than before, or the same.
[[nodiscard]] bool retime(const alir_timing& t, std::int64_t cutoff, std::uint32_t stages,
                          const std::vector<std::uint32_t>& bits, std::vector<std::uint32_t>& stage,
                          std::uint64_t work);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_ALIR_STAGES_HPP
