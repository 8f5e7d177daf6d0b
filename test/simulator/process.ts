import { broadcast } from '../../src/bot/broadcast/broadcast.ts'
import { measure } from '../../src/bot/confirm/measure.ts'
import { observe } from '../../src/bot/confirm/observe.ts'
import { drive, resume } from '../../src/bot/drive.ts'
import type { Drivetrain } from '../../src/bot/drivetrain.ts'
import { type Journal, openJournal } from '../../src/bot/journal/openJournal.ts'
import { type Planned, pass, type Signed } from '../../src/bot/stages.ts'
import { isFinal } from '../../src/bot/state.ts'
import { estimateSelfTransfer } from '../../src/chain/calls/estimateSelfTransfer.ts'
import { getBlock } from '../../src/chain/calls/getBlock.ts'
import { getPriorityFee } from '../../src/chain/calls/getPriorityFee.ts'
import { getTransactionCount } from '../../src/chain/calls/getTransactionCount.ts'
import { feesFor } from '../../src/chain/fees.ts'
import { recover } from '../../src/cli/compose/recover.ts'
import type { Clock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
import { writeBytes } from './bytes.ts'
import type { Disk } from './disk.ts'
import type { Life } from './life.ts'
import type { Faults } from './matrix.ts'
import type { Node } from './node.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { type createService, gasPriceMax } from './service.ts'
import { chainId, journalOptions, router, wallet } from './world.ts'
import { planOf, plansMax, type Wish } from './wish.ts'

/** What a process is started with. All of it outlives the process. */
export type Setup = {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly faults: Faults
  readonly disk: Disk
  readonly endpoint: Node
  readonly witness: Node | undefined
  readonly service: ReturnType<typeof createService>
  readonly confirmations: number
  readonly blockMs: number
  readonly pollMs: number
  /** How far the machine's clock is from the true time, milliseconds. */
  readonly skewMs: () => number
  readonly wishes: readonly Wish[]
  readonly onPort: (life: Life, what: string, moment: 'before' | 'after') => void
  readonly onTrouble: (code: string) => void
  readonly onSign: (kind: Signed['kind']) => void
}

/** One life of the bot: it decides what is open, then works off what is wished for. Resolves when all of it has an end. */
export async function startProcess(machine: Setup, life: Life): Promise<void> {
  const clock: Clock = {
    now: () => machine.scheduler.now() + machine.skewMs(),
    sleep: (ms) => life.port('sleep', { ms }, () => undefined),
  }
  const journal = openPorts(
    await life.guard(openJournal({ ...journalOptions, clock })),
    { machine, life },
  )
  const { train, rpc } = trainOf(machine, { life, clock, journal })
  await recover({
    config: { wallet: { address: wallet }, chain: { chainId } } as never,
    market: { rpc } as never,
    train,
    signal: new AbortController().signal,
    onResumed: async () => {},
  })
  for (const wish of machine.wishes) await grant(wish, train)
}

/** As the `run` command's tick does it: what is open first, then a plan, then the drive. */
async function grant(wish: Wish, train: Drivetrain): Promise<void> {
  const { journal, clock } = train
  for (let nth = 0; nth < plansMax; nth++) {
    const plan = planOf(wish, nth)
    for (const swapId of await journal.openSwaps()) await resume(swapId, train)
    await journal.guard('plan', { wallet, strategy: plan.strategy })
    const planned = pass<Planned>(plan)
    const fresh = await journal.reserve(planned, () => {})
    if (!fresh) {
      const { state } = await journal.load(plan.swapId)
      if (!isFinal(state)) throw new Error(`swap ${plan.swapId} is ${state} and nobody follows it`)
      if (state === 'SETTLED') return
      continue
    }
    try {
      const { state } = await drive(planned, train)
      if (state === 'SETTLED') return
    } catch (error) {
      if (!isOrdinary(error)) throw error
    }
    await clock.sleep(1_000)
  }
}

function isOrdinary(error: unknown): boolean {
  return (
    error instanceof BallastError &&
    error.remedy !== 'halt' &&
    (error.fault === 'refused' ||
      error.fault === 'upstream' ||
      error.code === 'INTERRUPTED' ||
      error.code === 'LOCKED')
  )
}

/** Every call to the journal is a place where the process may end. */
function openPorts(
  journal: Journal,
  { machine, life }: { machine: Setup; life: Life },
): Journal {
  const { onPort, faults, random, disk } = machine
  const ports = Object.entries(journal).map(([name, method]) => {
    if (typeof method !== 'function') return [name, method]
    const act = method as (...given: unknown[]) => Promise<unknown>
    return [
      name,
      async (...given: unknown[]) => {
        if (life.dead) return new Promise(() => {})
        onPort(life, name, 'before')
        if (life.dead) return new Promise(() => {})
        const full =
          (name === 'noteSent' || name === 'include') && faults.strikes('LOCAL-20', 0.1)
        if (full) {
          faults.hit('LOCAL-20')
          disk.fillUp()
        }
        const result = await life.guard(act(...given))
        onPort(life, name, 'after')
        // A disk may be slow: time passes before the answer is there.
        if (faults.on && random.chance(0.02))
          return life.port('disk', { ms: random.between(100, 4_000) }, () => result)
        return life.dead ? new Promise(() => {}) : result
      },
    ]
  })
  return Object.fromEntries(ports) as Journal
}

/** The same parts that `openTrain` puts together, around the simulated ones. */
function trainOf(
  machine: Setup,
  { life, clock, journal }: { life: Life; clock: Clock; journal: Journal },
) {
  const { endpoint, witness, service, confirmations, blockMs, random, faults } = machine
  const rpc = endpoint.reach(life)
  const second = witness?.reach(life)
  const depth = { router, confirmations }
  const train: Drivetrain = {
    reading: service.reading({ life, rpc, clock }),
    signer: {
      address: wallet,
      sign({ swapId, kind, transaction }) {
        const trouble = faults.strikes('LOCAL-36', 0.1) ? random.next() : 1
        if (trouble < 1) faults.hit('LOCAL-36')
        const ms = trouble < 0.5 ? random.between(1_000, 4 * blockMs) : random.between(1, 50)
        return life.port(`sign ${kind}`, { ms, late: true }, () => {
          if (trouble >= 0.5 && trouble < 1)
            throw new BallastError('The signer did not answer.', {
              code: 'SIGNER_UNAVAILABLE',
              remedy: 'retry',
              fault: 'upstream',
            })
          machine.onSign(kind)
          const { raw, hash } = writeBytes(transaction, random.between(0, 2 ** 30))
          return pass<Signed>({ swapId, kind, wallet, transaction, raw, hash })
        })
      },
    },
    inspect: { swap: async () => {}, approval: () => {}, cancellation: () => {}, bump: () => {} },
    journal,
    chainId,
    confirmations,
    clock,
    pollMs: machine.pollMs,
    simulationAgeMsMax: 2 * blockMs,
    broadcast: (journaled) =>
      broadcast(
        {
          endpoints: second === undefined ? [rpc] : [rpc, second],
          onContradiction: ({ code }) => machine.onTrouble(code),
        },
        journaled,
      ),
    observe: (watched) => observe(rpc, watched, depth),
    witness: second && ((watched) => observe(second, watched, depth)),
    measure: ({ plan, authorization }, receipt) =>
      measure(rpc, {
        receipt,
        router,
        authorization,
        wallet: plan.wallet,
        recipient: plan.recipient,
        sell: plan.intent.sell.token,
        buy: plan.intent.buy,
      }),
    async fees(gas) {
      const [block, tip, nonce] = await Promise.all([
        rpc.request(getBlock('latest')),
        rpc.request(getPriorityFee),
        rpc.request(getTransactionCount(wallet)),
      ])
      if (block === undefined) throw dear
      const { baseFeePerGas } = block
      const fees = feesFor({ baseFeePerGas, priorityFee: tip }, { ceiling: gasPriceMax })
      if (baseFeePerGas + tip > fees.maxFeePerGas) throw dear
      return { gas, nonce, ...fees }
    },
    gasOfCancel: () => rpc.request(estimateSelfTransfer(wallet)),
    gasPriceMax,
    onTrouble: (_, error) =>
      machine.onTrouble(error instanceof BallastError ? error.code : String(error)),
  }
  return { train, rpc }
}

const dear = new BallastError('Gas costs more than is allowed.', {
  code: 'GAS_PRICE_ABOVE_POLICY',
  remedy: 'retry',
  fault: 'refused',
})
