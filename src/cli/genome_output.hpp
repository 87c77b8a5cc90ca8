// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The streams that `tessera genome` writes.

#ifndef TESSERA_CLI_GENOME_OUTPUT_HPP
#define TESSERA_CLI_GENOME_OUTPUT_HPP

#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// Reports an error of a result that has no place in the inputs.
[[nodiscard]] exit_code fail_made(error e, const reporting& to);

/// How streams are compressed.
struct compression_options {
  view<genome::pattern_result> results = {};
  unsigned threads = 0;
  bool extend = false;  ///< the registry grows by patterns of one node that pay
};
/// Compresses flat streams by the patterns of their registry; reports the first error.
[[nodiscard]] exit_code compress_streams(stream_set& set, const compression_options& how,
                                         const reporting& to);

/// {"name": "base64", ...}, one stream per line.
[[nodiscard]] result<text> write_signatures(const stream_set& set);

/// Streams, encoded for a file.
class encoded_streams {
 public:
  /// Encodes in the form of the file's name; reports errors.
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
