// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the fuzz targets share: laws that end the program when they don't hold, laws whose turn comes
// with a part of the inputs, and inputs in memory of exactly their size.
//
//   fuzz::require(m.error().offset <= size, "an error's offset is at most the length");
//   const fuzz::exact prefix(source.substr(0, fuzz::below(source, source.size())));
//   fuzz::turns turn(source);
//   if (turn.one_in(8)) check_prefix(source);

#ifndef TESSERA_FUZZ_REQUIRE_HPP
#define TESSERA_FUZZ_REQUIRE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/report.hpp>

#include "tests/support/guard_page.hpp"

#define TESSERA_FUZZ_CHECKS_ADDRESSES 0
#if defined(__SANITIZE_ADDRESS__) || defined(TESSERA_FUZZ_PLAIN_COPIES)
#undef TESSERA_FUZZ_CHECKS_ADDRESSES
#define TESSERA_FUZZ_CHECKS_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef TESSERA_FUZZ_CHECKS_ADDRESSES
#define TESSERA_FUZZ_CHECKS_ADDRESSES 1
#endif
#endif

namespace fuzz {

/// Set by the driver while allocations fail: what a law is about may be an error then.
inline bool lacks_memory = false;
/// Set by a target whose input is allocated for differently from run to run: times are written, or a thread
/// takes some of the work.
inline thread_local bool depends_on_time = false;

/// Ends the program, naming the law, unless it holds.
inline void require(bool holds, const char* law) {
  if (holds) return;
  if (lacks_memory) throw std::bad_alloc();
  std::fprintf(stderr, "law broken: %s\n", law);
  std::abort();
}

/// The same for an error: that it is one, and that its offset is within the source.
inline void require_error(tessera::error e, std::size_t size) {
  require(e.code != tessera::errc::ok, "what isn't a value is an error");
  require(e.offset <= size, "an error's offset is at most the length of the source");
}

/// That a report of a source holds what verify() returned, within the source, and can be described.
/// `first` is the error, or ok where the source is valid.
inline void require_report(const tessera::report& found, tessera::error first,
                           const tessera::source_file& source) {
  require((found.errors != 0) == (first.code != tessera::errc::ok),
          "a report has errors where there is no program");
  std::uint64_t kept = 0;
  bool has_first = first.code == tessera::errc::ok;
  for (const tessera::diagnostic& d : found.diagnostics) {
    kept += d.severity == tessera::severity::error;
    require(d.code != tessera::errc::ok, "a diagnostic has a code");
    if (d.where.index == tessera::error_index::none && d.where.file == 0)
      require(d.where.offset <= source.text.size(), "a diagnostic is in the source");
    require(!found.text_of(d.text).empty(), "a diagnostic has a message");
    if (!has_first && d.severity == tessera::severity::error) {
      require(tessera::error(d.code, d.where.offset) == first,
              "the first error of a report is the one that is returned");
      has_first = true;
    }
  }
  require(kept <= found.errors, "a report counts what it keeps");
  if (!found.diagnostics.empty())
    require(!describe(found, {&source, 1}).empty(), "every report can be described");
}

/// A copy in memory of exactly its size, so that a sanitizer sees the first byte read too far; without
/// one the bytes end at a guarded page.
class exact {
 public:
  explicit exact(std::string_view content)
#if TESSERA_FUZZ_CHECKS_ADDRESSES
      : data_(new char[content.size()]), text_(data_.get(), content.size()) {
    if (!content.empty()) std::memcpy(data_.get(), content.data(), content.size());
  }
#else
      : data_(content.size()), text_(data_.place(content)) {
  }
#endif
  explicit exact(tessera::bytes content) : exact(tessera::as_text(content)) {}
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] tessera::bytes bytes() const noexcept { return tessera::as_bytes(text_); }

 private:
#if TESSERA_FUZZ_CHECKS_ADDRESSES
  std::unique_ptr<char[]> data_;
#else
  tessera_tests::guard_page data_;
#endif
  std::string_view text_;
};

#if defined(__clang__)
#define TESSERA_FUZZ_UNWATCHED __attribute__((no_sanitize("address", "coverage")))
#else
#define TESSERA_FUZZ_UNWATCHED
#endif

/// FNV-1a.
[[nodiscard]] TESSERA_FUZZ_UNWATCHED inline std::uint64_t hash(std::string_view content) {
  std::uint64_t h = 0xcbf29ce484222325u;
  const char* const end = content.data() + content.size();
  for (const char* at = content.data(); at != end; ++at)
    h = (h ^ static_cast<unsigned char>(*at)) * 0x100000001b3u;
  return h ^ h >> 32;
}

/// A number below `end` (0 when that is 0) that depends on all of the content and on nothing else.
[[nodiscard]] inline std::size_t below(std::string_view content, std::size_t end) {
  return end == 0 ? 0 : static_cast<std::size_t>(hash(content) % end);
}

/// Set where files are replayed: by the driver, and of libFuzzer with -runs=0 or the file of a crash.
inline bool checks_all = false;

/// Which laws an input has to keep: what takes long is checked of a part of the inputs, which part depends
/// on their content and on the law's place in the target; and of all that are replayed.
class turns {
 public:
  explicit turns(std::string_view content) : state_(hash(content)) {}
  [[nodiscard]] TESSERA_FUZZ_UNWATCHED bool one_in(std::uint64_t count) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % count == 0 || checks_all;
  }

 private:
  std::uint64_t state_;
};

/// The input of a target as text.
[[nodiscard]] inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_REQUIRE_HPP
