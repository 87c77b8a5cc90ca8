// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of alir/pipeline.hpp.

#ifndef TESSERA_ALIR_DETAIL_PIPELINE_HPP
#define TESSERA_ALIR_DETAIL_PIPELINE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/findings.hpp"
#include "../../core/json_write.hpp"
#include "../../core/sort.hpp"
#include "../pipeline.hpp"
#include "../read_json.hpp"
#include "../write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir::detail {

/// The types of a block's inputs: each that of the last operation that reads it.
inline void append_input_types(pool<fixed_type>& to, const model& m) {
  const std::size_t first = to.size();
  to.resize(first + m.inp_shifts.size());
  for (const operation& o : m.ops)
    if (o.code == opcode::input && o.id0 >= 0 &&
        static_cast<std::size_t>(o.id0) < m.inp_shifts.size())
      to[first + static_cast<std::size_t>(o.id0)] = register_type(o.qint);
}

/// Equal to any type: of an output that is 0.
inline constexpr fixed_type any_type = {false, INT16_MIN, INT16_MIN};

/// The types of a block's outputs: those of the operations, scaled and negated.
inline void append_output_types(pool<fixed_type>& to, const model& m) {
  for (std::size_t j = 0; j < m.out_idxs.size(); ++j) {
    const auto i = static_cast<std::size_t>(m.out_idxs[j]);
    const std::int32_t shift = j < m.out_shifts.size() ? m.out_shifts[j] : 0;
    if (m.out_idxs[j] < 0 || i >= m.ops.size() || shift < -1000 || shift > 1000) {
      to.push_back(any_type);
      continue;
    }
    const interval& q = m.ops[i].qint;
    const bool negative = j < m.out_negs.size() && m.out_negs[j] != 0;
    fixed_type t = register_type(negative ? interval{0.0 - q.max, 0.0 - q.min, q.step} : q);
    if (q.min != 0.0 || q.max != 0.0) {
      t.i = static_cast<std::int16_t>(t.i + shift);
      t.f = static_cast<std::int16_t>(t.f - shift);
    }
    to.push_back(t);
  }
}

/// How a text is taken for a pipeline of arrays: four brackets to the first number in the nested form.
[[nodiscard]] inline std::size_t leading_brackets(std::string_view source) noexcept {
  std::size_t count = 0;
  for (const char c : source) {
    if (c == '[')
      ++count;
    else if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
      break;
  }
  return count;
}

/// A signal at one end of a connection.
struct fsm_signal {
  std::uint64_t offset = 0, types_at = 0, schedule_at = 0;
  std::uint64_t name_first = 0, name_size = 0;    // in the reader's names
  std::uint64_t types_first = 0, types_size = 0;  // in the reader's types
  std::int64_t delay = 0;
  bool is_exposed = false, is_register = false, is_scheduled = false;
  char mode = 0;  // r, w, or 0
};

class json_pipeline_reader : json_model_reader {
 public:
  json_pipeline_reader(std::string_view source, const limits& limit)
      : json_model_reader(source, limit, json::row_path::best) {}

  result<pipeline> read() {
    if (size_ >> 36 != 0) return error{errc::input_too_large, std::uint64_t{1} << 36};
    if (in_.peek() == json::kind::array)
      read_arrays();
    else
      read_object();
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    if (p_.form == pipeline_form::fsm) {
      if (const error e = resolve(); e.code != errc::ok) return e;
    }
    return std::move(p_);
  }

 private:
  struct connection {
    fsm_signal from, to;
  };
  struct name_range {
    std::uint64_t first = 0, size = 0, offset = 0;
  };

  // ---- reading

  void read_arrays() {
    const std::size_t depth = leading_brackets(in_.rest());
    if (depth < 3) return in_.fail(errc::alir_pipeline_form, in_.offset());
    p_.form = depth == 3 ? pipeline_form::list : pipeline_form::nested;
    in_.array();
    if (p_.form == pipeline_form::nested) {
      in_.require_element();
      in_.array();
    }
    while (in_.element()) append_block(0);
    if (p_.form == pipeline_form::nested) in_.end_array(errc::alir_pipeline_form);
  }
  void append_block(std::int32_t version) {
    if (p_.blocks.size() >= limit_.max_items) return in_.fail(errc::too_many_items, in_.offset());
    p_.blocks.push_back(read_block(version));
  }

