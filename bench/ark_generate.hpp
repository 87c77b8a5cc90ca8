// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Model graphs of realistic shape, the same every time: transformers whose heads are unrolled, as
// ARK would write them without virtual operations.
//
//   const ark::graph g = bench::ark_transformer({.layers = 32, .heads = 32});
//   const std::string file = bench::ark_text(g, {.spread = bench::spread::ark});
//
//   layer       RMSNorm, three products, Rope, per head: product, scaling, mask, softmax in place,
//               product into its slice; product, residual; RMSNorm, gated MLP, residual
//   ranks > 1   after both blocks: Send, SendDone, Recv, Add with the next rank
//
// Heads are views of one buffer with Offsets. Every tensor and every buffer that isn't a view gets an
// Id of its own, counted through.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     Ids below 2^31.
// Allocation: the graph, the text, and tables of writers.

#ifndef TESSERA_BENCH_ARK_GENERATE_HPP
#define TESSERA_BENCH_ARK_GENERATE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <tessera/ark.hpp>
#include <tessera/core/json_write.hpp>
#include <tessera/core/shortest.hpp>
#include <utility>
#include <vector>

namespace bench {

namespace ark = tessera::ark;

struct ark_recipe {
  unsigned layers = 32, heads = 32;
  unsigned batch = 1;  ///< samples, each with heads of its own
  unsigned tokens = 512, head_size = 128, hidden = 11008;
  int ranks = 1;
};

class ark_generator {
 public:
  explicit ark_generator(const ark_recipe& r) : recipe_(r), names_(graph_) {
    graph_.world_size = r.ranks;
    const std::int64_t width = std::int64_t{r.heads} * r.head_size, hidden = r.hidden;
    std::vector<std::vector<tensor>> weights(r.layers);
    tensor x = fresh(half, {r.batch, r.tokens, width});
    for (std::vector<tensor>& w : weights)
      w = {
          fresh(full, {1, 1, width}),   fresh(half, {width, width}),  fresh(half, {width, width}),
          fresh(half, {width, width}),  fresh(half, {width, width}),  fresh(full, {1, 1, width}),
          fresh(half, {width, hidden}), fresh(half, {width, hidden}), fresh(half, {hidden, width})};
    rotation_ = fresh(half, {1, r.tokens, 1, r.head_size});
    mask_ = fresh(half, {1, 1, r.tokens, r.tokens});
    for (const std::vector<tensor>& w : weights) x = mlp(attention(x, w), w);
    finish_edges();
  }
  [[nodiscard]] ark::model take() && { return std::move(graph_); }

 private:
  using op_type = ark::op_type;
  using shape = std::vector<std::int64_t>;
  static constexpr ark::data_type half = ark::data_type::fp16, full = ark::data_type::fp32;

  /// A tensor and what it is made of.
  struct tensor {
    std::uint32_t index = 0;
    std::uint32_t buffer = 0;
    ark::data_type type = half;
    shape dims, strides, offsets;
  };

  std::uint32_t new_buffer(std::int32_t rank = -1, std::vector<ark::tag> send = {},
                           std::vector<ark::tag> recv = {}) {
    ark::buffer b;
    b.id = next_buffer_++;
    b.rank = rank;
    const std::size_t first = graph_.tags.size();
    b.send_tags = add_tags(send);
    b.recv_tags = add_tags(recv);
    writers_.emplace_back();
    return names_.buffer(b, first);
  }
  ark::range add_tags(const std::vector<ark::tag>& list) {
    const ark::range out{static_cast<std::uint32_t>(graph_.tags.size()),
                         static_cast<std::uint32_t>(list.size())};
    graph_.tags.append(list.data(), list.size());
    return out;
  }
  tensor new_tensor(std::uint32_t buffer, ark::data_type type, shape dims, shape strides,
                    shape offsets) {
    ark::layout l;
    l.rank = static_cast<std::uint32_t>(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
      l.shape[d] = l.padded_shape[d] = dims[d];
      l.strides[d] = strides[d];
      l.offsets[d] = offsets[d];
    }
    ark::tensor t;
    t.id = next_tensor_++;
    t.layout = names_.layout(l);
    t.buffer = buffer;
    t.type = type;
    return {names_.tensor(t),  buffer, type, std::move(dims), std::move(strides),
            std::move(offsets)};
  }
  tensor fresh(ark::data_type type, const shape& dims) { return in(new_buffer(), type, dims); }
  tensor in(std::uint32_t buffer, ark::data_type type, const shape& dims) {
    return new_tensor(buffer, type, dims, dims, shape(dims.size(), 0));
  }
  tensor same(const tensor& t) {
    return new_tensor(t.buffer, t.type, t.dims, t.strides, t.offsets);
  }
  tensor reshaped(const tensor& t, const shape& dims) { return in(t.buffer, t.type, dims); }
  /// The patch of one sample and head.
  tensor slice(const tensor& t, std::int64_t sample, std::int64_t head) {
    return new_tensor(t.buffer, t.type, {1, 1, t.dims[2], t.dims[3]}, t.strides,
                      {sample, head, 0, 0});
  }

