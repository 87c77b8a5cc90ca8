# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Trains the tokenizers of this folder with Hugging Face's library and records their ids:
#
#   pip install tokenizers && python3 tokenizers.py [FOLDER]
#
#   NAME.json    a tokenizer
#   texts.json   200 texts, a list of strings
#   ids.tsv      a line for each tokenizer and text: NAME, index of the text, ids
#
# Training isn't deterministic: the files of one run belong together.

import json
import os
import random
import sys

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

words = """the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one
you were all her she there would their we him been has when who will no more if out so up said what its about than into them
can only other time new some could these two may first then do any like my now over such our man me even most made after
token tokenizer tokens text model network attention layer weights matrix vector gradient training inference house river
water mountain children running runner runs ran playing played player unhappily happiness walk walked walking talks talked
Zürich café naïve résumé über straße Москва привет мир слово Ελλάδα λόγος 東京 日本語 漢字 中文 안녕 สวัสดี 2024 3.14 100 42""".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "</s>", "<pad>", "<unk>", "<mask>", "<|endoftext|>", "<tool>"]


def corpus():
    pick = random.Random(1)
    for _ in range(600):
        sentence = [pick.choice(words) for _ in range(pick.randint(3, 12))]
        if pick.random() < 0.4:
            sentence[0] = sentence[0].capitalize()
        for i in range(1, len(sentence)):
            sentence[i] = pick.choice([" ", " ", " ", " ", ", ", "-", "'s "]) + sentence[i]
        yield "".join(sentence) + pick.choice([".", "!", "?", "...", ""])


def texts():
    pick = random.Random(2)
    out = ["", " ", "  ", "a", "A", "\n", "\t x", "x ", " x", "  x  y  ", "Hello, world!", "hello\nworld\r\n", "don't we'll they've I'd",
           "it's \u2019s", "\u00a0x\u00a0", "x\u3000y", "\u2003x", "a\u200bb", "a\u00adb", "e\u0301te\u0301", "\u00e9t\u00e9", "\ufb01ne \uff21\uff22\uff23",
           "\u0130stanbul", "\u039f\u0394\u039f\u03a3 \u03a3\u03b1\u03c2", "STRASSE Stra\u00dfe", "\u01c5 \u01c6", "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467", "\U00020000\u4e2d",
           "\u6771\u4eac\u3068tokens", "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\uc548\ub155\ud558\uc138\uc694", "\u0645\u0631\u062d\u0628\u0627", "12345 6,789.00 1e-5", "\u0663\u0664 \u00bd \u2167",
           "a_b __init__", "x=y+z<w>", "$5.00 \u20ac7", "(a) [b] {c}", "...", "!!??", "a-b\u2013c\u2014d", "\u201cquoted\u201d", "#tag @user",
           "http://a.b/c?d=e&f", "C:\\path\\file", "the" * 60, "z" * 101, "tokenization" * 12, "\x00a\x01b\x7f", "\ufffd", "a\u0300\u0301\u0302",
           "\u1e9b\u0323", "\u2126 \u212b", "na\u00efve caf\u00e9", "ПРИВЕТ Мир", "\u0660", "\ud55c\uad6d\uc5b4 \uae00", "\u2581x \u2581", "x\u2581y", "\u0120\u010a", "\u24b6\u2160",
           "\u203f_\u2040", "a\u0903", "\u200d", "##ing ##", "a\u2028b\u2029c", "a\x0bb\x0cc\x1cd\x85e"]
    for s in SPECIAL:
        out += [s, f"a {s} b", f"a{s}b", f"!{s}!", f"  {s}  "]
    out += ["[CLS] a [SEP] b [SEP]", "<s><s>a</s></s>", "[MASK][MASK]", "[ mask ]", "[mask]", "[CLS", "CLS]", "< s >"]
    letters = "abcdefghijklmnopqrstuvwxyz\u00e9\u00fc\u0436\u03bb\u6771 \u00df'.,-!0123456789"
    while len(out) < 200:
        if pick.random() < 0.5:
            out.append(" ".join(pick.choice(words) for _ in range(pick.randint(1, 9))))
        else:
            out.append("".join(pick.choice(letters) for _ in range(pick.randint(1, 24))))
    return out[:200]


