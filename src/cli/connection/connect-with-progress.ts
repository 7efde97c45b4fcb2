import type { Settings } from '../config/settings.ts';
import type { Connection } from './connect.ts';
import type { Connector } from './connector.ts';

/** Connects, and reports slow steps: the first start generates the signing key. */
export async function connectWithProgress(
  settings: Settings,
  context: Pick<Connector, 'connect' | 'messages'>,
): Promise<Connection> {
  const progress = await context.messages.progress('Starting');
  try {
    return await context.connect(settings);
  } finally {
    progress.stop();
  }
}