  void read_object() {
    const std::uint64_t start = in_.offset();
    bool has_meta = false, has_version = false, has_fsm = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const std::uint64_t at = in_.offset();
      if (key == "meta") {
        if (in_.string() != "ALIRFSM") in_.fail(errc::alir_pipeline_form, at);
        has_meta = true;
      } else if (key == "spec_version") {
        if (in_.int64() != 4) in_.fail(errc::alir_fsm_version, at);
        has_version = true;
      } else if (key == "fsm") {
        read_fsm();
        has_fsm = true;
      } else {
        in_.skip();
      }
    }
    if (!has_meta) in_.fail(errc::alir_missing_meta, start);
    if (!has_version) in_.fail(errc::alir_missing_version, start);
    if (!has_fsm) in_.fail(errc::alir_fsm_member, start);
  }

  void read_fsm() {
    const std::uint64_t start = in_.offset();
    bool has_logic = false, has_connections = false, has_order = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "logic") {
        std::string_view name;
        for (in_.object(); in_.key(name);) {
          block_names_.push_back(keep(name, in_.offset()));
          append_block(4);
        }
        has_logic = true;
      } else if (key == "conns") {
        connections_at_ = in_.offset();
        for (in_.array(); in_.element();) read_connection();
        has_connections = true;
      } else if (key == "signal_order") {
        order_at_ = in_.offset();
        for (in_.array(); in_.element();) {
          const std::uint64_t at = in_.offset();
          append(order_, at, keep(in_.string(), at));
        }
        has_order = true;
      } else {
        in_.skip();
      }
    }
    if (!has_logic || !has_connections || !has_order) in_.fail(errc::alir_fsm_member, start);
  }

  [[nodiscard]] name_range keep(std::string_view name, std::uint64_t offset) {
    const name_range r{names_.size(), name.size(), offset};
    names_ << name;
    return r;
  }

  void read_connection() {
    const std::uint64_t start = in_.offset();
    connection c;
    bool has_from = false, has_to = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "src")
        c.from = read_signal(), has_from = true;
      else if (key == "dst")
        c.to = read_signal(), has_to = true;
      else if (key == "enable_if" || key == "alt_src")
        require_null();
      else
        in_.skip();
    }
    if (!has_from || !has_to) in_.fail(errc::alir_fsm_connection, start);
    append(connections_, start, c);
  }
  void require_null() {
    const std::uint64_t at = in_.offset();
    if (in_.peek() == json::kind::null)
      in_.null();
    else
      in_.fail(errc::alir_fsm_not_pipeline, at);
  }

  [[nodiscard]] fsm_signal read_signal() {
    const auto field = [this] { in_.require_element(errc::alir_fsm_signal); };
    fsm_signal s;
    s.offset = in_.offset();
    in_.array();
    field();
    const name_range name = keep(in_.string(), s.offset);
    s.name_first = name.first, s.name_size = name.size;
    field();
    s.is_exposed = in_.boolean();
    field();
    s.types_at = in_.offset();
    read_types(s);
    for (int k = 0; k < 2; ++k) field(), require_null();  // resets
    field();
    s.is_register = in_.boolean();
    field();
    s.schedule_at = in_.offset();
    read_schedule(s);
    field();
    const std::string_view mode = in_.string();
    s.mode = mode.size() == 1 ? mode[0] : '\0';
    field();
    require_null();  // attributes
    field();
    read_view(s);
    field();
    require_null();  // an index that is computed
    in_.end_array(errc::alir_fsm_signal);
    return s;
  }
  void read_types(fsm_signal& s) {
    s.types_first = types_.size();
    for (in_.array(); in_.element();) {
      const std::uint64_t at = in_.offset();
      fixed_type t;
      in_.array();
      in_.require_element();
      t.k = in_.boolean();
      in_.require_element();
      t.i = in_.integer<std::int16_t>(-2000, 2000);
      in_.require_element();
      t.f = in_.integer<std::int16_t>(-2000, 2000);
      in_.end_array();
      append(types_, at, t, s.types_first);
    }
    s.types_size = types_.size() - s.types_first;
  }
  /// null, or [[delay],period].
  void read_schedule(fsm_signal& s) {
    if (in_.peek() == json::kind::null) return in_.null();
    s.is_scheduled = true;
    in_.array();
    in_.require_element();
    in_.array();
    in_.require_element(errc::alir_fsm_schedule);
    s.delay = in_.int64();
    in_.end_array(errc::alir_fsm_schedule);
    in_.require_element();
    const std::uint64_t at = in_.offset();
    const std::int64_t period = in_.int64();
    if (period < 0 || period > 1) in_.fail(errc::alir_fsm_schedule, at);
    in_.end_array();
  }
  /// The whole signal: [0,size].
  void read_view(const fsm_signal& s) {
    const std::uint64_t at = in_.offset();
    in_.array();
    in_.require_element();
    const std::int64_t first = in_.int64();
    in_.require_element();
    const std::int64_t end = in_.int64();
    in_.end_array();
    if (first != 0 || end < 0 || static_cast<std::uint64_t>(end) != s.types_size)
      in_.fail(errc::alir_fsm_not_pipeline, at);
  }

  // ---- the chain

  [[nodiscard]] std::string_view text_of(std::uint64_t first, std::uint64_t size) const noexcept {
    return names_.view().substr(to_size(first), to_size(size));
  }
  [[nodiscard]] std::string_view name_of(const fsm_signal& s) const noexcept {
    return text_of(s.name_first, s.name_size);
  }
  [[nodiscard]] std::string_view name_of(const name_range& n) const noexcept {
    return text_of(n.first, n.size);
  }

  /// Indices sorted by names, for searching.
  template <class NameOf>
  [[nodiscard]] static pool<std::uint64_t> sorted(std::size_t count, NameOf name_of) {
    pool<std::uint64_t> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(i);
    sort(out.data(), out.size(), [&](std::uint64_t a, std::uint64_t b) {
      return name_of(to_size(a)) < name_of(to_size(b));
    });
    return out;
  }
  static constexpr std::size_t none = SIZE_MAX;
  template <class NameOf>
  [[nodiscard]] static std::size_t find(const pool<std::uint64_t>& by_name, std::string_view name,
                                        NameOf name_of) {
    const std::size_t at = first_not_below(by_name.data(), by_name.size(), [&](std::uint64_t i) {
      return name_of(to_size(i)) < name;
    });
    if (at == by_name.size() || name_of(to_size(by_name[at])) != name) return none;
    return to_size(by_name[at]);
  }

  /// The block whose port a name is: INTERNAL_block_inp.
  [[nodiscard]] std::size_t block_of(std::string_view port, std::string_view ending) const {
    constexpr std::string_view start = "INTERNAL_";
    if (!port.starts_with(start) || !port.ends_with(ending) ||
        port.size() < start.size() + ending.size())
      return none;
    port = port.substr(start.size(), port.size() - start.size() - ending.size());
    return find(blocks_by_name_, port, [this](std::size_t i) { return name_of(block_names_[i]); });
  }
  [[nodiscard]] std::size_t connection_from(std::string_view name) const {
    return find(by_source_, name, [this](std::size_t i) { return name_of(connections_[i].from); });
  }

  [[nodiscard]] bool carries(const fsm_signal& s, const pool<fixed_type>& carried) const {
    if (s.types_size != carried.size()) return false;
    for (std::size_t i = 0; i < carried.size(); ++i)
      if (!(carried[i] == any_type) && !(types_[to_size(s.types_first) + i] == carried[i]))
        return false;
    return true;
  }
  [[nodiscard]] static error at(errc code, std::uint64_t offset) noexcept { return {code, offset}; }

  /// Puts the blocks in the order of the chain.
  [[nodiscard]] error resolve() {
    by_source_ = sorted(connections_.size(),
                        [this](std::size_t i) { return name_of(connections_[i].from); });
    blocks_by_name_ =
        sorted(block_names_.size(), [this](std::size_t i) { return name_of(block_names_[i]); });
    for (std::size_t i = 1; i < by_source_.size(); ++i) {
      const fsm_signal& s = connections_[to_size(by_source_[i])].from;
      if (name_of(s) == name_of(connections_[to_size(by_source_[i - 1])].from))
        return at(errc::alir_fsm_chain, s.offset);
    }
    std::size_t input = none;
    for (std::size_t i = 0; i < connections_.size() && input == none; ++i)
      if (connections_[i].from.is_exposed && connections_[i].from.mode == 'r') input = i;
    if (input == none) return at(errc::alir_fsm_chain, connections_at_);
    if (const error e = follow(input); e.code != errc::ok) return e;
    return check_order();
  }

  /// Follows the connections from that of the input.
  [[nodiscard]] error follow(std::size_t input) {
    const fsm_signal& first = connections_[input].from;
    if (first.is_register) return at(errc::alir_fsm_chain, first.offset);
    if (!first.is_scheduled || first.delay != 0)
      return at(errc::alir_fsm_schedule, first.schedule_at);
    pool<std::uint64_t> order;    // of the blocks
    pool<fixed_type> carried;     // after the first block
    std::uint64_t registers = 0;  // since the last block
    std::size_t used = 0;
    for (std::size_t i = input;; ++used) {
      if (i == none || used == connections_.size())
        return at(errc::alir_fsm_chain, connections_at_);
      const connection& c = connections_[i];
      const fsm_signal& s = c.to;
      if (used != 0 && (c.from.is_exposed || c.from.is_scheduled))
        return at(errc::alir_fsm_chain, c.from.offset);
      if (order.size() != 0 && !carries(c.from, carried))
        return at(errc::alir_fsm_type, c.from.types_at);
      const std::size_t block = block_of(name_of(s), "_inp");
      if (block != none) {
        if (s.is_exposed || s.is_register || s.is_scheduled || order.size() == p_.blocks.size() ||
            (order.size() == 0 ? registers > 1 : registers != 1))
          return at(errc::alir_fsm_chain, s.offset);
        if (const error e = enter(block, input, i, order.size() == 0, carried); e.code != errc::ok)
          return e;
        if (order.size() == 0) p_.input_register = registers == 1;
        order.push_back(block);
        registers = 0;
        text out;
        out << "INTERNAL_" << name_of(block_names_[block]) << "_outp";
        i = connection_from(out.view());
        continue;
      }
      if (s.is_exposed) {
        ++used;
        return finish(s, order, registers, carried, used);
      }
      if (!s.is_register || s.is_scheduled) return at(errc::alir_fsm_chain, s.offset);
      if (order.size() != 0 && !carries(s, carried)) return at(errc::alir_fsm_type, s.types_at);
      ++registers;
      i = connection_from(name_of(s));
    }
  }

  /// At the inputs of a block, which connection `last` leads to; `carried` becomes what it gives.
  [[nodiscard]] error enter(std::size_t block, std::size_t input, std::size_t last, bool is_first,
                            pool<fixed_type>& carried) {
    pool<fixed_type> inputs;
    append_input_types(inputs, p_.blocks[block]);
    if (is_first) {
      for (const fsm_signal* s :
           {&connections_[input].from, &connections_[input].to, &connections_[last].from})
        if (!carries(*s, inputs)) return at(errc::alir_fsm_type, s->types_at);
    }
    const fsm_signal& port = connections_[last].to;
    if (!carries(port, inputs)) return at(errc::alir_fsm_type, port.types_at);
    carried.clear();
    append_output_types(carried, p_.blocks[block]);
    return {};
  }

  [[nodiscard]] error finish(const fsm_signal& s, const pool<std::uint64_t>& order,
                             std::uint64_t registers, const pool<fixed_type>& carried,
                             std::size_t used) {
    if (s.mode != 'w' || registers != 0) return at(errc::alir_fsm_chain, s.offset);
    if (order.size() != p_.blocks.size() || used != connections_.size())
      return at(errc::alir_fsm_chain, connections_at_);
    if (!carries(s, carried)) return at(errc::alir_fsm_type, s.types_at);
    p_.output_register = s.is_register;
    if (!s.is_scheduled || static_cast<std::uint64_t>(s.delay) != latency(p_))
      return at(errc::alir_fsm_schedule, s.schedule_at);
    sequence<model> blocks;
    blocks.reserve(order.size());
    for (const std::uint64_t i : order) blocks.push_back(std::move(p_.blocks[to_size(i)]));
    p_.blocks = std::move(blocks);
    return {};
  }

  /// That signal_order names each signal once.
  [[nodiscard]] error check_order() const {
    const auto of_order = [this](std::size_t i) { return name_of(order_[i]); };
    const auto of_signal = [this](std::size_t i) {
      const connection& c = connections_[i / 2];
      return name_of(i % 2 == 0 ? c.from : c.to);
    };
    const pool<std::uint64_t> named = sorted(order_.size(), of_order),
                              signals = sorted(2 * connections_.size(), of_signal);
    std::size_t k = 0;
    for (std::size_t i = 0; i < signals.size();) {
      const std::string_view name = of_signal(to_size(signals[i]));
      if (k == named.size()) return at(errc::alir_fsm_order, order_at_);
      if (of_order(to_size(named[k])) != name)
        return at(errc::alir_fsm_order, order_[to_size(named[k])].offset);
      ++k;
      while (i < signals.size() && of_signal(to_size(signals[i])) == name) ++i;
    }
    return k == named.size() ? error{} : at(errc::alir_fsm_order, order_[to_size(named[k])].offset);
  }

  pipeline p_;
  text names_;
  pool<fixed_type> types_;
  pool<name_range> block_names_, order_;
  pool<connection> connections_;
  pool<std::uint64_t> by_source_, blocks_by_name_;
  std::uint64_t connections_at_ = 0, order_at_ = 0;
};

