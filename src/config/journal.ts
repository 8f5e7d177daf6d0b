import { duration } from './file/codecs.ts'
import { key, matching, section } from './file/field.ts'

const folder = matching(/\S/, () => "is empty: write the name of a folder, such as 'archives'.", {
  example: 'archives',
  form: 'The name of a folder.',
})

/** `journal:` — how long the journal keeps everything, and where the rest goes. */
export const journalSection = section(
  {
    retention: key(
      duration({ min: '7d', max: '36500d', example: '90d' }).optional(),
      'How long the journal keeps the bodies of swaps and decisions; older ones go into archives. Without it, for ever.',
      'retentionMs',
    ),
    archives: key(
      folder.prefault('archives'),
      'The folder of the archives. It lies beside the journal, where that is a file, or beside this file.',
    ),
  },
  '{ retention: 90d, archives: archives }',
).prefault({})
