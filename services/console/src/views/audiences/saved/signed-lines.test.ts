import { expect, test } from 'vitest';
import { counted } from '../../../testing/counts.ts';
import { signedLines, sumOf } from './signed-lines.ts';

const include = [{ segment: 'lapsed-riders' }, { list: 'aud_partners' }];
const summed = {
  ...counted,
  audience: { include, exclude: [{ segment: 'staff' }] },
  parts: { include: [1500, 300], repeated: 60, exclude: [35], elsewhere: 5 },
};

test('each source has its sign, in the order of the audience, with who is in several and who is elsewhere', () => {
  const lines = signedLines(summed) ?? [];
  expect(lines.map(({ sign, of, users }) => `${sign} ${users} ${of}`)).toEqual([
    ...['+ 1500 include', '+ 300 include', '− 60 repeated', '− 35 exclude', '− 5 elsewhere'],
  ]);
  expect(sumOf(lines)).toBe(1700);
});

test('what can only be nothing is no term of it', () => {
  const alone = { audience: { include: include.slice(0, 1) }, countries: ['SG'] };
  const parts = { include: [1700], repeated: 0, exclude: [], elsewhere: 0 };
  expect(signedLines({ ...alone, parts })).toEqual([{ sign: '+', of: 'include', index: 0, users: 1700 }]);
});

test('there is none where the parts are not known, or are of another audience', () => {
  expect(signedLines({ ...summed, parts: null })).toBeUndefined();
  expect(signedLines({ ...summed, parts: { ...summed.parts, exclude: [] } })).toBeUndefined();
});
