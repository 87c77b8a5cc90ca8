// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem_step.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <tessera/core/bytes.hpp>
#include <tessera/core/suggest.hpp>
#include <utility>

#include "nem_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nem;

namespace {

template <class Int>
[[nodiscard]] bool parse(std::string_view word, Int& to) {
  const auto [at, code] = std::from_chars(word.data(), word.data() + word.size(), to);
  return code == std::errc{} && at == word.data() + word.size();
}
[[nodiscard]] std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(std::move(word));
  return out;
}
/// A line with two blanks for each tab.
[[nodiscard]] std::string expanded(std::string_view line) {
  std::string out;
  for (const char c : line) out += c == '\t' ? std::string(2, ' ') : std::string(1, c);
  return out;
}
[[nodiscard]] std::string in_quotes(std::string_view word) {
  return '\'' + shown_text(word) + '\'';
}

}  // namespace

// ---- commands

// A prefix of a name is enough; of several names, the first has it.
const nem_stepper::command_row nem_stepper::commands[] = {
    {"step", "[COUNT]", "execute one task, or COUNT", &nem_stepper::step},
    {"next", "", "run to the next iteration of the innermost loop, or past the loop",
     &nem_stepper::next},
    {"continue", "", "run to a breakpoint, or to the end", &nem_stepper::resume},
    {"until", "TOKEN", "run until a task with this token is complete", &nem_stepper::until},
    {"break", "task NUMBER", "stop before this task", nullptr},
    {"", "line NUMBER", "stop before the tasks of this line, or of the next that has one", nullptr},
    {"", "token TOKEN", "stop before tasks with this token", nullptr},
    {"", "access NAME", "stop before tasks that read or write a buffer or region", nullptr},
    {"", "VARIABLE=VALUE", "stop where an iteration begins; after another one: only in it",
     nullptr},
    {"", "", "list the breakpoints", &nem_stepper::set_break},
    {"delete", "[NUMBER]", "remove a breakpoint, or all", &nem_stepper::remove_break},
    {"where", "", "show the next task, its iteration and its operands", &nem_stepper::where},
    {"list", "[LINE]", "show the text around the next task, or a line", &nem_stepper::list},
    {"print", "NAME", "summarise a buffer or region", &nem_stepper::print},
    {"bytes", "NAME [FIRST [COUNT]]", "show bytes in hex (the first 64)", &nem_stepper::show_bytes},
    {"write", "NAME FILE", "write a buffer or region: .npy, .csv, or bytes", &nem_stepper::write},
    {"map", "", "show the address of each buffer in its memory", &nem_stepper::show_map},
    {"tokens", "", "show which tokens are complete", &nem_stepper::tokens},
    {"tasks", "", "show which tasks may begin, and which wait for others", &nem_stepper::tasks},
    {"help", "", "show this list", &nem_stepper::help},
    {"quit", "", "end the run here", &nem_stepper::quit},
};

nem_stepper::nem_stepper(vn::machine& machine, const source& file, step_values values)
    : machine_(machine),
      file_(file),
      values_(std::move(values)),
      statements_(machine.program().model(), file.characters()) {
  std::string_view rest = file.characters();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines_.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  watch_regions();
}

/// The regions of loops are known by name from the next task on. So that the first `print` finds
/// one, they are watched from the beginning, unless there are so many that it takes time.
void nem_stepper::watch_regions() {
  const nem::model& d = machine_.program().model();
  constexpr std::size_t max_watched = 64;
  std::set<std::string_view> names;
  for (std::uint32_t i = 0; i < d.nodes.size() && names.size() <= max_watched; ++i)
    if (d.nodes[i].kind == nem::node_kind::let) names.insert(nem::name_of(d, i));
  if (names.size() > max_watched) return;
  for (const std::string_view name : names) (void)machine_.watch(std::string(name));
}

exit_code nem_stepper::open(const std::string& script) {
  if (script.empty() || script == "-") {
    has_prompt_ = isatty(STDIN_FILENO) == 1;
    is_script_ = !has_prompt_;
    return success;
  }
  const io::expected<io::content> in = io::load(script, {}, io::side_input);
  if (!in) return reporting{script}.fail(in.error());
  is_script_ = true;
  script_ = shown_name(script);
  std::istringstream lines{std::string(as_text(in->view()))};
  for (std::string line; std::getline(lines, line);) pending_.push_back(std::move(line));
  pending_.emplace_back("quit");
  return success;
}

