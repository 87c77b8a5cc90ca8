// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "gene_code.hpp"

#include <algorithm>

#include "canonical.hpp"
#include "gene_text.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

void write_edges(json::writer& w, const std::vector<gene_edge>& edges, bool arguments) {
  w.key("edges").begin_array();
  bool gaps = false;
  for (const gene_edge& e : edges) {
    gaps = gaps || e.gap;
    if (e.gap) continue;
    w.begin_array().integer(e.from).integer(e.to);
    if (arguments) w.integer(e.input);
    w.end();
  }
  w.end();
  if (!gaps) return;
  w.key("gaps").begin_array();
  for (const gene_edge& e : edges)
    if (e.gap) w.begin_array().integer(e.from).integer(e.to).end();
  w.end();
}

}  // namespace

std::string gene_code(const vocabulary& names, const gene& g) {
  text out;
  json::writer w(out);
  w.begin_object().key("labels").begin_array();
  for (const std::uint32_t l : g.labels) w.string(names.operations()[l]);
  w.end();
  write_edges(w, g.edges, true);
  w.end();
  return std::string(out.view());
}

std::string skeleton_code(const gene& g) {
  std::vector<gene_edge> edges = g.edges;
  for (gene_edge& e : edges) e.input = 0;
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (g.form != gene_form::contiguous && g.labels.size() <= max_canonical_nodes)
    edges = canonicalise(std::vector<std::uint32_t>(g.labels.size()), edges).edges;
  text out;
  json::writer w(out);
  w.begin_object().key("form").string(form_name(g.form)).key("nodes").integer(g.labels.size());
  write_edges(w, edges, false);
  w.end();
  return std::string(out.view());
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
