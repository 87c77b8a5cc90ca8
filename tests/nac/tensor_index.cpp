// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The index of tensors: what it holds, what it reads, and its errors beside those of reading.

#include <tessera/core/bytes.hpp>
#include "nac/support.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

/// A file that notes what is read of it.
struct watched {
  bytes file;
  std::size_t calls = 0, bytes_read = 0;
  std::size_t fails_at = ~std::size_t{0};  // the call that fails
  std::vector<std::pair<std::uint64_t, std::uint64_t>> forbidden{};

  [[nodiscard]] nac::source source() {
    return {this,
            [](void* context, std::uint64_t offset, std::byte* to, std::size_t count) {
              auto& self = *static_cast<watched*>(context);
              CHECK(count != 0);
              CHECK((offset <= self.file.size() && count <= self.file.size() - offset));
              for (const auto& [first, end] : self.forbidden)
                CHECK((offset + count <= first || offset >= end));
              self.bytes_read += count;
              std::memcpy(to, self.file.data() + offset, count);
              return self.calls++ != self.fails_at;
            },
            file.size()};
  }
};

struct recipe {
  std::vector<std::byte> out = std::vector<std::byte>(88);

  void put(std::uint64_t value, std::size_t size) {
    for (; size != 0; --size, value >>= 8) out.push_back(static_cast<std::byte>(value & 0xff));
  }
  void put(std::string_view text) {
    for (const char c : text) out.push_back(static_cast<std::byte>(c));
  }
  void slot(std::size_t i) {
    for (std::size_t k = 0; k < 8; ++k)
      out[12 + 8 * i + k] = static_cast<std::byte>(std::uint64_t{out.size()} >> (8 * k) & 0xff);
  }
};

/// `count` parameters layer.N.weight with metadata of every kind and `elements` bytes each; DATA
/// comes last.
std::vector<std::byte> model(std::uint32_t count, std::uint32_t elements) {
  recipe r;
  const auto head = from_hex("4e41430180");
  std::memcpy(r.out.data(), head.data(), head.size());
  r.slot(0);
  r.put("MMAP");
  r.put(0, 4);
  r.slot(5);
  r.put("DATA");
  r.put(count, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = "layer." + std::to_string(i) + ".weight";
    r.put(i + 1, 2);
    r.put(name.size(), 2);
    r.put(name);
  }
  r.put(1, 4);
  r.put(0, 2);
  r.put(5, 2);
  r.put("input");
  r.put(count, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    recipe m;
    m.out.clear();
    const std::uint32_t method = i % 5, rank = i % 7 == 6 ? 30 : i % 7;
    m.put(i % 10, 1);
    m.put(rank, 1);
    for (std::uint32_t k = 0; k < rank; ++k) m.put(i + k, 4);
    m.put(method, 1);
    if (method == 2) m.put(0x3f000000, 4);
    if (method == 3) m.put(1, 1), m.put(300, 4), m.out.resize(m.out.size() + 1200);
    if (method == 4) m.put(64, 2), m.put(2, 1), m.put(i, 4), m.put(3, 4), m.put(1, 4), m.put(0, 4);
    r.put(i + 1, 2);
    r.put(m.out.size(), 4);
    r.put(elements, 8);
    r.put(as_text(bytes(m.out)));
    r.out.resize(r.out.size() + elements, std::byte{0xee});
  }
  return r.out;
}

void check_same(const nac::model& file, const nac::tensor_index& index) {
  CHECK(index.header() == file.header());
  CHECK(index.has_internal_weights() == file.has_internal_weights());
  REQUIRE(index.parameters().size() == file.parameters().size());
  std::size_t i = 0;
  bool same = true;
  for (const nac::named& n : file.parameters()) {
    const auto& p = index.parameters()[i++];
    same = same && p.id == n.id && index.name(p) == n.text;
  }
  CHECK(same);
  REQUIRE(index.tensors().size() == file.tensors().size());
  i = 0;
  for (const nac::tensor& t : file.tensors()) {
    const nac::indexed_tensor& x = index.tensors()[i++];
    const auto shape = index.shape(x), original = index.original_shape(x);
    same = same && x.offset == t.offset && x.data_offset == t.data_offset &&
           x.data_size == t.data.size() && x.id == t.id && x.type == t.type &&
           x.quantization == t.quantization && x.axis == t.axis && x.block == t.block &&
           x.scales == t.scales.size() && shape.size() == t.shape.size() &&
           original.size() == t.original_shape.size();
    if (x.scales != 0) same = same && file.source().data() + x.scales_offset == t.scales.data();
    for (std::size_t k = 0; same && k < shape.size(); ++k) same = shape[k] == t.shape[k];
    for (std::size_t k = 0; same && k < original.size(); ++k)
      same = original[k] == t.original_shape[k];
  }
  CHECK(same);
}

}  // namespace

TEST_CASE("nac/tensor_index: holds what reading finds", "[nac]") {
  for (const char* name : {"mini_v16", "mini_v17", "mini_v18", "two_outputs"}) {
    const auto source = hex_file(name);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    watched w{bytes(source)};
    const auto index = nac::index_tensors(w.source());
    REQUIRE(index);
    check_same(*file, *index);
  }
}

