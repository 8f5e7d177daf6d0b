/**
 * Everything that takes too long for a change, one work after the other, each with a fresh seed that is printed:
 *
 *   npm run nightly [-- --seed 7] [--only simulator,soak] [--short]
 *
 * What each of them found is written into docs/nightly.json, from which `npm run docs` writes the page of figures. `--short`
 * takes half or less of those that can be cut, and all of the others. A work that fails is in the file as failed, and the exit code is 1.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  heedsSeed,
  heedsShort,
  type Night,
  type NightlyWork,
  nightlyWorks,
} from './nightlyWorks.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${1 + Math.floor(Math.random() * 1_000_000)}` },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..')
const file = join(root, 'docs/nightly.json')
const wanted = values.only?.split(',') ?? nightlyWorks.map(({ name }) => name)
const unknown = wanted.filter((name) => nightlyWorks.every((work) => work.name !== name))
if (unknown.length > 0)
  throw new Error(
    `no work is called ${unknown}: ${nightlyWorks.map(({ name }) => name).join(', ')}`,
  )

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
  cwd: root,
  encoding: 'utf8',
})
let hasFailed = false
for (const work of nightlyWorks.filter(({ name }) => wanted.includes(name))) {
  const night = runWork(work)
  hasFailed ||= !night.passed
  console.log(`${work.name}: ${JSON.stringify(night)}`)
  // Written after each: a night that is cut off keeps what it has.
  const nights = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  writeFileSync(file, `${JSON.stringify({ ...nights, [work.name]: night }, undefined, 2)}\n`)
}
process.exitCode = hasFailed ? 1 : 0

function runWork(work: NightlyWork): Night {
  const { script, args, environment, figures } = work
  const { seed, short } = values
  const given = args({ seed, short })
  console.log(`npm run ${script} -- ${given.join(' ')}, seed ${seed}`)
  const { status, stdout } = spawnSync('npm', ['run', '--silent', script, '--', ...given], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'inherit'] },
    env: { ...process.env, NO_COLOR: '1', ...environment({ seed, short }) },
  })
  const found = readFigures(() => figures(stdout))
  return {
    // What ends well and says nothing has run nothing.
    passed: status === 0 && Object.keys(found).length > 0,
    ...{ commit: commit.trim(), on: new Date().toISOString().slice(0, 10) },
    ...(heedsSeed(work) ? { seed: Number(seed) } : {}),
    ...{ isShort: short && heedsShort(work), figures: found },
  }
}

/** None where they cannot be read: the work counts as failed then, and the night goes on. */
function readFigures(read: () => Night['figures']): Night['figures'] {
  try {
    return read()
  } catch (error) {
    console.error(error)
    return {}
  }
}
