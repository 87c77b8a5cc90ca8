// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Node streams: bytes and base64, both ways, and what is refused.

#include <tessera/core/bytes.hpp>
#include <tessera/genome.hpp>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/guard_page.hpp"

using namespace tessera;

namespace {

struct expected_node {
  unsigned a, b;
  int c;
  std::vector<std::int32_t> d;
};

void require_nodes(const genome::stream& s, const std::vector<expected_node>& expected) {
  REQUIRE(s.size() == expected.size());
  const genome::stream_view v = s;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("node " << i);
    CHECK(unsigned{s.nodes[i].a} == expected[i].a);
    CHECK(unsigned{s.nodes[i].b} == expected[i].b);
    CHECK(int{s.nodes[i].c} == expected[i].c);
    const view<std::int32_t> d = v.inputs_of(i);
    CHECK(std::vector<std::int32_t>(d.begin(), d.end()) == expected[i].d);
  }
}

[[nodiscard]] std::string bytes_of(std::initializer_list<unsigned> values) {
  std::string out;
  for (const unsigned v : values) out.push_back(static_cast<char>(v));
  return out;
}

[[nodiscard]] error error_of(std::string_view source, const limits& limit = {}) {
  return genome::read(as_bytes(source), {.limit = limit}).error();
}
[[nodiscard]] error base64_error(std::string_view source, const limits& limit = {}) {
  return genome::read_base64(source, {.limit = limit}).error();
}

// Streams of the original tools, with what their nodes say.
struct known_stream {
  std::string_view base64;
  std::vector<expected_node> nodes;
};
const known_stream known_streams[] = {
    {"AgEAAAAFAQDUADQLAAACAAAAAQQBAAABAAI=",
     {{2, 1, 0, {}}, {5, 1, 212, {}}, {52, 11, 0, {0, 1}}, {4, 1, 0, {2}}}},
    {"EAoAEwARCgAUAQAA", {{16, 10, 19, {}}, {17, 10, 20, {0}}}},
    {"FwoANwH//TcKADAB//8XCgA3Af/8NwoAMAH//xcKADcB//s3CgAwAf//EQoAFAH/+xEKABQB//wYCv/lAf//NQsAAAL//"
     "f//",
     {{23, 10, 55, {-3}},
      {55, 10, 48, {-1}},
      {23, 10, 55, {-4}},
      {55, 10, 48, {-1}},
      {23, 10, 55, {-5}},
      {55, 10, 48, {-1}},
      {17, 10, 20, {-5}},
      {17, 10, 20, {-4}},
      {24, 10, -27, {-1}},
      {53, 11, 0, {-3, -1}}}},
};

}  // namespace

TEST_CASE("genome/read: streams of the original tools, both ways", "[genome]") {
  for (const known_stream& k : known_streams) {
    INFO(k.base64);
    const result<genome::stream> s = genome::read_base64(k.base64);
    REQUIRE(s);
    require_nodes(*s, k.nodes);
    const result<text> again = genome::write_base64(*s);
    REQUIRE(again);
    CHECK(again->view() == k.base64);
    const result<pool<std::byte>> raw = genome::write(*s);
    REQUIRE(raw);
    const result<genome::stream> same = genome::read({raw->data(), raw->size()});
    REQUIRE(same);
    CHECK(*same == *s);
  }
}

TEST_CASE("genome/read: commands take their fields from the bytes", "[genome]") {
  SECTION("a COPY of four inputs") {
    const auto s = genome::read(as_bytes(bytes_of({7, 2, 0, 4, 2, 0, 1, 0, 0})));
    REQUIRE(s);
    require_nodes(*s, {{7, 2, 4, {1, 0}}});
    CHECK(genome::stream_view(*s).references(0).empty());
  }
  SECTION("a PATTERN: its id is in B and the upper byte of C") {
    const auto s = genome::read(as_bytes(bytes_of({6, 12, 3, 0, 1, 0, 16})));
    REQUIRE(s);
    CHECK(s->nodes[0].pattern_id() == 3 * 256 + 12);
    const auto high = genome::read(as_bytes(bytes_of({6, 0xff, 0xff, 0, 0})));
    REQUIRE(high);
    CHECK(high->nodes[0].pattern_id() == 65535);
  }
  SECTION("an IF: lengths, then references") {
    const auto s = genome::read(as_bytes(bytes_of({8, 1, 0, 0, 4, 0, 2, 0, 1, 0, 5, 0, 3})));
    REQUIRE(s);
    require_nodes(*s, {{8, 1, 0, {2, 1, 5, 3}}});
    const view<std::int32_t> r = genome::stream_view(*s).references(0);
    CHECK(std::vector<std::int32_t>(r.begin(), r.end()) == std::vector<std::int32_t>{5, 3});
  }
  SECTION("a group: -(C + 1)") {
    const auto s = genome::read(as_bytes(bytes_of({20, 10, 0xff, 0xf5, 0})));
    REQUIRE(s);
    CHECK(s->nodes[0].has_group());
    CHECK(s->nodes[0].group_id() == 10);
  }
  SECTION("a stream without nodes") {
    const auto s = genome::read(bytes{});
    REQUIRE(s);
    CHECK(s->size() == 0);
  }
}

