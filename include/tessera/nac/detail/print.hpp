// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/print.hpp.

#ifndef TESSERA_NAC_DETAIL_PRINT_HPP
#define TESSERA_NAC_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/text.hpp"
#include "../execution_plan.hpp"
#include "../model.hpp"
#include "../parts.hpp"
#include "../print.hpp"
#include "../tokenizer.hpp"
#include "print_code.hpp"
#include "print_values.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE void print_string(text& out, std::string_view s) {
  out << '"';
  for (std::size_t i = 0; i < s.size();) {
    std::size_t plain = i;
    while (plain < s.size() && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' &&
           s[plain] != '\\')
      ++plain;
    if (plain != i) {
      out << s.substr(i, plain - i);
      i = plain;
      continue;
    }
    const auto byte = static_cast<unsigned char>(s[i]);
    const unsigned unsafe = unsafe_length(s.data() + i, s.data() + s.size());
    if (byte == '"' || byte == '\\') {
      out << '\\' << s[i++];
    } else if (byte == '\n') {
      out << "\\n", ++i;
    } else if (byte == '\t') {
      out << "\\t", ++i;
    } else if (byte == '\r') {
      out << "\\r", ++i;
    } else if (unsafe != 0) {
      for (unsigned k = 0; k < unsafe; ++k, ++i) {
        const auto b = static_cast<unsigned char>(s[i]);
        out << "\\x"
            << "0123456789abcdef"[b >> 4] << "0123456789abcdef"[b & 15];
      }
    } else {
      const unsigned length = utf8_length(s.data() + i, s.data() + s.size());
      out << s.substr(i, length);
      i += length;
    }
  }
  out << '"';
}

TESSERA_INLINE std::string_view system_word(std::uint8_t a, std::uint8_t b) noexcept {
  const assembly::instruction_word* const w = assembly::instruction_word_of(a, b);
  return w == nullptr ? std::string_view() : w->word;
}

}  // namespace nac
namespace nac::detail {

/// `offset` is that of the bytes in the file, `expected` the size that the text implies.
inline void print_payload(text& out, bytes data, std::uint64_t offset, std::uint64_t expected,
                          const print_options& options) {
  const bool by_reference = !options.source_name.empty() &&
                            (options.payload == print_options::by_reference ||
                             (options.payload == print_options::automatic && data.size() > 64));
  if (by_reference) {
    out << word_file << ' ';
    print_string(out, options.source_name);
    unsigned digits = 1;
    while (digits < 16 && offset >> (4 * digits) != 0) ++digits;
    out << ' ';
    print_hex(out, offset, digits);
    out << ' ' << data.size();
    return;
  }
  out << word_hex << ' ';
  if (data.size() != expected) out << data.size() << ' ';
  out << '{';
  const std::size_t a_line = 32;
  for (std::size_t i = 0; i < data.size(); i += 4) {
    if (data.size() > a_line && i % a_line == 0)
      out << "\n    ";
    else
      out << ' ';
    char* to = out.prepare(8);
    std::size_t count = 0;
    for (std::size_t k = i; k < data.size() && k < i + 4; ++k, count += 2) {
      const auto b = static_cast<unsigned char>(data[k]);
      *to++ = "0123456789abcdef"[b >> 4];
      *to++ = "0123456789abcdef"[b & 15];
    }
    out.advance(count);
  }
  out << (data.size() > a_line ? "\n  }" : data.empty() ? "}" : " }");
}

class printer {
 public:
  printer(text& out, const model& f, const print_options& options) noexcept
      : out_(out), model_(f), options_(options) {}

  void print() {
    header();
    names(text_section::operations, model_.operations(), false);
    names(text_section::signatures, model_.signatures(), false);
    section(text_section::constants);
    constants(model_.constants());
    names(text_section::parameters, model_.parameters(), true);
    names(text_section::input_names, model_.input_names(), true);
    tensors();
    {
      code_printer code(out_, model_, options_);
      section(text_section::code);
      code.print(model_.instructions(), false);
      if (!model_.schedule().empty()) schedule();
      if (model_.has(nac::section::trng)) {
        section(text_section::training);
        code.print(model_.training(), true);
      }
    }
    arrays();
    resources();
    if (!model_.plan_constants().empty()) {
      section(text_section::plan_constants);
      constants(model_.plan_constants());
    }
    if (!model_.execution_plan().empty()) {
      section(text_section::plan);
      print_execution_plan(out_, model_.execution_plan(), model_.plan_constants());
      out_ << word_end << '\n';
    }
    if (model_.has(nac::section::proc)) {
      section(text_section::tokenizer);
      print_manifest(out_, model_.manifest());
      out_ << word_end << '\n';
    }
  }

