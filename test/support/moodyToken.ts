import { readFileSync } from 'node:fs'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import type { Fork } from './forkOrigin.ts'

/** How contracts/src/tokens/MoodyToken.sol counts its moods. */
export const moods = {
  good: 0,
  fee: 1,
  'returns false': 2,
  'returns nothing': 3,
  'approval race': 4,
  reentrant: 5,
  'writes an allowance': 6,
  rebases: 7,
  blocks: 8,
  paused: 9,
  'two-faced': 10,
  'burns extra': 11,
  mints: 12,
  'approves a thief': 13,
  upgrades: 14,
  creates: 15,
  expires: 16,
  bomb: 17,
  'awake only when gas is paid for': 18,
  'refuses to approve nothing': 19,
  'refuses to move nothing': 20,
  'refuses to move to nobody': 21,
  narrow: 22,
  heavy: 23,
} as const

export type Mood = keyof typeof moods

/** Puts the moody token's code in the place of a token that is in use; who holds what stays. */
export async function placeMoodyToken({ ready, rpc }: Pick<Fork, 'ready' | 'rpc'>, symbol: string) {
  const { address = '0x', decimals = 0 } = ready.tokens[symbol] ?? {}
  const file = new URL('../../contracts/artifacts/MoodyToken.json', import.meta.url)
  const { deployedBytecode } = JSON.parse(readFileSync(file, 'utf8'))
  await rpc.request(anvilCalls.setCode(address, deployedBytecode))
  await store(rpc, { address, slot: 6, value: decimals })
  return {
    feel: (mood: Mood) => store(rpc, { address, slot: 5, value: moods[mood] }),
    /** The last second, Unix, in which it moves while it `expires`. */
    expire: (at: number) => store(rpc, { address, slot: 8, value: at }),
  }
}

function store(
  rpc: Rpc,
  { address, slot, value }: { address: string; slot: number; value: number },
): Promise<unknown> {
  const word = `0x${value.toString(16).padStart(64, '0')}`
  return rpc.request({
    method: 'anvil_setStorageAt',
    params: [address, `0x${slot.toString(16)}`, word],
    parse: (answer) => answer,
  })
}
