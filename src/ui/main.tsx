// The application's entry: starts the agent's worker, then shows the page over it.
import { render } from 'preact'
import { connect } from '../worker/client/connect.ts'
import { AppPage } from './app.tsx'
import { hashAddress } from './hash-address.ts'
import { saveFileOn } from './save-file.ts'
import { StartFailure } from './start-failure.tsx'
import { createApp } from './state/app-state.ts'
import { browserKeepsakes } from './state/keepsakes.ts'
import { sayFailure } from './state/say-failure.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/conversation.css'
import './styles/prose.css'
import './styles/tools.css'
import './styles/composer.css'
import './styles/asking.css'
import './styles/sessions.css'
import './styles/settings.css'
import './styles/local-models.css'
import './styles/motion.css'

const startWorker = () =>
  new Worker(new URL('../worker/host/entries/browser.worker.ts', import.meta.url), { type: 'module', name: 'agent' })

const start = async (place: HTMLElement): Promise<void> => {
  const connecting = connect(startWorker) // before all else: the rest is done while the worker starts
  const keepsakes = browserKeepsakes(() => localStorage)
  const theme = keepsakes.get('theme')
  if (theme !== undefined) document.documentElement.setAttribute('data-theme', theme) // before the first paint
  try {
    const client = await connecting
    const { address, listen } = hashAddress(window)
    const app = createApp({
      client,
      keepsakes,
      address,
      root: document.documentElement,
      media: matchMedia('(max-width: 820px)'),
      now: Date.now,
      newId: () => crypto.randomUUID(),
      saveFile: saveFileOn(document),
    })
    listen((id) => {
      if (id === app.current.id.peek()) return
      if (id === undefined) app.current.startNew()
      else void app.current.open(id)
    })
    const asked = app.start() // the worker looks up what the first screen needs while that is drawn
    render(<AppPage app={app} />, place)
    await asked
    // A hot reload must leave one worker.
    import.meta.hot?.dispose(() => app.dispose())
  } catch (error) {
    render(<StartFailure message={sayFailure(error)} onRetry={() => location.reload()} />, place)
  }
}

const place = document.getElementById('app')
if (place !== null) void start(place)
