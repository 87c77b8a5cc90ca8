// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The errors of NAC. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_NAC_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_NAC_HPP
#define TESSERA_CORE_ERROR_TABLE_NAC_HPP

// X(enumerator, value, what was expected)
#define TESSERA_NAC_ERRORS(X)                                                                      \
  X(nac_magic, 3000, "expected the bytes \"NAC\" at the start")                                    \
  X(nac_version, 3001, "expected container version 1 or 2")                                        \
  X(nac_header_truncated, 3002, "the file ends inside its header")                                 \
  X(nac_header_90, 3003,                                                                           \
    "90-byte headers (version 1.5, before January 2026) are not read: expected 88, 92 or 100")     \
  X(nac_quantization, 3004, "expected a quantization method of 0 to 4")                            \
  X(nac_section_offset, 3005,                                                                      \
    "the section's offset lies inside the header or beyond the end of the file")                   \
  X(nac_section_repeated, 3006, "a section of this tag stands in another slot already")            \
  X(nac_count, 3007, "the section is too short for that many records")                             \
  X(nac_truncated, 3008, "the section ends inside a record")                                       \
  X(nac_signature_unknown, 3009, "no signature in PERM has the id that the instruction names")     \
  X(nac_input_variant, 3010, "expected an INPUT of variant 0 to 3, or 4 and 5 in version 2")       \
  X(nac_output_variant, 3011, "expected an OUTPUT of variant 0 to 2, or 3 and 4 in version 2")     \
  X(nac_constant_type, 3012, "expected a constant of type 0 to 6")                                 \
  X(nac_constant_length, 3013, "expected a length of 8 for an int64 or float64 constant")          \
  X(nac_data_type, 3014, "expected a data type of 0 to 9")                                         \
  X(nac_tensor_quantization, 3015, "expected a tensor's quantization code of 0 to 4")              \
  X(nac_tensor_metadata, 3016, "the tensor's metadata is longer or shorter than its fields")       \
  X(nac_block_size, 3017, "expected a block of at least 1 element")                                \
                                                                                                   \
  X(nac_no_instructions, 3100, "expected an OPS section with at least one instruction")            \
  X(nac_operation_reserved, 3101, "operations 0, 1, 4, 5, 8 and 9 are reserved and can't run")     \
  X(nac_operation_unknown, 3102, "neither CMAP nor this version's table names the operation")      \
  X(nac_operation_unsupported, 3103, "the operation's name is none of those that run")             \
  X(nac_argument_count, 3104, "the operation takes another number of arguments")                   \
  X(nac_argument_type, 3105, "the operation takes no argument of this kind here")                  \
  X(nac_input_place, 3106, "INPUT variants 4 and 5 belong in TRNG")                                \
  X(nac_output_place, 3107, "OUTPUT variant 2 is reserved, and 3 and 4 belong in TRNG")            \
  X(nac_convergence_threshold, 3108, "expected a threshold of 0 to 100")                           \
  X(nac_saved_result, 3109, "INPUT variant 4 names no instruction of OPS")                         \
  X(nac_reference, 3110, "expected the offset of an earlier instruction: 0 <= index + D < index")  \
  X(nac_reference_zero, 3111, "expected the offset of a result: no constant can stand for this 0") \
  X(nac_constant_count, 3112, "expected as many constants as D has zeros")                         \
  X(nac_constant_id, 3113, "no constant in CNST has the id that the instruction names")            \
  X(nac_branch_length, 3114, "expected branches that end inside the program")                      \
  X(nac_convergence_input, 3115,                                                                   \
    "expected a CONVERGENCE with one word in C: the offset of its input")                          \
  X(nac_convergence_end, 3116,                                                                     \
    "expected an end of 0, or behind the CONVERGENCE and in the program")                          \
  X(nac_convergence_count, 3117,                                                                   \
    "expected a CONVERGENCE of at least 1 branch where its end isn't 0")                           \
  X(nac_convergence_branch, 3118,                                                                  \
    "expected branches in ascending order, before the CONVERGENCE's end")                          \
  X(nac_source_read, 3120, "the bytes of the container could not be read")                         \
                                                                                                   \
  X(nac_branch_nesting, 3130, "expected branches that end inside the branch around them")          \
  X(nac_branch_result, 3131,                                                                       \
    "a result of a branch is taken from outside: it's there only if the branch ran")               \
  X(nac_prefix, 3132, "expected a prefix that counts what follows, with or without itself")        \
  X(nac_output_missing, 3133, "no OUTPUT of variant 0: the last result is the model's output")     \
  X(nac_id_repeated, 3134, "the id stands in this table already; the last record counts")          \
  X(nac_input_count, 3135,                                                                         \
    "expected at least as many INPUTs of variant 0 as the header has inputs")                      \
  X(nac_input_name, 3136, "expected the index of an INPUT of variant 0 or 3")                      \
  X(nac_parameter_unnamed, 3137, "no parameter in DATA has the id that the instruction names")     \
  X(nac_parameter_tensor, 3138, "DATA holds no tensor for the parameter")                          \
  X(nac_weights_elsewhere, 3139, "the weights stand in another file, which was not given")         \
  X(nac_external_missing, 3140, "the file of weights has no tensor of the parameter's name")       \
  X(nac_external_type, 3141, "the tensor outside has a type or shape that NAC doesn't have")       \
  X(nac_tensor_repeated, 3142, "a tensor of this parameter stands before")                         \
  X(nac_tensor_unnamed, 3143, "no parameter in DATA has the tensor's id")                          \
  X(nac_tensor_size, 3144, "the tensor's shape and type need another number of bytes")             \
  X(nac_tensor_type, 3145, "expected int8 elements for an int8 code, float16 for code 1")          \
  X(nac_tensor_axis, 3146, "expected an axis below the tensor's rank")                             \
  X(nac_tensor_scales, 3147, "expected one scale for each index of the axis, or for each block")   \
  X(nac_tensor_padding, 3148,                                                                      \
    "expected one dimension: the original elements, filled up to whole blocks")                    \
  X(nac_array_size, 3149, "the array's shape and type need another number of bytes")               \
  X(nac_name_repeated, 3150, "a resource or array of this name stands before")                     \
  X(nac_tick, 3160, "expected the index of an instruction of OPS as a tick")                       \
  X(nac_tick_repeated, 3161, "the tick has a record already")                                      \
  X(nac_action, 3162, "expected an action of 10, 15, 20, 25, 30 or 40")                            \
  X(nac_target, 3163, "expected the index of an instruction of OPS as a target")                   \
  X(nac_save_target, 3164, "an instruction's result is saved at its own tick")                     \
  X(nac_forward_target, 3165, "a result is forwarded to the one instruction that takes it")        \
  X(nac_preload_target, 3166, "expected an INPUT of variant 1 to be preloaded")                    \
  X(nac_preload_late, 3167, "the parameter is preloaded behind its INPUT")                         \
  X(nac_free_early, 3168, "a result is freed before it is there")                                  \
  X(nac_free_needed, 3169, "a result is freed that a later instruction takes")                     \
  X(nac_free_twice, 3170, "the result was freed before")                                           \
  X(nac_training_version, 3180, "containers of version 1 have no TRNG section")                    \
  X(nac_training_flag, 3181, "bit 6 of the header's byte 4 says otherwise of a TRNG section")      \
  X(nac_reserved_bytes, 3182, "reserved bytes of the header are 0")                                \
  X(nac_slack, 3183, "the section's records end before the next section begins")                   \
                                                                                                   \
  X(nac_too_many_instructions, 3200, "the format numbers at most 65,535 instructions")             \
  X(nac_write_form, 3201, "expected a header of 88, 92 or 100 bytes to write")                     \
  X(nac_write_quantization, 3202, "the header's quantization method isn't one of the format")      \
  X(nac_write_training, 3203,                                                                      \
    "a container of version 1 has no training section and no flag for it")                         \
  X(nac_write_arrays, 3204, "only a header of 100 bytes has a place for arrays")                   \
  X(nac_write_weights, 3205, "there are tensors, but the weights are said to be outside")          \
  X(nac_write_absent, 3206,                                                                        \
    "there are training instructions or a manifest, but their section is said to be absent")       \
  X(nac_write_count, 3207, "a list holds at most 4,294,967,295 records")                           \
  X(nac_write_range, 3208, "a range or payload of the record lies outside its pool")               \
  X(nac_write_operation_name, 3209, "the name of an operation has at most 255 bytes")              \
  X(nac_write_operation_id, 3210, "no instruction can name an operation with an id above 255")     \
  X(nac_write_signature, 3211, "a signature has at most 255 letters")                              \
  X(nac_write_signature_id, 3212, "no instruction can name a signature with an id above 255")      \
  X(nac_write_name, 3213,                                                                          \
    "the name of a parameter, input, resource or array has at most 65,535 bytes")                  \
  X(nac_write_commands, 3214, "a tick has at most 255 commands")                                   \
  X(nac_write_signature_unknown, 3215,                                                             \
    "the instruction names a signature that the parts don't have")                                 \
  X(nac_write_arguments, 3216, "expected as many words in D as the signature has letters")         \
  X(nac_write_constants, 3217, "the signature has no letter for constants, but C holds words")     \
  X(nac_write_long_c, 3218, "C is longer than its 16-bit prefix can count")                        \
  X(nac_write_id, 3219, "ids of constants and parameters in C go up to 32,767")                    \
  X(nac_write_input, 3220, "the container's version has no INPUT of this variant")                 \
  X(nac_write_output, 3221, "the container's version has no OUTPUT of this variant")               \
  X(nac_write_words, 3222,                                                                         \
    "C or D of a system instruction has more or fewer words than its kind takes")                  \
  X(nac_write_constant_type, 3223, "the constant's type isn't one of the format")                  \
  X(nac_write_string, 3224, "a string constant has at most 65,535 bytes")                          \
  X(nac_write_list, 3225, "a list constant has at most 65,535 elements")                           \
  X(nac_write_data_type, 3226, "the data type isn't one of the format")                            \
  X(nac_write_tensor_quantization, 3227, "the tensor's quantization isn't one of the format")      \
  X(nac_write_rank, 3228, "a shape has at most 255 dimensions")                                    \
  X(nac_write_block_size, 3229, "a tensor of block_fp8 has blocks of at least 1 element")          \
  X(nac_write_tensor_fields, 3230,                                                                 \
    "the tensor has scales, an axis, a block or an original shape that its quantization doesn't "  \
    "store")                                                                                       \
  X(nac_write_metadata, 3231, "the tensor's metadata exceeds 4,294,967,295 bytes")                 \
  X(nac_write_bytecode, 3232, "a manifest or a plan has at most 4,294,967,295 bytes")              \
  X(nac_write_resource, 3233, "a resource has at most 4,294,967,295 bytes")                        \
  X(nac_write_size, 3234, "the container exceeds what memory or 64-bit offsets can address")       \
  X(nac_write_stopped, 3235, "the sink stopped the writing")                                       \
  X(nac_convert_training, 3250,                                                                    \
    "version 1 has no form for training: remove it before the conversion")                         \
  X(nac_convert_arrays, 3251,                                                                      \
    "the version has no form for arrays: remove them before the conversion")                       \
  X(nac_convert_input, 3252, "version 1 has no form for an INPUT of a saved result or a target")   \
  X(nac_convert_output, 3253, "version 1 has no form for an OUTPUT of variant 3 or 4")             \
  X(nac_convert_operation, 3254, "without a name, an operation has no form in another version")    \
  X(nac_convert_operations, 3255,                                                                  \
    "expected at most 224 operations that the version doesn't predefine")                          \
                                                                                                   \
  X(nac_mep_opcode, 3300, "unknown opcode of the orchestrator")                                    \
  X(nac_mep_reserved, 3301, "this opcode of the orchestrator is reserved and can't run")           \
  X(nac_mep_truncated, 3302, "the bytecode ends inside an instruction")                            \
  X(nac_mep_operation, 3303, "the orchestrator's instruction has no operation of this number")     \
  X(nac_mep_prompt_type, 3304, "expected an answer of type 0 (string), 1 (int) or 2 (float)")      \
  X(nac_mep_file_type, 3305,                                                                       \
    "expected a file of type 2 (npy), or 3 (image) with a path from a slot")                       \
  X(nac_mep_extern_kind, 3306,                                                                     \
    "expected an external object of kind 0 (tokenizer) or 1 (constant)")                           \
  X(nac_mep_unload_kind, 3307, "expected 0 (a model) or 1 (a slot) to unload")                     \
  X(nac_mep_data_type, 3308, "expected a tensor's data type of 0 to 9 in the plan")                \
  X(nac_mep_create_kind, 3309,                                                                     \
    "expected a tensor made of 0 (a value), 1 (a range), 2 (ones) or 3 (zeros)")                   \
  X(nac_mep_loss, 3310, "expected a loss of 0 (cross-entropy), 1 (mse) or 255 (none)")             \
  X(nac_mep_format, 3311, "expected an object as 0 (text), 1 (JSON) or 2 (PNG)")                   \
  X(nac_mep_destination, 3312, "expected a destination of 0 (stdout), 1 (stderr) or 2 (a file)")   \
  X(nac_mep_write_mode, 3313, "expected a mode of writing of 0 to 2")                              \
  X(nac_mep_constant, 3314, "no constant of the plan has this id")                                 \
  X(nac_mep_constant_string, 3315, "the plan needs a string constant here")                        \
  X(nac_mep_constant_model, 3316,                                                                  \
    "the plan needs a constant here that is a model's number, 0 to 255")                           \
  X(nac_mep_jump, 3317, "a jump of the plan lands neither on an instruction nor at the end")       \
  X(nac_mep_jump_into_loop, 3318, "a jump of the plan lands in a loop that it doesn't stand in")   \
  X(nac_mep_loop_end, 3319, "a loop of the plan ends that never started")                          \
  X(nac_mep_loop_open, 3320, "a loop of the plan starts and never ends")                           \
  X(nac_mep_loop_back, 3321, "expected the end of a loop to jump back into it")                    \
  X(nac_mep_break, 3322, "a break of the plan stands outside of all loops")                        \
  X(nac_mep_break_target, 3323, "expected a break to jump behind the end of its loop")             \
  X(nac_mep_mnemonic, 3330, "expected an instruction of the plan, a label, or bytes")              \
  X(nac_mep_label_unknown, 3331, "the plan has no such label")                                     \
  X(nac_mep_label_repeated, 3332, "the plan has this label already")                               \
  X(nac_mep_jump_range, 3333, "a jump of the plan reaches 32 KiB at most")                         \
  X(nac_mep_operand_range, 3334, "the operand doesn't fit its field of the plan's instruction")    \
  X(nac_mep_operand_count, 3335, "expected as many operands as the plan's instruction has")        \
  X(nac_mep_choice, 3336, "expected a name that this operand of the plan knows, or its number")    \
  X(nac_mep_constants, 3337, "a plan has at most 65,536 constants")                                \
  X(nac_mep_list, 3338, "a list of slots has at most 255")                                         \
  X(nac_hex, 3339, "expected bytes behind 0x, two digits each")                                    \
                                                                                                   \
  X(nac_tisa_magic, 3350, "expected the bytes \"TISA\" and a version")                             \
  X(nac_tisa_truncated, 3351, "the manifest ends inside an instruction")                           \
  X(nac_tisa_opcode, 3352, "unknown instruction of the tokenizer")                                 \
  X(nac_tisa_payload_short, 3353, "the tokenizer's instruction ends inside one of its fields")     \
  X(nac_tisa_payload_long, 3354,                                                                   \
    "bytes are left behind the fields of the tokenizer's instruction")                             \
  X(nac_tisa_json, 3355,                                                                           \
    "the instruction holds JSON, as old tokenizers do: its file must be made anew")                \
  X(nac_tisa_normal_form, 3356, "expected one of NFC NFD NFKC NFKD")                               \
  X(nac_tisa_category, 3357, "expected a general category of Unicode, such as Mn")                 \
  X(nac_tisa_utf8, 3358, "expected UTF-8 in the tokenizer's instruction")                          \
  X(nac_tisa_rule_flags, 3359, "expected the flags 1, 2 and 4 of a partition rule alone")          \
  X(nac_tisa_item_kind, 3360, "expected 0 or 1 for the kind of what is composed")                  \
  X(nac_tisa_partition, 3361,                                                                      \
    "expected partition rules before the encoder, which has no text without them")                 \
  X(nac_tisa_string, 3362, "the string is too long for its field in the tokenizer's instruction")  \
  X(nac_tisa_list, 3363, "the list is too long for its field in the tokenizer's instruction")      \
  X(nac_tisa_name, 3370, "expected an instruction of the tokenizer, op, or bytes")                 \
  X(nac_tisa_rule, 3371, "expected protected, remove, isolate, behaviour or trim")                 \
  X(nac_tisa_item, 3372, "expected a token in quotes, its id, or ids")                             \
                                                                                                   \
  X(nac_text_syntax, 3400, "expected a section, a key or a statement of the assembly")             \
  X(nac_text_mark, 3401, "expected another mark here, such as ( ) [ ] { } = : or a comma")         \
  X(nac_text_line_end, 3402, "expected the statement to end here")                                 \
  X(nac_text_word, 3403, "expected a name")                                                        \
  X(nac_text_integer, 3404, "expected an integer, decimal or behind 0x")                           \
  X(nac_text_range, 3405, "the integer lies outside the range of its field")                       \
  X(nac_text_string, 3406, "expected a string in quotes")                                          \
  X(nac_text_string_end, 3407, "the string has no closing quote on its line")                      \
  X(nac_text_escape, 3408, "expected one of \\\" \\\\ \\n \\r \\t \\xHH in assembly")              \
  X(nac_text_section, 3410, "no section of the assembly has this name")                            \
  X(nac_text_section_repeated, 3411, "the text has a section of this name already")                \
  X(nac_text_key, 3412, "no line of the header begins with this word")                             \
  X(nac_text_key_repeated, 3413, "the header has a line for this already")                         \
  X(nac_text_version, 3414, "expected 1.6, 1.7 or 1.8")                                            \
  X(nac_text_quantization, 3415, "expected none, fp16, int8_tensor, int8_channel or block_fp8")    \
  X(nac_text_weights, 3416, "expected internal or external")                                       \
  X(nac_text_boolean, 3417, "expected the word true or false")                                     \
  X(nac_text_length, 3418, "the string has more bytes than its length field can say")              \
  X(nac_text_end, 3419, "expected the word end behind the section's body")                         \
  X(nac_text_instruction, 3420, "expected an operation's name or the word of an instruction")      \
  X(nac_text_value_reserved, 3421, "this word stands for a constant, so it can't name a result")   \
  X(nac_text_value_repeated, 3422, "another instruction's result has this name")                   \
  X(nac_text_value_undefined, 3423, "no instruction's result has this name")                       \
  X(nac_text_value_own, 3424, "an instruction can't take its own result")                          \
  X(nac_text_distance, 3425, "the result is more than 32,767 instructions away")                   \
  X(nac_text_result, 3426, "expected a result: its name, or @ and an offset")                      \
  X(nac_text_arguments, 3427, "an instruction has at most 255 arguments")                          \
  X(nac_text_signature, 3428, "expected a signature's id, or its codes as a string")               \
  X(nac_text_signature_arguments, 3429, "the signature is one for other arguments")                \
  X(nac_text_outputs, 3430, "expected as many results as the container has outputs")               \
  X(nac_text_input_name, 3431, "the input has another name, or is one that can't have any")        \
  X(nac_text_parameter, 3432, "the table of parameters has none of this name")                     \
  X(nac_text_operations, 3433, "all ids of operations are taken")                                  \
  X(nac_text_signatures, 3434, "all ids of signatures are taken")                                  \
  X(nac_text_constants, 3435, "all ids of constants are taken")                                    \
  X(nac_text_parameters, 3436, "all ids of parameters are taken")                                  \
  X(nac_text_constant, 3440,                                                                       \
    "expected a constant: null, true, false, a number, a string or a list")                        \
  X(nac_text_float, 3441, "expected a decimal number, inf, -inf or nan")                           \
  X(nac_text_float_range, 3442, "the number is beyond the largest of its type")                    \
  X(nac_text_nan, 3443, "expected the bits of a NaN behind 0x")                                    \
  X(nac_text_list, 3444, "the list is longer than its length field can say")                       \
  X(nac_text_data_type, 3445, "expected f32, f64, f16, bf16, i32, i64, i16, i8, u8 or bool")       \
  X(nac_text_rank, 3446, "expected a shape of at most 255 dimensions")                             \
  X(nac_text_quantization_field, 3447,                                                             \
    "expected the next field of the quantization, such as scale or axis")                          \
  X(nac_text_payload, 3450,                                                                        \
    "expected hex and digits, values and a list, or file and a place in it")                       \
  X(nac_text_hex, 3451, "expected pairs of hexadecimal digits")                                    \
  X(nac_text_hex_size, 3452, "the digits are more or fewer bytes than the shape or the size says") \
  X(nac_text_payload_unresolved, 3453, "the bytes that the text refers to can't be found")         \
  X(nac_text_payload_size, 3454, "the text refers to more or fewer bytes than were found")         \
  X(nac_text_values, 3455, "expected as many values as the shape has elements")                    \
  X(nac_text_action, 3460, "expected an action, such as save_result, free, forward or preload")    \
  X(nac_text_commands, 3461, "an instruction has at most 255 commands")                            \
  X(nac_text_self_counting, 3462, "expected none, or some of input, output and control_flow")      \
                                                                                                   \
  X(nac_safetensors_header, 3500, "expected the length of a JSON header that fits the file")       \
  X(nac_safetensors_large_header, 3501,                                                            \
    "the header of a safetensors file has at most 100,000,000 bytes")                              \
  X(nac_safetensors_brace, 3502, "expected '{' as the first byte of the header")                   \
  X(nac_safetensors_type, 3503, "expected a type of safetensors files, such as F32")               \
  X(nac_safetensors_member, 3504, "expected dtype, shape and data_offsets of the tensor")          \
  X(nac_safetensors_offsets, 3505, "expected two data_offsets, ascending and inside the file")     \
  X(nac_safetensors_size, 3506, "the data_offsets span another size than shape and dtype have")    \
  X(nac_safetensors_overlap, 3507, "the tensor overlaps the one before it")                        \
  X(nac_safetensors_hole, 3508, "the bytes before the tensor belong to none")                      \
  X(nac_safetensors_trailing, 3509, "the bytes behind the last tensor belong to none")             \
  X(nac_safetensors_method, 3510,                                                                  \
    "expected a quant_code of 0 to 4, or the name of a method as quant_type")                      \
  X(nac_safetensors_scales, 3511,                                                                  \
    "expected one scale for int8_tensor; block_size and orig_shape for block_fp8")                 \
  X(nac_external_text, 3512,                                                                       \
    "names of tensors and strings of metadata are UTF-8 in safetensors files")                     \
  X(nac_external_repeated, 3513, "the tensor's name or the metadata's key was given before")       \
  X(nac_external_reserved, 3514, "\"__metadata__\" can't be the name of a tensor")                 \
  X(nac_external_size, 3515, "the payload has another size than the tensor's shape and type need") \
  X(nac_external_large, 3516,                                                                      \
    "the safetensors file exceeds what its header or memory can address")                          \
                                                                                                   \
  X(nac_tensor_range, 3535, "the tensor has fewer values than that")                               \
  X(nac_tensor_shapes, 3536, "expected tensors with as many values as each other")                 \
  X(nac_quantize_method, 3540,                                                                     \
    "expected a method of quantization other than none, and a shape of rank 1 or more")            \
  X(nac_quantize_block, 3541, "expected blocks of at least 1 element to quantize")                 \
  X(nac_quantize_shape, 3542, "expected a value for each element of the shape")                    \
  X(nac_quantize_float16, 3543, "the value is too large for float16")                              \
  X(nac_quantize_finite, 3544, "a value that is infinite or no number can't be quantized")         \
                                                                                                   \
  X(nac_weights_inside, 3550, "the weights are inside of the container already")                   \
  X(nac_weights_outside, 3551, "the weights are outside of the container already")                 \
  X(nac_weights_unnamed, 3552, "no parameter of DATA has the tensor's id")                         \
  X(nac_weights_absent, 3553, "the container has no tensor for the parameter")                     \
  X(nac_weights_tied, 3554, "parameters of one name have different tensors")                       \
  X(nac_weights_scale, 3555, "a scale that is infinite or no number has no form in JSON")          \
  X(nac_weights_missing, 3556, "the safetensors file has no tensor of the parameter's name")       \
  X(nac_weights_form, 3557, "the type or shape of the external tensor has no form in a container") \
  X(nac_weights_made, 3558,                                                                        \
    "the elements are made while they are written: convert the parts that they come from")         \
  X(nac_weights_blocks, 3559, "the padded elements or the scales exceed 32 bits")                  \
                                                                                                   \
  X(nac_run_weights, 3600, "the program's weights stand elsewhere and weren't given")              \
  X(nac_run_input, 3601, "the program needs an input that wasn't given")                           \
  X(nac_run_rank, 3602, "tensors have at most 16 dimensions here")                                 \
  X(nac_run_shape, 3603, "the operation isn't defined for operands of these shapes")               \
  X(nac_run_type, 3604, "the operation isn't defined for operands of these data types")            \
  X(nac_run_axis, 3605, "expected an axis that the tensor has, from -rank to rank - 1")            \
  X(nac_run_index, 3606, "expected an index inside of the tensor")                                 \
  X(nac_run_argument, 3607, "the operation doesn't take an argument of this value")                \
  X(nac_run_kind, 3608, "the operation takes another kind of value there")                         \
  X(nac_run_division, 3609, "the operation divides integers by zero")                              \
  X(nac_run_absent, 3610, "the result comes from a branch that wasn't run")                        \
  X(nac_run_state, 3611, "the program has no state of that id")                                    \
  X(nac_run_outputs, 3612, "expected as many outputs of the run as the header has")                \
                                                                                                   \
  X(nac_plan_slot, 3620, "the plan's instruction takes another kind of value from this slot")      \
  X(nac_plan_training, 3621,                                                                       \
    "training isn't run: MODEL_TRAIN_STEP and MODEL_SAVE_WEIGHTS are refused")                     \
  X(nac_plan_prompt, 3622, "the plan asks for an answer, and there is none left")                  \
  X(nac_plan_answer, 3623, "expected an answer that is a number of the prompt's type")             \
  X(nac_plan_model, 3624, "the plan uses a model that it hasn't loaded")                           \
  X(nac_plan_path, 3625, "the plan's file lies outside of the folder that it may use")             \
  X(nac_plan_file, 3626, "the plan's file can't be read or written")                               \
  X(nac_plan_array, 3627, "the container holds no array of that name")                             \
  X(nac_plan_format, 3628, "the format string and its values don't fit")                           \
  X(nac_plan_outputs, 3629, "the model has fewer outputs than the plan takes")                     \
  X(nac_plan_image, 3630, "the file isn't an image that is read here")                             \
  X(nac_plan_unavailable, 3631, "this build of the machine can't do what the plan asks for")       \
  X(nac_plan_inputs, 3632, "the model has fewer inputs than the plan gives")                       \
  X(nac_plan_write, 3633, "the plan may not write this file")                                      \
                                                                                                   \
  X(nac_tokenizer_missing, 3640, "the container holds no manifest of a tokenizer")                 \
  X(nac_tokenizer_resource, 3641, "the tokenizer's vocabulary or merges are missing or malformed") \
  X(nac_tokenizer_expression, 3642, "the tokenizer's regular expression can't be compiled")        \
  X(nac_tokenizer_match, 3643, "the tokenizer's regular expression takes too long to match")       \
  X(nac_tokenizer_utf8, 3644, "expected text in UTF-8")                                            \
  X(nac_tokenizer_unavailable, 3645, "the tokenizer needs a library that this build is without")

#endif  // TESSERA_CORE_ERROR_TABLE_NAC_HPP
