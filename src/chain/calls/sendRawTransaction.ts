import type { RpcCall } from '../rpc/rpc.ts'
import { type Hex, hash } from './fields.ts'

/** `eth_sendRawTransaction`. Only `bot/broadcast` may send it for the bot, and only journaled bytes. */
export function sendRawTransaction(raw: Hex): RpcCall<Hex> {
  return {
    method: 'eth_sendRawTransaction',
    params: [raw],
    parse: (answer) => hash.parse(answer),
  }
}
