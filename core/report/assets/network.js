// A graph on a canvas, which is painted anew when the theme is another one.
import { places } from "./report.js"

const paint = () => {
  for (const { data, draw, inside } of places.values()) draw({ data, parentElement: inside })
}
document.getElementById("theme").addEventListener("click", paint)
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint)
paint() // a site keeps the theme of the page before
