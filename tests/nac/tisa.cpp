// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tokenizer's manifest: known ones both ways, every payload, every code with its offset, text.

#include "nac/support.hpp"
#include "support/allocations.hpp"

using namespace tessera;
using namespace nac_tests;
using nac::compose_item;
using nac::partition_rule;
using nac::tokenizer_op;

namespace {

using buffer = std::vector<std::byte>;

[[nodiscard]] buffer copy_of(bytes b) { return {b.begin(), b.end()}; }

[[nodiscard]] std::string printed(const buffer& manifest) {
  text out;
  nac::print_manifest(out, manifest);
  return std::string(out.view());
}

[[nodiscard]] buffer parsed(std::string_view source) {
  nac::parts p;
  nac::detail::lexer in(source);
  CAPTURE(std::string(source));
  const bool ok = nac::detail::parse_manifest(in, p);
  CHECK(in.error().message() == error{}.message());
  REQUIRE(ok);
  CHECK(p.has_manifest);
  return copy_of(p.data_of(p.manifest));
}

/// A manifest of instructions in hex, after its magic.
[[nodiscard]] buffer manifest(std::string_view instructions) {
  return from_hex("5449534101" + std::string(instructions));
}

void check_manifest(const buffer& expected, const nac::manifest_writer& w,
                    const std::string& lines) {
  CHECK(w.error() == error{});
  CHECK(copy_of(w.view()) == expected);
  CHECK(nac::verify_manifest(expected, 0) == error{});
  CHECK(printed(expected) == lines);
  CHECK(parsed(lines) == expected);
}

constexpr std::string_view bpe_rules =
    "105500000002000103003c733e004a0027737c27747c2772657c2776657c276d7c276c6c7c27647c203f5c707b4c7d"
    "2b7c203f5c707b4e7d2b7c203f5b5e5c735c707b4c7d5c707b4e7d5d2b7c5c732b283f215c53297c5c732b";
constexpr std::string_view gpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace

TEST_CASE("nac/tisa: a WordPiece manifest", "[nac]") {
  nac::manifest_writer w;
  w.replace("\t", " ");
  const std::string_view categories[] = {"Cc", "Cf"};
  w.filter_category({categories, 2});
  w.lowercase();
  const partition_rule rules[] = {
      {partition_rule::has_behaviour, partition_rule::remove, "\\s+"},
      {partition_rule::protects, 0, "(?: ?)\\[CLS\\]"},
      {partition_rule::has_behaviour, partition_rule::isolate, "\\p{P}"}};
  w.partition_rules({rules, 3});
  w.wordpiece_encode("##");
  const compose_item items[] = {{compose_item::token, "[CLS]"}, {}, {compose_item::id, {}, 2}};
  w.compose({items, 3});
  check_manifest(
      from_hex(
          "544953410103060000000100090100200407000000020243630243660100000000102200000003000203"
          "005c732b01010d00283f3a203f295c5b434c535c5d0205005c707b507d022103000000022323301000"
          "0000030100055b434c535d00010102000000"),
      w,
      "  version 1\n"
      "  replace \"\\t\", \" \"\n"
      "  filter_category \"Cc\", \"Cf\"\n"
      "  lowercase\n"
      "  partition_rules\n"
      "    rule \"\\\\s+\" remove\n"
      "    rule \"(?: ?)\\\\[CLS\\\\]\" protected\n"
      "    rule \"\\\\p{P}\" isolate\n"
      "  wordpiece_encode \"##\"\n"
      "  compose \"[CLS]\", ids, 2\n");
}

TEST_CASE("nac/tisa: BPE manifests, of version 1.6, of later ones, and with a suffix", "[nac]") {
  const partition_rule rules[] = {{partition_rule::protects, 0, "<s>"}, {0, 0, gpt2}};
  const std::string head =
      "  version 1\n  partition_rules\n    rule \"<s>\" protected\n"
      "    rule \"'s|'t|'re|'ve|'m|'ll|'d| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+"
      "|\\\\s+(?!\\\\S)|\\\\s+\"\n";
  const std::string in_hex(bpe_rules);
  {
    nac::manifest_writer w;
    w.partition_rules({rules, 2});
    w.byte_encode();
    w.bpe_encode();
    check_manifest(manifest(in_hex + "15000000002000000000"), w,
                   head + "  byte_encode\n  bpe_encode\n");
  }
  {
    nac::manifest_writer w;
    w.partition_rules({rules, 2});
    w.byte_encode();
    w.bpe_encode("");
    check_manifest(manifest(in_hex + "1500000000200100000000"), w,
                   head + "  byte_encode\n  bpe_encode \"\"\n");
  }
  {
    nac::manifest_writer w;
    w.partition_rules({rules, 2});
    w.bpe_encode("</w>");
    check_manifest(manifest(in_hex + "2005000000043c2f773e"), w, head + "  bpe_encode \"</w>\"\n");
  }
}

TEST_CASE("nac/tisa: a Unigram manifest", "[nac]") {
  nac::manifest_writer w;
  w.replace(" ", "\xe2\x96\x81");
  w.prepend("\xe2\x96\x81");
  const partition_rule rules[] = {
      {partition_rule::protects | partition_rule::has_trim, 0, "</s>", "\xe2\x96\x81"}};
  w.partition_rules({rules, 1});
  w.unigram_encode();
  const compose_item items[] = {{}, {compose_item::id, {}, 1}};
  w.compose({items, 2});
  check_manifest(from_hex("544953410103080000000100200300e2968107050000000300e29681100d000000010005"
                          "04003c2f733e03e29681220000000030080000000200010101000000"),
                 w,
                 "  version 1\n"
                 "  replace \" \", \"\xe2\x96\x81\"\n"
                 "  prepend \"\xe2\x96\x81\"\n"
                 "  partition_rules\n"
                 "    rule \"</s>\" protected trim \"\xe2\x96\x81\"\n"
                 "  unigram_encode\n"
                 "  compose ids, 1\n");
}

TEST_CASE("nac/tisa: every payload, read field by field", "[nac]") {
  const buffer source = manifest(
      "01 00000000"
      "02 04000000 03 4e4644"
      "03 07000000 0200 6162 0100 63"
      "04 07000000 02 02 4d6e 02 4366"
      "07 03000000 0100 78"
      "10 13000000 0300  07 0100 61 09 01 62  00 0000  06 0200 6364 02 00"
      "15 00000000"
      "20 02000000 01 77"
      "21 01000000 00"
      "22 00000000"
      "30 0c000000 03  01 00 01 7a  00  01 01 fdffffff");
  CHECK(nac::verify_manifest(source, 0) == error{});
  nac::manifest_reader in(source);
  CHECK(in.version() == 1);
  nac::tokenizer_instruction i;
  const auto next = [&](tokenizer_op op, std::uint64_t offset, std::size_t size) {
    REQUIRE(in.next(i));
    CHECK(i.op() == op);
    CHECK(i.offset == offset);
    CHECK(i.payload_offset() == offset + 5);
    CHECK(i.payload.size() == size);
  };
  next(tokenizer_op::lowercase, 5, 0);
  CHECK(i.first_string().empty());
  next(tokenizer_op::unicode_norm, 10, 4);
  CHECK(i.first_string() == "NFD");
  next(tokenizer_op::replace, 19, 7);
  CHECK(i.first_string() == "ab");
  CHECK(i.second_string() == "c");
  next(tokenizer_op::filter_category, 31, 7);
  {
    nac::category_reader list(i);
    std::string_view c;
    CHECK(list.size() == 2);
    REQUIRE(list.next(c));
    CHECK(c == "Mn");
    REQUIRE(list.next(c));
    CHECK(c == "Cf");
    CHECK_FALSE(list.next(c));
    CHECK(list.error() == error{});
    CHECK(list.at_end());
  }
  next(tokenizer_op::prepend, 43, 3);
  CHECK(i.first_string() == "x");
  next(tokenizer_op::partition_rules, 51, 19);
  {
    nac::rule_reader list(i);
    partition_rule r;
    CHECK(list.size() == 3);
    REQUIRE(list.next(r));
    CHECK(list.offset() == 58);
    CHECK(r.flags == 7);
    CHECK(r.expression == "a");
    CHECK(r.behaviour == 9);
    CHECK(r.trim == "b");
    REQUIRE(list.next(r));
    CHECK(r.flags == 0);
    CHECK(r.expression.empty());
    CHECK(r.behaviour == 0);
    CHECK(r.trim.empty());
    REQUIRE(list.next(r));
    CHECK(r.expression == "cd");
    CHECK(r.behaviour == partition_rule::isolate);
    CHECK_FALSE(list.next(r));
    CHECK(list.at_end());
  }
  next(tokenizer_op::byte_encode, 75, 0);
  next(tokenizer_op::bpe_encode, 80, 2);
  CHECK(i.first_string() == "w");
  next(tokenizer_op::wordpiece_encode, 87, 1);
  CHECK(i.first_string().empty());
  next(tokenizer_op::unigram_encode, 93, 0);
  next(tokenizer_op::compose, 98, 12);
  {
    nac::item_reader list(i);
    compose_item c;
    CHECK(list.size() == 3);
    REQUIRE(list.next(c));
    CHECK(c.kind == compose_item::token);
    CHECK(c.token_text == "z");
    REQUIRE(list.next(c));
    CHECK(c.kind == compose_item::ids);
    REQUIRE(list.next(c));
    CHECK(c.kind == compose_item::id);
    CHECK(c.number == -3);
    CHECK_FALSE(list.next(c));
  }
  CHECK_FALSE(in.next(i));
  CHECK(in.error() == error{});
  CHECK(in.offset() == source.size());
  CHECK(parsed(printed(source)) == source);
}

TEST_CASE("nac/tisa: the table", "[nac]") {
  const unsigned opcodes[] = {1, 2, 3, 4, 7, 0x10, 0x15, 0x20, 0x21, 0x22, 0x30};
  CHECK(std::size(nac::tokenizer_ops) == std::size(opcodes));
  unsigned known = 0;
  for (unsigned opcode = 0; opcode < 256; ++opcode)
    if (nac::tokenizer_row(static_cast<std::uint8_t>(opcode)) != nullptr) ++known;
  CHECK(known == std::size(opcodes));
  for (const unsigned opcode : opcodes)
    CHECK(nac::tokenizer_row(static_cast<std::uint8_t>(opcode)) != nullptr);
  CHECK(std::size(nac::general_categories) == 30);
}

TEST_CASE("nac/tisa: each code, where it is", "[nac]") {
  struct row {
    std::string_view hex;
    errc code;
    std::uint64_t offset;
  };
  const row rows[] = {
      {"", errc::nac_tisa_magic, 0},
      {"54495341", errc::nac_tisa_magic, 0},
      {"5449534201", errc::nac_tisa_magic, 0},
      {"5449534101 01", errc::nac_tisa_truncated, 6},
      {"5449534101 01000000", errc::nac_tisa_truncated, 6},
      {"5449534101 0100000000 0104000000 000000", errc::nac_tisa_truncated, 11},
      {"5449534101 07ffffffff 0000", errc::nac_tisa_truncated, 6},
      {"5449534101 0500000000", errc::nac_tisa_opcode, 5},
      {"5449534101 0100000000 0000000000", errc::nac_tisa_opcode, 10},
      {"5449534101 0200000000", errc::nac_tisa_payload_short, 10},
      {"5449534101 0203000000 03 4e46", errc::nac_tisa_payload_short, 10},
      {"5449534101 0303000000 0100 61", errc::nac_tisa_payload_short, 13},
      {"5449534101 0305000000 0100 61 0100", errc::nac_tisa_payload_short, 13},
      {"5449534101 0701000000 01", errc::nac_tisa_payload_short, 10},
      {"5449534101 0400000000", errc::nac_tisa_payload_short, 10},
      {"5449534101 0404000000 02 024d6e", errc::nac_tisa_payload_short, 14},
      {"5449534101 1001000000 00", errc::nac_tisa_payload_short, 10},
      {"5449534101 1005000000 0100 02 0000", errc::nac_tisa_payload_short, 15},
      {"5449534101 1006000000 0100 06 0000 01", errc::nac_tisa_payload_short, 16},
      {"5449534101 3002000000 01 01", errc::nac_tisa_payload_short, 12},
      {"5449534101 3006000000 01 0101 000000", errc::nac_tisa_payload_short, 13},
      {"5449534101 0101000000 00", errc::nac_tisa_payload_long, 10},
      {"5449534101 0205000000 03 4e4643 00", errc::nac_tisa_payload_long, 14},
      {"5449534101 0401000000 00 0402000000 00 00", errc::nac_tisa_payload_long, 17},
      {"5449534101 1003000000 0000 00", errc::nac_tisa_payload_long, 12},
      {"5449534101 1501000000 00", errc::nac_tisa_payload_long, 10},
      {"5449534101 1002000000 0000 2002000000 00 00", errc::nac_tisa_payload_long, 18},
      {"5449534101 3002000000 00 00", errc::nac_tisa_payload_long, 11},
      {"5449534101 0205000000 224e464322", errc::nac_tisa_json, 10},
      {"5449534101 0102000000 7b7d", errc::nac_tisa_json, 10},
      {"5449534101 0402000000 5b5d", errc::nac_tisa_json, 10},
      {"5449534101 0204000000 03 4e4645", errc::nac_tisa_normal_form, 11},
      {"5449534101 0201000000 00", errc::nac_tisa_normal_form, 11},
      {"5449534101 0407000000 02 024d6e 024d78", errc::nac_tisa_category, 15},
      {"5449534101 0403000000 01 014d", errc::nac_tisa_category, 12},
      {"5449534101 0703000000 0100 ff", errc::nac_tisa_utf8, 12},
      {"5449534101 0307000000 0100 61 0200 62c3", errc::nac_tisa_utf8, 16},
      {"5449534101 1006000000 0100 00 0100 80", errc::nac_tisa_utf8, 15},
      {"5449534101 1007000000 0100 04 0000 01 80", errc::nac_tisa_utf8, 16},
      {"5449534101 3005000000 01 0100 01 80", errc::nac_tisa_utf8, 14},
      {"5449534101 1002000000 0000 2102000000 01 80", errc::nac_tisa_utf8, 18},
      {"5449534101 1005000000 0100 08 0000", errc::nac_tisa_rule_flags, 12},
      {"5449534101 3002000000 01 02", errc::nac_tisa_item_kind, 11},
      {"5449534101 3003000000 01 01 02", errc::nac_tisa_item_kind, 11},
      {"5449534101 2000000000", errc::nac_tisa_partition, 5},
      {"5449534101 0100000000 2101000000 00", errc::nac_tisa_partition, 10},
      {"5449534101 2200000000 1002000000 0000", errc::nac_tisa_partition, 5},
  };
  for (const row& r : rows) {
    CAPTURE(std::string(r.hex));
    const buffer source = from_hex(r.hex);
    const error e = nac::verify_manifest(source, 1000);
    CHECK(e.name() == error{r.code}.name());
    CHECK(e.offset == 1000 + r.offset);
    CHECK(parsed(printed(source)) == source);
  }
}

TEST_CASE("nac/tisa: a report has every finding", "[nac]") {
  const buffer source = manifest("0200000000 7700000000 1005000000 0100 08 0000");
  tessera::report found;
  const error first = nac::verify_manifest(source, 1000, &found);
  CHECK(first == nac::verify_manifest(source, 1000));
  std::string rules;
  for (const tessera::diagnostic& d : found.diagnostics)
    rules += std::string(found.rule_of(d)) + ' ' + std::to_string(d.where.offset) + '\n';
  CHECK(rules == "nac_tisa_payload_short 1010\nnac_tisa_opcode 1010\nnac_tisa_rule_flags 1022\n");
  const std::string_view same = tessera::as_text(source);
  CHECK(nac::verify_manifest(same, 1000) == first);
  nac::manifest_reader in(same);
  nac::tokenizer_instruction i;
  CHECK(in.next(i));
}

TEST_CASE("nac/tisa: what is accepted", "[nac]") {
  for (const std::string_view hex : {
           "",                                       // nothing is done
           "3001000000 00",                          // nothing is composed
           "1002000000 0000 2200000000 2000000000",  // two encoders
           "1006000000 0100 02 0000 05",             // a behaviour without a meaning
           "1500000000 1002000000 0000",             // bytes before there are fragments
       }) {
    CAPTURE(std::string(hex));
    const buffer source = manifest(hex);
    CHECK(nac::verify_manifest(source, 0) == error{});
    CHECK(parsed(printed(source)) == source);
  }
  // No version byte is refused, and all are kept.
  CHECK(nac::verify_manifest(from_hex("54495341ff"), 0) == error{});
  CHECK(printed(from_hex("54495341ff")) == "  version 255\n");
  // A pattern of 123 bytes begins with the byte of a brace, and is no JSON.
  std::string long_pattern;
  for (int i = 0; i < 123; ++i) long_pattern += "61";
  CHECK(nac::verify_manifest(manifest("037f000000 7b00" + long_pattern + "0000"), 0) == error{});
}

TEST_CASE("nac/tisa: what the writer refuses", "[nac]") {
  const std::string of_255(255, 'a'), of_256(256, 'a'), of_65535(65535, 'a'), of_65536(65536, 'a');
  const auto code = [](auto&& write) {
    nac::manifest_writer w;
    w.lowercase();
    write(w);
    const error e = w.error();
    CHECK(e.offset == (e.code == errc::ok ? 0 : 1));
    return e.code;
  };
  using writer = nac::manifest_writer;
  CHECK(code([&](writer& w) { w.wordpiece_encode(of_255); }) == errc::ok);
  CHECK(code([&](writer& w) { w.wordpiece_encode(of_256); }) == errc::nac_tisa_string);
  CHECK(code([&](writer& w) { w.prepend(of_65535); }) == errc::ok);
  CHECK(code([&](writer& w) { w.prepend(of_65536); }) == errc::nac_tisa_string);
  CHECK(code([&](writer& w) { w.replace("", of_65536); }) == errc::nac_tisa_string);
  const std::vector<compose_item> items(256);
  CHECK(code([&](writer& w) { w.compose({items.data(), 255}); }) == errc::ok);
  CHECK(code([&](writer& w) { w.compose({items.data(), 256}); }) == errc::nac_tisa_list);
  const std::vector<std::string_view> categories(256, "Mn");
  CHECK(code([&](writer& w) { w.filter_category({categories.data(), 255}); }) == errc::ok);
  CHECK(code([&](writer& w) {
          w.filter_category({categories.data(), 256});
        }) == errc::nac_tisa_list);
  const std::vector<partition_rule> rules(65536);
  CHECK(code([&](writer& w) { w.partition_rules({rules.data(), 65535}); }) == errc::ok);
  CHECK(code([&](writer& w) { w.partition_rules({rules.data(), 65536}); }) == errc::nac_tisa_list);
  const partition_rule odd{8, 0, ""};
  CHECK(code([&](writer& w) { w.partition_rules({&odd, 1}); }) == errc::nac_tisa_rule_flags);

  nac::manifest_writer w(7);
  const buffer payload = from_hex("0102");
  w.raw(0x99, payload);
  CHECK(copy_of(w.view()) == from_hex("54495341079902000000 0102"));
  CHECK(printed(copy_of(w.view())) == "  version 7\n  op 153 0x0102\n");
}

TEST_CASE("nac/tisa_text: what a person may write", "[nac]") {
  CHECK(
      parsed("version 0x1 ; comment\n\n\nlowercase\nop 1\nop 0x63 0x00ff\nbytes 0x00\nend more") ==
      manifest("0100000000 0100000000 6302000000 00ff 00"));
  CHECK(
      parsed("version 1\npartition_rules\n\n ; two\nrule \"a\" protected behaviour 7 trim \"b\"\n\n"
             "rule \"\"\nunigram_encode") ==
      manifest("100c000000 0200 07 0100 61 07 01 62 00 0000 2200000000"));
  CHECK(parsed("").empty());
  CHECK(parsed("\nend").empty());
}

TEST_CASE("nac/tisa_text: each code, where it is", "[nac]") {
  const std::string long_marker = "wordpiece_encode \"" + std::string(256, 'a') + "\"";
  std::string many = "compose ids";
  for (int i = 0; i < 255; ++i) many += ",ids";
  struct row {
    std::string_view source;
    errc code;
    std::uint64_t offset;
  };
  const row rows[] = {
      {"uppercase", errc::nac_tisa_name, 0},
      {"lowercase\nrule \"a\"", errc::nac_tisa_name, 10},
      {"\"a\"", errc::nac_tisa_name, 0},
      {"lowercase 1", errc::nac_text_line_end, 10},
      {"version 256", errc::nac_text_range, 8},
      {"op 256", errc::nac_text_range, 3},
      {"op 1 2", errc::nac_hex, 5},
      {"bytes 0x1", errc::nac_hex, 6},
      {"unicode_norm NFC", errc::nac_text_string, 13},
      {"unicode_norm", errc::nac_text_string, 12},
      {"replace \"a\" \"b\"", errc::nac_text_mark, 12},
      {"replace \"a\"", errc::nac_text_mark, 11},
      {"filter_category \"Mn\" \"Cf\"", errc::nac_text_mark, 21},
      {"partition_rules\nrule a", errc::nac_text_string, 21},
      {"partition_rules\nrule \"a\" keep", errc::nac_tisa_rule, 25},
      {"partition_rules\nrule \"a\" remove protected", errc::nac_tisa_rule, 32},
      {"partition_rules\nrule \"a\" behaviour 256", errc::nac_text_range, 35},
      {"partition_rules rule \"a\"", errc::nac_text_line_end, 16},
      {"compose id", errc::nac_tisa_item, 8},
      {"compose 2147483648", errc::nac_text_range, 8},
      {"compose ids, ", errc::nac_tisa_item, 13},
      {many, errc::nac_tisa_list, many.size() - 3},
      {long_marker, errc::nac_tisa_string, 17},
      {"prepend \"\\q\"", errc::nac_text_escape, 10},
  };
  for (const row& r : rows) {
    CAPTURE(std::string(r.source));
    nac::parts p;
    nac::detail::lexer in(r.source);
    CHECK_FALSE(nac::detail::parse_manifest(in, p));
    CHECK(in.error().name() == error{r.code}.name());
    CHECK(in.error().offset == r.offset);
    CHECK_FALSE(p.has_manifest);
  }
}

TEST_CASE("nac/tisa_text: broken manifests read back byte for byte", "[nac]") {
  std::uint32_t state = 54321;
  const auto random = [&state](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (int round = 0; round < 3000; ++round) {
    buffer source = from_hex("5449534101");
    if (random(20) == 0) source[random(5)] = std::byte{0};
    // Instructions of random payloads, mostly of small numbers, and something cut short at last.
    for (std::uint32_t n = random(4); n != 0; --n) {
      const std::uint32_t size = random(14);
      source.push_back(static_cast<std::byte>(
          random(8) == 0 ? random(256)
                         : static_cast<std::uint32_t>(nac::tokenizer_ops[random(11)].op)));
      source.push_back(static_cast<std::byte>(size));
      source.insert(source.end(), 3, std::byte{0});
      for (std::uint32_t i = 0; i < size; ++i)
        source.push_back(static_cast<std::byte>(random(8) == 0 ? random(256) : random(4)));
    }
    for (std::uint32_t n = random(3) == 0 ? random(40) : 0; n != 0; --n)
      source.push_back(static_cast<std::byte>(random(256)));
    const std::string out = printed(source);
    const buffer back = parsed(out);
    if (back != source) {
      CAPTURE(out);
      REQUIRE(back == source);
    }
    const error e = nac::verify_manifest(source, 0);
    CHECK(e.offset <= source.size());
  }
}

TEST_CASE("nac/tisa: memory within the stated multiples", "[nac]") {
  for (const char* line : {"op 1\n", "lowercase\n", "version 1\n", "bytes 0xffffffffffffffff\n"}) {
    // Sizes between one power of two and the next, since pools double.
    for (std::size_t n = 1000; n <= 2000; n += 125) {
      CAPTURE(line, n);
      std::string source;
      for (std::size_t i = 0; i < n; ++i) source += line;
      const tessera_tests::allocations used;
      {
        nac::parts p;
        nac::detail::lexer in(source);
        REQUIRE(nac::detail::parse_manifest(in, p));
      }
      CHECK(used.peak() <= 8 * source.size() + 1024);
      CHECK(used.live() == 0);
    }
  }
  const buffer known = manifest("1002000000 0000 2200000000");
  const tessera_tests::allocations used;
  CHECK(nac::verify_manifest(known, 0).code == errc::ok);
  CHECK(used.count() == 0);
}
