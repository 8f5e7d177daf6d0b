import type { z } from 'zod'
import {
  chainId,
  currencyText,
  duration,
  insecure,
  integerOr,
  slug,
  url,
  yesOrNo,
} from './file/codecs.ts'
import { choice, key, list, section, variableKey } from './file/field.ts'
import type { TokenCodecs } from './tokens.ts'

const mainKeys = {
  name: key(slug('ethereum'), "The chain as 'ballast chains' lists it."),
  chainId: key(chainId, 'The id of the chain. A node of another chain is refused.'),
  currency: key(currencyText, "The symbol of the chain's own currency."),
  rpcUrl: variableKey(
    ['RPC_URL_<CHAIN>', 'RPC_URL'],
    url('http://127.0.0.1:8545'),
    'The node. An address with a key belongs in the environment.',
  ),
  confirmations: key(
    integerOr(['safe', 'finalized'], { min: 0, max: 1_000, example: '2' }).prefault('2'),
    "Blocks on top of a receipt before it counts; or the chain's own word for a block that does.",
  ),
  blockTime: key(
    duration({ min: '100ms', max: '10m', example: '12s' }).prefault('12s'),
    'How long a block takes. Nothing is signed on a look older than two of them, or than 3 s where that is longer.',
    'blockTimeMs',
  ),
  tracing: key(
    choice(['required', 'unavailable'], 'required').prefault('required'),
    'Whether writes to tokens are traced. `unavailable` gives that up for a node without debug_traceCall.',
  ),
}

/** `chain:` — the chain, and the nodes that serve it. */
export function chainSection({ worth }: TokenCodecs) {
  const witness = section(
    {
      rpcUrl: variableKey(
        ['WITNESS_RPC_URL_<CHAIN>', 'WITNESS_RPC_URL'],
        url('http://127.0.0.1:8547'),
        'The second node, of another operator.',
      ),
      above: key(
        worth('5000 USDC'),
        'The worth from which on a swap is witnessed. A swap whose worth is unknown, or known in another unit, always is.',
      ),
      sends: key(
        yesOrNo.prefault(true),
        'Whether it gets signed transactions too. `false` keeps them from it.',
      ),
    },
    '{ rpcUrl: "https://…", above: 5000 USD }',
  )
  return section(
    {
      ...mainKeys,
      insecure,
      witness: key(
        witness.optional(),
        'A second node that must agree before a large swap is signed.',
      ),
      fallbackUrls: variableKey(
        ['FALLBACK_RPC_URLS_<CHAIN>', 'FALLBACK_RPC_URLS'],
        list(url('http://127.0.0.1:8549'), '["https://…"]').prefault([]),
        'More nodes, in order: each is read while those before it are away, and gets signed transactions. A variable has commas between them.',
      ),
      alsoSendTo: variableKey(
        ['ALSO_SEND_TO_<CHAIN>', 'ALSO_SEND_TO'],
        list(url('http://127.0.0.1:8548'), '["https://…"]').prefault([]),
        'More endpoints that get signed transactions, and no other request. A variable has commas between them.',
      ),
      sendTo: variableKey(
        ['SEND_TO_<CHAIN>', 'SEND_TO'],
        list(url('http://127.0.0.1:8550'), '["https://…"]').prefault([]),
        'Private relays. Where set, signed transactions go to these alone, and to none of the endpoints above. A variable has commas between them.',
      ),
      publicAfter: key(
        duration({ min: '1s', max: '1d', example: '30s' }).optional(),
        'When bytes that `sendTo` brought into no block are offered to the endpoints above as well, counted from the first ones signed for it. Never, without it.',
        'publicAfterMs',
      ),
    },
    '{ name: ethereum, chainId: 1, currency: ETH, rpcUrl: "https://…" }',
  )
}

export type ChainConfig = z.output<ReturnType<typeof chainSection>>
export type WitnessConfig = NonNullable<ChainConfig['witness']>
