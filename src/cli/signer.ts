import { createSigner, type KeyHolder } from '../bot/sign/createSigner.ts'
import { openKeystore } from '../bot/sign/keystore/openKeystore.ts'
import { readPassword } from '../bot/sign/keystore/readPrivateFile.ts'
import { localKey } from '../bot/sign/localKey.ts'
import { openDayCount } from '../bot/sign/process/openDayCount.ts'
import { serveSigner } from '../bot/sign/process/serveSigner.ts'
import { readSignerConfig, type SignerConfig } from '../config/signer/readSignerConfig.ts'
import { aborted } from '../core/aborted.ts'
import { show } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { compactJson } from '../core/json.ts'
import { showPrice } from '../core/price.ts'
import { sameToken } from '../core/token.ts'
import { defineStreaming } from './command.ts'

export const command = defineStreaming({
  name: 'signer',
  summary: 'holds the key in a process of its own and signs within its own limits',
  example: 'ballast signer --config signer.yaml',
  // A signer's file is not the bot's: without --config it is looked for under its own name.
  defaultFile: 'signer.yaml',
  async run({ json, configFile, environment, cwd, clock, signal, terminal }) {
    const { wallet, key, socket, countFile, limits } = readSignerConfig({
      file: configFile,
      environment,
      cwd,
    })
    const unchecked = uncheckedOf(limits)
    const holder = await openKey(key)
    // Refuses a key of another wallet before it serves anything.
    const { address } = createSigner(holder, wallet)
    await using opened = new AsyncDisposableStack()
    const dayCount = opened.adopt(openDayCount({ file: countFile, clock }), (one) => one.close())
    const onDecision = (decision: object) =>
      terminal.log(compactJson({ at: clock.now(), ...decision }))
    opened.adopt(
      await serveSigner({ socket, holder, limits, dayCount, clock, onDecision }),
      (server) => server.close(),
    )
    if (json) terminal.jsonLine({ ready: true, address, socket, countFile, unchecked })
    else
      terminal.event(
        `wallet  ${address}\nsocket  ${socket}\ncounts  ${countFile}\n${coinText(limits)}\n${soldText(limits)}${uncheckedText(unchecked)}Ctrl-C ends it.`,
      )
    await aborted(signal)
    return undefined
  },
})

/** The keys of `signer.yaml` that give a check up, or leave it out. */
const uncheckedOf = ({ feeSigner, makers, minimumPrices }: SignerConfig['limits']) => [
  ...(feeSigner === 'unchecked' ? ['feeSigner'] : []),
  ...(makers.includes('unchecked') ? ['makers'] : []),
  ...(minimumPrices.length === 0 ? ['minimumPrices'] : []),
]

const coinText = ({ coinPerDay: { wei, counts } }: SignerConfig['limits']) =>
  `coin    at most ${formatDecimal(wei, 18)} in 24 hours, of ${counts}`

/** A line for each token that may be sold: a limit in the wrong unit is seen here. */
function soldText({ tokens, minimumPrices }: SignerConfig['limits']): string {
  const lines = tokens.flatMap(({ token, perTransaction, perDay }) => {
    if (perTransaction === 0n) return []
    const prices = minimumPrices.filter(({ sold }) => sameToken(sold.token, token)).map(showPrice)
    const least = prices.length === 0 ? 'at any price' : `at ${prices.join(', ')} or more`
    return `sells   ${show({ token, wei: perTransaction })} at once, ${show({ token, wei: perDay })} in 24 hours, ${least}\n`
  })
  return lines.join('')
}

const uncheckedText = (keys: readonly string[]) =>
  keys.length === 0
    ? ''
    : `Not checked, by signer.yaml: ${keys.join(', ')}. docs/SIGNER.md says what that allows.\n`

async function openKey(key: SignerConfig['key']): Promise<KeyHolder> {
  if (key.kind === 'environment') return localKey(key.key)
  return openKeystore({ file: key.file, password: readPassword(key.passwordFile) })
}
