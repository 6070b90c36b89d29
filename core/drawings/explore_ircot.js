// IRCoT with handles: after the first search one chooses a sentence to search with next, and then goes on with the sentence
// that the model wrote.
import { choice, explorable, held } from "./explorable.js"
import { counted, element } from "./parts.js"
import { STAR } from "./picture.js"
import * as turns from "./turns.js"

const STEPS = [
  ["1", "1, the question"],
  ["2", "2, the model's sentence"],
  ["3", "3, the answer"],
]

export function handles(data) {
  const sentences = data.sentences.map((text, at) => [String(at), text])
  return [choice("step", "Step", { options: STEPS, start: "1" }), choice("search", "Search with", { options: sentences, start: "none" })]
}

// As `core.strategies.ircot.search_for_new`: the best hits that are not there yet, as long as there is room.
function news(data, hits, pool) {
  return hits.filter((one) => !pool.includes(one)).slice(0, data.k).slice(0, Math.max(0, data.most - pool.length))
}

const stars = (data, places) => places.filter((one) => data.stars.includes(one)).length

function rung(data, chosen, brings) {
  const items = brings.map((place) => {
    const { card, detail } = data.passages[place]
    return { name: card.starred ? card.title.slice(`${STAR} `.length) : card.title, detail, verdict: "", kept: true, half: false, reason: "", card }
  })
  const text = data.sentences[chosen]
  return {
    title: "Your sentence",
    way: "back",
    led: "",
    boxes: [
      { place: 0, name: "Your sentence", said: "", text, items: [], told: `Your sentence: ${text}` },
      { place: 1, name: "Search", said: `${brings.length} new`, text: "", items, told: `The search would bring in ${counted(brings.length, "passage")}, ${stars(data, brings)} with evidence.` },
    ],
  }
}

export function compute(data, values) {
  const step = Number(values.step)
  const chosen = values.search === "none" ? -1 : Number(values.search)
  const brings = data.hits.map((hits) => news(data, hits, data.first))
  const taken = step > 1 ? data.own : chosen
  const gathered = [...data.first, ...(taken < 0 ? [] : brings[taken])]
  const missing = data.stars.length - stars(data, data.first)
  const all = `${stars(data, gathered)} of ${data.stars.length} ${STAR}`
  const own = chosen === data.own ? " It is the model's own sentence." : ""
  const says = [
    chosen < 0
      ? `The question finds ${all}. What would you search with next?`
      : `Your sentence brings in ${stars(data, brings[chosen])} of the ${missing} ${STAR} that are missing.${own || " Go on to see what the model wrote."}`,
    `The model's sentence adds what the question does not say, and its search brings in the rest: ${all} are there.`,
    `With ${all} the model concludes; the answer is read from all ${counted(gathered.length, "passage")}.`,
  ][step - 1]
  const { turns, ...rest } = data.recorded
  const shownTurns = step > 2 ? turns : step > 1 ? turns.slice(0, 2) : [turns[0], ...(chosen < 0 ? [] : [rung(data, chosen, brings[chosen])])]
  const last = step < 3
  return {
    brings,
    gathered,
    says,
    facts: shownTurns.map((turn) => `${turn.title}: ${turn.boxes.map((box) => box.told).join(" ")}`),
    chosen,
    step,
    picture: { ...rest, colour: data.colour, turns: shownTurns, summary: `${counted(gathered.length, "passage")} gathered`, answer: last ? "" : rest.answer, running: last },
  }
}

// The stars that a search adds, beside those that are still missing.
function row(data, name, text, places, known) {
  const [was, added] = [stars(data, known), stars(data, places)]
  const node = element("li")
  node.append(element("b", "", name), element("span", "", text), element("span", "stars", `${STAR.repeat(was + added)}${"☆".repeat(data.stars.length - was - added)}`), element("span", "sum", known.length ? `adds ${added}` : `finds ${added}`))
  return node
}

function show(state, made) {
  const { data, stage } = state
  if (!state.turns) {
    state.turns = held(stage, turns)
    state.list = element("ol", "evidence")
    const node = element("section", "chart")
    node.append(element("h4", "", "Evidence gathered"), state.list, element("p", "aid", "★ is evidence found by then, ☆ evidence still missing. Each sentence is searched with after the question; four new passages are taken in."))
    stage.append(node)
  }
  state.turns(made.picture)
  const seen = made.step > 1 ? data.sentences.map((_, at) => at) : made.chosen < 0 ? [] : [made.chosen]
  const name = (at) => (at === data.own && made.step > 1 ? "The model" : at === made.chosen ? "Your sentence" : "Instead")
  const order = made.step > 1 ? [data.own, ...seen.filter((at) => at !== data.own)] : seen
  state.list.replaceChildren(row(data, "The question", data.question, data.first, []), ...order.map((at) => row(data, name(at), data.sentences[at], made.brings[at], data.first)))
}

export default explorable({ handles, compute, show })
