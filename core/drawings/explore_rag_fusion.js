// Rank fusion with handles: passages are dragged within the lists of a recorded run, k and the first rank are set.
import { choice, explorable, held, orders, ordinal, range, set } from "./explorable.js"
import * as fusion_flow from "./fusion_flow.js"
import { counted, element, shape } from "./parts.js"
import { STAR, called, parted } from "./picture.js"
import { plot, through } from "./plot.js"

const FIRST = [["1", "1, as in the paper"], ["0", "0, as in some programs"]]

export function handles(data) {
  return [
    range("k", "k", { min: 1, max: 100, start: data.k }),
    choice("from", "Ranks count from", { options: FIRST, start: "1" }),
    orders("order", data.lists.map((list) => list.hits.length)),
  ]
}

// As `core.retrieval.fusion.fuse`: of equal scores the best single rank is first, then what was seen first, list by list.
function fuse(lists, k, first) {
  const rows = new Map()
  lists.forEach((hits, list) =>
    hits.forEach((passage, place) => {
      if (!rows.has(passage)) rows.set(passage, { passage, ranks: lists.map(() => null) })
      rows.get(passage).ranks[list] = place + 1
    }),
  )
  const scored = [...rows.values()].map((row) => {
    const held = row.ranks.filter((rank) => rank !== null).sort((one, other) => one - other)
    return { ...row, best: held[0], score: held.reduce((sum, rank) => sum + 1 / (k + rank - 1 + first), 0) }
  })
  return scored.sort((one, other) => other.score - one.score || one.best - other.best)
}

function passage(data, row, at, first, k, was) {
  const own = data.passages[row.passage]
  const ranks = row.ranks.map((rank) => (rank === null ? null : rank - 1 + first))
  const terms = ranks.map((rank) => (rank === null ? "" : `1/${k + rank}`))
  const score = row.score.toFixed(4)
  const sum = `${terms.filter(Boolean).join(" + ")} = ${score}`
  const told = ranks.flatMap((rank, list) => (rank === null ? [] : [`rank ${rank} in ${data.lists[list].name}`])).join(", ")
  return {
    ...own,
    card: { ...own.card, rank: String(at + 1) },
    places: row.ranks,
    ranks: ranks.map((rank) => (rank === null ? "" : String(rank))),
    terms,
    score,
    sum,
    told: `${told}; ${sum}`,
    was: was === at + 1 ? 0 : was,
    letter: String.fromCharCode(65 + row.passage),
  }
}

// What became of the fused order, beside the one of the run; of several that moved as far, how many there are.
function moving(passages, changed) {
  if (!changed) return ""
  const far = (one) => (one.was ? Math.abs(one.was - Number(one.card.rank)) : 0)
  const way = Math.max(...passages.map(far))
  if (!way) return " The fused order stays as it was."
  const [most, ...others] = passages.filter((one) => far(one) === way)
  if (others.length) return ` ${others.length + 1} passages move most in the fused order, by ${counted(way, "place")} each.`
  return ` ${most === passages[0] ? "It" : called(most)} moves most in the fused order, from ${ordinal(most.was)} to ${ordinal(Number(most.card.rank))}.`
}

export function compute(data, values) {
  const first = Number(values.from)
  const lists = data.lists.map((list, at) => values.order[at].map((place) => list.hits[place]))
  const rows = fuse(lists, values.k, first)
  const before = fuse(data.lists.map((list) => list.hits), data.k, 1).map((row) => row.passage)
  const passages = rows.map((row, at) => passage(data, row, at, first, values.k, before.indexOf(row.passage) + 1))
  const stars = passages.filter((one) => one.card.starred)
  const places = stars.map((one) => `${one.name} is ${ordinal(Number(one.card.rank))}`)
  const changed = values.k !== data.k || !first || values.order.some((order) => order.some((one, at) => one !== at))
  const given = stars.filter((one) => Number(one.card.rank) <= data.given).length
  return {
    order: rows.map((row) => row.passage),
    scores: rows.map((row) => row.score),
    says: `First is ${called(passages[0])} with ${passages[0].score}.${moving(passages, changed)} Evidence: ${places.join(", ")}; ${given} of ${stars.length} ${STAR} are among the ${data.given} passages that the model answers from.`,
    facts: passages.map((one) => `${called(one)}: ${one.told}${one.was ? `; was ${one.was}` : ""}`),
    picture: {
      formula: `1 / (${values.k} + rank)`,
      from: first ? "" : "ranks from 0",
      seen: data.seen,
      movable: true,
      lists: data.lists.map(({ name, meaning }) => ({ name, meaning })),
      passages,
    },
    rows,
    k: values.k,
    first,
  }
}

// What each list adds to a passage, stacked; the longest bar is the first one.
function bar(data, made, row, at) {
  const own = made.picture.passages[at]
  const node = element("li")
  const track = element("span", "track")
  row.ranks.forEach((rank, list) => {
    if (rank === null) return
    const part = element("i", "", data.lists[list].name)
    part.style.setProperty("--mark", data.lists[list].colour)
    part.style.width = `${(100 / (made.k + rank - 1 + made.first) / made.rows[0].score)}%`
    track.append(part)
  })
  node.append(element("span", "who", ...parted(`${at + 1}. ${called(own)}`).map((part) => element("span", "", part))), track, element("span", "sum", own.score))
  node.title = own.sum
  return node
}

function show(state, made) {
  const { data, stage } = state
  if (!state.bars) {
    const charts = element("div", "charts")
    state.bars = element("section", "chart")
    state.curve = element("div", "chart")
    charts.append(state.bars, state.curve)
    stage.addEventListener("moved", ({ detail: { list, from, to } }) => {
      const order = structuredClone(state.values.order)
      order[list].splice(to, 0, ...order[list].splice(from, 1))
      set(state, { order })
    })
    state.flow = held(stage, fusion_flow)
    stage.append(charts)
  }
  state.flow(made.picture)
  const list = element("ol", "bars", ...made.rows.slice(0, data.seen).map((row, at) => bar(data, made, row, at)))
  state.bars.replaceChildren(
    element("h4", "", "What each list adds"),
    list,
    element("p", "aid", "Score of a passage: a piece for each list that holds it. A passage that many lists hold gets many small pieces."),
  )
  const deep = Math.max(10, ...data.lists.map((one) => one.hits.length))
  const ranks = [...Array(deep).keys()].map((at) => at + made.first)
  const now = (rank) => 1 / (made.k + rank)
  const then = (rank) => 1 / (data.k + rank + 1 - made.first) // ranks of the run count from 1
  const top = now(made.first)
  plot(state.curve, {
    title: `The curve 1 / (${made.k} + rank)`,
    aid: `The steeper it falls, the more a first place counts against several lower ones.${made.k === data.k && made.first ? "" : " Dashed: k as in the run."}`,
    x: { title: "Rank in a list", from: ranks[0], to: ranks.at(-1), ticks: ranks },
    y: { title: "What it adds", from: 0, to: Math.max(top, then(made.first)), ticks: [0, top], told: (value) => value.toFixed(3) },
    marks: (across, up) => {
      const line = (name, get) => shape("path", { class: name, d: through(ranks.map((rank) => [across(rank), up(get(rank))])) })
      const dots = ranks.map((rank) => shape("circle", { class: "dot", cx: across(rank), cy: up(now(rank)), r: 4.5 }))
      return [line("then", then), line("now", now), ...dots]
    },
  })
}

export default explorable({ handles, compute, show })
