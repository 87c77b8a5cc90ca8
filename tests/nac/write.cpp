// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writing containers: the vectors both ways, every refusal, sinks.

#include <tessera/core/describe.hpp>
#include "nac/support.hpp"
// support.hpp comes first.
#include "nac/container.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

using nac::header;
using nac::section;

[[nodiscard]] std::vector<std::byte> vector_of(bytes b) { return {b.begin(), b.end()}; }
[[nodiscard]] bytes bytes_of(const pool<std::byte>& p) { return {p.data(), p.size()}; }

/// The bytes that a container is written as, from the parts that are read of it.
[[nodiscard]] std::vector<std::byte> written(const std::vector<std::byte>& source) {
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const auto out = nac::write(nac::parts_of(*file));
  REQUIRE(out);
  return vector_of(bytes_of(*out));
}
/// With the prefixes of the specification, which count themselves, or of the first compiler.
[[nodiscard]] std::vector<std::byte> written(const std::vector<std::byte>& source, bool upstream) {
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  nac::parts p = nac::parts_of(*file);
  p.layout.inputs = p.layout.outputs = upstream ? nac::self_count::no : nac::self_count::yes;
  const auto out = nac::write(p);
  REQUIRE(out);
  return vector_of(bytes_of(*out));
}

constexpr const char* signatures =
    "5045524d 07000000 0000 00 0100 02 5454 0200 02 5466 0300 02 5469 0400 01 54 0500 02 5453 "
    "0600 05 5453545466";

/// Parts with one of most things, to be spoilt.
[[nodiscard]] nac::parts sound() {
  nac::parts p;
  p.form = header::v1_8;
  p.outputs = 1;
  p.add_name(p.signatures, 1, "TT");
  p.add_name(p.signatures, 2, "Tf");
  p.add_name(p.operations, 32, "a.b");
  p.add_name(p.parameters, 1, "w");
  p.add_name(p.input_names, 0, "x");
  p.instructions.push_back({2, 0, {}, {}});
  p.constants.push_back({1, nac::constant_type::null, 0, {}});
  nac::tensor_part t;
  const std::uint32_t shape[] = {4};
  t.id = 1;
  t.type = nac::data_type::int8;
  t.shape = p.add_numbers({shape, 1});
  t.data = p.keep(from_hex("01020304"));
  p.tensors.push_back(t);
  const nac::range name = p.add_string("r.b");
  p.resources.push_back({name, p.keep(from_hex("05"))});
  p.arrays.push_back({name, nac::data_type::int8, t.shape, t.data});
  return p;
}

void check_refused(const nac::parts& p, error expected) {
  const auto size = nac::written_size(p);
  REQUIRE_FALSE(size);
  CHECK(nac::check(p) == (expected.code == errc::nac_write_size ? error{} : size.error()));
  CHECK(size.error().name() == expected.name());
  CHECK(size.error().offset == expected.offset);
  bool called = false;
  const auto put = [](void* to, bytes) { return *static_cast<bool*>(to) = true; };
  CHECK(nac::write(p, nac::sink{&called, put}) == size.error());
  CHECK_FALSE(called);
  CHECK(nac::write(p).error() == size.error());
}

}  // namespace

TEST_CASE("nac/write: containers come out as they were, whatever their prefixes count", "[nac]") {
  for (const char* name : {"mini_v16", "mini_v17", "mini_v18", "two_outputs"}) {
    INFO(name);
    const auto source = hex_file(name);
    CHECK(written(source) == source);
    const auto own = written(source, false);
    CHECK(own.size() == source.size());
    CHECK(written(own) == own);
    CHECK(written(written(own, true)) == written(source, true));
  }
}

TEST_CASE("nac/write: each operation's prefixes are those that the file has", "[nac]") {
  const char* const code[3][2] = {{"02 01 0100 0100", "02 01 0200 0100"},
                                  {"03 00 0100 0000 ffff", "03 00 0200 0000 ffff"},
                                  {"06 00 0200 0400 0200 ffff", "06 00 0300 0400 0200 ffff"}};
  for (const header form : {header::v1_6, header::v1_7, header::v1_8})
    for (unsigned rules = 0; rules < 8; ++rules) {
      INFO(rules);
      std::string ops = "4f505320 03000000";
      for (unsigned k = 0; k < 3; ++k) ops += ' ' + std::string(code[k][rules >> k & 1]);
      const auto source = container(form, {ops});
      CHECK(written(source) == source);
      const auto file = nac::read(bytes(source));
      REQUIRE(file);
      const nac::layout how = nac::layout_of(*file);
      CHECK(nac::counts_itself(how.inputs, nac::op_input, form) == ((rules & 1) != 0));
      CHECK(nac::counts_itself(how.outputs, nac::op_output, form) == ((rules & 2) != 0));
      CHECK(nac::counts_itself(how.branches, nac::op_control_flow, form) == ((rules & 4) != 0));
      // Where the file has none of them, parameters follow the outputs; branches the version.
      const auto fewer =
          container(form, {"4f505320 01000000 " + std::string(code[1][rules >> 1 & 1])});
      const auto other = nac::read(bytes(fewer));
      REQUIRE(other);
      CHECK(nac::layout_of(*other).inputs == nac::layout_of(*other).outputs);
      CHECK(nac::layout_of(*other).branches == nac::self_count::by_version);
    }
  // One that is invalid either way decides nothing; the next one does.
  const auto source =
      container(header::v1_6, {"4f505320 02000000 02 01 0700 0100 02 01 0100 0100"});
  CHECK(written(source) ==
        container(header::v1_6, {"4f505320 02000000 02 01 0100 0100 02 01 0100 0100"}));
}

