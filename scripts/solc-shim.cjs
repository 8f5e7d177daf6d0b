#!/usr/bin/env node
// Lets forge use the pinned npm solc: it asks a compiler binary for `--version` and pipes `--standard-json`.
const { readFileSync } = require('node:fs')
const solc = require('solc')

if (process.argv.includes('--version')) {
  process.stdout.write(
    `solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`,
  )
} else if (process.argv.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('solc-shim knows only --version and --standard-json\n')
  process.exitCode = 1
}
