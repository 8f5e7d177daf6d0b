import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { compile, type Files } from './compile.ts'
import { materials } from './materials.ts'
import { shipped, swaggerPage } from './shipped.ts'
import { strategyTypes, typesOf } from './strategyTypes.ts'

const { version, license, engines, devDependencies, peerDependencies, peerDependenciesMeta } =
  packageJson
/** The chain, and contracts that must not be compiled again. */
const ofMarket = new Set([
  '@foundry-rs/anvil',
  '@uniswap/v2-core',
  '@uniswap/v3-core',
  '@uniswap/v3-periphery',
])

const marketName = 'ballast-demo'

const about = { version, license, type: 'module', engines: { node: engines.node } }

/** Builds the release, which runs on Node alone from any folder, and the package of the embedded market if it has a place. */
export async function writePackages(release: string, marketFolder?: string): Promise<void> {
  for (const folder of [release, marketFolder]) assertReplaceable(folder)
  const { program, market } = await compile()
  write(release, [
    program,
    // Strategies stay the TypeScript files they are, so that whoever runs a release can read and change them.
    shipped('strategies/*.ts', 'strategies/'),
    // What `ballast new strategy` copies.
    shipped('strategies/template/*', 'strategies/template/'),
    strategyTypes(),
    // What `ballast replay` runs over when it is given no tape.
    shipped('docs/tapes/*.jsonl.gz', 'docs/tapes/'),
    swaggerPage(),
    shipped('LICENSE', ''),
    new Map([['sbom.cdx.json', Buffer.from(materials())]]),
    // Makes the folder the package that `#strategy` of the strategies belongs to.
    manifest({
      name: packageJson.name,
      description: packageJson.description,
      ...about,
      bin: { ballast: './ballast.mjs', 'ballast-bot': './ballast.mjs' },
      imports: { '#strategy': './strategy.mjs' },
      // For strategies in a folder of their own, whose tests and editor find them here.
      exports: {
        './strategy': { types: typesOf('./strategy'), default: './strategy.mjs' },
        './strategy/testing': {
          types: typesOf('./strategy/testing'),
          default: './strategy-testing.mjs',
        },
      },
      peerDependencies,
      peerDependenciesMeta,
    }),
  ])
  chmodSync(join(release, 'ballast.mjs'), 0o755)

  if (marketFolder !== undefined)
    write(marketFolder, [
      market,
      shipped('src/sandbox/*.yaml', 'src/sandbox/'),
      shipped('contracts/artifacts/*.json', 'contracts/artifacts/'),
      shipped('LICENSE', ''),
      manifest({
        name: marketName,
        description: 'The embedded market of ballast-bot: ballast demo, sandbox and drill.',
        ...about,
        dependencies: Object.fromEntries(
          Object.entries(devDependencies).filter(([name]) => ofMarket.has(name)),
        ),
        peerDependencies: { [packageJson.name]: version },
        // A release that is only a folder is not installed as a package.
        peerDependenciesMeta: { [packageJson.name]: { optional: true } },
      }),
    ])
}

function manifest(content: object): Files {
  return new Map([['package.json', Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`)]])
}

/** Refuses a folder with anything but a release in it: a wrong path must not cost a journal. */
function assertReplaceable(folder: string | undefined): void {
  if (folder === undefined || !existsSync(folder) || readdirSync(folder).length === 0) return
  const file = join(folder, 'package.json')
  const name: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).name : undefined
  if (name !== packageJson.name && name !== marketName)
    throw new Error(`${folder} has files that are no release: name an empty folder.`)
}

function write(folder: string, parts: readonly Files[]): void {
  // What its operator has installed beside a release stays: the client of a KMS.
  const old = existsSync(folder) ? readdirSync(folder) : []
  for (const name of old)
    if (name !== 'node_modules') rmSync(join(folder, name), { recursive: true, force: true })
  const files = new Map(parts.flatMap((part) => [...part]))
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  console.log(`${folder}: ${files.size} files, ${Math.round(bytes / 1_024)} KiB`)
}
