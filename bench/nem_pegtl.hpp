// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The statements of NEM as a PEGTL grammar, whose actions make the same tree as nem::read: the peer
// of bench_nem_read. Without configuration models and without rules beyond the grammar.
//
//   const nem::model d = bench::read_with_pegtl(source);

#ifndef TESSERA_BENCH_NEM_PEGTL_HPP
#define TESSERA_BENCH_NEM_PEGTL_HPP

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <tao/pegtl.hpp>
#include <tessera/nem.hpp>
#include <utility>
#include <vector>

namespace bench {
namespace nem_peg {

namespace p = tao::pegtl;
namespace nem = tessera::nem;
using nem::node_kind;

/// What the actions build: nodes, of which some are open, and names.
struct builder {
  std::string_view source;
  nem::model d;
  std::vector<std::uint32_t> open;     // nodes whose children are being read
  std::vector<std::uint32_t> table;    // of names, by hash; index + 1
  std::vector<std::uint32_t> starts;   // of operands in the source
  std::vector<node_kind> operators;    // that wait for their right operand
  std::uint32_t first = 0;             // node of the expression that is being read
  std::string_view word;               // read, but not yet known what for
  std::uint32_t label = nem::no_name;  // the token of a task
  std::uint32_t start = 0;             // of the construct that begins, in the source
  node_kind call = node_kind::transfer;
  std::uint8_t mode = 0, element = 0;
  std::uint32_t task = 0;  // where one begins in the source
  // What the names are, once they were looked up.
  static constexpr std::uint8_t unknown = 254;
  std::vector<std::uint8_t> opcodes, attributes, decorators;

  explicit builder(std::string_view s) : source(s) {
    std::size_t slots = 64;
    while (slots < s.size() / 16) slots *= 2;
    table.resize(slots);
  }

  [[nodiscard]] std::uint32_t intern(std::string_view s) {
    if (2 * (d.names.size() + 1) > table.size()) grow();
    std::uint32_t& slot = slot_of(s);
    if (slot == 0) {
      d.names.push_back(
          {static_cast<std::uint32_t>(d.characters.size()), static_cast<std::uint32_t>(s.size())});
      d.characters << s;
      slot = static_cast<std::uint32_t>(d.names.size());
    }
    return slot - 1;
  }
  std::uint32_t& slot_of(std::string_view s) {
    const std::size_t mask = table.size() - 1;
    std::size_t i = hash(s) & mask;
    while (table[i] != 0 && d.name(table[i] - 1) != s) i = (i + 1) & mask;
    return table[i];
  }
  [[nodiscard]] static std::size_t hash(std::string_view s) noexcept {
    std::uint64_t first = 0, last = 0;
    if (s.size() >= 8) {
      std::memcpy(&first, s.data(), 8);
      std::memcpy(&last, s.data() + s.size() - 8, 8);
    } else {
      std::memcpy(&first, s.data(), s.size());
    }
    const std::uint64_t h = (first ^ (last * 0x9e3779b97f4a7c15u) ^ s.size()) * 0xd6e8feb86659fd93u;
    return static_cast<std::size_t>(h >> 32);
  }
  void grow() {
    table.assign(table.size() * 2, 0);
    for (std::uint32_t i = 0; i < d.names.size(); ++i) slot_of(d.name(i)) = i + 1;
  }

  /// What a name is in a table, which is searched once for each name.
  template <class Find>
  [[nodiscard]] std::uint8_t known(std::vector<std::uint8_t>& of, std::uint32_t name, Find find) {
    if (of.size() <= name) of.resize(d.names.size() * 2 + 64, unknown);
    if (of[name] == unknown) of[name] = static_cast<std::uint8_t>(find(d.name(name)));
    return of[name];
  }

