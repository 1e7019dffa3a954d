import type { Settlements } from '../../../shared/ports/settlements.ts';
import type { RejectedLine, SettlementRecord, SettlementRequests } from './postgres/settlement-requests.ts';
import { brokenUpload } from '../frame/upload-bytes.ts';
import { readSettlementLines, type ReadLine, type SettlementForm } from './settlement-lines.ts';

/** Settled in one transaction. */
const linesPerPart = 1000;
/** Rejects that are kept with their line. */
const maxRejects = 1000;

export interface SettleFileDeps {
  settlements: Settlements;
  requests: SettlementRequests;
}

/**
 * Reads a file and settles as it reads: what comes after a cut is missing, what came before stays settled, and the same
 * file may come again.
 * @throws {HttpProblem} if the file was cut, came too slowly, cannot be unpacked or cannot be read
 */
export async function settleFile(
  { settlementId, runId }: SettlementRecord,
  { bytes, ...form }: SettlementForm & { bytes: AsyncIterable<unknown> },
  { settlements, requests }: SettleFileDeps,
): Promise<void> {
  const rejects: RejectedLine[] = [];
  let part: ReadLine[] = [];
  let lines = 0;

  async function handOn(): Promise<void> {
    const full = part;
    part = [];
    const readable = full.flatMap(({ line, entry }) => ('rule' in entry ? [] : [{ line, entry }]));
    const unreadable = full.flatMap(({ line, entry }) => ('rule' in entry ? [{ line, ...entry }] : []));
    const users = readable.map(({ entry }) => entry);
    const refused = unreadable.length;
    const verdicts = await settlements.settle({ settlementId, runId }, users, { rejected: refused });
    const rejected = readable.flatMap(({ line, entry }, index): RejectedLine[] => {
      const verdict = verdicts[index];
      if (verdict === 'settled' || verdict === 'already') return [];
      return [{ line, userId: entry.user, rule: verdict === 'otherwise' ? 'settled-otherwise' : 'not-unknown' }];
    });
    if (rejected.length > 0) await settlements.settle({ settlementId, runId }, [], { rejected: rejected.length });
    const found = [...unreadable, ...rejected].sort((a, b) => a.line - b.line);
    rejects.push(...found.slice(0, maxRejects - rejects.length));
  }

  try {
    for await (const read of readSettlementLines(bytes, form)) {
      lines = read.line;
      part.push(read);
      if (part.length >= linesPerPart) await handOn();
    }
    if (part.length > 0) await handOn();
    await requests.end(settlementId, { state: 'done', cause: null, rejects });
  } catch (error) {
    const problem = brokenUpload(error, lines);
    const cause = problem?.message ?? 'the file could not be read to its end';
    await requests.end(settlementId, { state: 'failed', cause, rejects });
    throw problem ?? error;
  }
}
