// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verify() checks about the nodes of a stream, or of a pattern, against a library.
//
//   detail::stream_checker(stream, library, found).check();
//
//   what a reference may name         in a stream                      in a pattern
//   at the top                        id of an earlier node            offset below 0, which may lead
//   in a block                        the same, or an offset below 0   before the pattern
//                                     to a node of this very block
//   from the blocks of an IF          of what is outside, what D lists from the condition on
//   never                             nodes of blocks that have ended, the IF or WHILE around, PADs
//                                     and OUTPUTs
//
// A pattern's references count nodes of its expansion, so one into a pattern inside of it names one
// node there; whether that has a result and is in scope only expand() sees, as it does where the
// references of a pattern that is called lead. The own D of a PATTERN says nothing that its nodes
// don't, but has to be made of valid references all the same.
//
// A pattern may begin with a COPY of DATA_INPUTs, as the original miner leaves them: these are the
// next inputs of the graph, in the order of its expansion. Such a pattern isn't called in a block,
// where inputs are those of the IF or WHILE.
//
// Variation 1 means no tensor inputs as arguments, and is in no registry. The number of inputs is
// compared with node_args where each is one node of the graph that the stream was compressed from: not
// after a PATTERN or COPY, of which D names one for many. A variation may name more inputs than
// there are, but not where there are none: what took several nodes of a pattern has one of them in
// D, in the expansion too.
//
// Lifetime:   borrows the stream and the library.
// Errors:     genome_command to genome_reference_nothing, genome_pattern_absolute, _command and
//             _order. In a stream the offset is that of the node, or of the entry of D that is
//             wrong, 5 + 2 × k later; in a pattern its row's.
// Limits:     those of the library.
// Allocation: 4 bytes for each node; for each IF or WHILE 144, and 8 for each of its inputs.

#ifndef TESSERA_GENOME_DETAIL_CHECK_STREAM_HPP
#define TESSERA_GENOME_DETAIL_CHECK_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/findings.hpp"
#include "../../core/sort.hpp"
#include "../format.hpp"
#include "../program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

class stream_checker {
 public:
  stream_checker(const stream_view& s, const library& l, tessera::detail::findings& found)
      : s_(s), library_(l), found_(found) {}
  /// A pattern whose nodes start at `starts` in its expansion; errors are at its row.
  stream_checker(const stream_view& s, const library& l, tessera::detail::findings& found,
                 view<std::uint64_t> starts, const error& row, std::uint32_t id)
      : s_(s), library_(l), found_(found), starts_(starts), row_(row), id_(id), in_pattern_(true) {}

  /// Checks all nodes, up to an IF or WHILE whose blocks can't be known.
  void check() {
    blocks_.push_back({.end = s_.size()});
    scopes_.resize(s_.size());
    for (std::size_t i = 0; i < s_.size(); ++i) {
      close_blocks(i);
      scopes_[i] = current_;
      blocks_[current_].last = i;
      const std::uint64_t before = flat_;
      if (!check_node(i)) {
        if (lost_blocks_) return;
        if (flat_ == before) flat_ += flat_size(i);
      }
    }
    close_blocks(s_.size());
  }
  /// How far before the pattern references lead.
  [[nodiscard]] std::uint64_t reach() const noexcept { return reach_; }
  /// Whether nodes outside of blocks are inputs of the graph.
  [[nodiscard]] bool takes_inputs() const noexcept { return takes_inputs_; }

 private:
  /// Nodes that run together: the whole stream, which is block 0, or one block of an IF or WHILE.
  struct block {
    std::size_t begin = 0, end = 0;
    std::size_t control = 0;        // the IF or WHILE
    std::size_t last = 0;           // node so far, blocks inside of it aside
    std::uint32_t next = 0;         // the block that `end` is in, or begins
    std::uint32_t guard = 0;        // the innermost block of an IF that this is in, or is; or 0
    std::uint32_t data_inputs = 0;  // so far, and
    std::uint32_t max_data_inputs = 0;
    std::size_t first_listed = 0;  // of an IF: what its D lists, in listed_
    std::uint32_t listed = 0;
    bool loop_body = false;
  };

  static constexpr std::size_t no_entry = ~std::size_t{0};

