import { expect, it } from 'vitest';
import { HttpProblem } from '../../frame/http-problem.ts';
import { templateFormOfSchedule } from './templates-of-calls.ts';

/** Returns the problems of a schedule with groups whose body is this text. */
function problemsOf(text: string): unknown {
  try {
    templateFormOfSchedule({ headers: undefined, body: { text, isJson: false } }, true);
    return [];
  } catch (error) {
    return error instanceof HttpProblem ? error.errors : error;
  }
}

it('a template of a schedule is refused if the longest values of a fire do not fit', () => {
  const longest = { '{{group}}': 63, '{{key}}': 160, '{{scheduleId}}': 30, '{{localTime}}': 19 };
  for (const [name, bytes] of Object.entries(longest)) {
    const most = Math.floor(65_536 / bytes);
    expect(problemsOf(name.repeat(most)), name).toEqual([]);
    const detail = `may have ${(most + 1) * bytes} bytes once it is filled, at most 65536 are sent`;
    expect(problemsOf(name.repeat(most + 1)), name).toEqual([{ pointer: '/target/body', code: 'too-long', detail }]);
  }
});
