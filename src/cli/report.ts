import { defineCommand } from './command.ts'
export const command = defineCommand({ name: 'report', summary: 'x', example: 'x', async run() {} })
