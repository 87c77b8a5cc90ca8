// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/builder.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_BUILDER_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_BUILDER_HPP

#include <bit>
#include <cstdint>
#include <string_view>

#include "../../../core/findings.hpp"
#include "../../builder.hpp"
#include "../../print.hpp"
#include "../../read.hpp"
#include "print_expression.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Whether all characters can be those of a name, and the first one too. Reserved words are the
/// reader's to find.
[[nodiscard]] inline bool is_identifier(std::string_view s) noexcept {
  for (const char c : s)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9')))
      return false;
  return !s.empty() && (s[0] < '0' || s[0] > '9');
}
/// The same for "conv2d.float".
[[nodiscard]] inline bool is_dotted_name(std::string_view s) noexcept {
  const std::size_t dot = s.find('.');
  return dot == std::string_view::npos
             ? is_identifier(s)
             : is_identifier(s.substr(0, dot)) && is_identifier(s.substr(dot + 1));
}

}  // namespace detail

// --- expressions ---

TESSERA_INLINE expr::expr(std::int64_t number, void*) {
  if (number == INT64_MIN) {
    text_ << "(-9223372036854775807 - 1)";
    return;
  }
  text_ << number;
  if (number < 0) precedence_ = 2;
}

TESSERA_INLINE expr::expr(double number) : is_bad_(!(number - number == 0)) {
  if (is_bad_) {
    text_ << (number < 0 ? "-infinity" : number > 0 ? "infinity" : "nan");
    return;
  }
  if (std::bit_cast<std::uint64_t>(number) >> 63 != 0) {  // -0.0, too
    text_ << '-';
    number = -number;
    precedence_ = 2;
  }
  detail::append_real(text_, number);
}

TESSERA_INLINE expr::expr(std::string_view name)
    : text_(name), is_bad_(!detail::is_identifier(name)) {}

template <class T>
void expr::put_list(view<T> list) {
  text_ << '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) text_ << ", ";
    put(list[i], false);
  }
  text_ << ']';
}
TESSERA_INLINE expr::expr(view<expr> list) { put_list(list); }
TESSERA_INLINE expr::expr(view<std::int64_t> list) { put_list(list); }
TESSERA_INLINE expr::expr(view<double> list) { put_list(list); }

TESSERA_INLINE expr expr::string(std::string_view characters) {
  expr e;
  detail::append_string(e.text_, characters);
  return e;
}

TESSERA_INLINE void expr::put(const expr& e, bool parentheses) {
  is_bad_ = is_bad_ || e.is_bad_;
  if (parentheses) text_ << '(';
  text_ << e.text_;
  if (parentheses) text_ << ')';
}

TESSERA_INLINE expr expr::binary(const expr& a, std::string_view sign, const expr& b,
                                 unsigned char precedence) {
  expr e;
  e.precedence_ = precedence;
  e.put(a, a.precedence_ < precedence);
  e.text_ << sign;
  e.put(b, b.precedence_ <= precedence);
  return e;
}

// --- regions ---

TESSERA_INLINE region_expr::region_expr(std::string_view buffer, const expr& offset,
                                        const expr& extent) {
  put("region(", buffer).put(", ", offset).put(", ", extent);
  text_ << ')';
}

TESSERA_INLINE region_expr& region_expr::per_tensor(const expr& scale, const expr& zero_point) {
  put(", quant=per_tensor(scale=", scale).put(", zero_point=", zero_point);
  text_ << ')';
  return *this;
}

TESSERA_INLINE region_expr& region_expr::per_channel(const expr& axis, const expr& scales,
                                                     const expr& zero_points) {
  put(", quant=per_channel(axis=", axis).put(", scales=", scales);
  put(", zero_points=", zero_points);
  text_ << ')';
  return *this;
}

TESSERA_INLINE region_expr& region_expr::per_group(const expr& axis, const expr& group_size,
                                                   const expr& scales, const expr& zero_points) {
  put(", quant=per_group(axis=", axis).put(", group_size=", group_size);
  put(", scales=", scales).put(", zero_points=", zero_points);
  text_ << ')';
  return *this;
}

// --- what all statements use ---

TESSERA_INLINE builder& builder::fail(std::string_view text, std::string_view what) {
  if (error_.code != errc::ok) return *this;
  error_ = {errc::nem_syn_001_token, statements_ == 0 ? 0 : statements_ - 1,
            error_index::operation};
  message_ << text << what;
  return *this;
}

