// Corrective RAG with handles: what the evaluator makes of each passage decides what the search is worth, and what is done.
import { counted } from "./parts.js"
import { choice, explorable, held } from "./explorable.js"
import { STAR } from "./picture.js"
import * as turns from "./turns.js"

const VERDICTS = [["no", "no"], ["partly", "a part"], ["yes", "yes"]]

export function handles(data) {
  return data.passages.map((one, at) => choice(`grade${at + 1}`, one.name, { options: VERDICTS, start: one.verdict }))
}

// As `core.strategies.corrective` judges a search, and where it goes on from there.
function judged(data, verdicts) {
  const [whole, part] = ["yes", "partly"].map((wanted) => verdicts.filter((one) => one === wanted).length)
  const passages = counted(verdicts.length, "passage")
  const away = data.rewrite ? "rewrite" : "elsewhere"
  if (whole) return { verdict: "correct", reason: `The evaluator finds the answer in ${whole} of ${passages}: what was found is refined.`, ways: ["refine"] }
  if (part) return { verdict: "ambiguous", reason: `The evaluator finds a part of the answer in ${part} of ${passages}: refine, and look elsewhere too.`, ways: ["refine", away] }
  return { verdict: "incorrect", reason: `The evaluator finds nothing of the answer in ${passages}: look elsewhere.`, ways: [away] }
}

// Of a passage whose strips were not judged all are kept.
const keptOf = ({ strips }, verdict) => (verdict === "no" ? 0 : strips.filter(Boolean).length || strips.length)

function firstTurn(data, verdicts, search, kept) {
  const [found, grades, judge, refine] = data.recorded.turns[0].boxes
  const of = new Map(data.passages.map((one, at) => [one.chunk, [verdicts[at], one.verdict]]))
  const items = grades.items.map((item) => {
    const [now, was] = of.get(item.card.id)
    return now === was ? item : { ...item, verdict: now, kept: now !== "no", half: now === "partly", reason: "You changed this grade." }
  })
  const left = items.filter((item) => item.kept).length
  const strips = data.passages.reduce((sum, one) => sum + one.strips.length, 0)
  const total = kept.reduce((sum, one) => sum + one, 0)
  const said = `${total} of ${counted(strips, "strip")} kept, in ${kept.filter(Boolean).length} of ${counted(data.passages.length, "passage")}`
  const boxes = [
    found,
    { ...grades, said: `${left} of ${items.length} kept`, items, told: `Does the passage hold the answer? ${left} of ${counted(items.length, "passage")} kept.` },
    { ...judge, items: [{ ...judge.items[0], verdict: search.verdict, kept: search.verdict !== "incorrect", half: search.verdict === "ambiguous", reason: search.reason }], told: `What is the search worth? ${search.verdict}. ${search.reason}` },
  ]
  if (kept.length) boxes.push({ ...refine, said, told: `Cut into sentences: ${said}.` })
  return { ...data.recorded.turns[0], boxes, led: `${search.verdict[0].toUpperCase()}${search.verdict.slice(1)}: ${data.ways[search.verdict]}.`, way: search.verdict === "correct" ? "done" : "back" }
}

const NEW_QUERY = "A new query would be written here. What it would find was not recorded."

export function compute(data, values) {
  const verdicts = data.passages.map((_, at) => values[`grade${at + 1}`])
  const same = data.passages.every((one, at) => one.verdict === verdicts[at])
  const search = judged(data, verdicts)
  const kept = search.ways.includes("refine") ? data.passages.map((one, at) => keptOf(one, verdicts[at])) : []
  const given = data.passages.filter((_, at) => kept[at]).map((one) => one.chunk).concat(same ? data.elsewhere : [])
  const stars = given.filter((one) => data.stars.includes(one)).length
  const away = search.verdict !== "correct"
  const turns = [firstTurn(data, verdicts, search, kept)]
  if (away) {
    const [, other] = data.recorded.turns
    const ghost = { title: "Elsewhere", way: "done", led: "", boxes: [{ place: 0, name: "Rewrite", said: "", text: NEW_QUERY, items: [], told: NEW_QUERY, ghost: true }, { place: 1, name: "Search elsewhere", said: "", text: "Other passages, found with other words.", items: [], told: "Other passages would be found with other words.", ghost: true }] }
    turns.push(same ? other : ghost)
  }
  const end = same ? data.recorded.turns[1].led : away ? "The answer would be made from what was kept and what is found elsewhere." : "The answer would be made from what was kept alone."
  turns[turns.length - 1] = { ...turns.at(-1), led: end, way: "done" }
  const evidence = `${stars} of ${data.stars.length} ${STAR} ${stars === 1 ? "is" : "are"} given`
  const rest = same ? "." : away ? ", and what would be found elsewhere with other words was not recorded." : `: nothing is looked for elsewhere${stars < data.stars.length ? ", so the rest of the evidence is never found" : ""}.`
  return {
    ...search,
    kept,
    says: `The search is ${search.verdict}: ${data.ways[search.verdict]}. ${evidence}${rest}`,
    facts: turns.map((turn) => `${turn.title}: ${turn.boxes.map((box) => box.told).join(" ")} ${turn.led}`),
    picture: { ...data.recorded, colour: data.colour, turns, summary: search.reason, answer: same ? data.recorded.answer : "Its text would be a new one, and was not recorded.", running: false },
  }
}

function show(state, made) {
  state.turns ??= held(state.stage, turns)
  state.turns(made.picture)
}

export default explorable({ handles, compute, show })
