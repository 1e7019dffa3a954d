import { describe, expect, it } from 'vitest';
import { optionPage } from '../../shared/contracts/endpoints/parameter-options.ts';
import { answerOptions } from './option-lists.ts';

const ask = (path: string, query = '') => answerOptions(path, new URLSearchParams(query));
const valuesOf = (path: string, query = '') => {
  const { options, more } = optionPage.parse(JSON.parse(ask(path, query)?.body ?? ''));
  return { values: options.map(({ value }) => value), more };
};

describe('the option lists of the sandbox', () => {
  it('contain rewards and templates, searchable by value and name', () => {
    expect(valuesOf('/rewards/v1/options').values).toContain('ride-5');
    expect(valuesOf('/messages/v1/options').values).toContain('congratulations');
    expect(valuesOf('/messages/v1/options', 'search=MISS%20you').values).toEqual(['come-back']);
    expect(valuesOf('/rewards/v1/options', 'search=airport-1').values).toEqual(['airport-15']);
  });

  it('contain only the options of the requested country', () => {
    expect(valuesOf('/rewards/v1/options', 'country=VN').values).not.toContain('airport-15');
    expect(valuesOf('/rewards/v1/options', 'country=SG').values).toContain('airport-15');
  });

  it('report whether more options exist than the limit', () => {
    expect(valuesOf('/rewards/v1/options', 'limit=2')).toEqual({ values: ['ride-5', 'ride-10'], more: true });
    expect(valuesOf('/rewards/v1/options').more).toBe(false);
  });

  it('do not exist for the service points, and a request with invalid parameters is refused', () => {
    expect(ask('/points/v1/options')).toBeNull();
    expect(ask('/rewards/v1/options', 'limit=0')?.status).toBe(400);
    expect(ask('/rewards/v1/options', 'country=sg')?.status).toBe(400);
  });
});
