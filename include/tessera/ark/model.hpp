// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// An ARK model in memory: flat pools, in which each tensor and buffer is described once.
//
//   for (const ark::node& n : g.nodes)
//     for (const ark::op& o : operations(g, n))
//       for (const std::uint32_t t : reads(g, o))
//         use(name(g, o), g.tensors[t].id, layout_of(g, t).shape);
//
//   model    Rank WorldSize Nodes
//   node     Id ProducerNodeIds ConsumerNodeIds Op or Ops
//   op       Type Name IsVirtual ReadTensors WriteTensors ResultTensors Args
//   tensor   Id DataType Shape Strides Offsets PaddedShape Buffer
//   buffer   Id Rank SendTags RecvTags [IsExternal ExternalDataSize DeviceId]
//
// Files repeat a tensor in full at each of its uses; here uses are indices into `tensors`. A tensor
// Id that a file describes in two ways has two entries (which violates rule T08),
// and so have buffers. Layouts are shared among tensors.
//
// Members that the format doesn't know are kept, as JSON text, with the object that held them.
//
// Lifetime:   a model owns everything; views of its pools last until the pool grows.
// Errors:     none. Indices in a model that was read are in range; in one that was built in code,
//             verify() checks them.
// Limits:     32-bit indices.
// Allocation: pools, which double.

#ifndef TESSERA_ARK_MODEL_HPP
#define TESSERA_ARK_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

inline constexpr std::uint32_t none = 0xffffffff;  ///< no index
inline constexpr std::size_t max_rank = 4;         ///< maximum dimensions of a tensor

/// A range of model::characters.
struct string {
  /// Its first character and how many there are.
  std::uint32_t first = 0, size = 0;
};
/// A range of one of the pools.
struct range {
  /// The first element and how many there are.
  std::uint32_t first = 0, count = 0;
};

/// Where the elements of a tensor lie in its buffer (specification, "Tensor"). `strides` are the
/// dimensions of the memory, not distances: element (i, j) of two dimensions is number
/// (offsets[0] + i) * strides[1] + offsets[1] + j, counted from the start of the buffer. Dimensions
/// from `rank` on are 1, and offsets 0.
struct layout {
  std::int64_t shape[max_rank] = {1, 1, 1, 1};         ///< of the tensor
  std::int64_t strides[max_rank] = {1, 1, 1, 1};       ///< of the memory; see above
  std::int64_t offsets[max_rank] = {0, 0, 0, 0};       ///< in elements, of each dimension
  std::int64_t padded_shape[max_rank] = {1, 1, 1, 1};  ///< with the padding
  std::uint32_t rank = 0;                              ///< how many dimensions count
  std::uint32_t pads = none;  ///< D1a: its Pads, `rank` numbers in model::integers; else none
};
/// Whether all four lists and the rank are the same.
[[nodiscard]] constexpr bool same_dimensions(const layout& a, const layout& b) noexcept {
  bool same = a.rank == b.rank;
  for (std::size_t d = 0; d < max_rank; ++d)
    same = same && a.shape[d] == b.shape[d] && a.strides[d] == b.strides[d] &&
           a.offsets[d] == b.offsets[d] && a.padded_shape[d] == b.padded_shape[d];
  return same;
}

/// A patch of a buffer, under an Id of its own (specification, "Tensor").
struct tensor {
  std::int64_t id = 0;               ///< in the file; unique among tensors
  std::uint32_t layout = 0;          ///< in model::layouts
  std::uint32_t buffer = 0;          ///< in model::buffers
  std::uint32_t members = none;      ///< unknown members
  data_type type = data_type::fp32;  ///< of its elements
};

/// A tag, which matches a send with its receive: [RemoteRank, Tag] (specification, "Buffer").
struct tag {
  /// The other rank, and the number that the send and its receive share.
  std::int32_t rank = 0, number = 0;
  friend constexpr bool operator==(const tag&, const tag&) = default;
};

