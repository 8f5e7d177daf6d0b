#!/usr/bin/env -S node --disable-sigusr1
import module from 'node:module'

// Node answers SIGUSR1 with its inspector, which hands this process and its key to any party that connects. A listener
// takes the signal away from it; `--disable-sigusr1` covers the moment before this line.
process.on('SIGUSR1', () => {})

module.enableCompileCache?.()

const { runProcess } = await import('./cli/runProcess.ts')
await runProcess()
