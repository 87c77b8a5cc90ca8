// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>

#include "transform/lower/tiling.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

/// Whether two views have the same elements in the same order; strides of one element don't count.
[[nodiscard]] bool same_elements(const tensor_view& a, const tensor_view& b) noexcept {
  if (a.home != b.home || a.offset != b.offset || a.shape != b.shape) return false;
  for (std::size_t k = 0; k < a.rank(); ++k)
    if (a.shape[k] != 1 && a.strides[k] != b.strides[k]) return false;
  return true;
}

/// Whether the dimensions of a view are those of the step, all of them and in order.
[[nodiscard]] bool follows_all(const access& a, std::size_t rank) noexcept {
  if (a.follows.size() != rank) return false;
  for (std::size_t k = 0; k < rank; ++k)
    if (a.follows[k] != static_cast<std::int32_t>(k)) return false;
  return true;
}

class fuser {
 public:
  fuser(plan& p, const target& device)
      : plan_(p), device_(device), writer_(p.homes.size(), none), readers_(p.homes.size()) {
    for (std::size_t s = 0; s < p.steps.size(); ++s) count(s);
  }

  void run() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      is_gone_.push_back(false);
      if (plan_.steps[s].is_tail && try_fuse(s)) is_gone_[s] = true;
    }
    std::vector<step> left;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      if (!is_gone_[s]) left.push_back(std::move(plan_.steps[s]));
    plan_.steps = std::move(left);
  }

 private:
  void count(std::size_t s) {
    const step& t = plan_.steps[s];
    // A home that several steps write, such as a concatenation, is nobody's.
    std::size_t& w = writer_[t.write.of.home];
    w = w == none ? s : several;
    for (const access& a : t.reads) ++readers_[a.of.home];
  }

  /// The last step before `s` that computes something that it reads, if that takes `s` in.
  [[nodiscard]] bool try_fuse(std::size_t s) {
    const step& b = plan_.steps[s];
    std::size_t last = none, read = 0;
    for (std::size_t r = 0; r < b.reads.size(); ++r) {
      const home& h = plan_.homes[b.reads[r].of.home];
      if (h.what != home::kind::computed) continue;
      const std::size_t w = writer_[b.reads[r].of.home];
      if (w == several) return false;
      if (last == none || w > last) {
        last = w;
        read = r;
      }
    }
    if (last == none) return false;
    step& a = plan_.steps[last];
    const access& x = b.reads[read];
    if (readers_[x.of.home] != 1 || a.dims != b.dims || !follows_all(x, b.dims.size()) ||
        !follows_all(a.write, a.dims.size()) || !same_elements(a.write.of, x.of) ||
        a.result.what != task_operand::kind::reg)
      return false;
    // With a load of each read but the one between them, and a store.
    const std::size_t tasks = a.tasks.size() + b.tasks.size() + a.reads.size() + b.reads.size();
    if (static_cast<std::int64_t>(tasks) > device_.max_tokens()) return false;
    step both = a;
    append(both, b, read);
    if (a.can_split && b.fixed != 0 && least_l1(both) > device_.l1_size() / 2) return false;
    a = std::move(both);
    writer_[b.write.of.home] = last;
    return true;
  }

  static void append(step& a, const step& b, std::size_t read) {
    const auto reads = static_cast<std::uint32_t>(a.reads.size());
    const auto moved = [&](task_operand o) {
      if (o.what == task_operand::kind::reg) {
        o.index += a.registers;
        o.form += a.registers;
        return o;
      }
      if (o.index == read) return of_register(a.result.index);
      o.index += reads - (o.index > read ? 1 : 0);
      return o;
    };
    for (tile_task t : b.tasks) {
      for (task_operand& o : t.in) o = moved(o);
      t.out = moved(t.out);
      a.tasks.push_back(std::move(t));
    }
    a.result = moved(b.result);
    for (std::size_t r = 0; r < b.reads.size(); ++r)
      if (r != read) a.reads.push_back(b.reads[r]);
    a.registers += b.registers;
    a.forms.insert(a.forms.end(), b.forms.begin(), b.forms.end());
    a.fixed = std::max(a.fixed, b.fixed);
    a.is_plain = a.is_plain && b.is_plain;
    a.is_tail = a.is_tail && b.is_tail;
    a.can_split = a.can_split && b.fixed == 0 && has_layouts(b.write.form.type);
    a.name += ", " + b.name;
    a.write = b.write;
  }

  static constexpr std::size_t several = none - 1;

  plan& plan_;
  const target& device_;
  std::vector<std::size_t> writer_;
  std::vector<std::size_t> readers_;
  std::vector<bool> is_gone_;
};

/// Whether a task may write where it reads.
[[nodiscard]] bool is_in_place(const tile_task& t) noexcept {
  const nem::opcode_category c = nem::opcode_table[static_cast<std::size_t>(t.op)].category;
  return c == nem::opcode_category::elementwise_unary ||
         c == nem::opcode_category::elementwise_binary ||
         c == nem::opcode_category::elementwise_other || c == nem::opcode_category::normalization ||
         c == nem::opcode_category::softmax;
}

/// Gives the values of a step, each written once, as few registers as their lives allow.
void share_registers(step& s) {
  std::vector<std::size_t> last(s.registers, 0);
  const auto note = [&](const task_operand& o, std::size_t t) {
    if (o.what == task_operand::kind::reg) last[o.index] = std::max(last[o.index], t);
  };
  for (std::size_t t = 0; t < s.tasks.size(); ++t) {
    note(s.tasks[t].out, t);
    for (const task_operand& o : s.tasks[t].in) note(o, t);
  }
  note(s.result, s.tasks.size());
  s.register_sizes.clear();
  std::vector<std::uint32_t> place(s.registers, 0), free;
  std::uint32_t used = 0;
  for (std::size_t t = 0; t < s.tasks.size(); ++t) {
    tile_task& task = s.tasks[t];
    const std::uint32_t out = task.out.index;
    std::vector<std::uint32_t> dying;
    for (task_operand& o : task.in) {
      if (o.what != task_operand::kind::reg) continue;
      const std::uint32_t at = place[o.index];
      if (last[o.index] == t && std::find(dying.begin(), dying.end(), at) == dying.end())
        dying.push_back(at);
      o.index = at;
    }
    if (is_in_place(task)) free.insert(free.end(), dying.begin(), dying.end());
    if (free.empty()) {
      free.push_back(used++);
      s.register_sizes.push_back(0);
    }
    place[out] = free.back();
    free.pop_back();
    std::int64_t& size = s.register_sizes[place[out]];
    size = std::max(size, s.forms[out].size());
    if (!is_in_place(task)) free.insert(free.end(), dying.begin(), dying.end());
    task.out.index = place[out];
  }
  if (s.result.what == task_operand::kind::reg) s.result.index = place[s.result.index];
  s.registers = used;
}

}  // namespace

void set_types(plan& p, nem::element type) {
  const auto set = [type](nem::element& of) {
    if (of == nem::element::none) of = type;
  };
  for (home& h : p.homes) set(h.type);
  for (step& s : p.steps) {
    for (access& a : s.reads) set(a.form.type);
    set(s.write.form.type);
    s.forms.resize(s.registers);
    for (number_form& f : s.forms) set(f.type);
  }
}

void fuse(plan& p, const target& device) {
  fuser(p, device).run();
  for (step& s : p.steps) share_registers(s);
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