/// IsExternal: not in the file, false or true.
enum class external : std::uint8_t { absent, no, yes };  ///< IsExternal

/// Memory that tensors lie in (specification, "Buffer").
struct buffer {
  std::int64_t id = 0;           ///< in the file; tensors refer to it
  std::int32_t rank = -1;        ///< which rank holds it; -1: this file's
  range send_tags, recv_tags;    ///< in model::tags
  std::uint32_t members = none;  ///< unknown members, ExternalDataSize and DeviceId among them
  ark::external external = external::absent;  ///< whether a caller provides the memory
};

/// {"name": {"TYPE": value}}. The value is in the field that the TYPE calls for.
struct argument {
  argument_name name = argument_name::other;  ///< of the table; `other`: see other_name
  argument_type type = argument_type::other;  ///< decides which of the values below counts
  string other_name;                          ///< when `name` is other
  string token;    ///< float32: the number as the file has it, if any; other: JSON
  float real = 0;  ///< float32
  range integers;  ///< dims: up to four; offset: BufferId and Value; in model::integers
  std::int64_t integer =
      0;  ///< int32, int64, uint32, uint64 (its bits), boolean; tensor: its index
};

/// How Args were written: as an object, or in one of the two tolerated forms of an empty one.
enum class args_form : std::uint8_t { object, null, array };

/// One operation (specification, "Op").
struct op {
  op_type type = op_type::unknown;     ///< of the table; `unknown`: see unknown_type
  bool is_virtual = false;             ///< IsVirtual: computes nothing
  args_form args = args_form::object;  ///< as the file has them
  string unknown_type;                 ///< the Type when it isn't in the table
  string name;                         ///< Name; may be empty
  std::uint32_t first_use = 0;         ///< in model::uses: read, then written, then result tensors
  /// How many tensors each list has.
  std::uint32_t reads = 0, writes = 0, results = 0;
  range arguments;               ///< in model::arguments, in the file's order
  std::uint32_t members = none;  ///< unknown members
};

/// One node (specification, "Node").
struct node {
  std::int64_t id = 0;           ///< in the file
  std::uint64_t offset = 0;      ///< of its text in the file
  range producers, consumers;    ///< Ids, in model::integers
  range ops;                     ///< in model::ops
  std::uint32_t members = none;  ///< unknown members
};

/// A member that the format doesn't know: a list for each object, in the file's order.
struct member {
  string key;                 ///< as the file has it, unescaped
  string value;               ///< JSON, compact
  std::uint32_t next = none;  ///< in model::members
};

/// A model graph of one rank, not yet verified. Rows refer to each other by indices.
struct model {
  std::int32_t rank = 0;             ///< which rank of the model this file is
  std::int32_t world_size = 1;       ///< how many ranks it has
  dialect form = dialect::d3;        ///< the dialect of the file
  std::uint32_t own_members = none;  ///< unknown members of the root

  pool<node> nodes;             ///< in the file's order
  pool<op> ops;                 ///< of all nodes
  pool<std::uint32_t> uses;     ///< indices of tensors, as operations list them
  pool<argument> arguments;     ///< of all operations
  pool<tensor> tensors;         ///< each distinct one once
  pool<layout> layouts;         ///< each distinct one once
  pool<buffer> buffers;         ///< each distinct one once
  pool<tag> tags;               ///< of all buffers
  pool<std::int64_t> integers;  ///< edges, dimensions of arguments, pads
  pool<member> members;         ///< unknown ones, of all objects
  text characters;              ///< of all strings

  /// Bytes that its pools hold.
  [[nodiscard]] std::size_t memory() const noexcept;
};