bool nem_stepper::read_line(std::string& line) {
  ++line_;
  if (!pending_.empty()) {
    line = std::move(pending_.front());
    pending_.pop_front();
    return true;
  }
  if (has_prompt_) std::fputs("(nem) ", stdout);
  std::fflush(stdout);
  return static_cast<bool>(std::getline(std::cin, line));
}

/// Obeys commands until one of them lets the run continue, or ends it.
void nem_stepper::obey() {
  is_resumed_ = false;
  while (!is_resumed_ && !has_quit_) {
    std::string line;
    if (!read_line(line)) line = "quit";
    if (const std::size_t comment = line.find('#'); comment != line.npos) line.resize(comment);
    if (line.find_first_not_of(" \t\r") == line.npos) {
      if (!has_prompt_) continue;
      line = last_;
    }
    last_ = line;
    execute(line);
  }
}

void nem_stepper::execute(const std::string& line) {
  const std::vector<std::string> all = split(line);
  if (all.empty()) return;
  const command_row* found = nullptr;
  for (const command_row& c : commands) {
    // The rows without a name continue the one before.
    if (found != nullptr && found->act != nullptr) break;
    if (found != nullptr ? c.name.empty() : !c.name.empty() && c.name.starts_with(all[0]))
      found = &c;
  }
  if (found != nullptr) return (this->*found->act)(std::span(all).subspan(1));
  suggestion near(all[0]);
  for (const command_row& c : commands) near.offer(c.name);
  fail("unknown command " + in_quotes(all[0]) +
       (near.word().empty() ? "; `help` lists all commands"
                            : "; did you mean '" + std::string(near.word()) + "'?"));
}

void nem_stepper::fail(const std::string& message) {
  if (!is_script_) return show_error(message);
  show_error(script_ + ':' + std::to_string(line_) + ": " + message);
  code_ = bad_input;
  quit({});
}

void nem_stepper::say(const text& words) const {
  std::fwrite(words.data(), 1, words.size(), stdout);
  std::fflush(stdout);  // other results are written without stdio
}

// ---- running

bool nem_stepper::can_continue() {
  if (is_ended_ && is_last_) return fail("the run has ended"), false;
  return is_resumed_ = true;
}

void nem_stepper::step(arguments w) {
  std::uint64_t count = 1;
  if (w.size() > 1 || (w.size() == 1 && (!parse(w[0], count) || count == 0)))
    return fail("expected step, or step COUNT with a count from 1");
  if (!can_continue()) return;
  mode_ = mode::steps;
  steps_ = count;
}
void nem_stepper::next(arguments) {
  if (!can_continue()) return;
  iteration_ = at_ ? at_->iteration : std::vector<std::int64_t>();
  mode_ = iteration_.empty() ? mode::steps : mode::iteration;
  steps_ = 1;
}
void nem_stepper::resume(arguments) {
  if (can_continue()) mode_ = mode::free;
}
void nem_stepper::until(arguments w) {
  if (w.size() != 1) return fail("expected until TOKEN");
  const nem::model& d = machine_.program().model();
  suggestion near(w[0]);
  token_ = nem::no_name;
  for (const inspect::task_statement& s : statements_.all()) {
    const std::string_view name = nem::name_of(d, s.node);
    if (name.empty()) continue;
    near.offer(name);
    if (name == w[0]) token_ = d.nodes[s.node].value;
  }
  if (token_ == nem::no_name)
    return fail("no task has the token " + in_quotes(w[0]) +
                (near.word().empty() ? "" : "; did you mean '" + std::string(near.word()) + "'?"));
  if (!can_continue()) return;
  mode_ = mode::token;
  is_token_done_ = false;
}
void nem_stepper::quit(arguments) {
  has_quit_ = true;
  if (!is_ended_) machine_.stop();
}

void nem_stepper::begin(const vn::event& at) {
  if (has_quit_) return;
  const std::string why = reason_to_stop(at);
  for (breakpoint& b : breakpoints_) b.was_inside = matches(b, at);
  if (why.empty()) return;
  at_ = position{at.task,
                 at.node,
                 {at.iteration.begin(), at.iteration.end()},
                 {at.what->inputs.begin(), at.what->inputs.end()},
                 {at.what->outputs.begin(), at.what->outputs.end()}};
  show_position(why == "step" ? "" : why + ", ");
  obey();
}

void nem_stepper::end(const vn::event& at) {
  ++tasks_;
  if (at.token == nem::no_name) return;
  done_[at.token] = place_of(at.task, at.node, at.iteration);
  if (mode_ == mode::token && at.token == token_) is_token_done_ = true;
}

