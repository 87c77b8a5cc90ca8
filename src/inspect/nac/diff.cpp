// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/diff.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using kind = nac_argument::kind;

[[nodiscard]] std::uint64_t mixed(std::uint64_t h, std::uint64_t v) noexcept {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}
[[nodiscard]] std::uint64_t mixed(std::uint64_t h, std::string_view s) noexcept {
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mixed(h, s.size());
}

/// How an instruction is recognized, from its most specific key to its least specific one.
struct keys {
  std::uint64_t computed = 0;  // with what flows into it
  std::uint64_t local = 0;     // its operation, signature, constants and names
  std::uint64_t operation = 0;
};

/// The instructions of one list.
struct side {
  const lookup& at;
  const std::vector<nac::instruction>& code;
  std::vector<keys> of;
  std::vector<std::uint32_t> partner;

  side(const lookup& l, const std::vector<nac::instruction>& c)
      : at(l), code(c), of(c.size()), partner(c.size(), lookup::none) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      const nac::instruction& in = code[i];
      keys& k = of[i];
      k.operation = mixed(in.a < nac::first_regular_op ? in.a : 0, at.operation(in));
      k.local = in.a >= nac::first_regular_op ? mixed(k.operation, at.model().signature(in.b))
                                              : mixed(k.operation, in.b);
      if (in.a == nac::op_input && in.b == 0 && &code == &at.instructions())
        k.local = at.has_input(in.index) ? mixed(k.local, at.input(in.index))
                                         : mixed(k.local, at.lifted(in.index));
      k.computed = k.local;
      for (const nac_argument& a : at.arguments(in)) {
        const auto what = static_cast<std::uint64_t>(a.what);
        k.local = mixed(k.local, what);
        k.computed = mixed(k.computed, what);
        if (a.what == kind::result) {
          const auto from = static_cast<std::size_t>(a.value);
          // A reference forward isn't valid; its distance is enough.
          k.computed = mixed(k.computed, from < i ? of[from].computed : from - i);
        } else {
          const std::string shown = at.text_of(a);
          k.local = mixed(k.local, shown);
          k.computed = mixed(k.computed, shown);
        }
      }
    }
  }
};

class pairing {
 public:
  pairing(side& a, side& b) : a_(a), b_(b) {
    by_computed();
    sweep(&keys::local);
    sweep(&keys::operation);
    within_gaps();
  }

