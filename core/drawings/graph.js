// A picture of a graph, drawn by vis-network on a canvas; put before the drawings that show one. Names reach it as
// text: labels are painted, titles are elements with textContent, and vis never gets a string that it would parse.
const ITERATIONS = 100
const HUBS = 12
const MARKS = { start: "▶ ", chosen: "✓ ", dead: "✗ " }

// One copy for the whole page, from the server that the page is from.
function library(address) {
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
function paints(root) {
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

// Names of a still picture are larger: its places leave room for them.
function nodeLook(node, paint, colour, large) {
  const lit = ["start", "chosen", "path"].includes(node.state)
  const candidate = node.state === "candidate"
  const dead = node.state === "dead"
  const own = candidate ? paint.faint : dead ? paint.red : lit ? colour : null
  const box = node.hypernode || node.way
  // Where colours tell kinds, what is lit keeps the colour of its kind and is told by its frame.
  const fill = dead ? paint.back : candidate || box ? paint.soft : node.colour ?? own ?? paint.quiet
  const framed = !box && (node.state === "start" || (lit && node.colour))
  return {
    id: node.key,
    label: (MARKS[node.state] ?? "") + node.short,
    title: element("div", "", node.title),
    shape: box ? "box" : "dot",
    shapeProperties: { borderDashes: dead ? [6, 4] : false, borderRadius: node.way ? 16 : 2 },
    size: 10 + Math.min(14, 3 * Math.log2(1 + node.degree)) + (lit ? 3 : 0),
    margin: 6,
    borderWidth: lit ? 4 : dead ? 3 : 2,
    borderWidthSelected: 5,
    color: {
      background: fill,
      border: framed ? paint.text : own ?? (node.hypernode ? paint.text : candidate ? paint.faint : paint.back),
      highlight: { background: fill, border: paint.text },
    },
    font: {
      color: candidate ? paint.quiet : dead ? paint.red : paint.text,
      size: large * (box ? 16 : lit ? 20 : 17),
      face: paint.font,
      strokeWidth: box ? 0 : 4,
      strokeColor: paint.back,
      vadjust: box ? 0 : -4,
    },
    ...(node.x === null ? {} : { x: node.x, y: node.y }),
  }
}

function edgeLook(edge, paint, colour, bend) {
  const lit = ["start", "chosen", "path"].includes(edge.state)
  const own = { candidate: paint.faint, dead: paint.red }[edge.state] ?? (lit ? colour : null)
  return {
    id: edge.key,
    from: edge.src,
    to: edge.dst,
    label: edge.part ? "" : edge.short,  // dotted lines are explained below, and there are two of them for every box
    title: element("div", "", edge.title),
    arrows: { to: { enabled: Boolean(edge.short) } },
    width: !edge.short ? (lit ? 2.5 : 1) : lit ? (edge.part ? 3 : 5) : edge.state === "dead" ? 3 : edge.part ? 1.5 : 2,
    dashes: edge.state === "dead" ? [10, 7] : edge.part ? [2, 5] : false,
    smooth: bend ? { enabled: true, type: bend > 0 ? "curvedCW" : "curvedCCW", roundness: Math.abs(bend) } : false,
    color: { color: own ?? paint.quiet, highlight: paint.text, inherit: false, opacity: edge.part && !lit ? 0.8 : 1 },
    font: {
      color: edge.state === "dead" ? paint.red : edge.state === "candidate" ? paint.quiet : paint.text,
      size: lit ? 18 : 16,
      face: paint.font,
      strokeWidth: 4,
      strokeColor: paint.back,
    },
  }
}

// Edges between the same two nodes bend away from each other.
function bends(edges) {
  const pairs = new Map()
  for (const edge of edges) {
    const pair = JSON.stringify([edge.src, edge.dst].sort())
    pairs.set(pair, [...(pairs.get(pair) ?? []), edge])
  }
  const found = new Map()
  for (const group of pairs.values()) {
    group.forEach((edge, place) => {
      const bend = group.length > 1 ? 0.18 * (place - (group.length - 1) / 2) : 0
      found.set(edge.key, edge.src <= edge.dst ? bend : -bend)
    })
  }
  return found
}

// The few nodes of a big picture that have the most edges on it.
function hubs(nodes, edges) {
  if (nodes.length < 40) return []
  const count = new Map(nodes.filter((node) => !node.hypernode).map((node) => [node.key, 0]))
  for (const edge of edges) for (const end of [edge.src, edge.dst]) if (count.has(end)) count.set(end, count.get(end) + 1)
  return [...count].sort((a, b) => b[1] - a[1]).slice(0, 5 * HUBS).map(([key]) => key)
}

const OPTIONS = {
  layout: { improvedLayout: false, randomSeed: 7 },
  interaction: { hover: false, tooltipDelay: 120, zoomView: false, selectConnectedEdges: false, hideEdgesOnDrag: true },
  nodes: { font: { multi: false }, scaling: { label: { drawThreshold: 8 } } },
  edges: { arrows: { to: { enabled: true, scaleFactor: 0.8 } }, smooth: false, font: { multi: false }, scaling: { label: { drawThreshold: 8 } }, selectionWidth: 2 },
}

// Few nodes stand further apart, so that the relations between them can be read.
function physics(count) {
  const springLength = count < 30 ? 160 : count < 80 ? 200 : 140
  return {
    barnesHut: { gravitationalConstant: -7000, springLength, springConstant: 0.05, centralGravity: 0.25, damping: 0.25, avoidOverlap: 0.5 },
    stabilization: { iterations: ITERATIONS, updateInterval: ITERATIONS, fit: false },
  }
}

// A picture that keeps what stays on it where it is. `click(what, key)` is called for a node or an edge; with `still`,
// all nodes come with their place.
class Picture {
  constructor(vis, box, click, still = false) {
    this.still = still
    this.large = still ? 1.2 : 1
    this.vis = vis
    this.box = box
    this.click = click
    this.frame = null
  }

  // Draw these; done when everything has its place.
  show(nodes, edges, paint, colour) {
    const bend = bends(edges)
    const looks = nodes.map((node) => nodeLook(node, paint, colour, this.large))
    const lines = edges.map((edge) => edgeLook(edge, paint, colour, bend.get(edge.key)))
    this.hubs = this.still ? [] : hubs(nodes, edges)
    const fresh = new Set(nodes.map((node) => node.key).filter((key) => !this.nodes?.get(key)))
    if (this.network && (this.still || fresh.size < nodes.length)) {
      return this.still || !fresh.size ? this.put(looks, lines) : this.join(looks, lines, fresh)
    }
    this.destroy()
    this.nodes = new this.vis.DataSet(looks)
    this.edges = new this.vis.DataSet(lines)
    const options = { ...OPTIONS, physics: this.still ? false : physics(nodes.length) }
    this.network = new this.vis.Network(this.box, { nodes: this.nodes, edges: this.edges }, options)
    this.network.on("click", (event) => {
      if (event.nodes.length) this.click("node", event.nodes[0])
      else if (event.edges.length) this.click("edge", event.edges[0])
    })
    this.network.on("resize", () => this.fit())
    if (this.still || !nodes.length) return this.fit()
    return this.settled(() => this.fit())
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
      this.fit(true)
    })
    this.network.stabilize(ITERATIONS)
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

  // Everything, or the frame that was set: [left, top, right, bottom].
  fit(moving) {
    const animation = moving && !matchMedia("(prefers-reduced-motion: reduce)").matches ? { duration: 300 } : false
    if (this.frame) {
      const [left, top, right, bottom] = this.frame
      const scale = Math.min(1.2, this.box.clientWidth / (right - left), this.box.clientHeight / (bottom - top))
      this.network.moveTo({ position: { x: (left + right) / 2, y: (top + bottom) / 2 }, scale, animation })
    } else {
      this.network.fit({ maxZoomLevel: 1.2, animation })
    }
    if (!animation) this.relabel()
    else setTimeout(() => this.network && this.relabel(), 350)
  }

  // However far away, the names of the nodes with the most edges can be read, as far as they leave each other room.
  relabel() {
    const scale = this.network.getScale()
    const named = []
    for (const key of this.hubs) {
      const { x, y } = this.network.getPosition(key)
      const room = named.every((other) => Math.abs(other.x - x) * scale > 150 || Math.abs(other.y - y) * scale > 26)
      if (room && named.length < HUBS) named.push({ x, y, key })
    }
    const far = new Set(named.map((one) => one.key))
    const size = (key) => (far.has(key) ? Math.max(17, 15 / scale) : 17)
    this.nodes.update(this.hubs.map((key) => ({ id: key, font: { size: size(key) } })))
  }

  zoom(factor) {
    this.network.moveTo({ scale: Math.min(4, Math.max(0.05, this.network.getScale() * factor)) })
    this.relabel()
  }

  mark(what, key) {
    this.network.unselectAll()
    if (what === "node") this.network.selectNodes([key], false)
    else this.network.selectEdges([key])
  }

  destroy() {
    this.network?.destroy()
    this.network = null
  }
}

// Buttons that zoom and fit, and a wheel with Ctrl that zooms as on a map; the wheel alone scrolls the page.
function zoomBar(picture, box) {
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
