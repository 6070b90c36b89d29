// How much of what they found each pair of columns shares.
import { drawing, element } from "./parts.js"

export default drawing((root, data) => {
  root.replaceChildren(
    ...data.pairs.map((pair) => {
      const node = element("div", "pair")
      const name = element("span", "name", `${pair.first} and ${pair.second}`)
      const bar = element("span", "bar")
      const part = element("i")
      part.style.width = `${100 * pair.share}%`
      bar.append(part)
      bar.setAttribute("aria-hidden", "true")
      node.append(name, bar, element("span", "value", pair.text))
      return node
    }),
  )
})
