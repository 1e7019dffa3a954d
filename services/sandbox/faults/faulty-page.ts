import { setTimeout as wait } from 'node:timers/promises';
import { userPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import type { SegmentationRule } from './fault-rules.ts';
import type { FaultSwitches } from './fault-switches.ts';
import type { HttpAnswer } from '../wire/http-answer.ts';

const segmentPath = /\/v1\/segments\/([^/]+)(\/users)?$/;

/** Returns the segmentation service's answer, or the fault that replaces it. */
export async function faultyPage(
  answer: HttpAnswer,
  { pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>,
  faults: Pick<FaultSwitches, 'ruleForPage'>,
): Promise<HttpAnswer> {
  const [, segment, users] = segmentPath.exec(pathname) ?? [];
  if (segment === undefined || answer.status !== 200) return answer;
  const rule = faults.ruleForPage({
    segment: decodeURIComponent(segment),
    country: searchParams.get('country') ?? '',
    of: users === undefined ? 'descriptions' : 'pages',
    isFirst: !searchParams.has('after'),
  });
  if (!rule) return answer;
  if (rule.latencyMs !== undefined) await wait(rule.latencyMs);
  return { ...spoiled(answer, rule), interim: rule.interim };
}

function spoiled(answer: HttpAnswer, { answer: fault }: SegmentationRule): HttpAnswer {
  switch (fault?.kind) {
    case undefined:
      return answer;
    case 'hang':
      return { ...answer, delivery: { kind: 'none' } };
    case 'status':
      return { status: fault.status, body: JSON.stringify({ code: 'fault', message: 'a fault that was switched on' }) };
    case 'unsorted': {
      const page = userPage.parse(JSON.parse(answer.body));
      const [first, second, ...others] = page.users;
      const users = first === undefined || second === undefined ? page.users : [second, first, ...others];
      return { ...answer, body: JSON.stringify({ ...page, users }) };
    }
  }
}
