// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Proves that a graph can run: the rules S, G, T, B, O and C.
//
//   ark::report found;
//   auto program = ark::verify(std::move(*graph), {}, &found, source);
//   if (!program) …                       // `found` says why; program.err() is the first error
//
// Lifetime:   a program owns its graph.
// Errors:     that of the first diagnostic that is an error.
// Limits:     verify_options.
// Allocation: linear in the graph.

#ifndef TESSERA_ARK_VERIFY_HPP
#define TESSERA_ARK_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "diagnostic.hpp"
#include "findings.hpp"
#include "format.hpp"
#include "graph.hpp"
#include "index.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

class program;
[[nodiscard]] result<program> verify(graph g, const verify_options& options = {},
                                     report* found = nullptr, std::string_view source = {});

/// A graph that was proven. Only verify() makes one.
class program {
 public:
  [[nodiscard]] const ark::graph& graph() const& noexcept { return graph_; }
  const ark::graph& graph() const&& = delete;
  /// Gives the graph back.
  [[nodiscard]] ark::graph release() && noexcept { return std::move(graph_); }

  /// Entries of graph().buffers that have one Id share their memory: the first of them.
  [[nodiscard]] std::uint32_t storage(std::uint32_t buffer) const noexcept {
    return storages_[buffer];
  }
  /// Bytes of the memory of a storage: what its largest tensor needs (specification, "Buffer").
  [[nodiscard]] std::uint64_t bytes(std::uint32_t storage) const noexcept {
    return bytes_[storage];
  }

 private:
  friend result<program> verify(ark::graph g, const verify_options& options, report* found,
                                std::string_view source);
  program() = default;

  ark::graph graph_;
  pool<std::uint32_t> storages_;  // of each buffer
  pool<std::uint64_t> bytes_;     // of each buffer; 0 where another is the storage
};

inline result<program> verify(graph g, const verify_options&, report*, std::string_view) {
  program p;
  const detail::id_index buffers(g.buffers.data(), g.buffers.size());
  p.storages_ = buffers.firsts();
  p.bytes_.resize(g.buffers.size());
  for (const tensor& t : g.tensors) {
    std::uint64_t bytes = info(t.type).bytes;
    for (const std::int64_t d : g.layouts[t.layout].strides) bytes *= static_cast<std::uint64_t>(d);
    std::uint64_t& most = p.bytes_[p.storages_[t.buffer]];
    if (bytes > most) most = bytes;
  }
  p.graph_ = std::move(g);
  return p;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_VERIFY_HPP
