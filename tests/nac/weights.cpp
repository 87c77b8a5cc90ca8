// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Weights of whole containers: out and in, quantized and back.

#include "nac/support.hpp"
// support.hpp comes first.
#include <algorithm>
#include <bit>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "support/allocations.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

using q = nac::quantization;
using t = nac::data_type;

[[nodiscard]] std::string bytes_of(const result<pool<std::byte>>& r) {
  REQUIRE(r);
  return std::string(as_text(bytes(r->data(), r->size())));
}

void add(nac::parts& p, std::uint16_t id, t type, const pool<std::uint32_t>& shape,
         std::string_view hex) {
  const auto data = from_hex(hex);
  const nac::range of = p.add_numbers(shape);
  p.tensors.push_back({id, type, q::none, 0, 0, of, {}, {}, p.keep(data)});
}
void scale(nac::parts& p, q method, const pool<float>& scales) {
  pool<std::uint32_t> bits;
  for (const float s : scales) bits.push_back(std::bit_cast<std::uint32_t>(s));
  p.tensors.back().quantization = method;
  p.tensors.back().scales = p.add_numbers(bits);
}

/// A container with a tensor of each kind; parameters 1 and 8 share a name.
[[nodiscard]] nac::parts model() {
  nac::parts p;
  p.quantization = q::int8_tensor;
  const char* const names[] = {"tied",  "tensor", "channel", "block", "half",
                               "count", "f64",    "tied",    "bf16"};
  for (std::uint16_t i = 0; i < 9; ++i) p.add_name(p.parameters, std::uint16_t(i + 1), names[i]);
  add(p, 1, t::float32, {2}, "0000003f 000000bf");
  add(p, 2, t::int8, {2, 3}, "020406080a0c");
  scale(p, q::int8_tensor, {0.1f});
  add(p, 3, t::int8, {2, 3}, "010203080a0c");
  scale(p, q::int8_channel, {2, -0.0f, 1e-9f});
  p.tensors.back().axis = 1;
  add(p, 4, t::int8, {8}, "0204060814180000");
  scale(p, q::block_fp8, {0.5f, 0.25f});
  p.tensors.back().block = 4;
  const pool<std::uint32_t> original = {2, 3};
  p.tensors.back().original_shape = p.add_numbers(original);
  add(p, 5, t::float16, {2}, "003e 00c0");
  p.tensors.back().quantization = q::fp16;
  add(p, 6, t::int64, {}, "0700000000000000");
  add(p, 7, t::float64, {1}, "9a9999999999b93f");
  add(p, 8, t::float32, {2}, "0000003f 000000bf");
  add(p, 9, t::bfloat16, {1, 1}, "c03f");
  return p;
}

/// One tensor "w" of floats.
[[nodiscard]] nac::parts one(const pool<float>& values, const pool<std::uint32_t>& shape) {
  nac::parts p;
  p.add_name(p.parameters, 1, "w");
  pool<std::byte> data;
  for (const float v : values) {
    store_le(data.prepare(4), v);
    data.advance(4);
  }
  const nac::range of = p.add_numbers(shape);
  p.tensors.push_back(
      {1, t::float32, q::none, 0, 0, of, {}, {}, p.keep({data.data(), data.size()})});
  return p;
}

[[nodiscard]] std::vector<float> values_of(const nac::tensor& tensor) {
  const auto values = nac::dequantize(tensor);
  REQUIRE(values);
  return {values->begin(), values->end()};
}

/// The tensors of a container, by id from 1.
struct tensors_of {
  std::string source;
  std::vector<nac::tensor> at = {{}};

  explicit tensors_of(std::string from) : source(std::move(from)) {
    const auto file = nac::read(as_bytes(source));
    REQUIRE(file);
    for (const nac::tensor& found : file->tensors()) {
      REQUIRE(found.id == at.size());
      at.push_back(found);
    }
  }
  tensors_of(const tensors_of&) = delete;
  [[nodiscard]] const nac::tensor& operator[](std::size_t id) const { return at[id]; }
};

}  // namespace

