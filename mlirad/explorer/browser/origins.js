"use strict";

// The highlighted origin: an op of the traced program, or a line of the source. Everything that comes from it
// asks here.
//
// An origin is a number of DATA.origins: [file, line, whether it is an op], null for what is not known.

const DATA = JSON.parse(document.getElementById("data").textContent);

const lit = {
  chosen: null, // {file, line, op}: op is 0 where only a line is meant
  pinned: false,
  listeners: [],

  point(chosen) {
    if (this.pinned) return;
    this.set(chosen);
  },
  pin(chosen) {
    this.pinned = chosen !== null;
    this.set(chosen);
  },
  set(chosen) {
    const same = JSON.stringify(chosen) === JSON.stringify(this.chosen);
    if (!same) this.chosen = chosen;
    if (!same || this.pinned) this.tell();
  },
  tell() {
    for (const listener of this.listeners) listener();
  },
};

function fromOrigin(origin) {
  const place = DATA.origins[origin];
  if (!place) return null;
  return { file: place[0], line: place[1], op: place[2] ? origin : 0 };
}

// "same" for what comes from the op, or the line, that is chosen; "near" for another op of that line.
function closeness(origin) {
  const place = lit.chosen && DATA.origins[origin];
  if (!place || place[0] !== lit.chosen.file || place[1] !== lit.chosen.line) return "";
  return lit.chosen.op === 0 || origin === lit.chosen.op ? "same" : "near";
}

function follow(node, origin) {
  node.addEventListener("mouseenter", () => lit.point(fromOrigin(origin)));
  node.addEventListener("click", () => lit.pin(fromOrigin(origin)));
}

// SVG images and tables carry their origins as data-origin.
function followAll(root) {
  const nodes = [...root.querySelectorAll("[data-origin]")];
  for (const node of nodes) follow(node, Number(node.dataset.origin));
  const update = () => {
    if (!root.isConnected) return;
    for (const node of nodes) {
      const now = closeness(Number(node.dataset.origin));
      node.classList.toggle("same", now === "same");
      node.classList.toggle("near", now === "near");
    }
  };
  lit.listeners.push(update);
  update();
}
