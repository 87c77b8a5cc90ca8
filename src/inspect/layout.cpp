// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Layered layout. Each frame is laid out by itself, innermost first, and is one block in the frame
// around it; an arrow that crosses a frame's border passes a port there. Within a frame: ranks by the
// longest path, placeholders where an arrow crosses a rank, orders by barycentres, and then places by
// least squares under the order, which keeps long arrows straight.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "inspect/measure.hpp"
#include "tessera/inspect/picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

constexpr std::uint32_t none = picture::none;
constexpr double between_nodes = 16, around_label = 56, between_ranks = 30, frame_margin = 10,
                 page_margin = 12;
constexpr double passage_width = 6;  ///< the width of a place where an arrow crosses a rank
constexpr std::size_t most_passages = std::size_t{1} << 22;
constexpr int order_rounds = 8, place_rounds = 24;

enum class what : std::uint8_t { node, frame, passage, entry, exit };

struct vertex {
  what kind;
  std::uint32_t index;  ///< of a node, frame or edge
  double width, height;
  std::uint32_t rank = 0;
  double x = 0;  ///< of the middle
};

/// An arrow within one frame. Where an end is a frame, its port is so far from the frame's middle.
struct link {
  std::uint32_t from, to;  ///< vertices
  std::uint32_t edge;
  double from_port, to_port;
  bool is_reversed = false;
};

/// A link, or a part of one, between two neighbouring ranks.
struct step {
  std::uint32_t from, to;
  double from_port, to_port;
};

/// Least squares under an order: places as near as possible to `wanted`, at least `apart` from each
/// other, by pooling neighbours that want to pass each other.
class placement {
 public:
  void add(double wanted, double weight, double apart) {
    offset_ += apart;
    offsets_.push_back(offset_);
    pools_.push_back({(wanted - offset_) * weight, weight, 1});
    while (pools_.size() > 1) {
      const pool last = pools_.back();
      pool& before = pools_[pools_.size() - 2];
      if (before.sum / before.weight <= last.sum / last.weight) break;
      before.sum += last.sum;
      before.weight += last.weight;
      before.count += last.count;
      pools_.pop_back();
    }
  }
  template <class Take>
  void finish(const Take& take) {
    std::size_t i = 0;
    for (const pool& p : pools_)
      for (std::size_t k = 0; k < p.count; ++k, ++i) take(i, p.sum / p.weight + offsets_[i]);
    pools_.clear();
    offsets_.clear();
    offset_ = 0;
  }

 private:
  struct pool {
    double sum, weight;
    std::size_t count;
  };
  std::vector<pool> pools_;
  std::vector<double> offsets_;
  double offset_ = 0;
};

/// The layout of one frame's content, with its left top corner at the origin.
class level {
 public:
  std::vector<vertex> vertices;
  std::vector<link> links;
  /// Neighbours that an arrow with a label joins sideways.
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  double width = 0, height = 0;

  std::uint32_t add(what kind, std::uint32_t index, double w, double h) {
    vertices.push_back({kind, index, w, h});
    return static_cast<std::uint32_t>(vertices.size() - 1);
  }

  void run() {
    turn_cycles();
    set_ranks();
    split_links();
    order();
    place();
    set_tops();
  }

  [[nodiscard]] double top(const vertex& v) const noexcept {
    return tops_[v.rank] + (heights_[v.rank] - v.height) / 2;
  }

  /// The way of a link, from where it leaves its tail to where it meets its head.
  [[nodiscard]] std::vector<point> way(std::size_t l) const {
    std::vector<point> out;
    const std::vector<std::uint32_t>& through = chains_[l];
    for (std::size_t i = 0; i < through.size(); ++i) {
      const vertex& v = vertices[through[i]];
      double x = v.x;
      if (i == 0) x += links[l].from_port;
      if (i + 1 == through.size()) x += links[l].to_port + spread_[l];
      if (v.kind == what::entry) out.push_back({x, 0});
      if (v.kind == what::exit) {
        if (i != 0) out.push_back({x, tops_[v.rank]});
        out.push_back({x, height});
        continue;
      }
      // Through the whole height of a rank, so that no curve cuts a taller neighbour.
      const double above = tops_[v.rank], below = above + heights_[v.rank];
      const bool passes = v.kind == what::passage || v.kind == what::entry;
      if (i != 0) out.push_back({x, above});
      if (i != 0 && !passes && top(v) > above) out.push_back({x, top(v)});
      if (i == 0 && !passes && top(v) + v.height < below) out.push_back({x, top(v) + v.height});
      if (i + 1 != through.size()) out.push_back({x, below});
    }
    return out;
  }

