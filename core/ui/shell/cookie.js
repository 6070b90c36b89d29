// Remembers one value in this browser for a year. The value is ours: letters, digits and dots.
export default function ({ data }) {
  const secure = location.protocol === "https:" ? "; Secure" : ""
  document.cookie = `${data.name}=${data.value}; Path=/; Max-Age=31536000; SameSite=Strict${secure}`
}
