// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Values of tensors, and floats stored as smaller ones.

#include "nac/support.hpp"
// support.hpp comes first.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <tessera/core/bytes.hpp>

using namespace tessera;
using namespace nac_tests;

namespace {

/// A container of version 1 that holds one tensor record, which begins at offset 104.
[[nodiscard]] std::vector<std::byte> file_of(std::string_view record) {
  std::string hex = "4e41430180 0000 0000 00 0000";
  for (int slot = 0; slot < 9; ++slot) hex += slot == 5 ? "5800000000000000" : "0000000000000000";
  hex += "00000000 44415441 00000000 00000000 01000000";
  return from_hex(hex + std::string(record));
}
constexpr std::uint64_t record_offset = 104;

/// The one tensor of a file, which has to be there.
[[nodiscard]] nac::tensor tensor_in(const std::vector<std::byte>& source) {
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  REQUIRE(file->tensors().size() == 1);
  return *file->tensors().begin();
}

[[nodiscard]] std::vector<float> values_in(const std::vector<std::byte>& source) {
  const auto values = nac::dequantize(tensor_in(source));
  REQUIRE(values);
  return {values->begin(), values->end()};
}

[[nodiscard]] error error_of(std::string_view record) {
  const auto source = file_of(record);
  return nac::dequantize(tensor_in(source)).error();
}

[[nodiscard]] std::uint64_t hash(const void* data, std::size_t size) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < size; ++i)
    h = (h ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  return h;
}
/// Of floats in the byte order of files.
[[nodiscard]] std::uint64_t hash(view<float> values) {
  std::vector<std::byte> raw(values.size() * 4);
  for (std::size_t i = 0; i < values.size(); ++i) store_le(raw.data() + i * 4, values[i]);
  return hash(raw.data(), raw.size());
}

/// Multiples of 1/256 up to 39.0625, the same everywhere.
[[nodiscard]] pool<float> some_values(std::size_t count) {
  pool<float> out;
  std::uint32_t state = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    out.push_back(static_cast<float>(static_cast<int>((state >> 8) % 20001) - 10000) / 256.0f);
  }
  return out;
}

using shape = pool<std::uint32_t>;

[[nodiscard]] result<nac::quantized_values> store(const pool<float>& values, const shape& of,
                                                  nac::quantization method,
                                                  std::uint16_t block = nac::default_block) {
  return nac::quantize(values, of, method, block);
}

/// What was quantized, as a tensor over it.
struct stored {
  std::vector<std::byte> numbers;
  nac::tensor tensor;

  stored(const nac::quantized_values& q, const shape& values) {
    const bool block = q.form.quantization == nac::quantization::block_fp8;
    shape dimensions = values;
    if (block) dimensions = {static_cast<std::uint32_t>(q.form.elements)};
    numbers.resize(4 * (dimensions.size() + values.size() + q.scales.size()));
    std::byte* to = numbers.data();
    const auto put = [&to](auto list) {
      const std::byte* const at = to;
      for (const auto v : list) {
        store_le(to, v);
        to += 4;
      }
      return at;
    };
    tensor.type = q.form.type;
    tensor.quantization = q.form.quantization;
    tensor.block = q.form.block;
    tensor.shape = {put(dimensions), static_cast<std::uint32_t>(dimensions.size())};
    if (block) tensor.original_shape = {put(values), static_cast<std::uint32_t>(values.size())};
    tensor.scales = {put(q.scales), static_cast<std::uint32_t>(q.scales.size())};
    tensor.data = bytes(q.data.data(), q.data.size());
  }
  stored(const stored&) = delete;
};

[[nodiscard]] std::vector<int> int8_of(const pool<std::byte>& data) {
  std::vector<int> out;
  for (const std::byte b : data) out.push_back(static_cast<std::int8_t>(b));
  return out;
}

