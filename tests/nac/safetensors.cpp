// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Safetensors files: what is read and refused, quantization metadata, what is written.

#include "nac/support.hpp"
// support.hpp comes first.
#include <cstring>
#include <tessera/core/bytes.hpp>

#include "support/allocations.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

/// A file of a header and `size` bytes of elements: 0, 1, 2, …
[[nodiscard]] std::vector<std::byte> file_of(std::string_view header, std::size_t size = 0) {
  std::vector<std::byte> out(8 + header.size() + size);
  store_le(out.data(), std::uint64_t{header.size()});
  std::memcpy(out.data() + 8, header.data(), header.size());
  for (std::size_t i = 0; i < size; ++i)
    out[8 + header.size() + i] = static_cast<std::byte>(i & 0xff);
  return out;
}

[[nodiscard]] error error_of(const std::vector<std::byte>& source, const limits& limit = {}) {
  return nac::read_safetensors(bytes(source), {.limit = limit}).error();
}

/// The place of something in a file that has this header.
[[nodiscard]] std::uint64_t place_of(std::string_view header, std::string_view what) {
  const std::size_t at = header.find(what);
  REQUIRE(at != std::string_view::npos);
  return 8 + at;
}

[[nodiscard]] std::vector<float> floats(const nac::tensor& t) {
  const auto values = nac::dequantize(t);
  REQUIRE(values);
  return {values->begin(), values->end()};
}

[[nodiscard]] std::string string_of(const pool<std::byte>& p) {
  return std::string(as_text(bytes(p.data(), p.size())));
}

/// What the reference implementation writes for these tensors, all of zeros but "c".
constexpr std::string_view reference =
    R"({"__metadata__":{"format":"pt"},"c":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
    R"("d":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
    R"("aa":{"dtype":"F32","shape":[1],"data_offsets":[16,20]},)"
    R"("b":{"dtype":"F32","shape":[2],"data_offsets":[20,28]},)"
    "\"\xc3\xa9\\\"\\n\\u0001/\":"
    R"({"dtype":"F32","shape":[0],"data_offsets":[28,28]},)"
    R"("i":{"dtype":"I32","shape":[1],"data_offsets":[28,32]},)"
    R"("h":{"dtype":"F16","shape":[2],"data_offsets":[32,36]},)"
    R"("s":{"dtype":"I16","shape":[1],"data_offsets":[36,38]},)"
    R"("a":{"dtype":"I8","shape":[3],"data_offsets":[38,41]},)"
    R"("u":{"dtype":"U8","shape":[1],"data_offsets":[41,42]},)"
    R"("z":{"dtype":"BOOL","shape":[1],"data_offsets":[42,43]}}  )";

}  // namespace

TEST_CASE("nac/safetensors: tensors are found by name, with type, shape and elements", "[nac]") {
  const auto source = file_of(reference, 43);
  const auto file = nac::read_safetensors(bytes(source));
  REQUIRE(file);
  CHECK(file->size() == 11);
  struct row {
    const char* name;
    const char* type;
    nac::data_type as;
    std::vector<std::uint32_t> shape;
    std::uint64_t first, size;
  };
  using t = nac::data_type;
  std::size_t index = 0;  // in the order of the elements
  for (const row& r :
       {row{"c", "I64", t::int64, {1}, 0, 8}, row{"d", "F64", t::float64, {1}, 8, 8},
        row{"aa", "F32", t::float32, {1}, 16, 4}, row{"b", "F32", t::float32, {2}, 20, 8},
        row{"\xc3\xa9\"\n\x01/", "F32", t::float32, {0}, 28, 0},
        row{"i", "I32", t::int32, {1}, 28, 4}, row{"h", "F16", t::float16, {2}, 32, 4},
        row{"s", "I16", t::int16, {1}, 36, 2}, row{"a", "I8", t::int8, {3}, 38, 3},
        row{"u", "U8", t::uint8, {1}, 41, 1}, row{"z", "BOOL", t::boolean, {1}, 42, 1}}) {
    INFO(r.name);
    CHECK(file->find(r.name) == index);
    const nac::external_tensor found = (*file)[index++];
    CHECK(found.name == r.name);
    CHECK(found.type == r.type);
    REQUIRE(found.representable);
    CHECK(found.as.type == r.as);
    CHECK(found.as.quantization == nac::quantization::none);
    REQUIRE(found.as.shape.size() == r.shape.size());
    CHECK(found.as.shape[0] == r.shape[0]);
    CHECK(found.as.data_offset == 8 + reference.size() + r.first);
    CHECK(found.as.data.size() == r.size);
    CHECK(found.as.data.data() == source.data() + found.as.data_offset);
    CHECK(found.offset == found.as.offset);
    CHECK(std::to_integer<char>(source[static_cast<std::size_t>(found.offset)]) == '{');
  }
  for (const char* name : {"", "A", "aaa", "bb", "zz", "__metadata__"})
    CHECK(file->find(name) == file->size());
  REQUIRE(file->metadata_size() == 1);
  CHECK(file->metadata(0).key == "format");
  CHECK(file->metadata(0).value == "pt");
  CHECK(file->metadata(0).offset == place_of(reference, "\"pt\""));
  CHECK(file->source().data() == source.data());

  const auto copy = nac::safetensors(*file);  // independent of the file
  CHECK(copy.find("z") == 10);
  CHECK(copy[10].name == "z");
}

