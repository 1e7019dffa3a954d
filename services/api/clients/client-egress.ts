import { LRUCache } from 'lru-cache';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import type { EgressRule, EndpointTerms } from '../../../shared/contracts/jobs/endpoint-terms.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import type { TargetTopics } from '../../../shared/runtime/configuration/target-topics.ts';
import { createClientGuard, type EgressGuard, type RuleList } from '../../../shared/runtime/egress/address-guard.ts';
import { forbiddenAddress, quoted } from '../frame/http-problem.ts';

/** Checks targets before they are stored, and refuses targets that the egress rules block. */
export interface ClientEgress {
  /** Returns null if the target may be called. */
  problemOf(rules: EgressRules, url: string, pointer: string): FieldProblem | null;
}

export interface EgressRules {
  /** Name of the client, for the cause of a refusal. */
  client: string;
  allow: readonly EgressRule[];
}

/** Returns the rules of an endpoint: its own, or those of `default`. */
export function egressOf(
  { name, endpoints }: Pick<Client, 'name' | 'endpoints'>,
  { egress = endpoints[0].terms.egress }: EndpointTerms,
): EgressRules {
  return { client: name, allow: egress.allow };
}

const maxOriginsOfEndpoint = 200;
/**
 * Scheme, host and port in characters that need no normalization. All URLs with the same origin receive the same
 * verdict.
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

/** Creates the checks of targets. Most jobs of an endpoint go to few hosts, so verdicts are cached by origin. */
export function createClientEgress(installation: RuleList, topics: Pick<TargetTopics, 'whyNot'>): ClientEgress {
  /** Verdicts by list of rules, which is a new object after each change of its client. */
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
