// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/verify.hpp.

#ifndef TESSERA_ARK_DETAIL_VERIFY_HPP
#define TESSERA_ARK_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/pool.hpp"
#include "../model.hpp"
#include "../verify.hpp"
#include "hazards.hpp"
#include "rules_graph.hpp"
#include "rules_op.hpp"
#include "rules_structure.hpp"
#include "rules_tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE result<program> verify(model g, const verify_options& options, report* found,
                                      std::string_view source) {
  const model* const only = &g;
  detail::findings findings({&only, 1}, {&source, 1}, options, found);
  if (!detail::indices_hold(g)) {
    findings.add(errc::ark_pool_index, severity::error, detail::at_root());
    return findings.error();
  }
  detail::context c(g, options, findings);
  detail::structure_rules(c);
  detail::graph_rules edges(c);
  edges.run();
  detail::tensor_rules(c).run();
  detail::op_rules(c).run();
  if (options.hazards && !detail::hazards(c, edges).run() && found != nullptr)
    found->hazards_bounded = true;
  findings.finish();
  if (findings.failed()) return findings.error();

  program p;
  p.storages_ = c.buffers.firsts();
  p.bytes_.resize(g.buffers.size());
  for (const tensor& t : g.tensors) {
    const std::uint64_t bytes = detail::bytes_of(g.layouts[t.layout], t.type);
    std::uint64_t& most = p.bytes_[p.storages_[t.buffer]];
    if (bytes > most) most = bytes;
  }
  p.model_ = std::move(g);
  return p;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_VERIFY_HPP