TESSERA_INLINE builder& builder::begin(kind k) {
  end_statement();
  kind_ = k;
  is_sync_ = false;
  for (text* const part : {&head_, &callee_, &inputs_, &outputs_, &deps_, &attributes_,
                           &decorators_, &mandatory_, &extended_})
    part->clear();
  for (text& group : characteristics_) group.clear();
  ++statements_;
  return *this;
}

TESSERA_INLINE void builder::end_statement() {
  switch (kind_) {
    case kind::none: return;
    case kind::plain: source_ << head_ << decorators_; break;
    case kind::loop: source_ << head_ << decorators_ << ':'; break;
    case kind::wait: source_ << "wait(" << deps_ << ')' << decorators_; break;
    case kind::copy:
      source_ << head_ << callee_ << (is_sync_ ? ".sync(" : ".async(") << inputs_;
      if (!deps_.empty()) source_ << ", deps=[" << deps_ << ']';
      source_ << ')' << decorators_;
      break;
    case kind::compute: end_compute(); break;
    case kind::device: end_device_text(); break;
    case kind::family: end_family_text(); break;
  }
  source_ << '\n';
  kind_ = kind::none;
}

TESSERA_INLINE builder& builder::belongs(bool does, std::string_view what) {
  if (!does) fail(what, kind_ == kind::none ? " without a statement" : " of another statement");
  return *this;
}

TESSERA_INLINE builder& builder::put(text& to, std::string_view before, const expr& e,
                                     std::string_view after) {
  to << before << e.text() << after;
  return e.is_bad() ? fail(e.text(), " is neither a name nor a number of the language") : *this;
}

TESSERA_INLINE builder& builder::put_operand(text& to, std::string_view before,
                                             const region_expr& r) {
  to << before << r.text_;
  return r.is_bad_ ? fail(r.text_, " has what is neither a name nor a number") : *this;
}

TESSERA_INLINE builder& builder::put_name(text& to, std::string_view before,
                                          std::string_view dotted) {
  to << before << dotted;
  return detail::is_dotted_name(dotted) ? *this : fail(dotted, " is not a name");
}

TESSERA_INLINE void builder::put_types(text& to, std::string_view open, element_list types,
                                       std::string_view close) {
  const view<nem::element> list = types.types;
  for (std::size_t k = 0; k < list.size(); ++k) to << (k == 0 ? open : ", ") << nem::name(list[k]);
  if (!list.empty()) to << close;
}

// --- documents ---

TESSERA_INLINE builder& builder::include(std::string_view path) {
  return begin(kind::plain).put(head_, "include ", expr::string(path));
}
TESSERA_INLINE builder& builder::device_file(std::string_view path) {
  return begin(kind::plain).put(head_, "device ", expr::string(path));
}
TESSERA_INLINE builder& builder::device_name(std::string_view name) {
  return begin(kind::plain).put(head_, "device ", name);
}
TESSERA_INLINE builder& builder::program(std::string_view name) {
  return begin(kind::plain).put(head_, "program ", name, ":");
}

// --- declarations and loops ---

TESSERA_INLINE builder& builder::constant(std::string_view name, const expr& value) {
  return begin(kind::plain).put(head_, "const ", name).put(head_, " = ", value);
}
TESSERA_INLINE builder& builder::let(std::string_view name, const expr& value) {
  return begin(kind::plain).put(head_, "let ", name).put(head_, " = ", value);
}
TESSERA_INLINE builder& builder::let(std::string_view name, const region_expr& r) {
  return begin(kind::plain).put(head_, "let ", name).put_operand(head_, " = ", r);
}
TESSERA_INLINE builder& builder::buffer(std::string_view name, nem::level level, const expr& size,
                                        const expr& align) {
  begin(kind::plain).put(head_, "buffer ", name);
  head_ << " : " << nem::name(level);
  return properties(size, align);
}
TESSERA_INLINE builder& builder::buffer_in_l1(std::string_view name, const expr& engine,
                                              const expr& size, const expr& align) {
  begin(kind::plain).put(head_, "buffer ", name).put(head_, " : L1[", engine, "]");
  return properties(size, align);
}
TESSERA_INLINE builder& builder::properties(const expr& size, const expr& align) {
  put(head_, " (size=", size);
  if (const tessera::text& a = align.text_; a != std::string_view("0"))
    put(head_, ", align=", align);
  head_ << ')';
  return *this;
}
TESSERA_INLINE builder& builder::loop(std::string_view variable, const expr& first,
                                      const expr& last) {
  begin(kind::loop).put(head_, "loop ", variable);
  return put(head_, " in [", first).put(head_, "..", last, "]");
}
TESSERA_INLINE builder& builder::end_loop() {
  begin(kind::plain).head_ << "endloop";
  return *this;
}

