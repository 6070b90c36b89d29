// Names on a picture of a graph, each where it covers no node and no other name; where there is no such place, a name is
// left out until there is more room. Names keep their size while the picture is zoomed, so zooming in makes room, as on a
// map.
const SIZE = 16
const RELATION = 15 // pixels
const AWAY = 3 // pixels from a node to its name
const ALONG = [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72]
const FEW = 40 // nodes of which a picture leaves room for all names

// Whether two boxes are less than `gap` apart.
export const meet = (one, other, gap = 0) => one.left < other.right + gap && other.left < one.right + gap && one.top < other.bottom + gap && other.top < one.bottom + gap
const middle = (box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2]

// The names that have a place, with it. A node has a `box` and maybe a name inside (`inside`), an edge has `points`; `wide`
// measures a name in pixels, and `unit` is a pixel in units of the picture. What is `first` is named before others, and no
// name leaves the `frame`, if there is one.
export function place(nodes, edges, wide, unit, frame) {
  const taken = nodes.map((one) => one.box)
  const names = []
  const put = (one, pixels, places) => {
    const [w, h] = [wide(one, pixels) * unit, 1.2 * pixels * unit]
    for (const [x, y] of places(w, h)) {
      const box = { left: x - w / 2, right: x + w / 2, top: y - h / 2, bottom: y + h / 2 }
      if (frame && (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)) continue
      if (taken.some((other) => meet(box, other))) continue
      taken.push(box)
      names.push({ one, pixels, x, y, box })
      return
    }
  }
  const sorted = (all) => all.filter((one) => one.name).sort((a, b) => Number(b.first) - Number(a.first) || (b.size ?? 0) - (a.size ?? 0))
  const away = AWAY * unit
  for (const one of sorted(nodes)) {
    const { left, right, top, bottom } = one.box
    const [x, y] = middle(one.box)
    put(one, SIZE, (w, h) => {
      const [below, above] = [bottom + away + h / 2, top - away - h / 2]
      const corners = [below, above].flatMap((height) => [[x + w / 2, height], [x - w / 2, height]])
      return [[x, below], [x, above], [right + away + w / 2, y], [left - away - w / 2, y], ...corners]
    })
  }
  for (const one of sorted(edges)) put(one, RELATION, () => one.points)
  return names
}

// Paints the names of a picture by vis-network after each of its own drawings. `items()` gives { nodes, edges, paint } with
// ids, names and colours. Returns what finds the view in which all nodes are in sight with their names; where that would be
// smaller than `least`, the right side of them is.
export function labels(network, items) {
  const widths = new Map()
  const measures = document.createElement("canvas").getContext("2d")
  let drawn = { key: "", names: [] }
  let frame = null // what is in sight when all is

  const style = (one, pixels) => `${one.first ? "600 " : ""}${pixels}px ${items().paint.font}`
  function wide(one, pixels) {
    const key = `${style(one, pixels)} ${one.name}`
    if (!widths.has(key)) {
      measures.font = style(one, pixels)
      widths.set(key, measures.measureText(one.name).width)
    }
    return widths.get(key)
  }
  const boxed = () => items().nodes.map((one) => ({ ...one, box: network.getBoundingBox(one.id) })).filter((one) => one.box)
  function points(one) {
    const line = network.body.edges[one.id]?.edgeType
    return line && one.from !== one.to ? ALONG.map((part) => line.getPoint(part, line.getViaNode?.())).map(({ x, y }) => [x, y]) : []
  }

  network.on("afterDrawing", (context) => {
    const { nodes, edges, paint } = items()
    const unit = 1 / network.getScale()
    const places = Object.values(network.getPositions()).map(({ x, y }) => [Math.round(x), Math.round(y)])
    const key = JSON.stringify([unit, frame, nodes, edges, places])
    if (drawn.key !== key) {
      const lines = edges.map((one) => ({ ...one, points: points(one) }))
      drawn = { key, names: place(boxed(), lines, wide, unit, frame) }
    }
    Object.assign(context, { textAlign: "center", textBaseline: "middle", lineJoin: "round", strokeStyle: paint.back, lineWidth: 4 * unit })
    for (const { one, pixels, x, y } of drawn.names) {
      context.font = style(one, pixels * unit)
      context.fillStyle = one.colour
      context.strokeText(one.name, x, y)
      context.fillText(one.name, x, y)
    }
  })

  return function view(width, height, largest, least = 0.03) {
    const boxes = boxed().map((one) => ({ ...one.box, beside: one.name && items().nodes.length <= FEW ? wide(one, SIZE) / 2 : 0, above: one.name ? 1.6 * SIZE : 0 }))
    for (let scale = largest; ; scale *= 0.95) {
      const span = (low, high) => [Math.min(...boxes.map(low)), Math.max(...boxes.map(high))]
      const [left, right] = span(
        (box) => Math.min(box.left * scale, middle(box)[0] * scale - box.beside),
        (box) => Math.max(box.right * scale, middle(box)[0] * scale + box.beside),
      )
      const [top, bottom] = span((box) => box.top * scale - box.above, (box) => box.bottom * scale + box.above)
      if ((right - left > width || bottom - top > height) && scale > least) continue
      const [x, y] = [right - left > width ? right - width / 2 : (left + right) / 2, (top + bottom) / 2]
      frame = { left: Math.min(left, x - width / 2) / scale, right: (x + width / 2) / scale, top: Math.min(top, y - height / 2) / scale, bottom: Math.max(bottom, y + height / 2) / scale }
      return { position: { x: x / scale, y: y / scale }, scale }
    }
  }
}
