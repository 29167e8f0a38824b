// The browser's own dialog for files, asked for sessions to import.
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { useApp } from './app-context.tsx'

/** What an export is named. */
const KINDS = '.jsonl,.zip'

/** `input` has to be somewhere in the component. */
export const useFilePicker = (): { readonly pick: () => void; readonly input: VNode } => {
  const { sessionFiles, layout } = useApp()
  const field = useRef<HTMLInputElement>(null)
  return {
    pick: () => field.current?.click(),
    input: (
      <input
        type="file"
        hidden
        multiple
        accept={KINDS}
        ref={field}
        data-import
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          currentTarget.value = '' // the same file can be picked again
          if (files.length === 0) return
          layout.showSettings(false) // what was imported is behind them
          void sessionFiles.import(files)
        }}
      />
    ),
  }
}
