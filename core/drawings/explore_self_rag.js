// Self-RAG with handles: grades of a recorded run are flipped, and the graph's way is followed to its end. Where the run has
// no text for that way, none is made up: what would be written there is assumed to be graded as the reader says.
import { counted } from "./parts.js"
import { choice, explorable, flat, held, switches } from "./explorable.js"
import * as turns from "./turns.js"

const REST = [
  ["useless", "of no use"],
  ["unsupported", "not supported"],
  ["irrelevant", "irrelevant"],
  ["well", "good"],
]
const FLIPPED = { IsSup: { true: "fully", false: "no" }, IsUse: { true: "5", false: "1" } }
const SUPPORT = { fully: 2, partially: 1, no: 0 }
const SAID = { IsSup: "supported", IsUse: "useful" }

const marks = (name, label, grades, text) => switches(name, label, { options: grades.map((one) => ({ text: text(one) })), start: grades.map((one) => one.passes) })

export function handles(data) {
  const turns = data.searches.flatMap(({ graded }, at) => [
    marks(`search${at + 1}`, `Search ${at + 1}`, graded, (one) => one.name),
    marks(`draft${at + 1}`, `Draft ${at + 1}`, data.drafts[at], (one) => SAID[one.what]),
  ])
  return [...turns, choice("rest", "No text was recorded for what comes next. Assume that it is", { options: REST, start: "useless" })]
}

// The way through the graph, as `core.strategies.self_rag` decides it: a lap for each search, and for each draft that was
// written again.
function follow(data, values) {
  const [brings, support, use] = data.assumed[values.rest]
  const way = { nodes: [], causes: [], laps: [], drafts: [], rewrites: 0, calls: 0, kept: [], reached: new Set() }
  let known = true
  let written // passages of the last draft
  const regenerations = () => way.drafts.length - new Set(way.drafts.map((one) => one.round)).size
  const good = (one) => one.support !== "no" && Number(one.use) >= data.useful
  const steps = {
    retrieve() {
      const at = way.rewrites
      known &&= at < data.searches.length
      const lap = { round: at + 1, ghost: !known }
      let graded
      if (known) {
        const name = `search${at + 1}`
        way.reached.add(name)
        lap.recorded = at
        lap.verdicts = values[name]
        graded = data.searches[at].graded.map((one, place) => [one.chunk, values[name][place]])
        lap.found = data.searches[at].found.length
        known = data.searches[at].graded.every((one, place) => one.passes === values[name][place])
      } else {
        graded = [...Array(data.k).keys()].map((place) => [`new ${at} ${place}`, brings && !place])
        lap.found = graded.length
      }
      lap.graded = graded.length
      lap.relevant = graded.filter(([, on]) => on).length
      way.calls += graded.length
      way.kept = [...way.kept, ...graded.filter(([, on]) => on).map(([chunk]) => chunk)]
      way.laps.push(lap)
      if (way.kept.length && written !== way.kept.length) return "generate"
      return way.rewrites < data.caps.rewrites ? "rewrite" : "answer"
    },
    generate() {
      const at = way.drafts.length
      const round = way.rewrites + 1
      const again = way.drafts.some((one) => one.round === round)
      known &&= !again
      if (again) way.laps.push({ round, again })
      const draft = { round, number: at + 1, ghost: !known, reason: "" }
      if (known) {
        const name = `draft${at + 1}`
        way.reached.add(name)
        const verdicts = data.drafts[at].map((one, place) => (one.passes === values[name][place] ? one.verdict : FLIPPED[one.what][values[name][place]]))
        Object.assign(draft, { recorded: at, support: verdicts[0], use: verdicts[1] })
        known = data.drafts[at].every((one, place) => one.passes === values[name][place])
        if (data.drafts[at][1].passes === values[name][1]) draft.reason = data.drafts[at][1].reason
        if (draft.support === "partially") draft.unsupported = data.drafts[at][0].reason
      } else Object.assign(draft, { support, use })
      // A draft and its two grades; that a draft gives no answer is seen without asking.
      way.calls += 1 + ("recorded" in draft ? data.drafts[at].filter((one) => one.asked).length : 2)
      written = way.kept.length
      way.drafts.push(draft)
      way.laps.at(-1).draft = draft
      const repair = regenerations() < data.caps.regenerations ? "generate" : "answer"
      if (way.drafts.some(good)) return draft.unsupported && !again ? repair : "answer"
      if (draft.support === "no") return repair
      return way.rewrites < data.caps.rewrites ? "rewrite" : "answer"
    },
    rewrite() {
      const { draft, found } = way.laps.at(-1)
      const nothing = way.kept.length ? "The last search brought in nothing new that is relevant." : `IsRel: none of the ${found} passages found is relevant.`
      const grade = draft && [`IsUse ${draft.use} of 5: the answer is not useful enough.`, draft.reason, draft.unsupported && `IsSup ${draft.support}: ${draft.unsupported}`]
      const cause = draft ? grade.filter(Boolean).join(" ") : nothing
      way.causes.push(cause)
      way.laps.at(-1).led = `${cause} The question is rewritten.`
      way.rewrites += 1
      way.calls += 1
      return "retrieve"
    },
  }
  for (let node = "retrieve"; ; ) {
    way.nodes.push(node)
    if (node === "answer") break
    const next = steps[node]()
    if (node === "generate" && next === "generate") way.laps.at(-1).led = `${way.drafts.at(-1).unsupported ? "Supported only in part" : "Not supported"}: written again, told what was unsupported.`
    node = next
  }
  return { ...way, ...ended(data, way, good) }
}

