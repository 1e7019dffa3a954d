import { randomUUID, type KeyObject } from 'node:crypto';
import { signatureHeaders, webhookKeyOf } from '../../../../shared/domain/endpoint/standard-webhooks.ts';
import { createGuardedOrigin, type Egress } from '../../../../shared/http-client/guarded-origin.ts';
import type { StepMode } from '../../../../shared/domain/run/run-kinds.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { HttpOrigin, HttpOutcome } from '../../../../shared/http-client/http-dispatch.ts';

/** Where and how something is called. */
export interface TargetSpec {
  url: string;
  /** At most. */
  connections: number;
  timeoutMs: number;
  maxAnswerBytes: number;
  /** The whole header, where there is one. */
  authorization: string | undefined;
  /** A secret by Standard Webhooks, where what is posted is to be signed. */
  signing: string | undefined;
  /** False if a post that may have been received must not be sent again. */
  isRepeatable: boolean;
}

interface Target {
  origin: HttpOrigin;
  path: string;
  /** Headers of every call of a mode, names and values in turn. */
  headers: Readonly<Record<StepMode, readonly string[]>>;
  signingKey: KeyObject | undefined;
  /** What it is made of: while that stays, it stays. */
  madeOf: string;
  inFlight: number;
  /** Another has taken its place: its connections end with its last call. */
  retired: boolean;
}

export interface Post {
  mode: StepMode;
  /** Names and values in turn. */
  headers: readonly string[];
  body: Buffer;
  /**
   * Stays when the same is sent again; undefined for what has an identity of its own each time. Sent and signed where
   * posts are signed.
   */
  messageId: string | undefined;
}

/**
 * Targets by name, each with connections of its own, which may change while calls are under way: those end as they
 * began.
 */
export interface LiveTargets {
  follow(specs: ReadonlyMap<string, TargetSpec>): void;
  /** Undefined where there is no such target. Never rejects. */
  post(name: string, post: Post): Promise<HttpOutcome> | undefined;
  close(): Promise<void>;
}

export interface LiveTargetsDeps {
  clock: Pick<Clock, 'now'>;
  egress: Egress;
  /** Called with the name of a target whose post is sent once more after its connection was lost. */
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
        if (spec && madeOf(spec) === target.madeOf) continue;
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
    madeOf: madeOf(spec),
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

function madeOf(spec: TargetSpec): string {
  const { url, connections, timeoutMs, maxAnswerBytes, authorization, signing, isRepeatable } = spec;
  const secrets = [authorization ?? null, signing ?? null];
  return JSON.stringify([url, connections, timeoutMs, maxAnswerBytes, ...secrets, isRepeatable]);
}
