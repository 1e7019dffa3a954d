import { describe, expect, it } from 'vitest';
import { createEgressGuard } from '../egress/address-guard.ts';
import { readInstallationEgress } from './installation-egress.ts';

/** Returns the places that may be connected to, each `hostname>address:port`. */
function opened(list: string | undefined, places: readonly string[]): string[] {
  const guard = createEgressGuard([readInstallationEgress({ MUSTER_EGRESS_ALLOW: list })]);
  return places.filter((place) => {
    const [, hostname = '', address = '', port] = /^(.*)>(.*):(\d+)$/.exec(place) ?? [];
    return guard.mayConnect({ hostname, address, port: Number(port) });
  });
}

const places = [
  ...['api.test>8.8.8.8:443', 'rewards.svc>10.20.0.7:8080', 'rewards.svc>10.20.0.7:9090', 'other.svc>10.21.0.7:8080'],
  ...['six.svc>fd12::7:8080', 'six.svc>fd12::7:80', 'localhost>127.0.0.1:80'],
];
const metadata = ['rewards.svc>169.254.169.254:8080', 'six.svc>fd00:ec2::254:8080', 'a.svc>::ffff:169.254.169.254:80'];

describe('MUSTER_EGRESS_ALLOW', () => {
  it.each([undefined, ''])('allows every address except the metadata addresses if it is %j', (list) => {
    expect(opened(list, [...places, ...metadata])).toEqual(places);
  });

  it.each([
    ['public', ['api.test>8.8.8.8:443']],
    ['public:443', ['api.test>8.8.8.8:443']],
    ['public:80', []],
    ['10.20.0.0/16', ['rewards.svc>10.20.0.7:8080', 'rewards.svc>10.20.0.7:9090']],
    ['10.20.0.7:8080 , public', ['api.test>8.8.8.8:443', 'rewards.svc>10.20.0.7:8080']],
    ['Rewards.svc:9090', ['rewards.svc>10.20.0.7:9090']],
    ['fd12::/16', ['six.svc>fd12::7:8080', 'six.svc>fd12::7:80']],
    ['[fd12::7]:80', ['six.svc>fd12::7:80']],
    ['localhost', ['localhost>127.0.0.1:80']],
  ])('allows exactly the listed places with the value %s', (list, some) => {
    expect(opened(list, [...places, ...metadata])).toEqual(some);
  });

  it('allows every address that a named host resolves to, except metadata addresses', () => {
    const svc = places.filter((place) => place.includes('.svc>'));
    expect(opened('*.svc', [...places, ...metadata])).toEqual(svc);
  });

  it.each(['10.0.0.0/33', 'http://a.test', 'a b', 'a.test:99999', '[fd12::7', 'a.test,,b.test', '::/0:80:x'])(
    'is refused if an entry is no rule: %s',
    (list) => {
      expect(() => readInstallationEgress({ MUSTER_EGRESS_ALLOW: list })).toThrow(
        /^MUSTER_EGRESS_ALLOW has to be public, .* is none of them/,
      );
    },
  );
});
