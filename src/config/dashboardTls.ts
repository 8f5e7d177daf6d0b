import { X509Certificate } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { openToOthers } from '../core/openToOthers.ts'
import type { Problem } from '../core/problem.ts'
import { type Secret, secret } from '../core/secret.ts'
import { showPath } from './file/readText.ts'

/** The files of `dashboard.tls`, as PEM. */
export type HeldTls = { readonly cert: string; readonly key: Secret; readonly clientCa: string }

type Files = { readonly certFile: string; readonly keyFile: string; readonly clientCaFile: string }

/** No certificate is this long; a mistaken path may be. */
const maxBytes = 256 * 1024

/** Reads the files of `dashboard.tls`, all problems at once. Nothing repeats what is in them. */
export function readDashboardTls(
  { certFile, keyFile, clientCaFile }: Files,
  cwd: string,
): { readonly held?: HeldTls; readonly problems: Problem[] } {
  const problems: Problem[] = []
  const complain = (name: keyof Files, sentence: string) => {
    problems.push({ path: ['dashboard', 'tls', name], sentence })
    return undefined
  }
  const textOf = (name: keyof Files, path: string) => {
    const { text, mode, isOpen, reason } = read(path)
    if (text === undefined)
      return complain(name, `cannot be read (${reason}): write the path of a PEM file.`)
    if (name === 'keyFile' && isOpen)
      return complain(
        name,
        `others can read this file (mode ${mode.toString(8)}): run chmod 600 ${showPath(path, cwd)}.`,
      )
    return text
  }
  const [cert, key] = [textOf('certFile', certFile), textOf('keyFile', keyFile)]
  const clientCa = textOf('clientCaFile', clientCaFile)
  if (cert !== undefined && certificateOf(cert) === undefined)
    complain('certFile', 'is no certificate in PEM.')
  if (clientCa !== undefined && certificateOf(clientCa)?.ca !== true)
    complain('clientCaFile', 'is no certificate of an authority in PEM.')
  if (problems.length > 0 || cert === undefined || key === undefined || clientCa === undefined)
    return { problems }
  if (!isPair(cert, key)) complain('keyFile', 'is not the key of certFile, without a password.')
  return problems.length > 0
    ? { problems }
    : { held: { cert, key: secret(key), clientCa }, problems }
}

/** Looks at the opened file, not at its name, so that the judged file is the one that is read. */
function read(path: string) {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    const status = fstatSync(descriptor)
    if (status.size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`)
    const text = readFileSync(descriptor, 'utf8')
    return { text, mode: status.mode & 0o777, isOpen: openToOthers(status) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { mode: 0, isOpen: false, reason: code ?? message }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    // The caller says which file it is; the words of OpenSSL add nothing.
    return undefined
  }
}

function isPair(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key })
    return true
  } catch {
    // A wrong key, no key, or one with a password: one sentence names all three.
    return false
  }
}
