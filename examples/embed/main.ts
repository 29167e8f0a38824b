// The page: starts the agent's worker, shows its session, sends what a person types.
import { connect } from 'sideloop'

const client = await connect(() => new Worker(new URL('./agent.worker.ts', import.meta.url), { type: 'module' }))
const session = await client.sessions.create({ title: 'First try' })

session.subscribe(({ transcript }) => {
  const replies = [...transcript.pages.flat(), ...transcript.open].flatMap((item) => (item.kind === 'reply' ? item.blocks : []))
  document.querySelector('[role=log]')!.textContent = replies
    .map((block) => (block.kind === 'tool' ? `[${block.name}: ${block.state.kind}]` : block.text))
    .join('\n')
})

document.querySelector('form')!.addEventListener('submit', (event) => {
  event.preventDefault()
  session.send(String(new FormData(event.currentTarget as HTMLFormElement).get('words')))
})
document.querySelector('button')!.disabled = false
