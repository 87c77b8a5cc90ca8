// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Builds NEM documents in code, in the words of the language.
//
//   nem::builder b;
//   const nem::expr i("i");
//   b.program("halves").buffer("X", nem::level::l2, 512).buffer("T", nem::level::l1, 512);
//   b.loop("i", 0, 1).max_in_flight(2);
//   b.let("tile", b.region("T", i * 256, 256).elem(nem::element::f16).shape({128}).layout("C"));
//   b.transfer("t", "tile", b.region("X", i * 256, 256));
//   b.compute("r", nem::opcode::relu).in("tile").out("tile").deps({"t"}).end_loop();
//   const result<nem::model> model = b.finish();
//
// The statements come in the order of the calls. What belongs to a statement follows it: operands,
// attributes, deps, decorators. Where an expression is expected, a string is a name.
//
//   documents     include program device_file device_name
//   declarations  constant let buffer; regions: region().elem().shape().layout()
//   tasks         transfer store compute wait, then in out deps attribute sync
//   loops         loop end_loop
//   decorators    max_in_flight resource seq_engine decorate; of operands: decorate
//   devices       begin_device spec_version num_engines … end_device
//   families      begin_family parameter binding condition variant conformance end_family
//
// The builder writes source text, and finish() reads it: what it makes is a model as nem::read
// makes it of canonical text, with the places of that text. So write(model) is the text that
// findings of verify() are about, and reading it gives the same model.
//
// Lifetime:   a builder, its expressions and its operands own themselves.
// Errors:     the first one is kept, later calls do nothing; finish() returns it. SYN-001 with the
//             number of the statement for a name that isn't an identifier, a number that isn't
//             finite, and what belongs to another kind of statement; else those of nem::read.
// Limits:     those of nem::read without limits on bytes and nodes: 256 nested loops and
//             parentheses.
// Allocation: the text, which finish() reads twice.

#ifndef TESSERA_NEM_BUILDER_HPP
#define TESSERA_NEM_BUILDER_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// A number, a name, or an expression of them ("Expressions"); also what else can be a value: an
/// element type, a word, a string, a list.
class expr {
 public:
  /// A number; is_bad() where 64 bits with a sign don't hold it.
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  expr(Int number) : expr(static_cast<std::int64_t>(number), static_cast<void*>(nullptr)) {
    is_bad_ = std::is_unsigned_v<Int> && static_cast<std::uint64_t>(number) > INT64_MAX;
  }
  /// A number; is_bad() where it isn't finite.
  expr(double number);
  /// A name; is_bad() where it isn't an identifier.
  expr(std::string_view name);
  /// A name; is_bad() where it isn't an identifier.
  expr(const char* name) : expr(std::string_view(name)) {}
  /// The name of an element type.
  expr(nem::element type) : expr(nem::name(type)) {}
  /// A list of any values.
  expr(std::initializer_list<expr> list) : expr(view<expr>{list.begin(), list.size()}) {}
  /// A list of any values.
  expr(view<expr> list);
  /// A list of integers.
  expr(view<std::int64_t> list);
  /// A list of numbers; is_bad() where one isn't finite.
  expr(view<double> list);
  /// A string literal; its escapes are written.
  [[nodiscard]] static expr string(std::string_view characters);

  /// The sum. Operands get parentheses where the precedence of operators asks for them.
  friend expr operator+(const expr& a, const expr& b) { return binary(a, " + ", b, 1); }
  /// The difference.
  friend expr operator-(const expr& a, const expr& b) { return binary(a, " - ", b, 1); }
  /// The product.
  friend expr operator*(const expr& a, const expr& b) { return binary(a, " * ", b, 2); }
  /// The quotient; that of integers is truncated toward zero.
  friend expr operator/(const expr& a, const expr& b) { return binary(a, " / ", b, 2); }
  /// The remainder, which has the sign of b.
  friend expr mod(const expr& a, const expr& b) { return binary(a, " mod ", b, 2); }
  /// The value with the other sign.
  friend expr operator-(const expr& a) { return binary(expr(), "-", a, 2); }