// ---- writing

/// A signal as alkaid lays it out.
class fsm_writer {
 public:
  fsm_writer(json::writer& w, const pipeline& p) : w_(w), p_(p) {
    for (const model& m : p.blocks) {
      inputs_.push_back(types_.size());
      append_input_types(types_, m);
      outputs_.push_back(types_.size());
      append_output_types(types_, m);
    }
    inputs_.push_back(types_.size());
  }

  /// Wires first, then what a clock moves on.
  void write_connections() {
    const std::size_t last = p_.blocks.size() - 1;
    w_.begin_array();
    for (std::size_t i = 0; i <= last; ++i) {
      const auto source = [&] { i == 0 ? input(p_.input_register) : stage(i); };
      connect(source, [&] { port(i, false); });
    }
    const auto to_output = [&] { connect([&] { port(last, true); }, [&] { output(); }); };
    if (!p_.output_register) to_output();
    if (p_.input_register) connect([&] { input(false); }, [&] { input(true); });
    for (std::size_t i = 0; i < last; ++i) connect([&] { port(i, true); }, [&] { stage(i + 1); });
    if (p_.output_register) to_output();
    w_.end();
  }
  void write_order() {
    w_.begin_array().string("model_inp");
    if (p_.input_register) w_.string("model_inp_reg");
    for (std::size_t i = 0; i < p_.blocks.size(); ++i) {
      const text stage = stage_name(i), inputs = port_name(i, false), outputs = port_name(i, true);
      if (i != 0) w_.string(stage.view());
      w_.string(inputs.view()).string(outputs.view());
    }
    w_.string("model_out").end();
  }