// The best draft: supported first, then by the paper's sum of both grades, then useful; of equals the last.
function ended(data, way, good) {
  const limit = (count, name) => `Limit reached: at most ${counted(count, name)} allowed.`
  if (!way.drafts.length) {
    return { best: 0, note: `${limit(data.caps.rewrites, "rewrite")} Nothing was made up instead.`, capped: true }
  }
  const worth = (one) => [one.support === "no" ? 0 : 1, 2 * SUPPORT[one.support] + Number(one.use), Number(one.use)]
  const before = (one, other) => {
    const at = worth(one).findIndex((part, place) => part !== worth(other)[place])
    return at < 0 ? 0 : worth(other)[at] - worth(one)[at]
  }
  const best = [...way.drafts].reverse().sort(before)[0]
  const last = way.drafts.at(-1)
  const unsupported = last.round === way.rewrites + 1 && last.support === "no"
  const cap = unsupported ? limit(data.caps.regenerations, "regeneration") : limit(data.caps.rewrites, "rewrite")
  const note = good(best) ? "" : `${cap} This is the best draft so far of ${way.drafts.length}: IsSup ${best.support}, IsUse ${best.use} of 5.`
  const remark = best.unsupported && `Only partially supported by the passages (IsSup). ${best.unsupported}`
  return { best: best.number, note: [remark, note].filter(Boolean).join(" "), capped: Boolean(note) }
}

const NEW_QUERY = "A new query would be written here. What it would find was not recorded."
const NEW_DRAFT = "A new draft would be written here."

// The boxes of a lap: as they were recorded where they are known, with the grades as they are now.
function boxes(data, lap, search, best) {
  const recorded = lap.recorded === undefined ? [] : data.recorded.turns[lap.recorded].boxes
  const kept = `${lap.relevant} of ${lap.graded} kept`
  const made = []
  if (lap.again) {
    const told = "The answer is written again from the same passages, told what was unsupported."
    made.push({ place: 0, name: "Same passages", said: "", text: "", items: [], told })
  } else if (lap.ghost) {
    made.push({ place: 0, name: `Search ${search}`, said: "", text: NEW_QUERY, items: [], told: NEW_QUERY, ghost: true })
    made.push({ place: 1, name: "Grade passages", said: "assumed", text: lap.relevant ? "Something new that is relevant." : "Nothing that is relevant.", items: [], told: `Assumed: ${kept}.`, ghost: true })
  } else {
    const verdicts = new Map(data.searches[lap.recorded].graded.map((one, at) => [one.chunk, [lap.verdicts[at], one.passes]]))
    const items = recorded[1].items.map((item) => {
      const [on, was] = verdicts.get(item.card.id)
      return on === was ? item : { ...item, verdict: on ? "yes" : "no", kept: on, reason: "You flipped this grade." }
    })
    // In the order of the switches.
    const order = [...verdicts.keys()]
    items.sort((one, other) => order.indexOf(one.card.id) - order.indexOf(other.card.id))
    made.push(recorded[0], { ...recorded[1], said: kept, items, told: `Is the passage relevant to the question? ${kept}.` })
  }
  const { draft } = lap
  if (!draft) return made
  const said = draft.number === best ? "returned" : ""
  const own = draft.recorded === undefined ? null : data.recorded.turns[draft.recorded].boxes
  made.push(own ? { ...own[2], said } : { place: 2, name: `Draft ${draft.number}`, said, text: NEW_DRAFT, items: [], told: NEW_DRAFT, ghost: true })
  const grades = [["IsSup", draft.support, draft.support !== "no"], ["IsUse", draft.use, Number(draft.use) >= data.useful]]
  const items = grades.map(([what, verdict, passes], at) => {
    const text = what === "IsUse" ? `${verdict} of 5` : verdict
    const as = own?.[3].items[at]
    return as?.verdict === text ? as : { name: what, detail: "", verdict: text, kept: passes, half: false, card: null, reason: own ? "You flipped this grade." : "Assumed: there is no draft." }
  })
  const told = items.map((one) => `${one.name} ${one.verdict}. ${one.reason}`).join(" ")
  made.push({ place: 3, name: "Grade the answer", said: own ? "" : "assumed", text: "", items, told, ghost: !own })
  return made
}

