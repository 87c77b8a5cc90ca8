// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "columns.hpp"
#include "inspect/label.hpp"
#include "tessera/core/shortest.hpp"
#include "tree.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

struct branch {
  std::uint32_t to = 0;
  double length = 0;
};

/// A tree with a root: parents, children and places, all by node.
class rooted {
 public:
  std::uint32_t root = none;
  std::vector<std::uint32_t> parent;
  std::vector<double> depth;         // from the root, along the branches
  std::vector<double> row;           // of leaves 0, 1, 2 …; of others amid their children
  std::vector<std::uint32_t> order;  // of nodes, parents first and subtree by subtree
  std::vector<double> top, bottom;   // rows of the outermost children
  double deepest = 0;

  explicit rooted(const tree& t) : leaves_(t.leaves) {
    const std::size_t nodes = leaves_ + t.inner.size();
    near_.resize(nodes);
    for (std::size_t i = 0; i < t.inner.size(); ++i)
      for (const tree::child& c : t.inner[i]) {
        near_[c.node].push_back({leaves_ + static_cast<std::uint32_t>(i), c.length});
        near_[leaves_ + i].push_back({c.node, c.length});
      }
    if (nodes == 0) return;
    root = static_cast<std::uint32_t>(nodes) - 1;
    to_the_middle();
    sort_children();
    walk(root);
    place();
  }

 private:
  /// Fills `order`, `parent` and `depth` from `start` on.
  void walk(std::uint32_t start) {
    parent.assign(near_.size(), none);
    depth.assign(near_.size(), 0);
    order.clear();
    open_.assign(1, start);
    while (!open_.empty()) {
      const std::uint32_t v = open_.back();
      open_.pop_back();
      order.push_back(v);
      for (std::size_t k = near_[v].size(); k-- > 0;) {
        const branch& b = near_[v][k];
        if (b.to == parent[v]) continue;
        parent[b.to] = v;
        depth[b.to] = depth[v] + b.length;
        open_.push_back(b.to);
      }
    }
  }
  [[nodiscard]] std::uint32_t farthest_leaf() const noexcept {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < leaves_; ++i)
      if (depth[i] > depth[best]) best = i;
    return best;
  }

  /// Takes the node in the middle of the longest path between leaves as root, or makes one there.
  void to_the_middle() {
    walk(0);
    const std::uint32_t one = farthest_leaf();
    walk(one);
    std::uint32_t below = farthest_leaf();
    const double middle = depth[below] / 2;
    if (!(middle > 0)) return;
    while (depth[parent[below]] > middle) below = parent[below];
    const std::uint32_t above = parent[below];
    if (depth[above] == middle) {
      root = above;
      return;
    }
    root = static_cast<std::uint32_t>(near_.size());
    const auto turn = [&](std::uint32_t v, std::uint32_t old, double length) {
      for (branch& b : near_[v])
        if (b.to == old) b = {root, length};
    };
    turn(above, below, middle - depth[above]);
    turn(below, above, depth[below] - middle);
    near_.push_back({{above, middle - depth[above]}, {below, depth[below] - middle}});
  }

  /// Children with fewer leaves come first, then those with the lower first leaf.
  void sort_children() {
    walk(root);
    std::vector<std::uint32_t> size(near_.size(), 0), first(near_.size(), none);
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t v = order[i], up = parent[v];
      if (v < leaves_) {
        size[v] += 1;
        first[v] = v;
      }
      if (up == none) continue;
      size[up] += size[v];
      first[up] = std::min(first[up], first[v]);
    }
    for (const std::uint32_t v : order)
      std::sort(near_[v].begin(), near_[v].end(), [&](const branch& a, const branch& b) {
        return size[a.to] != size[b.to] ? size[a.to] < size[b.to] : first[a.to] < first[b.to];
      });
  }

  void place() {
    row.assign(near_.size(), 0);
    top.assign(near_.size(), 0);
    bottom.assign(near_.size(), 0);
    std::vector<bool> seen(near_.size());
    double next = 0;
    for (const std::uint32_t v : order) {
      deepest = std::max(deepest, depth[v]);
      if (v < leaves_) row[v] = next++;
    }
    for (std::size_t i = order.size(); i-- > 0;) {  // the last child comes first
      const std::uint32_t v = order[i], up = parent[v];
      if (v >= leaves_) row[v] = (top[v] + bottom[v]) / 2;
      if (up == none) continue;
      if (!seen[up]) bottom[up] = row[v];
      seen[up] = true;
      top[up] = row[v];
    }
  }

  std::uint32_t leaves_;
  std::vector<std::vector<branch>> near_;
  std::vector<std::uint32_t> open_;
};

