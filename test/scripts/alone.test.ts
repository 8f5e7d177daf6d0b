import { Server } from 'node:net'
import { expect, test } from 'vitest'

test('a unit test opens no port', () => {
  const { listen } = Server.prototype
  expect(() => Reflect.apply(listen, new Server(), [0])).toThrow(/opens no port/)
})
