import { homedir, tmpdir } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { root } from './commands.ts';
import type { NightlyPart } from './nightly-page.ts';
import { renderTiers } from './render-tiers.ts';
import { summarize, type Result } from './results.ts';

/** The outcome of a part, for its section of the page. */
export interface Came extends Pick<NightlyPart, 'passed' | 'what' | 'view'> {
  /**
   * True if the pieces of this run have passed; undefined for a part that is run as a whole. The section also counts
   * pieces of earlier runs.
   */
  endedWell?: boolean;
  /** The part was not begun: what is known of its pieces stays as it is. */
  notBegun?: true;
}

export interface PlannedPart {
  name: string;
  /** The part is ended when this has passed; a whole one takes half of it or less. */
  limitMinutes: number;
  /** Programs that have to be there. */
  needs: readonly string[];
  /** @param report receives the state of the section while the part goes on */
  run: (withinMs: number, report: (came: Came) => void) => Promise<Came>;
}

export interface NightlyTurn {
  /** By the clock, when the whole run has to be over. */
  untilMs: number;
  nowMs: () => number;
  has: (program: string) => boolean;
}

const leastMs = 60_000;

/** A part that cannot begin, or breaks off, has failed, and the next one is run all the same. */
export async function runPart(
  { name, limitMinutes, needs, run }: PlannedPart,
  turn: NightlyTurn,
  report: (came: Came) => void = () => undefined,
): Promise<Came> {
  const failed = (displayed: string): Came => ({
    passed: false,
    notBegun: true,
    what: `${name} was not run, or broke off`,
    view: forPage(displayed),
  });
  const missing = needs.filter((program) => !turn.has(program));
  if (missing.length > 0) return failed(`not there: ${missing.join(', ')} (docs/testing.md says what brings them)`);
  const leftMs = turn.untilMs - turn.nowMs();
  if (leftMs < leastMs) return failed('no time was left for it');
  try {
    const came = await run(Math.min(limitMinutes * 60_000, leftMs), report);
    return came.endedWell === undefined ? { ...came, view: forPage(came.view) } : came;
  } catch (error) {
    return failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** End of a command: its exit code, null if the command was ended. */
export interface Ended {
  code: number | null;
  withinMs: number;
}

/** Judges a command. If no test has passed, nothing was shown, whatever the exit code is. */
export function outcomeOfTests(what: string, ended: readonly Ended[], results: readonly Result[]): Came {
  const tiers = summarize(results);
  const isDisplayed = tiers.some(({ passed }) => passed > 0);
  const lines = [...failuresIn(results), ...endsOf(ended), ...(isDisplayed ? [] : ['no test has passed'])];
  const passed = ended.length > 0 && ended.every(({ code }) => code === 0) && isDisplayed;
  return { passed, what, view: [...lines, renderTiers(tiers)].join('\n') };
}

export function outcomeOfCommand(what: string, ended: Ended, words: string): Came {
  const rendered = [...endsOf([ended]), words.trim()].join('\n').trim();
  return { passed: ended.code === 0 && words.trim() !== '', what, view: rendered };
}

function endsOf(ended: readonly Ended[]): string[] {
  return ended.flatMap(({ code, withinMs }) =>
    code === null ? [`ended by a signal: it has ${Math.round(withinMs / 60_000)} min at most`] : [],
  );
}

/** One line for each failed test, and for each file that failed without one. */
export function failuresIn(results: readonly Result[]): string[] {
  return results.flatMap((line) => {
    if (line.kind === 'test' && line.state === 'failed') return [`FAILED ${line.file}: ${line.name}`];
    if (line.kind === 'file' && line.failed) return [`FAILED ${line.file}: ${line.why?.split('\n', 1)[0] ?? ''}`];
    return [];
  });
}

const mostLines = 200;

/** Prepares text for a block on a page of the repository: removes folders of this machine. */
export function forPage(rendering: string): string {
  const plain = stripVTControlCharacters(rendering)
    .replaceAll('```', "'''")
    .replaceAll(root, '.')
    .replaceAll(tmpdir(), '<tmp>')
    .replaceAll(homedir(), '~');
  const lines = plain.trimEnd().split('\n');
  if (lines.length <= mostLines) return lines.join('\n');
  return [`… ${lines.length - mostLines} lines before`, ...lines.slice(-mostLines)].join('\n');
}
