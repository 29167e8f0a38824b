// Whether there is a graphics processor to compute with. Many models come in 16-bit numbers, which not each of them can read.

/** `half`: WebGPU with 16-bit numbers, `single`: without, `none`: WebAssembly computes alone. */
export type Gpu = 'none' | 'single' | 'half'

export const gpuHere = async (): Promise<Gpu> => {
  // A browser may offer WebGPU and have nothing behind it.
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null)
  if (!adapter) return 'none'
  return adapter.features.has('shader-f16') ? 'half' : 'single'
}
