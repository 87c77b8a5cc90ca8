// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The zip that an archive is: what is read of it, and what each field that is wrong leads to.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <functional>
#include <set>

using namespace tessera;
using pt2_samples::archive;
using pt2_samples::put;

namespace {

/// Stores a little-endian number in a source.
void set(std::string& s, std::size_t at, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i)
    s[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> 8 * i & 0xff);
}
[[nodiscard]] error error_of(const std::string& source, const pt2::read_options& options = {}) {
  return pt2::read(source, options).error();
}
[[nodiscard]] error first_note(const std::string& source) {
  report found;
  const auto p = pt2::verify(pt2_samples::model(source), {}, &found);
  REQUIRE(p);
  REQUIRE(found.diagnostics.size() == 1);
  return {found.diagnostics[0].code, found.diagnostics[0].where.offset};
}

/// Two plain members and what a PT2 archive needs.
[[nodiscard]] archive plain() { return pt2_samples::open("two"); }

}  // namespace

TEST_CASE("pt2/archive: the archives of PyTorch and plain ones read alike", "[pt2]") {
  for (const char* const name : pt2_samples::names) {
    INFO(name);
    const std::string source = pt2_samples::source_of(name);
    const pt2::model m = pt2_samples::model(source, {.checksums = true});
    CHECK(text_of(m, m.root) == std::string(name) + '/');
    CHECK(text_of(m, m.name) == "model");
    CHECK(m.programs == 1);
    for (const pt2::member& of : m.members) {
      CHECK(of.data_offset % 64 == 0);
      CHECK(has_valid_checksum(m, of));
    }
    archive a = pt2_samples::open(name);
    const std::string other = a.zip();
    const pt2::model same = pt2_samples::model(other);
    CHECK(pt2::print(same) == pt2::print(m));
    for (const pt2::stored_tensor& t : m.stored)
      CHECK(pt2_samples::text_of(payload(m, t)) ==
            pt2_samples::text_of(
                payload(same, same.stored[static_cast<std::size_t>(&t - m.stored.data())])));
  }
}

TEST_CASE("pt2/archive: the fields of the end record", "[pt2]") {
  archive a = plain();
  const std::string source = a.zip();
  const std::size_t end = source.size() - 22;
  const auto changed = [&](std::size_t at, std::uint64_t value, int size) {
    std::string s = source;
    set(s, at, value, size);
    return error_of(s);
  };
  CHECK(error_of("") == error(errc::pt2_end, 0));
  CHECK(error_of("PK\5\6") == error(errc::pt2_end, 4));
  CHECK(error_of(source + "x") == error(errc::pt2_end, source.size() + 1));
  CHECK(changed(end, 0, 4) == error(errc::pt2_end, source.size()));
  CHECK(changed(end + 4, 1, 2) == error(errc::pt2_split, end + 4));
  CHECK(changed(end + 8, 1, 2) == error(errc::pt2_split, end + 4));
  CHECK(changed(end + 16, a.directory + 1, 4) == error(errc::pt2_directory, end));
  CHECK(changed(end + 16, 0xffffffff, 4) == error(errc::pt2_directory, end));
  CHECK(changed(end + 12, 0, 4) == error(errc::pt2_directory, end));
  std::string s = source;
  set(s, end + 8, 0xffff, 2);
  set(s, end + 10, 0xffff, 2);
  CHECK(error_of(s) == error(errc::pt2_entry_count, end));
  set(s, end + 8, 1, 2);
  set(s, end + 10, 1, 2);
  CHECK(error_of(s) == error(errc::pt2_entry_count, a.directory + 46 + a.entries[0].name.size()));
  set(s, end + 8, 11, 2);
  set(s, end + 10, 11, 2);
  CHECK(error_of(s) == error(errc::pt2_entry, end));
  s = source;
  s[end + 20] = 3;
  CHECK(error_of(s + "PK\5").code == errc::ok);
  CHECK(error_of(source, {.limit = {.max_items = 9}}).code == errc::too_many_items);
  CHECK(pt2::read(source, {.limit = {.max_items = 10}}));
  std::string texts = "\"\"";
  for (int i = 1; i < 11; ++i) texts += ", \"\"";
  a.replace(pt2_samples::program_json, "\"guards_code\": [", "\"guards_code\": [" + texts);
  const std::string long_list = a.zip();
  CHECK(error_of(long_list, {.limit = {.max_items = 10}}).code == errc::too_many_items);
  CHECK(pt2::read(long_list, {.limit = {.max_items = 11}}));
}

