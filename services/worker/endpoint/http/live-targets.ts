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
  /** Value of the `Authorization` header, if there is one. */
  authorization: string | undefined;
  /** Secret for signatures by Standard Webhooks, if posts are signed. */
  signing: string | undefined;
  /** False if a post that may have been received must not be sent again. */
  isRepeatable: boolean;
}

interface Target {
  origin: HttpOrigin;
  path: string;
  /** Headers of every post by mode, names and values alternating. */
  headers: Readonly<Record<StepMode, readonly string[]>>;
  signingKey: KeyObject | undefined;
  /** Fingerprint of the specification. The target is kept while its fingerprint is unchanged. */
  specFingerprint: string;
  inFlight: number;
  /** True once another target has replaced this one. Its connections are closed after its last post. */
  retired: boolean;
}

export interface Post {
  mode: StepMode;
  /** Names and values, alternating. */
  headers: readonly string[];
  body: Buffer;
  /**
   * Message id, which stays the same when the post is repeated; undefined for posts with a new identity each time. If
   * posts are signed, the id is sent and signed.
   */
  messageId: string | undefined;
}

/** Targets by name, each with connections of its own. A post ends on the connection on which it began. */
export interface LiveTargets {
  follow(specs: ReadonlyMap<string, TargetSpec>): void;
  /** Sends a post. Undefined if there is no such target. Never rejects. */
  post(name: string, post: Post): Promise<HttpOutcome> | undefined;
  close(): Promise<void>;
}

export interface LiveTargetsDeps {
  clock: Pick<Clock, 'now'>;
  egress: Egress;
  /** Called with the name of the target when a post is sent once more after its connection was lost. */
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
