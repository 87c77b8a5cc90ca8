// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How ranks reach each other: bytes into each other's memory, messages that say that they arrived,
// and meeting points.
//
//   t.put(2, storage, offset, bytes, count);
//   t.flush(2);                    // now it is there
//   t.signal(channel);
//   if (!t.take(channels)) …       // not there yet: the rank waits
//
// Lifetime:   a transport outlives the runs that use it.
// Errors:     none.
// Limits:     none.
// Allocation: in-process, none while it runs.

#ifndef TESSERA_VM_ARK_TRANSPORT_HPP
#define TESSERA_VM_ARK_TRANSPORT_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {

class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Writes to a storage of rank `to`.
  virtual void put(std::uint32_t to, std::uint32_t storage, std::uint64_t offset,
                   const std::byte* from, std::size_t bytes) = 0;
  /// Waits until the data put to rank `to` has arrived, and `from` may change.
  virtual void flush(std::uint32_t to) = 0;
  /// Sends a message on a channel of the world.
  virtual void signal(std::uint32_t channel) = 0;
  /// Takes a message of each channel; if any is missing, none.
  [[nodiscard]] virtual bool take(std::span<const std::uint32_t> channels) = 0;
  /// Says, once, that `rank` has come to its DeviceSync number `count`, from 1; true when all have.
  [[nodiscard]] virtual bool sync(std::uint32_t rank, std::uint64_t count) = 0;
};

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ARK_TRANSPORT_HPP
