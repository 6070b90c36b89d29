// Closed book with handles: what a model says from memory is chosen first; documents beside it say what they add.
import { choice, explorable, picked } from "./explorable.js"
import { element, fold, words } from "./parts.js"
import { STAR } from "./picture.js"

const VERDICTS = { right: "✓ right", wrong: "✗ wrong", refusal: "– it does not know", unclear: "? unclear" }
const CLAIMS = [["right", "something right"], ["wrong", "something wrong"], ["refusal", "that it does not know"]]

// A claim is about one question and one model: for others there is none yet.
function claiming(data) {
  const about = (values) => `${data.asked[Number(values.asked)].key}.${values.model}`
  const made = choice("memory", "From memory it says", { options: CLAIMS, start: "" })
  const parse = (text) => {
    const [asked, model, claim] = text.split(".")
    const known = data.asked.some(({ key }) => key === asked) && data.models.some(({ key }) => key === model) && CLAIMS.some(([key]) => key === claim)
    return known && text.split(".").length === 3 ? text : ""
  }
  const draw = (set, values) => {
    const [node, write] = made.draw((claim) => set(`${about(values())}.${claim}`), values)
    return [node, () => write(claimed(data, values()))]
  }
  return { ...made, parse, draw }
}

function claimed(data, { asked, model, memory }) {
  const about = `${data.asked[Number(asked)].key}.${model}.`
  return memory.startsWith(about) ? memory.slice(about.length) : ""
}

export function handles(data) {
  return [
    picked("asked", "Question", data.asked.map((one) => one.question)),
    choice("model", "Ask", { options: data.models.map(({ key, name }) => [key, name]), start: data.models[0].key }),
    claiming(data),
    choice("documents", "Documents", { options: [["without", "none"], ["with", "searched once"]], start: "without" }),
  ]
}

const TOLD = {
  right: "From memory it is right: what holds everywhere may have been in its training. But it cites nothing.",
  wrong: "From memory it is wrong, and sounds just as sure.",
  refusal: "From memory it says that it does not know. No model can know: the island is invented.",
  unclear: "Judge for yourself.",
}

function besides({ verdict, found, of }) {
  const all = found === of
  const evidence = found ? `${found} of ${of} ${STAR} ${found === 1 ? "was" : "were"} found` : "none of the evidence was found"
  const but = all ? "though" : found ? "and only" : "and"
  if (verdict === "right") return `With documents it is right, and cites them: ${evidence}.`
  if (verdict === "wrong") return `With documents it is wrong all the same, ${but} ${evidence}.`
  return `With documents it says that the answer is not in them, ${but} ${evidence}.`
}

export function compute(data, values) {
  const asked = data.asked[Number(values.asked)]
  const claim = claimed(data, values)
  const { without, with: searched } = asked.runs[values.model]
  const beside = claim && values.documents === "with" ? searched : null
  const { name } = data.models.find(({ key }) => key === values.model)
  const hit = claim !== "" && claim === without.verdict
  const [first, ...rest] = name
  return {
    verdict: claim ? without.verdict : "",
    beside: beside ? beside.verdict : "",
    hit,
    says: claim ? `${hit ? "Yes." : "No."} ${TOLD[without.verdict]} ${beside ? besides(beside) : ""}`.trim() : "What will it say from memory? Choose, then see.",
    facts: claim ? [`From memory, ${VERDICTS[without.verdict]}: ${without.answer}`, ...(beside ? [`With documents, ${VERDICTS[beside.verdict]}: ${beside.answer}`] : []), `Right answer: ${asked.right}`] : [asked.question],
    asked,
    memory: claim ? without : null,
    searched: beside,
    name: first.toUpperCase() + rest.join(""),
  }
}

function box(node, title, run, empty, nodes = []) {
  const body = run ? [element("p", `verdict ${run.verdict}`, VERDICTS[run.verdict]), ...run.answer.split("\n").filter(Boolean).map((line) => element("p", "", line)), ...nodes] : [element("p", "empty", empty)]
  node.replaceChildren(element("h4", "", title), ...body)
}

function evidence(state, { evidence: cards, given }) {
  if (!cards.length) return [element("p", "aid", `It was given ${given} passages; none holds evidence.`)]
  return cards.map((card) => {
    return fold("read", `${card.title} ${card.where}`.trim(), state.open, card.id, words(card))
  })
}

function show(state, made) {
  if (!state.memory) {
    const both = state.stage.appendChild(element("div", "both"))
    state.memory = both.appendChild(element("section"))
    state.searched = both.appendChild(element("section"))
    state.right = state.stage.appendChild(element("p", "gold"))
  }
  const { memory, searched } = made
  box(state.memory, `${made.name}, from memory`, memory, "Its answer appears here once you have chosen what it says.")
  box(state.searched, "With documents", searched, memory ? "Give it documents to see what they add." : "", searched ? evidence(state, searched) : [])
  state.right.replaceChildren(element("b", "", "Right answer: "), memory ? made.asked.right : "…")
}

export default explorable({ handles, compute, show })
