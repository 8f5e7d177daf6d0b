import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createReload } from '../../src/app/createReload.ts'
import { type Shown, watchOnly } from '../../src/app/dashboard/serveDashboard.ts'
import { type Engine, openEngine } from '../../src/app/openEngine.ts'
import { openMarket } from '../../src/app/openMarket.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { remember, wait } from '../../src/bot/strategy/index.ts'
import { contextWith } from '../../src/bot/strategy/testing.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { tokenOf } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { ballastError } from '../../src/core/errors.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { planned } from '../support/planned.ts'
import { silent } from '../support/silent.ts'

let fork: Fork
beforeEach(async () => {
  fork = await forkOrigin()
})
afterEach(() => fork.close())

function open(
  environment: Readonly<Record<string, string>>,
  { signal } = new AbortController(),
  more: Partial<Parameters<typeof openEngine>[0]> = {},
): Promise<Engine> {
  return openEngine({
    reload: createReload({ configFile: fork.ready.config, environment, cwd: fork.dataDir }),
    ...{ paper: false, balances: undefined, serve: watchOnly, clock: systemClock, log: silent },
    ...{ say: () => {}, signal, halt: new AbortController().signal },
    ...more,
  })
}

const webhook = {
  WEBHOOK_URL: 'http://127.0.0.1:9/hook',
  WEBHOOK_SECRET: 'key-of-a-test-that-is-long-enough-0123456789',
}

/** Holds everything until a person releases it; refused by the webhook for so long. */
async function lockedFor(engine: Engine, minutes: number): Promise<void> {
  const { database, haltFile, wallet } = engine.config
  const shortfall = { kind: 'breaker', code: 'SHORTFALL', reason: 'too little' } as const
  await engine.journal.locks.open({ ...shortfall, scope: 'all', expiresAt: undefined })
  const clock = { ...systemClock, now: () => Date.now() - minutes * 60_000 }
  const journal = await openJournal({ database, haltFile, clock })
  const text = { subject: 'lock 1', since: '', sentence: '', next: '' }
  await journal.alerts.begin({
    items: [{ ...text, kind: 'lock', code: 'SHORTFALL', severity: 'critical' }],
    source: { chainId: 1, wallet: wallet.address, mode: 'live' },
    channels: ['webhook'],
  })
  const wanted = { channel: 'webhook', severities: ['critical'], limit: 1 } as const
  const [alert] = await journal.alerts.due(wanted)
  for (let tries = 0; tries < 8; tries += 1)
    await journal.alerts.postponed({ id: alert?.id ?? '', channel: 'webhook', forMs: 0 })
  await journal.shut()
}

test.each([
  ['the webhook was called a minute ago', webhook, 1, false],
  ['the webhook has refused for longer than 15 minutes', webhook, 16, true],
  ['nobody is told of anything', {}, 1, true],
])('a dead-man switch under a lock of everything: %s', async (_, environment, minutes, silent) => {
  await using engine = await open(environment)
  expect(await engine.isHindered()).toBe(false)
  await lockedFor(engine, minutes)
  expect(await engine.isHindered()).toBe(silent)
})

test('what waited for a channel is forgotten where none is configured any more', async () => {
  const stop = new AbortController()
  await using engine = await open({}, stop)
  await lockedFor(engine, 16)
  const { undelivered } = engine.journal.alerts
  expect(await undelivered()).toHaveLength(1)
  const running = engine.run()
  try {
    await expect.poll(undelivered).toEqual([])
  } finally {
    stop.abort()
    await running
  }
})

