/** The order in which the site offers its pages. Each page has one place: test/site/pages.test.ts counts. */
export const navigation = [
  {
    text: 'Begin',
    pages: { index: 'What it is', START: 'First hour', 'REAL-CHAIN': 'A real chain' },
  },
  {
    text: 'Operate',
    pages: {
      OPERATING: 'Morning, alarm, month end',
      KEYS: 'Keys',
      REPORTS: 'Reports',
      DRILL: 'Drill',
      SERVICE: 'The quoting service',
    },
  },
  { text: 'Strategies', pages: { STRATEGIES: 'Strategies', REPLAY: 'Replay' } },
  { text: 'Trust', pages: { SECURITY: 'Security', RELIABILITY: 'Reliability' } },
  {
    text: 'Reference',
    pages: {
      CONFIGURATION: 'Configuration',
      COMMANDS: 'Commands',
      ERRORS: 'Errors',
      METRICS: 'Metrics',
      API: 'API',
      GLOSSARY: 'Glossary',
    },
  },
  {
    text: 'Inside',
    pages: { ARCHITECTURE: 'Architecture', STATES: 'States', STYLE: 'Style' },
  },
] as const
