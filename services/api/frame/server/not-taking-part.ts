import { HttpProblem } from '../http-problem.ts';

export function notTakingPart(): HttpProblem {
  return new HttpProblem({
    status: 503,
    code: 'not-ready',
    detail: 'the database is not as this version needs it; the log says what an operator has to do',
    headers: { 'retry-after': '5' },
  });
}
