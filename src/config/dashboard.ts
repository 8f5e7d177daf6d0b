import { isLoopback } from '../core/hostOf.ts'
import type { Problem } from '../core/problem.ts'
import { type Secret, secret } from '../core/secret.ts'
import { listenKeys, yesOrNo } from './file/codecs.ts'
import { key, section } from './file/field.ts'
import { readWith } from './file/schemaTree.ts'
import { type LookUp, showVariable, type Variable } from './file/variables.ts'

/** The tokens of the dashboard; undefined: anybody on this machine sees the pages and may halt. */
export type DashboardTokens = {
  /** May halt, and sees what a viewer sees. */
  readonly operator: Secret
  readonly viewer: Secret | undefined
}

/** `dashboard:` — where the page is, and who may see it. */
export const dashboardSection = (tokens: DashboardTokens | undefined) =>
  section(
    {
      ...listenKeys('8787'),
      insecure: key(
        yesOrNo.optional(),
        'Allows a host other than this machine over plain http, where the network between is yours: tokens travel in the clear.',
      ),
    },
    '{ host: 127.0.0.1, port: 8787 }',
  )
    .prefault({})
    .transform((values) => ({ ...values, tokens }))

/** A shorter one could be guessed. */
const shortest = 32

/** The tokens of the dashboard from the environment, and what is wrong with them. Nothing repeats a value. */
export function readDashboardTokens(lookUp: LookUp, cwd: string) {
  const [operator, viewer] = [lookUp('DASHBOARD_TOKEN'), lookUp('DASHBOARD_VIEWER_TOKEN')]
  const lines = [operator, viewer].flatMap((variable) =>
    variable === undefined || new RegExp(`^[\\x21-\\x7e]{${shortest},512}$`).test(variable.value)
      ? []
      : [
          `${showVariable(variable, cwd)}: is no token: set ${shortest} characters or more, without spaces (its value is not shown).`,
        ],
  )
  if (viewer !== undefined && operator === undefined)
    lines.push(
      `${showVariable(viewer, cwd)}: stands alone: set DASHBOARD_TOKEN too, so that somebody may halt.`,
    )
  if (viewer !== undefined && viewer.value === operator?.value)
    lines.push(`${showVariable(viewer, cwd)}: is DASHBOARD_TOKEN: give viewers another one.`)
  const secretOf = (variable: Variable | undefined) => variable && secret(variable.value)
  const held = secretOf(operator)
  const tokens = held && { operator: held, viewer: secretOf(viewer) }
  return { variables: { operator, viewer }, tokens, lines }
}

/** A page that others can reach needs a token, and a word that the token may travel in the clear. */
export function checkDashboard(
  raw: unknown,
  tokens: DashboardTokens | undefined,
): readonly Problem[] {
  const { value } = readWith(dashboardSection(tokens), raw)
  if (value === undefined || isLoopback(value.host) || value.host === '::1') return []
  const path = ['dashboard', 'host']
  const advice = 'or write 127.0.0.1.'
  if (tokens === undefined)
    return [
      {
        path,
        sentence: `${value.host} can be reached from other machines, and no token is set: set DASHBOARD_TOKEN to ${shortest} characters or more, ${advice}`,
      },
    ]
  if (value.insecure === true) return []
  return [
    {
      path,
      sentence: `${value.host} would carry the tokens over plain http: write insecure: true beside it where the network between is yours, ${advice}`,
    },
  ]
}
