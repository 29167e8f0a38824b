// Four things to try, each of which the built-in demo model does with real tools.

export type SuggestedTask = { readonly title: string; readonly detail: string; readonly prompt: string }

export const suggestedTasks: readonly SuggestedTask[] = [
  {
    title: 'Compute something',
    detail: 'Runs JavaScript in a sandbox',
    prompt: 'Compute the first 20 prime numbers in JavaScript and add them up',
  },
  {
    title: 'Write a file, then change it',
    detail: 'Writes, reads and edits',
    prompt: 'Write a haiku about tides to haiku.md, then change its last line',
  },
  {
    title: 'Fix a program',
    detail: 'Writes code, runs it, repairs it',
    prompt: 'Write a small program that averages some numbers, run it, and fix its error',
  },
  {
    title: 'Count words over files',
    detail: 'Works on several files at once',
    prompt: 'Write three short text files and count the words over all of them',
  },
]
