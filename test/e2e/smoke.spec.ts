// The built application as served: it opens, and nothing it does is refused by its own policies or told to the console.
import { expect, test } from '@playwright/test'

test('the application opens without a console error, a failed request or a policy violation', async ({ page }) => {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`page: ${error.message}`))
  page.on('requestfailed', (request) => problems.push(`request: ${request.url()} ${request.failure()?.errorText}`))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`response: ${response.status()} ${response.url()}`)
  })

  await page.goto('./')
  await expect(page.getByRole('textbox').first()).toBeEditable()
  await expect(page).toHaveTitle(/Sideloop/)
  expect(problems).toEqual([])
})

test('every response carries its policy: a closed page, an agent that reaches models, a missing file that is a 404', async ({ page }) => {
  const policies = new Map<string, string>()
  page.on('response', (response) => {
    policies.set(new URL(response.url()).pathname, response.headers()['content-security-policy'] ?? 'none')
  })
  await page.goto('./')
  await expect(page.getByRole('textbox').first()).toBeEditable()

  expect(policies.get('/')).toContain("connect-src 'self';")
  const agent = [...policies].find(([path]) => path.startsWith('/assets/agent.worker-'))
  expect(agent?.[1]).toContain("connect-src 'self' https:")
  expect(agent?.[1]).not.toContain('unsafe')

  const missing = await page.request.get('./assets/missing.js')
  expect(missing.status()).toBe(404)
  expect(await missing.text()).not.toContain('<html')
})

test('W15 the page and its workers are cross-origin isolated: a model in the tab may use several threads', async ({ page }) => {
  await page.goto('./')
  expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(true)
  await expect.poll(() => page.workers().length).toBeGreaterThan(0)
  for (const worker of page.workers()) expect(await worker.evaluate(() => globalThis.crossOriginIsolated)).toBe(true)
})

test('the page itself reaches no other origin: neither a request nor a picture leaves it', async ({ page }) => {
  await page.goto('./')
  const asked: string[] = []
  await page.route('http://elsewhere.test/**', (route) => {
    asked.push(route.request().url())
    return route.fulfill({ body: '' })
  })
  const refused = await page.evaluate(async () => {
    const violations: string[] = []
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective))
    await fetch('http://elsewhere.test/a').catch(() => {})
    const picture = new Image()
    await new Promise((resolve) => {
      picture.onload = resolve
      picture.onerror = resolve
      picture.src = 'http://elsewhere.test/b.png'
    })
    return violations
  })
  expect(refused).toEqual(expect.arrayContaining(['connect-src', 'img-src']))
  expect(asked).toEqual([])
})
