import { randomUUID, type KeyObject } from 'node:crypto';
import { signatureHeaders, webhookKeyOf } from '../../../../shared/domain/endpoint/standard-webhooks.ts';
import { createGuardedOrigin, type Egress } from '../../../../shared/http-client/guarded-origin.ts';
import type { StepMode } from '../../../../shared/domain/run/run-kinds.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { HttpOrigin, HttpOutcome } from '../../../../shared/http-client/http-dispatch.ts';

export interface TargetSpec {
  url: string;
  connections: number;
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Value of the `Authorization` header; undefined if there is none. */
  authorization: string | undefined;
  /** Secret for signatures by the Standard Webhooks specification; undefined if posts are not signed. */
  signing: string | undefined;
  /** False if a post must not be sent again when its receiver may have received it. */
  isRepeatable: boolean;
}

interface Target {
  origin: HttpOrigin;
  path: string;
  /** By mode, the headers of every post: names and values, alternating. */
  headers: Readonly<Record<StepMode, readonly string[]>>;
  signingKey: KeyObject | undefined;
  /** Fingerprint of the specification, to detect changes. The target is kept while the fingerprint is the same. */
  specFingerprint: string;
  inFlight: number;
  /** True if another target has replaced this one. Its connections are closed after its last post. */
  retired: boolean;
}

export interface Post {
  mode: StepMode;
  /** Names and values, alternating. */
  headers: readonly string[];
  body: Buffer;
  /**
   * Message id, which stays the same when the post is repeated. Undefined for a post that gets a new id each time. If
   * posts are signed, the id is sent and signed.
   */
  messageId: string | undefined;
}

/**
 * Targets by name, each with connections of its own. If a target is replaced during a post, the post ends on its old
 * connection.
 */
export interface LiveTargets {
  follow(specs: ReadonlyMap<string, TargetSpec>): void;
  /** Sends a post. Returns undefined if there is no such target. Never rejects. */
  post(name: string, post: Post): Promise<HttpOutcome> | undefined;
  close(): Promise<void>;
}

export interface LiveTargetsDeps {
  clock: Pick<Clock, 'now'>;
  egress: Egress;
  /** Called with the name of the target when a post is sent a second time because its connection was lost. */
  onSentAgain: (name: string) => void;
}

export function createLiveTargets({ clock, egress, onSentAgain }: LiveTargetsDeps): LiveTargets {
  const targets = new Map<string, Target>();
  const retired = new Set<Target>();

  function closeIfIdle(target: Target): void {
    if (!target.retired || target.inFlight > 0) return;
    retired.delete(target);
    void target.origin.close();
  }

  async function send(target: Target, post: Post): Promise<HttpOutcome> {
    target.inFlight++;
    const { path, signingKey } = target;
    const headers = [...target.headers[post.mode], ...post.headers];
    if (signingKey)
      headers.push(...signatureHeaders(signingKey, post.messageId ?? randomUUID(), clock.now(), post.body));
    const outcome = await target.origin.send({ method: 'POST', path, headers, body: post.body });
    target.inFlight--;
    closeIfIdle(target);
    return outcome;
  }

  return {
    follow: (specs) => {
      for (const [name, target] of targets) {
        const spec = specs.get(name);
        if (spec && specFingerprintOf(spec) === target.specFingerprint) continue;
        targets.delete(name);
        target.retired = true;
        retired.add(target);
        closeIfIdle(target);
      }
      for (const [name, spec] of specs) {
        if (targets.has(name)) continue;
        targets.set(name, targetOf(name, spec, { egress, onSentAgain: () => onSentAgain(name) }));
      }
    },
    post: (name, post) => {
      const target = targets.get(name);
      return target && send(target, post);
    },
    close: async () => {
      await Promise.all([...targets.values(), ...retired].map(({ origin }) => origin.close()));
    },
  };
}

function targetOf(name: string, spec: TargetSpec, terms: { egress: Egress; onSentAgain: () => void }): Target {
  const { connections, timeoutMs, maxAnswerBytes, authorization, signing, isRepeatable } = spec;
  const url = new URL(spec.url);
  return {
    origin: createGuardedOrigin({
      ...terms,
      caller: name,
      origin: url.origin,
      connections,
      timeoutMs,
      maxAnswerBytes,
      isRepeatable,
    }),
    path: `${url.pathname}${url.search}`,
    headers: { live: headersOf('live', authorization), test: headersOf('test', authorization) },
    signingKey: signing === undefined ? undefined : webhookKeyOf(signing),
    specFingerprint: specFingerprintOf(spec),
    inFlight: 0,
    retired: false,
  };
}

function headersOf(mode: StepMode, authorization: string | undefined): string[] {
  return [
    ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
    ...['muster-mode', mode],
    ...(authorization === undefined ? [] : ['authorization', authorization]),
  ];
}

function specFingerprintOf(spec: TargetSpec): string {
  const { url, connections, timeoutMs, maxAnswerBytes, authorization, signing, isRepeatable } = spec;
  const secrets = [authorization ?? null, signing ?? null];
  return JSON.stringify([url, connections, timeoutMs, maxAnswerBytes, ...secrets, isRepeatable]);
}
