// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Shows what inspect::html has put into the element #data. Everything that comes from a file becomes
// text nodes and attributes of elements made here, never markup.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

// How nodes, their lines and arrows look is in tables, or left out where it is plain.
for (const graph of data.graphs) {
  graph.nodes = graph.nodes.map(([id, style, at, words, more]) => {
    const lines = [];
    for (let i = 0; i < words.length; i += 2) lines.push([words[i], ...data.fonts[words[i + 1]]]);
    const rows = more.rows?.map((row, i) => {
      const [key, value] = Array.isArray(row) ? row : [String(i + 1), row];
      return [/^\d+$/.test(key) ? 'argument ' + key : key, value];
    });
    return {id, at, lines, ...data.styles[style], ...more, rows};
  });
  graph.edges = graph.edges.map(([from, to, way, more]) => {
    for (let i = 2; i < way.length; ++i) way[i] += way[i - 2];
    return {from, to, way, ...(typeof more === 'string' ? {label: more} : more)};
  });
}
if (!data.roots.length && data.graphs.length) data.roots = [0];
// A corpus has members and the genes that they share.
const members = (data.members ?? []).map(([name, graph, rows]) => ({name, graph, rows, genes: []}));
const genes = (data.genes ?? []).map(([name, graph, rows, holders], i) => {
  const gene = {name, graph, rows, label: `gene ${i + 1}`, holders: new Map()};
  for (let h = 0; h < holders.length; h += 2) {
    gene.holders.set(holders[h], holders[h + 1]);
    members[holders[h]].genes.push(i);
  }
  return gene;
});

// ---- elements

const svgName = 'http://www.w3.org/2000/svg';
// Characters that change the direction of text, or that nobody sees, are named.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const shown = s => String(s).replace(hidden, c => '\\u{' + c.charCodeAt(0).toString(16) + '}');

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const child of children)
    element.append(child instanceof Node ? child : document.createTextNode(shown(child)));
  return element;
}
const html = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(svgName, name), attributes, children);
function on(element, event, act) {
  element.addEventListener(event, act);
  return element;
}
const button = (label, act) => on(html('button', {type: 'button'}, label), 'click', act);
const table = rows =>
  html('table', {}, ...rows.map(([key, value]) =>
    html('tr', {}, html('th', {scope: 'row'}, key), html('td', {}, value))));

// ---- the page

const tabs = html('nav', {role: 'tablist'});
const search = html('input', {id: 'search', type: 'search', placeholder: 'Search (press /)', 'aria-label': 'Search'});
const side = html('aside', {id: 'side', 'aria-live': 'polite'});
const main = html('main');
const sections = new Map();

/// `items` gives what n and p go to, in their order.
function addSection(name, label, element, items) {
  const section = html('section', {id: name, role: 'tabpanel'}, element);
  const tab = button(label, () => show(name));
  tab.setAttribute('role', 'tab');
  tab.dataset.section = name;
  section.hidden = true;
  sections.set(name, {section, tab, items, open: () => {}});
  tabs.append(tab);
  main.append(section);
}
let current = '', isSplit = false;
function show(name) {
  current = name;
  for (const [other, s] of sections) {
    s.section.hidden = other !== name && !isSplit;
    s.tab.setAttribute('aria-selected', other === name);
    if (!s.section.hidden) s.open();
  }
  if (isSplit) sections.get(name).section.scrollIntoView({block: 'nearest'});
}
/// All sections side by side, or one.
function split() {
  isSplit = !isSplit;
  main.classList.toggle('split', isSplit);
  splitButton.setAttribute('aria-pressed', isSplit);
  show(current);
  refit();
}
const splitButton = button('Side by side', split);