TEST_CASE("nac/weights: out of a container and in again, byte for byte", "[nac]") {
  const nac::parts p = model();
  const std::string inside = bytes_of(nac::write(p));
  const auto out = nac::externalise(p);
  REQUIRE(out);
  CHECK(out->model.tensors.empty());
  CHECK_FALSE(out->model.internal_weights);
  CHECK(out->weights.tensors.size() == 8);  // the tied ones are one

  const std::string model_bytes = bytes_of(nac::write(out->model)),
                    weight_bytes = bytes_of(nac::write_safetensors(out->weights));
  const auto model_file = nac::read(as_bytes(model_bytes));
  REQUIRE(model_file);
  CHECK_FALSE(model_file->has_internal_weights());
  CHECK(model_file->tensors().empty());
  CHECK(model_file->quantization() == q::int8_tensor);
  CHECK(model_file->parameters().size() == 9);

  const auto weights = nac::read_safetensors(as_bytes(weight_bytes));
  REQUIRE(weights);
  CHECK(weights->size() == 8);
  const auto in = nac::internalise(nac::parts_of(*model_file), *weights);
  REQUIRE(in);
  CHECK(bytes_of(nac::write(*in)) == inside);
  CHECK(in->tensors[0].shape.first == in->tensors[7].shape.first);  // kept once

  // both conventions of metadata, the tools' first
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"nac_quant_meta",
       R"({"block":{"quant_code":4,"quant_type":"BLOCK_FP8","block_size":4,"orig_shape":[2,3],)"
       R"("block_scales":[0.5,0.25]},)"
       R"("channel":{"quant_code":3,"quant_type":"INT8_CHANNEL","axis":1,)"
       R"("scales":[2.0,-0.0,9.999999717180685e-10]},)"
       R"("half":{"quant_code":1,"quant_type":"FP16"},)"
       R"("tensor":{"quant_code":2,"quant_type":"INT8_TENSOR","scale":0.10000000149011612}})"},
      {"block",
       R"({"quant_type":"BLOCK_FP8","block_size":4,"original_shape":[2,3],"scales":[0.5,0.25]})"},
      {"channel",
       R"({"quant_type":"INT8_CHANNEL","axis":1,"scales":[2.0,-0.0,9.999999717180685e-10]})"},
      {"half", R"({"quant_type":"FP16"})"},
      {"tensor", R"({"quant_type":"INT8_TENSOR","scale":0.10000000149011612})"},
  };
  REQUIRE(weights->metadata_size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(weights->metadata(i).key == expected[i].first);
    CHECK(weights->metadata(i).value == expected[i].second);
  }

  // either convention by itself means the same
  for (const bool tools : {true, false}) {
    nac::external_parts alone = out->weights;
    alone.metadata.clear();
    for (std::size_t i = 0; i < expected.size(); ++i)
      if ((i == 0) == tools) alone.add_metadata(expected[i].first, expected[i].second);
    const std::string source = bytes_of(nac::write_safetensors(alone));
    const auto read = nac::read_safetensors(as_bytes(source));
    REQUIRE(read);
    const auto again = nac::internalise(out->model, *read);
    REQUIRE(again);
    CHECK(bytes_of(nac::write(*again)) == inside);
  }
}

TEST_CASE("nac/weights: ids and names that stand twice; a name that metadata need", "[nac]") {
  nac::parts p;
  p.add_name(p.parameters, 3, "old");
  p.add_name(p.parameters, 1, "nac_quant_meta");
  p.add_name(p.parameters, 3, "new");
  add(p, 3, t::uint8, {1}, "01");
  add(p, 1, t::int8, {1}, "02");
  scale(p, q::int8_tensor, {2});
  add(p, 3, t::uint8, {1}, "03");
  const auto out = nac::externalise(p);
  REQUIRE(out);
  const std::string source = bytes_of(nac::write_safetensors(out->weights));
  const auto weights = nac::read_safetensors(as_bytes(source));
  REQUIRE(weights);
  REQUIRE(weights->size() == 2);
  CHECK(weights->metadata_size() == 1);
  CHECK(weights->find("old") == 2);
  CHECK(values_of((*weights)[weights->find("new")].as) == std::vector<float>{3});
  CHECK(values_of((*weights)[weights->find("nac_quant_meta")].as) == std::vector<float>{4});
  const auto in = nac::internalise(out->model, *weights);
  REQUIRE(in);
  REQUIRE(in->tensors.size() == 2);
  CHECK(in->tensors[0].id == 1);
  CHECK(in->tensors[1].id == 3);
}

