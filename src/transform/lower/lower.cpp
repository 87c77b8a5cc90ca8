// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/transform/lower.hpp"

#include <algorithm>

#include "transform/lower/emit.hpp"
#include "transform/lower/quantize.hpp"
#include "transform/lower/simulate.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using namespace lowering;

void check(const target& device, nem::element type) {
  if (!nem::is_floating(type) && type != nem::element::i8)
    throw refusal{errc::nac_lower_device, 0,
                  "lowering to " + std::string(nem::name(type)) +
                      " isn't supported; expected f32, f16, bf16 or i8"};
  for (const std::string_view family : {"eltwise", "view"})
    if (device.is_quantized() && !device.has(family, {&type, 1}, "default"))
      throw refusal{errc::nac_lower_device, 0,
                    device.name() +
                        " has no i8: " + target::reference(family, {&type, 1}, "default") +
                        " isn't one of its variants"};
  if (device.l1_size() <= 0)
    throw refusal{errc::nac_lower_device, 0, device.name() + " has no topology"};
}

/// What a step needs: its tasks, and what moves its tiles to and from DDR and L2.
void check_units(const step& s, const plan& p, const target& device) {
  const auto check_one = [&](nem::unit u) {
    if (!device.lacks(u)) return;
    throw refusal{
        errc::nac_lower_device, s.instruction,
        s.name + " on " + device.name() + ": the device has no " + std::string(nem::name(u))};
  };
  const auto check_move = [&](const access& a) {
    check_one(p.homes[a.of.home].level == nem::level::l2 ? nem::unit::dma : nem::unit::sdma);
  };
  for (const tile_task& t : s.tasks)
    if (t.op == nem::opcode::conv2d || t.op == nem::opcode::gemm) check_one(nem::unit::nmu);
  check_one(nem::unit::cstl);  // stores, and all other tasks
  for (const access& a : s.reads) check_move(a);
  check_move(s.write);
}

[[nodiscard]] bool has_scales_by_channel(const step& s) noexcept {
  return std::any_of(s.reads.begin(), s.reads.end(),
                     [](const access& a) { return a.form.scales.size() > 1; });
}

[[nodiscard]] std::vector<quantized_result> quantized_results(const plan& p) {
  std::vector<quantized_result> out;
  for (std::uint32_t i = 0; i < p.results.size(); ++i) {
    if (p.results[i].empty()) continue;
    const number_form& f = p.homes[p.results[i][0].home].quantized;
    if (f.type == nem::element::i8) out.push_back({i, f.scales[0], f.zero_point});
  }
  return out;
}

/// A network in steps, and their tiles.
struct tiled_network {
  plan steps;
  placement used;
  std::vector<tiling> tilings;
  std::optional<calibration> ranges;
  std::vector<std::uint32_t> by_tensor;

  [[nodiscard]] bool tile(const nac::program& p, const target& device,
                          const lower_options& options);
};

/// False where the weights of more products have to be in blocks for them to fit L1, with one scale
/// each: it is done again then.
bool tiled_network::tile(const nac::program& p, const target& device,
                         const lower_options& options) {
  steps = planned(p, device, options, ranges, by_tensor);
  fuse(steps, device);
  used = place(steps, device);
  if (device.is_quantized()) {
    fold_conversions(steps, device);
    used = place(steps, device);
  }
  for (const step& s : steps.steps) check_units(s, steps, device);
  try {
    tilings = best_tilings(steps, device, options.effort);
    return true;
  } catch (const refusal& r) {
    const std::size_t known = by_tensor.size();
    for (const step& s : steps.steps) {
      const bool is_first =
          std::find(by_tensor.begin(), by_tensor.end(), s.instruction) == by_tensor.end();
      if (is_first && has_scales_by_channel(s) && !fits_l1(steps, s, device))
        by_tensor.push_back(s.instruction);
    }
    if (r.code != errc::nac_lower_memory || by_tensor.size() == known) throw;
    return false;
  }
}

/// What isn't in a row is moved by layout operations of its type.
void check_moves(const tiling& t, const plan& p, const target& device) {
  const auto check_one = [&](const access& a, const dimensions& box) {
    const home& h = p.homes[a.of.home];
    if (h.what == home::kind::constant || is_contiguous(box, a.of.strides) ||
        device.has("view", {&h.type, 1}, "default"))
      return;
    throw refusal{errc::nac_lower_device, t.step.instruction,
                  t.step.name + " on " + device.name() + ": the device has no " +
                      target::reference("view", {&h.type, 1}, "default")};
  };
  for (const segment& g : t.segments) {
    check_one(t.step.write, t.write_shape(g));
    for (std::size_t r = 0; r < t.step.reads.size(); ++r)
      check_one(t.step.reads[r], t.read_shape(r, g));
  }
}

[[nodiscard]] result<lowered> make(const nac::program& p, const target& device,
                                   const lower_options& options, report* found) {
  check(device, options.type);
  tiled_network net;
  while (!net.tile(p, device, options)) {}
  auto& [steps, used, tilings, ranges, by_tensor] = net;
  std::int64_t l1 = 0;
  for (const tiling& t : tilings) {
    check_moves(t, steps, device);
    l1 = std::max(l1, t.l1_bytes);
  }
  weight_file weights(steps);
  for (const tiling& t : tilings)
    for (const access& a : t.step.reads)
      if (steps.homes[a.of.home].what == home::kind::constant) (void)weights.place_of(a);
  nem::builder all;
  device.write(all);
  all.program(options.program);
  declare_buffers(all, steps, used, weights.size(), l1);
  emitter statements(all, steps, weights, device.max_tokens());
  for (std::size_t k = 0; k < tilings.size(); ++k)
    statements.write(tilings[k], k + 1 < tilings.size() ? &tilings[k + 1] : nullptr);
  result<nem::model> built = all.finish(found);
  if (!built) return built.error();
  lowered out{std::move(*built), weights.make(), {}, {}, tilings.size(), {}, {}};
  out.by_tensor = std::move(by_tensor);
  if (device.is_quantized()) out.quantized = quantized_results(steps);
  for (const home& h : steps.homes) {
    if (h.buffer.empty()) continue;
    std::vector<lowered_port>& to = h.what == home::kind::input ? out.inputs : out.outputs;
    to.push_back({h.buffer, h.shape, h.type, h.end});
  }
  return out;
}

[[nodiscard]] error fail(const refusal& r, report* found) {
  if (found != nullptr) {
    diagnostic d;
    d.code = r.code;
    d.where = {0, r.instruction, 0, error_index::instruction};
    d.text = {static_cast<std::uint32_t>(found->characters.size()),
              static_cast<std::uint32_t>(r.text.size())};
    found->characters << r.text;
    found->diagnostics.push_back(d);
    ++found->errors;
  }
  return {r.code, r.instruction, error_index::instruction};
}

}  // namespace

result<lowered> lower(const nac::program& p, const nem::catalog& catalog, const nem::device& device,
                      const lower_options& options, report* found) {
  try {
    return make(p, target(catalog, device, options.type), options, found);
  } catch (const refusal& r) {
    return fail(r, found);
  } catch (const vm::nac::fault& f) {
    const std::string what(error{f.code}.message());
    return fail({f.code, 0, f.text.empty() ? what : what + ": " + f.text}, found);
  }
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