  bool fail(errc code, std::size_t i) { return fail_entry(code, i, no_entry); }
  /// About entry `k` of D.
  [[gnu::cold]] [[gnu::noinline]] bool fail_entry(errc code, std::size_t i, std::size_t k) {
    const node& n = s_.nodes[i];
    const std::uint64_t distance = k == no_entry ? 0 : 5 + 2 * std::uint64_t{k};
    auto out = in_pattern_ ? found_.error(code, {0, row_.offset, 0, row_.index})
                           : found_.error(code, {0, offset_of(s_, i) + distance, 0});
    if (in_pattern_) out << "pattern " << id_ << ", node " << i << ": ";
    const auto c = static_cast<std::uint32_t>(n.c);
    const auto missing = [&](std::string_view what, std::uint32_t id) {
      out << what << ' ' << id << " is not in the registry";
    };
    const bool is_copy = n.what() == command::copy;
    switch (is_copy ? errc::ok : code) {
      case errc::genome_operation_unknown: missing("operation", n.a); break;
      case errc::genome_variation_unknown: missing("variation", n.b); break;
      case errc::genome_constant_unknown: missing("constant", c); break;
      case errc::genome_group_unknown: missing("constant group", n.group_id()); break;
      case errc::genome_parameter_unknown: missing("parameter", c); break;
      case errc::genome_pattern_unknown: missing("pattern", n.pattern_id()); break;
      case errc::genome_input_count:
        out << "the node has " << n.count << (n.count == 1 ? " input; " : " inputs; ")
            << library_.operation(n.a) << " takes at most " << library_.tensors(n.a);
        break;
      case errc::genome_command:
        out << "A is " << int{n.a}
            << ", which is reserved; expected 1 to 8 (a command) or 10 to 255 "
            << "(an operation)";
        break;
      case errc::genome_special_form:
      case errc::genome_control_form:
        out << error{code}.message() << "; found B = " << int{n.b} << ", C = " << int{n.c}
            << " and " << n.count << (n.count == 1 ? " input" : " inputs");
        break;
      case errc::genome_block_length:
        out << "a block of " << s_.inputs_of(i)[k] << " nodes; " << error{code}.message();
        break;
      case errc::genome_reference:
      case errc::genome_relative:
      case errc::genome_reference_scope:
      case errc::genome_reference_external:
        if (k != no_entry) out << "input " << s_.inputs_of(i)[k] << ": ";
        out << error{code}.message();
        break;
      default: out << error{code}.message();
    }
    if (in_pattern_) return false;
    out.path() << "node " << i;
    if (const std::string_view name = library_.operation(n.a); !name.empty())
      out << " (" << name << ')';
    else if (n.a < first_id)
      out << " (" << command_names[n.a] << ')';
    if (k != no_entry) out << ", D[" << k << ']';
    return false;
  }
  /// The number of nodes that a node expands to; where that is unknown, a number so large that
  /// no reference seems to precede the stream.
  [[nodiscard]] std::uint64_t flat_size(std::size_t i) const noexcept {
    const node& n = s_.nodes[i];
    if (n.what() != command::pattern) return 1;
    const std::uint32_t p = library_.find_pattern(n.pattern_id());
    return p == library::none ? std::uint64_t{1} << 40 : library_.flat_size(p);
  }

  /// The position of a node in the numbering that offsets count in.
  [[nodiscard]] std::int64_t position(std::size_t i) const noexcept {
    return in_pattern_ ? static_cast<std::int64_t>(starts_[i]) : static_cast<std::int64_t>(i);
  }
  /// The node before `i` at that position.
  [[nodiscard]] std::size_t find(std::int64_t at, std::size_t i) const noexcept {
    if (!in_pattern_) return static_cast<std::size_t>(at);
    const auto starts_by = [at](std::uint64_t start) {
      return start <= static_cast<std::uint64_t>(at);
    };
    return first_not_below(starts_.data(), i, starts_by) - 1;
  }

  // ---- nodes

  bool check_node(std::size_t i) {
    const node& n = s_.nodes[i];
    const command what = n.what();
    const bool at_top = current_ == 0;
    switch (what) {
      case command::none:
      case command::reserved: return fail(errc::genome_command, i);
      case command::pad:
      case command::data_input:
      case command::param_input:
      case command::output:
        if (in_pattern_ && at_top) return fail(errc::genome_pattern_command, i);
        break;
      case command::pattern: return check_pattern(i);
      case command::copy: return check_copy(i);
      case command::control_flow: return check_control(i);
      case command::const_ref:
      case command::operation: break;
    }
    field wrong = field::a;
    if (const errc e = check_kind(n, wrong); e != errc::ok) return fail(e, i);
    if (what == command::operation) return check_operation(i);
    if (n.count != 0 && what != command::output) return fail(errc::genome_special_form, i);
    if (what == command::data_input && !count_data_inputs(1))
      return fail(errc::genome_block_input, i);
    return check_references(i) && step(1);
  }
  bool step(std::uint64_t flat_nodes) noexcept {
    flat_ += flat_nodes;
    return true;
  }

  enum class field : std::uint8_t { a, b, c };

