import { createRequire, registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'
import { pathToFileURL } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { ballastError } from '../core/errors.ts'

/**
 * A file of the embedded market out of its own package, which lies beside a release or in it. The build of a release
 * puts a call of this in the place of each file that reaches into `src/sandbox`.
 */
export async function demoPackage(part: string): Promise<unknown> {
  const { name, version } = packageJson
  if (isSea())
    throw ballastError(
      'SANDBOX_MISSING',
      `The embedded market is a package of its own, which the executable cannot use: npm install -g ${name}@${version} ballast-demo@${version}, and run that ballast.`,
    )
  const market = findMarket()
  if (market === undefined)
    throw ballastError(
      'SANDBOX_MISSING',
      `The embedded market is a package of its own: npm install -g ballast-demo@${version}, or without -g where this program is not installed globally.`,
    )
  if (market.version !== version)
    throw ballastError(
      'SANDBOX_MISSING',
      `ballast-demo ${market.version} is not for ${name} ${version}: npm install -g ballast-demo@${version}, or without -g where this program is not installed globally.`,
    )
  shareCode()
  return import(pathToFileURL(join(market.folder, 'lib', `${part}.mjs`)).href)
}

function findMarket(): { readonly folder: string; readonly version: string } | undefined {
  const require = createRequire(import.meta.url)
  try {
    const file = require.resolve('ballast-demo/package.json')
    return { folder: dirname(file), version: (require(file) as { version: string }).version }
  } catch {
    // Not installed. What it needs itself is found, or missed in its own words, when it starts.
    return undefined
  }
}

let shared = false

/** The market runs on the code of this release: a second copy would not recognise its errors. */
function shareCode(): void {
  if (shared) return
  shared = true
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('ballast:')
        ? {
            url: new URL(`./${specifier.slice('ballast:'.length)}`, import.meta.url).href,
            shortCircuit: true,
          }
        : next(specifier, context),
  })
}
