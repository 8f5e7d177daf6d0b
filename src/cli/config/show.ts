import { relative } from 'node:path'
import type { Variable } from '../../config/overrides.ts'
import { readConfig } from '../../config/readConfig.ts'
import { withoutCredentials } from '../../core/secret.ts'
import { defineCommand } from '../command.ts'
import { table } from '../table.ts'

type Value = { readonly key: string; readonly value: unknown; readonly origin: string }
type Step = string | number

/** Their values may carry a key: only scheme and host are shown. */
const urls =
  /^(?:chain\.rpcUrl|service\.url|chain\.witness\.rpcUrl|chain\.alsoSendTo|policy\.references\.\d+\.url|wallet\.signer\.(?:url|endpoint))$/

export const show = defineCommand({
  name: 'show',
  summary: 'every effective value and where it comes from; secrets stay hidden',
  example: 'ballast config show',
  async run({ configFile, environment, cwd, json, terminal }) {
    const { config, text, originOf, secrets } = readConfig({ file: configFile, environment, cwd })
    const origin = (source: ReturnType<typeof originOf>) =>
      typeof source === 'string' ? source : nameOf(source, cwd)
    const values: readonly Value[] = [
      ...leaves(text, []).map(({ path, value }) => {
        const key = path.join('.')
        const isUrl = urls.test(key) || (key === 'database' && /^postgres/.test(String(value)))
        const shown = isUrl ? hostsOf(value) : value
        return { key, value: shown, origin: origin(originOf(path)) }
      }),
      ...Object.entries({ 'service.apiKey': secrets.apiKey, 'wallet.key': secrets.key }).map(
        ([key, variable]) => ({
          key,
          value: variable === undefined ? 'not set' : '[secret]',
          origin: variable === undefined ? 'default' : nameOf(variable, cwd),
        }),
      ),
    ]
    if (json) terminal.json({ file: config.file, values })
    else
      terminal.out(
        table([
          ['key', 'value', 'from'],
          ...values.map(({ key, value, origin: from }) => [key, textOf(value), from]),
        ]),
      )
  },
})

const hostsOf = (value: unknown) =>
  Array.isArray(value)
    ? value.map((url) => withoutCredentials(String(url)))
    : withoutCredentials(String(value))

function leaves(
  value: unknown,
  path: readonly Step[],
): { path: readonly Step[]; value: unknown }[] {
  const isList = Array.isArray(value)
  const nested =
    typeof value === 'object' &&
    value !== null &&
    !(isList && value.every((item) => typeof item !== 'object'))
  if (!nested) return [{ path, value }]
  return Object.entries(value).flatMap(([key, part]) =>
    leaves(part, [...path, isList ? Number(key) : key]),
  )
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
}

function nameOf({ name, source }: Variable, cwd: string): string {
  return source === 'environment' ? `${name} (environment)` : `${name} (${relative(cwd, source)})`
}
