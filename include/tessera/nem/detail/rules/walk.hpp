// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How a program is expanded, task by task; see nem/verify.hpp.

#ifndef TESSERA_NEM_DETAIL_RULES_WALK_HPP
#define TESSERA_NEM_DETAIL_RULES_WALK_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/pool.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "../../visitor.hpp"
#include "buffer.hpp"
#include "context.hpp"
#include "decorator.hpp"
#include "evaluate.hpp"
#include "evaluate_attributes.hpp"
#include "loop_proof.hpp"
#include "place.hpp"
#include "region.hpp"
#include "scope.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// How much was expanded.
struct expansion {
  std::uint64_t tasks = 0, iterations = 0;
  std::uint64_t proven_tasks = 0, proven_iterations = 0;  ///< of iterations that needn't be visited
  bool is_partial = false;  ///< whether other iterations were left out
};

/// Whether a visitor knows what proofs need to know of earlier tasks.
template <class Visitor>
concept proves_loops = requires(Visitor& to) {
  to.earlier();
};
/// The order of visitors without one: any earlier task may race, and nothing is known to be written.
struct no_order {  // unreachable: as nothing is proven
  static bool may_race(const values&, const byte_range&, bool) noexcept { return true; }
  static bool is_written(const values&, const byte_range&) noexcept { return false; }
  static void begin_skip(bool) noexcept {}
  static void end_skip(const values&, view<byte_range>) noexcept {}
};
template <class Visitor>
[[nodiscard]] auto& order_before(Visitor& to, no_order& other) noexcept {
  if constexpr (proves_loops<Visitor>)
    return to.earlier();
  else
    return other;
}

/// `is_checking` is for verification, which also checks what doesn't depend on an iteration.
template <class Visitor, bool is_checking>
class walker {
 public:
  walker(context& c, Visitor& to, std::uint64_t max)
      : c_(c),
        v_(c.v),
        to_(to),
        names_(c.d),
        order_(order_before(to, no_order_)),
        proof_(c, order_) {
    c.names = &names_;
    if (is_checking) c.found.end_with({name_iteration, this});
    max_ = max;
    max_nodes_ = times(max, 128);
  }
  walker(const walker&) = delete;
  walker& operator=(const walker&) = delete;
  ~walker() {
    c_.names = nullptr;
    c_.found.end_with({});
  }

  [[gnu::cold]] expansion run() {
    const std::uint32_t end = static_cast<std::uint32_t>(c_.d.nodes.size());
    std::uint32_t at = 0;
    for (;;) {
      if (frames_.empty() ? at >= end : at >= frames_.back().end) {
        if (frames_.empty()) break;
        at = end_iteration();
      } else if (is_stopped_) {
        if (frames_.empty()) break;
        at = frames_.back().end;
      } else {
        at = statement(at);
      }
    }
    to_.end(v_);
    return expanded_;
  }

 private:
  using order = std::remove_reference_t<decltype(order_before(std::declval<Visitor&>(),
                                                              std::declval<no_order&>()))>;
  /// Tasks and iterations beyond the budget that loops may have that are proven.
  static constexpr std::uint64_t max_planned = 1 << 16;

  /// What a scope's end takes back.
  struct marks {
    std::size_t regions, quants, numbers, reals;
  };
  struct frame {
    std::uint32_t node, body, end;
    std::int64_t value, last, in_flight;
    std::uint64_t done;    ///< iterations that have ended
    bool is_known;         ///< whether its bounds are
    bool was_first_visit;  ///< whether the loop is met for the first time
    bool fits;             ///< whether all of it is within the budget
    bool is_apart;         ///< whether inner loops of iterations in flight share no bytes
    bool has_skipped;
    std::uint32_t plan;  ///< in plans_, of what is proven; no_index where it isn't
    std::int64_t first;
    marks before;
  };
  /// Which iterations of a loop that is proven are visited: some at both ends, and extra ones.
  struct plan {
    std::uint64_t beginning, ending;     ///< iterations
    std::size_t first_extra, extra;      ///< in extra_
    std::size_t first_written, written;  ///< in written_
    std::uint64_t tasks, iterations;     ///< of one iteration
  };