  [[nodiscard]] std::uint32_t at(const char* c) const noexcept {
    return static_cast<std::uint32_t>(c - source.data());
  }
  void add(node_kind k, std::uint8_t detail, std::uint32_t value, const char* from,
           const char* to) {
    nem::node n;
    n.kind = k;
    n.detail = detail;
    n.value = value;
    n.offset = at(from);
    n.length = static_cast<std::uint16_t>(to - from);
    n.next = static_cast<std::uint32_t>(d.nodes.size() + 1);
    d.nodes.push_back(n);
  }
  void begin(node_kind k, std::uint8_t detail, std::uint32_t value, std::uint32_t offset) {
    open.push_back(static_cast<std::uint32_t>(d.nodes.size()));
    add(k, detail, value, source.data() + offset, source.data() + offset);
  }
  void end(const char* last) {
    nem::node& n = d.nodes[open.back()];
    const std::size_t length = static_cast<std::size_t>(last - source.data()) - n.offset;
    n.length = static_cast<std::uint16_t>(length < 65535 ? length : 65535);
    n.next = static_cast<std::uint32_t>(d.nodes.size());
    open.pop_back();
  }
};

// clang-format off
struct comment : p::seq<p::one<'#'>, p::until<p::eolf>> {};
struct ws : p::star<p::sor<p::one<' ', '\n', '\t', '\r'>, comment>> {};
struct identifier : p::seq<p::identifier_first, p::star<p::identifier_other>> {};
struct end_of_word : p::not_at<p::identifier_other> {};
template <char C> struct mark : p::seq<ws, p::one<C>, ws> {};

// ---- expressions: operands, then operators

struct expr;
struct exponent : p::seq<p::one<'e', 'E'>, p::opt<p::one<'+', '-'>>, p::plus<p::digit>> {};
struct real : p::seq<p::plus<p::digit>, p::one<'.'>, p::plus<p::digit>, p::opt<exponent>> {};
struct integer : p::plus<p::digit> {};
struct named : identifier {};
struct sum;
struct group : p::seq<p::one<'('>, ws, sum, ws, p::one<')'>> {};
struct primary : p::sor<real, integer, named, group> {};
struct unary;
struct negation : p::seq<p::one<'-'>, ws, unary> {};
struct unary : p::sor<negation, primary> {};
struct times : p::one<'*'> {};
struct over : p::one<'/'> {};
struct mod : p::seq<p::string<'m', 'o', 'd'>, end_of_word> {};
struct product_tail : p::seq<ws, p::sor<times, over, mod>, ws, unary> {};
struct product : p::seq<unary, p::star<product_tail>> {};
struct plus : p::one<'+'> {};
struct minus : p::one<'-'> {};
struct sum_tail : p::seq<ws, p::sor<plus, minus>, ws, product> {};
struct sum : p::seq<product, p::star<sum_tail>> {};
struct open_expr : p::success {};
struct expr : p::seq<open_expr, sum> {};

struct string_body : p::star<p::sor<p::seq<p::one<'\\'>, p::any>, p::not_one<'"', '\n'>>> {};
struct string : p::seq<p::one<'"'>, string_body, p::one<'"'>> {};
struct value;
struct open_list : p::one<'['> {};
struct list : p::seq<open_list, ws, p::opt<p::list<value, p::seq<ws, p::one<','>, ws>>>, ws, p::one<']'>> {};
struct value : p::sor<string, list, expr> {};

// ---- regions

struct elem_type : identifier {};
struct elem : p::seq<p::string<'e', 'l', 'e', 'm'>, end_of_word, mark<'='>, elem_type> {};
struct shape_word : p::seq<p::string<'s', 'h', 'a', 'p', 'e'>, end_of_word> {};
struct strides_word : p::seq<p::string<'s', 't', 'r', 'i', 'd', 'e', 's'>, end_of_word> {};
struct numbers : p::seq<p::one<'['>, ws, p::list<expr, p::seq<ws, p::one<','>, ws>>, ws, p::one<']'>> {};
struct shape : p::seq<shape_word, mark<'='>, numbers> {};
struct strides : p::seq<strides_word, mark<'='>, numbers> {};
struct layout_name : identifier {};
struct layout : p::seq<p::string<'l', 'a', 'y', 'o', 'u', 't'>, end_of_word, mark<'='>, layout_name> {};
struct type_attr : p::sor<elem, shape, layout, strides> {};
struct type_attrs : p::seq<elem, p::star<p::seq<mark<','>, type_attr>>> {};
struct region_word : p::seq<p::string<'r', 'e', 'g', 'i', 'o', 'n'>, end_of_word> {};
struct region_buffer : identifier {};
struct region : p::seq<region_word, mark<'('>, region_buffer, mark<','>, expr, mark<','>, expr, ws, p::one<')'>,
                       p::opt<p::seq<ws, type_attrs>>> {};

// ---- decorators and operands

struct at_sign : p::one<'@'> {};
struct decorator_name : identifier {};
struct unit_name : identifier {};
struct unit_index : p::seq<p::at<identifier, ws, p::one<'['>>, unit_name, mark<'['>, expr, ws, p::one<']'>> {};
struct decorator_arguments : p::seq<ws, p::one<'('>, ws, p::sor<unit_index, p::list<value, p::seq<ws, p::one<','>, ws>>>, ws, p::one<')'>> {};
struct decorator : p::seq<at_sign, ws, decorator_name, p::opt<decorator_arguments>> {};
struct decorators : p::star<p::seq<ws, decorator>> {};
struct operand_name : identifier {};
struct operand_body : p::seq<p::sor<region, operand_name>, decorators> {};
template <node_kind K> struct open_operand : p::success {};
template <node_kind K> struct operand : p::seq<open_operand<K>, operand_body> {};

// ---- statements

struct const_word : p::seq<p::string<'c', 'o', 'n', 's', 't'>, end_of_word> {};
struct const_name : identifier {};
struct constant : p::seq<const_word, ws, const_name, mark<'='>, expr> {};
struct let_word : p::seq<p::string<'l', 'e', 't'>, end_of_word> {};
struct let_name : identifier {};
struct let : p::seq<let_word, ws, let_name, mark<'='>, p::sor<p::seq<region, decorators>, value>> {};
struct buffer_word : p::seq<p::string<'b', 'u', 'f', 'f', 'e', 'r'>, end_of_word> {};
struct buffer_name : identifier {};
struct level_l1 : p::string<'L', '1'> {};
struct level_l2 : p::string<'L', '2'> {};
struct level_ddr : p::string<'D', 'D', 'R'> {};
struct open_index : p::one<'['> {};
struct level_index : p::seq<ws, open_index, ws, expr, ws, p::one<']'>> {};
struct level : p::seq<p::sor<p::seq<level_l1, p::opt<level_index>>, level_l2, level_ddr>> {};
struct size_word : p::seq<p::string<'s', 'i', 'z', 'e'>, end_of_word> {};
struct align_word : p::seq<p::string<'a', 'l', 'i', 'g', 'n'>, end_of_word> {};
struct buffer_size : p::seq<size_word, mark<'='>, expr> {};
struct buffer_align : p::seq<align_word, mark<'='>, expr> {};
struct buffer : p::seq<buffer_word, ws, buffer_name, mark<':'>, level, mark<'('>,
                       p::list<p::sor<buffer_size, buffer_align>, p::seq<ws, p::one<','>, ws>>, ws, p::one<')'>, decorators> {};
struct wait_word : p::seq<p::string<'w', 'a', 'i', 't'>, end_of_word> {};
struct token : identifier {};
struct tokens : p::list<token, p::seq<ws, p::one<','>, ws>> {};
struct wait_open : p::one<'('> {};
struct wait : p::seq<wait_word, ws, wait_open, ws, tokens, ws, p::one<')'>> {};
struct deps_word : p::seq<p::string<'d', 'e', 'p', 's'>, end_of_word> {};
struct deps : p::seq<deps_word, mark<'='>, p::one<'['>, ws, p::opt<tokens>, ws, p::one<']'>> {};
struct async : p::seq<p::string<'a', 's', 'y', 'n', 'c'>, end_of_word> {};
struct sync : p::seq<p::string<'s', 'y', 'n', 'c'>, end_of_word> {};
struct mode : p::sor<async, sync> {};
struct transfer_word : p::seq<p::string<'t', 'r', 'a', 'n', 's', 'f', 'e', 'r'>, end_of_word> {};
struct store_word : p::seq<p::string<'s', 't', 'o', 'r', 'e'>, end_of_word> {};
struct dst_word : p::seq<p::string<'d', 's', 't'>, end_of_word> {};
struct src_word : p::seq<p::string<'s', 'r', 'c'>, end_of_word> {};
struct dst : p::seq<dst_word, mark<'='>, operand_body> {};
struct src : p::seq<src_word, mark<'='>, operand_body> {};
struct xfer_open : p::one<'('> {};
struct transfer : p::seq<p::sor<transfer_word, store_word>, mark<'.'>, mode, ws, xfer_open, ws,
                         p::list<p::sor<dst, src, deps>, p::seq<ws, p::one<','>, ws>>, ws, p::one<')'>, decorators> {};
struct opcode_name : identifier {};
struct opcode : p::seq<opcode_name, mark<'.'>, mode> {};
struct call : p::sor<p::seq<p::sor<p::seq<region_word, ws, p::one<'('>>, p::seq<wait_word, ws, p::one<'('>>>>,
                     p::seq<identifier, ws, p::one<'.'>, ws, mode>> {};
struct next_statement : p::seq<identifier, mark<'='>, call> {};
struct attribute_word : identifier {};
struct attribute_name : p::seq<attribute_word, mark<'='>> {};
struct attribute : p::seq<p::not_at<next_statement>, attribute_name, value> {};
struct compute : p::seq<opcode, ws, p::string<'i', 'n'>, end_of_word, ws,
                        p::list<operand<node_kind::input>, p::seq<ws, p::one<','>, ws>>, ws,
                        p::string<'o', 'u', 't'>, end_of_word, ws,
                        p::list<operand<node_kind::output>, p::seq<ws, p::one<','>, ws>>,
                        p::star<p::seq<ws, p::sor<deps, attribute, decorator>>>> {};
struct no_label : p::success {};
struct label_word : identifier {};
struct label : p::seq<label_word, mark<'='>> {};
struct task : p::seq<no_label, p::opt<label>, p::sor<transfer, compute>> {};
struct program_word : p::seq<p::string<'p', 'r', 'o', 'g', 'r', 'a', 'm'>, end_of_word> {};
struct program_name : identifier {};
struct program : p::seq<program_word, ws, program_name, ws, p::one<':'>> {};
struct loop_word : p::seq<p::string<'l', 'o', 'o', 'p'>, end_of_word> {};
struct loop_name : identifier {};
struct open_body : p::success {};
struct endloop : p::seq<p::string<'e', 'n', 'd', 'l', 'o', 'o', 'p'>, end_of_word> {};
struct statement;
struct body : p::seq<open_body, p::star<p::seq<ws, statement>>, ws, endloop> {};
struct loop : p::seq<loop_word, ws, loop_name, ws, p::string<'i', 'n'>, end_of_word, mark<'['>, expr, ws,
                     p::two<'.'>, ws, expr, ws, p::one<']'>, decorators, mark<':'>, body> {};
struct statement : p::sor<constant, let, buffer, loop, wait, task, p::one<';'>> {};
struct file : p::must<ws, p::opt<program>, p::star<p::seq<ws, statement>>, ws, p::eof> {};
// clang-format on

// ---- actions

template <class Rule>
struct action : p::nothing<Rule> {};

template <class In>
[[nodiscard]] std::string_view text_of(const In& in) noexcept {
  return {in.begin(), in.size()};
}

/// A word that is remembered for the rule that decides what it was.
struct remembers {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.word = text_of(in);
  }
};
/// A keyword, where a node begins whose name is read later.
struct starts {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.start = b.at(in.begin());
  }
};
/// A name after a keyword: the node begins.
template <node_kind K>
struct begins {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.begin(K, 0, b.intern(text_of(in)), b.start);
  }
};
/// A word that has children but no name.
template <node_kind K>
struct begins_here {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.begin(K, 0, 0, b.at(in.begin()));
  }
};
struct ends {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.end(in.end());
  }
};
template <node_kind K>
struct names {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.add(K, 0, b.intern(text_of(in)), in.begin(), in.end());
  }
};
template <node_kind K>
struct operates {
  static void apply0(builder& b) { b.operators.push_back(K); }
};
/// The right operand is there: the operator reaches from the left one's start.
struct applies {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.starts.pop_back();
    b.add(b.operators.back(), 0, 0, b.source.data() + b.starts.back(), in.end());
    b.operators.pop_back();
  }
};

