import { invalidConfig } from '../core/invalidConfig.ts'
import type { Secret } from '../core/secret.ts'
import { makerKeyOf } from './file/privateKeys.ts'
import { exposedSecrets, nameInVariable, variables } from './file/variables.ts'

/**
 * The private keys of a desk as `ballast service` reads them: of its fee signer, and of the makers of these names. Throws
 * every problem at once.
 */
export function deploymentKeys(
  { chainId, ...source }: Parameters<typeof variables>[0] & { readonly chainId: number },
  wanted: { readonly feeSigner: boolean; readonly makers: readonly string[] },
): { readonly feeSigner: Secret | undefined; readonly makers: readonly Secret[] } {
  const lookUp = variables(source)
  const problems = [...exposedSecrets(source)]
  const read = (name: string): readonly Secret[] => {
    const { key, problem } = makerKeyOf(lookUp(name), { name, cwd: source.cwd, chainId })
    if (problem !== undefined) problems.push(problem)
    return key === undefined ? [] : [key]
  }
  const feeSigner = wanted.feeSigner ? read('FEE_SIGNER_KEY')[0] : undefined
  const makers = wanted.makers.flatMap((name) => read(`MAKER_KEY_${nameInVariable(name)}`))
  if (problems.length > 0) throw invalidConfig([...new Set(problems)])
  return { feeSigner, makers }
}
