/* Marigraph report page: theme, timeline, heat map and file table.
   One script, no dependencies, embedded verbatim. The static page is complete
   without it; each widget takes over its own <div> only once its data is read,
   so a failure leaves the server-written text in place. */
(function () {
  'use strict';

  const root = document.documentElement;
  const redraws = []; // canvas painters, run again on theme change and on print
  const paperHooks = []; // called with true before printing, false after
  let printing = false;

  // ---------- small helpers ----------

  const byId = (id) => document.getElementById(id);
  const clamp = (v, lo, hi) => Math.min(Math.max(v, lo), hi);

  function el(tag, props, ...kids) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(props || {})) {
      if (key === 'on') for (const [type, fn] of Object.entries(value)) node.addEventListener(type, fn);
      else if (key === 'text') node.textContent = value;
      else if (value === true) node.setAttribute(key, '');
      else if (value !== false && value != null) node.setAttribute(key, value);
    }
    node.append(...kids);
    return node;
  }

  /** Runs `fn` at most once per frame, however often it is asked for. */
  function perFrame(fn) {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; fn(); });
    };
  }

  /** Leaves a trace that the browser's profiler and the tests can read. */
  function timed(name, fn) {
    const start = performance.now();
    fn();
    performance.measure('marigraph ' + name, { start, end: performance.now() });
  }

  const css = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  const isDark = () => getComputedStyle(root).colorScheme === 'dark';

  // ---------- numbers as people read them ----------

  const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  const sig3 = (v) => v.toFixed(v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2);

  function bytes(n) {
    if (!(n >= 0)) return '–';
    let unit = 0;
    // 1023.5 and not 1024: a value that would round to "1024" moves up a unit.
    while (n >= 1023.5 && unit < UNITS.length - 1) { n /= 1024; unit++; }
    return (Number.isInteger(n) && unit === 0 ? n : sig3(n)) + ' ' + UNITS[unit];
  }

  function seconds(t) {
    if (!(t >= 0)) return '–';
    if (t === 0) return '0 s';
    if (t < 0.9995e-3) return sig3(t * 1e6) + ' µs';
    if (t < 0.9995) return sig3(t * 1e3) + ' ms';
    if (t < 59.95) return sig3(t) + ' s';
    const two = (n, big, small) => Math.floor(n / 60) + ' ' + big + (n % 60 ? ' ' + (n % 60) + ' ' + small : '');
    return t < 3599.5 ? two(Math.round(t), 'min', 's') : two(Math.round(t / 60), 'h', 'min');
  }

  const inWords = (t) => seconds(t).replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' '); // "8.00 s" is "8 s" in a sentence

  const grouped = (n) => Math.round(n).toLocaleString('en-US');

  function count(n) {
    if (!(n >= 0)) return '–';
    if (n < 99999.5) return grouped(n);
    const unit = n < 999.5e3 ? 'k' : n < 999.5e6 ? 'M' : 'G';
    return sig3(n / { k: 1e3, M: 1e6, G: 1e9 }[unit]) + ' ' + unit;
  }

  const plural = (n, word) => grouped(n) + ' ' + word + (n === 1 ? '' : 's');

  /** A moment on the time axis; `step` sets the digits, `top` the units. */
  function clock(t, step, top) {
    const digits = clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 6);
    if (top < 0.1) return +(t * 1e3).toFixed(Math.max(0, digits - 3)) + ' ms';
    if (top < 120) return +t.toFixed(digits) + ' s';
    const whole = +t.toFixed(digits);
    const h = Math.floor(whole / 3600);
    const m = Math.floor((whole % 3600) / 60);
    const s = +(whole % 60).toFixed(digits);
    const parts = [];
    if (h) parts.push(h + ' h');
    if (m) parts.push(m + ' min');
    if (s || !parts.length) parts.push(s + ' s');
    return parts.join(' ');
  }

  function niceStep(raw) {
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const lead = raw / power;
    return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
  }

  const LONG_STEPS = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const timeStep = (raw) => (raw <= 10 ? niceStep(raw) : LONG_STEPS.find((s) => s >= raw) || 86400 * niceStep(raw / 86400));

  // ---------- widget scaffolding ----------

  function dataBlock(id) {
    const source = byId(id);
    if (!source) throw new Error('its data block is missing');
    return source.textContent;
  }

  /** Hides what was written for readers without scripts and hands over the box. */
  function takeOver(box, ...kids) {
    const old = el('div', { class: 'fallback', hidden: true });
    old.append(...box.childNodes);
    box.classList.add('live');
    box.append(...kids, old);
  }

  const fail = (box, text) => box.prepend(el('p', { class: 'empty', role: 'alert', text }));

  function each(selector, init) {
    for (const box of document.querySelectorAll(selector)) {
      try { init(box); } catch (error) { fail(box, 'This part could not be drawn: ' + error.message + '.'); }
    }
  }

  /** A row of buttons of which one is pressed. */
  function segments(label, names, current, pick) {
    const box = el('div', { class: 'seg', role: 'group', 'aria-label': label });
    const press = (i) => [...box.children].forEach((b, j) => b.setAttribute('aria-pressed', String(i === j)));
    names.forEach((text, i) => box.append(el('button', { type: 'button', text, on: { click() { press(i); pick(i); } } })));
    press(current);
    return box;
  }

  /** Sizes a canvas for the screen's real pixels; drawing stays in CSS pixels. */
  function fit(canvas, w, h) {
    const ratio = Math.max(window.devicePixelRatio || 1, printing ? 2 : 1);
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    canvas.style.height = h + 'px';
    const ctx = canvas.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.font = '11.5px ' + css('sans');
    ctx.textBaseline = 'middle';
    return ctx;
  }

  const tipBox = el('div', { class: 'tip', hidden: true });

  function showTip(event, kids) {
    if (!tipBox.isConnected) document.body.append(tipBox);
    tipBox.replaceChildren(...kids);
    tipBox.hidden = false;
    const { width, height } = tipBox.getBoundingClientRect();
    const beyond = event.clientX + 16 + width > root.clientWidth;
    const x = Math.max(4, event.clientX + (beyond ? -16 - width : 16));
    const y = clamp(event.clientY - height - 12, 4, innerHeight - height - 4);
    tipBox.style.transform = 'translate(' + x + 'px,' + y + 'px)';
  }

  const tipHead = (text) => el('div', { class: 'head', text });
  const tipRow = (kind, name, main, extra) => el('div', { class: 'row ' + kind },
    el('span', { text: name }), el('b', { text: main }), extra ? el('small', { text: extra }) : '');

  /** The visible window [lo, hi) of an axis of `size` whole cells, at least `least` wide. */
  function axisWindow(size, least) {
    return {
      lo: 0, hi: size,
      get span() { return this.hi - this.lo; },
      get whole() { return this.span === size; },
      /** Snaps outwards to whole cells, then grows or slides to stay legal. */
      set(lo, hi) {
        lo = Math.floor(lo + 1e-9);
        const span = clamp(Math.ceil(hi - 1e-9) - lo, Math.min(least, size), size);
        this.lo = clamp(lo, 0, size - span);
        this.hi = this.lo + span;
      },
      /** At least one cell of change, or a slow wheel would never leave a step. */
      zoom(factor, at) {
        const span = factor > 1 ? Math.max(this.span + 1, this.span * factor) : Math.min(this.span - 1, this.span * factor);
        const lo = Math.round(this.lo + at * (this.span - span));
        this.set(lo, lo + Math.max(1, Math.round(span)));
      },
      pan(part) {
        const d = Math.sign(part) * Math.max(1, Math.round(Math.abs(part) * this.span));
        this.set(this.lo + d, this.lo + d + this.span);
      },
      reset() { this.lo = 0; this.hi = size; },
    };
  }

  /** Pointer, wheel and keyboard on a plot. `at` offers xs and, for a rectangle
      zoom, ys; area(); hover(x, y) → {kids, mark} or null; change(fn); reset(). */
  function gestures(plot, at) {
    const { xs, ys } = at;
    const marker = el('div', { class: 'marker', hidden: true });
    const chosen = el('div', { class: 'sel', hidden: true });
    plot.append(marker, chosen);
    let from = null; // where a drag began

    const leave = () => { tipBox.hidden = marker.hidden = true; };
    const cancel = () => { from = null; chosen.hidden = true; };
    const change = (fn) => { leave(); at.change(fn); };
    const place = (node, m) => {
      const a = at.area();
      node.hidden = false;
      Object.assign(node.style, { left: a.x + m.x + 'px', top: a.y + m.y + 'px', width: m.w + 'px', height: m.h + 'px' });
    };
    const locate = (event) => {
      const r = plot.getBoundingClientRect(), a = at.area();
      return { x: event.clientX - r.left - a.x, y: event.clientY - r.top - a.y };
    };
    const inside = (event) => {
      const p = locate(event), a = at.area();
      return { x: clamp(p.x, 0, a.w), y: clamp(p.y, 0, a.h) };
    };

    /** The dragged rectangle; a nearly flat drag means "this time, all ranks". */
    function dragged(event) {
      const to = inside(event);
      const flat = !ys || Math.abs(to.y - from.y) < 8;
      return {
        x: Math.min(from.x, to.x), w: Math.abs(to.x - from.x),
        y: flat ? 0 : Math.min(from.y, to.y), h: flat ? at.area().h : Math.abs(to.y - from.y),
      };
    }

    function zoomTo(d) {
      const a = at.area();
      xs.set(xs.lo + (d.x / a.w) * xs.span, xs.lo + ((d.x + d.w) / a.w) * xs.span);
      if (ys) ys.set(ys.lo + (d.y / a.h) * ys.span, ys.lo + ((d.y + d.h) / a.h) * ys.span);
    }

    const keys = {
      '+': () => xs.zoom(0.5, 0.5), '=': () => xs.zoom(0.5, 0.5), '-': () => xs.zoom(2, 0.5),
      ArrowLeft: () => xs.pan(-0.2), ArrowRight: () => xs.pan(0.2), 0: at.reset, Escape: () => (from ? cancel() : at.reset()),
    };
    const on = (type, fn, options) => plot.addEventListener(type, fn, options);
    on('pointerdown', (event) => {
      if (event.button !== 0) return;
      from = inside(event);
      plot.setPointerCapture(event.pointerId);
    });
    on('pointermove', (event) => {
      const p = locate(event);
      const hit = at.hover(p.x, p.y);
      if (hit) { showTip(event, hit.kids); place(marker, hit.mark); } else leave();
      if (!from) return;
      const d = dragged(event);
      place(chosen, d);
      chosen.hidden = d.w < 4;
    });
    on('pointerup', (event) => {
      if (!from) return;
      const d = dragged(event);
      cancel();
      if (d.w >= 4) change(() => zoomTo(d));
    });
    on('pointercancel', cancel);
    on('pointerleave', leave);
    on('dblclick', () => change(at.reset));
    on('wheel', (event) => {
      if (!event.ctrlKey) return; // a plain wheel scrolls the page
      event.preventDefault();
      change(() => xs.zoom(Math.exp(clamp(event.deltaY, -120, 120) * 0.004), inside(event).x / at.area().w));
    }, { passive: false });
    on('keydown', (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      change(keys[event.key]);
    });
  }

  /** The frame around both plots: toolbar, canvas and repainting.
      `spec` gives: name; series; pick(i); tools (toolbar nodes); xs, ys; height(w);
      paint(ctx, w, h, canvas), which draws and returns the plot area;
      hover(x, y, area); and the texts range(), label(), hint(). */
  function chart(box, spec) {
    const { xs, ys, series } = spec;
    const canvas = el('canvas');
    const plot = el('div', { class: 'plot', tabindex: 0, role: 'img' }, canvas);
    const range = el('span', { class: 'range', 'aria-live': 'polite' });
    const back = el('button', { class: 'btn reset', type: 'button', text: 'Reset zoom', on: { click: () => change(reset) } });
    const hint = el('p', { class: 'hint' });
    let area = { x: 0, y: 0, w: 1, h: 1 };

    function draw() {
      // Paper is about 700 points wide: drawn wider, the labels would shrink.
      const w = Math.min(plot.clientWidth, printing ? 700 : Infinity);
      if (!w) return; // inside a closed <details>; ResizeObserver calls again
      timed(spec.name, () => {
        const h = spec.height(w);
        area = spec.paint(fit(canvas, w, h), w, h, canvas);
      });
      range.textContent = spec.range();
      back.disabled = xs.whole && (!ys || ys.whole);
      hint.textContent = spec.hint();
      plot.setAttribute('aria-label', spec.label() + ', ' + range.textContent);
    }
    const soon = perFrame(draw);
    const change = (fn) => { fn(); soon(); };
    const reset = () => { xs.reset(); if (ys) ys.reset(); };

    const names = series.map((s) => s.name);
    const pick = names.length > 1 ? segments('interface', names, series.indexOf(leading(series)), (i) => change(() => spec.pick(i))) : '';
    takeOver(box, el('div', { class: 'bar' }, pick, ...spec.tools, el('span', { class: 'end' }, range, back)), plot, hint);
    gestures(plot, { xs, ys, change, reset, area: () => area, hover: (x, y) => spec.hover(x, y, area) });
    new ResizeObserver(soon).observe(plot);
    redraws.push(draw);
    draw();
    return soon;
  }

  const GESTURES = ' to zoom, double-click to reset; Ctrl + wheel and the keys + − ← → 0 work too.';

  /** Time labels along the bottom; neighbours that would touch are left out. */
  function drawTimeAxis(ctx, area, t0, t1, spare) {
    const step = timeStep((t1 - t0) / Math.max(2, area.w / 90));
    ctx.textAlign = 'center';
    let free = -Infinity;
    for (let k = Math.ceil(t0 / step - 1e-9); k * step <= t1 * (1 + 1e-12); k++) {
      const x = area.x + ((k * step - t0) / (t1 - t0)) * area.w;
      const label = clock(k * step, step, t1);
      const half = ctx.measureText(label).width / 2;
      const at = Math.min(x, area.x + area.w + spare - half);
      ctx.fillStyle = css('line-strong');
      ctx.fillRect(Math.round(x), area.y + area.h, 1, 4);
      if (at - half < free) continue;
      free = at + half + 10;
      ctx.fillStyle = css('muted');
      ctx.fillText(label, at, area.y + area.h + 14);
    }
  }

  /** Text of the time from bin `a` to bin `b`, with just the digits the bins need. */
  function timeSpan(a, b, bin, top) {
    let step = 1;
    while (step > 1e-6 && Math.abs(bin / step - Math.round(bin / step)) > 0.01 * (bin / step)) step /= 10;
    return clock(a * bin, step, top * bin) + ' – ' + clock(b * bin, step, top * bin);
  }

  /** Read and write of each interface as typed arrays of equal length. */
  function loadSeries(list, length) {
    const typed = (values) => { const a = new Float64Array(length); a.set((values || []).slice(0, length)); return a; };
    return list.map((s) => ({ name: s.name, read: typed(s.read), write: typed(s.write) }));
  }

  function total(a) { let sum = 0; for (let i = 0; i < a.length; i++) sum += a[i]; return sum; }
  function peak(a) { let most = 0; for (let i = 0; i < a.length; i++) if (a[i] > most) most = a[i]; return most; }

  /** The interface shown first: the first one that moved any bytes. */
  const leading = (series) => series.find((s) => total(s.read) + total(s.write) > 0) || series[0];

  /** For each of `cols` pixel columns the least, mean and greatest bin it covers,
      so neither a one-bin peak nor a one-bin gap is lost among 10^6 bins. */
  function decimate(values, lo, hi, cols) {
    const min = new Float64Array(cols), mean = new Float64Array(cols), max = new Float64Array(cols);
    const per = (hi - lo) / cols;
    for (let c = 0; c < cols; c++) {
      const first = Math.min(Math.floor(lo + c * per + 1e-9), values.length - 1);
      const end = clamp(Math.floor(lo + (c + 1) * per + 1e-9), first + 1, values.length);
      let least = Infinity, most = 0, sum = 0;
      for (let i = first; i < end; i++) {
        const v = values[i];
        sum += v;
        if (v > most) most = v;
        if (v < least) least = v;
      }
      min[c] = least; max[c] = most; mean[c] = sum / (end - first);
    }
    return { min, mean, max };
  }

  // ---------- timeline ----------

  /** Rate labels; one scale for both directions, so heights can be compared. */
  function rateAxis(ctx, w, h, up, down) {
    const height = h - 34;
    const top = up + down || 1;
    const unit = 1024 ** clamp(Math.floor(Math.log(Math.max(up, down, 1) * 1.0005) / Math.log(1024)), 0, UNITS.length - 1);
    const name = UNITS[Math.round(Math.log(unit) / Math.log(1024))] + '/s';
    const step = niceStep((top / unit) * (32 / height));
    const ticks = [];
    for (let k = -Math.floor(down / unit / step); k <= up / unit / step; k++) {
      ticks.push({ at: k * step * unit, text: k ? +Math.abs(k * step).toPrecision(6) + ' ' + name : '0' });
    }
    const x = Math.ceil(Math.max(...ticks.map((t) => ctx.measureText(t.text).width))) + 10;
    const area = { x, y: 10, w: Math.max(40, w - x - 12), h: height, px: height / top };
    area.zero = area.y + (up + down ? up * area.px : height);
    ctx.textAlign = 'right';
    for (const t of ticks) {
      ctx.fillStyle = css('line');
      ctx.fillRect(x, Math.round(area.zero - t.at * area.px), area.w, 1);
      ctx.fillStyle = css('muted');
      ctx.fillText(t.text, x - 8, area.zero - t.at * area.px);
    }
    return area;
  }

  /** Filled steps: peak pale, mean stronger, what every bin reached solid. */
  function fillSteps(ctx, area, d, colour, px) {
    const cols = d.max.length;
    const merged = d.max.some((v, i) => v !== d.min[i]);
    ctx.fillStyle = colour;
    for (const [heights, alpha] of merged ? [[d.max, 0.32], [d.mean, 0.55], [d.min, 1]] : [[d.max, 1]]) {
      ctx.globalAlpha = alpha;
      ctx.beginPath();
      ctx.moveTo(area.x, area.zero);
      for (let c = 0; c < cols; c++) {
        // Never thinner than two pixels: a little traffic is not none.
        const y = area.zero - (heights[c] > 0 ? Math.sign(px) * Math.max(2, heights[c] * Math.abs(px)) : 0);
        ctx.lineTo(area.x + (c / cols) * area.w, y);
        ctx.lineTo(area.x + ((c + 1) / cols) * area.w, y);
      }
      ctx.lineTo(area.x + area.w, area.zero);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }

  function timeline(box) {
    const data = JSON.parse(dataBlock(box.dataset.json));
    const bin = data.bin_s;
    const list = data.series || [];
    const bins = Math.max(0, ...list.map((s) => Math.max((s.read || []).length, (s.write || []).length)));
    if (!bins || !(bin > 0)) return fail(box, 'The log holds no transfers over time.');

    const series = loadSeries(list, bins);
    const xs = axisWindow(bins, 8);
    const keys = el('span', { class: 'legend' });
    let current = leading(series);
    let merged = false; // several bins share a pixel
    const rate = (b) => bytes(b / bin) + '/s';

    function paint(ctx, w, h, canvas) {
      const cols = Math.max(1, Math.round((w - 90) * (canvas.width / w)));
      merged = xs.span > cols;
      const read = decimate(current.read, xs.lo, xs.hi, cols), write = decimate(current.write, xs.lo, xs.hi, cols);
      const mirrored = total(current.write) > 0; // reads alone stand upright
      let up = (peak(mirrored ? write.max : read.max) / bin) * 1.04;
      let down = mirrored ? (peak(read.max) / bin) * 1.04 : 0;
      // The smaller direction still gets a sliver, so that it is seen to exist.
      if (down) { up = Math.max(up, 0.08 * down); down = Math.max(down, 0.08 * up); }
      const area = rateAxis(ctx, w, h, up, down);
      drawTimeAxis(ctx, area, xs.lo * bin, xs.hi * bin, 12);
      fillSteps(ctx, area, write, css('write'), area.px / bin);
      fillSteps(ctx, area, read, css('read'), ((mirrored ? -1 : 1) * area.px) / bin);
      ctx.fillStyle = css('line-strong');
      ctx.fillRect(area.x, Math.round(area.zero), area.w, 1);
      const key = (kind, name, values, d) => el('span', { class: 'key ' + kind, text:
        name + ' ' + bytes(total(values.subarray(xs.lo, xs.hi))) + ', peak ' + rate(peak(d.max)) });
      keys.replaceChildren(key('write', 'Written' + (down ? ' ↑' : ''), current.write, write),
        key('read', 'Read' + (down ? ' ↓' : ''), current.read, read));
      return area;
    }

    function hover(x, y, area) {
      if (x < 0 || x > area.w || y < -area.y || y > area.h + 20) return null;
      const binAt = (px) => Math.floor(xs.lo + (px / area.w) * xs.span);
      const first = clamp(binAt(x), 0, bins - 1);
      const end = clamp(binAt(x + 1), first + 1, bins);
      const row = (kind, name, values) => {
        const part = values.subarray(first, end);
        const high = part.length > 1 ? 'peak ' + rate(peak(part)) + ', ' : '';
        return tipRow(kind, name, rate(total(part) / part.length), high + bytes(total(part)));
      };
      return {
        mark: { x, y: 0, w: 1, h: area.h },
        kids: [tipHead(timeSpan(first, end, bin, xs.hi)), row('write', 'Write', current.write), row('read', 'Read', current.read)],
      };
    }

    chart(box, {
      name: 'timeline', series, xs, paint, hover, tools: [keys],
      pick: (i) => { current = series[i]; },
      height: (w) => (w < 640 ? 230 : 280),
      range: () => timeSpan(xs.lo, xs.hi, bin, xs.hi),
      label: () => 'Transfer rate over time, ' + current.name + ': ' + [...keys.children].map((k) => k.textContent).join('; '),
      hint: () => (data.source ? 'From ' + data.source + ', ' : '') + plural(bins, 'bin') + ' of ' + inWords(bin) + '. ' +
        (merged ? 'A pixel covers several bins: pale is the highest of them, stronger their mean, solid the lowest. ' : '') + 'Drag' + GESTURES,
    });
  }

  // ---------- heat map ----------

  /* Colour ramps as [lightness ends, then chroma and hue at start, middle, end]
     in OKLCH. Lightness is linear, which is what makes equal steps look equal;
     zero is not on the ramp but is left as background. */
  const RAMPS = {
    light: {
      read: [[0.93, 0.36], [0.03, 0.15, 0.13], [245, 252, 262]],
      write: [[0.94, 0.42], [0.04, 0.155, 0.12], [80, 62, 42]],
      both: [[0.95, 0.33], [0.06, 0.11, 0.12], [115, 190, 270]],
    },
    dark: {
      read: [[0.33, 0.93], [0.07, 0.16, 0.05], [260, 254, 230]],
      write: [[0.34, 0.95], [0.06, 0.15, 0.07], [45, 60, 90]],
      both: [[0.32, 0.95], [0.08, 0.1, 0.11], [270, 195, 112]],
    },
  };

  function oklch(l, c, hue) {
    const a = c * Math.cos((hue * Math.PI) / 180), b = c * Math.sin((hue * Math.PI) / 180);
    const L = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const M = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const S = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [
      4.0767416621 * L - 3.3077115913 * M + 0.2309699292 * S,
      -1.2684380046 * L + 2.6097574011 * M - 0.3413193965 * S,
      -0.0041960863 * L - 0.7034186147 * M + 1.707614701 * S,
    ].map((v) => Math.round(255 * clamp(v <= 0.0031308 ? 12.92 * v : 1.055 * Math.pow(v, 1 / 2.4) - 0.055, 0, 1)));
  }

  /** 256 colours packed as the canvas stores them (little-endian RGBA). */
  function ramp(mode) {
    const [light, chroma, hue] = RAMPS[isDark() ? 'dark' : 'light'][mode];
    const bend = (s, t) => (t < 0.5 ? s[0] + (s[1] - s[0]) * 2 * t : s[1] + (s[2] - s[1]) * (2 * t - 1));
    const table = new Uint32Array(256);
    for (let i = 0; i < 256; i++) {
      const t = i / 255;
      const [r, g, b] = oklch(light[0] + (light[1] - light[0]) * t, bend(chroma, t), bend(hue, t));
      table[i] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    }
    return table;
  }

  /** The logarithmic scale of one data set: at least 16:1, at most 10^5:1, so
      that even data stay even and one giant does not flatten all the rest. */
  function heatScale(values) {
    const most = peak(values), hi = most || 1;
    let least = hi;
    for (let i = 0; i < values.length; i++) if (values[i] > 0 && values[i] < least) least = values[i];
    const lo = clamp(least, hi / 1e5, hi / 16);
    const k = 255 / Math.log(hi / lo);
    return { lo, most, capped: least < lo, at: (v) => clamp(Math.round(k * Math.log(v / lo)), 0, 255) };
  }

  /** One image pixel per cell, or per screen pixel (its largest cell) when there
      are more cells than pixels; the caller stretches it. */
  function cellImage(values, cols, xs, ys, w, h, colours, scale) {
    const most = new Float64Array(w * h);
    const xOf = Uint32Array.from({ length: xs.span }, (_, c) => Math.floor((c * w) / xs.span));
    for (let r = 0; r < ys.span; r++) {
      const line = Math.floor((r * h) / ys.span) * w, from = (ys.lo + r) * cols + xs.lo;
      for (let c = 0; c < xs.span; c++) if (values[from + c] > most[line + xOf[c]]) most[line + xOf[c]] = values[from + c];
    }
    const pixels = new Uint32Array(w * h); // 0 = transparent = no bytes
    for (let k = 0; k < most.length; k++) if (most[k] > 0) pixels[k] = colours[scale.at(most[k])];
    return picture(pixels, w, h);
  }

  function picture(pixels, w, h) {
    const canvas = el('canvas', { width: w, height: h });
    canvas.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), w, h), 0, 0);
    return canvas;
  }

  /** Stacked bars along one edge, each direction one outline so that no seams
      show; `point(along, out)` turns distances from the plot into a place. */
  function edgeBars(ctx, sums, kinds, length, depth, point) {
    const steps = Math.max(1, Math.round(length));
    const slices = kinds.map((kind) => decimate(sums[kind], 0, sums[kind].length, steps).mean);
    for (let s = 1; s < slices.length; s++) slices[s].forEach((v, i) => { slices[s][i] = v + slices[s - 1][i]; });
    const top = peak(slices[slices.length - 1]);
    for (let s = slices.length - 1; top && s >= 0; s--) { // the longest first, the others on top of it
      ctx.fillStyle = css(kinds[s]);
      ctx.beginPath();
      ctx.moveTo(...point(0, 0));
      slices[s].forEach((v, i) => {
        ctx.lineTo(...point((i / steps) * length, (v / top) * depth));
        ctx.lineTo(...point(((i + 1) / steps) * length, (v / top) * depth));
      });
      ctx.lineTo(...point(length, 0));
      ctx.fill();
    }
  }

  function heatmap(box) {
    const { bin_s: bin, cols, rows, ranks_per_row: perRow, nprocs, series: list } = JSON.parse(dataBlock(box.dataset.json));
    if (!(cols > 0 && rows > 0 && bin > 0) || !(list || []).length) return fail(box, 'The log holds no transfers by rank and time.');
    const series = loadSeries(list, rows * cols);
    for (const s of series) {
      s.both = s.read.map((v, i) => v + s.write[i]);
      s.scale = { read: heatScale(s.read), write: heatScale(s.write), both: heatScale(s.both) };
    }

    const xs = axisWindow(cols, 4), ys = axisWindow(rows, 1);
    const swatch = el('span', { class: 'scale' });
    const SIDE = 56, TOP = 34, GAP = 5, BELOW = 26;
    let current = leading(series), mode = 'both';
    let byCol, byRow; // bytes per visible column and row, by direction

    const span = (a, b) => timeSpan(a, b, bin, xs.hi);
    const ranks = (a, b) => {
      const last = Math.min(nprocs, b * perRow) - 1;
      return last > a * perRow ? 'ranks ' + grouped(a * perRow) + '–' + grouped(last) : 'rank ' + grouped(a * perRow);
    };

    function addUp() {
      const zeros = (n) => ({ read: new Float64Array(n), write: new Float64Array(n) });
      byCol = zeros(xs.span);
      byRow = zeros(ys.span);
      for (const kind of ['read', 'write']) {
        const values = current[kind], col = byCol[kind], row = byRow[kind];
        for (let r = 0; r < ys.span; r++) {
          const from = (ys.lo + r) * cols + xs.lo;
          for (let c = 0; c < xs.span; c++) { col[c] += values[from + c]; row[r] += values[from + c]; }
        }
      }
    }

    function rankAxis(ctx, area) {
      const px = area.h / ys.span;
      let step = 1;
      while (step * px < 18) step *= 2;
      ctx.textAlign = 'right';
      ctx.fillStyle = css('muted');
      ctx.fillText('rank', area.x - 8, area.y - GAP - 8);
      for (let r = Math.ceil(ys.lo / step) * step; r < ys.hi; r += step) {
        const y = area.y + (r - ys.lo + (step === 1 ? 0.5 : 0)) * px;
        if (step > 1) ctx.fillRect(area.x - 4, Math.round(y), 3, 1);
        ctx.fillText(grouped(r * perRow), area.x - 8, Math.max(y, area.y + 4));
      }
    }

    function paint(ctx, w, h, canvas) {
      const x = Math.ceil(Math.max(...['rank', grouped(nprocs)].map((s) => ctx.measureText(s).width))) + 10;
      const area = { x, y: TOP + GAP, w: Math.max(40, w - x - SIDE - GAP), h: h - TOP - GAP - BELOW };
      const ratio = canvas.width / w;
      const colours = ramp(mode), scale = current.scale[mode];
      const kinds = mode === 'both' ? ['read', 'write'] : [mode];
      addUp();
      ctx.fillStyle = css('sunken');
      ctx.fillRect(area.x, area.y, area.w, area.h);
      ctx.imageSmoothingEnabled = false;
      ctx.drawImage(cellImage(current[mode], cols, xs, ys, Math.min(xs.span, Math.round(area.w * ratio)),
        Math.min(ys.span, Math.round(area.h * ratio)), colours, scale), area.x, area.y, area.w, area.h);
      edgeBars(ctx, byCol, kinds, area.w, TOP, (along, out) => [area.x + along, area.y - GAP - out]);
      edgeBars(ctx, byRow, kinds, area.h, SIDE, (along, out) => [area.x + area.w + GAP + out, area.y + along]);
      rankAxis(ctx, area);
      drawTimeAxis(ctx, area, xs.lo * bin, xs.hi * bin, SIDE);
      swatch.replaceChildren(...(scale.most ? [(scale.capped ? '≤ ' : '') + bytes(scale.lo), picture(colours, 256, 1),
        bytes(scale.most) + ' per cell'] : ['no bytes moved']));
      return area;
    }

    /** Over the cells: one cell. Over an edge bar: its whole column or row. */
    function hover(x, y, area) {
      const inX = x <= area.w, inY = y >= 0;
      if (x < 0 || y > area.h || y < -area.y || (!inX && !inY)) return null;
      const c = clamp(Math.floor((x / area.w) * xs.span), 0, xs.span - 1), r = clamp(Math.floor((y / area.h) * ys.span), 0, ys.span - 1);
      const [c0, c1] = inX ? [c, c + 1] : [0, xs.span], [r0, r1] = inY ? [r, r + 1] : [0, ys.span];
      const at = (ys.lo + r) * cols + xs.lo + c;
      const value = (kind) => bytes(inX && inY ? current[kind][at] : inX ? byCol[kind][c] : byRow[kind][r]);
      const who = ranks(ys.lo + r0, ys.lo + r1), px = area.w / xs.span, py = area.h / ys.span;
      return {
        mark: { x: c0 * px, y: r0 * py, w: (c1 - c0) * px, h: (r1 - r0) * py },
        kids: [tipHead(who[0].toUpperCase() + who.slice(1) + ' · ' + span(xs.lo + c0, xs.lo + c1)),
          tipRow('write', 'Written', value('write')), tipRow('read', 'Read', value('read'))],
      };
    }

    const direction = segments('direction', ['Both', 'Read', 'Write'], 0, (i) => { mode = ['both', 'read', 'write'][i]; soon(); });
    const soon = chart(box, {
      name: 'heatmap', series, xs, ys, paint, hover, tools: [direction, swatch],
      pick: (i) => { current = series[i]; },
      height: () => clamp(rows * 12, 96, 340) + TOP + GAP + BELOW,
      range: () => span(xs.lo, xs.hi) + ' · ' + ranks(ys.lo, ys.hi),
      label: () => 'Bytes by rank and time, ' + current.name + ': read ' + bytes(total(byCol.read)) + ', written ' + bytes(total(byCol.write)),
      hint: () => 'Bars: bytes per ' + inWords(bin) + ' (top) and per ' + (perRow > 1 ? 'row of ' + perRow + ' ranks' : 'rank') +
        ' (right). Colours are logarithmic. Drag a rectangle' + GESTURES,
    });
  }

  // ---------- file table ----------

  const ROW = 30; // must equal .files .tr height
  const HEAD = 62; // header and totals, both stuck to the top
  const TALLEST = 8e6; // browsers cap element heights; beyond this, scrolling is scaled
  const PAPER_ROWS = 40;

  const exactBytes = (n) => (n >= 0 ? plural(n, 'byte') : 'unknown');
  const exactCount = (n) => (n >= 0 ? grouped(n) : 'unknown');
  const COLUMNS = [
    { key: 'path', label: 'File' },
    { key: 'iface', label: 'Interface' },
    { key: 'read', label: 'Read', show: bytes, exact: exactBytes, share: true, sum: true },
    { key: 'written', label: 'Written', show: bytes, exact: exactBytes, share: true, sum: true },
    { key: 'reads', label: 'Reads', show: count, exact: exactCount, sum: true },
    { key: 'writes', label: 'Writes', show: count, exact: exactCount, sum: true },
    { key: 'meta', label: 'Metadata', show: count, exact: exactCount, sum: true },
    { key: 'time', label: 'Time', show: seconds, exact: (t) => (t >= 0 ? t.toFixed(6) + ' s' : 'unknown'), share: true, sum: true },
    { key: 'ranks', label: 'Ranks', show: (n) => (n < 0 ? 'all' : count(n)), exact: (n) => (n < 0 ? 'all ranks' : exactCount(n)) },
    { key: 'size', label: 'Size seen', show: bytes, exact: (n) => (n < 0 ? 'unknown' : exactBytes(n) + ' (highest offset touched)') },
  ];

  async function unpack(text) {
    const raw = atob(text.trim());
    const packed = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) packed[i] = raw.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Response(stream).json();
  }

  /** The columns as typed arrays plus everything search and sort need. */
  function fileModel(d) {
    const size = d.name.length;
    const cols = { iface: Uint32Array.from(d.iface) };
    for (const c of COLUMNS) if (c.show) cols[c.key] = new Float64Array(d[c.key]);
    const lowNames = d.name.map((s) => s.toLowerCase());
    const lowDirs = d.dirs.map((s) => s.toLowerCase());
    let pathRank = null;

    /** Position of each file by folder, then name; made once, on first use. */
    function pathOrder() {
      if (pathRank) return pathRank;
      const place = new Uint32Array(d.dirs.length);
      d.dirs.map((_, i) => i).sort((a, b) => (d.dirs[a] < d.dirs[b] ? -1 : 1)).forEach((dir, i) => { place[dir] = i; });
      const order = d.name.map((_, i) => i);
      order.sort((a, b) => place[d.dir[a]] - place[d.dir[b]] || (d.name[a] < d.name[b] ? -1 : d.name[a] > d.name[b] ? 1 : a - b));
      pathRank = new Float64Array(size);
      order.forEach((file, i) => { pathRank[file] = i; });
      return pathRank;
    }

    function sortKeys(key) {
      if (key === 'path') return pathOrder();
      return key === 'ranks' ? cols.ranks.map((n) => (n < 0 ? Infinity : n)) : cols[key];
    }

    return {
      size, cols, names: d.name,
      dir: (i) => d.dirs[d.dir[i]] || '',
      interfaces: (i) => d.interfaces.filter((_, bit) => cols.iface[i] & (1 << bit)).join(', '),

      /** All files in order. Ties keep their given order in both directions. */
      sorted(key, down) {
        const keys = sortKeys(key);
        const order = new Uint32Array(size);
        for (let i = 0; i < size; i++) order[i] = i;
        return order.sort(down ? (a, b) => keys[b] - keys[a] || a - b : (a, b) => keys[a] - keys[b] || a - b);
      },

      /** Those of `order` that pass, still in order: searching never re-sorts. */
      filter(order, text, bit, mount) {
        const words = text.toLowerCase().split(/\s+/).filter(Boolean);
        // A folder is shared by many files, so each is searched once per word.
        const inDir = words.map((w) => lowDirs.map((s) => s.includes(w)));
        const has = (i, w) => inDir[w][d.dir[i]] || lowNames[i].includes(words[w]) ||
          (words[w].includes('/') && (lowDirs[d.dir[i]] + lowNames[i]).includes(words[w]));
        const kept = new Uint32Array(order.length);
        let n = 0;
        next: for (let k = 0; k < order.length; k++) {
          const i = order[k];
          if (bit >= 0 && !(cols.iface[i] & (1 << bit))) continue;
          if (mount !== null && d.mount[i] !== mount) continue;
          for (let w = 0; w < words.length; w++) if (!has(i, w)) continue next;
          kept[n++] = i;
        }
        return kept.subarray(0, n);
      },
    };
  }

  /** [folder, name] with the middle cut out so that `width` fits in `room`: the
      folder gives way first; a long name keeps its end, which tells files apart. */
  function shorten(dir, name, room, width) {
    if (width(dir + name) <= room) return [dir, name];
    const start = (text, space) => {
      let lo = 0, hi = text.length;
      while (lo < hi) {
        const half = (lo + hi + 1) >> 1;
        if (width(text.slice(0, half)) <= space) lo = half; else hi = half - 1;
      }
      return text.slice(0, lo);
    };
    const left = room - width(name) - width('…/');
    if (dir && left >= 0) return [start(dir, left) + '…/', name];
    const tail = name.slice(-16), lead = dir ? '…/' : '';
    return [lead, start(name, room - width(lead + '…' + tail)) + '…' + tail];
  }

  function copyText(text) {
    const say = (words) => () => {
      const note = el('div', { class: 'toast', role: 'status', text: words });
      document.body.append(note);
      setTimeout(() => note.remove(), 1400);
    };
    const refused = say('This browser does not let the page copy');
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(say('Path copied'), refused); else refused();
  }

  /** A drop-down list from [value, text] pairs. */
  const choice = (label, pairs, change) => el('select', { 'aria-label': label, on: { change } },
    ...pairs.map(([value, text]) => el('option', { value, text })));

  function makeRow() {
    const row = el('div', { class: 'tr', role: 'row' },
      el('span', { role: 'cell' }, el('button', { class: 'path', type: 'button' }, el('span', { class: 'dir' }), el('span'))),
      el('span', { class: 'if', role: 'cell' }));
    for (const c of COLUMNS) if (c.show) row.append(el('span', { class: 'n' + (c.share ? ' share ' + c.key : ''), role: 'cell' }));
    return row;
  }

  function fillRow(row, model, i, most, room, width) {
    const path = row.firstChild.firstChild;
    shorten(model.dir(i), model.names[i], room, width).forEach((text, k) => { path.children[k].textContent = text; });
    path.title = model.dir(i) + model.names[i];
    row.children[1].textContent = row.children[1].title = model.interfaces(i);
    COLUMNS.forEach((c, k) => {
      if (!c.show) return;
      const value = model.cols[c.key][i], cell = row.children[k];
      cell.textContent = c.show(value);
      cell.title = c.exact(value);
      cell.classList.toggle('dim', !(value > 0) && c.key !== 'ranks');
      if (c.share) cell.style.setProperty('--p', (Math.max(0, value) / most[c.key]).toFixed(3));
    });
  }

  /** Keeps only the rows in sight (and a few around) in the page. `filler()` is asked
      once per repaint, so that it measures once, and gives a function (row, at) that
      writes row number `at`. Returns a function that starts again with n rows. */
  function virtualRows(view, space, rows, filler) {
    const pool = [];
    let size = 0, first = -1; // first row in the page; -1 forces a repaint
    function paint() {
      const viewport = Math.max(ROW, view.clientHeight - HEAD);
      const full = size * ROW, tall = Math.min(full, TALLEST);
      const offset = full > tall ? view.scrollTop * ((full - viewport) / (tall - viewport)) : view.scrollTop;
      const from = clamp(Math.floor(offset / ROW) - 4, 0, Math.max(0, size - 1));
      const need = Math.min(Math.ceil(viewport / ROW) + 9, size - from);
      rows.style.transform = 'translateY(' + (from * ROW - offset + view.scrollTop) + 'px)';
      if (from === first && pool.length === need) return;
      first = from;
      while (pool.length < need) rows.append(pool[pool.push(makeRow()) - 1]);
      while (pool.length > need) pool.pop().remove();
      const fill = filler();
      pool.forEach((row, k) => fill(row, from + k));
    }
    const soon = perFrame(paint);
    view.addEventListener('scroll', soon, { passive: true });
    new ResizeObserver(() => { first = -1; soon(); }).observe(view);
    return (n) => {
      size = n;
      first = -1;
      space.style.height = Math.min(n * ROW, TALLEST) + 'px';
      view.scrollTop = 0;
      paint();
    };
  }

  /** Paper cannot scroll: a plain table of the first rows stands in. */
  function paperTable(model, shown, sort) {
    const line = (cells, tag) => el('tr', {}, ...cells.map((text, k) => el(tag, { class: COLUMNS[k].show ? 'num' : null, text })));
    const value = (c, i) => {
      if (c.key === 'path') return shorten(model.dir(i), model.names[i], 84, (text) => text.length).join('');
      return c.key === 'iface' ? model.interfaces(i).replace(/-/g, '\u2011') : c.show(model.cols[c.key][i]);
    };
    const body = [...shown.subarray(0, PAPER_ROWS)].map((i) => line(COLUMNS.map((c) => value(c, i)), 'td'));
    const by = COLUMNS.find((c) => c.key === sort.key).label.toLowerCase() + (sort.down ? ', largest first' : '');
    return [
      el('table', { class: 'plain' }, el('thead', {}, line(COLUMNS.map((c) => c.label), 'th')), el('tbody', {}, ...body)),
      shown.length > body.length ? el('p', { class: 'note', text: 'The first ' + body.length + ' of ' + plural(shown.length, 'file') +
        ' by ' + by + '; open the page in a browser for the rest.' }) : '',
    ];
  }

  /** Sum and largest value of each number column over the files shown. */
  function summary(model, shown) {
    const sums = {}, most = {};
    for (const { key, show } of COLUMNS) {
      if (!show) continue;
      const values = model.cols[key]; // looked up once: this loop runs 200,000 times
      let sum = 0, top = 0;
      for (let k = 0; k < shown.length; k++) {
        const v = values[shown[k]];
        if (v > 0) { sum += v; if (v > top) top = v; }
      }
      sums[key] = sum;
      most[key] = top || 1;
    }
    return { sums, most };
  }

  function totalCells(shown, sums) {
    return COLUMNS.map((c) => {
      if (c.key === 'path') return el('span', { role: 'cell', text: 'Total of ' + plural(shown.length, 'file') });
      if (!c.sum) return el('span', { role: 'cell' });
      return el('span', { class: 'n', role: 'cell', text: c.show(sums[c.key]), title: c.exact(sums[c.key]) });
    });
  }

  function filesTable(box, data) {
    const model = fileModel(data);
    let sort = { key: 'time', down: true };
    let order = model.sorted(sort.key, sort.down);
    let shown = order;
    let largest = {}; // of each column among the files shown; scales the bars
    let waiting = 0; // the search runs once typing pauses

    const search = el('input', {
      type: 'search', placeholder: 'Search paths', 'aria-label': 'search paths', spellcheck: 'false', autocomplete: 'off',
      on: {
        input() { clearTimeout(waiting); waiting = setTimeout(() => timed('search', refilter), 150); },
        keydown(event) { if (event.key === 'Escape') { search.value = ''; refilter(); } },
      },
    });
    const byInterface = choice('interface', [[-1, 'All interfaces'], ...data.interfaces.entries()], refilter);
    const mounts = [...data.mounts.entries(), ...(data.mount.includes(-1) ? [[-1, 'Unknown mount']] : [])];
    const byMount = choice('mount point', [['all', 'All mount points'], ...mounts], refilter);
    const counter = el('span', { class: 'count', 'aria-live': 'polite' });
    const head = el('div', { class: 'tr head', role: 'row' }, ...COLUMNS.map((c) =>
      el('span', { class: c.show ? 'n' : null, role: 'columnheader', 'data-key': c.key },
        el('button', { type: 'button', text: c.label, on: { click: () => resort(c.key) } }))));
    const sum = el('div', { class: 'tr sum', role: 'row' });
    const rows = el('div', { class: 'rows', role: 'rowgroup' });
    const space = el('div', { class: 'space' }, rows);
    const view = el('div', { class: 'view', role: 'table', tabindex: 0, 'aria-label': 'files' },
      el('div', { class: 'stick', role: 'rowgroup' }, head, sum), space);
    const nothing = el('p', { class: 'nothing', hidden: true }, 'No file matches. ',
      el('button', { class: 'btn', type: 'button', text: 'Clear search and filters', on: { click: clearFilters } }));
    const paper = el('div', { class: 'paper' });
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = '13px ' + css('sans');
    const width = (text) => pen.measureText(text).width;

    function clearFilters() {
      search.value = '';
      byInterface.value = '-1';
      byMount.value = 'all';
      refilter();
      search.focus();
    }

    function refilter() {
      const mount = byMount.value === 'all' ? null : Number(byMount.value);
      shown = model.filter(order, search.value, Number(byInterface.value), mount);
      counter.textContent = grouped(shown.length) + ' of ' + plural(model.size, 'file');
      view.setAttribute('aria-rowcount', shown.length + 2);
      nothing.hidden = shown.length > 0;
      for (const h of head.children) h.setAttribute('aria-sort', h.dataset.key !== sort.key ? 'none' : sort.down ? 'descending' : 'ascending');
      const { sums, most } = summary(model, shown);
      largest = most;
      sum.replaceChildren(...totalCells(shown, sums));
      showRows(shown.length);
    }

    function resort(key) {
      const textual = key === 'path' || key === 'iface';
      sort = { key, down: sort.key === key ? !sort.down : !textual };
      timed('sort', () => { order = model.sorted(sort.key, sort.down); });
      refilter();
    }

    takeOver(box, el('div', { class: 'bar' }, search, data.interfaces.length > 1 ? byInterface : '', mounts.length > 1 ? byMount : '', counter),
      view, nothing, paper, data.total > model.size ? el('p', { class: 'note', text: 'The log names ' + plural(data.total, 'file') +
        '; this page holds ' + grouped(model.size) + ' of them, and the totals here are of those alone.' }) : '');
    const showRows = virtualRows(view, space, rows, () => {
      const room = head.firstChild.clientWidth - 26; // less its padding, and a little
      return (row, at) => {
        row.setAttribute('aria-rowindex', at + 3); // after header and totals
        fillRow(row, model, shown[at], largest, room, width);
      };
    });
    rows.addEventListener('click', (event) => {
      const hit = event.target.closest('.path');
      if (hit) copyText(hit.title);
    });
    paperHooks.push((on) => paper.replaceChildren(...(on ? paperTable(model, shown, sort) : [])));
    refilter();
  }

  function files(box) {
    const text = dataBlock(box.dataset.packed);
    try { new DecompressionStream('deflate-raw'); } catch {
      return fail(box, 'The file table is stored compressed, and this browser cannot unpack it (it lacks DecompressionStream “deflate-raw”). ' +
        'Chrome or Edge 103, Firefox 113, Safari 16.4 or newer will show it.');
    }
    unpack(text).then((data) => filesTable(box, data))
      .catch((error) => fail(box, 'The file table could not be read: ' + error.message + '.'));
  }

  // ---------- page ----------

  const THEME = 'marigraph-theme';

  /** Storage may be denied on file:// pages; the button then lasts one visit. */
  function storedTheme(value) {
    try {
      if (value) localStorage.setItem(THEME, value);
      return localStorage.getItem(THEME);
    } catch { return null; }
  }

  function redrawAll() { for (const draw of redraws) draw(); }

  function theme() {
    const button = document.querySelector('button.theme');
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
    if (!button) return;
    const label = () => button.setAttribute('aria-label', 'switch to ' + (isDark() ? 'light' : 'dark') + ' theme');
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      storedTheme(root.dataset.theme);
      label();
      redrawAll();
    });
    label();
  }

  /** Canvases are pictures, so they are repainted in light colours for paper. */
  function paperMode() {
    let kept;
    const set = (on) => {
      if (on === printing) return;
      printing = on;
      if (on) { kept = root.dataset.theme; root.dataset.theme = 'light'; }
      else if (kept) root.dataset.theme = kept;
      else delete root.dataset.theme;
      redrawAll();
      for (const hook of paperHooks) hook(on);
    };
    addEventListener('beforeprint', () => set(true));
    addEventListener('afterprint', () => set(false));
    matchMedia('print').addEventListener('change', (event) => set(event.matches));
  }

  /** Marks the section being read in the navigation. */
  function spy() {
    const links = new Map();
    for (const a of document.querySelectorAll('.top nav a[href^="#"]')) links.set(byId(a.hash.slice(1)), a);
    links.delete(null);
    const mark = (section) => links.forEach((a, s) => (s === section ? a.setAttribute('aria-current', 'true') : a.removeAttribute('aria-current')));
    const watch = new IntersectionObserver((seen) => { for (const s of seen) if (s.isIntersecting) mark(s.target); }, { rootMargin: '-12% 0px -80%' });
    links.forEach((a, section) => {
      watch.observe(section);
      // The last sections may be too short to reach the top: there the click decides.
      a.addEventListener('click', () => setTimeout(mark, 100, section));
    });
  }

  /** A table wider than a phone must scroll by itself, not move the page. */
  function wrapTables() {
    for (const table of document.querySelectorAll('table.plain')) {
      if (table.closest('.scroll, .files')) continue;
      const wrap = el('div', { class: 'scroll' });
      table.replaceWith(wrap);
      wrap.append(table);
    }
  }

  /** Clicking a heading sorts a table of a few thousand rows in place: numbers first downwards, words upwards. */
  function sortable(table) {
    const body = table.tBodies[0];
    const value = (row, at) => row.cells[at].dataset.value ?? row.cells[at].textContent;
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      head.tabIndex = 0;
      head.setAttribute('role', 'button');
      const sort = () => {
        const rows = [...body.rows];
        const numeric = rows.some((row) => row.cells[at].dataset.value !== undefined);
        const now = head.getAttribute('aria-sort');
        const down = now ? now === 'ascending' : numeric;
        const order = (a, b) => (numeric ? value(a, at) - value(b, at) : value(a, at).localeCompare(value(b, at)));
        rows.sort((a, b) => (down ? order(b, a) : order(a, b)));
        for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        body.append(...rows);
      };
      head.addEventListener('click', sort);
      head.addEventListener('keydown', (event) => { if (event.key === 'Enter') sort(); });
    });
  }

  /** Charts that were drawn beforehand: the value under the pointer, and the words of the mark that it is on. */
  function readout(figure) {
    const svg = figure.querySelector('svg');
    const d = JSON.parse(figure.querySelector('script').textContent);
    const [left, right] = d.places, [from, to] = d.along;
    const told = new Map(); // the browser's own tips would cover ours
    for (const title of svg.querySelectorAll('title')) { told.set(title.parentNode, title.textContent); title.remove(); }
    const words = {
      rate: (x, v) => [clock(x, (to - from) / 1000, to), tipRow('', 'up to', bytes(v) + '/s')],
      power: (x, v) => [(x < 1 ? sig3(x * 1e3) + ' mHz' : sig3(x) + ' Hz') + ' · ' + seconds(1 / x), tipRow('', 'power', sig3(v * 100) + ' %')],
      correlation: (x, v) => ['lag ' + clock(x, (to - from) / 1000, to), tipRow('', 'correlation', v.toFixed(2))],
    };
    const leave = () => { tipBox.hidden = true; };
    svg.addEventListener('pointermove', (event) => {
      const box = svg.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width * svg.viewBox.baseVal.width - left) / (right - left);
      if (!(share >= 0 && share < 1) || !d.values.length) return leave();
      const x = d.powers ? from * Math.pow(to / from, share) : from + (to - from) * share;
      const [head, row] = words[d.kind](x, d.values[Math.floor(share * d.values.length)] * d.unit);
      const mark = told.get(event.target);
      showTip(event, [tipHead(head), row, ...(mark ? [el('div', { class: 'row', text: mark })] : [])]);
    });
    svg.addEventListener('pointerleave', leave);
  }

  function main() {
    theme();
    wrapTables();
    each('table.sortable', sortable);
    each('.timeline[data-json]', timeline);
    each('.heatmap[data-json]', heatmap);
    each('.files[data-packed]', files);
    each('.chart[data-readout]', readout);
    paperMode();
    spy();
  }

  // Before the first paint when the script sits in <head>, so nothing flashes.
  const kept = storedTheme();
  if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', main);
  else main();
})();
