// A tour of the run: one sentence after the other; the card that it is about comes into sight, and the part is marked.
import { element } from "../../drawings/parts.js"
import { unfold } from "./report.js"

// What a part is called, and where it is: in the report itself, and in each drawing.
const PARTS = {
  report: { column: ".beside > div", line: ".lines > li", cite: ".cites > a", paragraph: ".prose > p", text: "pre", row: ".timeline tbody > tr", change: ".change" },
  chain: { link: ".link", passage: ".passage", searched: ".searched", known: ".given", said: ".answer", end: ".ending" },
  exploration: { candidate: ".candidate", hop: ".hop", reached: ".reached", verdict: ".verdict" },
  fusion_flow: { list: ".list", fused: ".fused", passage: ".chip" },
  goals: { goal: ".goal", call: ".call", verdict: ".verdict" },
  grades: { grade: ".grade" },
  links: { link: ".link", end: ".ending" },
  moves: { side: "section", passage: ".stand" },
  passages: { passage: ".card" },
  pool: { query: ".query", passage: ".chip" },
  refinement: { passage: ".passage", kept: ".kept" },
  route: { way: ".way", reason: ".reason" },
  step_back: { side: ".side", passage: ".passage" },
  thought: { thought: ".thought", search: ".search", read: ".digest", passage: ".passage", answer: ".answer" },
  tool_calls: { call: ".call", verdict: ".critique" },
  turns: { turn: ".turn", box: ".box", item: ".item", end: ".ending" },
  walk: { column: ".columns > section:not(.asked)", passage: ".passage", restart: ".restart" },
  ways: { step: ".columns > section", choice: ".chip", chosen: ".chosen", end: ".ending" },
}
const ROOM = 16 // pixels around what is shown
const NUMBER = 26 // pixels for the number of a line
const LEAST = 4000 // milliseconds for a sentence, and for each of its words
const WORD = 450
const KEYS = { ArrowLeft: "back", PageUp: "back", ArrowRight: "next", PageDown: "next", Home: "first", End: "last", " ": "next", p: "play", f: "full" }

const tour = document.querySelector(".tour")
const stops = [...tour.querySelectorAll("li")]
const control = Object.fromEntries([...tour.querySelectorAll("[data-act]")].map((node) => [node.dataset.act, node]))
const scrubber = tour.querySelector("input")
const rings = document.body.appendChild(element("div", "rings"))
rings.setAttribute("aria-hidden", "true") // what is marked says so itself
const bar = () => tour.getBoundingClientRect().top
document.querySelector("aside").tabIndex = 0 // it scrolls where it has no room beside the bar
let at = 0
let timer
let playing = false
let marked = []
const closing = []
const diagrams = ["aside .drawing", ".idle .drawing"].map((place) => document.querySelector(place)?.shadowRoot)
const boxes = [...(diagrams[1]?.querySelectorAll("[data-node]") ?? [])].map((idle) => {
  const way = idle.closest("svg").parentNode.className
  return { name: idle.dataset.node, idle, ran: diagrams[0].querySelector(`.${way} [data-node="${CSS.escape(idle.dataset.node)}"]`) }
})

// What has this name within a node, also in its drawings, in the order of the page.
function named(node, name) {
  const drawn = node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : node.closest(".drawing")
  if (drawn) {
    const selector = PARTS[drawn.dataset.drawing]?.[name]
    return selector ? [...(node === drawn ? drawn.shadowRoot : node).querySelectorAll(selector)] : []
  }
  const own = PARTS.report[name] ? [...node.querySelectorAll(PARTS.report[name])] : []
  return own.length ? own : [...node.querySelectorAll(".drawing")].flatMap((one) => named(one, name))
}

// `list 2 > passage 1` is the first passage in the second list; without a number, all of that name.
function within(node, path) {
  let found = [node]
  for (const step of path.split(" > ")) {
    const [name, number] = step.split(" ")
    const all = found.flatMap((one) => named(one, name))
    found = number ? all.slice(number - 1, number) : all
  }
  if (!found.length) console.error(`There is no ${path}`)
  return found
}

// `answer` is the section of that name, `answer 2` the second card of that kind; without a section the first.
function cardOf(address) {
  const [kind, number] = address.split(" ")
  return (!number && document.querySelector(`.run [data-card="${kind}"]`)) || document.querySelectorAll(`.run [data-kind="${kind}"]`)[(number ?? 1) - 1]
}

// Opens what is folded around a part, and has its drawing show all where the part is among what is left out.
function reveal(node) {
  const root = node.getRootNode()
  unfold(node.parentNode)
  if (!node.getClientRects().length) root.querySelector('.root > button[aria-expanded="false"]')?.click()
}

// Shows the words of a part that a click would show, until the tour goes on.
function read(node) {
  if (node instanceof HTMLDetailsElement) {
    if (!node.open) closing.push(() => (node.open = false))
    node.open = true
  } else {
    const head = node.querySelector('[aria-expanded="false"]')
    if (head) closing.push(() => head.getAttribute("aria-expanded") === "true" && head.click())
    head?.click()
  }
}

function box(nodes) {
  const all = nodes.map((node) => node.getBoundingClientRect())
  return { top: Math.min(...all.map((one) => one.top)), bottom: Math.max(...all.map((one) => one.bottom)) }
}

