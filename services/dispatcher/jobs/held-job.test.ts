import { describe, expect, it } from 'vitest';
import { claimedJob } from '../../../test/support/claimed-job.ts';
import { circuitHostOf, heldJobOf } from './held-job.ts';

const jobOf = (url: string) => heldJobOf(claimedJob({ url }), 0, 1000);

describe('the circuit of a failing call', () => {
  it.each([
    ['https://shop.example/a', 'shop.example'],
    ['https://shop.example:8443/a', 'shop.example:8443'],
    ['http://shop.example/a', 'shop.example:80'],
    ['http://shop.example:8080/a', 'shop.example:8080'],
    ['https://[2001:db8::1]/a', '[2001:db8::1]'],
  ])('to %s belongs to the host %s', (url, host) => {
    expect(circuitHostOf(jobOf(url), [])).toBe(host);
  });

  it.each([
    ['https://api.example/shop', '/shop'],
    ['https://api.example/shop/', '/shop'],
    ['https://api.example/shop?x=/pay', '/shop'],
    ['https://api.example/shop/7', '/shop'],
    ['https://api.example/shop/pay/7', '/shop/pay'],
    ['https://api.example/shops', ''],
    ['https://api.example/', ''],
    ['https://api.example/?x=/shop', ''],
  ])('to %s belongs to the longest configured path prefix, "%s"', (url, prefix) => {
    expect(circuitHostOf(jobOf(url), ['/shop', '/shop/pay', '/sh'])).toBe(`api.example${prefix}`);
  });
});
