import { existsSync } from 'node:fs'
import { parse } from 'node:path'
import { z } from 'zod'
import { tokenOf } from '../../core/amount.ts'
import { isTwofold, parseDecimal, twofoldText } from '../../core/decimal.ts'
import { display } from '../../core/display.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import { parseAddress } from '../../core/parseAddress.ts'
import type { Price } from '../../core/price.ts'
import type { Problem } from '../../core/problem.ts'
import type { Secret } from '../../core/secret.ts'
import { sameToken, type Token } from '../../core/token.ts'
import { priceOf, readPrice } from '../../core/writtenPrice.ts'
import {
  addressExample,
  addressText,
  chainId,
  filePath,
  gasLimit,
  gasPrice,
  integer,
  socketPath,
  symbolText,
  tokenKeys,
} from '../file/codecs.ts'
import { key, list, named, plain, reject, section, text, wrongKind } from '../file/field.ts'
import { mainnetChainIds } from '../file/mainnetChainIds.ts'
import { type FileSource, type OpenFile, openFile, readValue } from '../file/openFile.ts'
import { textAt } from '../file/overrides.ts'
import { keyOf } from '../file/privateKeys.ts'
import { withDefaults } from '../file/schemaTree.ts'
import {
  bySymbolOf,
  type Listed,
  problemsOf,
  sharedAddresses,
  type TextAt,
  tooFine,
} from '../file/tokens.ts'
import { showVariable } from '../file/variables.ts'

const amount = (example: string) =>
  plain(
    (written) => {
      parseDecimal(written, 77)
      if (isTwofold(written)) reject(twofoldText(written))
    },
    { example, form: 'A plain decimal, in quotes.' },
  )

/** Every EVM chain counts its own coin so. */
const coin = { decimals: 18 }

const limitedExample = `{ address: "${addressExample}", decimals: 18, perTransaction: "5", perDay: "200" }`

const unchecked = 'unchecked'

const mixed = `names makers and ${unchecked}: write either.`

/** The address that must have signed, or the word that gives this check up. */
const party = text((written) => (written === unchecked ? written : parseAddress(written)), {
  example: addressExample,
  form: 'An address, or `unchecked`.',
  encode: (value) => value,
  pattern: `^(0x[0-9a-fA-F]{40}|${unchecked})$`,
})

const priceText = plain(() => undefined, {
  example: '2500 USDC per WETH',
  form: 'A price of one sold token.',
})

const token = section(
  {
    ...tokenKeys({ decimalsMax: 77 }),
    perTransaction: key(
      amount('5').prefault('0'),
      'The most one transaction sells, a permit grants, and an approval grants where `standing` does not say more. A token without a limit may only be bought.',
    ),
    perDay: key(amount('200').prefault('0'), 'The most that is sold in 24 hours.'),
    standing: key(
      amount('50').optional(),
      'The most that is approved, as `policy.allowances` of the bot. Without it, `perTransaction`.',
    ),
  },
  limitedExample,
)

/** Limits of every transaction, and of all of an hour or a day. */
const bounds = {
  maxGas: key(
    gasLimit,
    'The most gas one transaction may use. Chains take none that asks for more than 16777216 (EIP-7825).',
    'gasMax',
  ),
  maxGasPrice: key(gasPrice, 'The most that a unit of gas may cost.', 'gasPriceMax'),
  maxTip: key(
    gasPrice.optional(),
    'The most of it that goes to the block producer. Without it, half of `maxGasPrice`.',
    'tipMax',
  ),
  maxCoinPerDay: key(
    amount('0.5').optional(),
    "The most of the chain's own coin that is signed away in 24 hours: gas limits at their highest fee, and coin sent. Without it, gas alone is limited, to four times `maxGas` at `maxGasPrice`, and coin sent counts as the token that wraps it.",
    'coinPerDay',
  ),
  maxCallBytes: key(
    integer({ min: 4, max: 100_000, example: '8192' }).prefault('8192'),
    'The most bytes of a call. The bot refuses longer ones as well.',
    'callBytesMax',
  ),
  maxSignaturesPerHour: key(
    integer({ min: 1, max: 1_000_000, example: '1000' }).prefault('1000'),
    'How many transactions and permits are signed in one hour, replacements and cancellations included.',
    'signaturesPerHour',
  ),
  maxSignaturesPerDay: key(
    integer({ min: 1, max: 1_000_000, example: '10000' }).prefault('10000'),
    'How many are signed in 24 hours.',
    'signaturesPerDay',
  ),
}

