# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Exports the architectures of the study, and decomposes them to NAC v1.2 over one registry.

    python3 export.py --tool build/src/tessera --work /tmp/study        # takes half an hour
    python3 export.py --tool build/src/tessera --work /tmp/study --only resnet18

Needs torch 2.13, torchvision, timm, transformers, diffusers and torchaudio. Weights are random: only
the structure is kept, and an archive holds one element for each parameter. Each model is exported in
a process of its own, with a limit of time, and made functional by an empty table of decompositions:
D[] of v1.2 holds data dependencies only, so that an in-place operation has no place in it. The tool
imports the archives and writes them as streams.

Written beside this script:
    families.json, kinds.json    the labels of what was exported
    signatures.json              a stream for each
    registry.json                of all streams
Work folder: NAME.pt2; NAME.log says why a model isn't there.

FAMILIES is the table of architectures. A family is a line of descent: networks that their authors
present as the same design at another depth, or as a modification of it. The kind is what people
would file it under. Both were written down before anything was mined.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

import torch
from torch import nn

FAMILIES = []


def family(name, kind):
    def add(members):
        for member, build in members.items():
            FAMILIES.append((member, name, kind, build))
    return add


def image(size=224, channels=3):
    return torch.zeros(1, channels, size, size)


def tokens(length=16):
    return torch.zeros(1, length, dtype=torch.long)


def sound(samples=16000):
    return torch.zeros(1, samples)


class Call(nn.Module):
    """Calls a model by keywords and takes the first tensor of what it returns."""

    def __init__(self, model, names, fixed=None):
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed or {}

    def forward(self, *inputs):
        out = self.model(**dict(zip(self.names, inputs)), **self.fixed)
        while not isinstance(out, torch.Tensor):
            out = out[0] if isinstance(out, (tuple, list)) else next(iter(out.values()))
        return out


def vision(name, size=224, **options):
    """A model of torchvision."""
    def build():
        import torchvision
        make = getattr(torchvision.models, name)
        if name in ("googlenet", "inception_v3"):
            options.setdefault("aux_logits", False)
            options.setdefault("init_weights", False)
        return make(weights=None, **options), (image(size),)
    return build


def timm(name, size=224, **options):
    def build():
        import timm as library
        return library.create_model(name, pretrained=False, **options), (image(size),)
    return build


def hugging(model, inputs, fixed=None, **config):
    """A model of transformers from its configuration."""
    def build():
        import transformers
        of = getattr(transformers, model)
        made = of(of.config_class(**config))
        given = inputs()
        return Call(made, list(given), fixed), tuple(given.values())
    return build


def text(model, layers="num_hidden_layers", depth=12, width=64, heads=4, fixed=None, **config):
    """An encoder or a decoder of text: its own depth, a small width."""
    sizes = {layers: depth, "hidden_size": width, "num_attention_heads": heads,
             "intermediate_size": 4 * width, "vocab_size": 512}
    sizes.update(config)
    return hugging(model, lambda: {"input_ids": tokens()}, fixed, **sizes)


def decoder(model, **config):
    return text(model, fixed={"use_cache": False}, **config)


def translator(model, depth, **config):
    """An encoder and a decoder of text."""
    return hugging(model, lambda: {"input_ids": tokens(), "decoder_input_ids": tokens()},
                   {"use_cache": False},
                   **{"vocab_size": 512, "d_model": 64, "encoder_layers": depth,
                      "decoder_layers": depth, "encoder_attention_heads": 4,
                      "decoder_attention_heads": 4, "encoder_ffn_dim": 256, "decoder_ffn_dim": 256,
                      "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2,
                      "decoder_start_token_id": 2, **config})


def t5(model, depth, **config):
    return hugging(model, lambda: {"input_ids": tokens(), "decoder_input_ids": tokens()},
                   {"use_cache": False}, vocab_size=512, d_model=64, d_kv=16, d_ff=256, num_heads=4,
                   num_layers=depth, num_decoder_layers=depth, **config)


