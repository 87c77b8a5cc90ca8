// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Batch normalization with fixed statistics, in the weights of the layer before it:
//
//   scale = weight / sqrt(variance + eps)           of each channel
//   w' = w * scale,  b' = (b - mean) * scale + bias

#include <cmath>
#include <limits>
#include <tessera/core/load_store.hpp>
#include <unordered_map>
#include <utility>

#include "transform/passes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using nac::operation;
using reals = std::vector<double>;

class normalization_folder {
 public:
  normalization_folder(graph& g, pass_context& c) : g_(g), c_(c), shared_(g), uses_(g.uses()) {
    inputs_.assign(g.parameters().size(), 0);
    for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next) {
      if (g.is_parameter(n)) ++inputs_[g[n].name];
      for (const graph::operand& o : g[n].operands)
        if (o.node != graph::none && gives_list(o.node)) users_[o.node].push_back(n);
    }
    is_done_.assign(g.size(), false);
  }

  void run() {
    for (std::uint32_t n = g_.first(), next; n != graph::none; n = next) {
      next = g_[n].next;
      g_.resolve(n);
      if (is_fixed_norm(n) && !shared_.is_fixed(g_, n) && !g_.is_last(n)) fold(n);
    }
    g_.resolve();
  }

 private:
  /// Of the result and the statistics.
  [[nodiscard]] bool gives_list(std::uint32_t n) const noexcept {
    return g_.is(n, operation::batch_norm) || g_.is(n, operation::native_batch_norm);
  }
  [[nodiscard]] bool is_fixed_norm(std::uint32_t n) const {
    if (g_.is(n, operation::batch_norm)) return true;
    if (!g_.is(n, operation::batch_norm_by_mode) && !g_.is(n, operation::native_batch_norm))
      return false;
    const std::optional<nac::binding> b = g_.bind(n);
    return b && g_.number(g_.argument(n, *b, 5)) == 0.0;
  }

  /// The elements of an operand that is a weight of one dimension, or of as many elements as
  /// `otherwise` where it is null.
  [[nodiscard]] bool read(const graph::operand* o, nac::data_type type, std::size_t count,
                          double otherwise, reals& to) const {
    if (o == nullptr || g_.is_null(o)) {
      to.assign(count, otherwise);
      return true;
    }
    if (o->node == graph::none || !g_.is_parameter(o->node) || shared_.changes(o->node))
      return false;
    const nac::tensor_part* const t = g_.tensor_of(o->node);
    if (!is_readable(t, type) || t->shape.size != 1 || g_.rest().numbers_of(t->shape)[0] != count)
      return false;
    to = values_of(*t);
    return true;
  }
  [[nodiscard]] static bool is_readable(const nac::tensor_part* t, nac::data_type type) noexcept {
    return t != nullptr && t->quantization == nac::quantization::none && t->type == type &&
           t->data.source == nullptr;
  }
  [[nodiscard]] reals values_of(const nac::tensor_part& t) const {
    const bytes data = g_.rest().data_of(t.data);
    reals out;
    if (t.type == nac::data_type::float64)
      for (std::size_t i = 0; i + 8 <= data.size(); i += 8)
        out.push_back(load_le<double>(data.data() + i));
    else
      for (std::size_t i = 0; i + 4 <= data.size(); i += 4)
        out.push_back(static_cast<double>(load_le<float>(data.data() + i)));
    return out;
  }
  /// False where a value isn't finite as that type.
  [[nodiscard]] static bool write(const reals& values, nac::data_type type,
                                  std::vector<std::byte>& to) {
    const std::size_t size = nac::size_of(type);
    to.resize(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double most = type == nac::data_type::float64
                              ? std::numeric_limits<double>::max()
                              : static_cast<double>(std::numeric_limits<float>::max());
      if (!(std::fabs(values[i]) <= most)) return false;
      if (type == nac::data_type::float64)
        store_le(to.data() + i * size, values[i]);
      else
        store_le(to.data() + i * size, static_cast<float>(values[i]));
    }
    return true;
  }

  /// A layer whose channels are axis 1 of its result, and axis 0 of its weight.
  [[nodiscard]] bool is_layer(std::uint32_t n, const nac::binding& b) const {
    switch (g_[n].op) {
      case operation::conv1d:
      case operation::conv2d:
      case operation::conv3d:
      case operation::conv_padded: return true;
      case operation::convolution: return g_.number(g_.argument(n, b, 6)) == 0.0;  // not transposed
      case operation::linear: return is_matrix(g_[n].operands[0].node);
      default: return false;
    }
  }
  /// Whether a result has two dimensions.
  [[nodiscard]] bool is_matrix(std::uint32_t n) const {
    for (int k = 0; k < 64 && n != graph::none && g_[n].what == graph::role::operation &&
                    !g_[n].operands.empty();
         ++k, n = g_[n].operands[0].node) {
      const std::optional<nac::binding> b = g_.bind(n);
      if (!b) return false;
      switch (g_[n].op) {
        case operation::addmm: return true;
        case operation::flatten:
          return g_.number(g_.argument(n, *b, 1)) == 1.0 &&
                 (b->count[2] == 0 || g_.number(g_.argument(n, *b, 2)) == -1.0);
        case operation::view: {
          const auto sizes = g_.integers(n, *b, 1);
          return sizes && sizes->size() == 2;
        }
        case operation::relu:
        case operation::linear:
        case operation::gelu:
        case operation::sigmoid:
        case operation::tanh:
        case operation::silu:
        case operation::dropout:
        case operation::batch_norm_by_mode: break;
        default: return false;
      }
    }
    return false;
  }
  /// Whether nothing else takes the parameter of an INPUT.
  [[nodiscard]] bool is_own(std::uint32_t input) const {
    return uses_[input] == 1 && inputs_[g_[input].name] == 1 && !shared_.changes(input);
  }

  /// Whether users of a list take the first result only; gives those that are getitem.
  [[nodiscard]] bool takers(std::uint32_t n, std::vector<std::uint32_t>& out) const {
    const auto users = users_.find(n);
    if (users == users_.end()) return true;
    for (const std::uint32_t u : users->second) {
      if (!g_.is(u, operation::getitem)) continue;
      if (g_[u].operands.size() != 2 || g_.number(&g_[u].operands[1]) != 0.0 || g_.is_last(u))
        return false;
      out.push_back(u);
    }
    return true;
  }

  void fold(std::uint32_t n) {
    const std::optional<nac::binding> b = g_.bind(n);
    const std::uint32_t layer = b ? g_[n].operands[0].node : graph::none;
    if (layer == graph::none || is_done_[layer] || g_[layer].what != graph::role::operation ||
        uses_[layer] != 1 || g_[layer].block != g_[n].block || shared_.is_fixed(g_, layer))
      return;
    const std::optional<nac::binding> of = g_.bind(layer);
    if (!of || !is_layer(layer, *of)) return;
    const std::uint32_t w = g_[layer].operands[1].node;
    if (w == graph::none || !g_.is_parameter(w) || !is_own(w)) return;
    const nac::tensor_part* const t = g_.tensor_of(w);
    if (t == nullptr ||
        (t->type != nac::data_type::float32 && t->type != nac::data_type::float64) ||
        !is_readable(t, t->type) || t->shape.size < 2)
      return;
    const nac::data_type type = t->type;
    const view<std::uint32_t> dims = g_.rest().numbers_of(t->shape);
    const std::vector<std::uint32_t> shape(dims.begin(), dims.end());
    const std::size_t channels = shape[0];
    const bool is_first = g_.is(n, operation::batch_norm);
    const std::optional<double> eps = g_.number(g_.argument(n, *b, is_first ? 6 : 7));
    reals scale, shift, mean, variance, bias;
    const graph::operand* const old_bias = g_.argument(layer, *of, 2);
    std::vector<std::uint32_t> elements;
    if (!eps || channels == 0 || !read(g_.argument(n, *b, 1), type, channels, 1, scale) ||
        !read(g_.argument(n, *b, 2), type, channels, 0, shift) || b->count[3] == 0 ||
        b->count[4] == 0 || g_.is_null(g_.argument(n, *b, 3)) ||
        g_.is_null(g_.argument(n, *b, 4)) ||
        !read(g_.argument(n, *b, 3), type, channels, 0, mean) ||
        !read(g_.argument(n, *b, 4), type, channels, 0, variance) ||
        !read(old_bias, type, channels, 0, bias) || !takers(n, elements))
      return;
    reals weight = values_of(*t);
    if (weight.size() % channels != 0) return;
    const std::size_t row = weight.size() / channels;
    for (std::size_t k = 0; k < channels; ++k) {
      if (!(variance[k] + *eps > 0)) return;
      scale[k] /= std::sqrt(variance[k] + *eps);
      for (std::size_t i = 0; i < row; ++i) weight[k * row + i] *= scale[k];
      bias[k] = (bias[k] - mean[k]) * scale[k] + shift[k];
    }
    std::vector<std::byte> new_weight, new_bias;
    if (!write(weight, type, new_weight) || !write(bias, type, new_bias)) return;
    is_done_[layer] = true;
    c_.changed(g_, n, std::string(g_.name(n)) + ": in the weights of " + shown(g_, layer));
    g_.set_tensor(g_[w].name, type, shape, {new_weight.data(), new_weight.size()});
    set_bias(layer, *of, type, {static_cast<std::uint32_t>(channels)},
             {new_bias.data(), new_bias.size()});
    for (const std::uint32_t e : elements) g_.forward(e, layer);
    g_.forward(n, layer);
  }

  void set_bias(std::uint32_t layer, const nac::binding& b, nac::data_type type,
                const std::vector<std::uint32_t>& shape, bytes data) {
    const bool is_given = b.count[2] == 1;
    if (is_given) {
      const graph::operand& o = g_[layer].operands[b.first[2]];
      if (o.node != graph::none && is_own(o.node))
        return g_.set_tensor(g_[o.node].name, type, shape, data);
    }
    std::string name = g_.parameter_of(g_[layer].operands[1].node).name;
    if (name.ends_with(".weight")) name.resize(name.size() - 7);
    name += ".bias";
    const std::uint32_t input =
        g_.add_input(g_.add_parameter(name, type, shape, data), g_[layer].origin);
    g_.move_before(input, layer);
    const graph::operand o{'T', input};
    std::vector<graph::operand>& to = g_[layer].operands;
    if (is_given)
      to[b.first[2]] = o;
    else
      to.insert(to.begin() + 2, o);
  }

  graph& g_;
  pass_context& c_;
  const sharing shared_;
  const std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> inputs_;                                    // by parameter
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> users_;  // of lists
  std::vector<bool> is_done_;                                            // layers in this pass
};

}  // namespace

void fold_batch_norms(graph& g, pass_context& c) {
  if (g.holds_weights()) normalization_folder(g, c).run();
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
