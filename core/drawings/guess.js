// A guess before the handles are moved: a question with options. What came is shown beside the guess once the handles
// stand as the guess's `move` says, and stays there when they are moved on.
import { button, element } from "./parts.js"

export const GUESS = "guess"
const SEEN = ".seen"

// The guess as a handle without a place among the others: its value stands in the address with theirs.
export function guessHandle({ options }) {
  const start = { option: "", seen: false }
  const parse = (text) => {
    const seen = text.endsWith(SEEN)
    const option = seen ? text.slice(0, -SEEN.length) : text
    return options.some(([key]) => key === option) ? { option, seen } : start
  }
  return { name: GUESS, start, print: ({ option, seen }) => (option ? option + (seen ? SEEN : "") : ""), parse }
}

// The handles' values that the guess is about: its `move`, and the others as at first.
export function guessValues({ move }, handles) {
  return Object.fromEntries(handles.map((one) => [one.name, one.name in move ? one.parse(move[one.name]) : structuredClone(one.start)]))
}

export function isAtGuess(guess, handles, values) {
  const wanted = guessValues(guess, handles)
  return handles.every((one) => one.print(values[one.name]) === one.print(wanted[one.name]))
}

const sentence = (text) => (/[.!?”]$/.test(text) ? text : `${text}.`)
const SINCE = " (The controls have been changed since.)"

// Nodes of the sentence below the options; `still`: the handles stand as the guess is about.
function outcome(guess, { option, seen }, still) {
  const named = Object.fromEntries(guess.options.map(([key, text]) => [key, sentence(text)]))
  if (!option) return ["Choose one. Then try the controls below, or show the result."]
  if (!seen) return ["Your guess: ", element("b", "", named[option]), " Now try the controls below, or show the result."]
  const came = option === guess.right ? [" That is what happened. "] : [" Something else happened: ", element("b", "", named[guess.right]), " "]
  return ["Your guess: ", element("b", "", named[option]), ...came, guess.after, still ? "" : SINCE]
}

// Draws the guess; returns its node, and what writes a value into it. `set` takes the new value, `show` moves the handles.
export function panel(guess, set, show) {
  const fields = guess.options.map(([key, text]) => {
    const field = Object.assign(element("input"), { type: "radio", name: GUESS, value: key })
    field.onchange = () => set({ option: key, seen: false })
    return [field, element("label", "", field, element("span", "", text))]
  })
  const choice = element("fieldset", "handle choice", element("legend", "name", guess.question), ...fields.map(([, label]) => label))
  const came = element("p", "came")
  came.setAttribute("role", "status")
  const shows = button("act", "Show the result")
  shows.onclick = () => {
    show()
    // The picture is below, maybe out of sight: what came, and the picture under it, take the place of the options.
    came.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "start" })
  }
  const again = button("act", "Guess again")
  again.onclick = () => {
    set({ option: "", seen: false })
    fields[0][0].focus()
  }
  const node = element("section", "guess", element("h4", "", "Guess first"), choice, came, element("div", "acts", shows, again))
  const write = (now, still) => {
    for (const [field] of fields) {
      field.checked = field.value === now.option
      field.disabled = now.seen
    }
    came.replaceChildren(...outcome(guess, now, still).filter(Boolean))
    shows.hidden = !now.option || now.seen
    again.hidden = !now.seen
    node.classList.toggle("seen", now.seen)
  }
  return [node, write]
}
