import type { Config } from './config.ts'
import { type ConfigSource, readConfig } from './readConfig.ts'

/** The configuration of this process: `ballast.yaml` under the environment, checked and frozen. */
export function loadConfig(source: ConfigSource): Config {
  return readConfig(source).config
}
