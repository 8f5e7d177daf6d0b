import { join } from 'node:path'
import { getAssetKeys, getRawAsset } from 'node:sea'
import { pathToFileURL } from 'node:url'
import { reportFailure } from '../cli/reportFailure.ts'
import { createTerminal } from '../cli/terminal.ts'
import { cacheFolder } from '../config/file/cacheFolder.ts'
import { unpack } from './unpack.ts'

/** Put in by the build: SHA-256 of the files, which keeps releases apart in the cache. */
declare const BALLAST_FILES: string

void start()

/** The program reads strategies, pages and tapes beside itself: it runs from its files, which the executable brings. */
async function start(): Promise<void> {
  try {
    const files = new Map(
      getAssetKeys().map((path) => [path, new Uint8Array(getRawAsset(path) as ArrayBuffer)]),
    )
    const folder = unpack(files, { cache: cacheFolder(), name: BALLAST_FILES })
    await import(pathToFileURL(join(folder, 'ballast.mjs')).href)
  } catch (failure) {
    const { stdout, stderr, argv } = process
    const json = argv.includes('--json')
    const terminal = createTerminal({ stdout, stderr })
    process.exitCode = reportFailure(failure, { terminal, json, debug: false })
  }
}
