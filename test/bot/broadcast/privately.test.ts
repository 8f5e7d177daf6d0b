import { parseTransaction } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSenders } from '../../../src/app/openMarket.ts'
import { pass, type Simulated } from '../../../src/bot/stages.ts'
import { getBlock } from '../../../src/chain/calls/node.ts'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { explainSwap } from '../../../src/story/explainSwap.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { startLyingNode } from '../../support/lyingNode.ts'
import { openBotAt } from '../../support/openBotAt.ts'
import { startRelay } from '../../support/startRelay.ts'
import { swappedEvents } from '../../support/swappedEvents.ts'

type Node = Awaited<ReturnType<typeof startLyingNode>>

const names = ['main', 'fallback', 'witness', 'also'] as const
let fork: Fork
let open: Record<(typeof names)[number], Node>
const relays: Awaited<ReturnType<typeof startRelay>>[] = []
let bot: Awaited<ReturnType<typeof openBotAt>> | undefined
beforeAll(async () => {
  fork = await forkOrigin()
  open = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await startLyingNode(fork.ready.rpcUrl)] as const),
    ),
  ) as typeof open
})
afterEach(async () => {
  await bot?.close()
  bot = undefined
  for (const relay of relays.splice(0)) await relay.close()
  for (const node of Object.values(open)) node.seen.length = 0
})
afterAll(async () => {
  await Promise.all(Object.values(open).map((node) => node.close()))
  await fork.close()
})

const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
const relay = async (...how: [('forwards' | 'keeps' | 'refuses')?, number?]) => {
  const started = await startRelay(fork.ready.rpcUrl, ...how)
  relays.push(started)
  return started
}
/** A bot with a fallback, a witness and more, that may send to its relays alone. */
const openPrivate = async (more = '') => {
  const { main, fallback, witness } = open
  const sendTo = relays.map(({ url }) => `"${url}"`).join(', ')
  bot = await openBotAt(
    fork,
    main.url,
    `sendTo: [${sendTo}], fallbackUrls: ["${fallback.url}"], witness: { rpcUrl: "${witness.url}", above: 1000 USD }${more}`,
  )
  return bot
}
const rawAt = (name: (typeof names)[number]) =>
  open[name].seen.flatMap(({ method, params }) =>
    method === 'eth_sendRawTransaction' ? [params[0]] : [],
  )
const publicly = () => names.flatMap(rawAt)
/** The story of a swap as `ballast explain` prints it. */
async function toldOf(swapId: string): Promise<string> {
  const { journal, config } = bot as NonNullable<typeof bot>
  const [dossier] = await journal.swaps.dossiers([swapId])
  const { steps } = await explainSwap(dossier as never, {
    journal: journal as never,
    coin: config.tokens,
  })
  return steps.map(({ step, text }) => `${step} ${text}`).join('\n')
}

