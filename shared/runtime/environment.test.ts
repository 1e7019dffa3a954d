import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigurationError } from './configuration-error.ts';
import { commonEnvironment, readEnvironment } from './environment.ts';

const valid = { DATABASE_URL: 'postgres://localhost/muster', KAFKA_BROKERS: 'a:9092, b:9092' };

describe('readEnvironment', () => {
  it('splits the list of brokers', () => {
    expect(readEnvironment(commonEnvironment, valid).KAFKA_BROKERS).toEqual(['a:9092', 'b:9092']);
  });

  it('names every variable that is missing or wrong, with its value', () => {
    const read = () => readEnvironment(commonEnvironment, { DATABASE_URL: 'nonsense', MUSTER_TOPIC_PREFIX: '?' });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(/DATABASE_URL="nonsense".*\nKAFKA_BROKERS is not set.*\nMUSTER_TOPIC_PREFIX="\?"/);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readEnvironment(z.object({ PORT: z.coerce.number().default(8080) }), { PORT: '' }).PORT).toBe(8080);
  });
});
