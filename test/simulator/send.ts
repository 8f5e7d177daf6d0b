import type { Hex } from '../../src/chain/calls/fields.ts'
import { type RpcCall, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { BallastError } from '../../src/core/errors.ts'
import { readBytes } from './bytes.ts'
import type { Tx } from './chain.ts'
import type { Life } from './life.ts'
import type { FaultId } from './matrix.ts'
import { type NodeWorld, unreachable } from './node.ts'

/** Sends that go wrong, and how often a seed that has the fault sees it. */
const mishaps = [
  'RPC-01',
  'RPC-02',
  'RPC-03',
  'RPC-06',
  'RPC-07',
  'RPC-26',
  'RPC-27',
  'RPC-28',
  'RPC-29',
  'RPC-30',
  'RPC-31',
  'RPC-32',
  'RPC-34',
] as const satisfies readonly FaultId[]
const mishapChance = 0.15

/** In the words of geth; each is also said by nodes of transactions that others take. */
const refusals = {
  'RPC-27': 'nonce too low: next nonce 99, tx nonce 1',
  'RPC-28': 'nonce too high',
  'RPC-29': 'replacement transaction underpriced',
  'RPC-30': 'max fee per gas less than block base fee: address 0xaa, maxFeePerGas: 1, baseFee: 2',
  'RPC-31': 'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1',
  'RPC-32': 'intrinsic gas too low: gas 0, minimum needed 21000',
} as const

/** One `eth_sendRawTransaction`: what the network learns of it and what the caller is told are two things. */
export function send(
  call: RpcCall<unknown>,
  { life, label, world }: { life: Life; label: string; world: NodeWorld },
): Promise<unknown> {
  const { network, scheduler, random, faults, onBytes } = world
  const { method } = call
  const raw = call.params[0] as Hex
  const tx = readBytes(raw)
  onBytes(tx.hash)
  const mishap = mishaps.find((id) => faults.strikes(id, mishapChance))
  const ms = random.between(5, 300)
  const what = 'broadcast'
  if (mishap === undefined)
    return life.port(what, { ms }, () => {
      const words = offer(tx, world)
      if (words !== undefined) throw new RpcRefused(method, { code: -32000, message: words })
      return call.parse(tx.hash)
    })

  faults.hit(mishap)
  switch (mishap) {
    case 'RPC-01':
      // Half of them are on their way for a long time, and arrive when nobody thinks of them any more.
      if (random.chance(0.5))
        scheduler.late(random.between(10_000, 400_000), () => void offer(tx, world))
      return life.port(what, { ms: 10_000 }, () => {
        throw unreachable(label)
      })
    case 'RPC-02':
    case 'RPC-03':
      return life.port(what, { ms: 10_000 }, () => {
        offer(tx, world)
        if (mishap === 'RPC-03') network.extend()
        throw unreachable(label)
      })
    case 'RPC-06':
    case 'RPC-07':
      return life.port(what, { ms }, () => {
        offer(tx, world)
        if (mishap === 'RPC-06')
          throw new BallastError('HTTP 502.', {
            code: 'UNREACHABLE',
            remedy: 'retry',
            fault: 'upstream',
          })
        throw new RpcRefused(method, { code: -32603, message: 'internal error' })
      })
    case 'RPC-26':
      return life.port(what, { ms }, () => {
        offer(tx, world)
        throw new RpcRefused(method, { code: -32000, message: 'already known' })
      })
    case 'RPC-34':
      return life.port(what, { ms }, () => {
        offer(tx, world)
        return call.parse(`0x${'e'.repeat(64)}`)
      })
    default:
      return life.port(what, { ms }, () => {
        // Refused here; whether another node has it is not known.
        if (random.chance(0.5) && offer(tx, world) === undefined) faults.hit('RPC-35')
        throw new RpcRefused(method, { code: -32000, message: refusals[mishap] })
      })
  }
}

/** Offers it to the network, and counts what the network itself says. */
function offer(tx: Tx, { network, faults }: NodeWorld): string | undefined {
  const words = network.offer(tx)
  if (words?.startsWith('nonce too low')) faults.hit('RPC-27')
  if (words === 'already known') faults.hit('RPC-26')
  if (words?.startsWith('replacement')) faults.hit('RPC-29')
  if (words?.startsWith('insufficient')) faults.hit('RPC-31')
  if (tx.maxFeePerGas < network.head().baseFee) faults.hit('RPC-30')
  return words
}
