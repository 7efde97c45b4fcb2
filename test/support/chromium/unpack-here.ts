// Run by unpack.ts in a process of its own: the package unpacks into the folder for temporary files, TMPDIR.
import { join } from 'node:path';
import chromium, { inflate } from '@sparticuz/chromium';

const libraries = join(import.meta.dirname, '../../../node_modules/@sparticuz/chromium/bin/al2023.tar.br');
await Promise.all([chromium.executablePath(), inflate(libraries)]);