TEST_CASE("pt2/archive: the zip64 records", "[pt2]") {
  const std::string source = pt2_samples::source_of("two");
  const std::size_t end = source.size() - 22, locator = end - 20, record = locator - 56;
  const auto changed = [&](std::size_t at, std::uint64_t value, int size) {
    std::string s = source;
    set(s, at, value, size);
    return error_of(s);
  };
  CHECK(changed(locator + 4, 1, 4) == error(errc::pt2_split, locator + 4));
  CHECK(changed(locator + 16, 2, 4) == error(errc::pt2_split, locator + 4));
  CHECK(changed(locator + 8, ~std::uint64_t{0}, 8) == error(errc::pt2_zip64, locator + 8));
  CHECK(changed(locator + 8, record - 1, 8) == error(errc::pt2_zip64, locator + 8));
  CHECK(changed(record + 4, 45, 8) == error(errc::pt2_zip64, locator + 8));
  CHECK(changed(record + 16, 1, 4) == error(errc::pt2_split, record + 16));
  CHECK(changed(record + 24, 1, 8) == error(errc::pt2_split, record + 16));
  CHECK(changed(record + 48, 1, 8) == error(errc::pt2_zip64, record + 48));
  CHECK(changed(record + 40, 1, 8) == error(errc::pt2_zip64, record + 40));
  std::string s = source;
  set(s, record + 24, 1, 8);
  set(s, record + 32, 1, 8);
  CHECK(error_of(s) == error(errc::pt2_zip64, record + 32));
  // Numbers that don't fit into the end record.
  s = source;
  set(s, end + 8, 0xffff, 2);
  set(s, end + 10, 0xffff, 2);
  set(s, end + 12, 0xffffffff, 4);
  set(s, end + 16, 0xffffffff, 4);
  CHECK(pt2::read(s));
}

TEST_CASE("pt2/archive: the fields of an entry and its local header", "[pt2]") {
  archive a = plain();
  const std::string source = a.zip();
  const std::size_t entry = a.directory, name = a.entries[0].name.size();
  const auto changed = [&](std::size_t at, std::uint64_t value, int size) {
    std::string s = source;
    set(s, at, value, size);
    return error_of(s);
  };
  CHECK(changed(entry, 0, 4) == error(errc::pt2_entry, entry));
  CHECK(changed(entry + 28, 0xffff, 2) == error(errc::pt2_entry, entry));
  CHECK(changed(entry + 8, 0x801, 2) == error(errc::pt2_encrypted, entry + 8));
  CHECK(changed(entry + 10, 1, 2) == error(errc::pt2_method, entry + 10));
  CHECK(changed(entry + 34, 1, 2) == error(errc::pt2_split, entry + 34));
  CHECK(changed(entry + 20, 11, 4) == error(errc::pt2_sizes, entry + 20));
  std::string bomb = source;
  set(bomb, entry + 10, 8, 2);
  set(bomb, entry + 24, 13 * 1032, 4);
  CHECK(error_of(bomb) == error(errc::pt2_sizes, entry + 24));
  CHECK(changed(entry + 42, 0xffffffff, 4) == error(errc::pt2_zip64, entry + 46 + name));
  CHECK(changed(entry + 42, 1, 4) == error(errc::pt2_local_header, 1));
  CHECK(changed(entry + 42, 0x7fffffff, 4) == error(errc::pt2_local_header, source.size()));
  CHECK(changed(26, 0xffff, 2) == error(errc::pt2_local_header, 26));
  CHECK(changed(6, 1, 2) == error(errc::pt2_encrypted, 6));
  CHECK(changed(8, 8, 2) == error(errc::pt2_local_differs, 8));
  CHECK(changed(14, 1, 4) == error(errc::pt2_local_differs, 14));
  CHECK(changed(18, 11, 4) == error(errc::pt2_local_differs, 18));
  CHECK(changed(30, 'x', 1) == error(errc::pt2_local_differs, 30));
  CHECK(changed(6, 0x808, 2).code == errc::ok);  // a descriptor that other writers leave out
  std::string long_one = source;                 // a payload up to and past the directory
  const std::uint64_t most = a.directory - a.data_of("data/weights/weight_0");
  for (const std::uint64_t size : {most, most + 1}) {
    for (const std::size_t at : {entry + 20, entry + 24, std::size_t{18}, std::size_t{22}})
      set(long_one, at, size, 4);
    CHECK(error_of(long_one) ==
          (size == most ? error(errc::pt2_overlap, a.headers[1])
                        : error(errc::pt2_bounds, a.data_of("data/weights/weight_0"))));
  }
}

