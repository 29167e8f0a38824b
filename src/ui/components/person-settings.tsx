// Settings about the person: what they are asked before, and what they want to see.
import { useEffect } from 'preact/hooks'
import { ASKABLE } from '../state/permissions.ts'
import { useApp } from './app-context.tsx'

export const AskSection = () => {
  const { permissions } = useApp()
  const asked = permissions.asked.value
  useEffect(() => {
    void permissions.load()
  }, [permissions])
  return (
    <section class="settings__part" aria-labelledby="settings-ask">
      <h3 id="settings-ask">Ask me before</h3>
      <ul class="checks">
        {ASKABLE.map(({ tool, label, detail }) => (
          <li key={tool}>
            <label class="check check--words">
              <input
                type="checkbox"
                checked={asked?.includes(tool) === true}
                disabled={asked === undefined}
                data-ask={tool}
                onChange={(event) => permissions.ask(tool, event.currentTarget.checked ? 'ask' : 'let')}
              />
              <span>
                <span class="check__label">{label}</span>
                <span class="hint">{detail}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p class="hint">For every session. Switching one off and on again takes back what you allowed for always.</p>
    </section>
  )
}

export const ConversationSection = () => {
  const { reminders } = useApp()
  return (
    <section class="settings__part" aria-labelledby="settings-conversation">
      <h3 id="settings-conversation">Conversation</h3>
      <label class="check check--words">
        <input type="checkbox" checked={reminders.shown.value} onChange={(event) => reminders.show(event.currentTarget.checked)} />
        <span>
          <span class="check__label">Show reminders</span>
          <span class="hint">What a task tells the agent to keep it going. The agent gets them either way.</span>
        </span>
      </label>
    </section>
  )
}
