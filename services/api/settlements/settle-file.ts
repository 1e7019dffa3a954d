import type { Settlements } from '../../../shared/ports/settlements.ts';
import type { SettlementRecord, SettlementRequests } from './postgres/settlement-requests.ts';
import {
  type RejectedLine,
  readSettlementLines,
  type ReadLine,
  type SettlementForm,
} from '../user-files/settlement-lines.ts';
import { brokenUpload } from '../frame/streams/upload-bytes.ts';
import { createSettlementJudge } from '../user-files/judge-settlement.ts';

const linesPerPart = 1000;
/** Maximum number of rejected lines that are stored. */
const maxRejects = 1000;
/**
 * Number of lines that are read and checked before the first user is settled, so that a file that is parsed wrongly has
 * no effect.
 */
export const judgedLines = 20_000;
/** Maximum number of bytes of these lines, which are kept in memory. */
const judgedBytes = 8 * 1024 ** 2;

export interface SettleFileDeps {
  settlements: Pick<Settlements, 'settle'>;
  requests: Pick<SettlementRequests, 'end'>;
}

interface SettledFile extends SettlementForm {
  bytes: AsyncIterable<unknown>;
  /** Number of rejected lines that the sender accepts. */
  acceptRejected?: number | undefined;
}

/**
 * Settles users while reading a file, after its first lines were checked. If the connection breaks, users of earlier
 * lines stay settled, and the same file can be sent again.
 * @throws {HttpProblem} if the file is incomplete, arrives too slowly, cannot be decompressed or parsed, or has too
 * many rejected lines
 */
export async function settleFile(
  record: SettlementRecord,
  { bytes, acceptRejected, ...form }: SettledFile,
  { settlements, requests }: SettleFileDeps,
): Promise<void> {
  const { settlementId } = record;
  const { settle, rejects } = createSettling(record, settlements);
  const judge = createSettlementJudge(acceptRejected);
  let held: ReadLine[] = [];
  let heldBytes = 0;
  let lines = 0;
  let settledLines = 0;

  async function handOn(): Promise<void> {
    judge.judge(settledLines);
    const full = held;
    held = [];
    heldBytes = 0;
    for (let at = 0; at < full.length; at += linesPerPart) await settle(full.slice(at, at + linesPerPart));
    settledLines = lines;
  }

  try {
    for await (const read of readSettlementLines(bytes, form)) {
      lines = read.line;
      judge.take(read);
      held.push(read);
      heldBytes += read.bytes;
      if (held.length >= (settledLines === 0 ? judgedLines : linesPerPart) || heldBytes >= judgedBytes) await handOn();
    }
    await handOn();
    await requests.end(settlementId, { state: 'done', cause: null, rejects });
  } catch (error) {
    const problem = brokenUpload(error, lines);
    const cause = problem?.message ?? 'the file could not be read to its end';
    const unread = held.flatMap(rejectedLine).slice(0, maxRejects - rejects.length);
    await requests.end(settlementId, { state: 'failed', cause, rejects: [...rejects, ...unread] });
    throw problem ?? error;
  }
}

function rejectedLine({ line, entry }: ReadLine): RejectedLine[] {
  return 'rule' in entry ? [{ line, ...entry }] : [];
}

function createSettling({ settlementId, runId }: SettlementRecord, settlements: SettleFileDeps['settlements']) {
  const rejects: RejectedLine[] = [];

  async function settle(part: readonly ReadLine[]): Promise<void> {
    const readable = part.flatMap(({ line, entry }) => ('rule' in entry ? [] : [{ line, entry }]));
    const unreadable = part.flatMap(rejectedLine);
    const users = readable.map(({ entry }) => entry);
    const verdicts = await settlements.settle({ settlementId, runId }, users, { rejected: unreadable.length });
    const rejected = readable.flatMap(({ line, entry }, index): RejectedLine[] => {
      const verdict = verdicts[index];
      if (verdict === 'settled' || verdict === 'already') return [];
      return [{ line, userId: entry.user, rule: verdict === 'otherwise' ? 'settled-otherwise' : 'not-unknown' }];
    });
    if (rejected.length > 0) await settlements.settle({ settlementId, runId }, [], { rejected: rejected.length });
    const found = [...unreadable, ...rejected].sort((a, b) => a.line - b.line);
    rejects.push(...found.slice(0, maxRejects - rejects.length));
  }

  return { settle, rejects };
}
