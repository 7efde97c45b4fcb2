/** A job as other processes of the caller see it. */
export interface PeerJob {
  readonly id: string;
  /** When the service accepted it, milliseconds since the epoch. */
  readonly at: number;
  /** Expected duration in milliseconds, as the service said. */
  readonly eta: number | undefined;
}

/** A process of the same caller on this machine. */
export interface Peer {
  readonly name: string;
  /** Whether it has work to submit. */
  readonly wants: boolean;
  /** Submissions in flight. */
  readonly unsure: number;
  readonly jobs: readonly PeerJob[];
  /** Typical duration of its jobs, milliseconds; undefined while unknown. */
  readonly typical: number | undefined;
}

/** Milliseconds that a turn lasts. */
const TURN = 3_000;
/** How many ended jobs are remembered: a list requested earlier may still show them. */
const KEPT = 500;

/** The state of the other processes, from one read of their rows to the next. */
export class Peers {
  #peers = new Map<string, Peer>();
  readonly #everSeen = new Set<string>();
  readonly #gone = new Set<string>();
  #ended: readonly string[] = [];

  get list(): readonly Peer[] {
    return [...this.#peers.values()];
  }

  /**
   * Their rows were read. `gone`: rows of processes that have ended.
   * @returns the processes that have ended since the last time
   */
  saw(living: readonly Peer[], gone: readonly Peer[]): readonly Peer[] {
    const before = this.#peers;
    this.#peers = new Map(living.map((peer) => [peer.name, peer]));
    for (const { name } of living) this.#everSeen.add(name);
    const last = new Map([...living, ...gone].map((peer) => [peer.name, peer]));
    for (const { name, jobs } of before.values()) {
      const kept = new Set(last.get(name)?.jobs.map(({ id }) => id));
      const ended = jobs.map(({ id }) => id).filter((id) => !kept.has(id));
      if (ended.length > 0) this.#ended = [...this.#ended, ...ended].slice(-KEPT);
    }
    return gone.filter(({ name }) => this.#isNewlyGone(name));
  }

  #isNewlyGone(name: string): boolean {
    const isNew = !this.#gone.has(name);
    this.#gone.add(name);
    return isNew;
  }

  isThere(name: string): boolean {
    return this.#peers.has(name);
  }

  /** Whether it has been present during this process's lifetime. */
  wasThere(name: string): boolean {
    return this.#everSeen.has(name);
  }

  /** Whether the job is, or was, theirs. */
  isLocal(id: string): boolean {
    return this.#ended.includes(id) || this.list.some(({ jobs }) => jobs.some((job) => job.id === id));
  }

  /** Their jobs, except those also followed here. */
  jobs(ours: ReadonlyMap<string, unknown>): readonly PeerJob[] {
    const jobs = new Map(this.list.flatMap((peer) => peer.jobs).map((job) => [job.id, job]));
    return [...jobs.values()].filter(({ id }) => !ours.has(id));
  }

  /** Their spots, except for jobs also followed here. */
  held(ours: ReadonlyMap<string, unknown>): number {
    return this.jobs(ours).length + this.list.reduce((sum, { unsure }) => sum + unsure, 0);
  }

  /** The typical duration of a job: the longest value any of them reports. */
  get typical(): number | undefined {
    const told = this.list.map(({ typical }) => typical).filter((typical) => typical !== undefined);
    return told.length === 0 ? undefined : Math.max(...told);
  }

  /** How many of `limit` spots belong to `name` now, among all that want some. The remainder rotates. */
  share(limit: number, name: string, now: number): number {
    const wanting = this.list.filter(({ wants }) => wants).map((peer) => peer.name);
    const names = [...wanting, name].sort();
    const rank = (names.indexOf(name) + Math.floor(now / TURN)) % names.length;
    return Math.floor(limit / names.length) + (rank < limit % names.length ? 1 : 0);
  }
}
