// Triples made by hand: words of two sentences become subject, relation and object, and are stored as a graph is. A triple
// can be the subject of another one: then it is a hypernode.
import { choice, explorable, set } from "./explorable.js"
import { button, counted, element, shape } from "./parts.js"
import { curve, tip } from "./picture.js"

const PARTS = ["subject", "relation", "object"]

// The triples that were stored, made in the picture itself.
function made(data) {
  const part = (span) => (typeof span === "number" ? `t${span}` : span.join("-"))
  const print = (value) => value.map((one) => [one.sentence, part(one.subject), part(one.relation), part(one.object)].join(".")).join("_") || "none"
  const parse = (text) => {
    if (text === "none") return []
    const found = []
    for (const written of text.split("_")) {
      const [sentence, subject, relation, object] = written.split(".")
      const words = data.sentences[sentence]?.words.length ?? 0
      const span = (said = "") => {
        const [from, to] = said.split("-").map(Number)
        return from <= to && Number.isInteger(from) && Number.isInteger(to) && from >= 0 && to < words ? [from, to] : null
      }
      const about = /^t\d+$/.test(subject ?? "") ? Number(subject.slice(1)) : span(subject)
      const one = { sentence: Number(sentence), subject: about, relation: span(relation), object: span(object) }
      const whole = about !== null && one.relation && one.object && (typeof about !== "number" || about < found.length)
      if (!whole || depth([...found, one], found.length) > data.deepest) return [data.first]
      found.push(one)
    }
    return found.length > data.most ? [data.first] : found
  }
  return { name: "triples", start: [data.first], print, parse }
}

export function handles(data) {
  return [made(data), choice("graph", "What the graph of Pellamar has", { options: [["hidden", "hidden"], ["shown", "shown"]], start: "hidden" })]
}

// How many triples lie within this one.
const depth = (triples, at) => (typeof triples[at].subject === "number" ? 1 + depth(triples, triples[at].subject) : 0)

function wordsOf(data, sentence, [from, to]) {
  const { text, words: places } = data.sentences[sentence]
  return text.slice(places[from][0], places[to][1])
}

// As `core.knowledge.store.cypher_writing`: an entity per name, whatever its case; a hypernode for each triple that is a
// subject; an edge per triple and chunk, and the plain triple beside its hypernode.
function stored(data, triples) {
  const entities = new Map()
  const statements = new Map()
  const edges = new Map()
  const entity = (name) => {
    const id = name.toLowerCase()
    if (!entities.has(id)) entities.set(id, name)
    return { id, name: () => entities.get(id) }
  }
  const node = (sentence, span) => (typeof span === "number" ? statement(span, sentence) : entity(wordsOf(data, sentence, span)))
  const ends = (one) => ({ s: node(one.sentence, one.subject), rel: wordsOf(data, one.sentence, one.relation), t: entity(wordsOf(data, one.sentence, one.object)) })
  const edge = ({ s, rel, t }, chunk) => edges.set([s.id, rel, t.id, chunk].join("|"), { s, rel, t, chunk })
  // The sentence that says more about a triple states that triple, too.
  function statement(at, chunk) {
    const inner = triples[at]
    const s = typeof inner.subject === "number" ? statement(inner.subject, chunk) : entity(wordsOf(data, inner.sentence, inner.subject))
    const [rel, t] = [wordsOf(data, inner.sentence, inner.relation), entity(wordsOf(data, inner.sentence, inner.object))]
    edge({ s, rel, t }, chunk)
    const id = `(${s.id})-[${rel.toLowerCase()}]->(${t.id})`
    const found = { id, name: () => `(${s.name()})-[${rel}]->(${t.name()})` }
    if (!statements.has(id)) statements.set(id, found)
    return statements.get(id)
  }
  for (const one of triples) edge(ends(one), one.sentence)
  return { entities: [...entities.values()], statements: [...statements.values()], edges: [...edges.values()] }
}

// In the order of their first parts, then of the next ones.
function sorted(values) {
  const before = (one, other) => {
    const at = one.findIndex((part, place) => part !== other[place])
    return at < 0 ? 0 : one[at] < other[at] ? -1 : 1
  }
  return [...values].sort((one, other) => before([one].flat(), [other].flat()))
}

