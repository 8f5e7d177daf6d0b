import type { Preset } from '../config/presets.ts'

/** Chainlink updates each of these once a day at least. An update arrives a little after its heartbeat. */
const maxAgeOf = (heartbeatSeconds = 86_400) => `${heartbeatSeconds / 60 + 10}m`

/** A swap may wait this long for a block that no reorganisation takes back. */
const secondsMax = 30

/** The template with the facts of a chain in the place of its examples. */
export function createOnChain({ name, chainId, currency, blockTime, ...facts }: Preset) {
  const { wrapped, stablecoins, feeds, finalizedSeconds, gas } = facts
  const isFinalSoon = finalizedSeconds !== undefined && finalizedSeconds <= secondsMax
  const tokens = [
    `  ${wrapped.symbol}: { address: "${wrapped.address}", decimals: 18, wrapsNative: true }`,
    ...stablecoins.map(
      ({ symbol, address, decimals }) =>
        `  ${symbol}: { address: "${address}", decimals: ${decimals} }`,
    ),
  ]
  const references = feeds.map(
    ({ symbol, address, heartbeatSeconds }) =>
      `    - { kind: feed, pair: ${symbol}/USD, address: "${address}", maxAge: ${maxAgeOf(heartbeatSeconds)} }`,
  )
  const pegs = stablecoins.map(({ symbol }) => `${symbol}: 50 bps`).join(', ')
  /** Where an example trades a second one and the chain is known to have none. */
  const unknown = (text: string) =>
    stablecoins[1] === undefined && /\bDAI\b/.test(text)
      ? ['  DAI: { address: "FILL IN", decimals: 18 }']
      : []
  return (text: string) =>
    text
      .replace(/^tokens:\n(?: .*\n)+/m, 'tokens: @\n')
      .replace(/^ {2}references: \[\]$/m, '  references: @')
      .replace(/^ {2}stablecoins: .*$/m, '  stablecoins: @')
      .replaceAll('WETH', wrapped.symbol)
      .replaceAll('USDC', stablecoins[0]?.symbol ?? 'USDC')
      .replaceAll(/\bDAI\b/g, stablecoins[1]?.symbol ?? 'DAI')
      .replace(/(?<= )ETH\b/gm, currency)
      .replace(
        /^ {2}maxGasPrice: .*$/m,
        gas === undefined ? '$&' : `  maxGasPrice: ${gas.price}\n  maxTip: ${gas.tip}`,
      )
      .replace(
        /^ {2}maxGasPerDay: .*$/m,
        gas === undefined ? '$&' : `  maxGasPerDay: ${gas.perDay}`,
      )
      .replace(/^ {2}name: ethereum$/m, `  name: ${name}`)
      .replace(/^ {2}chainId: 1$/m, `  chainId: ${chainId}`)
      .replace(/^ {2}confirmations: 2$/m, isFinalSoon ? '  confirmations: finalized' : '$&')
      .replace(/^ {2}blockTime: 12s$/m, `  blockTime: ${blockTime}`)
      .replace('tokens: @', ['tokens:', ...tokens, ...unknown(text)].join('\n'))
      .replace('references: @', ['references:', ...references].join('\n'))
      .replace('stablecoins: @', `stablecoins: { ${pegs} }`)
}
