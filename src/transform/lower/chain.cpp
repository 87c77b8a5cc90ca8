// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/chain.hpp"

#include <algorithm>
#include <numeric>

#include "transform/lower/map_products.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

chain::value chain::input(const tensor_view& v) {
  const tensor_view wide = expanded(v, shape_);
  for (std::uint32_t k = 0; k < inputs_.size(); ++k)
    if (!inputs_[k].is_vector && inputs_[k].of == wide) return broadcast(k);
  inputs_.push_back({wide, false});
  return broadcast(static_cast<std::uint32_t>(inputs_.size() - 1));
}

chain::value chain::vector(const tensor_view& v) {
  inputs_.push_back({v, true});
  return of_read(static_cast<std::uint32_t>(inputs_.size() - 1));
}

chain::value chain::apply(nem::opcode op, std::vector<value> in, attributes with) {
  const std::string_view family =
      nem::opcode_table[static_cast<std::size_t>(op)].families;  // one, of these opcodes
  mapper_.need(family, "default");
  tasks_.push_back({op, std::move(in), of_register(registers_), std::move(with)});
  forms_.emplace_back();
  return of_register(registers_++);
}

chain::value chain::convert(const value& v, nem::element to) {
  const value out = apply(nem::opcode::cast, {v});
  forms_.back().type = to;
  return out;
}

/// The order of the elements that the result has, as dimensions of the shape.
std::vector<std::size_t> chain::order() const {
  std::vector<std::size_t> out(shape_.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  for (const source& s : inputs_) {
    if (s.is_vector || s.of.rank() != shape_.size()) continue;
    bool is_whole = true;
    for (std::size_t k = 0; k < shape_.size(); ++k)
      is_whole = is_whole && (shape_[k] == 1 || s.of.strides[k] != 0);
    if (!is_whole) continue;
    if (fixed_ == 0) return order_of(s.of);
    break;
  }
  return out;
}

tensor_view chain::result(const value& v) {
  if (shape_.empty()) {  // a tile has a dimension
    shape_ = {1};
    for (source& s : inputs_)
      if (!s.is_vector) s.of = of_rank(s.of, 1);
    tensor_view y = result(v);
    return without(y, 0);
  }
  const std::vector<std::size_t> by = order();
  step s = step_of(v, by);
  const tensor_view y = mapper_.make(s.dims, s.forms[s.result.form].type);
  s.write = {y, first_dimensions(s.dims.size())};
  mapper_.add(std::move(s));
  return permuted(y, inverse_of(by));
}

void chain::store(const value& v, const tensor_view& to) {
  std::vector<std::size_t> by(shape_.size());
  std::iota(by.begin(), by.end(), std::size_t{0});
  step s = step_of(v, by);
  s.write = {to, first_dimensions(s.dims.size())};
  mapper_.add(std::move(s));
}

step chain::step_of(const value& v, const std::vector<std::size_t>& by) {
  step s;
  for (const std::size_t k : by) s.dims.push_back(shape_[k]);
  s.fixed = fixed_;
  s.is_plain = fixed_ == 0;
  s.is_tail = true;
  s.can_split = fixed_ == 0;
  for (const source& in : inputs_) {
    access a;
    if (in.is_vector) {
      a = {in.of, std::vector<std::int32_t>(in.of.rank(), -1)};
    } else {
      const tensor_view x = permuted(in.of, by);
      a.of = {x.home, x.offset, {}, {}};
      for (std::size_t k = 0; k < x.rank(); ++k) {
        if (x.strides[k] == 0 && x.shape[k] != 1) continue;  // broadcast along it
        a.of.shape.push_back(x.shape[k]);
        a.of.strides.push_back(x.strides[k]);
        a.follows.push_back(static_cast<std::int32_t>(k));
      }
    }
    s.reads.push_back(std::move(a));
  }
  // A read as it is may be broadcast: the greater one of it and itself isn't.
  s.result = v.what == task_operand::kind::reg ? v : apply(nem::opcode::max, {v, v});
  s.tasks = std::move(tasks_);
  s.registers = registers_;
  s.forms = std::move(forms_);
  return s;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
