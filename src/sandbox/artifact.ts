import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi } from 'viem'
import { z } from 'zod'
import type { Hex } from '../chain/calls/fields.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { shippedFile } from './shippedFile.ts'

/** A compiled contract: what is needed to deploy it. */
export type Artifact = { readonly abi: Abi; readonly bytecode: Hex }

const shape = z.looseObject({
  abi: z.array(z.looseObject({ type: z.string() })),
  bytecode: z.string().regex(/^(?:0x)?[0-9a-fA-F]+$/),
})

/** One of our own contracts. */
export function ownArtifact(name: string): Artifact {
  return load(shippedFile(`contracts/artifacts/${name}.json`))
}

/** A contract as Uniswap published it. It must not be compiled again: addresses derive from its bytes. */
export function uniswapV2Artifact(name: string): Artifact {
  return published('@uniswap/v2-core', `build/${name}.json`)
}

export function uniswapV3Artifact(name: 'UniswapV3Factory' | 'UniswapV3Pool'): Artifact {
  return published('@uniswap/v3-core', `artifacts/contracts/${name}.sol/${name}.json`)
}

/** The entry for v3's users: it holds positions, swaps and quotes. */
export function uniswapV3PeripheryArtifact(
  name: 'NonfungiblePositionManager' | 'SwapRouter' | 'QuoterV2',
): Artifact {
  const folder = name === 'QuoterV2' ? 'contracts/lens' : 'contracts'
  return published('@uniswap/v3-periphery', `artifacts/${folder}/${name}.sol/${name}.json`)
}

function published(from: string, path: string): Artifact {
  const require = createRequire(import.meta.url)
  try {
    return load(require.resolve(`${from}/${path}`))
  } catch (cause) {
    if (cause instanceof BallastError) throw cause
    throw missing(from, cause)
  }
}

function load(file: string): Artifact {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw missing(file.split('/').at(-1) ?? 'a contract', cause)
  }
  const { abi, bytecode } = shape.parse(JSON.parse(text))
  return {
    abi: abi as unknown as Abi,
    bytecode: (bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`) as Hex,
  }
}

function missing(what: string, cause: unknown): BallastError {
  return ballastError(
    'CONTRACTS_MISSING',
    'The sandbox needs compiled contracts that are not here: run npm install again, in the repository without --omit=dev.',
    { missing: what },
    cause,
  )
}
