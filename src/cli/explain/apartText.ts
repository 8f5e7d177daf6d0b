import type { Apart } from './apart.ts'

/** `short by 0.063 % (6.3 bps)` */
export function apartText({ bps, percent, pays }: Apart): string {
  if (pays === 'same') return 'exactly met'
  const size = (text: string) => text.replace(/^-/, '')
  return `${pays === 'less' ? 'short by' : 'above by'} ${size(percent)} % (${size(bps)} bps)`
}
