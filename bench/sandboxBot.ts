import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { untilSaid } from './measure.ts'

/** A market of its own for bots of a benchmark. Close it when they have ended. */
export async function startMarket(folder: string) {
  const data = join(folder, 'market')
  const market = await untilSaid(
    ['src/main.ts', 'sandbox', '--json', '--data-dir', data],
    /"ready":true/,
  )
  /** Writes a bot into a folder of its own: `count` strategies that never want to trade, due `every` so often. */
  const writeBot = (name: string, { count, every }: { count: number; every: string }): string => {
    const dir = join(folder, name)
    mkdirSync(dir)
    copyFileSync(join(data, '.env'), join(dir, '.env'))
    const rows = Array.from(
      { length: count },
      (_, nth) => `  - name: idle-${nth}
    use: threshold
    params: { sell: 0.01 WETH, buy: USDC, price: 999999 USDC, every: ${every} }
`,
    )
    const written = readFileSync(join(data, 'ballast.yaml'), 'utf8')
    const section = /^strategies:.*\n(?:[ #].*\n)*/m
    if (!section.test(written))
      throw new Error('The configuration of the sandbox names no strategies.')
    const config = join(dir, 'ballast.yaml')
    writeFileSync(config, written.replace(section, `strategies:\n${rows.join('')}`))
    return config
  }
  return { writeBot, end: market.end }
}
