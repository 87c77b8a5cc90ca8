// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "columns.hpp"
#include "parallel.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

/// The genes of graphs, row after row. Weights are whole numbers, so that sums of them up to 2^53 are
/// exact in any order; but for those of `presence`, which are added in the order of their keys.
struct bags {
  struct item {
    std::uint32_t key = 0;  // gene; after all genes an operation; after all operations a kind
    double weight = 0;
  };
  std::vector<item> items;
  std::vector<std::size_t> firsts{0};
  std::vector<double> sums;
  std::size_t keys = 0;

  bags(const corpus& all, const findings& found, std::span<const std::uint32_t> of,
       const distance_options& how) {
    const auto genes = static_cast<std::uint32_t>(found.genes.size());
    const vocabulary& names = all.names();
    const std::uint32_t operations = names.operations().size();
    keys = std::size_t{genes} + operations + names.size();
    std::vector<std::uint32_t> called, kinds;
    for (const std::uint32_t graph : of) {
      add_genes(found, graph);
      called.clear();
      kinds.clear();
      for (const std::uint32_t kind : all[graph].kinds) {
        const std::uint32_t operation = names[kind].operation;
        if (operation < genome::first_id) continue;
        if (how.operations) called.push_back(operation);
        if (how.compositions) kinds.push_back(kind);
      }
      add_counts(genes, called);
      add_counts(genes + operations, kinds);
      firsts.push_back(items.size());
    }
    if (how.presence) weigh_presence();
    for (std::size_t g = 0; g + 1 < firsts.size(); ++g) {
      double sum = 0;
      for (std::size_t i = firsts[g]; i < firsts[g + 1]; ++i) sum += items[i].weight;
      sums.push_back(sum);
    }
  }

 private:
  void add_genes(const findings& found, std::uint32_t graph) {
    auto at =
        std::lower_bound(found.occurrences.begin(), found.occurrences.end(), graph,
                         [](const occurrence& o, std::uint32_t g) noexcept { return o.graph < g; });
    for (; at != found.occurrences.end() && at->graph == graph; ++at)
      if (at->count != 0)
        items.push_back({at->gene, static_cast<double>(at->count) *
                                       static_cast<double>(found.genes[at->gene].labels.size())});
  }
  /// How often each number comes.
  void add_counts(std::uint32_t first, std::vector<std::uint32_t>& of) {
    std::sort(of.begin(), of.end());
    for (std::size_t i = 0, end = 0; i < of.size(); i = end) {
      while (end < of.size() && of[end] == of[i]) ++end;
      items.push_back({first + of[i], static_cast<double>(end - i)});
    }
  }
  void weigh_presence() {
    std::vector<std::uint32_t> graphs(keys);
    for (const item& i : items) ++graphs[i.key];
    const auto all = static_cast<double>(firsts.size() - 1);
    for (item& i : items)
      i.weight = graphs[i.key] < 2 ? 0 : std::log(1 + all / static_cast<double>(graphs[i.key]));
  }
};

/// Row `a` of the matrix above the diagonal: its bag is spread out over `spread`, which is zeros, and
/// each other bag goes along it.
void fill_row(const bags& from, std::size_t a, std::vector<double>& spread, distance_matrix& to) {
  for (std::size_t i = from.firsts[a]; i < from.firsts[a + 1]; ++i)
    spread[from.items[i].key] = from.items[i].weight;
  for (std::size_t b = a + 1; b < to.size; ++b) {
    double smaller = 0;
    for (std::size_t i = from.firsts[b]; i < from.firsts[b + 1]; ++i)
      smaller += std::min(from.items[i].weight, spread[from.items[i].key]);
    const double larger = from.sums[a] + from.sums[b] - smaller;
    to.values[a * to.size + b] =
        larger > 0 ? static_cast<float>(std::max(1 - smaller / larger, 0.0)) : 0.0f;
  }
  for (std::size_t i = from.firsts[a]; i < from.firsts[a + 1]; ++i) spread[from.items[i].key] = 0;
}

