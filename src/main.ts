#!/usr/bin/env -S node --disable-sigusr1
import module from 'node:module'

// Node answers SIGUSR1 with its inspector, which hands this process and its key to any party that connects. A listener
// takes the signal away from it; `--disable-sigusr1` covers the moment before this line.
process.on('SIGUSR1', () => {})

/** `engines` of package.json. Under an older Node, failures end with a stack trace instead of their sentence. */
const nodeLeast = 24
if (Number.parseInt(process.versions.node, 10) < nodeLeast) {
  process.stderr.write(
    `ballast: Node ${process.versions.node} is too old. Install Node ${nodeLeast} or newer, from nodejs.org or your system.\n`,
  )
  process.exit(2)
}

module.enableCompileCache?.()

const { runProcess } = await import('./cli/runProcess.ts')
await runProcess()
