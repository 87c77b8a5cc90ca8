// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A trace in Chrome's JSON format, for Perfetto and chrome://tracing.
//
//   text out;
//   inspect::chrome_trace trace(out);
//   trace.name_process(1, "NAC machine");
//   trace.name_thread(1, 1, "instructions");
//   trace.span(1, 1, 0.5, 12.25, {"v3 nac.add", "instruction"}, {{"index", 3u}});  // microseconds
//   trace.counter(1, 12.75, "live memory", "bytes", 4096);
//   trace.finish();
//
// One event per line.
//
// Lifetime:   borrows the text.
// Errors:     none: what isn't UTF-8 in names becomes U+FFFD.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_INSPECT_CHROME_TRACE_HPP
#define TESSERA_INSPECT_CHROME_TRACE_HPP

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>

#include "tessera/core/json_write.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

class chrome_trace {
 public:
  struct argument {
    std::string_view key;
    std::variant<std::string_view, std::uint64_t, std::int64_t> value;
  };
  using arguments = std::initializer_list<argument>;
  /// What viewers show on an event, and the category that they can filter by; it may be empty.
  struct title {
    std::string_view name, category;
  };

  explicit chrome_trace(text& out) : out_(out) { out_ << "{\"traceEvents\":["; }

  void name_process(std::uint32_t process, std::string_view name) {
    metadata("process_name", process, 0, name);
  }
  void name_thread(std::uint32_t process, std::uint32_t thread, std::string_view name) {
    metadata("thread_name", process, thread, name);
  }
  /// An event with a duration; times are microseconds.
  void span(std::uint32_t process, std::uint32_t thread, double start, double duration, title what,
            arguments more = {});
  /// Likewise, with any number of arguments.
  void span_with(std::uint32_t process, std::uint32_t thread, double start, double duration,
                 title what, std::span<const argument> more);
  /// An event without a duration.
  void instant(std::uint32_t process, std::uint32_t thread, double at, title what,
               arguments more = {});
  /// The value of a counter from this time on.
  void counter(std::uint32_t process, double at, std::string_view name, std::string_view unit,
               std::uint64_t value);
  /// Ends the JSON, with metadata for the whole trace.
  void finish(arguments more = {});

 private:
  void metadata(std::string_view what, std::uint32_t process, std::uint32_t thread,
                std::string_view name);
  [[nodiscard]] json::writer begin(char phase, std::uint32_t process, std::uint32_t thread,
                                   double at, title what);
  static void write(json::writer& w, std::span<const argument> more);
  static void end(json::writer& w, std::span<const argument> more);

  text& out_;
  bool first_ = true;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_CHROME_TRACE_HPP
