// A picture of a graph, drawn by vis-network on a canvas. Nodes, edges and
// options are those that pyvis has built. Names reach it as text: labels are painted, titles are elements with
// textContent, and vis never gets a string that it would parse.
import { labels, meet } from "./labels.js"
import { button, element } from "./parts.js"

const MARGIN = 12 // pixels between what is drawn and the frame
const LARGEST = 1.5
const READABLE = 0.38 // scale of a picture that is played, at least: on a phone it follows what is new
const GAP = 12 // between a box and what is beside it, in units of the picture

// One copy for the whole page, from the server that the page is from; an exported page has it.
export function library(address) {
  if (window.vis) return Promise.resolve(window.vis)
  window.ragLoupeVis ??= new Promise((resolve, reject) => {
    const node = element("script")
    node.src = address
    node.onload = () => resolve(window.vis)
    node.onerror = () => {
      delete window.ragLoupeVis
      reject(new Error("The drawing could not be loaded. Reload the page."))
    }
    document.head.append(node)
  })
  return window.ragLoupeVis
}

// Colours of the page's theme; canvas needs them as values.
export function paints(root) {
  const style = getComputedStyle(root)
  const value = (name) => style.getPropertyValue(`--st-${name}`).trim()
  const dark = matchDark(value("background-color"))
  return {
    text: value("text-color"),
    back: value("background-color"),
    soft: value("secondary-background-color"),
    border: value("border-color"),
    quiet: value("gray-text-color") || "#8a949e",
    faint: dark ? "#5f6c79" : "#aab4be",
    red: dark ? "#ff8a80" : "#c0392b",
    font: value("font"),
    kinds: value("chart-categorical-colors").split(/,(?![^(]*\))/).map((part) => part.trim()).filter(Boolean),
  }
}

function matchDark(colour) {
  const probe = document.createElement("canvas").getContext("2d")
  probe.fillStyle = colour
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(probe.fillStyle.slice(at, at + 2), 16))
  return 0.3 * r + 0.6 * g + 0.1 * b < 128
}

// Values of the theme in place of the names of its colours and its font.
function painted(value, paint) {
  if (typeof value === "string") return paint[value]
  if (typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, painted(part, paint)]))
}

// A node or an edge with all that it has in common with the others: what it had before may have been something else.
function whole(item, common, paint) {
  const look = { ...common, ...item, title: item.title ? element("div", "", item.title) : undefined }
  look.font = painted({ ...common.font, ...item.font }, paint)
  look.color = painted({ ...common.color, ...item.color }, paint)
  // A box has its name inside; the others are painted by `labels`, where there is room.
  if (item.shape !== "box") Object.assign(look, { label: undefined, name: item.label?.trim(), first: (look.borderWidth ?? look.width) > (common.borderWidth ?? common.width), colour: look.font.color })
  return look
}

const named = ({ id, name, first, colour, size, from, to }) => ({ id, name, first, colour, size, from, to })

// What a node or an edge is called in Python.
export const keyOf = (id) => id.slice(1)

// A picture that keeps what stays on it where it is. `click(what, key)` is called for a node or an edge; with `still`,
// all nodes come with their place.
export class Picture {
  constructor(vis, box, click, still = false) {
    this.still = still
    this.vis = vis
    this.box = box
    this.click = click
  }

  // Draw these; done when everything has its place. `kind` gives the colour of a kind.
  show({ nodes, edges, options }, paint, kind) {
    const looks = nodes.map((node) => whole(node, options.nodes, { ...paint, kind: kind?.(node.kind) }))
    const lines = edges.map((edge) => whole(edge, options.edges, paint))
    this.options = options
    this.items = { nodes: looks.map(named), edges: lines.map(named), paint }
    const fresh = new Set(nodes.map((node) => node.id).filter((id) => !this.nodes?.get(id)))
    if (this.network && (this.still || fresh.size < nodes.length)) {
      return this.still || !fresh.size ? this.put(looks, lines) : this.join(looks, lines, fresh)
    }
    this.destroy()
    this.nodes = new this.vis.DataSet(looks)
    this.edges = new this.vis.DataSet(lines)
    const { layout, interaction, physics, edges: { arrows } } = options
    const shared = { layout, interaction, physics, edges: { arrows } }  // all else is in the looks
    this.network = new this.vis.Network(this.box, { nodes: this.nodes, edges: this.edges }, shared)
    this.network.on("click", (event) => {
      if (event.nodes.length) this.click("node", keyOf(event.nodes[0]))
      else if (event.edges.length) this.click("edge", keyOf(event.edges[0]))
    })
    this.view = labels(this.network, () => this.items)
    this.network.on("resize", () => this.move())
    if (this.still || !nodes.length) return this.fit()
    return this.settled(() => {
      this.clear(nodes)
      this.fit()
    })
  }

