"use strict";
// The page's data is one compressed block: a length, JSON of that length, then the lanes' texts one behind
// the other. The capture itself lies beside it in compressed pieces, unpacked one at a time when looked at.
// Nothing is drawn but what is visible, so that a large turn costs no more than a small one.
(async () => {
  const $ = (id) => document.getElementById(id);
  const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const unpack = async (base64) => {
    const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };
  const decoder = new TextDecoder();

  // What a model wrote may hold controls and changes of direction. They are shown as signs.
  const unseen = /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  const safe = (s) => s.replace(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(unseen, (c) => "<U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + ">");
  const text = (bytes) => safe(decoder.decode(bytes));

  const block = await unpack($("data").textContent);
  const length = new DataView(block.buffer).getUint32(0);
  const D = JSON.parse(decoder.decode(block.subarray(4, 4 + length)));
  const texts = block.subarray(4 + length);
  const raw = JSON.parse($("raw").textContent);

  const sums = (deltas) => { let n = 0; return Int32Array.from(deltas, (d) => (n += d)); };
  const frameAt = ((n) => Float64Array.from(D.frames, (d) => (n += d)))(0); // where each frame begins
  const markFrame = sums(D.marks.f), markLane = Int32Array.from(D.marks.l), markVerb = D.marks.v;
  const markBytes = Int32Array.from(D.marks.b);
  const marks = markFrame.length, frames = frameAt.length, lanes = D.lanes;
  const frameEnd = (f) => (f + 1 < frames ? frameAt[f + 1] : D.end);
  const markEnd = new Int32Array(marks); // how long the lane's text is after a mark
  const byLane = lanes.map(() => []);
  {
    const grown = new Int32Array(lanes.length);
    for (let i = 0; i < marks; i++) {
      const l = markLane[i];
      if (l < 0) continue;
      markEnd[i] = grown[l] += markBytes[i];
      byLane[l].push(i);
    }
  }
  for (const w of D.wrong) {
    w.route = new Int32Array(marks);
    for (let i = 0, at = 0; i < w.runs.length; i += 2) { w.route.fill(w.runs[i + 1], at, at + w.runs[i]); at += w.runs[i]; }
  }
  const laneText = (l, from, to) => texts.subarray(lanes[l].at + from, lanes[l].at + to);
  const lanesOf = (i) => (markLane[i] < 0 ? "the turn" : lanes[markLane[i]].label);

  // The capture, piece by piece.
  const pieces = new Map();
  const piece = async (n) => {
    if (!pieces.has(n)) {
      if (pieces.size > 8) pieces.delete(pieces.keys().next().value);
      pieces.set(n, raw.pieces[n] ? unpack(raw.pieces[n]) : Promise.resolve(null));
    }
    return pieces.get(n);
  };
  const most = 16384;
  const rawFrame = async (f) => {
    const from = frameAt[f] - D.start, to = Math.min(frameEnd(f) - D.start, from + most);
    let said = "";
    for (let n = Math.floor(from / raw.size); n * raw.size < to; n++) {
      const p = await piece(n);
      if (!p) return `bytes ${frameAt[f]} to ${frameEnd(f)} of the capture are not in this page, which would be too large with them`;
      said += decoder.decode(p.subarray(Math.max(0, from - n * raw.size), to - n * raw.size), { stream: true });
    }
    said += decoder.decode();
    const left = frameEnd(f) - frameAt[f] - most;
    if (D.binary) said = said.replace(/[\u0000-\u001f\ufffd]+/g, " · "); // the framing's own bytes are for no eye
    return safe(said.trimEnd()) + (left > 0 ? `\n… and ${left} more bytes` : "");
  };

  // The lanes. view is the part of the axis that is shown.
  const stage = $("stage"), base = $("lanes"), over = $("over"), slider = $("scrub");
  const rowHeight = 46, top = 20, pad = 12;
  let scale = "bytes", view = [D.start, D.end], cur = 0, hover = -1;
  const whole = () => (scale === "bytes" ? [D.start, D.end] : [0, frames]);
  const left = (f) => (scale === "bytes" ? frameAt[f] : f);
  const right = (f) => (scale === "bytes" ? frameEnd(f) : f + 1);
  let width = 0, height = 0;
  const X = (v) => pad + ((v - view[0]) / (view[1] - view[0])) * (width - 2 * pad);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let palette = {};
  const paint = () => {
    for (const n of ["ink", "quiet", "line", "prose", "bad", "cursor", "card", "c0", "c1", "c2", "c3", "c4", "c5", "other"]) palette[n] = colour("--" + n);
  };
  const laneColour = (l) => (lanes[l].call ? palette["c" + (lanes[l].hue % 6)] : palette.prose);
  const fit = (canvas) => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    return g;
  };
  const visible = () => {
    const first = Math.max(0, Math.floor((stage.scrollTop - top) / rowHeight));
    return [first, Math.min(lanes.length, first + Math.ceil(height / rowHeight) + 1)];
  };
  const rowTop = (l) => top + l * rowHeight - stage.scrollTop;
  // firstAt finds the first of a lane's marks whose frame ends behind v.
  const firstAt = (list, v) => {
    let a = 0, b = list.length;
    while (a < b) { const m = (a + b) >> 1; if (right(markFrame[list[m]]) < v) a = m + 1; else b = m; }
    return a;
  };
  const layout = () => {
    width = stage.clientWidth;
    const full = top + lanes.length * rowHeight + 8;
    $("sizer").style.height = full + "px";
    height = Math.min(full, Math.max(160, window.innerHeight * 0.6));
    draw();
  };
  const readable = (n) => (n < 10000 ? String(Math.round(n)) : n < 1e6 ? (n / 1e3).toFixed(1) + " kB" : (n / 1e6).toFixed(1) + " MB");
  const draw = () => {
    const g = fit(base), [from, to] = visible();
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "top";
    g.fillStyle = palette.quiet;
    const unit = scale === "bytes" ? "byte " : "frame ";
    g.fillText(unit + readable(view[0] + (scale === "bytes" ? 0 : 1)), pad, 4);
    const end = readable(view[1]);
    g.fillText(end, width - pad - g.measureText(end).width, 4);
    for (let l = from; l < to; l++) row(g, l);
    g.fillStyle = palette.card;
    overlay();
  };
  const row = (g, l) => {
    const lane = lanes[l], y = rowTop(l), bar = y + 18, list = byLane[l], c = laneColour(l);
    if (!list.length) return;
    g.fillStyle = c;
    const startX = X(left(markFrame[list[0]])), last = lane.end >= 0 ? right(markFrame[lane.end]) : whole()[1], endX = X(last);
    g.font = "600 12px system-ui, sans-serif";
    const name = lane.label + (lane.call && lane.end < 0 ? " · never ended" : ""), wide = g.measureText(name).width;
    g.fillText(name, Math.max(pad, Math.min(startX, width - pad - wide)), y + 2);
    g.globalAlpha = 0.28; // open
    g.fillRect(Math.max(pad, startX), bar + 8, Math.min(width - pad, endX) - Math.max(pad, startX), 4);
    g.globalAlpha = 1;
    let done = -1, announced = -1;
    for (let i = firstAt(list, view[0]); i < list.length; i++) {
      const m = list[i], f = markFrame[m];
      if (left(f) > view[1]) break;
      const a = X(left(f)), b = Math.max(a + 2.5, X(right(f)) - 1), v = markVerb[m];
      if (v === 1) { // a fragment
        if (b <= done) continue;
        if (markBytes[m]) { g.fillRect(a, bar + 1, b - a, 18); done = Math.floor(b); } else g.fillRect(a, bar + 7, b - a, 6); // an empty one
      } else if (v === 0) announced = a;
    }
    if (announced >= 0) { // over the fragments: it may stand in the frame of the first
      g.beginPath(); g.moveTo(announced, bar); g.lineTo(announced + 10, bar + 10); g.lineTo(announced, bar + 20); g.closePath(); g.fill();
      g.strokeStyle = palette.card; g.lineWidth = 1.5; g.stroke();
    }
    if (lane.end >= 0) {
      g.fillRect(endX - 3, bar, 3, 20);
    }
  };
  const overlay = () => {
    const g = fit(over);
    if (D.fault >= 0) {
      const x = X(left(D.fault));
      g.strokeStyle = palette.bad; g.lineWidth = 2; g.setLineDash([5, 4]);
      g.beginPath(); g.moveTo(x, 0); g.lineTo(x, height); g.stroke(); g.setLineDash([]);
      g.fillStyle = palette.bad; g.font = "600 12px system-ui, sans-serif"; g.textBaseline = "top";
      const t = D.faultWord, w = g.measureText(t).width;
      const tx = Math.min(Math.max(x + 5, pad + 70), width - pad - w - 60);
      g.fillStyle = palette.card; g.fillRect(tx - 2, 2, w + 4, 16);
      g.fillStyle = palette.bad; g.fillText(t, tx, 4);
    }
    over.style.top = stage.scrollTop + "px";
    for (const [i, style] of [[hover, palette.quiet], [cur, palette.cursor]]) {
      if (i < 0 || i >= marks) continue;
      const f = markFrame[i], a = X(left(f)), b = Math.max(a + 3, X(right(f)) - 1);
      g.strokeStyle = style; g.lineWidth = 1;
      g.beginPath(); g.moveTo(Math.round(a) + 0.5, top - 2); g.lineTo(Math.round(a) + 0.5, height); g.stroke();
      if (markLane[i] >= 0) {
        g.lineWidth = 2.5;
        g.strokeRect(a - 1.5, rowTop(markLane[i]) + 16.5, b - a + 3, 23);
      }
    }
  };

  // What is said about an event.
  const verbs = ["begins", "adds", "ends", "repeats the whole document", "adds a note"];
  const headline = (i) => {
    const v = markVerb[i], l = markLane[i];
    if (l < 0) return D.words[D.marks.k[i]] || "says something about the turn";
    if (v === 0) return `${lanes[l].label} ${lanes[l].call ? "is announced" : "begins"}`;
    if (v === 1) return `${lanes[l].label}: +${markBytes[i]} bytes`;
    return `${lanes[l].label} ${verbs[v]}`;
  };
  const spell = (i) => `event ${i + 1} of ${marks}, frame ${D.first + markFrame[i]}, byte ${frameAt[markFrame[i]]}: ${headline(i)}`;
  const el = (tag, cls, s) => { const e = document.createElement(tag); if (cls) e.className = cls; if (s !== undefined) e.textContent = s; return e; };
  const chip = (l) => el("span", "chip " + (lanes[l].call ? "k" + (lanes[l].hue % 6) : "kx"), lanes[l].label);
  const window_ = 400;
  // stateOf is the lane's document before and after an event; what the event added is marked.
  const stateOf = (i) => {
    const box = document.createDocumentFragment(), l = markLane[i];
    if (l < 0) { box.append(el("p", "quiet", "This event is about the turn. It adds to no lane.")); return box; }
    const after = markEnd[i], before = after - markBytes[i], from = Math.max(0, before - window_);
    const head = el("p"); head.append(chip(l), ` ${before} bytes before, ${after} after`); box.append(head);
    const pre = el("pre", "doc");
    if (from > 0) pre.append(el("i", "gap", `… ${from} bytes … `));
    pre.append(text(laneText(l, from, before)));
    const to = Math.min(after, before + window_);
    pre.append(el("mark", "", text(laneText(l, before, to))));
    if (to < after) pre.append(el("i", "gap", ` … ${after - to} more bytes`));
    if (after === 0) pre.append(el("i", "gap", "(nothing yet)"));
    box.append(pre);
    return box;
  };
  // wrongState is what a wrong accumulator holds after an event: the tail of the buffer that the event went
  // into, or of the last that anything went into, each run in the colour of the call that wrote it.
  const wrongState = (w, i) => {
    const li = el("li"), head = el("div", "head");
    head.append(el("b", "", w.title)); li.append(head);
    let at = i;
    while (at >= 0 && w.route[at] < 0) at--;
    if (at < 0) { head.append(el("span", "quiet", "holds nothing yet")); return li; }
    const b = w.route[at], runs = [];
    let total = w.prior[b] ? w.prior[b][1] : 0, id = "", name = "", have = 0;
    for (let j = i; j >= 0; j--) {
      if (w.route[j] !== b) continue;
      const l = markLane[j];
      if (markVerb[j] === 0 && !id) { id = lanes[l].id; name = lanes[l].name; }
      total += markBytes[j];
      if (have < window_ && markBytes[j]) { runs.unshift([l, markEnd[j] - markBytes[j], markEnd[j], j === i]); have += markBytes[j]; }
    }
    head.append(el("span", "quiet", `buffer ${b + 1}: ${id || "no id"}${name ? " " + name : ""}, ${total} bytes`));
    const pre = el("pre");
    if (w.prior[b] && have < window_) pre.append(el("i", "kx", text(texts.subarray(w.prior[b][0], w.prior[b][0] + w.prior[b][1]).slice(-window_))));
    if (total > have && have >= window_) pre.append(el("i", "gap quiet", "… "));
    for (const [l, a, z, now] of runs) pre.append(el(now ? "mark" : "i", "k" + (lanes[l].hue % 6), text(laneText(l, Math.max(a, z - window_), z))));
    for (const e of pre.children) e.style.fontStyle = "normal";
    if (!pre.textContent) pre.append(el("i", "quiet", "(empty)"));
    li.append(pre);
    return li;
  };
  let shown = -1;
  const show = async (i) => {
    shown = i;
    $("what").textContent = spell(i);
    $("state").replaceChildren(stateOf(i));
    $("wrong").replaceChildren(...D.wrong.map((w) => wrongState(w, i)));
    const said = await rawFrame(markFrame[i]);
    if (shown === i) $("frame").textContent = said;
  };
  const reveal = (i) => {
    const f = markFrame[i], span = view[1] - view[0], [a, z] = whole();
    if (left(f) < view[0] || right(f) > view[1]) {
      const from = Math.min(Math.max(a, left(f) - span / 2), z - span);
      view = [from, from + span];
    }
    const l = markLane[i];
    if (l >= 0) {
      const y = top + l * rowHeight;
      if (y < stage.scrollTop) stage.scrollTop = y;
      else if (y + rowHeight > stage.scrollTop + stage.clientHeight) stage.scrollTop = y + rowHeight - stage.clientHeight;
    }
  };
  let speaking = 0;
  const go = (i, quiet) => {
    if (!marks) return;
    cur = Math.max(0, Math.min(marks - 1, i)); hover = -1;
    slider.value = cur;
    slider.setAttribute("aria-valuetext", spell(cur));
    const was = view[0]; reveal(cur);
    if (view[0] !== was) draw(); else overlay();
    show(cur);
    clearTimeout(speaking);
    if (!quiet) speaking = setTimeout(() => { $("live").textContent = spell(cur); }, 150);
  };
  const nextIn = (l, from, step) => { // the nearest event of a lane
    const list = byLane[l]; if (!list || !list.length) return -1;
    let best = list[0];
    for (const m of list) { if (Math.abs(markFrame[m] - markFrame[from]) < Math.abs(markFrame[best] - markFrame[from])) best = m; else if (markFrame[m] > markFrame[from]) break; }
    return best;
  };
  const zoom = (by) => {
    const [a, z] = whole(), at = left(markFrame[cur]);
    const span = Math.min(z - a, Math.max(scale === "bytes" ? 64 : 4, (view[1] - view[0]) * by));
    const from = Math.min(Math.max(a, at - span / 2), z - span);
    view = [from, from + span]; draw();
  };
  let playing = 0;
  const play = () => {
    if (playing) { clearInterval(playing); playing = 0; $("play").textContent = "▶ Play"; return; }
    if (cur === marks - 1) go(0, true);
    $("play").textContent = "❚❚ Pause";
    const step = Math.max(1, Math.round(marks / 200));
    playing = setInterval(() => { go(cur + step, true); if (cur === marks - 1) play(); }, Math.max(50, Math.min(450, 12000 / marks)));
  };
  const keys = {
    ArrowRight: () => go(cur + 1), ArrowLeft: () => go(cur - 1), Home: () => go(0), End: () => go(marks - 1),
    PageDown: () => go(cur + Math.max(10, marks >> 5)), PageUp: () => go(cur - Math.max(10, marks >> 5)),
    ArrowDown: () => lane(1), ArrowUp: () => lane(-1),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), " ": play, f: () => D.start_mark >= 0 && go(D.start_mark),
  };
  const lane = (step) => {
    let l = markLane[cur] < 0 ? (step > 0 ? -1 : lanes.length) : markLane[cur];
    for (l += step; l >= 0 && l < lanes.length; l += step) { const m = nextIn(l, cur); if (m >= 0) return go(m); }
  };
  stage.addEventListener("keydown", (e) => {
    const k = keys[e.key];
    if (!k || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault(); k();
  });
  // under returns the event under a pointer.
  const under = (e) => {
    const box = stage.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top + stage.scrollTop;
    const l = Math.floor((y - top) / rowHeight);
    if (l < 0 || l >= lanes.length) return -1;
    const list = byLane[l], v = view[0] + ((x - pad) / (width - 2 * pad)) * (view[1] - view[0]);
    let i = firstAt(list, v), best = -1, far = 14;
    for (const j of [i - 1, i, i + 1]) {
      if (j < 0 || j >= list.length) continue;
      const f = markFrame[list[j]], a = X(left(f)), b = X(right(f));
      const d = x < a ? a - x : x > b ? x - b : 0;
      if (d < far) { far = d; best = list[j]; }
    }
    return best;
  };
  stage.addEventListener("pointermove", (e) => {
    if (e.pointerType === "touch") return;
    const i = under(e);
    if (i === hover) return;
    hover = i; overlay(); show(i >= 0 ? i : cur);
  });
  stage.addEventListener("pointerleave", () => { hover = -1; overlay(); show(cur); });
  stage.addEventListener("click", (e) => { const i = under(e); if (i >= 0) go(i); });
  stage.addEventListener("scroll", draw);
  slider.addEventListener("input", () => go(Number(slider.value)));
  $("prev").addEventListener("click", () => go(cur - 1));
  $("next").addEventListener("click", () => go(cur + 1));
  $("play").addEventListener("click", play);
  $("in").addEventListener("click", () => zoom(0.5));
  $("out").addEventListener("click", () => zoom(2));
  $("scale").addEventListener("change", (e) => { scale = e.target.value; view = whole(); reveal(cur); draw(); });
  for (const b of document.querySelectorAll("[data-fault]")) b.addEventListener("click", () => { go(D.start_mark); stage.focus(); });

  // All events as a table, a page of it at a time.
  const rows = 50;
  let page = 0;
  const table = () => {
    if (!$("all").open) return;
    const body = [];
    for (let i = page * rows; i < Math.min(marks, (page + 1) * rows); i++) {
      const tr = el("tr"), b = el("button", "", String(i + 1)), cell = el("td");
      b.addEventListener("click", () => { go(i); $("stage").scrollIntoView({ block: "center" }); });
      b.setAttribute("aria-label", `show event ${i + 1}`);
      cell.append(b);
      const piece = markVerb[i] === 1 ? text(laneText(markLane[i], markEnd[i] - markBytes[i], Math.min(markEnd[i], markEnd[i] - markBytes[i] + 120))) : "";
      tr.append(cell, el("td", "", `${D.first + markFrame[i]}`), el("td", "", `${frameAt[markFrame[i]]}`), el("td", "", headline(i)), el("td", "mono", piece));
      body.push(tr);
    }
    $("rows").replaceChildren(...body);
    $("page").textContent = `events ${page * rows + 1} to ${Math.min(marks, (page + 1) * rows)} of ${marks}`;
  };
  $("all").addEventListener("toggle", () => { page = Math.floor(cur / rows); table(); });
  $("earlier").addEventListener("click", () => { page = Math.max(0, page - 1); table(); });
  $("later").addEventListener("click", () => { page = Math.min(Math.floor((marks - 1) / rows), page + 1); table(); });

  for (const a of document.querySelectorAll(".strip a")) a.addEventListener("click", () => { const d = document.querySelector(a.hash); if (d.tagName === "DETAILS") d.open = true; });

  slider.max = Math.max(0, marks - 1);
  paint();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { paint(); draw(); });
  new ResizeObserver(layout).observe(stage);
  layout();
  go(D.start_mark >= 0 ? D.start_mark : D.rest_mark, true);
  document.documentElement.dataset.ready = "yes";
})();