/** `signer.yaml`: a key, and what it may be used for. */
function signerFile(beside: (name: string) => string) {
  const kind = key(z.literal('environment'), 'WALLET_KEY holds the key: for development only.')
  const keystore = section(
    {
      kind: key(z.literal('keystore'), 'A keystore holds the key.'),
      file: key(
        filePath('./treasury.json', beside),
        'The encrypted keystore. WALLET_PASSWORD_FILE opens it.',
      ),
    },
    '{ kind: keystore, file: ./treasury.json }',
  )
  return section(
    {
      chainId: key(chainId, 'The chain that is signed for; no other is.'),
      wallet: key(addressText, 'The account of the key.'),
      key: key(
        z.discriminatedUnion('kind', [keystore, section({ kind }, '{ kind: environment }')], {
          error: ({ code, input }) =>
            code === 'invalid_union'
              ? 'is not a kind of key: write keystore or environment.'
              : wrongKind(input, '{ kind: keystore, file: ./treasury.json }'),
        }),
        'Where the key is.',
      ),
      socket: key(socketPath('./run/signer.sock', beside), 'The socket it listens at.'),
      countFile: key(
        filePath('./signer.count', beside).optional(),
        'A file that counts signatures, sold amounts and gas. Without it, beside this file and named after it: signer.count for signer.yaml.',
      ),
      router: key(addressText, 'The only contract that is ever called or approved.'),
      feeSigner: key(
        party,
        "The key that authorises swaps, as `service.feeSigner` of the bot. `unchecked` leaves it to the router's owner.",
      ),
      makers: key(
        list(party, `["${addressExample}"]`),
        'Whose orders are filled, as `service.makers` of the bot. `[unchecked]` takes any maker that is authorised.',
      ),
      recipients: key(
        list(addressText, `["${addressExample}"]`).prefault([]),
        'Who may receive, besides the wallet itself.',
      ),
      tokens: key(
        named(symbolText, token, `{ WETH: ${limitedExample} }`),
        'The tokens that may be bought, and how much of them may be sold.',
      ),
      minimumPrices: key(
        list(priceText, '[2500 USDC per WETH]').prefault([]),
        'The least that a sold token brings, for each pair and direction. A token that has one is sold in no pair without.',
      ),
      ...bounds,
    },
    'chainId, wallet, key, socket, router, feeSigner, makers, tokens, maxGas and maxGasPrice',
  )
}

/** The file as a form to fill in. */
export const signerForm: z.ZodType = signerFile((name) => name)

type Values = z.output<ReturnType<typeof signerFile>>

/** Keys whose value depends on other keys. */
type Derived = 'tipMax' | 'coinPerDay' | 'tokens' | 'minimumPrices'

/** The configuration of `ballast signer`: `signer.yaml` and the environment, checked. Paths are absolute. */
export type SignerConfig = Pick<Values, 'wallet' | 'socket'> & {
  readonly key:
    | { readonly kind: 'environment'; readonly key: Secret }
    | { readonly kind: 'keystore'; readonly file: string; readonly passwordFile: string }
  readonly countFile: string
  readonly limits: Omit<Values, 'wallet' | 'key' | 'socket' | 'countFile' | Derived> & {
    readonly tipMax: bigint
    readonly minimumPrices: readonly Price[]
    /** In the smallest unit of the chain's own coin. */
    readonly coinPerDay: { readonly wei: bigint; readonly counts: 'gas' | 'gas and value' }
    readonly tokens: readonly {
      readonly token: Token
      readonly perTransaction: bigint
      readonly perDay: bigint
      readonly standing: bigint | undefined
    }[]
  }
}

/** Reads `signer.yaml` and the environment. Throws every problem at once, each with file and line. */
export function readSignerConfig(source: FileSource): SignerConfig {
  const file = openFile(source, { form: signerForm, init: 'docs/SIGNER.md has an example' })
  const effective = withDefaults(signerForm, file.raw)
  const values = readValue(file, signerFile(file.beside), (read) =>
    problemsIn(read, (path) => textAt(effective, path) ?? ''),
  )
  const {
    wallet,
    key: held,
    socket,
    countFile,
    tokens,
    tipMax,
    coinPerDay,
    minimumPrices,
    ...limits
  } = values
  const { chainId: id, gasMax, gasPriceMax } = limits
  const bySymbol = bySymbolOf(tokens, id)
  return {
    wallet,
    key: readKey(held, { file, cwd: source.cwd, chainId: id }),
    socket,
    countFile: countFile ?? countBeside(file.beside(`${parse(source.file).name}.count`), socket),
    limits: {
      ...limits,
      tipMax: tipMax ?? gasPriceMax / 2n,
      coinPerDay:
        coinPerDay === undefined
          ? { wei: 4n * gasMax * gasPriceMax, counts: 'gas' }
          : { wei: parseDecimal(coinPerDay, coin.decimals), counts: 'gas and value' },
      minimumPrices: minimumPrices.map((written) => minimumPrice(written, bySymbol)),
      tokens: Object.entries(tokens).map(([symbol, { decimals, ...most }]) => ({
        token: tokenOf(symbol, bySymbol),
        perTransaction: parseDecimal(most.perTransaction, decimals),
        perDay: parseDecimal(most.perDay, decimals),
        standing: most.standing === undefined ? undefined : parseDecimal(most.standing, decimals),
      })),
    },
  }
}

/** Not beside the socket, in the one folder that the bot can write to. An earlier version counted there. */
function countBeside(countFile: string, socket: string): string {
  const former = `${socket}.count`
  if (existsSync(countFile) || !existsSync(former)) return countFile
  throw invalidConfig([
    `countFile: ${display(former)} has the counts of the last day. Move it to ${display(countFile)}, out of the folder of the socket, or name it.`,
  ])
}