TEST_CASE("pt2/archive: extra fields and descriptors", "[pt2]") {
  const std::string source = pt2_samples::source_of("two");
  const pt2::model m = pt2_samples::model(source);
  const std::size_t data = static_cast<std::size_t>(m.members[0].data_offset);
  const std::size_t descriptor = data + 12;
  for (const std::size_t field : {4u, 8u, 12u}) {
    std::string s = source;
    ++s[descriptor + field];
    CHECK(error_of(s) == error(errc::pt2_descriptor, descriptor));
  }
  // One of zip64: its sizes have 8 bytes each. What follows it moves.
  archive a = plain();
  a.entries = {{"two/archive_format", "pt2"}};
  std::string wide = a.zip();
  const std::size_t size = 24, payload = a.data_of("archive_format") + 3;
  std::string fields = "PK\7\10";
  put(fields, pt2_samples::crc32("pt2"), 4), put(fields, 3, 8), put(fields, 3, 8);
  wide.insert(payload, fields);
  for (const std::size_t flags : {std::size_t{6}, a.directory + size + 8})
    set(wide, flags, 0x808, 2);
  set(wide, wide.size() - 6, a.directory + size, 4);
  CHECK(error_of(wide) == error(errc::pt2_version, a.directory + size));  // the next that it needs
  ++wide[payload + 19];
  CHECK(error_of(wide) == error(errc::pt2_descriptor, payload));
  // An extra field of the directory that ends too late, and two of zip64.
  a = plain();
  std::string plain_source = a.zip();
  const std::size_t at = a.directory + 46 + a.entries[0].name.size();
  const auto with_extra = [&](std::string extra) {
    std::string s = plain_source;
    const std::size_t end = s.size() - 22;
    set(s, end + 12, end - a.directory + extra.size(), 4);
    set(s, a.directory + 30, extra.size(), 2);
    return s.insert(at, extra);
  };
  using namespace std::string_literals;
  CHECK(error_of(with_extra("\7\0\2\0xy"s)).code == errc::ok);
  CHECK(error_of(with_extra("\7\0\3\0xy"s)) == error(errc::pt2_extra, at));
  CHECK(error_of(with_extra("\7"s)) == error(errc::pt2_extra, at));
  CHECK(error_of(with_extra("\1\0\0\0\1\0\0\0"s)) == error(errc::pt2_extra, at + 4));
  std::string far = with_extra("\1\0\x08\0\0\0\0\0\0\0\0\0"s);
  set(far, a.directory + 42, 0xffffffff, 4);
  CHECK(pt2::read(far));  // its offset is 0, in 64 bits
}

