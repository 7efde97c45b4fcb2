/** Writes docs/internals/compatibility.md: `npm run compatibility`. test/docs/compatibility.test.ts fails when it is not current. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDocument } from './document.ts';

await writeFile(join(import.meta.dirname, '../compatibility.md'), await writeDocument());
