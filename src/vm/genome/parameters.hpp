// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the arguments of operations are called: registries name keywords, patterns have letters.
//
//   letter_of(operation::softmax, "dtype");                  // 2: the d of "ti?d"
//   letter_of(operation::linear, "device");                  // none
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_GENOME_PARAMETERS_HPP
#define TESSERA_VM_GENOME_PARAMETERS_HPP

#include <cstddef>
#include <string_view>

#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

using tessera::nac::operation;

struct named_parameters {
  operation what;
  std::string_view names;  ///< of its letters, blanks between them
};
/// Of all operations but those with the names of `usual_parameters`.
inline constexpr std::string_view usual_parameters = "self other";
inline constexpr named_parameters parameter_names[] = {
    {operation::pass, "self p"},
    {operation::dropout, "input p train"},
    {operation::feature_dropout, "input p train"},
    {operation::native_dropout, "input p train"},
    {operation::rand, "size dtype"},
    {operation::rand_like, "self dtype"},
    {operation::randn, "size dtype"},
    {operation::randn_like, "self dtype"},
    {operation::randint, "high low size dtype"},
    {operation::randint_like, "self high low dtype"},
    {operation::randperm, "n dtype"},
    {operation::uniform, "self from to"},
    {operation::normal, "mean std size dtype"},
    {operation::normal_like, "self mean std"},
    {operation::bernoulli_by, "self p"},
    {operation::multinomial, "self num_samples replacement"},
    {operation::add, "self other alpha"},
    {operation::sub, "self other alpha"},
    {operation::rsub, "self other alpha"},
    {operation::where, "condition self other"},
    {operation::masked_fill, "self mask value"},
    {operation::clone, "self memory_format"},
    {operation::view, "self size"},
    {operation::arange, "start end step dtype"},
    {operation::linspace, "start end steps dtype"},
    {operation::transpose, "self dim0 dim1"},
    {operation::zeros, "size dtype"},
    {operation::zeros_like, "self dtype"},
    {operation::new_zeros, "self size dtype"},
    {operation::ones, "size dtype"},
    {operation::ones_like, "self dtype"},
    {operation::new_ones, "self size dtype"},
    {operation::full, "size fill_value dtype"},
    {operation::full_like, "self fill_value dtype"},
    {operation::getitem, "self index"},
    {operation::sym_size, "self dim"},
    {operation::gelu, "self approximate"},
    {operation::leaky_relu, "self negative_slope"},
    {operation::elu, "self alpha scale input_scale"},
    {operation::softplus, "self beta threshold"},
    {operation::prelu, "self weight"},
    {operation::hardtanh, "self min_val max_val"},
    {operation::celu, "self alpha"},
    {operation::softshrink, "self lambd"},
    {operation::hardshrink, "self lambd"},
    {operation::threshold, "self threshold value"},
    {operation::logit, "self eps"},
    {operation::nan_to_num, "self nan posinf neginf"},
    {operation::div_mode, "self other rounding_mode"},
    {operation::addcmul, "self tensor1 tensor2 value"},
    {operation::addcdiv, "self tensor1 tensor2 value"},
    {operation::lerp, "self end weight"},
    {operation::atan2, "self other out"},
    {operation::clamp, "self min max"},
    {operation::clamp_tensor, "self min max"},
    {operation::glu, "self dim"},
    {operation::heaviside, "self values"},
    {operation::clamp_max, "self max"},
    {operation::pow, "self exponent"},
    {operation::linear, "input weight bias"},
    {operation::addmm, "self mat1 mat2 beta alpha"},
    {operation::baddbmm, "self batch1 batch2 beta alpha"},
    {operation::outer, "self vec2"},
    {operation::einsum, "equation tensors"},
    {operation::conv1d, "input weight bias stride padding dilation groups"},
    {operation::conv2d, "input weight bias stride padding dilation groups"},
    {operation::conv3d, "input weight bias stride padding dilation groups"},
    {operation::conv_padded, "input weight bias stride padding dilation groups"},
    {operation::convolution,
     "input weight bias stride padding dilation transposed output_padding groups"},
    {operation::conv_transpose, "input weight bias stride padding output_padding groups dilation"},
    {operation::conv2d_precomputed, "input weight bias sizes"},
    {operation::batch_norm, "input weight bias running_mean running_var momentum eps"},
    {operation::batch_norm_by_mode,
     "input weight bias running_mean running_var training momentum eps cudnn_enabled"},
    {operation::layer_norm, "input normalized_shape weight bias eps cudnn_enable"},
    {operation::native_layer_norm, "input normalized_shape weight bias eps"},
    {operation::group_norm, "input num_groups weight bias eps cudnn_enabled"},
    {operation::softmax, "self dim dtype"},
    {operation::log_softmax, "self dim dtype"},
    {operation::attention, "query key value attn_mask dropout_p is_causal scale enable_gqa"},
    {operation::embedding, "weight indices padding_idx scale_grad_by_freq sparse"},
    {operation::slice, "self dim start end step"},
    {operation::select, "self dim index"},
    {operation::slice_scatter, "self src dim start end step"},
    {operation::index, "self indices"},
    {operation::index_select, "self dim index"},
    {operation::gather, "self dim index sparse_grad"},
    {operation::scatter, "self dim index src"},
    {operation::scatter_add, "self dim index src"},
    {operation::expand, "self size"},
    {operation::repeat, "self repeats"},
    {operation::tile, "self dims"},
    {operation::permute, "self dims"},
    {operation::flip, "self dims"},
    {operation::roll, "self shifts dims"},
    {operation::squeeze, "self dim"},
    {operation::unsqueeze, "self dim"},
    {operation::cat, "tensors dim"},
    {operation::stack, "tensors dim"},
    {operation::split, "self split_size dim"},
    {operation::split_with_sizes, "self split_sizes dim"},
    {operation::chunk, "self chunks dim"},
    {operation::unbind, "self dim"},
    {operation::mean, "self dim keepdim dtype"},
    {operation::sum, "self dim keepdim dtype"},
    {operation::var, "self dim correction keepdim"},
    {operation::std_dev, "self dim correction keepdim"},
    {operation::var_mean, "self dim correction keepdim"},
    {operation::all, "self dim keepdim"},
    {operation::any, "self dim keepdim"},
    {operation::max_dim, "self dim keepdim"},
    {operation::min_dim, "self dim keepdim"},
    {operation::amax, "self dim keepdim"},
    {operation::amin, "self dim keepdim"},
    {operation::argmax, "self dim keepdim"},
    {operation::argmin, "self dim keepdim"},
    {operation::prod, "self dim keepdim dtype"},
    {operation::nansum, "self dim keepdim dtype"},
    {operation::nanmean, "self dim keepdim dtype"},
    {operation::count_nonzero, "self dim"},
    {operation::logsumexp, "self dim keepdim"},
    {operation::std_mean, "self dim correction keepdim"},
    {operation::aminmax, "self dim keepdim"},
    {operation::norm, "self ord dim keepdim dtype"},
    {operation::dist, "self other p"},
    {operation::cosine_similarity, "x1 x2 dim eps"},
    {operation::median_dim, "self dim keepdim"},
    {operation::nanmedian_dim, "self dim keepdim"},
    {operation::mode, "self dim keepdim"},
    {operation::kthvalue, "self k dim keepdim"},
    {operation::histc, "self bins min max"},
    {operation::bincount, "self weights minlength"},
    {operation::diff, "self n dim prepend append"},
    {operation::topk, "self k dim largest sorted"},
    {operation::sort, "self dim descending"},
    {operation::argsort, "self dim descending"},
    {operation::sort_stable, "self stable dim descending"},
    {operation::searchsorted, "sorted_sequence self out_int32 right side sorter"},
    {operation::bucketize, "self boundaries out_int32 right"},
    {operation::isin, "elements test_elements assume_unique invert"},
    {operation::unique, "self sorted return_inverse return_counts"},
    {operation::as_strided, "self size stride storage_offset"},
    {operation::cumsum, "self dim dtype"},
    {operation::cumprod, "self dim dtype"},
    {operation::cummax, "self dim"},
    {operation::cummin, "self dim"},
    {operation::logcumsumexp, "self dim"},
    {operation::triu, "self diagonal"},
    {operation::tril, "self diagonal"},
    {operation::pad, "self pad mode value"},
    {operation::max_pool2d, "self kernel_size stride padding dilation ceil_mode"},
    {operation::avg_pool2d,
     "self kernel_size stride padding ceil_mode count_include_pad divisor_override"},
    {operation::adaptive_avg_pool2d, "self output_size"},
    {operation::upsample_nearest, "input output_size scale_factors"},
    {operation::upsample_nearest_to, "self output_size scales_h scales_w"},
    {operation::to_copy, "self dtype"},
    {operation::copy, "self src non_blocking"},
    {operation::fill, "self value"},
    {operation::scalar_tensor, "s dtype"},
    {operation::empty_strided, "size stride dtype"},
    {operation::new_empty_strided, "self size stride dtype"},
    {operation::scatter_reduce, "self dim index src reduce include_self"},
    {operation::index_add, "self dim index source alpha"},
    {operation::index_copy, "self dim index source"},
    {operation::index_fill, "self dim index value"},
    {operation::take_along_dim, "self indices dim"},
    {operation::take, "self index"},
    {operation::index_put, "self indices accumulate"},
    {operation::masked_select, "self mask"},
    {operation::masked_scatter, "self mask source"},
    {operation::one_hot, "self num_classes"},
    {operation::max_pool1d, "self kernel_size stride padding dilation ceil_mode"},
    {operation::max_pool3d, "self kernel_size stride padding dilation ceil_mode"},
    {operation::max_pool1d_with_indices, "self kernel_size stride padding dilation ceil_mode"},
    {operation::max_pool2d_with_indices, "self kernel_size stride padding dilation ceil_mode"},
    {operation::max_pool3d_with_indices, "self kernel_size stride padding dilation ceil_mode"},
    {operation::avg_pool1d, "self kernel_size stride padding ceil_mode count_include_pad"},
    {operation::avg_pool3d,
     "self kernel_size stride padding ceil_mode count_include_pad divisor_override"},
    {operation::adaptive_avg_pool1d, "self output_size"},
    {operation::adaptive_avg_pool3d, "self output_size"},
    {operation::adaptive_max_pool1d, "self output_size"},
    {operation::adaptive_max_pool2d, "self output_size"},
    {operation::adaptive_max_pool3d, "self output_size"},
    {operation::upsample_linear, "input output_size align_corners scale_factors"},
    {operation::upsample_linear_to, "self output_size align_corners scales_d scales_h scales_w"},
    {operation::upsample_cubic, "input output_size align_corners scale_factors"},
    {operation::upsample_cubic_to, "self output_size align_corners scales_h scales_w"},
    {operation::upsample_nearest_nd, "input output_size scale_factors"},
    {operation::upsample_nearest_nd_to, "self output_size scales_d scales_h scales_w"},
    {operation::upsample_nearest_exact, "input output_size scale_factors"},
    {operation::upsample_nearest_exact_to, "self output_size scales_d scales_h scales_w"},
    {operation::grid_sampler, "input grid interpolation_mode padding_mode align_corners"},
    {operation::affine_grid_generator, "theta size align_corners"},
    {operation::im2col, "self kernel_size dilation padding stride"},
    {operation::col2im, "self output_size kernel_size dilation padding stride"},
    {operation::unfold, "self dimension size step"},
    {operation::pixel_shuffle, "self upscale_factor"},
    {operation::pixel_unshuffle, "self downscale_factor"},
    {operation::reflection_pad, "self padding"},
    {operation::replication_pad, "self padding"},
    {operation::flatten, "self start_dim end_dim"},
    {operation::unflatten, "self dim sizes"},
    {operation::movedim, "self source destination"},
    {operation::narrow, "self dim start length"},
    {operation::diagonal, "self offset dim1 dim2"},
    {operation::diagonal_scatter, "self src offset dim1 dim2"},
    {operation::select_scatter, "self src dim index"},
    {operation::tensor_split, "self sections dim"},
    {operation::tensor_split_at, "self indices dim"},
    {operation::meshgrid, "tensors indexing"},
    {operation::repeat_interleave, "self repeats dim output_size"},
    {operation::repeat_indices, "repeats output_size"},
    {operation::eye, "n m dtype"},
    {operation::assert_metadata, "a size stride dtype"},
    {operation::assert_true, "self assert_msg"},
    {operation::lstm_cell, "input hx cx w_ih w_hh b_ih b_hh"},
    {operation::gru_cell, "input hx w_ih w_hh b_ih b_hh"},
    {operation::rnn_tanh_cell, "input hx w_ih w_hh b_ih b_hh"},
    {operation::rnn_relu_cell, "input hx w_ih w_hh b_ih b_hh"},
    {operation::lstm, "input has_biases num_layers dropout train bidirectional batch_first"},
    {operation::gru, "input has_biases num_layers dropout train bidirectional batch_first"},
    {operation::rnn_tanh, "input has_biases num_layers dropout train bidirectional batch_first"},
    {operation::rnn_relu, "input has_biases num_layers dropout train bidirectional batch_first"},
    {operation::native_batch_norm,
     "input weight bias running_mean running_var training momentum eps"},
    {operation::batch_norm_of_batch, "input weight bias training momentum eps"},
    {operation::batch_norm_functional,
     "input weight bias running_mean running_var training momentum eps"},
    {operation::instance_norm,
     "input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled"},
    {operation::native_group_norm, "input weight bias N C HxW group eps"},
    {operation::rms_norm, "input normalized_shape weight eps"},
    {operation::fused_rms_norm, "input normalized_shape weight eps"},
    {operation::weight_norm, "v g dim"},
    {operation::weight_norm_interface, "v g dim"},
    {operation::safe_softmax, "self dim dtype"},
    {operation::attention_for_cpu, "query key value dropout_p is_causal attn_mask scale"},
    {operation::attention_flash, "query key value dropout_p is_causal return_debug_mask scale"},
    {operation::attention_efficient,
     "query key value attn_bias compute_log_sumexp dropout_p is_causal scale"},
    {operation::embedding_bag,
     "weight indices offsets scale_grad_by_freq mode sparse per_sample_weights include_last_offset "
     "padding_idx"},
    {operation::embedding_bag_forward,
     "weight indices offsets scale_grad_by_freq mode sparse per_sample_weights include_last_offset "
     "padding_idx"},
    {operation::dot, "self tensor"},
    {operation::mv, "self vec"},
    {operation::addmv, "self mat vec beta alpha"},
    {operation::addr, "self vec1 vec2 beta alpha"},
    {operation::addbmm, "self batch1 batch2 beta alpha"},
    {operation::tensordot, "self other dims_self dims_other"},
    {operation::bilinear, "input1 input2 weight bias"},
    {operation::cdist, "x1 x2 p compute_mode"},
    {operation::pdist, "self p"},
    {operation::cross, "self other dim"},
    {operation::linalg_cross, "self other dim"},
    {operation::inverse_ex, "A check_errors"},
    {operation::solve, "A B left"},
    {operation::solve_triangular, "self B upper left unitriangular"},
    {operation::cholesky, "self upper"},
    {operation::complex, "real imag"},
    {operation::fft, "self n dim norm"},
    {operation::ifft, "self n dim norm"},
    {operation::rfft, "self n dim norm"},
    {operation::irfft, "self n dim norm"},
    {operation::fft2, "self s dim norm"},
    {operation::ifft2, "self s dim norm"},
    {operation::rfft2, "self s dim norm"},
    {operation::irfft2, "self s dim norm"},
    {operation::fftn, "self s dim norm"},
    {operation::ifftn, "self s dim norm"},
    {operation::rfftn, "self s dim norm"},
    {operation::irfftn, "self s dim norm"},
    {operation::fft_r2c, "self dim normalization onesided"},
    {operation::fft_c2r, "self dim normalization last_dim_size"},
    {operation::fft_c2c, "self dim normalization forward"},
    {operation::fftshift, "self dim"},
    {operation::ifftshift, "self dim"},
    {operation::hann_window, "window_length dtype"},
    {operation::hann_window_by_mode, "window_length periodic dtype"},
    {operation::hamming_window, "window_length dtype"},
    {operation::blackman_window, "window_length dtype"},
    {operation::bartlett_window, "window_length dtype"},
    {operation::stft,
     "self n_fft hop_length win_length window normalized onesided return_complex align_to_window"},
};

