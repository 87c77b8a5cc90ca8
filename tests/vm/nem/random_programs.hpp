// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Random NEM programs without races, and which of their tasks race when a dependence is taken away.
//
//   random_program p = make_random_program(seed);        // the same everywhere
//   run(p.text());
//   for (const random_program& q : weakened(p)) …        // each with one dependence less
//   for (const race& r : races_of(q)) …                  // what may then go wrong
//
// Programs have buffers of all levels on one to three engines, and tasks that move or combine a few
// bytes: straight on, in loops and in loops of loops, with rings of regions. A task is added with the
// deps, waits and .sync that it needs, sometimes with more; where nothing can order it with another
// iteration, other regions are chosen.
//
// races_of() expands a program, keeps for each execution the set of those that are complete before it
// starts, and compares all pairs. It shares nothing with the library.

#ifndef TESSERA_TESTS_VM_NEM_RANDOM_PROGRAMS_HPP
#define TESSERA_TESTS_VM_NEM_RANDOM_PROGRAMS_HPP

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Numbers that a seed gives, the same on every platform.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 2 + 1) {}
  /// A number from 0 to end - 1.
  [[nodiscard]] std::size_t below(std::size_t end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % end);
  }
  [[nodiscard]] bool once_in(std::size_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Part of an offset: step * variable, or step * (variable mod ring).
struct offset_term {
  std::size_t loop;  ///< which loop's variable
  std::int64_t step, ring;
};
struct random_region {
  std::size_t buffer = 0;
  std::int64_t first = 0, extent = 0;
  std::vector<offset_term> terms = {};
};
struct random_buffer {
  std::string level;
  int engine;  ///< -1: of none
  std::int64_t size;
};

/// A task, a wait or a loop. Tasks are called t0, t1 … by the numbers of their statements.
struct random_statement {
  enum class form : std::uint8_t { task, wait, loop } what = form::task;
  std::string opcode = {};
  bool is_half = false;  ///< f16, not i8
  bool is_sync = false;
  std::vector<random_region> inputs = {}, outputs = {};
  std::vector<std::size_t> tokens = {};  ///< in deps, or waited for
  std::int64_t iterations = 0, in_flight = 1;
  std::vector<std::size_t> body = {};

  [[nodiscard]] bool is_move() const { return opcode == "transfer" || opcode == "store"; }
};

struct random_program {
  std::vector<random_buffer> buffers = {};
  std::vector<random_statement> statements = {};
  std::vector<std::size_t> body = {};  ///< statements outside of loops

  [[nodiscard]] std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < buffers.size(); ++i)
      out += "buffer b" + std::to_string(i) + " : " + buffers[i].level +
             " (size=" + std::to_string(buffers[i].size) + ")\n";
    write(body, "", out);
    return out;
  }

 private:
  [[nodiscard]] static std::string text(const random_region& r) {
    std::string out = "region(b" + std::to_string(r.buffer) + ", " + std::to_string(r.first);
    for (const offset_term& t : r.terms) {
      const std::string variable = "v" + std::to_string(t.loop);
      out += " + " + std::to_string(t.step) + " * ";
      out += t.ring == 0 ? variable : "(" + variable + " mod " + std::to_string(t.ring) + ")";
    }
    return out + ", " + std::to_string(r.extent) + ")";
  }
  [[nodiscard]] static std::string typed(const random_statement& s, const random_region& r) {
    const std::int64_t n = s.is_half ? r.extent / 2 : r.extent;
    return text(r) + (s.is_half ? " elem=f16" : " elem=i8") + ", shape=[" + std::to_string(n) +
           "], layout=C" + (s.is_half ? "" : ", quant=per_tensor(scale=0.5, zero_point=1)");
  }
  [[nodiscard]] static std::string names(const std::vector<std::size_t>& tokens) {
    std::string out;
    for (const std::size_t t : tokens) out += (out.empty() ? "t" : ", t") + std::to_string(t);
    return out;
  }
  void write(const std::vector<std::size_t>& of, const std::string& indent,
             std::string& out) const {
    for (const std::size_t i : of) {
      const random_statement& s = statements[i];
      const std::string number = std::to_string(i);
      if (s.what == random_statement::form::loop) {
        out += indent + "loop v" + number + " in [0.." + std::to_string(s.iterations - 1) +
               "] @max_in_flight(" + std::to_string(s.in_flight) + "):\n";
        write(s.body, indent + "  ", out);
        out += indent + "endloop\n";
      } else if (s.what == random_statement::form::wait) {
        if (!s.tokens.empty()) out += indent + "wait(" + names(s.tokens) + ")\n";
      } else {
        out += indent + "t" + number + " = " + s.opcode + (s.is_sync ? ".sync" : ".async");
        const std::string deps = s.tokens.empty() ? "" : "deps=[" + names(s.tokens) + "]";
        if (s.is_move()) {
          out += "(dst=" + text(s.outputs[0]) + ", src=" + text(s.inputs[0]) +
                 (deps.empty() ? "" : ", " + deps) + ")\n";
          continue;
        }
        for (std::size_t k = 0; k < s.inputs.size(); ++k)
          out += (k == 0 ? "\n" + indent + "    in " : ", ") + typed(s, s.inputs[k]);
        out += "\n" + indent + "    out " + typed(s, s.outputs[0]) + "\n";
        if (!deps.empty()) out += indent + "    " + deps + "\n";
      }
    }
  }
};