TEST_CASE("nac/safetensors: other types, unknown members, white space", "[nac]") {
  const std::string header =
      R"({ "f8" : {"more":[[{"a":1}]],"dtype":"F8_E4M3","data_offsets":[2,4],"shape":[2]},)"
      R"("f4":{"dtype":"F4","shape":[4],"data_offsets":[0,2]},)"
      R"("large":{"dtype":"U8","shape":[4294967296,0],"data_offsets":[4,4]},)"
      R"("fits":{"dtype":"U8","shape":[4294967295,0],"data_offsets":[4,4]}})"
      "\n\t\r ";
  const auto source = file_of(header, 4);
  const auto file = nac::read_safetensors(bytes(source));
  REQUIRE(file);
  for (const char* name : {"f8", "f4", "large"}) {
    INFO(name);
    const nac::external_tensor t = (*file)[file->find(name)];
    CHECK_FALSE(t.representable);
    CHECK(t.as.data.size() == (t.name == "large" ? 0u : 2u));
  }
  CHECK((*file)[file->find("f8")].type == "F8_E4M3");
  CHECK((*file)[file->find("fits")].representable);

  std::string shape;
  for (int i = 0; i < 256; ++i) shape += i == 0 ? "1" : ",1";
  const auto rank = [](const std::string& s) {
    const auto of =
        file_of(R"({"a":{"dtype":"U8","shape":[)" + s + R"(],"data_offsets":[0,1]}})", 1);
    const auto read = nac::read_safetensors(bytes(of));
    REQUIRE(read);
    return (*read)[0].representable;
  };
  CHECK_FALSE(rank(shape));
  CHECK(rank(shape.substr(2)));

  for (const char* empty : {"{}", "{\"__metadata__\":{}}", "{}      "}) {
    const auto none = file_of(empty);
    const auto read = nac::read_safetensors(bytes(none));
    REQUIRE(read);
    CHECK(read->empty());
    CHECK(read->find("a") == 0);
    CHECK(read->metadata_size() == 0);
  }
}

TEST_CASE("nac/safetensors: lengths that don't fit are refused", "[nac]") {
  CHECK(error_of({}) == error{errc::nac_safetensors_header, 0});
  CHECK(error_of(from_hex("02000000 000000")) == error{errc::nac_safetensors_header, 7});
  CHECK(error_of(from_hex("03000000 00000000 7b7d")) == error{errc::nac_safetensors_header, 0});
  for (const char* length : {"ffffffff ffffffff", "f8ffffff ffffffff", "00000000 00000080",
                             "01e1f505 00000000"})  // 100,000,001
    CHECK(error_of(from_hex(std::string(length) + "7b7d")) ==
          error{errc::nac_safetensors_large_header, 0});
  CHECK(error_of(from_hex("00e1f505 00000000 7b7d")) == error{errc::nac_safetensors_header, 0});
  CHECK(error_of(file_of("")) == error{errc::nac_safetensors_brace, 8});
  CHECK(error_of(file_of(" {}")) == error{errc::nac_safetensors_brace, 8});
  CHECK(error_of(file_of("\xEF\xBB\xBF{}")) == error{errc::nac_safetensors_brace, 8});
}