function picture(data, way) {
  const best = way.drafts[way.best - 1]
  const end = !way.best ? "Limit reached: no answer is given." : way.capped ? `Limit reached: draft ${way.best} is the best there is, and is returned.` : `Good enough: draft ${way.best} is the answer.`
  const last = way.laps.length - 1
  let search = 0
  const turns = way.laps.map((lap, at) => {
    if (!lap.again) search += 1
    const open = at < last
    return { title: lap.again ? "Same passages" : `Search ${search}`, boxes: boxes(data, lap, search, way.best), led: open ? lap.led : end, way: open ? "back" : way.capped ? "cap" : "done" }
  })
  const recorded = best && best.recorded !== undefined
  const nothing = `No relevant passage was found, even after ${counted(way.rewrites, "rewrite")} of the question, so there is no answer.`
  return {
    colour: data.colour,
    ladder: false,
    summary: counted(turns.length, "turn"),
    turns,
    answer: recorded ? flat(data.recorded.turns[best.recorded].boxes[2].text) : best ? "Its text would be a new one, and was not recorded." : nothing,
    abstained: !best,
    running: false,
    end,
  }
}

export function compute(data, values) {
  const way = follow(data, values)
  const drawn = picture(data, way)
  const flipped = Object.keys(values).filter((name) => Array.isArray(values[name])).reduce((sum, name) => {
    const [kind, at] = [name.slice(0, -1), Number(name.at(-1)) - 1]
    const grades = kind === "search" ? data.searches[at].graded : data.drafts[at]
    return sum + grades.filter((one, place) => way.reached.has(name) && one.passes !== values[name][place]).length
  }, 0)
  const cost = `${counted(way.laps.filter((lap) => !lap.again).length, "search", "searches")}, ${counted(way.drafts.length, "draft")}, ${counted(way.calls, "call")} of the model`
  return {
    nodes: way.nodes,
    causes: way.causes,
    best: way.best,
    note: way.note,
    says: `${flipped ? `${counted(flipped, "grade")} flipped` : "As it was recorded"}: ${cost}. ${drawn.end}${way.capped ? ` The limits are ${counted(data.caps.rewrites, "rewrite")} and ${counted(data.caps.regenerations, "regeneration")}.` : ""}`,
    facts: drawn.turns.map((turn) => `${turn.title}: ${turn.boxes.map((box) => box.told).join(" ")} ${turn.led}`),
    reached: way.reached,
    assumed: [...way.laps, ...way.drafts].some((one) => one.ghost),
    picture: drawn,
  }
}

function show(state, made) {
  state.turns ??= held(state.stage, turns)
  state.turns(made.picture)
  // What is assumed is asked for only where the run has no text.
  state.answer.parentElement.querySelector(".handles .choice").style.display = made.assumed ? "" : "none"
  // Grades that the run does not come to any more cannot be flipped.
  const groups = state.answer.parentElement.querySelectorAll(".switches")
  state.handles.filter((one) => one.name !== "rest").forEach((one, at) => {
    groups[at].classList.toggle("idle", !made.reached.has(one.name))
    for (const each of groups[at].querySelectorAll("button")) each.disabled = !made.reached.has(one.name)
  })
}

export default explorable({ handles, compute, show })