  /// A, B and C of a node that is neither PATTERN, COPY nor CONTROL_FLOW.
  [[nodiscard]] errc check_kind(const node& n, field& wrong) const {
    wrong = field::b;
    if (n.what() != command::operation && n.b != no_variation) return errc::genome_special_form;
    wrong = field::c;
    const auto c = static_cast<std::uint32_t>(n.c);
    if (n.what() == command::const_ref)
      return library_.parameter(c).empty() ? errc::genome_parameter_unknown : errc::ok;
    if (n.what() != command::operation) return n.c != 0 ? errc::genome_special_form : errc::ok;
    wrong = field::a;
    if (library_.operation(n.a).empty()) return errc::genome_operation_unknown;
    wrong = field::b;
    if (n.b != no_variation && library_.variation(n.b).empty())
      return errc::genome_variation_unknown;
    wrong = field::c;
    if (n.has_group() && library_.group(n.group_id()).empty()) return errc::genome_group_unknown;
    if (n.c > 0 && library_.constant(c) == nullptr) return errc::genome_constant_unknown;
    return errc::ok;
  }
  bool check_operation(std::size_t i) {
    merged_ = false;
    if (!check_references(i)) return false;
    const node& n = s_.nodes[i];
    if (!merged_ && n.count == 0 && library_.inputs_named(n.b) != 0)
      return fail(errc::genome_variation_inputs, i);
    if (!merged_ && n.count > library_.tensors(n.a)) return fail(errc::genome_input_count, i);
    return step(1);
  }
  bool check_pattern(std::size_t i) {
    const node& n = s_.nodes[i];
    if ((static_cast<std::uint16_t>(n.c) & 0xffu) != 0) return fail(errc::genome_special_form, i);
    const std::uint32_t p = library_.find_pattern(n.pattern_id());
    if (p == library::none) return fail(errc::genome_pattern_unknown, i);
    if (library_.takes_inputs(p)) {
      if (current_ != 0) return fail(errc::genome_block_input, i);
      takes_inputs_ = true;
    }
    if (!check_references(i)) return false;
    const std::uint64_t before = in_pattern_ ? starts_[i] : flat_, reach = library_.reach(p);
    if (reach > before) {
      if (!in_pattern_) return fail(errc::genome_pattern_order, i);
      if (reach - before > reach_) reach_ = reach - before;
    }
    return step(library_.flat_size(p));
  }
  bool check_copy(std::size_t i) {
    const node& n = s_.nodes[i];
    if (n.count != 2 || n.c < 1) return fail(errc::genome_copy_form, i);
    const std::int32_t b = s_.inputs_of(i)[0], c = s_.inputs_of(i)[1];
    if (b < 0 || b > 255) return fail_entry(errc::genome_copy_form, i, 0);
    if (c < INT16_MIN || c > INT16_MAX) return fail_entry(errc::genome_copy_form, i, 1);
    node copied;
    copied.a = n.b;
    copied.b = static_cast<std::uint8_t>(b);
    copied.c = static_cast<std::int16_t>(c);
    const command what = copied.what();
    if (what != command::data_input && what != command::param_input && what != command::const_ref &&
        what != command::operation)
      return fail(errc::genome_copy_form, i);
    field wrong = field::a;
    if (const errc e = check_kind(copied, wrong); e != errc::ok)
      return wrong == field::a ? fail(e, i) : fail_entry(e, i, wrong == field::b ? 0 : 1);
    if (what == command::operation && library_.inputs_named(copied.b) != 0)
      return fail_entry(errc::genome_variation_inputs, i, 0);
    if (what == command::data_input && !count_data_inputs(static_cast<std::uint32_t>(n.c)))
      return fail(errc::genome_block_input, i);
    return step(1);
  }
  /// Whether the block can have as many more.
  bool count_data_inputs(std::uint32_t count) noexcept {
    if (current_ == 0) return takes_inputs_ = true;
    block& b = blocks_[current_];
    if (count > b.max_data_inputs - b.data_inputs) return false;
    b.data_inputs += count;
    return true;
  }

  // ---- references

