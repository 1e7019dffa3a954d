import { expect, test } from 'vitest';
import { counted } from '../../../../testing/audiences/counts.ts';
import { createSignedLines, sumLines } from './signed-lines.ts';

const include = [{ segment: 'lapsed-riders' }, { list: 'aud_partners' }];
const summed = {
  ...counted,
  audience: { include, exclude: [{ segment: 'staff' }] },
  parts: { include: [1500, 300], repeated: 60, exclude: [35], elsewhere: 5 },
};

test('each source has a plus or minus sign, in the order of the audience, with repeated users and users elsewhere', () => {
  const lines = createSignedLines(summed) ?? [];
  expect(lines.map(({ sign, part, users }) => `${sign} ${users} ${part}`)).toEqual([
    ...['+ 1500 include', '+ 300 include', '− 60 repeated', '− 35 exclude', '− 5 elsewhere'],
  ]);
  expect(sumLines(lines)).toBe(1700);
});

test('a term that is always zero is left out', () => {
  const alone = { audience: { include: include.slice(0, 1) }, countries: ['SG'] };
  const parts = { include: [1700], repeated: 0, exclude: [], elsewhere: 0 };
  expect(createSignedLines({ ...alone, parts })).toEqual([{ sign: '+', part: 'include', index: 0, users: 1700 }]);
});

test('a sum is missing if the parts are unknown or of another audience', () => {
  expect(createSignedLines({ ...summed, parts: null })).toBeUndefined();
  expect(createSignedLines({ ...summed, parts: { ...summed.parts, exclude: [] } })).toBeUndefined();
});
