// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A server of the Language Server Protocol 3.17 for NEM, as a function of two streams.
//
//   cli::lsp_options options;
//   options.device = "npu.nem:npu_c2";              // as --device
//   return cli::serve_lsp(in, out, options);        // until `exit`, or the end of the input
//
// What it answers is a table in lsp_server.cpp: diagnostics, hover, definition, references, highlights,
// completion, symbols, formatting, quick fixes, inlay hints, semantic tokens.
//
//   exit code       0 after `shutdown` and `exit`, else 1
//   positions       UTF-16; UTF-8 or UTF-32 where the client prefers it
//   cancellation    of requests that haven't begun: those that are read are looked through first
//   malformed       answered with the codes of JSON-RPC; the session goes on where the next message can
//                   be found
//
// Documents are checked when no message is waiting, so that one who types fast isn't waited for. While
// one is typed, long loops are checked in part; what is opened or saved is checked as `check` does.
//
// Lifetime:   of the call.
// Errors:     the exit code.
// Limits:     lsp_options; verification as verify_options has it. Documents beyond max_document are
//             neither kept nor checked.
// Allocation: the open documents and the files that they include, several times over.

#ifndef TESSERA_CLI_LSP_HPP
#define TESSERA_CLI_LSP_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// The options of `tessera lsp`, or `initializationOptions`, whose members have the names in brackets.
struct lsp_options {
  std::string device;                        ///< as --device ["device"]
  std::string devices;                       ///< a folder, as --devices ["devices"]
  std::string profile = "default";           ///< as --profile ["profile"]
  std::vector<std::string> include_folders;  ///< as --include ["include"]
  bool includes_anywhere = false;  ///< as --allow-includes-anywhere ["allowIncludesAnywhere"]
  bool reads_files = true;         ///< else there are only those that are open
  std::uint64_t max_message = std::uint64_t{1} << 26;   ///< bytes
  std::uint64_t max_document = std::uint64_t{1} << 24;  ///< bytes
  std::uint32_t max_documents = 1000;
  std::uint64_t max_open = std::uint64_t{1} << 28;  ///< bytes of all documents, when one is opened
  std::uint64_t max_included = std::uint64_t{1} << 28;  ///< bytes of the files that they include
};

/// Where messages come from.
class lsp_input {
 public:
  virtual ~lsp_input() = default;
  /// Up to `size` bytes, at least one; 0 at the end.
  [[nodiscard]] virtual std::size_t read(char* to, std::size_t size) = 0;
  /// Whether read() returns at once.
  [[nodiscard]] virtual bool is_waiting() = 0;
};
/// Where answers go.
class lsp_output {
 public:
  virtual ~lsp_output() = default;
  /// False where nobody reads any more.
  [[nodiscard]] virtual bool write(std::string_view bytes) = 0;
};

/// Serves one client; returns the exit code.
[[nodiscard]] int serve_lsp(lsp_input& in, lsp_output& out, const lsp_options& options);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_LSP_HPP
