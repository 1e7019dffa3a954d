import type { Answer } from './http.ts';
import type { CallLog } from './call-log.ts';

/**
 * A batch endpoint whose users all succeed. The path has the form of the answer and the latency in milliseconds, such
 * as `/batches/full/20`, so that one process serves all cases. A reward id can select a fault: `hang` never answers,
 * `missing` answers 404, `failing` 500, `throttled` 429, and `sold-out` fails each user for one of twenty reasons.
 */
const beforeUsers = '"users":["';
const headPattern = /^\{"campaign":"([^"]+)","run":"[^"]+","step":(\d+),/;
const rewardPattern = /"rewardId":"(hang|missing|failing|throttled|sold-out)"/;
const refusals = new Map([
  ['missing', { status: 404, text: '{"code":"no-such-reward"}' }],
  ['failing', { status: 500, text: '{}' }],
  ['throttled', { status: 429, text: '{}' }],
]);
const soldOutReasons = 20;

export function answerBatch(path: string, body: string, log: CallLog): Answer | null {
  const [, , form = 'full', latency = '0'] = path.split('/');
  const usersAt = body.indexOf(beforeUsers);
  const head = body.slice(0, usersAt);
  const [, campaignId, step] = headPattern.exec(head) ?? [];
  const call = campaignId === undefined ? undefined : log.called(campaignId, Number(step));
  const reward = rewardPattern.exec(head)?.[1];
  if (reward === 'hang') return null;
  const latencyMs = Number(latency);
  const refusal = refusals.get(reward ?? '');
  if (refusal) return { ...refusal, latencyMs };
  const ids = body.slice(usersAt + beforeUsers.length, body.lastIndexOf('"]'));
  const text = reward === 'sold-out' ? failEverybody(ids.split('","')) : awardEverybody(form, ids);
  return { status: 200, text, latencyMs, ...(call && { onSent: () => log.answered(call) }) };
}

function awardEverybody(form: string, ids: string): string {
  return form === 'full'
    ? `{"results":[{"id":"${ids.replace(/","/g, '","status":"succeeded"},{"id":"')}","status":"succeeded"}]}`
    : `{"succeeded":${ids.split('","').length},"failed":[]}`;
}

function failEverybody(ids: readonly string[]): string {
  const failed = ids.map((id, index) => `{"id":"${id}","code":"sold-out-${index % soldOutReasons}"}`);
  return `{"succeeded":0,"failed":[${failed.join(',')}]}`;
}