TEST_CASE("nac/safetensors: every promise of the header is checked in its place", "[nac]") {
  struct row {
    std::string header;
    errc code;
    const char* at;  // the error is at the first occurrence of this
    std::size_t size = 4;
  };
  const std::string deep(100, '[');
  for (const row& r : {
           row{R"({"a":7})", errc::json_expected_object, "7"},
           row{R"({"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}})",
               errc::nac_safetensors_type, "\"F33\""},
           row{R"({"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}})",
               errc::nac_safetensors_type, "\"f32\""},
           row{R"({"a":{"dtype":32,"shape":[1],"data_offsets":[0,4]}})", errc::json_expected_string,
               "32,"},
           row{R"({"a":{"shape":[1],"data_offsets":[0,4]}})", errc::nac_safetensors_member,
               "{\"shape"},
           row{R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", errc::nac_safetensors_member,
               "{\"dtype"},
           row{R"({"a":{"dtype":"F32","shape":[1]}})", errc::nac_safetensors_member, "{\"dtype"},
           row{R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
               errc::json_integer_range, "-1"},
           row{R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})",
               errc::json_expected_integer, "1.0"},
           row{R"({"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]}})",
               errc::json_integer_range, "1844"},
           row{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})",
               errc::nac_safetensors_offsets, "]}}"},
           row{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[]}})",
               errc::nac_safetensors_offsets, "]}}"},
           row{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})",
               errc::nac_safetensors_offsets, ",8"},
           row{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
               errc::nac_safetensors_offsets, "[4"},
           row{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
               errc::nac_safetensors_offsets, "[0"},
           row{R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[18446744073709551615,0]}})",
               errc::nac_safetensors_offsets, "[18"},
           row{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
               errc::nac_safetensors_size, "[0"},
           row{R"({"a":{"dtype":"F4","shape":[7],"data_offsets":[0,4]}})",
               errc::nac_safetensors_size, "[0"},
           row{R"({"a":{"dtype":"F32","shape":[9223372036854775808,2],"data_offsets":[0,0]}})",
               errc::nac_safetensors_size, "[0"},
           row{R"({"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}})",
               errc::nac_safetensors_size, "[0"},
           row{R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
               R"("b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})",
               errc::nac_safetensors_overlap, "[1,4]"},
           row{R"({"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
               R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4] }})",
               errc::nac_safetensors_overlap, "[0,4] }"},
           row{R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
               R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
               errc::nac_safetensors_hole, "[2,4]"},
           row{R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})",
               errc::nac_safetensors_hole, "[1,4]"},
           row{R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
               R"("b":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
               errc::nac_safetensors_overlap, "[2,2]"},
           row{R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
               R"("a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
               errc::json_duplicate_key,
               "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2"},
           row{R"({"__metadata__":7})", errc::json_expected_object, "7"},
           row{R"({"__metadata__":{"a":7}})", errc::json_expected_string, "7"},
           row{"{\"a\":{\"x\":" + deep, errc::json_depth, "[["},
           row{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"
               "\x01",
               errc::json_trailing_bytes, "\x01"},
           row{R"({"a)", errc::json_unexpected_end, ""},
       }) {
    INFO(r.header);
    std::uint64_t offset = place_of(r.header, r.at);
    if (r.code == errc::json_depth) offset += 62;  // two objects are open before
    if (r.code == errc::json_unexpected_end) offset = 8 + r.header.size();
    CHECK(error_of(file_of(r.header, r.size)) == error{r.code, offset});
  }
  const std::string whole = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  CHECK(error_of(file_of(whole, 3)) == error{errc::nac_safetensors_trailing, 8 + whole.size() + 2});
  CHECK(error_of(file_of("{}", 1)) == error{errc::nac_safetensors_trailing, 10});
}

TEST_CASE("nac/safetensors: limits at n and n + 1; every prefix is an error", "[nac]") {
  const std::string two = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                          R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})";
  const auto source = file_of(two, 4);
  CHECK(error_of(source, {.max_items = 2}) == error{});
  CHECK(error_of(source, {.max_items = 1}) ==
        error{errc::too_many_items,
              place_of(two, "{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2")});
  CHECK(error_of(source, {.max_bytes = source.size()}) == error{});
  CHECK(error_of(source, {.max_bytes = source.size() - 1}) ==
        error{errc::input_too_large, source.size() - 1});
  CHECK(error_of(source, {.max_depth = 3}) == error{});
  CHECK(error_of(source, {.max_depth = 2}) == error{errc::json_depth, place_of(two, "[2]")});

  const auto whole = file_of(reference, 43);
  REQUIRE(error_of(whole) == error{});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> part(whole.begin(),
                                      whole.begin() + static_cast<std::ptrdiff_t>(size));
    const error e = error_of(part);
    REQUIRE(e.code != errc::ok);
    REQUIRE(e.offset <= size);
  }
}

