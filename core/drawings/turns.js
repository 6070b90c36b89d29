// Turns of a loop: a row of boxes each, with the way round again between them and why it was taken. Of a ladder, whose
// rungs lead to the next one in any case, the boxes say it all.
import { button, element, fold, shape, words } from "./parts.js"
import { STAR, arrows, framed, picture, reads, says, selects, tell } from "./picture.js"
export { default as css } from "./turns.css" with { type: "text" }

const SHOWN = 4 // passages of a box
const MANY = 3 // turns, above which texts are cut shorter

const sign = (item) => (item.half ? "◐" : item.kept ? "✓" : "✗")
const starred = (item) => Boolean(item.card?.starred)
const named = (item) => (starred(item) ? `${STAR} ${item.name}` : item.name)
const whole = (item) => [named(item), item.detail].filter(Boolean).join(" · ")

function line(item, state) {
  const node = element("span", `item ${item.kept ? "kept" : "out"}${item.card ? "" : " own"}`, item.verdict ? element("i", "", sign(item)) : null)
  node.append(element("span", "name", named(item)))
  if (item.detail) node.append(element("span", "detail", item.detail))
  if (!item.card) node.append(element("b", "", item.verdict))
  node.onpointerenter = () => {
    state.item = item
    say(state)
  }
  node.onpointerleave = () => {
    state.item = null
    say(state)
  }
  return node
}

function build(box, key, state) {
  const node = button(`box${box.place < 2 ? " wide" : ""}${box.ghost ? " ghost" : ""}`)
  node.dataset.key = key
  node.style.gridColumn = String(box.place + 1)
  const head = element("span", "head")
  // Beside a text there is room for the stars of its passages alone.
  const stars = box.text ? STAR.repeat(box.items.filter(starred).length) : ""
  head.append(element("b", "", box.name), element("span", "said", `${box.said} ${stars}`))
  node.append(head)
  if (box.text) node.append(element("span", "cut", box.text))
  const listed = box.items.filter((item) => item.verdict || (state.data.ladder && !box.text))
  if (listed.length) {
    const list = element("span", "items", ...listed.slice(0, SHOWN).map((item) => line(item, state)))
    if (listed.length > SHOWN) list.append(element("span", "rest", `and ${listed.length - SHOWN} more`))
    node.append(list)
  }
  node.setAttribute("aria-label", `${box.name}. ${box.told}`)
  selects(node, state, key, "", dress)
  return node
}

const signs = { back: "↺", done: "→", cap: "■", open: "…" }

function turnOf(turn, place, last, state) {
  // Where a turn ends with its first box, what it led to stands beside that.
  const lone = turn.boxes.length === 1 && !last && !state.data.ladder
  const node = element("section", `turn ${turn.way}${lone ? " lone" : ""}`)
  const boxes = element("div", "boxes")
  turn.boxes.forEach((box, at) => {
    const key = `${place} ${at}`
    const made = build(box, key, state)
    state.boxes.set(key, [made, box, place])
    boxes.append(made)
  })
  node.append(boxes)
  // What the last turn led to stands with the answer.
  const led = element("p", "led")
  led.hidden = last || state.data.ladder
  led.append(element("span", "sign", signs[turn.way]), element("span", "", turn.led || (turn.way === "open" ? state.data.waits ? "Waiting" : "Under way" : "")))
  node.append(led)
  return node
}

function ending(data) {
  const node = element("div", `ending${data.answer ? "" : " waiting"}${data.abstained ? " none" : ""}`)
  const last = data.turns.at(-1)
  node.append(element("b", "", data.answer ? `${signs[last.way]} ${last.led}` : data.waits ? "Waiting" : data.running ? "The answer follows" : "There is no answer"))
  if (data.answer) node.append(element("p", "", data.answer))
  return node
}

function say(state) {
  const { data, item } = state
  const [, box] = state.boxes.get(state.lit || state.chosen) ?? []
  if (item?.verdict) says(state, `${sign(item)} ${whole(item)}: ${item.verdict}`, item.reason || "No reason was given.")
  else if (item) says(state, whole(item), item.card.where)
  else if (box) says(state, box.name, box.told)
  else says(state, data.summary, data.turns.at(-1).led || (data.waits ? "Waiting" : data.running ? "Under way" : ""))
}

function passage(item, key, state) {
  const node = fold("passage", "", state.open, key)
  const head = node.querySelector("summary")
  if (item.verdict) head.append(element("i", item.kept ? "yes" : "no", `${sign(item)} ${item.verdict}`))
  head.append(` ${whole(item)}`)
  if (item.reason) head.append(element("span", "reason", item.reason))
  node.append(words(item.card))
  return node
}

function read(box, key, state) {
  const nodes = [element("b", "", box.name)]
  if (box.text) nodes.push(element("p", "whole", box.text))
  if (box.told && !box.text) nodes.push(element("p", "whole", box.told))
  box.items.forEach((item, at) => {
    if (item.card) nodes.push(passage(item, `${key} ${at}`, state))
    else {
      const row = element("p", "", element("i", item.kept ? "yes" : "no", `${sign(item)} ${item.name} ${item.verdict}`), ` ${item.reason}`)
      nodes.push(row)
    }
  })
  return nodes
}