// ---- races ---------------------------------------------------------------------------------------

inline constexpr std::size_t most_executions = 256;

/// Two accesses of the same bytes, one of which writes, that nothing orders.
struct race {
  std::size_t earlier, later;  ///< statements, in the order of the text and of iterations
  bool earlier_writes, later_writes;
  bool is_same_path;  ///< the later one is in the iterations that the earlier one is in
  std::size_t buffer;
  std::int64_t first, last;  ///< the bytes that both touch, last included
};

/// Expands a program.
class race_search {
 public:
  explicit race_search(const random_program& p) : p_(p), current_(p.statements.size(), 0) {
    (void)expand(p.body, {});
  }
  [[nodiscard]] std::vector<race> races() const {
    std::vector<race> found;
    for (std::size_t q = 0; q < executions_.size(); ++q)
      for (std::size_t p = 0; p < q; ++p)
        if (!executions_[q].before.test(p)) compare(executions_[p], executions_[q], found);
    return found;
  }
  /// Whether all regions lie in their buffers, and no output overlaps an input but in its own place.
  [[nodiscard]] bool is_sound() const {
    for (const execution& e : executions_) {
      const access& y = e.accesses.back();
      for (const access& a : e.accesses) {
        if (a.first < 0 || a.last >= p_.buffers[a.buffer].size) return false;
        if (&a == &y || !overlap(a, y)) continue;
        if (p_.statements[e.statement].is_move() || a.first != y.first) return false;
      }
    }
    return !is_too_long_;
  }

 private:
  using set = std::bitset<most_executions>;
  struct access {
    std::size_t buffer;
    std::int64_t first, last;
    bool is_write;
  };
  struct execution {
    std::size_t statement;
    std::vector<std::pair<std::size_t, std::int64_t>> path;  ///< loops and their variables
    std::vector<access> accesses;                            ///< the output last
    set before;                                              ///< executions that are complete
  };

  [[nodiscard]] static bool overlap(const access& a, const access& b) {
    return a.buffer == b.buffer && a.first <= b.last && b.first <= a.last;
  }
  /// An execution and all before it.
  [[nodiscard]] set up_to(std::size_t e) const { return set(executions_[e].before).set(e); }

  /// Returns what is complete after the statements when `complete` is before them.
  set expand(const std::vector<std::size_t>& body, set complete) {
    for (const std::size_t i : body) {
      const random_statement& s = p_.statements[i];
      if (s.what == random_statement::form::wait) {
        for (const std::size_t t : s.tokens) complete |= up_to(current_[t]);
      } else if (s.what == random_statement::form::loop) {
        std::vector<set> ends;  // of each iteration: its executions, and those before them
        for (std::int64_t v = 0; v < s.iterations && !is_too_long_; ++v) {
          set start = complete;
          for (std::int64_t done = 0; done <= v - s.in_flight; ++done)
            start |= ends[static_cast<std::size_t>(done)];
          const std::size_t first = executions_.size();
          path_.emplace_back(i, v);
          (void)expand(s.body, start);
          path_.pop_back();
          ends.emplace_back();
          for (std::size_t e = first; e < executions_.size(); ++e) ends.back() |= up_to(e);
        }
        for (const set& e : ends) complete |= e;
      } else {
        if (executions_.size() == most_executions) {
          is_too_long_ = true;
          return complete;
        }
        set before = complete;
        for (const std::size_t t : s.tokens) before |= up_to(current_[t]);
        current_[i] = executions_.size();
        executions_.push_back({i, path_, {}, before});
        for (const random_region& r : s.inputs) add(r, false);
        for (const random_region& r : s.outputs) add(r, true);
        if (s.is_sync) complete |= up_to(current_[i]);
      }
    }
    return complete;
  }
  void add(const random_region& r, bool is_write) {
    std::int64_t first = r.first;
    for (const offset_term& t : r.terms)
      for (const auto& [loop, value] : path_)
        if (loop == t.loop) first += t.step * (t.ring == 0 ? value : value % t.ring);
    executions_.back().accesses.push_back({r.buffer, first, first + r.extent - 1, is_write});
  }
  static void compare(const execution& p, const execution& q, std::vector<race>& found) {
    const bool is_same_path =
        p.path.size() <= q.path.size() && std::equal(p.path.begin(), p.path.end(), q.path.begin());
    for (const access& a : p.accesses)
      for (const access& b : q.accesses)
        if ((a.is_write || b.is_write) && overlap(a, b))
          found.push_back({p.statement, q.statement, a.is_write, b.is_write, is_same_path, a.buffer,
                           std::max(a.first, b.first), std::min(a.last, b.last)});
  }

