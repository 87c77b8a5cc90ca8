// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "run_findings.hpp"

#include <algorithm>
#include <array>

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

/// A text as it is, however long.
struct whole {
  std::string_view of;
};
text& operator<<(text& out, const whole& w) { return out << w.of; }

/// Where an element of a shape is, counted in its order.
struct coordinates {
  shape_view shape;
  std::int64_t element;
};
text& operator<<(text& out, const coordinates& c) {
  std::array<std::int64_t, model::max_rank> at = {};
  const std::size_t rank = std::min<std::size_t>(c.shape.size(), at.size());
  std::int64_t rest = c.element;
  for (std::size_t i = rank; i-- != 0; rest /= c.shape[i]) at[i] = rest % c.shape[i];
  return out << model::number_list{{at.data(), rank}};
}
struct bytes {
  const byte_range& of;
};
text& operator<<(text& out, const bytes& b) {
  if (b.of.first + 1 == b.of.last) return out << "byte " << b.of.first;
  return out << "bytes [" << b.of.first << ", " << b.of.last << ')';
}

}  // namespace

void run_findings::write(const model::model& d, const loop_values& at, text& to) {
  constexpr std::size_t max_named = 8, max_letters = 64;
  const std::size_t depth = at.nodes.size(), first = depth > max_named ? depth - max_named : 0;
  for (std::size_t i = first; i < depth; ++i)
    to << (i == first ? " where " : " and ")
       << d.name(d.nodes[at.nodes[i]].value).substr(0, max_letters) << " is " << at.values[i];
}
void run_findings::write_iteration(const void* self, const tessera::diagnostic&, text& to) {
  const auto& f = *static_cast<const run_findings*>(self);
  write(f.document_, f.at_, to);
}

/// "relu t1", or "the relu task" where it has no token.
void run_findings::name(writer& out, const bound_task& t) const {
  const std::string_view what = model::name(t.task.opcode);
  if (t.task.token != model::no_name)
    out << what << ' ' << document_.name(t.task.token);
  else
    out << "the " << what << " task";
}

void run_findings::failed(const bound_task& t, const verdict& v) {
  writer&& out = add(v.code, t.task.node);
  const bool has_output = !t.what.outputs.empty();
  const coordinates at{has_output ? t.what.outputs[0].shape : shape_view(), v.element};
  name(out, t);
  if (v.code == errc::nem_rt_div0) {
    out << (t.what.opcode == opcode::pow ? " raises 0 to a negative power" : " divides by 0");
    out << ": element " << at << " of its output has no value";
  } else if (v.code == errc::nem_rt_index) {
    out << " has index " << v.index << " for element " << at << " of its output, ";
    if (t.what.opcode == opcode::argmax || t.what.opcode == opcode::argmin)
      out << "whose type holds at most " << v.size;
    else
      out << "and the axis has " << v.size << (v.size == 1 ? " element" : " elements");
  } else if (v.code == errc::nem_rt_mem) {
    out << " needs more memory than is available";
  } else if (t.what.opcode == opcode::compute) {
    out << " has op \"" << t.what.op << "\", which the machine does not support";
  } else {
    out << " is not supported for operands of these types";
  }
}
void run_findings::unsupported(const bound_task& t, element e) {
  writer&& out = add(errc::nem_rt_unsupported, t.task.node);
  name(out, t);
  out << " has an operand of " << model::name(e) << ", which the machine does not support";
}
void run_findings::wrapped(const bound_task& t) {
  writer&& out = add(errc::nem_rt_acc, t.task.node);
  name(out, t);
  out << ": a sum exceeds its 32-bit accumulator and wraps";
}
void run_findings::unwritten(const bound_task& t, std::string_view buffer,
                             const byte_range& missing) {
  writer&& out = add(errc::nem_rt_uninit, t.task.node);
  name(out, t);
  out << " reads " << bytes{missing} << " of " << buffer
      << ", which were neither written nor bound";
}
void run_findings::too_large(std::uint32_t node, std::string_view buffer, std::uint64_t all,
                             std::uint64_t room) {
  at_ = {};
  writer&& out = add(errc::nem_rt_mem, node);
  out << "with " << buffer << " the buffers need ";
  if (all == ~std::uint64_t{0})
    out << "2^64 bytes or more";
  else
    out << all << " bytes";
  if (all > room)
    out << "; the limit is " << room;
  else
    out << "; the system does not have that much";
}
void run_findings::over_budget(std::uint32_t node, std::string_view needs) {
  if (code_ == errc::ok) code_ = errc::budget_steps;
  found_.add(errc::budget_steps, place_of(node))
      << "the step budget is exhausted: this needs " << needs;
}

void run_findings::copy(errc code, const tessera::report& from, const tessera::diagnostic& d) {
  if (code_ == errc::ok && model::severity_of(code, found_.profile()) == tessera::severity::error)
    code_ = code;
  writer&& out = found_.add(code, d.where);
  out << whole{from.text_of(d.text)};
  if (d.has_note) out.note(d.related) << whole{from.text_of(d.note)};
  if (d.has_fix) out.fix(d.fix) << whole{from.text_of(d.replacement)};
}
bool run_findings::races(const tessera::report& from, std::size_t first) {
  bool is_race = false;
  found_.end_with({});  // the texts have theirs
  for (std::size_t i = first; i < from.diagnostics.size(); ++i) {
    const tessera::diagnostic& d = from.diagnostics[i];
    if (d.code == errc::nem_haz_001_unordered || d.code == errc::nem_haz_002_iterations) {
      copy(errc::nem_rt_race, from, d);
      is_race = true;
    } else if (d.code == errc::nem_haz_003_rewritten || d.code == errc::nem_haz_005_partial) {
      copy(d.code, from, d);
    }  // others are verification's
  }
  found_.end_with({write_iteration, this});
  return is_race;
}
void run_findings::unsound(const tessera::report& from, const tessera::diagnostic& d) {
  found_.end_with({});
  const bool is_error = model::severity_of(d.code, found_.profile()) == tessera::severity::error;
  copy(is_error ? d.code : errc::nem_rt_unsupported, from, d);
  found_.end_with({write_iteration, this});
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
