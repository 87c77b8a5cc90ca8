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

#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/report.hpp"
#include "../model.hpp"
#include "../verify.hpp"
#include "findings.hpp"
#include "hazards.hpp"
#include "rules_graph.hpp"
#include "rules_op.hpp"
#include "rules_structure.hpp"
#include "rules_tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE rule::rule(errc code) noexcept {
  const std::string_view name = error{code}.name();
  if (code == errc::json_duplicate_key) {
    set("S11");
  } else if (code == errc::json_expected_integer || code == errc::json_integer_range) {
    set("S13");
  } else if (name.size() > 8 && name.substr(0, 4) == "ark_" && name[7] == '_' && name[5] >= '0' &&
             name[5] <= '9') {
    const char id[] = {static_cast<char>(name[4] - 'a' + 'A'), name[5], name[6]};
    set({id, 3});
  }
}

TESSERA_INLINE result<program> verify(model m, const verify_options& options, report* found) {
  const model* const only = &m;
  detail::findings findings({&only, 1}, {&options.source, 1}, options.max_diagnostics, found);
  if (!detail::indices_hold(m)) {
    findings.add(errc::ark_pool_index, severity::error, detail::at_root());
    findings.finish();
    return findings.error();
  }
  detail::context c(m, options, findings);
  detail::structure_rules(c);
  detail::graph_rules edges(c);
  edges.run();
  detail::tensor_rules(c).run();
  detail::op_rules(c).run();
  if (options.hazards && !detail::hazards(c, edges).run() && found != nullptr)
    found->is_bounded = true;
  findings.finish();
  if (findings.failed()) return findings.error();

  program p;
  p.storages_ = c.buffers.firsts();
  p.bytes_.resize(m.buffers.size());
  for (const tensor& t : m.tensors) {
    const std::uint64_t bytes = detail::bytes_of(m.layouts[t.layout], t.type);
    std::uint64_t& max = p.bytes_[p.storages_[t.buffer]];
    if (bytes > max) max = bytes;
  }
  p.model_ = std::move(m);
  return p;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_VERIFY_HPP