  [[nodiscard]] static std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
  }
  [[nodiscard]] static std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
    return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
  }
  [[nodiscard]] marks mark() const noexcept {
    return {v_.regions.size(), v_.quants.size(), v_.numbers.size(), v_.reals.size()};
  }
  void take_back(const marks& m) noexcept {
    v_.regions.shrink(m.regions);
    v_.quants.shrink(m.quants);
    v_.numbers.shrink(m.numbers);
    v_.reals.shrink(m.reals);
  }
  /// Whether all enclosing loops are in their first iteration, so that each node is met first.
  [[nodiscard]] bool is_first_visit() const noexcept {
    return frames_.empty() || (frames_.back().was_first_visit && frames_.back().done == 0);
  }
  /// Says in which iteration something was found, where others don't have it: after a first
  /// iteration, and where what was found names something that varies. Some say so themselves.
  [[gnu::cold]] static void name_iteration(const void* self, const diagnostic& d, text& to) {
    const walker& w = *static_cast<const walker*>(self);
    if (w.frames_.empty() || d.code == errc::nem_haz_002_iterations ||
        d.code == errc::nem_haz_003_rewritten || d.code == errc::nem_haz_005_partial ||
        d.code == errc::nem_cap_003_tokens)
      return;
    bool is_meant = !w.is_first_visit();
    const phase found_by = phase_of(d.code);
    const std::uint32_t end = w.c_[w.at_].next;
    if (end - w.at_ < 256 && (found_by == phase::eval || found_by == phase::region ||
                              found_by == phase::buffer || found_by == phase::place))
      for (std::uint32_t i = w.at_; i < end && !is_meant; ++i) {
        const node& n = w.c_[i];
        is_meant = n.kind == node_kind::name && n.offset - d.where.offset < d.where.length &&
                   w.names_[n.value].varies;
      }
    if (!is_meant) return;
    constexpr std::size_t max_named = 8;
    const std::size_t depth = w.frames_.size();
    for (std::size_t i = depth > max_named ? depth - max_named : 0; i < depth; ++i) {
      const frame& f = w.frames_[i];
      if (f.is_known)
        to << (i + max_named == depth || i == 0 ? " where " : " and ")
           << w.c_.name(f.node).substr(0, 64) << " is " << f.value;
    }
  }
  void check_decorators_of([[maybe_unused]] std::uint32_t at,
                           [[maybe_unused]] std::uint8_t target) {
    if constexpr (is_checking)
      if (is_first_visit()) check_decorators(c_, at, target);
  }

  // Statements -----------------------------------------------------------------------------------

  /// Returns the statement that follows.
  std::uint32_t statement(std::uint32_t at) {
    const node& n = c_[at];
    at_ = at;
    switch (n.kind) {
      case node_kind::constant: constant(at); break;
      case node_kind::let: let(at); break;
      case node_kind::buffer:
        declare_buffer(c_, at);
        check_decorators_of(at, on_buffer);
        break;
      case node_kind::loop: return begin_loop(at);
      case node_kind::transfer:
      case node_kind::store:
      case node_kind::compute: task(at); break;
      case node_kind::wait: wait(at); break;
      default: break;
    }
    return n.next;
  }

  [[gnu::cold]] void constant(std::uint32_t at) {
    if (names_.depth() != 0)
      c_.report(errc::nem_con_005_in_loop, at)
          << "const declaration not permitted inside loop body";
    number x = {};
    binding b;
    b.kind = binding_kind::constant;
    b.node = at;
    b.is_known = evaluate(c_, at + 1, for_constant, x);
    b.integer = x.integer;
    declare(c_, c_[at].value, b);
  }

  [[gnu::cold]] void let(std::uint32_t at) {
    const std::uint32_t value = at + 1;
    binding b;
    switch (c_[value].kind) {
      case node_kind::region:
        b.kind = binding_kind::region;
        b.index = evaluate_region(c_, value, at);
        if (c_[value].next < c_[at].next) {
          v_.regions[b.index].flags |= decorated_access(c_.d, at);
          check_decorators_of(at, on_region);
        }
        break;
      case node_kind::list: b = list(value); break;
      case node_kind::string:
        b.kind = binding_kind::string;
        b.index = c_[value].value;
        break;
      case node_kind::name: {
        const binding& other = names_[c_[value].value];
        if (other.kind == binding_kind::region || other.kind == binding_kind::string ||
            other.kind == binding_kind::list || other.kind == binding_kind::integers ||
            other.kind == binding_kind::reals) {
          b = other;
          break;
        }
      }
        [[fallthrough]];
      default: {
        number x = {};
        b.is_known = evaluate(c_, value, for_number, x);
        b.kind = b.is_known && x.is_real ? binding_kind::real : binding_kind::integer;
        b.integer = x.is_real ? std::bit_cast<std::int64_t>(x.real) : x.integer;
        b.varies = x.varies;
      }
    }
    b.node = at;
    declare(c_, c_[at].value, b);
  }

  /// The value of a list: numbers if it has nothing else.
  [[gnu::cold]] binding list(std::uint32_t at) {
    binding b;
    const std::uint32_t end = c_[at].next;
    bool has_others = false, has_reals = false;
    const std::size_t first_number = v_.numbers.size(), first_real = v_.reals.size();
    for (std::uint32_t i = at + 1; i < end;) {
      const node& n = c_[i];
      if (n.kind == node_kind::list) {
        has_others = true;
        ++i;
        continue;
      }
      const binding_kind named =
          n.kind == node_kind::name ? names_[n.value].kind : binding_kind::none;
      if (n.kind == node_kind::string || named == binding_kind::string ||
          named == binding_kind::list || named == binding_kind::integers ||
          named == binding_kind::reals) {
        has_others = true;
      } else {
        number x = {};
        if (!evaluate(c_, i, for_number, x)) b.is_known = false;
        b.varies = b.varies || x.varies;
        has_reals = has_reals || x.is_real;
        v_.numbers.push_back(x.integer);
        v_.reals.push_back(x.as_real());
      }
      i = n.next;
    }
    if (has_others || !b.is_known) {
      b.kind = binding_kind::list;
      v_.numbers.resize(first_number);
      v_.reals.resize(first_real);
      return b;
    }
    named_numbers l;
    l.first_real = static_cast<std::uint32_t>(first_real);
    l.first_number = static_cast<std::uint32_t>(first_number);
    l.count = static_cast<std::uint32_t>(v_.reals.size() - first_real);
    for (std::uint32_t i = 0; i < l.count; ++i) {
      const double x = v_.reals[first_real + i];
      std::int64_t& n = v_.numbers[first_number + i];
      if (has_reals) l.are_integers = to_integer(x, n) && l.are_integers;
      if (i == 0 || !(x >= l.least)) l.least = x;
      if (i == 0 || !(x <= l.greatest)) l.greatest = x;
      if (i == 0 || n < l.min_integer) l.min_integer = n;
      if (i == 0 || n > l.greatest_integer) l.greatest_integer = n;
    }
    if (!l.are_integers) v_.numbers.resize(first_number);
    b.kind = has_reals ? binding_kind::reals : binding_kind::integers;
    b.index = has_reals ? l.first_real : l.first_number;
    b.integer = names_.add_list(l);
    return b;
  }

  // Tasks ----------------------------------------------------------------------------------------

  [[gnu::cold]] void operand(std::uint32_t at, bool is_output) {
    const std::uint32_t value = at + 1;
    nem::operand o;
    o.node = at;
    if (c_[value].kind == node_kind::region) {
      o.region = evaluate_region(c_, value, no_node);
    } else {
      const binding& b = names_[c_[value].value];
      if (b.kind == binding_kind::region) {
        if (b.is_known) o.region = b.index;
      } else if (b.kind == binding_kind::none) {
        auto&& w = c_.report(errc::nem_nam_005_operand, value);
        w << "operand " << c_.name(value) << " isn't declared before this point";
        suggest(c_, w, c_.name(value), binding_kind::region);
      } else if (b.is_known) {
        (c_.report(errc::nem_nam_006_not_region, value)
         << "expected a region as operand, " << c_.name(value) << " is a " << name(b.kind))
                .note(head(c_, b.node))
            << c_.name(value) << " is declared here";
      }
    }
    if (c_[value].next < c_[at].next) check_decorators_of(at, on_operand);
    if (is_output && o.region != no_index) {
      const region& r = v_.regions[o.region];
      if (r.is_sound && r.has_strides && overlaps_itself(v_, r, work_))
        c_.report(errc::nem_reg_010_overlapping_elements, at)
            << "the task writes a region whose strides map several elements to the same bytes";
    }
    v_.operands.push_back(o);
  }

  /// Resolves names of tokens into values::deps.
  [[gnu::cold]] void tokens(std::uint32_t at) {
    names_.begin_list();
    for (const std::uint32_t i : children(c_.d, at)) {
      if (c_[i].kind != node_kind::name) continue;
      const std::uint32_t name_index = c_[i].value;
      const binding b = names_[name_index];
      if (!names_.first_in_list(name_index))
        c_.report(errc::nem_tok_007_repeated, i) << "duplicate token " << c_.name(i);
      else if (b.kind == binding_kind::token) {
        if (b.is_known) v_.deps.push_back(b.index);
      } else if (b.kind != binding_kind::none) {
        if (!b.is_known) continue;
        (c_.report(errc::nem_tok_004_kind, i)
         << "expected a token, " << c_.name(i) << " is a " << name(b.kind))
                .note(head(c_, b.node))
            << c_.name(i) << " is declared here";
      } else if (const std::uint32_t task = names_.task_of(name_index); task != no_node) {
        unseen_token(at, i, task);
      } else {
        auto&& w = c_.report(errc::nem_tok_001_unknown, i);
        w << "no task assigns token " << c_.name(i);
        suggest(c_, w, c_.name(i), binding_kind::token);
      }
    }
  }

  /// TOK-002: the token at `name` of a list, which the task assigns where it isn't visible.
  [[gnu::cold]] void unseen_token(std::uint32_t list, std::uint32_t name, std::uint32_t task) {
    const frame* loop = nullptr;  // that both are in
    for (const frame& f : frames_)
      if (task > f.node && task < c_[f.node].next) loop = &f;
    auto&& w = c_.report(errc::nem_tok_002_early, name);
    w << (task == at_ ? "the task depends on its own token " : "token ") << c_.name(name);
    if (task < at_) {
      (w << " is visible only inside its loop: all tasks of a loop are complete after its endloop")
              .note(head(c_, task))
          << c_.name(name) << " is assigned here";
      drop_token(w, list, name);
      return;
    }
    if (task > at_) w << " is assigned only later";
    if (loop != nullptr) {
      w << ": tokens are local to an iteration, and that of the iteration before isn't visible";
      if (loop->in_flight > 1) {
        w.note(head(c_, loop->node))
            << "up to " << loop->in_flight
            << " iterations overlap; with @max_in_flight(1) each begins after the one before it";
      } else {
        w.note(head(c_, loop->node))
            << "each iteration begins after the one before it is complete; no dependency is needed";
        drop_token(w, list, name);
      }
    } else if (task > at_) {
      w.note(head(c_, task)) << c_.name(name) << " is assigned here";
    }
  }
  /// Suggests a list of deps without one of its tokens. A wait for nothing isn't valid.
  template <class Out>
  [[gnu::cold]] void drop_token(Out& w, std::uint32_t list, std::uint32_t name) const {
    const std::uint32_t end = c_[list].next, next = c_[name].next;
    const std::uint32_t last = c_[name].offset + c_[name].length;
    std::uint32_t before = list;
    for (const std::uint32_t i : children(c_.d, list))
      if (i < name) before = i;
    if (next < end)
      w.fix({0, c_[name].offset, c_[next].offset - c_[name].offset}) << "";
    else if (before != list)
      w.fix(
          {0, c_[before].offset + c_[before].length, last - c_[before].offset - c_[before].length})
          << "";
    else if (c_[list].kind == node_kind::deps)
      w.fix({0, c_[name].offset, last - c_[name].offset}) << "";
  }

  void declare_token(std::uint32_t at, std::uint32_t index, bool is_known) {
    if (c_[at].value == no_name) return;
    binding b;
    b.kind = binding_kind::token;
    b.is_known = is_known;
    b.node = at;
    b.index = index;
    declare(c_, c_[at].value, b);
  }

  [[gnu::cold]] void wait(std::uint32_t at) {
    v_.operands.clear();
    v_.deps.clear();
    tokens(at);
    check_decorators_of(at, on_wait);
    if (c_[at].value != no_name) {
      c_.report(errc::nem_tok_005_wait, at)
          << "wait produces no token, so " << c_.name(at) << " can't name one";
      declare_token(at, 0, false);
    }
    to_.wait(at, view<std::uint32_t>(v_.deps));
  }

  [[gnu::cold]] void task(std::uint32_t at) {
    const node& n = c_[at];
    const marks before = mark();
    v_.operands.clear();
    v_.deps.clear();
    nem::task t;
    t.index = static_cast<std::uint32_t>(expanded_.tasks);
    t.node = at;
    t.mode = static_cast<mode>(n.detail);
    t.token = n.value;
    if (n.kind != node_kind::compute)
      t.opcode = n.kind == node_kind::transfer ? opcode::transfer : opcode::store;
    bool has_decorators = false;
    for (const std::uint32_t i : children(c_.d, at)) switch (c_[i].kind) {
        case node_kind::opcode: t.opcode = static_cast<opcode>(c_[i].detail); break;
        case node_kind::input:
        case node_kind::source:
          operand(i, false);
          ++t.inputs;
          break;
        case node_kind::output:
        case node_kind::destination:
          operand(i, true);
          ++t.outputs;
          break;
        case node_kind::deps: tokens(i); break;
        case node_kind::decorator: has_decorators = true; break;
        default: break;
      }
    if (n.kind != node_kind::compute && v_.operands.size() == 2 &&
        c_[v_.operands[0].node].kind == node_kind::destination) {
      const nem::operand destination = v_.operands[0];
      v_.operands[0] = v_.operands[1];
      v_.operands[1] = destination;
    }
    t.deps = static_cast<std::uint32_t>(v_.deps.size());
    if (has_decorators)
      check_decorators_of(at, n.kind == node_kind::compute ? on_compute : on_transfer);
    bind(c_, t);
    if (n.kind == node_kind::compute) {
      v_.attributes = {};
      evaluate_attributes(c_, at, t.opcode, v_.attributes);
    }
    to_.task(v_, t);
    take_back(before);
    declare_token(at, t.index, true);
    ++expanded_.tasks;
    if (!frames_.empty()) ++spent_;
    is_stopped_ = to_.stopped() || expanded_.tasks >= no_index - 1;
  }

  // Loops ----------------------------------------------------------------------------------------

  [[gnu::cold]] std::uint32_t begin_loop(std::uint32_t at) {
    const std::uint32_t first_at = at + 1, last_at = c_[first_at].next;
    frame f = {};
    f.node = at;
    f.in_flight = 1;
    f.was_first_visit = is_first_visit();
    const purpose bound = {"loop bounds must be integer"};
    const bool has_first = evaluate_integer(c_, first_at, bound, f.value);
    const bool has_last = evaluate_integer(c_, last_at, bound, f.last);
    f.is_known = has_first && has_last;
    if (f.is_known && f.last < f.value) {
      f.is_known = false;
      c_.report(errc::nem_lop_001_empty, last_at)
          << "the loop ends at " << f.last << ", before its start at " << f.value;
    }
    bool has_decorators = false;
    for (std::uint32_t i = c_[last_at].next; i < c_[at].next; i = c_[i].next) {
      has_decorators = has_decorators || c_[i].kind == node_kind::decorator;
      if (c_[i].kind == node_kind::body) {
        f.body = i;
        f.end = c_[i].next;
      }
    }
    if (has_decorators) {
      check_decorators_of(at, on_loop);
      f.in_flight = detail::in_flight(c_, at);
    }
    if (f.end == 0) return c_[at].next;
    if (!f.is_known) f.value = f.last = 0;
    f.before = mark();
    f.first = f.value;
    f.plan = no_index;
    if constexpr (is_checking && proves_loops<Visitor>)
      if (c_.options.proves) prepare(f);
    to_.loop(v_, at, f.value, f.last, f.in_flight);
    frames_.push_back(f);
    begin_iteration();
    return f.body + 1;
  }

  [[gnu::cold]] void begin_iteration() {
    const frame& f = frames_.back();
    ++expanded_.iterations;
    ++spent_;
    spent_nodes_ += f.end - f.body;
    names_.open();
    binding b;
    b.kind = binding_kind::loop_variable;
    b.node = f.node;
    b.is_known = f.is_known;
    b.varies = true;
    b.integer = f.value;
    declare(c_, c_[f.node].value, b);
    to_.iteration(f.node, f.value);
    is_stopped_ = is_stopped_ || to_.stopped();
  }

  [[nodiscard]] bool is_beyond(std::uint64_t factor, std::uint64_t more = 0) const noexcept {
    return spent_ > plus(times(max_, factor), more) ||
           spent_nodes_ > plus(times(max_nodes_, factor), times(more, 128));
  }

  // Loops that needn't be expanded ---------------------------------------------------------------

  /// Whether `times` iterations of so many instances and nodes are within what is left.
  [[nodiscard]] bool fits(std::uint64_t count, std::uint64_t instances,
                          std::uint64_t nodes) const noexcept {
    return plus(spent_, times(count, instances)) <= max_ &&
           plus(spent_nodes_, times(count, nodes)) <= max_nodes_;
  }
  /// Whether a body has loops, and otherwise how many tasks.
  [[nodiscard]] bool has_loops(const frame& f, std::uint64_t& tasks) const noexcept {
    tasks = 0;
    for (std::uint32_t i = f.body + 1; i < f.end; i = c_[i].next) {
      const node_kind k = c_[i].kind;
      if (k == node_kind::loop) return true;
      tasks += k == node_kind::transfer || k == node_kind::store || k == node_kind::compute;
    }
    return false;
  }
  /// Decides how a loop is visited that begins.
  [[gnu::cold]] void prepare(frame& f) {
    const frame* const outer = frames_.empty() ? nullptr : &frames_.back();
    const std::uint64_t count =
        plus(static_cast<std::uint64_t>(f.last) - static_cast<std::uint64_t>(f.first), 1);
    f.fits = outer != nullptr && outer->fits;
    f.is_apart = true;
    if (f.fits || !f.is_known) return;
    std::uint64_t tasks = 0;
    const bool is_inside = outer != nullptr && outer->plan != no_index;
    const bool has_inner = has_loops(f, tasks);
    f.fits = !has_inner && fits(count, tasks + 1, f.end - f.body);
    if (f.fits && !is_inside) return;
    f.is_apart = f.in_flight == 1 || !has_inner;
    if (!proof_.summarise(f.node, f.body, {f.first, f.last},
                          static_cast<std::uint64_t>(f.in_flight)))
      return;
    const loop_summary& s = proof_.summary();
    const std::uint64_t instances = plus(s.tasks(), s.iterations());
    f.fits = fits(count, instances, times(s.iterations(), f.end - f.body));
    if (f.fits && !is_inside) return;
    f.is_apart = f.is_apart || proof_.are_inner_apart();
    for (const frame& other : frames_)
      if (!other.is_apart) return;
    if (proof_.beginning() + proof_.ending() < count && proof_.prove()) make_plan(f);
  }
  void make_plan(frame& f) {
    const loop_summary& s = proof_.summary();
    const view<std::int64_t> extra = s.extra();
    const view<byte_range> written = proof_.written();
    f.plan = static_cast<std::uint32_t>(plans_.size());
    plans_.push_back({proof_.beginning(), proof_.ending(), extra_.size(), extra.size(),
                      written_.size(), written.size(), s.tasks(), s.iterations()});
    extra_.append(extra.data(), extra.size());
    written_.append(written.data(), written.size());
  }
  /// The iteration of a proven loop that follows the current one, which isn't the last.
  [[nodiscard]] std::int64_t next_visited(const frame& f) const noexcept {
    const plan& p = plans_[f.plan];
    const std::uint64_t done = static_cast<std::uint64_t>(f.value) -
                               static_cast<std::uint64_t>(f.first),
                        left = static_cast<std::uint64_t>(f.last) -
                               static_cast<std::uint64_t>(f.value);
    if (done + 1 < p.beginning || left <= p.ending) return f.value + 1;
    const std::int64_t end =
        f.last - static_cast<std::int64_t>(p.ending - 1);  // where the last ones begin
    for (std::size_t i = 0; i < p.extra; ++i)
      if (const std::int64_t x = extra_[p.first_extra + i]; x > f.value) return x < end ? x : end;
    return end;
  }
  /// Goes to the next iteration of a proven loop.
  void advance(frame& f) {
    const std::int64_t next = next_visited(f);
    const std::uint64_t skipped =
        static_cast<std::uint64_t>(next) - static_cast<std::uint64_t>(f.value) - 1;
    f.value = next;
    if (skipped == 0) return;
    const plan& p = plans_[f.plan];
    expanded_.proven_tasks = plus(expanded_.proven_tasks, times(skipped, p.tasks));
    expanded_.proven_iterations = plus(expanded_.proven_iterations, times(skipped, p.iterations));
    order_.begin_skip(!f.has_skipped);
    f.has_skipped = true;
  }
  void end_plan(const frame& f) {
    const plan p = plans_[f.plan];
    if (f.has_skipped) order_.end_skip(v_, {written_.data() + p.first_written, p.written});
    plans_.shrink(f.plan);
    extra_.shrink(p.first_extra);
    written_.shrink(p.first_written);
  }

  /// Returns the statement that follows: of the next iteration, or after the loop.
  [[gnu::cold]] std::uint32_t end_iteration() {
    frame& f = frames_.back();
    names_.close();
    take_back(f.before);
    ++f.done;
    const std::uint64_t left =
        static_cast<std::uint64_t>(f.last) - static_cast<std::uint64_t>(f.value);
    if (left != 0 && f.is_known && !is_stopped_) {
      const std::uint64_t start = times(static_cast<std::uint64_t>(f.in_flight), 2);
      const bool is_proven = f.plan != no_index;
      const bool is_cut = is_beyond(2, is_proven ? max_planned : 0);
      const bool is_skipping =
          !is_proven && left > 2 && is_beyond(1) && f.done >= start && f.done - start >= 4;
      if (is_cut || is_skipping) {
        expanded_.is_partial = true;
        auto w = c_.report(errc::nem_haz_005_partial, f.node);
        w << "the loop has ";
        if (f.done + left != 0)
          w << f.done + left;
        else
          w << "2^64";
        w << " iterations; only its first " << f.done
          << (is_cut ? " are checked" : " and last 2 are checked");
      }
      if (!is_cut) {
        if (is_proven)
          advance(f);
        else
          f.value = is_skipping ? f.last - 1 : f.value + 1;
        begin_iteration();
        return f.body + 1;
      }
    }
    const std::uint32_t next = c_[f.node].next;
    to_.end_loop(f.node);
    if (f.plan != no_index) end_plan(f);
    frames_.pop_back();
    return next;
  }

  context& c_;
  values& v_;
  Visitor& to_;
  scope names_;
  pool<frame> frames_;
  no_order no_order_;
  order& order_;  ///< for proofs
  loop_proof<order> proof_;
  pool<plan> plans_;  ///< of the loops that run
  pool<std::int64_t> extra_;
  pool<byte_range> written_;
  std::uint32_t at_ = 0;  ///< the statement
  expansion expanded_;
  std::uint64_t max_ = 0, max_nodes_ = 0;
  std::uint64_t spent_ = 0, spent_nodes_ = 0;  ///< inside of loops
  std::uint64_t work_ = std::uint64_t{1} << 22;
  bool is_stopped_ = false;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_WALK_HPP
