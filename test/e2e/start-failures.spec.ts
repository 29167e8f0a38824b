// H5 in the built application: when the agent's worker cannot start, the page says why and offers the way on.
import { expect, test } from '@playwright/test'

const AGENT = /\/assets\/agent\.worker-[^/]+\.js/

test('H5 a worker file that is missing is named with the answer of the server', async ({ page }) => {
  await page.route(AGENT, (route) => route.fulfill({ status: 404, contentType: 'text/plain', body: 'gone' }))
  await page.goto('./')
  await expect(page.getByText(/agent\.worker-.*answers with 404/)).toBeVisible()
})

test('H5 a server that answers every address with its start page is found out', async ({ page }) => {
  await page.route(AGENT, (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<!doctype html><title>Start</title>' }))
  await page.goto('./')
  await expect(page.getByText(/is served as text\/html, not as JavaScript/)).toBeVisible()
})

test('H5 a policy that forbids workers is named', async ({ page }) => {
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue()
    const response = await route.fetch()
    const body = (await response.text()).replace(/worker-src [^;"]+/, "worker-src 'none'")
    const headers = { ...response.headers() }
    headers['content-security-policy'] = (headers['content-security-policy'] ?? '').replace(/worker-src [^;]+/, "worker-src 'none'")
    return route.fulfill({ response, body, headers })
  })
  await page.goto('./')
  await expect(page.getByText(/content security policy \(worker-src\) does not allow/i)).toBeVisible()
})

test('H5 a worker of another version asks for a reload, and a reload helps', async ({ page }) => {
  await page.route(AGENT, async (route) =>
    route.fulfill({
      response: await route.fetch(), // with its headers: without them a page that embeds nothing of others refuses it
      // Comlink's answer to the handshake, from a worker of a later protocol.
      body: `addEventListener('message', ({ data }) => postMessage({ id: data.id, type: 'RAW', value: { protocol: 999, version: '9.9.9' } }))`,
    }),
  )
  await page.goto('./')
  await expect(page.getByText(/different versions/)).toBeVisible()
  await page.unroute(AGENT)
  await page.getByRole('button', { name: /try again|reload/i }).click()
  await expect(page.getByLabel('Message', { exact: true })).toBeEditable()
})
