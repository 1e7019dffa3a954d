import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import { startStandInApi } from '../../support/stand-in-api.ts';
import type { Trap } from './strikes.ts';

const isNoMember = (user: string) => Number(user.slice(1)) % 97 === 0;
const isMailboxFull = (address: string) => Number.parseInt(address.slice(1)) % 89 === 0;

/** An API that grants miles, and recognizes repeats by their key. Refuses every 97th customer. */
export interface MilesApi {
  url: string;
  /** Requests by user. */
  requests: ReadonlyMap<string, number>;
  /** Grants by user. */
  effects(): Map<string, number>;
  close(): void;
}

export async function startMilesApi({ latencyMs, trap }: { latencyMs: number; trap: Trap }): Promise<MilesApi> {
  const keys = new Map<string, Set<string>>();
  const requests = new Map<string, number>();
  const api = await startStandInApi(async ({ path, headers }) => {
    const user = path.slice('/members/'.length);
    requests.set(user, (requests.get(user) ?? 0) + 1);
    api.requests.length = 0;
    if (isNoMember(user)) return { status: 422 };
    keys.set(user, (keys.get(user) ?? new Set()).add(String(headers['idempotency-key'])));
    trap.passed('request', { instance: Number(headers['x-instance']), user });
    await wait(latencyMs);
    return { status: 200 };
  });
  return {
    url: api.url,
    requests,
    effects: () => new Map([...keys].map(([user, { size }]) => [user, size])),
    close: () => api.close(),
  };
}

/**
 * Starts the mail server of one process. The mailbox of every 89th customer is full.
 * @param ledger.mails mails by user, of all mail servers
 */
export async function startMailbox(
  instance: number,
  { mails, trap }: { mails: Map<string, number>; trap: Trap },
): Promise<MailServer> {
  const take = (mail: Readable, address: string, done: () => void) => {
    mail.resume().once('end', () => {
      const user = address.slice(0, address.indexOf('@'));
      mails.set(user, (mails.get(user) ?? 0) + 1);
      trap.passed('mail', { instance, user });
      done();
    });
  };
  return await startMailServer((address) => (isMailboxFull(address) ? '552 5.2.2 mailbox full' : undefined), {
    onData: (mail, { envelope }, done) => take(mail, envelope.rcptTo[0]?.address ?? '', done),
  });
}
