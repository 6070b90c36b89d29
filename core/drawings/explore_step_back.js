// Step-back with handles: how far back the general question goes, and what each of the two searches found then.
import { choice, explorable, flat, held } from "./explorable.js"
import { element } from "./parts.js"
import { called } from "./picture.js"
import * as pool from "./pool.js"

export function handles(data) {
  return [choice("level", "The general question goes back", { options: data.levels.map(({ key, title }) => [key, title]), start: "asked" })]
}

const ANSWERS = { right: "✓ The answer is right:", wrong: "✗ The answer is wrong:", refusal: "No answer:", unclear: "The answer, to be judged:" }
const counted = (count, one, more = `${one}s`) => `${count === 1 ? "one" : count || "no"} ${count === 1 ? one : more}`

export function compute(data, { level }) {
  const run = data.levels.find((one) => one.key === level)
  const passages = run.data.passages.map((one) => ({ ...one, card: { ...one.card, pieces: data.texts[one.card.id] } }))
  const last = run.data.lists.length - 1
  const added = passages.filter((one) => one.ranks.every((rank, at) => Boolean(rank) === (at === last)))
  const stars = added.filter((one) => one.card.starred).length
  const found = (at) => passages.filter((one) => one.ranks[at] && one.card.starred).length
  const general = run.data.lists[last].query
  const first = flat(run.answer.split("\n")[0])
  return {
    added: added.map((one) => one.card.id),
    stars,
    says: `“${general}” brings ${counted(added.length, "passage")} that the question did not find, ${["none", "one"][stars] ?? stars} of them with evidence. ` +
      `Evidence is in ${found(last)} of its own ${run.data.lists[last].found} hits, and in ${found(0)} of the question's ${run.data.lists[0].found}.`,
    facts: [...passages.map((one) => `${called(one)}: ${one.told}`), `${ANSWERS[run.verdict]} ${first} Right answer: ${run.gold}`],
    picture: { ...run.data, passages },
    answer: first,
    verdict: run.verdict,
  }
}

function show(state, made) {
  if (!state.pool) {
    state.pool = held(state.stage, pool)
    state.said = state.stage.appendChild(element("p", "said"))
  }
  state.pool(made.picture)
  state.said.replaceChildren(element("b", "", `${ANSWERS[made.verdict]} `), made.answer)
}

export default explorable({ handles, compute, show })
