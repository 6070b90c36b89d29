// See scrolling.py. Each click is a number of its own, and is followed once: a page drawn again stays where it is.
const done = (window.ragLoupeScrolled ??= new Set())
const TOP_PX = 80

export default function ({ data, parentElement }) {
  if (done.has(data.click)) return
  const place = parentElement.host ?? parentElement
  // What stands above may still be drawn: the place is looked at once the page has been laid out.
  const timer = setTimeout(() => {
    done.add(data.click)
    if (document.activeElement === document.body) {
      // The button that was pressed is gone: the keyboard goes on from here and not from the top of the page.
      place.tabIndex = -1
      place.style.outline = "none"
      place.focus({ preventScroll: true })
    }
    const { top } = place.getBoundingClientRect()
    if (top >= 0 && top < window.innerHeight * 0.6) return
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
    place.style.scrollMarginTop = `${TOP_PX}px`
    place.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" })
  }, 200)
  return () => clearTimeout(timer)
}
