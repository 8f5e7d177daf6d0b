import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { haltFileExists, haltOfFile, lockedError } from '../../bot/journal/locks/guard.ts'
import { readJournal } from '../../bot/journal/readJournal.ts'
import { journalExists } from '../../bot/journal/schema/openDatabase.ts'
import { type Database, journalName } from '../../bot/journal/store/database.ts'
import { diskOf } from '../../bot/journal/store/disk.ts'
import { getTransactionCount } from '../../chain/calls/account.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Config } from '../../config/config.ts'
import { BallastError } from '../../core/errors.ts'
import { failureText } from '../failureText.ts'
import { tracesOfBot } from '../tracesOfBot.ts'
import { examineDisk } from './examineDisk.ts'
import type { Finding, Scene } from './finding.ts'

/** Would the bot start? It would not with a halted wallet, or with one that another party used. */
export async function examineJournal({ config, clock }: Scene): Promise<readonly Finding[]> {
  const { chain, wallet, database, haltFile } = config
  try {
    if (!(await journalExists(database))) {
      if (haltFileExists(haltFile)) throw lockedError(haltOfFile(haltFile))
      return [await examineNew(config)]
    }
    const journal = await readJournal({ database, haltFile, clock })
    try {
      await journal.locks.assertUnchanged()
      await journal.locks.guard('plan', { wallet: wallet.address })
    } catch (error) {
      await journal.shut()
      throw error
    }
    const state = await journal.wallet
      .state({ chainId: chain.chainId, wallet: wallet.address })
      .finally(journal.shut)
    if (state === undefined)
      return [{ name: 'journal', state: 'ok', actual: 'does not know this wallet yet' }]
    const rpc = createRpc({ url: chain.rpcUrl.reveal() })
    const nonce = await rpc.request(getTransactionCount(wallet.address)).finally(rpc.close)
    if (nonce <= state.nextNonce)
      return [{ name: 'journal', state: 'ok', actual: `next nonce ${state.nextNonce}` }]
    const actual = `the chain expects nonce ${nonce}: somebody else used this key`
    return [failure(actual, `nonce ${state.nextNonce} at most; ${resume}`, 'locked')]
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    // An endpoint that is away has its own line.
    if (error.fault === 'upstream') return []
    if (error.code === 'LOCKS_CHANGED')
      return [failure(error.summary, `locks that the log knows; ${resume}`, 'locked')]
    if (error.code !== 'LOCKED')
      return [failure(error.summary, `a journal that can be read; ${resume}`, 'usage')]
    const first = haltFileExists(haltFile) ? `remove the file ${haltFile} first, then ` : ''
    return [failure(error.summary, `a wallet that may sign; ${first}${resume}`, 'locked')]
  }
}

/** A first installation has none; one that was lost left traces, and the start would refuse to begin anew. */
async function examineNew(config: Config): Promise<Finding> {
  const rpc = createRpc({ url: config.chain.rpcUrl.reveal() })
  try {
    const nonce = await rpc.request(getTransactionCount(config.wallet.address))
    const traces = nonce === 0 ? [] : await tracesOfBot(config, rpc)
    return traces.length === 0
      ? { name: 'journal', state: 'ok', actual: 'none yet: the first live swap creates it' }
      : failure(
          `none, but ${traces.join(' and ')}`,
          `the old journal put back; ${resume}`,
          'locked',
        )
  } finally {
    await rpc.close()
  }
}

const resume = 'ballast resume --reason "…" once you know why'

const failure = (actual: string, expected: string, fault: 'usage' | 'locked'): Finding => ({
  name: 'journal',
  state: 'fail',
  expected,
  actual,
  fault,
})

/** Could the journal be written? Looks only; the database is made by the bot. */
export async function examineDatabase({
  config,
}: Pick<Scene, 'config'>): Promise<readonly Finding[]> {
  const { database } = config
  if (database.dialect === 'postgres') return examineServer(database)
  const { path } = database
  const target = existsSync(path) ? path : dirname(path)
  try {
    accessSync(target, constants.R_OK | constants.W_OK)
    return [{ name: 'database', state: 'ok', actual: path }, ...examineDisk(diskOf(database))]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return [
      {
        name: 'database',
        state: 'fail',
        expected: 'a folder that can be written to',
        actual:
          code === 'ENOENT' ? `there is no ${target}` : `${target} cannot be written (${code})`,
        fault: 'usage',
      },
    ]
  }
}

async function examineServer(database: Database): Promise<readonly Finding[]> {
  try {
    await journalExists(database)
    return [{ name: 'database', state: 'ok', actual: journalName(database) }]
  } catch (error) {
    return [
      {
        name: 'database',
        state: 'fail',
        expected: 'a server that answers and keeps what it is given',
        actual: failureText(error),
        fault: 'usage',
      },
    ]
  }
}
