// A button that copies the address of what is on the page: that of the page itself, with one parameter alone.
const SHOWN_MS = 2000

async function copied(text, field) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Browsers offer the clipboard only to pages of this machine and to encrypted ones; what is selected can be copied.
    field.hidden = false
    field.focus()
    field.select()
    const done = document.execCommand("copy")
    field.hidden = done
    return done
  }
}

export default function ({ data, parentElement }) {
  const [button, words, field] = ["button", ".words", "input"].map((one) => parentElement.querySelector(one))
  button.title = `Opens this ${data.what} in any browser that reaches this server.`
  button.onclick = async () => {
    const link = new URL(location.pathname, location.origin)
    link.searchParams.set(data.name, data.value)
    field.value = link.href
    const label = (await copied(link.href, field)) ? "Copied" : "Copy it from here"
    words.textContent = label
    setTimeout(() => {
      if (words.textContent === label) words.textContent = "Copy link"
    }, SHOWN_MS)
  }
}
