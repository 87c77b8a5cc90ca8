// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A mutator of NAC containers by their parts: whatever changes, all offsets and lengths are right, and
// most programs stay valid.
//
//   fuzz::mutate_nac(container, draw);    // false, and the bytes as they were, where they can't be read

#ifndef TESSERA_FUZZ_MUTATE_NAC_HPP
#define TESSERA_FUZZ_MUTATE_NAC_HPP

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>
#include <vector>

#include "mutate.hpp"

namespace fuzz {

/// Changes to the parts of one container.
class nac_changes {
 public:
  nac_changes(const tessera::nac::model& file, tessera::nac::parts& p, generator& draw)
      : file_(file), parts_(p), draw_(draw) {}

  /// One change; false where it doesn't apply.
  [[nodiscard]] bool apply() {
    switch (draw_.below(12)) {
      case 0:
      case 1:
      case 2: return other_operation();
      case 3: return other_operand();
      case 4: return other_constant_of_call();
      case 5: return constant();
      case 6: return repeat();
      case 7: return remove();
      case 8: return elements();
      case 9: return bytes_of_resource();
      case 10: return bytes_of(draw_.one_in(2) ? parts_.plan : parts_.manifest);
      default: return number();
    }
  }

 private:
  using parts = tessera::nac::parts;
  using instruction = tessera::nac::instruction_part;

  [[nodiscard]] std::string_view name_of(const instruction& i) const {
    for (const tessera::nac::named_part& row : parts_.operations)
      if (row.id == i.a) return parts_.string(row.text);
    return file_.operation_name(i.a);
  }
  /// An operation by chance; null where there is none.
  [[nodiscard]] instruction* operation() {
    if (parts_.instructions.size() == 0) return nullptr;
    for (int left = 4; left != 0; --left) {
      instruction& i = parts_.instructions[draw_.below(parts_.instructions.size())];
      if (i.a >= tessera::nac::first_regular_op) return &i;
    }
    return nullptr;
  }

  /// One that takes the same arguments, under a name of its own.
  [[nodiscard]] bool other_operation() {
    instruction* const i = operation();
    if (i == nullptr) return false;
    const std::string_view letters =
        tessera::nac::pattern(tessera::nac::find_operation(name_of(*i)));
    std::vector<std::size_t> fits;
    for (std::size_t o = 1; o < tessera::nac::operation_count; ++o)
      if (tessera::nac::operations[o].pattern == letters || draw_.one_in(200)) fits.push_back(o);
    if (fits.empty()) return false;
    const auto o = static_cast<tessera::nac::operation>(fits[draw_.below(fits.size())]);
    unsigned used[8] = {};
    for (const tessera::nac::named_part& row : parts_.operations) {
      if (row.id < 256) used[row.id / 32] |= 1u << row.id % 32;
      if (parts_.string(row.text) == tessera::nac::name(o))
        return i->a = static_cast<std::uint8_t>(row.id), true;
    }
    for (const instruction& x : parts_.instructions) used[x.a / 32] |= 1u << x.a % 32;
    for (unsigned id = 64; id < 256; ++id) {
      if ((used[id / 32] >> id % 32 & 1u) != 0) continue;
      parts_.add_name(parts_.operations, static_cast<std::uint16_t>(id), tessera::nac::name(o));
      return i->a = static_cast<std::uint8_t>(id), true;
    }
    return false;
  }
  [[nodiscard]] bool other_operand() {
    instruction* const i = operation();
    if (i == nullptr || i->d.size == 0) return false;
    const auto index = static_cast<std::size_t>(i - parts_.instructions.data());
    std::uint16_t& d = parts_.words[i->d.first + draw_.below(i->d.size)];
    if (index == 0 || (d == 0 && !draw_.one_in(4))) return false;
    d = static_cast<std::uint16_t>(-static_cast<int>(1 + draw_.below(index)));
    return true;
  }
  [[nodiscard]] bool other_constant_of_call() {
    instruction* const i = operation();
    if (i == nullptr || i->c.size == 0 || parts_.constants.size() == 0) return false;
    parts_.words[i->c.first + draw_.below(i->c.size)] =
        parts_.constants[draw_.below(parts_.constants.size())].id;
    return true;
  }
  [[nodiscard]] bool constant() {
    if (parts_.constants.size() == 0) return false;
    tessera::nac::constant_part& c = parts_.constants[draw_.below(parts_.constants.size())];
    const auto small = static_cast<std::int64_t>(draw_.below(9)) - 3;
    switch (c.type) {
      case tessera::nac::constant_type::boolean: c.bits ^= 1; break;
      case tessera::nac::constant_type::int64: c.bits = static_cast<std::uint64_t>(small); break;
      case tessera::nac::constant_type::float64:
        c.bits = std::bit_cast<std::uint64_t>(static_cast<double>(small) / 2);
        break;
      case tessera::nac::constant_type::int32_list:
        if (c.values.size == 0) return false;
        parts_.numbers[c.values.first + draw_.below(c.values.size)] =
            static_cast<std::uint32_t>(small);
        break;
      case tessera::nac::constant_type::null:
      case tessera::nac::constant_type::string:
      case tessera::nac::constant_type::float32_list: return false;
    }
    return true;
  }

