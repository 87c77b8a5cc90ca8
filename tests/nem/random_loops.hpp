// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Random programs with loops, small enough to be expanded, and what a proof says of them compared
// with what the expansion says.
//
//   nem_test::random_loops p(seed);
//   nem_test::comparison c = nem_test::compare(p.text());
//   CHECK(c.difference == "");
//
// Most have affine offsets, some are periodic. They move regions with different strides through
// buffers of all levels, at times beyond the end of a buffer, into one another, or into what tasks
// before the loop still use.

#ifndef TESSERA_TESTS_NEM_RANDOM_LOOPS_HPP
#define TESSERA_TESTS_NEM_RANDOM_LOOPS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>
#include <utility>
#include <vector>

namespace nem_test {

class random_loops {
 public:
  explicit random_loops(std::uint64_t seed) : state_(seed * 2 + 1) { make(); }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  struct variable {
    std::string name;
    std::int64_t last;
  };

  std::int64_t below(std::int64_t end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(end));
  }
  bool once_in(std::int64_t n) { return below(n) == 0; }
  std::string_view one_of(std::initializer_list<std::string_view> all) {
    return all.begin()[below(static_cast<std::int64_t>(all.size()))];
  }
  static std::string number(std::int64_t n) { return std::to_string(n); }

  void make() {
    is_tidy_ = !once_in(4);
    buffers_ = 1 + below(4);
    if (once_in(3)) outer_step_ = 3 + below(20);
    extent_ = std::int64_t{8} << below(3);
    text_ = "program p:\n";
    for (std::int64_t b = 0; b < buffers_; ++b) {
      const std::int64_t size = once_in(is_tidy_ ? 50 : 6) ? 64 + below(2000) : 1 << 26;
      text_ += "buffer B" + number(b) + " : " + std::string(one_of({"DDR", "L2", "L1"})) +
               " (size=" + number(size) + ")\n";
    }
    if (once_in(2))
      text_ += "let R = region(B0, " + number(below(4) * extent_) + ", " + number(extent_) + ")\n",
          has_region_ = true;
    for (std::int64_t n = below(3); n > 0; --n) task("");
    for (std::int64_t n = 1 + below(2); n > 0; --n) loop("", once_in(2) ? 1 : 0);
    for (std::int64_t n = below(2); n > 0; --n) task("");
  }

  void loop(const std::string& indent, int inner) {
    const std::string name = "v" + number(count_++);
    const std::int64_t first = once_in(4) ? below(40) - 10 : 0;
    const std::int64_t trip = once_in(3) ? 1 + below(3) : 12 + below(inner != 0 ? 10 : 24);
    const bool overlaps = once_in(3);
    text_ +=
        indent + "loop " + name + " in [" + bound(first) + ".." + bound(first + trip - 1) + "]";
    if (overlaps) text_ += " @max_in_flight(" + number(2 + below(3)) + ")";
    text_ += ":\n";
    variables_.push_back({name, first + trip - 1});
    const std::string in = indent + "  ";
    const std::size_t lets = lets_.size(), tokens = tokens_.size();
    if (once_in(3)) {
      const std::string let = "n" + number(count_++);
      text_ += in + "let " + let + " = " + offset() + '\n';
      lets_.push_back(let);
    }
    for (std::int64_t n = below(3); n > 0; --n) task(in);
    if (inner > 0) loop(in, inner - (once_in(3) ? 0 : 1));
    for (std::int64_t n = (inner > 0 ? 0 : 1) + below(3); n > 0; --n) task(in);
    lets_.resize(lets);
    tokens_.resize(tokens);
    variables_.pop_back();
    text_ += indent + "endloop\n";
  }
  static std::string bound(std::int64_t n) { return n < 0 ? "0 - " + number(-n) : number(n); }

