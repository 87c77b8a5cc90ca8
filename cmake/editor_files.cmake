# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Writes what editors need to colour NEM, from the tables of the language, and to start `tessera lsp`, into
# cmake/editors; with CHECK compares.
#
#   cmake -DROOT=. [-DCHECK=ON] -P cmake/editor_files.cmake
#
#   vscode/    an extension: copy the folder to ~/.vscode/extensions/nem; `npm install` there fetches the
#              client of the language server
#   vim/       for Vim and Neovim: copy what is in it to ~/.vim or ~/.config/nvim; in Neovim
#              require('nem_lsp').setup() starts the server

cmake_minimum_required(VERSION 3.21)
file(READ "${ROOT}/include/tessera/nem/format.hpp" table)
string(REPLACE ";" "\\;" table "${table}")

# The first words of the rows X(word, …) of a macro.
function(first_words macro result)
  string(REGEX MATCH "#define TESSERA_NEM_${macro}\\(X\\)([^#]*\\\\\n)+[^\n]*\n" rows "${table}")
  string(REGEX MATCHALL "X\\([a-z0-9_]+," rows "${rows}")
  list(TRANSFORM rows REPLACE "^X\\(|,$" "")
  if(rows STREQUAL "")
    message(FATAL_ERROR "include/tessera/nem/format.hpp has no rows of TESSERA_NEM_${macro}")
  endif()
  set(${result} "${rows}" PARENT_SCOPE)
endfunction()
# The words of an array of strings.
function(strings array result)
  string(REGEX MATCH "${array}\\[\\] = {[^}]*}" words "${table}")
  string(REGEX MATCHALL "\"[A-Za-z0-9_]+\"" words "${words}")
  list(TRANSFORM words REPLACE "\"" "")
  if(words STREQUAL "")
    message(FATAL_ERROR "include/tessera/nem/format.hpp has no words of ${array}")
  endif()
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

first_words(ELEMENTS elements)
list(TRANSFORM elements REPLACE "_$" "")
first_words(OPCODES opcodes)
first_words(ATTRIBUTES attributes)
first_words(DECORATORS decorators)
strings(unit_names units)
strings(quant_field_names quant_fields)
strings(reserved_words reserved)
strings(upstream_reserved_words contextual)
list(REMOVE_ITEM reserved ${opcodes})
list(REMOVE_ITEM contextual opcode mandatory extended async sync)  # parts of words with a dot
set(levels DDR L2 L1)
list(APPEND attributes ${quant_fields})
list(REMOVE_DUPLICATES attributes)
list(REMOVE_ITEM contextual ${attributes})

foreach(words IN ITEMS elements opcodes attributes decorators units reserved contextual levels)
  list(JOIN ${words} "|" ${words}_any)
  list(JOIN ${words} " " ${words}_words)
  list(JOIN ${words} "\\|" ${words}_vim)
endforeach()
file(READ "${ROOT}/include/tessera/version.hpp" version)
if(NOT version MATCHES "TESSERA_VERSION_STRING \"([0-9.]+)\"")
  message(FATAL_ERROR "include/tessera/version.hpp doesn't define TESSERA_VERSION_STRING as \"x.y.z\"")
endif()
set(version "${CMAKE_MATCH_1}")

set(stale "")
function(write name content)
  string(CONFIGURE "${content}" content @ONLY)
  set(path "${ROOT}/cmake/editors/${name}")
  if(NOT CHECK)
    file(WRITE "${path}" "${content}")
    return()
  endif()
  set(found "")
  if(EXISTS "${path}")
    file(READ "${path}" found)
  endif()
  if(NOT found STREQUAL content)
    set(stale "${stale} cmake/editors/${name}" PARENT_SCOPE)
  endif()
endfunction()

