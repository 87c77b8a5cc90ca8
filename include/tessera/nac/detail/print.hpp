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
#include "../execution_plan_text.hpp"
#include "../file.hpp"
#include "../layout.hpp"
#include "../print.hpp"
#include "../tokenizer_text.hpp"
#include "../words.hpp"
#include "print_code.hpp"
#include "print_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// `offset` is that of the bytes in the file, `expected` the size that the text tells already.
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
  printer(text& out, const file& f, const print_options& options) noexcept
      : out_(out), file_(f), options_(options) {}

  void print() {
    header();
    names(text_section::operations, file_.operations(), false);
    names(text_section::signatures, file_.signatures(), false);
    section(text_section::constants);
    constants(file_.constants());
    names(text_section::parameters, file_.parameters(), true);
    names(text_section::input_names, file_.input_names(), true);
    tensors();
    {
      code_printer code(out_, file_, options_);
      section(text_section::code);
      code.print(file_.instructions(), false);
      if (!file_.schedule().empty()) schedule();
      if (file_.has(nac::section::trng)) {
        section(text_section::training);
        code.print(file_.training(), true);
      }
    }
    arrays();
    resources();
    if (!file_.plan_constants().empty()) {
      section(text_section::plan_constants);
      constants(file_.plan_constants());
    }
    if (!file_.plan().empty()) {
      section(text_section::plan);
      print_plan(out_, file_.plan(), file_.plan_constants());
      out_ << word_end << '\n';
    }
    if (file_.has(nac::section::proc)) {
      section(text_section::tokenizer);
      print_manifest(out_, file_.manifest());
      out_ << word_end << '\n';
    }
  }

 private:
  void section(text_section s) { out_ << section_words[static_cast<std::size_t>(s)] << ":\n"; }
  text& line(key k) { return out_ << key_words[static_cast<std::size_t>(k)] << ' '; }

  void header() {
    line(key::nac) << header_words[static_cast<std::size_t>(file_.header())] << '\n';
    line(key::quantization) << name(file_.quantization()) << '\n';
    line(key::weights) << weights_words[file_.has_internal_weights() ? 1 : 0] << '\n';
    line(key::inputs) << file_.inputs() << '\n';
    line(key::outputs) << file_.outputs() << '\n';
    line(key::d_model) << file_.d_model() << '\n';
    if (file_.has_training_flag() != (file_.version() == 2 && file_.has(nac::section::trng)))
      line(key::training_flag) << boolean_words[file_.has_training_flag() ? 1 : 0] << '\n';
    layout();
  }
  /// Where it isn't what a new container of the version has.
  void layout() {
    const nac::layout how = layout_of(file_);
    const self_count rules[] = {how.inputs, how.outputs, how.branches};
    constexpr std::uint8_t operations[] = {op_input, op_output, op_control_flow};
    bool usual = true, none = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool itself = counts_itself(rules[i], operations[i], file_.header());
      none = none && !itself;
      usual = usual && itself == counts_itself({}, operations[i], file_.header());
    }
    if (!usual) {
      out_ << key_words[static_cast<std::size_t>(key::self_counting)];
      if (none) out_ << ' ' << word_none;
      for (std::size_t i = 0; i < 3; ++i)
        if (counts_itself(rules[i], operations[i], file_.header()))
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
    if (file_.tensors().empty()) return;
    section(text_section::tensors);
    for (const tensor& t : file_.tensors()) {
      out_ << "  " << t.id << " = ";
      print_tensor_type(out_, t);
      out_ << ' ';
      print_payload(out_, t.data, t.data_offset, shape_bytes(t.type, t.shape), options_);
      out_ << '\n';
    }
  }
  void schedule() {
    section(text_section::schedule);
    for (const tick& t : file_.schedule()) {
      out_ << "  " << t.instruction << (t.commands.empty() ? ":" : ": ");
      print_commands(out_, t.commands);
      out_ << '\n';
    }
  }
  void arrays() {
    if (file_.arrays().empty()) return;
    section(text_section::arrays);
    for (const array& a : file_.arrays()) {
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
    if (!file_.has(nac::section::rsrc)) return;
    section(text_section::resources);
    for (const resource& r : file_.resources()) {
      out_ << "  ";
      print_string(out_, r.name);
      out_ << " = ";
      print_payload(out_, r.data, r.data_offset, r.data.size(), options_);
      out_ << '\n';
    }
  }
  text& out_;
  const file& file_;
  const print_options& options_;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE text print(const file& f, const print_options& options) {
  text out;
  detail::printer(out, f, options).print();
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PRINT_HPP