// Whether a triple of the graph is among those that were made of its sentence.
function has(names, triple, chunk) {
  const text = ([s, rel, t]) => `(${Array.isArray(s) ? text(s) : s})-[${rel}]->(${t})`.toLowerCase()
  return names.includes(`${text(triple)} ${chunk}`)
}

export function compute(data, values) {
  const graph = stored(data, values.triples)
  const edges = sorted(graph.edges.map(({ s, rel, t, chunk }) => [s.name(), rel, t.name(), chunk]))
  const said = new Map()
  for (const [s, rel, t, chunk] of edges) said.set(`(${s})-[${rel}]->(${t})`, [...(said.get(`(${s})-[${rel}]->(${t})`) ?? []), chunk])
  const twice = [...said.values()].filter((chunks) => chunks.length > 1).length
  const lower = graph.entities.map((name) => name.toLowerCase())
  const near = lower.findIndex((name) => lower.some((other) => other !== name && other.length > 3 && name.endsWith(` ${other}`)))
  const other = near < 0 ? -1 : lower.findIndex((name) => name !== lower[near] && lower[near].endsWith(` ${name}`))
  const hint = near >= 0
    ? ` “${graph.entities[near]}” and “${graph.entities[other]}” are two nodes: only names that are the same, but for capital letters, become one.`
    : twice
      ? ` ${twice === 1 ? "One triple is" : `${twice} triples are`} stated by both sentences: the same nodes, with an edge and a quote for each.`
      : graph.statements.length
        ? " A hypernode is a triple that is itself a node: more can be said about it."
        : ""
  const names = edges.map(([s, rel, t, chunk]) => `(${s})-[${rel}]->(${t}) ${chunk}`.toLowerCase())
  return {
    entities: sorted(graph.entities),
    statements: sorted(graph.statements.map((one) => one.name())),
    edges,
    says: `${counted(graph.entities.length, "entity", "entities")}, ${counted(graph.statements.length, "hypernode")}, ${counted(edges.length, "edge")}.${hint}`,
    facts: [...said].map(([name, chunks]) => `${name}, stated by sentence ${chunks.map((chunk) => chunk + 1).join(" and ")}`),
    found: data.sentences.map((one, chunk) => one.triples.map((triple) => has(names, triple, chunk))),
    graph,
  }
}

// The pills of relations in rows: what they go out from stands to their left, their object to their right.
export function laid({ edges, statements }) {
  const boxes = new Map()
  const pills = new Map()
  let row = 0
  const place = (node, column, at) => {
    if (!boxes.has(node.id)) boxes.set(node.id, { column, row: at, text: node.name() })
    return boxes.get(node.id)
  }
  const key = ({ s, rel, t }) => `(${s.id})-[${rel.toLowerCase()}]->(${t.id})`
  const inner = new Set(statements.map((one) => one.id))
  // Facts before what is said of them, each followed by that.
  const add = (edge) => {
    const id = key(edge)
    if (!pills.has(id)) {
      row += 1
      const pill = { id, row, text: edge.rel, chunks: [], hyper: inner.has(id) }
      const from = pills.get(edge.s.id) ?? place(edge.s, 1, row)
      pill.column = from.column + 1
      pill.from = edge.s.id
      pill.to = edge.t.id
      pills.set(id, pill)
      place(edge.t, pill.column + 1, row)
      for (const more of edges) if (more.s.id === id) add(more)
    }
    const { chunks } = pills.get(id)
    if (!chunks.includes(edge.chunk)) chunks.push(edge.chunk)
  }
  for (const edge of edges) if (!inner.has(edge.s.id)) add(edge)
  for (const edge of edges) add(edge)
  return { boxes, pills }
}

