import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { variablesBySection } from './variables.ts';
import { referenceFolder, referencePages } from './write-pages.ts';

const pages = await referencePages();

describe('docs/reference', () => {
  it('contains exactly the generated pages', () => {
    expect(readdirSync(referenceFolder).toSorted()).toEqual(Object.keys(pages).toSorted());
  });

  it.each(['configuration.md', 'cli.md', 'api.md', 'metrics.md'])('%s matches the code (fix: npm run docs)', (name) => {
    expect(readFileSync(path.join(referenceFolder, name), 'utf8')).toBe(pages[name]);
  });
});

describe('the reference page of the command line', () => {
  it('lists every exit code', () => {
    const codes = [...(pages['cli.md'] ?? '').matchAll(/^- \*\*(\d+)\*\*:/gm)].map(([, value]) => Number(value));
    expect(codes).toEqual(Object.values(exitCodes));
  });
});

describe('the reference page of environment variables', () => {
  const variables = variablesBySection().flatMap(({ variables: of }) => of);
  const of = (name: string) => variables.find((each) => each.name === name);

  it('states the readers, the default and the valid values of a variable', () => {
    expect(of('WORKER_CONCURRENCY')).toEqual({
      name: 'WORKER_CONCURRENCY',
      readers: ['worker'],
      isSecret: false,
      usual: '`200`',
      description:
        'Calls in flight over all action types; a sixteenth more for runs with few calls in flight. A whole number from 1 to 5,000.',
    });
    expect(of('DATABASE_URL')).toMatchObject({ readers: ['all', 'cli'], isSecret: true, usual: 'needed' });
    expect(of('QUOTA_OPEN_RUNS')?.readers).toEqual(['api', 'scheduler', 'cli']);
    expect(of('KAFKA_TLS_CA_FILE')?.readers).toContain('all');
  });

  it('states the format of a variable in the words of its validation error', () => {
    expect(of('MUSTER_TOPIC_PREFIX')?.description).toContain('It has to be 1 to 64 letters, digits, _ and -.');
  });
});
