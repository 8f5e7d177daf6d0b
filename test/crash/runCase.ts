import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { startBallast } from '../support/runBallast.ts'
import type { Fault } from './fault.ts'
import { type Judgement, judge } from './judge.ts'
import type { Field } from './openField.ts'
import { isDecided, readJournal } from './readJournal.ts'

/** One death: which fault, what is sold, and at which steps the process and the one after it die. 0 is nowhere. */
export type Case = {
  readonly fault: Fault
  readonly sells: 'ETH' | 'WETH'
  readonly at: number
  readonly recoveryAt: number
}

export type Verdict = Judgement & {
  /** The steps at which processes died of SIGKILL, in order. */
  readonly deaths: readonly string[]
  readonly states: readonly string[]
  readonly ms: number
  /** Every step of the first process when it was left alone. */
  readonly steps: readonly string[]
}

const preload = new URL('crashPoints.ts', import.meta.url).pathname

/** A silent node is given up after this long. */
const patienceMs = 1_500
/** A fault heals by itself long before. */
const processMsMax = 20_000
/** Faults of the start itself are passed in so many starts. */
const startsMax = 6

/** Lets one process trade once and die, lets others recover, and compares what is left with the chain. */
export async function runCase(field: Field, one: Case): Promise<Verdict> {
  const since = performance.now()
  const { node, scene, ready, rpc } = field
  const { fault } = one
  const dir = join(field.dataDir, 'case')
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir)
  const journal = join(dir, 'ballast.db')
  const trace = join(dir, 'steps')
  const base = await field.begin()
  const before = await balances(rpc, ready)
  const bend = fault.begin?.(scene)
  let planned = false
  node.bend(async (exchange) => {
    planned ||= readJournal(journal).swaps.length > 0
    return planned ? bend?.(exchange) : undefined
  })
  const start = (config: string, env: Record<string, string>) =>
    startBallast(['run', '--port', '0', '--config', config], {
      preload,
      env: { PATIENCE_MS: String(patienceMs), CRASH_TRACE: trace, ...env },
    })

  copyFileSync(join(field.dataDir, '.env'), join(dir, '.env'))
  const first = start(writeBot(dir, { ready, ...one, isEager: true }), {
    CRASH_AT: String(one.at),
    CRASH_FROM: 'plan',
  })
  await until(() => {
    const rows = readJournal(journal)
    const signed = rows.swaps.some(({ nonce }) => nonce !== null)
    return hasEnded(first) || (signed && isDecided(rows))
  })
  const steps = one.at === 0 && existsSync(trace) ? linesOf(trace) : []
  if (one.at === 0) rmSync(trace, { force: true })
  first.child.kill('SIGKILL')
  await first.ended
  await fault.afterDeath?.(scene)

  const complaints: string[] = []
  for (let starts = 1; ; starts += 1) {
    const again = start(writeBot(dir, { ready, ...one, isEager: false }), {
      CRASH_AT: String(starts === 1 && one.recoveryAt > 0 ? one.recoveryAt : -1),
    })
    let said = ''
    again.child.stdout?.on('data', (chunk) => {
      said += chunk
    })
    const isUp = () => /^(WAIT|LOCKED) /m.test(said) && isDecided(readJournal(journal))
    await until(() => hasEnded(again) || isUp())
    const done = isUp()
    again.child.kill('SIGKILL')
    const { code, stderr } = await again.ended
    // Where the key is not the bot's alone it locks itself, and a start ends with 5.
    if (done || (fault.foreign && code === 5 && isDecided(readJournal(journal)))) break
    if (starts === startsMax) {
      complaints.push(
        `not recovered in ${startsMax} starts, last exit ${code}: ${stderr.slice(-300)}`,
      )
      break
    }
  }
  const rows = readJournal(journal)
  const judgement = await judge(field, {
    rows,
    base,
    before,
    wanted: 1,
    foreign: fault.foreign === true,
  })
  const audit = await callCli(['audit', 'verify', '--json', '--config', join(dir, 'idle.yaml')], {
    cwd: dir,
  })
  return {
    ...judgement,
    breaks: [
      ...judgement.breaks,
      ...complaints,
      ...(audit.code === 0 ? [] : [`audit: ${audit.stdout}${audit.stderr}`]),
    ],
    deaths: existsSync(trace) ? linesOf(trace).map((line) => line.replace('\t', ' ')) : [],
    states: [...rows.swaps.map(({ state }) => state), ...rows.locks],
    steps,
    ms: Math.round(performance.now() - since),
  }
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trim().split('\n')

type Running = ReturnType<typeof startBallast>
const hasEnded = ({ child }: Running) => child.exitCode !== null || child.signalCode !== null

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + processMsMax
  while (!holds() && performance.now() < end) await delay(40)
}

/** A bot that sells once, because it keeps the rest; or one that never sells. */
function writeBot(
  dir: string,
  { ready, sells, isEager }: { ready: Field['ready']; sells: 'ETH' | 'WETH'; isEager: boolean },
): string {
  const kept = sells === 'ETH' ? 6 : 96
  const price = isEager ? '2900 USDC' : '999999 USDC'
  const text = readFileSync(ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n  - name: ${isEager ? 'once' : 'idle'}\n    use: threshold\n    params: { sell: 3 ${sells}, buy: USDC, price: ${price}, keep: ${kept} ${sells}, every: 1s }\n`,
  )
  const path = join(dir, isEager ? 'eager.yaml' : 'idle.yaml')
  writeFileSync(path, text)
  return path
}
