import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Block size of most file systems. With it, the same files have the same size on every disk. */
const blockBytes = 4096;

export interface InstallSize {
  bytes: number;
  /** By package, the largest first. */
  packages: { name: string; bytes: number }[];
}

/** Measures the disk space of an installation as `du` does, without the files of tools: names that begin with a dot. */
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
