// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Messages of the Language Server Protocol: frames with headers, and JSON-RPC 2.0 in them.
//
//   frame_reader in(input, max_bytes);
//   for (frame f; (f = in.next()).kind != frame::end;) {
//     const message m(std::move(f.content));
//     if (m.error != 0) …                               // no JSON-RPC: a code to answer with
//     m.text(field::uri);                               // "" where there is none
//   }
//   out << framed(content);
//
// Lifetime:   a message owns its text.
// Errors:     frames of the kind `malformed` say what is wrong; errors of messages are JSON-RPC's.
// Limits:     frame_reader: max_bytes for a message, 4 KiB for a header line, 64 lines.
// Allocation: the message, and 64 KiB.

#ifndef TESSERA_CLI_LSP_TRANSPORT_HPP
#define TESSERA_CLI_LSP_TRANSPORT_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lsp.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

// The codes of JSON-RPC and of the protocol.
inline constexpr int parse_error = -32700, invalid_request = -32600, method_not_found = -32601,
                     invalid_params = -32602, server_not_initialized = -32002,
                     request_failed = -32803, request_cancelled = -32800;

struct frame {
  enum kind_type : std::uint8_t { message, malformed, end } kind = end;
  std::string content;  ///< or what is wrong
};

class frame_reader {
 public:
  frame_reader(lsp_input& in, std::uint64_t max_bytes) : in_(in), max_(max_bytes) {}

  /// The next message; waits for it.
  [[nodiscard]] frame next();
  /// Whether there is something to read now.
  [[nodiscard]] bool is_waiting();

 private:
  struct headers {
    std::uint64_t length = 0;
    bool has_length = false, is_huge = false;
    std::string wrong;
  };
  [[nodiscard]] bool fill();
  /// False at the end of the input. A line that is too long is cut, and `is_whole` false.
  [[nodiscard]] bool line(std::string& to, bool& is_whole);
  static void add(headers& to, std::string_view line);
  [[nodiscard]] bool skip(std::uint64_t count);

  lsp_input& in_;
  std::uint64_t max_;
  std::string buffer_;
  std::size_t at_ = 0;
};

/// The members of messages that somebody asks for, in the order of their paths.
enum class field : std::uint8_t {
  id,
  jsonrpc,
  method,
  encodings,
  action_literals,
  snippets,
  hierarchical,
  hover_formats,
  labels_in_definitions,
  changes,
  include_declaration,
  only,
  cancelled_id,
  anywhere,
  device,
  devices,
  include,
  profile,
  character,
  line,
  last_character,
  last_line,
  first_character,
  first_line,
  root_path,
  root_uri,
  saved_text,
  text,
  uri,
  version,
  folders,
  count
};

struct position {
  std::uint32_t line = 0, character = 0;
};
struct text_change {
  bool has_range = false;
  position first, last;
  std::string text;
};

/// A message of the client.
class message {
 public:
  explicit message(std::string json);

  int error = 0;             ///< a code, where it is none
  std::string why;           ///< what is wrong then
  std::string id;            ///< as JSON; empty for a notification
  std::string method;        ///< empty for a response
  bool is_response = false;  ///< to a request of ours

  [[nodiscard]] std::size_t size() const noexcept { return json_.size(); }
  [[nodiscard]] bool has(field f) const noexcept { return !json_of(f).empty(); }
  [[nodiscard]] std::string text(field f) const;
  /// Whether it is `true`.
  [[nodiscard]] bool is_true(field f) const noexcept { return json_of(f).starts_with("true"); }
  /// An integer from 0 on, larger ones cut; false where there is none.
  [[nodiscard]] bool number(field f, std::uint32_t& to) const;
  /// Likewise, with its sign.
  [[nodiscard]] std::int64_t integer(field f, std::int64_t otherwise) const;
  [[nodiscard]] bool place(field line, field character, position& to) const;
  /// The strings of an array.
  [[nodiscard]] std::vector<std::string> texts(field f) const;
  /// The "uri" of the objects of an array.
  [[nodiscard]] std::vector<std::string> uris(field f) const;
  /// Of textDocument/didChange; false where they aren't as they should be.
  [[nodiscard]] bool changes(std::vector<text_change>& to) const;
  /// The value as JSON, empty where there is none.
  [[nodiscard]] std::string id_of(field f) const;

 private:
  /// The text from the value on.
  [[nodiscard]] std::string_view json_of(field f) const noexcept;
  [[nodiscard]] bool check();
  void fail(int code, std::string text);

  std::string json_;
  std::array<std::uint64_t, static_cast<std::size_t>(field::count)> offsets_ = {};
};

/// A content with its header.
[[nodiscard]] tessera::text framed(std::string_view content);

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_LSP_TRANSPORT_HPP
