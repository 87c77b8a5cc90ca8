// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reading containers: what the records say, and every error with its offset.

#include "nac/support.hpp"
// support.hpp comes first.
#include <tessera/core/bytes.hpp>
#include <tuple>
#include <utility>

#include "nac/container.hpp"
#include "support/allocations.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

using nac::header;
using nac::section;

void check_error(const std::vector<std::byte>& source, error expected) {
  const std::vector<std::byte> exact(source);  // of no more room than its size
  const auto file = nac::read(bytes(exact));
  REQUIRE_FALSE(file);
  CHECK(file.error().name() == expected.name());
  CHECK(file.error().offset == expected.offset);
}

/// One edit of a small file, and what reading it says.
struct edit {
  const char* file;
  std::size_t at;
  const char* hex;
  errc code;
  std::uint64_t offset;
};

/// A bound for the section in front of it, by slot 8 of mini_v16, which names nothing else: the
/// tag there is unknown.
struct bound {
  std::uint64_t at;
  errc code;
  std::uint64_t offset;
};

}  // namespace

TEST_CASE("nac/read: small files of versions 1.6, 1.7 and 1.8", "[nac]") {
  struct row {
    const char* name;
    header form;
  };
  for (const row& r : {row{"mini_v16", header::v1_6}, row{"mini_v17", header::v1_7},
                       row{"mini_v18", header::v1_8}}) {
    INFO(r.name);
    const auto source = hex_file(r.name);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    CHECK(file->header() == r.form);
    CHECK(file->version() == (r.form == header::v1_6 ? 1 : 2));
    CHECK(file->quantization() == nac::quantization::none);
    CHECK(file->has_internal_weights());
    CHECK_FALSE(file->has_training_flag());
    CHECK(file->inputs() == 1);
    CHECK(file->outputs() == 1);
    CHECK(file->d_model() == 3);
    CHECK_FALSE(file->has(section::proc));
    CHECK(file->section(section::proc).empty());
    CHECK(file->has(section::arrs) == (r.form == header::v1_8));

    REQUIRE(file->instructions().size() == 6);
    std::vector<nac::instruction> all;
    for (const nac::instruction& i : file->instructions()) all.push_back(i);
    CHECK(all[0].a == nac::op_input);
    CHECK_FALSE(all[0].has_prefix);
    CHECK(all[2].prefix == 1);
    REQUIRE(all[2].c.size() == 1);
    CHECK(all[2].c[0] == 2);
    REQUIRE(all[3].d.size() == 3);
    CHECK(all[3].d[0] == -3);
    CHECK(all[3].c.empty());
    CHECK(file->operation_name(all[3].a) == "aten.linear.default");
    CHECK(file->operation_name(all[4].a) == "nac.add");
    CHECK(file->signature(all[4].b) == "Tf");
    CHECK(file->has_constants(all[4].b));
    CHECK_FALSE(file->has_constants(all[3].b));
    CHECK(all[4].c[0] == 2);
    CHECK(all[4].d[1] == 0);
    CHECK(all[5].index == 5);

    auto constant = file->constants().begin();
    CHECK(constant->type == nac::constant_type::null);
    ++constant;
    CHECK(constant->id == 2);
    CHECK(constant->float64() == 1.5);
    auto parameter = file->parameters().begin();
    CHECK(parameter->text == "fc.weight");
    ++parameter;
    CHECK(parameter->text == "fc.bias");
    CHECK(file->input_names().begin()->text == "x");
    auto tensor = file->tensors().begin();
    CHECK(tensor->shape.size() == 2);
    CHECK(tensor->shape[1] == 3);
    CHECK(load_le<float>(tensor->data.data() + 20) == 6);
    ++tensor;
    CHECK(tensor->id == 2);
    CHECK(load_le<float>(tensor->data.data() + 4) == -0.5f);
  }
}

