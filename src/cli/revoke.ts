import { liabilityText } from '../app/journalViews.ts'
import { openMarket } from '../app/openMarket.ts'
import { onceEach, openTrain } from '../app/openTrain.ts'
import { recover } from '../app/recover.ts'
import { readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { revoke } from '../bot/life/approvals.ts'
import { sameAddress } from '../core/token.ts'
import { defineCommand, type Invocation } from './command.ts'

const options = {
  live: { flags: '--live', summary: 'sign and send; without it nothing is signed' },
} as const

type Listed = ReturnType<typeof liabilityText> & { readonly revoked: boolean }

export const command = defineCommand({
  name: 'revoke',
  summary: 'takes back allowances that swaps left behind; a list unless --live',
  example: 'ballast revoke --live',
  options,
  async run(invocation) {
    const { json, terminal } = invocation
    const listed = invocation.options.live ? await takeBack(invocation) : await list(invocation)
    if (json) terminal.json({ allowances: listed })
    else if (listed.length === 0) terminal.out('No swap left an allowance behind.')
    for (const { amount, spender, swapId, revoked } of json ? [] : listed)
      terminal.out(
        `${amount.text} ${amount.token} to ${spender}, left by swap ${swapId}: ${revoked ? 'taken back' : 'stands'}.`,
      )
  },
})

/** From the journal alone: needs no key and no chain. */
async function list({
  config: load,
  clock,
}: Invocation<typeof options>): Promise<readonly Listed[]> {
  const config = await load('journal')
  if (!(await journalExists(config.database))) return []
  const journal = await readJournal({ ...config, clock })
  try {
    const left = await journal.allowances.liabilities(config.wallet.address)
    return left.map((one) => ({ ...liabilityText(one, config), revoked: false }))
  } finally {
    await journal.shut()
  }
}

async function takeBack({
  config: load,
  clock,
  signal,
  terminal,
}: Invocation<typeof options>): Promise<readonly Listed[]> {
  const config = await load()
  const { address } = config.wallet
  const onTrouble = onceEach((swapId, error) =>
    terminal.note(`swap ${swapId}: ${error instanceof Error ? error.message : String(error)}`),
  )
  const market = await openMarket(config, clock)
  try {
    const { train, journal, close } = await openTrain({ config, market, clock, onTrouble })
    try {
      const { note: warn } = terminal
      await recover({ config, market, train, signal, onResumed: async () => {}, warn })
      const left = await journal.allowances.liabilities(address)
      for (const liability of left) {
        if (signal.aborted) break
        await revoke(liability, train, signal)
      }
      const still = await journal.allowances.liabilities(address)
      return left.map((one) => ({
        ...liabilityText(one, config),
        revoked: !still.some(({ token }) => sameAddress(token, one.token)),
      }))
    } finally {
      await close()
    }
  } finally {
    await market.close()
  }
}
