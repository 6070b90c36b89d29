// Remembers one value in this browser for a year, or until it is closed. The value is ours: letters, digits, hyphens and dots.
export default function ({ data }) {
  const secure = location.protocol === "https:" ? "; Secure" : ""
  const age = data.brief ? "" : "; Max-Age=31536000"
  document.cookie = `${data.name}=${data.value}; Path=/${age}; SameSite=Strict${secure}`
}