 private:
  template <class From, class To>
  void connect(From from, To to) {
    w_.begin_object().key("src");
    from();
    w_.key("dst");
    to();
    w_.key("enable_if").null().key("alt_src").null().end();
  }
  [[nodiscard]] static text stage_name(std::size_t i) {
    text out;
    out << "stage" << i << "_inp";
    return out;
  }
  [[nodiscard]] static text port_name(std::size_t block, bool is_output) {
    text out;
    out << "INTERNAL_logic" << block << (is_output ? "_outp" : "_inp");
    return out;
  }

  void input(bool is_register) {
    write(is_register ? "model_inp_reg" : "model_inp", !is_register, inputs_[0], outputs_[0],
          is_register, is_register ? "rw" : "r", 0);
  }
  void output() {
    const std::size_t last = p_.blocks.size() - 1;
    write("model_out", true, outputs_[last], inputs_[last + 1], p_.output_register, "w",
          latency(p_));
  }
  void stage(std::size_t i) {
    const text name = stage_name(i);
    write(name.view(), false, outputs_[i - 1], inputs_[i], true, "rw", 0);
  }
  void port(std::size_t i, bool is_output) {
    const text name = port_name(i, is_output);
    if (is_output)
      write(name.view(), false, outputs_[i], inputs_[i + 1], false, "rw", 0);
    else
      write(name.view(), false, inputs_[i], outputs_[i], false, "rw", 0);
  }
  void write(std::string_view name, bool is_exposed, std::uint64_t first, std::uint64_t end,
             bool is_register, std::string_view mode, std::uint64_t delay) {
    w_.begin_array().string(name).boolean(is_exposed).begin_array();
    for (std::uint64_t i = first; i < end; ++i) {
      const fixed_type t = types_[to_size(i)] == any_type ? fixed_type{} : types_[to_size(i)];
      w_.begin_array().boolean(t.k).integer(t.i).integer(t.f).end();
    }
    w_.end().null().null().boolean(is_register);
    if (is_exposed) {
      w_.begin_array().begin_array().integer(delay).end();
      w_.integer(latency(p_) == 0 ? 0 : 1).end();
    } else {
      w_.null();
    }
    w_.string(mode).null().begin_array().integer(0).integer(end - first).end().null().end();
  }