function dress(state) {
  for (const [key, [node]] of state.boxes) {
    node.classList.toggle("lit", key === state.lit)
    node.setAttribute("aria-pressed", String(key === state.chosen))
    node.tabIndex = key === state.at ? 0 : -1
  }
  say(state)
  const [, chosen] = state.boxes.get(state.chosen) ?? []
  reads(state, chosen, (box) => read(box, state.chosen, state))
}

// Straight on from box to box; round again below a row, from its last box to the first of the next.
function lines(state) {
  const zero = state.svg.getBoundingClientRect()
  if (!zero.width) return
  const narrow = state.root.classList.contains("narrow")
  const paths = []
  const place = (node) => {
    const box = node.getBoundingClientRect()
    return { left: box.left - zero.left, right: box.right - zero.left, top: box.top - zero.top, bottom: box.bottom - zero.top }
  }
  const add = (d, name) => paths.push(shape("path", { d, class: name, "marker-end": "url(#tip)" }))
  const rows = state.data.turns.map((turn, at) => turn.boxes.map((_, box) => place(state.boxes.get(`${at} ${box}`)[0])))
  rows.forEach((row, at) => {
    if (!narrow) row.slice(1).forEach((to, box) => to.left > row[box].right && add(`M ${row[box].right} ${row[box].top + 17} H ${to.left - 3}`, "on"))
    const [end, next] = [row.at(-1), rows[at + 1]?.[0]]
    if (!end) return
    const label = state.turns[at].querySelector(".led")
    const straight = next && label.hidden
    const led = straight ? next : place(label.hidden ? state.end : label)
    const y = straight ? (end.bottom + next.top) / 2 : (led.top + led.bottom) / 2
    if (narrow) return add(`M ${end.left + 22} ${end.bottom} V ${led.top - 2}`, next ? "round" : "on")
    const x = (end.left + end.right) / 2
    if (!next && x < led.left) return add(`M ${x} ${end.bottom} V ${y - 10} q 0 10 10 10 H ${led.left - 3}`, "on")
    if (!next) return add(x < led.right ? `M ${x} ${end.bottom} V ${led.top - 3}` : `M ${x} ${end.bottom} V ${y - 10} q 0 10 -10 10 H ${led.right + 3}`, "on")
    const u = next.left + 30
    if (state.turns[at].classList.contains("lone")) {
      add(`M ${end.right} ${y} H ${led.left - 3}`, "on")
      return add(`M ${u} ${end.bottom} V ${next.top - 3}`, "round")
    }
    const bend = Math.min(10, y - end.bottom)
    add(`M ${x} ${end.bottom} V ${y - bend} q 0 ${bend} -10 ${bend} H ${u + 10} q -10 0 -10 ${bend} V ${next.top - 3}`, straight ? "on" : "round")
  })
  state.svg.replaceChildren(state.tips, ...paths)
}

function put(root, data, state) {
  if (!state.map) {
    Object.assign(state, { boxes: new Map(), turns: [], parts: [], lit: "", chosen: "", at: "0 0", item: null })
    state.rows = element("div", "rows")
    state.end = element("div")
    framed(root, state, "What was done, turn by turn; arrow keys lead from box to box", state.rows, state.end)
    state.map.onkeydown = (event) => {
      const keys = [0, 1, 2, 3].map((column) => [...state.boxes.values()].filter(([, box]) => box.place === column).map(([node]) => node))
      arrows(event, keys.filter((nodes) => nodes.length), state.boxes.get(state.at)[0])
    }
  }
  state.data = data
  root.classList.toggle("ladder", data.ladder)
  root.classList.toggle("three", data.turns.some((turn) => turn.boxes.some((box) => box.place > 1)))
  root.classList.toggle("many", data.turns.length > MANY)
  // Only a turn that changed is drawn again.
  const ends = (at) => Boolean(data.answer) && at === data.turns.length - 1
  data.turns.forEach((turn, at) => {
    const drawn = JSON.stringify([turn, ends(at)])
    if (state.parts[at] === drawn) return
    state.parts[at] = drawn
    for (const key of [...state.boxes.keys()].filter((key) => key.startsWith(`${at} `))) state.boxes.delete(key)
    const node = turnOf(turn, at, ends(at), state)
    if (state.turns[at]) state.turns[at].replaceWith(node)
    else state.rows.append(node)
    state.turns[at] = node
  })
  for (const node of state.turns.splice(data.turns.length)) node.remove()
  state.parts.length = data.turns.length
  state.boxes = new Map([...state.boxes].filter(([, [, , at]]) => at < data.turns.length).sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true })))
  if (!state.boxes.has(state.at)) state.at = state.boxes.keys().next().value
  const end = ending(data)
  state.end.replaceWith(end)
  state.end = end
  tell(state, `${data.summary}. ${data.answer}`, data.turns.map((turn) => `${turn.title}: ${turn.boxes.map((box) => box.told).join(" ")} ${turn.led}`))
}

export default picture(put, dress, lines, () => 600)