// mini_v16: MMAP 88, OPS 96, CMAP 144, CNST 174, PERM 200, DATA 223, ORCH 346; 358 bytes.
//   OPS   count 100; instructions 104 106 112 118 126 136
//   CMAP  count 148; row 152, its text 155
//   CNST  count 178; null 182; float64 187: type 189, length 190, payload 192
//   PERM  count 204; rows 208 214 219
//   DATA  counts 227 255 264; rows 231 244, 259; tensors 268 317, metadata 282 331, elements 293 338
//   ORCH  bytecode 350, constants 354
TEST_CASE("nac/read: every error of edited files, with its offset", "[nac]") {
  for (const edit& e : {
           edit{"mini_v16", 0, "4f", errc::nac_magic, 0},
           edit{"mini_v16", 1, "00", errc::nac_magic, 1},
           edit{"mini_v16", 2, "63", errc::nac_magic, 2},
           edit{"mini_v16", 3, "00", errc::nac_version, 3},
           edit{"mini_v16", 3, "03", errc::nac_version, 3},
           edit{"mini_v16", 3, "ff", errc::nac_version, 3},
           edit{"mini_v16", 12, "5a", errc::nac_header_90, 12},
           edit{"mini_v16", 4, "85", errc::nac_quantization, 4},
           edit{"mini_v16", 4, "c0", errc::nac_quantization, 4},
           edit{"mini_v18", 4, "c5", errc::nac_quantization, 4},
           edit{"mini_v18", 4, "a0", errc::nac_quantization, 4},
           // offsets: inside the header, with less than a tag before the end, beyond it
           edit{"mini_v16", 20, "57", errc::nac_section_offset, 20},
           edit{"mini_v16", 20, "6301", errc::nac_section_offset, 20},
           edit{"mini_v16", 20, "ffffffffffffffff", errc::nac_section_offset, 20},
           edit{"mini_v16", 68, "6701", errc::nac_section_offset, 68},
           edit{"mini_v17", 20, "5b", errc::nac_section_offset, 12},
           edit{"mini_v18", 92, "ffffffffffffffff", errc::nac_section_offset, 92},
           edit{"mini_v16", 76, "62", errc::nac_section_offset, 96},  // inside the tag of OPS
           edit{"mini_v16", 76, "60", errc::nac_section_repeated, 76},
           edit{"mini_v18", 76, "6c", errc::nac_section_repeated, 76},
           // counts
           edit{"mini_v16", 92, "01", errc::nac_count, 92},
           edit{"mini_v16", 92, "ffffffff", errc::too_many_items, 92},
           edit{"mini_v16", 100, "15", errc::nac_count, 100},
           edit{"mini_v16", 100, "ffffffff", errc::too_many_items, 100},
           edit{"mini_v16", 148, "08", errc::nac_count, 148},
           edit{"mini_v16", 178, "04", errc::nac_count, 178},
           edit{"mini_v16", 204, "06", errc::nac_count, 204},
           edit{"mini_v16", 227, "1d", errc::nac_count, 227},
           edit{"mini_v16", 255, "16", errc::nac_count, 255},
           edit{"mini_v16", 264, "06", errc::nac_count, 264},
           edit{"mini_v16", 264, "01000008", errc::too_many_items, 264},
           edit{"mini_v16", 264, "00000008", errc::nac_count, 264},
           edit{"mini_v16", 354, "01", errc::nac_count, 354},
           edit{"mini_v16", 354, "01000008", errc::too_many_items, 354},
           // instructions
           edit{"mini_v16", 100, "07", errc::nac_truncated, 144},
           edit{"mini_v16", 7, "ffff", errc::nac_truncated, 138},
           edit{"mini_v16", 7, "02", errc::nac_truncated, 144},
           edit{"mini_v16", 128, "ff7f", errc::nac_truncated, 128},
           edit{"mini_v16", 119, "09", errc::nac_signature_unknown, 119},
           edit{"mini_v16", 119, "ff", errc::nac_signature_unknown, 119},
           edit{"mini_v16", 107, "04", errc::nac_input_variant, 107},
           edit{"mini_v16", 107, "05", errc::nac_input_variant, 107},
           edit{"mini_v16", 107, "ff", errc::nac_input_variant, 107},
           edit{"mini_v18", 119, "06", errc::nac_input_variant, 119},
           edit{"mini_v16", 137, "03", errc::nac_output_variant, 137},
           edit{"mini_v16", 137, "04", errc::nac_output_variant, 137},
           edit{"mini_v18", 149, "05", errc::nac_output_variant, 149},
           // records
           edit{"mini_v16", 154, "14", errc::nac_truncated, 155},
           edit{"mini_v16", 189, "07", errc::nac_constant_type, 189},
           edit{"mini_v16", 189, "ff", errc::nac_constant_type, 189},
           edit{"mini_v16", 190, "04", errc::nac_constant_length, 190},
           edit{"mini_v16", 189, "020900", errc::nac_constant_length, 190},
           edit{"mini_v16", 189, "040900", errc::nac_truncated, 192},
           edit{"mini_v16", 189, "050300", errc::nac_truncated, 192},
           edit{"mini_v16", 189, "06ffff", errc::nac_truncated, 192},
           edit{"mini_v16", 221, "02", errc::nac_truncated, 222},
           edit{"mini_v16", 246, "ffff", errc::nac_truncated, 248},
           edit{"mini_v16", 261, "ffff", errc::nac_truncated, 263},
           edit{"mini_v16", 270, "ffffffff", errc::nac_truncated, 270},
           edit{"mini_v16", 281, "10", errc::nac_truncated, 274},  // 2^60 and 24 bytes
           edit{"mini_v16", 323, "09", errc::nac_truncated, 323},
           edit{"mini_v16", 350, "01", errc::nac_truncated, 350},
           edit{"mini_v16", 350, "ffffffff", errc::nac_truncated, 350},
           // tensors
           edit{"mini_v16", 282, "0a", errc::nac_data_type, 282},
           edit{"mini_v16", 282, "ff", errc::nac_data_type, 282},
           edit{"mini_v16", 292, "05", errc::nac_tensor_quantization, 292},
           edit{"mini_v16", 283, "ff", errc::nac_tensor_metadata, 283},
           edit{"mini_v16", 283, "03", errc::nac_tensor_metadata, 283},
           edit{"mini_v16", 283, "01", errc::nac_tensor_metadata, 290},
           edit{"mini_v16", 270, "00", errc::nac_tensor_metadata, 282},
           edit{"mini_v16", 270, "01", errc::nac_tensor_metadata, 282},
           edit{"mini_v16", 270, "0a", errc::nac_tensor_metadata, 292},
           edit{"mini_v16", 270, "0c", errc::nac_tensor_metadata, 293},
           edit{"mini_v16", 292, "02", errc::nac_tensor_metadata, 293},
           edit{"mini_v16", 292, "03", errc::nac_tensor_metadata, 293},
           edit{"mini_v16", 292, "04", errc::nac_tensor_metadata, 293},
       }) {
    INFO(e.file << " with " << e.hex << " at " << e.at);
    check_error(edited(hex_file(e.file), e.at, e.hex), {e.code, e.offset});
  }
}

