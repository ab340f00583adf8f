"use strict";

// Tables: kernels by their share of the time, memory by source line, the compile by pass.

function number(value, digits = 3) {
  if (value === null || value === undefined) return "";
  if (value === 0) return "0";
  const [scaled, unit] =
    Math.abs(value) >= 1e9 ? [value / 1e9, " G"] : Math.abs(value) >= 1e6 ? [value / 1e6, " M"]
      : Math.abs(value) >= 1e4 ? [value / 1e3, " k"] : [value, ""];
  return `${Number(scaled.toPrecision(digits))}${unit}`;
}

function percent(value) {
  return value === null || value === undefined ? "" : `${(100 * value).toFixed(1)} %`;
}

function placeName(origin) {
  const place = DATA.origins[origin];
  return place ? `${DATA.files[place[0]].name}:${place[1]}` : "";
}

function meter(share) {
  const made = element("span", "meter");
  made.style.width = `${Math.max(1, 56 * share)}px`;
  return made;
}

// Columns are [title, class of the cell, text or node of a row].
function table(columns, rows) {
  const made = element("table");
  const head = element("tr");
  for (const [title, kind] of columns) head.append(element("th", kind, title));
  made.append(head);
  for (const row of rows) {
    const line = element("tr", row.origin ? "has" : "");
    if (row.origin) line.dataset.origin = row.origin;
    for (const [, kind, cell] of columns) {
      const value = cell(row);
      const field = element("td", kind);
      field.append(value);
      if (typeof value === "string") field.title = value;
      line.append(field);
    }
    made.append(line);
  }
  return made;
}

function image(text) {
  const made = element("div", "scroll");
  made.innerHTML = text; // drawn by the compiler, which escapes names
  return made;
}

function kernelsTab(root) {
  const { rows, seconds, calls, roofline } = DATA.kernels;
  const page = element("div", "page");
  const most = Math.max(...rows.map((r) => r.share || 0), 1e-9);
  page.append(element("h2", "", seconds === null
    ? `${rows.length} kernels, not measured`
    : `${rows.length} kernels, ${(1e3 * seconds).toPrecision(4)} ms a call (mean of ${calls} calls, one thread)`));
  page.append(table([
    ["kernel", "left code", (r) => r.name],
    ["line", "left", (r) => placeName(r.origin)],
    ["share", "", (r) => percent(r.share)],
    ["", "left", (r) => (r.share === null ? "" : meter(r.share / most))],
    ["µs", "", (r) => (r.ms === null ? "" : number(1e3 * r.ms))],
    ["runs", "", (r) => number(r.runs)],
    ["bytes", "", (r) => number(r.bytes)],
    ["operations", "", (r) => number(r.operations)],
    ["ops/byte", "", (r) => number(r.intensity)],
    ["GB/s", "", (r) => number(r.gbs)],
    ["Gop/s", "", (r) => number(r.gops)],
    ["fits", "left", (r) => r.level || ""],
    ["of peak", "", (r) => percent(r.peak)],
  ], rows));
  if (roofline) page.append(element("h2", "", "Roofline of one core of this machine"), image(roofline));
  root.append(page);
  followAll(page);
}

function memoryTab(root) {
  const { size, steps, pieces, image: map, lines } = DATA.memory;
  const page = element("div", "page");
  page.append(element("h2", "", `${size} of working memory, ${pieces} values, ${steps} steps`));
  if (map) page.append(image(map));
  if (lines.length) {
    page.append(element("h2", "", "At the peak, by line"));
    page.append(table([
      ["line", "left", (r) => placeName(r.origin) || r.line],
      ["bytes", "", (r) => r.bytes],
    ], lines));
  }
  root.append(page);
  followAll(page);
}

function timeTab(root) {
  const page = element("div", "page");
  const total = DATA.stages.reduce((sum, s) => sum + s.ms, 0);
  const most = Math.max(...DATA.stages.map((s) => s.ms));
  page.append(element("h2", "", `${total.toFixed(1)} ms from source to assembly`));
  page.append(table([
    ["step", "left code", (s) => s.name],
    ["ms", "", (s) => s.ms.toFixed(2)],
    ["", "left", (s) => meter(s.ms / most)],
    ["share", "", (s) => percent(s.ms / total)],
    ["ops after it", "", (s) => String(s.ops)],
  ], DATA.stages));
  root.append(page);
}
