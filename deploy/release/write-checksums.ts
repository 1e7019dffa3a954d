import { writeChecksums } from './checksums.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
await writeChecksums(folder);