TEST_CASE("nac/read: a section that ends inside any of its fields", "[nac]") {
  for (const bound& b :
       {bound{92, errc::nac_truncated, 92},   bound{95, errc::nac_truncated, 92},
        bound{100, errc::nac_truncated, 100}, bound{103, errc::nac_truncated, 100},
        bound{115, errc::nac_count, 100},     bound{117, errc::nac_truncated, 114},
        bound{127, errc::nac_truncated, 126}, bound{129, errc::nac_truncated, 128},
        bound{131, errc::nac_truncated, 128}, bound{135, errc::nac_truncated, 132},
        bound{139, errc::nac_truncated, 138}, bound{141, errc::nac_truncated, 138},
        bound{143, errc::nac_truncated, 142}, bound{148, errc::nac_truncated, 148},
        bound{151, errc::nac_truncated, 148}, bound{154, errc::nac_count, 148},
        bound{155, errc::nac_truncated, 155}, bound{173, errc::nac_truncated, 155},
        bound{178, errc::nac_truncated, 178}, bound{191, errc::nac_count, 178},
        bound{192, errc::nac_truncated, 192}, bound{199, errc::nac_truncated, 192},
        bound{207, errc::nac_truncated, 204}, bound{216, errc::nac_count, 204},
        bound{217, errc::nac_truncated, 217}, bound{221, errc::nac_truncated, 219},
        bound{222, errc::nac_truncated, 222}, bound{230, errc::nac_truncated, 227},
        bound{238, errc::nac_count, 227},     bound{239, errc::nac_truncated, 235},
        bound{247, errc::nac_truncated, 244}, bound{254, errc::nac_truncated, 248},
        bound{255, errc::nac_truncated, 255}, bound{258, errc::nac_truncated, 255},
        bound{262, errc::nac_count, 255},     bound{263, errc::nac_truncated, 263},
        bound{264, errc::nac_truncated, 264}, bound{267, errc::nac_truncated, 264},
        bound{295, errc::nac_count, 264},     bound{296, errc::nac_truncated, 274},
        bound{330, errc::nac_truncated, 317}, bound{345, errc::nac_truncated, 323},
        bound{350, errc::nac_truncated, 350}, bound{354, errc::nac_truncated, 350}}) {
    INFO("bound at " << b.at);
    std::vector<std::byte> source = hex_file("mini_v16");
    store_le(source.data() + 76, b.at);
    check_error(source, {b.code, b.offset});
  }
}

