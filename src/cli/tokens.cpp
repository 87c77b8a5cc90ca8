// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera tokens`: the ids of texts, or the texts of ids, by the tokenizer of a container.

#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <tessera/core/json_write.hpp>
#include <vector>

#include "nac_values.hpp"
#include "tool.hpp"
#include "vm/tokenizer/tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nac;

namespace {

struct token_options {
  std::string file;
  std::vector<std::string> words;
  bool decode = false, keep_special = false, json = false;
};

class token_printer {
 public:
  token_printer(const token_options& o, const source& file, const nac::model& m)
      : options_(o), to_{o.file, o.json}, file_(file), tokens_(m) {}

  [[nodiscard]] exit_code run() {
    if (const vn::trouble& why = tokens_.made(); !why) return fail(why);
    if (options_.decode && !options_.words.empty()) {  // one list
      std::string line;
      for (const std::string& word : options_.words)
        line.append(line.empty() ? "" : " ").append(word);
      return decode(line);
    }
    for (const std::string& word : options_.words)
      if (const exit_code code = encode(word); code != success) return code;
    if (!options_.words.empty()) return success;
    if (options_.file == "-")
      return usage_error("tokens", "standard input can be read only once; give a TEXT");
    busy_line::stop();
    for (std::string line; std::getline(std::cin, line);)
      if (const exit_code code = options_.decode ? decode(line) : encode(line); code != success)
        return code;
    return success;
  }

 private:
  [[nodiscard]] exit_code fail(const vn::trouble& why) const {
    diagnostic d = diagnose(file_.name, error{why.code}.name(), message_of(why.code, why.text));
    add_place(d, "");
    return to_.fail(d, bad_input, file_.what);
  }

  [[nodiscard]] exit_code encode(std::string_view line) const {
    std::vector<std::int32_t> ids;
    if (const vn::trouble why = tokens_.encode(line, ids); !why) return fail(why);
    text out;
    if (options_.json) {
      json::writer w(out);
      w.begin_object().key("text").string(json_name(line)).key("ids").begin_array();
      for (const std::int32_t id : ids) w.integer(id);
      w.end().key("tokens").begin_array();
      for (const std::int32_t id : ids) {
        const std::optional<std::string_view> token = tokens_.token_of(id);
        if (token)
          w.string(json_name(*token));
        else
          w.null();
      }
      w.end().end();
    } else {
      for (std::size_t i = 0; i < ids.size(); ++i) out << (i == 0 ? "" : " ") << ids[i];
    }
    out << '\n';
    return print_result(out);
  }

  [[nodiscard]] exit_code decode(std::string_view line) const {
    std::vector<std::int64_t> ids;
    while (!line.empty()) {
      const std::string_view word = line.substr(0, line.find_first_of(" ,\t"));
      line.remove_prefix(std::min(word.size() + 1, line.size()));
      if (word.empty()) continue;
      std::int64_t id = 0;
      const auto [at, code] = std::from_chars(word.data(), word.data() + word.size(), id);
      if (at != word.data() + word.size() || code != std::errc{})
        return usage_error("tokens", "'" + shown_name(word) + "' isn't an id; expected integers");
      ids.push_back(id);
    }
    std::string made;
    if (const vn::trouble why = tokens_.decode(ids, made, options_.keep_special); !why)
      return fail(why);
    text out;
    if (options_.json) {
      json::writer w(out);
      w.begin_object().key("ids").begin_array();
      for (const std::int64_t id : ids) w.integer(id);
      w.end().key("text").string(json_name(made)).end();
      out << '\n';
      return print_result(out);
    }
    out << made << '\n';
    return print_result(out);
  }

  const token_options& options_;
  reporting to_;
  const source& file_;
  vn::tokenizer tokens_;
};

}  // namespace

void add_tokens(const command& app, action& run) {
  const auto o = std::make_shared<token_options>();
  const command verb = app.verb("tokens");
  verb.bind("FILE", o->file);
  verb.bind("TEXT", o->words);
  verb.bind("--decode", o->decode);
  verb.bind("--keep-special", o->keep_special);
  verb.bind("--json", o->json);
  verb.callback([o, &run] {
    run = [o] {
      const reporting to{o->file, o->json};
      return with_file(to, "tokens", {.nac = [&](const source& file) {
                         const nac_outcome in = read_nac(file, to);
                         return in.file ? token_printer(*o, file, *in.file).run() : in.code;
                       }});
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