test('in a fleet one without channels leaves what waits for those of others, and ends what is over', async () => {
  const stop = new AbortController()
  await using engine = await open({}, stop, { onOutdated: () => {} })
  await lockedFor(engine, 16)
  const { alerts } = engine.journal
  const text = { subject: '0x1', since: '', sentence: '', next: '' }
  await alerts.begin({
    items: [{ ...text, kind: 'allowance', code: 'ALLOWANCE_LEFT', severity: 'warning' }],
    source: { chainId: 1, wallet: engine.config.wallet.address, mode: 'live' },
    channels: ['webhook'],
  })
  const codes = async () => (await alerts.open()).map(({ code }) => code)
  expect(await codes()).toContain('ALLOWANCE_LEFT')
  const running = engine.run()
  try {
    await expect.poll(codes).not.toContain('ALLOWANCE_LEFT')
    expect(await codes()).toContain('SHORTFALL')
    expect(await alerts.undelivered()).toHaveLength(1)
  } finally {
    stop.abort()
    await running
  }
})

test.each([
  ['CONFIG_INVALID', undefined, ['CONFIG_REFUSED']],
  ['CONFIG_NEEDS_RESTART', undefined, ['CONFIG_REFUSED']],
  ['CONFIG_INVALID', () => {}, ['CONFIG_REFUSED']],
  // A fleet does both by itself.
  ['CONFIG_NEEDS_RESTART', () => {}, []],
  ['WALLET_NOT_NAMED', () => {}, []],
] as const)(
  'a changed file that is refused with %s, onOutdated %o',
  async (code, onOutdated, codes) => {
    const problem = ballastError(code, 'Not that.')
    const reload = createReload({
      configFile: fork.ready.config,
      environment: {},
      cwd: fork.dataDir,
    })
    let shown: Shown | undefined
    await using _ = await open({}, new AbortController(), {
      ...{
        reload: { ...reload, refused: () => ({ since: 0, problem, isUnnamed: false }) },
        onOutdated,
      },
      async serve(served) {
        shown = await watchOnly(served)
        return shown
      },
    })
    const { attention } = (await shown?.health()) ?? {}
    expect(attention?.map((item) => item.code)).toEqual(codes)
  },
)

test('a reference that gave no price for more than an hour needs attention', async () => {
  let shown: Shown | undefined
  const [since, until] = [Date.now() - 3_601_000, Date.now()]
  const silences = [{ source: 'feed WETH/USD', reason: 'it is old', since, until }]
  await using _ = await open({}, new AbortController(), {
    async serve(served) {
      shown = await watchOnly({ ...served, market: { ...served.market, silent: () => silences } })
      return shown
    },
  })
  const { attention } = (await shown?.health()) ?? {}
  expect(attention).toMatchObject([{ code: 'REFERENCE_SILENT', subject: 'feed WETH/USD' }])
})

test('a start under other parameters names what a strategy forgets', async () => {
  const stop = new AbortController()
  const said: string[] = []
  await using engine = await open({}, stop, { say: (line) => void said.push(line) })
  const [{ name } = { name: '' }] = engine.config.strategies
  await engine.journal.decisions.record({
    ...{ strategy: name, slot: 1, at: Date.now(), context: contextWith<unknown>({ other: 1n }) },
    decision: remember({ carried: '5' }, wait('a test')),
  })
  const running = engine.run()
  try {
    await expect.poll(() => said).toContainEqual(expect.stringMatching(/^FORGOT .*: carried 5$/))
  } finally {
    stop.abort()
    await running
  }
})

