/** Headings of `skinsmith --help` in order, each with its commands. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Make skins:': ['generate', 'queue', 'status', 'jobs', 'retry'],
  'Look at skins:': ['skins', 'preview', 'render', 'check', 'verify'],
  'Account and settings:': ['login', 'logout', 'whoami', 'config', 'doctor'],
  'Run a service:': [
    'serve',
    'open',
    'users',
    'keys',
    'identities',
    'accounts',
    'capes',
    'reports',
    'moderation',
    'backup',
    'restore',
    'store',
  ],
  'Help:': ['help', 'completion'],
};

/** The heading that lists the command; undefined if none does. */
export function groupOf(command: string): string | undefined {
  return Object.entries(COMMAND_GROUPS).find(([, names]) => names.includes(command))?.[0];
}
