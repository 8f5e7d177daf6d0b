import { createHash } from 'node:crypto'
import { createFund } from '../../src/bot/allowance/fund.ts'
import {
  pass,
  type Quoted,
  type Reading,
  type Simulated,
  type Verified,
} from '../../src/bot/stages.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { getBlock, getPriorityFee } from '../../src/chain/calls/node.ts'
import { feesFor } from '../../src/chain/fees.ts'
import type { Rpc, RpcOutcome } from '../../src/chain/rpc/rpc.ts'
import type { Clock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
import type { Life } from './life.ts'
import type { Faults } from './matrix.ts'
import type { Network } from './network.ts'
import { routerCodeHash } from './node.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { writeSwapCall } from './swapCall.ts'
import { bought, router } from './world.ts'

/** The most the wallet pays for gas, wei. */
export const gasPriceMax = 200_000_000_000n

/** What policy lets the gas of a swap cost, wei per gas: bids end there. */
const feeMost = 150_000_000_000n

/** Fees last for so many blocks: fewer than a quote does, so that some are outgrown. */
const hurriedBlocks = 3

/** The quoting service. It lives longer than any process of the bot, and gives each quote its own number. */
export function createService({
  scheduler,
  random,
  network,
  faults,
  expirySeconds,
  seed,
}: {
  scheduler: Scheduler
  random: Random
  network: Network
  faults: Faults
  expirySeconds: number
  seed: number
}) {
  let quotes = 0
  const digest = (what: string): Hex =>
    `0x${createHash('sha256').update(`${seed} ${quotes} ${what}`).digest('hex')}`
  return {
    /** The stages that read, as one process has them. Those that only check are not what is simulated. */
    reading({ life, rpc, clock }: { life: Life; rpc: Rpc; clock: Clock }): Reading {
      return {
        fund: createFund({
          rpc,
          router,
          routerCodeHash,
          traced: () => false,
          standing: [],
          permits: [],
        }),
        appraise: async (funded) => ({ ...funded, appraisal }) as never,
        quote: (appraised) =>
          life.port('quote', { ms: random.between(20, 1_500) }, () => {
            if (faults.on && random.chance(0.05)) throw silent
            quotes += 1
            const deadline = Math.floor(scheduler.now() / 1_000) + expirySeconds
            const authorization = digest('authorization')
            const amountOut = appraised.intent.sell.wei * 3n
            const minimum = amountOut - amountOut / 200n
            const quoteId = digest('quote').slice(0, 34) as Hex
            const offer = { deadline, authorization, amountOut, minimum, quoteId }
            return { ...appraised, body: JSON.stringify({ quoteId }), offer } as never as Quoted
          }),
        verify: async (quoted) => {
          const { intent, offer } = quoted as Quoted & { offer: Offer }
          const { sell } = intent
          const { amountOut, minimum, ...facts } = offer
          const data = writeSwapCall({
            ...facts,
            minimum,
            token: sell.token.address,
            amountIn: sell.wei,
          })
          const native = sell.token.symbol === 'ETH'
          return pass<Verified>({
            ...quoted,
            ...facts,
            call: { to: router, data, value: native ? sell.wei : 0n },
            swap: undefined,
            orders: [],
            amountOut: { token: bought, wei: amountOut },
            minimum: { token: bought, wei: minimum },
            checks: [],
          })
        },
        permit: async (verified) => verified as never,
        async simulate(permitted) {
          const startedAt = clock.now()
          const [block, tip, count] = await rpc.batch([
            getBlock('latest'),
            getPriorityFee,
            getTransactionCount(permitted.wallet),
          ])
          const head = known(read(block))
          if (faults.strikes('CHAIN-23', 0.1)) {
            faults.hit('CHAIN-23')
            throw paused
          }
          if (head.timestamp >= permitted.deadline) throw late
          if (faults.strikes('CHAIN-21', 0.15)) {
            faults.hit('CHAIN-21')
            network.unpay(permitted.authorization as Hex)
          }
          const fees = feesFor(
            { baseFeePerGas: head.baseFeePerGas, priorityFee: read(tip) },
            { ceiling: gasPriceMax, blocks: hurriedBlocks },
          )
          return pass<Simulated>({
            ...permitted,
            fees: { gas: 250_000n, ...fees },
            nonce: read(count),
            simulation: {
              block: head.number,
              startedAt,
              spent: permitted.intent.sell,
              received: permitted.amountOut,
              gas: 180_000n,
              approvalGas: 0n,
              gasPrice: fees.maxFeePerGas,
              tip: fees.maxPriorityFeePerGas,
              feeMost,
              proof: 'full',
            },
          })
        },
      }
    },
  }
}

type Offer = {
  readonly deadline: number
  readonly authorization: Hex
  readonly quoteId: Hex
  readonly amountOut: bigint
  readonly minimum: bigint
}

const appraisal = {
  askedAt: 0,
  references: [],
  absent: [],
  notional: undefined,
  coin: undefined,
  pegs: [],
}

const silent = new BallastError('The quoting service did not answer.', {
  code: 'UNREACHABLE',
  remedy: 'retry',
  fault: 'upstream',
})
const paused = new BallastError('The swap reverts.', {
  code: 'SIMULATION_REVERTED',
  remedy: 'skip',
  fault: 'refused',
})
const late = new BallastError('The deadline is too near.', {
  code: 'DEADLINE_NEAR',
  remedy: 'requote',
  fault: 'refused',
})

function read<value>(outcome: RpcOutcome<value>): value {
  if (outcome.ok) return outcome.value
  throw outcome.error
}

function known<value>(value: value | undefined): value {
  if (value === undefined) throw silent
  return value
}
