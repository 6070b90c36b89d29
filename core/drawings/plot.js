// A chart with axes, drawn anew as wide as its place is. `x` and `y` have a title, where they go from and to, and ticks;
// `marks` draws into it with the two scales. Sizes are in pixels, so that type stays as large as the page's.
import { element, shape } from "./parts.js"

const AROUND = { left: 68, right: 18, top: 14, bottom: 56 }

export function plot(place, { title, aid, x, y, height = 280, marks }) {
  if (!place.firstChild) place.append(element("h4"), shape("svg", { "aria-hidden": true }), element("p", "aid"))
  const [head, svg, foot] = place.children
  head.textContent = title
  foot.textContent = aid
  const width = Math.max(place.clientWidth, 260)
  for (const [name, value] of Object.entries({ width, height })) svg.setAttribute(name, String(value))
  const [right, bottom] = [width - AROUND.right, height - AROUND.bottom]
  const scaled = (axis, low, high) => (value) => low + ((value - axis.from) / (axis.to - axis.from)) * (high - low)
  const [across, up] = [scaled(x, AROUND.left, right), scaled(y, bottom, AROUND.top)]
  const told = (axis, value) => (axis.told ? axis.told(value) : String(value))
  const nodes = [shape("line", { class: "axis", x1: AROUND.left, x2: right, y1: bottom, y2: bottom })]
  const text = (words, attributes) => {
    const node = shape("text", attributes)
    node.textContent = words
    nodes.push(node)
  }
  for (const value of x.ticks) text(told(x, value), { x: across(value), y: bottom + 20, "text-anchor": "middle" })
  for (const value of y.ticks) {
    nodes.push(shape("line", { class: "axis", x1: AROUND.left, x2: right, y1: up(value), y2: up(value) }))
    text(told(y, value), { x: AROUND.left - 8, y: up(value) + 5, "text-anchor": "end" })
  }
  text(x.title, { class: "title", x: (AROUND.left + right) / 2, y: height - 10, "text-anchor": "middle" })
  text(y.title, { class: "title", x: 14, y: (AROUND.top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(AROUND.top + bottom) / 2})` })
  svg.replaceChildren(...nodes, ...marks(across, up))
}

// A line through points, as the attribute of a path.
export const through = (points) => points.map(([x, y], at) => `${at ? "L" : "M"} ${x} ${y}`).join(" ")
