// How each local server is told to let this page read its answers: the exact setting, with this page's own origin in it.
import type { LocalServer } from './agent-client.ts'

export type OriginStep = {
  /** Where it is done; absent when it is the same everywhere. */
  readonly where?: string
  readonly words?: string
  /** To be copied. */
  readonly lines?: string
}
export type OriginSetting = { readonly name: string; readonly steps: readonly OriginStep[] }

/** By the documentation of each server; `origin` as the browser sends it, such as `https://app.example.com`. */
export const originSetting = (kind: LocalServer['kind'], origin: string): OriginSetting => {
  switch (kind) {
    case 'ollama':
      return {
        name: 'Ollama',
        steps: [
          {
            where: 'macOS',
            lines: `launchctl setenv OLLAMA_ORIGINS "${origin}"`,
            words: 'Then quit Ollama in the menu bar, and start it again.',
          },
          {
            where: 'Windows',
            lines: `setx OLLAMA_ORIGINS "${origin}"`,
            words: 'Then quit Ollama in the task bar, and start it again.',
          },
          {
            where: 'Linux',
            lines: `sudo mkdir -p /etc/systemd/system/ollama.service.d\nprintf '[Service]\\nEnvironment="OLLAMA_ORIGINS=%s"\\n' '${origin}' | sudo tee /etc/systemd/system/ollama.service.d/origins.conf\nsudo systemctl daemon-reload\nsudo systemctl restart ollama`,
          },
          { where: 'By hand', lines: `OLLAMA_ORIGINS="${origin}" ollama serve`, words: 'Only if it is not running yet.' },
        ],
      }
    case 'lm-studio':
      return {
        name: 'LM Studio',
        steps: [
          { words: 'Switch on “Enable CORS” in the settings of its server (Developer tab), or start the server with:' },
          { lines: 'lms server start --cors', words: `It then lets every page in, ${origin} among them.` },
        ],
      }
    case 'llama-cpp':
      return {
        name: 'llama.cpp',
        steps: [{ lines: `llama-server --cors-origins "${origin}" …`, words: 'Older versions let every page in by themselves.' }],
      }
    case 'vllm':
      return {
        name: 'vLLM',
        steps: [
          {
            lines: `vllm serve MODEL --allowed-origins '["${origin}"]'`,
            words: 'It lets every page in by itself: another program may be at this port, or one in front of it.',
          },
        ],
      }
    case 'other':
      return {
        name: 'this server',
        steps: [{ words: 'Look in its settings for CORS or allowed origins, and add this page’s address:', lines: origin }],
      }
  }
}

/** Which server it is, as far as its preset or its port tell. */
export const serverKind = (preset: string, baseUrl: string): LocalServer['kind'] => {
  if (preset === 'ollama' || preset === 'lm-studio' || preset === 'llama-cpp' || preset === 'vllm') return preset
  const port = URL.canParse(baseUrl) ? new URL(baseUrl).port : ''
  return port === '11434' ? 'ollama' : port === '1234' ? 'lm-studio' : 'other'
}
