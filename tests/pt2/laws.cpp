// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What holds for every archive: prefixes, flipped bytes, memory, archives of others.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <algorithm>

#include "support/allocations.hpp"
#include "support/guard_page.hpp"

using namespace tessera;

TEST_CASE("pt2/laws: every proper prefix is an error with an offset inside", "[pt2]") {
  for (const char* const name : {"two", "branches"}) {
    const std::string source = pt2_samples::source_of(name);
    tessera_tests::guard_page memory(source.size());
    for (std::size_t size = 0; size < source.size(); ++size) {
      const std::string_view prefix = memory.place(std::string_view(source).substr(0, size));
      const auto m = pt2::read(prefix);
      if (m || m.error().code == errc::ok || m.error().offset > size) {
        INFO(name << " of " << size);
        REQUIRE_FALSE(m);
        REQUIRE(m.error().offset <= size);
      }
    }
  }
}

TEST_CASE("pt2/laws: any one changed byte is refused, or the archive can be written", "[pt2]") {
  const std::string source = pt2_samples::source_of("two");
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < source.size(); ++at)
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string s = source;
      s[at] ^= change;
      auto m = pt2::read(s);
      if (!m) {
        if (m.error().offset <= s.size() && m.error().code != errc::ok) continue;
        INFO("byte " << at);
        REQUIRE(m.error().offset <= s.size());
      }
      ++accepted;
      (void)pt2::print(*m);
      (void)pt2::write(*m);
      (void)pt2::verify(std::move(*m));
    }
  // Payloads, padding, sample inputs, times and attributes.
  CHECK(accepted < source.size() * 3 / 2);
}

TEST_CASE("pt2/laws: any one changed byte of the program's JSON is refused, or is a program",
          "[pt2]") {
  pt2_samples::archive a = pt2_samples::open("two");
  std::string& json = a.at(pt2_samples::program_json).content;
  const std::string original = json;
  for (std::size_t at = 0; at < original.size(); at += 3) {
    json[at] = original[at] == 'x' ? '"' : 'x';
    const std::string source = a.zip();
    json[at] = original[at];
    auto m = pt2::read(source);
    if (!m) {
      CHECK(m.error().offset <= source.size());
      continue;
    }
    (void)pt2::print(*m);
    report found;
    const auto p = pt2::verify(std::move(*m), {}, &found);
    CHECK(static_cast<bool>(p) == (found.errors == 0));
    if (!p) CHECK(p.error().offset <= source.size());
  }
}

TEST_CASE("pt2/laws: weights take no memory, the rest a multiple of the JSON", "[pt2]") {
  pt2_samples::archive a = pt2_samples::open("two");
  a.at("data/weights/weight_0").content.resize(std::size_t{8} << 20);
  const std::string source = a.zip();
  const std::size_t json = a.at(pt2_samples::program_json).content.size();
  {
    const tessera_tests::allocations used;
    const auto m = pt2::read(source);
    REQUIRE(m);
    CHECK(used.peak() <= 3 * json + 65536);
  }
  // The worst JSON: lists whose elements take two bytes and a comma.
  std::string list = "[\"\"";
  for (int i = 0; i < 20000; ++i) list += ",\"\"";
  a.at("data/weights/weight_0").content.resize(12);
  a.replace(pt2_samples::program_json, R"({"as_tensor": {"name": "p_w"}}, "kind")",
            R"({"as_strings": )" + list + R"(]}, "kind")");
  const std::string worst = a.zip();
  const std::size_t size = a.at(pt2_samples::program_json).content.size();
  const tessera_tests::allocations used;
  const auto m = pt2::read(worst);
  REQUIRE(m);
  CHECK(used.peak() <= 100 * size + 65536);
}

TEST_CASE("pt2/laws: lists are limited", "[pt2]") {
  const std::string source = pt2_samples::source_of("tree");
  CHECK(pt2::read(source, {.limit = {.max_depth = 10}}).error().code == errc::json_depth);
  CHECK(pt2::read(source, {.limit = {.max_depth = 11}}));
  pt2_samples::archive a = pt2_samples::open("two");
  const std::string json = a.at(pt2_samples::program_json).content;
  const std::string plain = a.zip();
  CHECK(pt2::read(plain, {.limit = {.max_bytes = json.size()}}));
  CHECK(pt2::read(plain, {.limit = {.max_bytes = json.size() - 1}}).error() ==
        error(errc::input_too_large, a.data_of(pt2_samples::program_json)));
}

TEST_CASE("pt2/laws: archives of others are written as they were", "[pt2]") {
  std::error_code absent;
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(TESSERA_SAMPLES_DIR "/pt2", absent)) {
    if (file.path().extension() != ".pt2") continue;
    INFO(file.path().filename().string());
    const std::string source = pt2_samples::load(file.path());
    auto m = pt2::read(source);
    REQUIRE(m);
    const auto out = pt2::write(*m);
    REQUIRE(out);
    const std::string_view written = pt2_samples::text_of({out->data(), out->size()});
    if (m->container == pt2::container_kind::raw) {
      CHECK(written == source);
    } else {  // of earlier versions: in the container of later ones, which is a fixpoint
      const auto again = pt2::read(written);
      REQUIRE(again);
      CHECK(again->container == pt2::container_kind::raw);
      const auto same = pt2::write(*again);
      REQUIRE(same);
      CHECK((*same == *out));
    }
    report found;
    CHECK(pt2::verify(std::move(*m), {}, &found));
    CHECK(found.diagnostics.empty());
    ++count;
  }
  if (count == 0) WARN("the folder of samples is absent");
}