 private:
  /// Turns the links that close a cycle around.
  void turn_cycles() {
    std::vector<std::vector<std::uint32_t>> out(vertices.size());
    for (std::uint32_t l = 0; l < links.size(); ++l) out[links[l].from].push_back(l);
    enum : std::uint8_t { fresh, open, done };
    std::vector<std::uint8_t> state(vertices.size(), fresh);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    for (std::uint32_t start = 0; start < vertices.size(); ++start) {
      if (state[start] != fresh) continue;
      state[start] = open;
      stack.assign(1, {start, 0});
      while (!stack.empty()) {
        auto& [v, next] = stack.back();
        if (next == out[v].size()) {
          state[v] = done;
          stack.pop_back();
          continue;
        }
        link& l = links[out[v][next++]];
        if (state[l.to] == open) {
          l.is_reversed = true;
        } else if (state[l.to] == fresh) {
          state[l.to] = open;
          stack.emplace_back(l.to, 0);
        }
      }
    }
    for (link& l : links)
      if (l.is_reversed) {
        std::swap(l.from, l.to);
        std::swap(l.from_port, l.to_port);
      }
  }

  void set_ranks() {
    std::vector<std::vector<std::uint32_t>> after(vertices.size());
    std::vector<std::uint32_t> waits(vertices.size(), 0), ready, sorted;
    for (const link& l : links) {
      if (l.from == l.to) continue;
      after[l.from].push_back(l.to);
      ++waits[l.to];
    }
    for (std::uint32_t v = 0; v < vertices.size(); ++v)
      if (waits[v] == 0) ready.push_back(v);
    const std::vector<std::uint32_t> sources = ready;
    ranks_ = 1;
    while (!ready.empty()) {
      const std::uint32_t v = ready.back();
      ready.pop_back();
      sorted.push_back(v);
      ranks_ = std::max(ranks_, vertices[v].rank + 1);
      for (const std::uint32_t to : after[v]) {
        vertices[to].rank = std::max(vertices[to].rank, vertices[v].rank + 1);
        if (--waits[to] == 0) ready.push_back(to);
      }
    }
    // What depends on nothing, such as a parameter, is placed just above its first user.
    for (const std::uint32_t v : sources) {
      if (after[v].empty() || vertices[v].kind == what::entry) continue;
      std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
      for (const std::uint32_t to : after[v]) first = std::min(first, vertices[to].rank);
      vertices[v].rank = first - 1;
    }
    for (vertex& v : vertices)
      if (v.kind == what::exit) v.rank = ranks_ - 1;
  }

  /// Puts a passage into every rank that a link crosses, while there is room for that.
  void split_links() {
    chains_.resize(links.size());
    for (std::uint32_t l = 0; l < links.size(); ++l) {
      const link from = links[l];
      chains_[l].push_back(from.from);
      const std::uint32_t last = vertices[from.to].rank;
      for (std::uint32_t r = vertices[from.from].rank + 1; r < last; ++r) {
        if (vertices.size() >= most_passages) break;
        chains_[l].push_back(add(what::passage, from.edge, passage_width, 0));
        vertices.back().rank = r;
      }
      chains_[l].push_back(from.to);
    }
    rows_.resize(ranks_);
    for (std::uint32_t v = 0; v < vertices.size(); ++v) rows_[vertices[v].rank].push_back(v);
    up_.resize(vertices.size());
    down_.resize(vertices.size());
    for (std::size_t l = 0; l < links.size(); ++l)
      for (std::size_t i = 0; i + 1 < chains_[l].size(); ++i) {
        const std::uint32_t a = chains_[l][i], b = chains_[l][i + 1];
        if (vertices[b].rank != vertices[a].rank + 1) continue;
        const step s{a, b, i == 0 ? links[l].from_port : 0,
                     i + 2 == chains_[l].size() ? links[l].to_port : 0};
        down_[a].push_back(s);
        up_[b].push_back(s);
      }
    position_.resize(vertices.size());
  }

