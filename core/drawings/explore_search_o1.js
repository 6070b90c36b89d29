// Reasoning with search, with handles: what was read of a search goes into the chain, or its passages as they are; and how
// much the model has to read before each thought.
import { explorable, held, range, switches } from "./explorable.js"
import { counted, element, shape } from "./parts.js"
import { plot, through } from "./plot.js"
import * as turns from "./turns.js"

const NOTHING = "(nothing)"

const searches = (data) => data.thoughts.flatMap((one) => one.searches)

export function handles(data) {
  const last = data.thoughts.length
  return [
    range("step", "Before thought", { min: 1, max: last, start: last }),
    switches("read", "Read into the chain", { options: searches(data).map((one, at) => ({ text: `search ${at + 1}`, title: one.query })) }),
  ]
}

// As `core.strategies.search_o1.Chain.text`: a passage stands where it is first found.
function chain(data, read, count) {
  const lines = []
  const shown = new Set()
  let number = 0
  for (const thought of data.thoughts.slice(0, count)) {
    lines.push(`Thought: ${thought.text}`)
    for (const search of thought.searches) {
      lines.push(`Search: ${search.query}`)
      if (read[number++]) lines.push(search.read)
      else {
        const fresh = search.passages.filter(([mark]) => !shown.has(mark))
        for (const [mark] of fresh) shown.add(mark)
        lines.push([`Found: ${search.passages.map(([mark]) => `[${mark}]`).join(" ") || NOTHING}`, ...fresh.map(([, text]) => text)].join("\n"))
      }
    }
    if (!thought.searches.length) lines.push(data.idle)
  }
  return lines.join("\n") || NOTHING
}

// Python counts characters, and a few of them are two units here.
const length = (text) => [...text].length
const told = (number) => number.toLocaleString("en")

export function compute(data, values) {
  const { step, read } = values
  const all = (how) => data.thoughts.map((_, count) => length(chain(data, how, count)))
  const lengths = all(read)
  const [short, long] = [true, false].map((how) => all(read.map(() => how)))
  const made = data.thoughts.slice(0, step - 1).flatMap((one) => one.searches).length
  const whole = read.slice(0, made).filter((one) => !one).length
  const now = lengths[step - 1]
  const other = whole ? short[step - 1] : long[step - 1]
  const times = (Math.max(now, other) / Math.min(now, other)).toFixed(1)
  const beside = step === 1 ? " Nothing has been found yet." : whole ? ` With notes in place of all passages it would be ${told(other)}, for ${counted(whole, "more call")} of the model.` : ` With whole passages it would be ${told(other)}, ${times} times as much.`
  const turns = data.recorded.turns.slice(0, step).map((turn, at) => {
    const boxes = turn.boxes.map((box) => (box.place === 2 && !read[at] ? { ...box, name: "Not read", text: "All passages go into the chain as they are.", told: "All passages go into the chain as they are.", ghost: true } : box))
    return at < step - 1 ? { ...turn, boxes } : { ...turn, boxes: boxes.slice(0, 1) }
  })
  const end = step === data.thoughts.length
  return {
    text: chain(data, read, step - 1),
    lengths,
    says: `Before thought ${step} the model reads ${told(now)} characters of chain.${beside}`,
    facts: turns.map((turn) => `${turn.title}: ${turn.boxes.map((box) => box.told).join(" ")}`),
    short,
    long,
    picture: { ...data.recorded, colour: data.colour, turns, summary: counted(step, "thought"), answer: end ? data.recorded.answer : "", running: !end },
  }
}

function show(state, made) {
  const { data, stage } = state
  if (!state.turns) {
    state.turns = held(stage, turns)
    const charts = element("div", "charts")
    state.curve = element("div", "chart")
    const text = element("section", "chart")
    state.title = element("h4")
    state.text = element("pre")
    state.text.tabIndex = 0
    state.text.setAttribute("aria-label", "The chain as the model reads it")
    text.append(state.title, state.text)
    charts.append(state.curve, text)
    stage.append(charts)
  }
  state.turns(made.picture)
  state.title.textContent = `What the model reads before thought ${state.values.step}`
  state.text.textContent = made.text
  const thoughts = data.thoughts.map((_, at) => at + 1)
  const most = Math.ceil(Math.max(...made.long) / 1000) * 1000
  plot(state.curve, {
    title: "Length of the chain",
    aid: "Blue: as you have set it. Dashed: notes alone (below), whole passages alone (above).",
    x: { title: "Before thought", from: 1, to: thoughts.length, ticks: thoughts },
    y: { title: "Thousands of characters", from: 0, to: most, ticks: [0, most / 2, most], told: (value) => (value / 1000).toFixed(1) },
    marks: (across, up) => {
      const line = (name, values) => shape("path", { class: name, d: through(values.map((value, at) => [across(at + 1), up(value)])) })
      const dots = made.lengths.map((value, at) => shape("circle", { class: at + 1 === state.values.step ? "dot here" : "dot", cx: across(at + 1), cy: up(value), r: at + 1 === state.values.step ? 7 : 4.5 }))
      return [line("then", made.short), line("then", made.long), line("now", made.lengths), ...dots]
    },
  })
}

export default explorable({ handles, compute, show })
