import { expect, test } from 'vitest'
import { isOfContract, RpcRefused } from '../../src/chain/rpc/rpc.ts'

const refused = (message: string, more: { code?: number; data?: string } = {}) =>
  new RpcRefused('eth_call', { code: -32_000, message, ...more })

test.each([
  refused('execution reverted', { code: 3 }),
  refused('execution failed', { data: '0x08c379a0' }),
  refused('invalid opcode: INVALID'),
  refused('invalid jump destination'),
  refused('return data out of bounds'),
  refused('stack limit reached 1024 (1023)'),
  refused('write protection'),
  refused('out of gas'),
  refused('max call depth exceeded'),
  refused('VM execution error.', { code: -32_015 }),
  refused('BadInstruction fe'),
  refused('EvmError: InvalidFEOpcode'),
])('a contract that broke off: %s', (error) => {
  expect(isOfContract(error)).toBe(true)
})

test.each([
  refused('missing trie node 1a (path )'),
  refused('missing trie node 1a (path )', { data: '0x' }),
  refused('required historical state unavailable (reexec=128)'),
  refused('project id does not have access to this'),
  refused('this request is not served'),
  refused('invalid block tag'),
  refused('header not found'),
  refused('the method eth_call does not exist', { code: -32_601 }),
  new Error('the node is away'),
])('a node that says something of itself alone: %s', (error) => {
  expect(isOfContract(error)).toBe(false)
})
