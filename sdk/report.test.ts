import { describe, expect, it } from 'vitest';
import { invitationIn, RefusedReport, report } from './report.ts';

const headers = {
  'Muster-Report': '/v1/jobs/job_1/report',
  'muster-report-token': 'v1.a.b',
  'muster-report-within': '3600',
};
const invitation = { url: 'https://muster.test/v1/jobs/job_1/report', token: 'v1.a.b', withinSeconds: 3600 };

function answering(...answers: (Response | Error)[]) {
  const requests: Request[] = [];
  const send: typeof fetch = (input, init) => {
    requests.push(new Request(input, init));
    const answer = answers.shift() ?? new Error('no answer is left');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { asked: requests, send };
}

const problem = (status: number, code: string) =>
  Response.json({ code, detail: `it is ${code}` }, { status, headers: { 'retry-after': '0' } });

describe('the receiver of an asynchronous call', () => {
  it('reads the report URL and token from the headers, and returns undefined without them', () => {
    expect(invitationIn(headers, 'https://muster.test/')).toEqual(invitation);
    expect(invitationIn({ ...headers, 'Muster-Report': invitation.url })).toEqual(invitation);
    expect(invitationIn({ 'webhook-id': 'job_1' })).toBeUndefined();
  });

  it('sends its report with the token, and repeats it after a temporary refusal or a lost response', async () => {
    const taken = Response.json({ id: 'job_1', result: 'called' });
    const early = problem(409, 'report-too-early');
    const { asked: requests, send } = answering(early, problem(503, 'unavailable'), taken);
    expect(await report(invitation, { outcome: 'done' }, { fetch: send })).toBe('called');
    expect(requests.map(({ url }) => url)).toEqual([invitation.url, invitation.url, invitation.url]);
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer v1.a.b');
    expect(await requests[0]?.json()).toEqual({ outcome: 'done' });
  });

  it('gets an error if its report was refused', async () => {
    const { send } = answering(problem(409, 'report-too-late'));
    const refused = report(invitation, { outcome: 'failed', reason: 'no-stock' }, { fetch: send });
    await expect(refused).rejects.toThrow(RefusedReport);
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'report-too-late' });
  });
});
