// Candidates of a step, or the way through the graph. All text is set as text: nothing in it is interpreted.

const SHOWN = 5;

function make(parent, tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

function candidates(root, data) {
  const list = make(root, "div", "candidates");
  list.setAttribute("role", "list");
  for (const line of data.lines) {
    const row = make(list, "div", `candidate ${line.chosen ? "chosen" : "rest"}`);
    row.setAttribute("role", "listitem");
    const tick = make(row, "span", "tick", line.chosen ? "✓" : "");
    if (line.chosen) tick.setAttribute("aria-label", "chosen");
    const label = make(row, "span", "label", line.label);
    if (line.detail) make(label, "span", "detail", ` · ${line.detail}`);
    const bar = make(row, "span", "bar");
    make(bar, "i", "").style.width = `${Math.round(Math.min(1, line.part) * 100)}%`;
    const score = make(row, "span", "score", line.score);
    score.title = data.score_name;
  }
}

function triple(parent, item, ends) {
  const row = make(parent, "div", "triple");
  const node = (name) => {
    const hyper = item.hypernode && name.startsWith("(") && name.includes("]->(");
    const found = make(row, "span", `node${hyper ? " hyper" : ""}${ends.has(name) ? " end" : ""}`, name);
    if (hyper) found.title = "A hypernode: a whole triple that is a node itself";
  };
  node(item.subject);
  make(row, "span", "arrow", `—[${item.relation}]→`);
  node(item.object);
  const notes = [];
  if (item.inverse) notes.push("followed backwards");
  if (item.hypernode) notes.push("through a hypernode");
  if (notes.length) make(row, "span", "note", notes.join(", "));
  if (item.quote) make(row, "span", "quote", `“${item.quote}”${item.where ? ` (${item.where})` : ""}`);
}

function path(root, data) {
  const ends = new Set(data.nodes);
  const way = make(root, "div", "way");
  data.hops.forEach((hop, index) => {
    const group = make(way, "div", "hop");
    make(group, "span", "number", `Hop ${index + 1}`);
    const list = make(group, "div", "");
    hop.slice(0, SHOWN).forEach((item) => triple(list, item, ends));
    if (hop.length > SHOWN) {
      const more = make(list, "details", "");
      make(more, "summary", "", `${hop.length - SHOWN} more triples of this hop`);
      hop.slice(SHOWN).forEach((item) => triple(more, item, ends));
    }
  });
  if (data.nodes.length) {
    const reached = make(root, "div", "reached");
    make(reached, "span", "", "Values found:");
    for (const name of data.nodes) make(reached, "span", "node end", name);
    if (data.hidden) make(reached, "span", "note", `and ${data.hidden} more`);
  }
  const verdict = make(root, "div", "verdict");
  make(verdict, "span", `badge ${data.verdict}`, data.word);
  make(verdict, "span", "reason", data.reason);
}

export default function (component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".root");
  const signature = JSON.stringify(data);
  if (root.dataset.shown === signature) return;
  root.dataset.shown = signature;
  root.textContent = "";
  root.style.setProperty("--mark", data.colour);
  if (data.what === "path") path(root, data);
  else candidates(root, data);
}
