// Checks a Marigraph report page in a real browser.
//
//   node page.test.mjs [page.html or picture (.svg)] [screenshot folder]
//
// Without arguments it checks the hand-made sample beside the page's assets.
// WIDGETS names what the page must have (timeline heatmap files periods signatures
// labels study); what it lacks of these fails, and what it lacks otherwise is skipped.
// CHROMIUM overrides the browser's path. No time is limited by a number of seconds: the
// limit is a ratio to the same work done plainly, in the same browser, in the same run.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const here = path.dirname(fileURLToPath(import.meta.url));
const assets = path.join(here, '..', '..', 'crates', 'report', 'assets');
const given = path.resolve(process.argv[2] || path.join(assets, 'sample.html'));
const shots = process.argv[3] ? path.resolve(process.argv[3]) : null;
const css = readFileSync(path.join(assets, 'page.css'), 'utf8');
const js = readFileSync(path.join(assets, 'page.js'), 'utf8');
const scratch = mkdtempSync(path.join(tmpdir(), 'marigraph-page-'));

let passed = 0, failed = 0, skipped = 0;

async function check(name, run) {
  try {
    const note = await run();
    passed++;
    console.log('ok    ' + name + (note ? '  (' + note + ')' : ''));
  } catch (error) {
    failed++;
    console.log('FAIL  ' + name + '\n      ' + String(error.message || error).split('\n').join('\n      '));
  }
}

function skip(name, why) {
  skipped++;
  console.log('skip  ' + name + '  (' + why + ')');
}

const expected = new Set((process.env.WIDGETS || '').split(' ').filter(Boolean));

/** A widget that the page lacks. */
async function absent(widget) {
  if (expected.has(widget)) await check(widget + ': is in this page', () => assert.fail('it is not'));
  else skip(widget, 'not in this page');
}

// ---------- pages ----------

/** Generated pages are self-contained; the sample links its assets, so they are put inline here. */
function selfContained(file) {
  const html = readFileSync(file, 'utf8');
  if (!html.includes('href="page.css"')) return file;
  const inlined = html
    .replace('<link rel="stylesheet" href="page.css">', () => '<style>' + css + '</style>')
    .replace('<script src="page.js"></script>', () => '<script>' + js + '</script>');
  return write('page.html', inlined);
}

function write(name, html) {
  const file = path.join(scratch, name);
  writeFileSync(file, html);
  return file;
}

const pack = (value) => deflateRawSync(Buffer.from(JSON.stringify(value))).toString('base64');

function madePage(name, body) {
  return write(name, '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>made</title><style>' + css + '</style></head><body>' +
    '<header class="top"><h1>made</h1><p class="sub">for a test</p><nav></nav><button class="theme" aria-label="switch theme"></button></header><main><section>' +
    body + '</section></main><script>' + js + '</script></body></html>');
}

const fileWidget = (value) => '<div class="files" data-packed="f"></div><script type="text/plain" id="f">' + pack(value) + '</script>';
const timeWidget = (value) => '<div class="timeline" data-json="t"></div><script type="application/json" id="t">' + JSON.stringify(value) + '</script>';

/** A table of `n` files in which everything can be computed again here. */
function manyFiles(n) {
  const d = { dirs: [], dir: [], name: [], mounts: ['/lus (lustre)', '/home (nfs)'], mount: [], interfaces: ['POSIX', 'MPI-IO', 'STDIO'], iface: [],
    read: [], written: [], reads: [], writes: [], meta: [], time: [], ranks: [], size: [], total: n + 5000 };
  for (let k = 0; k < 4000; k++) d.dirs.push('/lus/project/run_' + String(k).padStart(5, '0') + '/output/');
  for (let i = 0; i < n; i++) {
    const mixed = Math.imul(i + 1, 2654435761) >>> 0;
    d.dir.push(mixed % 4000);
    d.name.push('Part_' + (mixed % 997) + '_' + i + '.h5');
    d.mount.push(i % 3 ? 0 : -1);
    d.iface.push(1 + (i % 7));
    d.read.push(mixed % 100000007);
    d.written.push((mixed >>> 3) % 5000);
    d.reads.push(mixed % 1000);
    d.writes.push(i % 10);
    d.meta.push(3);
    d.time.push((mixed % 1000003) / 1000);
    d.ranks.push(i % 5 ? i % 64 : -1);
    d.size.push(i % 2 ? mixed : -1);
  }
  return d;
}

// ---------- browser helpers ----------

let browser = null;

async function launch() {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run'],
  });
}

/** Opens a file and keeps what a user should never meet: errors and requests. */
async function open(file, { width = 1400, height = 900, scheme = 'light', scale = 1, scripts = true, before = null } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: scale, javaScriptEnabled: scripts });
  const page = await context.newPage();
  const trouble = [], requests = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) trouble.push(m.text()); });
  page.on('pageerror', (e) => trouble.push(e.stack || e.message));
  page.on('request', (r) => requests.push(r.url()));
  if (before) await page.addInitScript(before);
  await page.goto(pathToFileURL(file).href);
  if (scripts && (await page.$('.files[data-packed]'))) await page.waitForSelector('.files .rows, .files [role=alert]', { timeout: 30000 });
  await page.waitForTimeout(100);
  return { page, trouble, requests, close: () => context.close() };
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const text = (page, selector) => page.$eval(selector, (n) => n.textContent);
const shoot = async (page, name) => { if (shots) await page.screenshot({ path: path.join(shots, name + '.png'), fullPage: true }); };

