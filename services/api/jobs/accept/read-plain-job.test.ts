import { describe, expect, it } from 'vitest';
import { jobMethods, newJob } from '../../../../shared/contracts/jobs/jobs.ts';
import { fc } from '../../../../test/support/properties.ts';
import { bodyTextOf, readJob } from './read-job.ts';
import { readPlainJob } from './read-plain-job.ts';

const good = { client: 'orders', url: 'https://shop.test/hook' };

describe('the fast reader of jobs', () => {
  it.each([
    good,
    { ...good, url: 'http://127.0.0.1:8080/a?b=%20c' },
    { ...good, dueAt: '2026-03-01T10:00:00+01:00', method: 'PUT', tags: ['a:b'], relevancySeconds: 60 },
    { ...good, delaySeconds: 1.5, idempotencyKey: 'order-17', body: { order: 17, lines: [{ a: null }] } },
    { ...good, body: 'ünïcødé 💡' },
    { ...good, body: [] },
    { client: 'orders', endpoint: 'billing' },
  ])('reads %j without using the schema', (value) => {
    expect(readPlainJob(value, undefined)).toEqual(byShape(value));
  });

  it.each([null, false, true, 0, -1.5])(
    'returns undefined for the rare body %j, which the schema then validates',
    (body) => {
      expect(readPlainJob({ ...good, body }, undefined)).toBeUndefined();
      expect(readJob({ ...good, body }).body).toEqual({ text: JSON.stringify(body), isJson: true });
    },
  );

  it('uses the given client for all jobs that do not state one', () => {
    expect(readPlainJob({ url: good.url }, 'orders')?.client).toBe('orders');
    expect(readPlainJob({ ...good, client: 'own' }, 'orders')?.client).toBe('own');
  });
});

it('the fast reader accepts only jobs that the schema accepts, with the same result', () => {
  let plain = 0;
  fc.assert(
    fc.property(jobs, (value) => {
      const read = readPlainJob(value, undefined);
      if (!read) return;
      plain++;
      expect(read).toEqual(byShape(value));
    }),
    { numRuns: 4500 },
  );
  expect(plain).toBeGreaterThan(50);
});

function byShape(value: unknown) {
  const job = newJob.parse(value);
  return { ...job, body: bodyTextOf(job.body) };
}

const hosts = fc.oneof(
  fc.constantFrom(
    'shop.test',
    '127.0.0.1',
    '1.2.3',
    '256.1.1.1',
    '0x7f.1',
    'a..b',
    '-',
    'xn--a',
    'SHOP.test',
    '[::1]',
    '',
  ),
  fc.domain(),
);
const ports = fc.constantFrom('', ':1', ':8080', ':65535', ':65536', ':99999', ':', ':a');
const oddRests = ['', '/', '/a b', '/a\tb', '?a@b', '#', '\\a', '@b', '/\u00e4', '/a|b', '?a[]=1', '/%e4', '/%e', '?"'];
const rests = fc.oneof(fc.constantFrom(...oddRests), fc.webPath());
const urls = fc.oneof(
  fc
    .tuple(fc.constantFrom('https://', 'http://', 'HTTP://', 'ftp://', 'https:', 'https://u:p@'), hosts, ports, rests)
    .map((parts) => parts.join('')),
  fc.webUrl(),
  fc.constant(`https://shop.test/${'a'.repeat(2048)}`),
);
const keys = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.constantFrom('k', 'a b', '', 'ä', 'k'.repeat(256)),
  fc.integer(),
);
/** Any values that JSON can contain. */
const values = fc.jsonValue();
/** Chooses mostly valid values, sometimes boundary values, and seldom any other values. */
const field = (right: readonly unknown[], edge: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...right) },
    { weight: 6, arbitrary: edge },
    { weight: 1, arbitrary: values },
  );
const times = ['2026-03-01T10:00Z', '2026-02-30T00:00:00Z', '2026-03-01t10:00:00z', 'now'];
const bodies = ['x'.repeat(65_536), 'x'.repeat(65_537), 'ä'.repeat(33_000), ['x'.repeat(65_530)], ['x'.repeat(65_533)]];
const jobs = fc.oneof(
  { weight: 1, arbitrary: values },
  {
    weight: 30,
    arbitrary: fc.record(
      {
        client: field(['orders'], fc.constantFrom('', 'c'.repeat(63), 'c'.repeat(64))),
        url: field(['https://shop.test/hook'], urls),
        endpoint: field(['billing'], fc.constantFrom('', 'Billing', 'b'.repeat(63), 'b'.repeat(64))),
        method: field([...jobMethods], fc.constantFrom('HEAD', 'post', '')),
        body: field(
          [{ a: [1, null, 'x'] }, 'text'],
          fc.oneof(values, fc.string({ unit: 'binary' }), fc.constantFrom(...bodies)),
        ),
        dueAt: field(['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.5+01:00'], fc.constantFrom(...times)),
        delaySeconds: field(
          [0, 1.5, 316_224_000],
          fc.oneof(fc.constantFrom(316_224_001, -1), fc.double({ noNaN: true, noDefaultInfinity: true })),
        ),
        idempotencyKey: field(['order-17'], keys),
        relevancySeconds: field([1, 31_622_400], fc.constantFrom(0, 1.5, 31_622_401)),
        tags: field([[], ['a:b', 'c']], fc.array(fc.constantFrom('a:b', '', 'a b', 't'.repeat(65)), { maxLength: 18 })),
      },
      { requiredKeys: ['client'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom({ ...good, headers: { 'x-a': 'b' } }, { ...good, other: 1 }, { url: good.url }),
  },
);
