import { createHttpOrigin, type HttpOrigin, type HttpOutcome } from '../../../shared/http-client/http-dispatch.ts';

/** Where and how something is called. */
export interface TargetSpec {
  url: string;
  /** At most. */
  connections: number;
  timeoutMs: number;
  maxAnswerBytes: number;
  /** The whole header, where there is one. */
  authorization: string | undefined;
}

interface Target {
  origin: HttpOrigin;
  path: string;
  /** Headers of every call, names and values in turn. */
  headers: readonly string[];
  /** What it is made of: while that stays, it stays. */
  signature: string;
  inFlight: number;
  /** Another has taken its place: its connections end with its last call. */
  retired: boolean;
}

/** Targets by name, each with connections of its own, which may change while calls are under way: those end as they began. */
export interface LiveTargets {
  follow(specs: ReadonlyMap<string, TargetSpec>): void;
  /** Undefined where there is no such target. Never rejects. @param headers names and values in turn */
  post(name: string, headers: readonly string[], body: Buffer): Promise<HttpOutcome> | undefined;
  close(): Promise<void>;
}

export function createLiveTargets(): LiveTargets {
  const targets = new Map<string, Target>();
  const retired = new Set<Target>();

  function closeIfIdle(target: Target): void {
    if (!target.retired || target.inFlight > 0) return;
    retired.delete(target);
    void target.origin.close();
  }

  async function send(target: Target, headers: readonly string[], body: Buffer): Promise<HttpOutcome> {
    target.inFlight++;
    const { path } = target;
    const outcome = await target.origin.send({ method: 'POST', path, headers: [...target.headers, ...headers], body });
    target.inFlight--;
    closeIfIdle(target);
    return outcome;
  }

  return {
    follow: (specs) => {
      for (const [name, target] of targets) {
        const spec = specs.get(name);
        if (spec && signatureOf(spec) === target.signature) continue;
        targets.delete(name);
        target.retired = true;
        retired.add(target);
        closeIfIdle(target);
      }
      for (const [name, spec] of specs) if (!targets.has(name)) targets.set(name, targetOf(spec));
    },
    post: (name, headers, body) => {
      const target = targets.get(name);
      return target && send(target, headers, body);
    },
    close: async () => {
      await Promise.all([...targets.values(), ...retired].map(({ origin }) => origin.close()));
    },
  };
}

function targetOf(spec: TargetSpec): Target {
  const { connections, timeoutMs, maxAnswerBytes, authorization } = spec;
  const url = new URL(spec.url);
  return {
    origin: createHttpOrigin({ origin: url.origin, connections, timeoutMs, maxAnswerBytes }),
    path: `${url.pathname}${url.search}`,
    headers: [
      ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
      ...['muster-mode', 'live'],
      ...(authorization === undefined ? [] : ['authorization', authorization]),
    ],
    signature: signatureOf(spec),
    inFlight: 0,
    retired: false,
  };
}

function signatureOf({ url, connections, timeoutMs, maxAnswerBytes, authorization }: TargetSpec): string {
  return JSON.stringify([url, connections, timeoutMs, maxAnswerBytes, authorization ?? null]);
}
