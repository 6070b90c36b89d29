// A class on a projector: how to join, then one question after the other, its votes as they come in, and the truth.
import { ClassLink, joining } from "./class_link.js"
import { changed, counted, element, recall } from "./parts.js"
import { control, dressed, follow, frame, NEXT } from "./sheet.js"

const HIDE = "V" // the key that hides the votes until the reveal, so that nobody follows the crowd
const SMALLEST = 0.65 // of the usual type: what is larger still scrolls
const LONG = 140 // characters of a question from which on it is set smaller
const PAGES = { comparison: "compare?comparison=", run: "./?run=", lesson: "learn?lesson=" }

const isOver = ({ phase }) => phase === "result" || phase === "ended"
const percent = (part, all) => (all ? Math.round((100 * part) / all) : 0)
const total = (numbers) => numbers.reduce((sum, one) => sum + one, 0)

// Stages

function lobby(state) {
  const { view, data } = state
  const lines = view.admits ? [element("p", "big", `Join “${view.name}”`), joining(data, "join large")] : [element("p", "big", view.name), element("p", "", "Nobody else can join.")]
  if (data.unreachable) lines.push(element("p", "warning", data.unreachable))
  state.joined = element("p", "count")
  return element("div", "question", ...lines, state.joined)
}

function option(state, one, at) {
  const { question } = state.view
  const right = question.revealed && question.right.includes(one.key)
  const number = element("output", "number")
  const bar = element("div", "track", element("div", "fill"))
  bar.setAttribute("aria-hidden", "true")
  const line = element("li", right ? "option true" : "option", element("span", "letter", one.key), element("span", "says", one.text, right ? element("strong", "mark", " ✓ right") : ""), number, bar)
  state.bars[at] = [number, bar.firstChild]
  return line
}

function asked(state) {
  const { question } = state.view
  state.bars = []
  const head = element("div", question.text.length > LONG ? "asking long" : "asking", question.about ? element("p", "about", question.about) : "", element("h2", "", question.text))
  const list = element("ol", "options", ...question.options.map((one, at) => option(state, one, at)))
  const node = element("div", "voting", element("div", "above", head, state.view.admits ? joining(state.data, "join") : ""), list)
  if (question.revealed && question.after) node.append(element("p", "after", question.after))
  return node
}

function over(state) {
  const { rates, name } = state.view
  const node = element("div", "voting", element("h2", "", `${name}: ${counted(rates.length, "question")}`))
  const list = element("ol", "options")
  for (const rate of rates) {
    const share = percent(rate.right, rate.votes)
    const fill = element("div", "fill")
    fill.style.width = `${share}%`
    list.append(element("li", "option", element("span", "letter", String(list.children.length + 1)), element("span", "says", rate.text), element("output", "number", rate.votes ? `${share} % of ${rate.votes}` : "no votes"), element("div", "track", fill)))
  }
  if (state.view.phase === "ended") node.append(element("p", "small", "This class is over."))
  node.append(list, element("p", "small", rates.length ? "Right predictions, as a share of the votes on each question." : "No question was revealed."))
  return node
}

function stage(state) {
  if (isOver(state.view)) return over(state)
  return state.view.question ? asked(state) : lobby(state)
}

// What changes while a stage stays: the numbers.
function count(state) {
  const { view } = state
  const { question } = view
  state.hint.textContent = state.problem
  if (question) {
    const all = total(question.votes)
    const shown = question.revealed || !state.hidden
    for (const [at, [number, fill]] of state.bars.entries()) {
      const votes = question.votes[at]
      number.textContent = !shown ? "" : question.revealed ? `${percent(votes, all)} %` : counted(votes, "vote")
      fill.style.width = shown ? `${percent(votes, all)}%` : "0"
    }
    state.hint.textContent ||= `${all} of ${view.joined} voted${state.hidden && !question.revealed ? ", hidden" : ""}`
  } else if (state.joined) state.joined.textContent = `${counted(view.joined, "browser")} joined`
  state.place.textContent = question ? `${question.place + 1} of ${view.count}` : ""
  dressed(state, isOver(view) ? 1 : view.count ? (view.place + 1) / (view.count + 1) : 0)
  state.back.disabled = view.place < 0
  state.next.disabled = isOver(view) || !view.count
  state.next.textContent = { waiting: "Begin ▶", open: "Reveal ▶" }[view.phase] ?? (view.place + 1 < view.count ? "Next ▶" : "Result ▶")
  const shows = question?.revealed && PAGES[question.source] && question.target
  state.see.hidden = !shows
  if (shows) state.see.href = new URL(PAGES[question.source] + encodeURIComponent(question.target), location.href)
  state.anew.hidden = !question
  state.anew.textContent = state.sure ? `Clear ${counted(total(question?.votes ?? []), "vote")}?` : "Ask again"
  state.end.hidden = view.phase !== "result"
  state.admits.hidden = view.phase === "ended"
  state.admits.textContent = view.admits ? "Close joining" : "Open joining"
  state.hide.hidden = !question || question.revealed
  state.hide.textContent = state.hidden ? "Show votes" : "Hide votes"
}

