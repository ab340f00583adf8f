"use strict";

// Linear maps, sparsity patterns, and the tabs themselves.

function mapsTab(root) {
  const { title, text, graph, note } = DATA.maps;
  const page = element("div", "page");
  page.append(element("h2", "", title));
  if (text) {
    const box = element("div", "scroll");
    box.append(element("pre", "", text));
    page.append(box);
  }
  if (graph) {
    page.append(element("h2", "", "The maps as a graph"));
    if (note) page.append(element("p", "note", note));
    page.append(image(graph));
  }
  root.append(page);
  followAll(page);
}

function sparsityTab(root) {
  const { note, title, shape, count, rows, columns } = DATA.sparsity;
  const page = element("div", "page");
  if (shape) {
    const [height, width] = shape;
    const part = width * height ? (100 * count) / (width * height) : 0;
    page.append(element("h2", "", `${title}: ${height} × ${width}, ${count} entries (${part.toPrecision(3)} %)`));
    const most = 640;
    const scale = Math.max(1, Math.min(12, Math.floor(most / Math.max(width, height))));
    const shrink = Math.max(1, Math.max(width, height) / 1600);
    const canvas = element("canvas", "pattern");
    canvas.width = Math.ceil((width * scale) / shrink);
    canvas.height = Math.ceil((height * scale) / shrink);
    const paint = () => {
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--s0");
      const gap = scale > 3 ? 1 : 0;
      for (let k = 0; k < rows.length; k++) {
        context.fillRect((columns[k] * scale) / shrink, (rows[k] * scale) / shrink, scale - gap, scale - gap);
      }
    };
    paint();
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) / box.width) * width);
      const row = Math.floor(((event.clientY - box.top) / box.height) * height);
      document.getElementById("status").textContent = `row ${row}, column ${column}`;
    });
    page.append(canvas);
    themeListeners.push(paint);
  }
  if (note) page.append(element("p", "", note));
  root.append(page);
}

const TABS = [
  ["Stages", stagesTab],
  ["Maps", mapsTab],
  ["Kernels", kernelsTab],
  ["Memory", memoryTab],
  ["Compile time", timeTab],
  ["Sparsity", sparsityTab],
];

const themeListeners = [];

// A tab is made when it is first opened, and kept.
function openTabs(bar, content) {
  const made = new Map();
  const open = (title, make) => {
    for (const button of bar.children) button.setAttribute("aria-selected", String(button.textContent === title));
    if (!made.has(title)) {
      const root = element("div", "body");
      content.replaceChildren(root);
      make(root);
      made.set(title, root);
    } else {
      content.replaceChildren(made.get(title));
    }
    lit.tell();
  };
  for (const [title, make] of TABS) {
    const button = element("button", "", title);
    button.setAttribute("role", "tab");
    button.addEventListener("click", () => open(title, make));
    bar.append(button);
  }
  open(...TABS[0]);
}
