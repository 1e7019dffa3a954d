import type { JobResult } from '../../../../shared/contracts/jobs/jobs.ts';
import { acceptJobs, type AcceptJobsDeps, type SentJobs } from './accept-jobs.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import { parseJsonBody } from '../../frame/server/json-body.ts';
import { maxFlushJobs } from './job-acceptor.ts';
import { byteLines } from '../../frame/streams/byte-lines.ts';

/**
 * Maximum number of bytes of a line. A body of 64 KiB in which every character is escaped fits, together with the other
 * fields.
 */
const maxLineBytes = 512 * 1024;
/** Maximum number of bytes of lines that share one commit. */
const maxPartBytes = 4 * 1024 * 1024;
/** Milliseconds between two attempts while this process has no capacity for more jobs. */
const waitForRoomMs = 50;
/** Maximum number of parts of one stream that are stored concurrently. */
const partsAtOnce = 2;

interface Line {
  line: number;
  /** Bytes of the line; null if it is too long. */
  bytes: Buffer | null;
}

/**
 * Stores jobs as their lines arrive, and yields lines of results in the same order. Memory is bounded: no line is read
 * while two parts are being stored, or while the caller does not read results.
 */
export async function* streamJobResults(
  bytes: AsyncIterable<unknown>,
  owner: Pick<SentJobs, 'client' | 'sender'>,
  deps: AcceptJobsDeps,
): AsyncGenerator<string> {
  const storing: Promise<string>[] = [];
  for await (const part of partsOf(bytes)) {
    // A part with an ordering key is stored only after all earlier parts.
    while (part.some(mayHaveOrder) && storing.length > 0) yield (await storing.shift()) ?? '';
    storing.push(storePart(part, owner, deps));
    if (storing.length >= partsAtOnce) yield (await storing.shift()) ?? '';
  }
  for (const last of storing) yield await last;
}

async function* partsOf(bytes: AsyncIterable<unknown>): AsyncGenerator<Line[]> {
  let part: Line[] = [];
  let size = 0;
  let line = 0;
  for await (const bytesOfLine of byteLines(bytes, maxLineBytes)) {
    line++;
    if (bytesOfLine && isBlank(bytesOfLine)) continue;
    part.push({ line, bytes: bytesOfLine });
    size += bytesOfLine?.length ?? 0;
    if (part.length < maxFlushJobs && size < maxPartBytes) continue;
    yield part;
    part = [];
    size = 0;
  }
  if (part.length > 0) yield part;
}

function isBlank(line: Buffer): boolean {
  return line.toString('latin1').trim() === '';
}

/**
 * Returns true if a line may contain an ordering key. The check is approximate, because JSON may write the name with
 * escape sequences.
 */
function mayHaveOrder({ bytes }: Line): boolean {
  return bytes !== null && (bytes.includes('"orderingKey"') || bytes.includes('\\u'));
}

/** Stores a part and returns its lines of results. It never rejects, because each line must have a result. */
async function storePart(
  part: readonly Line[],
  owner: Pick<SentJobs, 'client' | 'sender'>,
  deps: AcceptJobsDeps,
): Promise<string> {
  const read = part.map(({ bytes }) => valueOf(bytes));
  const values = read.flatMap((each) => ('value' in each ? [each.value] : []));
  const stored = await storeWhenThereIsRoom({ values, ...owner, pointerAt: () => '' }, deps);
  let place = 0;
  const results = read.map((each) => ('value' in each ? stored[place++] : each));
  return results.map((result, index) => `${JSON.stringify({ line: part[index]?.line, ...result })}\n`).join('');
}

async function storeWhenThereIsRoom(sent: SentJobs, deps: AcceptJobsDeps): Promise<JobResult[]> {
  for (;;) {
    try {
      return await acceptJobs(sent, deps);
    } catch (error) {
      if (error instanceof HttpProblem && error.status === 429) {
        await deps.clock.sleep(waitForRoomMs);
        continue;
      }
      const code = error instanceof HttpProblem ? error.code : 'internal-error';
      const detail = 'unknown whether the job is stored: repeat it with its key; it is stored only once';
      return sent.values.map(() => ({ status: 'unknown', errors: [{ pointer: '', code, detail }] }));
    }
  }
}

function valueOf(line: Buffer | null): { value: unknown } | JobResult {
  if (line === null) return refused('line-too-long', `a line has at most ${maxLineBytes} bytes`);
  try {
    return { value: parseJsonBody(line) };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { code, message: detail, errors } = error;
    return { status: 'refused', errors: errors.length === 0 ? [{ pointer: '', code, detail }] : [...errors] };
  }
}

function refused(code: string, detail: string): JobResult {
  return { status: 'refused', errors: [{ pointer: '', code, detail }] };
}
