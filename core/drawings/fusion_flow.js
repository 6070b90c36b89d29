// Ranked lists as columns that flow into the fused one: a chip per passage and list, joined by a line per passage.
import { button, changed, element, recall, resized, shape, words } from "./parts.js"
import { arrows, called, curve, framed, glide, reads, tell } from "./picture.js"
export { default as css } from "./fusion_flow.css" with { type: "text" }

const chipsOf = (column) => [...column.list.children].map((item) => item.firstElementChild)

function column(title, text, name) {
  const node = element("section", name)
  const head = element("h4", "", element("b", "", title), element("span", "query", text))
  head.title = text
  const list = element("ol")
  node.append(head, list)
  return { node, list, title }
}

// Empty: it is filled by `write`, also when the constants change.
function chip(id, place, state) {
  const node = button("chip")
  node.dataset.chunk = id
  node.dataset.list = place
  node.append(element("span", "label", element("span", "name"), element("span", "detail")), element("span", "term"), element("span", "was"))
  if (state.data.movable && place < state.data.lists.length) drags(node, place, state)
  const light = (on) => () => {
    state.lit = on ? id : (state.map.querySelector(".chip:focus-visible")?.dataset.chunk ?? "")
    dress(state)
  }
  node.onpointerenter = light(true)
  node.onpointerleave = light(false)
  node.onblur = light(false)
  node.onfocus = () => {
    state.at = node
    light(true)()
  }
  node.onclick = () => {
    state.chosen = state.chosen === id ? "" : id
    dress(state)
  }
  const item = element("li", "", node)
  state.items.set(`${place} ${id}`, item)
  return item
}

// Where lists can be moved in (`movable`), a chip is dragged to another rank of its list, by touch at its grip; who holds
// the picture hears of it by the event `moved`.
const SLACK = 6 // pixels that a click may move
const BELOW = 6 // pixels between a column and a line that passes it

function moves(state, node, list, way) {
  const chips = chipsOf(state.columns[list])
  const from = chips.indexOf(node)
  const to = Math.min(Math.max(from + way, 0), chips.length - 1)
  if (to !== from) node.dispatchEvent(new CustomEvent("moved", { detail: { list, from, to }, bubbles: true, composed: true }))
}

function drags(node, list, state) {
  const grip = element("span", "grip", "⠿")
  grip.setAttribute("aria-hidden", "true")
  node.append(grip)
  node.classList.add("movable")
  node.onpointerdown = (down) => {
    if (down.button || (down.pointerType === "touch" && !down.target.closest(".grip"))) return
    let way = 0
    node.setPointerCapture(down.pointerId)
    const row = node.parentElement.offsetHeight + parseFloat(getComputedStyle(state.columns[list].list).rowGap)
    node.onpointermove = (move) => {
      const gone = move.clientY - down.clientY
      if (!node.classList.contains("dragged") && Math.abs(gone) < SLACK) return
      node.classList.add("dragged")
      node.style.translate = `0 ${gone}px`
      way = Math.round(gone / row)
    }
    node.onpointerup = node.onpointercancel = (up) => {
      const dragged = node.classList.contains("dragged")
      node.onpointermove = node.onpointerup = node.onpointercancel = null
      node.classList.remove("dragged")
      node.style.translate = ""
      if (!dragged) return
      const choose = node.onclick // the click that ends a drag chooses nothing
      node.onclick = null
      setTimeout(() => {
        node.onclick = choose
        if (up.type === "pointerup") moves(state, node, list, way)
      })
    }
  }
}

// Before the lists are fused, their own columns alone are filled.
const fused = (data) => data.fused !== false

function write(item, one, place, state) {
  const node = item.firstElementChild
  const last = place === state.columns.length - 1
  const rank = last ? one.card.rank : one.ranks[place]
  const [label, term, was] = node.children
  const [name, detail] = label.children
  const star = one.card.starred ? "★" : ""
  // A letter stands for a name that is in sight.
  const named = one.card.rank && (state.all || one.card.rank <= state.data.seen)
  // Titles are often alike but for their year: that stands in the line below, which is not cut.
  const title = one.card.title.slice(star.length).trimStart()
  const [, kept, year] = title.match(/^(.+\S)\s+(\d{4})$/) ?? ["", title, ""]
  name.replaceChildren(element("b", "", rank), " ", ...(star ? [element("b", "", star), " "] : []), element("i", "letter", named ? state.letters.get(one.card.id) : ""), ` ${kept}`)
  detail.textContent = [year, one.detail, last && one.repeats].filter(Boolean).join(" · ")
  term.textContent = last ? one.score : one.terms[place]
  was.textContent = last && one.was ? `was ${one.was} ${Number(rank) < one.was ? "▲" : "▼"}` : ""
  node.classList.toggle("leads", one.leads)
  node.style.setProperty("--mark", one.colour)
  node.title = called(one)
  const where = last ? `fused rank ${rank}${one.was ? `, was ${one.was}` : ""}: ${one.sum}` : `rank ${rank} in ${state.columns[place].title}`
  node.setAttribute("aria-label", `${called(one)}, ${where}`)
  const row = last ? Number(rank) : one.places[place]
  item.style.gridRow = String(row)
  item.hidden = !state.all && row > state.data.seen
}