  bool check_references(std::size_t i) {
    bool all = true;
    for (std::size_t k = s_.nodes[i].lengths(); k < s_.nodes[i].count; ++k)
      all = check_reference(i, k) && all;
    return all;
  }
  /// What an entry of D names, in the numbering of positions.
  [[nodiscard]] std::int64_t target(std::size_t i, std::size_t k) const noexcept {
    const std::int64_t d = s_.inputs_of(i)[k];
    return d < 0 ? position(i) + d : d;
  }
  bool check_reference(std::size_t i, std::size_t k) {
    const std::int64_t at = target(i, k);
    const block& here = blocks_[current_];
    if (s_.inputs_of(i)[k] >= 0) {
      if (in_pattern_) return fail(errc::genome_pattern_absolute, i);
      if (at >= static_cast<std::int64_t>(i)) return fail_entry(errc::genome_reference, i, k);
    } else if (!in_pattern_ && (current_ == 0 || at < static_cast<std::int64_t>(here.begin))) {
      return fail_entry(errc::genome_relative, i, k);
    }
    if (at < 0) {
      merged_ = true;
      if (static_cast<std::uint64_t>(-at) > reach_) reach_ = static_cast<std::uint64_t>(-at);
    } else if (!check_target(i, k, find(at, i))) {
      return false;
    }
    const block& guard = blocks_[here.guard];
    if (here.guard != 0 && at < position(guard.begin) && !lists(guard, at))
      return fail_entry(errc::genome_reference_external, i, k);
    return true;
  }
  /// Whether node `from` has a result that node `i` can take.
  bool check_target(std::size_t i, std::size_t k, std::size_t from) {
    const node& n = s_.nodes[from];
    const command what = n.what();
    if (what == command::control_flow) {
      const std::int64_t blocks = std::int64_t{s_.inputs_of(from)[0]} + s_.inputs_of(from)[1];
      if (static_cast<std::int64_t>(i - from) <= blocks)
        return fail_entry(errc::genome_reference, i, k);
    }
    if (blocks_[scopes_[from]].end <= i) return fail_entry(errc::genome_reference_scope, i, k);
    if (what == command::pad || what == command::output)
      return fail_entry(errc::genome_reference_nothing, i, k);
    if (what == command::pattern || what == command::copy) merged_ = true;
    return true;
  }
  [[nodiscard]] bool lists(const block& b, std::int64_t at) const noexcept {
    const std::int64_t* const list = listed_.data() + b.first_listed;
    const std::size_t i =
        first_not_below(list, b.listed, [at](std::int64_t listed) { return listed < at; });
    return i < b.listed && list[i] == at;
  }

  // ---- blocks

  bool check_control(std::size_t i) {
    const node& n = s_.nodes[i];
    const bool is_if = n.b == if_else;
    if ((!is_if && n.b != while_loop) || n.c != 0 || n.count < 3) {
      lost_blocks_ = true;
      return fail(errc::genome_control_form, i);
    }
    const view<std::int32_t> d = s_.inputs_of(i);
    std::size_t left = blocks_[current_].end - i - 1;
    for (std::size_t k = 0; k < 2; ++k) {
      if (d[k] < 1 || static_cast<std::uint32_t>(d[k]) > left) {
        lost_blocks_ = true;
        return fail_entry(errc::genome_block_length, i, k);
      }
      left -= static_cast<std::uint32_t>(d[k]);
    }
    const bool all = check_references(i);

    const auto first = static_cast<std::uint32_t>(blocks_.size());
    block b;
    b.control = i;
    b.guard = is_if ? first : blocks_[current_].guard;
    b.max_data_inputs = n.count - (is_if ? 3 : 2);
    b.begin = i + 1;
    b.end = b.begin + static_cast<std::uint32_t>(d[0]);
    b.next = first + 1;
    if (is_if) {
      b.first_listed = listed_.size();
      b.listed = n.count - 2;
      for (std::size_t k = 2; k < n.count; ++k) listed_.push_back(target(i, k));
      sort(listed_.data() + b.first_listed, b.listed,
           [](std::int64_t x, std::int64_t y) { return x < y; });
    }
    blocks_.push_back(b);
    b.begin = b.end;
    b.end += static_cast<std::uint32_t>(d[1]);
    b.next = current_;
    if (is_if) b.guard = first + 1;
    b.loop_body = !is_if;
    blocks_.push_back(b);
    current_ = first;
    return step(1) && all;
  }
  /// Leaves the blocks that end before node `i`.
  void close_blocks(std::size_t i) {
    while (current_ != 0 && blocks_[current_].end == i) {
      const block& b = blocks_[current_];
      const node& last = s_.nodes[b.last];
      const command what = last.what();
      if (b.loop_body) {
        const std::uint32_t states = s_.nodes[b.control].count - 2;
        if (what == command::output ? last.count != states : states != 1 || what == command::pad)
          (void)fail(errc::genome_loop_state, b.last);
      } else if (what == command::pad) {
        (void)fail(errc::genome_reference_nothing, b.last);
      }
      current_ = b.next;
    }
  }

  stream_view s_;
  const library& library_;
  tessera::detail::findings& found_;
  view<std::uint64_t> starts_;
  error row_;
  std::uint32_t id_ = 0;
  bool in_pattern_ = false, lost_blocks_ = false;

  pool<block> blocks_;          // block 0 is the whole stream
  pool<std::uint32_t> scopes_;  // the block of each node
  pool<std::int64_t> listed_;   // ascending for each IF
  std::uint32_t current_ = 0;
  bool merged_ = false;  // an input may mean several nodes
  bool takes_inputs_ = false;
  std::uint64_t flat_ = 0, reach_ = 0;
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_CHECK_STREAM_HPP
