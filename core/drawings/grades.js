// Grades below one another; where they have scores, these on a line with the thresholds above.
import { button, drawing, element, opens, verdict } from "./parts.js"

function build(grade, place, state, numbered) {
  const row = element("div", "grade")
  const words = element("div", "words")
  const text = element("p", "passage", grade.text)
  if (grade.text) {
    const about = button("about", numbered ? `${place + 1}. ${grade.about}` : grade.about)
    opens(about, text, state.open, place)
    words.append(about)
  } else words.append(element("span", "asks", grade.asks))
  words.append(element("p", "reason", grade.reason))
  if (grade.text) words.append(text)
  row.append(element("span", "what", grade.what), verdict(grade), words)
  return row
}

const APART = 4 // percent of the line that a mark takes
const LEVEL = 1.5 // rem from one level of marks to the next

// Marks that would cover one another stand on levels of their own.
export function levels(marks) {
  const ends = []
  return [...marks]
    .sort((one, other) => one.at - other.at)
    .map((mark) => {
      let level = ends.findIndex((end) => mark.at - end >= APART)
      if (level < 0) level = ends.length
      ends[level] = mark.at
      return [mark, level]
    })
}

function line(scale) {
  const node = element("div", "scale")
  node.setAttribute("role", "img")
  node.setAttribute("aria-label", scale.marks.map((mark) => `${mark.number}: ${mark.says}`).join("; "))
  const [[lower], [upper]] = scale.thresholds
  const zones = [["no", 0, lower], ["partly", lower, upper], ["yes", upper, 100]]
  for (const [name, from, to] of zones) {
    const zone = element("div", `zone ${name}`, name)
    zone.style.left = `${from}%`
    zone.style.width = `${to - from}%`
    node.append(zone)
  }
  for (const [at, text] of scale.thresholds) {
    const threshold = element("div", "threshold")
    threshold.style.left = `${at}%`
    threshold.append(element("span", "", text))
    node.append(threshold)
  }
  let most = 0
  for (const [mark, level] of levels(scale.marks)) {
    const dot = element("span", "mark", String(mark.number))
    dot.title = mark.says
    dot.style.left = `${mark.at}%`
    dot.style.bottom = `${1.6 + level * LEVEL}rem`
    node.append(dot)
    most = Math.max(most, level)
  }
  node.style.height = `${4.4 + most * LEVEL}rem`
  return node
}

export default drawing((root, data, state) => {
  const rows = data.grades.map((grade, place) => build(grade, place, state, data.scale))
  root.replaceChildren(...(data.scale ? [line(data.scale)] : []), ...rows)
})
