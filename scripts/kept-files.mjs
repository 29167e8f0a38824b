// Which files of the served application a browser may keep: those with a hash of their content in their name never change.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A year, which is for ever. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** @returns {import('vite').Plugin} */
export const keptFiles = () => ({
  name: 'kept-files',
  configurePreviewServer(server) {
    const { root, build } = server.config
    const folder = join(root, build.outDir)
    server.middlewares.use((request, response, next) => {
      const [path = ''] = (request.url ?? '').split(/[?#]/)
      // That a file is missing must not be kept: in the middle of a deployment it is there a moment later.
      if (/^\/assets\/\w[\w.-]*$/.test(path) && existsSync(join(folder, path))) response.setHeader('Cache-Control', FOR_EVER)
      next()
    })
  },
})