TEST_CASE("nac/write: new containers have the prefixes and the order of their version", "[nac]") {
  for (const header form : {header::v1_6, header::v1_7, header::v1_8}) {
    nac::parts p;
    p.form = form;
    p.outputs = 1;
    const std::uint16_t words[] = {1, 0, 0xffff, 4, 2};
    const auto word = [&](std::uint32_t first, std::uint32_t size) {
      return nac::range{first, size};
    };
    (void)p.add_words({words, 5});
    p.instructions.push_back({2, 1, word(0, 1), {}});
    p.instructions.push_back({3, 0, word(1, 1), word(2, 1)});
    p.instructions.push_back({6, 0, word(3, 2), word(2, 1)});
    p.has_resources = p.has_manifest = true;
    const auto out = nac::write(p);
    REQUIRE(out);
    const auto file = nac::read(bytes_of(*out));
    REQUIRE(file);
    std::vector<int> prefixes;
    for (const nac::instruction i : file->instructions()) prefixes.push_back(i.prefix);
    const bool old = form == header::v1_6;
    CHECK(prefixes == (old ? std::vector<int>{2, 2, 3} : std::vector<int>{1, 1, 3}));
    CHECK((file->offset(section::rsrc) < file->offset(section::orch)) == old);
    CHECK(file->offset(section::proc) < file->offset(section::orch));
    CHECK(nac::layout_of(*file).order.empty());
    CHECK(written(vector_of(bytes_of(*out))) == vector_of(bytes_of(*out)));
  }
}

TEST_CASE("nac/write: sections stand in the order that the file has them in", "[nac]") {
  for (const header form : {header::v1_6, header::v1_8}) {
    nac::parts p = sound();
    if (form == header::v1_6) p.arrays.clear();
    p.form = form;
    p.has_manifest = true;
    for (const section s : {section::rsrc, section::ops, section::orch, section::ops})
      p.layout.order.push_back(s);  // one of them appears twice: the first counts
    const auto out = nac::write(p);
    REQUIRE(out);
    const auto file = nac::read(bytes_of(*out));
    REQUIRE(file);
    std::string order;
    for (const section s : nac::layout_of(*file).order) order += std::string(nac::tag(s)) + ' ';
    CHECK(order == std::string("RSRC OPS  ORCH MMAP CMAP CNST PERM DATA PROC ") +
                       (form == header::v1_6 ? "" : "ARRS "));
    CHECK(written(vector_of(bytes_of(*out))) == vector_of(bytes_of(*out)));
    // In another version, too.
    const auto there = nac::convert(nac::parts_of(*file), header::v1_8);
    REQUIRE(there);
    CHECK(there->layout.order.size() == nac::layout_of(*file).order.size());
  }
}

TEST_CASE("nac/write: the order of a version has each section once", "[nac]") {
  for (const nac::header form : {nac::header::v1_6, nac::header::v1_7, nac::header::v1_8}) {
    bool seen[nac::section_count] = {};
    for (std::size_t place = 0; place < nac::section_count; ++place) {
      const auto s = static_cast<std::size_t>(nac::section_in_order(form, place));
      REQUIRE(s < nac::section_count);
      CHECK_FALSE(seen[s]);
      seen[s] = true;
    }
  }
}

TEST_CASE("nac/write: the specification's prefixes", "[nac]") {
  const auto source = hex_file("mini_v16");
  // Both INPUTs of parameters and the OUTPUT; nothing else.
  CHECK(written(source, false) == edited(edited(edited(source, 108, "02"), 114, "02"), 138, "02"));
}

