import { expect, test } from 'vitest';
import { fieldProblems, problemOf, noResponseProblem } from './problems.ts';

test('a form shows the first problem of each field, by its path', () => {
  const errors = [
    { pointer: '/chain/0/params/amount', code: 'invalid', detail: 'has to be above 0' },
    { pointer: '/chain/0/params/amount', code: 'invalid', detail: 'has to be a whole number' },
    { pointer: '/audience/a~1b~0c', code: 'invalid', detail: 'is not known' },
  ];
  expect(fieldProblems({ ...noResponseProblem, errors })).toEqual(
    new Map([
      ['chain.0.params.amount', 'has to be above 0'],
      ['audience.a/b~c', 'is not known'],
    ]),
  );
});

test('a request without an answer has a problem that explains why', () => {
  expect(problemOf(new TypeError('Failed to fetch'))).toMatchObject({
    status: 0,
    code: 'unreachable',
    detail: 'Failed to fetch',
  });
});

test.each([[{}], ['<html>Bad gateway</html>'], [undefined]])(
  'an answer without a problem document is reported by its status: %j',
  (body) => {
    expect(problemOf(body, 502)).toMatchObject({
      status: 502,
      detail: 'the API answered with status 502 and no reason',
    });
    expect(problemOf(body).detail).toBe('the API did not answer');
  },
);

test('a problem document of the API is returned unchanged', () => {
  const refused = { ...noResponseProblem, status: 409, code: 'state-forbids' };
  expect(problemOf(refused)).toBe(refused);
});

test('an operation in a message of the API is replaced by a place in the console', () => {
  const detail = 'cmp_1 needs 1 approver (all do): POST /v1/campaigns/cmp_1/submit requests it';
  const errors = [
    { pointer: '/client', code: 'unknown-client', detail: 'there is no client "x": POST /v1/clients creates one' },
  ];
  expect(problemOf({ ...noResponseProblem, status: 409, code: 'approval-needed', detail, errors })).toMatchObject({
    detail: 'cmp_1 needs 1 approver (all do): “Submit for approval…” on its page requests it',
    errors: [{ detail: 'there is no client "x": “New client” under Clients creates one' }],
  });
});
