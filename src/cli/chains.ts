import { withQuoteApi } from '../app/withQuoteApi.ts'
import { display } from '../core/display.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'

export const command = defineCommand({
  name: 'chains',
  summary: 'the chains the quoting service supports',
  example: 'ballast chains --json',
  async run({ config: load, clock, signal, json, terminal }) {
    const config = await load()
    const { value: chains } = await withQuoteApi({ config, clock }, (quotes) =>
      quotes.chains(signal),
    )
    if (json)
      terminal.json({
        chains: chains.map(({ chain, chainId, label, token, isMainnet }) => ({
          chain: display(chain, 64),
          chainId,
          label: display(label),
          token: display(token, 64),
          isMainnet,
          configured: chain === config.chain.name,
        })),
      })
    else
      terminal.out(
        table([
          ['chain', 'id', 'currency', 'network', 'label'],
          ...chains.map(({ chain, chainId, label, token, isMainnet }) => [
            display(chain, 32) + (chain === config.chain.name ? ' *' : ''),
            String(chainId),
            display(token, 16),
            isMainnet ? 'main' : 'test',
            display(label, 64),
          ]),
        ]),
      )
  },
})
