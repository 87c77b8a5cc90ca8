// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/assembly.hpp.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLY_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../assembly.hpp"
#include "../execution_plan.hpp"
#include "../parts.hpp"
#include "../print.hpp"
#include "../tokenizer.hpp"
#include "assemble_code.hpp"
#include "assemble_execution_plan.hpp"
#include "assemble_names.hpp"
#include "assemble_tokenizer.hpp"
#include "assemble_values.hpp"
#include "lexer.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

class assembler {
 public:
  assembler(std::string_view source, const resolver& r, text_map* map)
      : in_(source), code_(in_, out_, r, map), read_{in_, out_, r}, map_(map) {}

  [[nodiscard]] error run() {
    in_.skip_lines();
    header();
    while (!in_.failed() && in_.peek().kind != token_kind::end) section();
    if (!in_.failed()) tables();
    if (has(text_section::code)) second(text_section::code);
    if (has(text_section::training)) second(text_section::training);
    if (has(text_section::schedule)) second(text_section::schedule);
    if (!in_.failed()) code_.close(has(text_section::parameters));
    // Without an OUTPUT a run gives the last result.
    if (!code_.has_outputs && has(text_section::code)) out_.outputs = 1;
    if (!in_.failed()) defaults();
    return in_.error();
  }
  [[nodiscard]] parts take() noexcept { return std::move(out_); }

 private:
  static constexpr std::size_t section_total = sizeof section_words / sizeof *section_words;
  static constexpr std::size_t key_total = sizeof key_words / sizeof *key_words;

