// Queries that send what they find into one pool: a chip per passage, and a thread to it from each query that found it.
import { button, counted, element, shape, words } from "./parts.js"
import { arrows, called, curve, framed, glide, picture, points, reads, says, tell } from "./picture.js"
export { default as css } from "./pool.css" with { type: "text" }

const MANY = 7 // queries, above which each has a line of text
const FEW = 3 // and up to which each has several

function query(state, at) {
  const node = button("query")
  node.dataset.list = at
  node.append(element("span", "asks", element("b"), element("span")), element("span", "count"))
  points(node, (on) => light(state, on ? { list: at } : null, node))
  return element("li", "", node)
}

function writeQuery(item, list) {
  const [asks, count] = item.firstElementChild.children
  const [name, text] = asks.children
  item.style.setProperty("--mark", list.colour)
  name.textContent = list.name
  text.textContent = list.query
  count.textContent = list.alone ? `${list.found} found, ${list.alone} only here` : `${list.found} found`
  item.firstElementChild.title = list.query
  item.firstElementChild.setAttribute("aria-label", `${list.name}, ${list.query}: found ${list.found}, ${list.alone} of them alone`)
}

function chip(state, id) {
  const node = button("chip")
  node.dataset.chunk = id
  node.append(element("span", "label", element("b"), element("span", "name"), element("span", "detail")), element("span", "ranks"))
  points(node, (on) => light(state, on ? { chunk: id } : null, node))
  node.onclick = () => {
    state.chosen = state.chosen === id ? "" : id
    dress(state)
  }
  return element("li", "", node)
}

function writeChip(item, one, state) {
  const node = item.firstElementChild
  const [label, ranks] = node.children
  const [rank, name, detail] = label.children
  rank.textContent = one.card.rank
  name.textContent = one.card.title
  detail.textContent = [one.detail, one.repeats].filter(Boolean).join(" · ")
  const told = JSON.stringify([one.ranks, state.data.lists.map((list) => list.colour)])
  if (node.dataset.told !== told) {
    ranks.replaceChildren(
      ...one.ranks.map((found, at) => {
        const dot = element("i", found ? "found" : "", found)
        dot.style.setProperty("--mark", state.data.lists[at].colour)
        return dot
      }),
    )
    node.dataset.told = told
  }
  node.classList.toggle("alone", one.alone >= 0)
  node.classList.toggle("left", !one.given || Boolean(one.repeats))
  if (one.alone >= 0) node.style.setProperty("--mark", state.data.lists[one.alone].colour)
  node.title = called(one)
  node.setAttribute("aria-label", `${one.card.rank}, ${called(one)}, ${one.told}`)
  item.hidden = !state.all && Number(one.card.rank) > state.data.seen
}

function light(state, what, node) {
  if (node.matches(":focus")) state.at = node
  state.lit = what
  dress(state)
}

const finds = (one, at) => Boolean(one.ranks[at])

function say(state) {
  const { data, lit, chosen } = state
  const one = data.passages.find((each) => each.card.id === (lit ? lit.chunk : chosen))
  const list = lit && data.lists[lit.list]
  if (list) {
    const alone = list.alone ? `, ${list.alone} of them by itself` : ""
    says(state, `${list.name}: ${list.query}`, `Found ${list.found}${alone}.`)
  } else if (one) says(state, `${one.card.rank}. ${called(one)}`, `${one.told[0].toUpperCase()}${one.told.slice(1)}.`)
  else says(state, "The pool", data.summary)
}

// Lights what is under the pointer or in focus with its threads, else the passage that was chosen.
function dress(state) {
  const { data } = state
  const lit = state.lit ?? (state.chosen ? { chunk: state.chosen } : null)
  state.map.classList.toggle("asks", Boolean(lit))
  for (const one of data.passages) {
    const node = state.chips.get(one.card.id).firstElementChild
    const on = Boolean(lit) && (lit.chunk === one.card.id || finds(one, lit.list))
    node.classList.toggle("lit", on)
    node.setAttribute("aria-pressed", String(state.chosen === one.card.id))
    one.ranks.forEach((_, at) => state.paths.get(`${at} ${one.card.id}`)?.classList.toggle("lit", on && (lit.list ?? at) === at))
  }
  data.lists.forEach((_, at) => {
    const one = lit && data.passages.find((each) => each.card.id === lit.chunk)
    state.queries[at].firstElementChild.classList.toggle("lit", Boolean(lit) && (lit.list === at || Boolean(one && finds(one, at))))
  })
  for (const node of state.map.querySelectorAll("button")) node.tabIndex = node === state.at ? 0 : -1
  say(state)
  reads(state, data.passages.find((one) => one.card.id === state.chosen), (one) => [element("b", "", called(one)), words(one.card)])
  state.more.hidden = data.passages.length <= data.seen
  state.more.textContent = state.all ? `Show only the first ${data.seen}` : `Show all ${data.passages.length}`
  state.more.setAttribute("aria-expanded", String(Boolean(state.all)))
}