/// Pan by dragging, zoom by the wheel, and both by keys: `view` is moved and scaled.
function navigate(element, view) {
  let last = null, moved = 0;
  on(element, 'pointerdown', e => { last = [e.clientX, e.clientY]; moved = 0; });
  on(element, 'pointermove', e => {
    if (!last || !e.buttons) return;
    const dx = e.clientX - last[0], dy = e.clientY - last[1];
    moved += Math.abs(dx) + Math.abs(dy);
    last = [e.clientX, e.clientY];
    view.move(dx, dy);
  });
  on(element, 'pointerup', () => { last = null; });
  // A drag that ends on a node isn't a click on it.
  element.addEventListener('click', e => { if (moved > 4) e.stopPropagation(); }, true);
  element.addEventListener('wheel', e => {
    e.preventDefault();
    const box = element.getBoundingClientRect();
    view.zoom(Math.exp(-e.deltaY / 400), e.clientX - box.left, e.clientY - box.top);
  }, {passive: false});
  on(element, 'keydown', e => {
    const step = 60, middle = [element.clientWidth / 2, element.clientHeight / 2];
    const keys = {
      ArrowLeft: () => view.move(step, 0), ArrowRight: () => view.move(-step, 0),
      ArrowUp: () => view.move(0, step), ArrowDown: () => view.move(0, -step),
      '+': () => view.zoom(1.3, ...middle), '=': () => view.zoom(1.3, ...middle),
      '-': () => view.zoom(1 / 1.3, ...middle), '0': () => view.fit(),
    };
    if (!keys[e.key] || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    keys[e.key]();
  });
}

// ---- the graph

/// Unfolded nodes, by what they are in: "0/3/1" is node 1 of what node 3 of graph 0 has inside.
const unfolded = new Set();

/// Where a graph's nodes and arrows are, with what is unfolded in them. A node that grows moves what is
/// below it down, and what is to its right in its layer to the right: nothing overlaps.
function place(index, path) {
  const graph = data.graphs[index];
  const nodes = graph.nodes.map((node, i) => {
    const [x, y, w, h] = node.at;
    return {node, key: path + '/' + i, x, y, w, h, inside: null};
  });
  const ways = graph.edges.map(edge => {
    const points = [];
    for (let i = 0; i < edge.way.length; i += 2) points.push({x: edge.way[i], y: edge.way[i + 1]});
    return points;
  });
  const frames = graph.frames.map(f => ({x: f.at[0], y: f.at[1], w: f.at[2], h: f.at[3], of: f}));
  const all = {nodes, ways, frames, graph, width: graph.width, height: graph.height};
  for (const n of nodes)
    if (n.node.inner !== undefined && unfolded.has(n.key)) grow(all, n, place(n.node.inner, n.key));
  return all;
}

const margin = 10, heading = 22;

function grow(all, n, inside) {
  const right = n.x + n.w, top = n.y, bottom = n.y + n.h;
  const wider = Math.max(0, inside.width + 2 * margin - n.w);
  const higher = Math.max(0, inside.height + margin + heading - n.h);
  const before = all.nodes.map(o => ({x: o.x, y: o.y, h: o.h}));
  const below = Math.min(...all.nodes.filter(o => o.y >= bottom).map(o => o.y), Infinity);
  const move = p => {
    if (p.y >= bottom) p.y += higher;
    else if (p.y >= top && p.x >= right) p.x += wider;
  };
  for (const o of all.nodes) {
    if (o === n) continue;
    if (o.y >= bottom) o.y += higher;
    else if (o.y + o.h > top && o.x >= right) o.x += wider;
  }
  for (const f of all.frames) {
    if (f.y >= bottom) f.y += higher;
    else if (f.x >= right && f.y + f.h > top) f.x += wider;
    else if (f.y + f.h >= bottom) {
      f.h += higher;
      if (f.y <= top && f.x <= n.x && f.x + f.w >= right) f.w += wider;
    }
  }
  n.w += wider;
  n.h += higher;
  n.inside = inside;
  // Arrows begin and end at their nodes, wherever these are now.
  all.graph.edges.forEach((edge, i) => {
    const way = all.ways[i];
    if (way.length < 2) return;
    const first = {...way[0]}, last = {...way[way.length - 1]};
    // An arrow that passes by leaves the layer where it came into it.
    const leaves = way.map((p, i) => i > 0 && way[i - 1].y >= top && way[i - 1].y < bottom &&
      way[i - 1].x >= right && p.y >= bottom && p.y < below);
    way.forEach((p, i) => {
      move(p);
      if (leaves[i]) p.x += wider;
    });
    const anchor = (to, from, o, was) => {
      const low = from.y > was.y + was.h / 2;
      to.x = from.x + (o.x - was.x);
      to.y = from.y + (o.y - was.y) + (low ? o.h - was.h : 0);
    };
    anchor(way[0], first, all.nodes[edge.from], before[edge.from]);
    anchor(way[way.length - 1], last, all.nodes[edge.to], before[edge.to]);
    if (!edge.straight) all.ways[i] = passBy(way, top, bottom + higher);
  });
  all.width += wider;
  all.height += higher;
}

/// An arrow that passes by what grew stays vertical beside it.
function passBy(way, top, bottom) {
  const out = [];
  way.forEach((p, i) => {
    out.push(p);
    const next = way[i + 1];
    if (next && p.y >= top && p.y < bottom && next.y > bottom) out.push({x: p.x, y: bottom});
  });
  return out;
}

const number = v => Math.round(v * 10) / 10;
const dashes = ['', '5 3', '1.5 3'];

function drawEdge(edge, way) {
  if (way.length < 2) return null;
  const end = way[way.length - 1], before = way[way.length - 2], size = edge.thin ? 5 : 6;
  let dx = edge.straight ? end.x - before.x : 0;
  let dy = edge.straight ? end.y - before.y : (end.y < before.y ? -1 : 1);
  const length = Math.max(Math.hypot(dx, dy), 1e-9);
  dx /= length;
  dy /= length;
  const neck = {x: end.x - dx * size, y: end.y - dy * size}, half = size * 0.4;
  let d = `M${number(way[0].x)} ${number(way[0].y)}`;
  for (let i = 1; i < way.length; ++i) {
    const a = way[i - 1], b = i + 1 === way.length ? neck : way[i], y = number((a.y + b.y) / 2);
    d += a.x === b.x || edge.straight ? `L${number(b.x)} ${number(b.y)}`
      : `C${number(a.x)} ${y} ${number(b.x)} ${y} ${number(b.x)} ${number(b.y)}`;
  }
  const line = svg('path', {class: 'arrow', d});
  const head = svg('path', {class: 'head', d:
    `M${number(end.x)} ${number(end.y)}L${number(neck.x - dy * half)} ${number(neck.y + dx * half)}` +
    `L${number(neck.x + dy * half)} ${number(neck.y - dx * half)}Z`});
  if (edge.colour) {
    line.style.stroke = edge.colour;
    head.style.fill = edge.colour;
  }
  if (edge.thin) line.setAttribute('stroke-width', '0.7');
  if (edge.dash) line.setAttribute('stroke-dasharray', dashes[edge.dash]);
  const group = svg('g', {}, line, head);
  if (edge.tip) group.prepend(svg('title', {}, edge.tip));
  if (edge.label) {
    const at = edge.straight ? {x: (way[0].x + end.x) / 2, y: (way[0].y + end.y) / 2 - 4}
                             : {x: end.x + 3, y: end.y - 2};
    group.append(svg('text', {class: 'note', 'font-size': 7, x: at.x, y: at.y}, edge.label));
  }
  return group;
}

function drawLines(group, n) {
  const {node} = n;
  if (n.inside) {
    group.append(svg('text', {x: n.x + margin, y: n.y + 15, 'font-size': 11, 'font-weight': 'bold'}, node.lines[0][0]));
    return;
  }
  const high = node.lines.reduce((sum, l) => sum + 1.25 * l[1], 0);
  let y = n.y + (n.h - high) / 2;
  for (const [words, size, bold, colour] of node.lines) {
    const line = svg('text', {x: number(n.x + n.w / 2), y: number(y + size), 'font-size': size, 'text-anchor': 'middle'}, words);
    if (bold) line.setAttribute('font-weight', 'bold');
    if (node.form === 'words') line.setAttribute('class', 'note');
    else line.style.fill = colour;
    group.append(line);
    y += 1.25 * size;
  }
}

function drawNode(n, elements) {
  const {node} = n;
  const group = svg('g', {class: 'node', tabindex: 0, role: 'button', 'aria-label':
    shown(node.lines.map(l => l[0]).join(', ')), 'data-key': n.key, 'data-id': shown(node.id)});
  let form;
  if (node.form === 'ellipse')
    form = svg('ellipse', {cx: n.x + n.w / 2, cy: n.y + n.h / 2, rx: n.w / 2, ry: n.h / 2});
  else
    form = svg('rect', {x: number(n.x), y: number(n.y), width: number(n.w), height: number(n.h), rx: 5});
  if (n.inside) form.setAttribute('class', 'room');
  else if (node.form === 'words') form.setAttribute('fill', 'transparent');
  else {
    form.setAttribute('fill', node.fill);
    form.setAttribute('stroke', node.border);
  }
  if (node.dash) form.setAttribute('stroke-dasharray', dashes[node.dash]);
  if (node.thick) form.setAttribute('stroke-width', 2);
  group.append(form);
  drawLines(group, n);
  if (node.tip) group.append(svg('title', {}, node.tip));
  on(group, 'click', () => select({key: n.key}));
  on(group, 'dblclick', () => toggle(n.key));
  on(group, 'keydown', e => {
    if (e.key === 'Enter') select({key: n.key});
    else if (e.key === ' ' && node.inner !== undefined) { e.preventDefault(); toggle(n.key); }
  });
  group.what = {key: n.key};
  elements.set(n.key, {n, group});
  return group;
}

function drawGraph(all, elements) {
  const layer = svg('g');
  for (const f of all.frames) {
    const box = svg('rect', {class: 'frame', x: f.x, y: f.y, width: f.w, height: f.h, rx: 4});
    box.style.stroke = f.of.colour;
    layer.append(box);
  }
  all.graph.edges.forEach((edge, i) => {
    const drawn = drawEdge(edge, all.ways[i]);
    if (drawn) layer.append(drawn);
  });
  for (const f of all.frames)
    layer.append(svg('text', {class: 'note', x: f.x + 10, y: f.y + 16, 'font-size': 11}, f.of.label));
  for (const n of all.nodes) {
    layer.append(drawNode(n, elements));
    if (!n.inside) continue;
    const inner = drawGraph(n.inside, elements);
    inner.setAttribute('transform', `translate(${number(n.x + margin)} ${number(n.y + heading)})`);
    n.inside.at = {x: n.x + margin, y: n.y + heading};
    layer.append(inner);
  }
  return layer;
}

const canvas = svg('svg', {class: 'canvas', id: 'canvas', tabindex: 0, 'aria-label': 'graph'});
const rootChoice = html('select', {id: 'root', 'aria-label': 'graph'},
  ...data.roots.map(r => html('option', {value: r}, data.graphs[r].name)));
on(rootChoice, 'change', () => changeRoot(Number(rootChoice.value)));
let root = data.roots[0];
function changeRoot(to) {
  root = to;
  rootChoice.value = to;
  redrawFirst();
}
let drawn = null, elements = new Map(), scale = 1, origin = {x: 0, y: 0}, found = new Set();

const graphView = {
  apply() { drawn.layer.setAttribute('transform', `translate(${origin.x} ${origin.y}) scale(${scale})`); },
  move(dx, dy) { origin.x += dx; origin.y += dy; this.apply(); },
  zoom(by, x, y) {
    const next = Math.min(8, Math.max(0.01, scale * by));
    origin = {x: x - (x - origin.x) * next / scale, y: y - (y - origin.y) * next / scale};
    scale = next;
    this.apply();
  },
  fit() {
    const w = canvas.clientWidth || 800, h = canvas.clientHeight || 600;
    // A large graph is shown in part, not as a thread: from its top, around its middle.
    scale = Math.min(2, Math.max(Math.min(w / drawn.all.width, h / drawn.all.height), 0.4));
    origin = {x: (w - drawn.all.width * scale) / 2, y: Math.max(0, (h - drawn.all.height * scale) / 2)};
    this.apply();
  },
};

function redraw() {
  elements = new Map();
  const all = place(root, String(root));
  const layer = drawGraph(all, elements);
  canvas.replaceChildren(layer);
  drawn = {all, layer};
  for (const key of found) elements.get(key)?.group.classList.add('found');
  if (selection?.key) elements.get(selection.key)?.group.classList.add('selected');
  graphView.apply();
}

function nodeOf(key) {
  let [graph, ...path] = key.split('/').map(Number), node = null;
  for (const i of path) {
    node = data.graphs[graph].nodes[i];
    graph = node.inner;
  }
  return node;
}

function toggle(key) {
  if (nodeOf(key).inner === undefined) return;
  if (!unfolded.delete(key)) unfolded.add(key);
  redraw();
  if (selection?.key === key) tell();
}

/// Unfolds what is around a node, and moves it into the middle.
function reveal(key) {
  const parts = key.split('/');
  let changed = false;
  if (Number(parts[0]) !== root) changeRoot(Number(parts[0]));
  for (let i = 2; i < parts.length; ++i) {
    const around = parts.slice(0, i).join('/');
    changed = changed || !unfolded.has(around);
    unfolded.add(around);
  }
  if (changed) redraw();
  const {n, group} = elements.get(key);
  let x = n.x + n.w / 2, y = n.y + n.h / 2;
  for (let i = 2; i < parts.length; ++i) {
    const {at} = elements.get(parts.slice(0, i).join('/')).n.inside;
    x += at.x;
    y += at.y;
  }
  if (scale < 0.5) scale = 0.8;
  origin = {x: canvas.clientWidth / 2 - x * scale, y: canvas.clientHeight / 2 - y * scale};
  graphView.apply();
  return group;
}

// ---- what is found by what: names of nodes, lines, events

const keysById = new Map(), keysByLine = new Map(), allKeys = [];
function index(graph, path, depth) {
  data.graphs[graph].nodes.forEach((node, i) => {
    const key = path + '/' + i;
    allKeys.push([key, node]);
    // Of what is folded to a gene, the node that does is enough.
    const isFirst = node.inner !== undefined || !nodeOf(path)?.genes;
    if (isFirst) for (const g of node.genes ?? []) keysOfGene(g, path.split('/')[0]).push(key);
    if (!keysById.has(node.id)) keysById.set(node.id, key);
    if (node.line !== undefined && !keysByLine.has(node.line)) keysByLine.set(node.line, key);
    if (node.inner !== undefined && depth < 16) index(node.inner, key, depth + 1);
  });
}
/// Where a graph has a gene.
function keysOfGene(gene, graph) {
  const {keys = genes[gene].keys = new Map()} = genes[gene];
  if (!keys.has(Number(graph))) keys.set(Number(graph), []);
  return keys.get(Number(graph));
}
for (const r of data.roots) index(r, String(r), 0);

// ---- the timeline

const rows = [], counters = [];
let lastTime = 0;
function readTrace(trace) {
  const names = new Map(), byThread = new Map(), byCounter = new Map();
  for (const e of trace.traceEvents) {
    if (e.ph === 'M') names.set(e.name === 'process_name' ? 'p' + e.pid : `${e.pid}/${e.tid}`, e.args.name);
    if (e.ph === 'X') {
      const key = `${e.pid}/${e.tid}`;
      if (!byThread.has(key)) byThread.set(key, []);
      byThread.get(key).push(e);
      lastTime = Math.max(lastTime, e.ts + e.dur);
    }
    if (e.ph === 'C') {
      const [unit, value] = Object.entries(e.args)[0];
      const key = `${e.pid}/${e.name}`;
      if (!byCounter.has(key)) byCounter.set(key, {name: e.name, pid: e.pid, unit, points: []});
      byCounter.get(key).points.push([e.ts, value]);
      lastTime = Math.max(lastTime, e.ts);
    }
  }
  const places = key => key.split('/').map(Number);
  const inOrder = ([a], [b]) => places(a)[0] - places(b)[0] || places(a)[1] - places(b)[1];
  for (const [key, events] of [...byThread].sort(inOrder)) {
    events.sort((a, b) => a.ts - b.ts);
    const busy = events.reduce((sum, e) => sum + e.dur, 0);
    rows.push({name: names.get(key) ?? key, process: names.get('p' + key.split('/')[0]) ?? '', events, busy});
  }
  counters.push(...byCounter.values());
  for (const c of counters) c.process = names.get('p' + c.pid) ?? '';
  // Where several processes have units and counters of one name, they are named, too.
  for (const list of [rows, counters]) {
    const all = list.map(r => r.name);
    for (const r of list) if (all.indexOf(r.name) !== all.lastIndexOf(r.name)) r.name = `${r.process} ${r.name}`;
  }
}
if (data.trace) readTrace(data.trace);

/// The times in which a unit is idle because its next task waits, with the cause.
function stallsOf(events) {
  const out = [];
  let last = 0;
  for (const event of events) {
    const cause = event.args?.['waited for'] ?? 'none';
    if (event.ts > last && cause !== 'none') out.push({from: last, until: event.ts, cause, event});
    last = Math.max(last, event.ts + event.dur);
  }
  return out;
}
for (const row of rows) row.stalls = stallsOf(row.events);
/// A unit: what it did, and why it was idle.
function rowParts(row) {
  const causes = new Map(), share = t => lastTime ? ` (${Math.round(100 * t / lastTime)} %)` : '';
  for (const {from, until, cause} of row.stalls) causes.set(cause, (causes.get(cause) ?? 0) + until - from);
  const idle = [...causes].sort((a, b) => b[1] - a[1]);
  return [html('h2', {}, row.name), table([['of', row.process], ['tasks', row.events.length], ['busy', row.busy + share(row.busy)],
    ...idle.slice(0, 20).map(([cause, t]) => ['waits for ' + cause, t + share(t)])])];
}

const lineOf = e => typeof e.args?.line === 'number' ? e.args.line - 1 : undefined;
const idOf = e => e.args?.node ?? e.name.split(' ')[0];
const keyOfEvent = e => keysByLine.get(lineOf(e)) ?? keysById.get(idOf(e));

const plain = ['#dfe5ec', '#66727f'];
/// The colours of an event are those of its node.
function coloursOf(e) {
  const key = keyOfEvent(e), node = key && nodeOf(key);
  return node ? [node.fill, node.border] : plain;
}

const chart = svg('svg', {class: 'canvas', id: 'chart', tabindex: 0, 'aria-label': 'timeline'});
const rowHeight = 24, nameWidth = 170, axisHeight = 22, counterHeight = 48;
let timeFrom = 0, timeTo = lastTime || 1;
const timeView = {
  width: () => Math.max(100, chart.clientWidth - nameWidth - 10),
  move(dx) {
    const by = -dx * (timeTo - timeFrom) / this.width();
    timeFrom += by;
    timeTo += by;
    drawTimeline();
  },
  zoom(by, x) {
    const at = timeFrom + (x - nameWidth) / this.width() * (timeTo - timeFrom);
    timeFrom = at - (at - timeFrom) / by;
    timeTo = at + (timeTo - at) / by;
    drawTimeline();
  },
  fit() {
    timeFrom = 0;
    timeTo = lastTime || 1;
    drawTimeline();
  },
};

function stepOf(range) {
  const rough = range / 8, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(m => m * power).find(s => s >= rough);
}

const bars = new Map();
function drawTimeline() {
  bars.clear();
  const width = timeView.width(), perTime = width / (timeTo - timeFrom);
  const x = t => nameWidth + (t - timeFrom) * perTime;
  const height = axisHeight + rows.length * rowHeight + counters.length * counterHeight + 10;
  const parts = [svg('clipPath', {id: 'inside'}, svg('rect', {x: nameWidth, y: 0, width, height}))];
  const inside = svg('g', {'clip-path': 'url(#inside)'});
  const step = stepOf(timeTo - timeFrom);
  for (let t = Math.ceil(timeFrom / step) * step; t <= timeTo; t += step) {
    inside.append(svg('line', {class: 'grid', x1: x(t), x2: x(t), y1: 0, y2: height}));
    inside.append(svg('text', {class: 'note', x: x(t) + 3, y: 13, 'font-size': 10}, String(Number(t.toPrecision(6)))));
  }
  rows.forEach((row, i) => {
    const y = axisHeight + i * rowHeight;
    const share = lastTime ? Math.round(100 * row.busy / lastTime) : 0;
    const label = svg('text', {class: 'unit', x: 6, y: y + 15, 'font-size': 11, role: 'button'}, `${row.name} ${share} %`,
      svg('title', {}, `${row.name}: busy ${share} % of the time`));
    parts.push(on(label, 'click', () => select({row: i})));
    for (const stall of row.stalls) drawStall(inside, stall, x, y);
    for (const e of row.events) drawBar(inside, e, x(e.ts), e.dur * perTime, y, width);
  });
  counters.forEach((c, i) => drawCounter(parts, inside, c, axisHeight + rows.length * rowHeight + i * counterHeight, x));
  chart.setAttribute('style', `height:${height}px`);
  chart.replaceChildren(...parts, inside);
}

function drawBar(inside, e, left, wide, y, width) {
  if (left > nameWidth + width || left + wide < nameWidth) return;
  const [color, border] = coloursOf(e);
  const bar = svg('rect', {class: selection?.event === e ? 'bar selected' : 'bar', x: left, y: y + 2,
    width: Math.max(wide, 0.5), height: rowHeight - 4, fill: color, stroke: border, 'data-name': shown(e.name),
    'data-start': e.ts, 'data-duration': e.dur});
  bar.what = {event: e};
  bars.set(e, bar);
  bar.append(svg('title', {}, `${e.name}: ${e.ts} to ${e.ts + e.dur}`));
  on(bar, 'click', () => select({event: e}));
  inside.append(bar);
  if (wide < 40) return;
  const label = svg('text', {x: Math.max(left, nameWidth) + 4, y: y + 16, 'font-size': 10, 'pointer-events': 'none'},
    e.name.slice(0, Math.floor(wide / 6)));
  label.classList.add('inbar');
  inside.append(label);
}

function drawStall(inside, {from, until, cause, event}, x, y) {
  const middle = y + rowHeight / 2;
  inside.append(svg('line', {class: 'stall', x1: x(from), x2: x(until), y1: middle, y2: middle},
    svg('title', {}, `idle, ${until - from}: ${event.name} waits for ${cause}`)));
}

function drawCounter(parts, inside, c, y, x) {
  const most = c.points.reduce((m, p) => Math.max(m, p[1]), 1), base = y + counterHeight - 4;
  const high = v => base - v / most * (counterHeight - 10);
  let d = `M${number(x(0))} ${base}`, last = base;
  for (const [t, v] of c.points) {
    d += `L${number(x(t))} ${number(last)}`;
    last = high(v);
    d += `L${number(x(t))} ${number(last)}`;
  }
  d += `L${number(x(lastTime))} ${number(last)}L${number(x(lastTime))} ${base}Z`;
  parts.push(svg('text', {x: 6, y: y + 18, 'font-size': 11}, c.name),
    svg('text', {class: 'note', x: 6, y: y + 32, 'font-size': 10}, `at most ${most} ${c.unit}`));
  inside.append(svg('path', {class: 'live', d}));
}

// ---- the text

const lines = data.text === '' ? [] : data.text.replace(/\n$/, '').split('\n');
const lineElements = [];
/// A line with its findings, whose columns are bytes.
function lineWithMarks(line, marks) {
  const bytes = new TextEncoder().encode(line), decode = (a, b) => new TextDecoder().decode(bytes.slice(a, b));
  const parts = [];
  let at = 0;
  for (const m of [...marks].sort((a, b) => a.column - b.column)) {
    if (m.column < at) continue;
    parts.push(decode(at, m.column));
    at = Math.min(bytes.length, m.column + Math.max(1, m.length));
    parts.push(html('mark', {class: m.level, title: shown(m.message)}, decode(m.column, at)));
  }
  parts.push(decode(at, bytes.length));
  return parts;
}
function drawText() {
  const marks = new Map();
  for (const m of data.marks) marks.set(m.line, [...(marks.get(m.line) ?? []), m]);
  const all = html('div', {class: 'wide'});
  let chunk = null;
  lines.forEach((line, i) => {
    if (i % 200 === 0) {
      chunk = html('div', {class: 'chunk'});
      chunk.style.containIntrinsicHeight = `auto ${Math.min(200, lines.length - i) * 18}px`;
      all.append(chunk);
    }
    const own = marks.get(i) ?? [];
    const element = html('div', {class: 'text', 'data-number': i + 1}, ...(own.length ? lineWithMarks(line, own) : [line]));
    on(element, 'click', () => select({line: i}));
    element.what = {line: i};
    chunk.append(element);
    for (const m of own) chunk.append(html('div', {class: 'message ' + m.level}, `${m.level}: ${m.message}`));
    lineElements.push(element);
  });
  return all;
}

// ---- weights

function histogram(w, width = 120, height = 28) {
  const most = Math.max(1, ...w.counts), wide = width / Math.max(1, w.counts.length);
  return svg('svg', {class: 'histogram', width, height, role: 'img', 'aria-label': 'histogram'},
    ...w.counts.map((c, i) => svg('rect', {x: number(i * wide), y: number(height - height * c / most),
      width: number(Math.max(wide - 0.5, 0.5)), height: number(height * c / most)})));
}
const digits = v => String(Number(v.toPrecision(6)));
function weightsTable() {
  const heads = ['name', 'type', 'elements', 'least', 'greatest', 'mean', 'histogram'];
  return html('table', {class: 'wide'}, html('tr', {}, ...heads.map(h => html('th', {scope: 'col'}, h))),
    ...data.weights.map(w => html('tr', {}, html('td', {}, w.name), html('td', {}, w.type),
      ...[w.elements, digits(w.least), digits(w.greatest), digits(w.mean)].map(v => html('td', {class: 'number'}, v)),
      html('td', {}, histogram(w)))));
}

// ---- a corpus

const leaves = [], geneRows = [];
const times = n => n === 1 ? 'once' : `${n} times`;
const cut = (words, most) => words.length > most ? words.slice(0, most) + '…' : words;
/// What is clicked, or reached by keys, is selected.
function selectable(element, what) {
  element.what = what;
  element.setAttribute('tabindex', 0);
  on(element, 'click', () => select(what));
  return on(element, 'keydown', e => { if (e.key === 'Enter') select(what); });
}

/// Branches to scale, names at their ends; of a selected gene, how often each member has it.
function drawTree(tree) {
  const count = tree.leaves.length / 3, step = count <= 160 ? 18 : 14, size = step - 5, wide = 360, left = 20;
  const x = length => number(left + length / 1000 * wide), y = row => number(step * (row + 1));
  const longest = Math.max(...members.map(m => shown(m.name).length));
  const picture = svg('svg', {id: 'branches', width: left + wide + 80 + longest * size * 0.62, height: step * (count + 1) + 50});
  let d = '';
  for (let i = 0; i < tree.lines.length; i += 4)
    d += `M${x(tree.lines[i])} ${y(tree.lines[i + 1])}L${x(tree.lines[i + 2])} ${y(tree.lines[i + 3])}`;
  picture.append(svg('path', {class: 'arrow', d}));
  for (let i = 0; i < tree.leaves.length; i += 3) {
    const [member, length, row] = tree.leaves.slice(i, i + 3), name = members[member].name;
    const much = svg('tspan', {class: 'note', dx: 8});
    const label = svg('text', {x: x(length) + 6, y: y(row) + size * 0.35, 'font-size': size}, name, much);
    const back = svg('rect', {x: x(length) + 2, y: y(row) - step / 2, height: step, rx: 3,
      width: shown(name).length * size * 0.62 + 64});
    const group = selectable(svg('g', {class: 'leaf', role: 'button', 'aria-label': shown(name)}, back, label), {member});
    leaves.push({member, group, much});
    picture.append(group);
  }
  if (tree.unit) {
    const below = step * (count + 1) + 16;
    picture.append(svg('path', {class: 'arrow', d: `M${left} ${below - 4}v8m0 -4H${x(tree.unit)}m0 -4v8`}),
      svg('text', {class: 'note', x: left, y: below + 20, 'font-size': 11}, tree.unitText));
  }
  return html('div', {class: 'wide'}, picture);
}
function drawMembers() {
  return html('ul', {class: 'wide', id: 'members'}, ...members.map((m, member) => {
    const much = html('span', {class: 'quiet'});
    const group = selectable(html('li', {class: 'leaf', role: 'button'}, m.name, ' ', much), {member});
    leaves.push({member, group, much});
    return group;
  }));
}
function drawGenes() {
  const heads = ['', ...genes[0].rows.map(([key]) => key), 'gene'];
  return html('table', {class: 'wide'}, html('tr', {}, ...heads.map(h => html('th', {scope: 'col'}, h))),
    ...genes.map((g, gene) => {
      const row = selectable(html('tr', {class: 'gene'}, html('td', {class: 'number'}, gene + 1),
        ...g.rows.map(([, v]) => html('td', {class: 'number'}, v)), html('td', {}, cut(g.name, 160))), {gene});
      geneRows.push(row);
      return row;
    }));
}
/// Marks the members of a gene, or the genes of a member.
function markShared({member, gene}) {
  for (const l of leaves) {
    const much = gene === undefined ? undefined : genes[gene].holders.get(l.member);
    l.group.classList.toggle('found', much !== undefined);
    l.group.classList.toggle('selected', l.member === member);
    l.much.textContent = much === undefined ? '' : times(much);
  }
  geneRows.forEach((row, g) => {
    row.classList.toggle('found', member !== undefined && genes[g].holders.has(member));
    row.classList.toggle('selected', g === gene);
  });
}
const geneButton = (g, more = '') => button(`${genes[g].label}${more}: ${cut(genes[g].name, 80)}`, () => goTo({gene: g}));
function memberParts(member) {
  const m = members[member], parts = [html('h2', {}, m.name), table(m.rows)];
  if (m.graph !== null) parts.push(button('In the graph', () => goTo({key: m.graph + '/0'})));
  if (m.genes.length) parts.push(html('h2', {}, m.genes.length === 1 ? '1 gene' : `${m.genes.length} genes`));
  const list = m.genes.slice(0, 100).map(g => html('li', {}, geneButton(g, `, ${times(genes[g].holders.get(member))}`)));
  return [...parts, html('ul', {}, ...list)];
}
function geneParts(gene) {
  const g = genes[gene], list = [...g.holders].slice(0, 100).map(([member, count]) => {
    const keys = g.keys?.get(members[member].graph) ?? [];
    const label = `${members[member].name}: ${times(count)}`;
    return html('li', {}, button(label, () => goTo(keys.length ? {key: keys[0], gene} : {member})));
  });
  return [html('h2', {}, g.label), html('p', {}, g.name), table(g.rows),
    button('In the graph', () => goTo({key: g.graph + '/0'})), html('h2', {}, 'Where it occurs'), html('ul', {}, ...list)];
}
/// The places of a gene in the graph of a node, after that of the node.
function nextPlace(key, gene) {
  const keys = genes[gene].keys?.get(Number(key.split('/')[0])) ?? [];
  return keys[(keys.indexOf(key) + 1) % keys.length];
}

// ---- hover

/// What belongs to what the pointer is on, in all views.
function relatedTo(what) {
  const {key, line, event, member, gene} = resolved(what), out = [];
  if (key) out.push(elements.get(key)?.group);
  if (line !== undefined) out.push(lineElements[line]);
  for (const e of event ? [event] : key || line !== undefined ? eventsOf({key, line}).map(([, e]) => e) : [])
    out.push(bars.get(e));
  const found = [...(gene !== undefined ? [gene] : []), ...(key ? nodeOf(key).genes ?? [] : [])];
  const holding = key ? members.findIndex(m => m.graph === Number(key.split('/')[0])) : -1;
  for (const g of found) out.push(geneRows[g]);
  for (const l of leaves)
    if (l.member === member || l.member === holding || (gene !== undefined && genes[gene].holders.has(l.member))) out.push(l.group);
  if (member !== undefined) for (const g of members[member].genes) out.push(geneRows[g]);
  return out.filter(e => e);
}
let near = [];
on(main, 'pointerover', e => {
  for (const element of near) element.classList.remove('near');
  let target = e.target;
  while (target && target !== main && !target.what) target = target.parentNode;
  near = target?.what ? relatedTo(target.what) : [];
  for (const element of near) element.classList.add('near');
});

// ---- selection

/// With the node, and the line, of an event, a line or a node.
function resolved(what) {
  const out = {...what};
  if (what.event) out.key = keyOfEvent(what.event);
  if (what.line !== undefined) out.key = keysByLine.get(what.line);
  const node = out.key ? nodeOf(out.key) : null;
  if (out.line === undefined) out.line = what.event ? lineOf(what.event) ?? node?.line : node?.line;
  return out;
}

let selection = null;
function select(what) {
  selection = resolved(what);
  for (const {group} of elements.values()) group.classList.remove('selected');
  if (selection.key) elements.get(selection.key)?.group.classList.add('selected');
  for (const e of document.querySelectorAll('.text.selected')) e.classList.remove('selected');
  if (selection.line !== undefined) lineElements[selection.line]?.classList.add('selected');
  if (data.trace && !sections.get('timeline').section.hidden) drawTimeline();
  markShared(selection);
  tell();
}

/// The events of a node, or of a line.
function eventsOf({key, line}) {
  const id = key ? nodeOf(key).id : null, out = [];
  for (const row of rows)
    for (const e of row.events)
      if (idOf(e) === id || (line !== undefined && lineOf(e) === line)) out.push([row, e]);
  return out;
}

/// What the panel says about the selection, with ways to the other views of it.
function tell() {
  const parts = [];
  if (selection.row !== undefined) parts.push(...rowParts(rows[selection.row]));
  if (selection.member !== undefined) parts.push(...memberParts(selection.member));
  if (selection.gene !== undefined && !selection.key) parts.push(...geneParts(selection.gene));
  const node = selection.key ? nodeOf(selection.key) : null, e = selection.event;
  if (e) {
    parts.push(html('h2', {}, e.name),
      table([['start', e.ts], ['end', e.ts + e.dur], ['duration', e.dur],
        ...Object.entries(e.args ?? {}).map(([k, v]) => [k.replaceAll('_', ' '), v])]));
  }
  if (node) {
    parts.push(html('h2', {}, node.lines[0]?.[0] ?? node.id));
    const rows = node.rows ?? node.lines.slice(1).map(l => ['', l[0]]);
    parts.push(table([['name', node.id], ...rows]));
    if (node.inner !== undefined)
      parts.push(button(unfolded.has(selection.key) ? 'Fold' : 'Unfold', () => toggle(selection.key)));
    for (const i of node.weights ?? []) parts.push(...weightParts(data.weights[i]));
    for (const g of node.genes ?? []) {
      const next = nextPlace(selection.key, g);
      parts.push(html('h2', {}, genes[g].label), geneButton(g));
      if (next && next !== selection.key) parts.push(button('Next place', () => goTo({key: next, gene: g})));
    }
    if (data.graphs.length) parts.push(button('In the graph', () => goTo({key: selection.key})));
  }
  const {line} = selection;
  if (line !== undefined && lines[line] !== undefined) {
    parts.push(html('h2', {}, `Line ${line + 1}`), html('code', {}, lines[line].trim()), html('br'));
    parts.push(button('In the text', () => goTo({line})));
  }
  const events = e ? [] : eventsOf(selection);
  if (events.length) parts.push(html('h2', {}, 'In the timeline'));
  for (const [row, event] of events.slice(0, 20))
    parts.push(button(`${row.name}: ${event.ts} to ${event.ts + event.dur}`, () => goTo({event})));
  side.replaceChildren(...parts);
}
/// What the panel says while nothing is selected.
function introduce() {
  side.replaceChildren(table(data.facts), html('p', {class: 'quiet'},
    'Drag to move, turn the wheel to zoom, click for more, double-click to unfold. Keys: / searches, n and p go to ' +
    'the next and the previous one, arrows move, + and - zoom, 0 fits, s shows all side by side.'));
}
const weightParts = w => [html('h2', {}, w.name), table([['type', w.type], ['elements', w.elements],
  ['least', digits(w.least)], ['greatest', digits(w.greatest)], ['mean', digits(w.mean)],
  ...(w.notFinite ? [['not finite', w.notFinite]] : [])]), histogram(w, 280, 60)];

/// Shows a node, a line or an event where it is.
function goTo(what) {
  if (what.key !== undefined) {
    show('graph');
    reveal(what.key).focus({preventScroll: true});
  } else if (what.member !== undefined) {
    show('members');
    leaves.find(l => l.member === what.member)?.group.scrollIntoView({block: 'center'});
  } else if (what.gene !== undefined) {
    show('genes');
    geneRows[what.gene].scrollIntoView({block: 'center'});
  } else if (what.event) {
    show('timeline');
    const wide = Math.max(what.event.dur * 8, (timeTo - timeFrom) / 50, 1e-9);
    timeFrom = what.event.ts + what.event.dur / 2 - wide / 2;
    timeTo = timeFrom + wide;
  } else {
    show('text');
    lineElements[what.line]?.scrollIntoView({block: 'center'});
  }
  select(what);
}

// ---- search

function hitsOf(words) {
  const wanted = words.toLowerCase(), hits = [];
  const has = s => String(s).toLowerCase().includes(wanted);
  for (const [key, node] of allKeys)
    if (has(node.id) || node.lines.some(l => has(l[0])) || (node.rows ?? []).some(r => has(r[0]) || has(r[1])))
      hits.push({label: `${node.id}: ${node.lines[0]?.[0] ?? ''}`, go: {key}});
  const nodes = hits.length;
  members.forEach((m, member) => { if (has(m.name)) hits.push({label: m.name, go: {member}}); });
  genes.forEach((g, gene) => { if (has(g.label) || has(g.name)) hits.push({label: `${g.label}: ${g.name}`, go: {gene}}); });
  for (const row of rows)
    for (const event of row.events)
      if (has(event.name)) hits.push({label: `${row.name}, ${event.ts}: ${event.name}`, go: {event}});
  lines.forEach((line, i) => { if (has(line)) hits.push({label: `line ${i + 1}: ${line.trim()}`, go: {line: i}}); });
  return {hits, nodes};
}
function runSearch() {
  const words = search.value.trim();
  for (const key of found) elements.get(key)?.group.classList.remove('found');
  found = new Set();
  if (words === '') return introduce();
  const {hits, nodes} = hitsOf(words);
  for (const {go} of hits.slice(0, nodes)) found.add(go.key);
  for (const key of found) elements.get(key)?.group.classList.add('found');
  const list = html('ul', {id: 'hits'}, ...hits.slice(0, 100).map(h => html('li', {}, button(h.label, () => goTo(h.go)))));
  side.replaceChildren(html('h2', {}, hits.length === 1 ? '1 hit' : `${hits.length} hits`), list);
}
on(search, 'input', runSearch);
on(search, 'keydown', e => {
  if (e.key === 'Enter') side.querySelector('#hits button')?.click();
  if (e.key === 'Escape') { search.value = ''; runSearch(); }
});
/// Selects what comes after the selection in the current section, or before it.
function step(by) {
  const items = sections.get(current)?.items() ?? [];
  if (!items.length) return;
  const same = w => Object.entries(w).every(([k, v]) => selection?.[k] === v);
  const at = selection ? items.findIndex(same) : -1;
  goTo(items[at < 0 ? (by > 0 ? 0 : items.length - 1) : (at + by + items.length) % items.length]);
}
on(document, 'keydown', e => {
  const keys = {'/': () => search.focus(), n: () => step(1), p: () => step(-1), s: split};
  if (!keys[e.key] || e.target === search || e.target === rootChoice || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  keys[e.key]();
});

// ---- all of it

document.body.prepend(html('header', {}, html('h1', {}, data.title), tabs, search), main, side);
if (members.length) addSection('members', data.tree ? 'Tree' : 'Networks', data.tree ? drawTree(data.tree) : drawMembers(),
  () => leaves.map(({member}) => ({member})));
if (genes.length) addSection('genes', 'Genes', drawGenes(), () => genes.map((_, gene) => ({gene})));
if (data.graphs.length) {
  addSection('graph', 'Graph', canvas, () => [...elements.keys()].map(key => ({key})));
  navigate(canvas, graphView);
  const graphSection = sections.get('graph');
  if (data.roots.length > 1) graphSection.section.prepend(rootChoice);
  graphSection.open = () => {
    graphSection.open = () => {};
    redrawFirst();
  };
}
function redrawFirst() {
  origin = {x: 0, y: 0};
  redraw();
  graphView.fit();
}
if (data.trace) {
  addSection('timeline', 'Timeline', html('div', {}, chart, html('p', {class: 'wide quiet'}, data.traceNote)),
    () => rows.flatMap(row => row.events.map(event => ({event}))));
  navigate(chart, timeView);
  sections.get('timeline').open = drawTimeline;
}
if (lines.length) addSection('text', data.textTitle || 'Text', drawText(), () => lines.map((_, line) => ({line})));
if (data.weights.length) addSection('weights', 'Weights', weightsTable(), () => []);
/// After sections have another size.
function refit() {
  if (drawn) graphView.fit();
  if (data.trace && !sections.get('timeline').section.hidden) drawTimeline();
}
on(window, 'resize', refit);
if (sections.size > 1) tabs.append(splitButton);
introduce();
if (sections.size) show(sections.keys().next().value);
// page.html#v12 shows a node, page.html#line=7 a line, page.html#timeline a section.
const wanted = decodeURIComponent(location.hash.slice(1));
if (keysById.has(wanted)) goTo({key: keysById.get(wanted)});
else if (sections.has(wanted)) show(wanted);
else if (/^line=\d+$/.test(wanted) && lines.length) goTo({line: Number(wanted.slice(5)) - 1});
