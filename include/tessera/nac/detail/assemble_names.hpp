// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly: what names and values mean: results, operations, signatures, constants,
// parameters.
//
//   scope      names of results, and their instructions
//   short_ids  operations or signatures, by name; new ones get the least free id
//   constants  by value, where several have the same: the least id; new ones get the least free id
//   parameters by name, where several have the same: the first row
//   inputs     their names, as rows of the table
//
// Names are sorted, not hashed, so that no text takes more than n log n steps.
//
// Lifetime:   names of results borrow the text.
// Errors:     nac_text_*, at the name or value.
// Limits:     256 operations, 256 signatures; constants and parameters up to id 32,767.
// Allocation: at most 64 bytes for each name and value.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_NAMES_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_NAMES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../parts.hpp"
#include "../print.hpp"
#include "ids.hpp"
#include "lexer.hpp"
#include "short_index.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Shorter names first, which is the usual order of numbered names.
[[nodiscard]] inline bool name_less(std::string_view a, std::string_view b) noexcept {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// The results of OPS or of TRNG.
class scope {
 public:
  void define(std::string_view name, std::uint32_t index, std::uint64_t offset) {
    rows_.push_back({name, index, offset});
  }
  /// After the last definition.
  void close(lexer& in) {
    tessera::sort(rows_.data(), rows_.size(),
                  [](const row& a, const row& b) { return name_less(a.name, b.name); });
    for (std::size_t i = 1; i < rows_.size(); ++i)
      if (rows_[i].name == rows_[i - 1].name)
        return in.fail(errc::nac_text_value_repeated, rows_[i].offset);
  }
  [[nodiscard]] std::uint32_t find(lexer& in, std::string_view name, std::uint64_t offset) const {
    const std::size_t i = first_not_below(rows_.data(), rows_.size(),
                                          [name](const row& r) { return name_less(r.name, name); });
    if (i < rows_.size() && rows_[i].name == name) return rows_[i].index;
    in.fail(errc::nac_text_value_undefined, offset);
    return 0;
  }

 private:
  struct row {
    std::string_view name;
    std::uint32_t index;
    std::uint64_t offset;
  };
  pool<row> rows_;
};

/// Operations or signatures, of one byte's ids.
class short_ids {
 public:
  /// Those of a table, from id `first` on.
  void fill(const parts& p, const pool<named_part>& rows, std::uint32_t first) {
    const id_table last(rows);
    for (std::uint32_t id = first; id < 256; ++id)
      if (last[id] != no_index) set(static_cast<std::uint8_t>(id), p.string(rows[last[id]].text));
  }
  /// What has no row of its own, too.
  void set(std::uint8_t id, std::string_view name) {
    if (names_.size() == 0) names_.reserve(std::size_t{512} * 255);  // two of each: it never grows
    const std::size_t first = names_.size();
    names_ << name;
    index_.set(id, names_.view().substr(first));
  }
  /// An id that the text names by itself.
  void reserve(std::uint32_t id) noexcept {
    if (id < 256) reserved_[id] = true;
  }
  [[nodiscard]] bool has(std::uint32_t id) const noexcept { return index_.has(id); }
  [[nodiscard]] std::string_view operator[](std::uint8_t id) const noexcept { return index_[id]; }
  [[nodiscard]] std::uint32_t find(std::string_view name) noexcept { return index_.find(name); }
  /// A new one's id, from `first` on; 256 when all are taken.
  [[nodiscard]] std::uint32_t free(std::uint32_t first) const noexcept {
    while (first < 256 && (index_.has(first) || reserved_[first])) ++first;
    return first;
  }

 private:
  text names_;
  short_index index_;
  bool reserved_[256] = {};
};

/// Ids that are taken.
class taken_ids {
 public:
  void add(std::uint16_t id) noexcept { taken_.insert(id); }
  [[nodiscard]] bool has(std::uint16_t id) const noexcept { return taken_.has(id); }
  /// The least free id that isn't below any it returned before; 0 above what can be written.
  [[nodiscard]] std::uint16_t next() noexcept {
    while (next_ <= max_id && has(next_)) ++next_;
    if (next_ > max_id) return 0;
    add(next_);
    return next_;
  }
  void start_at(std::uint16_t id) noexcept { next_ = id; }

 private:
  id_set taken_;
  std::uint16_t next_ = 1;
};

[[nodiscard]] inline constant_value value_of(const parts& p, const constant_part& c) noexcept {
  switch (c.type) {
    case constant_type::null: break;
    case constant_type::boolean:
    case constant_type::int64:
    case constant_type::float64: return {c.type, std::as_bytes(std::span(&c.bits, 1))};
    case constant_type::string: return {c.type, as_bytes(p.string(c.values))};
    case constant_type::int32_list:
    case constant_type::float32_list:
      return {c.type, std::as_bytes(std::span(p.numbers.data() + c.values.first, c.values.size))};
  }
  return {};
}

/// Constants that the code gives by value. Their ids are set when all are known.
class constant_values {
 public:
  taken_ids ids;

  /// What CNST holds.
  void fill(const parts& p) {
    for (const constant_part& c : p.constants) ids.add(c.id);
    rows_ = id_table(p.constants);
  }
  /// null where there is none.
  [[nodiscard]] constant_type type_of(const parts& p, std::uint16_t id) const noexcept {
    return rows_[id] != no_index ? p.constants[rows_[id]].type : constant_type::null;
  }
  void add(const constant_part& c, std::uint32_t word, std::uint64_t offset) {
    uses_.push_back({c, word, offset});
  }
  /// Sets the words, and appends to CNST what isn't there.
  void close(lexer& in, parts& p) {
    struct row {
      constant_value value;
      std::uint32_t number;  // an id, or after all ids a use
    };
    const std::uint32_t id_count = rows_.end();
    pool<row> order;
    order.reserve(p.constants.size() + uses_.size());
    for (std::uint32_t id = 0; id < id_count; ++id)
      if (rows_[id] != no_index) order.push_back({value_of(p, p.constants[rows_[id]]), id});
    for (std::size_t i = 0; i < uses_.size(); ++i)
      order.push_back({value_of(p, uses_[i].constant), id_count + static_cast<std::uint32_t>(i)});
    tessera::sort(order.data(), order.size(),
                  [](const row& a, const row& b) { return less(a.value, b.value); });
    pool<std::uint32_t> first_of;  // for each use: the first row with its value
    first_of.resize(uses_.size());
    for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
      if (less(order[first].value, order[i].value)) first = i;
      if (order[i].number >= id_count) first_of[order[i].number - id_count] = order[first].number;
    }
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const std::uint32_t first = first_of[i];
      if (first < id_count) {
        p.words[uses_[i].word] = static_cast<std::uint16_t>(first);
      } else if (first - id_count < i) {
        p.words[uses_[i].word] = p.words[uses_[first - id_count].word];
      } else {
        constant_part c = uses_[i].constant;
        const bool is_first = c.type == constant_type::null && !ids.has(1);
        if (is_first) ids.add(1);
        c.id = is_first ? std::uint16_t{1} : ids.next();
        if (c.id == 0) return in.fail(errc::nac_text_constants, uses_[i].offset);
        p.words[uses_[i].word] = c.id;
        p.constants.push_back(c);
      }
    }
  }

 private:
  struct use {
    constant_part constant;
    std::uint32_t word;
    std::uint64_t offset;
  };
  id_table rows_;
  pool<use> uses_;
};

