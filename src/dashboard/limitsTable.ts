import type { AmountText } from '../core/amount.ts'
import type { Html } from '../core/html.ts'
import { isDollar } from '../core/token.ts'
import { meter } from './charts.ts'
import { dataTable } from './dataTable.ts'
import { amount, worthText } from './figures.ts'
import type { LimitView } from './views.ts'

/** Limits as bars. */
export const limitsTable = (limits: readonly LimitView[]): Html =>
  dataTable({
    label: 'Limits and what is used of them',
    columns: [
      { name: 'Limit' },
      { name: 'Used', isNumber: true },
      { name: 'Of', isNumber: true, isMinor: true },
      { name: 'Part' },
    ],
    rows: limits.map((limit) => ({
      key: `limit-${limit.name}`,
      cells: [limit.name, limitText(limit.used), limitText(limit.most), meter(limit)],
    })),
    empty: 'No limit is configured.',
  })

/** Of a dollar the cents are enough. */
const limitText = (text: AmountText) =>
  isDollar({ symbol: text.token }) ? worthText(text) : amount(text)