TEST_CASE("nac/weights: what can't be moved is refused", "[nac]") {
  const auto out = [](auto change) {
    nac::parts p = model();
    change(p);
    return nac::externalise(p).error();
  };
  using parts = nac::parts;
  CHECK(out([](parts&) {}) == error{});
  CHECK(out([](parts& p) {
          p.tensors.clear();
          p.internal_weights = false;
        }) == error{errc::nac_weights_outside, 0});
  CHECK(out([](parts& p) { p.tensors[3].id = 44; }) == error{errc::nac_weights_unnamed, 3});
  CHECK(out([](parts& p) { p.tensors.pop_back(); }) == error{errc::nac_weights_absent, 8});
  for (const std::uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u})
    CHECK(out([bits](parts& p) { p.numbers[p.tensors[2].scales.first + 1] = bits; }) ==
          error{errc::nac_weights_scale, 2});
  CHECK(out([](parts& p) {
          p.own_bytes[static_cast<std::size_t>(p.tensors[7].data.first)] = std::byte{1};
        }) == error{errc::nac_weights_tied, 7});
  CHECK(out([](parts& p) { p.numbers[p.tensors[7].shape.first] = 3; }) ==
        error{errc::nac_weights_tied, 7});
  CHECK(out([](parts& p) { p.tensors[7].data.size = 4; }) == error{errc::nac_weights_tied, 7});
  CHECK(out([](parts& p) { p.tensors[7].type = t::int32; }) == error{errc::nac_weights_tied, 7});
  CHECK(out([](parts& p) { p.tensors[7].shape.size = 0; }) == error{errc::nac_weights_tied, 7});
  CHECK(out([](parts& p) { p.tensors[7].shape.first = 1000; }) == error{errc::nac_write_range, 7});

  const auto moved = nac::externalise(model());
  REQUIRE(moved);
  const auto in = [&](const nac::parts& to, auto change) {
    nac::external_parts weights = moved->weights;
    change(weights);
    const std::string source = bytes_of(nac::write_safetensors(weights));
    const auto file = nac::read_safetensors(as_bytes(source));
    REQUIRE(file);
    return nac::internalise(to, *file).error();
  };
  using external = nac::external_parts;
  CHECK(in(moved->model, [](external&) {}) == error{});
  CHECK(in(model(), [](external&) {}) == error{errc::nac_weights_inside, 0});
  nac::parts more = moved->model;
  more.add_name(more.parameters, 77, "nowhere");
  CHECK(in(more, [](external&) {}) == error{errc::nac_weights_missing, 9});
  CHECK(in(moved->model, [](external& w) { w.metadata.clear(); }) == error{});
  CHECK(in(moved->model, [](external& w) {
          w.metadata.clear();
          w.add_metadata("channel", R"({"quant_code":3,"axis":2,"scales":[1,2]})");
        }) == error{errc::nac_tensor_axis, 2});
  CHECK(in(moved->model, [](external& w) {
          w.metadata.clear();
          w.add_metadata("f64", R"({"quant_code":2,"scale":1})");
        }) == error{errc::nac_tensor_type, 6});
  more = moved->model;
  more.parameters[0].text.first = 10000;
  CHECK(in(more, [](external&) {}) == error{errc::nac_write_range, 0});

  const std::string header = R"({"w":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[0,1]}})";
  std::string source(8, '\0');
  source[0] = static_cast<char>(header.size());
  source += header + "x";
  const auto file = nac::read_safetensors(as_bytes(source));
  REQUIRE(file);
  nac::parts one_name;
  one_name.internal_weights = false;
  one_name.add_name(one_name.parameters, 1, "w");
  CHECK(nac::internalise(one_name, *file).error() == error{errc::nac_weights_form, 0});
}

