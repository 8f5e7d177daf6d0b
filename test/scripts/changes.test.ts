import { expect, test } from 'vitest'
import { changesOf } from '../../scripts/release/changes.ts'

const changelog =
  '# Changelog\n\nThe form.\n\n## Unreleased\n\n- new\n\n## 1.1.0\n\n### Added\n\n- b\n\n## 1.0.0\n\n- a\n'

test('a version has its section, and what came after it', () => {
  expect(changesOf(changelog, '1.1.0')).toBe(
    '## Unreleased\n\n- new\n\n## 1.1.0\n\n### Added\n\n- b\n',
  )
})

test('a version without a section has what is unreleased', () => {
  expect(changesOf(changelog, '2.0.0')).toBe('## Unreleased\n\n- new\n')
})
