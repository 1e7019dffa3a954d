import { HttpProblem } from '../http-problem.ts';

export function notTakingPart(): HttpProblem {
  return new HttpProblem({
    status: 503,
    code: 'not-ready',
    detail: 'the database does not match this version; the log describes what an operator has to do',
    headers: { 'retry-after': '5' },
  });
}