TEST_CASE("nac/weights: a container's tensors are quantized while it is written", "[nac]") {
  const std::string before_bytes = bytes_of(nac::write(model()));
  const tensors_of before(before_bytes);
  for (const q method : {q::fp16, q::int8_tensor, q::int8_channel, q::block_fp8}) {
    INFO(nac::name(method));
    const auto small = nac::quantize(model(), method, 4);
    REQUIRE(small);
    CHECK(small->model.quantization == method);
    const tensors_of after(bytes_of(nac::write(small->model)));
    REQUIRE(after.at.size() == 10);
    for (std::size_t id = 1; id < 10; ++id) {
      INFO(id);
      const nac::tensor &x = before[id], &y = after[id];
      // integers and what is stored so are as they were
      const bool same = id == 6 || (id == 5 && method == q::fp16) ||
                        (id == 2 && method == q::int8_tensor) ||
                        (id == 4 && method == q::block_fp8);
      if (same) {
        CHECK(as_text(y.metadata) == as_text(x.metadata));
        CHECK(as_text(y.data) == as_text(x.data));
        continue;
      }
      // else as the values are quantized one by one
      const auto values = nac::dequantize(x);
      REQUIRE(values);
      pool<std::uint32_t> shape;
      for (std::uint32_t i = 0; i < x.value_shape().size(); ++i)
        shape.push_back(x.value_shape()[i]);
      const auto expected = nac::quantize(*values, shape, method, 4);
      REQUIRE(expected);
      CHECK(y.type == expected->form.type);
      CHECK(y.quantization == expected->form.quantization);
      CHECK(y.block == expected->form.block);
      CHECK(y.axis == 0);
      REQUIRE(y.scales.size() == expected->scales.size());
      for (std::uint32_t i = 0; i < y.scales.size(); ++i) CHECK(y.scales[i] == expected->scales[i]);
      CHECK(as_text(y.data) == as_text({expected->data.data(), expected->data.size()}));
      REQUIRE(y.value_shape().size() == shape.size());
      for (std::uint32_t i = 0; i < y.value_shape().size(); ++i)
        CHECK(y.value_shape()[i] == shape[i]);
      CHECK(values_of(y).size() == values->size());
    }
  }
}

TEST_CASE("nac/weights: quantizing what is quantized changes nothing", "[nac]") {
  pool<float> x;
  for (int i = 0; i < 300; ++i) x.push_back(static_cast<float>(i * 37 % 101 - 50) / 3);
  for (const q method : {q::fp16, q::int8_tensor, q::int8_channel, q::block_fp8})
    for (const pool<std::uint32_t>& shape :
         {pool<std::uint32_t>{300}, pool<std::uint32_t>{3, 10, 10}}) {
      INFO(nac::name(method));
      const auto once = nac::quantize(one(x, shape), method);
      REQUIRE(once);
      const std::string first = bytes_of(nac::write(once->model));
      const auto file = nac::read(as_bytes(first));
      REQUIRE(file);
      const auto twice = nac::quantize(nac::parts_of(*file), method);
      REQUIRE(twice);
      CHECK(bytes_of(nac::write(twice->model)) == first);
      CHECK(nac::quantize(once->model, method).error() == error{errc::nac_weights_made, 0});
      CHECK(nac::dequantize(once->model).error() == error{errc::nac_weights_made, 0});
    }
}

