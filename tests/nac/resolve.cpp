// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Arguments of instructions: what they are, every error with its offset, and the fast path beside
// the plain one on random and on damaged programs.

#include "nac/support.hpp"

#include <algorithm>

using namespace tessera;
using namespace nac_tests;

namespace {

/// SplitMix64.
struct generator {
  std::uint64_t state;
  std::uint64_t bits() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(bits() % end); }
};

void put(std::vector<std::byte>& out, std::uint64_t value, std::size_t size) {
  for (; size != 0; --size, value >>= 8) out.push_back(static_cast<std::byte>(value & 0xff));
}
void put(std::vector<std::byte>& out, std::string_view text) {
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}
void set_slot(std::vector<std::byte>& out, std::size_t i) {
  for (std::size_t k = 0; k < 8; ++k)
    out[12 + 8 * i + k] = static_cast<std::byte>(std::uint64_t{out.size()} >> (8 * k) & 0xff);
}

// The signatures of the files below, from id 1.
constexpr std::string_view signatures[] = {"T",      "TT",        "Tf",   "TS",   "TTTTT",
                                           "TSTTfi", "iiiiiTTTT", "TTTT", "SSSS", "TTTTTTTTTTTT"};

/// A container of version 2 with these instructions in OPS, two outputs, and constants 1, 2 and
/// `third`. OPS is at 100, so the first instruction at 108.
std::vector<std::byte> container(std::uint32_t count, const std::vector<std::byte>& instructions,
                                 unsigned third = 1000) {
  std::vector<std::byte> out(100);
  const auto head = from_hex("4e414302 00 0000 0200");
  std::memcpy(out.data(), head.data(), head.size());
  set_slot(out, 1);
  put(out, "OPS ");
  put(out, count, 4);
  out.insert(out.end(), instructions.begin(), instructions.end());
  set_slot(out, 3);
  put(out, "CNST");
  put(out, 3, 4);
  for (const unsigned id : {1u, 2u, third}) put(out, id, 2), put(out, 0, 3);
  set_slot(out, 4);
  put(out, "PERM");
  put(out, std::size(signatures), 4);
  for (std::size_t i = 0; i < std::size(signatures); ++i) {
    put(out, i + 1, 2);
    put(out, signatures[i].size(), 1);
    put(out, signatures[i]);
  }
  return out;
}

std::string spelled(const nac::code& code) {
  std::string out;
  for (const nac::step& s : code.steps) {
    out += s.offset == 0 ? "" : " ";
    out += std::to_string(s.a) + '.' + std::to_string(s.b) + '(';
    for (const nac::argument a : code.arguments_of(s))
      out += (a.is_constant() ? "#" : "v") + std::to_string(a.index()) + ' ';
    if (out.back() == ' ') out.pop_back();
    out += ')';
  }
  return out;
}

struct outcome {
  errc code;
  std::uint64_t offset;
  std::string text;
};
outcome resolved(std::uint32_t count, std::string_view hex) {
  const auto source = container(count, from_hex(hex));
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const auto code = nac::resolve(*file, file->instructions());
  return {code.error().code, code.error().offset, code ? spelled(*code) : ""};
}

void check_broken(std::uint32_t count, std::string_view hex, errc code, std::uint64_t at) {
  const outcome o = resolved(count, hex);
  INFO(hex);
  CHECK(o.code == code);
  CHECK(o.offset == 108 + at);
}

bool same_steps(const pool<nac::step>& a, const pool<nac::step>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(nac::step)) == 0);
}

/// All paths and `decode` agree. Returns whether the program is right.
bool agree(const std::vector<std::byte>& source) {
  const auto file = nac::read(bytes(source));
  if (!file) return false;
  const auto list = file->instructions();
  const auto plain = nac::resolve(*file, list, {.path = nac::resolve_path::plain});
  const auto best = nac::resolve(*file, list);
  const auto steps = nac::decode(*file, list);
  REQUIRE(bool(plain) == bool(best));
  REQUIRE(steps);
  CHECK(steps->size() == list.size());
  // They don't leave right programs to the plain one, nor take broken ones.
  for (const auto path : {nac::resolve_path::portable, nac::resolve_path::best}) {
    nac::code fast;
    REQUIRE(nac::detail::resolve_fast(*file, list, nac::detail::constant_ids(*file), path, fast) ==
            bool(plain));
    if (!plain) continue;
    CHECK(same_steps(plain->steps, fast.steps));
    CHECK(plain->arguments == fast.arguments);
  }
  CHECK(plain.error().code == best.error().code);
  CHECK(plain.error().offset == best.error().offset);
  if (!plain) return false;
  CHECK(same_steps(plain->steps, best->steps));
  CHECK(same_steps(plain->steps, *steps));
  CHECK(plain->arguments == best->arguments);
  return true;
}

