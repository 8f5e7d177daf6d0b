import { isLoopback } from '../core/hostOf.ts'
import type { Problem } from '../core/problem.ts'
import { type Secret, secret } from '../core/secret.ts'
import { type HeldTls, readDashboardTls } from './dashboardTls.ts'
import { filePath, listenKeys, socketPath, timeZoneName, yesOrNo } from './file/codecs.ts'
import { key, list, matching, section } from './file/field.ts'
import { isSection } from './file/overrides.ts'
import { readWith } from './file/schemaTree.ts'
import { type LookUp, showVariable, type Variable } from './file/variables.ts'

/** The tokens of the dashboard; undefined: anybody on this machine sees the pages and may halt. */
export type DashboardTokens = {
  /** May halt, and sees what a viewer sees. */
  readonly operator: Secret
  readonly viewer: Secret | undefined
}

/** What the dashboard is guarded by, read from the environment and from files. */
export type DashboardGuards = {
  readonly tokens: DashboardTokens | undefined
  readonly tls: HeldTls | undefined
}

/** A path that the file names, absolute. */
type Beside = (path: string) => string

const commonName = matching(
  /^\P{Cc}{1,64}$/u,
  () => 'is not a common name: write 1 to 64 characters.',
  { example: 'night-desk', form: 'The common name (CN) of a certificate.' },
)

const tlsSection = (beside: Beside) =>
  section(
    {
      certFile: key(
        filePath('./tls/dashboard.pem', beside),
        'The certificate of the dashboard, PEM. It is known by the names in it, and by no others.',
      ),
      keyFile: key(
        filePath('./tls/dashboard.key', beside),
        'The private key of it, PEM, readable by this account alone.',
      ),
      clientCaFile: key(
        filePath('./tls/clients.pem', beside),
        'The authority whose certificates are let in, PEM: one of your own that signs for nothing else.',
      ),
      operators: key(
        list(commonName, '[night-desk]').min(1, 'is empty: name a certificate that may halt.'),
        'Common names of the certificates that may halt. All others of the authority may look.',
      ),
    },
    '{ certFile: ./tls/dashboard.pem, keyFile: ./tls/dashboard.key, clientCaFile: ./tls/clients.pem, operators: [night-desk] }',
  )

const written = (beside: Beside) =>
  section(
    {
      ...listenKeys('8787'),
      insecure: key(
        yesOrNo.optional(),
        'Allows a host other than this machine over plain http, where the network between is yours: tokens travel in the clear.',
      ),
      timeZone: key(
        timeZoneName.prefault('UTC'),
        'The clocks of the pages, as an IANA time zone: calendar days and months are its own.',
      ),
      socket: key(
        socketPath('./run/dashboard.sock', beside).optional(),
        'A Unix socket to listen at, in the place of host and port. Only this account can open it.',
      ),
      tls: key(
        tlsSection(beside).optional(),
        'HTTPS for clients with a certificate, in the place of tokens.',
      ),
    },
    '{ host: 127.0.0.1, port: 8787 }',
  ).prefault({})

/** `dashboard:` — where the page is, and who may see it. */
export const dashboardSection = (beside: Beside, { tokens, tls: held }: DashboardGuards) =>
  written(beside).transform(({ tls, ...values }) => ({
    ...values,
    tokens,
    tls: tls && held && { ...held, operators: tls.operators },
  }))

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

/**
 * The files of `dashboard.tls`, and what is wrong with the section as a whole: a page that others can reach needs
 * certificates, or a token and a word that the token may travel in the clear.
 */
export function readDashboard(
  raw: unknown,
  { tokens, beside, cwd }: { tokens: DashboardTokens | undefined; beside: Beside; cwd: string },
): { readonly tls: HeldTls | undefined; readonly problems: readonly Problem[] } {
  const { value } = readWith(written(beside), raw)
  if (value === undefined) return { tls: undefined, problems: [] }
  const { host, insecure, socket, tls } = value
  const { held, problems } = tls === undefined ? { problems: [] } : readDashboardTls(tls, cwd)
  const problem = (name: string, sentence: string) => ({ path: ['dashboard', name], sentence })
  if (socket !== undefined) {
    const beneath = ['host', 'port', 'tls'].filter((name) => isSection(raw) && name in raw)
    return {
      tls: undefined,
      problems: beneath.map((name) =>
        problem(name, 'has no meaning at a socket: remove it, or dashboard.socket.'),
      ),
    }
  }
  if (tls !== undefined && tokens !== undefined)
    problems.push(problem('tls', 'takes the place of tokens: remove DASHBOARD_TOKEN, or tls.'))
  if (tls !== undefined || isLoopback(host) || host === '::1') return { tls: held, problems }
  if (tokens === undefined)
    problems.push(
      problem(
        'host',
        `${host} can be reached from other machines, and no token is set: set DASHBOARD_TOKEN to ${shortest} characters or more, or dashboard.tls, or write 127.0.0.1.`,
      ),
    )
  else if (insecure !== true)
    problems.push(
      problem(
        'host',
        `${host} would carry the tokens over plain http: write insecure: true beside it where the network between is yours, or write 127.0.0.1.`,
      ),
    )
  return { tls: undefined, problems }
}
