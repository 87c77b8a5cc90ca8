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
    "headers of 90 bytes (version 1.5, before January 2026) aren't supported; expected 88, 92 "    \
    "or 100 bytes")                                                                                \
  X(nac_quantization, 3004,                                                                        \
    "unknown quantization method; expected 0 (none), 1 (fp16), 2 (int8_tensor), 3 (int8_channel) " \
    "or 4 (block_fp8)")                                                                            \
  X(nac_section_offset, 3005,                                                                      \
    "the section's offset is inside the header or past the end of the file")                       \
  X(nac_section_repeated, 3006, "duplicate section: another slot has a section with the same tag") \
  X(nac_count, 3007, "the section is too short for its number of records")                         \
  X(nac_truncated, 3008, "the section ends inside a record")                                       \
  X(nac_signature_unknown, 3009, "no signature in PERM has the instruction's id")                  \
  X(nac_input_variant, 3010, "expected an INPUT of variant 0 to 3, or 4 and 5 in version 2")       \
  X(nac_output_variant, 3011, "expected an OUTPUT of variant 0 to 2, or 3 and 4 in version 2")     \
  X(nac_constant_type, 3012, "unknown type of constant; expected 0 (null) to 6 (list[float32])")   \
  X(nac_constant_length, 3013, "expected a length of 8 for an int64 or float64 constant")          \
  X(nac_data_type, 3014, "unknown data type; expected 0 (f32) to 9 (bool)")                        \
  X(nac_tensor_quantization, 3015,                                                                 \
    "unknown quantization of a tensor; expected 0 (none), 1 (fp16), 2 (int8_tensor), 3 "           \
    "(int8_channel) or 4 (block_fp8)")                                                             \
  X(nac_tensor_metadata, 3016, "the tensor's metadata are longer or shorter than their fields")    \
  X(nac_block_size, 3017, "expected a block of at least 1 element")                                \
                                                                                                   \
  X(nac_no_instructions, 3100, "expected an OPS section with at least one instruction")            \
  X(nac_operation_reserved, 3101, "operations 0, 1, 4, 5, 8 and 9 are reserved and can't run")     \
  X(nac_operation_unknown, 3102,                                                                   \
    "the operation has no name in CMAP, and this version predefines none")                         \
  X(nac_operation_unsupported, 3103, "unsupported operation: the program can't run")               \
  X(nac_argument_count, 3104, "wrong number of arguments for the operation")                       \
  X(nac_argument_type, 3105, "wrong kind of argument for the operation")                           \
  X(nac_input_place, 3106, "INPUT variants 4 and 5 belong in TRNG")                                \
  X(nac_output_place, 3107, "OUTPUT variant 2 is reserved, and 3 and 4 belong in TRNG")            \
  X(nac_convergence_threshold, 3108, "expected a threshold of 0 to 100")                           \
  X(nac_saved_result, 3109, "INPUT of variant 4: expected the index of an instruction of OPS")     \
  X(nac_reference, 3110, "expected the offset of an earlier instruction: 0 <= index + D < index")  \
  X(nac_reference_zero, 3111,                                                                      \
    "expected the offset of a result: this argument can't be a constant")                          \
  X(nac_constant_count, 3112, "expected as many constants as D has zeros")                         \
  X(nac_constant_id, 3113, "no constant in CNST has the instruction's id")                         \
  X(nac_branch_length, 3114, "expected branches that end inside the program")                      \
  X(nac_convergence_input, 3115,                                                                   \
    "expected a CONVERGENCE with one word in C: the offset of its input")                          \
  X(nac_convergence_end, 3116,                                                                     \
    "expected an end of 0, or one after the CONVERGENCE and inside the program")                   \
  X(nac_convergence_count, 3117,                                                                   \
    "expected a CONVERGENCE of at least 1 branch where its end isn't 0")                           \
  X(nac_convergence_branch, 3118,                                                                  \
    "expected branches in ascending order, before the CONVERGENCE's end")                          \
  X(nac_source_read, 3120, "the bytes of the container could not be read")                         \
                                                                                                   \
  X(nac_branch_nesting, 3130, "the branches end after the end of the branch around them")          \
  X(nac_branch_result, 3131,                                                                       \
    "a branch's result is used outside the branch: it is absent if the branch doesn't run")        \
  X(nac_prefix, 3132,                                                                              \
    "unusual prefix; expected the number of words that follow, counting itself or not")            \
  X(nac_output_missing, 3133, "no OUTPUT of variant 0: the last result is the model's output")     \
  X(nac_id_repeated, 3134, "duplicate id; the last record is used")                                \
  X(nac_input_count, 3135,                                                                         \
    "expected at least as many INPUTs of variant 0 as the header has inputs")                      \
  X(nac_input_name, 3136, "expected the index of an INPUT of variant 0 or 3")                      \
  X(nac_parameter_unnamed, 3137, "no parameter in DATA has the instruction's id")                  \
  X(nac_parameter_tensor, 3138, "DATA holds no tensor for the parameter")                          \
  X(nac_weights_elsewhere, 3139, "the weights are in another file, which was not given")           \
  X(nac_external_missing, 3140, "the external weights have no tensor with the parameter's name")   \
  X(nac_external_type, 3141, "the external tensor's dtype or shape isn't one that NAC supports")   \
  X(nac_tensor_repeated, 3142, "duplicate tensor for this parameter")                              \
  X(nac_tensor_unnamed, 3143, "no parameter in DATA has the tensor's id")                          \
  X(nac_tensor_size, 3144, "the tensor has more or fewer bytes than its shape and type need")      \
  X(nac_tensor_type, 3145, "expected i8 elements for an int8 code, f16 elements for code 1")       \
  X(nac_tensor_axis, 3146, "expected an axis below the tensor's rank")                             \
  X(nac_tensor_scales, 3147, "expected one scale for each index of the axis, or for each block")   \
  X(nac_tensor_padding, 3148,                                                                      \
    "expected one dimension: the original elements, padded to whole blocks")                       \
  X(nac_array_size, 3149, "the array has more or fewer bytes than its shape and type need")        \
  X(nac_name_repeated, 3150, "duplicate name of a resource or array")                              \
  X(nac_tick, 3160, "expected the index of an instruction of OPS as a tick")                       \
  X(nac_tick_repeated, 3161, "duplicate record for this tick")                                     \
  X(nac_action, 3162,                                                                              \
    "unknown action; expected 10 (save_result), 15 (save_for_grad), 20 (free), 25 "                \
    "(free_after_trng), 30 (forward) or 40 (preload)")                                             \
  X(nac_target, 3163, "expected the index of an instruction of OPS as a target")                   \
  X(nac_save_target, 3164, "save_result: expected the tick's own instruction")                     \
  X(nac_forward_target, 3165, "forward: expected the only instruction that uses the result")       \
  X(nac_preload_target, 3166, "preload: expected an INPUT of variant 1")                           \
  X(nac_preload_late, 3167, "preload: the INPUT has already run")                                  \
  X(nac_free_early, 3168, "free: the result doesn't exist yet")                                    \
  X(nac_free_needed, 3169, "free: a later instruction uses the result")                            \
  X(nac_free_twice, 3170, "free: the result is already freed")                                     \
  X(nac_training_version, 3180, "containers of version 1 have no TRNG section")                    \
  X(nac_training_flag, 3181, "bit 6 of byte 4 disagrees with the presence of a TRNG section")      \
  X(nac_reserved_bytes, 3182, "expected 0 in the header's reserved bytes")                         \
  X(nac_slack, 3183, "unused bytes after the last record of the section")                          \
                                                                                                   \
  X(nac_too_many_instructions, 3200,                                                               \
    "expected at most 65,535 instructions, as many as references can number")                      \
  X(nac_write_form, 3201, "expected a header of 88, 92 or 100 bytes to write")                     \
  X(nac_write_quantization, 3202, "the header's quantization method isn't one of the format's")    \
  X(nac_write_training, 3203,                                                                      \
    "a container of version 1 has no training section and no flag for it")                         \
  X(nac_write_arrays, 3204, "only a header of 100 bytes has a slot for arrays")                    \
  X(nac_write_weights, 3205, "there are tensors, but internal_weights is false")                   \
  X(nac_write_absent, 3206,                                                                        \
    "there are training instructions or a manifest, but has_training or has_manifest is false")    \
  X(nac_write_count, 3207, "a list holds at most 4,294,967,295 records")                           \
  X(nac_write_range, 3208, "a range or payload of the record is outside its pool")                 \
  X(nac_write_operation_name, 3209, "the name of an operation has at most 255 bytes")              \
  X(nac_write_operation_id, 3210, "expected an operation id of at most 255")                       \
  X(nac_write_signature, 3211, "a signature has at most 255 letters")                              \
  X(nac_write_signature_id, 3212, "expected a signature id of at most 255")                        \
  X(nac_write_name, 3213,                                                                          \
    "the name of a parameter, input, resource or array has at most 65,535 bytes")                  \
  X(nac_write_commands, 3214, "a tick has at most 255 commands")                                   \
  X(nac_write_signature_unknown, 3215, "no signature of the parts has the instruction's id")       \
  X(nac_write_arguments, 3216, "expected as many words in D as the signature has letters")         \
  X(nac_write_constants, 3217, "the signature has no letter for constants, but C has words")       \
  X(nac_write_long_c, 3218, "C is longer than its 16-bit prefix can count")                        \
  X(nac_write_id, 3219, "expected an id of at most 32,767 for a constant or parameter in C")       \
  X(nac_write_input, 3220, "the container's version has no INPUT of this variant")                 \
  X(nac_write_output, 3221, "the container's version has no OUTPUT of this variant")               \
  X(nac_write_words, 3222,                                                                         \
    "C or D of a system instruction has more or fewer words than its kind needs")                  \
  X(nac_write_constant_type, 3223, "the constant's type isn't one of the format's")                \
  X(nac_write_string, 3224, "a string constant has at most 65,535 bytes")                          \
  X(nac_write_list, 3225, "a list constant has at most 65,535 elements")                           \
  X(nac_write_data_type, 3226, "the data type isn't one of the format's")                          \
  X(nac_write_tensor_quantization, 3227, "the tensor's quantization isn't one of the format's")    \
  X(nac_write_rank, 3228, "a shape has at most 255 dimensions")                                    \
  X(nac_write_block_size, 3229, "a tensor of block_fp8 has blocks of at least 1 element")          \
  X(nac_write_tensor_fields, 3230,                                                                 \
    "the tensor has scales, an axis, a block or an original shape that its quantization "          \
    "doesn't store")                                                                               \
  X(nac_write_metadata, 3231, "the tensor's metadata exceeds 4,294,967,295 bytes")                 \
  X(nac_write_bytecode, 3232, "a manifest or an execution plan has at most 4,294,967,295 bytes")   \
  X(nac_write_resource, 3233, "a resource has at most 4,294,967,295 bytes")                        \
  X(nac_write_size, 3234, "the container exceeds what memory or 64-bit offsets can address")       \
  X(nac_write_stopped, 3235, "the sink stopped writing")                                           \
  X(nac_convert_training, 3250, "version 1 can't hold training: remove it before the conversion")  \
  X(nac_convert_arrays, 3251,                                                                      \
    "only version 1.8 can hold arrays: remove them before the conversion")                         \
  X(nac_convert_input, 3252, "version 1 has no INPUT of variant 4 or 5 (saved result, target)")    \
  X(nac_convert_output, 3253, "version 1 has no OUTPUT of variant 3 or 4")                         \
  X(nac_convert_operation, 3254,                                                                   \
    "an operation without a name can't be converted: ids mean other operations in another "        \
    "version")                                                                                     \
  X(nac_convert_operations, 3255,                                                                  \
    "expected at most 224 operations that the version doesn't predefine")                          \
                                                                                                   \
  X(nac_mep_opcode, 3300, "unknown opcode in the execution plan")                                  \
  X(nac_mep_reserved, 3301, "reserved opcode in the execution plan: it can't run")                 \
  X(nac_mep_truncated, 3302, "the execution plan ends inside an instruction")                      \
  X(nac_mep_operation, 3303, "unknown operation number in the execution plan's instruction")       \
  X(nac_mep_prompt_type, 3304, "expected an answer of type 0 (string), 1 (int) or 2 (float)")      \
  X(nac_mep_file_type, 3305,                                                                       \
    "expected a file of type 2 (npy), or 3 (image) with a path from a slot")                       \
  X(nac_mep_extern_kind, 3306,                                                                     \
    "expected an external object of kind 0 (tokenizer) or 1 (constant)")                           \
  X(nac_mep_unload_kind, 3307, "expected 0 (a model) or 1 (a slot) to unload")                     \
  X(nac_mep_data_type, 3308,                                                                       \
    "unknown data type in the execution plan; expected 0 (f32) to 9 (bool)")                       \
  X(nac_mep_create_kind, 3309,                                                                     \
    "expected a tensor made of 0 (a value), 1 (a range), 2 (ones) or 3 (zeros)")                   \
  X(nac_mep_loss, 3310, "expected a loss of 0 (cross-entropy), 1 (mse) or 255 (none)")             \
  X(nac_mep_format, 3311, "expected an object as 0 (text), 1 (JSON) or 2 (PNG)")                   \
  X(nac_mep_destination, 3312, "expected a destination of 0 (stdout), 1 (stderr) or 2 (a file)")   \
  X(nac_mep_write_mode, 3313, "unknown write mode; expected 0 (line), 1 (append) or 2 (bare)")     \
  X(nac_mep_constant, 3314, "no constant of the execution plan has this id")                       \
  X(nac_mep_constant_string, 3315, "expected a string constant of the execution plan")             \
  X(nac_mep_constant_model, 3316,                                                                  \
    "expected a constant of the execution plan that is a model's number, 0 to 255")                \
  X(nac_mep_jump, 3317,                                                                            \
    "expected a jump to the start of an instruction or to the end of the execution plan")          \
  X(nac_mep_jump_into_loop, 3318, "the jump leads into a loop from outside")                       \
  X(nac_mep_loop_end, 3319, "flow_loop_end without a flow_loop_start")                             \
  X(nac_mep_loop_open, 3320, "flow_loop_start without a flow_loop_end")                            \
  X(nac_mep_loop_back, 3321, "expected flow_loop_end to jump back into its loop")                  \
  X(nac_mep_break, 3322, "flow_break_loop_if outside a loop")                                      \
  X(nac_mep_break_target, 3323, "expected flow_break_loop_if to jump past the end of its loop")    \
  X(nac_mep_mnemonic, 3330, "expected an instruction of the execution plan, a label, or bytes")    \
  X(nac_mep_label_unknown, 3331, "undefined label in the execution plan")                          \
  X(nac_mep_label_repeated, 3332, "duplicate label in the execution plan")                         \
  X(nac_mep_jump_range, 3333, "the jump is longer than 32 KiB")                                    \
  X(nac_mep_operand_range, 3334,                                                                   \
    "the operand doesn't fit its field of the execution plan's instruction")                       \
  X(nac_mep_operand_count, 3335,                                                                   \
    "expected as many operands as the execution plan's instruction has")                           \
  X(nac_mep_choice, 3336, "expected one of this operand's names, or a number")                     \
  X(nac_mep_constants, 3337, "an execution plan has at most 65,536 constants")                     \
  X(nac_mep_list, 3338, "a list has at most 255 slots")                                            \
  X(nac_hex, 3339, "expected hex digits after 0x, two for each byte")                              \
                                                                                                   \
  X(nac_tisa_magic, 3350, "expected the bytes \"TISA\" and a version")                             \
  X(nac_tisa_truncated, 3351, "the manifest ends inside an instruction")                           \
  X(nac_tisa_opcode, 3352, "unknown instruction of the tokenizer")                                 \
  X(nac_tisa_payload_short, 3353, "the tokenizer's instruction ends inside one of its fields")     \
  X(nac_tisa_payload_long, 3354,                                                                   \
    "there are bytes after the last field of the tokenizer's instruction")                         \
  X(nac_tisa_json, 3355,                                                                           \
    "obsolete form: the payload is JSON, as old tokenizers wrote it; export the model again")      \
  X(nac_tisa_normal_form, 3356, "expected one of NFC NFD NFKC NFKD")                               \
  X(nac_tisa_category, 3357, "expected a general category of Unicode, such as Mn")                 \
  X(nac_tisa_utf8, 3358, "expected UTF-8 in the tokenizer's instruction")                          \
  X(nac_tisa_rule_flags, 3359, "expected only flags 1, 2 and 4 for a partition rule")              \
  X(nac_tisa_item_kind, 3360, "expected a kind of 0 or 1 for an item of compose")                  \
  X(nac_tisa_partition, 3361,                                                                      \
    "the encoder has no text to encode: expected partition_rules before it")                       \
  X(nac_tisa_string, 3362, "the string is too long for its field in the tokenizer's instruction")  \
  X(nac_tisa_list, 3363, "the list is too long for its field in the tokenizer's instruction")      \
  X(nac_tisa_name, 3370, "expected an instruction of the tokenizer, op, or bytes")                 \
  X(nac_tisa_rule, 3371, "expected protected, remove, isolate, behaviour or trim")                 \
  X(nac_tisa_item, 3372, "expected a token in quotes, its id, or ids")                             \
                                                                                                   \
  X(nac_text_syntax, 3400, "expected a section, a key or a statement of the assembly")             \
  X(nac_text_mark, 3401,                                                                           \
    "unexpected character; expected a mark such as ( ) [ ] { } = : or a comma")                    \
  X(nac_text_line_end, 3402, "expected the end of the line")                                       \
  X(nac_text_word, 3403, "expected a name")                                                        \
  X(nac_text_integer, 3404, "expected an integer: decimal digits, or hex digits after 0x")         \
  X(nac_text_range, 3405, "the integer is outside the range of its field")                         \
  X(nac_text_string, 3406, "expected a string in quotes")                                          \
  X(nac_text_string_end, 3407, "the string has no closing quote on its line")                      \
  X(nac_text_escape, 3408, "expected one of \\\" \\\\ \\n \\r \\t \\xHH in assembly")              \
  X(nac_text_section, 3410, "unknown section")                                                     \
  X(nac_text_section_repeated, 3411, "duplicate section")                                          \
  X(nac_text_key, 3412, "unknown key in the header")                                               \
  X(nac_text_key_repeated, 3413, "duplicate key in the header")                                    \
  X(nac_text_version, 3414, "expected 1.6, 1.7 or 1.8")                                            \
  X(nac_text_quantization, 3415, "expected none, fp16, int8_tensor, int8_channel or block_fp8")    \
  X(nac_text_weights, 3416, "expected internal or external")                                       \
  X(nac_text_boolean, 3417, "expected a boolean: true or false")                                   \
  X(nac_text_length, 3418, "the string is longer than its length field can count")                 \
  X(nac_text_end, 3419, "expected 'end' after the section's body")                                 \
  X(nac_text_instruction, 3420, "expected an operation's name or the word of an instruction")      \
  X(nac_text_value_reserved, 3421, "this word is a constant, so it can't name a result")           \
  X(nac_text_value_repeated, 3422, "duplicate name of a result")                                   \
  X(nac_text_value_undefined, 3423, "undefined result")                                            \
  X(nac_text_value_own, 3424, "an instruction can't use its own result")                           \
  X(nac_text_distance, 3425, "the result is more than 32,767 instructions away")                   \
  X(nac_text_result, 3426, "expected a result: its name, or @ and an offset")                      \
  X(nac_text_arguments, 3427, "an instruction has at most 255 arguments")                          \
  X(nac_text_signature, 3428, "expected a signature's id, or its codes as a string")               \
  X(nac_text_signature_arguments, 3429, "the signature doesn't match the instruction's arguments") \
  X(nac_text_outputs, 3430, "expected as many results as the container has outputs")               \
  X(nac_text_input_name, 3431,                                                                     \
    "conflicting name for this input, or a name for an INPUT that can't have one")                 \
  X(nac_text_parameter, 3432, "no parameter has this name")                                        \
  X(nac_text_operations, 3433, "all 256 ids of operations are in use")                             \
  X(nac_text_signatures, 3434, "all 256 ids of signatures are in use")                             \
  X(nac_text_constants, 3435, "all ids of constants are in use")                                   \
  X(nac_text_parameters, 3436, "all ids of parameters are in use")                                 \
  X(nac_text_constant, 3440,                                                                       \
    "expected a constant: null, true, false, a number, a string or a list")                        \
  X(nac_text_float, 3441, "expected a decimal number, inf, -inf or nan")                           \
  X(nac_text_float_range, 3442, "the number is too large for its type")                            \
  X(nac_text_nan, 3443, "expected the bits of a NaN after 0x")                                     \
  X(nac_text_list, 3444, "the list is longer than its length field can count")                     \
  X(nac_text_data_type, 3445, "expected f32, f64, f16, bf16, i32, i64, i16, i8, u8 or bool")       \
  X(nac_text_rank, 3446, "expected a shape of at most 255 dimensions")                             \
  X(nac_text_quantization_field, 3447,                                                             \
    "expected the next field of the quantization, such as scale or axis")                          \
  X(nac_text_payload, 3450,                                                                        \
    "expected hex { digits }, values [ numbers ], or file and a place in it")                      \
  X(nac_text_hex, 3451, "expected pairs of hexadecimal digits")                                    \
  X(nac_text_hex_size, 3452, "more or fewer hex digits than the shape or size needs")              \
  X(nac_text_payload_unresolved, 3453, "the referenced bytes can't be found")                      \
  X(nac_text_payload_size, 3454, "the reference finds more or fewer bytes than expected")          \
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
  X(nac_safetensors_offsets, 3505, "expected two ascending data_offsets inside the file")          \
  X(nac_safetensors_size, 3506, "data_offsets span more or fewer bytes than shape and dtype need") \
  X(nac_safetensors_overlap, 3507, "the tensor overlaps the one before it")                        \
  X(nac_safetensors_hole, 3508, "there are unused bytes before the tensor")                        \
  X(nac_safetensors_trailing, 3509, "there are unused bytes after the last tensor")                \
  X(nac_safetensors_method, 3510,                                                                  \
    "expected a quant_code of 0 to 4, or a quant_type that names a method")                        \
  X(nac_safetensors_scales, 3511,                                                                  \
    "expected one scale for int8_tensor; block_size and orig_shape for block_fp8")                 \
  X(nac_external_text, 3512, "expected UTF-8 in names of tensors and strings of metadata")         \
  X(nac_external_repeated, 3513, "duplicate name of a tensor or key of the metadata")              \
  X(nac_external_reserved, 3514, "\"__metadata__\" is reserved: a tensor can't have this name")    \
  X(nac_external_size, 3515,                                                                       \
    "the payload has more or fewer bytes than the tensor's shape and type need")                   \
  X(nac_external_large, 3516,                                                                      \
    "the safetensors file is larger than its header or memory can address")                        \
                                                                                                   \
  X(nac_tensor_range, 3535, "the range extends past the tensor's last value")                      \
  X(nac_tensor_shapes, 3536, "the tensors have different numbers of values")                       \
  X(nac_quantize_method, 3540,                                                                     \
    "expected a method of quantization other than none, and a shape of rank 1 or more")            \
  X(nac_quantize_block, 3541, "expected blocks of at least 1 element to quantize")                 \
  X(nac_quantize_shape, 3542, "expected a value for each element of the shape")                    \
  X(nac_quantize_float16, 3543, "the value is too large for float16")                              \
  X(nac_quantize_finite, 3544, "infinities and NaN can't be quantized")                            \
                                                                                                   \
  X(nac_weights_inside, 3550, "the weights are already inside the container")                      \
  X(nac_weights_outside, 3551, "the weights are already outside the container")                    \
  X(nac_weights_unnamed, 3552, "no parameter of DATA has the tensor's id")                         \
  X(nac_weights_absent, 3553, "the container has no tensor for the parameter")                     \
  X(nac_weights_tied, 3554, "parameters with the same name have different tensors")                \
  X(nac_weights_scale, 3555, "a scale is infinite or NaN, which JSON can't express")               \
  X(nac_weights_missing, 3556, "the safetensors file has no tensor with the parameter's name")     \
  X(nac_weights_form, 3557, "a container can't hold the external tensor's type or shape")          \
  X(nac_weights_made, 3558,                                                                        \
    "the elements are computed while they are written: convert the original parts instead")        \
  X(nac_weights_blocks, 3559, "the padded elements or the scales exceed 32 bits")                  \
                                                                                                   \
  X(nac_run_weights, 3600, "the program's weights are in another file, which was not given")       \
  X(nac_run_input, 3601, "an input of the program was not given")                                  \
  X(nac_run_rank, 3602, "expected tensors of at most 16 dimensions")                               \
  X(nac_run_shape, 3603, "the operation isn't defined for operands of these shapes")               \
  X(nac_run_type, 3604, "the operation isn't defined for operands of these data types")            \
  X(nac_run_axis, 3605, "expected an axis that the tensor has, from -rank to rank - 1")            \
  X(nac_run_index, 3606, "expected an index inside the tensor")                                    \
  X(nac_run_argument, 3607, "invalid argument value")                                              \
  X(nac_run_kind, 3608, "wrong kind of value for the operation")                                   \
  X(nac_run_division, 3609, "integer division by zero")                                            \
  X(nac_run_absent, 3610, "the result comes from a branch that didn't run")                        \
  X(nac_run_state, 3611, "the program has no state with this id")                                  \
  X(nac_run_outputs, 3612, "expected as many outputs as the header counts")                        \
  X(nac_run_in_place, 3613, "the in-place change can't be tracked")                                \
  X(nac_run_strides, 3614, "the operation depends on strides, which NAC doesn't store")            \
                                                                                                   \
  X(nac_plan_slot, 3620,                                                                           \
    "the slot holds the wrong kind of value for the execution plan's instruction")                 \
  X(nac_plan_training, 3621,                                                                       \
    "training isn't supported: model_train_step and model_save_weights are refused")               \
  X(nac_plan_prompt, 3622, "the execution plan prompts for an answer, and none is left")           \
  X(nac_plan_answer, 3623, "expected an answer of the prompt's type")                              \
  X(nac_plan_model, 3624, "the execution plan uses a model that it hasn't loaded")                 \
  X(nac_plan_path, 3625, "the path is outside the folder that the execution plan may use")         \
  X(nac_plan_file, 3626, "the execution plan's file can't be read or written")                     \
  X(nac_plan_array, 3627, "the container has no array with this name")                             \
  X(nac_plan_format, 3628, "the format string doesn't match its values")                           \
  X(nac_plan_outputs, 3629, "the model has fewer outputs than the execution plan uses")            \
  X(nac_plan_image, 3630, "the file isn't an image of a supported format")                         \
  X(nac_plan_unavailable, 3631,                                                                    \
    "this build doesn't support what the execution plan's instruction needs")                      \
  X(nac_plan_inputs, 3632, "the model has fewer inputs than the execution plan gives")             \
  X(nac_plan_write, 3633, "the execution plan has no permission to write this file")               \
                                                                                                   \
  X(nac_tokenizer_missing, 3640, "the container has no tokenizer manifest")                        \
  X(nac_tokenizer_resource, 3641, "the tokenizer's vocabulary or merges are missing or malformed") \
  X(nac_tokenizer_expression, 3642, "the tokenizer's regular expression can't be compiled")        \
  X(nac_tokenizer_match, 3643, "the tokenizer's regular expression takes too long to match")       \
  X(nac_tokenizer_utf8, 3644, "expected text in UTF-8")                                            \
  X(nac_tokenizer_unavailable, 3645, "the tokenizer needs a library that this build doesn't have") \
  X(nac_tokenizer_import, 3646, "a tokenizer's manifest has no form for this")                     \
  X(nac_tokenizer_json, 3647, "malformed tokenizer file: a value is missing or of another type")   \
                                                                                                   \
  X(nac_to_ark_operation, 3650, "ARK has no operation for this")                                   \
  X(nac_to_ark_argument, 3651, "ARK has no form for this argument")                                \
  X(nac_to_ark_type, 3652, "ARK has no data type for these elements")                              \
  X(nac_to_ark_shape, 3653, "expected 1 to 4 dimensions, none of them 0, as ARK has them")         \
  X(nac_to_ark_input, 3654, "expected the shape of each input")                                    \
  X(nac_to_ark_limit, 3655, "the conversion needs more work or memory than its options allow")     \
                                                                                                   \
  X(nac_lower_operation, 3660, "the operation can't be lowered to the device")                     \
  X(nac_lower_shape, 3661, "lowering needs the shapes of all inputs")                              \
  X(nac_lower_device, 3662, "the device lacks what the network needs")                             \
  X(nac_lower_memory, 3663, "the device's memory is too small")

#endif  // TESSERA_CORE_ERROR_TABLE_NAC_HPP