/// A program that is right, of every kind of instruction; kinds that the fast path leaves to the
/// plain one are rare, the more so with more `kinds`. With 3 as the third constant's id they are one
/// range.
std::vector<std::byte> random_program(generator& random, std::uint32_t count,
                                      std::uint32_t kinds = 200, std::uint32_t third = 1000) {
  std::vector<std::byte> out;
  const std::uint32_t ids[] = {1, 2, third};
  const auto back = [&](std::uint32_t index) {
    const std::uint32_t most = index < 32768 ? index : 32768;
    return std::uint64_t{0} - (random.below(8) == 0 ? most : 1 + random.below(most < 9 ? most : 9));
  };
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::uint32_t kind = random.below(kinds);
    if (index == 0 || kind < 30) {
      const std::uint32_t b = random.below(6);
      put(out, 2, 1), put(out, b, 1);
      if (b != 0) put(out, 1 + random.below(2), 2), put(out, b == 3 ? third : random.below(9), 2);
    } else if (kind < 33) {
      put(out, 3, 1), put(out, random.below(3), 1), put(out, 3, 2), put(out, 0, 4);
      put(out, back(index), 2), put(out, back(index), 2);
    } else if (kind == 33) {
      put(out, 3, 1), put(out, 3, 1), put(out, 1, 2), put(out, 7, 2);
      put(out, back(index), 2), put(out, back(index), 2);
    } else if (kind == 34) {
      put(out, 3, 1), put(out, 4, 1), put(out, random.below(2) == 0 ? 0 : back(index), 2);
    } else if (kind == 35 && count - index > 5) {
      put(out, 6, 1), put(out, 0, 1), put(out, 3, 2), put(out, 2, 2), put(out, 2, 2);
      put(out, back(index), 2);
    } else if (kind == 36 && count - index > 5) {
      put(out, 7, 1), put(out, 50, 1), put(out, 1, 2), put(out, back(index), 2);
      put(out, 5, 2), put(out, 2, 2), put(out, 1, 2), put(out, 3, 2);
    } else if (kind == 37) {
      put(out, 9, 1), put(out, random.below(256), 1);
    } else if (kind < 45) {
      put(out, 10 + random.below(246), 1), put(out, 0, 1);
    } else {
      const std::uint32_t b = random.below(std::size(signatures));
      std::uint32_t constants = 0;
      std::vector<bool> constant(signatures[b].size());
      for (std::size_t k = 0; k < constant.size(); ++k) {
        const bool has = signatures[b].find_first_of("Sfi") != std::string_view::npos;
        constant[k] = has && random.below(signatures[b][k] == 'T' ? 20 : 2) == 0;
        constants += constant[k] ? 1u : 0u;
      }
      put(out, 10 + random.below(246), 1), put(out, b + 1, 1);
      if (signatures[b].find_first_of("Sfi") != std::string_view::npos)
        put(out, constants == 0 && random.below(kinds / 50) == 0 ? 0xfff0 : constants, 2);
      for (std::uint32_t k = 0; k < constants; ++k) put(out, ids[random.below(3)], 2);
      for (const bool is : constant) put(out, is ? 0 : back(index), 2);
    }
  }
  return container(count, out, third);
}

