import { listChanges, verifyAudit } from '../../sdk/generated/sdk.gen.ts';
import type { Client } from '../../sdk/generated/client/types.gen.ts';
import type { VerifyAuditResponses } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';

type Found = VerifyAuditResponses[200];

/** An audit entry as stored elsewhere, and its current hash. */
interface Expected {
  number: number;
  hash: string;
  /** Current hash of the entry; null if no entry has this number any more. */
  now: string | null;
}

interface Verified extends Omit<Found, 'next'> {
  expected: Expected | null;
}

export const verify = command({
  name: 'verify',
  description: 'verify that no entry of the audit log was changed or removed',
  options: {
    expect: text('--expect <number:hash>', 'an entry from a log or from an earlier run of this command'),
  },
  ask: async ({ client, options: { expect } }) => {
    const wanted = expect === undefined ? null : placeOf(expect);
    const found = await verifyAll(client);
    return { data: { ...found, expected: wanted && { ...wanted, now: await hashOf(client, wanted.number) } } };
  },
  render: ({ checked, cut, to, broken, expected }, { paint }) =>
    [
      broken
        ? paint.bad(`Entry ${broken.number} is ${broken.what}: ${broken.because}`)
        : paint.good(`All ${checked.toLocaleString('en')} entries are as they were added`),
      ...(expected ? [expectation(expected)] : []),
      ...(cut.number === 0 ? [] : [`The log begins behind entry ${cut.number}: those up to it are not kept any more`]),
      `The last that fits: ${to.number}:${to.hash}`,
      '',
    ].join('\n'),
  hint: () => 'keep the last line elsewhere, and compare later: muster audit verify --expect <number:hash>',
  code: (data) => (isWhole(data) ? exitCodes.ok : exitCodes.failure),
});

/** Verifies page by page, up to the end or the first mismatch. */
export async function verifyAll(client: Client): Promise<Omit<Found, 'next'>> {
  let checked = 0;
  let from: Found['from'] | undefined;
  let after: number | undefined;
  for (;;) {
    const { next, ...found } = (await verifyAudit({ client, query: after === undefined ? {} : { after } })).data;
    checked += found.checked;
    from ??= found.from;
    if (next === null) return { ...found, from, checked };
    after = next;
  }
}

async function hashOf(client: Client, number: number): Promise<string | null> {
  const { items } = (await listChanges({ client, query: { number, limit: 1 } })).data;
  return items[0]?.hash ?? null;
}

function placeOf(expect: string): { number: number; hash: string } {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(expect) ?? [];
  if (number === undefined || hash === undefined)
    throw new UsageError(`--expect is a number and a hash, such as 17:9f86…, and not ${expect}`);
  return { number: Number(number), hash };
}

function isWhole({ broken, expected }: Verified): boolean {
  return broken === null && (expected === null || expected.now === expected.hash);
}

function expectation({ number, hash, now }: Expected): string {
  if (now === hash) return `Entry ${number} is the one that is expected`;
  return now === null ? `Entry ${number} is expected, and is not there` : `Entry ${number} has another hash: ${now}`;
}
