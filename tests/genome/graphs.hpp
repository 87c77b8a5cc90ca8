// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Registries that know all ids, streams from short lists, random graphs, and an expansion that is as
// plain as can be: what tests of expand() and compress() share.

#ifndef TESSERA_TESTS_GENOME_GRAPHS_HPP
#define TESSERA_TESTS_GENOME_GRAPHS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tessera/genome.hpp>
#include <tessera/genome/verify.hpp>
#include <utility>
#include <vector>

namespace graphs {

using namespace tessera;

/// A node as tests write it down.
struct row {
  int a, b, c;
  std::vector<int> d;
};

inline genome::stream stream_of(const std::vector<row>& rows) {
  genome::stream s;
  for (const row& r : rows)
    s.add({.a = static_cast<std::uint8_t>(r.a),
           .b = static_cast<std::uint8_t>(r.b),
           .c = static_cast<std::int16_t>(r.c)},
          view<std::int32_t>(r.d.data(), r.d.size()));
  return s;
}

inline std::vector<row> rows_of(const genome::stream_view& s) {
  std::vector<row> out;
  for (std::size_t i = 0; i < s.size(); ++i)
    out.push_back(
        {s.nodes[i].a, s.nodes[i].b, s.nodes[i].c, {s.inputs_of(i).begin(), s.inputs_of(i).end()}});
  return out;
}

/// For messages of tests.
inline std::string text_of(const genome::stream_view& s) {
  std::string out;
  for (const row& r : rows_of(s)) {
    out += '(' + std::to_string(r.a) + ' ' + std::to_string(r.b) + ' ' + std::to_string(r.c) + " |";
    for (const int d : r.d) out += ' ' + std::to_string(d);
    out += ")\n";
  }
  return out;
}

/// Operations 10 to 80 that take any number of inputs, a variation of each number of inputs up to 3,
/// constants, groups and parameters.
inline genome::registry names() {
  genome::registry r;
  for (std::uint32_t i = 10; i <= 80; ++i)
    r.add_operation(i, "op." + std::to_string(i) + ":node_args(255):kwargs()");
  r.add_variation(10, "in0");
  r.add_variation(11, "in0,in1");
  r.add_variation(12, "in0,in1,in2");
  for (std::uint32_t i = 10; i <= 60; ++i) {
    r.add_constant(i, "int", std::to_string(i));
    r.add_group(i, "arg1=10;arg2=" + std::to_string(i));
    r.add_parameter(i, "p" + std::to_string(i));
  }
  return r;
}

using pattern_rows = std::pair<std::uint32_t, std::vector<row>>;

inline void add_pattern(genome::registry& r, std::uint32_t id, const std::vector<row>& rows) {
  const genome::stream nodes = stream_of(rows);
  r.add_pattern(id, nodes);
}
inline genome::library library_of(const std::vector<pattern_rows>& patterns) {
  genome::registry r = names();
  for (const auto& [id, rows] : patterns) add_pattern(r, id, rows);
  return *genome::verify(std::move(r));
}

/// Numbers that look random and are the same everywhere.
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  int below(int end) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>((state_ >> 20) % static_cast<std::uint64_t>(end));
  }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

// ---- an expansion by lists of lists

struct flat_node {
  row node;                // D without what refers to nodes
  std::vector<long> refs;  // indices, with COPY as one node; in patterns offsets
  std::vector<bool> offsets;
  long from = 0;         // the stream's node
  bool written = false;  // from a pattern
  std::vector<long> block;
};

inline std::vector<flat_node> naive_pattern(const genome::library& l, std::uint32_t p) {
  std::vector<flat_node> out;
  const std::vector<row> rows = rows_of(l.registry().nodes_of(l.registry().patterns[p]));
  std::vector<long> starts;
  for (const row& r : rows) {
    starts.push_back(static_cast<long>(out.size()));
    if (r.a == 6) {
      const int id = r.b | (r.c & 0xff00);
      for (flat_node& n : naive_pattern(l, l.find_pattern(static_cast<std::uint32_t>(id))))
        out.push_back(std::move(n));
      continue;
    }
    flat_node n;
    n.node = {r.a, r.b, r.c, {}};
    n.written = true;
    for (std::size_t k = 0; k < r.d.size(); ++k)
      if (r.a == 7 || (r.a == 8 && k < 2))
        n.node.d.push_back(r.d[k]);
      else
        n.refs.push_back(r.d[k]);
    out.push_back(n);
  }
  starts.push_back(static_cast<long>(out.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].a != 8) continue;
    row& n = out[static_cast<std::size_t>(starts[i])].node;
    const std::size_t middle = i + 1 + static_cast<std::size_t>(rows[i].d[0]);
    const std::size_t end = middle + static_cast<std::size_t>(rows[i].d[1]);
    n.d = {static_cast<int>(starts[middle] - starts[i + 1]),
           static_cast<int>(starts[end] - starts[middle])};
  }
  return out;
}

