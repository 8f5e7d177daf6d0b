import { assert } from '../core/assert.ts'
import type { Token } from '../core/token.ts'
import type { Deployment } from './deployment.ts'
import type { World } from './world.ts'

/** The tokens of a deployed world. */
export function tokensOf(world: World, deployment: Deployment): readonly Token[] {
  return Object.entries(world.tokens).map(([symbol, { decimals }]) => {
    const address = deployment.tokens[symbol]
    assert(address !== undefined, 'each token was deployed')
    return { chainId: world.chain.chainId, address, symbol, decimals }
  })
}
