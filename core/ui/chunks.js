// A text with its chunks. Text reaches the page through textContent alone, so nothing in it is ever interpreted.
function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

const drawn = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const now = JSON.stringify(data)
  if (drawn.get(root) === now) return
  drawn.set(root, now)
  root.replaceChildren()
  for (const stretch of data.stretches) {
    if (stretch.begins !== null) {
      const number = element("b", stretch.begins === data.chosen ? "number chosen" : "number", String(stretch.begins))
      number.title = `Chunk ${stretch.begins} begins`
      root.append(number)
    }
    const names = ["stretch"]
    if (stretch.chunk === null) names.push("between")
    else names.push(stretch.chunk % 2 ? "odd" : "even")
    if (stretch.shared) names.push("shared")
    if (stretch.chunk === data.chosen || (stretch.shared && stretch.chunk + 1 === data.chosen)) names.push("chosen")
    const node = element("span", names.join(" "), stretch.text)
    if (stretch.shared) node.title = `In chunks ${stretch.chunk} and ${stretch.chunk + 1}`
    root.append(node)
  }
  root.querySelector(".number.chosen")?.scrollIntoView({ block: "center" })
}