TEST_CASE("nac/read: headers that end early", "[nac]") {
  struct row {
    const char* file;
    std::size_t size;
  };
  for (const row& r :
       {row{"mini_v16", 0}, row{"mini_v16", 2}, row{"mini_v16", 3}, row{"mini_v16", 4},
        row{"mini_v16", 87}, row{"mini_v17", 91}, row{"mini_v18", 99}}) {
    INFO(r.file << " of " << r.size);
    auto source = hex_file(r.file);
    source.resize(r.size);
    check_error(source, {errc::nac_header_truncated, r.size});
  }
  check_error(from_hex("4d"), {errc::nac_magic, 0});
}

TEST_CASE("nac/read: errors of sections that the small files don't have", "[nac]") {
  struct row {
    header form;
    section where;
    const char* hex;
    errc code;
    std::uint64_t offset;  // from the section's tag
  };
  const char* const block =
      "44415441 00000000 00000000 01000000 0100 1e000000 0800000000000000 07 01 08000000 04 ";
  const std::string base(block);
  for (const row& r : {
           row{header::v1_6, section::mmap, "4d4d4150 01000000 2b00 04 141a00 0a2b00 282c00",
               errc::nac_truncated, 11},
           row{header::v1_6, section::mmap, "4d4d4150 02000000 2b00 01 141a00 0a2b",
               errc::nac_truncated, 14},
           row{header::v1_6, section::cnst, "434e5354 02000000 0100 04 0100 61 0200 0000",
               errc::nac_truncated, 14},
           row{header::v1_6, section::cnst, "434e5354 01000000 0100 01 0000", errc::nac_truncated,
               13},
           row{header::v1_6, section::proc, "50524f43 0a0000", errc::nac_truncated, 4},
           row{header::v1_6, section::proc, "50524f43 0b000000 5449534101 01 00000000",
               errc::nac_truncated, 4},
           row{header::v1_6, section::orch,
               "4f524348 01000000 02000000 ff 0000 02 0800 0700000000000000 0100 04 0200 76",
               errc::nac_truncated, 31},
           row{header::v1_6, section::orch, "4f524348 01000000 01000000 ff 0000 07 0000",
               errc::nac_constant_type, 15},
           row{header::v1_6, section::rsrc, "52535243 010000", errc::nac_truncated, 4},
           row{header::v1_6, section::rsrc, "52535243 01000000 0500 612e74", errc::nac_count, 4},
           row{header::v1_6, section::rsrc, "52535243 01000000 0500 612e7478", errc::nac_truncated,
               10},
           row{header::v1_6, section::rsrc, "52535243 01000000 0500 612e747874 0200",
               errc::nac_truncated, 15},
           row{header::v1_6, section::rsrc, "52535243 01000000 0500 612e747874 03000000 6869",
               errc::nac_truncated, 15},
           row{header::v1_6, section::rsrc, "52535243 02000000 0000 02000000 686900 0000 0000",
               errc::nac_truncated, 18},
           row{header::v1_7, section::trng, "54524e47 01000000 0204", errc::nac_truncated, 10},
           row{header::v1_7, section::trng, "54524e47 01000000 0204 0100", errc::nac_truncated, 10},
           row{header::v1_7, section::trng, "54524e47 01000000 0304", errc::nac_truncated, 10},
           row{header::v1_7, section::trng, "54524e47 01000000 0303 0100 0700 ffff",
               errc::nac_truncated, 14},
           row{header::v1_8, section::trng, "54524e47 01000000 0206", errc::nac_input_variant, 9},
           row{header::v1_8, section::arrs, "41525253 01000000 0100 6d 05 03 01000000 02000000",
               errc::nac_truncated, 12},
           row{header::v1_8, section::arrs, "41525253 01000000 0c00 6d 05 02 01000000 02000000",
               errc::nac_truncated, 10},
           row{header::v1_8, section::arrs, "41525253 01000000 0a00 6d 05 02 01000000 02000000",
               errc::nac_truncated, 20},
           row{header::v1_8, section::arrs, "41525253 01000000 0100 6d 0a 02 01000000 02000000",
               errc::nac_data_type, 11},
           row{header::v1_8, section::arrs,
               "41525253 01000000 0100 6d 05 02 01000000 02000000 10000000", errc::nac_truncated,
               21},
           row{header::v1_8, section::arrs,
               "41525253 01000000 0100 6d 05 02 01000000 02000000 1000000000000000 "
               "0300000000000000 04000000000000",
               errc::nac_truncated, 21},
           row{header::v1_6, section::ops, "4f505320 01000000 0700 0100 ffff ff",
               errc::nac_truncated, 14},
           row{header::v1_6, section::ops, "4f505320 01000000 0700 0100 ffff 0100",
               errc::nac_truncated, 14},
           row{header::v1_6, section::ops, "4f505320 01000000 0700 0100 ffff 0300 0200 0100",
               errc::nac_truncated, 14},
           row{header::v1_6, section::ops, "4f505320 01000000 0600 0300 0400", errc::nac_truncated,
               10},
           row{header::v1_6, section::ops, "4f505320 01000000 0600 0300 0400 0200",
               errc::nac_truncated, 16},
           row{header::v1_6, section::ops, "4f505320 01000000 0202 02", errc::nac_truncated, 10},
       }) {
    INFO(r.hex);
    const auto source = container(r.form, {r.hex});
    check_error(source, {r.code, section_offset(source, r.form, r.where) + r.offset});
  }
  // Tensors: metadata of 30 bytes at 30 from the tag, the block at 37, its rank at 39, its scales
  // at 48.
  for (const auto& [rest, code, offset] :
       {std::tuple{"0000 02 02000000 03000000 02000000 0000003f 0000803e", errc::nac_block_size,
                   37},
        std::tuple{"0400 09 02000000 03000000 02000000 0000003f 0000803e",
                   errc::nac_tensor_metadata, 39},
        std::tuple{"0400 02 02000000 03000000 03000000 0000003f 0000803e",
                   errc::nac_tensor_metadata, 48},
        std::tuple{"0400 02 02000000 03000000 ffffffff 0000003f 0000803e",
                   errc::nac_tensor_metadata, 48},
        std::tuple{"0400 02 02000000 03000000 01000000 0000003f 0000803e",
                   errc::nac_tensor_metadata, 56}}) {
    INFO(rest);
    const std::string hex = base + rest + " 0204060814180000";
    const auto source = container(header::v1_6, {std::string_view(hex)});
    check_error(source, {code, section_offset(source, header::v1_6, section::data) +
                                   static_cast<std::uint64_t>(offset)});
  }
}

