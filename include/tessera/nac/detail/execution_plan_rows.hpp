// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rows of nac/execution_plan.hpp, which explains the letters of the operands.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_ROWS_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_ROWS_HPP

// X(mnemonic, opcode, the 1.x that it came with or 0 where no version runs it, layout)
// clang-format off
#define TESSERA_NAC_PLAN_OPS(X)               \
  X(src_cmd_arg,           0x01, 0, "ob")     \
  X(src_user_prompt,       0x02, 6, "oPs")    \
  X(src_file_content,      0x03, 0, "bbb")    \
  X(src_constant,          0x04, 6, "oc")     \
  X(src_exec_mode,         0x05, 7, "o")      \
  X(res_load_model,        0x10, 6, "ms")     \
  X(res_load_datafile,     0x11, 6, "oFs")    \
  X(res_load_extern,       0x12, 6, "oR")     \
  X(res_load_dynamic,      0x13, 6, "oiG")    \
  X(res_load_array,        0x14, 8, "os")     \
  X(reserved_18,           0x18, 0, "bbb")    \
  X(res_unload,            0x1f, 6, "U")      \
  X(preproc_encode,        0x20, 6, "iio")    \
  X(preproc_decode,        0x21, 6, "iio")    \
  X(preproc_get_id,        0x22, 6, "iso")    \
  X(string_format,         0x2a, 6, "osv")    \
  X(tensor_create,         0x30, 6, "oTKi")   \
  X(reserved_31,           0x31, 0, "bbbbb")  \
  X(tensor_manipulate,     0x38, 6, "Moi")    \
  X(tensor_combine,        0x39, 6, "Cov")    \
  X(tensor_info,           0x3a, 6, "Noi")    \
  X(tensor_extract,        0x3b, 6, "oii")    \
  X(reserved_50,           0x50, 0, "bbvx")   \
  X(reserved_51,           0x51, 0, "bbbvx")  \
  X(sys_copy,              0x59, 6, "oi")     \
  X(sys_debug_print,       0x5f, 6, "is")     \
  X(math_unary,            0x60, 6, "Qoi")    \
  X(math_binary,           0x61, 6, "Boii")   \
  X(math_aggregate,        0x62, 6, "Aoi")    \
  X(logic_compare,         0x68, 6, "Loii")   \
  X(analysis_top_k,        0x70, 6, "iioo")   \
  X(analysis_sample,       0x71, 6, "iiio")   \
  X(model_run_static,      0x80, 6, "mvx")    \
  X(model_run_dynamic,     0x81, 0, "bvb")    \
  X(model_train_step,      0x82, 7, "mEvvoizww") \
  X(model_zero_grad,       0x83, 7, "m")      \
  X(model_save_weights,    0x85, 7, "mib")    \
  X(flow_loop_start,       0xa0, 6, "i")      \
  X(flow_loop_end,         0xa1, 6, "j")      \
  X(flow_branch_if,        0xa8, 6, "ij")     \
  X(flow_break_loop_if,    0xa9, 6, "ij")     \
  X(reserved_af,           0xaf, 0, "")       \
  X(serialize_object,      0xe0, 6, "oiS")    \
  X(reserved_e1,           0xe1, 0, "bbb")    \
  X(io_write,              0xf0, 6, "iDiW")   \
  X(exec_return,           0xfe, 6, "v")      \
  X(exec_halt,             0xff, 6, "")

// X(the letter of the operand, value, the 1.x that it came with, name, operands that follow the layout)
#define TESSERA_NAC_PLAN_CHOICES(X) \
  X('P', 0, 6, "string", "") X('P', 1, 6, "int", "") X('P', 2, 6, "float", "") \
  X('F', 2, 6, "npy", "") \
  X('G', 2, 6, "npy", "") X('G', 3, 6, "image", "") \
  X('R', 0, 6, "tokenizer", "n") X('R', 1, 6, "constant", "c") \
  X('U', 0, 6, "model", "m") X('U', 1, 6, "slot", "o") \
  X('T', 0, 6, "f32", "") X('T', 1, 6, "f64", "") X('T', 2, 6, "f16", "") X('T', 3, 6, "bf16", "") \
  X('T', 4, 6, "i32", "") X('T', 5, 6, "i64", "") X('T', 6, 6, "i16", "") X('T', 7, 6, "i8", "") \
  X('T', 8, 6, "u8", "") X('T', 9, 6, "bool", "") \
  X('K', 0, 6, "value", "") X('K', 1, 6, "range", "") X('K', 2, 6, "ones", "") \
  X('K', 3, 6, "zeros", "") \
  X('M', 1, 6, "pad_left", "ii") X('M', 2, 8, "unsqueeze", "i") X('M', 3, 8, "squeeze", "i") \
  X('C', 0, 6, "concat", "i") \
  X('N', 0, 6, "shape", "") X('N', 1, 6, "dimension", "i") X('N', 2, 6, "scalar", "") \
  X('Q', 0, 6, "softmax", "") X('Q', 1, 6, "sqrt", "") X('Q', 2, 6, "abs", "") \
  X('Q', 3, 6, "neg", "") X('Q', 4, 6, "exp", "") X('Q', 5, 8, "reciprocal", "") \
  X('B', 0, 6, "add", "") X('B', 1, 6, "sub", "") X('B', 2, 6, "mul", "") X('B', 3, 8, "div", "") \
  X('B', 4, 8, "pow", "") X('B', 5, 8, "max", "") X('B', 6, 8, "min", "") \
  X('A', 0, 6, "argmax", "") \
  X('L', 0, 6, "eq", "") X('L', 1, 6, "ne", "") X('L', 2, 6, "gt", "") X('L', 3, 6, "lt", "") \
  X('E', 0, 7, "cross_entropy", "") X('E', 1, 7, "mse", "") X('E', 255, 7, "none", "") \
  X('S', 0, 6, "text", "") X('S', 1, 6, "json", "") X('S', 2, 6, "png", "") \
  X('D', 0, 6, "stdout", "") X('D', 1, 6, "stderr", "") X('D', 2, 6, "file", "") \
  X('W', 0, 6, "line", "") X('W', 1, 6, "append", "") X('W', 2, 6, "bare", "")
// clang-format on

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_ROWS_HPP