TEST_CASE("nac/write: instructions, with the specification's prefixes and the others", "[nac]") {
  struct row {
    std::uint16_t outputs;
    const char *own, *upstream;
    bool version_2 = false;
  };
  for (const row& r : {
           row{1, "02 00", "02 00"},
           row{1, "02 01 0200 0100", "02 01 0100 0100"},
           row{1, "02 01 0200 2c01", "02 01 0100 2c01"},
           row{1, "02 02 0200 0500", "02 02 0100 0500"},
           row{1, "02 03 0200 0900", "02 03 0100 0900"},
           row{1, "02 04 0100 0c00", "02 04 0100 0c00", true},
           row{1, "02 05 0100 0000", "02 05 0100 0000", true},
           row{1, "03 00 0200 0000 ffff", "03 00 0100 0000 ffff"},
           row{2, "03 00 0300 0000 0000 fdff ffff", "03 00 0200 0000 0000 fdff ffff"},
           row{2, "03 01 0300 0000 0000 fdff ffff", "03 01 0200 0000 0000 fdff ffff"},
           row{0, "03 00 0100", "03 00 0000"},
           row{1, "03 03 0100 0700 ffff fbff", "03 03 0100 0700 ffff fbff", true},
           row{1, "03 04 ffff", "03 04 ffff", true},
           row{1, "0b 01 feff ffff", "0b 01 feff ffff"},
           row{1, "0b 02 0100 0200 ffff 0000", "0b 02 0100 0200 ffff 0000"},
           row{1, "0b 03 0000 feff ffff", "0b 03 0000 feff ffff"},
           row{1, "0e 04 ffff", "0e 04 ffff"},
           row{1, "11 05 0100 0700 ffff 0000", "11 05 0100 0700 ffff 0000"},
           row{1, "21 06 0200 0700 0800 fdff 0000 feff ffff 0000",
               "21 06 0200 0700 0800 fdff 0000 feff ffff 0000"},
           row{1, "28 00", "28 00"},
           row{1, "00 00", "00 00"},
           row{1, "09 07", "09 07"},
           row{1, "06 00 0300 0400 0200 ffff", "06 00 0300 0400 0200 ffff"},
           row{1, "07 32 0100 ffff 0000", "07 32 0100 ffff 0000"},
           row{1, "07 32 0100 ffff 0300 0200 0100 0200", "07 32 0100 ffff 0300 0200 0100 0200"},
       }) {
    INFO(r.own);
    for (const header form : {header::v1_6, header::v1_7, header::v1_8}) {
      if (r.version_2 && form == header::v1_6) continue;
      const std::string start = "4f505320 01000000 ";
      const std::string own = start + r.own, upstream = start + r.upstream;
      const auto a = container(form, {signatures, own}, {.outputs = r.outputs}),
                 b = container(form, {signatures, upstream}, {.outputs = r.outputs});
      CHECK(written(b, false) == a);
      CHECK(written(a, true) == b);
      const auto file = nac::read(bytes(a));
      REQUIRE(file);
      CHECK(file->slack(section::ops) == 0);
    }
  }
}

TEST_CASE("nac/write: every other section both ways", "[nac]") {
  struct row {
    header form;
    const char* hex;
    std::uint8_t flags = 0x80;
  };
  for (const row& r : {
           row{header::v1_6, "4d4d4150 00000000"},
           row{header::v1_6, "4d4d4150 01000000 2b00 03 141a00 0a2b00 282c00"},
           row{header::v1_6, "4d4d4150 02000000 ffff 00 0000 01 ffffff"},
           row{header::v1_6,
               "434d4150 02000000 1400 11 6174656e2e72656c752e64656661756c74 1500 07 "
               "6765746974656d"},
           row{header::v1_6, "5045524d 03000000 0000 00 0100 02 5454 0200 02 5466"},
           row{header::v1_6,
               "434e5354 0b000000 0100 00 0000 0200 01 0100 01 0300 01 0100 00 0400 02 0800 "
               "feffffffffffffff 0500 02 0800 ffffffffffffff7f 0600 03 0800 000000000000f83f "
               "0700 04 0300 637075 0800 05 0200 01000000 ffffffff 0900 06 0200 0000003f 00000040 "
               "0a00 05 0000 0b00 04 0000"},
           row{header::v1_6, "44415441 02000000 0100 0100 77 0200 0100 77 01000000 0000 0100 78",
               0},
           row{header::v1_6, "4f524348 00000000 00000000"},
           row{header::v1_6,
               "4f524348 09000000 02000000 04000000 5f000100 ff 0000 02 0800 "
               "0700000000000000 0100 04 0100 76"},
           row{header::v1_6, "50524f43 0a000000 5449534101 01 00000000"},
           row{header::v1_6, "50524f43 00000000"},
           row{header::v1_6, "52535243 01000000 0500 612e747874 02000000 6869"},
           row{header::v1_7, "52535243 00000000"},
           row{header::v1_8,
               "41525253 01000000 0100 6d 05 02 01000000 02000000 1000000000000000 "
               "0300000000000000 0400000000000000"},
           row{header::v1_7, "54524e47 02000000 0203 0200 0200 0304 ffff", 0xc0},
           row{header::v1_8, "54524e47 00000000", 0xc1},
           // tensors
           row{header::v1_6,
               "44415441 00000000 00000000 01000000 0200 07000000 0800000000000000 "
               "00 01 02000000 00 0000003f 000000bf"},
           row{header::v1_6,
               "44415441 00000000 00000000 01000000 0300 03000000 0800000000000000 "
               "05 00 00 0700000000000000"},
           row{header::v1_6,
               "44415441 00000000 00000000 01000000 0100 07000000 0400000000000000 "
               "02 01 02000000 00 003e 00c0"},
           row{header::v1_6,
               "44415441 00000000 00000000 01000000 0100 07000000 0400000000000000 "
               "03 01 02000000 01 c03f 00c0"},
           row{header::v1_6,
               "44415441 00000000 00000000 01000000 0100 0f000000 0600000000000000 "
               "07 02 02000000 03000000 02 0000003f 020406080a0c"},
           row{header::v1_6,
               "44415441 00000000 00000000 01000000 0100 18000000 0600000000000000 "
               "07 02 02000000 03000000 03 00 02000000 0000803f 0000003f "
               "010203080a0c"},
           row{header::v1_6,
               "44415441 00000000 00000000 01000000 0100 1e000000 0800000000000000 "
               "07 01 08000000 04 0400 02 02000000 03000000 02000000 0000003f "
               "0000803e 0204060814180000"},
       }) {
    INFO(r.hex);
    const auto source = container(r.form, {r.hex}, {.flags = r.flags});
    CHECK(written(source, false) == source);
  }
  const auto source =
      container(header::v1_8, {"44415441 00000000 00000000 01000000 0100 1e000000 "
                               "0800000000000000 07 01 08000000 04 0400 02 02000000 03000000 "
                               "02000000 0000003f 0000803e 0204060814180000"});
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const nac::tensor t = *file->tensors().begin();
  CHECK(t.block == 4);
  CHECK(t.shape[0] == 8);
  CHECK(t.value_shape()[1] == 3);
  CHECK(t.scales[1] == 0.25f);
}

