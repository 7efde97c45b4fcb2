/** Milliseconds after which a run counts as a long one: what it calls later says nothing about starts. */
const LONG_RUN = 10_000;

interface Remembering {
  /** When the process ends. */
  readonly atOnce: () => void;
  /** While it has other work. */
  readonly inSteps: () => void;
}

/**
 * Calls one of two functions: when the process ends, or while it still runs where that takes long, as a service does. Not
 * where it fails: then it called little of a command, and perhaps there is no such command.
 */
export function atTheEnd(
  process: Pick<NodeJS.Process, 'once' | 'off'>,
  { atOnce, inSteps }: Remembering,
): void {
  const atExit = (status: number) => {
    if (status === 0) atOnce();
  };
  process.once('exit', atExit);
  const early = () => {
    process.off('exit', atExit);
    inSteps();
  };
  setTimeout(early, LONG_RUN).unref();
}
