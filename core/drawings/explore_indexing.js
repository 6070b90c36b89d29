// Indexing with handles: borders of chunks move in a page, and the chunk that holds an answer changes its rank.
import { choice, explorable, ordinal, picked, range, set } from "./explorable.js"
import { button, element } from "./parts.js"

const SHARED = ["nothing", "a quarter of it", "half of it"]

export function handles(data) {
  return [
    range("size", "Chunk size", { min: 0, max: data.sizes.length - 1, start: data.sizes.indexOf(240), told: (at) => `${data.sizes[at]} tokens` }),
    choice("share", "Chunks share", { options: SHARED.map((text, at) => [String(at), text]), start: "0" }),
    picked("asked", "Question", data.asked.map((one) => one.question)),
  ]
}

// What becomes of an answer in a cut: the chunks that hold it, or the largest piece of it, and whether it is read.
function lot(cell, asked, at) {
  const pieces = cell.chunks.map(([start, end]) => Math.max(0, Math.min(end, asked.end) - Math.max(start, asked.start)))
  const holders = pieces.flatMap((one, place) => (one === Math.max(...pieces) ? [place] : []))
  return {
    rank: cell.ranks[at],
    holders,
    whole: holders.every((place) => cell.chunks[place][0] <= asked.start && asked.end <= cell.chunks[place][1]),
    read: holders.some((place) => cell.chunks[place][2] >= asked.end),
  }
}

const NEAR = 3 // ranks that are good
const HEADING = /^(#{1,6} .*)$/m

function sentence(data, cell, now, size) {
  const cut = `In chunks of at most ${size} tokens, the page has ${cell.chunks.length}. `
  const numbers = now.holders.map((at) => at + 1).join(" and ")
  const place = `${ordinal(now.rank)} of ${cell.all}`
  if (!now.whole) return `${cut}A border cuts the answer in two: the largest piece, in chunk ${numbers}, comes ${place}.`
  if (!now.read) return `${cut}MiniLM stops reading chunk ${numbers} after ${data.limit} tokens, before the answer: ${now.rank <= NEAR ? "what comes before is near enough to the question, and" : "it counts for nothing, and"} the chunk comes ${place}.`
  const held = now.holders.length > 1 ? `chunks ${numbers}; the better one` : `chunk ${numbers}, which`
  const short = now.holders.some((at) => cell.chunks[at][2] < cell.chunks[at][1])
  return `${cut}The answer is in ${held} comes ${place} chunks of all pages.${short ? ` MiniLM reads only its first ${data.limit} tokens: the answer is among them.` : ""}`
}

export function compute(data, values) {
  const [size, share, at] = [values.size, Number(values.share), Number(values.asked)]
  const cell = data.cells[size][share]
  const asked = data.asked[at]
  const every = data.cells.map((row) => row.map((one) => lot(one, asked, at)))
  const now = every[size][share]
  return {
    chunks: cell.chunks,
    holders: now.holders,
    whole: now.whole,
    rank: now.rank,
    says: sentence(data, cell, now, data.sizes[size]),
    facts: every.flatMap((row, place) => row.map((one, other) => `${data.sizes[place]} tokens, ${SHARED[other]} shared: the answer is ${ordinal(one.rank)} of ${data.cells[place][other].all}${remark(one)}`)),
    every,
    asked,
    size,
    share,
  }
}

const remark = (one) => (one.whole ? (one.read ? "" : ", not read") : ", cut in two")

// The page in pieces that belong to the same chunks, the same side of where reading ends, and the answer or not.
function pieces(data, made) {
  const { chunks, asked } = made
  const borders = new Set([0, data.text.length, asked.start, asked.end, ...chunks.flat()])
  const ends = [...borders].sort((one, other) => one - other)
  return ends.slice(1).map((end, at) => {
    const start = ends[at]
    const own = chunks.flatMap(([from, to], place) => (from <= start && end <= to ? [place] : []))
    return {
      text: data.text.slice(start, end),
      own,
      begins: own.filter((place) => chunks[place][0] === start),
      unread: own.length > 0 && own.every((place) => start >= chunks[place][2]),
      answer: start >= asked.start && end <= asked.end,
    }
  })
}

function text(state, made) {
  const nodes = pieces(state.data, made).flatMap((piece) => {
    const side = piece.own.length > 1 ? "shared" : piece.own.length ? ["even", "odd"][piece.own[0] % 2] : ""
    const colour = piece.answer ? "" : `${side}${piece.own.some((at) => made.holders.includes(at)) ? " holds" : ""}`
    const node = element(piece.answer ? "mark" : "span", `${colour}${piece.unread ? " unread" : ""}`)
    node.append(...piece.text.split(HEADING).map((part, at) => (at % 2 ? element("b", "", part.replace(/^#+ /, "")) : part)))
    return [...piece.begins.map((at) => element("b", `border${made.holders.includes(at) ? " holds" : ""}`, String(at + 1))), node]
  })
  state.page.replaceChildren(...nodes)
  const answer = state.page.querySelector("mark")
  if (answer) state.page.scrollTop = Math.max(0, answer.offsetTop - state.page.clientHeight / 3)
}

// Ranks of all cuts; the one in sight is pressed.
function grid(state, made) {
  const { data } = state
  if (!state.grid.firstChild) {
    const top = element("tr", "", element("th", "", "Shared"), ...data.sizes.map((size) => element("th", "", `${size}`)))
    const rows = data.shares.map((_, share) => {
      const row = element("tr")
      row.append(element("th", "", SHARED[share]), ...data.sizes.map((_, size) => {
        const node = button("cell", element("span", "rank"), element("span", "note"))
        node.onclick = () => set(state, { size, share: String(share) })
        return element("td", "", node)
      }))
      return row
    })
    state.grid.append(top, ...rows)
  }
  data.shares.forEach((_, share) => data.sizes.forEach((size, at) => {
    const node = state.grid.children[share + 1].children[at + 1].firstChild
    const one = made.every[at][share]
    const [rank, words] = node.children
    rank.textContent = ordinal(one.rank)
    words.textContent = one.whole ? (one.read ? `of ${data.cells[at][share].all}` : "not read") : "cut"
    node.style.setProperty("--near", `${Math.round(55 / Math.sqrt(one.rank))}%`)
    node.setAttribute("aria-pressed", String(at === made.size && share === made.share))
    node.setAttribute("aria-label", `${size} tokens, ${SHARED[share]} shared: ${rank.textContent}${remark(one)}`)
  }))
}

function show(state, made) {
  const { stage } = state
  if (!state.page) {
    stage.classList.add("cutting")
    state.page = element("div", "page")
    state.page.tabIndex = 0
    state.page.setAttribute("role", "group")
    state.page.setAttribute("aria-label", "The page, with numbers where chunks begin")
    state.grid = element("table")
    const left = element("section")
    const key = element("p", "aid")
    key.append("A number begins a chunk. ", element("mark", "", "The answer"), ", ", element("span", "shared", "shared by two chunks"), ", ", element("span", "unread", "not read by MiniLM"), ". Stronger colour: the chunk with the answer.")
    left.append(element("h4", "", "The page"), state.page, key)
    const ranks = element("section")
    const aid = "Rank, among the chunks of all pages, of the one that holds the answer; the stronger the colour the better. Sizes are in tokens, from left to right. “Cut”: a border goes through the answer."
    ranks.append(element("h4", "", "Where the answer lands, for every cut"), state.grid, element("p", "aid", aid))
    stage.append(left, ranks)
  }
  text(state, made)
  grid(state, made)
}

export default explorable({ handles, compute, show })
