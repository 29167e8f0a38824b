// The page's icons: strokes on a 16 by 16 grid, in the colour of the text beside them.
import type { ComponentChildren } from 'preact'

const Icon = (props: { readonly children: ComponentChildren }) => (
  <svg
    class="icon"
    viewBox="0 0 16 16"
    width="16"
    height="16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {props.children}
  </svg>
)
const drawn = (path: string) => () => (
  <Icon>
    <path d={path} />
  </Icon>
)

export const PlusIcon = drawn('M8 3v10M3 8h10')
export const CloseIcon = drawn('m4 4 8 8m0-8-8 8')
export const CheckIcon = drawn('m3 8.5 3.2 3.2L13 5')
export const MenuIcon = drawn('M2.5 4.5h11M2.5 8h11M2.5 11.5h7')
export const PencilIcon = drawn('m3 13 .6-2.8L10.8 3a1.4 1.4 0 0 1 2 2l-7.2 7.3L3 13Z')
export const TrashIcon = drawn('M3 4.5h10M6.5 4.3V3h3v1.3M4.5 4.5l.5 8.5h6l.5-8.5M6.8 7v3.5M9.2 7v3.5')
export const CopyIcon = drawn('M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z')
export const SendIcon = drawn('M8 13V3M3.8 7.2 8 3l4.2 4.2')
export const DownIcon = drawn('M8 3v10m4.2-4.2L8 13 3.8 8.8')
export const ChevronIcon = drawn('m6 4 4 4-4 4')
export const FileIcon = drawn('M9.2 2.5H4v11h8V5.3L9.2 2.5Zm0 0v2.8H12')
export const FolderIcon = drawn('M2.5 4h4l1.4 1.7h5.6V13h-11V4Z')
export const CodeIcon = drawn('m5.5 5-3 3 3 3m5-6 3 3-3 3')
export const TerminalIcon = drawn('m3 4.5 3.5 3.5L3 11.5m5 .5h5')
export const ToolIcon = drawn(
  'M10.2 2.8a3.2 3.2 0 0 0-3.9 4.3L2.6 10.8v2.6h2.6L8.9 9.7a3.2 3.2 0 0 0 4.3-3.9L11.3 7.7 8.9 7.1l-.6-2.4 1.9-1.9Z',
)
export const GearIcon = drawn(
  'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.8v1.7m0 9v1.7M1.8 8h1.7m9 0h1.7M3.6 3.6l1.2 1.2m6.4 6.4 1.2 1.2m0-8.8-1.2 1.2M4.8 11.2l-1.2 1.2',
)
export const SlidersIcon = drawn(
  'M2.5 4.5h6m3 0h2M2.5 11.5h2m3 0h6M8.5 4.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0ZM4.5 11.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0Z',
)
export const SunIcon = drawn(
  'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.8v1m0 10.4v1M1.8 8h1m10.4 0h1M3.6 3.6l.7.7m7.4 7.4.7.7m0-8.8-.7.7m-7.4 7.4-.7.7',
)
export const MoonIcon = drawn('M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6Z')
export const SystemIcon = drawn('M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5')
export const WarningIcon = drawn('M8 2.5 14 13H2L8 2.5ZM8 6.7v3m0 1.6v.1')
export const QuestionIcon = drawn('M2.5 3h11v8H8l-3 2.5V11H2.5V3ZM6.7 5.9a1.4 1.4 0 1 1 1.9 1.3c-.4.2-.6.4-.6.8m0 1.2v.1')
export const SteerIcon = drawn('M3 13V9.5A2.5 2.5 0 0 1 5.5 7H13m-3.2-3.2L13 7l-3.2 3.2')

export const SearchIcon = drawn('M7.2 11.4a4.2 4.2 0 1 0 0-8.4 4.2 4.2 0 0 0 0 8.4Zm3-1.2L13.5 13.5')
export const ForkIcon = drawn(
  'M4.5 5.6a1.4 1.4 0 1 0 0-2.8 1.4 1.4 0 0 0 0 2.8Zm0 0v4.8m0 0a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.8Zm7-4.8a1.4 1.4 0 1 0 0-2.8 1.4 1.4 0 0 0 0 2.8Zm0 0c0 2.4-1.5 3.2-7 3.4',
)
export const UndoIcon = drawn('M5.5 3 2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H6')
export const SaveIcon = drawn('M8 2.5v7m-3-2.8 3 2.8 3-2.8M3 12.8h10')
export const OpenIcon = drawn('M8 9.7v-7M5 5.3l3-2.8 3 2.8M3 12.8h10')
export const SumUpIcon = drawn('M3 4h10M3 7h10M3 10h5m5-.5-2 2 2 2')
export const TabsIcon = drawn('M2.5 5.5h7v7h-7zM6.5 5.5v-2h7v7h-4')

export const MoreIcon = () => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
    <circle cx="3.5" cy="8" r="1.3" />
    <circle cx="8" cy="8" r="1.3" />
    <circle cx="12.5" cy="8" r="1.3" />
  </svg>
)

export const StopIcon = () => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
    <rect x="4" y="4" width="8" height="8" rx="1.5" />
  </svg>
)

/** Three dots that breathe: something is going on. */
export const Dots = () => (
  <span class="dots" aria-hidden="true">
    <i />
    <i />
    <i />
  </span>
)
