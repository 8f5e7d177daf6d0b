import { type Amount, parseAmount, show, tokenOf } from '../core/amount.ts'
import { asWritten } from '../core/display.ts'
import { isNative, nativeAddress, sameToken, type Token, usdAddress, usdOf } from '../core/token.ts'
import {
  chainId,
  checkSymbol,
  currencyText,
  symbolText,
  tokenExample,
  tokenKeys,
  wrapsNative,
} from './file/codecs.ts'
import { choice, key, named, plain, reject, section, text } from './file/field.ts'
import { readWith } from './file/schemaTree.ts'

/** Tokens by symbol; the chain's own currency among them. */
export type Tokens = {
  readonly bySymbol: ReadonlyMap<string, Token>
  readonly native: Token
  /** The ERC-20 that wraps the chain's own currency. */
  readonly wrapped: Token
  /** Tokens whose storage cannot be read off: their writes are not looked at. */
  readonly untraced: readonly Token[]
  /** Tokens that write down the votes of delegates, and may. */
  readonly voting: readonly Token[]
  /** How far a transfer of a token may be off by its own rounding; of the others, by nothing. */
  readonly rounding: readonly Amount[]
}

/** More than a token that rounds has ever been off: beyond it something was taken. */
const roundingMax = 10n

const roundingText = text(
  (written) => {
    const wei = /^\d{1,3} wei$/.test(written) ? BigInt(written.slice(0, -4)) : undefined
    if (wei === undefined || wei > roundingMax)
      reject(
        `${asWritten(written)} is no rounding of at most ${roundingMax} units: write for example '2 wei'.`,
      )
    return wei
  },
  {
    example: '2 wei',
    form: `The smallest units of the token, at most ${roundingMax}.`,
    encode: (wei) => `${wei} wei`,
    pattern: String.raw`^\d{1,3} wei$`,
  },
)

const token = section(
  {
    // One unit of more would not fit the chain's largest number.
    ...tokenKeys({ decimalsMax: 77 }),
    wrapsNative,
    storage: key(
      choice(['traced', 'votes', 'untraced'], 'untraced').prefault('traced'),
      'Whether writes to its storage are looked at. `votes` also allows the vote checkpoints that a transfer writes (UNI, COMP, ARB, ENS). `untraced` gives it up for a token whose storage cannot be read off.',
    ),
    rounding: key(
      roundingText.prefault('0 wei'),
      'How far a transfer may be off by the rounding of the token itself: `2 wei` for stETH and aTokens.',
    ),
  },
  tokenExample,
)

export const tokensSection = named(symbolText, token, `{ WETH: ${tokenExample} }`)

/** The tokens a file names, the chain's own currency first; undefined where they are not right yet. */
export function readTokens({
  chain,
  tokens,
}: Readonly<Record<string, unknown>>): Tokens | undefined {
  const { currency, chainId: id } = (chain ?? {}) as Readonly<Record<string, unknown>>
  const symbol = readWith(currencyText, currency).value
  const listed = readWith(tokensSection, tokens).value
  if (symbol === undefined || listed === undefined) return undefined
  // A wrong id is refused by itself, and no sentence about tokens names it.
  const of = readWith(chainId, id).value ?? 1
  const native: Token = { chainId: of, address: nativeAddress, symbol, decimals: 18 }
  const entries = Object.entries(listed).map(
    ([name, { wrapsNative, storage, rounding, ...rest }]) => ({
      token: { chainId: of, address: rest.address, symbol: name, decimals: rest.decimals },
      ...{ wrapsNative, storage, rounding },
    }),
  )
  return {
    native,
    bySymbol: new Map([native, ...entries.map((entry) => entry.token)].map((t) => [t.symbol, t])),
    wrapped: entries.find(({ wrapsNative }) => wrapsNative)?.token ?? native,
    untraced: entries.filter(({ storage }) => storage === 'untraced').map((entry) => entry.token),
    voting: entries.filter(({ storage }) => storage === 'votes').map((entry) => entry.token),
    rounding: entries.flatMap(({ token, rounding: wei }) => (wei > 0n ? [{ token, wei }] : [])),
  }
}

