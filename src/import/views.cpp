// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "import/views.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

/// Whether a tensor's elements follow each other in row-major order.
[[nodiscard]] bool is_row_major(const pt2::model& m, const pt2::tensor_meta& t) {
  const view<pt2::scalar> sizes = scalars(m, t.sizes), strides = scalars(m, t.strides);
  std::int64_t expected = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d].integer != 1 && strides[d].integer != expected) return false;
    expected *= sizes[d].integer;
  }
  return true;
}

[[nodiscard]] std::uint64_t elements(const pt2::model& m, const pt2::tensor_meta& t) {
  std::uint64_t n = 1;
  for (const pt2::scalar& s : scalars(m, t.sizes)) n *= static_cast<std::uint64_t>(s.integer);
  return n;
}

}  // namespace

nac::payload gathered_views::payload_of(const pt2::stored_tensor& t) {
  const pt2::tensor_meta& meta = m_.tensors[t.meta];
  const std::uint64_t unit = info(meta.type).bytes, count = elements(m_, meta);
  if (count == 0) return {};
  if (is_row_major(m_, meta)) {
    const auto first = static_cast<std::size_t>(m_.scalars[meta.storage_offset].integer) * unit;
    return nac::parts::borrow(payload(m_, t).subspan(first, count * unit));
  }
  all_.push_back(&t);
  return {nullptr, all_.size() - 1, count * unit, &source_};
}

std::string gathered_views::key(const pt2::stored_tensor& t) const {
  const pt2::tensor_meta& meta = m_.tensors[t.meta];
  std::string out = std::to_string(t.member) + ' ' + std::string(info(meta.type).name) + ' ' +
                    std::to_string(m_.scalars[meta.storage_offset].integer);
  for (const pt2::range list : {meta.sizes, meta.strides})
    for (const pt2::scalar& s : scalars(m_, list)) out += ' ' + std::to_string(s.integer);
  return out;
}

bool gathered_views::read(const void* self, std::uint64_t key, std::uint64_t first, std::byte* to,
                          std::size_t count) {
  const auto& views = *static_cast<const gathered_views*>(self);
  views.gather(*views.all_[static_cast<std::size_t>(key)], first, to, count);
  return true;
}

void gathered_views::gather(const pt2::stored_tensor& t, std::uint64_t first, std::byte* to,
                            std::size_t count) const {
  const pt2::tensor_meta& meta = m_.tensors[t.meta];
  const view<pt2::scalar> sizes = scalars(m_, meta.sizes), strides = scalars(m_, meta.strides);
  const std::size_t unit = info(meta.type).bytes;
  const std::byte* const base =
      payload(m_, t).data() +
      static_cast<std::size_t>(m_.scalars[meta.storage_offset].integer) * unit;
  // The place of the first element, then from each to the next as an odometer turns.
  std::vector<std::int64_t> at(sizes.size(), 0);
  std::int64_t from = 0;
  std::uint64_t left = first / unit;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const auto size = static_cast<std::uint64_t>(sizes[d].integer);
    at[d] = static_cast<std::int64_t>(left % size);
    left /= size;
    from += at[d] * strides[d].integer;
  }
  for (std::size_t done = 0; done < count; done += unit) {
    std::memcpy(to + done, base + static_cast<std::size_t>(from) * unit, unit);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      from += strides[d].integer;
      if (++at[d] != sizes[d].integer) break;
      from -= sizes[d].integer * strides[d].integer;
      at[d] = 0;
    }
  }
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
