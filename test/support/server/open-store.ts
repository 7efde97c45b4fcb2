/** A separate program: opens the store in the given folder and prints its schema's version. */
import { openStore } from '../../../src/server/store/sqlite.ts';

const store = await openStore(process.argv[2] ?? '');
const row = await store.db.selectFrom('meta').select('value').where('key', '=', 'schema').executeTakeFirst();
process.stdout.write(`${row?.value}\n`);
await store.close();
