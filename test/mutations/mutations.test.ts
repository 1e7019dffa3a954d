import { describe, expect, it } from 'vitest';
import { faultControls } from './fault-controls.ts';
import { mutations } from './mutations.ts';
import { applyEdits, fileOf, readSources, testFiles } from './sources.ts';
import { undefinedNamesIn } from './undefined-names.ts';

const sources = readSources();

/** Runs in a second with every change. `npm run test:mutations` shows whether the tests still notice each mutation. */
describe('a mutation', () => {
  it.each(mutations)('can be applied to the source: $takesAway', ({ edits, project, noticedBy }) => {
    for (const { text, replacement } of edits) {
      fileOf(sources, text);
      expect(replacement).not.toBe(text);
    }
    for (const part of noticedBy) expect(testFiles[project].filter((file) => file.includes(part))).not.toEqual([]);
  });

  it.each(Object.values(faultControls))('can be applied to the source in a fault test: $takesAway', ({ edits }) => {
    for (const { text } of edits) fileOf(sources, text);
  });

  it('uses only names that its files declare, because a crash of the process would prove nothing', () => {
    const all = [...mutations, ...Object.values(faultControls)];
    const changed = all.flatMap(({ takesAway, edits }) =>
      [...applyEdits(edits, sources)]
        .filter(([file]) => file.endsWith('.ts'))
        .map(([file, source]): [string, string] => [`${takesAway}: ${file}`, source]),
    );
    expect(changed.length).toBeGreaterThan(300);
    expect([...undefinedNamesIn(new Map(changed))].filter(([, names]) => names.length > 0)).toEqual([]);
    // It compiles hundreds of files, which takes a minute on a busy machine.
  }, 120_000);

  it('has a unique name', () => {
    expect(new Set(mutations.map(({ takesAway }) => takesAway)).size).toBe(mutations.length);
  });
});
