// Agentic RAG with handles: for each part of the question a tool is chosen, and what it really brings back is shown beside
// the call of the model. The critique is there for the model's own calls alone: nobody has judged the others.
import { choice, explorable, held } from "./explorable.js"
import * as goals from "./goals.js"

const ofPart = (data, part) => data.calls.filter((one) => one.part === part)

export function handles(data) {
  return data.parts.map((text, part) => {
    const calls = ofPart(data, part)
    const options = calls.map((one, at) => [String(at), one.own ? `${one.label} (the model's)` : one.label])
    return choice(`part${part + 1}`, `${part + 1}. ${text}`, { options, start: String(calls.findIndex((one) => one.own)) })
  })
}

const everyWord = ({ rows, cards }) => [...rows.flat(), ...cards.flatMap((card) => card.pieces.map((piece) => piece.text))].join(" ")

export function compute(data, values) {
  const chosen = data.parts.map((_, part) => ofPart(data, part)[Number(values[`part${part + 1}`])])
  const own = chosen.every((one) => one.own)
  const other = chosen.map((one, part) => (one.own ? 0 : part + 1))
  const calls = chosen.map(({ call }, part) => ({ ...call, number: part + 1, used: own && call.used }))
  const brought = calls.map((call, part) => `part ${part + 1} ${call.outcome === "found" ? `brings ${call.brief.split(" · ").at(-1)}` : "brings nothing"}`).join(", ")
  const last = calls.at(-1)
  const holds = everyWord(last).includes(data.answer)
  const says = own
    ? `The model's own calls: ${brought}. Its critique: ${data.critique.word.toLowerCase()}.`
    : `${brought[0].toUpperCase()}${brought.slice(1)}. ${last.note || (holds ? `“${data.answer}” is among what part 2 brought` : `“${data.answer}” is not among what part 2 brought`)}${last.note ? "" : "."} No critique of these calls was recorded.`
  return {
    texts: calls.map((call) => call.text),
    own,
    says,
    facts: calls.map((call, part) => `${data.parts[part]} ${call.told} ${call.text}`),
    picture: {
      colour: data.colour,
      question: data.question,
      summary: own ? "As the model chose" : "With your choice",
      cited: own ? "The answer cites both calls." : "No answer was written from these calls.",
      opened: Math.max(...other),
      rounds: [{ number: 1, goals: calls.map((call, part) => ({ text: data.parts[part], calls: [call] })), critique: own ? data.critique : null }],
    },
  }
}

function show(state, made) {
  state.goals ??= held(state.stage, goals)
  state.goals(made.picture)
}

export default explorable({ handles, compute, show })
