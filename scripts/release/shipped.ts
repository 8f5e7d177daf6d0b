import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Files, root } from './compile.ts'

/** Files of the repository that are in a package as they are, by their path in it. */
export function shipped(pattern: string, folder: string): Files {
  const files = globSync(pattern, { cwd: root })
  if (files.length === 0) throw new Error(`${pattern} names no file: a package would be without it`)
  return new Map(
    files.sort().map((file) => [`${folder}${basename(file)}`, readFileSync(join(root, file))]),
  )
}

const page = [
  /^index\.(?:css|html)$/,
  /^swagger-ui(?:-bundle|-standalone-preset)?\.(?:css|js)$/,
  /^favicon/,
]

/** The page of `/docs`. Swagger UI asks for its files as ../static, and for its logo as ./static, seen from lib/. */
export function swaggerPage(): Files {
  const folder = 'node_modules/@fastify/swagger-ui/static'
  return new Map([
    ...[...shipped(`${folder}/*`, 'static/')].filter(([path]) =>
      page.some((pattern) => pattern.test(basename(path))),
    ),
    ...shipped(`${folder}/logo.svg`, 'lib/static/'),
  ])
}