  [[nodiscard]] bool has(text_section s) const noexcept {
    return has_section_[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] bool has(key k) const noexcept { return has_key_[static_cast<std::size_t>(k)]; }

  // ---- header

  void header() {
    while (!in_.failed() && in_.peek().kind != token_kind::end && !at_section(in_)) {
      const token t = in_.peek();
      if (t.kind != token_kind::word) return in_.fail(errc::nac_text_syntax);
      const std::size_t k = word_of(key_words, t.text);
      if (k == not_a_word) return in_.fail(errc::nac_text_key);
      if (has_key_[k]) return in_.fail(errc::nac_text_key_repeated);
      has_key_[k] = true;
      if (map_ != nullptr) map_->set(static_cast<key>(k), t.offset);
      in_.next();
      value(static_cast<key>(k));
      in_.end_line();
    }
  }
  void value(key k) {
    switch (k) {
      case key::nac:
        out_.form = static_cast<nac::header>(one_of(header_names, errc::nac_text_version));
        break;
      case key::quantization:
        out_.quantization =
            static_cast<quantization>(one_of(quantization_names, errc::nac_text_quantization));
        break;
      case key::weights:
        out_.internal_weights = one_of(weights_words, errc::nac_text_weights) != 0;
        break;
      case key::inputs: out_.inputs = id(); break;
      case key::outputs:
        out_.outputs = id();
        code_.has_outputs = true;
        break;
      case key::d_model: out_.d_model = id(); break;
      case key::training_flag:
        out_.training_flag = one_of(boolean_words, errc::nac_text_boolean) != 0;
        break;
      case key::self_counting: self_counting(); break;
      case key::order: order(); break;
    }
  }
  void self_counting() {
    self_count* const rules[] = {&out_.layout.inputs, &out_.layout.outputs, &out_.layout.branches};
    for (self_count* const rule : rules) *rule = self_count::no;
    if (in_.accept(word_none)) return;
    do {
      const std::size_t i = one_of(counting_words, errc::nac_text_self_counting);
      if (!in_.failed()) *rules[i] = self_count::yes;
    } while (!in_.failed() && !in_.at_line_end());
  }
  void order() {
    bool placed[section_count] = {};
    do {
      std::size_t i = 0;
      while (i < section_count && tag_word(static_cast<nac::section>(i)) != in_.peek().text) ++i;
      if (i == section_count) return in_.fail(errc::nac_text_section);
      if (placed[i]) return in_.fail(errc::nac_text_section_repeated);
      placed[i] = true;
      out_.layout.order.push_back(static_cast<nac::section>(i));
      in_.next();
    } while (!in_.failed() && !in_.at_line_end());
  }
  template <std::size_t N>
  [[nodiscard]] std::size_t one_of(const std::string_view (&words)[N], errc otherwise) noexcept {
    const std::size_t i = word_of(words, in_.peek().text);
    if (i == not_a_word) return in_.fail(otherwise), 0;
    in_.next();
    return i;
  }
  [[nodiscard]] std::uint16_t id() noexcept {
    return static_cast<std::uint16_t>(in_.integer(0, 0xffff));
  }

  // ---- sections; those that name results or operations are read when all others are known

  void section() {
    const token t = in_.peek();
    if (!at_section(in_)) return in_.fail(errc::nac_text_syntax);
    const std::size_t s = word_of(section_words, t.text);
    if (s == not_a_word) return in_.fail(errc::nac_text_section);
    if (has_section_[s]) return in_.fail(errc::nac_text_section_repeated);
    has_section_[s] = true;
    if (map_ != nullptr) map_->set(static_cast<text_section>(s), t.offset);
    in_.next();
    in_.next();
    in_.skip_lines();
    switch (static_cast<text_section>(s)) {
      case text_section::operations: names(text_section::operations, out_.operations, 255); break;
      case text_section::signatures: names(text_section::signatures, out_.signatures, 255); break;
      case text_section::parameters:
        names(text_section::parameters, out_.parameters, 0xffff);
        break;
      case text_section::input_names:
        names(text_section::input_names, out_.input_names, 0xffff);
        break;
      case text_section::constants: constants(text_section::constants, out_.constants); break;
      case text_section::plan_constants:
        constants(text_section::plan_constants, out_.plan_constants);
        break;
      case text_section::tensors: rows(text_section::tensors, [this] { tensor(); }); break;
      case text_section::arrays: rows(text_section::arrays, [this] { array(); }); break;
      case text_section::resources: rows(text_section::resources, [this] { resource(); }); break;
      case text_section::code:
      case text_section::training:
      case text_section::schedule:
        second_[s] = in_;
        code_.look_over();
        break;
      case text_section::plan:
        if (parse_plan(in_, out_, map_)) body_end();
        break;
      case text_section::tokenizer:
        if (parse_manifest(in_, out_, map_)) body_end();
        break;
    }
  }
  /// Statements up to the next section.
  template <class Each>
  void rows(text_section s, Each&& each) {
    for (std::uint64_t i = 0;
         !in_.failed() && in_.peek().kind != token_kind::end && !at_section(in_); ++i) {
      if (map_ != nullptr) map_->add(s, i, in_.offset());
      each();
      in_.end_line();
    }
  }
  void names(text_section s, pool<named_part>& to, std::size_t max) {
    rows(s, [&] {
      named_part n;
      n.id = id();
      in_.expect('=');
      n.text = read_.string(max);
      to.push_back(n);
    });
  }
  void constants(text_section s, pool<constant_part>& to) {
    rows(s, [&] {
      const std::uint16_t number = id();
      in_.expect('=');
      constant_part c = read_.constant();
      c.id = number;
      to.push_back(c);
    });
  }
  void tensor() {
    tensor_part t;
    const std::uint64_t offset = in_.offset();
    if (in_.peek().kind == token_kind::string) {
      text name;
      in_.string(name);
      if (name.size() > 0xffff) in_.fail(errc::nac_text_length, offset);
      code_.parameters.add(name, static_cast<std::uint32_t>(out_.tensors.size()), true, offset);
    } else {
      t.id = id();
      code_.parameters.ids.add(t.id);
    }
    in_.expect('=');
    read_.tensor_type(t);
    t.data = read_.elements(t.type, t.shape);
    out_.tensors.push_back(t);
  }
  void array() {
    array_part a;
    a.name = read_.string(0xffff);
    in_.expect('=');
    a.type = read_.type();
    a.shape = read_.shape();
    a.data = read_.elements(a.type, a.shape);
    out_.arrays.push_back(a);
  }
  void resource() {
    resource_part r;
    r.name = read_.string(0xffff);
    in_.expect('=');
    r.data = read_.data(value_reader::any_size);
    out_.resources.push_back(r);
  }
  /// The end of a plan or of a manifest.
  void body_end() {
    if (!in_.accept(word_end)) in_.fail(errc::nac_text_end);
    in_.end_line();
  }

  /// What the code leans on.
  void tables() {
    const std::uint32_t version = container_version(out_.form);
    for (std::uint32_t i = first_regular_op; i < first_custom_op; ++i)
      if (const std::string_view n = predefined_operation(i, version); !n.empty())
        code_.operations.set(static_cast<std::uint8_t>(i), n);
    code_.operations.fill(out_, out_.operations, first_regular_op);
    code_.signatures.set(0, {});
    code_.signatures.fill(out_, out_.signatures, 0);
    if (!has(text_section::constants)) out_.constants.push_back({1, constant_type::null, 0, {}});
    code_.constants.ids.start_at(2);
    code_.constants.fill(out_);
    for (const named_part& n : out_.parameters) code_.parameters.ids.add(n.id);
    code_.has_input_names = has(text_section::input_names);
  }

  void second(text_section s) {
    if (in_.failed()) return;
    in_ = second_[static_cast<std::size_t>(s)];
    if (s != text_section::schedule) return code_.code(s == text_section::training);
    rows(s, [this] { tick(); });
  }
  void tick() {
    tick_part t;
    t.instruction = code_.forward_index();
    t.commands.first = static_cast<std::uint32_t>(out_.commands.size());
    in_.expect(':');
    while (!in_.failed() && !in_.at_line_end()) {
      if (t.commands.size != 0) in_.expect(',');
      if (t.commands.size == 255) return in_.fail(errc::nac_text_commands);
      command_part c;
      const token what = in_.peek();
      std::size_t i = 0;
      while (i < sizeof actions / sizeof *actions && actions[i].name != what.text) ++i;
      if (i < sizeof actions / sizeof *actions) {
        in_.next();
        c.what = actions[i].what;
      } else if (in_.accept(word_action)) {
        c.what = static_cast<action>(in_.integer(0, 255));
      } else {
        in_.fail(errc::nac_text_action);
      }
      c.target = code_.forward_index();
      out_.commands.push_back(c);
      ++t.commands.size;
    }
    out_.schedule.push_back(t);
  }

  void defaults() {
    out_.has_training = has(text_section::training);
    out_.has_resources = has(text_section::resources);
    out_.has_manifest = has(text_section::tokenizer);
    if (!has(key::training_flag))
      out_.training_flag = out_.has_training && container_version(out_.form) == 2;
    if (!has(key::weights))
      out_.internal_weights = has(text_section::tensors) || out_.parameters.empty();
    if (!has(key::inputs))
      out_.inputs = static_cast<std::uint16_t>(code_.inputs() < 0xffff ? code_.inputs() : 0xffff);
  }

  parts out_;
  lexer in_;
  code_assembler code_;
  value_reader read_;
  text_map* map_;
  lexer second_[section_total];
  bool has_section_[section_total] = {}, has_key_[key_total] = {};
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<parts> assemble(std::string_view source, const assemble_options& options,
                                      text_map* map) {
  const std::uint64_t max =
      options.limit.max_bytes < 0xffffffff ? options.limit.max_bytes : 0xffffffff;
  if (source.size() > max) return error{errc::input_too_large, max};
  detail::assembler a(source, options.resolver, map);
  if (const error e = a.run(); e.code != errc::ok) return e;
  return a.take();
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLY_HPP
