// Hands the page's state to its components.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { App } from '../state/app-state.ts'

const AppContext = createContext<App | undefined>(undefined)
export const AppProvider = AppContext.Provider

export const useApp = (): App => {
  const app = useContext(AppContext)
  if (app === undefined) throw new Error('A component of the application stands outside of AppProvider.')
  return app
}
