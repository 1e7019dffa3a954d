import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { portOf } from '../../test/support/raw-server.ts';
import { createEgressGuard } from '../runtime/egress/address-guard.ts';
import { readInstallationEgress } from '../runtime/configuration/installation-egress.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { createHostNames } from './host-names.ts';
import { createOpenIdIssuer } from './openid-issuer.ts';

describe('an OpenID issuer that resets a kept connection without an answer', () => {
  const closers: (() => unknown)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** An issuer that resets the connection of its second request. */
  async function resettingIssuer() {
    const requests: string[] = [];
    let sentAgain = 0;
    const server = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        if (requests.push(`${incoming.url} ${body}`) === 2) incoming.socket.resetAndDestroy();
        else response.end('{"keys":[],"id_token":"signed"}');
      });
    });
    server.keepAliveTimeout = 600_000;
    const url = `http://127.0.0.1:${await portOf(server)}`;
    const names = createHostNames({ clock: systemClock });
    const egress = { guard: createEgressGuard([readInstallationEgress({})]), names };
    const issuer = createOpenIdIssuer({ issuer: url, egress, onSentAgain: () => sentAgain++ });
    closers.push(
      () => names.close(),
      () => server.close(),
      () => server.closeAllConnections(),
      () => issuer.close(),
    );
    const discovered = { issuer: url, jwks_uri: `${url}/keys`, token_endpoint: `${url}/token` };
    return { issuer, discovered, requests, sentAgain: () => sentAgain };
  }

  it('gets the request for its keys once more', async () => {
    const { issuer, discovered, requests, sentAgain } = await resettingIssuer();
    await issuer.keys(discovered);
    expect(await issuer.keys(discovered)).toEqual({ ok: true, value: { keys: [] } });
    expect([requests.length, sentAgain()]).toEqual([3, 1]);
  });

  it('is not sent an authorization code twice', async () => {
    const { issuer, discovered, requests, sentAgain } = await resettingIssuer();
    const exchangeOf = (code: string) => ({
      code,
      redirectUri: 'https://muster.test/',
      verifier: 'v',
      client: { id: 'muster', secret: undefined },
    });
    await issuer.exchange(discovered, exchangeOf('first'));
    expect(await issuer.exchange(discovered, exchangeOf('second'))).toEqual({
      ok: false,
      kind: 'away',
      cause: 'connection reset',
    });
    expect(requests).toEqual([expect.stringContaining('code=first'), expect.stringContaining('code=second')]);
    expect(sentAgain()).toBe(0);
  });
});
