// Passages in strips: what is left out is struck through.
import { drawing, element, fold } from "./parts.js"

function build(passage, state) {
  const given = passage.strips.some((strip) => strip.kept)
  const row = element("section", given ? "passage" : "passage refused")
  const head = element("div", "head", element("span", "title", passage.title), element("span", "where", passage.where), element("span", "count", passage.kept))
  const text = element("p", "text")
  for (const strip of passage.strips) {
    const node = element(strip.kept ? "span" : "s", strip.kept ? "kept" : "out", strip.text)
    node.title = [strip.kept ? "kept" : "left out", strip.says].filter(Boolean).join(", ")
    text.append(node, " ")
  }
  row.append(head)
  if (given) row.append(text)
  else {
    row.append(fold("none", "Left out as a whole", state.open, passage.id, text))
  }
  return row
}

export default drawing((root, data, state) => {
  root.style.setProperty("--colour", data.colour)
  root.replaceChildren(...data.passages.map((passage) => build(passage, state)))
})
