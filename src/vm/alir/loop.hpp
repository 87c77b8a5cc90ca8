// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The loop of the reference VM of ALIR, and what comes before and after it: one block of samples
// through one compiled program. machine.cpp includes it once for each instruction set, in a namespace of its own.
//
//   namespace avx2 {
//   #define TESSERA_TARGET [[gnu::target("avx2")]]
//   #define TESSERA_VECTOR_BYTES 32
//   #include "loop.hpp"
//   }
//
// A function for another instruction set keeps its vectors in pieces even where it is inlined, so
// every function here that touches vectors has the attribute: hence no lambdas, and no sharing.
//
// Lifetime:   a block borrows everything.
// Errors:     the first trap, by sample and then by operation.
// Limits:     none.
// Allocation: none; some KiB of stack.

/// Count lanes in the widest registers that they fill, or one lane as a number.
template <class Lane, std::size_t Count>
struct vector_of {
  static constexpr std::size_t all = Count * sizeof(Lane);
  typedef Lane type[[
    gnu::vector_size(all < TESSERA_VECTOR_BYTES ? all : TESSERA_VECTOR_BYTES), gnu::may_alias
  ]];
};
template <class Lane>
struct vector_of<Lane, 1> {
  typedef Lane type [[gnu::may_alias]];
};

/// v >> by, with the sign. There is no such instruction for 64 bits before AVX-512.
template <class Lane, class Vector>
TESSERA_TARGET [[gnu::always_inline]] inline Vector shift_right(Vector v, unsigned by) {
  const Lane sign = static_cast<Lane>(static_cast<Lane>(1) << (sizeof(Lane) * 8 - 1));
  if constexpr (sizeof(Vector) == sizeof(Lane)) {
    return static_cast<Vector>(static_cast<std::make_signed_t<Lane>>(v) >> by);
  } else if constexpr (sizeof(Lane) == 8 && TESSERA_VECTOR_BYTES < 64) {
    const Lane moved = sign >> by;
    return ((v >> by) ^ moved) - moved;
  } else {
    typedef std::make_signed_t<Lane> with_sign [[gnu::vector_size(sizeof(Vector))]];
    return __builtin_convertvector(__builtin_convertvector(v, with_sign) >> static_cast<int>(by),
                                   Vector);
  }
}

/// The terms of a sum, added up in registers.
template <std::size_t Stride, std::size_t Count, class Vector>
TESSERA_TARGET [[gnu::always_inline]] inline void add_terms(Vector (&total)[Count],
                                                            const Vector* rows, const term* t,
                                                            std::uint32_t added,
                                                            std::uint32_t subtracted) {
  for (const term* const end = t + added; t != end; ++t) {
    const Vector* const x = rows + std::size_t{t->row} * Stride;
    const unsigned left = t->left;
    for (std::size_t k = 0; k < Count; ++k) total[k] += x[k] << left;
  }
  for (const term* const end = t + subtracted; t != end; ++t) {
    const Vector* const x = rows + std::size_t{t->row} * Stride;
    const unsigned left = t->left;
    for (std::size_t k = 0; k < Count; ++k) total[k] -= x[k] << left;
  }
}

/// A sum, quantize or relu. Returns the terms after its own.
template <instruction::kind What, class Lane, std::size_t Stride, class Vector>
TESSERA_TARGET [[gnu::always_inline]] inline const term* add_up(const instruction& i, Vector* to,
                                                                const Vector* rows,
                                                                const term* terms) {
  using kind = instruction::kind;
  constexpr std::size_t step = Stride < 8 ? Stride : 8;  // as many as there are registers for
  [[maybe_unused]] const unsigned right = i.right, left = i.left;
  [[maybe_unused]] const auto mask = static_cast<Lane>(i.mask());
  [[maybe_unused]] const auto sign = static_cast<Lane>(i.sign());
  const auto constant = static_cast<Lane>(i.constant);
  const std::uint32_t added = i.a, subtracted = i.b;
  for (std::size_t first = 0; first < Stride; first += step) {
    Vector total[step];
    for (Vector& x : total) x = Vector{} + constant;
    add_terms<Stride>(total, rows + first, terms, added, subtracted);
    for (std::size_t k = 0; k < step; ++k) {
      if constexpr (What == kind::sum) {
        to[first + k] = total[k];
      } else if constexpr (What == kind::quantize) {
        to[first + k] = ((shift_right<Lane>(total[k], right) & mask) ^ sign) - sign;
      } else {
        const Vector v = total[k] & ~shift_right<Lane>(total[k], sizeof(Lane) * 8 - 1);
        to[first + k] = (((shift_right<Lane>(v, right) << left) & mask) ^ sign) - sign;
      }
    }
  }
  return terms + added + subtracted;
}

