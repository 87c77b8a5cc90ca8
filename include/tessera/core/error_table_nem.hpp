// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules of NEM, each with its error code: nem_con_001_duplicate is rule CON-001.
//
//   #define X(name, value, message, phase, severity) …
//   TESSERA_NEM_RULES(X)
//
// A row states the rule's phase (which of reading or verifying finds it) and its severity in the
// default profile; `nem::rule` (nem/rule.hpp) knows what other profiles change. Part of the
// table of all codes: core/error_table.hpp. Rules RT are those of runs; verification never finds them.
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_NEM_HPP
#define TESSERA_CORE_ERROR_TABLE_NEM_HPP

// X(enumerator, value, what was expected, phase, severity)
#define TESSERA_NEM_RULES(X)                                                                       \
  X(nem_lex_001_character, 4001, "unexpected character", lex, error)                               \
  X(nem_lex_002_string, 4002, "the string isn't closed before the end of its line", lex, error)    \
  X(nem_lex_003_escape, 4003,                                                                      \
    "unknown escape: expected one of \\n \\t \\\\ \\\" (it is kept as it is)", lex, warning)       \
  X(nem_lex_004_number, 4004,                                                                      \
    "malformed number: expected digits, or digits '.' digits and an exponent", lex, error)         \
  X(nem_lex_005_integer, 4005, "the integer exceeds 2^63 - 1", lex, error)                         \
                                                                                                   \
  X(nem_syn_001_token, 4006, "unexpected token", parse, error)                                     \
  X(nem_syn_002_loop, 4007, "expected endloop: the loop isn't closed", parse, error)               \
  X(nem_syn_003_endloop, 4008, "endloop without a loop", parse, error)                             \
  X(nem_syn_004_include, 4009, "expected include before everything else", parse, error)            \
  X(nem_syn_005_directive, 4010,                                                                   \
    "expected one device directive, before the program header and all statements", parse, error)   \
  X(nem_syn_006_header, 4011, "expected one program header, before all statements", parse, error)  \
  X(nem_syn_007_mixed, 4012, "a file holds either configuration or a program", parse, error)       \
  X(nem_syn_008_statement, 4013, "expected a declaration, a task or a loop", parse, error)         \
  X(nem_syn_009_comma, 4014, "expected ',' between type attributes", parse, error)                 \
  X(nem_syn_010_type_attribute, 4015, "duplicate type attribute, or both layout and strides",      \
    parse, error)                                                                                  \
  X(nem_syn_011_argument, 4016, "duplicate argument", parse, error)                                \
  X(nem_syn_012_missing, 4017, "missing required argument", parse, error)                          \
  X(nem_syn_013_reserved, 4018, "a reserved word can't be a name", parse, error)                   \
  X(nem_syn_014_depth, 4019, "nested deeper than 256", parse, error)                               \
  X(nem_syn_017_line_operator, 4020,                                                               \
    "the expression continues on a new line, where other readers end it", parse, warning)          \
  X(nem_syn_018_upstream_reserved, 4021, "the name is reserved by other readers", parse, warning)  \
  X(nem_syn_019_trailing_comma, 4022, "a trailing comma or an empty list is an extension", parse,  \
    warning)                                                                                       \
  X(nem_syn_020_inner_type, 4023, "type attributes belong after the parentheses of region", parse, \
    warning)                                                                                       \
                                                                                                   \
  X(nem_con_001_duplicate, 4024, "duplicate constant declaration", const_, error)                  \
  X(nem_con_002_forward, 4025,                                                                     \
    "the constant expression uses a name that isn't declared before it", const_, error)            \
  X(nem_con_003_not_constant, 4026, "the constant expression uses a name that isn't a constant",   \
    const_, error)                                                                                 \
  X(nem_con_004_division, 4027, "division by zero in a constant expression", const_, error)        \
  X(nem_con_005_in_loop, 4028, "const declaration not permitted inside loop body", const_, error)  \
  X(nem_con_006_conflict, 4029, "the constant's name is used for something else", const_, error)   \
  X(nem_con_007_float, 4030, "const declarations must be integer", const_, error)                  \
  X(nem_con_008_overflow, 4031, "the constant expression exceeds the range of 64 bits", const_,    \
    error)                                                                                         \
                                                                                                   \
  X(nem_exp_001_float, 4032, "expected an integer", eval, error)                                   \
  X(nem_exp_002_name, 4033, "the name isn't declared", eval, error)                                \
  X(nem_exp_003_division, 4034, "division by zero", eval, error)                                   \
  X(nem_exp_004_overflow, 4035, "the expression exceeds the range of 64 bits", eval, error)        \
  X(nem_exp_005_kind, 4036, "expected a number, found the name of something else", eval, error)    \
  X(nem_exp_006_negative, 4037, "'/' and mod of negative operands differ between implementations", \
    eval, warning)                                                                                 \
                                                                                                   \
  X(nem_nam_001_duplicate, 4038, "the name is already declared in this scope", names, error)       \
  X(nem_nam_002_shadow, 4039, "the declaration hides one of an outer scope", names, warning)       \
  X(nem_nam_003_buffer, 4040, "region of a buffer that isn't declared", names, error)              \
  X(nem_nam_004_not_buffer, 4041, "expected a buffer in region(...)", names, error)                \
  X(nem_nam_005_operand, 4042, "the operand isn't declared before its use", names, error)          \
  X(nem_nam_006_not_region, 4043, "expected a region as operand", names, error)                    \
                                                                                                   \
  X(nem_buf_001_size, 4044, "expected size= in the buffer's properties", buffer, error)            \
  X(nem_buf_002_positive, 4045, "expected a buffer size of at least 1 byte", buffer, error)        \
  X(nem_buf_003_align, 4046, "expected an alignment that is a power of two", buffer, error)        \
  X(nem_buf_004_engine, 4047, "the device has no such engine", buffer, error)                      \
  X(nem_buf_005_loop_variable, 4048, "a buffer's properties can't depend on a loop variable",      \
    buffer, error)                                                                                 \
  X(nem_buf_006_unindexed, 4049, "L1 without an index means L1[0] on a device of several engines", \
    buffer, warning)                                                                               \
  X(nem_buf_007_in_loop, 4050,                                                                     \
    "a buffer in a loop body is allocated once, not for each iteration", buffer, warning)          \
                                                                                                   \
  X(nem_cap_001_l1, 4051, "the buffers of an L1 exceed l1_size_bytes", device, error)              \
  X(nem_cap_002_l2, 4052, "the buffers of L2 exceed l2_size_bytes", device, error)                 \
  X(nem_cap_003_tokens, 4053, "more tokens can be live than SEQ.max_active_tokens", device,        \
    warning)                                                                                       \
                                                                                                   \
  X(nem_reg_001_offset, 4054, "expected a region offset of at least 0", region, error)             \
  X(nem_reg_002_extent, 4055, "expected a region extent of at least 1 byte", region, error)        \
  X(nem_reg_003_bounds, 4056, "the region extends past the end of its buffer", region, error)      \
  X(nem_reg_004_too_small, 4057, "the extent is smaller than the elements of the shape", region,   \
    error)                                                                                         \
  X(nem_reg_005_strides, 4058, "the strides reach past the extent", region, error)                 \
  X(nem_reg_006_stride_count, 4059, "expected as many strides as dimensions", region, error)       \
  X(nem_reg_007_layout, 4060,                                                                      \
    "the layout has more or fewer letters than the shape has dimensions", region, warning)         \
  X(nem_reg_008_dimension, 4061, "expected shape dimensions of at least 1", region, error)         \
  X(nem_reg_009_negative_stride, 4062, "expected strides of at least 0", region, error)            \
  X(nem_reg_010_overlapping_elements, 4063,                                                        \
    "a task writes a region whose elements overlap one another", region, error)                    \
  X(nem_reg_011_unaligned, 4064, "the offset isn't a multiple of the element's size", region,      \
    warning)                                                                                       \
                                                                                                   \
  X(nem_typ_001_element, 4065, "expected an element type: i4 i8 i16 i32 u8 u16 u32 f16 bf16 f32",  \
    parse, error)                                                                                  \
  X(nem_typ_002_extension, 4066, "the element type is an extension that no type family knows",     \
    region, warning)                                                                               \
  X(nem_typ_003_untyped, 4067,                                                                     \
    "expected elem, shape and layout or strides on an operand of a compute task", type, error)     \
                                                                                                   \
  X(nem_qnt_001_channels, 4068, "expected a scale and a zero point for each element of the axis",  \
    region, error)                                                                                 \
  X(nem_qnt_002_groups, 4069, "expected a scale and a zero point for each group of the axis",      \
    region, error)                                                                                 \
  X(nem_qnt_003_group_size, 4070, "group_size must be positive", region, error)                    \
  X(nem_qnt_004_axis, 4071, "expected a quantization axis from 0 to rank - 1", region, error)      \
  X(nem_qnt_005_scale, 4072, "expected a scale that is positive and finite", region, error)        \
  X(nem_qnt_006_zero_point, 4073, "expected an integer as zero point", region, error)              \
  X(nem_qnt_007_zero_range, 4074, "the zero point is out of range for the element type", region,   \
    warning)                                                                                       \
  X(nem_qnt_008_float, 4075, "a floating-point region carries a quantization descriptor", region,  \
    warning)                                                                                       \
  X(nem_qnt_009_mixed, 4076,                                                                       \
    "some operands carry a quantization descriptor and others don't: raw integers are used", type, \
    warning)                                                                                       \
  X(nem_qnt_010_bias, 4077,                                                                        \
    "an i32 bias needs a descriptor where the weight's scale varies along a reduced axis", type,   \
    error)                                                                                         \
  X(nem_qnt_011_output, 4078,                                                                      \
    "an integer output without a descriptor gets scale 1 and zero point 0", type, warning)         \
  X(nem_qnt_012_copied, 4079, "values are copied between regions of different descriptors", type,  \
    warning)                                                                                       \
  X(nem_qnt_013_cast, 4080, "cast ignores quantization descriptors", type, warning)                \
  X(nem_qnt_014_function, 4081, "a transcendental function of integers without a descriptor",      \
    type, warning)                                                                                 \
                                                                                                   \
  X(nem_opc_001_opcode, 4082, "unknown opcode", opcode, error)                                     \
  X(nem_opc_002_few_inputs, 4083, "too few inputs for the opcode", opcode, error)                  \
  X(nem_opc_003_many_inputs, 4084, "too many inputs for the opcode", opcode, error)                \
  X(nem_opc_004_outputs, 4085, "wrong number of outputs for the opcode", opcode, error)            \
  X(nem_opc_005_missing, 4086, "missing required attribute", opcode, error)                        \
  X(nem_opc_006_unknown, 4087, "the opcode has no such attribute", opcode, error)                  \
  X(nem_opc_007_repeated, 4088, "duplicate attribute", parse, error)                               \
  X(nem_opc_008_kind, 4089, "wrong kind of value for the attribute", opcode, error)                \
  X(nem_opc_009_range, 4090, "the attribute's value is out of range", opcode, error)               \
  X(nem_opc_010_future, 4091, "no hardware executes the opcode yet", opcode, warning)              \
  X(nem_opc_011_generic, 4092, "binders may reject the generic compute opcode", opcode, warning)   \
                                                                                                   \
  X(nem_shp_001_rank, 4093, "wrong rank of an operand", shape, error)                              \
  X(nem_shp_002_identical, 4094, "shapes must be identical", shape, error)                         \
  X(nem_shp_003_inner, 4095, "the inner dimensions, batch dimensions or channels differ", shape,   \
    error)                                                                                         \
  X(nem_shp_004_output, 4096, "the output's shape differs from the one that the inputs give",      \
    shape, error)                                                                                  \
  X(nem_shp_005_bias, 4097, "wrong shape of the bias or scale", shape, error)                      \
  X(nem_shp_006_layout, 4098, "wrong layout of an operand", shape, error)                          \
  X(nem_shp_007_count, 4099, "reshape must preserve the number of elements", shape, error)         \
  X(nem_shp_008_parts, 4100, "the parts of concat or split don't add up", shape, error)            \
  X(nem_shp_009_groups, 4101, "groups must divide the channels of input and output", shape, error) \
  X(nem_shp_010_padding, 4102, "the padding of a pool must be smaller than its kernel", shape,     \
    error)                                                                                         \
                                                                                                   \
  X(nem_fam_001_variant, 4103, "no variant of a type family takes operands of these types", type,  \
    error)                                                                                         \
  X(nem_fam_002_device, 4104, "the target device doesn't support the variant", device, error)      \
  X(nem_fam_003_accum, 4105, "accum_type differs from that of the type family", type, error)       \
  X(nem_fam_004_quant, 4106,                                                                       \
    "the type family's condition on quantization descriptors is violated", type, error)            \
  X(nem_fam_005_elements, 4107, "element types must match", type, error)                           \
  X(nem_fam_006_ungoverned, 4108, "no type family governs the opcode", type, note)                 \
                                                                                                   \
  X(nem_fdl_001_duplicate, 4109, "the type family is already defined", config, error)              \
  X(nem_fdl_002_type, 4110, "expected an element type, a parameter, absent or any_supported",      \
    config, error)                                                                                 \
  X(nem_fdl_003_instance, 4111, "the instantiation doesn't fit the family's parameters", config,   \
    error)                                                                                         \
  X(nem_fdl_004_variant, 4112, "the variant is already defined", config, error)                    \
  X(nem_fdl_005_no_variants, 4113, "expected at least one variant", config, error)                 \
  X(nem_fdl_006_parameter, 4114, "the type parameter is already declared", config, error)          \
  X(nem_fdl_007_twice, 4115, "the instantiation is already classified", config, error)             \
                                                                                                   \
  X(nem_dev_001_spec_version, 4116, "expected spec_version in a device that extends none", device, \
    error)                                                                                         \
  X(nem_dev_002_inherited, 4117, "spec_version is inherited: a derived device can't set it",       \
    device, error)                                                                                 \
  X(nem_dev_003_topology, 4118, "the target device has no topology", device, error)                \
  X(nem_dev_004_engines, 4119, "expected num_engines of at least 1", device, error)                \
  X(nem_dev_005_units, 4120, "expected at least 1 unit of each type in an engine", device, error)  \
  X(nem_dev_006_memory, 4121, "memory sizes must be > 0, and num_engines and per_engine given",    \
    device, error)                                                                                 \
  X(nem_dev_007_mandatory, 4122, "opcode.mandatory lacks a variant that every device must have",   \
    device, error)                                                                                 \
  X(nem_dev_008_extended, 4123,                                                                    \
    "the variant is already mandatory: its entry in opcode.extended is ignored", device, warning)  \
  X(nem_dev_009_variant, 4124, "unknown variant of a type family", device, error)                  \
  X(nem_dev_010_redundant, 4125, "duplicate variant: already listed or inherited", device,         \
    warning)                                                                                       \
  X(nem_dev_011_unit_block, 4126, "the unit type doesn't belong in this block", parse, error)      \
  X(nem_dev_012_repeated, 4127, "duplicate block or field", parse, error)                          \
  X(nem_dev_013_parent, 4128, "the parent device isn't defined before this device", device, error) \
  X(nem_dev_014_cycle, 4129, "the device extends itself", device, error)                           \
  X(nem_dev_015_duplicate, 4130, "the device is already defined", device, error)                   \
  X(nem_dev_016_unknown, 4131, "unknown device: neither defined here nor in an included file",     \
    device, error)                                                                                 \
  X(nem_dev_017_file, 4132, "expected one device in the file, or one with the name of the file",   \
    device, error)                                                                                 \
  X(nem_dev_018_omitted, 4133, "per_engine omits a unit type", device, warning)                    \
  X(nem_dev_019_no_mandatory, 4134, "expected opcode.mandatory in a device that extends none",     \
    device, error)                                                                                 \
  X(nem_dev_020_version, 4135, "unknown spec_version: expected \"NEM-1.0\"", device, warning)      \
                                                                                                   \
  X(nem_inc_001_missing, 4136, "the file can't be found", include, error)                          \
  X(nem_inc_002_circular, 4137, "the file includes itself", include, error)                        \
  X(nem_inc_003_invalid, 4138, "the included file isn't a valid document", include, error)         \
  X(nem_inc_004_program, 4139, "the program in the included file is ignored", include, warning)    \
                                                                                                   \
  X(nem_dec_001_unknown, 4140, "unknown decorator", decorator, error)                              \
  X(nem_dec_002_target, 4141, "the decorator doesn't apply here", decorator, error)                \
  X(nem_dec_003_arguments, 4142, "wrong arguments for the decorator", decorator, error)            \
  X(nem_dec_004_repeated, 4143, "duplicate decorator", decorator, warning)                         \
  X(nem_dec_005_access, 4144, "readonly and writeonly exclude each other", decorator, error)       \
  X(nem_dec_006_in_flight, 4145, "expected at least 1 iteration in flight", decorator, error)      \
  X(nem_dec_007_readonly, 4146, "the task writes what is marked readonly", decorator, error)       \
  X(nem_dec_008_writeonly, 4147, "the task reads what is marked writeonly", decorator, error)      \
                                                                                                   \
  X(nem_res_001_invalid, 4148, "the unit type isn't a valid @resource target", decorator, error)   \
  X(nem_res_002_unknown, 4149, "unknown unit type: expected NMU, CSTL, DMA or VPU", decorator,     \
    error)                                                                                         \
  X(nem_res_003_negative, 4150, "expected a unit index of at least 0", decorator, error)           \
  X(nem_res_004_eligible, 4151, "the unit type can't execute the operation", decorator, error)     \
  X(nem_res_005_remapped, 4152, "the device has fewer units: another unit of this type is used",   \
    decorator, note)                                                                               \
  X(nem_res_006_translated, 4153, "the device has no unit of the type: another type is used",      \
    decorator, warning)                                                                            \
  X(nem_res_007_system_dma, 4154, "an engine's DMA is bound to a transfer that touches DDR",       \
    decorator, warning)                                                                            \
  X(nem_res_008_no_system_dma, 4155, "the task moves DDR data, and the device declares no sDMA",   \
    place, warning)                                                                                \
                                                                                                   \
  X(nem_tok_001_unknown, 4156, "no task assigns the token", token, error)                          \
  X(nem_tok_002_early, 4157, "the token isn't produced before this use, or isn't visible here",    \
    token, error)                                                                                  \
  X(nem_tok_004_kind, 4158, "expected a token", token, error)                                      \
  X(nem_tok_005_wait, 4159, "wait produces no token", token, error)                                \
  X(nem_tok_007_repeated, 4160, "duplicate token", token, warning)                                 \
                                                                                                   \
  X(nem_xfr_001_small, 4161, "the destination is smaller than the source", transfer, error)        \
  X(nem_xfr_002_large, 4162, "the destination is larger than the source: its tail isn't written",  \
    transfer, warning)                                                                             \
  X(nem_xfr_003_element, 4163, "source and destination have different element types", transfer,    \
    error)                                                                                         \
  X(nem_xfr_004_shape, 4164, "source and destination have different shapes", transfer, warning)    \
  X(nem_xfr_005_layout, 4165,                                                                      \
    "bytes are copied in order between different layouts, without rearranging elements", transfer, \
    warning)                                                                                       \
  X(nem_xfr_006_overlap, 4166, "source and destination overlap without @memmove", transfer, error) \
  X(nem_xfr_007_quant, 4167, "source and destination have different quantization descriptors",     \
    transfer, warning)                                                                             \
  X(nem_xfr_008_nearer, 4168, "store moves data to a nearer memory level", transfer, warning)      \
                                                                                                   \
  X(nem_plc_001_engines, 4169, "the task references L1 memories of several engines", place, error) \
  X(nem_plc_002_pinned, 4170,                                                                      \
    "the task is pinned to a different engine than the one its L1 memory belongs to", place,       \
    error)                                                                                         \
  X(nem_plc_003_no_engine, 4171, "the device has no engine with this index", place, error)         \
                                                                                                   \
  X(nem_haz_001_unordered, 4172, "the tasks touch the same bytes, and nothing orders them",        \
    hazard, error)                                                                                 \
  X(nem_haz_002_iterations, 4173, "iterations in flight together touch the same bytes", hazard,    \
    error)                                                                                         \
  X(nem_haz_003_rewritten, 4174,                                                                   \
    "iterations in flight together write the same data to the same bytes", hazard, warning)        \
  X(nem_haz_004_in_place, 4175, "the output overlaps an input of its task", hazard, error)         \
  X(nem_haz_006_unwritten, 4176, "the task reads bytes of L1 that no earlier task wrote", hazard,  \
    warning)                                                                                       \
                                                                                                   \
  X(nem_lop_001_empty, 4177, "the loop ends before it begins: expected last >= first", loop,       \
    error)                                                                                         \
                                                                                                   \
  X(nem_haz_005_partial, 4178,                                                                     \
    "the loops are too long to be expanded: only part of them is searched for hazards", hazard,    \
    note)                                                                                          \
                                                                                                   \
  X(nem_rt_div0, 4179, "an integer element is divided by zero", run, error)                        \
  X(nem_rt_index, 4180, "expected an index inside the operand", run, error)                        \
  X(nem_rt_acc, 4181, "a sum exceeds the 32 bits of its accumulator and wraps around", run,        \
    warning)                                                                                       \
  X(nem_rt_uninit, 4182, "the task reads bytes that nothing wrote or bound", run, warning)         \
  X(nem_rt_race, 4183, "the tasks of the run touch the same bytes, unordered", run, error)         \
  X(nem_rt_unsupported, 4184, "the machine doesn't implement this operation", run, error)          \
  X(nem_rt_mem, 4185, "the buffers exceed the memory limit of the run", run, error)

#endif  // TESSERA_CORE_ERROR_TABLE_NEM_HPP
