import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTransaction } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSigner, type KeyHolder } from '../../../../src/bot/sign/createSigner.ts'
import { localKey } from '../../../../src/bot/sign/localKey.ts'
import type { SignerLimits } from '../../../../src/bot/sign/process/judge.ts'
import { lineBytesMax } from '../../../../src/bot/sign/process/messages.ts'
import { openDayCount } from '../../../../src/bot/sign/process/openDayCount.ts'
import { openProcessSigner } from '../../../../src/bot/sign/process/openProcessSigner.ts'
import { type SigningDecision, serveSigner } from '../../../../src/bot/sign/process/serveSigner.ts'
import type { Transaction } from '../../../../src/bot/stages.ts'
import { permitHash } from '../../../../src/chain/settlement/permit.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { secret } from '../../../../src/core/secret.ts'
import { heldDeadlines } from '../../../support/heldDeadlines.ts'
import { usdc, weth } from '../../verify/goodQuote.ts'
import {
  permit as aPermit,
  approvalOf,
  bytesOf,
  cancellation,
  key,
  limits,
  oneWeth,
  recipient,
  swapOf,
  wallet,
} from './signerCase.ts'

/** What a signer is given by default. */
const signerMs = 10_000
/** What the signer gives a line. */
const exchangeMs = 5_000

let folder: string
let socket: string
let file: string
let decisions: SigningDecision[]
const closers: (() => Promise<void>)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-signer-'))
  socket = join(folder, 'signer.sock')
  file = join(folder, 'signer.count')
  decisions = []
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve({
  path = socket,
  holder = localKey(secret(key)),
  ...changes
}: Partial<SignerLimits> & { path?: string; holder?: KeyHolder } = {}): Promise<{
  close(): Promise<void>
}> {
  const dayCount = openDayCount({ file, clock: systemClock })
  const closed = (server?: { close(): Promise<void> }) => async () => {
    await server?.close()
    dayCount.close()
  }
  try {
    const server = await serveSigner({
      socket: path,
      holder,
      limits: { ...limits, ...changes },
      dayCount,
      clock: systemClock,
      onDecision: (decision) => decisions.push(decision),
    })
    const close = closed(server)
    closers.push(close)
    return {
      async close() {
        closers.splice(closers.indexOf(close), 1)
        await close()
      },
    }
  } catch (error) {
    await closed()()
    throw error
  }
}

async function sign(transaction: Transaction) {
  const signer = createSigner(await openProcessSigner({ socket }), wallet)
  return signer.sign({ swapId: 'swap-1', kind: 'SWAP', transaction })
}

/** Writes exactly this and reads until the signer hangs up. */
async function raw(text: string | Buffer): Promise<string> {
  const connection = connect(socket)
  let answer = ''
  connection.on('data', (chunk) => {
    answer += chunk
  })
  connection.on('error', () => undefined)
  connection.write(text)
  await new Promise((resolve) => connection.once('close', resolve))
  return answer
}

const refusedBy = (rule: string) =>
  expect.objectContaining({ code: 'SIGNER_REFUSED', fault: 'refused', facts: { rule } })

