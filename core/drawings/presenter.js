// A comparison for a projector. Everything is here: no key asks the server.
import * as fusion_flow from "./fusion_flow.js"
import * as goals from "./goals.js"
import * as links from "./links.js"
import * as moves from "./moves.js"
import { apart, button, changed, counted, element, fitType, lost, measured, more, recall, resized, scaled, wholeLines } from "./parts.js"
import * as pool from "./pool.js"
import * as route from "./route.js"
import * as turns from "./turns.js"
import { control, dressed, follow, frame, NEXT } from "./sheet.js"
import { counter, Votes } from "./votes.js"
import * as walk from "./walk.js"
import * as ways from "./ways.js"

const PICTURES = { fusion_flow, goals, links, moves, pool, route, turns, walk, ways }
const [QUESTION, PREDICTION, FIRST] = [0, 1, 2]
const PICTURE = "P" // the key that changes between searches and picture
const MISSED = "M" // and the one that shows the evidence that was missed
const LARGE = 24 // pixels of type in a picture that has room
const SMALL = 15 // and in one that has not: what is larger still scrolls
const TURNS = { ...NEXT, Home: -Infinity, End: Infinity }

const last = (state) => FIRST + state.data.slides.length

// Parts of a stage

function named(slide, tag = "h3") {
  const node = element(tag, "named")
  node.style.setProperty("--colour", slide.colour)
  node.append(element("span", "letter", slide.mark), element("span", "name", slide.title))
  if (slide.detail) node.append(element("span", "detail", slide.detail))
  return node
}

function passageLine(line) {
  const item = element("li", line.gold ? "gold" : "", element("span", "star", line.gold ? "★" : ""), element("span", "title", line.title))
  if (line.number) item.append(element("span", "number", `[${line.number}]`))
  if (line.cited) item.append(element("span", "marks", "cited"))
  return item
}

// What it searched with, and below each search what it was the first to bring.
function searchesOf(slide) {
  const side = element("div", "searches")
  const several_ = slide.searches.filter((search) => search.text).length > 1
  side.append(element("h3", "", several_ ? "Searches, and what each added" : "Search, and what it found"))
  const list = element("ol")
  for (const search of slide.searches) {
    const item = element("li", "search")
    if (search.text) {
      const query = element("p", "query")
      if (search.kind) query.append(element("span", "kind", search.kind), " ")
      query.append(element("span", "", search.text))
      if (!search.added.length && !search.more) query.append(element("span", "nothing", " nothing new"))
      item.append(query)
    }
    if (search.added.length) {
      const added = element("ul")
      added.append(...search.added.map(passageLine))
      item.append(added)
    }
    list.append(item)
  }
  if (slide.searches.length) side.append(list)
  else side.append(element("p", "quiet", slide.running ? "Nothing yet." : "Nothing was searched."))
  const [searches, passages] = slide.more
  const rest = [searches ? counted(searches, "more search", "more searches") : "", passages ? counted(passages, "more passage") : ""].filter(Boolean)
  if (rest.length) side.append(element("p", "quiet", `and ${rest.join(", ")}`))
  return side
}

function judged(slide) {
  const node = element("span", `judged ${slide.judged.verdict}`)
  node.textContent = `${slide.judged.sign} ${slide.judged.said}`
  return node
}

function foundOf(state, slide) {
  const node = element("span", "foundline")
  if (slide.stars) node.append(element("span", "stars", slide.stars.replaceAll("☆", "")))
  if (slide.missed.length) {
    const stars = button("look missed", slide.stars ? "☆".repeat(slide.missed.length) : `☆ ${slide.missed.length}`)
    stars.title = `The evidence that was missed (${MISSED})`
    stars.setAttribute("aria-pressed", String(state.view === MISSED))
    stars.onclick = () => change(state, MISSED)
    node.append(stars)
  }
  node.append(" ", state.data.gold ? `${slide.found} of ${state.data.gold} found` : counted(slide.given, "passage"))
  return node
}

function answered(slide, name) {
  const node = element("p", name, ...slide.answer.map((piece) => piece.mark ? element("span", "cite", piece.text) : piece.text))
  if (!slide.answer.length) {
    node.classList.add("quiet")
    node.textContent = slide.running ? "Not answered yet." : slide.error || "There is no answer."
  }
  return node
}

// Stages

function question({ data }) {
  const node = element("div", "question", element("p", "small", "The question"), element("p", "big", data.question))
  node.append(element("p", "small", `${counted(data.slides.length, "strategy", "strategies")} will answer it.`))
  return node
}

function prediction(state) {
  const { data } = state
  const node = element("div", "prediction")
  const head = element("div", "asked", element("h2", "", data.ask), element("p", "small", data.question))
  const cards = element("div", `cards of${data.slides.length}`)
  for (const slide of data.slides) {
    const card = element("section", "card")
    card.dataset.mark = slide.mark
    card.style.setProperty("--colour", slide.colour)
    card.append(named(slide), element("p", "idea", slide.idea), counter(slide, state.votes, () => dress(state), state.counters))
    cards.append(card)
  }
  node.append(head, cards)
  return node
}