 private:
  void join(std::uint32_t i, std::uint32_t j) {
    a_.partner[i] = j;
    b_.partner[j] = i;
  }
  void by_computed() {
    std::map<std::uint64_t, std::vector<std::uint32_t>> places;
    for (std::uint32_t j = static_cast<std::uint32_t>(b_.code.size()); j-- > 0;)
      places[b_.of[j].computed].push_back(j);
    for (std::uint32_t i = 0; i < a_.code.size(); ++i) {
      const auto found = places.find(a_.of[i].computed);
      if (found == places.end() || found->second.empty()) continue;
      join(i, found->second.back());
      found->second.pop_back();
    }
  }
  /// Pairs what follows a pair, then what precedes one; the starts and the ends are such.
  void sweep(std::uint64_t keys::*key) {
    const auto n = static_cast<std::uint32_t>(a_.code.size());
    const auto m = static_cast<std::uint32_t>(b_.code.size());
    const auto fits = [&](std::uint32_t i, std::uint32_t j) {
      return i < n && j < m && a_.partner[i] == lookup::none && b_.partner[j] == lookup::none &&
             a_.of[i].*key == b_.of[j].*key;
    };
    if (fits(0, 0)) join(0, 0);
    for (std::uint32_t i = 0; i + 1 < n; ++i)
      if (a_.partner[i] != lookup::none && fits(i + 1, a_.partner[i] + 1))
        join(i + 1, a_.partner[i] + 1);
    if (n != 0 && m != 0 && fits(n - 1, m - 1)) join(n - 1, m - 1);
    for (std::uint32_t i = n; i-- > 1;)
      if (a_.partner[i] != lookup::none && a_.partner[i] != 0 && fits(i - 1, a_.partner[i] - 1))
        join(i - 1, a_.partner[i] - 1);
  }
  /// Between two neighbouring pairs, what has the same operation, in order.
  void within_gaps() {
    const auto n = static_cast<std::uint32_t>(a_.code.size());
    const auto m = static_cast<std::uint32_t>(b_.code.size());
    for (std::uint32_t i = 0; i < n;) {
      if (a_.partner[i] != lookup::none) {
        ++i;
        continue;
      }
      const std::uint32_t first = i;
      while (i < n && a_.partner[i] == lookup::none) ++i;
      const std::uint32_t begin = first == 0 ? 0 : a_.partner[first - 1] + 1;
      std::uint32_t end = begin;
      while (end < m && b_.partner[end] == lookup::none) ++end;
      std::map<std::uint64_t, std::vector<std::uint32_t>> places;  // the first at the back
      for (std::uint32_t j = end; j-- > begin;) places[b_.of[j].operation].push_back(j);
      std::uint32_t next = begin;
      for (std::uint32_t k = first; k < i; ++k) {
        const auto found = places.find(a_.of[k].operation);
        if (found == places.end()) continue;
        std::vector<std::uint32_t>& left = found->second;
        while (!left.empty() && left.back() < next) left.pop_back();
        if (left.empty()) continue;
        join(k, left.back());
        next = left.back() + 1;
      }
    }
  }

  side& a_;
  side& b_;
};

[[nodiscard]] std::string number(std::uint64_t v) { return std::to_string(v); }

class comparison {
 public:
  comparison(const lookup& before, const lookup& after, const file_diff_options& options)
      : a_(before), b_(after), options_(options) {}

  [[nodiscard]] file_difference run() {
    header();
    side ops_a(a_, a_.instructions()), ops_b(b_, b_.instructions());
    pairing(ops_a, ops_b);
    instructions(ops_a, ops_b, false);
    side trng_a(a_, a_.training()), trng_b(b_, b_.training());
    pairing(trng_a, trng_b);
    instructions(trng_a, trng_b, true);
    schedule(ops_a);
    bytes_property("plan", a_.model().execution_plan(), b_.model().execution_plan());
    plan_constants();
    bytes_property("tokenizer", a_.model().manifest(), b_.model().manifest());
    parameters();
    resources();
    arrays();
    return std::move(out_);
  }

 private:
  void property(std::vector<property_difference>& to, std::string what, std::string before,
                std::string after) {
    if (before != after) to.push_back({std::move(what), std::move(before), std::move(after)});
  }
  void property(std::string what, std::string before, std::string after) {
    property(out_.properties, std::move(what), std::move(before), std::move(after));
  }

  void header() {
    const nac::model &a = a_.model(), &b = b_.model();
    const auto version = [](const nac::model& f) { return std::string(name(f.header())); };
    const auto yes = [](bool v) { return std::string(v ? "yes" : "no"); };
    property("version", version(a), version(b));
    property("quantization", std::string(name(a.quantization())),
             std::string(name(b.quantization())));
    property("internal weights", yes(a.has_internal_weights()), yes(b.has_internal_weights()));
    property("training", yes(a.has_training_flag()), yes(b.has_training_flag()));
    property("inputs", number(a.inputs()), number(b.inputs()));
    property("outputs", number(a.outputs()), number(b.outputs()));
    property("d_model", number(a.d_model()), number(b.d_model()));
  }