TEST_CASE("nac/safetensors: memory and time are bounded by the header", "[nac]") {
  // many tensors, empty metadata, long shapes, scales, escapes: what costs most for its length
  const auto many = [](std::size_t n) {
    std::string header = "{";
    for (std::size_t i = 0; i < n; ++i)
      header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
                R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    return header + "}";
  };
  const auto metadata = [](std::size_t n) {
    std::string header = R"({"__metadata__":{)";
    for (std::size_t i = 0; i < n; ++i)
      header += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
    return header + "}}";
  };
  const auto shape = [](std::size_t n) {
    std::string header = R"({"a":{"dtype":"U8","shape":[)";
    for (std::size_t i = 0; i < n; ++i) header += "1,";
    return header + R"(1],"data_offsets":[0,1]}})";
  };
  const auto scales = [](std::size_t n) {
    std::string header =
        R"({"__metadata__":{"nac_quant_meta":"{\"a\":{\"quant_code\":3,\"scales\":[)";
    for (std::size_t i = 0; i < n; ++i) header += "1,";
    return header + R"(1]}}"},"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})";
  };
  struct row {
    std::string header;
    std::size_t size;
  };
  for (const std::size_t n : {1000u, 30000u})
    for (const row& r :
         {row{many(n), 0}, row{metadata(n), 0}, row{shape(n), 1}, row{scales(n), 1}}) {
      const auto source = file_of(r.header, r.size);
      const tessera_tests::allocations used;
      REQUIRE(nac::read_safetensors(bytes(source)));
      INFO(r.header.substr(0, 60) << ": " << used.peak() << " for " << r.header.size());
      CHECK(used.peak() <= 20 * r.header.size() + 4096);
    }
}

TEST_CASE("nac/safetensors: a changed byte is refused, or leaves all tensors in the file",
          "[nac]") {
  const auto whole = file_of(reference, 43);
  for (std::size_t i = 0; i < 8 + reference.size(); ++i)
    for (const unsigned mask : {0x01u, 0x20u, 0x80u}) {
      auto changed = whole;
      changed[i] ^= static_cast<std::byte>(mask);
      const auto file = nac::read_safetensors(bytes(changed));
      if (!file) {
        REQUIRE(file.error().offset <= changed.size());
        continue;
      }
      for (std::size_t k = 0; k < file->size(); ++k) {
        const nac::external_tensor t = (*file)[k];
        REQUIRE(file->find(t.name) == k);
        REQUIRE(t.as.data_offset + t.as.data.size() <= changed.size());
      }
    }
}