TEST_CASE("genome/read: a node that isn't whole", "[genome]") {
  const std::string two = bytes_of({2, 1, 0, 0, 0, 52, 11, 0, 0, 2, 0, 0, 0, 1});
  tessera_tests::guard_page memory(two.size());
  for (std::size_t size = 0; size <= two.size(); ++size) {
    INFO(size << " bytes");
    const error e =
        genome::read(memory.place(as_bytes(std::string_view(two).substr(0, size)))).error();
    if (size == 0 || size == 5 || size == two.size())
      CHECK(e == error{});
    else
      CHECK(e == error{errc::genome_node_truncated, size < 5 ? 0u : 5u});
  }
}

TEST_CASE("genome/read: base64 that isn't", "[genome]") {
  CHECK(base64_error("") == error{});
  CHECK(base64_error("AgEAAAA=") == error{});
  CHECK(base64_error(" \r\n\tAgEAAAA=\n") == error{});
  CHECK(base64_error("AgEAA*A=") == error{errc::genome_base64_character, 5});
  CHECK(base64_error("AgEA\nAAA=") == error{errc::genome_base64_character, 4});
  CHECK(base64_error("AgEAAA-_") == error{errc::genome_base64_character, 6});
  CHECK(base64_error("AgEAAAA") == error{errc::genome_base64_end, 4});
  CHECK(base64_error("AgEAAAA=AgEAAAA=") == error{errc::genome_base64_end, 4});
  CHECK(base64_error("AgEAAA==") == error{errc::genome_node_truncated, 0});
  CHECK(base64_error("AgEAAAB=") == error{errc::genome_base64_end, 4});  // bits after the last byte
  CHECK(base64_error("A===") == error{errc::genome_base64_end, 0});
  CHECK(base64_error("====") == error{errc::genome_base64_end, 0});
  CHECK(base64_error("  AgEAAAACAQAA") == error{errc::genome_node_truncated, 2 + 4});
}

TEST_CASE("genome/read: encodings are recognised, and can be forced", "[genome]") {
  const std::string_view base64 = "AgEAAAAFAQDUADQLAAACAAAAAQQBAAABAAI=";
  const auto expected = genome::read_base64(base64);
  REQUIRE(expected);
  const auto raw = genome::write(*expected);
  REQUIRE(raw);
  const bytes stored(raw->data(), raw->size());
  CHECK(genome::detect(base64) == genome::encoding::base64);
  CHECK(genome::detect(stored) == genome::encoding::bytes);
  CHECK(genome::detect("") == genome::encoding::bytes);
  CHECK(genome::detect(" \n") == genome::encoding::bytes);
  CHECK(genome::detect("\tAgEA AAA=\n") == genome::encoding::bytes);
  CHECK(genome::detect("\tAgEAAAA=\n") == genome::encoding::base64);
  const auto is_expected = [&](const result<genome::stream>& s) { return s && *s == *expected; };
  CHECK(is_expected(genome::read(base64)));
  CHECK(is_expected(genome::read(stored)));
  CHECK(is_expected(genome::read("  " + std::string(base64) + "\r\n")));
  CHECK(is_expected(genome::read(stored, {.encoding = genome::encoding::bytes})));
  CHECK(genome::read(stored, {.encoding = genome::encoding::base64}).error() ==
        error{errc::genome_base64_character, 0});
  CHECK(genome::read(base64, {.encoding = genome::encoding::bytes}).error() ==
        error{errc::genome_node_truncated, 0});

  const auto characters = genome::write(*expected, {.encoding = genome::encoding::base64});
  REQUIRE(characters);
  CHECK(as_text({characters->data(), characters->size()}) == base64);
}

