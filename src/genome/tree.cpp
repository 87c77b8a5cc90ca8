// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "columns.hpp"
#include "tessera/core/shortest.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

/// The clusters that are left and their distances: rows of one block, columns kept together.
class joining {
 public:
  explicit joining(const distance_matrix& d) : left_(d.size) {
    values_.resize(std::size_t{left_} * left_);
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<double>(d.values[i]);
    sums_.resize(left_);
    for (std::uint32_t i = 0; i < left_; ++i) {
      nodes_.push_back(i);
      rows_.push_back(values_.data() + std::size_t{i} * left_);
      for (std::uint32_t k = 0; k < left_; ++k) sums_[i] += rows_[i][k];
    }
  }

  [[nodiscard]] tree run(const progress_function& progress) {
    tree out;
    out.leaves = left_;
    const std::uint64_t n = left_, total = n * (n + 1) * (n + 2) / 6;  // pairs looked at, about
    while (left_ > 3) {
      const auto [i, j] = closest();
      const double between = rows_[i][j];
      const double difference = (sums_[i] - sums_[j]) / (left_ - 2);
      const auto [x, y] = halves(between, difference);
      out.inner.push_back({{nodes_[i], x}, {nodes_[j], y}});
      join(i, j, out.leaves + static_cast<std::uint32_t>(out.inner.size()) - 1);
      if (progress && out.inner.size() % 16 == 0) {
        const std::uint64_t r = left_;
        progress(total - r * (r + 1) * (r + 2) / 6, total);
      }
    }
    if (left_ == 3) {
      const double ab = rows_[0][1], ac = rows_[0][2], bc = rows_[1][2];
      double a = (ab + ac - bc) / 2, b = (ab + bc - ac) / 2, c = (ac + bc - ab) / 2;
      const auto clear = [](double& shorter, double& x, double& y) {
        if (shorter >= 0) return;
        x += shorter;
        y += shorter;
        shorter = 0;
      };
      clear(a, b, c);
      clear(b, a, c);
      clear(c, a, b);
      out.inner.push_back(
          {{nodes_[0], at_least_0(a)}, {nodes_[1], at_least_0(b)}, {nodes_[2], at_least_0(c)}});
    } else if (left_ == 2) {
      const double half = rows_[0][1] / 2;
      out.inner.push_back({{nodes_[0], half}, {nodes_[1], half}});
    } else if (left_ == 1) {
      out.inner.push_back({{nodes_[0], 0}});
    }
    if (progress && total != 0) progress(total, total);
    return out;
  }

 private:
  [[nodiscard]] static double at_least_0(double v) noexcept { return std::max(0.0, v); }

  /// The lengths of two branches that are `between` together and differ by that.
  [[nodiscard]] static std::pair<double, double> halves(double between,
                                                        double difference) noexcept {
    const double x = (between + difference) / 2;
    if (x < 0) return {0, at_least_0(between)};
    if (between - x < 0) return {at_least_0(between), 0};
    return {x, between - x};
  }

