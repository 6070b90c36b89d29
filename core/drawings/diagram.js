// A strategy's graph, from top to bottom and from left to right; the page shows the one that fits. The SVG is our own.
// Nodes that have run lead to their step, where the page asks for it (`leads`); that which is read is marked (`read`).
import { SVG, element, recall, resized } from "./parts.js"

function picture(svg) {
  const text = svg.replace("<svg", `<svg xmlns="${SVG}"`)
  const node = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true)
  node.style.maxWidth = `${node.dataset.most}px`
  node.style.minWidth = `${node.dataset.least}px`
  return node
}

function leads(group, choose) {
  const name = [...group.querySelectorAll("text")].map((one) => one.textContent).join(" ")
  group.setAttribute("role", "button")
  group.setAttribute("tabindex", "0")
  group.setAttribute("aria-label", `${name}: show this step`)
  group.classList.add("leads")
  group.onclick = () => choose(group.dataset.node)
  group.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return
    event.preventDefault()
    choose(group.dataset.node)
  }
}

// Where only a part of the picture is in sight, that is said, and the step that is read or under way is among it.
function hint(root) {
  const place = root.querySelector(".across")
  const wide = place.scrollWidth > place.clientWidth + 1
  root.querySelector(".hint").hidden = !wide
  const shown = wide && place.querySelector(".running, .read")
  if (shown) place.scrollLeft += shown.getBoundingClientRect().right + 12 - place.getBoundingClientRect().right
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  for (const name of ["down", "across"]) {
    let place = root.querySelector("." + name)
    if (!place) {
      place = element("div", name)
      root.append(place)
    }
    // It is put on the page again only when it has changed, so nothing flickers.
    if (place.dataset.drawn !== data[name]) {
      const held = place.querySelector(":focus")?.dataset.node
      place.dataset.drawn = data[name]
      place.replaceChildren(picture(data[name]))
      if (data.leads) place.firstChild.setAttribute("role", "group")
      if (held) place.querySelector(`[data-node="${CSS.escape(String(held))}"]`)?.focus()
    }
    for (const group of place.querySelectorAll("[data-node]")) {
      if (data.leads?.includes(group.dataset.node)) leads(group, (node) => setTriggerValue("node", node))
      const read = Boolean(data.read?.includes(group.dataset.node))
      group.classList.toggle("read", read)
      if (read) group.setAttribute("aria-current", "step")
      else group.removeAttribute("aria-current")
    }
  }
  if (!root.querySelector(".hint")) root.append(element("p", "hint", "Scroll sideways to see all →"))
  return resized(recall(root), [root], () => hint(root))
}
