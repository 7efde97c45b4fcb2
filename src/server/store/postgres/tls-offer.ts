import { once } from 'node:events';
import { connect } from 'node:net';

/** The request of PostgreSQL's protocol for TLS: its length, and a number in the place of the version. */
const REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S';

/**
 * Whether a database can encrypt the connections to it. Asked on a connection of its own, because the driver gives up one
 * where the answer is no. @throws Error if nobody answers within `limit` milliseconds
 */
export async function offersTls(address: { host: string; port: number }, limit: number): Promise<boolean> {
  const socket = connect(address);
  const late = () => socket.destroy(new Error('timeout: no answer to the question for TLS'));
  const timer = setTimeout(late, limit);
  try {
    socket.write(REQUEST);
    const [answer] = (await Promise.race([once(socket, 'data'), ended(socket)])) as [Buffer];
    return answer.toString('latin1', 0, 1) === YES;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** @throws Error when the other side hangs up */
async function ended(socket: NodeJS.EventEmitter): Promise<never> {
  await once(socket, 'close');
  throw new Error('connection closed before the answer to the question for TLS');
}
