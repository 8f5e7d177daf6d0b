import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Problem } from '../../core/problem.ts'
import type { Secret } from '../../core/secret.ts'
import { type Address, nativeAddress, sameAddress, type Token } from '../../core/token.ts'
import { chainId } from '../file/codecs.ts'
import { mainnetChainIds } from '../file/mainnetChainIds.ts'
import { makerApiKey } from '../file/makerApiKey.ts'
import { type FileSource, type OpenFile, openFile, readValue } from '../file/openFile.ts'
import { textAt, valueAt } from '../file/overrides.ts'
import { makerKeyOf } from '../file/privateKeys.ts'
import { readWith, withDefaults } from '../file/schemaTree.ts'
import {
  brokenSides,
  checkTokens,
  type Listed,
  listedTokens,
  repeatedBooks,
  tooFine,
} from '../file/tokens.ts'
import { nameInVariable } from '../file/variables.ts'
import { type ServiceValues, serviceFile, serviceForm, serviceTokens } from './serviceFile.ts'

/** The configuration of `ballast service`: `service.yaml` and the environment, checked. */
export type ServiceConfig = Omit<
  ServiceValues,
  'chain' | 'tokens' | 'makers' | 'remoteMakers' | 'widgetFee'
> & {
  /** Path of the file it came from. */
  readonly file: string
  /** `isMainnet`: known to carry real money. */
  readonly chain: ServiceValues['chain'] & { readonly isMainnet: boolean }
  readonly tokens: Listed
  readonly wrapped: Token
  readonly native: Token
  /** Tokens worth one US dollar by definition. */
  readonly dollars: readonly Address[]
  readonly makers: readonly (ServiceValues['makers'][number] & { readonly key: Secret })[]
  /** `apiKey`: what such a maker requires; undefined where none is set. */
  readonly remoteMakers: readonly (ServiceValues['remoteMakers'][number] & {
    readonly apiKey: Secret | undefined
  })[]
  readonly widgetFee: ServiceValues['widgetFee'] & { readonly signer: Secret }
}

export type PoolConfig = ServiceConfig['pools'][number]

/** Reads `service.yaml` and the environment. Throws every problem at once, each with file and line. */
export function readServiceConfig(source: FileSource): ServiceConfig {
  const file = openFile(source, { form: serviceForm, init: 'docs/SERVICE.md has an example' })
  const written = valueAt(file.raw, ['tokens'])
  const id = readWith(chainId, valueAt(file.raw, ['chain', 'chainId'])).value ?? 1
  const listed = listedTokens(serviceTokens, { written, chainId: id })
  const schema = serviceFile({ listed, beside: file.beside })
  const values = readValue(file, schema, (value) => check(value, file.raw))
  const tokens: Listed = listed ?? new Map()
  const native = nativeOf(values)
  const entries = Object.entries(values.tokens)
  const wrapper = entries.find(([, { wrapsNative }]) => wrapsNative)?.[0] ?? ''
  return {
    ...values,
    ...withKeys(values, { file, cwd: source.cwd }),
    remoteMakers: values.remoteMakers.map((maker) => ({
      ...maker,
      apiKey: makerApiKey(file.lookUp(`MAKER_API_KEY_${nameInVariable(maker.name)}`), source.cwd),
    })),
    file: file.path,
    chain: { ...values.chain, isMainnet: mainnetChainIds.has(id) },
    tokens,
    native,
    wrapped: tokens.get(wrapper) ?? native,
    dollars: entries.filter(([, { isDollar }]) => isDollar).map(([, { address }]) => address),
  }
}

const nativeOf = ({ chain }: ServiceValues): Token => ({
  chainId: chain.chainId,
  address: nativeAddress,
  symbol: chain.currency,
  decimals: 18,
})

/** The values with the private keys of the makers and of the service itself. */
function withKeys(
  { chain, makers, widgetFee }: ServiceValues,
  { file, cwd }: { file: OpenFile; cwd: string },
): Pick<ServiceConfig, 'makers' | 'widgetFee'> {
  const problems: string[] = []
  const read = (name: string) => {
    const { key, problem } = makerKeyOf(file.lookUp(name), { name, cwd, chainId: chain.chainId })
    if (problem !== undefined) problems.push(problem)
    return key
  }
  const signer = read('FEE_SIGNER_KEY')
  const signing = makers.flatMap((maker) => {
    const key = read(`MAKER_KEY_${nameInVariable(maker.name)}`)
    return key === undefined ? [] : [{ ...maker, key }]
  })
  if (signer === undefined || problems.length > 0) throw invalidConfig([...new Set(problems)])
  return { makers: signing, widgetFee: { ...widgetFee, signer } }
}

/** Contradictions between keys of `service.yaml`. */
function check(values: ServiceValues, raw: unknown): readonly Problem[] {
  const { chain, router, executor, tokens, pools, makers, remoteMakers, widgetFee, expiry } = values
  const effective = withDefaults(serviceForm, raw)
  const text = (path: Problem['path']) => textAt(effective, path) ?? ''
  const problems: Problem[] = [
    ...checkTokens({ currency: chain.currency, listed: tokens, textAt: text }),
  ]
  const names = new Set<string>()
  const named = [
    ...makers.map(({ name }, index) => ({ name, path: ['makers', index, 'name'] })),
    ...remoteMakers.map(({ name }, index) => ({ name, path: ['remoteMakers', index, 'name'] })),
  ]
  for (const { name, path } of named) {
    if (names.has(name))
      problems.push({ path, sentence: `${name} is another maker's name: give each its own.` })
    names.add(name)
  }
  for (const [index, { books }] of makers.entries()) {
    problems.push(...repeatedBooks(books, ['makers', index, 'books']))
    for (const [nth, { base, bid, ask, minimumInBase }] of books.entries()) {
      const path = ['makers', index, 'books', nth]
      const amounts = [
        ...bid.map(([amount], n) => ({ amount, path: [...path, 'bid', n] })),
        ...ask.map(([amount], n) => ({ amount, path: [...path, 'ask', n] })),
        { amount: minimumInBase, path: [...path, 'minimumInBase'] },
      ]
      problems.push(...tooFine(amounts, base), ...brokenSides({ bid, ask }, path))
    }
  }
  if ([router, executor].some((contract) => sameAddress(contract, widgetFee.recipient)))
    problems.push({
      path: ['widgetFee', 'recipient'],
      sentence:
        'is a contract of the market, which could not pay it out: name an account of yours.',
    })
  if (pools.length + makers.length + remoteMakers.length === 0)
    problems.push({ path: [], sentence: 'there is nothing to quote from: name a pool or a maker.' })
  if (expiry.defaultSeconds > expiry.maxSeconds)
    problems.push({
      path: ['expiry', 'default'],
      sentence: `${text(['expiry', 'default'])} is above expiry.max (${text(['expiry', 'max'])}): lower it.`,
    })
  return problems
}