TEST_CASE("pt2/archive: names, duplicates and overlaps", "[pt2]") {
  for (const char* const name :
       {"two/../x", "/two/x", "two/a\\b", "two/./x", "two//x", "two/\xff"}) {
    archive a = plain();
    a.entries.push_back({name, "x"});
    const std::string source = a.zip();
    std::size_t entry = a.directory;
    for (std::size_t i = 0; i + 1 < a.entries.size(); ++i) entry += 46 + a.entries[i].name.size();
    INFO(name);
    CHECK(error_of(source) == error(errc::pt2_name, entry + 46));
  }
  archive a = plain();
  a.entries.push_back({"two/folder/", ""});
  const std::string with_folder = a.zip();
  CHECK(pt2::read(with_folder));
  a.entries.push_back(a.entries[0]);
  const std::string twice = a.zip();
  CHECK(error_of(twice) == error(errc::pt2_duplicate_member, a.headers.back()));
  // Two entries of one local header, and one inside of another's content.
  archive b = plain();
  b.entries.push_back({"two/a", "12"});
  b.entries.push_back({"two/b", "12"});
  std::string alias = b.zip();
  std::size_t last = b.directory;
  for (std::size_t i = 0; i + 1 < b.entries.size(); ++i) last += 46 + b.entries[i].name.size();
  set(alias, last + 42, b.headers[b.headers.size() - 2], 4);
  CHECK(error_of(alias).code == errc::pt2_overlap);
  CHECK(error_of(alias).offset == b.headers[b.headers.size() - 2]);
}

TEST_CASE("pt2/archive: the members that an archive needs", "[pt2]") {
  const auto without = [](std::string_view member) {
    archive a = plain();
    a.remove(member);
    const std::string source = a.zip();
    const error e = error_of(source);
    if (e.code != errc::ok) CHECK(e.offset == a.directory);
    return e.code;
  };
  CHECK(without("archive_format") == errc::pt2_no_format);
  CHECK(without("archive_version") == errc::pt2_version);
  CHECK(without(pt2_samples::program_json) == errc::pt2_no_program);
  CHECK(without(pt2_samples::weights_json) == errc::pt2_no_config);
  CHECK(without(pt2_samples::constants_json) == errc::pt2_no_config);
  CHECK(without("data/sample_inputs/model.pt") == errc::ok);
  CHECK(without(".data/version") == errc::ok);

  archive a = plain();
  a.remove("data/weights/weight_0");
  std::string source = a.zip();
  CHECK(error_of(source).code == errc::pt2_no_payload);
  a = plain();
  a.entries.push_back({"other/x", "x"});
  source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_root, a.headers.back()));

  // Of PyTorch 2.8, whose tensors are in archives of their own; both lists are of one kind.
  a = plain();
  a.at(pt2_samples::weights_json).name = "two/data/weights/model.pt";
  source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_no_config, a.directory));
  a.at(pt2_samples::constants_json).name = "two/data/constants/model.pt";
  source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_end, a.data_of("data/weights/model.pt") +
                                                     a.at("data/weights/model.pt").content.size()));
  a.entries = {{"serialized_exported_program.json", "{}"}};
  source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_flat_version, a.directory));
  a = plain();
  a.at(pt2_samples::program_json).name = "two/data/aotinductor/model/x.so";
  source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_compiled, a.directory));
  a.entries = {{"x.txt", "hello"}};
  source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_no_format, a.directory));
}

TEST_CASE("pt2/archive: which of several programs", "[pt2]") {
  const std::string source = pt2_samples::source_of("programs");
  CHECK(error_of(source).code == errc::pt2_choose_program);
  CHECK(error_of(source, {.program = "model"}).code == errc::pt2_no_program);
  const pt2::model first = pt2_samples::model(source, {.program = "first"});
  const pt2::model second = pt2_samples::model(source, {.program = "second"});
  CHECK(first.programs == 2);
  CHECK(text_of(first, first.name) == "first");
  CHECK(first.weights.count == 1);
  CHECK(second.constants.count == 1);
  CHECK(text_of(second, second.stored[second.weights.first].path) == "weight_1");
}

TEST_CASE("pt2/archive: a program of another name is taken where it is the only one", "[pt2]") {
  archive a = plain();
  for (pt2_samples::entry& e : a.entries)
    if (const std::size_t at = e.name.find("/model"); at != std::string::npos)
      e.name.replace(e.name.rfind("model"), 5, "other");
  a.at("models/other.json").name = "two/models/other.json";
  const std::string source = a.zip();
  const pt2::model m = pt2_samples::model(source);
  CHECK(text_of(m, m.name) == "other");
  CHECK(text_of(m, m.stored[0].name) == "w");
  CHECK(error_of(source, {.program = "model"}) == error(errc::pt2_no_program, a.directory));
}

