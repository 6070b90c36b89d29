// Small to big with handles: what is given of the pages that were found, as far as it fits into a number of tokens.
import { choice, explorable, figures, ordinal, picked, range } from "./explorable.js"
import { button, element } from "./parts.js"
import { STAR } from "./picture.js"

export function handles(data) {
  const [min, max, start] = data.range
  return [
    choice("give", "Give", { options: data.given, start: data.given[0][0] }),
    range("most", "Tokens at most", { min, max, step: 100, start, told: (most) => most.toLocaleString("en") }),
    picked("asked", "Question", data.asked.map((one) => one.question)),
  ]
}

const key = ([document, place]) => `${document}.${place}`
const place = (text) => text.split(".").map(Number)
const size = (data, [document, at]) => data.documents[document].chunks[at]

// Chunks that touch are one passage, and its title is counted once.
function cost(data, chosen) {
  let sum = 0
  for (const text of chosen) {
    const [document, at] = place(text)
    sum += size(data, [document, at]) + (chosen.has(key([document, at - 1])) ? 0 : data.documents[document].title)
  }
  return sum
}

// Hits first, and then each is widened, the best first, if that still fits; as `core.retrieval.widening.fit` does.
function fitted(data, hits, give, most) {
  let chosen = new Set()
  let bare = 0
  const taken = []
  for (const hit of hits) {
    const more = new Set(chosen).add(key(hit))
    if (taken.length && cost(data, more) > most) break
    chosen = more
    taken.push(hit)
  }
  for (const [document, at] of taken) {
    const last = data.documents[document].chunks.length - 1
    const [from, to] = give === "documents" ? [0, last] : [Math.max(0, at - Number(give)), Math.min(last, at + Number(give))]
    const more = new Set(chosen)
    for (let one = from; one <= to; one += 1) more.add(key([document, one]))
    if (more.size === chosen.size || cost(data, more) <= most) chosen = more
    else bare += 1
  }
  return { chosen, taken: taken.length, bare }
}

// All documents by name until one does not fit; of the first one as much as does, and be it one chunk.
function everything(data, most) {
  const chosen = new Set()
  let left = most
  const add = (document, chunks) => chunks.forEach((_, at) => chosen.add(key([document, at])))
  for (const [document, { title, chunks }] of data.documents.entries()) {
    const whole = chunks.reduce((sum, one) => sum + one, title)
    if (whole > left) break
    add(document, chunks)
    left -= whole
  }
  const [{ title, chunks }] = data.documents
  let sum = title
  if (!chosen.size) add(0, chunks.filter((one, at) => (sum += one) <= most || !at))
  return { chosen, taken: 0, bare: 0 }
}

const holding = (pieces, chosen) => pieces.filter((piece) => piece.some((one) => chosen.has(key(one)))).length
const tokens = (count) => `${count.toLocaleString("en")} tokens`

function sentence(data, now, { give }) {
  const { asked } = now
  const all = asked.pieces.length
  const documents = new Set([...now.chosen].map((one) => place(one)[0])).size
  const ways = {
    0: `Hits alone, ${now.taken} of ${data.hits}`,
    1: `The ${now.taken} hits with 1 neighbour on either side`,
    2: `The ${now.taken} hits with 2 neighbours on either side`,
    documents: `The documents of ${now.taken} hits`,
    everything: `Of ${data.documents.length} documents, the first ${documents} by name`,
  }
  const cut = now.taken < data.hits && give !== "everything" ? ` Only ${now.taken} of ${data.hits} hits fit.` : now.bare ? ` For ${now.bare} of ${now.taken} hits, what is around them does not fit.` : ""
  const pages = asked.pages.map((page) => page.document)
  const away = asked.pieces.filter((piece) => !piece.some(([document]) => pages.includes(document))).length
  const never = away && give !== "everything" ? ` ${away} ${STAR} ${away === 1 ? "is" : "are"} on a page without a hit.` : ""
  const other = give === "0" ? "" : ` As many tokens of hits alone give ${now.beside} of ${all} ${STAR}.`
  return `${ways[give]}: ${tokens(now.cost)}, ${now.held} of ${all} ${STAR} given.${cut}${never}${other}`
}

