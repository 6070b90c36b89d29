// Plain retrieval with handles: the weight of meaning against words, how many passages are given, a word switched off.
// Below the hits: why a passage matched, word by word.
import { choice, explorable, hitList, ordinal, range, set } from "./explorable.js"
import { button, element, fold, words } from "./parts.js"
import { STAR, called } from "./picture.js"

const SEEN = 10
const told = (share) => (share === 1 ? "only meaning" : share === 0 ? "only words" : `${Math.round(100 * share)} % meaning`)

export function handles(data) {
  const words = data.words.map((word, at) => [String(at), word])
  const chosen = choice("chosen", "", { options: data.passages.map((one) => [String(one.place), one.name]), start: String(data.chosen) })
  return [
    range("share", "Words or meaning", { min: 0, max: 1, step: 0.1, start: 1, told }),
    range("k", "Passages given, k", { min: 1, max: SEEN, start: data.k }),
    choice("off", "Switch a word off", { options: [["", "none"], ...words], start: "" }),
    { ...chosen, draw: undefined },
  ]
}

const bestFirst = (scored) => scored.sort((one, other) => other[1] - one[1] || one[0] - other[0])

// BM25 is a sum: each word of the question adds something to each passage that has it.
function summed(data, off) {
  const sums = new Map()
  data.terms.forEach((term, at) => {
    if (at !== off) for (const [place, score] of term) sums.set(place, (sums.get(place) ?? 0) + score)
  })
  return bestFirst([...sums])
}

// From 1 for the best hit to 0 for the last, as `core.retrieval.fusion.combine` does.
function scaled(scores) {
  const [most, least] = [scores[0], scores.at(-1)]
  return scores.map((score) => (most > least ? (score - least) / (most - least) : 1))
}

function ranked(data, off, share) {
  const near = bestFirst(data.dense[off + 1].map((score, place) => [place, score])).slice(0, data.depth)
  const parts = new Map()
  const lists = [[near, share], [summed(data, off).slice(0, data.depth), 1 - share]]
  lists.forEach(([list, weight], at) => {
    const scores = list.length ? scaled(list.map(([, score]) => score)) : []
    list.forEach(([place], index) => {
      if (!parts.has(place)) parts.set(place, [0, 0])
      parts.get(place)[at] = weight * scores[index]
    })
  })
  return [...parts].map(([place, [meaning, words]]) => ({ place, meaning, words, score: meaning + words })).sort((one, other) => other.score - one.score)
}

// What each word of the question has to do with the chosen passage.
function why(data, passage, off) {
  return data.words.map((word, at) => ({
    word,
    off: at === off,
    cells: passage.heat.cells[at],
    adds: at === off ? 0 : (data.terms[at].find(([place]) => place === passage.place)?.[1] ?? 0),
  }))
}

export function compute(data, values) {
  const off = values.off === "" ? -1 : Number(values.off)
  const rows = ranked(data, off, values.share)
  const before = ranked(data, -1, 1).map((row) => row.place)
  const first = rows.slice(0, SEEN)
  const passages = new Map(data.passages.map((one) => [one.place, one]))
  const rank = (place) => rows.findIndex((row) => row.place === place) + 1
  const places = data.stars.map((place) => [rank(place), called(passages.get(place))]).sort(([one], [other]) => (one || Infinity) - (other || Infinity))
  const given = places.filter(([at]) => at && at <= values.k).length
  const how = values.share === 1 ? "By meaning alone" : values.share === 0 ? "By words alone" : `With ${told(values.share)}`
  const without = off < 0 ? "" : `, without “${data.words[off]}”`
  const chosen = passages.get(Number(values.chosen ?? data.chosen))
  const hits = first.map((row, at) => ({ ...row, rank: at + 1, was: before.indexOf(row.place) + 1, given: at < values.k, passage: passages.get(row.place) }))
  const matches = why(data, chosen, off)
  const total = matches.reduce((sum, one) => sum + one.adds, 0)
  const lone = total ? Math.max(...matches.map((one) => one.adds)) / total : 0
  const most = matches.find((one) => one.adds && one.adds === Math.max(...matches.map((each) => each.adds)))
  return {
    order: first.map((row) => row.place),
    scores: first.map((row) => row.score),
    says: `${how}${without}, ${places.map(([at, name]) => `${name} is ${at ? ordinal(at) : "not found"}`).join(" and ")}: ${given} of ${places.length} ${STAR} ${given === 1 ? "is" : "are"} among the ${values.k} given.`,
    facts: [
      ...hits.map((hit) => `${hit.rank}. ${called(hit.passage)}: ${hit.score.toFixed(2)}, ${hit.meaning.toFixed(2)} by meaning and ${hit.words.toFixed(2)} by words`),
      ...matches.map((one) => `${called(chosen)}, “${one.word}”: adds ${one.adds.toFixed(2)} to BM25; nearest word ${chosen.heat.words[one.cells.indexOf(Math.max(...one.cells))]}`),
    ],
    hits,
    chosen,
    rank: rank(chosen.place),
    matches,
    total,
    most: most && `“${most.word}” makes ${Math.round(100 * lone)} % of it`,
  }
}

