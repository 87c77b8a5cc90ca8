// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Interprets the pickles of PyTorch 2.8 and earlier: a dictionary of tensors, whose storages are
// members of the same inner archive (archive/data.pkl, archive/data/0 …). Nothing is ever called: a
// global is a row of a table, and REDUCE with one of them describes a tensor.
//
//   { }                            a dictionary; BUILD's attributes of it are dropped
//   ("storage", torch FloatStorage, "0", "cpu", 12) BINPERSID      a storage: type, key, device, elements
//   _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks)      a view of it
//   _rebuild_parameter(tensor, requires_grad, hooks)                               a parameter
//   _rebuild_parameter_with_state(…, attributes)             one that the exporter has left a mark on

#ifndef TESSERA_PT2_DETAIL_PICKLE_HPP
#define TESSERA_PT2_DETAIL_PICKLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/limits.hpp"
#include "../../core/load_store.hpp"
#include "../../core/number.hpp"
#include "../model.hpp"
#include "../pickle.hpp"
#include "name_table.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// An archive that is a member of another one.
struct inner_archive {
  model zip;  ///< its members; offsets are in its own bytes
  /// Where its bytes begin in the whole archive; of one that was deflated, those of its deflated form.
  std::uint64_t data_offset = 0;
  std::uint64_t owned = member::no_data;  ///< where they begin in model::contents, if there

  /// The same place in the whole archive; in one that was deflated, its beginning.
  [[nodiscard]] std::uint64_t place(std::uint64_t offset) const noexcept {
    return owned == member::no_data ? data_offset + offset : data_offset;
  }
};

class pickle_reader {
 public:
  /// `pickle`: the member of the inner archive that has it.
  pickle_reader(const inner_archive& from, const member& pickle, const limits& limit, model& out)
      : from_(from),
        base_(pickle.data_offset),
        limit_(limit),
        in_(content(from.zip, pickle)),
        m_(out) {
    storage_of_.resize(from.zip.members.size());
  }

  /// Appends to model::stored.
  [[nodiscard]] error read(range& out) {
    out = {static_cast<std::uint32_t>(m_.stored.size()), 0};
    if (in_.size() < 2 || in_[0] != std::byte{0x80} || in_[1] != std::byte{2})
      fail(errc::pt2_pickle_protocol);
    for (at_ = 2; error_.code == errc::ok && !stopped_;) step();
    if (error_.code == errc::ok) take_tensors();
    out.count = static_cast<std::uint32_t>(m_.stored.size()) - out.first;
    return error_;
  }

 private:
  enum class kinds : std::uint8_t {
    mark,
    boolean,
    integer,
    text,
    tuple,
    dictionary,
    global,
    storage,
    tensor
  };
  struct item {
    kinds kind = kinds::mark;
    std::uint32_t index = 0;   ///< of a tuple, dictionary, global, storage, tensor; text: its first
    std::int64_t integer = 0;  ///< of numbers; text: its size

    [[nodiscard]] string text() const noexcept {
      return {index, static_cast<std::uint32_t>(integer)};
    }
  };
  struct tuple_row {
    std::uint32_t first = 0, count = 0;  ///< in items_
    std::uint32_t scalars = none;        ///< in model::scalars, where it was used as sizes
  };
  struct storage_row {
    std::uint32_t member = none;
    element_type type = element_type::unknown;
    std::int64_t elements = 0;
    string key, device;
  };
  struct tensor_row {
    std::uint32_t meta = none, storage = 0;
    bool is_parameter = false;
  };
  struct entry {
    std::uint32_t dictionary = 0, tensor = none;
    bool has_name = false;
    string name;
    std::uint64_t at = 0;
  };

  // ---- the pickle's bytes

