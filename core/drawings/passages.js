// Passage cards.
import { button, changed, element, foldable, recall, resized, toggle } from "./parts.js"

const SETTLE_MS = 300

function score(card) {
  const node = element("span", "score")
  node.title = card.score_help
  if (card.score) node.append(element("span", "name", card.score_name + " "), card.score)
  return node
}

// The way back to the citation that opened a card; in sight while the card is the one that was opened last.
function back(state) {
  const node = button("back", "↑ Answer")
  node.title = "Back to the answer"
  node.onclick = () => {
    state.from?.scrollIntoView({ block: "center", behavior: "smooth" })
    state.from?.focus({ preventScroll: true })
  }
  return node
}

function build(card, compact, turn, state) {
  const node = element("article", `card${card.faint ? " faint" : ""}${compact ? " compact" : ""}`)
  node.dataset.chunk = card.id
  // In a compact card the head itself is the button, in a full one it is a line of its own.
  const head = element(compact ? "button" : "div", compact ? "head more" : "head")
  if (card.was) {
    const was = element("span", "was", `${card.was} →`)
    was.title = "Rank before reranking"
    head.append(was)
  }
  const named = element("span", "named", element("span", "title", card.title))
  if (card.where) named.append(element("span", "where", card.where))
  // What gave its place to another passage says so while it is folded, too.
  if (card.badge) named.append(element("span", card.badge.startsWith("says the same as") ? "badge same" : "badge", card.badge))
  head.append(element("span", "rank", card.rank), named, score(card))
  if (!compact) head.append(back(state))
  // Folded, it begins with the sentence that was used, or that shares most with what was asked.
  node.append(head, foldable(element("p", "text"), card.pieces))
  if (card.context) {
    node.append(element("details", "written", element("summary", "", card.context_by), element("p", "", card.context)))
  }
  if (!compact) node.append(element("button", "more"))
  const more = node.querySelector("button.more")
  more.type = "button"
  more.onclick = () => turn(card.id)
  return node
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  const cards = () => [...root.querySelectorAll(".card")]
  const rest = data.fold && data.cards.length > data.fold ? data.cards.length - data.fold : 0

  const dress = () => {
    const fold = root.querySelector("button.fold")
    if (fold) {
      fold.textContent = state.all ? `Show only the first ${data.fold}` : `Show ${rest} more`
      fold.setAttribute("aria-expanded", String(Boolean(state.all)))
    }
    for (const [index, node] of cards().entries()) {
      node.hidden = rest > 0 && !state.all && index >= data.fold
      const open = state.open.has(node.dataset.chunk)
      node.classList.toggle("open", open)
      if (!data.compact) node.querySelector("button.back").hidden = node.dataset.chunk !== state.cited
      const text = node.querySelector(".text")
      const more = node.querySelector("button.more")
      more.setAttribute("aria-expanded", String(open))
      if (data.compact) continue
      more.textContent = open ? "Show less" : "Show the whole passage"
      const whole = !node.querySelector(".written")
      more.hidden = whole && !open && !text.querySelector(".early") && text.scrollHeight <= text.clientHeight + 2
    }
  }
  const turn = (id) => {
    toggle(state.open, id)
    dress()
    const opened = state.open.has(id) && cards().find((node) => node.dataset.chunk === id)
    if (opened) opened.querySelector("mark, .match")?.scrollIntoView({ block: "nearest" })
  }

  // A redraw with the same passages leaves the page as it is: what is open stays open.
  if (changed(state, [data.cards, data.compact, data.fold])) {
    root.replaceChildren(...data.cards.map((card) => build(card, data.compact, turn, state)))
    if (rest) {
      const fold = button("more fold")
      fold.onclick = () => {
        state.all = !state.all
        dress()
      }
      root.append(fold)
    }
  }
  // `asked` changes with every click on a citation, so that the same passage can be opened again.
  const asked = `${data.open} ${data.asked}`
  const wanted = data.open && asked !== state.asked
  const place = data.cards.findIndex((card) => card.id === data.open)
  if (wanted) {
    state.open.add(data.open)
    state.cited = data.open
    state.from = root.ownerDocument.activeElement
    if (place >= data.fold) state.all = true
  }
  dress()
  if (wanted) {
    state.asked = asked
    const target = cards()[place]
    // A passage that is taller than the window is read from the sentence that was used.
    const tall = target?.offsetHeight > window.innerHeight * 0.8
    const read = (tall && target.querySelector("mark")) || target
    // The keyboard goes on from the passage, whose first button leads back.
    if (target && !data.compact) target.tabIndex = -1
    target?.focus({ preventScroll: true })
    // What stood open above it may still be closing.
    setTimeout(() => read?.scrollIntoView({ behavior: "smooth", block: tall ? "center" : "nearest" }), SETTLE_MS)
  }
  return resized(state, [root], dress)
}