void nem_stepper::finish(const vn::outcome& done, bool is_last) {
  if (has_quit_) return;
  at_.reset();
  text out;
  if (mode_ == mode::token && is_token_done_)
    out << "token " << machine_.program().model().name(token_) << " is complete, ";
  out << "the run has ended" << (done.code == errc::ok ? ": " : " with an error: ")
      << plural(tasks_, "task") << '\n';
  say(out);
  is_ended_ = true;
  is_last_ = is_last;
  mode_ = mode::steps;
  steps_ = 1;
  obey();
  if (is_last) has_quit_ = code_ != success;
  is_ended_ = false;
  tasks_ = 0;
  done_.clear();
}

/// Empty where the run goes on.
std::string nem_stepper::reason_to_stop(const vn::event& at) {
  for (const breakpoint& b : breakpoints_)
    if (matches(b, at) && !(b.is_entry() && b.was_inside))
      return "breakpoint " + std::to_string(b.number);
  switch (mode_) {
    case mode::steps: return --steps_ == 0 ? "step" : "";
    case mode::iteration: {
      const std::size_t depth = iteration_.size();
      const bool is_same =
          at.iteration.size() >= depth && std::ranges::equal(at.iteration.first(depth), iteration_);
      return is_same ? "" : "step";
    }
    case mode::token:
      return !is_token_done_
                 ? ""
                 : "token " + std::string(machine_.program().model().name(token_)) + " is complete";
    case mode::free: break;
  }
  return "";
}

// ---- breakpoints

bool nem_stepper::matches(const breakpoint& b, const vn::event& at) const {
  const nem::model& d = machine_.program().model();
  const inspect::task_statement* const s = statements_.find(at.node);
  if (s == nullptr) return false;
  const std::vector<std::uint32_t> loops = statements_.loops(*s);
  for (const iteration& i : b.where) {
    bool is_inside = false;
    for (std::size_t l = 0; l < loops.size() && l < at.iteration.size(); ++l)
      is_inside =
          is_inside || (nem::name_of(d, loops[l]) == i.variable && at.iteration[l] == i.value);
    if (!is_inside) return false;
  }
  switch (b.kind) {
    case break_kind::iteration: return true;
    case break_kind::task: return at.task == b.value;
    case break_kind::line: return s->line == b.value;
    case break_kind::token: return at.token != nem::no_name && d.name(at.token) == b.name;
    case break_kind::access: break;
  }
  return touches(at, b.name);
}

bool nem_stepper::touches(const vn::event& at, const std::string& name) const {
  const vn::place* const p = machine_.find(name);
  if (p == nullptr) return false;
  const std::span<const std::byte> of = std::as_const(machine_).bytes(*p);
  const auto overlaps = [&](const vn::tensor& x) {
    return x.data < of.data() + of.size() && of.data() < x.data + x.extent;
  };
  return std::ranges::any_of(at.what->inputs, overlaps) ||
         std::ranges::any_of(at.what->outputs, overlaps);
}

bool nem_stepper::parse_break(arguments w, breakpoint& to) {
  const nem::model& d = machine_.program().model();
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::size_t equals = w[i].find('=');
    if (equals != w[i].npos) {
      iteration where{w[i].substr(0, equals), 0};
      bool is_known = false;
      for (const nem::node& n : d.nodes)
        is_known =
            is_known || (n.kind == nem::node_kind::loop && d.name(n.value) == where.variable);
      if (!is_known) return fail("no loop has the variable " + in_quotes(where.variable)), false;
      if (!parse(std::string_view(w[i]).substr(equals + 1), where.value))
        return fail("expected a number after " + where.variable + "="), false;
      to.where.push_back(std::move(where));
      continue;
    }
    const std::string_view kinds[] = {"task", "line", "token", "access"};
    const auto* const kind = std::find(std::begin(kinds), std::end(kinds), w[i]);
    if (to.kind != break_kind::iteration || kind == std::end(kinds) || i + 1 == w.size())
      return fail(
                 "expected break task NUMBER, line NUMBER, token TOKEN or access NAME, with or "
                 "without VARIABLE=VALUE; found " +
                 in_quotes(w[i])),
             false;
    to.kind = static_cast<break_kind>(kind - kinds + 1);
    const std::string& value = w[++i];
    if (to.kind == break_kind::access) {
      to.name = value;
      if (!machine_.watch(value)) return fail(no_such_place(machine_, value, true)), false;
    } else if (to.kind == break_kind::token) {
      to.name = value;
      if (std::ranges::none_of(statements_.all(), [&](const inspect::task_statement& s) {
            return nem::name_of(d, s.node) == value;
          }))
        return fail("no task has the token " + in_quotes(value)), false;
    } else if (!parse(value, to.value)) {
      return fail("expected a number, found " + in_quotes(value)), false;
    }
  }
  return true;
}

