// A chain of sub-questions with handles: something is changed, in one of several ways to answer them, and what became of it
// is a recorded run of its own.
import { choice, explorable, flat, held } from "./explorable.js"
import * as links from "./links.js"

export function handles(data) {
  return [
    choice("way", "Answered", { options: data.ways.map(({ key, title }) => [key, title]), start: data.way }),
    choice("edit", "Change", { options: [["none", "nothing"], ...data.edits.map(({ key, label }) => [key, label])], start: "none" }),
  ]
}

const runOf = (data, way, edit) => data.runs[edit === "none" ? way : `${way} ${edit}`]
const said = (link) => link.short || link.text

export function compute(data, { way, edit }) {
  const [asked, run] = [runOf(data, way, "none"), runOf(data, way, edit)]
  const edited = data.edits.find((one) => one.key === edit)
  const before = new Map(asked.data.links.map((link) => [link.number, link]))
  const changed = run.data.links.filter((link) => said(link) !== said(before.get(link.number) ?? {}) || link.searched !== before.get(link.number)?.searched)
  const numbers = changed.map((link) => link.number)
  const own = edited?.number ?? 0
  const later = numbers.filter((number) => number !== own)
  const links = run.data.links.map((link) => ({
    ...link,
    cards: link.cards.map((card) => ({ ...card, pieces: data.texts[card.id] })),
    remark: link.number === own ? "edited" : numbers.includes(link.number) ? "changed by it" : "",
  }))
  const travelled = later.length ? `It travelled into ${later.length === 1 ? "link" : "links"} ${later.join(", ")}.` : "No other link changed."
  const first = flat(run.answer.split("\n")[0])
  const came = `The answer: “${first}” ${data.verdicts[run.verdict]}`
  return {
    verdict: run.verdict,
    changed: numbers,
    says: edited ? `${edited.told} ${edited.number ? travelled : ""} ${came}` : `As it was recorded. ${came}`,
    facts: links.map((link) => `${link.number}. ${link.question} ${said(link)} Searched with “${link.searched}”. ${link.remark}`),
    picture: { ...run.data, links, answer: flat(run.answer) },
  }
}

function show(state, made) {
  state.chain ??= held(state.stage, links)
  state.chain(made.picture)
}

export default explorable({ handles, compute, show })