  /// Its source text.
  [[nodiscard]] std::string_view text() const& noexcept { return text_; }
  std::string_view text() const&& = delete;
  /// Whether it has a name that isn't an identifier, or a number that isn't finite or too large.
  [[nodiscard]] bool is_bad() const noexcept { return is_bad_; }

 private:
  friend class builder;
  expr() = default;
  expr(std::int64_t number, void*);
  static expr binary(const expr& a, std::string_view sign, const expr& b, unsigned char precedence);
  template <class T>
  void put_list(view<T> list);
  void put(const expr& e, bool parentheses);

  tessera::text text_;
  unsigned char precedence_ = 3;  // of its outermost operator: 1 of + and -, 2 of others, 3 of none
  bool is_bad_ = false;
};

/// A region, or the name of one, and what follows it: type attributes, then decorators.
class region_expr {
 public:
  /// The name of a region, as `let` declares it; the builder refuses what isn't an identifier.
  region_expr(std::string_view name) { put("", name); }
  /// The name of a region, as `let` declares it; the builder refuses what isn't an identifier.
  region_expr(const char* name) : region_expr(std::string_view(name)) {}
  /// `extent` bytes of a buffer from byte `offset` on.
  region_expr(std::string_view buffer, const expr& offset, const expr& extent);

  /// The type of its elements. It comes before all other type attributes.
  region_expr& elem(nem::element type) { return put(" elem=", type); }
  /// Elements in each dimension.
  region_expr& shape(const expr& list) { return put(", shape=", list); }
  /// The order of its dimensions, such as "NHWC", without gaps; excludes strides().
  region_expr& layout(std::string_view name) { return put(", layout=", name); }
  /// Elements from one to the next in each dimension.
  region_expr& strides(const expr& list) { return put(", strides=", list); }
  /// One scale and zero point for all elements ("Quantization Descriptor").
  region_expr& per_tensor(const expr& scale, const expr& zero_point);
  /// A scale and a zero point, in lists, for each index of an axis.
  region_expr& per_channel(const expr& axis, const expr& scales, const expr& zero_points);
  /// A scale and a zero point, in lists, for each `group_size` elements along an axis.
  region_expr& per_group(const expr& axis, const expr& group_size, const expr& scales,
                         const expr& zero_points);
  /// Adds a decorator that has no argument, such as `@readonly`. An unknown one can be written and
  /// read, and fails verification.
  region_expr& decorate(nem::decorator d) { return put(" @", nem::name(d)); }

 private:
  friend class builder;
  region_expr& put(std::string_view before, const expr& e) {
    text_ << before << e.text();
    is_bad_ = is_bad_ || e.is_bad();
    return *this;
  }

  tessera::text text_;
  bool is_bad_ = false;
};

/// Element types: {element::f16, element::i8}, or a view of them.
struct element_list {
  /// Borrows the types, which last until the end of the full expression.
  element_list(std::initializer_list<nem::element> list) : types(list.begin(), list.size()) {}
  /// Borrows the types.
  element_list(view<nem::element> list) : types(list) {}
  view<nem::element> types;  ///< in their order
};

/// A document that is written statement by statement.
class builder {
 public:
  // --- documents ---
  /// Includes a file: its type families and devices.
  builder& include(std::string_view path);
  /// Names the target by a file that defines it ("Program Device Directive").
  builder& device_file(std::string_view path);
  /// Names the target, which an included file defines ("Program Device Directive").
  builder& device_name(std::string_view name);
  /// The header of a program, before its statements.
  builder& program(std::string_view name);

