#!/usr/bin/env node
import module from 'node:module'

module.enableCompileCache?.()

const { runProcess } = await import('./cli/runProcess.ts')
await runProcess()