/// Parameters that are named by their names. Ids are set when all are known.
class parameter_names {
 public:
  taken_ids ids;

  /// For a word of C, or for the id of a tensor.
  void add(std::string_view name, std::uint32_t target, bool is_tensor, std::uint64_t offset) {
    const auto first = static_cast<std::uint32_t>(names_.size());
    names_ << name;
    uses_.push_back({{first, static_cast<std::uint32_t>(name.size())}, target, is_tensor, offset});
  }
  /// Where the text has a table, that has all; else rows are appended.
  void close(lexer& in, parts& p, bool has_table) {
    struct row {
      std::string_view name;
      std::uint32_t number;  // a row of the table, or after all rows a use
    };
    const auto row_count = static_cast<std::uint32_t>(p.parameters.size());
    pool<row> order;
    order.reserve(row_count + uses_.size());
    for (std::uint32_t i = 0; i < row_count && !uses_.empty(); ++i)
      order.push_back({p.string(p.parameters[i].text), i});
    for (std::size_t i = 0; i < uses_.size(); ++i)
      order.push_back({names_.view().substr(uses_[i].name.first, uses_[i].name.size),
                       row_count + static_cast<std::uint32_t>(i)});
    tessera::sort(order.data(), order.size(),
                  [](const row& a, const row& b) { return name_less(a.name, b.name); });
    pool<std::uint32_t> first_of;
    first_of.resize(uses_.size());
    for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
      if (order[first].name != order[i].name) first = i;
      if (order[i].number >= row_count) first_of[order[i].number - row_count] = order[first].number;
    }
    pool<std::uint16_t> id_of;
    id_of.resize(uses_.size());
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const std::uint32_t first = first_of[i];
      if (first < row_count) {
        id_of[i] = p.parameters[first].id;
      } else if (first - row_count < i) {
        id_of[i] = id_of[first - row_count];
      } else {
        if (has_table) return in.fail(errc::nac_text_parameter, uses_[i].offset);
        id_of[i] = ids.next();
        if (id_of[i] == 0) return in.fail(errc::nac_text_parameters, uses_[i].offset);
        p.add_name(p.parameters, id_of[i],
                   names_.view().substr(uses_[i].name.first, uses_[i].name.size));
      }
      (uses_[i].is_tensor ? p.tensors[uses_[i].target].id : p.words[uses_[i].target]) = id_of[i];
    }
  }

 private:
  struct use {
    range name;  // in names_
    std::uint32_t target;
    bool is_tensor;
    std::uint64_t offset;
  };
  text names_;
  pool<use> uses_;
};

/// Names that the inputs themselves have.
class input_names {
 public:
  void add(range name, std::uint32_t index, std::uint64_t offset) {
    uses_.push_back({name, index, offset});
  }
  /// Appends rows for instructions that have none; the others say the same.
  void close(lexer& in, parts& p) const {
    const id_table rows(p.input_names);
    for (const use& u : uses_) {
      if (rows[u.index] == no_index)
        p.input_names.push_back({static_cast<std::uint16_t>(u.index), u.name});
      else if (p.string(p.input_names[rows[u.index]].text) != p.string(u.name))
        return in.fail(errc::nac_text_input_name, u.offset);
    }
  }

 private:
  struct use {
    range name;  // in parts::characters
    std::uint32_t index;
    std::uint64_t offset;
  };
  pool<use> uses_;
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_NAMES_HPP
