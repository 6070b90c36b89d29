// Has the page drawn again when a part of it, which should draw itself again and again, has not done so for long.
export default function ({ setTriggerValue }) {
  const beats = (window.ragLoupeBeats ??= new Map())
  const timer = setInterval(() => {
    const now = Date.now()
    const late = [...beats.values()].filter((beat) => now - beat.at > beat.patience)
    if (!late.length) return
    for (const beat of late) beat.at = now // asked once; again only when that brought nothing
    setTriggerValue("late", now)
  }, 1000)
  return () => clearInterval(timer)
}
