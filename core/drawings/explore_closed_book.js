// Closed book with handles: what a model says from memory is guessed first; documents beside it say what they add.
import { choice, explorable, picked } from "./explorable.js"
import { element, fold, words } from "./parts.js"
import { STAR } from "./picture.js"

const VERDICTS = { right: "✓ right", wrong: "✗ wrong", refusal: "– it does not know", unclear: "? unclear" }
const GUESSES = [["right", "something right"], ["wrong", "something wrong"], ["refusal", "that it does not know"]]

// A guess is of one question and one model: for others there is none yet.
function guessing(data) {
  const about = (values) => `${data.asked[Number(values.asked)].key}.${values.model}`
  const made = choice("guess", "From memory it says", { options: GUESSES, start: "" })
  const parse = (text) => {
    const [asked, model, guess] = text.split(".")
    const known = data.asked.some(({ key }) => key === asked) && data.models.some(({ key }) => key === model) && GUESSES.some(([key]) => key === guess)
    return known && text.split(".").length === 3 ? text : ""
  }
  const draw = (set, values) => {
    const [node, write] = made.draw((guess) => set(`${about(values())}.${guess}`), values)
    return [node, () => write(guessed(data, values()))]
  }
  return { ...made, parse, draw }
}

function guessed(data, { asked, model, guess }) {
  const about = `${data.asked[Number(asked)].key}.${model}.`
  return guess.startsWith(about) ? guess.slice(about.length) : ""
}

export function handles(data) {
  return [
    picked("asked", "Question", data.asked.map((one) => one.question)),
    choice("model", "Ask", { options: data.models.map(({ key, name }) => [key, name]), start: data.models[0].key }),
    guessing(data),
    choice("documents", "Documents", { options: [["without", "none"], ["with", "searched once"]], start: "without" }),
  ]
}

const TOLD = {
  right: "From memory it is right: what holds everywhere may have been in its training. But it cites nothing.",
  wrong: "From memory it is wrong, and sounds just as sure.",
  refusal: "From memory it says that it does not know. No model can: the island is invented.",
  unclear: "Judge yourself.",
}

function besides({ verdict, found, of }) {
  const all = found === of
  const evidence = found ? `${found} of ${of} ${STAR} ${found === 1 ? "was" : "were"} found` : "none of the evidence was found"
  const but = all ? "though" : found ? "and only" : "and"
  if (verdict === "right") return `With documents it is right, and cites them: ${evidence}.`
  if (verdict === "wrong") return `With documents it is wrong all the same, ${but} ${evidence}.`
  return `With documents it says that they do not hold it, ${but} ${evidence}.`
}

export function compute(data, values) {
  const asked = data.asked[Number(values.asked)]
  const guess = guessed(data, values)
  const { without, with: searched } = asked.runs[values.model]
  const beside = guess && values.documents === "with" ? searched : null
  const { name } = data.models.find(({ key }) => key === values.model)
  const hit = guess !== "" && guess === without.verdict
  const [first, ...rest] = name
  return {
    verdict: guess ? without.verdict : "",
    beside: beside ? beside.verdict : "",
    hit,
    says: guess ? `${hit ? "You guessed it." : "You guessed otherwise."} ${TOLD[without.verdict]} ${beside ? besides(beside) : ""}`.trim() : "What will it say from memory? Guess first.",
    facts: guess ? [`From memory, ${VERDICTS[without.verdict]}: ${without.answer}`, ...(beside ? [`With documents, ${VERDICTS[beside.verdict]}: ${beside.answer}`] : []), `Right: ${asked.right}`] : [asked.question],
    asked,
    memory: guess ? without : null,
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
  box(state.memory, `${made.name}, from memory`, memory, "Its answer stands here once you have guessed.")
  box(state.searched, "With documents", searched, memory ? "Give it documents to see what they add." : "", searched ? evidence(state, searched) : [])
  state.right.replaceChildren(element("b", "", "Right: "), memory ? made.asked.right : "…")
}

export default explorable({ handles, compute, show })
