import type { Hex } from '../chain/calls/fields.ts'
import type { RpcCall } from '../chain/rpc/rpc.ts'
import type { Address } from '../core/token.ts'

const done = (method: string, ...params: unknown[]): RpcCall<void> => ({
  method,
  params,
  parse: () => undefined,
})

/** What only a development chain can be told. */
export const anvilCalls = {
  mine: done('evm_mine'),
  /** Mines a block for each transaction at once. */
  mineAtOnce: done('evm_setAutomine', true),
  mineEvery: (seconds: number) => done('evm_setIntervalMining', seconds),
  /** Otherwise anvil prints a line for each call. */
  silence: done('anvil_setLoggingEnabled', false),
  setTime: (unixSeconds: number) => done('evm_setTime', unixSeconds),
  setBalance: (account: Address, wei: bigint) =>
    done('anvil_setBalance', account, `0x${wei.toString(16)}`),
  setCode: (account: Address, code: Hex) => done('anvil_setCode', account, code),
}