TEST_CASE("pt2/archive: what another version of the schema explains is its version", "[pt2]") {
  archive a = plain();
  a.replace(pt2_samples::program_json, "as_tensor", "as_new_one");
  std::string source = a.zip();
  CHECK(error_of(source).code == errc::pt2_variant);
  a.replace(pt2_samples::program_json, "\"major\": 8", "\"major\": 9");
  source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_schema_major,
                                  a.data_of(pt2_samples::program_json) +
                                      a.at(pt2_samples::program_json).content.find("9, \"minor")));
}

TEST_CASE("pt2/archive: deflated members need an inflater", "[pt2]") {
  archive a = plain();
  a.deflate(pt2_samples::program_json);
  a.deflate("data/weights/weight_0");
  const std::string source = a.zip();
  CHECK(error_of(source) == error(errc::pt2_deflated, a.data_of(pt2_samples::program_json)));
  const pt2::read_options with{.inflate = {pt2_samples::inflate}};
  const pt2::model m = pt2_samples::model(source, with);
  const std::string stored = pt2_samples::source_of("two");
  CHECK(pt2::print(m) == pt2::print(pt2_samples::model(stored)));
  CHECK(payload(m, m.stored[0]).size() == 12);
  CHECK(load_le<float>(payload(m, m.stored[0]).data() + 4) == -2.0f);
  pt2::read_options small = with;
  small.limit.max_bytes = a.at(pt2_samples::program_json).inflated.size();
  CHECK(error_of(source, small) ==
        error(errc::input_too_large, a.data_of("data/weights/weight_0")));
  small.limit.max_bytes += 12;
  CHECK(pt2::read(source, small));
  // Errors inside are at the member.
  std::string broken = source;
  broken[a.data_of(pt2_samples::program_json)] = 3;
  CHECK(error_of(broken, with) ==
        error(errc::pt2_deflate_data, a.data_of(pt2_samples::program_json)));
  archive b = plain();
  b.replace(pt2_samples::program_json, "as_tensor", "as_tensr_");
  b.deflate(pt2_samples::program_json);
  const std::string wrong = b.zip();
  CHECK(error_of(wrong, with) == error(errc::pt2_variant, b.data_of(pt2_samples::program_json)));
}

TEST_CASE("pt2/archive: checksums of JSON always, of weights on demand", "[pt2]") {
  const std::string source = pt2_samples::source_of("two");
  const pt2::model m = pt2_samples::model(source);
  const auto flipped = [&](std::string_view path) {
    std::string s = source;
    const pt2::member& of = m.members[find_member(m, path)];
    s[static_cast<std::size_t>(of.data_offset)] ^= 1;
    return s;
  };
  for (const std::string_view path :
       {pt2_samples::program_json, pt2_samples::weights_json, pt2_samples::constants_json})
    CHECK(error_of(flipped(path)) ==
          error(errc::pt2_checksum, m.members[find_member(m, path)].data_offset));
  const std::string weight = flipped("data/weights/weight_0");
  CHECK(pt2::read(weight));
  CHECK(error_of(weight, {.checksums = true}) ==
        error(errc::pt2_checksum, m.members[0].data_offset));
  CHECK(error_of(flipped("data/sample_inputs/model.pt")).code == errc::ok);
}

TEST_CASE("pt2/archive: what is tolerated is noted", "[pt2]") {
  archive a = plain();
  for (pt2_samples::entry& e : a.entries) e.name.erase(0, 4);
  const std::string rootless = a.zip();
  CHECK(first_note(rootless) == error(errc::pt2_note_root, a.directory));
  a = plain();
  a.remove("byteorder");
  const std::string orderless = a.zip();
  CHECK(first_note(orderless) == error(errc::pt2_note_byte_order, a.directory));
  // Bytes before the first member: all offsets are those of the file.
  a = plain();
  std::string prefixed = "#!" + a.zip();
  const std::size_t end = prefixed.size() - 22;
  set(prefixed, end + 16, a.directory + 2, 4);
  std::size_t entry = a.directory + 2;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    set(prefixed, entry + 42, a.headers[i] + 2, 4);
    entry += 46 + a.entries[i].name.size();
  }
  CHECK(first_note(prefixed) == error(errc::pt2_note_prefix, 0));
}
