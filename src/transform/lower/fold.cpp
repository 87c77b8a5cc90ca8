// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>

#include "transform/lower/tiling.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

/// Whether a step only changes the form of elements, which stay where they are.
[[nodiscard]] bool is_conversion(const step& s) noexcept {
  if (s.tasks.size() != 1 || s.reads.size() != 1 || s.result.what != task_operand::kind::reg)
    return false;
  const nem::opcode op = s.tasks[0].op;
  const tensor_view &from = s.reads[0].of, &to = s.write.of;
  return !s.reads[0].is_converted() &&
         (op == nem::opcode::quantize || op == nem::opcode::dequantize) &&
         from.offset == to.offset && from.shape == to.shape && from.strides == to.strides &&
         s.reads[0].follows == s.write.follows;
}

class folder {
 public:
  folder(plan& p, const target& device)
      : plan_(p), device_(device), reader_(p.homes.size(), none), writers_(p.homes.size()) {
    for (std::size_t s = 0; s < p.steps.size(); ++s) {
      ++writers_[p.steps[s].write.of.home];
      for (const access& a : p.steps[s].reads) {
        std::size_t& r = reader_[a.of.home];
        r = r == none ? s : several;
      }
    }
  }

  void run() {
    std::vector<step> left;
    for (step& s : plan_.steps)
      if (!is_conversion(s) || !fold(s)) left.push_back(std::move(s));
    plan_.steps = std::move(left);
  }

 private:
  [[nodiscard]] bool fold(const step& s) {
    const std::uint32_t home = s.write.of.home;
    const std::size_t k = reader_[home];
    if (k >= several || writers_[home] != 1) return false;
    step both = plan_.steps[k];
    for (access& a : both.reads) {
      if (a.of.home != home) continue;
      if (a.stays || a.is_converted()) return false;
      a.of.home = s.reads[0].of.home;
      a.stored = s.reads[0].form;
    }
    const std::optional<double> apart = cost_of(plan_, plan_.steps[k], device_),
                                first = cost_of(plan_, s, device_),
                                together = cost_of(plan_, both, device_);
    if (!together || (apart && first && *apart + *first <= *together)) return false;
    both.name = s.name + ", " + both.name;
    plan_.steps[k] = std::move(both);
    return true;
  }

  static constexpr std::size_t several = none - 1;

  plan& plan_;
  const target& device_;
  std::vector<std::size_t> reader_;  // by home: the step that reads it
  std::vector<std::size_t> writers_;
};

}  // namespace

void fold_conversions(plan& p, const target& device) { folder(p, device).run(); }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