void nem_stepper::set_break(arguments w) {
  text out;
  if (w.empty()) {
    for (const breakpoint& b : breakpoints_) out << b.number << ": " << b.words << '\n';
    if (breakpoints_.empty()) out << "no breakpoints\n";
    return say(out);
  }
  breakpoint b;
  if (!parse_break(w, b)) return;
  const auto at_line = std::ranges::find_if(
      statements_.all(), [&](const inspect::task_statement& s) { return s.line >= b.value; });
  if (b.kind == break_kind::line) {  // the next line that a task begins in
    if (at_line == statements_.all().end())
      return fail("no task begins in line " + std::to_string(b.value) + " or after it");
    b.value = at_line->line;
  }
  for (const std::string& word : w) b.words += (b.words.empty() ? "" : " ") + shown_text(word);
  b.number = next_number_++;
  out << "breakpoint " << b.number << ": " << b.words << '\n';
  if (b.kind == break_kind::line) append_statement(out, at_line->node);
  say(out);
  breakpoints_.push_back(std::move(b));
}

void nem_stepper::remove_break(arguments w) {
  if (w.empty()) return breakpoints_.clear();
  std::uint32_t number = 0;
  if (w.size() != 1 || !parse(w[0], number) ||
      std::erase_if(breakpoints_, [&](const breakpoint& b) { return b.number == number; }) == 0)
    fail("no breakpoint has the number " + in_quotes(w[0]) + "; `break` lists them");
}

// ---- what the run is at

/// "i = 1, j = 0" after `before`, or nothing outside of loops.
std::string nem_stepper::loops_of(std::uint32_t node, std::span<const std::int64_t> values,
                                  std::string_view before) const {
  std::string out;
  const inspect::task_statement* const s = statements_.find(node);
  if (s == nullptr) return out;
  const std::vector<std::uint32_t> loops = statements_.loops(*s);
  for (std::size_t l = 0; l < loops.size() && l < values.size(); ++l) {
    out += out.empty() ? before : ", ";
    out += nem::name_of(machine_.program().model(), loops[l]);
    out += " = " + std::to_string(values[l]);
  }
  return out;
}

std::string nem_stepper::place_of(std::uint32_t task, std::uint32_t node,
                                  std::span<const std::int64_t> values) const {
  const inspect::task_statement* const s = statements_.find(node);
  return "task " + std::to_string(task) +
         (s != nullptr ? ", line " + std::to_string(s->line) : std::string()) +
         loops_of(node, values, ", ");
}

/// A statement in one line, as long as a line may be.
void nem_stepper::append_statement(text& to, std::uint32_t node) const {
  const nem::node& n = machine_.program().model().nodes[node];
  constexpr std::size_t max_shown = 160;  // bytes
  std::string words;
  for (const std::string& word : split(std::string(file_.characters().substr(n.offset, n.length))))
    words.append(words.empty() ? "" : " ").append(word);
  to << "  " << shown_text(std::string_view(words).substr(0, max_shown))
     << (words.size() > max_shown ? "...\n" : "\n");
}

void nem_stepper::append_operands(text& to, std::string_view title,
                                  std::span<const vn::tensor> all) const {
  for (const vn::tensor& x : all) {
    for (const vn::place& b : machine_.buffers()) {
      const std::span<const std::byte> bytes = std::as_const(machine_).bytes(b);
      if (x.data < bytes.data() || x.data > bytes.data() + bytes.size() || bytes.empty()) continue;
      const auto first = static_cast<std::int64_t>(x.data - bytes.data());
      if (first == static_cast<std::int64_t>(bytes.size()) && x.extent != 0) continue;
      to << "  " << title << b.name << " [" << first << ", " << first + x.extent << ')';
      break;
    }
    if (x.rank() != 0) {
      to << ' ' << nem::name(x.element) << " [";
      for (std::size_t d = 0; d < x.rank(); ++d) to << (d == 0 ? "" : ", ") << x.shape[d];
      to << ']';
    }
    to << '\n';
  }
}

void nem_stepper::show_position(const std::string& why) {
  text out;
  out << why << place_of(at_->task, at_->node, at_->iteration) << '\n';
  append_statement(out, at_->node);
  say(out);
}

void nem_stepper::where(arguments) {
  if (!at_) return fail("the run has ended");
  show_position("");
  text out;
  append_operands(out, "in  ", at_->inputs);
  append_operands(out, "out ", at_->outputs);
  say(out);
}

