// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which iterations of a loop decide all of them.
//
//   detail::loop_proof proof(c, order);              // `order` answers for tasks before the loop
//   if (proof.prove(loop_node, body, {0, 999999999}, in_flight)) …    // then look at only:
//   proof.beginning(), proof.ending()                // so many iterations at both ends,
//   proof.extra()                                    // and these
//
// The rules themselves run only on iterations that are visited; what is proven here is that those
// that are left out could add nothing. That holds where
//
//   offsets   are affine in the loop variables, or periodic in them by `mod`. So the first and the
//             last period have the least and the greatest ones; where one leaves its buffer, the
//             first iteration that does is visited (REG-001, REG-003, EXP-004)
//   the rest  of what is evaluated is the same in each iteration, or periodic
//   accesses  of one buffer, of which one writes, move alike: an iteration is a copy of the one a
//             period before it, as are all pairs that may overlap (HAZ-001 … HAZ-004, XFR-006).
//             Others never meet; or their first meeting is visited, where iterations don't overlap
//   earlier   tasks that may still run touch nothing that the loop reaches only later
//   L1        what is read was written before the loop or in the same iteration (HAZ-006), and
//             what is written has no gaps
//   inner     loops are left out only where iterations of outer ones that are in flight together
//             share none of their bytes
//
// Anything else isn't proven, and the loop is expanded.
//
// Lifetime:   borrows the context; what it returns lasts until the next call.
// Errors:     none are reported.
// Limits:     4 nested loops, periods of 1,024, 64 extra iterations; `work` steps in all calls.
// Allocation: linear in the loop's statements.

#ifndef TESSERA_NEM_DETAIL_RULES_LOOP_PROOF_HPP
#define TESSERA_NEM_DETAIL_RULES_LOOP_PROOF_HPP

#include <cstddef>
#include <cstdint>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "../../visitor.hpp"
#include "affine.hpp"
#include "arithmetic.hpp"
#include "context.hpp"
#include "scope.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Bytes of a buffer.
struct byte_range {
  std::uint32_t buffer = 0;  ///< in values::buffers
  std::int64_t first = 0, last = 0;
};

/// What a region is in all iterations.
struct moving_region {
  affine offset;
  std::int64_t min_extent = 0, max_extent = 0;
  std::uint32_t buffer = no_index;  ///< in values::buffers
  std::uint32_t node = 0;
};
/// What a task of a loop reads or writes.
struct moving_access {
  moving_region what;
  loop_range loops[affine::max_loops];
  std::uint32_t task = 0, loop = 0;  ///< nodes: the task, the innermost loop around it
  std::uint32_t loop_end = 0;
  bool is_write = false, is_inner = false;

  /// Where its first and its last byte may be; from the loop `from` on.
  [[nodiscard]] reach bytes(std::size_t from = 0) const noexcept {
    reach r = what.offset.reach_of(loops, from);
    r.high += what.max_extent;
    return r;
  }
};
/// Whether two ranges of bytes have none in common.
[[nodiscard]] inline bool are_apart(const reach& a, const reach& b) noexcept {
  return a.high <= b.low || b.high <= a.low;
}

/// What the statements of a loop do in all of its iterations. The loop has the variable 0.
class loop_summary {
 public:
  static constexpr std::int64_t max_period = 1024;
  static constexpr std::size_t max_extra = 64;

  explicit loop_summary(context& c) : c_(c) {}

  /// False where its statements have anything that isn't affine.
  [[nodiscard, gnu::cold]] bool summarise(std::uint32_t loop, std::uint32_t body,
                                          loop_range range) {
    bound_.clear();
    regions_.clear();
    accesses_.clear();
    extra_.clear();
    period_ = 1;
    tasks_ = 0;
    iterations_ = times_ = 1;
    depth_ = 0;
    loop_ = loop;
    has_inner_ = false;
    for (loop_range& r : loops_) r = {};
    if (last_of_.empty()) last_of_.resize(c_.d.names.size());
    enter(loop, range);
    const bool is_known = statements(body + 1, c_[body].next);
    forget(0);
    return is_known;
  }