TEST_CASE("nac/tensor_index: finds tensors by id and by name", "[nac]") {
  const auto source = hex_file("mini_v16");
  watched w{bytes(source)};
  const auto index = nac::index_tensors(w.source());
  REQUIRE(index);
  const nac::indexed_tensor* const weight = index->find("fc.weight");
  REQUIRE(weight != nullptr);
  CHECK(weight == index->find(1));
  CHECK(index->name(*weight) == "fc.weight");
  CHECK(index->shape(*weight).size() == 2);
  CHECK(index->shape(*weight)[0] == 2);
  CHECK(index->shape(*weight)[1] == 3);
  CHECK(weight->data_size == 24);
  CHECK(load_le<float>(source.data() + weight->data_offset + 4) == 2.0f);
  REQUIRE(index->find("fc.bias") != nullptr);
  CHECK(index->find("fc.bias")->id == 2);
  CHECK(index->find("fc") == nullptr);
  CHECK(index->find("") == nullptr);
  CHECK(index->find(0) == nullptr);
  CHECK(index->find(3) == nullptr);
}

TEST_CASE("nac/tensor_index: the last record of an id counts, names may be shared", "[nac]") {
  auto source = model(4, 8);
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  // Parameter 2 gets the name of parameter 1; tensor 2 the id of tensor 1, so that 2 has none.
  std::uint64_t first = 0, second = 0;
  std::size_t k = 0;
  for (const nac::named& n : file->parameters()) {
    if (k == 0) first = n.offset;
    if (k++ == 1) second = n.offset;
  }
  std::memcpy(source.data() + second + 4, source.data() + first + 4, 14);
  k = 0;
  for (const nac::tensor& t : file->tensors())
    if (k++ == 1) source[static_cast<std::size_t>(t.offset)] = std::byte{1};
  watched w{bytes(source)};
  const auto index = nac::index_tensors(w.source());
  REQUIRE(index);
  CHECK(index->find(1) == &index->tensors()[1]);
  CHECK(index->find(2) == nullptr);
  CHECK(index->find("layer.0.weight") == &index->tensors()[1]);
  CHECK(index->find("layer.1.weight") == nullptr);
  CHECK(index->find("layer.2.weight") == &index->tensors()[2]);
}

TEST_CASE("nac/tensor_index: one read for a tensor, none of weights", "[nac]") {
  constexpr std::uint32_t count = 300, elements = 9000;
  const auto source = model(count, elements);
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  watched w{bytes(source)};
  std::uint64_t long_ones = 0;
  bool is_first = true;
  for (const nac::tensor& t : file->tensors()) {
    // What a piece of names or of 64 bytes may hold of the elements after isn't asked for again.
    const std::uint64_t from = is_first ? t.data_offset + 4096 : t.data_offset + 47;
    w.forbidden.push_back({from, t.data_offset + elements});
    if (t.shape.size() > 6) ++long_ones;
    is_first = false;
  }
  const auto index = nac::index_tensors(w.source());
  REQUIRE(index);
  check_same(*file, *index);
  // The header, two tags, the names in two pieces.
  CHECK(w.calls <= count + long_ones + 6);
  CHECK(w.calls >= count);
  CHECK(w.bytes_read <= 150 * count + 8192);
}

TEST_CASE("nac/tensor_index: every name is found", "[nac]") {
  const auto source = model(2000, 1);
  watched w{bytes(source)};
  const auto index = nac::index_tensors(w.source());
  REQUIRE(index);
  bool found = true;
  for (std::uint32_t i = 0; i < 2000; ++i)
    found = found && index->find("layer." + std::to_string(i) + ".weight") == &index->tensors()[i];
  CHECK(found);
}

TEST_CASE("nac/tensor_index: a failed read is an error at its offset", "[nac]") {
  const auto source = model(3, 100);
  watched whole{bytes(source)};
  REQUIRE(nac::index_tensors(whole.source()));
  for (std::size_t call = 0; call < whole.calls; ++call) {
    watched w{bytes(source)};
    w.fails_at = call;
    const auto index = nac::index_tensors(w.source());
    REQUIRE(!index);
    CHECK(index.error().code == errc::nac_source_read);
    CHECK(w.calls == call + 1);
  }
  watched w{bytes(source)};
  w.fails_at = 1;  // the tag of MMAP
  CHECK(nac::index_tensors(w.source()).error().offset == 88);
}

TEST_CASE("nac/tensor_index: the same errors as reading", "[nac]") {
  // Only DATA and an empty MMAP, so that both look at the same bytes.
  const auto source = model(7, 3);
  const auto compare = [](const std::vector<std::byte>& damaged) {
    const auto file = nac::read(bytes(damaged));
    watched w{bytes(damaged)};
    const auto index = nac::index_tensors(w.source());
    if (file && index) return check_same(*file, *index);
    CHECK(bool(file) == bool(index));
    CHECK(file.error().code == index.error().code);
    CHECK(file.error().offset == index.error().offset);
  };
  for (std::size_t size = 0; size < source.size(); size += size < 400 ? 1 : 7)
    compare({source.begin(), source.begin() + static_cast<std::ptrdiff_t>(size)});
  for (std::size_t at = 0; at < source.size(); at += at < 400 ? 1 : 3) {
    if (at >= 92 && at < 96) continue;  // the count of MMAP, which the index doesn't read
    for (const unsigned value : {0x00u, 0x01u, 0x7fu, 0xffu}) {
      auto damaged = source;
      damaged[at] = static_cast<std::byte>(value);
      compare(damaged);
    }
  }
}

TEST_CASE("nac/tensor_index: limits", "[nac]") {
  const auto source = model(5, 3);
  watched w{bytes(source)};
  CHECK(nac::index_tensors(w.source(), {.limit = {.max_items = 5}}));
  CHECK(nac::index_tensors(w.source(), {.limit = {.max_items = 4}}).error().code ==
        errc::too_many_items);
  CHECK(nac::index_tensors(w.source(), {.limit = {.max_items = 4}}).error().offset ==
        nac::read(bytes(source), {.limit = {.max_items = 4}}).error().offset);
  CHECK(nac::index_tensors(w.source(), {.limit = {.max_bytes = 10}}).error().code ==
        errc::input_too_large);
}