  /// An offset of the loops: 64 * v0 + 8 * v1 + 16, and others. Tidy ones lead through one table.
  std::string offset() {
    if (is_tidy_ && !once_in(12)) return tidy_offset();
    std::string out;
    const auto add = [&out](const std::string& term) { out += (out.empty() ? "" : " + ") + term; };
    for (const variable& v : variables_) {
      if (once_in(5)) continue;
      const std::int64_t step = once_in(6) ? below(5) * extent_ / 2 - extent_ : extent_;
      switch (below(12)) {
        case 0:
          add("(" + v.name + " mod " + number(1 + below(5)) + ") * " + number(extent_));
          break;
        case 1: add("(" + v.name + " * 2 + 40) mod " + number(3 + below(6)) + " * 8"); break;
        case 2: add(bound(-step) + " * " + v.name); break;
        case 3: add("(" + number(v.last) + " - " + v.name + ") * " + number(extent_)); break;
        case 4: add(v.name + " * 64"); break;
        case 5:
          if (once_in(4))
            add(v.name + " / 2 * 8");
          else
            add(v.name + " * (" + number(extent_) + " + 8 - 8)");
          break;
        default: add(v.name + " * " + number(step < 0 ? extent_ : step));
      }
    }
    if (out.empty() || once_in(2)) add(number(below(6) * (once_in(4) ? extent_ / 2 : extent_)));
    return out;
  }
  std::string tidy_offset() {
    std::string out;
    std::int64_t step = extent_ * 2;
    for (std::size_t k = variables_.size(); k-- != 0; step *= outer_step_) {
      if (once_in(4)) continue;
      const std::string& v = variables_[k].name;
      const std::string term = once_in(4) ? "(" + v + " mod 4)" : v;
      out = term + " * " + number(step) + (out.empty() ? "" : " + ") + out;
    }
    return out.empty() ? number(below(variables_.empty() ? 40 : 2) * extent_) : out;
  }
  std::string region() {
    if (has_region_ && once_in(8)) return "R";
    std::string at = !lets_.empty() && once_in(3) ? lets_.back() : offset();
    if (!lets_.empty() && once_in(6)) at += " + " + lets_.back();
    std::int64_t base = 0;
    if (is_tidy_ && !once_in(20)) base = (count_++ % 16) << 20;
    if (base != 0 || variables_.empty()) at += " + " + number(base);
    const std::int64_t extent = once_in(is_tidy_ ? 40 : 6) ? extent_ * 2 : extent_;
    return "region(B" + number(below(buffers_)) + ", " + at + ", " + number(extent) + ")";
  }
  void task(const std::string& indent) {
    const std::string name = "t" + number(count_++);
    const bool is_sync = once_in(is_tidy_ ? 2 : 4);
    const bool computes = once_in(4);
    const std::string mode = is_sync ? ".sync" : ".async";
    std::string deps;
    for (const std::string& t : tokens_)
      if (once_in(is_tidy_ ? 1 : 2)) deps += (deps.empty() ? "" : ", ") + t;
    if (computes) {
      const std::string type = " elem=i8, shape=[8], layout=C";
      text_ += indent + name + " = relu" + mode + " in " + typed(region(), type) + " out " +
               typed(region(), type);
      if (!deps.empty()) text_ += " deps=[" + deps + "]";
    } else {
      text_ += indent + name + " = transfer" + mode + "(dst=" + region() + ", src=" + region();
      if (!deps.empty()) text_ += ", deps=[" + deps + "]";
      text_ += ")";
      if (once_in(4)) text_ += " @memmove";
    }
    text_ += '\n';
    if (!is_sync && !once_in(variables_.empty() ? 2 : 20)) tokens_.push_back(name);
    if (once_in(8) && !tokens_.empty()) text_ += indent + "wait(" + tokens_.back() + ")\n";
  }
  static std::string typed(const std::string& region, const std::string& type) {
    return region == "R" ? "region(B0, 0, 8)" + type : region + type;
  }

  std::uint64_t state_;
  std::string text_;
  bool is_tidy_ = false, has_region_ = false;
  std::int64_t buffers_ = 1, extent_ = 8, outer_step_ = 40, count_ = 0;
  std::vector<variable> variables_;
  std::vector<std::string> lets_, tokens_;
};

/// What verification says of a program, with and without expanding its loops.
struct comparison {
  std::string difference;
  bool is_proven = false, is_valid = false;
};

/// Compares: all of at most `most` instances are expanded, or a `few`.
[[nodiscard]] inline comparison compare(std::string_view source, std::uint64_t few,
                                        std::uint64_t most = 1 << 20) {
  namespace nem = tessera::nem;
  comparison out;
  tessera::report report[2];
  std::set<std::string> errors[2], others[2];
  std::string first[2];
  std::uint64_t counts[2][3] = {};
  bool is_valid[2] = {};
  for (int k = 0; k < 2; ++k) {
    auto model = nem::read(source);
    if (!model) return {"it doesn't read", false, false};
    nem::verify_options options;
    options.max_instances = k == 0 ? most : few;
    options.proves = k != 0;
    options.hazard_steps = std::uint64_t{1} << 22;
    const auto p = nem::verify(std::move(*model), options, &report[k]);
    is_valid[k] = static_cast<bool>(p);
    if (p) {
      counts[k][0] = p->tasks() + p->proven_tasks();
      counts[k][1] = p->iterations() + p->proven_iterations();
      counts[k][2] = p->max_live_tokens();
      if (k == 1) out.is_proven = p->has_all_hazards();
    }
    for (const tessera::diagnostic& d : report[k].diagnostics) {
      const std::string what =
          std::string(nem::rule(d.code).id()) + '@' + std::to_string(d.where.offset);
      // The text names the iteration.
      if (d.severity == tessera::severity::error && first[k].empty())
        first[k] = what + ' ' + std::string(report[k].text_of(d.text));
      if (d.code != tessera::errc::nem_haz_005_partial)
        (d.severity == tessera::severity::error ? errors : others)[k].insert(what);
      else if (k == 1)
        out.is_proven = false;
    }
    if (k == 0)
      for (const tessera::diagnostic& d : report[0].diagnostics)
        if (d.code == tessera::errc::nem_haz_005_partial) return {};
    if (k == 1 && !p) {
      out.is_proven = true;
      for (const tessera::diagnostic& d : report[1].diagnostics)
        out.is_proven = out.is_proven && d.code != tessera::errc::nem_haz_005_partial;
    }
  }
  out.is_valid = is_valid[0];
  for (const std::string& e : errors[1])
    if (errors[0].count(e) == 0) out.difference += "a false error " + e + "; ";
  if (!out.is_proven) return out;
  if (is_valid[0] != is_valid[1]) out.difference += "a false proof: " + first[0] + "; ";
  for (const std::string& e : errors[0])
    if (errors[1].count(e) == 0) out.difference += "a missing error " + e + "; ";
  if (first[0] != first[1]) out.difference += first[0] + ", and " + first[1] + "; ";
  if (!is_valid[0] || !is_valid[1]) return out;
  for (const std::string& e : others[0])
    if (others[1].count(e) == 0) out.difference += "a missing warning " + e + "; ";
  for (const std::string& e : others[1])
    if (others[0].count(e) == 0) out.difference += "a false warning " + e + "; ";
  for (int i = 0; i < 3; ++i)
    if (counts[0][i] != counts[1][i])
      out.difference +=
          "counts " + std::to_string(counts[0][i]) + " and " + std::to_string(counts[1][i]) + "; ";
  return out;
}

}  // namespace nem_test

#endif  // TESSERA_TESTS_NEM_RANDOM_LOOPS_HPP