TEST_CASE("nac/read: limits hold at their value, and one above is an error", "[nac]") {
  const auto source = hex_file("mini_v16");
  CHECK(nac::read(bytes(source), {.limit = {.max_items = 6}}));
  struct row {
    limits limit;
    error expected;
  };
  for (const row& r : {row{{.max_items = 5}, {errc::too_many_items, 100}},
                       row{{.max_items = 2}, {errc::too_many_items, 204}},
                       row{{.max_bytes = 357}, {errc::input_too_large, 357}},
                       row{{.max_bytes = 0}, {errc::input_too_large, 0}}})
    CHECK(nac::read(bytes(source), {.limit = r.limit}).error() == r.expected);
  CHECK(nac::read(bytes(source), {.limit = {.max_bytes = 358}}));
  const auto plan =
      container(header::v1_6, {"4f524348 00000000 02000000 0000 00 0000 0100 00 0000"});
  CHECK(nac::read(bytes(plan), {.limit = {.max_items = 2}}));
  CHECK(nac::read(bytes(plan), {.limit = {.max_items = 1}}).error() ==
        error{errc::too_many_items, section_offset(plan, header::v1_6, section::orch) + 8});
}

namespace {

/// The source with bytes between its header and its first section.
[[nodiscard]] std::vector<std::byte> with_gap(const std::vector<std::byte>& source, header form,
                                              std::string_view hex) {
  const std::size_t size = nac::header_sizes[static_cast<std::size_t>(form)];
  const auto gap = from_hex(hex);
  std::vector<std::byte> out(source);
  for (std::uint32_t i = 0; i < nac::header_slots[static_cast<std::size_t>(form)]; ++i) {
    std::byte* const slot = out.data() + nac::first_slot + 8 * i;
    if (const auto offset = load_le<std::uint64_t>(slot); offset != 0)
      store_le(slot, std::uint64_t{offset + gap.size()});
  }
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(size), gap.begin(), gap.end());
  return out;
}

