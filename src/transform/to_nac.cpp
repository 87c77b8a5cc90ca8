// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// From ARK's model graph to a NAC container: memory becomes values, one walk over the operations.
//
// Each buffer is a value of all its bytes, as one type and with the dimensions that some tensor calls
// its Strides. A tensor is a slice of that; what is written to one gives the buffer another value.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "import/container.hpp"
#include "import/refusals.hpp"
#include "tessera/ark/shapes.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "tessera/transform/convert.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using ark::argument_name;
using ark::op_type;
using sizes = std::vector<std::int64_t>;

/// NAC's code; none for UINT32 and FP8.
[[nodiscard]] std::optional<nac::data_type> code_of(ark::data_type t) noexcept {
  switch (t) {
    case ark::data_type::fp32: return nac::data_type::float32;
    case ark::data_type::fp16: return nac::data_type::float16;
    case ark::data_type::bf16: return nac::data_type::bfloat16;
    case ark::data_type::int32: return nac::data_type::int32;
    case ark::data_type::int8: return nac::data_type::int8;
    case ark::data_type::uint8:
    case ark::data_type::byte: return nac::data_type::uint8;
    case ark::data_type::uint32:
    case ark::data_type::fp8_e4m3:
    case ark::data_type::fp8_e5m2: break;
  }
  return std::nullopt;
}
/// PyTorch's name.
[[nodiscard]] std::string_view torch_name(nac::data_type t) noexcept {
  switch (t) {
    case nac::data_type::float16: return "float16";
    case nac::data_type::bfloat16: return "bfloat16";
    case nac::data_type::int32: return "int32";
    case nac::data_type::int64: return "int64";
    case nac::data_type::int8: return "int8";
    case nac::data_type::uint8: return "uint8";
    case nac::data_type::float32:
    case nac::data_type::float64:
    case nac::data_type::int16:
    case nac::data_type::boolean: break;
  }
  return "float32";
}
[[nodiscard]] sizes sizes_of(const std::int64_t (&dims)[ark::max_rank], std::uint32_t rank) {
  return {dims, dims + (rank == 0 ? 1 : rank)};
}
[[nodiscard]] sizes sizes_of(const ark::dimensions& d) { return {d.size, d.size + d.rank}; }
/// Of a tensor, whose bytes verification counted.
[[nodiscard]] std::int64_t product(const sizes& dims) noexcept {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

class ark_importer : container_builder {
 public:
  ark_importer(const ark::program& p, const to_nac_options& options, report* found)
      : container_builder(options.form),
        p_(p),
        g_(p.model()),
        options_(options),
        refused_(found, options.max_diagnostics),
        memory_(g_.buffers.size()) {}

  [[nodiscard]] result<nac::parts> run() {
    check_tensors();
    const inspect::flow ends(g_, options_.max_comparisons);
    if (ends.bounded())
      refused_.add({errc::ark_to_nac_limit, 0, error_index::whole}, "$",
                   "more views of the same memory than max_comparisons compares");
    if (refused_.any()) return refused_.first();
    inputs(ends);
    for (node_ = 0; node_ < g_.nodes.size() && !is_full_; ++node_) {
      const ark::range ops = g_.nodes[node_].ops;
      for (std::uint32_t k = 0; k < ops.count && !is_full_; ++k) {
        op_ = k;
        operation(g_.ops[ops.first + k]);
        check_counts();
      }
    }
    outputs(ends);
    check_counts();
    if (refused_.any()) return refused_.first();
    return finish();
  }

 private:
  struct buffer_value {
    std::uint32_t value = none;  // none: zeros
    nac::data_type type = nac::data_type::float32;
    sizes dims;
  };

  // ---- what is refused

  void refuse(errc code, std::string_view member, const std::string& message) {
    std::string path;
    error at{code, 0, error_index::whole};
    if (node_ < g_.nodes.size()) {
      at = error_in(g_.nodes, g_.nodes[node_], code, error_index::node);
      path = "$.Nodes[" + std::to_string(node_) + "]";
      path += ark::info(g_.form).holds_ops ? ".Ops[" + std::to_string(op_) + "]" : ".Op";
      path += member;
    }
    refused_.add(at, path, message);
  }
  void refuse(errc code, const ark::op& o, const std::string& why) {
    refuse(code, "", name_of(o) + ": " + why);
  }
  [[nodiscard]] std::string name_of(const ark::op& o) const {
    std::string out(type_name(g_, o));
    if (const std::string_view name = ark::name(g_, o); !name.empty())
      out.append(" \"").append(name).append("\"");
    return out;
  }
  void check_counts() {
    if (const excess e = exceeds(); e.most != 0 && !std::exchange(is_full_, true))
      refuse(errc::ark_to_nac_limit, "",
             "more than " + std::to_string(e.most) + ' ' + std::string(e.what) +
                 "; expected at most that many");
  }

  /// Refuses operations and tensors that NAC has nothing for, all of them.
  void check_tensors() {
    for (node_ = 0; node_ < g_.nodes.size(); ++node_) {
      const ark::range ops = g_.nodes[node_].ops;
      for (op_ = 0; op_ < ops.count; ++op_) check(g_.ops[ops.first + op_]);
    }
    node_ = op_ = 0;
  }
  void check(const ark::op& o) {
    const ark::op_kind kind = info(o.type).kind;
    if (kind == ark::op_kind::view || kind == ark::op_kind::none) return;
    if (kind == ark::op_kind::communication)
      return refuse(errc::ark_to_nac_operation, o,
                    "a container is one rank; expected no communication");
    if (kind == ark::op_kind::kv_cache_slot)
      return refuse(errc::ark_to_nac_operation, o,
                    "its cache and position are kept for the next run, which NAC has no form for");
    if (kind == ark::op_kind::unknown)
      return refuse(errc::ark_to_nac_operation, o, "its meaning is unknown; expected a known Type");
    const view<std::uint32_t> all = uses(g_, o);
    for (std::uint32_t i = 0; i < all.size(); ++i) check_use(o, i, all[i]);
    if (is_real_only(o.type) && !writes(g_, o).empty() && !is_real(writes(g_, o)[0]))
      refuse(errc::ark_to_nac_operation, o,
             "of " + std::string(info(g_.tensors[writes(g_, o)[0]].type).name) +
                 "; NAC has it for floats only");
  }
  [[nodiscard]] static bool is_real_only(op_type t) noexcept {
    return t == op_type::softmax || t == op_type::layer_norm || t == op_type::matmul_gelu ||
           t == op_type::matmul_scale;
  }
  [[nodiscard]] bool is_real(std::uint32_t tensor) const noexcept {
    return info(g_.tensors[tensor].type).kind == ark::data_kind::floating;
  }
  /// The `i`-th tensor of all three lists.
  void check_use(const ark::op& o, std::uint32_t i, std::uint32_t tensor) {
    const bool is_read = i < o.reads, is_written = !is_read && i - o.reads < o.writes;
    if (!is_read && !is_written) return;  // another name of what is written
    const std::string member = (is_read ? ".ReadTensors[" : ".WriteTensors[") +
                               std::to_string(is_read ? i : i - o.reads) + ']';
    const ark::tensor& t = g_.tensors[tensor];
    const std::string who = name_of(o) + ": t" + std::to_string(t.id);
    if (!code_of(t.type))
      return refuse(errc::ark_to_nac_type, member,
                    who + " is " + std::string(info(t.type).name) + ", which NAC has no code for");
    if (!is_local(g_, buffer_of(g_, tensor)))
      return refuse(errc::ark_to_nac_memory, member,
                    who + " is in memory of rank " + std::to_string(buffer_of(g_, tensor).rank));
    const std::uint64_t bytes = p_.bytes(storage_of(tensor)), size = info(t.type).bytes;
    if (bytes % size != 0)
      return refuse(errc::ark_to_nac_memory, member,
                    who + ": its buffer has " + std::to_string(bytes) +
                        " bytes; expected a multiple of " + std::to_string(size));
    if (bytes / size > 0x7fffffff)
      refuse(errc::ark_to_nac_limit, member,
             who + ": its buffer has " + std::to_string(bytes / size) +
                 " elements; expected at most 2147483647");
  }

  // ---- instructions

  [[nodiscard]] static operand result_of(std::uint32_t v) { return {'T', v, 0}; }
  [[nodiscard]] operand whole(std::int64_t v) { return {'i', none, integer(v)}; }
  [[nodiscard]] operand truth(bool v) { return {'b', none, boolean(v)}; }
  [[nodiscard]] operand type_name_of(nac::data_type t) {
    return {'c', none, string(torch_name(t))};
  }
  [[nodiscard]] operand list_of(const sizes& dims) {
    std::vector<std::uint32_t> words;
    for (const std::int64_t d : dims) words.push_back(static_cast<std::uint32_t>(d));
    return {'S', none, list(nac::constant_type::int32_list, words)};
  }
  /// A scalar as a type has it: rounded, or cut off and saturated.
  [[nodiscard]] operand scalar(float f, nac::data_type t) {
    if (nac::is_floating(t)) return {'f', none, real(rounded(f, t))};
    const double low = t == nac::data_type::int32  ? std::numeric_limits<std::int32_t>::min()
                       : t == nac::data_type::int8 ? std::numeric_limits<std::int8_t>::min()
                                                   : 0;
    const double high = t == nac::data_type::int32  ? std::numeric_limits<std::int32_t>::max()
                        : t == nac::data_type::int8 ? std::numeric_limits<std::int8_t>::max()
                                                    : std::numeric_limits<std::uint8_t>::max();
    const double v = std::isnan(f) ? 0 : std::clamp(std::trunc(double{f}), low, high);
    return whole(static_cast<std::int64_t>(v));
  }
  [[nodiscard]] static float rounded(float f, nac::data_type t) noexcept {
    if (t == nac::data_type::float16) return float_from_half(half_from_float(f));
    if (t == nac::data_type::bfloat16) return float_from_bfloat16(bfloat16_from_float(f));
    return f;
  }
  [[nodiscard]] std::uint32_t of_one(const char* name, std::uint32_t x) {
    return call(name, {result_of(x)});
  }
  [[nodiscard]] std::uint32_t of_two(const char* name, std::uint32_t x, std::uint32_t y) {
    return call(name, {result_of(x), result_of(y)});
  }
  [[nodiscard]] std::uint32_t shaped(std::uint32_t x, const sizes& from, const sizes& to) {
    return from == to ? x : call("nac.view", {result_of(x), list_of(to)});
  }
  [[nodiscard]] std::uint32_t stretched(std::uint32_t x, const sizes& from, const sizes& to) {
    return from == to ? x : call("aten.expand.default", {result_of(x), list_of(to)});
  }
  [[nodiscard]] std::uint32_t cast(std::uint32_t x, nac::data_type from, nac::data_type to) {
    return from == to ? x : call("aten.to.dtype", {result_of(x), type_name_of(to)});
  }

  // ---- memory

  [[nodiscard]] std::uint32_t storage_of(std::uint32_t tensor) const {
    return p_.storage(g_.tensors[tensor].buffer);
  }
  [[nodiscard]] nac::data_type type_of(std::uint32_t tensor) const {
    return *code_of(g_.tensors[tensor].type);
  }
  [[nodiscard]] sizes shape_of(std::uint32_t tensor) const {
    return sizes_of(ark::shape_of(layout_of(g_, tensor)));
  }
  [[nodiscard]] sizes memory_of(std::uint32_t tensor) const {
    const ark::layout& l = layout_of(g_, tensor);
    return sizes_of(l.strides, l.rank);
  }
  /// Elements of a type in all of a buffer.
  [[nodiscard]] std::int64_t room_for(std::uint32_t storage, nac::data_type t) const {
    return static_cast<std::int64_t>(p_.bytes(storage) / nac::size_of(t));
  }
  [[nodiscard]] bool is_all(std::uint32_t tensor) const {
    return shape_of(tensor) == memory_of(tensor) &&
           product(shape_of(tensor)) == room_for(storage_of(tensor), type_of(tensor));
  }

  /// All of a tensor's buffer as elements of its type; with the dimensions that the tensor gives it,
  /// if it has all of them, else flat.
  buffer_value& buffer_for(std::uint32_t tensor) {
    const std::uint32_t storage = storage_of(tensor);
    const nac::data_type type = type_of(tensor);
    buffer_value& b = memory_[storage];
    const std::int64_t room = room_for(storage, type);
    const sizes dims = product(memory_of(tensor)) == room ? memory_of(tensor) : sizes{room};
    if (b.value == none) {
      b = {call("nac.zeros", {list_of(dims), type_name_of(type)}), type, dims};
      return b;
    }
    if (b.type != type) {
      const std::uint32_t flat = shaped(b.value, b.dims, {product(b.dims)});
      b = {call("aten.view.dtype", {result_of(flat), type_name_of(type)}), type, {room}};
    }
    b.value = shaped(b.value, b.dims, dims);
    b.dims = dims;
    return b;
  }
  /// The same with the tensor's dimensions: of less than all of it, a slice.
  [[nodiscard]] std::uint32_t patch_for(std::uint32_t tensor) {
    const buffer_value& b = buffer_for(tensor);
    const sizes dims = memory_of(tensor);
    if (b.dims == dims) return b.value;
    const std::uint32_t part =
        call("aten.slice.Tensor", {result_of(b.value), whole(0), whole(0), whole(product(dims))});
    return shaped(part, {product(dims)}, dims);
  }
  [[nodiscard]] bool is_cut(const ark::layout& l, std::uint32_t d) const noexcept {
    return l.offsets[d] != 0 || l.shape[d] != l.strides[d];
  }
  [[nodiscard]] operands cut(std::uint32_t x, const ark::layout& l, std::uint32_t d) {
    return {result_of(x), whole(d), whole(l.offsets[d]), whole(l.offsets[d] + l.shape[d])};
  }

  [[nodiscard]] std::uint32_t read(std::uint32_t tensor) {
    std::uint32_t x = patch_for(tensor);
    const ark::layout& l = layout_of(g_, tensor);
    for (std::uint32_t d = 0; d < l.rank; ++d)
      if (is_cut(l, d)) x = call("aten.slice.Tensor", cut(x, l, d));
    return x;
  }
  void write(std::uint32_t tensor, std::uint32_t x) {
    const std::uint32_t storage = storage_of(tensor);
    if (is_all(tensor)) {
      memory_[storage] = {x, type_of(tensor), shape_of(tensor)};
      return;
    }
    const ark::layout& l = layout_of(g_, tensor);
    const sizes dims = memory_of(tensor);
    // The parts that dimension after dimension cuts out, and back through them.
    std::vector<std::uint32_t> around{patch_for(tensor)};
    std::vector<std::uint32_t> cuts;
    for (std::uint32_t d = 0; d < l.rank; ++d)
      if (is_cut(l, d)) cuts.push_back(d);
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
      around.push_back(call("aten.slice.Tensor", cut(around.back(), l, cuts[k])));
    for (std::size_t k = cuts.size(); k-- > 0;) {
      operands of = cut(around[k], l, cuts[k]);
      of.insert(of.begin() + 1, result_of(x));
      x = call("aten.slice_scatter.default", of);
    }
    buffer_value& b = memory_[storage];
    if (b.dims != dims) {
      const std::int64_t count = product(dims);
      x = call("aten.slice_scatter.default",
               {result_of(b.value), result_of(shaped(x, dims, {count})), whole(0), whole(0),
                whole(count)});
    }
    b.value = x;
  }

  // ---- inputs and outputs

  struct maker {
    std::uint32_t tensor = 0;
    std::string_view name;
  };
  /// The views that make memory, by storage.
  [[nodiscard]] std::map<std::uint32_t, maker> makers() const {
    std::map<std::uint32_t, maker> out;
    for (const ark::op& o : g_.ops)
      if (is_virtual(o.type) && o.reads == 0 && o.results == 1)
        out.emplace(storage_of(results(g_, o)[0]), maker{results(g_, o)[0], ark::name(g_, o)});
    return out;
  }
  /// What the flow reads first, but all of a buffer at once where a view makes all of it.
  void inputs(const inspect::flow& ends) {
    const std::map<std::uint32_t, maker> made = makers();
    std::set<std::uint32_t> whole;
    std::map<std::string, std::uint32_t> count;
    std::vector<std::pair<std::uint32_t, std::string>> all;
    for (std::uint32_t t : ends.inputs()) {
      const auto at = made.find(storage_of(t));
      std::string name;
      if (at != made.end() && code_of(g_.tensors[at->second.tensor].type) &&
          is_all(at->second.tensor)) {
        t = at->second.tensor;
        name = at->second.name;
        if (!whole.insert(at->first).second) continue;
      }
      ++count[name];
      all.emplace_back(t, name);
    }
    std::vector<std::uint32_t> values;
    for (auto& [t, name] : all) {
      if (name.empty() || count[name] != 1) name = 't' + std::to_string(g_.tensors[t].id);
      const std::size_t w = options_.weights != nullptr ? options_.weights->find(name) : 0;
      if (options_.weights != nullptr && w != options_.weights->size()) {
        values.push_back(parameter(t, (*options_.weights)[w]));
        continue;
      }
      values.push_back(add(nac::op_input, static_cast<std::uint8_t>(nac::input::user)));
      if (check_counts(); is_full_) return;
      ++parts.inputs;
      parts.add_name(parts.input_names, static_cast<std::uint16_t>(values.back()), name);
    }
    for (std::size_t i = 0; i < values.size(); ++i) write(all[i].first, values[i]);
  }
  /// A tensor of a safetensors file in place of an input.
  [[nodiscard]] std::uint32_t parameter(std::uint32_t tensor, const nac::external_tensor& from) {
    std::vector<std::uint32_t> shape;
    bool fits = from.representable && from.as.type == type_of(tensor) &&
                parts.parameters.size() < nac::max_id;
    std::uint64_t count = 1;
    for (const std::int64_t d : shape_of(tensor)) {
      shape.push_back(static_cast<std::uint32_t>(d));
      count *= static_cast<std::uint64_t>(d);
    }
    fits = fits && from.as.data.size() == count * nac::size_of(type_of(tensor));
    if (!fits) {
      node_ = static_cast<std::uint32_t>(g_.nodes.size());
      refuse(errc::nac_weights_form, "",
             "weight \"" + std::string(from.name) + "\" doesn't fit t" +
                 std::to_string(g_.tensors[tensor].id) + "; expected " +
                 std::string(info(g_.tensors[tensor].type).name) + " of " + std::to_string(count) +
                 " elements");
      node_ = 0;
    }
    nac::tensor_part t;
    t.id = static_cast<std::uint16_t>(parts.parameters.size() + 1);
    t.type = type_of(tensor);
    t.shape = parts.add_numbers({shape.data(), shape.size()});
    t.data = nac::parts::borrow(from.as.data);
    parts.tensors.push_back(t);
    parts.add_name(parts.parameters, t.id, from.name);
    return add(nac::op_input, static_cast<std::uint8_t>(nac::input::parameter), {t.id});
  }
  void outputs(const inspect::flow& ends) {
    if (is_full_) return;
    node_ = static_cast<std::uint32_t>(g_.nodes.size());
    if (ends.outputs().size() > nac::max_id)
      return refuse(errc::ark_to_nac_limit, "",
                    "more than " + std::to_string(nac::max_id) + " outputs");
    std::vector<std::uint32_t> values;
    for (const std::uint32_t t : ends.outputs()) values.push_back(read(t));
    std::vector<std::uint16_t> d;
    for (const std::uint32_t v : values) d.push_back(back_to(v));
    parts.outputs = static_cast<std::uint16_t>(d.size());
    add(nac::op_output, static_cast<std::uint8_t>(nac::output::model),
        std::vector<std::uint16_t>(d.size(), 0), d);
  }

  // ---- operations

  [[nodiscard]] std::uint32_t in(const ark::op& o, std::size_t i) const { return reads(g_, o)[i]; }
  [[nodiscard]] std::uint32_t out(const ark::op& o) const { return writes(g_, o)[0]; }
  [[nodiscard]] float real_of(const ark::op& o, argument_name n) const {
    const ark::argument* const a = argument_of(g_, o, n);
    return a != nullptr ? a->real : 0;
  }
  [[nodiscard]] bool is_set(const ark::op& o, argument_name n) const {
    const ark::argument* const a = argument_of(g_, o, n);
    return a != nullptr && a->integer != 0;
  }

  void operation(const ark::op& o) {
    switch (o.type) {
      case op_type::tensor:
      case op_type::placeholder:
      case op_type::reshape:
      case op_type::noop: return;
      case op_type::add: return binary(o, "nac.add");
      case op_type::sub: return binary(o, "nac.sub");
      case op_type::mul: return binary(o, "nac.mul");
      case op_type::div: return divide(o);
      case op_type::rope: return rope(o);
      case op_type::scalar_add: return with_scalar(o, "nac.add");
      case op_type::scalar_mul: return with_scalar(o, "nac.mul");
      case op_type::scalar_assign: return fill(o);
      case op_type::copy:
      case op_type::store: return write(out(o), stretched_input(o));
      case op_type::cast: return write(out(o), converted(o));
      case op_type::exp: return unary(o, "aten.exp.default");
      case op_type::sqrt: return unary(o, "aten.sqrt.default");
      case op_type::rsqrt: return unary(o, "aten.rsqrt.default");
      case op_type::sigmoid: return unary(o, "aten.sigmoid.default");
      case op_type::relu: return write(out(o), of_one("aten.relu.default", stretched_input(o)));
      case op_type::gelu: return unary(o, "aten.gelu.default");
      case op_type::softmax:
        return write(out(o), call("aten.softmax.int", {result_of(stretched_input(o)), whole(-1)}));
      case op_type::layer_norm: return layer_norm(o);
      case op_type::reduce_sum:
      case op_type::reduce_max:
      case op_type::reduce_mean: return reduce(o);
      case op_type::transpose: return transpose(o);
      case op_type::matmul:
      case op_type::mma:
      case op_type::matmul_gelu:
      case op_type::matmul_scale:
      case op_type::matmul_add: return matmul(o);
      case op_type::embedding: return embedding(o);
      case op_type::send:
      case op_type::send_done:
      case op_type::recv:
      case op_type::send_packet:
      case op_type::recv_packet:
      case op_type::recv_reduce_send_packet:
      case op_type::recv_reduce_send:
      case op_type::device_sync:
      case op_type::kv_cache_slot:
      case op_type::unknown: return;  // check() refused them
    }
  }

  [[nodiscard]] std::uint32_t stretched_input(const ark::op& o) {
    const std::uint32_t x = read(in(o, 0));
    return stretched(x, shape_of(in(o, 0)), shape_of(out(o)));
  }
  void binary(const ark::op& o, const char* name) {
    const std::uint32_t a = read(in(o, 0)), b = read(in(o, 1));
    write(out(o), of_two(name, a, b));
  }
  void divide(const ark::op& o) {
    if (is_real(out(o))) return binary(o, "nac.div");
    const std::uint32_t a = read(in(o, 0)), b = read(in(o, 1));
    write(out(o),
          call("aten.div.Tensor_mode", {result_of(a), result_of(b), {'s', none, string("trunc")}}));
  }
  void with_scalar(const ark::op& o, const char* name) {
    const std::uint32_t x = stretched_input(o);
    write(out(o),
          call(name, {result_of(x), scalar(real_of(o, argument_name::factor), type_of(out(o)))}));
  }
  void fill(const ark::op& o) {
    const nac::data_type t = type_of(out(o));
    write(out(o), call("nac.full", {list_of(shape_of(out(o))),
                                    scalar(real_of(o, argument_name::value), t), type_name_of(t)}));
  }
  [[nodiscard]] std::uint32_t gelu(std::uint32_t x) {
    return call("aten.gelu.default", {result_of(x), {'s', none, string("tanh")}});
  }
  /// Of floats; integers are computed as float32, and cut off.
  void unary(const ark::op& o, const char* name) {
    const nac::data_type t = type_of(out(o));
    const nac::data_type in_type = is_real(out(o)) ? t : nac::data_type::float32;
    const std::uint32_t x = cast(stretched_input(o), t, in_type);
    write(out(o), cast(o.type == op_type::gelu ? gelu(x) : of_one(name, x), in_type, t));
  }
  /// FP16 and BF16 are rounded to integers, FP32 is cut off.
  [[nodiscard]] std::uint32_t converted(const ark::op& o) {
    const nac::data_type from = type_of(in(o, 0)), to = type_of(out(o));
    std::uint32_t x = stretched_input(o);
    if (is_real(in(o, 0)) && from != nac::data_type::float32 && !is_real(out(o)))
      x = of_one("aten.round.default", x);
    return cast(x, from, to);
  }
  void layer_norm(const ark::op& o) {
    const std::uint32_t x = stretched_input(o), gamma = read(in(o, 1)), beta = read(in(o, 2));
    const std::int64_t width = shape_of(out(o)).back();
    write(out(o),
          call("aten.layer_norm.default", {result_of(x),
                                           list_of({width}),
                                           result_of(shaped(gamma, shape_of(in(o, 1)), {width})),
                                           result_of(shaped(beta, shape_of(in(o, 2)), {width})),
                                           {'f', none, real(1e-5)}}));
  }
  /// Pairs of elements as complex numbers, multiplied.
  void rope(const ark::op& o) {
    const nac::data_type t = type_of(out(o));
    const nac::data_type wide = is_real(out(o)) ? nac::data_type::float32 : t;
    std::uint32_t parts_of[2][2];
    for (std::uint32_t k = 0; k < 2; ++k) {
      sizes pairs = shape_of(in(o, k));
      pairs.back() /= 2;
      pairs.push_back(2);
      const std::uint32_t x = shaped(cast(read(in(o, k)), t, wide), shape_of(in(o, k)), pairs);
      for (std::uint32_t i = 0; i < 2; ++i)
        parts_of[k][i] = call("aten.select.int", {result_of(x), whole(-1), whole(i)});
    }
    const auto [x, f] = parts_of;
    const std::uint32_t real_part = of_two("nac.sub", of_two("nac.mul", x[0], f[0]),
                                           of_two("nac.mul", x[1], f[1])),
                        imaginary = of_two("nac.add", of_two("nac.mul", x[0], f[1]),
                                           of_two("nac.mul", x[1], f[0]));
    const std::uint32_t y =
        call("aten.stack.default", {result_of(real_part), result_of(imaginary), whole(-1)});
    write(out(o), cast(call("nac.view", {result_of(y), list_of(shape_of(out(o)))}), wide, t));
  }
  void reduce(const ark::op& o) {
    const nac::data_type t = type_of(out(o));
    const ark::argument* const a = argument_of(g_, o, argument_name::axis);
    const sizes from = shape_of(in(o, 0));
    const std::int64_t axis =
        a->integer < 0 ? a->integer + static_cast<std::int64_t>(from.size()) : a->integer;
    const operand axes = list_of({axis}), keep = truth(is_set(o, argument_name::keep_dim));
    const std::uint32_t x = read(in(o, 0));
    std::uint32_t y = 0;
    if (o.type == op_type::reduce_max) {
      y = call("aten.amax.default", {result_of(x), axes, keep});
    } else if (is_real(out(o))) {
      const bool is_mean = o.type == op_type::reduce_mean;
      y = call(is_mean ? "aten.mean.dim" : "aten.sum.dim_IntList", {result_of(x), axes, keep});
    } else {
      y = call("aten.sum.dim_IntList", {result_of(x), axes, keep});  // int64
      if (o.type == op_type::reduce_mean)
        y = call("aten.div.Tensor_mode", {result_of(y),
                                          whole(from[static_cast<std::size_t>(axis)]),
                                          {'s', none, string("trunc")}});
      y = cast(y, nac::data_type::int64, t);
    }
    const bool becomes_scalar = from.size() == 1 && !is_set(o, argument_name::keep_dim);
    write(out(o), becomes_scalar ? call("nac.view", {result_of(y), list_of({1})}) : y);
  }
  void transpose(const ark::op& o) {
    const ark::argument* const p = argument_of(g_, o, argument_name::permutation);
    const view<std::int64_t> axes = integers(g_, p->integers);
    const std::uint32_t x = read(in(o, 0));
    write(out(o),
          call("aten.permute.default", {result_of(x), list_of({axes.begin(), axes.end()})}));
  }
  /// A factor of a product: a row or a column where it has one dimension.
  [[nodiscard]] std::uint32_t factor(std::uint32_t tensor, bool is_second, bool is_transposed,
                                     nac::data_type as) {
    sizes dims = shape_of(tensor);
    std::uint32_t x = cast(read(tensor), type_of(tensor), as);
    if (dims.size() == 1) {
      const sizes matrix = is_second ? sizes{dims[0], 1} : sizes{1, dims[0]};
      x = shaped(x, dims, matrix);
    }
    if (!is_transposed) return x;
    return call("nac.transpose", {result_of(x), whole(-2), whole(-1)});
  }
  void matmul(const ark::op& o) {
    const nac::data_type t = type_of(out(o));
    // What is done to a product before it is rounded is done in float32.
    const bool is_fused = o.type != op_type::matmul && o.type != op_type::mma;
    const nac::data_type wide = is_fused && is_real(out(o)) ? nac::data_type::float32 : t;
    const bool first = is_set(o, argument_name::transpose_input),
               second = is_set(o, argument_name::transpose_other);
    const std::uint32_t a = factor(in(o, 0), false, first, wide);
    const std::uint32_t b = factor(in(o, 1), true, second, wide);
    std::uint32_t y = of_two("nac.matmul", a, b);
    ark::matmul_shape m;
    (void)multiply(ark::shape_of(layout_of(g_, in(o, 0))), ark::shape_of(layout_of(g_, in(o, 1))),
                   first, second, m);
    y = shaped(y, sizes_of(m.out), shape_of(out(o)));
    if (o.type == op_type::matmul_gelu) y = gelu(y);
    if (o.type == op_type::matmul_scale)
      y = call("nac.mul", {result_of(y), {'f', none, real(real_of(o, argument_name::scale))}});
    if (o.type == op_type::matmul_add)
      y = of_two("nac.add", y, cast(read(in(o, 2)), type_of(in(o, 2)), wide));
    write(out(o), cast(y, wide, t));
  }
  void embedding(const ark::op& o) {
    const std::uint32_t rows = read(in(o, 0)), table = read(in(o, 1));
    sizes dims = shape_of(in(o, 0));
    dims.push_back(shape_of(in(o, 1)).back());
    const std::uint32_t y = of_two("aten.embedding.default", table, rows);
    write(out(o), shaped(y, dims, shape_of(out(o))));
  }

  const ark::program& p_;
  const ark::model& g_;
  const to_nac_options& options_;
  refusals refused_;
  std::vector<buffer_value> memory_;  // by storage
  std::uint32_t node_ = 0, op_ = 0;   // op_ counts within the node
  bool is_full_ = false;
};

}  // namespace

result<nac::parts> to_nac(const ark::program& p, const to_nac_options& options, report* found) {
  return ark_importer(p, options, found).run();
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