describe('[private] chain.sendTo', () => {
  test('every relay gets the bytes, nobody else does, and what each said is in the journal', async () => {
    const [fast, slow] = [await relay('forwards'), await relay('refuses', 200)]
    const { swap, journal } = await openPrivate()
    const { record, swapId } = await swap(wish)
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
    expect(publicly()).toEqual([])
    expect(fast.offered.length).toBeGreaterThanOrEqual(2)
    expect(slow.offered.map(({ raw }) => raw)).toEqual(fast.offered.map(({ raw }) => raw))
    for (const { methods } of [fast, slow])
      expect([...methods].sort()).toEqual(['eth_chainId', 'eth_sendRawTransaction'])

    const entries = await journal.log.ofSwap(swapId)
    const offers = entries.filter(({ type }) => type === 'OFFERED' || type === 'SENT')
    expect(offers.map(({ facts }) => facts)).toEqual(
      fast.offered.map(() =>
        expect.objectContaining({
          to: [fast.url, slow.url],
          isPrivate: true,
          offeredAt: expect.any(Number),
          answers: [{ endpoint: fast.url, verdict: 'accepted', words: 'accepted' }],
        }),
      ),
    )
    const answered = entries.filter(({ type }) => type === 'ANSWERED').map(({ facts }) => facts)
    expect(answered.length).toBeGreaterThanOrEqual(1)
    for (const { answers } of answered)
      expect(answers).toEqual([{ endpoint: slow.url, verdict: 'invalid', words: 'invalid sender' }])

    const told = await toldOf(swapId)
    expect(told).toContain(`sent privately to ${fast.url}, ${slow.url} alone`)
    expect(told).toContain(`answered later: ${slow.url} invalid (invalid sender)`)
  })
  test('a relay that brings nothing to a block: nothing is public, and nothing is dead before its deadline is deep', async () => {
    const keeper = await relay('keeps')
    const { swap, journal } = await openPrivate()
    const router = fork.ready.router.toLowerCase()
    keeper.atOffer((raw) =>
      keeper.be(parseTransaction(raw).to?.toLowerCase() === router ? 'keeps' : 'forwards'),
    )
    const { record, swapId } = await swap({ ...wish, expirySeconds: 12 })
    expect(record.state).toBe('EXPIRED_DEAD')
    expect(publicly()).toEqual([])
    const { attempts } = await journal.swaps.load(swapId)
    expect(attempts.map(({ publishedAt }) => publishedAt)).toEqual(attempts.map(() => undefined))
    const deep = (await journal.log.ofSwap(swapId)).findLast(({ type }) => type === 'INCLUDED')
    // What ended it is a mined cancellation, never that a public node had not heard of the swap.
    expect(deep?.facts).toMatchObject({ hash: attempts.at(-1)?.bytes.hash, success: true })
  })

  test('chain.publicAfter: the very bytes the relay had become public, after that time and not before', async () => {
    const keeper = await relay('keeps')
    const { swap, journal } = await openPrivate(', publicAfter: 2s')
    const before = (await swappedEvents(fork.rpc, fork.ready)).length
    const { record, swapId } = await swap(wish)
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(before + 1)
    const { attempts } = await journal.swaps.load(swapId)
    // Approval and swap go the same way, to each endpoint that is public.
    const raws = attempts.map(({ bytes }) => bytes.raw)
    for (const name of ['main', 'fallback', 'witness'] as const)
      expect([...new Set(rawAt(name))]).toEqual(raws)
    expect([...new Set(keeper.offered.map(({ raw }) => raw))]).toEqual(raws)

    const entries = await journal.log.ofSwap(swapId)
    for (const { bytes, storedAt, publishedAt } of attempts) {
      expect(publishedAt).toBeGreaterThanOrEqual(storedAt + 2_000)
      const own = entries.filter(({ facts }) => facts.hash === bytes.hash)
      const at = own.findIndex(({ type }) => type === 'PUBLISHED')
      expect(own[at]?.facts).toMatchObject({
        afterMs: 2_000,
        to: [open.main.url, open.fallback.url, open.witness.url],
      })
      const isOpen = own.map(({ type, facts }) =>
        type === 'OFFERED' || type === 'SENT' ? facts.isPrivate === false : undefined,
      )
      // What the log shows before that entry went to the relay alone.
      expect(isOpen.slice(0, at)).not.toContain(true)
      expect(isOpen.slice(at + 1).filter((one) => one !== undefined)).not.toContain(false)
      expect(isOpen.slice(at + 1)).toContain(true)
    }
    expect(record.attempts.map(({ publishedAt }) => publishedAt)).toEqual(
      attempts.map(({ publishedAt }) => new Date(publishedAt ?? 0).toISOString()),
    )
    expect(await toldOf(swapId)).toContain(
      `published in no block 2s after the first were signed (chain.publicAfter): from here on ${open.main.url}, `,
    )
  })
  test('a dearer bid goes the same way: the time counts from the first bytes, and only the newest become public', async () => {
    const keeper = await relay('forwards')
    const { swap, journal, train } = await openPrivate(', publicAfter: 5s')
    const router = fork.ready.router.toLowerCase()
    keeper.atOffer((raw) =>
      keeper.be(parseTransaction(raw).to?.toLowerCase() === router ? 'keeps' : 'forwards'),
    )
    let isDearer = false
    const broadcast: typeof train.broadcast = async (bytes, published) => {
      if (bytes.kind === 'SWAP' && !isDearer) {
        isDearer = true
        const wei = bytes.transaction.maxFeePerGas * 3n
        await fork.rpc.request({
          method: 'anvil_setNextBlockBaseFeePerGas',
          params: [`0x${wei.toString(16)}`],
          parse: (answer) => answer,
        })
      }
      return train.broadcast(bytes, published)
    }
    // A fee that no block above today's price takes.
    const simulate: typeof train.reading.simulate = async (permitted) => {
      const simulated = await train.reading.simulate(permitted)
      const head = await fork.rpc.request(getBlock('latest'))
      const maxFeePerGas = (head?.baseFeePerGas ?? 0n) * 2n + 2n
      const fees = { ...simulated.fees, maxFeePerGas, maxPriorityFeePerGas: 1n }
      const simulation = { ...simulated.simulation, feeMost: train.gasPriceMax }
      return pass<Simulated>({ ...simulated, fees, simulation })
    }
    const reading = { ...train.reading, simulate }
    const { record, swapId } = await swap(wish, { broadcast, reading })
    expect(record.state).toBe('SETTLED')
    const { attempts, offer } = await journal.swaps.load(swapId)
    const bids = attempts.filter(({ bytes }) => bytes.kind === 'SWAP')
    expect(bids).toHaveLength(2)
    const [first, second] = bids
    expect(new Set(publicly())).toEqual(new Set([second?.bytes.raw]))
    expect(first?.publishedAt).toBeUndefined()
    expect(offer?.since).toBe(first?.storedAt)
    expect(second?.publishedAt).toBeGreaterThanOrEqual((first?.storedAt ?? 0) + 5_000)
  })

  test('a deployment sends to the relays alone as well, whatever may become public later', async () => {
    const [one, other] = [await relay(), await relay()]
    const environment = { SEND_TO: `${one.url},${other.url}` }
    const config = loadConfig({
      ...{ file: fork.ready.config, environment, cwd: fork.dataDir, needs: 'chain' },
    })
    const opened = openSenders(config)
    const { senders, publicSenders } = opened.receivers([fork.rpc])
    expect(senders.map(({ label }) => label)).toEqual([one.url, other.url])
    expect(publicSenders).toEqual([])
    await opened.close()
  })
})