// The largest type in which all of a stage is in sight.
function settle({ body }) {
  let size = 1
  const fits = () => {
    body.firstElementChild.style.fontSize = `${size}em`
    return body.scrollHeight <= body.clientHeight + 1
  }
  while (!fits() && size > SMALLEST) size -= 0.05
}

function seen(state, view) {
  state.view = view
  const drawn = JSON.stringify([view.phase, view.admits, view.name, { ...view.question, votes: 0 }, isOver(view) && view.rates])
  if (drawn !== state.part) {
    state.part = drawn
    state.sure = false
    state.body.replaceChildren(stage(state))
    state.body.scrollTop = 0
    settle(state)
  }
  count(state)
}

// Turning

function turn(state, by) {
  const { view, link } = state
  state.sure = false
  if (by > 0) {
    if (isOver(view) || !view.count) return
    if (view.phase === "open") link.show({ place: view.place, phase: "revealed" })
    else if (view.place + 1 < view.count) link.show({ place: view.place + 1, phase: "open" })
    else link.show({ place: view.place, phase: "result" })
  } else if (isOver(view)) link.show({ place: view.place, phase: "revealed" })
  else if (view.place >= 0) link.show({ place: view.place - 1, phase: view.place ? "open" : "waiting" })
}

function anew(state) {
  if (!state.sure && total(state.view.question.votes)) {
    state.sure = true
    return count(state)
  }
  state.sure = false
  state.link.show({ place: state.view.place, phase: "open", anew: true })
}

function hide(state) {
  state.hidden = !state.hidden
  count(state)
}

function pressed(state, event) {
  if (!state.view) return false
  if (event.key in NEXT) turn(state, NEXT[event.key])
  else if (event.key.toUpperCase() === HIDE) hide(state)
  else return false
  return true
}

function begin(state) {
  const { root } = state
  state.anew = control(state, "anew", "Take votes on this question again, from the beginning", () => anew(state))
  state.hide = control(state, "hide", `Hide the votes until the reveal (${HIDE})`, () => hide(state))
  state.admits = control(state, "admits", "Whether more browsers may join", () => state.link.show({ admits: !state.view.admits }))
  state.end = control(state, "end", "Nobody joins, asks or hands in any more", () => state.link.show({ place: state.view.place, phase: "ended" }), "End the class")
  state.see = Object.assign(element("a", "see", "See it ↗"), { target: "_blank", rel: "noopener" })
  state.see.onclick = () => root.focus({ preventScroll: true }) // keys turn the pages when its tab is closed again
  const ways = ["To the question before (←)", "Reveal, then the next question (Space, →)"]
  frame(state, turn, ways, [state.hide, state.anew, state.admits, state.end], state.see)
  state.hint.setAttribute("role", "alert")
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  if (changed(state, data)) {
    Object.assign(state, { data, root, hidden: false, sure: false, part: "", problem: "" })
    begin(state)
    state.link?.end()
    const lost = (problem) => {
      state.problem = problem
      state.hint.textContent = problem
    }
    state.link = new ClassLink(data, (view) => seen(state, view), lost)
  }
  if (!state.keys) {
    follow(state, pressed, () => {
      if (!state.view) return
      settle(state)
      count(state)
    })
  }
  return () => {
    state.keys.abort()
    state.link.end()
  }
}
