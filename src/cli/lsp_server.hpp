// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One session of the language server: its documents, and the methods that it answers.
//
//   lsp::server s(in, out, options);
//   return s.run();
//
//   lsp_server.cpp        the session: life cycle, documents, findings, the table of methods
//   lsp_navigate.cpp      definition, references, highlights, symbols
//   lsp_hover.cpp         hover, inlay hints
//   lsp_complete.cpp      completion
//   lsp_edit.cpp          formatting, quick fixes
//   lsp_words.cpp         words of a text, semantic tokens
//
// Lifetime:   of the session.
// Errors:     answers; the exit code.
// Limits:     lsp_options.
// Allocation: documents, and each answer.

#ifndef TESSERA_CLI_LSP_SERVER_HPP
#define TESSERA_CLI_LSP_SERVER_HPP

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lsp.hpp"
#include "lsp_document.hpp"
#include "lsp_transport.hpp"
#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

/// Why a request fails; code 0: it doesn't.
struct failure {
  int code = 0;
  std::string why;
};

/// A place in some file, with the text that says what its offsets mean.
struct file_place {
  std::string uri;
  const source_text* text = nullptr;
  std::uint64_t offset = 0, length = 0;
};

class server {
 public:
  server(lsp_input& in, lsp_output& out, const lsp_options& options)
      : frames_(in, options.max_message), out_(out), files_(options) {}

  [[nodiscard]] int run();

 private:
  enum class state : std::uint8_t { fresh, running, shut_down, ended };
  using request_handler = failure (server::*)(const message& m, json::writer& to);
  using notification_handler = void (server::*)(const message& m);
  struct method_row {
    std::string_view name;
    request_handler answer;    ///< of a request
    notification_handler act;  ///< of a notification
  };
  static const method_row methods[];

  // --- messages ---

  struct pending {
    message what;
    bool is_cancelled = false;
  };
  [[nodiscard]] bool read();
  void take(frame&& f);
  void dispatch(const pending& p);
  void answer(const message& m, request_handler handler);
  void send(std::string_view content);
  void send_error(std::string_view id, int code, std::string_view why);
  void notify(std::string_view method, std::string_view params);
  /// Says that a document isn't kept, and why.
  void show_unchecked(std::string_view uri, std::string_view why);
  [[nodiscard]] static const method_row* find(std::string_view method) noexcept;

  // --- the session ---

  [[nodiscard]] failure initialize(const message& m, json::writer& to);
  [[nodiscard]] failure shutdown(const message& m, json::writer& to);
  void write_capabilities(json::writer& to) const;
  void read_options(const message& m);
  void ignore(const message&) {}
  void exit(const message& m);
  void did_open(const message& m);
  void did_change(const message& m);
  void did_close(const message& m);
  void did_save(const message& m);
  void files_changed(const message& m);
  /// All documents are checked anew: a file that they include may have changed.
  void forget_all();

  // --- findings ---

  void publish_all();
  void publish(document& d);
  void write_finding(json::writer& to, document& d, const tessera::report& found,
                     const diagnostic& x);
  void write_related(json::writer& to, document& d, const tessera::report& found, const place& at,
                     std::string_view text);
  /// A finding of the server's own, at the beginning.
  static void write_remark(json::writer& to, int severity, std::string_view text);
  /// Where a place of a report is.
  [[nodiscard]] file_place place_of(document& d, const tessera::report& found, const place& at);
  /// Where a file is included, directly or not: the include that leads to it, or the first.
  [[nodiscard]] place include_of(document& d, std::uint32_t file) const;

  // --- what requests share ---

  /// The document that a message is about, or null and `why`.
  [[nodiscard]] document* find_document(const message& m, failure& why);
  /// Likewise, with the offset of its position.
  [[nodiscard]] document* find_place(const message& m, std::uint32_t& offset, failure& why);
  void write_range(json::writer& to, const source_text& text, std::uint64_t first,
                   std::uint64_t last) const;
  void write_position(json::writer& to, const source_text& text, std::uint64_t offset) const;
  void write_location(json::writer& to, const file_place& at) const;
  /// The range of a request, or all.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> range_of(const message& m,
                                                                 const document& d) const;

  // --- navigation ---

  /// A file with its names: a document, or one that is included.
  struct named_file {
    std::string uri;
    document* open = nullptr;
    std::unique_ptr<source_text> text;  ///< of one that isn't open
    std::unique_ptr<nem::model> model;
    std::unique_ptr<inspect::nem_symbols> symbols;

    [[nodiscard]] const source_text& source() const {
      return open != nullptr ? open->text() : *text;
    }
    [[nodiscard]] const nem::model& d() const { return open != nullptr ? open->model() : *model; }
    [[nodiscard]] const inspect::nem_symbols& names() const {
      return open != nullptr ? open->symbols() : *symbols;
    }
  };
  /// The document, the files that it includes and, where asked for, the other documents.
  [[nodiscard]] std::vector<named_file> files_around(document& d, bool with_others);
  [[nodiscard]] std::vector<file_place> places_of(document& d, const inspect::nem_name& n,
                                                  bool declarations, bool uses);
  /// The include or device file at an offset, or no_node.
  [[nodiscard]] static std::uint32_t file_at(document& d, std::uint32_t offset);
  [[nodiscard]] std::optional<file_place> file_of(document& d, std::uint32_t node);
  [[nodiscard]] failure definition(const message& m, json::writer& to);
  [[nodiscard]] failure references(const message& m, json::writer& to);
  [[nodiscard]] failure highlights(const message& m, json::writer& to);
  [[nodiscard]] failure symbols(const message& m, json::writer& to);
  void write_symbol(json::writer& to, document& d, std::uint32_t node, std::string_view within,
                    bool is_flat);

  // --- the rest ---

  [[nodiscard]] failure hover(const message& m, json::writer& to);
  [[nodiscard]] std::string describe_devices(document& d);
  [[nodiscard]] failure inlay_hints(const message& m, json::writer& to);
  [[nodiscard]] failure completion(const message& m, json::writer& to);
  [[nodiscard]] failure formatting(const message& m, json::writer& to);
  [[nodiscard]] failure actions(const message& m, json::writer& to);
  [[nodiscard]] failure tokens(const message& m, json::writer& to);
  [[nodiscard]] failure tokens_of_range(const message& m, json::writer& to);
  void write_tokens(json::writer& to, document& d, std::uint32_t first, std::uint32_t last);

  /// Texts of files that aren't open, for the places of one answer.
  std::vector<std::unique_ptr<source_text>> kept_;

  frame_reader frames_;
  lsp_output& out_;
  file_table files_;
  state state_ = state::fresh;
  bool was_shut_down_ = false, is_broken_ = false;
  std::deque<pending> queue_;
  std::size_t queued_ = 0;  ///< bytes
  std::map<std::string, std::unique_ptr<document>, std::less<>> documents_;
  // What the client can do:
  encoding encoding_ = encoding::utf16;
  bool has_markdown_ = true, has_snippets_ = false, has_hierarchy_ = false, has_actions_ = false,
       has_related_ = false;
};

/// What an attribute's value looks like: "INTEGER".
[[nodiscard]] std::string_view value_of(nem::attribute a) noexcept;
/// A text as JSON needs it.
[[nodiscard]] std::string utf8(std::string_view s);

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_LSP_SERVER_HPP
