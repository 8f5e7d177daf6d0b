import type { SimulationResult } from '../../chain/calls/simulate.ts'
import type { Checklist } from '../../core/check.ts'
import { wordOf } from './deltasOf.ts'
import { type Question, questionChecks } from './questions.ts'

/** Notes one check for each kind of question that was asked. An answer that is no answer does not hold. */
export function checkAnswers(
  questions: readonly Question[],
  answers: readonly SimulationResult[],
  checks: Checklist,
): void {
  const answered = questions.map((question, index) => {
    const word = wordOf(answers[index])
    return { ...question, ok: word !== undefined && question.holds(word) }
  })
  for (const name of questionChecks) {
    const asked = answered.filter(({ check }) => check === name)
    if (asked.length === 0) continue
    const wrong = asked.filter(({ ok }) => !ok).map(({ about }) => about)
    checks.equal(name, 'as quoted', wrong.length === 0 ? 'as quoted' : wrong.join('; '))
  }
}
