// Runs side by side: what each is doing, its answer, what it cost, its evidence and its steps.
import { button, changed, counted, element, fold, lost as missed, measured, more, opens, recall, resized, words } from "./parts.js"

const SHOWN = 6
const LONG = 160 // characters of an answer from which all are set smaller

// Text with its citation marks as buttons and its bold words bold; everything else as it stands.
function said(node, text, run) {
  for (const part of text.replace(/ (?=\[\d)/g, "").split(/(\[\d{1,2}(?:\s*,\s*\d{1,2})*\]|\*\*[^*\n]+\*\*)/)) {
    if (/^\[\d/.test(part)) {
      for (const number of part.slice(1, -1).split(",")) node.append(cite(number.trim(), run))
    } else if (part.startsWith("**")) node.append(element("strong", "", part.slice(2, -2)))
    else if (part) node.append(part)
  }
  return node
}

// A citation of a run unfolds the passage in its column, and goes to it.
function cite(number, run) {
  const node = button("cite", number)
  node.setAttribute("aria-label", `Passage ${number}`)
  node.onclick = () => {
    const passage = node.getRootNode().querySelector(`[data-passage="${CSS.escape(`${run}-${number}`)}"]`)
    for (let at = passage; at; at = at.parentElement.closest("details")) at.open = true
    passage?.querySelector("summary").focus()
  }
  return node
}

function head(column, detailed, act) {
  const node = element("header", "", element("h3", "", element("span", "mark", column.mark), element("span", "", column.title)))
  if (detailed) node.append(element("p", "detail", column.detail || "\u00a0"))
  const line = element("p", `status ${column.state}`, element("span", "sign", column.sign), " ", column.status)
  node.append(line)
  if (column.origin) node.append(element("p", "origin small", column.origin))
  if (column.stops) {
    const stop = button("stop", "Stop")
    stop.setAttribute("aria-label", `Stop ${column.mark} ${column.title}`)
    stop.onclick = () => act("stop", column.run)
    line.append(stop)
  }
  return node
}

// What was recorded of a step, in a word; the rest on hover.
function recorded(mark) {
  const node = element("span", "recorded", mark.text)
  node.title = mark.help
  return node
}

function judged(verdict) {
  return element("span", `judged ${verdict.verdict}`, element("span", "sign", verdict.sign), " ", verdict.said)
}

// The outcome of an ended run in a line; its hollow stars show the evidence that it missed, and where it was lost.
function outcome({ outcome, run }, open) {
  const node = element("p")
  const whole = element("div", "outcome", node)
  if (!outcome) return whole
  const found = element("span", outcome.all ? "found all" : "found")
  const lost = outcome.missed.length
  if (outcome.stars) found.append(element("span", "stars", outcome.stars.replaceAll("☆", "")))
  if (lost) {
    const head = button("stars missed", outcome.stars ? "☆".repeat(lost) : `☆ ${lost}`)
    head.title = "Show the evidence that was missed"
    head.setAttribute("aria-label", `${counted(lost, "piece")} of evidence missed: show`)
    const body = missed(outcome.missed)
    opens(head, body, open, `${run}-missed`)
    found.append(head)
    whole.append(body)
  }
  found.append(" ", [outcome.evidence, outcome.passages].filter(Boolean).join(" "))
  const parts = found.textContent ? [found] : []
  if (outcome.plain) parts.push(element("span", "", outcome.plain))
  if (outcome.judged) parts.push(judged(outcome.judged))
  parts.forEach((part) => node.append(part, " "))
  return whole
}

// Answers that several columns gave, each once, with the marks of those that gave it.
function answers(groups, open) {
  const list = element("ul", "answers")
  const long = groups.some((group) => group.text.length > LONG)
  for (const group of groups) {
    const line = element("li")
    line.style.setProperty("--colour", group.columns[0].colour)
    const marks = element("span", "marks")
    for (const column of group.columns) {
      const mark = element("span", "mark", column.mark)
      mark.style.setProperty("--colour", column.colour)
      mark.title = column.title
      marks.append(mark)
    }
    const text = element("div")
    const words = said(text.appendChild(element("p", long ? "said long" : "said")), group.text, group.run)
    text.append(more(words, open, `answer-${group.columns[0].mark}`))
    const below = element("p", "small")
    const who = group.columns.length > 1 ? `The same answer from ${group.columns.map((one) => one.title).join(", ")}` : group.columns[0].title
    if (group.judged) below.append(judged(group.judged), " · ")
    below.append(who)
    if (group.weak) below.append(" · written by the tiny built-in model: expect mistakes")
    text.append(below)
    line.append(marks, text)
    list.append(line)
  }
  return list
}

function answer(column, folded, long, open) {
  const node = element("div", folded ? "answer folded" : "answer")
  if (folded) return node
  if (column.answer) {
    const text = said(node.appendChild(element("p", long ? "long" : "")), column.draft ? `${column.answer} ▍` : column.answer, column.run)
    if (!column.draft) node.append(more(text, open, `${column.run}-answer`))
    text.classList.toggle("draft", column.draft)
  } else node.append(element("p", "quiet", column.state === "running" ? "The answer will appear here." : "No answer."))
  if (column.recorded) node.append(recorded(column.recorded))
  if (column.abstained && !column.outcome?.judged) node.append(element("p", "small", "No answer: nothing in the evidence was found to support one."))
  if (column.weak) node.append(element("p", "small", "Written by the tiny built-in model: expect mistakes."))
  if (column.note) node.append(element("p", "small", column.note))
  return node
}

function figures(column) {
  const list = element("dl")
  for (const figure of column.figures) {
    const pair = element("div", figure.best ? "best" : "")
    pair.title = figure.explains
    pair.append(element("dt", "", figure.name), element("dd", "", figure.value))
    // On a line of its own: beside the name it would run into the next figure.
    if (figure.best || figure.replayed) pair.append(element("dd", "note", figure.best ? "least" : "replayed"))
    list.append(pair)
  }
  return list
}

function passage({ card, gold }, column, open) {
  const node = fold("passage", "", open, `${column.run}-${card.id}`)
  node.dataset.passage = `${column.run}-${card.rank}`
  const line = node.querySelector("summary")
  line.append(element("span", "rank", card.rank), element("span", "title", card.title))
  const badges = element("span", "badges")
  if (gold) {
    const star = element("span", "gold", "★")
    star.title = `Holds evidence, as the question's labels say:\n${gold}`
    star.setAttribute("aria-label", "evidence")
    badges.append(star)
  }
  if (card.badge.includes("cited")) badges.append(element("span", "cited", "cited"))
  if (badges.childElementCount) line.append(badges)
  node.append(words(card))
  return node
}

function evidence(column, open) {
  const node = element("div", "evidence")
  const count = column.cards.length
  node.append(element("h4", "", count ? `${counted(count, "passage")} given` : "Passages"))
  for (const item of column.cards.slice(0, SHOWN)) node.append(passage(item, column, open))
  if (count > SHOWN) {
    node.append(fold("rest", `${count - SHOWN} more given`, open, `${column.run}-rest`, ...column.cards.slice(SHOWN).map((item) => passage(item, column, open))))
  }
  if (column.left) node.append(element("p", "small", `${column.left} more found, not given to the answer`))
  return node
}

// Unfolded while the run goes on, so that one sees it work; afterwards as the reader wants it.
function steps(column, open) {
  const node = fold("steps", counted(column.steps.length, "step"), open, `${column.run}-steps`)
  const list = element("ol")
  for (const step of column.steps) {
    const line = element("li", step.state, element("span", "name", step.title), step.detail ? element("span", "small", step.detail) : null)
    if (step.recorded) line.append(recorded(step.recorded))
    line.append(element("span", "took", step.state === "running" ? "running" : step.seconds))
    list.append(line)
  }
  node.append(list)
  if (column.state === "running") {
    node.ontoggle = null
    node.open = true
  }
  return node
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.act = (what, run) => setTriggerValue("acted", { what, run })
  if (changed(state, data)) columns(root, data, state)
  measured(root)
  return resized(state, [root], () => measured(root))
}

// A column's head stays the same node while it says the same: a Stop that is replaced while it is pressed is not clicked.
function columns(root, data, state) {
  const act = (what, run) => state.act(what, run)
  const detailed = data.columns.some((column) => column.detail)
  const folded = data.answers.length > 0
  const long = data.columns.some((column) => column.answer.length > LONG)
  const runs = data.columns.map((column) => column.run).join(" ")
  let grid = root.querySelector(":scope > .columns")
  if (grid?.dataset.runs !== runs) {
    grid = element("div", `columns n${data.columns.length}`)
    grid.dataset.runs = runs
    grid.append(...data.columns.map(() => element("article")))
    root.replaceChildren(grid)
  }
  data.columns.forEach((column, place) => {
    const node = grid.children[place]
    node.className = column.state
    node.style.setProperty("--colour", column.colour)
    node.setAttribute("aria-label", `${column.mark} ${column.title}`)
    const top = head(column, detailed, act)
    if (node.firstChild?.isEqualNode(top)) while (node.childElementCount > 1) node.lastChild.remove()
    else node.replaceChildren(top)
    const open = button("whole", "Open the whole run")
    open.onclick = () => act("open", column.run)
    node.append(outcome(column, state.open), answer(column, folded, long, state.open), figures(column), evidence(column, state.open), steps(column, state.open), open)
  })
  root.querySelector(":scope > .answers")?.remove()
  if (folded) root.prepend(answers(data.answers, state.open))
}
