// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "inspect/chrome_trace.hpp"

#include "support/catch.hpp"

namespace {

using tessera::text;

}  // namespace

TEST_CASE("nac_tools/chrome_trace: an event a line", "[inspect_nac]") {
  text out;
  tessera::inspect::chrome_trace trace(out);
  trace.name_process(1, "a \"model\"");
  trace.name_thread(1, 2, "core");
  trace.span(1, 2, 0.5, 12.25, {"v3 nac.add", "instruction"},
             {{"arguments", "v1, v2"}, {"bytes", UINT64_MAX}, {"i", std::int64_t{-1}}});
  trace.instant(1, 2, 13, {"free v1", {}});
  trace.counter(1, 12.75, "live memory", "bytes", 4096);
  trace.finish();
  CHECK(
      out.view() ==
      "{\"traceEvents\":[\n"
      R"({"ph":"M","pid":1,"tid":0,"ts":0.0,"name":"process_name","args":{"name":"a \"model\""}},)"
      "\n"
      R"({"ph":"M","pid":1,"tid":2,"ts":0.0,"name":"thread_name","args":{"name":"core"}},)"
      "\n"
      R"({"ph":"X","pid":1,"tid":2,"ts":0.5,"name":"v3 nac.add","cat":"instruction","dur":12.25,"args":{"arguments":"v1, v2","bytes":18446744073709551615,"i":-1}},)"
      "\n"
      R"({"ph":"i","pid":1,"tid":2,"ts":13.0,"name":"free v1","s":"t"},)"
      "\n"
      R"({"ph":"C","pid":1,"tid":0,"ts":12.75,"name":"live memory","args":{"bytes":4096}})"
      "\n],\"displayTimeUnit\":\"ns\"}\n");
}

TEST_CASE("nac_tools/chrome_trace: one without events is JSON too", "[inspect_nac]") {
  text out;
  tessera::inspect::chrome_trace trace(out);
  trace.finish();
  CHECK(out.view() == "{\"traceEvents\":[\n],\"displayTimeUnit\":\"ns\"}\n");
}
