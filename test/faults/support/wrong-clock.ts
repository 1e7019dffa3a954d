import { join } from 'node:path';

/** Environment of a process whose wall clock is wrong by so much. */
export function wrongBy(shiftMs: number): Record<string, string> {
  const preload = join(import.meta.dirname, 'shifted-clock.ts');
  return { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(shiftMs) };
}
