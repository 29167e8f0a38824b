// Four things to try, each of which the built-in demo model does with real tools. A test holds them to what its rules understand.

export type SuggestedTask = { readonly title: string; readonly detail: string; readonly prompt: string }

export const suggestedTasks: readonly SuggestedTask[] = [
  {
    title: 'Compute something',
    detail: 'Runs JavaScript in a sandbox',
    prompt: 'Compute the first 20 prime numbers in JavaScript, and their sum.',
  },
  {
    title: 'Write a file, then change it',
    detail: 'Writes, reads and edits',
    prompt: 'Write a packing list for a weekend hike to hike.md, then add a rain jacket to it.',
  },
  {
    title: 'Fix a program',
    detail: 'Writes code, runs it, repairs it',
    prompt: 'Write a small program that works out an average, run it, and fix its error.',
  },
  {
    title: 'Count words in files',
    detail: 'Works on several files at once',
    prompt: 'Write three short texts into files and count the words over all of them.',
  },
]
