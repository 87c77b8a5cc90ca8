// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/duplicates.hpp"

#include <bit>
#include <cstdint>

#include "operands.hpp"
#include "value_numbers.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

using alir::opcode;

bool depends_on_interval(const alir::program& p, std::size_t i, std::size_t x) noexcept {
  const alir::operation& o = p.op(i);
  if (o.code == opcode::mux) return x == static_cast<std::size_t>(o.data);
  return o.code == opcode::lookup || o.code == opcode::bit_unary;
}

alir_duplicates::alir_duplicates(const alir::program& p) : is_read_with_interval_(p.size()) {
  value_numbers same(value_numbers::equal::values);
  row_numbers intervals;
  std::vector<std::uint32_t> numbers;
  std::vector<std::size_t> first_value, first_interval;
  const auto first_of = [](std::vector<std::size_t>& first, std::uint32_t number, std::size_t i) {
    if (number == first.size()) first.push_back(i);
    return first[number];
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    numbers.push_back(same.number(p, i, numbers));
    with_value_.push_back(first_of(first_value, numbers[i], i));
    const alir::interval& q = p.op(i).qint;
    const std::uint64_t row[] = {numbers[i], std::bit_cast<std::uint64_t>(q.min + 0.0),
                                 std::bit_cast<std::uint64_t>(q.max + 0.0),
                                 std::bit_cast<std::uint64_t>(q.step)};
    with_interval_.push_back(first_of(first_interval, intervals.number(row), i));
    each_operand(p, i, [&](std::size_t x) {
      if (depends_on_interval(p, i, x)) is_read_with_interval_[x] = true;
    });
  }
  for (const std::int32_t x : p.model().out_idxs)
    if (x >= 0) is_read_with_interval_[static_cast<std::size_t>(x)] = true;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
