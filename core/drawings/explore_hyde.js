// HyDE with handles: which hypothetical passages count, and whether the question does. The mean moves on a map, and the
// passages nearest to it change.
import { choice, explorable, hitList, ordinal, switches } from "./explorable.js"
import { button, element, shape, words } from "./parts.js"
import { STAR, called, points } from "./picture.js"

const SEEN = 10
const ROOM = 34

export function handles(data) {
  return [
    switches("on", "Hypothetical passages", { options: data.texts.map(({ name, text }, at) => ({ text: `${at + 1} ${name}`, title: text })), start: data.texts.map((_, at) => at === 0) }),
    choice("question", "The question", { options: [["with", "counts, too"], ["without", "is left out"]], start: "with" }),
  ]
}

// Vectors at length 1, from whole numbers; the same text is read once.
const read = new Map()
function vector(packed) {
  if (!read.has(packed)) {
    const numbers = Float64Array.from(Int8Array.from(atob(packed), (one) => one.charCodeAt(0)))
    const length = Math.hypot(...numbers)
    read.set(packed, numbers.map((one) => one / length))
  }
  return read.get(packed)
}

const dot = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0)

function mean(vectors) {
  const sum = vectors[0].map((_, at) => vectors.reduce((total, one) => total + one[at], 0) / vectors.length)
  const length = Math.sqrt(dot(sum, sum))
  return sum.map((one) => (length ? one / length : 0))
}

function nearest(data, on) {
  const asked = mean(data.asked.filter((_, at) => on[at]).map(vector))
  return data.vectors.map((one, place) => ({ place, score: dot(vector(one), asked) })).sort((one, other) => other.score - one.score || one.place - other.place)
}

export function compute(data, values) {
  const on = [values.question === "with" || !values.on.includes(true), ...values.on]
  const rows = nearest(data, on)
  const points = data.points.filter((_, at) => on[at])
  const middle = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length)
  const texts = values.on.flatMap((one, at) => (one ? [at + 1] : []))
  const parts = [...(on[0] ? ["the question"] : []), ...(texts.length ? [`passage${texts.length > 1 ? "s" : ""} ${texts.join(", ")}`] : [])]
  const star = data.passages.findIndex((one) => one.card.starred)
  const rank = rows.findIndex((row) => row.place === star) + 1
  const several = parts.length > 1 || texts.length > 1
  const nothing = values.question === "without" && !texts.length
  const what = nothing ? "Nothing is left, so the question itself is searched with: it" : several ? `The mean of ${parts.join(" and ")}` : parts[0].replace(/^./, (one) => one.toUpperCase())
  const title = data.passages[star].card.title
  const found = rank > SEEN ? `does not find ${title} among the first ${SEEN}` : `finds ${title} at rank ${rank}, ${rank > data.k ? "not " : ""}among the ${data.k} given`
  const hits = rows.slice(0, SEEN).map((row, at) => ({ ...row, rank: at + 1, alone: data.alone[row.place], given: at < data.k, passage: data.passages[row.place] }))
  return {
    order: hits.map((hit) => hit.place),
    scores: hits.map((hit) => hit.score),
    mean: middle,
    says: `${what} ${found}${nothing ? "" : `; the question alone has it at rank ${data.alone[star]}`}.`,
    facts: hits.map((hit) => `${hit.rank}. ${called(hit.passage)}, cosine ${hit.score.toFixed(3)}; ${ordinal(hit.alone)} of the question alone`),
    on,
    hits,
  }
}

function mark(kind, x, y, text) {
  const node = shape("g", { class: kind, transform: `translate(${x} ${y})` })
  const form = { question: "M -8 -8 H 8 V 8 H -8 Z", written: "M 0 -10 L 10 8 L -10 8 Z", mean: "M 0 -12 L 12 0 L 0 12 L -12 0 Z" }[kind.split(" ")[0]]
  node.append(form ? shape("path", { d: form }) : shape("circle", { r: kind.includes("near") ? 12 : 5 }))
  if (text) {
    const near = kind.includes("near")
    const label = shape("text", near ? { y: 5, "text-anchor": "middle" } : { x: 14, y: 5 })
    label.textContent = text
    node.append(label)
  }
  return node
}

