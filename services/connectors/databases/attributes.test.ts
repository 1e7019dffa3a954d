import { describe, expect, it } from 'vitest';
import { byUser } from './attributes.ts';
import { SourceError } from './source.port.ts';

describe('the rows of a look-up', () => {
  it('are returned by user id, whatever its type is in the database', () => {
    const rows = [{ user_id: 7, name: 'Ada' }, { user_id: 8n }, { user_id: 'u9' }, { user_id: Buffer.from('u10') }];
    expect([...byUser(rows).keys()]).toEqual(['7', '8', 'u9', 'u10']);
    expect(byUser(rows).get('7')).toEqual({ user_id: 7, name: 'Ada' });
  });

  it('are refused if a user has several rows', () => {
    const rows = [
      { user_id: 'u1', email: 'old@shop.test' },
      { user_id: 'u1', email: 'new@shop.test' },
    ];
    expect(() => byUser(rows)).toThrow(new SourceError('refused', 'the query returns several rows for user_id "u1"'));
  });

  it.each([{ id: 'u1' }, { user_id: null }, { user_id: {} }])('are refused if one is %j', (row) => {
    expect(() => byUser([row])).toThrow('the query has to return user_id in each row');
  });
});
