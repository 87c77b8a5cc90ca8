// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Random NEM files for tests: every construct of the grammar, with any blanks, line ends and comments
// between tokens. They are well formed, and mean nothing.

#ifndef TESSERA_TESTS_NEM_GENERATOR_HPP
#define TESSERA_TESTS_NEM_GENERATOR_HPP

#include <initializer_list>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tessera/nem/format.hpp>
#include <vector>

namespace tests {

class generator {
 public:
  /// `comments` in a hundred tokens have a comment before them.
  generator(unsigned seed, unsigned comments) : random_(seed), comments_(comments) {}

  std::string file() {
    while (chance(30)) put({"include"}), put(string());
    if (chance(35)) {
      for (unsigned i = below(4); i-- > 0;) chance(50) ? family() : device();
    } else {
      switch (below(4)) {
        case 0: put({"device"}), put(string()); break;
        case 1: put({"device", "dev"}); break;
        case 2: device(); break;
        default: break;
      }
      if (chance(50)) put({"program", "p", ":"});
      statements(6);
    }
    gap();
    return out_;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string_view one_of(std::initializer_list<std::string_view> all) {
    return all.begin()[below(static_cast<unsigned>(all.size()))];
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  /// What may stand between any two tokens.
  void gap() {
    if (below(100) < comments_) {
      static constexpr std::string_view texts[] = {
          "", "", " \"", " } endloop", " in # out", " t\xc3\xa9xt", " x; y {  "};
      out_ += one_of({" ", "\n", "\r\n\r\n", "\t", "\n\n\n  "});
      out_ += "# " + std::to_string(++count_);
      out_ += texts[below(7)];
      out_ += one_of({"\n", "\r\n", "\n\n", " \n"});
    }
    out_ += one_of({"", "", "", " ", " ", " ", "  ", "\n", "\n  ", "\t", "\r\n", "\n\n\n"});
  }
  void put(std::string_view token) {
    const std::size_t size = out_.size();
    gap();
    const bool may_join = size != out_.size() || size == 0 || !is_word(out_.back()) ||
                          (!is_word(token.front()) && token.front() != '.');
    if (!may_join) out_ += ' ';
    if (token.front() == '.' && !out_.empty() && out_.back() == '.') out_ += ' ';
    out_ += token;
  }
  void put(std::initializer_list<std::string_view> tokens) {
    for (const std::string_view t : tokens) put(t);
  }

  std::string_view name() {
    return one_of({"a", "b", "A1", "_x", "region_", "T", "in_", "size", "shape", "x9", "endloops",
                   "relu", "NMU", "variants", "conformance", "MUST"});
  }
  std::string string() {
    return std::string(
        one_of({"\"\"", "\"a\"", "\"a # b\"", "\"q\\\"q\"", "\"\\n\\t\\\\\"", "\"{};\""}));
  }
  std::string integer() {
    switch (below(6)) {
      case 0: return "9223372036854775807";
      case 1: return "4294967296";
      case 2: return "007";
      default: return std::to_string(below(300));
    }
  }
  void primary(unsigned depth) {
    switch (below(depth == 0 ? 5 : 8)) {
      case 0:
      case 1: return put(integer());
      case 2: return put(one_of({"1.5", "0.00001", "2.50e+3", "1.0e-300", "1.0e22", "00.10"}));
      case 3:
      case 4: return put(name());
      case 5: return put("-"), primary(depth - 1);
      default: put("("), expression(depth - 1), put(")");
    }
  }
  void expression(unsigned depth) {
    primary(depth);
    while (chance(35)) {
      put(one_of({"+", "-", "*", "/", "mod"}));
      primary(depth);
    }
  }
  void list(unsigned depth) {
    put("[");
    for (unsigned i = below(4); i-- > 0;) {
      value(depth);
      if (i != 0 || chance(10)) put(",");
    }
    put("]");
  }
  void expressions() {
    put("[");
    for (unsigned i = below(4); i-- > 0;) {
      expression(1);
      if (i != 0 || chance(10)) put(",");
    }
    put("]");
  }
  void value(unsigned depth) {
    switch (below(depth == 0 ? 5 : 7)) {
      case 0: return put(string());
      case 5: return list(depth - 1);
      default: return expression(depth);
    }
  }
  void names() {
    for (unsigned i = 1 + below(3); i-- > 0;) {
      put(name());
      if (i != 0) put(",");
    }
  }
  void decorators() {
    while (chance(25)) {
      put({"@", one_of({"readonly", "materialized", "resource", "debug", "profile", "other", "in",
                        "memmove", "loop"})});
      if (chance(50)) continue;
      put("(");
      if (chance(40)) {
        put({one_of({"NMU", "CSTL", "sDMA"}), "["});
        expression(1);
        put("]");
      } else {
        value(1);
        while (chance(30)) put(","), value(1);
      }
      put(")");
    }
  }
  template <class Print>
  void shuffled(std::vector<int> parts, std::string_view between, Print print) {
    for (std::size_t i = parts.size(); i > 1; --i)
      std::swap(parts[i - 1], parts[below(static_cast<unsigned>(i))]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i != 0 && !between.empty()) put(between);
      print(parts[i]);
    }
  }
  void quant() {
    const unsigned form = below(3);
    put({"quant", "=", form == 0 ? "per_tensor" : form == 1 ? "per_channel" : "per_group", "("});
    std::vector<int> fields = form == 0 ? std::vector<int>{2, 3} : std::vector<int>{0, 4, 5};
    if (form == 2) fields.push_back(1);
    shuffled(fields, ",", [this](int field) {
      put({tessera::nem::quant_field_names[field], "="});
      if (field < 4)
        expression(1);
      else
        list(1);
    });
    put(")");
  }
  void types() {
    std::vector<int> parts = {1};
    if (chance(70)) parts.push_back(2 + static_cast<int>(below(2)));
    if (chance(30)) parts.push_back(4);
    put({"elem", "=", one_of({"i4", "i8", "f16", "bf16", "f32", "bool"}), ","});
    shuffled(parts, ",", [this](int part) {
      if (part == 2)
        put({"layout", "=", one_of({"NHWC", "C", "in", "endloop", "L2", "layout"})});
      else if (part == 4)
        quant();
      else
        put({part == 1 ? "shape" : "strides", "="}), expressions();
    });
  }
  void region() {
    put({"region", "(", name(), ","});
    expression(2);
    put(",");
    expression(2);
    const unsigned form = below(3);
    if (form == 0) put(","), types();
    put(")");
    if (form == 1) types();
  }
  void operand() {
    if (chance(60))
      put(name());
    else
      region();
    decorators();
  }
  void mode() { put({".", one_of({"async", "sync"})}); }
  void attributes() {
    std::set<std::string_view> used;
    const auto one = [&] {
      const std::string_view word = one_of({"pads", "strides", "axis", "mode", "zeta", "alpha",
                                            "groups", "op", "beta", "dilations", "accum_type"});
      if (!used.insert(word).second) return;
      put({word, "="});
      if (chance(10))
        put(one_of({"true", "f16", "edge"}));
      else
        value(2);
    };
    while (chance(60)) {
      if (chance(15) && used.insert("deps").second) {
        put({"deps", "=", "["});
        if (chance(60)) names();
        put("]");
      } else if (chance(10)) {
        put({"attrs", "=", "{"});
        while (chance(60)) one();
        put("}");
      } else {
        one();
      }
    }
  }
  void task() {
    if (chance(10)) {
      put({"wait", "("}), names(), put(")"), decorators();
      return;
    }
    if (chance(70)) put({name(), "="});
    if (chance(50)) {
      put(one_of({"transfer", "store"}));
      mode();
      put("(");
      std::vector<int> parts = {0, 1};
      if (chance(40)) parts.push_back(2);
      shuffled(parts, ",", [this](int part) {
        if (part == 2) {
          put({"deps", "=", "["});
          if (chance(70)) names();
          put("]");
        } else {
          put({part == 0 ? "dst" : "src", "="}), operand();
        }
      });
      put(")");
    } else {
      put(one_of({"conv2d", "relu", "pad", "compute", "foo"}));
      mode();
      put("in"), operand();
      while (chance(40)) put(","), operand();
      put("out"), operand();
      while (chance(15)) put(","), operand();
      attributes();
    }
    decorators();
  }
  void statements(unsigned most) {
    for (unsigned i = below(most); i-- > 0;) {
      if (chance(15)) put(";");
      switch (below(8)) {
        case 0: put({"const", name(), "="}), expression(3); break;
        case 1:
          put({"let", name(), "="});
          if (chance(50))
            value(3);
          else
            region(), decorators();
          break;
        case 2: put({name(), "="}), region(), decorators(); break;
        case 3:
          put({"buffer", name(), ":", one_of({"DDR", "L2", "L1"})});
          if (out_.back() == '1' && chance(50)) put("["), expression(1), put("]");
          put("(");
          shuffled(chance(50) ? std::vector<int>{0} : std::vector<int>{0, 1}, ",", [this](int p) {
            put({p == 0 ? "size" : "align", "="}), expression(1);
          });
          put(")");
          decorators();
          break;
        case 4:
          if (loops_ > 3) break;
          put({"loop", name(), "in", "["}), expression(1), put(".."), expression(1), put("]");
          decorators();
          put(":");
          ++loops_;
          statements(4);
          --loops_;
          put("endloop");
          break;
        default: task();
      }
      if (chance(10)) put(";");
    }
  }

  void elements() {
    put(one_of({"i8", "f16"}));
    while (chance(40)) put({",", one_of({"i16", "f32", "bf16"})});
  }
  void family() {
    put({"type_family", "f"});
    if (chance(50)) put({".", "g"});
    if (chance(50)) {
      put({"<", "T", ":", "{"}), elements(), put("}");
      if (chance(30)) put({",", "U", ":", "{"}), elements(), put("}");
      put(">");
    }
    put("{");
    while (chance(60)) {
      if (chance(60)) {
        put({one_of({"X", "W", "Y"}), ":", one_of({"T", "i8", "absent"})});
      } else {
        put({one_of({"accum", "quant"}), "=", one_of({"f32", "required", "absent"})});
        if (chance(20)) put({"on", "W"});
      }
    }
    put({"variants", ":"});
    while (chance(60)) {
      put({one_of({"no_bias", "default", "other"}), ":", "{"});
      while (chance(40)) put({"B", ":", one_of({"T", "absent", "i32"})});
      put({"}", "conformance", ":", "{"});
      while (chance(60)) {
        put(one_of({"MUST", "MAY"}));
        if (chance(70)) put("<"), elements(), put(">");
      }
      put("}");
    }
    put("}");
  }
  void number(std::string_view word) { put({word, "=", "64"}); }
  void device() {
    put({"device", "dev"});
    if (chance(50)) put({"extends", "base"});
    put("{");
    std::vector<int> parts;
    for (int p = 0; p < 5; ++p)
      if (chance(60)) parts.push_back(p);
    shuffled(parts, "", [this](int part) {
      switch (part) {
        case 0: put({"spec_version", "="}), put(string()); break;
        case 1: topology(); break;
        case 2:
          put({"unit_characteristics", "{"});
          if (chance(70)) put({"SEQ", "{"}), number("max_active_tokens"), put("}");
          if (chance(70)) put({"NMU", "{"}), number("b_macs"), number("a_macs"), put("}");
          put("}");
          break;
        default:
          put({"opcode", ".", part == 3 ? "mandatory" : "extended", "{"});
          while (chance(60)) {
            put(one_of({"gemm", "cast", "opcode"}));
            if (chance(50)) put({".", "float"});
            if (chance(50)) put("<"), elements(), put(">");
            put({".", one_of({"no_bias", "default"})});
          }
          put("}");
      }
    });
    put("}");
  }
  void topology() {
    put({"topology", "{"});
    shuffled({0, 1, 2, 3}, "", [this](int part) {
      switch (part) {
        case 0: return number("num_engines");
        case 1: put({"l2_size_bytes", "="}); return expression(2);
        case 2: put({"device_units", "{"}), number("sDMA"), put("}"); return;
        default:
          put({"per_engine", "{"});
          shuffled({0, 1, 2}, "", [this](int p) {
            number(p == 0 ? "NMU" : p == 1 ? "CSTL" : "l1_size_bytes");
          });
          put("}");
      }
    });
    put("}");
  }

  std::mt19937 random_;
  unsigned comments_, count_ = 0, loops_ = 0;
  std::string out_;
};

}  // namespace tests

#endif  // TESSERA_TESTS_NEM_GENERATOR_HPP
