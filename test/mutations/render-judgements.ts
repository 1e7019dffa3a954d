import { byLint, type Judgement } from './judge-mutant.ts';
import { roomOf, type Mutant } from './mutant.ts';

/** Share of changes that has to be noticed. */
export const goal = 0.85;

export interface Share {
  room: string;
  drawn: number;
  noticed: number;
  /** Noticed changes that no unit test noticed: types or lint rules refuse them. */
  byLint: number;
  /** Changes in files that no test imports. They count only as drawn. */
  unreached: number;
}

/** One line for each room, in alphabetical order. */
export function countByRoom(judgements: readonly Judgement[]): Share[] {
  const byRoom = Map.groupBy(judgements, ({ mutant }) => roomOf(mutant.file));
  return [...byRoom].map(([room, each]) => countOf(room, each)).toSorted((a, b) => a.room.localeCompare(b.room));
}

export function countOf(room: string, judgements: readonly Judgement[]): Share {
  const count = (wanted: Judgement['verdict']) => judgements.filter(({ verdict }) => verdict === wanted).length;
  const refused = judgements.filter(({ by }) => by === byLint).length;
  return {
    room,
    drawn: judgements.length,
    noticed: count('noticed'),
    byLint: refused,
    unreached: count('unreached'),
  };
}

/** True if enough of what the tests reach is noticed. Without any such change nothing is shown, so it is false. */
export function reachesGoal({ drawn, noticed, unreached }: Share): boolean {
  return drawn > unreached && noticed >= goal * (drawn - unreached);
}

/** The table, what went unnoticed, and a closing line. */
export function renderJudgements(judgements: readonly Judgement[]): string {
  const all = countOf('all', judgements);
  const rows = [...countByRoom(judgements), all].map(
    ({ room, drawn, noticed, byLint: refused, unreached }) =>
      `| ${room} | ${drawn} | ${noticed} | ${refused} | ${unreached} | ${shareOf(noticed, drawn - unreached)} |`,
  );
  const unnoticed = judgements.filter(({ verdict }) => verdict !== 'noticed');
  return [
    '| room | drawn | noticed | by lint | unreached | share |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
    ...unnoticed.map(({ verdict, mutant }) => `${verdict} ${describeMutant(mutant)}`),
    `${all.noticed} of ${all.drawn - all.unreached} noticed`,
  ].join('\n');
}

const longest = 80;

export function describeMutant({ file, line, kind, before, after }: Mutant): string {
  return `${file}:${line} ${kind}: ${shortened(before)} -> ${shortened(after)}`;
}

function shortened(code: string): string {
  const flat = code.replaceAll(/\s+/g, ' ');
  return flat.length > longest ? `${flat.slice(0, longest)}…` : flat;
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? '' : (part / whole).toFixed(2);
}