TEST_CASE("nac/write: parts that were built are read again", "[nac]") {
  const nac::parts p = sound();
  const auto out = nac::write(p);
  REQUIRE(out);
  CHECK(*nac::written_size(p) == out->size());
  const auto file = nac::read(bytes_of(*out));
  REQUIRE(file);
  CHECK(file->header() == header::v1_8);
  CHECK(file->operation_name(32) == "a.b");
  CHECK(file->tensors().begin()->data.size() == 4);
  CHECK(file->resources().begin()->name == "r.b");
  CHECK(file->arrays().begin()->shape[0] == 4);
  CHECK(file->input_names().begin()->text == "x");
}

TEST_CASE("nac/write: a sink gets pieces, payloads as they are, and can stop", "[nac]") {
  nac::parts p = sound();
  const std::vector<std::byte> large(100'000, std::byte{7});
  p.resources[0].data = nac::parts::borrow(large);
  struct state {
    std::vector<std::byte> all;
    const std::byte* wanted;
    std::size_t left;  // calls before it stops
    bool seen = false;
  };
  const auto put = [](void* to, bytes piece) {
    auto& s = *static_cast<state*>(to);
    s.seen = s.seen || piece.data() == s.wanted;
    s.all.insert(s.all.end(), piece.begin(), piece.end());
    return s.left-- != 0;
  };
  state whole{{}, large.data(), 1000};
  CHECK(nac::write(p, nac::sink{&whole, put}) == error{});
  CHECK(whole.seen);
  CHECK(whole.all == vector_of(bytes_of(*nac::write(p))));
  const std::size_t calls = 1000 - whole.left;
  CHECK(calls == 3);
  for (std::size_t n = 0; n < calls; ++n) {
    state some{{}, nullptr, n};
    CHECK(nac::write(p, nac::sink{&some, put}) == error{errc::nac_write_stopped, 0});
    CHECK(some.left == SIZE_MAX);  // no call after the one that said no
    CHECK(some.all.size() <= whole.all.size());
  }
}

TEST_CASE("nac/write: a payload that is made while it is written", "[nac]") {
  struct maker {
    std::uint64_t fails_at;
  };
  const auto read = [](const void* context, std::uint64_t key, std::uint64_t first, std::byte* to,
                       std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<std::byte>((key + first + i) * 7 & 0xff);
    return first < static_cast<const maker*>(context)->fails_at;
  };
  const maker whole{UINT64_MAX}, fails{4096};
  nac::payload_source source{&whole, read};
  std::vector<std::byte> made(10'001);
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = static_cast<std::byte>((5 + i) * 7 & 0xff);
  nac::parts p = sound(), q = sound();
  p.tensors[0].data = {nullptr, 5, made.size(), &source};
  q.tensors[0].data = nac::parts::borrow(made);
  CHECK(*nac::written_size(p) == *nac::written_size(q));
  CHECK(*nac::write(p) == *nac::write(q));
  source.context = &fails;
  CHECK(nac::write(p).error() == error{errc::nac_write_stopped, 0});
}

TEST_CASE("nac/write: what no header can say is refused", "[nac]") {
  nac::parts p = sound();
  p.form = static_cast<header>(3);
  check_refused(p, {errc::nac_write_form, 0});
  p = sound();
  p.quantization = static_cast<nac::quantization>(5);
  check_refused(p, {errc::nac_write_quantization, 0});
  p = sound();
  p.form = header::v1_7;
  check_refused(p, {errc::nac_write_arrays, 0});
  p.arrays.clear();
  CHECK(nac::write(p));
  p.form = header::v1_6;
  CHECK(nac::write(p));
  p.training_flag = true;
  check_refused(p, {errc::nac_write_training, 0});
  p.training_flag = false;
  p.has_training = true;
  check_refused(p, {errc::nac_write_training, 0});
  p = sound();
  p.internal_weights = false;
  check_refused(p, {errc::nac_write_weights, 0});
  p.tensors.clear();
  CHECK(nac::write(p));
  p = sound();
  p.training.push_back({2, 0, {}, {}});
  check_refused(p, {errc::nac_write_absent, 0});
  p.has_training = true;
  CHECK(nac::write(p));
  p.manifest = p.keep(from_hex("00"));
  check_refused(p, {errc::nac_write_absent, 0});
  p.has_manifest = true;
  CHECK(nac::write(p));
}

TEST_CASE("nac/write: counts and lengths are refused one above their limit", "[nac]") {
  const std::string long_text(65536, 'T');
  nac::parts p = sound();
  for (int i = 1; i < 65535; ++i) p.instructions.push_back({2, 0, {}, {}});
  CHECK(nac::written_size(p));
  p.instructions.push_back({2, 0, {}, {}});
  check_refused(p, {errc::nac_too_many_instructions, 65535});

  struct row {
    pool<nac::named_part> nac::parts::*rows;
    std::size_t longest;
    errc too_long;
    std::uint16_t last;
    errc too_large;
  };
  for (const row& r :
       {row{&nac::parts::operations, 255, errc::nac_write_operation_name, 255,
            errc::nac_write_operation_id},
        row{&nac::parts::signatures, 255, errc::nac_write_signature, 255,
            errc::nac_write_signature_id},
        row{&nac::parts::parameters, 65535, errc::nac_write_name, 65535, errc::ok},
        row{&nac::parts::input_names, 65535, errc::nac_write_name, 65535, errc::ok}}) {
    p = sound();
    const std::size_t index = (p.*r.rows).size();
    p.add_name(p.*r.rows, r.last, long_text.substr(0, r.longest));
    CHECK(nac::write(p));
    (p.*r.rows)[index].text = p.add_string(long_text.substr(0, r.longest + 1));
    check_refused(p, {r.too_long, index});
    if (r.too_large == errc::ok) continue;
    (p.*r.rows)[index].text = p.add_string("T");
    (p.*r.rows)[index].id = 256;
    check_refused(p, {r.too_large, index});
  }

  p = sound();
  p.commands.resize(256);
  p.schedule.push_back({0, {0, 255}});
  CHECK(nac::write(p));
  p.schedule.push_back({0, {0, 256}});
  check_refused(p, {errc::nac_write_commands, 1});

  p = sound();
  p.constants.push_back(
      {2, nac::constant_type::string, 0, p.add_string(long_text.substr(0, 65535))});
  CHECK(nac::write(p));
  p.constants[1].values = p.add_string(long_text);
  check_refused(p, {errc::nac_write_string, 1});
  for (const nac::constant_type list :
       {nac::constant_type::int32_list, nac::constant_type::float32_list}) {
    p = sound();
    p.numbers.resize(70'000);
    p.plan_constants.push_back({0, list, 0, {4, 65535}});
    CHECK(nac::write(p));
    p.plan_constants[0].values.size = 65536;
    check_refused(p, {errc::nac_write_list, 0});
  }
  p = sound();
  p.constants[0].type = static_cast<nac::constant_type>(7);
  check_refused(p, {errc::nac_write_constant_type, 0});

  p = sound();
  p.resources[0].name = p.add_string(long_text);
  check_refused(p, {errc::nac_write_name, 0});
  p = sound();
  p.arrays[0].name = p.add_string(long_text);
  check_refused(p, {errc::nac_write_name, 0});
}

TEST_CASE("nac/write: instructions that don't fit their signature or kind are refused", "[nac]") {
  struct row {
    nac::instruction_part i;
    errc code;
  };
  // Words 0 to 3 of the pool: 1, 32767, 32768, 65535; then zeros, and 2 1 at 8.
  const auto refused = [](header form, nac::instruction_part i, errc code) {
    nac::parts p = sound();
    p.form = form;
    p.arrays.clear();
    const std::uint16_t words[] = {1, 32767, 32768, 65535, 0, 0, 0, 0, 2, 1};
    (void)p.add_words({words, 10});
    p.words.resize(40'000);
    p.instructions.push_back(i);
    INFO(int{i.a} << ' ' << int{i.b} << ' ' << i.c.size << ' ' << i.d.size);
    if (code == errc::ok)
      CHECK(nac::write(p));
    else
      check_refused(p, {code, 1});
  };
  for (const row& r : {
           row{{11, 1, {}, {0, 2}}, errc::ok},
           row{{11, 3, {}, {0, 2}}, errc::nac_write_signature_unknown},
           row{{11, 0, {}, {}}, errc::ok},
           row{{11, 0, {}, {0, 1}}, errc::nac_write_arguments},
           row{{11, 1, {}, {0, 1}}, errc::nac_write_arguments},
           row{{11, 1, {}, {0, 3}}, errc::nac_write_arguments},
           row{{11, 1, {0, 1}, {0, 2}}, errc::nac_write_constants},
           row{{11, 0, {0, 1}, {}}, errc::nac_write_constants},
           row{{11, 2, {}, {0, 2}}, errc::ok},
           row{{11, 2, {0, 2}, {0, 2}}, errc::ok},
           row{{11, 2, {2, 1}, {0, 2}}, errc::nac_write_id},
           row{{11, 2, {0, 4}, {0, 2}}, errc::nac_write_id},
           row{{11, 2, {10, 32767}, {0, 2}}, errc::ok},
           row{{11, 2, {10, 32768}, {0, 2}}, errc::nac_write_long_c},
           row{{2, 0, {}, {}}, errc::ok},
           row{{2, 0, {0, 1}, {}}, errc::nac_write_words},
           row{{2, 0, {}, {0, 1}}, errc::nac_write_words},
           row{{2, 1, {1, 1}, {}}, errc::ok},
           row{{2, 1, {2, 1}, {}}, errc::nac_write_id},
           row{{2, 2, {2, 1}, {}}, errc::nac_write_id},
           row{{2, 3, {2, 1}, {}}, errc::nac_write_id},
           row{{2, 1, {}, {}}, errc::nac_write_words},
           row{{2, 1, {0, 2}, {}}, errc::nac_write_words},
           row{{2, 6, {0, 1}, {}}, errc::nac_write_input},
           row{{3, 0, {4, 1}, {0, 1}}, errc::ok},
           row{{3, 2, {3, 1}, {0, 1}}, errc::ok},
           row{{3, 0, {}, {0, 1}}, errc::nac_write_words},
           row{{3, 0, {4, 1}, {0, 2}}, errc::nac_write_words},
           row{{3, 0, {4, 2}, {0, 2}}, errc::nac_write_words},
           row{{3, 5, {4, 1}, {0, 1}}, errc::nac_write_output},
           row{{6, 0, {2, 2}, {0, 1}}, errc::ok},
           row{{6, 0, {2, 3}, {0, 1}}, errc::nac_write_words},
           row{{6, 0, {2, 2}, {}}, errc::nac_write_words},
           row{{7, 9, {2, 2}, {4, 1}}, errc::ok},
           row{{7, 9, {2, 2}, {0, 1}}, errc::nac_write_words},
           row{{7, 9, {2, 2}, {}}, errc::nac_write_words},
           row{{7, 9, {2, 2}, {8, 3}}, errc::ok},
           row{{7, 9, {2, 2}, {8, 2}}, errc::nac_write_words},
           row{{7, 9, {2, 2}, {4, 2}}, errc::nac_write_words},
           row{{7, 9, {2, 2}, {2, 2}}, errc::ok},  // a count below 0 is none
           row{{7, 9, {4, 32767}, {4, 1}}, errc::ok},
           row{{7, 9, {4, 32768}, {4, 1}}, errc::nac_write_long_c},
           row{{1, 3, {}, {}}, errc::ok},
           row{{0, 0, {0, 1}, {}}, errc::nac_write_words},
           row{{9, 0, {}, {0, 1}}, errc::nac_write_words},
       }) {
    refused(header::v1_6, r.i, r.code);
    refused(header::v1_8, r.i, r.code);
  }
  for (const row& r : {
           row{{2, 4, {3, 1}, {}}, errc::nac_write_input},
           row{{2, 5, {3, 1}, {}}, errc::nac_write_input},
           row{{3, 3, {0, 1}, {0, 2}}, errc::nac_write_output},
           row{{3, 4, {}, {0, 1}}, errc::nac_write_output},
       }) {
    refused(header::v1_6, r.i, r.code);
    refused(header::v1_7, r.i, errc::ok);
    refused(header::v1_8, r.i, errc::ok);
  }
  refused(header::v1_8, {3, 3, {2, 1}, {0, 2}}, errc::nac_write_id);
  refused(header::v1_8, {3, 3, {0, 1}, {0, 1}}, errc::nac_write_words);
  refused(header::v1_8, {3, 4, {0, 1}, {0, 1}}, errc::nac_write_words);
  refused(header::v1_8, {3, 4, {}, {}}, errc::nac_write_words);

  nac::parts p = sound();  // an OUTPUT's prefix counts one more than there are outputs
  p.words.resize(40'000);
  p.outputs = 32766;
  p.instructions.push_back({3, 0, {0, 32766}, {0, 32766}});
  CHECK(nac::write(p));
  p.outputs = 32767;
  p.instructions[1] = {3, 0, {0, 32767}, {0, 32767}};
  check_refused(p, {errc::nac_write_long_c, 1});

  p = sound();  // the same checks in TRNG, and the last signature of an id counts
  p.has_training = true;
  p.training.push_back({11, 1, {}, {}});
  check_refused(p, {errc::nac_write_arguments, 0});
  p.add_name(p.signatures, 1, "");
  CHECK(nac::write(p));
}

TEST_CASE("nac/write: tensors and arrays that no record can hold are refused", "[nac]") {
  using nac::quantization;
  struct row {
    quantization method;
    std::uint8_t axis;
    std::uint16_t block;
    std::uint32_t original, scales;
    errc code;
  };
  for (const row& r : {
           row{quantization::none, 0, 0, 0, 0, errc::ok},
           row{quantization::fp16, 0, 0, 0, 0, errc::ok},
           row{quantization::int8_tensor, 0, 0, 0, 1, errc::ok},
           row{quantization::int8_channel, 9, 0, 0, 3, errc::ok},
           row{quantization::block_fp8, 0, 64, 255, 3, errc::ok},
           row{quantization::none, 1, 0, 0, 0, errc::nac_write_tensor_fields},
           row{quantization::none, 0, 1, 0, 0, errc::nac_write_tensor_fields},
           row{quantization::fp16, 0, 0, 1, 0, errc::nac_write_tensor_fields},
           row{quantization::none, 0, 0, 0, 1, errc::nac_write_tensor_fields},
           row{quantization::int8_tensor, 0, 0, 0, 0, errc::nac_write_tensor_fields},
           row{quantization::int8_tensor, 0, 0, 0, 2, errc::nac_write_tensor_fields},
           row{quantization::int8_channel, 0, 4, 0, 2, errc::nac_write_tensor_fields},
           row{quantization::int8_channel, 0, 0, 1, 2, errc::nac_write_tensor_fields},
           row{quantization::block_fp8, 1, 64, 1, 1, errc::nac_write_tensor_fields},
           row{quantization::block_fp8, 0, 0, 1, 1, errc::nac_write_block_size},
           row{quantization::block_fp8, 0, 1, 256, 1, errc::nac_write_rank},
           row{static_cast<quantization>(5), 0, 0, 0, 0, errc::nac_write_tensor_quantization},
       }) {
    INFO(int(r.method) << ' ' << r.scales);
    nac::parts p = sound();
    p.numbers.resize(300);
    nac::tensor_part& t = p.tensors[0];
    t.quantization = r.method;
    t.axis = r.axis;
    t.block = r.block;
    t.original_shape = {0, r.original};
    t.scales = {1, r.scales};
    if (r.code == errc::ok) {
      const auto out = nac::write(p);
      REQUIRE(out);
      const auto file = nac::read(bytes_of(*out));
      REQUIRE(file);
      const nac::tensor read = *file->tensors().begin();
      CHECK(read.axis == r.axis);
      CHECK(read.block == r.block);
      CHECK(read.original_shape.size() == r.original);
      CHECK(read.scales.size() == r.scales);
    } else {
      check_refused(p, {r.code, 0});
    }
  }
  nac::parts p = sound();
  p.numbers.resize(300);
  p.tensors[0].shape = {0, 255};
  p.arrays[0].shape = {0, 255};
  CHECK(nac::write(p));
  p.arrays[0].shape = {0, 256};
  check_refused(p, {errc::nac_write_rank, 0});
  p.tensors[0].shape = {0, 256};
  check_refused(p, {errc::nac_write_rank, 0});
  p = sound();
  p.tensors[0].type = static_cast<nac::data_type>(10);
  check_refused(p, {errc::nac_write_data_type, 0});
  p = sound();
  p.arrays[0].type = static_cast<nac::data_type>(255);
  check_refused(p, {errc::nac_write_data_type, 0});
}

TEST_CASE("nac/write: payloads beyond 32 and 64 bits are refused", "[nac]") {
  // Only sizes are examined before anything is written; nobody reads these bytes.
  const std::byte byte{};
  const nac::payload most{&byte, 0, UINT32_MAX}, more{&byte, 0, std::uint64_t{1} << 32};
  nac::parts p = sound();
  p.resources[0].data = most;
  CHECK(*nac::written_size(p) > UINT32_MAX);
  p.resources[0].data = more;
  CHECK(nac::written_size(p).error() == error{errc::nac_write_resource, 0});
  for (nac::payload nac::parts::*member : {&nac::parts::manifest, &nac::parts::plan}) {
    p = sound();
    p.has_manifest = true;
    p.*member = most;
    CHECK(*nac::written_size(p) > UINT32_MAX);
    p.*member = more;
    CHECK(nac::written_size(p).error() == error{errc::nac_write_bytecode, 0});
  }
  // What a tensor's metadata are refused for: 2^30 scales of 4 bytes.
  nac::tensor_part t;
  t.quantization = nac::quantization::block_fp8;
  t.shape.size = 1;
  t.original_shape.size = 2;
  t.scales.size = 1u << 30;
  CHECK(nac::detail::part_checker::metadata_size(t) ==
        (std::uint64_t{1} << 32) + 2 + 4 + 1 + 3 + 8 + 4);
  if (sizeof(std::size_t) < 8) return;
  p = sound();
  p.tensors[0].data = {&byte, 0, std::uint64_t{1} << 63};
  CHECK(*nac::written_size(p) > std::uint64_t{1} << 63);
  p.tensors.push_back(p.tensors[0]);
  check_refused(p, {errc::nac_write_size, 0});
}

TEST_CASE("nac/write: ranges outside of their pools are refused", "[nac]") {
  const nac::range outside{0, 70'000}, after{70'000, 0}, wrapping{UINT32_MAX, UINT32_MAX};
  for (const nac::range& r : {outside, after, wrapping}) {
    INFO(r.first << ' ' << r.size);
    const auto refused = [&](auto spoil) {
      nac::parts p = sound();
      spoil(p);
      check_refused(p, {errc::nac_write_range, 0});
    };
    refused([&](nac::parts& p) { p.operations[0].text = r; });
    refused([&](nac::parts& p) { p.signatures[0].text = r; });
    refused([&](nac::parts& p) { p.parameters[0].text = r; });
    refused([&](nac::parts& p) { p.input_names[0].text = r; });
    refused([&](nac::parts& p) { p.schedule.push_back({0, r}); });
    refused([&](nac::parts& p) { p.instructions[0].c = r; });
    refused([&](nac::parts& p) { p.instructions[0].d = r; });
    refused([&](nac::parts& p) { p.constants[0] = {1, nac::constant_type::string, 0, r}; });
    refused([&](nac::parts& p) { p.constants[0] = {1, nac::constant_type::int32_list, 0, r}; });
    refused([&](nac::parts& p) { p.tensors[0].shape = r; });
    refused([&](nac::parts& p) { p.tensors[0].original_shape = r; });
    refused([&](nac::parts& p) { p.tensors[0].scales = r; });
    refused([&](nac::parts& p) { p.tensors[0].data = {nullptr, 2, 70'000}; });
    refused([&](nac::parts& p) { p.tensors[0].data = {nullptr, ~std::uint64_t{0}, 2}; });
    refused([&](nac::parts& p) { p.resources[0].name = r; });
    refused([&](nac::parts& p) { p.resources[0].data = {nullptr, 0, 6}; });
    refused([&](nac::parts& p) { p.arrays[0].name = r; });
    refused([&](nac::parts& p) { p.arrays[0].shape = r; });
    refused([&](nac::parts& p) { p.arrays[0].data = {nullptr, 6, 1}; });
    refused([&](nac::parts& p) { p.plan = {nullptr, 0, 6}; });
  }
}

TEST_CASE("nac/write: errors name the element of parts", "[nac]") {
  const auto shown = [](auto change) {
    nac::parts p = sound();
    change(p);
    const text t = describe(nac::write(p).error(), bytes(), "m");
    return std::string(t.view().substr(t.view().find('[')));
  };
  const nac::range outside{1u << 20, 1};
  using nac::parts;
  CHECK(shown([](parts& p) { p.form = static_cast<header>(3); }) == "[nac_write_form]\n");
  CHECK(shown([&](parts& p) { p.operations[0].text = outside; }) ==
        "[nac_write_range] at operation 0\n");
  CHECK(shown([&](parts& p) { p.signatures[1].text = outside; }) ==
        "[nac_write_range] at signature 1\n");
  CHECK(shown([&](parts& p) { p.parameters[0].text = outside; }) ==
        "[nac_write_range] at parameter 0\n");
  CHECK(shown([&](parts& p) { p.input_names[0].text = outside; }) ==
        "[nac_write_range] at input name 0\n");
  CHECK(shown([&](parts& p) { p.instructions[0].c = outside; }) ==
        "[nac_write_range] at instruction 0\n");
  CHECK(shown([](parts& p) { p.constants[0].type = static_cast<nac::constant_type>(99); }) ==
        "[nac_write_constant_type] at constant 0\n");
  CHECK(shown([&](parts& p) { p.tensors[0].shape = outside; }) ==
        "[nac_write_range] at tensor 0\n");
  CHECK(shown([](parts& p) { p.arrays[0].type = static_cast<nac::data_type>(99); }) ==
        "[nac_write_data_type] at array 0\n");
  CHECK(shown([&](parts& p) { p.resources[0].name = outside; }) ==
        "[nac_write_range] at resource 0\n");
}
