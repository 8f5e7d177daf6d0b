import { type AmountText, showText } from '../../core/amount.ts'
import { type Html, html, printHtml } from '../../core/html.ts'
import { briefAmount } from '../figures.ts'
import { bridgeChart, shareBar, valueChart } from './monthCharts.ts'
import { monthStyle } from './monthStyle.ts'
import { gasParts, sourcesText, sumLines } from './monthText.ts'
import type { MonthReport } from './readMonth.ts'

/** Whose month it is: the lines above the figures. */
export type MonthHead = {
  readonly wallet: string
  readonly address: string
  readonly chain: string
  /** `PAPER: …`, `SYNTHETIC: …`. */
  readonly labels: readonly string[]
}

/** A month as one page that needs nothing else: no script, no request, for the screen and for paper. */
export function monthPage(report: MonthReport, head: MonthHead): string {
  const { month, zone, from, until, notes, unit } = report
  return printHtml(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${head.wallet} ${month}</title>
<style>${monthStyle}</style>
</head>
<body>
<header>
<div><div class="soft">Monthly statement</div><h1>${month}</h1></div>
<dl><dt>Wallet</dt><dd>${head.wallet}<br><span class="code">${head.address}</span></dd>
<dt>Chain</dt><dd>${head.chain}</dd>
<dt>Period</dt><dd>${second(from)} to ${second(until)}<br><span class="soft">calendar month in ${zone}</span></dd>
<dt>Unit</dt><dd>${unit}</dd></dl>
</header>
<main>
${[...head.labels, ...notes].map((one) => html`<p class="note">${one}</p>`)}
${summary(report)}
${section('Amounts by token', tokensTable(report))}
${section('Holdings and prices', holdings(report))}
${section('Deposits and withdrawals', entriesTable(report.flows, 'No deposit or withdrawal.'))}
${section('Execution', execution(report))}
${section('Swaps', entriesTable(report.swaps, 'No swap settled.'))}
${section('Policy', policy(report))}
${section('Proof of the closing', proof(report))}
</main>
<footer>Made from the journal alone. Realised: worth less cost of what was sold, withdrawn or paid as gas. Unrealised: the change of worth less cost of what is held. Sums are exact; amounts of tokens are cut to six decimals.</footer>
</body>
</html>
`)
}

const second = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`

const section = (title: string, body: Html) => html`<section><h2>${title}</h2>${body}</section>`

const brief = (amount: AmountText) =>
  html`<span title="${showText(amount)}">${briefAmount(amount)}</span>`

const number = (value: string | Html) => html`<td class="number">${value}</td>`

/** Thousands set apart by a narrow space, which no country takes for a point. */
const grouped = (text: string) =>
  text.replace(
    /^(-?)(\d+)/,
    (_, sign: string, digits: string) => sign + digits.replace(/\B(?=(\d{3})+$)/g, '\u{202f}'),
  )

function table(header: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${header.map((name, index) => html`<th class="${index === 0 ? '' : 'number'}">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function summary(report: MonthReport): Html {
  const { sums, unit } = report
  if (sums === null)
    return section(
      'Summary',
      html`<p class="note">The value of this month in ${unit} is not known: see the notes above.</p>`,
    )
  const lines = sumLines(report)
  const tone = sums.result.wei.startsWith('-') ? 'bad' : 'good'
  return html`<section class="cards">
${card('Opening', sums.opening, '')}${card('Closing', sums.closing, '')}
${card('Result', sums.result, tone)}
</section>
<section class="two"><div><h2>From opening to closing</h2>
<table class="sums"><tbody>${lines.map(
    ({ name, sign, text }) =>
      html`<tr class="${sign === '' ? 'total' : ''}"><td>${name}</td>${number(`${sign} ${grouped(text)}`)}</tr>`,
  )}</tbody></table>
<p class="soft">Lots first in, first out. By weighted average: realised ${grouped(sums.realised.average.text)}, unrealised ${grouped(sums.unrealised.average.text)}.</p></div>
<div>${bridgeChart(lines)}${valueChart(report)}</div></section>`
}

const card = (label: string, { token, text }: AmountText, tone: string) =>
  html`<div class="card"><div class="soft">${label}</div><div class="figure ${tone}">${grouped(text)}</div><div class="soft">${token}</div></div>`

function tokensTable({ tokens, sums }: MonthReport): Html {
  if (tokens.length === 0) return html`<p class="soft">No amounts are known.</p>`
  const amounts = table(
    ['Token', 'Opening', '+ deposits', '- withdrawals', '+ bought', '- sold', '- gas', 'Closing'],
    tokens.map(
      (one) =>
        html`<tr><td>${one.token}</td>${[one.opening, one.deposits, one.withdrawals, one.bought, one.sold, one.gas, one.closing].map((amount) => number(brief({ ...amount, token: '' })))}</tr>`,
    ),
  )
  if (sums === null) return amounts
  return html`${amounts}${table(
    ['Token', 'Realised, FIFO', 'Realised, average', 'Cost, FIFO', 'Cost, average'],
    tokens.map(
      ({ token, realised, cost }) =>
        html`<tr><td>${token}</td>${[realised.fifo, realised.average, cost.fifo, cost.average].map(({ text }) => number(text))}</tr>`,
    ),
  )}`
}

function holdings({ opening, closing }: MonthReport): Html {
  const marks = Object.entries({ Opening: opening, Closing: closing })
  return html`${marks.map(([name, mark]) =>
    mark === null
      ? html`<p class="soft">${name}: not known.</p>`
      : html`<h3>${name}, ${second(mark.at)}</h3>${table(
          ['Holding', 'Worth', 'Price', 'Share'],
          mark.holdings.map(
            ({ held, worth, price, sources }) =>
              html`<tr><td>${brief(held)}<div class="soft">${worth === null || worth.token === held.token ? '' : sourcesText(sources)}</div></td>${number(worth === null ? 'no price' : showText(worth))}${number(price ?? 'not known')}${number(shareBar(worth, mark.total))}</tr>`,
          ),
        )}`,
  )}`
}

/** Rows of a list on the page, the newest; `--json` has all. */
const rowsMax = 200

const newestOf = ({ length }: readonly unknown[]) =>
  length > rowsMax &&
  html`<p class="soft">The newest ${rowsMax} of ${length}; --json and the export have all.</p>`

function entriesTable(entries: MonthReport['swaps'], none: string): Html {
  if (entries.length === 0) return html`<p class="soft">${none}</p>`
  return html`${newestOf(entries)}${table(
    ['Entry', 'Left', 'Came', 'Worth', 'By'],
    entries
      .slice(-rowsMax)
      .map(
        ({ at, kind, left, came, worth, valuedBy, strategy, hash }) =>
          html`<tr><td>${second(at)} ${strategy ?? kind}${hash !== null && html`<div class="code soft">${hash}</div>`}</td>${number(left === null ? '' : brief(left))}${number(came === null ? (kind === 'swap' ? 'to another recipient' : '') : kind === 'swap' && came.wei === '0' ? 'nothing: written off' : brief(came))}${number(worth === null ? 'not known' : showText(worth))}${number(valuedBy ?? 'not known')}</tr>`,
      ),
  )}`
}

function execution({ execution: rows, settled, gas, sums, sources }: MonthReport): Html {
  return html`<p>${settled} settled swaps. Cost in the bought token against the middle of independent sources at the decision; below zero is a gain.</p>
${
  rows.length > 0 &&
  table(
    [
      'Strategy',
      'Sold',
      'Received',
      'Measured',
      'Delay',
      'Spread',
      'Slippage',
      'Gas',
      'In all',
      'bps',
    ],
    rows.map(({ strategy, sold, received, swaps, measured, gasUnpriced, cost, bps }) => {
      const part = `${measured} of ${swaps}${gasUnpriced === 0 ? '' : `; the gas of ${gasUnpriced} has no price`}`
      const costs =
        cost === null
          ? Array.from({ length: 5 }, () => 'not known')
          : [cost.delay, cost.spread, cost.slippage, cost.gas, cost.total].map(({ text }) => text)
      return html`<tr><td>${strategy}</td>${number(brief(sold))}${number(brief(received))}${number(part)}${costs.map(number)}${number(bps === null ? 'not known' : String(bps.total))}</tr>`
    }),
  )
}
<p>Gas: ${showText(gas.total)} for ${gas.transactions} transactions${sums !== null && `, worth ${showText(sums.gas)}`}; ${gasParts(gas)}. Fees of makers, pools and the service are in the prices of the fills.</p>
${sources.length > 0 && html`<p class="soft">Sources of the fills: ${sources.map(({ source, swaps }) => `${source} (${swaps})`).join(', ')}.</p>`}`
}

function policy({ events: { locks, refusals, stopped, slots } }: MonthReport): Html {
  const counted = [
    ...refusals.map((one) => ({ ...one, what: 'refused before a plan' })),
    ...stopped.map((one) => ({ ...one, what: 'stopped' })),
  ]
  return html`<h3>Locks</h3>${
    locks.length === 0
      ? html`<p class="soft">None.</p>`
      : table(
          ['Lock', 'Opened', 'Ended'],
          locks.map(
            (one) =>
              html`<tr><td>${one.kind} ${one.code} on ${one.scope}<div class="soft">${one.openedBy !== null && `${one.openedBy}: `}${one.reason}</div></td>${number(second(one.openedAt))}${number(lockEnd(one))}</tr>`,
          ),
        )
  }<h3>Refusals</h3>${
    counted.length === 0
      ? html`<p class="soft">None.</p>`
      : table(
          ['Code', 'What', 'Count'],
          counted.map(
            ({ code, what, count }) =>
              html`<tr><td>${code}</td>${number(what)}${number(String(count))}</tr>`,
          ),
        )
  }<h3>Slots</h3>${
    slots.counts.length === 0
      ? html`<p class="soft">No calendar was due.</p>`
      : table(
          ['Strategy', 'Done', 'Passed', 'Missed', 'Failed'],
          slots.counts.map(
            ({ strategy, done, passed, missed, failed }) =>
              html`<tr><td>${strategy}</td>${[done, passed, missed, failed].map((one) => number(String(one)))}</tr>`,
          ),
        )
  }${
    slots.notDone.length > 0 &&
    html`${newestOf(slots.notDone)}${table(
      ['Slot that was not done', 'State', 'Slots'],
      slots.notDone
        .slice(-rowsMax)
        .map(
          ({ strategy, slot, slots: count, state, reason }) =>
            html`<tr><td>${strategy}, ${second(slot)}<div class="soft">${reason}</div></td>${number(state)}${number(String(count))}</tr>`,
        ),
    )}`
  }`
}

function lockEnd({
  releasedAt,
  releasedBy,
  releasedReason,
  expiredAt,
}: MonthReport['events']['locks'][number]): Html {
  if (releasedAt !== null)
    return html`${second(releasedAt)}<div class="soft">${releasedBy !== null && `${releasedBy}: `}${releasedReason}</div>`
  return html`${expiredAt === null ? 'held at the end of this statement' : `expired ${second(expiredAt)}`}`
}

function proof({ proof: { audit, transaction } }: MonthReport): Html {
  return html`<dl><dt>Last transaction</dt><dd class="code">${transaction?.hash ?? 'none of this wallet is in the journal'}</dd>
${transaction !== null && html`<dt>In block</dt><dd class="code">${transaction.block ?? 'not known'} ${transaction.blockHash}</dd>`}
<dt>Log entry</dt><dd class="code">${audit.entry}</dd><dt>Audit head</dt><dd class="code">${audit.head}</dd></dl>
<p class="soft"><code>ballast audit verify --head ${audit.head}</code> holds the log to it.${transaction !== null && ' From that block to the closing the balances change by deposits and withdrawals alone, as any node of the chain shows.'}</p>`
}
