import { describe, expect, it } from 'vitest';
import { createMailReferences } from './mail-references.ts';

const secret = 'a secret of thirty-two characters';
const reference = { run: 'run_01jd', step: 2, country: 'SG', user: 'u-7 é🎟️' };
const references = createMailReferences([secret], 'welcome');

describe('a signed reference to a mail', () => {
  it('is the same for the same mail, and can be read', () => {
    const text = references.sign('message', reference);
    expect(references.sign('message', { ...reference })).toBe(text);
    expect(text).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(references.read('message', text)).toEqual(reference);
  });

  it('is refused under another secret, action or purpose', () => {
    const text = references.sign('unsubscribe', reference);
    expect(references.read('message', text)).toBeUndefined();
    expect(createMailReferences([`${secret}!`], 'welcome').read('unsubscribe', text)).toBeUndefined();
    expect(createMailReferences([secret], 'farewell').read('unsubscribe', text)).toBeUndefined();
  });

  it('is read under a former secret, and signed by the new one', () => {
    const text = references.sign('unsubscribe', reference);
    const rotated = createMailReferences([`${secret} 2`, secret], 'welcome');
    expect(rotated.read('unsubscribe', text)).toEqual(reference);
    const renewed = rotated.sign('unsubscribe', reference);
    expect(createMailReferences([`${secret} 2`], 'welcome').read('unsubscribe', renewed)).toEqual(reference);
    expect(references.read('unsubscribe', renewed)).toBeUndefined();
  });

  it('is refused if its user was replaced but its signature was not', () => {
    const [, signature] = references.sign('unsubscribe', reference).split('.');
    const [other] = references.sign('unsubscribe', { ...reference, user: 'u-8' }).split('.');
    expect(references.read('unsubscribe', `${other}.${signature}`)).toBeUndefined();
  });

  it.each(['', '.', 'x', 'x.y', `${'A'.repeat(40)}.${'A'.repeat(22)}`])('is refused for %j', (text) => {
    expect(references.read('unsubscribe', text)).toBeUndefined();
  });
});