  struct setting {
    ark::argument_name name;
    ark::argument_type type;
    std::int64_t integer = 0;
    float real = 0;
    std::vector<std::int64_t> dims = {};
  };
  static setting flag(ark::argument_name name, bool value) {
    return {name, ark::argument_type::boolean, value ? 1 : 0};
  }

  /// Appends a node of one operation; the result is a new name of `to`.
  tensor add(op_type type, std::initializer_list<tensor> from, const tensor& to,
             std::initializer_list<setting> settings = {}) {
    const tensor result = same(to);
    add_node(type, from, {to}, {result}, settings);
    return result;
  }
  void add_node(op_type type, std::initializer_list<tensor> from, std::initializer_list<tensor> to,
                std::initializer_list<tensor> results, std::initializer_list<setting> settings) {
    ark::op o;
    o.type = type;
    const unsigned uses = name_uses_[type]++;
    std::string name;
    for (const char c : ark::info(type).name) {
      const bool upper = c >= 'A' && c <= 'Z';
      if (upper && !name.empty()) name += '_';
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (uses != 0) name += '_' + std::to_string(uses);
    o.name = names_.characters(name);
    o.first_use = static_cast<std::uint32_t>(graph_.uses.size());
    o.reads = static_cast<std::uint32_t>(from.size());
    o.writes = static_cast<std::uint32_t>(to.size());
    o.results = static_cast<std::uint32_t>(results.size());
    o.arguments = {static_cast<std::uint32_t>(graph_.arguments.size()),
                   static_cast<std::uint32_t>(settings.size())};
    for (const setting& s : settings) add_argument(s);

    const auto index = static_cast<std::uint32_t>(graph_.nodes.size());
    std::vector<std::uint32_t> producers;
    for (const auto& list : {from, to})
      for (const tensor& t : list) {
        const auto made = made_by_.find(t.index);
        if (made != made_by_.end())
          producers.push_back(made->second);
        else
          producers.insert(producers.end(), writers_[t.buffer].begin(), writers_[t.buffer].end());
      }
    std::sort(producers.begin(), producers.end());
    producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    // Slices of one buffer that are written side by side don't wait for one another.
    const bool into_slice = to.size() == 1 && to.begin()->dims != to.begin()->strides;
    if (into_slice)
      for (const std::uint32_t w : writers_[to.begin()->buffer])
        producers.erase(std::remove(producers.begin(), producers.end(), w), producers.end());
    producers_.push_back(std::move(producers));
    for (const auto& list : {from, to, results})
      for (const tensor& t : list) graph_.uses.push_back(t.index);
    for (const tensor& t : results) made_by_[t.index] = index;
    for (const tensor& t : to) {
      if (!into_slice) writers_[t.buffer].clear();
      writers_[t.buffer].push_back(index);
    }
    ark::node n;
    n.id = index;
    n.ops = {static_cast<std::uint32_t>(graph_.ops.size()), 1};
    graph_.ops.push_back(o);
    graph_.nodes.push_back(n);
  }
  void add_argument(const setting& s) {
    ark::argument a;
    a.name = s.name;
    a.type = s.type;
    a.integer = s.integer;
    if (s.type == ark::argument_type::float32) {
      a.real = s.real;
      char token[tessera::json::number_capacity];
      const auto end = tessera::json::cursor(token, tessera::double_style::python)
                           .number(static_cast<double>(s.real));
      a.token = names_.characters({token, static_cast<std::size_t>(end.place() - token)});
    }
    if (s.type == ark::argument_type::dims) {
      a.integers = {static_cast<std::uint32_t>(graph_.integers.size()),
                    static_cast<std::uint32_t>(s.dims.size())};
      graph_.integers.append(s.dims.data(), s.dims.size());
    }
    graph_.arguments.push_back(a);
  }
  void finish_edges() {
    std::vector<std::vector<std::int64_t>> consumers(producers_.size());
    for (std::size_t i = 0; i < producers_.size(); ++i)
      for (const std::uint32_t p : producers_[i])
        consumers[p].push_back(static_cast<std::int64_t>(i));
    const auto list = [this](const auto& ids) {
      const ark::range out{static_cast<std::uint32_t>(graph_.integers.size()),
                           static_cast<std::uint32_t>(ids.size())};
      for (const auto id : ids) graph_.integers.push_back(id);
      return out;
    };
    for (std::size_t i = 0; i < producers_.size(); ++i) {
      graph_.nodes[i].producers = list(producers_[i]);
      graph_.nodes[i].consumers = list(consumers[i]);
    }
  }

  tensor unary(op_type type, const tensor& a) { return add(type, {a}, fresh(a.type, a.dims)); }
  tensor binary(op_type type, const tensor& a, const tensor& b) {
    return add(type, {a, b}, fresh(a.type, a.dims));
  }
  tensor scaled(op_type type, const tensor& a, float by) {
    return add(type, {a}, fresh(a.type, a.dims),
               {{ark::argument_name::factor, ark::argument_type::float32, 0, by}});
  }
  tensor cast(const tensor& a, ark::data_type type) {
    return add(op_type::cast, {a}, fresh(type, a.dims));
  }
  tensor reduce(op_type type, const tensor& a) {
    shape dims = a.dims;
    dims.back() = 1;
    return add(type, {a}, fresh(a.type, dims),
               {{ark::argument_name::axis, ark::argument_type::int32,
                 static_cast<std::int64_t>(dims.size()) - 1},
                flag(ark::argument_name::keep_dim, true)});
  }
  tensor matmul(const tensor& a, const tensor& b, const tensor& to, bool transposed = false) {
    return add(op_type::matmul, {a, b}, to,
               {flag(ark::argument_name::transpose_input, false),
                flag(ark::argument_name::transpose_other, transposed)});
  }
  tensor linear(const tensor& a, const tensor& weight) {
    shape dims = a.dims;
    dims.back() = weight.dims[1];
    return matmul(a, weight, fresh(a.type, dims));
  }
  tensor transposed(const tensor& a) {
    return add(op_type::transpose, {a}, fresh(a.type, {a.dims[0], a.dims[2], a.dims[1], a.dims[3]}),
               {{ark::argument_name::permutation, ark::argument_type::dims, 0, 0, {0, 2, 1, 3}}});
  }

  tensor norm(const tensor& x, const tensor& weight) {
    const tensor wide = cast(x, full);
    const tensor mean = reduce(op_type::reduce_mean, binary(op_type::mul, wide, wide));
    const tensor root = unary(op_type::rsqrt, scaled(op_type::scalar_add, mean, 1e-5f));
    return cast(binary(op_type::mul, binary(op_type::mul, wide, root), weight), half);
  }
  /// Sums the parts of two ranks.
  tensor exchanged(const tensor& x) {
    if (recipe_.ranks < 2) return x;
    const ark::tag out{1, next_tag_}, in_tag{1, next_tag_ + 1};
    next_tag_ += 2;
    // As upstream writes them: the copy that is sent has the tag of its way.
    const tensor mine = add(op_type::copy, {x}, in(new_buffer(-1, {out}), x.type, x.dims));
    const tensor sent =
        add(op_type::send, {mine}, in(new_buffer(1, {}, {{-1, out.number}}), x.type, x.dims));
    add_node(op_type::send_done, {sent}, {}, {same(sent)}, {});
    const tensor got =
        add(op_type::recv, {in(new_buffer(1, {{-1, in_tag.number}}), x.type, x.dims)},
            in(new_buffer(-1, {}, {in_tag}), x.type, x.dims));
    return binary(op_type::add, x, got);
  }
  tensor attention(const tensor& x, const std::vector<tensor>& w) {
    const std::int64_t samples = recipe_.batch, tokens = recipe_.tokens, heads = recipe_.heads,
                       size = recipe_.head_size;
    const tensor in = norm(x, w[0]);
    const auto head = [&](const tensor& t, bool rotated) {
      const tensor wide = reshaped(t, {samples, tokens, heads, size});
      return transposed(rotated ? binary(op_type::rope, wide, rotation_) : wide);
    };
    const tensor q = head(linear(in, w[1]), true), k = head(linear(in, w[2]), true),
                 v = head(linear(in, w[3]), false);
    const tensor all = fresh(half, {samples, heads, tokens, size});
    for (std::int64_t s = 0; s < samples; ++s)
      for (std::int64_t h = 0; h < heads; ++h) {
        tensor p =
            matmul(slice(q, s, h), slice(k, s, h), fresh(half, {1, 1, tokens, tokens}), true);
        p = binary(op_type::add, scaled(op_type::scalar_mul, p, 0.08838834764831845f), mask_);
        p = add(op_type::sub, {p, reduce(op_type::reduce_max, p)}, p);
        p = add(op_type::exp, {p}, p);
        p = add(op_type::div, {p, reduce(op_type::reduce_sum, p)}, p);
        matmul(p, slice(v, s, h), slice(all, s, h));
      }
    const tensor joined = transposed(reshaped(all, all.dims));
    const tensor out = linear(reshaped(joined, {samples, tokens, heads * size}), w[4]);
    return binary(op_type::add, x, exchanged(out));
  }
  tensor mlp(const tensor& x, const std::vector<tensor>& w) {
    const tensor in = norm(x, w[5]);
    const tensor gate = linear(in, w[6]);
    const tensor open = binary(op_type::mul, gate, unary(op_type::sigmoid, gate));
    return binary(op_type::add, x,
                  exchanged(linear(binary(op_type::mul, open, linear(in, w[7])), w[8])));
  }

  ark_recipe recipe_;
  ark::model graph_;
  ark::interner names_;
  tensor rotation_, mask_;
  std::int64_t next_tensor_ = 0, next_buffer_ = 0;
  std::int32_t next_tag_ = INT32_MIN;
  std::map<op_type, unsigned> name_uses_;
  std::map<std::uint32_t, std::uint32_t> made_by_;   // node of each result
  std::vector<std::vector<std::uint32_t>> writers_;  // nodes that wrote each buffer
  std::vector<std::vector<std::uint32_t>> producers_;
};

[[nodiscard]] inline ark::model ark_transformer(const ark_recipe& r) {
  return ark_generator(r).take();
}

enum class key_order { natural, sorted, reversed };
enum class spread { compact, spaced, ark, deep };  ///< how far over lines

struct ark_style {
  bench::spread spread = spread::compact;
  key_order order = key_order::natural;
  ark::dialect form = ark::dialect::d3;  ///< d3, d2, or either with IsExternal
};

/// A graph without unknown members as text.
class ark_writer {
 public:
  ark_writer(const ark::model& g, const ark_style& how)
      : graph_(g),
        how_(how),
        writer_(out_, how.spread == spread::compact  ? tessera::json::compact
                      : how.spread == spread::spaced ? tessera::json::spaced
                                                     : tessera::json::indented) {
    object(false, {{"Rank", [&] { writer_.integer(g.rank); }},
                   {"WorldSize", [&] { writer_.integer(g.world_size); }},
                   {"Nodes", [&] {
                      writer_.begin_array();
                      for (const ark::node& n : g.nodes) node(n);
                      writer_.end();
                    }}});
    if (how.spread == spread::ark || how.spread == spread::deep) out_ << '\n';
  }
  [[nodiscard]] std::string take() const { return std::string(out_.view()); }

