// Session files that are dropped anywhere on the page are imported. A part of the page that takes files by itself comes first.
import { useEffect, useState } from 'preact/hooks'
import { useApp } from './app-context.tsx'
import { OpenIcon } from './icons.tsx'

const SESSIONS = /\.(jsonl|zip)$/i

export const DropPlace = () => {
  const { sessionFiles, notices } = useApp()
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      const isOurs = !event.defaultPrevented && event.dataTransfer?.types.includes('Files') === true
      setOver(isOurs)
      if (!isOurs || event.dataTransfer === null) return
      event.preventDefault() // the browser would leave the page for the file
      event.dataTransfer.dropEffect = 'copy'
    }
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (event.defaultPrevented || files.length === 0) return
      event.preventDefault()
      const sessions = files.filter(({ name }) => SESSIONS.test(name))
      const others = files.filter((file) => !sessions.includes(file))
      if (others.length > 0) notices.show({ kind: 'error', text: sayOthers(others) })
      if (sessions.length > 0) void sessionFiles.import(sessions)
    }
    document.addEventListener('dragover', onOver)
    document.addEventListener('dragleave', onLeave)
    document.addEventListener('drop', onDrop)
    return () => {
      document.removeEventListener('dragover', onOver)
      document.removeEventListener('dragleave', onLeave)
      document.removeEventListener('drop', onDrop)
    }
  }, [sessionFiles, notices])
  return isOver ? (
    <div class="drop" aria-hidden="true">
      <span class="drop__words">
        <OpenIcon /> Drop session files to import them
      </span>
    </div>
  ) : null
}

const sayOthers = (files: readonly File[]): string => {
  const [first] = files
  const what = files.length === 1 ? `“${first?.name}” is no session file.` : `${files.length} of the files are no session files.`
  return `${what} Sessions that were exported end in .jsonl or .sideloop.zip.`
}
