// Passage cards.

function score(card) {
  const node = element("span", "score")
  node.title = card.score_help
  if (card.score) node.append(element("span", "name", card.score_name + " "), card.score)
  return node
}

function build(card, compact, turn) {
  const node = element("article", `card${card.faint ? " faint" : ""}${compact ? " compact" : ""}`)
  node.dataset.chunk = card.id
  // In a compact card the head itself is the button, in a full one it is a line of its own.
  const head = element(compact ? "button" : "div", compact ? "head more" : "head")
  head.append(element("span", "rank", card.rank), element("span", "title", card.title))
  if (card.where) head.append(element("span", "where", card.where))
  if (card.badge) head.append(element("span", "badge", card.badge))
  head.append(score(card))
  node.append(head, fill(element("p", "text"), card.pieces))
  if (!compact) node.append(element("button", "more"))
  const more = node.querySelector("button.more")
  more.type = "button"
  more.onclick = () => turn(card.id)
  return node
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)

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
  const turn = (id) => {
    toggle(state.open, id)
    dress()
  }

  // A redraw with the same passages leaves the page as it is: what is open stays open.
  if (changed(state, [data.cards, data.compact])) {
    root.replaceChildren(...data.cards.map((card) => build(card, data.compact, turn)))
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
