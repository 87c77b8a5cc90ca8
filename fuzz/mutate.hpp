// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What mutators of inputs share. A target with a mutator of its own defines LLVMFuzzerCustomMutator,
// which libFuzzer and driver.cpp call in place of theirs; theirs is LLVMFuzzerMutate then.
//
//   TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)
//
// One of machines changes programs, and most changes of a program make none; TESSERA_FUZZ_PROGRAM_MUTATOR
// and fuzz::reject() see to it that what isn't a program is soon forgotten.

#ifndef TESSERA_FUZZ_MUTATE_HPP
#define TESSERA_FUZZ_MUTATE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// Changes bytes in any way, in place; the new size.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

#if defined(__GNUC__)
/// Forgets which edges an input reached. Of engine.cpp, so only there with libFuzzer.
extern "C" void tessera_fuzz_forget() __attribute__((weak));
#endif

namespace fuzz {

/// SplitMix64.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// A number below `end`; 0 when that is 0.
  std::size_t below(std::size_t end) {
    return end == 0 ? 0 : static_cast<std::size_t>(bits() % end);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

/// Changes a part of a text in any way, so that it has at most `max_size` bytes.
inline void mutate_part(std::string& text, std::size_t first, std::size_t count,
                        std::size_t max_size) {
  std::string part = text.substr(first, count);
  const std::size_t size = part.size();
  part.resize(max_size > size ? max_size : size);
  part.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.data()), size, part.size()));
  text.replace(first, count, part);
}

/// A mutator of an input as a string: by `change`, which takes the string and a generator and says
/// whether it could, now and then several times; or as bytes.
template <class Change>
std::size_t mutate_text(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                        const Change& change) {
  generator draw(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  bool changed = false;
  if (!draw.one_in(8))
    for (std::size_t left = 1 + draw.below(3); left != 0; --left)
      changed = change(text, draw) || changed;
  if (!changed || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  if (!text.empty()) std::memcpy(data, text.data(), text.size());
  return text.size();
}

/// What the mutator of a machine made last, of what, and whether it wasn't a program.
struct last_change {
  std::string from, made;
  bool is_rejected = false;
};
[[nodiscard]] inline last_change& last() {
  thread_local last_change of_all;
  return of_all;
}

/// Says that the input isn't a program. libFuzzer forgets what it reached, so that it isn't kept, and the
/// next change is one of what this input was made of.
inline void reject() {
  last().is_rejected = true;
#if defined(__GNUC__)
  if (&tessera_fuzz_forget != nullptr) tessera_fuzz_forget();
#endif
}

/// A mutator for machines: one or two changes, most of them by `change`, of what is a program.
template <class Change>
std::size_t mutate_program(std::uint8_t* data, std::size_t size, std::size_t max_size,
                           unsigned seed, const Change& change) {
  generator draw(seed);
  std::string text(reinterpret_cast<const char*>(data), size);
  if (last().is_rejected && text == last().made && last().from.size() <= max_size)
    text = last().from;
  last().from = text;
  for (std::size_t left = draw.one_in(4) ? 2 : 1; left != 0; --left)
    if (draw.one_in(16) || !change(text, draw)) mutate_part(text, 0, text.size(), max_size);
  if (text.size() > max_size) text.resize(max_size);
  last().made = text;
  last().is_rejected = false;
  if (!text.empty()) std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace fuzz

/// Defines the mutator of a target, once: by a function that takes the input and a generator.
#define TESSERA_FUZZ_MUTATOR(change)                                                               \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,             \
                                                 std::size_t max_size, unsigned seed) {            \
    return fuzz::mutate_text(data, size, max_size, seed, change);                                  \
  }
/// The same for machines, which say of what isn't a program that it is rejected.
#define TESSERA_FUZZ_PROGRAM_MUTATOR(change)                                                       \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,             \
                                                 std::size_t max_size, unsigned seed) {            \
    return fuzz::mutate_program(data, size, max_size, seed, change);                               \
  }

#endif  // TESSERA_FUZZ_MUTATE_HPP
