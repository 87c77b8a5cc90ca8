// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How the fields and lists of a tokenizer's instruction are read from its payload.

#ifndef TESSERA_NAC_DETAIL_PAYLOAD_READER_HPP
#define TESSERA_NAC_DETAIL_PAYLOAD_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/load_store.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

struct partition_rule;
struct compose_item;

}  // namespace nac
namespace nac::detail {

/// The fields of a payload. The first that isn't complete stops it.
class payload_reader {
 public:
  payload_reader(bytes b, std::uint64_t offset) noexcept : in_(b), offset_(offset) {}
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == in_.size(); }
  /// Of the next field, in the manifest; after a failure of the field that isn't complete.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_ + at_; }
  template <class T>
  [[nodiscard]] T number() noexcept {
    if (failed_ || in_.size() - at_ < sizeof(T)) return failed_ = true, T{};
    const T value = load_le<T>(in_.data() + at_);
    at_ += sizeof(T);
    return value;
  }
  template <class Length>
  [[nodiscard]] std::string_view string() noexcept {
    const std::size_t first = at_;
    const Length size = number<Length>();
    if (failed_ || in_.size() - at_ < size) {
      failed_ = true;
      at_ = first;
      return {};
    }
    at_ += size;
    return as_text(in_.subspan(at_ - size, size));
  }

 private:
  bytes in_;
  std::size_t at_ = 0;
  std::uint64_t offset_;
  bool failed_ = false;
};

/// The list in a payload. `Form::read` takes an element; false where it can't be one.
template <class Count, class Element, bool (*Read)(payload_reader&, Element&, errc&)>
class payload_list {
 public:
  template <class Instruction>
  explicit payload_list(const Instruction& i) noexcept : in_(i.fields()) {
    left_ = size_ = in_.number<Count>();
    if (in_.failed()) code_ = errc::nac_tisa_payload_short;
  }
  /// The count that the payload begins with.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool next(Element& out) noexcept {
    if (left_ == 0 || code_ != errc::ok) return false;
    --left_;
    offset_ = in_.offset();
    if (!Read(in_, out, code_)) {
      if (code_ == errc::ok) code_ = errc::nac_tisa_payload_short;
      return false;
    }
    return true;
  }
  [[nodiscard]] tessera::error error() const noexcept {
    return code_ == errc::ok                       ? tessera::error{}
           : code_ == errc::nac_tisa_payload_short ? tessera::error{code_, in_.offset()}
                                                   : tessera::error{code_, offset_};
  }
  /// Of the element that was read last.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Whether the payload ends with the list.
  [[nodiscard]] bool at_end() const noexcept { return in_.at_end(); }
  [[nodiscard]] std::uint64_t end_offset() const noexcept { return in_.offset(); }

 private:
  payload_reader in_;
  std::uint64_t offset_ = 0;
  std::uint32_t size_ = 0, left_ = 0;
  errc code_ = errc::ok;
};

[[nodiscard]] bool read_category(payload_reader& in, std::string_view& out, errc&) noexcept;
[[nodiscard]] bool read_rule(payload_reader& in, partition_rule& out, errc& code) noexcept;
[[nodiscard]] bool read_item(payload_reader& in, compose_item& out, errc& code) noexcept;

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PAYLOAD_READER_HPP
