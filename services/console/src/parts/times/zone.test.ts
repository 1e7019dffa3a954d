import { expect, test } from 'vitest';
import { zonesToChoose } from './zone-choice.ts';

test("times are in the installation's zone at first; one's own and UTC come behind it, each once", () => {
  expect(zonesToChoose('Asia/Singapore', 'Europe/Berlin')).toEqual(['Asia/Singapore', 'Europe/Berlin', 'UTC']);
  expect(zonesToChoose('Asia/Singapore', 'Asia/Singapore')).toEqual(['Asia/Singapore', 'UTC']);
  expect(zonesToChoose(undefined, 'UTC')).toEqual(['UTC']);
});
