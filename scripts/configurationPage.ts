import type { z } from 'zod'
import { ballastForm } from '../src/config/config.ts'
import { notes } from '../src/config/file/field.ts'
import { bare, defaultOf, formOf, inside, keysIn, kindsIn } from '../src/config/file/schemaTree.ts'
import { makerForm } from '../src/config/maker/readMakerConfig.ts'
import { serviceForm } from '../src/config/service/serviceFile.ts'
import { signerForm } from '../src/config/signer/readSignerConfig.ts'

type Schema = z.core.$ZodType

/** The reference of every key of every configuration file, from the definitions that read them. */
export function configurationPage(): string {
  const files = [
    { name: 'ballast.yaml', of: 'the bot: `ballast config init` writes one', form: ballastForm },
    { name: 'service.yaml', of: '`ballast service`: docs/SERVICE.md', form: serviceForm },
    { name: 'maker.yaml', of: '`ballast maker`: docs/MAKERS.md', form: makerForm },
    { name: 'signer.yaml', of: '`ballast signer`: docs/SIGNER.md', form: signerForm },
  ]
  return `# Configuration

Every key of the four files. This page is generated: \`npm run docs\` writes it from the definitions in \`src/config\`.

A key without a default is required, or may be left out where it says none. Every scalar is text with its unit, and a
path is relative to the file that names it. A variable stands over its key, in the environment, in \`.env\` beside the
file, or in \`.env\` of the current folder: the first that has it. A number has a point for its fraction and nothing between thousands: \`3.500\`, which may be meant either way, is refused. A running bot takes over a change of \`ballast.yaml\` where its key needs no restart; the other files are read once.

Secrets are in variables alone. \`<NAME>_FILE\` in the place of any variable names a file with its value, relative to the folder of
the configuration: of mode 600, one newline at its end is not part of it. Of the bot: \`QUOTE_API_KEY\`, \`WALLET_KEY_<NAME>\` or \`WALLET_KEY\`, and
\`WALLET_PASSWORD_FILE\` names a file; those of alerts (docs/ALERTS.md), such as \`WEBHOOK_SECRET\`, \`TELEGRAM_BOT_TOKEN\`, \`SLACK_WEBHOOK_URL\`, \`SMTP_URL\` and \`HEARTBEAT_URL\`. Of a service: \`FEE_SIGNER_KEY\`, \`MAKER_KEY_<NAME>\` and \`MAKER_API_KEY_<NAME>\`. Of a maker:
\`MAKER_KEY_<NAME>\` and \`MAKER_API_KEY\`. Of a signer: \`WALLET_KEY\` or \`WALLET_PASSWORD_FILE\`.
${files.map(({ name, of, form }) => `\n## ${name}\n\nFor ${of}.\n${sectionsOf(form)}`).join('')}`
}

/** A table for each section, and one for the keys that are in none. */
function sectionsOf(form: Schema): string {
  const keys = Object.entries(keysIn(form))
  const isSection = (schema: Schema) => rowsOf(schema, '', false).length > 0
  const alone = keys.filter(([, schema]) => !isSection(schema))
  const sections = keys.filter(([, schema]) => isSection(schema))
  return [
    ...(alone.length === 0
      ? []
      : [table(alone.flatMap(([name, schema]) => keyRows(schema, name, false)))]),
    ...sections.map(([name, schema]) => {
      const { doc = '', live = false } = notes.get(schema) ?? {}
      return `\n### ${name}\n\n${doc}\n${table(rowsOf(schema, steps(schema, name), live))}`
    }),
  ].join('')
}

type Row = readonly [key: string, text: string, fallback: string, restart: string, doc: string]

const table = (rows: readonly Row[]): string =>
  `\n${[
    ['key', 'text', 'default', 'restart', 'meaning'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')}\n`

/** A key, and the keys inside it. */
function keyRows(schema: Schema, path: string, above: boolean): readonly Row[] {
  const { doc = '', live = false, variables = [] } = notes.get(schema) ?? {}
  const isLive = live || above
  const others = variables.map((name) => `\`${name}\``).join(' or ')
  const meaning = variables.length === 0 ? doc : `${doc} ${others} stands over it.`
  const own: Row = [
    `\`${path}\``,
    formOf(schema),
    fallbackOf(schema),
    isLive ? 'no' : 'yes',
    meaning,
  ]
  return [own, ...rowsOf(schema, steps(schema, path), isLive)]
}

/** The keys inside a section, the items of a list, or each kind of a section that has several. */
function rowsOf(schema: Schema, path: string, live: boolean): readonly Row[] {
  const item = ['array', 'record'].includes(bare(schema)._zod.def.type)
    ? inside(schema, 0)
    : undefined
  const holder = item ?? schema
  const kinds = kindsIn(holder)
  if (kinds.length > 0)
    return kinds.flatMap((kind) =>
      Object.entries(keysIn(kind))
        .filter(([name]) => name !== 'kind')
        .flatMap(([name, part]) => keyRows(part, `${path}.${name}`, live))
        .map(([key, text, fallback, restart, doc]): Row => {
          const [word] = kind._zod.propValues?.kind ?? []
          return [key, text, fallback, restart, `Kind ${String(word)}. ${doc}`]
        }),
    )
  return Object.entries(keysIn(holder)).flatMap(([name, part]) =>
    keyRows(part, `${path}.${name}`, live),
  )
}

/** `tokens.<NAME>`, `strategies[]` */
function steps(schema: Schema, path: string): string {
  const { type } = bare(schema)._zod.def
  return type === 'record' ? `${path}.<NAME>` : type === 'array' ? `${path}[]` : path
}

function fallbackOf(schema: Schema): string {
  const text = defaultOf(schema)
  if (Array.isArray(text)) return '`[]`'
  if (typeof text === 'object' && text !== null) {
    const words = Object.entries(text).map(([name, part]) => `${name}: ${String(part)}`)
    return words.length === 0
      ? bare(schema)._zod.def.type === 'record'
        ? '`{}`'
        : 'see its keys'
      : `\`{ ${words.join(', ')} }\``
  }
  if (text !== undefined) return `\`${String(text)}\``
  return schema._zod.optin === undefined ? 'required' : 'none'
}
