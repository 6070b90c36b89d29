// A strategy's graph, from top to bottom and from left to right; the page shows the one that fits. The SVG is our own.

function picture(svg) {
  const text = svg.replace("<svg", `<svg xmlns="${SVG}"`)
  const node = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true)
  node.style.maxWidth = `${node.dataset.most}px`
  node.style.minWidth = `${node.dataset.least}px`
  return node
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  for (const name of ["down", "across"]) {
    let place = root.querySelector("." + name)
    if (!place) {
      place = element("div", name)
      root.append(place)
    }
    // It is put on the page again only when it has changed, so nothing flickers.
    if (place.dataset.drawn === data[name]) continue
    place.dataset.drawn = data[name]
    place.replaceChildren(picture(data[name]))
  }
}