/// skip_instructions gives what one instruction after another gives. Returns whether they are right.
bool skips_alike(const nac::model& f, const std::vector<std::byte>& list, std::uint32_t count) {
  const nac::detail::cursor first(list.data(), 0, list.size());
  std::vector<nac::detail::waypoint> all;  // all instructions
  nac::detail::cursor plain = first, fast = first;
  error expected;
  std::uint32_t arguments = 0;
  std::uint64_t longest = 0;
  for (std::uint32_t index = 0; index != count && expected.code == errc::ok; ++index) {
    all.push_back({plain.offset(), index, arguments});
    nac::instruction i;
    expected = nac::detail::parse_instruction(f, plain, i);
    if (expected.code == errc::ok) arguments += nac::detail::argument_count(i);
    longest = std::max(longest, plain.offset() - all.back().offset);
  }
  nac::detail::waypoints noted;
  const error got = nac::detail::skip_instructions(f, fast, count, noted);
  CHECK(got.code == expected.code);
  CHECK(got.offset == expected.offset);
  const bool right = got.code == errc::ok;
  if (right) CHECK(fast.offset() == plain.offset());
  if (right && fast.left() == 0)
    CHECK(noted.count == (count < nac::detail::worth_a_table ? 0u : 7u));
  for (std::uint32_t k = 0; k < noted.count; ++k) {
    const nac::detail::waypoint& at = noted.all[k];
    REQUIRE(at.index < all.size());
    CHECK(at.offset == all[at.index].offset);
    CHECK(at.arguments == all[at.index].arguments);
    // Not before its eighth of the bytes, and at most a part of a walk after it.
    const std::uint64_t eighth = (list.size() - 31) * (k + 1) / 8;
    CHECK(at.offset >= eighth);
    CHECK(at.offset <= eighth + 16'000 + 512 + longest);
  }
  return right;
}
/// The instructions of a container.
std::vector<std::byte> instructions_of(const nac::model& f, const std::vector<std::byte>& source) {
  const auto list = f.instructions();
  const auto size = f.section(nac::section::ops).size() - 8 - f.slack(nac::section::ops);
  const std::byte* const first = source.data() + list.offset();
  return {first, first + size};
}

}  // namespace

TEST_CASE("nac/resolve: many instructions are read as one after another", "[nac]") {
  generator random{4};
  std::size_t wrong = 0;
  for (const std::uint32_t count : {1u, 159u, 160u, 161u, 600u, 750u, 2000u, 2001u, 5000u}) {
    CAPTURE(count);
    const auto source = random_program(random, count, count % 2 == 0 ? 4000 : 1000);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    const auto list = instructions_of(*file, source);
    CHECK(skips_alike(*file, list, count));
    CHECK(!skips_alike(*file, list, count + 1));
    for (std::size_t k = 0; k < 60; ++k) {
      CHECK(skips_alike(*file, list, 1 + random.below(count)));  // others follow
      auto damaged = list;
      const std::size_t at = random.below(static_cast<std::uint32_t>(list.size()));
      if (random.below(2) == 0)
        damaged.resize(at);
      else
        damaged[at] =
            static_cast<std::byte>(random.below(3) == 0 ? random.below(3) : random.bits());
      damaged.shrink_to_fit();
      wrong += skips_alike(*file, damaged, count) ? 0u : 1u;
    }
  }
  CHECK(wrong > 200);
}

