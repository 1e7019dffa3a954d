import { LRUCache } from 'lru-cache';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import type { TargetTopics } from '../../../shared/runtime/configuration/target-topics.ts';
import { createClientGuard, type EgressGuard, type RuleList } from '../../../shared/runtime/egress/address-guard.ts';
import { forbiddenAddress, quoted } from '../frame/http-problem.ts';

/** Checks targets before they are stored, and refuses targets that the egress rules block. */
export interface ClientEgress {
  /** Returns null if the target may be called. */
  problemOf(client: Client, url: string, pointer: string): FieldProblem | null;
}

const maxOriginsOfClient = 200;
/** Scheme, host and port in plain letters. All URLs with the same origin receive the same verdict. */
const plainOrigin = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?=[/?#]|$)/;

interface KnownRules {
  guard: EgressGuard;
  causes: LRUCache<string, { cause: string | null }>;
}

function topicProblem(cause: string | null, topic: string, pointer: string): FieldProblem | null {
  if (cause === null) return null;
  return { pointer, code: 'forbidden-topic', detail: `the topic ${quoted(topic)} may not be written to: ${cause}` };
}

/** Creates the checks of targets. Most jobs of a client go to few hosts, so verdicts are cached by origin. */
export function createClientEgress(installation: RuleList, topics: Pick<TargetTopics, 'whyNot'>): ClientEgress {
  /** Rules by client object; a changed client is a new object with new rules. */
  const known = new WeakMap<Client, KnownRules>();

  function rulesOf(client: Client): KnownRules {
    const before = known.get(client);
    if (before) return before;
    const guard = createClientGuard(installation, client.definition.egress.allow, client.name);
    const rules: KnownRules = { guard, causes: new LRUCache({ max: maxOriginsOfClient }) };
    known.set(client, rules);
    return rules;
  }

  function causeOf(client: Client, url: string): string | null {
    const { guard, causes } = rulesOf(client);
    const [origin] = plainOrigin.exec(url) ?? [];
    if (origin === undefined) return guard.whyNot(new URL(url));
    const judged = causes.get(origin);
    if (judged) return judged.cause;
    const cause = guard.whyNot(new URL(origin));
    causes.set(origin, { cause });
    return cause;
  }

  return {
    problemOf: (client, url, pointer) => {
      const topic = topicOf(url);
      if (topic !== undefined) return topicProblem(topics.whyNot(topic), topic, pointer);
      const cause = causeOf(client, url);
      return cause === null ? null : forbiddenAddress(pointer, url, cause);
    },
  };
}
