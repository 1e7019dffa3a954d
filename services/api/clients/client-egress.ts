import { LRUCache } from 'lru-cache';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import type { EgressRule, EndpointTerms } from '../../../shared/contracts/jobs/endpoint-terms.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import type { TargetTopics } from '../../../shared/runtime/configuration/target-topics.ts';
import { createClientGuard, type EgressGuard, type RuleList } from '../../../shared/runtime/egress/address-guard.ts';
import { forbiddenAddress, quoted } from '../frame/http-problem.ts';

/** Checks target URLs before they are stored, and refuses those that the egress rules block. */
export interface ClientEgress {
  /** Returns the problem of a target; null if it may be called. */
  problemOf(rules: EgressRules, url: string, pointer: string): FieldProblem | null;
}

export interface EgressRules {
  /** Name of the client, which the cause of a refusal contains. */
  client: string;
  allow: readonly EgressRule[];
}

/** Returns the rules of an endpoint: its own rules, or those of the endpoint `default` if it has none. */
export function egressOf(
  { name, endpoints }: Pick<Client, 'name' | 'endpoints'>,
  { egress = endpoints[0].terms.egress }: EndpointTerms,
): EgressRules {
  return { client: name, allow: egress.allow };
}

const maxOriginsOfEndpoint = 200;
/**
 * Pattern of an origin in characters that need no normalization. All URLs with the same origin have the same result.
 */
const plainOrigin = /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?(?=[/?#]|$)/;

interface KnownRules {
  guard: EgressGuard;
  causes: LRUCache<string, { cause: string | null }>;
}

function topicProblem(cause: string | null, topic: string, pointer: string): FieldProblem | null {
  if (cause === null) return null;
  return { pointer, code: 'forbidden-topic', detail: `the topic ${quoted(topic)} may not be written to: ${cause}` };
}

/** Creates the checks of targets. Results are cached by origin, because most jobs of an endpoint have few hosts. */
export function createClientEgress(installation: RuleList, topics: Pick<TargetTopics, 'whyNot'>): ClientEgress {
  /** Results by list of rules. Each change of a client creates a new list, so old results are not used. */
  const known = new WeakMap<readonly EgressRule[], KnownRules>();

  function verdictsOf({ client, allow }: EgressRules): KnownRules {
    const before = known.get(allow);
    if (before) return before;
    const guard = createClientGuard(installation, allow, client);
    const rules: KnownRules = { guard, causes: new LRUCache({ max: maxOriginsOfEndpoint }) };
    known.set(allow, rules);
    return rules;
  }

  function causeOf(rules: EgressRules, url: string): string | null {
    const { guard, causes } = verdictsOf(rules);
    const [origin] = plainOrigin.exec(url) ?? [];
    if (origin === undefined) return guard.whyNot(new URL(url));
    const judged = causes.get(origin);
    if (judged) return judged.cause;
    const cause = guard.whyNot(new URL(origin));
    causes.set(origin, { cause });
    return cause;
  }

  return {
    problemOf: (rules, url, pointer) => {
      const topic = topicOf(url);
      if (topic !== undefined) return topicProblem(topics.whyNot(topic), topic, pointer);
      const cause = causeOf(rules, url);
      return cause === null ? null : forbiddenAddress(pointer, url, cause);
    },
  };
}
