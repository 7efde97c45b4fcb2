const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];

/** The part of `process` that is about signals. */
export interface SignalSource {
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
  kill(pid: number, signal: Signal): unknown;
  readonly pid: number;
}

/**
 * The first signal asks to stop; a second one ends the process at once, as signals do. Our listener stays
 * after the first: the spinner's library kills the process when it finds itself the only one listening.
 */
export function listenForSignals(stop: AbortController, source: SignalSource): () => void {
  const onSignal = (signal: Signal) => {
    if (!stop.signal.aborted) {
      stop.abort();
      return;
    }
    unlisten();
    source.kill(source.pid, signal);
  };
  const unlisten = () => {
    for (const signal of SIGNALS) source.off(signal, onSignal);
  };
  for (const signal of SIGNALS) source.on(signal, onSignal);
  return unlisten;
}
