// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The ranks of an ARK model, or of plans, that run together, and the names of their tensors.
//
//   ark_ranks ranks;
//   if (const exit_code code = ranks.load(files, std::move(first), json); code != success) return code;
//   const std::optional<ark_target> t = ranks.resolve("r0:t12", wrong);
//
// A plan runs as the model of its operations, in the order of its tasks.
//
// Lifetime:   targets are those of the ranks; elements_of() borrows nothing.
// Errors:     an exit_code; the error has been reported.

#ifndef TESSERA_CLI_ARK_RANKS_HPP
#define TESSERA_CLI_ARK_RANKS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ark.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// A tensor or a buffer of a rank.
struct ark_target {
  std::size_t rank = 0;  ///< in the order of Rank
  std::uint32_t tensor = ark::none;
  std::uint32_t buffer = ark::none;
  friend bool operator==(const ark_target&, const ark_target&) = default;
};

class ark_ranks {
 public:
  struct file {
    source content;
    ark::program program;
    std::string path;
  };

  /// Reads and verifies the files; `first` is the content of the first one.
  [[nodiscard]] exit_code load(const std::vector<std::string>& paths, source first, bool as_json);
  /// All ranks together; none: the error has been reported.
  [[nodiscard]] std::optional<ark::world> world(bool as_json);

  [[nodiscard]] std::size_t size() const noexcept { return files_.size(); }
  [[nodiscard]] const file& operator[](std::size_t rank) const { return files_[rank]; }
  [[nodiscard]] const ark::model& graph(std::size_t rank) const {
    return files_[rank].program.model();
  }

  /// The inputs or the outputs of all ranks.
  [[nodiscard]] std::vector<ark_target> ends(bool inputs) const;
  /// The target of a NAME; without one, `wrong` is the reason.
  [[nodiscard]] std::optional<ark_target> resolve(std::string_view name, std::string& wrong) const;
  /// "t12", "r0:b3".
  [[nodiscard]] std::string name_of(const ark_target& t) const;
  [[nodiscard]] element_shape elements_of(const ark_target& t) const;
  /// What identifies the memory of a target in its rank.
  [[nodiscard]] std::uint32_t storage_of(const ark_target& t) const;
  /// Random elements; indices are valid ones.
  [[nodiscard]] std::vector<std::byte> random_elements(const ark_target& t,
                                                       std::uint64_t& state) const;
  /// The name of the operation that makes a tensor.
  [[nodiscard]] std::string_view maker(const ark_target& t) const;

 private:
  void find(std::size_t rank, std::string_view name, std::vector<ark_target>& found) const;
  [[nodiscard]] exit_code add(source content, const std::string& path, const reporting& to);

  std::vector<file> files_;
  std::vector<inspect::flow> flows_;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_ARK_RANKS_HPP