/** The drawn picture: a fingerprint of all of it and of the axis strip at the bottom, and its coloured pixels.
    Only the middle of the picture counts as coloured: the heat map has bars along its top and right edge.
    Read from a copy, because reading a canvas often changes how the browser keeps it. */
function picture(page, widget) {
  return page.$eval(widget + ' .plot canvas', (canvas) => {
    const { width, height } = canvas;
    const scale = width / canvas.clientWidth;
    const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const data = copy.getImageData(0, 0, width, height).data;
    let all = 0, axis = 0, coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const code = (data[i] << 16) ^ (data[i + 1] << 8) ^ data[i + 2] ^ (data[i + 3] << 24);
      all = (Math.imul(all, 31) + code) | 0;
      if (i / 4 / width > height - 20) axis = (Math.imul(axis, 31) + code) | 0;
      const high = Math.max(data[i], data[i + 1], data[i + 2]), low = Math.min(data[i], data[i + 1], data[i + 2]);
      const x = (i / 4) % width, y = i / 4 / width;
      const middle = y > 42 * scale && y < height - 28 * scale && x < width - 64 * scale;
      if (middle && data[i + 3] > 60 && high - low > 50) coloured++;
    }
    return { all, axis, coloured };
  });
}

/** A point of the plot, given as fractions, in page coordinates. */
async function spot(page, widget, fx, fy) {
  const plot = await page.$(widget + ' .plot');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  return [box.x + box.width * fx, box.y + box.height * fy];
}

async function drag(page, widget, from, to) {
  await page.mouse.move(...(await spot(page, widget, ...from)));
  await page.mouse.down();
  await page.mouse.move(...(await spot(page, widget, (from[0] + to[0]) / 2, (from[1] + to[1]) / 2)));
  await page.mouse.move(...(await spot(page, widget, ...to)));
  await page.mouse.up();
  await settle(page);
}

async function search(page, words) {
  await page.fill('.files input[type=search]', words);
  await page.waitForTimeout(220); // the search waits 150 ms for more typing
  await settle(page);
}

const counts = async (page) => (await text(page, '.files .count')).match(/[\d,]+/g).map((s) => Number(s.replaceAll(',', '')));
const shownPaths = (page) => page.$$eval('.files .rows .path', (nodes) => nodes.map((n) => n.title));

/** The exact values (kept in titles) of one column, top to bottom. */
const column = (page, key) => page.$$eval('.files .rows .tr', (rows, key) => {
  const at = [...document.querySelectorAll('.files .head > *')].findIndex((h) => h.dataset.key === key);
  return rows.map((r) => Number(r.children[at].title.replace(/[^\d.]/g, '')));
}, key);

const sortBy = async (page, key) => { await page.click('.files .head [data-key="' + key + '"] button'); await settle(page); };
const direction = (page, key) => page.$eval('.files .head [data-key="' + key + '"]', (n) => n.getAttribute('aria-sort'));

// ---------- checks of the given page ----------

/** Zooming and resetting, the same for both plots. */
async function zoomChecks(page, widget, name, from, to) {
  const range = () => text(page, widget + ' .range');
  const whole = { range: await range(), ...(await picture(page, widget)) };

  const zoomed = async (how) => {
    const now = { range: await range(), ...(await picture(page, widget)) };
    assert.notEqual(now.range, whole.range, how + ' left the range at ' + whole.range);
    assert.notEqual(now.axis, whole.axis, how + ' left the axis as it was');
    assert.equal(await page.$eval(widget + ' .reset', (b) => b.disabled), false);
    return now.range;
  };
  const restored = async (how) => {
    await settle(page);
    await page.mouse.move(2, 2);
    await settle(page);
    assert.equal(await range(), whole.range, how);
    assert.equal((await picture(page, widget)).all, whole.all, how + ' draws the first picture again');
  };

  await check(name + ': drag zooms, button resets', async () => {
    await drag(page, widget, from, to);
    const seen = await zoomed('the drag');
    await page.click(widget + ' .reset');
    await restored('the button');
    return whole.range + ' to ' + seen;
  });
  await check(name + ': double click resets', async () => {
    await drag(page, widget, from, to);
    await zoomed('the drag');
    await page.mouse.dblclick(...(await spot(page, widget, 0.5, 0.5)));
    await restored('the double click');
  });
  await check(name + ': keyboard zooms and resets', async () => {
    await page.focus(widget + ' .plot');
    await page.keyboard.press('+');
    await settle(page);
    await zoomed('the + key');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Escape');
    await restored('the Escape key');
  });
  await check(name + ': wheel zooms with ctrl only', async () => {
    await page.mouse.move(...(await spot(page, widget, 0.5, 0.5)));
    await page.mouse.wheel(0, -1);
    await page.waitForTimeout(100);
    assert.equal(await range(), whole.range, 'a plain wheel does not zoom');
    await page.mouse.move(...(await spot(page, widget, 0.5, 0.5)));
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await page.waitForTimeout(100);
    await zoomed('the wheel');
    await page.click(widget + ' .reset');
    await restored('the button');
  });
}