  json::writer& w_;
  const pipeline& p_;
  pool<fixed_type> types_;
  pool<std::uint64_t> inputs_, outputs_;  // where those of each block start
};

/// Appends a block, in `version` or its own.
[[nodiscard]] inline error append_block(json::writer& w, const model& m, std::int32_t version) {
  const in_version source(m, version);
  if (source.error().code != errc::ok) return source.error();
  if (const error e = check_json(source); e.code != errc::ok) return e;
  write_block(w, *source, source.version());
  return {};
}

[[nodiscard]] inline error append_fsm(json::writer& w, const pipeline& p) {
  w.begin_object().key("meta").string("ALIRFSM").key("spec_version").integer(4);
  w.key("fsm").begin_object().key("logic").begin_object();
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    text name;
    name << "logic" << i;
    w.key(name.view());
    if (const error e = append_block(w, p.blocks[i], 4); e.code != errc::ok) return e;
  }
  w.end().key("conns");
  fsm_writer signals(w, p);
  signals.write_connections();
  w.key("signal_order");
  signals.write_order();
  w.end().end();
  return {};
}

}  // namespace alir::detail
namespace alir {

TESSERA_INLINE bool operator==(const pipeline& a, const pipeline& b) {
  bool same = a.form == b.form && a.input_register == b.input_register &&
              a.output_register == b.output_register && a.blocks.size() == b.blocks.size();
  for (std::size_t i = 0; i < a.blocks.size() && same; ++i) same = a.blocks[i] == b.blocks[i];
  return same;
}

TESSERA_INLINE fixed_type register_type(const interval& q) noexcept {
  if (detail::check_interval(q) != errc::ok || (q.min == 0.0 && q.max == 0.0)) return {};
  const double low = detail::round_half_away(q.min / q.step),
               high = detail::round_half_away(q.max / q.step) + 1;
  const double codes = -low > high ? -low : high;
  const auto bits = std::bit_cast<std::uint64_t>(codes);
  const bool is_power = (bits & 0xfffffffffffffu) == 0;
  const int f = type_of(q).f;
  const int width = codes > 0 ? static_cast<int>(bits >> 52) - 1023 + (is_power ? 0 : 1) : 0;
  return {q.min < 0, static_cast<std::int16_t>(width - f), static_cast<std::int16_t>(f)};
}

TESSERA_INLINE std::uint64_t register_bits(const pipeline& p) {
  pool<fixed_type> held;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (i == 0 && p.input_register) detail::append_input_types(held, p.blocks[i]);
    if (i + 1 < p.blocks.size() || p.output_register)
      detail::append_output_types(held, p.blocks[i]);
  }
  std::uint64_t bits = 0;
  for (const fixed_type& t : held)
    if (t.width() > 0) bits += static_cast<std::uint64_t>(t.width());
  return bits;
}

