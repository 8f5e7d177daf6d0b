/**
 * The page's only script: it follows the journal. With each entry of the log the page is read again and its parts are
 * brought up to date in place, so that focus, selection and scroll position stay. Without it the page is whole, and old.
 *
 * No build and no library: the server writes the markup, and this puts it where it belongs. The Content-Security-Policy
 * names its hash and allows no other.
 */
export const liveScript = `'use strict'
// The path that these pages are under; none where they have the address to themselves.
const base = document.documentElement.dataset.base ?? ''
const status = document.getElementById('live')
const say = (text, tone) => {
  if (status === null || status.textContent === text) return
  status.textContent = text
  status.className = 'mark ' + tone
}

const span = (seconds) =>
  seconds < 90 ? seconds + ' s'
  : seconds < 5400 ? Math.round(seconds / 60) + ' min'
  : seconds < 129600 ? Math.round(seconds / 3600) + ' h'
  : Math.round(seconds / 86400) + ' d'
const tick = () => {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const seconds = Math.round((Date.now() - Date.parse(time.dateTime)) / 1000)
    const text = seconds === 0 ? 'now' : seconds < 0 ? 'in ' + span(-seconds) : span(seconds) + ' ago'
    if (time.textContent !== text) time.textContent = text
  }
}
setInterval(tick, 1000)

const keyOf = (node) => node.nodeType === 1 ? node.id || node.dataset.key || '' : ''
const morph = (old, fresh) => {
  if (old.isEqualNode(fresh)) return
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return old.replaceWith(fresh)
  if (old.nodeType !== 1) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue
    return
  }
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name)
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]))
  let at = old.firstChild
  for (const wanted of [...fresh.childNodes]) {
    const key = keyOf(wanted)
    const match = key === '' ? (at !== null && keyOf(at) === '' ? at : null) : keyed.get(key) ?? null
    if (match === null) {
      old.insertBefore(wanted, at)
      continue
    }
    if (match !== at) old.insertBefore(match, at)
    else at = at.nextSibling
    morph(match, wanted)
  }
  while (at !== null) {
    const next = at.nextSibling
    at.remove()
    at = next
  }
}

let reading = false
let behind = false
const read = async () => {
  // A price that was requested is not requested again by itself.
  if (new URLSearchParams(location.search).has('sell')) return say('not followed: reload', 'soft')
  if (document.hidden || reading) {
    behind = true
    return
  }
  reading = true
  behind = false
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error(answer.status)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const part of ['banners', 'main'])
      morph(document.getElementById(part), page.getElementById(part))
    tick()
    lost = undefined
    say('connected', 'good')
  } catch {
    offline()
  }
  reading = false
  // A swap has many entries within a second or two: the page is read once for some of them.
  if (behind) setTimeout(read, 1000)
}
let lost
const offline = () => {
  lost = lost ?? new Date().toLocaleTimeString()
  say('offline since ' + lost + ': these are the figures of then', 'bad')
}
document.addEventListener('visibilitychange', () => {
  if (behind) read()
})
const events = new EventSource(base + '/api/events')
events.onopen = () => {
  lost = undefined
  read()
}
events.onmessage = read
events.onerror = offline
// What no entry of the log tells, such as a look that decided nothing or a node that is away.
setInterval(() => {
  if (events.readyState === 1) read()
}, 10000)

const button = document.getElementById('halt')
let held
const release = () => {
  clearTimeout(held)
  held = undefined
  if (button.dataset.state === 'held') button.dataset.state = ''
}
const hold = () => {
  if (held !== undefined || button.dataset.state === 'done') return
  button.dataset.state = 'held'
  held = setTimeout(async () => {
    const said = document.getElementById('halt-said')
    try {
      const answer = await fetch(base + '/api/halt', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'by the button of the dashboard' }),
      })
      const { error } = await answer.json()
      said.textContent = answer.ok ? 'Halted. Only ballast resume goes on.' : error.message
      button.dataset.state = answer.ok ? 'done' : ''
    } catch {
      said.textContent = 'It may not be halted: the bot does not answer. Create a file HALT beside the database, or beside ballast.yaml where that is a server.'
      button.dataset.state = ''
    }
    read()
  }, 1500)
}
if (button !== null) {
  button.addEventListener('pointerdown', hold)
  for (const name of ['pointerup', 'pointerleave', 'blur']) button.addEventListener(name, release)
  button.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    if (!event.repeat) hold()
  })
  button.addEventListener('keyup', release)
}

let before = ''
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return
  const link = before === 'g' ? document.querySelector('nav a[data-go="' + CSS.escape(event.key) + '"]') : null
  if (link !== null) location.assign(link.href)
  const keys = document.getElementById('keys')
  if (event.key === '?') keys.open = !keys.open
  const search = document.getElementById('search')
  if (event.key === '/' && search !== null) {
    event.preventDefault()
    search.focus()
  }
  before = event.key
})
`
