import { openDayCount } from '../../../../src/bot/sign/process/openDayCount.ts'
import { serveSigner } from '../../../../src/bot/sign/process/serveSigner.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { limits, wallet } from './signerCase.ts'

// A signer process that is killed between its count and its answer: the one moment when both could be lost.
const [socket = '', file = ''] = process.argv.slice(2)
await serveSigner({
  socket,
  holder: {
    address: wallet,
    signTransaction: async () => {
      process.kill(process.pid, 'SIGKILL')
      return new Promise(() => undefined)
    },
  },
  limits,
  dayCount: openDayCount({ file, clock: systemClock }),
  clock: systemClock,
  onDecision: () => undefined,
})
process.stdout.write('ready\n')
