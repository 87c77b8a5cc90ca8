// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Laws of json::reader that hold for every text: it returns, it never reads past the end, and the
// offset of an error is no more than the length.

#include <array>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/core/json.hpp>
#include <vector>

#include "../support/catch.hpp"
#include "../support/guard_page.hpp"

using namespace tessera;
using tessera_tests::guard_page;

namespace {

constexpr std::string_view documents[] = {
    R"({"a":[1,-2.5e+10,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":{},"d":[]}})",
    "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",[0.125,[[]],{\"\":{\"\":\"\"}}]]",
    "\xEF\xBB\xBF { \"k\" : [ 1 , 2 ] ,\n\t\"\\u006b2\" : -0.0e-7 }",
    R"({"model":[[2,1],[0,0],[5],[0],[false],[[-1,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0]],-1,-1,null],)"
    R"("meta":"ALIRModel","spec_version":2})",
    R"("a string \\ with \"quotes\" and \/")",
    "[18446744073709551615,123456789012345678901234567890e-20,0]",
    "false",
};

error read(std::string_view source) {
  json::reader in(source);
  (void)in.skip();
  return in.finish();
}

/// Reads by methods that rarely fit the text, until the first error or the end.
error read_by_turns(std::string_view source, unsigned turn) {
  json::reader in(source);
  bool above = false;
  for (unsigned step = 0; step < 64 && !in.failed() && in.peek() != json::kind::none; ++step) {
    switch ((turn + step) % 13) {
      case 0: in.array(); break;
      case 1: (void)in.element(); break;
      case 2: in.object(); break;
      case 3: (void)in.skip(); break;
      case 4: (void)in.int64(); break;
      case 5: (void)in.uint64(); break;
      case 6: (void)in.int64_pattern(above); break;
      case 7: (void)in.number(); break;
      case 8: (void)in.boolean(); break;
      case 9: in.null(); break;
      case 10: (void)in.string(); break;
      case 11: (void)in.offset(); break;
      default: (void)in.int32(); break;
    }
  }
  return in.finish();
}

}  // namespace

TEST_CASE("json/total: every proper prefix is an error within its length", "[core]") {
  for (const std::string_view document : documents) {
    CAPTURE(document);
    guard_page memory(document.size());
    CHECK(read(memory.place(document)) == error{});
    for (std::size_t size = 0; size < document.size(); ++size) {
      const error e = read(memory.place(document.substr(0, size)));
      CAPTURE(size, e);
      CHECK(e.code != errc::ok);
      CHECK(e.offset <= size);
    }
  }
}

TEST_CASE("json/total: a valid text ends where it ends for all that may follow", "[core]") {
  for (const std::string_view document : documents) {
    const std::string more = std::string(document) + "]";
    CHECK(read(more) == error{errc::json_trailing_bytes, document.size()});
  }
}

TEST_CASE("json/total: any changed byte is accepted or refused within the length", "[core]") {
  unsigned beyond = 0;
  for (const std::string_view document : documents) {
    guard_page memory(document.size());
    for (std::size_t i = 0; i < document.size(); ++i)
      for (const char c : std::string_view("\0\n \"\\u,:[]{}-0.e\x7f\x80\xc3\xed\xf4\xff", 22)) {
        std::string changed(document);
        changed[i] = c;
        const error e = read(memory.place(changed));
        if (e.offset > document.size()) ++beyond;
      }
  }
  CHECK(beyond == 0);
}

TEST_CASE("json/total: whatever is called, nothing past the end is read", "[core]") {
  unsigned beyond = 0;
  for (const std::string_view document : documents) {
    guard_page memory(document.size());
    for (std::size_t size = 0; size <= document.size(); ++size)
      for (unsigned turn = 0; turn < 13; ++turn)
        if (read_by_turns(memory.place(document.substr(0, size)), turn).offset > size) ++beyond;
    for (std::size_t first = 0; first < document.size(); ++first)
      for (unsigned turn = 0; turn < 13; ++turn)
        if (read_by_turns(memory.place(document.substr(first)), turn).offset >
            document.size() - first)
          ++beyond;
  }
  CHECK(beyond == 0);
}

TEST_CASE("json/total: path and describe take any offset into any text", "[core]") {
  std::vector<std::string> sources(std::begin(documents), std::end(documents));
  for (const std::string_view document : documents) {  // broken ones too
    sources.emplace_back(document.substr(0, document.size() * 2 / 3));
    sources.emplace_back(document.substr(document.size() / 3));
    sources.push_back(std::string(document) + std::string(document));
  }
  sources.emplace_back("");
  sources.emplace_back("{");
  sources.emplace_back("[[[[[");
  sources.emplace_back("{\"a\":1,\"a\":[2]}");
  sources.push_back("[" + std::string(200, '\x80'));
  sources.push_back(std::string(200, '\xff').append("\n\n"));
  sources.push_back("[" + std::string(70, '[') + "1");
  sources.emplace_back("\xEF\xBB\xBF");
  unsigned wrong = 0;
  for (const std::string& source : sources) {
    guard_page memory(source.size());
    const std::string_view placed = memory.place(source);
    for (std::uint64_t offset = 0; offset <= source.size() + 2; ++offset) {
      const text path = json::path(placed, offset);
      if (path.view().substr(0, 1) != "$") ++wrong;
      const text t = describe(error{errc::json_bad_utf8, offset}, placed);
      if (t.view().substr(0, 8) != "<input>:" || t.view().substr(t.size() - 2) != "^\n") ++wrong;
      const text b = describe(error{errc::json_bad_utf8, offset}, as_bytes(placed));
      if (b.view().substr(b.size() - 2) != "^\n") ++wrong;
      const limits small{.max_bytes = offset, .max_depth = 2};
      const text cut = json::path(placed, offset, small);
      if (cut.view().substr(0, 1) != "$") ++wrong;
    }
  }
  CHECK(wrong == 0);
}
