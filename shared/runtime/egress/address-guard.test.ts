import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { EgressRule } from '../../contracts/jobs/endpoint-terms.ts';
import { createClientGuard, createEgressGuard, isPublic, type Destination } from './address-guard.ts';

const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

/** Written independently of the lists: octet by octet, from the IANA registry. */
function isPublicByHand([a, b, c, d]: readonly number[]): boolean {
  const [x = 0, y = 0, z = 0] = [a, b, c];
  if (x === 168 && y === 63 && z === 129 && d === 16) return false;
  if (x === 0 || x === 10 || x === 127 || x >= 224) return false;
  if (x === 100) return y < 64 || y > 127;
  if (x === 169) return y !== 254;
  if (x === 172) return y < 16 || y > 31;
  if (x === 192 && y === 0) return z !== 0 && z !== 2;
  if (x === 192 && y === 31) return z !== 196;
  if (x === 192 && y === 52) return z !== 193;
  if (x === 192 && y === 88) return z !== 99;
  if (x === 192 && y === 175) return z !== 48;
  if (x === 192) return y !== 168;
  if (x === 198) return y !== 18 && y !== 19 && !(y === 51 && z === 100);
  return !(x === 203 && y === 0 && z === 113);
}

describe('isPublic', () => {
  it('is true exactly for IPv4 addresses in no special-purpose range', () => {
    fc.assert(
      fc.property(ipv4, (octets) => {
        expect(isPublic(octets.join('.'))).toBe(isPublicByHand(octets));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    { range: '0.0.0.0/8', first: '0.0.0.0', last: '0.255.255.255', beside: ['1.0.0.0'] },
    { range: '10.0.0.0/8', first: '10.0.0.0', last: '10.255.255.255', beside: ['9.255.255.255', '11.0.0.0'] },
    { range: '100.64.0.0/10', first: '100.64.0.0', last: '100.127.255.255', beside: ['100.63.255.255', '100.128.0.0'] },
    { range: '127.0.0.0/8', first: '127.0.0.0', last: '127.255.255.255', beside: ['126.255.255.255', '128.0.0.0'] },
    {
      range: '169.254.0.0/16',
      first: '169.254.0.0',
      last: '169.254.255.255',
      beside: ['169.253.255.255', '169.255.0.0'],
    },
    { range: '172.16.0.0/12', first: '172.16.0.0', last: '172.31.255.255', beside: ['172.15.255.255', '172.32.0.0'] },
    { range: '192.0.0.0/24', first: '192.0.0.0', last: '192.0.0.255', beside: ['191.255.255.255', '192.0.1.0'] },
    { range: '192.0.2.0/24', first: '192.0.2.0', last: '192.0.2.255', beside: ['192.0.1.255', '192.0.3.0'] },
    {
      range: '192.31.196.0/24',
      first: '192.31.196.0',
      last: '192.31.196.255',
      beside: ['192.31.195.255', '192.31.197.0'],
    },
    {
      range: '192.52.193.0/24',
      first: '192.52.193.0',
      last: '192.52.193.255',
      beside: ['192.52.192.255', '192.52.194.0'],
    },
    { range: '192.88.99.0/24', first: '192.88.99.0', last: '192.88.99.255', beside: ['192.88.98.255', '192.88.100.0'] },
    {
      range: '192.168.0.0/16',
      first: '192.168.0.0',
      last: '192.168.255.255',
      beside: ['192.167.255.255', '192.169.0.0'],
    },
    {
      range: '192.175.48.0/24',
      first: '192.175.48.0',
      last: '192.175.48.255',
      beside: ['192.175.47.255', '192.175.49.0'],
    },
    { range: '198.18.0.0/15', first: '198.18.0.0', last: '198.19.255.255', beside: ['198.17.255.255', '198.20.0.0'] },
    {
      range: '198.51.100.0/24',
      first: '198.51.100.0',
      last: '198.51.100.255',
      beside: ['198.51.99.255', '198.51.101.0'],
    },
    { range: '203.0.113.0/24', first: '203.0.113.0', last: '203.0.113.255', beside: ['203.0.112.255', '203.0.114.0'] },
    { range: '224.0.0.0/4 and 240.0.0.0/4', first: '224.0.0.0', last: '255.255.255.255', beside: ['223.255.255.255'] },
    { range: '2001::/23', first: '2001::', last: '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', beside: ['2001:200::'] },
    {
      range: '2001:db8::/32',
      first: '2001:db8::',
      last: '2001:db8:ffff:ffff::1',
      beside: ['2001:db7::', '2001:db9::'],
    },
    { range: '2002::/16', first: '2002::', last: '2002:ffff:ffff::1', beside: ['2001:ffff::', '2003::'] },
    {
      range: '2620:4f:8000::/48',
      first: '2620:4f:8000::',
      last: '2620:4f:8000:ffff::1',
      beside: ['2620:4f:7fff::', '2620:4f:8001::'],
    },
    { range: '3fff::/20', first: '3fff::', last: '3fff:fff:ffff::1', beside: ['3ffe:ffff::', '3fff:1000::'] },
    { range: 'below 2000::/3', first: '::', last: '1fff:ffff::1', beside: ['2000::'] },
    { range: 'above 2000::/3', first: '4000::', last: 'ffff::1', beside: ['3fff:ffff::'] },
  ])('is false for $range from the first to the last address, and true just outside it', ({ first, last, beside }) => {
    expect([first, last].filter(isPublic)).toEqual([]);
    expect(beside.filter(isPublic)).toEqual(beside);
  });

  it('is false for an IPv4 address that is embedded in an IPv6 address', () => {
    fc.assert(
      fc.property(ipv4, (octets) => {
        const hex = octets.map((octet) => octet.toString(16).padStart(2, '0'));
        const tail = `${hex[0] ?? ''}${hex[1] ?? ''}:${hex[2] ?? ''}${hex[3] ?? ''}`;
        const dressed = [
          `::ffff:${octets.join('.')}`,
          `::ffff:${tail}`,
          `64:ff9b::${tail}`,
          `2002:${tail}::1`,
          `::${tail}`,
        ];
        expect(dressed.map(isPublic)).toEqual(dressed.map(() => false));
      }),
    );
  });

  it.each([
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '3fff::1',
    '4000::1',
  ])('is false for %s', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each(['2606:4700::1111', '2a00:1450:4001::1', '8.8.8.8'])('is true for %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each(['', 'localhost', '127.1', '0x7f.1', '1.2.3', '::ffff', '8.8.8.8 '])(
    'is false for a text that is no address: %j',
    (text) => {
      expect(isPublic(text)).toBe(false);
    },
  );
});

const anywhere = { of: 'MUSTER_EGRESS_ALLOW', rules: [{ cidr: '0.0.0.0/0' }, { cidr: '::/0' }] };

/** Returns whether a client with these rules may connect, if the installation has no limits. */
function mayOf(rules: EgressRule[]): (destination: Destination) => boolean {
  const guard = createClientGuard(anywhere, rules, 'orders');
  return (destination) => guard.mayConnect(destination);
}

describe('the egress rules of a client', () => {
  const to = (address: string, hostname = 'api.example.com', port = 443) => ({ hostname, port, address });

  it('allow exactly the public addresses if there is no rule', () => {
    const may = mayOf([]);
    expect([may(to('8.8.8.8')), may(to('10.0.0.1')), may(to('127.0.0.1'))]).toEqual([true, false, false]);
  });

  it('require host, port and address all to match', () => {
    const may = mayOf([{ host: 'api.example.com', port: 443 }]);
    expect(may(to('8.8.8.8'))).toBe(true);
    expect(may(to('8.8.8.8', 'api.example.com', 80))).toBe(false);
    expect(may(to('8.8.8.8', 'other.example.com'))).toBe(false);
    expect(may(to('10.0.0.1'))).toBe(false);
  });

  it('match with *.example.com every subdomain, but neither example.com nor badexample.com', () => {
    const may = mayOf([{ host: '*.example.com' }]);
    expect(may(to('8.8.8.8', 'a.b.example.com'))).toBe(true);
    expect(may(to('8.8.8.8', 'example.com'))).toBe(false);
    expect(may(to('8.8.8.8', 'badexample.com'))).toBe(false);
  });

  it('open with a cidr its private addresses and no others', () => {
    const may = mayOf([{ cidr: '10.1.0.0/16' }, { cidr: '127.0.0.0/8', port: 8080 }]);
    expect(may(to('10.1.2.3'))).toBe(true);
    expect(may(to('10.2.0.1'))).toBe(false);
    expect(may(to('127.0.0.1', 'localhost', 8080))).toBe(true);
    expect(may(to('127.0.0.1', 'localhost', 80))).toBe(false);
    expect(may(to('8.8.8.8'))).toBe(false);
  });

  it.each([
    ...['169.254.169.254', '0.0.0.0', '224.0.0.1', '255.255.255.255', 'fe80::1', 'fd00:ec2::254', '::'],
    ...['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::23', 'fd20:ce::254'],
    ...['fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fd00:a9fe:a9fe::1', 'fd00:100::100:200', 'fe80::a9fe:a9fe'],
    ...['2002:a9fe:a9fe::1', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2001:0:a9fe:a9fe::1'],
    ...['64:ff9b:1::a9fe:a9fe', '::ffff:0:a9fe:a9fe', '::a9fe:a9fe', '::ffff:100.100.100.200', '::10.0.0.1', '::2'],
  ])('never open %s', (address) => {
    const may = mayOf([{ cidr: '0.0.0.0/0' }, { cidr: '::/0' }]);
    expect(may(to(address))).toBe(false);
    expect(mayOf([])(to(address))).toBe(false);
  });
});

describe('the URL of a job before it is stored', () => {
  const guard = createClientGuard(
    anywhere,
    [{ host: 'api.example.com', port: 443 }, { cidr: '127.0.0.0/8' }],
    'orders',
  );
  const whyNot = (url: string) => guard.whyNot(new URL(url));

  it('is judged by its IP address in any notation', () => {
    expect(whyNot('http://169.254.169.254/latest')).toBe('169.254.169.254 is never called');
    expect(whyNot('http://2852039166/')).toBe('169.254.169.254 is never called');
    expect(whyNot('http://[::ffff:a9fe:a9fe]/')).toBe('::ffff:a9fe:a9fe is never called');
    expect(whyNot('http://10.0.0.1/')).toBe('10.0.0.1 is none that the egress rules of the client "orders" may open');
    expect(whyNot('http://0x7f.1:8080/')).toBeNull();
  });

  it('is judged by its host name without a DNS lookup if no address rule could allow it', () => {
    const strict = createClientGuard(anywhere, [{ host: 'api.example.com', port: 443 }], 'orders');
    expect(strict.whyNot(new URL('https://api.example.com/hook'))).toBeNull();
    expect(strict.whyNot(new URL('http://api.example.com/hook'))).toBe(
      'no rule of the egress rules of the client "orders" names api.example.com with port 80',
    );
    expect(whyNot('https://other.example.com/')).toBeNull();
  });

  it('counts as 127.0.0.1 if its host is localhost', () => {
    const open = createClientGuard(anywhere, [], 'orders');
    expect(open.whyNot(new URL('http://localhost:5432/'))).toMatch(/^127.0.0.1 is none/);
    expect(open.whyNot(new URL('http://a.localhost./'))).toMatch(/^127.0.0.1 is none/);
    expect(whyNot('http://localhost:5432/')).toBeNull();
  });
});

describe('MUSTER_EGRESS_ALLOW', () => {
  const installation = { of: 'MUSTER_EGRESS_ALLOW', rules: [{ cidr: '10.1.0.0/16' }, {}] };

  it('limits the addresses that the rules of clients open', () => {
    const guard = createClientGuard(installation, [{ cidr: '10.0.0.0/8' }], 'orders');
    const to = (address: string) => guard.mayConnect({ hostname: 'a.test', port: 80, address });
    expect([to('10.1.0.1'), to('10.2.0.1'), to('8.8.8.8')]).toEqual([true, false, false]);
    expect(guard.whyNot(new URL('http://10.2.0.1/'))).toBe('10.2.0.1 is none that MUSTER_EGRESS_ALLOW may open');
  });

  it('is the only limit for the services that operators configure', () => {
    const guard = createEgressGuard([installation]);
    const to = (address: string) => guard.mayConnect({ hostname: 'a.test', port: 80, address });
    expect([to('10.1.0.1'), to('10.2.0.1'), to('8.8.8.8'), to('169.254.169.254')]).toEqual([true, false, true, false]);
  });
});
