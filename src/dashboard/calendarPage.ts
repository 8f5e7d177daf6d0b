import { type Html, html } from '../core/html.ts'
import { layout, type PageSetting } from './layout.ts'
import type { CalendarDay, CalendarView } from './views.ts'

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** A month as a grid: what was done, missed and failed on each day, and what is planned. */
export function calendarPage(
  { month, timeZone, today, days, isCut }: CalendarView,
  setting: PageSetting,
): Html {
  const weeks = weeksOf(days)
  return layout({
    title: `Calendar of ${month}`,
    path: '/calendar',
    setting,
    main: html`<h2>${month}, days of ${timeZone}</h2>
<p><a href="/calendar?month=${shifted(month, -1)}">Month before</a> · <a href="/calendar">This month</a> · <a href="/calendar?month=${shifted(month, 1)}">Month after</a></p>
<div class="scroll" tabindex="0" role="region" aria-label="Month"><table class="month">
<thead><tr>${weekdays.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${weeks.map(
      (week) =>
        html`<tr>${week.map((day) =>
          day === undefined
            ? html`<td></td>`
            : html`<td data-key="${day.date}" class="${day.date === today ? 'today' : ''}"><strong>${Number(day.date.slice(8))}</strong>${day.strategies.map(entry)}</td>`,
        )}</tr>`,
    )}</tbody>
</table></div>
<p class="soft">Settled swaps of every strategy, and slots of calendars by what became of them. Passed: the strategy chose to wait.${isCut && ' Of a calendar with very many slots not all that were missed at once or are planned were counted.'}</p>`,
    json: [['the month', `/api/calendar?month=${month}`]],
  })
}

function entry({
  strategy,
  settled,
  done,
  passed,
  missed,
  failed,
  planned,
}: CalendarDay['strategies'][number]): Html {
  const counts: readonly (readonly [number, string, string])[] = [
    [settled, 'settled', 'good'],
    [done, 'done', 'good'],
    [passed, 'passed', 'soft'],
    [missed, 'missed', 'bad'],
    [failed, 'failed', 'bad'],
    [planned, 'planned', 'soft'],
  ]
  return html`<div><a href="/strategies/${encodeURIComponent(strategy)}">${strategy}</a> ${counts
    .filter(([count]) => count > 0)
    .map(([count, word, tone]) => html`<span class="${tone}">${count} ${word}</span> `)}</div>`
}

/** Rows of seven days that begin on Mondays. */
function weeksOf(days: readonly CalendarDay[]): readonly (readonly (CalendarDay | undefined)[])[] {
  const [first] = days
  if (first === undefined) return []
  const lead = (new Date(`${first.date}T00:00:00Z`).getUTCDay() + 6) % 7
  const cells = [...Array.from({ length: lead }, () => undefined), ...days]
  return Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => cells[week * 7 + day]),
  )
}

function shifted(month: string, by: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}