  /// Moves the operands of all instructions from `from` on that lead before it by one.
  void shift(std::size_t from, int by) {
    for (std::size_t k = from; k < parts_.instructions.size(); ++k) {
      const instruction& i = parts_.instructions[k];
      for (std::uint32_t n = 0; n < i.d.size; ++n) {
        std::uint16_t& d = parts_.words[i.d.first + n];
        const int offset = static_cast<std::int16_t>(d);
        if (offset < 0 && static_cast<int>(k) + offset < static_cast<int>(from))
          d = static_cast<std::uint16_t>(offset - by);
      }
    }
  }
  void drop_schedule() {
    parts_.schedule.clear();
    parts_.commands.clear();
  }
  /// An operation once more, of its own result where it takes one.
  [[nodiscard]] bool repeat() {
    instruction* const found = operation();
    if (found == nullptr || parts_.instructions.size() > 200) return false;
    const auto at = static_cast<std::size_t>(found - parts_.instructions.data());
    instruction copy = *found;
    std::vector<std::uint16_t> d;
    for (const std::uint16_t word : parts_.words_of(copy.d)) d.push_back(word);
    for (std::uint16_t& word : d)
      if (word != 0) word = static_cast<std::uint16_t>(word - 1);
    if (!d.empty() && d[0] != 0) d[0] = 0xffff;
    copy.d = parts_.add_words({d.data(), d.size()});
    shift(at + 1, 1);
    parts_.instructions.push_back(copy);
    for (std::size_t k = parts_.instructions.size() - 1; k > at + 1; --k)
      std::swap(parts_.instructions[k], parts_.instructions[k - 1]);
    return drop_schedule(), true;
  }
  /// Takes an operation out: what took its result takes that of the one before.
  [[nodiscard]] bool remove() {
    instruction* const found = operation();
    if (found == nullptr) return false;
    const auto at = static_cast<std::size_t>(found - parts_.instructions.data());
    if (at == 0) return false;
    shift(at + 1, -1);
    for (std::size_t k = at; k + 1 < parts_.instructions.size(); ++k)
      std::swap(parts_.instructions[k], parts_.instructions[k + 1]);
    parts_.instructions.pop_back();
    return drop_schedule(), true;
  }

  [[nodiscard]] bool elements() {
    if (parts_.tensors.size() == 0) return false;
    tessera::nac::payload& data = parts_.tensors[draw_.below(parts_.tensors.size())].data;
    std::string content(tessera::as_text(parts_.data_of(data)));
    if (content.empty()) return false;
    const std::size_t size = content.size();
    mutate_part(content, 0, size, size);
    content.resize(size);
    data = parts_.keep(content);
    return true;
  }
  [[nodiscard]] bool bytes_of(tessera::nac::payload& data) {
    std::string content(tessera::as_text(parts_.data_of(data)));
    if (content.empty()) return false;
    mutate_part(content, 0, content.size(), content.size() + 8);
    data = parts_.keep(content);
    return true;
  }
  [[nodiscard]] bool bytes_of_resource() {
    return parts_.resources.size() != 0 &&
           bytes_of(parts_.resources[draw_.below(parts_.resources.size())].data);
  }
  /// An extent, a scale or an element of a list.
  [[nodiscard]] bool number() {
    if (parts_.numbers.size() == 0) return false;
    parts_.numbers[draw_.below(parts_.numbers.size())] = static_cast<std::uint32_t>(draw_.below(5));
    return true;
  }

  const tessera::nac::model& file_;
  parts& parts_;
  generator& draw_;
};

[[nodiscard]] inline bool mutate_nac(std::string& container, generator& draw) {
  const std::string before = container;
  const tessera::result<tessera::nac::model> file =
      tessera::nac::read(tessera::as_bytes(std::string_view(before)));
  if (!file) return false;
  tessera::nac::parts p = tessera::nac::parts_of(*file);
  if (!nac_changes(*file, p, draw).apply()) return false;
  const auto written = tessera::nac::write(p);
  if (!written) return false;
  container.assign(tessera::as_text({written->data(), written->size()}));
  return true;
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_MUTATE_NAC_HPP
