import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { scenarioProbeAbi, scenarioProbeCode } from '../../../contracts/abi/scenarioProbe.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { bytes } from './fields.ts'
import type { Played, Scenario, SimulatedCall } from './simulate.ts'

/** Below the limit of nodes for one call. A step requests far more than it uses, so this is enough for hundreds. */
const gasMax = 45_000_000n

/** For the probe's own work, and for the part of the gas that a call cannot pass on. */
const gasAround = 3_000_000n

/**
 * The same as `simulate`, for a node without `eth_simulateV1`: one `eth_call` to the wallet itself, where a contract
 * stands for the length of that call and plays the steps as the wallet.
 *
 * To a token the wallet looks like a contract meanwhile. Gas is an estimate: refunds are not in it.
 */
export function simulateByProbe({ calls, code = {}, timestamp }: Scenario): RpcCall<Played> {
  const wallet = calls[0]?.from
  if (wallet === undefined || calls.some(({ from }) => from !== wallet))
    throw new Error('the steps of a scenario are of one wallet')
  const data = encodeFunctionData({
    abi: scenarioProbeAbi,
    functionName: 'play',
    args: [calls.map(({ to, value = 0n, gas, data }) => ({ to, value, gasLimit: gas, data }))],
  })
  const wanted = calls.reduce((sum, { gas }) => sum + gas, gasAround)
  const gas = wanted < gasMax ? wanted : gasMax
  return {
    method: 'eth_call',
    params: [
      { from: wallet, to: wallet, data, gas: `0x${gas.toString(16)}` },
      'latest',
      Object.fromEntries(
        Object.entries({ ...code, [wallet]: scenarioProbeCode }).map(([address, bytecode]) => [
          address,
          { code: bytecode },
        ]),
      ),
      timestamp === undefined ? {} : { time: `0x${timestamp.toString(16)}` },
    ],
    parse(answer) {
      const [number, parentHash, results] = decodeFunctionResult({
        abi: scenarioProbeAbi,
        functionName: 'play',
        data: bytes.parse(answer),
      })
      if (results.length !== calls.length)
        throw new Error(`simulated ${calls.length} calls, answered ${results.length}`)
      return {
        // Played within the block itself, not in one on top of it.
        base: {
          number: Number(number),
          hash: undefined,
          parentHash: BigInt(parentHash) === 0n ? undefined : parentHash,
        },
        results: results.map(({ success, gasUsed, data: answered }, index) => ({
          success,
          data: answered,
          gasUsed: gasUsed + intrinsicGas(calls[index]),
        })),
      }
    },
  }
}

/** The cost of a transaction before its first instruction: 21,000, and 16 or 4 for each byte of its data. */
function intrinsicGas(call: SimulatedCall | undefined): bigint {
  const pairs: readonly string[] = call?.data.slice(2).match(/../g) ?? []
  const zeros = pairs.filter((pair) => pair === '00').length
  return 21_000n + BigInt(4 * zeros + 16 * (pairs.length - zeros))
}
