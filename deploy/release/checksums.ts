import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

export const checksumsFile = 'SHA256SUMS';

/** Writes a line for each file of the folder, in the format of `sha256sum --check`. */
export async function writeChecksums(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((file) => file !== checksumsFile);
  const lines = await Promise.all(
    files.toSorted().map(async (file) => `${await digestOf(path.join(folder, file))}  ${file}\n`),
  );
  writeFileSync(path.join(folder, checksumsFile), lines.join(''));
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