async function plotChecks(page, kind, name, from, to, tipPattern) {
  const widget = kind + '[data-checked]'; // the first one, if a page has several
  await page.$$eval(kind, (all) => { if (all.length) all[0].dataset.checked = ''; });
  if (!(await page.$(widget + '.live'))) {
    if (await page.$(widget)) await check(name + ': says why it is not drawn', async () => assert.ok(await page.$(widget + ' .empty')));
    else await absent(kind.slice(1));
    return;
  }
  const { cells, moved } = await page.$eval(widget, (box) => {
    const d = JSON.parse(document.getElementById(box.dataset.json).textContent);
    const longest = Math.max(...d.series.map((s) => Math.max(s.read.length, s.write.length)));
    return { cells: d.cols || longest, moved: d.series.some((s) => [...s.read, ...s.write].some((v) => v > 0)) };
  });
  if (!moved) skip(name + ': data is drawn', 'no bytes in it');
  else await check(name + ': data is drawn', async () => {
    const { coloured } = await picture(page, widget);
    assert.ok(coloured > 20, 'only ' + coloured + ' coloured pixels');
    return coloured + ' coloured pixels';
  });
  await check(name + ': pointer shows a tooltip', async () => {
    await page.mouse.move(...(await spot(page, widget, 0.5, 0.5)));
    await settle(page);
    assert.equal(await page.$eval('.tip', (n) => n.hidden), false);
    const words = await page.$eval('.tip', (n) => n.innerText.replace(/\s+/g, ' '));
    assert.match(words, tipPattern);
    const inView = await page.$eval('.tip', (n) => { const r = n.getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.top >= 0; });
    assert.ok(inView, 'the tooltip leaves the window');
    await page.mouse.move(2, 2);
    await settle(page);
    assert.equal(await page.$eval('.tip', (n) => n.hidden), true, 'the tooltip stays after the pointer left');
    return words;
  });
  if (cells > 16) await zoomChecks(page, widget, name, from, to);
  else skip(name + ': zoom', 'only ' + cells + ' bins');

  const choices = await page.$$(widget + ' .seg:first-child button');
  if (choices.length < 2) return skip(name + ': selector', 'one series');
  await check(name + ': selector changes the picture', async () => {
    const pressed = await Promise.all(choices.map((b) => b.getAttribute('aria-pressed')));
    const first = choices[pressed.indexOf('true')], other = choices[pressed.indexOf('false')];
    const before = (await picture(page, widget)).all;
    await other.click();
    await settle(page);
    assert.equal(await other.getAttribute('aria-pressed'), 'true');
    assert.equal(await first.getAttribute('aria-pressed'), 'false');
    assert.notEqual((await picture(page, widget)).all, before);
    await first.click();
    await settle(page);
    assert.equal((await picture(page, widget)).all, before);
  });
}

async function fileChecks(page) {
  if (!(await page.$('.files[data-packed]'))) return absent('files');
  const [, all] = await counts(page);

  await check('files: few rows in the document, also at the end', async () => {
    const number = () => page.$$eval('.files .rows .tr', (n) => n.length);
    assert.ok((await number()) < 100 && (await number()) > 0);
    await page.$eval('.files .view', (v) => { v.scrollTop = v.scrollHeight; });
    await page.waitForTimeout(100);
    assert.ok((await number()) < 100);
    const last = await page.$$eval('.files .rows .tr', (rows) => Number(rows.at(-1).getAttribute('aria-rowindex')));
    assert.equal(last, all + 2, 'the last file is reached');
    await page.$eval('.files .view', (v) => { v.scrollTop = 0; });
    await page.waitForTimeout(100);
    return (await number()) + ' rows for ' + all + ' files';
  });

  await check('files: search narrows, all words must match, case does not matter', async () => {
    const target = (await shownPaths(page)).at(-1);
    const base = target.slice(target.lastIndexOf('/') + 1).split(/\s+/)[0];
    await search(page, base.toUpperCase());
    const [some] = await counts(page);
    assert.ok(some >= 1 && some <= all);
    for (const p of await shownPaths(page)) assert.ok(p.toLowerCase().includes(base.toLowerCase()), p + ' lacks ' + base);
    const folder = target.split('/')[1] || '';
    await search(page, base + ' ' + folder);
    assert.ok((await counts(page))[0] <= some);
    assert.ok((await shownPaths(page)).includes(target));
    await search(page, 'no-such-path-' + 'q'.repeat(40));
    assert.deepEqual(await counts(page), [0, all]);
    assert.equal(await page.isVisible('.files .nothing'), true);
    await search(page, '');
    assert.deepEqual(await counts(page), [all, all]);
    return some + ' of ' + all + ' for ' + base;
  });

  for (const key of ['read', 'written', 'reads', 'writes', 'meta', 'time']) {
    await check('files: sorts by ' + key, async () => {
      const first = {}, last = {};
      for (let turn = 0; turn < 2; turn++) {
        await sortBy(page, key);
        const order = await direction(page, key);
        assert.ok(['ascending', 'descending'].includes(order), 'the header says how it is sorted');
        const values = await column(page, key);
        assert.ok(values.every((v) => !Number.isNaN(v)));
        for (let i = 1; i < values.length; i++) {
          assert.ok(order === 'ascending' ? values[i] >= values[i - 1] : values[i] <= values[i - 1], order + ': ' + values);
        }
        first[order] = values[0];
        await page.$eval('.files .view', (v) => { v.scrollTop = v.scrollHeight; });
        await page.waitForTimeout(80);
        last[order] = (await column(page, key)).at(-1);
      }
      // A screen full of equal values proves nothing: the ends must swap too.
      assert.deepEqual([last.ascending, last.descending], [first.descending, first.ascending]);
      assert.ok(first.ascending <= first.descending, 'ascending begins at ' + first.ascending + ', descending at ' + first.descending);
      return first.ascending + ' to ' + first.descending;
    });
  }
  await check('files: sorts by path', async () => {
    await sortBy(page, 'path');
    const paths = (await shownPaths(page)).map((p) => [p.slice(0, p.lastIndexOf('/') + 1), p.slice(p.lastIndexOf('/') + 1)]);
    for (let i = 1; i < paths.length; i++) {
      const [a, b] = [paths[i - 1], paths[i]];
      assert.ok(a[0] < b[0] || (a[0] === b[0] && a[1] <= b[1]), a + ' before ' + b);
    }
  });

  await check('files: filters agree with the totals row', async () => {
    for (const list of await page.$$('.files select')) {
      let sum = 0;
      const options = await list.$$eval('option', (o) => o.map((x) => x.value));
      for (const value of options) {
        await list.selectOption(value);
        await settle(page);
        const [n] = await counts(page);
        if (value !== options[0]) sum += n;
        assert.match(await text(page, '.files .sum'), new RegExp('^Total of ' + n.toLocaleString('en-US') + ' file'));
      }
      const each = (await list.getAttribute('aria-label')) === 'mount point';
      assert.ok(each ? sum === all : sum >= 0, sum + ' files over all mount points, ' + all + ' in the table');
      await list.selectOption(options[0]);
      await settle(page);
    }
    assert.deepEqual(await counts(page), [all, all]);
  });

  await check('files: a click copies the path', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('.files .rows .tr:nth-child(1) .path');
    await page.waitForSelector('.toast');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), (await shownPaths(page))[0]);
  });

  await check('files: long paths are cut in the middle and fit', async () => {
    const bad = await page.$$eval('.files .rows .path', (nodes) => nodes.filter((n) => n.scrollWidth > n.clientWidth + 1).map((n) => n.textContent));
    assert.deepEqual(bad, []);
  });

  await check('files: paper has the first 40 rows at most', async () => {
    await page.emulateMedia({ media: 'print' });
    await page.waitForTimeout(150);
    assert.equal(await page.$$eval('.files .paper tbody tr', (n) => n.length), Math.min(40, all));
    assert.equal(await page.isVisible('.files .view'), false);
    if (all > 40) assert.match(await text(page, '.files .paper .note'), /first 40 of/);
    await shoot(page, 'print');
    await page.emulateMedia({ media: 'screen' });
    await page.waitForTimeout(150);
    assert.equal(await page.isVisible('.files .view'), true);
  });
}

