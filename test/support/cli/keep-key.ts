/** A separate program: stores a key for a service in the settings of a folder when stdin says so. */
import { once } from 'node:events';
import { ConfigFile } from '../../../src/cli/config/settings.ts';

const [, , folder = '', place = ''] = process.argv;
process.stdout.write('ready');
await once(process.stdin, 'data');
await new ConfigFile(folder).keepKey(place, 'k'.repeat(16));
process.stdin.destroy();
