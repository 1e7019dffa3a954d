import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** What most file systems give out at a time. Counting so, the same files are as large on every disk. */
const blockBytes = 4096;

export interface InstallSize {
  bytes: number;
  /** By package, the largest first. */
  packages: { name: string; bytes: number }[];
}

/** What an installation takes of the disk, as `du` tells it, but for what tools keep there: names with a dot before them. */
export function measureInstall(folder: string): InstallSize {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const packages = names
    .flatMap((name) => (name.startsWith('@') ? inScope(folder, name) : [name]))
    .map((name) => ({ name, bytes: sizeOf(path.join(folder, name)) }))
    .sort((one, other) => other.bytes - one.bytes);
  return { bytes: packages.reduce((sum, { bytes }) => sum + bytes, 0), packages };
}

function inScope(folder: string, scope: string): string[] {
  return readdirSync(path.join(folder, scope)).map((name) => `${scope}/${name}`);
}

function sizeOf(place: string): number {
  const stats = lstatSync(place);
  if (stats.isSymbolicLink()) return 0;
  if (!stats.isDirectory()) return Math.ceil(stats.size / blockBytes) * blockBytes;
  return readdirSync(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), blockBytes);
}
