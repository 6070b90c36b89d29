// A pictogram for each family of strategies, of 40 by 40: dots are questions and queries, boxes what is found.
// Drawn in the colour of the text; `core.strategies.families` has the names.
import { shape } from "./parts.js"

const PICTOGRAMS = {
  once: { dots: [[7, 20, 4]], boxes: [[24, 9, 12, 22]], lines: ["M11 20H23", "M19.5 16.5 23 20l-3.5 3.5", "M28 15h4M28 20h4M28 25h4"] },
  several: {
    dots: [[6, 20, 4], [20, 7, 2.6], [20, 20, 2.6], [20, 33, 2.6]],
    boxes: [[30, 13, 8, 14]],
    lines: ["M9 17 18 9M10 20h7.5M9 23l9 8", "M22.5 8 29 16M22.5 20H29M22.5 32 29 24"],
  },
  split: {
    dots: [[6, 20, 4]],
    boxes: [[24, 3, 12, 8], [24, 16, 12, 8], [24, 29, 12, 8]],
    lines: ["M10 20h5M24 7h-5q-4 0-4 4v18q0 4 4 4h5M15 20h9"],
  },
  think: {
    dots: [[6, 28, 3.4], [20, 28, 3.4], [34, 28, 3.4]],
    boxes: [],
    lines: ["M6.5 23C7 10 18.5 10 19.5 22", "M20.5 23C21 10 32.5 10 33.5 22", "M16 19.5l3.6 3L22 18.5", "M30 19.5l3.6 3L36 18.5"],
  },
  judge: {
    dots: [],
    boxes: [[12, 12, 16, 16]],
    lines: ["m16 20 3 3.2L24.5 17", "M8 26.5A14 14 0 1 0 8 13.5", "M7 7.5v6.3h6.3"],
  },
  explore: {
    dots: [[6, 30, 3.4], [17, 19, 3.4], [28, 26, 3.4], [34, 9, 3.4], [13, 6, 2.2], [37, 34, 2.2]],
    boxes: [],
    lines: ["M8.5 27.5 14.5 21.5M20 20.7l5 3.6M29.5 23 33 12.5", "M14 8.2 16 15.7M30.5 28l5 4.6"],
  },
  more: { dots: [[9, 20, 3], [20, 20, 3], [31, 20, 3]], boxes: [], lines: [] },
}

export function pictogram(name) {
  const found = PICTOGRAMS[name] ?? PICTOGRAMS.more
  const svg = shape("svg", { class: "pictogram", viewBox: "0 0 40 40", "aria-hidden": true })
  for (const [x, y, width, height] of found.boxes) svg.append(shape("rect", { x, y, width, height, rx: 2 }))
  for (const d of found.lines) svg.append(shape("path", { d }))
  for (const [cx, cy, r] of found.dots) svg.append(shape("circle", { cx, cy, r }))
  return svg
}

