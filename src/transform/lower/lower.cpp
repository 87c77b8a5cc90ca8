// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/transform/lower.hpp"

#include "transform/lower/emit.hpp"
#include "transform/lower/map.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using namespace lowering;

/// The buffers of a program.
void declare(nem::builder& to, const plan& p, const target& device, const placement& used,
             std::int64_t weights, std::int64_t l1) {
  for (const home& h : p.homes) {
    if (h.buffer.empty()) continue;
    to.buffer(h.buffer, nem::level::ddr, h.size * device.element_size(), alignment);
    to.decorate(h.what == home::kind::input ? nem::decorator::readonly : nem::decorator::writeonly);
  }
  if (weights != 0)
    to.buffer("weights", nem::level::ddr, weights, alignment).decorate(nem::decorator::readonly);
  if (used.spill != 0) to.buffer("spill", nem::level::ddr, used.spill, alignment);
  if (used.l2 != 0) to.buffer("l2", nem::level::l2, used.l2, alignment);
  if (l1 != 0) to.buffer("l1", nem::level::l1, l1, alignment);
}

void check(const target& device) {
  if (!nem::is_floating(device.type()))
    throw refusal{errc::nac_lower_device, 0,
                  "lowering to " + std::string(nem::name(device.type())) +
                      " isn't supported; expected f32, f16 or bf16"};
  if (device.l1_size() <= 0)
    throw refusal{errc::nac_lower_device, 0, device.name() + " has no topology"};
  for (const nem::unit u : {nem::unit::nmu, nem::unit::cstl, nem::unit::dma, nem::unit::sdma})
    if (device.lacks(u))
      throw refusal{errc::nac_lower_device, 0,
                    device.name() + " has no " + std::string(nem::name(u))};
}

[[nodiscard]] result<lowered> make(const nac::program& p, const target& device,
                                   const lower_options& options, report* found) {
  check(device);
  network net(p, options);
  plan steps = mapper(net, device).run();
  fuse(steps);
  const placement used = place(steps, device);
  std::vector<tiling> tilings;
  std::int64_t l1 = 0;
  for (const step& s : steps.steps) {
    tilings.push_back(best_tiling(steps, s, device));
    l1 = std::max(l1, tilings.back().l1_bytes);
  }
  weight_file weights(steps, device.type());
  for (const tiling& t : tilings)
    for (const access& a : t.step.reads)
      if (steps.homes[a.of.home].what == home::kind::constant) (void)weights.place_of(a.of);
  nem::builder all;
  device.write(all);
  all.program(options.program);
  declare(all, steps, device, used, static_cast<std::int64_t>(weights.size()), l1);
  emitter statements(all, steps, device, weights);
  for (const tiling& t : tilings) statements.write(t);
  result<nem::model> built = all.finish(found);
  if (!built) return built.error();
  lowered out{std::move(*built), std::move(weights).take(), {}, {}, tilings.size()};
  for (const home& h : steps.homes) {
    if (h.buffer.empty()) continue;
    std::vector<lowered_port>& to = h.what == home::kind::input ? out.inputs : out.outputs;
    to.push_back({h.buffer, h.shape});
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
    return fail({f.code, 0, f.text}, found);
  }
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