/** Words of a chart that run into each other or out of it. */
const clashes = (page, selector) => page.$$eval(selector, (charts) => charts.flatMap((chart) => {
  const frame = chart.getBoundingClientRect();
  const words = [...chart.querySelectorAll('text')].filter((t) => t.textContent).map((t) => [t.textContent, t.getBoundingClientRect()]);
  const out = words.filter(([, r]) => r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1);
  const met = words.flatMap(([a, r], i) => words.slice(i + 1)
    .filter(([, q]) => Math.min(r.right, q.right) - Math.max(r.left, q.left) > 1 && Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top) > 3)
    .map(([b]) => a + ' | ' + b));
  return [...met, ...out.map(([a]) => a + ' leaves the chart')];
}));

async function chartChecks(page) {
  if (!(await page.$('.chart[data-readout]'))) return absent('periods');
  await check('charts of periods: no words run into each other', async () => {
    assert.deepEqual(await clashes(page, '.chart[data-readout] svg'), []);
    return (await page.$$eval('.chart[data-readout] text', (all) => all.length)) + ' labels';
  });
  await check('charts of periods: pointer shows a tooltip', async () => {
    const patterns = { rate: /s up to .*B\/s/, power: /Hz · .*s power .*%/, correlation: /^lag .*correlation -?[01]\.\d\d/ };
    const seen = [];
    for (const figure of await page.$$('.chart[data-readout]')) {
      const { kind, values } = await figure.$eval('script', (s) => JSON.parse(s.textContent));
      if (!values.length) continue;
      const svg = await figure.$('svg');
      await svg.scrollIntoViewIfNeeded();
      const box = await svg.boundingBox();
      await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
      await settle(page);
      assert.match(await page.$eval('.tip', (n) => n.innerText.replace(/\s+/g, ' ')), patterns[kind]);
      await page.mouse.move(2, 2);
      await settle(page);
      assert.equal(await page.$eval('.tip', (n) => n.hidden), true, 'the tooltip stays after the pointer left');
      seen.push(kind);
    }
    return seen.join(', ');
  });
}

/** Pages of signatures: runs behind the signature, those that were left out in grey. */
async function signatureChecks(page) {
  if (!(await page.$('svg .alone'))) return absent('signatures');
  await check('signatures: no words run into each other', async () => assert.deepEqual(await clashes(page, '.chart svg'), []));
  await check('signatures: runs are drawn, bursts are marked, what was left out is grey', async () => {
    const counts = await page.evaluate(() => Object.fromEntries(['.run:not(.left-out)', '.run.left-out', '.band', '.mark'].map((kind) => [kind, document.querySelectorAll('svg ' + kind).length])));
    const silent = await page.$('section > p.empty');
    assert.ok(counts['.run:not(.left-out)'] > 0 && (silent || counts['.band'] > 0), JSON.stringify(counts));
    for (const colour of await page.$$eval('svg .run.left-out', (all) => all.map((line) => getComputedStyle(line).stroke))) {
      const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
      assert.ok(Math.max(red, green, blue) - Math.min(red, green, blue) < 40, colour + ' is not grey');
    }
    return Object.entries(counts).map(([kind, count]) => count + ' ' + kind).join(', ');
  });
}