  void instructions(const side& a, const side& b, bool training) {
    const auto add = [&](instruction_difference d) {
      d.training = training;
      out_.instructions.push_back(std::move(d));
    };
    std::uint32_t removed = 0;  // up to here removed ones have been reported
    const auto report_removed = [&](std::uint32_t end) {
      for (; removed < end; ++removed)
        if (a.partner[removed] == lookup::none) {
          add({removed, lookup::none, false, {}});
          ++out_.removed;
        }
    };
    for (std::uint32_t j = 0; j < b.code.size(); ++j) {
      const std::uint32_t i = b.partner[j];
      if (i == lookup::none) {
        add({lookup::none, j, false, {}});
        ++out_.added;
        continue;
      }
      if (i > removed) report_removed(i);
      std::vector<property_difference> parts = compare(a, i, b, j);
      if (parts.empty()) {
        ++out_.unchanged;
      } else {
        add({i, j, false, std::move(parts)});
        ++out_.changed;
      }
    }
    report_removed(static_cast<std::uint32_t>(a.code.size()));
  }

  [[nodiscard]] std::vector<property_difference> compare(const side& a, std::uint32_t i,
                                                         const side& b, std::uint32_t j) {
    std::vector<property_difference> parts;
    const nac::instruction &x = a.code[i], &y = b.code[j];
    property(parts, "operation", a_.operation(x), b_.operation(y));
    if (x.a >= nac::first_regular_op && y.a >= nac::first_regular_op)
      property(parts, "signature", std::string(a_.model().signature(x.b)),
               std::string(b_.model().signature(y.b)));
    else if (x.b != y.b)
      property(parts, "variant", number(x.b), number(y.b));
    if (x.a == nac::op_input && x.b == 0 && y.a == nac::op_input && y.b == 0 &&
        &a.code == &a_.instructions())
      property(parts, "name", input(a_, i), input(b_, j));
    const std::vector<nac_argument> p = a_.arguments(x), q = b_.arguments(y);
    for (std::size_t k = 0; k < std::max(p.size(), q.size()); ++k) {
      std::string before = k < p.size() ? a_.text_of(p[k]) : std::string();
      std::string after = k < q.size() ? b_.text_of(q[k]) : std::string();
      if (k < p.size() && k < q.size() && p[k].what == q[k].what) {
        // Results are the same where they are a pair, whatever their indices.
        if (p[k].what == kind::result
                ? std::int64_t{a.partner[static_cast<std::size_t>(p[k].value)]} == q[k].value
                : before == after)
          continue;
        if (before == after) after += " (another one)";
      }
      property(parts, "argument " + number(k + 1), std::move(before), std::move(after));
    }
    return parts;
  }
  [[nodiscard]] static std::string input(const lookup& at, std::uint32_t index) {
    return at.has_input(index) ? std::string(at.input(index))
                               : "lifted#" + number(at.lifted(index));
  }

  /// Commands by the pairs of instructions that they are about.
  void schedule(const side& a) {
    struct row {
      std::uint32_t tick, what, target;
      [[nodiscard]] bool operator<(const row& o) const noexcept {
        return std::tie(tick, what, target) < std::tie(o.tick, o.what, o.target);
      }
    };
    const auto paired = [&a](std::uint32_t i) {
      // An instruction without a partner equals no other: it is placed after all instructions.
      if (i >= a.partner.size()) return i;
      return a.partner[i] != lookup::none ? a.partner[i] : 0x10000 + i;
    };
    std::vector<row> before, after;
    for (const nac::tick& t : a_.model().schedule())
      for (const nac::command& c : t.commands)
        before.push_back(
            {paired(t.instruction), static_cast<std::uint32_t>(c.what), paired(c.target)});
    for (const nac::tick& t : b_.model().schedule())
      for (const nac::command& c : t.commands)
        after.push_back({t.instruction, static_cast<std::uint32_t>(c.what), c.target});
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    std::uint64_t common = 0;
    for (std::size_t i = 0, j = 0; i < before.size() && j < after.size();) {
      if (before[i] < after[j]) {
        ++i;
      } else if (after[j] < before[i]) {
        ++j;
      } else {
        ++common, ++i, ++j;
      }
    }
    if (common == before.size() && common == after.size()) return;
    const auto count = [common](std::size_t all) {
      return number(all) + (all == 1 ? " command" : " commands") + ", " + number(all - common) +
             " of its own";
    };
    out_.properties.push_back({"schedule", count(before.size()), count(after.size())});
  }

