import { moneyText } from '../app/paperMoney.ts'
import { undoneMax } from '../app/reading/readAttention.ts'
import { readStatus } from '../app/readStatus.ts'
import { spenderText } from '../app/spenderText.ts'
import type { JournalReader } from '../bot/journal/readJournal.ts'
import { journalName } from '../bot/journal/store/database.ts'
import type { lockText } from '../bot/lock/lockText.ts'
import type { SwapRecord } from '../bot/record.ts'
import type { RunState } from '../bot/report/attention.ts'
import type { Config } from '../config/config.ts'
import { showText } from '../core/amount.ts'
import { display } from '../core/display.ts'
import { table } from '../core/textLayout.ts'
import type { StrategyView } from '../dashboard/views.ts'
import { defineCommand } from './command.ts'
import { checkCodeOf, exitCodes } from './exitCodes.ts'
import type { Invocation } from './invocation.ts'
import { existingJournal } from './needs.ts'
import { paperOption } from './options.ts'
import { watch } from './watch.ts'

export const command = defineCommand({
  name: 'status',
  summary: 'whether it runs, wallet, strategies, swaps and locks, from the journal alone',
  example: 'ballast status',
  isForEach: ({ options }) => options.watch !== true,
  options: {
    paper: paperOption,
    check: {
      flags: '--check',
      summary: 'end with 0 only where it runs and needs nothing; else 10 to 15, by its state',
    },
    watch: {
      flags: '--watch',
      summary: 'look again every two seconds, until Ctrl-C; in a pipe, print each change',
    },
  },
  config: 'journal',
  needs: { journal: existingJournal },
  endsByInterrupt: true,
  async run(given) {
    const look = async () => {
      const status = await readStatus({ ...given, paper: given.options.paper === true })
      return { ...status, check: checkCodeOf(status.state, status.attention) }
    }
    if (!given.options.watch) return look()
    await watch(given, async () => {
      await using opened = new AsyncDisposableStack()
      // Opened anew: a journal may have come, or another taken its place.
      const journal = await existingJournal(given, opened)
      const status = await readStatus({ ...given, journal, paper: given.options.paper === true })
      return given.json ? status : statusText(status, { ...given, journal })
    })
    return undefined
  },
  exitCode: (status, { options }) =>
    options.check === true && status !== undefined ? status.check : exitCodes.done,
  text: (status, given) => statusText(status, given),
})

type Given = Pick<Invocation, 'terminal'> & {
  readonly config: Config
  readonly journal: JournalReader | undefined
}

function statusText(status: Shown, { config, journal, terminal: { columns } }: Given): string {
  const { wallet, pid, strategies, undone, swaps, allowances, locks, attention } = status
  const lockTable = table([lockHeader, ...locks.map(lockRow)], columns)
  const title = `${wallet.name} ${wallet.address}`
  if (journal === undefined && pid !== null)
    return `${title}: no journal at ${journalName(config.database)}, yet process ${pid} spends from one: its file was moved or deleted. Put it back.`
  if (journal === undefined)
    return locks.length === 0
      ? `${headline(status)}\n${title}: no journal yet, no locks.`
      : `${headline(status)}\n${title}: no journal yet.\n${lockTable}`
  const { balances, holder } = status
  return [
    headline(status),
    balances === undefined
      ? `${title} on ${config.chain.name}, next nonce ${wallet.nextNonce ?? 'not known yet'}`
      : `${title} on ${config.chain.name}, on paper: ${moneyText(balances, config)}`,
    ...(pid === null ? [] : [`Process ${pid} spends from this journal.`]),
    ...(holder === undefined ? [] : [`Process ${display(holder, 256)} spends from this journal.`]),
    ...(strategies.length === 0
      ? []
      : [table([strategyHeader, ...strategies.map(strategyRow)], columns)]),
    ...attention.flatMap(attentionLine),
    ...(undone.length === undoneMax
      ? ['There may be more: ballast export --what slots has every slot.']
      : []),
    swaps.length === 0 ? 'No swap is under way.' : table(swaps.map(row), columns),
    ...allowances.map(({ amount, spender, isStated }) => {
      const [what, takesBack] = [showText(amount), 'ballast revoke --live takes it back.']
      return isStated
        ? `${spenderText(spender)} may take ${what}, as policy.allowances lets it: ${takesBack}`
        : `${spenderText(spender)} may still take ${what}, which no swap needs: ${takesBack}`
    }),
    locks.length === 0 ? 'No lock holds.' : lockTable,
  ].join('\n')
}

type Shown = Awaited<ReturnType<typeof readStatus>>

/** The state first. Without a process, what the tables below say is of the past. */
function headline({ state, strategies, locks }: Shown): string {
  const decided = strategies.flatMap(({ decidedAt }) => decidedAt ?? [])
  const last = decided.sort().at(-1)
  // Started again it would end at once: somebody meant it to.
  const halt = locks.find(({ kind }) => kind === 'halt')
  const held =
    halt === undefined
      ? ''
      : ` A halt holds, ${halt.code}: do not start it before that is released.`
  const sentences: Readonly<Record<RunState, string>> = {
    RUNNING: 'the bot runs.',
    PAUSED: 'the bot runs, and a lock holds it back.',
    STALE: 'the bot runs, and has not decided for long.',
    DEAD: `the bot does not run.${last === undefined ? '' : ` Its last decision was at ${last}.`}${held}`,
    NEVER: 'the bot does not run, and has not decided anything yet.',
    UNKNOWN:
      'whether the bot runs cannot be told: this account may not try its lock, and its number beside the journal names no process here. Look as its account.',
  }
  return `${state}: ${sentences[state]}`
}

function row({ id, strategy, state, sell, buy, createdAt, txHash }: SwapRecord): string[] {
  return [id, strategy, state, `${showText(sell)} for ${buy}`, createdAt, txHash ?? '']
}

const strategyHeader = ['strategy', 'next look', 'last look', 'decision', 'reason']

function strategyRow({ name, nextAt, decidedAt, decision, reason }: StrategyView): string[] {
  return [name, nextAt ?? '', decidedAt ?? 'never', decision ?? '', display(reason ?? '', 1_000)]
}

/** Locks have a table of their own. */
function attentionLine({ kind, code, sentence, next }: Shown['attention'][number]) {
  if (kind === 'lock') return []
  return kind === 'slot' ? `NOT DONE ${sentence}` : `ATTENTION ${code}: ${sentence} ${next}`
}

const lockHeader = ['lock', 'kind', 'scope', 'code', 'since', 'until', 'reason']

function lockRow(lock: ReturnType<typeof lockText>): string[] {
  const { id, kind, scope, code, reason, openedAt, expiresAt } = lock
  return [String(id), kind, scope, code, openedAt, expiresAt ?? 'resume', display(reason, 1_000)]
}