  const random_program& p_;
  std::vector<execution> executions_;
  std::vector<std::size_t> current_;  ///< of each statement: its last execution
  std::vector<std::pair<std::size_t, std::int64_t>> path_;
  bool is_too_long_ = false;
};

[[nodiscard]] inline std::vector<race> races_of(const random_program& p) {
  return race_search(p).races();
}

// ---- programs ------------------------------------------------------------------------------------

class random_program_maker {
 public:
  explicit random_program_maker(std::uint64_t seed) : numbers_(seed) {
    engines_ = static_cast<int>(1 + numbers_.below(3));
    add_buffer("DDR", -1);
    for (std::size_t i = 1 + numbers_.below(2); i != 0; --i) add_buffer("L2", -1);
    for (int e = 0; e < engines_; ++e)
      for (std::size_t i = 1 + numbers_.below(2); i != 0; --i)
        add_buffer("L1[" + std::to_string(e) + "]", e);
    fill(10 + numbers_.below(6));
  }
  [[nodiscard]] random_program take() { return std::move(p_); }

 private:
  using form = random_statement::form;
  static constexpr std::int64_t tile = 8;  ///< bytes
  static constexpr std::size_t deepest = 2;

  void add_buffer(std::string level, int engine) {
    p_.buffers.push_back(
        {std::move(level), engine, tile * static_cast<std::int64_t>(6 + numbers_.below(7))});
  }

  /// Adds statements to a body: that of the program or of the innermost of loops_.
  void fill(std::size_t statements) {
    for (; statements != 0; --statements) {
      if (loops_.size() < deepest && numbers_.once_in(5))
        add_loop();
      else if (numbers_.once_in(10))
        add_wait();
      else
        add_task();
    }
  }
  [[nodiscard]] std::vector<std::size_t>& body() {
    return loops_.empty() ? p_.body : p_.statements[loops_.back()].body;
  }

  void add_loop() {
    random_statement s;
    s.what = form::loop;
    s.iterations = static_cast<std::int64_t>(2 + numbers_.below(loops_.empty() ? 4 : 2));
    s.in_flight = static_cast<std::int64_t>(1 + numbers_.below(3));
    p_.statements.push_back(std::move(s));
    const std::size_t i = p_.statements.size() - 1;
    body().push_back(i);
    const std::size_t seen = visible_.size();
    loops_.push_back(i);
    fill(2 + numbers_.below(4));
    loops_.pop_back();
    visible_.resize(seen);
    if (p_.statements[i].body.empty()) body().pop_back();
  }
  void add_wait() {
    if (visible_.empty()) return;
    random_statement s;
    s.what = form::wait;
    for (std::size_t n = 1 + numbers_.below(2); n != 0; --n)
      name(s.tokens, visible_[numbers_.below(visible_.size())]);
    p_.statements.push_back(std::move(s));
    body().push_back(p_.statements.size() - 1);
  }
  static void name(std::vector<std::size_t>& tokens, std::size_t t) {
    if (std::find(tokens.begin(), tokens.end(), t) == tokens.end()) tokens.push_back(t);
  }