  void renumber(std::uint32_t rank) {
    for (std::uint32_t i = 0; i < rows_[rank].size(); ++i) position_[rows_[rank][i]] = i;
  }

  /// How many steps cross between a rank and the one above it.
  [[nodiscard]] std::uint64_t crossings(std::uint32_t rank) {
    tree_.assign(rows_[rank].size() + 1, 0);
    std::uint64_t all = 0, seen = 0;
    for (const std::uint32_t v : rows_[rank - 1]) {
      const auto count = [&](std::uint32_t place) {
        std::uint64_t n = 0;
        for (std::size_t i = place + 1; i != 0; i &= i - 1) n += tree_[i];
        return n;
      };
      for (const step& s : down_[v]) all += seen - count(position_[s.to]);
      for (const step& s : down_[v]) {
        for (std::size_t i = position_[s.to] + 1; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
        ++seen;
      }
    }
    return all;
  }
  [[nodiscard]] std::uint64_t crossings() {
    std::uint64_t n = 0;
    for (std::uint32_t r = 1; r < ranks_; ++r) n += crossings(r);
    return n;
  }

  void sort_row(std::uint32_t rank, bool by_up) {
    std::vector<std::pair<double, std::uint32_t>> row;
    for (const std::uint32_t v : rows_[rank]) {
      const std::vector<step>& near = by_up ? up_[v] : down_[v];
      double sum = 0;
      for (const step& s : near) sum += position_[by_up ? s.from : s.to];
      // Without neighbours it keeps its place, in proportion.
      const double other = static_cast<double>(rows_[by_up ? rank - 1 : rank + 1].size());
      const double own = static_cast<double>(rows_[rank].size());
      row.emplace_back(
          near.empty() ? position_[v] * other / own : sum / static_cast<double>(near.size()), v);
    }
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < row.size(); ++i) rows_[rank][i] = row[i].second;
    renumber(rank);
  }

  void order() {
    for (std::uint32_t r = 0; r < ranks_; ++r) renumber(r);
    std::vector<std::vector<std::uint32_t>> best = rows_;
    std::uint64_t fewest = crossings();
    for (int i = 0; i < order_rounds && fewest != 0; ++i) {
      for (std::uint32_t r = 1; r < ranks_; ++r) sort_row(r, true);
      for (std::uint32_t r = ranks_ - 1; r-- > 0;) sort_row(r, false);
      const std::uint64_t now = crossings();
      if (now >= fewest && i > 1) break;
      if (now < fewest) {
        fewest = now;
        best = rows_;
      }
    }
    rows_ = std::move(best);
    for (std::uint32_t r = 0; r < ranks_; ++r) renumber(r);
  }

