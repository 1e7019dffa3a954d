import { open } from 'node:fs/promises';
import { z } from 'zod';

const counted = z.object({ run: z.string(), step: z.int(), key: z.string() });

/**
 * Counts the ledger's batches while it grows, reading each line once: looks often must not cost the cores that are
 * under test.
 */
export interface LedgerTail {
  /** Request keys called so far. */
  batches(runId: string, step: number): Promise<number>;
}

export function tailLedger(path: string): LedgerTail {
  const keys = new Map<string, Set<string>>();
  let offset = 0;
  let rest = '';
  let reading: Promise<void> = Promise.resolve();

  async function readOn(): Promise<void> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (size === offset) return;
      const buffer = Buffer.alloc(size - offset);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      offset += bytesRead;
      const lines = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) count(line);
    } finally {
      await file.close();
    }
  }

  function count(line: string): void {
    const { run, step, key } = counted.parse(JSON.parse(line));
    const name = `${run}/${step}`;
    const known = keys.get(name) ?? new Set<string>();
    keys.set(name, known);
    known.add(key);
  }

  return {
    batches: async (runId, step) => {
      // One reader at a time: what two read at once would be counted from the wrong place.
      reading = reading.catch(() => undefined).then(readOn);
      await reading;
      return keys.get(`${runId}/${step}`)?.size ?? 0;
    },
  };
}