TEST_CASE("nac/weights: tensors larger than a piece are whole", "[nac]") {
  pool<float> x;
  for (int i = 0; i < 10007; ++i) x.push_back(static_cast<float>(i * 7919 % 10007 - 5000) / 7);
  const pool<std::uint32_t> shape = {10007};
  const nac::parts p = one(x, shape);
  for (const q method : {q::fp16, q::int8_tensor, q::block_fp8}) {
    INFO(nac::name(method));
    auto made = nac::quantize(p, method);
    REQUIRE(made);
    const nac::conversion moved = *std::move(made);  // its payloads stay where they are
    struct taken {
      std::string all;
      std::size_t largest = 0;
    } to;
    const nac::sink sink{&to, [](void* context, bytes piece) {
                           auto& here = *static_cast<taken*>(context);
                           here.all += as_text(piece);
                           if (piece.size() > here.largest) here.largest = piece.size();
                           return true;
                         }};
    REQUIRE(nac::write(moved.model, sink) == error{});
    CHECK(to.largest <= 4096);
    CHECK(to.all.size() == *nac::written_size(moved.model));
    const tensors_of file(to.all);
    const auto expected = nac::quantize(x, shape, method);
    REQUIRE(expected);
    CHECK(as_text(file[1].data) == as_text({expected->data.data(), expected->data.size()}));

    // and back
    const auto read = nac::read(as_bytes(file.source));
    REQUIRE(read);
    const auto back = nac::dequantize(nac::parts_of(*read));
    REQUIRE(back);
    CHECK(back->model.quantization == q::none);
    const tensors_of floats(bytes_of(nac::write(back->model)));
    CHECK(floats[1].type == t::float32);
    CHECK(floats[1].quantization == q::none);
    CHECK(values_of(floats[1]) == values_of(file[1]));
    CHECK(floats[1].shape.size() == 1);
    CHECK(floats[1].shape[0] == 10007);
  }
}

TEST_CASE("nac/weights: no conversion needs memory for elements", "[nac]") {
  pool<float> x;
  x.resize(1u << 20);
  for (std::size_t i = 0; i < x.size(); i += 101) x[i] = static_cast<float>(i % 1000);
  std::vector<std::byte> data(x.size() * 4);
  for (std::size_t i = 0; i < x.size(); ++i) store_le(data.data() + i * 4, x[i]);
  nac::parts p = one({1}, {1u << 10, 1u << 10});
  p.tensors[0].data = nac::parts::borrow(data);
  for (const q method : {q::fp16, q::int8_tensor, q::int8_channel, q::block_fp8}) {
    INFO(nac::name(method));
    const std::size_t scales = method == q::block_fp8 ? (1u << 20) / 64 : 1u << 10;
    const tessera_tests::allocations used;
    const auto made = nac::quantize(p, method);
    REQUIRE(made);
    std::uint64_t total = 0;
    REQUIRE(nac::write(made->model, {&total, [](void* context, bytes piece) {
                                       *static_cast<std::uint64_t*>(context) += piece.size();
                                       return true;
                                     }}) == error{});
    CHECK(total == *nac::written_size(made->model));
    CHECK(used.peak() <= 16 * scales + 8192);
  }
}

TEST_CASE("nac/weights: quantized and moved out in one go; ties are distinguished by elements",
          "[nac]") {
  nac::parts p = model();
  for (const bool equal : {true, false}) {
    const auto small = nac::quantize(p, q::block_fp8);
    REQUIRE(small);
    const auto out = nac::externalise(small->model);
    if (!equal) {
      CHECK(out.error() == error{errc::nac_weights_tied, 7});
      break;
    }
    REQUIRE(out);
    const std::string source = bytes_of(nac::write_safetensors(out->weights));
    const auto weights = nac::read_safetensors(as_bytes(source));
    REQUIRE(weights);
    const auto in = nac::internalise(out->model, *weights);
    REQUIRE(in);
    CHECK(bytes_of(nac::write(*in)) == bytes_of(nac::write(small->model)));
    // one of the tied: the same scale, another element
    p.own_bytes[static_cast<std::size_t>(p.tensors[7].data.first) + 7] = std::byte{0x3f};
  }
}

TEST_CASE("nac/weights: back to floats", "[nac]") {
  const std::string source = bytes_of(nac::write(model()));
  const tensors_of before(source);
  for (const bool narrow : {false, true}) {
    const auto large = nac::dequantize(model(), narrow);
    REQUIRE(large);
    const tensors_of after(bytes_of(nac::write(large->model)));
    for (std::size_t id = 1; id < 10; ++id) {
      INFO(id);
      CHECK(values_of(after[id]) == values_of(before[id]));
      CHECK(after[id].quantization == q::none);
      CHECK(after[id].shape.size() == before[id].value_shape().size());
      CHECK(after[id].type == (id == 6 ? t::int64 : id == 7 && !narrow ? t::float64 : t::float32));
    }
    CHECK(values_of(after[7]) == std::vector<float>{0.1f});
  }
}