write(vscode/package.json [=[
{
  "name": "nem",
  "displayName": "NEM",
  "description": "NEM, a language for explicitly scheduled accelerators: colours, and what `tessera lsp` knows",
  "license": "MIT",
  "publisher": "tessera",
  "version": "@version@",
  "engines": { "vscode": "^1.70.0" },
  "categories": ["Programming Languages"],
  "main": "./extension.js",
  "activationEvents": ["onLanguage:nem"],
  "dependencies": { "vscode-languageclient": "^8.1.0" },
  "contributes": {
    "configuration": {
      "title": "NEM",
      "properties": {
        "nem.server.path": { "type": "string", "default": "tessera", "description": "The tool that has the verb lsp." },
        "nem.server.arguments": {
          "type": "array",
          "items": { "type": "string" },
          "default": [],
          "description": "Options of `tessera lsp`, such as --device FILE:NAME."
        }
      }
    },
    "languages": [
      { "id": "nem", "aliases": ["NEM"], "extensions": [".nem"], "configuration": "./language-configuration.json" }
    ],
    "grammars": [{ "language": "nem", "scopeName": "source.nem", "path": "./syntaxes/nem.tmLanguage.json" }]
  }
}
]=])

write(vscode/language-configuration.json [=[
{
  "comments": { "lineComment": "#" },
  "brackets": [["{", "}"], ["[", "]"], ["(", ")"]],
  "autoClosingPairs": [["{", "}"], ["[", "]"], ["(", ")"], { "open": "\"", "close": "\"", "notIn": ["comment", "string"] }],
  "indentationRules": {
    "increaseIndentPattern": "^\\s*loop\\b.*:\\s*(#.*)?$|\\{\\s*(#.*)?$",
    "decreaseIndentPattern": "^\\s*(endloop\\b|\\})"
  },
  "folding": { "markers": { "start": "^\\s*loop\\b", "end": "^\\s*endloop\\b" } }
}
]=])

write(vscode/syntaxes/nem.tmLanguage.json [=[
{
  "name": "NEM",
  "scopeName": "source.nem",
  "fileTypes": ["nem"],
  "patterns": [
    { "name": "comment.line.number-sign.nem", "match": "#.*$" },
    { "name": "string.quoted.double.nem", "match": "\"[^\"]*\"" },
    { "name": "storage.modifier.decorator.nem", "match": "@(@decorators_any@)\\b" },
    { "name": "invalid.illegal.decorator.nem", "match": "@[A-Za-z_]\\w*" },
    { "name": "keyword.other.nem", "match": "\\bopcode\\.(mandatory|extended)\\b" },
    {
      "match": "\\b(@opcodes_any@)(?:(\\.)(async|sync))?\\b(?!\\s*=)",
      "captures": { "1": { "name": "support.function.opcode.nem" }, "3": { "name": "storage.modifier.mode.nem" } }
    },
    { "name": "keyword.control.nem", "match": "\\b(@reserved_any@)\\b" },
    { "name": "storage.type.element.nem", "match": "\\b(@elements_any@)\\b" },
    { "name": "constant.language.memory.nem", "match": "\\b(@levels_any@)\\b" },
    { "name": "constant.language.unit.nem", "match": "\\b(@units_any@)\\b" },
    { "name": "variable.parameter.attribute.nem", "match": "\\b(@attributes_any@)\\b(?=\\s*=)" },
    { "name": "keyword.other.field.nem", "match": "\\b(@contextual_any@)\\b" },
    { "name": "constant.numeric.float.nem", "match": "\\b[0-9]+\\.[0-9]+([eE][+-]?[0-9]+)?\\b" },
    { "name": "constant.numeric.integer.nem", "match": "\\b[0-9]+\\b" },
    { "name": "constant.language.boolean.nem", "match": "\\b(true|false)\\b" }
  ]
}
]=])

