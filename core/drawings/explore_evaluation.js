// Evaluation with handles: the difference of two searches on some questions, and how far chance could have moved it.
import { choice, explorable, range, set, switches } from "./explorable.js"
import { button, element, shape } from "./parts.js"
import { points } from "./picture.js"
import { plot, through } from "./plot.js"

const RESAMPLES = 2000
const COARSE = 400 // for the line of all numbers of questions
const LEAST = 5
const STEP = 10
const [LOWEST, HIGHEST] = [-0.2, 0.3]

export function handles(data) {
  const every = data.questions.length
  const options = data.questions.map((one) => ({ text: one.text }))
  return [
    range("count", "Questions, at most", { min: LEAST, max: every, start: every }),
    range("seed", "Seed", { min: 1, max: data.seeds, start: 1 }),
    choice("group", "Kind", { options: data.groups.map((name, at) => [String(at), name]), start: "0" }),
    { ...switches("in", "", { options }), draw: undefined },
  ]
}

// Numbers from 0 to 1 that look random, the same for the same seed (mulberry32 by T. Ettinger).
function chance(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

// Means of samples that are drawn from the same questions, each as often as chance will; in order.
function resampled(values, seed, times) {
  const random = chance(seed)
  const [own, count] = [Float64Array.from(values), values.length]
  const means = new Float64Array(times)
  for (let at = 0; at < times; at++) {
    let sum = 0
    for (let drawn = 0; drawn < count; drawn++) sum += own[Math.floor(random() * count)]
    means[at] = sum / count
  }
  return means.sort()
}

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length

function interval(values, means) {
  const at = (share) => means[Math.round(share * (means.length - 1))]
  return { low: Math.min(mean(values), at(0.025)), high: Math.max(mean(values), at(0.975)) }
}

// How often the mean is as far from 0 when each difference gets a sign by chance.
function p(values, seed, times) {
  const moved = values.filter((one) => one !== 0)
  if (!moved.length) return 1
  const reached = Math.abs(moved.reduce((sum, one) => sum + one, 0)) - 1e-9
  const random = chance(seed)
  let extreme = 0
  for (let at = 0; at < times; at++) {
    let sum = 0
    for (const one of moved) sum += random() < 0.5 ? one : -one
    extreme += Math.abs(sum) >= reached
  }
  return (extreme + 1) / (times + 1)
}

function allowed(data, values) {
  const group = Number(values.group)
  return data.orders[values.seed - 1].filter((at) => values.in[at] && (!group || data.questions[at].group === group))
}

// Shares are told in points, which are hundredths; what is not quite 0 never reads as 0.
function signed(value) {
  const points = Math.abs(100 * value)
  return points < 0.005 ? "0" : `${value < 0 ? "−" : "+"}${points.toFixed(points < 0.05 ? 2 : 1)}`
}

function sentence(made, count, every, ofKind) {
  const more = made.mean < 0 ? "less" : "more"
  const found = `On ${count} questions${ofKind ? " of this kind" : ""}, hybrid search finds ${Math.abs(100 * made.mean).toFixed(1)} points ${more} of the evidence, interval ${signed(made.low)} to ${signed(made.high)} points.`
  const holds = made.low <= 0 && made.high >= 0
  const ends = holds ? (signed(made.low) === "0" || signed(made.high) === "0" ? "It just reaches 0" : "Zero lies inside it") : "Zero lies outside it"
  const chances = `p is ${made.p < 0.001 ? "below 0.001" : made.p.toFixed(3)}`
  const differs = !holds && made.p < 0.05
  const reason = differs ? `${ends}, and ${chances}: a difference.` : made.p < 0.05 ? `${ends}, though ${chances}: no significant difference.` : `${ends}, ${holds ? "and" : "but"} ${chances}, not below 0.05: no significant difference.`
  return `${found} ${reason}${every ? " All questions are taken, so another seed changes only the samples." : ""}`
}

// The interval for every number of questions, of those that are allowed, in their order.
const known = new Map()
function funnel(data, order, seed) {
  const key = `${seed} ${order.join()}`
  if (known.get("key") !== key) {
    const values = order.map((at) => data.questions[at].hybrid - data.questions[at].keyword)
    const counts = []
    for (let count = LEAST; count < values.length; count += STEP) counts.push(count)
    counts.push(values.length)
    const line = counts.map((count) => {
      const own = values.slice(0, count)
      return { count, mean: mean(own), ...interval(own, resampled(own, seed, COARSE)) }
    })
    known.set("key", key).set("line", line)
  }
  return known.get("line")
}

export function compute(data, values) {
  const order = allowed(data, values)
  const chosen = order.slice(0, values.count)
  const own = chosen.map((at) => data.questions[at].hybrid - data.questions[at].keyword)
  const means = own.length ? resampled(own, values.seed, RESAMPLES) : []
  const made = own.length
    ? { mean: mean(own), ...interval(own, means), p: p(own, values.seed, RESAMPLES) }
    : { mean: 0, low: 0, high: 0, p: 1 }
  const [more, less] = [own.filter((one) => one > 0).length, own.filter((one) => one < 0).length]
  return {
    ...made,
    more,
    less,
    same: own.length - more - less,
    says: own.length ? sentence(made, own.length, values.count >= order.length, Number(values.group) > 0) : "No question is left.",
    facts: [
      `Difference ${signed(made.mean)}, interval ${signed(made.low)} to ${signed(made.high)} points, p ${made.p.toFixed(3)}`,
      `Hybrid search finds more on ${more} questions, less on ${less}, as much on ${own.length - more - less}`,
      ...(order.length ? funnel(data, order, values.seed).map((one) => `${one.count} questions: ${signed(one.low)} to ${signed(one.high)}`) : []),
    ],
    means,
    line: order.length ? funnel(data, order, values.seed) : [],
    chosen: new Set(chosen),
    count: chosen.length,
  }
}

const clamped = (value) => Math.min(Math.max(value, LOWEST), HIGHEST)
const TICKS = [-0.2, -0.1, 0, 0.1, 0.2, 0.3]
const axis = { from: LOWEST, to: HIGHEST, ticks: TICKS, told: (value) => signed(value).replace(".0", "") }

function histogram(state, made) {
  const bars = 50
  const counts = Array(bars).fill(0)
  for (const one of made.means) counts[Math.min(bars - 1, Math.floor(((clamped(one) - LOWEST) / (HIGHEST - LOWEST)) * bars))]++
  const most = Math.max(1, ...counts)
  plot(state.histogram, {
    title: "How far chance could move the mean",
    aid: `${RESAMPLES.toLocaleString("en")} samples drawn from the same questions, with some of them twice and some not at all. The bar below spans the middle 95 % of their means: the interval. Dashed: no difference.`,
    x: { ...axis, title: "Hybrid − words, in points" },
    y: { title: "Samples", from: 0, to: most, ticks: [0] },
    marks: (across, up) => {
      const width = (HIGHEST - LOWEST) / bars
      const columns = counts.map((count, at) => {
        const left = LOWEST + at * width
        const inside = left + width / 2 >= made.low && left + width / 2 <= made.high
        return shape("rect", { class: inside ? "inside" : "outside", x: across(left), width: Math.max(1, across(left + width) - across(left) - 1), y: up(count), height: up(0) - up(count) })
      })
      const line = (name, x) => shape("line", { class: name, x1: across(x), x2: across(x), y1: up(most), y2: up(0) })
      const bar = shape("line", { class: "interval", x1: across(clamped(made.low)), x2: across(clamped(made.high)), y1: up(0) + 3, y2: up(0) + 3 })
      return [...columns, line("zero", 0), bar, shape("circle", { class: "dot", cx: across(clamped(made.mean)), cy: up(0) + 3, r: 6 })]
    },
  })
}

function breathing(state, made) {
  const every = state.data.questions.length
  plot(state.funnel, {
    title: "The interval for every number of questions",
    aid: "Questions are added in the order that the seed made. With few questions it is wide, and on both sides of 0. The line is the mean, the dot where you are.",
    x: { title: "Number of questions", from: LEAST, to: every, ticks: [LEAST, 20, 40, 60, every] },
    y: { ...axis, title: "Difference, in points" },
    marks: (across, up) => {
      const at = (key) => made.line.map((one) => [across(one.count), up(clamped(one[key]))])
      const band = shape("path", { class: "band", d: made.line.length ? `${through([...at("high"), ...at("low").reverse()])} Z` : "" })
      const zero = shape("line", { class: "zero", x1: across(LEAST), x2: across(every), y1: up(0), y2: up(0) })
      const now = shape("line", { class: "interval", x1: across(made.count), x2: across(made.count), y1: up(clamped(made.low)), y2: up(clamped(made.high)) })
      const dot = shape("circle", { class: "dot", cx: across(made.count), cy: up(clamped(made.mean)), r: 6 })
      return [band, zero, shape("path", { class: "middle", d: through(at("mean")) }), ...(made.count ? [now, dot] : [])]
    },
  })
}

function tile(state, one, at) {
  const gain = one.hybrid - one.keyword
  const node = button(`tile ${gain > 0 ? "more" : gain < 0 ? "less" : "same"}`, gain > 0 ? "▲" : gain < 0 ? "▼" : "·")
  const told = `${one.text} Words ${one.keyword.toFixed(2)}, hybrid ${one.hybrid.toFixed(2)}.`
  node.setAttribute("aria-label", told)
  points(node, (on) => (state.pointed.textContent = on ? told : state.hint))
  node.onclick = () => set(state, { in: state.values.in.map((on, place) => (place === at ? !on : on)) })
  return node
}

function show(state, made) {
  const { data, stage } = state
  if (!state.tiles) {
    state.hint = "▲ hybrid search finds more, ▼ less, · as much. Framed questions count. Point at a question to read it, choose it to take it out."
    const charts = element("div", "charts")
    state.histogram = element("div", "chart")
    state.funnel = element("div", "chart")
    charts.append(state.histogram, state.funnel)
    const section = element("section")
    state.tiles = element("div", "tiles")
    state.pointed = element("p", "pointed", state.hint)
    state.tiles.append(...data.questions.map((one, at) => tile(state, one, at)))
    section.append(element("h4", "", "The questions"), state.tiles, state.pointed)
    stage.append(charts, section)
  }
  histogram(state, made)
  breathing(state, made)
  const group = Number(state.values.group)
  data.questions.forEach((one, at) => {
    const node = state.tiles.children[at]
    node.classList.toggle("counts", made.chosen.has(at))
    node.classList.toggle("out", !state.values.in[at])
    node.classList.toggle("other", Boolean(group) && one.group !== group)
    node.setAttribute("aria-pressed", String(state.values.in[at]))
  })
}

export default explorable({ handles, compute, show })