function pictureOf(state, slide) {
  const { name, data } = slide.picture
  const place = element("div", "picture")
  const inside = apart({ css: scaled(PICTURES[name].css) })
  place.append(inside)
  // The mouse points and chooses; keys and clickers go on turning the pages.
  place.onclick = (event) => event.detail && state.root.focus({ preventScroll: true })
  const act = () => {
    if (!place.isConnected) return
    const end = PICTURES[name].default({ data, parentElement: inside.shadowRoot })
    const stop = resized(state, [place], () => fitType(place, LARGE, SMALL))
    state.release = () => {
      stop()
      end?.()
    }
  }
  queueMicrotask(act)
  return place
}

// Changes between searches and picture.
function look(state, slide) {
  const drawn = state.view === PICTURE
  const node = button("look", drawn ? "Searches" : "Picture")
  node.title = `${drawn ? "What it searched with, and its answer" : slide.picture.title} (${PICTURE})`
  node.onclick = () => change(state, PICTURE)
  return node
}

function change(state, view) {
  state.view = state.view === view ? "" : view
  show(state)
  state.root.focus({ preventScroll: true })
}

function reveal(state, slide) {
  const node = element("div", "reveal")
  node.style.setProperty("--colour", slide.colour)
  const head = element("div", "top", named(slide, "h2"), slide.state ? element("span", "state", slide.state) : null)
  if (slide.picture) head.append(look(state, slide))
  head.append(foundOf(state, slide))
  if (slide.picture && state.view === PICTURE) {
    node.append(head, pictureOf(state, slide))
    return node
  }
  if (slide.missed.length && state.view === MISSED) {
    node.append(head, lost(slide.missed))
    return node
  }
  const answer = element("div", "answer")
  const length = slide.answer.reduce((sum, piece) => sum + piece.text.length, 0)
  const parts = element("div", "parts")
  answer.append(element("h3", "", "Answer ", more(parts, state.open, `${slide.mark}-slide`, answer)), answered(slide, length && length <= 90 ? "text brief" : "text"))
  if (slide.judged) answer.append(judged(slide))
  if (slide.answer.length && slide.error) answer.append(element("p", "quiet", slide.error))
  if (slide.plain) answer.append(element("p", "quiet", slide.plain))
  parts.append(searchesOf(slide), answer)
  node.append(head, element("p", "did", slide.did || (slide.running ? "Getting ready" : "Nothing came of it")), parts, element("p", "costs", [...slide.costs, slide.origin].filter(Boolean).join(" · ")))
  return node
}

function verdictOf({ data, votes }) {
  const all = votes.total()
  if (!data.gold && !data.right) return `Which answer is best? The class decides.${all ? "" : " Nobody has voted."}`
  if (data.slides.some((slide) => slide.running)) return "Some strategies are still running."
  return all && data.best.length ? `${data.outcome} ${votes.total(data.best)} of ${counted(all, "vote")} predicted right.` : data.outcome
}

function result(state) {
  const { data, votes } = state
  const node = element("div", "result")
  const table = element("table")
  const head = element("tr")
  const names = ["Strategy", ...(data.gold ? ["Evidence"] : []), "Answer", "Costs", "Votes"]
  for (const name of names) {
    const cell = element("th", name.toLowerCase(), name)
    cell.scope = "col"
    head.append(cell)
  }
  const top = element("thead", "", head)
  const body = element("tbody")
  for (const slide of data.slides) {
    const best = data.best.includes(slide.mark)
    const line = element("tr", best ? "best" : "")
    line.dataset.mark = slide.mark
    const name = element("th", "strategy")
    name.scope = "row"
    name.append(named(slide, "div"))
    if (slide.state) name.append(element("span", "state", slide.state))
    line.append(name)
    if (data.gold) {
      const found = element("td", "found", slide.stars ? element("span", "stars", slide.stars) : null)
      found.append(` ${slide.found} of ${data.gold}`)
      if (slide.given) found.append(element("div", "small", `in ${counted(slide.given, "passage")}`))
      line.append(found)
    }
    const answer = element("td", "short")
    const words = answered(slide, "clamped")
    answer.append(words, more(words, state.open, slide.mark))
    if (slide.judged) answer.append(judged(slide))
    const costs = element("td", "costs")
    // Calls and seconds: rounds and tokens are on its own slide.
    for (const cost of [slide.costs[0], slide.costs.at(-1).split(" (")[0]]) costs.append(element("span", "", cost))
    const count = element("td", "votes", String(votes.of(slide.mark)))
    if (best && votes.of(slide.mark)) count.append(element("span", "right", "✓ right"))
    line.append(answer, costs, count)
    body.append(line)
  }
  table.append(top, body)
  node.append(element("h2", "verdict", verdictOf(state)))
  if (data.right) node.append(element("p", "rightly", `✓ Right answer: ${data.right}`))
  if (data.missed.length) node.append(element("p", "missed", `☆ Nobody found: ${data.missed.join("; ")}`))
  node.append(table)
  return node
}

