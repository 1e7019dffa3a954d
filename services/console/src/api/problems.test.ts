import { expect, test } from 'vitest';
import { fieldProblems, problemOf, unanswered } from './problems.ts';

test('each field of a form gets the first of its problems, by its path', () => {
  const errors = [
    { pointer: '/chain/0/params/amount', code: 'invalid', detail: 'has to be above 0' },
    { pointer: '/chain/0/params/amount', code: 'invalid', detail: 'has to be a whole number' },
    { pointer: '/audience/a~1b~0c', code: 'invalid', detail: 'is not known' },
  ];
  expect(fieldProblems({ ...unanswered, errors })).toEqual(
    new Map([
      ['chain.0.params.amount', 'has to be above 0'],
      ['audience.a/b~c', 'is not known'],
    ]),
  );
});

test('where no answer came there is a problem all the same, that says why', () => {
  expect(problemOf(new TypeError('Failed to fetch'))).toMatchObject({
    status: 0,
    code: 'unreachable',
    detail: 'Failed to fetch',
  });
});

test.each([[{}], ['<html>Bad gateway</html>'], [undefined]])(
  'an answer that is no problem of the API says its status: %j',
  (body) => {
    expect(problemOf(body, 502)).toMatchObject({ status: 502, detail: 'it was answered 502 without a reason' });
    expect(problemOf(body).detail).toBe('the API did not answer');
  },
);

test("the API's own problem stays as it is", () => {
  const refused = { ...unanswered, status: 409, code: 'state-forbids' };
  expect(problemOf(refused)).toBe(refused);
});

test('what the API says by method and path is said as a place of the console', () => {
  const detail = 'cmp_1 needs 1 approver (all do): POST /v1/campaigns/cmp_1/submit asks for it';
  const errors = [
    { pointer: '/client', code: 'unknown-client', detail: 'there is no client "x": POST /v1/clients makes one' },
  ];
  expect(problemOf({ ...unanswered, status: 409, code: 'approval-needed', detail, errors })).toMatchObject({
    detail: 'cmp_1 needs 1 approver (all do): “Submit for approval…” on its page asks for it',
    errors: [{ detail: 'there is no client "x": “New client” under Clients makes one' }],
  });
});
