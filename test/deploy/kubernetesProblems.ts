import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as configMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap'
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as serviceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount'
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as disruption } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'

type Validate = ((data: unknown) => boolean) & { readonly errors?: unknown }

const schemas: Readonly<Record<string, Validate>> = {
  'apps/v1 Deployment': deployment,
  'v1 ConfigMap': configMap,
  'v1 Service': service,
  'v1 ServiceAccount': serviceAccount,
  'networking.k8s.io/v1 NetworkPolicy': networkPolicy,
  'policy/v1 PodDisruptionBudget': disruption,
}

/** What the schemas of Kubernetes object to in a manifest, and every key that they do not know. */
export function kubernetesProblems(manifest: { apiVersion: string; kind: string }): unknown {
  const validate = schemas[`${manifest.apiVersion} ${manifest.kind}`]
  if (validate === undefined) return [`no schema of ${manifest.apiVersion} ${manifest.kind}`]
  const looked = new Set<string>()
  const isRight = validate(watched(manifest, '', looked))
  const unknown = pathsOf(manifest).filter((path) => !looked.has(path))
  return isRight ? unknown : [validate.errors, unknown]
}

/** Notes which keys are looked at. The schemas pass over a key that they do not know, so that none looks at it. */
function watched(value: unknown, path: string, looked: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, key) {
      const at = `${path}/${String(key)}`
      looked.add(at)
      return watched(Reflect.get(target, key), at, looked)
    },
    // A map of any names, such as labels.
    ownKeys(target) {
      for (const key of Reflect.ownKeys(target)) looked.add(`${path}/${String(key)}`)
      return Reflect.ownKeys(target)
    },
  })
}

/** The path of every key. */
function pathsOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [
    `${path}/${key}`,
    ...pathsOf(part, `${path}/${key}`),
  ])
}
