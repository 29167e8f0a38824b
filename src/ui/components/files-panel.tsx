// The files of the session: a list, and the text of the one that was clicked.

import { CodeBlock } from '../markdown/code-block.tsx'
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import { IN_FULL_SIGHT } from '../markdown/text-beginning.ts'
import type { FileView } from '../state/agent-client.ts'
import type { FileText } from '../state/files.ts'
import { saySize } from '../state/say-time.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon, FileIcon } from './icons.tsx'

export const FilesPanel = () => {
  const { layout, files } = useApp()
  if (!layout.filesShown.value) return null
  const shown = files.shown.value
  const list = files.list.value
  const failure = files.failure.value
  return (
    <aside class="files" aria-label="Files of the session">
      <div class="files__head">
        <h2>Files</h2>
        <button type="button" class="icon-button" aria-label="Close the files" onClick={() => layout.toggle('files')}>
          <CloseIcon />
        </button>
      </div>
      {failure === undefined ? null : <p class="hint hint--error">{failure}</p>}
      {list.length === 0 && failure === undefined ? <p class="hint">None yet. Files that the agent writes appear here.</p> : null}
      <ul class="files__list">
        {list.map((file) => (
          <FileRow key={file.path} file={file} isShown={shown.kind !== 'none' && shown.path === file.path} />
        ))}
      </ul>
      <FileContent shown={shown} />
    </aside>
  )
}

const FileRow = ({ file, isShown }: { readonly file: FileView; readonly isShown: boolean }) => {
  const { files } = useApp()
  return (
    <li>
      <button
        type="button"
        class="file"
        data-path={file.path}
        aria-expanded={isShown}
        onClick={() => files.show(isShown ? undefined : file.path)}
      >
        <FileIcon />
        <span class="file__path">{withoutHiddenMarks(file.path.replace(/^\//, ''))}</span>
        <span class="file__size">{saySize(file.size)}</span>
      </button>
    </li>
  )
}

const FileContent = ({ shown }: { readonly shown: FileText }) => {
  switch (shown.kind) {
    case 'none':
      return null
    case 'loading':
      return <p class="hint">Reading…</p>
    case 'failed':
      return <p class="hint hint--error">{shown.message}</p>
    case 'text':
      return (
        <div class="files__text">
          <CodeBlock text={shown.text} label={shown.path.replace(/^\//, '')} reach={IN_FULL_SIGHT} />
        </div>
      )
  }
}
