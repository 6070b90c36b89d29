// The answers side by side, sentence by sentence: what each cites, how well that supports it, where they differ.
import { counted, drawing, element, fill, fold } from "./parts.js"

const LEVELS = {
  near: ["●", "a cited passage says nearly this"],
  some: ["◐", "a cited passage says something like this"],
  none: ["○", "no cited passage says this"],
  unknown: ["○", "it cites nothing"],
}

function said(sentence, key, open) {
  const [sign, word] = sentence.titles.length ? LEVELS[sentence.level] : LEVELS.unknown
  const node = fold(`sentence ${sentence.titles.length ? sentence.level : "unknown"}`, "", open, key)
  const line = node.querySelector("summary")
  const mark = element("span", "sign", sign)
  mark.title = word
  line.append(mark, fill(element("span", "text"), sentence.pieces))
  const more = element("div", "more", element("p", "verdict", `${sign} ${word[0].toUpperCase()}${word.slice(1)}.`))
  for (const title of sentence.titles) more.append(element("p", "small", `Cites ${title}`))
  if (sentence.nearest) more.append(element("p", "small", `Nearest there: “${sentence.nearest}”`))
  node.append(more)
  return node
}

export default drawing((root, data, state) => {
  const grid = element("div", `columns n${data.columns.length}`)
  data.columns.forEach((column) => {
    const node = element("section")
    node.style.setProperty("--colour", column.colour)
    node.append(element("h4", "", element("span", "mark", column.mark), element("span", "", column.title)))
    if (column.empty) node.append(element("p", "small", column.empty))
    column.sentences.forEach((sentence, place) => node.append(said(sentence, `${column.mark}${place}`, state.open)))
    if (column.sentences.length) {
      node.append(element("p", "small", `${column.supported} of ${counted(column.sentences.length, "sentence is", "sentences are")} like a cited passage`))
    }
    grid.append(node)
  })
  root.replaceChildren(grid)
})
