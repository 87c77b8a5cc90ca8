// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What holds for every container: prefixes, flipped bytes, written again.

#include <tessera/core/bytes.hpp>
#include "nac/support.hpp"
// support.hpp comes first.
#include <algorithm>

#include "nac/container.hpp"
#include "support/allocations.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

constexpr const char* files[] = {"mini_v16", "mini_v17", "mini_v18", "two_outputs"};

[[nodiscard]] bytes bytes_of(const pool<std::byte>& p) { return {p.data(), p.size()}; }

/// Empty when all holds that must hold of what `read` makes of a source.
[[nodiscard]] std::string broken_law(const std::vector<std::byte>& source) {
  const auto file = nac::read(bytes(source));
  if (!file) return file.error().offset <= source.size() ? "" : "an error's offset is inside";
  const auto out = nac::write(*file);
  if (!out)
    return out.error().code == errc::nac_write_id || out.error().code == errc::nac_write_long_c ||
                   out.error().code == errc::nac_write_operation_id ||
                   out.error().code == errc::nac_write_signature_id ||
                   out.error().code == errc::nac_write_training
               ? ""
               : "what was read is refused for what a file can't hold";
  const auto again = nac::read(bytes_of(*out));
  if (!again) return "what was written is read";
  const auto same = nac::write(nac::parts_of(*again));  // which is what the other does
  if (!same || !(*same == *out)) return "what was written is written alike";
  if (again->instructions().size() != file->instructions().size() ||
      again->constants().size() != file->constants().size() ||
      again->tensors().size() != file->tensors().size() || again->outputs() != file->outputs())
    return "what was written holds the same";
  return "";
}

/// `count` instructions, and a parameter, a constant and a tensor each.
[[nodiscard]] nac::parts long_parts(std::uint32_t count) {
  nac::parts p;
  p.outputs = 1;
  p.add_name(p.signatures, 1, "TTf");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint16_t id[] = {static_cast<std::uint16_t>(i & 0x7fff)};
    const std::uint16_t d[] = {0xffff, 0xfffe, 0};
    const nac::range c = p.add_words({id, 1});
    p.instructions.push_back({11, 1, c, p.add_words({d, 3})});
    p.add_name(p.parameters, id[0], "layer.weight");
    nac::constant_part constant{id[0], nac::constant_type::int32_list, 0, {}};
    const std::uint32_t numbers[] = {1, 2, 3};
    constant.values = p.add_numbers({numbers, 3});
    p.constants.push_back(constant);
    nac::tensor_part tensor{};
    tensor.id = id[0];
    tensor.shape = p.add_numbers({numbers, 1});
    tensor.data = p.keep(as_bytes("\1\2\3\4"));
    p.tensors.push_back(tensor);
  }
  return p;
}

}  // namespace

TEST_CASE("nac/laws: what was read is written as it was", "[nac]") {
  for (const char* name : files) {
    INFO(name);
    const auto source = hex_file(name);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    const auto out = nac::write(*file);
    REQUIRE(out);
    CHECK(std::equal(source.begin(), source.end(), out->begin(), out->end()));

    // What isn't kept of others, and by what a layout differs.
    auto odd = source;
    odd[9] = std::byte{7};
    odd.insert(odd.end(), 5, std::byte{1});
    const auto cleaned = nac::write(*nac::read(bytes(odd)));
    REQUIRE(cleaned);
    CHECK(*cleaned == *out);
    nac::parts moved = nac::parts_of(*file);
    moved.layout.order.push_back(nac::section::data);
    moved.layout.inputs = nac::self_count::no;
    const auto other = nac::write(moved);
    REQUIRE(other);
    const auto model = nac::read(bytes_of(*other));
    REQUIRE(model);
    CHECK(*nac::write(*model) == *other);
    const auto usual = nac::write(*model, {.keep_layout = false});
    moved.layout = {};
    CHECK(*usual == *nac::write(moved));

    pool<std::byte> sunk;
    const nac::sink to{&sunk, [](void* context, bytes piece) {
                         static_cast<pool<std::byte>*>(context)->append(piece.data(), piece.size());
                         return true;
                       }};
    CHECK(nac::write(*file, to) == error{});
    CHECK(sunk == *out);
  }
}

TEST_CASE("nac/laws: every proper prefix is an error with an offset inside", "[nac]") {
  for (const char* name : files) {
    const auto source = hex_file(name);
    for (std::size_t size = 0; size < source.size(); ++size) {
      const std::vector<std::byte> prefix(source.begin(),
                                          source.begin() + static_cast<std::ptrdiff_t>(size));
      const auto file = nac::read(bytes(prefix));
      if (file || file.error().code == errc::ok || file.error().offset > size) {
        INFO(name << " of " << size);
        REQUIRE_FALSE(file);
        REQUIRE(file.error().offset <= size);
      }
    }
    CHECK(nac::read(bytes(source)));
  }
}