function stage(state) {
  if (state.at === QUESTION) return question(state)
  if (state.at === PREDICTION) return prediction(state)
  if (state.at === last(state)) return result(state)
  return reveal(state, state.data.slides[state.at - FIRST])
}

// Turning

function turn(state, by) {
  state.at = Math.max(QUESTION, Math.min(state.at + by, last(state)))
  if (state.view === MISSED) state.view = ""
  if (state.at >= FIRST) state.votes.close()
  state.sure = false
  show(state)
}

function startOver(state) {
  if (state.votes.total() && !state.sure) {
    state.sure = true
    dress(state)
    return
  }
  state.votes.startOver()
  turn(state, -Infinity)
}

const trim = ({ body }) => wholeLines(body.querySelectorAll(".parts > div, .lost"))

function show(state) {
  state.counters = new Map()
  state.release?.()
  state.release = null
  state.body.replaceChildren(stage(state))
  measured(state.body)
  trim(state)
  state.body.scrollTop = 0
  state.root.dataset.stage = state.at
  dress(state)
}

function hint(state) {
  const slide = state.data.slides[state.at - FIRST]
  const keys = [slide?.picture && `${PICTURE}: ${state.view === PICTURE ? "searches" : "picture"}`, slide?.missed.length && `${MISSED}: show missed evidence`]
  if (keys.some(Boolean)) return [...keys.filter(Boolean), "Space or →: next", "←: back"].join(" · ")
  if (state.at !== PREDICTION) return "Space or →: next · ←: back · Home · End"
  if (state.votes.closed) return "Voting is closed · Space or →: next · ←: back"
  const marks = state.data.slides.map((slide) => slide.mark)
  return `${marks[0]}–${marks.at(-1)}: vote · Shift + letter: undo · Space: reveal`
}

// What changes without another stage.
function dress(state) {
  const { at, votes } = state
  for (const write of state.counters.values()) write()
  dressed(state, (at + 1) / (last(state) + 1))
  state.place.textContent = `${at + 1} of ${last(state) + 1}`
  state.hint.textContent = hint(state)
  state.back.disabled = at === QUESTION
  state.next.disabled = at === last(state)
  state.next.textContent = at === PREDICTION && !votes.closed ? "Reveal ▶" : "Next ▶"
  state.again.textContent = state.sure ? `Clear ${counted(votes.total(), "vote")}?` : "Start over"
}

function pressed(state, event) {
  // In a picture, these keys lead from box to box.
  const drawn = event.composedPath().some((node) => node.classList?.contains("picture"))
  if (drawn && (event.key.startsWith("Arrow") || ["Home", "End"].includes(event.key))) return false
  const mark = event.key.toUpperCase()
  if (event.key in TURNS) turn(state, TURNS[event.key])
  else if (mark === PICTURE && state.data.slides[state.at - FIRST]?.picture) change(state, PICTURE)
  else if (mark === MISSED && state.data.slides[state.at - FIRST]?.missed.length) change(state, MISSED)
  else if (state.at === PREDICTION && state.votes.counts.has(mark)) {
    state.votes.add(mark, event.shiftKey ? -1 : 1)
    dress(state)
  }
  // Letters are shortcuts of the page as well: none of them is meant in this drawing.
  return event.key in TURNS || /^[a-z]$/i.test(event.key)
}

function begin(state) {
  state.again = control(state, "again", "Back to the question; clears the votes", () => startOver(state))
  frame(state, turn, ["To the stage before", "To the next stage"], [state.again])
  state.root.querySelector(".sheet").onclick = (event) => {
    if (event.detail && event.target.classList.contains("vote")) state.root.focus({ preventScroll: true })
    trim(state)
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  const fresh = !state.body
  if (fresh) Object.assign(state, { root, at: QUESTION, sure: false, view: "" })
  if (changed(state, data)) {
    state.data = data
    if (fresh) begin(state)
    const marks = data.slides.map((slide) => slide.mark)
    if (String(state.votes?.marks) !== String(marks)) state.votes = new Votes(data.key, marks)
    state.at = Math.min(state.at, last(state))
    // Question and cards stay as they are while runs go on.
    const part = state.at < FIRST ? [data.ask, data.question, data.slides.map((slide) => [slide.title, slide.detail])] : data
    const drawn = JSON.stringify([state.at, part])
    if (drawn !== state.part) show(state)
    state.part = drawn
  }
  if (fresh) {
    follow(state, pressed, () => {
      trim(state)
      dress(state)
    })
  }
  return () => {
    state.keys.abort()
    state.release?.()
  }
}
