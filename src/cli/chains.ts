import { display } from '../core/display.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'
import { quotes } from './needs.ts'

export const command = defineCommand({
  name: 'chains',
  summary: 'the chains the quoting service supports',
  example: 'ballast chains --json',
  config: 'everything',
  needs: { quotes },
  async run({ config, quotes: service, signal }) {
    const { value: chains } = await service.chains(signal)
    return {
      chains: chains.map(({ chain, chainId, label, token, isMainnet }) => ({
        chain: display(chain, 64),
        chainId,
        label: display(label),
        token: display(token, 64),
        isMainnet,
        configured: chain === config.chain.name,
      })),
    }
  },
  text: ({ chains }) =>
    table([
      ['chain', 'id', 'currency', 'network', 'label'],
      ...chains.map(({ chain, chainId, label, token, isMainnet, configured }) => [
        display(chain, 32) + (configured ? ' *' : ''),
        String(chainId),
        display(token, 16),
        isMainnet ? 'main' : 'test',
        display(label, 64),
      ]),
    ]),
})