  // --- declarations ---
  /// Declares an integer constant. Its value is made of numbers and earlier constants ("Constant
  /// Declarations").
  builder& constant(std::string_view name, const expr& value);
  /// Names a value: a number, an element type, a word, a string or a list.
  builder& let(std::string_view name, const expr& value);
  /// Names a region, which is then an operand by its name.
  builder& let(std::string_view name, const region_expr& r);
  /// Declares a buffer of `size` bytes, aligned to `align` bytes. Where `align` is 0, it is left
  /// out.
  builder& buffer(std::string_view name, nem::level level, const expr& size, const expr& align = 0);
  /// Declares a buffer in the L1 of an engine. Engines are counted from 0.
  builder& buffer_in_l1(std::string_view name, const expr& engine, const expr& size,
                        const expr& align = 0);
  /// The `extent` bytes of a buffer from byte `offset` on; type attributes may follow.
  [[nodiscard]] static region_expr region(std::string_view buffer, const expr& offset,
                                          const expr& extent) {
    return {buffer, offset, extent};
  }

  // --- loops: the last value is included ---
  /// Begins a loop. Its variable is `first` in the first iteration and `last` in the last one.
  builder& loop(std::string_view variable, const expr& first, const expr& last);
  /// Ends the innermost loop that is open.
  builder& end_loop();

  // --- tasks: an empty token leaves them without one ---
  /// Begins a task that copies one region to another ("Transfer Tasks").
  builder& transfer(std::string_view token, const region_expr& destination,
                    const region_expr& source);
  /// Begins a task that commits a region to the memory level of another ("Store Tasks").
  builder& store(std::string_view token, const region_expr& destination, const region_expr& source);
  /// Begins a compute task. in(), out(), deps(), attribute() and decorators complete it.
  builder& compute(std::string_view token, nem::opcode op);
  /// Adds an input to the compute task, after those that it has.
  builder& in(const region_expr& operand);
  /// Adds an output to the compute task, after those that it has.
  builder& out(const region_expr& operand);
  /// Adds tokens to the task's deps: it starts after their tasks have completed.
  builder& deps(std::initializer_list<std::string_view> tokens) {
    return deps({tokens.begin(), tokens.size()});
  }
  /// Adds tokens to the task's deps: it starts after their tasks have completed.
  builder& deps(view<std::string_view> tokens);
  /// Adds an attribute by its name.
  builder& attribute(std::string_view name, const expr& value);
  /// Adds an attribute of the registry. An unknown one can be written and read, and fails
  /// verification.
  builder& attribute(nem::attribute a, const expr& value) { return attribute(nem::name(a), value); }
  /// The stream that issues the task waits for it.
  builder& sync();
  /// Waits until the tasks of some tokens have completed.
  builder& wait(std::initializer_list<std::string_view> tokens) {
    return wait({tokens.begin(), tokens.size()});
  }
  /// Waits until the tasks of some tokens have completed.
  builder& wait(view<std::string_view> tokens);

  // --- decorators of the last statement ---
  /// How many iterations of the loop may be active at once; 1 without this.
  builder& max_in_flight(const expr& iterations) {
    return decorate(decorator::max_in_flight, iterations);
  }
  /// The engine that the task runs on, counted from 0 ("Task Placement and Engine Assignment").
  builder& seq_engine(const expr& engine) { return decorate(decorator::seq_engine, engine); }
  /// The unit that the task runs on, counted from 0 in its engine: an NMU, CSTL, DMA or VPU.
  builder& resource(nem::unit u, const expr& index);
  /// Adds a decorator that has no argument. An unknown one can be written and read, and fails
  /// verification.
  builder& decorate(nem::decorator d);
  /// Adds a decorator with its argument.
  builder& decorate(nem::decorator d, const expr& argument);

