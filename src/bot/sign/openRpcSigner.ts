import {
  getTypesForEIP712Domain,
  numberToHex,
  serializeTypedData,
  type TypedDataDefinition,
} from 'viem'
import { z } from 'zod'
import { address, bytes, type Hex } from '../../chain/calls/fields.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import { type Permit, permitTypedData } from '../../chain/settlement/permit.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import { answerOf } from './answerOf.ts'
import type { KeyHolder } from './createSigner.ts'

type Asked = Parameters<KeyHolder['signTransaction']>[0]

/** The request to a signer of each kind, and the form of its answer. */
const dialects = {
  /** Its chain id is an option of its own start, and none of the request. */
  web3signer: {
    list: 'eth_accounts',
    sign: 'eth_signTransaction',
    fields: ({ data }: Asked) => ({ data }),
    read: (answer: unknown): Hex => bytes.parse(answer),
    signTyped: 'eth_signTypedData',
    // Its older versions take no object.
    typed: (json: string): unknown => json,
  },
  clef: {
    list: 'account_list',
    sign: 'account_signTransaction',
    fields: ({ data, chainId }: Asked) => ({ input: data, chainId: numberToHex(chainId) }),
    read: (answer: unknown): Hex => z.looseObject({ raw: bytes }).parse(answer).raw,
    signTyped: 'account_signTypedData',
    typed: (json: string): unknown => JSON.parse(json),
  },
}

/** A permit as both read it: with the type of its domain, and its numbers as decimal text. */
function typedDataOf(permit: Permit): string {
  const data: TypedDataDefinition = permitTypedData(permit)
  const EIP712Domain = getTypesForEIP712Domain(data)
  const whole: TypedDataDefinition = { ...data, types: { EIP712Domain, ...data.types } }
  return serializeTypedData(whole)
}

const accounts = z.array(address).min(1)

/** More than any transaction. */
const maxBytes = 1024 * 1024

/** A key behind JSON-RPC: Web3Signer or clef. Holds the configured wallet when it lists it. */
export async function openRpcSigner({
  kind,
  url,
  wallet,
  timeoutMs,
}: {
  kind: keyof typeof dialects
  url: string
  wallet: Address
  timeoutMs?: number | undefined
}): Promise<KeyHolder> {
  const { list, sign, fields, read, signTyped, typed } = dialects[kind]
  const signer = `signer ${kind}`
  const rpc = createRpc({
    url,
    name: signer,
    setBy: 'wallet.signer.url',
    maxBytes,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  const ask = <answer>(
    method: string,
    params: readonly unknown[],
    parse: (raw: unknown) => answer,
  ) => answerOf({ signer, timeoutMs }, () => rpc.request({ method, params, parse }))
  try {
    const listed = await ask(list, [], (raw) => accounts.parse(raw))
    return {
      address: listed.find((one) => sameAddress(one, wallet)) ?? (listed[0] as Address),
      close: rpc.close,
      signTransaction: (transaction) =>
        ask(
          sign,
          [
            {
              from: wallet,
              to: transaction.to,
              value: numberToHex(transaction.value),
              nonce: numberToHex(transaction.nonce),
              gas: numberToHex(transaction.gas),
              maxFeePerGas: numberToHex(transaction.maxFeePerGas),
              maxPriorityFeePerGas: numberToHex(transaction.maxPriorityFeePerGas),
              ...fields(transaction),
            },
          ],
          read,
        ),
      signPermit: (permit) =>
        ask(signTyped, [wallet, typed(typedDataOf(permit))], (answer) => bytes.parse(answer)),
    }
  } catch (error) {
    await rpc.close()
    throw error
  }
}
