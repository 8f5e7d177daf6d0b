import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startBallast } from '../support/runBallast.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'ballast-demo-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const demo = () => startBallast(['demo', '--port', '0', '--data-dir', dataDir])
const settled =
  /SETTLED sell-strength: sold 1 WETH for [\d.]+ USDC · [+-][\d.]+ bps against the indication · (\d+)\/\1 checks · gas \d+ \([\d.]+ ETH\) · tx 0x[0-9a-f]{64}/

type Listed = { id: string; state: string }[]

/** Processes whose command line names the demo's folder. */
const processes = () =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir))

describe('demo', () => {
  test('a strategy settles a swap, the page answers, Ctrl-C is clean, the next start continues', async () => {
    const first = demo()
    const said = await first.says(settled)
    const url = /on local · (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1] ?? ''
    expect(await (await fetch(url)).text()).toContain('Synthetic prices')
    expect(await (await fetch(`${url}/api/health`)).json()).toMatchObject({ ok: true, ready: true })
    const before = (await (await fetch(`${url}/api/swaps`)).json()) as Listed
    expect(before.some(({ state }) => state === 'SETTLED')).toBe(true)

    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
    expect(processes()).toEqual([])

    const second = demo()
    await second.says(settled)
    const again = /on local · (http:\/\/127\.0\.0\.1:\d+)/.exec(await second.says('on local'))?.[1]
    const after = (await (await fetch(`${again}/api/swaps`)).json()) as Listed
    const decided = before.filter(({ state }) => state === 'SETTLED').map(({ id }) => id)
    expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(decided))
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(0)
    expect(processes()).toEqual([])
  })

  test('SIGKILL leaves nothing running: the chain and the bot end with it', async () => {
    const { child, says, ended } = demo()
    await says('BALLAST treasury')
    child.kill('SIGKILL')
    await ended
    await expect.poll(processes).toEqual([])
  })
})
