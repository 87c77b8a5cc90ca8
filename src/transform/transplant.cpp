// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/transform/transplant.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "transform/align.hpp"
#include "transform/blocks.hpp"
#include "transform/fit.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

template <class T>
[[nodiscard]] bool same(const nac::packed<T>& a, const nac::packed<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
[[nodiscard]] bool same_type(const nac::tensor& a, const nac::tensor& b) {
  return a.type == b.type && a.quantization == b.quantization && a.axis == b.axis &&
         a.block == b.block;
}
[[nodiscard]] bool same_shape(const nac::tensor& a, const nac::tensor& b) {
  return same(a.shape, b.shape) && same(a.original_shape, b.original_shape);
}

/// One of the two networks, with the operands of its instructions that are weights.
struct network {
  const nac::program& program;
  network_blocks blocks;
  std::vector<std::vector<network_blocks::weight>> weights;  ///< by instruction

  explicit network(const nac::program& p) : program(p), blocks(p) {
    weights.resize(p.size());
    for (const network_blocks::block& b : blocks.blocks())
      for (const std::uint32_t i : b.instructions) weights[i] = blocks.weights_of(i);
  }
  [[nodiscard]] const nac::tensor& tensor(std::uint32_t parameter) const {
    return program.parameters()[parameter].value;
  }
};

using instructions = std::span<const std::uint32_t>;

class matching {
 public:
  matching(const network& donor, const network& recipient, transplanted& out)
      : donor_(donor), recipient_(recipient), out_(out) {
    counterpart_.resize(recipient.program.parameters().size());
  }

  /// False: too much is to be aligned.
  [[nodiscard]] bool run() {
    const auto& a = donor_.blocks.blocks();
    const auto& b = recipient_.blocks.blocks();
    out_.donor_blocks = static_cast<std::uint32_t>(a.size());
    out_.recipient_blocks = static_cast<std::uint32_t>(b.size());
    const auto pairs =
        align(out_.donor_blocks, out_.recipient_blocks, [&](std::uint32_t i, std::uint32_t j) {
          return a[i].gene == b[j].gene ? score(a[i].instructions, b[j].instructions) : 0;
        });
    if (!pairs) return false;
    std::uint32_t i = 0, j = 0;
    for (const auto& [in_donor, in_recipient] : *pairs) {
      if (!match_between(i, in_donor, j, in_recipient)) return false;
      const instructions of_donor(a[in_donor].instructions);
      for (std::size_t k = 0; k < of_donor.size(); ++k)
        join(of_donor[k], b[in_recipient].instructions[k],
             static_cast<std::uint32_t>(out_.blocks.size()));
      out_.blocks.push_back(
          {a[in_donor].gene, in_donor, in_recipient, static_cast<std::uint32_t>(of_donor.size())});
      i = in_donor + 1;
      j = in_recipient + 1;
    }
    return match_between(i, out_.donor_blocks, j, out_.recipient_blocks);
  }
  /// By parameter of the recipient.
  [[nodiscard]] const graft& counterpart(std::uint32_t parameter) const {
    return counterpart_[parameter];
  }

 private:
  [[nodiscard]] std::int64_t equal_weights(std::uint32_t in_donor,
                                           std::uint32_t in_recipient) const {
    std::int64_t count = 0;
    each_pair(in_donor, in_recipient, [&](std::uint32_t from, std::uint32_t to) {
      const nac::tensor &a = donor_.tensor(from), &b = recipient_.tensor(to);
      count += same_type(a, b) && same_shape(a, b) ? 1 : 0;
    });
    return count;
  }
  template <class Act>
  void each_pair(std::uint32_t in_donor, std::uint32_t in_recipient, const Act& act) const {
    const auto &from = donor_.weights[in_donor], &to = recipient_.weights[in_recipient];
    for (std::size_t k = 0; k < from.size() && k < to.size(); ++k)
      if (from[k].position == to[k].position) act(from[k].parameter, to[k].parameter);
  }
  /// Of two blocks with the same gene.
  [[nodiscard]] std::int64_t score(instructions of_donor, instructions of_recipient) const {
    if (of_donor.size() != of_recipient.size()) return 0;
    std::int64_t equal = 0;
    for (std::size_t k = 0; k < of_donor.size(); ++k)
      equal += equal_weights(of_donor[k], of_recipient[k]);
    return 1 + weight_score * equal;
  }
  /// Of two instructions.
  [[nodiscard]] std::int64_t score(std::uint32_t in_donor, std::uint32_t in_recipient) const {
    const network_blocks &a = donor_.blocks, &b = recipient_.blocks;
    if (a.operation(in_donor) != b.operation(in_recipient)) return 0;
    std::int64_t out = 1 + weight_score * equal_weights(in_donor, in_recipient);
    for (std::uint32_t r = 1; r <= network_blocks::max_distance; ++r) {
      out += a.above(in_donor, r) == b.above(in_recipient, r) ? 1 : 0;
      out += a.below(in_donor, r) == b.below(in_recipient, r) ? 1 : 0;
    }
    return out;
  }
  void join(std::uint32_t in_donor, std::uint32_t in_recipient, std::uint32_t block) {
    each_pair(in_donor, in_recipient, [&](std::uint32_t from, std::uint32_t to) {
      graft& g = counterpart_[to];
      if (g.donor != graft::none) return;  // a weight that is used more than once
      g.donor = from;
      g.block = block;
    });
  }
  [[nodiscard]] static std::vector<std::uint32_t> all_of(const network_blocks& n,
                                                         std::uint32_t first, std::uint32_t last) {
    std::vector<std::uint32_t> out;
    for (; first < last; ++first) {
      const auto& more = n.blocks()[first].instructions;
      out.insert(out.end(), more.begin(), more.end());
    }
    return out;
  }
  /// What was left between blocks: [i, i_end) of the donor, [j, j_end) of the recipient.
  [[nodiscard]] bool match_between(std::uint32_t i, std::uint32_t i_end, std::uint32_t j,
                                   std::uint32_t j_end) {
    const std::vector<std::uint32_t> a = all_of(donor_.blocks, i, i_end);
    const std::vector<std::uint32_t> b = all_of(recipient_.blocks, j, j_end);
    if (a.empty() || b.empty()) return true;
    const auto pairs =
        align(static_cast<std::uint32_t>(a.size()), static_cast<std::uint32_t>(b.size()),
              [&](std::uint32_t x, std::uint32_t y) { return score(a[x], b[y]); });
    if (!pairs) return false;
    for (const auto& [x, y] : *pairs) join(a[x], b[y], graft::none);
    return true;
  }

  static constexpr std::int64_t weight_score = 4;
  const network &donor_, &recipient_;
  transplanted& out_;
  std::vector<graft> counterpart_;
};

/// Gives the recipient's tensors other elements.
class grafting {
 public:
  grafting(const nac::program& donor, const nac::program& recipient,
           const transplant_options& options, transplanted& out)
      : donor_(donor), recipient_(recipient), options_(options), out_(out) {
    nac::parts& p = out.parts = nac::parts_of(recipient.model());
    if (!p.internal_weights)
      for (const nac::parameter& of : recipient.parameters())
        if (of.has_value) {
          add(of.id, of.value);
          p.internal_weights = true;
        }
    // Of tensors with the same id, the last one counts.
    tensor_of_.resize(65536);
    for (std::uint32_t t = 0; t < p.tensors.size(); ++t) tensor_of_[p.tensors[t].id] = t;
  }
  /// Moves the elements of g's donor.
  [[nodiscard]] graft_kind graft_to(const graft& g) {
    if (g.donor == graft::none) return graft_kind::no_counterpart;
    const nac::tensor& from = donor_.parameters()[g.donor].value;
    const nac::parameter& to = recipient_.parameters()[g.recipient];
    nac::tensor_part& at = out_.parts.tensors[tensor_of_[to.id]];
    if (same_type(from, to.value) && same_shape(from, to.value)) {
      at.scales = numbers(from.scales);
      at.data = nac::parts::borrow(from.data);
      return graft_kind::moved;
    }
    const nac::quantization none = nac::quantization::none;
    if (from.quantization != none || to.value.quantization != none)
      return same_type(from, to.value) ? graft_kind::other_shape : graft_kind::other_type;
    pool<std::byte> fitted;
    const graft_kind what = fit(from, to.value, options_, fitted);
    if (what == graft_kind::fitted) at.data = out_.parts.keep(bytes(fitted.data(), fitted.size()));
    return what;
  }

 private:
  template <class T>
  [[nodiscard]] nac::range numbers(const nac::packed<T>& of) {
    std::vector<std::uint32_t> bits(of.size());
    for (std::size_t k = 0; k < bits.size(); ++k) bits[k] = std::bit_cast<std::uint32_t>(of[k]);
    return out_.parts.add_numbers({bits.data(), bits.size()});
  }
  void add(std::uint16_t id, const nac::tensor& t) {
    const nac::range shape = numbers(t.shape), original = numbers(t.original_shape);
    out_.parts.tensors.push_back({id, t.type, t.quantization, t.axis, t.block, shape, original,
                                  numbers(t.scales), nac::parts::borrow(t.data)});
  }

  const nac::program &donor_, &recipient_;
  const transplant_options& options_;
  transplanted& out_;
  std::vector<std::uint32_t> tensor_of_;  // by id
};

/// The parameters that instructions ask for, in the order in which they do.
[[nodiscard]] std::vector<std::uint32_t> used_parameters(const nac::program& p) {
  std::vector<std::uint32_t> index(65536), out;
  for (std::uint32_t k = 0; k < p.parameters().size(); ++k) index[p.parameters()[k].id] = k;
  std::vector<bool> seen(p.parameters().size());
  for (const nac::step& s : p.code().steps) {
    if (s.a != nac::op_input || s.b != static_cast<std::uint8_t>(nac::input::parameter)) continue;
    const std::uint32_t k = index[p.code().arguments_of(s)[0].id()];
    if (!seen[k]) out.push_back(k);
    seen[k] = true;
  }
  return out;
}

}  // namespace

result<transplanted> transplant(const nac::program& donor, const nac::program& recipient,
                                const transplant_options& options) {
  transplanted out;
  std::vector<graft> counterparts(recipient.parameters().size());
  if (options.pairs.empty()) {
    const network from(donor), to(recipient);
    matching m(from, to, out);
    if (!m.run()) return error{errc::too_many_items, 0};
    for (std::uint32_t k = 0; k < counterparts.size(); ++k) counterparts[k] = m.counterpart(k);
  }
  for (const auto& [from, to] : options.pairs) counterparts[to].donor = from;
  grafting graft_all(donor, recipient, options, out);
  std::vector<bool> is_used(donor.parameters().size());
  for (const std::uint32_t k : used_parameters(recipient)) {
    graft g = counterparts[k];
    g.recipient = k;
    g.what = graft_all.graft_to(g);
    if (g.what == graft_kind::moved || g.what == graft_kind::fitted) is_used[g.donor] = true;
    out.grafts.push_back(g);
  }
  for (const std::uint32_t k : used_parameters(donor))
    if (!is_used[k]) out.unused.push_back(k);
  return out;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
