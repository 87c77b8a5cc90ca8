// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "inspect/label.hpp"
#include "inspect/measure.hpp"
#include "inspect/page_assets.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

/// A tenth of a point is as fine as anybody sees.
[[nodiscard]] double rounded(double v) noexcept { return std::round(v * 10) / 10; }

/// How a node and a line of it look: many look the same.
struct node_style {
  shape form;
  std::string_view fill, border;
  stroke outline;
  bool is_thick;

  node_style(const picture::node& n)
      : form(n.form), fill(n.fill), border(n.border), outline(n.outline), is_thick(n.is_thick) {}
  friend bool operator==(const node_style&, const node_style&) = default;
};
struct font {
  unsigned size;
  bool is_bold;
  std::string_view colour;
  friend bool operator==(const font&, const font&) = default;
};
template <class T>
struct numbered {
  std::vector<T> all;
  [[nodiscard]] std::size_t of(const T& v) {
    const auto at = std::find(all.begin(), all.end(), v);
    if (at != all.end()) return static_cast<std::size_t>(at - all.begin());
    all.push_back(v);
    return all.size() - 1;
  }
};

class data_writer {
 public:
  explicit data_writer(text& out) : w_(out) {}

  void write(const page& p) {
    w_.begin_object();
    string("title", p.title);
    w_.key("facts");
    rows(p.facts);
    w_.key("graphs").begin_array();
    for (const page::graph& g : p.graphs) graph(g);
    w_.end().key("roots").begin_array();
    for (const std::uint32_t r : p.roots) w_.integer(r);
    w_.end();
    w_.key("styles").begin_array();
    for (const node_style& n : styles_.all) style(n);
    w_.end().key("fonts").begin_array();
    for (const font& f : fonts_.all)
      w_.begin_array().integer(f.size).boolean(f.is_bold).string(f.colour).end();
    w_.end().key("trace");
    if (p.trace.view().empty())
      w_.null();
    else
      w_.raw(p.trace.view());
    string("traceNote", p.trace_note);
    string("textTitle", p.text_title);
    string("text", p.listing);
    w_.key("marks").begin_array();
    for (const page::mark& m : p.marks) mark(m);
    w_.end();
    w_.key("weights").begin_array();
    for (const weight_summary& s : p.weights) weight(s);
    w_.end();
    if (!p.members.empty()) corpus(p);
    w_.end();
  }

