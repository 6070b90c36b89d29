// The link of a projector to its class on the server: the votes as they come in, and what the class is shown.
import { element } from "./parts.js"

const EVERY = 250 // milliseconds between two looks
const SLOWER = 5000 // where the server does not answer

export class ClassLink {
  // `seen(view)` gets the class whenever it was read, `lost(sentence)` why it could not be; empty: it could again.
  constructor({ code, key }, seen, lost) {
    Object.assign(this, { key, seen, lost, wait: EVERY, ended: false })
    this.address = new URL(`join/${code}`, location.href) // all pages of the app lie beside one another
    this.look()
  }

  async ask(path, sent) {
    const headers = { "x-class-key": this.key, ...(sent ? { "content-type": "application/json" } : {}) }
    const body = sent && JSON.stringify(sent)
    const reply = await fetch(`${this.address}/${path}`, { method: sent ? "POST" : "GET", headers, body, cache: "no-store" })
    const view = await reply.json()
    if (!reply.ok) throw Object.assign(new Error(view.error), { spoken: true })
    return view
  }

  async look() {
    clearTimeout(this.timer)
    await this.take(this.ask("votes"))
    if (!this.ended) this.timer = setTimeout(() => this.look(), this.wait)
  }

  // Has the class shown something; what is asked for later counts.
  show(what) {
    this.latest = this.take(this.ask("show", what))
    return this.latest
  }

  async take(asking) {
    const before = this.latest
    try {
      const view = await asking
      this.wait = EVERY
      if (this.ended || this.latest !== before) return
      this.lost("")
      this.seen(view)
    } catch (error) {
      this.wait = Math.min(SLOWER, this.wait * 2)
      if (!this.ended) this.lost(error.spoken ? error.message : "There is no connection to the server. The votes are kept there.")
    }
  }

  end() {
    this.ended = true
    clearTimeout(this.timer)
  }
}

// How phones join: the QR code, the address and the code; `name` is a class of style.
export function joining({ qr, address, shown, code }, name) {
  const picture = Object.assign(element("img", "qr"), { src: qr, alt: `QR code of ${address}` })
  return element("div", name, picture, element("div", "words", element("span", "address", shown), element("span", "code", code)))
}
