// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Archives whose weights are larger than what may be read of them.

#include "pt2/samples.hpp"
#include "support/catch.hpp"
#include "tessera/transform/import.hpp"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace tessera;

constexpr std::uint64_t elements = 131072000;  // of 32 bits: 500 MiB

void overwrite(std::string& in, std::size_t at, std::uint64_t value) {
  std::string four;
  pt2_samples::put(four, value, 4);
  in.replace(at, 4, four);
}

/// two.pt2 with a weight of half a gibibyte, of which no page exists until it is read.
class large_archive {
 public:
  large_archive() {
    pt2_samples::archive a = pt2_samples::open("two");
    const std::string few = R"("sizes": [{"as_int": 3}])",
                      many = R"("sizes": [{"as_int": )" + std::to_string(elements) + "}]";
    a.replace(pt2_samples::weights_json, few, many);
    a.replace(pt2_samples::program_json, few, many);
    const pt2_samples::entry weight = a.at("weight_0");
    a.remove("weight_0");
    a.entries.push_back(weight);  // last, so that only the directory comes after it
    std::string zip = a.zip();
    const std::size_t begin = a.data_of("weight_0"), header = a.headers.back();
    const std::size_t end = begin + weight.content.size(),
                      grown = 4 * elements - weight.content.size();
    const std::size_t entry = zip.rfind("PK\1\2");
    for (const std::size_t sizes : {header + 18, entry + 20}) {
      overwrite(zip, sizes, 4 * elements);
      overwrite(zip, sizes + 4, 4 * elements);
    }
    overwrite(zip, zip.size() - 6, a.directory + grown);
    size_ = zip.size() + grown;
    at_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
               -1, 0);
    REQUIRE(at_ != MAP_FAILED);
    std::memcpy(at_, zip.data(), end);
    std::memcpy(static_cast<char*>(at_) + end + grown, zip.data() + end, zip.size() - end);
    first_ = end;
    last_ = end + grown;
  }
  large_archive(const large_archive&) = delete;
  large_archive& operator=(const large_archive&) = delete;
  ~large_archive() { munmap(at_, size_); }

  [[nodiscard]] bytes all() const { return {static_cast<const std::byte*>(at_), size_}; }
  /// How many of the weight's own pages exist.
  [[nodiscard]] std::size_t pages_read() const {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t first = (first_ / page + 1) * page, count = last_ / page - first / page;
    std::vector<unsigned char> exist(count);
    REQUIRE(mincore(static_cast<char*>(at_) + first, count * page, exist.data()) == 0);
    std::size_t out = 0;
    for (const unsigned char e : exist) out += e & 1u;
    return out;
  }

 private:
  void* at_ = nullptr;
  std::size_t size_ = 0, first_ = 0, last_ = 0;
};

}  // namespace

TEST_CASE("import/weights: no page of them is read before they are written", "[import]") {
  const large_archive archive;
  CHECK(archive.all().size() > 4 * elements);
  auto model = pt2::read(archive.all());
  REQUIRE(model);
  const text listing = pt2::print(*model);
  CHECK(listing.view().find(std::to_string(elements)) != std::string_view::npos);
  const auto program = pt2::verify(std::move(*model));
  REQUIRE(program);
  const auto made = transform::import(*program);
  REQUIRE(made);
  REQUIRE(made->parts.tensors.size() == 1);
  CHECK(made->parts.tensors[0].data.size == 4 * elements);
  CHECK(archive.pages_read() == 0);
  // What is read is seen.
  CHECK(archive.all()[archive.all().size() / 2] == std::byte{0});
  CHECK(archive.pages_read() > 0);
}
#endif
