// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "dataflow_order.hpp"

#include <algorithm>

#include "dataflow.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 31) * 0x94d049bb133111ebu;
  return h ^ h >> 29;
}

}  // namespace

std::vector<std::uint32_t> dataflow_order(const corpus::graph& of, const operation_labels& labels) {
  const std::vector<operation_edge> edges = operation_edges(of, labels);
  // Edges are kept at their consumers, so that one way through them goes with the data, and the
  // other against it. Sums, because their terms come in no order that means anything.
  std::vector<std::uint64_t> before(of.size()), after(of.size()), colours(of.size());
  std::vector<std::uint32_t> depths(of.size(), 0), first_edge(of.size() + std::size_t{1}, 0);
  for (const operation_edge& e : edges) ++first_edge[e.to + 1];
  for (std::size_t i = 0; i < of.size(); ++i) first_edge[i + 1] += first_edge[i];
  for (std::uint32_t i = 0; i < of.size(); ++i)
    if (const std::uint32_t label = labels.of_kind(of.kinds[i]); label != operation_labels::none)
      colours[i] = labels.name_hash(label);
  for (int round = 0; round < 2; ++round) {
    before = after = colours;
    for (std::uint32_t i = 0; i < of.size(); ++i) {
      for (std::uint32_t k = first_edge[i]; k < first_edge[i + 1]; ++k) {
        const operation_edge& e = edges[k];
        before[i] += mix(before[e.from], e.argument);
        depths[i] = std::max(depths[i], depths[e.from] + 1);
      }
      before[i] = mix(before[i], 1);
    }
    for (std::uint32_t i = of.size(); i-- > 0;) {
      after[i] = mix(after[i], 2);
      for (std::uint32_t k = first_edge[i]; k < first_edge[i + 1]; ++k) {
        const operation_edge& e = edges[k];
        after[e.from] += mix(after[i], e.argument);
      }
    }
    for (std::size_t i = 0; i < of.size(); ++i) colours[i] = mix(before[i], after[i]);
  }

  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < of.size(); ++i)
    if (labels.of_kind(of.kinds[i]) != operation_labels::none) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return depths[a] != depths[b] ? depths[a] < depths[b] : colours[a] < colours[b];
  });
  std::vector<std::uint32_t> places(of.size());
  std::vector<std::uint64_t> givers(edges.size());  // argument and place
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    const auto at = [&](std::uint32_t k) {
      return givers.begin() + static_cast<std::ptrdiff_t>(first_edge[k]);
    };
    return std::lexicographical_compare(at(a), at(a + 1), at(b), at(b + 1));
  };
  for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
    const auto alike = [&](std::uint32_t a, std::uint32_t b) {
      return depths[a] == depths[b] && colours[a] == colours[b];
    };
    for (end = i + 1; end < order.size() && alike(order[i], order[end]);) ++end;
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(end);
    if (end - i > 1) {
      for (auto n = first; n != last; ++n) {
        const auto begin = givers.begin() + static_cast<std::ptrdiff_t>(first_edge[*n]);
        for (std::uint32_t k = first_edge[*n]; k < first_edge[*n + 1]; ++k)
          givers[k] = std::uint64_t{edges[k].argument} << 32 | places[edges[k].from];
        std::sort(begin, givers.begin() + static_cast<std::ptrdiff_t>(first_edge[*n + 1]));
      }
      std::stable_sort(first, last, less);
    }
    for (auto n = first; n != last; ++n) places[*n] = static_cast<std::uint32_t>(n - order.begin());
  }
  return order;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