  /// The pair to join.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> closest() const noexcept {
    constexpr std::uint32_t lanes = 8;
    const double factor = left_ - 2;
    const auto score = [factor](double distance, double sum, double other) noexcept {
      return distance * factor - sum - other;
    };
    double best = score(rows_[0][1], sums_[0], sums_[1]);
    std::pair<std::uint32_t, std::uint32_t> found{0, 1};
    for (std::uint32_t i = 0; i + 1 < left_; ++i) {
      const double* const row = rows_[i];
      const double* const sums = sums_.data();
      const double own = sums_[i];
      // The least of the row, in lanes that become vectors; where it is, only when it's better.
      double lowest[lanes];
      for (double& l : lowest) l = best;
      std::uint32_t k = i + 1;
      for (; k + lanes <= left_; k += lanes)
        for (std::uint32_t l = 0; l < lanes; ++l) {
          const double s = score(row[k + l], own, sums[k + l]);
          lowest[l] = s < lowest[l] ? s : lowest[l];
        }
      for (; k < left_; ++k) {
        const double s = score(row[k], own, sums[k]);
        lowest[0] = s < lowest[0] ? s : lowest[0];
      }
      bool better = false;
      for (const double l : lowest) better = better || l < best;
      if (!better) continue;
      for (k = i + 1; k < left_; ++k) {
        const double s = score(row[k], own, sums[k]);
        if (s < best) {
          best = s;
          found = {i, k};
        }
      }
    }
    return found;
  }

  /// Puts `node` in the place of cluster i, and closes the gap that cluster j > i leaves.
  void join(std::uint32_t i, std::uint32_t j, std::uint32_t node) noexcept {
    double* const a = rows_[i];
    const double* const b = rows_[j];
    const double between = a[j];
    double sum = 0;
    for (std::uint32_t k = 0; k < left_; ++k) {
      const double joined = (a[k] + b[k] - between) / 2;
      sums_[k] += joined - a[k] - b[k];
      a[k] = joined;
    }
    a[i] = 0;
    for (std::uint32_t k = 0; k < left_; ++k) {
      if (k == j) continue;
      rows_[k][i] = a[k];
      sum += a[k];
    }
    sums_[i] = sum;
    nodes_[i] = node;

    for (std::uint32_t k = 0; k < left_; ++k)
      std::memmove(rows_[k] + j, rows_[k] + j + 1, (left_ - j - 1) * sizeof(double));
    rows_.erase(rows_.begin() + j);
    sums_.erase(sums_.begin() + j);
    nodes_.erase(nodes_.begin() + j);
    --left_;
  }

  std::uint32_t left_;
  std::vector<double> values_;
  std::vector<double*> rows_;
  std::vector<double> sums_;  // of each row
  std::vector<std::uint32_t> nodes_;
};

/// A word that stays what it is without quotes: an underscore would become a space.
[[nodiscard]] bool plain(std::string_view name) noexcept {
  return !name.empty() && name.find_first_of(" ()[]{}/\\,;:=*'\"`+-<>_") == name.npos;
}

void put_name(text& out, std::string_view name) {
  const std::string shown = printable(name);
  if (plain(shown)) {
    out << shown;
    return;
  }
  out << '\'';
  for (const char c : shown) {
    out << c;
    if (c == '\'') out << c;
  }
  out << '\'';
}

}  // namespace

tree neighbour_joining(const distance_matrix& d, const progress_function& progress) {
  return joining(d).run(progress);
}

text newick(const tree& t, std::span<const std::string> names) {
  text out;
  // What is open: an inner node and its next child.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;
  if (!t.inner.empty()) {
    out << '(';
    open.push_back({static_cast<std::uint32_t>(t.inner.size()) - 1, 0});
  }
  const auto put_length = [&](double length) {
    out << ':';
    append_double(out, length, double_style::python);
  };
  while (!open.empty()) {
    const auto [node, next] = open.back();
    const std::vector<tree::child>& children = t.inner[node];
    if (next == children.size()) {
      out << ')';
      open.pop_back();
      if (!open.empty()) put_length(t.inner[open.back().first][open.back().second - 1].length);
      continue;
    }
    ++open.back().second;
    if (next != 0) out << ',';
    const tree::child& c = children[next];
    if (c.node < t.leaves) {
      put_name(out, names[c.node]);
      put_length(c.length);
    } else {
      out << '(';
      open.push_back({c.node - t.leaves, 0});
    }
  }
  out << ";\n";
  return out;
}

std::vector<std::uint32_t> sample(std::uint32_t size, std::uint32_t wanted, std::uint64_t seed) {
  std::vector<std::uint32_t> out;
  // The next of a sequence of 32 random bits (splitmix64).
  const auto random = [&seed]() noexcept {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) >> 32;
  };
  for (std::uint32_t i = 0; i < size && out.size() < wanted; ++i) {
    const std::uint64_t left = size - i, missing = wanted - out.size();
    if (missing >= left || (random() * left >> 32) < missing) out.push_back(i);
  }
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
