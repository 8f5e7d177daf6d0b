/** What `key new` and `key import` have in common. */
export const options = {
  out: {
    flags: '--out <file>',
    summary: 'the keystore to write; never over another',
    required: true,
  },
  passwordStdin: {
    flags: '--password-stdin',
    summary: 'the password is the first line of standard input; without it, WALLET_PASSWORD_FILE',
  },
} as const
