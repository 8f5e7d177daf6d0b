import { broadcast } from '../../src/bot/broadcast/broadcast.ts'
import { measure } from '../../src/bot/confirm/measure.ts'
import { observe } from '../../src/bot/confirm/observe.ts'
import type { Journal } from '../../src/bot/journal/openJournal.ts'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import { pass, type Signed } from '../../src/bot/stages.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { estimateGas, getBlock, getPriorityFee } from '../../src/chain/calls/node.ts'
import { feesFor } from '../../src/chain/fees.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { Clock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
import { writeBytes } from './bytes.ts'
import type { Life } from './life.ts'
import { gasPriceMax } from './service.ts'
import type { Setup } from './setup.ts'
import { chainId, router, wallet } from './world.ts'

/** The bot as one process has it: its real parts, around ports that delay, lie and end. */
export async function openBot(
  setup: Setup,
  life: Life,
): Promise<{ readonly train: Drivetrain; readonly rpc: Rpc }> {
  const clock: Clock = {
    now: () => setup.scheduler.now() + setup.skewMs(),
    sleep: (ms, signal) => {
      const slept = life.port('sleep', { ms }, () => undefined)
      return signal === undefined ? slept : Promise.race([slept, stopped(signal)])
    },
  }
  const journal = await setup.openJournal(life, clock)
  return trainOf(setup, { life, clock, journal: openPorts(journal, { setup, life }) })
}

const stopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Every call to the journal is a place where the process may end. */
function openPorts(journal: Journal, { setup, life }: { setup: Setup; life: Life }): Journal {
  const { onPort, faults, random, disk } = setup
  const port =
    (name: string, act: (...given: unknown[]) => Promise<unknown>) =>
    async (...given: unknown[]) => {
      if (life.dead) return new Promise(() => {})
      onPort(life, name, 'before')
      if (life.dead) return new Promise(() => {})
      await life.awake()
      const full = (name === 'noteSent' || name === 'include') && faults.strikes('LOCAL-20', 0.1)
      if (full) {
        faults.hit('LOCAL-20')
        disk.fillUp()
      }
      const result = await life.guard(act(...given))
      onPort(life, name, 'after')
      await life.awake()
      // A disk may be slow: time passes before the answer is there.
      if (faults.on && random.chance(0.02))
        return life.port('disk', { ms: random.between(100, 4_000) }, () => result)
      return life.dead ? new Promise(() => {}) : result
    }
  /** The functions of the journal itself, and those of each of its repositories. */
  const ports = (of: object): object =>
    Object.fromEntries(
      Object.entries(of).map(([name, one]) => [
        name,
        typeof one === 'function' ? port(name, one) : typeof one === 'object' ? ports(one) : one,
      ]),
    )
  return ports(journal) as Journal
}

/** The same parts that `openTrain` puts together, around the simulated ones. */
function trainOf(
  setup: Setup,
  { life, clock, journal }: { life: Life; clock: Clock; journal: Journal },
) {
  const { endpoint, witness, service, confirmations, blockMs, random, faults } = setup
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
          setup.onSign(kind)
          const { raw, hash } = writeBytes(transaction, random.between(0, 2 ** 30))
          return pass<Signed>({ swapId, kind, wallet, transaction, raw, hash })
        })
      },
    },
    inspect: {
      swap: async () => {},
      permit: () => {},
      approval: () => {},
      cancellation: () => {},
      bump: () => {},
    },
    journal,
    chainId,
    confirmations,
    clock,
    pollMs: setup.pollMs,
    simulationAgeMsMax: 2 * blockMs,
    broadcast: (journaled) =>
      broadcast(
        {
          endpoints: second === undefined ? [rpc] : [rpc, second],
          onContradiction: ({ code }) => setup.onTrouble(code),
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
        planned: plan.intent.sell.wei,
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
    async gasOf(call, usual) {
      const claim: bigint = await rpc.request(estimateGas({ ...call, from: wallet }))
      return claim > usual ? claim : usual
    },
    gasPriceMax,
    onTrouble: (_, error) =>
      setup.onTrouble(error instanceof BallastError ? error.code : String(error)),
  }
  return { train, rpc }
}

const dear = new BallastError('Gas costs more than is allowed.', {
  code: 'GAS_PRICE_ABOVE_POLICY',
  remedy: 'retry',
  fault: 'refused',
})
