import { createHash } from 'node:crypto'
import type { Secret } from '../../core/secret.ts'

/** SHA-256 of the keys every local development chain publishes; bots empty their accounts on any other chain. */
const published: ReadonlySet<string> = new Set([
  '60a09e4357868c1e9b801052726d061c370429f723db84523ed58ac354f6eb8a',
  '095101cf732c298a0ce0320b9de704209cdd8640b70d8fdf4e5be51aa2eb272e',
  'bb4978fbe7638de8e6ee13d9a59a5fb047beb0f0ee059fe166541b1f96b6af63',
  'f02322197a196ceb746aa52cee2a869abf0fe231c4d6d050a8a5f02c6625a1d4',
  '5de22089c247b9b2722ec5c33498e6bc481b1faba85f4da957f8b84679fcf88c',
  '59feecfa04eb096ba44eed297e4239fa32d8840cbc1ffb8ff2f7fd8e8e0edd38',
  'b69d88ff1ad5834ab1d8ed45f20d72b6ccf3429c9ccc75b93d14ca0ee00dec16',
  'b6b9ee08c38f62da71fa150a8ada4a7a09c7d3c4a9f6445e51e5a4b2c6395368',
  'be394de37f9d6cf6682434e9f15a4f891eca9b614bf79da2da22a8e48a658fcd',
  'dd0102d1cd0c6ac702573e3e7551fc6cec26596b6287348804c1b0f9544b5bf9',
])

/** Whether everybody knows this key. */
export function isPublishedKey(key: Secret): boolean {
  return published.has(createHash('sha256').update(key.reveal()).digest('hex'))
}
