import type { SettingName, Settings } from '../config/settings.ts';
import type { Messages } from '../terminal/messages.ts';
import type { Connection } from './connect.ts';

/** What a request needs to reach the configured service. */
export interface Connector {
  readonly messages: Messages;
  /** Aborted on Ctrl-C, SIGTERM or a closed pipe. */
  readonly signal: AbortSignal;
  /** Flags typed > environment > config file. @throws CliError */
  settings(typed?: Partial<Record<SettingName, unknown>>): Promise<Settings>;
  /** The service, connected to (or started) once and closed when the command ends. */
  connect(settings: Settings): Promise<Connection>;
}