[[nodiscard]] std::string csv_field(std::string_view s) {
  const std::string shown = printable(s);
  if (shown.find_first_of(",\"") == std::string::npos) return shown;
  std::string out = "\"";
  for (const char c : shown) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace

distance_matrix distances(const corpus& all, const findings& found,
                          std::span<const std::uint32_t> of, const distance_options& how) {
  const bags from(all, found, of, how);
  distance_matrix to;
  to.size = static_cast<std::uint32_t>(of.size());
  to.values.resize(of.size() * of.size());

  const unsigned threads =
      static_cast<unsigned>(std::clamp<std::size_t>(of.size() / 64, 1, thread_count(how.threads)));
  std::vector<std::vector<double>> spread(threads, std::vector<double>(from.keys));
  const std::uint64_t total = std::uint64_t{to.size} * (to.size - (to.size != 0 ? 1u : 0u)) / 2;
  std::mutex telling;
  std::uint64_t done = 0;
  // Rows get shorter; each is computed separately, by one thread.
  parallel(threads, to.size, [&](unsigned thread, std::size_t a) {
    fill_row(from, a, spread[thread], to);
    if (!how.progress) return;
    const std::lock_guard lock(telling);
    done += to.size - a - 1;
    how.progress(done, total);
  });

  for (std::size_t a = 0; a < to.size; ++a)
    for (std::size_t b = 0; b < a; ++b) to.values[a * to.size + b] = to.values[b * to.size + a];
  return to;
}

text distance_table(const distance_matrix& d, std::span<const std::string> names) {
  text out;
  std::vector<std::string> shown;
  std::size_t longest = 0;
  for (const std::string& n : names) {
    shown.push_back(printable(n));
    longest = std::max(longest, width(shown.back()));
  }
  if (d.size <= max_table_size) {
    if (d.size == 0) return out;
    const std::size_t left = 4 + longest;
    put_left(out, "", left);
    for (std::uint32_t b = 0; b < d.size; ++b) put_right(out, std::to_string(b + 1), 7);
    out << '\n';
    for (std::uint32_t a = 0; a < d.size; ++a) {
      put_right(out, std::to_string(a + 1), 2);
      out << "  ";
      put_left(out, shown[a], longest);
      for (std::uint32_t b = 0; b < d.size; ++b) {
        if (a == b)
          put_right(out, "-", 7);
        else
          put_right(out, fixed(static_cast<double>(d(a, b)), 3), 7);
      }
      out << '\n';
    }
    return out;
  }
  longest = std::max<std::size_t>(longest, 1);
  const std::size_t left = std::max<std::size_t>(longest, 5);
  put_left(out, "graph", left);
  out << "  nearest\n";
  std::vector<std::uint32_t> order;
  for (std::uint32_t a = 0; a < d.size; ++a) {
    order.clear();
    for (std::uint32_t b = 0; b < d.size; ++b)
      if (b != a) order.push_back(b);
    std::partial_sort(order.begin(), order.begin() + nearest_shown, order.end(),
                      [&](std::uint32_t x, std::uint32_t y) {
                        return std::pair(d(a, x), x) < std::pair(d(a, y), y);
                      });
    put_left(out, shown[a], left);
    for (std::uint32_t k = 0; k < nearest_shown; ++k) {
      out << "  ";
      put_fixed(out, static_cast<double>(d(a, order[k])), 3);
      out << ' ';
      if (k + 1 == nearest_shown)
        out << shown[order[k]];
      else
        put_left(out, shown[order[k]], longest);
    }
    out << '\n';
  }
  return out;
}

text distance_csv(const distance_matrix& d, std::span<const std::string> names) {
  text out;
  out << "name";
  std::vector<std::string> fields;
  for (const std::string& n : names) fields.push_back(csv_field(n));
  for (const std::string& f : fields) out << ',' << f;
  out << '\n';
  for (std::uint32_t a = 0; a < d.size; ++a) {
    out << fields[a];
    for (std::uint32_t b = 0; b < d.size; ++b) {
      out << ',';
      put_fixed(out, static_cast<double>(d(a, b)), 6);
    }
    out << '\n';
  }
  return out;
}

text distance_json(const distance_matrix& d, std::span<const std::string> names) {
  text out;
  json::writer w(out, json::indented);
  w.begin_object().key("names").begin_array();
  for (const std::string& n : names) w.string(printable(n));
  w.end().key("distances").begin_array();
  for (std::uint32_t a = 0; a < d.size; ++a) {
    w.begin_array(true);
    for (std::uint32_t b = 0; b < d.size; ++b) w.number(rounded(static_cast<double>(d(a, b))));
    w.end();
  }
  w.end().end();
  out << '\n';
  return out;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
