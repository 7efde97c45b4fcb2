import type { Socket } from 'node:net';

/**
 * Fields with which Node's HTTP server stops reading from a connection whose answers are not read; `pause()` only would
 * be undone at the end of each request. Node documents no other way.
 */
type HttpSocket = Socket & { _paused?: boolean; parser?: { resume?: () => void } | null };

/** `requests`: some of the connection wait for those before them. `turn`: other connections are read first. */
export type PauseReason = 'requests' | 'turn';

/** Stops reading from connections. What has been read of one already is parsed all the same. */
export class Reading {
  readonly #reasons = new WeakMap<Socket, Set<PauseReason>>();

  /** Reads nothing more from the connection until `resume` is called with each of the reasons. */
  pause(socket: HttpSocket, reason: PauseReason): void {
    const reasons = this.#reasons.get(socket);
    if (reasons) reasons.add(reason);
    else this.#reasons.set(socket, new Set([reason]));
    if (socket._paused) return;
    socket._paused = true;
    socket.pause();
  }

  /** Reads on if there is no other reason not to. */
  resume(socket: HttpSocket, reason: PauseReason): void {
    const reasons = this.#reasons.get(socket);
    if (!reasons?.delete(reason) || reasons.size > 0) return;
    this.#reasons.delete(socket);
    if (socket.destroyed) return;
    socket._paused = false;
    socket.parser?.resume?.();
    socket.resume();
  }
}