// --- tasks ---

TESSERA_INLINE builder& builder::begin_task(kind k, std::string_view token) {
  begin(k);
  return token.empty() ? *this : put(head_, "", token, " = ");
}
TESSERA_INLINE builder& builder::copy(std::string_view callee, std::string_view token,
                                      const region_expr& destination, const region_expr& source) {
  begin_task(kind::copy, token).callee_ << callee;
  return put_operand(inputs_, "dst=", destination).put_operand(inputs_, ", src=", source);
}
TESSERA_INLINE builder& builder::transfer(std::string_view token, const region_expr& destination,
                                          const region_expr& source) {
  return copy("transfer", token, destination, source);
}
TESSERA_INLINE builder& builder::store(std::string_view token, const region_expr& destination,
                                       const region_expr& source) {
  return copy("store", token, destination, source);
}
TESSERA_INLINE builder& builder::compute(std::string_view token, nem::opcode op) {
  begin_task(kind::compute, token).callee_ << nem::name(op);
  return *this;
}
TESSERA_INLINE void builder::end_compute() {
  source_ << head_ << callee_ << (is_sync_ ? ".sync" : ".async") << inputs_ << outputs_;
  if (!deps_.empty()) source_ << " deps=[" << deps_ << ']';
  source_ << attributes_ << decorators_;
}
TESSERA_INLINE builder& builder::in(const region_expr& operand) {
  return belongs(kind_ == kind::compute, "an input")
      .put_operand(inputs_, inputs_.empty() ? " in " : ", ", operand);
}
TESSERA_INLINE builder& builder::out(const region_expr& operand) {
  return belongs(kind_ == kind::compute, "an output")
      .put_operand(outputs_, outputs_.empty() ? " out " : ", ", operand);
}
TESSERA_INLINE builder& builder::deps(view<std::string_view> tokens) {
  belongs(kind_ == kind::compute || kind_ == kind::copy || kind_ == kind::wait, "deps");
  for (const std::string_view t : tokens) put(deps_, deps_.empty() ? "" : ", ", t);
  return *this;
}
TESSERA_INLINE builder& builder::attribute(std::string_view name, const expr& value) {
  return belongs(kind_ == kind::compute, "an attribute")
      .put(attributes_, " ", name)
      .put(attributes_, "=", value);
}
TESSERA_INLINE builder& builder::sync() {
  is_sync_ = true;
  return belongs(kind_ == kind::compute || kind_ == kind::copy, "sync");
}
TESSERA_INLINE builder& builder::wait(view<std::string_view> tokens) {
  return begin(kind::wait).deps(tokens);
}

// --- decorators ---

TESSERA_INLINE builder& builder::decorate(nem::decorator d) {
  belongs(kind_ != kind::none && kind_ < kind::device, "a decorator").decorators_ << " @"
                                                                                  << nem::name(d);
  return *this;
}
TESSERA_INLINE builder& builder::decorate(nem::decorator d, const expr& argument) {
  return decorate(d).put(decorators_, "(", argument, ")");
}
TESSERA_INLINE builder& builder::resource(nem::unit u, const expr& index) {
  decorate(decorator::resource).decorators_ << '(' << nem::name(u);
  return put(decorators_, "[", index, "])");
}

// --- devices ---

