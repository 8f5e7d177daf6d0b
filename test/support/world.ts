import { fileURLToPath } from 'node:url'
import { readWorld } from '../../src/sandbox/readWorld.ts'
import type { SandboxWorld } from '../../src/sandbox/world.ts'

/** The world the tests run in: nothing in it moves by itself. */
export function fixedWorld(): SandboxWorld {
  return readWorld(fileURLToPath(new URL('../../src/sandbox/fixed.yaml', import.meta.url)))
}