TEST_CASE("genome/describe: an error in a stream names its node", "[genome]") {
  const auto shown = [](std::string_view source, std::uint64_t offset) {
    const text t = describe(error{errc::genome_reference, offset}, as_bytes(source), "s.bin");
    const std::string all(t.view());
    const std::size_t start = all.find("] at ") + 5;
    return all.substr(start, all.find('\n', start) - start);
  };
  // Two inputs, and an operation on both that is cut short.
  const std::string source = bytes_of({2, 1, 0, 0, 0, 2, 1, 0, 0, 0, 52, 11, 0, 0, 2, 0, 0, 0});
  CHECK(shown(source, 0) == "node 0, offset 0 (0x0)");
  CHECK(shown(source, 7) == "node 1, offset 7 (0x7)");
  CHECK(shown(source, 14) == "node 2, offset 14 (0xe)");
  CHECK(shown(source, 15) == "node 2, input 0, offset 15 (0xf)");
  CHECK(shown(source, 17) == "node 2, input 1, offset 17 (0x11)");
  CHECK(shown(source, 18) == "offset 18 (0x12)");  // the end
  CHECK(shown("AgEAAAA=", 4) == "offset 4 (0x4)");
  CHECK(shown(R"({"patterns": {}})", 12) == "offset 12 (0xc)");
}

TEST_CASE("genome/read: limits at n and n + 1", "[genome]") {
  const std::string three = bytes_of({2, 1, 0, 0, 0, 2, 1, 0, 0, 0, 52, 11, 0, 0, 2, 0, 0, 0, 1});
  CHECK(error_of(three, {.max_bytes = 19}) == error{});
  CHECK(error_of(three, {.max_bytes = 18}) == error{errc::input_too_large, 18});
  CHECK(error_of(three, {.max_items = 3}) == error{});
  CHECK(error_of(three, {.max_items = 2}) == error{errc::too_many_items, 10});
  const std::string inputs = bytes_of({52, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0});
  CHECK(error_of(inputs, {.max_items = 3}) == error{});
  CHECK(error_of(inputs, {.max_items = 2}) == error{errc::too_many_items, 0});
  CHECK(base64_error("AgEAAAA=", {.max_bytes = 8}) == error{});
  CHECK(base64_error("AgEAAAA=", {.max_bytes = 7}) == error{errc::input_too_large, 7});
}

TEST_CASE("genome/read: memory is within the stated bound", "[genome]") {
  std::string small, large;
  for (int i = 0; i < 20000; ++i) small += bytes_of({2, 1, 0, 0, 0});
  for (int i = 0; i < 200; ++i) large += bytes_of({52, 1, 0, 0, 255}) + std::string(510, '\0');
  for (const std::string& source : {small, large}) {
    const tessera_tests::allocations used;
    const auto s = genome::read(as_bytes(source));
    REQUIRE(s);
    CHECK(used.peak() <= source.size() * 32 / 10 + 64);
  }
}

TEST_CASE("genome/write: what the format can't hold is refused before the first byte", "[genome]") {
  const auto code_of = [](std::int32_t d) {
    genome::stream s;
    s.add({.a = 2, .b = 1}, {});
    s.add({.a = 52, .b = 10}, {d});
    return genome::write(s).error();
  };
  CHECK(code_of(32767) == error{});
  CHECK(code_of(32768) == error{errc::genome_reference_range, 1});
  CHECK(code_of(-32768) == error{});
  CHECK(code_of(-32769) == error{errc::genome_reference_range, 1});

  genome::stream many;
  pool<std::int32_t> d;
  d.resize(255);
  many.add({.a = 52, .b = 1}, d);
  CHECK(genome::write(many).error() == error{});
  d.resize(256);
  many.add({.a = 52, .b = 1}, d);
  CHECK(genome::write(many).error() == error{errc::genome_node_inputs, 1});
  CHECK(genome::write_base64(many).error() == error{errc::genome_node_inputs, 1});
}