  void place_row(std::uint32_t rank, bool by_up, bool by_down) {
    const std::vector<std::uint32_t>& row = rows_[rank];
    double before = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const vertex& v = vertices[row[i]];
      double sum = v.x * 0.01, weight = 0.01;
      const auto pull = [&](const vertex& other, double at) {
        const int ends = (v.kind == what::passage) + (other.kind == what::passage);
        const double w = ends == 2 ? 8 : ends == 1 ? 2 : 1;
        sum += at * w;
        weight += w;
      };
      if (by_up)
        for (const step& s : up_[row[i]])
          pull(vertices[s.from], vertices[s.from].x + s.from_port - s.to_port);
      if (by_down)
        for (const step& s : down_[row[i]])
          pull(vertices[s.to], vertices[s.to].x + s.to_port - s.from_port);
      const double half = v.width / 2;
      placement_.add(sum / weight, weight, i == 0 ? 0 : before + gap(row[i - 1], row[i]) + half);
      before = half;
    }
    placement_.finish([&](std::size_t i, double x) { vertices[row[i]].x = x; });
  }

  [[nodiscard]] double gap(std::uint32_t a, std::uint32_t b) const {
    return joined.count({a, b}) != 0 || joined.count({b, a}) != 0 ? around_label : between_nodes;
  }

  void place() {
    for (const std::vector<std::uint32_t>& row : rows_) {
      double x = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i != 0) x += gap(row[i - 1], row[i]);
        vertices[row[i]].x = x + vertices[row[i]].width / 2;
        x += vertices[row[i]].width;
      }
    }
    for (int i = 0; i < place_rounds; ++i) {
      const bool last = i + 1 == place_rounds;
      for (std::uint32_t r = 1; r < ranks_; ++r) place_row(r, true, last);
      for (std::uint32_t r = ranks_ - 1; r-- > 0;) place_row(r, last, true);
    }
    double left = std::numeric_limits<double>::max();
    for (const vertex& v : vertices) left = std::min(left, v.x - v.width / 2);
    for (vertex& v : vertices) {
      v.x -= left;
      width = std::max(width, v.x + v.width / 2);
    }
    spread_heads();
  }

  /// Arrows that meet a node come side by side, in the order of where they come from.
  void spread_heads() {
    spread_.assign(links.size(), 0);
    std::vector<std::vector<std::uint32_t>> heads(vertices.size());
    for (std::uint32_t l = 0; l < links.size(); ++l)
      if (vertices[links[l].to].kind == what::node) heads[links[l].to].push_back(l);
    for (std::uint32_t v = 0; v < heads.size(); ++v) {
      std::vector<std::uint32_t>& of = heads[v];
      const auto from = [&](std::uint32_t l) {
        return vertices[chains_[l][chains_[l].size() - 2]].x;
      };
      std::stable_sort(of.begin(), of.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return from(a) < from(b); });
      if (of.size() < 2) continue;
      const auto count = static_cast<double>(of.size());
      const double apart = std::min(14.0, vertices[v].width * 0.7 / count);
      for (std::size_t i = 0; i < of.size(); ++i)
        spread_[of[i]] = (static_cast<double>(i) - (count - 1) / 2) * apart;
    }
  }

  void set_tops() {
    heights_.assign(ranks_, 0);
    for (const vertex& v : vertices) heights_[v.rank] = std::max(heights_[v.rank], v.height);
    tops_.assign(ranks_, 0);
    for (std::uint32_t r = 1; r < ranks_; ++r)
      tops_[r] = tops_[r - 1] + heights_[r - 1] + between_ranks;
    height = tops_.back() + heights_.back();
  }

  std::uint32_t ranks_ = 1;
  std::vector<std::vector<std::uint32_t>> rows_, chains_;
  std::vector<std::vector<step>> up_, down_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint64_t> tree_;
  std::vector<double> tops_, heights_, spread_;
  placement placement_;
};

class builder {
 public:
  explicit builder(const picture& p)
      : p_(p), levels_(p.frames.size() + 1), node_at_(p.nodes.size()), frame_at_(p.frames.size()) {
    out_.nodes.resize(p.nodes.size());
    out_.frames.resize(p.frames.size());
    out_.edges.resize(p.edges.size());
    ports_.resize(p.edges.size());
    sideways_.resize(levels_.size());
  }

  [[nodiscard]] layout run() {
    std::vector<std::vector<std::uint32_t>> nodes(levels_.size());
    for (std::uint32_t n = 0; n < p_.nodes.size(); ++n)
      nodes[level_of(p_.nodes[n].frame)].push_back(n);
    std::vector<std::vector<std::uint32_t>> frames(levels_.size());
    for (std::uint32_t f = 0; f < p_.frames.size(); ++f)
      frames[level_of(p_.frames[f].parent)].push_back(f);
    const std::vector<std::vector<std::uint32_t>> crossed = edges_of_levels();
    // Frames come after those around them.
    for (std::size_t f = levels_.size(); f-- > 0;) {
      level& l = levels_[f];
      for (const std::uint32_t n : nodes[f]) {
        const extent size = measure(p_.nodes[n]);
        node_at_[n] = l.add(what::node, n, size.width, size.height);
      }
      for (const std::uint32_t inner : frames[f]) {
        const level& i = levels_[inner + 1];
        const double label = width_of(p_.frames[inner].label, 11, false);
        frame_at_[inner] = l.add(what::frame, inner, std::max(i.width, label) + 2 * frame_margin,
                                 i.height + 2 * frame_margin + label_height);
      }
      for (const std::uint32_t e : crossed[f]) add_link(l, e, static_cast<std::uint32_t>(f));
      for (const std::uint32_t e : sideways_[f])
        l.joined.emplace(node_at_[p_.edges[e].from], node_at_[p_.edges[e].to]);
      l.run();
      note_ports(l, f);
    }
    out_.width = levels_[0].width + 2 * page_margin;
    out_.height = levels_[0].height + 2 * page_margin;
    put(0, page_margin, page_margin);
    for (std::uint32_t e = 0; e < p_.edges.size(); ++e) join(e);
    return std::move(out_);
  }

