// Reranking with handles: the search's order on the left, the judge's on the right; what is not read keeps its rank.
import { explorable, figures, ordinal, picked, range, standardised } from "./explorable.js"
import { button, element, shape, words } from "./parts.js"
import { STAR, called, glide } from "./picture.js"

export function handles(data) {
  const count = data.asked[0].cosines.length
  return [
    range("depth", "Hits that the judge reads", { min: 0, max: count, start: count, told: (depth) => (depth ? String(depth) : "none") }),
    range("k", "Passages given, k", { min: 1, max: 10, start: data.k }),
    picked("asked", "Question", data.asked.map((one) => one.question)),
  ]
}

// The search's own score beside the judge's, as `core.retrieval.late_interaction` joins them.
function joined(data, { cosines, likeness }, depth) {
  const [searched, near] = [cosines, likeness].map((scores) => standardised(scores.slice(0, depth)))
  return searched.map((score, at) => score + data.weight * near[at])
}

const holding = (pieces, given) => pieces.filter((piece) => piece.some((at) => given.includes(at))).length
const are = (count) => (count === 1 ? "is" : "are")

function sentence(asked, now, { depth, k }) {
  const told = now.stars.map(({ name, was, rank }) => {
    if (was > depth) return `${name} is ${ordinal(was)}, and ${depth ? "not read" : "there is no judge"}`
    return was === rank ? `${name} stays ${ordinal(rank)}` : `${name} goes from ${ordinal(was)} to ${ordinal(rank)}`
  })
  const missing = asked.pieces.filter((piece) => !piece.length).length
  const never = missing ? ` ${missing === 1 ? "One ★ is" : `${missing} ★ are`} not among the first ${asked.cosines.length}: a judge sorts, and finds nothing.` : ""
  return `${told.join("; ")}. So ${now.held} of ${asked.pieces.length} ${STAR} ${are(now.held)} among the ${k} given; by the search alone ${now.alone}.${never}`
}

export function compute(data, values) {
  const asked = data.asked[Number(values.asked)]
  const { depth, k } = values
  const count = asked.cosines.length
  const scores = joined(data, asked, depth)
  const judged = [...scores.keys()].sort((one, other) => scores[other] - scores[one])
  const order = [...judged, ...Array.from({ length: count - depth }, (_, at) => depth + at)]
  const rows = order.map((at, index) => ({ at, rank: index + 1, was: at + 1, name: called(asked.passages[at]), star: asked.passages[at].card.starred, read: at < depth, given: index < k }))
  const now = {
    held: holding(asked.pieces, order.slice(0, k)),
    alone: holding(asked.pieces, [...Array(k).keys()]),
    stars: rows.filter((row) => row.star).sort((one, other) => one.was - other.was),
  }
  return {
    ...now,
    order,
    scores: judged.map((at) => scores[at]),
    read: asked.tokens.slice(0, depth).reduce((sum, one) => sum + one, 0),
    says: sentence(asked, now, values),
    facts: rows.map((row) => `${row.rank}. ${row.name}, by the search ${ordinal(row.was)}${row.read ? "" : ", not read"}${row.given ? ", given" : ""}`),
    asked,
    rows,
    depth,
    k,
  }
}

function item(state, at) {
  const node = button("hit", element("b", "rank"), element("span", "who"), element("span", "was"))
  node.onclick = () => {
    state.chosen = state.chosen === at ? null : at
    dress(state)
  }
  return element("li", "", node)
}

function dress(state) {
  for (const list of [state.left, state.right]) list.items.forEach((one, at) => one.firstElementChild.setAttribute("aria-pressed", String(at === state.chosen)))
  const passage = state.made.asked.passages[state.chosen]
  state.text.replaceChildren(...(passage ? [element("b", "", called(passage)), words(passage.card)] : []))
}

function write(list, at, rank, passage, was, { quiet, last, star }) {
  const node = list.items[at].firstElementChild
  const [number, who, from] = node.children
  number.textContent = rank
  who.textContent = called(passage)
  node.title = called(passage)
  from.textContent = was
  node.className = ["hit", quiet && "left", last && "last", star && "star"].filter(Boolean).join(" ")
}

// Lines in rows and percent: rows are all as high, so that nothing is to be measured.
function lines(state, made) {
  const count = made.rows.length
  state.svg.setAttribute("viewBox", `0 0 100 ${count}`)
  state.svg.replaceChildren(...made.rows.map((row) => {
    const [from, to] = [row.was - 0.5, row.rank - 0.5]
    const kind = row.star ? "star" : row.given ? "used" : ""
    return shape("path", { d: `M 0 ${from} C 50 ${from}, 50 ${to}, 100 ${to}`, class: kind })
  }))
}

function costs(data, made) {
  return [
    ["Evidence given", `${made.held} of ${made.asked.pieces.length} ${STAR}`, `by the search alone ${made.alone}`],
    ["The judge reads", `${made.depth} pairs`, `of question and passage: ${made.read.toLocaleString("en")} tokens for this question`],
    ["The search reads", "1 question", `and compares it with ${data.searched} vectors made beforehand`],
  ]
}

function order(state, title) {
  const section = element("section")
  const list = element("ol", "hits")
  const aid = element("p", "aid")
  section.append(element("h4", "", title), list, aid)
  state.orders.append(section)
  return { list, aid, items: [] }
}

function show(state, made) {
  const { stage } = state
  state.made = made
  if (!state.left) {
    state.figures = stage.appendChild(element("div", "figures"))
    state.orders = stage.appendChild(element("div", "orders"))
    state.left = order(state, "The search's order")
    state.svg = state.orders.appendChild(shape("svg", { "aria-hidden": true, preserveAspectRatio: "none" }))
    state.right = order(state, "The judge's order")
    state.text = stage.appendChild(element("div", "text"))
  }
  const other = state.drawnFor !== made.asked
  if (other) {
    state.drawnFor = made.asked
    state.chosen = null
    for (const list of [state.left, state.right]) {
      list.items = made.rows.map((_, at) => item(state, at))
      list.list.replaceChildren(...list.items)
    }
  }
  const passages = made.asked.passages
  for (const row of made.rows) {
    write(state.left, row.at, row.was, passages[row.at], "", { quiet: !row.read, last: row.was === made.depth, star: row.star })
  }
  glide(() => (other ? [] : state.right.items), () => {
    for (const row of made.rows) {
      const way = row.rank < row.was ? "▲" : "▼"
      write(state.right, row.at, row.rank, passages[row.at], row.rank === row.was ? "" : `${way} ${row.was}`, { quiet: !row.given, last: row.rank === made.k, star: row.star })
    }
    state.right.list.replaceChildren(...made.order.map((at) => state.right.items[at]))
  }, () => {})
  state.left.aid.textContent = "Above the thick line: read by the judge. Choose a passage to read it."
  state.right.aid.textContent = "Above the thick line: given to the answer. ▲ 9: it came up from rank 9."
  lines(state, made)
  figures(state.figures, costs(state.data, made))
  dress(state)
}

export default explorable({ handles, compute, show })