TEST_CASE("nac/safetensors: three conventions say how tensors are quantized", "[nac]") {
  const std::string tensors = R"("t":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]},)"
                              R"("c":{"dtype":"I8","shape":[2,3],"data_offsets":[6,12]},)"
                              R"("b":{"dtype":"I8","shape":[8],"data_offsets":[12,20]},)"
                              R"("f":{"dtype":"F16","shape":[1],"data_offsets":[20,22]}})";
  const std::vector<float> t = {0, 0.5f, 1, 1.5f, 2, 2.5f}, c = {6, 7, 8, 4.5f, 5, 5.5f},
                           b = {6, 6.5f, 7, 7.5f, 4, 4.25f};
  for (const std::string& metadata : {
           // the compiler: an entry for each tensor
           std::string(R"("t":"{\"quant_type\": \"INT8_TENSOR\", \"scale\": 0.5}",)"
                       R"("c":"{\"quant_type\":\"INT8_CHANNEL\",\"axis\":0,\"scales\":[1.0,0.5]}",)"
                       R"("b":"{\"quant_type\":\"BLOCK_FP8\",\"block_size\":4,)"
                       R"(\"original_shape\":[2,3],\"scales\":[0.5,0.25]}",)"
                       R"("f":"{\"quant_type\":\"FP16\"}","format":"pt","t ":"{")"),
           // the tools: one entry for all, every member in every tensor
           std::string(
               R"("nac_quant_meta":"{\"t\":{\"quant_code\":2,\"quant_type\":\"INT8_TENSOR\",)"
               R"(\"scale\":0.5,\"axis\":null,\"scales\":null,\"block_size\":0,\"x\":{}},)"
               R"(\"c\":{\"quant_code\":3,\"scale\":1.0,\"axis\":0,\"scales\":[1,0.5]},)"
               R"(\"b\":{\"quant_code\":4,\"block_size\":4,\"orig_shape\":[2,3],)"
               R"(\"block_scales\":[0.5,0.25],\"scale\":1.0,\"scales\":[]},)"
               R"(\"f\":{\"quant_code\":1},\"other\":{\"quant_code\":9}}")"),
           // the first reader: one entry for all, of texts
           std::string(
               R"("metadata":"{\"t\":\"{\\\"quant_type\\\":\\\"int8_tensor\\\",)"
               R"(\\\"scales\\\":[0.5]}\",\"c\":\"{\\\"quant_type\\\":\\\"INT8_CHANNEL\\\",)"
               R"(\\\"axis\\\":0,\\\"block_scales\\\":[1,0.5]}\",)"
               R"(\"b\":\"{\\\"quant_type\\\":\\\"BLOCK_FP8\\\",\\\"block_size\\\":4,)"
               R"(\\\"orig_shape\\\":[2,3],\\\"scales\\\":[0.5,0.25]}\",)"
               R"(\"f\":\"{\\\"quant_type\\\":\\\"fp16\\\"}\"}")"),
       }) {
    INFO(metadata);
    const auto source = file_of(R"({"__metadata__":{)" + metadata + "}," + tensors, 22);
    const auto file = nac::read_safetensors(bytes(source));
    REQUIRE(file);
    const auto as = [&](const char* name) { return (*file)[file->find(name)].as; };
    CHECK(as("t").quantization == nac::quantization::int8_tensor);
    CHECK(floats(as("t")) == t);
    CHECK(as("c").quantization == nac::quantization::int8_channel);
    CHECK(floats(as("c")) == c);
    CHECK(as("b").quantization == nac::quantization::block_fp8);
    CHECK(as("b").block == 4);
    CHECK(as("b").original_shape.size() == 2);
    CHECK(floats(as("b")) == b);
    CHECK(as("f").quantization == nac::quantization::fp16);
    CHECK(as("f").scales.empty());
  }

  // of several, the first convention counts; what isn't an object is somebody else's
  const auto several =
      file_of(R"({"__metadata__":{"metadata":"{\"t\":\"{\\\"quant_code\\\":2,\\\"scale\\\":3}\",)"
              R"(\"c\":\"{\\\"quant_code\\\":2,\\\"scale\\\":3}\",)"
              R"(\"f\":\"{\\\"quant_code\\\":1}\"}",)"
              R"("t":"{\"quant_code\":2,\"scale\":2}","c":"{\"quant_code\":2,\"scale\":2}","b":"",)"
              R"("nac_quant_meta":"{\"t\":{\"quant_code\":2,\"scale\":1}}"},)" +
                  tensors,
              22);
  const auto file = nac::read_safetensors(bytes(several));
  REQUIRE(file);
  const auto scale = [&](const char* name) { return (*file)[file->find(name)].as.scales[0]; };
  CHECK(scale("t") == 1);
  CHECK(scale("c") == 2);
  CHECK((*file)[file->find("b")].as.quantization == nac::quantization::none);
  CHECK((*file)[file->find("f")].as.quantization == nac::quantization::fp16);
}

TEST_CASE("nac/safetensors: metadata without the quantization are refused", "[nac]") {
  struct row {
    const char* text;  // inside a string, after escapes
    errc code;
  };
  for (const row& r : {
           row{R"({})", errc::nac_safetensors_method},
           row{R"({\"quant_type\":\"INT4\"})", errc::nac_safetensors_method},
           row{R"({\"quant_code\":5})", errc::json_integer_range},
           row{R"({\"quant_code\":2})", errc::nac_safetensors_scales},
           row{R"({\"quant_code\":2,\"scales\":[1,2]})", errc::nac_safetensors_scales},
           row{R"({\"quant_code\":4,\"block_size\":4,\"scales\":[1,2]})",
               errc::nac_safetensors_scales},
           row{R"({\"quant_code\":4,\"orig_shape\":[4],\"scales\":[1,2]})",
               errc::nac_safetensors_scales},
           row{R"({\"quant_code\":2,\"scale\":1e39})", errc::json_number_range},
           row{R"({\"quant_code\":2,\"scale\":NaN})", errc::json_expected_number},
           row{R"({\"quant_code\":3,\"axis\":256})", errc::json_integer_range},
           row{R"({\"quant_code\":3,\"axis\":-1})", errc::json_integer_range},
           row{R"({\"quant_code\":4,\"block_size\":65536})", errc::json_integer_range},
           row{R"({\"quant_code\":2,\"scale\":1)", errc::json_unexpected_end},
           row{R"({\"quant_code\":2,\"scale\":1}x)", errc::json_trailing_bytes},
       }) {
    INFO(r.text);
    const std::string tensor = R"("t":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})";
    const std::string one = std::string(R"({"__metadata__":{"t":")") + r.text + "\"}," + tensor;
    CHECK(error_of(file_of(one, 4)) == error{r.code, place_of(one, "\"{")});
    const std::string all =
        std::string(R"({"__metadata__":{"nac_quant_meta":"{\"t\":)") + r.text + "}\"}," + tensor;
    const error e = error_of(file_of(all, 4));
    CHECK(e.offset == place_of(all, "\"{"));
    if (r.code != errc::json_unexpected_end && r.code != errc::json_trailing_bytes)
      CHECK(e.code == r.code);
    else
      CHECK(e.code != errc::ok);
  }
  const std::string nested = R"({"__metadata__":{"metadata":"{\"t\":\"{\\\"quant_code\\\":7}\"}"},)"
                             R"("t":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})";
  CHECK(error_of(file_of(nested, 4)) == error{errc::json_integer_range, place_of(nested, "\"{")});
  const std::string number = R"({"__metadata__":{"nac_quant_meta":"{\"t\":7}"},)"
                             R"("t":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})";
  CHECK(error_of(file_of(number, 4)) == error{errc::json_expected_object, place_of(number, "\"{")});
}

TEST_CASE("nac/safetensors: what is written is what the reference implementation writes", "[nac]") {
  const std::vector<std::byte> zeros(16);
  const std::vector<std::byte> one = from_hex("01000000 00000000");
  nac::external_parts p;
  using t = nac::data_type;
  const auto add = [&](const char* name, t type, std::uint32_t size) {
    const std::size_t n = std::size_t{size} * nac::size_of(type);
    const bytes data = type == t::int64 ? bytes(one) : bytes(zeros).first(n);
    p.add(name, type, {&size, 1}, nac::parts::borrow(data));
  };
  add("b", t::float32, 2);
  add("a", t::int8, 3);
  add("c", t::int64, 1);
  add("aa", t::float32, 1);
  add("h", t::float16, 2);
  add("z", t::boolean, 1);
  add("u", t::uint8, 1);
  add("i", t::int32, 1);
  add("s", t::int16, 1);
  add("d", t::float64, 1);
  add("\xc3\xa9\"\n\x01/", t::float32, 0);
  p.add_metadata("format", "pt");
  const auto written = nac::write_safetensors(p);
  REQUIRE(written);
  auto expected = file_of(reference, 43);
  for (std::size_t i = 0; i < 43; ++i)
    expected[8 + reference.size() + i] = i == 0 ? std::byte{1} : std::byte{0};
  CHECK(string_of(*written) == as_text(expected));

  const auto none = nac::write_safetensors(nac::external_parts());
  REQUIRE(none);
  CHECK(string_of(*none) == std::string("\x08\0\0\0\0\0\0\0{}      ", 16));

  // bf16 is between I32 and F16; piece by piece it's the same file
  add("g", t::bfloat16, 1);
  std::string pieces;
  const nac::sink to{&pieces, [](void* context, bytes piece) {
                       *static_cast<std::string*>(context) += as_text(piece);
                       return true;
                     }};
  CHECK(nac::write_safetensors(p, to) == error{});
  CHECK(pieces == string_of(*nac::write_safetensors(p)));
  const auto again = nac::read_safetensors(as_bytes(pieces));
  REQUIRE(again);
  CHECK(again->find("g") == again->find("i") + 1);
  CHECK(again->find("h") == again->find("g") + 1);

  int calls = 0;
  const nac::sink stops{&calls, [](void* context, bytes) {
                          ++*static_cast<int*>(context);
                          return false;
                        }};
  CHECK(nac::write_safetensors(p, stops) == error{errc::nac_write_stopped, 0});
  CHECK(calls == 1);
}

TEST_CASE("nac/safetensors: what no file can hold isn't written", "[nac]") {
  const std::vector<std::byte> zeros(8);
  const pool<std::uint32_t> two = {2};
  const auto with = [&](auto change) {
    nac::external_parts p;
    p.add("a", nac::data_type::float32, two, nac::parts::borrow(zeros));
    p.add("b", nac::data_type::float32, two, nac::parts::borrow(zeros));
    p.add_metadata("k", "v");
    p.add_metadata("l", "v");
    change(p);
    int calls = 0;
    const error e = nac::write_safetensors(p, {&calls, [](void* context, bytes) {
                                                 ++*static_cast<int*>(context);
                                                 return true;
                                               }});
    CHECK((calls == 0) == (e.code != errc::ok));
    CHECK(nac::write_safetensors(p).error() == e);
    return e;
  };
  using parts = nac::external_parts;
  const auto data = nac::parts::borrow(zeros);
  const auto f32 = nac::data_type::float32;
  CHECK(with([](parts&) {}) == error{});
  CHECK(with([&](parts& p) { p.add("\xff", f32, two, data); }) ==
        error{errc::nac_external_text, 2});
  CHECK(with([&](parts& p) { p.add_metadata("\xff", ""); }) == error{errc::nac_external_text, 2});
  CHECK(with([&](parts& p) { p.add_metadata("", "\xc0\x80"); }) ==
        error{errc::nac_external_text, 2});
  CHECK(with([&](parts& p) {
          p.add("c", f32, two, data);
          p.add("b", f32, two, data);
          p.add("a", f32, two, data);
        }) == error{errc::nac_external_repeated, 3});
  CHECK(with([&](parts& p) { p.add_metadata("l", "w"); }) == error{errc::nac_external_repeated, 2});
  CHECK(with([&](parts& p) { p.add("__metadata__", f32, two, data); }) ==
        error{errc::nac_external_reserved, 2});
  CHECK(with([&](parts& p) { p.tensors[1].data.size = 7; }) == error{errc::nac_external_size, 1});
  CHECK(with([&](parts& p) {
          const pool<std::uint32_t> shape = {0xffffffff, 0xffffffff, 2};
          p.add("c", f32, shape, data);
        }) == error{errc::nac_external_size, 2});
  CHECK(with([&](parts& p) { p.tensors[1].type = static_cast<nac::data_type>(10); }) ==
        error{errc::nac_write_data_type, 1});
  CHECK(with([&](parts& p) { p.tensors[1].data.borrowed = nullptr; }) ==
        error{errc::nac_write_range, 1});
  CHECK(with([&](parts& p) { p.tensors[1].name.first = 1000; }) == error{errc::nac_write_range, 1});
  CHECK(with([&](parts& p) { p.tensors[1].shape.size = 1000; }) == error{errc::nac_write_range, 1});
  CHECK(with([&](parts& p) { p.metadata[1].value.size = 1000; }) ==
        error{errc::nac_write_range, 1});

  // a header of 100 MB and a bit, by the name of a tensor or by metadata
  const std::string large(100'000'000, 'x');
  nac::external_parts named, described;
  named.add(large, f32, two, data);
  CHECK(nac::write_safetensors(named).error() ==
        error{errc::nac_external_large, 0, error_index::tensor});
  described.add_metadata("k", large);
  CHECK(nac::write_safetensors(described).error() ==
        error{errc::nac_external_large, 0, error_index::whole});

  // four tensors of 2^62 bytes each: offsets beyond 64 bits
  CHECK(with([&](parts& p) {
          static const nac::payload_source never{
              nullptr, [](const void*, std::uint64_t, std::uint64_t, std::byte*, std::size_t) {
                return false;
              }};
          const pool<std::uint32_t> shape = {0x40000000, 0x40000000};
          for (const char* name : {"c", "d", "e", "f"})
            p.add(name, f32, shape, {nullptr, 0, std::uint64_t{1} << 62, &never});
        }) == error{errc::nac_external_large, 5});
}
