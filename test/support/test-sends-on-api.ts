import { expect } from 'vitest';
import { trial } from '../../shared/contracts/runs/trials.ts';
import type { apiOnPostgres } from './api-on-postgres.ts';
import type { approvalsOn } from './approvals-on-api.ts';

/** A chain with a step that supports tests, and a step that would have a real effect in a test. */
export const testedChain = [
  { action: 'award-reward', params: {}, unitsPerUser: 2 },
  { action: 'send-message', params: {}, unitsPerUser: 1 },
];
export const testedUsers = ['zoë', 'u1', 'nguyễn.thị@riders', '🦄'];

/** Creates functions for test sends of a manager in Singapore. */
export function testSendsOn(
  on: Pick<ReturnType<typeof apiOnPostgres>, 'ask'>,
  { asks }: Pick<ReturnType<typeof approvalsOn>, 'asks'>,
) {
  const send = (id: string, changes: object = {}) =>
    asks('mei, manager', 'POST', `/campaigns/${id}/trials`, {
      kind: 'test',
      users: testedUsers,
      country: 'SG',
      ...changes,
    });

  return {
    send,
    sent: async (id: string, changes: object = {}) => {
      const answer = await send(id, changes);
      expect(answer.statusCode, answer.body).toBe(201);
      return trial.parse(answer.json());
    },
    understandsTest: async (action: string, isSo = true): Promise<void> => {
      const answer = await on.ask('PATCH', `/v1/action-types/${action}`, { understandsTest: isSo });
      expect(answer.statusCode, answer.body).toBe(200);
    },
  };
}