 private:
  static constexpr double label_height = 16;
  /// The middle of a crossing of a frame's border, from the middle of the frame's content.
  struct port {
    std::uint32_t frame;
    double x;
  };
  [[nodiscard]] static std::uint32_t level_of(std::uint32_t frame) noexcept { return frame + 1; }
  [[nodiscard]] std::uint32_t parent(std::uint32_t f) const noexcept {
    return level_of(p_.frames[f - 1].parent);
  }
  /// The level whose child an edge leaves.
  [[nodiscard]] std::uint32_t tail_level(const picture::edge& e) const noexcept {
    return e.from_frame == none ? level_of(p_.nodes[e.from].frame) : parent(e.from_frame + 1);
  }

  /// The levels from one up to the root.
  [[nodiscard]] std::vector<std::uint32_t> chain(std::uint32_t f) const {
    std::vector<std::uint32_t> out{f};
    while (f != 0) out.push_back(f = parent(f));
    return out;
  }

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> edges_of_levels() {
    std::vector<std::vector<std::uint32_t>> of(levels_.size());
    common_.assign(p_.edges.size(), none);
    for (std::uint32_t e = 0; e < p_.edges.size(); ++e) {
      const picture::edge& edge = p_.edges[e];
      const std::uint32_t frame = p_.nodes[edge.from].frame;
      if (!edge.orders && !edge.label.empty() && frame == p_.nodes[edge.to].frame)
        sideways_[level_of(frame)].push_back(e);
      if (!edge.orders || edge.from == edge.to) continue;
      std::vector<std::uint32_t> a = chain(tail_level(edge));
      std::vector<std::uint32_t> b = chain(level_of(p_.nodes[edge.to].frame));
      while (a.size() > 1 && b.size() > 1 && a[a.size() - 2] == b[b.size() - 2]) {
        a.pop_back();
        b.pop_back();
      }
      common_[e] = a.back();
      for (const std::uint32_t f : a) of[f].push_back(e);
      b.pop_back();
      for (const std::uint32_t f : b) of[f].push_back(e);
    }
    return of;
  }

  /// The vertex of a level that holds a node or a frame, and the port of the edge in it.
  struct end {
    std::uint32_t vertex;
    double port;
  };
  [[nodiscard]] end end_in(std::uint32_t f, std::uint32_t e, std::uint32_t node,
                           std::uint32_t whole) const {
    std::uint32_t at = whole == none ? level_of(p_.nodes[node].frame) : whole + 1;
    if (whole == none && at == f) return {node_at_[node], 0};
    if (whole != none && parent(at) == f) return {frame_at_[whole], 0};
    while (parent(at) != f) at = parent(at);
    for (const port& p : ports_[e])
      if (p.frame == at - 1) return {frame_at_[p.frame], p.x};
    return {frame_at_[at - 1], 0};
  }
  [[nodiscard]] bool is_below(std::uint32_t inner, std::uint32_t f) const noexcept {
    while (inner != f && inner != 0) inner = parent(inner);
    return inner == f;
  }

  void add_link(level& l, std::uint32_t e, std::uint32_t f) {
    const picture::edge& edge = p_.edges[e];
    end from{}, to{};
    const bool leaves = f != common_[e] && is_below(tail_level(edge), f);
    if (f == common_[e] || leaves)
      from = end_in(f, e, edge.from, edge.from_frame);
    else
      from = {l.add(what::entry, e, passage_width, 0), 0};
    if (leaves)
      to = {l.add(what::exit, e, passage_width, 0), 0};
    else
      to = end_in(f, e, edge.to, none);
    l.links.push_back({from.vertex, to.vertex, e, from.port, to.port});
  }

