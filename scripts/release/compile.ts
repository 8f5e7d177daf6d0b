import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import packageJson from '../../package.json' with { type: 'json' }
import { withoutTypes } from '../../src/bot/strategy/withoutTypes.ts'

export const root = join(import.meta.dirname, '../..')

/** Compiled files by their path in a package. */
export type Files = ReadonlyMap<string, Uint8Array>

/** What reaches into the embedded market, and is compiled into its own package. Each is imported only when called. */
const market = {
  demo: 'src/cli/demo.ts',
  sandbox: 'src/cli/sandbox.ts',
  drill: 'src/cli/drill.ts',
  openSandboxed: 'src/app/maker/openSandboxed.ts',
}

const inMarket = /(?:\/demo|\/sandbox|\/drill|\/app\/maker\/openSandboxed)\.ts$/

/** Where the program imports a part of the market it looks for the package of it instead. */
const marketApart: Plugin = {
  name: 'market-apart',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: inMarket }, ({ path, importer }) =>
      importer.startsWith(join(root, 'src/cli/')) ? { path, namespace: 'apart' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'apart' }, ({ path }) => ({
      resolveDir: join(root, 'src/cli'),
      contents: `
        import { demoPackage } from './demoPackage.ts'
        export const { command, openSandboxed } = await demoPackage('${posix.basename(path, '.ts')}')`,
    }))
  },
}

/** Named where it is built without a repository, as in an image: `BALLAST_COMMIT`. */
function commitOf(): string {
  if (process.env.BALLAST_COMMIT !== undefined) return process.env.BALLAST_COMMIT
  try {
    const command = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
    return execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim()
  } catch {
    // No git or no repository: `ballast version` says that the commit is unknown.
    return ''
  }
}

/** The strategies of the release without their types, by the SHA-256 of their files. */
const strategies = () =>
  Object.fromEntries(
    globSync('strategies/*.ts', { cwd: root })
      .sort()
      .map((file) => {
        const text = readFileSync(join(root, file), 'utf8')
        return [createHash('sha256').update(text).digest('hex'), withoutTypes(text)]
      }),
  )

/** The same for every form of the release. */
const compiling = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  // Not minified: whoever audits a release reads it.
  keepNames: true,
  // The same names of files and bytes where node_modules is a link to another folder.
  preserveSymlinks: true,
  metafile: true,
  write: false,
  define: {
    BALLAST_COMMIT: JSON.stringify(commitOf()),
    SHIPPED_STRATEGIES: JSON.stringify(strategies()),
  },
  // Found beside the release when wallet.signer needs one; said in one sentence when it is not there.
  external: Object.keys(packageJson.peerDependencies),
} as const

/** Compiles what an executable starts with, which Node wants as one file in CommonJS. It learns the name of its files. */
export async function compileStart(filesHash: string): Promise<string> {
  const { outputFiles } = await build({
    ...compiling,
    entryPoints: ['src/executable/main.ts'],
    format: 'cjs',
    define: { BALLAST_FILES: JSON.stringify(filesHash) },
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** Compiles the program and the embedded market, which is a package of its own and imports the code of the program. */
export async function compile(): Promise<{ readonly program: Files; readonly market: Files }> {
  const { metafile, outputFiles } = await build({
    ...compiling,
    entryPoints: {
      ballast: 'src/main.ts',
      strategy: 'src/bot/strategy/index.ts',
      'strategy-testing': 'src/bot/strategy/testing.ts',
      ...Object.fromEntries(Object.entries(market).map(([name, file]) => [`lib/${name}`, file])),
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'lib/[name]-[hash]',
    // One copy of everything for the commands, which load when called, for the strategies and for the market.
    splitting: true,
    format: 'esm',
    legalComments: 'linked',
    plugins: [marketApart],
    // Packages in CommonJS call require for Node's own modules, and look for their files beside themselves: in lib/.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url); const __dirname = import.meta.dirname;",
    },
  })
  const ofProgram = reached(metafile, [
    ...['dist/ballast.mjs', 'dist/strategy.mjs', 'dist/strategy-testing.mjs'],
  ])
  const ofMarket = reached(
    metafile,
    Object.keys(market).map((name) => `dist/lib/${name}.mjs`),
  )
  assertApart(metafile, ofProgram)
  const files = outputFiles.map(({ path, contents, text }) => {
    const output = posix.relative(root, path)
    return {
      path: posix.relative('dist', output),
      of: output.replace('.LEGAL.txt', ''),
      contents,
      text,
    }
  })
  return {
    program: new Map(
      files.filter(({ of }) => ofProgram.has(of)).map(({ path, contents }) => [path, contents]),
    ),
    market: new Map(
      files
        .filter(({ of }) => ofMarket.has(of) && !ofProgram.has(of))
        .map(({ path, of, text }) => [
          path,
          Buffer.from(calling(text, ofProgram, { metafile, output: of })),
        ]),
    ),
  }
}

/** The files that these import, however many lie between. */
function reached({ outputs }: Metafile, entries: readonly string[]): ReadonlySet<string> {
  const found = new Set(entries)
  for (const output of found)
    for (const { path, external } of outputs[output]?.imports ?? []) if (!external) found.add(path)
  return found
}

function assertApart({ outputs }: Metafile, ofProgram: ReadonlySet<string>): void {
  const stray = [...ofProgram]
    .flatMap((output) => Object.keys(outputs[output]?.inputs ?? {}))
    .filter((file) => file.startsWith('src/sandbox/'))
  if (stray.length > 0) throw new Error(`The release contains the sandbox: ${stray.join(', ')}`)
}

/** What the market imports of the program it asks for by name: `src/cli/demoPackage.ts` knows where that is. */
function calling(
  text: string,
  ofProgram: ReadonlySet<string>,
  { metafile, output }: { metafile: Metafile; output: string },
): string {
  return (metafile.outputs[output]?.imports ?? [])
    .filter(({ path }) => ofProgram.has(path))
    .reduce(
      (said, { path }) =>
        said.replaceAll(
          `"./${posix.relative(posix.dirname(output), path)}"`,
          `"ballast:${posix.relative('dist/lib', path)}"`,
        ),
      text,
    )
}
