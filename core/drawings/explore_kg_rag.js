// KG-RAG with handles: at each step of the plan a relation is chosen from what the graph has where the way has led to.
import { explorable, held, set } from "./explorable.js"
import { counted, element } from "./parts.js"
import * as ways from "./ways.js"

const LEADS = 3 // nodes that a relation is said to lead to

// The relations that were chosen, in order; chosen in the picture itself.
function path(data) {
  const print = (value) => value.join(".") || "none"
  const parse = (text) => {
    if (text === "none") return []
    const found = text.split(".").map(Number)
    const { offered, reached } = walk(data, found)
    const whole = found.length <= data.steps.length && reached.length === found.length
    return whole && found.every((hop, at) => offered[at].some(([other]) => other === hop)) ? found : data.model
  }
  return { name: "path", start: data.model, print, parse }
}

export function handles(data) {
  return [path(data)]
}

// As `core.knowledge.explore.chains.extend`: where a relation leads from some nodes, but for the start of the way.
function led(data, nodes, hop) {
  const found = data.links.filter(([from, by, to]) => nodes.includes(from) && by === hop && to !== data.start)
  return [...new Set(found.map(([, , to]) => to))].sort((one, other) => one - other)
}

// What each step could choose from, nearest to its text first, and where the way led to.
function walk(data, chosen) {
  const offered = []
  const reached = []
  let nodes = [data.start]
  for (let step = 0; step < data.steps.length; step++) {
    const near = data.near[step]
    const hops = [...new Set(data.links.filter(([from]) => nodes.includes(from)).map(([, hop]) => hop))].sort((one, other) => one - other)
    const leading = hops.sort((one, other) => near[other] - near[one]).map((hop) => [hop, led(data, nodes, hop)])
    offered.push(leading.filter(([, ends]) => ends.length).slice(0, data.offered))
    if (step >= chosen.length) break
    const ends = led(data, nodes, chosen[step])
    if (!ends.length) break
    reached.push(ends)
    nodes = ends
  }
  return { offered, reached }
}

function arrow(hop) {
  if (!hop.statement) return hop.direction === "in" ? `← ${hop.rel}` : `${hop.rel} →`
  return hop.direction === "in" ? `← ${hop.statement} … ${hop.rel}` : `${hop.statement} … ${hop.rel} →`
}

// Whether a relation of each step is chosen from the same nodes as on the model's way.
function sameNodes(data, reached) {
  const own = walk(data, data.model).reached
  return data.steps.map((text, at) => at === 0 || reached[at - 1]?.join() === own[at - 1]?.join())
}

function wayOf(data, chosen) {
  const { reached } = walk(data, chosen)
  const names = (nodes) => nodes.slice(0, LEADS).map((node) => data.nodes[node]).join(", ")
  return [data.nodes[data.start], ...reached.map((nodes, at) => `${arrow(data.hops[chosen[at]])} ${names(nodes)}`)]
}

function picture(data, chosen, { offered, reached }) {
  const alike = sameNodes(data, reached)
  const first = { number: 1, explore: "nodes", text: data.planned, more: 0, candidates: [{ name: data.nodes[data.start], by: "", chosen: true, from: [], told: `${data.nodes[data.start]}: named word for word by the plan.` }] }
  const steps = data.steps.map((text, at) => ({
    number: at + 2,
    explore: "relations",
    text,
    more: 0,
    candidates: (offered[at] ?? []).map(([hop, ends]) => {
      const own = chosen[at] === hop
      const model = data.model[at] === hop && alike[at]
      return {
        key: hop,
        name: ends.slice(0, LEADS).map((node) => data.nodes[node]).join(", ") + (ends.length > LEADS ? ` and ${ends.length - LEADS} more` : ""),
        by: `${arrow(data.hops[hop])} · ${data.near[at][hop].toFixed(2).replace("-", "−")}`,
        tag: model ? "the model's" : "",
        chosen: own,
        from: [0],
        told: `${arrow(data.hops[hop])} ${ends.map((node) => data.nodes[node]).join(", ")}: cosine ${data.near[at][hop].toFixed(2)} with “${text}”, ${own ? "chosen" : "not chosen"}.${model ? " The model chose it." : ""}`,
      }
    }),
  }))
  const facts = reached.flatMap((ends, at) => {
    const from = at ? reached[at - 1] : [data.start]
    return data.links.filter(([source, hop, target]) => from.includes(source) && hop === chosen[at] && ends.includes(target))
  })
  return {
    colour: data.colour,
    choosable: true,
    steps: [first, ...steps],
    summary: "Which relation leads on?",
    reached: "The relation whose name is nearest to the text of the step comes first (the number is the cosine). One with “…” leads to what is said about a whole fact, a hypernode: “founded … in → 1938” is the year of the founding.",
    given_up: [],
    facts: facts.map(([, , , triple, quote, where]) => ({ triple, quote, where })),
    running: false,
    ...outcome(data, chosen, offered, reached),
  }
}

