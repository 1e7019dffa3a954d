import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { TopicWriter, TopicWritten } from '../../../shared/ports/topic-writer.ts';
import type { TargetTopics } from '../../../shared/runtime/configuration/target-topics.ts';
import type { Callback, CallbackAnswer, CallbackEndpoint } from '../ports/callback-endpoint.ts';

export interface TopicEndpointDeps {
  writer: TopicWriter;
  topics: Pick<TargetTopics, 'whyNot'>;
  clock: Clock;
}

/** Headers that only apply to HTTP calls. */
const notWritten = new Set(['user-agent']);
const written = 200;

/** Creates the endpoint for topics. An answer with 200 means that all in-sync replicas have the record. */
export function createTopicEndpoint({ writer, topics, clock }: TopicEndpointDeps): CallbackEndpoint {
  async function call({
    origin,
    headers,
    body,
    key,
    timeoutMs,
    limits,
    notAfterMs,
  }: Callback): Promise<CallbackAnswer> {
    if (clock.monotonicMs() > notAfterMs) return { kind: 'unanswered', cause: 'came too late to be sent' };
    const topic = topicOf(origin) ?? '';
    // The topic was allowed when the job was accepted, but the configuration may have changed since, so it is checked
    // again.
    const forbidden = topics.whyNot(topic);
    if (forbidden !== null) return { kind: 'forbidden', cause: `${topic} may not be written: ${forbidden}` };
    const withinMs = timeoutMs ?? limits.timeoutMs;
    const ended = new AbortController();
    // If Kafka acknowledges the record after the time-out, the record was written nevertheless. The job is then
    // retried, and writes the record again under the same id.
    const late = clock
      .sleep(withinMs, ended.signal)
      .then(() => ({ kind: 'unknown', cause: `no acknowledgement within ${withinMs} ms` }) as const);
    const message = { topic, key: key ?? '', headers: recordOf(headers), value: body };
    const outcome = await Promise.race([writer.write(message), late]);
    ended.abort();
    return answerOf(outcome);
  }
  return { call };
}

function answerOf(outcome: TopicWritten): CallbackAnswer {
  if (outcome.kind === 'refused') return { kind: 'forbidden', cause: outcome.cause };
  if (outcome.kind === 'unknown') return { kind: 'unanswered', cause: outcome.cause };
  const place = `partition ${outcome.partition}, offset ${outcome.offset}`;
  return { kind: 'answered', status: written, retryAfterMs: null, body: Buffer.from(place) };
}

/** Converts alternating names and values into an object. If a name is repeated, the last value applies. */
function recordOf(flat: readonly string[]): Record<string, string> {
  const names = flat.filter((_, place) => place % 2 === 0);
  const pairs = names.map((name, nth): [string, string] => [name, flat[2 * nth + 1] ?? '']);
  return Object.fromEntries(pairs.filter(([name]) => !notWritten.has(name.toLowerCase())));
}