TEST_CASE("nac/weights: what can't be converted is refused before anything is written", "[nac]") {
  const auto of = [](auto change, q method = q::int8_tensor, std::uint16_t block = 64) {
    nac::parts p = model();
    change(p);
    return nac::quantize(p, method, block).error();
  };
  using parts = nac::parts;
  CHECK(of([](parts&) {}, q::none) == error{errc::nac_quantize_method, 0});
  CHECK(of([](parts&) {}, q::block_fp8, 0) == error{errc::nac_quantize_block, 0});
  CHECK(of([](parts& p) { p.numbers[p.tensors[7].shape.first] = 3; }) ==
        error{errc::nac_tensor_size, 7});
  CHECK(of([](parts& p) { p.tensors[2].axis = 2; }) == error{errc::nac_tensor_axis, 2});
  CHECK(of([](parts& p) { p.tensors[2].scales.first = 1000; }) == error{errc::nac_write_range, 2});
  CHECK(of(
            [](parts& p) {  // 0x7f7f is a bfloat16 near the largest float
              const auto at = static_cast<std::size_t>(p.tensors[8].data.first);
              p.own_bytes[at] = std::byte{0x7f};
              p.own_bytes[at + 1] = std::byte{0x7f};
            },
            q::fp16) == error{errc::nac_quantize_float16, 8});
  CHECK(of([](parts& p) {
          const auto at = static_cast<std::size_t>(p.tensors[8].data.first);
          p.own_bytes[at] = std::byte{0x80};
          p.own_bytes[at + 1] = std::byte{0x7f};
        }) == error{errc::nac_quantize_finite, 8});
  nac::parts broken = model();
  broken.tensors[1].type = t::uint8;
  CHECK(nac::dequantize(broken).error() == error{errc::nac_tensor_type, 1});
  broken.tensors[1].type = static_cast<t>(77);
  CHECK(nac::dequantize(broken).error() == error{errc::nac_write_data_type, 1});

  // Of 2^64 - 1 elements the last block ends beyond 64 bits. None is looked at.
  struct many {
    [[nodiscard]] static std::uint64_t size() noexcept { return ~std::uint64_t{0}; }
    static void read(std::uint64_t, float* to, std::size_t count) noexcept {
      std::fill_n(to, count, 0.0f);
    }
  };
  const pool<std::uint32_t> shape = {0xffffffff, 641, 6700417};
  nac::quantized_form form;
  pool<float> scales;
  CHECK(nac::measure(many{}, shape, q::block_fp8, 64, form, scales) ==
        error{errc::nac_quantize_shape, 0});

  // 2^32 - 1 elements: padded, one more. They are never looked at.
  if constexpr (sizeof(std::size_t) > 4) {
    nac::parts p = one({1}, {0xffffffff});
    static const std::byte some[4] = {};
    p.tensors[0].data = {some, 0, std::uint64_t{4} * 0xffffffff, nullptr};
    CHECK(nac::quantize(p, q::block_fp8).error() == error{errc::nac_weights_blocks, 0});
  }
}

TEST_CASE("nac/weights: a payload that can't be made stops the writing", "[nac]") {
  static const nac::payload_source never{
      nullptr, [](const void*, std::uint64_t, std::uint64_t first, std::byte* to, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) to[i] = std::byte{1};
        return first < 4096;
      }};
  nac::parts p = one({1}, {1});
  p.tensors[0].data = {nullptr, 0, 8192, &never};
  CHECK(nac::write(p).error() == error{errc::nac_write_stopped, 0});
  CHECK(p.data_of(p.tensors[0].data).empty());
  nac::external_parts w;
  const pool<std::uint32_t> shape = {2048};
  w.add("w", t::float32, shape, p.tensors[0].data);
  CHECK(nac::write_safetensors(w).error() == error{errc::nac_write_stopped, 0});
}