  [[nodiscard]] const pool<moving_access>& accesses() const noexcept { return accesses_; }
  [[nodiscard]] std::uint64_t period() const noexcept {
    return static_cast<std::uint64_t>(period_);
  }
  [[nodiscard]] bool has_inner() const noexcept { return has_inner_; }
  /// What one iteration does, with those of inner loops; they saturate.
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }
  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  /// Iterations that have to be visited, in order.
  [[nodiscard]] view<std::int64_t> extra() const noexcept { return extra_; }
  /// Adds one; false where there are too many.
  [[nodiscard]] bool visit(std::int64_t value) {
    std::size_t i = extra_.size();
    while (i != 0 && extra_[i - 1] > value) --i;
    if (i != 0 && extra_[i - 1] == value) return true;
    if (extra_.size() == max_extra) return false;
    extra_.push_back(value);
    for (std::size_t k = extra_.size() - 1; k > i; --k) extra_[k] = extra_[k - 1];
    extra_[i] = value;
    return true;
  }

 private:
  enum class kind : std::uint8_t { number, region, other };
  /// A name that the loop binds. What is `other` is the same in each iteration, or periodic.
  struct bound_name {
    std::uint32_t name, shadowed;  ///< + 1, in bound_
    kind what;
    std::uint32_t region;
    affine value;
  };

  [[nodiscard]] static std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
  }
  [[nodiscard]] static std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
    return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
  }

  // Names ----------------------------------------------------------------------------------------

  void bind(std::uint32_t name, kind what, std::uint32_t region, const affine& value) {
    bound_.push_back({name, last_of_[name], what, region, value});
    last_of_[name] = static_cast<std::uint32_t>(bound_.size());
  }
  void forget(std::size_t left) noexcept {
    for (; bound_.size() > left; bound_.pop_back())
      last_of_[bound_.back().name] = bound_.back().shadowed;
  }
  [[nodiscard]] const bound_name* find(std::uint32_t name) const noexcept {
    return last_of_[name] == 0 ? nullptr : &bound_[last_of_[name] - 1];
  }
  void enter(std::uint32_t loop, loop_range range) {
    loops_[depth_] = range;
    affine variable;
    variable.slopes[depth_++] = 1;
    bind(c_[loop].value, kind::number, 0, variable);
  }

  // Expressions ----------------------------------------------------------------------------------

  /// Whether what is evaluated below a node is the same in each iteration, or periodic.
  [[nodiscard]] bool is_steady(std::uint32_t at) {
    for (std::uint32_t i = at; i < c_[at].next;) {
      affine x;
      if (c_[i].kind == node_kind::expression && value(i, x)) {
        if (!x.is_steady()) return false;
        i = c_[i].next;
        continue;
      }
      const bound_name* const b = c_[i].kind == node_kind::name ? find(c_[i].value) : nullptr;
      if (b != nullptr && b->what == kind::number && !b->value.is_steady()) return false;
      ++i;
    }
    return true;
  }
  /// Whether a value stays within limits. Where it leaves them, the first iteration that has it do
  /// so is visited, for its error.
  [[nodiscard]] bool keeps(const affine& a, int128 min, int128 max) {
    const reach all = a.reach_of(loops_);
    if (all.low >= min && all.high <= max) return true;
    if (!a.is_exact()) return false;
    const reach inner = a.reach_of(loops_, 1);
    std::int64_t i = 0;
    if (first_above(a.slopes[0], inner.high, max, loops_[0], i) && !visit(i)) return false;
    return !first_above(-int128{a.slopes[0]}, -inner.low, -min, loops_[0], i) || visit(i);
  }
  [[nodiscard]] bool has_room(const affine& a) { return keeps(a, INT64_MIN, INT64_MAX); }

  [[nodiscard]] bool operand(std::uint32_t at, affine& to) const {
    const node& n = c_[at];
    if (n.kind == node_kind::integer || n.kind == node_kind::wide_integer) {
      to = affine::constant(c_.d.integer(n));
      return true;
    }
    if (n.kind != node_kind::name) return false;
    if (const bound_name* const b = find(n.value); b != nullptr) {
      to = b->value;
      return b->what == kind::number;
    }
    const binding& b = (*c_.names)[n.value];
    to = affine::constant(b.integer);
    return b.is_known && (b.kind == binding_kind::constant || b.kind == binding_kind::integer ||
                          b.kind == binding_kind::loop_variable);
  }
  /// `mod` and `/` by a positive constant of what is never negative: others are left to expansion.
  [[nodiscard]] bool divide(node_kind op, affine& a, const affine& b) {
    const reach all = a.reach_of(loops_);
    if (!b.is_constant() || b.low <= 0 || all.low < 0) return false;
    const std::int64_t by = b.low;
    if (op == node_kind::divide) {
      a.low /= by;
      a.high /= by;
      return a.is_steady();
    }
    if (all.high < by) return true;
    if (a.is_constant()) {
      a = affine::constant(a.low % by);
      return true;
    }
    if (a.slopes[0] != 0 && !repeats_after(by / gcd(a.slopes[0], by))) return false;
    a = {{}, 0, by - 1};
    return true;
  }
  [[nodiscard]] static std::int64_t gcd(std::int64_t a, std::int64_t b) noexcept {
    if (a < 0) a = -a;
    while (b != 0) {
      const std::int64_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
  /// Values come back after so many iterations too.
  [[nodiscard]] bool repeats_after(std::int64_t period) noexcept {
    if (period > max_period) return false;
    period_ = period_ / gcd(period_, period) * period;
    return period_ <= max_period;
  }
  [[nodiscard]] bool apply_operator(node_kind op, affine& a, affine& b) {
    switch (op) {
      case node_kind::add: return a.add(b) && has_room(a);
      case node_kind::subtract: return b.scale(-1) && a.add(b) && has_room(a);
      case node_kind::multiply: return a.multiply(b) && has_room(a);
      case node_kind::negate: return a.scale(-1) && has_room(a);
      case node_kind::divide:
      case node_kind::modulo: return divide(op, a, b);
      default: return false;  // unreachable: no other operators
    }
  }
  /// The value of an expression of integers; false where it isn't affine.
  [[nodiscard, gnu::cold]] bool value(std::uint32_t at, affine& to) {
    if (c_[at].kind != node_kind::expression) return operand(at, to);
    constexpr std::size_t most = 16;
    affine stack[most];
    std::size_t size = 0;
    for (std::uint32_t i = at + 1; i < c_[at].next; ++i) {
      const node_kind k = c_[i].kind;
      if (!is_operator(k)) {
        if (size == most || !operand(i, stack[size++])) return false;
        continue;
      }
      if (size < (is_unary(k) ? 1u : 2u)) return false;
      if (!is_unary(k)) --size;
      if (!apply_operator(k, stack[size - 1], stack[is_unary(k) ? size - 1 : size])) return false;
    }
    to = stack[0];
    return size == 1;
  }

  // Statements -----------------------------------------------------------------------------------

  [[nodiscard]] bool statements(std::uint32_t at, std::uint32_t end) {
    for (; at < end; at = c_[at].next) {
      bool is_known = false;
      switch (c_[at].kind) {
        case node_kind::let: is_known = let(at); break;
        case node_kind::loop: is_known = inner_loop(at); break;
        case node_kind::transfer:
        case node_kind::store:
        case node_kind::compute: is_known = task(at); break;
        case node_kind::wait: is_known = true; break;
        default: break;  // what is declared in a loop is left to expansion
      }
      if (!is_known) return false;
    }
    return true;
  }

  [[nodiscard]] bool let(std::uint32_t at) {
    const std::uint32_t value_at = at + 1, name = c_[at].value;
    std::uint32_t index = 0;
    if (c_[value_at].kind == node_kind::region || names_region(value_at)) {
      if (!region(value_at, index)) return false;
      bind(name, kind::region, index, {});
      return true;
    }
    affine x;
    const bool is_number = c_[value_at].kind != node_kind::list && value(value_at, x);
    if (!is_number && !is_steady(value_at)) return false;
    bind(name, is_number ? kind::number : kind::other, 0, is_number ? x : affine{});
    return true;
  }
  [[nodiscard]] bool names_region(std::uint32_t at) const noexcept {
    if (c_[at].kind != node_kind::name) return false;
    const bound_name* const b = find(c_[at].value);
    return b != nullptr ? b->what == kind::region
                        : (*c_.names)[c_[at].value].kind == binding_kind::region;
  }

  /// The region that a node is or names, as an index in regions_.
  [[nodiscard]] bool region(std::uint32_t at, std::uint32_t& to) {
    moving_region r;
    if (c_[at].kind == node_kind::region) {
      if (!evaluate(at, r)) return false;
    } else {
      if (!names_region(at)) return false;
      if (const bound_name* const b = find(c_[at].value); b != nullptr) {
        to = b->region;
        return true;
      }
      const binding& b = (*c_.names)[c_[at].value];
      if (!b.is_known || !c_.v.regions[b.index].is_sound) return false;
      const nem::region& x = c_.v.regions[b.index];
      r = {affine::constant(x.offset), x.extent, x.extent, x.buffer, x.node};
    }
    to = static_cast<std::uint32_t>(regions_.size());
    regions_.push_back(r);
    return true;
  }
  [[nodiscard]] bool evaluate(std::uint32_t at, moving_region& to) {
    const binding& b = (*c_.names)[c_[at].value];
    if (find(c_[at].value) != nullptr || b.kind != binding_kind::buffer || !b.is_known ||
        !c_.v.buffers[b.index].is_known)
      return false;
    to.buffer = b.index;
    to.node = at;
    std::size_t numbers = 0;
    affine extent;
    for (const std::uint32_t i : children(c_.d, at)) switch (c_[i].kind) {
        case node_kind::elem:
        case node_kind::layout: break;
        case node_kind::shape:
        case node_kind::strides:
        case node_kind::quant:
          if (!is_steady(i)) return false;
          break;
        default:
          if (numbers > 1 || !value(i, numbers == 0 ? to.offset : extent)) return false;
          ++numbers;
      }
    if (numbers != 2 || !extent.is_steady() || extent.low <= 0) return false;
    to.min_extent = extent.low;
    to.max_extent = extent.high;
    affine end = to.offset;
    return keeps(to.offset, 0, INT64_MAX) && end.add(extent) &&
           keeps(end, INT64_MIN, c_.v.buffers[b.index].size);
  }

  [[nodiscard]] bool task(std::uint32_t at) {
    tasks_ = plus(tasks_, times_);
    for (const std::uint32_t i : children(c_.d, at)) switch (c_[i].kind) {
        case node_kind::input:
        case node_kind::source:
          if (!access(at, i, false)) return false;
          break;
        case node_kind::output:
        case node_kind::destination:
          if (!access(at, i, true)) return false;
          break;
        case node_kind::opcode:
        case node_kind::deps: break;
        default:
          if (!is_steady(i)) return false;
      }
    return true;
  }
  [[nodiscard]] bool access(std::uint32_t task, std::uint32_t at, bool is_write) {
    std::uint32_t index = 0;
    if (!region(at + 1, index)) return false;
    moving_access a;
    a.what = regions_[index];
    for (std::size_t k = 0; k < affine::max_loops; ++k) a.loops[k] = loops_[k];
    a.task = task;
    a.loop = loop_;
    a.loop_end = c_[loop_].next;
    a.is_write = is_write;
    a.is_inner = depth_ > 1;
    accesses_.push_back(a);
    return true;
  }

  [[nodiscard]] bool inner_loop(std::uint32_t at) {
    const std::uint32_t first_at = at + 1, last_at = c_[first_at].next;
    affine first, last;
    if (depth_ == affine::max_loops || !value(first_at, first) || !value(last_at, last) ||
        !first.is_constant() || !last.is_constant() || first.low > last.low)
      return false;
    std::uint32_t body = no_node;
    for (std::uint32_t i = c_[last_at].next; i < c_[at].next; i = c_[i].next) {
      if (c_[i].kind == node_kind::body)
        body = i;
      else if (!is_steady(i))
        return false;
    }
    if (body == no_node) return true;
    has_inner_ = true;
    const std::size_t names = bound_.size();
    const std::uint64_t outer = times_;
    const std::uint32_t outer_loop = loop_;
    const std::uint64_t count =
        static_cast<std::uint64_t>(last.low) - static_cast<std::uint64_t>(first.low);
    times_ = times(times_, plus(count, 1));
    iterations_ = plus(iterations_, times_);
    loop_ = at;
    enter(at, {first.low, last.low});
    const bool is_known = statements(body + 1, c_[body].next);
    loops_[--depth_] = {};
    loop_ = outer_loop;
    times_ = outer;
    forget(names);
    return is_known;
  }

  context& c_;
  pool<std::uint32_t> last_of_;  ///< by name: its last binding + 1, in bound_
  pool<bound_name> bound_;
  pool<moving_region> regions_;
  pool<moving_access> accesses_;
  pool<std::int64_t> extra_;
  loop_range loops_[affine::max_loops];
  std::size_t depth_ = 0;
  std::uint32_t loop_ = 0;
  std::int64_t period_ = 1;
  std::uint64_t tasks_ = 0, iterations_ = 1, times_ = 1;
  bool has_inner_ = false;
};

/// Decides from a summary which iterations have to be visited. `Order` knows the tasks before the
/// loop: detail::hazards.
template <class Order>
class loop_proof {
 public:
  loop_proof(context& c, Order& order) : c_(c), order_(order), summary_(c) {}

  /// What is known of a loop: false where its statements aren't affine, or too much was asked for.
  [[nodiscard, gnu::cold]] bool summarise(std::uint32_t loop, std::uint32_t body, loop_range range,
                                          std::uint64_t in_flight) {
    range_ = range;
    in_flight_ = in_flight;
    return spend(c_[loop].next - loop) && summary_.summarise(loop, body, range);
  }
  [[nodiscard]] const loop_summary& summary() const noexcept { return summary_; }

  /// Whether iterations that are in flight together share no bytes that one of them writes, as far
  /// as inner loops touch them.
  [[nodiscard, gnu::cold]] bool are_inner_apart() {
    if (in_flight_ <= 1 || !summary_.has_inner()) return true;
    const pool<moving_access>& all = summary_.accesses();
    if (!spend(all.size() * all.size())) return false;
    for (const moving_access& p : all)
      for (const moving_access& q : all)
        if (is_conflict(p, q) && (p.is_inner || q.is_inner) && meet_in_flight(p, q)) return false;
    return true;
  }

  /// Whether all iterations follow from those of beginning(), ending() and summary().extra().
  [[nodiscard, gnu::cold]] bool prove() {
    order_by_buffer();
    if (!move_alike()) return false;
    written_.clear();
    for (const std::uint32_t i : sorted_)
      if (!is_independent(i)) return false;
    return true;
  }
  /// Iterations from the first on, and up to the last, that are visited.
  [[nodiscard]] std::uint64_t beginning() const noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    return (in_flight_ < most ? in_flight_ * 2 : most) + 4 + 2 * summary_.period();
  }
  [[nodiscard]] std::uint64_t ending() const noexcept {
    return summary_.period() < 2 ? 2 : summary_.period();
  }
  /// Bytes of L1 buffers that the loop writes.
  [[nodiscard]] view<byte_range> written() const noexcept { return written_; }

 private:
  [[nodiscard]] bool spend(std::uint64_t steps) noexcept {
    work_ -= work_ < steps ? work_ : steps;
    return work_ != 0;
  }
  [[nodiscard]] static bool is_conflict(const moving_access& p, const moving_access& q) noexcept {
    return p.what.buffer == q.what.buffer && (p.is_write || q.is_write);
  }
  /// Whether p of some iteration meets q of a later one while both are in flight.
  [[nodiscard]] bool meet_in_flight(const moving_access& p, const moving_access& q) const noexcept {
    if (are_apart(p.bytes(), q.bytes())) return false;
    const std::int64_t slope = p.what.offset.slopes[0];
    if (slope != q.what.offset.slopes[0]) return true;
    // q lies slope * d further on: [slope * d + b.low, slope * d + b.high) meets a for some d
    const reach a = p.bytes(1), b = q.bytes(1);
    const std::uint64_t trip =
        static_cast<std::uint64_t>(range_.last) - static_cast<std::uint64_t>(range_.first);
    const std::uint64_t most = in_flight_ - 1 < trip ? in_flight_ - 1 : trip;
    if (most == 0) return false;
    int128 first = 1;
    if (slope == 0) return a.low < b.high && b.low < a.high;
    const int128 step = slope < 0 ? -int128{slope} : int128{slope};
    // Downwards is upwards with both ranges mirrored.
    const int128 to_low = slope > 0 ? a.low - b.high : b.low - a.high;
    const int128 to_high = slope > 0 ? a.high - b.low : b.high - a.low;
    if (to_low >= 0) first = to_low / step + 1;  // step * d > to_low
    return first <= most && first * step < to_high;
  }

  void order_by_buffer() {
    const pool<moving_access>& all = summary_.accesses();
    sorted_.clear();
    for (std::uint32_t i = 0; i < all.size(); ++i) sorted_.push_back(i);
    sort(sorted_.data(), sorted_.size(), [&all](std::uint32_t a, std::uint32_t b) {
      return all[a].what.buffer < all[b].what.buffer;
    });
  }
  /// Whether accesses of one buffer keep their distances from one iteration to the next, or don't
  /// matter to one another.
  [[nodiscard]] bool move_alike() {
    const pool<moving_access>& all = summary_.accesses();
    for (std::size_t first = 0, last = 0; first < sorted_.size(); first = last) {
      const moving_access& a = all[sorted_[first]];
      bool is_written = false, is_alike = true;
      for (last = first; last < sorted_.size(); ++last) {
        const moving_access& b = all[sorted_[last]];
        if (b.what.buffer != a.what.buffer) break;
        is_written = is_written || b.is_write;
        is_alike = is_alike && b.what.offset.slopes[0] == a.what.offset.slopes[0];
      }
      if (is_alike || !is_written) continue;
      if (!spend((last - first) * (last - first))) return false;
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t k = i + 1; k < last; ++k)
          if (!settle(all[sorted_[i]], all[sorted_[k]])) return false;
    }
    return true;
  }
  /// Whether two accesses that don't move alike never meet, or where they do is visited. Ranges of
  /// bytes are compared, so that in place or not isn't known.
  [[nodiscard]] bool settle(const moving_access& p, const moving_access& q) {
    const affine &a = p.what.offset, &b = q.what.offset;
    if (!is_conflict(p, q) || a.slopes[0] == b.slopes[0] || are_apart(p.bytes(), q.bytes()))
      return true;
    const bool is_plain = a.is_exact() && b.is_exact() && p.what.min_extent == p.what.max_extent &&
                          q.what.min_extent == q.what.max_extent;
    if (in_flight_ > 1 || p.is_inner || q.is_inner || !is_plain ||
        (p.task == q.task && c_[p.task].kind == node_kind::compute))
      return false;
    std::int64_t i = 0;
    return !first_meeting(int128{a.slopes[0]} - b.slopes[0], int128{a.low} - b.low,
                          p.what.max_extent, q.what.max_extent, range_, i) ||
           summary_.visit(i);
  }

  /// Whether an access that moves meets nothing from before the loop that an iteration in the middle
  /// would meet first.
  [[nodiscard]] bool is_independent(std::uint32_t index) {
    const moving_access& a = summary_.accesses()[index];
    if (a.what.offset.slopes[0] == 0) return true;
    const buffer& b = c_.v.buffers[a.what.buffer];
    const reach r = a.bytes();
    // Where it isn't in its buffer, an iteration that is visited has the error.
    const byte_range all{a.what.buffer, r.low < 0 ? 0 : static_cast<std::int64_t>(r.low),
                         r.high > b.size ? b.size : static_cast<std::int64_t>(r.high)};
    if (all.first >= all.last) return true;
    if (order_.may_race(c_.v, all, a.is_write)) return false;
    if (b.level != level::l1) return true;
    if (!a.is_write) return is_written_before(index) || order_.is_written(c_.v, all);
    if (!has_no_gaps(a)) return false;
    written_.push_back(all);
    return true;
  }
  /// Whether an earlier task of the same iteration has written what is read.
  [[nodiscard]] bool is_written_before(std::uint32_t index) {
    const pool<moving_access>& all = summary_.accesses();
    const moving_access& r = all[index];
    if (!spend(index + 1)) return false;
    for (std::uint32_t i = 0; i < index; ++i) {
      const moving_access& w = all[i];
      const bool is_around = w.loop <= r.loop && r.loop < w.loop_end;
      if (!w.is_write || w.task == r.task || !is_around || w.what.buffer != r.what.buffer) continue;
      if (w.what.node == r.what.node) return true;
      const affine &x = w.what.offset, &y = r.what.offset;
      bool is_same = x.is_exact() && y.is_exact();
      for (std::size_t k = 0; k < affine::max_loops; ++k)
        is_same = is_same && x.slopes[k] == y.slopes[k];
      if (is_same && x.low <= y.low &&
          int128{y.low} + r.what.max_extent <= int128{x.low} + w.what.min_extent)
        return true;
    }
    return false;
  }
  /// Whether the bytes of all iterations together are one range.
  [[nodiscard]] static bool has_no_gaps(const moving_access& a) noexcept {
    if (!a.what.offset.is_exact() || a.what.min_extent != a.what.max_extent) return false;
    const int128 plenty = int128{INT64_MAX} * 4;  // more than any stride
    int128 covered = a.what.max_extent;
    bool is_done[affine::max_loops] = {};
    for (std::size_t round = 0; round < affine::max_loops; ++round) {
      std::size_t least = affine::max_loops;
      int128 stride = 0;
      for (std::size_t k = 0; k < affine::max_loops; ++k) {
        const int128 s = a.what.offset.slopes[k] < 0 ? -int128{a.what.offset.slopes[k]}
                                                     : int128{a.what.offset.slopes[k]};
        if (is_done[k] || (least != affine::max_loops && s >= stride)) continue;
        least = k;
        stride = s;
      }
      is_done[least] = true;
      if (stride == 0 || a.loops[least].first == a.loops[least].last) continue;
      if (stride > covered) return false;
      if (covered < plenty)
        covered += stride * (int128{a.loops[least].last} - a.loops[least].first);
    }
    return true;
  }

  context& c_;
  Order& order_;
  loop_summary summary_;
  loop_range range_;
  std::uint64_t in_flight_ = 1;
  pool<std::uint32_t> sorted_;
  pool<byte_range> written_;
  std::uint64_t work_ = std::uint64_t{1} << 24;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_LOOP_PROOF_HPP