TESSERA_INLINE bool starts_pipeline(std::string_view source) noexcept {
  if (source.substr(0, 3) == "\xEF\xBB\xBF") source.remove_prefix(3);
  if (detail::leading_brackets(source) != 0) return detail::leading_brackets(source) >= 3;
  constexpr std::size_t near = 4096;
  constexpr std::string_view meta = "\"ALIRFSM\"";
  return source.substr(0, near).find(meta) != source.npos ||
         source.substr(source.size() < near ? 0 : source.size() - near).find(meta) != source.npos;
}

TESSERA_INLINE result<pipeline> read_pipeline(std::string_view source, const limits& limit) {
  return detail::json_pipeline_reader(source, limit).read();
}

TESSERA_INLINE pipeline staged::release() && noexcept {
  pipeline out;
  out.form = form_;
  out.input_register = input_register_, out.output_register = output_register_;
  out.blocks.reserve(blocks_.size());
  for (program& p : blocks_) out.blocks.push_back(std::move(p).release());
  return out;
}

TESSERA_INLINE result<staged> verify(pipeline p, const verify_options& options, report* found) {
  tessera::detail::findings findings(found, options.max_diagnostics);
  if (p.blocks.empty()) findings.error({errc::alir_pipeline_stages, 0, error_index::whole});
  for (std::size_t i = 1; i < p.blocks.size(); ++i) {
    const model &before = p.blocks[i - 1], &m = p.blocks[i];
    if (m.n_inputs == before.n_outputs) continue;
    error e{errc::alir_stage_inputs, m.source.shape};
    if (e.offset == 0) e.offset = i, e.index = error_index::block;
    findings.error(e.code, {0, e.offset, 0, e.index})
        << "block " << i << " has " << m.n_inputs << (m.n_inputs == 1 ? " input" : " inputs")
        << "; expected " << before.n_outputs << ", the outputs of block " << i - 1;
  }
  findings.close();
  error first = findings.first_error();
  staged out;
  out.form_ = p.form;
  out.input_register_ = p.input_register, out.output_register_ = p.output_register;
  out.blocks_.reserve(p.blocks.size());
  for (model& m : p.blocks) {
    result<program> block = verify(std::move(m), options, found);
    if (block)
      out.blocks_.push_back(std::move(*block));
    else if (first.code == errc::ok)
      first = block.error();
  }
  if (first.code != errc::ok) return first;
  return out;
}

