import { afterAll } from 'vitest'
import { forgetSecrets } from '../../src/core/secret.ts'

// Files of one worker share their modules: a fake key of one file, such as 64 zeros, must not be cut from another's output.
afterAll(forgetSecrets)