// Whether the way has come to what the model answered from; no model judges it again.
function outcome(data, chosen, offered, reached) {
  const ends = (reached.at(-1) ?? [data.start]).map((node) => data.nodes[node])
  const at = ends.slice(0, LEADS).join(", ")
  if (chosen.join() === data.model.join()) return { verdict: "respond", word: "Enough found, as the model judged", reason: data.verdict }
  if (data.answers.some((one) => ends.includes(one))) return { verdict: "respond", word: "Enough found: another way to the same place", reason: at }
  if (chosen.length === data.steps.length) return { verdict: "refine", word: "The plan is used up", reason: `This way ends at ${at}. The model's ended at ${data.answers.join(", ")}.` }
  if (!offered.at(-1).length) return { verdict: "refine", word: "A dead end", reason: `No relation leads on from ${at}.` }
  return { verdict: "continue", word: `Column ${chosen.length + 2} is yours`, reason: `${counted(offered.at(-1).length, "relation leads", "relations lead")} on from ${at}.` }
}

// Columns in which the model did not choose the same; the number of a column is that of its step.
function lead(data, chosen, other) {
  if (chosen.join() === data.model.join()) return "The model's own way"
  if (other.length) return `Your own choice in ${other.length > 1 ? "columns" : "column"} ${new Intl.ListFormat("en-GB").format(other.map(String))}`
  return chosen.length ? "As the model chose, so far" : "Nothing chosen yet"
}

export function compute(data, values) {
  const chosen = values.path
  const found = walk(data, chosen)
  const names = (nodes) => nodes.map((node) => data.nodes[node])
  const made = picture(data, chosen, found)
  const alike = sameNodes(data, found.reached)
  const other = chosen.flatMap((hop, at) => (alike[at] && data.model[at] === hop ? [] : [at + 2]))
  return {
    offered: found.offered.map((step) => step.map(([hop, ends]) => [hop, names(ends)])),
    reached: found.reached.map(names),
    says: `${lead(data, chosen, other)}. ${made.verdict === "respond" ? `It reaches ${names(found.reached.at(-1)).slice(0, LEADS).join(", ")}.` : `${made.word}: ${made.reason}`}`,
    facts: made.steps.map((step) => `Step ${step.number}, ${step.text}: ${step.candidates.map((one) => one.told).join(" ") || "nothing to choose from yet."}`),
    own: wayOf(data, chosen),
    picture: made,
  }
}

function way(name, parts) {
  return element("p", "way", element("b", "", name), element("span", "", parts.join("   ")))
}

function show(state, made) {
  const { data, stage } = state
  if (!state.ways) {
    stage.addEventListener("chosen", ({ detail: { step, key } }) => {
      if (!step) return
      const before = state.values.path.slice(0, step - 1)
      set(state, { path: state.values.path[step - 1] === key ? before : [...before, key] })
    })
    state.beside = element("section", "beside")
    stage.append(state.beside)
    state.ways = held(stage, ways)
  }
  state.ways(made.picture)
  state.beside.replaceChildren(way("Your way", made.own), way("The model's", wayOf(data, data.model)))
}

export default explorable({ handles, compute, show })