constexpr float infinite = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("nac/tensors: records in every quantization are read as their values", "[nac]") {
  struct row {
    const char* record;
    std::vector<float> values;
  };
  const std::vector<float> to_six = {1, 2, 3, 4, 5, 6};
  for (const row& r :
       {row{"0200 07000000 0800000000000000 00 01 02000000 00 0000003f 000000bf", {0.5f, -0.5f}},
        row{"0300 03000000 0800000000000000 05 00 00 0700000000000000", {7}},
        row{"0100 07000000 0400000000000000 02 01 02000000 00 003e 00c0", {1.5f, -2}},
        row{"0100 07000000 0400000000000000 02 01 02000000 01 003e 00c0", {1.5f, -2}},
        row{"0100 07000000 0400000000000000 03 01 02000000 00 c03f 00c0", {1.5f, -2}},
        row{"0100 0f000000 0600000000000000 07 02 02000000 03000000 02 0000003f 020406080a0c",
            to_six},
        row{"0100 18000000 0600000000000000 07 02 02000000 03000000 03 00 02000000 0000803f "
            "0000003f 010203080a0c",
            to_six},
        row{"0100 1c000000 0600000000000000 07 02 02000000 03000000 03 01 03000000 0000803f "
            "0000003f 00000040 01020304 0506",
            {1, 1, 6, 4, 2.5f, 12}},
        row{"0100 1e000000 0800000000000000 07 01 08000000 04 0400 02 02000000 03000000 02000000 "
            "0000003f 0000803e 0204060814180000",
            to_six},
        // a block_fp8 tensor of rank 0 has one value
        row{"0100 12000000 0400000000000000 07 01 04000000 04 0400 00 01000000 00000040 "
            "05000000",
            {10}}}) {
    INFO(r.record);
    CHECK(values_in(file_of(r.record)) == r.values);
  }
}

TEST_CASE("nac/tensors: elements of all ten types become float32", "[nac]") {
  struct row {
    const char* type;
    const char* size;
    const char* data;
    std::vector<float> values;
  };
  for (const row& r : {
           row{"00", "08", "0000c07f 000080ff", {std::nanf(""), -infinite}},
           row{"01", "10", "9a9999999999b93f 000000000000f0ff", {0.1f, -infinite}},
           row{"02", "04", "ff7b 0100", {65504.0f, 0x1p-24f}},
           row{"03", "04", "7f7f 0100", {0x1.fep127f, 0x1p-133f}},
           row{"04", "08", "01000001 ffffffff", {16777216.0f, -1}},
           row{"05", "10", "01000000000020 00 0000000000000080", {0x1p53f, -0x1p63f}},
           row{"06", "04", "0080 ff7f", {-32768, 32767}},
           row{"07", "02", "80 7f", {-128, 127}},
           row{"08", "02", "80 ff", {128, 255}},
           row{"09", "02", "00 02", {0, 1}},
       }) {
    INFO(r.type);
    const auto values =
        values_in(file_of(std::string("0100 07000000 ") + r.size + "00000000000000 " + r.type +
                          " 01 02000000 00 " + r.data));
    REQUIRE(values.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      if (std::isnan(r.values[i]))
        CHECK(std::isnan(values[i]));
      else
        CHECK(values[i] == r.values[i]);
    }
  }
}