// The map: what is near on it is near only roughly, since all numbers but two are left out.
function map(state, made) {
  const { data } = state
  const width = Math.max(state.map.clientWidth, 300)
  const height = Math.min(460, Math.round(width * 0.72))
  state.svg.setAttribute("width", width)
  state.svg.setAttribute("height", height)
  const ends = [0, 1].map((axis) => data.points.map((point) => point[axis])).map((all) => [Math.min(...all), Math.max(...all)])
  const at = ([x, y]) => [ROOM + ((x - ends[0][0]) / (ends[0][1] - ends[0][0])) * (width - 2 * ROOM - 90), height - ROOM - ((y - ends[1][0]) / (ends[1][1] - ends[1][0])) * (height - 2 * ROOM)]
  const count = data.asked.length
  const middle = at(made.mean)
  const lines = made.on.flatMap((on, place) => {
    const [x, y] = at(data.points[place])
    return on ? [shape("line", { class: "part", x1: x, y1: y, x2: middle[0], y2: middle[1] })] : []
  })
  const near = new Map(made.hits.filter((hit) => hit.given).map((hit) => [hit.place, hit.rank]))
  const dots = data.passages.map((one, place) => {
    const star = one.card.starred
    const node = mark(`passage${near.has(place) ? " near" : ""}${star ? " star" : ""}`, ...at(data.points[count + place]), near.has(place) ? `${star ? STAR : ""}${near.get(place)}` : star ? STAR : "")
    const title = shape("title")
    title.textContent = called(one)
    node.append(title)
    node.dataset.place = place
    return [near.get(place) ?? Infinity, node]
  })
  dots.sort(([one], [other]) => other - one)
  const texts = made.on.map((on, place) => mark(`${place ? "written" : "question"}${on ? "" : " off"}`, ...at(data.points[place]), place ? String(place) : "question"))
  // The word beside the mean stays clear of the one beside the question.
  const diamond = mark("mean", ...middle, "mean")
  const [aside, below] = [0, 1].map((axis) => at(data.points[0])[axis] - middle[axis])
  if (Math.abs(aside) < 90 && Math.abs(below) < 26) for (const [name, value] of [["x", 0], ["y", below > 0 ? -17 : 28], ["text-anchor", "middle"]]) diamond.lastChild.setAttribute(name, String(value))
  state.svg.replaceChildren(...lines, ...dots.map(([, node]) => node), ...texts, diamond)
}

function item(state, place) {
  const node = button("hit", element("b", "rank"), element("span", "who"), element("span", "sum"), element("span", "was"))
  const light = (on) => state.svg.querySelector(`[data-place="${place}"]`)?.classList.toggle("lit", on)
  points(node, light)
  node.onclick = () => {
    state.chosen = state.chosen === place ? null : place
    dress(state)
  }
  return element("li", "", node)
}

function dress(state) {
  for (const [place, one] of state.items) one.firstElementChild.setAttribute("aria-pressed", String(place === state.chosen))
  const passage = state.data.passages[state.chosen]
  state.text.replaceChildren(...(passage ? [element("b", "", called(passage)), words(passage.card)] : []))
}

function write(item, hit) {
  const node = item.firstElementChild
  const [rank, who, sum, was] = node.children
  rank.textContent = hit.rank
  who.textContent = called(hit.passage)
  sum.textContent = hit.score.toFixed(2)
  was.textContent = ordinal(hit.alone)
  node.classList.toggle("left", !hit.given)
}

function show(state, made) {
  const { data, stage } = state
  if (!state.list) {
    stage.classList.add("matching")
    state.items = new Map()
    state.map = element("div", "plane")
    state.svg = shape("svg", { "aria-hidden": true })
    const left = element("section")
    state.map.append(state.svg)
    left.append(element("h4", "", "Where vectors lie"), state.map, element("p", "aid", `Circles are passages, with their rank where they are given; triangles are hypothetical passages. It is a flat picture of ${vector(data.asked[0]).length} numbers: the cosines in the list are exact.`))
    const right = element("section")
    const head = element("h4", "top", element("span", "", "What is nearest"), element("span", "sum", "cosine"), element("span", "was", "question alone"))
    state.list = element("ol", "hits")
    state.text = element("div", "text")
    right.append(head, state.list, element("p", "aid", "Dashed: not given to the answer."), state.text)
    state.texts = element("ol", "texts")
    stage.append(left, right, state.texts)
    state.texts.append(...data.texts.map(({ name, text }, at) => {
      return element("li", "", element("b", "", `${at + 1} ${name}: `), element("span", "", text))
    }))
  }
  map(state, made)
  hitList(state, made.hits, item, write)
  dress(state)
  made.on.slice(1).forEach((on, at) => state.texts.children[at].classList.toggle("off", !on))
}

export default explorable({ handles, compute, show })