inline long naive_result(const std::vector<flat_node>& nodes) {
  long last = 0;
  for (std::size_t i = 0; i < nodes.size();) {
    last = static_cast<long>(i);
    const row& n = nodes[i].node;
    i += 1 + (n.a == 8 ? static_cast<std::size_t>(n.d[0] + n.d[1]) : 0);
  }
  return last;
}

inline void naive_blocks(std::vector<flat_node>& nodes, std::size_t first, std::size_t end,
                         const std::vector<long>& block) {
  for (std::size_t i = first; i < end;) {
    nodes[i].block = block;
    const row& n = nodes[i].node;
    std::size_t next = i + 1;
    if (n.a == 8)
      for (int part = 0; part < 2; ++part) {
        std::vector<long> inner = block;
        inner.push_back(static_cast<long>(2 * i) + part);
        const std::size_t length = static_cast<std::size_t>(n.d[static_cast<std::size_t>(part)]);
        naive_blocks(nodes, next, next + length, inner);
        next += length;
      }
    i = next;
  }
}

/// expand() by facts only; nothing where a pattern takes what it can't.
inline std::optional<genome::stream> naive_expand(const genome::program& p, bool copies = true) {
  const genome::library& l = p.library();
  const std::vector<row> rows = rows_of(p.stream());
  std::vector<flat_node> all;
  std::vector<long> starts, results;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const row& r = rows[i];
    const long start = static_cast<long>(all.size());
    starts.push_back(start);
    results.push_back(start);
    if (r.a == 6) {
      std::vector<flat_node> nodes =
          naive_pattern(l, l.find_pattern(static_cast<std::uint32_t>(r.b | (r.c & 0xff00))));
      results.back() += naive_result(nodes);
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        for (long& d : nodes[j].refs) d += start + static_cast<long>(j);
        nodes[j].from = static_cast<long>(i);
        all.push_back(nodes[j]);
      }
      continue;
    }
    flat_node n;
    n.node = {r.a, r.b, r.c, {}};
    n.from = static_cast<long>(i);
    for (std::size_t k = 0; k < r.d.size(); ++k) {
      if (r.a == 7 || (r.a == 8 && k < 2)) {
        n.node.d.push_back(r.d[k]);
        continue;
      }
      const long to = r.d[k] < 0 ? static_cast<long>(i) + r.d[k] : r.d[k];
      n.refs.push_back(results[static_cast<std::size_t>(to)]);
      n.offsets.push_back(r.d[k] < 0);
    }
    all.push_back(n);
  }
  starts.push_back(static_cast<long>(all.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].a != 8) continue;
    const std::size_t middle = i + 1 + static_cast<std::size_t>(rows[i].d[0]);
    const std::size_t end = middle + static_cast<std::size_t>(rows[i].d[1]);
    all[static_cast<std::size_t>(starts[i])].node.d = {
        static_cast<int>(starts[middle] - starts[i + 1]),
        static_cast<int>(starts[end] - starts[middle])};
  }
  naive_blocks(all, 0, all.size(), {});

  std::vector<long> places;  // of each in the graph, copies multiplied
  long place = 0;
  for (const flat_node& n : all) {
    places.push_back(place);
    place += n.node.a == 7 && copies ? n.node.c : 1;
  }
  places.push_back(place);
  std::vector<row> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const flat_node& n = all[i];
    if (n.node.a == 7 && copies) {
      for (int k = 0; k < n.node.c; ++k) out.push_back({n.node.b, n.node.d[0], n.node.d[1], {}});
      continue;
    }
    row r = n.node;
    if (r.a == 8) {
      const std::size_t middle = i + 1 + static_cast<std::size_t>(r.d[0]);
      const std::size_t end = middle + static_cast<std::size_t>(r.d[1]);
      r.d = {static_cast<int>(places[middle] - places[i + 1]),
             static_cast<int>(places[end] - places[middle])};
    }
    for (std::size_t k = 0; k < n.refs.size(); ++k) {
      if (n.refs[k] < 0) return std::nullopt;
      const flat_node& to = all[static_cast<std::size_t>(n.refs[k])];
      bool offset = !n.written && n.offsets[k];
      if (n.written) {
        if (to.block.size() > n.block.size() || to.node.a == 1 || to.node.a == 4)
          return std::nullopt;
        for (const long part : n.block) {
          const std::size_t head = static_cast<std::size_t>(part / 2);
          if (n.refs[k] == part / 2) return std::nullopt;  // the IF or WHILE around
          bool listed = all[head].node.b == 2;
          for (const long e : all[head].refs) listed = listed || e == n.refs[k];
          if (n.refs[k] < part / 2 && !listed) return std::nullopt;
        }
        for (std::size_t b = 0; b < to.block.size(); ++b)
          if (to.block[b] != n.block[b]) return std::nullopt;
        offset = !n.block.empty() && to.block.size() == n.block.size();
      }
      r.d.push_back(
          static_cast<int>(places[static_cast<std::size_t>(n.refs[k])] - (offset ? places[i] : 0)));
    }
    out.push_back(r);
  }
  return stream_of(out);
}