def template(tokenizer, first, last):
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", pair=f"{first} $A {last} $B:1 {last}:1",
        special_tokens=[(first, tokenizer.token_to_id(first)), (last, tokenizer.token_to_id(last))])
    return tokenizer


def wordpiece(normalizer, pre_tokenizer, size=420, **options):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100, **options))
    t.normalizer, t.pre_tokenizer = normalizer, pre_tokenizer
    t.train_from_iterator(corpus(), trainers.WordPieceTrainer(vocab_size=size, show_progress=False,
                                                              special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    return template(t, "[CLS]", "[SEP]")


def bpe(normalizer, pre_tokenizer, special, size=420, alphabet=(), model=None, **trainer):
    t = Tokenizer(models.BPE(**(model or {})))
    t.normalizer, t.pre_tokenizer = normalizer, pre_tokenizer
    t.train_from_iterator(corpus(), trainers.BpeTrainer(vocab_size=size, show_progress=False, special_tokens=special,
                                                        initial_alphabet=list(alphabet), **trainer))
    return t


def unigram(normalizer, pre_tokenizer, size=320):
    t = Tokenizer(models.Unigram())
    t.normalizer, t.pre_tokenizer = normalizer, pre_tokenizer
    t.train_from_iterator(corpus(), trainers.UnigramTrainer(vocab_size=size, show_progress=False, unk_token="<unk>",
                                                            special_tokens=["<pad>", "</s>", "<unk>"]))
    return t


def tokenizers():
    bytes_of = pre_tokenizers.ByteLevel.alphabet()
    yield "wordpiece_uncased", wordpiece(normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
    yield "wordpiece_cased", wordpiece(normalizers.BertNormalizer(lowercase=False), pre_tokenizers.BertPreTokenizer())
    yield "wordpiece_words", wordpiece(normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]),
                                       pre_tokenizers.Whitespace())
    t = bpe(None, pre_tokenizers.ByteLevel(add_prefix_space=False), ["<|endoftext|>"], alphabet=bytes_of)
    t.add_tokens([AddedToken("<tool>", normalized=False)])
    yield "bpe_bytes", t
    t = bpe(normalizers.NFC(), pre_tokenizers.ByteLevel(add_prefix_space=True), ["<s>", "<pad>", "</s>", "<unk>"], alphabet=bytes_of)
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    yield "bpe_prefixed", t
    cl100k = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    t = bpe(None, pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(cl100k), "isolated"),
                                           pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]),
            ["<|endoftext|>", "<s>"], alphabet=bytes_of)
    yield "bpe_split", t
    yield "bpe_words", template(bpe(normalizers.NFKC(), pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(),
                                                                                   pre_tokenizers.Digits(individual_digits=True)]),
                                    ["<unk>", "<s>", "</s>"], model={"unk_token": "<unk>"}), "<s>", "</s>")
    yield "bpe_suffix", bpe(normalizers.Lowercase(), pre_tokenizers.Whitespace(), ["<unk>"], model={"unk_token": "<unk>", "end_of_word_suffix": "</w>"},
                            end_of_word_suffix="</w>")
    t = unigram(normalizers.NFKC(), pre_tokenizers.Metaspace())
    t.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", t.token_to_id("</s>"))])
    yield "unigram", t
    yield "unigram_first", unigram(None, pre_tokenizers.Metaspace(prepend_scheme="first"))
    yield "bpe_blocks", bpe(None, pre_tokenizers.Metaspace(prepend_scheme="never", split=False), ["<unk>", "</s>"], model={"unk_token": "<unk>"})


def main():
    all_texts = texts()
    lines = []
    for name, t in tokenizers():
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
            json.dump(json.loads(t.to_str()), f, ensure_ascii=False, separators=(",", ":"))
            f.write("\n")
        for i, text in enumerate(all_texts):
            lines.append(f"{name}\t{i}\t{' '.join(map(str, t.encode(text).ids))}\n")
    with open(os.path.join(folder, "texts.json"), "w", encoding="utf-8") as f:
        json.dump(all_texts, f, separators=(",", ":"))
        f.write("\n")
    with open(os.path.join(folder, "ids.tsv"), "w", encoding="utf-8") as f:
        f.writelines(lines)


main()