 private:
  void string(std::string_view key, std::string_view value) { w_.key(key).string(as_utf8(value)); }
  void number(double v) { w_.number(rounded(v)); }
  /// [key, value], or the value where the key is its number.
  void rows(const std::vector<page::row>& all) {
    w_.begin_array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].key == std::to_string(i + 1))
        w_.string(as_utf8(all[i].value));
      else
        w_.begin_array().string(as_utf8(all[i].key)).string(as_utf8(all[i].value)).end();
    }
    w_.end();
  }

  void graph(const page::graph& g) {
    const layout at = lay_out(g.drawn);
    w_.begin_object();
    string("name", g.name);
    w_.key("width");
    number(at.width);
    w_.key("height");
    number(at.height);
    w_.key("nodes").begin_array();
    for (std::size_t n = 0; n < g.drawn.nodes.size(); ++n)
      node(g.drawn.nodes[n], at.nodes[n], g.nodes[n]);
    w_.end().key("edges").begin_array();
    for (std::size_t e = 0; e < g.drawn.edges.size(); ++e) edge(g.drawn.edges[e], at.edges[e]);
    w_.end().key("frames").begin_array();
    for (std::size_t f = 0; f < g.drawn.frames.size(); ++f) {
      w_.begin_object().key("at");
      place(at.frames[f]);
      string("label", g.drawn.frames[f].label);
      string("colour", g.drawn.frames[f].colour);
      w_.end();
    }
    w_.end().end();
  }

  void style(const node_style& n) {
    constexpr std::string_view forms[] = {"box", "ellipse", "words"};
    w_.begin_object().key("form").string(forms[static_cast<std::size_t>(n.form)]);
    w_.key("fill").string(n.fill).key("border").string(n.border);
    if (n.outline != stroke::solid) w_.key("dash").integer(static_cast<int>(n.outline));
    if (n.is_thick) w_.key("thick").boolean(true);
    w_.end();
  }

  void place(const box& b) {
    w_.begin_array();
    for (const double v : {b.left, b.top, b.width, b.height}) number(v);
    w_.end();
  }

  /// [id, style, [left, top, width, height], [line, font, …]], and what else there is.
  void node(const picture::node& n, const box& b, const page::node& more) {
    w_.begin_array().string(as_utf8(n.id)).integer(styles_.of(n));
    place(b);
    w_.begin_array();
    for (std::size_t i = 0; i < n.lines.size(); ++i)
      w_.string(as_utf8(shortened(n.lines[i].text)))
          .integer(fonts_.of({font_of(n, i), n.lines[i].is_bold, n.lines[i].colour}));
    w_.end().begin_object();
    if (!n.tooltip.empty() && n.tooltip != n.id) string("tip", n.tooltip);
    if (!more.rows.empty()) {
      w_.key("rows");
      rows(more.rows);
    }
    if (more.line != page::none) w_.key("line").integer(more.line);
    if (more.inner != page::none) w_.key("inner").integer(more.inner);
    for (const auto& [key, all] : {std::pair("weights", &more.weights), {"genes", &more.genes}}) {
      if (all->empty()) continue;
      w_.key(key).begin_array();
      for (const std::uint32_t i : *all) w_.integer(i);
      w_.end();
    }
    w_.end().end();
  }
  /// As many characters as layout has made room for.
  [[nodiscard]] static std::string shortened(std::string_view s) {
    std::size_t letters = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      if ((static_cast<unsigned char>(s[i]) & 0xc0u) != 0x80u && ++letters > longest_label)
        return std::string(s.substr(0, i)) + "\xE2\x80\xA6";
    return std::string(s);
  }

  /// [from, to, [x, y, …]], and how it is drawn where that isn't plain: a label, or an object. Points are
  /// counted from the one before, which takes fewer characters.
  void edge(const picture::edge& e, const std::vector<point>& way) {
    w_.begin_array().integer(e.from).integer(e.to).begin_array();
    std::int64_t x = 0, y = 0;
    for (std::size_t i = 0; i < way.size(); ++i) {
      const bool is_on_line =
          i > 0 && i + 1 < way.size() && way[i - 1].x == way[i].x && way[i].x == way[i + 1].x;
      if (is_on_line) continue;
      const std::int64_t from_x = std::exchange(x, std::llround(way[i].x));
      const std::int64_t from_y = std::exchange(y, std::llround(way[i].y));
      w_.integer(x - from_x).integer(y - from_y);
    }
    w_.end();
    const picture::edge plain;
    const bool is_plain = e.colour == plain.colour && e.style == plain.style && !e.is_thin &&
                          e.orders && e.tooltip.empty();
    if (is_plain && !e.label.empty()) w_.string(as_utf8(e.label));
    if (!is_plain) {
      w_.begin_object();
      if (e.colour != plain.colour) w_.key("colour").string(e.colour);
      if (e.style != plain.style) w_.key("dash").integer(static_cast<int>(e.style));
      if (e.is_thin) w_.key("thin").boolean(true);
      if (!e.orders) w_.key("straight").boolean(true);
      if (!e.label.empty()) string("label", e.label);
      if (!e.tooltip.empty()) string("tip", e.tooltip);
      w_.end();
    }
    w_.end();
  }

  void mark(const page::mark& m) {
    constexpr std::string_view levels[] = {"error", "warning", "note"};
    w_.begin_object().key("line").integer(m.line).key("column").integer(m.column);
    w_.key("length").integer(m.length);
    w_.key("level").string(levels[static_cast<std::size_t>(m.level)]);
    string("message", m.message);
    w_.end();
  }

  void weight(const weight_summary& s) {
    w_.begin_object();
    string("name", s.name);
    string("type", s.type);
    w_.key("elements").integer(s.elements).key("notFinite").integer(s.not_finite);
    w_.key("least").number(s.least).key("greatest").number(s.greatest).key("mean").number(s.mean);
    w_.key("counts").begin_array();
    for (const std::uint64_t c : s.counts) w_.integer(c);
    w_.end().end();
  }

  /// Members and genes: [name, graph, rows], of genes then [member, count, …].
  void corpus(const page& p) {
    const auto graph = [this](std::uint32_t g) {
      if (g == page::none)
        w_.null();
      else
        w_.integer(g);
    };
    w_.key("members").begin_array();
    for (const page::member& m : p.members) {
      w_.begin_array().string(as_utf8(m.name));
      graph(m.graph);
      rows(m.rows);
      w_.end();
    }
    w_.end().key("genes").begin_array();
    for (const page::gene& g : p.genes) {
      w_.begin_array().string(as_utf8(g.name));
      graph(g.graph);
      rows(g.rows);
      w_.begin_array();
      for (const page::gene::holder& h : g.holders) w_.integer(h.member).integer(h.count);
      w_.end().end();
    }
    w_.end();
    if (!p.family.leaves.empty()) tree(p.family);
  }
  /// Lengths are 1000 at most.
  void tree(const page::tree& t) {
    w_.key("tree").begin_object().key("lines").begin_array();
    for (const page::tree::line& l : t.lines) {
      number(1000 * l.left);
      number(l.top);
      number(1000 * l.right);
      number(l.bottom);
    }
    w_.end().key("leaves").begin_array();
    for (const page::tree::leaf& l : t.leaves) {
      w_.integer(l.member);
      number(1000 * l.length);
      number(l.row);
    }
    w_.end().key("unit");
    number(1000 * t.unit);
    string("unitText", t.unit_text);
    w_.end();
  }

  json::writer w_;
  numbered<node_style> styles_;
  numbered<font> fonts_;
};

