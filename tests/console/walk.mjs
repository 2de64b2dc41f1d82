// Walks through the console in a real browser: signs in, opens every page in light, dark and at the width of a phone, has axe
// look for what keeps people out, and does what people do. Ends with 1 if anything is wrong.
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [modules, base, token, pictures] = process.argv.slice(2)
const require = createRequire(`${modules}/`)
const { chromium } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core'), 'utf8')
mkdirSync(pictures, { recursive: true })

const wrong = []
const fail = (page, what) => { wrong.push(`${page}: ${what}`); console.log(`WRONG ${page}: ${what}`) }
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags })
const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, timezoneId: 'Europe/Prague', bypassCSP: false })
const page = await context.newPage()
let where = 'start'
page.on('console', message => { if (message.type() === 'error' && !/\/live|status of (401|404|412|400)/.test(message.text())) fail(where, message.text()) })
page.on('pageerror', error => fail(where, error.message))
page.on('dialog', dialog => { fail(where, `a dialog opened: ${dialog.message()}`); dialog.dismiss() })

const pages = {
  overview: '/', 'overview-table': '/?table', jobs: '/jobs', 'jobs-failing': '/jobs?outcome=failed', 'jobs-of': '/jobs?collection=billing',
  job: '/jobs/billing/nightly-ledger-close', 'job-well': '/jobs/monitoring/heartbeat', 'job-json': '/jobs/billing/fx-rates?as=json',
  'job-history': '/jobs/billing/invoice-sync/history', changes: '/jobs/billing/fx-rates/changes',
  'not-due': '/jobs/billing/fx-rates/at/2026-01-01T00:00:00Z', edit: '/jobs/billing/fx-rates/edit', 'edit-json': '/jobs/billing/fx-rates/edit?as=json', new: '/jobs/new',
  collections: '/collections', alerts: '/alerts', forecast: '/forecast', cluster: '/cluster', access: '/access',
  search: '/search?q=sync', pause: '/pause', nothing: '/jobs/billing/there-is-no-such-job',
}
const only = process.env.ONLY?.split(',')

const look = async (name, how) => {
  await page.screenshot({ path: `${pictures}/${name}-${how}.png`, fullPage: false })
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (wide > 1) fail(`${name} ${how}`, `${wide} pixels are outside of the window`)
}
const check = async name => {
  // axe is a tool of the test: it is run by the debugger, which no policy of the page holds back.
  const client = await context.newCDPSession(page)
  await client.send('Runtime.evaluate', { expression: axe })
  const { result } = await client.send('Runtime.evaluate', { expression: 'axe.run().then(r => JSON.stringify(r.violations.map(v => [v.id, v.impact, v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? ""))])))', awaitPromise: true, returnByValue: true })
  for (const [id, impact, nodes] of JSON.parse(result.value)) fail(name, `${id} (${impact}): ${nodes.join(' | ')}`)
  await client.detach()
}

where = 'sign-in'
await page.goto(`${base}/jobs?q=a`)
if (!page.url().includes('/sign-in')) fail(where, `who is not signed in sees ${page.url()}`)
await look('sign-in', 'light')
await check('sign-in')
await page.fill('#token', 'punctual_wrong')
await page.click('button')
if (!(await page.textContent('main')).includes('That did not work')) fail(where, 'a wrong token is not explained')
await page.fill('#token', token)
await page.click('button')
if (!page.url().endsWith('/jobs?q=a')) fail(where, `signed in, and at ${page.url()}`)

for (const [name, address] of Object.entries(pages)) {
  if (only && !only.includes(name)) continue
  where = name
  await page.setViewportSize({ width: 1400, height: 1000 })
  const answer = await page.goto(base + address)
  const expected = name === 'nothing' ? 404 : 200
  if (answer.status() !== expected) fail(name, `answered ${answer.status()}`)
  await look(name, 'light')
  await check(name)
  await page.evaluate(() => { document.documentElement.dataset.theme = 'dark' })
  await look(name, 'dark')
  await check(`${name} dark`)
  await page.evaluate(() => { delete document.documentElement.dataset.theme })
  await page.setViewportSize({ width: 390, height: 844 })
  await look(name, 'phone')
}

if (!only) {
  await page.setViewportSize({ width: 1400, height: 1000 })
  const does = async (name, what) => { where = name; try { await what() } catch (error) { fail(name, error.message.split('\n')[0]) } }
  const toast = async text => {
    const shown = await page.textContent('.toast', { timeout: 3000 })
    if (!shown.includes(text)) throw new Error(`the page says ${shown}`)
  }
  await does('run now', async () => { await page.goto(`${base}/jobs/monitoring/heartbeat`); await page.click('button[value=run]'); await toast('runs now') })
  await does('disable', async () => { await page.click('button[value=disable]'); await toast('is disabled'); await page.click('button[value=enable]'); await toast('is enabled') })
  await does('rerun', async () => { await page.goto(`${base}/`); await page.click('form[action="/rerun"] button'); await toast('again') })
  await does('bulk', async () => {
    await page.goto(`${base}/jobs?collection=crm`)
    for (const box of await page.$$('tbody input[type=checkbox]')) await box.check()
    await look('jobs-selected', 'light')
    await page.click('.bulk button[value=disable]')
    await toast('2 jobs were disabled')
  })
  await does('pause', async () => {
    await page.goto(`${base}/pause`)
    await page.fill('#why', 'Database is being moved')
    await page.click('main button[value=pause]')
    await toast('Paused')
    await look('paused', 'light')
    await check('paused')
    await page.click('header button[value=resume]')
    await toast('Resumed')
  })
  await does('keys', async () => { await page.goto(`${base}/jobs`); await page.keyboard.press('Control+k'); await page.fill('#palette input', 'ledger'); await page.keyboard.press('Enter'); await page.waitForURL('**/search?q=ledger') })
  await does('zone', async () => { await page.click('.seg a[href*="tz=utc"]'); if ((await page.textContent('.seg [aria-current]')) !== 'UTC') throw new Error('times are not in UTC') })
  await does('new job', async () => {
    await page.goto(`${base}/jobs/new`)
    await page.fill('[name="name"]', 'made-in-a-browser')
    await page.fill('[name="action.request.uri"]', 'https://example.com/ping')
    await page.click('button[value=save]')
    await toast('is saved')
  })
  await does('delete and undo', async () => {
    await page.goto(`${base}/jobs/default/made-in-a-browser`)
    await page.click('main summary')
    await page.click('main button[value=delete]')
    await toast('is deleted in 10 seconds')
    await page.click('.toast button')
    await toast('1 job is not deleted')
  })
  await does('sign out', async () => {
    await page.click('header summary')
    await page.click('form[action="/sign-out"] button')
    await page.goto(`${base}/jobs`)
    if (!page.url().includes('/sign-in')) throw new Error('pages are still shown')
  })
}
await browser.close()
console.log(wrong.length ? `${wrong.length} wrong` : 'the console is well')
process.exit(wrong.length ? 1 : 0)
