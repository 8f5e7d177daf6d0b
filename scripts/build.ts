import { join, resolve } from 'node:path'
import { root } from './release/compile.ts'
import { writePackages } from './release/packages.ts'

// node scripts/build.ts [folder] [folder of the market]
const [release = join(root, 'dist'), market] = process.argv.slice(2).map((path) => resolve(path))
await writePackages(release, market)
