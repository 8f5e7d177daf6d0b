import { type Appraise, type Appraised, type Funded, pass } from '../stages.ts'

/** Asks the sources anew for every quote: what they say must be as fresh as what it is compared with. */
export function createAppraiseStage(appraise: Appraise) {
  return async function appraiseFunded(funded: Funded): Promise<Appraised> {
    return pass<Appraised>({ ...funded, appraisal: await appraise(funded.intent) })
  }
}
