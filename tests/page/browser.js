// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Runs at the end of a page: uses it as people do, and writes what is wrong into #result. `expected`
// has the words of browser.cmake.
'use strict';
{
  const wrong = [];
  let checks = 0;
  const check = (holds, what) => { ++checks; if (!holds) wrong.push(what); };
  const has = word => expected.includes(word);
  const nodes = () => [...document.querySelectorAll('#canvas .node')];
  const click = (element, type = 'click') => element.dispatchEvent(new MouseEvent(type, {bubbles: true}));
  const near = (a, b) => Math.abs(a - b) < 0.11;

  const overlap = (a, b) => a.x + 0.2 < b.x + b.w && b.x + 0.2 < a.x + a.w && a.y + 0.2 < b.y + b.h && b.y + 0.2 < a.y + a.h;
  /// Nothing overlaps, what is inside fits, and arrows begin and end at their nodes.
  function checkPlaces(all, path) {
    all.nodes.forEach((n, i) => {
      for (const o of all.nodes.slice(i + 1)) check(!overlap(n, o), `${path}: ${n.node.id} overlaps ${o.node.id}`);
      check(n.x >= -0.2 && n.y >= -0.2 && n.x + n.w <= all.width + 0.2 && n.y + n.h <= all.height + 0.2,
        `${path}: ${n.node.id} is outside`);
      if (!n.inside) return;
      check(n.inside.width + 2 * margin <= n.w + 0.2 && n.inside.height + margin + heading <= n.h + 0.2,
        `${path}: what is in ${n.node.id} is too large`);
      checkPlaces(n.inside, path + '/' + n.node.id);
    });
    all.graph.edges.forEach((e, i) => {
      if (e.straight || all.ways[i].length < 2) return;
      const ends = [[all.ways[i][0], all.nodes[e.from]], [all.ways[i].at(-1), all.nodes[e.to]]];
      for (const [p, n] of ends)
        check(p.x >= n.x - 0.6 && p.x <= n.x + n.w + 0.6 && p.y >= n.y - 0.6 && p.y <= n.y + n.h + 0.6 ||
          graph.frames.length > 0, `${path}: an arrow misses ${n.node.id}`);
    });
  }
  const graph = data.graphs[root] ?? {nodes: [], frames: []};
  const top = () => place(root, String(root));

  function checkGraph() {
    show('graph');
    check(nodes().length === graph.nodes.length, 'every node is drawn');
    checkPlaces(top(), 'graph');
    const last = nodes().at(-1);
    click(last);
    check(last.classList.contains('selected'), 'a click selects');
    check(side.textContent.includes(last.dataset.id), 'a click shows the name');
    search.value = graph.nodes.at(-1).lines[0][0];
    search.dispatchEvent(new Event('input'));
    const hits = document.querySelectorAll('#hits button');
    check(hits.length > 0, 'search finds a node');
    check(nodes().some(n => n.classList.contains('found')), 'what is found is marked');
    if (hits.length) click(hits[0]);
    check(document.querySelector('#canvas .node.selected') !== null, 'a hit is gone to');
    search.value = 'no such words';
    search.dispatchEvent(new Event('input'));
    check(document.querySelectorAll('#hits button').length === 0, 'search finds only what there is');
    search.value = '';
    search.dispatchEvent(new Event('input'));
    const before = scale;
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '+'}));
    check(scale > before, 'keys zoom');
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '0'}));
  }

  function checkFolding() {
    unfolded.clear();
    redraw();
    const folded = nodes().filter(n => nodeOf(n.dataset.key).inner !== undefined);
    check(folded.length > 1, 'blocks are folded');
    for (const block of folded.map(n => n.dataset.key)) {
      const count = nodes().length, inner = data.graphs[nodeOf(block).inner].nodes.length;
      click(elements.get(block).group, 'dblclick');
      check(nodes().length === count + inner, 'a block unfolds');
      checkPlaces(top(), 'unfolded');
    }
    for (const block of folded.map(n => n.dataset.key)) toggle(block);
    check(nodes().length === graph.nodes.length, 'blocks fold');
    const deep = allKeys.find(([key]) => key.split('/').length === 3);
    goTo({key: deep[0]});
    check(document.querySelector('#canvas .node.selected')?.dataset.key === deep[0], 'what is folded is gone to');
  }

  function checkTimeline() {
    show('timeline');
    const spans = data.trace.traceEvents.filter(e => e.ph === 'X');
    const bars = [...document.querySelectorAll('#chart .bar')];
    check(bars.length === spans.length, 'every event has a bar');
    const last = Math.max(...data.trace.traceEvents.map(e => (e.ts ?? 0) + (e.dur ?? 0)));
    const wide = chart.clientWidth - nameWidth - 10;
    for (const bar of bars) {
      const x = Number(bar.getAttribute('x')), w = Number(bar.getAttribute('width'));
      const e = spans.find(s => s.ts === Number(bar.dataset.start) && s.dur === Number(bar.dataset.duration));
      check(e !== undefined, 'a bar is an event');
      check(near(x, nameWidth + e.ts / last * wide), `${e.name} starts where the trace says`);
      check(near(w, Math.max(0.5, e.dur / last * wide)), `${e.name} is as long as the trace says`);
    }
    check(data.marks.length > 0 || spans.every(e => lineOf(e) === undefined || keysByLine.has(lineOf(e))),
      'every task of a program is in its graph');
    for (const [i, row] of rows.entries()) {
      const stalls = row.events.filter((e, at) =>
        (e.args?.['waited for'] ?? 'none') !== 'none' && e.ts > Math.max(0, ...row.events.slice(0, at).map(o => o.ts + o.dur)));
      check(row.stalls.length === stalls.length, `${row.name} has its stalls`);
      click(document.querySelectorAll('#chart .unit')[i]);
      check(side.textContent.includes(row.name), 'a click on a unit shows it');
      if (stalls.length) check(side.textContent.includes('waits for ' + stalls[0].args['waited for']), 'with why it is idle');
    }
    check(document.querySelectorAll('#chart .stall').length === rows.reduce((n, row) => n + row.stalls.length, 0),
      'stalls are drawn');
    click(bars.at(-1));
    check(side.textContent.includes('duration'), 'a click on a bar shows its time');
    check([...side.querySelectorAll('button')].some(b => b.textContent === 'In the graph'), 'a bar leads to the graph');
    timeView.zoom(4, nameWidth + 100);
    check(timeTo - timeFrom < last / 3.9, 'the timeline zooms');
    timeView.fit();
  }

  function checkText() {
    show('text');
    check(lineElements.length === lines.length, 'every line is shown');
    const withNode = [...keysByLine.keys()][0];
    check(withNode !== undefined || !has('graph'), 'a line has a node');
    if (withNode === undefined) return;
    click(lineElements[withNode]);
    check(lineElements[withNode].classList.contains('selected'), 'a click selects a line');
    check(selection.key === keysByLine.get(withNode), 'a line leads to its node');
  }

  const press = (key, target = document.body) =>
    target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
  const hoverOver = element => element.dispatchEvent(new MouseEvent('pointerover', {bubbles: true}));

  /// Each leaf and each gene is there, they mark each other, and genes lead into the graphs.
  function checkCorpus() {
    show('members');
    const leafElements = [...document.querySelectorAll('#members .leaf')];
    check(leafElements.length === members.length, 'every member is shown');
    check(document.querySelectorAll('#root option').length === data.roots.length, 'every graph can be chosen');
    for (const r of data.roots) {
      changeRoot(r);
      checkPlaces(top(), data.graphs[r].name);
    }
    const holder = members.findIndex(m => m.genes.length);
    check(holder >= 0, 'a member has genes');
    click(leaves.find(l => l.member === holder).group);
    check(side.textContent.includes(members[holder].name), 'a click on a member shows it');
    show('genes');
    check(document.querySelectorAll('#genes tr.gene').length === genes.length, 'every gene has a row');
    check(geneRows.filter(r => r.classList.contains('found')).length === members[holder].genes.length,
      'the genes of a member are marked');
    click(geneRows[0]);
    const marked = leaves.filter(l => l.group.classList.contains('found'));
    check(marked.length === genes[0].holders.size, 'the members of a gene are marked');
    check(marked.every(l => l.much.textContent === times(genes[0].holders.get(l.member))), 'with how often');
    hoverOver(geneRows[0]);
    check(leaves.filter(l => l.group.classList.contains('near')).length === genes[0].holders.size,
      'what is hovered over is marked elsewhere');
    for (const [member, count] of genes[0].holders)
      check(genes[0].keys.get(members[member].graph)?.length >= count, `${members[member].name} has the places of a gene`);
    click(side.querySelector('ul button'));
    check(document.querySelector('#canvas .node.selected') !== null, 'a gene leads to its place');
    check(nodeOf(selection.key).genes.includes(0), 'which is of it');
    search.value = members.at(-1).name;
    search.dispatchEvent(new Event('input'));
    click([...document.querySelectorAll('#hits button')].find(b => b.textContent === members.at(-1).name));
    check(selection.member === members.length - 1, 'search finds members');
    search.value = '';
    search.dispatchEvent(new Event('input'));
    changeRoot(data.roots[0]);
  }

  /// n and p go through what a section has, s shows all sections, what is hovered over is marked in each.
  function checkKeys() {
    for (const [name, section] of sections) {
      show(name);
      const items = section.items();
      if (!items.length) continue;
      selection = null;
      press('n');
      check(Object.entries(items[0]).every(([k, v]) => selection[k] === v), `n goes to the first of ${name}`);
      press('n');
      press('p');
      check(Object.entries(items[0]).every(([k, v]) => selection[k] === v), `p goes back in ${name}`);
    }
    press('s');
    check([...sections.values()].every(s => !s.section.hidden), 's shows all');
    const [line, key] = [...keysByLine][0] ?? [];
    if (line !== undefined && elements.get(key)) {
      hoverOver(lineElements[line]);
      check(elements.get(key).group.classList.contains('near'), 'a line marks its node');
      const bar = [...bars].find(([e]) => keyOfEvent(e) === key);
      if (bar) check(bar[1].classList.contains('near'), 'and its bars');
    }
    press('s');
    check([...sections.values()].filter(s => !s.section.hidden).length === Math.min(1, sections.size), 's shows one again');
    press('/');
    check(document.activeElement === search, '/ is for the search');
  }

  try {
    if (has('graph')) checkGraph();
    if (has('folded')) checkFolding();
    if (has('timeline')) checkTimeline();
    if (has('text')) checkText();
    if (has('weights')) {
      show('weights');
      check(document.querySelectorAll('#weights .histogram rect').length >= 32, 'weights have histograms');
    }
    if (has('marks')) check(document.querySelectorAll('#text mark').length === data.marks.length, 'findings are marked');
    if (has('evil')) {
      check(document.body.textContent.includes('<' + '/script><script>window.evil=1<' + '/script>'), 'names are text');
      check(!/[\u202e\u001b]/.test([...document.querySelectorAll('#canvas text')].map(t => t.textContent).join('')),
        'controls are named');
    }
    check(window.evil === undefined && document.images.length === 0, 'no name is markup');
    if (has('members')) checkCorpus();
    checkKeys();
    for (const word of ['timeline', 'weights', 'members', 'genes'])
      check(sections.has(word) === has(word), `there is a ${word} where there should be`);
  } catch (error) {
    wrong.push(String(error.stack ?? error));
  }
  const result = document.createElement('pre');
  result.id = 'result';
  result.textContent = wrong.length ? `${wrong.length} of ${checks}: ${wrong.slice(0, 5).join('; ')}\n` : `ok: ${checks} checks\n`;
  document.body.append(result);
}
