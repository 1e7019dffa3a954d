import { expect, test } from 'vitest';
import { zonesToChoose } from './zone-choice.ts';

test("the zones to choose are the installation's, the user's and UTC, without duplicates", () => {
  expect(zonesToChoose('Asia/Singapore', 'Europe/Berlin')).toEqual(['Asia/Singapore', 'Europe/Berlin', 'UTC']);
  expect(zonesToChoose('Asia/Singapore', 'Asia/Singapore')).toEqual(['Asia/Singapore', 'UTC']);
  expect(zonesToChoose(undefined, 'UTC')).toEqual(['UTC']);
});