/** A picture of its own: the same checks without a page around it. */
async function pictureChecks(file) {
  const background = {};
  for (const scheme of ['light', 'dark']) {
    const { page, trouble, requests, close } = await open(file, { scheme, width: 1160, height: 1300 });
    background[scheme] = await page.$eval('.paper', (n) => getComputedStyle(n).fill);
    await shoot(page, 'picture-' + scheme);
    await check('picture, ' + scheme + ': no words run into each other', async () => assert.deepEqual(await clashes(page, 'svg'), []));
    await check('picture, ' + scheme + ': stands alone', async () => {
      assert.deepEqual(trouble, []);
      assert.deepEqual([...new Set(requests)], [pathToFileURL(file).href]);
      assert.ok((await page.$eval('svg > title', (n) => n.textContent)).length > 10, 'no title');
      assert.ok((await page.$eval('svg > desc', (n) => n.textContent)).length > 20, 'no description');
    });
    await close();
  }
  await check('picture: follows the setting of the system', async () => assert.notEqual(background.light, background.dark));
}

/** The page over a corpus: a label leads to its traces. */
async function labelChecks(page) {
  const links = await page.$$('svg a[href^="#label-"]');
  if (!links.length) return absent('labels');
  await check('labels: a click shows their traces, and no others', async () => {
    const shown = () => page.$$eval('section.chosen', (all) => all.filter((one) => one.offsetHeight > 0).map((one) => one.id));
    assert.deepEqual(await shown(), []);
    for (const link of [links[0], links[links.length - 1]]) {
      await link.click();
      assert.deepEqual(await shown(), [(await link.getAttribute('href')).slice(1)]);
    }
    assert.ok((await page.$$('section.chosen:target tbody tr')).length > 0, 'traces');
    await page.click('section.chosen:target .back');
    assert.deepEqual(await shown(), []);
    return links.length + ' links';
  });
  await check('labels: no words run into each other', async () => assert.deepEqual(await clashes(page, '#temporality svg, #periodicity svg, #metadata svg'), []));
}

/** The page about a system: every figure and table of the published study is there, or says why not. */
async function studyChecks(page) {
  if (!(await page.$('section#fig-2'))) return absent('study');
  await check('study: every figure and table is there, or says what is missing', async () => {
    const sections = await page.$$eval('main section', (all) => all.map((one) => [one.id, !!one.querySelector('svg, table, .card, .empty')]));
    assert.deepEqual(sections.filter(([, filled]) => !filled), []);
    const numbers = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii'];
    const published = [...Array(12).keys()].map((n) => 'fig-' + (n + 1)).concat(numbers.map((n) => 'table-' + n));
    const known = sections.map(([id]) => id);
    assert.deepEqual(published.filter((id) => !known.includes(id)), []);
    assert.deepEqual(await page.$$eval('.top nav a', (links) => links.map((a) => a.hash.slice(1))), known);
    return sections.length + ' sections';
  });
  await check('study: plots say what they show', async () => {
    const silent = await page.$$eval('.chart.study', (all) => all.filter((one) =>
      !one.querySelector('svg[role=img]').getAttribute('aria-label') || !one.querySelector('figcaption').textContent || !one.querySelector('title')).length);
    assert.equal(silent, 0);
    return (await page.$$('.chart.study')).length + ' plots';
  });
  await check('study: no words run into each other', async () => assert.deepEqual(await clashes(page, '.chart.study svg'), []));
}

