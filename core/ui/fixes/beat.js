// See ticking.py. A sign of life of a part of the page that draws itself again and again; taken back when that part goes away.
export default function ({ data }) {
  const beats = (window.ragLoupeBeats ??= new Map())
  const beat = { at: Date.now(), patience: data.patience * 1000 }
  beats.set(data.name, beat)
  return () => {
    if (beats.get(data.name) === beat) beats.delete(data.name)
  }
}
