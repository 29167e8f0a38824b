// What the demo model offers to do, as plain data: titles for people, prompts that its rules understand.

export type DemoTask = {
  readonly title: string
  readonly prompt: string
  /** A name for the page to find a picture for. */
  readonly icon: 'calculator' | 'pencil' | 'bug' | 'files'
}

export const DEMO_TASKS: readonly DemoTask[] = [
  {
    title: 'Compute something',
    prompt: 'Compute the first 20 prime numbers in JavaScript, and their sum.',
    icon: 'calculator',
  },
  {
    title: 'Write a file, then change it',
    prompt: 'Write a packing list for a weekend hike to hike.md, then add a rain jacket to it.',
    icon: 'pencil',
  },
  {
    title: 'Fix a program',
    prompt: 'Write a small program that works out an average, run it, and fix its error.',
    icon: 'bug',
  },
  {
    title: 'Count words in files',
    prompt: 'Write three short texts into files and count the words over all of them.',
    icon: 'files',
  },
]
