import { describe, expect, it } from 'vitest';
import { checkPart, readinessOf } from './readiness.ts';

describe('the readiness of a process', () => {
  it('names each part and its problem', async () => {
    const parts = {
      loop: () => undefined,
      database: () => Promise.reject(new Error('connect ECONNREFUSED')),
      kafka: () => {
        throw new Error('no broker answers');
      },
    };
    expect(await readinessOf(parts)).toEqual({
      ready: false,
      parts: { loop: 'ok', database: 'connect ECONNREFUSED', kafka: 'no broker answers' },
    });
  });

  it('shares one check of a part that is still running', async () => {
    const answer = Promise.withResolvers<undefined>();
    let questions = 0;
    const check = () => {
      questions += 1;
      return answer.promise;
    };
    const checks = [checkPart(check), checkPart(check)];
    answer.resolve(undefined);
    await Promise.all(checks);
    expect(questions).toBe(1);
    await checkPart(check);
    expect(questions).toBe(2);
  });

  it('does not wait for a part that never answers', async () => {
    const parts = { database: () => new Promise<void>(() => undefined) };
    expect(await readinessOf(parts)).toEqual({ ready: false, parts: { database: 'does not answer within 2 s' } });
  });
});