def speech(model, depth=12, **config):
    return hugging(model, lambda: {"input_values": sound()}, None,
                   **{"num_hidden_layers": depth, "hidden_size": 64, "num_attention_heads": 4,
                      "intermediate_size": 256, "conv_dim": [32] * 7,
                      "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4, **config})


def whisper(depth):
    sizes = {"vocab_size": 512, "d_model": 64, "encoder_layers": depth, "decoder_layers": depth,
             "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 256,
             "decoder_ffn_dim": 256, "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0,
             "decoder_start_token_id": 1}
    return hugging("WhisperModel", lambda: {"input_features": torch.zeros(1, 80, 3000),
                                            "decoder_input_ids": tokens(8)},
                   {"use_cache": False}, **sizes)


def audio(name, *inputs, **options):
    def build():
        import torchaudio.models
        return getattr(torchaudio.models, name)(**options), tuple(i() for i in inputs)
    return build


class Conformer(nn.Module):
    """The layers of torchaudio's model, which masks by lengths that torch.export can't know."""

    def __init__(self, layers):
        super().__init__()
        import torchaudio.models
        self.layers = torchaudio.models.Conformer(80, 4, 128, layers, 31).conformer_layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x, None)
        return x


def conformer(layers):
    return lambda: (Conformer(layers), (torch.zeros(50, 1, 80),))


def diffuser(model, inputs, fixed=None, **config):
    def build():
        import diffusers
        given = inputs()
        made = getattr(diffusers, model)(**config)
        return Call(made, list(given), {"return_dict": False, **(fixed or {})}), tuple(given.values())
    return build


def conditioned(size=32, channels=4, width=32):
    return lambda: {"sample": image(size, channels), "timestep": torch.tensor([1]),
                    "encoder_hidden_states": torch.zeros(1, 8, width)}


def autoencoder(model, channels=3, **config):
    return diffuser(model, lambda: {"sample": image(32, channels)}, **config)


# ---- recurrent networks, as papers and textbooks have them

class SequenceModel(nn.Module):
    """Embedding, recurrent layers, projection to the vocabulary."""

    def __init__(self, cell, layers, bidirectional=False, **options):
        super().__init__()
        self.embedding = nn.Embedding(64, 32)
        self.layers = cell(32, 32, layers, batch_first=True, bidirectional=bidirectional, **options)
        width = options.get("proj_size", 32)
        self.projection = nn.Linear(2 * width if bidirectional else width, 64)

    def forward(self, words):
        return self.projection(self.layers(self.embedding(words))[0])


class Classifier(SequenceModel):
    """The same, with the last step only."""

    def forward(self, words):
        return self.projection(self.layers(self.embedding(words))[0][:, -1])


class CellModel(nn.Module):
    """A cell, step by step."""

    def __init__(self, cell, steps):
        super().__init__()
        self.embedding, self.cell = nn.Embedding(64, 32), cell(32, 32)
        self.projection, self.steps = nn.Linear(32, 64), steps

    def forward(self, words):
        x, out = self.embedding(words), []
        state = None
        for step in range(self.steps):
            state = self.cell(x[:, step], state)
            out.append(self.projection(state[0] if isinstance(state, tuple) else state))
        return torch.stack(out, 1)


class Translator(nn.Module):
    """Encoder and decoder with attention over the encoder's states (Luong and others, 2015)."""

    def __init__(self, cell, layers):
        super().__init__()
        self.source, self.target = nn.Embedding(64, 32), nn.Embedding(64, 32)
        self.encoder = cell(32, 32, layers, batch_first=True)
        self.decoder = cell(32, 32, layers, batch_first=True)
        self.score, self.join = nn.Linear(32, 32), nn.Linear(64, 32)
        self.projection = nn.Linear(32, 64)

    def forward(self, source, target):
        memory, state = self.encoder(self.source(source))
        out, _ = self.decoder(self.target(target), state)
        weights = torch.softmax(self.score(out) @ memory.transpose(1, 2), -1)
        return self.projection(torch.tanh(self.join(torch.cat([weights @ memory, out], -1))))


class Crnn(nn.Module):
    """Convolutions, then a recurrent network over columns (Shi and others, 2015)."""

    def __init__(self, cell):
        super().__init__()
        layers = []
        for i, (a, b) in enumerate([(1, 16), (16, 32), (32, 64), (64, 64)]):
            layers += [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU()]
            layers += [nn.MaxPool2d(2 if i < 2 else (2, 1))]
        self.features = nn.Sequential(*layers)
        self.layers = cell(128, 64, 2, bidirectional=True, batch_first=True)
        self.projection = nn.Linear(128, 37)

    def forward(self, picture):
        x = self.features(picture).flatten(1, 2).transpose(1, 2)
        return torch.log_softmax(self.projection(self.layers(x)[0]), -1)


def words(make, *options, inputs=1, **named):
    return lambda: (make(*options, **named), (tokens(),) * inputs)


# ---- audio convolutions

class Jasper(nn.Module):
    """QuartzNet's blocks (Kriman and others, 2019): separable convolutions with a residual."""

    class Block(nn.Module):
        def __init__(self, a, b, kernel, repeats):
            super().__init__()
            layers = []
            for i in range(repeats):
                c = a if i == 0 else b
                layers += [nn.Conv1d(c, c, kernel, padding=kernel // 2, groups=c), nn.Conv1d(c, b, 1),
                           nn.BatchNorm1d(b)] + ([nn.ReLU()] if i + 1 < repeats else [])
            self.layers = nn.Sequential(*layers)
            self.shortcut = nn.Sequential(nn.Conv1d(a, b, 1), nn.BatchNorm1d(b))

        def forward(self, x):
            return torch.relu(self.layers(x) + self.shortcut(x))

    def __init__(self, blocks):
        super().__init__()
        self.first = nn.Sequential(nn.Conv1d(80, 32, 33, stride=2, padding=16), nn.BatchNorm1d(32),
                                   nn.ReLU())
        self.blocks = nn.Sequential(*[self.Block(32, 32, 33 + 6 * (i // 3), 5)
                                      for i in range(blocks)])
        self.last = nn.Conv1d(32, 29, 1)

    def forward(self, x):
        return torch.log_softmax(self.last(self.blocks(self.first(x))), 1)


class M5(nn.Module):
    """Very deep convolutional networks on raw waveforms (Dai and others, 2016)."""

    def __init__(self, depths):
        super().__init__()
        layers, a = [], 1
        for i, depth in enumerate(depths):
            for k in range(depth):
                first = i == 0
                layers += [nn.Conv1d(a, 32 << min(i, 2), 80 if first else 3, 4 if first else 1,
                                     0 if first else 1), nn.BatchNorm1d(32 << min(i, 2)), nn.ReLU()]
                a = 32 << min(i, 2)
            layers.append(nn.MaxPool1d(4))
        self.features, self.last = nn.Sequential(*layers), nn.Linear(a, 35)

    def forward(self, x):
        return torch.log_softmax(self.last(self.features(x).mean(-1)), -1)


def spectrum(make, *options):
    return lambda: (make(*options), (torch.zeros(1, 80, 200),))


family("vgg", "convolutional")({
    "alexnet": vision("alexnet"), "vgg11": vision("vgg11"), "vgg13": vision("vgg13"),
    "vgg16": vision("vgg16"), "vgg19": vision("vgg19"), "vgg11_bn": vision("vgg11_bn"),
    "vgg13_bn": vision("vgg13_bn"), "vgg16_bn": vision("vgg16_bn"), "vgg19_bn": vision("vgg19_bn")})
family("resnet", "convolutional")({
    **{n: vision(n) for n in ("resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
                              "resnext50_32x4d", "resnext101_32x8d", "wide_resnet50_2")},
    "resnet50d": timm("resnet50d"), "seresnet50": timm("seresnet50"),
    "res2net50": timm("res2net50_26w_4s")})
family("densenet", "convolutional")({
    n: vision(n) for n in ("densenet121", "densenet161", "densenet169", "densenet201")})
family("inception", "convolutional")({
    "googlenet": vision("googlenet"), "inception_v3": vision("inception_v3", 299),
    "inception_v4": timm("inception_v4", 299), "inception_resnet_v2": timm("inception_resnet_v2", 299)})
family("squeezenet", "mobile")({n: vision(n) for n in ("squeezenet1_0", "squeezenet1_1")})
family("regnet", "convolutional")({n: vision(n) for n in (
    "regnet_x_400mf", "regnet_x_3_2gf", "regnet_x_8gf", "regnet_y_400mf", "regnet_y_1_6gf",
    "regnet_y_16gf")})
family("convnext", "convolutional")({
    **{n: vision(n) for n in ("convnext_tiny", "convnext_small", "convnext_base")},
    "convnextv2_tiny": timm("convnextv2_tiny"), "convnextv2_base": timm("convnextv2_base")})
family("mobilenet", "mobile")({
    **{n: vision(n) for n in ("mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large", "mnasnet0_5",
                              "mnasnet1_0")},
    "mobilenetv2_140": timm("mobilenetv2_140"), "fbnetc": timm("fbnetc_100"),
    "spnasnet": timm("spnasnet_100")})
family("efficientnet", "mobile")({
    **{n: vision(n) for n in ("efficientnet_b0", "efficientnet_b2", "efficientnet_b4",
                              "efficientnet_b7", "efficientnet_v2_s", "efficientnet_v2_m",
                              "efficientnet_v2_l")},
    "efficientnet_lite0": timm("tf_efficientnet_lite0"),
    "efficientnet_lite2": timm("tf_efficientnet_lite2")})
family("shufflenet", "mobile")({n: vision(n) for n in (
    "shufflenet_v2_x0_5", "shufflenet_v2_x1_0", "shufflenet_v2_x2_0")})
family("ghostnet", "mobile")({
    "ghostnet_050": timm("ghostnet_050"), "ghostnet_100": timm("ghostnet_100"),
    "ghostnetv2_100": timm("ghostnetv2_100")})
family("vit", "transformer")({
    "vit_b_16": vision("vit_b_16"), "vit_l_16": vision("vit_l_16"),
    "vit_tiny": timm("vit_tiny_patch16_224"), "deit_small": timm("deit_small_patch16_224"),
    "deit_base_distilled": timm("deit_base_distilled_patch16_224"),
    "deit3_small": timm("deit3_small_patch16_224"), "beit_base": timm("beit_base_patch16_224"),
    "cait_xxs24": timm("cait_xxs24_224"), "dinov2_small": timm("vit_small_patch14_dinov2", 518),
    "eva02_tiny": timm("eva02_tiny_patch14_224")})
family("swin", "transformer")({n: vision(n) for n in (
    "swin_t", "swin_s", "swin_b", "swin_v2_t", "swin_v2_s")})
family("mixer", "transformer")({
    "mixer_s16": timm("mixer_s16_224"), "mixer_b16": timm("mixer_b16_224"),
    "resmlp_12": timm("resmlp_12_224"), "resmlp_24": timm("resmlp_24_224"),
    "gmlp_s16": timm("gmlp_s16_224")})
family("pvt", "transformer")({
    n: timm(n) for n in ("pvt_v2_b0", "pvt_v2_b1", "pvt_v2_b2", "pvt_v2_b5")})
family("coatnet", "hybrid")({
    "coatnet_0": timm("coatnet_0_rw_224"), "coatnet_1": timm("coatnet_1_rw_224"),
    "maxvit_tiny": timm("maxvit_tiny_tf_224"), "maxvit_tiny_rw": timm("maxvit_tiny_rw_224"),
    "maxvit_t": vision("maxvit_t")})
family("levit", "hybrid")({n: timm(n) for n in ("levit_128s", "levit_128", "levit_192", "levit_256")})
family("mobilevit", "hybrid")({n: timm(n, 256) for n in (
    "mobilevit_xxs", "mobilevit_xs", "mobilevit_s", "mobilevitv2_050", "mobilevitv2_100")})
family("efficientformer", "hybrid")({n: timm(n) for n in (
    "efficientformer_l1", "efficientformer_l3", "efficientformerv2_s0", "efficientformerv2_s2")})
family("cvt", "hybrid")({
    "cvt_13": hugging("CvtModel", lambda: {"pixel_values": image()}),
    "cvt_21": hugging("CvtModel", lambda: {"pixel_values": image()}, depth=[1, 4, 16])})
family("edgenext", "hybrid")({n: timm(n, 256) for n in (
    "edgenext_xx_small", "edgenext_x_small", "edgenext_small")})
family("bert", "transformer")({
    "bert_base": text("BertModel"), "bert_large": text("BertModel", depth=24),
    "roberta_base": text("RobertaModel", pad_token_id=1), "electra_base": text("ElectraModel"),
    "distilbert": text("DistilBertModel", n_layers=6, dim=64, hidden_dim=256, n_heads=4),
    "albert_base": text("AlbertModel", embedding_size=32),
    "mpnet_base": text("MPNetModel"), "ernie": text("ErnieModel"),
    "camembert": text("CamembertModel", pad_token_id=1)})
family("gpt", "transformer")({
    "gpt2": decoder("GPT2Model", n_layer=12, n_embd=64, n_head=4),
    "gpt2_medium": decoder("GPT2Model", n_layer=24, n_embd=64, n_head=4),
    "gpt_neo": decoder("GPTNeoModel", num_layers=12, num_heads=4,
                       attention_types=[[["global", "local"], 6]]),
    "gpt_neox": decoder("GPTNeoXModel"),
    "gptj": decoder("GPTJModel", n_layer=12, n_embd=64, n_head=4, rotary_dim=8),
    "opt_125m": decoder("OPTModel", ffn_dim=256, word_embed_proj_dim=64),
    "bloom": decoder("BloomModel", n_layer=12, n_head=4),
    "gpt_bigcode": decoder("GPTBigCodeModel", n_layer=12, n_embd=64, n_head=4)})
family("llama", "transformer")({
    "llama": decoder("LlamaModel", depth=16, num_key_value_heads=2),
    "llama_deep": decoder("LlamaModel", depth=32, num_key_value_heads=2),
    "mistral": decoder("MistralModel", depth=32, num_key_value_heads=2, head_dim=16),
    "qwen2": decoder("Qwen2Model", depth=24, num_key_value_heads=2),
    "qwen3": decoder("Qwen3Model", depth=28, num_key_value_heads=2, head_dim=16),
    "gemma": decoder("GemmaModel", depth=18, num_key_value_heads=1, head_dim=16),
    "phi3": decoder("Phi3Model", depth=32, num_key_value_heads=2, pad_token_id=0),
    "olmo2": decoder("Olmo2Model", depth=16, num_key_value_heads=2),
    "stablelm": decoder("StableLmModel", depth=24, num_key_value_heads=4)})
family("t5", "transformer")({
    "t5_small": t5("T5Model", 6), "t5_base": t5("T5Model", 12),
    "t5_v1_1": t5("T5Model", 12, feed_forward_proj="gated-gelu"),
    "mt5_small": t5("MT5Model", 8), "umt5_small": t5("UMT5Model", 8)})
family("bart", "transformer")({
    "bart_base": translator("BartModel", 6), "bart_large": translator("BartModel", 12),
    "mbart": translator("MBartModel", 12), "pegasus": translator("PegasusModel", 16),
    "marian": translator("MarianModel", 6), "m2m_100": translator("M2M100Model", 12),
    "blenderbot": translator("BlenderbotModel", 12)})
family("recurrent", "recurrent")({
    "rnn": words(SequenceModel, nn.RNN, 1), "rnn_relu": words(SequenceModel, nn.RNN, 2,
                                                              nonlinearity="relu"),
    "lstm": words(SequenceModel, nn.LSTM, 1), "lstm_stacked": words(SequenceModel, nn.LSTM, 2),
    "lstm_bidirectional": words(SequenceModel, nn.LSTM, 2, True),
    "lstm_projected": words(SequenceModel, nn.LSTM, 2, proj_size=16),
    "lstm_classifier": words(Classifier, nn.LSTM, 2),
    "gru": words(SequenceModel, nn.GRU, 1), "gru_stacked": words(SequenceModel, nn.GRU, 3),
    "gru_bidirectional": words(SequenceModel, nn.GRU, 2, True),
    "gru_classifier": words(Classifier, nn.GRU, 1),
    "lstm_translator": words(Translator, nn.LSTM, 2, inputs=2),
    "gru_translator": words(Translator, nn.GRU, 1, inputs=2),
    "lstm_cells": words(CellModel, nn.LSTMCell, 8), "gru_cells": words(CellModel, nn.GRUCell, 8),
    "crnn_lstm": lambda: (Crnn(nn.LSTM), (image(32, 1),)),
    "crnn_gru": lambda: (Crnn(nn.GRU), (image(32, 1),))})
family("wav2vec", "audio")({
    "wav2vec2_base": speech("Wav2Vec2Model"),
    "wav2vec2_large": speech("Wav2Vec2Model", 24, feat_extract_norm="layer", conv_bias=True,
                             do_stable_layer_norm=True),
    "hubert_base": speech("HubertModel"),
    "hubert_large": speech("HubertModel", 24, feat_extract_norm="layer", conv_bias=True,
                           do_stable_layer_norm=True),
    "wavlm_base": speech("WavLMModel"), "unispeech": speech("UniSpeechModel"),
    "unispeech_sat": speech("UniSpeechSatModel"),
    "data2vec_audio": speech("Data2VecAudioModel", num_conv_pos_embeddings=5)})
family("conformer", "audio")({
    "conformer_s": conformer(8), "conformer_m": conformer(16),
    "wav2vec2_conformer": speech("Wav2Vec2ConformerModel", 12),
    "wav2vec2_bert": hugging("Wav2Vec2BertModel", lambda: {"input_features": torch.zeros(1, 50, 160)},
                             num_hidden_layers=12, hidden_size=64, num_attention_heads=4,
                             intermediate_size=256)})
family("whisper", "audio")({
    "whisper_tiny": whisper(4), "whisper_base": whisper(6), "whisper_small": whisper(12)})
family("audio_convolution", "audio")({
    "quartznet_5": spectrum(Jasper, 5), "quartznet_15": spectrum(Jasper, 15),
    "m5": lambda: (M5([1, 1, 1, 1]), (torch.zeros(1, 1, 16000),)),
    "m11": lambda: (M5([1, 2, 2, 3, 2]), (torch.zeros(1, 1, 16000),)),
    "wav2letter": audio("Wav2Letter", lambda: torch.zeros(1, 40, 200), input_type="mfcc",
                        num_features=40),
    "conv_tasnet": audio("conv_tasnet_base", lambda: torch.zeros(1, 1, 8000))})
family("unet", "diffusion")({
    "ddpm_unet": diffuser("UNet2DModel", lambda: {"sample": image(32), "timestep": torch.tensor([1])},
                          sample_size=32, block_out_channels=(32, 64, 64, 64),
                          down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D",
                                            "DownBlock2D"),
                          up_block_types=("UpBlock2D", "UpBlock2D", "AttnUpBlock2D", "UpBlock2D")),
    "latent_unet": diffuser("UNet2DModel", lambda: {"sample": image(32),
                                                    "timestep": torch.tensor([1])},
                            sample_size=32, block_out_channels=(32, 64, 96, 128)),
    "stable_diffusion_1": diffuser("UNet2DConditionModel", conditioned(),
                                   block_out_channels=(32, 64, 128, 128), cross_attention_dim=32,
                                   attention_head_dim=8),
    "stable_diffusion_2": diffuser("UNet2DConditionModel", conditioned(),
                                   block_out_channels=(32, 64, 128, 128), cross_attention_dim=32,
                                   attention_head_dim=(2, 4, 8, 8), use_linear_projection=True),
    "sdxl": diffuser("UNet2DConditionModel",
                     conditioned(),
                     {"added_cond_kwargs": {"text_embeds": torch.zeros(1, 32),
                                            "time_ids": torch.zeros(1, 6)}},
                     addition_embed_type="text_time", addition_time_embed_dim=8,
                     projection_class_embeddings_input_dim=80,
                     block_out_channels=(32, 64, 128), cross_attention_dim=32,
                     down_block_types=("DownBlock2D", "CrossAttnDownBlock2D",
                                       "CrossAttnDownBlock2D"),
                     up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
                     transformer_layers_per_block=(1, 2, 10), attention_head_dim=(2, 4, 8),
                     use_linear_projection=True),
    "control_net": diffuser("ControlNetModel",
                            lambda: {**conditioned()(), "controlnet_cond": image(256)},
                            block_out_channels=(32, 64, 128, 128), cross_attention_dim=32,
                            attention_head_dim=8)})
family("dit", "diffusion")({
    "dit_s": diffuser("DiTTransformer2DModel",
                      lambda: {"hidden_states": image(32, 4), "timestep": torch.tensor([1]),
                               "class_labels": torch.tensor([1])},
                      num_attention_heads=4, attention_head_dim=16, num_layers=12, sample_size=32),
    "dit_xl": diffuser("DiTTransformer2DModel",
                       lambda: {"hidden_states": image(32, 4), "timestep": torch.tensor([1]),
                                "class_labels": torch.tensor([1])},
                       num_attention_heads=4, attention_head_dim=16, num_layers=28, sample_size=32),
    "pixart": diffuser("PixArtTransformer2DModel",
                       lambda: {"hidden_states": image(32, 4), "timestep": torch.tensor([1]),
                                "encoder_hidden_states": torch.zeros(1, 8, 32)},
                       {"added_cond_kwargs": {"resolution": None, "aspect_ratio": None}},
                       num_attention_heads=4, attention_head_dim=16, num_layers=28, sample_size=32,
                       cross_attention_dim=64, caption_channels=32, use_additional_conditions=False),
    "sd3": diffuser("SD3Transformer2DModel",
                    lambda: {"hidden_states": image(32, 16), "timestep": torch.tensor([1]),
                             "encoder_hidden_states": torch.zeros(1, 8, 32),
                             "pooled_projections": torch.zeros(1, 32)},
                    sample_size=32, num_layers=24, attention_head_dim=16, num_attention_heads=4,
                    joint_attention_dim=32, caption_projection_dim=64, pooled_projection_dim=32)})
family("vae", "diffusion")({
    "autoencoder_kl": autoencoder("AutoencoderKL", block_out_channels=(32, 64, 64, 64),
                                  down_block_types=("DownEncoderBlock2D",) * 4,
                                  up_block_types=("UpDecoderBlock2D",) * 4, layers_per_block=2),
    "autoencoder_vq": autoencoder("VQModel", block_out_channels=(32, 64, 64),
                                  down_block_types=("DownEncoderBlock2D",) * 3,
                                  up_block_types=("UpDecoderBlock2D",) * 3, layers_per_block=2),
    "autoencoder_asymmetric": autoencoder("AsymmetricAutoencoderKL",
                                          down_block_out_channels=(32, 64, 64, 64),
                                          up_block_out_channels=(64, 64, 64, 64),
                                          down_block_types=("DownEncoderBlock2D",) * 4,
                                          up_block_types=("UpDecoderBlock2D",) * 4,
                                          layers_per_down_block=2, layers_per_up_block=3)})


# ---- the work

def without_extension():
    """Declares what torchvision declares in its extension, where that doesn't load with this build of
    PyTorch; none of the study's models call it."""
    try:
        import torchvision
    except RuntimeError:
        for name in [n for n in sys.modules if n.startswith("torchvision")]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return library
    return None


def tidy(program):
    """Takes out what a functional graph without training has no use for.

    Dropout became a copy, and a copy of a value is the value. Batch normalisation, which the exporter
    writes with the statistics that training would need, is PyTorch's own operation again."""
    aten, graph = torch.ops.aten, program.graph_module.graph
    for node in list(graph.nodes):
        if node.target in (aten.clone.default, aten.lift_fresh_copy.default, aten.alias.default,
                           aten.detach.default):
            if any(user.op == "output" for user in node.users):
                continue
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
        elif node.target == aten._native_batch_norm_legit_no_training.default:
            x, weight, bias, mean, variance, momentum, epsilon = node.args
            with graph.inserting_before(node):
                plain = graph.call_function(aten.batch_norm.default, (
                    x, weight, bias, mean, variance, False, momentum, epsilon, False))
            for item in list(node.users):
                plain.meta = dict(item.meta)
                item.replace_all_uses_with(plain)
                graph.erase_node(item)
            graph.erase_node(node)
        elif node.target == aten._unsafe_view.default:
            node.target = aten.view.default
    graph.lint()


def export(build, path):
    torch.manual_seed(0)
    with torch.no_grad():
        model, inputs = build()
        for values in [*model.parameters(), *model.buffers()]:
            values.data = torch.zeros((), dtype=values.dtype).expand(values.shape)
        program = torch.export.export(model.eval(), inputs, strict=False)
        program = program.run_decompositions({})
        tidy(program)
        torch.export.save(program, str(path))


def in_child(name, build, work, tool, seconds):
    """Exports one model in a child process, and has it imported. Returns why it failed, or nothing."""
    log, archive = work / f"{name}.log", work / f"{name}.pt2"
    child = os.fork()
    if child == 0:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1), os.dup2(out, 2)
        try:
            export(build, archive)
            os._exit(0)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
    end = time.time() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.time() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            archive.unlink(missing_ok=True)
            return "export: out of time"
        time.sleep(0.1)
    if status:
        archive.unlink(missing_ok=True)
        return "export: " + log.read_text(errors="replace").strip().splitlines()[-1]
    made = subprocess.run([tool, "genome", "profile", archive], capture_output=True, text=True)
    log.write_text(made.stderr)
    if made.returncode:
        archive.rename(work / f"{name}.refused")
        return "import: " + made.stderr.strip().splitlines()[0]
    log.unlink()
    return ""


def write_labels(path, labels):
    rows = ",\n".join(f'  "{name}": "{label}"' for name, label in labels)
    path.write_text("{\n" + rows + "\n}\n")


def decompose(work, tool, here):
    made = [row for row in FAMILIES if (work / f"{row[0]}.pt2").exists()]
    subprocess.run([tool, "genome", "mine", *[work / f"{row[0]}.pt2" for row in made],
                    "-o", here / "registry.json", "--signatures", here / "signatures.json"],
                   check=True, stdout=subprocess.DEVNULL)
    write_labels(here / "families.json", [(row[0], row[1]) for row in made])
    write_labels(here / "kinds.json", [(row[0], row[2]) for row in made])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="tessera")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seconds", type=float, default=90)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    keep = without_extension()  # noqa: F841
    for name, _, _, build in FAMILIES:
        if given.only and name not in given.only:
            continue
        if not given.only and (given.work / f"{name}.pt2").exists():
            continue
        start = time.time()
        failed = in_child(name, build, given.work, given.tool, given.seconds)
        print(f"{name}: {failed or 'done'} ({time.time() - start:.1f} s)", flush=True)
    if not given.only:
        decompose(given.work, given.tool, pathlib.Path(__file__).parent)


if __name__ == "__main__":
    main()
