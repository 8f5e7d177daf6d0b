/**
 * Ends with a sentence unless npm is the one that package.json pins: `npm run lock`, `npm run build` and `npm run release` do.
 * Another npm leaves out other hashes, and lists the packages of a release in another way. Installing works with any.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  packageManager: string
}
const used = `npm@${execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim()}`
if (used !== packageManager) {
  console.error(
    `This is ${used}, and package.json pins ${packageManager}: run npx ${packageManager} run ${process.env.npm_lifecycle_event ?? 'lock'}.`,
  )
  process.exitCode = 1
}