/// The bytes that its parts are written as: the same for the same contents.
[[nodiscard]] std::vector<std::byte> rewritten(const std::vector<std::byte>& source) {
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const auto out = nac::write(nac::parts_of(*file));
  REQUIRE(out);
  return {out->begin(), out->end()};
}

}  // namespace

TEST_CASE("nac/read: headers of version 2 are distinguished after any gap", "[nac]") {
  const auto v17 = hex_file("mini_v17"), v18 = hex_file("mini_v18"), v16 = hex_file("mini_v16");
  for (const char* gap : {"4d", "4d4d4150 4d4d4150", "4e41430258000000", "0102030405060708090a"}) {
    INFO(gap);
    const auto gap16 = with_gap(v16, header::v1_6, gap), gap18 = with_gap(v18, header::v1_8, gap);
    CHECK(rewritten(gap16) == rewritten(v16));
    CHECK(rewritten(gap18) == rewritten(v18));
  }
  // Eight bytes that are no offset of a section: 10 slots.
  for (const char* gap : {"4d", "0102030405060708090a", "64000000000000000000"}) {
    INFO(gap);
    CHECK(rewritten(with_gap(v17, header::v1_7, gap)) == rewritten(v17));
  }
  // Eight zeros are a slot without an offset: 11 slots, and nothing else changes.
  const auto wide = with_gap(v17, header::v1_7, "0000000000000000");
  const auto file = nac::read(bytes(wide));
  REQUIRE(file);
  CHECK(file->header() == header::v1_8);
  CHECK(file->instructions().size() == 6);
  // The first section may stand in the last slots.
  const auto only = edited(container(header::v1_7, {"54524e47 00000000"}), 12,
                           "00000000000000000000000000000000000000000000000000000000000000000000000"
                           "00000000000000000000000000000000000000000000000000000000");
  const auto training = nac::read(bytes(only));
  REQUIRE(training);
  CHECK(training->has(section::trng));
  CHECK_FALSE(training->has(section::ops));
}

TEST_CASE("nac/read: sections are what their tags say", "[nac]") {
  const auto source = hex_file("mini_v16");
  auto swapped = source;  // slots 2 and 3: CMAP and CNST
  for (std::size_t i = 0; i < 8; ++i) std::swap(swapped[28 + i], swapped[36 + i]);
  CHECK(rewritten(swapped) == rewritten(source));
  auto moved = source;  // ORCH from slot 7 to slot 8
  for (std::size_t i = 0; i < 8; ++i) std::swap(moved[68 + i], moved[76 + i]);
  CHECK(rewritten(moved) == rewritten(source));

  // An unknown tag bounds its neighbour and is nothing itself.
  auto unknown = source;
  const auto extra = from_hex("58585858 ffffffff");
  unknown.insert(unknown.end(), extra.begin(), extra.end());
  store_le(unknown.data() + 76, std::uint64_t{source.size()});
  const auto file = nac::read(bytes(unknown));
  REQUIRE(file);
  CHECK(file->slack(section::orch) == 0);
  CHECK_FALSE(file->has(section::rsrc));
  CHECK(rewritten(unknown) == rewritten(source));
  // Two slots at one unknown tag.
  store_le(unknown.data() + 60, std::uint64_t{source.size()});
  CHECK(rewritten(unknown) == rewritten(source));
}

