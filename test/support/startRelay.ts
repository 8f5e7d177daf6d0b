import { type Hex, keccak256 } from 'viem'
import { serveBodies } from './serveBodies.ts'

/** What a relay does with bytes: brings them to its node, takes them and brings them nowhere, or refuses them. */
type Mood = 'forwards' | 'keeps' | 'refuses'

/** A private relay in front of a real node: it takes signed bytes, says its chain, and knows no other method. */
export async function startRelay(upstream: string, first: Mood = 'forwards', delayMs = 0) {
  /** Every offer, and when it came. */
  const offered: { readonly raw: Hex; readonly at: number }[] = []
  const methods = new Set<string>()
  let mood = first
  let onOffer = (_raw: Hex) => {}
  const server = await serveBodies(async (text, response) => {
    const { id, method, params } = JSON.parse(text)
    methods.add(method)
    const say = (rest: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...rest }))
    const pass = async () =>
      say(
        (await (
          await fetch(upstream, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: text,
          })
        ).json()) as object,
      )
    if (method === 'eth_chainId') return pass()
    if (method !== 'eth_sendRawTransaction')
      return say({ error: { code: -32_601, message: 'a relay has no such method' } })
    offered.push({ raw: params[0], at: Date.now() })
    onOffer(params[0])
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (mood === 'forwards') return pass()
    return mood === 'keeps'
      ? say({ result: keccak256(params[0]) })
      : say({ error: { code: -32_000, message: 'invalid sender' } })
  })
  return {
    url: server.url,
    offered,
    methods,
    be(next: Mood) {
      mood = next
    },
    /** Called at each offer, before it is answered. */
    atOffer(act: (raw: Hex) => void) {
      onOffer = act
    },
    close: server.close,
  }
}
