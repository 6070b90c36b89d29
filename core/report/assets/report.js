// Puts the drawings in their places, leads from a citation to its passage, and changes the theme.
import { apart } from "../../drawings/parts.js"
// Made for each report: name -> `{ draw, css }` of the drawings that it shows.
import { drawings } from "./drawings.js"

export const places = new Map()
for (const frame of document.querySelectorAll("script.drawing")) {
  const drawing = drawings[frame.dataset.drawing]
  const place = apart(drawing)
  place.dataset.drawing = frame.dataset.drawing
  if (frame.dataset.id) place.id = frame.dataset.id
  frame.replaceWith(place)
  const [data, inside] = [JSON.parse(frame.textContent), place.shadowRoot]
  drawing.draw({ data, parentElement: inside })
  if (place.id) places.set(place.id, { data, draw: drawing.draw, inside })
}

export function unfold(node) {
  for (let one = node; one; one = one.parentNode ?? one.host) if (one instanceof HTMLDetailsElement) one.open = true
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.cite")
  const found = link && places.get(link.dataset.evidence)
  if (!found) return
  event.preventDefault()
  unfold(found.inside.host)
  found.data.asked += 1
  found.data.open = link.dataset.chunk
  found.draw({ data: found.data, parentElement: found.inside })
  const card = [...found.inside.querySelectorAll(".card")].find((node) => node.dataset.chunk === link.dataset.chunk)
  card?.querySelector("button.more")?.focus({ preventScroll: true })
})

// A link within the report also opens what it leads into.
function follow() {
  const target = document.getElementById(location.hash.slice(1))
  if (!target) return
  unfold(target)
  target.scrollIntoView()
}
addEventListener("hashchange", follow)
follow()

// The theme is the reader's own until it is changed here.
const theme = document.getElementById("theme")
const dark = matchMedia("(prefers-color-scheme: dark)")
const chosen = document.documentElement.dataset
// Kept from page to page of a site, until the window is closed; a page that is shown within another may keep nothing.
const kept = (act) => {
  try {
    return act(sessionStorage)
  } catch {
    return null
  }
}
const before = kept((store) => store.getItem("theme"))
if (!chosen.theme && ["light", "dark"].includes(before)) chosen.theme = before
const now = () => chosen.theme ?? (dark.matches ? "dark" : "light")
const name = () => (theme.lastElementChild.textContent = now() === "dark" ? "Light theme" : "Dark theme")
theme.hidden = false
theme.onclick = () => {
  chosen.theme = now() === "dark" ? "light" : "dark"
  kept((store) => store.setItem("theme", chosen.theme))
  name()
}
dark.onchange = name
name()

// On paper nothing opens on a click: what the folds of the steps hold is printed too, the machinery is not.
const opened = []
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll(".card details:not([open])")) {
    fold.open = true
    opened.push(fold)
  }
})
addEventListener("afterprint", () => {
  for (const fold of opened.splice(0)) fold.open = false
})
