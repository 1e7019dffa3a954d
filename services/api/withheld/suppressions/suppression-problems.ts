import { HttpProblem } from '../../frame/http-problem.ts';

/** Returns the problem of a replacement that removes many people. It states the number that the caller must confirm. */
export function replacementNotConfirmed(people: { before: number; after: number; removed: number }): HttpProblem {
  const { before, after, removed } = people;
  return new HttpProblem({
    status: 409,
    code: 'replacement-not-confirmed',
    detail:
      `the file replaces ${before} people by ${after}: it removes ${removed} of them, whom campaigns would contact again. ` +
      'Nothing was replaced. Check the file; if it is right, confirm the number and send it again',
    errors: [
      {
        pointer: '/confirmRemoved',
        code: 'replacement-not-confirmed',
        detail: `has to be ${removed}, the number of people whom this file removes from the list`,
      },
    ],
  });
}

export function alreadyReceiving(list: string): HttpProblem {
  const detail = `another file for the list of ${list} is being received, and only one at a time is accepted; try again after Retry-After`;
  return new HttpProblem({ status: 429, code: 'too-many-uploads', detail, headers: { 'retry-after': '5' } });
}