export function compute(data, values) {
  const asked = data.asked[Number(values.asked)]
  const hits = asked.hits.slice(0, data.hits)
  const found = values.give === "everything" ? everything(data, values.most) : fitted(data, hits, values.give, values.most)
  const spent = cost(data, found.chosen)
  const alone = fitted(data, asked.hits, "0", spent)
  const ranks = new Map(hits.map((hit, at) => [key(hit), at + 1]))
  const pages = asked.pages.map((page) => ({
    ...page,
    chunks: page.chunks.map((chunk, at) => {
      const own = key([page.document, at])
      return { ...chunk, size: size(data, [page.document, at]), rank: ranks.get(own) ?? 0, given: found.chosen.has(own) }
    }),
  }))
  const now = { ...found, asked, cost: spent, held: holding(asked.pieces, found.chosen), beside: holding(asked.pieces, alone.chosen) }
  const own = (rank) => pages.flatMap((page) => page.chunks).filter((one) => one.given && Boolean(one.rank) === rank).reduce((sum, one) => sum + one.size, 0)
  return {
    ...now,
    given: [...found.chosen].map(place).sort(([one, at], [other, to]) => one - other || at - to),
    says: sentence(data, now, values),
    facts: pages.map((page) => `${page.title}: ${page.chunks.map((one, at) => `chunk ${at + 1}${one.star ? ` ${STAR}` : ""} ${told(one)}`).join(", ")}`),
    pages,
    parts: { found: own(true), around: own(false) },
    hitsAlone: holding(asked.pieces, new Set(hits.map(key))),
    besideHits: alone.taken,
    most: values.most,
  }
}

const told = (one) => (one.rank ? `found ${ordinal(one.rank)}${one.given ? "" : ", does not fit"}` : one.given ? "given around a hit" : "not given")
const kind = (one) => `${one.rank ? "found" : "around"}${one.given ? "" : " out"}`

function strip(state, page, at) {
  const node = button("page")
  const cells = element("span", "strip")
  for (const one of page.chunks) {
    const cell = element("i", kind(one), `${one.star ? STAR : ""}${one.rank || ""}`)
    cell.style.flexGrow = one.size
    cells.append(cell)
  }
  node.append(element("span", "title", page.title), cells)
  node.setAttribute("aria-pressed", String(at === state.chosen))
  node.onclick = () => {
    state.chosen = at
    dress(state)
  }
  return node
}

function dress(state) {
  const { pages } = state.made
  state.pages.replaceChildren(...pages.map((page, at) => strip(state, page, at)))
  const page = pages[state.chosen]
  state.head.textContent = page.title
  const same = state.read === page.document
  const top = state.text.scrollTop
  state.text.replaceChildren(...page.chunks.map((one) => {
    return element("div", `chunk ${kind(one)}`, element("b", "", `${one.star ? `${STAR} ` : ""}${told(one)}`), element("p", "", one.text))
  }))
  const first = page.chunks.findIndex((one) => one.star)
  state.text.scrollTop = same ? top : Math.max(0, state.text.children[Math.max(0, first)].offsetTop - 60)
  state.read = page.document
}

function meter(state, made) {
  const [, most] = state.data.range
  const parts = [["found", made.parts.found], ["around", made.parts.around], ["other", made.cost - made.parts.found - made.parts.around]]
  const border = element("u")
  border.style.left = `${(100 * made.most) / most}%`
  state.meter.replaceChildren(...parts.map(([name, count]) => {
    const one = element("i", name)
    one.style.width = `${(100 * count) / most}%`
    return one
  }), border)
}

function show(state, made) {
  const { stage } = state
  if (!state.pages) {
    state.numbers = stage.appendChild(element("div", "figures"))
    const line = stage.appendChild(element("div"))
    state.meter = element("div", "meter")
    const legend = element("p", "aid")
    legend.append("Tokens: ", element("i", "found"), " found, ", element("i", "around"), " around it, ", element("i", "other"), " titles and other documents; the thick line is the limit. On the pages, a number is the rank of a hit; dashed chunks are not given.")
    line.append(state.meter, legend)
    const both = stage.appendChild(element("div", "both"))
    const left = both.appendChild(element("section"))
    state.pages = element("div", "pages")
    left.append(element("h4", "", "Pages with hits, chunk by chunk"), state.pages)
    const right = both.appendChild(element("section"))
    state.head = right.appendChild(element("h4"))
    state.text = right.appendChild(element("div", "text"))
    state.text.tabIndex = 0
    state.text.setAttribute("role", "group")
    state.text.setAttribute("aria-label", "The page, chunk by chunk")
  }
  if (state.asked !== made.asked) {
    state.asked = made.asked
    state.read = null
    state.chosen = Math.max(0, made.pages.findIndex((page) => page.chunks.some((one) => one.star && !one.rank)))
  }
  state.made = made
  const all = made.asked.pieces.length
  figures(state.numbers, [
    ["Given", tokens(made.cost), `of at most ${made.most.toLocaleString("en")}`],
    ["Evidence given", `${made.held} of ${all} ${STAR}`, `the ${state.data.hits} hits alone ${made.hitsAlone}`],
    ["As many tokens of hits alone", `${made.beside} of ${all} ${STAR}`, `${made.besideHits} hits`],
  ])
  meter(state, made)
  dress(state)
}

export default explorable({ handles, compute, show })