/// The characters of a string. Borrows from the model.
[[nodiscard]] inline std::string_view text_of(const model& g, string s) noexcept {
  return {g.characters.data() + s.first, s.size};
}
/// An error in a row that was read, at its offset in the file, or in one that was built in code, by its
/// index: as no row takes less than a byte, the offset of what was read is above its index.
template <class Row>
[[nodiscard]] error error_in(const pool<Row>& rows, const Row& row, errc code,
                             error_index kind) noexcept {
  const auto index = static_cast<std::uint64_t>(&row - rows.data());
  return row.offset > index ? error{code, row.offset} : error{code, index, kind};
}

/// The operations of a node. Borrows.
[[nodiscard]] inline view<op> operations(const model& g, const node& n) noexcept {
  return {g.ops.data() + n.ops.first, n.ops.count};
}
/// The numbers of a range of model::integers. Borrows.
[[nodiscard]] inline view<std::int64_t> integers(const model& g, range r) noexcept {
  return {g.integers.data() + r.first, r.count};
}
/// The tensors that an operation reads: indices of model::tensors. Borrows.
[[nodiscard]] inline view<std::uint32_t> reads(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use, o.reads};
}
/// The tensors that an operation writes: indices of model::tensors. Borrows.
[[nodiscard]] inline view<std::uint32_t> writes(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use + o.reads, o.writes};
}
/// The tensors that an operation results in: indices of model::tensors. Borrows.
[[nodiscard]] inline view<std::uint32_t> results(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use + o.reads + o.writes, o.results};
}
/// All three lists, in this order.
[[nodiscard]] inline view<std::uint32_t> uses(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use, std::size_t{o.reads} + o.writes + o.results};
}
/// The arguments of an operation, in the file's order. Borrows.
[[nodiscard]] inline view<argument> arguments(const model& g, const op& o) noexcept {
  return {g.arguments.data() + o.arguments.first, o.arguments.count};
}
/// The tags of a range of model::tags. Borrows.
[[nodiscard]] inline view<tag> tags(const model& g, range r) noexcept {
  return {g.tags.data() + r.first, r.count};
}
/// The layout of the tensor of that index.
[[nodiscard]] inline const layout& layout_of(const model& g, std::uint32_t tensor) noexcept {
  return g.layouts[g.tensors[tensor].layout];
}
/// The buffer of the tensor of that index.
[[nodiscard]] inline const buffer& buffer_of(const model& g, std::uint32_t tensor) noexcept {
  return g.buffers[g.tensors[tensor].buffer];
}
/// The Name of an operation. Borrows.
[[nodiscard]] inline std::string_view name(const model& g, const op& o) noexcept {
  return text_of(g, o.name);
}
/// The Type as files spell it.
[[nodiscard]] inline std::string_view type_name(const model& g, const op& o) noexcept {
  return o.type == op_type::unknown ? text_of(g, o.unknown_type) : info(o.type).name;
}
/// The name of an argument as files spell it. Borrows.
[[nodiscard]] std::string_view name(const model& g, const argument& a) noexcept;
/// The argument of that name, or null.
[[nodiscard]] const argument* find_argument(const model& g, const op& o,
                                            argument_name name) noexcept;
/// Whether this rank holds the buffer.
[[nodiscard]] inline bool is_local(const model& g, const buffer& b) noexcept {
  return b.rank == -1 || b.rank == g.rank;
}

/// Fills a model's tables of strings, layouts, buffers and tensors, each description once. Readers
/// and builders share it. Ids that were given in order cost an array access; any others a walk of
/// at most 64 steps, whatever they are.
class interner {
 public:
  /// Adds to `g`, which must outlive it.
  explicit interner(model& g) noexcept : model_(g) {}
  interner(const interner&) = delete;  // its journal points into it
  interner& operator=(const interner&) = delete;

