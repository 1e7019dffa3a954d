import { open } from 'node:fs/promises';
import type { LedgerLine } from './ledger.ts';

export interface LedgerWriter {
  /**
   * Resolves when the line has been written to the file. It may not be on the disk yet, so the ledger survives a crash
   * of the process, but not of the machine.
   */
  append(line: LedgerLine): Promise<void>;
  close(): Promise<void>;
}

export const noLedger: LedgerWriter = { append: () => Promise.resolve(), close: () => Promise.resolve() };

/** Opens the file for appending. Lines that arrive during a write are written together in the next write. */
export async function openLedger(path: string): Promise<LedgerWriter> {
  const file = await open(path, 'a');
  let gathered = '';
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function writeGathered(): Promise<void> {
    const text = gathered;
    gathered = '';
    await file.appendFile(text);
  }

  async function writeAfter(earlier: Promise<void> | undefined): Promise<void> {
    await earlier;
    underWay = next;
    next = undefined;
    await writeGathered();
  }

  return {
    append: (line) => {
      gathered += `${JSON.stringify(line)}\n`;
      next ??= writeAfter(underWay);
      return next;
    },
    close: async () => {
      await next;
      await underWay;
      await file.close();
    },
  };
}
