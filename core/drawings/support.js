// Texts with what supports them.
import { drawing, element, fill, fold } from "./parts.js"

const SIGNS = { near: "●", some: "◐", none: "○", unknown: "" }
const MEANINGS = {
  near: "A retrieved sentence is much like this one",
  some: "A retrieved sentence is somewhat like this one",
  none: "No retrieved sentence is like this one",
  unknown: "Not compared yet",
}

function sentenceOf(sentence) {
  const node = fill(element("span", "words"), sentence.pieces)
  for (const mark of node.querySelectorAll("mark")) mark.title = "In no retrieved passage"
  return node
}

function measures(sentence) {
  const parts = [`${sentence.shared} of ${sentence.words} words shared`]
  if (sentence.cosine !== null) parts.push(`cosine ${sentence.cosine.toFixed(2)}`)
  return parts.join(", ")
}

function build(sentence, id, state) {
  const node = fold(`sentence ${sentence.level}`, "", state.open, id)
  const head = node.firstElementChild
  const sign = element("span", "sign", SIGNS[sentence.level])
  sign.title = MEANINGS[sentence.level]
  sign.setAttribute("role", "img")
  sign.setAttribute("aria-label", MEANINGS[sentence.level])
  head.append(sign, sentenceOf(sentence))
  if (sentence.level === "unknown") {
    node.classList.add("bare")
    head.onclick = (event) => event.preventDefault()
    return node
  }
  const more = element("div", "nearest", element("span", "measure", `${MEANINGS[sentence.level]}: ${measures(sentence)}.`))
  if (sentence.nearest) more.append(element("q", "", sentence.nearest), element("cite", "", sentence.title))
  node.append(more)
  return node
}

export default drawing((root, data, state) => {
  root.replaceChildren(
    ...data.texts.map((sentences, text) => {
      const node = element("article", "text")
      if (data.texts.length > 1) node.append(element("h4", "", `Passage ${text + 1}`))
      node.append(...sentences.map((sentence, place) => build(sentence, `${text} ${place}`, state)))
      return node
    }),
  )
})
