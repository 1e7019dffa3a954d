import { countEntries, oldestFirst, renderEntries, type NightlyEntry } from './nightly-entries.ts';
import { forPage, type Came } from './nightly-outcome.ts';
import { inLanes, waitingParts } from './lanes.ts';

/** The result of one file or shard. */
export type PieceOutcome = Pick<NightlyEntry, 'verdict' | 'passed' | 'failed' | 'note' | 'details'>;

/** A part of the nightly run that is made of files or shards, each with its own last run. */
export interface PieceWork {
  /** The sentence on the page, before the counts. */
  what: string;
  /** All keys, in the order of the page. */
  keys: readonly string[];
  /** The keys of this run. */
  chosen: readonly string[];
  atOnce: number;
  isAlone: (key: string) => boolean;
  /** One piece is ended when this has passed. */
  limitMs: number;
  /** Undefined if the night was over before the piece was. */
  run: (key: string, withinMs: number) => Promise<PieceOutcome | undefined>;
}

export interface PieceTurn {
  known: ReadonlyMap<string, NightlyEntry>;
  commit: string;
  withinMs: number;
  nowMs: () => number;
  /** Receives the state of the part after each piece, so that a run that is cut off leaves what it had. */
  report: (came: Came) => void;
}

/** A piece is not begun for less. */
const leastMs = 120_000;
const mostDetails = 40;

/** Runs the chosen pieces, those that were never run first, and keeps the entries of the others. */
export async function runPieces(work: PieceWork, turn: PieceTurn): Promise<Came> {
  const { keys, chosen, run } = work;
  if (chosen.length === 0) throw new Error('there is nothing to run in this shard');
  const entries = new Map([...turn.known].filter(([key]) => keys.includes(key)));
  const untilMs = turn.nowMs() + turn.withinMs;
  const finished: NightlyEntry[] = [];
  const came = () => describePieces(work, entries, finished);
  const parts = oldestFirst(chosen, entries).map((key) => ({ key, alone: work.isAlone(key) }));
  await inLanes(waitingParts(parts), work.atOnce, async ({ key }) => {
    const beganMs = turn.nowMs();
    if (untilMs - beganMs < leastMs) return;
    const outcome = await run(key, Math.min(work.limitMs, untilMs - beganMs)).catch(brokeOff);
    if (outcome === undefined) return;
    const when = `${new Date(beganMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const minutes = Math.round((turn.nowMs() - beganMs) / 60_000);
    const details = outcome.details.slice(0, mostDetails).flatMap((line) => forPage(line).split('\n'));
    const entry = { ...outcome, key, when, commit: turn.commit, minutes, details };
    entries.set(key, entry);
    finished.push(entry);
    turn.report(came());
  });
  return came();
}

function brokeOff(error: unknown): PieceOutcome {
  const reason = error instanceof Error ? error.message : String(error);
  return { verdict: 'FAILED', passed: 0, failed: 0, note: 'broke off', details: reason.split('\n') };
}

function describePieces(
  { what, keys, chosen }: PieceWork,
  entries: ReadonlyMap<string, NightlyEntry>,
  finished: readonly NightlyEntry[],
): Came {
  const { run, never, failed } = countEntries(keys, entries);
  const counts = `${run} of ${keys.length} were run, ${never} were never run, ${failed} failed`;
  const isWell = finished.length === chosen.length && finished.every(({ verdict }) => verdict === 'passed');
  return {
    passed: failed === 0 && never === 0,
    endedWell: isWell,
    what: `${what}: ${counts}`,
    view: renderEntries(keys, entries),
  };
}
