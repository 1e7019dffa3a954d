import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const preload = join(import.meta.dirname, 'shifted-clock.ts');

/** Environment of a process whose wall clock is wrong by so much. */
export function wrongBy(shiftMs: number): Record<string, string> {
  return { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(shiftMs) };
}

/** Wall clock of processes that a test sets while they run. It is right at first. */
export interface SettableClock {
  /** Environment variables that give a process this clock. */
  readonly environment: Record<string, string>;
  /** Makes the clock show that instant now, within 50 ms. It runs on from there. */
  set(atMs: number): void;
  remove(): void;
}

export function createSettableClock(): SettableClock {
  const folder = mkdtempSync(join(tmpdir(), 'muster-clock-'));
  const file = join(folder, 'shift-ms');
  /** The file is replaced as a whole, so that no process reads half a number. */
  const shiftBy = (shiftMs: number) => {
    writeFileSync(`${file}.new`, String(shiftMs));
    renameSync(`${file}.new`, file);
  };
  shiftBy(0);
  return {
    environment: { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_FILE: file },
    set: (atMs) => shiftBy(atMs - Date.now()),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