/// The code of a character of UTF-8, up to three bytes.
[[nodiscard]] unsigned code_of(std::string_view c) noexcept {
  const auto tail = [c](std::size_t i) { return static_cast<unsigned char>(c[i]) & 0x3fu; };
  const auto lead = static_cast<unsigned char>(c[0]);
  return c.size() == 1   ? lead
         : c.size() == 2 ? (lead & 0x1fu) << 6 | tail(1)
                         : (lead & 0xfu) << 12 | tail(1) << 6 | tail(2);
}

/// JSON inside of a script element: no character can end the element, begin a comment or hide from an
/// editor.
void append_data(text& out, std::string_view json) {
  const char *plain = json.data(), *const end = plain + json.size();
  for (const char* at = plain; at != end;) {
    const bool is_mark = *at == '<' || *at == '>' || *at == '&';
    const unsigned unsafe = *at == '\n' ? 0 : unsafe_length(at, end);
    if (!is_mark && unsafe == 0) {
      at += utf8_length(at, end);
      continue;
    }
    out << std::string_view(plain, static_cast<std::size_t>(at - plain)) << "\\u";
    const unsigned length = is_mark ? 1 : unsafe;
    const unsigned code = code_of({at, length});
    for (int shift = 12; shift >= 0; shift -= 4) out << "0123456789abcdef"[code >> shift & 15];
    plain = at += length;
  }
  out << std::string_view(plain, static_cast<std::size_t>(end - plain));
}

}  // namespace

std::uint32_t page::add(std::vector<graph> more) {
  const auto first = static_cast<std::uint32_t>(graphs.size());
  for (graph& g : more) {
    for (node& n : g.nodes)
      if (n.inner != none) n.inner += first;
    graphs.push_back(std::move(g));
  }
  return first;
}

text html(const page& p) {
  text data;
  data_writer(data).write(p);
  text out;
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
      << escaped(p.title) << "</title>\n<style>\n"
      << page_style() << "</style>\n</head>\n<body>\n"
      << "<script type=\"application/json\" id=\"data\">";
  append_data(out, data.view());
  out << "</script>\n<script>\n" << page_script() << "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
