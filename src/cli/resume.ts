import { lockJournal } from '../bot/journal/lockJournal.ts'
import { openJournal } from '../bot/journal/openJournal.ts'
import { getTransactionCount } from '../chain/calls/getTransactionCount.ts'
import { BallastError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { openMarket } from './compose/openMarket.ts'

export const command = defineCommand({
  name: 'resume',
  summary: 'lets a halted wallet go on, once a person has looked',
  example: 'ballast resume --reason "the transfer of 3 ETH was ours"',
  options: {
    reason: {
      flags: '--reason <text>',
      summary: 'what was found; kept in the journal',
      required: true,
    },
  },
  async run({ config: load, options, clock, json, terminal }) {
    if (options.reason.trim() === '')
      throw new BallastError('--reason says what was found: it cannot be empty.', {
        code: 'USAGE',
        remedy: 'skip',
        fault: 'usage',
      })
    const config = await load()
    const { chain, wallet, database } = config
    const lock = lockJournal(database.path)
    try {
      const market = await openMarket(config, clock)
      const journal = await openJournal({ path: database.path, clock })
      try {
        const nonceOfChain = await market.rpc.request(getTransactionCount(wallet.address))
        const { address } = wallet
        const { chainId } = chain
        await journal.releaseWallet({
          chainId,
          wallet: address,
          nonceOfChain,
          reason: options.reason,
        })
        if (json) terminal.json({ wallet: address, nextNonce: nonceOfChain })
        else terminal.out(`Wallet ${wallet.name} goes on from nonce ${nonceOfChain}.`)
      } finally {
        await journal.shut()
        await market.close()
      }
    } finally {
      lock.release()
    }
  },
})
