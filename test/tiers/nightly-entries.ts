/** The last result of one file or one shard of a part that is run piece by piece. */
export interface NightlyEntry {
  /** A path of a file, or a shard such as `2/8`. */
  key: string;
  /** `2026-11-28 14:02 UTC`. */
  when: string;
  commit: string;
  minutes: number;
  verdict: 'passed' | 'FAILED';
  /** Tests or changes. */
  passed: number;
  failed: number;
  /** One line on what it covers; empty if there is nothing to say. */
  note: string;
  /** Names of what failed, or a table. */
  details: readonly string[];
}

const detailIndent = '    ';

/** One line for each key with its details below it. A key without an entry was never run. */
export function renderEntries(keys: readonly string[], entries: ReadonlyMap<string, NightlyEntry>): string {
  return keys
    .flatMap((key) => {
      const entry = entries.get(key);
      if (entry === undefined) return [`never run  ${key}`];
      const { verdict, when, commit, minutes, passed, failed, note, details } = entry;
      const run = `${verdict}  ${when}, at ${commit}, ${minutes} min: ${passed} passed, ${failed} failed  ${key}`;
      return [note === '' ? run : `${run} (${note})`, ...details.map((line) => `${detailIndent}${line}`)];
    })
    .join('\n');
}

const entryLine =
  /^(?<verdict>passed|FAILED) {2}(?<when>.+?), at (?<commit>\S+), (?<minutes>\d+) min: (?<passed>\d+) passed, (?<failed>\d+) failed {2}(?<key>\S+)(?: \((?<note>.+)\))?$/;

/** The inverse of `renderEntries`. */
export function parseEntries(displayed: string): Map<string, NightlyEntry> {
  const entries = new Map<string, NightlyEntry>();
  let details: string[] = [];
  for (const line of displayed.split('\n')) {
    if (line.startsWith(detailIndent)) details.push(line.slice(detailIndent.length));
    const groups = entryLine.exec(line)?.groups;
    if (groups === undefined) continue;
    const { verdict, when = '', commit = '', minutes, passed, failed, key = '', note = '' } = groups;
    details = [];
    entries.set(key, {
      key,
      when,
      commit,
      note,
      details,
      verdict: verdict === 'passed' ? 'passed' : 'FAILED',
      minutes: Number(minutes),
      passed: Number(passed),
      failed: Number(failed),
    });
  }
  return entries;
}

/** The keys in the order in which a run takes them: those never run, then the oldest first. */
export function oldestFirst(keys: readonly string[], entries: ReadonlyMap<string, NightlyEntry>): string[] {
  const whenOf = (key: string) => entries.get(key)?.when ?? '';
  return keys.toSorted((a, b) => whenOf(a).localeCompare(whenOf(b)));
}

export interface EntryCounts {
  run: number;
  never: number;
  failed: number;
}

export function countEntries(keys: readonly string[], entries: ReadonlyMap<string, NightlyEntry>): EntryCounts {
  const known = keys.flatMap((key) => entries.get(key) ?? []);
  const failed = known.filter(({ verdict }) => verdict === 'FAILED').length;
  return { run: known.length, never: keys.length - known.length, failed };
}
