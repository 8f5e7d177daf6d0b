import { parseAbi } from 'viem'

/** Multicall3's one function that matters: many reads in one call, each of which may fail alone. */
export const multicall3Abi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])
