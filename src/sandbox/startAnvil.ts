import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Hex } from '../chain/calls/fields.ts'
import type { RpcCall } from '../chain/rpc/rpc.ts'
import { ballastError } from '../core/errors.ts'
import { withoutSecrets } from '../core/secret.ts'
import type { Address } from '../core/token.ts'

/** A local chain that ends with the process that started it. */
export type Anvil = {
  readonly rpcUrl: string
  readonly port: number
  readonly pid: number
  /** Settles when the chain is gone, no matter who ended it. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

type Options = {
  readonly chainId?: number
  /** 0 or absent: a free one. */
  readonly port?: number
  /** Base it on another chain's latest block. */
  readonly forkUrl?: string
  /** Loaded when it exists, written when the chain ends. */
  readonly stateFile?: string
  /** States of past blocks to keep in memory, and none on disk: what is read back from there has lost its code. */
  readonly statesMax?: number
  /** How long it may take to end once it is told to, milliseconds; a minute if absent. */
  readonly endMsMax?: number
}

/** A large state is written within seconds. */
const endMsUsual = 60_000

/**
 * anvil in its own session, so that a Ctrl-C in the terminal does not reach it before us. It lives while a pipe of ours
 * is open: the kernel closes that pipe even when this process is killed, and anvil then ends in an orderly way.
 */
const supervisor = `
"$@" </dev/null & pid=$!
echo "pid $pid"
exec >/dev/null 2>&1
cat
kill $pid
wait $pid`

/** Above anything the deployment needs in one block; the default of 30 million is not. */
const blockGasLimit = '300000000'

/** Starts anvil from npm. It mines nothing until it learns how. */
export async function startAnvil(options: Options = {}): Promise<Anvil> {
  const binary = findBinary()
  if (options.port !== undefined && options.port !== 0) await assertFree(options.port)
  const child = spawn('/bin/sh', ['-c', supervisor, 'sh', binary, ...argumentsFor(options)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let pid = 0
  const close = async () => {
    child.stdin.end()
    // Under many reads at once a fork has stood still for good, and heard no signal but this one.
    let isGone = false
    AbortSignal.timeout(options.endMsMax ?? endMsUsual).addEventListener('abort', () => {
      if (!isGone) killHard(pid)
    })
    await ended
    isGone = true
  }
  // The supervisor gives its own copies of these pipes away, so they close when anvil itself is gone.
  child.stdout.once('close', () => child.stdin.end())
  child.stdin.on('error', () => undefined)
  const complaints: string[] = []
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaints.length < 20) complaints.push(chunk.toString('utf8'))
  })

  for await (const line of createInterface({ input: child.stdout })) {
    const ownPid = /^pid (\d+)$/.exec(line)
    if (ownPid !== null) pid = Number(ownPid[1])
    const listening = /Listening on 127\.0\.0\.1:(\d+)/.exec(line)
    if (listening === null) continue
    // The output of anvil is not read from here on, but a full pipe would stop it.
    child.stdout.resume()
    const port = Number(listening[1])
    return { rpcUrl: `http://127.0.0.1:${port}`, port, pid, ended, close }
  }
  await close()
  throw ballastError('ANVIL_FAILED', 'anvil ended before it listened.', {
    // Before the cut, which could leave half a key.
    anvil: withoutSecrets(complaints.join('')).trim().slice(0, 1024),
  })
}

/** It may have ended by itself just now. */
function killHard(pid: number): void {
  try {
    if (pid !== 0) process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function argumentsFor({ chainId, port = 0, forkUrl, stateFile, statesMax }: Options): string[] {
  return [
    '--port',
    String(port),
    '--no-mining',
    '--gas-limit',
    blockGasLimit,
    // A block is `safe` under one more and `finalized` under two, as on a chain that is quick about it.
    '--slots-in-an-epoch',
    '1',
    ...(chainId === undefined ? [] : ['--chain-id', String(chainId)]),
    ...(forkUrl === undefined ? [] : ['--fork-url', forkUrl, '--no-storage-caching']),
    ...(stateFile === undefined ? [] : ['--state', stateFile]),
    ...(statesMax === undefined ? [] : ['--prune-history', String(statesMax)]),
  ]
}

/** The binary itself: the package's own launcher is one more Node process. */
function findBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  try {
    const launcher = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    const binary = createRequire(launcher).resolve(
      `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`,
    )
    if (existsSync(binary)) return binary
  } catch {
    // Reported below: to the user, not installed and not for this platform are the same.
  }
  throw ballastError(
    'ANVIL_MISSING',
    'The sandbox needs anvil, which is not installed here: run npm install again, without --omit=optional and in the repository without --omit=dev.',
  )
}

/** anvil reports a port in use in its own words and only after a while; this checks first. */
async function assertFree(port: number): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen(port, '127.0.0.1', resolve)
    })
  } catch (cause) {
    throw ballastError('PORT_IN_USE', `Port ${port} is in use.`, { port }, cause)
  } finally {
    probe.close()
  }
}

const done = (method: string, ...params: unknown[]): RpcCall<void> => ({
  method,
  params,
  parse: () => undefined,
})

/** Commands that only a development chain takes. */
export const anvilCalls = {
  mine: done('evm_mine'),
  /** Mines a block for each transaction at once. */
  mineAtOnce: done('evm_setAutomine', true),
  mineEvery: (seconds: number) => done('evm_setIntervalMining', seconds),
  /** Otherwise anvil prints a line for each call. */
  silence: done('anvil_setLoggingEnabled', false),
  setTime: (unixSeconds: number) => done('evm_setTime', unixSeconds),
  setBalance: (account: Address, wei: bigint) =>
    done('anvil_setBalance', account, `0x${wei.toString(16)}`),
  setCode: (account: Address, code: Hex) => done('anvil_setCode', account, code),
}
