// Settings about what is kept: how much room there is, whether the browser keeps it for good, and all sessions as a file.
import { useEffect } from 'preact/hooks'
import type { StorageReport } from '../state/agent-client.ts'
import { saySize } from '../state/say-time.ts'
import type { Asked } from '../state/storage-facts.ts'
import { isLow } from '../state/storage-facts.ts'
import { useApp } from './app-context.tsx'
import { Dots, OpenIcon, SaveIcon, WarningIcon } from './icons.tsx'
import { useFilePicker } from './use-file-picker.tsx'

export const StorageSection = () => {
  const { storage } = useApp()
  const report = storage.report.value
  useEffect(() => {
    void storage.look()
  }, [storage])
  return (
    <section class="settings__part" aria-labelledby="settings-storage">
      <h3 id="settings-storage">Storage</h3>
      <p class="hint">Sessions and files are kept in this browser, and only here.</p>
      {report === undefined ? <p class="hint">Asking the browser…</p> : <Report report={report} />}
      <SessionsAsFiles />
    </section>
  )
}

const Report = ({ report }: { readonly report: StorageReport }) => (
  <>
    <Room {...report} />
    {isLow(report) ? (
      <p class="note note--warning">
        <WarningIcon />
        <span>
          There is little room left. When none is left, nothing more can be saved: what was saved before is safe, and the agent waits.
          Delete sessions that you do not need, or free space on the disk.
        </span>
      </p>
    ) : null}
    <Persistence persisted={report.persisted} />
  </>
)

/** Browsers round both figures, and count more than this page stores: nothing here is exact. */
const Room = ({ usage, quota }: StorageReport) => {
  if (usage === undefined) return <p class="hint">This browser does not say how much is used.</p>
  if (quota === undefined || quota === 0)
    return <p class="storage__words">About {saySize(usage)} used. This browser does not say how much there is room for.</p>
  const share = Math.min(1, usage / quota)
  return (
    <div class="storage">
      <meter
        class="storage__bar"
        aria-label="Storage used"
        min={0}
        max={1}
        high={0.9}
        value={share}
        data-low={isLow({ usage, quota, persisted: undefined })}
      />
      <p class="storage__words">
        About {saySize(usage)} of {saySize(quota)} used{share < 0.01 ? '' : ` (${Math.round(share * 100)} %)`}
      </p>
    </div>
  )
}

const Persistence = ({ persisted }: Pick<StorageReport, 'persisted'>) => {
  const { storage } = useApp()
  const asked = storage.asked.value
  return (
    <div class="storage__keep">
      <p class="storage__words" role="status">
        {sayPersistence(persisted)} {SAID[asked]}
      </p>
      {persisted === true || asked === 'unknown' ? null : (
        <button type="button" class="button" disabled={asked === 'asking'} onClick={() => void storage.persist()}>
          {asked === 'asking' ? (
            <>
              Asking <Dots />
            </>
          ) : asked === 'refused' ? (
            'Ask again'
          ) : (
            'Ask the browser to keep it'
          )}
        </button>
      )}
    </div>
  )
}

const sayPersistence = (persisted: boolean | undefined): string => {
  if (persisted === undefined) return 'This browser does not say whether it keeps the data for good.'
  return persisted
    ? 'The browser keeps the data until you delete it.'
    : 'The browser may remove the data by itself: when the disk gets full, or in some browsers when this page was not visited for long.'
}

const SAID: Record<Asked, string> = {
  'not yet': '',
  asking: '',
  kept: '',
  refused:
    'It was asked and did not agree. Browsers often agree later: once this page is bookmarked, installed, or used more. Exporting is safe in any case.',
  unknown: 'It could not be asked.',
}

const SessionsAsFiles = () => {
  const { sessionFiles, list, layout } = useApp()
  const { pick, input } = useFilePicker()
  const isBusy = sessionFiles.isBusy.value
  const listing = list.listing.value
  const exportAll = () => {
    layout.showSettings(false) // how it goes is told on the page
    void sessionFiles.exportAll()
  }
  const isEmpty = listing.kind === 'loaded' && listing.sessions.length === 0
  return (
    <div class="storage__files">
      <span class="row">
        <button type="button" class="button" disabled={isBusy || isEmpty} onClick={exportAll}>
          <SaveIcon /> Export all sessions
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={pick}>
          <OpenIcon /> Import sessions
        </button>
        {input}
      </span>
      <p class="hint">An export holds everything that was said and all files, but never settings or keys.</p>
    </div>
  )
}