/// 1, 2 or 5 times a power of ten, at most `limit`.
[[nodiscard]] double round_number(double limit) noexcept {
  double power = 1;
  if (limit >= 1) {
    while (power * 10 <= limit) power *= 10;
    return power * 5 <= limit ? power * 5 : power * 2 <= limit ? power * 2 : power;
  }
  while (1 / power > limit) power *= 10;
  return 5 / power <= limit ? 5 / power : 2 / power <= limit ? 2 / power : 1 / power;
}

struct sizes {
  unsigned font, row, width;
};
[[nodiscard]] constexpr sizes sizes_of(std::uint32_t leaves) noexcept {
  return leaves <= 40 ? sizes{14, 24, 640} : leaves <= 160 ? sizes{11, 16, 800} : sizes{9, 12, 960};
}

/// About how wide a name is, in letters of 0.6 times the font's size.
[[nodiscard]] std::size_t letters(std::string_view name) noexcept {
  std::size_t n = 0, all = 0;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) == 0x80u) continue;
    if (all++ > inspect::longest_label) break;
    n += byte < 0xe0 ? 1 : 2;
  }
  return n;
}

/// Colours of groups, each as far from those before it as hues allow; they are readable on white and
/// on black.
class group_colours {
 public:
  [[nodiscard]] std::string of(const std::string& group) {
    const auto at = known_.try_emplace(group, static_cast<std::uint32_t>(known_.size())).first;
    const std::uint32_t hue = at->second * 1375 / 10 % 360;  // the golden angle
    constexpr std::uint32_t low = 0x40, high = 0xb0;
    const std::uint32_t sixth = hue / 60, part = hue % 60 * (high - low) / 60;
    const std::uint32_t up = low + part, down = high - part;
    const std::uint32_t rgb[6][3] = {{high, up, low},   {down, high, low}, {low, high, up},
                                     {low, down, high}, {up, low, high},   {high, low, down}};
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "#";
    for (const std::uint32_t c : rgb[sixth]) out.append({digits[c >> 4], digits[c & 15u]});
    return out;
  }

 private:
  std::map<std::string, std::uint32_t> known_;
};

[[nodiscard]] std::string label_of(std::string_view name) {
  const std::string s = inspect::escaped(name);
  return s.empty() ? " " : s;  // an empty label isn't one to Graphviz
}

constexpr double flat = 1e-12;  ///< a tree of less depth is drawn as one without any

}  // namespace

tree_plot plot(const tree& t) {
  const rooted r(t);
  tree_plot out;
  out.deepest = r.deepest > flat ? r.deepest : 0;
  if (out.deepest > 0) out.unit = round_number(out.deepest / 4);
  for (const std::uint32_t v : r.order) {
    if (v < t.leaves) out.ends.push_back({v, r.depth[v], r.row[v]});
    if (r.parent[v] != none)
      out.lines.push_back({r.depth[r.parent[v]], r.row[v], r.depth[v], r.row[v]});
    if (v >= t.leaves && r.top[v] < r.bottom[v])
      out.lines.push_back({r.depth[v], r.top[v], r.depth[v], r.bottom[v]});
  }
  return out;
}

text dot(const tree& t, std::span<const std::string> names) {
  double longest = 0;
  for (const auto& children : t.inner)
    for (const tree::child& c : children) longest = std::max(longest, c.length);
  text out;
  out << "graph tree {\n  graph [";
  if (!t.inner.empty()) out << "root=n" << t.leaves + t.inner.size() - 1 << ", ";
  out << "layout=twopi, ranksep=0.6, overlap=false, splines=line, outputorder=edgesfirst];\n"
         "  node [shape=point, width=0.05, color=\"#7a7a7a\", fontname=\"Helvetica\", "
         "fontsize=11];\n"
         "  edge [color=\"#7a7a7a\"];\n";
  for (std::uint32_t i = 0; i < t.leaves; ++i)
    out << "  n" << i << " [shape=box, style=\"filled,rounded\", color=\"#c8c8c8\", "
        << "fillcolor=\"#f4f4f4\", margin=\"0.06,0.03\", width=0, height=0, label=<"
        << label_of(names[i]) << ">];\n";
  for (std::size_t i = 0; i < t.inner.size(); ++i)
    for (const tree::child& c : t.inner[i]) {
      out << "  n" << t.leaves + i << " -- n" << c.node << " [len=";
      put_fixed(out, longest > flat ? 0.1 + 2 * c.length / longest : 1, 3);  // inches
      out << ", tooltip=\"";
      append_double(out, c.length, double_style::python);
      out << "\"];\n";
    }
  out << "}\n";
  return out;
}

