-- SPDX-FileCopyrightText: The Tessera authors
-- SPDX-License-Identifier: MIT
--
-- `tessera lsp` with Neovim's own client, what version 0.7 has of it; neovim.cmake runs it in a folder
-- with tiles.nem and devices.nem. Writes what is wrong to `found`, at the end "done".

local wrong = {}
local count = 0
local function check(what, got, expected)
  count = count + 1
  if not vim.deep_equal(got, expected) then
    table.insert(wrong, what .. ': got ' .. vim.inspect(got) .. ', expected ' .. vim.inspect(expected))
  end
end
local function contains(what, text, part)
  count = count + 1
  if type(text) ~= 'string' or not text:find(part, 1, true) then
    table.insert(wrong, what .. ': expected "' .. part .. '" in ' .. vim.inspect(text))
  end
end

local function ask(method, params)
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, 10000)
  if answers == nil then
    table.insert(wrong, method .. ': ' .. tostring(problem))
    return nil
  end
  for _, answer in pairs(answers) do
    if answer.error then
      table.insert(wrong, method .. ': ' .. vim.inspect(answer.error))
    end
    return answer.result
  end
end
--- The parameters of a request at a part of the text.
local function at(part, skip)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  for i, line in ipairs(lines) do
    local column = line:find(part, 1, true)
    if column then
      vim.api.nvim_win_set_cursor(0, { i, column - 1 + (skip or 0) })
      return vim.lsp.util.make_position_params(0, 'utf-16')
    end
  end
  error('no ' .. part)
end
local function diagnostics(expected)
  local function codes()
    return vim.tbl_map(function(d)
      return { d.lnum, d.message:match('^[^\n]*') }
    end, vim.diagnostic.get(0))
  end
  vim.wait(10000, function()
    return vim.deep_equal(codes(), expected)
  end, 20)
  check('diagnostics', codes(), expected)
end
local function set_line(i, text)
  vim.api.nvim_buf_set_lines(0, i, i + 1, false, { text })
end

local function main()
  require('nem_lsp').setup({ cmd = { vim.env.TESSERA, 'lsp' } })
  vim.cmd('edit tiles.nem')
  check('filetype', vim.bo.filetype, 'nem')
  check('attached', vim.wait(10000, function()
    local _, client = next(vim.lsp.buf_get_clients(0))
    return client ~= nil and client.initialized
  end, 20), true)
  diagnostics({})

  -- Findings follow what is typed.
  set_line(3, 'const n = m')
  diagnostics({ { 3, 'forward reference to undeclared constant m' } })
  set_line(3, 'const n = 8')
  diagnostics({})

  contains('hover', ask('textDocument/hover', at('A : L2')).contents.value, '512 bytes in L2')
  contains('hover', ask('textDocument/hover', at('relu')).contents.value, 'X: f16 [8, 16]')

  local found = ask('textDocument/definition', at('wait(r', 5))
  check('definition', found[1].range.start, { line = 12, character = 2 })
  found = ask('textDocument/definition', at('device small', 8))
  contains('definition', found[1].uri, 'devices.nem')
  vim.lsp.buf.definition()
  check('jump', vim.wait(10000, function()
    return vim.fn.expand('%:t') == 'devices.nem'
  end, 20), true)
  check('jump', vim.api.nvim_win_get_cursor(0), { 2, 7 })
  vim.cmd('edit tiles.nem')

  local references = at('B : L1')
  references.context = { includeDeclaration = true }
  check('references', vim.tbl_map(function(x)
    return x.range.start.line
  end, ask('textDocument/references', references)), { 5, 6, 8 })

  local symbols = ask('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params() })
  check('symbols', vim.tbl_map(function(s)
    return s.name
  end, symbols), { 'devices.nem', 'small', 'tiles', 'n', 'A', 'B', 'x', 'y', 'loop i' })

  set_line(16, '  wait( )')
  local items = vim.lsp.util.text_document_completion_list_to_complete_items(
    ask('textDocument/completion', at('wait(', 5)), '')
  check('completion', vim.tbl_map(function(x)
    return x.word
  end, items), { 'r', 't' })
  set_line(16, '  wait(r)')
  diagnostics({})

  -- Formatting applies to the buffer.
  set_line(3, 'const   n=8 # eight')
  vim.lsp.buf.formatting_sync({}, 10000)
  check('formatting', vim.api.nvim_buf_get_lines(0, 3, 4, false), { 'const n = 8  # eight' })

  -- A quick fix applies, too.
  set_line(7, '    elem=f16 shape=[8, 16], layout=HW')
  diagnostics({ { 7, "expected ',' between type attributes, got 'shape'" } })
  local range = { start = { line = 7, character = 0 }, ['end'] = { line = 8, character = 0 } }
  local actions = ask('textDocument/codeAction', {
    textDocument = vim.lsp.util.make_text_document_params(),
    range = range,
    context = { diagnostics = {} },
  })
  check('actions', #actions, 1)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
  check('fixed', vim.api.nvim_buf_get_lines(0, 7, 8, false), { '    elem=f16, shape=[8, 16], layout=HW' })
  diagnostics({})

  -- Units of UTF-16.
  set_line(0, 'include "devices.nem" # \240\159\152\128\195\169 \195\169')
  diagnostics({})
  set_line(3, 'const n = 8 # \240\159\152\128')
  set_line(4, 'buffer A : L2 (size=n * 64) # \240\159\152\128 \195\169')
  contains('hover', ask('textDocument/hover', at('n * 64')).contents.value, 'n = 8')

  local _, client = next(vim.lsp.buf_get_clients(0))
  client.stop()
  check('stopped', vim.wait(10000, function()
    return client.is_stopped()
  end, 20), true)
end

local ok, problem = xpcall(main, debug.traceback)
if not ok then
  table.insert(wrong, problem)
end
table.insert(wrong, 'done, ' .. count .. ' checks')
vim.fn.writefile(vim.split(table.concat(wrong, '\n'), '\n'), 'found')
vim.cmd('qall!')
