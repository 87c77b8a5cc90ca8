# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""`tessera lsp` with the client of pytest-lsp, as VS Code and Neovim describe themselves.

    TESSERA=build/src/tessera python -m pytest tests/lsp
"""

import asyncio
import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

TOOL = os.environ["TESSERA"]

DEVICES = """include "npm_baseline_1.0.nem"
device small extends npm_baseline_1_0 {
  topology { num_engines = 1 l2_size_bytes = 4096 device_units { sDMA = 1 } per_engine {
    NMU = 1 CSTL = 2 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 1024 } }
}
"""
PROGRAM = """include "devices.nem"
device small
program tiles:
const n = 8
buffer A : L2 (size=n * 64)
buffer B : L1[0] (size=512)
let x = region(B, 0, 256)
    elem=f16, shape=[8, 16], layout=HW
let y = region(B, 256, 256)
    elem=f16, shape=[8, 16], layout=HW
loop i in [0..1]:
  t = transfer.async(dst=x, src=region(A, i * 256, 256))
  r = relu.async
      in  x
      out y
      deps=[t]
  wait(r)
endloop
"""


@pytest_lsp.fixture(
    params=["visual_studio_code", "neovim"],
    config=ClientServerConfig(server_command=[TOOL, "lsp"]),
)
async def client(request, lsp_client: LanguageClient, tmp_path: pathlib.Path):
    (tmp_path / "devices.nem").write_text(DEVICES)
    (tmp_path / "tiles.nem").write_text(PROGRAM)
    lsp_client.folder = tmp_path
    lsp_client.diagnostics = Findings()
    lsp_client.answer = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            workspace_folders=[types.WorkspaceFolder(uri=tmp_path.as_uri(), name="tiles")],
        )
    )
    yield
    await lsp_client.shutdown_session()
    assert lsp_client._server.returncode == 0


def uri(client, name="tiles.nem"):
    return (client.folder / name).as_uri()


def document(client, name="tiles.nem"):
    return types.TextDocumentIdentifier(uri=uri(client, name))


class Findings(dict):
    """The findings of documents, and how often there were any."""

    def __init__(self):
        super().__init__()
        self.counts = {}

    def __setitem__(self, of, found):
        super().__setitem__(of, list(found))
        self.counts[of] = self.counts.get(of, 0) + 1


async def published(client, send, name="tiles.nem"):
    """The findings of a document that are published after `send`."""
    before = client.diagnostics.counts.get(uri(client, name), 0)
    send()
    for _ in range(1000):
        if client.diagnostics.counts.get(uri(client, name), 0) > before:
            return client.diagnostics[uri(client, name)]
        await asyncio.sleep(0.01)
    raise TimeoutError("no findings")


async def open_document(client, text=PROGRAM, name="tiles.nem"):
    item = types.TextDocumentItem(uri=uri(client, name), language_id="nem", version=1, text=text)
    return await published(
        client,
        lambda: client.text_document_did_open(types.DidOpenTextDocumentParams(item)),
        name,
    )


async def change(client, *changes, version=2):
    of = types.VersionedTextDocumentIdentifier(version=version, uri=uri(client))
    return await published(
        client,
        lambda: client.text_document_did_change(
            types.DidChangeTextDocumentParams(of, list(changes))
        ),
    )


def at(text, part, skip=0, encoding="utf-16"):
    """The position of a part."""
    before = text[: text.index(part) + skip]
    units = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}[encoding]
    line = before.count("\n")
    return types.Position(line, len(before.rpartition("\n")[2].encode(units[0])) // units[1])


def edited(text, edits):
    lines = text.splitlines(keepends=True) + [""]

    def offset(p):
        return sum(len(x) for x in lines[: p.line]) + p.character

    for e in sorted(edits, key=lambda e: offset(e.range.start), reverse=True):
        text = text[: offset(e.range.start)] + e.new_text + text[offset(e.range.end) :]
    return text


async def test_capabilities(client):
    c = client.answer.capabilities
    assert c.text_document_sync.open_close is True
    assert c.text_document_sync.change == types.TextDocumentSyncKind.Incremental
    assert c.position_encoding in ("utf-8", "utf-16")
    for name in ("hover", "definition", "references", "document_highlight", "document_symbol",
                 "document_formatting", "inlay_hint"):
        assert getattr(c, name + "_provider") is True
    assert list(c.code_action_provider.code_action_kinds) == [types.CodeActionKind.QuickFix]
    assert c.semantic_tokens_provider.range is True
    for name in ("rename", "code_lens", "folding_range", "declaration", "workspace_symbol",
                 "signature_help", "document_range_formatting", "diagnostic"):
        assert getattr(c, name + "_provider") is None
    assert client.answer.server_info.name == "tessera"


async def test_diagnostics_follow_changes(client):
    assert await open_document(client) == []
    insert = types.Range(at(PROGRAM, "buffer A"), at(PROGRAM, "buffer A"))
    found = await change(
        client, types.TextDocumentContentChangePartial(range=insert, text="const n = 9\n")
    )
    assert [(d.code, d.severity, d.range.start.line) for d in found] == [
        ("CON-001", types.DiagnosticSeverity.Error, 4)
    ]
    assert found[0].source == "tessera"
    information = found[0].related_information
    assert information[0].location.range.start.line == 3
    remove = types.Range(types.Position(4, 0), types.Position(5, 0))
    assert await change(
        client, types.TextDocumentContentChangePartial(range=remove, text=""), version=3
    ) == []
    found = await change(client, types.TextDocumentContentChangeWholeDocument(text="const"),
                         version=4)
    assert found[0].code.startswith("SYN-")


async def test_positions(client):
    text = "# \U0001f600\u00e9\nconst n = 1 \u00e9\n"
    encoding = client.answer.capabilities.position_encoding
    found = await open_document(client, text)
    assert found[0].range.start == at(text, " \u00e9\n", 1, encoding)
    where = types.Range(at(text, "\u00e9", 0, encoding), types.Position(1, 99))
    assert await change(
        client, types.TextDocumentContentChangePartial(range=where, text="\nconst n = 1")
    ) == []


async def test_hover(client):
    await open_document(client)
    for part, shown in [
        ("A :", "512 bytes in L2"),
        ("x = region", "bytes [0, 256) of B in L1[0]; f16 [8, 16]"),
        ("relu", "X: f16 [8, 16]"),
        ("transfer", "moves 256 bytes"),
        ("small", "1 engine; L2 4,096 bytes"),
        ("i in", "from 0 to 1: 2 iterations"),
        ("tiles:", "4 tasks"),
    ]:
        h = await client.text_document_hover_async(
            types.HoverParams(document(client), at(PROGRAM, part))
        )
        assert shown in h.contents.value
    h = await client.text_document_hover_async(
        types.HoverParams(document(client), at(PROGRAM, "endloop", 7))
    )
    assert h is None


async def test_definition_and_references(client):
    await open_document(client)
    found = await client.text_document_definition_async(
        types.DefinitionParams(document(client), at(PROGRAM, "wait(r", 5))
    )
    assert [x.range.start for x in found] == [at(PROGRAM, "r = relu")]
    found = await client.text_document_definition_async(
        types.DefinitionParams(document(client), at(PROGRAM, "small"))
    )
    assert [(x.uri, x.range.start) for x in found] == [
        (uri(client, "devices.nem"), types.Position(1, 7))
    ]
    found = await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), document(client), at(PROGRAM, "B :"))
    )
    assert [x.range.start.line for x in found] == [5, 6, 8]
    found = await client.text_document_document_highlight_async(
        types.DocumentHighlightParams(document(client), at(PROGRAM, "B :"))
    )
    assert [x.range.start.line for x in found] == [5, 6, 8]


async def test_symbols(client):
    await open_document(client)
    found = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(document(client))
    )
    assert [s.name for s in found] == ["devices.nem", "small", "tiles", "n", "A", "B", "x", "y",
                                       "loop i"]
    assert [s.name for s in found[-1].children] == ["t", "r", "wait"]
    for s in found:
        assert s.range.start <= s.selection_range.start <= s.selection_range.end <= s.range.end


async def test_completion(client):
    text = PROGRAM.replace("  wait(r)\n", "  wait(r)\n  u = \n  wait(\n")
    await open_document(client, text)

    async def labels(part, skip):
        found = await client.text_document_completion_async(
            types.CompletionParams(document(client), at(text, part, skip))
        )
        return {i.label: i for i in found.items}

    assert {"t", "r"} == set(await labels("wait(\n", 5))
    opcodes = await labels("u = ", 4)
    assert opcodes["softmax"].detail == "in X out Y axis"
    assert "out ${2:Y}" in opcodes["softmax"].insert_text
    assert opcodes["softmax"].insert_text_format == types.InsertTextFormat.Snippet
    types_of_device = await labels("elem=f16", 5)
    assert types_of_device["f16"].sort_text < types_of_device["u32"].sort_text
    assert "A" in await labels("region(A", 7)


async def test_formatting(client):
    text = PROGRAM.replace("const n = 8", "const   n=8 # eight").replace("in  x", "in x")
    await open_document(client, text)
    edits = await client.text_document_formatting_async(
        types.DocumentFormattingParams(document(client), types.FormattingOptions(2, True))
    )
    assert edited(text, edits) == PROGRAM.replace("n = 8", "n = 8  # eight")
    assert await change(client, types.TextDocumentContentChangeWholeDocument(text=PROGRAM)) == []
    edits = await client.text_document_formatting_async(
        types.DocumentFormattingParams(document(client), types.FormattingOptions(2, True))
    )
    assert list(edits) == []


async def test_quick_fixes(client):
    text = PROGRAM.replace("elem=f16, shape", "elem=f16 shape", 1)
    found = await open_document(client, text)
    assert [d.code for d in found] == ["SYN-009"]
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(document(client), found[0].range, types.CodeActionContext(found))
    )
    assert [a.kind for a in actions] == [types.CodeActionKind.QuickFix]
    assert edited(text, actions[0].edit.changes[uri(client)]) == PROGRAM
    assert list(actions[0].diagnostics) == found


async def test_inlay_hints(client):
    await open_document(client)
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    found = await client.text_document_inlay_hint_async(
        types.InlayHintParams(document(client), whole)
    )
    assert [h.label for h in found] == ["[0, 256)", "[256, 512)", "[0, 256) where i=0"]
    assert found[0].position == at(PROGRAM, "region(B, 0, 256)", 17)


async def test_semantic_tokens(client):
    await open_document(client)
    legend = client.answer.capabilities.semantic_tokens_provider.legend
    found = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(document(client))
    )
    lines = PROGRAM.splitlines()
    line = column = 0
    words = []
    for i in range(0, len(found.data), 5):
        down, right, length, kind, modifiers = found.data[i : i + 5]
        column = right if down else column + right
        line += down
        words.append((lines[line][column : column + length], legend.token_types[kind], modifiers))
    assert words[:5] == [("include", "keyword", 0), ('"devices.nem"', "string", 0),
                         ("device", "keyword", 0), ("small", "class", 0), ("program", "keyword", 0)]
    assert ("n", "variable", 3) in words and ("t", "event", 1) in words
    assert ("relu", "function", 0) in words and ("i", "parameter", 3) in words


async def test_what_is_open_comes_before_the_disk(client):
    await open_document(client)
    await open_document(client, DEVICES.replace("4096", "64"), "devices.nem")
    again = types.TextDocumentContentChangeWholeDocument(text=PROGRAM)
    assert [d.code for d in await change(client, again)] == ["CAP-002"]


async def test_errors_have_codes(client):
    closed = types.HoverParams(types.TextDocumentIdentifier("file:///closed.nem"),
                               types.Position(0, 0))
    again = types.InitializeParams(capabilities=types.ClientCapabilities())
    for method, params, code in [
        ("nothing/there", {}, -32601),
        ("textDocument/hover", closed, -32602),
        ("initialize", again, -32600),
    ]:
        with pytest.raises(JsonRpcException) as failure:
            await client.protocol.send_request_async(method, params)
        assert failure.value.code == code


async def test_cancelled_requests(client):
    await open_document(client)
    big = "const a0 = 1\n" + "".join(f"const a{i} = a{i - 1} + 1\n" for i in range(1, 20000))
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=2, uri=uri(client)),
            [types.TextDocumentContentChangeWholeDocument(text=big)],
        )
    )
    futures = [
        client.protocol.send_request_async(
            "textDocument/documentSymbol",
            types.DocumentSymbolParams(document(client)),
            msg_id=f"symbols {i}",
        )
        for i in range(20)
    ]
    answers = [asyncio.ensure_future(f) for f in futures]
    await asyncio.sleep(0)  # so that they are sent
    for i in range(10, 20):
        client.cancel_request(types.CancelParams(id=f"symbols {i}"))
    client.cancel_request(types.CancelParams(id="no such request"))
    got = await asyncio.gather(*answers, return_exceptions=True)
    assert all(len(x) == 20000 for x in got[:10])
    cancelled = [x for x in got if isinstance(x, JsonRpcException)]
    assert cancelled and all(x.code == -32800 for x in cancelled)
    # The session goes on.
    h = await client.text_document_hover_async(
        types.HoverParams(document(client), types.Position(0, 6))
    )
    assert "a0 = 1" in h.contents.value


async def test_options_of_the_client(tmp_path):
    (tmp_path / "devices.nem").write_text(DEVICES)
    client = await ClientServerConfig(server_command=[TOOL, "lsp"]).start()
    client.folder = tmp_path
    client.diagnostics = Findings()
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                general=types.GeneralClientCapabilities(position_encodings=["utf-8", "utf-16"])
            ),
            initialization_options={"device": str(tmp_path / "devices.nem")},
        )
    )
    found = await open_document(client, "buffer A : L2 (size=4097) # \u00e9\n")
    assert [d.code for d in found] == ["CAP-002"]
    await client.shutdown_session()
    await client.stop()
