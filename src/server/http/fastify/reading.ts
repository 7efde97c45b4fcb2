import type { Socket } from 'node:net';

/**
 * Fields with which Node's HTTP server stops reading from a connection whose answers are not read; `pause()` alone would
 * be undone at the end of each request. Node documents no other way.
 */
type HttpSocket = Socket & { _paused?: boolean; parser?: { resume?: () => void } | null };

/** Reads nothing more from the connection after what has been read already. */
export function pauseReading(socket: HttpSocket): void {
  if (socket._paused) return;
  socket._paused = true;
  socket.pause();
}

/** Reads on, if the connection was paused. */
export function resumeReading(socket: HttpSocket): void {
  if (!socket._paused || socket.destroyed) return;
  socket._paused = false;
  socket.parser?.resume?.();
  socket.resume();
}
