"use strict";

// The stages of the compile: a list of them, and one or two that are shown. Each is unpacked when it is needed.

const unpacked = new Map();

function unpack(number) {
  if (!unpacked.has(number)) unpacked.set(number, read(DATA.stages[number].packed));
  return unpacked.get(number);
}

async function read(packed) {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const made = JSON.parse(await new Response(stream).text());
  made.counts = new Map(); // how many lines come from each origin
  for (const origin of made.origins) made.counts.set(origin, (made.counts.get(origin) || 0) + 1);
  return made;
}

function languageOf(name) {
  return name === "LLVM IR" ? "llvm" : name === "assembly" ? "asm" : "mlir";
}

const shown = DATA.stages.map((_, k) => k).filter((k) => DATA.stages[k].packed);

class StagePane {
  constructor(number, isFirst) {
    this.root = element("section", "pane");
    const bar = element("div", "bar");
    this.select = element("select");
    this.select.setAttribute("aria-label", "Stage");
    for (const k of shown) this.select.append(new Option(DATA.stages[k].name.split("{")[0], k));
    this.input = element("input");
    this.input.type = "search";
    this.input.placeholder = "Search";
    this.count = element("span", "note");
    bar.append(this.select, this.input, this.count, element("span", "fill"));
    if (isFirst) {
      this.split = element("button", "", "Two stages");
      bar.append(this.split);
    }
    const body = element("div", "body");
    const listing = element("div", "listing");
    const marks = element("canvas", "marks");
    body.append(listing, marks);
    this.root.append(bar, body);
    this.listing = new Listing(listing, "mlir");
    this.listing.marks = marks;
    this.select.addEventListener("change", () => this.open(Number(this.select.value)));
    this.input.addEventListener("input", () => this.find());
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.listing.next(event.shiftKey ? -1 : 1);
      this.tell();
    });
    this.changed = () => {};
    this.opened = this.open(number);
  }

  async open(number) {
    this.number = number;
    this.select.value = number;
    this.changed();
    const { lines, origins } = await unpack(number);
    if (this.number !== number) return;
    this.listing.language = languageOf(DATA.stages[number].name);
    this.listing.show(lines, (k) => closeness(origins[k]), (k) => fromOrigin(origins[k]));
    this.listing.revealLit();
    this.tell();
  }

  find() {
    this.listing.search(this.input.value);
    this.tell();
  }

  tell() {
    const { matches, at } = this.listing;
    const lines = DATA.stages[this.number].lines;
    this.count.textContent = this.input.value ? `${at + 1} of ${matches.length}` : `${lines} lines`;
  }
}

function stagesTab(root) {
  const list = element("div");
  list.id = "stages";
  const panes = element("div");
  panes.id = "panes";
  root.append(list, panes);
  const first = new StagePane(shown[0], true);
  panes.append(first.root);
  let second = null;
  const entries = DATA.stages.map((stage, k) => {
    const entry = element("div", stage.packed ? "stage" : "stage unchanged");
    const badge = element("span", "lit", "0");
    entry.append(element("span", "", stage.name.split("{")[0]));
    if (stage.packed) entry.append(badge, element("span", "ops", languageOf(stage.name) === "mlir" ? stage.ops : stage.lines));
    entry.title = stage.packed
      ? `${stage.name}: ${stage.ops} ops, ${stage.lines} lines, ${stage.ms} ms`
      : `${stage.name}: changes nothing, ${stage.ms} ms`;
    if (stage.packed) entry.addEventListener("click", () => first.open(k));
    list.append(entry);
    return { entry, badge };
  });
  const choose = () =>
    entries.forEach(({ entry }, k) => entry.classList.toggle("chosen", k === first.number || (second && k === second.number)));
  first.changed = choose;
  choose();
  first.split.addEventListener("click", () => {
    if (second) {
      second.root.remove();
      second = null;
    } else {
      second = new StagePane(first.number === shown[shown.length - 1] ? shown[0] : shown[shown.length - 1], false);
      second.changed = choose;
      panes.append(second.root);
    }
    first.split.textContent = second ? "One" : "Two stages";
    choose();
  });
  const badges = async () => {
    const asked = lit.chosen;
    for (const k of shown) {
      const { counts } = await unpack(k);
      if (lit.chosen !== asked) return;
      let total = 0;
      if (asked) for (const [origin, count] of counts) if (closeness(origin) === "same") total += count;
      entries[k].badge.textContent = total;
      entries[k].badge.classList.toggle("on", total > 0);
    }
  };
  lit.listeners.push(badges, () => {
    if (!lit.pinned) return;
    for (const pane of [first, second]) if (pane) pane.listing.revealLit();
  });
  const step = (by) => {
    const k = shown.indexOf(first.number) + by;
    if (k >= 0 && k < shown.length) first.open(shown[k]);
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || !list.isConnected) return;
    if (event.key === "j" || event.key === "ArrowDown") step(1);
    else if (event.key === "k" || event.key === "ArrowUp") step(-1);
    else return;
    event.preventDefault();
  });
}