TESSERA_INLINE result<text> write_pipeline(const pipeline& p, std::int32_t version) {
  if (p.blocks.empty()) return error{errc::alir_pipeline_stages, 0, error_index::whole};
  text out;
  json::writer w(out);
  if (p.form == pipeline_form::fsm) {
    if (version != 0 && version != 4) return error{errc::alir_fsm_version, 0, error_index::whole};
    if (const error e = detail::append_fsm(w, p); e.code != errc::ok) return e;
    return out;
  }
  w.begin_array();
  if (p.form == pipeline_form::nested) w.begin_array();
  for (const model& m : p.blocks)
    if (const error e = detail::append_block(w, m, version); e.code != errc::ok) return e;
  w.end();
  if (p.form == pipeline_form::nested) w.end();
  return out;
}

TESSERA_INLINE text print(const pipeline& p, const print_options& options) {
  text out;
  out << "pipeline: " << p.blocks.size() << (p.blocks.size() == 1 ? " block, " : " blocks, ")
      << latency(p) << (latency(p) == 1 ? " register\n" : " registers\n");
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (i != 0 || p.input_register) out << "register\n";
    const text block = print(p.blocks[i], options);
    out << "block " << i << '\n' << block;
  }
  if (p.output_register) out << "register\n";
  return out;
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_PIPELINE_HPP
