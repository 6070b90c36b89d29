// Grades below one another. Text reaches the page through textContent alone, so nothing in it is ever interpreted.
function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

function chip(grade) {
  const sign = grade.half ? "◐" : grade.passes ? "✓" : "✗"
  return element("span", `chip ${grade.passes ? "passes" : "fails"}`, `${sign} ${grade.verdict}`)
}

function build(grade, place, state) {
  const row = element("div", "grade")
  const words = element("div", "words")
  const text = element("p", "passage", grade.text)
  if (grade.text) {
    const toggle = element("button", "about", grade.about)
    toggle.type = "button"
    const dress = () => {
      text.hidden = !state.open.has(place)
      toggle.setAttribute("aria-expanded", String(!text.hidden))
    }
    toggle.onclick = () => {
      if (!state.open.delete(place)) state.open.add(place)
      dress()
    }
    dress()
    words.append(toggle)
  } else words.append(element("span", "asks", grade.asks))
  words.append(element("p", "reason", grade.reason))
  if (grade.text) words.append(text)
  row.append(element("span", "what", grade.what), chip(grade), words)
  return row
}

const states = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = states.get(root) ?? { open: new Set(), drawn: "" }
  states.set(root, state)
  const drawn = JSON.stringify(data)
  if (drawn === state.drawn) return
  state.drawn = drawn
  root.replaceChildren(...data.grades.map((grade, place) => build(grade, place, state)))
}
