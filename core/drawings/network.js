// A knowledge graph whose nodes and edges can be clicked.

// Kinds keep their colour for as long as the drawing is there; what comes after the last colour is grey.
import { Picture, keyOf, library, paints, zoomBar } from "./graph.js"
import { button, changed, element, fold, recall } from "./parts.js"

function colours(state, kinds, paint) {
  state.kinds ??= new Map()
  for (const kind of kinds) if (!state.kinds.has(kind)) state.kinds.set(kind, state.kinds.size)
  const of = (kind) => paint.kinds[state.kinds.get(kind)] ?? paint.quiet
  return { of, shown: [...kinds].sort((a, b) => state.kinds.get(a) - state.kinds.get(b)) }
}

function legend(data, kinds, paint) {
  const node = element("div", "legend")
  const entry = (colour, text, name = "") => {
    const item = element("span", "entry")
    const dot = element("i", name)
    dot.style.setProperty("--dot", colour)
    item.append(dot, element("span", "", text))
    node.append(item)
  }
  for (const kind of kinds.shown.slice(0, paint.kinds.length)) entry(kinds.of(kind), kind)
  if (kinds.shown.length > paint.kinds.length) entry(paint.quiet, "other kinds")
  if (data.nodes.some((one) => one.shape === "box")) {
    entry(paint.text, "a whole triple as a node (hypernode); dotted lines lead to its subject and object", "box")
  }
  return node
}

// The same graph as buttons, for those who use no mouse.
function listing(data, state, picture, click) {
  const names = new Map(data.nodes.map((node) => [node.id, node.label]))
  const node = fold("list", "As a list", state.open, "list")
  const fill = () => {
    if (!node.open || node.childElementCount > 1) return
    const line = (what, id, text) => {
      const item = button("", text)
      item.onclick = () => click(what, keyOf(id))
      item.onfocus = () => picture.mark(what, id)
      return item
    }
    const nodes = element("div", "lines")
    nodes.append(...data.nodes.map((one) => line("node", one.id, one.kind ? `${one.label} · ${one.kind}` : one.label)))
    const edges = element("div", "lines")
    edges.append(
      ...data.edges.map((one) => line("edge", one.id, `${names.get(one.from)} — ${one.label || one.title} → ${names.get(one.to)}`)),
    )
    node.append(element("b", "", "Nodes"), nodes, element("b", "", "Edges"), edges)
  }
  node.addEventListener("toggle", fill)
  fill()
  return node
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  const paint = paints(root)
  state.click = (what, key) => setTriggerValue?.("clicked", { what, key })
  if (changed(state, { data, paint })) {
    const kinds = colours(state, data.kinds, paint)
    if (!state.box) {
      state.box = element("div", "canvas")
      state.foot = element("div", "foot")
      root.append(state.box, state.foot)
    }
    state.box.style.height = `${data.height}px`
    root.dataset.state = "drawing"
    const began = performance.now()
    state.ready = Promise.all([library(data.library), state.ready])
      .then(([vis]) => {
        if (!state.picture) {
          const placed = data.nodes.every((one) => one.x !== undefined)
          state.picture = new Picture(vis, element("div", "plane"), (what, key) => state.click(what, key), placed)
          state.box.append(state.picture.box, zoomBar(state.picture, state.box))
        }
        state.foot.replaceChildren(
          legend(data, kinds, paint),
          listing(data, state, state.picture, (what, key) => state.click(what, key)),
        )
        return state.picture.show(data, { ...paint, lit: paint.kinds[0] }, kinds.of)
      })
      .then(() => {
        root.dataset.state = "stable"
        root.dataset.milliseconds = Math.round(performance.now() - began)
      })
      .catch((error) => {
        root.dataset.state = "failed"
        state.box.textContent = error.message
      })
  }
  return () => state.picture?.destroy()
}