template <class Lane, std::size_t Stride, class Vector>
TESSERA_TARGET [[gnu::always_inline]] inline void choose(const instruction& i, Vector* to,
                                                         const Vector* rows) {
  const Vector* const c = rows + i.c * Stride;
  const Vector* const x = rows + i.a * Stride;
  const Vector* const y = rows + i.b * Stride;
  const unsigned bit = i.bit, right = i.right, left = i.left;
  const auto mask = static_cast<Lane>(i.mask()), sign = static_cast<Lane>(i.sign());
  // All ones where a is taken.
  const auto taken = static_cast<Lane>(i.bit_value ? 0 : -1);
  const Lane one = 1;
  for (std::size_t k = 0; k < Stride; ++k) {
    const Vector m = (Vector{} - ((c[k] >> bit) & one)) ^ taken;
    const Vector other = shift_right<Lane>(y[k], right) << left;
    to[k] = (((other ^ ((x[k] ^ other) & m)) & mask) ^ sign) - sign;
  }
}

template <class Lane, bool Safe>
TESSERA_TARGET [[gnu::always_inline]] inline void look_up(const compiled_program& p, block& b,
                                                          const instruction& i, void* to,
                                                          const void* from) {
  using lane = typename vector_of<Lane, 1>::type;
  const table t = p.tables[i.b];
  const std::int32_t* const entries = p.table_data.data() + t.first;
  const auto constant = static_cast<Lane>(i.constant);
  const lane* const x = static_cast<const lane*>(from);
  lane* const y = static_cast<lane*>(to);
  for (std::size_t s = 0; s < b.samples; ++s) {
    if constexpr (Safe) {
      y[s] = static_cast<Lane>(entries[static_cast<Lane>(x[s] - constant)]);
    } else {
      // With its sign, so that what is below the table is beyond all of it.
      const auto index = static_cast<std::uint64_t>(
          std::int64_t{static_cast<std::make_signed_t<Lane>>(static_cast<Lane>(x[s] - constant))});
      const bool inside = index < t.count;
      if (!inside) b.trapped(s, i.c);
      y[s] = static_cast<Lane>(entries[inside ? index : 0]);
    }
  }
}

