import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { shippedTape } from '../src/tape/shippedTape.ts'
import { generateTape } from '../src/tape/synthetic/generateTape.ts'
import { shippedSettings } from '../src/tape/synthetic/parseSynthetic.ts'
import { textOf } from '../src/tape/tapeLine.ts'

// node scripts/shippedTape.ts: writes the synthetic tape that ships with the project. A test compares its lines.
const lines = Array.from(generateTape(shippedSettings), textOf)
const file = shippedTape()
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, gzipSync(lines.join(''), { level: 9 }))
console.log(`${file}: ${lines.length} lines`)
