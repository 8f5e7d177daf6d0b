import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig } from 'vitepress'
import { linkPages } from './linkPages.ts'
import { navigation } from './navigation.ts'

const docs = join(import.meta.dirname, '..')

const titleOf = (path: string) => /^# (.+)$/m.exec(readFileSync(join(docs, path), 'utf8'))?.[1]

const decisions = globSync('decisions/*.md', { cwd: docs })
  .sort()
  .map((path) => ({ text: titleOf(path) ?? path, link: `/decisions/${basename(path, '.md')}` }))

/** The site of these documents: `npm run site`. It loads nothing from another host, its search included. */
export default defineConfig({
  title: 'Ballast',
  description: 'A swap bot that a treasury can trust with money.',
  lang: 'en',
  outDir: '../dist-site',
  cacheDir: '../.ballast/site',
  metaChunk: true,
  markdown: {
    config: linkPages,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { logLevel: 'warn', publicDir: false },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      ...navigation.map(({ text, pages }) => ({
        text,
        items: Object.entries(pages).map(([page, name]) => ({
          text: name,
          link: page === 'index' ? '/' : `/${page}`,
        })),
      })),
      { text: 'Decisions', items: decisions },
    ],
  },
})