// Puts every chip in its place; those that were elsewhere glide there, and the lines follow them.
function place(state) {
  const focused = state.map.getRootNode().activeElement
  glide(() => state.items.values(), () => put(state), () => lines(state))
  if (focused?.isConnected && state.map.contains(focused)) focused.focus({ preventScroll: true })
  if (!state.at?.isConnected || state.at.parentElement.hidden) state.at = chipsOf(state.columns.at(-1))[0] ?? state.columns.flatMap(chipsOf)[0] ?? null
}

function put(state) {
  const last = state.columns.length - 1
  state.columns.forEach((each, at) => {
    const held = state.data.passages.filter((one) => (at === last ? fused(state.data) : one.places[at] !== null))
    if (at < last) held.sort((one, other) => one.places[at] - other.places[at])
    const items = held.map((one) => {
      const item = state.items.get(`${at} ${one.card.id}`) ?? chip(one.card.id, at, state)
      write(item, one, at, state)
      return item
    })
    // Only what stands elsewhere is put in anew.
    if (items.some((item, index) => each.list.children[index] !== item)) each.list.replaceChildren(...items)
  })
}

// Where there is no room for names in every list, only ranks, stars and a letter per passage stand there: letters and lines
// lead to the names in the fused order.
function fit(state) {
  const wide = () => state.scroll.scrollWidth > state.scroll.clientWidth + 2
  state.map.classList.remove("tight")
  state.map.classList.toggle("tight", wide())
  state.hint.hidden = !wide()
}

// The height, nearest to the one wished for, at which a line passes a column without its passage: between its chips, or
// below them. Lines in one gap lie beside each other.
function passing(chips, wish, used) {
  if (!chips.length || wish > chips.at(-1).bottom + BELOW) return wish
  const gaps = [...chips.map((chip, at) => (at ? (chips[at - 1].bottom + chip.top) / 2 : chip.top - BELOW)), chips.at(-1).bottom + BELOW]
  const y = gaps.reduce((best, gap) => (Math.abs(gap - wish) < Math.abs(best - wish) ? gap : best))
  const before = used.get(y) ?? 0
  used.set(y, before + 1)
  return y + [0, 3, -3][before % 3]
}

// A line goes from column to column, to each that holds the passage. Where there is no room even so, the fused column
// stays in sight, and others lie under it.
function lines(state) {
  const { scrollLeft, scrollWidth, clientWidth } = state.scroll
  state.map.classList.toggle("under", scrollWidth - clientWidth - scrollLeft > 2)
  const zero = state.svg.getBoundingClientRect()
  const columns = state.columns.map((each) => {
    const chips = chipsOf(each).filter((node) => !node.parentElement.hidden).map((node) => node.getBoundingClientRect())
    return { chips, used: new Map(), box: each.list.getBoundingClientRect() }
  })
  for (const [id, path] of state.paths) {
    const stops = state.columns
      .map((_, at) => [at, state.items.get(`${at} ${id}`)])
      .filter(([, item]) => item && !item.hidden)
      .map(([at, item]) => [at, item.firstElementChild.getBoundingClientRect()])
    const steps = stops.slice(1).flatMap(([at, to], index) => {
      const [first, from] = stops[index]
      let here = from
      const ways = []
      for (let between = first + 1; between < at; between += 1) {
        const { chips, used, box } = columns[between]
        const share = (box.left - from.right) / (to.left - from.right)
        const y = passing(chips, from.top + from.height / 2 + share * (to.top + to.height / 2 - from.top - from.height / 2), used)
        const gap = { left: box.left, right: box.right, top: y, height: 0 }
        ways.push(curve(here, gap, zero), `H ${box.right - zero.left}`)
        here = gap
      }
      return [...ways, curve(here, to, zero)]
    })
    path.setAttribute("d", steps.join(" "))
  }
}

function say(state, one) {
  state.says.replaceChildren(...(one ? [element("b", "", [one.card.rank && `${one.card.rank}.`, called(one)].filter(Boolean).join(" ")), element("span", "sum", one.sum || one.told)] : []))
}

// Room for the longest sum, so that nothing moves away from the pointer when another one is said.
function reserve(state) {
  const length = (one) => (one.sum || one.told).length
  const longest = [...state.data.passages].sort((one, other) => length(other) - length(one))[0]
  state.says.style.minHeight = ""
  say(state, longest)
  state.says.style.minHeight = `${state.says.offsetHeight}px`
}

