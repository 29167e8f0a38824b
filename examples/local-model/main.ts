// The page: has the model brought here once, showing how far it is, then talks to it. Later visits find it kept.
import { connect } from 'sideloop'

const client = await connect(() => new Worker(new URL('./agent.worker.ts', import.meta.url), { type: 'module' }))
const status = document.querySelector('output')!

const show = async () => {
  const [model] = await client.host.local.list({})
  status.textContent = model?.failure ?? `${model?.state.kind}: ${model?.here} of ${model?.bytes ?? '?'} bytes`
}
client.news.subscribe((about) => about === 'local-models' && show())
await client.host.local.download({ id: 'mine' }).finally(show)

const session = await client.sessions.create({ options: { provider: 'local', model: 'mine' } })
session.subscribe(({ transcript }) => {
  const replies = [...transcript.pages.flat(), ...transcript.open].flatMap((item) => (item.kind === 'reply' ? item.blocks : []))
  document.querySelector('[role=log]')!.textContent = replies.map((block) => (block.kind === 'tool' ? block.name : block.text)).join('\n')
})
document.querySelector('form')!.addEventListener('submit', (event) => {
  event.preventDefault()
  session.send(String(new FormData(event.currentTarget as HTMLFormElement).get('words')))
})
document.querySelector('button')!.disabled = false
