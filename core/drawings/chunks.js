// A text with its chunks.
import { drawing, element } from "./parts.js"

export default drawing((root, data) => {
  root.tabIndex = 0  // the keyboard scrolls it
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
})