write(vscode/extension.js [=[
// Starts `tessera lsp` for NEM. Generated by cmake/editor_files.cmake.
const vscode = require("vscode");

let client;

exports.activate = function () {
  let languageclient;
  try {
    languageclient = require("vscode-languageclient/node");
  } catch (error) {
    return; // without `npm install` there are colours only
  }
  const settings = vscode.workspace.getConfiguration("nem.server");
  const server = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
  const options = {
    documentSelector: [{ language: "nem" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.nem") }
  };
  client = new languageclient.LanguageClient("nem", "NEM", server, options);
  return client.start();
};

exports.deactivate = function () {
  return client && client.stop();
};
]=])

write(vim/lua/nem_lsp.lua [=[
-- Starts `tessera lsp` for NEM in Neovim 0.7 and later. Generated by cmake/editor_files.cmake.
--   require('nem_lsp').setup()
--   require('nem_lsp').setup({ cmd = { 'tessera', 'lsp', '--device', 'npu.nem' } })
local M = {}
local clients = {}

--- Attaches a buffer to the server of its folder.
function M.attach(buffer, options)
  local file = vim.api.nvim_buf_get_name(buffer)
  local folder = vim.fn.fnamemodify(file, ':p:h')
  if clients[folder] == nil or vim.lsp.get_client_by_id(clients[folder]) == nil then
    clients[folder] = vim.lsp.start_client(vim.tbl_extend('keep', options or {}, {
      name = 'tessera',
      cmd = { 'tessera', 'lsp' },
      root_dir = folder,
    }))
  end
  vim.lsp.buf_attach_client(buffer, clients[folder])
  vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
end

function M.setup(options)
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'nem',
    callback = function(event)
      M.attach(event.buf, options)
    end,
  })
end

return M
]=])

write(vim/ftdetect/nem.vim [=[
autocmd BufRead,BufNewFile *.nem setfiletype nem
]=])

write(vim/ftplugin/nem.vim [=[
" Settings for NEM.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s comments=:# expandtab shiftwidth=2
let b:undo_ftplugin = "setlocal commentstring< comments< expandtab< shiftwidth<"
]=])

write(vim/syntax/nem.vim [=[
" Colours of NEM. Generated by cmake/editor_files.cmake from include/tessera/nem/format.hpp.
if exists("b:current_syntax")
  finish
endif

syntax keyword nemReserved @reserved_words@
syntax keyword nemOpcode @opcodes_words@
syntax keyword nemElement @elements_words@
syntax keyword nemMemory @levels_words@
syntax keyword nemUnit @units_words@
syntax keyword nemField @contextual_words@
syntax keyword nemBoolean true false
syntax match nemAttribute "\<\%(@attributes_vim@\)\>\ze\s*="
syntax match nemField "\<opcode\.\%(mandatory\|extended\)\>"
syntax match nemMode "\.\@1<=\%(async\|sync\)\>"
syntax match nemUnknownDecorator "@[A-Za-z_]\w*"
syntax match nemDecorator "@\%(@decorators_vim@\)\>"
syntax match nemNumber "\<\d\+\%(\.\d\+\%([eE][+-]\=\d\+\)\=\)\=\>"
syntax region nemString start=+"+ end=+"+ oneline
syntax match nemComment "#.*$"

highlight default link nemReserved Statement
highlight default link nemOpcode Function
highlight default link nemElement Type
highlight default link nemMemory StorageClass
highlight default link nemUnit Constant
highlight default link nemField Keyword
highlight default link nemBoolean Boolean
highlight default link nemAttribute Identifier
highlight default link nemMode StorageClass
highlight default link nemDecorator PreProc
highlight default link nemUnknownDecorator Error
highlight default link nemNumber Number
highlight default link nemString String
highlight default link nemComment Comment

let b:current_syntax = "nem"
]=])

if(stale)
  message(FATAL_ERROR "out of date:${stale}; build the target `editors`")
endif()
message(STATUS "editor files of NEM: ${CMAKE_CURRENT_LIST_DIR}/editors")