function lines(state) {
  const zero = state.svg.getBoundingClientRect()
  if (!zero.width) return
  const starts = state.queries.map((item) => item.getBoundingClientRect())
  const ends = new Map(state.data.passages.map((one) => {
    const item = state.chips.get(one.card.id)
    return [one.card.id, item.hidden ? null : item.getBoundingClientRect()]
  }))
  for (const one of state.data.passages) {
    one.ranks.forEach((_, at) => {
      const [path, to] = [state.paths.get(`${at} ${one.card.id}`), ends.get(one.card.id)]
      path?.setAttribute("d", to ? curve(starts[at], to, zero) : "")
    })
  }
}

// Puts everything in its place; what is new in the pool appears, what it moves glides.
function put(state) {
  const { data } = state
  data.lists.forEach((list, at) => {
    state.queries[at] ??= query(state, at)
    writeQuery(state.queries[at], list)
  })
  state.queries.length = data.lists.length
  state.left.replaceChildren(...state.queries)
  const items = data.passages.map((one) => {
    if (!state.chips.has(one.card.id)) state.chips.set(one.card.id, chip(state, one.card.id))
    writeChip(state.chips.get(one.card.id), one, state)
    return state.chips.get(one.card.id)
  })
  const known = new Set(data.passages.map((one) => one.card.id))
  for (const id of [...state.chips.keys()].filter((id) => !known.has(id))) state.chips.delete(id)
  if (items.some((item, place) => state.right.children[place] !== item) || state.right.children.length !== items.length) state.right.replaceChildren(...items)
  state.head.replaceChildren(...data.lists.map((list) => element("i", "", data.lists.length > MANY ? list.name.replace(/^Q/, "") : list.name)))
  state.paths = new Map()
  const drawn = []
  for (const one of data.passages) {
    one.ranks.forEach((found, at) => {
      if (!found) return
      const path = shape("path", { class: one.alone >= 0 ? "alone" : "" })
      path.style.setProperty("--mark", data.lists[at].colour)
      state.paths.set(`${at} ${one.card.id}`, path)
      drawn.push(path)
    })
  }
  state.svg.replaceChildren(...drawn)
  if (!state.at?.isConnected || state.at.parentElement.hidden) state.at = (items[0] ?? state.queries[0])?.firstElementChild ?? null
}

function build(root, state) {
  Object.assign(state, { chips: new Map(), queries: [], paths: new Map(), chosen: "", lit: null, at: null, all: false })
  state.left = element("ol", "queries")
  state.right = element("ol", "pool")
  state.head = element("span", "ranks")
  state.head.setAttribute("aria-hidden", "true")
  state.title = element("h4", "", "The pool")
  const pool = element("section", "", element("header", "", state.title, state.head), state.right)
  const asked = element("section", "", element("h4", "", "Queries"), state.left)
  framed(root, state, "Queries and the pool of what they found; arrow keys lead from one to the next", asked, pool)
  state.map.onkeydown = (event) => arrows(event, [state.queries, [...state.right.children].filter((item) => !item.hidden)].map((items) => items.map((item) => item.firstElementChild)), state.at)
  state.more = button("more")
  state.more.onclick = () => {
    state.all = !state.all
    for (const one of state.data.passages) writeChip(state.chips.get(one.card.id), one, state)
    dress(state)
    lines(state)
  }
  state.map.after(state.more)
}

function putAll(root, data, state) {
  state.data = data
  if (!state.map) build(root, state)
  root.classList.toggle("many", data.lists.length > MANY)
  root.classList.toggle("few", data.lists.length <= FEW)
  state.title.textContent = counted(data.passages.length, "passage", "different passages")
  glide(() => state.chips.values(), () => put(state), () => lines(state))
  tell(state, `${data.lists.length} queries search, and what they find goes into one pool. ${data.summary}`, data.passages.map((one) => `${called(one)}: ${one.told}`))
}

export default picture(putAll, dress, lines, () => 600)