text svg(const tree& t, std::span<const std::string> names, std::span<const std::string> groups) {
  const tree_plot r = plot(t);
  const sizes size = sizes_of(t.leaves);
  std::size_t longest = 0;
  for (std::uint32_t i = 0; i < t.leaves; ++i) longest = std::max(longest, letters(names[i]));
  const double margin = 24, gap = 6;
  const double font = size.font, step = size.row;
  const double width = r.deepest > 0 ? size.width : 0;
  const double scale = width > 0 ? width / r.deepest : 0;
  const double names_end = margin + width + gap + 0.6 * font * static_cast<double>(longest);
  const double all = std::max(names_end, margin + 200.0) + margin;
  const double rows_end = margin + step * static_cast<double>(t.leaves);
  const double high = rows_end + (width > 0 ? 44 : 0) + margin;
  const auto x = [&](double length) { return margin + length * scale; };
  const auto y = [&](double row) { return margin + (row + 0.5) * step; };

  text out;
  const auto put = [&](std::string_view before, double v) {
    out << before;
    put_fixed(out, v, 2);
  };
  put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", all);
  put("\" height=\"", high);
  put("\" viewBox=\"0 0 ", all);
  put(" ", high);
  out << "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"" << size.font << "\">\n"
      << "<title>Family tree of " << t.leaves << (t.leaves == 1 ? " graph" : " graphs")
      << "</title>\n"
         "<style>.page { fill: #ffffff } .branches { fill: none; stroke: #6b7280 } "
         ".names { fill: #1f2328 } .scale { fill: #6b7280 }\n"
         "@media (prefers-color-scheme: dark) { .page { fill: #16191d } .branches { stroke: "
         "#8b949e } .names { fill: #e6e8eb } .scale { fill: #8b949e } }</style>\n"
         "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n";
  if (!r.ends.empty()) {
    out << "<path class=\"branches\" stroke-width=\"" << (t.leaves <= 40 ? "1.5" : "1")
        << "\" stroke-linecap=\"square\" d=\"";
    for (const tree_plot::line& l : r.lines) {
      const bool is_branch = l.top == l.bottom;
      put("M", x(l.left));
      put(" ", y(l.top));
      put(is_branch ? "H" : "V", is_branch ? x(l.right) : y(l.bottom));
      out << '\n';
    }
    group_colours colours;
    out << "\"/>\n<g" << (groups.empty() ? " class=\"names\"" : "") << ">\n";
    for (const tree_plot::end& e : r.ends) {
      put("<text x=\"", x(e.length) + gap);
      put("\" y=\"", y(e.row) + 0.35 * font);  // the middle of small letters on the branch
      if (!groups.empty()) out << "\" fill=\"" << colours.of(groups[e.leaf]);
      out << "\">";
      if (!groups.empty()) out << "<title>" << inspect::escaped(groups[e.leaf]) << "</title>";
      out << inspect::escaped(names[e.leaf]) << "</text>\n";
    }
    out << "</g>\n";
  }
  if (width > 0) {
    const double unit = r.unit;
    const double line = rows_end + 24;
    put("<path class=\"branches\" stroke-width=\"1.5\" d=\"M", margin);
    put(" ", line - 4);
    put("V", line + 4);
    put("M", margin);
    put(" ", line);
    put("H", margin + unit * scale);
    put("M", margin + unit * scale);
    put(" ", line - 4);
    put("V", line + 4);
    put("\"/>\n<text class=\"scale\" x=\"", margin);
    put("\" y=\"", line + 8 + font);
    out << "\">";
    append_double(out, unit, double_style::python);
    out << "</text>\n";
  }
  out << "</svg>\n";
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
