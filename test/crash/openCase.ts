import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { startBallast } from '../support/runBallast.ts'
import { type Fault, send } from './fault.ts'
import { type Judgement, judge } from './judge.ts'
import type { Field } from './openField.ts'
import { inFile, onServer } from './openPlace.ts'
import { isDecided } from './readJournal.ts'

/** What is sold, and for how much at least: the chain's own currency needs no allowance, USDC brings one along, WETH is approved. */
const sales = {
  ETH: { sell: '3 ETH', buy: 'USDC', price: '2900 USDC', keep: '6 ETH', never: '999999 USDC' },
  WETH: { sell: '3 WETH', buy: 'USDC', price: '2900 USDC', keep: '96 WETH', never: '999999 USDC' },
  USDC: {
    sell: '9000 USDC',
    buy: 'WETH',
    price: '0.0003 WETH',
    keep: '240000 USDC',
    never: '1 WETH',
  },
} as const
export type Sells = keyof typeof sales

type Running = ReturnType<typeof startBallast>

/** Where the journal is. */
export type Dialect = 'sqlite' | 'postgres'

/** How a process of the case was left, and what it all came to. */
export type Ending = Judgement & {
  /** The steps at which processes were struck, in order. */
  readonly struck: readonly string[]
  /** States of the swaps, and the locks that hold. */
  readonly states: readonly string[]
}

const preload = new URL('crashPoints.ts', import.meta.url).pathname

/** A silent node is given up after this long. */
const patienceMs = 1_500
/** Ends what hangs: many times what any fault takes to heal, on a machine that stands still for a while too. */
const processMsMax = 240_000
/** Faults of the start itself are passed in so many starts. */
const startsMax = 6

/** A fresh journal and a chain taken back to its beginning, for one swap under one fault. */
export async function openCase(
  field: Field,
  { fault, sells, dialect = 'sqlite' }: { fault: Fault; sells: Sells; dialect?: Dialect },
) {
  const { node, scene, ready, rpc } = field
  const dir = join(field.dataDir, 'case')
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir)
  copyFileSync(join(field.dataDir, '.env'), join(dir, '.env'))
  const place =
    dialect === 'sqlite' ? inFile(dir) : await onServer(await field.server(), field.name)
  const trace = join(dir, 'steps')
  const base = await field.begin()
  const before = await balances(rpc, ready)
  const bend = fault.begin?.(scene)
  let planned = false
  let sends = 0
  node.bend(async (exchange) => {
    sends += exchange.calls.filter(({ method }) => method === send).length
    planned ||= (await place.rows()).swaps.length > 0
    return planned ? bend?.(exchange) : undefined
  })
  const start = (config: string, env: Readonly<Record<string, string>>) =>
    startBallast(['run', '--port', '0', '--config', config], {
      preload,
      ...(field.main === undefined ? {} : { main: field.main }),
      env: {
        RPC_URL: node.url,
        PATIENCE_MS: String(patienceMs),
        CRASH_TRACE: trace,
        ...env,
      },
    })
  const { rows, setting: database } = place
  /** What a person does who has looked. */
  const resume = async (config: string) => {
    const argv = ['resume', '--reason', 'a test has looked', '--config', config]
    const { code, stderr } = await callCli(argv, { cwd: dir, environment: { RPC_URL: node.url } })
    if (code !== 0) throw new Error(`resume ends with ${code}: ${stderr}`)
  }

  return {
    /** The file of a journal that is one. */
    journal: join(dir, 'ballast.db'),
    rows,
    /** How often bytes were offered to the node. */
    sends: () => sends,
    /** Every line that processes wrote of their steps. */
    steps: () => (existsSync(trace) ? linesOf(trace) : []),
    forgetSteps: () => rmSync(trace, { force: true }),
    /** The bot that trades once. Its steps are counted from the plan. */
    startEager: (env: Readonly<Record<string, string>> = {}) =>
      start(writeBot(dir, { ready, sells, database, isEager: true }), {
        CRASH_FROM: 'plan',
        ...env,
      }),
    /** Waits until the process has ended, or its swap was signed and is decided. */
    async watch(bot: Running) {
      await until(async () => {
        const seen = await rows()
        const signed = seen.swaps.some(({ nonce }) => nonce !== null)
        return hasEnded(bot) || (signed && isDecided(seen))
      })
    },
    /** Starts bots that never trade until one has decided everything and looks at its market again. */
    async recover(recoveryAt = 0): Promise<readonly string[]> {
      const idle = writeBot(dir, { ready, sells, database, isEager: false })
      for (let starts = 1; ; starts += 1) {
        await node.idle()
        await place.bury()
        const isStruck = starts === 1 && recoveryAt > 0
        const again = start(idle, { CRASH_AT: isStruck ? String(recoveryAt) : '-1' })
        let said = ''
        again.child.stdout?.on('data', (chunk) => {
          said += chunk
        })
        const isUp = async () => /^(WAIT|LOCKED) /m.test(said) && isDecided(await rows())
        await until(async () => hasEnded(again) || (await isUp()))
        const done = await isUp()
        again.child.kill('SIGKILL')
        const { code, stderr } = await again.ended
        // Where the key is not the bot's alone it locks itself, and a start ends with 5.
        if (done || (fault.foreign && code === 5 && isDecided(await rows()))) return []
        if (fault.halts && code === 5) await resume(idle)
        if (starts === startsMax)
          return [`not recovered in ${startsMax} starts, last exit ${code}: ${stderr.slice(-300)}`]
      }
    },
    /** Compares everything that is left. */
    async end(complaints: readonly string[]): Promise<Ending> {
      await node.idle()
      const left = await rows()
      const judgement = await judge(field, {
        rows: left,
        base,
        before,
        wanted: 1,
        foreign: fault.foreign === true,
      })
      const idle = join(dir, 'idle.yaml')
      const audit = await callCli(['audit', 'verify', '--json', '--config', idle], { cwd: dir })
      const argv = ['reconcile', '--json', '--config', idle]
      const environment = { RPC_URL: node.url }
      const reconciled =
        fault.foreign === true ? undefined : await callCli(argv, { cwd: dir, environment })
      await place.close()
      return {
        ...judgement,
        breaks: [
          ...judgement.breaks,
          ...complaints,
          ...(audit.code === 0 ? [] : [`audit: ${audit.stdout}${audit.stderr}`]),
          ...(reconciled === undefined || reconciled.code === 0
            ? []
            : [`reconcile: ${reconciled.stdout}${reconciled.stderr}`]),
        ],
        struck: this.steps().map((line) => line.replace('\t', ' ')),
        states: [...left.swaps.map(({ state }) => state), ...left.locks],
      }
    },
  }
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trim().split('\n')

const hasEnded = ({ child }: Running) => child.exitCode !== null || child.signalCode !== null

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + processMsMax
  while (!(await holds()) && performance.now() < end) await delay(40)
}

/** A bot that sells once, because it keeps the rest; or one that never sells. */
function writeBot(
  dir: string,
  {
    ready,
    sells,
    database,
    isEager,
  }: { ready: Field['ready']; sells: Sells; database: string; isEager: boolean },
): string {
  const { sell, buy, keep, ...prices } = sales[sells]
  const price = isEager ? prices.price : prices.never
  const text = readFileSync(ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n  - name: ${isEager ? 'once' : 'idle'}\n    use: threshold\n    params: { sell: ${sell}, buy: ${buy}, price: ${price}, keep: ${keep}, every: 1s }\n`,
  )
  const path = join(dir, isEager ? 'eager.yaml' : 'idle.yaml')
  writeFileSync(path, text.replace('sqlite:./ballast.db', database))
  return path
}
