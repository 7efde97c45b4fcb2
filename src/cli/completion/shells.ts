/** The shells with a completion script. A separate module, so that help and argument checks load nothing else. */
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** The file name of each script in `completions/`, as its shell expects it. */
export const SCRIPT_FILES = {
  bash: 'skinsmith.bash',
  zsh: '_skinsmith',
  fish: 'skinsmith.fish',
  powershell: 'skinsmith.ps1',
} as const satisfies Record<Shell, string>;