TEST_CASE("nac/tensors: every part of a tensor is what the whole is there", "[nac]") {
  // axis 1 of 3: runs of 2 elements, 3 scales, twice
  const auto source = file_of(
      "0100 20000000 0c00000000000000 07 03 02000000 03000000 02000000 03 01 03000000 0000803f "
      "0000003f 00000040 0102030405060708090a0b0c");
  const nac::tensor t = tensor_in(source);
  const std::vector<float> all = {1, 2, 1.5f, 2, 10, 12, 7, 8, 4.5f, 5, 22, 24};
  CHECK(values_in(source) == all);
  for (std::size_t first = 0; first <= all.size(); ++first)
    for (std::size_t count = 0; count <= all.size() - first; ++count) {
      std::vector<float> some(count + 1, -7.0f);
      REQUIRE(nac::dequantize(t, first, some.data(), count) == error{});
      for (std::size_t i = 0; i < count; ++i) REQUIRE(some[i] == all[first + i]);
      REQUIRE(some[count] == -7.0f);
    }
  float one = 0;
  CHECK(nac::dequantize(t, 12, &one, 1) == error{errc::nac_tensor_range, record_offset});
  CHECK(nac::dequantize(t, 13, &one, 0) == error{errc::nac_tensor_range, record_offset});
  CHECK(nac::dequantize(t, UINT64_MAX, &one, 1) == error{errc::nac_tensor_range, record_offset});
}

TEST_CASE("nac/tensors: no elements have no values, however large other dimensions are", "[nac]") {
  for (const char* record : {
           "0100 13000000 0000000000000000 00 04 ffffffff ffffffff ffffffff 00000000 00",
           "0100 13000000 0000000000000000 00 04 00000000 ffffffff ffffffff ffffffff 00",
           "0100 1c000000 0000000000000000 07 04 01000000 ffffffff ffffffff 00000000 03 00 "
           "01000000 0000003f",
       }) {
    INFO(record);
    const auto source = file_of(record);
    const auto values = nac::dequantize(tensor_in(source));
    REQUIRE(values);
    CHECK(values->empty());
  }
}

TEST_CASE("nac/tensors: what doesn't agree in a tensor is refused", "[nac]") {
  struct row {
    const char* record;
    error expected;
  };
  for (const row& r : {
           row{"0100 07000000 0400000000000000 00 01 02000000 00 0000003f",
               {errc::nac_tensor_size, record_offset}},
           row{"0100 0b000000 0000000000000000 00 02 ffffffff ffffffff 00",
               {errc::nac_tensor_size, record_offset}},  // 2^66 bytes
           row{"0100 0f000000 0000000000000000 00 03 ffffffff ffffffff ffffffff 00",
               {errc::nac_tensor_size, record_offset}},  // 2^96 elements
           row{"0100 0b000000 0800000000000000 00 01 02000000 02 0000003f 0000003f 0000003f",
               {errc::nac_tensor_type, record_offset}},
           row{"0100 10000000 0200000000000000 07 01 02000000 03 01 01000000 0000003f 0102",
               {errc::nac_tensor_axis, record_offset}},
           row{"0100 10000000 0200000000000000 07 01 02000000 03 00 01000000 0000003f 0102",
               {errc::nac_tensor_scales, record_offset}},
           // blocks of 3 in 4 elements
           row{"0100 16000000 0400000000000000 07 01 04000000 04 0300 01 02000000 01000000 "
               "0000003f 01020304",
               {errc::nac_tensor_scales, record_offset}},
           // 5 values in 4 elements
           row{"0100 16000000 0400000000000000 07 01 04000000 04 0400 01 05000000 01000000 "
               "0000003f 01020304",
               {errc::nac_tensor_padding, record_offset}},
           // 2^64 values
           row{"0100 1e000000 0400000000000000 07 01 04000000 04 0400 03 00000001 00000001 "
               "00000100 01000000 0000003f 01020304",
               {errc::nac_tensor_padding, record_offset}},
           // two scales for one block
           row{"0100 1a000000 0400000000000000 07 01 04000000 04 0400 01 02000000 02000000 "
               "0000003f 0000003f 01020304",
               {errc::nac_tensor_scales, record_offset}},
       }) {
    INFO(r.record);
    CHECK(error_of(r.record) == r.expected);
  }
  const auto whole = file_of("0100 07000000 0800000000000000 00 01 02000000 00 0000003f 0000003f");
  const auto other = file_of("0100 07000000 0400000000000000 00 01 01000000 00 0000003f");
  const auto broken = file_of("0100 07000000 0400000000000000 00 01 02000000 00 0000003f");
  const error shapes{errc::nac_tensor_shapes, record_offset};
  const error size{errc::nac_tensor_size, record_offset};
  CHECK(nac::error_between(tensor_in(whole), tensor_in(other)).error() == shapes);
  CHECK(nac::error_between(tensor_in(broken), tensor_in(whole)).error() == size);
  CHECK(nac::error_between(tensor_in(whole), tensor_in(broken)).error() == size);
  CHECK(nac::requantization_error(tensor_in(broken), nac::quantization::fp16).error() == size);
  CHECK(nac::dequantize(tensor_in(broken), 0, nullptr, 0) == size);
}