describe('signer process', () => {
  test.each([
    ['a swap', swapOf()],
    ['an approval', approvalOf(oneWeth)],
    ['a cancellation', cancellation],
  ])('%s: is signed by the wallet, field for field', async (_, transaction) => {
    await serve()
    const { raw: bytes } = await sign(transaction)
    const to = transaction.to.toLowerCase()
    const { data = '0x', value = 0n, ...rest } = parseTransaction(bytes)
    expect({ data, value, ...rest }).toMatchObject({ type: 'eip1559', ...transaction, to })
  })

  test('what it refuses comes back with its rule, and is in the log with no signature', async () => {
    await serve()
    await expect(sign({ ...swapOf(), value: 1n })).rejects.toEqual(refusedBy('WRONG_VALUE'))
    await sign(swapOf())
    expect(decisions).toMatchObject([
      { answered: 'refused', rule: 'WRONG_VALUE' },
      { answered: 'signed', kind: 'SWAP', sold: '1 WETH', nonce: 7 },
    ])
    expect(JSON.stringify(decisions)).not.toContain('0x02')
  })

  test('the day’s limit holds over a restart; an approval and a cancellation need none of it', async () => {
    const first = await serve()
    for (const nonce of [1, 2]) await sign({ ...swapOf(), nonce })
    await first.close()
    await serve()
    await sign({ ...swapOf(), nonce: 3 })
    await expect(sign({ ...swapOf(), nonce: 4 })).rejects.toMatchObject({
      facts: { rule: 'ABOVE_PER_DAY' },
    })
    await sign(approvalOf(oneWeth))
    await sign(cancellation)
  })

  test('a permit: is signed within the limits, uses up a signature and nothing of the day, and is in the log', async () => {
    await serve({ signaturesPerHour: 5 })
    const signer = createSigner(await openProcessSigner({ socket }), wallet)
    const deadline = Math.floor(Date.now() / 1_000) + 60
    const permit = { ...aPermit, deadline }
    const signed = await signer.signPermit?.(permit)
    expect(signed).toMatchObject({ deadline: BigInt(deadline) })
    for (const nonce of [1, 2, 3]) await sign({ ...swapOf(), nonce })
    await signer.signPermit?.({ ...permit, nonce: permit.nonce + 1n })
    await expect(sign(cancellation)).rejects.toEqual(refusedBy('SIGNATURES_PER_HOUR'))
    expect(decisions[0]).toEqual({
      ...{ asked: 'permit', answered: 'signed', kind: 'PERMIT', permitted: '1 WETH' },
      digest: permitHash(permit),
    })
  })

  test('a permit beyond its limits is refused, and an approval may come in its place', async () => {
    await serve()
    const signer = createSigner(await openProcessSigner({ socket }), wallet)
    const far = { ...aPermit, deadline: Math.floor(Date.now() / 1_000) + 700 }
    await expect(signer.signPermit?.(far)).rejects.toMatchObject({
      code: 'PERMIT_UNUSABLE',
      facts: { rule: 'FAR_DEADLINE' },
    })
    expect(decisions).toMatchObject([{ asked: 'permit', answered: 'refused' }])
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  test('a key that signs no permits: the signer says so, and signs nothing', async () => {
    const { address, signTransaction } = localKey(secret(key))
    await serve({ holder: { address, signTransaction } })
    const signer = createSigner(await openProcessSigner({ socket }), wallet)
    const permit = { ...aPermit, deadline: Math.floor(Date.now() / 1_000) + 60 }
    await expect(signer.signPermit?.(permit)).rejects.toMatchObject({
      code: 'PERMIT_UNUSABLE',
      facts: { rule: 'NO_PERMITS' },
    })
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  test('a transfer through Permit2 is not even asked for', async () => {
    await serve()
    const signer = createSigner(await openProcessSigner({ socket }), wallet)
    const { name: _, version: __, ...terms } = aPermit
    const authorization = permitHash(aPermit)
    await expect(signer.signPermit?.({ ...terms, authorization })).rejects.toMatchObject({
      code: 'PERMIT_UNUSABLE',
      facts: { rule: 'NO_TRANSFERS' },
    })
    expect(decisions.filter(({ asked }) => asked === 'permit')).toEqual([])
  })

  test('many at once are counted one after the other', async () => {
    await serve()
    const asked = Array.from({ length: 8 }, (_, nonce) => sign({ ...swapOf(), nonce }))
    const ended = await Promise.allSettled(asked)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  test('SIGKILL between count and answer: what was counted stays counted', async () => {
    const script = new URL('./dyingSigner.ts', import.meta.url).pathname
    for (let round = 0; round < 3; round += 1) {
      const child = spawn(process.execPath, [script, socket, file], { stdio: 'pipe' })
      await once(child.stdout, 'data')
      const ended = once(child, 'exit')
      await expect(sign({ ...swapOf(), nonce: round })).rejects.toMatchObject({
        code: 'SIGNER_UNAVAILABLE',
      })
      expect((await ended)[1]).toBe('SIGKILL')
    }
    // Its socket is stale, its lock is gone, its three sales are not.
    expect(existsSync(socket)).toBe(true)
    await serve()
    await expect(sign({ ...swapOf(), nonce: 3 })).rejects.toMatchObject({
      facts: { rule: 'ABOVE_PER_DAY' },
    })
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(3)
  })
})

describe('a bot that was taken over', () => {
  const gwei = 10n ** 9n
  /** Sales of 1 wei that burn as much gas as one transaction may, all of it for the block producer. */
  const burn = { gas: 1_500_000n, maxFeePerGas: 200n * gwei, maxPriorityFeePerGas: 200n * gwei }
  const garbage = (nonce: number) => sign({ ...swapOf({ call: { amountIn: 1n } }), ...burn, nonce })
  const proof: Partial<SignerLimits> = {
    tokens: [
      { token: weth, perTransaction: oneWeth / 100n, perDay: oneWeth / 50n },
      { token: usdc, perTransaction: 0n, perDay: 0n },
    ],
    gasMax: burn.gas,
    gasPriceMax: burn.maxFeePerGas,
    tipMax: burn.maxPriorityFeePerGas,
  }

  test('eight garbage sales: gas counts at its full price, and what the day does not hold is refused', async () => {
    await serve({ ...proof, coinPerDay: { wei: (6n * oneWeth) / 10n, counts: 'gas and value' } })
    const ended = []
    for (let nonce = 0; nonce < 8; nonce += 1)
      ended.push(
        await garbage(nonce).then(
          () => 'signed',
          ({ facts }) => facts.rule,
        ),
      )
    // Each is 0.3 of the coin.
    expect(ended).toEqual(['signed', 'signed', ...Array(6).fill('COIN_PER_DAY')])
  })

  test('with a fee signer in its file none of them is signed, nor counted', async () => {
    await serve({ ...proof, feeSigner: recipient })
    await expect(garbage(0)).rejects.toEqual(refusedBy('FEE_SIGNER'))
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  test('an honest life costs no more than its dearest bids: approval, swap, three bumps, ten cancellations', async () => {
    const [first, last] = [16n, 99n]
    const wei = 400_000n * (last + first)
    await serve({ coinPerDay: { wei, counts: 'gas and value' } })
    await sign({ ...approvalOf(oneWeth), nonce: 0, maxFeePerGas: first })
    for (const maxFeePerGas of [first, 40n, 70n, last])
      await sign({ ...swapOf(), nonce: 1, maxFeePerGas })
    for (let bid = 0; bid < 10; bid += 1) await sign({ ...cancellation, nonce: 1 })
    await expect(sign({ ...cancellation, nonce: 2 })).rejects.toEqual(refusedBy('COIN_PER_DAY'))
  })

  test('so many signatures, of whatever kind', async () => {
    await serve({ signaturesPerHour: 3 })
    for (const kind of [approvalOf(0n), swapOf(), cancellation]) await sign(kind)
    await expect(sign(cancellation)).rejects.toEqual(refusedBy('SIGNATURES_PER_HOUR'))
  })
})

describe('its socket', () => {
  test('opens for its owner alone, and is taken away at the end', async () => {
    const { close } = await serve()
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    await close()
    expect(existsSync(socket)).toBe(false)
  })

  test('is not made where another user may write', async () => {
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    for (const mode of [0o777, 0o1777, 0o702, 0o720]) {
      chmodSync(shared, mode)
      await expect(serve({ path: join(shared, 'signer.sock') })).rejects.toMatchObject({
        code: 'DIRECTORY_NOT_PRIVATE',
        fault: 'usage',
        facts: { mode: mode.toString(8) },
      })
    }
  })

  test.runIf(process.geteuid?.() === 0)('is not made in a directory of another user', async () => {
    const foreign = join(folder, 'foreign')
    mkdirSync(foreign, { mode: 0o700 })
    chownSync(foreign, 65_534, 65_534)
    await expect(serve({ path: join(foreign, 'signer.sock') })).rejects.toMatchObject({
      code: 'DIRECTORY_NOT_PRIVATE',
      facts: { owner: '65534' },
    })
  })

  test('is not made over something else, nor where there is no directory', async () => {
    writeFileSync(socket, 'mine')
    await expect(serve()).rejects.toMatchObject({ code: 'SOCKET_UNUSABLE' })
    expect(readFileSync(socket, 'utf8')).toBe('mine')
    await expect(serve({ path: join(folder, 'none', 'signer.sock') })).rejects.toMatchObject({
      code: 'DIRECTORY_NOT_PRIVATE',
    })
  })

  test('a line without an end is cut off: nobody fills the memory that holds the key', async () => {
    await serve()
    const connection = connect(socket)
    let taken = 0
    const chunk = Buffer.alloc(64 * 1024, 'x')
    // A connection that is cut off ends with an error: that it ends is what is asked for.
    const closed = new Promise((resolve) => connection.once('close', resolve))
    connection.on('error', () => {})
    const pump = () => {
      while (!connection.destroyed && taken < 8 * lineBytesMax) {
        taken += chunk.length
        if (!connection.write(chunk)) return void connection.once('drain', pump)
      }
      connection.end()
    }
    pump()
    await closed
    expect(connection.bytesWritten).toBeLessThan(8 * lineBytesMax)
    await expect(sign({ ...swapOf(), nonce: 0 })).resolves.toMatchObject({})
  })

  test('is left to whoever listens on it', async () => {
    const other = createServer().listen(socket)
    await once(other, 'listening')
    await expect(serve()).rejects.toMatchObject({ code: 'SIGNER_RUNNING', fault: 'locked' })
    expect(statSync(socket).isSocket()).toBe(true)
    other.close()
  })
})

/** A request for a permit, as a bot of ours writes it but for these fields. */
function permitLine(change: Readonly<Record<string, unknown>>): string {
  const { wei, nonce, ...rest } = aPermit
  const permit = { ...rest, wei: String(wei), nonce: String(nonce), ...change }
  return `${JSON.stringify({ ask: 'permit', permit })}\n`
}

describe('its protocol', () => {
  test.each([
    ['no JSON', 'sign this\n'],
    ['another question', '{"ask":"key"}\n'],
    ['a field too many', '{"ask":"address","why":"so"}\n'],
    ['fields instead of bytes', `{"ask":"sign","transaction":{"to":"${wallet}"}}\n`],
    ['a permit of what is no number', permitLine({ wei: '1e18' })],
    ['a permit of more than a word holds', permitLine({ wei: String(2n ** 256n) })],
    ['a permit before the epoch', permitLine({ deadline: -1 })],
    ['a permit of a long name', permitLine({ name: 'x'.repeat(129) })],
    ['a permit with a digest of its own', permitLine({ digest: `0x${'1'.repeat(64)}` })],
    ['no hex', '{"ask":"sign","unsigned":"0xzz"}\n'],
    ['a prototype', '{"__proto__":{"ask":"address"}}\n'],
  ])('%s: is refused', async (_, line) => {
    await serve()
    expect(JSON.parse(await raw(line))).toMatchObject({ refused: { code: 'MALFORMED' } })
  })

  test('a second line of a connection is not read', async () => {
    await serve()
    const line = `${JSON.stringify({ ask: 'sign', unsigned: bytesOf(swapOf()) })}\n`
    expect((await raw(line + line)).trim().split('\n')).toHaveLength(1)
    expect(decisions).toHaveLength(1)
  })

  test('a line without end is cut, one that never comes is not waited for', async () => {
    await serve()
    expect(await raw(Buffer.alloc(300 * 1024, 'a'))).toBe('')
    const deadlines = heldDeadlines()
    const cut = raw('{"ask":')
    await vi.waitFor(() => expect(deadlines.lengths()).toContain(exchangeMs))
    deadlines.pass(exchangeMs)
    expect(await cut).toBe('')
    vi.restoreAllMocks()
    expect(decisions).toEqual([])
    await sign(swapOf())
  })
})

describe('the bot’s side', () => {
  /** Something that has the socket and is no signer. */
  async function impostor(answer: string | undefined): Promise<{ readonly hungUp: () => number }> {
    let hungUp = 0
    const server = createServer((connection) => {
      connection.on('error', () => undefined)
      connection.on('close', () => {
        hungUp += 1
      })
      connection.once('data', (line) => {
        if (String(line).includes('address'))
          connection.end(`${JSON.stringify({ address: wallet })}\n`)
        else if (answer !== undefined) connection.end(answer)
      })
    })
    server.listen(socket)
    await once(server, 'listening')
    closers.push(async () => {
      server.close()
    })
    return { hungUp: () => hungUp }
  }

  test('a signer that is silent is hung up on: no connection waits behind a refused swap', async () => {
    const { hungUp } = await impostor(undefined)
    const holder = await openProcessSigner({ socket })
    await expect.poll(hungUp).toBe(1)
    const deadlines = heldDeadlines()
    const failing = expect(
      holder.signTransaction({ type: 'eip1559', ...swapOf() }),
    ).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    await vi.waitFor(() => expect(deadlines.lengths()).toContain(signerMs))
    deadlines.pass(signerMs)
    await failing
    await expect.poll(hungUp).toBe(2)
  })

  test.each([
    ['garbage', 'garbage\n', 'SIGNER_UNAVAILABLE'],
    ['another answer', `{"address":"${wallet}"}\n`, 'SIGNER_UNAVAILABLE'],
    ['nothing', '', 'SIGNER_UNAVAILABLE'],
    ['bytes that are no transaction', '{"signed":"0x02"}\n', 'SIGNED_GARBLED'],
    ['the unsigned bytes', `{"signed":"${bytesOf(swapOf())}"}\n`, 'SIGNED_GARBLED'],
    ['no answer at all', undefined, 'SIGNER_UNAVAILABLE'],
  ])('%s: no signature', async (_, answer, code) => {
    await impostor(answer)
    const holder = await openProcessSigner({ socket })
    const deadlines = heldDeadlines()
    const swap = { swapId: 'swap-1', kind: 'SWAP', transaction: swapOf() } as const
    const failing = expect(createSigner(holder, wallet).sign(swap)).rejects.toMatchObject({ code })
    await vi.waitFor(() => expect(deadlines.lengths()).toContain(signerMs))
    if (answer === undefined) deadlines.pass(signerMs)
    await failing
  })

  test('nobody there: unavailable', async () => {
    await expect(openProcessSigner({ socket })).rejects.toMatchObject({
      code: 'SIGNER_UNAVAILABLE',
      fault: 'upstream',
      facts: { hint: 'is `ballast signer` running?' },
    })
  })
})
