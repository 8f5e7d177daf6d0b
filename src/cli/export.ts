import { defineCommand } from './command.ts'
export const command = defineCommand({ name: 'export', summary: 'x', example: 'x', async run() {} })
