/** The server's time in milliseconds, as an expression of SQL. No clock of this machine is compared with it. */
export const serverNow = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
