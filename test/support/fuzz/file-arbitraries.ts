import { fc } from '../properties.ts';
import { oddStrings } from './odd-values.ts';

/** Lines of valid files for some operation. */
const lines: Readonly<Record<string, readonly string[]>> = {
  'text/csv': [
    'userId',
    'userId,country',
    'u1',
    'u2,SG',
    '"odd, ""id"""',
    'u3,1,succeeded',
    'u4,1,failed,code,ID',
    '"',
    ',',
  ],
  'application/x-ndjson': [
    '{"userId":"u1","step":1,"outcome":"succeeded"}',
    '{"client":"shop","url":"https://shop.example.com/hook","delaySeconds":600}',
    '{}',
    'null',
    '{',
  ],
};

/** Generates files of a media type with a few lines, some of which no operation accepts. */
export function fileOf(type: string): fc.Arbitrary<string> {
  const usual = fc.constantFrom(...(lines[type] ?? ['']));
  const odd = fc.constantFrom(...oddStrings);
  const ends = fc.constantFrom('\n', '\r\n');
  return fc
    .tuple(fc.array(fc.oneof({ arbitrary: usual, weight: 5 }, odd), { maxLength: 5 }), ends)
    .map(([each, end]) => each.join(end));
}
