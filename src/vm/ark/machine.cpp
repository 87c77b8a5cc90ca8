// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/vm/ark.hpp"

#include "engine.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

class machine::ranks : public engine {
 public:
  using engine::engine;
};

machine::machine(const model::world& w, const machine_options& how)
    : ranks_(std::make_unique<ranks>(w, how)) {}
machine::machine(machine&&) noexcept = default;
machine& machine::operator=(machine&&) noexcept = default;
machine::~machine() = default;

const outcome& machine::made() const noexcept { return ranks_->made(); }
std::uint64_t machine::memory() const noexcept { return ranks_->memory(); }
std::uint64_t machine::steps() const noexcept { return ranks_->steps(); }
std::span<std::byte> machine::memory(std::size_t rank, std::uint32_t buffer) noexcept {
  return ranks_->memory(rank, buffer);
}
bool machine::write(std::size_t rank, std::uint32_t tensor, std::span<const std::byte> dense) {
  return ranks_->write(rank, tensor, dense);
}
bool machine::read(std::size_t rank, std::uint32_t tensor, std::span<std::byte> dense) const {
  return ranks_->read(rank, tensor, dense);
}
outcome machine::run_observed(const budget& limit, const observer_ref<event>& see) {
  return ranks_->run(limit, see);
}
void machine::reset() noexcept { ranks_->reset(); }

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
