import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { type Artifact, stale } from '../../scripts/contracts.ts'
import { findForbiddenOpcodes } from './opcodes.ts'

/** What a chain accepts as a contract (EIP-170). */
const codeSizeMax = 24_576

const artifact = (name: string) =>
  JSON.parse(
    readFileSync(new URL(`../../contracts/artifacts/${name}.json`, import.meta.url), 'utf8'),
  ) as Artifact

test('artifacts: are what the sources give', () => {
  expect(stale(), 'run npm run contracts').toEqual([])
})

test.each(['SwapRouter', 'AmmExecutor'])('%s: runs no foreign code and fits on a chain', (name) => {
  const { deployedBytecode } = artifact(name)
  expect(findForbiddenOpcodes(deployedBytecode)).toEqual([])
  expect((deployedBytecode.length - 2) / 2).toBeLessThan(codeSizeMax)
})

test('opcode scan: finds planted opcodes and is not misled by pushed data', () => {
  const clean = artifact('SwapRouter').deployedBytecode
  // In front: a contract ends with the texts it holds, whose letters would be read as pushes.
  expect(findForbiddenOpcodes(`0xf4${clean.slice(2)}`)).toEqual([{ at: 0, name: 'DELEGATECALL' }])
  // PUSH1 f4, PUSH2 f0ff, then the real things.
  expect(findForbiddenOpcodes('0x60f461f0fff0f2f4f5ff')).toEqual([
    { at: 5, name: 'CREATE' },
    { at: 6, name: 'CALLCODE' },
    { at: 7, name: 'DELEGATECALL' },
    { at: 8, name: 'CREATE2' },
    { at: 9, name: 'SELFDESTRUCT' },
  ])
})

test('SwapRouter: offers no way to call anything else', () => {
  const names = swapRouterAbi.filter((item) => item.type === 'function').map((item) => item.name)
  expect(
    names.filter((name) => /multicall|execute|call|permit|upgrade|initialize/i.test(name)),
    // Owner, spender and amount are the router's own words, and a swap follows.
  ).toEqual(['exactInputWithPermit', 'exactInputWithPermit2'])
})