  void done(bytes part) const {
    if (options_.done != nullptr) options_.done(options_.context, part);
  }
  /// Whether payloads are equal; reports the parts that were compared.
  [[nodiscard]] bool equal(bytes a, bytes b) const {
    if (a.size() != b.size()) return false;
    constexpr std::size_t part = std::size_t{1} << 22;
    for (std::size_t at = 0; at < a.size(); at += part) {
      const bytes x = a.subspan(at, std::min(part, a.size() - at));
      const bytes y = b.subspan(at, x.size());
      const bool same = std::memcmp(x.data(), y.data(), x.size()) == 0;
      done(x);
      done(y);
      if (!same) return false;
    }
    return true;
  }
  [[nodiscard]] static std::string first_difference(bytes a, bytes b) {
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
    return " from byte " + number(at);
  }
  void bytes_property(std::vector<property_difference>& to, std::string what, bytes a, bytes b) {
    if (equal(a, b)) return;
    std::string before = number(a.size()) + (a.size() == 1 ? " byte" : " bytes");
    std::string after = number(b.size()) + (b.size() == 1 ? " byte" : " bytes");
    if (!a.empty() && !b.empty()) after += ", others" + first_difference(a, b);
    to.push_back({std::move(what), std::move(before), std::move(after)});
  }
  void bytes_property(std::string what, bytes a, bytes b) {
    bytes_property(out_.properties, std::move(what), a, b);
  }