  // Moves each box that covers something to the nearest free place.
  clear(nodes) {
    this.network.redraw()
    const boxes = new Map(this.nodes.getIds().map((id) => [id, this.network.getBoundingBox(id)]))
    for (const { id } of nodes.filter((node) => node.shape === "box")) {
      const others = [...boxes].filter(([other]) => other !== id).map(([, box]) => box)
      const { left, top, right, bottom } = boxes.get(id)
      for (let turn = 0; turn < 400; turn += 1) {
        const [x, y] = [4 * turn * Math.cos(turn), 2 * turn * Math.sin(turn)]
        const box = { left: left + x, right: right + x, top: top + y, bottom: bottom + y }
        if (others.some((other) => meet(box, other, GAP))) continue
        boxes.set(id, box)
        if (turn) this.network.moveNode(id, (box.left + box.right) / 2, (box.top + box.bottom) / 2)
        break
      }
    }
  }

  put(looks, lines) {
    for (const [set, items] of [[this.edges, lines], [this.nodes, looks]]) {
      const kept = new Set(items.map((item) => item.id))
      set.remove(set.getIds().filter((key) => !kept.has(key)))
    }
    this.nodes.update(looks)
    this.edges.update(lines)
  }

  // New nodes begin beside a neighbour and find their place; the others hold theirs.
  join(looks, lines, fresh) {
    const places = this.network.getPositions()
    looks.forEach((look, turn) => {
      if (!fresh.has(look.id)) {
        look.fixed = true
        return
      }
      const line = lines.find((one) => (one.from === look.id && places[one.to]) || (one.to === look.id && places[one.from]))
      const near = line ? places[line.from === look.id ? line.to : line.from] : { x: 0, y: 0 }
      look.x = near.x + 150 * Math.cos(2.4 * turn)
      look.y = near.y + 150 * Math.sin(2.4 * turn)
    })
    this.put(looks, lines)
    this.network.setOptions({ physics: { enabled: true } })
    const done = this.settled(() => {
      this.nodes.update(looks.map((look) => ({ id: look.id, fixed: false })))
      this.clear(looks.filter((look) => fresh.has(look.id)))
      this.fit(true)
    })
    this.network.stabilize(this.options.physics.stabilization.iterations)
    return done
  }

  settled(after) {
    return new Promise((resolve) => {
      this.network.once("stabilizationIterationsDone", () => {
        this.network.setOptions({ physics: { enabled: false } })
        after()
        resolve()
      })
    })
  }

  // All nodes with their names; the boxes of new nodes are known once they are drawn.
  fit(moving) {
    this.network.redraw()
    this.move(moving)
  }

  move(moving) {
    const animation = moving && !matchMedia("(prefers-reduced-motion: reduce)").matches ? { duration: 300 } : false
    const room = [this.box.clientWidth, this.box.clientHeight].map((size) => size - 2 * MARGIN)
    if (room.some((size) => size <= 0) || !this.items.nodes.length) return // as while its place is being drawn anew
    this.network.moveTo({ ...this.view(...room, LARGEST, this.still ? READABLE : undefined), animation })
  }

  zoom(factor) {
    this.network.moveTo({ scale: Math.min(4, Math.max(0.05, this.network.getScale() * factor)) })
  }

  mark(what, id) {
    this.network.unselectAll()
    if (what === "node") this.network.selectNodes([id], false)
    else this.network.selectEdges([id])
  }

  destroy() {
    this.network?.destroy()
    this.network = null
  }
}

// Buttons that zoom and fit, and a wheel with Ctrl that zooms as on a map; the wheel alone scrolls the page.
export function zoomBar(picture, box) {
  const bar = element("div", "zoom")
  const make = (text, name, act) => {
    const node = button("", text)
    node.title = name
    node.setAttribute("aria-label", name)
    node.onclick = act
    bar.append(node)
  }
  make("+", "Zoom in", () => picture.zoom(1.3))
  make("−", "Zoom out", () => picture.zoom(1 / 1.3))
  make("Fit", "Fit everything", () => picture.fit(true))
  box.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      picture.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15)
    },
    { passive: false },
  )
  return bar
}
