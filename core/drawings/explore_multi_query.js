// Multi-Query with handles: queries on and off, and one of them drifts off topic; what they find goes into the pool.
import { counted } from "./parts.js"
import { explorable, held, range, switches } from "./explorable.js"
import { STAR, called } from "./picture.js"
import * as pool from "./pool.js"

const DEGREES = ["on topic", "half off topic", "off topic"]
const SEEN = 16

export function handles(data) {
  const options = data.lists.map(({ name, query, colour }) => ({ text: name, title: query, colour }))
  return [
    switches("on", "Queries", { options }),
    range("drift", `${data.lists.at(-1).name} drifts`, { min: 0, max: DEGREES.length - 1, start: 0, told: (at) => DEGREES[at] }),
    range("given", "Passages given", { min: 4, max: data.given, start: data.given }),
  ]
}

// As `core.retrieval.fusion.unite`: each passage once, the best rank first, then as it was seen first, list by list.
function unite(lists) {
  const rows = new Map()
  lists.forEach(({ hits }, at) =>
    hits.forEach((passage, index) => {
      if (!rows.has(passage)) rows.set(passage, { passage, ranks: lists.map(() => null) })
      rows.get(passage).ranks[at] = index + 1
    }),
  )
  const best = (row) => Math.min(...row.ranks.filter((rank) => rank !== null))
  return [...rows.values()].sort((one, other) => best(one) - best(other))
}

function passage(data, lists, row, at, given) {
  const own = data.passages[row.passage]
  const finders = row.ranks.flatMap((rank, list) => (rank === null ? [] : [list]))
  const found = finders.map((list) => `${lists[list].name} at rank ${row.ranks[list]}`).join(", ")
  return {
    ...own,
    card: { ...own.card, rank: String(at + 1) },
    ranks: row.ranks.map((rank) => (rank === null ? "" : String(rank))),
    alone: finders.length === 1 && lists.length > 1 ? finders[0] : -1,
    given: at < given,
    told: `found by ${found}; ${at < given ? "given" : "not given"} to the answer`,
  }
}

// What the evidence depends on.
function evidence(lists, passages, given) {
  const at = passages.findIndex((one) => one.card.starred)
  if (at < 0) return `None of these queries finds the evidence, ${STAR}.`
  const star = passages[at]
  const finders = star.ranks.flatMap((rank, list) => (rank ? [lists[list].name] : []))
  const who = finders.length === 1 ? `Only ${finders[0]} finds` : `${finders.join(" and ")} find`
  return `${who} the evidence, ${called(star)}: number ${at + 1} in the pool${at < given ? ", and given" : `, too far down for the ${given} that are given`}.`
}

export function compute(data, values) {
  const every = data.lists.map((list, at) => (at === data.lists.length - 1 ? { ...list, ...data.drift[values.drift] } : list))
  const lists = every.filter((_, at) => values.on[at])
  const rows = unite(lists)
  const passages = rows.map((row, at) => passage(data, lists, row, at, values.given))
  const alone = lists.map((_, at) => passages.filter((one) => one.alone === at).length)
  const hits = lists.reduce((sum, one) => sum + one.hits.length, 0)
  const last = lists.indexOf(every.at(-1))
  const drifts = values.drift && last >= 0 ? ` ${every.at(-1).name} alone brings ${alone[last]}.` : ""
  const pool = `${counted(lists.length, "query brings", "queries bring")} ${counted(hits, "hit")}, ${counted(rows.length, "different passage")}.`
  return {
    order: rows.map((row) => row.passage),
    ranks: rows.map((row) => row.ranks),
    says: `${pool}${drifts} ${evidence(lists, passages, values.given)}`,
    facts: passages.map((one) => `${one.card.rank}. ${called(one)}: ${one.told}`),
    picture: {
      lists: lists.map(({ name, query, colour, hits: held }, at) => ({ name, query, colour, found: held.length, alone: alone[at] })),
      waiting: [],
      passages,
      judged: true,
      seen: SEEN,
      summary: "A number is the rank in the list of that query. In colour: what one query alone found. Dashed: not given.",
    },
  }
}

function show(state, made) {
  if (!state.pool) {
    state.stage.classList.add("pooling")
    state.pool = held(state.stage, pool)
  }
  state.pool(made.picture)
}

export default explorable({ handles, compute, show })
