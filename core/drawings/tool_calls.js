// The decisions of an agentic run: questions with their tool calls, round by round, each round with its verdict.
import { counted, drawing, element, fold, words } from "./parts.js"

function table(call) {
  const wrap = element("div", "wide")
  const node = element("table")
  const head = element("tr")
  for (const name of call.columns) {
    const cell = element("th", "", name)
    cell.scope = "col"
    head.append(cell)
  }
  const top = element("thead", "", head)
  const body = element("tbody")
  for (const row of call.rows) {
    body.append(element("tr", "", ...row.map((value) => element("td", "", value))))
  }
  node.append(top, body)
  wrap.append(node)
  if (call.hidden) wrap.append(element("p", "small", `and ${call.hidden} more rows`))
  return wrap
}

function details(call, key, open) {
  const nodes = []
  if (call.rows.length) {
    const count = call.rows.length + call.hidden
    const rows = fold("more", counted(count, "row"), open, `${key}-rows`, table(call))
    nodes.push(rows)
  }
  if (call.attempts.length) {
    const tries = call.attempts.length
    const node = fold("more", counted(tries, "query was tried", "queries were tried"), open, `${key}-tries`)
    call.attempts.forEach(([cypher, error], place) => {
      node.append(element("p", "small", `Try ${place + 1}${error ? "" : ": it ran"}`), element("pre", "", cypher))
      if (error) node.append(element("p", "error", error))
    })
    nodes.push(node)
  } else if (call.cypher) {
    const node = fold("more", "Cypher", open, `${key}-cypher`, element("pre", "", call.cypher))
    nodes.push(node)
  }
  if (call.cards.length) {
    const count = call.cards.length
    const node = fold("more", counted(count, "passage"), open, `${key}-passages`)
    for (const card of call.cards) {
      node.append(element("p", "title", card.title), words(card))
    }
    nodes.push(node)
  }
  return nodes
}

function drawn(call, open) {
  const node = element("div", `call ${call.outcome === "found" ? "found" : "lost"}${call.used ? " used" : ""}`)
  const head = element("div", "head")
  const mark = element("span", "mark", String(call.number))
  mark.title = call.used ? "The final answer cites what this call brought in" : "Not cited by the final answer"
  head.append(mark, element("code", "tool", call.tool))
  for (const [name, value] of call.arguments) {
    head.append(element("span", "argument", element("span", "name", name), element("span", "value", value)))
  }
  head.append(element("span", "outcome", `${call.sign} ${call.word}`))
  node.append(head)
  if (call.about) node.append(element("p", "small about", call.about))
  if (call.why) node.append(element("p", "small", call.why))
  if (call.text) node.append(element("p", "result", call.text))
  if (call.error) node.append(element("p", "error", call.error))
  const folds = element("div", "folds", ...details(call, String(call.number), open))
  if (folds.childElementCount) node.append(folds)
  if (call.note) node.append(element("p", "small", call.note))
  if (call.used) node.append(element("p", "small cited", "Used by the final answer"))
  return node
}

function asked(goal, open) {
  const node = element("div", "question", element("h4", "", goal.asked))
  if (goal.text !== goal.asked) node.append(element("p", "small", `Asked as: ${goal.text}`))
  node.append(element("div", "calls", ...goal.calls.map((call) => drawn(call, open))))
  return node
}

function judged(critique) {
  const node = element("div", `critique ${critique.complete ? "enough" : "missing"}`, element("strong", "", `${critique.complete ? "✓" : "…"} ${critique.word}`))
  if (critique.reason) node.append(element("span", "", ` ${critique.reason}`))
  if (critique.questions.length && !critique.ends) {
    node.append(element("p", "small", "Asked next:"))
    node.append(element("ul", "", ...critique.questions.map((text) => element("li", "", text))))
  }
  if (critique.ends) node.append(element("p", "small", critique.ends))
  return node
}

export default drawing((root, data, state) => {
  root.style.setProperty("--colour", data.colour)
  root.replaceChildren()
  if (data.offered.length) {
    root.append(fold("more", `${data.offered.length} tools to choose from`, state.open, "tools", element("p", "small", data.offered.join(", "))))
  }
  for (const round of data.rounds) {
    const section = element("section", "round")
    if (data.rounds.length > 1) section.append(element("h3", "", `Round ${round.number}`))
    for (const goal of round.goals) section.append(asked(goal, state.open))
    if (round.critique) section.append(judged(round.critique))
    root.append(section)
  }
})
