// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What of the pickle language is interpreted, in the archives of PyTorch 2.8 and earlier: the
// opcodes and globals that a dictionary of tensors needs. All others are refused by their names.
//
//   pt2::pickle_opcodes[0].name;                         // "MARK"
//   pt2::pickle_globals[0].name;                         // "OrderedDict"
//
// read.hpp says where in an archive pickles are.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_PT2_PICKLE_HPP
#define TESSERA_PT2_PICKLE_HPP

#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

// X(enumerator, byte, name)
#define TESSERA_PT2_PICKLE_OPCODES(X)                                                              \
  X(mark, '(', "MARK")                                                                             \
  X(empty_tuple, ')', "EMPTY_TUPLE")                                                               \
  X(stop, '.', "STOP")                                                                             \
  X(binint, 'J', "BININT")                                                                         \
  X(binint1, 'K', "BININT1")                                                                       \
  X(binint2, 'M', "BININT2")                                                                       \
  X(binpersid, 'Q', "BINPERSID")                                                                   \
  X(reduce, 'R', "REDUCE")                                                                         \
  X(binunicode, 'X', "BINUNICODE")                                                                 \
  X(build, 'b', "BUILD")                                                                           \
  X(global, 'c', "GLOBAL")                                                                         \
  X(binget, 'h', "BINGET")                                                                         \
  X(long_binget, 'j', "LONG_BINGET")                                                               \
  X(binput, 'q', "BINPUT")                                                                         \
  X(long_binput, 'r', "LONG_BINPUT")                                                               \
  X(setitem, 's', "SETITEM")                                                                       \
  X(tuple, 't', "TUPLE")                                                                           \
  X(setitems, 'u', "SETITEMS")                                                                     \
  X(empty_dict, '}', "EMPTY_DICT")                                                                 \
  X(proto, 0x80, "PROTO")                                                                          \
  X(tuple1, 0x85, "TUPLE1")                                                                        \
  X(tuple2, 0x86, "TUPLE2")                                                                        \
  X(tuple3, 0x87, "TUPLE3")                                                                        \
  X(newtrue, 0x88, "NEWTRUE")                                                                      \
  X(newfalse, 0x89, "NEWFALSE")                                                                    \
  X(long1, 0x8a, "LONG1")

/// An opcode that is interpreted.
enum class pickle_opcode : std::uint8_t {
#define TESSERA_X(name, byte, text) name = byte,
  TESSERA_PT2_PICKLE_OPCODES(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of opcodes.
struct pickle_opcode_row {
  std::uint8_t byte;      ///< in pickles
  std::string_view name;  ///< as Python's pickletools has it
};
/// Those that are interpreted, then those that are refused.
inline constexpr pickle_opcode_row pickle_opcodes[] = {
#define TESSERA_X(name, byte, text) {byte, text},
    TESSERA_PT2_PICKLE_OPCODES(TESSERA_X)
#undef TESSERA_X
        {'0', "POP"},
    {'1', "POP_MARK"},
    {'2', "DUP"},
    {'B', "BINBYTES"},
    {'C', "SHORT_BINBYTES"},
    {'F', "FLOAT"},
    {'G', "BINFLOAT"},
    {'I', "INT"},
    {'L', "LONG"},
    {'N', "NONE"},
    {'P', "PERSID"},
    {'S', "STRING"},
    {'T', "BINSTRING"},
    {'U', "SHORT_BINSTRING"},
    {'V', "UNICODE"},
    {']', "EMPTY_LIST"},
    {'a', "APPEND"},
    {'d', "DICT"},
    {'e', "APPENDS"},
    {'g', "GET"},
    {'i', "INST"},
    {'l', "LIST"},
    {'o', "OBJ"},
    {'p', "PUT"},
    {0x81, "NEWOBJ"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x8b, "LONG4"},
    {0x8c, "SHORT_BINUNICODE"},
    {0x8d, "BINUNICODE8"},
    {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
    {0x92, "NEWOBJ_EX"},
    {0x93, "STACK_GLOBAL"},
    {0x94, "MEMOIZE"},
    {0x95, "FRAME"},
    {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"},
    {0x98, "READONLY_BUFFER"},
};
#undef TESSERA_PT2_PICKLE_OPCODES

/// What is made of a global, or of calling it.
enum class global_kind : std::uint8_t {
  dictionary,            ///< an empty dictionary
  tensor,                ///< a view of a storage
  parameter,             ///< a tensor as a parameter
  parameter_with_state,  ///< likewise, with attributes, which are dropped
  storage                ///< the type of a storage's elements
};
/// A row of the table of globals.
struct pickle_global_row {
  std::string_view module, name;              ///< as pickles have them
  global_kind kind;                           ///< what is made of it
  element_type type = element_type::unknown;  ///< of storages
};
/// The globals that are interpreted; all others are refused.
inline constexpr pickle_global_row pickle_globals[] = {
    {"collections", "OrderedDict", global_kind::dictionary},
    {"torch._utils", "_rebuild_tensor_v2", global_kind::tensor},
    {"torch._utils", "_rebuild_parameter", global_kind::parameter},
    {"torch._utils", "_rebuild_parameter_with_state", global_kind::parameter_with_state},
    {"torch", "FloatStorage", global_kind::storage, element_type::float32},
    {"torch", "DoubleStorage", global_kind::storage, element_type::float64},
    {"torch", "HalfStorage", global_kind::storage, element_type::float16},
    {"torch", "BFloat16Storage", global_kind::storage, element_type::bfloat16},
    {"torch", "LongStorage", global_kind::storage, element_type::int64},
    {"torch", "IntStorage", global_kind::storage, element_type::int32},
    {"torch", "ShortStorage", global_kind::storage, element_type::int16},
    {"torch", "CharStorage", global_kind::storage, element_type::int8},
    {"torch", "ByteStorage", global_kind::storage, element_type::uint8},
    {"torch", "BoolStorage", global_kind::storage, element_type::boolean},
    {"torch", "ComplexFloatStorage", global_kind::storage, element_type::complex64},
    {"torch", "ComplexDoubleStorage", global_kind::storage, element_type::complex128},
};

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_PICKLE_HPP
