// Passage cards. Text reaches the page through textContent alone, so nothing in it is ever interpreted.
function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

function score(card) {
  const node = element("span", "score")
  node.title = card.score_help
  if (card.score) node.append(element("span", "name", card.score_name + " "), card.score)
  return node
}

function build(card, compact, toggle) {
  const node = element("article", `card${card.faint ? " faint" : ""}${compact ? " compact" : ""}`)
  node.dataset.chunk = card.id
  // In a compact card the head itself is the button, in a full one it is a line of its own.
  const head = element(compact ? "button" : "div", compact ? "head more" : "head")
  head.append(element("span", "rank", card.rank), element("span", "title", card.title))
  if (card.where) head.append(element("span", "where", card.where))
  if (card.badge) head.append(element("span", "badge", card.badge))
  head.append(score(card))
  const text = element("p", "text")
  for (const piece of card.pieces) {
    text.append(piece.marked ? element("mark", "", piece.text) : document.createTextNode(piece.text))
  }
  node.append(head, text)
  if (!compact) node.append(element("button", "more"))
  const more = node.querySelector("button.more")
  more.type = "button"
  more.onclick = () => toggle(card.id)
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
      const more = node.querySelector("button.more")
      more.setAttribute("aria-expanded", String(open))
      if (data.compact) continue
      more.textContent = open ? "Show less" : "Show the whole passage"
      more.hidden = !open && text.scrollHeight <= text.clientHeight + 2
    }
  }
  const toggle = (id) => {
    if (!state.open.delete(id)) state.open.add(id)
    dress()
  }

  // A redraw with the same passages leaves the page as it is: what is open stays open.
  const drawn = JSON.stringify([data.cards, data.compact])
  if (drawn !== state.drawn) {
    state.drawn = drawn
    root.replaceChildren(...data.cards.map((card) => build(card, data.compact, toggle)))
  }
  // `asked` changes with every click on a citation, so that the same passage can be opened again.
  const asked = `${data.open} ${data.asked}`
  const wanted = data.open && asked !== state.asked
  if (wanted) state.open.add(data.open)
  dress()
  if (wanted) {
    state.asked = asked
    const target = [...root.children].find((node) => node.dataset.chunk === data.open)
    target?.scrollIntoView({ behavior: "smooth", block: "nearest" })
  }
  const observer = new ResizeObserver(dress)
  observer.observe(root)
  return () => observer.disconnect()
}
