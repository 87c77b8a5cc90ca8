// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The elements of weights in row-major order, as containers store them: borrowed where the storage has
// them so, else gathered piece by piece while a container is written.
//
//   gathered_views views(model);
//   part.data = views.payload_of(stored);      // lives as long as `views` and the archive
//
// Lifetime:   borrows the model.
// Errors:     none, for the tensors of a verified program.
// Limits:     none.
// Allocation: 32 bytes for each view that is gathered.

#ifndef TESSERA_IMPORT_VIEWS_HPP
#define TESSERA_IMPORT_VIEWS_HPP

#include <string>
#include <vector>

#include "tessera/nac/parts.hpp"
#include "tessera/pt2.hpp"
#include "tessera/transform/import.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

class gathered_views {
 public:
  explicit gathered_views(const pt2::model& m) : m_(m), source_{this, &gathered_views::read} {}
  gathered_views(const gathered_views&) = delete;
  gathered_views& operator=(const gathered_views&) = delete;

  [[nodiscard]] nac::payload payload_of(const pt2::stored_tensor& t);
  /// The same for tensors that are the same view of the same storage.
  [[nodiscard]] std::string key(const pt2::stored_tensor& t) const;

 private:
  static bool read(const void* self, std::uint64_t key, std::uint64_t first, std::byte* to,
                   std::size_t count);
  void gather(const pt2::stored_tensor& t, std::uint64_t first, std::byte* to,
              std::size_t count) const;

  const pt2::model& m_;
  nac::payload_source source_;
  std::vector<const pt2::stored_tensor*> all_;  // by key of the source
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IMPORT_VIEWS_HPP
