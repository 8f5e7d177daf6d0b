import { acceptance, type Fault, onSwap, refusal } from '../fault.ts'

/** Long enough for any deadline of a quote. */
const beyondDeadline = 60

const taken = (id: string, what: string, words: string, code?: number): Fault => ({
  id,
  what: `the node takes the bytes and says: ${what}`,
  begin: onSwap(1, async (exchange) => {
    await exchange.forward()
    return refusal(exchange, words, code)
  }),
})

const refused = (id: string, what: string, words: string): Fault => ({
  id,
  what: `the node does not take the bytes, twice: ${what}`,
  begin: onSwap(2, async (exchange) => refusal(exchange, words, -32_003)),
})

/** What can go wrong with the one call that spends. */
export const sendFaults: readonly Fault[] = [
  {
    id: 'RPC-01',
    what: 'no answer, and the node never got it',
    begin: onSwap(1, async () => 'hang'),
  },
  {
    id: 'RPC-02',
    what: 'no answer, after the node took it',
    begin: onSwap(1, async ({ forward }) => {
      await forward()
      return 'hang'
    }),
  },
  {
    id: 'RPC-03',
    what: 'no answer, after it was mined',
    begin: onSwap(1, async ({ forward }, { chain }) => {
      await forward()
      await chain.mine(3)
      return 'hang'
    }),
  },
  {
    id: 'RPC-04',
    what: '429 with a day to wait',
    begin: onSwap(2, async () => ({
      status: 429,
      headers: { 'retry-after': '86400' },
      text: '{"error":"slow down"}',
    })),
  },
  {
    id: 'RPC-05',
    what: '429 inside a 200',
    begin: onSwap(2, async (exchange) => refusal(exchange, 'rate limit exceeded', 429)),
  },
  {
    id: 'RPC-06',
    what: '502 after the node took it',
    begin: onSwap(1, async ({ forward }) => {
      await forward()
      return { status: 502, text: '<html>bad gateway</html>' }
    }),
  },
  taken('RPC-07', 'internal error', 'internal error', -32_603),
  {
    id: 'RPC-08',
    what: 'the connection ends in the middle of the answer',
    begin: onSwap(1, async ({ forward }) => ({ cut: await forward() })),
  },
  {
    id: 'RPC-09',
    what: 'the answer drips and never ends',
    begin: onSwap(1, async ({ forward }) => {
      await forward()
      return 'drip'
    }),
  },
  {
    id: 'RPC-11',
    what: 'a page with 200 after the node took it',
    begin: onSwap(1, async ({ forward }) => {
      await forward()
      return { status: 200, text: '<html>welcome</html>' }
    }),
  },
  {
    id: 'RPC-26',
    what: 'forwarded twice: already known',
    begin: onSwap(1, async ({ forward }) => {
      await forward()
      return { answers: await forward() }
    }),
  },
  {
    id: 'RPC-26 lie',
    what: 'already known, and it is not',
    begin: onSwap(1, async (exchange) => refusal(exchange, 'already known')),
  },
  taken('RPC-27', 'nonce too low', 'nonce too low', -32_003),
  refused('RPC-27 lie', 'nonce too low', 'nonce too low'),
  refused('RPC-28', 'nonce too high', 'nonce too high'),
  {
    ...taken('RPC-29', 'replacement underpriced', 'replacement transaction underpriced', -32_003),
    halts: true,
  },
  {
    ...refused('RPC-29 lie', 'replacement underpriced', 'replacement transaction underpriced'),
    halts: true,
  },
  refused('RPC-30', 'underpriced', 'max fee per gas less than block base fee'),
  refused('RPC-31', 'insufficient funds', 'Insufficient funds for gas * price + value'),
  refused('RPC-32', 'intrinsic gas too low', 'intrinsic gas too low'),
  refused('RPC-33', 'type not supported', 'transaction type not supported'),
  {
    id: 'RPC-34',
    what: 'answered with the hash of another transaction',
    begin: onSwap(1, async ({ forward }) => {
      const [answer] = await forward()
      return { answers: [{ ...answer, result: `0x${'07'.repeat(32)}` }] }
    }),
  },
  {
    id: 'RPC-35',
    what: 'accepted and forgotten',
    begin: onSwap(1, async (exchange, { raw }) => acceptance(exchange, raw)),
  },
  {
    id: 'CHAIN-25',
    what: 'refused until the deadline has passed',
    begin(scene) {
      let passed = false
      return onSwap(Number.POSITIVE_INFINITY, async (exchange, { chain }) => {
        if (!passed) await chain.pass(beyondDeadline)
        passed = true
        return refusal(exchange, 'Insufficient funds for gas * price + value', -32_003)
      })(scene)
    },
  },
]