TEST_CASE("nac/tensors: scales and rounding, worked by hand", "[nac]") {
  const pool<float> x = {127, -63.5f, 0.5f};
  auto q = store(x, shape{3}, nac::quantization::int8_tensor);
  REQUIRE(q);
  CHECK(q->form.type == nac::data_type::int8);
  CHECK(q->scales == pool<float>{1});
  CHECK(int8_of(q->data) == std::vector<int>{127, -64, 0});

  // ties to even on both sides, and the ends
  const pool<float> ties = {127, 1.5f, 2.5f, -1.5f, -2.5f, 126.5f, -126.5f, -127, 0.49f, -0.51f};
  q = store(ties, shape{10}, nac::quantization::int8_tensor);
  REQUIRE(q);
  CHECK(int8_of(q->data) == std::vector<int>{127, 2, 2, -2, -2, 126, -126, -127, 0, -1});

  const pool<float> zeros = {0, -0.0f, 0, 0};
  q = store(zeros, shape{4}, nac::quantization::int8_tensor);
  REQUIRE(q);
  CHECK(q->scales == pool<float>{1e-9f});
  CHECK(int8_of(q->data) == std::vector<int>{0, 0, 0, 0});
  q = store(zeros, shape{2, 2}, nac::quantization::int8_channel);
  REQUIRE(q);
  CHECK(q->scales == pool<float>{1e-9f, 1e-9f});
  q = store(zeros, shape{4}, nac::quantization::block_fp8, 3);
  REQUIRE(q);
  CHECK(q->scales == pool<float>{1, 1});
  CHECK(int8_of(q->data) == std::vector<int>{0, 0, 0, 0, 0, 0});

  // a scale for each row; of rank 1, one for all
  const pool<float> rows = {127, 1, 254, 2};
  q = store(rows, shape{2, 2}, nac::quantization::int8_channel);
  REQUIRE(q);
  CHECK(q->form.quantization == nac::quantization::int8_channel);
  CHECK(q->scales == pool<float>{1, 2});
  CHECK(int8_of(q->data) == std::vector<int>{127, 1, 127, 1});
  q = store(rows, shape{4}, nac::quantization::int8_channel);
  REQUIRE(q);
  CHECK(q->form.quantization == nac::quantization::int8_tensor);
  CHECK(q->scales == pool<float>{2});
  CHECK(int8_of(q->data) == std::vector<int>{64, 0, 127, 1});  // 63.5 and 0.5 are ties

  // blocks go across rows; the last is padded
  const pool<float> six = {127, 0, 0, 2, 254, 4};
  q = store(six, shape{2, 3}, nac::quantization::block_fp8, 4);
  REQUIRE(q);
  CHECK(q->form.elements == 8);
  CHECK(q->form.values == 6);
  CHECK(q->scales == pool<float>{1, 2});
  CHECK(int8_of(q->data) == std::vector<int>{127, 0, 0, 2, 127, 2, 0, 0});
  q = store(six, shape{6}, nac::quantization::block_fp8);
  REQUIRE(q);
  CHECK(q->form.block == 64);
  CHECK(q->data.size() == 64);

  // float16: ties to even, and what no f16 is
  const pool<float> halves = {1.5f, -2, 2049, 65519.996f, infinite, -infinite};
  q = store(halves, shape{6}, nac::quantization::fp16);
  REQUIRE(q);
  CHECK(q->form.type == nac::data_type::float16);
  CHECK(q->form.quantization == nac::quantization::none);
  CHECK(q->scales.empty());
  const auto expected = from_hex("003e 00c0 0068 ff7b 007c 00fc");
  CHECK(std::vector<std::byte>(q->data.begin(), q->data.end()) == expected);

  // nothing to store
  q = store({}, shape{3, 0}, nac::quantization::int8_channel);
  REQUIRE(q);
  CHECK(q->form.quantization == nac::quantization::int8_tensor);
  CHECK(q->scales == pool<float>{1e-9f});
  q = store({}, shape{0xffffffff, 0}, nac::quantization::int8_channel);
  REQUIRE(q);
  CHECK(q->scales.size() == 1);
  q = store({}, shape{0}, nac::quantization::block_fp8);
  REQUIRE(q);
  CHECK(q->scales.empty());

  // the least float: a scale would be 0
  const pool<float> least = {0x1p-149f, -0x1p-149f};
  q = store(least, shape{2}, nac::quantization::int8_tensor);
  REQUIRE(q);
  CHECK(q->scales == pool<float>{1e-9f});
  // 190 of those: a scale of one of them, which the quotient of 190 exceeds
  const pool<float> few = {190 * 0x1p-149f, -190 * 0x1p-149f};
  q = store(few, shape{2}, nac::quantization::block_fp8);
  REQUIRE(q);
  CHECK(q->scales == pool<float>{0x1p-149f});
  CHECK(int8_of(q->data)[0] == 127);
  CHECK(int8_of(q->data)[1] == -128);
  q = store(few, shape{2}, nac::quantization::int8_tensor);
  REQUIRE(q);
  CHECK(int8_of(q->data) == std::vector<int>{127, -127});
}