inline constexpr std::size_t no_letter = ~std::size_t{0};

[[nodiscard]] constexpr std::string_view parameters_of(operation o) noexcept {
  for (const named_parameters& row : parameter_names)
    if (row.what == o) return row.names;
  return usual_parameters;
}

/// Which letter of an operation's pattern a keyword is, the first being 0; or none.
[[nodiscard]] constexpr std::size_t letter_of(operation o, std::string_view keyword) noexcept {
  std::string_view rest = parameters_of(o);
  for (std::size_t letter = 0; !rest.empty(); ++letter) {
    const std::size_t blank = rest.find(' ');
    if (rest.substr(0, blank) == keyword) return letter;
    rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
  }
  return no_letter;
}

/// The letters of a pattern without its signs.
[[nodiscard]] constexpr std::size_t letters_in(std::string_view pattern) noexcept {
  std::size_t count = 0;
  for (const char c : pattern) count += c != '?' && c != '*' ? 1u : 0u;
  return count;
}
/// Letter number `letter`, or 0.
[[nodiscard]] constexpr char letter_at(std::string_view pattern, std::size_t letter) noexcept {
  for (const char c : pattern)
    if (c != '?' && c != '*' && letter-- == 0) return c;
  return 0;
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_GENOME_PARAMETERS_HPP