/** Stands for what cannot be read before the tokens are right; the file is refused for those. */
const unread: Amount = {
  token: { chainId: 0, address: usdAddress, symbol: 'USD', decimals: 8 },
  wei: 0n,
}

export type TokenCodecs = ReturnType<typeof tokenCodecs>

/** Codecs of text that names a token, with the tokens of the file. Without them any name and any amount passes. */
export function tokenCodecs(tokens: Tokens | undefined) {
  const bySymbol = tokens?.bySymbol
  const usd = tokens && usdOf(tokens.native.chainId)
  // A price or a limit may be in dollars as well.
  const priced = bySymbol && usd && new Map([...bySymbol, [usd.symbol, usd]])
  const find = (symbol: string, known: ReadonlyMap<string, Token> | undefined) =>
    known === undefined ? { ...unread.token, symbol } : tokenOf(symbol, known)
  const symbolOf = (known: ReadonlyMap<string, Token> | undefined) =>
    text(
      (symbol) => {
        checkSymbol(symbol)
        return find(symbol, known)
      },
      { example: 'WETH', form: 'The symbol of a token.', encode: ({ symbol }) => symbol },
    )
  const amountIn =
    (known: ReadonlyMap<string, Token> | undefined, form: string) =>
    (example: string, check: (amount: Amount, written: string) => void = () => undefined) =>
      text(
        (written) => {
          if (known === undefined) return unread
          const amount = parseAmount(written, known)
          check(amount, written)
          return amount
        },
        { example, form, encode: show, pattern: String.raw`^\d+(\.\d+)? [^\s\d]\S{0,31}$` },
      )
  const side = (symbol: string) => {
    const found = find(symbol, priced)
    return tokens !== undefined && isNative(found) ? tokens.wrapped : found
  }
  /** The token of that symbol; of the chain's own currency and the token that wraps it, both. */
  const alike = (symbol: string): readonly Token[] => {
    const found = find(symbol, bySymbol)
    const money = tokens === undefined ? [] : [tokens.native, tokens.wrapped]
    return money.some((one) => sameToken(found, one)) ? money : [found]
  }
  return {
    native: tokens?.native,
    token: symbolOf(bySymbol),
    alike,
    unit: symbolOf(priced),
    /** The symbol of a token as the name of a key. */
    tokenName: plain(
      (symbol) => {
        checkSymbol(symbol)
        find(symbol, bySymbol)
      },
      { example: 'USDC', form: 'The symbol of a token.' },
    ),
    amount: amountIn(bySymbol, 'An amount and its token.'),
    worth: amountIn(priced, 'An amount in USD or a token.'),
    /** Two tokens, the chain's own currency and the token that wraps it standing for each other. */
    pair: text(
      (written) => {
        const [base, quote] = /^(\S+)\/(\S+)$/.exec(written)?.slice(1) ?? []
        if (base === undefined || quote === undefined || base === quote)
          reject(`${asWritten(written)} is not a pair: write two symbols, such as 'WETH/USDC'.`)
        return alike(base).flatMap((a) => alike(quote).map((b) => [a, b] as const))
      },
      {
        example: 'WETH/USDC',
        form: 'Two symbols with a slash.',
        encode: ([pair]) => (pair ?? []).map(({ symbol }) => symbol).join('/'),
      },
    ),
    /** The priced token and the token it is priced in; the chain's own currency stands as the token that wraps it. */
    pricedPair: text(
      (written) => {
        if (!/^[^\s/]+\/[^\s/]+$/.test(written))
          reject(`${asWritten(written)} is not a pair: write for example 'WETH/USDC'.`)
        const [base = '', quote = ''] = written.split('/')
        const sides = [side(base), side(quote)] as const
        if (tokens !== undefined && sameToken(...sides))
          reject(
            `${base} and ${quote} are the same: write what the price is in, such as ${base}/USD.`,
          )
        return sides
      },
      {
        example: 'WETH/USDC',
        form: 'Two symbols with a slash.',
        encode: (sides) => sides.map(({ symbol }) => symbol).join('/'),
      },
    ),
  }
}
