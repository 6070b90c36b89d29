// Passage cards. Text reaches the page through textContent alone, so nothing in it is ever interpreted.
function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

function build(card, compact, toggle) {
  const node = element("article", "card" + (card.faint ? " faint" : "") + (compact ? " compact" : ""))
  node.dataset.chunk = card.id
  const head = element("div", "head")
  head.append(element("span", "rank", card.rank), element("span", "title", card.title))
  if (card.where) head.append(element("span", "where", card.where))
  if (card.badge) head.append(element("span", "badge", card.badge))
  const score = element("span", "score", card.score)
  score.title = card.score_help
  head.append(score)
  const text = element("p", "text")
  for (const piece of card.pieces) {
    text.append(piece.marked ? element("mark", "", piece.text) : document.createTextNode(piece.text))
  }
  const more = element("button", "more", "")
  more.type = "button"
  more.onclick = () => toggle(card.id)
  node.append(head, text, more)
  return node
}

const states = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = states.get(root) ?? { open: new Set(), drawn: "", asked: "" }
  states.set(root, state)

  const dress = () => {
    for (const node of root.children) {
      const open = state.open.has(node.dataset.chunk)
      node.classList.toggle("open", open)
      const text = node.querySelector(".text")
      const more = node.querySelector(".more")
      more.textContent = open ? "Show less" : data.compact ? "Show the passage" : "Show the whole passage"
      more.setAttribute("aria-expanded", String(open))
      more.hidden = !open && !data.compact && text.scrollHeight <= text.clientHeight + 2
    }
  }
  const toggle = (id) => {
    if (!state.open.delete(id)) state.open.add(id)
    dress()
  }

  // A redraw with the same passages leaves the page as it is: what is open stays open.
  const cards = JSON.stringify([data.cards, data.compact])
  if (cards !== state.drawn) {
    state.drawn = cards
    root.replaceChildren(...data.cards.map((card) => build(card, data.compact, toggle)))
  }
  // `asked` changes with every click on a citation, so that the same one can be opened again.
  if (data.open && data.asked !== state.asked) {
    state.asked = data.asked
    state.open.add(data.open)
  }
  dress()
  const target = data.open && [...root.children].find((node) => node.dataset.chunk === data.open)
  if (target && data.asked !== state.shown) {
    state.shown = data.asked
    target.scrollIntoView({ behavior: "smooth", block: "nearest" })
  }
  const observer = new ResizeObserver(dress)
  observer.observe(root)
  return () => observer.disconnect()
}
