import { openService } from '../app/service/openService.ts'
import { createLog } from '../bot/report/createLog.ts'
import { readServiceConfig, type ServiceConfig } from '../config/service/readServiceConfig.ts'
import { aborted } from '../core/aborted.ts'
import { defineStreaming } from './command.ts'
import { wholeNumber } from './options.ts'

export const command = defineStreaming({
  name: 'service',
  summary: 'the quoting service alone, against the RPC and makers of service.yaml',
  example: 'ballast service --config service.yaml --port 8788',
  // A desk's file is not the bot's: without --config it is looked for under its own name.
  defaultFile: 'service.yaml',
  options: {
    port: {
      flags: '--port <n>',
      summary: 'listen here instead of listen.port; 0 is a free one',
      read: wholeNumber({ name: '--port', min: 0, max: 65_535 }),
    },
  },
  async run({ options, json, configFile, environment, cwd, clock, signal, terminal, logLevel }) {
    const config = readServiceConfig({ file: configFile, environment, cwd })
    const log = createLog({ level: logLevel ?? config.logLevel, sink: terminal.log })
    await using opened = new AsyncDisposableStack()
    const { serviceUrl } = opened.adopt(
      await openService(config, { port: options.port, clock, log }),
      (service) => service.close(),
    )
    if (json) terminal.jsonLine(documentOf(config, serviceUrl))
    else terminal.event(describe(config, serviceUrl))
    await aborted(signal)
    return undefined
  },
})

function documentOf(config: ServiceConfig, serviceUrl: string) {
  return {
    ready: true,
    chain: config.chain.name,
    chainId: config.chain.chainId,
    serviceUrl,
    router: config.router,
    executor: config.executor,
    tokens: Object.fromEntries(
      [...config.tokens].map(([symbol, { address, decimals }]) => [symbol, { address, decimals }]),
    ),
    makers: [...config.makers, ...config.remoteMakers].map(({ name }) => name),
    pools: config.pools.map(({ address }) => address),
    keysRequired: config.keysFile !== undefined,
    config: config.file,
  }
}

function describe(config: ServiceConfig, serviceUrl: string): string {
  return [
    `quotes   ${serviceUrl}/v1`,
    `docs     ${serviceUrl}/docs`,
    `chain    ${config.chain.name} (${config.chain.chainId})`,
    `tokens   ${[...config.tokens.keys()].join(' ')}`,
    `sources  ${config.makers.length + config.remoteMakers.length} makers, ${config.pools.length} pools`,
    `keys     ${config.keysFile ?? 'none needed: anybody who reaches this address may ask'}`,
    'Ctrl-C ends it.',
  ].join('\n')
}
