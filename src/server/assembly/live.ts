/** What changes while the server runs. The parts of the service are made before it is known. */
export interface Live {
  /** Known once it listens. */
  publicUrl: string;
  /** All addresses that are known to lead here, no slash at their ends. */
  ownAddresses: readonly string[];
  /** Those at which nothing but this server can listen. */
  provableAddresses: readonly string[];
  isStopping: boolean;
  readonly accepted: Set<string>;
  report: (error: unknown) => void;
  warn: (message: string) => void;
  connections: () => Promise<number>;
}

/** Before there is a log; `early` gets the warnings until then. */
export function makeLive(early: string[]): Live {
  return {
    publicUrl: '',
    ownAddresses: [],
    provableAddresses: [],
    isStopping: false,
    accepted: new Set(),
    report: () => {},
    warn: (message) => early.push(message),
    connections: async () => 0,
  };
}
