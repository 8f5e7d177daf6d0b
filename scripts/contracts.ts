/**
 * Compiles contracts/src and writes the committed artifacts, so that nobody needs a compiler to run the project.
 *
 *   node scripts/contracts.ts            write contracts/artifacts/*.json and contracts/abi/*.ts
 *   node scripts/contracts.ts --check    exit 1 when a committed file differs from what the sources give
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One entry of a contract's ABI, as the compiler writes it. */
export type AbiItem = { type: string; name?: string; inputs?: readonly unknown[] }

/** A committed build result. `sourceHash` covers every source and the compiler settings. */
export type Artifact = {
  contractName: string
  abi: readonly AbiItem[]
  bytecode: string
  deployedBytecode: string
  sourceHash: string
}

type CompilerOutput = {
  errors?: readonly { severity: string; formattedMessage: string }[]
  contracts?: Record<
    string,
    Record<
      string,
      {
        abi: readonly AbiItem[]
        evm: { bytecode: { object: string }; deployedBytecode: { object: string } }
      }
    >
  >
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const sourceFolder = join(root, 'contracts/src')

/** What is deployed: interfaces, libraries and abstract contracts are compiled into these. */
const published = [
  'SwapRouter',
  'AmmExecutor',
  'ScenarioProbe',
  'Token',
  'WrappedNative',
  'NoReturnToken',
  'FeeOnTransferToken',
  'FalseReturnToken',
  'ReentrantToken',
  'BlocklistToken',
  'PriceFeed',
  'MoodyToken',
  'GasPriceOracle',
  'ArbSys',
  'NodeInterface',
  'RoundingToken',
  'VotesToken',
  'MeasuringRouter',
  'PermitToken',
  'MoodyPermitToken',
]

/** The settings of contracts/foundry.toml. Without metadata the bytecode depends on nothing but the code. */
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}

/** Compiles the sources; throws with the compiler's words when they do not compile. */
export function compile(): Artifact[] {
  // Loaded here because it takes a moment, and whoever only reads artifacts does not need it.
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const sources = Object.fromEntries(
    sourceFiles().map((path) => [
      path,
      { content: readFileSync(join(sourceFolder, path), 'utf8') },
    ]),
  )
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const output = JSON.parse(solc.compile(input)) as CompilerOutput
  const complaints = (output.errors ?? []).map((error) => error.formattedMessage)
  if (complaints.length > 0) throw new Error(complaints.join('\n'))

  const sourceHash = createHash('sha256').update(input).digest('hex')
  const contracts = Object.assign({}, ...Object.values(output.contracts ?? {})) as NonNullable<
    CompilerOutput['contracts']
  >[string]
  return published.map((contractName) => {
    const contract = contracts[contractName]
    if (contract === undefined) throw new Error(`contracts/src has no contract ${contractName}.`)
    return {
      contractName,
      abi: contract.abi,
      bytecode: `0x${contract.evm.bytecode.object}`,
      deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
      sourceHash,
    }
  })
}

/** Every generated file by its path from the project's root, with the content it must have. */
export function generate(): Map<string, string> {
  const artifacts = compile()
  const files = new Map(
    artifacts.map((artifact) => [
      `contracts/artifacts/${artifact.contractName}.json`,
      `${JSON.stringify(artifact, null, 2)}\n`,
    ]),
  )
  return files
    .set('contracts/abi/swapRouter.ts', routerAbiModule(artifacts))
    .set('contracts/abi/scenarioProbe.ts', probeModule(artifacts))
}

/** The generated files that are missing or differ from what the sources give. */
export function stale(): string[] {
  return [...generate()]
    .filter(([path, content]) => {
      const file = join(root, path)
      return !existsSync(file) || readFileSync(file, 'utf8') !== content
    })
    .map(([path]) => path)
}

function sourceFiles(): string[] {
  return readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sol'))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
}

/** An error of the executor passes through the router unchanged, so the router's ABI names those as well. */
function routerAbiModule(artifacts: readonly Artifact[]): string {
  const abiOf = (name: string) => artifacts.find((one) => one.contractName === name)?.abi ?? []
  const router = abiOf('SwapRouter')
  const names = new Set(router.map((item) => item.name))
  const passedThrough = abiOf('AmmExecutor').filter(
    (item) => item.type === 'error' && !names.has(item.name),
  )
  const abi = literal([...router, ...passedThrough], 0, 'export const swapRouterAbi = '.length)
  return [
    '// Generated by scripts/contracts.ts from contracts/src. Do not edit.',
    '',
    '/** The ABI of contracts/src/SwapRouter.sol, with the errors of its executor. */',
    `export const swapRouterAbi = ${abi} as const`,
    '',
  ].join('\n')
}

/** The probe is never deployed: what is sent along with a call is the code it would have. */
function probeModule(artifacts: readonly Artifact[]): string {
  const probe = artifacts.find((one) => one.contractName === 'ScenarioProbe')
  const abi = literal(probe?.abi ?? [], 0, 'export const scenarioProbeAbi = '.length)
  return [
    '// Generated by scripts/contracts.ts from contracts/src. Do not edit.',
    '',
    '/** The ABI of contracts/src/ScenarioProbe.sol. */',
    `export const scenarioProbeAbi = ${abi} as const`,
    '',
    '/** Its code, as it would stand on a chain. */',
    'export const scenarioProbeCode =',
    `  '${probe?.deployedBytecode ?? ''}'`,
    '',
  ].join('\n')
}

/** Writes a value the way the project's formatter would: on one line where it fits, else one part per line. */
function literal(value: unknown, indent: number, column: number): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)

  const isList = Array.isArray(value)
  const parts: [string, unknown][] = isList
    ? value.map((part) => ['', part])
    : Object.entries(value)
        .filter(([key]) => key !== 'internalType')
        .map(([key, part]) => [`${key}: `, part])
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }']

  const line = parts.map(([key, part]) => key + literal(part, 0, -Infinity)).join(', ')
  const flat = parts.length === 0 ? `${open}${close}`.replace('  ', '') : `${open}${line}${close}`
  // The formatter always spreads a list of several objects.
  const spreads = isList && parts.length > 1
  if (!spreads && !flat.includes('\n') && column + flat.length < 100) return flat

  const pad = ' '.repeat(indent + 2)
  const lines = parts.map(
    ([key, part]) => `${pad}${key}${literal(part, indent + 2, indent + 2 + key.length)},\n`,
  )
  return `${open.trim()}\n${lines.join('')}${' '.repeat(indent)}${close.trim()}`
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const paths = stale()
    if (paths.length > 0) {
      console.error(`Not what contracts/src gives: ${paths.join(', ')}. Run: npm run contracts`)
      process.exitCode = 1
    }
  } else {
    for (const [path, content] of generate()) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
  }
}