function item(state, place) {
  const node = button("hit")
  const track = element("span", "track", element("i", "meaning"), element("i", "words"))
  node.append(element("b", "rank"), element("span", "who"), track, element("span", "sum"), element("span", "was"))
  node.onclick = () => set(state, { chosen: String(place) })
  return element("li", "", node)
}

function write(made, hit, chosen) {
  const node = made.firstElementChild
  const [rank, who, track, sum, was] = node.children
  rank.textContent = hit.rank
  // Passages of one document have its title: what tells them apart stands below it.
  const { name, card } = hit.passage
  const title = card.title.replace(`${STAR} `, "")
  const part = name.startsWith(`${title} · `) ? name.slice(title.length + 3) : ""
  who.replaceChildren(element("span", "", card.starred ? `${STAR} ${title}` : title), element("span", "part", part))
  track.children[0].style.width = `${100 * hit.meaning}%`
  track.children[1].style.width = `${100 * hit.words}%`
  sum.textContent = hit.score.toFixed(2)
  was.textContent = hit.was === hit.rank ? "" : hit.was ? `was ${hit.was}` : "new"
  node.title = `${called(hit.passage)}: ${hit.meaning.toFixed(2)} by meaning + ${hit.words.toFixed(2)} by words`
  node.classList.toggle("left", !hit.given)
  node.setAttribute("aria-pressed", String(hit.passage === chosen))
}

const cell = (tag, name, text) => element(tag, name, text)

// A row per word of the question: how near the words of the passage are to it, and what it adds to BM25.
function table(data, made) {
  const longest = Math.max(...data.terms.flatMap((term) => term.map(([, score]) => score)))
  const node = element("table")
  const kinds = element("tr")
  const meaning = cell("th", "kind", "Meaning: similarity of words")
  meaning.colSpan = made.chosen.heat.words.length
  const adds = cell("th", "kind", "Words: what BM25 adds")
  adds.colSpan = 2
  kinds.append(element("td"), meaning, adds)
  const names = element("tr", "names")
  names.append(element("td"), ...made.chosen.heat.words.map((word) => {
    const one = cell("th")
    one.append(element("span", "", word))
    return one
  }), element("td"), element("td"))
  const rows = made.matches.map((one) => {
    const row = element("tr", one.off ? "off" : "")
    const cells = one.cells.map((heat) => {
      const made = cell("td", "cell", heat >= 30 ? `.${heat}` : "")
      made.style.setProperty("--heat", `${Math.max(0, heat) * 0.65}%`)
      return made
    })
    const bar = cell("td", "bar")
    bar.append(element("i"))
    bar.firstElementChild.style.width = `${(100 * one.adds) / longest}%`
    row.append(cell("th", "word", one.word), ...cells, bar, cell("td", "adds", one.adds ? one.adds.toFixed(2) : "–"))
    return row
  })
  const sum = element("tr", "total")
  const label = cell("td", "", made.most ?? "no word of the question")
  label.colSpan = made.chosen.heat.words.length + 2
  sum.append(label, cell("td", "adds", `= ${made.total.toFixed(2)}`))
  node.append(kinds, names, ...rows, sum)
  return node
}

function show(state, made) {
  const { data, stage } = state
  if (!state.list) {
    stage.classList.add("matching")
    state.items = new Map()
    state.list = element("ol", "hits")
    const found = element("section")
    const key = element("p", "aid", "Score: ", element("i", "meaning"), " meaning + ", element("i", "words"), " words, each scaled from 0 to 1. Dashed: not given.")
    found.append(element("h4", "", "What is found"), state.list, key)
    state.head = element("h4")
    state.table = element("div", "table")
    state.text = element("div")
    const match = element("section")
    const aid = "Left: cosine of two words as MiniLM reads them, in numbers from .30 on; the search itself compares whole texts. Right: rare words add most, and a word that the passage lacks adds nothing."
    match.append(state.head, element("p", "aid aside", "Swipe the table sideways to see all of it."), state.table, element("p", "aid", aid), state.text)
    stage.append(found, match)
  }
  hitList(state, made.hits, item, (node, hit) => write(node, hit, made.chosen))
  state.head.textContent = `Why it matched: ${called(made.chosen)}, ${made.rank ? `${ordinal(made.rank)} now` : "not found"}`
  state.table.replaceChildren(table(data, made))
  if (state.read !== made.chosen.place) {
    const text = fold("read", "Read the passage", state.open, "read", words(made.chosen.card))
    state.text.replaceChildren(text)
    state.read = made.chosen.place
  }
}

export default explorable({ handles, compute, show })