void nem_stepper::list(arguments w) {
  const inspect::task_statement* const s = at_ ? statements_.find(at_->node) : nullptr;
  std::uint32_t line = s != nullptr ? s->line : 1;
  const std::uint32_t here = s != nullptr ? line : 0;
  if (w.size() > 1 || (w.size() == 1 && (!parse(w[0], line) || line == 0 || line > lines_.size())))
    return fail("expected list, or list LINE with a line from 1 to " +
                std::to_string(lines_.size()));
  constexpr std::uint32_t around = 5;  // lines
  text out;
  const std::uint32_t first = line > around ? line - around : 1;
  const auto last = std::min<std::uint64_t>(std::uint64_t{line} + around, lines_.size());
  for (std::uint32_t i = first; i <= last; ++i)
    out << (i == here ? "> " : "  ") << i << "  " << shown_text(expanded(lines_[i - 1])) << '\n';
  say(out);
}

void nem_stepper::tokens(arguments) {
  const nem::model& d = machine_.program().model();
  text out;
  std::set<std::uint32_t> seen;
  for (const inspect::task_statement& s : statements_.all()) {
    const std::uint32_t token = d.nodes[s.node].value;
    if (nem::name_of(d, s.node).empty() || !seen.insert(token).second) continue;
    const auto at = done_.find(token);
    out << d.name(token) << ": " << (at != done_.end() ? "complete, " + at->second : "not complete")
        << '\n';
  }
  if (seen.empty()) out << "no task has a token with a name\n";
  say(out);
}

/// In the order of the text the machine issues one task at a time.
void nem_stepper::tasks(arguments) {
  if (!at_) return fail("the run has ended");
  constexpr std::size_t max_shown = 100;  // of each kind
  text out;
  const std::vector<vn::waiting_task> all = machine_.waiting();
  out << "next " << place_of(at_->task, at_->node, at_->iteration) << '\n';
  for (const bool is_ready : {true, false}) {
    std::size_t count = 0;
    for (const vn::waiting_task& t : all) {
      if (t.is_ready != is_ready || ++count > max_shown) continue;
      out << (is_ready ? "ready   " : "waiting ") << place_of(t.task, t.node, t.iteration) << '\n';
    }
    if (count > max_shown)
      out << count - max_shown << (is_ready ? " more are ready\n" : " more wait\n");
  }
  say(out);
}

// ---- memory

void nem_stepper::print(arguments w) {
  if (w.size() != 1) return fail("expected print NAME");
  text out;
  std::string wrong;
  if (!values_.show(w[0], out, wrong)) return fail(wrong);
  say(out);
}

void nem_stepper::write(arguments w) {
  if (w.size() != 2) return fail("expected write NAME FILE");
  std::string wrong;
  if (!values_.write(w[0], w[1], wrong)) fail(wrong);
}

void nem_stepper::show_bytes(arguments w) {
  constexpr std::uint64_t columns = 16;
  std::uint64_t first = 0, count = 4 * columns;
  if (w.empty() || w.size() > 3 || (w.size() > 1 && !parse(w[1], first)) ||
      (w.size() > 2 && !parse(w[2], count)))
    return fail("expected bytes NAME, bytes NAME FIRST or bytes NAME FIRST COUNT");
  text unused;
  std::string wrong;
  if (!values_.show(w[0], unused, wrong)) return fail(wrong);
  const std::span<const std::byte> all = std::as_const(machine_).bytes(*machine_.find(w[0]));
  if (first > all.size())
    return fail(in_quotes(w[0]) + " has " + plural(all.size(), "byte") + "; the first is " +
                std::to_string(first));
  const std::uint64_t last = first + std::min<std::uint64_t>(count, all.size() - first);
  text out;
  for (std::uint64_t i = first; i < last; ++i) {
    if ((i - first) % columns == 0) out << i << ':';
    const auto byte = static_cast<unsigned>(all[static_cast<std::size_t>(i)]);
    out << ' ' << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
    if (i + 1 == last || (i + 1 - first) % columns == 0) out << '\n';
  }
  say(out);
}

void nem_stepper::show_map(arguments) {
  text out;
  append_address_map(out, machine_.program());
  say(out);
}

void nem_stepper::help(arguments) {
  std::vector<std::vector<std::string>> rows;
  for (const command_row& c : commands)
    rows.push_back({std::string(c.name), std::string(c.operands), std::string(c.about)});
  text out;
  append_table(out, rows, 0);
  out << "A prefix of a command is enough. # begins a comment.\n";
  say(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
