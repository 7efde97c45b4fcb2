import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Carries connections to a database like a network that can fail. */
export interface FragileFront {
  /** Address of the database behind it. */
  readonly url: string;
  /** Number of connections requested so far. */
  readonly asked: number;
  /** Ends all connections, and every new one at once, until it works again. */
  cut(): void;
  /** Keeps all connections open but carries nothing; new ones work. */
  hold(): void;
  mend(): void;
}

/** Such a front for this database; it ends with the test. */
export async function fragileFront(url: string): Promise<FragileFront> {
  const target = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  let isCut = false;
  let asked = 0;
  const front = createServer((near) => {
    asked++;
    if (isCut) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    join(near, far);
    join(far, near);
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  const join = (one: Socket, other: Socket) => {
    sockets.add(one);
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
    one.once('close', () => sockets.delete(one));
  };
  await once(front, 'listening');
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    front.close();
    endAll();
  });
  const { port } = front.address() as { port: number };
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    get asked() {
      return asked;
    },
    cut: () => {
      isCut = true;
      endAll();
    },
    hold: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend: () => {
      isCut = false;
    },
  };
}