  void plan_constants() {
    const auto texts = [](const nac::model& f) {
      std::vector<std::pair<std::uint32_t, std::string>> out;
      for (const nac::constant& c : f.plan_constants())
        out.emplace_back(c.id, std::string(name(c.type)) + ' ' + text_of(c));
      std::stable_sort(out.begin(), out.end(),
                       [](const auto& x, const auto& y) { return x.first < y.first; });
      return out;
    };
    const auto a = texts(a_.model()), b = texts(b_.model());
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
      const bool has_a = i < a.size() && (j == b.size() || a[i].first <= b[j].first);
      const bool has_b = j < b.size() && (i == a.size() || b[j].first <= a[i].first);
      const std::uint32_t id = has_a ? a[i].first : b[j].first;
      property("plan constant " + number(id), has_a ? a[i].second : std::string(),
               has_b ? b[j].second : std::string());
      i += has_a ? 1 : 0;
      j += has_b ? 1 : 0;
    }
  }

  /// Pairs those of the same name, the first with the first; then reports them.
  template <class Item, class Name, class Compare>
  void items(item_difference::kind what, const std::vector<Item>& a, const std::vector<Item>& b,
             Name name, Compare compare) {
    std::map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t j = b.size(); j-- > 0;) places[name(b[j])].push_back(j);
    std::vector<char> found(b.size());
    for (const Item& x : a) {
      item_difference d{what, std::string(name(x)), true, false, {}};
      const auto at = places.find(name(x));
      if (at == places.end() || at->second.empty()) {
        out_.items.push_back(std::move(d));
        continue;
      }
      const std::size_t j = at->second.back();
      at->second.pop_back();
      found[j] = 1;
      d.in_after = true;
      compare(d, x, b[j]);
      if (!d.parts.empty()) out_.items.push_back(std::move(d));
    }
    for (std::size_t j = 0; j < b.size(); ++j)
      if (found[j] == 0) out_.items.push_back({what, std::string(name(b[j])), false, true, {}});
  }

  struct stored_parameter {
    std::string_view name;
    const nac::tensor* tensor;
  };
  [[nodiscard]] static std::vector<stored_parameter> parameters_of(const lookup& at) {
    std::vector<stored_parameter> out;
    for (const nac::named& n : at.model().parameters()) out.push_back({n.text, at.tensor(n.id)});
    return out;
  }
  void parameters() {
    items(
        item_difference::kind::parameter, parameters_of(a_), parameters_of(b_),
        [](const stored_parameter& p) { return p.name; },
        [this](item_difference& to, const stored_parameter& x, const stored_parameter& y) {
          tensors(to.parts, x.tensor, y.tensor);
          if (!to.parts.empty() && options_.weights && x.tensor != nullptr && y.tensor != nullptr)
            to.note = distance(*x.tensor, *y.tensor);
        });
  }
  void tensors(std::vector<property_difference>& to, const nac::tensor* x, const nac::tensor* y) {
    if (x == nullptr || y == nullptr) {
      // Whether weights are internal has been reported as a whole.
      if (a_.model().has_internal_weights() && b_.model().has_internal_weights())
        property(to, "elements", x != nullptr ? "internal" : "none",
                 y != nullptr ? "internal" : "none");
      return;
    }
    const auto shape = [](nac::packed<std::uint32_t> s) { return text_of_shape(s); };
    property(to, "type", std::string(name(x->type)), std::string(name(y->type)));
    property(to, "shape", shape(x->value_shape()), shape(y->value_shape()));
    property(to, "quantization", std::string(name(x->quantization)),
             std::string(name(y->quantization)));
    if (x->quantization == y->quantization) {
      property(to, "axis", number(x->axis), number(y->axis));
      property(to, "block", number(x->block), number(y->block));
    }
    if (!to.empty() || !options_.weights) return;  // other bytes are no news then
    bytes_property(to, "scales", {x->scales.data(), std::size_t{x->scales.size()} * 4},
                   {y->scales.data(), std::size_t{y->scales.size()} * 4});
    bytes_property(to, "elements", x->data, y->data);
  }

  [[nodiscard]] std::string distance(const nac::tensor& x, const nac::tensor& y) const {
    const result<nac::quantization_error> d = nac::error_between(x, y);
    done(x.data);
    done(y.data);
    if (!d) return {};
    if (d->largest == 0) return "values the same";
    char shown[96];
    std::snprintf(shown, sizeof shown, "values at most %.4g apart, RMS %.4g", d->largest, d->rms());
    return shown;
  }

  void resources() {
    const auto all = [](const nac::model& f) {
      std::vector<nac::resource> out;
      for (const nac::resource& r : f.resources()) out.push_back(r);
      return out;
    };
    items(
        item_difference::kind::resource, all(a_.model()), all(b_.model()),
        [](const nac::resource& r) { return r.name; },
        [this](item_difference& to, const nac::resource& x, const nac::resource& y) {
          bytes_property(to.parts, "content", x.data, y.data);
        });
  }
  void arrays() {
    const auto all = [](const nac::model& f) {
      std::vector<nac::array> out;
      for (const nac::array& a : f.arrays()) out.push_back(a);
      return out;
    };
    items(
        item_difference::kind::array, all(a_.model()), all(b_.model()),
        [](const nac::array& a) { return a.name; },
        [this](item_difference& to, const nac::array& x, const nac::array& y) {
          std::vector<property_difference>& parts = to.parts;
          property(parts, "type", std::string(name(x.type)), std::string(name(y.type)));
          property(parts, "shape", text_of_shape(x.shape), text_of_shape(y.shape));
          if (parts.empty()) bytes_property(parts, "elements", x.data, y.data);
        });
  }

  const lookup& a_;
  const lookup& b_;
  const file_diff_options& options_;
  file_difference out_;
};

}  // namespace

file_difference diff(const lookup& before, const lookup& after, const file_diff_options& options) {
  return comparison(before, after, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
