import { describe, expect, it } from 'vitest';
import { domainOf } from './addresses.ts';

describe('the address of a mail', () => {
  it.each([
    ['ada@example.com', 'example.com'],
    ["o'neill+news@Mail.Example.COM", 'mail.example.com'],
    ['müller@exämple.de', 'exämple.de'],
  ])('%s has the domain %s', (text, domain) => {
    expect(domainOf(text)).toBe(domain);
  });

  it.each([
    '',
    'ada',
    'ada@localhost',
    'ada@example.com\r\nBcc: eve@evil.test',
    'ada@example.com\n',
    'ada@example.com, eve@evil.test',
    'ada@example.com;eve@evil.test',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    '"ada\r\n"@example.com',
    'ada@[127.0.0.1]',
    'ada@example.com@evil.test',
    'a\u0000da@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a.'.repeat(130)}com`,
  ])('is invalid: %j', (text) => {
    expect(domainOf(text)).toBeUndefined();
  });
});