 private:
  struct member {
    std::string_view key;
    std::function<void()> write;
  };

  void object(bool one_line, std::vector<member> members) {
    if (how_.order == key_order::reversed) std::reverse(members.begin(), members.end());
    if (how_.order == key_order::sorted)
      std::sort(members.begin(), members.end(),
                [](const member& a, const member& b) { return a.key < b.key; });
    writer_.begin_object(one_line && how_.spread == spread::ark);
    for (const member& m : members) {
      writer_.key(m.key);
      m.write();
    }
    writer_.end();
  }
  template <class List>
  void numbers(const List& list) {
    writer_.begin_array(how_.spread == spread::ark);
    for (const std::int64_t v : list) writer_.integer(v);
    writer_.end();
  }
  void node(const ark::node& n) {
    const bool many = ark::info(how_.form).holds_ops;
    object(false, {{"Id", [&] { writer_.integer(n.id); }},
                   {"ProducerNodeIds", [&] { numbers(integers(graph_, n.producers)); }},
                   {"ConsumerNodeIds", [&] { numbers(integers(graph_, n.consumers)); }},
                   {many ? "Ops" : "Op", [&] {
                      if (many) writer_.begin_array();
                      for (const ark::op& o : operations(graph_, n)) operation(o);
                      if (many) writer_.end();
                    }}});
  }
  void operation(const ark::op& o) {
    const auto list = [this](tessera::view<std::uint32_t> tensors) {
      return [this, tensors] {
        writer_.begin_array();
        for (const std::uint32_t t : tensors) tensor(graph_.tensors[t]);
        writer_.end();
      };
    };
    object(false, {{"Type", [&] { writer_.string(type_name(graph_, o)); }},
                   {"Name", [&] { writer_.string(name(graph_, o)); }},
                   {"IsVirtual", [&] { writer_.boolean(o.is_virtual); }},
                   {"ReadTensors", list(reads(graph_, o))},
                   {"WriteTensors", list(writes(graph_, o))},
                   {"ResultTensors", list(results(graph_, o))},
                   {"Args", [&] { arguments(o); }}});
  }
  void arguments(const ark::op& o) {
    writer_.begin_object();
    for (const ark::argument& a : ark::arguments(graph_, o)) {
      writer_.key(name(graph_, a)).begin_object(how_.spread == spread::ark);
      writer_.key(ark::argument_type_names[static_cast<std::size_t>(a.type)]);
      if (a.type == ark::argument_type::boolean)
        writer_.boolean(a.integer != 0);
      else if (a.type == ark::argument_type::float32)
        writer_.raw(text_of(graph_, a.token));
      else if (a.type == ark::argument_type::dims)
        numbers(integers(graph_, a.integers));
      else
        writer_.integer(a.integer);
      writer_.end();
    }
    writer_.end();
  }
  void tensor(const ark::tensor& t) {
    const ark::layout& l = graph_.layouts[t.layout];
    const auto dims = [&](const std::int64_t(&list)[ark::max_rank]) {
      return [&] { numbers(tessera::view<std::int64_t>(list, l.rank)); };
    };
    object(true, {{"Id", [&] { writer_.integer(t.id); }},
                  {"DataType", [&] { writer_.string(ark::info(t.type).name); }},
                  {"Shape", dims(l.shape)},
                  {"Strides", dims(l.strides)},
                  {"Offsets", dims(l.offsets)},
                  {"PaddedShape", dims(l.padded_shape)},
                  {"Buffer", [&] { buffer(graph_.buffers[t.buffer]); }}});
  }
  void buffer(const ark::buffer& b) {
    const auto list = [this](ark::range r) {
      return [this, r] {
        writer_.begin_array();
        for (const ark::tag& t : tags(graph_, r))
          numbers(std::initializer_list<std::int64_t>{t.rank, t.number});
        writer_.end();
      };
    };
    std::vector<member> members = {{"Id", [&] { writer_.integer(b.id); }},
                                   {"Rank", [&] { writer_.integer(b.rank); }},
                                   {"SendTags", list(b.send_tags)},
                                   {"RecvTags", list(b.recv_tags)}};
    if (ark::info(how_.form).external)
      members.push_back({"IsExternal", [&] { writer_.boolean(false); }});
    object(true, std::move(members));
  }

  const ark::model& graph_;
  ark_style how_;
  tessera::text out_;
  tessera::json::writer writer_;
};

[[nodiscard]] inline std::string ark_text(const ark::model& g, const ark_style& how = {}) {
  return ark_writer(g, how).take();
}

}  // namespace bench

#endif  // TESSERA_BENCH_ARK_GENERATE_HPP
