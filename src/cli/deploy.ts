import { zeroAddress } from 'viem'
import { deploy } from '../app/deploy/deploy.ts'
import { designOf } from '../app/deploy/design.ts'
import { previewDeployment } from '../app/deploy/previewDeployment.ts'
import { localKey } from '../bot/sign/localKey.ts'
import { deploymentKeys } from '../config/deploymentKeys.ts'
import { show } from '../core/amount.ts'
import { usageError } from '../core/errors.ts'
import type { Secret } from '../core/secret.ts'
import { type Address, isNative } from '../core/token.ts'
import { defineCommand } from './command.ts'
import { deploymentText } from './deploymentText.ts'
import { readAddress } from './options.ts'

const addressForm = /^0x[0-9a-fA-F]{40}$/

export const command = defineCommand({
  name: 'deploy',
  summary: 'router and executor onto a chain, with fee signer and makers; a preview unless --live',
  example: 'ballast deploy --owner 0x… --maker maker-a',
  options: {
    owner: {
      flags: '--owner <address>',
      summary: 'who may pause the router and replace its fee signer, from its first block on',
      required: true,
      read: readAddress('--owner'),
    },
    feeSigner: {
      flags: '--fee-signer <address>',
      summary: 'who authorises every firm quote; without it, the account of FEE_SIGNER_KEY',
      read: readAddress('--fee-signer'),
    },
    maker: {
      flags: '--maker <name-or-address...>',
      summary: 'a maker: by its name where MAKER_KEY_<NAME> is here, which approves the router',
    },
    v2Factory: {
      flags: '--v2-factory <address>',
      summary: "Uniswap v2's factory, where the desk routes through its pools",
      read: readAddress('--v2-factory'),
    },
    v3Factory: {
      flags: '--v3-factory <address>',
      summary: "Uniswap v3's factory, likewise",
      read: readAddress('--v3-factory'),
    },
    live: { flags: '--live', summary: 'sign and send; without it nothing is signed' },
  },
  config: 'deployment',
  async run({ config, options, environment, cwd, clock, signal, terminal }) {
    const { wallet, chain, tokens } = config
    if (isNative(tokens.wrapped))
      throw usageError('No token of the file has wrapsNative: true, and the router needs one.')
    const given = options.maker ?? []
    const named = given.filter((one) => !addressForm.test(one))
    const keys = deploymentKeys(
      { environment, cwd, file: config.file, chainId: chain.chainId },
      { feeSigner: options.feeSigner === undefined, makers: named },
    )
    const signing = keys.makers.map((key) => localKey(key).address)
    const elsewhere = given.filter((one) => addressForm.test(one)).map(readAddress('--maker'))
    const design = designOf({
      deployer: wallet.address,
      owner: options.owner,
      feeSigner: options.feeSigner ?? addressOf(keys.feeSigner),
      wrapped: tokens.wrapped,
      v2Factory: options.v2Factory ?? zeroAddress,
      v3Factory: options.v3Factory ?? zeroAddress,
      makers: [...signing, ...elsewhere],
      signing,
      tokens: [...tokens.bySymbol.values()].filter((token) => !isNative(token)),
    })
    const around = { config, clock, note: terminal.note }
    const before = await previewDeployment(design, around)
    if (!options.live) return { ...before, design, mode: 'dry-run' as const }
    const router = await deploy(design, { ...around, signal, keys: keys.makers })
    return { ...before, design, router, mode: 'live' as const }
  },
  text: (done, { config }) => deploymentText(done, config),
  document: ({ mode, plan, design, router }, { config }) => ({
    mode,
    router: design.router,
    routerCodeHash: router?.codeHash,
    executor: design.executor,
    feeSigner: design.feeSigner,
    makers: design.makers,
    owner: router?.owner ?? design.owner,
    steps: plan.steps.map(({ name, from, done, gas }) => ({ name, from, done, gas: String(gas) })),
    cost: show({ token: config.tokens.native, wei: plan.cost }),
  }),
})

function addressOf(key: Secret | undefined): Address {
  // One that is missing was refused with the other keys.
  if (key === undefined)
    throw usageError('--fee-signer names no account, and FEE_SIGNER_KEY is not set.')
  return localKey(key).address
}
