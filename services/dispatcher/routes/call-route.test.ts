import { describe, expect, it } from 'vitest';
import { callRouteOf, routeNameOf } from './call-route.ts';

describe('the route of a call', () => {
  it.each([
    ['/', ''],
    ['', ''],
    ['/orders', '/orders'],
    ['/orders/', '/orders'],
    ['/orders/17/pay', '/orders'],
    ['/v1/orders/17', '/v1/orders'],
    ['/v1/order-items.json', '/v1/order-items.json'],
    ['/a/b/c/d/e', '/a/b/c'],
    ['/0d9f6c1e-5b1c-4a53-9c55-2f6f6d9a0001/pay', ''],
    ['/users/deadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef', '/users'],
    ['/services/T024BE7LD/B0KQ7/XXX', '/services'],
    ['/shop%20a/x', ''],
    ['//x', ''],
  ])('consists of the host and the first literal words of the path: %j has %j', (pathname, words) => {
    expect(callRouteOf('one.example', pathname)).toBe(`one.example${words}`);
  });

  it('is the path prefix that the client configured, unless the route is longer', () => {
    expect(routeNameOf('one.example', 'one.example/shop')).toBe('one.example/shop');
    expect(routeNameOf('one.example/shop', 'one.example/shop')).toBe('one.example/shop');
    expect(routeNameOf('one.example/shop/17', 'one.example/shop')).toBe('one.example/shop/17');
    expect(routeNameOf('one.example/shop', 'one.example/shops')).toBe('one.example/shop');
  });
});
