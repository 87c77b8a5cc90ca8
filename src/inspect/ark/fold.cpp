// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/ark/fold.hpp"

#include <algorithm>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using ark::none;
using ark::op_type;

class matcher {
 public:
  matcher(const ark::model& g, const flow& f)
      : g_(g), f_(f), taken_(g.ops.size(), 0), readers_(g.ops.size()) {
    for (const std::uint32_t op : f.order()) {
      if (!touches_memory(g.ops[op].type)) continue;
      for (const dependency& d : f.before(op))
        if (d.kind == conflict::reads_written &&
            (readers_[d.from].empty() || readers_[d.from].back() != op))
          readers_[d.from].push_back(op);
    }
  }

  [[nodiscard]] std::vector<composition> all() {
    std::vector<composition> out;
    // Larger ones first: an RMSNorm may hold nothing of a Softmax, but a SiLU is two operations.
    for (const auto& [name, match] : {rule{"Softmax", &matcher::softmax},
                                      {"LayerNorm", &matcher::layer_norm},
                                      {"RMSNorm", &matcher::rms_norm},
                                      {"SiLU", &matcher::silu}})
      for (const std::uint32_t op : f_.order()) {
        if (taken_[op] != 0) continue;
        group found = (this->*match)(op);
        if (found.empty() || !is_closed(found)) continue;
        for (const std::uint32_t member : found) taken_[member] = 1;
        out.push_back({name, std::move(found)});
      }
    return out;
  }

 private:
  using group = std::vector<std::uint32_t>;
  struct rule {
    std::string_view name;
    group (matcher::*match)(std::uint32_t) const;
  };

  [[nodiscard]] bool is(std::uint32_t op, op_type type) const noexcept {
    return op != none && g_.ops[op].type == type && taken_[op] == 0;
  }
  /// The only operation whose result operand `use` is.
  [[nodiscard]] std::uint32_t source(std::uint32_t op, std::uint32_t use) const {
    std::uint32_t found = none;
    for (const dependency& d : f_.before(op)) {
      if (d.kind != conflict::reads_written || d.use != use) continue;
      if (found != none) return none;
      found = d.from;
    }
    return found;
  }
  /// Whether two operands are one value.
  [[nodiscard]] bool same(std::uint32_t a, std::uint32_t use_a, std::uint32_t b,
                          std::uint32_t use_b) const {
    const view<std::uint32_t> of_a = reads(g_, g_.ops[a]), of_b = reads(g_, g_.ops[b]);
    if (use_a >= of_a.size() || use_b >= of_b.size()) return false;
    const std::uint32_t x = of_a[use_a], y = of_b[use_b];
    return f_.storage_of_tensor(x) == f_.storage_of_tensor(y) &&
           same_dimensions(layout_of(g_, x), layout_of(g_, y)) &&
           source(a, use_a) == source(b, use_b);
  }
  /// Whether nothing inside is read outside.
  [[nodiscard]] bool is_closed(const group& ops) const {
    for (std::size_t i = 0; i + 1 < ops.size(); ++i)
      for (const std::uint32_t reader : readers_[ops[i]])
        if (std::find(ops.begin(), ops.end(), reader) == ops.end()) return false;
    return true;
  }
  /// The one operation that reads a result, if it is of the type.
  [[nodiscard]] std::uint32_t only_reader(std::uint32_t op, op_type type) const {
    return readers_[op].size() == 1 && is(readers_[op][0], type) ? readers_[op][0] : none;
  }

  [[nodiscard]] group softmax(std::uint32_t div) const {
    if (!is(div, op_type::div)) return {};
    const std::uint32_t exp = source(div, 0), sum = source(div, 1);
    if (!is(exp, op_type::exp) || !is(sum, op_type::reduce_sum) || source(sum, 0) != exp) return {};
    const std::uint32_t sub = source(exp, 0);
    if (!is(sub, op_type::sub)) return {};
    const std::uint32_t max = source(sub, 1);
    if (!is(max, op_type::reduce_max) || !same(max, 0, sub, 0)) return {};
    return {max, sub, exp, sum, div};
  }

  /// ReduceMean of squares, [ScalarAdd], Rsqrt, then a product with what was squared; `square` is
  /// first.
  [[nodiscard]] group scaled_by_norm(std::uint32_t mul) const {
    if (!is(mul, op_type::mul)) return {};
    for (std::uint32_t side = 0; side < 2; ++side) {
      const std::uint32_t rsqrt = source(mul, 1 - side);
      if (!is(rsqrt, op_type::rsqrt)) continue;
      std::uint32_t mean = source(rsqrt, 0);
      const std::uint32_t add = is(mean, op_type::scalar_add) ? mean : none;
      if (add != none) mean = source(add, 0);
      if (!is(mean, op_type::reduce_mean)) continue;
      const std::uint32_t square = source(mean, 0);
      if (!is(square, op_type::mul) || !same(square, 0, square, 1) || !same(square, 0, mul, side))
        continue;
      group out{square, mean};
      if (add != none) out.push_back(add);
      out.insert(out.end(), {rsqrt, mul});
      return out;
    }
    return {};
  }

  [[nodiscard]] group layer_norm(std::uint32_t mul) const {
    group out = scaled_by_norm(mul);
    if (out.empty()) return {};
    const std::uint32_t sub = source(out[0], 0);
    if (!is(sub, op_type::sub)) return {};
    const std::uint32_t mean = source(sub, 1);
    if (!is(mean, op_type::reduce_mean) || !same(mean, 0, sub, 0)) return {};
    out.insert(out.begin(), {mean, sub});
    return out;
  }

  [[nodiscard]] group rms_norm(std::uint32_t mul) const {
    group out = scaled_by_norm(mul);
    if (out.empty()) return {};
    const std::uint32_t cast = source(out[0], 0);
    if (is(cast, op_type::cast)) {
      group with_cast = out;
      with_cast.insert(with_cast.begin(), cast);
      if (is_closed(with_cast)) out = std::move(with_cast);
    }
    if (const std::uint32_t weighted = only_reader(out.back(), op_type::mul); weighted != none)
      out.push_back(weighted);
    if (const std::uint32_t back = only_reader(out.back(), op_type::cast); back != none)
      out.push_back(back);
    return out;
  }

  [[nodiscard]] group silu(std::uint32_t mul) const {
    if (!is(mul, op_type::mul)) return {};
    for (std::uint32_t side = 0; side < 2; ++side)
      if (const std::uint32_t gate = source(mul, side);
          is(gate, op_type::sigmoid) && same(gate, 0, mul, 1 - side))
        return {gate, mul};
    return {};
  }

  const ark::model& g_;
  const flow& f_;
  std::vector<char> taken_;
  std::vector<std::vector<std::uint32_t>> readers_;  // of each op's results
};

}  // namespace

std::vector<composition> find_compositions(const ark::model& g, const flow& f) {
  return matcher(g, f).all();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