TEST_CASE("nac/laws: a flipped byte is an error, or another container that survives writing",
          "[nac]") {
  std::size_t read = 0, all = 0;
  for (const char* name : files) {
    std::vector<std::byte> source = hex_file(name);
    for (std::size_t at = 0; at < source.size(); ++at)
      for (const unsigned mask : {0x01u, 0x04u, 0x80u, 0xffu}) {
        source[at] ^= static_cast<std::byte>(mask);
        const std::string law = broken_law(source);
        ++all;
        if (law.empty() && nac::read(bytes(source))) ++read;
        if (!law.empty()) {
          INFO(name << " at " << at << " by " << mask);
          CHECK(law == "");
        }
        source[at] ^= static_cast<std::byte>(mask);
      }
  }
  CHECK(all > 5000);
  CHECK(read > all / 10);  // both happen
  CHECK(read < all);
}

TEST_CASE("nac/laws: bytes that were written are a fixpoint, in every form", "[nac]") {
  for (const char* name : files) {
    const auto source = hex_file(name);
    const auto file = nac::read(bytes(source));
    REQUIRE(file);
    for (const nac::header to : {nac::header::v1_6, nac::header::v1_7, nac::header::v1_8}) {
      INFO(name);
      const auto there = nac::convert(nac::parts_of(*file), to);
      REQUIRE(there);
      const auto out = nac::write(*there);
      REQUIRE(out);
      const std::vector<std::byte> written(out->begin(), out->end());
      CHECK(broken_law(written) == "");
      // And back: what the version that it came from predefines, it names alike.
      const auto other = nac::read(bytes(written));
      REQUIRE(other);
      const auto back = nac::convert(nac::parts_of(*other), file->header());
      REQUIRE(back);
      const auto first = nac::convert(nac::parts_of(*file), file->header());
      REQUIRE(first);
      CHECK(*nac::write(*back) == *nac::write(*first));
    }
  }
}

TEST_CASE("nac/laws: memory is linear in what is read and written", "[nac]") {
  std::uint64_t sizes[2] = {}, peaks[2] = {};
  for (const std::uint32_t doubled : {0u, 1u}) {
    const nac::parts p = long_parts(10'000u << doubled);
    const auto out = nac::write(p);
    REQUIRE(out);
    {
      const tessera_tests::allocations used;
      const auto again = nac::write(p);
      CHECK(used.count() == 1);
      CHECK(used.total() == out->size());
      CHECK(*again == *out);
    }
    const auto file = nac::read(bytes_of(*out));
    REQUIRE(file);
    CHECK(file->instructions().size() == 10'000u << doubled);
    {
      const tessera_tests::allocations used;
      const nac::parts q = nac::parts_of(*file);
      sizes[doubled] = out->size();
      peaks[doubled] = used.peak();
      CHECK(q.tensors.size() == file->tensors().size());
    }
    CHECK(peaks[doubled] <= 8 * sizes[doubled]);
    {
      const tessera_tests::allocations used;
      std::uint64_t size = 0;
      const auto count = [](void* to, bytes piece) {
        *static_cast<std::uint64_t*>(to) += piece.size();
        return true;
      };
      CHECK(nac::write(p, nac::sink{&size, count}).code == errc::ok);
      CHECK(used.count() == 0);
      CHECK(size == out->size());
    }
  }
  CHECK(sizes[1] < 2 * sizes[0] + 1000);
  CHECK(peaks[1] < 3 * peaks[0]);
}

TEST_CASE("nac/laws: parts take at most 12 bytes for each that is read", "[nac]") {
  nac::parts p;  // the shortest record of each kind, which takes the most for its size
  p.form = nac::header::v1_8;
  const auto check = [&p] {
    const auto source = nac::write(p);
    REQUIRE(source);
    const auto file = nac::read(bytes_of(*source));
    REQUIRE(file);
    const tessera_tests::allocations used;
    const nac::parts read = nac::parts_of(*file);
    CHECK(used.peak() <= 12 * source->size());
  };
  for (int i = 0; i < 40'000; ++i) p.instructions.push_back({10, 0, {}, {}});
  check();
  p.instructions.clear();
  for (int i = 0; i < 40'000; ++i) p.constants.push_back({});
  check();
  for (int i = 0; i < 40'000; ++i) p.schedule.push_back({});
  check();
  for (int i = 0; i < 40'000; ++i) p.resources.push_back({});
  check();
}
