#!/usr/bin/env node
// Lets forge use the pinned npm solc: it asks a compiler binary for `--version` and pipes `--standard-json`.
const { readFileSync } = require('node:fs')
const { version } = require('solc/package.json')

if (process.argv.includes('--version')) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`)
} else if (process.argv.includes('--standard-json')) {
  // Loaded here: it takes a second, and forge asks for the version each time it starts.
  process.stdout.write(require('solc').compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('solc-shim knows only --version and --standard-json\n')
  process.exitCode = 1
}
