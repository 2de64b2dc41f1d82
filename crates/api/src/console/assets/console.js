// What pages do beyond being read: zone, theme, search box, keys, countdowns, live parts. Everything here has a way without it.
const root = document.documentElement
const cookie = (name, value) => { document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=31536000; SameSite=Lax` }
const known = name => document.cookie.split('; ').find(pair => pair.startsWith(name + '='))?.slice(name.length + 1)

// The server writes times in the reader's zone once it knows which one that is.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
if (zone && known('punctual_zone') !== encodeURIComponent(zone)) {
  const isFirst = known('punctual_zone') === undefined
  cookie('punctual_zone', zone)
  if (isFirst && document.querySelector('[data-zone]') && known('punctual_zone')) location.reload()
}

// A link with a one-time code: its form is sent at once.
document.querySelector('form[data-submit]')?.requestSubmit()

document.addEventListener('click', event => {
  const link = event.target.closest('[data-theme-next]')
  if (link) {
    event.preventDefault()
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
    root.dataset.theme = isDark ? 'light' : 'dark'
    cookie('punctual_theme', root.dataset.theme)
  }
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false
})

const toast = document.querySelector('[data-toast]')
if (toast) setTimeout(() => toast.remove(), 10000)

// A picture is one stop of the Tab key; arrows walk through its links.
document.addEventListener('keydown', event => {
  const picture = event.target.closest?.('svg[role=group]')
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!picture || !step) return
  event.preventDefault()
  const links = [...picture.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  links[at < 0 ? links.length - 1 : Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
})

const pages = { o: '/', j: '/jobs', c: '/collections', a: '/alerts', f: '/forecast', n: '/cluster' }
const isTyping = node => node.closest?.('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]')
let prefix = '', row = -1
addEventListener('keydown', event => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
    event.preventDefault()
    document.getElementById('palette')?.showModal()
    return
  }
  if (event.key === 'Escape') for (const menu of document.querySelectorAll('details.menu[open]')) { menu.open = false; menu.querySelector('summary').focus() }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return
  if (prefix === 'g' && pages[event.key]) { location.href = pages[event.key]; return }
  prefix = event.key === 'g' ? 'g' : ''
  const rows = [...document.querySelectorAll('[data-row]')]
  const button = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)
  if (button) button.click()
  else if ((event.key === 'j' || event.key === 'k') && rows.length) {
    row = Math.max(0, Math.min(rows.length - 1, row + (event.key === 'j' ? 1 : -1)))
    rows[row].querySelector('a, summary, button')?.focus()
  } else if (event.key === 'x') document.activeElement.closest?.('[data-row]')?.querySelector('[type=checkbox]')?.click()
  else if (event.key === '/') { event.preventDefault(); document.querySelector('[data-filter], #q')?.focus() }
  else if (event.key === 'c') document.querySelector('a[href^="/jobs/new"]')?.click()
  else if (event.key === 't') {
    const zones = [...document.querySelectorAll('.seg a[href*="tz="]')]
    zones[(zones.findIndex(link => link.hasAttribute('aria-current')) + 1) % zones.length]?.click()
  } else if (event.key === '?') document.getElementById('keys')?.showModal()
})

// Countdowns.
const count = () => {
  for (const node of document.querySelectorAll('[data-until]')) {
    const left = Math.round((Date.parse(node.dataset.until) - Date.now()) / 1000)
    if (left < 3600) node.textContent = left <= 0 ? 'now' : `in ${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
  }
}
if (document.querySelector('[data-until]')) count()
setInterval(count, 1000)

// Live parts: when something has happened, the page is read again and its live parts are put in place. Nothing moves beneath a
// pointer that is over them, nor under who has ticked or opened something.
const parts = () => [...document.querySelectorAll('[data-live]')]
const word = document.querySelector('[data-live-word]')
const say = text => { if (word) word.textContent = text }
let isStale = false, timer
const isBusy = part => part.matches(':hover') || part.contains(document.activeElement) || part.querySelector(':checked, details[open]')
const refresh = async () => {
  timer = undefined
  if (document.hidden) { isStale = true; return }
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (!answer?.ok || answer.redirected) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const part of parts()) {
    const next = fresh.getElementById(part.id)
    if (next && !isBusy(part) && next.outerHTML !== part.outerHTML) part.replaceWith(next)
  }
  const symbols = fresh.querySelector('body > svg[hidden]')
  if (symbols) document.querySelector('body > svg[hidden]')?.replaceWith(symbols)
  isStale = false
}
const happen = () => { timer ??= setTimeout(refresh, 1500) }
if (parts().length) {
  const events = new EventSource('/live')
  events.onopen = () => say('live')
  events.onerror = () => say(`not live since ${new Date().toTimeString().slice(0, 5)}, reconnecting`)
  for (const kind of ['started', 'succeeded', 'retrying', 'failed', 'skipped', 'edited']) events.addEventListener(kind, happen)
  document.addEventListener('visibilitychange', () => { if (!document.hidden && isStale) refresh() })
  addEventListener('pagehide', () => events.close())
}

// The form of a job: words, runs and complaints follow what is typed.
const draft = document.querySelector('form[data-check]')
if (draft) {
  let waiting, asked = 0
  const check = async () => {
    const number = ++asked
    const body = new URLSearchParams(new FormData(draft))
    body.set('do', 'check')
    const answer = await fetch(draft.action, { method: 'POST', body }).catch(() => undefined)
    if (!answer || number !== asked) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const aside = fresh.getElementById('foresight')
    if (aside) document.getElementById('foresight')?.replaceWith(aside)
    for (const place of draft.querySelectorAll('[data-err]')) {
      const next = fresh.querySelector(`[data-err="${CSS.escape(place.dataset.err)}"]`)
      place.textContent = next?.textContent ?? ''
      draft.querySelector(`[name="${CSS.escape(place.dataset.err)}"]`)?.toggleAttribute('aria-invalid', !!place.textContent)
    }
  }
  draft.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(check, 500) })
}