TEST_CASE("nac/read: bytes after the last record are slack", "[nac]") {
  auto source =
      container(header::v1_6, {"4d4d4150 00000000 0102030405", "4f505320 01000000 0200 ff",
                               "4f524348 00000000 00000000 0000"});
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  CHECK(file->slack(section::mmap) == 5);
  CHECK(file->slack(section::ops) == 1);
  CHECK(file->slack(section::cmap) == 0);
  CHECK(file->slack(section::orch) == 2);
  CHECK(rewritten(source) == rewritten(container(header::v1_6, {"4f505320 01000000 0200"})));
  // A count of constants below 0 is none; the words after it are left over.
  const auto negative = edited(hex_file("mini_v16"), 128, "0080");
  const auto read = nac::read(bytes(negative));
  REQUIRE(read);
  CHECK(read->slack(section::ops) == 8);  // the next two bytes are an instruction, too
  auto i = read->instructions().begin();
  for (int n = 0; n < 4; ++n) ++i;
  CHECK(i->prefix == -32768);
  CHECK(i->c.empty());
  CHECK(i->d[0] == 2);
}

TEST_CASE("nac/read: both conventions of prefixes", "[nac]") {
  const char* const signatures = "5045524d 00000000";
  const char* const upstream =
      "4f505320 04000000 0201 0100 2c01 0203 0100 0900 0600 0300 0400 0200 ffff "
      "0300 0200 0000 0000 fdff ffff";
  const char* const own =
      "4f505320 04000000 0201 0200 2c01 0203 0200 0900 0600 0300 0400 0200 ffff "
      "0300 0300 0000 0000 fdff ffff";
  for (const header form : {header::v1_6, header::v1_7, header::v1_8}) {
    const auto a = container(form, {signatures, upstream}, {.outputs = 2}),
               b = container(form, {signatures, own}, {.outputs = 2});
    CHECK(rewritten(a) == a);
    CHECK(rewritten(b) == b);
    const auto file = nac::read(bytes(a));
    REQUIRE(file);
    auto i = file->instructions().begin();
    CHECK(i->prefix == 1);
    CHECK(i->c[0] == 300);
    ++i, ++i;
    CHECK(i->c[1] == 2);
    CHECK(i->d[0] == -1);
    ++i;
    CHECK(i->prefix == 2);
    CHECK(i->d[0] == -3);
  }
}

TEST_CASE("nac/read: CONVERGENCE with and without branches", "[nac]") {
  const auto source = container(
      header::v1_6, {"4f505320 04000000 0732 0100 ffff 0000 0700 0100 fbff 0500 0200 0100 0300 "
                     "0701 0000 0400 feff 0200"});
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  auto i = file->instructions().begin();
  CHECK(i->b == 50);
  CHECK(i->c.size() == 1);
  REQUIRE(i->d.size() == 1);
  CHECK(i->d[0] == 0);
  ++i;
  REQUIRE(i->d.size() == 4);
  CHECK(i->d[0] == 5);
  CHECK(i->d[1] == 2);
  CHECK(i->d[3] == 3);
  ++i;
  CHECK(i->c.empty());
  REQUIRE(i->d.size() == 2);
  CHECK(i->d[1] == -2);
  CHECK(file->slack(section::ops) == 0);
}

TEST_CASE("nac/read: of ids that stand twice, the last record counts", "[nac]") {
  const auto source = container(
      header::v1_6, {"434d4150 04000000 1400 01 61 0b00 01 62 1400 02 6363 0b01 01 64",
                     "5045524d 05000000 0000 00 0100 02 5466 0100 01 54 0200 01 54 0200 02 6966",
                     "4f505320 02000000 1401 ffff 1402 0200 0100 0200 0000 0000"});
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  CHECK(file->operation_name(20) == "cc");
  CHECK(file->operation_name(11) == "b");
  CHECK(file->operation_name(12) == "nac.sub");
  CHECK(file->operation_name(21).empty());
  CHECK(file->operation_name(255).empty());
  CHECK(file->signature(1) == "T");
  CHECK_FALSE(file->has_constants(1));
  CHECK(file->has_constants(2));
  CHECK(file->arguments(2) == 2);
  CHECK(file->has_signature(0));
  CHECK(file->signature(0).empty());
  CHECK_FALSE(file->has_signature(3));
  CHECK(file->operations().size() == 4);
  CHECK(file->slack(section::ops) == 0);
}