// Whole cards are shown where they fit above the bar; else the part with as much of what stands above it.
function show(card, nodes) {
  for (const node of nodes) for (let one = node.parentNode ?? node.host; one; one = one.parentNode ?? one.host) scrollIn(one, node)
  const [whole, part] = [box([card]), box(nodes)]
  const room = bar() - 2 * ROOM
  const seen = (one) => one.top >= 0 && one.bottom <= bar()
  // A tour begins at the top of its page, where all that is to be seen of the first part may be its beginning.
  if (at === 0 && seen(box(nodes.slice(0, 1)))) return
  if (seen(part) && (seen(whole) || whole.top < 0)) return
  const fits = [whole, { top: whole.top, bottom: part.bottom }, part].find((one) => one.bottom - one.top <= room)
  const top = fits ? fits.top - (room - (fits.bottom - fits.top)) / 2 : part.top
  scrollBy({ top: top - ROOM, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" })
}

// What scrolls by itself brings the part into sight.
function scrollIn(frame, node) {
  if (!(frame instanceof HTMLElement) || frame === document.body || frame === document.documentElement) return
  if (!/auto|scroll/.test(getComputedStyle(frame).overflow)) return
  const [outer, inner] = [frame.getBoundingClientRect(), node.getBoundingClientRect()]
  frame.scrollLeft += Math.min(0, inner.left - outer.left - ROOM) + Math.max(0, inner.right - outer.right + ROOM)
  frame.scrollTop += Math.min(0, inner.top - outer.top - ROOM) + Math.max(0, inner.bottom - outer.bottom + ROOM)
}

// Marks lie over the page, so that no drawing's own style or border cuts them.
function ring() {
  marked.forEach((node, place) => {
    const [mark, rect] = [rings.children[place], node.getBoundingClientRect()]
    // The number of a line belongs to it.
    const number = getComputedStyle(node).listStyleType === "decimal" ? NUMBER : 0
    Object.assign(mark.style, { left: `${rect.left + scrollX - number}px`, top: `${rect.top + scrollY}px`, width: `${rect.width + number}px`, height: `${rect.height}px` })
    mark.hidden = !rect.width
  })
}

// Nodes of the diagram stand as they do when the run has come this far.
function advance(done) {
  for (const { name, idle, ran } of boxes) {
    const [now, other] = done.includes(name) ? [ran, idle] : [idle, ran]
    if (!diagrams[0].contains(now)) other.replaceWith(now)
  }
}

function mark(nodes) {
  for (const node of marked) node.removeAttribute("aria-current")
  marked = nodes
  rings.replaceChildren(...nodes.map(() => element("div", "ring")))
  rings.firstElementChild.append(element("span", "", String(at + 1)))
  for (const node of marked) node.setAttribute("aria-current", "true")
}

function go(to) {
  for (const close of closing.splice(0)) close()
  at = Math.max(0, Math.min(stops.length - 1, to))
  const stop = stops[at]
  for (const one of stops) one.classList.toggle("now", one === stop)
  tour.querySelector("[aria-live]").textContent = stop.textContent
  tour.querySelector("output").textContent = `${at + 1} of ${stops.length}`
  scrubber.value = at + 1
  scrubber.setAttribute("aria-valuetext", `${at + 1} of ${stops.length}`)
  control.back.disabled = at === 0
  control.next.disabled = at === stops.length - 1
  const card = cardOf(stop.dataset.at)
  const parts = stop.dataset.part ? stop.dataset.part.split(", ").flatMap((path) => within(card, path)) : []
  const nodes = parts.length ? parts : [card]
  unfold(card)
  for (const node of parts) {
    reveal(node)
    if ("read" in stop.dataset) read(node)
  }
  advance(stop.dataset.done.split(" "))
  mark(nodes)
  show(card, nodes)
  ring()
  try {
    history.replaceState(null, "", `#stop=${at + 1}`)
  } catch {
    // A page that is shown within another has no address of its own.
  }
  if (playing) wait()
}

function wait() {
  clearTimeout(timer)
  if (at === stops.length - 1) return play(false)
  const words = stops[at].textContent.trim().split(/\s+/).length
  timer = setTimeout(() => go(at + 1), Math.max(LEAST, WORD * words))
}

function play(on) {
  clearTimeout(timer)
  playing = on
  control.play.textContent = on ? "Pause" : "▶\ufe0e Play"
  if (on) go(at === stops.length - 1 ? 0 : at)
}

const acts = {
  first: () => go(0),
  back: () => go(at - 1),
  next: () => go(at + 1),
  last: () => go(stops.length - 1),
  play: () => play(!playing),
  full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
}
for (const [name, node] of Object.entries(control)) node.onclick = acts[name]
control.full.hidden = !document.fullscreenEnabled
scrubber.max = stops.length
scrubber.oninput = () => go(scrubber.value - 1)

// Keys of what has the focus come first: a slider is moved by arrows, a button is pressed by space.
addEventListener("keydown", (event) => {
  const act = KEYS[event.key]
  const node = event.composedPath()[0]
  if (!act || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (act === "full" && !document.fullscreenEnabled) return
  if (node instanceof Element && node.closest(event.key === " " ? "input, button, a, summary" : act === "full" || act === "play" ? "input:not([type='range'])" : "input")) return
  event.preventDefault()
  acts[act]()
})

// The page ends above the bar, and marks stay on what they mark.
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--bar", `${tour.offsetHeight}px`)
  ring()
}).observe(tour)
new ResizeObserver(ring).observe(document.body)
for (const name of ["scroll", "toggle", "click", "transitionend"]) addEventListener(name, () => requestAnimationFrame(ring), { capture: true, passive: true })

const linked = () => Number(location.hash.match(/^#stop=(\d+)$/)?.[1] ?? 0)
addEventListener("hashchange", () => linked() && go(linked() - 1))
// Keys are meant for it; within another page it was just asked for, and comes into sight.
if (parent !== window) document.querySelector("header").scrollIntoView()
control.next.focus({ preventScroll: true })
play(false)
go((linked() || 1) - 1)