// clang-format off
template <> struct action<named> : names<node_kind::name> {};
template <> struct action<operand_name> : names<node_kind::name> {};
template <> struct action<token> : names<node_kind::name> {};
template <> struct action<times> : operates<node_kind::multiply> {};
template <> struct action<over> : operates<node_kind::divide> {};
template <> struct action<mod> : operates<node_kind::modulo> {};
template <> struct action<plus> : operates<node_kind::add> {};
template <> struct action<minus> : operates<node_kind::subtract> {};
template <> struct action<product_tail> : applies {};
template <> struct action<sum_tail> : applies {};
template <> struct action<open_list> : begins_here<node_kind::list> {};
template <> struct action<list> : ends {};
template <> struct action<shape_word> : begins_here<node_kind::shape> {};
template <> struct action<shape> : ends {};
template <> struct action<strides_word> : begins_here<node_kind::strides> {};
template <> struct action<strides> : ends {};
template <> struct action<region_word> : starts {};
template <> struct action<region_buffer> : begins<node_kind::region> {};
template <> struct action<region> : ends {};
template <> struct action<at_sign> : starts {};
template <> struct action<decorator> : ends {};
template <> struct action<unit_name> : begins_here<node_kind::unit_index> {};
template <> struct action<unit_index> : ends {};
template <> struct action<const_word> : starts {};
template <> struct action<const_name> : begins<node_kind::constant> {};
template <> struct action<constant> : ends {};
template <> struct action<let_word> : starts {};
template <> struct action<let_name> : begins<node_kind::let> {};
template <> struct action<let> : ends {};
template <> struct action<buffer_word> : starts {};
template <> struct action<buffer_name> : begins<node_kind::buffer> {};
template <> struct action<buffer> : ends {};
template <> struct action<open_index> : begins_here<node_kind::level_index> {};
template <> struct action<level_index> : ends {};
template <> struct action<size_word> : begins_here<node_kind::size> {};
template <> struct action<buffer_size> : ends {};
template <> struct action<align_word> : begins_here<node_kind::align> {};
template <> struct action<buffer_align> : ends {};
template <> struct action<wait_word> : starts {};
template <> struct action<wait> : ends {};
template <> struct action<deps_word> : begins_here<node_kind::deps> {};
template <> struct action<deps> : ends {};
template <> struct action<loop_word> : starts {};
template <> struct action<loop_name> : begins<node_kind::loop> {};
template <> struct action<body> : ends {};
template <> struct action<loop> : ends {};
template <> struct action<program_word> : starts {};
template <> struct action<program_name> : begins<node_kind::program> {};
template <> struct action<program> : ends {};
template <> struct action<operand_body> : ends {};
template <> struct action<dst_word> : begins_here<node_kind::destination> {};
template <> struct action<src_word> : begins_here<node_kind::source> {};
template <> struct action<transfer_word> { static void apply0(builder& b) { b.call = node_kind::transfer; } };
template <> struct action<store_word> { static void apply0(builder& b) { b.call = node_kind::store; } };
template <> struct action<label_word> : remembers {};
template <> struct action<opcode_name> : remembers {};
template <> struct action<attribute_word> : remembers {};
template <> struct action<async> { static void apply0(builder& b) { b.mode = 0; } };
template <> struct action<sync> { static void apply0(builder& b) { b.mode = 1; } };
template <> struct action<level_l1> { static void apply0(builder& b) { b.d.nodes[b.open.back()].detail = 2; } };
template <> struct action<level_l2> { static void apply0(builder& b) { b.d.nodes[b.open.back()].detail = 1; } };
template <> struct action<level_ddr> { static void apply0(builder& b) { b.d.nodes[b.open.back()].detail = 0; } };
template <> struct action<attribute> : ends {};
template <> struct action<transfer> : ends {};
template <> struct action<compute> : ends {};
// clang-format on