TEST_CASE("nac/tensors: values that have no stored form are refused", "[nac]") {
  const pool<float> x = {1, 2, 3, infinite};
  const pool<float> y = {1, -std::nanf(""), 3, 4};
  const pool<float> large = {1, 65504, 65520, 4};
  const pool<float> small = {1, 65504, -65519.996f, -65520};
  using q = nac::quantization;
  const auto code = [](const auto& r) { return r.error(); };
  for (const q method : {q::int8_tensor, q::int8_channel, q::block_fp8}) {
    CHECK(code(store(x, shape{2, 2}, method)) == error{errc::nac_quantize_finite, 3});
    CHECK(code(store(y, shape{2, 2}, method)) == error{errc::nac_quantize_finite, 1});
  }
  CHECK(code(store(large, shape{4}, q::fp16)) == error{errc::nac_quantize_float16, 2});
  CHECK(code(store(small, shape{4}, q::fp16)) == error{errc::nac_quantize_float16, 3});
  CHECK(code(store(x, shape{4}, q::none)) == error{errc::nac_quantize_method, 0});
  CHECK(code(store(pool<float>{1}, shape{}, q::fp16)) == error{errc::nac_quantize_method, 0});
  CHECK(code(store(x, shape{4}, q::block_fp8, 0)) == error{errc::nac_quantize_block, 0});
  CHECK(code(store(x, shape{5}, q::fp16)) == error{errc::nac_quantize_shape, 0});
  CHECK(code(store({}, shape{0xffffffff, 0xffffffff, 2}, q::fp16)) ==
        error{errc::nac_quantize_shape, 0});

  const auto source = file_of("0100 07000000 0800000000000000 00 01 02000000 00 0000003f 0000807f");
  CHECK(code(nac::requantization_error(tensor_in(source), q::int8_tensor)) ==
        error{errc::nac_quantize_finite, record_offset});
}

