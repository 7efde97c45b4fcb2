const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** At it Node would open its debugger, which all users of the machine can connect to. */
const DEBUG = 'SIGUSR1';
type Signal = (typeof SIGNALS)[number] | typeof DEBUG;

/** The parts of `process` that handle signals. */
export interface SignalSource {
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
  kill(pid: number, signal: Signal): unknown;
  readonly pid: number;
}

/** Milliseconds: a terminal sends Ctrl-C to all processes, and npx and our own start under an old Node pass it on. */
const ONE_CTRL_C = 300;

/**
 * The first signal asks the run to stop; a second one ends the process at once, as by default. Our listener stays
 * registered after the first: the spinner's library kills the process if its own listener is the only one.
 */
export function listenForSignals(
  stop: AbortController,
  source: SignalSource,
  now: () => number = performance.now.bind(performance),
): () => void {
  let first: { readonly signal: Signal; readonly at: number } | undefined;
  const onSignal = (signal: Signal) => {
    if (first === undefined) {
      first = { signal, at: now() };
      stop.abort();
      return;
    }
    const isSame = signal === 'SIGINT' && first.signal === 'SIGINT';
    if (isSame && now() - first.at < ONE_CTRL_C) return;
    unlisten();
    source.kill(source.pid, signal);
  };
  const unlisten = () => {
    for (const signal of SIGNALS) source.off(signal, onSignal);
    source.off(DEBUG, ignore);
  };
  for (const signal of SIGNALS) source.on(signal, onSignal);
  source.on(DEBUG, ignore);
  return unlisten;
}

function ignore(): void {}