  // --- devices: what is between begin_device and end_device comes in any order ---
  /// Begins a device. With a parent, it inherits what it doesn't state.
  builder& begin_device(std::string_view name, std::string_view parent = {});
  /// The version of the specification, "NEM-1.0". Devices with a parent inherit it.
  builder& spec_version(std::string_view version);
  /// How many engines the device has.
  builder& num_engines(std::int64_t count) { return topology("num_engines", count); }
  /// The size of L2 in bytes.
  builder& l2_size_bytes(const expr& size) { return topology("l2_size_bytes", size); }
  /// The size of each engine's L1 in bytes.
  builder& l1_size_bytes(const expr& size);
  /// How many units of a type each engine has, or the device: see is_per_engine.
  builder& units(nem::unit u, std::int64_t count);
  /// A characteristic of a type of units, such as SEQ's max_active_tokens.
  builder& characteristic(nem::unit u, std::string_view name, std::int64_t value);
  /// Lists an instance in opcode.mandatory: mandatory("gemm.float", {element::f32}, "no_bias").
  builder& mandatory(std::string_view family, element_list types, std::string_view variant) {
    return reference(mandatory_, family, types, variant);
  }
  /// Lists an instance in opcode.extended.
  builder& extended(std::string_view family, element_list types, std::string_view variant) {
    return reference(extended_, family, types, variant);
  }
  /// Ends the device.
  builder& end_device();

  // --- type families, in the order of the grammar ---
  /// Begins a type family, such as "gemm.float".
  builder& begin_family(std::string_view name);
  /// Adds a type parameter, such as "T", and the types that it may be.
  builder& parameter(std::string_view name, element_list domain);
  /// Binds an operand to an element type, a parameter, "absent" or "any_supported": in the last
  /// variant, or in the family where there is none yet.
  builder& binding(std::string_view operand, std::string_view type);
  /// condition("quant", "required", "dst"); `on` may be empty.
  builder& condition(std::string_view name, std::string_view value, std::string_view on = {});
  /// Begins a variant, such as "no_bias"; its bindings and conformance follow.
  builder& variant(std::string_view name);
  /// Adds an instance of the last variant, with a type for each parameter: MUST, or MAY.
  builder& conformance(bool must, element_list types = {});
  /// Ends the family.
  builder& end_family();

  /// What was written so far; the model's own text is write(model).
  [[nodiscard]] std::string_view source() const& noexcept { return source_; }
  std::string_view source() const&& = delete;
  /// The model, or the first error. It is called once, at the end.
  [[nodiscard]] result<model> finish(report* found = nullptr);

 private:
  enum class kind : std::uint8_t { none, plain, loop, copy, compute, wait, device, family };

  builder& fail(std::string_view text, std::string_view what);
  builder& begin(kind k);
  void end_statement();
  void end_compute();
  void end_device_text();
  void end_family_text();
  void end_variant();
  builder& belongs(bool does, std::string_view what);
  builder& put(text& to, std::string_view before, const expr& e, std::string_view after = {});
  builder& put_operand(text& to, std::string_view before, const region_expr& r);
  builder& put_name(text& to, std::string_view before, std::string_view dotted);
  void put_types(text& to, std::string_view open, element_list types, std::string_view close);
  builder& begin_task(kind k, std::string_view token);
  builder& copy(std::string_view callee, std::string_view token, const region_expr& destination,
                const region_expr& source);
  builder& properties(const expr& size, const expr& align);
  builder& topology(std::string_view word, const expr& value);
  builder& reference(text& to, std::string_view family, element_list types,
                     std::string_view variant);

  text source_;
  kind kind_ = kind::none;  // of the statement that can go on
  bool is_sync_ = false;
  // Its parts, which end_statement joins. Of a device: callee_ is the version, inputs_ the
  // topology, outputs_ the units of the device and attributes_ those of its engines; of a family:
  // inputs_ the parameters, outputs_ the bindings, attributes_ the variants, of the last one
  // callee_ the bindings and deps_ the conformance.
  text head_, callee_, inputs_, outputs_, deps_, attributes_, decorators_;
  text mandatory_, extended_, characteristics_[unit_count];
  std::uint64_t statements_ = 0;
  error error_;
  text message_;
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/syntax/builder.hpp"
#endif

#endif  // TESSERA_NEM_BUILDER_HPP
