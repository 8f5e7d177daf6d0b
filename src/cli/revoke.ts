import { spenderText } from '../app/spenderText.ts'
import { listAllowances, takeBackAllowances } from '../app/takeBackAllowances.ts'
import { showText } from '../core/amount.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'
import { wholeNumber } from './options.ts'

export const command = defineCommand({
  name: 'revoke',
  summary: 'takes back every allowance that stands, whoever gave it; a list unless --live',
  example: 'ballast revoke --live',
  options: {
    live: { flags: '--live', summary: 'sign and send; without it nothing is signed' },
    from: {
      flags: '--from <block>',
      summary: 'the block that the search of the logs begins with; 0 without it',
      read: wholeNumber({ name: '--from', min: 0, max: Number.MAX_SAFE_INTEGER }),
    },
  },
  async run({ options, load, clock, signal, terminal }) {
    const around = { from: options.from ?? 0, clock, signal, note: terminal.note }
    return options.live
      ? await takeBackAllowances(await load('everything'), around)
      : await listAllowances(await load('chain'), around)
  },
  text: ({ allowances, searched }) =>
    allowances.length === 0
      ? `No allowance stands${searched ? '' : ' by the journal'}.`
      : allowances
          .map(({ amount, spender, swapId, revoked, known, usedBy, isStated }) => {
            const left = isStated ? 'as policy.allowances lets it since' : 'left by'
            const origin = swapId === null ? 'of no book' : `${left} swap ${swapId}`
            const stands = known ? 'stands' : 'stands; to take it back, add the token to tokens:'
            const use = usedBy === null ? '' : `; swap ${usedBy}, which is under way, may use it`
            const end = revoked ? 'taken back' : `${stands}${use}`
            return `${showText(amount)} to ${spenderText(spender)}, ${origin}: ${end}.`
          })
          .join('\n'),
  exitCode({ searched, refused }) {
    if (refused > 0) return exitCodes.refused
    return searched ? exitCodes.done : exitCodes.upstream
  },
})