 private:
  void section(text_section s) { out_ << section_words[static_cast<std::size_t>(s)] << ":\n"; }
  text& line(key k) { return out_ << key_words[static_cast<std::size_t>(k)] << ' '; }

  void header() {
    line(key::nac) << name(model_.header()) << '\n';
    line(key::quantization) << name(model_.quantization()) << '\n';
    line(key::weights) << weights_words[model_.has_internal_weights() ? 1 : 0] << '\n';
    line(key::inputs) << model_.inputs() << '\n';
    line(key::outputs) << model_.outputs() << '\n';
    line(key::d_model) << model_.d_model() << '\n';
    if (model_.has_training_flag() != (model_.version() == 2 && model_.has(nac::section::trng)))
      line(key::training_flag) << boolean_words[model_.has_training_flag() ? 1 : 0] << '\n';
    layout();
  }
  /// Where it isn't what a new container of the version has.
  void layout() {
    const nac::layout how = layout_of(model_);
    const self_count rules[] = {how.inputs, how.outputs, how.branches};
    constexpr std::uint8_t operations[] = {op_input, op_output, op_control_flow};
    bool usual = true, none = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool itself = counts_itself(rules[i], operations[i], model_.header());
      none = none && !itself;
      usual = usual && itself == counts_itself({}, operations[i], model_.header());
    }
    if (!usual) {
      out_ << key_words[static_cast<std::size_t>(key::self_counting)];
      if (none) out_ << ' ' << word_none;
      for (std::size_t i = 0; i < 3; ++i)
        if (counts_itself(rules[i], operations[i], model_.header()))
          out_ << ' ' << counting_words[i];
      out_ << '\n';
    }
    if (how.order.empty()) return;
    out_ << key_words[static_cast<std::size_t>(key::order)];
    for (const nac::section s : how.order) out_ << ' ' << tag_word(s);
    out_ << '\n';
  }

  template <class Names>
  void names(text_section s, const Names& all, bool always) {
    if (all.empty() && !always) return;
    section(s);
    for (const named& n : all) {
      out_ << "  " << n.id << " = ";
      print_string(out_, n.text);
      out_ << '\n';
    }
  }
  void constants(const nac::constants& all) {
    for (const constant& c : all) {
      out_ << "  " << c.id << " = ";
      print_constant(out_, c);
      out_ << '\n';
    }
  }
  void tensors() {
    if (model_.tensors().empty()) return;
    section(text_section::tensors);
    for (const tensor& t : model_.tensors()) {
      out_ << "  " << t.id << " = ";
      print_tensor_type(out_, t);
      out_ << ' ';
      print_payload(out_, t.data, t.data_offset, shape_bytes(t.type, t.shape), options_);
      out_ << '\n';
    }
  }
  void schedule() {
    section(text_section::schedule);
    for (const tick& t : model_.schedule()) {
      out_ << "  " << t.instruction << (t.commands.empty() ? ":" : ": ");
      print_commands(out_, t.commands);
      out_ << '\n';
    }
  }
  void arrays() {
    if (model_.arrays().empty()) return;
    section(text_section::arrays);
    for (const array& a : model_.arrays()) {
      out_ << "  ";
      print_string(out_, a.name);
      out_ << " = " << name(a.type) << ' ';
      print_integers(out_, a.shape);
      out_ << ' ';
      print_payload(out_, a.data, a.data_offset, shape_bytes(a.type, a.shape), options_);
      out_ << '\n';
    }
  }
  void resources() {
    if (!model_.has(nac::section::rsrc)) return;
    section(text_section::resources);
    for (const resource& r : model_.resources()) {
      out_ << "  ";
      print_string(out_, r.name);
      out_ << " = ";
      print_payload(out_, r.data, r.data_offset, r.data.size(), options_);
      out_ << '\n';
    }
  }
  text& out_;
  const model& model_;
  const print_options& options_;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE text print(const model& f, const print_options& options) {
  text out;
  detail::printer(out, f, options).print();
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PRINT_HPP
