// What an application with an agent tells Vite: workers are modules, and packages that bring workers stay files of their own.
import { defineConfig } from 'vite'

export default defineConfig({
  base: './',
  build: { target: 'es2022' },
  worker: { format: 'es' },
  optimizeDeps: { exclude: ['sideloop', '@jitl/quickjs-wasmfile-release-sync'] },
})