  void add_task() {
    for (int tries = 0; tries < 12; ++tries) {
      p_.statements.push_back(any_task());
      body().push_back(p_.statements.size() - 1);
      const std::vector<random_statement> others(p_.statements.begin(), p_.statements.end());
      if (race_search(p_).is_sound() && order()) {
        visible_.push_back(p_.statements.size() - 1);
        return;
      }
      p_.statements = others;  // without a .sync that was tried
      p_.statements.pop_back();
      body().pop_back();
    }
  }
  /// Gives the last task what orders it with those before it. False where nothing does.
  [[nodiscard]] bool order() {
    const bool is_thrifty = numbers_.once_in(2);  // not a dep that others make superfluous
    for (;;) {
      const std::vector<race> found = races_of(p_);
      if (found.empty()) break;
      for (const race& r : found)
        if (!r.is_same_path || r.later != p_.statements.size() - 1) return false;
      if (numbers_.once_in(8)) p_.statements[found.back().earlier].is_sync = true;
      for (std::size_t i = found.size(); i-- != 0;) {
        if (p_.statements[found[i].earlier].is_sync) continue;
        name(p_.statements.back().tokens, found[i].earlier);
        if (is_thrifty) break;
      }
    }
    random_statement& s = p_.statements.back();
    if (!visible_.empty() && numbers_.once_in(4))
      name(s.tokens, visible_[numbers_.below(visible_.size())]);
    if (!s.tokens.empty() && numbers_.once_in(5)) {  // a wait in place of deps
      random_statement w;
      w.what = form::wait;
      w.tokens = std::move(s.tokens);
      s.tokens.clear();
      p_.statements.insert(p_.statements.end() - 1, std::move(w));
      body().insert(body().end() - 1, p_.statements.size() - 2);
      body().back() = p_.statements.size() - 1;
    }
    return true;
  }

  [[nodiscard]] random_statement any_task() {
    static constexpr const char* opcodes[] = {"transfer", "store", "transfer", "relu", "neg",
                                              "abs",      "add",   "sub",      "mul",  "max"};
    random_statement s;
    s.opcode = opcodes[numbers_.below(10)];
    s.is_half = numbers_.once_in(3);
    s.is_sync = numbers_.once_in(12);
    const int engine = static_cast<int>(numbers_.below(static_cast<std::size_t>(engines_)));
    const std::int64_t extent = numbers_.once_in(4) ? tile / 2 : tile;
    const bool is_binary =
        s.opcode == "add" || s.opcode == "sub" || s.opcode == "mul" || s.opcode == "max";
    for (int i = 0; i < (is_binary ? 2 : 1); ++i)
      s.inputs.push_back(any_region(engine, extent, s.is_move()));
    if (!s.is_move() && numbers_.once_in(5))
      s.outputs.push_back(s.inputs[0]);
    else
      s.outputs.push_back(any_region(engine, extent, false));
    return s;
  }
  /// `is_moving`: other bytes in each iteration, so that none repeats the copy of another.
  [[nodiscard]] random_region any_region(int engine, std::int64_t extent, bool is_moving) {
    random_region r;
    do r.buffer = numbers_.below(p_.buffers.size());
    while (p_.buffers[r.buffer].engine != -1 && p_.buffers[r.buffer].engine != engine);
    r.extent = extent;
    const std::int64_t halves = p_.buffers[r.buffer].size / (tile / 2);
    r.first =
        tile / 2 * static_cast<std::int64_t>(numbers_.below(static_cast<std::size_t>(halves)));
    if (!numbers_.once_in(4)) r.first -= r.first % tile;
    if (r.first + extent > p_.buffers[r.buffer].size) r.first = 0;
    std::int64_t step = extent;
    for (std::size_t k = loops_.size(); k-- != 0;) {
      if (!is_moving && numbers_.once_in(3)) continue;
      const random_statement& l = p_.statements[loops_[k]];
      const bool is_ring = !is_moving && !numbers_.once_in(3);
      r.terms.push_back({loops_[k], step, is_ring ? std::max<std::int64_t>(2, l.in_flight) : 0});
      step *= is_ring ? std::max<std::int64_t>(2, l.in_flight) : l.iterations;
    }
    if (!r.terms.empty()) r.first %= 2 * tile;
    return r;
  }

  random_numbers numbers_;
  random_program p_;
  int engines_ = 1;
  std::vector<std::size_t> loops_;    ///< those that are open
  std::vector<std::size_t> visible_;  ///< tasks that may be named here
};

[[nodiscard]] inline random_program make_random_program(std::uint64_t seed) {
  return random_program_maker(seed).take();
}

/// The program without one of its dependences: each name in deps and in waits, each .sync, and each
/// loop with one more iteration in flight.
[[nodiscard]] inline std::vector<random_program> weakened(const random_program& p) {
  std::vector<random_program> out;
  for (std::size_t i = 0; i < p.statements.size(); ++i) {
    const random_statement& s = p.statements[i];
    for (std::size_t k = 0; k < s.tokens.size(); ++k) {
      std::vector<std::size_t>& tokens = out.emplace_back(p).statements[i].tokens;
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (s.is_sync) out.emplace_back(p).statements[i].is_sync = false;
    if (s.what == random_statement::form::loop) ++out.emplace_back(p).statements[i].in_flight;
  }
  return out;
}

}  // namespace test

#endif  // TESSERA_TESTS_VM_NEM_RANDOM_PROGRAMS_HPP