  /// Copies characters.
  [[nodiscard]] string characters(std::string_view s);
  /// The layout's index.
  [[nodiscard]] std::uint32_t layout(const ark::layout& l);
  /// The buffer's index; its tags are the last of model::tags, from `first_tag` on, and are removed
  /// again if the buffer is known.
  [[nodiscard]] std::uint32_t buffer(const ark::buffer& b, std::size_t first_tag);
  /// The tensor's index.
  [[nodiscard]] std::uint32_t tensor(const ark::tensor& t);
  /// The tensor or buffer that was added last under an Id, or `none`.
  [[nodiscard]] std::uint32_t find_tensor(std::int64_t id) const noexcept {
    return tensor_ids_.find(id);
  }
  /// The buffer that was added last under an Id, or `none`.
  [[nodiscard]] std::uint32_t find_buffer(std::int64_t id) const noexcept {
    return buffer_ids_.find(id);
  }
  /// How many layouts have lost their place to another one of the same hash. While it stays the same,
  /// layout() finds what it found before.
  [[nodiscard]] std::uint32_t replaced_layouts() const noexcept { return replaced_layouts_; }

  /// The sizes of all the model's pools.
  struct mark {
    /// How many elements each pool has.
    std::size_t nodes, ops, uses, arguments, tensors, layouts, buffers, tags, integers, members,
        characters, changes;
  };
  /// From now on, until this is called again, go_back() can undo what is added.
  [[nodiscard]] mark set_mark() noexcept;
  /// One more place to go back to, after set_mark().
  [[nodiscard]] mark inner_mark() const noexcept;
  /// Cuts all pools back to where they were at a mark. Inner marks after it are void.
  void go_back(const mark& to);

  /// Whether a pool exceeded 32-bit indices; the model is then invalid.
  [[nodiscard]] bool overflown() const noexcept { return overflown_; }
  /// A pool's size as an index.
  [[nodiscard]] std::uint32_t index(std::size_t size) noexcept;

 private:
  /// The entry that was added last for an Id. Ids near the first one, as far as there are as many,
  /// index an array; the others are in a digital search tree over their bits, mixed, whose depth
  /// can't exceed 64.
  class id_map {
   public:
    [[nodiscard]] std::uint32_t& latest(std::int64_t id);
    [[nodiscard]] std::uint32_t find(std::int64_t id) const noexcept;

   private:
    [[nodiscard]] static std::uint64_t mixed(std::uint64_t number) noexcept;
    struct leaf {
      std::int64_t id;
      std::uint32_t child[2];
      std::uint32_t entry;
    };
    pool<std::uint32_t> dense_;
    pool<leaf> tree_;
    std::uint64_t lookups_ = 0, base_ = 0;
  };

  /// Before `latest`, the entry of a key, changes.
  void note(id_map& map, std::int64_t key, std::uint32_t latest) {
    if (noting_ && latest != none) journal_.push_back({&map, key, latest});
  }

  [[nodiscard]] static std::uint64_t hash_of(const ark::layout& l) noexcept;
  [[nodiscard]] static std::size_t recent_slot(std::uint64_t hash) noexcept {
    return to_size(hash >> 52);
  }

  [[nodiscard]] bool same(const ark::layout& a, const ark::layout& b) const noexcept;
  [[nodiscard]] bool same(const ark::buffer& a, const ark::buffer& b) const noexcept;
  [[nodiscard]] bool same_members(std::uint32_t a, std::uint32_t b) const noexcept;
  [[nodiscard]] bool same(range a, range b) const noexcept;

  /// An entry of a map that another has replaced.
  struct change {
    id_map* map;
    std::int64_t key;
    std::uint32_t entry;
  };

  static constexpr std::size_t recent_layouts = 4096;
  ark::model& model_;
  id_map tensor_ids_, buffer_ids_, layout_hashes_;
  pool<std::uint32_t> recent_;  // indices + 1, by hash; to find most layouts at once
  pool<change> journal_;        // since the mark
  std::uint32_t replaced_layouts_ = 0;
  bool noting_ = false;  // a mark is set
  bool overflown_ = false;
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/model.hpp"
#endif

#endif  // TESSERA_ARK_MODEL_HPP
