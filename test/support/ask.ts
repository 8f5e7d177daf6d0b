import { parseJson } from '../../src/core/json.ts'

export type Asked = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
}

/** One GET of the quoting service. Undefined parameters are left out; a list repeats its name. */
export async function ask(
  serviceUrl: string,
  path: string,
  parameters: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  const url = new URL(`/v1/${path}`, serviceUrl)
  for (const [name, value] of Object.entries(parameters))
    for (const each of value === undefined ? [] : [value].flat())
      url.searchParams.append(name, each)
  const answer = await fetch(url, { headers })
  return {
    status: answer.status,
    headers: answer.headers,
    body: parseJson(await answer.text()),
  }
}
