// A walk along mentions with handles: the restart probability is set, and links are cut. Readers are followed over all links
// of the corpus, of which those between the best passages are drawn.
import { explorable, held, range, set, standardised, switches } from "./explorable.js"
import { button, element } from "./parts.js"
import { STAR, called } from "./picture.js"
import * as walk from "./walk.js"

const DRAWN = 8 // places of the order that are listed

export function handles(data) {
  const { draw, ...links } = switches("links", "Links", { options: data.cuts })
  return [
    range("restart", "Restart probability", { min: 0.05, max: 1, step: 0.05, start: data.restart, told: (value) => `${value.toFixed(2)}${value === data.restart ? " as in the run" : ""}` }),
    links, // cut in the list of links
  ]
}

// The share of a passage's readers who take each link, without those that are cut.
function kept(data, there) {
  const cut = new Set(data.cuts.filter((_, at) => !there[at]))
  const edges = data.edges.filter((_, at) => !cut.has(at))
  const degree = data.cosines.map(() => 0)
  for (const [one, other, onward, back] of edges) {
    degree[one] += onward
    degree[other] += back
  }
  return edges.map(([one, other, onward, back]) => [one, other, onward / degree[one], back / degree[other]])
}

// As `core.retrieval.linked.visits`: from a passage without links, readers go on to a first hit.
function visits(data, edges) {
  const begin = data.cosines.map(() => 0)
  const seeds = data.hits.slice(0, data.seeds)
  const all = seeds.reduce((sum, _, at) => sum + 1 / (at + 1), 0)
  seeds.forEach((place, at) => (begin[place] = 1 / (at + 1) / all))
  const found = [begin]
  for (let step = 0; step < data.steps; step++) {
    const moved = begin.map(() => 0)
    for (const [one, other, onward, back] of edges) {
      moved[other] += found[step][one] * onward
      moved[one] += found[step][other] * back
    }
    const lost = 1 - moved.reduce((sum, part) => sum + part, 0)
    found.push(moved.map((part, place) => part + lost * begin[place]))
  }
  return found
}

// As `core.retrieval.linked.stops`: after the last step all stop.
const stops = (visited, restart) =>
  visited[0].map((_, place) => visited.reduce((sum, row, step) => sum + (1 - restart) ** step * (step < visited.length - 1 ? restart : 1) * row[place], 0))

// As `core.retrieval.linked`: all hits and the passages with the largest chances, by walk and cosine.
function joined(data, chances) {
  const largest = chances.map((_, place) => place).filter((place) => chances[place] > 0).sort((one, other) => chances[other] - chances[one])
  const places = [...new Set([...data.hits, ...largest.slice(0, data.pool)])]
  const walk = standardised(places.map((place) => Math.sqrt(chances[place])))
  const near = standardised(places.map((place) => data.cosines[place]))
  const rows = places.map((place, at) => ({ place, chance: chances[place], score: walk[at] + data.weight * near[at] }))
  return rows.sort((one, other) => other.score - one.score)
}

// The passage before this one on the shortest way to it, along which most come; none where the walk begins or never comes.
function before(edges, visited, place) {
  const step = visited.findIndex((row) => row[place] > 0)
  let found = []
  let most = -1
  if (step < 1) return found
  for (const [one, other, onward, back] of edges) {
    if (one !== place && other !== place) continue
    const [from, came] = other === place ? [one, visited[step - 1][one] * onward] : [other, visited[step - 1][other] * back]
    if (came > most || (came === most && from < found[0])) [found, most] = [[from], came]
  }
  return found
}

function walked(data, values) {
  const edges = kept(data, values.links)
  const visited = visits(data, edges)
  return { edges, visited, rows: joined(data, stops(visited, values.restart)) }
}

// The share of all readers that a link brings, in either direction.
function brought(edge, visited, restart) {
  if (!edge) return 0
  const [one, other, onward, back] = edge
  return visited.slice(0, -1).reduce((sum, row, step) => sum + (1 - restart) ** (step + 1) * (row[one] * onward + row[other] * back), 0)
}

