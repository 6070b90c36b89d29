// An exploration of a knowledge graph, frame by frame. All frames are here: no step asks the server.
import { Picture, library, paints, zoomBar } from "./graph.js"
import { button, changed, counted, element, recall } from "./parts.js"

const SECONDS = 2

function controls(state) {
  const bar = element("div", "controls")
  const make = (name, text, title, act) => {
    const node = button(name, text)
    node.title = title
    node.onclick = act
    bar.append(node)
    return node
  }
  const to = (at) => {
    stop(state)
    turn(state, at)
  }
  state.first = make("first", "First", "To the first picture", () => to(0))
  state.back = make("back", "◀ Back", "To the picture before", () => to(state.at - 1))
  state.play = make("play", "", "Show one picture after the other", () => (state.timer ? stop(state) : start(state)))
  state.next = make("next", "Next ▶", "To the next picture", () => to(state.at + 1))
  state.last = make("last", "Last", "To the last picture", () => to(state.data.frames.length - 1))
  state.slider = element("input", "scrubber")
  state.slider.type = "range"
  state.slider.min = 0
  state.slider.setAttribute("aria-label", "Picture")
  state.slider.oninput = () => to(Number(state.slider.value))
  bar.append(state.slider)
  return bar
}

function start(state) {
  if (state.at >= state.data.frames.length - 1) turn(state, 0)
  state.timer = setInterval(() => {
    turn(state, state.at + 1)
    if (state.at >= state.data.frames.length - 1) stop(state)
  }, 1000 * SECONDS)
  dress(state)
}

function stop(state) {
  clearInterval(state.timer)
  state.timer = null
  dress(state)
}

function dress(state) {
  const last = state.data.frames.length - 1
  state.play.textContent = state.timer ? "Pause" : "▶ Play"
  state.first.disabled = state.back.disabled = state.at === 0
  state.next.disabled = state.last.disabled = state.at === last
  state.slider.max = last
  state.slider.value = state.at
  state.slider.setAttribute("aria-valuetext", `${state.at + 1} of ${last + 1}: ${state.data.frames[state.at].title}`)
}

function turn(state, at) {
  state.at = Math.max(0, Math.min(at, state.data.frames.length - 1))
  show(state)
  dress(state)
}

function told(frame, at, count) {
  const side = element("div", "told", element("div", "head", element("b", "", frame.title), element("span", "count", `${at + 1} of ${count}`)), element("p", "", frame.text))
  if (frame.verdict) {
    side.append(element("p", "judged", element("span", `badge ${frame.verdict}`, frame.word), element("span", "", ` ${frame.reason}`)))
  }
  if (frame.hidden) side.append(element("p", "small", `${frame.hidden.toLocaleString("en")} more are not drawn.`))
  return side
}

function planned(frame) {
  const side = element("div", "plan")
  const head = element("div", "head", element("b", "", frame.plan))
  if (frame.failed) head.append(element("span", "failed", `✗ ${counted(frame.failed, "plan")} failed`))
  const list = element("ol")
  frame.steps.forEach(([what, text], place) => {
    const item = element("li", place === frame.at ? "now" : place < frame.at ? "done" : "")
    if (place === frame.at) item.setAttribute("aria-current", "step")
    item.append(element("b", "", what), ` ${text}`)
    list.append(item)
  })
  side.append(head, list)
  return side
}

function show(state) {
  const frame = state.data.frames[state.at]
  const board = state.data.boards[frame.board]
  const nodes = frame.nodes.map((place) => board.nodes[place])
  const edges = frame.edges.map((place) => board.edges[place])
  state.words.replaceChildren(told(frame, state.at, state.data.frames.length), planned(frame))
  state.box.dataset.empty = frame.nodes.length ? "" : "Nothing is explored yet."
  if (!state.picture) return
  state.picture.show({ nodes, edges, options: state.data.options }, { ...state.paint, lit: state.data.colour })
  const places = frame.nodes.join()
  if (places !== state.places) state.picture.fit(true)
  state.places = places
  state.root.dataset.frame = state.at
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.paint = paints(root)
  if (changed(state, { data, paint: state.paint })) {
    const following = !state.data || state.at === state.data.frames.length - 1
    state.data = data
    if (!state.box) {
      state.root = root
      state.box = element("div", "canvas")
      state.words = element("div", "words")
      state.bar = controls(state)
      root.append(state.bar, state.box, state.words)
    }
    state.box.style.height = `${data.height}px`
    turn(state, following && !state.timer ? data.frames.length - 1 : state.at)
    library(data.library)
      .then((vis) => {
        if (!state.picture) {
          state.picture = new Picture(vis, element("div", "plane"), () => {}, true)
          state.box.append(state.picture.box)
          state.bar.append(zoomBar(state.picture, state.box))
          show(state)
        }
        root.dataset.state = "stable"
      })
      .catch((error) => {
        root.dataset.state = "failed"
        state.box.textContent = error.message
      })
  }
  return () => {
    clearInterval(state.timer)
    state.picture?.destroy()
  }
}
