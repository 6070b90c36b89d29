// A picture of a graph, drawn by vis-network on a canvas; put before the drawings that show one. Names reach it as
// text: labels are painted, titles are elements with textContent, and vis never gets a string that it would parse.
const ITERATIONS = 100
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

function titled(text) {
  return element("div", "", text)
}

function nodeLook(node, paint, colour) {
  const lit = node.state === "chosen" || node.state === "path" || node.state === "start"
  const own = { candidate: paint.faint, dead: paint.red, chosen: colour, path: colour, start: colour }[node.state]
  const fill = node.state === "candidate" ? paint.soft : node.hypernode ? paint.soft : own ?? node.colour
  const quiet = node.state === "candidate"
  return {
    id: node.key,
    label: (MARKS[node.state] ?? "") + node.short,
    title: titled(node.title),
    shape: node.hypernode ? "box" : "dot",
    shapeProperties: { borderDashes: node.state === "dead" ? [6, 4] : false, borderRadius: 4 },
    size: 10 + Math.min(14, 3 * Math.log2(1 + node.degree)) + (lit ? 4 : 0),
    margin: 8,
    borderWidth: lit ? 4 : node.state === "dead" || node.hypernode ? 3 : 2,
    borderWidthSelected: 5,
    color: {
      background: node.state === "dead" ? paint.back : fill,
      border: node.state === "start" ? paint.text : own ?? (node.hypernode ? node.colour : paint.back),
      highlight: { background: fill, border: paint.text },
    },
    font: {
      color: quiet ? paint.quiet : node.state === "dead" ? paint.red : paint.text,
      size: lit ? 22 : 17,
      face: paint.font,
      strokeWidth: node.hypernode ? 0 : 4,
      strokeColor: paint.back,
    },
  }
}

function edgeLook(edge, paint, colour, bend) {
  const lit = edge.state === "chosen" || edge.state === "path" || edge.state === "start"
  const own = { candidate: paint.faint, dead: paint.red, chosen: colour, path: colour, start: colour }[edge.state]
  return {
    id: edge.key,
    from: edge.src,
    to: edge.dst,
    label: edge.short,
    title: titled(edge.title),
    width: lit ? 5 : edge.state === "dead" ? 3 : edge.part ? 1.5 : 2,
    dashes: edge.state === "dead" ? [10, 7] : edge.part ? [2, 5] : false,
    smooth: bend ? { enabled: true, type: bend > 0 ? "curvedCW" : "curvedCCW", roundness: Math.abs(bend) } : false,
    color: { color: own ?? paint.quiet, highlight: paint.text, inherit: false, opacity: edge.part && !lit ? 0.8 : 1 },
    font: {
      color: edge.state === "dead" ? paint.red : lit ? paint.text : paint.quiet,
      size: lit ? 18 : 14,
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

const OPTIONS = {
  layout: { improvedLayout: false, randomSeed: 7 },
  physics: {
    barnesHut: { gravitationalConstant: -6000, springLength: 150, springConstant: 0.05, centralGravity: 0.25, damping: 0.25, avoidOverlap: 0.2 },
    stabilization: { iterations: ITERATIONS, updateInterval: ITERATIONS, fit: false },
  },
  interaction: { hover: false, tooltipDelay: 120, zoomView: false, selectConnectedEdges: false, hideEdgesOnDrag: true },
  nodes: { font: { multi: false } },
  edges: { arrows: { to: { enabled: true, scaleFactor: 0.8 } }, smooth: false, font: { multi: false }, selectionWidth: 2 },
}

// A picture that keeps what stays on it where it is. `click(what, key)` is called for a node or an edge.
class Picture {
  constructor(vis, box, click) {
    this.box = box
    this.nodes = new vis.DataSet()
    this.edges = new vis.DataSet()
    this.shown = ""
    this.vis = vis
    this.click = click
    this.network = null
  }

  // Draw these; done when everything has its place.
  show(nodes, edges, paint, colour) {
    const bend = bends(edges)
    const looks = nodes.map((node) => nodeLook(node, paint, colour))
    const lines = edges.map((edge) => edgeLook(edge, paint, colour, bend.get(edge.key)))
    if (!this.network) return this.begin(looks, lines)
    const fresh = new Set(nodes.map((node) => node.key).filter((key) => !this.nodes.get(key)))
    const kept = new Set(nodes.map((node) => node.key))
    const known = new Set(edges.map((edge) => edge.key))
    this.edges.remove(this.edges.getIds().filter((key) => !known.has(key)))
    this.nodes.remove(this.nodes.getIds().filter((key) => !kept.has(key)))
    if (!fresh.size) {
      this.nodes.update(looks)
      this.edges.update(lines)
      return Promise.resolve()
    }
    if (fresh.size === nodes.length) {
      this.network.destroy()
      this.nodes.clear()
      this.edges.clear()
      return this.begin(looks, lines)
    }
    return this.join(looks, lines, fresh)
  }

  begin(looks, lines) {
    this.nodes.add(looks)
    this.edges.add(lines)
    this.network = new this.vis.Network(this.box, { nodes: this.nodes, edges: this.edges }, OPTIONS)
    this.network.on("click", (event) => {
      if (event.nodes.length) this.click("node", event.nodes[0])
      else if (event.edges.length) this.click("edge", event.edges[0])
    })
    return this.settled(() => this.fit(false))
  }

  // New nodes begin beside a neighbour and find their place; the others hold theirs.
  join(looks, lines, fresh) {
    const places = this.network.getPositions()
    let turn = 0
    for (const look of looks) {
      if (!fresh.has(look.id)) {
        look.fixed = true
        continue
      }
      const line = lines.find((one) => (one.from === look.id ? places[one.to] : one.to === look.id && places[one.from]))
      const near = line ? places[line.from === look.id ? line.to : line.from] : { x: 0, y: 0 }
      turn += 2.4
      look.x = near.x + 120 * Math.cos(turn)
      look.y = near.y + 120 * Math.sin(turn)
    }
    this.nodes.update(looks)
    this.edges.update(lines)
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

  fit(moving) {
    const still = !moving || matchMedia("(prefers-reduced-motion: reduce)").matches
    this.network.fit({ maxZoomLevel: 1.2, animation: still ? false : { duration: 300 } })
  }

  zoom(factor) {
    const scale = Math.min(4, Math.max(0.05, this.network.getScale() * factor))
    this.network.moveTo({ scale, animation: false })
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