/** Problems between keys. */
function problemsIn(
  { chainId: id, tokens, makers, coinPerDay, minimumPrices }: Values,
  written: TextAt,
): readonly Problem[] {
  const bySymbol = bySymbolOf(tokens, id)
  const coinLimit = coinPerDay === undefined ? [] : [coinPerDay]
  return [
    ...(makers.length > 1 && makers.includes(unchecked)
      ? [{ path: ['makers'], sentence: mixed }]
      : []),
    ...tooFine(
      coinLimit.map((amount) => ({ amount, path: ['maxCoinPerDay'] })),
      coin,
    ),
    ...minimumPrices.flatMap((price, index) =>
      problemsOf(() => minimumPrice(price, bySymbol), ['minimumPrices', index]),
    ),
    ...samePairs(minimumPrices, bySymbol),
    ...sharedAddresses(tokens, written),
    ...Object.entries(tokens).flatMap(([symbol, { decimals, perTransaction, perDay }]) =>
      isAbove(perTransaction, perDay, decimals) && !isNothing(perDay)
        ? [
            {
              path: ['tokens', symbol, 'perTransaction'],
              sentence: `is above perDay (${perDay}): lower it.`,
            },
          ]
        : [],
    ),
    ...Object.entries(tokens).flatMap(([symbol, { perTransaction, perDay }]) =>
      isNothing(perTransaction) === isNothing(perDay)
        ? []
        : [
            {
              path: ['tokens', symbol],
              sentence: 'has one of perTransaction and perDay, so none of it is sold: write both.',
            },
          ],
    ),
    ...Object.entries(tokens).flatMap(
      ([symbol, { decimals, perTransaction, perDay, standing = '0' }]) =>
        tooFine(
          [
            { amount: perTransaction, path: ['tokens', symbol, 'perTransaction'] },
            { amount: perDay, path: ['tokens', symbol, 'perDay'] },
            { amount: standing, path: ['tokens', symbol, 'standing'] },
          ],
          { decimals },
        ),
    ),
  ]
}

/** Too fine an amount has a sentence of its own. */
const isAbove = (amount: string, most: string, decimals: number): boolean =>
  [amount, most].every((one) => (one.split('.')[1] ?? '').length <= decimals) &&
  parseDecimal(amount, decimals) > parseDecimal(most, decimals)

/** A price is of what is sold: the other way round bounds a purchase. */
function samePairs(prices: readonly string[], bySymbol: Listed): readonly Problem[] {
  const seen = new Set<string>()
  return prices.flatMap((written, index) => {
    const path = ['minimumPrices', index]
    // One that is none has a sentence of its own.
    if (problemsOf(() => minimumPrice(written, bySymbol), path).length > 0) return []
    const { sold, bought } = minimumPrice(written, bySymbol)
    const [mine, theirs] = [sold.token.symbol, bought.token.symbol]
    const way = `${mine} ${theirs}`
    const isSecond = seen.has(way)
    seen.add(way)
    if (!isSecond) return []
    const sentence = `is a second price of ${mine} sold for ${theirs}: keep one; what ${theirs} brings at least is written as '… ${mine} per ${theirs}'.`
    return [{ path, sentence }]
  })
}

const isNothing = (amount: string) => /^0+(?:\.0+)?$/.test(amount)

/** `2500 USDC per WETH`: at least 2500 USDC for each WETH that is sold for USDC. */
function minimumPrice(written: string, bySymbol: Listed): Price {
  const price = readPrice(written, bySymbol)
  const found = price.per && priceOf(price, { sold: price.per, bought: price.token })
  if (found === undefined || sameToken(found.sold.token, found.bought.token))
    reject(`'${written}' does not name two tokens: write for example '2500 USDC per WETH'.`)
  return found
}

function readKey(
  held: Values['key'],
  { file, cwd, chainId: id }: { file: OpenFile; cwd: string; chainId: number },
): SignerConfig['key'] {
  const name = 'WALLET_KEY'
  const plainKey = file.lookUp(name)
  if (held.kind === 'keystore') {
    const password = file.lookUp('WALLET_PASSWORD_FILE')
    if (plainKey !== undefined)
      throw invalidConfig([
        `${showVariable(plainKey, cwd)}: a plain key lies here, but the key is in a keystore: remove the variable.`,
      ])
    if (password === undefined)
      throw invalidConfig([
        'WALLET_PASSWORD_FILE: is missing: set it to a file of mode 600 that holds the password of the keystore.',
      ])
    return { ...held, passwordFile: file.beside(password.value) }
  }
  const { key: found, problem } = keyOf(plainKey, { name, cwd })
  if (problem !== undefined) throw invalidConfig([problem])
  if (plainKey !== undefined && mainnetChainIds.has(id))
    throw invalidConfig([
      `${showVariable(plainKey, cwd)}: a plain key is for development, and chain ${id} is a main network: put the key into a keystore.`,
    ])
  return { kind: held.kind, key: found }
}