  void note_ports(const level& l, std::size_t f) {
    if (f == 0) return;
    for (const vertex& v : l.vertices)
      if (v.kind == what::entry || v.kind == what::exit)
        ports_[v.index].push_back({static_cast<std::uint32_t>(f - 1), v.x - l.width / 2});
  }

  /// Moves a level's content to its place on the page, and that of the frames inside.
  void put(std::uint32_t f, double left, double top) {
    const level& l = levels_[f];
    for (const vertex& v : l.vertices) {
      const box b{left + v.x - v.width / 2, top + l.top(v), v.width, v.height};
      if (v.kind == what::node) out_.nodes[v.index] = b;
      if (v.kind != what::frame) continue;
      out_.frames[v.index] = b;
      const level& inner = levels_[v.index + 1];
      put(v.index + 1, b.left + (b.width - inner.width) / 2, b.top + frame_margin + label_height);
    }
    for (std::size_t i = 0; i < l.links.size(); ++i) {
      std::vector<point> way = l.way(i);
      for (point& at : way) at = {at.x + left, at.y + top};
      if (l.links[i].is_reversed) std::reverse(way.begin(), way.end());
      pieces_.push_back({f, l.links[i].edge, std::move(way)});
    }
  }

  void join(std::uint32_t e) {
    const picture::edge& edge = p_.edges[e];
    std::vector<point>& way = out_.edges[e];
    if (common_[e] == none) {
      const box& a = edge.from_frame == none ? out_.nodes[edge.from] : out_.frames[edge.from_frame];
      way = direct(a, out_.nodes[edge.to]);
      return;
    }
    if (!sorted_) sort_pieces();
    // From inside out to the common frame, then from there to the inside.
    std::vector<const part*> of;
    for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) of.push_back(&pieces_[i]);
    const auto place = [&](const part* p) {
      const std::size_t depth = chain(p->level).size();
      const bool leaves = p->level != common_[e] && is_below(tail_level(edge), p->level);
      return leaves ? -static_cast<std::ptrdiff_t>(depth) : static_cast<std::ptrdiff_t>(depth);
    };
    std::sort(of.begin(), of.end(),
              [&](const part* a, const part* b) { return place(a) < place(b); });
    for (const part* p : of) way.insert(way.end(), p->way.begin(), p->way.end());
  }

  /// A straight line between the borders of two boxes.
  [[nodiscard]] static std::vector<point> direct(const box& a, const box& b) {
    const auto border = [](const box& from, const box& to) {
      const point p{from.left + from.width / 2, from.top + from.height / 2};
      const double dx = to.left + to.width / 2 - p.x, dy = to.top + to.height / 2 - p.y;
      const double across = std::abs(dx) > 0 ? from.width / 2 / std::abs(dx) : 1;
      const double along = std::abs(dy) > 0 ? from.height / 2 / std::abs(dy) : 1;
      const double part = std::min({across, along, 1.0});
      return point{p.x + dx * part, p.y + dy * part};
    };
    return {border(a, b), border(b, a)};
  }

  struct part {
    std::uint32_t level;
    std::uint32_t edge;
    std::vector<point> way;
  };
  void sort_pieces() {
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [](const part& a, const part& b) { return a.edge < b.edge; });
    first_.assign(p_.edges.size() + 1, 0);
    for (const part& p : pieces_) ++first_[p.edge + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    sorted_ = true;
  }

  const picture& p_;
  layout out_;
  std::vector<level> levels_;                      // the page, then the frames
  std::vector<std::uint32_t> node_at_, frame_at_;  // vertices in their levels
  std::vector<std::uint32_t> common_;  // the innermost level that has both ends of an edge
  std::vector<std::vector<std::uint32_t>> sideways_;  // labelled edges that order nothing, by level
  std::vector<std::vector<port>> ports_;              // of edges
  std::vector<part> pieces_;
  std::vector<std::size_t> first_;
  bool sorted_ = false;
};

}  // namespace

layout lay_out(const picture& p) { return builder(p).run(); }

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
