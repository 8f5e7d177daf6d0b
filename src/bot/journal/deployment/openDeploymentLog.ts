import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { keccak256 } from 'viem'
import { z } from 'zod'
import { address, bytes, hash } from '../../../chain/calls/fields.ts'
import { ballastError } from '../../../core/errors.ts'
import { compactJson } from '../../../core/json.ts'
import type { Address } from '../../../core/token.ts'
import { type Durable, pass } from '../../stages.ts'
import { sync } from '../store/names.ts'

const wei = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)

const entry = z
  .strictObject({
    at: z.int(),
    step: z.string().max(200),
    chainId: z.int(),
    from: address,
    nonce: z.int(),
    gas: wei,
    maxFeePerGas: wei,
    maxPriorityFeePerGas: wei,
    hash,
    raw: bytes,
  })
  .refine(({ raw, hash: named }) => keccak256(raw) === named)

/** Signed bytes of a deployment, and the step they carry out. */
export type DeploymentEntry = Durable & {
  readonly step: string
  readonly from: Address
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

type Written = Omit<z.output<typeof entry>, 'at' | 'chainId'>

/** The signed bytes of the deployments of one chain, oldest first. */
export type DeploymentLog = {
  /** Those of this account under this nonce. */
  bytesOf(from: Address, nonce: number): readonly DeploymentEntry[]
  /** Those of a step, whatever their nonce. */
  bytesFor(step: string): readonly DeploymentEntry[]
  /** Stores bytes. They are on disk when it returns, and only then may they be sent. */
  append(written: Written, at: number): DeploymentEntry
  close(): void
}

/**
 * A file that only grows, beside the configuration: a line for each signed transaction. It is not the trading journal,
 * because a deployment comes before that journal: it would begin the books of a wallet that may never trade, for
 * transactions that are no swaps and that no reconciliation could explain.
 *
 * A last line without its end was cut off before it was on disk, so its bytes were never sent: it is dropped.
 */
export function openDeploymentLog(path: string, chainId: number): DeploymentLog {
  const isNew = !existsSync(path)
  const file = open(path)
  try {
    const text = readFileSync(file, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    ftruncateSync(file, Buffer.byteLength(whole))
    const all = whole.split('\n').slice(0, -1)
    const entries = all
      .map((line, index) => read(line, { path, line: index + 1 }))
      .filter((one) => one.chainId === chainId)
      .map(durable)
    if (isNew) sync(dirname(path))
    return {
      bytesOf: (from, nonce) =>
        entries.filter(
          (one) => one.nonce === nonce && one.from.toLowerCase() === from.toLowerCase(),
        ),
      bytesFor: (step) => entries.filter((one) => one.step === step),
      append(written, at) {
        const { gas, maxFeePerGas, maxPriorityFeePerGas } = written
        const line = compactJson({
          ...{ at, chainId, ...written },
          gas: String(gas),
          maxFeePerGas: String(maxFeePerGas),
          maxPriorityFeePerGas: String(maxPriorityFeePerGas),
        })
        write(file, Buffer.from(`${line}\n`))
        const made = durable(written)
        entries.push(made)
        return made
      },
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'a+', 0o600)
  } catch (cause) {
    throw ballastError(
      'FILE_NOT_WRITTEN',
      'The log of the deployment cannot be written.',
      { file: path, reason: (cause as NodeJS.ErrnoException).code },
      cause,
    )
  }
}

/** Whole or not at all: of a line that the disk did not take, nothing may stay before the next one. */
function write(file: number, line: Buffer): void {
  const { size } = fstatSync(file)
  try {
    if (writeSync(file, line) !== line.length) throw new Error('the disk took a part of a line')
    fsyncSync(file)
  } catch (cause) {
    ftruncateSync(file, size)
    throw cause
  }
}

const durable = ({ raw, hash: of, ...rest }: Written): DeploymentEntry => ({
  ...{ step: rest.step, from: rest.from, nonce: rest.nonce, gas: rest.gas },
  maxFeePerGas: rest.maxFeePerGas,
  maxPriorityFeePerGas: rest.maxPriorityFeePerGas,
  ...pass<Durable>({ raw, hash: of }),
})

function read(line: string, at: { path: string; line: number }) {
  try {
    return entry.parse(JSON.parse(line))
  } catch (cause) {
    throw ballastError(
      'DEPLOYMENT_LOG_DAMAGED',
      'The log of the deployment has a line that is none of its own, so it is not known what was signed.',
      { file: at.path, line: at.line },
      cause,
    )
  }
}
