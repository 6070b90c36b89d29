// A page for node. Elements hold what is put into them and are all of one size, nothing is painted on a canvas, and a
// script that is added to the page is run.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { runInThisContext } from "node:vm"

const WIDTH = 800
const HEIGHT = 600
const ignore = () => undefined

class StandIn {
  constructor(tag) {
    Object.assign(this, { tagName: tag, style: { setProperty: ignore }, dataset: {}, childNodes: [], attributes: {} })
    for (const side of ["client", "offset"]) Object.assign(this, { [`${side}Width`]: WIDTH, [`${side}Height`]: HEIGHT })
  }

  append(...nodes) {
    for (const node of nodes) {
      if (node instanceof StandIn) node.parentNode = this
      this.childNodes.push(node)
      if (node.tagName === "script") run(node)
    }
  }

  appendChild(node) {
    this.append(node)
    return node
  }

  replaceChildren(...nodes) {
    this.childNodes = []
    this.append(...nodes)
  }

  removeChild(node) {
    this.childNodes = this.childNodes.filter((child) => child !== node)
  }

  get firstChild() {
    return this.childNodes[0] ?? null
  }

  get children() {
    return this.childNodes.filter((node) => node instanceof StandIn)
  }

  hasChildNodes() {
    return this.childNodes.length > 0
  }

  set textContent(text) {
    this.childNodes = [String(text)]
  }

  get textContent() {
    return this.childNodes.map((node) => (node instanceof StandIn ? node.textContent : node)).join("")
  }

  setAttribute(name, value) {
    this.attributes[name] = value
  }

  getBoundingClientRect() {
    return { left: 0, top: 0, right: WIDTH, bottom: HEIGHT, width: WIDTH, height: HEIGHT }
  }

  // Letters are all of one width.
  getContext() {
    return new Proxy({ canvas: this, measureText: (text) => ({ width: 8 * text.length }) }, { get: (known, name) => known[name] ?? ignore })
  }
}
StandIn.prototype.addEventListener = StandIn.prototype.removeEventListener = ignore

function run(script) {
  const module = { exports: {} }
  runInThisContext(`(function (exports, module) {${readFileSync(fileURLToPath(script.src), "utf8")}\n})`)(module.exports, module)
  globalThis.vis = module.exports
  script.onload()
}

const document = { addEventListener: ignore, removeEventListener: ignore, createElement: (tag) => new StandIn(tag), createElementNS: (_, tag) => new StandIn(tag) }
Object.assign(document, { body: new StandIn("body"), head: new StandIn("head"), documentElement: new StandIn("html") })
Object.assign(globalThis, {
  document,
  window: globalThis,
  Element: StandIn,
  addEventListener: ignore,
  removeEventListener: ignore,
  matchMedia: () => ({ matches: true }),
  requestAnimationFrame: (act) => setTimeout(act),
  cancelAnimationFrame: clearTimeout,
})
