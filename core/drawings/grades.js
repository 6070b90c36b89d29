// Grades below one another.

function build(grade, place, state) {
  const row = element("div", "grade")
  const words = element("div", "words")
  const text = element("p", "passage", grade.text)
  if (grade.text) {
    const about = button("about", grade.about)
    opens(about, text, state.open, place)
    words.append(about)
  } else words.append(element("span", "asks", grade.asks))
  words.append(element("p", "reason", grade.reason))
  if (grade.text) words.append(text)
  row.append(element("span", "what", grade.what), verdict(grade), words)
  return row
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  if (!changed(state, data)) return
  root.replaceChildren(...data.grades.map((grade, place) => build(grade, place, state)))
}