function drawGraph(state, graph) {
  const { boxes, pills } = laid(graph)
  const nodes = new Map()
  const put = (id, one, node) => {
    node.style.gridColumn = String(one.column)
    node.style.gridRow = String(one.row)
    nodes.set(id, node)
  }
  for (const [id, one] of boxes) put(id, one, element("span", "entity", one.text))
  for (const [id, one] of pills) {
    const node = element("span", one.hyper ? "pill hyper" : "pill", element("b", "", one.text), element("span", "said", one.chunks.sort().map((chunk) => chunk + 1).join(", ")))
    node.title = `Stated by sentence ${one.chunks.map((chunk) => chunk + 1).join(" and ")}${one.hyper ? "; a hypernode" : ""}`
    put(id, one, node)
  }
  const columns = Math.max(3, ...[...boxes.values()].map((one) => one.column))
  state.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`
  state.grid.replaceChildren(state.svg, ...nodes.values())
  if (!nodes.size) state.grid.append(element("span", "none", "Nothing is stored yet."))
  const zero = state.svg.getBoundingClientRect()
  const paths = []
  const join = (from, to, name) => {
    const [one, other] = [nodes.get(from).getBoundingClientRect(), nodes.get(to).getBoundingClientRect()]
    if (one.right <= other.left) paths.push(shape("path", { class: name, d: curve(one, { left: other.left - 3, top: other.top, height: other.height }, zero), "marker-end": "url(#tip)" }))
    else paths.push(shape("path", { class: name, d: `M ${one.left + one.width / 2 - zero.left} ${one.top - zero.top} L ${other.left + other.width / 2 - zero.left} ${other.bottom + 3 - zero.top}`, "marker-end": "url(#tip)" }))
  }
  for (const [id, one] of pills) {
    if (nodes.has(one.from)) join(one.from, id, pills.has(one.from) ? "more" : "")
    join(id, one.to, "")
  }
  state.svg.replaceChildren(state.tip, ...paths)
}

const fresh = () => ({ slot: 0, sentence: null, spans: [null, null, null], half: false, about: null })

// The first word begins a part; the second one ends it, and the next part is on.
function choose(state, sentence, place) {
  const { draft } = state
  if (draft.sentence !== null && draft.sentence !== sentence && draft.spans.some(Boolean)) Object.assign(draft, { ...fresh(), about: draft.about, slot: draft.about === null ? 0 : 1 })
  draft.sentence = sentence
  const span = draft.spans[draft.slot]
  if (draft.half && span && place >= span[0]) {
    draft.spans[draft.slot] = [span[0], place]
    draft.half = false
    if (draft.slot < 2) draft.slot += 1
  } else {
    draft.spans[draft.slot] = [place, place]
    draft.half = true
  }
  dressDraft(state)
}

function store(state) {
  const { draft } = state
  const [subject, relation, object] = draft.spans
  const one = { sentence: draft.sentence, subject: draft.about ?? subject, relation, object }
  const again = state.values.triples.some((other) => JSON.stringify(other) === JSON.stringify(one))
  state.draft = fresh()
  if (again) dressDraft(state)
  else set(state, { triples: [...state.values.triples, one] })
}

// A triple goes with all that is said of it.
function without(triples, at) {
  const gone = new Set([at])
  triples.forEach((one, place) => gone.has(one.subject) && gone.add(place))
  const kept = triples.filter((_, place) => !gone.has(place))
  const moved = new Map(kept.map((one, place) => [triples.indexOf(one), place]))
  return kept.map((one) => (typeof one.subject === "number" ? { ...one, subject: moved.get(one.subject) } : one))
}

function toldOf(data, triples, at) {
  const one = triples[at]
  const subject = typeof one.subject === "number" ? `(${toldOf(data, triples, one.subject)})` : wordsOf(data, one.sentence, one.subject)
  return `${subject} — ${wordsOf(data, one.sentence, one.relation)} → ${wordsOf(data, one.sentence, one.object)}`
}

function dressDraft(state) {
  const { data, draft } = state
  state.words.forEach((nodes, sentence) =>
    nodes.forEach((node, place) => {
      const slot = draft.sentence === sentence ? draft.spans.findIndex((span) => span && place >= span[0] && place <= span[1]) : -1
      node.dataset.slot = slot < 0 ? "" : PARTS[slot]
      node.setAttribute("aria-pressed", String(slot >= 0))
    }),
  )
  PARTS.forEach((name, slot) => {
    const span = draft.spans[slot]
    const about = slot === 0 && draft.about !== null
    const text = about ? `(${toldOf(data, state.values.triples, draft.about)})` : span ? wordsOf(data, draft.sentence, span) : "…"
    state.slots[slot].lastChild.textContent = text
    state.slots[slot].setAttribute("aria-pressed", String(slot === draft.slot))
  })
  state.store.disabled = !(draft.spans[1] && draft.spans[2] && (draft.spans[0] || draft.about !== null)) || state.values.triples.length >= data.most
}

function sentenceOf(state, one, sentence) {
  const node = element("p", "sentence", element("b", "number", String(sentence + 1)))
  let end = 0
  const nodes = one.words.map(([from, to], place) => {
    const word = button("word", one.text.slice(from, to))
    word.onclick = () => choose(state, sentence, place)
    word.tabIndex = place ? -1 : 0
    node.append(one.text.slice(end, from), word)
    end = to
    return word
  })
  node.append(one.text.slice(end))
  node.onkeydown = (event) => {
    const at = nodes.indexOf(event.target)
    const to = nodes[at + { ArrowRight: 1, ArrowLeft: -1 }[event.key]]
    if (!to) return
    event.preventDefault()
    nodes.forEach((word) => (word.tabIndex = word === to ? 0 : -1))
    to.focus()
  }
  state.words.push(nodes)
  return node
}

function frameStage(state) {
  const { data, stage } = state
  Object.assign(state, { words: [], draft: fresh() })
  const sentences = element("section", "sentences")
  sentences.append(...data.sentences.map((one, at) => sentenceOf(state, one, at)))
  const slots = element("div", "slots")
  state.slots = PARTS.map((name, slot) => {
    const node = button(`slot ${name}`, element("b", "", name), element("span", "", "…"))
    node.onclick = () => {
      Object.assign(state.draft, { slot, half: false }, slot === 0 ? { about: null } : {})
      dressDraft(state)
    }
    return node
  })
  state.store = button("act", "Store this triple")
  state.store.onclick = () => store(state)
  slots.append(...state.slots, state.store)
  state.list = element("ol", "made")
  state.grid = element("div", "graph")
  state.svg = shape("svg", { "aria-hidden": true })
  state.tip = tip()
  const map = element("section", "chart")
  map.append(element("h4", "", "The graph"), state.grid, element("p", "aid", "A box is an entity, a pill is a relation with the numbers of the sentences that state it. A pill with a double border is a hypernode: its triple is itself a node, and lines go out from it."))
  const list = element("section", "chart")
  list.append(element("h4", "", "Triples that you made"), state.list)
  state.theirs = element("section", "chart")
  stage.append(sentences, slots, map, element("div", "charts", list, state.theirs))
}

function rowOf(state, at) {
  const { data } = state
  const { triples } = state.values
  const node = element("li", "", element("span", "", `${toldOf(data, triples, at)} (sentence ${triples[at].sentence + 1})`))
  const more = button("act", "Say more about it")
  more.disabled = depth(triples, at) >= data.deepest
  more.onclick = () => {
    state.draft = { ...fresh(), about: at, slot: 1 }
    dressDraft(state)
    state.words[triples[at].sentence][0].focus({ preventScroll: true })
  }
  const gone = button("act", "Remove")
  gone.onclick = () => {
    state.draft = fresh()
    set(state, { triples: without(triples, at) })
  }
  node.append(more, gone)
  return node
}

function theirs(state, made) {
  const { data } = state
  const all = made.found.flat()
  const nodes = [element("h4", "", "What the graph of Pellamar has"), element("p", "aid", `${all.filter(Boolean).length} of its ${all.length} triples are yours.`)]
  if (state.values.graph === "shown") {
    const list = element("ul", "made")
    const text = ([s, rel, t]) => `${Array.isArray(s) ? `(${text(s)})` : s} — ${rel} → ${t}`
    data.sentences.forEach((one, sentence) => one.triples.forEach((triple, at) => list.append(element("li", made.found[sentence][at] ? "own" : "", `${made.found[sentence][at] ? "✓" : "○"} ${text(triple)} (sentence ${sentence + 1})`))))
    nodes.push(list, element("p", "aid", "Some of its words are in neither sentence: anyone who makes a graph has to settle on names for things and relations."))
  }
  state.theirs.replaceChildren(...nodes)
}

function show(state, made) {
  if (!state.grid) frameStage(state)
  if (state.draft.about !== null && state.draft.about >= state.values.triples.length) state.draft = fresh()
  state.list.replaceChildren(...state.values.triples.map((_, at) => rowOf(state, at)))
  theirs(state, made)
  dressDraft(state)
  drawGraph(state, made.graph)
}

export default explorable({ handles, compute, show })