template <class Lane, std::size_t Lanes, bool Observed>
TESSERA_TARGET void execute(const compiled_program& p, block& b) {
  using vector = typename vector_of<Lane, Lanes>::type;
  constexpr std::size_t stride = Lanes * sizeof(Lane) / sizeof(vector);  // vectors of a row
  vector* const rows = static_cast<vector*>(b.rows);
  const term* terms = p.terms.data();
  for (const instruction* at = p.code.data();; ++at) {
    const instruction& i = *at;
    if constexpr (Observed)
      if (i.what != instruction::kind::end) b.begin(static_cast<std::size_t>(at - p.code.data()));
    vector* const to = rows + i.to * stride;
    const unsigned left = i.left;
    const auto mask = static_cast<Lane>(i.mask());
    using kind = instruction::kind;
    switch (i.what) {
      case kind::sum: terms = add_up<kind::sum, Lane, stride>(i, to, rows, terms); break;
      case kind::quantize: terms = add_up<kind::quantize, Lane, stride>(i, to, rows, terms); break;
      case kind::relu: terms = add_up<kind::relu, Lane, stride>(i, to, rows, terms); break;
      case kind::mux: choose<Lane, stride>(i, to, rows); break;
      case kind::multiply: {
        const vector* const x = rows + i.a * stride;
        const vector* const y = rows + i.b * stride;
        for (std::size_t k = 0; k < stride; ++k) to[k] = x[k] * y[k];
        break;
      }
      case kind::lookup: look_up<Lane, false>(p, b, i, to, rows + i.a * stride); break;
      case kind::safe_lookup: look_up<Lane, true>(p, b, i, to, rows + i.a * stride); break;
      case kind::invert: {
        const vector* const x = rows + i.a * stride;
        for (std::size_t k = 0; k < stride; ++k) to[k] = ~x[k] & mask;
        break;
      }
      case kind::any: {
        const vector* const x = rows + i.a * stride;
        for (std::size_t k = 0; k < stride; ++k)  // v or -v has the sign, unless v is 0
          to[k] = (x[k] | (vector{} - x[k])) >> static_cast<unsigned>(sizeof(Lane) * 8 - 1);
        break;
      }
      case kind::all: {
        const vector* const x = rows + i.a * stride;
        const Lane one = 1;
        for (std::size_t k = 0; k < stride; ++k) {
          const vector missing = (x[k] & mask) ^ mask;
          to[k] =
              ((missing | (vector{} - missing)) >> static_cast<unsigned>(sizeof(Lane) * 8 - 1)) ^
              one;
        }
        break;
      }
      case kind::conjunction: {
        const vector* const x = rows + i.a * stride;
        const vector* const y = rows + i.b * stride;
        for (std::size_t k = 0; k < stride; ++k) to[k] = x[k] & (y[k] << left);
        break;
      }
      case kind::disjunction: {
        const vector* const x = rows + i.a * stride;
        const vector* const y = rows + i.b * stride;
        for (std::size_t k = 0; k < stride; ++k) to[k] = x[k] | (y[k] << left);
        break;
      }
      case kind::exclusive: {
        const vector* const x = rows + i.a * stride;
        const vector* const y = rows + i.b * stride;
        for (std::size_t k = 0; k < stride; ++k) to[k] = x[k] ^ (y[k] << left);
        break;
      }
      case kind::input: break;
      case kind::end: return;
    }
    if constexpr (Observed) b.end(static_cast<std::size_t>(at - p.code.data()), to);
  }
}

// Samples are rows of a matrix and are needed by columns, so both ends go through tiles: as
// many values of as many samples, turned around while they are in the first cache.
inline constexpr std::size_t tile_width = 8, tile_height = 16;

/// As many doubles as a register has, of as many rows.
inline constexpr std::size_t side = TESSERA_VECTOR_BYTES / sizeof(double);
typedef double side_doubles
    [[gnu::vector_size(TESSERA_VECTOR_BYTES), gnu::aligned(8), gnu::may_alias]];

/// One of two rows after their blocks of Distance lanes changed places across the diagonal.
template <bool Second, std::size_t Distance, std::size_t... Lane>
TESSERA_TARGET [[gnu::always_inline]] inline side_doubles exchanged(side_doubles a, side_doubles b,
                                                                    std::index_sequence<Lane...>) {
  return __builtin_shufflevector(
      a, b,
      ((Lane & Distance) == 0 ? Lane + (Second ? Distance : 0)
                              : side + Lane - (Second ? 0 : Distance))...);
}
template <std::size_t Distance = side / 2>
TESSERA_TARGET [[gnu::always_inline]] inline void transpose(side_doubles (&rows)[side]) {
  for (std::size_t i = 0; i < side; ++i) {
    if ((i & Distance) != 0) continue;
    const side_doubles a = rows[i], b = rows[i + Distance];
    rows[i] = exchanged<false, Distance>(a, b, std::make_index_sequence<side>());
    rows[i + Distance] = exchanged<true, Distance>(a, b, std::make_index_sequence<side>());
  }
  if constexpr (Distance > 1) transpose<Distance / 2>(rows);
}
/// `height` rows of `width` doubles, both multiples of `side`, turned around.
TESSERA_TARGET inline void transpose(const double* from, std::size_t from_stride, double* to,
                                     std::size_t to_stride, std::size_t width, std::size_t height) {
  for (std::size_t y = 0; y < height; y += side)
    for (std::size_t x = 0; x < width; x += side) {
      side_doubles rows[side];
      for (std::size_t k = 0; k < side; ++k)
        rows[k] = *reinterpret_cast<const side_doubles*>(from + (y + k) * from_stride + x);
      transpose(rows);
      for (std::size_t k = 0; k < side; ++k)
        *reinterpret_cast<side_doubles*>(to + (x + k) * to_stride + y) = rows[k];
    }
}
/// Whether inputs are as they are in a sample, side by side.
[[nodiscard]] inline bool are_adjacent(const input* list, std::size_t count) {
  std::uint32_t others = 0;
  for (std::size_t j = 0; j < count; ++j)
    others |= list[j].index - list[0].index - static_cast<std::uint32_t>(j);
  return others == 0;
}

