// Candidates for the evidence of one question, graded by a click or by the keys 0, 1 and 2. What was graded is sent as
// a whole, so that quick clicks while the page redraws itself are not lost, and with its time, since the server may take
// up an older message after a newer one.
import { button, changed, element, fill, foldable, recall, resized, toggle } from "./parts.js"

const FOCUS_SECONDS = 5

// The field may not be there yet, or be put in its place a moment later. What the user does comes first.
function focusOn(page, selector) {
  const end = Date.now() + FOCUS_SECONDS * 1000
  const stop = () => {
    clearInterval(timer)
    for (const act of ["keydown", "pointerdown"]) page.removeEventListener(act, stop, true)
  }
  const timer = setInterval(() => {
    const field = page.querySelector(selector)
    if (field && field !== page.activeElement) field.focus({ preventScroll: true })
    if (Date.now() > end) stop()
  }, 100)
  for (const act of ["keydown", "pointerdown"]) page.addEventListener(act, stop, true)
}

function build(card, data, act) {
  const node = element("article", "card")
  node.dataset.document = card.document
  node.tabIndex = -1
  const head = element("div", "head")
  const names = element("div", "names", element("span", "title", card.title), element("span", "found", [card.found, card.where].filter(Boolean).join("  ·  ")))
  const grades = element("div", "grades")
  grades.setAttribute("role", "radiogroup")
  grades.setAttribute("aria-label", "Does it hold the evidence?")
  for (const { grade, word } of data.grades) {
    const choice = button(grade ? "gold" : "", element("span", "key", String(grade)), word)
    choice.dataset.grade = String(grade)
    choice.tabIndex = -1
    choice.setAttribute("role", "radio")
    choice.onclick = () => act.grade(card.document, grade)
    grades.append(choice)
  }
  head.append(names, grades)
  node.append(head)
  if (card.pieces.length) {
    node.append(foldable(element("p", "text"), card.pieces))
    const others = element("div", "others")
    for (const other of card.more) {
      others.append(fill(element("p", "text"), other.pieces), element("span", "where", other.where))
    }
    const more = button("more")
    more.tabIndex = -1
    more.onclick = () => act.turn(card.document)
    node.append(others, more)
  }
  return node
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.touched ??= {}
  const cards = () => [...root.querySelectorAll(".card")]

  const dress = () => {
    for (const [index, node] of cards().entries()) {
      const id = node.dataset.document
      const grade = state.touched[id]?.grade ?? state.grades.get(id)
      node.classList.toggle("graded", grade > 0)
      for (const choice of node.querySelectorAll(".grades button")) {
        choice.setAttribute("aria-checked", String(choice.dataset.grade === String(grade)))
      }
      node.classList.toggle("open", state.open.has(id))
      const more = node.querySelector("button.more")
      if (more) {
        const text = node.querySelector(".text")
        const open = state.open.has(id)
        more.textContent = open ? "Show less" : "Show everything that was found"
        more.hidden = !open && !text.querySelector(".early") && !node.querySelector(".others .text") && text.scrollHeight <= text.clientHeight + 2
      }
      // One card at a time can be reached with Tab, so that the next Tab leaves the list.
      node.tabIndex = id === state.at || (!state.at && index === 0) ? 0 : -1
    }
  }
  const act = {
    grade(id, grade) {
      state.last = Math.max(Date.now(), (state.last ?? 0) + 1) // never the same twice
      state.touched[id] = { grade, at: state.last }
      setStateValue("grades", { ...state.touched })
      dress()
    },
    turn(id) {
      toggle(state.open, id)
      dress()
    },
  }
  const move = (node, by) => {
    const all = cards()
    const next = all[all.indexOf(node) + by]
    if (!next) return
    state.at = next.dataset.document
    dress()
    next.focus()
    next.scrollIntoView({ block: "nearest" })
  }

  state.grades = new Map(data.cards.map((card) => [card.document, card.grade]))
  if (changed(state, [data.question, data.cards.map(({ grade, ...card }) => card)])) {
    const list = element("div", "list", ...data.cards.map((card) => build(card, data, act)))
    state.at = undefined
    root.replaceChildren(data.cards.length ? list : element("p", "empty", data.empty))
  }
  dress()
  root.onfocusin = (event) => {
    const card = event.target.closest?.(".card")
    if (card && card.dataset.document !== state.at) {
      state.at = card.dataset.document
      dress()
    }
  }
  root.onkeydown = (event) => {
    const card = event.target.closest?.(".card")
    if (!card || event.ctrlKey || event.altKey || event.metaKey) return
    const grade = data.grades.find((one) => String(one.grade) === event.key)
    if (grade) {
      act.grade(card.dataset.document, grade.grade)
      move(card, 1)
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") move(card, event.key === "ArrowDown" ? 1 : -1)
    else if (event.key === "Enter" && event.target === card) act.turn(card.dataset.document)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  // A new question is written at once, without looking for the field first.
  if (data.fresh && state.fresh !== data.question) {
    state.fresh = data.question
    focusOn(root.ownerDocument, `.st-key-made-text-${CSS.escape(data.question)} textarea`)
  }
  return resized(state, [root], dress)
}