// ---- random graphs

/// A flat graph that repeats itself: motifs, runs of inputs and parameters, IFs inside of IFs.
class graph_maker {
 public:
  explicit graph_maker(std::uint64_t seed) : random_(seed) {
    for (int m = 0; m < 4; ++m) {
      std::vector<row> motif;
      for (int k = 2 + random_.below(7); k > 0; --k) {
        row r{10 + random_.below(4), 1, random_.one_in(3) ? 10 + random_.below(2) : 0, {}};
        for (int n = 1 + random_.below(2); n > 0; --n)
          r.d.push_back(-1 - random_.below(random_.one_in(4) ? 12 : 3));
        motif.push_back(r);
      }
      motifs_.push_back(motif);
    }
  }
  genome::stream make(int size) {
    rows_.clear();
    blocks_ = {{0, false}};
    for (int k = 3 + random_.below(5); k > 0; --k) rows_.push_back({2, 1, 0, {}});
    for (int k = 12; k > 0; --k) rows_.push_back({5, 1, 10 + random_.below(2), {}});
    while (static_cast<int>(rows_.size()) < size) add_some(0);
    const int last = static_cast<int>(rows_.size());
    rows_.push_back({4, 1, 0, {reference(last, last - 1)}});
    return stream_of(rows_);
  }

 private:
  struct block {
    int first;
    bool inner;
  };
  void add_some(int depth) {
    if (random_.one_in(6)) {
      for (int k = 1 + random_.below(6), c = 10 + random_.below(3); k > 0; --k)
        rows_.push_back({5, 1, c, {}});
    } else if (depth < 3 && random_.one_in(5)) {
      add_if(depth);
    } else if (random_.one_in(4)) {
      add({14 + random_.below(2), 1, 0, {-1 - random_.below(20), -1}});
    } else {
      for (const row& r : motifs_[static_cast<std::size_t>(random_.below(4))]) add(r);
    }
  }
  /// With entries of D as offsets from the node, which are computed here.
  void add(row r) {
    const int self = static_cast<int>(rows_.size());
    for (int& d : r.d) d = reference(self, self + d);
    rows_.push_back(r);
  }
  /// To a node, or to one before that can be taken here.
  int reference(int self, int to) {
    if (to < 0) to = 0;
    for (;; to = to > 0 ? to - 1 : self - 1) {
      if (rows_[static_cast<std::size_t>(to)].a == 4 || !visible(to)) continue;
      if (to >= blocks_.back().first) return blocks_.size() > 1 ? to - self : to;
      bool listed = true;  // an IF lists what its blocks take
      if (blocks_.size() > 1) {
        listed = false;
        for (const int e : externals_) listed = listed || e == to;
      }
      if (listed) return to;
    }
  }
  bool visible(int to) const {
    for (const auto& [first, end] : ended_)
      if (to >= first && to < end) return false;
    return true;
  }
  void add_if(int depth) {
    const int self = static_cast<int>(rows_.size());
    row head{8, 1, 0, {0, 0, reference(self, self - 1)}};
    const std::vector<int> outer = externals_;
    if (blocks_.size() == 1) {
      externals_.clear();
      for (int k = 0; k < 4; ++k) {
        const int e = reference(self, self - 1 - random_.below(6));
        bool there = false;
        for (const int x : externals_) there = there || x == e;
        if (!there) externals_.push_back(e);
      }
    }
    for (const int e : externals_)
      head.d.push_back(blocks_.size() > 1 && e >= blocks_.back().first ? e - self : e);
    rows_.push_back(head);
    for (std::size_t part = 0; part < 2; ++part) {
      const int first = static_cast<int>(rows_.size());
      blocks_.push_back({first, true});
      const row input{5, 1, 10, {}};
      rows_.push_back(input);
      for (int k = random_.below(3); k >= 0; --k) add_some(depth + 1);
      blocks_.pop_back();
      const int end = static_cast<int>(rows_.size());
      ended_.emplace_back(first, end);
      rows_[static_cast<std::size_t>(self)].d[part] = end - first;
    }
    externals_ = outer;
  }

  numbers random_;
  std::vector<std::vector<row>> motifs_;
  std::vector<row> rows_;
  std::vector<block> blocks_;
  std::vector<std::pair<int, int>> ended_;
  std::vector<int> externals_;
};

}  // namespace graphs

#endif  // TESSERA_TESTS_GENOME_GRAPHS_HPP
