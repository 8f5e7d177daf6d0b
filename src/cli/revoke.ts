import { listAllowances, takeBackAllowances } from '../app/takeBackAllowances.ts'
import { showText } from '../core/amount.ts'
import { defineCommand } from './command.ts'

export const command = defineCommand({
  name: 'revoke',
  summary: 'takes back allowances that swaps left behind; a list unless --live',
  example: 'ballast revoke --live',
  options: { live: { flags: '--live', summary: 'sign and send; without it nothing is signed' } },
  async run({ options, load, clock, signal, terminal }) {
    return {
      allowances: options.live
        ? await takeBackAllowances(await load('everything'), {
            ...{ clock, signal, note: terminal.note },
          })
        : await listAllowances(await load('journal'), clock),
    }
  },
  text: ({ allowances }) =>
    allowances.length === 0
      ? 'No swap left an allowance behind.'
      : allowances
          .map(
            ({ amount, spender, swapId, revoked }) =>
              `${showText(amount)} to ${spender}, left by swap ${swapId}: ${revoked ? 'taken back' : 'stands'}.`,
          )
          .join('\n'),
})
