import type { Design } from '../app/deploy/design.ts'
import type { DeploymentPlan, PricedStep, StandingRouter } from '../app/deploy/planDeployment.ts'
import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { table } from '../core/textLayout.ts'
import { sameAddress } from '../core/token.ts'

type Done = {
  readonly mode: 'dry-run' | 'live'
  readonly design: Design
  readonly plan: DeploymentPlan
  readonly gasPrice: bigint
  readonly router: StandingRouter | undefined
}

/** The result of `ballast deploy` for a person: what is there, what it costs, and the lines of `ballast.yaml`. */
export function deploymentText(done: Done, config: Config): string {
  const { mode, design, plan, gasPrice, router } = done
  const { native } = config.tokens
  const coin = (wei: bigint) => show({ token: native, wei })
  const open = plan.steps.some((step) => !step.done)
  const about = [
    [
      'chain',
      `${config.chain.name} (${config.chain.chainId}), gas at ${formatDecimal(gasPrice, 9)} gwei`,
    ],
    ['owner', router?.owner ?? design.owner],
    ['fee signer', design.feeSigner],
    ['router', design.router],
    ['executor', `${design.executor}, which the router makes`],
    ['probe', 'never deployed: each simulation brings its code along'],
  ]
  const cost = [
    ...plan.accounts
      .filter(({ needs }) => needs > 0n)
      .map(({ address, needs, holds }) => [
        sameAddress(address, design.deployer) ? 'deployer' : 'maker',
        `${address} holds ${coin(holds)} and needs up to ${coin(needs)}`,
      ]),
    ['cost', `${coin(plan.cost)} at the prices of now; a rollup's fee for data comes on top`],
  ]
  return [
    table(about),
    '',
    table(plan.steps.map((step) => [step.name, stateOf(step, done, coin)])),
    '',
    ...(open ? [table(cost)] : []),
    ...warnings(done),
    ...(router === undefined ? [] : linesOf(design, router)),
    mode === 'live' || !open
      ? `Next: these lines into service: of the bot's file, router and executor into service.yaml (docs/REAL-CHAIN.md)`
      : 'A preview: nothing was signed. The same with --live deploys.',
  ].join('\n')
}

function stateOf(
  { done, gas, call, from }: PricedStep,
  { mode }: Done,
  coin: (wei: bigint) => string,
): string {
  if (done) return 'is there already'
  if (mode === 'live') return 'done'
  if (from === undefined) return 'signed by no key, paid from the money for it'
  return call.value === 0n ? `${gas} gas` : `${gas} gas and ${coin(call.value)}`
}

/** The section that the bot needs, as far as a deployment knows it. */
const linesOf = ({ router, executor, feeSigner, makers }: Design, { codeHash }: StandingRouter) => [
  '',
  'service:',
  `  router: "${router}"`,
  `  routerCodeHash: "${codeHash}"`,
  `  executor: "${executor}"`,
  `  feeSigner: "${feeSigner}"`,
  `  makers: [${makers.map((one) => `"${one}"`).join(', ')}]`,
  '',
]

function warnings({ plan, router, design }: Done): readonly string[] {
  const { makers, signing, owner, feeSigner } = design
  const elsewhere = makers.filter((one) => !signing.includes(one))
  return [
    ...elsewhere.map((one) => `Maker ${one} must approve the router itself: its key is not here.`),
    ...(plan.ownerIsUsed
      ? []
      : [`${owner} did and held nothing on this chain yet: an owner cannot be corrected later.`]),
    ...(router !== undefined && !sameAddress(router.owner, owner)
      ? [`The router has another owner by now than ${owner}.`]
      : []),
    ...(router !== undefined && !router.isFeeSigner
      ? [`The router no longer knows the fee signer ${feeSigner}: its owner replaced it.`]
      : []),
  ]
}