typedef std::uint64_t side_numbers [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];

/// All lanes or'ed.
template <std::size_t Distance = side / 2>
TESSERA_TARGET [[gnu::always_inline]] inline std::uint64_t any_lane(side_numbers v) {
  const auto other = reinterpret_cast<side_numbers>(exchanged<true, Distance>(
      reinterpret_cast<side_doubles>(v), reinterpret_cast<side_doubles>(v),
      std::make_index_sequence<side>()));
  v |= other;
  if constexpr (Distance > 1) return any_lane<Distance / 2>(v);
  return v[0];
}

/// The values of one input in as many samples as a tile is high.
template <class Lane, std::size_t Height>
TESSERA_TARGET [[gnu::always_inline]] inline void read_column(const input& x,
                                                              const double (&column)[Height],
                                                              void* row) {
  using lane = typename vector_of<Lane, 1>::type;
  constexpr std::size_t group = TESSERA_VECTOR_BYTES / sizeof(double);
  typedef double doubles [[gnu::vector_size(TESSERA_VECTOR_BYTES), gnu::may_alias]];
  typedef std::uint64_t numbers [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
  typedef Lane some_lanes [[gnu::vector_size(group * sizeof(Lane)), gnu::may_alias]];
  lane* const to = static_cast<lane*>(row);
  const double factor = x.to_grid.factor;
  // |v| < 2^51: after adding 2^52 + 2^51 the low bits of v's significand are those of v
  // rounded to an integer. A NaN has an exponent too large for that.
  constexpr double magic = 0x1.8p52;
  constexpr auto magic_bits = std::bit_cast<std::uint64_t>(magic);
  constexpr auto end_bits = std::bit_cast<std::uint64_t>(0x1p51);
  numbers large = {};
  for (std::size_t k = 0; k < Height / group; ++k) {
    const doubles v = reinterpret_cast<const doubles*>(column)[k] * factor;
    const numbers size = reinterpret_cast<numbers>(v) & (UINT64_MAX >> 1);
    large |= end_bits - 1 - size;
    const doubles whole = v + magic;
    const auto above = whole - magic > v;  // all ones, which is -1
    const numbers low =
        reinterpret_cast<numbers>(whole) - magic_bits + reinterpret_cast<numbers>(above);
    const numbers wrapped = ((low & x.mask) ^ x.sign) - x.sign;
    reinterpret_cast<some_lanes*>(to)[k] = __builtin_convertvector(wrapped, some_lanes);
  }
  if (factor != 0 && any_lane(large) >> 63 == 0) return;
  for (std::size_t s = 0; s < Height; ++s) to[s] = static_cast<Lane>(x.converted(column[s]));
}

/// Input operations: floor(v * 2^n), wrapped.
template <class Lane, std::size_t Lanes>
TESSERA_TARGET void read_inputs(const compiled_program& p, const block& b) {
  using lane = typename vector_of<Lane, 1>::type;
  lane* const rows = static_cast<lane*>(b.rows);
  if constexpr (Lanes == 1) {
    for (const input& x : p.inputs) rows[x.row] = static_cast<Lane>(x.converted(b.in[x.index]));
    return;
  } else {
    constexpr std::size_t height = Lanes < tile_height ? Lanes : tile_height;
    alignas(64) double tile[tile_width][height] = {};
    for (std::size_t from = 0; from < b.samples; from += height) {
      const std::size_t n = b.samples - from < height ? b.samples - from : height;
      for (std::size_t first = 0; first < p.inputs.size(); first += tile_width) {
        const input* const list = p.inputs.data() + first;
        const std::size_t width =
            p.inputs.size() - first < tile_width ? p.inputs.size() - first : tile_width;
        if (n == height && width == tile_width && are_adjacent(list, width))
          transpose(b.in + from * p.n_inputs + list[0].index, p.n_inputs, tile[0], height, width,
                    height);
        else
          for (std::size_t s = 0; s < n; ++s) {
            const double* const sample = b.in + (from + s) * p.n_inputs;
            for (std::size_t j = 0; j < width; ++j) tile[j][s] = sample[list[j].index];
          }
        for (std::size_t j = 0; j < width; ++j)
          read_column<Lane>(list[j], tile[j], rows + std::size_t{list[j].row} * Lanes + from);
      }
    }
  }
}

/// The values of one output, of which a row has the numbers.
template <class Lane, std::size_t Height>
TESSERA_TARGET [[gnu::always_inline]] inline void write_column(const output& x, const void* row,
                                                               double (&column)[Height]) {
  using lane = const typename vector_of<Lane, 1>::type;
  lane* const v = static_cast<lane*>(row);
  // Nothing is negated after the conversion, as no output is -0.0.
  const auto flip = static_cast<Lane>(x.negative ? -1 : 0);
  const double factor = x.to_double.factor;
  for (std::size_t s = 0; s < Height; ++s)
    column[s] = static_cast<double>(
        static_cast<std::make_signed_t<Lane>>(static_cast<Lane>((v[s] ^ flip) - flip)));
  if (factor != 0)
    for (double& value : column) value *= factor;
  else
    for (double& value : column) value = x.to_double(value);
}

template <class Lane, std::size_t Lanes>
TESSERA_TARGET void write_outputs(const compiled_program& p, const block& b, std::size_t samples) {
  using lane = const typename vector_of<Lane, 1>::type;
  lane* const rows = static_cast<lane*>(b.rows);
  constexpr std::size_t height = Lanes < tile_height ? Lanes : tile_height;
  alignas(64) double tile[tile_width][height];
  const std::size_t n_outputs = p.outputs.size();
  for (std::size_t from = 0; from < samples; from += height) {
    const std::size_t n = samples - from < height ? samples - from : height;
    for (std::size_t first = 0; first < n_outputs; first += tile_width) {
      const output* const list = p.outputs.data() + first;
      const std::size_t width = n_outputs - first < tile_width ? n_outputs - first : tile_width;
      for (std::size_t j = 0; j < width; ++j) {
        const output& x = list[j];
        if (x.zero)
          for (double& value : tile[j]) value = 0.0;
        else
          write_column<Lane>(x, rows + std::size_t{x.row} * Lanes + from, tile[j]);
      }
      double* const to = b.out + from * n_outputs + first;
      if (n == height && height % side == 0 && width == tile_width)
        transpose(tile[0], height, to, n_outputs, height, width);
      else
        for (std::size_t s = 0; s < n; ++s)
          for (std::size_t j = 0; j < width; ++j) to[s * n_outputs + j] = tile[j][s];
    }
  }
}

/// One block of at most Lanes samples.
template <class Lane, std::size_t Lanes, bool Observed = false>
TESSERA_TARGET void run_block(const compiled_program& p, block& b) {
  read_inputs<Lane, Lanes>(p, b);
  execute<Lane, Lanes, Observed>(p, b);
  write_outputs<Lane, Lanes>(p, b, b.whole());
}

inline constexpr engine functions = {
    {run_block<std::uint16_t, 16>, run_block<std::uint32_t, 16>, run_block<std::uint64_t, 16>},
    {run_block<std::uint16_t, 128>, run_block<std::uint32_t, 64>, run_block<std::uint64_t, 32>},
    {run_block<std::uint16_t, 256>, run_block<std::uint32_t, 128>, run_block<std::uint64_t, 64>},
    run_block<std::uint64_t, 1>};
