// The vendors whose cases the runner can judge: a line each.
import { anthropicVendor } from './vendors/anthropic.ts'
import { geminiVendor } from './vendors/gemini.ts'
import { ollamaChatVendor } from './vendors/ollama-chat.ts'
import { openaiChatVendor } from './vendors/openai-chat.ts'
import { openaiResponsesVendor } from './vendors/openai-responses.ts'
import type { Vendor } from './vendors/vendor.ts'

export const VENDORS: readonly Vendor[] = [anthropicVendor, geminiVendor, ollamaChatVendor, openaiChatVendor, openaiResponsesVendor]

/** What may come with an `api` that is not in the list: its cases are not built yet. */
export const STREAM_APIS: readonly string[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama-chat']
const OTHER_PROVIDERS = ['anthropic', 'google', 'ollama', 'prompt-api']

export const vendorOf = (api: string): Vendor | undefined => VENDORS.find((vendor) => vendor.api === api)

/** A provider that nobody knows by name speaks OpenAI chat. */
export const vendorOfProvider = (provider: string): Vendor | undefined => {
  const known = VENDORS.find((vendor) => vendor.api === provider || vendor.providers.includes(provider))
  return known ?? (STREAM_APIS.includes(provider) || OTHER_PROVIDERS.includes(provider) ? undefined : vendorOf('openai-chat'))
}