TEST_CASE("nac/tensors: quantizers agree with another implementation, bit for bit", "[nac]") {
  // hashes of scales, elements and values that NumPy computed in float32
  const pool<float> x = some_values(1050);
  using m = nac::quantization;
  struct row {
    m method;
    std::size_t scales;
    std::uint64_t scales_hash, data_hash, values_hash;
  };
  for (const row& r :
       {row{m::int8_tensor, 1, 0, 0xef565e2f9ce6a204, 0x830bc50cbd15d32a},
        row{m::int8_channel, 7, 0x894a88c41822e156, 0x942038ab96f76aa9, 0x23e02fffa49c44da},
        row{m::block_fp8, 17, 0x8ac9344d842ce8e8, 0x95091010fea9f49e, 0x0aaf28855a22db77}}) {
    INFO(nac::name(r.method));
    const auto q = store(x, shape{7, 150}, r.method);
    REQUIRE(q);
    REQUIRE(q->scales.size() == r.scales);
    if (r.scales == 1)
      CHECK(std::bit_cast<std::uint32_t>(q->scales[0]) == 1050492541);
    else
      CHECK(hash(q->scales) == r.scales_hash);
    CHECK(hash(q->data.data(), q->data.size()) == r.data_hash);
    const stored s(*q, shape{7, 150});
    const auto values = nac::dequantize(s.tensor);
    REQUIRE(values);
    CHECK(hash(*values) == r.values_hash);

    // any part of the elements is what the whole is there
    const nac::float_values from(x);
    for (const std::uint64_t first : {0u, 1u, 63u, 511u, 513u, 700u, 1049u}) {
      std::byte some[130];
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(130, q->form.elements - first));
      nac::quantize_elements(from, q->form, q->scales.data(), first, some, n);
      CHECK(std::memcmp(some, q->data.data() + first, n) == 0);
    }
  }
  const auto half = store(x, shape{1050}, m::fp16);
  REQUIRE(half);
  CHECK(hash(half->data.data(), half->data.size()) == 0x6fb0b050d2dcd873);
}

TEST_CASE("nac/tensors: figures of the error", "[nac]") {
  const pool<float> x = some_values(1050);
  const auto q = store(x, shape{7, 150}, nac::quantization::block_fp8);
  REQUIRE(q);
  const stored s(*q, shape{7, 150});
  std::vector<std::byte> raw(x.size() * 4);
  for (std::size_t i = 0; i < x.size(); ++i) store_le(raw.data() + i * 4, x[i]);
  std::byte dimensions[8];
  store_le(dimensions, std::uint32_t{7});
  store_le(dimensions + 4, std::uint32_t{150});
  nac::tensor original;
  original.shape = {dimensions, 2};
  original.data = raw;

  const auto between = nac::error_between(original, s.tensor);
  const auto would_be = nac::requantization_error(original, nac::quantization::block_fp8);
  for (const auto* e : {&between, &would_be}) {
    REQUIRE(*e);
    CHECK((*e)->values == 1050);
    CHECK((*e)->largest == 0.15234375);
    CHECK((*e)->rms() == Approx(0.08541199161500752).epsilon(1e-12));
    CHECK((*e)->snr_db() == Approx(48.42398813861264).epsilon(1e-12));
  }
  nac::quantization_error sum = *between;
  sum.add(*would_be);
  CHECK(sum.values == 2100);
  CHECK(sum.largest == 0.15234375);
  CHECK(sum.rms() == Approx(0.08541199161500752).epsilon(1e-12));

  const auto none = nac::error_between(original, original);
  REQUIRE(none);
  CHECK(none->rms() == 0);
  CHECK(none->snr_db() == std::numeric_limits<double>::infinity());
  CHECK(nac::quantization_error{}.rms() == 0);
  const auto half = nac::requantization_error(original, nac::quantization::fp16);
  REQUIRE(half);
  CHECK(half->largest == 0.03125 / 2);  // half of the last place above 32
}
