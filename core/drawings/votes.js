// Votes on a comparison: counted by hand and kept by this browser alone, where one that keeps nothing still counts them
// until the page is left; or those of a class, which come from its phones.
import { ClassLink } from "./class_link.js"
import { button, counted, element } from "./parts.js"

const MOST_VOTES = 9999

// The votes for a strategy: with buttons that add one or take one back, or a bar of those of a class; `counters` gets
// what writes their number.
export function counter(slide, votes, dress, counters) {
  const count = element("output", "count")
  const fill = element("div", "fill")
  counters.set(slide.mark, () => {
    const of = votes.of(slide.mark)
    count.textContent = counted(of, "vote")
    fill.style.width = `${(100 * of) / Math.max(1, votes.total())}%`
  })
  if (votes.live) {
    const bar = element("div", "track", fill)
    bar.setAttribute("aria-hidden", "true")
    return element("div", "bars", count, bar)
  }
  const change = (sign, by, title) => {
    const node = button("vote", sign)
    node.title = title
    node.setAttribute("aria-label", `${title}: ${slide.title}`)
    node.disabled = votes.closed
    node.onclick = () => {
      votes.add(slide.mark, by)
      dress()
    }
    return node
  }
  return element("div", "counter", change("−", -1, "Take a vote back"), count, change("+", 1, "One more vote"))
}

export class Votes {
  constructor(key, marks) {
    this.name = `rag-loupe-votes-${key}`
    this.marks = marks
    this.clear()
    try {
      const kept = JSON.parse(localStorage.getItem(this.name))
      this.closed = kept?.closed === true
      for (const mark of marks) this.set(mark, kept?.counts?.[mark])
    } catch {
      this.clear() // no storage, or something else was stored
    }
  }

  clear() {
    this.counts = new Map(this.marks.map((mark) => [mark, 0]))
    this.closed = false
  }

  set(mark, count) {
    if (this.counts.has(mark) && Number.isInteger(count)) this.counts.set(mark, Math.max(0, Math.min(count, MOST_VOTES)))
  }

  open() {} // hands are counted at any time before the reveal

  end() {}

  of(mark) {
    return this.counts.get(mark) ?? 0
  }

  total(marks = this.marks) {
    return marks.reduce((sum, mark) => sum + this.of(mark), 0)
  }

  add(mark, count) {
    if (this.closed) return
    this.set(mark, this.of(mark) + count)
    this.keep()
  }

  close() {
    if (this.closed) return
    this.closed = true
    this.keep()
  }

  startOver() {
    this.clear()
    this.keep()
  }

  keep() {
    try {
      localStorage.setItem(this.name, JSON.stringify({ counts: Object.fromEntries(this.counts), closed: this.closed }))
    } catch {
      // private browsing: the counts stay on the page
    }
  }
}

// The votes of a class, of which every phone has one until the reveal.
export class ClassVotes {
  live = true
  closed = false
  problem = ""
  view = null

  // `classroom` as of `core.ui.shell.classes.projection`, with the number of its question; `dress` follows every look.
  constructor(classroom, marks, dress) {
    Object.assign(this, { marks, place: classroom.place, counts: new Map() })
    const seen = (view) => {
      if (view.question?.place !== this.place) return // the class is shown another question
      Object.assign(this, { view, closed: view.question.revealed, problem: "" })
      for (const [at, { key }] of view.question.options.entries()) this.counts.set(key, view.question.votes[at])
      dress()
    }
    const lost = (problem) => {
      this.problem = problem
      dress()
    }
    this.link = new ClassLink(classroom, seen, lost)
  }

  of(mark) {
    return this.counts.get(mark) ?? 0
  }

  total(marks = [...this.counts.keys()]) {
    return marks.reduce((sum, mark) => sum + this.of(mark), 0)
  }

  add() {} // only phones vote

  open() {
    if (!this.closed) this.link.show({ place: this.place, phase: "open" })
  }

  close() {
    if (this.closed) return
    this.closed = true
    this.link.show({ place: this.place, phase: "revealed" })
  }

  startOver() {
    this.closed = false
    this.link.show({ place: this.place, anew: true })
  }

  end() {
    this.link.end()
  }
}