test('an endless strategy is locked, in its decisions and in what it reserves, and the others decide', async () => {
  const file = (name: string, { decides = "wait('a test')", part = '' }) =>
    writeFileSync(
      join(fork.dataDir, `${name}.ts`),
      `import { defineStrategy, wait } from '#strategy'
export default defineStrategy<object>({
  name: '${name}', summary: 'A test.', params: (fields) => fields.object({}),
  schedule: () => ({ kind: 'every', seconds: 1 }), watch: () => [],
  decide: () => ${decides}, ${part}
})
`,
    )
  file('endless', { decides: '{ for (;;); }' })
  file('greedy', { part: 'reserves: () => { for (;;); },' })
  file('quiet', {})
  const names = ['endless', 'greedy', 'quiet']
  const listed = names.map((name) => `  - { name: ${name}, use: ./${name}.ts, params: {} }\n`)
  const text = readFileSync(fork.ready.config, 'utf8')
  const configFile = join(fork.dataDir, 'endless.yaml')
  writeFileSync(
    configFile,
    text.replace(/strategies:\n(?: {2}.*\n)+/, `strategies:\n${listed.join('')}`),
  )
  const stop = new AbortController()
  await using engine = await open({}, stop, {
    reload: createReload({ configFile, environment: {}, cwd: fork.dataDir }),
    paper: true,
  })
  const running = engine.run()
  const { locks, decisions } = engine.journal
  try {
    const broken = async () => (await locks.live()).map(({ code, scope }) => `${code} ${scope}`)
    await expect
      .poll(broken)
      .toEqual(
        expect.arrayContaining([
          'STRATEGY_BROKEN strategy endless',
          'STRATEGY_BROKEN strategy greedy',
        ]),
      )
    await expect
      .poll(async () => (await decisions.latest()).map(({ strategy }) => strategy))
      .toContain('quiet')
  } finally {
    stop.abort()
    await running
  }
})

test('a token that never told a balance is refused at the start; one that did is waited for', async () => {
  const { address = '0x' } = fork.ready.tokens.DAI ?? {}
  const rpc = createRpc({ url: fork.ready.rpcUrl })
  await rpc.request(anvilCalls.setCode(address, '0x'))
  await rpc.close()
  await expect(open({})).rejects.toMatchObject({ code: 'TOKEN_NOT_ON_CHAIN' })
  const config = loadConfig({ file: fork.ready.config, environment: {}, cwd: fork.dataDir })
  const { database, haltFile, wallet, tokens } = config
  const journal = await openJournal({ database, haltFile, clock: systemClock })
  const balances = [{ token: tokenOf('DAI', tokens.bySymbol), wei: 7n }]
  const { chainId } = fork.ready
  await journal.wallet.balanceLedger({ chainId, wallet: wallet.address, balances, block: 1 })
  await journal.shut()
  const warned: unknown[] = []
  await using engine = await open({}, new AbortController(), {
    log: { ...silent, warn: (facts: unknown) => void warned.push(facts) } as never,
  })
  expect(engine.config.wallet.address).toBe(wallet.address)
  expect(warned).toEqual([{ token: 'DAI', address }])
})

test('a token without a balance on record keeps nobody from following a swap that is open', async () => {
  const { address = '0x' } = fork.ready.tokens.DAI ?? {}
  const rpc = createRpc({ url: fork.ready.rpcUrl })
  await rpc.request(anvilCalls.setCode(address, '0x'))
  await rpc.close()
  const config = loadConfig({ file: fork.ready.config, environment: {}, cwd: fork.dataDir })
  const { database, haltFile } = config
  const market = await openMarket(config, systemClock)
  const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
  const journal = await openJournal({ database, haltFile, clock: systemClock })
  await journal.swaps.reserve(await planned({ config, market }, wish), () => {})
  await journal.shut()
  await market.close()
  await using engine = await open({})
  expect(await engine.journal.swaps.open()).toHaveLength(1)
})

test('a token that tells no balance needs attention', async () => {
  let shown: Shown | undefined
  const [since, until] = [Date.now() - 300_000, Date.now()]
  const unread = [{ source: 'DAI', reason: 'execution reverted', since, until }]
  await using _ = await open({}, new AbortController(), {
    async serve(served) {
      const { note } = served.market.unread
      for (const { source, reason } of unread)
        for (const at of [since, until]) note({ source, reason, at })
      shown = await watchOnly(served)
      return shown
    },
  })
  const { attention } = (await shown?.health()) ?? {}
  expect(attention).toMatchObject([{ code: 'TOKEN_UNREADABLE', subject: 'DAI' }])
})

test('a look is late by the first of several openings', async () => {
  const late = async (runningSince: number | undefined) => {
    await using engine = await open({}, new AbortController(), {
      serve: (served) => watchOnly({ ...served, runningSince }),
    })
    return await engine.isHindered()
  }
  expect([await late(undefined), await late(Date.now() - 3_600_000)]).toEqual([false, true])
})