const part = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`
const HEADINGS = ["First hits", "1 step", "2 steps", "3 steps or more", "Not reached"]

function picture(data, values, { edges, visited, rows }, vias, told) {
  const columns = HEADINGS.map((title, at) => ({ title, reached: at < HEADINGS.length - 1, passages: [] }))
  const order = rows.map((row) => row.place)
  for (const one of data.passages) {
    const rank = order.indexOf(one.place) + 1
    const reached = visited.findIndex((row) => row[one.place] > 0)
    columns[reached < 0 ? HEADINGS.length - 1 : Math.min(reached, 3)].passages.push({
      id: String(one.place),
      title: one.card.title,
      detail: one.detail,
      where: one.card.where,
      pieces: one.card.pieces,
      rank: rank || "–",
      given: rank > 0 && rank <= data.given,
      visits: visited.map((row) => row[one.place]),
      via: String(vias[one.place][0] ?? ""),
      told: told(one),
    })
  }
  for (const column of columns) column.passages.sort((one, other) => (one.rank === "–") - (other.rank === "–") || one.rank - other.rank)
  const links = data.links.flatMap(({ source, target, ...link }) => {
    const edge = edges.find(([one, other]) => (one === source && other === target) || (one === target && other === source))
    if (!edge) return []
    const [onward, back] = edge[0] === source ? [edge[2], edge[3]] : [edge[3], edge[2]]
    return [{ ...link, source: String(source), target: String(target), onward, back }]
  })
  return {
    colour: data.colour,
    question: data.question,
    summary: "Where do readers stop?",
    others: visited[0].filter((_, place) => visited.some((row) => row[place] > 0)).length - data.passages.length,
    restart: values.restart,
    handled: true,
    columns: columns.filter((column) => column.passages.length),
    links,
  }
}

const START = new WeakMap()
function first(data) {
  if (!START.has(data)) START.set(data, walked(data, { restart: data.restart, links: data.cuts.map(() => true) }).rows.map((row) => row.place))
  return START.get(data)
}

export function compute(data, values) {
  const walk = walked(data, values)
  const order = walk.rows.map((row) => row.place)
  const vias = Object.fromEntries(data.passages.map((one) => [one.place, before(walk.edges, walk.visited, one.place)]))
  const told = (one) => {
    const at = order.indexOf(one.place)
    const reached = walk.visited.some((row) => row[one.place] > 0)
    const place = at < 0 ? "not among the candidates" : `place ${at + 1} by walk and cosine (${data.cosines[one.place].toFixed(2)} with the question), ${at < data.given ? "given" : "not given"}`
    return `${reached ? `${part(walk.rows[at]?.chance ?? 0)} stop here` : "No reader comes here"}; ${place}.`
  }
  const stars = data.passages.filter((one) => one.card.starred)
  const places = stars.map((one) => (order.includes(one.place) ? `${called(one)} is number ${order.indexOf(one.place) + 1} (${part(walk.rows[order.indexOf(one.place)].chance)} stop there)` : `${called(one)} is not among the candidates`))
  const given = stars.filter((one) => order.indexOf(one.place) >= 0 && order.indexOf(one.place) < data.given).length
  const goes = values.restart === 1 ? "Nobody reads on: only what the search found can be there." : `${part(1 - values.restart)} of the readers follow a mention at least once.`
  return {
    order,
    chances: walk.rows.map((row) => row.chance),
    scores: walk.rows.map((row) => row.score),
    vias,
    says: `${goes} ${places.join(", ")}: ${given} of ${stars.length} ${STAR} ${given === 1 ? "is" : "are"} given.`,
    facts: data.passages.map((one) => `${called(one)}: ${told(one)}`),
    picture: picture(data, values, walk, vias, told),
    rows: walk.rows.slice(0, DRAWN),
    brought: data.cuts.map((at) => {
      const [one, other] = data.edges[at]
      return brought(walk.edges.find((edge) => edge[0] === one && edge[1] === other), walk.visited, values.restart)
    }),
  }
}

const starred = (one) => called({ ...one, name: one.short })

function bar(share, most) {
  const track = element("span", "track")
  const filled = track.appendChild(element("i"))
  filled.style.width = `${most ? (100 * share) / most : 0}%`
  return track
}

// The order by walk and cosine; a line stands behind what is given.
function row(data, one, at, most) {
  const own = data.passages.find((each) => each.place === one.place)
  const was = first(data).indexOf(one.place) + 1
  const node = element("li", at === data.given - 1 ? "last" : "")
  node.append(
    element("span", "rank", `${at + 1}.`),
    element("span", "who", own ? starred(own) : "a passage that is not drawn"),
    bar(one.chance, most),
    element("span", "sum", part(one.chance)),
    element("span", "was", was === at + 1 ? "" : was ? `was ${was}` : "new"),
  )
  return node
}

// A link that can be cut: the words that mention, the passages that they join, and the share of readers that it brings.
function linkRow(state, at) {
  const { data } = state
  const [one, other] = data.edges[data.cuts[at]]
  const name = (place) => starred(data.passages.find((each) => each.place === place))
  const link = data.links.find(({ source, target }) => [source, target].includes(one) && [source, target].includes(other))
  const node = element("li")
  const press = button("cut", element("i"), element("span", "joins", element("b", "", `“${link.name}”`), element("span", "ends", name(one)), element("span", "ends", name(other))))
  press.onclick = () => set(state, { links: state.values.links.map((there, place) => (place === at ? !there : there)) })
  const track = bar(0, 1)
  const told = element("span", "sum")
  node.append(press, track, told)
  node.write = (there, share, most) => {
    press.setAttribute("aria-pressed", String(there))
    press.title = `${there ? "Cut this link" : "Join it again"}: ${name(one)} – ${name(other)}`
    track.firstChild.style.width = `${most ? (100 * share) / most : 0}%`
    told.textContent = there ? part(share) : "cut"
  }
  return node
}

function frameStage(state) {
  state.stage.style.setProperty("--colour", state.data.colour)
  const charts = element("div", "charts")
  const section = (title, list, aid) => {
    charts.append(element("section", "chart", element("h4", "", title), list, element("p", "aid", aid)))
  }
  state.order = element("ol", "order")
  state.rows = state.data.cuts.map((_, at) => linkRow(state, at))
  const links = element("ul", "links", ...state.rows)
  section("Links: choose one to cut it", links, "Share of all readers that a link brings, in both directions. Where a link is cut, its readers take the other links.")
  section("The order by walk and cosine", state.order, `Bar: how many readers stop there. The first ${state.data.given}, above the line, are given to the answer.`)
  state.walk = held(state.stage, walk)
  state.stage.append(charts)
}

function show(state, made) {
  const { data } = state
  if (!state.walk) frameStage(state)
  state.walk(made.picture)
  const most = Math.max(...made.brought)
  state.rows.forEach((node, at) => node.write(state.values.links[at], made.brought[at], most))
  const top = Math.max(...made.rows.map((one) => one.chance))
  state.order.replaceChildren(...made.rows.map((one, at) => row(data, one, at, top)))
}

export default explorable({ handles, compute, show })
