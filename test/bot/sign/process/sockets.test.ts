import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serializeTransaction } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { listenPrivately } from '../../../../src/bot/sign/process/listenPrivately.ts'
import { openProcessSigner } from '../../../../src/bot/sign/process/openProcessSigner.ts'
import { type SigningDecision, serveSigner } from '../../../../src/bot/sign/process/serveSigner.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { ballastError } from '../../../../src/core/errors.ts'
import { cancellation, limits, wallet } from './signerCase.ts'

// The socket of a signer, with a key holder of a few lines.
let folder: string
let path: string
const closers: (() => unknown)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-socket-'))
  path = join(folder, 'signer.sock')
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe('a private socket', () => {
  const inUse = ballastError('SIGNER_RUNNING', 'Another one.', {})
  const listenAt = (listen: () => Promise<unknown>) => listenPrivately(path, { listen, inUse })

  test('is made for its owner alone, on a system that heeds masks and on one that does not', async () => {
    const before = process.umask()
    let during: number | undefined
    await listenAt(async () => {
      during = process.umask()
      writeFileSync(path, '')
      chmodSync(path, 0o666)
    })
    expect([during, process.umask(), statSync(path).mode & 0o777]).toEqual([0o177, before, 0o600])
  })

  test('may lie in a directory that others may pass', async () => {
    chmodSync(folder, 0o701)
    await listenAt(async () => writeFileSync(path, ''))
    expect(existsSync(path)).toBe(true)
  })

  test('that cannot be made gives its reason', async () => {
    const listen = () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }))
    await expect(listenAt(listen)).rejects.toMatchObject({
      code: 'SOCKET_UNUSABLE',
      facts: { socket: path, reason: 'EACCES' },
    })
  })

  test('at which another answers is left to it, and let go', async () => {
    let answered: Socket | undefined
    const other = createServer((socket) => {
      answered = socket
    }).listen(path)
    closers.push(() => other.close())
    await once(other, 'listening')
    await expect(listenAt(async () => {})).rejects.toBe(inUse)
    await expect.poll(() => answered?.destroyed).toBe(true)
  })
})

type Sign = () => Promise<`0x${string}`>
async function serve(signTransaction: Sign = async () => '0x12', socket = path) {
  const decisions: SigningDecision[] = []
  const server = await serveSigner({
    ...{ socket, limits, holder: { address: wallet, signTransaction } },
    dayCount: { count: () => {}, close: () => {} },
    clock: systemClock,
    onDecision: (decision) => decisions.push(decision),
  })
  closers.push(() => server.close())
  return { ...server, decisions }
}

/** A connection, what it was told, and its end. */
function client() {
  const socket = connect(path)
  closers.push(() => socket.destroy())
  let told = ''
  socket.on('data', (chunk) => {
    told += chunk
  })
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(told)))
  return { socket, closed }
}
const signLine = `${JSON.stringify({
  ask: 'sign',
  unsigned: serializeTransaction({ type: 'eip1559', ...cancellation }),
})}\n`
async function tell(line: string): Promise<unknown> {
  const { socket, closed } = client()
  socket.write(line)
  return JSON.parse(await closed)
}

/** A key holder that signs when it is let. */
function held() {
  const { promise, resolve } = Promise.withResolvers<`0x${string}`>()
  let asked = 0
  const sign: Sign = () => {
    asked += 1
    return promise
  }
  return { sign, asked: () => asked, release: () => resolve('0x12') }
}

describe('its server', () => {
  test('says what it was asked, and by which rule it refused', async () => {
    const { decisions } = await serve()
    await tell(signLine)
    await tell('sign this\n')
    expect(decisions).toMatchObject([
      { asked: 'sign', answered: 'signed' },
      { asked: 'unreadable', answered: 'refused', rule: 'MALFORMED' },
    ])
  })

  test.each([
    [new Error('boom'), { code: 'INTERNAL', reason: 'the signer failed' }],
    ['boom', { code: 'INTERNAL', reason: 'the signer failed' }],
    [
      ballastError('SIGNER_UNAVAILABLE', `a${'b'.repeat(1_000)}`),
      { code: 'SIGNER_UNAVAILABLE', reason: `a${'b'.repeat(999)}` },
    ],
  ])('a key holder that fails signs nothing: %s', async (error, refused) => {
    await serve(() => Promise.reject(error))
    expect(await tell(signLine)).toEqual({ refused })
  })

  test('an exchange has five seconds', async () => {
    const controller = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(controller.signal)
    await serve()
    const { closed } = client()
    await expect.poll(() => timeout.mock.calls).toEqual([[5_000]])
    controller.abort()
    expect(await closed).toBe('')
  })

  test('eight may be connected, and no ninth', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
    await serve()
    const clients = Array.from({ length: 8 }, client)
    for (const { socket } of clients) if (socket.connecting) await once(socket, 'connect')
    expect(await client().closed).toBe('')
    clients[7]?.socket.write('{"ask":"address"}\n')
    expect(await clients[7]?.closed).toContain(wallet)
  })

  test('a request whose client has gone is not signed', async () => {
    const { sign, asked, release } = held()
    const { decisions } = await serve(sign)
    const first = client()
    first.socket.write(signLine)
    await expect.poll(asked).toBe(1)
    const second = client()
    second.socket.write(signLine)
    await once(second.socket, 'connect')
    second.socket.destroy()
    await second.closed
    // The end of a local connection is there at once; the server reads it in its next turns.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    release()
    expect(await first.closed).toContain('signed')
    await tell('{"ask":"address"}\n')
    expect([asked(), decisions.length]).toEqual([1, 1])
  })

  test('at its end answers what it is signing, and hangs up on the others', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
    const { sign, asked, release } = held()
    const { close } = await serve(sign)
    const [signing, silent] = [client(), client()]
    await once(silent.socket, 'connect')
    signing.socket.write(signLine)
    await expect.poll(asked).toBe(1)
    const ended = close()
    release()
    await ended
    expect([await signing.closed, await silent.closed]).toEqual(['{"signed":"0x12"}\n', ''])
    expect(existsSync(path)).toBe(false)
  })

  test('a path that is too long for a socket is told', async () => {
    const long = join(folder, 'x'.repeat(200))
    await expect(serve(undefined, long)).rejects.toMatchObject({ code: 'SOCKET_UNUSABLE' })
  })
})

test('the bot hangs up once it was answered', async () => {
  let connection: Socket | undefined
  const server = createServer((socket) => {
    connection = socket.resume()
    socket.write(`${JSON.stringify({ address: wallet })}\n`)
  }).listen(path)
  closers.push(() => server.close())
  await once(server, 'listening')
  expect((await openProcessSigner({ socket: path })).address).toBe(wallet)
  await expect.poll(() => connection?.destroyed).toBe(true)
})
