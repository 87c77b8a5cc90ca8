// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of ARK with a process for each rank, by MPI. Built with TESSERA_MPI.
//
//   tessera::vm::ark::mpi_session session(&argc, &argv);
//   tessera::vm::ark::mpi_machine vm(world);        // all ranks' files, in every process
//   vm.write(tensor, bytes);                        // of this process's rank
//   const outcome done = vm.run();                  // the same in all processes
//   vm.read(tensor, bytes);
//
// Each process holds only the memory of its rank, in a window that the others write to; a message
// after a write has its channel. A DeviceSync is such a message to all processes. Results are those
// of vm::ark::machine, bit for bit, as far as the model orders what its ranks do.
//
// Lifetime:   a session outlives its machines, and a world too.
// Errors:     those of vm::ark::machine, but for the deadlock, which verify_ranks() rules out; the
//             first rank's that has one, in all processes. What fails in MPI ends the program.
// Limits:     those of vm::ark::machine, for each process; a run's steps are those of all.
// Allocation: when a machine is made.

#ifndef TESSERA_VM_ARK_MPI_HPP
#define TESSERA_VM_ARK_MPI_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

/// MPI from here to the end of its scope.
class mpi_session {
 public:
  mpi_session(int* count, char*** arguments);
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
  ~mpi_session();
  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::size_t rank_ = 0, size_ = 1;
};

/// All processes make it, run it and destroy it together, with the same world and options.
class mpi_machine : private engine {
 public:
  explicit mpi_machine(const model::world& w, const machine_options& how = {});
  mpi_machine(const mpi_machine&) = delete;
  mpi_machine& operator=(const mpi_machine&) = delete;
  ~mpi_machine();

  using engine::made;
  /// Bytes of this process.
  [[nodiscard]] std::uint64_t memory() const noexcept { return engine::memory(); }
  /// As those of machine, for this process's rank.
  [[nodiscard]] std::span<std::byte> memory(std::uint32_t buffer) noexcept {
    return engine::memory(rank_, buffer);
  }
  bool write(std::uint32_t tensor, std::span<const std::byte> dense) {
    return engine::write(rank_, tensor, dense);
  }
  bool read(std::uint32_t tensor, std::span<std::byte> dense) const {
    return engine::read(rank_, tensor, dense);
  }
  outcome run(const budget& limit = {});
  using engine::reset;

 private:
  class window;
  mpi_machine(const model::world& w, const machine_options& how, std::size_t rank);

  std::size_t rank_ = 0;
  std::unique_ptr<window> window_;
};

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_MPI_HPP