  void fail(errc code) { fail(code, start_); }
  void fail(errc code, std::uint64_t at) {
    if (error_.code == errc::ok) error_ = {code, from_.place(base_ + at)};
  }
  [[nodiscard]] bool has(std::uint64_t count) {
    if (count <= in_.size() - at_) return true;
    fail(errc::pt2_pickle_end);
    return false;
  }
  template <class Int>
  [[nodiscard]] Int operand() {
    if (!has(sizeof(Int))) return 0;
    at_ += sizeof(Int);
    return load_le<Int>(in_.data() + at_ - sizeof(Int));
  }
  template <class T>
  bool append(pool<T>& to, const T& row) {
    if (to.size() >= limit_.max_items || to.size() >= none - 1)
      return fail(errc::too_many_items), false;
    to.push_back(row);
    return true;
  }
  [[nodiscard]] string add(std::string_view s) {
    const std::size_t first = m_.characters.size();
    if (s.size() >= none - first) return fail(errc::too_many_items), string();
    m_.characters << s;
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(s.size())};
  }

  // ---- the stack

  void push(const item& of) { (void)append(stack_, of); }
  void push(kinds kind, std::size_t index) { push({kind, static_cast<std::uint32_t>(index)}); }
  void push_integer(std::int64_t value) { push({kinds::integer, 0, value}); }
  /// The item so far below the top; a mark where there is none.
  [[nodiscard]] item peek(std::size_t below) const noexcept {
    return below < stack_.size() ? stack_[stack_.size() - 1 - below] : item{};
  }
  void drop(std::size_t count) noexcept { stack_.shrink(stack_.size() - count); }
  /// How many items are above the last mark, which must be there.
  [[nodiscard]] bool count_above_mark(std::size_t& count) {
    for (count = 0; count < stack_.size(); ++count)
      if (peek(count).kind == kinds::mark) return true;
    fail(errc::pt2_pickle_operand);
    return false;
  }
  [[nodiscard]] view<item> items_of(const item& tuple) const noexcept {
    const tuple_row& row = tuples_[tuple.index];
    return {items_.data() + row.first, row.count};
  }
  /// Whether an item is a tuple of items of these kinds.
  template <std::size_t Count>
  [[nodiscard]] bool is_tuple(const item& of, const kinds (&expected)[Count]) const noexcept {
    if (of.kind != kinds::tuple || tuples_[of.index].count != Count) return false;
    for (std::size_t i = 0; i < Count; ++i)
      if (items_of(of)[i].kind != expected[i]) return false;
    return true;
  }

  // ---- opcodes

  void step() {
    start_ = at_;
    if (!has(1)) return;
    switch (pickle_opcode{std::to_integer<std::uint8_t>(in_[at_++])}) {
      case pickle_opcode::mark: return push({});
      case pickle_opcode::empty_tuple: return make_tuple(0);
      case pickle_opcode::stop: return stop();
      case pickle_opcode::binint: return push_integer(operand<std::int32_t>());
      case pickle_opcode::binint1: return push_integer(operand<std::uint8_t>());
      case pickle_opcode::binint2: return push_integer(operand<std::uint16_t>());
      case pickle_opcode::binpersid: return refer_to_storage();
      case pickle_opcode::reduce: return reduce();
      case pickle_opcode::binunicode: return push_text();
      case pickle_opcode::build: return build();
      case pickle_opcode::global: return push_global();
      case pickle_opcode::binget: return get(operand<std::uint8_t>());
      case pickle_opcode::long_binget: return get(operand<std::uint32_t>());
      case pickle_opcode::binput: return put(operand<std::uint8_t>());
      case pickle_opcode::long_binput: return put(operand<std::uint32_t>());
      case pickle_opcode::setitem: return set_items(2);
      case pickle_opcode::tuple: return tuple_above_mark();
      case pickle_opcode::setitems: return set_items_above_mark();
      case pickle_opcode::empty_dict: return push(kinds::dictionary, dictionaries_++);
      case pickle_opcode::proto: break;  // comes first, and only there
      case pickle_opcode::tuple1: return make_tuple(1);
      case pickle_opcode::tuple2: return make_tuple(2);
      case pickle_opcode::tuple3: return make_tuple(3);
      case pickle_opcode::newtrue: return push({kinds::boolean, 0, 1});
      case pickle_opcode::newfalse: return push({kinds::boolean, 0, 0});
      case pickle_opcode::long1: return push_long();
    }
    fail(errc::pt2_pickle_opcode);
  }

  void push_text() {
    const auto size = operand<std::uint32_t>();
    if (error_.code != errc::ok || !has(size)) return;
    const std::string_view s = as_text(in_.subspan(at_, size));
    at_ += size;
    if (!is_utf8(s)) return fail(errc::pt2_pickle_text);
    const string added = add(s);
    push({kinds::text, added.first, added.size});
  }
  /// An integer of up to 8 bytes; longer ones only repeat the sign.
  void push_long() {
    const std::size_t size = operand<std::uint8_t>();
    if (error_.code != errc::ok || !has(size)) return;
    if (size > 8) return fail(errc::pt2_pickle_integer);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= std::to_integer<std::uint64_t>(in_[at_ + i]) << 8 * i;
    const unsigned unused = 8 * static_cast<unsigned>(8 - size);
    at_ += size;
    push_integer(size == 0 ? 0 : static_cast<std::int64_t>(value << unused) >> unused);
  }
  void push_global() {
    std::string_view names[2];
    for (std::string_view& name : names) {
      const std::string_view rest = as_text(in_.subspan(at_));
      const std::size_t size = rest.find('\n');
      if (size == rest.npos) return fail(errc::pt2_pickle_end);
      name = rest.substr(0, size);
      at_ += size + 1;
    }
    constexpr std::size_t count = sizeof pickle_globals / sizeof pickle_globals[0];
    for (std::size_t i = 0; i < count; ++i)
      if (pickle_globals[i].module == names[0] && pickle_globals[i].name == names[1])
        return push(kinds::global, i);
    fail(errc::pt2_pickle_global);
  }
  void put(std::uint32_t number) {
    if (error_.code != errc::ok) return;
    const item top = peek(0);
    if (top.kind == kinds::mark) return fail(errc::pt2_pickle_operand);
    if (number > memo_.size()) return fail(errc::pt2_pickle_memo);
    if (number < memo_.size())
      memo_[number] = top;
    else
      (void)append(memo_, top);
  }
  void get(std::uint32_t number) {
    if (error_.code != errc::ok) return;
    if (number >= memo_.size()) return fail(errc::pt2_pickle_memo);
    push(memo_[number]);
  }
  void tuple_above_mark() {
    std::size_t count = 0;
    if (!count_above_mark(count)) return;
    make_tuple(count);
    if (error_.code != errc::ok) return;
    const item made = peek(0);
    drop(2);
    push(made);
  }
  void make_tuple(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (peek(i).kind == kinds::mark) return fail(errc::pt2_pickle_operand);
    if (items_.size() + count >= none) return fail(errc::too_many_items);
    const auto first = static_cast<std::uint32_t>(items_.size());
    items_.append(stack_.data() + stack_.size() - count, count);
    if (!append(tuples_, {first, static_cast<std::uint32_t>(count)})) return;
    drop(count);
    push(kinds::tuple, tuples_.size() - 1);
  }
  void set_items_above_mark() {
    std::size_t count = 0;
    if (!count_above_mark(count)) return;
    if (count % 2 != 0) return fail(errc::pt2_pickle_operand);
    // The mark goes, so that the dictionary is below the items.
    const std::size_t mark = stack_.size() - count - 1;
    for (std::size_t i = mark; i + 1 < stack_.size(); ++i) stack_[i] = stack_[i + 1];
    drop(1);
    set_items(count);
  }
  /// Takes keys and values, which are above their dictionary.
  void set_items(std::size_t count) {
    const item to = peek(count);
    if (to.kind != kinds::dictionary) return fail(errc::pt2_pickle_operand);
    for (std::size_t i = count; i != 0; i -= 2) {
      const item key = peek(i - 1), value = peek(i - 2);
      if (key.kind == kinds::mark || value.kind == kinds::mark)
        return fail(errc::pt2_pickle_operand);
      const std::uint32_t tensor = value.kind == kinds::tensor ? value.index : none;
      (void)append(entries_, {to.index, tensor, key.kind == kinds::text, key.text(), start_});
    }
    drop(count);
  }
  void build() {
    if (peek(0).kind != kinds::dictionary || peek(1).kind != kinds::dictionary)
      return fail(errc::pt2_pickle_operand);
    drop(1);
  }
  void stop() {
    if (at_ != in_.size()) return fail(errc::pt2_pickle_end, at_);
    if (stack_.size() != 1 || peek(0).kind != kinds::dictionary) return fail(errc::pt2_pickle_root);
    stopped_ = true;
  }

  // ---- storages and tensors

  void refer_to_storage() {
    const item top = peek(0);
    if (!is_tuple(top, {kinds::text, kinds::global, kinds::text, kinds::text, kinds::integer}))
      return fail(errc::pt2_pickle_storage);
    const view<item> of = items_of(top);
    const pickle_global_row& type = pickle_globals[of[1].index];
    const std::string_view key = text_of(m_, of[2].text());
    constexpr std::size_t max_key = 20;  // the digits of a number
    if (text_of(m_, of[0].text()) != "storage" || type.kind != global_kind::storage ||
        key.size() > max_key)
      return fail(errc::pt2_pickle_storage);
    tessera::text path;
    path << "data/" << key;
    const std::uint32_t inner = find_member(from_.zip, path);
    if (inner == none) return fail(errc::pt2_no_payload);
    std::uint32_t& number = storage_of_[inner];
    if (number == 0) {
      if (!append_storage(from_.zip.members[inner], of)) return;
      number = static_cast<std::uint32_t>(storages_.size());
    }
    const storage_row& known = storages_[number - 1];
    if (known.type != type.type || known.elements != of[4].integer)
      return fail(errc::pt2_pickle_storage);
    drop(1);
    push(kinds::storage, number - 1);
  }
  /// `of`: the reference to it.
  bool append_storage(const member& inner, view<item> of) {
    storage_row row;
    row.type = pickle_globals[of[1].index].type;
    row.key = of[2].text();
    row.device = of[3].text();
    row.elements = of[4].integer;
    std::int64_t size = 0;
    if (!checked_mul(row.elements, std::int64_t{info(row.type).bytes}, size) || size < 0 ||
        static_cast<std::uint64_t>(size) != inner.size)
      return fail(errc::pt2_storage_size), false;
    if (inner.is_deflated)
      return error_ = {errc::pt2_inner_deflated, from_.place(inner.data_offset)}, false;
    member placed = inner;
    placed.name = add(text_of(from_.zip, inner.name));
    placed.offset = from_.place(inner.offset);
    placed.data_offset = from_.place(inner.data_offset);
    if (from_.owned != member::no_data) placed.owned = from_.owned + inner.data_offset;
    row.member = static_cast<std::uint32_t>(m_.members.size());
    return append(m_.members, placed) && append(storages_, row);
  }

  void reduce() {
    const item arguments = peek(0), callee = peek(1);
    if (arguments.kind != kinds::tuple || callee.kind != kinds::global)
      return fail(errc::pt2_pickle_operand);
    item made;
    switch (pickle_globals[callee.index].kind) {
      case global_kind::dictionary:
        if (tuples_[arguments.index].count != 0) return fail(errc::pt2_pickle_operand);
        made = {kinds::dictionary, dictionaries_++};
        break;
      case global_kind::tensor:
        if (!make_tensor(arguments, made)) return;
        break;
      case global_kind::parameter:
        if (!is_tuple(arguments, {kinds::tensor, kinds::boolean, kinds::dictionary}))
          return fail(errc::pt2_pickle_tensor);
        if (!make_parameter(arguments, made)) return;
        break;
      case global_kind::parameter_with_state:
        if (!is_tuple(arguments,
                      {kinds::tensor, kinds::boolean, kinds::dictionary, kinds::dictionary}))
          return fail(errc::pt2_pickle_tensor);
        if (!make_parameter(arguments, made)) return;
        break;
      case global_kind::storage: return fail(errc::pt2_pickle_operand);
    }
    drop(2);
    push(made);
  }
  bool make_tensor(const item& arguments, item& made) {
    if (!is_tuple(arguments, {kinds::storage, kinds::integer, kinds::tuple, kinds::tuple,
                              kinds::boolean, kinds::dictionary}))
      return fail(errc::pt2_pickle_tensor), false;
    const view<item> of = items_of(arguments);
    const storage_row& storage = storages_[of[0].index];
    tensor_meta t;
    t.type = storage.type;
    t.requires_grad = of[4].integer != 0;
    t.offset = from_.place(base_ + start_);
    if (!device_of(storage.device, t) || !dimensions(of[2], t.sizes) ||
        !dimensions(of[3], t.strides))
      return fail(errc::pt2_pickle_tensor), false;
    t.storage_offset = static_cast<std::uint32_t>(m_.scalars.size());
    return append_scalar(of[1].integer) && append_tensor(t, of[0].index, false, made);
  }
  bool make_parameter(const item& arguments, item& made) {
    const view<item> of = items_of(arguments);
    const tensor_row from = tensors_[of[0].index];
    tensor_meta t = m_.tensors[from.meta];
    t.requires_grad = of[1].integer != 0;
    return append_tensor(t, from.storage, true, made);
  }
  bool append_tensor(const tensor_meta& t, std::uint32_t storage, bool is_parameter, item& made) {
    const tensor_row row{static_cast<std::uint32_t>(m_.tensors.size()), storage, is_parameter};
    made = {kinds::tensor, static_cast<std::uint32_t>(tensors_.size())};
    return append(m_.tensors, t) && append(tensors_, row);
  }
  bool append_scalar(std::int64_t value) {
    scalar s;
    s.integer = value;
    s.offset = from_.place(base_ + start_);
    return append(m_.scalars, s);
  }
  /// A tuple of integers as sizes or strides. Tuples are shared by tensors, and so is what is made of
  /// them; PyTorch's operators have the same maximum.
  [[nodiscard]] bool dimensions(const item& of, range& out) {
    constexpr std::uint32_t max_rank = 64;
    tuple_row& row = tuples_[of.index];
    if (row.count > max_rank) return false;
    for (const item& i : items_of(of))
      if (i.kind != kinds::integer) return false;
    if (row.scalars == none) {
      row.scalars = static_cast<std::uint32_t>(m_.scalars.size());
      for (const item& i : items_of(of))
        if (!append_scalar(i.integer)) return false;
    }
    out = {row.scalars, row.count};
    return true;
  }
  /// "cpu", or "cuda:0".
  [[nodiscard]] bool device_of(string name, tensor_meta& t) const noexcept {
    const std::string_view s = text_of(m_, name);
    const std::size_t colon = s.find(':');
    t.device = name;
    if (colon == s.npos) return true;
    t.device.size = static_cast<std::uint32_t>(colon);
    t.has_device_index = true;
    std::uint32_t index = 0;
    for (const char c : s.substr(colon + 1)) {
      if (c < '0' || c > '9' || index > 9999) return false;
      index = index * 10 + static_cast<std::uint32_t>(c - '0');
    }
    t.device_index = index;
    return colon + 1 < s.size();
  }

  /// The entries of the dictionary that is left when the pickle stops.
  void take_tensors() {
    const std::uint32_t root = stack_[0].index;
    name_table names(m_, entries_.size());
    for (const entry& e : entries_) {
      if (e.dictionary != root) continue;
      if (!e.has_name || e.tensor == none) return fail(errc::pt2_pickle_root, e.at);
      if (!names.insert(e.name, e.tensor)) return fail(errc::pt2_pickle_key, e.at);
      const tensor_row& of = tensors_[e.tensor];
      const storage_row& storage = storages_[of.storage];
      stored_tensor t;
      t.name = e.name;
      t.path = storage.key;
      t.member = storage.member;
      t.meta = of.meta;
      t.is_parameter = of.is_parameter;
      t.offset = m_.tensors[of.meta].offset;
      if (!append(m_.stored, t)) return;
    }
  }

  const inner_archive& from_;
  std::uint64_t base_;
  limits limit_;
  bytes in_;
  model& m_;
  error error_;
  std::size_t at_ = 0, start_ = 0;  // of the next opcode, and of the one that is interpreted
  bool stopped_ = false;
  std::uint32_t dictionaries_ = 0;
  pool<item> stack_, memo_, items_;  // items_: of tuples
  pool<tuple_row> tuples_;
  pool<storage_row> storages_;
  pool<std::uint32_t> storage_of_;  // of the inner archive's members; 1 is the first storage
  pool<tensor_row> tensors_;
  pool<entry> entries_;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_PICKLE_HPP
