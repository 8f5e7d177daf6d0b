import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }

// node scripts/build.ts [folder]: builds the release, which runs on Node alone, from any folder.
const root = join(import.meta.dirname, '..')
const dist = resolve(process.argv[2] ?? join(root, 'dist'))

/** The embedded market lives on development dependencies, which a release does not have: it says so instead. */
const withoutSandbox: Plugin = {
  name: 'without-sandbox',
  setup({ onResolve, onLoad }) {
    // These files of src/cli, each imported only when it is called, are all that reach into src/sandbox.
    onResolve(
      { filter: /^(?:\.\/(?:demo|sandbox|drill)|\.\.\/app\/maker\/openSandboxed)\.ts$/ },
      ({ path, importer }) =>
        importer.startsWith(join(root, 'src/cli/')) ? { path, namespace: 'absent' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      resolveDir: join(root, 'src/cli'),
      contents: `
        import { ballastError } from '../core/errors.ts'
        throw ballastError(
          'SANDBOX_MISSING',
          'The embedded market is not part of a release: run it from the repository, after npm install.',
        )
        export const command = undefined
        export const openSandboxed = undefined`,
    }))
  },
}

rmSync(dist, { recursive: true, force: true })

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { ballast: 'src/main.ts', strategy: 'src/bot/strategy/index.ts' },
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'lib/[name]-[hash]',
  bundle: true,
  // One copy of everything for the commands, which load when called, and for the strategies.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Not minified: whoever audits a release reads it.
  keepNames: true,
  legalComments: 'linked',
  metafile: true,
  plugins: [withoutSandbox],
  // Found beside the release when wallet.signer needs one; said in one sentence when it is not there.
  external: Object.keys(packageJson.peerDependencies),
  // Packages in CommonJS call require for Node's own modules, and look for their files beside themselves: in lib/.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url); const __dirname = import.meta.dirname;",
  },
})

const stray = Object.keys(metafile.inputs).filter((file) => file.startsWith('src/sandbox/'))
if (stray.length > 0) throw new Error(`The release contains the sandbox: ${stray.join(', ')}`)

// Strategies stay the TypeScript files they are, so that whoever runs a release can read and change them.
mkdirSync(join(dist, 'strategies'))
for (const file of globSync('strategies/*.ts', { cwd: root }))
  copyFileSync(join(root, file), join(dist, 'strategies', basename(file)))

// What `ballast replay` runs over when it is given no tape.
mkdirSync(join(dist, 'docs/tapes'), { recursive: true })
for (const file of globSync('docs/tapes/*.jsonl.gz', { cwd: root }))
  copyFileSync(join(root, file), join(dist, 'docs/tapes', basename(file)))

// The page of `/docs` is files: Swagger UI asks for them as ../static, and for its logo as ./static, seen from lib/.
const swaggerUi = join(root, 'node_modules/@fastify/swagger-ui/static')
const page = [
  /^index\.(?:css|html)$/,
  /^swagger-ui(?:-bundle|-standalone-preset)?\.(?:css|js)$/,
  /^favicon/,
]
mkdirSync(join(dist, 'static'))
mkdirSync(join(dist, 'lib/static'))
for (const file of globSync('*', { cwd: swaggerUi }))
  if (page.some((pattern) => pattern.test(file)))
    copyFileSync(join(swaggerUi, file), join(dist, 'static', file))
copyFileSync(join(swaggerUi, 'logo.svg'), join(dist, 'lib/static/logo.svg'))

// Makes dist the package that `#strategy` of those files belongs to.
const { name, version, license, engines, peerDependencies, peerDependenciesMeta } = packageJson
const released = {
  ...{ name, version, private: true, license, type: 'module', engines: { node: engines.node } },
  bin: { ballast: './ballast.mjs' },
  imports: { '#strategy': './strategy.mjs' },
  peerDependencies,
  peerDependenciesMeta,
}
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(released, undefined, 2)}\n`)

// Every package whose code may be in the release, with its hash and licence. npm's own `--omit=dev` also leaves out what
// a development package needs as well, zod among it.
const listing = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
const materials = JSON.parse(execFileSync('npm', listing, { cwd: root, encoding: 'utf8' })) as {
  components: { 'bom-ref': string; properties?: { name: string }[] }[]
  dependencies: { ref: string }[]
}
const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { name?: string; version?: string; dev?: boolean }>
}
const needed = new Set(
  Object.entries(locked.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(
      ([path, { name, version }]) => `${name ?? path.replace(/.*node_modules\//, '')}@${version}`,
    ),
)
// npm lists a package once: where a development package brings the same version along, by that place, which is left out.
const components = materials.components
  .filter((one) => needed.has(one['bom-ref']))
  .map(({ properties = [], ...one }) =>
    properties.some(({ name }) => name.endsWith(':development')) ? one : { ...one, properties },
  )
const refs = new Set(components.map((one) => one['bom-ref']))
const dependencies = materials.dependencies.filter(({ ref }) => refs.has(ref))
const bill = { ...materials, components, dependencies }
writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`)

const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0)
console.log(
  `${dist}: ${Object.keys(metafile.outputs).length} files, ${Math.round(bytes / 1_024)} KiB`,
)