async function pageChecks(file) {
  const html = readFileSync(file, 'utf8');
  const { page, trouble, requests, close } = await open(file);
  await shoot(page, 'wide-light');

  await plotChecks(page, '.timeline', 'timeline', [0.3, 0.4], [0.55, 0.6], /–.*Write .*\/s.*Read .*\/s/);
  await plotChecks(page, '.heatmap', 'heat map', [0.2, 0.35], [0.6, 0.7], /^Ranks? [\d,]+.*–.*Written .*B.*Read .*B/);
  await fileChecks(page);
  await chartChecks(page);
  await signatureChecks(page);
  await labelChecks(page);
  await studyChecks(page);

  await check('theme button changes the background and is remembered', async () => {
    const colour = () => page.$eval('body', (b) => getComputedStyle(b).backgroundColor);
    const first = await colour();
    await page.click('button.theme');
    const second = await colour();
    assert.notEqual(second, first);
    await page.reload();
    assert.equal(await colour(), second, 'after a reload');
    await page.waitForTimeout(300);
    await shoot(page, 'wide-dark');
    await page.click('button.theme');
    assert.equal(await colour(), first);
  });

  await check('no errors or warnings in the console', async () => assert.deepEqual(trouble, []));
  await check('no requests but the page itself', async () => {
    assert.deepEqual([...new Set(requests)], [pathToFileURL(file).href]);
    assert.doesNotMatch(html, /<(?:link|img|iframe)\b[^>]*\b(?:href|src)="(?!data:|#)/i);
  });
  await close();

  for (const width of [1400, 1000, 700, 390]) {
    await check('no sideways scrolling of the page at ' + width + ' px', async () => {
      const { page: narrow, close: done } = await open(file, { width, scheme: width === 700 ? 'dark' : 'light' });
      const [page_, window_] = await narrow.evaluate(() => [Math.max(document.documentElement.scrollWidth, document.body.scrollWidth), innerWidth]);
      await shoot(narrow, 'width-' + width);
      await done();
      assert.ok(page_ <= window_, page_ + ' px wide in a window of ' + window_);
    });
  }

  await check('follows the dark setting of the system', async () => {
    const { page: dark, close: done } = await open(file, { scheme: 'dark' });
    const [r, g, b] = await dark.$eval('body', (n) => getComputedStyle(n).backgroundColor.match(/\d+/g).map(Number));
    await done();
    assert.ok(r + g + b < 150, [r, g, b].join());
  });

  await check('prints on white from the dark theme', async () => {
    const { page: dark, trouble: bad, close: done } = await open(file, { scheme: 'dark' });
    await dark.emulateMedia({ media: 'print' });
    assert.equal(await dark.$eval('body', (n) => getComputedStyle(n).backgroundColor), 'rgb(255, 255, 255)');
    await dark.emulateMedia({ media: 'screen' });
    const pdf = await dark.pdf({ format: 'A4', printBackground: true });
    if (shots) writeFileSync(path.join(shots, 'page.pdf'), pdf);
    const [r] = await dark.$eval('body', (n) => getComputedStyle(n).backgroundColor.match(/\d+/g).map(Number));
    await done();
    assert.ok(pdf.length > 5000);
    assert.ok(r < 60, 'the dark theme is back after printing');
    assert.deepEqual(bad, []);
  });

  await check('sharp on screens with two pixels per point', async () => {
    const { page: fine, close: done } = await open(file, { scale: 2 });
    const bad = await fine.$$eval('.plot canvas', (all) => all.filter((c) => Math.abs(c.width - 2 * c.clientWidth) > 2).length);
    await done();
    assert.equal(bad, 0);
  });

  await check('readable without scripts', async () => {
    const { page: plain, trouble: bad, close: done } = await open(file, { scripts: false });
    const words = await plain.locator('main').innerText();
    assert.ok(words.length > 200, 'only ' + words.length + ' characters');
    assert.equal(await plain.isVisible('button.theme'), false);
    await shoot(plain, 'no-scripts');
    await done();
    assert.deepEqual(bad, []);
  });

  if (html.includes('data-packed=')) {
    await check('says so when the browser cannot unpack the files', async () => {
      const { page: old, trouble: bad, close: done } = await open(file, { before: () => { delete window.DecompressionStream; } });
      const words = await text(old, '.files [role=alert]');
      await done();
      assert.match(words, /DecompressionStream/);
      assert.deepEqual(bad, []);
    });
  }
}

// ---------- checks of made-up data ----------

async function formatChecks() {
  const KiB = 1024, GiB = KiB ** 3;
  const sizes = [[0, '0 B'], [1, '1 B'], [1023, '1023 B'], [1024, '1.00 KiB'], [1536, '1.50 KiB'], [10239, '10.0 KiB'], [KiB * KiB - 1, '1.00 MiB'],
    [123.4 * GiB, '123 GiB'], [2.5 * GiB * KiB, '2.50 TiB'], [7 * GiB * KiB * KiB, '7.00 PiB']];
  const times = [[0, '0 s'], [0.0000123, '12.3 µs'], [0.0456, '45.6 ms'], [12.34, '12.3 s'], [59.97, '1 min'], [200, '3 min 20 s'],
    [3599.8, '1 h'], [7500, '2 h 5 min'], [1, '1.00 s'], [0.9999, '1.00 s']];
  const ops = [0, 7, 999, 1000, 99999, 123456, 999600, 12345678, 2.5e9, 1];
  const n = sizes.length;
  const hostile = '<img src=x onerror="window.harmed=1">';
  const data = { dirs: ['/a/', '/a/' + 'very_long_folder/'.repeat(30)], dir: sizes.map((_, i) => i % 2), name: sizes.map((_, i) => (i ? 'f' + i : hostile)),
    mounts: ['/a (ext4)'], mount: sizes.map(() => 0), interfaces: ['POSIX'], iface: sizes.map(() => 1),
    read: sizes.map((s) => s[0]), written: sizes.map(() => 5), reads: ops, writes: sizes.map((_, i) => i % 2), meta: sizes.map(() => 0),
    time: times.map((t) => t[0]), ranks: sizes.map((_, i) => (i === 3 ? -1 : i)), size: sizes.map((_, i) => (i ? i : -1)), total: n };
  const file = madePage('format.html', '<div class="timeline" data-json="missing"><p>written by hand</p></div>' +
    '<div class="heatmap" data-json="broken"></div><script type="application/json" id="broken">{oops</script>' + fileWidget(data));
  const { page, trouble, close } = await open(file);
  const cells = (key) => page.$$eval('.files .rows .tr', (rows, key) => {
    const at = [...document.querySelectorAll('.files .head > *')].findIndex((h) => h.dataset.key === key);
    return rows.map((r) => r.children[at].textContent);
  }, key);
  const by = async (key, wanted) => { while ((await direction(page, key)) !== wanted) await sortBy(page, key); };

  await check('bytes, seconds and counts are written for people', async () => {
    await by('read', 'ascending');
    assert.deepEqual(await cells('read'), sizes.map((s) => s[1]));
    await by('time', 'ascending');
    assert.deepEqual(await cells('time'), [...times].sort((a, b) => a[0] - b[0]).map((t) => t[1]));
    await by('reads', 'ascending');
    assert.deepEqual(await cells('reads'), ['0', '1', '7', '999', '1,000', '99,999', '123 k', '1.00 M', '12.3 M', '2.50 G']);
  });
  await check('all ranks sort above any number, unknown sizes are dashes', async () => {
    await by('ranks', 'descending');
    assert.equal((await cells('ranks'))[0], 'all');
    await by('size', 'ascending');
    assert.equal((await cells('size'))[0], '–');
  });
  await check('equal values keep the given order, both ways', async () => {
    const even = data.writes.map((w, i) => [w, i]);
    await by('writes', 'descending');
    const paths = (list) => list.map(([, i]) => data.dirs[data.dir[i]] + data.name[i]);
    assert.deepEqual(await shownPaths(page), paths([...even].sort((a, b) => b[0] - a[0])));
    await by('writes', 'ascending');
    assert.deepEqual(await shownPaths(page), paths([...even].sort((a, b) => a[0] - b[0])));
  });
  await check('names from the log are never taken for markup', async () => {
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    assert.equal(await page.$$eval('.files img', (n) => n.length), 0);
    assert.ok((await shownPaths(page)).some((p) => p.endsWith(hostile)));
  });
  await check('a widget without data says so and keeps its text', async () => {
    assert.match(await text(page, '.timeline [role=alert]'), /could not be drawn/);
    assert.equal(await page.isVisible('.timeline >> text=written by hand'), true);
    assert.match(await text(page, '.heatmap [role=alert]'), /could not be drawn/);
    assert.deepEqual(trouble, []);
  });
  await close();

  await check('a page without widgets is quiet', async () => {
    const bare = await open(madePage('bare.html', '<h2>Nothing</h2><p class="empty">nothing</p>'));
    await bare.close();
    assert.deepEqual(bare.trouble, []);
  });
}

/** Milliseconds of the page's own work, done without a page: unpacking, finding words, sorting numbers and paths. */
async function plainly(packed, words) {
  const bare = await open(madePage('bare-many.html', '<script type="text/plain" id="f">' + packed + '</script>'));
  const times = await bare.page.evaluate(async (words) => {
    const timed = async (work) => {
      const took = [];
      for (let turn = 0; turn < 3; turn++) {
        const start = performance.now();
        await work();
        took.push(performance.now() - start);
      }
      return took.sort((a, b) => a - b)[1];
    };
    let data = null, paths = null, found = 0;
    const unpack = await timed(async () => {
      const bytes = Uint8Array.from(atob(document.getElementById('f').textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
      data = JSON.parse(await new Response(stream).text());
    });
    paths = data.name.map((name, i) => data.dirs[data.dir[i]] + name);
    const search = await timed(() => { found = paths.filter((p) => words.every((w) => p.toLowerCase().includes(w))).length; });
    const order = () => Uint32Array.from(paths, (_, i) => i);
    const sort = await timed(() => order().sort((a, b) => data.read[b] - data.read[a]));
    const byPath = await timed(() => order().sort((a, b) => (paths[a] < paths[b] ? -1 : 1)));
    return { unpack, search, sort, byPath, found };
  }, words);
  await bare.close();
  return times;
}

/** `took` may be as many times what it takes plainly; below a frame nobody sees a difference. */
function within(what, took, plain, times) {
  const told = what + ': ' + Math.round(took) + ' ms, plainly ' + Math.round(plain) + ' ms, ratio ' + (took / plain).toFixed(1);
  assert.ok(took < Math.max(times * plain, 16), told + ', not below ' + times);
  return told;
}

async function bigChecks() {
  const n = 200000;
  const data = manyFiles(n);
  const words = ['run_0012', 'part_5'];
  const plain = await plainly(pack(data), words);
  const begun = Date.now();
  const opened = await open(madePage('many.html', fileWidget(data)));
  const loaded = Date.now() - begun;
  const { page } = opened;

  await check('200,000 files: the page is there', async () => {
    assert.deepEqual(await counts(page), [n, n]);
    const bare = Date.now();
    await (await open(madePage('as-long.html', '<script type="text/plain" id="f">' + pack(data) + '</script>'))).close();
    return within('load', loaded, Date.now() - bare + plain.unpack, 3);
  });
  await check('200,000 files: a search finds what is there', async () => {
    const wanted = data.name.filter((name, i) => words.every((w) => (data.dirs[data.dir[i]] + name).toLowerCase().includes(w))).length;
    await page.fill('.files input[type=search]', words.join(' '));
    await page.waitForFunction((k) => document.querySelector('.files .count').textContent.startsWith(k + ' of'), wanted.toLocaleString('en-US'));
    await page.fill('.files input[type=search]', '');
    await page.waitForFunction(() => document.querySelector('.files .count').textContent.startsWith('200,000 of'));
    await sortBy(page, 'read');
    assert.ok(wanted > 0 && wanted < n && wanted === plain.found);
    assert.equal((await column(page, 'read'))[0], data.read.reduce((a, b) => Math.max(a, b), 0));
    return wanted + ' found';
  });
  await check('200,000 files: a sort and a search take what they take plainly', async () => {
    for (const key of ['written', 'time', 'time', 'ranks', 'iface', 'size']) await sortBy(page, key);
    for (const typed of ['5', 'run part', '']) await search(page, typed);
    const took = (name) => page.evaluate((name) => performance.getEntriesByName('marigraph ' + name).map((e) => e.duration), name);
    const [sorts, searches] = [await took('sort'), await took('search')];
    assert.equal(searches.length, 5);
    // The median: one alone would measure what else the machine is doing.
    return within('sort', median(sorts), plain.sort, 2) + '; ' + within('search', median(searches), plain.search, 4);
  });
  await check('200,000 files: the first sort by path takes what it takes plainly', async () => {
    await sortBy(page, 'path');
    const took = await page.evaluate(() => performance.getEntriesByName('marigraph sort').at(-1).duration);
    return within('sort', took, plain.byPath, 3);
  });
  await check('200,000 files: the totals row is the sum', async () => {
    const sum = data.read.reduce((a, b) => a + b, 0);
    assert.equal(Number((await page.$$eval('.files .sum > *', (c) => c[2].title)).replace(/\D/g, '')), sum);
  });
  await check('200,000 files: scrolling keeps up with the screen', async () => {
    // What two frames take where nothing moves is the floor of this machine at this moment.
    const [still, pairs] = await page.evaluate(async () => {
      const view = document.querySelector('.files .view');
      const timed = async (move) => {
        const took = [];
        for (let k = 1; k <= 40; k++) {
          move(k);
          const start = performance.now();
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          took.push(performance.now() - start);
        }
        return took;
      };
      return [await timed(() => {}), await timed((k) => { view.scrollTop = (view.scrollHeight * k) / 41; })];
    });
    const floor = Math.max(median(still), 33);
    assert.ok(median(pairs) < 3 * floor, 'two frames take ' + median(pairs) + ' ms, without scrolling ' + median(still) + ' ms');
    assert.ok((await page.$$eval('.files .rows .tr', (r) => r.length)) < 100);
    return 'two frames: ' + Math.round(median(pairs)) + ' ms usually, ' + Math.round(Math.max(...pairs)) + ' ms at worst';
  });
  await check('200,000 files: the note names the files left out', async () => assert.match(await text(page, '.files > .note'), /205,000 files/));
  await check('200,000 files: no errors', async () => assert.deepEqual(opened.trouble, []));
  await opened.close();

  await check('400,000 files: the last row can be reached', async () => { // taller than the scaled height
    const many = manyFiles(400000);
    const tall = await open(madePage('tall.html', fileWidget(many)));
    await tall.page.$eval('.files .view', (v) => { v.scrollTop = v.scrollHeight; });
    await tall.page.waitForTimeout(150);
    const last = await tall.page.$$eval('.files .rows .tr', (rows) => {
      const bottom = document.querySelector('.files .view').getBoundingClientRect().bottom;
      return [Number(rows.at(-1).getAttribute('aria-rowindex')), rows.at(-1).getBoundingClientRect().bottom - bottom];
    });
    await tall.close();
    assert.equal(last[0], 400002);
    assert.ok(Math.abs(last[1]) < 20, 'the last row ends ' + last[1] + ' px from the edge');
  });

  const bins = 1e6;
  const read = new Array(bins).fill(0), write = new Array(bins).fill(0);
  for (let i = 0; i < bins; i++) { read[i] = i % 1000 < 300 ? (i * 7919) % 65536 : 0; write[i] = i % 1000 > 600 ? 40000 : 0; }
  write[777777] = 4e6; // a single bin that must not be lost
  const long = await open(madePage('long.html', timeWidget({ bin_s: 0.01, unit: 'B/s', source: 'DXT', series: [{ name: 'POSIX', read, write }] })));
  await check('1,000,000 bins: drawn in the time of a few passes over them', async () => {
    await long.page.focus('.timeline .plot');
    for (const key of ['+', '+', 'Escape']) { await long.page.keyboard.press(key); await settle(long.page); }
    const draws = await long.page.evaluate(() => performance.getEntriesByName('marigraph timeline').map((e) => Math.round(e.duration)));
    // A plain pass over as many numbers is the floor of this machine at this moment.
    const passes = await long.page.evaluate((bins) => {
      const values = Array.from({ length: 2 * bins }, (_, i) => i % 977);
      return [1, 2, 3].map(() => {
        const start = performance.now();
        if (values.reduce((most, value) => Math.max(most, value), 0) !== 976) throw new Error('a pass that saw nothing');
        return performance.now() - start;
      });
    }, bins);
    assert.ok(draws.length >= 3, draws.length + ' drawings');
    return within('draw', median(draws), median(passes), 2);
  });
  await check('1,000,000 bins: a peak of one bin is kept', async () => {
    assert.match(await text(long.page, '.timeline .legend'), /peak 381 MiB\/s/);
    const height = await long.page.$eval('.timeline .plot canvas', (canvas) => { // the peak alone reaches the upper half
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height >> 1); // once, at the end
      let hits = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 30 && data[i] - data[i + 2] > 60) hits++;
      return hits;
    });
    assert.ok(height > 50, height + ' pixels of the peak');
    assert.deepEqual(long.trouble, []);
  });
  await long.close();
}

// ---------- run ----------

if (!existsSync(given)) {
  console.log('no such page: ' + given);
  process.exitCode = 2;
} else {
  if (shots) mkdirSync(shots, { recursive: true });
  try {
    await launch();
    if (given.endsWith('.svg')) await pictureChecks(given);
    else await pageChecks(selfContained(given));
    // These do not depend on the page given: once a run is enough.
    if (!process.env.PAGE_ONLY) {
      await formatChecks();
      await bigChecks();
    }
  } catch (error) {
    failed++;
    console.log('FAIL  the run stopped: ' + error.stack);
  }
  if (skipped) console.log(skipped + ' skipped');
  console.log(passed + ' passed, ' + failed + ' failed');
  process.exitCode = failed ? 1 : 0;
}
if (browser) await browser.close();
rmSync(scratch, { recursive: true, force: true });