TESSERA_INLINE builder& builder::begin_device(std::string_view name, std::string_view parent) {
  begin(kind::device).put(head_, "device ", name);
  return parent.empty() ? *this : put(head_, " extends ", parent);
}
TESSERA_INLINE builder& builder::spec_version(std::string_view version) {
  return belongs(kind_ == kind::device, "spec_version")
      .put(callee_, " spec_version = ", expr::string(version));
}
TESSERA_INLINE builder& builder::topology(std::string_view word, const expr& value) {
  belongs(kind_ == kind::device, word).inputs_ << ' ' << word;
  return put(inputs_, " = ", value);
}
TESSERA_INLINE builder& builder::l1_size_bytes(const expr& size) {
  return belongs(kind_ == kind::device, "l1_size_bytes")
      .put(attributes_, " l1_size_bytes = ", size);
}
TESSERA_INLINE builder& builder::units(nem::unit u, std::int64_t count) {
  text& to = is_per_engine(u) ? attributes_ : outputs_;
  return belongs(kind_ == kind::device, "units").put(to, " ", nem::name(u)).put(to, " = ", count);
}
TESSERA_INLINE builder& builder::characteristic(nem::unit u, std::string_view name,
                                                std::int64_t value) {
  if (u == unit::none) return fail("none", " is not a unit");
  text& to = characteristics_[static_cast<std::size_t>(u)];
  return belongs(kind_ == kind::device, "a characteristic")
      .put(to, " ", name)
      .put(to, " = ", value);
}
TESSERA_INLINE builder& builder::reference(text& to, std::string_view family, element_list types,
                                           std::string_view variant) {
  belongs(kind_ == kind::device, "a variant").put_name(to, " ", family);
  put_types(to, "<", types, ">");
  return put(to, ".", variant);
}
TESSERA_INLINE void builder::end_device_text() {
  source_ << head_ << " {" << callee_;
  if (!inputs_.empty() || !outputs_.empty() || !attributes_.empty()) {
    source_ << " topology {" << inputs_;
    if (!outputs_.empty()) source_ << " device_units {" << outputs_ << " }";
    if (!attributes_.empty()) source_ << " per_engine {" << attributes_ << " }";
    source_ << " }";
  }
  bool has_group = false;
  for (std::size_t u = 0; u < unit_count; ++u) {
    if (characteristics_[u].empty()) continue;
    source_ << (has_group ? " " : " unit_characteristics { ") << unit_names[u] << " {"
            << characteristics_[u] << " }";
    has_group = true;
  }
  if (has_group) source_ << " }";
  if (!mandatory_.empty()) source_ << " opcode.mandatory {" << mandatory_ << " }";
  if (!extended_.empty()) source_ << " opcode.extended {" << extended_ << " }";
  source_ << " }";
}
TESSERA_INLINE builder& builder::end_device() {
  belongs(kind_ == kind::device, "the end of a device");
  end_statement();
  return *this;
}

// --- type families ---

TESSERA_INLINE builder& builder::begin_family(std::string_view name) {
  return begin(kind::family).put_name(head_, "type_family ", name);
}
TESSERA_INLINE builder& builder::parameter(std::string_view name, element_list domain) {
  belongs(kind_ == kind::family, "a type parameter");
  put(inputs_, inputs_.empty() ? "<" : ", ", name).put_types(inputs_, ": {", domain, "}");
  return *this;
}
TESSERA_INLINE builder& builder::binding(std::string_view operand, std::string_view type) {
  text& to = decorators_.empty() ? outputs_ : callee_;
  return belongs(kind_ == kind::family, "a binding").put(to, " ", operand).put(to, ": ", type);
}
TESSERA_INLINE builder& builder::condition(std::string_view name, std::string_view value,
                                           std::string_view on) {
  belongs(kind_ == kind::family, "a condition")
      .put(outputs_, " ", name)
      .put(outputs_, " = ", value);
  return on.empty() ? *this : put(outputs_, " on ", on);
}
TESSERA_INLINE builder& builder::variant(std::string_view name) {
  belongs(kind_ == kind::family, "a variant").end_variant();
  return put(decorators_, "", name);
}
TESSERA_INLINE builder& builder::conformance(bool must, element_list types) {
  belongs(kind_ == kind::family, "conformance").deps_ << (must ? " MUST" : " MAY");
  put_types(deps_, " <", types, ">");
  return *this;
}
TESSERA_INLINE void builder::end_variant() {
  if (decorators_.empty()) return;  // the name of the variant
  attributes_ << ' ' << decorators_ << ": {" << callee_ << " } conformance: {" << deps_ << " }";
  for (text* const part : {&decorators_, &callee_, &deps_}) part->clear();
}
TESSERA_INLINE void builder::end_family_text() {
  end_variant();
  source_ << head_ << inputs_ << (inputs_.empty() ? "" : ">") << " {" << outputs_
          << " variants:" << attributes_ << " }";
}
TESSERA_INLINE builder& builder::end_family() {
  belongs(kind_ == kind::family, "the end of a type family");
  end_statement();
  return *this;
}

// --- the model ---

TESSERA_INLINE result<model> builder::finish(report* found) {
  end_statement();
  if (error_.code != errc::ok) {
    tessera::detail::findings to(found, 1);
    to.add(error_.code, severity::error, {0, error_.offset, 0, error_.index}) << message_;
    return error_;
  }
  const read_options options = {.limit = {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX}};
  const result<model> written = read(source_.view(), options);
  if (!written) return read(source_.view(), options, found);
  const text canonical = print(*written);
  return read(canonical.view(), options, found);
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_BUILDER_HPP
