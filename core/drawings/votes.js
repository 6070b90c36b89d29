// Votes on a comparison: counted by hand and kept by this browser alone; one that keeps nothing still counts them until
// the page is left.
import { button, counted, element } from "./parts.js"

const MOST_VOTES = 9999

// The votes for a strategy, with buttons that add one or take one back; `counters` gets what writes their number.
export function counter(slide, votes, dress, counters) {
  const count = element("output", "count")
  counters.set(slide.mark, () => {
    count.textContent = counted(votes.of(slide.mark), "vote")
  })
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
