// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/map.hpp"
#include "transform/lower/quantize.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

plan planned(const nac::program& p, const target& device, const lower_options& options,
             std::optional<calibration>& ranges, std::vector<std::uint32_t>& by_tensor) {
  network net(p, options);
  plan out = mapper(net, device).run();
  set_types(out, device.type());
  if (!device.is_quantized()) return out;
  if (!ranges) {
    std::vector<std::int64_t> ends;
    for (const home& h : out.homes)
      if (h.what == home::kind::input) ends.push_back(h.end);
    ranges.emplace(p, options, ends, device.name());
  }
  quantize(out, device, *ranges, by_tensor);
  return out;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
