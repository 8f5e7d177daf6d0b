import type { Fault } from './fault.ts'
import { chainFaults } from './faults/chainFaults.ts'
import { readFaults } from './faults/readFaults.ts'
import { sendFaults } from './faults/sendFaults.ts'

/** Nothing goes wrong but the process. */
const none: Fault = { id: 'none', what: 'nothing but the death itself', from: 'plan' }

/** Everything that can go wrong around one swap while its process dies. */
export const allFaults: readonly Fault[] = [none, ...sendFaults, ...readFaults, ...chainFaults]
