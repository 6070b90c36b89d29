// See ticking.py. Has the page drawn again when a part of it, which should draw itself again and again, has not done so for long; and
// loads it again when there is nothing left of it: Streamlit's own scripts take the whole page away when they fail.
const GONE_SECONDS = 2
const PAUSE_SECONDS = 30 // between two times that it is loaded again

export default function ({ setTriggerValue }) {
  const beats = (window.ragLoupeBeats ??= new Map())
  window.ragLoupeGuard ??= setInterval(() => {
    if (document.querySelector('[data-testid="stApp"]')) return
    if (Date.now() - Number(sessionStorage.ragLoupeLoaded ?? 0) < PAUSE_SECONDS * 1000) return
    sessionStorage.ragLoupeLoaded = Date.now()
    location.reload()
  }, GONE_SECONDS * 1000)
  const timer = setInterval(() => {
    const now = Date.now()
    const late = [...beats.values()].filter((beat) => now - beat.at > beat.patience)
    if (!late.length) return
    for (const beat of late) beat.at = now // asked once; again only when that brought nothing
    setTriggerValue("late", now)
  }, 1000)
  return () => clearInterval(timer)
}
