import { expect, it } from 'vitest';
import { approvalMoveOf, approvalStates, approvalVerbs } from './approval-states.ts';

it('each approval action is allowed, has no effect or is forbidden by the state of the approval', () => {
  const table = Object.fromEntries(
    [null, ...approvalStates].map((state) => [
      state ?? 'never submitted',
      approvalVerbs.map((verb) => approvalMoveOf(verb, state)).join(' '),
    ]),
  );
  // submit, approve, send-back, withdraw
  expect(table).toEqual({
    'never submitted': 'moves forbidden forbidden forbidden',
    waiting: 'stays moves moves moves',
    approved: 'stays moves moves moves',
    'sent-back': 'moves forbidden stays forbidden',
    withdrawn: 'moves forbidden forbidden stays',
    void: 'moves forbidden forbidden forbidden',
  });
});
