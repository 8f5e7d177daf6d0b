import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { navigation } from '../../docs/.vitepress/navigation.ts'

test('each page of docs has one place in the navigation of the site', () => {
  const offered = navigation.flatMap(({ pages }) => Object.keys(pages))
  const pages = globSync('docs/*.md').map((path) => path.slice('docs/'.length, -'.md'.length))
  expect(offered.sort(), 'docs/.vitepress/navigation.ts lists the pages').toEqual(pages.sort())
})
