// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Streams that verbs below `tessera genome` write.

#ifndef TESSERA_CLI_GENOME_OUTPUT_HPP
#define TESSERA_CLI_GENOME_OUTPUT_HPP

#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// What is wrong with what was made of the inputs, and has no place in any of them.
[[nodiscard]] exit_code fail_made(error e, const reporting& to);

/// All streams of a set, over a library, in its patterns; tells the first that fails.
[[nodiscard]] exit_code compress_streams(std::vector<genome::stream>& streams,
                                         const genome::library& in,
                                         view<genome::pattern_result> results, unsigned threads,
                                         const reporting& to);

/// Two results: no first one where a file can't be made for the second.
[[nodiscard]] exit_code write_results(const std::string& path, bytes data,
                                      const std::string& second_path, bytes second);

/// {"name": "base64", ...}, a line for each.
[[nodiscard]] result<text> write_signatures(const stream_set& set);

/// Streams as a file holds them.
class encoded_streams {
 public:
  /// In the form that the file's name asks for; else it has been told.
  [[nodiscard]] exit_code encode(const stream_set& set, const std::string& path,
                                 std::string_view verb, const reporting& to);
  [[nodiscard]] bytes data() const noexcept {
    return raw_.empty() ? as_bytes(text_) : bytes(raw_.data(), raw_.size());
  }

 private:
  text text_;
  pool<std::byte> raw_;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_GENOME_OUTPUT_HPP