// Lights the passage under the pointer or in focus, else the one that was chosen; says its sum, or that of the first.
function dress(state) {
  const known = new Map(state.data.passages.map((one) => [one.card.id, one]))
  const lit = known.has(state.lit) ? state.lit : state.chosen
  state.map.classList.toggle("asks", Boolean(lit))
  for (const item of state.items.values()) {
    const node = item.firstElementChild
    node.classList.toggle("lit", node.dataset.chunk === lit)
    node.setAttribute("aria-pressed", String(node.dataset.chunk === state.chosen))
    node.tabIndex = node === state.at ? 0 : -1
  }
  for (const [id, path] of state.paths) path.classList.toggle("lit", id === lit)
  say(state, known.get(lit) ?? (fused(state.data) ? state.data.passages[0] : null))
  reads(state, known.get(state.chosen), (one) => [element("b", "", called(one)), words(one.card)])
  if (state.more) {
    state.more.textContent = state.all ? `Show only the first ${state.data.seen}` : `Show all ${state.data.passages.length}`
    state.more.setAttribute("aria-expanded", String(Boolean(state.all)))
  }
}

// Arrows lead up and down a column, and along a passage's line; where it ends there, to the column beside.
function step(state, event) {
  const list = Number(state.at?.dataset.list)
  if (state.data.movable && event.altKey && list < state.data.lists.length && /^Arrow(Up|Down)$/.test(event.key)) {
    event.preventDefault()
    moves(state, state.at, list, event.key === "ArrowUp" ? -1 : 1)
    return
  }
  const columns = state.columns.map((column) => chipsOf(column).filter((node) => !node.parentElement.hidden))
  arrows(event, columns, state.at, (place, way) => {
    const ahead = way < 0 ? columns.slice(0, place).reverse() : columns.slice(place + 1)
    return ahead.flat().find((node) => node.dataset.chunk === state.at.dataset.chunk)
  })
}

const letter = (at) => `${String.fromCharCode(65 + (at % 26))}${Math.floor(at / 26) || ""}`

function build(root, data, state) {
  state.items = new Map()
  state.letters = new Map(data.passages.map((one, at) => [one.card.id, one.letter ?? letter(at)]))
  state.chosen = state.lit = ""
  state.all = false
  state.at = null
  state.columns = [...data.lists.map((list) => column(list.name, list.meaning, "list")), column("Fused", "", "fused")]
  root.style.setProperty("--lists", data.lists.length)
  state.paths = new Map(data.passages.map((one) => [one.card.id, shape("path")]))
  framed(root, state, "Ranked lists and the fused order; arrow keys lead from passage to passage", ...state.columns.map((each) => each.node))
  state.svg.append(...state.paths.values())
  state.map.onkeydown = (event) => step(state, event)
  state.scroll = element("div", "scroll")
  state.says.after(state.scroll)
  state.scroll.append(state.map)
  state.hint = element("p", "hint", `${data.lists.length} lists: scroll sideways to see all`)
  state.scroll.before(state.hint)
  state.scroll.onscroll = () => lines(state)
  state.more = null
  if (data.passages.length > data.seen) {
    state.more = button("more")
    state.more.onclick = () => {
      state.all = !state.all
      place(state)
      dress(state)
      lines(state)
    }
    state.scroll.after(state.more)
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  if (changed(state, data)) {
    // Other constants leave lists and passages as they are: only then is there something that can glide.
    const same = JSON.stringify([data.lists, data.passages.map((one) => one.card.id).sort()])
    state.data = data
    if (same !== state.same) build(root, data, state)
    state.same = same
    state.columns.at(-1).node.querySelector(".query").textContent = fused(data) ? `Sum of ${data.formula}${data.from && `, ${data.from}`}` : "Not fused yet"
    tell(
      state,
      fused(data)
        ? `${data.lists.length} ranked lists flow into one. The score of a passage is the sum of ${data.formula} over the lists that hold it${data.from && `, ${data.from}`}.`
        : `${data.lists.length} ranked lists, which are not fused yet.`,
      data.passages.map((one) => `${called(one)}: ${one.told}${one.was ? `; was ${one.was}` : ""}`),
    )
    const rank = new Map(data.passages.map((one, index) => [one.card.id, index]))
    for (const one of data.passages) {
      const path = state.paths.get(one.card.id)
      path.style.setProperty("--mark", one.colour)
      path.classList.toggle("leads", one.leads)
    }
    // The best lie on top.
    state.svg.append(...[...state.paths].sort(([one], [other]) => rank.get(other) - rank.get(one)).map(([, path]) => path))
    place(state)
  }
  const settle = () => {
    fit(state)
    reserve(state)
    dress(state)
    lines(state)
  }
  settle()
  return resized(state, [state.map, state.scroll], settle)
}
