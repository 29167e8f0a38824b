// The vendors whose cases the runner can judge: a line each.
import { anthropicVendor } from './vendors/anthropic.ts'
import { geminiVendor } from './vendors/gemini.ts'
import { ollamaChatVendor } from './vendors/ollama-chat.ts'
import { openaiChatVendor } from './vendors/openai-chat.ts'
import { openaiResponsesVendor } from './vendors/openai-responses.ts'
import type { Vendor } from './vendors/vendor.ts'

export const VENDORS: readonly Vendor[] = [anthropicVendor, geminiVendor, ollamaChatVendor, openaiChatVendor, openaiResponsesVendor]

export const vendorOf = (api: string): Vendor | undefined => VENDORS.find((vendor) => vendor.api === api)

/** A provider that nobody knows by name speaks OpenAI chat. */
export const vendorOfProvider = (provider: string): Vendor =>
  VENDORS.find((vendor) => vendor.api === provider || vendor.providers.includes(provider)) ?? openaiChatVendor