template <>
struct action<integer> {
  template <class In>
  static void apply(const In& in, builder& b) {
    std::uint64_t n = 0;
    for (const char* c = in.begin(); c != in.end(); ++c)
      n = n * 10 + static_cast<std::uint64_t>(*c - '0');
    if (n <= 0xffffffff) {
      b.add(node_kind::integer, 0, static_cast<std::uint32_t>(n), in.begin(), in.end());
    } else {
      b.add(node_kind::wide_integer, 0, static_cast<std::uint32_t>(b.d.integers.size()), in.begin(),
            in.end());
      b.d.integers.push_back(static_cast<std::int64_t>(n));
    }
  }
};
template <>
struct action<real> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.add(node_kind::real, 0, static_cast<std::uint32_t>(b.d.reals.size()), in.begin(), in.end());
    double value = 0;
    (void)std::from_chars(in.begin(), in.end(), value);
    b.d.reals.push_back(value);
  }
};
template <>
struct action<unary> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.starts.push_back(b.at(in.begin()));
  }
};
template <>
struct action<group> {
  static void apply0(builder& b) { b.starts.pop_back(); }
};
template <>
struct action<negation> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.starts.pop_back();
    b.add(node_kind::negate, 0, 0, in.begin(), in.end());
  }
};
template <>
struct action<open_expr> {
  static void apply0(builder& b) { b.first = static_cast<std::uint32_t>(b.d.nodes.size()); }
};
/// Of several nodes, one in front holds the others.
template <>
struct action<expr> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.starts.pop_back();
    const auto count = static_cast<std::uint32_t>(b.d.nodes.size()) - b.first;
    if (count == 1) return;
    b.add(node_kind::expression, 0, 0, in.begin(), in.end());
    nem::node* const first = b.d.nodes.data() + b.first;
    const nem::node held = first[count];
    for (std::uint32_t i = count; i-- > 0;) {
      first[i + 1] = first[i];
      ++first[i + 1].next;
    }
    first[0] = held;
    first[0].next = static_cast<std::uint32_t>(b.d.nodes.size());
  }
};
template <>
struct action<string> {
  template <class In>
  static void apply(const In& in, builder& b) {  // whose escapes the grammar leaves alone
    b.add(node_kind::string, 0, b.intern(text_of(in).substr(1, in.size() - 2)), in.begin(),
          in.end());
  }
};
template <>
struct action<elem> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.add(node_kind::elem, b.element, 0, in.begin(), in.end());
  }
};
template <>
struct action<elem_type> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.element = static_cast<std::uint8_t>(nem::find_element(text_of(in)));
  }
};
template <>
struct action<layout_name> : remembers {};
template <>
struct action<layout> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.add(node_kind::layout, 0, b.intern(b.word), in.begin(), in.end());
  }
};
template <>
struct action<decorator_name> {
  template <class In>
  static void apply(const In& in, builder& b) {
    const std::uint32_t name = b.intern(text_of(in));
    b.begin(node_kind::decorator,
            b.known(b.decorators, name,
                    [](std::string_view word) { return nem::find_decorator(word); }),
            name, b.start);
  }
};
template <>
struct action<wait_open> {
  static void apply0(builder& b) { b.begin(node_kind::wait, 0, nem::no_name, b.start); }
};
template <>
struct action<no_label> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.label = nem::no_name;
    b.task = b.at(in.begin());
  }
};
template <>
struct action<label> {
  static void apply0(builder& b) { b.label = b.intern(b.word); }
};
template <>
struct action<xfer_open> {
  static void apply0(builder& b) { b.begin(b.call, b.mode, b.label, b.task); }
};
template <>
struct action<opcode> {
  static void apply0(builder& b) {
    b.begin(node_kind::compute, b.mode, b.label, b.task);
    const std::uint32_t name = b.intern(b.word);
    b.add(node_kind::opcode, b.known(b.opcodes, name, nem::find_opcode), name, b.word.data(),
          b.word.data() + b.word.size());
  }
};
template <>
struct action<attribute_name> {
  static void apply0(builder& b) {
    const std::uint32_t name = b.intern(b.word);
    b.begin(node_kind::attribute, b.known(b.attributes, name, nem::find_attribute), name,
            b.at(b.word.data()));
  }
};
template <node_kind K>
struct action<open_operand<K>> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.begin(K, 0, 0, b.at(in.begin()));
  }
};
template <>
struct action<open_body> {
  template <class In>
  static void apply(const In& in, builder& b) {
    b.begin(node_kind::body, 0, 0, b.at(in.begin()));
  }
};

}  // namespace nem_peg

/// The tree of a source that the grammar takes; ends the program for others.
[[nodiscard]] inline tessera::nem::model read_with_pegtl(std::string_view source) {
  nem_peg::builder b(source);
  nem_peg::p::memory_input<nem_peg::p::tracking_mode::lazy> in(source.data(), source.size(), "");
  if (!nem_peg::p::parse<nem_peg::file, nem_peg::action>(in, b)) std::abort();
  return std::move(b.d);
}

}  // namespace bench

#endif  // TESSERA_BENCH_NEM_PEGTL_HPP