TEST_CASE("nac/read: lengths of booleans and nulls are ignored", "[nac]") {
  const auto source =
      container(header::v1_6, {"434e5354 04000000 0100 00 0900 0200 01 0000 07 0300 01 ffff 00 "
                               "0400 04 0100 61"});
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  auto c = file->constants().begin();
  CHECK(c->length == 9);
  ++c;
  CHECK(c->boolean());
  ++c;
  CHECK_FALSE(c->boolean());
  ++c;
  CHECK(c->string() == "a");
}

TEST_CASE("nac/read: weights outside, and flags", "[nac]") {
  const auto source = container(
      header::v1_6, {"44415441 02000000 0100 0100 77 0200 0100 77 01000000 0000 0100 78 ffffffff"},
      {.flags = 4});
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  CHECK_FALSE(file->has_internal_weights());
  CHECK(file->quantization() == nac::quantization::block_fp8);
  CHECK(file->parameters().size() == 2);
  CHECK(file->tensors().empty());
  CHECK(file->slack(section::data) == 4);
  const auto flagged = container(header::v1_7, {}, {.flags = 0xc3});
  const auto training = nac::read(bytes(flagged));
  REQUIRE(training);
  CHECK(training->has_training_flag());
  CHECK_FALSE(training->has(section::trng));
  CHECK(training->quantization() == nac::quantization::int8_channel);
}

TEST_CASE("nac/read: a container without sections is one", "[nac]") {
  const auto source = from_hex("4e414301" + std::string(2 * 84, '0'));
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  for (std::size_t i = 0; i < nac::section_count; ++i) {
    CHECK_FALSE(file->has(static_cast<section>(i)));
    CHECK(file->section(static_cast<section>(i)).empty());
    CHECK(file->slack(static_cast<section>(i)) == 0);
  }
  CHECK(file->instructions().empty());
  CHECK(file->instructions().begin() == file->instructions().end());
}

TEST_CASE("nac/read: nothing is allocated", "[nac]") {
  const auto source = hex_file("mini_v18");
  const auto broken = edited(source, 119, "06");
  const tessera_tests::allocations used;
  std::uint64_t sum = 0;
  {
    const auto file = nac::read(bytes(source));
    for (const nac::instruction& i : file->instructions()) sum += i.d.size();
    for (const nac::tensor& t : file->tensors()) sum += t.data.size();
    for (const nac::constant& c : file->constants()) sum += c.id;
    for (const nac::named& n : file->operations()) sum += n.text.size();
    sum += file->operation_name(32).size();
  }
  const auto refused = nac::read(bytes(broken));
  const std::uint64_t count = used.count();
  CHECK(count == 0);
  CHECK(sum == 6 + 32 + 3 + 19 + 19);
  CHECK_FALSE(refused);
}

TEST_CASE("nac/read: errors in a container that is given as characters show its bytes", "[nac]") {
  std::vector<std::byte> source = hex_file("mini_v16");
  source.resize(source.size() / 2);
  const std::string_view characters(reinterpret_cast<const char*>(source.data()), source.size());
  const auto file = nac::read(characters);
  REQUIRE_FALSE(file);
  const text shown = describe(file.error(), characters, "x"),
             same = describe(file.error(), bytes(source), "x");
  CHECK(shown.view() == same.view());
}

TEST_CASE("nac/read: characters serve where bytes are taken", "[nac]") {
  using namespace std::string_view_literals;
  constexpr std::string_view halt = "\xff"sv, file = "\2\0\0\0\0\0\0\0{}"sv;
  nac::plan_reader in(halt);
  nac::plan_instruction i;
  REQUIRE(in.next(i));
  CHECK_FALSE(in.next(i));
  text plan, manifest;
  nac::print_execution_plan(plan, halt, nac::constants());
  CHECK(plan.view() == "    exec_halt\n");
  const auto weights = nac::read_safetensors(file);
  REQUIRE(weights);
  CHECK(weights->size() == 0);
  CHECK(nac::parts::borrow(halt).size == 1);
  nac::manifest_writer w(7);
  w.raw(0x99, "\1\2"sv);
  nac::print_manifest(manifest, as_text(w.view()));
  CHECK(manifest.view() == "  version 7\n  op 153 0x0102\n");
}
