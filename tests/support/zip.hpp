// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A plain zip of stored members, for archives that tests and fuzz targets make.
//
//   test_zip::zip z;
//   z.add("m/byteorder", "little");
//   const std::string archive = z.finish();

#ifndef TESSERA_TESTS_SUPPORT_ZIP_HPP
#define TESSERA_TESTS_SUPPORT_ZIP_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace test_zip {

inline void put(std::string& to, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) to += static_cast<char>(value >> 8 * i & 0xff);
}

[[nodiscard]] inline std::uint32_t crc32(std::string_view s) {
  std::uint32_t c = 0xffffffff;
  for (const char byte : s) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320 : c >> 1;
  }
  return ~c;
}

/// A plain zip of stored members.
class zip {
 public:
  void add(std::string_view name, std::string_view content) {
    std::string both;
    put(both, 20, 2), put(both, 0x800, 2), put(both, 0, 6), put(both, crc32(content), 4);
    put(both, content.size(), 4), put(both, content.size(), 4);
    put(both, name.size(), 2), put(both, 0, 2);
    central_ += "PK\1\2";
    put(central_, 20, 2);
    central_ += both;
    put(central_, 0, 8), put(central_, 0, 2), put(central_, out_.size(), 4);
    central_ += name;
    out_ += "PK\3\4" + both;
    out_ += name;
    out_ += content;
    ++count_;
  }
  [[nodiscard]] std::string finish() {
    const std::size_t directory = out_.size();
    out_ += central_ + "PK\5\6";
    put(out_, 0, 4), put(out_, count_, 2), put(out_, count_, 2);
    put(out_, central_.size(), 4), put(out_, directory, 4), put(out_, 0, 2);
    return out_;
  }

 private:
  std::string out_, central_;
  std::size_t count_ = 0;
};

}  // namespace test_zip

#endif  // TESSERA_TESTS_SUPPORT_ZIP_HPP
