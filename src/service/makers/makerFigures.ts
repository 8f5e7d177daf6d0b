import { formatDecimal } from '../../core/decimal.ts'
import type { Token } from '../../core/token.ts'
import type { Inventory } from '../inventory/createInventory.ts'
import type { MakerFigure } from './createMakerCounts.ts'

/** What `/metrics` shows of a maker besides its counts. */
export const makerFigures = {
  /** In token units; 0 again when everything was settled or has expired. */
  reserved(
    inventory: Inventory,
    { name, tokens }: { name: string; tokens: readonly Token[] },
  ): readonly MakerFigure[] {
    return tokens.map(({ address, symbol, decimals }) => ({
      name: 'reserved_inventory',
      labels: { maker: name, token: symbol },
      value: Number(formatDecimal(inventory.reserved(address), decimals)),
    }))
  },
}
