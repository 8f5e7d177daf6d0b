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

// A price that was requested is not requested again by itself.
const isFollowed = !new URLSearchParams(location.search).has('sell')
let readAt = Date.now()
const offline = () => {
  const since = new Date(readAt).toLocaleTimeString()
  say('offline since ' + since + ': these are the figures of then', 'bad')
}
// A network that is gone may never say so.
const answerMs = 10000

const span = (seconds) =>
  seconds < 90 ? seconds + ' s'
  : seconds < 5400 ? Math.round(seconds / 60) + ' min'
  : seconds < 129600 ? Math.round(seconds / 3600) + ' h'
  : Math.round(seconds / 86400) + ' d'
// The clock of the bot made the instants: a viewer's own may be wrong.
const aheadOf = (page) => Number(page.getElementById('live').dataset.now) - Date.now()
let ahead = aheadOf(document)
const tick = () => {
  for (const time of document.querySelectorAll('time[data-age]')) {
    const seconds = Math.round((Date.now() + ahead - Date.parse(time.dateTime)) / 1000)
    const text = seconds === 0 ? 'now' : seconds < 0 ? 'in ' + span(-seconds) : span(seconds) + ' ago'
    if (time.textContent !== text) time.textContent = text
  }
  // A machine that slept had no timer, and a connection may die without a word.
  if (isFollowed && Date.now() - readAt > 30000) offline()
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

const said = document.getElementById('halt-said')
let halted = false
let reading = false
let behind = false
const read = async () => {
  if (!isFollowed || document.hidden) return
  if (reading) {
    behind = true
    return
  }
  reading = true
  behind = false
  // A page that was made before the halt says nothing of its end.
  const couldEnd = halted
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout(answerMs) })
    if (!answer.ok) throw new Error(answer.status)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    // The first page of a fleet has no banners.
    for (const part of document.querySelectorAll('#banners, #main')) morph(part, page.getElementById(part.id))
    if (couldEnd && !('halted' in page.getElementById('live').dataset)) {
      halted = false
      said.textContent = ''
    }
    readAt = Date.now()
    ahead = aheadOf(page)
    tick()
    if (events?.readyState === 1) say('connected', 'good')
    else say('not followed: read every 10 s', 'soft')
  } catch (error) {
    // The connection of the stream has died as well: the browser would wait at it for ever.
    if (error.name === 'TimeoutError') events.close()
    offline()
  }
  reading = false
  // A swap has many entries within a second or two: the page is read once for some of them.
  if (behind) setTimeout(read, 1000)
}
// A browser opens six connections to one origin for all tabs together: one that nobody looks at keeps none.
let events
const follow = () => {
  events?.close()
  if (!isFollowed || document.hidden) return
  events = new EventSource(base + '/api/events')
  events.onopen = read
  events.onmessage = read
  // Refused or broken: whether the bot is away is seen by a read.
  events.onerror = read
}
document.addEventListener('visibilitychange', () => {
  follow()
  read()
})
follow()
if (!isFollowed) say('not followed: reload', 'soft')
// What no entry of the log tells, such as a look that decided nothing or a node that is away.
setInterval(() => {
  // The browser opens a stream again that broke, and none that was refused.
  if (events?.readyState === 2) follow()
  read()
}, 10000)

const button = document.getElementById('halt')
let held
const release = () => {
  clearTimeout(held)
  held = undefined
  if (button.dataset.state === 'held') button.dataset.state = ''
}
const hold = () => {
  if (held !== undefined) return
  button.dataset.state = 'held'
  held = setTimeout(async () => {
    said.textContent = 'Halting…'
    // Its connection may be the only one that is left to the halt.
    events?.close()
    try {
      const answer = await fetch(base + '/api/halt', {
        method: 'POST',
        // Whoever leaves the page meanwhile means it still.
        keepalive: true,
        signal: AbortSignal.timeout(answerMs),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'by the button of the dashboard' }),
      })
      const { error } = await answer.json()
      said.textContent = answer.ok ? 'Halted. Only ballast resume goes on.' : error.message
      halted = answer.ok
    } catch {
      said.textContent = 'It may not be halted: the bot does not answer. Create a file HALT beside the database, or beside ballast.yaml where that is a server.'
      halted = false
    }
    button.dataset.state = ''
    follow()
    read()
  }, 1500)
}
if (button !== null) {
  button.addEventListener('pointerdown', (event) => {
    // A menu takes the release of another button, and a finger that slides off must leave.
    if (event.button !== 0) return
    if (button.hasPointerCapture(event.pointerId)) button.releasePointerCapture(event.pointerId)
    hold()
  })
  for (const name of ['pointerup', 'pointerleave', 'contextmenu', 'blur']) button.addEventListener(name, release)
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
  if (event.key === '?' && keys !== null) keys.open = !keys.open
  const search = document.getElementById('search')
  if (event.key === '/' && search !== null) {
    event.preventDefault()
    search.focus()
  }
  before = event.key
})
`