TEST_CASE("nac/resolve: walks of which no guess, or only a late one, is right", "[nac]") {
  const auto source = container(1, from_hex("0200"));
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  // INPUT 0, and then words that are instructions from each on, which never fall into step.
  for (const std::string_view repeated : {"0b010b01", "0b020b020b02", "0b030000 0b030b03"})
    for (const std::size_t size : {5119u, 5120u, 5121u, 5122u, 17'408u, 40'000u}) {
      CAPTURE(repeated, size);
      std::vector<std::byte> list = from_hex("0200");
      const auto unit = from_hex(repeated);
      while (list.size() + unit.size() <= size) list.insert(list.end(), unit.begin(), unit.end());
      const auto count = static_cast<std::uint32_t>(1 + (list.size() - 2) / unit.size());
      CHECK(skips_alike(*file, list, count));
      CHECK(skips_alike(*file, list, count - 1));
      list.resize(size);
      CHECK(!skips_alike(*file, list, static_cast<std::uint32_t>(size)));
      list.insert(list.end(), 5000, std::byte{9});  // NOPs of another kind
      list[list.size() - 5000] = std::byte{9};
      (void)skips_alike(*file, list, count + 2000);
    }
  // One constant list of 60,000 bytes, longer than a block and full of instructions.
  std::vector<std::byte> list = from_hex("0b03 3075");
  for (std::size_t k = 0; k < 30'000; ++k) put(list, 0x010b, 2);
  put(list, 0, 4);
  for (std::size_t k = 0; k < 10'000; ++k) put(list, 0x0002, 2);
  CHECK(skips_alike(*file, list, 10'001));
  list.insert(list.begin(), 2 * 700, std::byte{2});
  for (std::size_t k = 1; k < 2 * 700; k += 2) list[k] = std::byte{0};
  CHECK(skips_alike(*file, list, 10'701));
}

TEST_CASE("nac/resolve: a small model", "[nac]") {
  const auto source = hex_file("mini_v16");
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const auto code = nac::resolve(*file, file->instructions());
  REQUIRE(code);
  CHECK(spelled(*code) == "2.0() 2.1(#1) 2.1(#2) 20.1(v0 v1 v2) 11.2(v3 #2) 3.0(v4)");
  CHECK(code->steps[3].offset == 14);
  CHECK(code->steps[4].first == 5);
}

TEST_CASE("nac/resolve: each kind of instruction", "[nac]") {
  const auto text = [](std::uint32_t count, std::string_view hex) {
    const outcome o = resolved(count, hex);
    CHECK(o.code == errc::ok);
    return o.text;
  };
  CHECK(text(6, "0200 02010100 0900 02020200 ffff 02030100 0200 02040100 0c00 02050100 0000") ==
        "2.0() 2.1(#9) 2.2(#65535) 2.3(#2) 2.4(#12) 2.5(#0)");
  CHECK(text(3, "0200 0200 0b02 feff ffff") == "2.0() 2.0() 11.2(v0 v1)");
  CHECK(text(2, "0200 0b03 0100 e803 ffff 0000") == "2.0() 11.3(v0 #1000)");
  CHECK(text(2, "0200 0b03 0000 ffff ffff") == "2.0() 11.3(v0 v0)");
  CHECK(text(2, "0200 0b03 feff ffff ffff") == "2.0() 11.3(v0 v0)");  // a count below 0: none
  CHECK(text(1, "0b09 0400 0100 0200 e803 0100 0000 0000 0000 0000") == "11.9(#1 #2 #1000 #1)");
  CHECK(text(1, "2800") == "40.0()");
  CHECK(text(2, "0200 0300 0300 0000 0000 ffff ffff") == "2.0() 3.0(v0 v0)");
  CHECK(text(2, "0200 0303 0200 0700 ffff ffff") == "2.0() 3.3(#7 v0 v0)");
  CHECK(text(3, "0200 0304 ffff 0304 0000") == "2.0() 3.4(v0) 3.4()");
  CHECK(text(4, "0200 0600 0300 0100 0100 ffff 0200 0200") == "2.0() 6.0(v0 #1 #1) 2.0() 2.0()");
  CHECK(text(2, "0200 0732 0100 ffff 0000") == "2.0() 7.50(v0 v2)");
  CHECK(text(5, "0200 0732 0100 ffff 0400 0200 0100 0200 0200 0200 0200") ==
        "2.0() 7.50(v0 v5 v2 v3) 2.0() 2.0() 2.0()");
  CHECK(text(3, "0000 0105 09ff") == "0.0() 1.5() 9.255()");
}

TEST_CASE("nac/resolve: every error at the word that is wrong", "[nac]") {
  check_broken(2, "0200 0b01 feff", errc::nac_reference, 4);
  check_broken(2, "0200 0b02 ffff feff", errc::nac_reference, 6);
  check_broken(2, "0200 0b01 0100", errc::nac_reference, 4);
  check_broken(2, "0200 0b03 0100 0100 0000 0500", errc::nac_reference, 10);
  check_broken(1, "0b01 ffff", errc::nac_reference, 2);
  check_broken(2, "0200 0b01 0000", errc::nac_reference_zero, 4);
  check_broken(2, "0200 0300 0300 0000 0000 ffff 0000", errc::nac_reference_zero, 12);
  check_broken(2, "0200 0303 0200 0700 0000 ffff", errc::nac_reference_zero, 8);
  check_broken(2, "0200 0303 0200 0700 ffff 0000", errc::nac_reference_zero, 10);
  check_broken(2, "0200 0304 feff", errc::nac_reference, 4);
  check_broken(2, "0200 0b03 0100 0100 ffff ffff", errc::nac_constant_count, 4);
  check_broken(2, "0200 0b03 0000 ffff 0000", errc::nac_constant_count, 4);
  check_broken(2, "0200 0b03 feff ffff 0000", errc::nac_constant_count, 4);
  check_broken(2, "0200 0b03 0200 0100 0200 ffff 0000", errc::nac_constant_count, 4);
  check_broken(2, "0200 0b03 0100 0300 ffff 0000", errc::nac_constant_id, 6);
  check_broken(1, "0b09 0400 0100 0200 e803 0000 0000 0000 0000 0000", errc::nac_constant_id, 10);
  check_broken(1, "0203 0200 0500", errc::nac_constant_id, 4);
  check_broken(3, "0200 0600 0300 0200 0000 ffff 0200", errc::nac_branch_length, 6);
  check_broken(3, "0200 0600 0300 0100 0100 ffff 0200", errc::nac_branch_length, 8);
  check_broken(3, "0200 0600 0300 ffff 0100 ffff 0200", errc::nac_branch_length, 6);
  check_broken(3, "0200 0600 0300 0100 0000 0000 0200", errc::nac_reference_zero, 10);
  check_broken(2, "0200 0732 0000 0000", errc::nac_convergence_input, 4);
  check_broken(2, "0200 0732 0200 ffff ffff 0000", errc::nac_convergence_input, 4);
  check_broken(2, "0200 0732 ffff 0000", errc::nac_convergence_input, 4);
  check_broken(2, "0200 0732 0100 feff 0000", errc::nac_reference, 6);
  check_broken(2, "0200 0732 0100 0000 0000", errc::nac_reference_zero, 6);
  check_broken(3, "0200 0732 0100 ffff 0300 0100 0100 0200", errc::nac_convergence_end, 8);
  check_broken(3, "0200 0732 0100 ffff ffff 0100 0100 0200", errc::nac_convergence_end, 8);
  check_broken(3, "0200 0732 0100 ffff 0200 0000 0200", errc::nac_convergence_count, 10);
  check_broken(3, "0200 0732 0100 ffff 0200 ffff 0200", errc::nac_convergence_count, 10);
  check_broken(3, "0200 0732 0100 ffff 0200 0100 0000 0200", errc::nac_convergence_branch, 12);
  check_broken(3, "0200 0732 0100 ffff 0200 0100 0200 0200", errc::nac_convergence_branch, 12);
  check_broken(4, "0200 0732 0100 ffff 0300 0200 0200 0100 0200 0200", errc::nac_convergence_branch,
               14);
  check_broken(4, "0200 0732 0100 ffff 0300 0200 0100 0100 0200 0200", errc::nac_convergence_branch,
               14);
}

TEST_CASE("nac/resolve: limits", "[nac]") {
  const auto source = container(3, from_hex("0200 0200 0200"));
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  CHECK(nac::resolve(*file, file->instructions(), {.limit = {.max_items = 3}}));
  const error e = nac::resolve(*file, file->instructions(), {.limit = {.max_items = 2}}).error();
  CHECK(e.code == errc::too_many_items);
  CHECK(e.offset == 108);
  CHECK(nac::decode(*file, file->instructions(), {.limit = {.max_items = 2}}).error().code ==
        errc::too_many_items);
  const auto none = nac::resolve(*file, file->training());
  REQUIRE(none);
  CHECK(none->steps.empty());
  CHECK(nac::decode(*file, file->training()));
}

TEST_CASE("nac/resolve: the fast path gives the same", "[nac]") {
  generator random{1};
  for (const std::uint32_t count : {1u, 63u, 64u, 65u, 255u, 256u, 257u, 513u, 1000u, 3000u})
    for (const std::uint32_t kinds : {200u, 4000u})
      for (const std::uint32_t third : {1000u, 3u})
        CHECK(agree(random_program(random, count, kinds, third)));
}

TEST_CASE("nac/resolve: references of more than 32,768 instructions back", "[nac]") {
  generator random{2};
  for (const std::uint32_t third : {1000u, 3u})
    CHECK(agree(random_program(random, 70'000, 200, third)));
}

TEST_CASE("nac/resolve: the fast path gives the same of what is broken", "[nac]") {
  generator random{3};
  std::size_t right = 0, wrong = 0;
  for (std::size_t round = 0; round < 40; ++round) {
    const auto source =
        random_program(random, 64 + random.below(300), 200, round % 2 == 0 ? 1000 : 3);
    for (std::size_t k = 0; k < 60; ++k) {
      auto damaged = source;
      const std::size_t at = 108 + random.below(static_cast<std::uint32_t>(source.size() - 108));
      damaged[at] = static_cast<std::byte>(random.below(3) == 0 ? random.below(3) : random.bits());
      ++(agree(damaged) ? right : wrong);
    }
  }
  CHECK(right > 100);
  CHECK(wrong > 100);
}
