import { describe, expect, it } from 'vitest';
import { root } from './commands.ts';
import { assignTurns, daysOfTurns, laneMinutes, orderRest } from './order-rest.ts';
import { listRestFiles, type RestFile } from './rest-files.ts';

const files: RestFile[] = Array.from({ length: 60 }, (_, index) => ({
  tier: 'faults',
  file: `test/faults/${index}.test.ts`,
  minutes: 1 + (index % 7),
  alone: index % 10 === 0,
}));
const untouched = new Map<string, number>();
const week = Array.from({ length: daysOfTurns }, (_, day) => `2026-12-0${day + 1}`);
const order = (date: string, touched: ReadonlyMap<string, number> = untouched, minutes = 40) =>
  orderRest(files, { date, touched, minutes }).files;
const turnOf = (date: string, touched: ReadonlyMap<string, number> = untouched) =>
  order(date, touched)
    .filter(({ reason }) => reason !== 'later')
    .map(({ file }) => file);

describe('the order of the remaining tests', () => {
  it('runs every file within seven days', () => {
    const turns = week.flatMap((date) => turnOf(date));
    expect(turns.toSorted()).toEqual(files.map(({ file }) => file).toSorted());
  });

  it('runs every file within seven days even if each change touches half of them', () => {
    const touched = new Map(files.slice(0, 30).map(({ file }, index) => [file, index + 1]));
    expect(new Set(week.flatMap((date) => turnOf(date, touched))).size).toBe(files.length);
  });

  it('is the same for one day and differs for the next', () => {
    expect(order('2026-12-01')).toEqual(order('2026-12-01'));
    expect(order('2026-12-01')).not.toEqual(order('2026-12-02'));
    const later = (date: string) => order(date).filter(({ reason }) => reason === 'later');
    expect(later('2026-12-01').slice(0, 5)).not.toEqual(later('2026-12-08').slice(0, 5));
  });

  it('begins with the files most affected by the change', () => {
    const touched = new Map([
      ['test/faults/7.test.ts', 2],
      ['test/faults/8.test.ts', 9],
    ]);
    const [first, second, third] = order('2026-12-01', touched);
    expect([first?.file, second?.file]).toEqual(['test/faults/8.test.ts', 'test/faults/7.test.ts']);
    expect([first?.reason, second?.reason, third?.reason]).toEqual(['touched', 'touched', 'turn']);
  });

  it('gives files affected by the change half of the time', () => {
    const touched = new Map(files.map(({ file }, index) => [file, index]));
    const taken = order('2026-12-01', touched)
      .filter(({ reason }) => reason === 'touched')
      .reduce((sum, file) => sum + laneMinutes(file), 0);
    expect(taken).toBeGreaterThan(30);
    expect(taken).toBeLessThanOrEqual(40);
  });

  it('rejects an invalid date', () => {
    expect(() => order('tomorrow')).toThrow('tomorrow is not a date of the form YYYY-MM-DD');
  });
});

describe('the daily turns of the files', () => {
  const minutesByDay = (turns: ReadonlyMap<string, number>, of: readonly RestFile[]) =>
    Array.from({ length: daysOfTurns }, (_, day) =>
      of.filter(({ file }) => turns.get(file) === day).reduce((sum, file) => sum + laneMinutes(file), 0),
    );

  it.each([
    ['made-up files', files],
    ['the files of this repository', listRestFiles(root)],
  ])('take about the same time on each day: %s', (_, of) => {
    const minutes = minutesByDay(assignTurns(of), of);
    const mean = minutes.reduce((sum, each) => sum + each, 0) / daysOfTurns;
    expect(Math.max(...minutes)).toBeLessThanOrEqual(mean * 1.3);
  });

  it('stay the same for most files if a file is added', () => {
    const added = [...files, { tier: 'e2e', file: 'test/e2e/new.test.ts', minutes: 2 }];
    const [before, after] = [assignTurns(files), assignTurns(added)];
    expect(files.filter(({ file }) => before.get(file) !== after.get(file)).length).toBeLessThan(6);
  });
});
