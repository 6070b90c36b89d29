// Texts with what supports them. Text reaches the page through textContent alone, so nothing in it is ever
// interpreted.
const SIGNS = { near: "●", some: "◐", none: "○", unknown: "" }
const MEANINGS = {
  near: "A retrieved sentence is much like this one",
  some: "A retrieved sentence is somewhat like this one",
  none: "No retrieved sentence is like this one",
  unknown: "Not compared yet",
}

function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

function words(sentence) {
  const node = element("span", "words")
  for (const piece of sentence.pieces) {
    if (!piece.marked) {
      node.append(piece.text)
      continue
    }
    const mark = element("mark", "", piece.text)
    mark.title = "In no retrieved passage"
    node.append(mark)
  }
  return node
}

function measures(sentence) {
  const parts = [`${sentence.shared} of ${sentence.words} words shared`]
  if (sentence.cosine !== null) parts.push(`cosine ${sentence.cosine.toFixed(2)}`)
  return parts.join(", ")
}

function build(sentence, id, state) {
  const node = element("details", `sentence ${sentence.level}`)
  const head = element("summary")
  const sign = element("span", "sign", SIGNS[sentence.level])
  sign.title = MEANINGS[sentence.level]
  sign.setAttribute("role", "img")
  sign.setAttribute("aria-label", MEANINGS[sentence.level])
  head.append(sign, words(sentence))
  node.append(head)
  if (sentence.level === "unknown") {
    node.classList.add("bare")
    head.onclick = (event) => event.preventDefault()
    return node
  }
  const more = element("div", "nearest")
  more.append(element("span", "measure", `${MEANINGS[sentence.level]}: ${measures(sentence)}.`))
  if (sentence.nearest) more.append(element("q", "", sentence.nearest), element("cite", "", sentence.title))
  node.append(more)
  node.open = state.open.has(id)
  node.ontoggle = () => (node.open ? state.open.add(id) : state.open.delete(id))
  return node
}

const states = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = states.get(root) ?? { open: new Set(), drawn: "" }
  states.set(root, state)
  const drawn = JSON.stringify(data)
  if (drawn === state.drawn) return
  state.drawn = drawn
  root.replaceChildren(
    ...data.texts.map((sentences, text) => {
      const node = element("article", "text")
      if (data.texts.length > 1) node.append(element("h6", "", `Passage ${text + 1}`))
      node.append(...sentences.map((sentence, place) => build(sentence, `${text} ${place}`, state)))
      return node
    }),
  )
}
