import { caughtUpHead, deepNonce } from '../app/chainNonce.ts'
import { onPaper, paperOption } from '../app/onPaper.ts'
import { openMarket } from '../app/openMarket.ts'
import { releaseOnPaper } from '../app/releaseOnPaper.ts'
import { holdJournal } from '../bot/journal/holdJournal.ts'
import { haltFileExists } from '../bot/journal/locks/guard.ts'
import { type Journal, openJournal } from '../bot/journal/openJournal.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { Lock } from '../bot/lock.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import type { Config } from '../config/config.ts'
import { display } from '../core/display.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { defineCommand, type Invocation } from './command.ts'

export const command = defineCommand({
  name: 'resume',
  summary: 'releases locks, once a person has looked',
  example: 'ballast resume --reason "the transfer of 3 ETH was ours"',
  arguments: [{ name: '[lock]', summary: 'the number of one lock; all of them without it' }],
  options: {
    reason: {
      flags: '--reason <text>',
      summary: 'what was found; kept in the journal',
      required: true,
    },
    paper: paperOption,
  },
  async run({ args, config: load, options, clock, json, signal, terminal }) {
    const reason = display(options.reason.trim(), 1_000)
    if (reason === '') throw usage('--reason says what was found: it cannot be empty.')
    const id = readId(args[0])
    const written = await load('journal')
    const config = options.paper ? onPaper(written) : written
    const { wallet, database, haltFile } = config
    if (haltFileExists(haltFile))
      throw ballastError(
        'HALT_FILE_EXISTS',
        `The file ${haltFile} halts for as long as it exists: remove it first.`,
      )
    if (options.paper) {
      const released = await releaseOnPaper(config, { id, reason, clock })
      if (json)
        terminal.json({
          wallet: wallet.address,
          nextNonce: null,
          released: released.map(lockText),
        })
      else terminal.out(released.map(releasedLine).join('\n') || nothingLocked)
      return
    }
    const journal = await openJournal({ database, haltFile, clock })
    try {
      const locks = await journal.locks.releasable()
      const chosen = id === undefined ? locks : locks.filter((lock) => lock.id === id)
      if (
        locks.length === 0 &&
        id === undefined &&
        !(await nonceDiffers(config, { journal, load, terminal }))
      ) {
        if (json) terminal.json({ wallet: wallet.address, nextNonce: null, released: [] })
        else terminal.out(nothingLocked)
        return
      }
      const nextNonce = concernsNonce(chosen, { id })
        ? await adoptNonce({
            config: await load('chain'),
            journal,
            reason,
            halted: chosen.length > 0,
            clock,
            signal,
            terminal,
          })
        : undefined
      const released = await journal.locks.release({ id, reason })
      if (json) {
        terminal.json({
          wallet: wallet.address,
          nextNonce: nextNonce ?? null,
          released: released.map(lockText),
        })
        return
      }
      for (const lock of released) terminal.out(releasedLine(lock))
      if (nextNonce !== undefined)
        terminal.out(`Wallet ${wallet.name} goes on from nonce ${nextNonce}.`)
    } finally {
      await journal.shut()
    }
  },
})

const nothingLocked = 'Nothing is locked: there is nothing to release.'

const releasedLine = ({ id, kind, scope, code }: Lock) =>
  `Released lock ${id}: ${kind} ${scope} (${code}).`

/** A wallet is halted when somebody else used its key. Where nothing is locked, a start was refused over the nonce. */
function concernsNonce(chosen: readonly Lock[], { id }: { id: number | undefined }): boolean {
  if (chosen.length === 0) return id === undefined
  return chosen.some(({ kind, scope }) => kind === 'halt' && scope.startsWith('wallet '))
}

/**
 * Whether a start would be refused over the nonce. Asked without the journal's lock, which a running bot holds: one that
 * runs was not refused, and its own transactions under way explain a difference.
 */
async function nonceDiffers(
  { chain, wallet }: Config,
  {
    journal,
    load,
    terminal,
  }: { journal: Journal } & Pick<Invocation, 'terminal'> & {
      load: Invocation['config']
    },
): Promise<boolean> {
  const state = await journal.wallet.state({ chainId: chain.chainId, wallet: wallet.address })
  if (state === undefined || (await journal.swaps.open()).length > 0) return false
  try {
    const rpc = createRpc({ url: (await load('chain')).chain.rpcUrl.reveal() })
    const nonce = await rpc.request(getTransactionCount(wallet.address)).finally(rpc.close)
    return nonce !== state.nextNonce
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    terminal.note(`The chain was not asked for the nonce of the wallet: ${error.summary}`)
    return false
  }
}

/** The wallet goes on from the nonce the chain expects; no process may be spending meanwhile. */
async function adoptNonce({
  config,
  journal,
  reason,
  halted,
  clock,
  signal,
  terminal,
}: {
  config: Config
  journal: Journal
  reason: string
  halted: boolean
} & Pick<Invocation, 'clock' | 'signal' | 'terminal'>): Promise<number | undefined> {
  const { chain, wallet, database } = config
  const hold = await holdJournal({
    database,
    chainId: chain.chainId,
    wallet: wallet.address,
    clock,
  })
  try {
    const market = await openMarket(config, clock)
    try {
      await caughtUpHead({ config, rpc: market.rpc, journal })
      const nonceOfChain = await deepNonce({
        rpc: market.rpc,
        chain,
        wallet: wallet.address,
        clock,
        signal,
        note: terminal.note,
      })
      const { chainId } = chain
      await journal.wallet.release({ chainId, wallet: wallet.address, nonceOfChain, reason })
      return nonceOfChain
    } finally {
      await market.close()
    }
  } catch (error) {
    // Signed bytes must be followed before the nonce can move, and under a halt nobody follows them: the halt is
    // released alone, and the next start says so if the nonce is still another one when they are decided.
    if (halted && error instanceof BallastError && error.code === 'SWAP_UNDECIDED') return undefined
    throw error
  } finally {
    await hold.release()
  }
}

function readId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw usage(`'${display(text, 32)}' is not the number of a lock: 'ballast status' lists them.`)
  return Number(text)
}

const usage = (sentence: string) => ballastError('USAGE', sentence)
