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
    if (top < 120) return t.toFixed(digits) + ' s';
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

  function readJson(box) {
    const source = byId(box.dataset.json);
    if (!source) throw new Error('its data block is missing');
    return JSON.parse(source.textContent);
  }

  /** Hides what was written for readers without scripts and hands over the box. */
  function takeOver(box, ...kids) {
    const old = el('div', { class: 'fallback', hidden: true });
    old.append(...box.childNodes);
    box.classList.add('live');
    box.append(...kids, old);
  }

  function fail(box, what) {
    box.prepend(el('p', { class: 'empty', role: 'alert', text: what }));
  }

  function each(selector, init) {
    for (const box of document.querySelectorAll(selector)) {
      try { init(box); } catch (error) { fail(box, 'This part could not be drawn: ' + error.message + '.'); }
    }
  }

  /** A row of buttons of which one is pressed; nothing when there is no choice. */
  function segments(label, names, current, pick) {
    const box = el('div', { class: 'seg', role: 'group', 'aria-label': label });
    names.forEach((name, i) => box.append(el('button', {
      type: 'button', text: name, 'aria-pressed': String(i === current),
      on: {
        click() {
          [...box.children].forEach((b, j) => b.setAttribute('aria-pressed', String(i === j)));
          pick(i);
        },
      },
    })));
    return box;
  }

  /** Sizes a canvas for the screen's real pixels; drawing stays in CSS pixels. */
  function fit(canvas, w, h) {
    const ratio = Math.max(window.devicePixelRatio || 1, printing ? 2 : 1);
    canvas.width = Math.max(1, Math.round(w * ratio));
    canvas.height = Math.max(1, Math.round(h * ratio));
    canvas.style.height = h + 'px';
    const ctx = canvas.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.font = '11.5px ' + css('sans');
    ctx.textBaseline = 'middle';
    return ctx;
  }

  const tip = (function () {
    const node = el('div', { class: 'tip', hidden: true });
    return {
      show(event, kids) {
        if (!node.isConnected) document.body.append(node);
        node.replaceChildren(...kids);
        node.hidden = false;
        const { width, height } = node.getBoundingClientRect();
        const right = event.clientX + 16 + width > innerWidth;
        const x = right ? event.clientX - width - 16 : event.clientX + 16;
        const y = clamp(event.clientY - height - 12, 4, innerHeight - height - 4);
        node.style.transform = 'translate(' + Math.max(4, x) + 'px,' + y + 'px)';
      },
      hide() { node.hidden = true; },
    };
  })();

  const tipHead = (text) => el('div', { class: 'head', text });
  const tipRow = (kind, name, main, extra) => el('div', { class: 'row ' + kind },
    el('span', { text: name }), el('b', { text: main }), extra ? el('small', { text: extra }) : '');

  /** Pointer, wheel and keyboard on a plot. `ctl` answers in plot-area pixels:
      area() {x,y,w,h}; hover(x,y) tooltip parts or null; leave(); select(x0,y0,x1,y1);
      zoom(factor,x); pan(fraction); reset(). `wide` selections ignore y. */
  function interact(plot, ctl) {
    const mark = el('div', { class: 'sel', hidden: true });
    plot.append(mark);
    let from = null;

    const locate = (event) => {
      const box = plot.getBoundingClientRect();
      const a = ctl.area();
      return { x: event.clientX - box.left - a.x, y: event.clientY - box.top - a.y, a };
    };
    const within = ({ x, y, a }) => ({ x: clamp(x, 0, a.w), y: clamp(y, 0, a.h) });

    /** The dragged rectangle; a nearly flat drag means "this time, all ranks". */
    function dragged(event) {
      const spot = locate(event);
      const to = within(spot);
      const flat = ctl.wide || Math.abs(to.y - from.y) < 8;
      return {
        a: spot.a,
        x0: Math.min(from.x, to.x), x1: Math.max(from.x, to.x),
        y0: flat ? 0 : Math.min(from.y, to.y), y1: flat ? spot.a.h : Math.max(from.y, to.y),
      };
    }

    function cancel() { from = null; mark.hidden = true; }
    function leave() { tip.hide(); ctl.leave(); }

    function hover(event) {
      const spot = locate(event);
      const kids = ctl.hover(spot.x, spot.y);
      if (kids) tip.show(event, kids); else leave();
    }

    plot.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      from = within(locate(event));
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener('pointermove', (event) => {
      hover(event);
      if (!from) return;
      const d = dragged(event);
      mark.hidden = d.x1 - d.x0 < 4;
      Object.assign(mark.style, {
        left: d.a.x + d.x0 + 'px', width: d.x1 - d.x0 + 'px', top: d.a.y + d.y0 + 'px', height: d.y1 - d.y0 + 'px',
      });
    });
    plot.addEventListener('pointerup', (event) => {
      if (!from) return;
      const d = dragged(event);
      cancel();
      if (d.x1 - d.x0 >= 4) { leave(); ctl.select(d.x0, d.y0, d.x1, d.y1); }
    });
    plot.addEventListener('pointercancel', cancel);
    plot.addEventListener('pointerleave', leave);
    plot.addEventListener('dblclick', () => ctl.reset());
    plot.addEventListener('wheel', (event) => {
      if (!event.ctrlKey) return; // a plain wheel scrolls the page
      event.preventDefault();
      const spot = locate(event);
      ctl.zoom(Math.exp(clamp(event.deltaY, -120, 120) * 0.004), within(spot).x);
    }, { passive: false });
    plot.addEventListener('keydown', (event) => {
      const a = ctl.area();
      const keys = {
        '+': () => ctl.zoom(0.5, a.w / 2), '=': () => ctl.zoom(0.5, a.w / 2), '-': () => ctl.zoom(2, a.w / 2),
        ArrowLeft: () => ctl.pan(-0.2), ArrowRight: () => ctl.pan(0.2),
        0: () => ctl.reset(), Escape: () => (from ? cancel() : ctl.reset()),
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      leave();
      keys[event.key]();
    });
  }

  /** A window [lo, hi) on an axis of `size` units, never narrower than `least`. */
  function axisWindow(size, least) {
    const smallest = Math.min(least, size);
    return {
      lo: 0, hi: size,
      get span() { return this.hi - this.lo; },
      get whole() { return this.lo === 0 && this.hi === size; },
      set(lo, hi) {
        const span = clamp(hi - lo, smallest, size);
        this.lo = clamp((lo + hi - span) / 2, 0, size - span);
        this.hi = this.lo + span;
      },
      zoom(factor, at) { this.set(this.lo + at * this.span * (1 - factor), this.lo + at * this.span * (1 - factor) + this.span * factor); },
      pan(fraction) { const d = clamp(fraction * this.span, -this.lo, size - this.hi); this.lo += d; this.hi += d; },
      reset() { this.lo = 0; this.hi = size; },
    };
  }

  /** Time labels along the bottom; neighbours that would touch are left out. */
  function drawTimeAxis(ctx, area, t0, t1, colour, gridTop) {
    const step = timeStep((t1 - t0) / Math.max(2, area.w / 110));
    ctx.textAlign = 'center';
    let free = -Infinity;
    for (let k = Math.ceil(t0 / step - 1e-9); k * step <= t1 * (1 + 1e-12); k++) {
      const x = area.x + ((k * step - t0) / (t1 - t0)) * area.w;
      const label = clock(k * step, step, t1);
      const half = ctx.measureText(label).width / 2;
      ctx.fillStyle = colour.line;
      if (gridTop !== null) ctx.fillRect(Math.round(x), gridTop, 1, area.y + area.h - gridTop);
      ctx.fillRect(Math.round(x), area.y + area.h, 1, 4);
      const at = Math.min(x, area.x + area.w + area.spare - half);
      if (at - half < free) continue;
      free = at + half + 10;
      ctx.fillStyle = colour.muted;
      ctx.fillText(label, at, area.y + area.h + 14);
    }
  }

  const timeSpan = (a, b, step, top) => clock(a, step, top) + ' – ' + clock(b, step, top);

  /** Keeps a painter current: size, theme and paper. */
  function keepDrawn(plot, draw) {
    const soon = perFrame(draw);
    new ResizeObserver(soon).observe(plot);
    redraws.push(draw);
    draw();
    return soon;
  }

  function loadSeries(list, length) {
    return (list || []).map((s) => {
      const of = (values) => { const a = new Float64Array(length); a.set((values || []).slice(0, length)); return a; };
      return { name: s.name, read: of(s.read), write: of(s.write) };
    });
  }

  const total = (a) => { let sum = 0; for (let i = 0; i < a.length; i++) sum += a[i]; return sum; };

  // ---------- timeline ----------

  /** For each of `cols` pixel columns the least, mean and greatest bin it covers,
      so neither a one-bin peak nor a one-bin gap is lost among 10^6 bins. */
  function decimate(values, lo, hi, cols) {
    const min = new Float64Array(cols);
    const mean = new Float64Array(cols);
    const max = new Float64Array(cols);
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

  function peak(a) { let m = 0; for (let i = 0; i < a.length; i++) if (a[i] > m) m = a[i]; return m; }

  function timeline(box) {
    const data = readJson(box);
    const bin = data.bin_s;
    const bins = Math.max(0, ...(data.series || []).map((s) => Math.max((s.read || []).length, (s.write || []).length)));
    const series = loadSeries(data.series, bins);
    if (!bins || !(bin > 0)) return fail(box, 'The log holds no transfers over time.');

    const view = axisWindow(bins, 8);
    let current = series[0];
    const canvas = el('canvas');
    const cross = el('div', { class: 'cross', hidden: true });
    const plot = el('div', { class: 'plot', tabindex: 0, role: 'img' }, canvas, cross);
    const range = el('span', { class: 'range', 'aria-live': 'polite' });
    const keys = el('span', { class: 'legend' });
    const back = el('button', { class: 'btn reset', type: 'button', text: 'Reset zoom', on: { click: () => control.reset() } });
    const hint = el('p', { class: 'hint' });
    let area = { x: 0, y: 0, w: 1, h: 1, spare: 0 };

    const rate = (b) => bytes(b / bin) + '/s';
    const binAt = (x) => view.lo + (x / area.w) * view.span;

    function frame(ctx, w, h, up, down) {
      // One scale for both directions: heights above and below can be compared.
      const top = Math.max(up + down, 1e-9) / bin;
      let unit = 0;
      while (Math.max(up, down) / bin / Math.pow(1024, unit) >= 1023.5 && unit < UNITS.length - 1) unit++;
      const step = niceStep(top / Math.pow(1024, unit) / 5) * Math.pow(1024, unit);
      const label = (v) => +(v / Math.pow(1024, unit)).toPrecision(6) + ' ' + UNITS[unit] + '/s';
      const first = -Math.floor(down / bin / step), last = Math.floor(up / bin / step);
      let wide = 0;
      for (let k = first; k <= last; k++) wide = Math.max(wide, ctx.measureText(label(Math.abs(k * step))).width);
      area = { x: Math.ceil(wide) + 10, y: 10, w: 0, h: h - 34, spare: 12 };
      area.w = Math.max(40, w - area.x - area.spare);
      const zero = area.y + area.h * (up / Math.max(up + down, 1e-9) || (down ? 0 : 1));
      const px = area.h / top; // pixels per B/s
      ctx.textAlign = 'right';
      for (let k = first; k <= last; k++) {
        const y = zero - k * step * px;
        ctx.fillStyle = css('line');
        ctx.fillRect(area.x, Math.round(y), area.w, 1);
        ctx.fillStyle = css('muted');
        ctx.fillText(label(Math.abs(k * step)), area.x - 8, y);
      }
      return { zero, px: px / bin }; // pixels per byte in a bin
    }

    /** Peak pale, mean stronger, what every bin reached solid. */
    function fill(ctx, d, colour, zero, px) {
      const cols = d.max.length;
      const wide = area.w / cols;
      ctx.fillStyle = colour;
      const layers = d.max.some((v, i) => v !== d.min[i]) ? [[d.max, 0.32], [d.mean, 0.55], [d.min, 1]] : [[d.max, 1]];
      for (const [heights, alpha] of layers) {
        ctx.globalAlpha = alpha;
        ctx.beginPath();
        ctx.moveTo(area.x, zero);
        for (let c = 0; c < cols; c++) {
          const y = zero - heights[c] * px;
          ctx.lineTo(area.x + c * wide, y);
          ctx.lineTo(area.x + (c + 1) * wide, y);
        }
        ctx.lineTo(area.x + area.w, zero);
        ctx.fill();
      }
      ctx.globalAlpha = 1;
    }

    function describe(read, write, merged) {
      const from = Math.floor(view.lo), to = Math.ceil(view.hi);
      const part = (kind, name, values, d) => el('span', {
        class: 'key ' + kind,
        text: name + ' ' + bytes(total(values.subarray(from, to))) + ', peak ' + rate(peak(d.max)),
      });
      keys.replaceChildren(part('write', 'Written', current.write, write), part('read', 'Read', current.read, read));
      range.textContent = timeSpan(view.lo * bin, view.hi * bin, Math.min(bin, 1), view.hi * bin);
      back.disabled = view.whole;
      plot.setAttribute('aria-label', 'Transfer rate over time, ' + current.name + ', ' + range.textContent + ': ' + keys.textContent);
      hint.textContent = (data.source ? 'From ' + data.source + ', ' : '') + plural(bins, 'bin') + ' of ' + seconds(bin) + '. ' +
        (merged ? 'Each pixel covers several bins: the pale part is the highest bin, the solid part the mean and the lowest. ' : '') +
        'Drag to zoom, double-click to reset; Ctrl + wheel, or + − and arrow keys, also work.';
    }

    function draw() {
      const w = plot.clientWidth;
      if (!w) return; // inside a closed <details>; ResizeObserver calls again
      timed('timeline', () => {
        const h = w < 640 ? 230 : 280;
        const ctx = fit(canvas, w, h);
        const cols = Math.max(1, Math.round((w - 90) * (canvas.width / w)));
        const read = decimate(current.read, view.lo, view.hi, cols);
        const write = decimate(current.write, view.lo, view.hi, cols);
        const mirrored = total(current.write) > 0; // reads alone stand upright
        const head = 1.04;
        let up = peak(mirrored ? write.max : read.max) * head, down = mirrored ? peak(read.max) * head : 0;
        // A tiny direction still gets a sliver, so that it is seen to exist.
        if (down) { const least = 0.08 * Math.max(up, down); up = Math.max(up, least); down = Math.max(down, least); }
        const { zero, px } = frame(ctx, w, h, up, down);
        drawTimeAxis(ctx, area, view.lo * bin, view.hi * bin, { line: css('line'), muted: css('muted') }, null);
        fill(ctx, write, css('write'), zero, px);
        fill(ctx, read, css('read'), zero, mirrored ? -px : px);
        ctx.fillStyle = css('line-strong');
        ctx.fillRect(area.x, Math.round(zero), area.w, 1);
        ctx.fillStyle = css('muted');
        ctx.textAlign = 'right';
        if (down) {
          ctx.fillText('write ↑', area.x + area.w - 4, area.y + 6);
          ctx.fillText('read ↓', area.x + area.w - 4, area.y + area.h - 8);
        }
        describe(read, write, view.span > cols);
      });
    }

    function hover(x, y) {
      if (x < 0 || x > area.w || y < -area.y || y > area.h + 20) return null;
      const first = clamp(Math.floor(binAt(x)), 0, bins - 1);
      const end = clamp(Math.floor(binAt(x + 1)), first + 1, bins);
      Object.assign(cross.style, { left: area.x + x + 'px', top: area.y + 'px', height: area.h + 'px' });
      cross.hidden = false;
      const row = (kind, name, values) => {
        const part = values.subarray(first, end);
        const sum = total(part);
        const over = part.length > 1 ? 'peak ' + rate(peak(part)) + ', ' : '';
        return tipRow(kind, name, rate(sum / part.length), over + bytes(sum));
      };
      return [tipHead(timeSpan(first * bin, end * bin, Math.min(bin, 1), view.hi * bin)),
        row('write', 'Write', current.write), row('read', 'Read', current.read)];
    }

    const control = {
      wide: true,
      area: () => area,
      hover,
      leave() { cross.hidden = true; },
      select(x0, y0, x1) { view.set(binAt(x0), binAt(x1)); soon(); },
      zoom(factor, x) { view.zoom(factor, x / area.w); soon(); },
      pan(fraction) { view.pan(fraction); soon(); },
      reset() { view.reset(); soon(); },
    };

    const pick = series.length > 1 ? segments('interface', series.map((s) => s.name), 0, (i) => { current = series[i]; soon(); }) : '';
    takeOver(box, el('div', { class: 'bar' }, pick, keys, el('span', { class: 'gap' }), range, back), plot, hint);
    const soon = keepDrawn(plot, draw);
    interact(plot, control);
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
    const hi = peak(values) || 1;
    let least = hi;
    for (let i = 0; i < values.length; i++) if (values[i] > 0 && values[i] < least) least = values[i];
    const lo = clamp(least, hi / 1e5, hi / 16);
    const k = 255 / Math.log(hi / lo);
    return { lo, hi, capped: least < lo, at: (v) => clamp(Math.round(k * Math.log(v / lo)), 0, 255) };
  }

  function heatmap(box) {
    const { bin_s: bin, cols, rows, ranks_per_row: perRow, nprocs, series: list } = readJson(box);
    if (!(cols > 0 && rows > 0 && bin > 0) || !(list || []).length) return fail(box, 'The log holds no transfers by rank and time.');
    const series = loadSeries(list, rows * cols);
    for (const s of series) s.both = s.read.map((v, i) => v + s.write[i]);

    const xs = axisWindow(cols, 4), ys = axisWindow(rows, 1);
    const modes = ['both', 'read', 'write'];
    let current = series[0], mode = 'both';
    let area = { x: 0, y: 0, w: 1, h: 1, spare: 0 };
    let sums = null; // bytes per visible column and row, by direction

    const canvas = el('canvas'), swatch = el('canvas'), image = document.createElement('canvas');
    const cell = el('div', { class: 'cell', hidden: true });
    const plot = el('div', { class: 'plot', tabindex: 0, role: 'img' }, canvas, cell);
    const range = el('span', { class: 'range', 'aria-live': 'polite' });
    const least = el('span'), most = el('span');
    const back = el('button', { class: 'btn reset', type: 'button', text: 'Reset zoom', on: { click: () => control.reset() } });
    const hint = el('p', { class: 'hint', text: 'Top: bytes per time bin; right: bytes per ' + (perRow > 1 ? 'row of ' + perRow + ' ranks' : 'rank') +
      '. Drag a rectangle to zoom, double-click to reset; Ctrl + wheel, or + − and arrow keys, zoom and move in time.' });

    const SIDE = 56, TOP = 34, GAP = 5;
    const rankText = (a, b) => {
      const last = Math.min(nprocs, b * perRow) - 1;
      return last > a * perRow ? 'ranks ' + grouped(a * perRow) + '–' + grouped(last) : 'rank ' + grouped(a * perRow);
    };
    const spanText = (a, b) => timeSpan(a * bin, b * bin, Math.min(bin, 1), xs.hi * bin);
    const capital = (s) => s[0].toUpperCase() + s.slice(1);

    function addUp() {
      const zeros = (n) => ({ read: new Float64Array(n), write: new Float64Array(n) });
      sums = { col: zeros(xs.span), row: zeros(ys.span) };
      for (const kind of ['read', 'write']) {
        for (let r = 0; r < ys.span; r++) {
          const base = (ys.lo + r) * cols + xs.lo;
          for (let c = 0; c < xs.span; c++) {
            const v = current[kind][base + c];
            sums.col[kind][c] += v;
            sums.row[kind][r] += v;
          }
        }
      }
    }

    /** One image pixel per cell, or per screen pixel (its largest cell) when
        there are more cells than pixels; the canvas then stretches it. */
    function paintCells(ctx, colours, scale) {
      const ratio = canvas.width / plot.clientWidth;
      const w = Math.min(xs.span, Math.max(1, Math.round(area.w * ratio)));
      const h = Math.min(ys.span, Math.max(1, Math.round(area.h * ratio)));
      const values = current[mode];
      const pixels = new Uint32Array(w * h); // 0 = transparent = no bytes
      for (let y = 0; y < h; y++) {
        const r1 = ys.lo + Math.floor(((y + 1) * ys.span) / h);
        for (let x = 0; x < w; x++) {
          const c1 = xs.lo + Math.floor(((x + 1) * xs.span) / w);
          let v = 0;
          for (let r = ys.lo + Math.floor((y * ys.span) / h); r < r1; r++) {
            for (let c = xs.lo + Math.floor((x * xs.span) / w); c < c1; c++) v = Math.max(v, values[r * cols + c]);
          }
          if (v > 0) pixels[y * w + x] = colours[scale.at(v)];
        }
      }
      image.width = w;
      image.height = h;
      image.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), w, h), 0, 0);
      ctx.imageSmoothingEnabled = false;
      ctx.drawImage(image, area.x, area.y, area.w, area.h);
    }

    /** Bars of bytes per column (upward) or per row (to the right). */
    function margin(ctx, part, length, depth, put) {
      const shown = mode === 'both' ? ['read', 'write'] : [mode];
      const steps = Math.max(1, Math.round(length));
      const slices = shown.map((kind) => decimate(part[kind], 0, part[kind].length, steps).mean);
      let top = 0;
      for (let i = 0; i < steps; i++) top = Math.max(top, slices.reduce((sum, s) => sum + s[i], 0));
      if (!top) return;
      for (let i = 0; i < steps; i++) {
        let from = 0;
        slices.forEach((slice, s) => {
          const size = (slice[i] / top) * depth;
          if (!size) return;
          ctx.fillStyle = css(shown[s]);
          put(i * (length / steps), length / steps, from, size);
          from += size;
        });
      }
    }

    function rankAxis(ctx, colour) {
      const px = area.h / ys.span;
      let step = 1;
      while (step * px < 18) step *= 2;
      ctx.textAlign = 'right';
      for (let r = Math.ceil(ys.lo / step) * step; r < ys.hi; r += step) {
        const y = area.y + (r - ys.lo + (step === 1 ? 0.5 : 0)) * px;
        ctx.fillStyle = colour.line;
        if (step > 1) ctx.fillRect(area.x - 4, Math.round(y), 4, 1);
        ctx.fillStyle = colour.muted;
        ctx.fillText(grouped(r * perRow), area.x - 8, Math.max(y, area.y + 4));
      }
      ctx.textAlign = 'left';
      ctx.fillText('rank', area.x - 8 - ctx.measureText('rank').width, area.y - GAP - 8);
    }

    function legend(colours, scale) {
      swatch.width = 256;
      swatch.height = 1;
      swatch.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(colours.slice().buffer), 256, 1), 0, 0);
      least.textContent = (scale.capped ? '≤ ' : '') + bytes(scale.lo);
      most.textContent = bytes(scale.hi) + ' per cell';
      range.textContent = spanText(xs.lo, xs.hi) + ' · ' + rankText(ys.lo, ys.hi);
      back.disabled = xs.whole && ys.whole;
      plot.setAttribute('aria-label', 'Bytes by rank and time, ' + current.name + ', ' + mode + ', ' + range.textContent +
        ': read ' + bytes(total(sums.col.read)) + ', written ' + bytes(total(sums.col.write)));
    }

    function draw() {
      const w = plot.clientWidth;
      if (!w) return;
      timed('heatmap', () => {
        const h = clamp(rows * 12, 96, 340) + TOP + GAP + 26;
        const ctx = fit(canvas, w, h);
        const colour = { line: css('line-strong'), muted: css('muted') };
        const left = Math.max(ctx.measureText(grouped(nprocs)).width, ctx.measureText('rank').width) + 10;
        area = { x: Math.ceil(left), y: TOP + GAP, w: 0, h: h - TOP - GAP - 26, spare: SIDE };
        area.w = Math.max(40, w - area.x - SIDE - GAP);
        const colours = ramp(mode), scale = heatScale(current[mode]);
        addUp();
        ctx.fillStyle = css('sunken');
        ctx.fillRect(area.x, area.y, area.w, area.h);
        paintCells(ctx, colours, scale);
        margin(ctx, sums.col, area.w, TOP, (at, wide, from, size) => ctx.fillRect(area.x + at, area.y - GAP - from - size, wide, size));
        margin(ctx, sums.row, area.h, SIDE, (at, wide, from, size) => ctx.fillRect(area.x + area.w + GAP + from, area.y + at, size, wide));
        rankAxis(ctx, colour);
        drawTimeAxis(ctx, area, xs.lo * bin, xs.hi * bin, colour, null);
        legend(colours, scale);
      });
    }

    const colAt = (x) => clamp(xs.lo + Math.floor((x / area.w) * xs.span), xs.lo, xs.hi - 1);
    const rowAt = (y) => clamp(ys.lo + Math.floor((y / area.h) * ys.span), ys.lo, ys.hi - 1);

    /** Over the cells: one cell. Over a margin: its whole column or row. */
    function hover(x, y) {
      const inX = x >= 0 && x <= area.w, inY = y >= 0 && y <= area.h;
      if (!(inX && y <= area.h && y > -area.y) && !(inY && x >= 0)) return null;
      const c = colAt(x), r = rowAt(y);
      const c0 = inX ? c : xs.lo, c1 = inX ? c + 1 : xs.hi, r0 = inY ? r : ys.lo, r1 = inY ? r + 1 : ys.hi;
      const read = inX && inY ? current.read[r * cols + c] : inX ? sums.col.read[c - xs.lo] : sums.row.read[r - ys.lo];
      const write = inX && inY ? current.write[r * cols + c] : inX ? sums.col.write[c - xs.lo] : sums.row.write[r - ys.lo];
      const px = area.w / xs.span, py = area.h / ys.span;
      Object.assign(cell.style, {
        left: area.x + (c0 - xs.lo) * px + 'px', width: (c1 - c0) * px + 'px',
        top: area.y + (r0 - ys.lo) * py + 'px', height: (r1 - r0) * py + 'px',
      });
      cell.hidden = false;
      return [tipHead(capital(rankText(r0, r1)) + ' · ' + spanText(c0, c1)),
        tipRow('write', 'Written', bytes(write)), tipRow('read', 'Read', bytes(read))];
    }

    /** Cells are whole, so the window snaps outwards to whole cells. */
    function show(lo, hi) {
      xs.set(Math.floor(lo + 1e-9), Math.ceil(hi - 1e-9));
      xs.lo = Math.floor(xs.lo);
      xs.hi = Math.ceil(xs.hi);
      soon();
    }

    const control = {
      area: () => area,
      hover,
      leave() { cell.hidden = true; },
      select(x0, y0, x1, y1) {
        const r0 = rowAt(y0), r1 = rowAt(y1 - 1e-6) + 1;
        ys.lo = r0;
        ys.hi = r1;
        show(colAt(x0), colAt(x1 - 1e-6) + 1);
      },
      zoom(factor, x) {
        const at = x / area.w, span = xs.span;
        const next = factor > 1 ? Math.max(span + 1, span * factor) : Math.min(span - 1, span * factor);
        show(xs.lo + at * (span - next), xs.lo + at * (span - next) + Math.max(1, next));
      },
      pan(fraction) {
        const d = clamp(Math.sign(fraction) * Math.max(1, Math.round(Math.abs(fraction) * xs.span)), -xs.lo, cols - xs.hi);
        xs.lo += d;
        xs.hi += d;
        soon();
      },
      reset() { xs.reset(); ys.reset(); soon(); },
    };

    const pick = series.length > 1 ? segments('interface', series.map((s) => s.name), 0, (i) => { current = series[i]; soon(); }) : '';
    const kind = segments('direction', ['Both', 'Read', 'Write'], 0, (i) => { mode = modes[i]; soon(); });
    takeOver(box, el('div', { class: 'bar' }, pick, kind, el('span', { class: 'scale' }, least, swatch, most),
      el('span', { class: 'gap' }), range, back), plot, hint);
    const soon = keepDrawn(plot, draw);
    interact(plot, control);
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
      size, cols, dirs: d.dirs, names: d.name, dirOf: d.dir,
      path: (i) => (d.dirs[d.dir[i]] || '') + d.name[i],
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

  function copyText(text) {
    const done = () => {
      const note = el('div', { class: 'toast', role: 'status', text: 'Path copied' });
      document.body.append(note);
      setTimeout(() => note.remove(), 1400);
    };
    const old = () => { // without clipboard permission, e.g. some file:// pages
      const area = el('textarea', { style: 'position:fixed;opacity:0' });
      area.value = text;
      document.body.append(area);
      area.select();
      if (document.execCommand('copy')) done();
      area.remove();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, old); else old();
  }

  function option(select, value, text) { select.append(el('option', { value, text })); }

  function filesTable(box, data) {
    const model = fileModel(data);
    const top = {};
    for (const c of COLUMNS) if (c.share) top[c.key] = peak(model.cols[c.key]) || 1;
    let sort = { key: 'time', down: true };
    let order = model.sorted(sort.key, sort.down);
    let shown = order;
    let first = -1; // first row in the DOM; -1 forces a repaint

    const search = el('input', { type: 'search', placeholder: 'Search paths', 'aria-label': 'search paths', spellcheck: 'false', autocomplete: 'off' });
    const byInterface = el('select', { 'aria-label': 'interface' });
    const byMount = el('select', { 'aria-label': 'mount point' });
    const counter = el('span', { class: 'count', 'aria-live': 'polite' });
    const head = el('div', { class: 'tr head', role: 'row' });
    const sum = el('div', { class: 'tr sum', role: 'row' });
    const rows = el('div', { class: 'rows', role: 'rowgroup' });
    const space = el('div', { class: 'space' }, rows);
    const view = el('div', { class: 'view', role: 'table', tabindex: 0, 'aria-label': 'files' },
      el('div', { class: 'stick', role: 'rowgroup' }, head, sum), space);
    const nothing = el('p', { class: 'nothing', hidden: true }, 'No file matches. ',
      el('button', { class: 'btn', type: 'button', text: 'Clear search and filters', on: { click: clearFilters } }));
    const paper = el('div', { class: 'paper' });
    const pool = [];

    option(byInterface, -1, 'All interfaces');
    data.interfaces.forEach((name, bit) => option(byInterface, bit, name));
    option(byMount, 'all', 'All mount points');
    data.mounts.forEach((name, i) => option(byMount, i, name));
    if (data.mount.includes(-1)) option(byMount, -1, 'Unknown mount');

    function clearFilters() {
      search.value = '';
      byInterface.value = '-1';
      byMount.value = 'all';
      refilter();
      search.focus();
    }

    function makeRow() {
      const name = el('button', { class: 'path', type: 'button', role: 'cell' },
        el('span', { class: 'dir' }), el('span', { class: 'base' }), el('span', { class: 'tail' }));
      const row = el('div', { class: 'tr', role: 'row' }, name, el('span', { class: 'if', role: 'cell' }));
      for (const c of COLUMNS) if (c.show) row.append(el('span', { class: 'n' + (c.share ? ' share ' + c.key : ''), role: 'cell' }));
      return row;
    }

    function fillRow(row, at) {
      const i = shown[at];
      const name = model.names[i];
      const cut = Math.max(0, name.length - 12); // the end of a name is what tells files apart
      const [dir, base, tail] = row.firstChild.children;
      dir.textContent = model.dirs[model.dirOf[i]] || '';
      base.textContent = name.slice(0, cut);
      tail.textContent = name.slice(cut);
      row.firstChild.title = model.path(i);
      row.children[1].textContent = row.children[1].title = model.interfaces(i);
      row.setAttribute('aria-rowindex', at + 3);
      COLUMNS.forEach((c, k) => {
        if (!c.show) return;
        const value = model.cols[c.key][i], cell = row.children[k];
        cell.textContent = c.show(value);
        cell.title = c.exact(value);
        cell.classList.toggle('dim', !(value > 0) && c.key !== 'ranks');
        if (c.share) cell.style.setProperty('--p', (Math.max(0, value) / top[c.key]).toFixed(3));
      });
    }

    function paint() {
      const viewport = Math.max(ROW, view.clientHeight - HEAD);
      const full = shown.length * ROW;
      const tall = Math.min(full, TALLEST);
      const offset = full > tall ? view.scrollTop * ((full - viewport) / (tall - viewport)) : view.scrollTop;
      const from = clamp(Math.floor(offset / ROW) - 4, 0, Math.max(0, shown.length - 1));
      const need = Math.min(Math.ceil(viewport / ROW) + 9, shown.length - from);
      rows.style.transform = 'translateY(' + (from * ROW - offset + view.scrollTop) + 'px)';
      if (from === first && pool.length === need) return;
      first = from;
      while (pool.length < need) rows.append(pool[pool.push(makeRow()) - 1]);
      while (pool.length > need) pool.pop().remove();
      pool.forEach((row, k) => fillRow(row, from + k));
    }
    const paintSoon = perFrame(paint);

    function totals() {
      const cells = COLUMNS.map((c) => {
        if (c.key === 'path') return el('span', { role: 'cell', text: 'Total of ' + plural(shown.length, 'file') });
        if (!c.sum) return el('span', { role: 'cell' });
        let value = 0;
        for (let k = 0; k < shown.length; k++) value += Math.max(0, model.cols[c.key][shown[k]]);
        return el('span', { class: 'n', role: 'cell', text: c.show(value), title: c.exact(value) });
      });
      sum.replaceChildren(...cells);
    }

    function refresh() {
      counter.textContent = grouped(shown.length) + ' of ' + plural(model.size, 'file');
      view.setAttribute('aria-rowcount', shown.length + 2);
      space.style.height = Math.min(shown.length * ROW, TALLEST) + 'px';
      nothing.hidden = shown.length > 0;
      totals();
      first = -1;
      paint();
    }

    function refilter() {
      const mount = byMount.value === 'all' ? null : Number(byMount.value);
      shown = model.filter(order, search.value, Number(byInterface.value), mount);
      view.scrollTop = 0;
      refresh();
    }

    function resort(key) {
      const textual = key === 'path' || key === 'iface';
      sort = { key, down: sort.key === key ? !sort.down : !textual };
      timed('sort', () => { order = model.sorted(sort.key, sort.down); });
      markHead();
      refilter();
    }

    function markHead() {
      COLUMNS.forEach((c, k) => {
        if (c.key === sort.key) head.children[k].setAttribute('aria-sort', sort.down ? 'descending' : 'ascending');
        else head.children[k].removeAttribute('aria-sort');
      });
    }

    for (const c of COLUMNS) {
      head.append(el('span', { class: c.show ? 'n' : null, role: 'columnheader', 'data-key': c.key },
        el('button', { type: 'button', text: c.label, on: { click: () => resort(c.key) } })));
    }

    /** Paper cannot scroll: a plain table of the first rows stands in. */
    function toPaper(on) {
      paper.replaceChildren();
      if (!on) return;
      const line = (cells, tag) => el('tr', {}, ...cells.map((text, k) => el(tag, { class: COLUMNS[k].show ? 'num' : null, text })));
      const body = [...shown.subarray(0, PAPER_ROWS)].map((i) => line(COLUMNS.map((c) =>
        (c.key === 'path' ? model.path(i) : c.key === 'iface' ? model.interfaces(i) : c.show(model.cols[c.key][i]))), 'td'));
      paper.append(el('table', { class: 'plain' }, el('thead', {}, line(COLUMNS.map((c) => c.label), 'th')), el('tbody', {}, ...body)));
      const by = COLUMNS.find((c) => c.key === sort.key).label.toLowerCase();
      if (shown.length > body.length) {
        paper.append(el('p', { class: 'note', text: 'The first ' + body.length + ' of ' + plural(shown.length, 'file') +
          ' by ' + by + (sort.down ? ', largest first' : '') + '; open the page in a browser for the rest.' }));
      }
    }

    let waiting = 0;
    search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(() => timed('search', refilter), 150); });
    search.addEventListener('keydown', (event) => { if (event.key === 'Escape') { search.value = ''; refilter(); } });
    byInterface.addEventListener('change', refilter);
    byMount.addEventListener('change', refilter);
    view.addEventListener('scroll', paintSoon, { passive: true });
    rows.addEventListener('click', (event) => {
      const hit = event.target.closest('.path');
      if (hit) copyText(hit.title);
    });

    const bar = el('div', { class: 'bar' }, search);
    if (data.interfaces.length > 1) bar.append(byInterface);
    if (byMount.options.length > 2) bar.append(byMount);
    bar.append(counter);
    takeOver(box, bar, view, nothing, paper);
    if (data.total > model.size) {
      nothing.after(el('p', { class: 'note', text: 'The log names ' + plural(data.total, 'file') + '; this page holds ' +
        grouped(model.size) + ' of them, and the totals here are of those alone.' }));
    }
    markHead();
    refresh();
    new ResizeObserver(paintSoon).observe(view);
    paperHooks.push(toPaper);
  }

  function files(box) {
    const source = byId(box.dataset.packed);
    if (!source) throw new Error('its data block is missing');
    let usable = true;
    try { new DecompressionStream('deflate-raw'); } catch { usable = false; }
    if (!usable) {
      return fail(box, 'The file table is stored compressed, and this browser cannot unpack it (it lacks DecompressionStream “deflate-raw”). ' +
        'Chrome or Edge 103, Firefox 113, Safari 16.4 or newer will show it.');
    }
    unpack(source.textContent).then((data) => filesTable(box, data))
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
    const links = [...document.querySelectorAll('.top nav a[href^="#"]')].filter((a) => byId(a.hash.slice(1)));
    if (!links.length) return;
    const update = perFrame(() => {
      const end = innerHeight + scrollY >= root.scrollHeight - 4;
      const chosen = links.find((a) => a.hash === location.hash);
      let now = links.filter((a) => byId(a.hash.slice(1)).getBoundingClientRect().top <= innerHeight * 0.3).pop() || links[0];
      // Short last sections never reach the top: there, trust the click.
      if (end) now = chosen && byId(chosen.hash.slice(1)).getBoundingClientRect().top >= 0 ? chosen : links[links.length - 1];
      for (const a of links) if (a === now) a.setAttribute('aria-current', 'true'); else a.removeAttribute('aria-current');
    });
    addEventListener('scroll', update, { passive: true });
    addEventListener('hashchange', update);
    addEventListener('resize', update);
    update();
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

  function main() {
    theme();
    wrapTables();
    each('.timeline[data-json]', timeline);
    each('.heatmap[data-json]', heatmap);
    each('.files[data-packed]', files);
    paperMode();
    spy();
  }

  // Before the first paint when the script sits in <head>, so nothing flashes.
  const kept = storedTheme();
  if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', main);
  else main();
})();
